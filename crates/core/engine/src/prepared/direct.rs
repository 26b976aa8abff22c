//! Unprepared changes on the row executor: one row by its key, or the few that an index gives.
//!
//! The same rules decide as for a prepared statement, with literals in place of parameters. A change of one row by its
//! key needs no plan at all. An INSERT does not come here: its rows of values need no executor, prepared or not.

use super::cells::Fast;
use super::point;
use super::short::{ShortStatement, Workspace};
use super::uses::Uses;
use crate::native::key_of;
use crate::session::Session;
use mainstay_planner::{Answer, PointStatement, Statement};
use mainstay_types::{Code, Result};
use std::sync::Arc;

/// How the row executor changes the rows of a statement.
pub(crate) struct Direct {
    way: Way,
}

enum Way {
    /// One row, by its key.
    Point(Box<Fast>),
    /// Those that a block finds.
    Short(Box<ShortStatement>),
}

impl Direct {
    /// The row executor's way of an UPDATE or a DELETE; `None` for what is the batch executor's.
    ///
    /// Errors: those that the statement has either way.
    pub(crate) fn of(session: &Session, text: &str, statement: &Statement) -> Result<Option<Direct>> {
        let table = match statement {
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            _ => return Ok(None),
        };
        match session.form(&key_of(table)) {
            Ok(_) => {}
            Err(error) if error.code() == Code::UnknownTable => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut uses = Uses::default();
        if let Some(point) = PointStatement::of_change(statement, text)?
            && let Some(fast) = Fast::of(session, &point, &mut uses)?
        {
            return Ok(Some(Direct { way: Way::Point(Box::new(fast)) }));
        }
        let short = ShortStatement::of_change(session, text, statement.clone(), &mut uses)?;
        Ok(short.map(|short| Direct { way: Way::Short(Box::new(short)) }))
    }

    /// How the rows are found, for EXPLAIN.
    pub(crate) fn describe(&self) -> String {
        match &self.way {
            Way::Point(fast) => fast.describe(),
            Way::Short(short) => short.describe(),
        }
    }
}

/// Runs an UPDATE or a DELETE; `None` when the batch executor has to find its rows.
pub(crate) fn direct_change(session: &mut Session, text: &str, statement: &Statement) -> Result<Option<Answer>> {
    let Some(direct) = Direct::of(session, text, statement)? else { return Ok(None) };
    let text = Arc::from(text);
    let changed = match direct.way {
        Way::Point(fast) => point::change(session, &text, &fast, &[])?,
        Way::Short(short) => {
            let mut workspace = Workspace::default();
            if short.shows_rows() {
                return short.returning(session, &text, &[], &mut workspace);
            }
            short.change(session, &text, &[], &mut workspace)?
        }
    };
    Ok(changed.map(|rows| crate::session::nothing().with_changed(rows)))
}
