//! [`TableStorage`]: the records of a file as rows of a native table.
//!
//! ```text
//!   search    along an index, by key, by identifier; counting
//!   change    inserting, replacing, removing; locks of records
//!   keys      adding and removing keys of the file
//! ```
//!
//! Searches run in a statement of a transaction (`transaction`) and copy what they find to a `Batch`, so that
//! nothing of the table is held between two operations.

mod change;
mod keys;
mod search;

use crate::batch::Batch;
use crate::schema::{KeyPlace, Places, RECORD, RECORD_INDEX};
use crate::sharing::SharedFile;
use crate::transaction::{TransactionScope, Transactions};
use mainstay_basic_files::storage::{KeyedStorage, Loaded, Stored};
use mainstay_basic_files::{Counters, FileError, FileErrorKind, KeyDefinition, KeyDefinitions, Result, SessionId};
use mainstay_store::index::{Cursor, Direction};
use mainstay_store::{Durability, NativeTable, Store, Transaction, Version};
use mainstay_types::ValueRef;
use std::sync::Arc;
use std::time::Duration;

/// So many changes of a file that a session has alone are committed together.
pub const GATHERED: usize = 1024;

/// The records of a file in a table. See the module.
pub struct TableStorage {
    store: Arc<Store>,
    table: Arc<NativeTable>,
    table_id: u64,
    places: Places,
    keys: KeyDefinitions,
    /// The state of the catalog for which table and places are good.
    catalog_version: u64,
    shared: Arc<SharedFile>,
    session: SessionId,
    owner: SessionId,
    is_locked: bool,
    counters: Arc<Counters>,
    transactions: Transactions,
    /// Counts operations in the session's own transaction, whose changes are not counted elsewhere.
    in_scope: u64,
    /// The transaction that has the lock of an extracted record, and which record that is.
    extracted: Option<(u64, Transaction)>,
    /// The records that other sessions cannot use.
    held: Vec<u64>,
    batch: Batch,
    cursor: Cursor,
    key: Vec<u8>,
}

/// The parts that a channel on a table needs.
pub(crate) struct Opened {
    pub(crate) store: Arc<Store>,
    pub(crate) table_id: u64,
    pub(crate) keys: KeyDefinitions,
    /// The channel is counted there already.
    pub(crate) shared: Arc<SharedFile>,
    pub(crate) session: SessionId,
    /// The owner of the locks of records: the session, or the channel alone.
    pub(crate) owner: SessionId,
    pub(crate) is_locked: bool,
    pub(crate) durability: Durability,
    pub(crate) scope: Option<Arc<dyn TransactionScope>>,
    pub(crate) counters: Arc<Counters>,
}

impl TableStorage {
    /// Opens the records of a file.
    ///
    /// Errors: 12, 106; the reason why the table cannot be read.
    pub(crate) fn open(opened: Opened) -> Result<TableStorage> {
        let catalog_version = opened.store.catalog_version();
        let table = opened.store.table_of(opened.table_id)?;
        let places = Places::of(&table, &opened.keys)?;
        Ok(TableStorage {
            transactions: {
                let shared = Arc::clone(&opened.shared);
                Transactions::new(&opened.store, opened.durability, opened.scope, shared)
            },
            table,
            table_id: opened.table_id,
            places,
            keys: opened.keys,
            catalog_version,
            shared: opened.shared,
            session: opened.session,
            owner: opened.owner,
            is_locked: opened.is_locked,
            counters: opened.counters,
            store: opened.store,
            in_scope: 1,
            extracted: None,
            held: Vec::new(),
            batch: Batch::default(),
            cursor: Cursor::new(&[], None, Direction::Ascending),
            key: Vec::new(),
        })
    }

    /// Sees whether the table was changed, by ALTER TABLE for example.
    #[inline]
    fn refresh(&mut self) -> Result<()> {
        if self.store.catalog_version() == self.catalog_version || self.transactions.has_gathered() {
            return Ok(());
        }
        self.catalog_version = self.store.catalog_version();
        self.table = self.store.table_of(self.table_id)?;
        self.places = Places::of(&self.table, &self.keys)?;
        self.batch.clear();
        Ok(())
    }

    fn place(&self, key_number: usize) -> Result<KeyPlace> {
        self.places.keys.get(key_number).copied().flatten().ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the file has no key with the number {key_number}"))
        })
    }

    /// Commits the changes that were gathered.
    fn commit(&mut self) -> Result<()> {
        self.batch.clear();
        self.transactions.commit()
    }
}

/// A record as a version of its row has it.
struct Record<'v> {
    id: u64,
    key: &'v [u8],
    /// Unless it is the key.
    primary: Option<&'v [u8]>,
    data: &'v [u8],
}

impl<'v> Record<'v> {
    /// With the key of this column; the primary key if there is none.
    #[inline]
    fn of(version: &Version<'v>, column: Option<usize>, primary: Option<usize>) -> Record<'v> {
        let bytes = |column: Option<usize>| column.map_or(&[][..], |column| bytes_of(version.value(column)));
        Record {
            id: id_of(version),
            key: bytes(column.or(primary)),
            primary: column.filter(|column| Some(*column) != primary).map(|_| bytes(primary)),
            data: bytes_of(version.value(RECORD)),
        }
    }

    #[inline]
    fn push_to(&self, batch: &mut Batch) -> bool {
        batch.push(self.id, self.key, self.primary, self.data)
    }
}

#[inline]
fn bytes_of(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Binary(bytes) => bytes,
        ValueRef::Text(text) => text.as_bytes(),
        _ => &[],
    }
}

#[inline]
fn id_of(version: &Version<'_>) -> u64 {
    match version.value(RECORD_INDEX) {
        ValueRef::Integer(id) => u64::try_from(id).unwrap_or(0),
        _ => 0,
    }
}

#[inline]
fn integer(id: u64) -> ValueRef<'static> {
    ValueRef::Integer(i64::try_from(id).unwrap_or(i64::MAX))
}

pub(crate) fn missing() -> FileError {
    FileError::new(FileErrorKind::RecordMissing, "another session has removed the record")
}

impl KeyedStorage for TableStorage {
    #[inline]
    fn after(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<bool> {
        self.refresh()?;
        self.search_after(key_number, key, id)
    }

    fn exactly(&mut self, key_number: usize, key: &[u8]) -> Result<bool> {
        self.refresh()?;
        let place = self.place(key_number)?;
        match place.is_unique {
            true => self.load_exactly(Some(key_number), place.index, ValueRef::Binary(key)),
            false => Ok(self.search_after(key_number, key, 0)? && self.batch.current().1 == key),
        }
    }

    fn before(&mut self, key_number: usize, place: Option<(&[u8], u64)>) -> Result<bool> {
        self.refresh()?;
        self.search_before(key_number, place)
    }

    fn nth(&mut self, key_number: usize, number: u64) -> Result<bool> {
        self.refresh()?;
        self.count_before(key_number, None, number)?;
        Ok(!self.batch.is_empty())
    }

    fn rank(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<u64> {
        self.refresh()?;
        let place = self.place(key_number)?;
        self.bound(place, key, id)?;
        let high = std::mem::take(&mut self.key);
        let counted = self.count_before(key_number, Some(&high), u64::MAX);
        self.key = high;
        counted
    }

    fn by_id(&mut self, id: u64) -> Result<bool> {
        self.refresh()?;
        let state = self.state();
        if self.batch.state == state && !self.batch.is_empty() && self.batch.current().0 == id {
            return Ok(true);
        }
        if id == 0 || i64::try_from(id).is_err() {
            return Ok(false);
        }
        self.load_exactly(None, self.places.ids, integer(id))
    }

    #[inline]
    fn after_id(&mut self, id: u64) -> Result<bool> {
        self.refresh()?;
        self.search_after_id(id)
    }

    fn last_id(&mut self) -> Result<u64> {
        self.refresh()?;
        self.search_last_id()
    }

    #[inline]
    fn loaded(&self) -> Loaded<'_> {
        let (id, key, primary, data) = self.batch.current();
        Loaded { id, key_number: self.batch.order.unwrap_or(0), key, primary, data }
    }

    fn count(&mut self) -> Result<u64> {
        self.refresh()?;
        let table = &self.table;
        self.transactions.read(|transaction| Ok(table.reader(transaction.begin_statement()?).count() as u64))
    }

    fn insert(&mut self, record: &Stored<'_>, id: Option<u64>) -> Result<u64> {
        self.refresh()?;
        self.insert_record(record, id)
    }

    fn replace(&mut self, id: u64, record: &Stored<'_>) -> Result<()> {
        self.refresh()?;
        self.replace_record(id, record)
    }

    fn delete(&mut self, id: u64) -> Result<()> {
        self.refresh()?;
        self.delete_record(id)
    }

    fn clear(&mut self) -> Result<()> {
        self.refresh()?;
        self.delete_all()
    }

    fn lock_record(&mut self, id: u64, wait: Duration) -> Result<()> {
        self.refresh()?;
        self.shared.lock_record(id, self.owner, wait)?;
        self.lock_row(id, wait).inspect_err(|_| self.shared.unlock_record(id))?;
        self.held.push(id);
        Ok(())
    }

    #[inline]
    fn check_record(&mut self, id: u64, wait: Duration) -> Result<bool> {
        self.shared.check_record(id, self.owner, wait)
    }

    fn unlock_record(&mut self, id: u64) {
        self.extracted = None;
        if let Some(place) = self.held.iter().position(|held| *held == id) {
            self.held.swap_remove(place);
            self.shared.unlock_record(id);
        }
    }

    fn lock_file(&mut self, wait: Duration) -> Result<()> {
        self.shared.lock_file(self.session, wait)?;
        self.is_locked = true;
        Ok(())
    }

    fn unlock_file(&mut self) -> Result<()> {
        let outcome = self.commit();
        self.is_locked = false;
        self.shared.unlock_file();
        outcome
    }

    fn is_locked(&self) -> bool {
        self.is_locked
    }

    fn flush(&mut self) -> Result<()> {
        self.commit()
    }

    fn bytes(&mut self) -> u64 {
        self.table.bytes() as u64
    }

    fn memory_bytes(&self) -> u64 {
        self.batch.memory_bytes()
    }

    fn add_key(
        &mut self,
        number: usize,
        key: &KeyDefinition,
        make: &mut dyn FnMut(Loaded<'_>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        self.add_column_of_key(number, key, make)
    }

    fn drop_key(&mut self, number: usize) -> Result<()> {
        self.drop_column_of_key(number)
    }
}

impl Drop for TableStorage {
    /// Programs were told that their records are written: a channel that ends without CLOSE keeps them.
    fn drop(&mut self) {
        // There is nobody to tell; the journal has the error, and every later change gets it.
        let _ = self.commit();
        self.extracted = None;
        self.held.drain(..).for_each(|id| self.shared.unlock_record(id));
        self.shared.close(self.session, self.is_locked);
    }
}
