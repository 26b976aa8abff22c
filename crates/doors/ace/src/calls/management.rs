//! Management calls; their answers come from [`crate::management`].

use std::sync::Arc;

use mainstay_area_session::{Activity, Member, TableUse};
use mainstay_xbase::lock::LockScheme;

use crate::border::*;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::management::{Server, is_named, seconds_up, user_name};
use crate::registry::{self, Object};
use crate::structures::{self, Filled};

pub fn connect(server: Text, user: Text, password: Text, handle: Out<Handle>) -> Result<()> {
    handle.required()?;
    let name = server.string()?;
    let (user, password) = (user.optional_string(), password.optional_string());
    if is_drive(&name) {
        seconds_up();
        return handle.set(registry::add(Object::Server(Arc::new(Server { client: None })))?);
    }
    // The same folders and servers that a connection takes.
    let opened = Connection::open(&name, ADS_LOCAL_SERVER, &user.unwrap_or_default(), &password.unwrap_or_default())?;
    seconds_up();
    handle.set(registry::add(Object::Server(Arc::new(Server { client: opened.server })))?)
}

/// A drive's letter, which the manual's page of AdsMgConnect takes besides a server's name. There are no drives here, and so
/// nothing that one would lead to but what a folder does: this process.
fn is_drive(name: &str) -> bool {
    matches!(name.trim_end_matches(['\\', '/']).as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

pub fn disconnect(server: Handle) -> Result<()> {
    registry::server(server)?;
    registry::remove(server);
    Ok(())
}

pub fn server_type(server: Handle, kind: Out<u16>) -> Result<()> {
    let found = match registry::server(server)?.client {
        Some(_) => ADS_MGMT_LINUX_SERVER_64_BIT,
        None => ADS_MGMT_LOCAL_SERVER,
    };
    kind.set(u16::try_from(found).unwrap_or(0))
}

/// Gives a structure, as much of it as the program's has room for.
fn give(filled: &Filled, place: Pointer, size: Out<u16>) -> Result<()> {
    let room: usize = size.get()?.into();
    let bytes = filled.bytes.get(..room).unwrap_or(&filled.bytes);
    size.set(u16::try_from(filled.bytes.len()).unwrap_or(u16::MAX))?;
    place.buffer().set_exactly(bytes)
}

/// Writes an array of structures, as many as fit, and their number.
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

/// The members of a server that a call asks for: by name, and by the number of their connection, 0 for all.
fn members(activity: Activity, user: Text, connection: u16) -> Vec<Member> {
    let user = user.optional_string();
    let is_meant = |member: &Member| {
        user.as_ref().is_none_or(|user| member.person.user.eq_ignore_ascii_case(user))
            && (connection == 0 || member.person.connection == u64::from(connection))
    };
    activity.members.into_iter().filter(is_meant).collect()
}

fn count_of(is: impl Fn(&Object) -> bool) -> usize {
    registry::all(|_, object| is(object).then_some(())).len()
}

pub fn activity(server: Handle, place: Pointer, size: Out<u16>) -> Result<()> {
    let server = registry::server(server)?;
    let activity = server.activity()?;
    let up = usize::try_from(activity.seconds).unwrap_or(usize::MAX);
    let connections = match server.client {
        Some(_) => activity.members.len(),
        None => count_of(|object| matches!(object, Object::Connection(_))),
    };
    let tables: Vec<&TableUse> = activity.members.iter().flat_map(|member| &member.tables).collect();
    let indexes: usize = tables.iter().map(|table| table.orders as usize).sum();
    let filled = Filled::new(&structures::ACTIVITY_INFO)
        .number("stUpTime.usDays", up / 86_400)
        .number("stUpTime.usHours", up / 3600 % 24)
        .number("stUpTime.usMinutes", up / 60 % 60)
        .number("stUpTime.usSeconds", up % 60)
        .number("stUsers.ulInUse", activity.members.len())
        .number("stConnections.ulInUse", connections)
        .number("stWorkAreas.ulInUse", tables.len())
        .number("stTables.ulInUse", tables.len())
        .number("stIndexes.ulInUse", indexes)
        .number("stLocks.ulInUse", tables.iter().map(|table| table.records.len()).sum());
    give(&filled, place, size)
}

/// A server's requests are its packets; a folder has no wire.
pub fn wire(server: Handle, place: Pointer, size: Out<u16>) -> Result<()> {
    let requests = registry::server(server)?.activity()?.requests;
    let packets = usize::try_from(requests).unwrap_or(usize::MAX);
    give(&Filled::new(&structures::COMM_STATS).number("ulTotalPackets", packets), place, size)
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
    user: Text,
    connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    let activity = registry::server(server)?.activity()?;
    let kind = |table: &TableUse| match table.scheme {
        Some(LockScheme::Clipper) => ADS_MGMT_NTX_LOCKING,
        _ => ADS_MGMT_CDX_LOCKING,
    };
    let all: Vec<Filled> = members(activity, user, connection)
        .iter()
        .flat_map(|member| &member.tables)
        .map(|table| {
            Filled::new(&structures::TABLE_INFO)
                .text("aucTableName", &table.path.to_string_lossy())
                .number("usLockType", kind(table) as usize)
        })
        .collect();
    give_all(&all, place, count, size)
}

/// The open tables that a name means: all without one.
fn named(activity: Activity, table: Text, user: Text, connection: u16) -> Vec<TableUse> {
    let name = table.optional_string();
    let tables = members(activity, user, connection).into_iter().flat_map(|member| member.tables);
    tables.filter(|table| is_named(table, name.as_deref())).collect()
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn open_indexes(
    server: Handle,
    table: Text,
    user: Text,
    connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    let activity = registry::server(server)?.activity()?;
    let mut all = Vec::new();
    for table in named(activity, table, user, connection) {
        for file in &table.indexes {
            all.push(Filled::new(&structures::INDEX_INFO).text("aucIndexName", &file.to_string_lossy()));
        }
    }
    give_all(&all, place, count, size)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn locks(
    server: Handle,
    table: Text,
    user: Text,
    connection: u16,
    place: Pointer,
    count: Out<u16>,
    size: Out<u16>,
) -> Result<()> {
    let activity = registry::server(server)?.activity()?;
    let tables = named(activity, table, user, connection);
    let one = |record: &u32| Filled::new(&structures::RECORD_INFO).number("ulRecordNumber", *record as usize);
    let all: Vec<Filled> = tables.iter().flat_map(|table| &table.records).map(one).collect();
    give_all(&all, place, count, size)
}

/// A member, as a structure of users has it.
fn user_info(member: &Member) -> Filled {
    Filled::new(&structures::USER_INFO)
        .text("aucUserName", &member.person.user)
        .text("aucAuthUserName", &member.person.user)
        .number("usConnNumber", usize::try_from(member.person.connection).unwrap_or(usize::MAX))
        .text("aucAddress", &member.person.address)
        .text("aucApplicationID", &member.person.application)
}

/// The owner of a record's lock; an empty name and ADS_MGMT_NO_LOCK if no known user has locked it.
pub fn lock_owner(
    server: Handle,
    table: Text,
    record: u32,
    place: Pointer,
    size: Out<u16>,
    kind: Out<u16>,
) -> Result<()> {
    let activity = registry::server(server)?.activity()?;
    let name = table.optional_string();
    let locked = |member: &Member| {
        let tables = member.tables.iter().filter(|table| is_named(table, name.as_deref()));
        tables.filter(|table| table.locks(record)).map(|table| table.is_locked).max()
    };
    let owner = activity.members.iter().find_map(|member| Some((member, locked(member)?)));
    let (found, filled) = match owner {
        Some((member, true)) => (ADS_MGMT_FILE_LOCK, user_info(member)),
        Some((member, false)) => (ADS_MGMT_RECORD_LOCK, user_info(member)),
        None => (ADS_MGMT_NO_LOCK, Filled::new(&structures::USER_INFO)),
    };
    kind.set(u16::try_from(found).unwrap_or(0))?;
    give(&filled, place, size)
}

/// The users that are connected, or that have a table open.
pub fn users(server: Handle, file: Text, place: Pointer, count: Out<u16>, size: Out<u16>) -> Result<()> {
    let activity = registry::server(server)?.activity()?;
    let name = file.optional_string();
    let uses = |member: &&Member| name.is_none() || member.tables.iter().any(|table| is_named(table, name.as_deref()));
    let all: Vec<Filled> = activity.members.iter().filter(uses).map(user_info).collect();
    give_all(&all, place, count, size)
}

/// Ends the connections of a user of a server, whose changes and locks are undone. A folder has no connections to end.
pub fn end_user(server: Handle, user: Text, connection: u16) -> Result<()> {
    let server = registry::server(server)?;
    let user = user.optional_string();
    if user.is_none() && connection == 0 {
        return Err(Failure::new(AE_INVALID_VALUE, "neither a user nor a connection is named"));
    }
    match &server.client {
        Some(client) => Ok(client.end_user(user.as_deref().unwrap_or_default(), connection.into())?),
        None => Ok(()),
    }
}

/// There are none: a call runs on its caller's thread.
pub fn threads(server: Handle, place: Pointer, count: Out<u16>, size: Out<u16>) -> Result<()> {
    registry::server(server)?;
    give_all(&[], place, count, size)
}
