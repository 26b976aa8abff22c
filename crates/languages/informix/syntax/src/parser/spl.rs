//! Blocks of routines and their statements.

use super::flow::has_temporary_target;
use super::{Body, Parser};
use crate::error::{Parse, SqlError};
use crate::lexer::Kind;
use crate::tree::{Block, Definition, Dynamic, Handler, Name, Spl, SplKind, Statement, Target};

impl Parser<'_> {
    /// A block, up to the word that ends it: END, ELSE, ELIF, WHEN.
    pub(super) fn block(&mut self) -> Parse<Block> {
        let mut block = Block::default();
        loop {
            if self.accept(";") {
                continue;
            }
            if self.accept("DEFINE") {
                self.define(&mut block.definitions)?;
            } else if self.sees("ON EXCEPTION") {
                block.handlers.push(self.nested(Self::handler)?);
            } else {
                break;
            }
        }
        loop {
            if self.accept(";") {
                continue;
            }
            let is_end = ["END", "ELSE", "ELIF", "WHEN"].iter().any(|word| self.sees(word)) || self.kind() == Kind::End;
            if is_end {
                return Ok(block);
            }
            let statement = self.nested(Self::body_statement)?;
            block.statements.push(statement);
        }
    }

    fn define(&mut self, definitions: &mut Vec<Definition>) -> Parse<()> {
        let is_global = self.sees("GLOBAL") && !self.is(1, ",");
        if is_global {
            self.advance();
        }
        let names = self.list(Self::name)?;
        // A variable may be declared to be a routine, which changes nothing.
        if self.accept_any(&["PROCEDURE", "FUNCTION"]).is_some() {
            return Ok(());
        }
        let data_type = self.type_name()?;
        let global = match is_global {
            true => {
                self.expect("DEFAULT")?;
                Some(self.value()?)
            }
            false => None,
        };
        definitions.push(Definition { names, data_type, global });
        Ok(())
    }

    fn handler(&mut self) -> Parse<Handler> {
        let first = self.at;
        self.expect("ON EXCEPTION")?;
        let mut codes = Vec::new();
        if self.accept("IN (") {
            codes = self.list(Self::code)?;
            self.expect(")")?;
        }
        let variables = if self.accept("SET") { self.list(Self::name)? } else { Vec::new() };
        if variables.len() > 3 {
            return Err(SqlError::at(
                SqlError::SYNTAX,
                self.span_from(first),
                "SET of ON EXCEPTION takes three variables.",
            ));
        }
        let span = self.span_from(first);
        let body = self.block()?;
        self.expect("END EXCEPTION")?;
        let resumes = self.accept("WITH RESUME");
        Ok(Handler { codes, variables, body, resumes, span })
    }

    /// A number of an error.
    fn code(&mut self) -> Parse<i32> {
        let sign = if self.accept("-") { -1 } else { 1 };
        let number = i32::try_from(self.number()?).map_err(|_| self.unexpected())?;
        Ok(sign * number)
    }

    fn body_statement(&mut self) -> Parse<Spl> {
        let first = self.at;
        let kind = self.body_statement_kind()?;
        Ok(Spl { kind, span: self.span_from(first) })
    }

    fn body_statement_kind(&mut self) -> Parse<SplKind> {
        if let Some(flow) = self.flow()? {
            return Ok(flow);
        }
        if let Some(dynamic) = self.dynamic()? {
            return Ok(SplKind::Dynamic(dynamic));
        }
        let word = self.token_text(0).to_ascii_uppercase();
        match word.as_str() {
            "BEGIN" if !self.is(1, "WORK") => {
                self.advance();
                let block = self.block()?;
                self.expect("END")?;
                Ok(SplKind::Block(block))
            }
            "LET" => self.assignment(),
            "RETURN" => self.returning(),
            "RAISE" => {
                self.expect("RAISE EXCEPTION")?;
                let values = self.list(Self::expression)?;
                match values.len() <= 3 {
                    true => Ok(SplKind::Raise(values)),
                    false => Err(self.unexpected()),
                }
            }
            "CALL" => {
                self.advance();
                let call = self.invocation()?;
                let targets = if self.accept("RETURNING") { self.list(Self::name)? } else { Vec::new() };
                Ok(SplKind::Call(call, targets))
            }
            "EXECUTE" => {
                let call = self.execute()?;
                let targets = if self.accept("INTO") { self.list(Self::name)? } else { Vec::new() };
                Ok(SplKind::Call(call, targets))
            }
            "SYSTEM" => {
                self.advance();
                self.expression().map(SplKind::System)
            }
            "TRACE" => {
                self.rest("TRACE");
                Ok(SplKind::Trace)
            }
            "DEFINE" => {
                Err(SqlError::at(SqlError::SYNTAX, self.span(), "DEFINE stands before the statements of its block."))
            }
            _ => self.sql_statement(),
        }
    }

    fn sql_statement(&mut self) -> Parse<SplKind> {
        self.targets = None;
        let marks = self.marks;
        let place = self.span();
        let statement = self.statement()?;
        if self.marks > marks {
            return Err(SqlError::at(SqlError::SYNTAX, place, "A routine has no parameters that are written as ?."));
        }
        match (statement, self.targets.take()) {
            (Statement::Query(query), Some(targets)) => Ok(SplKind::Select(query, targets)),
            (Statement::Query(query), None) if !has_temporary_target(&query.body) => {
                let text = "SELECT statements in this context must have an INTO clause.";
                Err(SqlError::at(-659, place, text))
            }
            (Statement::CreateRoutine(_) | Statement::CreateTrigger(_), _) => {
                Err(SqlError::at(-655, place, "A routine or trigger is not created in a routine."))
            }
            (Statement::Database(_) | Statement::CreateDatabase(..) | Statement::DropDatabase(..), _) => {
                Err(SqlError::at(-655, place, "DATABASE, CREATE and DROP DATABASE do not stand in a routine."))
            }
            (statement, _) => Ok(SplKind::Sql(Box::new(statement))),
        }
    }

    /// `LET a, b[1,2] = 1, 'x'`. A name of a column may stand before the variable in a trigger's routine: `new.a`.
    fn assignment(&mut self) -> Parse<SplKind> {
        self.expect("LET")?;
        let targets = self.list(|it| {
            let name = it.name()?;
            let mut characters = None;
            if it.accept("[") {
                let first = it.number()?;
                let last = if it.accept(",") { it.number()? } else { first };
                it.expect("]")?;
                characters = Some((first, last));
            }
            Ok(Target { name, characters })
        })?;
        self.expect("=")?;
        let values = self.list(Self::expression)?;
        Ok(SplKind::Let(targets, values))
    }

    fn returning(&mut self) -> Parse<SplKind> {
        self.expect("RETURN")?;
        let mut values = Vec::new();
        if !self.sees(";") && !self.sees("END") && self.kind() != Kind::End && !self.sees("WITH RESUME") {
            values = self.list(Self::expression)?;
        }
        Ok(SplKind::Return(values, self.accept("WITH RESUME")))
    }

    fn dynamic(&mut self) -> Parse<Option<Dynamic>> {
        if self.accept("EXECUTE IMMEDIATE") {
            return Ok(Some(Dynamic::Immediate(self.expression()?)));
        }
        let words = ["PREPARE", "DECLARE", "OPEN", "FETCH", "CLOSE", "FREE"];
        let Some(word) = self.accept_any(&words) else { return Ok(None) };
        let name = self.name()?;
        Ok(Some(match word {
            "PREPARE" => {
                self.expect("FROM")?;
                Dynamic::Prepare(name, self.expression()?)
            }
            "DECLARE" => {
                self.expect("CURSOR")?;
                self.accept("WITH HOLD");
                self.expect("FOR")?;
                Dynamic::Declare(name, self.name()?)
            }
            "OPEN" => Dynamic::Open(name, if self.accept("USING") { self.list(Self::expression)? } else { Vec::new() }),
            "FETCH" => {
                self.expect("INTO")?;
                Dynamic::Fetch(name, self.list(Self::name)?)
            }
            "CLOSE" => Dynamic::Close(name),
            _ => Dynamic::Free(name),
        }))
    }

    /// A statement of a trigger.
    pub(super) fn trigger_statement(&mut self) -> Parse<Spl> {
        let first = self.at;
        let kind = match self.sees("EXECUTE") {
            true => {
                let call = self.execute()?;
                let targets = if self.accept("INTO") { self.list(Self::column_name)? } else { Vec::new() };
                if self.accept("WITH TRIGGER REFERENCES") {
                    return Err(super::primary::refused("WITH TRIGGER REFERENCES"));
                }
                SplKind::Call(call, targets)
            }
            false if ["INSERT", "UPDATE", "DELETE", "MERGE"].iter().any(|word| self.sees(word)) => {
                let before = std::mem::replace(&mut self.body, Body::Trigger);
                let statement = self.statement();
                self.body = before;
                SplKind::Sql(Box::new(statement?))
            }
            false => return Err(self.unexpected()),
        };
        Ok(Spl { kind, span: self.span_from(first) })
    }

    fn column_name(&mut self) -> Parse<Name> {
        let name = self.name()?;
        if self.accept(".") { self.name() } else { Ok(name) }
    }
}
