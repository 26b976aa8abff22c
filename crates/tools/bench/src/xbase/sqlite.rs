//! SQLite, linked in: the table in memory with a primary key on ID, the usual design.
//!
//! A run prepares the statement from its text (every system here is given the text at every run), steps
//! through all rows and reads every column, without keeping them; the run before the clock starts keeps
//! them, for the check.

use super::data::Data;
use super::questions::Question;
use crate::answer::{Cell, Rows};
use crate::statistics::{Statistics, wants_another};
use crate::suite::{Judgement, Measured, System};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

/// SQLite with the table loaded.
pub struct Sqlite {
    connection: Connection,
    questions: Rc<Vec<Question>>,
    data: Rc<Data>,
}

impl Sqlite {
    /// Loads the table.
    pub fn load(data: Rc<Data>, questions: Rc<Vec<Question>>) -> rusqlite::Result<Sqlite> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch("CREATE TABLE bench (ID INTEGER PRIMARY KEY, TAG TEXT, AMT REAL)")?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO bench VALUES (?, ?, ?)")?;
            for (id, cents) in (1i64..).zip(data.all_cents()) {
                insert.execute(params![id, Data::tag(id as usize), f64::from(*cents) / 100.0])?;
            }
        }
        transaction.commit()?;
        Ok(Sqlite { connection, questions, data })
    }

    fn run(&self, sql: &str, mut each: impl FnMut(ValueRef<'_>, bool)) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                each(row.get_ref(column)?, column == 0);
            }
        }
        Ok(())
    }

    fn answer(&self, sql: &str) -> rusqlite::Result<Rows> {
        let mut rows = Rows::new();
        self.run(sql, |value, starts_row| {
            if starts_row {
                rows.push(Vec::new());
            }
            if let Some(row) = rows.last_mut() {
                row.push(Cell::of_sqlite(value));
            }
        })?;
        Ok(rows)
    }

    fn measured(&self, row: usize, repeats: usize) -> rusqlite::Result<Measured> {
        let question = &self.questions[row];
        let verdict = (question.check)(&self.data, &self.answer(&question.row.text)?);
        let mut times = Vec::new();
        while wants_another(&times, repeats) {
            let start = Instant::now();
            self.run(&question.row.text, |value, _| {
                black_box(value);
            })?;
            times.push(start.elapsed());
        }
        let judgement = verdict.map_or_else(Judgement::Wrong, |()| Judgement::Right);
        Ok(Measured { first: None, again: Statistics::of(&times), judgement })
    }
}

impl System for Sqlite {
    fn name(&self) -> &str {
        "SQLite"
    }

    fn description(&self) -> String {
        format!(
            "SQLite {}, in memory, ID INTEGER PRIMARY KEY, statements prepared from their text",
            rusqlite::version()
        )
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        Some(self.measured(row, repeats).unwrap_or_else(|error| Measured::failed(error.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xbase::questions::questions;

    #[test]
    fn every_row_is_answered_right() {
        let (data, questions) = (Rc::new(Data::new(100_000)), Rc::new(questions(100_000)));
        let mut sqlite = Sqlite::load(data, Rc::clone(&questions)).unwrap();
        for (row, question) in questions.iter().enumerate() {
            let measured = sqlite.measure(row, 1).unwrap();
            assert_eq!(measured.judgement, Judgement::Right, "{}", question.row.key);
            assert!(measured.again.is_some());
        }
    }
}
