//! Classes of Python that values become, looked up once.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

pub(crate) struct PythonTypes {
    pub decimal: Py<PyAny>,
    pub date: Py<PyAny>,
    pub date_from_ordinal: Py<PyAny>,
    pub datetime: Py<PyAny>,
    pub time: Py<PyAny>,
    pub timedelta: Py<PyAny>,
    pub year_month: Py<PyAny>,
    pub lob: Py<PyAny>,
}

static TYPES: PyOnceLock<PythonTypes> = PyOnceLock::new();

/// The classes.
pub(crate) fn types(py: Python<'_>) -> PyResult<&'static PythonTypes> {
    TYPES.get_or_try_init(py, || {
        let datetime = py.import("datetime")?;
        let date = datetime.getattr("date")?;
        Ok(PythonTypes {
            decimal: py.import("decimal")?.getattr("Decimal")?.unbind(),
            date_from_ordinal: date.getattr("fromordinal")?.unbind(),
            date: date.unbind(),
            datetime: datetime.getattr("datetime")?.unbind(),
            time: datetime.getattr("time")?.unbind(),
            timedelta: datetime.getattr("timedelta")?.unbind(),
            year_month: py.import("mainstay_informix.types")?.getattr("YearMonth")?.unbind(),
            lob: py.import("mainstay_informix.lobs")?.getattr("BaseLob")?.unbind(),
        })
    })
}
