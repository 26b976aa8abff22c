//! Fields whose values are in the memo file, and Six's fields of any type, which may be.
//!
//! A NULL bit on a memo field counts only if the field refers to nothing: Harbour sets the bit when it appends a record
//! and does not clear it when a memo is stored, so the reference decides.
//!
//! ```text
//!   V of n bytes (n >= 6)     | value or its beginning, n - 6 | block, 4 | type or length, 2 |
//!   length up to n - 2        text in place (over the block's bytes too)
//!   length over n - 2         text: n - 6 bytes here, the rest in the memo file from that block on
//!   64001 date | 64002 number | 64003 logical | 64004 double | 64005 array | 64006.. blob
//! ```

use super::{Task, bit, text};
use crate::Severity;
use crate::dbf::FieldKind;
use crate::memo::{Fetched, Memo, MemoKind, Window, parse_reference};
use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use mainstay_types::{Date, Result};
use std::sync::Arc;

/// True if the cell has a value, whose bytes are in the buffer that was passed.
type Found = bool;

/// `M`: text.
pub(super) fn text(task: &mut Task<'_>) -> Result<ArrayRef> {
    let wide = task.field.kind == FieldKind::MemoWide;
    let mut builder = StringViewBuilder::with_capacity(task.records.len());
    each(task, memo_value, |task, row, value| {
        let Some(value) = value else { return builder.append_null() };
        if wide {
            return builder.append_value(text::utf16(value).0);
        }
        append_text(task, row, value, &mut builder);
    })?;
    Ok(Arc::new(builder.finish()))
}

/// `M` with the binary flag and its like: bytes.
pub(super) fn binary(task: &mut Task<'_>) -> Result<ArrayRef> {
    let mut builder = BinaryViewBuilder::with_capacity(task.records.len());
    each(task, memo_value, |_, _, value| builder.append_option(value))?;
    Ok(Arc::new(builder.finish()))
}

/// `V`: the text of a value of any type.
pub(super) fn any(task: &mut Task<'_>) -> Result<ArrayRef> {
    let mut builder = StringViewBuilder::with_capacity(task.records.len());
    each(task, any_value, |task, row, value| match value {
        Some(value) => append_text(task, row, value, &mut builder),
        None => builder.append_null(),
    })?;
    Ok(Arc::new(builder.finish()))
}

fn append_text(task: &mut Task<'_>, row: usize, value: &[u8], builder: &mut StringViewBuilder) {
    let decoded = task.how.code_page.decode(value);
    if decoded.undecodable > 0 {
        task.report_undecodable(row, decoded.undecodable);
    }
    builder.append_value(decoded.text);
}

/// Calls `take` with the value of each row, as `value_of` puts it into the buffer.
fn each<'a>(
    task: &mut Task<'a>,
    value_of: impl Fn(&mut Task<'a>, usize, &mut Window, &mut Vec<u8>) -> Result<Found>,
    mut take: impl FnMut(&mut Task<'a>, usize, Option<&[u8]>),
) -> Result<()> {
    let (mut window, mut buffer) = (Window::default(), Vec::new());
    for row in 0..task.records.len() {
        buffer.clear();
        let found = !task.is_null(row) && value_of(task, row, &mut window, &mut buffer)?;
        take(task, row, found.then_some(&buffer));
    }
    Ok(())
}

fn memo_value(task: &mut Task<'_>, row: usize, window: &mut Window, out: &mut Vec<u8>) -> Result<Found> {
    let cell = task.cell(row);
    let Some(memo) = task.how.memo else {
        if parse_reference(MemoKind::FoxPro, cell) == Ok(None) {
            return Ok(empty(task, row));
        }
        report_missing(task, row);
        return Ok(false);
    };
    match memo.reference(cell) {
        Ok(None) => Ok(empty(task, row)),
        Ok(Some(reference)) => {
            let fetched = memo.fetch(&reference, window, out)?;
            Ok(settle(task, row, fetched))
        }
        Err(reason) => {
            task.report(Severity::Error, "the reference to a memo value cannot be read", row, || reason);
            Ok(false)
        }
    }
}

/// A field that refers to nothing is NULL if its bit says so, else an empty value.
fn empty(task: &Task<'_>, row: usize) -> Found {
    !task.field.null_bit.is_some_and(|at| bit(task.records.record(row), at))
}

fn report_missing(task: &mut Task<'_>, row: usize) {
    if !task.how.is_told {
        let cause = "the memo file is missing";
        task.report(Severity::Error, cause, row, || cause.to_owned());
    }
}

fn settle(task: &mut Task<'_>, row: usize, fetched: Fetched) -> Found {
    match fetched {
        Fetched::Value => true,
        Fetched::Nil => false,
        Fetched::Damaged(reason) => {
            task.report(Severity::Error, "a memo value cannot be read", row, || reason);
            false
        }
    }
}

/// The longest text that the two bytes of a length can say; what is above are types.
const LONGEST: u16 = 64_000;
const DATE: u16 = 64_001;
const INTEGER: u16 = 64_002;
const LOGICAL: u16 = 64_003;
const DOUBLE: u16 = 64_004;
const BLOB: u16 = 64_006;

/// The blocks in the memo file that a value of any type takes: the first one and the bytes, as far as the field
/// says how many.
pub(crate) fn any_blocks(cell: &[u8]) -> Option<(u64, Option<u64>)> {
    let (rest, &kind) = cell.split_last_chunk()?;
    let (head, &block) = rest.split_last_chunk()?;
    let (kind, block) = (u16::from_le_bytes(kind), u64::from(u32::from_le_bytes(block)));
    let in_place = matches!(kind, DATE | INTEGER | LOGICAL) || kind == DOUBLE && cell.len() > 12;
    if usize::from(kind) <= rest.len() || in_place || cell.iter().all(|&byte| byte == b' ') {
        return None;
    }
    Some((
        block,
        match kind {
            0..=LONGEST => Some(u64::from(kind) - head.len() as u64),
            DOUBLE => Some(11),
            _ => None,
        },
    ))
}

fn any_value(task: &mut Task<'_>, row: usize, window: &mut Window, out: &mut Vec<u8>) -> Result<Found> {
    let cell = task.cell(row);
    let Some((rest, &kind)) = cell.split_last_chunk() else { return Ok(false) };
    let Some((head, &block)) = rest.split_last_chunk() else { return Ok(false) };
    let (kind, block) = (u16::from_le_bytes(kind), u64::from(u32::from_le_bytes(block)));
    if cell.iter().all(|&byte| byte == b' ') {
        return Ok(false);
    }
    if usize::from(kind) <= rest.len() {
        out.extend_from_slice(&rest[..usize::from(kind)]);
        return Ok(true);
    }
    let short = match kind {
        DATE => rest.first_chunk::<3>().map(|&[a, b, c]| packed_date(u32::from_be_bytes([0, a, b, c]))),
        INTEGER => rest.first_chunk().map(|&bytes| i32::from_le_bytes(bytes).to_string()),
        LOGICAL => rest.first().map(|&byte| (byte != 0).to_string()),
        // Twelve bytes and less have no room for length, decimals and the double itself.
        DOUBLE if cell.len() > 12 => double_text(rest),
        _ => None,
    };
    if let Some(text) = short {
        out.extend_from_slice(text.as_bytes());
        return Ok(true);
    }
    let Some(memo) = task.how.memo else {
        report_missing(task, row);
        return Ok(false);
    };
    let fetched = if kind <= LONGEST {
        out.extend_from_slice(head);
        memo.fetch_raw(block, u64::from(kind) - head.len() as u64, window, out)?
    } else {
        other_value(memo, kind, block, window, out)?
    };
    Ok(settle(task, row, fetched))
}

fn other_value(memo: &Memo, kind: u16, block: u64, window: &mut Window, out: &mut Vec<u8>) -> Result<Fetched> {
    let damaged = |reason: &str| Ok(Fetched::Damaged(reason.to_owned()));
    match kind {
        DOUBLE => {
            let fetched = memo.fetch_raw(block, 11, window, out)?;
            let text = out.get(1..).and_then(double_text);
            out.clear();
            match (fetched, text) {
                (Fetched::Value, Some(text)) => {
                    out.extend_from_slice(text.as_bytes());
                    Ok(Fetched::Value)
                }
                (other, _) => Ok(other),
            }
        }
        BLOB => {
            let fetched = memo.fetch_raw(block, 4, window, out)?;
            let length = out.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes));
            out.clear();
            if fetched != Fetched::Value {
                return Ok(fetched);
            }
            let fetched = memo.fetch_raw_after(block, 4, u64::from(length), window, out)?;
            Ok(fetched)
        }
        64_005 => damaged("an array has no place in a column"),
        64_007 | 64_008 => damaged("a compressed or encrypted value"),
        _ => damaged("a value of unknown type"),
    }
}

fn packed_date(packed: u32) -> String {
    let date = Date::from_ymd((packed >> 9) as i32, packed >> 5 & 15, packed & 31);
    date.map_or_else(String::new, |date| date.to_string())
}

/// Length, decimals, double.
fn double_text(bytes: &[u8]) -> Option<String> {
    let (&[_, decimals], rest) = bytes.split_first_chunk()?;
    let value = f64::from_le_bytes(*rest.first_chunk()?);
    Some(format!("{value:.*}", usize::from(decimals.min(38))))
}
