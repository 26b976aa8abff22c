//! Numbers written as text: `N` and `F` fields.
//!
//! Nearly every value has the one regular form that all programs write: right-aligned, blanks before it, a
//! minus at most, the point in its fixed place. A field of up to 8 bytes in that form is one machine word, and
//! is parsed as such: the point is squeezed out, blanks and sign become zeros, all bytes are checked to be
//! digits at once, and three multiplications add up eight digits. Fields of up to 16 bytes are two words, of which the
//! first is mostly blank: then the second is parsed alone. Longer fields are rare, and parsed byte by byte.
//!
//! ```text
//!   "  -12.50"  --point out-->  "   -1250"  --blanks, sign-->  "00001250"  -->  1250, negative
//! ```
//! The fast loop sets rows of other forms aside, and [`parse_any`] parses them in every other notation of a number. A
//! number that has more decimals than its field is rounded half away from zero.

use super::{NOT_A_NUMBER, Task, internal};
use crate::Severity;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, DecimalType};
use arrow_array::{ArrayRef, Float64Array, PrimitiveArray};
use arrow_buffer::NullBuffer;
use mainstay_types::Result;
use std::sync::Arc;

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// Added to a byte, this sets the high bit if the byte is over 9.
const OVER_NINE: u64 = 0x7676_7676_7676_7676;

/// The widest field that is parsed in words.
const WIDEST_REGULAR: usize = 16;

/// Decodes the column into the narrowest decimal that its precision takes, or into its SQL type if few of the values
/// will be read.
pub(super) fn numeric(task: &mut Task<'_>, narrow: bool) -> Result<ArrayRef> {
    match task.field.precision() {
        _ if !narrow => decimals::<Decimal128Type>(task),
        ..=9 => decimals::<Decimal32Type>(task),
        10..=18 => decimals::<Decimal64Type>(task),
        _ => decimals::<Decimal128Type>(task),
    }
}

/// Decodes the column of a field whose values are doubles ([`Field::is_floating`](crate::dbf::Field::is_floating)).
pub(super) fn floating(task: &mut Task<'_>) -> Result<ArrayRef> {
    let mut values = vec![0.0; task.records.len()];
    let mut valid = vec![true; values.len()];
    for row in 0..values.len() {
        let cell = task.cell(row);
        let value = match float_of(cell) {
            Ok(value) => value,
            Err(Misfit { cause, reason }) => {
                task.report(Severity::Error, cause, row, || format!("'{}' {reason}", cell.escape_ascii()));
                None
            }
        };
        match value {
            Some(value) => values[row] = value,
            None => valid[row] = false,
        }
    }
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    let nulls = task.all_nulls(nulls);
    Ok(Arc::new(Float64Array::try_new(values.into(), nulls).map_err(internal)?))
}

/// The reason why a text is no double: for a cause, and behind the text.
struct Misfit {
    cause: &'static str,
    reason: &'static str,
}

/// The double that a text stands for, in any form that [`parse_any`] reads; none for blanks.
fn float_of(cell: &[u8]) -> Result<Option<f64>, Misfit> {
    // The number of digits that fit does not decide if the text is a number.
    match parse_any(cell, 0, 38) {
        Parsed::Blank => return Ok(None),
        Parsed::Garbage => return Err(Misfit { cause: NOT_A_NUMBER, reason: "is not a number" }),
        _ => {}
    }
    let letter = |byte: &u8| match *byte {
        b',' => '.',
        byte => char::from(byte),
    };
    let text: String = cell.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | 0)).map(letter).collect();
    // A point alone is zero.
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        Ok(_) => Err(Misfit { cause: "a number does not fit into a double", reason: "does not fit into a double" }),
        Err(_) => Ok(Some(0.0)),
    }
}

/// The integers of the decimal types. The callers have checked the range.
trait Unscaled {
    fn from_small(value: i64) -> Self;
    fn from_wide(value: i128) -> Self;
}

macro_rules! unscaled {
    ($($native:ty)*) => {
        $(impl Unscaled for $native {
            fn from_small(value: i64) -> $native {
                value as $native
            }
            fn from_wide(value: i128) -> $native {
                value as $native
            }
        })*
    };
}

unscaled!(i32 i64 i128);

fn decimals<T: DecimalType>(task: &mut Task<'_>) -> Result<ArrayRef>
where
    T::Native: Unscaled,
{
    let mut odd = Vec::new();
    let mut values: Vec<T::Native> = regular(task, &mut odd);
    let mut valid = vec![true; if odd.is_empty() { 0 } else { values.len() }];
    for row in odd {
        match settle(task, row) {
            Some(value) => values[row] = T::Native::from_wide(value),
            None => valid[row] = false,
        }
    }
    let nulls = (!valid.is_empty()).then(|| NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    let nulls = task.all_nulls(nulls);
    let array = PrimitiveArray::<T>::try_new(values.into(), nulls).map_err(internal)?;
    let array = array.with_precision_and_scale(task.field.precision(), task.field.scale()).map_err(internal)?;
    Ok(Arc::new(array))
}

/// Parses the rows of the regular form; the others get 0 and their place in `odd`.
fn regular<N: Unscaled>(task: &Task<'_>, odd: &mut Vec<usize>) -> Vec<N> {
    let (length, scale) = (task.field.length, usize::from(task.field.decimals));
    let end = task.field.offset + length;
    if !(1..=WIDEST_REGULAR).contains(&length) || scale + usize::from(scale > 0) > length.min(WIDEST_REGULAR - 1) {
        odd.extend(0..task.records.len());
        return task.records.iter().map(|_| N::from_small(0)).collect();
    }
    let mut take = |row: usize, parsed: Option<i64>| {
        N::from_small(parsed.unwrap_or_else(|| {
            odd.push(row);
            0
        }))
    };
    let records = task.records.iter().enumerate();
    if length <= 8 {
        let form = Form8::new(length, scale);
        records.map(|(row, record)| take(row, form.parse(last_8(record, end)))).collect()
    } else {
        let form = Wide::new(length, scale);
        records.map(|(row, record)| take(row, form.parse(last_16(record, end)))).collect()
    }
}

/// The 8 bytes that end at `end`, as a word whose high byte is the last of them. Near the record's beginning
/// there are fewer; what then stands in the low bytes is not part of the field.
fn last_8(record: &[u8], end: usize) -> u64 {
    match (record[..end].last_chunk(), record.first_chunk()) {
        (Some(bytes), _) => u64::from_le_bytes(*bytes),
        (None, Some(bytes)) => u64::from_le_bytes(*bytes) << (8 * (8 - end)),
        (None, None) => (last_16_slowly(record, end) >> 64) as u64,
    }
}

/// The 16 bytes that end at `end`, likewise.
fn last_16(record: &[u8], end: usize) -> u128 {
    match (record[..end].last_chunk(), record.first_chunk()) {
        (Some(bytes), _) => u128::from_le_bytes(*bytes),
        (None, Some(bytes)) => u128::from_le_bytes(*bytes) << (8 * (16 - end)),
        (None, None) => last_16_slowly(record, end),
    }
}

fn last_16_slowly(record: &[u8], end: usize) -> u128 {
    let mut bytes = [b' '; 16];
    let from = &record[end.saturating_sub(16)..end];
    bytes[16 - from.len()..].copy_from_slice(from);
    u128::from_le_bytes(bytes)
}

/// The regular form of a field, as masks over a word in which the field ends at the high end. The low byte is
/// the first.
macro_rules! form {
    ($(#[$doc:meta])* $name:ident, $word:ty, $bytes:literal, $value:expr) => {
        $(#[$doc])*
        struct $name {
            /// The bytes before the field.
            before_field: $word,
            /// The byte of the point, and what it must be; both 0 if there is none.
            point: ($word, $word),
            /// The bytes that move up by one when the point is taken out, and those that stay.
            moving: $word,
            staying: $word,
            /// The word that replaces the first byte then.
            vacated: $word,
            /// The bytes that have to be digits: those after the point, the last in any case.
            digits: $word,
        }

        impl $name {
            const BLANKS: $word = <$word>::MAX / 0xFF * 0x20;
            const ZEROS: $word = <$word>::MAX / 0xFF * 0x30;
            /// The bit that a digit has and a blank has not; with it, a blank is a zero.
            const DIGIT_BITS: $word = <$word>::MAX / 0xFF * 0x10;

            /// For a field of `length` bytes, of which `scale` follow the point.
            fn new(length: usize, scale: usize) -> $name {
                let low = |bytes: usize| if bytes >= $bytes { <$word>::MAX } else { (1 << (8 * bytes)) - 1 };
                let before_field = low($bytes - length);
                let digits = !low($bytes - scale.max(1));
                if scale == 0 {
                    return $name { before_field, point: (0, 0), moving: 0, staying: <$word>::MAX, vacated: 0, digits };
                }
                let at = 8 * ($bytes - 1 - scale);
                $name {
                    before_field,
                    point: (0xFF << at, 0x2E << at),
                    moving: low($bytes - 1 - scale),
                    staying: digits,
                    vacated: 0x20,
                    digits,
                }
            }

            #[inline(always)]
            fn parse(&self, word: $word) -> Option<i64> {
                let word = word & !self.before_field | Self::BLANKS & self.before_field;
                if word & self.point.0 != self.point.1 {
                    return None;
                }
                let word = word & self.staying | (word & self.moving) << 8 | self.vacated;
                if let Some(value) = self.unsigned(word) {
                    return Some(value);
                }
                // The first byte that is no blank may be a minus: then it stands for a zero. Its lowest bit is
                // set, and the lowest that differs from a blank's.
                let lowest = word ^ Self::BLANKS;
                let lowest = lowest & lowest.wrapping_neg();
                let byte = lowest.wrapping_mul(0xFF);
                if lowest & self.digits != 0 || word & byte != lowest.wrapping_mul(0x2D) {
                    return None;
                }
                self.unsigned(word ^ lowest.wrapping_mul(0x2D ^ 0x30)).map(|value| -value)
            }

            /// The number, if there are only digits after only blanks.
            #[inline(always)]
            fn unsigned(&self, word: $word) -> Option<i64> {
                let blank = !word & Self::DIGIT_BITS;
                // A blank right above a byte that is not blank.
                let inside = blank >> 8 & !blank & Self::DIGIT_BITS >> 8;
                if inside | blank & self.digits != 0 {
                    return None;
                }
                $value((word | Self::DIGIT_BITS) ^ Self::ZEROS)
            }
        }
    };
}

form!(
    /// Fields of up to 8 bytes.
    Form8,
    u64,
    8,
    |digits| eight_digits(digits).map(i64::from)
);

form!(
    /// Fields of 9 to 16 bytes.
    Form16,
    u128,
    16,
    |digits: u128| {
        let (first, last) = (eight_digits(digits as u64)?, eight_digits((digits >> 64) as u64)?);
        Some(i64::from(first) * 100_000_000 + i64::from(last))
    }
);

/// Fields of 9 to 16 bytes, whose numbers are mostly in the last 8.
struct Wide {
    whole: Form16,
    /// The form of the last 8 bytes, if the point can be among them, and the bytes of the field before these.
    end: Option<(Form8, u64)>,
}

impl Wide {
    fn new(length: usize, scale: usize) -> Wide {
        let before = u64::MAX << (8 * (16 - length));
        Wide { whole: Form16::new(length, scale), end: (scale < 8).then(|| (Form8::new(8, scale), before)) }
    }

    #[inline(always)]
    fn parse(&self, word: u128) -> Option<i64> {
        if let Some((form, before)) = &self.end
            && (word as u64 ^ Form8::BLANKS) & before == 0
            && let Some(value) = form.parse((word >> 64) as u64)
        {
            return Some(value);
        }
        self.whole.parse(word)
    }
}

/// The number that eight bytes of 0 to 9 make, the low byte being the first digit.
#[inline(always)]
pub(super) fn eight_digits(digits: u64) -> Option<u32> {
    if (digits.wrapping_add(OVER_NINE) | digits) & HIGH_BITS != 0 {
        return None;
    }
    let pairs = digits * 10 + (digits >> 8);
    let low = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(100 + (1_000_000 << 32));
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF).wrapping_mul(1 + (10_000 << 32));
    Some((low.wrapping_add(high) >> 32) as u32)
}

/// A row that is not of the regular form: its value, with a report where one is due.
fn settle(task: &mut Task<'_>, row: usize) -> Option<i128> {
    let cell = task.cell(row);
    let parsed = parse_any(cell, u32::from(task.field.decimals), u32::from(task.field.precision()));
    let shown = || format!("'{}'", cell.escape_ascii());
    match parsed {
        Parsed::Blank => None,
        Parsed::Exact(value) => Some(value),
        Parsed::Rounded(value) => {
            let decimals = task.field.decimals;
            let message = || format!("{} is rounded to {decimals} decimals", shown());
            task.report(Severity::Warning, "a number is rounded to the decimals of its field", row, message);
            Some(value)
        }
        Parsed::TooLarge => {
            let (precision, scale) = (task.field.precision(), task.field.scale());
            let message = || format!("{} does not fit into DECIMAL({precision},{scale})", shown());
            task.report(Severity::Error, "a number does not fit into the DECIMAL of its field", row, message);
            None
        }
        Parsed::Garbage => {
            task.report(Severity::Error, NOT_A_NUMBER, row, || format!("{} is not a number", shown()));
            None
        }
    }
}

/// The numeric value of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parsed {
    Blank,
    Exact(i128),
    Rounded(i128),
    TooLarge,
    Garbage,
}

/// Parses a number in any form: aligned anywhere, with either sign, a point or a comma, an exponent.
fn parse_any(cell: &[u8], scale: u32, precision: u32) -> Parsed {
    let blank = |byte: &u8| matches!(byte, b' ' | 0 | b'\t');
    let Some(start) = cell.iter().position(|byte| !blank(byte)) else { return Parsed::Blank };
    let end = cell.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    let (negative, text) = match &cell[start..end] {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        text => (false, text),
    };
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])),
        None => (text, Some(0)),
    };
    let (Some((digits, decimals)), Some(exponent)) = (mantissa_of(mantissa), exponent) else { return Parsed::Garbage };
    let Some(digits) = digits else { return Parsed::TooLarge };
    let parsed = scaled(digits, i64::from(scale) - i64::from(decimals) + exponent);
    let fits = |value: i128| 10i128.checked_pow(precision).is_none_or(|limit| value < limit);
    let signed = |value: i128| if negative { -value } else { value };
    match parsed {
        Parsed::Exact(value) if fits(value) => Parsed::Exact(signed(value)),
        Parsed::Rounded(value) if fits(value) => Parsed::Rounded(signed(value)),
        Parsed::Exact(_) | Parsed::Rounded(_) => Parsed::TooLarge,
        other => other,
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|exponent: &i64| exponent.abs() < 1_000)
}

/// The digits of a mantissa as a number (`None` inside if they are too many), and how many follow the point.
fn mantissa_of(text: &[u8]) -> Option<(Option<i128>, u32)> {
    let (mut value, mut decimals, mut digits, mut point) = (Some(0i128), 0, 0, false);
    for &byte in text {
        match byte {
            b'0'..=b'9' => {
                let digit = i128::from(byte - b'0');
                value = value.and_then(|value| value.checked_mul(10)?.checked_add(digit));
                decimals += u32::from(point);
                digits += 1;
            }
            b'.' | b',' if !point => point = true,
            _ => return None,
        }
    }
    // FoxPro reads a point alone as zero; so does every VAL().
    (digits > 0 || point).then_some((value, decimals))
}

/// `digits` times ten to the power, rounded half away from zero.
fn scaled(digits: i128, power: i64) -> Parsed {
    if digits == 0 {
        return Parsed::Exact(0);
    }
    let factor = u32::try_from(power.unsigned_abs()).ok().and_then(|power| 10i128.checked_pow(power));
    match (power >= 0, factor) {
        (true, Some(factor)) => digits.checked_mul(factor).map_or(Parsed::TooLarge, Parsed::Exact),
        (true, None) => Parsed::TooLarge,
        (false, Some(factor)) => {
            let (value, rest) = (digits / factor, digits % factor);
            match rest {
                0 => Parsed::Exact(value),
                rest => Parsed::Rounded(value + i128::from(rest >= factor - rest)),
            }
        }
        (false, None) => Parsed::Rounded(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fast(cell: &str, scale: usize) -> Option<i64> {
        let record = format!("xyzxyzxyzxyzxyzxyz{cell}");
        let (length, end) = (cell.len(), record.len());
        if length <= 8 {
            Form8::new(length, scale).parse(last_8(record.as_bytes(), end))
        } else {
            Wide::new(length, scale).parse(last_16(record.as_bytes(), end))
        }
    }

    #[test]
    fn the_fast_way_and_the_careful_way_agree_on_regular_numbers() {
        let mut seed = 0x2545_F491_4F6C_DD1Du64;
        for _ in 0..200_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let length = 1 + (seed % 16) as usize;
            let scale = (seed >> 8) as usize % length;
            let scale = if scale + 1 >= length { 0 } else { scale };
            let value =
                (seed >> 16) as i64 % 10i64.pow((seed >> 40) as u32 % 14) * if seed >> 63 == 0 { 1 } else { -1 };
            let text = match scale {
                0 => format!("{value:>length$}"),
                _ => {
                    let (unit, sign) = (10i64.pow(scale as u32), if value < 0 { "-" } else { "" });
                    let text = format!("{sign}{}.{:0>scale$}", value.abs() / unit, value.abs() % unit);
                    format!("{text:>length$}")
                }
            };
            if text.len() == length {
                assert_eq!(fast(&text, scale), Some(value), "{text:?}");
                assert_eq!(parse_any(text.as_bytes(), scale as u32, 38), Parsed::Exact(i128::from(value)));
            }
        }
    }

    #[test]
    fn what_the_fast_way_takes_the_careful_way_reads_alike() {
        let letters = b" 0129.-+,E*";
        let mut seed = 88_172_645_463_325_252u64;
        for _ in 0..300_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let length = 1 + (seed % 16) as usize;
            let cell: String =
                (0..length).map(|at| letters[(seed.rotate_left(at as u32 * 7) % 11) as usize] as char).collect();
            let scale = (seed >> 32) as usize % 4;
            let scale = if scale + 1 > length { 0 } else { scale };
            if let Some(value) = fast(&cell, scale) {
                assert_eq!(
                    parse_any(cell.as_bytes(), scale as u32, 38),
                    Parsed::Exact(value.into()),
                    "{cell:?} {scale}"
                );
            }
        }
    }

    #[test]
    fn doubles_are_read_in_every_form() {
        for (text, value) in [
            ("             ", Ok(None)),
            ("      12.3456", Ok(Some(12.3456))),
            ("2.23603366663e+009", Ok(Some(2_236_033_666.63))),
            ("1.23456789012e-012", Ok(Some(1.234_567_890_12e-12))),
            (" -9876.54    ", Ok(Some(-9876.54))),
            ("12345678901234567890123456789012345678901234", Ok(Some(1.234_567_890_123_456_8e43))),
            (" 1,5", Ok(Some(1.5))),
            ("    .", Ok(Some(0.0))),
            ("*****", Err("is not a number")),
            ("1E999", Err("does not fit into a double")),
            ("nan", Err("is not a number")),
        ] {
            assert_eq!(float_of(text.as_bytes()).map_err(|misfit| misfit.reason), value, "{text:?}");
        }
    }

    #[test]
    fn every_other_way_to_write_a_number() {
        for (text, parsed) in [
            ("        ", Parsed::Blank),
            ("12      ", Parsed::Exact(1200)),
            ("  +1.5  ", Parsed::Exact(150)),
            ("1,25    ", Parsed::Exact(125)),
            ("1.5E+3  ", Parsed::Exact(150_000)),
            ("15e-1   ", Parsed::Exact(150)),
            ("   1.005", Parsed::Rounded(101)),
            ("  -1.005", Parsed::Rounded(-101)),
            ("   1.004", Parsed::Rounded(100)),
            ("12345678", Parsed::TooLarge),
            ("********", Parsed::Garbage),
            ("  1 2   ", Parsed::Garbage),
            ("1.2.3   ", Parsed::Garbage),
            ("-       ", Parsed::Garbage),
            ("1E999   ", Parsed::TooLarge),
            ("1E-999  ", Parsed::Rounded(0)),
        ] {
            assert_eq!(parse_any(text.as_bytes(), 2, 8), parsed, "{text:?}");
        }
    }
}
