//! MERGE.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::{Matched, Merge, Statement};

impl Parser<'_> {
    /// The two branches may stand in either order, each once.
    pub(super) fn merge(&mut self) -> Parse<Statement> {
        self.expect("MERGE INTO")?;
        let target = self.object_name()?;
        let alias = self.change_alias()?;
        self.expect("USING")?;
        let source = self.source()?;
        self.expect("ON")?;
        let condition = self.expression()?;
        let (mut matched, mut unmatched) = (None, None);
        loop {
            if matched.is_none() && self.accept("WHEN MATCHED THEN") {
                matched = Some(match self.accept_any(&["UPDATE", "DELETE"]) {
                    Some("UPDATE") => Matched::Update(self.set_items()?),
                    Some(_) => Matched::Delete,
                    None => return Err(self.unexpected()),
                });
            } else if unmatched.is_none() && self.accept("WHEN NOT MATCHED THEN INSERT") {
                let mut columns = Vec::new();
                if self.accept("(") {
                    columns = self.list(Self::column_to_set)?;
                    self.expect(")")?;
                }
                let place = self.span();
                self.expect("VALUES (")?;
                let values = self.list(Self::expression)?;
                self.expect(")")?;
                if !columns.is_empty() && columns.len() != values.len() {
                    let text = "Number of values in INSERT is not equal to number of columns.";
                    return Err(SqlError::at(-236, place, text));
                }
                unmatched = Some((columns, values));
            } else {
                break;
            }
        }
        if matched.is_none() && unmatched.is_none() {
            return Err(self.unexpected());
        }
        Ok(Statement::Merge(Box::new(Merge { target, alias, source, condition, matched, unmatched })))
    }
}
