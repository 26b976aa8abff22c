//! Rows as they came from the server: their bytes back to back, and where each ends.

use crate::layout::Layout;
use std::ops::Range;

/// Rows of one or several fetches.
#[derive(Clone, Debug, Default)]
pub struct RowBlock {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// Values of TEXT, BYTE, BLOB and CLOB columns, row by row; NULL ones have no bytes.
    pub lobs: Vec<Vec<u8>>,
}

impl RowBlock {
    /// Makes room for so many bytes of rows, of which each has about as many as the first.
    pub(crate) fn reserve(&mut self, bytes: usize, row_bytes: usize) {
        self.bytes.reserve(bytes);
        self.ends.reserve(bytes / row_bytes.max(1));
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Appends the rows of another block of the same layout, from this one on.
    pub fn append(&mut self, other: &RowBlock, from: usize) {
        let Some(range) = other.range(from) else { return };
        let moved = self.bytes.len();
        self.bytes.extend_from_slice(other.bytes.get(range.start..).unwrap_or_default());
        let ends = other.ends.iter().skip(from).map(|end| *end as usize - range.start + moved);
        self.ends.extend(ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)));
        let lobs = other.lobs.len().checked_div(other.ends.len()).unwrap_or(0);
        self.lobs.extend(other.lobs.iter().skip(from * lobs).cloned());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a row.
    #[inline]
    pub fn row(&self, place: usize) -> Option<&[u8]> {
        self.bytes.get(self.range(place)?)
    }

    #[inline]
    pub(crate) fn range(&self, place: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(place)? as usize;
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |start| *start as usize);
        Some(start..end)
    }

    /// The bytes of all rows.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes that the rows take.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.lobs.iter().map(Vec::len).sum::<usize>()
    }

    /// The bytes of a TEXT, BYTE, BLOB or CLOB value.
    pub fn lob(&self, layout: &Layout, row: usize, column: usize) -> Option<&[u8]> {
        let place = layout.lobs.iter().position(|known| *known == column)?;
        self.lobs.get(row * layout.lobs.len() + place).map(Vec::as_slice)
    }
}
