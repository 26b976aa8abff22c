//! Measures the decoding of a DBF's columns: `decode_cost FILE TURNS [FIELD...]`.
//!
//! Each turn opens the file with empty caches and decodes these fields (all without any) of all records on one thread. Prints the
//! CPU time of a turn in milliseconds: the least of all turns.

#![allow(clippy::disallowed_methods)]

use mainstay_columnar::{Table, VectorCache};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::table::DbfTable;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// The CPU time of this thread.
fn cpu_time() -> Result<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let time = statistics.split_whitespace().next().and_then(|time| time.parse().ok());
    time.map(Duration::from_nanos).ok_or_else(|| Error::new(Code::Unsupported, "no account of CPU time"))
}

fn turn(path: &Path, names: &[String]) -> Result<Duration> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let begun = cpu_time()?;
    let table = DbfTable::open(fs, path, "t", OpenOptions::default(), VectorCache::new(1 << 30), &[])?;
    let fields = table.schema().fields();
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    let shown = fields.len() - table.hidden_columns();
    let columns: Vec<usize> = (0..shown).filter(|column| is_wanted(fields[*column].name())).collect();
    let snapshot = table.snapshot()?;
    for group in 0..snapshot.groups() {
        snapshot.vectors(group, &columns)?;
    }
    Ok(cpu_time()? - begun)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, turns, names @ ..] = arguments.as_slice() else {
        eprintln!("decode_cost FILE TURNS [FIELD...]");
        return ExitCode::FAILURE;
    };
    let turns: Result<Vec<Duration>> = (0..turns.parse().unwrap_or(1)).map(|_| turn(Path::new(path), names)).collect();
    match turns.map(|turns| turns.into_iter().min()) {
        Ok(least) => {
            println!("{:.1} ms", least.unwrap_or_default().as_secs_f64() * 1e3);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
