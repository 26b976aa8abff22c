//! The tpch suites: 22 analytical queries over eight tables, beside DuckDB in the same run.
//!
//! ```text
//!   data (generator) ──> files (Parquet, native tables, DBF) ──> mainstay-bench tpch-worker   a process for each query
//!     │                                                     └──> peer.py (DuckDB)             a process for each query
//!     └──> truth (the answers, by loops) ──> judge (both systems)
//! ```
//!
//! | suite | tables | scale |
//! |---|---|---|
//! | `tpch-parquet` | Parquet | 1 |
//! | `tpch-native` | native, with primary keys; DuckDB's own tables beside them | 0.1 |
//! | `tpch-dbf` | `orders` and `lineitem` DBF, the others Parquet; DuckDB over Parquet | 0.1 |
//! | `tpch-limit` | Parquet, a memory limit of 256 MiB for both | 1 |
//!
//! A verdict is a ratio to DuckDB in the same run; rows of memory have a target of their own. *First* is a query in a new
//! process over files that other processes have read, *again* the same query in the same session. The last two rows are
//! the geometric mean over the queries, and the most memory of any process.
//!
//! Limits: one user, no refresh functions, no audit: figures of this suite are not results of the TPC. The peer's memory
//! includes its Python interpreter and pyarrow.

mod data;
mod files;
mod judge;
mod queries;
mod runner;
mod tables;
#[cfg(test)]
mod tests;
mod truth;
pub mod worker;

use crate::output::thousands;
use crate::python_process::Process;
use crate::scratch::Scratch;
use crate::suite::{About, Bench, Ratio, Row, Settings, Suite, System, Unit};
use data::{Data, LINES_OF_SCALE_1};
use files::Form;
use mainstay_types::Result;
use mainstay_vfs::{Disk, Entry, FileSystem};
use queries::QUERIES;
use runner::{Runner, Shared};
use serde_json::Value;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

const SCRIPT: &str = include_str!("peer.py");
/// The interpreter, if it is not `python3`.
const PYTHON: &str = "MAINSTAY_BENCH_PYTHON";
/// The time for loading the peer's tables.
const PATIENCE: Duration = Duration::from_secs(600);
/// The place of the row with the geometric mean.
const MEAN: usize = QUERIES.len();
/// The place of the row with the most memory.
const MEMORY: usize = QUERIES.len() + 1;
/// Bytes, which stand in place of nanoseconds.
const MEGABYTES: Unit = Unit { symbol: "MB", per_second: 1e3, work: 1.0, rate: false };

/// A suite: the form of its tables and the limits of its ratios.
pub struct Tpch {
    name: &'static str,
    form: Form,
    standard_rows: usize,
    limit_bytes: Option<u64>,
    each: Ratio,
    mean: Ratio,
    most_megabytes: Option<f64>,
}

const FREE: Ratio = Ratio { first: None, again: None };

impl Tpch {
    /// Parquet files.
    pub const PARQUET: Tpch = Tpch {
        name: "tpch-parquet",
        form: Form::Parquet,
        standard_rows: LINES_OF_SCALE_1,
        limit_bytes: None,
        each: Ratio { first: Some(2.0), again: Some(2.0) },
        mean: Ratio { first: Some(1.2), again: Some(0.9) },
        most_megabytes: Some(250.0),
    };
    /// Native tables.
    pub const NATIVE: Tpch = Tpch {
        name: "tpch-native",
        form: Form::Native,
        standard_rows: LINES_OF_SCALE_1 / 10,
        each: FREE,
        mean: Ratio { first: None, again: Some(0.7) },
        most_megabytes: None,
        ..Tpch::PARQUET
    };
    /// DBF files.
    pub const DBF: Tpch =
        Tpch { name: "tpch-dbf", form: Form::Dbf, mean: Ratio { first: Some(2.5), again: Some(1.0) }, ..Tpch::NATIVE };
    /// Parquet files under a memory limit; the process may have 64 MiB beside it.
    pub const LIMIT: Tpch = Tpch {
        name: "tpch-limit",
        limit_bytes: Some(256 << 20),
        each: FREE,
        mean: FREE,
        most_megabytes: Some(335.5),
        ..Tpch::PARQUET
    };

    fn scale(&self, settings: &Settings) -> f64 {
        settings.rows as f64 / LINES_OF_SCALE_1 as f64
    }

    fn described(&self) -> String {
        let tables = match self.form {
            Form::Parquet => "over Parquet files",
            Form::Native => "over native tables with primary keys",
            Form::Dbf => "orders and lineitem as DBF, the others as Parquet",
        };
        let limit = self.limit_bytes.map(|bytes| format!(", memory limit {} MiB", bytes >> 20));
        format!("{tables}{}", limit.unwrap_or_default())
    }

    fn commands(&self, scratch: &Scratch) -> Result<(Command, Command)> {
        let script = scratch.path("peer.py");
        scratch.write(&script, SCRIPT.as_bytes())?;
        let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        let mut peer = Command::new(python);
        peer.arg("-u").arg(script);
        let mut subject = Command::new(std::env::current_exe()?);
        subject.arg(worker::COMMAND).arg(scratch.path("tables"));
        subject.args(self.limit_bytes.map(|bytes| bytes.to_string()));
        Ok((subject, peer))
    }
}

impl Suite for Tpch {
    fn about(&self) -> About {
        About {
            part_of: Some("tpch"),
            standard_rows: self.standard_rows,
            has_first: true,
            rows_of_scale_1: Some(LINES_OF_SCALE_1),
            only_when_named: true,
            ..About::new(self.name, Unit::MILLISECONDS, "DuckDB")
        }
    }

    fn title(&self, settings: &Settings) -> String {
        format!("{}: TPC-H at scale {}, {}", self.name, self.scale(settings), self.described())
    }

    fn rows(&self, settings: &Settings) -> Vec<Row> {
        let is_standard = settings.rows == self.standard_rows;
        let ratio = |ratio: Ratio| Some(if is_standard { ratio } else { FREE });
        let mut rows: Vec<Row> = QUERIES
            .iter()
            .map(|query| Row {
                key: query.key,
                title: format!("{} {}", query.key, query.title),
                text: query.sql(self.scale(settings)).split_whitespace().collect::<Vec<_>>().join(" "),
                ratio: ratio(self.each),
                ..Row::default()
            })
            .collect();
        rows.push(Row {
            key: "mean",
            title: "geometric mean of all queries".into(),
            text: "the rows above".into(),
            ratio: ratio(self.mean),
            ..Row::default()
        });
        rows.push(Row {
            key: "memory",
            title: "most memory of a query".into(),
            text: "the largest resident set of the processes above".into(),
            unit: Some(MEGABYTES),
            target_again: self.most_megabytes.filter(|_| is_standard),
            ratio: Some(FREE),
            ..Row::default()
        });
        rows
    }

    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench> {
        let scratch = Rc::new(Scratch::new()?);
        let tables = scratch.folder("tables")?;
        let data = Data::new(settings.rows);
        files::write(&scratch, &tables, &data, self.form)?;
        let facts = vec![
            ("lineitem".to_owned(), format!("{} rows", thousands(data.lines.len()))),
            ("tables".to_owned(), format!("{} MB", tree_bytes(&tables)? / 1_000_000)),
        ];
        let (subject, python) = self.commands(&scratch)?;
        let (mut absent, mut peer) = (Vec::new(), None);
        if settings.peers {
            match self.start_peer(&scratch, &data, &python) {
                Ok(started) => peer = Some(started),
                Err(reason) => absent.push(("DuckDB".to_owned(), reason)),
            }
        }
        let systems = if peer.is_some() { 2 } else { 1 };
        let queries = selected.iter().filter(|&&row| row < QUERIES.len());
        let shared = Rc::new(Shared {
            texts: QUERIES.iter().map(|query| query.sql(data.scale)).collect(),
            truth: queries.map(|&row| (row, truth::answer(&data, row))).collect(),
            answered: (0..systems).map(|_| RefCell::default()).collect(),
        });
        let description = format!("Mainstay {}, {}", env!("CARGO_PKG_VERSION"), self.described());
        let runner = |name, description, command: Command, place| -> Box<dyn System> {
            let files = Rc::clone(&scratch);
            // The tables are there for as long as a system may be asked.
            let command = Box::new(move || copied(&command, &files));
            Box::new(Runner { name, description, command, shared: Rc::clone(&shared), place })
        };
        let peers = peer.into_iter().map(|(description, command)| runner("DuckDB", description, command, 1)).collect();
        Ok(Bench { subject: runner("Mainstay", description, subject, 0), peers, absent, facts })
    }
}

impl Tpch {
    /// The peer's description and the command that runs it, once its tables are there.
    fn start_peer(
        &self,
        scratch: &Rc<Scratch>,
        data: &Data,
        python: &Command,
    ) -> std::result::Result<(String, Command), String> {
        let ready = hello(python, &["check".into()])?;
        let mut source = scratch.path("tables");
        if self.form != Form::Parquet {
            source = scratch.folder("parquet").map_err(|error| error.to_string())?;
            files::write(scratch, &source, data, Form::Parquet).map_err(|error| error.to_string())?;
        }
        let database = match self.form {
            Form::Native => scratch.path("peer.duckdb").into_os_string(),
            Form::Parquet | Form::Dbf => "-".into(),
        };
        if self.form == Form::Native {
            hello(python, &["load".into(), source.clone().into(), database.clone()])?;
        }
        let mut run = copied(python, scratch);
        run.arg("run").arg(source).arg(database).args(self.limit_bytes.map(|bytes| bytes.to_string()));
        let form = if self.form == Form::Native { "its own tables in a file" } else { "over Parquet files" };
        Ok((format!("{ready}, {form}"), run))
    }
}

/// The first line of the script with these arguments.
fn hello(python: &Command, arguments: &[OsString]) -> std::result::Result<String, String> {
    let mut command = Command::new(python.get_program());
    command.args(python.get_args()).args(arguments);
    let said: Value = Process::start(&mut command, PATIENCE)?.next_line()?;
    match (said["ready"].as_str(), said["absent"].as_str()) {
        (Some(ready), _) => Ok(ready.to_owned()),
        (None, absent) => Err(absent.unwrap_or("it said nothing about itself").to_owned()),
    }
}

/// The same command once more, with the scratch folder as its place for temporary files.
fn copied(command: &Command, scratch: &Scratch) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args()).current_dir(scratch.path(""));
    copy
}

/// Bytes of the files in a folder and the folders in it.
fn tree_bytes(folder: &Path) -> Result<u64> {
    let bytes_of = |entry: &Entry| {
        if entry.is_folder { tree_bytes(&entry.path) } else { Ok(Disk.stamp(&entry.path)?.len) }
    };
    Disk.list(folder)?.iter().map(bytes_of).sum()
}
