//! Rows of a scan as batches: of a group, of a range of its slots, of a list of records.
//!
//! Each form applies the condition to as few columns as it can, and converts only the selected rows to their SQL types.

use crate::leaves::join_filters::RunningFilters;
use crate::leaves::scan::{FETCH_ROWS, Lookup, Scan, Source};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use datafusion::arrow::datatypes::SchemaRef;
use mainstay_columnar::vector::{filter, gather, holds, materialize, select, selected_rows};
use mainstay_columnar::{Predicate, Snapshot};
use mainstay_types::Result;
use std::ops::Range;
use std::sync::Arc;

/// The first rows that are there.
pub(crate) fn first_rows(source: &Source, snapshot: &dyn Snapshot, limit: usize) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(limit);
    for group in 0..snapshot.groups() {
        let base = snapshot.group(group).start as u32;
        match source.select(snapshot, group, None)? {
            Some(bits) => rows.extend(bits.set_indices().take(limit - rows.len()).map(|row| base + row as u32)),
            None => rows.extend((base..base + snapshot.group(group).len() as u32).take(limit - rows.len())),
        }
        if rows.len() >= limit {
            break;
        }
    }
    Ok(rows)
}

/// The rows of one group that the scan gives, at most `limit`.
pub(crate) fn group_batch(
    scan: &Scan,
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> Result<RecordBatch> {
    let slots = snapshot.group(group);
    let len = slots.len();
    if let Some(candidates) = candidates
        && !snapshot.is_decoded(group, &columns_of(scan))
        && let Some(run) = short_run(candidates, &slots)
        && snapshot.prefers_run(group, &columns_of(scan))
    {
        return run_batch(scan, snapshot, run, Some(candidates), limit);
    }
    if limit < len / 8 {
        let rows = first_selected(scan, snapshot, group, candidates, limit)?;
        return gathered(scan, snapshot, group, &rows);
    }
    let selection = scan.source.select(snapshot, group, candidates)?;
    let selected = selection.as_ref().map_or(len, BooleanBuffer::count_set_bits);
    if selected == 0 {
        return Ok(RecordBatch::new_empty(Arc::clone(&scan.schema)));
    }
    // Rows behind the last one wanted are cut off.
    let end = match &selection {
        Some(bits) if selected > limit => bits.set_indices().nth(limit).unwrap_or(len),
        Some(_) => len,
        None => len.min(limit),
    };
    let selection = selection.filter(|_| selected < len).map(|bits| bits.slice(0, end));
    let kept = selected.min(limit);
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in snapshot.vectors(group, &scan.columns)?.iter().zip(scan.schema.fields()) {
        let vector = if end < len { vector.slice(0, end) } else { Arc::clone(vector) };
        arrays.push(match &selection {
            Some(bits) => filter(&vector, bits, field.data_type())?,
            None => materialize(&vector, field.data_type())?,
        });
    }
    batch(Arc::clone(&scan.schema), arrays, kept)
}

/// The rows of one group that the scan gives and that pass the filters of joins; `None` if these are not worth it.
pub(crate) fn filtered_batch(
    (scan, filters): (&Scan, &mut RunningFilters),
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
) -> Result<Option<RecordBatch>> {
    let selected = || {
        Ok(match scan.source.select(snapshot, group, candidates)? {
            Some(bits) => selected_rows(&bits),
            None => (0..snapshot.group(group).len() as u32).collect(),
        })
    };
    let Some(rows) = filters.passing((&scan.columns, snapshot), group, &selected)? else { return Ok(None) };
    if rows.is_empty() {
        return Ok(Some(RecordBatch::new_empty(Arc::clone(&scan.schema))));
    }
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in snapshot.vectors(group, &scan.columns)?.iter().zip(scan.schema.fields()) {
        arrays.push(gather(vector, &rows, field.data_type())?);
    }
    batch(Arc::clone(&scan.schema), arrays, rows.len()).map(Some)
}

/// The run from the first to the last candidate among these slots, if it is a small part of them.
fn short_run(candidates: &BooleanBuffer, slots: &Range<usize>) -> Option<Range<usize>> {
    let bits = candidates.slice(slots.start, slots.len());
    let mut places = bits.set_indices();
    let first = places.next()?;
    let last = places.last().unwrap_or(first);
    (last - first < slots.len() / 2).then(|| slots.start + first..slots.start + last + 1)
}

/// The columns of the output, and behind them those that only the condition needs.
pub(crate) fn columns_of(scan: &Scan) -> Vec<usize> {
    let mut columns = scan.columns.clone();
    for column in scan.source.predicate.iter().flat_map(Predicate::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// The rows of a run of slots that the scan gives, at most `limit`, without decoding their group.
pub(crate) fn run_batch(
    scan: &Scan,
    snapshot: &dyn Snapshot,
    slots: Range<usize>,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> Result<RecordBatch> {
    let columns = columns_of(scan);
    let len = slots.len();
    let (vectors, visible) = snapshot.run(slots.clone(), &columns)?;
    let mut bits = match &scan.source.predicate {
        Some(predicate) => select(predicate, &Lookup { columns: &columns, vectors: &vectors }, len)?,
        None => BooleanBuffer::new_set(len),
    };
    if let Some(visible) = visible.filter(|_| scan.source.visible_only()) {
        bits = &bits & &visible;
    }
    if let Some(candidates) = candidates {
        bits = &bits & &candidates.slice(slots.start, len);
    }
    let rows: Vec<u32> = bits.set_indices().take(limit).map(|row| row as u32).collect();
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in vectors.iter().zip(scan.schema.fields()) {
        arrays.push(gather(vector, &rows, field.data_type())?);
    }
    batch(Arc::clone(&scan.schema), arrays, rows.len())
}

/// The places in the group of the first rows that the scan gives: looked for in growing runs, so that a
/// small limit ends the search early.
fn first_selected(
    scan: &Scan,
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> Result<Vec<u32>> {
    let (base, len) = (snapshot.group(group).start, snapshot.group(group).len());
    let visible = if scan.source.visible_only() { snapshot.visible(group)? } else { None };
    let columns = scan.source.predicate.as_ref().map(Predicate::columns).unwrap_or_default();
    let vectors = snapshot.vectors(group, &columns)?;
    let (mut rows, mut start, mut run) = (Vec::with_capacity(limit), 0, FETCH_ROWS);
    while start < len && rows.len() < limit {
        let size = run.min(len - start);
        let mut bits = match &scan.source.predicate {
            Some(predicate) => {
                let vectors: Vec<ArrayRef> = vectors.iter().map(|vector| vector.slice(start, size)).collect();
                select(predicate, &Lookup { columns: &columns, vectors: &vectors }, size)?
            }
            None => BooleanBuffer::new_set(size),
        };
        for (known, offset) in [(visible.as_ref(), start), (candidates, base + start)] {
            if let Some(known) = known {
                bits = &bits & &known.slice(offset, size);
            }
        }
        rows.extend(bits.set_indices().take(limit - rows.len()).map(|row| (start + row) as u32));
        start += size;
        run *= 2;
    }
    Ok(rows)
}

/// Rows of a group by their places in it.
fn gathered(scan: &Scan, snapshot: &dyn Snapshot, group: usize, rows: &[u32]) -> Result<RecordBatch> {
    let mut arrays = Vec::with_capacity(scan.columns.len());
    if snapshot.is_decoded(group, &scan.columns) {
        for (vector, field) in snapshot.vectors(group, &scan.columns)?.iter().zip(scan.schema.fields()) {
            arrays.push(gather(vector, rows, field.data_type())?);
        }
    } else {
        // A few rows are no reason to decode columns that nobody has asked for before.
        let base = snapshot.group(group).start as u32;
        let slots: Vec<u32> = rows.iter().map(|row| base + row).collect();
        let (vectors, _) = snapshot.fetch(&slots, &scan.columns, false)?;
        for (vector, field) in vectors.iter().zip(scan.schema.fields()) {
            arrays.push(materialize(vector, field.data_type())?);
        }
    }
    batch(Arc::clone(&scan.schema), arrays, rows.len())
}

/// The records at these row slots that the scan gives, at most `limit`. `columns` are [`columns_of`] the scan.
pub(crate) fn rows_batch(
    (scan, columns): (&Scan, &[usize]),
    snapshot: &dyn Snapshot,
    rows: &[u32],
    limit: usize,
) -> Result<RecordBatch> {
    let (vectors, kept) = snapshot.fetch(rows, columns, scan.source.visible_only())?;
    let lookup = Lookup { columns, vectors: &vectors };
    let selection = match &scan.source.predicate {
        // A key mostly finds one row.
        Some(predicate) if kept.len() == 1 && holds(predicate, &lookup)? == Some(true) => None,
        Some(predicate) => Some(select(predicate, &lookup, kept.len())?),
        None => None,
    };
    let selected = selection.as_ref().map_or(kept.len(), BooleanBuffer::count_set_bits);
    let places = (selected > limit || selected < kept.len()).then(|| -> Vec<u32> {
        match &selection {
            Some(bits) => bits.set_indices().take(limit).map(|row| row as u32).collect(),
            None => (0..kept.len().min(limit) as u32).collect(),
        }
    });
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in vectors.iter().zip(scan.schema.fields()) {
        arrays.push(match &places {
            Some(places) => gather(vector, places, field.data_type())?,
            None => materialize(vector, field.data_type())?,
        });
    }
    batch(Arc::clone(&scan.schema), arrays, selected.min(limit))
}

/// A batch that may have no columns but still has rows.
pub(crate) fn batch(schema: SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|error| mainstay_types::Error::new(mainstay_types::Code::Internal, format!("a scan's batch: {error}")))
}
