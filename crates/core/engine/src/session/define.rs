//! Statements that change definitions of tables: CREATE INDEX, ALTER, DROP, TRUNCATE, PACK, ZAP, REINDEX; CREATE TABLE of
//! DBF and ADT tables.

use super::{Session, nothing};
use crate::dbf;
use crate::describe;
use crate::words::Upkeep;
use crate::writable::{Definition, DefinitionRules, WritableTable, WriteScope};
use mainstay_planner::{Answer, CreateTable, Drop, DropKind, FIELD_COLUMN, Name, SHOWN_LENGTH};
use mainstay_types::{Code, Error, Result, SqlType};
use std::sync::Arc;

/// Returns true if the definition of a table changes at once, outside of transactions.
fn is_alone(table: &dyn WritableTable) -> bool {
    table.definitions() == DefinitionRules::OutsideTransactions
}

impl Session {
    /// Changes the definition of the table of this name.
    pub(super) fn define_table(&mut self, text: &str, table: &Name, change: &Definition<'_>) -> Result<Answer> {
        let table = self.writable(table)?;
        self.define_one(text, &*table, change)
    }

    fn define_one(&mut self, text: &str, table: &dyn WritableTable, change: &Definition<'_>) -> Result<Answer> {
        let position_column = table.position_column();
        let mut scope = WriteScope { session: self, text, parameters: &[], position_column };
        if !is_alone(table) {
            return table.define(&mut scope, change);
        }
        scope.session.check_may_define()?;
        scope.session.must_have_no_transaction()?;
        let ends = scope.session.transaction.interrupt_in_force();
        let done = table.define(&mut scope, change);
        drop(ends);
        self.database.shared.catalog.refresh()?;
        done
    }

    /// TRUNCATE.
    pub(super) fn truncate(&mut self, text: &str, names: &[Name], restart: bool) -> Result<Answer> {
        let tables = names.iter().map(|name| self.writable(name)).collect::<Result<Vec<_>>>()?;
        let together = tables.iter().filter(|table| !is_alone(&***table)).count();
        match tables.first() {
            Some(first) if together == tables.len() => {
                return self.define_one(text, &**first, &Definition::Truncate { names, restart });
            }
            _ if together > 0 => {
                return Err(Error::new(Code::Unsupported, "TRUNCATE of native and DBF tables in one statement"));
            }
            _ => {}
        }
        let mut count = 0;
        for (table, name) in tables.iter().zip(names) {
            let one = Definition::Truncate { names: std::slice::from_ref(name), restart };
            count += self.define_one(text, &**table, &one)?.changed().unwrap_or_default();
        }
        Ok(nothing().with_changed(count))
    }

    /// PACK, ZAP, REINDEX.
    pub(super) fn upkeep(&mut self, upkeep: Upkeep, table: &str) -> Result<Answer> {
        let change = match upkeep {
            Upkeep::Pack => Definition::Pack,
            Upkeep::Zap => Definition::Zap,
            Upkeep::Reindex => Definition::Reindex,
        };
        self.define_table("", &Name::new(table), &change)
    }

    /// DROP. Tables and indexes whose definitions change outside of transactions are dropped one by one, before the others.
    pub(super) fn drop_objects(&mut self, text: &str, drop: &Drop) -> Result<Answer> {
        let (mut others, mut is_done) = (Vec::new(), false);
        for name in &drop.names {
            let table = match drop.kind {
                DropKind::Table => self.writable_file(name)?,
                DropKind::Index => self.table_of_index(drop, name)?,
                _ => None,
            };
            match table.filter(|table| is_alone(&**table)) {
                Some(table) => {
                    let one = Drop { names: vec![name.clone()], ..drop.clone() };
                    self.define_one(text, &*table, &Definition::Drop(&one))?;
                    is_done = true;
                }
                None => others.push(name.clone()),
            }
        }
        match is_done && others.is_empty() {
            true => Ok(nothing()),
            false => self.drop_native(text, &Drop { names: others, ..drop.clone() }),
        }
    }

    /// The table outside of the store that an index is to be dropped from: the one that is named (`ON t`, `t.index`), or the
    /// only one that has such an index.
    fn table_of_index(&self, drop: &Drop, index: &Name) -> Result<Option<Arc<dyn WritableTable>>> {
        let named = drop.table.clone().or_else(|| index.schema.as_deref().map(Name::new));
        if let Some(named) = named {
            let table = self.writable_file(&named)?;
            return Ok(table.filter(|table| !drop.if_exists || table.has_index(&index.key)));
        }
        if self.transaction.scope(self.native()).has_index(&index.key) {
            return Ok(None);
        }
        let mut found = self.database.shared.catalog.writable_files()?;
        found.retain(|table| table.has_index(&index.key));
        if found.len() > 1 {
            let error = Error::new(Code::Ambiguous, format!("{} tables have an index {index}", found.len()));
            return Err(error.hint(format!("write DROP INDEX {index} ON and the table")));
        }
        Ok(found.pop())
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

    /// CREATE TABLE of a DBF or an ADT table.
    pub(super) fn create_dbf(&mut self, create: &CreateTable) -> Result<Answer> {
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
        new.create(shared.catalog.file_system(), self.write_settings())?;
        shared.catalog.refresh()?;
        let Some(query) = &create.query else { return Ok(nothing()) };
        let filled = self.other(&format!("INSERT INTO {} {query}", name.quoted()));
        filled.inspect_err(|_| {
            new.remove(shared.catalog.file_system());
            // The error that led here is the one to report.
            let _ = shared.catalog.refresh();
        })
    }
}
