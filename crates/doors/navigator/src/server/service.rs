//! The state that the sessions of a server share: the folder, connected users, locks, and change counts of tables.

use super::folder::Folder;
use super::session::Session;
use crate::dictionary::Dictionaries;
use crate::sql::ServedSql;
use crate::wire::messages::{Activity, Hello, Member as Working, Person, TableUse};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Stamp};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Instant, SystemTime};

/// A client, as others may know it.
pub(crate) struct Member {
    pub person: Person,
    /// The tables that it has open.
    tables: Mutex<HashMap<PathBuf, TableUse>>,
    /// Ends its connection.
    end: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// The time when it connected.
    since: SystemTime,
    /// The times since when it has locked what it has locked: records by their numbers, tables by 0.
    locked_since: Mutex<HashMap<(PathBuf, u32), SystemTime>>,
}

/// A client with its locks, for lists of all sessions.
#[derive(Clone, Debug)]
pub struct Connected {
    /// The client.
    pub person: Person,
    /// The time when it connected.
    pub since: SystemTime,
    /// Its locks: the table's file, the record or the whole table, and since when.
    pub locks: Vec<(PathBuf, Option<u32>, SystemTime)>,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Member({:?})", self.person)
    }
}

impl Member {
    /// Says what ends the connection.
    pub fn set_end(&self, end: Box<dyn Fn() + Send + Sync>) {
        // A connection is ended in one way; a second one would be of another connection.
        let _ = self.end.set(end);
    }

    /// Keeps the times of locks that stay, and notes that of new ones.
    fn note_locks(&self, path: &Path, now: Option<&TableUse>) {
        let held = |record: u32| match record {
            0 => now.is_some_and(|table| table.is_locked),
            record => now.is_some_and(|table| table.records.contains(&record)),
        };
        let mut since = locked(&self.locked_since);
        since.retain(|(table, record), _| table != path || held(*record));
        let records = now.into_iter().flat_map(|table| table.records.iter().copied());
        for record in records.chain(now.filter(|table| table.is_locked).map(|_| 0)) {
            since.entry((path.to_owned(), record)).or_insert_with(SystemTime::now);
        }
    }

    /// Has others know how a table is used; not any more, without a use.
    pub fn publish(&self, path: &Path, now: Option<TableUse>) {
        self.note_locks(path, now.as_ref());
        let mut tables = locked(&self.tables);
        match now {
            Some(now) => drop(tables.insert(path.to_owned(), now)),
            None => drop(tables.remove(path)),
        }
    }
}

/// A folder that is served.
#[derive(Debug)]
pub struct Service {
    pub(crate) files: Arc<dyn FileSystem>,
    folder: PathBuf,
    members: Mutex<HashMap<u64, Weak<Member>>>,
    next: AtomicU64,
    changes: Mutex<HashMap<PathBuf, Weak<Changes>>>,
    began: Instant,
    pub(crate) requests: AtomicU64,
    sql: OnceLock<Arc<dyn ServedSql>>,
    dictionaries: OnceLock<Arc<dyn Dictionaries>>,
    /// Numbers for states that nothing else distinguishes.
    unique: AtomicU64,
    /// True if all users may end all connections: the server does not authenticate them.
    is_open_to_all: AtomicBool,
}

/// The number of changes to a table through this server.
#[derive(Debug, Default)]
pub(crate) struct Changes(AtomicU64);

impl Changes {
    pub fn add(&self) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// Serves the tables of a folder and of those below it.
    pub fn new(files: Arc<dyn FileSystem>, folder: &Path) -> Service {
        Service {
            files,
            folder: folder.to_owned(),
            members: Mutex::default(),
            next: AtomicU64::new(1),
            changes: Mutex::default(),
            began: Instant::now(),
            requests: AtomicU64::new(0),
            sql: OnceLock::new(),
            dictionaries: OnceLock::new(),
            unique: AtomicU64::new(1),
            is_open_to_all: AtomicBool::new(false),
        }
    }

    /// From here on clients can run statements with this; false if they could already.
    pub fn serve_sql(&self, sql: Arc<dyn ServedSql>) -> bool {
        self.sql.set(sql).is_ok()
    }

    /// From here on clients can connect to dictionaries with this; false if they could already.
    pub fn serve_dictionaries(&self, dictionaries: Arc<dyn Dictionaries>) -> bool {
        self.dictionaries.set(dictionaries).is_ok()
    }

    /// From here on every client may end the connections of every other: the server knows no users.
    pub fn open_to_all(&self) {
        self.is_open_to_all.store(true, SeqCst);
    }

    /// Ends the connections of a user, or one by its number if no user is named; but not the caller's own.
    ///
    /// Errors: `NotPermitted` for another user, unless users are not authenticated; `NotFound` without such a
    /// connection.
    pub(crate) fn end_user(&self, asks: &Person, user: &str, connection: u64) -> Result<()> {
        let is_meant = |member: &&Arc<Member>| {
            let person = &member.person;
            let is_named = if user.is_empty() { person.connection == connection } else { same(&person.user, user) };
            is_named && person.connection != asks.connection
        };
        let members = self.members();
        let meant: Vec<&Arc<Member>> = members.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(Error::new(Code::NotFound, "no other connection is the one that is meant"));
        }
        if !self.is_open_to_all.load(SeqCst) && !meant.iter().all(|member| same(&member.person.user, &asks.user)) {
            return Err(Error::new(Code::NotPermitted, "the connections of other users are not this one's to end"));
        }
        meant.iter().filter_map(|member| member.end.get()).for_each(|end| end());
        Ok(())
    }

    /// The factory of dictionary sessions.
    pub(crate) fn dictionaries(&self) -> Option<&Arc<dyn Dictionaries>> {
        self.dictionaries.get()
    }

    /// The factory of statement sessions.
    pub(crate) fn sql(&self) -> Option<&Arc<dyn ServedSql>> {
        self.sql.get()
    }

    /// Begins a session for a user.
    ///
    /// Errors: `NotFound` for a database that is no folder here.
    pub fn session(self: &Arc<Service>, hello: &Hello, address: &str) -> Result<Session> {
        let wanted = Path::new(hello.database.trim_matches('/'));
        let own_name = self.folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let outside = Folder { root: self.folder.clone() };
        if hello.is_of_dictionary() {
            let path = outside.existing(&*self.files, wanted)?;
            let root = path.parent().map_or_else(|| self.folder.clone(), Path::to_path_buf);
            let dictionaries = self.dictionaries().ok_or_else(super::session::no_dictionaries)?;
            let dictionary = dictionaries.open(&path, &root, &hello.user, &hello.password)?;
            return Ok(self.begin(root, dictionary.user(), hello, address).of_dictionary(dictionary));
        }
        let root = match wanted.as_os_str().is_empty() {
            true => self.folder.clone(),
            false => match outside.place(&*self.files, wanted)? {
                below if self.files.is_folder(&below) => below,
                _ if own_name => self.folder.clone(),
                _ => return Err(Error::new(Code::NotFound, format!("there is no database {}", wanted.display()))),
            },
        };
        Ok(self.begin(root, hello.user.clone(), hello, address))
    }

    fn begin(self: &Arc<Service>, root: PathBuf, user: String, hello: &Hello, address: &str) -> Session {
        let person = Person {
            connection: self.next.fetch_add(1, SeqCst),
            user,
            application: hello.application.clone(),
            address: address.to_owned(),
        };
        let number = person.connection;
        let member = Arc::new(Member {
            person,
            tables: Mutex::default(),
            end: OnceLock::new(),
            since: SystemTime::now(),
            locked_since: Mutex::default(),
        });
        locked(&self.members).insert(number, Arc::downgrade(&member));
        Session::new(Arc::clone(self), Folder { root }, member)
    }

    /// Forgets a client that is gone.
    pub(crate) fn leave(&self, number: u64) {
        locked(&self.members).remove(&number);
        locked(&self.changes).retain(|_, changes| changes.strong_count() > 0);
    }

    fn members(&self) -> Vec<Arc<Member>> {
        let mut members: Vec<Arc<Member>> = locked(&self.members).values().filter_map(Weak::upgrade).collect();
        members.sort_by_key(|member| member.person.connection);
        members
    }

    /// The connected users, in the order of their numbers.
    pub fn people(&self) -> Vec<Person> {
        self.members().iter().map(|member| member.person.clone()).collect()
    }

    /// The activity of the server, with the server's paths.
    pub fn activity(&self) -> Activity {
        let working = |member: &Arc<Member>| {
            let mut tables: Vec<TableUse> = locked(&member.tables).values().cloned().collect();
            tables.sort_by(|one, other| one.path.cmp(&other.path));
            Working { person: member.person.clone(), tables }
        };
        Activity {
            seconds: self.began.elapsed().as_secs(),
            requests: self.requests.load(SeqCst),
            members: self.members().iter().map(working).collect(),
        }
    }

    /// The clients that are connected, with their locks. The paths are those of the server.
    pub fn connected(&self) -> Vec<Connected> {
        let info = |member: &Arc<Member>| {
            let since = locked(&member.locked_since);
            let lock = |((path, record), since): (&(PathBuf, u32), &SystemTime)| {
                (path.clone(), Some(*record).filter(|record| *record > 0), *since)
            };
            let mut locks: Vec<_> = since.iter().map(lock).collect();
            locks.sort();
            Connected { person: member.person.clone(), since: member.since, locks }
        };
        self.members().iter().map(info).collect()
    }

    /// The user that has locked a record, by itself or with its table.
    pub fn lock_owner(&self, path: &Path, record: u32) -> Option<Person> {
        let has = |member: &&Arc<Member>| locked(&member.tables).get(path).is_some_and(|table| table.locks(record));
        self.members().iter().find(has).map(|member| member.person.clone())
    }

    /// The counter of a table's changes.
    pub(crate) fn changes_of(&self, path: &Path) -> Arc<Changes> {
        let mut changes = locked(&self.changes);
        if let Some(known) = changes.get(path).and_then(Weak::upgrade) {
            return known;
        }
        let new = Arc::new(Changes::default());
        changes.insert(path.to_owned(), Arc::downgrade(&new));
        new
    }

    /// A number that this state of a table has and no other: from the changes made through this server, and the file's
    /// stamp, which shows the changes of other programs. A stamp that is too young to be reliable gives a unique
    /// number, so that a comparison always finds a change.
    pub(crate) fn stamp(&self, changes: &Changes, stamp: &Stamp) -> u64 {
        let mut hasher = DefaultHasher::new();
        changes.0.load(SeqCst).hash(&mut hasher);
        (stamp.len, stamp.modified, stamp.changed, stamp.identity).hash(&mut hasher);
        if !stamp.is_settled(SystemTime::now()) {
            self.unique.fetch_add(1, SeqCst).hash(&mut hasher);
        }
        hasher.finish()
    }
}
