//! Definitions of the catalog as native tables need them, and the references between tables.
//!
//! Columns keep their order, so the number of a column in the table is its place in the definition. Indexes: the primary
//! key, the other keys, the indexes, and one for each foreign key that no index begins with.

use super::Cataloged;
use crate::definition::{self, index};
use crate::files::catalog::{self, Catalog, FilterKind};
use crate::filter::{FilterPart, FilterTest, value_of};
use crate::table::NativeTable;
use crate::table::references::Reference;
use mainstay_columnar::Comparison;
use mainstay_types::{Code, Error, Result, SqlType};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The definition of a table as the store enforces it.
///
/// Errors: `UnknownColumn` and `UnknownTable` for references that lead nowhere.
pub(super) fn native(catalog: &Catalog, table: &catalog::TableDefinition) -> Result<definition::TableDefinition> {
    let in_key = |id: u64| table.primary_key.iter().flat_map(|key| &key.columns).any(|column| column.column == id);
    let is_computed = |column: &catalog::ColumnDefinition| column.computed.as_ref().is_some_and(|it| !it.stored);
    let columns = table.columns.iter().map(|column| definition::ColumnDefinition {
        name: column.name.clone(),
        sql_type: column.sql_type,
        nullable: is_computed(column) || !(column.not_null || in_key(column.id)),
        declared: column.declared.clone(),
    });
    let mut native = definition::TableDefinition::new(table.name.clone(), columns.collect());
    for (key, primary) in
        table.primary_key.iter().map(|key| (key, true)).chain(table.unique.iter().map(|key| (key, false)))
    {
        let columns = index_columns(table, &key.columns)?;
        native.indexes.push(definition::IndexDefinition {
            name: key.name.clone(),
            columns,
            unique: true,
            primary,
            nulls_distinct: !key.nulls_not_distinct,
            filter: Vec::new(),
        });
    }
    for index in &table.indexes {
        let columns = index_columns(table, &index.columns)?;
        let (name, unique) = (index.name.clone(), index.unique);
        native.indexes.push(definition::IndexDefinition {
            name,
            columns,
            unique,
            primary: false,
            nulls_distinct: !index.nulls_not_distinct,
            filter: index.filter.iter().map(|part| filter_part(table, part)).collect::<Result<_>>()?,
        });
    }
    for key in &table.foreign_keys {
        let parent = catalog.table(key.referenced_table).ok_or_else(|| no_table(key.referenced_table))?;
        let columns = key.columns.iter().map(|id| place(table, *id)).collect::<Result<Vec<_>>>()?;
        let parent_columns = key.referenced_columns.iter().map(|id| place(parent, *id)).collect::<Result<Vec<_>>>()?;
        if !native.indexes.iter().any(|index| index.column_numbers().starts_with(&columns)) {
            native.indexes.push(index(key.name.clone(), &columns, false));
        }
        let (name, parent) = (key.name.clone(), parent.name.clone());
        native.foreign_keys.push(definition::ForeignKey { name, columns, parent, parent_columns });
    }
    native.check()?;
    Ok(native)
}

/// Where each column of a definition was in an older one of the same table.
pub(super) fn sources(old: &catalog::TableDefinition, new: &catalog::TableDefinition) -> Vec<Option<usize>> {
    let place = |id: u64| old.columns.iter().position(|column| column.id == id);
    new.columns.iter().map(|column| place(column.id)).collect()
}

/// The numbers of a table's columns, in their order.
pub(crate) fn column_ids(table: &catalog::TableDefinition) -> Vec<u64> {
    table.columns.iter().map(|column| column.id).collect()
}

impl Cataloged {
    /// Makes the references of all foreign keys known to the tables, in place of those they knew.
    ///
    /// Errors: `UnknownColumn` when what is referred to is no unique key.
    pub(crate) fn connect(&self) -> Result<()> {
        self.connect_some(&self.tables.keys().copied().collect())
    }

    /// The same for these tables alone; others are not touched.
    ///
    /// Errors: as [`Cataloged::connect`]. Nothing was changed then.
    pub(crate) fn connect_some(&self, tables: &BTreeSet<u64>) -> Result<()> {
        let mut references = Vec::new();
        for table in &self.catalog.tables {
            for key in table.foreign_keys.iter().filter(|key| !key.disabled) {
                let parent = key.referenced_table;
                if !tables.contains(&table.id) && !tables.contains(&parent) {
                    continue;
                }
                let parent = self.catalog.table(parent).ok_or_else(|| no_table(parent))?;
                let made = reference((table, self.native(table.id)?), (parent, self.native(parent.id)?), key)?;
                references.push((table.id, parent.id, made));
            }
        }
        for id in tables {
            let Some(table) = self.tables.get(id) else { continue };
            let of = |is_it: &dyn Fn(u64, u64) -> bool| {
                let own = references.iter().filter(|(child, parent, _)| is_it(*child, *parent));
                own.map(|(.., reference)| reference.clone()).collect()
            };
            table.set_references(of(&|child, _| child == *id), of(&|_, parent| parent == *id));
        }
        Ok(())
    }

    fn native(&self, id: u64) -> Result<&Arc<NativeTable>> {
        self.tables.get(&id).ok_or_else(|| no_table(id))
    }
}

/// A foreign key between these tables. The numbers of columns are worked out anew: those of the parent may have changed
/// since the child was made.
fn reference(
    (table, child): (&catalog::TableDefinition, &Arc<NativeTable>),
    (parent_table, parent): (&catalog::TableDefinition, &Arc<NativeTable>),
    key: &catalog::ForeignKeyDefinition,
) -> Result<Reference> {
    let columns = key.columns.iter().map(|id| place(table, *id)).collect::<Result<Vec<_>>>()?;
    let parent_columns =
        key.referenced_columns.iter().map(|id| place(parent_table, *id)).collect::<Result<Vec<_>>>()?;
    let indexes = &child.definition().indexes;
    let child_index = indexes.iter().position(|index| index.column_numbers().starts_with(&columns));
    let child_index = child_index.ok_or_else(|| Error::new(Code::Internal, "a foreign key has no index"))?;
    let native = definition::ForeignKey {
        name: key.name.clone(),
        columns: columns.clone(),
        parent: parent_table.name.clone(),
        parent_columns: parent_columns.clone(),
    };
    Ok(Reference {
        name: key.name.clone(),
        child: Arc::downgrade(child),
        child_columns: columns,
        child_index,
        parent: Arc::downgrade(parent),
        parent_columns,
        parent_index: crate::store::parent_index(parent, &native)?,
        on_delete: key.on_delete,
        on_update: key.on_update,
        deferrable: key.deferrable,
        match_full: key.match_full,
    })
}

fn index_columns(
    table: &catalog::TableDefinition,
    columns: &[catalog::IndexColumn],
) -> Result<Vec<definition::IndexColumn>> {
    let column = |column: &catalog::IndexColumn| {
        Ok(definition::IndexColumn { column: place(table, column.column)?, descending: column.descending })
    };
    columns.iter().map(column).collect()
}

fn filter_part(table: &catalog::TableDefinition, part: &catalog::FilterDefinition) -> Result<FilterPart> {
    let column = place(table, part.column)?;
    let sql_type = table.columns.get(column).map_or(SqlType::TEXT, |column| column.sql_type);
    let values = || part.values.iter().map(|text| value_of(text, sql_type)).collect::<Result<Vec<_>>>();
    let compare = |comparison| Ok(FilterTest::Compare(comparison, values()?));
    let test: Result<FilterTest> = match part.test {
        FilterKind::Null => Ok(FilterTest::Null),
        FilterKind::NotNull => Ok(FilterTest::NotNull),
        FilterKind::Equal => compare(Comparison::Equal),
        FilterKind::NotEqual => compare(Comparison::NotEqual),
        FilterKind::Less => compare(Comparison::Less),
        FilterKind::LessOrEqual => compare(Comparison::LessOrEqual),
        FilterKind::Greater => compare(Comparison::Greater),
        FilterKind::GreaterOrEqual => compare(Comparison::GreaterOrEqual),
    };
    Ok(FilterPart { column, test: test? })
}

/// Where the column of this number is.
fn place(table: &catalog::TableDefinition, id: u64) -> Result<usize> {
    let found = table.columns.iter().position(|column| column.id == id);
    found.ok_or_else(|| Error::new(Code::UnknownColumn, format!("the table {} has no column {id}", table.name)))
}

fn no_table(id: u64) -> Error {
    Error::new(Code::UnknownTable, format!("the catalog has no table {id}"))
}
