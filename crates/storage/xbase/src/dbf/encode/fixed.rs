//! Dates, moments and logicals.

use super::mismatch;
use crate::dbf::field::{Field, FieldKind};
use mainstay_types::{Code, Date, Error, Result, Timestamp, ValueRef};

/// 100-nanosecond steps of a millisecond, the unit of [`Timestamp::split`].
const TICKS_PER_MS: i64 = 10_000;

/// Puts the value into the cell by the kind of its field.
pub(super) fn fixed(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    match field.kind {
        FieldKind::Logical => {
            let ValueRef::Boolean(value) = value else { return Err(mismatch(field, value)) };
            cell.fill(b' ');
            cell[0] = if value { b'T' } else { b'F' };
        }
        FieldKind::Time => {
            let ValueRef::Time(time) = value else { return Err(mismatch(field, value)) };
            let time = time.rounded(3).ok_or_else(|| outside(field))?;
            put(cell, &((time.nanos() / 1_000_000) as i32).to_le_bytes());
        }
        FieldKind::Timestamp | FieldKind::ModificationTime => {
            let moment = match value {
                ValueRef::Timestamp(moment) => moment.rounded(3),
                ValueRef::Date(date) => Timestamp::new(date, 0),
                other => return Err(mismatch(field, other)),
            };
            let (date, ticks) = moment.split();
            let day = julian(field, date)?;
            put(&mut cell[..4], &day.to_le_bytes());
            put(&mut cell[4..], &((ticks / TICKS_PER_MS) as i32).to_le_bytes());
        }
        _ => date(field, value, cell)?,
    }
    Ok(())
}

/// A GUID: its 16 bytes in the order of the text.
pub(super) fn guid(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    let bytes = match value {
        ValueRef::Uuid(bytes) => bytes,
        ValueRef::Binary(bytes) => bytes.try_into().map_err(|_| mismatch(field, value))?,
        ValueRef::Text(text) => mainstay_types::uuid::parse(text)?,
        other => return Err(mismatch(field, other)),
    };
    put(cell, &bytes);
    Ok(())
}

fn put(cell: &mut [u8], bytes: &[u8]) {
    cell.copy_from_slice(&bytes[..cell.len()]);
}

fn outside(field: &Field) -> Error {
    Error::new(Code::InvalidValue, format!("field {} holds days of the years 1 to 9999", field.name))
}

/// The Julian day; the years are those that the calendar of the other programs has.
fn julian(field: &Field, date: Date) -> Result<u32> {
    match date.ymd().0 {
        1..=9999 => Ok(date.julian() as u32),
        _ => Err(outside(field)),
    }
}

fn date(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    let ValueRef::Date(date) = value else { return Err(mismatch(field, value)) };
    let day = julian(field, date)?;
    match field.kind {
        FieldKind::DateBinary | FieldKind::DateJulian => put(cell, &day.to_le_bytes()),
        FieldKind::DatePacked => {
            let (year, month, day) = date.ymd();
            let packed = (year as u32) << 9 | month << 5 | day;
            put(cell, &packed.to_be_bytes()[1..]);
        }
        _ => {
            let (year, month, day) = date.ymd();
            let mut rest = year as u32 * 10_000 + month * 100 + day;
            for digit in cell.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
    }
    Ok(())
}
