//! Connections, and the files that are found through them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::border::*;
use crate::calls::{self, transactions};
use crate::connection::Connection;
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::files;
use crate::registry::{self, Object};
use crate::remote;
use crate::settings;

pub fn connect(name: Text, connection: Out<Handle>) -> Result<()> {
    let types = settings::read(|settings| settings.server_types);
    open(&name.string()?, types, "", "", connection)
}

pub fn connect_26(name: Text, server_types: u16, connection: Out<Handle>) -> Result<()> {
    open(&name.string()?, server_types, "", "", connection)
}

pub fn connect_60(
    path: Text,
    server_types: u16,
    user: Text,
    password: Text,
    _options: u32,
    connection: Out<Handle>,
) -> Result<()> {
    let user = user.optional_string().unwrap_or_default();
    let password = password.optional_string().unwrap_or_default();
    open(&path.string()?, server_types, &user, &password, connection)
}

/// A connection string: `Data Source=...;User ID=...;Password=...;DateFormat=...`, by the manual's page of
/// AdsConnect101. The other options of that page have no effect here.
pub fn connect_101(text: Text, options: Out<Handle>, connection: Out<Handle>) -> Result<()> {
    let text = text.string()?;
    if options.required().is_ok() {
        // A table of the options, about which the manual contains no more.
        options.set(Handle(0))?;
    }
    let pairs = pairs(&text)?;
    let value = |wanted: &[&str]| {
        let found = pairs.iter().rev().find(|(name, _)| wanted.iter().any(|wanted| name.eq_ignore_ascii_case(wanted)));
        found.map(|(_, value)| value.clone())
    };
    let Some(source) = value(&["data source", "datasource", "server"]) else {
        return Err(Failure::new(AE_INVALID_VALUE, "the connection string has no Data Source"));
    };
    let user = value(&["user id", "uid", "user", "username"]).unwrap_or_default();
    let password = value(&["password", "pwd"]).unwrap_or_default();
    let date_format = value(&["dateformat"]);
    if let Some(mask) = date_format.as_ref().filter(|mask| !dates::is_mask(mask)) {
        return Err(Failure::new(AE_INVALID_DATEFORMAT, mask.clone()));
    }
    open(&source, settings::read(|settings| settings.server_types), &user, &password, connection)?;
    match date_format {
        Some(mask) => registry::connection(connection.get()?).map(|connection| connection.set_date_format(mask)),
        None => Ok(()),
    }
}

/// The names and values of a connection string. A value may stand in quotes of either kind, within which the other kind, a
/// semicolon and blanks are its own.
///
/// Errors: AE_INVALID_VALUE for a quote that is not closed, or something behind it.
fn pairs(text: &str) -> Result<Vec<(String, String)>> {
    let wrong = |what: &str| Err(Failure::new(AE_INVALID_VALUE, format!("the connection string has {what}")));
    let (mut pairs, mut rest) = (Vec::new(), text);
    while !rest.trim().is_empty() {
        let end = rest.find([';', '=']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let Some(behind) = behind.strip_prefix('=') else {
            // A part without a value is ignored.
            rest = behind.strip_prefix(';').unwrap_or_default();
            continue;
        };
        let behind = behind.trim_start();
        let (value, behind) = match behind.chars().next().filter(|quote| ['\'', '"'].contains(quote)) {
            Some(quote) => match behind[1..].split_once(quote) {
                Some((value, behind)) => (value, behind.trim_start()),
                None => return wrong("a quote that is not closed"),
            },
            None => {
                let (value, behind) = behind.split_at(behind.find(';').unwrap_or(behind.len()));
                (value.trim(), behind)
            }
        };
        if !behind.is_empty() && !behind.starts_with(';') {
            return wrong("something behind a quote");
        }
        pairs.push((name.trim().to_owned(), value.to_owned()));
        rest = behind.strip_prefix(';').unwrap_or_default();
    }
    Ok(pairs)
}

fn open(name: &str, server_types: u16, user: &str, password: &str, connection: Out<Handle>) -> Result<()> {
    connection.required()?;
    let opened = Connection::open(name, server_types.into(), user, password)?;
    connection.set(registry::add(Object::Connection(Arc::new(opened)))?)
}

/// Closes a connection with everything that was opened through it. 0 closes all.
pub fn disconnect(connection: Handle) -> Result<()> {
    if connection == Handle(0) {
        let all = registry::all(|handle, object| matches!(object, Object::Connection(_)).then_some(handle));
        let mut first = Ok(());
        for connection in all {
            first = first.and(disconnect(connection));
        }
        return first;
    }
    registry::connection(connection)?;
    let tables = registry::all(|_, object| match object {
        Object::Table(table) if table.connection_handle == connection => Some(Arc::clone(table)),
        _ => None,
    });
    let mut first = transactions::abandon(connection);
    for table in tables {
        first = first.and(table.close());
    }
    let statements = registry::all(|handle, object| match object {
        Object::Statement(statement) if statement.connection_handle == connection => Some(handle),
        _ => None,
    });
    for statement in statements {
        registry::remove(statement);
    }
    registry::remove(connection);
    first
}

pub fn reset(connection: Handle) -> Result<()> {
    registry::connection(connection).map(|_| ())
}

pub fn is_alive(connection: Handle, alive: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    alive.set(connection.server.as_ref().is_none_or(|server| server.is_alive()).into())
}

/// Connections by the path that they were opened with.
pub fn find(name: Text, connection: Out<Handle>) -> Result<()> {
    let name = name.string()?;
    let wanted = match remote::address_of(&name, false) {
        Some(address) => PathBuf::from(address.trim_end_matches('/')),
        None => files::path_of(&name),
    };
    let wanted = files::existing(&wanted).unwrap_or(wanted);
    let found = registry::all(|handle, object| match object {
        Object::Connection(known) if wanted == known.folder || wanted == files::path_of(&known.name) => Some(handle),
        // A file's connection is that of the folder it is in, or above it.
        Object::Connection(known) if !known.is_implicit() && wanted.starts_with(&known.folder) => Some(handle),
        _ => None,
    });
    match found.into_iter().min_by_key(|handle| handle.0) {
        Some(found) => connection.set(found),
        None => Err(Failure::new(AE_NO_CONNECTION, wanted.display().to_string())),
    }
}

pub fn path(connection: Handle, path: Buffer, length: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    path.set_text(length, connection.folder.to_string_lossy().as_bytes())
}

pub fn kind(connection: Handle, kind: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    kind.set(u16::try_from(connection.server_type).unwrap_or(0))
}

pub fn property(connection: Handle, property: u16, value: Pointer, length: Out<u32>) -> Result<()> {
    let connection = registry::connection(connection)?;
    match u32::from(property) {
        ADS_CONNECTIONPROP_USERNAME => value.buffer().set_text(length, connection.user.as_bytes()),
        _ => Err(Failure::new(AE_INVALID_PROPERTY_ID, property.to_string())),
    }
}

pub fn server_name(connection: Handle, name: Buffer, length: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    name.set_text(length, connection.name.as_bytes())
}

pub fn server_time(
    connection: Handle,
    date: Buffer,
    date_length: Out<u16>,
    milliseconds: Out<i32>,
    time: Buffer,
    time_length: Out<u16>,
) -> Result<()> {
    let connection = registry::connection(connection)?;
    let now = dates::now();
    date.set_text(date_length, dates::write(dates::today(), &connection.date_format()).as_bytes())?;
    milliseconds.set(now)?;
    time.set_text(time_length, dates::write_time(now).as_bytes())
}

/// A folder has its server here.
pub fn is_server_loaded(server: Text, loaded: Out<u16>) -> Result<()> {
    let server = server.string()?;
    if let Some(address) = remote::address_of(&server, false) {
        let kind = if remote::answers(&address) { ADS_REMOTE_SERVER } else { 0 };
        return loaded.set(u16::try_from(kind).unwrap_or(0));
    }
    let path = files::path_of(&server);
    let found = files::existing(&path).or_else(|| files::existing(path.parent()?));
    loaded.set(match found {
        Some(_) => u16::try_from(ADS_LOCAL_SERVER).unwrap_or(1),
        None => 0,
    })
}

pub fn exists(connection: Handle, name: Text, on_disk: Out<u16>) -> Result<()> {
    let connection = of(connection)?;
    let found = connection.find(&name.string()?, "dbf").is_some();
    on_disk.set(found.into())
}

pub fn delete_file(connection: Handle, name: Text) -> Result<()> {
    let connection = of(connection)?;
    let name = name.string()?;
    let path = connection.find(&name, "dbf").ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, name))?;
    if let Some(session) = &connection.dictionary
        && !session.may_replace(&*session.live.contents()?, &path)
    {
        return Err(Failure::new(AE_PERMISSION_DENIED, path.display().to_string()));
    }
    if calls::tables::is_open(&path) {
        return Err(Failure::new(AE_FILE_IN_USE, path.display().to_string()));
    }
    connection.remove_file(&path)
}

pub fn find_first(connection: Handle, mask: Text, name: Buffer, length: Out<u16>, search: Out<Handle>) -> Result<()> {
    let connection = of(connection)?;
    search.required()?;
    let mask = files::path_of(&mask.string()?);
    let folder = connection.folder.join(mask.parent().unwrap_or(std::path::Path::new("")));
    let pattern = mask.file_name().map_or_else(|| "*.dbf".to_owned(), |name| name.to_string_lossy().into_owned());
    let mut names = connection.list(&folder)?;
    names.retain(|name| files::matches(name, &pattern));
    // They are taken from the end.
    names.reverse();
    let names = Arc::new(Mutex::new(names));
    let handle = registry::add(Object::Search(Arc::clone(&names)))?;
    search.set(handle)?;
    next_name(&names, name, length)
}

pub fn find_next(connection: Handle, search: Handle, name: Buffer, length: Out<u16>) -> Result<()> {
    of(connection)?;
    match registry::find(search) {
        Some(Object::Search(names)) => next_name(&names, name, length),
        _ => Err(AE_INVALID_FIND_HANDLE.into()),
    }
}

/// The next name; one whose buffer is too short is given again.
fn next_name(names: &Mutex<Vec<String>>, buffer: Buffer, length: Out<u16>) -> Result<()> {
    let mut names = names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let name = names.last().cloned().ok_or_else(|| Failure::new(AE_NO_FILE_FOUND, ""))?;
    buffer.set_text(length, name.as_bytes())?;
    names.pop();
    Ok(())
}

pub fn find_close(_connection: Handle, search: Handle) -> Result<()> {
    match registry::find(search) {
        Some(Object::Search(_)) => {
            registry::remove(search);
            Ok(())
        }
        _ => Err(AE_INVALID_FIND_HANDLE.into()),
    }
}

/// The connection of a handle, or for 0 that of tables that are opened without one.
pub fn of(connection: Handle) -> Result<Arc<Connection>> {
    resolved(connection).map(|(_, connection)| connection)
}

/// The connection for a name: that of the handle, or for 0 and a name at a server (by itself, or because the default
/// folder is there) the one to that server, which is opened if there is none. And the name that it knows the table by.
pub fn resolved_for(connection: Handle, name: &str) -> Result<(Handle, Arc<Connection>, String)> {
    let is_below = |default: &str| {
        let plain = files::path_of(name);
        !default.is_empty() && !plain.is_absolute() && remote::address_of(default, false).is_some()
    };
    let default = settings::read(|settings| settings.default_path.clone());
    let address = match remote::address_of(name, false) {
        Some(address) => Some(address),
        None if is_below(&default) => remote::address_of(&format!("{}/{name}", default.trim_end_matches('/')), false),
        None => None,
    };
    let Some(address) = address.filter(|_| connection == Handle(0)) else {
        return resolved(connection).map(|(handle, known)| (handle, known, name.to_owned()));
    };
    let path = PathBuf::from(&address);
    let mut known = registry::all(|handle, object| match object {
        Object::Connection(known) if known.server.is_some() && path.starts_with(&known.folder) => {
            Some((handle, Arc::clone(known), address.clone()))
        }
        _ => None,
    });
    // The connection of the nearest folder comes first.
    known.sort_by_key(|(_, known, _)| std::cmp::Reverse(known.folder.as_os_str().len()));
    if let Some(found) = known.into_iter().next() {
        return Ok(found);
    }
    let (folder, _) = address.rsplit_once('/').unwrap_or((&address, ""));
    let opened = Arc::new(Connection::open(folder, ADS_REMOTE_SERVER, "", "")?);
    Ok((registry::add(Object::Connection(Arc::clone(&opened)))?, opened, address))
}

/// The same with its handle. The connection without a name is there from its first use on.
pub fn resolved(connection: Handle) -> Result<(Handle, Arc<Connection>)> {
    static FIRST_USE: Mutex<()> = Mutex::new(());
    if connection != Handle(0) {
        return registry::connection(connection).map(|found| (connection, found));
    }
    let _alone = FIRST_USE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = registry::all(|handle, object| match object {
        Object::Connection(known) if known.is_implicit() => Some((handle, Arc::clone(known))),
        _ => None,
    });
    if let Some(known) = known.into_iter().next() {
        return Ok(known);
    }
    let implicit = Arc::new(Connection::implicit());
    Ok((registry::add(Object::Connection(Arc::clone(&implicit)))?, implicit))
}
