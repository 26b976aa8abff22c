//! Mainstay, through its embedding interface, with `durability = os`.

use super::{Engine, Ran, Task, data, failed};
use crate::answer::{Rows, from_batches};
use crate::scratch::{Scratch, folder_bytes};
use mainstay_engine::{Database, Durability, Options, Session, check};
use mainstay_types::Result;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

const TABLE: &str = "CREATE TABLE sales (id BIGINT PRIMARY KEY, customer INTEGER NOT NULL, amount DOUBLE NOT NULL, \
                     city TEXT NOT NULL, day DATE NOT NULL)";

/// The folder with the files and the native table.
pub(super) struct Mainstay {
    scratch: Rc<Scratch>,
    folder: PathBuf,
}

impl Mainstay {
    pub(super) fn new(scratch: &Rc<Scratch>) -> Result<Mainstay> {
        let folder = scratch.folder("mainstay")?;
        scratch.copy(&data::folder(scratch)?, &folder)?;
        Ok(Mainstay { scratch: Rc::clone(scratch), folder })
    }

    fn options() -> Options {
        Options { durability: Some(Durability::Os), ..Options::default() }
    }

    fn store(&self) -> PathBuf {
        self.folder.join(".mainstay")
    }

    fn open(&self) -> Result<Session> {
        Ok(Database::open_with(&self.folder, Mainstay::options())?.session())
    }

    /// Opens the database, asks, and closes it.
    fn ask(&self, question: &str) -> Result<(Duration, Rows)> {
        let begin = Instant::now();
        let mut session = self.open()?;
        let rows = execute(&mut session, question)?;
        drop(session);
        Ok((begin.elapsed(), rows))
    }

    fn load(&self, statement: &str) -> Result<(Duration, Rows)> {
        self.scratch.remove(&self.store());
        let begin = Instant::now();
        let mut session = self.open()?;
        execute(&mut session, TABLE)?;
        execute(&mut session, statement)?;
        drop(session);
        let time = begin.elapsed();
        self.ask(data::TOTALS).map(|(_, rows)| (time, rows))
    }

    fn check(&self) -> Result<(Duration, Rows)> {
        let begin = Instant::now();
        let findings = check(&self.folder, &Mainstay::options())?;
        let time = begin.elapsed();
        let rows = self.ask(data::TOTALS)?.1;
        Ok((time, if findings.is_empty() { rows } else { Rows::new() }))
    }
}

fn execute(session: &mut Session, sql: &str) -> Result<Rows> {
    let mut answer = session.execute(sql)?;
    let mut batches = Vec::new();
    while let Some(batch) = answer.next_batch()? {
        batches.push(batch);
    }
    from_batches(&batches)
}

impl Engine for Mainstay {
    fn name(&self) -> &'static str {
        "Mainstay"
    }

    fn description(&self) -> String {
        format!("Mainstay {}, native table in a folder, durability = os", env!("CARGO_PKG_VERSION"))
    }

    fn run(&mut self, task: Task) -> Option<Ran> {
        let ran = match task {
            Task::Open => self.ask(data::ONE),
            Task::Point => self.ask(data::POINT),
            Task::LoadParquet => self.load(data::FROM_PARQUET),
            Task::LoadCsv => self.load(data::FROM_CSV),
            Task::Check => self.check(),
        };
        Some(ran.map_err(failed))
    }

    fn bytes(&self) -> Option<u64> {
        folder_bytes(&self.store()).ok()
    }
}
