//! DECLARE, SET, cursors.

use super::Parser;
use crate::check::VariableKind;
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::TokenKind;

/// Options of a cursor.
const CURSOR_OPTIONS: [&str; 13] = [
    "LOCAL",
    "GLOBAL",
    "FORWARD_ONLY",
    "SCROLL",
    "STATIC",
    "KEYSET",
    "DYNAMIC",
    "FAST_FORWARD",
    "READ_ONLY",
    "SCROLL_LOCKS",
    "OPTIMISTIC",
    "TYPE_WARNING",
    "INSENSITIVE",
];

/// The options of SET, but for variables and the isolation level.
const OPTIONS: [&str; 41] = [
    "ANSI_DEFAULTS",
    "ANSI_NULLS",
    "ANSI_NULL_DFLT_OFF",
    "ANSI_NULL_DFLT_ON",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "ARITHIGNORE",
    "CONCAT_NULL_YIELDS_NULL",
    "CONTEXT_INFO",
    "CURSOR_CLOSE_ON_COMMIT",
    "DATEFIRST",
    "DATEFORMAT",
    "DEADLOCK_PRIORITY",
    "DISABLE_DEF_CNST_CHK",
    "ERRLVL",
    "FIPS_FLAGGER",
    "FMTONLY",
    "FORCEPLAN",
    "IDENTITY_INSERT",
    "IMPLICIT_TRANSACTIONS",
    "LANGUAGE",
    "LOCK_TIMEOUT",
    "NOCOUNT",
    "NOEXEC",
    "NO_BROWSETABLE",
    "NUMERIC_ROUNDABORT",
    "OFFSETS",
    "PARSEONLY",
    "PROCID",
    "QUERY_GOVERNOR_COST_LIMIT",
    "QUOTED_IDENTIFIER",
    "REMOTE_PROC_TRANSACTIONS",
    "RESULT_SET_CACHING",
    "ROWCOUNT",
    "SHOWPLAN_ALL",
    "SHOWPLAN_TEXT",
    "SHOWPLAN_XML",
    "STATISTICS",
    "TEXTSIZE",
    "XACT_ABORT",
];

impl Parser<'_> {
    pub(super) fn declare(&mut self) -> Parse<StatementKind> {
        self.expect("DECLARE")?;
        if self.is_name(0) {
            let name = self.name()?;
            return Ok(StatementKind::DeclareCursor(name, Box::new(self.cursor()?)));
        }
        Ok(StatementKind::Declare(self.list(Self::declaration)?))
    }

    fn declaration(&mut self) -> Parse<Declaration> {
        let name = self.variable()?;
        self.accept("AS");
        if self.accept("TABLE") {
            self.checks.declare(&name, VariableKind::Table);
            return Ok(Declaration::Table(name, self.table_elements()?));
        }
        let data_type = self.data_type()?;
        // The value is read before the variable is there.
        let value = self.after("=", Self::expression);
        self.checks.declare(&name, VariableKind::Scalar);
        Ok(Declaration::Scalar(name, data_type, value?))
    }

    /// A cursor from its options on.
    fn cursor(&mut self) -> Parse<Cursor> {
        let mut options = self.cursor_options();
        let iso = !options.is_empty();
        self.expect("CURSOR")?;
        let span = self.span();
        let more = self.cursor_options();
        if iso && !more.is_empty() {
            let text = "Mixing old and new syntax to specify cursor options is not allowed.";
            return Err(Box::new(Diagnostic::new(1049, span, text)));
        }
        options.extend(more);
        self.expect("FOR")?;
        let with = self.with_clause()?;
        let query = self.query(with)?;
        let update = if self.accept("FOR READ ONLY") {
            Some(CursorUpdate::ReadOnly)
        } else if self.accept("FOR UPDATE") {
            let columns = self.after("OF", |parser| parser.list(Self::dotted_name))?;
            Some(CursorUpdate::Update(columns.unwrap_or_default()))
        } else {
            None
        };
        Ok(Cursor { options, iso, query, update })
    }

    fn cursor_options(&mut self) -> Vec<String> {
        let mut options = Vec::new();
        while let Some(option) = self.accept_any(&CURSOR_OPTIONS) {
            options.push(option.to_owned());
        }
        options
    }

    pub(super) fn set(&mut self) -> Parse<StatementKind> {
        self.expect("SET")?;
        if self.kind() == TokenKind::Variable {
            return Ok(StatementKind::SetVariable(Box::new(self.set_variable()?)));
        }
        if self.accept("TRANSACTION ISOLATION LEVEL") {
            return self.isolation();
        }
        self.set_option()
    }

    fn set_variable(&mut self) -> Parse<SetVariable> {
        let name = self.variable()?;
        self.checks.scalar(&name, true);
        if self.accept(".") {
            let member = self.name()?;
            if self.sees("(") {
                return Ok(SetVariable::Method(name, member, self.arguments(Self::expression)?));
            }
            self.expect("=")?;
            return Ok(SetVariable::Property(name, member, self.expression()?));
        }
        let operator = self.expect_assignment()?;
        if self.sees("CURSOR") {
            return Ok(SetVariable::Cursor(name, Box::new(self.cursor()?)));
        }
        // A cursor's name is a value here.
        Ok(SetVariable::Value(name, operator, self.expression()?))
    }

    fn isolation(&mut self) -> Parse<StatementKind> {
        let levels = [
            ("READ UNCOMMITTED", Isolation::ReadUncommitted),
            ("READ COMMITTED", Isolation::ReadCommitted),
            ("REPEATABLE READ", Isolation::RepeatableRead),
            ("SNAPSHOT", Isolation::Snapshot),
            ("SERIALIZABLE", Isolation::Serializable),
        ];
        let level = levels.into_iter().find(|(words, _)| self.accept(words));
        level.map(|(_, level)| StatementKind::SetIsolation(level)).ok_or_else(|| self.unexpected())
    }

    /// `SET name value`, `SET name, name ON`, `SET IDENTITY_INSERT table ON`.
    fn set_option(&mut self) -> Parse<StatementKind> {
        let mut options = Vec::new();
        loop {
            let name = self.word()?;
            // `SET STATISTICS IO, TIME ON`: the second one is of the statistics, too.
            let is_known = OPTIONS.iter().any(|option| name.is(option))
                || options.iter().any(|before: &Phrase| before.starts("STATISTICS"));
            if !is_known {
                let text = format!("'{}' is not a recognized SET option.", name.text);
                return Err(Box::new(Diagnostic::new(195, name.span, text).state(5)));
            }
            let mut phrase = Phrase { items: vec![PhraseItem::Word(name)] };
            let at = self.at;
            let words = self.set_option_words(&phrase);
            for _ in 0..words {
                // The name of a table, its points included.
                while self.is_name(0) && self.is(1, ".") {
                    phrase.items.push(PhraseItem::Word(self.name()?));
                    phrase.items.push(PhraseItem::Symbol(self.take_name().text));
                }
                phrase.items.extend(self.phrase_item()?);
            }
            if words > 0 && self.at == at {
                return Err(self.unexpected());
            }
            options.push(phrase);
            if !self.accept(",") {
                break;
            }
        }
        self.take_quoted_identifier(&options);
        Ok(StatementKind::SetOption(options))
    }

    /// The number of words and values behind the first.
    fn set_option_words(&self, first: &Phrase) -> usize {
        if self.sees(",") {
            return 0;
        }
        let two = ["IDENTITY_INSERT", "STATISTICS", "OFFSETS"].iter().any(|word| first.starts(word));
        if two || self.sees_any(&["-", "+"]) { 2 } else { 1 }
    }

    /// SET QUOTED_IDENTIFIER counts from here on; so does ANSI_DEFAULTS, which includes it.
    fn take_quoted_identifier(&mut self, options: &[Phrase]) {
        let names_it = |phrase: &Phrase| phrase.starts("QUOTED_IDENTIFIER") || phrase.starts("ANSI_DEFAULTS");
        if options.iter().any(names_it) {
            let last = options.last().and_then(|phrase| phrase.items.last());
            self.quoted_identifier = matches!(last, Some(PhraseItem::Word(word)) if word.is("ON"));
        }
    }

    /// A cursor where a statement names it.
    pub(super) fn cursor_name(&mut self) -> Parse<CursorName> {
        if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, false);
            return Ok(CursorName { global: false, name });
        }
        let global = self.sees("GLOBAL") && self.is_name(1);
        if global {
            self.advance();
        }
        Ok(CursorName { global, name: self.name()? })
    }

    pub(super) fn cursor_statement(&mut self, word: &str) -> Parse<StatementKind> {
        self.advance();
        match word {
            "OPEN" => Ok(StatementKind::Open(self.cursor_name()?)),
            "CLOSE" => Ok(StatementKind::Close(self.cursor_name()?)),
            "DEALLOCATE" => Ok(StatementKind::Deallocate(self.cursor_name()?)),
            _ => self.fetch(),
        }
    }

    fn fetch(&mut self) -> Parse<StatementKind> {
        let words = ["NEXT", "PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE"];
        let mut direction = Direction::Next;
        let mut is_written = false;
        // A cursor may have the name of a direction.
        let is_direction = !self.is(1, "INTO") && !self.is(1, ";") && self.token(1).kind != TokenKind::End;
        if is_direction && let Some(word) = self.accept_any(&words) {
            is_written = true;
            direction = match word {
                "NEXT" => Direction::Next,
                "PRIOR" => Direction::Prior,
                "FIRST" => Direction::First,
                "LAST" => Direction::Last,
                "ABSOLUTE" => Direction::Absolute(self.fetch_count()?),
                _ => Direction::Relative(self.fetch_count()?),
            };
        }
        if is_written {
            if self.kind() == TokenKind::Integer {
                // The FETCH of a query that has no ORDER BY for it.
                let words = self.tokens[self.at - 1].span;
                let option = words.of(self.text).to_uppercase();
                let text = format!("Invalid usage of the option {option} in the FETCH statement.");
                return Err(Box::new(Diagnostic::new(153, words, text).state(2)));
            }
            self.expect("FROM")?;
        } else {
            self.accept("FROM");
        }
        let cursor = self.cursor_name()?;
        let into = self.after("INTO", |parser| {
            parser.list(|parser| {
                let name = parser.variable()?;
                parser.checks.scalar(&name, true);
                Ok(name)
            })
        })?;
        Ok(StatementKind::Fetch(Box::new(Fetch { direction, cursor, into: into.unwrap_or_default() })))
    }

    fn fetch_count(&mut self) -> Parse<Expr> {
        if self.kind() != TokenKind::Variable {
            return self.signed_literal();
        }
        let name = self.variable()?;
        self.checks.scalar(&name, false);
        Ok(Expr::Variable(name))
    }
}
