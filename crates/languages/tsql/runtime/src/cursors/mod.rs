//! The cursors of a session: their list, their names, and their ends.
//!
//! ```text
//!   names of the session (GLOBAL)  ----+
//!   names of a level (LOCAL)       ----+--> number --> Cursor, with how many names it has
//!   variables of a level (@c)      ----+
//! ```
//!
//! A cursor ends with its last name. Names of a level end with it; a cursor that a procedure returns in a parameter has
//! the caller's variable as a name by then.

pub(crate) mod calls;
pub(crate) mod change;
pub(crate) mod declared;
pub(crate) mod keyset;
pub(crate) mod position;
pub(crate) mod protocol;

use crate::columns::Column;
use crate::cursors::protocol::ServerCursor;
use crate::objects::modules::Loaded;
use crate::session::Inner;
use crate::session::state::State;
use crate::session::watch::Watcher;
use crate::statements::errors::raised;
use crate::statements::query::Plan;
use mainstay_planner::HeldMemory;
use mainstay_tsql_syntax::reduce::{CursorKey, CursorQueries};
use mainstay_tsql_syntax::tree::CursorName;
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;
use mainstay_vm::Raised;
use std::collections::HashMap;
use std::sync::Arc;

/// All cursors of a session.
#[derive(Debug, Default)]
pub(crate) struct Cursors {
    known: HashMap<u64, Cursor>,
    global: HashMap<String, u64>,
    last: u64,
    /// The one that was opened last.
    pub(crate) opened: Option<u64>,
}

/// The kinds of cursors, by the changes of rows that they show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None behind OPEN.
    Static,
    /// Those of the rows that it had at OPEN.
    Keyset,
    /// All.
    Dynamic,
}

/// A cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(crate) kind: Kind,
    pub(crate) scrolls: bool,
    pub(crate) reads_only: bool,
    /// True if rows are locked as they are fetched (SCROLL_LOCKS). Without, a row is changed only if it is as it was
    /// fetched.
    pub(crate) locks: bool,
    /// The columns of FOR UPDATE OF, if it names any.
    pub(crate) updatable: Vec<String>,
    /// The statement that declared it, where its plan is stored.
    pub(crate) declared: (Arc<Loaded>, usize),
    /// The values of its variables when it was declared.
    pub(crate) values: Vec<(String, DataType, Value)>,
    pub(crate) rows: Option<Rows>,
    names: usize,
}

/// The rows of an open cursor.
pub(crate) struct Rows {
    pub(crate) types: Arc<[Option<DataType>]>,
    pub(crate) columns: Arc<[Column]>,
    pub(crate) rows: Vec<Row>,
    /// The memory that the rows hold, where it is counted.
    pub(crate) memory: Option<HeldMemory>,
    /// The row it stands on, from 1; 0 before the first.
    pub(crate) at: usize,
    /// The keys of the rows; the values are each row's.
    pub(crate) keys: Arc<[CursorKey]>,
    /// The queries that the cursor sends to the core.
    pub(crate) queries: Option<Arc<CursorQueries>>,
    /// The plan that reads a row again, once that was wanted, and whether it locks the row.
    pub(crate) again: Option<(bool, Box<Plan>)>,
    /// The count of inserts when the list was read.
    pub(crate) listed: u64,
    /// The number of changes of its tables.
    pub(crate) watcher: Watcher,
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("rows", &self.rows.len()).field("at", &self.at).finish_non_exhaustive()
    }
}

/// A row of a cursor.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) values: Vec<Value>,
    pub(crate) keys: Vec<Value>,
    /// The count of changes when it was read.
    pub(crate) seen: u64,
}

impl Cursor {
    /// Its variables, and whether each was NULL when it was declared.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = (&str, bool)> {
        self.values.iter().map(|(name, _, value)| (name.as_str(), *value == Value::Null))
    }

    pub(crate) fn new(kind: Kind, declared: (Arc<Loaded>, usize), values: Vec<(String, DataType, Value)>) -> Cursor {
        let (scrolls, reads_only, locks, updatable) = (false, false, false, Vec::new());
        Cursor { kind, scrolls, reads_only, locks, updatable, declared, values, rows: None, names: 0 }
    }

    /// The value of one of its variables.
    pub(crate) fn variable(&self, name: &str) -> Value {
        let found = self.values.iter().find(|(known, ..)| known == name);
        found.map_or(Value::Null, |(_, _, value)| value.clone())
    }

    /// The row it stands on.
    pub(crate) fn current(&self) -> Option<(&Rows, &Row)> {
        let rows = self.rows.as_ref()?;
        Some((rows, rows.rows.get(rows.at.checked_sub(1)?)?))
    }
}

impl Cursor {
    /// The row it stands on, to change what is known of it.
    pub(crate) fn current_mut(&mut self) -> Option<&mut Row> {
        let rows = self.rows.as_mut()?;
        rows.rows.get_mut(rows.at.checked_sub(1)?)
    }
}

/// The error of a name that no cursor has.
pub(crate) fn missing(name: &CursorName) -> Box<Raised> {
    let name = &name.name.text;
    let (number, text) = match name.starts_with('@') {
        true => (16950, format!("The variable '{name}' does not currently have a cursor allocated to it.")),
        false => (16916, format!("A cursor with the name '{name}' does not exist.")),
    };
    raised(Message::error(number, text).state(if number == 16950 { 2 } else { 1 }))
}

impl State {
    /// The number of a cursor: of a variable, of a local name, of a global one.
    pub(crate) fn cursor_number(&self, name: &CursorName) -> Option<u64> {
        let key = name.name.text.to_lowercase();
        let local = || self.levels.last().and_then(|level| level.cursors.get(&key)).copied();
        let global = || self.cursors.global.get(&key).copied();
        match name.global {
            true => global(),
            false => local().or_else(global),
        }
    }

    /// A cursor by its name.
    pub(crate) fn cursor(&self, name: &CursorName) -> Option<&Cursor> {
        self.cursors.known.get(&self.cursor_number(name)?)
    }

    /// A cursor of the protocol that a driver has given this name.
    pub(crate) fn named_server_cursor(&self, name: &CursorName) -> Option<&ServerCursor> {
        let is_it = |cursor: &&ServerCursor| cursor.name.as_deref().is_some_and(|known| name.name.is(known));
        self.server_cursors.values().find(is_it)
    }

    /// A cursor by its name, with its number.
    ///
    /// Errors: 16916, 16950.
    pub(crate) fn cursor_mut(&mut self, name: &CursorName) -> Result<(u64, &mut Cursor), Box<Raised>> {
        let number = self.cursor_number(name).ok_or_else(|| missing(name))?;
        let cursor = self.cursors.known.get_mut(&number).ok_or_else(|| missing(name))?;
        Ok((number, cursor))
    }

    /// Keeps a new cursor under a name.
    ///
    /// Errors: 16915.
    pub(crate) fn name_cursor(&mut self, name: &str, is_local: bool, cursor: Cursor) -> Result<(), Box<Raised>> {
        let key = name.to_lowercase();
        let is_variable = key.starts_with('@');
        let names = match is_local {
            true => self.levels.last().map(|level| &level.cursors),
            false => Some(&self.cursors.global),
        };
        if !is_variable && names.is_some_and(|names| names.contains_key(&key)) {
            return Err(raised(Message::error(16915, format!("A cursor with the name '{name}' already exists."))));
        }
        self.cursors.last += 1;
        let number = self.cursors.last;
        self.cursors.known.insert(number, cursor);
        self.give_cursor(key, is_local, number);
        Ok(())
    }

    /// Gives a cursor a name; the one that had it before loses it.
    pub(crate) fn give_cursor(&mut self, key: String, is_local: bool, number: u64) {
        if let Some(cursor) = self.cursors.known.get_mut(&number) {
            cursor.names += 1;
        }
        let before = match (is_local, self.levels.last_mut()) {
            (true, Some(level)) => level.cursors.insert(key, number),
            _ => self.cursors.global.insert(key, number),
        };
        before.into_iter().for_each(|before| self.cursors.lose(before));
    }

    /// Takes a name away.
    ///
    /// Errors: 16916, 16950.
    pub(crate) fn deallocate(&mut self, name: &CursorName) -> Result<(), Box<Raised>> {
        let key = name.name.text.to_lowercase();
        let local = match (name.global, self.levels.last_mut()) {
            (false, Some(level)) => level.cursors.remove(&key),
            _ => None,
        };
        let number = local.or_else(|| self.cursors.global.remove(&key)).ok_or_else(|| missing(name))?;
        self.cursors.lose(number);
        Ok(())
    }

    /// The names of a level that has ended; those that it gives back are its caller's now.
    pub(crate) fn end_cursors(&mut self, names: HashMap<String, u64>, given: &[(String, String)]) {
        for (own, callers) in given {
            if let Some(number) = names.get(own) {
                self.give_cursor(callers.clone(), true, *number);
            }
        }
        names.into_values().for_each(|number| self.cursors.lose(number));
    }

    /// `CURSOR_STATUS`.
    pub(crate) fn cursor_status(&self, scope: &str, name: &str) -> i64 {
        let key = name.to_lowercase();
        let level = self.levels.last();
        let number = match scope.to_ascii_lowercase().as_str() {
            "local" => level.and_then(|level| level.cursors.get(&key)),
            "global" => self.cursors.global.get(&key),
            "variable" => match level.and_then(|level| level.cursors.get(&key)) {
                None => return -2,
                number => number,
            },
            _ => None,
        };
        match number.and_then(|number| self.cursors.known.get(number)) {
            None => -3,
            Some(Cursor { rows: None, .. }) => -1,
            Some(Cursor { kind: Kind::Dynamic, .. }) => 1,
            Some(Cursor { rows: Some(rows), .. }) => i64::from(!rows.rows.is_empty()),
        }
    }

    /// `@@CURSOR_ROWS`.
    pub(crate) fn cursor_rows(&self) -> i64 {
        let cursor = self.cursors.opened.and_then(|number| self.cursors.known.get(&number));
        match cursor {
            Some(Cursor { kind: Kind::Dynamic, rows: Some(_), .. }) => -1,
            Some(Cursor { rows: Some(rows), .. }) => rows.rows.len() as i64,
            _ => 0,
        }
    }
}

impl Cursors {
    fn lose(&mut self, number: u64) {
        if let Some(cursor) = self.known.get_mut(&number) {
            cursor.names = cursor.names.saturating_sub(1);
            if cursor.names == 0 {
                self.known.remove(&number);
            }
        }
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// A cursor while it is worked on.
    pub(crate) fn take(&mut self, number: u64) -> Option<Cursor> {
        self.known.remove(&number)
    }

    pub(crate) fn put(&mut self, number: u64, cursor: Cursor) {
        self.known.insert(number, cursor);
    }
}

impl Inner {
    /// A column of the key of the row that a cursor stands on.
    pub(crate) fn current_key(&self, name: &CursorName, table: &str, column: &str) -> Value {
        let value = || {
            if self.state.cursor(name).is_none() {
                return self.state.named_server_cursor(name)?.current_key(table, column);
            }
            let (rows, row) = self.state.cursor(name)?.current()?;
            let is_it = |key: &CursorKey| key.table == table && key.column.eq_ignore_ascii_case(column);
            let place = rows.keys.iter().position(is_it)?;
            row.keys.get(place).cloned()
        };
        value().unwrap_or(Value::Null)
    }
}
