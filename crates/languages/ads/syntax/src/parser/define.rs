//! CREATE, ALTER and DROP.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::{Column, CreateIndex, CreateTable, Name, Statement, StatementKind, TableAction};
use mainstay_ads_types::native;

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> Parse<StatementKind> {
        let is_alter = self.sees("ALTER");
        if self.accept("DROP") {
            return self.drop();
        }
        self.advance();
        if is_alter && self.accept_any(&["ONLINE TABLE", "ONLINE_WITH_TRANSITION TABLE", "TABLE"]).is_some() {
            return self.alter_table();
        }
        if is_alter {
            return self.module(true);
        }
        self.accept("ONLINE");
        match self.accept_any(&["TABLE", "UNIQUE INDEX", "INDEX", "VIEW", "DATABASE", "PACKAGE"]) {
            Some("TABLE") => self.create_table(),
            Some("UNIQUE INDEX") => self.create_index(true),
            Some("INDEX") => self.create_index(false),
            Some("VIEW") => {
                let name = self.object_name()?;
                self.expect("AS")?;
                Ok(StatementKind::CreateView(name, Box::new(self.query()?)))
            }
            Some("PACKAGE") => {
                let name = self.name()?;
                self.description()?;
                Ok(StatementKind::CreatePackage(name))
            }
            Some(_) => Ok(self.rest("CREATE DATABASE")),
            None => self.module(false),
        }
    }

    pub(super) fn description(&mut self) -> Parse<()> {
        if self.accept("DESCRIPTION") {
            self.string()?;
        }
        Ok(())
    }

    fn drop(&mut self) -> Parse<StatementKind> {
        const KINDS: [&str; 7] = ["TABLE", "INDEX", "VIEW", "PROCEDURE", "FUNCTION", "TRIGGER", "PACKAGE"];
        let Some(kind) = self.accept_any(&KINDS) else { return Err(self.unexpected()) };
        let name = if kind == "TABLE" { self.table_name()? } else { self.object_name()? };
        match kind {
            "TABLE" => {
                let keeps_files = self.accept("FROM DATABASE") && self.accept("NO_DELETE");
                Ok(StatementKind::DropTable(name, keeps_files))
            }
            "INDEX" => Ok(StatementKind::DropIndex(name)),
            kind => Ok(StatementKind::Drop(kind.to_owned(), name)),
        }
    }

    fn create_table(&mut self) -> Parse<StatementKind> {
        let name = self.table_name()?;
        self.expect("(")?;
        let (mut columns, mut primary_key) = (Vec::new(), None);
        loop {
            if self.accept("PRIMARY KEY") {
                primary_key = Some((None, self.key_columns()?));
            } else if self.accept("CONSTRAINT") {
                let index = self.name()?;
                self.expect("PRIMARY KEY")?;
                primary_key = Some((Some(index), self.key_columns()?));
            } else {
                columns.push(self.column()?);
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        let mut is_free = false;
        while let Some(words) = self.accept_any(&["IN DATABASE", "AS FREE TABLE", "IGNORE TRANSACTIONS"]) {
            is_free |= words == "AS FREE TABLE";
        }
        if self.accept("MEMOBLOCKSIZE") {
            self.number()?;
        }
        Ok(StatementKind::CreateTable(Box::new(CreateTable { name, columns, primary_key, is_free })))
    }

    fn key_columns(&mut self) -> Parse<Vec<Name>> {
        self.expect("(")?;
        let columns = self.list(|it| {
            let name = it.any_name()?;
            let _ = it.accept_any(&["ASC", "DESC"]);
            Ok(name)
        })?;
        self.expect(")")?;
        Ok(columns)
    }

    fn column(&mut self) -> Parse<Column> {
        let name = self.any_name()?;
        let data_type = self.data_type()?;
        if crate::reduce::sql_type(&data_type).is_none() {
            let text = format!("No such type: {}", super::primary::type_text(&data_type));
            return Err(SqlError::at(native::TYPE, data_type.span, text));
        }
        let mut column = Column {
            name,
            data_type,
            not_null: false,
            primary_key: false,
            default: None,
            range: (None, None),
            error_message: None,
        };
        loop {
            if self.accept("NOT NULL") || self.accept("CONSTRAINT NOT NULL") {
                column.not_null = true;
            } else if self.accept("PRIMARY KEY") {
                column.primary_key = true;
            } else if self.accept("CONSTRAINT MINIMUM") {
                column.range.0 = Some(self.string()?);
            } else if self.accept("CONSTRAINT MAXIMUM") {
                column.range.1 = Some(self.string()?);
            } else if self.accept("CONSTRAINT ERROR MESSAGE") {
                column.error_message = Some(self.string()?);
            } else if self.accept("DEFAULT") {
                column.default = Some(self.default_text()?);
            } else if self.sees("CONSTRAINT") && self.is(2, "PRIMARY") {
                self.advance();
                self.name()?;
                self.expect("PRIMARY KEY")?;
                column.primary_key = true;
            } else if self.accept_any(&["NULL", "NOCPTRANS"]).is_none() {
                return Ok(column);
            }
        }
    }

    /// The text of an expression; numbers are taken without quotes, too.
    fn default_text(&mut self) -> Parse<String> {
        use mainstay_syntax::TokenKind::{Decimal, Integer};
        let sign = if self.accept("-") { "-" } else { "" };
        if matches!(self.kind(), Integer | Decimal) {
            let text = format!("{sign}{}", self.token_text(0));
            self.advance();
            return Ok(text);
        }
        self.string()
    }

    fn alter_table(&mut self) -> Parse<StatementKind> {
        let name = self.table_name()?;
        let mut actions = Vec::new();
        loop {
            let action = if self.accept("ADD COLUMN") || self.accept("ADD") {
                TableAction::Add(self.column()?)
            } else if self.accept("ALTER COLUMN") || self.accept("ALTER") {
                let column = self.any_name()?;
                if self.sees("DROP") {
                    return Ok(self.rest("ALTER TABLE of a constraint"));
                }
                TableAction::Alter(column, self.column()?)
            } else if self.accept("DROP COLUMN") || self.accept("DROP") {
                if self.sees("CONSTRAINT") || self.sees("PRIMARY") {
                    return Ok(self.rest("ALTER TABLE of a constraint"));
                }
                TableAction::Drop(self.any_name()?)
            } else if self.accept("MEMOBLOCKSIZE") {
                self.number()?;
                continue;
            } else if self.accept("IGNORE TRANSACTIONS") || self.accept("RESPECT TRANSACTIONS") {
                continue;
            } else {
                break;
            };
            actions.push(action);
            if self.accept("POSITION") {
                self.number()?;
            }
        }
        if actions.is_empty() {
            return Err(self.unexpected());
        }
        Ok(StatementKind::AlterTable(name, actions))
    }

    fn create_index(&mut self, unique: bool) -> Parse<StatementKind> {
        let name = self.name()?;
        self.expect("ON")?;
        let table = self.table_name()?;
        self.expect("(")?;
        let columns = self.list(|it| {
            let column = it.any_name()?;
            let descending = it.accept_any(&["ASC", "DESC"]) == Some("DESC");
            Ok((column, descending))
        })?;
        self.expect(")")?;
        let (is_candidate, content) = self.index_options()?;
        let unique = unique || is_candidate;
        Ok(StatementKind::CreateIndex(Box::new(CreateIndex { name, table, unique, columns, content })))
    }

    /// The statements between BEGIN and END.
    pub(super) fn body(&mut self) -> Parse<Vec<Statement>> {
        self.expect("BEGIN")?;
        let statements = self.statements(&["END"])?;
        if !self.sees("END") {
            return Err(self.unexpected());
        }
        Ok(statements)
    }
}
