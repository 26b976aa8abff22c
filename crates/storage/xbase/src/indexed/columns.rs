//! Columns of SQL as fields of a table: the field for each type, and the conversion of values.
//!
//! | type | Visual FoxPro | FoxPro 2, Harbour, Six | dBASE III, Clipper; dBASE IV | dBASE 7 |
//! |---|---|---|---|---|
//! | BOOLEAN | L | L | L | L |
//! | TINYINT, SMALLINT, INTEGER | I | N(4), N(6), N(11) | the same | I |
//! | BIGINT | N(20) | N(20) | N(20) | N(20) |
//! | DECIMAL(p, s) | N: a sign and a point wider than p | the same | the same | the same |
//! | MONEY | Y | N(20, 4) | N(20, 4) | N(20, 4) |
//! | REAL, DOUBLE | B | B | refused | O |
//! | CHAR(n), VARCHAR(n) up to 254 | C, V | C | C | C |
//! | longer, and without a length | M | M | M | M |
//! | BINARY(n), VARBINARY(n) up to 254 | Q | Q | refused | VARBINARY: B |
//! | longer, and without a length | M of bytes | M of bytes | refused | VARBINARY: B |
//! | DATE | D | D | D | D |
//! | TIMESTAMP | T | T | refused | refused |
//! | TIME | refused | T of 4 bytes | refused | refused |
//! | UUID | C(36) | C(36) | C(36) | C(36) |
//!
//! A type is refused if no field returns the same values. A nullable column gets a NULL bit in Visual FoxPro; in
//! the other formats NULL is the blank field, and those that cannot be blank (B, I, T of 4) are given a bit there too.

use crate::adt::{self, RecordLayout, Type};
use crate::dbf::{Dbf, Field, FieldKind, FieldSpec, Format, TableSpec};
use crate::memo::Memo;
use mainstay_types::{Code, Error, Result, SqlType, Value, ValueRef};

/// The longest text that is kept in the record.
const LONGEST_TEXT: u32 = 254;

/// The widest number as text.
const WIDEST_NUMBER: usize = 20;

/// The field of a new table that holds the values of a column.
pub fn field_spec(format: Format, name: &str, column: SqlType, nullable: bool) -> Result<FieldSpec> {
    if format == Format::Advantage {
        return adt::field_of_column(name, column);
    }
    let foxpro = format == Format::VisualFoxPro;
    let plain = matches!(format, Format::DbaseThree | Format::DbaseFour);
    let seven = format == Format::Dbase7;
    let of = |letter: u8, length: usize, decimals: u8| Ok(FieldSpec::new(name, letter, length, decimals));
    let bytes = |letter: u8, length: usize| Ok(FieldSpec { binary: true, ..FieldSpec::new(name, letter, length, 0) });
    let refused = || {
        let message = format!("column {name}: a table of this kind has no field for {column}");
        Err(Error::new(Code::Unsupported, message))
    };
    let made: Result<FieldSpec> = match column {
        SqlType::Boolean => of(b'L', 1, 0),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer if foxpro || seven => of(b'I', 4, 0),
        SqlType::TinyInt => of(b'N', 4, 0),
        SqlType::SmallInt => of(b'N', 6, 0),
        SqlType::Integer => of(b'N', 11, 0),
        SqlType::BigInt => of(b'N', 20, 0),
        SqlType::Decimal { precision, scale } => {
            let width = usize::from(precision) + 1 + usize::from(scale > 0);
            if width > WIDEST_NUMBER {
                let message = format!("column {name}: {column} is {width} characters wide, and a field at most 20");
                return Err(Error::new(Code::Unsupported, message).hint("DECIMAL(18, s) fits"));
            }
            of(b'N', width, scale)
        }
        SqlType::Money if foxpro => of(b'Y', 8, 4),
        SqlType::Money => of(b'N', WIDEST_NUMBER, 4),
        SqlType::Real | SqlType::Double if plain => refused(),
        SqlType::Real | SqlType::Double => of(if seven { b'O' } else { b'B' }, 8, 0),
        SqlType::Char { length, .. } if length <= LONGEST_TEXT => of(b'C', length as usize, 0),
        SqlType::VarChar { length: Some(length), .. } if length <= LONGEST_TEXT => {
            of(if foxpro { b'V' } else { b'C' }, length as usize, 0)
        }
        SqlType::Char { .. } | SqlType::VarChar { .. } => of(b'M', 0, 0),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } if plain => refused(),
        SqlType::Binary { length } | SqlType::VarBinary { length: Some(length) }
            if length <= LONGEST_TEXT && !seven =>
        {
            bytes(b'Q', length as usize)
        }
        SqlType::VarBinary { .. } if seven => of(b'B', 0, 0),
        SqlType::Binary { .. } if seven => refused(),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => bytes(b'M', 0),
        SqlType::Date => of(b'D', 8, 0),
        SqlType::Timestamp { .. } if !plain && !seven => of(b'T', 8, 0),
        SqlType::Time { .. } if matches!(format, Format::FoxPro | Format::Six) => of(b'T', 4, 0),
        SqlType::Uuid => of(b'C', 36, 0),
        _ => refused(),
    };
    let mut made = made?;
    let never_blank = matches!((made.letter, made.length), (b'B' | b'I' | b'O' | b'Y', 4 | 8) | (b'T', 4));
    made.nullable = nullable && (foxpro || never_blank && !seven);
    Ok(made)
}

/// A field as programs of xBase write it: `N(8,2)`; one of an ADT by the name of its type, `CICharacter(30,0)`.
pub fn declared(field: &Field) -> String {
    match field.adt {
        Some(kind) => format!("{}({},{})", kind.name(), field.length, field.decimals),
        None => format!("{}({},{})", char::from(field.letter), field.length, field.decimals),
    }
}

/// The field of a new table that is as one which [`declared`] gave for a column of this type. `None` where the table's format
/// has none of that kind, or the column is of another type by now.
pub fn declared_spec(format: Format, name: &str, declared: &str, column: SqlType, nullable: bool) -> Option<FieldSpec> {
    let (letter, size) = declared.strip_suffix(')')?.split_once('(')?;
    let (length, decimals) = size.split_once(',')?;
    if format == Format::Advantage {
        return adt::field_declared(name, letter, (length.parse().ok()?, decimals.parse().ok()?), column);
    }
    let letter = match Type::of_name(letter).filter(|_| letter.len() > 1) {
        Some(Type::Numeric) => "N",
        Some(Type::Money) => "Y",
        Some(Type::Memo) => "M",
        Some(_) => return None,
        None => letter,
    };
    let (length, decimals): (u8, u8) = (length.parse().ok()?, decimals.parse().ok()?);
    let foxpro = format == Format::VisualFoxPro;
    // Of so many decimals as GIS programs declare, the column is a double or a wider decimal.
    let as_was = numeric_field(letter, length, decimals);
    if as_was.has_loose_decimals() && matches!(letter, "N" | "F") {
        let is_of = match as_was.is_floating() {
            true => column == SqlType::Double,
            false => column == SqlType::Decimal { precision: as_was.precision(), scale: decimals },
        };
        let spec = FieldSpec::new(name, as_was.letter, length.into(), decimals);
        return is_of.then_some(FieldSpec { nullable: nullable && foxpro, ..spec });
    }
    let (letter, digits) = match letter {
        "N" | "F" => (b'N', length.max(decimals)),
        "Y" if foxpro => (b'Y', 19),
        "V" | "M" if matches!(column, SqlType::VarChar { .. }) => {
            let length = (letter == "V").then(|| u32::from(length));
            let kept = SqlType::VarChar { length, collation: Default::default() };
            return field_spec(format, name, kept, nullable).ok();
        }
        "Y" => return field_spec(format, name, SqlType::Money, nullable).ok(),
        _ => return None,
    };
    let is_of = column == SqlType::Decimal { precision: digits, scale: decimals };
    is_of.then(|| FieldSpec { nullable: nullable && foxpro, ..FieldSpec::new(name, letter, length.into(), decimals) })
}

fn numeric_field(letter: &str, length: u8, decimals: u8) -> Field {
    Field {
        name: String::new(),
        kind: FieldKind::Numeric,
        letter: if letter == "F" { b'F' } else { b'N' },
        offset: 1,
        length: length.into(),
        decimals,
        null_bit: None,
        varying_bit: None,
        adt: None,
    }
}

/// The field of a new table that Advantage makes of one of its types, by the type's name in its SQL; `None` where that is the
/// usual field for the values.
///
/// Errors: `Unsupported` for a type that is more than its values where the format has no field for it: Visual FoxPro keeps
/// neither the number nor the time of a record's last change.
pub fn advantage_spec(format: Format, name: &str, data_type: &str, nullable: bool) -> Result<Option<FieldSpec>> {
    if format == Format::Advantage {
        return Ok(advantage_field(name, data_type));
    }
    let (letter, length) = match data_type {
        "short" => (b'I', 2),
        "integer" => (b'I', 4),
        "longint" => (b'I', 8),
        "double" => (b'B', 8),
        "timestamp" => (b'T', 8),
        "time" => (b'T', 4),
        "modtime" => (b'=', 8),
        "rowversion" => (b'^', 8),
        _ => return Ok(None),
    };
    let keeps_itself = matches!(letter, b'=' | b'^');
    if matches!(format, Format::FoxPro | Format::DbaseThree | Format::Six) {
        // A moment that is blank is NULL.
        let never_blank = matches!((letter, length), (b'I' | b'B', _) | (b'T', 4));
        return Ok(Some(FieldSpec { nullable: nullable && never_blank, ..FieldSpec::new(name, letter, length, 0) }));
    }
    match keeps_itself {
        true => {
            let message = format!("column {name}: a table of this kind has no field for {}", data_type.to_uppercase());
            Err(Error::new(Code::Unsupported, message))
        }
        false => Ok(None),
    }
}

/// The field of an ADT of a type that may say length and decimals: `cicharacter(30)`. A type that needs a length and has none
/// is no field.
fn advantage_field(name: &str, data_type: &str) -> Option<FieldSpec> {
    let (kind, size) = data_type.split_once('(').unwrap_or((data_type, ""));
    let mut numbers = size.trim_end_matches(')').split(',').map(|number| number.trim().parse::<usize>());
    let kind = Type::of_name(kind.trim())?;
    if kind.fixed_length().is_some() {
        return Some(adt::field_of_type(name, kind, 0, 0));
    }
    let length = numbers.next()?.ok()?;
    let decimals = numbers.next().and_then(|number| u8::try_from(number.ok()?).ok()).unwrap_or(0);
    Some(adt::field_of_type(name, kind, length, decimals))
}

/// A new table of these columns: name, type, and whether they can be NULL.
pub fn table_spec(format: Format, columns: &[(&str, SqlType, bool)]) -> Result<TableSpec> {
    let fields: Result<Vec<FieldSpec>> =
        columns.iter().map(|(name, column, nullable)| field_spec(format, name, *column, *nullable)).collect();
    Ok(TableSpec::new(format, fields?))
}

/// The specification of a table that exists: what ALTER TABLE begins with.
pub fn spec_of(dbf: &Dbf, memo: Option<&Memo>) -> TableSpec {
    let header = dbf.header();
    let format = match header.version {
        _ if header.layout == RecordLayout::Adt => Format::Advantage,
        0x30..=0x32 => Format::VisualFoxPro,
        _ if dbf.has_wide_descriptors() => Format::Dbase7,
        0xF5 | 0xFB => Format::FoxPro,
        0xE5 | 0x87 | 0x07 => Format::Six,
        0x8B | 0x43 | 0x63 | 0xCB | 0x7B | 0x8E | 0x05 | 0x04 => Format::DbaseFour,
        // Without a memo there is no telling; the programs with a CDX have FoxPro's memos.
        0x03 if header.has_structural_index => Format::FoxPro,
        _ => Format::DbaseThree,
    };
    let fields = dbf.fields().iter().enumerate().map(|(number, field)| FieldSpec::of(field, dbf.counter(number)));
    let memo_block_size = memo.and_then(|memo| u32::try_from(memo.block_size()).ok()).unwrap_or(0);
    TableSpec { format, language: header.language, fields: fields.collect(), memo_block_size }
}

/// A value made fit for a field, as INSERT and UPDATE do it for every column: text of a number becomes the number, a day
/// a moment, a truth a number. Fails with `Code::TypeMismatch` or `Code::InvalidValue`, naming the field; whether the
/// result fits into the field's width is found out when it is written, with an error that names the field too.
pub fn field_value(field: &Field, value: ValueRef<'_>) -> Result<Value> {
    crate::writer::converted(value, field).map_err(|error| error.at(format_args!("column {}", field.name)))
}
