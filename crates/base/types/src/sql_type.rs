//! The types of columns of native tables, under the names that ISO SQL gives them.
//!
//! Dialects have more names (`INT8`, `NVARCHAR`, `SMALLDATETIME`) and fewer types: each maps its names to these.
//! A type defines the values that a column may hold; the storage defines their layout in memory.

use crate::Collation;
use std::fmt;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SqlType {
    /// True or false.
    Boolean,
    /// A whole number of 8 bits, signed.
    TinyInt,
    /// A whole number of 16 bits.
    SmallInt,
    /// A whole number of 32 bits.
    Integer,
    /// A whole number of 64 bits.
    BigInt,
    /// An exact number.
    Decimal {
        /// Digits in all: 1 to 38.
        precision: u8,
        /// Digits after the point: at most `precision`.
        scale: u8,
    },
    /// An amount with four digits after the point, in 64 bits.
    Money,
    /// A binary number of 32 bits.
    Real,
    /// A binary number of 64 bits.
    Double,
    /// Text padded with blanks to this many characters.
    Char {
        /// Characters, at least 1.
        length: u32,
        /// The collation.
        collation: Collation,
    },
    /// Text of at most this many characters.
    VarChar {
        /// Characters; `None` for no limit (TEXT).
        length: Option<u32>,
        /// The collation.
        collation: Collation,
    },
    /// Bytes padded with zeros to this many.
    Binary {
        /// Bytes, at least 1.
        length: u32,
    },
    /// At most this many bytes.
    VarBinary {
        /// Bytes; `None` for no limit.
        length: Option<u32>,
    },
    /// A day.
    Date,
    /// A time of day.
    Time {
        /// Digits of the fraction of a second: 0 to 7.
        digits: u8,
    },
    /// A timestamp without a time zone.
    Timestamp {
        /// Digits of the fraction of a second: 0 to 7.
        digits: u8,
    },
    /// A timestamp with the offset of the clock that showed it.
    TimestampWithOffset {
        /// Digits of the fraction of a second: 0 to 7.
        digits: u8,
    },
    /// A count of years and months.
    IntervalYearMonth,
    /// A length of time in days and parts of a day.
    IntervalDayTime,
    /// A UUID: 16 bytes.
    Uuid,
}

impl SqlType {
    /// TEXT: text of any length, compared by its bytes.
    pub const TEXT: SqlType = SqlType::VarChar { length: None, collation: Collation::Binary };

    /// The collation, if values of this type are text.
    pub fn collation(self) -> Option<Collation> {
        match self {
            SqlType::Char { collation, .. } | SqlType::VarChar { collation, .. } => Some(collation),
            _ => None,
        }
    }
}

/// As SQL writes it: what `CREATE TABLE` accepts.
impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlType::Boolean => f.write_str("BOOLEAN"),
            SqlType::TinyInt => f.write_str("TINYINT"),
            SqlType::SmallInt => f.write_str("SMALLINT"),
            SqlType::Integer => f.write_str("INTEGER"),
            SqlType::BigInt => f.write_str("BIGINT"),
            SqlType::Decimal { precision, scale } => write!(f, "DECIMAL({precision},{scale})"),
            SqlType::Money => f.write_str("MONEY"),
            SqlType::Real => f.write_str("REAL"),
            SqlType::Double => f.write_str("DOUBLE"),
            SqlType::Char { length, .. } => write!(f, "CHAR({length})"),
            SqlType::VarChar { length: Some(length), .. } => write!(f, "VARCHAR({length})"),
            SqlType::VarChar { length: None, .. } => f.write_str("TEXT"),
            SqlType::Binary { length } => write!(f, "BINARY({length})"),
            SqlType::VarBinary { length: Some(length) } => write!(f, "VARBINARY({length})"),
            SqlType::VarBinary { length: None } => f.write_str("VARBINARY"),
            SqlType::Date => f.write_str("DATE"),
            SqlType::Time { digits } => write!(f, "TIME({digits})"),
            SqlType::Timestamp { digits } => write!(f, "TIMESTAMP({digits})"),
            SqlType::TimestampWithOffset { digits } => write!(f, "TIMESTAMP({digits}) WITH TIME ZONE"),
            SqlType::IntervalYearMonth => f.write_str("INTERVAL YEAR TO MONTH"),
            SqlType::IntervalDayTime => f.write_str("INTERVAL DAY TO SECOND"),
            SqlType::Uuid => f.write_str("UUID"),
        }
    }
}
