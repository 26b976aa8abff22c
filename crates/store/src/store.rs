//! A store: tables by name, and what their transactions share.
//!
//! Names are compared as they are given; who calls brings them into the form of its dialect first. Creating and dropping
//! tables here is not part of a transaction: the catalog above decides when it happens.

use crate::definition::{ForeignKey, TableDefinition, index};
use crate::table::NativeTable;
use crate::table::references::Reference;
use crate::transaction::shared::Shared;
use crate::transaction::{Isolation, Journal, NoJournal, Transaction};
use mainstay_base::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};

/// Native tables, and their transactions.
pub struct Store {
    shared: Arc<Shared>,
    tables: RwLock<Tables>,
}

#[derive(Default)]
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
        Store { shared: Arc::new(Shared::new(journal, last_commit)), tables: RwLock::default() }
    }

    /// Begins a transaction.
    pub fn begin(&self, isolation: Isolation) -> Transaction {
        Transaction::new(Arc::clone(&self.shared), isolation)
    }

    /// The number of the last commit that everybody sees.
    pub fn published(&self) -> u64 {
        self.shared.published().load(Ordering::Acquire)
    }

    /// The commit up to which nobody looks back: what was dead by then can be cleaned up.
    pub fn horizon(&self) -> u64 {
        self.shared.horizon()
    }

    /// How many transactions wait for others now.
    pub fn waiting(&self) -> usize {
        self.shared.waits.waiting()
    }

    /// The table of this name.
    ///
    /// Errors: `UnknownTable`.
    pub fn table(&self, name: &str) -> Result<Arc<NativeTable>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        tables.by_name.get(name).cloned().ok_or_else(|| unknown(name))
    }

    /// All tables, by ascending numbers.
    pub fn tables(&self) -> Vec<Arc<NativeTable>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let mut tables: Vec<_> = tables.by_name.values().cloned().collect();
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

    /// How many bytes of memory rows and indexes take.
    pub fn bytes(&self) -> usize {
        self.tables().iter().map(|table| table.bytes()).sum()
    }
}

/// The index that begins with the columns of a reference; makes one if there is none.
fn child_index(definition: &mut TableDefinition, key: &ForeignKey) -> usize {
    let found = definition.indexes.iter().position(|index| index.column_numbers().starts_with(&key.columns));
    found.unwrap_or_else(|| {
        definition.indexes.push(index(key.name.clone(), &key.columns, false));
        definition.indexes.len() - 1
    })
}

/// The unique index of the columns that are referred to.
fn parent_index(parent: &NativeTable, key: &ForeignKey) -> Result<usize> {
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

fn unknown(name: &str) -> Error {
    Error::new(Code::UnknownTable, format!("there is no table {name}"))
}
