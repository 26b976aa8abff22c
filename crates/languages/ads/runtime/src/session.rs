//! A session: one connection's statements, and the state between them.

use crate::answer::Source;
use crate::cursor::Cursor;
use crate::define::Temporary;
use crate::failure::{Failed, leaving, told};
use crate::functions::Functions;
use crate::modules::Modules;
use crate::procedures::Tables;
use crate::runner::{Caught, Runner, failed, program};
use crate::scope::{Values, now, type_of};
use crate::statement::step_of;
use crate::system_management::GoesOn;
use mainstay_ads_syntax::compile::is_plain;
use mainstay_ads_syntax::tree::StatementKind;
use mainstay_ads_syntax::{Parsed, SqlError, parse};
use mainstay_ads_types::native;
use mainstay_area_session::{Calls, Executed, Firing, Live, Outcome, Parameter, SqlSession, TransactionStep as Step};
use mainstay_engine::Database;
use mainstay_planner::{CancelHandle, FileReading, UserFunctions};
use mainstay_types::Timestamp;
use mainstay_vm::{Limits, Machine};
use mainstay_xbase::indexed::{IndexedTable, Transaction};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of a part of a statement.
pub(crate) type Result<T, E = Failed> = std::result::Result<T, E>;

/// One connection's session.
pub struct Session {
    inner: Inner,
    machine: Machine,
}

/// A session without its machine.
pub(crate) struct Inner {
    /// Kept, so that other connections find the same one.
    pub(crate) _database: Arc<Database>,
    pub(crate) core: mainstay_engine::Session,
    pub(crate) state: State,
    pub(crate) folder: PathBuf,
    pub(crate) temporary: Temporary,
    pub(crate) modules: Modules,
    pub(crate) functions: Arc<Functions>,
    /// The names that the dictionary has given to files.
    pub(crate) attached: Vec<String>,
    /// The program around the session.
    pub(crate) host: Host,
}

/// The program around a session: what system procedures ask it.
#[derive(Clone, Default)]
pub struct Host {
    /// Reports the activity of the server, for sessions of one.
    pub goes_on: Option<GoesOn>,
    /// The calls of the tables' interface, in programs that have them.
    pub calls: Option<Arc<dyn Calls>>,
}

/// The state of a session.
pub(crate) struct State {
    /// The user's name.
    pub(crate) user: String,
    /// The folder.
    pub(crate) folder: String,
    /// The program's name, as the program gives it.
    pub(crate) application: String,
    /// The time of the statement.
    pub(crate) now: Timestamp,
    /// The last number that an INSERT was given by the table; none before there was one.
    pub(crate) last_autoinc: Option<i64>,
    /// Number of rows that the last statement changed.
    pub(crate) update_count: u64,
    /// The values that the program gave for the text that runs.
    pub(crate) parameters: Values,
    /// The scripts, procedures and functions that run, the innermost last.
    pub(crate) frames: Vec<Frame>,
    /// The error that is handled, or was last.
    pub(crate) error: Caught,
    /// ADS_NTX, ADS_CDX, ADS_ADT or ADS_VFP: of new tables.
    pub(crate) table_type: u32,
    /// Time limit of a text, with all that follows from it.
    pub(crate) timeout: Option<Duration>,
    /// The deadline of the running text.
    pub(crate) deadline: Option<Instant>,
    /// True if a BEGIN TRANSACTION is open.
    pub(crate) in_transaction: bool,
    /// True if no statement may name a file outside the folder.
    pub(crate) stays_in_folder: bool,
    /// Tables and events that INSTEAD OF triggers are taking the place of.
    pub(crate) replacing: Vec<(String, String)>,
    /// Depth of the running change in its cascade.
    pub(crate) following: usize,
    /// The tables that the next routine sees.
    pub(crate) entering: Tables,
}

/// The state of a running routine.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) cursors: HashMap<String, Cursor>,
    /// The FROM items for the tables that only this routine sees.
    pub(crate) tables: Tables,
}

impl State {
    /// The innermost routine's frame.
    pub(crate) fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// An open cursor of the routine that runs.
    pub(crate) fn cursor(&self, name: &str) -> Option<&Cursor> {
        self.frames.last()?.cursors.get(name)
    }

    /// The same, to move it.
    ///
    /// Errors: 2220 when it is not open.
    pub(crate) fn open_cursor(&mut self, name: &str) -> Result<&mut Cursor> {
        let found = self.frames.last_mut().and_then(|frame| frame.cursors.get_mut(name));
        found.ok_or_else(|| SqlError::new(native::CURSOR_CLOSED, format!("Cursor is not open: {name}")))
    }
}

impl Inner {
    /// Looks at what others may have changed: modules, and the tables of the dictionary.
    pub(crate) fn refresh(&mut self) {
        let before = self.modules.version;
        self.modules.refresh();
        if self.modules.version == before {
            return;
        }
        let tables = self.modules.tables();
        // A table that the dictionary has renamed must not be found by its old name, for which no rights are checked.
        for name in std::mem::take(&mut self.attached) {
            if !tables.iter().any(|(known, _)| *known == name) {
                self.core.detach(&name);
            }
        }
        for (name, path) in tables {
            // A file that is not there is missed when its table is named.
            let _ = self.core.attach(&path, &name);
            self.attached.push(name);
        }
    }
}

impl Session {
    /// A session on a folder.
    pub fn new(database: Arc<Database>, folder: &Path, user: &str) -> Session {
        Session::nested(database, folder, user, None, 0)
    }

    /// A session on the tables of a dictionary, with the rights of its user.
    pub fn of_dictionary(
        database: Arc<Database>,
        folder: &Path,
        dictionary: Arc<mainstay_data_dictionary::Session>,
    ) -> Session {
        let user = dictionary.access.user.clone();
        Session::nested(database, folder, &user, Some(dictionary), 0)
    }

    /// A session for the functions that another one's statements call, which are so deep.
    pub(crate) fn nested(
        database: Arc<Database>,
        folder: &Path,
        user: &str,
        dictionary: Option<Arc<mainstay_data_dictionary::Session>>,
        depth: usize,
    ) -> Session {
        mainstay_ads_planner::register();
        let shared = (Arc::clone(&database), folder.to_owned());
        let functions = Arc::new(Functions::new(shared.0, shared.1, user, dictionary.clone(), depth));
        let mut core = database.session();
        core.set_functions(Arc::clone(&functions) as Arc<dyn UserFunctions>);
        // AdsShowDeleted is on until a program switches it off.
        core.set_show_deleted(true);
        core.set_file_reading(FileReading { fills_blanks: true, ..FileReading::AS_THEY_ARE });
        let state = State {
            user: user.to_owned(),
            folder: folder.display().to_string(),
            application: String::new(),
            now: now(),
            last_autoinc: None,
            update_count: 0,
            parameters: Values::new(),
            frames: Vec::new(),
            error: Caught::default(),
            table_type: 2,
            timeout: None,
            deadline: None,
            in_transaction: false,
            stays_in_folder: false,
            replacing: Vec::new(),
            following: 0,
            entering: Tables::new(),
        };
        let (folder, modules) = (folder.to_owned(), Modules::of(database.files(), folder, dictionary));
        let inner = Inner {
            _database: database,
            core,
            state,
            folder,
            temporary: Temporary::default(),
            modules,
            functions,
            attached: Vec::new(),
            host: Host::default(),
        };
        Session { inner, machine: Machine::new(Limits::default()) }
    }

    /// A handle with which another thread stops the running statement.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.inner.core.cancel_handle()
    }

    /// From here on no statement names a file outside the folder, or any may.
    pub(crate) fn stay_in_folder(&mut self, stays: bool) {
        self.inner.state.stays_in_folder = stays;
        self.inner.functions.stay_in_folder(stays);
    }

    /// Sets what the program around the session provides.
    pub fn set_host(&mut self, host: Host) {
        self.inner.functions.set_host(host.clone());
        self.inner.host = host;
    }

    /// The session and its machine.
    pub(crate) fn parts(&mut self) -> (&mut Inner, &mut Machine) {
        (&mut self.inner, &mut self.machine)
    }

    /// Says when what runs is to be ended.
    pub(crate) fn end_at(&mut self, deadline: Option<Instant>) {
        self.inner.state.deadline = deadline;
        self.inner.functions.end_at(deadline);
        self.machine.set_limits(Limits { deadline, ..Limits::default() });
    }

    /// Begins the time that a text may take.
    fn start_clock(&mut self) {
        let deadline = self.inner.state.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if deadline.is_some() || self.inner.state.deadline.is_some() {
            self.end_at(deadline);
        }
    }

    /// Has the session ready to run a text.
    fn begin(&mut self, parsed: &Parsed, parameters: &[Parameter]) -> Result<()> {
        self.start_clock();
        let state = &mut self.inner.state;
        state.now = now();
        state.parameters = bound(parsed, parameters)?;
        state.frames.clear();
        self.inner.refresh();
        Ok(())
    }

    fn run(&mut self, text: &str, parsed: &Parsed, parameters: &[Parameter]) -> Result<Outcome> {
        self.begin(parsed, parameters)?;
        if let [statement] = &parsed.statements[..]
            && is_plain(&parsed.statements)
            && !matches!(statement.kind, StatementKind::ExecuteProcedure(..) | StatementKind::ExecuteImmediate(_))
        {
            // The connection's tables take part in it.
            if let Some(step) = step_of(&statement.kind) {
                return Ok(Outcome { step: Some(step), ..Outcome::default() });
            }
            return self.inner.statement(&statement.kind, &Values::new());
        }
        let program = program("script", text, &parsed.statements)?;
        let mut runner = Runner { inner: &mut self.inner, outcome: Outcome::default() };
        let ran = self.machine.run(&mut runner, &program, &[]);
        let outcome = runner.outcome;
        ran.map_err(|raised| failed(&raised))?;
        Ok(outcome)
    }
}

/// The parameters of a text with the values that a program has given.
fn bound(parsed: &Parsed, parameters: &[Parameter]) -> Result<Values> {
    let mut values = Values::new();
    for (place, name) in parsed.parameters.iter().enumerate() {
        let is_mark = name.starts_with('?');
        let named = parameters.iter().find(|given| !is_mark && given.name.eq_ignore_ascii_case(name));
        let Some(given) = named.or(parameters.get(place)) else {
            return Err(SqlError::new(native::PARAMETER, format!("Parameter without a value: {name}")));
        };
        let key = if is_mark { name.clone() } else { format!(":{}", name.to_lowercase()) };
        values.insert(key, (given.value.clone(), type_of(&given.value)));
    }
    Ok(values)
}

impl SqlSession for Session {
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> mainstay_types::Result<Outcome> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        self.run(sql, &parsed, parameters).map_err(|error| leaving(&error, sql))
    }

    fn query(&mut self, sql: &str, parameters: &[Parameter]) -> mainstay_types::Result<Executed> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        if let [statement] = &parsed.statements[..]
            && let StatementKind::Query(query) = &statement.kind
            && is_plain(&parsed.statements)
        {
            let begun = self.begin(&parsed, parameters);
            let rows = begun.and_then(|()| self.inner.rows_of(query)).map_err(|error| leaving(&error, sql))?;
            if let Some(rows) = rows {
                return Ok(Executed::Rows(Box::new(Source { rows, text: sql.to_owned() })));
            }
        }
        self.run(sql, &parsed, parameters).map(Executed::Done).map_err(|error| leaving(&error, sql))
    }

    fn prepare(&mut self, sql: &str) -> mainstay_types::Result<Vec<String>> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        let shown = |name: String| if name.starts_with('?') { String::new() } else { name };
        Ok(parsed.parameters.into_iter().map(shown).collect())
    }

    fn set_read_only(&mut self) {
        self.inner.core.set_read_only(true);
    }

    fn set_table_type(&mut self, table_type: u32) {
        self.inner.state.table_type = table_type;
    }

    fn set_show_deleted(&mut self, shows: bool) {
        self.inner.core.set_show_deleted(shows);
        self.inner.functions.show_deleted(shows);
    }

    fn set_timeout(&mut self, seconds: u32) {
        self.inner.state.timeout = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    }

    fn transaction(&mut self, step: &Step) -> mainstay_types::Result<()> {
        self.end_at(None);
        self.inner.step(step).map_err(|error| leaving(&error, ""))
    }

    fn join(&mut self, transaction: &Transaction) -> mainstay_types::Result<bool> {
        self.inner.core.join_tables(transaction).map(|()| true)
    }

    fn live(&mut self, sql: &str, parameters: &[Parameter]) -> mainstay_types::Result<Option<Live>> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        self.begin(&parsed, parameters).map_err(|error| leaving(&error, sql))?;
        self.inner.live(&parsed).map_err(|error| leaving(&error, sql))
    }

    fn members(&mut self, query: &str, record: Option<u32>) -> mainstay_types::Result<Vec<u32>> {
        self.start_clock();
        self.inner.members(query, record).map_err(|error| leaving(&error, ""))
    }

    fn fire(&mut self, firing: &Firing) -> mainstay_types::Result<()> {
        self.end_at(None);
        self.inner.state.now = now();
        self.inner.refresh();
        self.inner.fire_outside(firing).map_err(|error| told(&error))
    }

    fn with_tables(
        &mut self,
        work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>,
    ) -> mainstay_types::Result<()> {
        self.inner.core.with_open_tables(work)
    }
}
