//! Transactions, which belong to a connection: all tables that are opened through it take part.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use mainstay_workarea::{Area, WorkArea};
use mainstay_xbase::indexed::IndexedTable;

use crate::backend::Step;
use crate::border::*;
use crate::connection::{Connection, Running};
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry::{self, Object};
use crate::table::Table;
use crate::transaction::Transaction;

/// The tables of a connection that may be written to and take part in its transactions, in the order of their handles.
fn tables_of(connection: Handle) -> Vec<Arc<Table>> {
    let mut tables = registry::all(|_, object| match object {
        Object::Table(table)
            if table.connection_handle == connection
                && !table.is_read_only()
                && !table.is_transaction_free.load(Ordering::Relaxed) =>
        {
            Some(Arc::clone(table))
        }
        _ => None,
    });
    tables.sort_by_key(|table| table.handle().0);
    tables
}

/// Works with the areas of all tables of a connection at once.
fn with_all<T>(
    connection: Handle,
    work: impl FnOnce(&mut [&mut dyn WorkArea]) -> mainstay_types::Result<T>,
) -> Result<T> {
    let tables = tables_of(connection);
    let known = registry::connection(connection)?;
    // No other thread looks for them while the areas of all tables are locked.
    let mut helpers = std::mem::take(&mut *known.helpers.lock().unwrap_or_else(PoisonError::into_inner));
    let mut guards = match tables.iter().map(|table| table.lock()).collect::<Result<Vec<_>>>() {
        Ok(guards) => guards,
        Err(failure) => {
            known.helpers.lock().unwrap_or_else(PoisonError::into_inner).append(&mut helpers);
            return Err(failure);
        }
    };
    let mut areas: Vec<&mut dyn WorkArea> =
        guards.iter_mut().filter_map(|guard| guard.as_mut().map(|state| &mut *state.area as _)).collect();
    areas.extend(helpers.iter_mut().map(|area| area as &mut dyn WorkArea));
    let answer = work(&mut areas);
    helpers.retain(Area::is_in_transaction);
    known.helpers.lock().unwrap_or_else(PoisonError::into_inner).append(&mut helpers);
    Ok(answer?)
}

/// Writes what is pending, before its tables are asked for: what follows from it may be in tables that join only then.
fn write_pending(connection: Handle) -> Result<()> {
    tables_of(connection).iter().try_for_each(|table| table.without_relation(|state| Ok(state.area.write()?)))
}

fn sequence(reason: &str) -> Failure {
    Failure::new(AE_TRANS_OUT_OF_SEQUENCE, reason)
}

/// Does something on a connection, or for 0 on every one that there is.
fn on_each(handle: Handle, chosen: impl Fn(&Connection) -> bool, work: impl Fn(Handle) -> Result<()>) -> Result<()> {
    if handle != Handle(0) {
        return work(handle);
    }
    let mut all = registry::all(|handle, object| match object {
        Object::Connection(connection) if chosen(connection) => Some(handle),
        _ => None,
    });
    all.sort_by_key(|handle| handle.0);
    match all.is_empty() {
        true => Err(sequence("there is no connection for it")),
        false => all.into_iter().try_for_each(work),
    }
}

pub fn begin(handle: Handle) -> Result<()> {
    on_each(handle, |_| true, begin_on)
}

/// Begins a transaction; within another one only how deep it is nested is counted.
fn begin_on(handle: Handle) -> Result<()> {
    let connection = registry::connection(handle)?;
    if let Some(running) = connection.transaction().as_mut() {
        running.depth += 1;
        return Ok(());
    }
    connection.wait_turn();
    connection.step(&Step::Begin)?;
    let begun = with_all(handle, |areas| Transaction::begin(&connection, areas)).and_then(|transaction| {
        let joined = connection.join(&transaction).inspect_err(|_| {
            // Nothing was done in it; the first error is the one to report.
            let _ = with_all(handle, |areas| transaction.roll_back(areas, &mut []));
        });
        Ok((transaction, joined?))
    });
    let (transaction, is_joined) = begun.inspect_err(|_| {
        let _ = connection.step(&Step::RollBack);
    })?;
    let mut running = connection.transaction();
    *running = Some(Running { transaction, depth: 1, is_joined, savepoints: Vec::new() });
    Ok(())
}

/// Works with all tables of a transaction: the areas of those that are open, and what statements have open.
fn with_everything(
    handle: Handle,
    connection: &Connection,
    mut work: impl FnMut(&mut [&mut dyn WorkArea], &mut [&mut IndexedTable]) -> mainstay_types::Result<()>,
) -> Result<()> {
    with_all(handle, |areas| connection.with_sql_tables(&mut |others| work(areas, others)))
}

/// The connection with its transaction; what ends it takes it out afterwards.
fn running(handle: Handle) -> Result<(Arc<Connection>, Transaction)> {
    let connection = registry::connection(handle)?;
    let transaction = connection.running().ok_or_else(|| sequence("no transaction is under way"))?;
    Ok((connection, transaction))
}

fn end(connection: &Connection) {
    *connection.transaction() = None;
}

pub fn commit(handle: Handle) -> Result<()> {
    on_each(handle, Connection::in_transaction, commit_on)
}

/// Commits; a transaction within another one only ends, and its savepoints with it.
fn commit_on(handle: Handle) -> Result<()> {
    let (connection, transaction) = running(handle)?;
    {
        let mut running = connection.transaction();
        if let Some(running) = running.as_mut().filter(|running| running.depth > 1) {
            running.depth -= 1;
            let depth = running.depth;
            running.savepoints.retain(|(_, _, of)| *of <= depth);
            return Ok(());
        }
    }
    write_pending(handle)?;
    if connection.is_joined() {
        // One commit is that of both; what the session does afterwards is to close its tables.
        with_everything(handle, &connection, |areas, others| transaction.commit(areas, others))?;
        end(&connection);
        return connection.step(&Step::Commit);
    }
    connection.step(&Step::Commit)?;
    with_all(handle, |areas| transaction.commit(areas, &mut []))?;
    end(&connection);
    Ok(())
}

pub fn roll_back(handle: Handle) -> Result<()> {
    on_each(handle, Connection::in_transaction, roll_back_on)
}

/// Undoes the whole transaction, however deep it is nested.
fn roll_back_on(handle: Handle) -> Result<()> {
    let (connection, transaction) = running(handle)?;
    // A failure of one part does not keep the other part from being rolled back.
    if connection.is_joined() {
        let undone = with_everything(handle, &connection, |areas, others| transaction.roll_back(areas, others));
        let stepped = connection.step(&Step::RollBack);
        undone.map(|()| end(&connection))?;
        return stepped;
    }
    let stepped = connection.step(&Step::RollBack);
    with_all(handle, |areas| transaction.roll_back(areas, &mut []))?;
    end(&connection);
    stepped
}

pub fn savepoint(handle: Handle, name: Text, _options: u32) -> Result<()> {
    make_savepoint(handle, name.string()?)
}

fn make_savepoint(handle: Handle, name: String) -> Result<()> {
    let (connection, transaction) = running(handle)?;
    // Pending writes belong before the savepoint.
    write_pending(handle)?;
    connection.step(&Step::Savepoint(name.clone()))?;
    let place = with_all(handle, |areas| transaction.savepoint(areas))?;
    let mut running = connection.transaction();
    if let Some(running) = running.as_mut() {
        running.savepoints.retain(|(known, _, _)| !known.eq_ignore_ascii_case(&name));
        running.savepoints.push((name, place, running.depth));
    }
    Ok(())
}

/// Back to a savepoint, or without a name to the beginning.
pub fn roll_back_80(handle: Handle, name: Text, _options: u32) -> Result<()> {
    match name.optional_string() {
        Some(name) => roll_back_to(handle, name),
        None => roll_back(handle),
    }
}

/// Does what a statement of SQL has asked for.
pub fn step(handle: Handle, step: Step) -> Result<()> {
    match step {
        Step::Begin => begin(handle),
        Step::Commit => commit(handle),
        Step::RollBack => roll_back(handle),
        Step::Savepoint(name) => make_savepoint(handle, name),
        Step::RollBackTo(name) => roll_back_to(handle, name),
    }
}

fn roll_back_to(handle: Handle, name: String) -> Result<()> {
    let (connection, transaction) = running(handle)?;
    let place = {
        let mut running = connection.transaction();
        running.as_mut().and_then(|running| {
            let at = running.savepoints.iter().position(|(known, _, _)| known.eq_ignore_ascii_case(&name))?;
            // Later savepoints end with this one.
            running.savepoints.truncate(at + 1);
            running.savepoints.get(at).map(|(_, place, _)| *place)
        })
    };
    let place = place.ok_or_else(|| Failure::new(AE_INVALID_OBJECT_NAME, &*name))?;
    if connection.is_joined() {
        with_everything(handle, &connection, |areas, others| transaction.roll_back_to(place, areas, others))?;
        return connection.step(&Step::RollBackTo(name));
    }
    connection.step(&Step::RollBackTo(name))?;
    with_all(handle, |areas| transaction.roll_back_to(place, areas, &mut []))
}

/// Sets the result to 1 if a transaction is open on a connection, or for 0 on any.
pub fn is_open(connection: Handle, open: Out<u16>) -> Result<()> {
    if connection == Handle(0) {
        let found = registry::all(|_, object| match object {
            Object::Connection(connection) if connection.in_transaction() => Some(()),
            _ => None,
        });
        return open.set((!found.is_empty()).into());
    }
    let connection = registry::connection(connection)?;
    open.set(connection.in_transaction().into())
}

/// Sets the result to 1 if `AdsSetTableTransactionFree` has excluded a table from transactions.
pub fn is_free(table: Handle, free: Out<u16>) -> Result<()> {
    free.set(registry::table(table)?.is_transaction_free.load(Ordering::Relaxed).into())
}

/// Does nothing: opening a table recovers the transactions that a crash interrupted.
pub fn recover(server: Text) -> Result<()> {
    let _ = server.required()?;
    Ok(())
}

/// The nesting depth of a connection's transactions.
pub fn count(connection: Handle, count: Out<u32>) -> Result<()> {
    let connection = registry::connection(connection)?;
    count.set(connection.transaction_depth())
}

/// Before a connection is closed, what it has not committed is undone.
pub fn abandon(handle: Handle) -> Result<()> {
    match registry::connection(handle)?.in_transaction() {
        true => roll_back(handle),
        false => Ok(()),
    }
}
