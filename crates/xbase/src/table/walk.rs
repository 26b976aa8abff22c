//! The rows of a table in the order of a tag.

use super::seen::Seen;
use super::state::State;
use super::tag::TableTag;
use crate::dbf::FieldKind;
use mainstay_base::Result;
use mainstay_table::{Ordering, Snapshot};
use std::ops::{Bound, ControlFlow};

/// Whether the column that a tag orders has blank numbers: SQL puts NULL first, the tag has them among
/// the zeros.
pub(super) fn has_blank_numbers(state: &State, tag: &TableTag, ordering: &Ordering) -> Result<bool> {
    let field = &state.files.dbf.fields()[ordering.column];
    if field.null_bit.is_some() && !tag.tag.key_type().is_nullable() {
        return Ok(true);
    }
    if field.kind != FieldKind::Numeric {
        return Ok(false);
    }
    let zero = crate::index::KeyValue::Decimal(mainstay_base::Decimal::new(0, 0));
    let Some(crate::index::EncodedKey::Exact(zero)) = tag.tag.key_type().encode(&zero) else { return Ok(true) };
    let mut zeros = Vec::new();
    tag.tag.range(Bound::Included(&zero), Bound::Included(&zero), |recno, _| {
        zeros.push(recno);
        if zeros.len() > MAX_ZEROS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut record = Vec::new();
    for recno in &zeros {
        // Records that were appended after the statement began have keys already.
        let Some(row) = recno.checked_sub(1).filter(|row| (*row as usize) < state.slots()) else { continue };
        state.record(row, &mut record)?;
        let is_number = record[field.offset..field.offset + field.length].iter().any(u8::is_ascii_digit);
        if !is_number {
            return Ok(true);
        }
    }
    Ok(zeros.len() > MAX_ZEROS)
}

/// With more zeros than this, sorting is as cheap as telling blanks from zeros.
const MAX_ZEROS: usize = 1_000;

pub(super) fn walk_tag(
    tag: &TableTag,
    ordering: &Ordering,
    state: &State,
    visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>,
) -> Result<bool> {
    let is_text = tag.keys().key.result_type().kind == crate::expr::Kind::Character;
    let mut seen = Seen::new(state.slots());
    let (mut failed, mut unusable, mut ended_early) = (None, false, false);
    let step = |recno: u32, key: &[u8]| {
        // Bytes order as Unicode does only where they are ASCII, and below a blank not as cut texts do.
        if is_text && !key.iter().all(|byte| (0x20..0x7F).contains(byte)) {
            unusable = true;
            return ControlFlow::Break(());
        }
        let Some(row) = (recno as usize).checked_sub(1).filter(|row| *row < state.slots()) else {
            return ControlFlow::Continue(());
        };
        if !seen.add(row) {
            unusable = true;
            return ControlFlow::Break(());
        }
        let flow = visit(row as u32).unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        });
        ended_early = flow.is_break();
        flow
    };
    match ordering.descending {
        false => tag.tag.range(Bound::Unbounded, Bound::Unbounded, step)?,
        true => tag.tag.range_back(Bound::Unbounded, Bound::Unbounded, step)?,
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(!unusable && (ended_early || seen.has_all_visible(state)?)),
    }
}
