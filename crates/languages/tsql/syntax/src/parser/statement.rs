//! Dispatch by the kind of statement; lists of statements, blocks, control of flow.

use super::{Assignments, Parser};
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::TokenKind;

const ASSIGNS_IN_SET: &str = "Variable assignment is not allowed in a statement containing a top level UNION, INTERSECT or \
                              EXCEPT operator.";

/// Words that begin a statement: where reading goes on after an error.
pub(super) const STARTS: [&str; 43] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "DECLARE",
    "SET",
    "IF",
    "WHILE",
    "BEGIN",
    "END",
    "ELSE",
    "BREAK",
    "CONTINUE",
    "GOTO",
    "RETURN",
    "RAISERROR",
    "PRINT",
    "WAITFOR",
    "EXEC",
    "EXECUTE",
    "OPEN",
    "FETCH",
    "CLOSE",
    "DEALLOCATE",
    "COMMIT",
    "ROLLBACK",
    "SAVE",
    "USE",
    "KILL",
    "CHECKPOINT",
    "DBCC",
    "TRUNCATE",
    "CREATE",
    "ALTER",
    "DROP",
    "GRANT",
    "DENY",
    "REVOKE",
    "REVERT",
    "BACKUP",
    "RESTORE",
    "RECONFIGURE",
];

/// Of these the ones that stand inside of other statements too.
const INNER: [&str; 9] = ["SELECT", "SET", "UPDATE", "DELETE", "INSERT", "END", "ELSE", "FETCH", "EXECUTE"];

/// The most messages that one text gets.
const MOST_ERRORS: usize = 100;

impl Parser<'_> {
    /// All statements of the text.
    pub(super) fn batch(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        // A procedure that is called first needs no EXEC.
        if matches!(self.kind(), TokenKind::Word | TokenKind::Quoted) && !self.is(1, ":") && !self.sees_soft_start() {
            self.statement_into(&mut statements, |parser| {
                let execute = parser.execute()?;
                Ok(StatementKind::Execute(Box::new(execute)))
            });
        }
        self.statements_into(&mut statements, &[]);
        // Tokens that begin no statement.
        while self.kind() != TokenKind::End && !self.is_lost {
            let error = self.unexpected();
            self.report(*error);
            self.advance();
            self.skip_to_start(self.at);
            self.statements_into(&mut statements, &[]);
        }
        statements
    }

    /// Statements up to one of these words, or to what is no statement.
    pub(super) fn statements_into(&mut self, statements: &mut Vec<Statement>, ends: &[&str]) {
        let mut is_separated = true;
        loop {
            while self.accept(";") {
                is_separated = true;
            }
            if self.kind() == TokenKind::End || self.is_lost {
                return;
            }
            let is_end = self.sees_any(ends) || self.sees("END") || self.sees("ELSE");
            if is_end && !self.sees("END CONVERSATION") {
                return;
            }
            if self.sees("WITH") && !is_separated {
                let error = self.unexpected();
                self.report(*error);
            }
            self.statement_into(statements, Self::statement_kind);
            is_separated = false;
        }
    }

    /// Reads a statement; after an error goes on to where the next one may begin.
    fn statement_into(
        &mut self,
        statements: &mut Vec<Statement>,
        read: impl FnOnce(&mut Self) -> Parse<StatementKind>,
    ) {
        let (first, depth) = (self.at, self.depth);
        match self.statement_by(read) {
            Ok(statement) => statements.push(statement),
            Err(error) => {
                self.depth = depth;
                self.report(*error);
                if self.at == first {
                    self.advance();
                }
                self.skip_to_start(first);
            }
        }
    }

    fn report(&mut self, error: Diagnostic) {
        // After a limit was passed, what is said about the rest is not worth reading.
        let follows_limit = self.is_lost && self.errors.last().is_some_and(|last| last.number == 191);
        if !follows_limit {
            // Within parentheses a WITH is no beginning of a statement, whatever stands before it.
            let before = self.text.get(..error.span.start as usize).unwrap_or_default();
            if error.number == 319 && before.trim_end().ends_with('(') {
                let text = format!("Incorrect syntax near the keyword '{}'.", error.span.of(self.text));
                self.errors.push(Diagnostic::new(156, error.span, text));
            }
            self.errors.push(error);
        }
        if self.errors.len() >= MOST_ERRORS {
            self.is_lost = true;
            self.at = self.tokens.len() - 1;
        }
    }

    /// Goes on to the next word that may begin a statement. `first`: where the statement that failed begins.
    fn skip_to_start(&mut self, first: usize) {
        let is_change = ["UPDATE", "MERGE", "WITH"].iter().any(|word| self.is_at(first, word));
        let mut open = 0_i32;
        while self.kind() != TokenKind::End {
            match self.token_text(0) {
                ";" => return,
                "(" => open += 1,
                ")" => open -= 1,
                _ => {
                    let is_inner = self.sees_any(&INNER) && (open > 0 || is_change && self.sees("SET"));
                    let is_label = self.kind() == TokenKind::Word && self.is(1, ":") && open <= 0;
                    if is_label || !is_inner && self.sees_any(&STARTS) {
                        return;
                    }
                }
            }
            self.advance();
        }
    }

    fn is_at(&self, index: usize, word: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.span.of(self.text).eq_ignore_ascii_case(word))
    }

    /// One statement, its semicolon left.
    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.statement_by(Self::statement_kind)
    }

    fn statement_by(&mut self, read: impl FnOnce(&mut Self) -> Parse<StatementKind>) -> Parse<Statement> {
        let first = self.at;
        let kind = self.nested(read)?;
        let span = self.span_from(first);
        self.checks.statement(&kind, span);
        Ok(Statement { kind, span, line: Line(self.lines.at(span.start)) })
    }

    /// Returns true if a statement comes next that begins with a word that is not reserved.
    fn sees_soft_start(&self) -> bool {
        self.sees_any(&["THROW", "ENABLE TRIGGER", "DISABLE TRIGGER"]) || self.sees_message_statement()
    }

    /// True if it is one of the Service Broker.
    fn sees_message_statement(&self) -> bool {
        let receives = self.sees("RECEIVE")
            && (self.is(1, "TOP")
                || self.is(1, "*")
                || self.token(1).kind == TokenKind::Variable
                || self.is(2, ",")
                || self.is(2, "FROM"));
        receives || self.sees_any(&["SEND ON", "GET CONVERSATION", "MOVE CONVERSATION"])
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        match self.kind() {
            TokenKind::Word if self.is(1, ":") && !self.is(1, "::") => self.label(),
            TokenKind::Word if self.sees("THROW") => self.throw(),
            TokenKind::Word if self.sees_message_statement() => self.words(),
            TokenKind::Word if self.sees_soft_start() => self.enable_trigger(),
            TokenKind::Reserved => self.reserved_statement(),
            TokenKind::Symbol if self.sees("{") => Ok(StatementKind::Execute(Box::new(self.odbc_call()?))),
            TokenKind::Symbol if self.sees_query() || self.sees_query_after_parenthesis() => {
                self.select_statement(With::default())
            }
            _ => Err(self.unexpected()),
        }
    }

    fn reserved_statement(&mut self) -> Parse<StatementKind> {
        let word = self.token_text(0).to_ascii_uppercase();
        match word.as_str() {
            "SELECT" => self.select_statement(With::default()),
            "WITH" => {
                let with = self.with_clause()?;
                if self.sees_query() { self.select_statement(with) } else { self.change_statement(with) }
            }
            "UPDATE" if self.is(1, "STATISTICS") => self.statistics(),
            "INSERT" if self.is(1, "BULK") => self.words(),
            "INSERT" | "UPDATE" | "DELETE" | "MERGE" => self.change_statement(With::default()),
            "DECLARE" => self.declare(),
            "SET" => self.set(),
            "IF" => self.if_statement(),
            "WHILE" => self.while_statement(),
            "BEGIN" => self.begin(),
            "BREAK" | "CONTINUE" => self.leave_loop(&word),
            "END" if self.sees("END CONVERSATION") => self.words(),
            "GOTO" => self.goto(),
            "RETURN" => self.return_statement(),
            "EXEC" | "EXECUTE" => self.execute_statement(),
            "OPEN" | "CLOSE" if self.is(2, "KEY") || self.is(1, "ALL") => self.words(),
            "OPEN" | "CLOSE" | "DEALLOCATE" | "FETCH" => self.cursor_statement(&word),
            "COMMIT" | "ROLLBACK" | "SAVE" => self.transaction(&word),
            "RAISERROR" | "PRINT" | "WAITFOR" | "USE" | "KILL" | "CHECKPOINT" | "DBCC" | "TRUNCATE" | "REVERT" => {
                self.short_statement(&word)
            }
            "CREATE" | "ALTER" => self.define(),
            "DROP" => self.drop_statement(),
            "GRANT" | "DENY" | "REVOKE" => self.permission(&word),
            "BULK" => self.bulk_insert(),
            "READTEXT" | "WRITETEXT" | "UPDATETEXT" => self.large_value(&word),
            "BACKUP" | "RESTORE" | "RECONFIGURE" | "SHUTDOWN" | "SETUSER" | "LINENO" => self.words(),
            _ => Err(self.unexpected()),
        }
    }

    fn select_statement(&mut self, with: With) -> Parse<StatementKind> {
        let span = self.span();
        self.assignments = Assignments::Allowed;
        let query = self.query(with);
        self.assignments = Assignments::Refused;
        let query = query?;
        if matches!(query.body, QueryBody::Set(..)) && query.body.assigns() {
            self.report(Diagnostic::new(10734, span, ASSIGNS_IN_SET));
        }
        Ok(StatementKind::Select(Box::new(query)))
    }

    fn change_statement(&mut self, with: With) -> Parse<StatementKind> {
        let first = self.at;
        let change = self.change(with)?;
        self.check_merge_end(&change, first);
        Ok(StatementKind::Change(change))
    }

    fn label(&mut self) -> Parse<StatementKind> {
        let name = self.name()?;
        self.expect(":")?;
        self.checks.label(&name);
        Ok(StatementKind::Label(name))
    }

    fn goto(&mut self) -> Parse<StatementKind> {
        self.expect("GOTO")?;
        let name = self.name()?;
        self.checks.goto(&name);
        Ok(StatementKind::Goto(name))
    }

    /// IF with all its ELSE IFs: read in a loop, so that a long chain of them needs no deep recursion.
    fn if_statement(&mut self) -> Parse<StatementKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let first = self.at;
            self.expect("IF")?;
            let condition = self.condition()?;
            let then = self.beside(Self::statement)?;
            branches.push((first, condition, then));
            // One semicolon may end the statement before ELSE.
            if self.sees("; ELSE") {
                self.advance();
            }
            if !self.accept("ELSE") {
                break;
            }
            if !self.sees("IF") {
                otherwise = Some(self.beside(Self::statement)?);
                break;
            }
        }
        let mut kind = None;
        for (first, condition, then) in branches.into_iter().rev() {
            if let Some((first, inner)) = kind.take() {
                let span = self.span_from(first);
                otherwise = Some(Statement { kind: inner, span, line: Line(self.lines.at(span.start)) });
            }
            kind = Some((first, StatementKind::If(Box::new((condition, then, otherwise.take())))));
        }
        kind.map(|(_, kind)| kind).ok_or_else(|| self.unexpected())
    }

    fn while_statement(&mut self) -> Parse<StatementKind> {
        self.expect("WHILE")?;
        let condition = self.condition()?;
        self.checks.enter_loop();
        let body = self.statement();
        self.checks.leave_loop();
        Ok(StatementKind::While(Box::new((condition, body?))))
    }

    fn leave_loop(&mut self, word: &str) -> Parse<StatementKind> {
        let is_break = word == "BREAK";
        self.checks.leave_loop_statement(is_break, self.span());
        self.advance();
        Ok(if is_break { StatementKind::Break } else { StatementKind::Continue })
    }

    fn return_statement(&mut self) -> Parse<StatementKind> {
        let span = self.span();
        self.expect("RETURN")?;
        let begins_value = match self.kind() {
            TokenKind::Symbol => self.sees_any(&["(", "-", "+", "~", "{"]),
            TokenKind::Word | TokenKind::Quoted => !self.is(1, ":") && !self.sees_soft_start(),
            TokenKind::Reserved => self.sees_value_word(),
            TokenKind::End | TokenKind::Unknown => false,
            _ => true,
        };
        if !begins_value {
            return Ok(StatementKind::Return(None));
        }
        self.checks.return_value(span);
        Ok(StatementKind::Return(Some(self.expression()?)))
    }

    /// Returns true if a reserved word comes next that begins a value.
    fn sees_value_word(&self) -> bool {
        self.sees_any(&[
            "CASE",
            "NULL",
            "CONVERT",
            "TRY_CONVERT",
            "COALESCE",
            "NULLIF",
            "LEFT",
            "RIGHT",
            "USER",
            "CURRENT_TIMESTAMP",
            "CURRENT_USER",
            "SESSION_USER",
            "SYSTEM_USER",
            "CURRENT_DATE",
        ])
    }

    fn begin(&mut self) -> Parse<StatementKind> {
        let first = self.at;
        if self.accept("BEGIN TRY") {
            return self.try_catch();
        }
        if self.sees_any(&["BEGIN TRAN", "BEGIN TRANSACTION", "BEGIN DISTRIBUTED"]) {
            return self.transaction("BEGIN");
        }
        if self.sees_any(&["BEGIN DIALOG", "BEGIN CONVERSATION"]) {
            return self.words();
        }
        if self.accept("BEGIN ATOMIC WITH") {
            let options = self.parens(Self::phrase)?;
            return Ok(StatementKind::AtomicBlock(options, self.block_until("END")?));
        }
        self.at = first + 1;
        Ok(StatementKind::Block(self.block_until("END")?))
    }

    /// Statements up to these words, which are taken. An empty block is an error.
    fn block_until(&mut self, end: &str) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        let errors = self.errors.len();
        self.statements_into(&mut statements, &[]);
        if statements.is_empty() && self.errors.len() == errors && end == "END" {
            let error = self.unexpected();
            self.report(*error);
        }
        self.expect(end)?;
        Ok(statements)
    }

    fn try_catch(&mut self) -> Parse<StatementKind> {
        let body = self.block_until("END TRY")?;
        self.accept(";");
        self.expect("BEGIN CATCH")?;
        self.checks.enter_catch();
        let handler = self.block_until("END CATCH");
        self.checks.leave_catch();
        Ok(StatementKind::Try(body, handler?))
    }

    fn throw(&mut self) -> Parse<StatementKind> {
        let span = self.span();
        self.advance();
        let has_value = matches!(self.kind(), TokenKind::Integer | TokenKind::Variable);
        if !has_value {
            self.checks.rethrow(span);
            return Ok(StatementKind::Throw(None));
        }
        let number = self.expression()?;
        self.expect(",")?;
        let message = self.expression()?;
        self.expect(",")?;
        let state = self.expression()?;
        Ok(StatementKind::Throw(Some(Box::new((number, message, state)))))
    }
}
