//! Bulk access: appenders that insert batches of rows, and typed cursors that read them.

use crate::native::Form;
use crate::prepared::fits;
use crate::rows::batch_of;
use crate::session::{Session, again};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringViewArray};
use arrow_buffer::{BooleanBuffer, ScalarBuffer};
use arrow_schema::DataType;
use mainstay_columnar::Snapshot;
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_store::column::Column;
use mainstay_store::column::layout::data_type;
use mainstay_store::files::catalog::ColumnDefinition;
use mainstay_store::{Read, TableSnapshot, Transaction};
use mainstay_types::{Code, Error, Result, SqlType, Value, ValueRef};
use std::sync::Arc;

/// Rows that are kept before they are written together.
const PORTION: usize = 4_096;

/// Appends rows to a table, all in one transaction.
///
/// Rows that were appended are there when [`Appender::finish`] has returned. One that is dropped before, or has failed, has
/// appended nothing; if the session's own transaction was open, what is in it then is to be rolled back.
pub struct Appender<'s> {
    session: &'s mut Session,
    form: Arc<Form>,
    /// A transaction of its own, when the session has none open.
    own: Option<Transaction>,
    waiting: Vec<Vec<Value>>,
    appended: u64,
    /// True if rows are complete as they come: no checks, no computed columns, no sequences.
    is_plain: bool,
    /// True if a row could not be appended: then none are.
    has_failed: bool,
}

impl Session {
    /// Appends rows to a native table, in the open transaction or in a separate one.
    ///
    /// Errors: `UnknownTable`.
    pub fn appender(&mut self, table: &str) -> Result<Appender<'_>> {
        Appender::new(self, table)
    }

    /// Walks all rows of a native table with typed access to these columns.
    ///
    /// Errors: `UnknownTable`, `UnknownColumn`.
    pub fn scan(&mut self, table: &str, columns: &[&str]) -> Result<TableCursor> {
        again(|| TableCursor::new(self, table, columns))
    }
}

impl<'s> Appender<'s> {
    pub(crate) fn new(session: &'s mut Session, table: &str) -> Result<Appender<'s>> {
        let form = session.form(&table.to_lowercase())?;
        let own = session.own_transaction()?;
        let is_plain = !form.needs_rows();
        Ok(Appender { session, form, own, waiting: Vec::new(), appended: 0, is_plain, has_failed: false })
    }

    /// Appends a row: a value for each column.
    ///
    /// Errors: as for INSERT; they may come from a row that was given before.
    #[inline]
    pub fn row(&mut self, values: &[ValueRef<'_>]) -> Result<()> {
        let _in_force = self.session.functions_in_force();
        let done = self.add(values);
        self.has_failed |= done.is_err();
        done
    }

    fn add(&mut self, values: &[ValueRef<'_>]) -> Result<()> {
        if values.len() != self.form.definition.columns.len() {
            let message = format!("{} values for {} columns", values.len(), self.form.definition.columns.len());
            return Err(Error::new(Code::Syntax, message));
        }
        if self.waiting.is_empty() && self.is_plain && self.fit(values) {
            let table = &self.form.table;
            match &mut self.own {
                Some(own) => table.insert(own, values)?,
                None => self.session.with_open(|transaction| table.insert(transaction, values))?,
            };
            self.appended += 1;
            return Ok(());
        }
        let converted = values.iter().enumerate().map(|(column, value)| self.form.converted(column, *value));
        self.waiting.push(converted.collect::<Result<_>>()?);
        if self.waiting.len() == PORTION { self.write_waiting() } else { Ok(()) }
    }

    /// Returns true if each value is stored as it is.
    fn fit(&self, values: &[ValueRef<'_>]) -> bool {
        let columns = &self.form.definition.columns;
        values.iter().zip(columns).all(|(value, column)| fits(value, column.sql_type))
    }

    /// Appends the rows of a batch whose columns are those of the table, in order and in the types that queries give.
    ///
    /// Errors: as for INSERT; `TypeMismatch` for other columns.
    pub fn batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let _in_force = self.session.functions_in_force();
        let done = self.write_waiting().and_then(|()| self.write(batch));
        self.has_failed |= done.is_err();
        done
    }

    /// Makes it last: how many rows were appended.
    ///
    /// Errors: `TransactionState` when a row before could not be appended.
    pub fn finish(mut self) -> Result<u64> {
        if self.has_failed {
            return Err(Error::new(Code::TransactionState, "a row could not be appended, so none are"));
        }
        let _in_force = self.session.functions_in_force();
        self.write_waiting()?;
        if let Some(mut own) = self.own.take() {
            own.end_statement()?;
            own.commit()?;
        }
        Ok(self.appended)
    }

    fn write_waiting(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut rows = std::mem::take(&mut self.waiting);
        self.form.complete(&mut rows)?;
        let column = |column: usize| -> ArrayRef {
            let values: Vec<ValueRef<'_>> = rows.iter().map(|row| row[column].as_ref()).collect();
            array_of(&data_type_of(self.form.definition.columns[column].sql_type), &values)
        };
        let columns = (0..self.form.definition.columns.len()).map(column).collect();
        let batch = batch_of(&self.form.schema, columns, rows.len())?;
        self.append(&batch)?;
        self.form.check_written(&rows)?;
        rows.clear();
        self.waiting = rows;
        Ok(())
    }

    /// A batch from outside: types, lengths and checks are looked at.
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.form.needs_rows() || !self.form.takes_as_is(batch) {
            return self.write_rows(batch);
        }
        self.append(batch)
    }

    fn write_rows(&mut self, batch: &RecordBatch) -> Result<()> {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| value_at(column, row));
            let values = values.collect::<Result<Vec<_>>>()?;
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            self.row(&values)?;
        }
        self.write_waiting()
    }

    fn append(&mut self, batch: &RecordBatch) -> Result<()> {
        let arrays = self.form.physical(batch)?;
        let table = Arc::clone(&self.form.table);
        self.appended += match &mut self.own {
            Some(own) => table.insert_columns(own, &arrays)? as u64,
            None => self.session.with_open(|transaction| Ok(table.insert_columns(transaction, &arrays)? as u64))?,
        };
        Ok(())
    }
}

/// A cursor over all rows of a table, with typed access to its columns.
pub struct TableCursor {
    snapshot: Arc<TableSnapshot>,
    columns: Vec<usize>,
    /// The group whose turn is next.
    group: usize,
    /// The columns of the group at hand.
    lanes: Vec<Lane>,
    visible: Option<BooleanBuffer>,
    length: usize,
    /// The slot behind the current row.
    next: usize,
    failed: Option<Error>,
    /// The transaction that keeps what the cursor sees.
    _own: Option<Transaction>,
}

/// A column of the group at hand, in the form in which single values of it are read fastest.
enum Lane {
    I64(ScalarBuffer<i64>),
    I32(ScalarBuffer<i32>),
    I16(ScalarBuffer<i16>),
    I8(ScalarBuffer<i8>),
    F64(ScalarBuffer<f64>),
    F32(ScalarBuffer<f32>),
    Text(StringViewArray),
    Other,
}

impl Lane {
    fn of(array: &ArrayRef) -> Lane {
        match array.data_type() {
            DataType::Int64 => Lane::I64(array.as_primitive::<Int64Type>().values().clone()),
            DataType::Int32 => Lane::I32(array.as_primitive::<Int32Type>().values().clone()),
            DataType::Int16 => Lane::I16(array.as_primitive::<Int16Type>().values().clone()),
            DataType::Int8 => Lane::I8(array.as_primitive::<Int8Type>().values().clone()),
            DataType::Float64 => Lane::F64(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Float32 => Lane::F32(array.as_primitive::<Float32Type>().values().clone()),
            DataType::Utf8View => Lane::Text(array.as_string_view().clone()),
            _ => Lane::Other,
        }
    }
}

impl TableCursor {
    pub(crate) fn new(session: &mut Session, table: &str, columns: &[&str]) -> Result<TableCursor> {
        let form = session.form(&table.to_lowercase())?;
        let columns: Vec<usize> =
            columns.iter().map(|name| form.column(&name.to_lowercase())).collect::<Result<_>>()?;
        let (view, mut own) = session.cursor_view()?;
        form.table.check_seen(view)?;
        match &mut own {
            Some(own) => own.note_read(&form.table, Read::Everything),
            None => session.with_open(|transaction| {
                transaction.note_read(&form.table, Read::Everything);
                Ok(())
            })?,
        }
        Ok(TableCursor {
            snapshot: form.table.snapshot_for(view),
            columns,
            group: 0,
            lanes: Vec::new(),
            visible: None,
            length: 0,
            next: 0,
            failed: None,
            _own: own,
        })
    }

    /// Goes on to the next row; false after the last, and where [`TableCursor::finish`] has an error to tell.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> bool {
        loop {
            while self.next < self.length {
                self.next += 1;
                match &self.visible {
                    Some(visible) if !visible.value(self.next - 1) => {}
                    _ => return true,
                }
            }
            if !self.enter() {
                return false;
            }
        }
    }

    /// Goes on to the next group.
    #[cold]
    fn enter(&mut self) -> bool {
        (self.length, self.next) = (0, 0);
        if self.failed.is_some() || self.group >= self.snapshot.groups() {
            self.lanes.clear();
            return false;
        }
        let group = self.group;
        self.group += 1;
        let vectors = self.snapshot.vectors(group, &self.columns);
        match vectors.and_then(|vectors| Ok((vectors, self.snapshot.visible(group)?))) {
            Ok((vectors, visible)) => {
                self.lanes = vectors.iter().map(Lane::of).collect();
                self.visible = visible;
                self.length = self.snapshot.group(group).len();
                true
            }
            Err(error) => {
                self.failed = Some(error);
                false
            }
        }
    }

    /// Ends the scan.
    ///
    /// Errors: that of the read that ended the scan before its last row.
    pub fn finish(self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    /// The slot of the current row in its group.
    #[inline]
    fn slot(&self) -> usize {
        self.next.wrapping_sub(1)
    }

    /// The same column where it is stored.
    fn stored(&self, column: usize) -> Option<&Column> {
        self.snapshot.stored_group(self.group.checked_sub(1)?)?.columns().get(*self.columns.get(column)?)
    }

    /// The value of a column of the cursor, counted from 0; NULL for one that is not there.
    pub fn get(&self, column: usize) -> ValueRef<'_> {
        self.stored(column).map_or(ValueRef::Null, |column| column.value(self.slot()))
    }

    /// Returns true if the value is NULL.
    #[inline]
    pub fn is_null(&self, column: usize) -> bool {
        self.stored(column).is_none_or(|column| column.is_null(self.slot()))
    }

    /// A whole number; 0 for NULL and for other kinds of columns.
    #[inline]
    pub fn integer(&self, column: usize) -> i64 {
        let slot = self.slot();
        match self.lanes.get(column) {
            Some(Lane::I64(values)) => values.get(slot).copied().unwrap_or_default(),
            Some(Lane::I32(values)) => values.get(slot).copied().unwrap_or_default().into(),
            Some(Lane::I16(values)) => values.get(slot).copied().unwrap_or_default().into(),
            Some(Lane::I8(values)) => values.get(slot).copied().unwrap_or_default().into(),
            _ => 0,
        }
    }

    /// A double; 0 for NULL and for other kinds of columns.
    #[inline]
    pub fn float(&self, column: usize) -> f64 {
        let slot = self.slot();
        match self.lanes.get(column) {
            Some(Lane::F64(values)) => values.get(slot).copied().unwrap_or_default(),
            Some(Lane::F32(values)) => values.get(slot).copied().unwrap_or_default().into(),
            _ => 0.0,
        }
    }

    /// A text; empty for NULL and for other kinds of columns.
    #[inline]
    pub fn text(&self, column: usize) -> &str {
        let slot = self.slot();
        match self.lanes.get(column) {
            Some(Lane::Text(values)) if slot < values.len() => values.value(slot),
            _ => "",
        }
    }
}

/// A column of a batch as a column of this type is kept, if every value is kept as it is.
fn stored_column(sql_type: SqlType, array: &ArrayRef) -> Option<ArrayRef> {
    let wanted = data_type(sql_type);
    let is_text = |found: &DataType| matches!(found, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let found = array.data_type();
    let stored = match sql_type {
        SqlType::Boolean | SqlType::Real | SqlType::Double | SqlType::Date | SqlType::Uuid if *found == wanted => {
            Arc::clone(array)
        }
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt if found.is_signed_integer() => {
            // A number that does not fit becomes NULL.
            arrow_cast::cast(array, &wanted).ok()?
        }
        SqlType::VarChar { .. } if is_text(found) => arrow_cast::cast(array, &wanted).ok()?,
        _ => return None,
    };
    let is_short = match sql_type {
        SqlType::VarChar { length: Some(most), .. } => {
            // A text has at least as many bytes as characters.
            stored.as_string_view().lengths().all(|bytes| bytes <= most)
        }
        _ => true,
    };
    (is_short && stored.null_count() == array.null_count()).then_some(stored)
}

impl Form {
    /// Returns true if rows have to be looked at one by one: checks, computed columns, sequences.
    pub(crate) fn needs_rows(&self) -> bool {
        self.looks_at_rows() || self.definition.columns.iter().any(|column| column.identity.is_some())
    }

    /// Returns true if a batch has just the types of the table, none of which limits its values further.
    fn takes_as_is(&self, batch: &RecordBatch) -> bool {
        let fits = |(column, array): (&ColumnDefinition, &ArrayRef)| {
            let is_free = matches!(
                column.sql_type,
                SqlType::Boolean
                    | SqlType::TinyInt
                    | SqlType::SmallInt
                    | SqlType::Integer
                    | SqlType::BigInt
                    | SqlType::Real
                    | SqlType::Double
                    | SqlType::Date
                    | SqlType::Timestamp { digits: 7 }
                    | SqlType::TimestampWithOffset { digits: 7 }
                    | SqlType::Uuid
                    | SqlType::VarChar { length: None, .. }
                    | SqlType::VarBinary { length: None }
            );
            is_free && *array.data_type() == data_type(column.sql_type)
        };
        batch.num_columns() == self.definition.columns.len()
            && self.definition.columns.iter().zip(batch.columns()).all(fits)
    }

    /// The columns of the table as the store keeps them, from a batch that has values for these columns. `None` when a
    /// column is not given, or when values have to be looked at one by one: they may be too large or too long, or be changed by
    /// the conversion.
    pub(crate) fn stored_columns(&self, columns: &[usize], batch: &RecordBatch) -> Option<Vec<ArrayRef>> {
        if columns.len() != batch.num_columns() {
            return None;
        }
        let stored = |(number, column): (usize, &ColumnDefinition)| {
            let place = columns.iter().position(|given| *given == number)?;
            stored_column(column.sql_type, batch.column(place))
        };
        self.definition.columns.iter().enumerate().map(stored).collect()
    }

    /// The columns of a batch in the types that the store keeps them in: decimals may be narrower there.
    fn physical(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let narrow = |(column, array): (&ColumnDefinition, &ArrayRef)| {
            let wanted = data_type(column.sql_type);
            match (array.data_type(), &wanted) {
                (same, wanted) if same == wanted => Ok(Arc::clone(array)),
                (DataType::Decimal128(..), _) => {
                    arrow_cast::cast(array, &wanted).map_err(|error| Error::new(Code::InvalidValue, error.to_string()))
                }
                (other, _) => {
                    let message = format!("the column {} does not take vectors of type {other}", column.name);
                    Err(Error::new(Code::TypeMismatch, message))
                }
            }
        };
        self.definition.columns.iter().zip(batch.columns()).map(narrow).collect()
    }
}
