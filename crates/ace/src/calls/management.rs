//! Management calls: see [`crate::management`] for what they are answered from.

use std::sync::Arc;

use crate::border::*;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::files;
use crate::management::{Server, seconds_up, user_name};
use crate::registry::{self, Object};
use crate::structures::{self, Filled};
use crate::table::Table;

pub fn connect(server: Text, _user: Text, _password: Text, handle: Out<Handle>) -> Result<()> {
    handle.required()?;
    let name = server.string()?;
    // The same folders that a connection takes.
    Connection::open(&name, ADS_LOCAL_SERVER, "", "")?;
    seconds_up();
    handle.set(registry::add(Object::Server(Arc::new(Server)))?)
}

pub fn disconnect(server: Handle) -> Result<()> {
    registry::server(server)?;
    registry::remove(server);
    Ok(())
}

pub fn server_type(server: Handle, kind: Out<u16>) -> Result<()> {
    registry::server(server)?;
    kind.set(u16::try_from(ADS_MGMT_LOCAL_SERVER).unwrap_or(0))
}

/// Gives a structure, as much of it as the program's has room for.
fn give(filled: &Filled, place: Pointer, size: Out<u16>) -> Result<()> {
    let room: usize = size.get()?.into();
    let bytes = filled.bytes.get(..room).unwrap_or(&filled.bytes);
    size.set(u16::try_from(filled.bytes.len()).unwrap_or(u16::MAX))?;
    place.buffer().set_exactly(bytes)
}

/// Gives an array of structures, as many as fit, and says how many there are.
fn give_all(all: &[Filled], place: Pointer, count: Out<u16>, size: Out<u16>) -> Result<()> {
    let (room, stride): (usize, usize) = (count.get()?.into(), size.get()?.into());
    let mut bytes = Vec::new();
    for filled in all.iter().take(room) {
        let mut one = filled.bytes.clone();
        one.resize(stride, 0);
        bytes.extend_from_slice(&one);
    }
    count.set(u16::try_from(all.len()).unwrap_or(u16::MAX))?;
    place.buffer().set_exactly(&bytes)?;
    match all.len() > room {
        true => Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("there are {}", all.len()))),
        false => Ok(()),
    }
}

fn tables() -> Vec<Arc<Table>> {
    let mut tables = registry::all(|_, object| match object {
        Object::Table(table) => Some(Arc::clone(table)),
        _ => None,
    });
    tables.sort_by_key(|table| table.handle().0);
    tables
}

fn count_of(is: impl Fn(&Object) -> bool) -> usize {
    registry::all(|_, object| is(object).then_some(())).len()
}

pub fn activity(server: Handle, place: Pointer, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    let up = usize::try_from(seconds_up()).unwrap_or(usize::MAX);
    let tables = tables();
    let connections = count_of(|object| matches!(object, Object::Connection(_)));
    let indexes = count_of(|object| matches!(object, Object::Order(_)));
    let filled = Filled::new(&structures::ACTIVITY_INFO)
        .number("stUpTime.usDays", up / 86_400)
        .number("stUpTime.usHours", up / 3600 % 24)
        .number("stUpTime.usMinutes", up / 60 % 60)
        .number("stUpTime.usSeconds", up % 60)
        .number("stUsers.ulInUse", 1)
        .number("stConnections.ulInUse", connections)
        .number("stWorkAreas.ulInUse", tables.len())
        .number("stTables.ulInUse", tables.len())
        .number("stIndexes.ulInUse", indexes)
        .number("stLocks.ulInUse", tables.iter().map(|table| locks_of(table).len()).sum());
    give(&filled, place, size)
}

pub fn wire(server: Handle, place: Pointer, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    give(&Filled::new(&structures::COMM_STATS), place, size)
}

pub fn reset_wire(server: Handle) -> Result<()> {
    registry::server(server).map(|_| ())
}

pub fn configuration(
    server: Handle,
    values: Pointer,
    values_size: Out<u16>,
    memory: Pointer,
    memory_size: Out<u16>,
) -> Result<()> {
    registry::server(server)?;
    if !values.is_null() {
        give(&Filled::new(&structures::CONFIG_PARAMS), values, values_size)?;
    }
    if !memory.is_null() {
        give(&Filled::new(&structures::CONFIG_MEMORY), memory, memory_size)?;
    }
    Ok(())
}

pub fn installation(server: Handle, place: Pointer, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    let filled = Filled::new(&structures::INSTALL_INFO)
        .text("aucRegisteredOwner", &user_name())
        .text("aucVersionStr", concat!("Mainstay ", env!("CARGO_PKG_VERSION")));
    give(&filled, place, size)
}

pub fn open_tables(
    server: Handle,
    _user: Text,
    _connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    registry::server(server)?;
    let kind = |table: &Table| match table.table_type {
        ADS_NTX => ADS_MGMT_NTX_LOCKING,
        _ => ADS_MGMT_CDX_LOCKING,
    };
    let all: Vec<Filled> = tables()
        .iter()
        .map(|table| {
            Filled::new(&structures::TABLE_INFO)
                .text("aucTableName", &table.path.to_string_lossy())
                .number("usLockType", kind(table) as usize)
        })
        .collect();
    give_all(&all, place, count, size)
}

/// The open tables that a name means: all without one.
fn named(name: Text) -> Vec<Arc<Table>> {
    let wanted = name.optional_string().map(|name| files::path_of(&name));
    let means = |table: &Arc<Table>| {
        wanted.as_ref().is_none_or(|wanted| {
            table.path.ends_with(wanted) || table.path.with_extension("") == *wanted || table.path == *wanted
        })
    };
    tables().into_iter().filter(means).collect()
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn open_indexes(
    server: Handle,
    table: Text,
    _user: Text,
    _connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    registry::server(server)?;
    let mut all = Vec::new();
    for table in named(table) {
        for file in table.without_relation(|state| Ok(state.area.index_files()))? {
            all.push(Filled::new(&structures::INDEX_INFO).text("aucIndexName", &file.to_string_lossy()));
        }
    }
    give_all(&all, place, count, size)
}

/// The records that a table has locked here; none of a table that is closed meanwhile.
fn locks_of(table: &Table) -> Vec<u32> {
    table.without_relation(|state| Ok(state.area.locked_records())).unwrap_or_default()
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn locks(
    server: Handle,
    table: Text,
    _user: Text,
    _connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    registry::server(server)?;
    let records = named(table).iter().flat_map(|table| locks_of(table)).collect::<Vec<u32>>();
    let one = |record: &u32| Filled::new(&structures::RECORD_INFO).number("ulRecordNumber", *record as usize);
    let all: Vec<Filled> = records.iter().map(one).collect();
    give_all(&all, place, count, size)
}

/// Who has locked a record: this process, or nobody here.
pub fn lock_owner(
    server: Handle,
    table: Text,
    record: u32,
    place: Pointer,
    size: Out<u16>,
    kind: Out<u16>,
) -> Result<()> {
    registry::server(server)?;
    let tables = named(table);
    let locked = |table: &Arc<Table>| {
        table
            .without_relation(|state| Ok((state.area.is_table_locked(), state.area.locked_records().contains(&record))))
    };
    let mut found = ADS_MGMT_NO_LOCK;
    for table in &tables {
        match locked(table)? {
            (true, _) => found = ADS_MGMT_FILE_LOCK,
            (_, true) => found = ADS_MGMT_RECORD_LOCK,
            _ => {}
        }
    }
    kind.set(u16::try_from(found).unwrap_or(0))?;
    let user = if found == ADS_MGMT_NO_LOCK { String::new() } else { user_name() };
    give(&Filled::new(&structures::USER_INFO).text("aucUserName", &user), place, size)
}

pub fn users(server: Handle, file: Text, place: Pointer, count: Out<u16>, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    let uses = file.optional_string().is_none() || !named(file).is_empty();
    let user = Filled::new(&structures::USER_INFO).text("aucUserName", &user_name()).text("aucAddress", "local");
    let all = if uses { vec![user] } else { Vec::new() };
    give_all(&all, place, count, size)
}

/// There are none: a call runs on its caller's thread.
pub fn threads(server: Handle, place: Pointer, count: Out<u16>, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    give_all(&[], place, count, size)
}
