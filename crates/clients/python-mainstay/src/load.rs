//! Rows of Arrow streams into tables.
//!
//! ```text
//!   native table, a column of the stream for each of its columns     appender, a batch at a time
//!   otherwise (files, columns left out, columns that are computed)   INSERT with parameters, a row at a time
//! ```
//! Columns are matched by their names if all of them are names of the table, else by their places.
//!
//! All rows are appended, or none: in a transaction that is open already a savepoint precedes them, and the first row that is
//! refused rolls back to it. Without one they are a transaction of their own. [`as_one_change`] does both.

use crate::failure::{Class, Fault};
use crate::result_set::sql_type_name;
use crate::results::of_arrow;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal64Type, TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchReader};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use mainstay_columnar::values::{OFFSET, TICKS, value_at};
use mainstay_engine::{ChangeableColumn, Session};
use mainstay_types::{Error, Value, ValueRef};
use std::sync::Arc;

/// A value that does not fit its column is an error, and not NULL.
const STRICT: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow_cast::display::FormatOptions::new() };

/// The savepoint before the rows. Loads may be nested: the innermost savepoint of the name counts.
const BEFORE_ROWS: &str = "\"mainstay: before rows\"";

fn fault(error: &Error) -> Fault {
    Fault::of_core(error, "")
}

/// Does work of which all or nothing remains: in the open transaction, or in one of its own.
///
/// Errors: those of the work, which is undone then; `Operational` if it cannot be undone, and the open transaction with it.
fn as_one_change<T>(session: &mut Session, work: impl FnOnce(&mut Session) -> Result<T, Fault>) -> Result<T, Fault> {
    if !session.is_in_transaction() {
        session.begin().map_err(|error| fault(&error))?;
        let done = work(session);
        let ended = if done.is_ok() { session.commit() } else { session.rollback() };
        return done.and_then(|value| ended.map(|()| value).map_err(|error| fault(&error)));
    }
    session.execute(&format!("SAVEPOINT {BEFORE_ROWS}")).map_err(|error| fault(&error))?;
    let done = work(session);
    // The victim of a deadlock has no transaction any more.
    if !session.is_in_transaction() {
        return done;
    }
    // The work may have been cancelled, and has to be undone all the same.
    let mut run = |words: &str| session.execute_uninterrupted(&format!("{words} {BEFORE_ROWS}")).map(drop);
    let undone = if done.is_ok() { Ok(()) } else { run("ROLLBACK TO SAVEPOINT") };
    match undone.and_then(|()| run("RELEASE SAVEPOINT")) {
        Ok(()) => done,
        Err(error) => {
            // A commit must not keep a part of the rows.
            let rolled_back = session.rollback();
            let message = match (rolled_back, done) {
                (Ok(()), Err(first)) => format!("{} (the transaction was rolled back: {error})", first.message),
                (Ok(()), Ok(_)) => format!("the transaction was rolled back: {error}"),
                (Err(second), _) => format!("the transaction cannot be rolled back: {error}; {second}"),
            };
            Err(Fault::new(Class::Operational, message))
        }
    }
}

/// The statement that creates a table for the rows of a stream.
///
/// Errors: `NotSupported` for a column of a type that a table cannot hold.
pub(crate) fn create_statement(table: &str, schema: &Schema, is_temporary: bool) -> Result<String, Fault> {
    let column = |field: &Arc<Field>| {
        if field.data_type().is_nested() || matches!(field.data_type(), DataType::Decimal256(..)) {
            let message =
                format!("the column {} has a type that a table cannot hold: {}", field.name(), field.data_type());
            return Err(Fault::new(Class::NotSupported, message));
        }
        let data_type = match field.data_type() {
            DataType::Null => &DataType::Utf8View,
            other => other,
        };
        Ok(format!("{} {}", quoted(field.name()), sql_type_name(data_type)))
    };
    let columns = schema.fields().iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let kind = if is_temporary { "TEMPORARY TABLE" } else { "TABLE" };
    Ok(format!("CREATE {kind} {} ({})", quoted_path(table), columns.join(", ")))
}

/// A name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A name that may have a schema before it, each part in quotes unless it has them.
pub(crate) fn quoted_path(name: &str) -> String {
    match name.contains('"') {
        true => name.to_owned(),
        false => name.split('.').map(quoted).collect::<Vec<_>>().join("."),
    }
}

/// Appends the rows of a stream to a table: how many there were.
///
/// Errors: those of the stream, and those of INSERT; nothing is appended then.
pub(crate) fn append(
    session: &mut Session,
    table: &str,
    reader: Box<dyn RecordBatchReader + Send>,
) -> Result<u64, Fault> {
    as_one_change(session, |session| append_rows(session, table, reader))
}

fn append_rows(
    session: &mut Session,
    table: &str,
    mut reader: Box<dyn RecordBatchReader + Send>,
) -> Result<u64, Fault> {
    let key = table.replace('"', "").to_lowercase();
    let columns = session.changeable_columns(&key).map_err(|error| fault(&error))?;
    let columns = columns.ok_or_else(|| {
        let message = format!("there is no table \"{table}\" that can be changed");
        Fault { sqlstate: Some("42P01"), code: Some("unknown_table"), ..Fault::new(Class::Programming, message) }
    })?;
    let places = places(&reader.schema(), &columns)?;
    let is_native = session.table_definition(&key).is_some();
    let is_whole = columns.iter().enumerate().all(|(place, column)| places.contains(&place) && !column.is_computed);
    match is_native && is_whole {
        true => append_batches(session, &key, reader.as_mut(), &columns, &places),
        false => insert_rows(session, table, reader.as_mut(), &columns, &places),
    }
}

/// For each column of the stream its place in the table.
fn places(schema: &Schema, columns: &[ChangeableColumn]) -> Result<Vec<usize>, Fault> {
    let place =
        |field: &Arc<Field>| columns.iter().position(|column| column.field.name().eq_ignore_ascii_case(field.name()));
    if let Some(places) = schema.fields().iter().map(place).collect::<Option<Vec<_>>>() {
        return Ok(places);
    }
    if schema.fields().len() == columns.len() {
        return Ok((0..columns.len()).collect());
    }
    let unknown = schema.fields().iter().find(|field| place(field).is_none());
    let name = unknown.map_or("", |field| field.name().as_str());
    Err(Fault::new(Class::Programming, format!("the table has no column \"{name}\"")))
}

fn append_batches(
    session: &mut Session,
    key: &str,
    reader: &mut dyn RecordBatchReader,
    columns: &[ChangeableColumn],
    places: &[usize],
) -> Result<u64, Fault> {
    // In the order of the table.
    let mut order = vec![0; columns.len()];
    places.iter().enumerate().for_each(|(of_stream, of_table)| order[*of_table] = of_stream);
    let has_offsets = columns.iter().any(|column| *column.field.data_type() == OFFSET);
    let fields: Vec<Arc<Field>> = columns.iter().map(|column| Arc::clone(&column.field)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut appender = session.appender(key).map_err(|error| fault(&error))?;
    for batch in reader {
        let batch = batch.map_err(|error| of_arrow(&error))?;
        let arrays = order.iter().zip(schema.fields()).map(|(place, field)| converted(batch.column(*place), field));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        if has_offsets {
            for row in 0..batch.num_rows() {
                let values = values_of(&arrays, row)?;
                let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
                appender.row(&values).map_err(|error| fault(&error))?;
            }
            continue;
        }
        let nullable = Arc::new(Schema::new(
            schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
        ));
        let batch = RecordBatch::try_new(nullable, arrays);
        appender.batch(&batch.map_err(|error| of_arrow(&error))?).map_err(|error| fault(&error))?;
    }
    appender.finish().map_err(|error| fault(&error))
}

/// A column in the type of the table's; moments with time zones are left as they are, for values have their offsets.
fn converted(array: &ArrayRef, field: &Field) -> Result<ArrayRef, Fault> {
    let about = |error: arrow_schema::ArrowError| Fault::new(Class::Data, format!("column {}: {error}", field.name()));
    if array.data_type() == field.data_type() || *field.data_type() == OFFSET {
        return Ok(Arc::clone(array));
    }
    if *field.data_type() == TICKS {
        let is_fine = matches!(array.data_type(), DataType::Timestamp(TimeUnit::Nanosecond, _));
        if is_fine {
            let nanos = array.as_primitive::<TimestampNanosecondType>();
            let ticks: PrimitiveArray<Decimal64Type> = nanos.unary(|nanos| nanos.div_euclid(100));
            return Ok(Arc::new(ticks.with_data_type(TICKS)));
        }
        let micros = cast_with_options(array, &DataType::Timestamp(TimeUnit::Microsecond, None), &STRICT);
        let micros = micros.map_err(about)?;
        let micros = micros.as_primitive::<TimestampMicrosecondType>();
        let ticks: PrimitiveArray<Decimal64Type> = micros.unary(|micros| micros.saturating_mul(10));
        return Ok(Arc::new(ticks.with_data_type(TICKS)));
    }
    cast_with_options(array, field.data_type(), &STRICT).map_err(about)
}

fn values_of(columns: &[ArrayRef], row: usize) -> Result<Vec<Value>, Fault> {
    columns.iter().map(|column| value_at(column.as_ref(), row).map_err(|error| fault(&error))).collect()
}

fn insert_rows(
    session: &mut Session,
    table: &str,
    reader: &mut dyn RecordBatchReader,
    columns: &[ChangeableColumn],
    places: &[usize],
) -> Result<u64, Fault> {
    let names = places.iter().filter_map(|place| columns.get(*place)).map(|column| quoted(column.field.name()));
    let names: Vec<String> = names.collect();
    let marks = vec!["?"; names.len()].join(", ");
    let text = format!("INSERT INTO {} ({}) VALUES ({marks})", quoted_path(table), names.join(", "));
    let of_core = |error: Error| Fault::of_core(&error, &text);
    let mut insert = session.prepare(&text).map_err(of_core)?;
    let mut total = 0;
    for batch in reader {
        let batch = batch.map_err(|error| of_arrow(&error))?;
        let cast = |(array, place): (&ArrayRef, &usize)| match columns.get(*place) {
            Some(column) => converted(array, &column.field),
            None => Ok(Arc::clone(array)),
        };
        let arrays = batch.columns().iter().zip(places).map(cast).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let values = values_of(&arrays, row)?;
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            total += insert.execute(session, &values).map_err(of_core)?;
        }
    }
    Ok(total)
}

/// Creates a table by a statement, in place of one of its name if `replace`, and appends the rows of a stream. All of it is
/// undone if a row is refused.
pub(crate) fn created(
    session: &mut Session,
    table: &str,
    (create, replace): (&str, bool),
    reader: Box<dyn RecordBatchReader + Send>,
) -> Result<u64, Fault> {
    as_one_change(session, |session| {
        if replace {
            let text = format!("DROP TABLE IF EXISTS {}", quoted_path(table));
            session.execute(&text).map_err(|error| Fault::of_core(&error, &text))?;
        }
        session.execute(create).map_err(|error| Fault::of_core(&error, create))?;
        append_rows(session, table, reader)
    })
}
