//! Interface between the sessions of the languages and the objects of Python.

pub(crate) mod ads;
pub(crate) mod core;
pub(crate) mod informix;
pub(crate) mod tsql;

use crate::failure::Fault;
use crate::results::Output;
use mainstay_engine::Progress;
use mainstay_session::Cancel;
use mainstay_types::Value;
use std::sync::Arc;

/// A value for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub value: Value,
    /// True for an output parameter of a procedure.
    pub is_output: bool,
}

/// The values of the parameters of one execution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arguments {
    /// By position.
    List(Vec<Argument>),
    /// By name.
    Named(Vec<(String, Argument)>),
}

impl Arguments {
    /// No values.
    pub const NONE: Arguments = Arguments::List(Vec::new());

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        match self {
            Arguments::List(values) => values.is_empty(),
            Arguments::Named(values) => values.is_empty(),
        }
    }
}

/// A session of a language.
pub(crate) trait Dialect: Send {
    /// Runs the statements of a text; each gives an output.
    ///
    /// Errors: that of the first statement that fails.
    fn run(&mut self, text: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault>;

    /// Runs one statement for each of these values: rows that were changed.
    ///
    /// Errors: that of the first execution that fails, with the number of those that were done.
    fn run_many(&mut self, text: &str, rows: &[Arguments]) -> Result<Option<u64>, Fault> {
        let mut total = None;
        for (done, arguments) in rows.iter().enumerate() {
            let outputs = self.run(text, arguments);
            let outputs = outputs.map_err(|fault| Fault { executed: Some(done as u64), ..fault })?;
            for changed in outputs.iter().filter_map(|output| output.changed) {
                *total.get_or_insert(0) += changed;
            }
        }
        Ok(total)
    }

    /// Calls a procedure.
    fn call(&mut self, procedure: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault>;

    /// True if a statement changes something or locks rows, so that a transaction begins before it.
    fn needs_transaction(&self, text: &str) -> bool;

    /// Begins a transaction.
    fn begin(&mut self) -> Result<(), Fault>;

    /// Commits the open transaction.
    fn commit(&mut self) -> Result<(), Fault>;

    /// Rolls the open transaction back.
    fn rollback(&mut self) -> Result<(), Fault>;

    /// True if a transaction is open.
    fn is_in_transaction(&self) -> bool;

    /// Ends the running statement, from any thread.
    fn canceller(&self) -> Arc<dyn Cancel>;

    /// Counters of the running statement, where the language has them.
    fn progress(&self) -> Option<Arc<Progress>> {
        None
    }

    /// The session of the engine, where it is the dialect.
    fn core(&mut self) -> Option<&mut mainstay_engine::Session> {
        None
    }
}
