//! DROP of tables, views, indexes, sequences and schemas, with their dependent objects.
//!
//! ```text
//!   names       --> the objects of these names; a missing one is an error before anything is dropped
//!   schemas     --> with CASCADE, their objects
//!   tables      --> their sequences; with CASCADE, references of other tables to them and views over them
//!   sequences   --> with CASCADE, the defaults that use them
//! ```
//!
//! A remaining object that depends on a dropped one refuses the statement, except for views: those of a dropped table
//! exist again when it is.

use super::define::Definitions;
use super::renames::dependent_views;
use super::scope::key_in;
use super::{Native, key_of};
use mainstay_planner::{Drop, DropKind, Name, with_renamed_sequence};
use mainstay_store::Transaction;
use mainstay_store::files::catalog::{Catalog, CatalogChange, TableDefinition};
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeSet;

/// The dropped objects, by number.
#[derive(Default)]
struct Dropped {
    tables: BTreeSet<u64>,
    views: BTreeSet<u64>,
    sequences: BTreeSet<u64>,
    /// Each with its table.
    indexes: BTreeSet<(u64, u64)>,
    schemas: BTreeSet<u64>,
}

impl Definitions<'_> {
    /// DROP: of the session's temporary objects first, then of permanent ones.
    ///
    /// Errors: `UnknownTable` for a name without anything behind it, `DependentObjects` for what is needed.
    pub(crate) fn drop(native: &Native, transaction: &mut Transaction, drop: &Drop) -> Result<()> {
        // The session's own tables are in no schema that could be dropped.
        let own = Some(Definitions::own(native, transaction));
        let own = own.filter(|own| own.has_own() && drop.kind != DropKind::Schema);
        let shared = Definitions::shared(native);
        let (mut of_own, mut of_all) = (Dropped::default(), Dropped::default());
        for name in &drop.names {
            let is_own = match &own {
                Some(own) => of_own.find(&own.catalog(transaction), drop, name),
                None => false,
            };
            if !(is_own || of_all.find(&shared.catalog(transaction), drop, name) || drop.if_exists) {
                let error = Error::new(Code::UnknownTable, format!("there is no {name} to drop"));
                return Err(error.about(name.to_string()));
            }
        }
        for (place, dropped) in own.iter().zip([of_own]).chain([(&shared, of_all)]) {
            let changes = dropped.changes(&place.catalog(transaction), drop.cascade)?;
            changes.into_iter().try_for_each(|change| place.change_catalog(transaction, change))?;
        }
        Ok(())
    }
}

impl Dropped {
    /// Notes what a name leads to: whether there is anything.
    fn find(&mut self, catalog: &Catalog, drop: &Drop, name: &Name) -> bool {
        let key = key_of(name);
        let is_it = |schema: u64, known: &str| key_in(catalog, schema, known) == key;
        match drop.kind {
            DropKind::Table => {
                let found = catalog.tables.iter().find(|table| is_it(table.schema, &table.name));
                found.map(|table| self.tables.insert(table.id)).is_some()
            }
            DropKind::View => {
                let found = catalog.views.iter().find(|view| is_it(view.schema, &view.name));
                found.map(|view| self.views.insert(view.id)).is_some()
            }
            DropKind::Sequence => {
                let found = catalog.sequences.iter().find(|sequence| is_it(sequence.schema, &sequence.name));
                found.map(|sequence| self.sequences.insert(sequence.id)).is_some()
            }
            DropKind::Index => {
                let of = drop.table.as_ref();
                let found = catalog.tables.iter().find_map(|table| index_of(catalog, table, of, name));
                found.map(|index| self.indexes.insert(index)).is_some()
            }
            DropKind::Schema => {
                let found = catalog.schemas.iter().find(|schema| schema.name.to_lowercase() == name.key);
                found.map(|schema| self.schemas.insert(schema.id)).is_some()
            }
        }
    }

    /// The catalog changes, in an order in which the catalog is consistent after each.
    fn changes(mut self, catalog: &Catalog, cascade: bool) -> Result<Vec<CatalogChange>> {
        self.take_schemas(catalog, cascade)?;
        if cascade {
            self.take_views(catalog)?;
        }
        let of_tables = self.take_sequences_of_tables(catalog);
        let mut left = catalog.tables.clone();
        for table in &mut left {
            self.free_of_references(catalog, table, cascade)?;
            if !self.tables.contains(&table.id) {
                let sequences: Vec<u64> = self.sequences.iter().copied().collect();
                free_of_sequences(catalog, &sequences, table, cascade)?;
            }
        }
        let is_changed = |table: &TableDefinition| catalog.table(table.id).is_some_and(|before| before != table);
        let tables = left.into_iter().filter(is_changed).map(CatalogChange::PutTable);
        let indexes = self.indexes.into_iter().map(|(table, index)| CatalogChange::DropIndex { table, index });
        let mut changes: Vec<CatalogChange> = tables.chain(indexes).collect();
        changes.extend(self.views.into_iter().map(CatalogChange::DropView));
        changes.extend(self.tables.into_iter().map(CatalogChange::DropTable));
        changes.extend(self.sequences.into_iter().chain(of_tables).map(CatalogChange::DropSequence));
        changes.extend(self.schemas.into_iter().map(CatalogChange::DropSchema));
        Ok(changes)
    }

    /// Adds the objects in the schemas.
    fn take_schemas(&mut self, catalog: &Catalog, cascade: bool) -> Result<()> {
        for schema in catalog.schemas.iter().filter(|schema| self.schemas.contains(&schema.id)) {
            let tables = catalog.tables.iter().filter(|table| table.schema == schema.id).map(|table| table.id);
            let views = catalog.views.iter().filter(|view| view.schema == schema.id).map(|view| view.id);
            let sequences = catalog.sequences.iter().filter(|it| it.schema == schema.id).map(|it| it.id);
            let before = self.size();
            self.tables.extend(tables);
            self.views.extend(views);
            self.sequences.extend(sequences);
            if self.size() > before && !cascade {
                let error = Error::new(Code::DependentObjects, format!("the schema {} is not empty", schema.name));
                return Err(error.hint("drop its tables, views and sequences first, or write CASCADE"));
            }
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.tables.len() + self.views.len() + self.sequences.len()
    }

    /// The views that are made of what goes.
    fn take_views(&mut self, catalog: &Catalog) -> Result<()> {
        let tables = catalog.tables.iter().filter(|table| self.tables.contains(&table.id));
        let views = catalog.views.iter().filter(|view| self.views.contains(&view.id));
        let keys = tables.map(|table| key_in(catalog, table.schema, &table.name));
        let keys: Vec<String> = keys.chain(views.map(|view| key_in(catalog, view.schema, &view.name))).collect();
        for key in keys {
            self.views.extend(dependent_views(catalog, &key)?.iter().map(|view| view.id));
        }
        Ok(())
    }

    /// Adds the sequences that dropped columns own, and returns those of identity columns, which nothing else can use.
    fn take_sequences_of_tables(&mut self, catalog: &Catalog) -> BTreeSet<u64> {
        let tables = catalog.tables.iter().filter(|table| self.tables.contains(&table.id));
        let columns: Vec<_> = tables.flat_map(|table| &table.columns).collect();
        let identities = columns.iter().filter_map(|column| column.identity.as_ref());
        let identities: BTreeSet<u64> = identities.map(|identity| identity.sequence).collect();
        let is_owned = |owner: Option<u64>| columns.iter().any(|column| Some(column.id) == owner);
        let owned = catalog.sequences.iter().filter(|sequence| is_owned(sequence.owned_by)).map(|it| it.id);
        self.sequences.extend(owned);
        self.sequences.retain(|sequence| !identities.contains(sequence));
        identities
    }

    /// A table without its references to tables that go.
    fn free_of_references(&self, catalog: &Catalog, table: &mut TableDefinition, cascade: bool) -> Result<()> {
        let (id, goes) = (table.id, self.tables.contains(&table.id));
        let leads_away = |to: u64| to != id && self.tables.contains(&to);
        if let Some(key) = table.foreign_keys.iter().find(|key| leads_away(key.referenced_table))
            && !(goes || cascade)
        {
            let parent = catalog.table(key.referenced_table).map_or("", |parent| parent.name.as_str());
            let message = format!("{parent} cannot be dropped: `{}` refers to it", table.name);
            return Err(Error::new(Code::DependentObjects, message)
                .hint("drop that table or its reference first, or write CASCADE"));
        }
        table.foreign_keys.retain(|key| !leads_away(key.referenced_table));
        Ok(())
    }
}

/// A table that stays without the defaults that ask sequences which go.
///
/// Errors: `DependentObjects` for a default, unless that is to go as well, and for an identity column.
pub(super) fn free_of_sequences(
    catalog: &Catalog,
    sequences: &[u64],
    table: &mut TableDefinition,
    cascade: bool,
) -> Result<()> {
    for sequence in catalog.sequences.iter().filter(|sequence| sequences.contains(&sequence.id)) {
        let key = key_in(catalog, sequence.schema, &sequence.name);
        for column in &mut table.columns {
            let is_identity = column.identity.as_ref().is_some_and(|identity| identity.sequence == sequence.id);
            let asks = |text: &String| with_renamed_sequence(text, false, &key, &Name::new(&key));
            let asks = column.default.as_ref().map(asks).transpose()?.flatten().is_some();
            if is_identity || (asks && !cascade) {
                let message = format!(
                    "the sequence {} cannot be dropped: the column {}.{} takes its values from it",
                    sequence.name, table.name, column.name
                );
                let hint = if is_identity { "drop the column" } else { "drop that default first, or write CASCADE" };
                return Err(Error::new(Code::DependentObjects, message).hint(hint));
            }
            column.default = column.default.take().filter(|_| !asks);
        }
    }
    Ok(())
}

/// An index of a table, if that is the one it is said to be of: `index ON t`, `t.index`. Other tables may have one of the name.
fn index_of(catalog: &Catalog, table: &TableDefinition, of: Option<&Name>, name: &Name) -> Option<(u64, u64)> {
    let said = of.cloned().or_else(|| name.schema.as_deref().map(Name::new));
    let key = key_in(catalog, table.schema, &table.name);
    let is_its_schema = |schema: &str| key.strip_suffix(&table.name.to_lowercase()) == Some(&format!("{schema}."));
    // A single qualifier before an index name may be the schema of its table.
    let is_of = |said: &Name| key == key_of(said) || of.is_none() && said.schema.is_none() && is_its_schema(&said.key);
    let index = table.indexes.iter().find(|index| index.name.to_lowercase() == name.key)?;
    said.as_ref().is_none_or(is_of).then_some((table.id, index.id))
}
