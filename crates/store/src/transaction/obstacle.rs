//! What stands in a writer's way, and the error where it may not wait for its end.

use super::RowName;
use super::locks::LockMode;
use crate::group::Group;
use crate::stamp::is_mark;
use mainstay_base::{Code, Error};
use std::sync::Arc;

/// What keeps a writer from going on.
pub(crate) enum Obstacle {
    /// The mark of an open transaction on a version.
    Mark { group: Arc<Group>, offset: usize, stamp: u64 },
    /// A row lock of an open transaction.
    Lock { row: RowName, holder: u64, mode: LockMode },
    /// A range of a table that an open transaction holds.
    Range { table: u32, holder: u64 },
}

/// The error of whoever comes second and may not look again.
#[cold]
pub(crate) fn overtaken() -> Error {
    Error::new(Code::Conflict, "another transaction changed the row first")
        .hint("roll back and run the transaction again")
}

/// What keeps a transaction of this mark from a version with this stamp, if another one has put it there and is open.
#[inline]
pub(crate) fn obstacle(group: &Arc<Group>, offset: usize, stamp: u64, own: u64) -> Option<Obstacle> {
    (is_mark(stamp) && stamp != own).then(|| Obstacle::Mark { group: Arc::clone(group), offset, stamp })
}
