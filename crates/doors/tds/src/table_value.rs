//! A table as a parameter (TVP). (MS-TDS 2.2.5.5.5.)
//!
//! ```text
//!   database, schema, type    names
//!   columns                   count (FFFF: no table), then as in a result; bit 9 of the flags: takes its default
//!   10 or 11 ...              keys and orders, which are passed over
//!   00                        end of the description
//!   01 values ...             rows
//!   00                        end
//! ```

use crate::column::{Column, TableName};
use crate::error::{Wire, WireError};
use crate::reader::Reader;
use crate::value_read::{Place, read_value};
use crate::version::Version;
use mainstay_types::Value;

/// Columns of a table type.
const MOST_COLUMNS: u16 = 1024;
const DEFAULTED: u16 = 1 << 9;
/// NULLs that stand for defaults, in all rows together: they take no bytes on the wire, and would else be without bound.
const MOST_DEFAULTS: usize = 1 << 20;

/// A table as a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableValue {
    /// The schema of its type; empty if the client does not say.
    pub schema: String,
    /// The name of its type.
    pub name: String,
    /// Its columns, in the type's order; clients leave their names out.
    pub columns: Vec<Column>,
    /// True if a column has no values here, and takes its default in every row.
    pub defaulted: Vec<bool>,
    /// Its rows; NULL where a column takes its default.
    pub rows: Vec<Vec<Value>>,
}

/// Reads one, after the token of its type.
pub(crate) fn read(reader: &mut Reader<'_>, version: Version) -> Wire<TableValue> {
    let _database = reader.short_text()?;
    let mut table = TableValue { schema: reader.short_text()?, name: reader.short_text()?, ..TableValue::default() };
    let count = reader.u16()?;
    let mut infos = Vec::new();
    if count != 0xFFFF {
        if count > MOST_COLUMNS || count == 0 {
            return Err(WireError::Malformed("a table of an impossible number of columns"));
        }
        for _ in 0..count {
            let (column, info, flags) = Column::read(reader, version, TableName::None)?;
            table.columns.push(column);
            table.defaulted.push(flags & DEFAULTED != 0);
            infos.push(info);
        }
    }
    loop {
        match reader.u8()? {
            0x00 => break,
            // Keys: a count, and for each a column and flags. Orders: the numbers of columns.
            0x10 => drop(reader.bytes(3 * usize::from(peek_u16(reader)?) + 2)?),
            0x11 => drop(reader.bytes(2 * usize::from(peek_u16(reader)?) + 2)?),
            _ => return Err(WireError::Malformed("an unknown part of a table's description")),
        }
    }
    let defaults_a_row = table.defaulted.iter().filter(|defaulted| **defaulted).count();
    loop {
        match reader.u8()? {
            0x00 => return Ok(table),
            0x01 if !infos.is_empty() => {}
            _ => return Err(WireError::Malformed("an unknown part of a table")),
        }
        if table.rows.len().saturating_mul(defaults_a_row) > MOST_DEFAULTS {
            return Err(WireError::Malformed("a table of more defaults than are taken"));
        }
        let mut row = Vec::with_capacity(infos.len().min(64));
        for (info, defaulted) in infos.iter().zip(&table.defaulted) {
            row.push(if *defaulted { Value::Null } else { read_value(reader, info, Place::Row)? });
        }
        table.rows.push(row);
    }
}

fn peek_u16(reader: &Reader<'_>) -> Wire<u16> {
    reader.clone().u16()
}
