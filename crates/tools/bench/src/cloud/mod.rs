//! The cloud suite: native tables against SQLite in the same process.
//!
//! ```text
//!   rows (what is asked, earlier figures)
//!     └─> tasks (rounds, checks) ──> native (the loops) ── mainstay
//!            │                                          └─ sqlite
//!            ├─> data   (tables made by formula, and the truth about them)
//!            └─> memory (bytes of a row; growth)
//! ```
//!
//! Both systems do the same work in the same way: statements prepared once, the same transactions, every column read, in
//! memory or on disk with a log that is written and not synced. Each row starts with an empty database of its own, which is
//! gone when the row is done. Everything is checked, with the clock stopped.
//!
//! Limits: one session on one thread, and tables that fit into the processor's caches where the published figures have
//! such; the sum and the memory are of larger ones. A join over two processes is not measured here.

mod data;
mod mainstay;
mod memory;
mod native;
mod rows;
mod sqlite;
mod tasks;
#[cfg(test)]
mod tests;

use crate::output::thousands;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Row, Settings, Suite, System, Unit};
use mainstay_types::Result;
use memory::Growth;
use native::Maker;
use rows::{STANDARD_ROWS, TASKS};
use std::time::Duration;
use tasks::{Place, Task};

/// The suite, with the systems that it measures.
pub struct Cloud {
    subject: Maker,
    peer: Maker,
}

impl Cloud {
    /// The suite as users run it.
    pub const MAINSTAY: Cloud = Cloud { subject: mainstay::MAINSTAY, peer: sqlite::SQLITE };
}

impl Suite for Cloud {
    fn about(&self) -> About {
        About { standard_rows: STANDARD_ROWS, ..About::new("cloud", Unit::million_rows(0), "SQLite") }
    }

    fn title(&self, settings: &Settings) -> String {
        let rows = thousands(settings.rows);
        format!("cloud: native tables against SQLite in the same process ({rows} rows of BIGINT, short text, DOUBLE)")
    }

    fn rows(&self, settings: &Settings) -> Vec<Row> {
        TASKS.into_iter().map(|task| rows::row(task, settings.rows)).collect()
    }

    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench> {
        let mut facts = Vec::new();
        let has_churn = selected.iter().any(|&row| TASKS[row] == Task::Churn);
        let makers = [Some(&self.subject), Some(&self.peer).filter(|_| settings.peers)];
        for maker in makers.into_iter().flatten().filter(|_| has_churn) {
            facts.extend(memory::bytes_per_row(maker, settings.rows * tasks::CHURNED)?);
        }
        let measured = |maker: &Maker| -> Result<Box<dyn System>> {
            let growth = Growth::default();
            Ok(Box::new(Subject { maker: maker.clone(), rows: settings.rows, scratch: Scratch::new()?, growth }))
        };
        let peers = if settings.peers { vec![measured(&self.peer)?] } else { Vec::new() };
        Ok(Bench { subject: measured(&self.subject)?, peers, absent: Vec::new(), facts })
    }
}

/// A system with its place for files.
struct Subject {
    maker: Maker,
    rows: usize,
    scratch: Scratch,
    growth: Growth,
}

impl Subject {
    fn run(&self, task: Task, repeats: usize, times: &mut Vec<Duration>) -> Result<(), Judgement> {
        let folder = self.scratch.folder(rows::row(task, self.rows).key)?;
        let place = Place { rows: self.rows, folder: folder.clone() };
        let mut run = task.start(&self.maker, place, &self.growth)?;
        run()?;
        while wants_another(times, task.least_runs(repeats)) {
            times.push(run()?);
        }
        drop(run);
        self.scratch.remove(&folder);
        Ok(())
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        self.maker.name
    }

    fn description(&self) -> String {
        (self.maker.description)()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let mut times = Vec::new();
        let judgement = self.run(TASKS[row], repeats, &mut times).err().unwrap_or(Judgement::Right);
        Some(Measured { first: None, again: Statistics::of(&times), judgement })
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.growth.facts(self.maker.name)
    }
}
