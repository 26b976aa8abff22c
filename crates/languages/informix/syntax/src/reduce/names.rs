//! Columns and the types of what they are compared with.

use super::{Known, Reducer};
use crate::tree::{CommonTable, Expr, Name, ObjectName, Source};
use crate::types::{Field, Type};

/// Columns under the names that a statement gives them, if it does.
fn renamed(columns: Vec<(String, Option<Type>)>, names: &[Name]) -> Vec<(String, Option<Type>)> {
    let rename = |(place, (name, known)): (usize, (String, Option<Type>))| {
        (names.get(place).map_or(name, |given| given.text.clone()), known)
    };
    columns.into_iter().enumerate().map(rename).collect()
}

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
            Source::Query(query, alias) => {
                let name = alias.name.as_ref().map(|name| name.text.clone()).unwrap_or_default();
                known.push(Known {
                    alias: name,
                    table: None,
                    columns: renamed(self.output_types(query), &alias.columns),
                });
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
        let common = self.common.iter().rev().find(|known| table.is(&known.alias));
        let columns = match common {
            Some(common) => common.columns.clone(),
            None => {
                let columns = self.scope.columns(table).unwrap_or_default();
                columns.into_iter().map(|(name, known)| (name, Some(known))).collect()
            }
        };
        let table = common.is_none().then(|| table.clone());
        Known { alias, table, columns }
    }

    /// The core's column that numbers the rows of a table, for ROWID; `None` where a column has that name.
    pub(super) fn row_number(&self, name: &ObjectName) -> Option<String> {
        if !name.last().eq_ignore_ascii_case("rowid") || self.column_type(name).is_some() {
            return None;
        }
        let named = name.parts.iter().rev().nth(1);
        let mut tables = self.tables.iter().rev().flatten();
        let known = tables.find(|known| named.is_none_or(|named| named.is(&known.alias)))?;
        let column = self.scope.row_number(known.table.as_ref()?);
        Some(format!("{}.{}", super::quoted(&known.alias), super::quoted(column)))
    }

    /// Adds a common table expression to those that queries may name.
    pub(super) fn add_common(&mut self, table: &CommonTable) {
        let columns = renamed(self.output_types(&table.query), &table.columns);
        self.common.push(Known { alias: table.name.text.clone(), table: None, columns });
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
        tables.flat_map(|known| &known.columns).find(|(known, _)| column.is(known)).and_then(|(_, known)| *known)
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
