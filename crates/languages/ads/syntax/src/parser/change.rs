//! INSERT, UPDATE, DELETE, MERGE.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::{
    Delete, Expr, Insert, InsertRows, Mark, Merge, Name, ObjectName, Source, StatementKind, TableSource, Update,
};
use mainstay_ads_types::native;

impl Parser<'_> {
    fn mark(&mut self) -> Option<Mark> {
        match self.accept_any(&["WITH DELETE", "WITH RECALL"]) {
            Some("WITH DELETE") => Some(Mark::Delete),
            Some(_) => Some(Mark::Recall),
            None => None,
        }
    }

    pub(super) fn insert(&mut self) -> Parse<StatementKind> {
        self.expect("INSERT INTO")?;
        let target = self.table_name()?;
        let mark = self.mark();
        let (columns, rows) = self.insert_rows()?;
        Ok(StatementKind::Insert(Box::new(Insert { target, mark, columns, rows })))
    }

    fn insert_rows(&mut self) -> Parse<(Vec<Name>, InsertRows)> {
        let mut columns = Vec::new();
        if self.sees("(") && !self.is(1, "SELECT") {
            self.advance();
            columns = self.list(Self::any_name)?;
            self.expect(")")?;
        }
        if self.accept("DEFAULT VALUES") {
            return Ok((columns, InsertRows::Default));
        }
        if !self.accept("VALUES") {
            let parenthesis = self.accept("(");
            let query = self.query()?;
            if parenthesis {
                self.expect(")")?;
            }
            return Ok((columns, InsertRows::Query(Box::new(query))));
        }
        let place = self.span();
        let rows = self.list(|it| {
            it.expect("(")?;
            let values = it.list(Self::expression)?;
            it.expect(")")?;
            Ok(values)
        })?;
        if !columns.is_empty() && rows.iter().any(|row| row.len() != columns.len()) {
            let text = "Unequal number of insert columns and insert values";
            return Err(SqlError::at(native::INSERT_COUNT, place, text));
        }
        Ok((columns, InsertRows::Values(rows)))
    }

    fn set_items(&mut self) -> Parse<Vec<(ObjectName, Expr)>> {
        self.expect("SET")?;
        self.list(|it| {
            let name = it.object_name()?;
            it.expect("=")?;
            Ok((name, it.expression()?))
        })
    }

    pub(super) fn update(&mut self) -> Parse<StatementKind> {
        self.expect("UPDATE")?;
        let target = self.table_name()?;
        let mark = self.mark();
        let items = self.set_items()?;
        let from = if self.accept("FROM") { self.sources()? } else { Vec::new() };
        let condition = if self.accept("WHERE") { Some(self.expression()?) } else { None };
        Ok(StatementKind::Update(Box::new(Update { target, mark, items, from, condition })))
    }

    pub(super) fn delete(&mut self) -> Parse<StatementKind> {
        self.expect("DELETE")?;
        let has_from = self.accept("FROM");
        let target = self.table_name()?;
        let from = match has_from && !self.sees("FROM") {
            // DELETE FROM t alias: the alias is how the condition calls it.
            true => match self.table_alias()? {
                Some(alias) => {
                    let table = TableSource { name: target.clone(), alias: Some(alias), ..TableSource::default() };
                    vec![Source::Table(Box::new(table))]
                }
                None => Vec::new(),
            },
            false => Vec::new(),
        };
        let from = if self.accept("FROM") { self.sources()? } else { from };
        let condition = if self.accept("WHERE") { Some(self.expression()?) } else { None };
        Ok(StatementKind::Delete(Box::new(Delete { target, from, condition })))
    }

    pub(super) fn merge(&mut self) -> Parse<StatementKind> {
        self.expect("MERGE")?;
        self.accept("INTO");
        let name = self.table_name()?;
        let target = TableSource { name, alias: self.table_alias()?, ..TableSource::default() };
        let using = match self.accept("USING") {
            true => Some(self.one_source()?),
            false => None,
        };
        self.expect("ON")?;
        let condition = self.expression()?;
        let (mut update, mut insert) = (None, None);
        while self.accept("WHEN") {
            if self.accept("MATCHED THEN UPDATE") {
                self.mark();
                update = Some(self.set_items()?);
            } else {
                self.expect("NOT MATCHED THEN INSERT")?;
                self.mark();
                insert = Some(self.insert_rows()?);
            }
        }
        if update.is_none() && insert.is_none() {
            return Err(self.unexpected());
        }
        Ok(StatementKind::Merge(Box::new(Merge { target, using, condition, update, insert })))
    }

    fn one_source(&mut self) -> Parse<Source> {
        let mut sources = self.sources()?;
        match sources.pop() {
            Some(source) if sources.is_empty() => Ok(source),
            _ => Err(self.unexpected()),
        }
    }
}
