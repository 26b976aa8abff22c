//! The error of a lock that is not given back in time, with the lock and the session that holds it.
//!
//! A mark on a version says which transaction holds the row, and no more. The layer above knows the sessions: it gives the
//! store a function that names the session of a transaction ([`Store::name_holders`]). The function runs, and the row's
//! table and key are looked up, only after a wait has ended in vain.

use super::{Obstacle, RowName, Transaction};
use crate::column::layout::brief;
use crate::group::Group;
use crate::row::{Row, Stored};
use crate::stamp::ABORTED;
use crate::store::Store;
use crate::table::NativeTable;
use mainstay_types::{Code, Error};
use std::sync::Arc;

/// Names the session of a transaction by the transaction's number: `user ann, program orders at 10.0.0.7, since ...`. `None`
/// for a transaction that has ended, or of which no session is known.
pub type HolderNames = Arc<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// No more versions are looked at for the key of a row that is locked and not changed.
const MOST_SLOTS: usize = 1 << 20;

impl Store {
    /// Lets the errors of locks name the sessions that hold them. The first function that is given stays.
    #[inline]
    pub fn name_holders(&self, names: &HolderNames) {
        self.shared.holder_names.get_or_init(|| Arc::clone(names));
    }
}

impl Transaction {
    /// The error with the name of the holder, if it is that of a lock and the holder is known. `lock` gives the lock:
    /// `row (id = 17) of orders`.
    #[cold]
    pub(super) fn with_holder(&self, error: Error, holder: u64, lock: impl FnOnce(&Transaction) -> String) -> Error {
        if error.code() != Code::LockTimeout {
            return error;
        }
        let Some(holder) = self.shared.holder_names.get().and_then(|names| names(holder)) else { return error };
        let lock = lock(self);
        Error::new(Code::LockTimeout, format!("{lock} is locked by {holder}")).about(lock)
    }

    /// An obstacle as a lock: `row (id = 17) of orders`.
    pub(super) fn lock_text(&self, obstacle: &Obstacle) -> String {
        let text = match obstacle {
            Obstacle::Mark { group, offset, .. } => self.marked_row(group, *offset),
            Obstacle::Lock { row, .. } => self.locked_row(*row),
            Obstacle::Range { table, .. } => self.table_of(*table).map(|table| format!("a range of {}", name(&table))),
            Obstacle::Commit { .. } => None,
        };
        text.unwrap_or_else(|| "a row".to_owned())
    }

    /// A version of a table of the catalog, by its group: an obstacle has no other way to its table.
    fn marked_row(&self, group: &Group, offset: usize) -> Option<String> {
        let is_in = |table: &&Arc<NativeTable>| {
            table.directory().group(group.position(offset)).is_some_and(|found| found.is_same(group))
        };
        let tables = self.shared.cataloged();
        tables.tables.values().find(is_in).map(|table| row_text(table, group, offset))
    }

    fn locked_row(&self, (table, row): RowName) -> Option<String> {
        let table = self.table_of(table)?;
        let directory = table.directory();
        let mut left = MOST_SLOTS;
        for group in directory.groups().iter().rev() {
            let slots = group.len().min(left);
            left -= slots;
            let is_it = |offset: &usize| group.row_id(*offset) == row && group.created(*offset) != ABORTED;
            if let Some(offset) = (group.len() - slots..group.len()).rev().find(is_it) {
                return Some(row_text(&table, group, offset));
            }
        }
        Some(format!("a row of {}", name(&table)))
    }

    fn table_of(&self, id: u32) -> Option<Arc<NativeTable>> {
        self.shared.cataloged().tables.values().find(|table| table.id() == id).cloned()
    }
}

fn name(table: &NativeTable) -> &str {
    &table.definition().name
}

fn row_text(table: &NativeTable, group: &Group, offset: usize) -> String {
    match key_text(table, group, offset) {
        Some(key) => format!("row ({key}) of {}", name(table)),
        None => format!("row number {} of {}", group.row_id(offset), name(table)),
    }
}

/// The key of a version, `id = 17`: that of the primary key, or of another unique index. `None` for a table without one.
pub(super) fn key_text(table: &NativeTable, group: &Group, offset: usize) -> Option<String> {
    let definition = table.definition();
    let keys = || definition.indexes.iter().filter(|index| index.is_key());
    let index = keys().find(|index| index.primary).or_else(|| keys().next())?;
    group.load().ok()?;
    let stored = Stored { group, offset };
    let part = |column: usize| {
        let named = definition.columns.get(column)?;
        Some(format!("{} = {}", named.name, brief(stored.value(column))))
    };
    let parts: Option<Vec<String>> = index.columns.iter().map(|index| part(index.column)).collect();
    parts.map(|parts| parts.join(", "))
}
