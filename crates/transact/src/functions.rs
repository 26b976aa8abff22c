//! Functions of the database that a query calls for its rows.
//!
//! A query that runs is in the middle of the core; a function that it calls runs in a session beside it. So a function that
//! reads tables sees what is committed, and not what the transaction around the query has changed.

use crate::errors::message_from;
use crate::instance::Instance;
use crate::modules::Loaded;
use crate::scope::{Latest, local_name};
use crate::session::{Session, object_name};
use mainstay_base::{Code, DialectError, Error, Result, Value, ValueRef};
use mainstay_program::Fault;
use mainstay_query::UserFunctions;
use mainstay_tds::{Column, Done, Environment, Sink, Stop};
use mainstay_tsql::reduce::{CATALOG_FUNCTION, catalog_function, not_supported};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The functions of a database, as one session's queries call them.
pub(crate) struct Functions {
    instance: Instance,
    /// The catalog as the session's queries see it.
    catalog: Latest,
    /// The session that runs them, made when one is first called.
    session: Mutex<Option<Session>>,
    /// How many functions stand around it: each runs in a session of its own, which has functions of its own.
    depth: usize,
}

/// How many functions may call each other through queries, as procedures may.
const MOST_DEPTH: usize = 32;

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl Functions {
    /// Those of a session that this many functions stand around.
    pub(crate) fn new(instance: &Instance, catalog: Latest, depth: usize) -> Functions {
        Functions { instance: instance.clone(), catalog, session: Mutex::new(None), depth }
    }

    /// What a function of the catalog answers for a row.
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
        work(session.get_or_insert_with(|| Session::beside(&self.instance, self.depth + 1)))
    }
}

impl UserFunctions for Functions {
    fn result(&self, name: &str) -> Option<String> {
        if let Some(function) = name.strip_prefix(CATALOG_FUNCTION) {
            return catalog_function(function).map(|function| function.data_type.to_string());
        }
        self.with(|session| Ok(function(session, name)?.module.returns.map(|data_type| data_type.to_string())))
            .ok()
            .flatten()
    }

    fn call(&self, name: &str, arguments: &[ValueRef<'_>]) -> Result<Value> {
        if let Some(function) = name.strip_prefix(CATALOG_FUNCTION) {
            return self.ask(function, arguments);
        }
        if self.depth >= MOST_DEPTH {
            return Err(failed(crate::errors::of_fault(&Fault::NestingLimit)));
        }
        self.with(|session| {
            let loaded = function(session, name)?;
            session.function(&loaded, arguments).map_err(|raised| {
                let message = message_from(&raised);
                failed(message)
            })
        })
    }
}

fn failed(message: mainstay_mssql::Message) -> Error {
    let dialect = DialectError { number: message.number, severity: message.severity, state: message.state };
    Error::new(Code::InvalidValue, message.text).in_dialect(dialect)
}

fn function(session: &mut Session, name: &str) -> Result<Arc<Loaded>> {
    session.inner.refresh().map_err(failed)?;
    let name = object_name(name);
    let Some(object) = session.inner.modules.find(&name).cloned() else {
        return Err(failed(not_supported(local_name(&name).1)));
    };
    session.inner.modules.load(&object).map_err(|message| failed(*message))
}

/// A client that does not listen: functions have nothing to say.
pub(crate) struct Silence;

impl Sink for Silence {
    fn columns(&mut self, _: &[Column]) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, _: &[ValueRef<'_>]) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn done(&mut self, _: Done) {}

    fn message(&mut self, _: &mainstay_mssql::Message) {}

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: u16, _: &Column, _: ValueRef<'_>) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn flush(&mut self) {}

    fn environment(&mut self, _: &Environment) {}
}
