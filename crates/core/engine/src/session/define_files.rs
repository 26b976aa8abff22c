//! Statements that create, alter and drop the files of DBF tables: CREATE, ALTER, DROP, TRUNCATE, PACK.

use super::{Session, nothing};
use crate::dbf;
use crate::describe;
use crate::words::Upkeep;
use mainstay_columnar::values::value_at;
use mainstay_planner::{Answer, CreateTable, Drop, DropKind, FIELD_COLUMN, Name, SHOWN_LENGTH, Statement};
use mainstay_types::{Code, Error, Result, SqlType};
use mainstay_xbase::table::DbfTable;
use std::sync::Arc;

impl Session {
    /// Runs a definition whose table is a DBF; `None` for what is something else.
    pub(super) fn define_file(&mut self, text: &str, statement: &Statement) -> Result<Option<Answer>> {
        let how = self.how_to_write();
        match statement {
            Statement::CreateTable(create) if dbf::is_dbf(create) => return self.create_dbf(create).map(Some),
            Statement::CreateIndex(create) => {
                let Some(table) = self.dbf_table(&create.table)? else { return Ok(None) };
                self.define_dbf(&table, |table| dbf::create_index(table, create, how))?;
            }
            Statement::AlterTable(alter) => {
                let Some(table) = self.dbf_table(&alter.table)? else { return Ok(None) };
                let planner = Arc::clone(&self.database.shared.planner);
                let default = |text: &str| {
                    let expressions = planner.row_texts(&[text], &[])?;
                    value_at(expressions.evaluate(&crate::native::one_row()?)?.column(0), 0)
                };
                self.define_dbf(&table, |table| dbf::alter_table(table, alter, how, &default))?;
            }
            Statement::Truncate { names, .. } => {
                let mut tables = Vec::new();
                for name in names {
                    tables.extend(self.dbf_table(name)?);
                }
                if tables.is_empty() {
                    return Ok(None);
                }
                if tables.len() < names.len() {
                    return Err(Error::new(Code::Unsupported, "TRUNCATE of native and DBF tables in one statement"));
                }
                let mut count = 0;
                for table in tables {
                    count += self.define_dbf(&table, |table| dbf::zap(table, how))?;
                }
                return Ok(Some(nothing().with_changed(count)));
            }
            Statement::Drop(drop) => return self.drop_file(text, drop),
            _ => return Ok(None),
        }
        Ok(Some(nothing()))
    }

    /// PACK, ZAP, REINDEX.
    pub(super) fn upkeep(&mut self, upkeep: Upkeep, table: &str) -> Result<Answer> {
        let name = Name::new(table);
        let how = self.how_to_write();
        let Some(table) = self.dbf_table(&name)? else {
            let known = self.is_known(&name)?;
            return Err(match known {
                true => Error::new(Code::Unsupported, format!("{name} is no DBF table")),
                false => mainstay_planner::unknown_table(table, &self.database.shared.catalog.table_names()?),
            });
        };
        let count = self.define_dbf(&table, |table| match upkeep {
            Upkeep::Pack => dbf::pack(table, how),
            Upkeep::Zap => dbf::zap(table, how),
            Upkeep::Reindex => dbf::reindex(table, how).map(|()| 0),
        })?;
        Ok(nothing().with_changed(count))
    }

    /// Runs a definition on a table, which afterwards is opened anew.
    fn define_dbf<T>(&mut self, table: &DbfTable, work: impl FnOnce(&DbfTable) -> Result<T>) -> Result<T> {
        self.check_may_define()?;
        self.must_have_no_transaction()?;
        let ends = self.transaction.interrupt_in_force();
        let done = work(table);
        drop(ends);
        self.database.shared.catalog.refresh()?;
        done
    }

    fn must_have_no_transaction(&self) -> Result<()> {
        match self.transaction.is_open() {
            false => Ok(()),
            true => {
                let message =
                    "what changes the files of a DBF table cannot be undone, and so is no part of a transaction";
                Err(Error::new(Code::TransactionState, message).hint("COMMIT or ROLLBACK first"))
            }
        }
    }

    fn create_dbf(&mut self, create: &CreateTable) -> Result<Answer> {
        self.check_may_define()?;
        self.must_have_no_transaction()?;
        let database = self.database.clone();
        let shared = &database.shared;
        let mut whole = create.clone();
        if let Some(query) = &create.query {
            let planned = shared.planner.plan(query, &self.catalog(shared), self.visibility)?;
            whole = describe::table_of_query(create, planned.schema())?;
            for (column, field) in whole.columns.iter_mut().zip(planned.schema().fields()) {
                // A text that was padded in a file is padded here too.
                if let Some(length) = field.metadata().get(SHOWN_LENGTH).and_then(|length| length.parse().ok()) {
                    column.sql_type = SqlType::Char { length, collation: Default::default() };
                }
                // And a number keeps its field: one for all values of its type would be wider in every copy.
                column.declared = field.metadata().get(FIELD_COLUMN).cloned();
            }
        }
        let new = dbf::NewTable::new(shared.catalog.folder()?, &whole)?;
        let name = Name::new(&new.name);
        if self.is_known(&name)? || shared.catalog.table(&name.key)?.is_some() {
            return match create.if_not_exists {
                true => Ok(nothing()),
                false => Err(Error::new(Code::Duplicate, format!("there is a table {name} already"))),
            };
        }
        new.create(shared.catalog.file_system(), self.how_to_write())?;
        shared.catalog.refresh()?;
        let Some(query) = &create.query else { return Ok(nothing()) };
        let filled = self.other(&format!("INSERT INTO {} {query}", name.quoted()));
        filled.inspect_err(|_| {
            new.remove(shared.catalog.file_system());
            // The error that led here is the one to report.
            let _ = shared.catalog.refresh();
        })
    }

    /// DROP of tables and indexes of which some are DBF files; `None` when none is.
    fn drop_file(&mut self, text: &str, drop: &Drop) -> Result<Option<Answer>> {
        let how = self.how_to_write();
        let mut others = Vec::new();
        let mut is_done = false;
        for name in &drop.names {
            match drop.kind {
                DropKind::Table => {
                    if let Some(table) = self.dbf_table(name)? {
                        self.define_dbf(&table, |table| dbf::drop_table(table, how))?;
                        is_done = true;
                        continue;
                    }
                }
                DropKind::Index => {
                    if let Some(table) = self.table_of_index(drop, name)? {
                        self.define_dbf(&table, |table| dbf::drop_index(table, &name.key, how))?;
                        is_done = true;
                        continue;
                    }
                }
                _ => {}
            }
            others.push(name.clone());
        }
        match (is_done, others.is_empty()) {
            (false, _) => Ok(None),
            (true, true) => Ok(Some(nothing())),
            (true, false) => self.drop_native(text, &Drop { names: others, ..drop.clone() }).map(Some),
        }
    }

    /// The DBF table that an index is to be dropped from: the one that is named (`ON t`, `t.index`), or the only one that
    /// has such an index.
    fn table_of_index(&self, drop: &Drop, index: &Name) -> Result<Option<Arc<DbfTable>>> {
        let named = drop.table.clone().or_else(|| index.schema.as_deref().map(Name::new));
        if let Some(named) = named {
            let table = self.dbf_table(&named)?;
            return Ok(table.filter(|table| !drop.if_exists || dbf::has_index(table, &index.key)));
        }
        if self.transaction.scope(self.native()).has_index(&index.key) {
            return Ok(None);
        }
        let mut found = self.database.shared.catalog.dbf_tables()?;
        found.retain(|table| dbf::has_index(table, &index.key));
        if found.len() > 1 {
            let error = Error::new(Code::Ambiguous, format!("{} tables have an index {index}", found.len()));
            return Err(error.hint(format!("write DROP INDEX {index} ON and the table")));
        }
        Ok(found.pop())
    }
}
