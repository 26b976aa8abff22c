//! SQLite, linked in, in its fastest configuration: statements prepared once, the key as its rowid.
//!
//! In memory it rolls back by a rollback journal in memory, as Mainstay does by versions. On disk it has a write-ahead
//! log with `synchronous = NORMAL`: a commit is a write to the log, and only a checkpoint waits for the disk. That is
//! the guarantee of `durability = os`.

use super::data::{Record, Totals};
use super::native::{Commit, Maker, Native};
use crate::answer::{Cell, Rows};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement, params};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// How SQLite is opened.
pub const SQLITE: Maker = Maker { name: "SQLite", description, key: "INTEGER PRIMARY KEY", open };

struct Sqlite(Connection);

fn description() -> String {
    format!(
        "SQLite {}, statements prepared once, INTEGER PRIMARY KEY; in memory, and on disk with journal_mode = WAL and \
         synchronous = NORMAL (no sync at a commit)",
        rusqlite::version()
    )
}

fn open(folder: Option<&Path>) -> Result<Box<dyn Native>> {
    let connection = match folder {
        None => Connection::open_in_memory().map_err(failed)?,
        Some(folder) => Connection::open(folder.join("bench.sqlite")).map_err(failed)?,
    };
    if folder.is_some() {
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL").map_err(failed)?;
    }
    Ok(Box::new(Sqlite(connection)))
}

fn failed(error: rusqlite::Error) -> Error {
    Error::new(Code::Internal, error.to_string())
}

impl Sqlite {
    /// The time of a loop that may be one transaction.
    fn timed(&self, transaction: bool, body: impl FnOnce() -> rusqlite::Result<()>) -> rusqlite::Result<Duration> {
        let start = Instant::now();
        if transaction {
            self.0.execute_batch("BEGIN")?;
        }
        body()?;
        if transaction {
            self.0.execute_batch("COMMIT")?;
        }
        Ok(start.elapsed())
    }

    fn inserted(&self, records: &[Record], times: usize, transaction: bool) -> rusqlite::Result<Duration> {
        let mut insert = self.0.prepare("INSERT INTO bench VALUES (?, ?, ?)")?;
        self.timed(transaction, || {
            for _ in 0..times {
                for record in records {
                    insert.execute(params![record.id, record.name, record.amount])?;
                }
            }
            Ok(())
        })
    }

    fn appended(&self, table: &str, batch: &RecordBatch, times: usize) -> rusqlite::Result<Duration> {
        let marks = vec!["?"; batch.num_columns()].join(", ");
        let mut insert = self.0.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
        self.timed(true, || {
            for _ in 0..times {
                for row in 0..batch.num_rows() {
                    for (column, array) in batch.columns().iter().enumerate() {
                        bind(&mut insert, column + 1, array.as_ref(), row)?;
                    }
                    insert.raw_execute()?;
                }
            }
            Ok(())
        })
    }

    fn scanned(&self, times: usize) -> rusqlite::Result<(Duration, Totals)> {
        let mut select = self.0.prepare("SELECT id, name, amount FROM bench")?;
        let mut totals = Totals::default();
        let time = self.timed(false, || {
            for _ in 0..times {
                let mut rows = select.query([])?;
                while let Some(row) = rows.next()? {
                    add(&mut totals, row)?;
                }
            }
            Ok(())
        })?;
        Ok((time, totals))
    }

    fn selected(&self, ids: &[i64]) -> rusqlite::Result<(Duration, Totals)> {
        let mut select = self.0.prepare("SELECT id, name, amount FROM bench WHERE id = ?")?;
        let mut totals = Totals::default();
        let time = self.timed(false, || {
            for id in ids {
                let mut rows = select.query([id])?;
                while let Some(row) = rows.next()? {
                    add(&mut totals, row)?;
                }
            }
            Ok(())
        })?;
        Ok((time, totals))
    }

    fn updated(&self, amounts: &[(i64, f64)]) -> rusqlite::Result<(Duration, u64)> {
        let mut update = self.0.prepare("UPDATE bench SET amount = ? WHERE id = ?")?;
        let mut changed = 0;
        let time = self.timed(true, || {
            for (id, amount) in amounts {
                changed += update.execute(params![amount, id])? as u64;
            }
            Ok(())
        })?;
        Ok((time, changed))
    }

    fn queried(&self, sql: &str, times: usize) -> rusqlite::Result<(Duration, Rows)> {
        let mut statement = self.0.prepare(sql)?;
        let columns = statement.column_count();
        let mut cells = Rows::new();
        let time = self.timed(false, || {
            for turn in 1..=times {
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    if turn == times {
                        let row = (0..columns).map(|column| Ok(Cell::of_sqlite(row.get_ref(column)?)));
                        cells.push(row.collect::<rusqlite::Result<Vec<Cell>>>()?);
                    } else {
                        for column in 0..columns {
                            black_box(row.get_ref(column)?);
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok((time, cells))
    }
}

fn add(totals: &mut Totals, row: &rusqlite::Row<'_>) -> rusqlite::Result<()> {
    let values = (row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?);
    // Anything else than what was inserted is missing from the totals, and the check says so.
    if let (ValueRef::Integer(id), ValueRef::Text(name), ValueRef::Real(amount)) = values {
        totals.rows += 1;
        totals.ids = totals.ids.wrapping_add(id);
        totals.letters += name.len() as u64;
        totals.amounts += amount;
    }
    Ok(())
}

fn bind(insert: &mut Statement<'_>, place: usize, array: &dyn Array, row: usize) -> rusqlite::Result<()> {
    match array.data_type() {
        DataType::Int64 => insert.raw_bind_parameter(place, array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => insert.raw_bind_parameter(place, array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8View => insert.raw_bind_parameter(place, array.as_string_view().value(row)),
        other => Err(rusqlite::Error::InvalidColumnType(place, other.to_string(), rusqlite::types::Type::Blob)),
    }
}

impl Native for Sqlite {
    fn execute(&mut self, sql: &str) -> Result<()> {
        self.0.execute_batch(sql).map_err(failed)
    }

    fn rows(&mut self, sql: &str) -> Result<Rows> {
        self.queried(sql, 1).map(|(_, rows)| rows).map_err(failed)
    }

    fn insert(&mut self, records: &[Record], commit: Commit) -> Result<Duration> {
        self.inserted(records, 1, commit == Commit::Once).map_err(failed)
    }

    fn append_rows(&mut self, records: &[Record], times: usize) -> Result<Duration> {
        self.inserted(records, times, true).map_err(failed)
    }

    fn append_batch(&mut self, table: &str, batch: &RecordBatch, times: usize) -> Result<Duration> {
        self.appended(table, batch, times).map_err(failed)
    }

    fn scan(&mut self, times: usize) -> Result<(Duration, Totals)> {
        self.scanned(times).map_err(failed)
    }

    fn select(&mut self, ids: &[i64]) -> Result<(Duration, Totals)> {
        self.selected(ids).map_err(failed)
    }

    fn update(&mut self, amounts: &[(i64, f64)]) -> Result<(Duration, u64)> {
        self.updated(amounts).map_err(failed)
    }

    fn query(&mut self, sql: &str, times: usize) -> Result<(Duration, Rows)> {
        self.queried(sql, times).map_err(failed)
    }

    fn table_bytes(&mut self) -> Result<Option<u64>> {
        let number = |pragma: &str| self.0.query_row(pragma, [], |row| row.get::<_, i64>(0));
        let pages = number("PRAGMA page_count").map_err(failed)?;
        let free = number("PRAGMA freelist_count").map_err(failed)?;
        let size = number("PRAGMA page_size").map_err(failed)?;
        Ok(u64::try_from((pages - free) * size).ok())
    }
}
