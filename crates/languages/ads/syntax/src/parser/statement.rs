//! The choice of the statement, and the statements of scripts.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::{Condition, CursorSource, Declaration, Expr, Name, ObjectName, Statement, StatementKind, Try};
use mainstay_ads_types::native;
use mainstay_syntax::TokenKind;

impl Parser<'_> {
    /// Statements up to one of these words, or to the end.
    pub(super) fn statements(&mut self, ends: &[&str]) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while self.accept(";") {}
            if self.kind() == TokenKind::End || ends.iter().any(|end| self.sees(end)) {
                return Ok(statements);
            }
            statements.push(self.statement()?);
            let ends_here = self.kind() == TokenKind::End || ends.iter().any(|end| self.sees(end));
            if !ends_here && !self.sees(";") {
                return Err(self.unexpected());
            }
        }
    }

    fn statement(&mut self) -> Parse<Statement> {
        let first = self.at;
        self.chain = 0;
        let kind = self.nested(Self::statement_kind)?;
        Ok(Statement { kind, span: self.span_from(first) })
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        if self.is_assignment() {
            return self.assignment();
        }
        let word = self.token_text(0).to_ascii_uppercase();
        match word.as_str() {
            "SELECT" => self.query().map(|query| StatementKind::Query(Box::new(query))),
            "INSERT" => self.insert(),
            "UPDATE" => self.update(),
            "DELETE" => self.delete(),
            "MERGE" => self.merge(),
            "DECLARE" => self.declare(),
            "SET" => self.set(),
            "IF" => self.if_statement(),
            "WHILE" => self.while_statement(),
            "TRY" => self.try_statement(),
            "OPEN" => self.open(),
            "FETCH" => {
                self.advance();
                self.accept("NEXT");
                self.variable_name().map(StatementKind::Fetch)
            }
            "CLOSE" => {
                self.advance();
                self.variable_name().map(StatementKind::Close)
            }
            "LEAVE" => self.alone(StatementKind::Leave),
            "CONTINUE" => self.alone(StatementKind::Continue),
            "RAISE" => self.raise(),
            "RETURN" => {
                self.advance();
                let is_end = self.sees(";") || self.sees("END") || self.kind() == TokenKind::End;
                Ok(StatementKind::Return(if is_end { None } else { Some(self.expression()?) }))
            }
            "EXECUTE" => self.execute(),
            "CREATE" | "ALTER" | "DROP" => self.definition(),
            "BEGIN" => {
                self.expect("BEGIN TRANSACTION")?;
                Ok(StatementKind::Begin)
            }
            "START" if self.accept("START TRANSACTION") => Ok(StatementKind::Begin),
            "COMMIT" => {
                self.advance();
                let _ = self.accept_any(&["WORK", "TRANSACTION"]);
                Ok(StatementKind::Commit)
            }
            "ROLLBACK" => {
                self.advance();
                let _ = self.accept_any(&["WORK", "TRANSACTION"]);
                let has_name = self.accept("TO SAVEPOINT") || self.accept("TO") || self.is_name(0);
                Ok(StatementKind::Rollback(if has_name { Some(self.name()?) } else { None }))
            }
            "SAVEPOINT" => {
                self.advance();
                self.name().map(StatementKind::Savepoint)
            }
            "GRANT" | "REVOKE" | "CACHE" => Ok(self.rest(&word)),
            _ => Err(self.unexpected()),
        }
    }

    fn alone(&mut self, kind: StatementKind) -> Parse<StatementKind> {
        self.advance();
        Ok(kind)
    }

    /// Takes a statement that is read and not done.
    pub(super) fn rest(&mut self, words: &str) -> StatementKind {
        while self.kind() != TokenKind::End && !self.sees(";") {
            self.advance();
        }
        StatementKind::Other(words.to_owned())
    }

    fn is_assignment(&self) -> bool {
        let is_variable = self.kind() == TokenKind::Variable || self.is_name(0);
        is_variable && self.is(1, "=")
    }

    fn assignment(&mut self) -> Parse<StatementKind> {
        let name = self.variable_name()?;
        self.expect("=")?;
        Ok(StatementKind::Assign(name, self.expression()?))
    }

    fn set(&mut self) -> Parse<StatementKind> {
        self.expect("SET")?;
        if self.sees("::") {
            let name = self.system_variable()?;
            self.expect("=")?;
            return Ok(StatementKind::SetSystem(name, self.expression()?));
        }
        if self.sees("TRANSACTION") {
            return Ok(self.rest("SET TRANSACTION"));
        }
        self.assignment()
    }

    fn declare(&mut self) -> Parse<StatementKind> {
        self.expect("DECLARE")?;
        let declarations = self.list(|it| {
            let name = it.variable_name()?;
            if it.accept("CURSOR") {
                let source = if it.accept("AS") { Some(it.cursor_source()?) } else { None };
                return Ok(Declaration::Cursor(name, source));
            }
            let place = it.span();
            let data_type = it.data_type()?;
            if crate::reduce::sql_type(&data_type).is_none() {
                let text = format!("No such type: {}", super::primary::type_text(&data_type));
                return Err(SqlError::at(native::TYPE, place, text));
            }
            Ok(Declaration::Variable(name, data_type))
        })?;
        Ok(StatementKind::Declare(declarations))
    }

    fn cursor_source(&mut self) -> Parse<CursorSource> {
        let parenthesis = self.sees("( SELECT") || self.sees("( EXECUTE");
        if parenthesis {
            self.advance();
        }
        let source = match self.accept("EXECUTE PROCEDURE") {
            true => {
                let (name, arguments) = self.procedure_call()?;
                CursorSource::Procedure(name, arguments)
            }
            false => CursorSource::Query(Box::new(self.query()?)),
        };
        if parenthesis {
            self.expect(")")?;
        }
        Ok(source)
    }

    fn open(&mut self) -> Parse<StatementKind> {
        self.expect("OPEN")?;
        let name = self.variable_name()?;
        let source = if self.accept("AS") { Some(self.cursor_source()?) } else { None };
        Ok(StatementKind::Open(name, source))
    }

    /// A name and values in parentheses.
    pub(super) fn procedure_call(&mut self) -> Parse<(ObjectName, Vec<Expr>)> {
        let name = self.object_name()?;
        let mut arguments = Vec::new();
        if self.accept("(") {
            if !self.sees(")") {
                arguments = self.list(Self::expression)?;
            }
            self.expect(")")?;
        }
        Ok((name, arguments))
    }

    fn condition(&mut self) -> Parse<Condition> {
        let negated = self.sees("NOT FETCH");
        if negated {
            self.advance();
        }
        if self.accept("FETCH") {
            self.accept("NEXT");
            return Ok(Condition::Fetch(self.variable_name()?, negated));
        }
        self.expression().map(Condition::Value)
    }

    fn if_statement(&mut self) -> Parse<StatementKind> {
        const ENDS: [&str; 5] = ["ELSEIF", "ELIF", "ELSE", "END", "ENDIF"];
        self.expect("IF")?;
        let mut branches = Vec::new();
        loop {
            let condition = self.condition()?;
            self.expect("THEN")?;
            branches.push((condition, self.statements(&ENDS)?));
            if self.accept_any(&["ELSEIF", "ELIF", "ELSE IF"]).is_none() {
                break;
            }
        }
        let otherwise = if self.accept("ELSE") { Some(self.statements(&["END", "ENDIF"])?) } else { None };
        self.end_of("IF", "ENDIF")?;
        Ok(StatementKind::If(branches, otherwise))
    }

    /// `END IF`, `END` or `ENDIF`.
    fn end_of(&mut self, word: &str, joined: &str) -> Parse<()> {
        if self.accept(joined) {
            return Ok(());
        }
        if self.kind() == TokenKind::End {
            return Err(self.unexpected());
        }
        self.expect("END")?;
        self.accept(word);
        Ok(())
    }

    fn while_statement(&mut self) -> Parse<StatementKind> {
        self.expect("WHILE")?;
        let condition = self.condition()?;
        self.expect("DO")?;
        let body = self.statements(&["END", "ENDWHILE"])?;
        self.end_of("WHILE", "ENDWHILE")?;
        Ok(StatementKind::While(condition, body))
    }

    fn try_statement(&mut self) -> Parse<StatementKind> {
        const ENDS: [&str; 4] = ["CATCH", "FINALLY", "END", "ENDTRY"];
        let place = self.span();
        self.expect("TRY")?;
        let body = self.statements(&ENDS)?;
        let mut catches: Vec<(Option<Name>, Vec<Statement>)> = Vec::new();
        while self.accept("CATCH") {
            let class = if self.accept("ALL") { None } else { Some(self.name()?) };
            // CATCH ALL is the last.
            if catches.last().is_some_and(|(class, _)| class.is_none()) {
                return Err(self.unexpected());
            }
            catches.push((class, self.statements(&ENDS)?));
        }
        let finally = if self.accept("FINALLY") { Some(self.statements(&["END", "ENDTRY"])?) } else { None };
        self.end_of("TRY", "ENDTRY")?;
        if catches.is_empty() && finally.is_none() {
            return Err(SqlError::at(native::SCRIPT, place, "TRY statement without CATCH or FINALLY"));
        }
        Ok(StatementKind::Try(Box::new(Try { body, catches, finally })))
    }

    fn raise(&mut self) -> Parse<StatementKind> {
        self.expect("RAISE")?;
        if !self.is_name(0) {
            return Ok(StatementKind::Raise(None));
        }
        let class = self.name()?;
        self.expect("(")?;
        let number = self.expression()?;
        self.expect(",")?;
        let text = self.expression()?;
        self.expect(")")?;
        Ok(StatementKind::Raise(Some(Box::new((class, number, text)))))
    }

    fn execute(&mut self) -> Parse<StatementKind> {
        self.expect("EXECUTE")?;
        if self.accept("IMMEDIATE") {
            return self.expression().map(StatementKind::ExecuteImmediate);
        }
        self.expect("PROCEDURE")?;
        let (name, arguments) = self.procedure_call()?;
        Ok(StatementKind::ExecuteProcedure(name, arguments))
    }
}
