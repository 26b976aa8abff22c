//! The types of the dialect as fields of ADT tables.
//!
//! | type | field |
//! |---|---|
//! | CHAR(n), CHARACTER(n) | Character, n bytes; 1 without a length |
//! | CICHAR(n), CICHARACTER(n) | CICharacter: compares without regard to case |
//! | VARCHAR(n), VARBINARY(n), NCHAR(n), NVARCHAR(n), RAW(n) | the field of that name; VARCHAR without a length: Memo |
//! | MEMO, NMEMO, BLOB, BINARY, IMAGE | Memo, NMemo, Binary, Image |
//! | NUMERIC(n, d), DECIMAL(n, d) | Numeric, n characters with sign and point, d decimals; (10, 2) without numbers |
//! | INTEGER, SHORT, LONGINT, DOUBLE, CURDOUBLE, MONEY | the field of that name |
//! | DATE, TIME, TIMESTAMP, LOGICAL, GUID | the field of that name |
//! | AUTOINC, ROWVERSION, MODTIME | filled by the table |
//!
//! Source: the help pages "Advantage SQL Data Types" and "ADT Field Types and Specifications". Other type names of the
//! dialect (BIT, SMALLINT, FLOAT, SQL_VARCHAR ...) become the same fields.

use crate::define::unknown_type;
use crate::session::Result;
use mainstay_ads_syntax::reduce;
use mainstay_ads_syntax::tree::{DataType, TypeArgument};
use mainstay_types::SqlType;
use mainstay_xbase::adt::Type;

/// The type as `name(length,decimals)`, which the core and [`advantage_spec`](mainstay_xbase::indexed::advantage_spec) read.
///
/// Errors: `native::TYPE` for what is no type.
pub(crate) fn declared(data_type: &DataType) -> Result<String> {
    let sql_type = reduce::sql_type(data_type).ok_or_else(|| unknown_type(data_type))?;
    let numbers: Vec<usize> = data_type.arguments.iter().filter_map(number).collect();
    let length = numbers.first().copied();
    let name = data_type.name.last().to_ascii_lowercase();
    let name = name.strip_prefix("sql_").unwrap_or(&name);
    let kind = match name {
        "bit" | "boolean" => Type::Logical,
        "smallint" | "tinyint" => Type::ShortInt,
        "bigint" => Type::LongInt,
        "float" | "real" => Type::Double,
        "decimal" => Type::Numeric,
        "wchar" => Type::NChar,
        "wvarchar" => Type::NVarChar,
        "string" => Type::VarChar,
        "longvarchar" => Type::Memo,
        "wlongvarchar" => Type::NMemo,
        "longvarbinary" => Type::Binary,
        other => Type::of_name(other).ok_or_else(|| unknown_type(data_type))?,
    };
    Ok(match kind {
        Type::Numeric => match (length, numbers.get(1)) {
            (Some(length), decimals) => format!("numeric({length},{})", decimals.unwrap_or(&0)),
            (None, _) => "numeric(10,2)".to_owned(),
        },
        Type::VarChar if length.is_none() => "memo".to_owned(),
        Type::NVarChar if length.is_none() => "nmemo".to_owned(),
        Type::VarBinary | Type::Raw if length.is_none() => "blob".to_owned(),
        Type::Character | Type::CiCharacter | Type::NChar => {
            let length = length.unwrap_or(1);
            format!("{}({length})", kind.name().to_lowercase())
        }
        Type::VarChar | Type::NVarChar | Type::VarBinary | Type::Raw => {
            format!("{}({})", kind.name().to_lowercase(), length.unwrap_or(1))
        }
        // Of binary values with a length the dialect keeps them in the record.
        Type::Binary if matches!(sql_type, SqlType::Binary { .. }) => format!("raw({})", length.unwrap_or(1)),
        _ => word(kind).to_owned(),
    })
}

/// The dialect's word for a type of a fixed length.
fn word(kind: Type) -> &'static str {
    match kind {
        Type::ShortInt => "short",
        Type::LongInt => "longint",
        Type::AutoIncrement => "autoinc",
        Type::Binary => "blob",
        Type::Logical => "logical",
        Type::Date => "date",
        Type::Memo => "memo",
        Type::Image => "image",
        Type::Double => "double",
        Type::Integer => "integer",
        Type::Time => "time",
        Type::TimeStamp => "timestamp",
        Type::CurDouble => "curdouble",
        Type::Money => "money",
        Type::RowVersion => "rowversion",
        Type::ModTime => "modtime",
        Type::NMemo => "nmemo",
        _ => "guid",
    }
}

fn number(argument: &TypeArgument) -> Option<usize> {
    match argument {
        TypeArgument::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}
