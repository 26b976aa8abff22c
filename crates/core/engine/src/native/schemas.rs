//! ALTER ... SET SCHEMA: moves tables, views and sequences to another schema, with the texts that name them.
//!
//! ```text
//!   a table      its references have its number; its sequences move with it; views that name it follow
//!   a view       views that name it follow
//!   a sequence   defaults, checks, computed columns and views that use it follow
//! ```

use super::change::Changer;
use super::define::Definitions;
use super::key_of;
use super::renames::sequence_named;
use super::scope::{key_in, schema_of};
use crate::writable::Changed;
use arrow_schema::Schema;
use mainstay_planner::{Answer, Name, SchemaMember, SetSchema};
use mainstay_store::Transaction;
use mainstay_store::files::catalog::{Catalog, CatalogChange, SequenceDefinition, TableDefinition, ViewDefinition};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

impl Changer<'_> {
    /// ALTER ... SET SCHEMA.
    ///
    /// Errors: `UnknownTable` for what is not there and for the schema, `Duplicate` when the name is taken in it,
    /// `Unsupported` for temporary tables.
    pub(crate) fn set_schema(&self, transaction: &mut Transaction, set: &SetSchema) -> Result<Changed<Answer>> {
        let done = match set.kind {
            SchemaMember::Table => self.move_table(transaction, set),
            SchemaMember::View => self.move_view(transaction, set),
            SchemaMember::Sequence => self.move_sequence(transaction, set),
        };
        let is_there = || Definitions::shared(self.native).is_there(transaction, set);
        match done {
            Err(error) if error.code() == Code::UnknownTable && set.if_exists && !is_there() => {}
            done => done?,
        }
        Ok(Changed::Done(Answer::of(Arc::new(Schema::empty()), Vec::new())))
    }

    fn move_table(&self, transaction: &mut Transaction, set: &SetSchema) -> Result<()> {
        if Definitions::of_table(self.native, transaction, &set.name).has_own() {
            return Err(Error::new(Code::Unsupported, format!("{}: temporary tables are in no schema", set.name)));
        }
        let shared = Definitions::shared(self.native);
        let (catalog, key) = (shared.catalog(transaction), key_of(&set.name));
        let table = shared.table_named(&catalog, &set.name)?;
        let (schema, to) = target(&catalog, set)?;
        if table.schema == schema {
            return Ok(());
        }
        shared.is_taken(&catalog, &to, false)?;
        let moved = TableDefinition { schema, ..table.clone() };
        self.renamed(transaction, &key, Self::follow_table(&key, to), |transaction| {
            shared.change_catalog(transaction, CatalogChange::PutTable(moved))
        })?;
        for sequence in sequences_of(&catalog, table) {
            let to = Name { schema: Some(set.schema.key.clone()), ..Name::new(&sequence.name) };
            self.put_in(transaction, sequence, (schema, &to))?;
        }
        Ok(())
    }

    fn move_view(&self, transaction: &mut Transaction, set: &SetSchema) -> Result<()> {
        let shared = Definitions::shared(self.native);
        let (catalog, key) = (shared.catalog(transaction), key_of(&set.name));
        let view = catalog.views.iter().find(|view| key_in(&catalog, view.schema, &view.name) == key);
        let missing = || Error::new(Code::UnknownTable, format!("there is no view {}", set.name));
        let view = view.ok_or_else(missing)?;
        let (schema, to) = target(&catalog, set)?;
        if view.schema == schema {
            return Ok(());
        }
        shared.is_taken(&catalog, &to, false)?;
        let moved = ViewDefinition { schema, ..view.clone() };
        self.renamed(transaction, &key, Self::follow_table(&key, to), |transaction| {
            shared.change_catalog(transaction, CatalogChange::PutView(moved))
        })
    }

    fn move_sequence(&self, transaction: &mut Transaction, set: &SetSchema) -> Result<()> {
        let catalog = Definitions::shared(self.native).catalog(transaction);
        let sequence = sequence_named(&catalog, &set.name)?;
        if let Some(table) = catalog.tables.iter().find(|table| has_sequence(table, sequence)) {
            let message = format!("the sequence {} goes with the table {}", sequence.name, table.name);
            return Err(Error::new(Code::Unsupported, message).hint("move that table"));
        }
        let (schema, to) = target(&catalog, set)?;
        self.put_in(transaction, sequence, (schema, &to))
    }

    /// Puts a sequence into a schema, where it is called `to`.
    fn put_in(
        &self,
        transaction: &mut Transaction,
        sequence: &SequenceDefinition,
        (schema, to): (u64, &Name),
    ) -> Result<()> {
        let catalog = Definitions::shared(self.native).catalog(transaction);
        let is_same = |other: &SequenceDefinition| other.schema == schema && other.name.to_lowercase() == to.key;
        match catalog.sequences.iter().find(|other| is_same(other)) {
            Some(other) if other.id == sequence.id => return Ok(()),
            Some(_) => return Err(Error::new(Code::Duplicate, format!("there is a sequence {to} already"))),
            None => {}
        }
        let key = key_in(&catalog, sequence.schema, &sequence.name);
        self.put_sequence(transaction, &key, (to, SequenceDefinition { schema, ..sequence.clone() }))
    }
}

impl Definitions<'_> {
    /// Returns true if the thing is there that is to be moved.
    fn is_there(&self, transaction: &Transaction, set: &SetSchema) -> bool {
        let (catalog, key) = (self.catalog(transaction), key_of(&set.name));
        let is_it = |schema: u64, name: &str| key_in(&catalog, schema, name) == key;
        match set.kind {
            SchemaMember::Table => catalog.tables.iter().any(|table| is_it(table.schema, &table.name)),
            SchemaMember::View => catalog.views.iter().any(|view| is_it(view.schema, &view.name)),
            SchemaMember::Sequence => catalog.sequences.iter().any(|sequence| is_it(sequence.schema, &sequence.name)),
        }
    }
}

/// The number of the schema that something is moved to, and its name in it.
///
/// Errors: `UnknownTable` when there is no such schema.
fn target(catalog: &Catalog, set: &SetSchema) -> Result<(u64, Name)> {
    let to = Name { schema: Some(set.schema.key.clone()), ..set.name.clone() };
    let missing = || Error::new(Code::UnknownTable, format!("there is no schema {}", set.schema));
    Ok((schema_of(catalog, &to)?.ok_or_else(missing)?, to))
}

/// The sequences that go with a table's columns.
fn sequences_of<'c>(catalog: &'c Catalog, table: &TableDefinition) -> Vec<&'c SequenceDefinition> {
    catalog.sequences.iter().filter(|sequence| has_sequence(table, sequence)).collect()
}

fn has_sequence(table: &TableDefinition, sequence: &SequenceDefinition) -> bool {
    table.columns.iter().any(|column| {
        let is_identity = column.identity.as_ref().is_some_and(|identity| identity.sequence == sequence.id);
        is_identity || sequence.owned_by == Some(column.id)
    })
}
