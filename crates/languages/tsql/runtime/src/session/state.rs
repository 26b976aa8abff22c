//! The state of a session between statements.

use crate::changes::change::Fired;
use crate::cursors::Cursors;
use crate::cursors::protocol::ServerCursor;
use crate::session::Announced;
use crate::session::capture::Captured;
use crate::session::options::Options;
use crate::statements::xml_documents::XmlDocuments;
use mainstay_tsql_syntax::reduce::TableColumn;
use mainstay_tsql_types::Random;
use mainstay_types::{Timestamp, Value};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// A session's memory.
#[derive(Debug)]
pub(crate) struct State {
    /// `@@ROWCOUNT`.
    pub(crate) row_count: i64,
    /// `@@ERROR`.
    pub(crate) error: i32,
    /// `@@IDENTITY`.
    pub(crate) identity: Option<i64>,
    /// `@@TRANCOUNT`.
    pub(crate) transactions: u32,
    /// The same of the session whose query calls the function that this session runs.
    pub(crate) caller_transactions: u32,
    /// The number of the caller's statement for which the session's state was handed over last.
    pub(crate) caller: u64,
    /// The deadline of the run.
    pub(crate) deadline: Option<Instant>,
    /// The state of the transaction that was announced to the client.
    pub(crate) announced: Announced,
    /// The name of the outermost transaction.
    pub(crate) transaction_name: Option<String>,
    /// The savepoints in it, and how many names it had given or taken ([`State::noted_names`]).
    pub(crate) savepoints: Vec<(String, usize)>,
    /// The savepoints of statements that run others, by their numbers, and how many savepoints there were before each.
    pub(crate) units: Vec<(u64, usize)>,
    last_unit: u64,
    /// True if the transaction has created, changed or dropped objects.
    pub(crate) has_defined: bool,
    /// True if an error has left only ROLLBACK possible for the transaction.
    pub(crate) doomed: bool,
    /// `@@FETCH_STATUS`.
    pub(crate) fetch_status: i32,
    /// SET options.
    pub(crate) options: Options,
    /// The table whose identity column statements may give values for.
    pub(crate) identity_insert: Option<String>,
    /// Temporary tables and table variables, by the level that made them; the first is the session's own.
    pub(crate) levels: Vec<Level>,
    /// Cursors by their names and variables.
    pub(crate) cursors: Cursors,
    /// The temporary tables that this session has made for all.
    pub(crate) globals: Vec<String>,
    /// True if it has created procedures for all sessions.
    pub(crate) has_global_procedures: bool,
    /// The tables that the transaction has changed while cursors watched, and whether rows came in.
    pub(crate) changed: Vec<(String, bool)>,
    /// Rows that INSERT ... EXEC collects.
    pub(crate) captured: Vec<Captured>,
    /// Statements that a client has prepared.
    pub(crate) handles: HashMap<i32, PreparedText>,
    pub(crate) last_handle: i32,
    /// Cursors that a client has opened by the protocol, by their numbers.
    pub(crate) server_cursors: HashMap<i32, ServerCursor>,
    last_server_cursor: i32,
    /// Errors in files of the folder that are not reported yet.
    pub(crate) complaints: Vec<String>,
    /// The number of statements since FMTONLY was set to describe a text.
    pub(crate) described: u32,
    /// The table and columns that an INSERT BULK has announced.
    pub(crate) bulk_target: Option<crate::changes::bulk::Target>,
    /// The values of `sp_set_session_context` by the key in lower case, and true if the value is read-only.
    pub(crate) context: HashMap<String, (Value, bool)>,
    /// The value of SET CONTEXT_INFO.
    pub(crate) context_info: Option<Vec<u8>>,
    /// The documents of `sp_xml_preparedocument`.
    pub(crate) xml_documents: XmlDocuments,
    /// The time of the statement, which is read at its first use.
    now: Cell<Timestamp>,
    /// True if another statement has begun since it was read.
    is_past: Cell<bool>,
    /// The number of the state that names are in: the same number, the same meaning of all names. It changes when a
    /// temporary table comes or goes.
    pub(crate) version: u64,
    /// The last number that was given to a state of the names.
    last_version: u64,
    /// The numbers of name states for tables that were created and dropped.
    known_names: Vec<KnownName>,
    /// The names of temporary tables that the open transaction has changed, in order.
    names_before: Vec<NameBefore>,
    /// The login name.
    pub(crate) login: String,
    pub(crate) host: String,
    /// The client's process, as the client gives it.
    pub(crate) client_process: u32,
    pub(crate) application: String,
    pub(crate) database: String,
    /// The one that it began in.
    pub(crate) own_database: String,
    pub(crate) process: i16,
    /// The random numbers of RAND and NEWID.
    pub(crate) random: Random,
}

/// A temporary table that was made, and the numbers of the states of the names without it and with it.
#[derive(Debug)]
struct KnownName {
    key: String,
    core: String,
    states: (u64, u64),
}

/// A name of a temporary table that the open transaction has given or taken.
#[derive(Debug)]
struct NameBefore {
    /// The number of levels, up to the one that it belongs to.
    depth: usize,
    key: String,
    /// The table that it referred to before.
    table: Option<TemporaryTable>,
}

/// More names than a session makes again and again.
const MOST_NAMES: usize = 64;

/// The numbers of cursors are far from those of prepared texts, so that no driver's mistake takes one for the other.
const FIRST_CURSOR: i32 = 180_150_000;

/// A text with its parameters, under a handle of `sp_prepare`.
#[derive(Clone, Debug)]
pub(crate) struct PreparedText {
    pub(crate) text: Arc<str>,
    /// Those of its parameters.
    pub(crate) declarations: Arc<str>,
}

/// The temporary objects of one level of calls.
#[derive(Debug, Default)]
pub(crate) struct Level {
    /// By the name in T-SQL, in lower case.
    pub(crate) tables: HashMap<String, TemporaryTable>,
    /// `SCOPE_IDENTITY()`.
    pub(crate) identity: Option<i64>,
    /// The columns that the firing statement names, in the level of a trigger.
    pub(crate) columns_updated: Option<Vec<String>>,
    /// The same as `COLUMNS_UPDATED()` gives it.
    pub(crate) columns_mask: Vec<u8>,
    /// The table variable whose rows the level gives back: a function's.
    pub(crate) returns: Option<String>,
    /// The change that fired the running trigger, with the columns of its rows.
    pub(crate) fired: Option<(Vec<TableColumn>, Arc<Fired>)>,
    /// The result of `EVENTDATA()` in a trigger of the database.
    pub(crate) event_data: Option<Arc<str>>,
    /// The trigger that runs, by its key.
    pub(crate) trigger: Option<Arc<str>>,
    /// The numbers of its cursors by their names and variables, in lower case.
    pub(crate) cursors: HashMap<String, u64>,
    /// The parameters that are cursors, and the caller's variables that get them.
    pub(crate) cursor_parameters: Vec<(String, String)>,
    /// The transactions that were open when it began.
    pub(crate) transactions: u32,
    /// The SET options of the level that called it, which come back when it ends.
    pub(crate) options: Option<Options>,
    /// The database that it was called in, once it has chosen another one: it comes back with them.
    pub(crate) database: Option<String>,
}

/// A temporary table, or a table variable.
#[derive(Clone, Debug)]
pub(crate) struct TemporaryTable {
    /// The core's name of the table.
    pub(crate) core: String,
    /// True if another level has created it, which drops it.
    pub(crate) borrowed: bool,
    /// The statements that create a table variable: they are run again after a rollback that drops it.
    pub(crate) made_by: Arc<[String]>,
    /// The options of its indexes.
    pub(crate) said: SaidOfIndexes,
    /// The type names in the definitions of columns, where they are not the type's own.
    pub(crate) declared: Arc<[(String, String)]>,
}

/// The options of a temporary table's indexes that the core has no equivalent for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SaidOfIndexes {
    /// Its clustered index, if that is not its primary key; empty where it has none.
    pub(crate) clustered: Option<Arc<str>>,
    /// Those of which INSERTs leave out the keys that are there already, in lower case.
    pub(crate) ignored: Arc<[String]>,
}

impl TemporaryTable {
    /// One of the level's own.
    pub(crate) fn new(core: String) -> TemporaryTable {
        TemporaryTable {
            core,
            borrowed: false,
            made_by: Arc::default(),
            said: SaidOfIndexes::default(),
            declared: Arc::default(),
        }
    }
}

/// A tick of DATETIME, in units of 100 ns.
const TICK: u64 = 33_333;

impl State {
    /// Returns true if the statement that fired the running trigger names this column: `UPDATE(column)`.
    pub(crate) fn is_updated(&self, column: &str) -> bool {
        let updated = self.levels.last().and_then(|level| level.columns_updated.as_ref());
        updated.is_some_and(|columns| columns.iter().any(|name| name.eq_ignore_ascii_case(column)))
    }

    /// Another statement begins, with a time of its own.
    #[inline]
    pub(crate) fn tick(&mut self) {
        self.is_past.set(true);
    }

    /// The time of the statement: a new one only if DATETIME can distinguish it, since several statements in a row
    /// mostly mean the same time.
    pub(crate) fn now(&self) -> Timestamp {
        if self.is_past.replace(false) {
            let now = crate::session::now();
            if now.0.abs_diff(self.now.get().0) >= TICK {
                self.now.set(now);
            }
        }
        self.now.get()
    }

    /// The time that was read last: not before the batch began.
    #[inline]
    pub(crate) fn known_now(&self) -> Timestamp {
        self.now.get()
    }

    /// Sets the time at which a batch or a call begins.
    pub(crate) fn begin_at(&mut self, now: Timestamp) {
        (self.now, self.is_past) = (Cell::new(now), Cell::new(false));
    }

    /// The state at the beginning of a session.
    pub(crate) fn new(login: &str, host: &str, application: &str, database: &str, process: i16) -> State {
        State {
            row_count: 0,
            error: 0,
            identity: None,
            transactions: 0,
            caller_transactions: 0,
            deadline: None,
            caller: 0,
            announced: Announced::default(),
            transaction_name: None,
            savepoints: Vec::new(),
            units: Vec::new(),
            last_unit: 0,
            has_defined: false,
            doomed: false,
            fetch_status: 0,
            options: Options::default(),
            identity_insert: None,
            levels: vec![Level::default()],
            cursors: Cursors::default(),
            changed: Vec::new(),
            globals: Vec::new(),
            has_global_procedures: false,
            captured: Vec::new(),
            handles: HashMap::new(),
            last_handle: 0,
            server_cursors: HashMap::new(),
            last_server_cursor: FIRST_CURSOR,
            complaints: Vec::new(),
            described: 0,
            bulk_target: None,
            context: HashMap::new(),
            context_info: None,
            xml_documents: XmlDocuments::default(),
            now: Cell::new(Timestamp(0)),
            is_past: Cell::new(false),
            version: 0,
            last_version: 0,
            known_names: Vec::new(),
            names_before: Vec::new(),
            login: login.to_owned(),
            host: host.to_owned(),
            // Without a login the client is the process around the session.
            client_process: std::process::id(),
            application: application.to_owned(),
            database: database.to_owned(),
            own_database: database.to_owned(),
            process,
            random: Random::unpredictable(),
        }
    }

    /// The temporary table of this name, as the innermost level sees it.
    pub(crate) fn temporary(&self, name: &str) -> Option<&TemporaryTable> {
        let name = name.to_lowercase();
        // Table variables belong to their own level; temporary tables are seen by the levels that are called.
        let own = name.starts_with('@') || matches!(name.as_str(), "inserted" | "deleted");
        let mut levels = self.levels.iter().rev().take(if own { 1 } else { usize::MAX });
        levels.find_map(|level| level.tables.get(&name))
    }

    /// The same, to be changed.
    pub(crate) fn temporary_mut(&mut self, name: &str) -> Option<&mut TemporaryTable> {
        let name = name.to_lowercase();
        let own = name.starts_with('@') || matches!(name.as_str(), "inserted" | "deleted");
        let mut levels = self.levels.iter_mut().rev().take(if own { 1 } else { usize::MAX });
        levels.find_map(|level| level.tables.get_mut(&name))
    }

    /// Returns true if there are cursors of any kind.
    pub(crate) fn has_cursors(&self) -> bool {
        !self.cursors.is_empty() || !self.server_cursors.is_empty()
    }

    /// Names mean something else from now on: a state that has not been before.
    pub(crate) fn names_changed(&mut self) {
        self.last_version += 1;
        self.version = self.last_version;
    }

    /// The level that runs has made a temporary table. What names mean with it has the number that it had before, if they
    /// mean the same.
    pub(crate) fn name_made(&mut self, key: &str, core: &str) {
        let before = self.version;
        let is_it = |name: &&KnownName| name.states.0 == before && name.key == key && name.core == core;
        if let Some(name) = self.known_names.iter().find(is_it) {
            self.version = name.states.1;
            return;
        }
        self.names_changed();
        if self.known_names.len() >= MOST_NAMES {
            self.known_names.clear();
        }
        let states = (before, self.version);
        self.known_names.push(KnownName { key: key.to_owned(), core: core.to_owned(), states });
    }

    /// A temporary table is gone, of which the core said this. If it is what made the names what they are, they are what
    /// they were before.
    pub(crate) fn name_gone(&mut self, key: &str, core: &str) {
        let now = self.version;
        let is_it = |name: &&KnownName| name.states.1 == now && name.key == key && name.core == core;
        match self.known_names.iter().find(is_it) {
            Some(name) => self.version = name.states.0,
            None => self.names_changed(),
        }
    }

    /// A name of a temporary table is given or taken, which meant this before: a rollback has to know.
    pub(crate) fn note_name(&mut self, depth: usize, key: &str, table: Option<TemporaryTable>) {
        // Table variables outlive a rollback.
        if self.transactions > 0 && key.starts_with('#') {
            self.names_before.push(NameBefore { depth, key: key.to_owned(), table });
        }
    }

    /// The number of names that the open transaction has given or taken.
    pub(crate) fn noted_names(&self) -> usize {
        self.names_before.len()
    }

    /// A level has ended, and its names with it. Its notes stay, so that savepoints find their place among them.
    pub(crate) fn forget_names_of_ended_levels(&mut self) {
        let depth = self.levels.len();
        self.names_before.iter_mut().filter(|name| name.depth > depth).for_each(|name| name.depth = usize::MAX);
    }

    /// The names that were given or taken since there were so many notes mean again what they meant before.
    pub(crate) fn restore_names(&mut self, from: usize) {
        while self.names_before.len() > from {
            let Some(NameBefore { depth, key, table }) = self.names_before.pop() else { break };
            let Some(level) = depth.checked_sub(1).and_then(|place| self.levels.get_mut(place)) else { continue };
            match table {
                Some(table) => level.tables.insert(key, table),
                None => level.tables.remove(&key),
            };
        }
        self.names_changed();
    }

    /// The transaction has ended, and nothing can be undone any more.
    pub(crate) fn forget_notes_of_names(&mut self) {
        self.names_before.clear();
    }

    /// A number for a cursor of the protocol.
    pub(crate) fn next_server_cursor(&mut self) -> i32 {
        self.last_server_cursor = self.last_server_cursor.wrapping_add(1).max(1);
        self.last_server_cursor
    }

    /// Notes the identity of a row that was put in: `@@IDENTITY` and `SCOPE_IDENTITY()`.
    pub(crate) fn note_identity(&mut self, identity: Option<i64>) {
        if let Some(identity) = identity {
            self.identity = Some(identity);
            if let Some(level) = self.levels.last_mut() {
                level.identity = Some(identity);
            }
        }
    }

    /// A statement that runs others sets a savepoint of its own: the number of it.
    pub(crate) fn begin_unit(&mut self) -> u64 {
        self.last_unit += 1;
        self.units.push((self.last_unit, self.savepoints.len()));
        self.last_unit
    }

    /// It ends. `None` if the savepoint is not there any more, since a statement within it has rolled back to an older one;
    /// or else whether the statements within it have set none that are to outlive it.
    pub(crate) fn end_unit(&mut self, unit: u64) -> Option<bool> {
        let place = self.units.iter().position(|(known, _)| *known == unit)?;
        let (_, savepoints) = self.units[place];
        self.units.truncate(place);
        Some(self.savepoints.len() == savepoints)
    }

    /// Forgets the savepoints of a unit that is undone, and those since then.
    pub(crate) fn forget_savepoints_of_unit(&mut self, unit: u64) {
        if let Some((_, savepoints)) = self.units.iter().find(|(known, _)| *known == unit) {
            self.savepoints.truncate(*savepoints);
        }
    }

    /// The level that runs.
    pub(crate) fn level(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }
}
