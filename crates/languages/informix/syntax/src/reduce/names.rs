//! Columns and the types of what they are compared with.

use super::{Known, Reducer};
use crate::tree::{Expr, ObjectName, Source};
use crate::types::{Field, Type};

impl Reducer<'_> {
    /// The tables of FROM, with their columns.
    pub(super) fn tables_of(&self, sources: &[Source]) -> Vec<Known> {
        let mut known = Vec::new();
        sources.iter().for_each(|source| self.collect(source, &mut known));
        known
    }

    fn collect(&self, source: &Source, known: &mut Vec<Known>) {
        match source {
            Source::Table(table) => {
                let alias =
                    table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
                known.push(self.known(&table.name, alias));
            }
            Source::Query(_, alias) => {
                let alias = alias.name.as_ref().map(|name| name.text.clone()).unwrap_or_default();
                known.push(Known { alias, columns: Vec::new() });
            }
            Source::Join(join) => {
                self.collect(&join.left, known);
                self.collect(&join.right, known);
            }
            Source::Apply(left, _, right) => {
                self.collect(left, known);
                self.collect(right, known);
            }
            Source::Nested(inner) => self.collect(inner, known),
            _ => {}
        }
    }

    pub(super) fn known(&self, table: &ObjectName, alias: String) -> Known {
        Known { alias, columns: self.scope.columns(table).unwrap_or_default() }
    }

    /// The type of a column, if its table is known.
    fn column_type(&self, name: &ObjectName) -> Option<Type> {
        let (table, column) = match &name.parts[..] {
            [column] => (None, column),
            [.., table, column] => (Some(table), column),
            [] => return None,
        };
        let is_named = |known: &&Known| table.is_none_or(|table| table.is(&known.alias));
        let tables = self.tables.iter().rev().flatten().filter(is_named);
        tables.flat_map(|known| &known.columns).find(|(known, _)| column.is(known)).map(|(_, known)| *known)
    }

    /// The type of a value, where grammar and columns tell.
    pub(super) fn type_of(&self, value: &Expr) -> Option<Type> {
        match value {
            Expr::Column(name) => self.column_type(name),
            Expr::Cast(cast) => {
                let (_, declared) = cast.data_type.name.last().trim_matches('"').split_once('=')?;
                Type::of_declared(declared)
            }
            Expr::Niladic(word) if word == "TODAY" => Some(Type::Date),
            Expr::Niladic(word) if word == "CURRENT" => Some(Type::DateTime(Field::YEAR, Field(15))),
            Expr::Unary(_, operand) => self.type_of(operand),
            Expr::Variable(name) => self.variable_type(name),
            Expr::Call(call) => self.scope.function(&call.name, call.arguments.len()).map(|(_, known)| known),
            _ => None,
        }
    }
}
