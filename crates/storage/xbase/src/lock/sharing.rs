//! Locks that the handles and the statements of one connection hold together.
//!
//! A record that a program has locked through a handle is locked against others, but not against the program's own
//! statements. The system's locks belong to files and not to connections, so users that share them check here first:
//!
//! ```text
//!   handle      locks record 7     -> bytes of the system on its file, a Hold here
//!   statement   wants record 7     -> the same Hold once more, and no bytes
//!   handle      gives it back      -> the statement, which is in a transaction, still has it
//!   statement   gives it back      -> the last one: the bytes are free
//! ```
//! A hold keeps the file of its bytes open. A lock of the table includes each of its records. Two handles share
//! nothing: each may lock the other out. [`LockSharing::enter`] sets the connection for tables that the thread opens.
//!
//! Limits: a table of which another user shares a record lock is not locked as a whole.

use super::LockRanges;
use mainstay_types::Result;
use mainstay_vfs::WritableFile;
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The purpose for which a table is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharer {
    /// A handle, which shares with statements.
    Handle,
    /// A statement, which shares with everybody.
    Statement,
}

/// The locked object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    Table,
    Record(u64),
}

/// The locks of one connection.
#[derive(Clone, Debug, Default)]
pub struct LockSharing(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// By the file's number.
    held: Mutex<HashMap<(u64, Thing), Weak<Hold>>>,
    /// While it is not 0, statements do not share what handles have.
    paused: AtomicUsize,
}

/// Bytes of the system that are held, by one or by several.
#[derive(Debug)]
pub(super) struct Hold {
    of: (u64, Thing),
    file: Arc<dyn WritableFile>,
    ranges: LockRanges,
    /// The handle that has part in it, and how often.
    handle: Mutex<(u64, usize)>,
    is_released: bool,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if !self.is_released {
            // The last holder was closed: no caller is left to receive the error.
            let _ = self.ranges.release(&*self.file);
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<(LockSharing, Sharer)>> = const { RefCell::new(None) };
}

/// While this lives, tables that are opened on this thread are the connection's.
#[must_use]
pub struct Sharing {
    before: Option<(LockSharing, Sharer)>,
    stays: PhantomData<*const ()>,
}

impl Drop for Sharing {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// While this lives, statements of the connection wait for its handles as others do.
#[must_use]
pub struct Paused<'s>(&'s LockSharing);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.0.paused.fetch_sub(1, Ordering::SeqCst);
    }
}

impl LockSharing {
    /// Has the tables that this thread opens share the connection's locks.
    pub fn enter(&self, sharer: Sharer) -> Sharing {
        Sharing { before: CURRENT.replace(Some((self.clone(), sharer))), stays: PhantomData }
    }

    /// Tells whether the tables that this thread opens share a connection's locks.
    pub(crate) fn is_entered() -> bool {
        CURRENT.with_borrow(Option::is_some)
    }

    /// Has statements share nothing with handles for a while: while a handle writes the record.
    pub fn pause(&self) -> Paused<'_> {
        self.0.paused.fetch_add(1, Ordering::SeqCst);
        Paused(self)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<(u64, Thing), Weak<Hold>>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a request to share a lock.
#[derive(Debug)]
pub(super) enum Joined {
    /// Nobody of the connection has it.
    Free,
    /// It is held together.
    Shared(Arc<Hold>),
    /// Another user holds it without sharing.
    Refused,
}

/// A user of shared locks.
#[derive(Debug)]
pub(super) struct Member {
    sharing: LockSharing,
    sharer: Sharer,
    /// The number of the file, and of the member.
    file: u64,
    number: u64,
}

impl Member {
    /// Of the connection that this thread opens tables for; none if it does so for none.
    pub(super) fn current(file: &dyn WritableFile) -> Option<Member> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let (sharing, sharer) = CURRENT.with_borrow(Clone::clone)?;
        let identity = file.stamp().ok()?.identity;
        Some(Member { sharing, sharer, file: identity, number: NUMBERS.fetch_add(1, Ordering::Relaxed) })
    }

    /// Joins a lock of another user, if there is one and sharing is allowed. If it is refused, the system must not be
    /// asked: the bytes may be locked on the same file, and would be granted again.
    pub(super) fn join(&self, thing: Thing) -> Joined {
        let held = self.sharing.held();
        let Some(hold) = held.get(&(self.file, thing)).and_then(Weak::upgrade) else { return Joined::Free };
        let mut handle = hold.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let is_allowed = match self.sharer {
            Sharer::Handle => handle.1 == 0 || handle.0 == self.number,
            Sharer::Statement => handle.1 == 0 || self.sharing.0.paused.load(Ordering::SeqCst) == 0,
        };
        if is_allowed && self.sharer == Sharer::Handle {
            *handle = (self.number, handle.1 + 1);
        }
        drop(handle);
        if is_allowed { Joined::Shared(hold) } else { Joined::Refused }
    }

    /// Lets others have part in what was just locked.
    pub(super) fn note(&self, thing: Thing, file: &Arc<dyn WritableFile>, ranges: LockRanges) -> Arc<Hold> {
        let handle = Mutex::new(if self.sharer == Sharer::Handle { (self.number, 1) } else { (0, 0) });
        let of = (self.file, thing);
        let hold = Arc::new(Hold { of, file: Arc::clone(file), ranges, handle, is_released: false });
        self.sharing.held().insert(of, Arc::downgrade(&hold));
        hold
    }

    /// Has no part in it any more. The last gives the bytes back, unless its own lock of the table covers them.
    pub(super) fn leave(&self, hold: Arc<Hold>, table_of: Option<&Arc<dyn WritableFile>>) -> Result<()> {
        let mut held = self.sharing.held();
        if self.sharer == Sharer::Handle {
            let mut handle = hold.handle.lock().unwrap_or_else(PoisonError::into_inner);
            handle.1 = handle.1.saturating_sub(1);
        }
        let Some(mut last) = Arc::into_inner(hold) else { return Ok(()) };
        held.remove(&last.of);
        let is_covered = last.of.1 != Thing::Table && table_of.is_some_and(|file| Arc::ptr_eq(file, &last.file));
        last.is_released = true;
        if is_covered { Ok(()) } else { last.ranges.release(&*last.file) }
    }
}
