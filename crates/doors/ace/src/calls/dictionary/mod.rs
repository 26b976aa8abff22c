//! Data dictionaries: creating, opening and closing them; functions that the other files of this folder share.

use std::path::Path;
use std::sync::Arc;

use mainstay_vfs::{Disk, FileSystem};

use crate::border::*;
use crate::calls::connections;
use crate::connection::Connection;
use crate::constants::*;
use crate::dictionary::contents::ADMINISTRATOR;
use crate::dictionary::{Access, Contents, Live, Session};
use crate::failure::{Failure, Result};
use crate::far_dictionary;
use crate::files;
use crate::registry::{self, Object};
use crate::remote;
use crate::settings;

pub mod checks;
pub mod links;
pub mod opening;
pub mod programs;
pub mod properties;
pub mod property_calls;
pub mod relations;
pub mod search;
pub mod tables;
pub mod users;

/// The dictionary of a connection.
///
/// Errors: AE_INVALID_CONNECTION_HANDLE; AE_INVALID_DICTIONARY_HANDLE for a connection to a folder.
pub fn session(handle: Handle) -> Result<Arc<Session>> {
    let connection = registry::connection(handle)?;
    connection.dictionary.clone().ok_or_else(|| {
        Failure::new(AE_INVALID_DICTIONARY_HANDLE, "the connection is one to a folder, not to a dictionary")
    })
}

/// Changes a dictionary, if the user may: `rights` to an object of this kind, parent and name.
pub fn change<T>(
    session: &Session,
    (kind, parent, name, rights): (u32, &str, &str, u32),
    work: impl FnOnce(&mut Contents) -> Result<T>,
) -> Result<T> {
    session.live.change(|contents| {
        session.access.require(contents, kind, parent, name, rights)?;
        work(contents)
    })
}

/// Makes a dictionary, and connects to it as its administrator.
pub fn create(path: Text, _encrypt: u16, description: Text, dictionary: Out<Handle>) -> Result<()> {
    let name = path.string()?;
    dictionary.required()?;
    if let Some(address) = remote::address_of(&name, false) {
        let made = far_dictionary::create(&address, &description.optional_string().unwrap_or_default())?;
        return dictionary.set(registry::add(Object::Connection(Arc::new(made)))?);
    }
    let path = files::in_existing_folder(&files::with_extension(files::path_of(&name), "add"));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !Disk.is_folder(folder) {
        return Err(Failure::new(AE_NO_DRIVE_CONNECTION, format!("there is no folder {}", folder.display())));
    }
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let live = Live::create(Arc::clone(&files), &path, &Contents::new(description.optional_string()))?;
    let session = Session::new(files, live, Access::administrator(), settings::date_form);
    let connection = Connection::to_dictionary(session, &name);
    dictionary.set(registry::add(Object::Connection(Arc::new(connection)))?)
}

/// Connects to a dictionary as its administrator.
pub fn open(path: Text, password: Text, dictionary: Out<Handle>) -> Result<()> {
    let name = path.string()?;
    dictionary.required()?;
    let path = match remote::address_of(&name, false) {
        Some(address) => far_dictionary::with_extension(&address),
        None => files::with_extension(files::path_of(&name), "add").to_string_lossy().into_owned(),
    };
    let password = password.optional_string().unwrap_or_default();
    let connection = Connection::open(&path, 0, ADMINISTRATOR, &password)?;
    dictionary.set(registry::add(Object::Connection(Arc::new(connection)))?)
}

pub fn close(dictionary: Handle) -> Result<()> {
    if !registry::connection(dictionary)?.is_far_dictionary {
        session(dictionary)?;
    }
    connections::disconnect(dictionary)
}
