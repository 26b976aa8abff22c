//! Temporary tables: a catalog of a session's own, beside the one that everybody has.
//!
//! They are native tables like all others, with the same transactions, and nothing of them is written down: no change of
//! this catalog, no row, no value of a sequence. No other session ever looks at it, so a change waits for nobody, and no
//! plan of another session is void because of it.
//!
//! Changes are part of the session's transaction and are taken back with it, in one list with the changes of the other
//! catalog and in order with the rows that were written between them.

use super::Cataloged;
use super::sequences::Sequences;
use crate::files::catalog::{Catalog, CatalogChange, SchemaDefinition, SequenceDefinition};
use crate::store::Store;
use crate::table::NativeTable;
use crate::transaction::Transaction;
use mainstay_base::{Code, Error, Result};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first number of temporary tables. They are given round and round: a session that holds one for a billion others
/// would have to share its number.
pub(crate) const FIRST_TEMPORARY: u32 = 3 << 30;

/// The number of the only schema.
const SCHEMA: u64 = 1;

/// Everything else than tables is numbered from here: columns, keys, sequences.
const FIRST_OTHER: u64 = 1 << 32;

/// A version that no state of any session's temporary tables had before.
pub(super) fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The temporary tables of a session.
pub struct TemporaryTables {
    current: Mutex<Arc<Cataloged>>,
    sequences: Sequences,
    next_id: AtomicU64,
}

impl TemporaryTables {
    /// None yet. Their schema is called so.
    pub fn new(schema: &str) -> TemporaryTables {
        let mut catalog = Catalog::new();
        catalog.schemas.push(SchemaDefinition { id: SCHEMA, name: schema.to_owned() });
        catalog.next_id = FIRST_OTHER;
        let cataloged = Cataloged { version: 0, catalog: Arc::new(catalog), tables: Default::default() };
        TemporaryTables {
            current: Mutex::new(Arc::new(cataloged)),
            sequences: Sequences::default(),
            next_id: AtomicU64::new(FIRST_OTHER),
        }
    }

    /// What there is.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    /// A number of this state of them: no other one had it, of whatever session. 0 when there were never any.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// The same, if there are any tables.
    pub fn version_of_tables(&self) -> Option<u64> {
        let current = self.lock();
        (!current.tables.is_empty()).then_some(current.version)
    }

    /// The table of this number.
    ///
    /// Errors: `UnknownTable`.
    pub fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        let missing = || Error::new(Code::UnknownTable, format!("there is no temporary table {id}"));
        self.lock().tables.get(&id).cloned().ok_or_else(missing)
    }

    /// The number of the schema that all of them are in.
    pub fn schema(&self) -> u64 {
        SCHEMA
    }

    /// A number for a new table.
    pub fn new_table_id(&self) -> u64 {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % (u32::MAX - FIRST_TEMPORARY);
        u64::from(FIRST_TEMPORARY + number)
    }

    /// A number for a column, a key or a sequence.
    pub fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The next value of a sequence of these tables.
    ///
    /// Errors: `InvalidValue` when all are given.
    pub fn next_of(&self, definition: &SequenceDefinition) -> Result<i64> {
        self.sequences.next(definition, |_| Ok(()))
    }

    /// The value that a sequence will give next; `None` when all are given.
    pub fn upcoming_value(&self, definition: &SequenceDefinition) -> Option<i64> {
        self.sequences.upcoming(definition)
    }

    /// Lets a sequence go on after this value, or with it if it was not `given` yet.
    ///
    /// Errors: `InvalidValue` for a value beyond its bounds.
    pub fn set_value(&self, definition: &SequenceDefinition, value: i64, given: bool) -> Result<()> {
        definition.check_value(value)?;
        self.sequences.set_after(definition, value, given, |_| Ok(()))
    }

    pub(crate) fn put_back(&self, cataloged: Arc<Cataloged>) {
        *self.lock() = cataloged;
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Cataloged>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Changes the catalog of a session's temporary tables. Rolling the transaction back undoes it.
    ///
    /// Errors: those of [`Store::change_catalog`], but for waiting for others.
    pub fn change_temporary(
        &self,
        transaction: &mut Transaction,
        temporary: &Arc<TemporaryTables>,
        change: CatalogChange,
    ) -> Result<()> {
        let mark = transaction.mark()?;
        let before = Arc::clone(&temporary.lock());
        let changed = before.change(change, mark, &transaction.shared(), true)?;
        let appended = changed.step.new_table().map(|table| (table, changed.appended));
        temporary.put_back(changed.cataloged);
        transaction.note_temporary(Arc::clone(temporary), before, changed.step);
        if let Some((table, appended)) = appended {
            appended.into_iter().for_each(|(first, count)| transaction.note_inserted(&table, first, count));
            if !table.definition().foreign_keys.is_empty() {
                table.check_references(mark, transaction)?;
            }
        }
        Ok(())
    }
}
