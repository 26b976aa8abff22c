//! Counts of changes of tables, for the cursors that have to see them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Counts changes of tables while a cursor wants to see them.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    watchers: AtomicUsize,
    /// Changes and inserts of the tables that are watched, by the core's names of them.
    tables: Mutex<HashMap<String, Watched>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    watchers: usize,
    changes: u64,
    inserts: u64,
}

impl Watch {
    /// Returns true if anyone watches for changes.
    pub(crate) fn is_wanted(&self) -> bool {
        self.watchers.load(Ordering::Acquire) > 0
    }

    /// Rows of a table have changed, and perhaps come in.
    pub(crate) fn changed(&self, table: &str, inserts: bool) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = tables.get_mut(table) {
            watched.changes += 1;
            watched.inserts += u64::from(inserts);
        }
    }
}

/// A cursor that wants to see the changes of these tables, for as long as it is open.
#[derive(Debug)]
pub(crate) struct Watcher {
    watch: Arc<Watch>,
    tables: Vec<String>,
}

impl Watcher {
    pub(crate) fn new(watch: &Arc<Watch>, mut tables: Vec<String>) -> Watcher {
        tables.dedup();
        let watcher = Watcher { watch: Arc::clone(watch), tables };
        if watcher.tables.is_empty() {
            return watcher;
        }
        watch.watchers.fetch_add(1, Ordering::AcqRel);
        let mut known = watch.tables.lock().unwrap_or_else(PoisonError::into_inner);
        watcher.tables.iter().for_each(|table| known.entry(table.clone()).or_default().watchers += 1);
        watcher
    }

    fn sum(&self, of: fn(&Watched) -> u64) -> u64 {
        let known = self.watch.tables.lock().unwrap_or_else(PoisonError::into_inner);
        self.tables.iter().filter_map(|table| known.get(table)).map(of).sum()
    }

    /// A number that grows with the changes.
    pub(crate) fn changes(&self) -> u64 {
        self.sum(|watched| watched.changes)
    }

    /// A number that grows when rows have come in.
    pub(crate) fn inserts(&self) -> u64 {
        self.sum(|watched| watched.inserts)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if self.tables.is_empty() {
            return;
        }
        self.watch.watchers.fetch_sub(1, Ordering::AcqRel);
        let mut known = self.watch.tables.lock().unwrap_or_else(PoisonError::into_inner);
        for table in &self.tables {
            if let Some(watched) = known.get_mut(table) {
                watched.watchers -= 1;
                if watched.watchers == 0 {
                    known.remove(table);
                }
            }
        }
    }
}
