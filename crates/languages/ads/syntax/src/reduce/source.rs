//! FROM.

use super::{Reducer, quoted, table_name};
use crate::error::{Parse, SqlError};
use crate::tree::{Alias, Argument, Expr, JoinKind, ObjectName, Source, TableSource};

impl Reducer<'_> {
    pub(super) fn from(&mut self, sources: &[Source]) -> Parse<()> {
        if sources.is_empty() {
            return Ok(());
        }
        self.push(" FROM ");
        self.list(sources, Self::source)
    }

    /// The tables of FROM by their names.
    pub(super) fn tables_of(sources: &[Source]) -> Vec<ObjectName> {
        fn collect(source: &Source, tables: &mut Vec<ObjectName>) {
            match source {
                Source::Table(table) => tables.push(table.name.clone()),
                Source::Join(join) => {
                    collect(&join.left, tables);
                    collect(&join.right, tables);
                }
                Source::Nested(inner) | Source::OdbcJoin(inner) => collect(inner, tables),
                _ => {}
            }
        }
        let mut tables = Vec::new();
        sources.iter().for_each(|source| collect(source, &mut tables));
        tables
    }

    pub(super) fn source(&mut self, source: &Source) -> Parse<()> {
        match source {
            Source::Table(table) => self.table(table),
            Source::Query(query, alias) => {
                self.push("(");
                self.query(query)?;
                self.push(")");
                self.alias(alias);
                Ok(())
            }
            Source::Function(call, _, alias) => {
                let Expr::Call(call) = call.as_ref() else { return Err(SqlError::unsupported("this source")) };
                let values = call.arguments.iter().filter_map(|argument| match argument {
                    Argument::Value(value) => Some(value.clone()),
                    _ => None,
                });
                let text = self.scope.procedure(&call.name, &values.collect::<Vec<_>>())?;
                self.push(&text);
                self.alias(alias);
                Ok(())
            }
            Source::Join(join) => {
                self.source(&join.left)?;
                self.push(match join.kind {
                    JoinKind::Inner => " INNER JOIN ",
                    JoinKind::Left => " LEFT JOIN ",
                    JoinKind::Right => " RIGHT JOIN ",
                    JoinKind::Full => " FULL JOIN ",
                    JoinKind::Cross => " CROSS JOIN ",
                });
                match &join.right {
                    nested @ Source::Join(_) => {
                        self.push("(");
                        self.source(nested)?;
                        self.push(")");
                    }
                    right => self.source(right)?,
                }
                if let Some(condition) = &join.condition {
                    self.push(" ON ");
                    self.expression(condition)?;
                }
                Ok(())
            }
            Source::Nested(inner) | Source::OdbcJoin(inner) => {
                let is_join = matches!(inner.as_ref(), Source::Join(_));
                self.push(if is_join { "(" } else { "" });
                self.source(inner)?;
                self.push(if is_join { ")" } else { "" });
                Ok(())
            }
            _ => Err(SqlError::unsupported("this source")),
        }
    }

    fn table(&mut self, table: &TableSource) -> Parse<()> {
        self.target(&table.name)?;
        let name = match &table.alias {
            Some(alias) => alias.text.clone(),
            None => table_name(&table.name),
        };
        self.push(" AS ");
        self.name(&name);
        Ok(())
    }

    /// Writes a table by what the core calls it.
    pub(super) fn target(&mut self, name: &ObjectName) -> Parse<()> {
        match self.scope.table(name)? {
            Some(text) => self.push(&text),
            None => self.name(&table_name(name)),
        }
        Ok(())
    }

    fn alias(&mut self, alias: &Alias) {
        self.push(" AS ");
        match &alias.name {
            Some(name) => self.name(&name.text),
            None => {
                let place = self.out.len();
                self.name(&format!("#m{place}"));
            }
        }
        if !alias.columns.is_empty() {
            let columns: Vec<String> = alias.columns.iter().map(|column| quoted(&column.text)).collect();
            self.push(&format!(" ({})", columns.join(", ")));
        }
    }
}
