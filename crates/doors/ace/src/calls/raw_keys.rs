//! Keys that a program assembles itself, and the segments of an order's keys.
//!
//! A raw key begins with `AdsInitRawKey`; the calls that set fields then take the order's handle, and set the fields of
//! a record that is in no table; `AdsBuildRawKey` returns the order's key for this record, to be sought or to bound a
//! scope as ADS_RAWKEY.
//!
//! The segments of a key expression are the operands of its outermost `+`, and in an ADI of its `;`, each with the one
//! field that it is made of.
//!
//! The record is in a separate work area without a table. For a table of a server, the server computes the key.

use mainstay_workarea::Area;
use mainstay_xbase::adt::Type;

use crate::border::*;
use crate::constants::*;
use crate::dictionary::integrity::fields_of;
use crate::failure::{Failure, Result};
use crate::order::Order;
use crate::registry;
use crate::table::State;

/// Begins a raw key: a record without values.
pub fn begin(index: Handle) -> Result<()> {
    let order = registry::order(index)?;
    let blank = order.with(|state, _| Ok(state.area.form().blank_record().to_vec()))?;
    order.set_raw(Some(blank));
    Ok(())
}

/// Sets a field of the raw key that was begun.
///
/// Errors: AE_INVALID_TABLE_HANDLE where none was.
pub fn on_raw<T>(order: &Order, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
    let none = || Failure::new(AE_INVALID_TABLE_HANDLE, "no raw key was begun for the order");
    let bytes = order.raw().ok_or_else(none)?;
    order.with(|state, _| match state.area.local().map(|area| area.compose(&bytes)) {
        Some(aside) => {
            let aside = aside?;
            let done = work(state);
            let area = state.area.local().ok_or(AE_INTERNAL_ERROR)?;
            let composed = area.record().map(<[u8]>::to_vec);
            area.take_back(aside);
            keep(order, done, composed)
        }
        None => {
            let mut alone = state.area.form().detached_like()?;
            let _ = alone.compose(&bytes)?;
            let far = std::mem::replace(&mut state.area, Box::new(alone));
            let done = work(state);
            let composed = state.area.record().map(<[u8]>::to_vec);
            state.area = far;
            keep(order, done, composed)
        }
    })
}

/// The record of a raw key is what it became, unless setting a field has failed.
fn keep<T>(order: &Order, done: Result<T>, composed: mainstay_types::Result<Vec<u8>>) -> Result<T> {
    if done.is_ok() {
        order.set_raw(Some(composed?));
    }
    done
}

/// The key of what was set since [`begin`].
pub fn build(index: Handle, key: Buffer, length: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let none = || Failure::new(AE_INVALID_VALUE, "no raw key was begun for the order");
    let bytes = order.raw().ok_or_else(none)?;
    let built = order.with(|state, info| Ok(state.area.key_of_record(info.id, &bytes)?))?;
    key.set_bytes(length, &built)
}

/// The key that an order would have for a record's bytes.
pub fn of_record(index: Handle, record: Text, length: u32, key: Buffer, key_length: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let expression = order.info()?.key;
    order.table.with(|state| order.table.check_value(state, &expression))?;
    let bytes = record.bytes(length as usize)?;
    let built = order.with(|state, info| {
        let expected = state.area.form().blank_record().len();
        match bytes.len() == expected {
            true => Ok(state.area.key_of_record(info.id, &bytes)?),
            false => Err(Failure::new(AE_INVALID_RECORD_LENGTH, format!("{}, not {expected}", bytes.len()))),
        }
    })?;
    key.set_bytes(key_length, &built)
}

/// The parts that the outermost `+` or `;` of an expression joins.
fn parts(expression: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    for (at, letter) in expression.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, '+' | ';') if depth == 0 => {
                parts.push(expression[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(expression[from..].trim());
    parts
}

/// A part of a key.
struct Segment {
    /// The field that it is made of.
    field: usize,
    /// The offset of its bytes in the key.
    offset: usize,
}

/// The segments of an order.
///
/// Errors: AE_INVALID_INDEX_TYPE for a key one of whose parts is made of no field or of several.
fn segments(order: &Order) -> Result<Vec<Segment>> {
    order.with(|state, info| {
        let parts = parts(&info.key);
        let area = state.area.form();
        let fields: Vec<Vec<usize>> = parts.iter().map(|part| fields_of(area, part)).collect();
        let is_one = parts.len() == 1;
        // The parts of an ADI's keys are whole keys: those that are not text have 8 bytes, truths 1.
        let has_keys = info.key.contains(';');
        let mut alone: Option<Area> = None;
        let (mut offset, mut segments) = (0, Vec::with_capacity(parts.len()));
        for (part, fields) in parts.iter().zip(fields) {
            let [field] = fields[..] else {
                return Err(Failure::new(AE_INVALID_INDEX_TYPE, format!("{part} is not made of one field")));
            };
            segments.push(Segment { field, offset });
            if has_keys {
                offset += state.area.form().fields().get(field).map_or(0, |field| match field.adt {
                    Some(Type::Character | Type::CiCharacter) => field.length,
                    Some(Type::Logical) => 1,
                    _ => 8,
                });
            } else if !is_one {
                let alone = match &mut alone {
                    Some(alone) => alone,
                    none => none.insert(state.area.form().detached_like()?),
                };
                let blank = alone.blank_record().to_vec();
                let value = alone.as_if(&blank, |area| area.evaluate(part))?;
                offset += match value {
                    mainstay_workarea::FieldValue::Text(text) => text.len(),
                    _ => 0,
                };
            }
        }
        Ok(segments)
    })
}

fn segment(order: &Order, number: u16) -> Result<Segment> {
    let at = usize::from(number).checked_sub(1);
    let found = at.and_then(|at| segments(order).map(|all| all.into_iter().nth(at)).transpose());
    found.unwrap_or_else(|| Err(Failure::new(AE_INVALID_VALUE, format!("the key has no segment {number}"))))
}

/// The number of segments of the key.
pub fn segment_count(index: Handle, count: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    count.set(u16::try_from(segments(&order)?.len()).unwrap_or(u16::MAX))
}

/// The field of a segment, which are counted from 1.
pub fn segment_name(index: Handle, number: u16, name: Buffer, length: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let field = segment(&order, number)?.field;
    let text = order.with(|state, _| Ok(state.area.fields().get(field).map(|field| field.name.clone())))?;
    name.set_text(length, text.unwrap_or_default().as_bytes())
}

/// The numbers of the fields of all segments, from 1.
pub fn segment_numbers(index: Handle, count: Out<u16>, numbers: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let capacity = usize::from(count.get()?);
    let found: Vec<u16> =
        segments(&order)?.iter().map(|segment| u16::try_from(segment.field + 1).unwrap_or(u16::MAX)).collect();
    count.set(u16::try_from(found.len()).unwrap_or(u16::MAX))?;
    if found.len() > capacity {
        return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("there are {}", found.len())));
    }
    numbers.set_all(&found)
}

/// The offset of the bytes of a segment in the key.
pub fn segment_offset(index: Handle, number: u16, offset: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    offset.set(u16::try_from(segment(&order, number)?.offset).unwrap_or(u16::MAX))
}

/// Sets the result to 1 if a segment is in descending order: all segments of an order have the same direction.
pub fn segment_descends(index: Handle, number: u16, descending: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    segment(&order, number)?;
    descending.set(order.info()?.descending.into())
}

/// Sets the result to 1 if a field of the key may be NULL.
pub fn is_nullable(index: Handle, nullable: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let found = order.with(|state, info| {
        let area = state.area.form();
        let used = fields_of(area, &info.key);
        Ok(used.into_iter().any(|field| area.fields().get(field).is_some_and(|field| field.null_bit.is_some())))
    })?;
    nullable.set(found.into())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn an_expression_is_cut_at_its_own_plus_only() {
        assert_eq!(parts("UPPER( a + b ) + '+' + DTOS(d)"), ["UPPER( a + b )", "'+'", "DTOS(d)"]);
        assert_eq!(parts("NAME"), ["NAME"]);
    }
}
