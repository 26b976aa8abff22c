//! The locks of one handle as other threads may read them.
//!
//! A handle belongs to one thread, which looks at its own list of locks without a mutex. Monitoring runs on other threads,
//! so a handle that is watched keeps a second list behind a mutex. A handle that nobody watches pays nothing; a watched
//! one pays a mutex that is free as a rule, beside the system call that takes the lock.
//!
//! Limit: no more than [`MOST_RECORDS`] records of a handle are listed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// No more records of a handle are listed.
const MOST_RECORDS: usize = 10_000;

/// The locks that one handle holds on a table, with the time when each was taken.
#[derive(Debug, Default)]
pub struct HeldRecords {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    table: Option<SystemTime>,
    records: BTreeMap<u64, SystemTime>,
}

impl HeldRecords {
    /// The locks, the one of the whole table (`None`) first and then those of records, each with its time.
    pub fn list(&self) -> Vec<(Option<u64>, SystemTime)> {
        let state = self.lock();
        let table = state.table.map(|since| (None, since));
        table.into_iter().chain(state.records.iter().map(|(record, since)| (Some(*record), *since))).collect()
    }

    pub(super) fn add(&self, record: u64) {
        let mut state = self.lock();
        if state.records.len() < MOST_RECORDS {
            state.records.insert(record, SystemTime::now());
        }
    }

    pub(super) fn remove(&self, record: u64) {
        self.lock().records.remove(&record);
    }

    pub(super) fn add_table(&self) {
        self.lock().table = Some(SystemTime::now());
    }

    pub(super) fn clear(&self) {
        *self.lock() = State::default();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_comes_first_and_the_list_is_bounded() {
        let held = HeldRecords::default();
        (0..MOST_RECORDS as u64 + 5).for_each(|record| held.add(record));
        held.remove(0);
        held.add_table();
        let list = held.list();
        assert_eq!(list.len(), MOST_RECORDS);
        assert_eq!((list[0].0, list[1].0), (None, Some(1)));
        held.clear();
        assert!(held.list().is_empty());
    }
}
