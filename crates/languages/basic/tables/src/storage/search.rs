//! Searches: along an index, by key, by identifier; counting.

use super::{NativeTable, Record, TableStorage, id_of, integer};
use crate::batch::Batch;
use crate::schema::KeyPlace;
use mainstay_basic_files::Result;
use mainstay_store::View;
use mainstay_store::index::{Cursor, Direction};
use mainstay_types::ValueRef;
use std::ops::ControlFlow;

/// The first byte of a value of a nullable column of a key: it sorts behind NULL.
const NOT_NULL: &[u8] = &[1];

/// The bytes before all keys of an order.
fn beginning(key_number: usize) -> &'static [u8] {
    if key_number == 0 { &[] } else { NOT_NULL }
}

/// Where the columns of a search are.
#[derive(Clone, Copy)]
struct Columns {
    index: usize,
    /// The key of the search; `None` for the primary one.
    key: Option<usize>,
    primary: Option<usize>,
}

impl TableStorage {
    /// The state for which fetched records are good; in the session's own transaction for no other operation.
    #[inline]
    pub(super) fn state(&mut self) -> (u64, u64, u64) {
        if self.transactions.is_in_scope() {
            self.in_scope += 1;
        }
        (self.store.published(), self.shared.changes(), self.in_scope)
    }

    fn columns(&self, order: Option<KeyPlace>) -> Columns {
        Columns {
            index: order.map_or(self.places.ids, |place| place.index),
            key: order.map(|place| place.column),
            primary: self.places.keys.first().copied().flatten().map(|place| place.column),
        }
    }

    /// Fetches records along an index: from the beginning of the cursor's range, as long as the batch takes more. `skip`
    /// tells records that are not wanted.
    fn fetch(&mut self, order: Option<KeyPlace>, skip: impl Fn(&[u8], u64) -> bool) -> Result<bool> {
        self.counters.count_block_read();
        let columns = self.columns(order);
        let TableStorage { table, batch, cursor, transactions, .. } = self;
        transactions.read(|transaction| {
            let view = transaction.begin_statement()?;
            fetch_into(table, view, columns, cursor, batch, &skip)
        })?;
        Ok(!self.batch.is_empty())
    }

    /// Loads the record that has this value in a unique index.
    pub(super) fn load_exactly(
        &mut self,
        key_number: Option<usize>,
        index: usize,
        value: ValueRef<'_>,
    ) -> Result<bool> {
        let state = self.state();
        let order = key_number.and_then(|number| self.places.keys.get(number).copied().flatten());
        let columns = self.columns(order);
        self.batch.start(key_number, state, false);
        let TableStorage { table, batch, transactions, key, .. } = self;
        transactions.read(|transaction| {
            let reader = table.reader(transaction.begin_statement()?);
            if let Some(version) = reader.get_with(index, &[value], key)? {
                Record::of(&version, columns.key, columns.primary).push_to(batch);
            }
            Ok(())
        })?;
        let found = !self.batch.is_empty();
        if found {
            self.counters.count_block_read();
        }
        Ok(found)
    }

    /// The beginning of the keys of (key, identifier), in `self.key`.
    pub(super) fn bound(&mut self, place: KeyPlace, key: &[u8], id: u64) -> Result<()> {
        let indexes = self.table.indexes();
        let mut writer = indexes[place.index].encoder().start(&mut self.key);
        writer.push(ValueRef::Binary(key))?;
        if !place.is_unique {
            writer.push(integer(id))?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn search_after(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<bool> {
        let state = self.state();
        let is_fetched = self.batch.order == Some(key_number) && self.batch.state == state && self.batch.is_at(key, id);
        if is_fetched && self.batch.advance() {
            return Ok(true);
        }
        let place = self.place(key_number)?;
        self.bound(place, key, id)?;
        self.cursor.reset(&self.key, None, Direction::Ascending);
        self.batch.start(Some(key_number), state, is_fetched);
        self.fetch(Some(place), |other, other_id| (other, other_id) <= (key, id))
    }

    pub(super) fn search_before(&mut self, key_number: usize, place: Option<(&[u8], u64)>) -> Result<bool> {
        let state = self.state();
        let key_place = self.place(key_number)?;
        let low = beginning(key_number);
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

    #[inline]
    pub(super) fn search_after_id(&mut self, id: u64) -> Result<bool> {
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

    pub(super) fn search_last_id(&mut self) -> Result<u64> {
        self.cursor.reset(&[], None, Direction::Descending);
        let TableStorage { table, cursor, places, transactions, .. } = self;
        transactions.read(|transaction| {
            let reader = table.reader(transaction.begin_statement()?);
            let mut last = 0;
            reader.scan_with(cursor, places.ids, true, &mut |version| {
                last = id_of(&version);
                Ok(ControlFlow::Break(()))
            })?;
            Ok(last)
        })
    }

    /// Counts the entries of an order before a bound, up to the one of number `most`, which is loaded.
    pub(super) fn count_before(&mut self, key_number: usize, high: Option<&[u8]>, most: u64) -> Result<u64> {
        let place = self.place(key_number)?;
        let columns = self.columns(Some(place));
        let state = self.state();
        self.batch.start(Some(key_number), state, false);
        self.cursor.reset(beginning(key_number), high, Direction::Ascending);
        self.counters.count_block_read();
        let TableStorage { table, cursor, batch, transactions, .. } = self;
        transactions.read(|transaction| {
            let reader = table.reader(transaction.begin_statement()?);
            let mut count = 0;
            reader.scan_with(cursor, columns.index, true, &mut |version| {
                if count == most {
                    Record::of(&version, columns.key, columns.primary).push_to(batch);
                    return Ok(ControlFlow::Break(()));
                }
                count += 1;
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(count)
        })
    }
}

fn fetch_into(
    table: &NativeTable,
    view: View,
    columns: Columns,
    cursor: &mut Cursor,
    batch: &mut Batch,
    skip: &impl Fn(&[u8], u64) -> bool,
) -> Result<()> {
    let reader = table.reader(view);
    // Records that are not wanted come first: the one behind which the search goes on, duplicates of its key.
    let mut skips = true;
    reader.scan_with(cursor, columns.index, true, &mut |version| {
        let record = Record::of(&version, columns.key, columns.primary);
        skips = skips && skip(record.key, record.id);
        Ok(if skips || record.push_to(batch) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(())
}
