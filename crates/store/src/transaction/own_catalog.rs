//! The catalog as a transaction has changed it.
//!
//! It is what is committed, with what the transaction has put in the place of some of it. Others commit their changes
//! meanwhile, of other things; so what is committed is looked at again when there is another version of it.
//!
//! A statement that changes something was made for what it has seen of the catalog. That is kept until the statement ends
//! ([`Transaction::seen`]), to find out whether it was changed while the statement waited.

use super::Transaction;
use super::shared::Commits;
use crate::catalog::Cataloged;
use crate::catalog::change::Step;
use crate::catalog::scope::Touched;
use crate::catalog::temporary::TemporaryTables;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What exists for a transaction, if that is not what is committed.
#[derive(Default)]
pub(super) struct OwnCatalog {
    changed: RefCell<Option<Changed>>,
    /// What was committed when the statement looked.
    seen: OnceCell<Arc<Cataloged>>,
}

struct Changed {
    /// The version of what is committed that it is made of.
    version: u64,
    cataloged: Arc<Cataloged>,
}

/// A change of the catalog by a transaction.
pub(super) struct CatalogStep {
    /// How many writes came before it.
    pub(super) writes: usize,
    /// What existed before it, and the version of what was committed then.
    pub(super) before: Arc<Cataloged>,
    pub(super) version: u64,
    touched: Touched,
    pub(super) step: Step,
    /// The tables whose references it has changed.
    pub(super) connected: BTreeSet<u64>,
    /// The session's temporary tables, if it is those that were changed.
    pub(super) temporary: Option<Arc<TemporaryTables>>,
}

/// What is noted of a change.
pub(crate) struct CatalogNote {
    /// What existed before it.
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

    /// Goes back to what existed before a change, which may have been the first.
    pub(super) fn put_back(&mut self, before: Arc<Cataloged>, version: u64, is_first: bool) {
        *self.changed.get_mut() = (!is_first).then_some(Changed { version, cataloged: before });
    }
}

impl Transaction {
    /// Whether it has changed the catalog, so that what it sees of it is its own.
    pub fn has_changed_catalog(&self) -> bool {
        self.own_catalog.changed.borrow().is_some()
    }

    /// What exists for this transaction: as it has changed it, or as it is committed.
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

    /// What was committed when the statement first looked at it to change something.
    pub(crate) fn seen(&self) -> Arc<Cataloged> {
        Arc::clone(self.own_catalog.seen.get_or_init(|| self.shared.cataloged()))
    }

    /// What exists for a statement that is about to change it: as it was when the statement first looked.
    pub(crate) fn cataloged_to_change(&self) -> Arc<Cataloged> {
        let seen = self.seen();
        let changed = self.own_catalog.changed.borrow();
        match &*changed {
            None => seen,
            Some(own) if own.version == seen.version => Arc::clone(&own.cataloged),
            Some(own) => Arc::new(seen.with(&own.cataloged, self.touched())),
        }
    }

    /// What its changes are about.
    fn touched(&self) -> impl Iterator<Item = Touched> {
        self.steps.iter().filter(|step| step.temporary.is_none()).map(|step| step.touched)
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
        self.steps.push(CatalogStep { writes, before, version, touched, step, connected, temporary });
    }

    /// Puts what the transaction has changed into the catalog as of the last commit, under the number of its own.
    pub(super) fn commit_catalog(&self, commits: &mut Commits, commit: u64) {
        let changed = self.own_catalog.changed.borrow();
        let Some(own) = &*changed else { return };
        for step in self.steps.iter().filter(|step| step.temporary.is_none()) {
            step.step.commit(commit);
        }
        // Nobody has committed a change since: it is what there will be, under a version that is later.
        let cataloged = match own.version == commits.cataloged.version {
            true => Arc::clone(&own.cataloged),
            false => Arc::new(commits.cataloged.with(&own.cataloged, self.touched())),
        };
        self.shared.note_catalog(commits, commit, cataloged);
    }
}
