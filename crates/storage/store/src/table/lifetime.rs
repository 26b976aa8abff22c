//! The views that may read a table whose definition is being changed, or was changed.
//!
//! A change of the catalog replaces a table by another one. A statement that was planned for the old one continues with
//! it, which is correct as long as its view is from before the change: nothing that it could see has been written
//! since. A later view would find there a part of the rows committed since, or none of them. So a reader presents its
//! view before it reads ([`NativeTable::check_seen`]), and the statement is planned anew if necessary.
//!
//! ```text
//!   the old table   views before the change         later ones: DefinitionChanged, look at the new one
//!   the new table   the views of the old one and all since, if it has the old one's groups
//!                   views since the change, if the rows were appended to it or it was created; earlier ones: Conflict
//! ```
//!
//! The groups that a table has handed over grow in the table that has them now. Indexes that both share lead there, and
//! a reader of the old one follows ([`NativeTable::current_directory`]).

use super::NativeTable;
use crate::catalog::temporary::FIRST_TEMPORARY;
use crate::directory::Directory;
use crate::stamp::View;
use mainstay_types::{Code, Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// The commits between which views may look at a table.
pub(super) struct Lifetime {
    /// The first commit at which another table has its place.
    end: AtomicU64,
    /// The commit at which its rows were appended.
    begin: AtomicU64,
    /// The table that has its groups now.
    heir: RwLock<Weak<NativeTable>>,
}

impl Default for Lifetime {
    fn default() -> Lifetime {
        Lifetime { end: AtomicU64::new(u64::MAX), begin: AtomicU64::new(0), heir: RwLock::default() }
    }
}

impl NativeTable {
    /// Sees that a view finds here what it should.
    ///
    /// Errors: `DefinitionChanged` when another table has this one's place, `Conflict` for a view from before the rows
    /// were put here.
    #[inline]
    pub fn check_seen(&self, view: View) -> Result<()> {
        let commit = view.of(self.id >= FIRST_TEMPORARY).commit;
        let (begin, end) = (self.lifetime.begin.load(Ordering::Acquire), self.lifetime.end.load(Ordering::Acquire));
        if (begin..end).contains(&commit) { Ok(()) } else { Err(self.not_seen(commit < begin)) }
    }

    #[cold]
    fn not_seen(&self, is_before: bool) -> Error {
        if is_before {
            let name = &self.definition.name;
            let message = format!("the definition of {name} was changed after the transaction had begun to read");
            return Error::new(Code::Conflict, message).hint("roll back and run the transaction again");
        }
        self.definition_changed()
    }

    #[cold]
    pub(crate) fn definition_changed(&self) -> Error {
        let message = format!("the definition of {} has changed since the statement was planned", self.definition.name);
        Error::new(Code::DefinitionChanged, message).hint("run the statement again")
    }

    /// Another table has its place from this commit on, or none.
    pub(crate) fn end_at(&self, commit: u64) {
        self.lifetime.end.store(commit, Ordering::Release);
    }

    /// The commit from which on views find here what they should.
    pub(crate) fn begin(&self) -> u64 {
        self.lifetime.begin.load(Ordering::Acquire)
    }

    /// Its rows were put here by this commit, or itself: an earlier view would miss them.
    pub(crate) fn begin_at(&self, commit: u64) {
        self.lifetime.begin.store(commit, Ordering::Release);
    }

    /// Says which table has its groups now; none if it has them itself.
    pub(super) fn set_heir(&self, heir: Weak<NativeTable>) {
        *self.lifetime.heir.write().unwrap_or_else(PoisonError::into_inner) = heir;
    }

    /// The groups that were this table's, as they are now, wherever that is.
    pub(super) fn current_directory(&self) -> Arc<Directory> {
        let next = |of: &NativeTable| of.lifetime.heir.read().unwrap_or_else(PoisonError::into_inner).upgrade();
        let Some(mut heir) = next(self) else { return self.directory() };
        while let Some(later) = next(&heir) {
            heir = later;
        }
        heir.directory()
    }
}
