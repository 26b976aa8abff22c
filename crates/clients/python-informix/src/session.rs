//! Sessions: bytes in and out, operations, and their results.

use crate::arguments::{bind, by_name, by_position, values};
use crate::error;
use crate::rows::Rows;
use crate::values::{Converter, wire};
use mainstay_informix_driver::{
    Binder, BoundRow, Cell, Codeset, Column, Execute, Fault, Kind, Layout, Scrolling, Settings, Statement, Verb,
    read_cell,
};
use mainstay_sqli::{ConnectRequest, Field, TypeCode, TypeDescription};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};

/// A session of a server, without a socket.
#[pyclass(module = "mainstay_informix._native")]
pub(crate) struct Session {
    inner: mainstay_informix_driver::Session,
    strips: bool,
}

/// Settings of a session, as keyword arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Options {
    user: String,
    password: String,
    server: String,
    database: String,
    is_exclusive: bool,
    autocommit: bool,
    environment: Vec<(String, String)>,
    host: String,
    process: u32,
    directory: String,
    application: String,
    fetch_bytes: u32,
    statements: usize,
    strip_char: bool,
}

/// Options of an execution.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Opening {
    is_scrolling: bool,
    is_held: bool,
    lob_files: bool,
    name: Option<String>,
}

type Reason = (&'static str, i16, i16, u32, String);
type Description = (String, u16, u32, bool, Option<u8>, Option<u8>, Option<usize>);

fn prepared_rows<'py>(
    py: Python<'py>,
    statement: &Statement,
    parameters: Option<&Bound<'py, PyAny>>,
    is_many: bool,
    codeset: Codeset,
) -> PyResult<(String, u16, Vec<BoundRow>)> {
    let Some(parameters) = parameters else { return Ok((statement.text().to_owned(), 0, vec![BoundRow::default()])) };
    let sets: Vec<Bound<'py, PyAny>> = match is_many {
        true => parameters.try_iter()?.collect::<PyResult<_>>()?,
        false => vec![parameters.clone()],
    };
    let count = |marks: usize| u16::try_from(marks).map_err(|_| error(py, "ProgrammingError", "too many parameters"));
    if sets.first().is_some_and(|first| first.cast::<PyMapping>().is_ok()) {
        let (text, names) = statement.named();
        let row = |set: &Bound<'py, PyAny>| match set.cast::<PyMapping>() {
            Ok(mapping) => by_name(py, mapping, &names, codeset),
            Err(_) => Err(error(py, "ProgrammingError", "some sets of parameters are mappings, and others are not")),
        };
        let rows = sets.iter().map(row).collect::<PyResult<_>>()?;
        return Ok((text, count(names.len())?, rows));
    }
    let (text, order) = statement.positional();
    let rows = sets.iter().map(|set| by_position(py, set, &order, codeset)).collect::<PyResult<_>>()?;
    Ok((text, count(order.len())?, rows))
}

fn described(column: &Column) -> Description {
    let (precision, scale) = match column.precision() {
        Some((precision, scale)) => (Some(precision), scale),
        None => (None, None),
    };
    let internal = match column.kind {
        Kind::Varchar => Some(column.length as usize & 0xFF),
        Kind::LongText | Kind::Opaque | Kind::Smart(_) => Some(column.length as usize),
        kind => kind.fixed_bytes(),
    };
    (column.name.clone(), column.code.0, column.extended_id, column.is_nullable, precision, scale, internal)
}

#[pymethods]
impl Session {
    #[new]
    fn new(options: Options) -> Session {
        let login = ConnectRequest {
            user: options.user,
            password: options.password,
            server: options.server,
            database: String::new(),
            environment: options.environment,
            host: options.host,
            process: options.process,
            directory: options.directory,
            application: options.application,
        };
        let settings = Settings {
            login,
            database: options.database,
            is_exclusive: options.is_exclusive,
            autocommit: options.autocommit,
            fetch_bytes: options.fetch_bytes,
            statements: options.statements,
        };
        Session { inner: mainstay_informix_driver::Session::new(settings), strips: options.strip_char }
    }

    /// The bytes to be sent, or None.
    fn output<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match self.inner.has_output() {
            true => Some(PyBytes::new(py, &self.inner.take_output())),
            false => None,
        }
    }

    /// Takes bytes of the server; true when the operation is over.
    fn receive(&mut self, data: &[u8]) -> bool {
        self.inner.receive(data);
        self.inner.is_done()
    }

    #[getter]
    fn done(&self) -> bool {
        self.inner.is_done()
    }

    #[getter]
    fn closed(&self) -> bool {
        self.inner.is_closed()
    }

    fn disconnect(&mut self, reason: &str) {
        self.inner.disconnect(reason);
    }

    /// The reason for which the operation failed: kind, SQLCODE, ISAM code, offset, subject or message.
    fn fault(&mut self) -> Option<Reason> {
        Some(match self.inner.take_fault()? {
            Fault::Server(failure) => ("server", failure.code, failure.isam, failure.offset, failure.subject),
            Fault::Login(failure) => ("login", failure.code, failure.isam, failure.offset, failure.subject),
            Fault::Connection(message) => ("connection", 0, 0, 0, message),
            Fault::Usage(message) => ("usage", 0, 0, 0, message),
        })
    }

    #[pyo3(signature = (cursor, text, parameters, is_many, opening))]
    fn execute(
        this: &Bound<'_, Session>,
        py: Python<'_>,
        cursor: u32,
        text: &str,
        parameters: Option<Bound<'_, PyAny>>,
        is_many: bool,
        opening: Option<Opening>,
    ) -> PyResult<()> {
        // Objects may run any code while they become parameters: the session is not borrowed meanwhile.
        let codeset = this.borrow().inner.codeset();
        let statement = Statement::read(text);
        let (text, parameters, rows) = prepared_rows(py, &statement, parameters.as_ref(), is_many, codeset)?;
        let opening = opening.unwrap_or(Opening { is_scrolling: false, is_held: false, lob_files: false, name: None });
        let execute = Execute {
            text,
            verb: statement.verb,
            rows,
            parameters,
            is_scrolling: opening.is_scrolling,
            is_held: opening.is_held,
            is_for_update: statement.is_for_update || opening.name.is_some(),
            keeps_locators: opening.lob_files,
            takes_rows: false,
            name: opening.name,
        };
        this.borrow_mut().inner.start_execute(cursor, execute);
        Ok(())
    }

    /// Opens an insert cursor.
    fn insert_cursor(&mut self, py: Python<'_>, cursor: u32, text: &str) -> PyResult<()> {
        let statement = Statement::read(text);
        let (text, order) = statement.positional();
        if order.iter().enumerate().any(|(place, of_values)| place != *of_values) {
            let message = "the parameters of an insert cursor are ?, one for each column";
            return Err(error(py, "ProgrammingError", message));
        }
        let execute = Execute {
            text,
            verb: statement.verb,
            rows: vec![BoundRow::default()],
            parameters: u16::try_from(order.len()).unwrap_or(u16::MAX),
            is_scrolling: false,
            is_held: false,
            is_for_update: false,
            keeps_locators: false,
            takes_rows: true,
            name: None,
        };
        self.inner.start_insert_cursor(cursor, execute);
        Ok(())
    }

    /// Collects rows for an insert cursor: the number of bytes that are collected.
    fn collect(this: &Bound<'_, Session>, py: Python<'_>, cursor: u32, rows: &Bound<'_, PyAny>) -> PyResult<usize> {
        let codeset = this.borrow().inner.codeset();
        let mut bytes = 0;
        for row in rows.try_iter()? {
            let values = values(py, &row?, codeset)?;
            let collected = this.borrow_mut().inner.collect_row(cursor, &values);
            bytes = collected.map_err(|failure| wire(py, &failure))?;
        }
        Ok(bytes)
    }

    /// Sends the rows that were collected.
    fn put(&mut self, cursor: u32) {
        self.inner.start_put(cursor);
    }

    fn fetch(&mut self, cursor: u32) {
        self.inner.start_fetch(cursor);
    }

    fn scroll(&mut self, cursor: u32, first: u32, count: u32) {
        self.inner.start_scroll(cursor, Scrolling::Rows(first, count));
    }

    fn scroll_last(&mut self, cursor: u32) {
        self.inner.start_scroll(cursor, Scrolling::Last);
    }

    fn last_number(&self, cursor: u32) -> Option<u32> {
        self.inner.last_number(cursor)
    }

    fn lob_open(&mut self, locator: &[u8]) {
        self.inner.lobs().start_open(locator);
    }

    fn lob_create(&mut self) {
        self.inner.lobs().start_create();
    }

    fn lob_seek(&mut self, descriptor: u16, distance: i64, whence: u8) {
        self.inner.lobs().start_seek(descriptor, distance, whence);
    }

    fn lob_status(&mut self, descriptor: u16) {
        self.inner.lobs().start_status(descriptor);
    }

    fn lob_truncate(&mut self, descriptor: u16, size: i64) {
        self.inner.lobs().start_truncate(descriptor, size);
    }

    fn lob_read(&mut self, descriptor: u16, size: u32) {
        self.inner.lobs().start_read(descriptor, size);
    }

    fn lob_write(&mut self, descriptor: u16, data: Vec<u8>) {
        self.inner.lobs().start_write(descriptor, data);
    }

    fn lob_close(&mut self, descriptor: u16) {
        self.inner.lobs().start_close(descriptor);
    }

    /// Closes a descriptor along with the next operation.
    fn lob_forget(&mut self, descriptor: u16) {
        self.inner.lobs().forget(descriptor);
    }

    /// Numbers, locator or status, bytes read and number of bytes written of the last operation on a smart large object.
    fn lob_answer<'py>(&mut self, py: Python<'py>) -> (Vec<i64>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, u32) {
        let answer = self.inner.lobs().take_answer();
        (answer.numbers, PyBytes::new(py, &answer.opaque), PyBytes::new(py, &answer.bytes), answer.written)
    }

    fn close_cursor(&mut self, cursor: u32) {
        self.inner.close_cursor(cursor);
    }

    fn clear_statements(&mut self) {
        self.inner.clear_statements();
    }

    fn begin(&mut self) {
        self.inner.start_begin();
    }

    fn commit(&mut self) {
        self.inner.start_commit();
    }

    fn rollback(&mut self) {
        self.inner.start_rollback();
    }

    /// Rolls back for a pool; done at once if the transaction has only read.
    fn abandon(&mut self) {
        self.inner.start_abandon();
    }

    fn savepoint(&mut self, name: &str) {
        self.inner.start_savepoint(name);
    }

    fn release_savepoint(&mut self, name: &str) {
        self.inner.start_release_savepoint(name);
    }

    fn rollback_to(&mut self, name: &str) {
        self.inner.start_rollback_to(name);
    }

    fn ping(&mut self) {
        self.inner.start_ping();
    }

    fn exit(&mut self) {
        self.inner.start_exit();
    }

    /// Rows that were changed, the SERIAL value, executions, and true if the statement has rows.
    fn outcome(&self) -> (u64, Option<i64>, usize, bool) {
        let outcome = self.inner.outcome();
        (outcome.changed, outcome.serial, outcome.executions, outcome.has_rows)
    }

    /// Name, type, extended type, nullable, precision, scale and bytes of each column.
    fn description(&self, cursor: u32) -> Option<Vec<Description>> {
        self.inner.layout(cursor).map(|layout| layout.columns.iter().map(described).collect())
    }

    /// A holder of the rows of a cursor that was opened.
    #[pyo3(signature = (cursor, files=None))]
    fn rows(&self, py: Python<'_>, cursor: u32, files: Option<Py<PyAny>>) -> PyResult<Option<Rows>> {
        let Some(layout) = self.inner.layout(cursor) else { return Ok(None) };
        Rows::new(py, layout, self.inner.codeset(), self.strips, files).map(Some)
    }

    /// Moves the rows that have come into their holder.
    fn load(&mut self, cursor: u32, rows: &mut Rows) {
        rows.load(self.inner.take_rows(cursor));
    }

    fn ended(&self, cursor: u32) -> bool {
        self.inner.is_ended(cursor)
    }

    #[getter]
    fn in_transaction(&self) -> bool {
        self.inner.is_in_transaction()
    }

    #[getter]
    fn has_transactions(&self) -> bool {
        self.inner.has_transactions()
    }

    #[getter]
    fn server_version(&self) -> &str {
        self.inner.server_version()
    }

    #[getter]
    fn autocommit(&self) -> bool {
        self.inner.autocommit()
    }

    #[setter]
    fn set_autocommit(&mut self, autocommit: bool) {
        self.inner.set_autocommit(autocommit);
    }
}

/// The value of a column type from the bytes of a row.
#[pyfunction]
#[pyo3(signature = (code, length, data))]
pub(crate) fn decode(py: Python<'_>, code: u16, length: u32, data: &[u8]) -> PyResult<Py<PyAny>> {
    if TypeCode(code) == TypeCode::INTEGER {
        let mut bytes = data;
        return match read_cell(Kind::Int32, &mut bytes).map_err(|failure| wire(py, &failure))? {
            Cell::Integer(number) => Ok(number.into_pyobject(py)?.into_any().unbind()),
            _ => Ok(py.None()),
        };
    }
    let kind = TypeDescription::new(TypeCode(code), length);
    let layout = Layout::new(&[Field { name: String::new(), kind }]);
    let mut converter = Converter::new(py, Codeset::Utf8, false, None)?;
    let kind = layout.columns.first().map_or(Kind::Varchar, |column| column.kind);
    let mut bytes = data;
    let cell = read_cell(kind, &mut bytes).map_err(|failure| wire(py, &failure))?;
    converter.object(py, cell, false, None)
}

/// The size in the status of a smart large object.
#[pyfunction]
pub(crate) fn lob_size(status: &[u8]) -> Option<u64> {
    mainstay_informix_driver::lob_size(status)
}

/// The bytes of a BIND with one value.
#[pyfunction]
pub(crate) fn encode<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let mut binder = Binder::new(Codeset::Utf8);
    bind(py, &mut binder, value, Codeset::Utf8)?;
    let row = binder.finish().map_err(|failure| wire(py, &failure))?;
    Ok(PyBytes::new(py, row.bytes()))
}

/// Text, marks and kind of a statement, for tests and tools.
#[pyfunction]
pub(crate) fn parse(text: &str) -> (String, Vec<usize>, String, Vec<String>, bool) {
    let statement = Statement::read(text);
    let ((positional, order), (named, names)) = (statement.positional(), statement.named());
    (positional, order, named, names, statement.verb == Verb::Query)
}
