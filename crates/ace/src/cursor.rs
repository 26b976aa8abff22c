//! The rows of a query as a table: a static cursor ([`crate::live`] has the others).
//!
//! The rows are written into a table of Visual FoxPro's form that exists in memory only, and a work area is opened on it,
//! so that everything that can be done with a table (moving, filters, temporary indexes, counting) can be done with rows,
//! by the same code. A column's name may be longer than a field's; the table keeps both.

use std::path::Path;
use std::sync::Arc;

use mainstay_base::{SqlType, Value, ValueRef};
use mainstay_vfs::Memory;
use mainstay_workarea::{Area, AreaOptions, Mode};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};

use crate::backend::{Column, Outcome};
use crate::connection::Connection;
use crate::failure::Result;

/// The longest text that is kept in the record.
const LONGEST_CHARACTER: u32 = 254;

/// Opens the rows of an answer, copies of which are written where the connection's tables are, if that is here.
pub fn open(outcome: &Outcome, connection: &Connection) -> Result<Area> {
    let files = Arc::new(Memory::default());
    let path = Path::new("cursor.dbf");
    let mut fields: Vec<FieldSpec> = Vec::with_capacity(outcome.columns.len());
    for (place, column) in outcome.columns.iter().enumerate() {
        // A name that a field can have is its name, so that expressions may use it.
        let is_plain = |name: &str| {
            name.len() <= 10
                && name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let is_taken = |name: &str| fields.iter().any(|field| field.name.eq_ignore_ascii_case(name));
        let name = match is_plain(&column.name) && !is_taken(&column.name) {
            true => column.name.to_ascii_uppercase(),
            false => format!("_{}", place + 1),
        };
        fields.push(field_of(&name, column));
    }
    let mut options = WriteOptions::new(Access::Exclusive);
    options.replacement = Some(b'?');
    options.cut_long_text = true;
    writer::create(&*files, path, &TableSpec::new(Format::VisualFoxPro, fields), &options)?;
    let mut table = TableWriter::open(files.clone(), path, options)?;
    for row in &outcome.rows {
        let texts: Vec<Option<String>> =
            row.iter().zip(&outcome.columns).map(|(value, column)| text_of(value, column)).collect();
        let values: Vec<ValueRef<'_>> = row
            .iter()
            .zip(&texts)
            .map(|(value, text)| text.as_deref().map_or_else(|| value.as_ref(), ValueRef::Text))
            .collect();
        table.append(&values)?;
    }
    table.close()?;
    let options = AreaOptions { mode: Mode::Exclusive, open_structural: false, ..AreaOptions::default() };
    let mut area = Area::open(files, path, &options)?;
    if connection.server.is_none() {
        area.set_copies_to(Arc::clone(&connection.files));
    }
    Ok(area)
}

/// The field that a column's values are kept in.
fn field_of(name: &str, column: &Column) -> FieldSpec {
    let (letter, length, decimals) = match column.sql_type {
        SqlType::Boolean => (b'L', 1, 0),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer => (b'I', 4, 0),
        SqlType::BigInt => (b'N', 20, 0),
        SqlType::Decimal { precision, scale } if precision <= 17 => {
            (b'N', usize::from(precision) + 1 + usize::from(scale > 0), scale)
        }
        SqlType::Money => (b'Y', 8, 4),
        SqlType::Real | SqlType::Double | SqlType::Decimal { .. } => (b'B', 8, 4),
        SqlType::Char { length, .. } | SqlType::VarChar { length: Some(length), .. } if length <= LONGEST_CHARACTER => {
            (b'C', length.max(1) as usize, 0)
        }
        SqlType::Char { .. } | SqlType::VarChar { .. } => (b'M', 0, 0),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => (b'W', 0, 0),
        SqlType::Date => (b'D', 8, 0),
        SqlType::Timestamp { .. } => (b'T', 8, 0),
        _ => (b'C', 50, 0),
    };
    FieldSpec::new(name, letter, length, decimals).nullable()
}

/// The text of a value whose type no field has.
fn text_of(value: &Value, column: &Column) -> Option<String> {
    let has_field = matches!(
        column.sql_type,
        SqlType::Boolean
            | SqlType::TinyInt
            | SqlType::SmallInt
            | SqlType::Integer
            | SqlType::BigInt
            | SqlType::Decimal { .. }
            | SqlType::Money
            | SqlType::Real
            | SqlType::Double
            | SqlType::Char { .. }
            | SqlType::VarChar { .. }
            | SqlType::Binary { .. }
            | SqlType::VarBinary { .. }
            | SqlType::Date
            | SqlType::Timestamp { .. }
    );
    match value {
        _ if has_field => None,
        Value::Null => None,
        // As SQL writes it, it would be a literal.
        Value::Time(time) => Some(time.to_string()),
        value => Some(value.to_string()),
    }
}
