//! The rows of the eight tables in the forms that are measured: Parquet files, native tables, DBF files.
//!
//! A DBF has field names of at most ten characters: a longer name is cut off there, and a view gives the columns the names
//! of the specification. Blanks at the end of a text are not kept in a DBF; the texts that have some are comments, which no
//! query returns from `orders` or `lineitem`.

use super::data::Data;
use super::tables::{Kind, TABLES, Table};
use crate::dbf::{self, Field};
use crate::machine::today;
use crate::scratch::Scratch;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Int32Type, Int64Type};
use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Date, Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Rows of a row group, as DuckDB writes them.
const GROUP_ROWS: usize = 122_880;
/// The bytes that a name of a DBF's field may have.
const NAME_BYTES: usize = 10;
/// Prefix of the DBF files, whose own names belong to the views.
const DBF_PREFIX: &str = "dbf_";

/// The form of the tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Each table a Parquet file.
    Parquet,
    /// Each table a native one with its primary key.
    Native,
    /// `orders` and `lineitem` are DBF files, the others Parquet.
    Dbf,
}

/// Makes the tables in a folder.
///
/// Errors: as writing the files; as the statements that load native tables.
pub fn write(scratch: &Scratch, folder: &Path, data: &Data, form: Form) -> Result<()> {
    for table in &TABLES {
        match form {
            Form::Dbf if is_dbf(table) => write_dbf(scratch, folder, data, table)?,
            _ => write_parquet(scratch, &folder.join(parquet_name(table, form)), data, table)?,
        }
    }
    match form {
        Form::Parquet => {}
        Form::Native => {
            load(folder)?;
            let sources = TABLES.iter().map(|table| folder.join(parquet_name(table, form)));
            sources.for_each(|path| scratch.remove_file(&path));
        }
        Form::Dbf => in_session(folder, |session| {
            TABLES.iter().filter(|table| is_dbf(table)).try_for_each(|table| execute(session, &view(table)))
        })?,
    }
    scratch.settle()
}

fn is_dbf(table: &Table) -> bool {
    matches!(table.name, "orders" | "lineitem")
}

/// Native tables have the names of the specification; what they are loaded from has others.
fn parquet_name(table: &Table, form: Form) -> String {
    let prefix = if form == Form::Native { "source_" } else { "" };
    format!("{prefix}{}.parquet", table.name)
}

fn write_parquet(scratch: &Scratch, path: &Path, data: &Data, table: &Table) -> Result<()> {
    let failed = |error: parquet::errors::ParquetError| Error::new(Code::Internal, error.to_string());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    // Without the schema of Arrow, which other programs do not write.
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let file = BufWriter::new(scratch.create(path)?);
    let schema = table.batch(data, 0..0)?.schema();
    let mut writer = ArrowWriter::try_new_with_options(file, schema, options).map_err(failed)?;
    let rows = (table.rows)(data);
    for start in (0..rows).step_by(GROUP_ROWS) {
        writer.write(&table.batch(data, start..(start + GROUP_ROWS).min(rows))?).map_err(failed)?;
    }
    writer.close().map_err(failed).map(drop)
}

fn in_session(folder: &Path, work: impl FnOnce(&mut Session) -> Result<()>) -> Result<()> {
    let database = Database::open(folder)?;
    work(&mut database.session())?;
    database.checkpoint()
}

fn execute(session: &mut Session, sql: &str) -> Result<()> {
    let mut answer = session.execute(sql)?;
    while answer.next_batch()?.is_some() {}
    Ok(())
}

fn load(folder: &Path) -> Result<()> {
    in_session(folder, |session| {
        for table in &TABLES {
            let columns: Vec<_> = table.columns.iter().map(|(name, kind)| format!("{name} {}", kind.sql())).collect();
            let (name, columns) = (table.name, columns.join(", "));
            execute(session, &format!("CREATE TABLE {name} ({columns}, PRIMARY KEY ({}))", table.key))?;
            execute(session, &format!("INSERT INTO {name} SELECT * FROM source_{name}"))?;
        }
        Ok(())
    })
}

/// The view that gives the columns of a DBF their names.
fn view(table: &Table) -> String {
    let column = |(name, _): &(&'static str, Kind)| match field_name(name) {
        short if short == *name => short.to_owned(),
        short => format!("{short} AS {name}"),
    };
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!("CREATE VIEW {0} AS SELECT {1} FROM {DBF_PREFIX}{0}", table.name, columns.join(", "))
}

fn field_name(name: &str) -> &str {
    &name[..name.len().min(NAME_BYTES)]
}

/// The field that a column has in a DBF.
fn field((name, kind): &(&'static str, Kind)) -> Field<'static> {
    let (letter, length, decimals) = match *kind {
        Kind::Key => (b'N', 10, 0),
        Kind::Integer => (b'N', 4, 0),
        Kind::Decimal => (b'N', 12, 2),
        Kind::Date => (b'D', 8, 0),
        Kind::Text(length) => (b'C', length, 0),
    };
    Field { name: field_name(name), kind: letter, length, decimals }
}

/// Writes the DBF of a table, without an index.
fn write_dbf(scratch: &Scratch, folder: &Path, data: &Data, table: &Table) -> Result<()> {
    let path = folder.join(format!("{DBF_PREFIX}{}.dbf", table.name));
    let rows = (table.rows)(data);
    let mut file = BufWriter::new(scratch.create(&path)?);
    let fields: Vec<Field<'_>> = table.columns.iter().map(field).collect();
    file.write_all(&dbf::header(today(), rows, &fields, false))?;
    for start in (0..rows).step_by(GROUP_ROWS) {
        let batch = table.batch(data, start..(start + GROUP_ROWS).min(rows))?;
        let mut record = String::new();
        for row in 0..batch.num_rows() {
            record.clear();
            record.push(' ');
            for (((_, kind), field), column) in table.columns.iter().zip(&fields).zip(batch.columns()) {
                push_field(&mut record, (*kind, field.length), column, row);
            }
            file.write_all(record.as_bytes())?;
        }
    }
    file.write_all(&[dbf::END])?;
    file.flush()?;
    Ok(())
}

fn push_field(record: &mut String, (kind, length): (Kind, usize), column: &ArrayRef, row: usize) {
    let text = match kind {
        Kind::Key => format!("{:>length$}", column.as_primitive::<Int64Type>().value(row)),
        Kind::Integer => format!("{:>length$}", column.as_primitive::<Int32Type>().value(row)),
        Kind::Decimal => {
            // No amount of the two tables is negative.
            let cents = column.as_primitive::<Decimal128Type>().value(row);
            format!("{:>1$}", format!("{}.{:02}", cents / 100, cents % 100), length)
        }
        Kind::Date => Date(column.as_primitive::<Date32Type>().value(row)).to_string().replace('-', ""),
        Kind::Text(_) => format!("{:<length$}", column.as_string::<i32>().value(row)),
    };
    record.push_str(&text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_view_names_the_columns_that_a_dbf_cannot() {
        let orders = TABLES.iter().find(|table| table.name == "orders").unwrap();
        let sql = view(orders);
        assert!(sql.starts_with("CREATE VIEW orders AS SELECT o_orderkey, o_custkey, o_ordersta AS o_orderstatus, "));
        assert!(sql.ends_with(" FROM dbf_orders"));
        for table in TABLES.iter().filter(|table| is_dbf(table)) {
            let names: HashSet<&str> = table.columns.iter().map(|(name, _)| field_name(name)).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }

    #[test]
    fn a_header_describes_its_records() {
        let fields: Vec<Field<'_>> = TABLES[6].columns.iter().map(field).collect();
        let header = dbf::header(today(), 100, &fields, false);
        assert_eq!((header[0], &header[4..8]), (3, &[100u8, 0, 0, 0][..]));
        assert_eq!(u16::from_le_bytes([header[8], header[9]]), 32 + 9 * 32 + 2);
        assert_eq!(u16::from_le_bytes([header[10], header[11]]), 1 + 10 + 10 + 1 + 12 + 8 + 15 + 15 + 4 + 79);
        assert_eq!(&header[32..43], b"O_ORDERKEY\0");
    }
}
