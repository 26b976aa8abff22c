//! GRANT and REVOKE: rights are read as far as the table that they are on.

use super::Parser;
use crate::error::Parse;
use crate::lexer::Kind;
use crate::tree::Statement;

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
}
