//! The open work of a session, which other threads may look at.

use super::{OpenTransaction, RecordLock};
use mainstay_xbase::lock::HeldRecords;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The lists of locks of the DBF tables that a session has open.
type Watched = Vec<(PathBuf, Weak<HeldRecords>)>;

/// The transaction of a session, and its locks of DBF tables.
#[derive(Debug, Default)]
pub struct SessionWork {
    /// The number of the native transaction, once it has written; 0 without one.
    number: Arc<AtomicU64>,
    /// The time when the transaction began, in microseconds since 1970; 0 for that of a single statement.
    began: AtomicU64,
    tables: Mutex<Watched>,
}

impl SessionWork {
    /// Where the transaction publishes its number.
    pub(crate) fn number(&self) -> &Arc<AtomicU64> {
        &self.number
    }

    /// The number of the native transaction in [`Database::waits`](crate::Database::waits) and
    /// [`Database::held_locks`](crate::Database::held_locks), once it has written; 0 without one.
    pub fn transaction_number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// The native transaction, if it has written or locked something. Its locks are not looked up.
    pub fn transaction(&self) -> Option<OpenTransaction> {
        let number = self.transaction_number();
        let began = self.began.load(Ordering::Relaxed);
        let since = (began != 0).then(|| UNIX_EPOCH + Duration::from_micros(began));
        (number != 0).then(|| OpenTransaction { number, since, locks: Vec::new() })
    }

    /// The locks of DBF tables: of a table no more than ten thousand records.
    pub fn record_locks(&self) -> Vec<RecordLock> {
        let tables: Vec<_> =
            self.lock().iter().filter_map(|(path, held)| Some((path.clone(), held.upgrade()?))).collect();
        let of = |(path, held): (PathBuf, Arc<HeldRecords>)| {
            let lock = move |(record, since): (Option<u64>, SystemTime)| {
                let record = record.map(u32::try_from).transpose().ok()?;
                Some(RecordLock { table: path.clone(), record, since })
            };
            held.list().into_iter().filter_map(lock).collect::<Vec<_>>()
        };
        tables.into_iter().flat_map(of).collect()
    }

    /// A transaction of several statements has begun.
    pub(crate) fn begin(&self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.began.store(u64::try_from(since.as_micros()).unwrap_or(0), Ordering::Relaxed);
    }

    /// It has ended.
    pub(crate) fn end(&self) {
        self.began.store(0, Ordering::Relaxed);
    }

    /// Shows the locks of a table until it is closed.
    pub(crate) fn watch(&self, table: &Path, held: &Arc<HeldRecords>) {
        let mut tables = self.lock();
        tables.retain(|(_, held)| held.strong_count() > 0);
        tables.push((table.to_owned(), Arc::downgrade(held)));
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
