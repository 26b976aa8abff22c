//! EXEC, transactions, and the short statements.

use super::Parser;
use crate::error::{Diagnostic, Parse};
use crate::lexer::TRANSACTION_NAME_LENGTH;
use crate::tree::*;
use mainstay_syntax::TokenKind;

/// The most values that RAISERROR puts into its text.
const RAISERROR_ARGUMENTS: usize = 20;

impl Parser<'_> {
    pub(super) fn execute_statement(&mut self) -> Parse<StatementKind> {
        self.advance();
        if self.sees("AS") {
            return Ok(StatementKind::ExecuteAs(self.execute_as()?));
        }
        Ok(StatementKind::Execute(Box::new(self.execute()?)))
    }

    /// `AS USER = 'x' WITH NO REVERT`, `AS CALLER`.
    fn execute_as(&mut self) -> Parse<Phrase> {
        let mut phrase = Phrase { items: vec![PhraseItem::Word(self.take_name()), PhraseItem::Word(self.word()?)] };
        if self.sees("=") {
            phrase.items.push(PhraseItem::Symbol(self.take_name().text));
            phrase.items.extend(self.phrase_item()?);
        }
        let more = match () {
            () if self.sees("WITH NO REVERT") => 3,
            () if self.sees("WITH COOKIE INTO") => 4,
            () => 0,
        };
        for _ in 0..more {
            phrase.items.extend(self.phrase_item()?);
        }
        Ok(phrase)
    }

    /// The rest of an EXEC statement.
    pub(super) fn execute(&mut self) -> Parse<Execute> {
        if self.sees("(") {
            return self.execute_text();
        }
        let mut status = None;
        if self.kind() == TokenKind::Variable && self.is(1, "=") {
            let name = self.variable()?;
            self.checks.scalar(&name, true);
            self.expect("=")?;
            status = Some(name);
        }
        let module = if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, false);
            ExecuteModule::Variable(name, self.execute_arguments()?)
        } else {
            let name = self.object_name()?;
            let mut number = None;
            if self.is(0, ";") && self.token(1).kind == TokenKind::Integer {
                self.advance();
                number = Some(self.take_name().text);
            }
            ExecuteModule::Procedure(name, number, self.execute_arguments()?)
        };
        Ok(Execute { status, module, options: self.execute_options()? })
    }

    fn execute_arguments(&mut self) -> Parse<Vec<ExecuteArgument>> {
        let begins_argument = match self.kind() {
            TokenKind::End | TokenKind::Unknown => false,
            TokenKind::Symbol => self.sees_any(&["-", "+"]),
            TokenKind::Reserved => self.sees_any(&["NULL", "DEFAULT"]),
            TokenKind::Word => !self.is(1, ":") && !self.sees_any(&["ENABLE TRIGGER", "DISABLE TRIGGER"]),
            _ => true,
        };
        if !begins_argument {
            return Ok(Vec::new());
        }
        let (mut count, mut has_names) = (0, false);
        self.list(|parser| {
            count += 1;
            let span = parser.span();
            let argument = parser.execute_argument()?;
            if has_names && argument.name.is_none() {
                let text = format!(
                    "Must pass parameter number {count} and subsequent parameters as '@name = value'. After the form \
                     '@name = value' has been used, all subsequent parameters must be passed in the form '@name = value'."
                );
                let error = parser.error(119, span, text);
                parser.errors.push(*error);
            }
            has_names |= argument.name.is_some();
            Ok(argument)
        })
    }

    pub(super) fn execute_argument(&mut self) -> Parse<ExecuteArgument> {
        let name = if self.kind() == TokenKind::Variable && self.is(1, "=") {
            let name = self.variable()?;
            self.expect("=")?;
            Some(name)
        } else {
            None
        };
        let span = self.span();
        let value = self.execute_value()?;
        let output = self.accept_any(&["OUTPUT", "OUT"]).is_some();
        if output && !matches!(value, Expr::Variable(_)) {
            let text = "Cannot use the OUTPUT option when passing a constant to a stored procedure.";
            let error = self.error(179, span, text);
            self.errors.push(*error);
        }
        Ok(ExecuteArgument { name, value, output })
    }

    /// A constant, a variable, DEFAULT, or a bare word, which is a string.
    pub(super) fn execute_value(&mut self) -> Parse<Expr> {
        if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, false);
            return Ok(Expr::Variable(name));
        }
        if self.accept("DEFAULT") {
            return Ok(Expr::Default);
        }
        if self.accept("NULL") {
            return Ok(Expr::Literal(Literal::Null));
        }
        if self.is_name(0) {
            return Ok(Expr::Column(self.object_name()?));
        }
        self.signed_literal()
    }

    /// `EXEC ('text' + @x, 1) AS USER = 'x' AT server`.
    fn execute_text(&mut self) -> Parse<Execute> {
        self.expect("(")?;
        let text = self.expression()?;
        let mut arguments = Vec::new();
        while self.accept(",") {
            arguments.push(self.execute_argument()?);
        }
        self.expect(")")?;
        let context = if self.sees_any(&["AS USER", "AS LOGIN"]) { Some(self.execute_as()?) } else { None };
        let server = self.after("AT", |parser| {
            parser.accept("DATA_SOURCE");
            parser.name()
        })?;
        let module = ExecuteModule::Text(text, arguments, context, server);
        Ok(Execute { status: None, module, options: self.execute_options()? })
    }

    fn execute_options(&mut self) -> Parse<Vec<ExecuteOption>> {
        if !self.sees_any(&["WITH RECOMPILE", "WITH RESULT SETS"]) {
            return Ok(Vec::new());
        }
        self.advance();
        self.list(|parser| {
            match parser.accept_any(&["RECOMPILE", "RESULT SETS UNDEFINED", "RESULT SETS NONE", "RESULT SETS"]) {
                Some("RECOMPILE") => Ok(ExecuteOption::Recompile),
                Some("RESULT SETS UNDEFINED") => Ok(ExecuteOption::ResultSets(false)),
                Some("RESULT SETS NONE") => Ok(ExecuteOption::ResultSets(true)),
                Some(_) => Ok(ExecuteOption::Defined(parser.parens(Self::result_set)?)),
                None => Err(parser.unexpected()),
            }
        })
    }

    fn result_set(&mut self) -> Parse<ResultSet> {
        if self.sees("AS") {
            return Ok(ResultSet::Words(self.phrase()?));
        }
        let columns = self.parens(|parser| {
            let name = parser.name()?;
            let data_type = parser.data_type()?;
            let collation = parser.after("COLLATE", Self::word)?;
            let nullable = parser.accept_any(&["NULL", "NOT NULL"]).map(|words| words == "NULL");
            Ok((name, data_type, collation, nullable))
        })?;
        Ok(ResultSet::Columns(columns))
    }

    pub(super) fn transaction(&mut self, word: &str) -> Parse<StatementKind> {
        self.advance();
        let distributed = self.accept("DISTRIBUTED");
        let is_full = self.accept_any(&["TRANSACTION", "TRAN"]).is_some();
        if !is_full {
            self.accept("WORK");
        }
        let transaction = match word {
            "BEGIN" => {
                let name = self.transaction_name(is_full)?;
                let mark = self.after("WITH MARK", |parser| match parser.kind() {
                    TokenKind::String | TokenKind::NationalString | TokenKind::Variable => {
                        parser.expression().map(Some)
                    }
                    _ => Ok(None),
                })?;
                Transaction::Begin(distributed, name, mark)
            }
            "COMMIT" => {
                let name = self.transaction_name(is_full)?;
                let mut delayed = None;
                if self.accept("WITH ( DELAYED_DURABILITY =") {
                    delayed = self.accept_any(&["ON", "OFF"]).map(|word| word == "ON");
                    self.expect(")")?;
                }
                Transaction::Commit(name, delayed)
            }
            "ROLLBACK" => Transaction::Rollback(self.transaction_name(is_full)?),
            _ => Transaction::Save(self.transaction_name(is_full)?.ok_or_else(|| self.unexpected())?),
        };
        Ok(StatementKind::Transaction(transaction))
    }

    fn transaction_name(&mut self, is_full: bool) -> Parse<Option<Name>> {
        if !is_full {
            return Ok(None);
        }
        if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, false);
            return Ok(Some(name));
        }
        let is_name = self.is_name(0) && !self.is(1, ":") && !self.sees("THROW");
        if !is_name {
            return Ok(None);
        }
        let name = self.name()?;
        if name.text.chars().count() > TRANSACTION_NAME_LENGTH {
            let start: String = name.text.chars().take(TRANSACTION_NAME_LENGTH).collect();
            let text = format!(
                "The identifier that starts with '{start}' is too long. Maximum length is {TRANSACTION_NAME_LENGTH}."
            );
            self.errors.push(Diagnostic::new(103, name.span, text).state(2));
        }
        Ok(Some(name))
    }

    pub(super) fn short_statement(&mut self, word: &str) -> Parse<StatementKind> {
        let span = self.span();
        self.advance();
        match word {
            "RAISERROR" => self.raiserror(),
            "PRINT" => Ok(StatementKind::Print(self.expression()?)),
            "WAITFOR" => self.wait_for(),
            "USE" => {
                self.checks.use_database(span);
                Ok(StatementKind::Use(self.name()?))
            }
            "KILL" => self.kill(),
            "CHECKPOINT" => {
                let has_seconds = self.kind() == TokenKind::Integer;
                Ok(StatementKind::Checkpoint(if has_seconds { Some(self.expression()?) } else { None }))
            }
            "DBCC" => self.dbcc(),
            "TRUNCATE" => {
                self.expect("TABLE")?;
                let name = self.object_name()?;
                let partitions = self.after("WITH ( PARTITIONS", |parser| {
                    let partitions = parser.parens(Self::phrase)?;
                    parser.expect(")")?;
                    Ok(partitions)
                })?;
                Ok(StatementKind::Truncate(name, partitions.unwrap_or_default()))
            }
            _ => {
                let cookie = self.after("WITH COOKIE =", Self::expression)?;
                Ok(StatementKind::Revert(cookie))
            }
        }
    }

    fn raiserror(&mut self) -> Parse<StatementKind> {
        let span = self.span();
        if self.sees("(") {
            let arguments = self.parens(Self::expression)?;
            if arguments.len() < 3 {
                self.at -= 1;
                return Err(self.unexpected());
            }
            if arguments.len() > 3 + RAISERROR_ARGUMENTS {
                let text = format!(
                    "Too many substitution parameters for RAISERROR. Cannot exceed {RAISERROR_ARGUMENTS} substitution \
                     parameters."
                );
                self.errors.push(Diagnostic::new(2747, span, text).severity(16));
            }
            let options = if self.accept("WITH") { self.list(Self::option_words)? } else { Vec::new() };
            return Ok(StatementKind::Raiserror(arguments, options));
        }
        let number = self.execute_value()?;
        self.accept(",");
        let message = self.execute_value()?;
        Ok(StatementKind::OldRaiserror(Box::new((number, message))))
    }

    fn wait_for(&mut self) -> Parse<StatementKind> {
        if self.accept("DELAY") {
            return Ok(StatementKind::WaitFor(WaitFor::Delay(self.expression()?)));
        }
        if self.sees("(") {
            // WAITFOR (RECEIVE ...), TIMEOUT n.
            self.at -= 1;
            return self.words();
        }
        self.expect("TIME")?;
        Ok(StatementKind::WaitFor(WaitFor::Time(self.expression()?)))
    }

    fn kill(&mut self) -> Parse<StatementKind> {
        let mut phrase = Phrase::default();
        let words = ["STATS JOB", "QUERY NOTIFICATION SUBSCRIPTION"].into_iter().find(|words| self.sees(words));
        for _ in 0..words.map_or(0, |words| words.split(' ').count()) {
            phrase.items.push(PhraseItem::Word(self.take_name()));
        }
        phrase.items.extend(self.phrase_item()?);
        if phrase.items.is_empty() {
            return Err(self.unexpected());
        }
        if self.sees_any(&["WITH STATUSONLY", "WITH COMMIT", "WITH ROLLBACK"]) {
            phrase.items.push(PhraseItem::Word(self.take_name()));
            phrase.items.push(PhraseItem::Word(self.take_name()));
        }
        Ok(StatementKind::Kill(phrase))
    }

    fn dbcc(&mut self) -> Parse<StatementKind> {
        let command = self.word()?;
        let arguments = if self.sees("(") { Some(self.phrase_group()?) } else { None };
        Ok(StatementKind::Dbcc(command, arguments, self.with_words()?))
    }
}
