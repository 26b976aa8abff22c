//! Routines and triggers: their texts in a table of the schema `sys`, and what they parse to.
//!
//! A session reads the table when a counter says that another session has changed it. The counter belongs to the process,
//! which has the folder for itself. A definition that is part of a transaction is seen by its own session at once, by others
//! when it is committed: the counter grows both times.

use crate::failure::of_core;
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Session};
use mainstay_informix_syntax::parse;
use mainstay_informix_syntax::reduce::text_literal;
use mainstay_informix_syntax::tree::{Routine, Statement, Trigger};
use mainstay_session::Failure;
use mainstay_types::{Value, ValueRef};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The table of routines and triggers.
const TABLE: &str = "\"sys\".\"informix_routines\"";
const NAME: &str = "informix_routines";

/// The state that all sessions of a server share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub database: Database,
    version: Arc<AtomicU64>,
}

impl Shared {
    pub(crate) fn new(database: Database) -> Shared {
        Shared { database, version: Arc::new(AtomicU64::new(1)) }
    }

    /// True if a session has the database open, beside the one that keeps this value.
    pub(crate) fn has_sessions(&self) -> bool {
        Arc::strong_count(&self.version) > 1
    }

    /// Tells all sessions that routines have changed.
    pub(crate) fn bump(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

/// A routine or trigger.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The key of its row: `name/2` for a routine with two parameters, `trigger:name`.
    pub key: String,
    pub name: String,
    pub owner: String,
    /// The core's name of a trigger's table.
    pub table: String,
    /// A trigger that SET TRIGGERS has not disabled.
    pub is_enabled: bool,
    pub number: i64,
    pub text: String,
    pub definition: Definition,
}

/// The tree of a definition.
#[derive(Debug)]
pub(crate) enum Definition {
    Routine(Box<Routine>),
    Trigger(Box<Trigger>),
}

impl Stored {
    pub(crate) fn routine(&self) -> Option<&Routine> {
        match &self.definition {
            Definition::Routine(routine) => Some(routine),
            Definition::Trigger(_) => None,
        }
    }

    pub(crate) fn trigger(&self) -> Option<&Trigger> {
        match &self.definition {
            Definition::Trigger(trigger) => Some(trigger),
            Definition::Routine(_) => None,
        }
    }
}

/// All routines and triggers in one state of the database.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    pub version: u64,
    pub all: Vec<Arc<Stored>>,
}

impl Modules {
    /// Reads them; those that cannot be read any more are left out.
    ///
    /// Errors: those of reading the table.
    pub(crate) fn read(core: &mut Session, version: u64) -> Result<Modules, Failure> {
        let mut modules = Modules { version, all: Vec::new() };
        // Without the table there is nothing to read.
        if !core.definitions().shared.tables.iter().any(|table| table.name == NAME) {
            return Ok(modules);
        }
        let text = format!("SELECT \"key\", name, owner, target, state, number, source FROM {TABLE} ORDER BY number");
        let failed = |error: &mainstay_types::Error| of_core(error, false);
        let mut answer = core.execute(&text).map_err(|error| failed(&error))?;
        while let Some(batch) = answer.next_batch().map_err(|error| failed(&error))? {
            for row in 0..batch.num_rows() {
                let cell = |column: usize| match value_at(batch.column(column).as_ref(), row) {
                    Ok(Value::Text(text)) => text,
                    Ok(Value::Integer(number)) => number.to_string(),
                    _ => String::new(),
                };
                let source = cell(6);
                let definition = match parse(&source, false).map(|parsed| parsed.statement) {
                    Ok(Statement::CreateRoutine(routine)) => Definition::Routine(routine),
                    Ok(Statement::CreateTrigger(trigger)) => Definition::Trigger(trigger),
                    _ => continue,
                };
                modules.all.push(Arc::new(Stored {
                    key: cell(0),
                    name: cell(1),
                    owner: cell(2),
                    table: cell(3),
                    is_enabled: cell(4) != "D",
                    number: cell(5).parse().unwrap_or(0),
                    text: source,
                    definition,
                }));
            }
        }
        Ok(modules)
    }

    /// The routine of this name that takes so many arguments; of several the one with the fewest parameters.
    pub(crate) fn routine(&self, name: &str, arguments: usize) -> Option<&Arc<Stored>> {
        let takes = |stored: &&Arc<Stored>| {
            stored.name == name
                && stored.routine().is_some_and(|routine| {
                    let needed = routine.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
                    (needed..=routine.parameters.len()).contains(&arguments)
                })
        };
        let count = |stored: &&Arc<Stored>| stored.routine().map_or(0, |routine| routine.parameters.len());
        self.all.iter().filter(takes).min_by_key(count)
    }

    pub(crate) fn by_key(&self, key: &str) -> Option<&Arc<Stored>> {
        self.all.iter().find(|stored| stored.key == key)
    }

    /// The triggers of a table for an event, in the order of their creation.
    pub(crate) fn triggers<'m>(&'m self, table: &'m str, event: &'m str) -> impl Iterator<Item = &'m Arc<Stored>> {
        self.all.iter().filter(move |stored| {
            stored.table == table && stored.is_enabled && stored.trigger().is_some_and(|trigger| trigger.event == event)
        })
    }

    /// The number of the next object.
    pub(crate) fn next_number(&self) -> i64 {
        self.all.iter().map(|stored| stored.number).max().unwrap_or(0) + 1
    }
}

/// A row of the table.
pub(crate) struct Row<'r> {
    pub key: &'r str,
    pub name: &'r str,
    pub owner: &'r str,
    pub table: &'r str,
    pub is_enabled: bool,
    pub number: i64,
    pub text: &'r str,
}

/// Keeps a definition in place of one of its key.
///
/// Errors: those of writing.
pub(crate) fn keep(core: &mut Session, row: &Row<'_>) -> Result<(), Failure> {
    let failed = |error: mainstay_types::Error| of_core(&error, false);
    core.execute("CREATE SCHEMA IF NOT EXISTS \"sys\"").map_err(failed)?;
    let columns = "\"key\" VARCHAR(300) PRIMARY KEY, name VARCHAR(128) NOT NULL, owner VARCHAR(32), target VARCHAR(128), \
                   state VARCHAR(1), number BIGINT, source TEXT";
    core.execute(&format!("CREATE TABLE IF NOT EXISTS {TABLE} ({columns})")).map_err(failed)?;
    forget(core, row.key)?;
    let mut insert =
        core.prepare(&format!("INSERT INTO {TABLE} VALUES ($1, $2, $3, $4, $5, $6, $7)")).map_err(failed)?;
    let state = if row.is_enabled { "E" } else { "D" };
    let values = [
        ValueRef::Text(row.key),
        ValueRef::Text(row.name),
        ValueRef::Text(row.owner),
        ValueRef::Text(row.table),
        ValueRef::Text(state),
        ValueRef::Integer(row.number),
        ValueRef::Text(row.text),
    ];
    insert.execute(core, &values).map(drop).map_err(failed)
}

/// Forgets a definition.
///
/// Errors: those of writing.
pub(crate) fn forget(core: &mut Session, key: &str) -> Result<(), Failure> {
    let text = format!("DELETE FROM {TABLE} WHERE \"key\" = {}", text_literal(key));
    core.execute(&text).map(drop).map_err(|error| of_core(&error, false))
}

/// Enables or disables a trigger.
///
/// Errors: those of writing.
pub(crate) fn enable(core: &mut Session, key: &str, is_enabled: bool) -> Result<(), Failure> {
    let state = if is_enabled { "E" } else { "D" };
    let text = format!("UPDATE {TABLE} SET state = '{state}' WHERE \"key\" = {}", text_literal(key));
    core.execute(&text).map(drop).map_err(|error| of_core(&error, false))
}

/// Lets the triggers of a table follow its new name, or drops them with it: true if there were any.
///
/// Errors: those of writing.
pub(crate) fn follow(core: &mut Session, modules: &Modules, table: &str, new: Option<&str>) -> Result<bool, Failure> {
    if !modules.all.iter().any(|stored| stored.table == table) {
        return Ok(false);
    }
    let condition = format!("WHERE target = {}", text_literal(table));
    let text = match new {
        Some(new) => format!("UPDATE {TABLE} SET target = {} {condition}", text_literal(&new.to_lowercase())),
        None => format!("DELETE FROM {TABLE} {condition}"),
    };
    core.execute(&text).map(|_| true).map_err(|error| of_core(&error, false))
}
