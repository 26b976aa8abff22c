//! Informix's types, and the core's types that hold their values.

use mainstay_types::{Collation, SqlType};
use std::fmt;

/// A field of a DATETIME or INTERVAL, by the number that Informix has for it: YEAR 0, MONTH 2 ... SECOND 10, and FRACTION(n)
/// 10 + n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field(pub u32);

impl Field {
    /// The names of the fields down to SECOND, in order.
    pub const NAMES: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];
    /// YEAR.
    pub const YEAR: Field = Field(0);
    /// MONTH.
    pub const MONTH: Field = Field(2);
    /// DAY.
    pub const DAY: Field = Field(4);
    /// HOUR.
    pub const HOUR: Field = Field(6);
    /// SECOND.
    pub const SECOND: Field = Field(10);

    /// The field of a name; FRACTION has three digits.
    pub fn of_name(name: &str) -> Option<Field> {
        if name.eq_ignore_ascii_case("fraction") {
            return Some(Field(13));
        }
        let place = Field::NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        u32::try_from(2 * place).ok().map(Field)
    }

    /// Digits of the fraction of a second.
    pub fn fraction_digits(self) -> u8 {
        u8::try_from(self.0.saturating_sub(10)).unwrap_or(0)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Field::NAMES.get(self.0 as usize / 2) {
            Some(name) if self.0 <= 10 => f.write_str(name),
            _ => write!(f, "fraction({})", self.fraction_digits()),
        }
    }
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Type {
    SmallInt,
    Integer,
    BigInt,
    Int8,
    Serial,
    Serial8,
    BigSerial,
    /// Digits, and those behind the point; without the latter the point floats.
    Decimal(u8, Option<u8>),
    Money(u8, u8),
    Float,
    SmallFloat,
    Char(u32),
    NChar(u32),
    VarChar(u32),
    NVarChar(u32),
    LVarChar(u32),
    Text,
    Byte,
    Boolean,
    Date,
    /// The largest and the smallest field.
    DateTime(Field, Field),
    /// The largest field, its digits, and the smallest field.
    Interval(Field, u32, Field),
    Blob,
    Clob,
}

/// The declared name of a DECIMAL whose point floats ([`crate::FloatingDecimal`]).
const FLOATING: &str = "floating";
/// The type of columns that older folders declare as DECIMAL(p): they store 16 digits on either side of the point.
const STORED_BEFORE: Type = Type::Decimal(32, Some(16));

impl Type {
    /// The type that a cast of the tree converts to.
    pub(crate) fn of_cast(cast: &crate::tree::Cast) -> Option<Type> {
        let (_, declared) = cast.data_type.name.last().split_once('=')?;
        Type::of_declared(declared.trim_matches('"'))
    }

    /// The name without lengths and fields.
    pub fn name(self) -> &'static str {
        match self {
            Type::SmallInt => "smallint",
            Type::Integer => "integer",
            Type::BigInt => "bigint",
            Type::Int8 => "int8",
            Type::Serial => "serial",
            Type::Serial8 => "serial8",
            Type::BigSerial => "bigserial",
            Type::Decimal(..) => "decimal",
            Type::Money(..) => "money",
            Type::Float => "float",
            Type::SmallFloat => "smallfloat",
            Type::Char(_) => "char",
            Type::NChar(_) => "nchar",
            Type::VarChar(_) => "varchar",
            Type::NVarChar(_) => "nvarchar",
            Type::LVarChar(_) => "lvarchar",
            Type::Text => "text",
            Type::Byte => "byte",
            Type::Boolean => "boolean",
            Type::Date => "date",
            Type::DateTime(..) => "datetime",
            Type::Interval(..) => "interval",
            Type::Blob => "blob",
            Type::Clob => "clob",
        }
    }

    /// Lengths, digits and fields as numbers.
    pub fn arguments(self) -> Vec<u32> {
        match self {
            Type::Decimal(precision, None) => vec![precision.into()],
            Type::Decimal(precision, Some(scale)) | Type::Money(precision, scale) => {
                vec![precision.into(), scale.into()]
            }
            Type::Char(length)
            | Type::NChar(length)
            | Type::VarChar(length)
            | Type::NVarChar(length)
            | Type::LVarChar(length) => vec![length],
            Type::DateTime(first, last) => vec![first.0, last.0],
            Type::Interval(first, digits, last) => vec![first.0, digits, last.0],
            _ => Vec::new(),
        }
    }

    /// The type of a name and its numbers.
    pub fn of_arguments(name: &str, arguments: &[u32]) -> Option<Type> {
        let byte = |number: u32| u8::try_from(number).ok();
        Some(match (name, arguments) {
            ("smallint", []) => Type::SmallInt,
            ("integer" | "int", []) => Type::Integer,
            ("bigint", []) => Type::BigInt,
            ("int8", []) => Type::Int8,
            ("serial", _) => Type::Serial,
            ("serial8", _) => Type::Serial8,
            ("bigserial", _) => Type::BigSerial,
            ("decimal" | "dec" | "numeric", []) => Type::Decimal(16, None),
            ("decimal" | "dec" | "numeric", [precision]) => {
                Type::Decimal(byte(*precision).filter(|it| (1..=32).contains(it))?, None)
            }
            ("decimal" | "dec" | "numeric", [precision, scale]) if scale <= precision => {
                Type::Decimal(byte(*precision).filter(|it| (1..=32).contains(it))?, Some(byte(*scale)?))
            }
            ("money", []) => Type::Money(16, 2),
            ("money", [precision]) => Type::Money(byte(*precision).filter(|it| (1..=32).contains(it))?, 2),
            ("money", [precision, scale]) if scale <= precision => {
                Type::Money(byte(*precision).filter(|it| (1..=32).contains(it))?, byte(*scale)?)
            }
            ("float" | "double precision", _) => Type::Float,
            ("smallfloat" | "real", []) => Type::SmallFloat,
            ("char" | "character", []) => Type::Char(1),
            ("char" | "character", [length]) if (1..=32_767).contains(length) => Type::Char(*length),
            ("nchar", []) => Type::NChar(1),
            ("nchar", [length]) if (1..=32_767).contains(length) => Type::NChar(*length),
            ("varchar" | "character varying", [length] | [length, _]) if (1..=255).contains(length) => {
                Type::VarChar(*length)
            }
            ("nvarchar", [length] | [length, _]) if (1..=255).contains(length) => Type::NVarChar(*length),
            ("lvarchar", []) => Type::LVarChar(2048),
            ("lvarchar", [length]) if (1..=32_739).contains(length) => Type::LVarChar(*length),
            ("text", []) => Type::Text,
            ("byte", []) => Type::Byte,
            ("boolean", []) => Type::Boolean,
            ("date", []) => Type::Date,
            ("datetime", [first, last]) if first <= last => Type::DateTime(Field(*first), Field(*last)),
            ("interval", [first, digits, last]) if first <= last => {
                Type::Interval(Field(*first), *digits, Field(*last))
            }
            ("blob", []) => Type::Blob,
            ("clob", []) => Type::Clob,
            _ => return None,
        })
    }

    /// The type of [`Type::declared_name`].
    pub fn of_declared(text: &str) -> Option<Type> {
        let mut words = text.strip_prefix("informix:")?.split(' ');
        let name = words.next()?;
        let numbers: Option<Vec<u32>> = words.map(|number| number.parse().ok()).collect();
        match (name, &numbers?[..]) {
            (FLOATING, numbers) => Type::of_arguments("decimal", numbers),
            ("decimal", [_]) => Some(STORED_BEFORE),
            (name, numbers) => Type::of_arguments(name, numbers),
        }
    }

    /// The name in the metadata of a column: `informix:`, the type's name and its numbers with blanks between.
    pub fn declared_name(self) -> String {
        let numbers: String = self.arguments().iter().map(|number| format!(" {number}")).collect();
        format!("informix:{}{numbers}", if self.is_floating() { FLOATING } else { self.name() })
    }

    /// The name of a type of the core that keeps this type: see `declared` in the planner.
    pub fn declared(self) -> String {
        format!("\"declared:{}={}\"", self.sql_type(), self.declared_name())
    }

    /// True for a DECIMAL whose point floats.
    pub fn is_floating(self) -> bool {
        matches!(self, Type::Decimal(_, None))
    }

    /// True if the table counts its values.
    pub fn is_serial(self) -> bool {
        matches!(self, Type::Serial | Type::Serial8 | Type::BigSerial)
    }

    /// True if its values are texts without padding.
    pub fn is_varying(self) -> bool {
        matches!(self, Type::VarChar(_) | Type::NVarChar(_) | Type::LVarChar(_))
    }

    /// The most characters of a text; `None` for TEXT, CLOB and types that are no texts.
    pub fn text_length(self) -> Option<u32> {
        match self {
            Type::Char(length)
            | Type::NChar(length)
            | Type::VarChar(length)
            | Type::NVarChar(length)
            | Type::LVarChar(length) => Some(length),
            _ => None,
        }
    }

    /// True if its values are texts.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Type::Char(_)
                | Type::NChar(_)
                | Type::VarChar(_)
                | Type::NVarChar(_)
                | Type::LVarChar(_)
                | Type::Text
                | Type::Clob
        )
    }

    /// True if its values are exact or floating numbers.
    pub fn is_number(self) -> bool {
        let is_exact = matches!(self, Type::Decimal(..) | Type::Money(..));
        self.is_integer() || is_exact || matches!(self, Type::Float | Type::SmallFloat)
    }

    /// True if its values are whole numbers.
    pub fn is_integer(self) -> bool {
        matches!(self.sql_type(), SqlType::SmallInt | SqlType::Integer | SqlType::BigInt)
    }

    /// True if values of both types compare in the core without a conversion.
    pub fn is_like(self, other: Type) -> bool {
        (self.is_text() && other.is_text())
            || (self.is_integer() && other.is_integer())
            || (self.is_floating() == other.is_floating()
                && std::mem::discriminant(&self.sql_type()) == std::mem::discriminant(&other.sql_type()))
    }

    /// The core's type for its values.
    pub fn sql_type(self) -> SqlType {
        let collation = Collation::Binary;
        match self {
            Type::SmallInt => SqlType::SmallInt,
            Type::Integer | Type::Serial => SqlType::Integer,
            Type::BigInt | Type::Int8 | Type::Serial8 | Type::BigSerial => SqlType::BigInt,
            Type::Decimal(_, None) => SqlType::VarBinary { length: None },
            Type::Decimal(precision, Some(scale)) | Type::Money(precision, scale) => {
                SqlType::Decimal { precision, scale }
            }
            Type::Float => SqlType::Double,
            Type::SmallFloat => SqlType::Real,
            Type::Char(length) | Type::NChar(length) => SqlType::Char { length, collation },
            Type::VarChar(length) | Type::NVarChar(length) | Type::LVarChar(length) => {
                SqlType::VarChar { length: Some(length), collation }
            }
            Type::Text | Type::Clob => SqlType::TEXT,
            Type::Byte | Type::Blob => SqlType::VarBinary { length: None },
            Type::Boolean => SqlType::Boolean,
            Type::Date => SqlType::Date,
            Type::DateTime(first, last) if first >= Field::HOUR => SqlType::Time { digits: last.fraction_digits() },
            Type::DateTime(_, last) => SqlType::Timestamp { digits: last.fraction_digits() },
            Type::Interval(first, ..) if first <= Field::MONTH => SqlType::IntervalYearMonth,
            Type::Interval(..) => SqlType::IntervalDayTime,
        }
    }

    /// The type of a value of the core that no column declares.
    pub fn of_core(sql_type: SqlType) -> Type {
        match sql_type {
            SqlType::Boolean => Type::Boolean,
            SqlType::TinyInt | SqlType::SmallInt => Type::SmallInt,
            SqlType::Integer => Type::Integer,
            SqlType::BigInt => Type::BigInt,
            SqlType::Decimal { precision, scale } => {
                Type::Decimal(precision.min(32), Some(scale.min(precision.min(32))))
            }
            SqlType::Money => Type::Money(19, 4),
            SqlType::Real => Type::SmallFloat,
            SqlType::Double => Type::Float,
            SqlType::Char { length, .. } => Type::Char(length.min(32_767)),
            SqlType::VarChar { length: Some(length @ ..=255), .. } => Type::VarChar(length.max(1)),
            SqlType::VarChar { length, .. } => Type::LVarChar(length.unwrap_or(32_739).min(32_739)),
            SqlType::Binary { .. } | SqlType::VarBinary { .. } => Type::Byte,
            SqlType::Date => Type::Date,
            SqlType::Time { digits: 0 } => Type::DateTime(Field::HOUR, Field::SECOND),
            SqlType::Time { digits } => Type::DateTime(Field::HOUR, Field(10 + u32::from(digits.min(5)))),
            SqlType::Timestamp { digits: 0 } => Type::DateTime(Field::YEAR, Field::SECOND),
            SqlType::Timestamp { digits } | SqlType::TimestampWithOffset { digits } => {
                Type::DateTime(Field::YEAR, Field(10 + u32::from(digits.min(5)).max(1)))
            }
            SqlType::IntervalYearMonth => Type::Interval(Field::YEAR, 9, Field::MONTH),
            SqlType::IntervalDayTime => Type::Interval(Field::DAY, 9, Field(15)),
            SqlType::Uuid => Type::Char(36),
        }
    }
}

/// As a statement writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::DateTime(first, last) if first == last => write!(f, "datetime {first} to {last}"),
            Type::DateTime(first, last) => write!(f, "datetime {first} to {last}"),
            Type::Interval(first, digits, last) => write!(f, "interval {first}({digits}) to {last}"),
            other => {
                let numbers: Vec<String> = other.arguments().iter().map(u32::to_string).collect();
                match numbers.is_empty() {
                    true => f.write_str(other.name()),
                    false => write!(f, "{}({})", other.name(), numbers.join(",")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_found_again() {
        let all = [
            Type::Serial,
            Type::Decimal(16, None),
            Type::Money(16, 2),
            Type::VarChar(20),
            Type::DateTime(Field::YEAR, Field(13)),
            Type::Interval(Field::DAY, 3, Field::SECOND),
            Type::Text,
        ];
        for known in all {
            let declared = known.declared();
            let (_, text) = declared.trim_matches('"').split_once('=').unwrap();
            assert_eq!(Type::of_declared(text), Some(known), "{declared}");
        }
        assert_eq!(Type::Serial.declared(), "\"declared:INTEGER=informix:serial\"");
        assert_eq!(Type::of_declared("int"), None);
        assert_eq!(Type::Decimal(16, None).declared(), "\"declared:VARBINARY=informix:floating 16\"");
        assert_eq!(Type::of_declared("informix:decimal 16"), Some(Type::Decimal(32, Some(16))), "of older folders");
    }
}
