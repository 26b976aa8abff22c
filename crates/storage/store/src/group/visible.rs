//! The slots of a group that a view sees, as a bitmap.
//!
//! Most groups of most tables contain nothing but old rows, and reading 65,536 stamps to find that out would cost more
//! than summing the column. So a group remembers the result of a scan: the first `settled` slots were all created by
//! commits up to `settled_commit`. Stamps below MARK never change, so that stays true; a later scan reads only the
//! slots after them. And it counts the slots that were ended.
//!
//! ```text
//!   settled covers the view's rows, nothing ended    ->  None: all of them, without looking at a stamp
//!   otherwise                                        ->  a bit per slot, two comparisons each
//! ```

use super::Group;
use crate::stamp::{ABORTED, MARK, Stamps, View};
use arrow_buffer::BooleanBuffer;
use std::sync::atomic::Ordering;

impl Group {
    /// Which of the first `length` slots the view sees; `None` means all of them.
    pub fn visible(&self, view: View, length: usize) -> Option<BooleanBuffer> {
        let length = length.min(self.len());
        let all_created = self.all_created(view, length);
        match (all_created, self.ended_stamps()) {
            (true, None) => None,
            (true, Some(ended)) => {
                let bits = BooleanBuffer::collect_bool(length, |i| !sees(ended, i, view));
                Some(bits).filter(|bits| bits.count_set_bits() < length)
            }
            (false, ended) => {
                let Some(created) = &self.created else { return None };
                let live = |ended: Option<&Stamps>| {
                    let is_live = |i| sees_created(created, i, view) && ended.is_none_or(|ended| !sees(ended, i, view));
                    BooleanBuffer::collect_bool(length, is_live)
                };
                let mut bits = live(ended);
                // The first version to be ended while we looked may have been rolled back, and look like one that was
                // created long ago ([`Group::bury`]).
                if let (None, Some(ended)) = (ended, self.ended_stamps()) {
                    bits = live(Some(ended));
                }
                Some(bits).filter(|bits| bits.count_set_bits() < length)
            }
        }
    }

    /// The stamps of ended versions, if there are any. To be read after the stamps of creation.
    fn ended_stamps(&self) -> Option<&Stamps> {
        let count = self.state.ended_count.load(Ordering::Acquire);
        self.state.ended.get().filter(|_| count > 0)
    }

    /// The number of slots among the first `length` that the view sees.
    pub fn visible_count(&self, view: View, length: usize) -> usize {
        let length = length.min(self.len());
        self.visible(view, length).map_or(length, |bits| bits.count_set_bits())
    }

    /// Returns true if the view sees the creation of all these slots, as far as that can be said at once. Looks only at
    /// the stamps that no scan before has found to be settled.
    fn all_created(&self, view: View, length: usize) -> bool {
        let Some(created) = &self.created else { return true };
        let state = &self.state;
        let settled = state.settled.load(Ordering::Acquire);
        if settled < length {
            let mut latest = 0;
            let more = created[settled..length]
                .iter()
                .map(|stamp| stamp.load(Ordering::Acquire))
                .take_while(|stamp| *stamp < MARK)
                .inspect(|stamp| latest = latest.max(*stamp))
                .count();
            // In this order: a reader of the new count reads the commit that goes with it, or a later one.
            state.settled_commit.fetch_max(latest, Ordering::AcqRel);
            state.settled.fetch_max(settled + more, Ordering::AcqRel);
            if settled + more < length {
                return false;
            }
        }
        state.settled_commit.load(Ordering::Acquire) <= view.commit
    }

    /// Returns true if any slot was created by a later commit, or by a transaction that is still open.
    pub(crate) fn has_later(&self, commit: u64) -> bool {
        (0..self.len()).map(|offset| self.created(offset)).any(|created| created > commit && created != ABORTED)
    }

    /// Returns true if everything in this full group was created by commits up to this one.
    pub(crate) fn is_settled(&self, commit: u64) -> bool {
        self.is_full() && self.all_created(View::at(commit, 0), self.capacity)
    }

    /// Returns true if a slot may have the mark of an open transaction; false is certain. No stamp is read.
    pub(crate) fn may_have_marks(&self) -> bool {
        let is_unsettled = self.created.is_some() && self.state.settled.load(Ordering::Acquire) < self.len();
        is_unsettled || self.ended_stamps().is_some()
    }

    /// Returns true if the two are forms of the same group.
    pub(crate) fn is_same(&self, other: &Group) -> bool {
        std::sync::Arc::ptr_eq(&self.state, &other.state)
    }

    /// Returns true if the `created` stamps are still there.
    pub(crate) fn has_created(&self) -> bool {
        self.created.is_some()
    }

    /// The number of slots with versions that commits have ended or that were rolled back, and that are not buried yet.
    pub(crate) fn unburied(&self) -> usize {
        self.state.garbage_count.load(Ordering::Acquire)
    }

    /// The number of slots with buried versions.
    pub(crate) fn buried(&self) -> usize {
        self.state.buried_count.load(Ordering::Acquire)
    }

    /// The approximate number of slots with versions that were ended or rolled back: marks of open transactions count
    /// too.
    pub(crate) fn garbage(&self) -> usize {
        self.state.ended_count.load(Ordering::Acquire) + self.state.aborted_count.load(Ordering::Acquire)
    }
}

/// In this order: a value that is read after a stamp is at least as new as the stamp.
#[inline]
fn sees(stamps: &Stamps, offset: usize, view: View) -> bool {
    view.sees(stamps[offset].load(Ordering::Acquire))
}

/// The same of the stamps of creation.
#[inline]
fn sees_created(stamps: &Stamps, offset: usize, view: View) -> bool {
    view.sees_created(stamps[offset].load(Ordering::Acquire))
}

#[cfg(test)]
mod tests {
    use super::super::Group;
    use super::*;
    use mainstay_types::{SqlType, ValueRef};
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    /// Row `i` is committed as `i + 1` and then published. Readers that share what they find about settled slots see at
    /// every view exactly the rows up to it, and the writer keeps a mark in front of them all the time.
    #[test]
    fn readers_beside_commits_see_what_was_published() {
        let rows = if cfg!(miri) { 12 } else { 50_000 };
        let mut writer = Group::create(0, &[SqlType::BigInt], rows, 1);
        let group = Arc::clone(writer.group());
        let published = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while published.load(Ordering::Acquire) < rows as u64 {
                        let view = View::at(published.load(Ordering::Acquire), 0);
                        assert_eq!(group.visible_count(view, group.len()) as u64, view.commit);
                        std::thread::yield_now();
                    }
                });
            }
            for row in 0..rows {
                writer.reserve(MARK | 7, crate::stamp::NOWHERE);
                writer.append(&[ValueRef::Integer(row as i64)][..], row as u64 + 1).unwrap();
                group.commit_created(row..row + 1, row as u64 + 1);
                published.store(row as u64 + 1, Ordering::Release);
            }
        });
        assert!(group.is_settled(rows as u64) && !group.is_settled(rows as u64 - 1));
    }

    /// Versions that were rolled back are never seen, neither before vacuum removes them nor while it does.
    #[test]
    fn readers_beside_vacuum_do_not_see_what_was_rolled_back() {
        let (rounds, rows) = if cfg!(miri) { (3, 4) } else { (300, 600) };
        for _ in 0..rounds {
            let mut writer = Group::create(0, &[SqlType::BigInt], rows, 1);
            let group = Arc::clone(writer.group());
            for row in 0..rows {
                writer.reserve(MARK | 7, crate::stamp::NOWHERE);
                writer.append(&[ValueRef::Integer(row as i64)][..], row as u64 + 1).unwrap();
                group.abort(row);
            }
            let view = View::at(5, 0);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while group.buried() < rows {
                            assert_eq!(group.visible_count(view, rows), 0);
                            assert!((0..rows).all(|row| !group.sees(row, view)));
                        }
                    });
                }
                (0..rows).for_each(|row| group.bury(row));
            });
            assert_eq!((group.visible_count(view, rows), group.unburied()), (0, 0));
        }
    }
}
