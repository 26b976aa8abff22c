//! A store: tables by name, and what their transactions share.
//!
//! Names are compared as they are given; the caller applies the case rules of its dialect first.
//!
//! ```text
//!   change_catalog         tables of the catalog: part of a transaction, journaled, found again when the store is opened
//!   create_table           tables beside the catalog: at once, for the life of the store; temporary tables
//! ```

use crate::catalog::Cataloged;
use crate::catalog::sequences::ValueRange;
use crate::definition::{ForeignKey, TableDefinition, index};
use crate::durable::Durable;
use crate::files::catalog::{Catalog, CatalogChange, Deferrable, ReferentialAction, SequenceDefinition};
use crate::table::NativeTable;
use crate::table::references::Reference;
use crate::transaction::shared::Shared;
use crate::transaction::{Isolation, Journal, NoJournal, Transaction};
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

/// The first number of tables that are not in the catalog.
pub(crate) const FIRST_UNCATALOGED: u32 = 1 << 31;

/// Native tables, and their transactions.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    tables: RwLock<Tables>,
    pub(crate) durable: Option<Durable>,
    /// The missing parts, if the store was opened for salvage.
    pub(crate) losses: Vec<Error>,
}

/// A state of the catalog, with the tables that belong to it.
#[derive(Clone)]
pub struct CatalogState(Arc<Cataloged>);

impl CatalogState {
    /// The catalog.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.0.catalog
    }

    /// The table of this number.
    ///
    /// Errors: `UnknownTable`, and the reason why its rows could not be read.
    pub fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        self.0.sound(id)
    }
}

struct Tables {
    by_name: HashMap<String, Arc<NativeTable>>,
    next_id: u32,
}

impl Store {
    /// A store without a journal: in memory only.
    pub fn in_memory() -> Store {
        Store::with_journal(Arc::new(NoJournal), 0)
    }

    /// A store whose commits go to a journal and count on from this number.
    pub fn with_journal(journal: Arc<dyn Journal>, last_commit: u64) -> Store {
        Store::of(Arc::new(Shared::new(journal, last_commit)), None)
    }

    pub(crate) fn of(shared: Arc<Shared>, durable: Option<Durable>) -> Store {
        let tables = Tables { by_name: HashMap::new(), next_id: FIRST_UNCATALOGED };
        Store { shared, tables: RwLock::new(tables), durable, losses: Vec::new() }
    }

    /// The committed catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.shared.cataloged().catalog)
    }

    /// The catalog as a transaction sees it, with its own changes.
    pub fn catalog_for(&self, transaction: &Transaction) -> Arc<Catalog> {
        Arc::clone(&transaction.cataloged().catalog)
    }

    /// The catalog for a statement that is about to change it: its state when the statement first read it.
    pub fn catalog_to_change(&self, transaction: &Transaction) -> Arc<Catalog> {
        Arc::clone(&transaction.cataloged_to_change().catalog)
    }

    /// The committed catalog with its tables.
    pub fn state(&self) -> CatalogState {
        CatalogState(self.shared.cataloged())
    }

    /// The same for a transaction, with what it has changed itself.
    pub fn state_for(&self, transaction: &Transaction) -> CatalogState {
        CatalogState(transaction.cataloged())
    }

    /// A number that grows with every committed change of the catalog: plans of an older one are made anew.
    #[inline]
    pub fn catalog_version(&self) -> u64 {
        self.shared.catalog_version()
    }

    /// A number for a new thing of the catalog, a table or a column for example, that nothing had before.
    pub fn new_id(&self) -> u64 {
        self.shared.new_id()
    }

    /// The catalog's table of this number, as it is committed.
    ///
    /// Errors: `UnknownTable`, and the reason why its rows could not be read.
    pub fn table_of(&self, id: u64) -> Result<Arc<NativeTable>> {
        self.shared.cataloged().sound(id)
    }

    /// The catalog's table of this number as a transaction has it.
    ///
    /// Errors: as [`Store::table_of`].
    pub fn table_for(&self, transaction: &Transaction, id: u64) -> Result<Arc<NativeTable>> {
        transaction.cataloged().sound(id)
    }

    /// Why tables of the catalog cannot be used, of each that cannot: its rows could not be read. Of a store that was opened
    /// to salvage its rest also what is missing in tables that can.
    pub fn damage(&self) -> Vec<Error> {
        self.shared.cataloged().damage().chain(&self.losses).cloned().collect()
    }

    /// The files of indexes that were found damaged since the store was opened, with the reasons. Nothing is lost: the indexes
    /// were made again from the rows, and the next checkpoint writes other files.
    pub fn repaired_indexes(&self) -> Vec<Error> {
        self.shared.damaged_runs.reasons()
    }

    /// Changes the catalog: for this transaction at once, for others when it commits. A column that was added is NULL in
    /// all rows; one that was dropped is gone from all of them; indexes are built. Rolling the transaction back undoes it.
    ///
    /// Waits until no other transaction writes the table that is changed, or changes what has its name, and keeps others
    /// from that until this one ends; so it does with the tables that it refers to, and those that refer to it.
    ///
    /// Errors: `DefinitionChanged` when others have changed it since the statement looked at it; `InvalidValue` for a definition that contradicts itself or others, `NotNullViolation`, `UniqueViolation` and
    /// (at the end of the statement) `ForeignKeyViolation` for rows that are against it, and those of waiting. Then nothing
    /// was changed.
    pub fn change_catalog(&self, transaction: &mut Transaction, change: CatalogChange) -> Result<()> {
        transaction.change_catalog(change)
    }

    /// The next value of a sequence. It is not given again, whatever becomes of the transaction or the process.
    ///
    /// Errors: `InvalidValue` when all values are used up, or for a number that no sequence has; `ReadOnly`; those of the
    /// journal.
    pub fn next_value(&self, transaction: &Transaction, sequence: u64) -> Result<i64> {
        let catalog = self.catalog_for(transaction);
        let found = catalog.sequences.iter().find(|definition| definition.id == sequence);
        let definition =
            found.ok_or_else(|| Error::new(Code::InvalidValue, format!("there is no sequence {sequence}")))?;
        self.next_of(definition)
    }

    /// The next value of a sequence that is at hand.
    ///
    /// Errors: as [`Store::next_value`].
    pub fn next_of(&self, definition: &SequenceDefinition) -> Result<i64> {
        self.shared.check_changeable()?;
        self.shared.sequences.next(definition, |next| self.shared.journal_sequence(definition.id, next))
    }

    /// Takes so many values of a sequence at once; `None` if there are not so many.
    ///
    /// Errors: those of the journal.
    pub fn take_range(&self, definition: &SequenceDefinition, count: u64) -> Result<Option<ValueRange>> {
        self.shared.check_changeable()?;
        self.shared.sequences.take(definition, count, |next| self.shared.journal_sequence(definition.id, next))
    }

    /// The value that a sequence will give next; `None` when all are given.
    pub fn upcoming_value(&self, definition: &SequenceDefinition) -> Option<i64> {
        self.shared.sequences.upcoming(definition)
    }

    /// Lets a sequence go on after this value, or with it if it was not `given` yet.
    ///
    /// Errors: `InvalidValue` for a value beyond its bounds, and those of the journal.
    pub fn set_value(&self, definition: &SequenceDefinition, value: i64, given: bool) -> Result<()> {
        self.shared.check_changeable()?;
        definition.check_value(value)?;
        self.shared
            .sequences
            .set_after(definition, value, given, |next| self.shared.journal_sequence(definition.id, next))
    }

    /// Lets a sequence go on with this value.
    ///
    /// Errors: those of the journal.
    pub fn set_next_value(&self, sequence: u64, next: i64) -> Result<()> {
        self.shared.check_changeable()?;
        self.shared.journal_sequence(sequence, next)?;
        self.shared.sequences.set(sequence, next);
        Ok(())
    }

    /// Begins a transaction.
    pub fn begin(&self, isolation: Isolation) -> Transaction {
        Transaction::new(Arc::clone(&self.shared), isolation)
    }

    /// The number of the last commit that everybody sees.
    pub fn published(&self) -> u64 {
        self.shared.published().load(Ordering::Acquire)
    }

    /// The oldest commit that a view reads at: versions that were dead by then can be removed.
    pub fn horizon(&self) -> u64 {
        self.shared.horizon()
    }

    /// The number of transactions that wait for others now.
    pub fn waiting(&self) -> usize {
        self.shared.waits.waiting()
    }

    /// The table of this name.
    ///
    /// Errors: `UnknownTable`, and the reason why its rows could not be read.
    pub fn table(&self, name: &str) -> Result<Arc<NativeTable>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let found = tables.by_name.get(name).cloned();
        let found = found.or_else(|| self.shared.cataloged().named(name).cloned()).ok_or_else(|| unknown(name))?;
        found.check_sound().map(|()| found)
    }

    /// All tables, by ascending numbers.
    pub fn tables(&self) -> Vec<Arc<NativeTable>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let mut tables: Vec<_> = tables.by_name.values().cloned().collect();
        tables.extend(self.shared.cataloged().tables.values().cloned());
        tables.sort_by_key(|table| table.id());
        tables
    }

    /// Creates an empty table.
    ///
    /// Errors: `InvalidValue` when there is one of this name, `UnknownTable` and `UnknownColumn` for references that lead
    /// nowhere.
    pub fn create_table(&self, definition: TableDefinition) -> Result<Arc<NativeTable>> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let id = tables.next_id;
        self.create_in(&mut tables, id, definition)
    }

    /// Creates an empty table with this number, as it had when it was stored.
    ///
    /// Errors: as [`Store::create_table`], and `Internal` for a number in use.
    pub fn create_numbered(&self, id: u32, definition: TableDefinition) -> Result<Arc<NativeTable>> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        self.create_in(&mut tables, id, definition)
    }

    fn create_in(&self, tables: &mut Tables, id: u32, mut definition: TableDefinition) -> Result<Arc<NativeTable>> {
        if (self.durable.is_some() || self.read_only().is_some()) && definition.logged {
            let message =
                format!("the table {} is to be kept, and tables that are kept are in the catalog", definition.name);
            return Err(Error::new(Code::Unsupported, message).hint("create it with a change of the catalog"));
        }
        if tables.by_name.contains_key(&definition.name) {
            return Err(Error::new(Code::InvalidValue, format!("there is a table {} already", definition.name)));
        }
        if tables.by_name.values().any(|table| table.id() == id) {
            return Err(Error::new(Code::Internal, format!("two tables have the number {id}")));
        }
        definition.check()?;
        let keys = definition.foreign_keys.clone();
        let child_indexes: Vec<usize> = keys.iter().map(|key| child_index(&mut definition, key)).collect();
        let table = Arc::new(NativeTable::new(id, definition, Arc::clone(&self.shared))?);
        let mut references = Vec::new();
        for (key, child_index) in keys.iter().zip(child_indexes) {
            let is_own = key.parent == table.definition().name;
            let parent = if is_own { Some(&table) } else { tables.by_name.get(&key.parent) };
            let parent = parent.ok_or_else(|| unknown(&key.parent))?;
            references.push(Reference {
                name: key.name.clone(),
                child: Arc::downgrade(&table),
                child_columns: key.columns.clone(),
                child_index,
                parent: Arc::downgrade(parent),
                parent_columns: key.parent_columns.clone(),
                parent_index: parent_index(parent, key)?,
                on_delete: ReferentialAction::NoAction,
                on_update: ReferentialAction::NoAction,
                deferrable: Deferrable::No,
                match_full: false,
            });
        }
        references.iter().for_each(NativeTable::add_reference);
        tables.next_id = tables.next_id.max(id + 1);
        tables.by_name.insert(table.definition().name.clone(), Arc::clone(&table));
        Ok(table)
    }

    /// Drops a table. Statements that use it now go on with what they have.
    ///
    /// Errors: `UnknownTable`, and `ForeignKeyViolation` when other tables refer to it.
    pub fn drop_table(&self, name: &str) -> Result<()> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let table = tables.by_name.get(name).ok_or_else(|| unknown(name))?;
        if let Some(child) = table.child_tables().first() {
            let message = format!("the table {} refers to {name}", child.definition().name);
            return Err(Error::new(Code::ForeignKeyViolation, message));
        }
        if let Some(dropped) = tables.by_name.remove(name) {
            tables.by_name.values().for_each(|table| table.forget_child(&dropped));
        }
        Ok(())
    }

    /// Cleans up all tables.
    ///
    /// Errors: as [`NativeTable::vacuum`].
    pub fn vacuum(&self) -> Result<()> {
        self.tables().iter().try_for_each(|table| table.vacuum().map(|_| ()))
    }

    /// The memory that rows and indexes take, in bytes.
    pub fn bytes(&self) -> usize {
        self.tables().iter().map(|table| table.bytes()).sum()
    }
}

/// The index that begins with the columns of a reference; created if it does not exist.
fn child_index(definition: &mut TableDefinition, key: &ForeignKey) -> usize {
    let found = definition.indexes.iter().position(|index| index.column_numbers().starts_with(&key.columns));
    found.unwrap_or_else(|| {
        definition.indexes.push(index(key.name.clone(), &key.columns, false));
        definition.indexes.len() - 1
    })
}

/// The unique index of the columns that are referred to.
pub(crate) fn parent_index(parent: &NativeTable, key: &ForeignKey) -> Result<usize> {
    let mut wanted = key.parent_columns.clone();
    wanted.sort_unstable();
    let has_columns = |columns: &[usize]| {
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        columns == wanted
    };
    let fits = |index: &crate::table::TableIndex| index.is_unique() && has_columns(&index.columns);
    let found = parent.indexes().iter().position(|index| fits(index));
    let is_sound = key.columns.len() == key.parent_columns.len() && !key.columns.is_empty();
    found.filter(|_| is_sound).ok_or_else(|| {
        let message = format!("{} refers to columns of {} that are no unique key", key.name, key.parent);
        Error::new(Code::UnknownColumn, message)
    })
}

pub(crate) fn unknown(name: &str) -> Error {
    Error::new(Code::UnknownTable, format!("there is no table {name}"))
}
