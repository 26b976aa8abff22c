//! `[[server.users]]` of a `mainstay.toml`, edited in place: everything that does not concern the user stays as it is.

use mainstay_server::Config;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem};
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

/// The settings file of a folder.
const SETTINGS: &str = "mainstay.toml";

/// The settings file of a folder.
#[derive(Debug)]
pub(super) struct UsersFile {
    path: PathBuf,
    document: DocumentMut,
    text: String,
}

impl UsersFile {
    /// Reads the file of a folder; one that is missing is empty.
    ///
    /// Errors: `NotFound` for the folder; `InvalidSetting`, with the line, for a file that is not valid.
    pub(super) fn open(folder: &Path) -> Result<UsersFile> {
        let disk = mainstay_vfs::Disk;
        if !disk.is_folder(folder) {
            return Err(Error::new(Code::NotFound, "there is no such folder").at(folder.display()));
        }
        let mut path = folder.join(SETTINGS);
        let text = match disk.read(&path) {
            Ok(bytes) => {
                path = disk.real_path(&path)?;
                let invalid = |_| Error::new(Code::InvalidSetting, "the file is not UTF-8").at(path.display());
                String::from_utf8(bytes).map_err(invalid)?
            }
            Err(error) if error.code() == Code::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        UsersFile::of_text(path, text)
    }

    fn of_text(path: PathBuf, text: String) -> Result<UsersFile> {
        Config::from_toml(&text).map_err(|error| error.at(path.display()))?;
        let invalid =
            |error: toml_edit::TomlError| Error::new(Code::InvalidSetting, error.message()).at(path.display());
        let document = text.parse::<DocumentMut>().map_err(invalid)?;
        Ok(UsersFile { path, document, text })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's text as it is now.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The names of the users.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |user: &dyn TableLike| user.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        match self.document.get("server").and_then(|server| server.get("users")) {
            Some(Item::ArrayOfTables(users)) => users.iter().map(|user| name(user)).collect(),
            Some(Item::Value(Value::Array(users))) => {
                users.iter().filter_map(Value::as_inline_table).map(|user| name(user)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Errors: `NotFound`, with the users that there are.
    pub(super) fn check_known(&self, name: &str) -> Result<()> {
        let names = self.names();
        if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        let error = Error::new(Code::NotFound, format!("there is no user \"{name}\""));
        Err(if names.is_empty() { error } else { error.hint(format!("the users are {}", names.join(", "))) })
    }

    /// Adds a user behind the others.
    pub(super) fn add(&mut self, name: &str, hash: &str, read_only: bool) -> Result<()> {
        if !self.document.contains_key("server") {
            let mut server = Table::new();
            server.set_implicit(true);
            self.document.insert("server", Item::Table(server));
        }
        let server = self.document.get_mut("server").and_then(Item::as_table_like_mut).ok_or_else(not_a_table)?;
        let users = server.entry("users").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        match users {
            Item::ArrayOfTables(users) => {
                let mut user = Table::new();
                fill(&mut user, name, hash, read_only);
                users.push(user);
            }
            Item::Value(Value::Array(users)) => {
                let mut user = InlineTable::new();
                fill(&mut user, name, hash, read_only);
                users.push(user);
            }
            _ => return Err(not_a_table()),
        }
        self.take_text()
    }

    /// Gives a user another hash.
    pub(super) fn set_password(&mut self, name: &str, hash: &str) -> Result<()> {
        let set = |user: &mut dyn TableLike| {
            // The value alone: a comment behind it stays.
            match user.get_mut("password_hash").and_then(Item::as_value_mut) {
                Some(old) => {
                    let mut new = Value::from(hash);
                    *new.decor_mut() = old.decor().clone();
                    *old = new;
                }
                None => drop(user.insert("password_hash", value(hash))),
            }
        };
        self.users(|users| match users {
            Item::ArrayOfTables(users) => users.iter_mut().filter(|user| is_of(*user, name)).for_each(|user| set(user)),
            Item::Value(Value::Array(users)) => users
                .iter_mut()
                .filter_map(Value::as_inline_table_mut)
                .filter(|user| is_of(*user, name))
                .for_each(|user| set(user)),
            _ => {}
        });
        self.take_text()
    }

    /// Removes a user.
    pub(super) fn remove(&mut self, name: &str) -> Result<()> {
        self.users(|users| match users {
            Item::ArrayOfTables(users) => users.retain(|user| !is_of(user, name)),
            Item::Value(Value::Array(users)) => {
                users.retain(|user| user.as_inline_table().is_none_or(|user| !is_of(user, name)));
            }
            _ => {}
        });
        self.take_text()
    }

    fn users(&mut self, change: impl FnOnce(&mut Item)) {
        if let Some(users) = self.document.get_mut("server").and_then(|server| server.get_mut("users")) {
            change(users);
        }
    }

    /// Makes the edited document the text, unless a server would refuse it.
    fn take_text(&mut self) -> Result<()> {
        let text = self.document.to_string();
        Config::from_toml(&text).map_err(|error| error.at(self.path.display()))?;
        self.text = text;
        Ok(())
    }

    /// Writes the file in one step. A new file is its owner's alone, for it has the hashes of passwords.
    ///
    /// Errors: those of the file system; the file is as it was then.
    #[allow(clippy::disallowed_methods, reason = "the file system trait has no permissions")]
    pub(super) fn write(&self, fs: &dyn FileSystem) -> Result<()> {
        let mut new = self.path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let file = fs.create(&new, Create::Truncate)?;
        let permissions = std::fs::metadata(&self.path).map(|there| there.permissions());
        std::fs::set_permissions(&new, permissions.unwrap_or_else(|_| owner_only()))?;
        file.write_at(self.text.as_bytes(), 0)?;
        file.sync()?;
        drop(file);
        fs.rename(&new, &self.path)?;
        fs.sync_folder(self.path.parent().unwrap_or(Path::new("")))
    }
}

fn owner_only() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o600)
}

fn fill(user: &mut dyn TableLike, name: &str, hash: &str, read_only: bool) {
    user.insert("name", value(name));
    user.insert("password_hash", value(hash));
    if read_only {
        user.insert("read_only", value(true));
    }
}

fn is_of(user: &dyn TableLike, name: &str) -> bool {
    user.get("name").and_then(Item::as_str).is_some_and(|known| known.eq_ignore_ascii_case(name))
}

fn not_a_table() -> Error {
    Error::new(Code::InvalidSetting, "server.users is no list of tables")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$GOgmxqwXml0wOUG2NwOyUw$tsYoR1aXiL/4CcOlBsXvx7FRnGmRCzQxo9hCPx4Rzvk";

    fn file(text: &str) -> UsersFile {
        UsersFile::of_text(PathBuf::from(SETTINGS), text.to_owned()).unwrap()
    }

    #[test]
    fn comments_and_order_stay() {
        let before = format!(
            "# the shop\ncode_page = \"cp850\" # all of them\n\n[server]\ntds = \"127.0.0.1:0\" # any port\n\n\
             # the owner\n[[server.users]]\nname = \"Ann\" # her\npassword_hash = \"{HASH}\" # old\n"
        );
        let mut edited = file(&before);
        edited.add("bob", HASH, true).unwrap();
        let added = format!("\n[[server.users]]\nname = \"bob\"\npassword_hash = \"{HASH}\"\nread_only = true\n");
        assert_eq!(edited.text(), format!("{before}{added}"));
        assert_eq!(edited.names(), ["Ann", "bob"]);
        let other = HASH.replace("m=8", "m=16");
        edited.set_password("ANN", &other).unwrap();
        assert_eq!(edited.text(), format!("{}{added}", before.replace(HASH, &other)));
        edited.remove("bob").unwrap();
        assert_eq!(edited.text(), before.replace(HASH, &other));
    }

    #[test]
    fn lists_in_one_line_and_empty_files_are_edited_too() {
        let mut inline = file("[server]\nusers = [] # nobody yet\n");
        inline.add("ann", HASH, false).unwrap();
        assert_eq!(
            inline.text(),
            format!("[server]\nusers = [{{ name = \"ann\", password_hash = \"{HASH}\" }}] # nobody yet\n")
        );
        inline.remove("Ann").unwrap();
        assert_eq!(inline.text(), "[server]\nusers = [] # nobody yet\n");
        let mut empty = file("");
        empty.add("ann", HASH, false).unwrap();
        assert_eq!(empty.text(), format!("[[server.users]]\nname = \"ann\"\npassword_hash = \"{HASH}\"\n"));
        assert!(empty.check_known("bob").unwrap_err().to_string().contains("\"bob\""));
    }
}
