//! Dictionaries for the clients of a server: the navigator's questions about them, answered by the calls of this
//! library.
//!
//! ```text
//!   ServedDictionaries   logs in to the dictionary of a file
//!     ServedDictionary   a connection as a program here has it, with a handle; the client's calls are made with it
//!     Statements         the statements of that connection, which its triggers have, too
//! ```
//! The client's open tables are the navigator's; they get the same rules as tables here.

use crate::backend::{Executed, Firing, Outcome, Parameter, SqlSession, Step};
use crate::border::{Handle, Held};
use crate::calls::dictionary::{opening, relations};
use crate::connection::{Connection, Running};
use crate::constants::*;
use crate::dictionary::firing::Fires;
use crate::dictionary::guard::Guard;
use crate::dictionary::{Access, Contents, Live, Session, integrity};
use crate::entries::run_of_dictionary;
use crate::failure::{self, Failure};
use crate::registry::{self, Object};
use crate::settings;
use crate::transaction::Transaction;
use mainstay_navigator::dictionary::{
    Called, Dictionaries, Dictionary, Found, Given, Hidden, a_view, code_of, refused,
};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Enclosed, FileSystem};
use mainstay_workarea::{Area, Mode};
use mainstay_xbase::indexed::{self, IndexedTable};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

/// Dictionaries of these files: to be given to `mainstay_navigator::server::Service::serve_dictionaries`.
#[derive(Debug)]
pub struct ServedDictionaries(pub Arc<dyn FileSystem>);

/// Arguments of a call; none of the interface has as many.
const MOST_ARGUMENTS: usize = 24;

fn told(failure: Failure) -> Error {
    refused(failure.code, failure.into_detail())
}

impl Dictionaries for ServedDictionaries {
    fn open(&self, path: &Path, root: &Path, user: &str, password: &str) -> Result<Box<dyn Dictionary>> {
        let files: Arc<dyn FileSystem> = Arc::new(Enclosed::by_name(Arc::clone(&self.0), root));
        let live = Live::open(Arc::clone(&files), path).map_err(told)?;
        if live.contents().map_err(told)?.is_read_only {
            // The client could not be identified: its passwords are not readable.
            let message = "a dictionary in Advantage's format is opened on its own machine only";
            return Err(told(Failure::new(AE_CANNOT_OPEN_DICTIONARY, message)));
        }
        let access = Access::log_in(&live, user, password).map_err(told)?;
        let session = Session::new(files, live, access, settings::date_form);
        let connection = Arc::new(Connection::to_dictionary(session, &path.to_string_lossy()));
        let handle = registry::add(Object::Connection(Arc::clone(&connection))).map_err(told)?;
        Ok(Box::new(ServedDictionary { connection, handle, searches: HashSet::new() }))
    }

    fn create(&self, path: &Path, root: &Path, description: &str) -> Result<()> {
        let files: Arc<dyn FileSystem> = Arc::new(Enclosed::by_name(Arc::clone(&self.0), root));
        let description = Some(description).filter(|text| !text.is_empty()).map(str::to_owned);
        Live::create(files, path, &Contents::new(description)).map(drop).map_err(told)
    }
}

struct ServedDictionary {
    connection: Arc<Connection>,
    handle: Handle,
    /// The handles that the client was given.
    searches: HashSet<u64>,
}

impl ServedDictionary {
    fn session(&self) -> Result<(&Arc<Session>, Arc<Contents>)> {
        let session = self.connection.dictionary.as_ref().ok_or_else(|| Error::new(Code::Internal, "no dictionary"))?;
        Ok((session, session.live.contents().map_err(told)?))
    }

    fn run(&mut self, name: &str, mut given: Vec<Given>) -> Called {
        // The first argument is the connection; other handles are those that this client was given.
        let is_own = |at: usize, given: &Given| match given {
            Given::Number(number) if at == 1 && name.starts_with("AdsDDFind") && name != "AdsDDFindFirstObject" => {
                self.searches.contains(number)
            }
            _ => true,
        };
        if !given.iter().enumerate().all(|(at, given)| is_own(at, given)) {
            return Called { code: AE_INVALID_FIND_HANDLE, ..Called::default() };
        }
        if name == "AdsDDClose" || given.len() > MOST_ARGUMENTS {
            // The connection is closed by leaving; and each argument takes memory.
            return Called { code: AE_NOT_IMPLEMENTED, ..Called::default() };
        }
        match given.first_mut() {
            Some(first @ Given::Number(_)) => *first = Given::Number(self.handle.0 as u64),
            _ => return Called { code: AE_NOT_IMPLEMENTED, ..Called::default() },
        }
        let (mut held, handle) = (Held::new(given), self.handle);
        let code = failure::call("a dictionary's call", || match (name, run_of_dictionary(name, &mut held)) {
            (_, Some(done)) => done,
            ("AdsDisableRI", None) => relations::disable(handle),
            ("AdsEnableRI", None) => relations::enable(handle),
            ("AdsVerifyRI", None) => relations::verify(handle, 0),
            (_, None) => Err(Failure::new(AE_NOT_IMPLEMENTED, format!("{name} is not supported"))),
        });
        let detail = failure::last().filter(|_| code != AE_SUCCESS).map(Failure::into_detail).unwrap_or_default();
        let places = held.places(matches!(code, AE_SUCCESS | AE_INSUFFICIENT_BUFFER));
        if let ("AdsDDFindFirstObject", AE_SUCCESS, Some(Given::Place(search))) = (name, code, places.last()) {
            self.searches.insert(*search);
        }
        Called { code, detail, places }
    }
}

impl Dictionary for ServedDictionary {
    fn user(&self) -> String {
        self.connection.user.clone()
    }

    fn sql(&self) -> Box<dyn SqlSession> {
        Box::new(Statements(Arc::clone(&self.connection)))
    }

    fn find(&self, names: &[PathBuf], paths: &[PathBuf], mode: Mode) -> Result<Option<Found>> {
        let (session, contents) = self.session()?;
        let name = names.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if contents.find(ADS_DD_VIEW_OBJECT, "", &name).is_some() {
            return Err(a_view());
        }
        let of_file = || paths.iter().find_map(|path| session.table_of_file(&contents, path));
        let Some(table) = contents.find(ADS_DD_TABLE_OBJECT, "", &name).or_else(of_file) else { return Ok(None) };
        opening::check_opening(session, &contents, table, mode != Mode::ReadOnly).map_err(told)?;
        let kinds = (table.number(ADS_DD_TABLE_TYPE), table.number(ADS_DD_TABLE_CHAR_TYPE));
        Ok(Some(Found { name: table.name.clone(), path: session.table_path(table), kinds }))
    }

    fn bind(&self, area: &mut Area, table: &str) -> Result<Hidden> {
        let (session, contents) = self.session()?;
        let object = contents.get(ADS_DD_TABLE_OBJECT, "", table).map_err(told)?;
        for path in session.index_paths(&contents, table) {
            area.open_index(&path)?;
        }
        let columns = opening::hidden_columns(session, &contents, table, area.fields());
        let level = object.number(ADS_DD_TABLE_PERMISSION_LEVEL);
        let guard = Guard::new(Arc::clone(session), table, Arc::clone(&self.connection.helpers));
        let fires: Weak<dyn Fires> = Arc::downgrade(&self.connection) as Weak<dyn Fires>;
        area.set_rules(Some(Arc::new(guard.with_triggers(fires))));
        Ok(Hidden { columns, in_conditions: level == ADS_DD_TABLE_PERMISSION_LEVEL_1 })
    }

    fn view(&self, name: &str) -> Result<Outcome> {
        let (session, contents) = self.session()?;
        let view = contents.get(ADS_DD_VIEW_OBJECT, "", name).map_err(told)?;
        opening::rows_of_view(&self.connection, session, &contents, view).map_err(told)
    }

    fn fields_of(&self, area: &Area, expression: &str) -> Vec<usize> {
        integrity::fields_of(area, expression)
    }

    fn check_zap(&self, table: &str) -> Result<()> {
        let (_, contents) = self.session()?;
        opening::check_zap_of(&contents, table).map_err(told)
    }

    fn may_replace(&self, path: &Path) -> Result<()> {
        let (session, contents) = self.session()?;
        match session.may_replace(&contents, path) {
            true => Ok(()),
            false => Err(told(Failure::new(AE_PERMISSION_DENIED, "the file is the dictionary's"))),
        }
    }

    fn call(&mut self, name: &str, arguments: Vec<Given>) -> Called {
        self.run(name, arguments)
    }

    fn note_transaction(&self, transaction: Option<&indexed::Transaction>) {
        *self.connection.transaction() = transaction.map(|transaction| Running {
            transaction: Transaction::Here(transaction.clone()),
            depth: 1,
            is_joined: true,
            savepoints: Vec::new(),
        });
    }

    fn helpers(&self) -> Arc<Mutex<Vec<Area>>> {
        Arc::clone(&self.connection.helpers)
    }

    fn refusal(&self, error: Error) -> Error {
        match error.code() == Code::CheckViolation && code_of(&error).is_none() {
            true => told(error.into()),
            false => error,
        }
    }
}

impl Drop for ServedDictionary {
    fn drop(&mut self) {
        for search in &self.searches {
            let handle = Handle(usize::try_from(*search).unwrap_or(0));
            if matches!(registry::find(handle), Some(Object::Objects(_))) {
                registry::remove(handle);
            }
        }
        registry::remove(self.handle);
    }
}

/// The statements of a connection, opened when they are first needed.
struct Statements(Arc<Connection>);

/// Errors of statements stay what they are.
fn kept<T>(failed: std::result::Result<Result<T>, Failure>) -> Result<T> {
    failed.map_err(told).and_then(|done| done)
}

impl SqlSession for Statements {
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        kept(self.0.sql(|session| Ok(session.execute(sql, parameters))))
    }

    fn query(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Executed> {
        kept(self.0.sql(|session| Ok(session.query(sql, parameters))))
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        kept(self.0.sql(|session| Ok(session.prepare(sql))))
    }

    fn set_read_only(&mut self) {
        // The users of a dictionary have their rights from it; if this fails, the session fails with its next
        // statement.
        let _ = self.0.sql(|session| {
            session.set_read_only();
            Ok(())
        });
    }

    fn set_table_type(&mut self, table_type: u32) {
        // A failure is reported by the statement that follows.
        let _ = self.0.sql(|session| {
            session.set_table_type(table_type);
            Ok(())
        });
    }

    fn set_show_deleted(&mut self, shows: bool) {
        let _ = self.0.sql(|session| {
            session.set_show_deleted(shows);
            Ok(())
        });
    }

    fn transaction(&mut self, step: &Step) -> Result<()> {
        self.0.step(step).map_err(told)
    }

    fn join(&mut self, transaction: &indexed::Transaction) -> Result<bool> {
        // One that is opened later joins by itself.
        self.0.join(&Transaction::Here(transaction.clone())).map(|_| true).map_err(told)
    }

    fn fire(&mut self, firing: &Firing) -> Result<()> {
        self.0.sql(|session| Ok(session.fire(firing))).map_err(told).and_then(|fired| fired)
    }

    fn with_tables(&mut self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> Result<()>) -> Result<()> {
        self.0.with_sql_tables(work)
    }
}
