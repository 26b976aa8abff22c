//! Which statement it is, and the statements of transactions and settings.

use super::Parser;
use super::primary::refused;
use crate::error::Parse;
use crate::lexer::Kind;
use crate::tree::{Explain, Statement};

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parse<Statement> {
        let word = self.token_text(0).to_ascii_uppercase();
        match word.as_str() {
            "SELECT" | "WITH" => self.query().map(|query| Statement::Query(Box::new(query))),
            "INSERT" => self.insert(),
            "UPDATE" if self.is(1, "STATISTICS") => Ok(self.rest("UPDATE STATISTICS")),
            "UPDATE" => self.update(),
            "DELETE" => self.delete(),
            "CREATE" => self.create(),
            "ALTER" => self.alter(),
            "DROP" => self.drop(),
            "RENAME" => self.rename(),
            "TRUNCATE" => {
                self.advance();
                self.accept("TABLE");
                let name = self.object_name()?;
                self.accept_any(&["DROP STORAGE", "REUSE STORAGE"]);
                Ok(Statement::Truncate(name))
            }
            "BEGIN" => self.work(Statement::Begin),
            "COMMIT" => self.work(Statement::Commit),
            "ROLLBACK" => {
                self.advance();
                self.accept("WORK");
                if !self.accept("TO SAVEPOINT") {
                    return Ok(Statement::Rollback(None));
                }
                let is_name = self.kind() != Kind::End;
                Ok(Statement::Rollback(if is_name { Some(self.name()?) } else { None }))
            }
            "SAVEPOINT" => {
                self.advance();
                let name = self.name()?;
                self.accept("UNIQUE");
                Ok(Statement::Savepoint(name))
            }
            "RELEASE" => {
                self.expect("RELEASE SAVEPOINT")?;
                self.name().map(Statement::ReleaseSavepoint)
            }
            "DATABASE" => {
                self.advance();
                let name = self.name()?;
                self.accept("EXCLUSIVE");
                Ok(Statement::Database(name))
            }
            "SET" => self.set(),
            "CLOSE" if self.is(1, "DATABASE") => Ok(self.rest("CLOSE DATABASE")),
            "LOCK" | "UNLOCK" => Ok(self.rest(&format!("{word} TABLE"))),
            "GRANT" | "REVOKE" => self.rights(),
            "EXECUTE" => self.execute().map(|call| Statement::Execute(Box::new(call))),
            "CALL" => {
                self.advance();
                self.invocation().map(|call| Statement::Execute(Box::new(call)))
            }
            "MERGE" => self.merge(),
            _ => Err(self.unexpected()),
        }
    }

    fn explain(&mut self) -> Parse<Explain> {
        if self.accept("OFF") {
            return Ok(Explain::Off);
        }
        if self.accept("ON") {
            return Ok(Explain::On { avoids_execution: self.accept("AVOID_EXECUTE") });
        }
        self.expect("FILE TO")?;
        let name = self.string()?;
        Ok(Explain::File { name, appends: self.accept("WITH APPEND") })
    }

    fn work(&mut self, statement: Statement) -> Parse<Statement> {
        self.advance();
        self.accept("WORK");
        Ok(statement)
    }

    /// Takes a statement that has no effect here.
    pub(super) fn rest(&mut self, words: &str) -> Statement {
        while self.kind() != Kind::End && !self.sees(";") {
            self.advance();
        }
        Statement::NoEffect(words.to_owned())
    }

    fn set(&mut self) -> Parse<Statement> {
        self.expect("SET")?;
        if self.accept("ISOLATION") {
            self.accept("TO");
            let mut words = Vec::new();
            while self.kind() == Kind::Word {
                words.push(self.token_text(0).to_ascii_uppercase());
                self.advance();
            }
            return Ok(Statement::Isolation(words.join(" ")));
        }
        if self.accept("TRANSACTION ISOLATION LEVEL") {
            let levels = ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];
            let level = self.accept_any(&levels).ok_or_else(|| self.unexpected())?;
            // The levels of ISO SQL are those of SET ISOLATION under other names.
            return Ok(Statement::Isolation(match level {
                "READ UNCOMMITTED" => "DIRTY READ".to_owned(),
                "READ COMMITTED" => "COMMITTED READ".to_owned(),
                _ => "REPEATABLE READ".to_owned(),
            }));
        }
        if self.accept("LOCK MODE TO NOT WAIT") {
            return Ok(Statement::LockMode(Some(0)));
        }
        if self.accept("LOCK MODE TO WAIT") {
            let seconds = if self.kind() == Kind::Integer { Some(self.number()?.into()) } else { None };
            return Ok(Statement::LockMode(seconds));
        }
        if let Some(statement) = self.set_triggers()? {
            return Ok(statement);
        }
        if self.accept("EXPLAIN") {
            return self.explain().map(Statement::Explain);
        }
        const NO_EFFECT: [&str; 9] = [
            "ROLE",
            "OPTIMIZATION",
            "PDQPRIORITY",
            "LOG",
            "BUFFERED",
            "STATEMENT",
            "ENVIRONMENT",
            "CONSTRAINTS",
            "DEBUG",
        ];
        match NO_EFFECT.iter().find(|word| self.sees(word)) {
            Some(word) => Ok(self.rest(&format!("SET {word}"))),
            None => Err(refused(&format!("SET {}", self.token_text(0).to_uppercase()))),
        }
    }
}
