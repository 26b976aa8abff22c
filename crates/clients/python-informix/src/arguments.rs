//! Python objects as parameters of statements.

use crate::error;
use crate::python_types::types;
use crate::values::wire;
use mainstay_informix_driver::{Binder, BoundRow, Codeset};
use mainstay_types::{Date, Interval, TICKS_PER_SECOND, Time, Timestamp, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMapping, PySequence, PyString};

/// The parameters of one execution in the order of the marks; `order` has the place of each among `values`.
pub(crate) fn by_position(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    order: &[usize],
    codeset: Codeset,
) -> PyResult<BoundRow> {
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(error(py, "ProgrammingError", "the parameters are a single text: pass a sequence or a mapping"));
    }
    let sequence = values.cast::<PySequence>();
    let sequence =
        sequence.map_err(|_| error(py, "ProgrammingError", "the parameters are neither a sequence nor a mapping"))?;
    let given = sequence.len()?;
    let wanted = order.iter().max().map_or(0, |last| last + 1);
    if given != wanted {
        let message = format!("the statement has {wanted} parameters, and {given} values are given");
        return Err(error(py, "ProgrammingError", &message));
    }
    let mut binder = Binder::new(codeset);
    for place in order {
        bind(py, &mut binder, &sequence.get_item(*place)?, codeset)?;
    }
    binder.finish().map_err(|failure| wire(py, &failure))
}

/// The parameters of one execution by name.
pub(crate) fn by_name(
    py: Python<'_>,
    values: &Bound<'_, PyMapping>,
    names: &[String],
    codeset: Codeset,
) -> PyResult<BoundRow> {
    let mut binder = Binder::new(codeset);
    for name in names {
        let value = values.get_item(name);
        let value = value
            .map_err(|_| error(py, "ProgrammingError", &format!("there is no value for the parameter :{name}")))?;
        bind(py, &mut binder, &value, codeset)?;
    }
    binder.finish().map_err(|failure| wire(py, &failure))
}

/// The values of a row for an insert cursor.
pub(crate) fn values(py: Python<'_>, row: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<Vec<Value>> {
    let row = row.cast::<PySequence>();
    let row = row.map_err(|_| error(py, "ProgrammingError", "a row of an insert cursor is a sequence"))?;
    let mut values = Vec::with_capacity(row.len()?);
    for value in row.try_iter()? {
        values.push(value_of(py, &value?, codeset)?);
    }
    Ok(values)
}

/// The value of an object; numbers of more than 38 digits are texts.
fn value_of(py: Python<'_>, value: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<Value> {
    if let Some(known) = plain(py, value, codeset)? {
        return Ok(known);
    }
    if value.is_instance_of::<PyInt>() || value.is_instance(types(py)?.decimal.bind(py))? {
        let text = value.str()?.to_string();
        return Ok(match text.parse::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => text.parse().map_or(Value::Text(text), Value::Decimal),
        });
    }
    moment(py, value)?.ok_or_else(|| unknown(py, value))
}

/// Adds one value.
pub(crate) fn bind(py: Python<'_>, binder: &mut Binder, value: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<()> {
    if value.is_exact_instance_of::<PyInt>() {
        return integer(py, binder, value);
    }
    match plain(py, value, codeset)? {
        Some(known) => binder.value(known).map_err(|failure| wire(py, &failure)),
        None if value.is_instance_of::<PyInt>() => integer(py, binder, value),
        None => other(py, binder, value, codeset),
    }
}

/// The values of Python's own types beside numbers.
fn plain(py: Python<'_>, value: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<Option<Value>> {
    Ok(Some(if value.is_none() {
        Value::Null
    } else if let Ok(text) = value.cast::<PyString>() {
        Value::Text(checked(py, text.to_str()?, codeset)?)
    } else if let Ok(flag) = value.cast::<PyBool>() {
        Value::Boolean(flag.is_true())
    } else if let Ok(number) = value.cast::<PyFloat>() {
        Value::Float(number.value())
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Value::Binary(bytes.as_bytes().to_vec())
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        Value::Binary(bytes.to_vec())
    } else {
        return Ok(None);
    }))
}

fn integer(py: Python<'_>, binder: &mut Binder, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let bound = match value.extract::<i64>() {
        Ok(number) if number != i64::MIN => binder.value(Value::Integer(number)),
        _ => binder.decimal(&value.str()?.to_string()),
    };
    bound.map_err(|failure| wire(py, &failure))
}

/// ISO 8859-1 lacks most characters: none is replaced silently.
fn checked(py: Python<'_>, text: &str, codeset: Codeset) -> PyResult<String> {
    let lacking = match codeset {
        Codeset::Latin1 => text.chars().find(|letter| u32::from(*letter) > 0xFF),
        Codeset::Utf8 => None,
    };
    match lacking {
        None => Ok(text.to_owned()),
        Some(letter) => {
            let message = format!(
                "the client's codeset ISO 8859-1 lacks the character {letter:?}: connect with client_locale=\"en_US.utf8\""
            );
            Err(error(py, "DataError", &message))
        }
    }
}

fn other(py: Python<'_>, binder: &mut Binder, value: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<()> {
    let types = types(py)?;
    let is = |class: &Py<PyAny>| value.is_instance(class.bind(py));
    let bound = if is(&types.decimal)? {
        binder.decimal(&value.str()?.to_string())
    } else if let Some(moment) = moment(py, value)? {
        binder.value(moment)
    } else if is(&types.lob)? {
        let locator = value.getattr("locator")?.extract::<Vec<u8>>()?;
        binder.locator(&locator, value.getattr("is_text")?.is_truthy()?)
    } else if value.hasattr("read")? {
        return from_file(py, binder, value, codeset);
    } else if let Ok(view) = value.call_method0("tobytes").and_then(|bytes| bytes.extract::<Vec<u8>>()) {
        binder.value(Value::Binary(view))
    } else {
        return Err(unknown(py, value));
    };
    bound.map_err(|failure| wire(py, &failure))
}

fn unknown(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyErr {
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    error(py, "ProgrammingError", &format!("a value of type {name} cannot be a parameter"))
}

/// The value of a date, a time or an interval.
fn moment(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let types = types(py)?;
    let is = |class: &Py<PyAny>| value.is_instance(class.bind(py));
    Ok(Some(if is(&types.datetime)? {
        no_time_zone(py, value)?;
        Value::Timestamp(Timestamp::at(date(py, value)?, ticks(value)?))
    } else if is(&types.date)? {
        Value::Date(date(py, value)?)
    } else if is(&types.time)? {
        no_time_zone(py, value)?;
        Value::Time(Time(ticks(value)?))
    } else if is(&types.timedelta)? {
        let part = |name: &str| value.getattr(name)?.extract::<i64>();
        let ticks = i128::from(part("days")?) * 86_400 * i128::from(TICKS_PER_SECOND)
            + i128::from(part("seconds")?) * i128::from(TICKS_PER_SECOND)
            + i128::from(part("microseconds")?) * 10;
        let interval = Interval::from_ticks(ticks);
        Value::Interval(interval.ok_or_else(|| error(py, "DataError", "the timedelta is too long"))?)
    } else if is(&types.year_month)? {
        let months = value.getattr("total_months")?.extract::<i32>();
        let months = months.map_err(|_| error(py, "DataError", "the interval is too long"))?;
        Value::Interval(Interval::from_months(months))
    } else {
        return Ok(None);
    }))
}

/// The content of a file object, which is read to its end.
fn from_file(py: Python<'_>, binder: &mut Binder, file: &Bound<'_, PyAny>, codeset: Codeset) -> PyResult<()> {
    let content = file.call_method0("read")?;
    let is_content = content.is_instance_of::<PyString>() || content.is_instance_of::<PyBytes>();
    match is_content {
        true => bind(py, binder, &content, codeset),
        false => Err(error(py, "ProgrammingError", "a file object has to give bytes or a text")),
    }
}

fn no_time_zone(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match value.getattr("tzinfo")?.is_none() {
        true => Ok(()),
        false => Err(error(py, "DataError", "DATETIME has no time zone: pass a naive value")),
    }
}

fn date(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Date> {
    let part = |name: &str| value.getattr(name)?.extract::<u32>();
    let date = Date::from_ymd(value.getattr("year")?.extract()?, part("month")?, part("day")?);
    date.ok_or_else(|| error(py, "DataError", "not a date"))
}

fn ticks(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let part = |name: &str| value.getattr(name)?.extract::<i64>();
    let seconds = part("hour")? * 3600 + part("minute")? * 60 + part("second")?;
    Ok(seconds * TICKS_PER_SECOND + part("microsecond")? * 10)
}
