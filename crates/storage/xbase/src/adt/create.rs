//! New tables: the header of an ADT, from the same specification as that of a DBF.
//!
//! In a specification of [`Format::Advantage`](crate::dbf::Format::Advantage) the letter of a field is the code of its type, and
//! its length the bytes that it takes in the record. Header flag 0x10, which newer servers set, is left out: its meaning is not
//! known.

use super::fields::parse_fields;
use super::header::{FIELD_LENGTH, FIRST_FIELD_AT, FIXED_LENGTH, Header, SIGNATURE};
use super::types::Type;
use crate::codepage::CodePage;
use crate::dbf::encode::text_of_name;
use crate::dbf::{Counter, Field, FieldKind, FieldSpec, TableSpec};
use mainstay_types::{Code, Collation, Error, Result, SqlType};

/// The longest name.
const LONGEST_NAME: usize = 128;

/// The longest record without its prefix (the vendor's help, "Specifications").
const LONGEST_RECORD: usize = 65_530;

/// The widest number as text.
const WIDEST_NUMBER: usize = 32;

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidValue, message)
}

/// The type of a field of a specification.
pub(crate) fn type_of(field: &FieldSpec) -> Type {
    Type::of_code(field.letter.into())
}

/// The bytes of a field of a specification.
fn length_of(field: &FieldSpec) -> usize {
    type_of(field).fixed_length().unwrap_or(field.length)
}

/// The whole header of a table with these fields, without records.
///
/// Errors: `InvalidValue`, `Duplicate`, `Unsupported` for fields that such a table cannot have.
pub(crate) fn header(spec: &TableSpec, page: CodePage) -> Result<Vec<u8>> {
    if spec.fields.is_empty() {
        return Err(invalid("a table has at least one field".to_owned()));
    }
    let mut bytes = vec![0; FIXED_LENGTH];
    let (mut at, mut flags) = (FIRST_FIELD_AT, 0_u16);
    for (number, field) in spec.fields.iter().enumerate() {
        check(field, &spec.fields[..number])?;
        flags |= flag_of(type_of(field));
        describe(field, page, at, &mut bytes)?;
        at += length_of(field);
    }
    if at > LONGEST_RECORD + FIRST_FIELD_AT {
        return Err(invalid(format!(
            "the fields take {} bytes; a record has at most {LONGEST_RECORD}",
            at - FIRST_FIELD_AT
        )));
    }
    let count = u16::try_from(spec.fields.len()).map_err(|_| invalid("a table of over 65,535 fields".to_owned()))?;
    let next = spec.fields.iter().find_map(|field| field.counter).map_or(1, |counter| counter.next.max(1));
    let length = bytes.len() as u32;
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, SIGNATURE);
    put(20, &1_u32.to_le_bytes());
    put(32, &length.to_le_bytes());
    put(36, &(at as u32).to_le_bytes());
    put(80, &u64::from(next).to_le_bytes());
    put(88, &flags.to_le_bytes());
    put(356, &4_u16.to_le_bytes());
    put(358, &count.to_le_bytes());
    // The new file is read as any reader will.
    let read = Header::parse(&bytes).and_then(|header| parse_fields(&header, &bytes))?;
    debug_assert_eq!(read.len(), spec.fields.len());
    Ok(bytes)
}

fn flag_of(kind: Type) -> u16 {
    match kind {
        kind if kind.is_reference() => 0x01,
        Type::AutoIncrement => 0x02,
        Type::RowVersion => 0x20,
        Type::ModTime => 0x40,
        _ => 0,
    }
}

fn check(field: &FieldSpec, before: &[FieldSpec]) -> Result<()> {
    let (name, kind, length) = (&field.name, type_of(field), length_of(field));
    if before.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
        return Err(Error::new(Code::Duplicate, format!("two fields are called {name}")));
    }
    if name.trim().is_empty() || name.contains(['\0', ';', ',']) {
        return Err(invalid(format!("'{name}' is no name of a field")));
    }
    let counts = |field: &FieldSpec| type_of(field) == Type::AutoIncrement;
    if counts(field) && before.iter().any(counts) {
        return Err(Error::new(
            Code::Unsupported,
            format!("field {name}: a table has one counter for all its records"),
        ));
    }
    let (least, most) = match kind {
        Type::Other(code) => {
            return Err(invalid(format!("field {name}: a table of this kind has no fields of type {code}")));
        }
        Type::Numeric => (2, WIDEST_NUMBER),
        Type::VarChar | Type::VarBinary => (3, 65_002),
        Type::NChar => (2, 65_000),
        Type::NVarChar => (4, 65_002),
        _ => (1, LONGEST_RECORD),
    };
    if !(least..=most).contains(&length) {
        let kind = kind.name();
        return Err(invalid(format!("field {name} of type {kind} has {least} to {most} bytes, not {length}")));
    }
    if kind == Type::Numeric && field.decimals > 0 && usize::from(field.decimals) + 2 > length {
        let decimals = field.decimals;
        return Err(invalid(format!("field {name}: {decimals} decimals and a point take more than {length} bytes")));
    }
    Ok(())
}

fn describe(field: &FieldSpec, page: CodePage, offset: usize, bytes: &mut Vec<u8>) -> Result<()> {
    let name = text_of_name(&field.name, page)?;
    if name.len() > LONGEST_NAME {
        let message = format!("the name {} is too long: a field's has at most {LONGEST_NAME} bytes", field.name);
        return Err(invalid(message));
    }
    let mut one = [0; FIELD_LENGTH];
    let kind = type_of(field);
    one[..name.len()].copy_from_slice(&name);
    one[129..131].copy_from_slice(&kind.code().to_le_bytes());
    one[131..135].copy_from_slice(&(offset as u32).to_le_bytes());
    let length = u16::try_from(length_of(field)).map_err(|_| invalid(format!("field {} is too long", field.name)))?;
    one[135..137].copy_from_slice(&length.to_le_bytes());
    let decimals = if kind == Type::Money { 4 } else { u16::from(field.decimals) };
    one[139..141].copy_from_slice(&decimals.to_le_bytes());
    bytes.extend_from_slice(&one);
    Ok(())
}

/// A field of a new table.
fn spec(name: &str, kind: Type, length: usize, decimals: u8) -> FieldSpec {
    let letter = u8::try_from(kind.code()).unwrap_or(0);
    let length = kind.fixed_length().unwrap_or(length);
    let counter = (kind == Type::AutoIncrement).then_some(Counter { next: 1, step: 1 });
    FieldSpec { counter, ..FieldSpec::new(name, letter, length, decimals) }
}

/// The field of a new table of a type that the vendor's field definitions name: `length` counts characters.
pub fn field_of_type(name: &str, kind: Type, length: usize, decimals: u8) -> FieldSpec {
    let bytes = match kind {
        Type::VarChar | Type::VarBinary => length + 2,
        Type::NChar => length * 2,
        Type::NVarChar => length * 2 + 2,
        _ => length,
    };
    spec(name, kind, bytes, decimals)
}

/// The field of a new table that is as one of this type, length in bytes and decimals, for a column of this type: what
/// [`declared`](crate::indexed::declared) says of a field. `None` where the column has another type by now, and for types that
/// are filled by the table itself: a copy has the values of the old one.
pub fn field_declared(name: &str, kind: &str, (length, decimals): (usize, u8), column: SqlType) -> Option<FieldSpec> {
    let kind = if kind == "F" { Type::Numeric } else { Type::of_name(kind)? };
    let is_text = matches!(column, SqlType::Char { .. } | SqlType::VarChar { .. });
    let is_bytes = matches!(column, SqlType::Binary { .. } | SqlType::VarBinary { .. });
    let is_of = match kind {
        Type::Logical => column == SqlType::Boolean,
        Type::Numeric => matches!(column, SqlType::Decimal { scale, .. } if scale == decimals),
        Type::Money => matches!(column, SqlType::Money | SqlType::Decimal { precision: 19, scale: 4 }),
        Type::Date => column == SqlType::Date,
        Type::Character
        | Type::CiCharacter
        | Type::Memo
        | Type::VarChar
        | Type::NChar
        | Type::NVarChar
        | Type::NMemo => is_text,
        Type::Binary | Type::Image | Type::Raw | Type::VarBinary => is_bytes,
        Type::Double | Type::CurDouble => matches!(column, SqlType::Real | SqlType::Double),
        Type::Integer | Type::ShortInt => {
            matches!(column, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer)
        }
        Type::LongInt => column == SqlType::BigInt,
        Type::Time => matches!(column, SqlType::Time { .. }),
        Type::TimeStamp => matches!(column, SqlType::Timestamp { .. }),
        Type::Guid => column == SqlType::Uuid,
        Type::AutoIncrement | Type::RowVersion | Type::ModTime | Type::Other(_) => false,
    };
    is_of.then(|| spec(name, kind, length, decimals))
}

/// The field that has the values of a field of a DBF.
pub(crate) fn field_of_kind(field: &Field, counter: Option<Counter>) -> FieldSpec {
    let (kind, length) = match field.kind {
        _ if counter.is_some() => (Type::AutoIncrement, 0),
        FieldKind::Character => (Type::Character, field.length),
        FieldKind::CharacterBinary => (Type::Raw, field.length),
        FieldKind::CharacterWide => (Type::NChar, field.length),
        FieldKind::VarcharWide => (Type::NVarChar, field.length),
        FieldKind::Varchar | FieldKind::VarcharUnconverted => (Type::Character, field.length),
        FieldKind::Numeric if field.is_floating() => (Type::Double, 0),
        FieldKind::Numeric => (Type::Numeric, field.length.max(2)),
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => (Type::Date, 0),
        FieldKind::Logical => (Type::Logical, 0),
        FieldKind::Integer | FieldKind::IntegerSortable if field.decimals > 0 => (Type::Double, 0),
        FieldKind::Integer if field.length <= 2 => (Type::ShortInt, 0),
        FieldKind::Integer if field.length > 4 => (Type::LongInt, 0),
        FieldKind::Integer | FieldKind::IntegerSortable => (Type::Integer, 0),
        FieldKind::Double | FieldKind::DoubleSortable => (Type::Double, 0),
        FieldKind::Currency => (Type::Money, 0),
        FieldKind::Timestamp => (Type::TimeStamp, 0),
        FieldKind::ModificationTime => (Type::ModTime, 0),
        FieldKind::Time => (Type::Time, 0),
        FieldKind::RowVersion => (Type::RowVersion, 0),
        FieldKind::Memo | FieldKind::Any => (Type::Memo, 0),
        FieldKind::MemoWide => (Type::NMemo, 0),
        FieldKind::MemoBinary | FieldKind::Varbinary => (Type::Binary, 0),
        FieldKind::Guid => (Type::Guid, 0),
        FieldKind::NullFlags | FieldKind::Unknown => (Type::Raw, field.length),
    };
    FieldSpec { counter, ..spec(&field.name, kind, length, field.decimals) }
}

/// The field that holds the values of a column of SQL. Text of varying length is a Character: how Advantage stores its VarChar
/// is not certain.
///
/// Errors: `Unsupported` for types that have no field.
pub(crate) fn field_of_column(name: &str, column: SqlType) -> Result<FieldSpec> {
    let of = |kind| Ok(spec(name, kind, 0, 0));
    match column {
        SqlType::Boolean => of(Type::Logical),
        SqlType::TinyInt | SqlType::SmallInt => of(Type::ShortInt),
        SqlType::Integer => of(Type::Integer),
        SqlType::BigInt => of(Type::LongInt),
        SqlType::Real | SqlType::Double => of(Type::Double),
        SqlType::Money => of(Type::Money),
        SqlType::Decimal { precision, scale } => {
            let width = usize::from(precision) + 1 + usize::from(scale > 0);
            if width > WIDEST_NUMBER {
                let message = format!("column {name}: {column} is {width} characters wide, and a field at most 32");
                return Err(Error::new(Code::Unsupported, message));
            }
            Ok(spec(name, Type::Numeric, width, scale))
        }
        SqlType::Char { length, .. } | SqlType::VarChar { length: Some(length), .. }
            if length > 0 && length as usize <= LONGEST_RECORD =>
        {
            let ignores_case = column.collation() == Some(Collation::CaseInsensitive);
            let kind = if ignores_case { Type::CiCharacter } else { Type::Character };
            Ok(spec(name, kind, length as usize, 0))
        }
        SqlType::Char { .. } | SqlType::VarChar { .. } => of(Type::Memo),
        SqlType::Binary { length } if length > 0 && length as usize <= LONGEST_RECORD => {
            Ok(spec(name, Type::Raw, length as usize, 0))
        }
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => of(Type::Binary),
        SqlType::Date => of(Type::Date),
        SqlType::Time { .. } => of(Type::Time),
        SqlType::Timestamp { .. } => of(Type::TimeStamp),
        SqlType::Uuid => of(Type::Guid),
        _ => Err(Error::new(Code::Unsupported, format!("column {name}: an ADT has no field for {column}"))),
    }
}
