//! A session: one connection's statements, and what it remembers between them.

use crate::failure::{Failed, leaving};
use crate::scope::{Values, now, type_of};
use ace::backend::{Outcome, Parameter, SqlSession};
use mainstay_adssql::{Parsed, SqlError, parse};
use mainstay_advantage::native;
use mainstay_base::{Result, Timestamp};
use mainstay_engine::Database;
use std::path::Path;
use std::sync::Arc;

/// One connection's session.
pub struct Session {
    /// Kept, so that other connections find the same one.
    pub(crate) _database: Arc<Database>,
    pub(crate) core: mainstay_engine::Session,
    pub(crate) state: State,
}

/// What a session knows.
pub(crate) struct State {
    /// The user's name.
    pub(crate) user: String,
    /// The folder.
    pub(crate) folder: String,
    /// What the program says that it is.
    pub(crate) application: String,
    /// The moment of the statement.
    pub(crate) now: Timestamp,
    /// The last number that an INSERT was given by the table.
    pub(crate) last_autoinc: i64,
    /// How many rows the last statement changed.
    pub(crate) update_count: u64,
}

impl Session {
    /// A session on a folder.
    pub fn new(database: Arc<Database>, folder: &Path, user: &str) -> Session {
        let core = database.session();
        let state = State {
            user: user.to_owned(),
            folder: folder.display().to_string(),
            application: String::new(),
            now: now(),
            last_autoinc: 0,
            update_count: 0,
        };
        Session { _database: database, core, state }
    }

    fn run(&mut self, parsed: &Parsed, parameters: &[Parameter]) -> Result<Outcome, Failed> {
        self.state.now = now();
        let values = bound(parsed, parameters)?;
        let mut last = Outcome::default();
        for statement in &parsed.statements {
            let affected = last.affected;
            last = self.statement(&statement.kind, &values)?;
            if parsed.statements.len() > 1 && last.columns.is_empty() {
                last.affected = last.affected.max(affected);
            }
        }
        Ok(last)
    }
}

/// The parameters of a text with the values that a program has given.
fn bound(parsed: &Parsed, parameters: &[Parameter]) -> Result<Values, Failed> {
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
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        self.run(&parsed, parameters).map_err(|error| leaving(&error, sql))
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        let parsed = parse(sql).map_err(|error| leaving(&error, sql))?;
        let shown = |name: String| if name.starts_with('?') { String::new() } else { name };
        Ok(parsed.parameters.into_iter().map(shown).collect())
    }
}
