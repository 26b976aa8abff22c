//! A system's part of this suite: the same loops, written once for each system's own interface.
//!
//! Everything around the loops (tables, rounds, transactions, checks) is common and in `tasks`, so that all systems get
//! the same work. A loop prepares its statement first; its time is that of the loop alone, with its BEGIN and COMMIT.

use super::data::{Record, Totals};
use crate::answer::Rows;
use arrow_array::RecordBatch;
use mainstay_types::Result;
use std::path::Path;
use std::time::Duration;

/// When inserted rows are made to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// All of them together.
    Once,
    /// Each of them by itself.
    Each,
}

/// An open database of a system, with the one session that uses it.
pub trait Native {
    /// Runs a statement that is not measured.
    fn execute(&mut self, sql: &str) -> Result<()>;

    /// All rows of a statement that is not measured.
    fn rows(&mut self, sql: &str) -> Result<Rows>;

    /// Inserts records into `bench`, one execution of a prepared statement for each.
    fn insert(&mut self, records: &[Record], commit: Commit) -> Result<Duration>;

    /// Inserts the records so many times over, row by row, by the fastest way there is for many rows.
    fn append_rows(&mut self, records: &[Record], times: usize) -> Result<Duration>;

    /// Inserts a batch so many times over into a table with the batch's columns.
    fn append_batch(&mut self, table: &str, batch: &RecordBatch, times: usize) -> Result<Duration>;

    /// Reads every column of every row of `bench`, so many times over.
    fn scan(&mut self, times: usize) -> Result<(Duration, Totals)>;

    /// Reads every column of the rows with these ids, one execution of a prepared statement for each.
    fn select(&mut self, ids: &[i64]) -> Result<(Duration, Totals)>;

    /// Gives the rows with these ids new amounts, one execution of a prepared statement for each, in one transaction;
    /// also gives how many rows were changed.
    fn update(&mut self, amounts: &[(i64, f64)]) -> Result<(Duration, u64)>;

    /// Runs a query so many times and takes all of its rows; keeps those of the last time.
    fn query(&mut self, sql: &str, times: usize) -> Result<(Duration, Rows)>;

    /// Bytes that its tables take, where the system counts them itself.
    fn table_bytes(&mut self) -> Result<Option<u64>>;
}

/// How a system is opened.
#[derive(Clone)]
pub struct Maker {
    /// Its short name.
    pub name: &'static str,
    /// Name, version and how it is set up, for the notes.
    pub description: fn() -> String,
    /// How it likes to be told that a column of whole numbers is the primary key.
    pub key: &'static str,
    /// Opens a database in memory or, with a folder, on disk, where a commit is written and not synced.
    pub open: fn(Option<&Path>) -> Result<Box<dyn Native>>,
}
