//! ALTER TABLE ... ALTER COLUMN.
//!
//! ```text
//!   ALTER COLUMN c TYPE t USING what an assignment makes of the old value     245, 2628, 8115 as for any UPDATE
//!   SET or DROP NOT NULL
//! ```
//!
//! The statement takes effect as a whole, or not at all.

use crate::definitions::dependencies::OfColumn;
use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce::{self, Scope, quoted, type_name};
use mainstay_tsql_syntax::tree::{Column, ColumnKind, ColumnProperty, ObjectName};
use mainstay_tsql_types::{Length, Message};
use mainstay_vm::Raised;

impl Inner {
    /// Does something as one: all of it, or nothing if it fails.
    pub(crate) fn as_one<T>(
        &mut self,
        work: impl FnOnce(&mut Inner) -> Result<T, Box<Raised>>,
    ) -> Result<T, Box<Raised>> {
        let own = self.state.transactions == 0;
        self.execute(if own { "BEGIN" } else { "SAVEPOINT \"#one\"" })?;
        let before = std::mem::take(&mut self.state.has_defined);
        let outcome = self.ended(own, work);
        let has_defined = std::mem::replace(&mut self.state.has_defined, before);
        self.state.has_defined |= has_defined && !own;
        if !has_defined || !own && outcome.is_ok() {
            return outcome;
        }
        // Other sessions may have looked up its objects before they were visible, and this one objects that are rolled
        // back.
        self.instance.version.bump();
        let refreshed = self.refresh().map_err(raised);
        outcome.and_then(|done| refreshed.map(|()| done))
    }

    /// Does something and ends the transaction or savepoint that was begun for it.
    fn ended<T>(
        &mut self,
        own: bool,
        work: impl FnOnce(&mut Inner) -> Result<T, Box<Raised>>,
    ) -> Result<T, Box<Raised>> {
        let outcome = work(self);
        if outcome.is_err() && !self.core.is_in_transaction() {
            // A deadlock's victim has nothing left to undo.
            return outcome;
        }
        let end = match (own, outcome.is_ok()) {
            (true, true) => "COMMIT",
            (true, false) => "ROLLBACK",
            (false, true) => "RELEASE SAVEPOINT \"#one\"",
            (false, false) => "ROLLBACK TO SAVEPOINT \"#one\"",
        };
        let ended = self.execute(end);
        let done = outcome?;
        ended.map(|_| done)
    }

    /// Gives a column another type, or lets it be NULL or not.
    pub(crate) fn alter_column(&mut self, name: &ObjectName, column: &Column) -> Result<(), Box<Raised>> {
        let ColumnKind::Stored(declared) = &column.kind else {
            return Err(raised(reduce::not_supported("ALTER COLUMN of this form")));
        };
        let names = self.names(&[]);
        let table = names.table(name).map_err(raised)?;
        let data_type = reduce::column_type(column, declared, 1, &names).map_err(raised)?;
        let Some(known) = names.columns(name) else {
            return Err(raised(Message::numbered(4902, &[&crate::definitions::define::shown_name(name)])));
        };
        let Some(old) = known.into_iter().find(|known| column.name.is(&known.name)) else {
            let text = format!(
                "ALTER TABLE ALTER COLUMN failed because column '{}' does not exist in table '{}'.",
                column.name.text,
                name.last()
            );
            return Err(raised(Message::error(4924, text)));
        };
        if old.is_computed {
            let text = format!("Cannot alter column '{}' because it is 'COMPUTED'.", old.name);
            return Err(raised(Message::error(4928, text)));
        }
        let (known_name, is_altered) = (old.name.clone(), old.data_type != data_type);
        if is_altered {
            self.check_dependents(name, &known_name, OfColumn::Alter(data_type), &[])?;
        }
        let by = column.collation().map(|name| reduce::collation(&name.text)).transpose().map_err(raised)?;
        let nullable = column.properties.iter().find_map(|property| match property {
            ColumnProperty::Nullable(nullable) => Some(*nullable),
            _ => None,
        });
        let (own, is_same) = (quoted(&old.name), old.data_type == data_type && by.is_none());
        let by = by.map_or_else(String::new, |by| format!(" COLLATE \"{}\"", by.name()));
        let word = if nullable == Some(false) { "SET" } else { "DROP" };
        self.as_one(|inner| {
            if !is_same {
                let of = format!("{}@{}", name.last(), column.name.text);
                let is_limited = matches!(data_type.length(), Some(Length::Limited(_)));
                let named = if is_limited { format!("@dbo.{of}") } else { String::new() };
                let assigned = quoted(&format!("mssql:assign:{data_type}{named}"));
                let new = format!("{}{by} USING {assigned}({own})", type_name(data_type));
                inner.execute(&format!("ALTER TABLE {table} ALTER COLUMN {own} TYPE {new}"))?;
            }
            inner.execute(&format!("ALTER TABLE {table} ALTER COLUMN {own} {word} NOT NULL")).map(|_| ())
        })
        .map_err(|error| self.explained(error, "UPDATE", name))?;
        self.keep_type(name, column)
    }
}
