//! The basic suite: Business BASIC programs, with the figures of the vendor's page for PxPlus build 9111.
//!
//! ```text
//!   programs   the text of each program, written anew to do the work of the published one
//!   truth      its keys and records, and with them every answer, by arithmetic in Rust
//!   shop       a database with the session that runs a program, and the time between two lines that it prints
//! ```
//!
//! A program prints a line before its loop and one after it; the clock is that of the printer, not the program's TMR.
//! The list box is timed from the start of its program to its end, since a screen takes no lines. Two rows report the
//! counts of TCB(50), with the database opened anew for each run; a count is stored as that many nanoseconds, because
//! the report is about times.
//!
//! Limits: the list box is loaded into the screen model. The published figure includes the display of the rows, and so does
//! the target; a browser is not part of this program.

mod programs;
mod shop;
mod truth;

use crate::calibration::Calibration;
use crate::output::thousands;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System, Unit};
use mainstay_types::Result;
use programs::Order;
use shop::Shop;
use std::path::PathBuf;
use std::time::Duration;
use truth::{Sales, Sizes};

/// Keyed writes of the file that is scanned, as on the published page. The other rows grow and shrink with it.
const STANDARD_ROWS: usize = 200_000;
/// Requests to storage, counted as nanoseconds.
const REQUESTS: Unit = Unit { symbol: "requests", per_second: 1e9, work: 1.0, rate: false };

/// The measured work of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// READs with an IOLIST in the statement.
    ReadByStatement,
    /// READs with the IOLIST of the channel.
    ReadByChannel,
    /// Keyed WRITEs to a file in memory.
    WriteToMemory,
    /// A scan of the keyed file.
    Scan(Order),
    /// TCB(50) of a scan.
    Count(Order),
    /// Rows into a list box.
    ListBox,
}

/// A row: what it measures; its key; the published figure, that of hand-written code here, and the target, in its unit.
struct Known {
    task: Task,
    key: &'static str,
    published: f64,
    floor: f64,
    target: f64,
}

/// The rows of the suite.
const ROWS: [Known; 8] = [
    known(Task::ReadByStatement, "read_statement", [4_220.0, 240.0, 500.0]),
    known(Task::ReadByChannel, "read_channel", [4_190.0, 240.0, 500.0]),
    known(Task::WriteToMemory, "write_memory", [688.0, 30.0, 60.0]),
    known(Task::Scan(Order::Key), "scan_key", [2_130.0, 30.0, 80.0]),
    known(Task::Scan(Order::Physical), "scan_physical", [1_040.0, 10.0, 40.0]),
    known(Task::Count(Order::Key), "requests_key", [189_982.0, 6_973.0, 7_500.0]),
    known(Task::Count(Order::Physical), "requests_physical", [18_660.0, 6_973.0, 7_000.0]),
    known(Task::ListBox, "list_box", [3_240.0, 30.0, 300.0]),
];

const fn known(task: Task, key: &'static str, [published, floor, target]: [f64; 3]) -> Known {
    Known { task, key, published, floor, target }
}

impl Task {
    fn title(self, sizes: &Sizes) -> String {
        let order = |order| if order == Order::Key { "by key" } else { "physical" };
        match self {
            Task::ReadByStatement => format!("{} READs of 26 fields, IOLIST in the statement", thousands(sizes.reads)),
            Task::ReadByChannel => format!("{} READs of 26 fields, IOLIST bound by OPEN", thousands(sizes.reads)),
            Task::WriteToMemory => format!("{} keyed WRITEs to *memory*;KEYDEF=8", thousands(sizes.memory_writes)),
            Task::Scan(which) => format!("scan of {} keyed writes, {}", thousands(sizes.writes), order(which)),
            Task::Count(which) => format!("TCB(50) of that scan from a cold file, {}", order(which)),
            Task::ListBox => format!("{} rows of 120 bytes into a list box; no browser", thousands(sizes.list_rows)),
        }
    }

    fn text(self, sizes: &Sizes) -> String {
        match self {
            Task::ReadByStatement => "READ (1,IND=0)IOL=FIELDS".to_owned(),
            Task::ReadByChannel => "READ (1,IND=0)".to_owned(),
            Task::WriteToMemory => "WRITE (1,KEY=K$)K$,...".to_owned(),
            Task::Scan(order) => programs::read_next(order).to_owned(),
            Task::Count(order) => format!("{}; TCB(50)", programs::read_next(order)),
            Task::ListBox => format!("LIST_BOX LOAD 10,0,L$ ({} times)", sizes.list_rows),
        }
    }

    /// The note beside the published figure.
    fn remark(self) -> &'static str {
        if self == Task::ListBox { "displayed" } else { "" }
    }
}

/// The suite.
pub struct Basic;

impl Suite for Basic {
    fn about(&self) -> About {
        About { standard_rows: STANDARD_ROWS, ..About::new("basic", Unit::MILLISECONDS, "PxPlus") }
    }

    fn title(&self, _: &Settings) -> String {
        "basic: Business BASIC programs, figures of PxPlus build 9111 (milliseconds)".to_owned()
    }

    fn rows(&self, settings: &Settings) -> Vec<Row> {
        let sizes = Sizes::of(settings.rows);
        let is_standard = settings.rows == STANDARD_ROWS;
        let row = |known: &Known| Row {
            key: known.key,
            title: known.task.title(&sizes),
            text: known.task.text(&sizes),
            unit: matches!(known.task, Task::Count(_)).then_some(REQUESTS),
            published: is_standard.then_some(Reference { value: known.published, remark: known.task.remark() }),
            floor: is_standard.then_some(known.floor),
            target_again: is_standard.then_some(known.target),
            calibration: (!matches!(known.task, Task::Count(_))).then_some(Calibration::Loop),
            ..Row::default()
        };
        ROWS.iter().map(row).collect()
    }

    fn start(&self, settings: &Settings, selected: &[usize]) -> Result<Bench> {
        let scratch = Scratch::new()?;
        let folder = scratch.folder("shop")?;
        let sizes = Sizes::of(settings.rows);
        let sales = Sales::of(sizes.writes);
        let shop = Shop::open(&folder)?;
        let mut facts = vec![("list box".to_owned(), "loaded into the screen model; a browser is not part".to_owned())];
        if selected.iter().any(|&row| matches!(ROWS[row].task, Task::Scan(_) | Task::Count(_))) {
            let loaded = shop.run(&programs::load(&sizes))?;
            facts.push(("keyed file".to_owned(), format!("{} records, loaded by {loaded}", sales.len())));
        }
        let subject = Subject { shop: Some(shop), folder, sizes, sales, _scratch: scratch };
        Ok(Bench { subject: Box::new(subject), peers: Vec::new(), absent: Vec::new(), facts })
    }
}

/// Mainstay, with a database in a folder of its own.
struct Subject {
    /// Always there, except while the database is opened anew.
    shop: Option<Shop>,
    folder: PathBuf,
    sizes: Sizes,
    sales: Sales,
    _scratch: Scratch,
}

impl Subject {
    /// The database, opened if it is not.
    fn shop(&mut self) -> Result<&Shop> {
        let shop = match self.shop.take() {
            Some(shop) => shop,
            None => Shop::open(&self.folder)?,
        };
        Ok(self.shop.insert(shop))
    }

    /// Runs a task once, with its answers compared.
    fn once(&mut self, task: Task) -> Result<Duration, Judgement> {
        let (sizes, wanted) = (self.sizes, self.wanted(task));
        match task {
            Task::ReadByStatement => self.shop()?.run(&programs::reads(&sizes, true))?.judged(&wanted),
            Task::ReadByChannel => self.shop()?.run(&programs::reads(&sizes, false))?.judged(&wanted),
            Task::WriteToMemory => self.shop()?.run(&programs::memory_writes(&sizes))?.judged(&wanted),
            Task::Scan(order) => self.shop()?.run(&programs::scan(order))?.judged(&wanted),
            Task::Count(order) => {
                self.shop = None;
                let printed = self.shop()?.run(&programs::counted_scan(order))?;
                let (requests, printed) = printed.without_last_line();
                printed.judged(&wanted)?;
                match requests.parse() {
                    Ok(requests) => Ok(Duration::from_nanos(requests)),
                    Err(_) => Err(Judgement::Failed(format!("TCB(50) is {requests}"))),
                }
            }
            Task::ListBox => {
                let loaded = self.shop()?.load_list(&programs::list_box(&sizes))?;
                loaded.judged(&truth::list_rows(sizes.list_rows))
            }
        }
    }

    /// The lines that a task has to print.
    fn wanted(&self, task: Task) -> Vec<String> {
        match task {
            Task::ReadByStatement | Task::ReadByChannel => truth::fields(self.sizes.reads),
            Task::WriteToMemory => truth::memory_keys(&self.sizes),
            Task::Scan(_) | Task::Count(_) => vec![self.sales.len().to_string()],
            Task::ListBox => Vec::new(),
        }
    }

    /// Compares what a scan reads, and its order, outside the clock.
    fn check_order(&mut self, order: Order) -> Result<(), Judgement> {
        let wanted = vec![self.sales.len().to_string(), self.sales.checksum(order).to_string()];
        self.shop()?.run(&programs::checked_scan(order))?.judged(&wanted).map(drop)
    }

    fn run(&mut self, task: Task, repeats: usize, times: &mut Vec<Duration>) -> Result<(), Judgement> {
        if let Task::Scan(order) | Task::Count(order) = task {
            self.check_order(order)?;
        }
        self.once(task)?;
        let is_count = matches!(task, Task::Count(_));
        // Counts are equal in every run, and too small for the least time of a row.
        while if is_count { times.len() < repeats } else { wants_another(times, repeats) } {
            times.push(self.once(task)?);
        }
        Ok(())
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        format!("{}, sessions in this process over a folder, durability = os", env!("CARGO_PKG_VERSION"))
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let mut times = Vec::new();
        let judgement = self.run(ROWS.get(row)?.task, repeats, &mut times).err().unwrap_or(Judgement::Right);
        Some(Measured { first: None, again: Statistics::of(&times), judgement })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Settings = Settings { rows: 2_000, repeats: 1, peers: false };

    #[test]
    fn every_row_of_a_small_run_is_right() {
        let all: Vec<usize> = (0..ROWS.len()).collect();
        let mut bench = Basic.start(&SMALL, &all).unwrap();
        for (row, known) in ROWS.iter().enumerate() {
            let measured = bench.subject.measure(row, 1).unwrap();
            assert_eq!(measured.judgement, Judgement::Right, "{}", known.key);
            assert!(measured.again.unwrap().min > Duration::ZERO, "{}", known.key);
        }
    }

    #[test]
    fn a_record_that_is_missing_or_out_of_order_is_found() {
        let scratch = Scratch::new().unwrap();
        let folder = scratch.folder("shop").unwrap();
        let sizes = Sizes::of(SMALL.rows);
        let shop = Shop::open(&folder).unwrap();
        shop.run(&programs::load(&sizes)).unwrap();
        let sales = Sales::of(sizes.writes + 1);
        let mut subject = Subject { shop: Some(shop), folder, sizes, sales, _scratch: scratch };
        assert!(matches!(subject.once(Task::Scan(Order::Key)), Err(Judgement::Wrong(_))));
        assert!(matches!(subject.check_order(Order::Physical), Err(Judgement::Wrong(_))));
    }

    #[test]
    fn figures_of_others_stand_beside_the_published_size_only() {
        assert!(Basic.rows(&SMALL).iter().all(|row| row.published.is_none() && row.target_again.is_none()));
        let settings = Settings { rows: STANDARD_ROWS, ..SMALL };
        let rows = Basic.rows(&settings);
        assert!(rows[0].title.starts_with("500,000 READs") && rows[7].title.starts_with("32,768 rows"));
        assert!(rows.iter().all(|row| row.published.is_some() && row.floor < row.target_again));
    }
}
