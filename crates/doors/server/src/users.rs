//! The users of a server, which may change while it runs.
//!
//! ```text
//!   login --> Users::current --> has the stamp of mainstay.toml changed?  no:  the users as they are
//!                                                                         yes: read [[server.users]] again
//! ```
//!
//! The file is read again at a login, not by a timer: a login then sees every change that was finished before it, and a
//! server without logins does nothing. Open connections stay.
//!
//! A file that cannot be read, is not valid or has no users changes nothing: an editor that writes a file in two steps
//! must not open the server to every client.

use crate::config::{Config, User};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Stamp};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Hears of users that were read again, and of files that were not taken.
pub type Reloaded = Box<dyn Fn(&Result<Arc<[User]>>) + Send + Sync>;

/// The users of a server.
pub struct Users {
    state: Mutex<State>,
    source: Option<Source>,
}

struct State {
    users: Arc<[User]>,
    stamp: Option<Stamp>,
}

struct Source {
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    reloaded: Reloaded,
}

impl Users {
    /// Users that do not change.
    pub fn fixed(users: Vec<User>) -> Users {
        Users { state: Mutex::new(State { users: users.into(), stamp: None }), source: None }
    }

    /// Users that follow a settings file, of which they have just been read. `reloaded` is called at each change of the file.
    pub fn of_file(users: Vec<User>, files: Arc<dyn FileSystem>, path: PathBuf, reloaded: Reloaded) -> Users {
        let stamp = files.stamp(&path).ok();
        let state = Mutex::new(State { users: users.into(), stamp });
        Users { state, source: Some(Source { files, path, reloaded }) }
    }

    /// The users as they are now.
    pub fn current(&self) -> Arc<[User]> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(source) = &self.source else { return Arc::clone(&state.users) };
        let stamp = source.files.stamp(&source.path).ok();
        if stamp != state.stamp {
            // Noted for a file that is refused, too: it is reported once.
            state.stamp = stamp;
            let read = source.read();
            if let Ok(users) = &read {
                state.users = Arc::clone(users);
            }
            (source.reloaded)(&read);
        }
        Arc::clone(&state.users)
    }

    /// The user of this name; its case does not count.
    pub fn find(&self, name: &str) -> Option<User> {
        self.current().iter().find(|user| user.name.eq_ignore_ascii_case(name)).cloned()
    }
}

impl Source {
    fn read(&self) -> Result<Arc<[User]>> {
        let refuse = |message: &str| Error::new(Code::InvalidSetting, message);
        let text = String::from_utf8(self.files.read(&self.path)?).map_err(|_| refuse("the file is not UTF-8"))?;
        let users = Config::from_toml(&text)?.users;
        if users.is_empty() {
            return Err(refuse("the file has no users; a server that has some takes that at its next start only"));
        }
        Ok(users.into())
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(state.users.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;
    use std::path::Path;

    fn file(names: &[&str]) -> String {
        let hash = crate::password::hash_at_cost("x", (8, 1, 1)).unwrap();
        names.iter().map(|name| format!("[[server.users]]\nname = '{name}'\npassword_hash = '{hash}'\n")).collect()
    }

    #[test]
    fn changes_of_the_file_are_seen_and_bad_files_are_not_taken() {
        let files = Arc::new(Memory::new());
        files.write("mainstay.toml", file(&["ann"]).as_bytes());
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let reloaded: Reloaded =
            Box::new(move |read| lines.lock().unwrap().push(read.as_ref().map_or(0, |users| users.len())));
        let first = Config::from_toml(&file(&["ann"])).unwrap().users;
        let path = Path::new("mainstay.toml").to_owned();
        let users = Users::of_file(first, Arc::clone(&files) as Arc<dyn FileSystem>, path, reloaded);
        let names = || users.current().iter().map(|user| user.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(), log.lock().unwrap().len()), (vec!["ann".to_owned()], 0));
        files.write("mainstay.toml", file(&["ann", "bob"]).as_bytes());
        assert_eq!(names(), ["ann", "bob"]);
        assert!(users.find("BOB").is_some() && users.find("eve").is_none());
        for refused in ["", "[server]\nusers = 3\n", "code_page = 'cp850'\n"] {
            files.write("mainstay.toml", refused.as_bytes());
            assert_eq!(names(), ["ann", "bob"], "{refused}");
        }
        assert_eq!(*log.lock().unwrap(), [2, 0, 0, 0]);
        files.write("mainstay.toml", file(&["bob"]).as_bytes());
        assert_eq!(names(), ["bob"]);
    }
}
