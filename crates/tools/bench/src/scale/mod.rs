//! The scale suite: a table of many rows is opened, read by its key, loaded from files and checked.
//!
//! ```text
//!   data      the rows by a formula, as a CSV and as a Parquet file, and the truth about them
//!   tasks     open . point . load_parquet . load_csv . check
//!   systems   mainstay . sqlite (no Parquet) . duckdb (a Python process, if the package is installed)
//! ```
//!
//! Each system has its files in a folder of its own. A load starts without a database and ends when the database is
//! closed; the files that the last one left are what is opened, read and checked. Answers are compared with the truth, with
//! the clock stopped.
//!
//! Limits: times are of the wall clock, of files in the page cache, and of as many threads as each system takes by itself.
//! SQLite's load from CSV is a loop over lines with a prepared statement, as its shell does it.

mod data;
mod duckdb;
mod mainstay;
mod sqlite;

use crate::answer::Rows;
use crate::calibration::Calibration;
use crate::output::thousands;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Row, Settings, Suite, System, Unit};
use data::Truth;
use mainstay_types::Result;
use std::rc::Rc;
use std::time::Duration;

/// Runs of a load or a check at least, which take seconds.
const LONG_RUNS: usize = 3;

/// The work of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Open,
    Point,
    LoadParquet,
    LoadCsv,
    Check,
}

/// The tasks in the order of the table.
const TASKS: [Task; 5] = [Task::Open, Task::Point, Task::LoadParquet, Task::LoadCsv, Task::Check];

/// The time of a run, and the rows of its question.
type Ran = std::result::Result<(Duration, Rows), Judgement>;

/// A system that can do the tasks.
trait Engine {
    /// Its short name.
    fn name(&self) -> &'static str;

    /// Name, version and what it was given.
    fn description(&self) -> String;

    /// Runs a task once; `None` when the system has no such thing. The database of the last load is there, if there was
    /// one.
    fn run(&mut self, task: Task) -> Option<Ran>;

    /// Bytes of its files.
    fn bytes(&self) -> Option<u64>;
}

impl Task {
    fn key(self) -> &'static str {
        match self {
            Task::Open => "open",
            Task::Point => "point",
            Task::LoadParquet => "load_parquet",
            Task::LoadCsv => "load_csv",
            Task::Check => "check",
        }
    }

    fn row(self) -> Row {
        let (title, text) = match self {
            Task::Open => ("open the database, SELECT 1, close", data::ONE),
            Task::Point => ("open the database, read a row by its key, close", data::POINT),
            Task::LoadParquet => ("create the table with its key, load it from Parquet", data::FROM_PARQUET),
            Task::LoadCsv => ("create the table with its key, load it from CSV", data::FROM_CSV),
            Task::Check => ("check all files", "mainstay check"),
        };
        // Opening must not depend on the number of rows.
        let target_again = (self == Task::Open).then_some(100.0);
        Row {
            key: self.key(),
            title: title.into(),
            text: text.into(),
            target_again,
            calibration: Some(Calibration::Loop),
            ..Row::default()
        }
    }

    /// The least number of runs.
    fn runs(self, repeats: usize) -> usize {
        match self {
            Task::Open | Task::Point => repeats,
            Task::LoadParquet | Task::LoadCsv | Task::Check => repeats.min(LONG_RUNS),
        }
    }
}

/// The suite.
pub struct Scale;

impl Suite for Scale {
    fn about(&self) -> About {
        About { standard_rows: 1_000_000, ..About::new("scale", Unit::MILLISECONDS, "SQLite") }
    }

    fn title(&self, settings: &Settings) -> String {
        let rows = thousands(settings.rows);
        format!("scale: a table of {rows} rows and five columns with a key, on disk (milliseconds)")
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        TASKS.into_iter().map(Task::row).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        let scratch = Rc::new(Scratch::new()?);
        let truth = data::write(&scratch, settings.rows)?;
        let of =
            |engine: Box<dyn Engine>| -> Box<dyn System> { Box::new(Measuring { engine, truth, is_loaded: false }) };
        let subject = of(Box::new(mainstay::Mainstay::new(&scratch)?));
        let (mut peers, mut absent) = (Vec::new(), Vec::new());
        if settings.peers {
            peers.push(of(Box::new(sqlite::Sqlite::new(&scratch)?)));
            match duckdb::DuckDb::start(&scratch) {
                Ok(duckdb) => peers.push(of(Box::new(duckdb))),
                Err(reason) => absent.push(("DuckDB".to_owned(), reason)),
            }
        }
        Ok(Bench { subject, peers, absent, facts: data::facts(&scratch)? })
    }
}

/// A system whose answers are compared.
struct Measuring {
    engine: Box<dyn Engine>,
    truth: Truth,
    /// True once a load has left a database.
    is_loaded: bool,
}

impl Measuring {
    fn run(&mut self, task: Task) -> Option<std::result::Result<Duration, Judgement>> {
        let ran = self.engine.run(task)?;
        let judged =
            ran.and_then(|(time, rows)| self.truth.judge(task, &rows).map(|()| time).map_err(Judgement::Wrong));
        self.is_loaded |= matches!(task, Task::LoadParquet | Task::LoadCsv) && judged.is_ok();
        Some(judged)
    }

    fn times(&mut self, task: Task, repeats: usize, times: &mut Vec<Duration>) -> Option<Judgement> {
        if !self.is_loaded && !matches!(task, Task::LoadParquet | Task::LoadCsv) {
            // Not timed. A CSV is what every system reads.
            if let Err(judgement) = self.run(Task::LoadCsv)? {
                return Some(judgement);
            }
        }
        while wants_another(times, task.runs(repeats)) {
            match self.run(task)? {
                Ok(time) => times.push(time),
                Err(judgement) => return Some(judgement),
            }
        }
        Some(Judgement::Right)
    }
}

impl System for Measuring {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn description(&self) -> String {
        self.engine.description()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let mut times = Vec::new();
        let judgement = self.times(*TASKS.get(row)?, repeats, &mut times)?;
        Some(Measured { first: None, again: Statistics::of(&times), judgement })
    }

    fn facts(&self) -> Vec<(String, String)> {
        let bytes = self.engine.bytes().filter(|_| self.is_loaded);
        bytes
            .map(|bytes| (format!("{}: the loaded table on disk", self.engine.name()), data::megabytes(bytes)))
            .into_iter()
            .collect()
    }
}

/// A task that failed.
fn failed(error: impl std::fmt::Display) -> Judgement {
    Judgement::Failed(error.to_string())
}
