//! Values of rows as Python objects.

use crate::error;
use crate::python_types::{PythonTypes, types};
use mainstay_informix_driver::{Cell, Codeset};
use mainstay_sqli::{Qualifier, Unit, WireError, decimal_text, decode_datetime, decode_interval};
use mainstay_types::Value;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyString};

/// The ordinal of 1970-01-01 in Python, where 0001-01-01 is 1.
const ORDINAL_OF_1970: i64 = 719_163;
/// Dates that are kept, each in the slot of its day: columns repeat them.
const DATES: usize = 4096;

/// Makes Python objects of cells.
pub(crate) struct Converter {
    codeset: Codeset,
    strips: bool,
    dates: Vec<Option<(i32, Py<PyAny>)>>,
    types: &'static PythonTypes,
    files: Option<Py<PyAny>>,
}

pub(crate) fn wire(py: Python<'_>, failure: &WireError) -> PyErr {
    error(py, "DataError", &failure.to_string())
}

impl Converter {
    /// `strips` removes the padding of CHAR; `files` makes file objects of the locator of a BLOB or CLOB, and true for a CLOB.
    pub fn new(py: Python<'_>, codeset: Codeset, strips: bool, files: Option<Py<PyAny>>) -> PyResult<Converter> {
        Ok(Converter { codeset, strips, dates: Vec::new(), types: types(py)?, files })
    }

    /// True if values of BLOB and CLOB columns become file objects.
    pub fn makes_files(&self) -> bool {
        self.files.is_some()
    }

    /// The object of a cell; `lob` has the bytes of a TEXT or BYTE value.
    #[inline(always)]
    pub fn object(
        &mut self,
        py: Python<'_>,
        cell: Cell<'_>,
        is_padded: bool,
        lob: Option<&[u8]>,
    ) -> PyResult<Py<PyAny>> {
        match cell {
            Cell::Null => Ok(py.None()),
            Cell::Integer(number) => number.into_py_any(py),
            Cell::Float(number) => Ok(PyFloat::new(py, number).into_any().unbind()),
            Cell::Text(bytes) if is_padded && self.strips => self.text(py, bytes.trim_ascii_end()),
            Cell::Text(bytes) => self.text(py, bytes),
            Cell::Date(days) => self.date(py, days),
            Cell::Boolean(value) => Ok(PyBool::new(py, value).to_owned().into_any().unbind()),
            other => self.rare(py, other, lob),
        }
    }

    #[cold]
    fn rare(&mut self, py: Python<'_>, cell: Cell<'_>, lob: Option<&[u8]>) -> PyResult<Py<PyAny>> {
        match cell {
            Cell::Decimal(digits) => match decimal_text(digits).map_err(|failure| wire(py, &failure))? {
                Some(text) => self.types.decimal.call1(py, (text,)),
                None => Ok(py.None()),
            },
            Cell::DateTime(digits, qualifier) => self.datetime(py, digits, qualifier),
            Cell::Interval(digits, qualifier) => self.interval(py, digits, qualifier),
            Cell::Lob(_, is_text) => self.lob(py, lob, is_text),
            Cell::Locator(locator, is_text) => match &self.files {
                Some(files) => files.call1(py, (PyBytes::new(py, locator), is_text)),
                None => self.lob(py, lob, is_text),
            },
            Cell::Opaque(bytes) => Ok(PyBytes::new(py, bytes).into_any().unbind()),
            _ => Ok(py.None()),
        }
    }

    /// The value of a TEXT, BYTE, BLOB or CLOB column.
    fn lob(&self, py: Python<'_>, bytes: Option<&[u8]>, is_text: bool) -> PyResult<Py<PyAny>> {
        let bytes = bytes.unwrap_or_default();
        match is_text {
            true => self.text(py, bytes),
            false => Ok(PyBytes::new(py, bytes).into_any().unbind()),
        }
    }

    #[inline]
    pub fn text(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>> {
        if self.codeset == Codeset::Utf8 || bytes.is_ascii() {
            let text = PyString::from_bytes(py, bytes);
            let text =
                text.map_err(|_| error(py, "DataError", "a text of the server is not in the client's codeset"))?;
            return Ok(text.into_any().unbind());
        }
        let text: String = bytes.iter().copied().map(char::from).collect();
        Ok(PyString::new(py, &text).into_any().unbind())
    }

    #[inline]
    fn date(&mut self, py: Python<'_>, days: i32) -> PyResult<Py<PyAny>> {
        let slot = days.rem_euclid(DATES as i32) as usize;
        if let Some(Some((_, known))) =
            self.dates.get(slot).filter(|known| known.as_ref().is_some_and(|(day, _)| *day == days))
        {
            return Ok(known.clone_ref(py));
        }
        self.new_date(py, days, slot)
    }

    fn new_date(&mut self, py: Python<'_>, days: i32, slot: usize) -> PyResult<Py<PyAny>> {
        let made = self.types.date_from_ordinal.call1(py, (i64::from(days) + ORDINAL_OF_1970,));
        let made = made.map_err(|_| error(py, "DataError", "a DATE is beyond the years 1 to 9999"))?;
        if self.dates.is_empty() {
            self.dates.resize_with(DATES, || None);
        }
        if let Some(kept) = self.dates.get_mut(slot) {
            *kept = Some((days, made.clone_ref(py)));
        }
        Ok(made)
    }

    /// A date without a time of day, a time without a date, or both.
    fn datetime(&mut self, py: Python<'_>, digits: &[u8], qualifier: Qualifier) -> PyResult<Py<PyAny>> {
        let of_ticks = |ticks: i64| {
            let seconds = ticks / 10_000_000;
            (seconds / 3600, seconds / 60 % 60, seconds % 60, ticks % 10_000_000 / 10)
        };
        match decode_datetime(digits, qualifier).map_err(|failure| wire(py, &failure))? {
            Value::Time(time) => self.types.time.call1(py, of_ticks(time.0)),
            Value::Timestamp(moment) if qualifier.last <= Unit::DAY => self.date(py, moment.date().0),
            Value::Timestamp(moment) => {
                let (date, ticks) = moment.split();
                let ((year, month, day), (hour, minute, second, micros)) = (date.ymd(), of_ticks(ticks));
                self.types.datetime.call1(py, (year, month, day, hour, minute, second, micros))
            }
            _ => Ok(py.None()),
        }
    }

    fn interval(&self, py: Python<'_>, digits: &[u8], qualifier: Qualifier) -> PyResult<Py<PyAny>> {
        let Some(interval) = decode_interval(digits, qualifier).map_err(|failure| wire(py, &failure))? else {
            return Ok(py.None());
        };
        if qualifier.first <= Unit::MONTH {
            return self.types.year_month.call1(py, (0, interval.months));
        }
        let made = self
            .types
            .timedelta
            .call1(py, (interval.days, interval.ticks / 10_000_000, interval.ticks % 10_000_000 / 10));
        made.map_err(|_| error(py, "DataError", "an INTERVAL is beyond the range of timedelta"))
    }
}
