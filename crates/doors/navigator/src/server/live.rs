//! Live cursors of a client: open tables of which it sees the rows of a statement.
//!
//! ```text
//!   live      the statement is looked at; what finds its records stays here      -> the table, a number
//!   open      the table, as any other
//!   members   the table shows the records of that number
//! ```
//! The records are determined when they are first shown, when the client wants them anew, and when a statement of it
//! has changed rows; a record that was written through the cursor is checked by itself. So the client never sends the
//! query of the records, and whatever it opens it sees no record that it would not see without.

use super::session::{MOST_TABLES, Open, Session};
use crate::live::{Rows, Watch};
use crate::sql::{Live, Outcome, Parameter, Shown, SqlSession};
use crate::wire::messages::{Reply, Step};
use mainstay_types::{Code, Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of a table that is a live cursor.
pub(crate) struct Members {
    /// The query of their numbers; none if every record is one.
    query: Option<String>,
    rows: Arc<Rows>,
    written: Arc<Mutex<Vec<u32>>>,
    is_stale: bool,
}

impl Session {
    /// Looks at a statement, whose rows may be records.
    pub(crate) fn live(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Reply> {
        let Some(Live { table, members }) = self.statements()?.live(sql, parameters)? else {
            return Ok(Reply::Live(None));
        };
        // A client that asks and does not open is forgotten at some time.
        if self.seen_live.len() >= MOST_TABLES {
            self.seen_live.clear();
        }
        self.next_live += 1;
        self.seen_live.insert(self.next_live, members);
        Ok(Reply::Live(Some(Shown { table, members: self.next_live })))
    }

    /// Has a table show the records of a statement.
    pub(crate) fn show_members(&mut self, table: u32, number: u32) -> Result<Reply> {
        let missing = |what| Error::new(Code::NotFound, what);
        let query = self.seen_live.remove(&number).ok_or_else(|| missing("there is no statement of this number"))?;
        let open = self.tables.get_mut(&table).ok_or_else(|| missing("the client has no such table open"))?;
        if open.members.is_some() || open.is_cursor {
            return Err(Error::new(Code::InvalidValue, "the table is a cursor already"));
        }
        let rows = if query.is_some() { Rows::none() } else { Rows::all() };
        let written = Watch::over(&mut open.area, &rows);
        let is_stale = query.is_some();
        open.members = Some(Members { query, rows, written, is_stale });
        self.members_before(table, &Step::RefreshAof)?;
        Ok(Reply::Done)
    }

    /// A statement may have changed rows: which are members is asked before the cursors are used next.
    pub(crate) fn forget_members(&mut self, outcome: &Outcome) {
        if outcome.affected == 0 {
            return;
        }
        let members = self.tables.values_mut().filter_map(|open| open.members.as_mut());
        members.for_each(|members| members.is_stale = members.query.is_some());
    }

    /// Asks for the members before a step, if that is to be done.
    pub(crate) fn members_before(&mut self, table: u32, step: &Step) -> Result<()> {
        if matches!(step, Step::Close | Step::Cancel | Step::Unlock | Step::UnlockRecord(_)) {
            return Ok(());
        }
        let Some(Open { area, members: Some(members), .. }) = self.tables.get_mut(&table) else { return Ok(()) };
        let (Some(query), true) = (&members.query, members.is_stale || matches!(step, Step::RefreshAof)) else {
            return Ok(());
        };
        let Some(statements) = &mut self.statements else { return Ok(()) };
        members.rows.replace(&statements.members(query, None)?);
        members.is_stale = false;
        area.set_predicate(Some(members.rows.predicate(area.header().layout)));
        Ok(())
    }

    /// Asks for the records that a step has written.
    pub(crate) fn members_after(&mut self, table: u32) {
        let Some(Open { area, members: Some(members), .. }) = self.tables.get_mut(&table) else { return };
        let written = std::mem::take(&mut *members.written.lock().unwrap_or_else(PoisonError::into_inner));
        if written.is_empty() {
            return;
        }
        let asked = match (&members.query, &mut self.statements) {
            (Some(query), Some(statements)) => area.before_statement().and_then(|()| {
                written.iter().try_for_each(|record| ask(&mut **statements, query, *record, &members.rows))
            }),
            _ => Ok(()),
        };
        // It is written all the same: what cannot be asked for now is when the cursor is used next.
        members.is_stale |= asked.is_err();
        // Results computed from the predicate before are invalid.
        area.set_predicate(Some(members.rows.predicate(area.header().layout)));
    }
}

fn ask(statements: &mut dyn SqlSession, query: &str, record: u32, rows: &Rows) -> Result<()> {
    let found = statements.members(query, Some(record))?;
    rows.set(record, !found.is_empty());
    Ok(())
}

impl Open {
    /// Returns true if a record is a row of the cursor that the table is, if it is one.
    pub(crate) fn is_row(&self, record: u32) -> bool {
        self.members.as_ref().is_none_or(|members| members.rows.has(record))
    }
}
