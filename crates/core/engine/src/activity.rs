//! The sessions of every door, with their locks: for the views of activity, and for the error of a lock that is not given back.
//!
//! ```text
//!   SQL Server's clients         a source, with the work of each session
//!   Informix clients, programs   entered here, as long as the guard lives, with the work of the session
//!   remote ACE clients           a source, with the locks of their work areas
//! ```
//!
//! A session publishes its [`SessionWork`]: the number of its transaction, and the lists of locks of the DBF tables that it
//! has open. The locks of native tables stay where they are and are looked up by the number of the transaction, when somebody
//! asks. So a lock costs a session nothing beyond an entry in the list of a DBF table.
//!
//! Limit: a session that publishes no work - one of a BASIC program, or of a statement of an ACE client - is listed without
//! the locks of its transaction.

mod work;

pub use work::SessionWork;

use mainstay_store::{Held, HeldLock, HolderNames};
use mainstay_types::Timestamp;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

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

/// A lock of a native table. Its transaction holds it until it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeLock {
    /// The name of the table.
    pub table: String,
    /// The row by its key, `row id = 17`; `for writing` where only the table is known, or `its definition`.
    pub what: String,
}

impl From<&HeldLock> for NativeLock {
    fn from(lock: &HeldLock) -> NativeLock {
        let what = match (&lock.held, &lock.key) {
            (Held::Written, _) => "for writing".to_owned(),
            (Held::Defined, _) => "its definition".to_owned(),
            (Held::Changed(_) | Held::Row(..), Some(key)) => format!("row {key}"),
            (Held::Changed(row) | Held::Row(row, _), None) => format!("row number {row}"),
        };
        NativeLock { table: lock.name.clone(), what }
    }
}

/// A transaction over native tables that has written or locked something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTransaction {
    /// Its number among the transactions of the database; 0 for one of another process.
    pub number: u64,
    /// The time when it began; `None` for that of a single statement.
    pub since: Option<SystemTime>,
    /// Its locks, as far as they were asked for.
    pub locks: Vec<NativeLock>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The door: `tds`, `sqli`, `navigator`, `console`.
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
    /// Its locks of DBF tables.
    pub locks: Vec<RecordLock>,
    /// Its transaction.
    pub transaction: Option<OpenTransaction>,
}

impl SessionInfo {
    /// The session with what it has open now.
    #[must_use]
    pub fn with_work(mut self, work: &SessionWork) -> SessionInfo {
        self.locks.extend(work.record_locks());
        self.transaction = work.transaction();
        self
    }
}

/// A time as messages have it: UTC, to the second.
pub(crate) fn time_text(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Timestamp::from_seconds(i64::try_from(seconds).unwrap_or(0)).map(|time| time.to_string()).unwrap_or_default()
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

/// A session that was entered, and its work once that is known.
struct Listed {
    session: SessionInfo,
    work: Option<Arc<SessionWork>>,
}

impl Listed {
    fn now(&self) -> SessionInfo {
        let session = self.session.clone();
        match &self.work {
            Some(work) => session.with_work(work),
            None => session,
        }
    }
}

/// The sessions of a database.
#[derive(Default)]
pub(crate) struct Sessions {
    entered: Mutex<BTreeMap<u64, Listed>>,
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
        let session = SessionInfo { number, ..session };
        locked(&self.entered).insert(number, Listed { session, work: None });
        number
    }

    /// Lists an entered session with its work.
    pub(crate) fn follow(&self, number: u64, work: Arc<SessionWork>) {
        if let Some(listed) = locked(&self.entered).get_mut(&number) {
            listed.work = Some(work);
        }
    }

    pub(crate) fn leave(&self, number: u64) {
        locked(&self.entered).remove(&number);
    }

    pub(crate) fn add_source(&self, source: SessionSource) {
        locked(&self.sources).push(source);
    }

    /// All sessions, in the order of their doors and numbers.
    pub(crate) fn all(&self) -> Vec<SessionInfo> {
        let mut all: Vec<SessionInfo> = locked(&self.entered).values().map(Listed::now).collect();
        // A source may take locks of its own: none is asked while the list is locked.
        let sources = locked(&self.sources).clone();
        all.extend(sources.iter().flat_map(|source| source()));
        all.sort_by(|one, other| (one.door, one.number).cmp(&(other.door, other.number)));
        all
    }

    /// Names the session of a native transaction: `user ann, program orders at 10.0.0.7, since 2026-03-01 10:00:00 UTC`.
    fn holder_name(&self, transaction: u64) -> Option<String> {
        self.all().into_iter().find_map(|session| {
            let open = session.transaction.as_ref().filter(|open| open.number == transaction)?;
            let since = open.since.map(|since| format!(", since {} UTC", time_text(since)));
            Some(format!("{session}{}", since.unwrap_or_default()))
        })
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

/// The function by which the store names the holders of its locks.
pub(crate) fn holder_names(sessions: &Arc<Sessions>) -> HolderNames {
    let sessions = Arc::clone(sessions);
    Arc::new(move |transaction| sessions.holder_name(transaction).filter(|_| transaction != 0))
}
