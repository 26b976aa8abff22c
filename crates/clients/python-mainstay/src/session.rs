//! A connection's session as an object of Python.
//!
//! Calls are serialised: a thread that comes while another one works waits, without the GIL. Rows own what they read, so that
//! a result may be read while the session runs other statements.

use crate::arrow_import;
use crate::catalog;
use crate::chain::{self, Link};
use crate::dialects::{Arguments, Dialect};
use crate::failure::{Class, Fault};
use crate::from_python::arguments;
use crate::load;
use crate::opened::{Opened, Settings};
use crate::result_set::ResultSet;
use crate::worker::{Watcher, Worker};
use arrow_array::RecordBatchReader;
use mainstay_engine::{Progress, backup};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a backup waits for the locks of a table.
const BACKUP_WAIT: Duration = Duration::from_secs(10);

type Shared = Arc<Mutex<Option<Box<dyn Dialect>>>>;

/// A session of a dialect over a folder.
#[pyclass(module = "mainstay._native", frozen)]
pub(crate) struct Session {
    dialect: Shared,
    worker: Arc<Worker>,
    progress: Option<Arc<Progress>>,
    opened: Arc<Mutex<Option<Arc<Opened>>>>,
    read_only: bool,
    /// The process that has opened the folder: a child after `fork` has none of its threads.
    process: u32,
}

impl Session {
    /// Does work with the session.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Dialect) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        self.with_place(py, |place| match place.as_mut() {
            Some(dialect) => work(dialect.as_mut()),
            None => Err(closed()),
        })
    }

    /// Does work with the place of the session, which is empty once the session is closed.
    ///
    /// Errors: `InterfaceError` after `fork`, and for a call of code that makes rows for a statement of this session.
    fn with_place<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<Box<dyn Dialect>>) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        if std::process::id() != self.process {
            let message = "the connection belongs to the process before fork: connect in this one";
            return Err(Fault::new(Class::Interface, message).raise(py));
        }
        let dialect = Arc::clone(&self.dialect);
        let key = Arc::as_ptr(&dialect) as usize;
        if chain::includes(key) {
            let message = "the connection is waiting for these rows: make them with another connection, or before";
            return Err(Fault::new(Class::Interface, message).raise(py));
        }
        self.worker.run(py, move |turn| {
            let _link = Link::to(key);
            let mut dialect = dialect.lock().unwrap_or_else(PoisonError::into_inner);
            turn.begin()?;
            work(&mut dialect)
        })
    }

    /// Does work with a session of the engine: the connection's own, or in other dialects one for this work alone, which is
    /// a transaction of its own.
    fn with_core<T: Send + 'static>(
        &self,
        py: Python<'_>,
        kind: Kind,
        autocommit: bool,
        work: impl FnOnce(&mut mainstay_engine::Session) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        let (database, read_only) = (self.opened(py)?.database.clone(), self.read_only);
        self.with(py, move |dialect| {
            if dialect.core().is_some() {
                begin_for(dialect, "insert", autocommit)?;
                return dialect.core().map_or_else(|| Err(closed()), work);
            }
            if kind == Kind::Temporary {
                let message = "temporary tables of objects are for connections with dialect=\"core\"";
                return Err(Fault::new(Class::NotSupported, message));
            }
            if dialect.is_in_transaction() {
                let message = "the rows would be in a transaction of their own: commit the open one first";
                return Err(Fault::new(Class::NotSupported, message));
            }
            let mut session = database.session();
            session.set_read_only(read_only);
            work(&mut session)
        })
    }

    fn opened(&self, py: Python<'_>) -> PyResult<Arc<Opened>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        opened.ok_or_else(|| closed().raise(py))
    }
}

/// The table that rows go to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shared,
    Temporary,
}

fn closed() -> Fault {
    Fault::new(Class::Interface, "the connection is closed")
}

/// Begins a transaction before a statement that changes something, unless each statement is one.
fn begin_for(dialect: &mut dyn Dialect, text: &str, autocommit: bool) -> Result<(), Fault> {
    match autocommit || dialect.is_in_transaction() || !dialect.needs_transaction(text) {
        true => Ok(()),
        false => dialect.begin(),
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (path, dialect, read_only=false, memory_limit=None, timeout=None, threads=None, code_page=None))]
    #[allow(clippy::too_many_arguments, reason = "the arguments of connect")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        dialect: String,
        read_only: bool,
        memory_limit: Option<u64>,
        timeout: Option<f64>,
        threads: Option<usize>,
        code_page: Option<String>,
    ) -> PyResult<Session> {
        let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout =
            timeout.map_err(|_| Fault::new(Class::Interface, "the timeout is no length of time").raise(py))?;
        let settings = Settings { read_only, memory_limit_bytes: memory_limit, threads, timeout, code_page };
        let opened = py.detach(|| {
            let opened = Opened::open(&path, dialect == "ads", &settings)?;
            let session = opened.session(&dialect, &settings)?;
            Ok((opened, session))
        });
        let (opened, (session, timeout)) = opened.map_err(|fault: Fault| fault.raise(py))?;
        let worker = Arc::new(Worker::new(session.canceller(), timeout));
        let progress = session.progress();
        let dialect = Arc::new(Mutex::new(Some(session)));
        let (opened, process) = (Arc::new(Mutex::new(Some(opened))), std::process::id());
        Ok(Session { dialect, worker, progress, opened, read_only, process })
    }

    /// Runs the statements of a text.
    #[pyo3(signature = (text, parameters=None, autocommit=true))]
    fn run(
        &self,
        py: Python<'_>,
        text: String,
        parameters: Option<&Bound<'_, PyAny>>,
        autocommit: bool,
    ) -> PyResult<Vec<ResultSet>> {
        let given = arguments(py, parameters)?;
        let outputs = self.with(py, move |dialect| {
            begin_for(dialect, &text, autocommit)?;
            dialect.run(&text, &given)
        })?;
        Ok(outputs.into_iter().map(|output| ResultSet::new(&self.worker, output)).collect())
    }

    /// Runs one statement for each of these parameters: rows that were changed.
    fn run_many(
        &self,
        py: Python<'_>,
        text: String,
        rows: &Bound<'_, PyAny>,
        autocommit: bool,
    ) -> PyResult<Option<u64>> {
        let row = |row: PyResult<Bound<'_, PyAny>>| arguments(py, Some(&row?));
        let rows = rows.try_iter()?.map(row).collect::<PyResult<Vec<Arguments>>>()?;
        self.with(py, move |dialect| {
            begin_for(dialect, &text, autocommit)?;
            dialect.run_many(&text, &rows)
        })
    }

    /// Calls a procedure.
    #[pyo3(signature = (procedure, parameters=None, autocommit=true))]
    fn call(
        &self,
        py: Python<'_>,
        procedure: String,
        parameters: Option<&Bound<'_, PyAny>>,
        autocommit: bool,
    ) -> PyResult<Vec<ResultSet>> {
        let given = arguments(py, parameters)?;
        let outputs = self.with(py, move |dialect| {
            begin_for(dialect, "execute", autocommit)?;
            dialect.call(&procedure, &given)
        })?;
        Ok(outputs.into_iter().map(|output| ResultSet::new(&self.worker, output)).collect())
    }

    fn begin(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |dialect| dialect.begin())
    }

    /// Commits the open transaction, if there is one.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |dialect| if dialect.is_in_transaction() { dialect.commit() } else { Ok(()) })
    }

    /// Rolls the open transaction back, if there is one.
    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |dialect| if dialect.is_in_transaction() { dialect.rollback() } else { Ok(()) })
    }

    fn in_transaction(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |dialect| Ok(dialect.is_in_transaction()))
    }

    /// Ends the running statement, from any thread.
    fn interrupt(&self) {
        self.worker.cancel();
    }

    /// Rows and bytes read by the running statement, and how many there are to read.
    fn progress(&self) -> Option<(u64, Option<u64>, u64, Option<u64>)> {
        let progress = self.progress.as_ref()?;
        Some((progress.rows(), progress.rows_total(), progress.bytes(), progress.bytes_total()))
    }

    /// Has a function called without arguments while statements run, every so many seconds.
    ///
    /// `ended` is called behind the last of these calls, once the statement has ended.
    #[pyo3(signature = (callback, interval=0.1, ended=None))]
    fn watch(
        &self,
        py: Python<'_>,
        callback: Option<Py<PyAny>>,
        interval: f64,
        ended: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let interval = Duration::try_from_secs_f64(interval);
        let interval =
            interval.map_err(|_| Fault::new(Class::Interface, "the interval is no length of time").raise(py))?;
        self.worker.watch(callback.map(|callback| Watcher { callback, ended, interval }));
        Ok(())
    }

    /// Creates a table for the rows of an object, and appends them: how many there were.
    #[pyo3(signature = (table, rows, temporary=false, replace=false, autocommit=true))]
    fn create_table(
        &self,
        py: Python<'_>,
        table: String,
        rows: &Bound<'_, PyAny>,
        temporary: bool,
        replace: bool,
        autocommit: bool,
    ) -> PyResult<u64> {
        let reader = arrow_import::stream(py, rows)?;
        let create = load::create_statement(&table, &reader.schema(), temporary);
        let create = create.map_err(|fault| fault.raise(py))?;
        let kind = if temporary { Kind::Temporary } else { Kind::Shared };
        self.with_core(py, kind, autocommit, move |session| {
            load::created(session, &table, (&create, replace), Box::new(reader))
        })
    }

    /// Appends the rows of an object to a table: how many there were.
    fn append(&self, py: Python<'_>, table: String, rows: &Bound<'_, PyAny>, autocommit: bool) -> PyResult<u64> {
        let reader = arrow_import::stream(py, rows)?;
        self.with_core(py, Kind::Shared, autocommit, move |session| load::append(session, &table, Box::new(reader)))
    }

    /// The definitions of native tables, views and sequences: those of everybody, and the session's temporary ones.
    fn definitions<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Option<Bound<'py, PyDict>>)> {
        let database = self.opened(py)?.database.clone();
        let found = self.with(py, move |dialect| {
            Ok(dialect.core().map_or_else(|| database.session().definitions(), |session| session.definitions()))
        })?;
        let temporary = found.temporary.map(|temporary| catalog::shown(py, &temporary)).transpose()?;
        Ok((catalog::shown(py, &found.shared)?, temporary))
    }

    /// The tables that are files of the folder.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let database = self.opened(py)?.database.clone();
        let files = self.worker.run(py, move |turn| {
            turn.begin()?;
            catalog::file_tables(&mut database.session())
        })?;
        catalog::shown_files(py, &files)
    }

    /// Writes a backup of the folder to a file.
    fn backup(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        let database = self.opened(py)?.database.clone();
        self.worker.run(py, move |turn| {
            turn.begin()?;
            let taken = backup::take(&database, &file, BACKUP_WAIT);
            taken.map(drop).map_err(|error| Fault::of_core(&error, ""))
        })
    }

    /// Ends the session: what is open is rolled back. Results that are being read stay readable.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if std::process::id() != self.process {
            return Ok(());
        }
        let opened = Arc::clone(&self.opened);
        self.with_place(py, move |place| {
            drop(place.take());
            drop(opened.lock().unwrap_or_else(PoisonError::into_inner).take());
            Ok(())
        })
    }
}
