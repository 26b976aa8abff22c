//! Native tables in statements: names, definitions, changes.
//!
//! ```text
//!   define        CREATE: statements as changes of the catalog
//!   drop          DROP, with dependent objects
//!   alter         ALTER TABLE, the same
//!   renames       renames, and the views that follow them; ALTER SEQUENCE
//!   schemas       SET SCHEMA
//!   retype        the rows of a table through an ALTER TABLE: a new column, another type
//!   place         the location of the store, and its opening
//!   scope         the catalog of a statement: committed, or with the changes of its transaction
//!   table         a native table as a writable table
//!   writer        its rows in a statement
//!   change        values, defaults and ON CONFLICT of rows; TRUNCATE
//!   actions       ON DELETE and ON UPDATE of references: the rows that follow a change
//!   update        the rows of an UPDATE, and those whose new key another row still has
//!   filter        the filter of a unique index
//!   forms         defaults, checks and computed columns of a table, compiled
//!   shape         comparison of definitions without their numbers
//!   sequences     values of sequences, and the last ones of a session
//!   lock          SELECT ... FOR UPDATE
//!   transaction   the session's transaction, and the views of its statements
//!   accounts      the memory for its changes
//!   pending       uncommitted rows of other transactions, which changes may have to wait for
//!   outlook       the view of a running statement, for the session of its functions
//!   columns       columns of definitions, by name or number
//!   versions      versions of rows that a view sees
//! ```
//!
//! The store implements transactions and rows; this module adds the semantics of SQL.

mod accounts;
mod actions;
mod alter;
mod change;
mod columns;
mod define;
mod drop;
mod enable;
mod filter;
mod forms;
mod lock;
mod outlook;
mod pending;
mod place;
mod references;
mod renames;
mod retype;
mod schemas;
mod scope;
mod sequences;
mod shape;
mod table;
mod transaction;
mod update;
mod versions;
mod writer;

pub(crate) use accounts::accounts;
pub(crate) use change::Changer;
pub(crate) use define::Definitions;
pub(crate) use forms::Form;
pub(crate) use lock::held_by_another;
pub use outlook::Outlook;
pub(crate) use pending::{view_to_lock, wait_for_first, wait_to_lock};
pub(crate) use place::Place;
pub use place::STORE_FOLDER;
pub(crate) use scope::{Scope, SessionCatalog};
pub use scope::{VisibleDefinitions, field_of};
pub use sequences::Identity;
pub(crate) use sequences::{Given, SessionSequences};
pub(crate) use shape::are_alike;
pub(crate) use table::{NativeTable, insert_found};
pub(crate) use transaction::SessionTransaction;
pub(crate) use update::{Keep, Late, RowChange, update_late, update_row};
pub(crate) use writer::Find;

use mainstay_planner::{DEFAULT_SCHEMAS, Name, Planner};
use mainstay_store::{HolderNames, Isolation, Store, Transaction};
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The native tables of a database.
pub(crate) struct Native {
    place: Place,
    /// Names the sessions that hold locks.
    holders: HolderNames,
    /// Tables with their expressions compiled, by name, of one committed state of the catalog.
    forms: Mutex<Forms>,
}

#[derive(Default)]
struct Forms {
    version: u64,
    by_name: HashMap<String, Arc<Form>>,
}

impl Native {
    /// The native tables that are kept there.
    pub(crate) fn new(place: Place, holders: HolderNames) -> Native {
        Native { place, holders, forms: Mutex::default() }
    }

    /// The store as it is: an empty one when nothing was ever created.
    pub(crate) fn store(&self) -> &Arc<Store> {
        self.place.store()
    }

    /// Begins a transaction that only reads.
    pub(crate) fn begin_reading(&self, isolation: Isolation) -> Transaction {
        self.store().begin(isolation)
    }

    /// Begins a transaction that may write.
    ///
    /// Errors: `Busy` when another process has the store open; those of the file system.
    pub(crate) fn begin(&self, isolation: Isolation) -> Result<Transaction> {
        let store = self.place.open_if_there()?;
        store.name_holders(&self.holders);
        Ok(store.begin(isolation))
    }

    /// The store as it is, opened if it is there.
    ///
    /// Errors: as [`Native::begin`].
    pub(crate) fn existing(&self) -> Result<Arc<Store>> {
        self.place.open_if_there().map(Arc::clone)
    }

    /// Creates the store if it is missing, for the next change.
    ///
    /// Errors: as [`Native::begin`].
    pub(crate) fn make(&self) -> Result<()> {
        self.place.open().map(|_| ())
    }

    /// The same for what others are to find later.
    ///
    /// Errors: `Unsupported` where that has no place; as [`Native::begin`].
    pub(crate) fn make_kept(&self) -> Result<()> {
        self.place.check_kept()?;
        self.make()
    }

    /// Returns true if there is a store that this process has not opened.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.place.is_elsewhere()
    }

    /// Opens the store that is there and was another process's when the database was opened.
    ///
    /// Errors: `Busy` when it still is.
    pub(crate) fn open_if_there(&self) -> Result<()> {
        self.place.open_if_there().map(|_| ())
    }

    /// Why the store that is there cannot be used by anybody, if that is so.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.place.failure()
    }

    /// Returns true if what is committed outlives the process.
    pub(crate) fn is_kept(&self) -> bool {
        self.place.is_kept()
    }

    /// A number that grows with every committed change of the catalog.
    pub(crate) fn version(&self) -> u64 {
        self.place.version()
    }

    /// The committed catalog.
    pub(crate) fn committed(&self) -> Scope {
        Scope::committed(Arc::clone(self.store()), self.version())
    }

    /// The catalog that a transaction sees.
    pub(crate) fn scope(&self, transaction: &Transaction) -> Scope {
        Scope::of(Arc::clone(self.store()), self.version(), transaction)
    }

    /// Sees that what was looked up a moment ago is of this version, if one is given.
    ///
    /// Errors: `DefinitionChanged`.
    pub(crate) fn check_planned(&self, catalog: Option<u64>) -> Result<()> {
        if catalog.is_none_or(|catalog| catalog == self.version()) {
            return Ok(());
        }
        let message = "definitions have changed since the statement was planned";
        Err(Error::new(Code::DefinitionChanged, message).hint("run the statement again"))
    }

    /// A table that is to be changed.
    ///
    /// Errors: `UnknownTable`.
    pub(crate) fn form(&self, planner: &Planner, scope: &Scope, key: &str) -> Result<Arc<Form>> {
        if scope.is_private(key) {
            return Ok(Arc::new(scope.form(planner, key)?));
        }
        {
            let mut forms = self.lock_forms();
            if forms.version != scope.shared_version() {
                *forms = Forms { version: scope.shared_version(), by_name: HashMap::new() };
            }
            if let Some(form) = forms.by_name.get(key) {
                return Ok(Arc::clone(form));
            }
        }
        let form = Arc::new(scope.form(planner, key)?);
        let mut forms = self.lock_forms();
        if forms.version == scope.shared_version() {
            forms.by_name.insert(key.to_owned(), Arc::clone(&form));
        }
        Ok(form)
    }

    fn lock_forms(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lookup key of a name: without the schema when it is the default one.
pub(crate) fn key_of(name: &Name) -> String {
    match &name.schema {
        Some(schema) if !DEFAULT_SCHEMAS.contains(&schema.as_str()) => format!("{schema}.{}", name.key),
        _ => name.key.clone(),
    }
}
