//! One change of the catalog and its effect on the tables, for a transaction and for the replay of the journal.

use super::Cataloged;
use super::native::{native, sources};
use super::scope::{ChangeScope, Touched, around};
use crate::files::catalog::{Catalog, CatalogChange, ForeignKeyDefinition, TableDefinition};
use crate::table::NativeTable;
use crate::transaction::shared::Shared;
use crate::transaction::{CatalogNote, Transaction};
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The stamp of rows that a change of the journal appends: older than every view.
pub(crate) const FROM_JOURNAL: u64 = 0;

/// The effect of a change on a table, so that it can be rolled back.
pub(crate) enum Step {
    /// There was none before.
    Created(Arc<NativeTable>),
    /// It is gone.
    Dropped(Arc<NativeTable>),
    /// Another one has its place; whether that has its groups.
    Replaced { old: Arc<NativeTable>, new: Arc<NativeTable>, is_shared: bool },
    /// No table was touched.
    Nothing,
}

/// A change that was made.
pub(crate) struct Changed {
    /// The catalog after the change.
    pub(crate) cataloged: Arc<Cataloged>,
    /// The effect on the table.
    pub(crate) step: Step,
    /// Rows that were appended to the new table.
    pub(crate) appended: Vec<(u64, u32)>,
    /// The tables whose references may be others now.
    pub(crate) connected: BTreeSet<u64>,
}

impl Cataloged {
    /// A catalog's tables, without rows.
    ///
    /// Errors: definitions that contradict each other.
    pub(crate) fn of(catalog: &Catalog, shared: &Arc<Shared>) -> Result<Cataloged> {
        let mut tables = std::collections::BTreeMap::new();
        for table in &catalog.tables {
            let id = native_id(table.id)?;
            tables.insert(table.id, Arc::new(NativeTable::new(id, native(catalog, table)?, Arc::clone(shared))?));
        }
        let cataloged = Cataloged { version: 0, catalog: Arc::new(catalog.clone()), tables };
        cataloged.connect()?;
        Ok(cataloged)
    }

    /// Puts a table without rows in the place of one that has some. References have to be connected again.
    ///
    /// Errors: as [`Cataloged::of`].
    pub(crate) fn renew(&mut self, id: u64, shared: &Arc<Shared>) -> Result<Arc<NativeTable>> {
        let definition = self.catalog.table(id).ok_or_else(|| crate::store::unknown(&id.to_string()))?;
        let table = NativeTable::new(native_id(id)?, native(&self.catalog, definition)?, Arc::clone(shared))?;
        let table = Arc::new(table);
        self.tables.insert(id, Arc::clone(&table));
        Ok(table)
    }

    /// Makes a change; rows that it appends get this stamp. A table whose rows could not be read is changed only where the
    /// change was made before they were damaged ([`FROM_JOURNAL`]).
    ///
    /// Errors: `InvalidValue` for a definition that contradicts itself or others, `ForeignKeyViolation` when other tables
    /// refer to what is to go, those of the rows that are against the new definition, and why they could not be read.
    pub(crate) fn change(
        &self,
        change: CatalogChange,
        mark: u64,
        shared: &Arc<Shared>,
        is_temporary: bool,
    ) -> Result<Changed> {
        let native = |catalog: &Catalog, table: &TableDefinition| {
            native(catalog, table).map(|native| crate::definition::TableDefinition { logged: !is_temporary, ..native })
        };
        let mut catalog = (*self.catalog).clone();
        let touched = Touched::by(&change);
        let table = if let Touched::Table(id) = touched { Some(id) } else { None };
        catalog.apply(change)?;
        catalog.check().map_err(|error| Error::new(Code::InvalidValue, error.message()))?;
        let (before, after) = (table.and_then(|id| self.catalog.table(id)), table.and_then(|id| catalog.table(id)));
        let version = if is_temporary { super::temporary::next_version() } else { self.version + 1 };
        let mut next = Cataloged { version, catalog: Arc::default(), tables: self.tables.clone() };
        let mut appended = Vec::new();
        let mut connected = BTreeSet::new();
        if let (Some(id), true) = (table, before != after) {
            connected = around(&self.catalog, id, after);
        }
        let step = match (before, after) {
            (None, Some(new)) => {
                let id = if is_temporary { temporary_id(new.id)? } else { native_id(new.id)? };
                let table = Arc::new(NativeTable::new(id, native(&catalog, new)?, Arc::clone(shared))?);
                next.tables.insert(new.id, Arc::clone(&table));
                Step::Created(table)
            }
            (Some(old), None) => match next.tables.remove(&old.id) {
                Some(table) => {
                    table.set_replaced(true);
                    Step::Dropped(table)
                }
                None => Step::Nothing,
            },
            (Some(old), Some(new)) if old != new => {
                let table = self.tables.get(&old.id).ok_or_else(|| Error::new(Code::Internal, "a table is missing"))?;
                if mark != FROM_JOURNAL {
                    table.check_sound()?;
                }
                let reshaped = table.reshape(native(&catalog, new)?, &sources(old, new), mark, shared)?;
                appended = reshaped.appended;
                next.tables.insert(new.id, Arc::clone(&reshaped.table));
                Step::Replaced { old: Arc::clone(table), new: reshaped.table, is_shared: reshaped.is_shared }
            }
            _ => Step::Nothing,
        };
        next.catalog = Arc::new(catalog);
        if let Err(error) = next.connect_some(&connected) {
            self.take_back(&step, &connected);
            return Err(error);
        }
        Ok(Changed { cataloged: Arc::new(next), step, appended, connected })
    }

    /// Takes a step back; `self` is what existed before it.
    pub(crate) fn take_back(&self, step: &Step, connected: &BTreeSet<u64>) {
        match step {
            Step::Created(table) => table.set_replaced(true),
            Step::Dropped(table) => table.set_replaced(false),
            Step::Replaced { old, new, is_shared } => old.unshape(new, *is_shared),
            Step::Nothing => {}
        }
        // They were connected before in the same way.
        let _ = self.connect_some(connected);
    }
}

/// The numbers of tables have 32 bits in memory; half of them are for tables that are not in the catalog.
fn native_id(id: u64) -> Result<u32> {
    let fits = u32::try_from(id).ok().filter(|id| *id < crate::store::FIRST_UNCATALOGED);
    fits.ok_or_else(|| Error::new(Code::Unsupported, "the catalog has given out too many numbers"))
}

/// The number of a temporary table.
fn temporary_id(id: u64) -> Result<u32> {
    let fits = u32::try_from(id).ok().filter(|id| *id >= super::temporary::FIRST_TEMPORARY);
    fits.ok_or_else(|| Error::new(Code::Internal, format!("{id} is no number of a temporary table")))
}

impl Step {
    /// Notes on the tables from which commit on the change holds.
    pub(crate) fn commit(&self, commit: u64) {
        match self {
            Step::Dropped(table) => table.end_at(commit),
            Step::Replaced { old, new, is_shared } => {
                old.end_at(commit);
                // The groups that it takes over may have been filled by a step of before.
                new.begin_at(if *is_shared { old.begin() } else { commit });
            }
            Step::Created(table) => table.begin_at(commit),
            Step::Nothing => {}
        }
    }

    /// The table that is there after it, if it made one.
    pub(crate) fn new_table(&self) -> Option<Arc<NativeTable>> {
        match self {
            Step::Created(table) | Step::Replaced { new: table, .. } => Some(Arc::clone(table)),
            _ => None,
        }
    }
}

impl Transaction {
    /// Changes the catalog: for this transaction at once, for others when it commits.
    ///
    /// Waits until no other transaction has anything to do with what is changed.
    ///
    /// Errors: those of [`Cataloged::change`] and of waiting, and `DefinitionChanged` when others have changed that since
    /// the statement looked at it. Nothing was changed then.
    pub(crate) fn change_catalog(&mut self, change: CatalogChange) -> Result<()> {
        self.shared().check_changeable()?;
        self.check_may_define()?;
        let mark = self.mark()?;
        let json = change.to_json()?;
        let touched = Touched::by(&change);
        let before = self.claim(&change)?;
        let new_keys = added_keys(&before.catalog, &change);
        let shared = self.shared();
        let new_sequence = match &change {
            CatalogChange::PutSequence(new) => {
                let is_new = before.catalog.sequences.iter().all(|old| old.id != new.id);
                is_new.then_some((new.id, new.start))
            }
            _ => None,
        };
        let changed = before.change(change, mark, &shared, false)?;
        if let Some((id, start)) = new_sequence {
            // At once, as its values are given: a sequence that was rolled back may have had the number before.
            shared.journal_sequence(id, start)?;
            shared.sequences.set(id, start);
        }
        let Changed { cataloged, step, appended, connected } = changed;
        let table = step.new_table();
        self.note_catalog(CatalogNote { before, touched, step, connected, temporary: None }, Some(cataloged));
        if let Some(table) = &table {
            appended.iter().for_each(|(first, count)| self.note_inserted(table, *first, *count));
            if new_keys {
                table.check_references(mark, self)?;
            }
        }
        if let Some(redo) = self.redo() {
            redo.catalog(&json);
        }
        Ok(())
    }

    /// Waits until this transaction has exclusive locks on the objects of a change, and returns the catalog of then.
    ///
    /// Errors: those of waiting; `DefinitionChanged` when it is not what the statement has seen.
    fn claim(&mut self, change: &CatalogChange) -> Result<Arc<Cataloged>> {
        let seen = self.seen();
        let own = self.cataloged();
        let scope = ChangeScope::of(change, &own.catalog);
        for (subject, mode) in &scope.subjects {
            self.take_name(subject, *mode)?;
        }
        for table in scope.tables.iter().filter_map(|id| own.tables.get(id)) {
            self.claim_table(table)?;
        }
        let now = self.shared().cataloged();
        if Arc::ptr_eq(&seen, &now) {
            return Ok(own);
        }
        let own = self.cataloged();
        let is_all = ChangeScope::of(change, &own.catalog).tables.is_subset(&scope.tables);
        if is_all && scope.is_same(Touched::by(change), &seen, &now) {
            return Ok(own);
        }
        let message = "what the statement changes was changed by another transaction meanwhile";
        Err(Error::new(Code::DefinitionChanged, message).hint("run the statement again"))
    }
}

/// Returns true if a change may give rows a reference that they had not. One that only was disabled or has another name
/// is not looked at again.
fn added_keys(before: &Catalog, change: &CatalogChange) -> bool {
    let CatalogChange::PutTable(new) = change else { return false };
    let known = |old: &TableDefinition| {
        let is_old = |key: &ForeignKeyDefinition| {
            old.foreign_keys
                .iter()
                .map(|known| ForeignKeyDefinition { disabled: key.disabled, name: key.name.clone(), ..known.clone() })
                .any(|known| known == *key)
        };
        new.foreign_keys.iter().all(|key| key.disabled || is_old(key))
    };
    !new.foreign_keys.is_empty() && !before.table(new.id).is_some_and(known)
}
