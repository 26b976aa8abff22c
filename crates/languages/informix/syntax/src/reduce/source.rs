//! FROM.

use super::{Reducer, quoted};
use crate::error::{Parse, SqlError};
use crate::tree::{Alias, Expr, JoinKind, ObjectName, Source, TableSource};

impl Reducer<'_> {
    /// Writes FROM, and gives the conditions that are left for WHERE: those of subordinate tables stand in their joins.
    pub(super) fn from(&mut self, sources: &[Source], condition: Option<&Expr>) -> Parse<Vec<Expr>> {
        let mut left: Vec<Expr> = match condition {
            Some(Expr::And(parts)) => parts.clone(),
            Some(condition) => vec![condition.clone()],
            None => Vec::new(),
        };
        if sources.is_empty() {
            return Ok(left);
        }
        self.push(" FROM ");
        for (place, source) in sources.iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            self.source(source, &mut left)?;
        }
        Ok(left)
    }

    pub(super) fn source(&mut self, source: &Source, conditions: &mut Vec<Expr>) -> Parse<()> {
        match source {
            Source::Table(table) => self.table(table),
            Source::Query(query, alias) => {
                self.push("(");
                self.query(query)?;
                self.push(")");
                self.alias(alias);
                Ok(())
            }
            Source::Values(rows, alias) => {
                self.push("(VALUES ");
                self.list(rows, |it, row| {
                    it.push("(");
                    it.list(row, |it, value| it.expression(value))?;
                    it.push(")");
                    Ok(())
                })?;
                self.push(")");
                self.alias(alias);
                Ok(())
            }
            Source::Join(join) => {
                self.source(&join.left, conditions)?;
                self.push(match join.kind {
                    JoinKind::Inner => " INNER JOIN ",
                    JoinKind::Left => " LEFT JOIN ",
                    JoinKind::Right => " RIGHT JOIN ",
                    JoinKind::Full => " FULL JOIN ",
                    JoinKind::Cross => " CROSS JOIN ",
                });
                self.side(&join.right, conditions)?;
                if let Some(condition) = &join.condition {
                    self.push(" ON ");
                    self.expression(condition)?;
                }
                Ok(())
            }
            Source::Apply(left, _, right) => {
                self.side(left, conditions)?;
                self.push(" LEFT JOIN ");
                self.side(right, conditions)?;
                self.push(" ON ");
                self.outer_conditions(right, conditions)
            }
            Source::Nested(inner) => self.side(inner, conditions),
            _ => Err(SqlError::unsupported("this source")),
        }
    }

    /// A side of a join; a join is put in parentheses.
    fn side(&mut self, source: &Source, conditions: &mut Vec<Expr>) -> Parse<()> {
        let is_join = matches!(source, Source::Join(_) | Source::Apply(..));
        self.push(if is_join { "(" } else { "" });
        self.source(source, conditions)?;
        self.push(if is_join { ")" } else { "" });
        Ok(())
    }

    fn table(&mut self, table: &TableSource) -> Parse<()> {
        self.target(&table.name)?;
        self.push(" AS ");
        let name = table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
        self.name(&name);
        Ok(())
    }

    /// Writes a table by the name that the core has for it.
    pub(super) fn target(&mut self, name: &ObjectName) -> Parse<()> {
        match self.scope.table(name)? {
            Some(text) => self.push(&text),
            None => {
                let name = self.scope.core_name(name);
                self.name(&name);
            }
        }
        Ok(())
    }

    fn alias(&mut self, alias: &Alias) {
        self.push(" AS ");
        match &alias.name {
            Some(name) => self.name(&name.text),
            None => {
                let place = self.out.len();
                self.name(&format!("#{place}"));
            }
        }
        if !alias.columns.is_empty() {
            let columns: Vec<String> = alias.columns.iter().map(|column| quoted(&column.text)).collect();
            self.push(&format!(" ({})", columns.join(", ")));
        }
    }
}
