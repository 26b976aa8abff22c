//! The ace suite: the rows of the xbase table that go through the calls of the ACE library, in milliseconds.
//!
//! ```text
//!   data of the xbase suite ──> plain/bench.dbf                    filters without an index, index builds
//!                          └──> indexed/bench.dbf + bench.cdx      tags of ID, TAG, AMT, as Harbour wrote them
//! ```
//!
//! Each run opens the table as a program does when it starts, and ends when the table is closed, unless the row is
//! about an open table. Changed tables are copies, made while the clock is stopped. After the last run of a row the
//! answer is compared with the generator's; a changed table is checked, with all keys of its index.
//!
//! Limits: one program has the table open. Tables are opened shared, unless the row says otherwise.

mod calls;
mod tasks;

use crate::machine::today;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System, Unit};
use crate::xbase::{Data, STANDARD_ROWS, shipped_cdx};
use calls::{Connection, Mode};
use mainstay_types::{Code, Error, Result};
use std::path::PathBuf;
use std::time::Duration;
use tasks::{TASKS, Task};

/// The suite.
pub struct Ace;

impl Suite for Ace {
    fn about(&self) -> About {
        About { part_of: Some("xbase"), ..About::new("ace", Unit::MILLISECONDS, "OpenADS") }
    }

    fn title(&self, settings: &Settings) -> String {
        format!("ace: the same DBF of {} rows through ACE calls", crate::output::thousands(settings.rows))
    }

    fn rows(&self, settings: &Settings) -> Vec<Row> {
        let standard = settings.rows == STANDARD_ROWS;
        let figure = |value: Option<f64>| value.filter(|_| standard).map(|value| Reference { value, remark: "" });
        let row = |task: &Task| Row {
            key: task.key,
            title: task.title.to_owned(),
            text: task.text.to_owned(),
            published: figure(task.published),
            replaced: figure(task.openads),
            elsewhere: if standard { task.elsewhere.to_vec() } else { Vec::new() },
            floor: task.floor.filter(|_| standard),
            target_again: task.target.filter(|_| standard),
            calibration: Some(task.calibration()),
            ..Row::default()
        };
        TASKS.iter().map(row).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        let data = Data::new(settings.rows);
        let scratch = Scratch::new()?;
        scratch.write(&scratch.path("plain").join("bench.dbf"), &data.dbf(today(), false))?;
        let indexed = scratch.path("indexed");
        let is_standard = settings.rows == STANDARD_ROWS;
        scratch.write(&indexed.join("bench.dbf"), &data.dbf(today(), is_standard))?;
        if is_standard {
            scratch.write(&indexed.join("bench.cdx"), &shipped_cdx(&data)?)?;
        } else {
            make_tags(&indexed).map_err(|error| Error::new(Code::Internal, error))?;
        }
        let subject = Box::new(Subject { scratch, data, copies: 0 });
        Ok(Bench { subject, peers: Vec::new(), absent: Vec::new(), facts: Vec::new() })
    }
}

/// The tags that the shipped index has.
fn make_tags(folder: &std::path::Path) -> calls::Outcome<()> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Exclusive)?;
    ["ID", "TAG", "AMT"].into_iter().try_for_each(|tag| table.create_tag(tag).map(drop))?;
    table.close()
}

struct Subject {
    scratch: Scratch,
    data: Data,
    /// Folders that were made so far.
    copies: usize,
}

impl Subject {
    /// A folder of its own for a run, with a copy of what the task needs.
    fn folder(&mut self, task: &Task) -> calls::Outcome<PathBuf> {
        self.copies += 1;
        let folder = self.scratch.folder(&format!("run{}", self.copies)).map_err(|error| error.to_string())?;
        if let Some(from) = task.copied {
            self.scratch.copy(&self.scratch.path(from), &folder).map_err(|error| error.to_string())?;
        }
        Ok(folder)
    }

    fn measure_row(&mut self, task: &Task, repeats: usize) -> calls::Outcome<Vec<Duration>> {
        let mut folder = self.folder(task)?;
        let mut times = Vec::new();
        let mut warm = false;
        while wants_another(&times, repeats) {
            if task.changes {
                self.scratch.remove(&folder);
                folder = self.folder(task)?;
            }
            let time = (task.run)(&folder, &self.data)?;
            if std::mem::replace(&mut warm, true) {
                times.push(time);
            }
        }
        (task.check)(&folder, &self.data)?;
        self.scratch.remove(&folder);
        Ok(times)
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        format!("Mainstay {}, the calls of its libace, linked in", env!("CARGO_PKG_VERSION"))
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let task = TASKS.get(row)?;
        Some(match self.measure_row(task, repeats) {
            Ok(times) => Measured { first: None, again: Statistics::of(&times), judgement: Judgement::Right },
            Err(error) => Measured::failed(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_runs_on_a_small_table_and_its_answer_is_right() {
        let settings = Settings { rows: 5_200, repeats: 5, peers: false };
        let mut bench = Ace.start(&settings, &[]).unwrap();
        for (row, task) in TASKS.iter().enumerate() {
            let measured = bench.subject.measure(row, 1).unwrap();
            assert_eq!(measured.judgement, Judgement::Right, "{}", task.key);
            assert!(measured.again.is_some(), "{}", task.key);
        }
    }
}
