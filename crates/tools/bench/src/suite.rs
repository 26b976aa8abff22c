//! The interface between the suites and the report.
//!
//! ```text
//!   Suite ── rows() ──> Row, Row, ...            definition: published, peers, target
//!     └───── start() ─> Bench                    the data is generated, the systems are ready
//!                         ├ subject: System      Mainstay
//!                         ├ peers: [System]      all that are installed here
//!                         └ absent, facts        lines of the notes
//! ```
//!
//! A suite is a module that implements [`Suite`] and is named in [`crate::suites`]; everything else (the choice of
//! rows, verdicts, tables, charts) is shared. A [`System`] measures a row and checks its own answer against the truth
//! that the suite calculates from its data, never against another system.

use crate::calibration::Calibration;
use crate::statistics::Statistics;
use mainstay_types::Result;
use std::time::Duration;

/// The unit of the figures of a suite, or of one of its rows.
///
/// The measured value is always the time of a run. A figure is that time, or the work of a run by that time; then more
/// is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// As printed.
    pub symbol: &'static str,
    /// How many of a time there are in a second; of a rate, how many seconds its time has.
    pub per_second: f64,
    /// The work of one run: rows in the rate's unit, or statements of which the time of one is the figure.
    pub work: f64,
    /// True if the figure is work by time, and more is better.
    pub rate: bool,
}

impl Unit {
    /// Milliseconds of a run.
    pub const MILLISECONDS: Unit = Unit { symbol: "ms", per_second: 1e3, work: 1.0, rate: false };

    /// Milliseconds of a statement, when a run has this many of them.
    pub fn milliseconds_of_each(statements: usize) -> Unit {
        Unit { work: statements.max(1) as f64, ..Unit::MILLISECONDS }
    }

    /// Microseconds of a call, when a run has this many of them.
    pub const fn microseconds_of_each(calls: usize) -> Unit {
        Unit { symbol: "us", per_second: 1e6, work: calls as f64, rate: false }
    }

    /// Millions of rows a second, when a run goes over this many.
    pub const fn million_rows(rows: usize) -> Unit {
        Unit { symbol: "M rows/s", per_second: 1.0, work: rows as f64 / 1e6, rate: true }
    }

    /// The figure of a run that took this long.
    pub fn of(self, time: Duration) -> f64 {
        // No run takes no time; a clock may still say so.
        let time = time.as_nanos().max(u128::from(self.rate)) as f64 / (1e9 / self.per_second);
        if self.rate { self.work / time } else { time / self.work }
    }

    /// The least, the middle and the greatest figure of these runs.
    pub fn spread(self, times: Statistics) -> [f64; 3] {
        let [min, median, max] = [times.min, times.median, times.max].map(|time| self.of(time));
        if self.rate { [max, median, min] } else { [min, median, max] }
    }

    /// Returns true if a figure is worse than its target.
    pub fn misses(self, figure: f64, target: f64) -> bool {
        if self.rate { figure < target } else { figure > target }
    }
}

/// A figure measured earlier, on other machines or other days.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The figure, in the suite's unit.
    pub value: f64,
    /// The remark beside it ("0: wrong"); mostly empty.
    pub remark: &'static str,
}

/// Limits of the ratio of Mainstay's median to the fastest peer's in the same run; absent where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio {
    /// Of a new statement.
    pub first: Option<f64>,
    /// Of repeats.
    pub again: Option<f64>,
}

/// One row of a table: what is known before anything is measured. Figures are in the row's unit, which is the suite's
/// unless it says otherwise, and absent when they are not known or do not hold for this run's size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Short and stable, for files and scripts.
    pub key: &'static str,
    /// The description of the row, for people.
    pub title: String,
    /// The statement or program, as given to Mainstay.
    pub text: String,
    /// The unit of its figures, when that is not the suite's unit.
    pub unit: Option<Unit>,
    /// The figure that the best system's own page publishes.
    pub published: Option<Reference>,
    /// The system that this suite replaces, on a machine like the ones Mainstay is built on.
    pub replaced: Option<Reference>,
    /// Other peers there, by name.
    pub elsewhere: Vec<(&'static str, f64)>,
    /// Hand-written C there, reading the file on every run.
    pub floor: Option<f64>,
    /// The limit for a new statement on a file that was never read.
    pub target_first: Option<f64>,
    /// The limit for the median of repeats.
    pub target_again: Option<f64>,
    /// The task that bounds work of this kind, whose speed here the targets follow; absent where figures do not depend on the
    /// machine, and where the targets come from a measurement of this run.
    pub calibration: Option<Calibration>,
    /// Present if the verdict is a ratio to the peer, and not that no peer may be faster.
    pub ratio: Option<Ratio>,
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

impl From<mainstay_types::Error> for Judgement {
    fn from(error: mainstay_types::Error) -> Judgement {
        Judgement::Failed(error.to_string())
    }
}

/// The result of one system for one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// A statement never seen on a file never read, for systems that can start anew.
    pub first: Option<Statistics>,
    /// The same statement again.
    pub again: Option<Statistics>,
    /// True if the answers were right.
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

    /// Further facts of the measurement, as label and value.
    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// A suite that is ready to be measured. Its data lives until this is dropped.
pub struct Bench {
    /// Mainstay.
    pub subject: Box<dyn System>,
    /// The others that are installed here.
    pub peers: Vec<Box<dyn System>>,
    /// The others that are not, with the reason.
    pub absent: Vec<(String, String)>,
    /// Further facts: file sizes and the like, as label and value.
    pub facts: Vec<(String, String)>,
}

/// The user's settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Rows of the table that is made.
    pub rows: usize,
    /// The least number of runs of each row.
    pub repeats: usize,
    /// True if other systems run too.
    pub peers: bool,
}

/// The description of a suite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About {
    /// As written on the command line.
    pub name: &'static str,
    /// The suite whose rows it adds to: it runs with it, too.
    pub part_of: Option<&'static str>,
    /// The unit of its figures.
    pub unit: Unit,
    /// The system that it replaces, whose figures are in [`Row::replaced`].
    pub replaces: &'static str,
    /// The rows of its table unless the user says otherwise: the size that the published figures are for.
    pub standard_rows: usize,
    /// True if statements never seen on files never read are measured beside the repeats.
    pub has_first: bool,
    /// The rows of its largest table at scale 1, if its size is a scale.
    pub rows_of_scale_1: Option<usize>,
    /// True if it runs only when its name is given, since it takes many minutes or much disk.
    pub only_when_named: bool,
}

impl About {
    /// A suite of its own that measures repeats, over tables of 100,000 rows.
    pub const fn new(name: &'static str, unit: Unit, replaces: &'static str) -> About {
        About {
            name,
            part_of: None,
            unit,
            replaces,
            standard_rows: 100_000,
            has_first: false,
            rows_of_scale_1: None,
            only_when_named: false,
        }
    }

    /// A suite of calls of procedures, so many a run, over tables of 10,000 rows.
    pub const fn of_calls(name: &'static str, calls: usize) -> About {
        About { standard_rows: 10_000, ..About::new(name, Unit::microseconds_of_each(calls), "aul") }
    }
}

/// A table of figures that can be reproduced.
pub trait Suite {
    /// The description of the suite.
    fn about(&self) -> About;

    /// A heading.
    fn title(&self, settings: &Settings) -> String;

    /// Its rows, in the order of the table.
    fn rows(&self, settings: &Settings) -> Vec<Row>;

    /// Makes the data and readies the systems for these rows (places in [`Suite::rows`]).
    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench>;
}
