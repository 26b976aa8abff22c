//! The obstacle of a writer, and the error if it may not wait for its end.

use super::RowName;
use super::locks::LockMode;
use crate::group::Group;
use crate::stamp::{MARK, is_mark};
use mainstay_types::{Code, Error};
use std::sync::Arc;

/// The reason that a writer cannot continue.
pub(crate) enum Obstacle {
    /// The mark of an open transaction on a version.
    Mark { group: Arc<Group>, offset: usize, stamp: u64 },
    /// The stamp of a commit that is decided and not published: no view sees what it did.
    Commit { commit: u64 },
    /// A row lock of an open transaction.
    Lock { row: RowName, holder: u64, mode: LockMode },
    /// A range of a table that an open transaction holds.
    Range { table: u32, holder: u64 },
}

/// The error of the second of two writers that may not read again.
#[cold]
pub(crate) fn overtaken() -> Error {
    Error::new(Code::Conflict, "another transaction changed the row first")
        .hint("roll back and run the transaction again")
}

/// The obstacle that keeps a transaction of the mark `own` from acting on a version with this stamp: another transaction has put the stamp
/// there and is open, or its commit is later than the last `published` one.
///
/// A transaction that acted on a commit before it is published would get an error about a row (a duplicate key, a
/// parent that is gone) that its next statement does not find.
#[inline]
pub(crate) fn obstacle(
    group: &Arc<Group>,
    offset: usize,
    stamp: u64,
    (own, published): (u64, u64),
) -> Option<Obstacle> {
    if stamp <= published || stamp == own {
        return None;
    }
    if stamp < MARK {
        return Some(Obstacle::Commit { commit: stamp });
    }
    is_mark(stamp).then(|| Obstacle::Mark { group: Arc::clone(group), offset, stamp })
}
