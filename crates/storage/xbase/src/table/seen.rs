//! The rows that a walk in the order of an index has returned: every row of the table must come exactly once.

use super::state::State;
use mainstay_columnar::Snapshot;
use mainstay_types::Result;

/// See the module.
pub(super) struct Seen {
    words: Vec<u64>,
}

impl Seen {
    pub(super) fn new(slots: usize) -> Seen {
        Seen { words: vec![0; slots.div_ceil(64)] }
    }

    /// Returns true if the row is new.
    pub(super) fn add(&mut self, row: usize) -> bool {
        let bit = 1 << (row % 64);
        let is_new = self.words[row / 64] & bit == 0;
        self.words[row / 64] |= bit;
        is_new
    }

    pub(super) fn has_all(&self, state: &State) -> bool {
        (0..state.slots()).all(|row| self.words[row / 64] & (1 << (row % 64)) != 0)
    }

    pub(super) fn has_all_visible(&self, state: &State) -> Result<bool> {
        for group in 0..state.groups() {
            let visible = state.visible(group)?;
            let start = state.group(group).start;
            let is_there = |row: &usize| visible.as_ref().is_none_or(|bits| bits.value(row - start));
            let has = |row: usize| self.words[row / 64] & (1 << (row % 64)) != 0;
            if state.group(group).filter(is_there).any(|row| !has(row)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
