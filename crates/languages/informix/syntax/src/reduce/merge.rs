//! MERGE: the core has the same statement.

use super::Reducer;
use crate::error::{Parse, SqlError};
use crate::tree::{Expr, Literal, Matched, Merge, Name};
use crate::types::Type;

impl Reducer<'_> {
    pub(super) fn merge(&mut self, merge: &Merge) -> Parse<()> {
        self.push("MERGE INTO ");
        self.target(&merge.target)?;
        let alias = merge.alias.as_ref().map_or_else(|| merge.target.last().to_owned(), |alias| alias.text.clone());
        self.push(" AS ");
        self.name(&alias);
        self.push(" USING ");
        self.source(&merge.source, &mut Vec::new())?;
        let target = self.known(&merge.target, alias);
        let columns = target.columns.clone();
        let mut tables = vec![target];
        tables.extend(self.tables_of(std::slice::from_ref(&merge.source)));
        self.tables.push(tables);
        self.push(" ON ");
        self.expression(&merge.condition)?;
        match &merge.matched {
            Some(Matched::Update(items)) => {
                self.push(" WHEN MATCHED THEN UPDATE SET ");
                self.list(items, |it, (column, value)| {
                    it.name(&column.text);
                    it.push(" = ");
                    let known = columns.iter().find(|(known, _)| column.is(known)).and_then(|(_, known)| *known);
                    it.assigned(value, known)
                })?;
            }
            Some(Matched::Delete) => self.push(" WHEN MATCHED THEN DELETE"),
            None => {}
        }
        if let Some((names, values)) = &merge.unmatched {
            self.merge_insert(names, values, &columns)?;
        }
        self.tables.pop();
        Ok(())
    }

    /// A SERIAL that is 0 is left out, so that the table counts it.
    fn merge_insert(&mut self, names: &[Name], values: &[Expr], columns: &[(String, Option<Type>)]) -> Parse<()> {
        let named: Vec<(String, Option<Type>)> = match names.is_empty() {
            true => columns.to_vec(),
            false => names
                .iter()
                .map(|name| {
                    let known = columns.iter().find(|(column, _)| name.is(column)).and_then(|(_, known)| *known);
                    (name.text.clone(), known)
                })
                .collect(),
        };
        if named.len() != values.len() {
            return Err(SqlError::new(-236, "Number of values in INSERT is not equal to number of columns."));
        }
        let is_counted = |known: Option<Type>, value: &Expr| {
            let is_zero =
                matches!(value, Expr::Literal(Literal::Integer(digits)) if digits.trim_matches('0').is_empty());
            is_zero && known.is_some_and(Type::is_serial)
        };
        let given: Vec<(&(String, Option<Type>), &Expr)> =
            named.iter().zip(values).filter(|((_, known), value)| !is_counted(*known, value)).collect();
        self.push(" WHEN NOT MATCHED THEN INSERT (");
        self.list(&given, |it, ((name, _), _)| {
            it.name(name);
            Ok(())
        })?;
        self.push(") VALUES (");
        self.list(&given, |it, ((_, known), value)| it.assigned(value, *known))?;
        self.push(")");
        Ok(())
    }
}
