//! The result of one statement as an object of Python: rows as tuples, or as an Arrow stream.
//!
//! Rows come as they are asked for, and once: what was fetched is not in the stream any more. A stream that was handed out
//! has the remaining rows.

use crate::arrow_import;
use crate::dialects::informix::DECLARED;
use crate::failure::{Class, Fault};
use crate::results::{Consumer, Output, RowBatches, has_open_intervals, of_arrow, plain_batch, plain_schema};
use crate::to_python::{append_rows, object};
use crate::worker::Worker;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use mainstay_columnar::values::{OFFSET, TICKS};
use mainstay_types::Value;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyCapsule, PyList};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The result of one statement.
#[pyclass(module = "mainstay._native", frozen)]
pub(crate) struct ResultSet {
    worker: Arc<Worker>,
    schema: Option<SchemaRef>,
    changed: Option<u64>,
    last_id: Option<i64>,
    messages: Vec<String>,
    outputs: Vec<(usize, Value)>,
    status: Option<i32>,
    state: Mutex<State>,
}

/// The rows that have not been fetched yet.
struct State {
    batches: Option<RowBatches>,
    /// The batch that rows are taken from, and the next of them.
    current: Option<(RecordBatch, usize)>,
    /// True once reading has failed or was interrupted: what was not fetched before is lost, and must not look like the end.
    is_lost: bool,
}

impl State {
    /// Takes the rows that are left, to be put back once they have been read.
    ///
    /// Errors: `InterfaceError` if they are lost.
    fn take(&mut self, py: Python<'_>) -> PyResult<Option<RowBatches>> {
        if self.is_lost {
            let message = "an error or an interrupt has ended these rows: execute the statement again";
            return Err(Fault::new(Class::Interface, message).raise(py));
        }
        Ok(self.batches.take())
    }
}

impl ResultSet {
    pub fn new(worker: &Arc<Worker>, output: Output) -> ResultSet {
        let schema = output.rows.as_ref().map(|rows| Arc::clone(rows.schema()));
        ResultSet {
            worker: Arc::clone(worker),
            schema,
            changed: output.changed,
            last_id: output.last_id,
            messages: output.messages,
            outputs: output.outputs,
            status: output.status,
            state: Mutex::new(State { batches: output.rows, current: None, is_lost: false }),
        }
    }

    /// A stream of the remaining rows, which has them in the types of a schema.
    fn stream<'py>(&self, py: Python<'py>, schema: SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
        let mut state = self.state(py);
        let first = state.current.take().map(|(batch, next)| batch.slice(next, batch.num_rows() - next));
        let batches = state.take(py)?;
        if first.is_none() && batches.is_none() {
            let message = "the rows have been read: execute the statement again";
            return Err(Fault::new(Class::Interface, message).raise(py));
        }
        let reader = Reader { schema, first, batches };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The columns in types that a consumer knows. Where rows decide on them, the first ones are read.
    fn schema_for(&self, py: Python<'_>, consumer: Consumer) -> PyResult<SchemaRef> {
        let Some(own) = &self.schema else {
            return Err(Fault::new(Class::Programming, "the statement gives no rows").raise(py));
        };
        let mut state = self.state(py);
        let is_loaded = matches!(state.batches, Some(RowBatches::Ready(..)));
        if has_open_intervals(own) && state.current.is_none() && !is_loaded && !self.advance(py, &mut state)? {
            state.batches = Some(RowBatches::Ready(Arc::clone(own), VecDeque::new()));
        }
        let loaded = match &state.batches {
            Some(RowBatches::Ready(_, batches)) => Some(batches.iter()),
            _ => None,
        };
        let current = state.current.as_ref().map(|(batch, _)| batch);
        Ok(plain_schema(own, consumer, current.into_iter().chain(loaded.into_iter().flatten())))
    }

    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next batch, without the GIL.
    fn advance(&self, py: Python<'_>, state: &mut State) -> PyResult<bool> {
        let Some(mut batches) = state.take(py)? else { return Ok(false) };
        let read = self.worker.run(py, move |turn| {
            turn.begin()?;
            let batch = batches.next()?;
            Ok((batch, batches))
        });
        let (batch, batches) = read.inspect_err(|_| state.is_lost = true)?;
        state.batches = batch.is_some().then_some(batches);
        state.current = batch.map(|batch| (batch, 0));
        Ok(state.current.is_some())
    }
}

#[pymethods]
impl ResultSet {
    /// Names and types of the columns, or `None` for a statement without rows.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(schema) = &self.schema else { return Ok(None) };
        let list = PyList::empty(py);
        for field in schema.fields() {
            let (size, precision, scale) = measures(field);
            list.append((field.name(), type_name(field), size, precision, scale, field.is_nullable()))?;
        }
        Ok(Some(list))
    }

    /// Rows that the statement changed.
    #[getter]
    fn changed(&self) -> Option<u64> {
        self.changed
    }

    #[getter]
    fn last_id(&self) -> Option<i64> {
        self.last_id
    }

    #[getter]
    fn status(&self) -> Option<i32> {
        self.status
    }

    /// Values of output parameters: pairs of places and values.
    #[getter]
    fn outputs(&self, py: Python<'_>) -> PyResult<Vec<(usize, Py<PyAny>)>> {
        self.outputs.iter().map(|(place, value)| Ok((*place, object(py, value)?))).collect()
    }

    /// Messages of the statement, and notices about the rows that were read so far.
    fn messages(&self, py: Python<'_>) -> Vec<String> {
        let state = self.state(py);
        let of_rows = state.batches.as_ref().map(RowBatches::notices).unwrap_or_default();
        self.messages.iter().cloned().chain(of_rows).collect()
    }

    /// The next rows as tuples: all of them without a number.
    #[pyo3(signature = (most=None))]
    fn fetch<'py>(&self, py: Python<'py>, most: Option<usize>) -> PyResult<Bound<'py, PyList>> {
        let (list, most) = (PyList::empty(py), most.unwrap_or(usize::MAX));
        let mut state = self.state(py);
        while list.len() < most {
            let Some((batch, next)) = &mut state.current else {
                match self.advance(py, &mut state)? {
                    true => continue,
                    false => break,
                }
            };
            let until = batch.num_rows().min(next.saturating_add(most - list.len()));
            append_rows(py, &list, batch, *next..until)?;
            *next = until;
            if until == batch.num_rows() {
                state.current = None;
            }
        }
        Ok(list)
    }

    /// Reads all remaining rows, and keeps them as batches.
    fn load(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.state(py);
        let Some(mut batches) = state.take(py)? else { return Ok(()) };
        let read = self.worker.run(py, move |turn| {
            turn.begin()?;
            let (schema, mut all) = (Arc::clone(batches.schema()), VecDeque::new());
            while let Some(batch) = batches.next()? {
                all.push_back(batch);
            }
            Ok(RowBatches::Ready(schema, all))
        });
        state.batches = Some(read.inspect_err(|_| state.is_lost = true)?);
        Ok(())
    }

    /// Gives up the remaining rows.
    fn close(&self, py: Python<'_>) {
        let given_up = std::mem::replace(&mut *self.state(py), State { batches: None, current: None, is_lost: false });
        py.detach(|| drop(given_up));
    }

    /// The remaining rows as a stream, which can be read once.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let mut schema = self.schema_for(py, Consumer::Arrow)?;
        if let Some(requested) = requested_schema.filter(|requested| !requested.is_none()) {
            let requested = arrow_import::schema(py, &requested)?;
            let types =
                |schema: &SchemaRef| schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
            // The interface leaves it to the producer to honour the request: as far as values can be cast.
            let pairs = types(&schema).into_iter().zip(types(&requested)).collect::<Vec<_>>();
            if requested.fields().len() == schema.fields().len()
                && pairs.iter().all(|(from, to)| from == to || arrow_cast::can_cast_types(from, to))
            {
                schema = requested;
            }
        }
        self.stream(py, schema)
    }

    /// The remaining rows as a stream in types that data frames have.
    fn frame_stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.schema_for(py, Consumer::Frames)?;
        self.stream(py, schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema_for(py, Consumer::Arrow)?.as_ref());
        PyCapsule::new_with_value(py, schema.map_err(|error| of_arrow(&error).raise(py))?, c"arrow_schema")
    }

    fn __repr__(&self) -> String {
        match &self.schema {
            Some(schema) => format!("<rows of {} columns>", schema.fields().len()),
            None => format!("<{} rows changed>", self.changed.unwrap_or(0)),
        }
    }
}

/// The rows of a result for a consumer.
struct Reader {
    schema: SchemaRef,
    first: Option<RecordBatch>,
    batches: Option<RowBatches>,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match (self.first.take(), &mut self.batches) {
            (Some(first), _) => first,
            (None, Some(batches)) => match batches.next() {
                Ok(batch) => batch?,
                Err(fault) => {
                    self.batches = None;
                    return Some(Err(ArrowError::ExternalError(String::from(fault.message).into())));
                }
            },
            (None, None) => return None,
        };
        Some(plain_batch(&batch, &self.schema))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The type of a column in words of SQL, as its dialect declared it.
fn type_name(field: &Field) -> String {
    let metadata = field.metadata();
    if let Some(declared) = metadata.get(DECLARED).or_else(|| metadata.get("sql_type")) {
        return declared.clone();
    }
    sql_type_name(field.data_type())
}

/// The core's name of a type.
pub(crate) fn sql_type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Dictionary(_, value) => sql_type_name(value),
        DataType::Null => "NULL".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Int8 => "TINYINT".to_owned(),
        DataType::Int16 | DataType::UInt8 => "SMALLINT".to_owned(),
        DataType::Int32 | DataType::UInt16 => "INTEGER".to_owned(),
        DataType::Int64 | DataType::UInt32 => "BIGINT".to_owned(),
        DataType::UInt64 => "DECIMAL(20,0)".to_owned(),
        DataType::Float16 | DataType::Float32 => "REAL".to_owned(),
        DataType::Float64 => "DOUBLE".to_owned(),
        &TICKS => "TIMESTAMP(7)".to_owned(),
        &OFFSET => "TIMESTAMP(7) WITH TIME ZONE".to_owned(),
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) | DataType::Decimal128(p, s) => {
            format!("DECIMAL({p},{s})")
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "TEXT".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "VARBINARY".to_owned(),
        DataType::FixedSizeBinary(16) => "UUID".to_owned(),
        DataType::FixedSizeBinary(length) => format!("BINARY({length})"),
        DataType::Date32 | DataType::Date64 => "DATE".to_owned(),
        DataType::Time32(_) | DataType::Time64(_) => "TIME(6)".to_owned(),
        DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, None) => "TIMESTAMP(7)".to_owned(),
        DataType::Timestamp(_, None) => "TIMESTAMP(6)".to_owned(),
        DataType::Timestamp(_, Some(_)) => "TIMESTAMP(6) WITH TIME ZONE".to_owned(),
        DataType::Interval(arrow_schema::IntervalUnit::YearMonth) => "INTERVAL YEAR TO MONTH".to_owned(),
        DataType::Interval(_) | DataType::Duration(_) => "INTERVAL DAY TO SECOND".to_owned(),
        other => other.to_string().to_uppercase(),
    }
}

/// Length, precision and scale of a column, where its type has them.
fn measures(field: &Field) -> (Option<u32>, Option<u8>, Option<i8>) {
    let length = || {
        let name = type_name(field);
        let (_, arguments) = name.split_once('(')?;
        arguments.split([',', ')']).next()?.trim().parse().ok()
    };
    match field.data_type() {
        &TICKS | &OFFSET => (None, None, None),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale) => (None, Some(*precision), Some(*scale)),
        DataType::Utf8View | DataType::Utf8 | DataType::BinaryView => (length(), None, None),
        _ => (None, None, None),
    }
}
