//! GRANT and REVOKE, and the statements about routines.
//!
//! Rights are read as far as the table that they are on; there is no routine to call, so each name of one is an error.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::lexer::Kind;
use crate::tree::Statement;

/// -674: a routine of this name and these parameters is not there.
const ROUTINE: i32 = -674;

impl Parser<'_> {
    /// `GRANT rights ON table TO users`, `GRANT CONNECT TO users`, and REVOKE with FROM.
    pub(super) fn rights(&mut self) -> Parse<Statement> {
        let word = self.token_text(0).to_ascii_uppercase();
        let direction = if word == "GRANT" { "TO" } else { "FROM" };
        self.advance();
        let first = self.at;
        while !self.sees("ON") && !self.sees(direction) {
            match self.kind() {
                Kind::Word | Kind::Symbol | Kind::Quoted | Kind::String if !self.sees(";") => self.advance(),
                _ => return Err(self.unexpected()),
            }
        }
        if self.at == first {
            return Err(self.unexpected());
        }
        let mut table = None;
        if self.accept("ON") {
            let is_table =
                !["TYPE", "LANGUAGE", "PROCEDURE", "FUNCTION", "ROUTINE"].iter().any(|word| self.accept(word));
            let name = self.object_name()?;
            table = Some(name).filter(|_| is_table);
            while !self.sees(direction) {
                if self.kind() == Kind::End {
                    return Err(self.unexpected());
                }
                self.advance();
            }
        }
        self.expect(direction)?;
        self.list(Self::user)?;
        self.accept("WITH GRANT OPTION");
        if self.accept("AS") {
            self.user()?;
        }
        self.accept_any(&["CASCADE", "RESTRICT"]);
        Ok(Statement::Rights(word, table))
    }

    /// A user, a role or PUBLIC; names of users may stand in quotes.
    fn user(&mut self) -> Parse<()> {
        match self.kind() {
            Kind::String => self.string().map(drop),
            _ => self.name().map(drop),
        }
    }

    /// EXECUTE PROCEDURE, EXECUTE FUNCTION and CALL.
    pub(super) fn routine_call(&mut self) -> Parse<Statement> {
        match self.accept("CALL") {
            true => {}
            false => {
                self.expect("EXECUTE")?;
                if self.accept_any(&["PROCEDURE", "FUNCTION"]).is_none() {
                    return Err(self.unexpected());
                }
            }
        }
        Err(self.no_routine()?)
    }

    /// DROP PROCEDURE, FUNCTION and ROUTINE, from IF EXISTS on.
    pub(super) fn drop_routine(&mut self) -> Parse<Statement> {
        let if_exists = self.accept("IF EXISTS");
        let error = self.no_routine()?;
        if !if_exists {
            return Err(error);
        }
        while self.kind() != Kind::End && !self.sees(";") {
            self.advance();
        }
        Ok(Statement::NoEffect("DROP ROUTINE".to_owned()))
    }

    fn no_routine(&mut self) -> Parse<Box<SqlError>> {
        let name = self.object_name()?;
        let text = format!("Routine ({}) can not be resolved.", name.last());
        Ok(SqlError::at(ROUTINE, name.span, text).about(name.last()))
    }
}
