//! Business BASIC programs that a browser starts at `mainstay serve --console`.

use super::check::is_program;
use super::{PROGRAMS, Shop};
use mainstay_basic::ScreenHost;
use mainstay_console::{Entry, Programs, Users};
use mainstay_engine::Database;
use mainstay_engine::activity::SessionInfo;
use mainstay_screen::session::ScreenHandle;
use mainstay_server::Users as UserList;
use mainstay_server::password::Checker;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The bytes of a program that are searched for the remark in its first line.
const MOST_ABOUT: usize = 200;

/// The users of the settings, as the browser door asks for them.
pub(crate) struct FolderUsers {
    users: Arc<UserList>,
    checker: Checker,
}

impl FolderUsers {
    /// These users.
    pub(crate) fn new(users: Arc<UserList>) -> FolderUsers {
        let cost_like = users.current().first().map(|user| user.password_hash.clone());
        FolderUsers { users, checker: Checker::new(cost_like.as_deref()) }
    }
}

impl Users for FolderUsers {
    fn check(&self, name: &str, password: &str) -> Option<String> {
        let user = self.users.find(name);
        let is_right = self.checker.matches(password, user.as_ref().map(|user| user.password_hash.as_str()));
        user.filter(|_| is_right).map(|user| user.name)
    }
}

/// The programs in the folder `programs` of a database.
pub(crate) struct BrowserPrograms {
    shop: Shop,
    /// Those of them who may only read change no file.
    users: Arc<UserList>,
    /// Lists the programs that run among the sessions.
    database: Database,
}

impl BrowserPrograms {
    /// The programs of a folder.
    pub(crate) fn new(shop: Shop, users: Arc<UserList>, database: Database) -> BrowserPrograms {
        BrowserPrograms { shop, users, database }
    }

    fn home(&self) -> PathBuf {
        self.shop.folder.join(PROGRAMS)
    }

    /// The remark in the first line of a program; empty if there is none.
    fn about(&self, path: &Path) -> String {
        let mut start = [0; MOST_ABOUT];
        let length = self.shop.files.open(path).and_then(|file| file.read_at(&mut start, 0)).unwrap_or(0);
        let line = start.get(..length).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
        let text = mainstay_code_page::decode(&mainstay_code_page::import(line)).into_owned();
        let text = text.trim_start_matches('\u{feff}').trim_start_matches(|c: char| c.is_ascii_digit()).trim();
        let remark = text
            .strip_prefix('!')
            .or_else(|| text.get(..4).filter(|word| word.eq_ignore_ascii_case("REM ")).and(text.get(4..)));
        remark.unwrap_or_default().trim().to_owned()
    }
}

impl Programs for BrowserPrograms {
    fn list(&self, _: &str) -> Vec<Entry> {
        // A folder that cannot be read has no programs to offer.
        let entries = self.shop.files.list(&self.home()).unwrap_or_default();
        let names = entries
            .into_iter()
            .filter(|entry| !entry.is_folder)
            .map(|entry| entry.path)
            .filter(|path| is_program(path));
        let mut all: Vec<Entry> = names
            .filter_map(|path| {
                let title = path.file_stem()?.to_string_lossy().into_owned();
                let about = self.about(&path);
                Some(Entry { name: path.file_name()?.to_string_lossy().into_owned(), title, about })
            })
            .collect();
        all.sort_by(|one, other| one.title.cmp(&other.title));
        all
    }

    fn run(&self, name: &str, user: &str, screen: &ScreenHandle) -> Result<(), String> {
        let host = Box::new(ScreenHost::new(screen.clone()));
        let _entered = self.database.enter_session(SessionInfo {
            door: "console",
            number: 0,
            user: user.to_owned(),
            program: name.to_owned(),
            machine: String::new(),
            since: SystemTime::now(),
            locks: Vec::new(),
            transaction: None,
        });
        let known = self.users.find(user);
        // A session outlives its user, whose rights are gone. Without any users, an invitation is enough.
        if known.is_none() && !self.users.current().is_empty() {
            return Err(format!("the user {user} does not exist any more"));
        }
        let may_only_read = known.is_some_and(|user| user.read_only);
        let shop = if may_only_read { self.shop.for_reading() } else { self.shop.clone() };
        let mut session = shop.with_user(user).session(host, &self.home(), Vec::new());
        session.run(name).map(drop).map_err(|failure| failure.to_string())
    }
}
