//! The same tables in several databases, and statements run by each of them.

use crate::common::Random;
use crate::data::Table;
use crate::tree::{Dialect, Query};
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, OPTIONAL_OPTIMIZER_RULES, Options, Session};
use mainstay_types::{Code, Error, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

/// Rules that one seed leaves out, each in a database of its own.
const RULES_OF_A_SEED: usize = 3;

/// The rows of a statement as text, in the order in which they came.
pub type Outcome = Result<Vec<String>, Failure>;

/// An error, by what it says of the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A panic, an internal error, or one of an expression behind a guard: always a fault.
    Fault(String),
    /// A number that is out of range, or too much time: says nothing.
    Limit(String),
    /// The statement is refused before it runs.
    Refused(String),
}

/// A database with a name for reports.
pub struct Engine {
    pub name: String,
    database: Database,
    session: Session,
    /// Statements are prepared first, which the row executor takes more of.
    prepares: bool,
}

pub struct Engines {
    /// Native tables with all executors and rules; the others are compared with it.
    pub base: Engine,
    pub others: Vec<Engine>,
    sqlite: rusqlite::Connection,
    _folders: Vec<tempfile::TempDir>,
}

impl Engine {
    fn new(name: &str, path: &Path, options: Options) -> Engine {
        let options = Options { statement_timeout: Some(Duration::from_secs(20)), ..options };
        let database = Database::open_with(path, options).unwrap();
        Engine { name: name.to_owned(), session: database.session(), database, prepares: false }
    }

    fn native(name: &str, tables: &[Table], options: Options) -> Engine {
        let mut engine = Engine::new(name, Path::new(":memory:"), options);
        for statement in tables.iter().flat_map(Table::native) {
            engine.must(&statement);
        }
        engine
    }

    /// Runs a statement of the set-up.
    pub fn must(&mut self, statement: &str) {
        if let Err(failure) = self.run(statement) {
            panic!("{}: {statement}\n{failure:?}", self.name);
        }
    }

    pub fn run(&mut self, statement: &str) -> Outcome {
        let (session, prepares) = (&mut self.session, self.prepares && statement.starts_with("SELECT"));
        let outcome = catch_unwind(AssertUnwindSafe(|| match prepares {
            true => prepared(session, statement),
            false => executed(session, statement),
        }));
        match outcome {
            Ok(outcome) => outcome.map_err(|error| failure(&error)),
            Err(panic) => {
                self.session = self.database.session();
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                Err(Failure::Fault(format!("panic: {}", text.unwrap_or_default())))
            }
        }
    }
}

fn executed(session: &mut Session, statement: &str) -> Result<Vec<String>, Error> {
    let mut answer = session.execute(statement)?;
    let mut lines = Vec::new();
    while let Some(batch) = answer.next_batch()? {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| value_at(column, row).map(|value| shown(&value)));
            lines.push(cells.collect::<Result<Vec<String>, Error>>()?.join("|"));
        }
    }
    Ok(lines)
}

fn prepared(session: &mut Session, statement: &str) -> Result<Vec<String>, Error> {
    let mut prepared = session.prepare(statement)?;
    let mut rows = prepared.query(session, &[])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let cells: Vec<String> = (0..row.len()).map(|column| shown(&row.get(column).to_value())).collect();
        lines.push(cells.join("|"));
    }
    Ok(lines)
}

/// A value as all databases show it: numbers by their value, truth as 1 and 0, days as text.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(value) => i32::from(*value).to_string(),
        Value::Float(value) => shown_float(*value),
        Value::Decimal(value) => match value.to_string() {
            text if text.contains('.') => shown_trimmed(&text),
            text => text,
        },
        Value::Text(text) => format!("'{text}'"),
        Value::Date(date) => format!("'{date}'"),
        other => other.to_string(),
    }
}

fn shown_trimmed(text: &str) -> String {
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn shown_float(value: f64) -> String {
    match format!("{value:.6}") {
        text if value.is_finite() => shown_trimmed(&text),
        text => text,
    }
}

fn failure(error: &Error) -> Failure {
    let text = format!("{} {}: {error}", error.code().sqlstate(), error.code().name());
    let is_of_range = ["out of range", "verflow", "too large", "does not fit"].iter().any(|part| text.contains(part));
    match error.code() {
        Code::Timeout | Code::OutOfMemory => Failure::Limit(text),
        Code::Unsupported => Failure::Refused(text),
        _ if is_of_range => Failure::Limit(text),
        Code::Internal | Code::DivisionByZero | Code::InvalidValue => Failure::Fault(text),
        _ => Failure::Refused(text),
    }
}

impl Engines {
    /// The same tables everywhere.
    pub fn new(tables: &[Table], random: &mut Random) -> Engines {
        let base = Engine::native("base", tables, Options::default());
        let mut prepared = Engine::native("prepared", tables, Options::default());
        prepared.prepares = true;
        let general = Options { general_executor_only: true, ..Options::default() };
        let mut others = vec![prepared, Engine::native("general executor only", tables, general)];
        for _ in 0..RULES_OF_A_SEED {
            let rule = random.of(&OPTIONAL_OPTIMIZER_RULES);
            let disabled_optimizer_rules = vec![rule.to_owned()];
            let options =
                Options { disabled_optimizer_rules, general_executor_only: random.one_in(2), ..Options::default() };
            others.push(Engine::native(&format!("without {rule}"), tables, options));
        }
        let (dbf, parquet) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut of_dbf = Engine::new("DBF", dbf.path(), Options::default());
        for statement in tables.iter().flat_map(Table::dbf) {
            of_dbf.must(&statement);
        }
        others.push(of_dbf);
        let mut source = Engine::native("source of Parquet", tables, Options::default());
        for table in tables {
            write_parquet(&mut source.session, &table.name, &parquet.path().join(format!("{}.parquet", table.name)));
        }
        others.push(Engine::new("Parquet", parquet.path(), Options::default()));
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        sqlite.execute_batch("PRAGMA case_sensitive_like = ON").unwrap();
        for statement in tables.iter().flat_map(Table::sqlite) {
            sqlite.execute_batch(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        Engines { base, others, sqlite, _folders: vec![dbf, parquet] }
    }

    /// The rows that SQLite gives, if it has all that the statement uses.
    pub fn sqlite(&self, query: &Query) -> Option<Vec<String>> {
        let text = query.sqlite_text()?;
        // Statements that SQLite refuses are not compared.
        self.of_sqlite(&text).ok()
    }

    fn of_sqlite(&self, text: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.sqlite.prepare(text)?;
        let count = statement.column_count();
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let cell = |column| {
                Ok(match row.get_ref(column)? {
                    rusqlite::types::ValueRef::Null => "NULL".to_owned(),
                    rusqlite::types::ValueRef::Integer(value) => value.to_string(),
                    rusqlite::types::ValueRef::Real(value) => shown_float(value),
                    rusqlite::types::ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
                    rusqlite::types::ValueRef::Blob(bytes) => format!("{bytes:?}"),
                })
            };
            lines.push((0..count).map(cell).collect::<rusqlite::Result<Vec<String>>>()?.join("|"));
        }
        Ok(lines)
    }
}

/// Writes a table's rows into a Parquet file.
fn write_parquet(session: &mut Session, table: &str, path: &Path) {
    let answer = session.execute(&format!("SELECT * FROM {table}")).unwrap();
    let schema = answer.schema().clone();
    let batches = answer.collect().unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, None).unwrap();
    for batch in &batches {
        writer.write(batch).unwrap();
    }
    writer.close().unwrap();
}

/// The statement in the dialect of all databases but SQLite.
pub fn text(query: &Query) -> String {
    query.text(Dialect::Ours)
}
