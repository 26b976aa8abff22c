//! The rows of a query as a table: a static cursor ([`crate::live`] has the others).

use std::sync::Arc;

use mainstay_navigator::rows;
use mainstay_types::Result;
use mainstay_workarea::{Area, WorkArea};

use crate::backend::{Column, Executed, Outcome};
use crate::connection::Connection;

/// Opens the rows of an answer, copies of which are written where the connection's tables are, if that is here.
pub fn open(outcome: &Outcome, connection: &Connection) -> Result<Area> {
    rows::table_of(&outcome.columns, &outcome.rows).map(|area| here(area, connection))
}

/// The rows of a statement with their columns, and how many rows it has changed; no area if it gives no rows.
pub struct Given {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub area: Option<Box<dyn WorkArea>>,
}

/// Opens what a statement gives.
///
/// Errors: those of the statement, where its rows come while they are opened.
pub fn open_executed(executed: Executed, connection: &Connection) -> Result<Given> {
    Ok(match executed {
        Executed::Done(outcome) if outcome.columns.is_empty() => Given { columns: Vec::new(), area: None },
        Executed::Done(outcome) => {
            let area = open(&outcome, connection)?;
            Given { columns: outcome.columns, area: Some(Box::new(area)) }
        }
        Executed::Rows(mut source) => {
            let (columns, area) = rows::table_from(&[], &mut *source, &|| Ok(()))?;
            Given { columns, area: Some(Box::new(here(area, connection))) }
        }
        Executed::Table { columns, area } => Given { columns, area: Some(area) },
    })
}

fn here(mut area: Area, connection: &Connection) -> Area {
    if connection.server.is_none() {
        area.set_copies_to(Arc::clone(&connection.files));
    }
    area
}
