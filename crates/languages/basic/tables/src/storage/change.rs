//! Changes of records, and the locks of extracted ones.

use super::{Record, TableStorage, integer, missing};
use crate::schema::{Places, RECORD, RECORD_INDEX};
use crate::transaction::in_statement;
use mainstay_basic_files::storage::Stored;
use mainstay_basic_files::{FileError, FileErrorKind, Result};
use mainstay_store::{LockMode, NativeTable, Reader, Transaction, Written};
use mainstay_types::ValueRef;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

impl TableStorage {
    /// Changes a record as one statement: of the session's transaction, of the one that gathers changes, of the one that has
    /// the record's lock, or of one of its own.
    fn change<T>(
        &mut self,
        id: u64,
        work: impl FnOnce(&Arc<NativeTable>, &Places, &mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.shared.count_change();
        self.batch.clear();
        let TableStorage { table, places, transactions, .. } = self;
        if transactions.is_in_scope() {
            return transactions.in_scope(|transaction| work(table, places, transaction));
        }
        if self.shared.is_alone() {
            return transactions.gather(|transaction| work(table, places, transaction));
        }
        let is_extracted = self.extracted.as_ref().is_some_and(|(other, _)| *other == id);
        let mut transaction = match self.extracted.take() {
            Some((_, transaction)) if is_extracted => transaction,
            other => {
                self.extracted = other;
                transactions.begin_change()
            }
        };
        match in_statement(&mut transaction, |transaction| work(table, places, transaction)) {
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

    pub(super) fn insert_record(&mut self, record: &Stored<'_>, id: Option<u64>) -> Result<u64> {
        let id = match id {
            Some(id) => {
                self.shared.note_id(id);
                id
            }
            None => {
                let shared = Arc::clone(&self.shared);
                shared.next_id(|| self.search_last_id())?
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

    pub(super) fn replace_record(&mut self, id: u64, record: &Stored<'_>) -> Result<()> {
        self.change(id, |table, places, transaction| {
            let mut at = position(table, places, transaction, id)?;
            loop {
                let changes = differences(&table.reader(transaction.view()?), at, places, record);
                if changes.is_empty() {
                    return Ok(());
                }
                match table.update_columns(transaction, at, &changes)? {
                    Written::Done(_) => return Ok(()),
                    Written::Moved(moved) => {
                        at = moved;
                        transaction.begin_statement()?;
                    }
                    Written::Deleted | Written::Gone => return Err(missing()),
                }
            }
        })
    }

    pub(super) fn delete_record(&mut self, id: u64) -> Result<()> {
        self.change(id, |table, places, transaction| {
            let mut at = position(table, places, transaction, id)?;
            loop {
                match table.delete(transaction, at)? {
                    Written::Done(_) => return Ok(()),
                    Written::Moved(moved) => at = moved,
                    Written::Deleted | Written::Gone => return Err(missing()),
                }
            }
        })
    }

    pub(super) fn delete_all(&mut self) -> Result<()> {
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
            Ok(())
        })?;
        self.commit()
    }

    /// Takes the row lock of a record, which keeps other doors from changing it.
    pub(super) fn lock_row(&mut self, id: u64, wait: Duration) -> Result<()> {
        if self.shared.is_alone() {
            return Ok(());
        }
        let TableStorage { table, places, transactions, .. } = self;
        let lock = |transaction: &mut Transaction| -> Result<()> {
            let at = position(table, places, transaction, id)?;
            let locked = table.lock_if_free(transaction, at, LockMode::Exclusive, !wait.is_zero())?;
            let busy = || FileError::new(FileErrorKind::Busy, "another session has locked the record");
            locked.map(|_| ()).ok_or_else(busy)
        };
        if transactions.is_in_scope() {
            return transactions.in_scope(lock);
        }
        let mut transaction = transactions.begin(Some(wait));
        in_statement(&mut transaction, lock)?;
        self.extracted = Some((id, transaction));
        Ok(())
    }
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

/// The position and the record of every row that a transaction's next statement sees.
pub(super) fn each_record(
    table: &NativeTable,
    places: &Places,
    transaction: &mut Transaction,
    mut visit: impl FnMut(u64, &Record<'_>),
) -> Result<()> {
    let view = transaction.begin_statement()?;
    let primary = places.keys.first().copied().flatten().map(|place| place.column);
    table.reader(view).for_each(&mut |version| {
        visit(version.position, &Record::of(&version, None, primary));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(())
}
