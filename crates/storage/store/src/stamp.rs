//! Stamps: the transaction that created or ended a version, in one number.
//!
//! ```text
//!   0 ............ 2^63 - 1     a commit number: the transaction that committed as this one
//!   2^63 | id                   a mark: the transaction of this id, which is still open
//!   2^64 - 2                    ABORTED: created by a transaction that was rolled back
//!   2^64 - 1                    NEVER: not ended
//! ```
//!
//! Every commit number is less than every mark, so whether a version belongs to a [`View`] is two comparisons. A stamp
//! changes from a mark to a commit number once; that is when the commit takes effect for views taken from then on, because
//! a view's number is that of the last *published* commit.

use std::sync::atomic::{AtomicU64, Ordering};

/// The bit of a mark.
pub const MARK: u64 = 1 << 63;
/// Created by a transaction that was rolled back.
pub const ABORTED: u64 = u64::MAX - 1;
/// Not ended.
pub const NEVER: u64 = u64::MAX;

/// The position of no row: no group has this number.
pub const NOWHERE: u64 = u64::MAX;

/// Returns true if this stamp is the mark of an open transaction.
#[inline]
pub fn is_mark(stamp: u64) -> bool {
    (MARK..ABORTED).contains(&stamp)
}

/// The view of a statement: everything up to a commit, and the changes of its own transaction.
///
/// A function that a query calls runs in a session beside the query's ([`Outlook`](crate::Outlook)). Its statements see the
/// temporary tables of their own session as that does, and all other tables as the query does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The last commit that is seen.
    pub commit: u64,
    /// The mark of the own transaction, or 0 for none.
    pub mark: u64,
    /// The same of tables that are not temporary.
    shared: (u64, u64),
    /// Versions whose stamp of creation is greater are seen, too: those of open transactions, and of commits that were not
    /// published when the view was made. `u64::MAX` for none.
    pending_above: u64,
}

impl View {
    /// A view that is the same for all tables.
    #[inline]
    pub fn at(commit: u64, mark: u64) -> View {
        View { commit, mark, shared: (commit, mark), pending_above: u64::MAX }
    }

    /// The same, with all tables but temporary ones as another transaction sees them.
    pub(crate) fn beside(self, (commit, mark): (u64, u64)) -> View {
        View { shared: (commit, mark), ..self }
    }

    /// The view of one table.
    #[inline]
    pub(crate) fn of(self, is_temporary: bool) -> View {
        let (commit, mark) = if is_temporary { (self.commit, self.mark) } else { self.shared };
        View { pending_above: self.pending_above, ..View::at(commit, mark) }
    }

    /// The same with uncommitted versions of other transactions, or versions whose commits are later than the last
    /// `published` one, beside those that they replace: for a caller that checks for transactions to wait for, and
    /// never for an answer.
    pub(crate) fn with_pending(self, published: u64) -> View {
        View { pending_above: published, ..self }
    }

    /// The transaction has become a writer, with this mark.
    pub(crate) fn marked(self, mark: u64) -> View {
        let is_own = self.shared == (self.commit, self.mark);
        let marked = View { mark, ..self };
        if is_own { View::at(self.commit, mark) } else { marked }
    }

    /// Returns true if what carries this stamp has happened, for this view.
    #[inline]
    pub fn sees(self, stamp: u64) -> bool {
        stamp <= self.commit || stamp == self.mark
    }

    /// Returns true if a version whose creator has left this stamp is there, for this view.
    #[inline]
    pub(crate) fn sees_created(self, stamp: u64) -> bool {
        self.sees(stamp) || (stamp > self.pending_above && stamp < ABORTED)
    }
}

/// Stamps of the slots of a group.
pub(crate) type Stamps = Box<[AtomicU64]>;

/// As many stamps of this value.
pub(crate) fn stamps(count: usize, value: u64) -> Stamps {
    (0..count).map(|_| AtomicU64::new(value)).collect()
}

/// Replaces a stamp if it is still the one expected; the answer is the stamp that was there.
#[inline]
pub(crate) fn exchange(stamp: &AtomicU64, expected: u64, new: u64) -> Result<u64, u64> {
    stamp.compare_exchange(expected, new, Ordering::AcqRel, Ordering::Acquire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_sees_commits_up_to_its_own_and_its_own_mark() {
        let view = View::at(7, MARK | 3);
        assert!(view.sees(0) && view.sees(7) && view.sees(MARK | 3));
        assert!(!view.sees(8) && !view.sees(MARK | 2) && !view.sees(ABORTED) && !view.sees(NEVER));
        assert!(is_mark(MARK) && is_mark(MARK | 9) && !is_mark(ABORTED) && !is_mark(NEVER) && !is_mark(9));
    }

    #[test]
    fn with_what_is_pending_a_view_sees_marks_of_others_and_not_what_they_end() {
        let view = View::at(7, MARK | 3).with_pending(8).of(false);
        assert!(view.sees_created(7) && view.sees_created(MARK | 2));
        assert!(!view.sees_created(8) && view.sees_created(9), "8 is published, and 9 is not");
        assert!(!view.sees_created(ABORTED) && !view.sees(MARK | 2));
        assert!(!View::at(7, MARK | 3).sees_created(MARK | 2));
    }

    #[test]
    fn beside_another_one_only_temporary_tables_are_its_own() {
        let view = View::at(7, 0).beside((3, MARK | 2)).marked(MARK | 9);
        assert_eq!((view.of(true), view.of(false)), (View::at(7, MARK | 9), View::at(3, MARK | 2)));
        assert_eq!(View::at(7, 0).marked(MARK | 9).of(false), View::at(7, MARK | 9));
    }
}
