//! Transactions, which belong to a connection.

use crate::border::*;
use crate::calls::connections;
use crate::failure::Result;
use crate::registry;

pub fn is_open(connection: Handle, open: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    open.set(connection.in_transaction().into())
}

/// Whether a table takes part in no transaction; each takes part.
pub fn is_free(table: Handle, free: Out<u16>) -> Result<()> {
    registry::table(table)?;
    free.set(0)
}

/// What a crash has left of transactions is put right whenever a table is opened.
pub fn recover(server: Text) -> Result<()> {
    let _ = server.required()?;
    Ok(())
}

/// How deep a connection's transactions are nested.
pub fn count(connection: Handle, count: Out<u32>) -> Result<()> {
    let connection = connections::of(connection)?;
    count.set(connection.in_transaction().into())
}
