//! The rows of a query as a table: a static cursor.
//!
//! ```text
//!   RowSource --> [Kept: until the types are known] --> RowTable --> Area
//! ```
//! The rows are written into a private table in Visual FoxPro's form, and a work area is opened on it, so that all
//! operations on tables (moving, filters, counting) work on rows, by the same code. A column's name may be longer than
//! a field's; the opener of the table stores both. Rows with a field of an ADT are an ADT, whose fields have the types
//! of their columns.
//!
//! Few rows are in memory at a time, however many there are: they come in pieces, and a table that is not short goes to
//! an unnamed file in the system's folder for temporary files. A field has a fixed length, and for some columns it is
//! known only after the last row; then the rows are buffered first, in such a file, too.

use crate::sql::Column;
use crate::wire::{Reader, Wire};
pub use mainstay_area_session::rows::{RowSource, all};
use mainstay_types::{Error, Result, SqlType, Value, ValueRef};
use mainstay_vfs::{Create, FileSystem, Memory, WritableFile};
use mainstay_workarea::{Area, AreaOptions, Mode};
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::indexed::{declared_spec, field_spec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::Path;
use std::sync::Arc;

/// The longest text that is kept in the record.
const LONGEST_CHARACTER: u32 = 254;
/// Characters of a value whose type no field has.
const LONGEST_TEXT_OF_OTHERS: usize = 50;
/// The longest name of a field of an ADT.
const LONGEST_NAME: usize = 128;
/// A table with more bytes, or a memo, is kept on the disk.
const MOST_BYTES: usize = 1 << 20;
/// Bytes of records that a cursor keeps in memory beside that.
const KEPT_BYTES: usize = 4 << 20;
/// Bytes of rows that are put aside at once.
const PIECE_BYTES: usize = 256 << 10;

/// A table of these rows.
///
/// Errors: those of writing.
pub fn table_of(columns: &[Column], rows: &[Vec<Value>]) -> Result<Area> {
    let mut table = RowTable::new(columns)?;
    table.append(rows)?;
    table.open()
}

/// A table of these rows and all that follow them, and its columns. `go_on` is asked now and then, and may fail to end it.
///
/// Errors: those of the source, of writing, and of `go_on`.
pub fn table_from(
    first: &[Vec<Value>],
    source: &mut dyn RowSource,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<(Vec<Column>, Area)> {
    if let Some(columns) = source.columns() {
        let mut table = RowTable::new(&columns)?;
        table.append(first)?;
        while let Some(rows) = source.next()? {
            go_on()?;
            table.append(&rows)?;
        }
        return Ok((columns, table.open()?));
    }
    let mut kept = Kept::new()?;
    kept.put(first)?;
    while let Some(rows) = source.next()? {
        go_on()?;
        kept.put(&rows)?;
    }
    let columns = source.columns().unwrap_or_default();
    let mut table = RowTable::new(&columns)?;
    kept.each_piece(|rows| go_on().and_then(|()| table.append(&rows)))?;
    Ok((columns, table.open()?))
}

/// A table that rows are written into.
struct RowTable {
    files: Arc<Memory>,
    columns: Vec<Column>,
    format: Format,
    writer: TableWriter,
}

impl RowTable {
    fn path(format: Format) -> &'static Path {
        Path::new(if format == Format::Advantage { "cursor.adt" } else { "cursor.dbf" })
    }

    fn new(columns: &[Column]) -> Result<RowTable> {
        let files = Arc::new(Memory::spilling(MOST_BYTES));
        let mut options = WriteOptions::new(Access::Exclusive);
        options.replacement = Some(b'?');
        options.cut_long_text = true;
        let is_adt = columns.iter().any(|column| column.field.is_some());
        let format = if is_adt { Format::Advantage } else { Format::VisualFoxPro };
        let (spec, path) = (TableSpec::new(format, fields_of(columns, format)), RowTable::path(format));
        writer::create(&*files, path, &spec, &options)?;
        let writer = TableWriter::open(Arc::clone(&files) as Arc<dyn FileSystem>, path, options)?;
        Ok(RowTable { files, columns: columns.to_vec(), format, writer })
    }

    fn append(&mut self, rows: &[Vec<Value>]) -> Result<()> {
        for row in rows {
            let texts: Vec<Option<String>> =
                row.iter().zip(&self.columns).map(|(value, column)| text_of(value, column, self.format)).collect();
            let values: Vec<ValueRef<'_>> = row
                .iter()
                .zip(&texts)
                .map(|(value, text)| text.as_deref().map_or_else(|| value.as_ref(), ValueRef::Text))
                .collect();
            self.writer.append(&values)?;
        }
        Ok(())
    }

    fn open(self) -> Result<Area> {
        self.writer.close()?;
        let options = AreaOptions {
            mode: Mode::Exclusive,
            open_structural: false,
            kept_bytes: KEPT_BYTES,
            ..AreaOptions::default()
        };
        Area::open(self.files, RowTable::path(self.format), &options)
    }
}

/// Rows that are put aside: pieces, each its length (four bytes) and the rows as they go over the wire.
struct Kept {
    file: Arc<dyn WritableFile>,
    written: u64,
    piece: Vec<u8>,
}

impl Kept {
    fn new() -> Result<Kept> {
        let file = Memory::spilling(MOST_BYTES).create(Path::new("rows"), Create::New)?;
        Ok(Kept { file, written: 0, piece: vec![0; 4] })
    }

    fn put(&mut self, rows: &[Vec<Value>]) -> Result<()> {
        for row in rows {
            row.put(&mut self.piece);
            if self.piece.len() >= PIECE_BYTES {
                self.write_piece()?;
            }
        }
        Ok(())
    }

    fn write_piece(&mut self) -> Result<()> {
        let length = u32::try_from(self.piece.len() - 4).map_err(|_| too_long())?;
        self.piece[..4].copy_from_slice(&length.to_le_bytes());
        self.file.write_at(&self.piece, self.written)?;
        self.written += self.piece.len() as u64;
        self.piece.truncate(4);
        Ok(())
    }

    fn each_piece(mut self, mut work: impl FnMut(Vec<Vec<Value>>) -> Result<()>) -> Result<()> {
        self.write_piece()?;
        let mut at = 0;
        while at < self.written {
            let mut length = [0; 4];
            self.file.read_exact_at(&mut length, at)?;
            self.piece.resize(u32::from_le_bytes(length) as usize, 0);
            self.file.read_exact_at(&mut self.piece, at + 4)?;
            at += 4 + self.piece.len() as u64;
            let mut reader = Reader::new(&self.piece);
            let mut rows = Vec::new();
            while !reader.is_empty() {
                rows.push(Vec::take(&mut reader)?);
            }
            work(rows)?;
        }
        Ok(())
    }
}

fn too_long() -> Error {
    Error::new(mainstay_types::Code::OutOfMemory, "a row of a statement is longer than 4 GB")
}

/// The fields of a table with these columns.
fn fields_of(columns: &[Column], format: Format) -> Vec<FieldSpec> {
    let mut fields: Vec<FieldSpec> = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate() {
        // A name that a field can have is its name, so that expressions may use it.
        let is_adt = format == Format::Advantage;
        let is_plain = |name: &str| match is_adt {
            true => !name.trim().is_empty() && name.len() <= LONGEST_NAME && !name.contains(['\0', ';', ',']),
            false => {
                name.len() <= 10
                    && name.starts_with(|first: char| first.is_ascii_alphabetic())
                    && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            }
        };
        let is_taken = |name: &str| fields.iter().any(|field| field.name.eq_ignore_ascii_case(name));
        let name = match is_plain(&column.name) && !is_taken(&column.name) {
            true if is_adt => column.name.clone(),
            true => column.name.to_ascii_uppercase(),
            false => format!("_{}", place + 1),
        };
        fields.push(if is_adt { field_of_adt(&name, column) } else { field_of(&name, column) });
    }
    fields
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
        _ => (b'C', LONGEST_TEXT_OF_OTHERS, 0),
    };
    FieldSpec::new(name, letter, length, decimals).nullable()
}

/// The field of an ADT that a column's values are kept in.
fn field_of_adt(name: &str, column: &Column) -> FieldSpec {
    let declared = column.field.as_deref();
    let own = declared.and_then(|declared| declared_spec(Format::Advantage, name, declared, column.sql_type, true));
    let spec = own.map_or_else(|| field_spec(Format::Advantage, name, column.sql_type, true), Ok);
    spec.unwrap_or_else(|_| field_of_type(name, Type::Character, LONGEST_TEXT_OF_OTHERS, 0))
}

/// The text of a value whose type no field has.
fn text_of(value: &Value, column: &Column, format: Format) -> Option<String> {
    let is_kept_by_adt = format == Format::Advantage && matches!(column.sql_type, SqlType::Time { .. } | SqlType::Uuid);
    let has_field = is_kept_by_adt
        || matches!(
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
