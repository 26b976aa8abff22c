//! Columns of batches as objects of Python.
//!
//! Objects are made column by column, so that the type of a column is looked at once, and then put together as tuples. Days
//! repeat, and are made once for a portion of rows.

use crate::dialects::informix::DECLARED;
use crate::failure::{Class, Fault};
use crate::python_types::{PythonTypes, types};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, IntervalUnit};
use mainstay_columnar::values::value_at;
use mainstay_types::{Interval, Timestamp, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList, PyString, PyTuple};
use std::collections::HashMap;
use std::ops::Range;

/// The ordinal of 1970-01-01 in Python, where 0001-01-01 is 1.
const ORDINAL_OF_1970: i64 = 719_163;
const TICKS_PER_SECOND: i64 = mainstay_types::TICKS_PER_SECOND;

/// Appends these rows of a batch to a list, as tuples.
pub(crate) fn append_rows(
    py: Python<'_>,
    list: &Bound<'_, PyList>,
    batch: &RecordBatch,
    rows: Range<usize>,
) -> PyResult<()> {
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(batch.columns());
    let columns = fields.map(|(field, column)| match is_number(field) {
        true => numbers(py, column, rows.clone()),
        false => objects(py, column, rows.clone()),
    });
    let mut columns = columns.map(|column| column.map(Vec::into_iter)).collect::<PyResult<Vec<_>>>()?;
    for _ in rows {
        let cells: Vec<Py<PyAny>> = columns.iter_mut().filter_map(Iterator::next).collect();
        list.append(PyTuple::new(py, cells)?)?;
    }
    Ok(())
}

/// True for a column of texts that are numbers: a DECIMAL of Informix SQL whose point floats.
fn is_number(field: &Field) -> bool {
    let declared = field.metadata().get(DECLARED);
    field.data_type().is_string() && declared.is_some_and(|name| name.starts_with("decimal(") && !name.contains(','))
}

fn numbers(py: Python<'_>, column: &ArrayRef, rows: Range<usize>) -> PyResult<Vec<Py<PyAny>>> {
    let class = &types(py)?.decimal;
    let texts = objects(py, column, rows)?.into_iter();
    texts.map(|text| if text.is_none(py) { Ok(text) } else { class.call1(py, (text,)) }).collect()
}

/// The objects of these rows of a column.
fn objects(py: Python<'_>, column: &ArrayRef, rows: Range<usize>) -> PyResult<Vec<Py<PyAny>>> {
    macro_rules! each {
        ($array:expr, $value:ident => $object:expr) => {{
            let array = $array;
            rows.map(|row| match array.is_null(row) {
                true => Ok(py.None()),
                false => {
                    let $value = array.value(row);
                    $object
                }
            })
            .collect()
        }};
    }
    match column.data_type() {
        DataType::Int8 => each!(column.as_primitive::<Int8Type>(), value => value.into_py_any(py)),
        DataType::Int16 => each!(column.as_primitive::<Int16Type>(), value => value.into_py_any(py)),
        DataType::Int32 => each!(column.as_primitive::<Int32Type>(), value => value.into_py_any(py)),
        DataType::Int64 => each!(column.as_primitive::<Int64Type>(), value => value.into_py_any(py)),
        DataType::Float32 => {
            each!(column.as_primitive::<Float32Type>(), value => Ok(float(py, f64::from(value))))
        }
        DataType::Float64 => each!(column.as_primitive::<Float64Type>(), value => Ok(float(py, value))),
        DataType::Utf8View => each!(column.as_string_view(), value => Ok(text(py, value))),
        DataType::Utf8 => each!(column.as_string::<i32>(), value => Ok(text(py, value))),
        DataType::Boolean => {
            each!(column.as_boolean(), value => Ok(PyBool::new(py, value).to_owned().into_any().unbind()))
        }
        DataType::Date32 => {
            let (types, mut made) = (types(py)?, HashMap::new());
            each!(column.as_primitive::<Date32Type>(), value => day(py, types, &mut made, value))
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            let class = &types(py)?.year_month;
            each!(column.as_primitive::<IntervalYearMonthType>(), value => class.call1(py, (0, value)))
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = objects(py, dictionary.values(), 0..dictionary.values().len())?;
            let keys = dictionary.normalized_keys();
            let of_key = |row: usize| keys.get(row).and_then(|key| values.get(*key)).map(|value| value.clone_ref(py));
            let object = |row: usize| if column.is_null(row) { None } else { of_key(row) };
            Ok(rows.map(|row| object(row).unwrap_or_else(|| py.None())).collect())
        }
        _ => rows.map(|row| cell(py, column, row)).collect(),
    }
}

fn float(py: Python<'_>, value: f64) -> Py<PyAny> {
    PyFloat::new(py, value).into_any().unbind()
}

fn text(py: Python<'_>, value: &str) -> Py<PyAny> {
    PyString::new(py, value).into_any().unbind()
}

fn day(py: Python<'_>, types: &PythonTypes, made: &mut HashMap<i32, Py<PyAny>>, days: i32) -> PyResult<Py<PyAny>> {
    if let Some(known) = made.get(&days) {
        return Ok(known.clone_ref(py));
    }
    let object = types.date_from_ordinal.call1(py, (i64::from(days) + ORDINAL_OF_1970,)).map_err(|_| beyond(py))?;
    made.insert(days, object.clone_ref(py));
    Ok(object)
}

fn cell(py: Python<'_>, column: &ArrayRef, row: usize) -> PyResult<Py<PyAny>> {
    match value_at(column.as_ref(), row) {
        Ok(value) => object(py, &value),
        // Lists, structures and maps of Parquet files, as text.
        Err(_) => {
            let shown = arrow_cast::display::array_value_to_string(column, row);
            let shown = shown.map_err(|error| Fault::new(Class::NotSupported, error.to_string()).raise(py))?;
            Ok(text(py, &shown))
        }
    }
}

/// The object of a value.
pub(crate) fn object(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    let types = types(py)?;
    match value {
        Value::Null => Ok(py.None()),
        Value::Boolean(value) => Ok(PyBool::new(py, *value).to_owned().into_any().unbind()),
        Value::Integer(value) => value.into_py_any(py),
        Value::Decimal(value) => types.decimal.call1(py, (value.to_string(),)),
        Value::Float(value) => Ok(float(py, *value)),
        Value::Text(value) => Ok(text(py, value)),
        Value::Binary(value) => Ok(PyBytes::new(py, value).into_any().unbind()),
        Value::Date(value) => day(py, types, &mut HashMap::new(), value.0),
        Value::Time(value) => {
            let (hour, minute, second, micros) = parts(value.0);
            types.time.call1(py, (hour, minute, second, micros))
        }
        Value::Timestamp(value) => moment(py, types, *value, None),
        Value::TimestampWithOffset { utc, offset_minutes } => moment(py, types, *utc, Some(*offset_minutes)),
        Value::Interval(value) => interval(py, types, *value),
        Value::Uuid(value) => types.uuid.call1(py, (py.None(), PyBytes::new(py, value))),
    }
}

/// Hours, minutes, seconds and microseconds of a time of day.
fn parts(ticks: i64) -> (i64, i64, i64, i64) {
    let seconds = ticks / TICKS_PER_SECOND;
    (seconds / 3600, seconds / 60 % 60, seconds % 60, ticks % TICKS_PER_SECOND / 10)
}

fn moment(py: Python<'_>, types: &PythonTypes, utc: Timestamp, offset: Option<i16>) -> PyResult<Py<PyAny>> {
    let zone = match offset {
        None => py.None(),
        Some(0) => types.utc.clone_ref(py),
        Some(minutes) => types.timezone.call1(py, (types.timedelta.call1(py, (0, 0, 0, 0, minutes))?,))?,
    };
    let (date, ticks) = utc.to_local(offset.unwrap_or(0)).split();
    let ((year, month, day), (hour, minute, second, micros)) = (date.ymd(), parts(ticks));
    let made = types.datetime.call1(py, (year, month, day, hour, minute, second, micros, zone));
    made.map_err(|_| beyond(py))
}

/// A `timedelta`, or a `YearMonth` for years and months.
fn interval(py: Python<'_>, types: &PythonTypes, value: Interval) -> PyResult<Py<PyAny>> {
    if value.months != 0 && value.days == 0 && value.ticks == 0 {
        return types.year_month.call1(py, (0, value.months));
    }
    if value.months != 0 {
        let message = "an interval of months and days is neither a timedelta nor a YearMonth: CAST it to VARCHAR";
        return Err(Fault::new(Class::NotSupported, message).raise(py));
    }
    let (seconds, ticks) = (value.ticks.div_euclid(TICKS_PER_SECOND), value.ticks.rem_euclid(TICKS_PER_SECOND));
    types.timedelta.call1(py, (value.days, seconds, ticks / 10)).map_err(|_| beyond(py))
}

#[cold]
fn beyond(py: Python<'_>) -> PyErr {
    Fault::new(Class::Data, "a moment is beyond the range of Python's types").raise(py)
}
