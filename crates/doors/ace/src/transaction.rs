//! A transaction of a connection: over the tables of a local folder, or over those of a server.
//!
//! A commit and a savepoint write the pending changes of an area, a rollback discards them; the areas are those of all
//! tables of the connection that may be written to; `others` are the tables that its statements of SQL have open. A
//! server runs the transaction itself: it gets the request from here, and every area is notified afterwards that its
//! state may have changed.

use std::sync::Arc;

use mainstay_navigator::client::{Client, RemoteArea};
use mainstay_types::Result;
use mainstay_workarea::{self as workarea, Area, WorkArea};
use mainstay_xbase::indexed::{self, IndexedTable};

use crate::connection::Connection;

/// A transaction that is under way.
#[derive(Clone)]
pub enum Transaction {
    /// Over tables of a folder.
    Here(indexed::Transaction),
    /// Over tables of a server.
    There(Arc<Client>),
}

/// A place in a transaction to come back to.
#[derive(Clone, Copy)]
pub enum Savepoint {
    /// In one over tables of a folder.
    Here(indexed::Savepoint),
    /// The number that a server has given it.
    There(u32),
}

/// The areas whose tables are here.
fn local<'a>(areas: &'a mut [&mut dyn WorkArea]) -> Vec<&'a mut Area> {
    areas.iter_mut().filter_map(|area| area.local()).collect()
}

/// Has the areas of a server's tables forget what they know, and what is pending in them.
fn forget(areas: &mut [&mut dyn WorkArea]) {
    for area in areas.iter_mut() {
        if let Some(far) = area.far().and_then(|far| far.downcast_mut::<RemoteArea>()) {
            far.note_transaction();
        }
    }
}

/// Has the areas of a server's tables be where they were, if that is still there, with nothing of what they knew.
fn look_again(areas: &mut [&mut dyn WorkArea], may_be_gone: bool) -> Result<()> {
    forget(areas);
    for area in areas.iter_mut() {
        match may_be_gone && !area.is_eof() && !area.is_bof() {
            true => area.go_to(area.record_number())?,
            false => area.refresh()?,
        }
    }
    Ok(())
}

impl Transaction {
    /// Begins one over the tables of a connection, of which these are open.
    pub fn begin(connection: &Connection, areas: &mut [&mut dyn WorkArea]) -> Result<Transaction> {
        let transaction = match &connection.server {
            Some(server) => {
                areas.iter_mut().try_for_each(|area| area.write())?;
                server.begin()?;
                Transaction::There(Arc::clone(server))
            }
            None => Transaction::Here(indexed::Transaction::begin(Arc::clone(&connection.files))),
        };
        match areas.iter_mut().try_for_each(|area| transaction.enlist(*area)) {
            Ok(()) => Ok(transaction),
            Err(error) => {
                // Those that take part already would take part in no other. The first error is the one to report.
                let _ = transaction.abandon(areas);
                Err(error)
            }
        }
    }

    /// Ends it where it has only just begun: nothing was changed in it.
    fn abandon(&self, areas: &mut [&mut dyn WorkArea]) -> Result<()> {
        match self {
            Transaction::Here(transaction) => {
                let mut joined = local(areas);
                joined.retain(|area| area.is_in_transaction());
                workarea::rollback(transaction, &mut joined)
            }
            Transaction::There(server) => server.roll_back(),
        }
    }

    /// Returns true if the server lost the transaction with the connection, and rolled it back.
    pub fn is_lost(&self) -> bool {
        match self {
            Transaction::Here(_) => false,
            Transaction::There(server) => !server.is_in_transaction(),
        }
    }

    /// Another table takes part.
    pub fn enlist(&self, area: &mut dyn WorkArea) -> Result<()> {
        match self {
            Transaction::Here(transaction) => area.local().map_or(Ok(()), |area| area.enlist(transaction)),
            // Whatever is opened through its connection takes part.
            Transaction::There(_) => Ok(()),
        }
    }

    /// Ends it: all changes stay.
    pub fn commit(&self, areas: &mut [&mut dyn WorkArea], others: &mut [&mut IndexedTable]) -> Result<()> {
        match self {
            Transaction::Here(transaction) => workarea::commit_with(transaction, &mut local(areas), others),
            Transaction::There(server) => {
                areas.iter_mut().try_for_each(|area| area.write())?;
                server.commit()?;
                look_again(areas, false)
            }
        }
    }

    /// Ends it: everything is as it was.
    pub fn roll_back(&self, areas: &mut [&mut dyn WorkArea], others: &mut [&mut IndexedTable]) -> Result<()> {
        match self {
            Transaction::Here(transaction) => workarea::rollback_with(transaction, &mut local(areas), others),
            Transaction::There(server) => {
                let undone = server.roll_back();
                if !server.is_in_transaction() {
                    // One that was lost with the connection is undone as well.
                    forget(areas);
                }
                undone?;
                look_again(areas, true)
            }
        }
    }

    /// A place to come back to, behind what is pending.
    pub fn savepoint(&self, areas: &mut [&mut dyn WorkArea]) -> Result<Savepoint> {
        areas.iter_mut().try_for_each(|area| area.write())?;
        Ok(match self {
            Transaction::Here(transaction) => Savepoint::Here(transaction.savepoint()),
            Transaction::There(server) => Savepoint::There(server.savepoint()?),
        })
    }

    /// Undoes what was done since; the transaction goes on.
    pub fn roll_back_to(
        &self,
        place: Savepoint,
        areas: &mut [&mut dyn WorkArea],
        others: &mut [&mut IndexedTable],
    ) -> Result<()> {
        match (self, place) {
            (Transaction::Here(transaction), Savepoint::Here(place)) => {
                workarea::rollback_to_with(transaction, place, &mut local(areas), others)
            }
            (Transaction::There(server), Savepoint::There(place)) => {
                server.roll_back_to(place)?;
                look_again(areas, true)
            }
            _ => Ok(()),
        }
    }
}
