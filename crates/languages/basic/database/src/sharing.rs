//! Records that programs have extracted, and tables that they have locked: between the sessions of one process.
//!
//! The locks of rows keep statements and other programs from changing a record. This keeps Business BASIC programs from
//! reading it, too, as they expect of EXTRACT.

use mainstay_basic_files::{FileError, FileErrorKind, Result, SessionId};
use mainstay_types::interrupt;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a wait goes on before it is looked whether the program was asked to stop.
const LOOK: Duration = Duration::from_millis(50);

/// The users of a table.
#[derive(Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    opens: HashMap<SessionId, usize>,
    locked_by: Option<SessionId>,
    /// By the text of what identifies the row.
    records: HashMap<Vec<u8>, SessionId>,
}

impl State {
    fn is_for_others(&self, session: SessionId) -> bool {
        self.locked_by.is_some_and(|other| other != session)
    }

    fn has_others(&self, session: SessionId) -> bool {
        self.opens.keys().any(|other| *other != session)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, wait: Duration, message: &str, mut attempt: impl FnMut(&mut State) -> bool) -> Result<()> {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        while !attempt(&mut state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(FileError::new(FileErrorKind::Busy, message));
            }
            interrupt::check()?;
            let waited = self.changed.wait_timeout(state, left.min(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Opens a channel, for the session alone if it `locks`.
    ///
    /// Errors: 0.
    pub(crate) fn open(&self, session: SessionId, locks: bool, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has the file open or locked", |state| {
            let is_free = !(state.is_for_others(session) || locks && state.has_others(session));
            if is_free {
                *state.opens.entry(session).or_default() += 1;
                state.locked_by = state.locked_by.or(locks.then_some(session));
            }
            is_free
        })
    }

    /// Closes a channel.
    pub(crate) fn close(&self, session: SessionId, has_lock: bool) {
        let mut state = self.lock();
        if let Some(count) = state.opens.get_mut(&session) {
            *count -= 1;
            if *count == 0 {
                state.opens.remove(&session);
            }
        }
        if has_lock {
            state.locked_by = None;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the table for a session that has it open.
    ///
    /// Errors: 0.
    pub(crate) fn lock_file(&self, session: SessionId, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has the file open", |state| {
            let is_free = !state.has_others(session);
            if is_free {
                state.locked_by = Some(session);
            }
            is_free
        })
    }

    /// Shares the table again.
    pub(crate) fn unlock_file(&self) {
        self.lock().locked_by = None;
        self.changed.notify_all();
    }

    /// Takes a record.
    ///
    /// Errors: 0.
    pub(crate) fn extract(&self, record: &[u8], session: SessionId, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has extracted the record", |state| {
            *state.records.entry(record.to_vec()).or_insert(session) == session
        })
    }

    /// Gives a record back.
    pub(crate) fn release(&self, record: &[u8]) {
        self.lock().records.remove(record);
        self.changed.notify_all();
    }

    /// Returns when no other session has a record: whether there was a wait.
    ///
    /// Errors: 0.
    pub(crate) fn check(&self, record: &[u8], session: SessionId, wait: Duration) -> Result<bool> {
        let mut has_waited = false;
        self.wait(wait, "another session has extracted the record", |state| {
            let is_free = state.records.get(record).is_none_or(|other| *other == session);
            has_waited |= !is_free;
            is_free
        })?;
        Ok(has_waited)
    }

    /// True if nobody has extracted anything.
    pub(crate) fn is_quiet(&self) -> bool {
        self.lock().records.is_empty()
    }
}
