//! Values of rows, read where they stand.

use crate::layout::Kind;
use mainstay_sqli::{Qualifier, SimpleLob, WireError};

/// Days from 1899-12-31, day 0 of DATE, to 1970-01-01.
const DAYS_TO_1970: i32 = 25_568;

/// A value, still in the bytes of its row where it is not a plain number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'r> {
    /// NULL of any type.
    Null,
    /// A whole number.
    Integer(i64),
    /// A binary number.
    Float(f64),
    /// A truth value.
    Boolean(bool),
    /// Days since 1970-01-01.
    Date(i32),
    /// A text in the codeset of the connection; that of CHAR has its padding.
    Text(&'r [u8]),
    /// Head and digits of a DECIMAL.
    Decimal(&'r [u8]),
    /// Head and digits of a DATETIME.
    DateTime(&'r [u8], Qualifier),
    /// Head and digits of an INTERVAL.
    Interval(&'r [u8], Qualifier),
    /// The descriptor of a TEXT (true) or BYTE value.
    Lob(&'r [u8; SimpleLob::BYTES], bool),
    /// The locator of a CLOB (true) or BLOB value.
    Locator(&'r [u8], bool),
    /// The bytes of an opaque type.
    Opaque(&'r [u8]),
}

/// A row that ends inside a value.
const SHORT: WireError = WireError::Malformed("a row is shorter than its columns");

#[inline]
fn take<'r>(bytes: &mut &'r [u8], count: usize) -> Result<&'r [u8], WireError> {
    let (value, rest) = bytes.split_at_checked(count).ok_or(SHORT)?;
    *bytes = rest;
    Ok(value)
}

#[inline]
fn array<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], WireError> {
    let (value, rest) = bytes.split_first_chunk::<N>().ok_or(SHORT)?;
    *bytes = rest;
    Ok(*value)
}

#[inline]
fn integer(number: i64, null: i64) -> Cell<'static> {
    if number == null { Cell::Null } else { Cell::Integer(number) }
}

/// Reads the next value of a row, and takes its bytes from the front.
///
/// Errors: `Malformed` for a row that ends too early.
// Inlined, a caller that matches on the cell matches on the kind alone, and no cell is written to memory.
#[inline(always)]
pub fn read_cell<'r>(kind: Kind, bytes: &mut &'r [u8]) -> Result<Cell<'r>, WireError> {
    Ok(match kind {
        Kind::Int32 => integer(i32::from_be_bytes(array(bytes)?).into(), i32::MIN.into()),
        Kind::Int16 => integer(i16::from_be_bytes(array(bytes)?).into(), i16::MIN.into()),
        Kind::Int64 => integer(i64::from_be_bytes(array(bytes)?), i64::MIN),
        Kind::Int8 => int8(array(bytes)?)?,
        Kind::Float64 => match u64::from_be_bytes(array(bytes)?) {
            u64::MAX => Cell::Null,
            bits => Cell::Float(f64::from_bits(bits)),
        },
        Kind::Float32 => match u32::from_be_bytes(array(bytes)?) {
            u32::MAX => Cell::Null,
            bits => Cell::Float(f32::from_bits(bits).into()),
        },
        Kind::Date => match i32::from_be_bytes(array(bytes)?) {
            i32::MIN => Cell::Null,
            days => Cell::Date(days.checked_sub(DAYS_TO_1970).ok_or(WireError::Malformed("a DATE is out of range"))?),
        },
        Kind::Varchar => {
            let [length] = array(bytes)?;
            match take(bytes, usize::from(length))? {
                [0] => Cell::Null,
                text => Cell::Text(text),
            }
        }
        Kind::Padded(count) => match take(bytes, count)? {
            [0, ..] => Cell::Null,
            text => Cell::Text(text),
        },
        Kind::Decimal(count) => or_null(take(bytes, count)?, Cell::Decimal),
        Kind::DateTime(qualifier, count) => or_null(take(bytes, count)?, |digits| Cell::DateTime(digits, qualifier)),
        Kind::Interval(qualifier, count) => or_null(take(bytes, count)?, |digits| Cell::Interval(digits, qualifier)),
        Kind::Text | Kind::Byte => {
            let (descriptor, rest) = bytes.split_first_chunk::<{ SimpleLob::BYTES }>().ok_or(SHORT)?;
            *bytes = rest;
            if descriptor[39] == 1 { Cell::Null } else { Cell::Lob(descriptor, kind == Kind::Text) }
        }
        Kind::Boolean => match envelope(bytes)? {
            None => Cell::Null,
            Some(value) => Cell::Boolean(matches!(value, [1 | b't' | b'T', ..])),
        },
        Kind::LongText => envelope(bytes)?.map_or(Cell::Null, Cell::Text),
        Kind::Opaque => envelope(bytes)?.map_or(Cell::Null, Cell::Opaque),
        Kind::Smart(is_text) => envelope(bytes)?.map_or(Cell::Null, |locator| Cell::Locator(locator, is_text)),
    })
}

/// NULL of the types with digits has no head.
#[inline]
fn or_null<'r>(digits: &'r [u8], value: impl FnOnce(&'r [u8]) -> Cell<'r>) -> Cell<'r> {
    match digits.iter().all(|byte| *byte == 0) {
        true => Cell::Null,
        false => value(digits),
    }
}

#[inline]
fn envelope<'r>(bytes: &mut &'r [u8]) -> Result<Option<&'r [u8]>, WireError> {
    let [is_null, length @ ..] = array::<5>(bytes)?;
    let value = take(bytes, u32::from_be_bytes(length) as usize)?;
    Ok((is_null == 0).then_some(value))
}

fn int8(bytes: [u8; 10]) -> Result<Cell<'static>, WireError> {
    let [s0, s1, l0, l1, l2, l3, h0, h1, h2, h3] = bytes;
    let magnitude =
        (i128::from(u32::from_be_bytes([h0, h1, h2, h3])) << 32) | i128::from(u32::from_be_bytes([l0, l1, l2, l3]));
    let number = match i16::from_be_bytes([s0, s1]) {
        0 => return Ok(Cell::Null),
        sign if sign < 0 => -magnitude,
        _ => magnitude,
    };
    i64::try_from(number).map(Cell::Integer).map_err(|_| WireError::Malformed("an INT8 is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_sqli::{Codeset, Form, TypeDescription, write_value};
    use mainstay_types::ValueRef;

    #[test]
    fn rows_that_end_inside_a_value_are_errors() {
        for kind in [Kind::Int16, Kind::Int32, Kind::Int8, Kind::Varchar, Kind::Padded(3), Kind::Boolean, Kind::Text] {
            assert!(read_cell(kind, &mut [9u8].as_slice()).is_err(), "{kind:?}");
        }
        let mut envelope: &[u8] = &[0, 0xFF, 0xFF, 0xFF, 0xFF, 1];
        assert!(read_cell(Kind::LongText, &mut envelope).is_err());
    }

    #[test]
    fn values_of_the_codec_come_back() {
        let both = |value: ValueRef<'_>, described: TypeDescription| {
            let mut bytes = Vec::new();
            write_value(value, &described, Form::Text, Codeset::Utf8, &mut bytes).unwrap();
            let layout = crate::Layout::new(&[mainstay_sqli::Field { name: String::new(), kind: described }]);
            let mut left = bytes.as_slice();
            let cell = format!("{:?}", read_cell(layout.columns[0].kind, &mut left).unwrap());
            assert!(left.is_empty());
            cell
        };
        let of = |code, length| TypeDescription::new(code, length);
        use mainstay_sqli::TypeCode;
        assert_eq!(both(ValueRef::Integer(-7), of(TypeCode::INT8, 10)), "Integer(-7)");
        assert_eq!(both(ValueRef::Integer(32_767), of(TypeCode::SMALLINT, 2)), "Integer(32767)");
        assert_eq!(both(ValueRef::Boolean(true), TypeDescription::boolean()), "Boolean(true)");
        assert_eq!(both(ValueRef::Text("é"), TypeDescription::long_text(20)), "Text([195, 169])");
        for described in
            [of(TypeCode::INTEGER, 4), of(TypeCode::FLOAT, 8), of(TypeCode::DECIMAL, 0x0802), of(TypeCode::CHAR, 4)]
        {
            assert_eq!(both(ValueRef::Null, described), "Null");
        }
    }
}
