//! SQLite beside the procedures that commit: their statements, prepared once, over a file with a write-ahead log.
//!
//! `synchronous = NORMAL` is the guarantee of `durability = os`: a commit is a write to the log. With `FULL` each commit
//! waits for the disk, as with `durability = full`. SQLite has no procedures, so the calls are a loop in Rust, with nothing of a
//! call's own cost.

use super::{CALLS, measured};
use crate::scratch::Scratch;
use crate::statistics::wants_another;
use crate::suite::{Judgement, Measured, System};
use mainstay_types::{Code, Error};
use rusqlite::{Connection, params};
use std::time::{Duration, Instant};

const TABLES: &str = "
    CREATE TABLE target (id INTEGER, number INTEGER, name TEXT);
    CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, balance INTEGER);";

/// The procedure that SQLite does the work of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// TableInsert, with so many calls in a run.
    Insert { calls: usize, is_synced: bool },
    /// Transaction.
    Transaction,
}

/// SQLite, with the work of each row; `None` where it takes no part.
pub(super) struct Sqlite {
    pub(super) scratch: Scratch,
    pub(super) tasks: Vec<Option<Work>>,
}

type Outcome<T> = std::result::Result<T, Judgement>;

fn failed(error: rusqlite::Error) -> Judgement {
    Error::new(Code::Internal, error.to_string()).into()
}

impl Sqlite {
    fn open(&self, name: &str, synchronous: &str) -> Outcome<Connection> {
        let folder = self.scratch.folder(name)?;
        let open = || {
            let connection = Connection::open(folder.join("bench.sqlite"))?;
            connection
                .execute_batch(&format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; {TABLES}"))?;
            Ok(connection)
        };
        open().map_err(failed)
    }

    fn times(&self, work: Work, repeats: usize) -> Outcome<Vec<Duration>> {
        let (name, synchronous) = match work {
            Work::Insert { is_synced: true, .. } => ("sqlite-full", "FULL"),
            Work::Insert { .. } => ("sqlite-insert", "NORMAL"),
            Work::Transaction => ("sqlite-transaction", "NORMAL"),
        };
        let connection = self.open(name, synchronous)?;
        let run = || match work {
            Work::Insert { calls, .. } => inserts(&connection, calls),
            Work::Transaction => transactions(&connection),
        };
        run()?;
        let mut times = Vec::new();
        while wants_another(&times, repeats) {
            times.push(run()?);
        }
        drop(connection);
        self.scratch.remove(&self.scratch.path(name));
        Ok(times)
    }
}

fn inserts(connection: &Connection, calls: usize) -> Outcome<Duration> {
    let run = || {
        connection.execute("DELETE FROM target", [])?;
        let mut insert = connection.prepare("INSERT INTO target VALUES (?, ?, ?)")?;
        let begin = Instant::now();
        for _ in 0..calls {
            insert.execute(params![1, 2, "abc"])?;
        }
        let time = begin.elapsed();
        let rows: i64 = connection.query_row("SELECT COUNT(*) FROM target", [], |row| row.get(0))?;
        Ok((time, rows))
    };
    match run().map_err(failed)? {
        (time, rows) if rows == calls as i64 => Ok(time),
        (_, rows) => Err(Judgement::Wrong(format!("{rows} rows and not {calls}"))),
    }
}

fn transactions(connection: &Connection) -> Outcome<Duration> {
    let run = || {
        connection.execute("DELETE FROM accounts", [])?;
        let mut begin_work = connection.prepare("BEGIN")?;
        let mut insert = connection.prepare("INSERT INTO accounts (balance) VALUES (100)")?;
        let mut update = connection.prepare("UPDATE accounts SET balance = balance + 50 WHERE id = ?")?;
        let mut commit = connection.prepare("COMMIT")?;
        let mut select = connection.prepare("SELECT balance FROM accounts WHERE id = ?")?;
        let (begin, mut sum) = (Instant::now(), 0);
        for _ in 0..CALLS {
            begin_work.execute([])?;
            insert.execute([])?;
            let id = connection.last_insert_rowid();
            update.execute([id])?;
            commit.execute([])?;
            sum += select.query_row([id], |row| row.get::<_, i64>(0))?;
        }
        Ok((begin.elapsed(), sum))
    };
    match run().map_err(failed)? {
        (time, sum) if sum == 150 * CALLS as i64 => Ok(time),
        (_, sum) => Err(Judgement::Wrong(format!("balances of {sum} together"))),
    }
}

impl System for Sqlite {
    fn name(&self) -> &str {
        "SQLite"
    }

    fn description(&self) -> String {
        format!(
            "SQLite {}, the statements of a procedure prepared once; journal_mode = WAL, synchronous = NORMAL, for \
             durability = full synchronous = FULL",
            rusqlite::version()
        )
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let work = (*self.tasks.get(row)?)?;
        Some(measured(self.times(work, repeats)))
    }
}
