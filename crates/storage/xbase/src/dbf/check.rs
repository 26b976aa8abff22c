//! The check of a whole table: all its errors, in one list.

use super::column::{Decoding, Records, decode_column, deleted_flags};
use super::{Dbf, Field, Findings};
use crate::adt::RecordLayout;
use crate::memo::{Memo, Window};
use crate::{Finding, Severity};
use mainstay_types::Result;
use std::ops::Range;

/// About how many bytes are read and decoded at a time.
const RUN_BYTES: u64 = 4 << 20;

/// Decodes every field of every record, follows every memo reference, and adds what is wrong to `findings`:
/// first what opening found, then flags and values by field, then memo values that overlap. Fails only if a
/// file cannot be read.
pub fn check(table: &Dbf, memo: Option<&Memo>, findings: &mut Vec<Finding>) -> Result<()> {
    findings.extend_from_slice(table.findings());
    check_values(table, &table.decoding(memo), findings)
}

/// The same without what opening found.
pub(crate) fn check_values(table: &Dbf, how: &Decoding<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    let memo = how.memo;
    let path = table.path();
    let count = table.record_count(table.file().stamp()?.len);
    let run = (RUN_BYTES / u64::from(table.header().record_length).max(1)).max(1);
    let mut flags = Findings::default();
    let mut by_field = vec![Findings::default(); table.fields().len()];
    let mut extents = Vec::new();
    let (mut buffer, mut window) = (Vec::new(), Window::default());
    let mut start = 0;
    while start < count {
        let records = table.read_records(start..count.min(start + run), &mut buffer)?;
        flags.append(deleted_flags(&records, how).1);
        for (field, found) in table.fields().iter().zip(&mut by_field) {
            found.append(decode_column(field, &records, how)?.findings);
            if let (true, Some(memo)) = (field.kind.needs_memo(), memo) {
                collect_extents(table.header().layout, field, &records, memo, &mut window, &mut extents)?;
            }
        }
        start += run;
    }
    flags.list_into(path, "deletion flags", findings);
    crate::adt::check(table, count, findings)?;
    for (field, found) in table.fields().iter().zip(by_field) {
        found.list_into(path, &format!("field {}", field.name), findings);
    }
    if let Some(memo) = memo {
        overlaps(extents, table.fields(), memo, findings);
    }
    Ok(())
}

/// The bytes of the memo file that a record's field takes.
struct Extent {
    bytes: Range<u64>,
    record: u64,
    field: usize,
}

fn collect_extents(
    layout: RecordLayout,
    field: &Field,
    records: &Records<'_>,
    memo: &Memo,
    window: &mut Window,
    extents: &mut Vec<Extent>,
) -> Result<()> {
    // References that make no sense were reported when the column was decoded. Fields of any type store
    // their values without a header; they are not followed here.
    if !matches!(field.length, 4 | 9 | 10) || field.kind == super::FieldKind::Any {
        return Ok(());
    }
    for (row, record) in records.iter().enumerate() {
        let cell = &record[field.offset..field.offset + field.length];
        if layout.owns_memo(record, cell)
            && let Ok(Some(reference)) = memo.reference(cell)
            && let Ok(bytes) = memo.extent(&reference, window)?
        {
            extents.push(Extent { bytes, record: records.number(row), field: field.offset });
        }
    }
    Ok(())
}

/// The findings about memo values of a table that overlap: at least one text of each pair is not the one that was stored.
pub(crate) fn overlapping_memos(table: &Dbf, memo: &Memo) -> Result<Vec<Finding>> {
    let count = table.record_count(table.file().stamp()?.len);
    let run = (RUN_BYTES / u64::from(table.header().record_length).max(1)).max(1);
    let (mut buffer, mut window, mut extents) = (Vec::new(), Window::default(), Vec::new());
    for start in (0..count).step_by(usize::try_from(run).unwrap_or(usize::MAX)) {
        let records = table.read_records(start..count.min(start + run), &mut buffer)?;
        for field in table.fields().iter().filter(|field| field.kind.needs_memo()) {
            collect_extents(table.header().layout, field, &records, memo, &mut window, &mut extents)?;
        }
    }
    let mut findings = Vec::new();
    overlaps(extents, table.fields(), memo, &mut findings);
    Ok(findings)
}

fn overlaps(mut extents: Vec<Extent>, fields: &[Field], memo: &Memo, findings: &mut Vec<Finding>) {
    extents.sort_by_key(|extent| (extent.bytes.start, extent.record));
    let name = |extent: &Extent| {
        let field = fields.iter().find(|field| field.offset == extent.field);
        format!("record {}, field {}", extent.record, field.map_or("?", |field| &field.name))
    };
    let mut found = Findings::default();
    let mut widest: Option<&Extent> = None;
    for extent in &extents {
        if let Some(before) = widest.filter(|before| before.bytes.end > extent.bytes.start) {
            let place = || format!("bytes {} to {}", extent.bytes.start, extent.bytes.end);
            let message = || format!("the values of {} and {} overlap", name(before), name(extent));
            let cause = "values in the memo file overlap";
            found.push(Severity::Error, cause, || (memo.path().to_owned(), place(), message()));
        }
        if widest.is_none_or(|before| before.bytes.end < extent.bytes.end) {
            widest = Some(extent);
        }
    }
    found.list_into(memo.path(), "memo values", findings);
}
