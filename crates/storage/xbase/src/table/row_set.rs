//! Sets of rows: the results of ranges of keys, and their intersections and unions.
//!
//! Few rows are an ascending list, many are a bitmap of all row slots. A range of keys gives the rows in the
//! order of the keys, so a list is sorted before it is a set.

use super::tag::TableTag;
use arrow_buffer::{BooleanBuffer, Buffer};
use mainstay_columnar::{KeyRange, RowSet};
use mainstay_types::{Code, Error, Result};
use std::ops::{Bound, ControlFlow};

/// A list of rows becomes a bitmap when more than one row in this many is in it.
const BITMAP_FROM: usize = 64;

/// The rows that a range of keys gives; `None` when it has more than `most`.
///
/// `add_unlisted` adds rows that the tag does not list yet.
pub(crate) fn range_rows(
    tag: &TableTag,
    range: &KeyRange,
    slots: usize,
    most: usize,
    add_unlisted: impl FnOnce(&mut Vec<u32>) -> Result<()>,
) -> Result<Option<RowSet>> {
    let mut rows = Vec::new();
    let (mut keys, mut names_record_0) = (0, false);
    let mut add = |recno: u32| match (recno as usize).checked_sub(1) {
        Some(row) if row < slots => rows.push(row as u32),
        // A record that was appended after the statement began.
        Some(_) => {}
        None => names_record_0 = true,
    };
    let is_done = match (&range.lower, &range.upper) {
        (Bound::Included(lower), Bound::Included(upper)) if lower == upper => tag.tag.equal(lower, &mut add)?,
        _ => false,
    };
    if !is_done {
        // The range repeats the rows of the first page; the set removes the repetition.
        tag.tag.range(as_slice(&range.lower), as_slice(&range.upper), |recno, _| {
            add(recno);
            keys += 1;
            if keys > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    if keys > most {
        return Ok(None);
    }
    if names_record_0 {
        return Err(Error::new(Code::IndexDamaged, "a key of record 0"));
    }
    add_unlisted(&mut rows)?;
    if rows.len() > slots / BITMAP_FROM {
        return Ok(Some(RowSet::Bitmap(bitmap(&rows, slots))));
    }
    rows.sort_unstable();
    rows.dedup();
    Ok(Some(RowSet::List(rows)))
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

fn bitmap(rows: &[u32], slots: usize) -> BooleanBuffer {
    let mut bits = vec![0u64; slots.div_ceil(64)];
    for row in rows {
        bits[*row as usize / 64] |= 1 << (row % 64);
    }
    BooleanBuffer::new(Buffer::from_vec(bits), 0, slots)
}

/// The rows that are in both; the third argument makes it of one kind with [`or`].
pub(crate) fn and(a: RowSet, b: RowSet, _: usize) -> RowSet {
    match (a, b) {
        (RowSet::List(a), RowSet::List(b)) => {
            RowSet::List(a.into_iter().filter(|row| b.binary_search(row).is_ok()).collect())
        }
        (RowSet::List(rows), RowSet::Bitmap(bits)) | (RowSet::Bitmap(bits), RowSet::List(rows)) => {
            RowSet::List(rows.into_iter().filter(|row| bits.value(*row as usize)).collect())
        }
        (RowSet::Bitmap(a), RowSet::Bitmap(b)) => RowSet::Bitmap(&a & &b),
    }
}

/// The rows that are in either, of a table of so many slots.
pub(crate) fn or(a: RowSet, b: RowSet, slots: usize) -> RowSet {
    let as_bitmap = |set: RowSet| match set {
        RowSet::List(rows) => bitmap(&rows, slots),
        RowSet::Bitmap(bits) => bits,
    };
    match (a, b) {
        (RowSet::List(mut a), RowSet::List(b)) if a.len() + b.len() <= slots / BITMAP_FROM => {
            a.extend(b);
            a.sort_unstable();
            a.dedup();
            RowSet::List(a)
        }
        (a, b) => RowSet::Bitmap(&as_bitmap(a) | &as_bitmap(b)),
    }
}
