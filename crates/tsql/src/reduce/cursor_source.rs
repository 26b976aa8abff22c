//! What the columns of a cursor are of: the tables of its FROM, and which column of which of them each result column is.
//!
//! Drivers that change rows through a cursor ask for that: they name the table and its columns in `sp_cursor`.

use super::Scope;
use super::updatable::{Leaf, leaves_of};
use crate::tree::{Expr, ObjectName, Query, QueryBody, SelectItem, Source};

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
    /// Whether statements may give it values.
    pub is_writable: bool,
}

/// What the columns of a query are of; `None` for a query whose sources are not all tables.
pub fn cursor_sources(query: &Query, scope: &dyn Scope) -> Option<CursorSources> {
    let QueryBody::Select(select) = &query.body else { return None };
    let mut leaves: Vec<Leaf> = Vec::new();
    select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
    let (mut tables, mut known) = (Vec::new(), Vec::new());
    for (place, leaf) in leaves.into_iter().enumerate() {
        let Source::Table(table) = leaf.source else { return None };
        let column = |column: super::TableColumn| SourceColumn {
            table: place,
            name: column.name,
            is_writable: !column.is_computed && !column.is_identity,
        };
        known.push(scope.columns(&table.name)?.into_iter().map(column).collect::<Vec<_>>());
        tables.push((table.name, leaf.alias));
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
