//! Column types as text: the SQL form, followed by the collation.
//!
//! `VARCHAR(20) COLLATE ci_ai`. [`SqlType`]'s own text omits the collation, and the catalog must not. The
//! binary collation is the default and is not written. The reader accepts exactly what is written here (in any case):
//! dialects have more names for types, and map them before a definition gets into the catalog.

use mainstay_types::{Code, Collation, Error, Result, SqlType};

/// The most digits of an exact number.
const MAX_PRECISION: u8 = 38;

/// The most digits of a fraction of a second.
const MAX_FRACTION: u8 = 7;

/// The type as text that [`parse_sql_type`] reads.
pub fn sql_type_text(sql_type: SqlType) -> String {
    match sql_type.collation() {
        Some(collation) if collation != Collation::Binary => format!("{sql_type} COLLATE {}", collation.name()),
        _ => sql_type.to_string(),
    }
}

/// The type that [`sql_type_text`] wrote.
///
/// # Errors
/// `InvalidValue` for any other text.
pub fn parse_sql_type(text: &str) -> Result<SqlType> {
    let upper = text.to_ascii_uppercase();
    let (name, collation) = match upper.split_once(" COLLATE ") {
        Some((name, collation)) => (name, Collation::by_name(collation.trim()).ok_or_else(|| unknown(text))?),
        None => (upper.as_str(), Collation::Binary),
    };
    let (name, arguments) = arguments(name).ok_or_else(|| unknown(text))?;
    let found = plain(&name, &arguments).or_else(|| sized(&name, &arguments, collation));
    let is_collated = |found: &SqlType| collation == Collation::Binary || found.collation().is_some();
    found.filter(is_collated).ok_or_else(|| unknown(text))
}

fn unknown(text: &str) -> Error {
    Error::new(Code::InvalidValue, format!("`{text}` is no type of a column"))
}

/// The words outside of the brackets, and the numbers inside.
fn arguments(text: &str) -> Option<(String, Vec<u32>)> {
    let Some((head, rest)) = text.split_once('(') else { return Some((text.trim().to_owned(), Vec::new())) };
    let (inside, tail) = rest.split_once(')')?;
    let numbers = inside.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<u32>>>()?;
    Some((format!("{}{tail}", head.trim()), numbers))
}

/// Types without arguments.
fn plain(name: &str, arguments: &[u32]) -> Option<SqlType> {
    let found = match name {
        "BOOLEAN" => SqlType::Boolean,
        "TINYINT" => SqlType::TinyInt,
        "SMALLINT" => SqlType::SmallInt,
        "INTEGER" => SqlType::Integer,
        "BIGINT" => SqlType::BigInt,
        "MONEY" => SqlType::Money,
        "REAL" => SqlType::Real,
        "DOUBLE" => SqlType::Double,
        "DATE" => SqlType::Date,
        "INTERVAL YEAR TO MONTH" => SqlType::IntervalYearMonth,
        "INTERVAL DAY TO SECOND" => SqlType::IntervalDayTime,
        "UUID" => SqlType::Uuid,
        _ => return None,
    };
    arguments.is_empty().then_some(found)
}

/// Types with arguments, or with a collation.
fn sized(name: &str, arguments: &[u32], collation: Collation) -> Option<SqlType> {
    let digits = |count: u32| u8::try_from(count).ok().filter(|digits| *digits <= MAX_FRACTION);
    match (name, arguments) {
        ("DECIMAL", [precision, scale]) => {
            let precision = u8::try_from(*precision).ok().filter(|digits| (1..=MAX_PRECISION).contains(digits))?;
            let scale = u8::try_from(*scale).ok().filter(|digits| *digits <= precision)?;
            Some(SqlType::Decimal { precision, scale })
        }
        ("CHAR", [length]) if *length > 0 => Some(SqlType::Char { length: *length, collation }),
        ("VARCHAR", [length]) => Some(SqlType::VarChar { length: Some(*length), collation }),
        ("TEXT", []) => Some(SqlType::VarChar { length: None, collation }),
        ("BINARY", [length]) if *length > 0 => Some(SqlType::Binary { length: *length }),
        ("VARBINARY", [length]) => Some(SqlType::VarBinary { length: Some(*length) }),
        ("VARBINARY", []) => Some(SqlType::VarBinary { length: None }),
        ("TIME", [count]) => Some(SqlType::Time { digits: digits(*count)? }),
        ("TIMESTAMP", [count]) => Some(SqlType::Timestamp { digits: digits(*count)? }),
        ("TIMESTAMP WITH TIME ZONE", [count]) => Some(SqlType::TimestampWithOffset { digits: digits(*count)? }),
        _ => None,
    }
}

/// For serde: `#[serde(with = "...")]` on a field of type [`SqlType`].
pub(super) mod as_text {
    use super::{parse_sql_type, sql_type_text};
    use mainstay_types::SqlType;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(sql_type: &SqlType, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&sql_type_text(*sql_type))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SqlType, D::Error> {
        parse_sql_type(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_from_its_text() {
        let collation = Collation::CaseAccentInsensitive;
        let types = [
            SqlType::Boolean,
            SqlType::TinyInt,
            SqlType::SmallInt,
            SqlType::Integer,
            SqlType::BigInt,
            SqlType::Decimal { precision: 38, scale: 0 },
            SqlType::Decimal { precision: 9, scale: 9 },
            SqlType::Money,
            SqlType::Real,
            SqlType::Double,
            SqlType::Char { length: 1, collation },
            SqlType::Char { length: 80, collation: Collation::Binary },
            SqlType::VarChar { length: Some(20), collation },
            SqlType::VarChar { length: None, collation },
            SqlType::TEXT,
            SqlType::Binary { length: 8 },
            SqlType::VarBinary { length: Some(9) },
            SqlType::VarBinary { length: None },
            SqlType::Date,
            SqlType::Time { digits: 0 },
            SqlType::Timestamp { digits: 7 },
            SqlType::TimestampWithOffset { digits: 3 },
            SqlType::IntervalYearMonth,
            SqlType::IntervalDayTime,
            SqlType::Uuid,
        ];
        for sql_type in types {
            let text = sql_type_text(sql_type);
            assert_eq!(parse_sql_type(&text).unwrap(), sql_type, "{text}");
            assert_eq!(parse_sql_type(&text.to_lowercase()).unwrap(), sql_type, "{text}");
        }
        assert_eq!(sql_type_text(SqlType::VarChar { length: Some(20), collation }), "VARCHAR(20) COLLATE ci_ai");
    }

    #[test]
    fn other_texts_are_refused() {
        let wrong = [
            "",
            "INT",
            "DECIMAL",
            "DECIMAL(39,0)",
            "DECIMAL(5,6)",
            "DECIMAL(0,0)",
            "CHAR(0)",
            "CHAR",
            "TIME(8)",
            "TIME",
            "DATE(1)",
            "VARCHAR(-1)",
            "VARCHAR(1",
            "TEXT COLLATE klingon",
            "DATE COLLATE ci_ai",
            "TIMESTAMP(3) WITH",
        ];
        for text in wrong {
            assert_eq!(parse_sql_type(text).unwrap_err().code(), Code::InvalidValue, "{text}");
        }
    }
}
