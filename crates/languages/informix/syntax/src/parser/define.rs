//! CREATE, ALTER, DROP and RENAME.

use super::Parser;
use super::primary::refused;
use crate::error::Parse;
use crate::lexer::Kind;
use crate::tree::{
    Column, Constraint, ConstraintKind, CreateIndex, CreateTable, Expr, Literal, Statement, TableAction,
};

impl Parser<'_> {
    pub(super) fn create(&mut self) -> Parse<Statement> {
        self.expect("CREATE")?;
        if let Some(statement) = self.create_module()? {
            return Ok(statement);
        }
        let words = [
            "TEMP TABLE",
            "STANDARD TABLE",
            "RAW TABLE",
            "TABLE",
            "UNIQUE CLUSTER INDEX",
            "UNIQUE INDEX",
            "DISTINCT INDEX",
            "CLUSTER INDEX",
            "INDEX",
            "VIEW",
            "SEQUENCE",
            "PUBLIC SYNONYM",
            "PRIVATE SYNONYM",
            "SYNONYM",
        ];
        match self.accept_any(&words) {
            Some("TEMP TABLE") => self.create_table(true),
            Some("TABLE" | "STANDARD TABLE" | "RAW TABLE") => self.create_table(false),
            Some("INDEX" | "CLUSTER INDEX") => self.create_index(false),
            Some("VIEW") => {
                let name = self.object_name()?;
                let columns = if self.sees("(") { self.names()? } else { Vec::new() };
                self.expect("AS")?;
                let query = self.query()?;
                self.accept("WITH CHECK OPTION");
                Ok(Statement::CreateView(name, columns, Box::new(query)))
            }
            Some("SEQUENCE") => self.create_sequence(),
            Some("SYNONYM" | "PUBLIC SYNONYM" | "PRIVATE SYNONYM") => self.create_synonym(),
            Some(_) => self.create_index(true),
            None if self.sees("ROLE") => Ok(self.rest("CREATE ROLE")),
            None if self.accept("DATABASE") => {
                let if_not_exists = self.accept("IF NOT EXISTS");
                let name = self.name()?;
                // IN dbspace, WITH LOG and the like.
                self.rest("CREATE DATABASE");
                Ok(Statement::CreateDatabase(name, if_not_exists))
            }
            None => Err(refused(&format!("CREATE {}", self.token_text(0).to_uppercase()))),
        }
    }

    fn create_synonym(&mut self) -> Parse<Statement> {
        let if_not_exists = self.accept("IF NOT EXISTS");
        let name = self.object_name()?;
        self.expect("FOR")?;
        Ok(Statement::CreateSynonym(name, self.object_name()?, if_not_exists))
    }

    fn create_sequence(&mut self) -> Parse<Statement> {
        let name = self.object_name()?;
        let mut options = Vec::new();
        let words = [
            "INCREMENT",
            "START",
            "MAXVALUE",
            "MINVALUE",
            "CACHE",
            "NOMAXVALUE",
            "NOMINVALUE",
            "NOCYCLE",
            "CYCLE",
            "NOCACHE",
            "NOORDER",
            "ORDER",
        ];
        while let Some(word) = self.accept_any(&words) {
            let mut number = None;
            if matches!(word, "INCREMENT" | "START" | "MAXVALUE" | "MINVALUE" | "CACHE") {
                let _ = self.accept_any(&["BY", "WITH"]);
                let sign = if self.accept("-") { "-" } else { "" };
                if self.kind() != Kind::Integer {
                    return Err(self.unexpected());
                }
                number = Some(format!("{sign}{}", self.token_text(0)));
                self.advance();
            }
            options.push((word.to_owned(), number));
        }
        Ok(Statement::CreateSequence(name, options))
    }

    fn create_table(&mut self, is_temporary: bool) -> Parse<Statement> {
        let if_not_exists = self.accept("IF NOT EXISTS");
        let name = self.object_name()?;
        self.expect("(")?;
        let (mut columns, mut constraints) = (Vec::new(), Vec::new());
        loop {
            match self.table_constraint()? {
                Some(constraint) => constraints.push(constraint),
                None => columns.push(self.column()?),
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        self.storage_options()?;
        let table = CreateTable { name, is_temporary, if_not_exists, columns, constraints };
        Ok(Statement::CreateTable(Box::new(table)))
    }

    /// Options of where and how rows are kept, which mean nothing here: IN dbspace, EXTENT SIZE, LOCK MODE, WITH NO LOG.
    fn storage_options(&mut self) -> Parse<()> {
        loop {
            if self.accept("WITH NO LOG") || self.accept("WITH ROWIDS") {
                continue;
            }
            if self.accept_any(&["FRAGMENT BY", "PARTITION BY", "PUT"]).is_some() {
                self.rest("");
                return Ok(());
            }
            if self.accept_any(&["COMPRESSED", "WITH CRCOLS", "WITH ERKEY", "WITH VERCOLS", "WITH AUDIT"]).is_some() {
                continue;
            }
            if self.accept_any(&["EXTENT SIZE", "NEXT SIZE"]).is_some() {
                self.number()?;
            } else if self.accept("LOCK MODE") {
                let parenthesis = self.accept("(");
                self.name()?;
                if parenthesis {
                    self.expect(")")?;
                }
            } else if self.accept("IN") {
                self.name()?;
            } else {
                return Ok(());
            }
        }
    }

    /// A constraint of the table: its words stand where a column's name would.
    fn table_constraint(&mut self) -> Parse<Option<Constraint>> {
        let begins = ["PRIMARY KEY", "UNIQUE (", "DISTINCT (", "CHECK (", "FOREIGN KEY", "CONSTRAINT"];
        if !begins.iter().any(|words| self.sees(words)) {
            return Ok(None);
        }
        let mut name = if self.accept("CONSTRAINT") { Some(self.name()?) } else { None };
        let kind = match self.accept_any(&["PRIMARY KEY", "UNIQUE", "DISTINCT", "CHECK", "FOREIGN KEY"]) {
            Some("PRIMARY KEY") => ConstraintKind::PrimaryKey(self.names()?),
            Some("UNIQUE" | "DISTINCT") => ConstraintKind::Unique(self.names()?),
            Some("CHECK") => self.check()?,
            Some(_) => {
                let columns = self.names()?;
                self.expect("REFERENCES")?;
                self.references(columns)?
            }
            None => return Err(self.unexpected()),
        };
        // The name may also stand behind.
        if name.is_none() && self.accept("CONSTRAINT") {
            name = Some(self.name()?);
        }
        self.accept_any(&["ENABLED", "DISABLED"]);
        Ok(Some(Constraint { name, kind }))
    }

    fn check(&mut self) -> Parse<ConstraintKind> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(ConstraintKind::Check(condition))
    }

    fn references(&mut self, columns: Vec<crate::tree::Name>) -> Parse<ConstraintKind> {
        let table = self.object_name()?;
        let others = if self.sees("(") { self.names()? } else { Vec::new() };
        let cascades = self.accept("ON DELETE CASCADE");
        Ok(ConstraintKind::References(columns, table, others, cascades))
    }

    fn column(&mut self) -> Parse<Column> {
        let name = self.name()?;
        let (data_type, start) = self.data_type()?;
        let (mut not_null, mut default, mut constraints) = (false, None, Vec::new());
        loop {
            if self.accept("DEFAULT") {
                default = Some(self.default_value()?);
                continue;
            }
            let (is_not_null, kind) = match self.accept_any(&[
                "NOT NULL",
                "NULL",
                "PRIMARY KEY",
                "UNIQUE",
                "DISTINCT",
                "CHECK",
                "REFERENCES",
            ]) {
                Some("NOT NULL") => (true, None),
                Some("NULL") => (false, None),
                Some("PRIMARY KEY") => (false, Some(ConstraintKind::PrimaryKey(Vec::new()))),
                Some("UNIQUE" | "DISTINCT") => (false, Some(ConstraintKind::Unique(Vec::new()))),
                Some("CHECK") => (false, Some(self.check()?)),
                Some(_) => (false, Some(self.references(Vec::new())?)),
                None => break,
            };
            not_null |= is_not_null;
            let constraint_name = if self.accept("CONSTRAINT") { Some(self.name()?) } else { None };
            constraints.extend(kind.map(|kind| Constraint { name: constraint_name, kind }));
        }
        Ok(Column { name, data_type, start, not_null, default, constraints })
    }

    fn default_value(&mut self) -> Parse<Expr> {
        if self.accept("NULL") {
            return Ok(Expr::Literal(Literal::Null));
        }
        self.value()
    }

    pub(super) fn alter(&mut self) -> Parse<Statement> {
        self.expect("ALTER")?;
        if self.sees("INDEX") {
            return Ok(self.rest("ALTER INDEX"));
        }
        if !self.accept("TABLE") {
            return Err(refused(&format!("ALTER {}", self.token_text(0).to_uppercase())));
        }
        let name = self.object_name()?;
        let mut actions = Vec::new();
        loop {
            self.alter_action(&mut actions)?;
            if !self.accept(",") {
                return Ok(Statement::AlterTable(name, actions));
            }
        }
    }

    fn alter_action(&mut self, actions: &mut Vec<TableAction>) -> Parse<()> {
        if self.accept("ADD CONSTRAINT") {
            let parenthesis = self.accept("(");
            loop {
                let constraint = self.table_constraint()?.ok_or_else(|| self.unexpected())?;
                actions.push(TableAction::AddConstraint(constraint));
                if !parenthesis || !self.accept(",") {
                    break;
                }
            }
            if parenthesis {
                self.expect(")")?;
            }
            return Ok(());
        }
        if self.accept("DROP CONSTRAINT") {
            let names = if self.sees("(") { self.names()? } else { vec![self.name()?] };
            actions.extend(names.into_iter().map(TableAction::DropConstraint));
            return Ok(());
        }
        match self.accept_any(&["ADD", "MODIFY", "DROP"]) {
            Some("DROP") => {
                let names = if self.sees("(") { self.names()? } else { vec![self.name()?] };
                actions.extend(names.into_iter().map(TableAction::Drop));
            }
            Some(word) => {
                let parenthesis = self.accept("(");
                loop {
                    let column = self.column()?;
                    if self.accept("BEFORE") {
                        return Err(crate::error::SqlError::unsupported(
                            "ADD of a column BEFORE another one, which changes the order of columns",
                        ));
                    }
                    actions.push(if word == "ADD" { TableAction::Add(column) } else { TableAction::Modify(column) });
                    if !parenthesis || !self.accept(",") {
                        break;
                    }
                }
                if parenthesis {
                    self.expect(")")?;
                }
            }
            None if self.accept_any(&["NEXT SIZE", "EXTENT SIZE"]).is_some() => {
                self.number()?;
            }
            None if self.accept_any(&["LOCK MODE", "TYPE"]).is_some() => {
                self.expect("(")?;
                self.name()?;
                self.expect(")")?;
            }
            None => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn create_index(&mut self, is_unique: bool) -> Parse<Statement> {
        let if_not_exists = self.accept("IF NOT EXISTS");
        let name = self.object_name()?;
        self.expect("ON")?;
        let table = self.object_name()?;
        self.expect("(")?;
        let columns = self.list(|it| {
            let column = it.name()?;
            let descending = it.accept_any(&["ASC", "DESC"]) == Some("DESC");
            Ok((column, descending))
        })?;
        self.expect(")")?;
        if self.accept("USING") {
            self.name()?;
        }
        self.storage_options()?;
        self.accept_any(&["ONLINE", "ENABLED"]);
        Ok(Statement::CreateIndex(Box::new(CreateIndex { name, table, is_unique, if_not_exists, columns })))
    }

    pub(super) fn drop(&mut self) -> Parse<Statement> {
        self.expect("DROP")?;
        let words = ["SPECIFIC PROCEDURE", "SPECIFIC FUNCTION", "SPECIFIC ROUTINE", "PROCEDURE", "FUNCTION", "ROUTINE"];
        if let Some(kind) = self.accept_any(&words) {
            return self.drop_routine(kind);
        }
        if self.sees("ROLE") {
            return Ok(self.rest("DROP ROLE"));
        }
        if self.accept("DATABASE") {
            let if_exists = self.accept("IF EXISTS");
            return Ok(Statement::DropDatabase(self.name()?, if_exists));
        }
        if self.accept("TRIGGER") {
            let if_exists = self.accept("IF EXISTS");
            return Ok(Statement::DropTrigger(self.object_name()?, if_exists));
        }
        let Some(kind) = self.accept_any(&["TABLE", "VIEW", "INDEX", "SEQUENCE", "SYNONYM"]) else {
            return Err(refused(&format!("DROP {}", self.token_text(0).to_uppercase())));
        };
        let if_exists = self.accept("IF EXISTS");
        let name = self.object_name()?;
        self.accept_any(&["CASCADE", "RESTRICT"]);
        Ok(Statement::Drop(kind.to_owned(), name, if_exists))
    }

    pub(super) fn rename(&mut self) -> Parse<Statement> {
        self.expect("RENAME")?;
        match self.accept_any(&["TABLE", "COLUMN"]) {
            Some("TABLE") => {
                let name = self.object_name()?;
                self.expect("TO")?;
                Ok(Statement::RenameTable(name, self.name()?))
            }
            Some(_) => {
                let name = self.object_name()?;
                self.expect("TO")?;
                Ok(Statement::RenameColumn(name, self.name()?))
            }
            None => Err(refused(&format!("RENAME {}", self.token_text(0).to_uppercase()))),
        }
    }
}
