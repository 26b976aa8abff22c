//! The catalog that a statement sees.
//!
//! A transaction that changes the catalog sees its changes before others do. Its statements are planned in a *private*
//! scope, whose plans and compiled tables are used once.

use super::forms::Form;
use super::sequences::{Given, SessionSequences};
use crate::catalog::FolderCatalog;
use crate::packed::{self, Packed};
use arrow_schema::Field;
use mainstay_planner::{DEFAULT_SCHEMAS, FIRST_PRIVATE, FileReading, Name, Planner, Relation};
use mainstay_store::definition::shown_field;
use mainstay_store::files::catalog::{Catalog, ColumnDefinition, SequenceDefinition, TableDefinition};
use mainstay_store::{CatalogState, NativeTable, Shown, Store, TemporaryTables, Transaction};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Versions of private scopes: no committed one is ever as large.
static NEXT_PRIVATE: AtomicU64 = AtomicU64::new(FIRST_PRIVATE);

/// A column as statements see it: its metadata says what its dialect declared.
pub fn field_of(column: &ColumnDefinition) -> Field {
    shown_field(&column.name, column.sql_type, column.declared.as_deref(), !column.not_null)
}

/// The definitions that a session sees.
#[derive(Clone, Debug)]
pub struct VisibleDefinitions {
    /// The committed catalog, with the changes of the session's open transaction.
    pub shared: Arc<Catalog>,
    /// The session's temporary tables, if it has any.
    pub temporary: Option<Arc<Catalog>>,
}

/// A state of the catalog, with its tables.
#[derive(Clone)]
pub(crate) struct Scope {
    store: Arc<Store>,
    /// The catalog, and its open tables.
    state: CatalogState,
    version: u64,
    /// True if a transaction has changed the catalog, so that only it sees this.
    is_private: bool,
    /// The session's own tables, if it has any. They come before others of the same names.
    temporary: Option<OwnTables>,
}

/// A state of a session's temporary tables.
#[derive(Clone)]
struct OwnTables {
    tables: Arc<TemporaryTables>,
    catalog: Arc<Catalog>,
    version: u64,
}

impl OwnTables {
    fn of(tables: &Arc<TemporaryTables>) -> Option<OwnTables> {
        let own = OwnTables { tables: Arc::clone(tables), catalog: tables.catalog(), version: tables.version() };
        Some(own).filter(|own| !own.catalog.tables.is_empty())
    }
}

impl Scope {
    /// The scope of the committed catalog.
    pub(super) fn committed(store: Arc<Store>, version: u64) -> Scope {
        Scope { state: store.state(), store, version, is_private: false, temporary: None }
    }

    /// The same with a session's temporary tables.
    pub(super) fn with(self, temporary: Option<&Arc<TemporaryTables>>) -> Scope {
        Scope { temporary: temporary.and_then(OwnTables::of), ..self }
    }

    /// The same without them.
    pub(crate) fn shared(&self) -> Scope {
        Scope { temporary: None, ..self.clone() }
    }

    /// The scope that a transaction sees.
    pub(super) fn of(store: Arc<Store>, version: u64, transaction: &Transaction) -> Scope {
        let is_private = transaction.has_changed_catalog();
        let version = if is_private { NEXT_PRIVATE.fetch_add(1, Ordering::Relaxed) } else { version };
        let scope = Scope { state: store.state_for(transaction), store, version, is_private, temporary: None };
        scope.with(transaction.temporary())
    }

    /// Returns true if only one session sees the table of this name.
    pub(crate) fn is_private(&self, key: &str) -> bool {
        self.is_private || self.own(key).is_some()
    }

    /// True for the state of a transaction that has changed definitions.
    pub(crate) fn has_own_definitions(&self) -> bool {
        self.is_private
    }

    /// Returns true if a name leads to a temporary table of the session.
    pub(crate) fn is_temporary(&self, key: &str) -> bool {
        self.own(key).is_some()
    }

    /// The names of the session's temporary tables.
    pub(crate) fn temporary_names(&self) -> Vec<String> {
        let own = self.temporary.iter().flat_map(|own| own.catalog.tables.iter());
        own.map(|table| table.name.to_lowercase()).collect()
    }

    /// The version of the shared catalog.
    pub(super) fn shared_version(&self) -> u64 {
        self.version
    }

    /// A number that no other state has.
    pub(crate) fn version(&self) -> u64 {
        match &self.temporary {
            None => self.version,
            Some(own) => with_temporary(self.version, own.version),
        }
    }

    /// Everything that exists.
    pub(crate) fn definitions(&self) -> VisibleDefinitions {
        let temporary = self.temporary.as_ref().map(|own| Arc::clone(&own.catalog));
        VisibleDefinitions { shared: Arc::clone(self.catalog()), temporary }
    }

    /// The session's own table of this name.
    fn own(&self, key: &str) -> Option<&TableDefinition> {
        self.temporary.as_ref().and_then(|own| find_table(&own.catalog, key))
    }

    /// The table of a definition.
    pub(crate) fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        if let Some(own) = self.temporary.as_ref().filter(|own| own.catalog.table(id).is_some()) {
            return own.tables.table(id);
        }
        self.state.table(id)
    }

    /// The native table or view of this name, if there is one.
    pub(crate) fn relation(&self, key: &str) -> Result<Option<Relation>> {
        if let Some(definition) = self.definition(key) {
            let table = self.table(definition.id)?;
            // Others cannot read what a transaction has defined, and its plans are used once.
            if !self.is_private(key) {
                packed::learn_derived_keys(&self.store, (definition.id, &table));
            }
            return Ok(Some(Relation::Table(Arc::new(Shown(table)))));
        }
        let view = self.catalog().views.iter().find(|view| key_in(self.catalog(), view.schema, &view.name) == key);
        Ok(view.map(|view| Relation::View { query: view.text.clone(), columns: view.columns.clone() }))
    }

    /// The names of all tables and views, as statements write them.
    pub(crate) fn names(&self) -> Vec<String> {
        let catalog = self.catalog();
        let tables = catalog.tables.iter().map(|table| key_in(catalog, table.schema, &table.name));
        let own = self.temporary.iter().flat_map(|own| own.catalog.tables.iter());
        let own = own.map(|table| table.name.to_lowercase());
        own.chain(tables).chain(catalog.views.iter().map(|view| key_in(catalog, view.schema, &view.name))).collect()
    }

    /// The definition of a table.
    pub(crate) fn definition(&self, key: &str) -> Option<&TableDefinition> {
        self.own(key).or_else(|| find_table(self.catalog(), key))
    }

    /// Returns true if a native table has an index of this name.
    pub(crate) fn has_index(&self, name: &str) -> bool {
        let own = self.temporary.iter().flat_map(|own| own.catalog.tables.iter());
        let mut tables = own.chain(&self.catalog().tables);
        tables.any(|table| table.indexes.iter().any(|index| index.name.eq_ignore_ascii_case(name)))
    }

    fn catalog(&self) -> &Arc<Catalog> {
        self.state.catalog()
    }

    /// Where its tables are.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// The sequence of this name, in lower case, with the schema when that is not the default one.
    pub(super) fn sequence(&self, key: &str) -> Option<&SequenceDefinition> {
        let own = self.temporary.as_ref();
        let own = own.and_then(|own| own.catalog.sequences.iter().find(|it| it.name.to_lowercase() == key));
        let catalog = self.catalog();
        own.or_else(|| {
            catalog.sequences.iter().find(|sequence| key_in(catalog, sequence.schema, &sequence.name) == key)
        })
    }

    /// The session's own tables, if the sequence of this number is one of theirs.
    pub(crate) fn owner_of_sequence(&self, id: u64) -> Option<&TemporaryTables> {
        let own = self.temporary.as_ref()?;
        own.catalog.sequences.iter().any(|sequence| sequence.id == id).then_some(own.tables.as_ref())
    }

    /// The sequence of this number.
    pub(super) fn sequence_of(&self, id: u64) -> Option<&SequenceDefinition> {
        let own = self.temporary.iter().flat_map(|own| own.catalog.sequences.iter());
        own.chain(&self.catalog().sequences).find(|sequence| sequence.id == id)
    }

    /// The lookup key of the table with this number.
    ///
    /// Errors: `UnknownTable`.
    pub(super) fn key_of_id(&self, id: u64) -> Result<String> {
        let missing = || Error::new(Code::UnknownTable, format!("there is no table number {id}"));
        if let Some(table) = self.temporary.as_ref().and_then(|own| own.catalog.table(id)) {
            return Ok(table.name.to_lowercase());
        }
        let table = self.catalog().table(id).ok_or_else(missing)?;
        Ok(key_in(self.catalog(), table.schema, &table.name))
    }

    /// A table with its expressions compiled.
    pub(super) fn form(&self, planner: &Planner, key: &str) -> Result<Form> {
        let unknown = || mainstay_planner::unknown_table(key, &self.names());
        let definition = self.definition(key).ok_or_else(unknown)?;
        Form::new(planner, self.table(definition.id)?, Arc::new(definition.clone()))
    }
}

impl Scope {
    /// The view of this name as a table, if it shows the packed records of a table and their language has rules for them.
    ///
    /// Errors: those of the view's expressions, and of reading the rules.
    pub(crate) fn packed_form(
        &self,
        planner: &Planner,
        key: &str,
        transaction: &mut Transaction,
    ) -> Result<Option<Form>> {
        let Some(Relation::View { query, columns }) = self.relation(key)? else { return Ok(None) };
        let Some(view) = mainstay_planner::packed_view(&query, &columns)? else { return Ok(None) };
        let table = match view.table.as_slice() {
            [schema, table] => Name { schema: Some(schema.clone()), ..Name::new(table) },
            [table] => Name::new(table),
            _ => return Ok(None),
        };
        let shared = self.shared();
        let Some(definition) = shared.definition(&super::key_of(&table)) else { return Ok(None) };
        let table = shared.table(definition.id)?;
        let Some(rules) = packed::rules_of(&self.store, (definition.id, &table), transaction)? else { return Ok(None) };
        let fields = definition.columns.iter().map(field_of).collect::<Vec<_>>();
        let schema = Arc::new(arrow_schema::Schema::new(fields));
        let packed = Packed::new(planner, (key, &view), (definition, &schema), rules)?;
        let definition = TableDefinition {
            name: key.to_owned(),
            columns: packed.columns(&view)?,
            primary_key: None,
            unique: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            ..definition.clone()
        };
        Ok(Some(Form::of_view(table, definition, packed)))
    }
}

/// The names that a statement of a session can use: the folder's files, and native tables as the session sees them.
pub(crate) struct SessionCatalog<'f> {
    pub(crate) folder: &'f FolderCatalog,
    pub(crate) scope: Scope,
    pub(crate) given: Arc<Given>,
    pub(crate) functions: Option<Arc<dyn mainstay_planner::UserFunctions>>,
    pub(crate) reading: FileReading,
}

impl SessionCatalog<'_> {
    /// A name that is neither of a native table that is known nor of a file: it may be one of a store that another process
    /// had when this one was opened.
    fn unknown(&self, name: &str) -> Result<Option<Relation>> {
        self.folder.native.open_if_there()?;
        self.folder.native.committed().relation(name)
    }

    /// The same without the session's own tables.
    pub(crate) fn shared(&self) -> SessionCatalog<'_> {
        SessionCatalog {
            folder: self.folder,
            scope: self.scope.shared(),
            given: Arc::clone(&self.given),
            // They belong to the database, and not to the session.
            functions: self.functions.clone(),
            reading: self.reading,
        }
    }
}

impl mainstay_planner::Catalog for SessionCatalog<'_> {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        match self.scope.relation(name)? {
            Some(relation) => Ok(Some(relation)),
            None => match self.folder.file(name)? {
                Some(file) => Ok(Some(file)),
                None if self.folder.native.is_elsewhere() => self.unknown(name),
                None => Ok(None),
            },
        }
    }

    fn names(&self) -> Vec<String> {
        self.folder.names().into_iter().chain(self.scope.names()).collect()
    }

    fn version(&self) -> u64 {
        // Both only grow, so their sum changes when either does.
        self.folder.version() + self.scope.version()
    }

    fn shared_relation(&self, name: &str) -> Result<Option<Relation>> {
        match self.scope.shared().relation(name)? {
            Some(relation) => Ok(Some(relation)),
            None => self.folder.file(name),
        }
    }

    fn reading(&self) -> FileReading {
        self.reading
    }

    fn functions(&self) -> Option<Arc<dyn mainstay_planner::UserFunctions>> {
        self.functions.clone()
    }

    fn sequences(&self) -> Option<Arc<dyn mainstay_planner::Sequences>> {
        let (scope, given) = (self.scope.clone(), Arc::clone(&self.given));
        Some(Arc::new(SessionSequences { scope, given }))
    }
}

/// The version of the shared catalog together with a session's temporary tables.
pub(super) fn with_temporary(shared: u64, own: u64) -> u64 {
    // Of the shared part the low bits tell its states from each other well enough: both change together with a plan that is
    // that old only after millions of definitions. The bit above is that of temporary tables.
    FIRST_PRIVATE + (1 << 61) + (own << 24) + (shared & 0xFF_FFFF)
}

pub(super) fn find_table<'c>(catalog: &'c Catalog, key: &str) -> Option<&'c TableDefinition> {
    catalog.tables.iter().find(|table| key_in(catalog, table.schema, &table.name) == key)
}

/// The key of something in a schema.
pub(super) fn key_in(catalog: &Catalog, schema: u64, name: &str) -> String {
    let schema = catalog.schemas.iter().find(|known| known.id == schema).map(|schema| schema.name.to_lowercase());
    match schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => format!("{schema}.{}", name.to_lowercase()),
        _ => name.to_lowercase(),
    }
}

/// The number of the schema that a name is in; `None` when it is the default one and that was never needed.
///
/// Errors: `UnknownTable` when there is no such schema.
pub(super) fn schema_of(catalog: &Catalog, name: &Name) -> Result<Option<u64>> {
    let named = |wanted: &str| catalog.schemas.iter().find(|known| known.name.to_lowercase() == wanted);
    match &name.schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => match named(schema) {
            Some(schema) => Ok(Some(schema.id)),
            None => {
                let error = Error::new(Code::UnknownTable, format!("there is no schema \"{schema}\""));
                Err(error.about(schema))
            }
        },
        _ => Ok(named(DEFAULT_SCHEMAS[0]).map(|schema| schema.id)),
    }
}
