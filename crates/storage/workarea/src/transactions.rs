//! Areas in a transaction: the changes of several tables stay, or none.
//!
//! An area takes part from [`Area::enlist`] on until [`commit`] or [`rollback`], which take all participating areas.
//! A commit writes pending changes, and a rollback discards them; after a rollback an area is on the same record
//! number, or at EOF if that record does not exist any more. `mainstay_xbase::indexed` describes the mechanism.

use crate::area::Area;
use mainstay_types::Result;
use mainstay_xbase::indexed::{IndexedTable, Savepoint, Transaction};

impl Area {
    /// Takes part in a transaction from now on. The records it changes stay locked to the end.
    ///
    /// Errors: `ReadOnly`; `TransactionState` if it takes part in another one.
    pub fn enlist(&mut self, transaction: &Transaction) -> Result<()> {
        self.write()?;
        self.table()?.enlist(transaction)
    }

    /// Returns true if the area takes part in a transaction.
    pub fn is_in_transaction(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.transaction().is_some())
    }

    /// Discards cached data, which the rollback may have undone.
    fn forget_read(&mut self) -> Result<()> {
        let recno = self.recno;
        self.blocks.begin_generation(&self.dbf)?;
        (self.has_unwritten, self.has_unwritten_keys) = (false, false);
        for file in &mut self.files {
            file.read_anew()?;
        }
        self.visibility.touch();
        self.arrive(Some(recno));
        Ok(())
    }

    pub(crate) fn forget_pending(&mut self) {
        (self.row.is_changed, self.row.is_new, self.row.is_loaded) = (false, false, false);
        (self.row.is_unlisted, self.row.is_certain, self.row.is_appended) = (false, false, false);
        self.row.memos.clear();
        self.row.implicit_lock = None;
    }
}

/// Ends a transaction: all changes stay.
///
/// Errors: those of writing what is pending; then the transaction goes on.
pub fn commit(transaction: &Transaction, areas: &mut [&mut Area]) -> Result<()> {
    commit_with(transaction, areas, &mut [])
}

/// The same for a transaction in which there are other tables, too, that are open without an area.
pub fn commit_with(transaction: &Transaction, areas: &mut [&mut Area], others: &mut [&mut IndexedTable]) -> Result<()> {
    for area in areas.iter_mut() {
        area.write()?;
    }
    transaction.commit(&mut tables(areas, others))
}

/// Ends a transaction: everything is as it was.
pub fn rollback(transaction: &Transaction, areas: &mut [&mut Area]) -> Result<()> {
    rollback_with(transaction, areas, &mut [])
}

/// The same for a transaction in which there are other tables, too.
pub fn rollback_with(
    transaction: &Transaction,
    areas: &mut [&mut Area],
    others: &mut [&mut IndexedTable],
) -> Result<()> {
    undo(areas, |areas| transaction.rollback(&mut tables(areas, others)))
}

/// Undoes all changes since a savepoint; the transaction goes on.
pub fn rollback_to(transaction: &Transaction, savepoint: Savepoint, areas: &mut [&mut Area]) -> Result<()> {
    rollback_to_with(transaction, savepoint, areas, &mut [])
}

/// The same for a transaction in which there are other tables, too.
pub fn rollback_to_with(
    transaction: &Transaction,
    savepoint: Savepoint,
    areas: &mut [&mut Area],
    others: &mut [&mut IndexedTable],
) -> Result<()> {
    undo(areas, |areas| transaction.rollback_to(savepoint, &mut tables(areas, others)))
}

/// Undoes changes, and what is pending goes with them; so do locks that were taken for it.
fn undo(areas: &mut [&mut Area], work: impl FnOnce(&mut [&mut Area]) -> Result<()>) -> Result<()> {
    let locked: Vec<Option<u32>> = areas.iter().map(|area| area.row.implicit_lock).collect();
    areas.iter_mut().for_each(|area| area.forget_pending());
    let undone = work(areas);
    areas.iter_mut().try_for_each(|area| area.forget_read())?;
    for (area, record) in areas.iter_mut().zip(locked) {
        if let (Some(record), Some(table)) = (record, &mut area.table) {
            table.unlock_record(record.into())?;
        }
    }
    undone
}

fn tables<'t>(areas: &'t mut [&mut Area], others: &'t mut [&mut IndexedTable]) -> Vec<&'t mut IndexedTable> {
    let others = others.iter_mut().map(|table| &mut **table);
    areas.iter_mut().filter_map(|area| area.table.as_mut()).chain(others).collect()
}
