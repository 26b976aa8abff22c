//! Computed columns of the moment at which they are read: `Age AS DATEDIFF(YEAR, Born, GETDATE())`.
//!
//! The core stores every computed column, so what it has of these is of the moment at which the row was written. A query
//! reads the table with the expressions in the place of the columns:
//!
//! ```text
//!   FROM People AS p      FROM (SELECT "id", "born", "mssql:datediff:year"("born", "mssql:given:datetime"($1)) AS "age"
//!                               FROM "people") AS "p"
//! ```
//!
//! What finds its rows by the core's number of them reads what is stored: the target of a change, a table whose rows are
//! locked, and one without a primary key.

use super::{Reducer, quoted};
use crate::tree::TableSource;
use mainstay_mssql::Message;

/// A column of a table, and its expression in the core's SQL if it is computed of the moment.
pub type MomentaryColumn = (String, Option<String>);

/// The moments as definitions have them, and what asks the session for them.
const MOMENTS: [(&str, &str); 4] = [
    ("datetime", "getdate"),
    ("datetime2(7)", "sysdatetime"),
    ("datetimeoffset(7)", "sysdatetimeoffset"),
    ("date", "current_date"),
];

/// A moment of this type in the definition of a table.
pub(super) fn in_definition(data_type: &str) -> String {
    format!("\"mssql:cast:{data_type}\"(CAST(now() AS TIMESTAMP))")
}

/// Whether the expression of a computed column is of the moment.
pub fn is_momentary(text: &str) -> bool {
    text.contains("now()")
}

impl Reducer<'_> {
    /// The columns of a table that is read, where some are of the moment.
    pub(super) fn momentary_columns(&self, table: &TableSource) -> Option<Vec<MomentaryColumn>> {
        if self.in_table || super::locking::says_lock(&table.hints) {
            return None;
        }
        let columns = self.scope.momentary_columns(&table.name)?;
        let core = self.scope.table(&table.name).ok();
        let is_target = self.current.as_ref().is_some_and(|(_, _, target)| self.scope.table(target).ok() == core);
        (!is_target).then_some(columns)
    }

    /// Writes a table with such columns, without the name that it goes by.
    pub(super) fn momentary_table(&mut self, table: &TableSource, columns: &[MomentaryColumn]) -> Result<(), Message> {
        self.push("(SELECT ");
        self.list(columns, |it, (name, text)| {
            if let Some(text) = text {
                it.momentary(text)?;
                it.push(" AS ");
            }
            it.push(&quoted(name));
            Ok(())
        })?;
        self.push(" FROM ");
        self.table_name(&table.name)?;
        self.push(")");
        Ok(())
    }

    /// Writes the expression of a column, with the session's moment in the place of the core's.
    fn momentary(&mut self, text: &str) -> Result<(), Message> {
        let mut text = text.to_owned();
        for (data_type, function) in MOMENTS {
            let known = in_definition(data_type);
            if text.contains(&known) {
                text = text.replace(&known, &self.aside(|it| it.niladic(function))?);
            }
        }
        self.push(&text);
        Ok(())
    }
}
