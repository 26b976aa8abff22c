//! Cursors: the rows of a statement as a table of the session, of which the client has the first page at once.
//!
//! ```text
//!   few rows      go to the client as they are; nothing is kept here
//!   more          the first ones go to the client, from a small table      --> Reply::Cursor
//!                 a thread writes them and those that follow into the whole one (rows.rs: on the disk, not in memory)
//!                 the next step about the cursor waits for that, and has the whole table from there on
//! ```
//! The rows are of the state when the statement ran: a step of this client that may change something waits for them
//! first. A cursor whose fields are as long as its longest values gets its first page after the last row.

use super::pages;
use super::service::Service;
use super::session::{MOST_TABLES, Open, Session};
use crate::dictionary::refused;
use crate::rows::{self, RowSource};
use crate::sql::{Executed, Outcome};
use crate::wire::messages::{Cursor, MOST_ROWS, PageWish, Reply, Step};
use mainstay_types::{Code, Error, Result, Value};
use mainstay_vfs::FileSystem;
use mainstay_workarea::Area;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;

/// The stack of a thread that reads a cursor's rows: the operators that give them are dropped within each other.
const STACK_BYTES: usize = 16 << 20;

/// Answers that have more rows, or about so many bytes, are cursors.
const INLINE_ROWS: usize = 2000;
const INLINE_BYTES: usize = 256 << 10;
/// Bytes of the first page.
const FIRST_PAGE_BYTES: u32 = 48 << 10;
/// Codes of the interface: a statement has run longer than it may, and anything else that is wrong with one.
const ABORTED: i32 = 7209;
const SQL_ERROR: u32 = 7200;
/// The stamp of every cursor: its rows do not change.
const STAMP: u64 = 1;

/// True if the table has all rows of its statement.
pub(crate) enum Filled {
    Whole,
    /// It has the first ones.
    Later(Filling),
    /// It has the first ones, and there will be no more.
    Failed(Error),
}

/// The thread that writes the whole table.
pub(crate) struct Filling {
    is_unwanted: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Area>>>,
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.is_unwanted.store(true, Relaxed);
    }
}

impl Filling {
    fn start(
        first: Vec<Vec<Value>>,
        mut source: Box<dyn RowSource>,
        copies_to: Arc<dyn FileSystem>,
    ) -> Result<Filling> {
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&is_unwanted);
        let go_on = move || match asked.load(Relaxed) {
            true => Err(Error::new(Code::Cancelled, "the cursor was closed")),
            false => Ok(()),
        };
        let work = move || {
            let (_, mut area) = rows::table_from(&first, &mut *source, &go_on)?;
            area.set_copies_to(copies_to);
            Ok(area)
        };
        let thread = std::thread::Builder::new().name("cursor".to_owned()).stack_size(STACK_BYTES).spawn(work)?;
        Ok(Filling { is_unwanted, thread: Some(thread) })
    }

    fn wait(&mut self) -> Result<Area> {
        let done = self.thread.take().map(JoinHandle::join);
        let fault = || Error::new(Code::Internal, "the rows of a cursor were not written");
        done.and_then(std::result::Result::ok).unwrap_or_else(|| Err(fault()))
    }
}

/// About how many bytes rows take in memory.
fn weight(rows: &[Vec<Value>]) -> usize {
    let of_value = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    rows.iter().flatten().map(|value| size_of::<Value>() + of_value(value)).sum()
}

/// An error that the dialect of statements has words for, as that of a call that is about a table.
fn as_call(error: Error) -> Error {
    match error.dialect().map(|dialect| dialect.number) {
        Some(ABORTED) => refused(ABORTED as u32, error.message()),
        Some(_) => refused(SQL_ERROR, error.message()),
        None => error,
    }
}

impl Step {
    /// Returns true if rows that are still to be read may be others afterwards.
    fn may_change_rows(&self) -> bool {
        self.changes_table()
            || matches!(
                self,
                Step::Execute { .. }
                    | Step::Query { .. }
                    | Step::Begin
                    | Step::Commit
                    | Step::RollBack
                    | Step::RollBackTo(_)
                    | Step::Remove { .. }
                    | Step::Clear { .. }
                    | Step::Create { .. }
                    | Step::Call { .. }
                    | Step::CopyTo { .. }
            )
    }
}

impl Open {
    /// Has all rows of a cursor in its table.
    ///
    /// Errors: those of the statement that come behind its first rows.
    pub(crate) fn fill(&mut self) -> Result<()> {
        let filling = match &mut self.filled {
            Filled::Whole => return Ok(()),
            Filled::Failed(error) => return Err(error.clone()),
            Filled::Later(filling) => filling,
        };
        let whole = filling.wait().and_then(|mut area| {
            area.set_position(self.area.position())?;
            Ok(area)
        });
        match whole {
            Ok(area) => {
                (self.area, self.filled) = (area, Filled::Whole);
                Ok(())
            }
            Err(error) => {
                let error = as_call(error);
                self.filled = Filled::Failed(error.clone());
                Err(error)
            }
        }
    }

    /// Another number for each state of the table.
    pub(crate) fn stamp(&self, service: &Service) -> Result<u64> {
        match self.is_cursor {
            true => Ok(STAMP),
            false => Ok(service.stamp(&self.changes, &self.area.stamp()?)),
        }
    }
}

impl Session {
    /// Has cursors have their rows before a step that may change these.
    pub(crate) fn fill_before(&mut self, step: &Step) {
        if step.may_change_rows() {
            // The statement that uses the cursor gets the error.
            self.tables.values_mut().for_each(|open| drop(open.fill()));
        }
    }

    /// The reply to a statement.
    pub(crate) fn executed(&mut self, executed: Executed) -> Result<Reply> {
        let mut source = match executed {
            Executed::Done(outcome) => return Ok(Reply::Outcome(outcome)),
            Executed::Rows(source) => source,
            Executed::Table { .. } => return Err(Error::new(Code::Internal, "the rows of another server")),
        };
        let (mut first, mut bytes) = (Vec::new(), 0);
        while first.len() <= INLINE_ROWS && bytes <= INLINE_BYTES {
            let Some(mut rows) = source.next()? else {
                let columns = source.columns().unwrap_or_default();
                return Ok(Reply::Outcome(Outcome { columns, rows: first, ..Outcome::default() }));
            };
            bytes += weight(&rows);
            first.append(&mut rows);
        }
        self.cursor(first, source)
    }

    fn cursor(&mut self, first: Vec<Vec<Value>>, mut source: Box<dyn RowSource>) -> Result<Reply> {
        if self.tables.len() >= MOST_TABLES {
            return Err(Error::new(Code::OutOfMemory, format!("a client may have {MOST_TABLES} tables open")));
        }
        let files = Arc::clone(&self.service.files);
        let (columns, mut area, filled) = match source.columns() {
            Some(columns) => {
                let area = rows::table_of(&columns, &first)?;
                (columns, area, Filled::Later(Filling::start(first, source, files)?))
            }
            None => {
                let (columns, mut area) = rows::table_from(&first, &mut *source, &|| Ok(()))?;
                area.set_copies_to(files);
                (columns, area, Filled::Whole)
            }
        };
        area.go_top()?;
        let wish = PageWish { before: 0, after: MOST_ROWS, bytes: FIRST_PAGE_BYTES, unless: None, numbers: 0 };
        let mut page = pages::page(&mut area, &wish)?;
        let is_whole = matches!(filled, Filled::Whole);
        (page.is_first, page.is_last) = (true, page.is_last && is_whole);
        let (form, count) = (area.form_of_table()?, area.known_count());
        let table =
            self.add(Open { filled, is_cursor: true, is_transaction_free: true, ..Open::new(area, PathBuf::new()) });
        Ok(Reply::Cursor(Cursor { columns, table, form, page, is_whole, count, stamp: STAMP }))
    }
}
