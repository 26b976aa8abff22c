//! The parts of a session that a statement over a writable table uses.

use super::{TableTransaction, Work};
use crate::session::Session;
use mainstay_columnar::Table;
use mainstay_planner::{Answer, Catalog, Collected, Planned, Planner, RunOptions, View, Visibility};
use mainstay_types::{Code, Error, Result, ValueRef};
use std::sync::Arc;
use std::time::Duration;

/// How a session writes.
#[derive(Clone, Copy, Debug)]
pub struct WriteSettings {
    /// How long a lock is waited for; `None` for as long as the storage does by itself.
    pub lock_timeout: Option<Duration>,
    /// True if each step is on the disk before the next one.
    pub durable: bool,
}

/// The statement that a table is asked to run.
pub struct WriteScope<'s> {
    pub(crate) session: &'s mut Session,
    pub(crate) text: &'s str,
    pub(crate) parameters: &'s [ValueRef<'s>],
    /// The hidden column that identifies rows of the table.
    pub(crate) position_column: &'static str,
}

impl WriteScope<'_> {
    /// Runs the statement on rows that a [`TableTransaction`] writes: that of the session's open transaction, which `begin`
    /// begins for the first statement over the table `name`, or one that ends with the statement.
    ///
    /// Errors: those of `begin` and of `work`; after one the statement has had no effect.
    pub fn join(
        &mut self,
        name: &str,
        begin: &mut dyn FnMut(&WriteSettings) -> Result<Box<dyn TableTransaction>>,
        work: Work<'_>,
    ) -> Result<Answer> {
        self.change_joined(name, begin, work)
    }
}

/// Gives the view of a query that reads these tables.
pub type ViewOf<'v> = &'v mut dyn FnMut(&[Arc<dyn Table>]) -> Result<Arc<dyn View>>;

/// The views in which the queries of a statement read.
pub enum Sight<'s> {
    /// The view of the session's transaction for these tables.
    Session(ViewOf<'s>),
    /// The views that the row writer gives.
    Writer,
}

/// The parts of a statement that are the same for every storage.
pub struct StatementContext<'s> {
    pub(crate) planner: &'s Planner,
    pub(crate) catalog: &'s dyn Catalog,
    /// The text of the statement, for places in errors.
    pub(crate) text: &'s str,
    /// The values of parameters in lists of values.
    pub(crate) parameters: &'s [ValueRef<'s>],
    /// The rows of files that the query of an INSERT sees.
    pub(crate) visibility: Visibility,
    /// The hidden column that identifies rows.
    pub(crate) position_column: &'static str,
    /// Cancellation and progress, and a view that is replaced.
    pub(crate) options: &'s dyn Fn() -> RunOptions,
    pub(crate) sight: Sight<'s>,
}

impl StatementContext<'_> {
    /// Runs a query in this view, or in that of the session.
    ///
    /// Errors: those of the query.
    pub(crate) fn run(&mut self, planned: &Planned, view: Option<Arc<dyn View>>) -> Result<Answer> {
        let view = match (view, &mut self.sight) {
            (Some(view), _) => view,
            (None, Sight::Session(view)) => view(planned.tables())?,
            (None, Sight::Writer) => return Err(Error::new(Code::Internal, "a row writer that gives no view")),
        };
        self.planner.run(planned, RunOptions { view, ..(self.options)() })
    }
}

/// The query that finds the rows of a statement.
pub struct FindRows<'q> {
    pub(crate) planned: &'q Planned,
    /// True if the statement assigns defaults.
    pub(crate) needs_defaults: bool,
    pub(crate) execute: &'q mut dyn FnMut(Option<Arc<dyn View>>) -> Result<Answer>,
    pub(crate) planner: &'q Planner,
}

impl FindRows<'_> {
    /// Runs the query, in this view or in that of the session: its rows.
    ///
    /// Errors: those of the query, and `OutOfMemory`.
    pub fn run(&mut self, view: Option<Arc<dyn View>>) -> Result<Collected> {
        Collected::of((self.execute)(view)?, self.planner.held_memory("the rows of a change"))
    }

    /// The tables that the query reads.
    pub fn tables(&self) -> &[Arc<dyn Table>] {
        self.planned.tables()
    }
}
