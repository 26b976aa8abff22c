//! Conditions on leading columns as ranges of key bytes.
//!
//! Whatever the columns' directions and wherever NULL sorts, the keys that meet `a = 1 AND b > 5` are one run of
//! bytes: from one byte string (included) to another (not included).
//!
//! ```text
//!   a = 1                ascending b:   [ key(1)                     ..  successor(key(1)) )
//!   a = 1 AND b > 5      ascending b:   [ successor(key(1, 5))       ..  successor(key(1)) )
//!   a = 1 AND b > 5      descending b:  [ key(1)                     ..  key(1, 5) )
//!   a = 1 AND b < 5      ascending b:   [ key(1) + value's marker    ..  key(1, 5) )     NULL is not less than 5
//! ```
//!
//! Limit: one range; several (`IN`, `OR`) are several calls.

use super::KeyEncoder;
use super::writer::NOT_NULL;
use mainstay_types::{Result, ValueRef};
use std::ops::Bound;

/// Keys from one byte string to another, for [`crate::index::Cursor::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins: included.
    pub low: Vec<u8>,
    /// Where it ends: not included; `None` for the end of the index.
    pub high: Option<Vec<u8>>,
}

/// The kind of range that two buffers bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// No keys.
    Empty,
    /// From the first to before the second.
    Bounded,
    /// From the first to the end of the index.
    Open,
}

impl KeyRange {
    /// No keys.
    pub fn empty() -> KeyRange {
        KeyRange { low: Vec::new(), high: Some(Vec::new()) }
    }
}

/// Turns a prefix of keys into the least byte string greater than all keys with that prefix; `false` (and an empty
/// string) if no such string exists.
pub fn successor(prefix: &mut Vec<u8>) -> bool {
    while let Some(last) = prefix.last_mut() {
        if let Some(next) = last.checked_add(1) {
            *last = next;
            return true;
        }
        prefix.pop();
    }
    false
}

impl KeyEncoder {
    /// The keys whose first columns equal these values (NULL means IS NULL) and whose next one is between the bounds.
    ///
    /// If both bounds are open, NULL is in it; otherwise it is not, and a bound that is NULL lets nothing in.
    ///
    /// # Errors
    ///
    /// As [`super::KeyWriter::push`].
    pub fn range(
        &self,
        equal: &[ValueRef<'_>],
        from: Bound<ValueRef<'_>>,
        to: Bound<ValueRef<'_>>,
    ) -> Result<KeyRange> {
        let mut range = KeyRange::empty();
        let high = range.high.get_or_insert_default();
        match self.range_into(equal, from, to, (&mut range.low, high))? {
            Ends::Empty => Ok(KeyRange::empty()),
            Ends::Bounded => Ok(range),
            Ends::Open => Ok(KeyRange { high: None, ..range }),
        }
    }

    /// The same in buffers that are used again.
    ///
    /// # Errors
    ///
    /// As [`super::KeyWriter::push`].
    pub fn range_into(
        &self,
        equal: &[ValueRef<'_>],
        from: Bound<ValueRef<'_>>,
        to: Bound<ValueRef<'_>>,
        (low, high): (&mut Vec<u8>, &mut Vec<u8>),
    ) -> Result<Ends> {
        if [from, to].iter().any(|bound| matches!(bound, Bound::Included(v) | Bound::Excluded(v) if v.is_null())) {
            return Ok(Ends::Empty);
        }
        let column = self.columns().get(equal.len());
        let descending = column.is_some_and(|column| column.descending);
        let has_bound = !matches!((from, to), (Bound::Unbounded, Bound::Unbounded));
        let skips_null = has_bound && column.is_some_and(|column| column.nullable);
        let (first, last) = if descending { (to, from) } else { (from, to) };
        // The low end is behind the keys of an excluded value; the high end is behind those of an included one.
        let behind = self.bound(equal, first, low)? && matches!(first, Bound::Excluded(_));
        if matches!(first, Bound::Unbounded) && skips_null && !descending {
            low.push(NOT_NULL);
        }
        if behind && !successor(low) {
            return Ok(Ends::Empty);
        }
        self.bound(equal, last, high)?;
        let is_bounded = match last {
            Bound::Excluded(_) => true,
            Bound::Unbounded if skips_null && descending => {
                // The inverted marker of NULL, behind all values.
                high.push(0xFF);
                true
            }
            Bound::Included(_) | Bound::Unbounded => successor(high),
        };
        Ok(if is_bounded { Ends::Bounded } else { Ends::Open })
    }

    /// Writes the columns and the bound's value. Returns true if there is one.
    fn bound(&self, equal: &[ValueRef<'_>], bound: Bound<ValueRef<'_>>, out: &mut Vec<u8>) -> Result<bool> {
        let mut key = self.start(out);
        equal.iter().try_for_each(|value| key.push(*value))?;
        match bound {
            Bound::Included(value) | Bound::Excluded(value) => key.push(value).map(|()| true),
            Bound::Unbounded => Ok(false),
        }
    }
}
