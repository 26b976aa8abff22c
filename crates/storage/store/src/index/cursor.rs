//! A range of an index, read in portions, with changes to the index in between.
//!
//! A cursor holds no place in the tree, only what is left of its range in key bytes. After each portion the range
//! starts behind (or, descending, ends before) the last key that was read, so that whatever happens to the tree between
//! two portions, no key is read twice and no key that stays is missed.
//!
//! ```text
//!   range      [ low ............................. high )
//!   read         k1 k2 k3
//!   left                 [ k3 \0 ................. high )      k3 \0: the least byte string greater than k3
//! ```
//!
//! Limit: an entry that comes or goes while the cursor is on its way may be read or not. The snapshot's visibility
//! decides about rows, not the index.

/// Which way a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the least key on.
    Ascending,
    /// From the greatest key on.
    Descending,
}

/// The unread rest of a range. [`Cursor::reset`] reuses its buffers.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(super) low: Vec<u8>,
    pub(super) high: Vec<u8>,
    /// True if `high` counts.
    pub(super) bounded: bool,
    pub(super) direction: Direction,
    pub(super) finished: bool,
}

impl Cursor {
    /// The keys from `low` (included; empty for the first) to `high` (not included; `None` for the end).
    ///
    /// Bounds are key bytes, or the start of some: the keys that start with P are those from P to
    /// [`crate::key::successor`] of P.
    pub fn new(low: &[u8], high: Option<&[u8]>, direction: Direction) -> Cursor {
        let mut cursor = Cursor { low: Vec::new(), high: Vec::new(), bounded: false, direction, finished: false };
        cursor.reset(low, high, direction);
        cursor
    }

    /// Another range.
    pub fn reset(&mut self, low: &[u8], high: Option<&[u8]>, direction: Direction) {
        self.low.clear();
        self.low.extend_from_slice(low);
        self.high.clear();
        self.high.extend_from_slice(high.unwrap_or_default());
        (self.bounded, self.direction, self.finished) = (high.is_some(), direction, false);
    }

    /// Returns true if the whole range has been read.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Leaves what comes after the key whose bytes `write` appends.
    pub(super) fn move_behind(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        match self.direction {
            Direction::Ascending => {
                self.low.clear();
                write(&mut self.low);
                self.low.push(0);
            }
            Direction::Descending => {
                self.high.clear();
                write(&mut self.high);
                self.bounded = true;
            }
        }
    }
}
