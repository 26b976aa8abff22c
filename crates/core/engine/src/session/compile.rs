//! Statements compiled for the row executor, with the names that they depend on.

use super::Session;
use crate::prepared::{Recorder, Uses};
use mainstay_planner::{Delete, Insert, LockingQuery, Planner, Short, SqlExpr, Update};
use mainstay_types::Result;

/// Compiles statements over the tables that a session sees.
pub(crate) struct Compiler<'s>(pub(super) &'s Session);

impl Compiler<'_> {
    /// A query for the row executor, if it supports the query.
    pub(crate) fn short_query(&self, text: &str, uses: &mut Uses) -> Result<Option<Short>> {
        self.recorded(uses, |planner, catalog| planner.short_query(text, catalog, self.0.visibility))
    }

    /// Plans a statement, and records the names that the planner looks up.
    fn recorded<T>(&self, uses: &mut Uses, plan: impl FnOnce(&Planner, &Recorder<'_>) -> T) -> T {
        let shared = &self.0.database.shared;
        let recorder = Recorder::new(self.0.catalog(shared));
        let planned = plan(&shared.planner, &recorder);
        *uses = recorder.uses();
        planned
    }

    /// The expressions of a RETURNING, compiled, unless it names parameters.
    pub(crate) fn compiled_rows(&self, shown: &crate::returning::Shown) -> Option<mainstay_planner::RowExpressions> {
        shown.compiled(&self.0.database.shared.planner)
    }

    /// The rows of an UPDATE for the row executor.
    pub(crate) fn short_update(
        &self,
        text: &str,
        update: &Update,
        beside: &[SqlExpr],
        uses: &mut Uses,
    ) -> Result<Option<Short>> {
        self.recorded(uses, |planner, catalog| planner.short_update(text, update, beside, catalog))
    }

    /// The rows that a query locks for the row executor.
    pub(crate) fn short_locking(&self, text: &str, locking: &LockingQuery, uses: &mut Uses) -> Result<Option<Short>> {
        self.recorded(uses, |planner, catalog| planner.short_locking(text, locking, catalog))
    }

    /// The rows of a DELETE for the row executor.
    pub(crate) fn short_delete(
        &self,
        text: &str,
        delete: &Delete,
        beside: &[SqlExpr],
        uses: &mut Uses,
    ) -> Result<Option<Short>> {
        self.recorded(uses, |planner, catalog| planner.short_delete(text, delete, beside, catalog))
    }

    /// The rows that the query of an INSERT gives for the row executor.
    pub(crate) fn short_insert(&self, text: &str, insert: &Insert, uses: &mut Uses) -> Result<Option<Short>> {
        self.recorded(uses, |planner, catalog| planner.short_insert(text, insert, catalog, self.0.visibility))
    }
}
