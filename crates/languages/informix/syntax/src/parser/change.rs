//! INSERT, UPDATE, DELETE.

use super::primary::refused;
use super::{Body, Parser};
use crate::error::{Parse, SqlError};
use crate::tree::{CurrentOf, Delete, Expr, Insert, InsertRows, Name, Statement, Update};

impl Parser<'_> {
    pub(super) fn insert(&mut self) -> Parse<Statement> {
        self.expect("INSERT INTO")?;
        let target = self.object_name()?;
        let mut columns = Vec::new();
        if self.sees("(") && !self.is(1, "SELECT") {
            columns = self.names()?;
        }
        let place = self.span();
        let rows = if self.accept("VALUES") {
            self.expect("(")?;
            let values = self.list(Self::expression)?;
            self.expect(")")?;
            if self.sees(",") && !self.next_action() {
                return Err(refused("several rows in VALUES"));
            }
            if !columns.is_empty() && columns.len() != values.len() {
                let text = "Number of values in INSERT is not equal to number of columns.";
                return Err(SqlError::at(-236, place, text));
            }
            InsertRows::Values(values)
        } else if self.sees("SELECT") || self.sees("WITH") {
            InsertRows::Query(Box::new(self.query()?))
        } else if self.sees("EXECUTE") {
            InsertRows::Call(Box::new(self.execute()?))
        } else {
            self.expect("(")?;
            let query = self.query()?;
            self.expect(")")?;
            InsertRows::Query(Box::new(query))
        };
        Ok(Statement::Insert(Box::new(Insert { target, columns, rows })))
    }

    /// `SET a = 1, b = 2` and `SET (a, b) = (1, 2)`.
    pub(super) fn set_items(&mut self) -> Parse<Vec<(Name, Expr)>> {
        self.expect("SET")?;
        let mut items = Vec::new();
        loop {
            if self.sees("(") {
                let place = self.span();
                let columns = self.names()?;
                self.expect("= (")?;
                let values = match self.sees("( SELECT") || self.sees("SELECT") {
                    true => self.values_of_query(columns.len())?,
                    false => self.list(Self::expression)?,
                };
                self.expect(")")?;
                if columns.len() != values.len() {
                    return Err(SqlError::at(-360, place, "The number of columns and values of SET differ."));
                }
                items.extend(columns.into_iter().zip(values));
            } else {
                let name = self.column_to_set()?;
                self.expect("=")?;
                items.push((name, self.expression()?));
            }
            if self.next_action() || !self.accept(",") {
                return Ok(items);
            }
        }
    }

    /// The values of a query that gives one row: each column of it is a query of its own.
    fn values_of_query(&mut self, count: usize) -> Parse<Vec<Expr>> {
        let (parenthesis, marks) = (self.accept("("), self.marks);
        let query = self.query()?;
        if parenthesis {
            self.expect(")")?;
        }
        let refused = || refused("a query of this kind for several columns of UPDATE");
        let crate::tree::QueryBody::Select(select) = &query.body else { return Err(refused()) };
        let is_value = |item: &crate::tree::SelectItem| matches!(item, crate::tree::SelectItem::Value(..));
        if self.marks > marks || !select.items.iter().all(is_value) {
            return Err(refused());
        }
        if count == 1 {
            return Ok(vec![Expr::Subquery(Box::new(query))]);
        }
        let of = |item: &crate::tree::SelectItem| {
            let mut one = query.clone();
            if let crate::tree::QueryBody::Select(select) = &mut one.body {
                select.items = vec![item.clone()];
            }
            Expr::Subquery(Box::new(one))
        };
        Ok(select.items.iter().map(of).collect())
    }

    /// True if the comma stands between two statements of a trigger.
    fn next_action(&self) -> bool {
        let begins = ["INSERT", "UPDATE", "DELETE", "EXECUTE", "MERGE"].iter().any(|word| self.is(1, word));
        self.body == Body::Trigger && self.sees(",") && begins && !self.is(2, "=")
    }

    /// A column, with or without its table.
    pub(super) fn column_to_set(&mut self) -> Parse<Name> {
        let name = self.name()?;
        if self.accept(".") { self.name() } else { Ok(name) }
    }

    pub(super) fn update(&mut self) -> Parse<Statement> {
        self.expect("UPDATE")?;
        let target = self.object_name()?;
        let alias = self.change_alias()?;
        let items = self.set_items()?;
        let (condition, cursor) = self.change_condition()?;
        Ok(Statement::Update(Box::new(Update { target, alias, items, condition, cursor })))
    }

    pub(super) fn delete(&mut self) -> Parse<Statement> {
        self.expect("DELETE")?;
        self.accept("FROM");
        let target = self.object_name()?;
        let alias = self.change_alias()?;
        let (condition, cursor) = self.change_condition()?;
        Ok(Statement::Delete(Box::new(Delete { target, alias, condition, cursor })))
    }

    pub(super) fn change_alias(&mut self) -> Parse<Option<Name>> {
        if self.accept("AS") || self.is_alias(0) { self.name().map(Some) } else { Ok(None) }
    }

    fn change_condition(&mut self) -> Parse<(Option<Expr>, Option<CurrentOf>)> {
        if !self.accept("WHERE") {
            return Ok((None, None));
        }
        if self.accept("CURRENT OF") {
            return Ok((None, Some(CurrentOf { name: self.name()?, parameter: self.marks + 1 })));
        }
        Ok((Some(self.expression()?), None))
    }
}
