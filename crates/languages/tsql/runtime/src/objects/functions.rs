//! Functions of the database that a query calls for its rows.
//!
//! A running query is inside the core; a function that it calls runs in a session beside it. That session reads by the
//! query's own outlook (`mainstay_engine::Outlook`): it sees the same data as the query's statement, uncommitted
//! changes of its transaction included, at any isolation level. Facts about the calling session that functions ask for
//! - its login, `@@TRANCOUNT`, `SESSION_CONTEXT` - are handed over when a statement begins ([`Caller`]).

use crate::objects::modules::Loaded;
use crate::session::instance::Instance;
use crate::session::scope::{Latest, local_name};
use crate::session::state::State;
use crate::session::{Inner, Session, Stopper, object_name};
use crate::statements::errors::message_from;
use crate::statements::xml_documents::XmlDocuments;
use arrow_schema::Field;
use mainstay_engine::Outlook;
use mainstay_planner::UserFunctions;
use mainstay_session::push::{self, Done, Environment, Sink, Stop};
use mainstay_tsql_planner::field_of;
use mainstay_tsql_syntax::reduce::{CATALOG_FUNCTION, SESSION_CALL, catalog_function, not_supported};
use mainstay_tsql_types::Settings;
use mainstay_types::{Code, DialectError, Error, Result, Value, ValueRef};
use mainstay_vm::{Fault, Raised};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The functions of a database, as one session's queries call them.
pub(crate) struct Functions {
    instance: Instance,
    /// The catalog as the session's queries see it.
    catalog: Latest,
    /// The session that runs them, made when one is first called.
    session: Mutex<Option<Session>>,
    /// The number of enclosing functions: each runs in a session of its own, which has functions of its own.
    depth: usize,
    /// Cancellation of the functions: that of the outermost session.
    stopper: Arc<Stopper>,
    /// The outlook of the statements of the outermost session.
    outlook: OnceLock<Arc<Outlook>>,
    /// The state of that session, for functions that ask.
    caller: Mutex<Caller>,
    /// True if a query was planned that calls one.
    is_used: AtomicBool,
}

/// The state of a session that the functions of its queries may ask for.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    /// Grows with every statement; 0 before the first.
    number: u64,
    login: String,
    host: String,
    application: String,
    database: String,
    process: i16,
    client_process: u32,
    transactions: u32,
    doomed: bool,
    settings: Settings,
    /// The deadline of its statements.
    deadline: Option<Instant>,
    context: HashMap<String, (Value, bool)>,
    context_info: Option<Vec<u8>>,
    xml_documents: XmlDocuments,
}

impl Caller {
    fn of(state: &State, number: u64) -> Caller {
        Caller {
            number,
            login: state.login.clone(),
            host: state.host.clone(),
            application: state.application.clone(),
            database: state.database.clone(),
            process: state.process,
            client_process: state.client_process,
            transactions: state.transactions + state.caller_transactions,
            doomed: state.doomed,
            settings: state.options.settings,
            deadline: state.deadline,
            context: state.context.clone(),
            context_info: state.context_info.clone(),
            xml_documents: state.xml_documents.clone(),
        }
    }

    fn give(&self, session: &mut Session) {
        session.limit(self.deadline);
        let state = &mut session.inner.state;
        let Caller { login, host, application, database, context, context_info, .. } = self.clone();
        (state.login, state.host, state.application, state.database) = (login, host, application, database);
        (state.context, state.context_info) = (context, context_info);
        state.xml_documents = self.xml_documents.clone();
        (state.process, state.doomed) = (self.process, self.doomed);
        state.client_process = self.client_process;
        state.caller_transactions = self.transactions;
        state.options.settings = self.settings;
    }
}

/// The greatest nesting depth of functions that call each other through queries, the same as of procedures.
const MOST_DEPTH: usize = 32;

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl Functions {
    /// Those of a session that this many functions stand around.
    pub(crate) fn new(instance: &Instance, catalog: Latest, depth: usize, stopper: Arc<Stopper>) -> Functions {
        let instance = instance.clone();
        let (session, outlook, caller) = (Mutex::default(), OnceLock::new(), Mutex::default());
        Functions { instance, catalog, session, depth, stopper, outlook, caller, is_used: AtomicBool::new(false) }
    }

    /// The functions read by this outlook from now on.
    pub(crate) fn read_by(&self, outlook: Arc<Outlook>) {
        // It is the same one every time.
        let _ = self.outlook.set(outlook);
    }

    /// Returns true if they have an outlook to read by.
    pub(crate) fn can_read(&self) -> bool {
        self.outlook.get().is_some()
    }

    /// A statement of the session begins, which may call them.
    pub(crate) fn called_by(&self, state: &State) {
        let mut caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
        *caller = Caller::of(state, caller.number + 1);
    }

    /// The result of a function of the catalog for a row.
    fn ask(&self, name: &str, arguments: &[ValueRef<'_>]) -> Result<Value> {
        let known = self.catalog.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let values: Vec<Value> = arguments.iter().map(|argument| argument.to_value()).collect();
        self.with(|session| {
            session.inner.refresh().map_err(failed)?;
            Ok(match &known {
                Some(catalog) if !name.starts_with("ident_") => catalog.answer(&session.inner.modules, name, &values),
                _ => session.inner.catalog_value(name, &values),
            })
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
        let beside = session.get_or_insert_with(|| {
            let mut session = Session::beside(&self.instance, self.depth + 1, Some(&self.stopper));
            if let Some(outlook) = self.outlook.get() {
                session.inner.core.read_beside(Arc::clone(outlook));
                session.inner.functions.read_by(Arc::clone(outlook));
            }
            session
        });
        if beside.inner.state.caller != caller.number {
            beside.inner.state.caller = caller.number;
            caller.give(beside);
        }
        drop(caller);
        work(beside)
    }
}

impl UserFunctions for Functions {
    fn result(&self, name: &str) -> Option<Field> {
        if let Some(function) = name.strip_prefix(CATALOG_FUNCTION) {
            return catalog_function(function).map(|function| field_of(name, function.data_type));
        }
        self.is_used.store(true, Ordering::Relaxed);
        let found = self.with(|session| Ok(function(session, name)?.module.returns));
        found.ok().flatten().map(|data_type| field_of(name, data_type))
    }

    fn call(&self, name: &str, arguments: &[ValueRef<'_>]) -> Result<Value> {
        if let Some(function) = name.strip_prefix(CATALOG_FUNCTION) {
            return self.ask(function, arguments);
        }
        if let Some(function) = name.strip_prefix(SESSION_CALL) {
            let caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(Value::Text(match function {
                "host_name" => caller.host.clone(),
                "app_name" => caller.application.clone(),
                "suser_name" | "suser_sname" | "original_login" => caller.login.clone(),
                // There is one user.
                _ => "dbo".to_owned(),
            }));
        }
        if self.depth >= MOST_DEPTH {
            return Err(failed(crate::statements::errors::of_fault(&Fault::NestingLimit)));
        }
        self.with(|session| {
            let loaded = function(session, name)?;
            session.function(&loaded, arguments).map_err(|raised| match ended(&raised) {
                Some(code) => Error::new(code, raised.text.clone()),
                None => failed(message_from(&raised)),
            })
        })
    }
}

impl Inner {
    /// Learns of objects, and lets functions see what the session's statements see once there are any.
    pub(crate) fn connect_functions(&mut self) {
        let calls = self.modules.has_functions() || self.modules.kept().asks_session;
        if calls && !self.functions.can_read() {
            self.functions.read_by(self.core.outlook());
        }
    }

    /// A statement begins that may call functions: a query whose plan is of them or a change, whose table may be.
    pub(crate) fn tell_functions(&self, is_change: bool) {
        if self.functions.can_read() && (is_change || self.functions.is_used.load(Ordering::Relaxed)) {
            self.functions.called_by(&self.state);
        }
    }
}

fn failed(message: mainstay_tsql_types::Message) -> Error {
    let dialect = DialectError { number: message.number, severity: message.severity, state: message.state };
    let error = Error::new(Code::InvalidValue, message.text).in_dialect(dialect);
    match message.procedure {
        Some(procedure) => error.in_routine(procedure, message.line),
        None => error,
    }
}

/// The code of a cancellation or time limit that ended a function; `None` for an error.
fn ended(raised: &Raised) -> Option<Code> {
    match (&raised.fault, &raised.source) {
        (Some(Fault::Cancelled), _) => Some(Code::Cancelled),
        (Some(Fault::Deadline), _) => Some(Code::Timeout),
        (_, Some(source)) => Some(source.code()).filter(|code| matches!(code, Code::Cancelled | Code::Timeout)),
        _ => None,
    }
}

fn function(session: &mut Session, name: &str) -> Result<Arc<Loaded>> {
    session.inner.refresh().map_err(failed)?;
    let name = object_name(name);
    let Some(object) = session.inner.modules.find(&name).cloned() else {
        return Err(failed(not_supported(local_name(&name).1)));
    };
    session.inner.load(&object).map_err(|message| failed(*message))
}

/// A client that does not listen: functions have nothing to say.
pub(crate) struct Silence;

impl Sink for Silence {
    fn columns(&mut self, _: &[push::Column]) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, _: &[ValueRef<'_>]) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn done(&mut self, _: Done) {}

    fn message(&mut self, _: &push::Message) {}

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: u16, _: &push::Column, _: ValueRef<'_>) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn flush(&mut self) {}

    fn environment(&mut self, _: &Environment) {}
}
