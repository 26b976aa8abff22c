//! Tasks of the suite, the same on every system, and the check of their results.
//!
//! A run repeats its work until it is long enough to be timed (tens of milliseconds at the standard size), and the
//! tables are checked after every round, with the clock stopped:
//!
//! ```text
//!   run   = rounds x (new table | loop of the system | COUNT, SUMs, MIN, MAX of the table = the truth?)
//!   clock =                       ^^^^^^^^^^^^^^^^^^
//! ```

use super::data::{self, Record, Totals};
use super::memory::Growth;
use super::native::{Commit, Maker, Native};
use crate::answer::{Cell, Rows, same_rows_in_order};
use crate::suite::{Judgement, Unit};
use mainstay_types::Result;
use std::path::PathBuf;
use std::time::Duration;

/// Rounds of the rows that insert one by one, or select or update by key.
const POINT_ROUNDS: usize = 20;
/// Times that a batch is appended in a run.
const BATCH_TIMES: usize = 100;
/// Times that the table is scanned in a run.
const SCAN_TIMES: usize = 500;
/// Statements in a run of the sum.
const SUM_TIMES: usize = 4;
/// Statements in a run of the join.
const JOIN_TIMES: usize = 12;
/// Rows of `numbers` for each row of `bench`.
const NUMBERS: usize = 1_000;
/// Rows of the table that is emptied and filled again for each row of `bench`.
pub const CHURNED: usize = 100;

/// The statement that says what is in the table.
const CHECK: &str = "SELECT COUNT(*), SUM(id), SUM(amount), SUM(LENGTH(name)), MIN(name), MAX(name) FROM bench";
/// The sum.
pub const SUM: &str = "SELECT SUM(value) FROM numbers";
/// The join.
pub const JOIN: &str = "SELECT c.region, p.category, COUNT(*), SUM(s.amount) FROM sales s \
    JOIN customers c ON c.id = s.customer JOIN products p ON p.id = s.product \
    GROUP BY c.region, p.category ORDER BY c.region, p.category";
/// The statement that empties the table; a condition, so that nobody may just drop what is there.
pub const EMPTY: &str = "DELETE FROM bench WHERE id > 0";

/// The task of a row of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Prepared inserts in one transaction, without a key.
    Insert,
    /// The same with a primary key.
    InsertKeyed,
    /// The same on disk, each insert a transaction.
    InsertLogged,
    /// Many rows, one by one.
    AppendRows,
    /// Many rows as Arrow.
    AppendBatch,
    /// Every column of every row.
    Scan,
    /// A SUM.
    Sum,
    /// Rows by their keys.
    Select,
    /// New amounts by their keys.
    Update,
    /// Three tables and a GROUP BY.
    Join,
    /// Deletes all rows of a larger table and inserts them again.
    Churn,
}

/// One timed run; what it left behind has been checked.
pub type Run = Box<dyn FnMut() -> Result<Duration, Judgement>>;

/// The size and the folder of a task.
pub struct Place {
    /// Rows of `bench`.
    pub rows: usize,
    /// An empty folder, for tasks on disk.
    pub folder: PathBuf,
}

impl Task {
    /// The unit of its figures, when `bench` has this many rows.
    pub fn unit(self, rows: usize) -> Unit {
        match self {
            Task::Insert | Task::InsertKeyed | Task::Select | Task::Update => Unit::million_rows(rows * POINT_ROUNDS),
            Task::InsertLogged => Unit::million_rows(rows),
            Task::AppendRows => Unit::million_rows(rows * POINT_ROUNDS),
            Task::AppendBatch => Unit::million_rows(rows * BATCH_TIMES),
            Task::Scan => Unit::million_rows(rows * SCAN_TIMES),
            Task::Sum => Unit::million_rows(rows * NUMBERS * SUM_TIMES),
            Task::Join => Unit::milliseconds_of_each(JOIN_TIMES),
            Task::Churn => Unit::million_rows(rows * CHURNED),
        }
    }

    /// The least number of runs.
    pub fn least_runs(self, repeats: usize) -> usize {
        if self == Task::Churn { repeats.max(super::memory::ROUNDS) } else { repeats }
    }

    /// Readies a system for it.
    pub fn start(self, maker: &Maker, place: Place, growth: &Growth) -> Result<Run> {
        let rows = place.rows;
        match self {
            Task::Insert => inserts(maker, rows, "BIGINT"),
            Task::InsertKeyed => inserts(maker, rows, maker.key),
            Task::InsertLogged => Ok(logged_inserts(maker.clone(), place)),
            Task::AppendRows => appended_rows(maker, rows),
            Task::AppendBatch => appended_batches(maker, rows),
            Task::Scan => scan(maker, rows),
            Task::Sum => sum(maker, rows),
            Task::Select => select(maker, rows),
            Task::Update => update(maker, rows),
            Task::Join => join(maker, rows),
            Task::Churn => churn(maker, rows * CHURNED, growth.clone()),
        }
    }
}

/// Makes the table anew.
pub fn new_table(native: &mut dyn Native, id: &str) -> Result<()> {
    native.execute("DROP TABLE IF EXISTS bench")?;
    native.execute(&format!("CREATE TABLE bench (id {id}, name VARCHAR, amount DOUBLE PRECISION)"))
}

/// The expected content of the table after records have been inserted into it so many times.
struct Content(Vec<Cell>);

impl Content {
    fn of(records: &[Record], times: usize) -> Content {
        let totals = Totals::of(records, times);
        let names = || records.iter().map(|record| record.name.as_str());
        let end = |name: Option<&str>| name.map_or(Cell::Null, Cell::text);
        Content(vec![
            Cell::whole(totals.rows),
            Cell::whole(totals.ids),
            data::quarters(totals.amounts),
            Cell::whole(totals.letters),
            end(names().min()),
            end(names().max()),
        ])
    }

    fn check(&self, native: &mut dyn Native) -> Result<(), Judgement> {
        judged(&native.rows(CHECK)?, std::slice::from_ref(&self.0))
    }
}

fn judged(rows: &Rows, truth: &[Vec<Cell>]) -> Result<(), Judgement> {
    same_rows_in_order(rows, truth).map_err(Judgement::Wrong)
}

fn judged_totals(read: Totals, truth: Totals) -> Result<(), Judgement> {
    if read == truth { Ok(()) } else { Err(Judgement::Wrong(format!("read {read:?} instead of {truth:?}"))) }
}

/// A database in memory with the records in it.
fn filled(maker: &Maker, records: &[Record]) -> Result<Box<dyn Native>> {
    let mut native = (maker.open)(None)?;
    new_table(native.as_mut(), maker.key)?;
    native.insert(records, Commit::Once)?;
    Ok(native)
}

fn inserts(maker: &Maker, rows: usize, id: &'static str) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    let records = data::records(rows);
    let content = Content::of(&records, 1);
    Ok(Box::new(move || {
        let mut time = Duration::ZERO;
        for _ in 0..POINT_ROUNDS {
            new_table(native.as_mut(), id)?;
            time += native.insert(&records, Commit::Once)?;
            content.check(native.as_mut())?;
        }
        Ok(time)
    }))
}

/// Every run closes the database after the clock has stopped, and looks at what another opening finds.
fn logged_inserts(maker: Maker, place: Place) -> Run {
    let records = data::records(place.rows);
    let content = Content::of(&records, 1);
    Box::new(move || {
        let mut native = (maker.open)(Some(&place.folder))?;
        new_table(native.as_mut(), maker.key)?;
        let time = native.insert(&records, Commit::Each)?;
        drop(native);
        content.check((maker.open)(Some(&place.folder))?.as_mut())?;
        Ok(time)
    })
}

fn appended_rows(maker: &Maker, rows: usize) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    let records = data::records(rows);
    let content = Content::of(&records, POINT_ROUNDS);
    Ok(Box::new(move || {
        new_table(native.as_mut(), "BIGINT")?;
        let time = native.append_rows(&records, POINT_ROUNDS)?;
        content.check(native.as_mut())?;
        Ok(time)
    }))
}

fn appended_batches(maker: &Maker, rows: usize) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    let content = Content::of(&data::records(rows), BATCH_TIMES);
    let batch = data::bench_batch(1..rows + 1)?;
    Ok(Box::new(move || {
        new_table(native.as_mut(), "BIGINT")?;
        let time = native.append_batch("bench", &batch, BATCH_TIMES)?;
        content.check(native.as_mut())?;
        Ok(time)
    }))
}

fn scan(maker: &Maker, rows: usize) -> Result<Run> {
    let records = data::records(rows);
    let mut native = filled(maker, &records)?;
    let truth = Totals::of(&records, SCAN_TIMES);
    Ok(Box::new(move || {
        let (time, totals) = native.scan(SCAN_TIMES)?;
        judged_totals(totals, truth)?;
        Ok(time)
    }))
}

fn sum(maker: &Maker, rows: usize) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    native.execute("CREATE TABLE numbers (id BIGINT, value BIGINT)")?;
    for ids in data::id_ranges(rows * NUMBERS) {
        native.append_batch("numbers", &data::numbers_batch(ids)?, 1)?;
    }
    let truth = vec![Cell::whole(data::sum_of_numbers(rows * NUMBERS))];
    Ok(Box::new(move || {
        let (time, rows) = native.query(SUM, SUM_TIMES)?;
        judged(&rows, std::slice::from_ref(&truth))?;
        Ok(time)
    }))
}

fn select(maker: &Maker, rows: usize) -> Result<Run> {
    let records = data::records(rows);
    let mut native = filled(maker, &records)?;
    let ids = data::shuffled_ids(rows).repeat(POINT_ROUNDS);
    let truth = Totals::of(&records, POINT_ROUNDS);
    Ok(Box::new(move || {
        let (time, totals) = native.select(&ids)?;
        judged_totals(totals, truth)?;
        Ok(time)
    }))
}

/// No two rounds give a row the same amount, so that one which did nothing is found.
fn update(maker: &Maker, rows: usize) -> Result<Run> {
    let mut records = data::records(rows);
    let mut native = filled(maker, &records)?;
    let ids = data::shuffled_ids(rows);
    Ok(Box::new(move || {
        let mut time = Duration::ZERO;
        for _ in 0..POINT_ROUNDS {
            records.iter_mut().for_each(|record| record.amount += 1.0);
            let amounts: Vec<(i64, f64)> = ids.iter().map(|&id| (id, records[id as usize - 1].amount)).collect();
            let (took, changed) = native.update(&amounts)?;
            time += took;
            if changed != rows as u64 {
                return Err(Judgement::Wrong(format!("{changed} rows changed instead of {rows}")));
            }
            Content::of(&records, 1).check(native.as_mut())?;
        }
        Ok(time)
    }))
}

fn join(maker: &Maker, rows: usize) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    native.execute("CREATE TABLE sales (id BIGINT, customer BIGINT, product BIGINT, amount DOUBLE PRECISION)")?;
    native.execute(&format!("CREATE TABLE customers (id {}, region VARCHAR)", maker.key))?;
    native.execute(&format!("CREATE TABLE products (id {}, category VARCHAR)", maker.key))?;
    for (table, batch) in data::join_batches(rows)? {
        native.append_batch(table, &batch, 1)?;
    }
    let truth = data::join_answer(rows);
    Ok(Box::new(move || {
        let (time, rows) = native.query(JOIN, JOIN_TIMES)?;
        judged(&rows, &truth)?;
        Ok(time)
    }))
}

fn churn(maker: &Maker, rows: usize, growth: Growth) -> Result<Run> {
    let mut native = (maker.open)(None)?;
    let content = Content::of(&data::records(rows), 1);
    new_table(native.as_mut(), maker.key)?;
    fill(native.as_mut(), rows)?;
    Ok(Box::new(move || {
        let start = std::time::Instant::now();
        native.execute(EMPTY)?;
        let mut time = start.elapsed();
        judged(&native.rows("SELECT COUNT(*) FROM bench")?, &[vec![Cell::whole(0)]])?;
        time += fill(native.as_mut(), rows)?;
        content.check(native.as_mut())?;
        growth.after_round()?;
        Ok(time)
    }))
}

/// Appends rows to the table, batch by batch, so that no more than one of them is there beside the table.
pub fn fill(native: &mut dyn Native, rows: usize) -> Result<Duration> {
    let mut time = Duration::ZERO;
    for ids in data::id_ranges(rows) {
        time += native.append_batch("bench", &data::bench_batch(ids)?, 1)?;
    }
    Ok(time)
}
