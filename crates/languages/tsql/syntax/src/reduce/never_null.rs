//! Columns of a query's result that are never NULL, as SQL Server derives it from the query alone: SELECT INTO makes
//! them NOT NULL.
//!
//! A column keeps the nullability of its table, unless an outer join may leave it out or ROLLUP and the like give
//! totals. A constant is never NULL, and ISNULL is not if one of its arguments is not. Any other expression may be,
//! since an overflow may give NULL. Columns are followed through derived tables, common table expressions and UNION.

use super::TableColumn;
use crate::tree::{
    Alias, Argument, Expr, Grouping, JoinKind, Literal, ObjectName, Query, QueryBody, Select, SelectItem, Source,
    UnaryOperator,
};

/// The columns of a result, by their names, and whether they are never NULL.
type Columns = Vec<(String, bool)>;

/// A source in FROM: its name, and its columns if they are known.
type Table = (String, Option<Columns>);

/// For each column of a query's result whether it is never NULL; `None` where its columns cannot be told. `columns`: those of
/// a table.
pub fn never_null(query: &Query, columns: &dyn Fn(&ObjectName) -> Option<Vec<TableColumn>>) -> Option<Vec<bool>> {
    let found = Reading { columns, with: Vec::new() }.query(query)?;
    Some(found.into_iter().map(|(_, is_never)| is_never).collect())
}

struct Reading<'q> {
    columns: &'q dyn Fn(&ObjectName) -> Option<Vec<TableColumn>>,
    /// The common table expressions, the innermost last.
    with: Vec<Table>,
}

impl Reading<'_> {
    fn query(&mut self, query: &Query) -> Option<Columns> {
        if query.format.is_some() {
            return None;
        }
        let before = self.with.len();
        for table in &query.with.tables {
            // The columns of a recursive common table expression cannot be derived from itself.
            self.with.push((table.name.text.clone(), None));
            let found = self.query(&table.query).map(|found| renamed(found, &table.columns));
            if let Some(known) = self.with.last_mut() {
                known.1 = found;
            }
        }
        let found = self.body(&query.body);
        self.with.truncate(before);
        found
    }

    fn body(&mut self, body: &QueryBody) -> Option<Columns> {
        match body {
            QueryBody::Select(select) => self.select(select),
            QueryBody::Set(left, _, _, right) => {
                let (left, right) = (self.body(left)?, self.body(right)?);
                let both = |((name, left), (_, right)): ((String, bool), (String, bool))| (name, left && right);
                Some(left.into_iter().zip(right).map(both).collect())
            }
        }
    }

    fn select(&mut self, select: &Select) -> Option<Columns> {
        let mut tables = Vec::new();
        select.from.iter().for_each(|source| self.source(source, false, &mut tables));
        let gives_totals = select.group.as_ref().is_some_and(|group| {
            group.with_cube.is_some() || group.items.iter().any(|item| !matches!(item, Grouping::Value(_)))
        });
        if gives_totals {
            tables.iter_mut().filter_map(|(_, columns)| columns.as_mut()).flatten().for_each(|column| column.1 = false);
        }
        let mut found = Columns::new();
        for item in &select.items {
            match item {
                SelectItem::Star(of) => {
                    let is_meant = |(name, _): &&Table| of.as_ref().is_none_or(|of| is_same(of.last(), name));
                    for (_, columns) in tables.iter().filter(is_meant) {
                        found.extend(columns.clone()?);
                    }
                }
                SelectItem::Value(value, alias) => {
                    let own = if let Expr::Column(name) = value { name.last() } else { "" };
                    let name = alias.as_ref().map_or(own, |alias| &alias.text).to_owned();
                    found.push((name, is_never(value, &tables)));
                }
                SelectItem::Assign(..) => return None,
            }
        }
        Some(found)
    }

    /// Adds the tables of a source; `may_miss`: there are rows without them.
    fn source(&mut self, source: &Source, may_miss: bool, tables: &mut Vec<Table>) {
        let (name, columns) = match source {
            Source::Table(table) => {
                let name = table.alias.as_ref().map_or(table.name.last(), |alias| &alias.text).to_owned();
                (name, self.table(&table.name))
            }
            Source::Variable(name, alias) => {
                let variable = ObjectName { parts: vec![name.clone()], span: name.span };
                (called(alias).unwrap_or(&name.text).to_owned(), self.table(&variable))
            }
            Source::Query(query, alias) => {
                let columns = self.query(query).map(|found| renamed(found, &alias.columns));
                (called(alias).unwrap_or_default().to_owned(), columns)
            }
            Source::Values(rows, alias) => (called(alias).unwrap_or_default().to_owned(), Some(of_values(rows, alias))),
            Source::Join(join) => {
                self.source(&join.left, may_miss || matches!(join.kind, JoinKind::Right | JoinKind::Full), tables);
                self.source(&join.right, may_miss || matches!(join.kind, JoinKind::Left | JoinKind::Full), tables);
                return;
            }
            Source::Apply(left, is_outer, right) => {
                self.source(left, may_miss, tables);
                self.source(right, may_miss || *is_outer, tables);
                return;
            }
            Source::Nested(inner) | Source::OdbcJoin(inner) => return self.source(inner, may_miss, tables),
            _ => (String::new(), None),
        };
        let is_there = |(name, is_never): (String, bool)| (name, is_never && !may_miss);
        tables.push((name, columns.map(|columns| columns.into_iter().map(is_there).collect())));
    }

    fn table(&self, name: &ObjectName) -> Option<Columns> {
        if let [only] = &name.parts[..]
            && let Some((_, columns)) = self.with.iter().rev().find(|(known, _)| is_same(known, &only.text))
        {
            return columns.clone();
        }
        let column = |column: TableColumn| (column.name, !column.is_nullable);
        Some((self.columns)(name)?.into_iter().map(column).collect())
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn called(alias: &Alias) -> Option<&str> {
    alias.name.as_ref().map(|name| name.text.as_str())
}

fn renamed(mut columns: Columns, names: &[crate::tree::Name]) -> Columns {
    columns.iter_mut().zip(names).for_each(|(column, name)| column.0.clone_from(&name.text));
    columns
}

fn of_values(rows: &[Vec<Expr>], alias: &Alias) -> Columns {
    let is_never_in = |place: usize| rows.iter().all(|row| row.get(place).is_some_and(|value| is_never(value, &[])));
    alias.columns.iter().enumerate().map(|(place, name)| (name.text.clone(), is_never_in(place))).collect()
}

fn is_never(value: &Expr, tables: &[Table]) -> bool {
    match value {
        Expr::Literal(literal) => *literal != Literal::Null,
        Expr::Unary(UnaryOperator::Minus | UnaryOperator::Plus, inner) => matches!(inner.as_ref(), Expr::Literal(_)),
        Expr::Collate(inner, _) => is_never(inner, tables),
        Expr::Column(name) => {
            let qualifier = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
            let is_meant = |(known, _): &&Table| qualifier.is_none_or(|name| is_same(&name.text, known));
            let mut columns = tables.iter().filter(is_meant).filter_map(|(_, columns)| columns.as_ref()).flatten();
            columns.find(|(known, _)| is_same(known, name.last())).is_some_and(|(_, is_never)| *is_never)
        }
        Expr::Call(call) if call.name.is("ISNULL") => {
            let is_never = |argument: &Argument| matches!(argument, Argument::Value(value) if is_never(value, tables));
            call.arguments.iter().any(is_never)
        }
        _ => false,
    }
}
