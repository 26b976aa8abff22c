//! The tds suite: calls through a server's door for SQL Server's clients, over loopback, microseconds a call.
//!
//! ```text
//!   Connection (bare packets) ── loopback ──> mainstay serve, a process of its own
//! ```
//!
//! First the shortest possible call, a prepared `SELECT 1`, beside a bare round trip of as many bytes in the same run;
//! then the procedures of the tsql suite, called as by a driver's RPC. The client sends packets that were built before
//! the clock started and reads the answer up to its last packet; a driver adds the time of encoding and decoding them.
//! Answers are compared with the expected ones, with the clock stopped.
//!
//! Limits: no encryption; a commit waits for the operating system.

mod connection;
pub(crate) mod round_trip;
pub(crate) mod server;

use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System};
use crate::tsql::procedures::{PROCEDURES, Procedure, SETUP};
use connection::{Connection, request};
use mainstay_tds::client::Token;
use mainstay_tds::{Call, Collation, DataType, Length, Parameter, ParameterValue};
use mainstay_types::{Code, Error, Result, Value};
use round_trip::bare_round_trip;
use server::Server;
use std::time::{Duration, Instant};

/// Calls of one run.
const CALLS: usize = 1_000;
/// Connections of the last row.
const CONNECTIONS: usize = 16;
/// The limit of a prepared call, as a multiple of the bare round trip.
const OF_THE_BARE: f64 = 1.5;
/// Rows before those of the procedures.
const PREPARED: usize = 0;

/// The suite.
pub struct Wire;

impl Suite for Wire {
    fn about(&self) -> About {
        About::of_calls("tds", CALLS)
    }

    fn title(&self, _: &Settings) -> String {
        "tds: calls through the door for SQL Server's clients, over loopback (microseconds a call)".to_owned()
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        let skipped = server::program().is_none().then(|| "there is no mainstay beside the benchmark".to_owned());
        // To the tenth, as it is printed.
        let bare = bare_round_trip().map(|time| (time.as_secs_f64() * 1e7).round() / 10.0);
        let prepared = Row {
            key: "prepared",
            title: "SELECT 1 as a prepared call".to_owned(),
            text: "sp_execute of SELECT 1; floor: as many bytes there and back".to_owned(),
            published: Some(Reference { value: 245.0, remark: "busy" }),
            floor: bare,
            target_again: bare.map(|bare| (OF_THE_BARE * bare * 10.0).round() / 10.0),
            ..Row::default()
        };
        let all = Row {
            key: "prepared_16",
            title: format!("the same from {CONNECTIONS} connections at once"),
            text: "time of all calls by their number".to_owned(),
            ..Row::default()
        };
        let of_procedure = |procedure: &Procedure| Row {
            key: procedure.key,
            title: procedure.title.to_owned(),
            text: procedure.text.to_owned(),
            ..Row::default()
        };
        let rows = std::iter::once(prepared).chain(PROCEDURES.iter().map(of_procedure)).chain([all]);
        rows.map(|row| Row { skipped: skipped.clone(), ..row }).collect()
    }

    fn start(&self, _: &Settings, _: &[usize]) -> Result<Bench> {
        let subject = Subject::start().map_err(|error| Error::new(Code::Internal, error))?;
        Ok(Bench { subject: Box::new(subject), peers: Vec::new(), absent: Vec::new(), facts: Vec::new() })
    }
}

struct Subject {
    connection: Connection,
    server: Server,
}

impl Subject {
    fn start() -> std::result::Result<Subject, String> {
        let server = Server::start("tds")?;
        let mut connection = Connection::open(server.address)?;
        for script in SETUP.iter().copied().chain(PROCEDURES.iter().flat_map(|procedure| procedure.scripts())) {
            connection.batch(script)?;
        }
        Ok(Subject { connection, server })
    }

    fn measure_row(&mut self, row: usize, repeats: usize) -> std::result::Result<Vec<Duration>, String> {
        let connection = &mut self.connection;
        if row == PREPARED {
            let request = prepared(connection)?;
            return measure(connection, &request, "", "1;", repeats);
        }
        match PROCEDURES.get(row - 1) {
            Some(procedure) => {
                let request = request(&called(procedure)?)?;
                measure(connection, &request, procedure.before, procedure.answer, repeats)
            }
            None => self.measure_all(repeats),
        }
    }

    /// Connections that call at once, each its share of the calls.
    fn measure_all(&mut self, repeats: usize) -> std::result::Result<Vec<Duration>, String> {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut connection = Connection::open(self.server.address)?;
            let request = prepared(&mut connection)?;
            connections.push((connection, request));
        }
        let mut times = Vec::new();
        let mut warm = false;
        while wants_another(&times, repeats) {
            let begin = Instant::now();
            let done = std::thread::scope(|scope| {
                let callers: Vec<_> = connections
                    .iter_mut()
                    .map(|(connection, request)| {
                        scope.spawn(|| (0..CALLS).try_for_each(|_| connection.ask(request).map(drop)))
                    })
                    .collect();
                callers.into_iter().try_for_each(|caller| caller.join().unwrap_or(Err("a caller fell".to_owned())))
            });
            done?;
            if std::mem::replace(&mut warm, true) {
                times.push(begin.elapsed() / CONNECTIONS as u32);
            }
        }
        connections.iter_mut().try_for_each(|(connection, request)| check(connection, request, "1;"))?;
        Ok(times)
    }
}

/// Prepares `SELECT 1` and gives the request that executes it.
fn prepared(connection: &mut Connection) -> std::result::Result<Vec<u8>, String> {
    let text = |text: &str| parameter(DataType::NVarChar(Length::Max), Value::Text(text.to_owned()));
    let handle = Parameter { output: true, ..parameter(DataType::Int, Value::Null) };
    let prepare =
        call("sp_prepare", vec![handle, text(""), text("SELECT 1"), parameter(DataType::Int, Value::Integer(1))]);
    let answer = connection.asked(&request(&prepare)?)?;
    let handle = answer.into_iter().find_map(|token| match token {
        Token::ReturnValue(_, _, _, handle) => Some(handle),
        _ => None,
    });
    request(&call("sp_execute", vec![parameter(DataType::Int, handle.ok_or("sp_prepare gave no handle")?)]))
}

/// The call of a procedure of the tsql suite.
fn called(procedure: &Procedure) -> std::result::Result<Call, String> {
    let wire = |(data_type, value): (mainstay_tsql_types::DataType, Value)| {
        let of = DataType::of(&data_type.declared()).ok_or_else(|| format!("no type {data_type}"))?;
        Ok(parameter(of, value))
    };
    let parameters = (procedure.arguments)().into_iter().map(wire).collect::<std::result::Result<_, String>>()?;
    Ok(call(procedure.name, parameters))
}

fn call(procedure: &str, parameters: Vec<Parameter>) -> Call {
    Call { procedure: procedure.to_owned(), parameters, recompile: false, no_metadata: false }
}

/// A parameter by its place.
fn parameter(data_type: DataType, value: Value) -> Parameter {
    let (collation, value) = (Collation::DEFAULT, ParameterValue::Single(value));
    Parameter { name: String::new(), output: false, default: false, data_type, collation, value }
}

fn measure(
    connection: &mut Connection,
    request: &[u8],
    before: &str,
    answer: &str,
    repeats: usize,
) -> std::result::Result<Vec<Duration>, String> {
    connection.batch(before)?;
    check(connection, request, answer)?;
    let mut times = Vec::new();
    let mut warm = false;
    while wants_another(&times, repeats) {
        connection.batch(before)?;
        let begin = Instant::now();
        for _ in 0..CALLS {
            connection.ask(request)?;
        }
        let time = begin.elapsed();
        if std::mem::replace(&mut warm, true) {
            times.push(time);
        }
    }
    connection.batch(before)?;
    check(connection, request, answer)?;
    Ok(times)
}

/// Compares the rows of an answer with what they must be.
fn check(connection: &mut Connection, request: &[u8], answer: &str) -> std::result::Result<(), String> {
    let mut rows = String::new();
    for token in connection.asked(request)? {
        if let Token::Row(values) = token {
            let cells: Vec<String> = values.iter().map(ToString::to_string).collect();
            rows += &format!("{};", cells.join(","));
        }
    }
    if rows == answer { Ok(()) } else { Err(format!("{rows:?} and not {answer:?}")) }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        format!("Mainstay {}, a server process, durability = os, {CALLS} calls a run", env!("CARGO_PKG_VERSION"))
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        Some(match self.measure_row(row, repeats) {
            Ok(times) => Measured { first: None, again: Statistics::of(&times), judgement: Judgement::Right },
            Err(error) => Measured::failed(error),
        })
    }
}
