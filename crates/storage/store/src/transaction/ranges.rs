//! Range locks: the locks that HOLDLOCK takes on rows that do not exist yet.
//!
//! A transaction that has found no row of a key, and must find none until it ends, locks the range in which it looked.
//! A transaction that inserts a row there waits for it; so does one that wants an exclusive lock on an overlapping
//! range.
//!
//! ```text
//!   A holds  k = 7            B inserts k = 8         goes on
//!                             B inserts k = 7         waits for A
//!                             B wants k = 7 alone     waits for A
//!   A, B hold k = 7 (shared)  both insert k = 7       a deadlock, as the waits find at once
//! ```
//!
//! A range is an interval for each of some columns; a row is in it if all of them may have its values. Values that are
//! hard to compare count as within: a lock may be too wide, and never too narrow. Text is compared without case,
//! accents and trailing blanks, for equality only. Ranges are read under the write latch of their table, like locks of
//! rows, and only if there are any. They end with their transaction.

use super::locks::LockMode;
use crate::row::Row;
use mainstay_types::{Collation, Value, ValueRef};
use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The values of a column between two, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The column's number.
    pub column: usize,
    /// The smallest; `None` for no bound.
    pub low: Option<Value>,
    /// The largest; `None` for no bound.
    pub high: Option<Value>,
}

/// The rows whose columns are in all of these intervals; without any, all rows.
pub type KeyRange = Vec<Interval>;

struct Held {
    table: u32,
    transaction: u64,
    mode: LockMode,
    range: KeyRange,
}

/// The ranges that are held, and by which transactions.
#[derive(Default)]
pub(crate) struct RangeLocks {
    count: AtomicUsize,
    held: Mutex<Vec<Held>>,
}

impl RangeLocks {
    /// Returns true if any is held.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.count.load(Atomic::Acquire) > 0
    }

    /// A transaction other than this one that keeps a row out of a table.
    pub(crate) fn keeper<R: Row + ?Sized>(&self, table: u32, transaction: u64, row: &R, is_new: bool) -> Option<u64> {
        let keeps = |held: &&Held| {
            held.table == table
                && held.transaction != transaction
                && (is_new || held.range.iter().any(|interval| row.changes(interval.column)))
                && held.range.iter().all(|interval| interval.may_have(row.value(interval.column)))
        };
        self.lock().iter().find(keeps).map(|held| held.transaction)
    }

    /// A transaction other than this one that keeps it from having a range.
    pub(crate) fn obstacle(&self, table: u32, transaction: u64, mode: LockMode, range: &[Interval]) -> Option<u64> {
        let excludes = |held: &&Held| {
            held.table == table
                && held.transaction != transaction
                && (mode == LockMode::Exclusive || held.mode == LockMode::Exclusive)
                && overlap(&held.range, range)
        };
        self.lock().iter().find(excludes).map(|held| held.transaction)
    }

    /// Holds a range for which there is no obstacle.
    pub(crate) fn take(&self, table: u32, transaction: u64, mode: LockMode, range: KeyRange) {
        let mut held = self.lock();
        let is_it = |held: &&mut Held| held.table == table && held.transaction == transaction && held.range == range;
        match held.iter_mut().find(is_it) {
            Some(known) if mode == LockMode::Exclusive => known.mode = mode,
            Some(_) => {}
            None => {
                held.push(Held { table, transaction, mode, range });
                self.count.fetch_add(1, Atomic::AcqRel);
            }
        }
    }

    /// Returns true if a transaction holds any range of a table.
    pub(crate) fn holds(&self, table: u32, transaction: u64) -> bool {
        self.any() && self.lock().iter().any(|held| held.table == table && held.transaction == transaction)
    }

    /// Gives all ranges of a transaction back.
    pub(crate) fn release(&self, transaction: u64) {
        let mut held = self.lock();
        let before = held.len();
        held.retain(|held| held.transaction != transaction);
        self.count.fetch_sub(before - held.len(), Atomic::AcqRel);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Interval {
    fn may_have(&self, value: ValueRef<'_>) -> bool {
        if value == ValueRef::Null {
            return self.low.is_none() && self.high.is_none();
        }
        let above = self.low.as_ref().is_none_or(|low| compare(value, low.as_ref()) != Some(Ordering::Less));
        let below = self.high.as_ref().is_none_or(|high| compare(value, high.as_ref()) != Some(Ordering::Greater));
        above && below
    }

    /// Returns true if no value is in both.
    fn is_apart(&self, other: &Interval) -> bool {
        let ends_before = |one: &Interval, two: &Interval| match (&one.high, &two.low) {
            (Some(high), Some(low)) => compare(high.as_ref(), low.as_ref()) == Some(Ordering::Less),
            _ => false,
        };
        ends_before(self, other) || ends_before(other, self)
    }
}

fn overlap(left: &[Interval], right: &[Interval]) -> bool {
    !left.iter().any(|one| right.iter().any(|two| one.column == two.column && one.is_apart(two)))
}

/// The order of two values, if it is easy to determine.
fn compare(left: ValueRef<'_>, right: ValueRef<'_>) -> Option<Ordering> {
    use ValueRef as V;
    match (left, right) {
        (V::Text(left), V::Text(right)) => {
            let (left, right) = (left.trim_end_matches(' '), right.trim_end_matches(' '));
            Some(Collation::CaseAccentInsensitive.compare(left, right))
        }
        (left, right) => super::serializable::compare(left, right, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(column: usize, low: Option<Value>, high: Option<Value>) -> Interval {
        Interval { column, low, high }
    }

    fn exactly(column: usize, value: Value) -> Interval {
        interval(column, Some(value.clone()), Some(value))
    }

    fn number(value: i64) -> Value {
        Value::Integer(value)
    }

    #[test]
    fn ranges_that_share_no_row_are_apart() {
        let seven = [exactly(0, number(7))];
        assert!(!overlap(&seven, &[exactly(0, number(8))]));
        assert!(overlap(&seven, &[exactly(1, number(8))]));
        assert!(overlap(&seven, &[]));
        assert!(overlap(&seven, &[interval(0, Some(number(7)), None)]));
        assert!(!overlap(&seven, &[interval(0, Some(number(8)), None)]));
        assert!(!overlap(
            &[exactly(0, number(1)), exactly(1, number(1))],
            &[exactly(0, number(1)), exactly(1, number(2))]
        ));
        let text = |text: &str| [exactly(0, Value::Text(text.into()))];
        assert!(overlap(&text("Abc "), &text("aBC")) && !overlap(&text("a"), &text("b")));
        // Values that cannot be compared may be equal.
        assert!(overlap(&text("7"), &seven));
    }

    #[test]
    fn rows_are_kept_out_of_ranges() {
        let locks = RangeLocks::default();
        let row = |key: i64| [ValueRef::Integer(key), ValueRef::Null];
        assert_eq!(locks.keeper(1, 5, &row(7)[..], true), None);
        locks.take(1, 4, LockMode::Share, vec![exactly(0, number(7))]);
        assert_eq!(locks.keeper(1, 5, &row(7)[..], true), Some(4));
        assert_eq!(locks.keeper(1, 4, &row(7)[..], true), None);
        assert_eq!(locks.keeper(1, 5, &row(8)[..], true), None);
        assert_eq!(locks.keeper(2, 5, &row(7)[..], true), None);
        assert_eq!(locks.keeper(1, 5, &[ValueRef::Null][..], true), None);
        assert_eq!(locks.obstacle(1, 5, LockMode::Share, &[]), None);
        assert_eq!(locks.obstacle(1, 5, LockMode::Exclusive, &[]), Some(4));
        locks.release(4);
        assert!(!locks.any() && !locks.holds(1, 4));
    }
}
