//! Tables of a server: the syntax of its address, and access to its files through a connection.
//!
//! A connection accesses local files through a file system, or has a client of a server. File names of the latter begin
//! with the server's address, so that they are never taken for local files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_navigator::client::{Address, Client, OpenHow, PORT, RemoteArea, Tcp};
use mainstay_navigator::dictionary::code_of;
use mainstay_types::Code;
use mainstay_workarea::{AreaOptions, Mode, WorkArea};

use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::files;
use crate::settings;

/// The address that a name means, in its plain form; nothing for a name of a folder here.
///
/// `tcp://host:port/path`, `tls://host:port/path`, `//host:port/path`, and the last with backslashes; without its port
/// only if the program has said that a server is meant and no folder (`remote_only`).
pub fn address_of(name: &str, remote_only: bool) -> Option<String> {
    let name = name.trim().replace('\\', "/");
    if ["tcp://", "tls://"].iter().any(|scheme| name.starts_with(scheme)) {
        return Some(name);
    }
    let rest = name.strip_prefix("//")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    match host.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => Some(format!("tcp://{rest}")),
        None if remote_only && !host.is_empty() => Some(format!("tcp://{host}:{PORT}/{path}")),
        _ => None,
    }
}

/// Returns true if a path is that of a file of a server.
pub fn is_far(path: &Path) -> bool {
    path.starts_with("tcp:") || path.starts_with("tls:")
}

/// Returns true if an address is that of a data dictionary.
pub fn is_dictionary(address: &str) -> bool {
    address.to_ascii_lowercase().ends_with(".add")
}

/// Connects to the server of an address.
pub fn connect(address: &str, user: &str, password: &str) -> Result<Arc<Client>> {
    let parsed = match Address::parse(address) {
        Some(parsed) => parsed?,
        None => return Err(Failure::new(AE_NO_CONNECTION, format!("{address} is no address"))),
    };
    let program = std::env::args_os().next().unwrap_or_default();
    let program = Path::new(&program).file_name().map(|name| name.to_string_lossy().into_owned());
    let client = Client::connect(address, parsed, user, password, &program.unwrap_or_default());
    client.map_err(|error| match error.code() {
        _ if code_of(&error).is_some() => error.into(),
        Code::NotFound if is_dictionary(address) => Failure::new(AE_NO_CONNECTION, error.to_string()),
        Code::NotPermitted => Failure::new(AE_AUTHENTICATION_FAILED, error.to_string()),
        _ => Failure::new(AE_NO_CONNECTION, error.to_string()),
    })
}

/// Returns true if a server answers at an address, whatever users it admits.
pub fn answers(address: &str) -> bool {
    match Address::parse(address) {
        Some(Ok(address)) => Tcp::connect(&address).is_ok(),
        _ => false,
    }
}

/// Opens the first of some tables that is there. Whether it can only be read.
pub fn open(client: &Arc<Client>, paths: &[PathBuf], options: &AreaOptions) -> Result<(Box<dyn WorkArea>, bool)> {
    let (hide_deleted, exact) = settings::read(|settings| (!settings.show_deleted, settings.exact));
    let how = OpenHow {
        mode: options.mode,
        scheme: options.scheme,
        open_structural: options.open_structural,
        hide_deleted,
        exact,
    };
    let area = RemoteArea::open(client, paths, &how)?;
    let is_read_only = area.mode() == Mode::ReadOnly;
    Ok((Box::new(area), is_read_only))
}

impl Connection {
    /// The paths that a table's name may mean at the server.
    pub fn candidates(&self, name: &str, extension: &str) -> Vec<PathBuf> {
        let asked = self.folder.join(far_name(&self.folder, name));
        let with_extension = files::with_extension(asked.clone(), extension);
        if asked == with_extension { vec![asked] } else { vec![asked, with_extension] }
    }

    /// The path of an existing file by its path but for the case of its letters.
    pub fn existing(&self, path: &Path) -> Option<PathBuf> {
        match &self.server {
            Some(server) => server.find(&[path.to_path_buf()]).ok().flatten(),
            None => files::existing(path),
        }
    }

    /// The names of the files in a folder.
    pub fn list(&self, folder: &Path) -> Result<Vec<String>> {
        if let Some(server) = &self.server {
            return Ok(server.list(folder)?);
        }
        let names = self.files.list(folder)?.into_iter().filter(|entry| !entry.is_folder);
        Ok(names.filter_map(|entry| Some(entry.path.file_name()?.to_string_lossy().into_owned())).collect())
    }

    /// Removes a file.
    pub fn remove_file(&self, path: &Path) -> Result<()> {
        match &self.server {
            Some(server) => Ok(server.remove(path)?),
            None => Ok(self.files.remove(path)?),
        }
    }
}

/// A name as it is below the folder of a connection: one that begins with the folder's address is cut.
fn far_name(folder: &Path, name: &str) -> PathBuf {
    let name = address_of(name, false).map_or_else(|| files::path_of(name), PathBuf::from);
    match name.strip_prefix(folder) {
        Ok(below) => below.to_path_buf(),
        Err(_) => name.strip_prefix("/").map(Path::to_path_buf).unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_folders() {
        let is = |name: &str, address: &str| assert_eq!(address_of(name, false).as_deref(), Some(address), "{name}");
        is("tcp://shop:6262/data", "tcp://shop:6262/data");
        is("tls://shop/", "tls://shop/");
        is("//shop:6262/data/x.dbf", "tcp://shop:6262/data/x.dbf");
        is(r"\\shop:6262\data", "tcp://shop:6262/data");
        for folder in ["/data/shop", "//shop/data", "data", r"c:\data", "//shop:name/data", ""] {
            assert_eq!(address_of(folder, false), None, "{folder}");
        }
        assert_eq!(address_of(r"\\shop\data", true).as_deref(), Some("tcp://shop:6262/data"));
        assert_eq!(address_of("/shop/data", true), None);
    }

    #[test]
    fn names_are_those_below_the_folder() {
        let folder = Path::new("tcp://shop:6262/data");
        for name in ["x.dbf", "/x.dbf", r"\x.dbf", "//shop:6262/data/x.dbf", "tcp://shop:6262/data/x.dbf"] {
            assert_eq!(far_name(folder, name), Path::new("x.dbf"), "{name}");
        }
    }
}
