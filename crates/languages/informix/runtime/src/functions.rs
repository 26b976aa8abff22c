//! Functions of the database that a query calls for its rows.
//!
//! A query that runs is in the middle of the core; a function that it calls runs in a session beside it, which reads by the
//! outlook of the query's own: it sees what the query's statement sees. Such a function cannot change rows (-675).

use crate::failure::{INTERRUPTED, plain};
use crate::modules::Shared;
use crate::routine_names::missing;
use crate::scope::Facts;
use crate::session::InformixSession;
use crate::stopping::Stopping;
use arrow_schema::Field;
use mainstay_columnar::values::data_type_of;
use mainstay_engine::Outlook;
use mainstay_informix_syntax::compile;
use mainstay_informix_syntax::{SqlError, Type};
use mainstay_planner::UserFunctions;
use mainstay_session::Failure;
use mainstay_types::{Code, Collation, DialectError, Error, SqlType, Value, ValueRef};
use mainstay_vm::RunArgument;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many functions may stand around each other through queries.
const DEEPEST: usize = 8;

/// The functions of a database, as one session's queries call them.
pub(crate) struct Functions {
    shared: Shared,
    facts: Facts,
    depth: usize,
    stopping: Arc<Stopping>,
    outlook: OnceLock<Arc<Outlook>>,
    /// The session that runs them, made when one is first called.
    session: Mutex<Option<Box<InformixSession>>>,
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl Functions {
    pub(crate) fn new(shared: Shared, facts: Facts, depth: usize, stopping: Arc<Stopping>) -> Functions {
        Functions { shared, facts, depth, stopping, outlook: OnceLock::new(), session: Mutex::default() }
    }

    /// Lets the functions read by this outlook.
    pub(crate) fn read_by(&self, outlook: Arc<Outlook>) {
        // It is the same one every time.
        let _ = self.outlook.set(outlook);
    }

    pub(crate) fn can_read(&self) -> bool {
        self.outlook.get().is_some()
    }

    fn beside<T>(&self, work: impl FnOnce(&mut InformixSession) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if session.is_none() {
            let (shared, facts) = (self.shared.clone(), self.facts.clone());
            let mut made = InformixSession::of(shared, facts, self.depth + 1, Some(Arc::clone(&self.stopping)))?;
            if let Some(outlook) = self.outlook.get() {
                made.core.read_beside(Arc::clone(outlook));
                made.functions.read_by(Arc::clone(outlook));
            }
            *session = Some(Box::new(made));
        }
        let Some(session) = session.as_mut() else { return Err(missing("")) };
        session.refresh()?;
        work(session)
    }
}

impl UserFunctions for Functions {
    fn result(&self, name: &str) -> Option<Field> {
        let found = self.beside(|session| {
            let stored = session.modules.by_key(name).cloned().ok_or_else(|| missing(name))?;
            let routine = stored.routine().ok_or_else(|| missing(name))?;
            let signature = compile::signature(routine, String::new(), &session.names());
            signature.ok().and_then(|signature| signature.returns.first().copied()).ok_or_else(|| missing(name))
        });
        found.ok().map(field_of)
    }

    fn call(&self, name: &str, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        // A function that calls itself through queries is known at every depth, and fails when it is called.
        let too_deep = || plain(SqlError::TOO_COMPLEX, "Functions call each other too deeply.");
        let may_call = || match self.depth {
            _ if self.stopping.is_over() => Err(plain(INTERRUPTED, "Statement interrupted by user.")),
            DEEPEST.. => Err(too_deep()),
            _ => Ok(()),
        };
        let called = may_call().and_then(|()| {
            self.beside(|session| {
                let ready = session.ready(name)?;
                // Values are converted to the parameters' types where they come in.
                let arguments: Vec<RunArgument<'_>> =
                    arguments.iter().map(|value| RunArgument::Value(*value)).collect();
                session.with_machine(|runner, machine| {
                    machine
                        .run(runner, &ready.program, &arguments)
                        .map_err(|raised| crate::runner::failure_of(&raised))?;
                    Ok(machine.result().to_value())
                })
            })
        });
        called.map_err(|failure| failed(&failure))
    }
}

/// An error of a function as one of the core, which the session of the query finds again by its number.
fn failed(failure: &Failure) -> Error {
    let code = match failure.number {
        INTERRUPTED => Code::Cancelled,
        -1202 => Code::DivisionByZero,
        _ => Code::InvalidValue,
    };
    let dialect = DialectError { number: failure.number, severity: 16, state: failure.detail.unsigned_abs() as u8 };
    Error::new(code, failure.message.clone()).in_dialect(dialect)
}

/// The field of the results of a function.
fn field_of(known: Type) -> Field {
    let data_type = data_type_of(match known.sql_type() {
        SqlType::TinyInt => SqlType::SmallInt,
        SqlType::Time { .. } => SqlType::Time { digits: 5 },
        SqlType::Timestamp { .. } => SqlType::Timestamp { digits: 5 },
        SqlType::Binary { .. } => SqlType::VarBinary { length: None },
        known @ (SqlType::Boolean
        | SqlType::SmallInt
        | SqlType::Integer
        | SqlType::BigInt
        | SqlType::Decimal { .. }
        | SqlType::Money
        | SqlType::Real
        | SqlType::Double
        | SqlType::Date
        | SqlType::VarBinary { .. }) => known,
        _ => SqlType::VarChar { length: None, collation: Collation::Binary },
    });
    Field::new("", data_type, true)
}
