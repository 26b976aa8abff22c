//! Numbers, as text and as binary integers and doubles.

use super::{described, mismatch};
use crate::dbf::field::{Field, FieldKind};
use mainstay_types::{Code, Error, Result, ValueRef};
use std::fmt;

/// A number that is known exactly: digits times a power of ten.
#[derive(Clone, Copy)]
struct Exact {
    digits: i128,
    /// Digits after the point.
    scale: i32,
}

fn overflow(field: &Field, value: impl fmt::Display) -> Error {
    let message =
        format!("numeric overflow: {value} does not fit into field {}, which is {}", field.name, described(field));
    Error::new(Code::InvalidValue, message)
}

/// The number that a value is; a double stands for the shortest decimal that is read as the same double.
fn exact(field: &Field, value: ValueRef<'_>) -> Result<Exact> {
    Ok(match value {
        ValueRef::Integer(value) => Exact { digits: value.into(), scale: 0 },
        ValueRef::Decimal(value) => Exact { digits: value.unscaled, scale: value.scale.into() },
        ValueRef::Float(value) if !value.is_finite() => return Err(overflow(field, value)),
        ValueRef::Float(value) => shortest(value),
        other => return Err(mismatch(field, other)),
    })
}

fn shortest(value: f64) -> Exact {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (mut digits, mut decimals, mut point) = (0i128, 0, false);
    for byte in mantissa.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + i128::from(byte - b'0');
                decimals += i32::from(point);
            }
            b'.' => point = true,
            _ => {}
        }
    }
    let digits = if value.is_sign_negative() { -digits } else { digits };
    Exact { digits, scale: decimals - exponent.parse::<i32>().unwrap_or(0) }
}

impl Exact {
    /// The number times ten to the power of `decimals`, rounded half away from zero.
    fn at_scale(self, decimals: u8) -> Option<i128> {
        let power = i32::from(decimals) - self.scale;
        if power == 0 || self.digits == 0 {
            return Some(self.digits);
        }
        match (10i128.checked_pow(power.unsigned_abs()), power > 0) {
            (Some(factor), true) => self.digits.checked_mul(factor),
            (None, true) => None,
            (Some(factor), false) => {
                let (whole, rest) = (self.digits / factor, (self.digits % factor).abs());
                Some(if rest >= factor - rest { whole + self.digits.signum() } else { whole })
            }
            (None, false) => Some(0),
        }
    }
}

/// `N`, `F`: right-aligned, blanks before it, the point in its fixed place, at least one digit before the point
/// unless there is no room for a zero there (FoxPro then leaves it out).
pub(super) fn numeric(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    if field.has_loose_decimals() {
        return loose(field, value, cell);
    }
    let unscaled = exact(field, value)?.at_scale(field.decimals).ok_or_else(|| overflow(field, Shown(value)))?;
    let mut text = [b' '; 80];
    let mut start = digits_into(&mut text, unscaled, usize::from(field.decimals));
    if text.len() - start > cell.len() && field.decimals > 0 {
        match text[start..] {
            [b'0', ..] => start += 1,
            [b'-', b'0', ..] => {
                start += 1;
                text[start] = b'-';
            }
            _ => {}
        }
    }
    let number = &text[start..];
    let Some(blanks) = cell.len().checked_sub(number.len()) else { return Err(overflow(field, Shown(value))) };
    cell[..blanks].fill(b' ');
    cell[blanks..].copy_from_slice(number);
    Ok(())
}

/// A number with as many of the declared decimals as there is room for; in a field of doubles with an exponent, if more of the
/// value is kept so. A decimal must not lose digits before the point.
fn loose(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    let number = exact(field, value)?;
    let fixed = (0..=field.decimals).rev().find_map(|decimals| {
        let mut text = [b' '; 80];
        let start = digits_into(&mut text, number.at_scale(decimals)?, usize::from(decimals));
        let text = String::from_utf8_lossy(&text[start..]).into_owned();
        (text.len() <= cell.len()).then_some(text)
    });
    let chosen = match value.as_f64().filter(|_| field.is_floating()) {
        None => fixed,
        Some(wanted) => {
            let with_exponent = (0..17).rev().map(|digits| format!("{wanted:.digits$e}")).map(|text| signed(&text));
            let with_exponent = with_exponent.into_iter().find(|text| text.len() <= cell.len());
            let error = |text: &String| text.parse::<f64>().map_or(f64::INFINITY, |read| (read - wanted).abs());
            match (fixed, with_exponent) {
                (Some(fixed), Some(other)) if error(&other) < error(&fixed) => Some(other),
                (None, other) => other,
                (fixed, _) => fixed,
            }
        }
    };
    let text = chosen.ok_or_else(|| overflow(field, Shown(value)))?;
    let blanks = cell.len() - text.len();
    cell[..blanks].fill(b' ');
    cell[blanks..].copy_from_slice(text.as_bytes());
    Ok(())
}

/// An exponent with its sign and three digits, as the programs write it that use it: `1.5e+009`.
fn signed(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:03}", exponent.unsigned_abs())
}

/// Writes the number so that it ends where the buffer ends, and gives where it starts. A number of 39 digits with
/// 38 decimals has 41 characters, sign and point included.
fn digits_into(text: &mut [u8; 80], unscaled: i128, decimals: usize) -> usize {
    let mut at = text.len();
    let mut put = |byte: u8| {
        at -= 1;
        text[at] = byte;
    };
    let mut rest = unscaled.unsigned_abs();
    let mut written = 0;
    loop {
        if written > 0 && written == decimals {
            put(b'.');
        }
        if rest == 0 && written > decimals {
            break;
        }
        // Nearly all numbers fit into 64 bits, where a division costs a tenth.
        let digit = match u64::try_from(rest) {
            Ok(small) => {
                rest = u128::from(small / 10);
                (small % 10) as u8
            }
            Err(_) => {
                let digit = (rest % 10) as u8;
                rest /= 10;
                digit
            }
        };
        put(b'0' + digit);
        written += 1;
        if decimals == 0 && rest == 0 {
            break;
        }
    }
    if unscaled < 0 {
        put(b'-');
    }
    at
}

/// A number in a message.
struct Shown<'a>(ValueRef<'a>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ValueRef::Integer(value) => value.fmt(f),
            ValueRef::Decimal(value) => value.fmt(f),
            ValueRef::Float(value) => value.fmt(f),
            _ => f.write_str("the value"),
        }
    }
}

/// Integers of every length, currency and doubles.
pub(super) fn binary(field: &Field, value: ValueRef<'_>, cell: &mut [u8]) -> Result<()> {
    match field.kind {
        FieldKind::Double | FieldKind::DoubleSortable => {
            let number = value.as_f64().ok_or_else(|| mismatch(field, value))?;
            let bytes = match field.kind {
                FieldKind::Double => number.to_le_bytes(),
                _ => sortable(number).to_be_bytes(),
            };
            put(field, cell, &bytes)
        }
        FieldKind::IntegerSortable => {
            let number = integer(field, value, 4)?;
            put(field, cell, &((number as i32 as u32) ^ 0x8000_0000).to_be_bytes())
        }
        _ => {
            let length = cell.len().min(8);
            let number = integer(field, value, length)?;
            put(field, cell, &number.to_le_bytes()[..length])
        }
    }
}

fn put(field: &Field, cell: &mut [u8], bytes: &[u8]) -> Result<()> {
    if cell.len() != bytes.len() {
        return Err(Error::new(Code::Internal, format!("field {} has an unexpected length", field.name)));
    }
    cell.copy_from_slice(bytes);
    Ok(())
}

/// The integer at the field's scale, if it has room in this many bytes.
fn integer(field: &Field, value: ValueRef<'_>, length: usize) -> Result<i64> {
    let number = exact(field, value)?.at_scale(field.decimals).and_then(|number| i64::try_from(number).ok());
    let unused = 64 - 8 * length as u32;
    number.filter(|number| number << unused >> unused == *number).ok_or_else(|| overflow(field, Shown(value)))
}

fn sortable(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits ^ 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::Decimal;

    fn field(length: usize, decimals: u8) -> Field {
        let (name, kind) = ("N".into(), FieldKind::Numeric);
        Field { name, kind, letter: b'N', offset: 1, length, decimals, null_bit: None, varying_bit: None, adt: None }
    }

    fn text(length: usize, decimals: u8, value: ValueRef<'_>) -> String {
        let mut cell = vec![b'#'; length];
        match numeric(&field(length, decimals), value, &mut cell) {
            Ok(()) => String::from_utf8(cell).unwrap(),
            Err(error) => error.code().name().to_owned(),
        }
    }

    #[test]
    fn numbers_are_written_as_every_program_writes_them() {
        for (length, decimals, value, expected) in [
            (8, 2, ValueRef::Integer(-12), "  -12.00"),
            (8, 2, ValueRef::Decimal(Decimal::new(-1, 3)), "    0.00"),
            (8, 2, ValueRef::Decimal(Decimal::new(-5, 3)), "   -0.01"),
            (8, 2, ValueRef::Float(1.005), "    1.01"),
            (8, 0, ValueRef::Float(-2.5), "      -3"),
            (8, 0, ValueRef::Integer(0), "       0"),
            (3, 0, ValueRef::Integer(-999), "invalid_value"),
            (4, 0, ValueRef::Integer(-999), "-999"),
            (3, 2, ValueRef::Float(0.5), ".50"),
            (4, 2, ValueRef::Float(-0.5), "-.50"),
            (3, 2, ValueRef::Integer(0), ".00"),
            (3, 2, ValueRef::Integer(1), "invalid_value"),
            (1, 0, ValueRef::Integer(0), "0"),
            (20, 0, ValueRef::Float(1e300), "invalid_value"),
            (8, 2, ValueRef::Float(1e-300), "    0.00"),
            (8, 2, ValueRef::Float(f64::NAN), "invalid_value"),
            (22, 0, ValueRef::Integer(i64::MIN), "  -9223372036854775808"),
            (8, 2, ValueRef::Text("1"), "type_mismatch"),
            (41, 38, ValueRef::Decimal(Decimal::new(-1, 38)), "-0.00000000000000000000000000000000000001"),
        ] {
            assert_eq!(text(length, decimals, value), expected, "{value:?} in N({length},{decimals})");
        }
        let floating = |length, decimals, value| {
            let (mut cell, field) = (vec![b'#'; length], Field { letter: b'F', ..field(length, decimals) });
            numeric(&field, ValueRef::Float(value), &mut cell).unwrap();
            String::from_utf8(cell).unwrap()
        };
        assert_eq!(floating(13, 11, 1.5), "1.50000000000");
        assert_eq!(floating(13, 11, 250.5), "250.500000000");
        assert_eq!(floating(13, 11, -45678.9), "-45678.900000");
        assert_eq!(floating(19, 11, 2.23603366663e9), "2236033666.63000000");
        assert_eq!(floating(19, 11, 1.23456789012e-12), "1.234567890120e-012");
        assert_eq!(floating(13, 11, 1e300), "1.000000e+300");
        assert_eq!(text(24, 15, ValueRef::Integer(1_397_715_000)), "1397715000.0000000000000");
        assert_eq!(text(24, 15, ValueRef::Float(1e23)), "100000000000000000000000");
        assert_eq!(text(24, 15, ValueRef::Float(1e24)), "invalid_value");
        let error = numeric(&field(5, 2), ValueRef::Integer(1000), &mut [0; 5]).unwrap_err();
        assert_eq!(error.message(), "numeric overflow: 1000 does not fit into field N, which is N(5,2)");
    }
}
