//! Table variables: created, dropped, and preserved over a rollback.
//!
//! They are temporary tables of the core, which rolls their changes back with the transaction. SQL Server's are no part
//! of any transaction: so their rows are read before a rollback and put back after it, into a table that is created
//! again if the transaction had created it.

use crate::definitions::definition_errors::check_key_columns;
use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_engine::CollectedRows;
use mainstay_tsql_syntax::reduce::{self, quoted};
use mainstay_tsql_syntax::tree::TableElement;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::Raised;
use std::sync::Arc;

/// A table variable with the rows that it has.
pub(crate) struct Remembered {
    core: String,
    made_by: Arc<[String]>,
    /// The columns that take values, and the rows of these.
    columns: Vec<String>,
    rows: CollectedRows,
    /// The number that its identity column gives next.
    next: Option<i64>,
}

impl Inner {
    /// Makes a table variable of the innermost level.
    ///
    /// Errors: those of types, and of making a table.
    pub(crate) fn make_table_variable(&mut self, name: &str, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        let variable = crate::session::object_name(&format!("[{name}]"));
        self.check_columns(&variable, elements)?;
        check_key_columns(elements)?;
        let table = self.new_temporary(name)?;
        let statements = reduce::create_table(&table, elements, true, &self.names(&[])).map_err(raised)?;
        for statement in &statements {
            self.execute(statement)?;
        }
        self.note_indexes(&variable, elements)?;
        let level = self.state.level();
        if let Some(made) = level.and_then(|level| level.tables.get_mut(&name.to_lowercase())) {
            made.made_by = statements.into();
        }
        Ok(())
    }

    /// Drops a table variable of the innermost level.
    pub(crate) fn drop_variable(&mut self, name: &str) {
        let Some(table) = self.state.levels.last_mut().and_then(|level| level.tables.remove(name)) else { return };
        // A table that a rollback has taken away is not there any more.
        let _ = self.core.execute_uninterrupted(&format!("DROP TABLE IF EXISTS {}", quoted(&table.core)));
        self.state.names_changed();
    }

    /// Returns true if a level has table variables.
    pub(crate) fn has_table_variables(&self) -> bool {
        let mut tables = self.state.levels.iter().flat_map(|level| level.tables.values());
        tables.any(|table| !table.borrowed && !table.made_by.is_empty())
    }

    /// The table variables of all levels, with their rows.
    pub(crate) fn table_variables(&mut self) -> Vec<Remembered> {
        let own = self.state.levels.iter().flat_map(|level| level.tables.values());
        let own = own.filter(|table| !table.borrowed && !table.made_by.is_empty());
        let tables: Vec<(String, Arc<[String]>)> =
            own.map(|table| (table.core.clone(), Arc::clone(&table.made_by))).collect();
        tables.into_iter().filter_map(|(core, made_by)| self.remembered(core, made_by)).collect()
    }

    /// One of them; `None` if its rows cannot be read any more.
    fn remembered(&mut self, core: String, made_by: Arc<[String]>) -> Option<Remembered> {
        let known = self.core.changeable_columns(&core).ok()??;
        let columns: Vec<String> =
            known.iter().filter(|column| !column.is_computed).map(|column| column.field.name().clone()).collect();
        let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let text = format!("SELECT {} FROM {} ORDER BY _rowid", list.join(", "), quoted(&core));
        let mut plan = self.plan(&text, Vec::new(), Vec::new()).ok()?;
        let rows = self.rows_of(&mut plan, &[]).ok()?.rows;
        let next = self.core.identity(&core).ok().flatten().and_then(|identity| identity.next);
        Some(Remembered { core, made_by, columns, rows, next })
    }

    /// Gives them their rows back.
    ///
    /// Errors: those of making a table and of filling it.
    pub(crate) fn restore_variables(&mut self, remembered: Vec<Remembered>) -> Result<(), Box<Raised>> {
        for Remembered { core, made_by, columns, rows, next } in remembered {
            let table = quoted(&core);
            match self.core.changeable_columns(&core) {
                Ok(Some(_)) => self.execute(&format!("DELETE FROM {table} AS \"#t\"")).map(drop)?,
                _ => made_by.iter().try_for_each(|statement| self.execute(statement).map(drop))?,
            }
            if let Some(next) = next {
                self.core.set_identity(&core, next).map_err(crate::statements::errors::raised_error)?;
            }
            if rows.is_empty() {
                continue;
            }
            let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
            let marks = vec!["?"; columns.len()].join(", ");
            let text = format!("INSERT INTO {table} ({}) VALUES ({marks})", list.join(", "));
            let mut prepared = self.core.prepare(&text).map_err(crate::statements::errors::raised_error)?;
            for row in rows.iter() {
                let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
                prepared.execute(&mut self.core, &values).map_err(crate::statements::errors::raised_error)?;
            }
        }
        Ok(())
    }
}
