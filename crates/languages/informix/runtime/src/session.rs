//! A session: a client's statements and its transaction.

use crate::databases::{Databases, Home, no_database};
use crate::explain::{Explaining, explained, plan_of};
use crate::failure::{DATABASE, IN_TRANSACTION, NOT_IN_TRANSACTION, of_core, of_syntax, plain};
use crate::functions::Functions;
use crate::modules::{Modules, Shared};
use crate::routines::{Ready, call_numbered, number_of_call, shape};
use crate::rows::{CoreRows, CurrentRow, KeptRows, NumberedRows};
use crate::scope::{Facts, KnownColumns, Names, core_columns};
use crate::statement::{Planned, Prepared, has_target, temporary_table_of};
use crate::stopping::{CurrentStopping, Stopping};
use crate::synonyms;
use crate::triggers::ReadyTrigger;
use mainstay_engine::activity::SessionInfo;
use mainstay_engine::{Entered, Prepared as CorePrepared, Session as Core};
use mainstay_informix_syntax::Type;
use mainstay_informix_syntax::reduce::{self, Scope, quoted};
use mainstay_informix_syntax::tree::{Expr, Insert, InsertRows, Literal, Statement as Tree};
use mainstay_planner::UserFunctions;
use mainstay_session::{
    Called, Cancel, Column, Done, Failure, Login, Prepared as Described, Ran, RoutineShape, Session, StatementId,
    TransactionStep,
};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vm::Machine;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

/// A session of Informix SQL.
pub(crate) struct InformixSession {
    pub core: Core,
    known: KnownColumns,
    pub facts: Facts,
    pub shared: Shared,
    pub modules: Modules,
    /// This session's transaction has changed routines or triggers.
    pub has_changed_modules: bool,
    /// Routines and triggers that are ready to run, by their keys.
    pub programs: HashMap<String, Arc<Ready>>,
    pub triggers: HashMap<String, Arc<ReadyTrigger>>,
    /// Statements of routines, by program and number.
    pub routine_statements: HashMap<(u64, usize), Prepared>,
    /// The cursors of routines that WHERE CURRENT OF may name, the innermost last.
    pub open_cursors: Vec<(String, CurrentRow)>,
    pub globals: HashMap<String, (Type, Value)>,
    pub functions: Arc<Functions>,
    pub machine: Option<Machine>,
    pub stopping: Arc<Stopping>,
    /// How many runs of the machine stand around each other.
    pub depth: usize,
    /// The session runs functions of another one's queries.
    is_beside: bool,
    /// SQLCODE of the last statement of a routine.
    pub sql_code: i32,
    pub statements: HashMap<StatementId, Prepared>,
    /// The statements of named cursors.
    pub cursors: HashMap<String, StatementId>,
    /// The file that plans are written to, after SET EXPLAIN.
    pub explaining: Option<Explaining>,
    /// A warning of the last statement, for the client.
    pub warning: Option<String>,
    /// DELIMIDENT: `"x"` is a name.
    pub delimited_names: bool,
    pub next: u64,
    /// The databases that it may change to; none for functions of another session's queries.
    pub home: Option<Home>,
    pub canceller: Arc<CurrentStopping>,
    /// Lists the session while it is open; none for functions of another session's queries.
    entered: Option<Entered>,
}

impl InformixSession {
    /// Begins a session. As on every server, a lock that another session holds is not waited for until SET LOCK MODE says
    /// so.
    pub(crate) fn new(
        shared: Shared,
        login: &Login,
        name: String,
        server: String,
        version: String,
    ) -> Result<InformixSession, Failure> {
        let entered = shared.database.enter_session(SessionInfo {
            door: "sqli",
            number: 0,
            user: login.user.clone(),
            program: login.application.clone(),
            machine: login.address.clone(),
            since: SystemTime::now(),
            locks: Vec::new(),
            transaction: None,
        });
        let user = login.user.to_lowercase();
        let facts = Facts { user, database: name, server, version, last_serial: 0, last_rows: 0 };
        let mut session = InformixSession::of(shared, facts, 0, None)?;
        entered.follow(&session.core);
        session.entered = Some(entered);
        let is_read_only = login.read_only || session.core.is_read_only();
        session.core.set_read_only(is_read_only);
        login.environment.iter().for_each(|(name, value)| session.set_variable(name, value));
        Ok(session)
    }

    /// A session that so many functions of queries stand around, and that ends with the session of the outermost one.
    pub(crate) fn of(
        shared: Shared,
        facts: Facts,
        around: usize,
        outer: Option<Arc<Stopping>>,
    ) -> Result<InformixSession, Failure> {
        let mut core = shared.database.session();
        core.set("lock_timeout", NOT_WAIT).map_err(|error| of_core(&error, false))?;
        let stopping = outer.unwrap_or_else(|| Arc::new(Stopping::new(core.cancel_handle())));
        core.end_with(stopping.core());
        let canceller = Arc::new(CurrentStopping::new(Arc::clone(&stopping)));
        let functions = Arc::new(Functions::new(shared.clone(), facts.clone(), around, Arc::clone(&stopping)));
        core.set_functions(Arc::clone(&functions) as Arc<dyn UserFunctions>);
        Ok(InformixSession {
            core,
            known: KnownColumns::default(),
            facts,
            shared,
            modules: Modules::default(),
            has_changed_modules: false,
            programs: HashMap::new(),
            triggers: HashMap::new(),
            routine_statements: HashMap::new(),
            open_cursors: Vec::new(),
            globals: HashMap::new(),
            functions,
            machine: None,
            stopping,
            depth: 0,
            is_beside: around > 0,
            sql_code: 0,
            statements: HashMap::new(),
            cursors: HashMap::new(),
            explaining: None,
            warning: None,
            delimited_names: false,
            next: 1,
            home: None,
            canceller,
            entered: None,
        })
    }

    pub(crate) fn names(&mut self) -> Names<'_> {
        let (core, known) = (RefCell::new(&mut self.core), RefCell::new(&mut self.known));
        let has_read_catalog = Cell::new(false);
        Names { core, known, facts: &self.facts, modules: &self.modules, has_read_catalog }
    }

    /// Runs a statement of the core and gives how many rows it changed.
    fn core(&mut self, text: &str) -> Result<u64, Failure> {
        let mut answer = self.core.execute(text).map_err(|error| of_core(&error, false))?;
        while answer.next_batch().map_err(|error| of_core(&error, false))?.is_some() {}
        Ok(answer.changed().unwrap_or(0))
    }

    /// Writes the plan of a statement that is about to run, after SET EXPLAIN; true if it shall not run.
    ///
    /// A file that cannot be written turns SET EXPLAIN off, with a warning.
    ///
    /// Errors: such a file with AVOID_EXECUTE, where statements must not begin to run.
    fn explain(&mut self, statement: &Prepared, values: &[Value]) -> Result<bool, Failure> {
        let Some(explaining) = self.explaining.clone() else { return Ok(false) };
        let explained = explained(statement, values, &self.names());
        let plan = explained.and_then(|text| text.map_or(Ok(Vec::new()), |text| plan_of(&mut self.core, &text)));
        let plan = plan.unwrap_or_else(|failure| vec![format!("no plan: {failure}")]);
        match explaining.append(&self.shared.database, &statement.text, &plan) {
            Err(failure) if explaining.avoids_execution => return Err(failure),
            Err(failure) => {
                self.explaining = None;
                self.warning =
                    Some(format!("SET EXPLAIN is turned off, its file cannot be written: {}", failure.message));
            }
            Ok(()) => {}
        }
        Ok(explaining.avoids_execution)
    }

    /// Runs a query or a change that the core has prepared.
    pub(crate) fn run_prepared(&mut self, statement: &mut Prepared, values: &[Value]) -> Result<Ran, Failure> {
        let is_query = matches!(statement.tree, Tree::Query(_));
        if self.is_beside && !is_query {
            return Err(plain(-675, "Illegal SQL statement in SPL routine: a function of a query changes no rows."));
        }
        if self.explain(statement, values)? {
            return Ok(if is_query {
                Ran::Rows(Box::new(KeptRows::new(Vec::new())))
            } else {
                Ran::Done(Done::default())
            });
        }
        let fired = if is_query { Vec::new() } else { self.fired(&statement.tree)? };
        let (mut values, defaults) = statement.converted(values)?;
        // The core counts parameters up to the last one that its text has.
        while defaults.contains(&values.len()) {
            values.pop();
        }
        values.extend(self.current_row(&statement.tree)?.map(Value::Integer));
        if !fired.is_empty() {
            let rows = self.change_with_triggers(statement, &values, &defaults, &fired)?;
            return Ok(Ran::Done(self.changed(statement, rows, &values, &defaults)));
        }
        // Rows are locked for a transaction; outside of one there is nothing to hold them for.
        let locks = statement.current.is_some() && self.core.is_in_transaction();
        let serves = |ready: &Planned| ready.defaults == defaults && ready.locks == locks && !ready.has_catalog_rows;
        if !statement.core.as_ref().is_some_and(serves) {
            let (prepared, has_catalog_rows) = self.prepare_core(statement, &defaults, locks)?;
            statement.core = Some(Planned { defaults, locks, has_catalog_rows, prepared });
        }
        let Some(Planned { defaults, prepared, .. }) = &mut statement.core else {
            return Err(plain(-404, "the statement is not prepared"));
        };
        let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let is_delete = matches!(statement.tree, Tree::Delete(_));
        if is_query {
            let answer = prepared.query_arrow(&mut self.core, &given).map_err(|error| of_core(&error, false))?;
            let rows = CoreRows::new(answer);
            return Ok(Ran::Rows(match &statement.current {
                Some(current) => Box::new(NumberedRows::new(rows, current.clone())),
                None => Box::new(rows),
            }));
        }
        let rows = prepared.execute(&mut self.core, &given).map_err(|error| of_core(&error, is_delete))?;
        let defaults = defaults.clone();
        Ok(Ran::Done(self.changed(statement, rows, &values, &defaults)))
    }

    /// Runs a statement that is prepared.
    ///
    /// Errors: those of the statement.
    pub(crate) fn run_statement(&mut self, statement: &mut Prepared, parameters: &[Value]) -> Result<Ran, Failure> {
        match &statement.tree {
            Tree::Query(query) if has_target(&query.body) => {
                let tree = match &statement.variables {
                    Some(types) => reduce::with_values(&statement.tree, parameters, types),
                    None => statement.tree.clone(),
                };
                self.other(&tree, &statement.text).map(Ran::Done)
            }
            _ if parameters.len() < statement.parameters.len() => {
                Err(plain(-254, "Too many or too few host variables given."))
            }
            Tree::Execute(call) => self.execute_call(call, parameters),
            Tree::Insert(insert) => match &insert.rows {
                InsertRows::Call(call) => self.insert_rows_of(insert, call, parameters),
                _ => self.run_prepared(statement, parameters),
            },
            Tree::Query(_) | Tree::Update(_) | Tree::Delete(_) | Tree::Merge(_) => {
                self.run_prepared(statement, parameters)
            }
            tree => self.other(tree, &statement.text).map(Ran::Done),
        }
    }

    /// Prepares a statement in the core: the statement, and whether it contains rows of the system catalog. The rows of a query that the core cannot lock, such as one of a file's table, are
    /// read without.
    fn prepare_core(
        &mut self,
        statement: &Prepared,
        defaults: &[usize],
        locks: bool,
    ) -> Result<(CorePrepared, bool), Failure> {
        let names = self.names();
        let text = statement.reduced(statement.mode(defaults), locks, &names)?.unwrap_or_default();
        let has_catalog_rows = names.has_read_catalog.get();
        match self.core.prepare(&text) {
            Err(error) if locks && error.code() == Code::Unsupported => self.prepare_core(statement, defaults, false),
            prepared => prepared.map(|prepared| (prepared, has_catalog_rows)).map_err(|error| of_core(&error, false)),
        }
    }

    /// The number that the SERIAL column of the last new row has: given by the statement, or by the table.
    pub(crate) fn generated(&mut self, insert: &Insert, values: &[Value], defaults: &[usize]) -> Option<i64> {
        let table = self.names().core_name(&insert.target);
        let columns = core_columns(&mut self.core, &mut self.known, &table)?;
        let serial = columns.iter().position(|(_, known)| known.is_serial())?;
        let place = match insert.columns.is_empty() {
            true => Some(serial),
            false => insert.columns.iter().position(|name| name.is(&columns[serial].0)),
        };
        let given = match (&insert.rows, place) {
            (InsertRows::Values(row), Some(place)) => match row.get(place) {
                Some(Expr::Literal(Literal::Integer(digits))) => digits.parse().ok(),
                Some(Expr::Variable(name)) => {
                    let number: usize = name.text.trim_start_matches('?').parse().unwrap_or(0);
                    match values.get(number.wrapping_sub(1)) {
                        Some(Value::Integer(value)) if !defaults.contains(&number) => Some(*value),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        };
        match given.filter(|given| *given != 0) {
            Some(given) => Some(given),
            None => self.core.last_identity(&table).ok().flatten(),
        }
    }

    /// Runs a definition or a setting.
    fn other(&mut self, tree: &Tree, text: &str) -> Result<Done, Failure> {
        let syntax = |error: Box<mainstay_informix_syntax::SqlError>| of_syntax(&error, text);
        let reduced = match tree {
            Tree::CreateTable(table) => vec![reduce::create_table(table, &self.names()).map_err(syntax)?],
            Tree::AlterTable(name, actions) => reduce::alter_table(name, actions, &self.names()).map_err(syntax)?,
            Tree::Drop(kind, name, if_exists) if kind == "SYNONYM" => synonyms::drop(name, *if_exists, &self.names())?,
            Tree::Drop(kind, name, if_exists) => {
                let text = reduce::drop(kind, name, *if_exists, &self.names());
                self.core(&text)?;
                if matches!(kind.as_str(), "TABLE" | "VIEW") {
                    self.table_changed(name.last(), None)?;
                }
                return Ok(Done::default());
            }
            Tree::CreateSynonym(name, table, if_not_exists) => {
                synonyms::create(name, table, *if_not_exists, &self.names())?
            }
            Tree::CreateRoutine(routine) => return self.create_routine(routine, text),
            Tree::DropRoutine(drop) => return self.drop_routine(drop),
            Tree::CreateTrigger(trigger) => return self.create_trigger(trigger, text),
            Tree::DropTrigger(name, if_exists) => return self.drop_trigger(name, *if_exists),
            Tree::SetTriggers(names, table, is_enabled) => {
                return self.set_triggers(names, table.as_ref(), *is_enabled);
            }
            Tree::CreateIndex(index) => vec![reduce::create_index(index, &self.names())],
            Tree::CreateView(name, columns, query) => {
                vec![reduce::create_view(name, columns, query, &self.names()).map_err(syntax)?]
            }
            Tree::CreateSequence(name, options) => vec![reduce::create_sequence(name, options)],
            Tree::Truncate(name) => vec![format!("TRUNCATE TABLE {}", quoted(&self.names().core_name(name)))],
            Tree::RenameTable(name, new) => {
                let text = reduce::rename_table(name, new, &self.names());
                self.core(&text)?;
                self.table_changed(name.last(), Some(&new.text))?;
                return Ok(Done::default());
            }
            // Users have no rights of their own yet: those that are given and taken have no effect.
            Tree::Rights(_, Some(table)) if !self.names().is_there(table) => {
                return Err(synonyms::no_table(table.last()));
            }
            Tree::Rights(..) => return Ok(Done { has_no_effect: true, ..Done::default() }),
            Tree::RenameColumn(name, new) => vec![reduce::rename_column(name, new, &self.names())],
            Tree::Query(query) => vec![temporary_table_of(query, &self.names()).map_err(syntax)?],
            other => return self.setting(other),
        };
        let mut rows = 0;
        for text in reduced {
            rows = self.core(&text)?;
        }
        Ok(Done { rows, ..Done::default() })
    }

    fn setting(&mut self, tree: &Tree) -> Result<Done, Failure> {
        let set =
            |core: &mut Core, name: &str, value: &str| core.set(name, value).map_err(|error| of_core(&error, false));
        match tree {
            Tree::Begin => self.transaction(&TransactionStep::Begin)?,
            Tree::Commit => self.transaction(&TransactionStep::Commit)?,
            Tree::Rollback(None) => self.transaction(&TransactionStep::Rollback)?,
            Tree::Rollback(Some(name)) => self.transaction(&TransactionStep::RollbackTo(name.text.clone()))?,
            Tree::Savepoint(name) => self.transaction(&TransactionStep::Savepoint(name.text.clone()))?,
            Tree::ReleaseSavepoint(name) => self.transaction(&TransactionStep::Release(name.text.clone()))?,
            Tree::Database(name) => self.use_database(&name.text)?,
            Tree::CreateDatabase(name, if_not_exists) => create_database(self, &name.text, *if_not_exists)?,
            Tree::DropDatabase(name, if_exists) => drop_database(self, &name.text, *if_exists)?,
            // It writes a file, even where no plan follows.
            Tree::Explain(_) if self.core.is_read_only() => {
                return Err(plain(-273, "No UPDATE permission: SET EXPLAIN writes a file."));
            }
            Tree::Explain(explain) => {
                self.explaining = Explaining::after(explain, self.explaining.as_ref(), &self.shared.database)?;
            }
            Tree::Isolation(words) => {
                let level = if words.starts_with("REPEATABLE") { "serializable" } else { "read committed" };
                set(&mut self.core, "isolation", level)?;
            }
            Tree::LockMode(Some(0)) => set(&mut self.core, "lock_timeout", NOT_WAIT)?,
            Tree::LockMode(Some(seconds)) => set(&mut self.core, "lock_timeout", &seconds.to_string())?,
            Tree::LockMode(None) => set(&mut self.core, "lock_timeout", "0")?,
            _ => {}
        }
        Ok(Done::default())
    }
}

/// Begins a session of one of the databases of a server.
///
/// Errors: those of the database.
pub(crate) fn session_of(home: &Home, shared: Shared, name: &str) -> Result<InformixSession, Failure> {
    let Databases { server, version, .. } = &*home.databases;
    let mut session = InformixSession::new(shared, &home.login, name.to_owned(), server.clone(), version.clone())?;
    session.home = Some(home.clone());
    Ok(session)
}

/// DATABASE: changes to the database of a name. Cursors and prepared statements end with the database before it.
///
/// Errors: -329; -377 within a transaction; those of beginning a session.
fn change_database(session: &mut InformixSession, name: &str) -> Result<(), Failure> {
    let wanted = name.split('@').next().unwrap_or(name).trim().to_lowercase();
    if wanted == session.facts.database || wanted == "sysmaster" {
        return Ok(());
    }
    let home = session.home.clone().ok_or_else(|| no_database(&wanted))?;
    let shared = home.databases.find(&wanted)?.ok_or_else(|| no_database(&wanted))?;
    leaves_no_transaction(session)?;
    let mut other = session_of(&home, shared, &wanted)?;
    other.next = session.next;
    other.delimited_names = session.delimited_names;
    // The door keeps the canceller that it was given at the login.
    other.canceller = Arc::clone(&session.canceller);
    other.canceller.change(&other.stopping);
    *session = other;
    Ok(())
}

/// -377: the transaction has to end before the database.
fn leaves_no_transaction(session: &InformixSession) -> Result<(), Failure> {
    match session.core.is_in_transaction() {
        true => Err(plain(-377, "Must terminate transaction before closing database.")),
        false => Ok(()),
    }
}

/// The databases of the server, for a user who may create and drop them.
fn databases_to_change(session: &InformixSession, name: &str) -> Result<Home, Failure> {
    if session.core.is_read_only() {
        return Err(plain(-388, "No resource permission."));
    }
    session.home.clone().ok_or_else(|| no_database(name))
}

/// CREATE DATABASE, which becomes the current one.
fn create_database(session: &mut InformixSession, name: &str, if_not_exists: bool) -> Result<(), Failure> {
    let name = name.to_lowercase();
    let home = databases_to_change(session, &name)?;
    let is_there = if_not_exists && home.databases.names()?.contains(&name);
    leaves_no_transaction(session)?;
    if !is_there {
        home.databases.create(&name)?;
    }
    change_database(session, &name)
}

/// DROP DATABASE.
fn drop_database(session: &InformixSession, name: &str, if_exists: bool) -> Result<(), Failure> {
    let name = name.to_lowercase();
    let home = databases_to_change(session, &name)?;
    match home.databases.drop_database(&name) {
        Err(failure) if if_exists && failure.number == DATABASE => Ok(()),
        dropped => dropped,
    }
}

/// The shortest time that a lock can be waited for: SET LOCK MODE TO NOT WAIT.
const NOT_WAIT: &str = "1ms";

impl Session for InformixSession {
    fn use_database(&mut self, name: &str) -> Result<(), Failure> {
        change_database(self, name)
    }

    fn databases(&mut self) -> Result<Vec<String>, Failure> {
        let all = self.home.as_ref().map_or_else(|| Ok(Vec::new()), |home| home.databases.names())?;
        let own = self.facts.database.clone();
        let others = all.into_iter().filter(|name| *name != own);
        Ok([own.clone()].into_iter().chain(others).chain(["sysmaster".to_owned()]).collect())
    }

    fn prepare(&mut self, text: &str) -> Result<Described, Failure> {
        let delimited_names = self.delimited_names;
        self.stopping.end();
        self.refresh()?;
        let names = self.names();
        let prepared = Prepared::new(text, delimited_names, &names)?;
        let columns = prepared.columns(&names)?;
        let parameters = prepared.parameters.iter().map(|known| crate::rows::column("", *known, true)).collect();
        let id = StatementId(self.next);
        self.next += 1;
        let kind = prepared.kind();
        self.statements.insert(id, prepared);
        Ok(Described { id, kind, columns, parameters })
    }

    fn generated_column(&mut self, id: StatementId) -> Option<(usize, Column)> {
        let Tree::Insert(insert) = &self.statements.get(&id)?.tree else { return None };
        let target = insert.target.clone();
        let columns = self.names().columns(&target)?;
        let place = columns.iter().position(|(_, known)| known.is_serial())?;
        let (name, known) = columns.get(place)?;
        Some((place + 1, crate::rows::column(name, *known, false)))
    }

    fn execute(&mut self, id: StatementId, parameters: &[Value]) -> Result<Ran, Failure> {
        let Some(mut statement) = self.statements.remove(&id) else {
            return Err(plain(-404, "the statement is not prepared"));
        };
        self.stopping.begin(self.core.timeout());
        let ran = self.refresh().and_then(|()| self.run_statement(&mut statement, parameters));
        self.stopping.end();
        self.statements.insert(id, statement);
        ran
    }

    fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }

    fn routine_of(&mut self, id: StatementId) -> Option<u32> {
        match &self.statements.get(&id)?.tree {
            Tree::Execute(call) => number_of_call(self, call),
            _ => None,
        }
    }

    fn routine(&mut self, number: u32) -> Result<RoutineShape, Failure> {
        shape(self, number)
    }

    fn call_routine(&mut self, number: u32, values: &[Value]) -> Result<Called, Failure> {
        self.stopping.begin(self.core.timeout());
        let called = match self.refresh() {
            Ok(()) => call_numbered(self, number, values),
            Err(failure) => Err(failure),
        };
        self.stopping.end();
        called
    }

    fn release(&mut self, id: StatementId) {
        self.statements.remove(&id);
        self.cursors.retain(|_, statement| *statement != id);
    }

    fn transaction(&mut self, step: &TransactionStep) -> Result<(), Failure> {
        // The end of a transaction is no part of a statement that was stopped.
        self.stopping.end();
        let is_open = self.core.is_in_transaction();
        match step {
            TransactionStep::Begin if is_open => return Err(plain(IN_TRANSACTION, "Already in transaction.")),
            TransactionStep::Begin => {}
            _ if !is_open => return Err(plain(NOT_IN_TRANSACTION, "Not in transaction.")),
            _ => {}
        }
        let done = match step {
            TransactionStep::Begin => self.core.begin(),
            TransactionStep::Commit => self.core.commit(),
            TransactionStep::Rollback => self.core.rollback(),
            TransactionStep::Savepoint(name) => self.core.execute(&format!("SAVEPOINT {}", quoted(name))).map(drop),
            TransactionStep::Release(name) => {
                self.core.execute(&format!("RELEASE SAVEPOINT {}", quoted(name))).map(drop)
            }
            TransactionStep::RollbackTo(name) => {
                self.core.execute(&format!("ROLLBACK TO SAVEPOINT {}", quoted(name))).map(drop)
            }
        };
        let is_end =
            matches!(step, TransactionStep::Commit | TransactionStep::Rollback | TransactionStep::RollbackTo(_));
        if self.has_changed_modules && is_end {
            self.has_changed_modules = self.core.is_in_transaction();
            self.shared.bump();
        }
        done.map_err(|error| of_core(&error, false))
    }

    fn is_in_transaction(&self) -> bool {
        self.core.is_in_transaction()
    }

    fn set_variable(&mut self, name: &str, value: &str) {
        // The variable needs no value to be set; `n` resets it.
        if name.eq_ignore_ascii_case("DELIMIDENT") {
            self.delimited_names = !value.trim().eq_ignore_ascii_case("n");
        }
    }

    fn name_cursor(&mut self, id: StatementId, name: &str) {
        self.cursors.insert(name.trim().to_lowercase(), id);
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        Arc::clone(&self.canceller) as Arc<dyn Cancel>
    }
}
