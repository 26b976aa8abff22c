//! The catalog as a transaction has changed it.
//!
//! It is the committed catalog with the transaction's own changes applied. Other transactions commit changes
//! to other objects meanwhile; so the committed catalog is read again when it has another version.
//!
//! A statement that changes something was prepared for the catalog that it has seen. That catalog is stored until the
//! statement ends ([`Transaction::seen`]), to find out if it was changed while the statement waited.

use super::Transaction;
use super::shared::Commits;
use crate::catalog::Cataloged;
use crate::catalog::change::Step;
use crate::catalog::scope::Touched;
use crate::catalog::temporary::TemporaryTables;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The catalog of a transaction, if it differs from the committed one.
#[derive(Default)]
pub(super) struct OwnCatalog {
    changed: RefCell<Option<Changed>>,
    /// The committed catalog when the statement first read it.
    seen: OnceCell<Arc<Cataloged>>,
}

struct Changed {
    /// The version of what is committed that it is made of.
    version: u64,
    cataloged: Arc<Cataloged>,
}

/// A change of the catalog by a transaction.
pub(super) struct CatalogStep {
    /// The number of writes before it.
    pub(super) writes: usize,
    pub(super) before: Before,
    touched: Touched,
    pub(super) step: Step,
    /// The tables whose references it has changed.
    pub(super) connected: BTreeSet<u64>,
}

/// The catalog before a change.
pub(super) enum Before {
    /// The objects that the change touches, as they were. A copy of the whole catalog for each change would take memory
    /// that grows with the square of the number of tables that are created in one transaction.
    Touched(Cataloged),
    /// All of the session's temporary tables.
    Temporary(Arc<TemporaryTables>, Arc<Cataloged>),
}

/// The record of a change, for its undo.
pub(crate) struct CatalogNote {
    /// The catalog before it.
    pub(crate) before: Arc<Cataloged>,
    pub(crate) touched: Touched,
    pub(crate) step: Step,
    /// The tables whose references it has changed.
    pub(crate) connected: BTreeSet<u64>,
    /// The session's temporary tables, if it is those that were changed.
    pub(crate) temporary: Option<Arc<TemporaryTables>>,
}

impl OwnCatalog {
    /// A statement has ended: the next one sees what is committed then.
    #[inline]
    pub(super) fn look_away(&mut self) {
        self.seen.take();
    }

    /// Returns to the catalog before the last change that is not undone yet, which may have been the first. Commits of
    /// other transactions stay.
    fn put_back(&mut self, before: &Cataloged, last: &CatalogStep, is_first: bool) {
        let changed = self.changed.get_mut();
        if let Some(own) = changed {
            let cataloged = Arc::make_mut(&mut own.cataloged);
            cataloged.take_from(before, std::iter::once(last.touched));
            cataloged.take_back(&last.step, &last.connected);
        }
        if is_first {
            *changed = None;
        }
    }
}

impl CatalogStep {
    /// Returns true if it is one of the catalog that everybody has.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.before, Before::Touched(_))
    }
}

impl Transaction {
    /// Returns true if it has changed the catalog, so that what it sees of it is its own.
    pub fn has_changed_catalog(&self) -> bool {
        self.own_catalog.changed.borrow().is_some()
    }

    /// The catalog of this transaction: with its own changes, or as it is committed.
    pub(crate) fn cataloged(&self) -> Arc<Cataloged> {
        let mut changed = self.own_catalog.changed.borrow_mut();
        let Some(own) = changed.as_mut() else { return self.shared.cataloged() };
        if own.version != self.shared.catalog_version() {
            let committed = self.shared.cataloged();
            own.cataloged = Arc::new(committed.with(&own.cataloged, self.touched()));
            own.version = committed.version;
        }
        Arc::clone(&own.cataloged)
    }

    /// The committed catalog when the statement first read it to change something.
    pub(crate) fn seen(&self) -> Arc<Cataloged> {
        Arc::clone(self.own_catalog.seen.get_or_init(|| self.shared.cataloged()))
    }

    /// The catalog for a statement that is about to change it: its state when the statement first read it.
    pub(crate) fn cataloged_to_change(&self) -> Arc<Cataloged> {
        let seen = self.seen();
        let changed = self.own_catalog.changed.borrow();
        match &*changed {
            None => seen,
            Some(own) if own.version == seen.version => Arc::clone(&own.cataloged),
            Some(own) => Arc::new(seen.with(&own.cataloged, self.touched())),
        }
    }

    /// The objects that its changes touch.
    fn touched(&self) -> impl Iterator<Item = Touched> {
        self.steps.iter().filter(|step| step.is_shared()).map(|step| step.touched)
    }

    /// Notes a change; of the catalog that everybody has, with what exists after it.
    pub(crate) fn note_catalog(&mut self, note: CatalogNote, after: Option<Arc<Cataloged>>) {
        self.extensible = false;
        let CatalogNote { before, touched, step, connected, temporary } = note;
        let changed = self.own_catalog.changed.get_mut();
        let version = changed.as_ref().map_or(before.version, |own| own.version);
        if let Some(cataloged) = after {
            *changed = Some(Changed { version, cataloged });
        }
        let writes = self.writes.len();
        let before = match temporary {
            None => Before::Touched(before.only(touched)),
            Some(temporary) => Before::Temporary(temporary, before),
        };
        self.steps.push(CatalogStep { writes, before, touched, step, connected });
    }

    /// Undoes the last noted change of the catalog.
    pub(super) fn take_back_step(&mut self, last: &CatalogStep) {
        match &last.before {
            Before::Temporary(temporary, before) => {
                before.take_back(&last.step, &last.connected);
                temporary.put_back(Arc::clone(before));
            }
            Before::Touched(before) => {
                let is_first = !self.steps.iter().any(CatalogStep::is_shared);
                self.own_catalog.put_back(before, last, is_first);
            }
        }
    }

    /// Applies the transaction's changes to the catalog as of the last commit, under the number of its own commit.
    pub(super) fn commit_catalog(&self, commits: &mut Commits, commit: u64) {
        let changed = self.own_catalog.changed.borrow();
        let Some(own) = &*changed else { return };
        for step in self.steps.iter().filter(|step| step.is_shared()) {
            step.step.commit(commit);
        }
        // No other transaction has committed a change since: the next state is this one, under a later version.
        let cataloged = match own.version == commits.cataloged.version {
            true => Arc::clone(&own.cataloged),
            false => Arc::new(commits.cataloged.with(&own.cataloged, self.touched())),
        };
        self.shared.note_catalog(commits, commit, cataloged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::catalog::{CatalogChange, SchemaDefinition};
    use crate::store::Store;
    use crate::transaction::Isolation;

    fn put(store: &Store, transaction: &mut Transaction, id: u64) {
        let schema = SchemaDefinition { id, name: format!("s{id}") };
        store.change_catalog(transaction, CatalogChange::PutSchema(schema)).unwrap();
    }

    fn names(store: &Store, transaction: &Transaction) -> Vec<String> {
        store.catalog_for(transaction).schemas.iter().map(|schema| schema.name.clone()).collect()
    }

    #[test]
    fn a_change_keeps_what_it_was_about_and_no_more() {
        let store = Store::in_memory();
        let mut transaction = store.begin(Isolation::ReadCommitted);
        (100..120).for_each(|id| put(&store, &mut transaction, id));
        for step in &transaction.steps {
            let Before::Touched(before) = &step.before else { panic!("it is no temporary table") };
            assert!(before.catalog.schemas.is_empty() && before.tables.is_empty());
        }
    }

    #[test]
    fn changes_are_taken_back_one_by_one() {
        let store = Store::in_memory();
        let mut transaction = store.begin(Isolation::ReadCommitted);
        put(&store, &mut transaction, 100);
        let first = transaction.savepoint();
        put(&store, &mut transaction, 101);
        let renamed = SchemaDefinition { id: 100, name: "other".to_owned() };
        store.change_catalog(&mut transaction, CatalogChange::PutSchema(renamed)).unwrap();
        let second = transaction.savepoint();
        store.change_catalog(&mut transaction, CatalogChange::DropSchema(101)).unwrap();
        assert_eq!(names(&store, &transaction), ["other"]);
        transaction.rollback_to(&second).unwrap();
        assert_eq!(names(&store, &transaction), ["other", "s101"]);
        // Changes that another transaction commits meanwhile stay.
        let mut another = store.begin(Isolation::ReadCommitted);
        put(&store, &mut another, 102);
        another.commit().unwrap();
        transaction.rollback_to(&first).unwrap();
        let mut left = names(&store, &transaction);
        left.sort_unstable();
        assert_eq!(left, ["s100", "s102"]);
        transaction.commit().unwrap();
        assert_eq!(store.catalog().schemas.len(), 2);
    }
}
