//! Files of the folder by the names that clients give: below the folder, in any case.

use crate::wire::values::check_relative;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_xbase::table::companion_extensions;
use std::path::{Component, Path, PathBuf};

/// Names that one step may ask for.
const MOST_NAMES: usize = 64;

/// A folder that a session works in.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// Where it is.
    pub root: PathBuf,
}

impl Folder {
    /// The path of a name that need not exist: its parts that exist under another case are as they are there.
    ///
    /// Errors: a name that leads out of the folder.
    pub fn place(&self, files: &dyn FileSystem, name: &Path) -> Result<PathBuf> {
        check_relative(name)?;
        let mut found = self.root.clone();
        for part in name.components() {
            let Component::Normal(part) = part else { continue };
            let exact = found.join(part);
            if files.is_folder(&exact) || files.stamp(&exact).is_ok() {
                found = exact;
                continue;
            }
            let wanted = part.to_string_lossy().to_lowercase();
            let entries = if files.is_folder(&found) { files.list(&found)? } else { Vec::new() };
            let is_it =
                |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase() == wanted);
            found = entries.into_iter().map(|entry| entry.path).find(is_it).unwrap_or(exact);
        }
        match found == self.root {
            true => Err(Error::new(Code::NotFound, "the name of a file is empty")),
            false => Ok(found),
        }
    }

    /// The first of some names that there is a file of.
    pub fn find(&self, files: &dyn FileSystem, names: &[PathBuf]) -> Result<Option<PathBuf>> {
        for name in names.iter().take(MOST_NAMES) {
            if check_relative(name).is_err() || name.as_os_str().is_empty() {
                continue;
            }
            let path = self.place(files, name)?;
            if !files.is_folder(&path) && files.stamp(&path).is_ok() {
                return Ok(Some(self.name(&path)));
            }
        }
        Ok(None)
    }

    /// The path of a file that exists.
    pub fn existing(&self, files: &dyn FileSystem, name: &Path) -> Result<PathBuf> {
        let path = self.place(files, name)?;
        match files.stamp(&path).is_ok() && !files.is_folder(&path) {
            true => Ok(path),
            false => Err(Error::new(Code::NotFound, "there is no such file").at(name.display())),
        }
    }

    /// Removes a table with its memo and its structural index, as far as they are there.
    pub fn clear(&self, files: &dyn FileSystem, name: &Path) -> Result<()> {
        let path = self.place(files, name)?;
        for extension in companion_extensions(&path) {
            let beside = self.place(files, &self.name(&path).with_extension(extension))?;
            if files.stamp(&beside).is_ok() {
                files.remove(&beside)?;
            }
        }
        if files.stamp(&path).is_ok() && !files.is_folder(&path) { files.remove(&path) } else { Ok(()) }
    }

    /// The names of the files in a folder below.
    pub fn list(&self, files: &dyn FileSystem, folder: &Path) -> Result<Vec<String>> {
        let place = match folder.as_os_str().is_empty() {
            true => self.root.clone(),
            false => self.place(files, folder)?,
        };
        let entries = files.list(&place)?.into_iter().filter(|entry| !entry.is_folder);
        let names = entries.filter_map(|entry| Some(entry.path.file_name()?.to_string_lossy().into_owned()));
        Ok(names.filter(|name| check_relative(Path::new(name)).is_ok()).collect())
    }

    /// The error without the place of the folder, which clients may not see.
    pub fn for_client(&self, error: Error) -> Error {
        let root = format!("{}/", self.root.display());
        let Some(place) = error.place().filter(|place| place.contains(&root)) else { return error };
        let told = Error::new(error.code(), error.message()).at(place.replace(&root, ""));
        let told = error.hint_text().map_or(told.clone(), |hint| told.hint(hint));
        error.dialect().map_or(told.clone(), |dialect| told.in_dialect(dialect))
    }

    /// The name that clients know a path by.
    pub fn name(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;

    #[test]
    fn names_stay_in_the_folder() {
        let files = Memory::new();
        files.write("shop/Customers.DBF", b"x".to_vec());
        files.write("other.dbf", b"x".to_vec());
        let folder = Folder { root: PathBuf::from("shop") };
        let found = folder.find(&files, &["no.dbf".into(), "customers.dbf".into()]).unwrap();
        assert_eq!(found, Some(PathBuf::from("Customers.DBF")));
        for name in
            ["../other.dbf", "/shop/Customers.DBF", "a/../../other.dbf", ".mainstay/x", "a\\b", "a\0b", "Mainstay.toml"]
        {
            assert!(folder.place(&files, Path::new(name)).is_err(), "{name:?}");
            assert_eq!(folder.find(&files, &[name.into()]).unwrap(), None, "{name:?}");
        }
        assert!(folder.place(&files, Path::new("")).is_err());
        let told = folder.for_client(Error::new(Code::Busy, "locked").at("shop/a.dbf, record 3").hint("wait"));
        assert_eq!(told.to_string(), "a.dbf, record 3: locked (wait)");
        assert_eq!(folder.list(&files, Path::new("")).unwrap(), ["Customers.DBF"]);
    }
}
