//! One query over a folder in a process of its own, so that nothing has been read or planned before, and the most memory
//! that the process had resident is that of this query.
//!
//! ```text
//!   mainstay-bench tpch-worker FOLDER [BYTES]
//!   > {"sql", "repeats", "at_most", "enough_ns"}
//!   < {"first": ns, "times": [ns, ...], "rows": [[...], ...], "peak": bytes}    or {"error": text}
//! ```
//!
//! `BYTES` is the memory limit of the database. The peer's script has the same protocol.

use crate::answer::{Rows, from_batches, to_json};
use crate::machine::Memory;
use mainstay_engine::{Database, Options, Session};
use mainstay_types::{Code, Error, Result};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

/// The first argument of the program that starts a worker.
pub const COMMAND: &str = "tpch-worker";

/// Answers the requests of standard input until it ends.
///
/// Errors: no folder or no number among the arguments; a closed standard output.
pub fn run(arguments: &[OsString]) -> std::result::Result<(), String> {
    let [folder, limit @ ..] = arguments else { return Err(format!("{COMMAND} needs a folder")) };
    let limit = match limit.first().and_then(|limit| limit.to_str()) {
        None => None,
        Some(limit) => Some(limit.parse().map_err(|_| format!("{limit} is not a number of bytes"))?),
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let reply = match answer(Path::new(folder), limit, &line) {
            Ok(reply) => reply,
            Err(error) => json!({ "error": error.to_string() }),
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{reply}").and_then(|()| output.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Answers a request over a folder with this memory limit.
///
/// Errors: a request that is not of the protocol; as the query.
pub fn answer(folder: &Path, limit: Option<u64>, request: &str) -> Result<Value> {
    let malformed = || Error::new(Code::Internal, "a request that the worker does not know");
    let request: Value = serde_json::from_str(request).map_err(|_| malformed())?;
    let number = |key: &str| request[key].as_u64().ok_or_else(malformed);
    let sql = request["sql"].as_str().ok_or_else(malformed)?;
    let (repeats, at_most, enough) = (number("repeats")?, number("at_most")?, number("enough_ns")?);
    let database = Database::open_with(folder, Options { memory_limit_bytes: limit, ..Options::default() })?;
    let mut session = database.session();
    let (first, rows) = timed(&mut session, sql)?;
    let (mut times, mut spent) = (Vec::new(), 0);
    let mut is_steady = repeats == 0 || timed(&mut session, sql)?.1 == rows;
    while (times.len() as u64) < repeats || ((times.len() as u64) < at_most && spent < enough) {
        let (time, again) = timed(&mut session, sql)?;
        is_steady &= again.len() == rows.len();
        times.push(time);
        spent += time;
    }
    if !is_steady {
        return Err(Error::new(Code::Internal, "the same query has another answer the second time"));
    }
    let rows: Vec<Value> = rows.iter().map(|row| row.iter().map(to_json).collect()).collect();
    Ok(json!({ "first": first, "times": times, "rows": rows, "peak": Memory::now().peak_bytes }))
}

/// Runs the query; nanoseconds until the last batch is there, and the rows.
fn timed(session: &mut Session, sql: &str) -> Result<(u64, Rows)> {
    let start = Instant::now();
    let mut answer = session.execute(sql)?;
    let mut batches = Vec::new();
    while let Some(batch) = answer.next_batch()? {
        batches.push(batch);
    }
    let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Ok((time, from_batches(&batches)?))
}
