//! Native tables as statements see them: their names, their definitions, their changes.
//!
//! ```text
//!   define        CREATE, ALTER, DROP: statements as changes of the catalog
//!   definitions   the catalog, and the tables of the store that it names
//!   change        INSERT, UPDATE, DELETE: rows of a query as changes of rows
//!   update        the rows of an UPDATE, and once more those that were in each other's way
//!   forms         defaults, checks and computed columns of a table, compiled
//!   transaction   the session's transaction, and what a statement of it sees
//!   values        single values out of vectors, and back
//! ```
//!
//! The store knows transactions and rows; here is what SQL adds to them.

mod change;
mod define;
mod definitions;
mod forms;
mod returning;
mod transaction;
mod update;
mod values;

pub(crate) use change::Changer;
pub(crate) use transaction::{Changed, SessionTransaction};

use definitions::Definitions;
use forms::Form;
use mainstay_base::{Code, Error, Result};
use mainstay_query::{DEFAULT_SCHEMAS, Name, Planner, Relation};
use mainstay_store::files::catalog::{Catalog, CatalogChange, TableDefinition};
use mainstay_store::{Isolation, Shown, Store, Transaction};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The native tables of a database.
pub(crate) struct Native {
    store: Arc<Store>,
    definitions: Definitions,
    /// Tables with their expressions compiled, by name, of one state of the catalog.
    forms: Mutex<Forms>,
}

#[derive(Default)]
struct Forms {
    version: u64,
    by_name: HashMap<String, Arc<Form>>,
}

impl Native {
    pub(crate) fn new(store: Store) -> Native {
        Native { store: Arc::new(store), definitions: Definitions::new(), forms: Mutex::default() }
    }

    /// A number that nothing of the catalog has yet.
    fn take_id(&self) -> u64 {
        self.definitions.take_id()
    }

    /// The next value of a sequence.
    fn next_value(&self, sequence: u64) -> Result<i64> {
        self.definitions.next_value(sequence)
    }

    /// Begins a transaction.
    pub(crate) fn begin(&self, isolation: Isolation) -> Transaction {
        self.store.begin(isolation)
    }

    /// What exists now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.definitions.catalog()
    }

    /// A number that grows with every change of the catalog.
    pub(crate) fn version(&self) -> u64 {
        self.definitions.version()
    }

    /// What a name in a statement leads to, if it is a native table or a view.
    pub(crate) fn relation(&self, key: &str) -> Result<Option<Relation>> {
        let catalog = self.catalog();
        if let Some(definition) = find_table(&catalog, key) {
            let table = self.definitions.table(definition.id)?;
            return Ok(Some(Relation::Table(Arc::new(Shown(table)))));
        }
        let view = catalog.views.iter().find(|view| key_in(&catalog, view.schema, &view.name) == key);
        Ok(view.map(|view| Relation::View { query: view.text.clone(), columns: view.columns.clone() }))
    }

    /// Whether a table or view has this name.
    pub(crate) fn is_known(&self, name: &Name) -> Result<bool> {
        Ok(self.relation(&key_of(name))?.is_some())
    }

    /// The names of all tables and views, as statements write them.
    pub(crate) fn names(&self) -> Vec<String> {
        let catalog = self.catalog();
        let tables = catalog.tables.iter().map(|table| key_in(&catalog, table.schema, &table.name));
        tables.chain(catalog.views.iter().map(|view| key_in(&catalog, view.schema, &view.name))).collect()
    }

    /// The definition of a table, if it is a native one.
    pub(crate) fn definition(&self, key: &str) -> Option<TableDefinition> {
        find_table(&self.catalog(), key).cloned()
    }

    /// A table that is to be changed.
    ///
    /// Errors: `UnknownTable`.
    pub(crate) fn form(&self, planner: &Planner, key: &str) -> Result<Arc<Form>> {
        let version = self.version();
        {
            let mut forms = self.lock_forms();
            if forms.version != version {
                *forms = Forms { version, by_name: HashMap::new() };
            }
            if let Some(form) = forms.by_name.get(key) {
                return Ok(Arc::clone(form));
            }
        }
        let definition = self.definition(key).ok_or_else(|| mainstay_query::unknown_table(key, &self.names()))?;
        let table = self.definitions.table(definition.id)?;
        let form = Arc::new(Form::new(planner, table, Arc::new(definition))?);
        let mut forms = self.lock_forms();
        if forms.version == version {
            forms.by_name.insert(key.to_owned(), Arc::clone(&form));
        }
        Ok(form)
    }

    fn lock_forms(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the catalog within a transaction.
    fn change_catalog(&self, transaction: &mut Transaction, change: CatalogChange) -> Result<()> {
        self.definitions.change(&self.store, transaction, change)
    }
}

/// What a name is looked up by: without the schema when it is the default one.
pub(crate) fn key_of(name: &Name) -> String {
    match &name.schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => format!("{schema}.{}", name.key),
        _ => name.key.clone(),
    }
}

fn find_table<'c>(catalog: &'c Catalog, key: &str) -> Option<&'c TableDefinition> {
    catalog.tables.iter().find(|table| key_in(catalog, table.schema, &table.name) == key)
}

/// The key of something in a schema.
fn key_in(catalog: &Catalog, schema: u64, name: &str) -> String {
    let schema = catalog.schemas.iter().find(|known| known.id == schema).map(|schema| schema.name.to_lowercase());
    match schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => format!("{schema}.{}", name.to_lowercase()),
        _ => name.to_lowercase(),
    }
}

/// The number of the schema that a name is in; 0 is the default schema.
///
/// Errors: `UnknownTable` when there is no such schema.
fn schema_of(catalog: &Catalog, name: &Name) -> Result<u64> {
    match &name.schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => {
            let found = catalog.schemas.iter().find(|known| known.name.to_lowercase() == *schema);
            let missing = || Error::new(Code::UnknownTable, format!("there is no schema \"{schema}\""));
            Ok(found.ok_or_else(missing)?.id)
        }
        _ => Ok(0),
    }
}
