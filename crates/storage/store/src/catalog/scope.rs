//! The scope of a change of the catalog: the tables and names that a transaction must lock exclusively to make it, and
//! a check that they still are the objects that the change was made for.
//!
//! ```text
//!   CREATE TABLE t REFERENCES p    the name t; the table p, where writers look for the rows of t from now on
//!   ALTER, DROP of t               t; its name; the tables that it refers to, and those that refer to it
//!   a view, a sequence, a schema   its name, before and after
//!   whatever is in a schema        a part in the schema
//! ```

use super::Cataloged;
use crate::files::catalog::{Catalog, CatalogChange, TableDefinition};
use crate::transaction::LockMode;
use crate::transaction::names::Subject;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that a change puts, or takes away, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    Schema(u64),
    Table(u64),
    Sequence(u64),
    View(u64),
}

impl Touched {
    /// The tables and names that a change touches.
    pub(crate) fn by(change: &CatalogChange) -> Touched {
        match change {
            CatalogChange::PutSchema(schema) => Touched::Schema(schema.id),
            CatalogChange::DropSchema(id) => Touched::Schema(*id),
            CatalogChange::PutTable(table) => Touched::Table(table.id),
            CatalogChange::DropTable(id) => Touched::Table(*id),
            CatalogChange::PutIndex { table, .. } | CatalogChange::DropIndex { table, .. } => Touched::Table(*table),
            CatalogChange::PutSequence(sequence) => Touched::Sequence(sequence.id),
            CatalogChange::DropSequence(id) => Touched::Sequence(*id),
            CatalogChange::PutView(view) => Touched::View(view.id),
            CatalogChange::DropView(id) => Touched::View(*id),
        }
    }
}

/// The locks that a transaction needs to make a change.
#[derive(Debug)]
pub(crate) struct ChangeScope {
    pub(crate) tables: BTreeSet<u64>,
    pub(crate) subjects: Vec<(Subject, LockMode)>,
}

impl ChangeScope {
    /// Of a change to this catalog.
    pub(crate) fn of(change: &CatalogChange, catalog: &Catalog) -> ChangeScope {
        let mut scope = ChangeScope { tables: BTreeSet::new(), subjects: Vec::new() };
        let relation = |schema: u64, name: &str| Subject::Relation(schema, name.to_lowercase());
        let sequence = |schema: u64, name: &str| Subject::Sequence(schema, name.to_lowercase());
        match (Touched::by(change), change) {
            (Touched::Table(id), change) => {
                let before = catalog.table(id);
                let after = if let CatalogChange::PutTable(after) = change { Some(after) } else { None };
                let is_renamed =
                    before.map(|table| (table.schema, &table.name)) != after.map(|table| (table.schema, &table.name));
                let is_of_name = matches!(change, CatalogChange::PutTable(_) | CatalogChange::DropTable(_));
                for table in before.into_iter().chain(after) {
                    scope.shares(table.schema);
                    if is_of_name && is_renamed {
                        scope.has(relation(table.schema, &table.name));
                    }
                }
                scope.tables = around(catalog, id, after);
            }
            (Touched::View(id), change) => {
                let after = if let CatalogChange::PutView(after) = change { Some(after) } else { None };
                for view in catalog.views.iter().filter(|view| view.id == id).chain(after) {
                    scope.shares(view.schema);
                    scope.has(relation(view.schema, &view.name));
                }
            }
            (Touched::Sequence(id), change) => {
                let after = if let CatalogChange::PutSequence(after) = change { Some(after) } else { None };
                for known in catalog.sequences.iter().filter(|known| known.id == id).chain(after) {
                    scope.shares(known.schema);
                    scope.has(sequence(known.schema, &known.name));
                }
            }
            (Touched::Schema(id), change) => {
                let after = if let CatalogChange::PutSchema(after) = change { Some(after) } else { None };
                for schema in catalog.schemas.iter().filter(|schema| schema.id == id).chain(after) {
                    scope.has(Subject::SchemaName(schema.name.to_lowercase()));
                }
                scope.has(Subject::Schema(id));
            }
        }
        scope
    }

    fn shares(&mut self, schema: u64) {
        self.subjects.push((Subject::Schema(schema), LockMode::Share));
    }

    fn has(&mut self, subject: Subject) {
        self.subjects.push((subject, LockMode::Exclusive));
    }

    /// Returns true if what it is about is in one state of the catalog what it is in another.
    pub(crate) fn is_same(&self, touched: Touched, before: &Cataloged, now: &Cataloged) -> bool {
        let of_name = self.subjects.iter().all(|(subject, mode)| {
            owner(&before.catalog, subject) == owner(&now.catalog, subject)
                && (*mode == LockMode::Share || members(&before.catalog, subject) == members(&now.catalog, subject))
        });
        let of_number = match touched {
            Touched::Schema(id) => {
                let of = |catalog: &Catalog| catalog.schemas.iter().find(|schema| schema.id == id).cloned();
                of(&before.catalog) == of(&now.catalog)
            }
            Touched::Sequence(id) => {
                let of = |catalog: &Catalog| catalog.sequences.iter().find(|sequence| sequence.id == id).cloned();
                of(&before.catalog) == of(&now.catalog)
            }
            Touched::View(id) => {
                let of = |catalog: &Catalog| catalog.views.iter().find(|view| view.id == id).cloned();
                of(&before.catalog) == of(&now.catalog)
            }
            Touched::Table(_) => true,
        };
        // Another definition is another table in memory.
        let table = |cataloged: &Cataloged, id: &u64| cataloged.tables.get(id).map(Arc::as_ptr);
        of_name && of_number && self.tables.iter().all(|id| table(before, id) == table(now, id))
    }
}

/// A table, and those that it refers to or that refer to it, as it is in the catalog and as it becomes.
pub(crate) fn around(catalog: &Catalog, id: u64, after: Option<&TableDefinition>) -> BTreeSet<u64> {
    let refers = |table: &&TableDefinition| table.foreign_keys.iter().any(|key| key.referenced_table == id);
    let children = catalog.tables.iter().filter(refers).map(|table| table.id);
    let own = catalog.table(id).into_iter().chain(after).flat_map(|table| &table.foreign_keys);
    children.chain(own.map(|key| key.referenced_table)).chain([id]).collect()
}

/// The object that has this name or number.
fn owner(catalog: &Catalog, subject: &Subject) -> Option<u64> {
    match subject {
        Subject::Relation(schema, name) => {
            let is_it = |of: u64, known: &str| of == *schema && known.to_lowercase() == *name;
            let table = catalog.tables.iter().find(|table| is_it(table.schema, &table.name)).map(|table| table.id);
            table.or_else(|| catalog.views.iter().find(|view| is_it(view.schema, &view.name)).map(|view| view.id))
        }
        Subject::Sequence(schema, name) => {
            let is_it = |of: u64, known: &str| of == *schema && known.to_lowercase() == *name;
            catalog.sequences.iter().find(|known| is_it(known.schema, &known.name)).map(|known| known.id)
        }
        Subject::SchemaName(name) => {
            catalog.schemas.iter().find(|schema| schema.name.to_lowercase() == *name).map(|schema| schema.id)
        }
        Subject::Schema(id) => catalog.schemas.iter().find(|schema| schema.id == *id).map(|schema| schema.id),
    }
}

/// The objects of a schema.
fn members(catalog: &Catalog, subject: &Subject) -> BTreeSet<u64> {
    let Subject::Schema(id) = subject else { return BTreeSet::new() };
    let tables = catalog.tables.iter().filter(|table| table.schema == *id).map(|table| table.id);
    let views = catalog.views.iter().filter(|view| view.schema == *id).map(|view| view.id);
    let sequences = catalog.sequences.iter().filter(|sequence| sequence.schema == *id).map(|sequence| sequence.id);
    tables.chain(views).chain(sequences).collect()
}
