//! Mainstay, through its embedding interface.

use super::data::{Record, Totals};
use super::native::{Commit, Maker, Native};
use crate::answer::{Rows, from_batches};
use arrow_array::RecordBatch;
use mainstay_engine::{Database, Session};
use mainstay_types::{Result, ValueRef};
use std::path::Path;
use std::time::{Duration, Instant};

/// How Mainstay is opened.
pub const MAINSTAY: Maker = Maker { name: "Mainstay", description, key: "BIGINT PRIMARY KEY", open };

struct Mainstay(Session);

fn description() -> String {
    format!(
        "Mainstay {}, in memory, and on disk with durability = os (a commit is written to the journal and not synced)",
        env!("CARGO_PKG_VERSION")
    )
}

fn open(folder: Option<&Path>) -> Result<Box<dyn Native>> {
    let Some(folder) = folder else { return Ok(Box::new(Mainstay(Database::in_memory()?.session()))) };
    let mut mainstay = Mainstay(Database::open(folder)?.session());
    mainstay.execute("SET durability = os")?;
    Ok(Box::new(mainstay))
}

impl Mainstay {
    fn batches(&mut self, sql: &str) -> Result<Vec<RecordBatch>> {
        let mut answer = self.0.execute(sql)?;
        let mut batches = Vec::new();
        while let Some(batch) = answer.next_batch()? {
            batches.push(batch);
        }
        Ok(batches)
    }
}

fn values(record: &Record) -> [ValueRef<'_>; 3] {
    [ValueRef::Integer(record.id), ValueRef::Text(&record.name), ValueRef::Float(record.amount)]
}

impl Native for Mainstay {
    fn execute(&mut self, sql: &str) -> Result<()> {
        self.batches(sql).map(drop)
    }

    fn rows(&mut self, sql: &str) -> Result<Rows> {
        from_batches(&self.batches(sql)?)
    }

    fn insert(&mut self, records: &[Record], commit: Commit) -> Result<Duration> {
        let mut insert = self.0.prepare("INSERT INTO bench VALUES (?, ?, ?)")?;
        let start = Instant::now();
        if commit == Commit::Once {
            self.execute("BEGIN")?;
        }
        for record in records {
            insert.execute(&mut self.0, &values(record))?;
        }
        if commit == Commit::Once {
            self.execute("COMMIT")?;
        }
        Ok(start.elapsed())
    }

    fn append_rows(&mut self, records: &[Record], times: usize) -> Result<Duration> {
        let start = Instant::now();
        let mut appender = self.0.appender("bench")?;
        for _ in 0..times {
            for record in records {
                appender.row(&values(record))?;
            }
        }
        appender.finish()?;
        Ok(start.elapsed())
    }

    fn append_batch(&mut self, table: &str, batch: &RecordBatch, times: usize) -> Result<Duration> {
        let start = Instant::now();
        let mut appender = self.0.appender(table)?;
        for _ in 0..times {
            appender.batch(batch)?;
        }
        appender.finish()?;
        Ok(start.elapsed())
    }

    fn scan(&mut self, times: usize) -> Result<(Duration, Totals)> {
        let mut totals = Totals::default();
        let start = Instant::now();
        for _ in 0..times {
            let mut cursor = self.0.scan("bench", &["id", "name", "amount"])?;
            while cursor.next() {
                totals.add(cursor.integer(0), cursor.text(1), cursor.float(2));
            }
        }
        Ok((start.elapsed(), totals))
    }

    fn select(&mut self, ids: &[i64]) -> Result<(Duration, Totals)> {
        let mut select = self.0.prepare("SELECT id, name, amount FROM bench WHERE id = ?")?;
        let mut totals = Totals::default();
        let start = Instant::now();
        for &id in ids {
            let mut rows = select.query(&mut self.0, &[ValueRef::Integer(id)])?;
            while let Some(row) = rows.next()? {
                // Anything else than what was inserted is missing from the totals, and the check says so.
                if let (ValueRef::Integer(id), ValueRef::Text(name), ValueRef::Float(amount)) =
                    (row.get(0), row.get(1), row.get(2))
                {
                    totals.add(id, name, amount);
                }
            }
        }
        Ok((start.elapsed(), totals))
    }

    fn update(&mut self, amounts: &[(i64, f64)]) -> Result<(Duration, u64)> {
        let mut update = self.0.prepare("UPDATE bench SET amount = ? WHERE id = ?")?;
        let mut changed = 0;
        let start = Instant::now();
        self.execute("BEGIN")?;
        for &(id, amount) in amounts {
            changed += update.execute(&mut self.0, &[ValueRef::Float(amount), ValueRef::Integer(id)])?;
        }
        self.execute("COMMIT")?;
        Ok((start.elapsed(), changed))
    }

    fn query(&mut self, sql: &str, times: usize) -> Result<(Duration, Rows)> {
        let mut last = Vec::new();
        let start = Instant::now();
        for _ in 0..times {
            last = self.batches(sql)?;
        }
        let time = start.elapsed();
        Ok((time, from_batches(&last)?))
    }

    fn table_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }
}
