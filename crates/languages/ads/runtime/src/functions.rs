//! Functions of the database, as queries and scripts call them.
//!
//! A running query is inside the core; a function that it calls runs in a session beside it, which sees committed data.

use crate::failure::leaving;
use crate::modules::{Kind, Modules, Stored};
use crate::runner::{Runner, failed, linked};
use crate::session::{Host, Result, Session};
use crate::triggers::outside;
use arrow_schema::Field;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::compile::{Given, compile};
use mainstay_ads_syntax::reduce::sql_type;
use mainstay_ads_syntax::tree::{Module, ModuleKind, ObjectName};
use mainstay_ads_types::native;
use mainstay_area_session::{Outcome, SqlSession};
use mainstay_columnar::values::data_type_of;
use mainstay_engine::Database;
use mainstay_planner::UserFunctions;
use mainstay_types::{Collation, SqlType, Value, ValueRef};
use mainstay_vm::RunArgument;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The greatest nesting depth of functions, procedures and triggers.
pub(crate) const DEEPEST: usize = 32;

/// The functions of a folder.
pub(crate) struct Functions {
    database: Arc<Database>,
    folder: PathBuf,
    user: String,
    dictionary: Option<Arc<mainstay_data_dictionary::Session>>,
    depth: usize,
    stays_in_folder: AtomicBool,
    shows_deleted: AtomicBool,
    /// The program around the sessions.
    host: Mutex<Host>,
    /// The deadline of the running text.
    deadline: Mutex<Option<Instant>>,
    /// The session that runs them, made when one is first called.
    session: Mutex<Option<Box<Session>>>,
    modules: Mutex<Modules>,
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl Functions {
    pub(crate) fn new(
        database: Arc<Database>,
        folder: PathBuf,
        user: &str,
        dictionary: Option<Arc<mainstay_data_dictionary::Session>>,
        depth: usize,
    ) -> Functions {
        let modules = Mutex::new(Modules::of(database.files(), &folder, dictionary.clone()));
        let (user, stays_in_folder, session) = (user.to_owned(), AtomicBool::new(false), Mutex::new(None));
        let shows_deleted = AtomicBool::new(true);
        let (deadline, host) = (Mutex::default(), Mutex::default());
        Functions {
            database,
            folder,
            user,
            dictionary,
            depth,
            stays_in_folder,
            shows_deleted,
            host,
            deadline,
            session,
            modules,
        }
    }

    /// Sets that no statement of them may name a file outside the folder.
    pub(crate) fn stay_in_folder(&self, stays: bool) {
        self.stays_in_folder.store(stays, Ordering::Relaxed);
    }

    /// Lets their queries see deleted records of DBF tables, or no longer.
    pub(crate) fn show_deleted(&self, shows: bool) {
        self.shows_deleted.store(shows, Ordering::Relaxed);
    }

    /// Says where to ask what goes on at the server.
    pub(crate) fn set_host(&self, host: Host) {
        *self.host.lock().unwrap_or_else(PoisonError::into_inner) = host;
    }

    /// Says when what runs is to be ended.
    pub(crate) fn end_at(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    fn find(&self, name: &str) -> Option<Arc<Stored>> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules.refresh();
        modules.find(Kind::Function, name).cloned()
    }

    /// The rows that a procedure gives, for a query that has it in FROM.
    ///
    /// Errors: those of running it.
    pub(crate) fn rows(&self, name: &ObjectName, arguments: &[Value]) -> Result<Outcome> {
        self.beside(|session| {
            let (inner, machine) = session.parts();
            let mut runner = Runner { inner, outcome: Outcome::default() };
            runner.procedure(name, arguments, machine).map_err(|raised| outside(failed(&raised)))?;
            Ok(runner.outcome)
        })
    }

    fn beside<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return Err(SqlError::new(native::SCRIPT, "Functions are nested too deeply"));
        }
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = session.get_or_insert_with(|| {
            let (database, dictionary) = (Arc::clone(&self.database), self.dictionary.clone());
            let mut nested = Session::nested(database, &self.folder, &self.user, dictionary, self.depth + 1);
            nested.stay_in_folder(self.stays_in_folder.load(Ordering::Relaxed));
            nested.set_host(self.host.lock().unwrap_or_else(PoisonError::into_inner).clone());
            Box::new(nested)
        });
        session.set_show_deleted(self.shows_deleted.load(Ordering::Relaxed));
        session.end_at(*self.deadline.lock().unwrap_or_else(PoisonError::into_inner));
        // It knows the functions that there are now, this one among them.
        session.parts().0.refresh();
        work(session)
    }

    /// The result of a function; `None` if there is no function of this name.
    ///
    /// Errors: those of running it; 2159 for another number of arguments than it has parameters.
    pub(crate) fn run(&self, name: &str, arguments: &[Value]) -> Result<Option<Value>> {
        let Some(stored) = self.find(name) else { return Ok(None) };
        let Some((module, returns)) = returned(&stored) else { return Ok(None) };
        if let Some(dictionary) = &self.dictionary {
            crate::dictionary::require_to_run(dictionary, &stored)?;
        }
        let parameters = given(module, "")?;
        if parameters.len() != arguments.len() {
            let text = format!("Invalid number of arguments to scalar function: {}", name.to_uppercase());
            return Err(SqlError::new(native::ARGUMENT, text));
        }
        let values = parameters.iter().zip(arguments).map(|(parameter, value)| converted(value, parameter.sql_type));
        let values = values.collect::<Result<Vec<Value>>>()?;
        let arguments: Vec<RunArgument<'_>> = values.iter().map(|value| RunArgument::Value(value.as_ref())).collect();
        let program = linked(compile(name, &stored.text, &module.body, &parameters, Some(returns))?)?;
        self.beside(|session| {
            let (inner, machine) = session.parts();
            let mut runner = Runner { inner, outcome: Outcome::default() };
            machine.run(&mut runner, &program, &arguments).map_err(|raised| outside(failed(&raised)))?;
            Ok(Some(machine.result().to_value()))
        })
    }
}

fn returned(stored: &Stored) -> Option<(&Module, SqlType)> {
    let module = stored.module()?;
    match &module.kind {
        ModuleKind::Function(returns) => Some((module, sql_type(returns)?)),
        _ => None,
    }
}

/// The parameters that go into a module, with this before their names.
pub(crate) fn given(module: &Module, before: &str) -> Result<Vec<Given>> {
    let inputs = module.parameters.iter().filter(|parameter| !parameter.output);
    inputs
        .map(|parameter| {
            let Some(sql_type) = sql_type(&parameter.data_type) else {
                return Err(SqlError::at(native::TYPE, parameter.data_type.span, "No such type"));
            };
            Ok(Given { name: format!("{before}{}", parameter.name.text), sql_type })
        })
        .collect()
}

/// An argument as a value of its parameter.
pub(crate) fn converted(value: &Value, to: SqlType) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        value => Ok(mainstay_ads_types::convert::convert(value.as_ref(), to)?),
    }
}

impl UserFunctions for Functions {
    fn result(&self, name: &str) -> Option<Field> {
        let stored = self.find(name)?;
        let (_, returns) = returned(&stored)?;
        let data_type = data_type_of(match returns {
            SqlType::TinyInt => SqlType::SmallInt,
            SqlType::Real => SqlType::Double,
            SqlType::Time { .. } => SqlType::Time { digits: 3 },
            SqlType::Timestamp { .. } => SqlType::Timestamp { digits: 3 },
            SqlType::Binary { .. } => SqlType::VarBinary { length: None },
            SqlType::Boolean
            | SqlType::SmallInt
            | SqlType::Integer
            | SqlType::BigInt
            | SqlType::Decimal { .. }
            | SqlType::Money
            | SqlType::Double
            | SqlType::Date
            | SqlType::VarBinary { .. }
            | SqlType::Uuid => returns,
            _ => SqlType::VarChar { length: None, collation: Collation::Binary },
        });
        Some(Field::new("", data_type, true))
    }

    fn call(&self, name: &str, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        let values: Vec<Value> = arguments.iter().map(|argument| argument.to_value()).collect();
        match self.run(name, &values) {
            Ok(value) => Ok(value.unwrap_or(Value::Null)),
            Err(error) => {
                // The sentence is made once, by the session that was asked.
                let number = error.number;
                let dialect = mainstay_types::DialectError { number, severity: 16, state: 1 };
                let code = leaving(&error, "").code();
                Err(mainstay_types::Error::new(code, error.message).in_dialect(dialect))
            }
        }
    }
}
