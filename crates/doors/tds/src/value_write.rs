//! Values into messages: cells of rows, and returned values.
//!
//! Each value is checked against its type before a byte of it is written; a value that does not fit is an error that
//! names both, because it means that the session has described a column wrongly. Nothing is rounded here but the time
//! types to their digits.
//!
//! | type | takes |
//! |---|---|
//! | BIT | a boolean, an integer |
//! | integers | an integer in range |
//! | DECIMAL, MONEY | a decimal or an integer that fits without rounding |
//! | REAL, FLOAT | a float |
//! | DATETIME and its family, DATE, TIME | a timestamp, a date, a time |
//! | DATETIMEOFFSET | a timestamp with offset |
//! | text types, XML | a text |
//! | binary types, ROWVERSION | bytes |
//! | UNIQUEIDENTIFIER | a UUID |
//! | SQL_VARIANT | a value with its type, and all of these: `INT` or `BIGINT`, `NUMERIC`, `FLOAT`, `NVARCHAR` ... |

use crate::column::Column;
use crate::data_type::{DataType, Length};
use crate::error::ValueError;
use crate::packet_writer::PacketWriter;
use crate::type_info::{Prefix, TypeInfo, decimal_bytes, time_bytes, token};
use crate::value_read::{PIECES_NULL, Place, exchanged};
use crate::variant;
use crate::version::Version;
use mainstay_types::{Date, TICKS_PER_SECOND, Time, Timestamp, ValueRef};

const DAY_1900: i32 = -25_567;
/// The bytes before TEXT, NTEXT and IMAGE in rows: a pointer that cannot be used, and a stamp.
const POINTER: [u8; 25] = *b"\x10mainstay pointer\0\0\0\0\0\0\0\0";

/// Writes the values of one column or parameter.
#[derive(Clone, Debug)]
pub(crate) struct CellWriter {
    name: String,
    pub info: TypeInfo,
    data_type: DataType,
    version: Version,
    place: Place,
}

/// Why a value does not fit; the caller adds the column.
type Fit = Result<(), String>;

impl CellWriter {
    pub fn new(column: &Column, version: Version, place: Place) -> CellWriter {
        let info = TypeInfo::of(column.data_type, column.collation, version);
        let info = if place == Place::Parameter { info.for_parameter() } else { info };
        CellWriter { name: column.name.clone(), info, data_type: column.data_type, version, place }
    }

    /// Writes a value. `scratch` is for text on its way into a code page.
    pub fn write(&self, value: ValueRef<'_>, scratch: &mut Vec<u8>, out: &mut PacketWriter) -> Result<(), ValueError> {
        let fit = match value {
            ValueRef::Null => {
                self.write_null(out);
                Ok(())
            }
            _ if self.info.prefix() == Prefix::Variant => self.write_variant(value, scratch, out),
            _ => self.write_some(value, scratch, out),
        };
        fit.map_err(|reason| ValueError { column: self.name.clone(), reason })
    }

    fn write_null(&self, out: &mut PacketWriter) {
        match (self.info.prefix(), self.place) {
            (Prefix::Short, _) => out.put_u16(0xFFFF),
            (Prefix::Pieces, _) => out.put(&PIECES_NULL.to_le_bytes()),
            (Prefix::Variant, _) => out.put_u32(0),
            (Prefix::Long, Place::Parameter) => out.put_u32(u32::MAX),
            _ => out.put_u8(0),
        }
    }

    fn mismatch(&self, value: ValueRef<'_>) -> String {
        format!("type {} cannot hold {}", self.data_type, kind(value))
    }

    fn write_some(&self, value: ValueRef<'_>, scratch: &mut Vec<u8>, out: &mut PacketWriter) -> Fit {
        if let ValueRef::Text(text) = value {
            return self.write_text(text, scratch, out);
        }
        if let (ValueRef::Binary(bytes), Prefix::Short | Prefix::Pieces | Prefix::Long) = (value, self.info.prefix()) {
            if is_text(&self.info) {
                return Err(self.mismatch(value));
            }
            self.begin_long(bytes.len(), out)?;
            out.put(bytes);
            self.end_long(out);
            return Ok(());
        }
        if self.info.token == token::NVARCHAR {
            return self.write_date_as_text(value, scratch, out);
        }
        let mut small = Small::default();
        self.small(value, &mut small)?;
        out.put_u8(small.length as u8);
        out.put(small.bytes());
        Ok(())
    }

    /// A time type for clients that know none: as the text that it is shown as.
    fn write_date_as_text(&self, value: ValueRef<'_>, scratch: &mut Vec<u8>, out: &mut PacketWriter) -> Fit {
        let text = match (self.data_type, value) {
            (DataType::Date, ValueRef::Date(date)) => date.to_string(),
            (DataType::Time(scale), ValueRef::Time(time)) => time.display(scale).to_string(),
            (DataType::DateTime2(scale), ValueRef::Timestamp(at)) => at.display(scale).to_string(),
            (DataType::DateTimeOffset(scale), ValueRef::TimestampWithOffset { utc, offset_minutes }) => {
                let sign = if offset_minutes < 0 { '-' } else { '+' };
                let (hours, minutes) = (offset_minutes.unsigned_abs() / 60, offset_minutes.unsigned_abs() % 60);
                format!("{} {sign}{hours:02}:{minutes:02}", utc.to_local(offset_minutes).display(scale))
            }
            _ => return Err(self.mismatch(value)),
        };
        self.write_text(&text, scratch, out)
    }

    fn write_text(&self, text: &str, scratch: &mut Vec<u8>, out: &mut PacketWriter) -> Fit {
        if self.info.is_utf16() {
            let length = 2 * if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
            self.begin_long(length, out)?;
            out.put_utf16(text);
            self.end_long(out);
            return Ok(());
        }
        if !is_text(&self.info) {
            return Err(self.mismatch(ValueRef::Text(text)));
        }
        let bytes = if text.is_ascii() {
            text.as_bytes()
        } else {
            scratch.clear();
            self.info.collation.encode(text, scratch);
            scratch.as_slice()
        };
        self.begin_long(bytes.len(), out)?;
        out.put(bytes);
        self.end_long(out);
        Ok(())
    }

    /// Writes the prefix of a long text or of long bytes.
    fn begin_long(&self, length: usize, out: &mut PacketWriter) -> Fit {
        let too_long = || format!("type {} cannot hold {length} bytes", self.data_type);
        match self.info.prefix() {
            Prefix::Short if length > self.info.length as usize => return Err(too_long()),
            Prefix::Short => out.put_u16(length as u16),
            _ if length > i32::MAX as usize => return Err(too_long()),
            Prefix::Pieces => {
                out.put(&(length as u64).to_le_bytes());
                if length > 0 {
                    out.put_u32(length as u32);
                }
            }
            Prefix::Long => {
                if self.place == Place::Row {
                    out.put(&POINTER);
                }
                out.put_u32(length as u32);
            }
            _ => return Err(format!("type {} holds no text or bytes", self.data_type)),
        }
        Ok(())
    }

    /// Writes the end of long values.
    fn end_long(&self, out: &mut PacketWriter) {
        if self.info.prefix() == Prefix::Pieces {
            out.put_u32(0);
        }
    }

    /// A value of up to 17 bytes.
    fn small(&self, value: ValueRef<'_>, out: &mut Small) -> Fit {
        match (self.data_type, value) {
            (DataType::Bit, ValueRef::Boolean(value)) => out.put(&[u8::from(value)]),
            (DataType::Bit, ValueRef::Integer(value)) => out.put(&[u8::from(value != 0)]),
            (DataType::TinyInt, ValueRef::Integer(value)) => {
                out.put(&[u8::try_from(value).map_err(|_| self.out_of_range(value))?]);
            }
            (DataType::SmallInt, ValueRef::Integer(value)) => {
                out.put(&i16::try_from(value).map_err(|_| self.out_of_range(value))?.to_le_bytes());
            }
            (DataType::Int, ValueRef::Integer(value)) => {
                out.put(&i32::try_from(value).map_err(|_| self.out_of_range(value))?.to_le_bytes());
            }
            (DataType::BigInt, ValueRef::Integer(value)) => out.put(&value.to_le_bytes()),
            (DataType::Real, ValueRef::Float(value)) => out.put(&(value as f32).to_le_bytes()),
            (DataType::Float, ValueRef::Float(value)) => out.put(&value.to_le_bytes()),
            (DataType::Decimal { precision, scale }, _) => {
                let limit = 10u128.pow(u32::from(precision.min(38)));
                put_decimal(self.exact(value, scale, limit)?, decimal_bytes(precision), out);
            }
            (DataType::SmallMoney, _) => {
                let number = self.exact(value, 4, u128::MAX)?;
                out.put(&i32::try_from(number).map_err(|_| self.out_of_range(number))?.to_le_bytes());
            }
            (DataType::Money, _) => {
                let number = self.exact(value, 4, u128::MAX)?;
                let number = i64::try_from(number).map_err(|_| self.out_of_range(number))?;
                out.put(&((number >> 32) as i32).to_le_bytes());
                out.put(&(number as u32).to_le_bytes());
            }
            (DataType::UniqueIdentifier, ValueRef::Uuid(uuid)) => out.put(&exchanged(uuid)),
            _ => return self.small_time(value, out),
        }
        Ok(())
    }

    /// A value of a time type.
    fn small_time(&self, value: ValueRef<'_>, out: &mut Small) -> Fit {
        match (self.data_type, value) {
            (DataType::Date, ValueRef::Date(date)) => put_date(date, out),
            (DataType::Time(scale), ValueRef::Time(time)) => {
                // A time that rounds up to midnight stays at the last tick before it.
                put_time(time.rounded(scale).unwrap_or(time), scale, out);
                Ok(())
            }
            (DataType::DateTime2(scale), ValueRef::Timestamp(at)) => put_moment(at, scale, out),
            (DataType::DateTimeOffset(scale), ValueRef::TimestampWithOffset { utc, offset_minutes }) => {
                put_moment(utc, scale, out)?;
                out.put(&offset_minutes.to_le_bytes());
                Ok(())
            }
            (DataType::DateTime, ValueRef::Timestamp(at)) => {
                let (mut date, ticks) = at.split();
                // Three hundredths of a second, to the nearest.
                let mut parts = (ticks * 3 + 50_000) / 100_000;
                if parts == 86_400 * 300 {
                    (date, parts) = (Date(date.0.saturating_add(1)), 0);
                }
                out.put(&date.0.saturating_sub(DAY_1900).to_le_bytes());
                out.put(&(parts as u32).to_le_bytes());
                Ok(())
            }
            (DataType::SmallDateTime, ValueRef::Timestamp(at)) => {
                let minutes = (at.0 + 30 * TICKS_PER_SECOND).div_euclid(60 * TICKS_PER_SECOND);
                let day = minutes.div_euclid(1440) - i64::from(DAY_1900);
                out.put(&u16::try_from(day).map_err(|_| self.out_of_range(at.date()))?.to_le_bytes());
                out.put(&(minutes.rem_euclid(1440) as u16).to_le_bytes());
                Ok(())
            }
            _ => Err(self.mismatch(value)),
        }
    }

    fn out_of_range(&self, value: impl std::fmt::Display) -> String {
        format!("type {} cannot hold {value}", self.data_type)
    }

    /// A number at a scale, without its point; refused if digits would be lost.
    fn exact(&self, value: ValueRef<'_>, scale: u8, limit: u128) -> Result<i128, String> {
        let decimal = value.as_decimal().ok_or_else(|| self.mismatch(value))?;
        decimal
            .rescale(scale)
            .filter(|rescaled| *rescaled == decimal && rescaled.unscaled.unsigned_abs() < limit)
            .map(|rescaled| rescaled.unscaled)
            .ok_or_else(|| self.out_of_range(decimal))
    }

    /// A value with the type that it has itself: length, token, length of the properties, properties, value.
    fn write_variant(&self, value: ValueRef<'_>, scratch: &mut Vec<u8>, out: &mut PacketWriter) -> Fit {
        let within = variant::of(value);
        let value = within.as_ref().map_or(value, |(_, value)| value.as_ref());
        let own = within.as_ref().map(|(data_type, _)| *data_type).filter(|own| is_known(*own, self.version));
        let data_type = own.or_else(|| plain_type(value, self.version)).ok_or_else(|| self.mismatch(value))?;
        let inner =
            CellWriter { data_type, info: TypeInfo::of(data_type, self.info.collation, self.version), ..self.clone() };
        let mut small = Small::default();
        let mut text = String::new();
        let (fixed_token, properties): (u8, Vec<u8>) = match (data_type, value) {
            (of, _) if of.is_string() => {
                text = match value {
                    ValueRef::Text(text) => text.to_owned(),
                    other => other.to_string(),
                };
                let length = (inner.info.length as u16).to_le_bytes();
                (inner.info.token, [&inner.info.collation.0[..], &length].concat())
            }
            (DataType::VarBinary(_) | DataType::Binary(_), _) => {
                (inner.info.token, (inner.info.length as u16).to_le_bytes().to_vec())
            }
            (DataType::Bit, _) => (token::BIT, Vec::new()),
            (DataType::TinyInt, _) => (token::INT1, Vec::new()),
            (DataType::SmallInt, _) => (token::INT2, Vec::new()),
            (DataType::Int, _) => (token::INT4, Vec::new()),
            (DataType::BigInt, _) => (token::INT8, Vec::new()),
            (DataType::Real, _) => (token::FLT4, Vec::new()),
            (DataType::Float, _) => (token::FLT8, Vec::new()),
            (DataType::SmallMoney, _) => (token::MONEY4, Vec::new()),
            (DataType::Money, _) => (token::MONEY, Vec::new()),
            (DataType::SmallDateTime, _) => (token::DATETIM4, Vec::new()),
            (DataType::DateTime, _) => (token::DATETIME, Vec::new()),
            // SQL Server's name of the type of such a value.
            (DataType::Decimal { precision, scale }, _) => (token::NUMERICN, vec![precision, scale]),
            (DataType::Time(scale) | DataType::DateTime2(scale) | DataType::DateTimeOffset(scale), _) => {
                (inner.info.token, vec![scale])
            }
            _ => (inner.info.token, Vec::new()),
        };
        scratch.clear();
        match (data_type, value) {
            (of, _) if of.is_national() => scratch.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            (of, _) if of.is_string() => inner.info.collation.encode(&text, scratch),
            (_, ValueRef::Binary(bytes)) => scratch.extend_from_slice(bytes),
            _ => {
                inner.small(value, &mut small)?;
                scratch.extend_from_slice(small.bytes());
            }
        }
        if scratch.len() > 8000 {
            return Err(format!("type sql_variant cannot hold {} bytes", scratch.len()));
        }
        out.put_u32((2 + properties.len() + scratch.len()) as u32);
        out.put(&[fixed_token, properties.len() as u8]);
        out.put(&properties);
        out.put(scratch);
        Ok(())
    }
}

/// Returns true if clients of a version know a type.
fn is_known(data_type: DataType, version: Version) -> bool {
    let is_new =
        matches!(data_type, DataType::Date | DataType::Time(_) | DataType::DateTime2(_) | DataType::DateTimeOffset(_));
    !is_new || version >= Version::V7_3A
}

/// The type that a client of a version is told for a value without its type.
fn plain_type(value: ValueRef<'_>, version: Version) -> Option<DataType> {
    let data_type = variant::plain_type(value)?;
    Some(match data_type {
        known if is_known(known, version) => known,
        DataType::DateTime2(_) => DataType::DateTime,
        _ => DataType::NVarChar(Length::Limited(4000)),
    })
}

fn is_text(info: &TypeInfo) -> bool {
    info.is_utf16() || matches!(info.token, token::VARCHAR | token::CHAR | token::TEXT)
}

/// The kind of a value, for messages.
fn kind(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Null => "NULL",
        ValueRef::Boolean(_) => "a boolean",
        ValueRef::Integer(_) => "an integer",
        ValueRef::Decimal(_) => "a decimal",
        ValueRef::Float(_) => "a float",
        ValueRef::Text(_) => "a text",
        ValueRef::Binary(_) => "a string of bytes",
        ValueRef::Date(_) => "a date",
        ValueRef::Time(_) => "a time",
        ValueRef::Timestamp(_) => "a timestamp",
        ValueRef::TimestampWithOffset { .. } => "a timestamp with offset",
        ValueRef::Interval(_) => "an interval",
        ValueRef::Uuid(_) => "a UUID",
    }
}

/// Bytes of a small value, on their way into a packet in one piece.
#[derive(Default)]
struct Small {
    bytes: [u8; 20],
    length: usize,
}

impl Small {
    fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.length..self.length + bytes.len()) {
            place.copy_from_slice(bytes);
            self.length += bytes.len();
        }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

fn put_decimal(number: i128, length: u32, out: &mut Small) {
    out.put(&[u8::from(number >= 0)]);
    let bytes = number.unsigned_abs().to_le_bytes();
    out.put(bytes.get(..length as usize - 1).unwrap_or_default());
}

fn put_date(date: Date, out: &mut Small) -> Fit {
    if !(Date::FIRST..=Date::LAST).contains(&date) {
        return Err("a day outside the years 1 to 9999".into());
    }
    let [low, middle, high, _] = (date.0 - Date::FIRST.0).to_le_bytes();
    out.put(&[low, middle, high]);
    Ok(())
}

fn put_time(time: Time, scale: u8, out: &mut Small) {
    let units = time.0 / 10i64.pow(7u32.saturating_sub(u32::from(scale)));
    out.put(units.to_le_bytes().get(..time_bytes(scale)).unwrap_or_default());
}

fn put_moment(at: Timestamp, scale: u8, out: &mut Small) -> Fit {
    let rounded = at.rounded(scale);
    let (date, ticks) = if rounded > Timestamp::LAST { at.split() } else { rounded.split() };
    put_time(Time(ticks), scale, out);
    put_date(date, out)
}
