//! Statements that change rows of file tables.

use super::Session;
use crate::activity::time_text;
use crate::catalog::OpenTable;
use crate::dbf::{Changer, How, OpenTables};
use crate::folder::{Kind, table_name};
use crate::native::key_of;
use mainstay_planner::{Answer, Name, RunOptions, Statement};
use mainstay_store::Durability;
use mainstay_types::{Code, Error, Result, ValueRef};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::{BeforeWrite, DbfTable};
use std::sync::Arc;

impl Session {
    /// The DBF table of this name, if it is one; a native table of the same name comes first.
    ///
    /// Errors: `ReadOnly` for files that are only read.
    pub(crate) fn dbf_table(&self, name: &Name) -> Result<Option<Arc<DbfTable>>> {
        let key = key_of(name);
        let folder = &self.database.shared.catalog;
        let scope = self.transaction.scope(self.native());
        if scope.definition(&key).is_some() || scope.relation(&key)?.is_some() {
            return Ok(None);
        }
        match folder.table(&key)? {
            None => Ok(None),
            Some((_, OpenTable::Dbf(table))) => Ok(Some(table)),
            Some((file, _)) => {
                let kind = if file.kind == Kind::Csv { "CSV" } else { "Parquet" };
                let message = format!("{name} cannot be changed: {kind} files are only read");
                Err(Error::new(Code::ReadOnly, message).at(file.path.display()))
            }
        }
    }

    /// Runs a change of rows whose table is a DBF; `None` for what is something else.
    pub(super) fn change_file(&mut self, text: &str, statement: &Statement) -> Result<Option<Answer>> {
        let name = match statement {
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            Statement::Merge(merge) => &merge.table,
            _ => return Ok(None),
        };
        let Some(table) = self.dbf_table(name)? else { return Ok(None) };
        self.change_records(text, &table, &[], |changer, open| match statement {
            Statement::Insert(insert) => changer.insert(&table, open, insert),
            Statement::Update(update) => changer.update(&table, open, update),
            Statement::Delete(delete) => changer.delete(&table, open, delete),
            Statement::Merge(merge) => changer.merge(&table, open, merge),
            _ => Err(Error::new(Code::Internal, "no change of rows")),
        })
        .map(Some)
    }

    /// How the session writes to DBF tables.
    pub(super) fn how_to_write(&self) -> How {
        // Native tables commit to the disk unless told otherwise, programs that share files never: here it is done when
        // it is asked for.
        let durable = self.transaction.durability == Some(Durability::Full);
        How { lock_timeout: self.transaction.waiting.lock_timeout, durable }
    }

    /// Runs a statement that changes records, in the open transaction or by itself.
    pub(super) fn change_records(
        &mut self,
        text: &str,
        table: &DbfTable,
        parameters: &[ValueRef<'_>],
        work: impl FnOnce(&mut Changer<'_>, &mut IndexedTable) -> Result<Answer>,
    ) -> Result<Answer> {
        self.check_may_change(&table_name(table.path()))?;
        let how = self.how_to_write();
        let _ends = self.transaction.interrupt_in_force();
        let (answer, before) = match self.transaction.take_tables() {
            Some(mut tables) => {
                let done = tables.open(table, how).and_then(|open| self.with_changer(text, parameters, open, work));
                self.transaction.put_tables(tables);
                done.map_err(|error| self.with_holder(error, table))?
            }
            None => {
                let mut tables = OpenTables::of(&self.transaction.work);
                let done = self.with_changer(text, parameters, tables.open(table, how)?, work);
                let done = done.map_err(|error| self.with_holder(error, table))?;
                tables.commit()?;
                done
            }
        };
        if let Some(before) = before {
            table.after_write(before)?;
        }
        Ok(answer)
    }

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

    fn with_changer(
        &mut self,
        text: &str,
        parameters: &[ValueRef<'_>],
        open: &mut IndexedTable,
        work: impl FnOnce(&mut Changer<'_>, &mut IndexedTable) -> Result<Answer>,
    ) -> Result<(Answer, Option<BeforeWrite>)> {
        let database = self.database.clone();
        let shared = &database.shared;
        let catalog = self.catalog(shared);
        let planner = &*shared.planner;
        let (cancel, progress) = (self.cancel.clone(), Arc::clone(&self.progress));
        let given = Arc::clone(&self.transaction.given);
        let visibility = self.visibility;
        let transaction = &mut self.transaction;
        let mut run = |planned: &mainstay_planner::Planned| {
            let view = Arc::new(transaction.view(&shared.catalog.native, planned.tables(), text)?);
            let (cancel, progress) = (cancel.clone(), Arc::clone(&progress));
            planner.run(planned, RunOptions { cancel, progress, view })
        };
        let mut changer = Changer {
            planner,
            catalog: &catalog,
            text,
            parameters,
            visibility,
            run: &mut run,
            given: &given,
            before: None,
        };
        let answer = work(&mut changer, open)?;
        Ok((answer, changer.before))
    }
}
