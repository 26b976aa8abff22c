//! Files of tables that a statement names by a path: `[sub/orders]`, `"\\archive\\orders.dbf"`.
//!
//! A path into the folder itself is the table of that name. Any other file gets a name in the database, its whole path,
//! when a statement names it; all statements find it under this name, those that read it and those that drop it.

use crate::failure::{Failed, of_core};
use crate::session::Inner;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::reduce::table_name;
use mainstay_ads_syntax::tree::ObjectName;
use mainstay_ads_types::native;
use mainstay_engine::Database;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The file of a table that is named by a path, unless it is in the folder itself.
pub(crate) fn elsewhere(folder: &Path, name: &str) -> Option<PathBuf> {
    if !name.contains(['/', '\\']) {
        return None;
    }
    let mut file = PathBuf::from(within(name).unwrap_or_else(|| name.replace('\\', "/")));
    if file.extension().is_none() {
        // As in a folder of its own, a DBF comes first.
        let is_there = |extension: &str| {
            mainstay_data_dictionary::files::existing(&folder.join(file.with_extension(extension))).is_some()
        };
        file.set_extension(if !is_there("dbf") && is_there("adt") { "adt" } else { "dbf" });
    }
    let file = real(folder.join(file));
    let of = file.parent().map(std::path::absolute).and_then(std::io::Result::ok);
    (of.is_none() || of != std::path::absolute(folder).ok()).then_some(file)
}

/// A path as it is on the disk but for what is not there: programs write names in any case.
fn real(path: PathBuf) -> PathBuf {
    if let Some(known) = mainstay_data_dictionary::files::existing(&path) {
        return known;
    }
    match (path.parent().and_then(mainstay_data_dictionary::files::existing), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The same for a session that may be bound to its folder.
///
/// Errors: `native::TABLE` for a path that leaves the folder, or leads to a place for files other than tables, if it is
/// bound.
pub(crate) fn permitted(folder: &Path, name: &str, stays_in_folder: bool) -> Result<Option<PathBuf>, Failed> {
    if stays_in_folder && name.contains(['/', '\\']) && within(name).is_none() {
        return Err(SqlError::new(native::TABLE, format!("Table or alias not found: {name}")));
    }
    Ok(elsewhere(folder, name))
}

/// A path below a folder, without `..` steps, which a link on the way would lead elsewhere; `None` for one that leaves
/// the folder, or leads to a place for files other than tables.
fn within(name: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in PathBuf::from(name.replace('\\', "/")).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(part) => match part.to_str() {
                Some(part) if !part.starts_with('.') => parts.push(part.to_owned()),
                _ => return None,
            },
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Gives a file of another folder its name in the database.
///
/// Errors: for a file that is not there, or no table.
pub(crate) fn attach(core: &mut mainstay_engine::Session, file: &Path) -> Result<String, Failed> {
    let name = file.display().to_string().to_lowercase();
    core.attach(file, &name).map_err(|error| of_core(&error))?;
    Ok(name)
}

impl Inner {
    /// The file of another folder that a statement names.
    ///
    /// Errors: those of [`permitted`].
    pub(crate) fn elsewhere(&self, name: &ObjectName) -> Result<Option<PathBuf>, Failed> {
        permitted(&self.folder, name.last(), self.state.stays_in_folder)
    }

    /// The core's name of an existing table.
    ///
    /// Errors: those of [`permitted`] and [`attach`].
    pub(crate) fn core_name(&mut self, name: &ObjectName) -> Result<String, Failed> {
        if let Some(temporary) = self.temporary.find(name.last()) {
            return Ok(temporary.to_owned());
        }
        match self.elsewhere(name)? {
            Some(file) => attach(&mut self.core, &file),
            None => Ok(table_name(name)),
        }
    }

    /// The file of a table that is to be made.
    ///
    /// Errors: those of [`permitted`].
    pub(crate) fn new_file(&self, name: &ObjectName) -> Result<PathBuf, Failed> {
        let plain = format!("{}.{}", table_name(name), if self.makes_adt(name) { "adt" } else { "dbf" });
        Ok(match self.elsewhere(name)? {
            Some(file) => file.with_file_name(plain),
            None => self.folder.join(plain),
        })
    }

    /// Runs the core's CREATE TABLE of a table in the folder that its file is to be in.
    ///
    /// Errors: those of the statement.
    pub(crate) fn create_in(&mut self, name: &ObjectName, text: &str) -> Result<(), Failed> {
        let Some(file) = self.elsewhere(name)? else { return self.core(text).map(drop) };
        if self.core.is_in_transaction() {
            return Err(SqlError::unsupported("CREATE TABLE in a transaction"));
        }
        let folder = file.parent().unwrap_or(&self.folder);
        let other = Database::open_on(Arc::clone(self._database.files()), folder, crate::door::options())
            .map_err(|error| of_core(&error))?;
        other.session().execute(text).map(drop).map_err(|error| of_core(&error))
    }
}
