//! Rarely used calls: copies of handles, tables in memory, blank records, and features that do not exist here.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mainstay_navigator::client::RemoteArea;
use mainstay_xbase::dbf::blank_record;

use crate::border::*;
use crate::calls::dictionary::opening;
use crate::calls::{connections, records, tables};
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::table::{Opening, is_positioned};

/// A hint about a connection that changes nothing here.
pub fn connection_hint(connection: Handle, _: u16) -> Result<()> {
    registry::connection(connection).map(|_| ())
}

/// A hint about a table that changes nothing here: records are read in blocks anyway.
pub fn table_hint(table: Handle, _: u16) -> Result<()> {
    registry::table(table).map(|_| ())
}

/// Asks whether a server answers; a folder does.
pub fn echo(connection: Handle, data: Text, length: u16) -> Result<()> {
    registry::connection(connection)?;
    data.bytes(length.into()).map(|_| ())
}

/// No table here is encrypted: one that is, is refused when it is opened.
pub fn is_encrypted(table: Handle, encrypted: Out<u16>) -> Result<()> {
    registry::table(table)?;
    encrypted.set(0)
}

/// Programs give counting fields their numbers from now on, and see to it that none comes twice.
pub fn count_freely(connection: Handle) -> Result<()> {
    registry::connection(connection)?.counts_freely.store(true, Ordering::Relaxed);
    Ok(())
}

/// Counting fields count by themselves again.
pub fn count_alone(connection: Handle) -> Result<()> {
    registry::connection(connection)?.counts_freely.store(false, Ordering::Relaxed);
    Ok(())
}

/// A table takes part in transactions of its connection, or does not. One that takes part in one that is under way does
/// so to its end.
pub fn transaction_free(table: Handle, free: u16) -> Result<()> {
    let table = registry::table(table)?;
    if table.connection.server.is_some() {
        table.without_relation(|state| {
            let far = state.area.far().and_then(|far| far.downcast_mut::<RemoteArea>());
            far.map_or(Ok(()), |far| Ok(far.set_transaction_free(free != 0)?))
        })?;
    }
    let is_part =
        table.without_relation(|state| Ok(state.area.local().is_some_and(|area| area.is_in_transaction())))?;
    if is_part && free != 0 {
        return Err(Failure::new(AE_ILLEGAL_COMMAND_DURING_TRANS, table.path.display().to_string()));
    }
    table.is_transaction_free.store(free != 0, Ordering::Relaxed);
    Ok(())
}

/// Ends the use of a password; fails, because no table is encrypted.
pub fn not_encrypted(table: Handle) -> Result<()> {
    registry::table(table).map(|_| ())
}

/// Fails: no table is encrypted.
pub fn decrypt(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    Err(Failure::new(AE_TABLE_NOT_ENCRYPTED, table.path.display().to_string()))
}

/// A second handle of a table, on the same record. One that is open alone cannot be open twice.
pub fn clone_table(table: Handle, clone: Out<Handle>) -> Result<()> {
    let table = registry::table(table)?;
    clone.required()?;
    if !table.is_shared() {
        return Err(Failure::new(AE_TABLE_NOT_SHARED, table.path.display().to_string()));
    }
    let record = table.with(|state| Ok(state.area.record_number()))?;
    let opening = Opening {
        connection: Arc::clone(&table.connection),
        connection_handle: table.connection_handle,
        opened_as: table.opened_as.clone(),
        alias: table.alias.clone(),
        table_type: table.table_type,
        char_type: table.char_type,
        lock_type: table.lock_type,
        options: table.options,
        statement: None,
        columns: table.columns.clone(),
    };
    let (handle, second) = tables::open_at(opening, &table.path)?;
    if let Err(failure) = opening::bind_second(&table, &second) {
        let _ = second.close();
        return Err(failure);
    }
    second.go(None, |area| Ok(area.go_to(record)?))?;
    clone.set(handle)
}

/// Closes a table that is open alone, and removes its files.
pub fn delete_table(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.check_writable()?;
    if table.is_shared() {
        return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, table.path.display().to_string()));
    }
    let (connection, path) = (Arc::clone(&table.connection), table.path.clone());
    table.close()?;
    tables::remove(&connection, &path)
}

/// The bytes of a record that has no values yet.
pub fn blank(table: Handle, buffer: Buffer, length: u32) -> Result<()> {
    let table = registry::table(table)?;
    let bytes = table.without_relation(|state| Ok(blank_record(state.area.fields(), state.area.header())))?;
    match length as usize {
        room if room < bytes.len() => {
            Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} bytes are needed", bytes.len())))
        }
        _ => buffer.set_exactly(&bytes),
    }
}

/// A number that changes when the record does: the CRC-32 of its bytes.
pub fn record_sum(table: Handle, sum: Out<u32>, _options: u32) -> Result<()> {
    let table = registry::table(table)?;
    let bytes = table.on_record(|state| Ok(state.area.record()?.to_vec()))?;
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    sum.set(!crc)
}

/// Small letters, in place.
pub fn lower(connection: Handle, text: Buffer, length: u16, _char_set: u16) -> Result<()> {
    connections::of(connection)?;
    let bytes = text.bytes(length.into())?.to_ascii_lowercase();
    text.set_exactly(&bytes)
}

pub fn lower_90(connection: Handle, text: Buffer, length: u16, char_set: u16, _collation: u32) -> Result<()> {
    lower(connection, text, length, char_set)
}

/// The number in a key of a CDX order: a double whose bytes sort as the numbers do.
pub fn key_to_number(key: Text, number: Out<f64>) -> Result<()> {
    let bytes: [u8; 8] = key.bytes(8)?.try_into().map_err(|_| AE_INTERNAL_ERROR)?;
    let bits = u64::from_be_bytes(bytes);
    let bits = if bits >> 63 == 1 { bits ^ 1 << 63 } else { !bits };
    number.set(f64::from_bits(bits))
}

/// A table that exists in memory only, and goes with its handle.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn memory_table(
    connection: Handle,
    name: Text,
    table_type: u16,
    char_type: u16,
    fields: Text,
    _size: u32,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    table.required()?;
    let name = name.string()?;
    let table_type = match u32::from(table_type) {
        ADS_DEFAULT => ADS_VFP,
        table_type => table_type,
    };
    tables::check_type(table_type)?;
    let through = Arc::new(Connection::in_memory());
    let path = through.folder.join(format!("{name}.dbf"));
    tables::make(&through, &path, &tables::spec(&fields.string()?, table_type, char_type.into(), 0)?)?;
    let opening = Opening {
        connection: through,
        connection_handle: connection,
        alias: name.clone(),
        opened_as: name,
        table_type,
        char_type: char_type.into(),
        lock_type: ADS_COMPATIBLE_LOCKING,
        options: ADS_EXCLUSIVE,
        statement: None,
        columns: Vec::new(),
    };
    let (handle, _) = tables::open_at(opening, &path)?;
    table.set(handle)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn memory_table_90(
    connection: Handle,
    name: Text,
    table_type: u16,
    char_type: u16,
    fields: Text,
    size: u32,
    collation: Text,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    tables::no_collation(collation)?;
    memory_table(connection, name, table_type, char_type, fields, size, table)
}

/// The names of the files that were asked for by mask; the first name is that of a data dictionary, which there is none
/// of.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn find_first_62(
    connection: Handle,
    mask: Text,
    dictionary: Buffer,
    dictionary_length: Out<u16>,
    name: Buffer,
    length: Out<u16>,
    search: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    dictionary.set_text(dictionary_length, b"")?;
    connections::find_first(connection, mask, name, length, search)
}

pub fn find_next_62(
    connection: Handle,
    search: Handle,
    dictionary: Buffer,
    dictionary_length: Out<u16>,
    name: Buffer,
    length: Out<u16>,
) -> Result<()> {
    connections::of(connection)?;
    dictionary.set_text(dictionary_length, b"")?;
    connections::find_next(connection, search, name, length)
}

/// Record numbers in the order of a handle, from one of its records on: as many as there is room for, and whether the end
/// was reached. The record that the table is on stays.
pub fn record_numbers(
    object: Handle,
    record: u32,
    direction: u8,
    records: Out<u32>,
    count: Out<u32>,
    at_end: Out<u16>,
) -> Result<()> {
    let (table, order) = registry::table_or_order(object)?;
    let step = match u32::from(direction) {
        1 => 1,
        2 => -1,
        _ => return Err(Failure::new(AE_INVALID_OPTION, format!("{direction} is no direction"))),
    };
    let room = count.get()?;
    let (found, ended) = table.with(|state| {
        let area = &mut *state.area;
        area.set_order(order.as_ref().map(|order| order.id))?;
        let place = area.record_number();
        area.go_to(record)?;
        let mut found = Vec::new();
        while found.len() < room as usize && is_positioned(area) {
            found.push(area.record_number());
            area.skip(step)?;
        }
        let ended = !is_positioned(area);
        area.go_to(place)?;
        Ok((found, ended))
    })?;
    records.set_all(&found)?;
    count.set(u32::try_from(found.len()).unwrap_or(u32::MAX))?;
    at_end.set(ended.into())
}

/// The first records that a table or an order shows, appended to another table.
pub fn copy_top(object: Handle, to: Handle, count: u32) -> Result<()> {
    records::copy_some(object, to, true, count)
}
