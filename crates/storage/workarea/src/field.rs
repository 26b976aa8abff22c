//! Typed values of the current record's fields.
//!
//! Values are as in the file: texts in full width and in the table's code page, blank dates as 0, an
//! empty number as 0. NULL (Visual FoxPro) is [`FieldValue::Null`] when a value of any type is requested, and the
//! type's empty value for a certain type.

use crate::area::Area;
use crate::buffer::has_bit;
use crate::value::FieldValue;
use mainstay_types::{Code, Date, Decimal, Error, Result, Value};
use mainstay_xbase::adt::Type;
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::expr::{Compiled, Context, ExprValue, Expression, Scratch};
use mainstay_xbase::memo::Reference;

/// Powers of ten that a double holds exactly.
pub(crate) const SCALES: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// For each field, how it is read: a compiled expression, for the kinds that expressions know.
#[derive(Debug, Default)]
pub(crate) struct Readers(Vec<Option<Compiled>>);

impl Readers {
    pub(crate) fn new(fields: &[Field]) -> Readers {
        let context = Context::new(fields);
        let reader = |(number, field): (usize, &Field)| {
            let compiled = Expression::parse(&field.name).and_then(|name| name.compile(&context)).ok()?;
            // A field whose name is a word of the language, or that of an earlier field, is read otherwise.
            (compiled.fields() == [number]).then_some(compiled)
        };
        Readers(fields.iter().enumerate().map(reader).collect())
    }

    fn read<'a>(&'a self, scratch: &'a mut Scratch, field: usize, record: &'a [u8]) -> Option<ExprValue<'a>> {
        self.0.get(field)?.as_ref()?.evaluate(scratch, record, 0).ok()
    }
}

impl Area {
    pub(crate) fn field(&self, field: usize) -> Result<&Field> {
        self.fields().get(field).ok_or_else(|| {
            let message = format!("there is no field {}; the table has {}", field + 1, self.fields().len());
            Error::new(Code::UnknownColumn, message).at(self.path().display())
        })
    }

    /// The bytes of a field as they are in the record.
    pub fn field_bytes(&mut self, field: usize) -> Result<&[u8]> {
        let (start, length) = self.field(field).map(|field| (field.offset, field.length))?;
        self.load()?;
        Ok(self.row.bytes.get(start..start + length).unwrap_or_default())
    }

    /// The value of a field.
    pub fn get(&mut self, field: usize) -> Result<FieldValue> {
        if self.is_null(field)? {
            return Ok(FieldValue::Null);
        }
        let kind = self.field(field)?.kind;
        match kind {
            FieldKind::Memo | FieldKind::MemoWide => Ok(FieldValue::Text(self.memo_bytes(field)?.unwrap_or_default())),
            FieldKind::MemoBinary => Ok(FieldValue::Bytes(self.memo_bytes(field)?.unwrap_or_default())),
            FieldKind::Integer if self.field(field)?.adt == Some(Type::AutoIncrement) => {
                Ok(FieldValue::Integer(self.whole(field)? & i64::from(u32::MAX)))
            }
            FieldKind::Integer | FieldKind::RowVersion if self.field(field)?.decimals == 0 => {
                self.whole(field).map(FieldValue::Integer)
            }
            FieldKind::Currency => {
                let decimals = self.field(field)?.decimals;
                Ok(FieldValue::Decimal(Decimal::new(self.whole(field)?.into(), decimals)))
            }
            _ => self.get_plain(field, kind),
        }
    }

    fn get_plain(&mut self, field: usize, kind: FieldKind) -> Result<FieldValue> {
        let is_long = kind == FieldKind::Numeric && self.field(field)?.length > 15;
        self.load()?;
        let Area { readers, scratch, row, .. } = self;
        match readers.read(scratch, field, &row.bytes) {
            Some(ExprValue::Character(text)) if matches!(kind, FieldKind::CharacterBinary | FieldKind::Varbinary) => {
                Ok(FieldValue::Bytes(text.to_owned()))
            }
            Some(ExprValue::Timestamp { ms, .. }) if kind == FieldKind::Time => {
                Ok(FieldValue::Time(u32::try_from(ms).unwrap_or(0)))
            }
            Some(value) if !is_long => Ok(value.into()),
            _ => self.decoded(field),
        }
    }

    /// A value that expressions do not know, as SQL reads it.
    fn decoded(&mut self, field: usize) -> Result<FieldValue> {
        self.load()?;
        if let Some((_, pending)) = self.row.memos.iter().find(|(other, _)| *other == field) {
            return Ok(FieldValue::Text(pending.clone()));
        }
        if let Some((_, known)) = self.row.lent.iter().find(|(other, _)| *other == field) {
            return Ok(known.clone());
        }
        let value = mainstay_xbase::writer::decode(&self.dbf, self.memo.as_ref(), field, &self.row.bytes)?;
        Ok(match value {
            Value::Null => empty(self.field(field)?.kind),
            Value::Boolean(value) => FieldValue::Logical(value),
            Value::Integer(number) => FieldValue::Integer(number),
            Value::Decimal(number) => FieldValue::Decimal(number),
            Value::Float(number) => FieldValue::Number(number),
            Value::Text(text) => FieldValue::Text(self.encode_text(&text)),
            Value::Binary(bytes) => FieldValue::Bytes(bytes),
            Value::Date(day) => FieldValue::Date(day.julian()),
            Value::Timestamp(moment) => {
                let (day, ms) = (moment.date(), moment.time().nanos() / 1_000_000);
                FieldValue::Timestamp { day: day.julian(), ms: i32::try_from(ms).unwrap_or(0) }
            }
            Value::Time(time) => FieldValue::Time(u32::try_from(time.nanos() / 1_000_000).unwrap_or(0)),
            Value::Uuid(uuid) => FieldValue::Text(mainstay_types::uuid::display(uuid).to_string().into_bytes()),
            other => FieldValue::Text(format!("{other:?}").into_bytes()),
        })
    }

    /// The bytes that a text has in the table's code page; characters it does not have become `?`.
    pub fn encode_text(&self, text: &str) -> Vec<u8> {
        let page = self.code_page();
        page.encode(text).unwrap_or_else(|| {
            let mut buffer = [0; 4];
            let one = |c: char| page.encode(c.encode_utf8(&mut buffer)).unwrap_or_else(|| vec![b'?']);
            text.chars().flat_map(one).collect()
        })
    }

    /// The same of an expression. A character of Latin-1 that the page lacks is a byte that came from a program as it is.
    pub(crate) fn literal_bytes(&self, text: &str) -> Vec<u8> {
        let (page, mut buffer, mut bytes) = (self.code_page(), [0; 4], Vec::with_capacity(text.len()));
        for character in text.chars() {
            match (page.encode(character.encode_utf8(&mut buffer)), u8::try_from(character)) {
                (Some(encoded), _) => bytes.extend(encoded),
                (None, Ok(byte)) => bytes.push(byte),
                (None, Err(_)) => bytes.push(b'?'),
            }
        }
        bytes
    }

    /// The text that bytes are in the table's code page.
    pub fn decode_text(&self, bytes: &[u8]) -> String {
        let mut utf8 = Vec::with_capacity(bytes.len());
        self.code_page().decode_into(bytes, &mut utf8);
        String::from_utf8_lossy(&utf8).into_owned()
    }

    /// The number in a number field of at most 15 digits, as they are usually written: the same that [`Area::get`] gives, and
    /// sooner. `None` for any other field, and for what only the full rules can read.
    #[inline]
    pub fn plain_number(&mut self, field: usize) -> Result<Option<f64>> {
        self.load()?;
        let Some(field) = self.dbf.fields().get(field) else { return Ok(None) };
        if field.kind != FieldKind::Numeric || field.letter != b'N' || field.length > 15 || field.null_bit.is_some() {
            return Ok(None);
        }
        let cell = self.row.bytes.get(field.offset..field.offset + field.length).unwrap_or_default();
        let Some(digits) = crate::digits::digits(cell, field.decimals.into()) else { return Ok(None) };
        Ok(SCALES.get(usize::from(field.decimals)).map(|scale| digits as f64 / scale))
    }

    /// The number in a field of any numeric or logical type; 0 for an empty one.
    ///
    /// Errors: `InvalidValue` for text that is no number; `TypeMismatch` for other types.
    pub fn get_number(&mut self, field: usize) -> Result<f64> {
        if let Some(number) = self.plain_number(field)? {
            return Ok(number);
        }
        self.load()?;
        let Area { readers, scratch, row, .. } = self;
        if let Some(ExprValue::Number(number)) = readers.read(scratch, field, &row.bytes) {
            return Ok(number);
        }
        match self.get(field)? {
            FieldValue::Null => Ok(0.0),
            FieldValue::Date(day) => Ok(f64::from(day)),
            FieldValue::Text(text) => parse_number(&text),
            value => value.as_number().ok_or_else(|| self.mismatch(field, "a number")),
        }
    }

    /// The same as a whole number: what is behind the point is cut off.
    pub fn get_integer(&mut self, field: usize) -> Result<i64> {
        match self.get(field)? {
            FieldValue::Integer(number) => Ok(number),
            FieldValue::Decimal(number) => {
                let whole = number.unscaled / 10i128.pow(u32::from(number.scale));
                i64::try_from(whole).map_err(|_| self.mismatch(field, "a whole number of 64 bits"))
            }
            _ => Ok(self.get_number(field)? as i64),
        }
    }

    /// An amount in ten-thousandths.
    pub fn get_money(&mut self, field: usize) -> Result<i64> {
        match self.get(field)? {
            FieldValue::Decimal(Decimal { unscaled, scale: 4 }) => {
                i64::try_from(unscaled).map_err(|_| self.mismatch(field, "an amount"))
            }
            _ => Ok((self.get_number(field)? * 10_000.0).round() as i64),
        }
    }

    /// Returns true if a logical field is true.
    pub fn get_logical(&mut self, field: usize) -> Result<bool> {
        match self.get(field)? {
            FieldValue::Logical(value) => Ok(value),
            FieldValue::Null => Ok(false),
            _ => Err(self.mismatch(field, "true or false")),
        }
    }

    /// The Julian day of a date, timestamp or text `YYYYMMDD`; 0 for none.
    pub fn get_julian(&mut self, field: usize) -> Result<i32> {
        match self.get(field)? {
            FieldValue::Date(day) | FieldValue::Timestamp { day, .. } => Ok(day),
            FieldValue::Null => Ok(0),
            FieldValue::Text(text) => Ok(parse_day(text.trim_ascii()).unwrap_or(0)),
            _ => Err(self.mismatch(field, "a date")),
        }
    }

    /// The Julian day and the milliseconds of a timestamp, date or time; 0 and 0 for none.
    pub fn get_timestamp(&mut self, field: usize) -> Result<(i32, i32)> {
        match self.get(field)? {
            FieldValue::Timestamp { day, ms } => Ok((day, ms)),
            FieldValue::Date(day) => Ok((day, 0)),
            FieldValue::Time(ms) => Ok((0, i32::try_from(ms).unwrap_or(0))),
            FieldValue::Null => Ok((0, 0)),
            _ => Err(self.mismatch(field, "a time")),
        }
    }

    /// The field as text, as xBase prints it: a text as it is, a number in the width of its field, a date as
    /// `YYYYMMDD` (blanks for none), a timestamp as `YYYYMMDDhhmmssmmm`, a logical as `T` or `F`.
    pub fn get_text(&mut self, field: usize) -> Result<Vec<u8>> {
        let described = self.field(field)?;
        let (kind, length, decimals) = (described.kind, described.length, described.decimals);
        if kind == FieldKind::Numeric {
            return Ok(self.field_bytes(field)?.to_vec());
        }
        Ok(match self.get(field)? {
            FieldValue::Null => Vec::new(),
            FieldValue::Text(bytes) | FieldValue::Bytes(bytes) => bytes,
            FieldValue::Integer(number) => {
                let width = match length {
                    1 => 4,
                    2 => 6,
                    3 | 4 => 10,
                    _ => 20,
                };
                format!("{number:>width$}").into_bytes()
            }
            FieldValue::Decimal(number) => number.to_string().into_bytes(),
            // A double whose definition says nothing of decimals has as many as it needs.
            FieldValue::Number(number) if decimals == 0 && kind == FieldKind::Double => number.to_string().into_bytes(),
            FieldValue::Number(number) => format!("{number:.*}", usize::from(decimals)).into_bytes(),
            FieldValue::Date(0) => vec![b' '; 8],
            FieldValue::Date(day) => day_text(day).into_bytes(),
            FieldValue::Timestamp { day: 0, ms: 0 } => vec![b' '; 17],
            FieldValue::Timestamp { day, ms } => format!("{}{}", day_text(day), time_text(ms)).into_bytes(),
            FieldValue::Time(ms) => time_text(i32::try_from(ms).unwrap_or(0)).into_bytes(),
            FieldValue::Logical(value) => vec![if value { b'T' } else { b'F' }],
        })
    }

    /// True if a field is NULL, by the flag that Visual FoxPro keeps, or its value in an ADT.
    pub fn is_null(&mut self, field: usize) -> Result<bool> {
        if let Some(kind) = self.field(field)?.adt {
            return match self.row.memos.iter().find(|(other, _)| *other == field) {
                Some((_, bytes)) => Ok(bytes.is_empty()),
                None => Ok(kind.is_null(self.field_bytes(field)?)),
            };
        }
        let Some(bit) = self.field(field)?.null_bit else { return Ok(false) };
        self.load()?;
        Ok(has_bit(&self.row.bytes, bit))
    }

    /// Returns true if a field is empty: blank or zero, a memo without a value, or NULL.
    pub fn is_empty(&mut self, field: usize) -> Result<bool> {
        if matches!(self.field(field)?.kind, FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide) {
            return Ok(self.reference(field)?.is_none());
        }
        Ok(match self.get(field)? {
            FieldValue::Null => true,
            FieldValue::Text(text) | FieldValue::Bytes(text) => text.iter().all(u8::is_ascii_whitespace),
            FieldValue::Integer(number) => number == 0,
            FieldValue::Decimal(number) => number.unscaled == 0,
            FieldValue::Number(number) => number == 0.0,
            FieldValue::Date(day) => day == 0,
            FieldValue::Timestamp { day, ms } => day == 0 && ms == 0,
            FieldValue::Time(ms) => ms == 0,
            FieldValue::Logical(value) => !value,
        })
    }

    /// The little-endian integer in a field of up to eight bytes.
    fn whole(&mut self, field: usize) -> Result<i64> {
        let bytes = self.field_bytes(field)?;
        let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
        let value = bytes.iter().take(8).rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        Ok((value << unused) as i64 >> unused)
    }

    pub(crate) fn reference(&mut self, field: usize) -> Result<Option<Reference>> {
        let (start, length) = self.field(field).map(|field| (field.offset, field.length))?;
        self.load()?;
        let Some(memo) = &self.memo else { return Ok(None) };
        let cell = self.row.bytes.get(start..start + length).unwrap_or_default();
        memo.reference(cell).map_err(|reason| Error::new(Code::Damaged, reason).at(memo.path().display()))
    }

    /// The value of a memo field; `None` if it has none.
    pub fn memo_bytes(&mut self, field: usize) -> Result<Option<Vec<u8>>> {
        if let Some((_, pending)) = self.row.memos.iter().find(|(other, _)| *other == field) {
            return Ok(Some(pending.clone()));
        }
        if let Some((_, known)) = self.row.lent.iter().find(|(other, _)| *other == field) {
            return Ok(match known {
                FieldValue::Text(bytes) | FieldValue::Bytes(bytes) => Some(bytes.clone()),
                _ => None,
            });
        }
        if self.field(field)?.kind == FieldKind::Any {
            // Its value is in the record, or begins there.
            return Ok(match self.decoded(field)? {
                FieldValue::Text(bytes) | FieldValue::Bytes(bytes) => Some(bytes),
                _ => None,
            });
        }
        let reference = self.reference(field)?;
        match &self.memo {
            Some(memo) => memo.read(reference.as_ref()),
            None => Ok(None),
        }
    }

    /// The length of a memo field's value in bytes.
    pub fn memo_length(&mut self, field: usize) -> Result<u64> {
        Ok(self.memo_bytes(field)?.map_or(0, |value| value.len() as u64))
    }

    /// Part of a memo field's value: up to `length` bytes from `offset` on.
    pub fn memo_part(&mut self, field: usize, offset: u64, length: usize) -> Result<Vec<u8>> {
        let value = self.memo_bytes(field)?.unwrap_or_default();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(value.len());
        Ok(value[start..value.len().min(start.saturating_add(length))].to_vec())
    }

    fn mismatch(&self, field: usize, wanted: &str) -> Error {
        let name = self.fields().get(field).map_or("", |field| field.name.as_str());
        Error::new(Code::TypeMismatch, format!("field {name} holds no value that could be {wanted}"))
    }
}

/// The value of an empty field.
fn empty(kind: FieldKind) -> FieldValue {
    match kind {
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => FieldValue::Date(0),
        FieldKind::Timestamp | FieldKind::ModificationTime => FieldValue::Timestamp { day: 0, ms: 0 },
        FieldKind::Logical => FieldValue::Logical(false),
        FieldKind::Numeric | FieldKind::IntegerSortable | FieldKind::DoubleSortable => FieldValue::Number(0.0),
        _ => FieldValue::Text(Vec::new()),
    }
}

pub(crate) fn day_text(day: i32) -> String {
    let (year, month, day) = Date::from_julian(day).ymd();
    format!("{year:04}{month:02}{day:02}")
}

fn time_text(ms: i32) -> String {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    format!("{:02}{:02}{:02}{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn parse_number(text: &[u8]) -> Result<f64> {
    let digits = std::str::from_utf8(text.trim_ascii()).unwrap_or_default();
    if digits.is_empty() {
        return Ok(0.0);
    }
    digits.parse().map_err(|_| Error::new(Code::InvalidValue, format!("'{digits}' is no number")))
}

/// The Julian day of `YYYYMMDD`, with or without one character between the parts.
pub(crate) fn parse_day(text: &[u8]) -> Option<i32> {
    let number = |range| std::str::from_utf8(text.get(range)?).ok()?.parse::<u32>().ok();
    let (month, day) = match text.get(..8)?.iter().all(u8::is_ascii_digit) {
        true => (number(4..6)?, number(6..8)?),
        false => (number(5..7)?, number(8..10)?),
    };
    Date::from_ymd(i32::try_from(number(0..4)?).ok()?, month, day).map(Date::julian)
}

/// The day and the milliseconds of `YYYYMMDDhhmmssmmm` or `YYYY-MM-DD hh:mm:ss.mmm`; the time may be left out or short.
pub(crate) fn parse_timestamp(text: &[u8]) -> Option<(i32, i32)> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Some((0, 0));
    }
    let day = parse_day(text)?;
    let rest = if text.get(..8)?.iter().all(u8::is_ascii_digit) { &text[8..] } else { text.get(10..)? };
    let digits: Vec<u8> = rest.iter().copied().filter(u8::is_ascii_digit).collect();
    let number = |range: std::ops::Range<usize>| -> i32 {
        let part = digits.get(range.start.min(digits.len())..range.end.min(digits.len())).unwrap_or_default();
        part.iter().fold(0, |value, digit| value * 10 + i32::from(digit - b'0'))
    };
    Some((day, ((number(0..2) * 60 + number(2..4)) * 60 + number(4..6)) * 1000 + number(6..9)))
}

#[cfg(test)]
mod tests {
    use crate::area::Area;
    use crate::options::AreaOptions;
    use mainstay_vfs::{FileSystem, Memory};
    use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn a_plain_number_is_the_one_that_the_full_rules_read() {
        let cells = ["  -12.50", "   12.50", "99999.99", "-9999.99", "    0.10", "   -0.00", "        ", "********"];
        let odd = ["12.5    ", "   1e2  ", "   +1.50", "      12", "    .500", "-    .50", "   12,50"];
        let memory = Memory::new();
        let path = Path::new("n.dbf");
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        Area::create(&fs, path, &TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("AMT", b'N', 8, 2)])).unwrap();
        let mut content = fs.read(path).unwrap();
        let header = usize::from(u16::from_le_bytes([content[8], content[9]]));
        content.truncate(header);
        let all: Vec<&str> = cells.into_iter().chain(odd).collect();
        content[4..8].copy_from_slice(&(all.len() as u32).to_le_bytes());
        all.iter().for_each(|cell| content.extend_from_slice(format!(" {cell}").as_bytes()));
        memory.write("n.dbf", content);
        let mut area = Area::open(fs, path, &AreaOptions::default()).unwrap();
        let mut plain = 0;
        for cell in all {
            if let Some(number) = area.plain_number(0).unwrap() {
                assert_eq!(area.get(0).unwrap().as_number(), Some(number), "{cell}");
                plain += 1;
            }
            area.skip(1).unwrap();
        }
        assert!((6..=10).contains(&plain), "{plain}");
    }
}
