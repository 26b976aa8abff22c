//! Locks of records and tables.

use crate::border::*;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::table::{State, Table, is_positioned};
use mainstay_workarea::Counting;

/// The record that a call means: 0 is the current one.
fn meant(state: &State, record: u32) -> Result<u32> {
    match record {
        0 if is_positioned(&*state.area) => Ok(state.area.record_number()),
        0 => Err(Failure::new(AE_NO_CURRENT_RECORD, "there is no current record to lock")),
        record => Ok(record),
    }
}

fn check_shared(table: &Table) -> Result<()> {
    match table.is_shared() {
        true => Ok(()),
        false => Err(Failure::new(AE_TABLE_NOT_SHARED, table.path.display().to_string())),
    }
}

pub fn lock_record(table: Handle, record: u32) -> Result<()> {
    registry::on_table(table, |table| {
        table.check_writable()?;
        table.with(|state| {
            let record = meant(state, record)?;
            // The current record is there, and so is one that is being appended.
            if record != state.area.record_number() && record > state.area.record_count(Counting::All)? {
                return Err(Failure::new(AE_INVALID_RECORD_NUMBER, record.to_string()));
            }
            if !table.is_shared() || state.area.try_lock_record(record)? {
                return Ok(());
            }
            let owner = state.area.lock_owner(record).map_or_else(String::new, |owner| format!(", locked by {owner}"));
            Err(Failure::new(AE_LOCK_FAILED, format!("record {record} of {}{owner}", table.path.display())))
        })
    })
}

pub fn unlock_record(table: Handle, record: u32) -> Result<()> {
    registry::on_table(table, |table| {
        table.with(|state| {
            let record = meant(state, record)?;
            if !table.is_shared() {
                return Ok(());
            }
            if !state.area.locked_records().contains(&record) {
                return Err(Failure::new(AE_RECORD_NOT_LOCKED, record.to_string()));
            }
            Ok(state.area.unlock_record(record)?)
        })
    })
}

pub fn lock_table(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.check_writable()?;
    check_shared(&table)?;
    table.with(|state| match state.area.try_lock_table()? {
        true => Ok(()),
        false => Err(Failure::new(AE_LOCK_FAILED, table.path.display().to_string())),
    })
}

/// Gives back every lock of the table.
pub fn unlock_table(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    check_shared(&table)?;
    table.with(|state| {
        if !state.area.is_table_locked() && state.area.locked_records().is_empty() {
            return Err(Failure::new(AE_TABLE_NOT_LOCKED, table.path.display().to_string()));
        }
        Ok(state.area.unlock()?)
    })
}

/// Sets the result to 1 if the handle has this record locked, else to 0. According to the manual's page a lock of the
/// whole table does not count as a lock of its records.
pub fn is_record_locked(table: Handle, record: u32, locked: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let answer = table.with(|state| {
        let record = meant(state, record)?;
        Ok(!table.is_shared() || state.area.locked_records().contains(&record))
    })?;
    locked.set(answer.into())
}

pub fn is_table_locked(table: Handle, locked: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let answer = table.with(|state| Ok(!table.is_shared() || state.area.is_table_locked()))?;
    locked.set(answer.into())
}

pub fn count(table: Handle, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let locks = table.with(|state| Ok(state.area.locked_records().len()))?;
    count.set(u16::try_from(locks).unwrap_or(u16::MAX))
}

pub fn all(table: Handle, records: Out<u32>, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let capacity: usize = count.get()?.into();
    let locked = table.with(|state| Ok(state.area.locked_records()))?;
    count.set(u16::try_from(locked.len()).unwrap_or(u16::MAX))?;
    if locked.len() > capacity {
        return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("there are {}", locked.len())));
    }
    records.set_all(&locked)
}
