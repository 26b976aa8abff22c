//! Reads a field's bytes as a value, as programs do in an expression.

use super::machine::{Origin, Slot, Text};
use super::number::{self, Number};
use super::types::{Kind, NumberForm, TextLength, Width};
use crate::adt::Type;
use crate::dbf::{Field, FieldKind};
use mainstay_types::Date;

/// The reader of one field.
#[derive(Clone, Debug)]
pub(super) struct FieldReader {
    kind: FieldKind,
    float: bool,
    offset: usize,
    length: usize,
    decimals: u8,
    /// The byte and the bit in the record that say NULL.
    null: Option<(usize, u8)>,
    /// The byte and the bit in the record that say that the last byte is the length.
    varying: Option<(usize, u8)>,
    /// The type in an ADT, which has a value that says NULL.
    adt: Option<Type>,
}

impl FieldReader {
    /// A reader for a field of one of the kinds that [`kind_of`] accepts.
    pub(super) fn new(field: &Field) -> FieldReader {
        let flag = |bit: Option<usize>| bit.map(|bit| (bit / 8, 1 << (bit % 8)));
        FieldReader {
            kind: field.kind,
            float: field.letter == b'F',
            offset: field.offset,
            length: field.length,
            decimals: field.decimals,
            null: flag(field.null_bit),
            varying: flag(field.varying_bit),
            adt: field.adt,
        }
    }

    /// The record length that this reader needs.
    pub(super) fn end(&self) -> usize {
        let flags = [self.null, self.varying].into_iter().flatten().map(|(byte, _)| byte + 1).max();
        self.offset.saturating_add(self.length).max(flags.unwrap_or(0))
    }

    /// Returns true if the text is in the memo file.
    pub(super) fn is_memo(&self) -> bool {
        is_memo(self.kind)
    }

    /// The field's bytes.
    pub(super) fn cell<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        record.get(self.offset..self.offset + self.length).unwrap_or_default()
    }

    pub(super) fn is_null(&self, record: &[u8]) -> bool {
        is_set(self.null, record) || self.adt.is_some_and(|kind| kind.is_null(self.cell(record)))
    }

    /// The value. What is blank or makes no sense reads as the empty value of the type.
    pub(super) fn read(&self, record: &[u8]) -> Slot {
        let bytes = self.cell(record);
        if let Some(kind) = self.adt
            && let Some(slot) = self.adt_value(kind, bytes)
        {
            return slot;
        }
        match self.kind {
            FieldKind::Character
            | FieldKind::CharacterBinary
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::Varbinary => {
                Slot::Text(Text { origin: Origin::Record, start: self.offset, length: self.text_length(bytes, record) })
            }
            FieldKind::Numeric if self.float => Slot::Number(Number::Double(float(bytes))),
            FieldKind::Numeric => Slot::Number(self.numeric(bytes)),
            FieldKind::Date => Slot::Date(date(bytes)),
            FieldKind::DateBinary | FieldKind::DateJulian => {
                Slot::Date(i32::try_from(little_endian(bytes)).unwrap_or(0))
            }
            FieldKind::Logical => Slot::Logical(matches!(bytes.first(), Some(b'T' | b't' | b'Y' | b'y'))),
            FieldKind::Double => Slot::Number(Number::Double(f64::from_bits(little_endian(bytes)))),
            FieldKind::Time => Slot::Timestamp(0, half(bytes, 0)),
            FieldKind::Timestamp | FieldKind::ModificationTime => Slot::Timestamp(half(bytes, 0), half(bytes, 4)),
            _ => Slot::Number(self.integer(bytes)),
        }
    }

    /// The value of a field of an ADT that is not read as the same bytes in a DBF: NULL, which is blank, and the types without a
    /// sign.
    fn adt_value(&self, kind: Type, bytes: &[u8]) -> Option<Slot> {
        match kind {
            Type::Character | Type::CiCharacter | Type::Raw => None,
            Type::Logical => Some(Slot::Logical(matches!(bytes.first(), Some(b'T' | b't' | b'Y' | b'y' | b'1')))),
            Type::AutoIncrement => Some(Slot::Number(Number::Integer(little_endian(bytes) as i64))),
            _ if !kind.is_null(bytes) => None,
            Type::Date => Some(Slot::Date(0)),
            Type::Time | Type::TimeStamp | Type::ModTime => Some(Slot::Timestamp(0, 0)),
            _ => Some(Slot::Number(Number::Integer(0))),
        }
    }

    fn text_length(&self, bytes: &[u8], record: &[u8]) -> usize {
        match bytes.last() {
            Some(last) if is_set(self.varying, record) => usize::from(*last).min(bytes.len()),
            _ => bytes.len(),
        }
    }

    fn numeric(&self, bytes: &[u8]) -> Number {
        match number::value_of(bytes) {
            Number::Integer(value) if self.decimals > 0 => Number::Double(value as f64),
            number => number,
        }
    }

    fn integer(&self, bytes: &[u8]) -> Number {
        let unused = 64 - 8 * bytes.len().min(8) as u32;
        let value = (little_endian(bytes) << unused.min(63)) as i64 >> unused.min(63);
        match i64::from(self.decimals) {
            0 => Number::Integer(value),
            decimals => Number::Double(number::round(value as f64 / 10f64.powi(i32::from(self.decimals)), decimals)),
        }
    }
}

fn is_set(flag: Option<(usize, u8)>, record: &[u8]) -> bool {
    flag.is_some_and(|(byte, bit)| record.get(byte).is_some_and(|byte| byte & bit != 0))
}

/// Up to eight bytes, the lowest first.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The four bytes from `start`, signed.
fn half(bytes: &[u8], start: usize) -> i32 {
    little_endian(bytes.get(start..start + 4).unwrap_or_default()) as u32 as i32
}

/// The Julian day of `YYYYMMDD`; 0 for anything that is not a day.
pub(super) fn date(bytes: &[u8]) -> i32 {
    let Some(bytes) = bytes.get(..8).filter(|bytes| bytes.iter().all(u8::is_ascii_digit)) else { return 0 };
    let number = |digits: &[u8]| digits.iter().fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    let year = number(&bytes[..4]) as i32;
    Date::from_ymd(year, number(&bytes[4..6]), number(&bytes[6..8])).map_or(0, Date::julian)
}

/// An F field, which may end in an exponent (`1.5E+10`).
fn float(bytes: &[u8]) -> f64 {
    let value = number::value_of(bytes).as_f64();
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let Some((head, exponent)) = bytes.split_at_checked(bytes.len() - digits) else { return value };
    let sign = match head {
        [.., b'e' | b'E', sign @ (b'+' | b'-')] => *sign,
        _ => return value,
    };
    let exponent = exponent.iter().fold(0i32, |sum, digit| (sum * 10 + i32::from(digit - b'0')).min(400));
    let power = 10f64.powi(exponent);
    if sign == b'-' { value / power } else { value * power }
}

/// Returns true if fields of this kind refer to bytes in the memo file.
pub(super) fn is_memo(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Memo | FieldKind::MemoBinary)
}

/// The type of a field in an expression; `None` for what cannot be part of one.
pub(super) fn kind_of(field: &Field) -> Option<Kind> {
    let sized = |lengths: &[usize], kind| lengths.contains(&field.length).then_some(kind);
    match field.kind {
        // The length of the value is stored behind it.
        FieldKind::Varchar | FieldKind::Varbinary if field.adt.is_some() => None,
        FieldKind::Character
        | FieldKind::CharacterBinary
        | FieldKind::Varchar
        | FieldKind::VarcharUnconverted
        | FieldKind::Varbinary => Some(Kind::Character),
        FieldKind::Numeric => Some(Kind::Numeric),
        FieldKind::Integer | FieldKind::Currency | FieldKind::RowVersion => sized(&[1, 2, 3, 4, 8], Kind::Numeric),
        FieldKind::Double => sized(&[8], Kind::Numeric),
        FieldKind::Date => sized(&[8], Kind::Date),
        FieldKind::DateBinary => sized(&[3], Kind::Date),
        FieldKind::DateJulian => sized(&[4], Kind::Date),
        FieldKind::Timestamp | FieldKind::ModificationTime => sized(&[8], Kind::Timestamp),
        FieldKind::Time => sized(&[4], Kind::Timestamp),
        FieldKind::Logical => sized(&[1], Kind::Logical),
        // No index over these is known: UTF-16, Six's packed days, and the forms of dBASE 7.
        FieldKind::CharacterWide | FieldKind::VarcharWide | FieldKind::DatePacked => None,
        FieldKind::IntegerSortable | FieldKind::DoubleSortable => None,
        FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide | FieldKind::Any => None,
        FieldKind::Guid | FieldKind::NullFlags | FieldKind::Unknown => None,
    }
}

/// The length of a field's text.
pub(super) fn text_length(field: &Field) -> TextLength {
    match (field.kind, field.varying_bit) {
        (FieldKind::Varchar | FieldKind::VarcharUnconverted | FieldKind::Varbinary, Some(_)) => {
            TextLength::at_most(field.length)
        }
        _ => TextLength::exactly(field.length),
    }
}

/// The printed form of a numeric field: as wide as the field.
pub(super) fn form(field: &Field) -> NumberForm {
    let decimals = usize::from(field.decimals);
    // A field without room for a whole part prints as if it had no width; nothing is wider than 90.
    let fixed = |integer, whole: usize| {
        let width = if whole == 0 { Width::Natural } else { Width::Fixed(whole.min(90)) };
        NumberForm { integer, width, decimals }
    };
    match field.kind {
        FieldKind::Numeric if field.letter == b'F' => fixed(false, field.length.saturating_sub(decimals + 1)),
        FieldKind::Numeric if decimals > 0 => fixed(false, field.length.saturating_sub(decimals + 1)),
        FieldKind::Numeric => fixed(true, field.length),
        FieldKind::Double => fixed(false, 20 - if decimals > 0 { (decimals + 1).min(19) } else { 0 }),
        _ => {
            let whole = match field.length {
                1 => 4,
                2 => 6,
                8 => 20,
                _ => 10,
            };
            fixed(decimals == 0, whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_are_not_days_are_blank() {
        assert_eq!(date(b"20000229"), 2_451_604);
        for text in [&b"        "[..], b"20010229", b"00000000", b"2000  29", b"2000"] {
            assert_eq!(date(text), 0);
        }
    }

    #[test]
    fn floats_have_exponents() {
        assert_eq!(float(b"  1.5E+02"), 150.0);
        assert_eq!(float(b" -1.5e-01"), -0.15);
        assert_eq!(float(b"     12.5"), 12.5);
        assert_eq!(float(b""), 0.0);
    }
}
