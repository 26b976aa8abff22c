//! The types of slots and expressions: the storage of a value, and its range.
//!
//! A language has more types than these (T-SQL has `datetime` and `datetime2`, Business BASIC has numbers of a
//! PRECISION) and maps each to the one that stores it. The operations of the form express the meaning of a language's
//! type beyond its storage (rounding to 1/300 second, padding with blanks).
//!
//! ```text
//!   cells    16 bytes each: Boolean Integer Decimal Real Float Date Time Timestamp TimestampWithOffset Handle
//!   texts    a buffer each that is used again: Text
//!   bytes    likewise: Bytes
//!   anys     one base::Value each: Any Uuid Interval
//! ```

use mainstay_types::Value;
use std::fmt;

/// The width of an integer, which is stored in 64 bits; its width is what results are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// -128 to 127.
    I8,
    /// 0 to 255, which T-SQL calls TINYINT.
    U8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// 64 bits, signed.
    I64,
}

impl Width {
    /// Every width.
    pub const ALL: [Width; 5] = [Width::I8, Width::U8, Width::I16, Width::I32, Width::I64];

    /// The smallest number and the largest.
    pub fn range(self) -> (i64, i64) {
        match self {
            Width::I8 => (i8::MIN.into(), i8::MAX.into()),
            Width::U8 => (u8::MIN.into(), u8::MAX.into()),
            Width::I16 => (i16::MIN.into(), i16::MAX.into()),
            Width::I32 => (i32::MIN.into(), i32::MAX.into()),
            Width::I64 => (i64::MIN, i64::MAX),
        }
    }

    /// Returns true if a number is in the range.
    pub fn holds(self, number: i64) -> bool {
        let (least, most) = self.range();
        (least..=most).contains(&number)
    }

    /// Returns true if every number of another width is in the range.
    pub fn includes(self, other: Width) -> bool {
        let (least, most) = other.range();
        self.holds(least) && self.holds(most)
    }
}

/// The type of a slot or an expression. Every type has NULL beside its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false; NULL is the third value of logic.
    Boolean,
    /// A whole number.
    Integer(Width),
    /// An exact number.
    Decimal {
        /// Digits in all: 1 to 38.
        precision: u8,
        /// Digits after the point: at most `precision`.
        scale: u8,
    },
    /// A binary number of 32 bits: stored as a double, rounded after each operation.
    Real,
    /// A binary number of 64 bits.
    Float,
    /// Text.
    Text {
        /// The most units (of the operation that makes it: characters, bytes, UTF-16 units); `None` for no limit.
        limit: Option<u32>,
    },
    /// Bytes that are not text.
    Bytes {
        /// The most bytes; `None` for no limit.
        limit: Option<u32>,
    },
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// A moment without a time zone.
    Timestamp,
    /// A moment and the offset of the clock that showed it.
    TimestampWithOffset,
    /// A length of time.
    Interval,
    /// A UUID.
    Uuid,
    /// A value of any kind, which it carries with it.
    Any,
    /// The host's number for something of its own: a table variable, a cursor, a channel.
    Handle,
}

impl Type {
    /// Text without a limit.
    pub const TEXT: Type = Type::Text { limit: None };
    /// Bytes without a limit.
    pub const BYTES: Type = Type::Bytes { limit: None };
    /// The whole number of 32 bits: what procedures return.
    pub const I32: Type = Type::Integer(Width::I32);
    /// The whole number of 64 bits.
    pub const I64: Type = Type::Integer(Width::I64);

    /// Where values of this type are stored.
    #[inline]
    pub(crate) fn file(self) -> File {
        match self {
            Type::Text { .. } => File::Texts,
            Type::Bytes { .. } => File::Bytes,
            Type::Any | Type::Uuid | Type::Interval => File::Anys,
            _ => File::Cells,
        }
    }

    /// Returns true if two types are one but for their limits, precision or width: the same instructions move them.
    pub(crate) fn same_family(self, other: Type) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// Returns true if a value is one of this type: of its kind and within its range. A decimal needs the very scale.
    /// Text is not measured, because its unit is not known here.
    pub fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) | (Type::Any, _) => true,
            (Type::Boolean, Value::Boolean(_)) => true,
            (Type::Integer(width), Value::Integer(number)) => width.holds(*number),
            (Type::Decimal { precision, scale }, Value::Decimal(number)) => {
                number.scale == scale && number.unscaled.unsigned_abs() < 10u128.pow(u32::from(precision.min(38)))
            }
            (Type::Real | Type::Float, Value::Float(_)) => true,
            (Type::Text { .. }, Value::Text(_)) | (Type::Bytes { .. }, Value::Binary(_)) => true,
            (Type::Date, Value::Date(_)) | (Type::Time, Value::Time(_)) => true,
            (Type::Timestamp, Value::Timestamp(_)) => true,
            (Type::TimestampWithOffset, Value::TimestampWithOffset { .. }) => true,
            (Type::Interval, Value::Interval(_)) | (Type::Uuid, Value::Uuid(_)) => true,
            (Type::Handle, Value::Integer(_)) => true,
            _ => false,
        }
    }
}

/// Where values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum File {
    /// Cells of 16 bytes.
    Cells,
    /// Text buffers.
    Texts,
    /// Byte buffers.
    Bytes,
    /// Values of any kind.
    Anys,
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Width::I8 => "i8",
            Width::U8 => "u8",
            Width::I16 => "i16",
            Width::I32 => "i32",
            Width::I64 => "i64",
        })
    }
}

/// As the printed form has it: `decimal(10,2)`, `text(30)`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("boolean"),
            Type::Integer(width) => write!(f, "{width}"),
            Type::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            Type::Real => f.write_str("real"),
            Type::Float => f.write_str("float"),
            Type::Text { limit: Some(limit) } => write!(f, "text({limit})"),
            Type::Text { limit: None } => f.write_str("text"),
            Type::Bytes { limit: Some(limit) } => write!(f, "bytes({limit})"),
            Type::Bytes { limit: None } => f.write_str("bytes"),
            Type::Date => f.write_str("date"),
            Type::Time => f.write_str("time"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::TimestampWithOffset => f.write_str("timestamp_with_offset"),
            Type::Interval => f.write_str("interval"),
            Type::Uuid => f.write_str("uuid"),
            Type::Any => f.write_str("any"),
            Type::Handle => f.write_str("handle"),
        }
    }
}
