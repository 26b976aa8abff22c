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
use mainstay_base::{Result, ValueRef};
use std::ops::Bound;

/// Keys from one byte string to another, for [`crate::index::Cursor::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins: included.
    pub low: Vec<u8>,
    /// Where it ends: not included; `None` for the end of the index.
    pub high: Option<Vec<u8>>,
}

impl KeyRange {
    /// No keys.
    pub fn empty() -> KeyRange {
        KeyRange { low: Vec::new(), high: Some(Vec::new()) }
    }
}

/// Makes of the start of some keys the least byte string greater than all keys that start so; `false` (and an empty
/// string) if there is none.
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
        if [from, to].iter().any(|bound| matches!(bound, Bound::Included(v) | Bound::Excluded(v) if v.is_null())) {
            return Ok(KeyRange::empty());
        }
        let column = self.columns().get(equal.len());
        let descending = column.is_some_and(|column| column.descending);
        let has_bound = !matches!((from, to), (Bound::Unbounded, Bound::Unbounded));
        let skips_null = has_bound && column.is_some_and(|column| column.nullable);
        let (first, last) = if descending { (to, from) } else { (from, to) };
        let (mut low, mut high) = (Vec::new(), Vec::new());
        // The low end is behind the keys of an excluded value; the high end is behind those of an included one.
        let behind = self.bound(equal, first, &mut low)? && matches!(first, Bound::Excluded(_));
        if matches!(first, Bound::Unbounded) && skips_null && !descending {
            low.push(NOT_NULL);
        }
        if behind && !successor(&mut low) {
            return Ok(KeyRange::empty());
        }
        self.bound(equal, last, &mut high)?;
        let is_bounded = match last {
            Bound::Excluded(_) => true,
            Bound::Unbounded if skips_null && descending => {
                // The inverted marker of NULL, behind all values.
                high.push(0xFF);
                true
            }
            Bound::Included(_) | Bound::Unbounded => successor(&mut high),
        };
        Ok(KeyRange { low, high: is_bounded.then_some(high) })
    }

    /// Writes the columns and the bound's value: whether there is one.
    fn bound(&self, equal: &[ValueRef<'_>], bound: Bound<ValueRef<'_>>, out: &mut Vec<u8>) -> Result<bool> {
        let mut key = self.start(out);
        equal.iter().try_for_each(|value| key.push(*value))?;
        match bound {
            Bound::Included(value) | Bound::Excluded(value) => key.push(value).map(|()| true),
            Bound::Unbounded => Ok(false),
        }
    }
}
