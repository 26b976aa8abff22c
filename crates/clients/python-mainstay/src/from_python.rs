//! Objects of Python as values of parameters.

use crate::dialects::{Argument, Arguments};
use crate::failure::{Class, Fault};
use crate::python_types::types;
use mainstay_types::{Date, Decimal, Interval, TICKS_PER_SECOND, Time, Timestamp, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMapping, PyMemoryView, PySequence, PyString};

/// Microseconds have this many ticks.
const TICKS_PER_MICROSECOND: i64 = 10;

fn fail(py: Python<'_>, class: Class, message: impl Into<String>) -> PyErr {
    Fault::new(class, message).raise(py)
}

/// The values of one execution: a sequence by position, a mapping by name, or `None`.
pub(crate) fn arguments(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Arguments> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Arguments::NONE) };
    if let Ok(named) = given.cast::<PyMapping>() {
        let pair = |item: PyResult<Bound<'_, PyAny>>| {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            Ok((name, argument(py, &value)?))
        };
        return Ok(Arguments::Named(named.items()?.try_iter()?.map(pair).collect::<PyResult<_>>()?));
    }
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
        return Err(fail(py, Class::Programming, "the parameters are a single text: pass a sequence or a mapping"));
    }
    let values = given.cast::<PySequence>();
    let values =
        values.map_err(|_| fail(py, Class::Programming, "the parameters are neither a sequence nor a mapping"))?;
    Ok(Arguments::List(values.try_iter()?.map(|value| argument(py, &value?)).collect::<PyResult<_>>()?))
}

fn argument(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    match object.is_instance(types(py)?.output.bind(py))? {
        true => Ok(Argument { value: value(py, &object.getattr("value")?)?, is_output: true }),
        false => Ok(Argument { value: value(py, object)?, is_output: false }),
    }
}

/// The value of an object.
///
/// Errors: `DataError` for one beyond the range of values, `ProgrammingError` for one of another type.
pub(crate) fn value(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(if object.is_none() {
        Value::Null
    } else if object.is_exact_instance_of::<PyInt>() {
        integer(py, object)?
    } else if let Ok(text) = object.cast::<PyString>() {
        let text = text.to_str();
        Value::Text(text.map_err(|_| fail(py, Class::Data, "the text has a lone surrogate"))?.to_owned())
    } else if let Ok(flag) = object.cast::<PyBool>() {
        Value::Boolean(flag.is_true())
    } else if let Ok(number) = object.cast::<PyFloat>() {
        Value::Float(number.value())
    } else if let Ok(bytes) = object.cast::<PyBytes>() {
        Value::Binary(bytes.as_bytes().to_vec())
    } else if let Ok(bytes) = object.cast::<PyByteArray>() {
        Value::Binary(bytes.to_vec())
    } else if object.is_instance_of::<PyMemoryView>() {
        Value::Binary(object.call_method0("tobytes")?.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        integer(py, object)?
    } else {
        other(py, object)?
    })
}

/// Whole numbers beyond 64 bits are decimals.
fn integer(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    match object.extract::<i64>() {
        Ok(number) => Ok(Value::Integer(number)),
        Err(_) => decimal(py, &object.call_method0("__str__")?.extract::<String>()?),
    }
}

fn decimal(py: Python<'_>, text: &str) -> PyResult<Value> {
    let parsed = text.parse::<Decimal>();
    parsed.map(Value::Decimal).map_err(|error| fail(py, Class::Data, format!("{text}: {error}")))
}

fn other(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let types = types(py)?;
    let is = |class: &Py<PyAny>| object.is_instance(class.bind(py));
    if is(&types.decimal)? {
        // Without an exponent.
        return decimal(py, &object.call_method1("__format__", ("f",))?.extract::<String>()?);
    }
    if is(&types.datetime)? {
        // NaT, the missing timestamp of pandas, is not equal to itself.
        return if object.eq(object)? { moment(py, object) } else { Ok(Value::Null) };
    }
    if is(&types.date)? {
        return Ok(Value::Date(date(py, object)?));
    }
    if is(&types.time)? {
        if !object.getattr("tzinfo")?.is_none() {
            return Err(fail(py, Class::Data, "a time of day has no time zone: pass a naive value"));
        }
        return Ok(Value::Time(Time(ticks(object)?)));
    }
    if is(&types.timedelta)? {
        let part = |name: &str| object.getattr(name)?.extract::<i64>();
        let ticks = i128::from(part("days")?) * 86_400 * i128::from(TICKS_PER_SECOND)
            + i128::from(part("seconds")?) * i128::from(TICKS_PER_SECOND)
            + i128::from(part("microseconds")?) * i128::from(TICKS_PER_MICROSECOND);
        let interval = Interval::from_ticks(ticks);
        return interval.map(Value::Interval).ok_or_else(|| fail(py, Class::Data, "the timedelta is too long"));
    }
    if is(&types.uuid)? {
        return Ok(Value::Uuid(object.getattr("bytes")?.extract::<[u8; 16]>()?));
    }
    if is(&types.year_month)? {
        let months = object.getattr("total_months")?.extract::<i32>();
        let months = months.map_err(|_| fail(py, Class::Data, "the interval is too long"))?;
        return Ok(Value::Interval(Interval::from_months(months)));
    }
    if let Some(plain) = numpy_scalar(object)? {
        return value(py, &plain);
    }
    let message = format!("a value of type {} cannot be a parameter", object.get_type().name()?);
    Err(fail(py, Class::Programming, message))
}

/// The value of a scalar of numpy. Its timestamps and durations are counts of some unit, and have to be converted first.
fn numpy_scalar<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(dtype) = object.getattr("dtype") else { return Ok(None) };
    let unit = match dtype.getattr("kind")?.extract::<String>()?.as_str() {
        "M" => Some("datetime64[us]"),
        "m" => Some("timedelta64[us]"),
        _ => None,
    };
    let plain = match unit {
        Some(unit) => object.call_method1("astype", (unit,))?.call_method0("item")?,
        None => object.call_method0("item")?,
    };
    Ok(Some(plain).filter(|plain| !plain.is(object)))
}

fn moment(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let local = Timestamp::at(date(py, object)?, ticks(object)?);
    let offset = object.call_method0("utcoffset")?;
    if offset.is_none() {
        return Ok(Value::Timestamp(local));
    }
    let part = |name: &str| offset.getattr(name)?.extract::<i64>();
    let seconds = part("days")? * 86_400 + part("seconds")?;
    if seconds % 60 != 0 || part("microseconds")? != 0 {
        return Err(fail(py, Class::Data, "the offset of a time zone is of whole minutes"));
    }
    let offset_minutes = (seconds / 60) as i16;
    Ok(Value::TimestampWithOffset { utc: local.to_utc(offset_minutes), offset_minutes })
}

fn date(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Date> {
    let part = |name: &str| object.getattr(name)?.extract::<u32>();
    let date = Date::from_ymd(object.getattr("year")?.extract()?, part("month")?, part("day")?);
    date.ok_or_else(|| fail(py, Class::Data, "not a date"))
}

fn ticks(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    let part = |name: &str| object.getattr(name)?.extract::<i64>();
    let seconds = part("hour")? * 3600 + part("minute")? * 60 + part("second")?;
    Ok(seconds * TICKS_PER_SECOND + part("microsecond")? * TICKS_PER_MICROSECOND)
}
