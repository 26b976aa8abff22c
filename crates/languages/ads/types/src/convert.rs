//! Conversions: CAST and CONVERT, and assignments to variables.
//!
//! The text of a conversion is cut to the length of its type. A number with a fraction is truncated to a whole number.
//! Numbers become text without blanks; dates as YYYY-MM-DD.

use crate::failure::{Failure, native};
use mainstay_types::{Collation, SqlType, Value, ValueRef};

/// Text of any length.
pub fn text_type() -> SqlType {
    SqlType::VarChar { length: None, collation: Collation::Binary }
}

/// The type of this name and these numbers: of CAST (`sql_char(20)`), of a variable or column (`CICHAR(20)`), or one that
/// [`type_name`] has written.
pub fn named_type(text: &str) -> Option<SqlType> {
    let lower = text.trim().to_ascii_lowercase();
    let (name, rest) = lower.split_once('(').unwrap_or((&lower, ""));
    let mut numbers = rest.trim_end_matches(')').split(',').filter_map(|number| number.trim().parse::<u32>().ok());
    let (first, second) = (numbers.next(), numbers.next());
    let name = name.trim();
    let collation = if name.starts_with("cichar") { Collation::CaseInsensitive } else { Collation::Binary };
    Some(match name.strip_prefix("sql_").unwrap_or(name) {
        "bit" | "logical" | "boolean" => SqlType::Boolean,
        "tinyint" | "shortint" | "short" | "smallint" => SqlType::SmallInt,
        "integer" | "int" | "autoinc" => SqlType::Integer,
        "bigint" | "longint" | "longlong" | "rowversion" => SqlType::BigInt,
        "double" | "curdouble" | "float" | "real" => SqlType::Double,
        "numeric" | "decimal" => {
            let precision = u8::try_from(first.unwrap_or(30)).ok().filter(|digits| (1..=38).contains(digits))?;
            let default = if first.is_none() { 10 } else { 0 };
            let scale = u8::try_from(second.unwrap_or(default)).ok().filter(|scale| *scale <= precision)?;
            SqlType::Decimal { precision, scale }
        }
        "money" => SqlType::Money,
        "char" | "character" | "cichar" | "cicharacter" | "nchar" | "wchar" => match first {
            Some(0) => return None,
            Some(length) if !name.starts_with("sql_") => SqlType::Char { length, collation },
            length => SqlType::VarChar { length, collation },
        },
        "varchar" | "nvarchar" | "wvarchar" | "string" => SqlType::VarChar { length: first, collation },
        "memo" | "nmemo" | "longvarchar" | "wlongvarchar" => text_type(),
        "date" => SqlType::Date,
        "time" => SqlType::Time { digits: 3 },
        "timestamp" | "modtime" => SqlType::Timestamp { digits: 3 },
        "binary" | "raw" => match first {
            Some(length) if length > 0 => SqlType::Binary { length },
            _ => SqlType::VarBinary { length: None },
        },
        "varbinary" | "blob" | "longvarbinary" | "image" => SqlType::VarBinary { length: first },
        "guid" => SqlType::Uuid,
        _ => return None,
    })
}

/// The name of a type, as [`named_type`] reads it.
pub fn type_name(sql_type: SqlType) -> String {
    match sql_type {
        SqlType::Boolean => "logical".to_owned(),
        SqlType::TinyInt | SqlType::SmallInt => "short".to_owned(),
        SqlType::Integer => "integer".to_owned(),
        SqlType::BigInt => "longint".to_owned(),
        SqlType::Real | SqlType::Double => "double".to_owned(),
        SqlType::Decimal { precision, scale } => format!("numeric({precision},{scale})"),
        SqlType::Money => "money".to_owned(),
        SqlType::Char { length, collation: Collation::CaseInsensitive } => format!("cichar({length})"),
        SqlType::Char { length, .. } => format!("char({length})"),
        SqlType::VarChar { length: Some(length), .. } => format!("varchar({length})"),
        SqlType::Date => "date".to_owned(),
        SqlType::Time { .. } => "time".to_owned(),
        SqlType::Timestamp { .. } | SqlType::TimestampWithOffset { .. } => "timestamp".to_owned(),
        SqlType::Binary { length } => format!("raw({length})"),
        SqlType::VarBinary { .. } => "blob".to_owned(),
        SqlType::Uuid => "guid".to_owned(),
        _ => "memo".to_owned(),
    }
}

/// The value as one of this type.
///
/// Errors: 2109 for a value that cannot be converted.
pub fn convert(value: ValueRef<'_>, target: SqlType) -> Result<Value, Failure> {
    let failed = |error: mainstay_types::Error| {
        Failure::new(native::CONVERSION, format!("Conversion error: {}", error.message()))
    };
    match (value, target) {
        (ValueRef::Text(text), SqlType::Char { length, .. } | SqlType::VarChar { length: Some(length), .. }) => {
            Ok(Value::Text(cut(text, length).to_owned()))
        }
        (value, SqlType::Char { length, .. } | SqlType::VarChar { length: Some(length), .. }) => {
            match convert(value, text_type())? {
                Value::Text(text) => Ok(Value::Text(cut(&text, length).to_owned())),
                other => Ok(other),
            }
        }
        // Blanks are part of a text; only numbers, dates and their like have no value in a blank one.
        (ValueRef::Text(text), SqlType::VarChar { length: None, .. }) => Ok(Value::Text(text.to_owned())),
        (ValueRef::Boolean(value), SqlType::VarChar { .. }) => {
            Ok(Value::Text(if value { "TRUE" } else { "FALSE" }.to_owned()))
        }
        (ValueRef::Decimal(number), SqlType::VarChar { .. }) => Ok(Value::Text(number.to_string())),
        (ValueRef::Float(number), SqlType::VarChar { .. }) => Ok(Value::Text(number.to_string())),
        (
            ValueRef::Float(_) | ValueRef::Decimal(_),
            SqlType::SmallInt | SqlType::Integer | SqlType::BigInt | SqlType::TinyInt,
        ) => {
            let number = value.as_f64().unwrap_or(f64::NAN).trunc();
            mainstay_types::convert(ValueRef::Float(number), target).map_err(failed)
        }
        (ValueRef::Text(text), _) if text.trim().is_empty() => Ok(Value::Null),
        (ValueRef::Text(text), _) => mainstay_types::convert(ValueRef::Text(text.trim()), target).map_err(failed),
        _ => mainstay_types::convert(value, target).map_err(failed),
    }
}

/// The first characters of a text.
pub(crate) fn cut(text: &str, characters: u32) -> &str {
    match text.char_indices().nth(characters as usize) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
