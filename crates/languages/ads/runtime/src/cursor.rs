//! A cursor of a script: all its rows, and its current one.

use crate::failure::Failed;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_types::native;
use mainstay_area_session::Outcome;
use mainstay_types::{SqlType, Value};

/// An open cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    rows: Outcome,
    /// The number of the row that the next FETCH gives.
    next: usize,
}

impl Cursor {
    pub(crate) fn new(rows: Outcome) -> Cursor {
        Cursor { rows, next: 0 }
    }

    /// Goes to the next row; false if there is none, and then the cursor has no current row.
    pub(crate) fn fetch(&mut self) -> bool {
        let found = self.next < self.rows.rows.len();
        self.next = (self.next + 1).min(self.rows.rows.len() + 1);
        found
    }

    /// A column of the row that it is on.
    ///
    /// Errors: 2222 for a column that is not there, 2223 when it is on no row.
    pub(crate) fn value(&self, column: &str) -> Result<(Value, SqlType), Failed> {
        let place = self.rows.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column));
        let Some((place, known)) = place.and_then(|place| Some((place, self.rows.columns.get(place)?))) else {
            return Err(SqlError::new(native::CURSOR_COLUMN, format!("Column not found in cursor: {column}")));
        };
        let row = self.next.checked_sub(1).and_then(|at| self.rows.rows.get(at));
        match row.and_then(|row| row.get(place)) {
            Some(value) => Ok((value.clone(), known.sql_type)),
            None => Err(SqlError::new(native::CURSOR_ROW, "Cursor is not positioned on a row")),
        }
    }
}
