//! [`TableStorage`]: the records of a file as rows of a native table.
//!
//! Searches run in a statement of the channel's transaction: the one that gathers its changes, or one that only reads. A
//! search copies what it finds to a [`Batch`], so that nothing of the table is held between two operations.

use crate::batch::Batch;
use crate::schema::{self, KeyPlace, Places, RECORD, RECORD_INDEX};
use crate::sharing::SharedFile;
use mainstay_basic_files::storage::{KeyedStorage, Loaded, Stored};
use mainstay_basic_files::{
    Counters, FileDefinition, FileError, FileErrorKind, KeyDefinition, KeyDefinitions, Result, SessionId,
};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::index::{Cursor, Direction};
use mainstay_store::{Durability, Isolation, LockMode, NativeTable, Reader, Store, Transaction, Version, Written};
use mainstay_types::ValueRef;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// So many changes of a file that a session has alone are committed together.
pub const GATHERED: usize = 1024;

/// What a value of a nullable column of a key begins with: behind all that is NULL.
const NOT_NULL: &[u8] = &[1];

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
    is_locked: bool,
    durability: Durability,
    counters: Arc<Counters>,
    reading: Transaction,
    /// Gathers the changes of a file that the session has alone.
    writing: Option<Transaction>,
    gathered: usize,
    /// Counts the channel's own changes.
    changes: u64,
    /// The transaction that has the lock of an extracted record, and which record that is.
    extracted: Option<(u64, Transaction)>,
    batch: Batch,
    cursor: Cursor,
    key: Vec<u8>,
}

/// What a channel on a table needs.
pub(crate) struct Opened {
    pub(crate) store: Arc<Store>,
    pub(crate) table_id: u64,
    pub(crate) keys: KeyDefinitions,
    /// The channel is counted there already.
    pub(crate) shared: Arc<SharedFile>,
    pub(crate) session: SessionId,
    pub(crate) is_locked: bool,
    pub(crate) durability: Durability,
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
            reading: opened.store.begin(Isolation::ReadCommitted),
            table,
            table_id: opened.table_id,
            places,
            keys: opened.keys,
            catalog_version,
            shared: opened.shared,
            session: opened.session,
            is_locked: opened.is_locked,
            durability: opened.durability,
            counters: opened.counters,
            store: opened.store,
            writing: None,
            gathered: 0,
            changes: 1,
            extracted: None,
            batch: Batch::default(),
            cursor: Cursor::new(&[], None, Direction::Ascending),
            key: Vec::new(),
        })
    }

    /// Sees whether the table was changed, by ALTER TABLE for example.
    #[inline]
    fn refresh(&mut self) -> Result<()> {
        if self.store.catalog_version() == self.catalog_version || self.writing.is_some() {
            return Ok(());
        }
        self.catalog_version = self.store.catalog_version();
        self.table = self.store.table_of(self.table_id)?;
        self.places = Places::of(&self.table, &self.keys)?;
        self.changes += 1;
        Ok(())
    }

    /// The state for which fetched records are good.
    #[inline]
    fn state(&self) -> (u64, u64) {
        (self.store.published(), self.changes)
    }

    fn place(&self, key_number: usize) -> Result<KeyPlace> {
        self.places.keys.get(key_number).copied().flatten().ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the file has no key with the number {key_number}"))
        })
    }

    /// Fetches records along an index: from the beginning of the cursor's range, as long as the batch takes more. `skip`
    /// tells records that are not wanted.
    fn fetch(&mut self, order: Option<KeyPlace>, skip: impl Fn(&[u8], u64) -> bool) -> Result<bool> {
        self.counters.count_block_read();
        let TableStorage { table, batch, cursor, places, writing, reading, .. } = self;
        let index = order.map_or(places.ids, |place| place.index);
        let primary = places.keys.first().copied().flatten().map(|place| place.column);
        let transaction = writing.as_mut().unwrap_or(reading);
        let view = transaction.begin_statement()?;
        let reader = table.reader(view);
        reader.scan_with(cursor, index, true, &mut |version| {
            let record = Record::of(&version, order.map(|place| place.column), primary);
            Ok(if skip(record.key, record.id) || record.push_to(batch) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        drop(reader);
        transaction.end_statement()?;
        Ok(!self.batch.is_empty())
    }

    /// Loads the record that has these values in a unique index.
    fn load_exactly(&mut self, key_number: Option<usize>, index: usize, value: ValueRef<'_>) -> Result<bool> {
        let state = self.state();
        self.batch.start(key_number, state, false);
        let TableStorage { table, batch, places, writing, reading, key, .. } = self;
        let column = key_number.and_then(|number| places.keys[number]).map(|place| place.column);
        let primary = places.keys.first().copied().flatten().map(|place| place.column);
        let transaction = writing.as_mut().unwrap_or(reading);
        let view = transaction.begin_statement()?;
        let reader = table.reader(view);
        if let Some(version) = reader.get_with(index, &[value], key)? {
            Record::of(&version, column, primary).push_to(batch);
        }
        drop(reader);
        transaction.end_statement()?;
        let found = !self.batch.is_empty();
        if found {
            self.counters.count_block_read();
        }
        Ok(found)
    }

    /// The beginning of the keys of (key, identifier), in `self.key`.
    fn bound(&mut self, place: KeyPlace, key: &[u8], id: u64) -> Result<()> {
        let indexes = self.table.indexes();
        let mut writer = indexes[place.index].encoder().start(&mut self.key);
        writer.push(ValueRef::Binary(key))?;
        if !place.is_unique {
            writer.push(integer(id.min(i64::MAX as u64)))?;
        }
        Ok(())
    }

    /// Counts the entries of an order before a bound, up to the one of number `most`, which is loaded.
    fn count_before(&mut self, key_number: usize, high: Option<&[u8]>, most: u64) -> Result<u64> {
        let place = self.place(key_number)?;
        let state = self.state();
        self.batch.start(Some(key_number), state, false);
        self.cursor.reset(if key_number == 0 { &[] } else { NOT_NULL }, high, Direction::Ascending);
        let TableStorage { table, cursor, places, batch, writing, reading, .. } = self;
        let primary = places.keys.first().copied().flatten().map(|place| place.column);
        let transaction = writing.as_mut().unwrap_or(reading);
        let view = transaction.begin_statement()?;
        let reader = table.reader(view);
        let mut count = 0;
        reader.scan_with(cursor, place.index, true, &mut |version| {
            if count == most {
                Record::of(&version, Some(place.column), primary).push_to(batch);
                return Ok(ControlFlow::Break(()));
            }
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        drop(reader);
        transaction.end_statement()?;
        self.counters.count_block_read();
        Ok(count)
    }

    /// Begins a transaction for changes.
    fn begin(&self, wait: Option<Duration>) -> Transaction {
        let mut transaction = self.store.begin(Isolation::ReadCommitted);
        transaction.set_durability(self.durability);
        transaction.set_lock_timeout(wait);
        transaction.set_statement("a statement of a Business BASIC program");
        transaction
    }

    /// Changes a record in the transaction that has its lock, in the one that gathers changes, or in one of its own.
    fn change<T>(
        &mut self,
        id: u64,
        work: impl FnOnce(&Arc<NativeTable>, &Places, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.refresh()?;
        self.changes += 1;
        self.batch.clear();
        if self.is_locked {
            let mut transaction = self.writing.take().unwrap_or_else(|| self.begin(None));
            let outcome = work(&self.table, &self.places, &mut transaction);
            self.writing = Some(transaction);
            self.gathered += 1;
            if self.gathered >= GATHERED {
                self.commit()?;
            }
            return outcome;
        }
        let is_extracted = self.extracted.as_ref().is_some_and(|(other, _)| *other == id);
        let mut transaction = match self.extracted.take() {
            Some((_, transaction)) if is_extracted => transaction,
            other => {
                self.extracted = other;
                self.begin(Some(Duration::from_secs(1)))
            }
        };
        match work(&self.table, &self.places, &mut transaction) {
            Ok(done) => {
                transaction.commit()?;
                Ok(done)
            }
            Err(error) => {
                // The lock of an extracted record stays when its change fails.
                if is_extracted {
                    self.extracted = Some((id, transaction));
                } else {
                    transaction.rollback();
                }
                Err(error)
            }
        }
    }

    /// Commits the changes that were gathered.
    fn commit(&mut self) -> Result<()> {
        self.gathered = 0;
        self.changes += 1;
        match self.writing.take() {
            Some(transaction) => Ok(transaction.commit().map(|_| ())?),
            None => Ok(()),
        }
    }

    /// Changes the keys of the file in one transaction: its table, the records, its definition.
    fn redefine(
        &mut self,
        change: impl FnOnce(&Store, &mut Transaction) -> Result<()>,
        keys: KeyDefinitions,
        fill: &mut dyn FnMut(&Arc<NativeTable>, &Places, &mut Transaction) -> Result<()>,
    ) -> Result<()> {
        self.commit()?;
        let mut transaction = self.begin(Some(Duration::from_secs(1)));
        let definition = schema::definition(&self.store, &mut transaction, self.table_id)?;
        let mut definition = definition.ok_or_else(|| {
            FileError::new(FileErrorKind::DamagedHeader, "the table of the file has no definition any more")
        })?;
        change(&self.store, &mut transaction)?;
        let table = self.store.table_for(&transaction, self.table_id)?;
        let places = Places::of(&table, &keys)?;
        fill(&table, &places, &mut transaction)?;
        definition.keys = keys.clone();
        schema::redefine(&self.store, &mut transaction, self.table_id, Some::<&FileDefinition>(&definition))?;
        transaction.commit()?;
        self.keys = keys;
        self.catalog_version = u64::MAX;
        self.refresh()
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

fn integer(id: u64) -> ValueRef<'static> {
    ValueRef::Integer(i64::try_from(id).unwrap_or(i64::MAX))
}

fn missing() -> FileError {
    FileError::new(FileErrorKind::RecordMissing, "another session has removed the record")
}

/// Where the row of a record is for a transaction's next statement.
fn position(table: &NativeTable, places: &Places, transaction: &mut Transaction, id: u64) -> Result<u64> {
    let view = transaction.begin_statement()?;
    let reader = table.reader(view);
    let found = reader.get_with(places.ids, &[integer(id)], &mut Vec::new())?;
    found.map(|version| version.position).ok_or_else(missing)
}

/// The columns of a record that differ from those of its row.
fn differences<'r>(
    reader: &Reader<'_>,
    position: u64,
    places: &Places,
    record: &Stored<'r>,
) -> Vec<(usize, ValueRef<'r>)> {
    let mut changes = Vec::new();
    let mut compare = |column: usize, new: ValueRef<'r>| {
        if reader.value(position, column) != new {
            changes.push((column, new));
        }
    };
    compare(RECORD, ValueRef::Binary(record.data));
    for (place, key) in places.keys.iter().zip(record.keys) {
        if let Some(place) = place {
            compare(place.column, key.as_deref().map_or(ValueRef::Null, ValueRef::Binary));
        }
    }
    changes
}

impl KeyedStorage for TableStorage {
    #[inline]
    fn after(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<bool> {
        self.refresh()?;
        let state = self.state();
        let is_fetched = self.batch.order == Some(key_number) && self.batch.state == state && self.batch.is_at(key, id);
        if is_fetched && self.batch.advance() {
            return Ok(true);
        }
        let place = self.place(key_number)?;
        if id == 0 && place.is_unique && self.load_exactly(Some(key_number), place.index, ValueRef::Binary(key))? {
            return Ok(true);
        }
        self.bound(place, key, id)?;
        self.cursor.reset(&self.key, None, Direction::Ascending);
        self.batch.start(Some(key_number), state, is_fetched);
        self.fetch(Some(place), |other, other_id| (other, other_id) <= (key, id))
    }

    fn before(&mut self, key_number: usize, place: Option<(&[u8], u64)>) -> Result<bool> {
        self.refresh()?;
        let state = self.state();
        let key_place = self.place(key_number)?;
        let low = if key_number == 0 { &[][..] } else { NOT_NULL };
        match place {
            Some((key, id)) => {
                self.bound(key_place, key, id)?;
                self.cursor.reset(low, Some(&self.key), Direction::Descending);
            }
            None => self.cursor.reset(low, None, Direction::Descending),
        }
        self.batch.start(Some(key_number), state, false);
        self.fetch(Some(key_place), |_, _| false)
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
        if self.batch.state == self.state() && !self.batch.is_empty() && self.batch.current().0 == id {
            return Ok(true);
        }
        if id == 0 || i64::try_from(id).is_err() {
            return Ok(false);
        }
        let index = self.places.ids;
        self.load_exactly(None, index, integer(id))
    }

    #[inline]
    fn after_id(&mut self, id: u64) -> Result<bool> {
        self.refresh()?;
        let state = self.state();
        let is_fetched = self.batch.order.is_none() && self.batch.state == state && !self.batch.is_empty();
        let is_fetched = is_fetched && self.batch.current().0 == id;
        if is_fetched && self.batch.advance() {
            return Ok(true);
        }
        let Ok(next) = i64::try_from(id.saturating_add(1)) else { return Ok(false) };
        let indexes = self.table.indexes();
        indexes[self.places.ids].encoder().start(&mut self.key).push(ValueRef::Integer(next))?;
        self.cursor.reset(&self.key, None, Direction::Ascending);
        self.batch.start(None, state, is_fetched);
        self.fetch(None, |_, _| false)
    }

    fn last_id(&mut self) -> Result<u64> {
        self.refresh()?;
        self.cursor.reset(&[], None, Direction::Descending);
        let TableStorage { table, cursor, places, writing, reading, .. } = self;
        let transaction = writing.as_mut().unwrap_or(reading);
        let view = transaction.begin_statement()?;
        let reader = table.reader(view);
        let mut last = 0;
        reader.scan_with(cursor, places.ids, true, &mut |version| {
            last = id_of(&version);
            Ok(ControlFlow::Break(()))
        })?;
        drop(reader);
        transaction.end_statement()?;
        Ok(last)
    }

    #[inline]
    fn loaded(&self) -> Loaded<'_> {
        let (id, key, primary, data) = self.batch.current();
        Loaded { id, key_number: self.batch.order.unwrap_or(0), key, primary, data }
    }

    fn count(&mut self) -> Result<u64> {
        self.refresh()?;
        let transaction = self.writing.as_mut().unwrap_or(&mut self.reading);
        let view = transaction.begin_statement()?;
        let count = self.table.reader(view).count();
        transaction.end_statement()?;
        Ok(count as u64)
    }

    fn insert(&mut self, record: &Stored<'_>, id: Option<u64>) -> Result<u64> {
        let id = match id {
            Some(id) => {
                self.shared.note_id(id);
                id
            }
            None => {
                let shared = Arc::clone(&self.shared);
                shared.next_id(|| self.last_id())?
            }
        };
        self.change(id, |table, places, transaction| {
            let mut row = vec![ValueRef::Null; table.definition().columns.len()];
            (row[RECORD_INDEX], row[RECORD]) = (integer(id), ValueRef::Binary(record.data));
            for (place, key) in places.keys.iter().zip(record.keys) {
                if let (Some(place), Some(key)) = (place, key) {
                    row[place.column] = ValueRef::Binary(key);
                }
            }
            table.insert(transaction, &row[..])?;
            Ok(id)
        })
    }

    fn replace(&mut self, id: u64, record: &Stored<'_>) -> Result<()> {
        self.change(id, |table, places, transaction| {
            let mut at = position(table, places, transaction, id)?;
            loop {
                let view = transaction.view()?;
                let changes = differences(&table.reader(view), at, places, record);
                if changes.is_empty() {
                    break;
                }
                match table.update_columns(transaction, at, &changes)? {
                    Written::Done(_) => break,
                    Written::Moved(moved) => {
                        at = moved;
                        transaction.end_statement()?;
                        transaction.begin_statement()?;
                    }
                    Written::Deleted | Written::Gone => return Err(missing()),
                }
            }
            Ok(transaction.end_statement()?)
        })
    }

    fn delete(&mut self, id: u64) -> Result<()> {
        self.change(id, |table, places, transaction| {
            let mut at = position(table, places, transaction, id)?;
            loop {
                match table.delete(transaction, at)? {
                    Written::Done(_) => return Ok(transaction.end_statement()?),
                    Written::Moved(moved) => at = moved,
                    Written::Deleted | Written::Gone => return Err(missing()),
                }
            }
        })
    }

    fn clear(&mut self) -> Result<()> {
        self.change(0, |table, _, transaction| {
            let view = transaction.begin_statement()?;
            let mut positions = Vec::new();
            table.reader(view).for_each(&mut |version| {
                positions.push(version.position);
                Ok(ControlFlow::Continue(()))
            })?;
            for position in positions {
                table.delete(transaction, position)?;
            }
            Ok(transaction.end_statement()?)
        })?;
        self.commit()
    }

    fn lock_record(&mut self, id: u64, wait: Duration) -> Result<()> {
        self.refresh()?;
        self.shared.lock_record(id, self.session, wait)?;
        if self.is_locked {
            return Ok(());
        }
        let mut transaction = self.begin(Some(wait));
        let outcome = position(&self.table, &self.places, &mut transaction, id).and_then(|at| {
            let locked = self.table.lock_if_free(&mut transaction, at, LockMode::Exclusive, !wait.is_zero())?;
            transaction.end_statement()?;
            locked.ok_or_else(|| FileError::new(FileErrorKind::Busy, "another session has locked the record"))
        });
        match outcome {
            Ok(_) => {
                self.extracted = Some((id, transaction));
                Ok(())
            }
            Err(error) => {
                self.shared.unlock_record(id);
                Err(error)
            }
        }
    }

    #[inline]
    fn check_record(&mut self, id: u64, wait: Duration) -> Result<bool> {
        self.shared.check_record(id, self.session, wait)
    }

    fn unlock_record(&mut self, id: u64) {
        self.extracted = None;
        self.shared.unlock_record(id);
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

    fn add_key(
        &mut self,
        number: usize,
        key: &KeyDefinition,
        make: &mut dyn FnMut(Loaded<'_>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        let mut keys = self.keys.clone();
        keys.add(key.clone());
        let (table_id, is_unique) = (self.table_id, key.is_unique());
        let change = |store: &Store, transaction: &mut Transaction| {
            let catalog = store.catalog_to_change(transaction);
            let found = catalog.tables.iter().find(|table| table.id == table_id).cloned();
            let mut table = found.ok_or_else(|| FileError::new(FileErrorKind::FileMissing, "the file is gone"))?;
            let (column, index) = schema::key_parts(store, &table, number, is_unique);
            table.columns.push(column);
            table.indexes.push(index);
            Ok(store.change_catalog(transaction, CatalogChange::PutTable(table))?)
        };
        let mut fill = |table: &Arc<NativeTable>, places: &Places, transaction: &mut Transaction| {
            let Some(place) = places.keys[number] else { return Ok(()) };
            let primary = places.keys[0].map(|place| place.column);
            let view = transaction.begin_statement()?;
            let mut made = Vec::new();
            table.reader(view).for_each(&mut |version| {
                let record = Record::of(&version, primary, primary);
                let loaded =
                    Loaded { id: record.id, key_number: 0, key: record.key, primary: record.key, data: record.data };
                made.push((version.position, make(loaded)));
                Ok(ControlFlow::Continue(()))
            })?;
            for (position, key) in made {
                let key = key.as_deref().map_or(ValueRef::Null, ValueRef::Binary);
                table.update_columns(transaction, position, &[(place.column, key)])?;
            }
            Ok(transaction.end_statement()?)
        };
        self.redefine(change, keys, &mut fill)
    }

    fn drop_key(&mut self, number: usize) -> Result<()> {
        let mut keys = self.keys.clone();
        keys.remove(number);
        let table_id = self.table_id;
        let place = self.place(number)?;
        let name = self.table.definition().columns[place.column].name.clone();
        let change = |store: &Store, transaction: &mut Transaction| {
            let catalog = store.catalog_to_change(transaction);
            let found = catalog.tables.iter().find(|table| table.id == table_id).cloned();
            let mut table = found.ok_or_else(|| FileError::new(FileErrorKind::FileMissing, "the file is gone"))?;
            let column = table.columns.iter().find(|column| column.name == name).map(|column| column.id);
            table.indexes.retain(|index| index.columns.iter().all(|part| Some(part.column) != column));
            table.columns.retain(|other| Some(other.id) != column);
            Ok(store.change_catalog(transaction, CatalogChange::PutTable(table))?)
        };
        self.redefine(change, keys, &mut |_, _, _| Ok(()))
    }
}

impl Drop for TableStorage {
    /// Programs were told that their records are written: a channel that ends without CLOSE keeps them.
    fn drop(&mut self) {
        // There is nobody to tell; the journal has the error, and every later change gets it.
        let _ = self.commit();
        self.extracted = None;
        self.shared.close(self.session, self.is_locked);
    }
}
