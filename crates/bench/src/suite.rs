//! The seam between what is measured and how it is reported.
//!
//! ```text
//!   Suite ── rows() ──> Row, Row, ...            what TARGETS says: published, peers, target
//!     └───── start() ─> Bench                    the data is made, the systems are ready
//!                         ├ subject: System      Mainstay
//!                         ├ peers: [System]      whatever is installed here
//!                         └ absent, facts        said in the notes
//! ```
//!
//! A suite is a module that implements [`Suite`] and is named in [`crate::suites`]; everything else (which
//! rows run, verdicts, tables, charts) is shared. A [`System`] measures a row and judges its own answer
//! against the truth that the suite worked out from its data, never against another system.

use crate::statistics::Statistics;
use mainstay_base::Result;

/// What the figures of a suite are in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// As printed.
    pub symbol: &'static str,
    /// How many there are in a second.
    pub per_second: f64,
}

impl Unit {
    /// Milliseconds.
    pub const MILLISECONDS: Unit = Unit { symbol: "ms", per_second: 1e3 };

    /// A time in this unit.
    pub fn of(self, time: std::time::Duration) -> f64 {
        time.as_nanos() as f64 / (1e9 / self.per_second)
    }
}

/// A figure measured earlier, on other machines or other days.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The figure, in the suite's unit.
    pub value: f64,
    /// What must be said beside it ("0: wrong"); mostly empty.
    pub remark: &'static str,
}

/// One row of a table: what is known before anything is measured. Figures are in the suite's unit and
/// absent when they are not known or do not hold for this run's size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Short and stable, for files and scripts.
    pub key: &'static str,
    /// What the row does, for people.
    pub title: String,
    /// The statement or program, as given to Mainstay.
    pub text: String,
    /// What the best system's own page says.
    pub published: Option<Reference>,
    /// The system that this suite replaces, on a machine like the ones Mainstay is built on.
    pub replaced: Option<Reference>,
    /// Other peers there, by name.
    pub elsewhere: Vec<(&'static str, f64)>,
    /// Hand-written C there, reading the file on every run.
    pub floor: Option<f64>,
    /// What a statement never seen on a file never read may take.
    pub target_first: Option<f64>,
    /// What the median of repeats may take.
    pub target_again: Option<f64>,
    /// Why the row cannot be measured in this run, if so.
    pub skipped: Option<String>,
}

/// How an answer was judged.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// Every answer was the truth.
    Right,
    /// An answer was not; says how.
    Wrong(String),
    /// There was no answer; says why.
    Failed(String),
}

/// What a system did with one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// A statement never seen on a file never read. Only the subject has it.
    pub first: Option<Statistics>,
    /// The same statement again.
    pub again: Option<Statistics>,
    /// Whether the answers were right.
    pub judgement: Judgement,
}

impl Measured {
    /// No times, because there was no answer.
    pub fn failed(reason: impl Into<String>) -> Measured {
        Measured { first: None, again: None, judgement: Judgement::Failed(reason.into()) }
    }
}

/// A system under measurement.
pub trait System {
    /// Its short name, as a column head.
    fn name(&self) -> &str;

    /// Name, version and what it was given, for the notes.
    fn description(&self) -> String;

    /// Times one row, given by its place in [`Suite::rows`], `repeats` times or more, after a warm-up, and
    /// judges every answer. `None` when the system does not take part in this row.
    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured>;
}

/// A suite that is ready to be measured. Its data lives until this is dropped.
pub struct Bench {
    /// Mainstay.
    pub subject: Box<dyn System>,
    /// The others that are installed here.
    pub peers: Vec<Box<dyn System>>,
    /// The others that are not, with the reason.
    pub absent: Vec<(String, String)>,
    /// What else is worth a line: file sizes and the like, as label and value.
    pub facts: Vec<(String, String)>,
}

/// What the user asked of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Rows of the table that is made.
    pub rows: usize,
    /// The least number of runs of each row.
    pub repeats: usize,
    /// Whether other systems run too.
    pub peers: bool,
}

/// A table of figures that can be reproduced.
pub trait Suite {
    /// As written on the command line.
    fn name(&self) -> &'static str;

    /// A heading.
    fn title(&self, settings: &Settings) -> String;

    /// What its figures are in.
    fn unit(&self) -> Unit;

    /// The system that it replaces, whose figures are in [`Row::replaced`].
    fn replaces(&self) -> &'static str;

    /// Its rows, in the order of the table.
    fn rows(&self, settings: &Settings) -> Vec<Row>;

    /// Makes the data and readies the systems for these rows (places in [`Suite::rows`]).
    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench>;
}
