//! Sessions of every door with their DBF locks, for the activity views and for the message of a lock wait that times
//! out.
//!
//! ```text
//!   sessions of SQL Server's clients     known to their runtime, which shows them beside these
//!   Informix clients, programs           registered here, as long as the guard lives
//!   remote ACE clients                   listed by a source, with their locks
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A lock of a DBF table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLock {
    /// The table's file.
    pub table: PathBuf,
    /// The record; `None` for the whole table.
    pub record: Option<u32>,
    /// The time since when it is locked.
    pub since: SystemTime,
}

/// A session of another door than that of SQL Server's clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The door: `sqli`, `navigator`, `console`.
    pub door: &'static str,
    /// A number that no other open session of the door has.
    pub number: u64,
    /// The user.
    pub user: String,
    /// The program that the client names.
    pub program: String,
    /// The machine that it connects from.
    pub machine: String,
    /// The time when it began.
    pub since: SystemTime,
    /// Its locks.
    pub locks: Vec<RecordLock>,
}

impl fmt::Display for SessionInfo {
    /// `user ann, program orders at 10.0.0.7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str| if name.is_empty() { "unknown".to_owned() } else { name.to_owned() };
        write!(f, "user {}, program {} at {}", named(&self.user), named(&self.program), named(&self.machine))
    }
}

/// Gives the sessions that a door knows of.
pub type SessionSource = Arc<dyn Fn() -> Vec<SessionInfo> + Send + Sync>;

/// The sessions of a database.
#[derive(Default)]
pub(crate) struct Sessions {
    entered: Mutex<BTreeMap<u64, SessionInfo>>,
    next: AtomicU64,
    sources: Mutex<Vec<SessionSource>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sessions {
    /// Enters a session, whose number is chosen here.
    pub(crate) fn enter(&self, session: SessionInfo) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        locked(&self.entered).insert(number, SessionInfo { number, ..session });
        number
    }

    pub(crate) fn leave(&self, number: u64) {
        locked(&self.entered).remove(&number);
    }

    pub(crate) fn add_source(&self, source: SessionSource) {
        locked(&self.sources).push(source);
    }

    /// All sessions, in the order of their doors and numbers.
    pub(crate) fn all(&self) -> Vec<SessionInfo> {
        let mut all: Vec<SessionInfo> = locked(&self.entered).values().cloned().collect();
        // A source may take locks of its own: none is asked while the list is locked.
        let sources = locked(&self.sources).clone();
        all.extend(sources.iter().flat_map(|source| source()));
        all.sort_by(|one, other| (one.door, one.number).cmp(&(other.door, other.number)));
        all
    }

    /// The session that has locked a record, by itself or with its table.
    pub(crate) fn holder(&self, table: &Path, record: u64) -> Option<(SessionInfo, RecordLock)> {
        let holds = |lock: &&RecordLock| lock.table == table && lock.record.is_none_or(|own| u64::from(own) == record);
        self.all().into_iter().find_map(|session| {
            let lock = session.locks.iter().find(holds).cloned()?;
            Some((session, lock))
        })
    }
}
