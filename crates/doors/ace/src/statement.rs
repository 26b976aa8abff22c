//! An SQL statement: its text, its parameters, and the options with which its tables are opened.

use std::sync::{Arc, Mutex, PoisonError};

use mainstay_types::Value;

use crate::backend::Parameter;
use crate::border::Handle;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};

/// A statement.
pub struct Statement {
    /// The connection that runs it.
    pub connection: Arc<Connection>,
    /// The handle of that.
    pub connection_handle: Handle,
    state: Mutex<State>,
}

/// The state behind the lock.
#[derive(Default)]
pub struct State {
    /// The text, once there is one.
    pub sql: String,
    /// True if it was prepared.
    pub is_prepared: bool,
    /// The parameters, in order; those without a name are counted.
    pub parameters: Vec<Parameter>,
    /// The type of the tables that it names: ADS_CDX and its siblings.
    pub table_type: u32,
    /// Time limit in seconds; ADS_DEFAULT_SQL_TIMEOUT to use the connection's.
    pub timeout: u32,
    /// True if its rows are read-only.
    pub is_read_only: bool,
    /// The cursor that it has open.
    pub cursor: Option<Handle>,
    /// Number of rows that the last execution changed.
    pub affected: u64,
}

impl Statement {
    /// A statement without text.
    pub fn new(connection: Arc<Connection>, connection_handle: Handle) -> Statement {
        let state = State { table_type: ADS_CDX, ..State::default() };
        Statement { connection, connection_handle, state: Mutex::new(state) }
    }

    /// Works with its state.
    pub fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives a parameter its value: by number from 1, or by name with or without its colon.
    pub fn set_parameter(&self, which: &crate::border::FieldName, value: Value) -> Result<()> {
        self.with(|state| {
            let found = match which {
                crate::border::FieldName::Number(number) => state.parameters.get_mut(number - 1),
                crate::border::FieldName::Name(name) => {
                    let name = String::from_utf8_lossy(name).trim_start_matches(':').to_owned();
                    state.parameters.iter_mut().find(|parameter| parameter.name.eq_ignore_ascii_case(&name))
                }
            };
            let code = match which {
                crate::border::FieldName::Number(_) => AE_INVALID_SQL_PARAM_NUMBER,
                crate::border::FieldName::Name(_) => AE_INVALID_SQL_PARAM_NAME,
            };
            let found = found.ok_or_else(|| Failure::new(code, "the statement has no such parameter"))?;
            found.value = value;
            Ok(())
        })
    }
}
