//! Records that a program has appended and not filled in yet: they are blank, and no index lists them.
//!
//! xBase programs append a blank record, keep it locked while a user types, and give it its keys when it is written
//! (`indexed/unlisted.rs`; Harbour does the same). Meanwhile the index is correct except for these few. So a tag stays
//! trusted, and the matching unlisted records are added to its rows: their keys are computed here.
//!
//! ```text
//!   records      1 .. 300 | 301 (blank, being filled in) | 302
//!   keys of tag  1 .. 300 |                              | 302      rows of a range = keys in it + 301, if its key is in it
//! ```
//! They are sought where they are created, among the last [`LOOKED_AT`] records, and wherever all keys are compared
//! anyway. An unlisted record that is not blank was written without its index: then the tag is not used.
//!
//! Limits: a tag that lacks records does not give an order; the rows are sorted then. A record that is being filled in
//! while a great many others are appended behind it is not found by its key meanwhile.

use super::state::State;
use super::tag::TableTag;
use crate::dbf::{FieldKind, blank_record};
use crate::expr::Scratch;
use mainstay_columnar::{KeyRange, Snapshot};
use mainstay_types::Result;
use std::ops::Bound;

/// So many records at the end of a table may be blank without a key each.
const LOOKED_AT: usize = 64;

/// As many of them are told from a table that was extended without its index.
pub(crate) const MOST: usize = 64;

/// The bytes of a record without values.
pub(crate) struct Blank {
    bytes: Vec<u8>,
    /// Cells that are filled when a record is appended.
    filled: Vec<std::ops::Range<usize>>,
}

impl Blank {
    pub(crate) fn of(state: &State) -> Blank {
        let dbf = &state.files.dbf;
        let fills = |(place, kind): (usize, FieldKind)| {
            matches!(kind, FieldKind::ModificationTime | FieldKind::RowVersion) || dbf.counter(place).is_some()
        };
        let fields = dbf.fields().iter().enumerate().filter(|(place, field)| fills((*place, field.kind)));
        let filled = fields.map(|(_, field)| field.offset..field.offset + field.length).collect();
        Blank { bytes: blank_record(dbf.fields(), dbf.header()), filled }
    }

    /// Returns true if the record has no values, apart from cells that are filled when it is appended.
    pub(crate) fn is(&self, record: &[u8]) -> bool {
        if self.filled.is_empty() {
            return record == self.bytes;
        }
        let is_filled = |at: usize| self.filled.iter().any(|cell| cell.contains(&at));
        let same = |(at, (byte, blank)): (usize, (&u8, &u8))| byte == blank || is_filled(at);
        record.len() == self.bytes.len() && record.iter().zip(&self.bytes).enumerate().all(same)
    }
}

impl TableTag {
    /// The row slots of blank records without a key, among the last of the table.
    pub(crate) fn unlisted(&self, state: &State) -> Result<Vec<u32>> {
        let slots = state.slots();
        let first = slots.saturating_sub(LOOKED_AT);
        let (mut last, mut scratch, mut found): (Vec<u8>, _, _) = (Vec::new(), Scratch::new(), Vec::new());
        if first == slots {
            return Ok(found);
        }
        let blank = Blank::of(state);
        let length = state.files.dbf.header().record_bytes().max(1);
        last.resize((slots - first) * length, 0);
        state.read_counted(first, &mut last)?;
        for (row, record) in (first as u32..).zip(last.chunks_exact(length)) {
            if blank.is(record) && !self.has(&mut scratch, record, row + 1)? {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// Adds those of `unlisted` whose keys are in a range, as they are now.
    pub(crate) fn add_unlisted(
        &self,
        state: &State,
        range: &KeyRange,
        unlisted: &[u32],
        rows: &mut Vec<u32>,
    ) -> Result<()> {
        let (mut scratch, mut record) = (Scratch::new(), Vec::new());
        for row in unlisted.iter().copied().filter(|row| (*row as usize) < state.slots()) {
            state.record(row, &mut record)?;
            if !self.keys().lists(&mut scratch, &record, row + 1)? {
                continue;
            }
            let key = self.keys().key_of(&mut scratch, &record, row + 1)?;
            if is_within(&key, &range.lower, &range.upper) {
                rows.push(row);
            }
        }
        Ok(())
    }
}

/// Returns true if a key is in a range, of which the ends may be the beginnings of keys.
fn is_within(key: &[u8], lower: &Bound<Vec<u8>>, upper: &Bound<Vec<u8>>) -> bool {
    let head = |end: &[u8]| key.get(..end.len().min(key.len())).unwrap_or_default().cmp(end);
    let is_above = match lower {
        Bound::Included(end) => head(end).is_ge(),
        Bound::Excluded(end) => head(end).is_gt(),
        Bound::Unbounded => true,
    };
    is_above
        && match upper {
            Bound::Included(end) => head(end).is_le(),
            Bound::Excluded(end) => head(end).is_lt(),
            Bound::Unbounded => true,
        }
}
