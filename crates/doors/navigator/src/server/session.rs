//! One client's session: its open tables, its transaction, and the answers to its requests.

use super::cursors::Filled;
use super::folder::Folder;
use super::hidden::Bound;
use super::live::Members;
use super::service::{Changes, Member, Service};
use super::transaction::Running;
use crate::dictionary::{Dictionary, Found};
use crate::sql::{Executed, SqlSession};
use crate::wire::messages::{
    Activity, Answer, InDictionary, MOST_STEPS, Opened, Opening, Person, Reply, Request, State, Step, TableUse,
};
use mainstay_types::{Cause, Code, Error, Result};
use mainstay_workarea::{Area, AreaOptions, Mode, OPEN_TIMEOUT, OrderInfo};
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::lock::{LockSharing, LockWait, Sharer};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// Tables that a client may have open.
pub(crate) const MOST_TABLES: usize = 1000;

/// An open table.
pub(crate) struct Open {
    pub area: Area,
    /// Its file.
    pub path: PathBuf,
    pub changes: Arc<Changes>,
    pub(crate) told_locks: (bool, Vec<u32>),
    pub(crate) told_orders: Vec<OrderInfo>,
    /// The dictionary's rules for it.
    pub bound: Option<Bound>,
    /// True if it takes no part in transactions.
    pub is_transaction_free: bool,
    /// True if it is the rows of a statement, and no file.
    pub is_cursor: bool,
    /// True if it has all its rows.
    pub filled: Filled,
    /// Which records it shows, if it is a live cursor.
    pub(crate) members: Option<Members>,
}

impl Open {
    pub(crate) fn new(area: Area, path: PathBuf) -> Open {
        Open {
            area,
            path,
            changes: Arc::default(),
            told_locks: (false, Vec::new()),
            told_orders: Vec::new(),
            bound: None,
            is_transaction_free: false,
            is_cursor: false,
            filled: Filled::Whole,
            members: None,
        }
    }
}

/// A client's session.
pub struct Session {
    pub(crate) service: Arc<Service>,
    pub(crate) folder: Folder,
    pub(crate) member: Arc<Member>,
    pub(crate) tables: BTreeMap<u32, Open>,
    next_table: u32,
    pub(crate) transaction: Option<Running>,
    /// The session that runs its statements, from the first one on.
    pub(crate) statements: Option<Box<dyn SqlSession>>,
    /// The dictionary that it is a session of.
    pub(crate) dictionary: Option<Box<dyn Dictionary>>,
    /// The locks that its tables and its statements have together.
    locks: LockSharing,
    /// The queries of the records of statements whose tables are still to be opened, by numbers.
    pub(crate) seen_live: BTreeMap<u32, Option<String>>,
    pub(crate) next_live: u32,
    /// True for a read-only user.
    pub(crate) is_read_only: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({:?}, {} tables)", self.member.person, self.tables.len())
    }
}

impl Session {
    pub(crate) fn new(service: Arc<Service>, folder: Folder, member: Arc<Member>) -> Session {
        let (tables, transaction, statements) = (BTreeMap::new(), None, None);
        let locks = LockSharing::default();
        Session {
            service,
            folder,
            member,
            tables,
            next_table: 1,
            transaction,
            statements,
            dictionary: None,
            locks,
            seen_live: BTreeMap::new(),
            next_live: 0,
            is_read_only: false,
        }
    }

    /// The same for a read-only user: tables are opened for reading, and statements change nothing.
    pub fn read_only(mut self) -> Session {
        self.is_read_only = true;
        self
    }

    /// The same with a dictionary, whose statements are its own from the start.
    pub(crate) fn of_dictionary(mut self, dictionary: Box<dyn Dictionary>) -> Session {
        (self.statements, self.dictionary) = (Some(dictionary.sql()), Some(dictionary));
        self
    }

    /// Sets the action that ends the client's connection from another thread.
    pub fn on_end(&self, end: Box<dyn Fn() + Send + Sync>) {
        self.member.set_end(end);
    }

    /// The user of the session.
    pub fn person(&self) -> &Person {
        &self.member.person
    }

    /// Carries out a request. `progress` gets the progress of long steps, if the client wants it, and may stop them.
    pub fn answer(&mut self, request: &Request, progress: Telling<'_>) -> Answer {
        self.service.requests.fetch_add(1, SeqCst);
        let mut table = request.table;
        let mut answer = Answer { replies: Vec::with_capacity(request.steps.len()), error: None, state: None };
        if request.steps.len() > MOST_STEPS {
            answer.error = Some(Error::new(Code::InvalidValue, "a request has too many steps"));
            return answer;
        }
        for step in &request.steps {
            let (began, wait) = (Instant::now(), wait_of(step, request.wait_ms));
            self.fill_before(step);
            if let Some(open) = self.tables.get_mut(&table) {
                open.area.set_wait(wait);
            }
            let asked = self.members_before(table, step);
            let reply = match step {
                _ if asked.is_err() => asked.map(|()| Reply::Done),
                step if self.is_read_only && step.changes_files() => Err(read_only_user()),
                Step::Open(opening) => self.open(opening, wait, &mut table),
                Step::Close => self.close(table),
                Step::Members(number) => self.show_members(table, *number),
                step => match self.tables.get_mut(&table) {
                    _ if step.is_about_folder() => self.about_folder(step),
                    Some(open) => {
                        let checked =
                            self.dictionary.as_deref().map_or(Ok(()), |dictionary| open.check(step, dictionary));
                        let copied = match (step, &self.dictionary) {
                            (Step::CopyTo { path, .. }, Some(dictionary)) => {
                                let place = self.folder.place(&*self.service.files, path);
                                place.and_then(|path| dictionary.may_replace(&path))
                            }
                            _ => Ok(()),
                        };
                        let done = checked.and(copied).and_then(|()| open.fill());
                        let done = done.and_then(|()| open.carry_out(step, &self.folder, &self.service, progress));
                        done.map(|reply| open.cover(step, reply))
                    }
                    None => Err(Error::new(Code::NotFound, format!("the client has no table number {table} open"))),
                },
            };
            self.members_after(table);
            match reply {
                Ok(reply) => answer.replies.push(reply),
                Err(error) => {
                    let error = match &self.dictionary {
                        Some(dictionary) => dictionary.refusal(error),
                        None => error,
                    };
                    let error = self.with_owner(error, table, step);
                    // A client that has open a table that another wants exclusively is not waited for; locks report the
                    // time that they waited.
                    let is_lock = !matches!(step, Step::Open(_)) || error.cause() == Some(Cause::Waited);
                    let may_ask_again =
                        is_lock && wait.timeout < LockWait::default().timeout && began.elapsed() >= wait.timeout;
                    let error = match error.code() {
                        Code::Busy if may_ask_again => error.with_code(Code::LockTimeout),
                        _ => error,
                    };
                    answer.error = Some(self.folder.for_client(error));
                    break;
                }
            }
        }
        match self.state(table) {
            Ok(state) => answer.state = state,
            Err(error) => answer.error = answer.error.or(Some(self.folder.for_client(error))),
        }
        answer
    }

    /// Adds the holder of the lock that a step did not get.
    fn with_owner(&self, error: Error, table: u32, step: &Step) -> Error {
        let Some(open) = self.tables.get(&table).filter(|_| error.code() == Code::Busy) else { return error };
        let record = match step {
            Step::LockRecord(record) => *record,
            _ => open.area.record_number(),
        };
        match self.service.lock_owner(&open.path, record) {
            Some(owner) => error.hint(format!("locked by {owner}")),
            None => error,
        }
    }

    fn open(&mut self, opening: &Opening, wait: LockWait, table: &mut u32) -> Result<Reply> {
        if self.tables.len() >= MOST_TABLES {
            return Err(Error::new(Code::OutOfMemory, format!("a client may have {MOST_TABLES} tables open")));
        }
        let files = Arc::clone(&self.service.files);
        if let Some(found) = self.find_in_dictionary(opening)? {
            return self.open_file(opening, wait, &found.path.clone(), Some(found), table);
        }
        let Some(name) = self.folder.find(&*files, &opening.names)? else {
            let name = opening.names.last().map(|name| name.display().to_string()).unwrap_or_default();
            return Err(Error::new(Code::NotFound, "there is no such file").at(name));
        };
        let path = self.folder.existing(&*files, &name)?;
        self.open_file(opening, wait, &path, None, table)
    }

    /// The table of the dictionary that a client means.
    fn find_in_dictionary(&self, opening: &Opening) -> Result<Option<Found>> {
        let Some(dictionary) = &self.dictionary else { return Ok(None) };
        let paths = opening.names.iter().filter_map(|name| self.folder.existing(&*self.service.files, name).ok());
        dictionary.find(&opening.names, &paths.collect::<Vec<_>>(), opening.mode)
    }

    fn open_file(
        &mut self,
        opening: &Opening,
        wait: LockWait,
        path: &Path,
        found: Option<Found>,
        table: &mut u32,
    ) -> Result<Reply> {
        let files = Arc::clone(&self.service.files);
        let (name, path) = (self.folder.name(path), path.to_owned());
        let opening =
            &Opening { mode: if self.is_read_only { Mode::ReadOnly } else { opening.mode }, ..opening.clone() };
        let alone = opening.mode == Mode::Exclusive;
        // Two that have it open in this process do not exclude each other by the system's locks on every file system.
        let conflict = self
            .tables
            .values()
            .any(|open| open.path == path && (alone || open.area.options().mode == Mode::Exclusive));
        if conflict {
            return Err(Error::new(Code::Busy, "the table is open already").at(name.display()));
        }
        let options = AreaOptions {
            mode: opening.mode,
            scheme: opening.scheme,
            open_structural: opening.open_structural,
            implicit_locks: true,
            wait,
            open_timeout: Some(OPEN_TIMEOUT),
            kept_bytes: 8 << 20,
            ..AreaOptions::default()
        };
        let sharing = self.locks.enter(Sharer::Handle);
        let mut opened = Area::open(Arc::clone(&files), &path, &options);
        drop(sharing);
        let mut is_read_only = opening.mode == Mode::ReadOnly;
        let may_read_only = opening.or_read_only && opening.mode == Mode::Shared;
        if may_read_only && opened.as_ref().is_err_and(Error::is_denied) {
            let readable = Area::open(files, &path, &AreaOptions { mode: Mode::ReadOnly, ..options });
            if readable.is_ok() {
                (opened, is_read_only) = (readable, true);
            }
        }
        let mut area = opened?;
        if let (Some(running), false) = (&self.transaction, is_read_only) {
            area.enlist(&running.transaction)?;
        }
        let mut in_dictionary = None;
        let mut bound = None;
        if let (Some(found), Some(dictionary)) = (found, &self.dictionary) {
            let hidden = dictionary.bind(&mut area, &found.name)?;
            bound = Some(Bound::new(&found.name, &hidden, &mut area)?);
            in_dictionary = Some(InDictionary { name: found.name, kinds: found.kinds, hidden });
        }
        let form = area.form_of_table()?;
        let changes = self.service.changes_of(&path);
        *table = self.add(Open { changes, bound, ..Open::new(area, path.clone()) });
        self.publish(&path);
        Ok(Reply::Opened(Opened { table: *table, name, form, is_read_only, in_dictionary }))
    }

    /// Gives a table its number.
    pub(crate) fn add(&mut self, open: Open) -> u32 {
        self.next_table += 1;
        self.tables.insert(self.next_table, open);
        self.next_table
    }

    fn close(&mut self, table: u32) -> Result<Reply> {
        let Some(open) = self.tables.remove(&table) else { return Ok(Reply::Done) };
        let closed = open.area.close();
        open.changes.add();
        self.publish(&open.path);
        closed.map(|()| Reply::Done)
    }

    /// Refuses what would put something else in the place of a file that is the dictionary's.
    fn may_replace(&self, name: &Path) -> Result<()> {
        match &self.dictionary {
            Some(dictionary) => dictionary.may_replace(&self.folder.place(&*self.service.files, name)?),
            None => Ok(()),
        }
    }

    fn about_folder(&mut self, step: &Step) -> Result<Reply> {
        let files = Arc::clone(&self.service.files);
        match step {
            Step::Find { names } => self.folder.find(&*files, names).map(Reply::Found),
            Step::List { folder } => self.folder.list(&*files, folder).map(Reply::Names),
            Step::Remove { path } => {
                self.may_replace(path)?;
                files.remove(&self.folder.existing(&*files, path)?)?;
                Ok(Reply::Done)
            }
            Step::Clear { path } => {
                self.may_replace(path)?;
                self.folder.clear(&*files, path).map(|()| Reply::Done)
            }
            Step::Create { path, spec } => {
                self.may_replace(path)?;
                let path = self.folder.place(&*files, path)?;
                writer::create(&*files, &path, spec, &WriteOptions::new(Access::Exclusive))?;
                Ok(Reply::Done)
            }
            Step::Execute { sql, parameters } => {
                let outcome = self.beside_tables(|statements| statements.execute(sql, parameters))?;
                self.forget_members(&outcome);
                Ok(Reply::Outcome(outcome))
            }
            Step::Query { sql, parameters } => {
                let executed = self.beside_tables(|statements| statements.query(sql, parameters))?;
                if let Executed::Done(outcome) = &executed {
                    self.forget_members(outcome);
                }
                self.executed(executed)
            }
            Step::Live { sql, parameters } => self.live(sql, parameters),
            Step::Prepare(sql) => self.statements()?.prepare(sql).map(Reply::Names),
            Step::StatementTimeout(seconds) => {
                self.statements()?.set_timeout(*seconds);
                Ok(Reply::Done)
            }
            Step::TableType(table_type) => {
                self.statements()?.set_table_type(*table_type);
                Ok(Reply::Done)
            }
            Step::ShowDeleted(shows) => {
                self.statements()?.set_show_deleted(*shows);
                Ok(Reply::Done)
            }
            // A user that creates one is its administrator, whatever the dictionary of this session allows.
            Step::CreateDictionary { .. } if self.dictionary.is_some() => {
                Err(Error::new(Code::NotPermitted, "a dictionary is made through a connection to a folder"))
            }
            Step::CreateDictionary { path, description } => {
                let path = self.folder.place(&*files, path)?;
                let dictionaries = self.service.dictionaries().ok_or_else(no_dictionaries)?;
                dictionaries.create(&path, &self.folder.root, description).map(|()| Reply::Done)
            }
            Step::Call { name, arguments } => match &mut self.dictionary {
                Some(dictionary) => Ok(Reply::Called(dictionary.call(name, arguments.clone()))),
                None => Err(no_dictionaries()),
            },
            Step::RowsOfView(name) => match &self.dictionary {
                Some(dictionary) => dictionary.view(name).map(Reply::Outcome),
                None => Err(no_dictionaries()),
            },
            Step::EndUser { user, connection } => {
                self.service.end_user(&self.member.person, user, *connection).map(|()| Reply::Done)
            }
            Step::Users => Ok(Reply::People(self.service.people())),
            Step::Activity => Ok(Reply::Activity(self.activity())),
            Step::LockOwner { path, record } => {
                let path = self.folder.place(&*files, path)?;
                Ok(Reply::Owner(self.service.lock_owner(&path, *record)))
            }
            step => self.about_transaction(step),
        }
    }

    /// Runs a statement, which shares the locks of the tables.
    fn beside_tables<T>(&mut self, run: impl FnOnce(&mut dyn SqlSession) -> Result<T>) -> Result<T> {
        self.statements()?;
        self.tables.values_mut().try_for_each(|open| open.area.before_statement())?;
        let sharing = self.locks.enter(Sharer::Statement);
        let done = self.statements().and_then(|statements| run(statements.as_mut()));
        drop(sharing);
        let met = self.tables.values_mut().try_for_each(|open| open.area.after_statement());
        // Which tables it has changed is not known.
        self.tables.values().for_each(|open| open.changes.add());
        done.and_then(|done| met.map(|()| done))
    }

    /// Has others know how a table is used.
    pub(crate) fn publish(&self, path: &Path) {
        let mut now: Option<TableUse> = None;
        for open in self.tables.values().filter(|open| open.path == path && !open.is_cursor) {
            let area = &open.area;
            let now = now.get_or_insert_with(|| TableUse { path: path.to_owned(), ..TableUse::default() });
            now.scheme = area.options().scheme;
            now.is_locked |= area.is_table_locked();
            now.records.extend(area.locked_records());
            now.orders += u32::try_from(area.orders().len()).unwrap_or(0);
            now.indexes.extend(area.index_files());
        }
        if let Some(now) = &mut now {
            now.records.sort_unstable();
            now.indexes.sort();
            now.indexes.dedup();
        }
        self.member.publish(path, now);
    }

    /// The activity of the server, as this client may see it: of files that are not below its folder only that they are
    /// open.
    fn activity(&self) -> Activity {
        let mut activity = self.service.activity();
        for table in activity.members.iter_mut().flat_map(|member| &mut member.tables) {
            if !table.path.starts_with(&self.folder.root) {
                (table.path, table.indexes) = (PathBuf::new(), Vec::new());
            }
            table.path = self.folder.name(&table.path);
            table.indexes.iter_mut().for_each(|index| *index = self.folder.name(index));
        }
        activity
    }

    /// The state of a table after the last step.
    fn state(&mut self, table: u32) -> Result<Option<State>> {
        let Some(open) = self.tables.get_mut(&table) else { return Ok(None) };
        let stamp = open.stamp(&self.service)?;
        let area = &mut open.area;
        let locks = (area.is_table_locked(), area.locked_records());
        let orders: Vec<OrderInfo> = area.orders().into_iter().map(|info| named(&self.folder, info)).collect();
        let state = State {
            position: area.position(),
            count: area.known_count(),
            stamp,
            is_new: area.has_new_record(),
            is_pending: area.has_pending(),
            locks: (locks != open.told_locks).then(|| locks.clone()),
            orders: (orders != open.told_orders).then(|| orders.clone()),
            index_files: (orders != open.told_orders)
                .then(|| area.index_files().iter().map(|file| self.folder.name(file)).collect()),
        };
        open.told_orders = orders;
        if state.locks.is_some() || state.orders.is_some() {
            open.told_locks = locks;
            let path = open.path.clone();
            self.publish(&path);
        }
        Ok(Some(state))
    }
}

/// The time that a step waits for locks.
fn wait_of(step: &Step, wait_ms: u32) -> LockWait {
    let usual = LockWait::default();
    match step.may_be_asked_again() {
        true => LockWait { timeout: usual.timeout.min(Duration::from_millis(wait_ms.into())), ..usual },
        false => usual,
    }
}

fn read_only_user() -> Error {
    Error::new(Code::NotPermitted, "the user may only read")
}

pub(crate) fn no_dictionaries() -> Error {
    Error::new(Code::Unsupported, "the connection has no data dictionary")
}

/// An order with its file as clients know it.
fn named(folder: &Folder, mut info: OrderInfo) -> OrderInfo {
    info.file = folder.name(&info.file);
    info
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon();
        for (_, open) in std::mem::take(&mut self.tables) {
            // Nobody is left to receive an error.
            let _ = open.area.close_abandoned();
            open.changes.add();
        }
        self.service.leave(self.member.person.connection);
    }
}
