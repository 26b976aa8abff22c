//! The origin of a cursor's columns: the tables of its FROM, and the table and column behind each result column.
//!
//! Drivers that change rows through a cursor need this: they name the table and its columns in `sp_cursor`. The flags
//! of every result's columns contain a part of it.

use super::TableColumn;
use super::updatable::{Leaf, leaves_of};
use crate::tree::{Expr, JoinKind, ObjectName, Query, QueryBody, SelectItem, Source};

/// The tables of a query, and what its columns are of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CursorSources {
    /// The tables in the order of FROM: their names, and what the query calls them.
    pub tables: Vec<(ObjectName, String)>,
    /// For each column of the result its table's place in `tables`, its name there, and whether it can be given values;
    /// `None` for one that is calculated.
    pub columns: Vec<Option<SourceColumn>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceColumn {
    /// The table's place in [`CursorSources::tables`].
    pub table: usize,
    /// Its name there.
    pub name: String,
    /// True if its numbers come from the table.
    pub is_identity: bool,
    /// True if it is computed from others.
    pub is_computed: bool,
    /// True if it may be NULL in the result: its table lets it, or an outer join or a group may leave it out.
    pub is_nullable: bool,
}

impl SourceColumn {
    /// Returns true if statements may give it values.
    pub fn is_writable(&self) -> bool {
        !self.is_computed && !self.is_identity
    }
}

/// The tables and columns behind a query's columns; `None` for a query whose sources are not all tables. `columns`:
/// those of a table.
pub fn cursor_sources(
    query: &Query,
    columns: &dyn Fn(&ObjectName) -> Option<Vec<TableColumn>>,
) -> Option<CursorSources> {
    sources(query, columns, false)
}

/// The same for the description of a result, whose columns may be those of table variables, too.
pub fn result_sources(
    query: &Query,
    columns: &dyn Fn(&ObjectName) -> Option<Vec<TableColumn>>,
) -> Option<CursorSources> {
    sources(query, columns, true)
}

fn sources(
    query: &Query,
    columns: &dyn Fn(&ObjectName) -> Option<Vec<TableColumn>>,
    takes_variables: bool,
) -> Option<CursorSources> {
    let QueryBody::Select(select) = &query.body else { return None };
    let leaves_out = select.group.is_some() || select.from.iter().any(is_outer);
    let mut leaves: Vec<Leaf> = Vec::new();
    select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
    let (mut tables, mut known) = (Vec::new(), Vec::new());
    for (place, leaf) in leaves.into_iter().enumerate() {
        let table = match leaf.source {
            Source::Table(table) => table.name,
            Source::Variable(name, _) if takes_variables => ObjectName { span: name.span, parts: vec![name] },
            _ => return None,
        };
        let column = |column: TableColumn| SourceColumn {
            table: place,
            name: column.name,
            is_identity: column.is_identity,
            is_computed: column.is_computed,
            is_nullable: column.is_nullable || leaves_out,
        };
        known.push(columns(&table)?.into_iter().map(column).collect::<Vec<_>>());
        tables.push((table, leaf.alias));
    }
    let is_called = |place: usize, name: &str| {
        tables.get(place).is_some_and(|(_, alias): &(ObjectName, String)| alias.eq_ignore_ascii_case(name))
    };
    let mut columns = Vec::new();
    for item in &select.items {
        match item {
            SelectItem::Star(of) => {
                let places = (0..known.len()).filter(|place| of.as_ref().is_none_or(|of| is_called(*place, of.last())));
                columns.extend(places.filter_map(|place| known.get(place)).flatten().cloned().map(Some));
            }
            SelectItem::Value(Expr::Column(name), _) => {
                let qualifier = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
                let is_it = |column: &&SourceColumn| {
                    column.name.eq_ignore_ascii_case(name.last())
                        && qualifier.is_none_or(|qualifier| is_called(column.table, &qualifier.text))
                };
                columns.push(known.iter().flatten().find(is_it).cloned());
            }
            SelectItem::Value(..) => columns.push(None),
            SelectItem::Assign(..) => return None,
        }
    }
    Some(CursorSources { tables, columns })
}

/// Returns true if a source gives rows in which the columns of a table are missing.
fn is_outer(source: &Source) -> bool {
    match source {
        Source::Join(join) => {
            !matches!(join.kind, JoinKind::Inner | JoinKind::Cross) || is_outer(&join.left) || is_outer(&join.right)
        }
        Source::Nested(inner) => is_outer(inner),
        Source::Table(_) | Source::Variable(..) => false,
        _ => true,
    }
}

/// The places of the result's columns, from 1, that its rows are ordered by: as far as the first value that is not among
/// them. `heads`: what the columns are called.
pub fn result_order(query: &Query, heads: &[&str]) -> Vec<u16> {
    let QueryBody::Select(select) = &query.body else { return Vec::new() };
    if query.format.is_some() {
        return Vec::new();
    }
    let has_star = select.items.iter().any(|item| matches!(item, SelectItem::Star(_)));
    let listed = |name: &ObjectName| {
        let is_it = |item: &SelectItem| match item {
            SelectItem::Value(_, Some(alias)) if name.is(&alias.text) => true,
            SelectItem::Value(Expr::Column(of), _) => {
                let parts = name.parts.len().min(of.parts.len());
                let last = |name: &ObjectName| {
                    name.parts.iter().rev().take(parts).map(|part| part.text.to_lowercase()).collect::<Vec<_>>()
                };
                last(of) == last(name)
            }
            _ => false,
        };
        select.items.iter().position(is_it)
    };
    let called = |name: &ObjectName| heads.iter().position(|head| head.eq_ignore_ascii_case(name.last()));
    let place = |value: &Expr| match value {
        Expr::Column(name) => if has_star { called(name) } else { listed(name) }.map(|place| place + 1),
        Expr::Literal(crate::tree::Literal::Integer(digits)) => digits.parse().ok(),
        _ => None,
    };
    let places = query.order.iter().map_while(|item| place(&item.value));
    places.map_while(|place| u16::try_from(place).ok()).collect()
}
