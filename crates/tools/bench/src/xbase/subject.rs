//! Mainstay under measurement.
//!
//! *First*: a new statement on a file that was never read. Every run has a copy of the folder and a `Database` opened
//! just for it; opening is not timed, no table has been touched. The copy is in the page cache. *Again*: the same text
//! in one session, after one run that is not counted. Both include the fetch of every batch of the answer. Every answer
//! is checked, with the clock stopped: against the truth, or against an earlier answer that was right. (Calculating the
//! truth between two runs walks all records and leaves the second run with cold caches, which no peer's runs have.)

use super::data::Data;
use super::questions::Question;
use crate::answer::from_batches;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{Judgement, Measured, System};
use arrow_array::RecordBatch;
use mainstay_types::Result;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Bytes of copies that are made ahead, so that rows share the wait for them to settle.
const COPIES_AT_ONCE: u64 = 128 << 20;

/// Runs a statement in a session and takes all of its batches.
pub type Ask<'a> = dyn FnMut(&str) -> Result<Vec<RecordBatch>> + 'a;

/// Answers statements over a folder: Mainstay, or a fake in the tests.
pub trait Engine {
    /// Name and version.
    fn description(&self) -> String;

    /// Opens the folder and hands a session of it to `body`.
    fn with_session(&self, folder: &Path, body: &mut dyn FnMut(&mut Ask<'_>) -> Result<()>) -> Result<()>;
}

/// The engine that this is the benchmark of.
pub struct Mainstay;

impl Engine for Mainstay {
    fn description(&self) -> String {
        format!("Mainstay {}, the files read in place", env!("CARGO_PKG_VERSION"))
    }

    fn with_session(&self, folder: &Path, body: &mut dyn FnMut(&mut Ask<'_>) -> Result<()>) -> Result<()> {
        let database = mainstay_engine::Database::open(folder)?;
        let mut session = database.session();
        body(&mut |sql| {
            let mut answer = session.execute(sql)?;
            let mut batches = Vec::new();
            while let Some(batch) = answer.next_batch()? {
                batches.push(batch);
            }
            Ok(batches)
        })
    }
}

/// An engine with its data.
pub struct Subject {
    /// The engine that answers.
    pub engine: Box<dyn Engine>,
    /// Where the copies are made.
    pub scratch: Scratch,
    /// The folder with the bare DBF.
    pub plain: PathBuf,
    /// The folder with DBF and CDX.
    pub indexed: PathBuf,
    /// The rows of the suite.
    pub questions: Rc<Vec<Question>>,
    /// The truth.
    pub data: Rc<Data>,
    /// The rows that will be measured, in order, as places in `questions`.
    pub upcoming: Vec<usize>,
    /// Copies made ahead, by row.
    pub copies: HashMap<usize, Vec<PathBuf>>,
}

/// Why a run has no time.
enum Trouble {
    Wrong(String),
    Failed(String),
}

impl From<mainstay_types::Error> for Trouble {
    fn from(error: mainstay_types::Error) -> Trouble {
        Trouble::Failed(error.to_string())
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        self.engine.description()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let (mut first, mut again) = (Vec::new(), Vec::new());
        let outcome =
            self.measure_first(row, repeats, &mut first).and_then(|()| self.measure_again(row, repeats, &mut again));
        let judgement = match outcome {
            Ok(()) => Judgement::Right,
            Err(Trouble::Wrong(reason)) => Judgement::Wrong(reason),
            Err(Trouble::Failed(reason)) => Judgement::Failed(reason),
        };
        Some(Measured { first: Statistics::of(&first), again: Statistics::of(&again), judgement })
    }
}

impl Subject {
    fn measure_first(&mut self, row: usize, repeats: usize, times: &mut Vec<Duration>) -> Result<(), Trouble> {
        for folder in self.take_copies(row, repeats)? {
            let mut judge = Judge::of(&self.questions[row], &self.data);
            let mut verdict = Ok(());
            self.engine.with_session(&folder, &mut |ask| {
                verdict = judge.timed(ask, times)?;
                Ok(())
            })?;
            self.scratch.remove(&folder);
            verdict.map_err(Trouble::Wrong)?;
        }
        Ok(())
    }

    fn measure_again(&self, row: usize, repeats: usize, times: &mut Vec<Duration>) -> Result<(), Trouble> {
        let question = &self.questions[row];
        let mut judge = Judge::of(question, &self.data);
        let mut verdict = Ok(());
        self.engine.with_session(self.folder_of(question), &mut |ask| {
            verdict = judge.timed(ask, &mut Vec::new())?;
            while verdict.is_ok() && wants_another(times, repeats) {
                verdict = judge.timed(ask, times)?;
            }
            Ok(())
        })?;
        verdict.map_err(Trouble::Wrong)
    }

    fn folder_of(&self, question: &Question) -> &Path {
        if question.indexed { &self.indexed } else { &self.plain }
    }

    /// The copies for this row; when there are none yet, those of the next rows are made too.
    fn take_copies(&mut self, row: usize, repeats: usize) -> Result<Vec<PathBuf>> {
        if !self.copies.contains_key(&row) {
            let from = self.upcoming.iter().position(|&upcoming| upcoming == row).unwrap_or(0);
            let mut bytes = 0;
            for &next in &self.upcoming[from..] {
                let source = self.folder_of(&self.questions[next]);
                bytes += crate::scratch::folder_bytes(source)? * repeats as u64;
                if bytes > COPIES_AT_ONCE && next != row {
                    break;
                }
                let folders: Vec<_> = (0..repeats).map(|n| self.scratch.path(&format!("first-{next}-{n}"))).collect();
                folders.iter().try_for_each(|folder| self.scratch.copy(source, folder))?;
                self.copies.insert(next, folders);
            }
            self.scratch.settle()?;
        }
        Ok(self.copies.remove(&row).unwrap_or_default())
    }
}

/// Checks the answers to a question.
struct Judge<'a> {
    question: &'a Question,
    data: &'a Data,
    /// The last answer that was found right.
    right: Option<Vec<RecordBatch>>,
}

impl<'a> Judge<'a> {
    fn of(question: &'a Question, data: &'a Data) -> Judge<'a> {
        Judge { question, data, right: None }
    }

    /// Runs once, notes the time, then judges the answer.
    fn timed(&mut self, ask: &mut Ask<'_>, times: &mut Vec<Duration>) -> Result<Result<(), String>> {
        let start = Instant::now();
        let batches = ask(&self.question.row.text)?;
        times.push(start.elapsed());
        if self.right.as_ref() == Some(&batches) {
            return Ok(Ok(()));
        }
        let verdict = (self.question.check)(self.data, &from_batches(&batches)?);
        self.right = verdict.is_ok().then_some(batches);
        Ok(verdict)
    }
}
