//! Reuse of temporary tables: CREATE TABLE #t and DROP TABLE #t of a procedure that is called repeatedly.
//!
//! The table that CREATE TABLE makes depends on its text, on the meaning of names where it runs, and on the existing
//! temporary tables. When all three are unchanged, the core reuses an empty table
//! ([`Session::create_temporary_again`]), and the names and the tables return to states that had their numbers before:
//! the plans of the statements that use the table stay valid.
//!
//! Limits: outside of a transaction, while no cursor is open, and tables without keys, identities and indexes.
//!
//! [`Session::create_temporary_again`]: mainstay_engine::Session::create_temporary_again

use crate::session::Inner;
use crate::session::scope::{is_global, is_temporary};
use crate::session::state::SaidOfIndexes;
use mainstay_tsql_syntax::tree::{CreateTable, ObjectName};
use mainstay_vm::Raised;
use std::sync::Arc;

/// More statements than a session comes by again and again.
const MOST: usize = 32;

/// The states that a CREATE TABLE was met in: of the objects, of the names, of the temporary tables.
pub(crate) type States = (u64, u64, u64);

/// A CREATE TABLE that has been carried out.
#[derive(Debug)]
pub(crate) struct Remembered {
    create: Arc<CreateTable>,
    before: States,
    /// The state of the temporary tables that it led to.
    after: u64,
    /// The type names of its columns.
    declared: Arc<[(String, String)]>,
    /// The options of its indexes.
    said: SaidOfIndexes,
}

impl Inner {
    /// The states that a CREATE TABLE depends on beside its text.
    pub(crate) fn states_of_tables(&self) -> States {
        (self.modules.version(), self.state.version, self.core.temporary_version())
    }

    /// Carries a CREATE TABLE out by making the table again that it made when everything was the same: whether it did.
    pub(crate) fn made_again(&mut self, create: &CreateTable, before: States) -> bool {
        if self.state.transactions > 0 {
            return false;
        }
        let is_it = |known: &&Remembered| known.before == before && *known.create == *create;
        let Some(known) = self.made.iter().find(is_it) else { return false };
        if !self.core.create_temporary_again((before.2, known.after)) {
            return false;
        }
        if let Some(table) = self.state.temporary_mut(create.name.last()) {
            (table.declared, table.said) = (Arc::clone(&known.declared), known.said.clone());
        }
        true
    }

    /// Notes what a CREATE TABLE has made.
    pub(crate) fn remember_made(&mut self, create: &CreateTable, before: States) {
        let after = self.core.temporary_version();
        // The first table of a session makes room for others, which is not the state that is gone back to.
        if self.state.transactions > 0 || before.2 == after {
            return;
        }
        if self.made.len() >= MOST {
            self.made.clear();
        }
        let table = self.state.temporary(create.name.last());
        let (declared, said) = table.map(|table| (Arc::clone(&table.declared), table.said.clone())).unwrap_or_default();
        self.made.push(Remembered { create: Arc::new(create.clone()), before, after, declared, said });
    }

    /// Drops a temporary table so that it can be made again: whether that was possible.
    ///
    /// Errors: those of emptying it.
    pub(crate) fn dropped_to_be_made_again(&mut self, name: &ObjectName) -> Result<bool, Box<Raised>> {
        let last = name.last();
        if !is_temporary(last) || is_global(last) || self.state.transactions > 0 || self.state.has_cursors() {
            return Ok(false);
        }
        if self.modules.synonym(name).is_some() {
            return Ok(false);
        }
        let Some(table) = self.state.temporary(last).filter(|table| !table.borrowed) else { return Ok(false) };
        let dropped = self.core.drop_temporary(&table.core).map_err(crate::statements::errors::raised_error)?;
        if dropped {
            self.forget_temporary(last);
        }
        Ok(dropped)
    }
}
