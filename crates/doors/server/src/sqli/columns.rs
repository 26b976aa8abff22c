//! The types of a session's columns on the wire.

use mainstay_session::{Column, Declared, StatementKind};
use mainstay_sqli::{Field, Flags, Qualifier, StatementType, TypeCode, TypeDescription, Unit};
use mainstay_types::SqlType;

/// The scale of a DECIMAL whose point floats.
const FLOATING: u32 = 255;

/// A column of a result.
pub(super) fn field(column: &Column) -> Field {
    let mut kind = type_of(column);
    if !column.is_nullable {
        kind.flags = Flags(kind.flags.0 | Flags::NOT_NULL.0);
    }
    Field { name: column.name.clone(), kind }
}

/// The type of a column or parameter: as it is declared, or else as its values need it.
pub(super) fn type_of(column: &Column) -> TypeDescription {
    column.declared.as_ref().and_then(declared).unwrap_or_else(|| of_core(column.sql_type))
}

fn declared(declared: &Declared) -> Option<TypeDescription> {
    let new = TypeDescription::new;
    let digits = |precision: u32, scale: u32| (precision << 8) | scale;
    Some(match (&*declared.name, &declared.arguments[..]) {
        ("smallint", _) => new(TypeCode::SMALLINT, 2),
        ("integer", _) => new(TypeCode::INTEGER, 4),
        ("serial", _) => new(TypeCode::SERIAL, 4),
        ("bigint", _) => new(TypeCode::BIGINT, 8),
        ("bigserial", _) => new(TypeCode::BIGSERIAL, 8),
        ("int8", _) => new(TypeCode::INT8, 10),
        ("serial8", _) => new(TypeCode::SERIAL8, 10),
        ("decimal", [precision]) => new(TypeCode::DECIMAL, digits(*precision, FLOATING)),
        ("decimal", [precision, scale]) => new(TypeCode::DECIMAL, digits(*precision, *scale)),
        ("money", [precision, scale]) => new(TypeCode::MONEY, digits(*precision, *scale)),
        ("float", _) => new(TypeCode::FLOAT, 8),
        ("smallfloat", _) => new(TypeCode::SMALLFLOAT, 4),
        ("char", [length]) => new(TypeCode::CHAR, *length),
        ("nchar", [length]) => new(TypeCode::NCHAR, *length),
        ("varchar", [length]) => new(TypeCode::VARCHAR, *length),
        ("nvarchar", [length]) => new(TypeCode::NVARCHAR, *length),
        ("lvarchar", [length]) => TypeDescription::long_text(*length),
        ("boolean", _) => TypeDescription::boolean(),
        ("date", _) => new(TypeCode::DATE, 4),
        ("datetime", [first, last]) => {
            new(TypeCode::DATETIME, Qualifier::datetime(unit(*first)?, unit(*last)?).length())
        }
        ("interval", [first, digits, last]) => {
            let digits = u8::try_from(*digits).ok()?;
            new(TypeCode::INTERVAL, Qualifier::interval(unit(*first)?, digits, unit(*last)?).length())
        }
        // Values of any length travel as long texts.
        ("text", _) => TypeDescription::long_text(32_739),
        ("blob", _) => TypeDescription::smart_lob(false),
        ("clob", _) => TypeDescription::smart_lob(true),
        _ => return None,
    })
}

fn unit(number: u32) -> Option<Unit> {
    u8::try_from(number).ok().filter(|number| *number <= 15).map(Unit)
}

fn of_core(sql_type: SqlType) -> TypeDescription {
    let new = TypeDescription::new;
    match sql_type {
        SqlType::Boolean => TypeDescription::boolean(),
        SqlType::TinyInt | SqlType::SmallInt => new(TypeCode::SMALLINT, 2),
        SqlType::Integer => new(TypeCode::INTEGER, 4),
        SqlType::BigInt => new(TypeCode::BIGINT, 8),
        SqlType::Decimal { precision, scale } => new(TypeCode::DECIMAL, (u32::from(precision) << 8) | u32::from(scale)),
        SqlType::Money => new(TypeCode::MONEY, (19 << 8) | 4),
        SqlType::Real => new(TypeCode::SMALLFLOAT, 4),
        SqlType::Double => new(TypeCode::FLOAT, 8),
        SqlType::Char { length, .. } => new(TypeCode::CHAR, length.min(32_767)),
        SqlType::VarChar { length: Some(length @ 1..=255), .. } => new(TypeCode::VARCHAR, length),
        SqlType::VarChar { .. } | SqlType::Uuid => TypeDescription::long_text(32_739),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => new(TypeCode::BYTE, 56),
        SqlType::Date => new(TypeCode::DATE, 4),
        SqlType::Time { digits } => new(TypeCode::DATETIME, Qualifier::datetime(Unit::HOUR, second(digits)).length()),
        SqlType::Timestamp { digits } | SqlType::TimestampWithOffset { digits } => {
            new(TypeCode::DATETIME, Qualifier::datetime(Unit::YEAR, second(digits)).length())
        }
        SqlType::IntervalYearMonth => new(TypeCode::INTERVAL, Qualifier::interval(Unit::YEAR, 9, Unit::MONTH).length()),
        SqlType::IntervalDayTime => {
            new(TypeCode::INTERVAL, Qualifier::interval(Unit::DAY, 9, Unit::fraction(5)).length())
        }
    }
}

fn second(digits: u8) -> Unit {
    if digits == 0 { Unit::SECOND } else { Unit::fraction(digits) }
}

/// The kind of a statement on the wire.
pub(super) fn statement_type(kind: StatementKind) -> StatementType {
    match kind {
        StatementKind::Query | StatementKind::QueryForUpdate => StatementType::SELECT,
        StatementKind::Insert => StatementType::INSERT,
        StatementKind::Update => StatementType::UPDATE,
        StatementKind::Delete => StatementType::DELETE,
        StatementKind::Begin => StatementType::BEGIN,
        StatementKind::Commit => StatementType::COMMIT,
        StatementKind::Rollback => StatementType::ROLLBACK,
        StatementKind::Call => StatementType::EXECUTE_ROUTINE,
        StatementKind::Other => StatementType(0),
    }
}
