//! SQL's type names, and their types.

use crate::error::unsupported;
use datafusion::sql::sqlparser::ast::{
    BinaryLength, CharacterLength, DataType, ExactNumberInfo, IntervalFields, TimezoneInfo,
};
use mainstay_types::{Code, Collation, Error, Result, SqlType};

/// Digits of a fraction of a second when none are given, as in ISO SQL's TIMESTAMP.
const DEFAULT_DIGITS: u8 = 6;

/// The precision of a DECIMAL that gives none.
const DEFAULT_PRECISION: u8 = 18;

/// The type that a name means. `collation` is for text.
pub(crate) fn sql_type(data_type: &DataType, collation: Collation) -> Result<SqlType> {
    Ok(match data_type {
        DataType::Boolean | DataType::Bool | DataType::Bit(None) => SqlType::Boolean,
        DataType::TinyInt(_) => SqlType::TinyInt,
        DataType::SmallInt(_) | DataType::Int2(_) | DataType::Int16 => SqlType::SmallInt,
        DataType::Int(_) | DataType::Integer(_) | DataType::Int4(_) | DataType::Int32 | DataType::MediumInt(_) => {
            SqlType::Integer
        }
        // INT2, INT4 and INT8 count bytes.
        DataType::BigInt(_) | DataType::Int8(_) | DataType::Int64 => SqlType::BigInt,
        DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => decimal(info)?,
        DataType::Real | DataType::Float4 | DataType::Float32 => SqlType::Real,
        DataType::Double(_) | DataType::DoublePrecision | DataType::Float8 | DataType::Float64 => SqlType::Double,
        DataType::Float(info) => match info {
            ExactNumberInfo::Precision(bits) if *bits <= 24 => SqlType::Real,
            _ => SqlType::Double,
        },
        DataType::Char(length) | DataType::Character(length) => {
            SqlType::Char { length: characters(length)?.unwrap_or(1), collation }
        }
        DataType::Varchar(length)
        | DataType::CharVarying(length)
        | DataType::CharacterVarying(length)
        | DataType::Nvarchar(length) => SqlType::VarChar { length: characters(length)?, collation },
        DataType::Text | DataType::String(_) | DataType::Clob(_) => SqlType::VarChar { length: None, collation },
        DataType::Binary(length) => SqlType::Binary { length: length.map_or(Ok(1), bounded)? },
        DataType::Varbinary(length) => SqlType::VarBinary { length: binary(length)? },
        DataType::Bytea | DataType::Blob(_) | DataType::Bytes(_) => SqlType::VarBinary { length: None },
        DataType::Date => SqlType::Date,
        DataType::Time(digits, zone) if !has_offset(zone) => SqlType::Time { digits: fraction(*digits, 0)? },
        DataType::Timestamp(digits, zone) if !has_offset(zone) => {
            SqlType::Timestamp { digits: fraction(*digits, DEFAULT_DIGITS)? }
        }
        DataType::Timestamp(digits, _) => SqlType::TimestampWithOffset { digits: fraction(*digits, DEFAULT_DIGITS)? },
        DataType::Datetime(digits) => SqlType::Timestamp { digits: fraction(*digits, DEFAULT_DIGITS)? },
        DataType::Interval { fields, .. } => match fields {
            Some(IntervalFields::Year | IntervalFields::Month | IntervalFields::YearToMonth) => {
                SqlType::IntervalYearMonth
            }
            _ => SqlType::IntervalDayTime,
        },
        DataType::Uuid => SqlType::Uuid,
        DataType::Custom(name, arguments) => match super::declared::core_type(&name.to_string()) {
            Some(core) if !matches!(core, DataType::Custom(..)) => sql_type(&core, collation)?,
            _ => custom(&name.to_string().to_lowercase(), arguments)?,
        },
        other => return Err(unsupported(format!("the type {other}"))),
    })
}

fn custom(name: &str, arguments: &[String]) -> Result<SqlType> {
    if let Some(declared) = crate::dialect::declared_type(name) {
        return Ok(declared.sql_type);
    }
    let known = named_type(name).filter(|_| arguments.is_empty());
    known.ok_or_else(|| Error::new(Code::Syntax, format!("there is no type \"{name}\"")).about(name))
}

/// The type of a name, in lower case, that the parser does not know as one.
pub(crate) fn named_type(name: &str) -> Option<SqlType> {
    match name {
        "money" => Some(SqlType::Money),
        "uniqueidentifier" => Some(SqlType::Uuid),
        _ => None,
    }
}

fn decimal(info: &ExactNumberInfo) -> Result<SqlType> {
    let (precision, scale) = match info {
        ExactNumberInfo::None => (u64::from(DEFAULT_PRECISION), 0),
        ExactNumberInfo::Precision(precision) => (*precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
    };
    let is_possible = (1..=38).contains(&precision) && (0..=precision as i64).contains(&scale);
    if !is_possible {
        let message = format!("DECIMAL({precision},{scale}) is not possible");
        return Err(Error::new(Code::InvalidValue, message).hint("1 to 38 digits, of which some may follow the point"));
    }
    Ok(SqlType::Decimal { precision: precision as u8, scale: scale as u8 })
}

fn characters(length: &Option<CharacterLength>) -> Result<Option<u32>> {
    match length {
        None | Some(CharacterLength::Max) => Ok(None),
        Some(CharacterLength::IntegerLength { length, .. }) => bounded(*length).map(Some),
    }
}

fn binary(length: &Option<BinaryLength>) -> Result<Option<u32>> {
    match length {
        None | Some(BinaryLength::Max) => Ok(None),
        Some(BinaryLength::IntegerLength { length }) => bounded(*length).map(Some),
    }
}

fn bounded(length: u64) -> Result<u32> {
    match u32::try_from(length) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(Error::new(Code::InvalidValue, format!("a length of {length} is not possible"))),
    }
}

fn fraction(digits: Option<u64>, default: u8) -> Result<u8> {
    match digits {
        None => Ok(default),
        Some(digits @ 0..=7) => Ok(digits as u8),
        Some(digits) => Err(Error::new(Code::InvalidValue, format!("{digits} digits of a second are not possible"))
            .hint("a fraction of a second has at most 7 digits")),
    }
}

fn has_offset(zone: &TimezoneInfo) -> bool {
    matches!(zone, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz)
}

/// The collation of a COLLATE.
///
/// Errors: `InvalidValue`.
pub(crate) fn collation(name: &str) -> Result<Collation> {
    let name = name.trim_matches(['"', '[', ']']).to_lowercase();
    if name.ends_with("_ci_ai") {
        return Ok(Collation::CaseAccentInsensitive);
    }
    // SQLite's name: letters with and without accents differ there.
    if name.ends_with("_ci_as") || name == "nocase" {
        return Ok(Collation::CaseInsensitive);
    }
    if name.ends_with("_cs_as") {
        return Ok(Collation::CaseSensitive);
    }
    // By code points: ISO 9075's name, and PostgreSQL's.
    if name == "ucs_basic" || name == "c" {
        return Ok(Collation::Binary);
    }
    Collation::by_name(&name).ok_or_else(|| {
        Error::new(Code::InvalidValue, format!("there is no collation \"{name}\""))
            .hint("there are binary, ci_ai, ci_as and cs_as")
    })
}
