//! The clustered index of a table: the order of its rows in a query without ORDER BY.
//!
//! The core has no clustered indexes. By default a table's primary key is clustered, and a table without one is a heap;
//! other choices (`PRIMARY KEY NONCLUSTERED`, `CREATE CLUSTERED INDEX`) are stored beside the table: the name of the
//! index, or an empty one where nothing is clustered though there is a primary key.

use crate::definitions::extended_properties::{CLUSTERED, Subject};
use crate::objects::modules;
use crate::session::Inner;
use crate::session::scope::{Names, column_name, is_global, is_temporary};
use crate::session::state::SaidOfIndexes;
use crate::statements::errors::raised;
use mainstay_engine::definitions::{IndexColumn, TableDefinition};
use mainstay_tsql_syntax::reduce::{NaturalOrder, Scope};
use mainstay_tsql_syntax::tree::{
    ColumnProperty, Constraint, ConstraintKind, IndexSpec, KeyKind, Name, ObjectName, TableElement,
};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;
use std::sync::Arc;

impl Names<'_> {
    /// The options of a temporary table's indexes that the core does not store.
    pub(crate) fn temporary_indexes(&self, name: &ObjectName) -> Option<&SaidOfIndexes> {
        self.state.temporary(name.last()).map(|table| &table.said)
    }

    /// The stored entry about a table's clustered index.
    fn clustering(&self, name: &ObjectName) -> Option<String> {
        match self.temporary_indexes(name).and_then(|said| said.clustered.as_ref()) {
            Some(known) => Some(known.to_string()),
            None => {
                let name = self.modules.synonym(name).unwrap_or(name);
                self.modules.kept().clustered.get(&modules::key_of(name)).cloned()
            }
        }
    }

    /// See [`Scope::natural_order`].
    pub(crate) fn order_of_table(&self, name: &ObjectName) -> Option<NaturalOrder> {
        let core = self.table(name).ok().filter(|core| !core.starts_with("\"#sys."))?;
        let said = self.clustering(name);
        let row = self.row_number(name);
        self.with_definition(&core, |table| {
            let (columns, is_key) = clustered(table, said.as_deref());
            let named = |column: &IndexColumn| (column_name(table, column), column.descending);
            let unique = table.indexes.iter().filter(|index| index.unique && index.filter.is_empty());
            let keys = table.primary_key.iter().chain(&table.unique).map(|key| &key.columns);
            let keys = keys.chain(unique.map(|index| &index.columns));
            NaturalOrder {
                columns: columns.iter().map(named).collect(),
                row: (!is_key).then_some(row),
                keys: keys.map(|key| key.iter().map(|column| column_name(table, column)).collect()).collect(),
            }
        })
    }
}

/// The columns of a table's clustered index, and whether no two rows have the same values there.
fn clustered<'t>(table: &'t TableDefinition, said: Option<&str>) -> (&'t [IndexColumn], bool) {
    match said {
        None => table.primary_key.as_ref().map_or((&[], false), |primary| (&primary.columns[..], true)),
        Some(name) => {
            let mut keys = table.primary_key.iter().chain(&table.unique);
            let mut indexes = table.indexes.iter();
            let of_key = keys.find(|known| known.name.eq_ignore_ascii_case(name)).map(|key| (&key.columns[..], true));
            let of_index = || {
                let index = indexes.find(|index| index.name.eq_ignore_ascii_case(name))?;
                Some((&index.columns[..], index.unique && index.filter.is_empty()))
            };
            of_key.or_else(of_index).unwrap_or((&[], false))
        }
    }
}

fn key_of_constraint(constraint: &Constraint) -> Option<(&IndexSpec, Option<&Name>)> {
    match &constraint.kind {
        ConstraintKind::Key(index) => Some((index, constraint.name.as_ref())),
        _ => None,
    }
}

/// The indexes that elements of a table make, each with its name and the column it stands with.
pub(crate) fn indexes_of(elements: &[TableElement]) -> Vec<(&IndexSpec, Option<&Name>, Option<&Name>)> {
    let mut all = Vec::new();
    for element in elements {
        match element {
            TableElement::Constraint(constraint) => {
                all.extend(key_of_constraint(constraint).map(|(index, name)| (index, name, None)));
            }
            TableElement::Index(index) => all.push((index, index.name.as_ref(), None)),
            TableElement::Column(column) => {
                for property in &column.properties {
                    match property {
                        ColumnProperty::Constraint(constraint) => {
                            all.extend(
                                key_of_constraint(constraint).map(|(index, name)| (index, name, Some(&column.name))),
                            );
                        }
                        ColumnProperty::Index(index) => {
                            all.push((index, index.name.as_ref(), Some(&column.name)));
                        }
                        _ => {}
                    }
                }
            }
            TableElement::Period(..) => {}
        }
    }
    all
}

/// Errors: 8110 for a table with two primary keys, 8112 for one with two clustered ones.
pub(crate) fn check_one_clustered(table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
    let indexes = indexes_of(elements);
    if indexes.iter().filter(|(index, ..)| index.key == KeyKind::Primary).count() > 1 {
        return Err(raised(Message::numbered(8110, &[&table.last()])));
    }
    match indexes.iter().filter(|(index, ..)| index.clustered == Some(true)).count() {
        0 | 1 => Ok(()),
        _ => Err(raised(Message::numbered(8112, &[&table.last()]))),
    }
}

impl Inner {
    /// Sees that elements that are added to a table give it no second clustered index.
    ///
    /// Errors: 8112, 1902.
    pub(crate) fn check_clustered(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        check_one_clustered(table, elements)?;
        match indexes_of(elements).iter().any(|(index, ..)| index.clustered == Some(true)) {
            true => self.check_no_clustered(table),
            false => Ok(()),
        }
    }

    /// Errors: 1902 for a table that has a clustered index.
    pub(crate) fn check_no_clustered(&mut self, table: &ObjectName) -> Result<(), Box<Raised>> {
        let names = self.names(&[]);
        let said = names.clustering(table);
        let core = names.table(table).map_err(raised)?;
        let known = names.with_definition(&core, |definition| match &said {
            Some(name) => (!name.is_empty()).then(|| name.clone()),
            None => definition.primary_key.as_ref().map(|key| key.name.clone()),
        });
        match known.flatten() {
            Some(index) => Err(raised(Message::numbered(1902, &[&"table", &table.last(), &index]))),
            None => Ok(()),
        }
    }

    /// Notes what the elements of a table that were just made say of its clustered index.
    pub(crate) fn note_clustered(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        let indexes = indexes_of(elements);
        let said = self.names(&[]).clustering(table);
        let has_other = said.as_deref().is_some_and(|name| !name.is_empty());
        let primary = indexes.iter().find(|(index, ..)| index.key == KeyKind::Primary);
        let now = match indexes.iter().find(|(index, ..)| index.clustered == Some(true)) {
            Some((index, ..)) if index.key == KeyKind::Primary => None,
            Some((index, name, column)) => match name {
                Some(name) => Some(name.text.clone()),
                None => self.name_of_index(table, index, *column),
            },
            None if has_other || primary.is_none() => said.clone(),
            None => primary.filter(|(index, ..)| index.clustered == Some(false)).map(|_| String::new()),
        };
        if now == said { Ok(()) } else { self.set_clustered(table, now) }
    }

    /// The name that was made up for an index of these columns.
    pub(crate) fn name_of_index(
        &mut self,
        table: &ObjectName,
        index: &IndexSpec,
        column: Option<&Name>,
    ) -> Option<String> {
        let wanted: Vec<&Name> = match index.columns.is_empty() {
            true => column.into_iter().collect(),
            false => index.columns.iter().map(|(name, _)| name).collect(),
        };
        let is_primary = index.key == KeyKind::Primary;
        let names = self.names(&[]);
        let core = names.table(table).ok()?;
        let found = names.with_definition(&core, |definition| {
            let is_it = |columns: &[IndexColumn]| {
                let named = columns.iter().map(|column| column_name(definition, column));
                columns.len() == wanted.len() && named.zip(&wanted).all(|(name, wanted)| wanted.is(&name))
            };
            let keys = definition.unique.iter().chain(definition.primary_key.iter().filter(|_| is_primary));
            let keys = keys.filter(|key| is_it(&key.columns)).map(|key| key.name.clone());
            let indexes = definition.indexes.iter().filter(|known| is_it(&known.columns));
            keys.chain(indexes.map(|known| known.name.clone())).next()
        });
        found.flatten()
    }

    /// Keeps the name of a table's clustered index: empty for none, `None` for its primary key.
    pub(crate) fn set_clustered(&mut self, table: &ObjectName, index: Option<String>) -> Result<(), Box<Raised>> {
        let last = table.last();
        if is_temporary(last) && !is_global(last) {
            if let Some(known) = self.state.temporary_mut(last) {
                known.said.clustered = index.map(Arc::from);
            }
            return Ok(());
        }
        let parent = modules::key_of(table);
        let key = format!("clustered:{parent}");
        match index {
            Some(index) => modules::keep_row(&mut self.core, &key, &index, CLUSTERED, &parent, ""),
            None => modules::forget(&mut self.core, &key),
        }
        .map_err(raised)?;
        self.objects_changed()
    }

    /// An index or key of a table is gone.
    pub(crate) fn note_dropped_index(&mut self, table: &ObjectName, index: &str) -> Result<(), Box<Raised>> {
        self.forget_properties(Subject::Part(table, index))?;
        self.set_ignored(table, index, false)?;
        let names = self.names(&[]);
        let Some(said) = names.clustering(table) else { return Ok(()) };
        let core = names.table(table).map_err(raised)?;
        let has_key = names.with_definition(&core, |definition| definition.primary_key.is_some()).unwrap_or(false);
        match said.as_str() {
            "" if !has_key => self.set_clustered(table, None),
            known if known.eq_ignore_ascii_case(index) => self.set_clustered(table, has_key.then(String::new)),
            _ => Ok(()),
        }
    }

    /// An index of a table, or the table itself, has another name.
    pub(crate) fn note_renamed_index(&mut self, table: &ObjectName, from: &str, to: &str) -> Result<(), Box<Raised>> {
        self.rename_properties(Subject::Part(table, from), to)?;
        self.rename_ignored(table, from, to)?;
        let said = self.names(&[]).clustering(table);
        match said.is_some_and(|said| said.eq_ignore_ascii_case(from)) {
            true => self.set_clustered(table, Some(to.to_owned())),
            false => Ok(()),
        }
    }

    /// A table has another name.
    pub(crate) fn note_renamed_table(&mut self, from: &ObjectName, to: &ObjectName) -> Result<(), Box<Raised>> {
        modules::move_parts(&mut self.core, from, to).map_err(raised)?;
        self.objects_changed()?;
        self.move_properties(from, to)?;
        let Some(said) = self.modules.kept().clustered.get(&modules::key_of(from)).cloned() else { return Ok(()) };
        self.set_clustered(from, None)?;
        self.set_clustered(to, Some(said))
    }
}
