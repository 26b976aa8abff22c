//! Statements that change records of DBF and ADT tables.

use super::Session;
use crate::activity::time_text;
use crate::dbf::{FileRows, OpenTables};
use crate::folder::table_name;
use crate::rows::one_row;
use crate::writable::{Changed, Work, WriteScope};
use mainstay_columnar::values::value_at;
use mainstay_planner::Answer;
use mainstay_types::{Code, Error, Result, Value};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::{BeforeWrite, DbfTable};
use std::sync::Arc;

impl WriteScope<'_> {
    /// Runs a statement that changes records, in the open transaction or by itself.
    pub(crate) fn change_records(&mut self, table: &DbfTable, work: Work<'_>) -> Result<Answer> {
        self.session.check_may_change(&table_name(table.path()))?;
        let how = self.settings();
        let _ends = self.session.transaction.interrupt_in_force();
        let (answer, before) = match self.session.transaction.take_tables() {
            Some(mut tables) => {
                let done = tables.open(table, how).and_then(|open| self.change_open(table, open, work));
                self.session.transaction.put_tables(tables);
                done.map_err(|error| self.session.with_holder(error, table))?
            }
            None => {
                let mut tables = OpenTables::of(&self.session.transaction.work);
                let done = self.change_open(table, tables.open(table, how)?, work);
                let done = done.map_err(|error| self.session.with_holder(error, table))?;
                tables.commit()?;
                done
            }
        };
        if let Some(before) = before {
            table.after_write(before)?;
        }
        Ok(answer)
    }

    fn change_open(
        &mut self,
        table: &DbfTable,
        open: &mut IndexedTable,
        work: Work<'_>,
    ) -> Result<(Answer, Option<BeforeWrite>)> {
        let given = Arc::clone(&self.session.transaction.given);
        self.with_context(|context| {
            let mut before = None;
            let done = open.atomically(|open| {
                let mut rows = FileRows::new((table, open), (context.planner, &given), &mut before);
                match work(&mut rows, context)? {
                    Changed::Done(answer) => Ok(answer),
                    Changed::Overtaken => Err(Error::new(Code::Internal, "records that are locked were changed")),
                }
            });
            done.map(|answer| (answer, before))
        })
    }

    /// The value of the text of an expression without columns.
    ///
    /// Errors: those of the expression.
    pub(crate) fn constant(&self, text: &str) -> Result<Value> {
        let expressions = self.session.database.shared.planner.row_texts(&[text], &[])?;
        value_at(expressions.evaluate(&one_row()?)?.column(0), 0)
    }
}

impl Session {
    /// The error of a record that was not given back, with the session that has it, where that is known.
    fn with_holder(&self, error: Error, table: &DbfTable) -> Error {
        if error.code() != Code::LockTimeout {
            return error;
        }
        let record = error.subject().and_then(|record| record.parse::<u64>().ok());
        let holder = record.and_then(|record| self.database.shared.sessions.holder(table.path(), record));
        let (Some(record), Some((session, lock))) = (record, holder) else { return error };
        let file = table.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let what = match lock.record {
            Some(_) => format!("record {record} of {file} is locked"),
            None => format!("record {record} of {file} is locked with the whole table"),
        };
        let message = format!("{what} by {session}, since {} UTC", time_text(lock.since));
        Error::new(error.code(), message).about(record.to_string())
    }
}
