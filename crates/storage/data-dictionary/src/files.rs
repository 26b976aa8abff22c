//! Resolution of the file names in programs and dictionaries: separators of other systems, missing extensions, and letters in
//! the wrong case.
//!
//! Programs come from systems where `DATA\CUSTOMERS` and `data\customers.dbf` are one file. A name is tried as it is
//! written; then each of its parts is looked up in its folder without regard to case.

use std::path::{Component, Path, PathBuf};

use mainstay_vfs::{Disk, FileSystem};

/// A name with this system's separators.
pub fn path_of(name: &str) -> PathBuf {
    PathBuf::from(name.trim().replace('\\', "/"))
}

/// The same, with an extension if it has none.
pub fn with_extension(mut path: PathBuf, extension: &str) -> PathBuf {
    if path.extension().is_none() {
        path.set_extension(extension);
    }
    path
}

/// The path under which a file or folder is really there, or nothing.
pub fn existing(path: &Path) -> Option<PathBuf> {
    if exists(path) {
        return Some(path.to_path_buf());
    }
    let mut found = PathBuf::new();
    for component in path.components() {
        let Component::Normal(name) = component else {
            found.push(component);
            continue;
        };
        let exact = found.join(name);
        if exists(&exact) {
            found = exact;
            continue;
        }
        let folder = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        let wanted = name.to_string_lossy().to_lowercase();
        let entries = Disk.list(folder).ok()?;
        let same =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase() == wanted);
        let name = entries.into_iter().map(|entry| entry.path).find(same)?.file_name()?.to_owned();
        found.push(name);
    }
    Some(found)
}

/// Returns true if there is a file or folder of exactly this name.
pub fn exists(path: &Path) -> bool {
    Disk.is_folder(path) || Disk.stamp(path).is_ok()
}

/// The path with the parts of its folder that exist under another case as they are there: for a file to be made.
pub fn in_existing_folder(path: &Path) -> PathBuf {
    match (path.parent().and_then(existing), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_systems_are_found() {
        let folder = tempfile::tempdir().unwrap();
        Disk.create_folder(&folder.path().join("Data")).unwrap();
        Disk.replace(&folder.path().join("Data/Customers.DBF"), b"x").unwrap();
        let asked = folder.path().join(path_of(r"DATA\CUSTOMERS.dbf"));
        assert_eq!(existing(&asked), Some(folder.path().join("Data/Customers.DBF")));
        assert_eq!(existing(&folder.path().join("data/others.dbf")), None);
        assert_eq!(in_existing_folder(&folder.path().join("data/new.dbf")), folder.path().join("Data/new.dbf"));
    }
}
