//! Prepared statements of a client, by their numbers in the protocol.
//!
//! A client names a statement by the number in its description. Some clients send 0 whatever the number is, so the lowest
//! free one is given.

use super::cursor::Cursor;
use mainstay_session::Prepared;
use mainstay_sqli::{Field, Form, TypeDescription};
use mainstay_types::Value;
use std::collections::BTreeMap;

/// The most statements that a client may have prepared.
const MOST_STATEMENTS: usize = 8192;

/// A statement of a client.
pub(super) struct Statement {
    pub prepared: Prepared,
    pub fields: Vec<Field>,
    pub parameters: Vec<TypeDescription>,
    /// The values of its parameters.
    pub values: Vec<Value>,
    /// Places of values whose bytes follow, the next one last.
    pub pending_lobs: Vec<usize>,
    pub cursor: Option<Cursor>,
    pub scrolls: bool,
    /// Its cursor survives the end of a transaction.
    pub holds: bool,
    pub frees_itself: bool,
    /// The cursor of an INSERT is open: rows come by PUT.
    pub takes_rows: bool,
    pub form: Form,
    /// The column whose generated values are sent with each new row, if the client has asked for them.
    pub key: Option<Field>,
}

/// All statements of a client.
#[derive(Default)]
pub(super) struct Statements {
    open: BTreeMap<u16, Statement>,
    /// The one of a COMMAND, which has no number.
    direct: Option<Statement>,
    /// The current one; none for the direct one.
    current: Option<u16>,
}

impl Statements {
    /// Adds a statement and makes it the current one; `None` if there are too many.
    pub fn add(&mut self, statement: Statement) -> Option<u16> {
        let free = (0..u16::MAX).zip(self.open.keys()).find(|(number, used)| number != *used);
        let id = free.map_or_else(|| u16::try_from(self.open.len()).ok(), |(number, _)| Some(number))?;
        if self.open.len() >= MOST_STATEMENTS {
            return None;
        }
        self.open.insert(id, statement);
        self.current = Some(id);
        Some(id)
    }

    /// Sets the statement of a COMMAND, and gives the one before.
    pub fn set_direct(&mut self, statement: Statement) -> Option<Statement> {
        self.current = None;
        self.direct.replace(statement)
    }

    /// Makes a statement the current one; false for an unknown number.
    pub fn select(&mut self, id: u16) -> bool {
        self.current = Some(id);
        self.open.contains_key(&id)
    }

    pub fn current_id(&self) -> Option<u16> {
        self.current
    }

    pub fn current(&mut self) -> Option<&mut Statement> {
        match self.current {
            Some(id) => self.open.get_mut(&id),
            None => self.direct.as_mut(),
        }
    }

    /// Closes the cursors that do not survive the end of a transaction.
    pub fn close_cursors(&mut self) {
        for statement in self.open.values_mut().chain(&mut self.direct).filter(|statement| !statement.holds) {
            statement.cursor = None;
            statement.takes_rows = false;
        }
    }

    /// Takes the current statement away.
    pub fn remove_current(&mut self) -> Option<Statement> {
        match self.current {
            Some(id) => self.open.remove(&id),
            None => self.direct.take(),
        }
    }

    /// Takes all away.
    pub fn take_all(&mut self) -> Vec<Statement> {
        std::mem::take(&mut self.open).into_values().chain(self.direct.take()).collect()
    }
}
