//! SQLite, linked in: WAL, `synchronous = NORMAL`, the key as its rowid. It reads no Parquet.

use super::{Engine, Ran, Task, data, failed};
use crate::answer::{Cell, Rows};
use crate::scratch::Scratch;
use crate::suite::Judgement;
use mainstay_types::Result;
use mainstay_vfs::{Disk, FileSystem};
use rusqlite::{Connection, params};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

const TABLE: &str = "CREATE TABLE sales (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, amount DOUBLE NOT NULL, \
                     city TEXT NOT NULL, day TEXT NOT NULL)";

/// The folder with the database.
pub(super) struct Sqlite {
    scratch: Rc<Scratch>,
    folder: PathBuf,
    csv: PathBuf,
}

type Asked = std::result::Result<(Duration, Rows), Judgement>;

impl Sqlite {
    pub(super) fn new(scratch: &Rc<Scratch>) -> Result<Sqlite> {
        let csv = data::folder(scratch)?.join(data::CSV);
        Ok(Sqlite { scratch: Rc::clone(scratch), folder: scratch.folder("sqlite")?, csv })
    }

    fn file(&self) -> PathBuf {
        self.folder.join("scale.sqlite")
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(self.file())?;
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")?;
        Ok(connection)
    }

    fn ask(&self, question: &str) -> Asked {
        let begin = Instant::now();
        let rows = self.open().and_then(|connection| rows_of(&connection, question)).map_err(failed)?;
        Ok((begin.elapsed(), rows))
    }

    /// Reads the lines of the CSV, in which nothing is quoted, and inserts them in one transaction.
    fn load(&self) -> Asked {
        self.scratch.remove(&self.folder);
        self.scratch.folder("sqlite").map_err(failed)?;
        let begin = Instant::now();
        let text = Disk.map(&self.csv).map_err(failed)?;
        let text = std::str::from_utf8(&text).map_err(failed)?;
        self.insert(text).map_err(failed)?;
        let time = begin.elapsed();
        self.ask(data::TOTALS).map(|(_, rows)| (time, rows))
    }

    fn insert(&self, text: &str) -> rusqlite::Result<()> {
        let connection = self.open()?;
        connection.execute_batch(TABLE)?;
        connection.execute_batch("BEGIN")?;
        let mut insert = connection.prepare("INSERT INTO sales VALUES (?, ?, ?, ?, ?)")?;
        for line in text.lines().skip(1) {
            let mut fields = line.split(',');
            let mut field = || fields.next().unwrap_or_default();
            let (id, customer) = (field().parse::<i64>().ok(), field().parse::<i64>().ok());
            insert.execute(params![id, customer, field().parse::<f64>().ok(), field(), field()])?;
        }
        drop(insert);
        connection.execute_batch("COMMIT")
    }

    fn check(&self) -> Asked {
        let begin = Instant::now();
        let connection = self.open().map_err(failed)?;
        let found = rows_of(&connection, "PRAGMA integrity_check").map_err(failed)?;
        let time = begin.elapsed();
        let is_sound = matches!(&found[..], [row] if row[..] == [Cell::text("ok")]);
        let rows = self.ask(data::TOTALS)?.1;
        Ok((time, if is_sound { rows } else { Rows::new() }))
    }
}

fn rows_of(connection: &Connection, question: &str) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare(question)?;
    let width = statement.column_count();
    let rows = statement.query_map([], |row| (0..width).map(|at| Ok(Cell::of_sqlite(row.get_ref(at)?))).collect())?;
    rows.collect()
}

impl Engine for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    fn description(&self) -> String {
        format!("SQLite {}, journal_mode = WAL, synchronous = NORMAL, INTEGER PRIMARY KEY", rusqlite::version())
    }

    fn run(&mut self, task: Task) -> Option<Ran> {
        match task {
            Task::Open => Some(self.ask(data::ONE)),
            Task::Point => Some(self.ask(data::POINT)),
            Task::LoadParquet => None,
            Task::LoadCsv => Some(self.load()),
            Task::Check => Some(self.check()),
        }
    }

    fn bytes(&self) -> Option<u64> {
        crate::scratch::folder_bytes(&self.folder).ok()
    }
}
