//! CREATE and DROP of routines, and their calls.

use super::primary::refused;
use super::{Body, Parser};
use crate::error::{Parse, SqlError};
use crate::lexer::Kind;
use crate::tree::{DropRoutine, Expr, Invocation, Name, Parameter, ParameterMode, Routine, Statement, TypeName};
use crate::types::Type;

impl Parser<'_> {
    /// CREATE PROCEDURE, FUNCTION and TRIGGER, from the word behind CREATE; `None` for other objects.
    pub(super) fn create_module(&mut self) -> Parse<Option<Statement>> {
        let replaces = self.accept("OR REPLACE");
        self.accept("DBA");
        Ok(Some(match self.accept_any(&["PROCEDURE", "FUNCTION", "TRIGGER"]) {
            Some("TRIGGER") => self.create_trigger(replaces)?,
            Some(word) => self.create_routine(word == "FUNCTION", replaces)?,
            None if replaces => return Err(self.unexpected()),
            None => return Ok(None),
        }))
    }

    fn create_routine(&mut self, is_function: bool, replaces: bool) -> Parse<Statement> {
        let if_not_exists = self.accept("IF NOT EXISTS");
        if self.accept("FROM") {
            return Err(refused("CREATE PROCEDURE FROM a file"));
        }
        let name = self.object_name()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        if !self.accept(")") {
            parameters = self.list(Self::parameter)?;
            self.expect(")")?;
        }
        let returns = match self.accept_any(&["RETURNING", "RETURNS"]) {
            Some(_) => self.list(Self::returned)?,
            None => Vec::new(),
        };
        let specific = if self.accept("SPECIFIC") { Some(self.object_name()?) } else { None };
        self.modifiers()?;
        if self.accept("EXTERNAL") {
            return Err(refused("an external routine"));
        }
        self.accept(";");
        let before = std::mem::replace(&mut self.body, Body::Routine);
        let body = self.nested(Self::block);
        self.body = before;
        let body = body?;
        self.expect("END")?;
        if self.accept_any(&["PROCEDURE", "FUNCTION"]).is_none() {
            return Err(self.unexpected());
        }
        self.accept(";");
        let document = if self.accept("DOCUMENT") { self.list(Self::string)? } else { Vec::new() };
        if self.accept("WITH LISTING IN") {
            self.string()?;
        }
        let specific = specific.and_then(|name| name.parts.last().cloned());
        let routine =
            Routine { name, is_function, replaces, if_not_exists, parameters, returns, specific, body, document };
        Ok(Statement::CreateRoutine(Box::new(routine)))
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        // IN, OUT and INOUT are names, too: `out INT` is a parameter of that name.
        let is_followed_by_name = matches!(self.token(1).kind, Kind::Word | Kind::Quoted)
            && !self.is(1, "LIKE")
            && !self.is(1, "REFERENCES")
            && Type::of_arguments(&self.token_text(1).to_lowercase(), &[]).is_none();
        let mode = match is_followed_by_name {
            true => self.accept_any(&["INOUT", "OUT", "IN"]),
            false => None,
        };
        let mode = match mode {
            Some("OUT") => ParameterMode::Out,
            Some("INOUT") => ParameterMode::InOut,
            _ => ParameterMode::In,
        };
        let name = self.name()?;
        let data_type = self.type_name()?;
        let default = if self.accept("DEFAULT") { Some(self.value()?) } else { None };
        Ok(Parameter { name, data_type, default, mode })
    }

    /// A type, `LIKE table.column`, or `REFERENCES TEXT`.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        if self.accept("LIKE") {
            let mut table = self.object_name()?;
            let column = table.parts.pop().filter(|_| !table.parts.is_empty());
            return column.map(|column| TypeName::Like(table, column)).ok_or_else(|| self.unexpected());
        }
        self.accept("REFERENCES");
        let span = self.span();
        if ["SET", "MULTISET", "LIST", "ROW", "COLLECTION"].iter().any(|word| self.sees(word)) {
            return Err(refused("variables of collections and rows"));
        }
        let (known, _) = self.data_type()?;
        match known.is_serial() {
            true => Err(SqlError::at(SqlError::SYNTAX, span, "A variable cannot be a SERIAL.")),
            false => Ok(TypeName::Known(known)),
        }
    }

    fn returned(&mut self) -> Parse<(TypeName, Option<Name>)> {
        let data_type = self.type_name()?;
        let name = if self.accept("AS") { Some(self.name()?) } else { None };
        Ok((data_type, name))
    }

    /// `WITH (NOT VARIANT, PERCALL_COST = 5)`: options of the optimizer.
    fn modifiers(&mut self) -> Parse<()> {
        if !self.accept("WITH (") {
            return Ok(());
        }
        while !self.accept(")") {
            if self.kind() == Kind::End {
                return Err(self.unexpected());
            }
            self.advance();
        }
        Ok(())
    }

    /// EXECUTE PROCEDURE and EXECUTE FUNCTION.
    pub(super) fn execute(&mut self) -> Parse<Invocation> {
        self.expect("EXECUTE")?;
        if self.accept_any(&["PROCEDURE", "FUNCTION"]).is_none() {
            return Err(self.unexpected());
        }
        self.invocation()
    }

    /// A routine and its arguments, from its name on. Drivers leave out empty parentheses.
    pub(super) fn invocation(&mut self) -> Parse<Invocation> {
        let name = self.object_name()?;
        let mut arguments = Vec::new();
        if self.accept("(") && !self.accept(")") {
            arguments = self.list(Self::argument)?;
            self.expect(")")?;
        }
        Ok(Invocation { name, arguments })
    }

    fn argument(&mut self) -> Parse<(Option<Name>, Expr)> {
        let is_named = matches!(self.kind(), Kind::Word | Kind::Quoted) && self.is(1, "=");
        let mut name = None;
        if is_named {
            name = Some(self.name()?);
            self.expect("=")?;
        }
        Ok((name, self.expression()?))
    }

    /// DROP PROCEDURE, FUNCTION and ROUTINE, from IF EXISTS on.
    pub(super) fn drop_routine(&mut self, kind: &str) -> Parse<Statement> {
        let if_exists = self.accept("IF EXISTS");
        let name = self.object_name()?;
        let mut parameters = None;
        if self.accept("(") {
            let mut count = 0;
            if !self.accept(")") {
                count = self.list(Self::data_type)?.len();
                self.expect(")")?;
            }
            parameters = Some(count);
        }
        let (is_specific, kind) = match kind.strip_prefix("SPECIFIC ") {
            Some(kind) => (true, kind),
            None => (false, kind),
        };
        let drop = DropRoutine { kind: kind.to_owned(), name, is_specific, parameters, if_exists };
        Ok(Statement::DropRoutine(Box::new(drop)))
    }
}
