//! A transaction of a connection: over the tables of a folder here.
//!
//! What is pending in an area is written by a commit and a savepoint, and forgotten by a rollback; the areas are those of
//! all tables of the connection that may be written to.

use std::sync::Arc;

use mainstay_base::Result;
use mainstay_vfs::FileSystem;
use mainstay_workarea::{self as workarea, Area, WorkArea};
use mainstay_xbase::indexed;

/// A transaction that is under way.
#[derive(Clone)]
pub struct Transaction(indexed::Transaction);

/// A place in a transaction to come back to.
#[derive(Clone, Copy)]
pub struct Savepoint(indexed::Savepoint);

/// The areas whose tables are here.
fn local<'a>(areas: &'a mut [&mut dyn WorkArea]) -> Vec<&'a mut Area> {
    areas.iter_mut().filter_map(|area| area.local()).collect()
}

impl Transaction {
    /// Begins one over the tables of these files, of which these are open.
    pub fn begin(files: &Arc<dyn FileSystem>, areas: &mut [&mut dyn WorkArea]) -> Result<Transaction> {
        let transaction = Transaction(indexed::Transaction::begin(Arc::clone(files)));
        areas.iter_mut().try_for_each(|area| transaction.enlist(*area))?;
        Ok(transaction)
    }

    /// Another table takes part.
    pub fn enlist(&self, area: &mut dyn WorkArea) -> Result<()> {
        area.local().map_or(Ok(()), |area| area.enlist(&self.0))
    }

    /// Ends it: all changes stay.
    pub fn commit(&self, areas: &mut [&mut dyn WorkArea]) -> Result<()> {
        workarea::commit(&self.0, &mut local(areas))
    }

    /// Ends it: everything is as it was.
    pub fn roll_back(&self, areas: &mut [&mut dyn WorkArea]) -> Result<()> {
        workarea::rollback(&self.0, &mut local(areas))
    }

    /// A place to come back to, behind what is pending.
    pub fn savepoint(&self, areas: &mut [&mut dyn WorkArea]) -> Result<Savepoint> {
        areas.iter_mut().try_for_each(|area| area.write())?;
        Ok(Savepoint(self.0.savepoint()))
    }

    /// Undoes what was done since; the transaction goes on.
    pub fn roll_back_to(&self, place: Savepoint, areas: &mut [&mut dyn WorkArea]) -> Result<()> {
        workarea::rollback_to(&self.0, place.0, &mut local(areas))
    }
}
