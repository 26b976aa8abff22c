//! All other definitions, permissions, and statements that are words.

use super::Parser;
use super::statement::STARTS;
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::{Span, TokenKind};

/// Kinds that have definitions made of words, and no DROP of this form.
const OTHER_KINDS: [&str; 7] =
    ["LOG", "SERVER CONFIGURATION", "AUTHORIZATION", "BULK", "PRIMARY XML INDEX", "XML INDEX", "SPATIAL INDEX"];

/// Reads a module after its CREATE.
type ReadModule<'t> = fn(&mut Parser<'t>, DefineKind) -> Parse<StatementKind>;

/// The argument that an option of a sequence gives, as messages name it.
fn argument_of(option: &SequenceOption) -> &'static str {
    match option {
        SequenceOption::StartWith(_) => "START WITH",
        SequenceOption::RestartWith(_) => "RESTART WITH",
        SequenceOption::IncrementBy(_) => "INCREMENT BY",
        SequenceOption::MinValue(_) => "MINVALUE",
        SequenceOption::MaxValue(_) => "MAXVALUE",
        SequenceOption::Cycle(_) => "CYCLE",
        SequenceOption::Cache(_) | SequenceOption::NoCache => "CACHE",
    }
}

impl<'t> Parser<'t> {
    /// Returns true if a word comes next with which a statement begins; not after WITH, where it is an option.
    pub(super) fn begins_statement(&self) -> bool {
        let after_with = self.at > 0 && self.tokens[self.at - 1].span.of(self.text).eq_ignore_ascii_case("WITH");
        !after_with && self.kind() == TokenKind::Reserved && self.sees_any(&STARTS)
    }

    /// CREATE and ALTER.
    pub(super) fn define(&mut self) -> Parse<StatementKind> {
        let first = self.at;
        let define = match self.accept_any(&["CREATE OR ALTER", "CREATE", "ALTER"]) {
            Some("CREATE OR ALTER") => DefineKind::CreateOrAlter,
            Some("CREATE") => DefineKind::Create,
            _ => DefineKind::Alter,
        };
        let modules: [(&str, &str, ReadModule<'t>); 5] = [
            ("PROCEDURE", "PROCEDURE", Self::procedure),
            ("PROC", "PROCEDURE", Self::procedure),
            ("FUNCTION", "FUNCTION", Self::function),
            ("TRIGGER", "TRIGGER", Self::trigger),
            ("VIEW", "VIEW", Self::view),
        ];
        if let Some((_, object, read)) = modules.into_iter().find(|(word, ..)| self.accept(word)) {
            // The elements of CREATE SCHEMA stand inside of it.
            if !self.in_schema {
                self.check_first(first, define, object);
            }
            return read(self, define);
        }
        match define {
            DefineKind::Create => self.create(first),
            DefineKind::Alter => self.alter(first),
            DefineKind::CreateOrAlter => Err(self.unexpected()),
        }
    }

    fn create(&mut self, first: usize) -> Parse<StatementKind> {
        if self.accept("TABLE") {
            return self.create_table();
        }
        if self.sees_any(&["UNIQUE", "CLUSTERED", "NONCLUSTERED", "COLUMNSTORE", "INDEX"]) {
            return self.create_index();
        }
        if self.accept("SEQUENCE") {
            return self.sequence(false);
        }
        if self.accept("SYNONYM") {
            let name = self.object_name()?;
            self.expect("FOR")?;
            return Ok(StatementKind::CreateSynonym(name, self.object_name()?));
        }
        if self.accept("SCHEMA") {
            self.check_first(first, DefineKind::Create, "SCHEMA");
            return self.create_schema();
        }
        if self.accept("TYPE") {
            return self.create_type();
        }
        if self.sees("STATISTICS") {
            return self.statistics();
        }
        self.at = first;
        self.words()
    }

    fn alter(&mut self, first: usize) -> Parse<StatementKind> {
        if self.accept("TABLE") {
            return self.alter_table();
        }
        if self.accept("INDEX") {
            return self.alter_index();
        }
        if self.accept("SEQUENCE") {
            return self.sequence(true);
        }
        self.at = first;
        self.words()
    }

    /// A statement that is kept as words: its verb, its name, and the rest up to the next statement.
    pub(super) fn words(&mut self) -> Parse<StatementKind> {
        let mut verb = self.take_name().text.to_ascii_uppercase();
        if matches!(verb.as_str(), "BEGIN" | "END" | "GET" | "MOVE")
            && let Some(what) = self.accept_any(&["DIALOG", "CONVERSATION"])
        {
            verb = format!("{verb} {what}");
        }
        let kinds = OBJECT_KINDS.into_iter().chain(OTHER_KINDS);
        let is_definition = matches!(verb.as_str(), "CREATE" | "ALTER");
        let is_scoped = self.sees("DATABASE SCOPED CONFIGURATION");
        let kind = if is_scoped {
            self.at += 3;
            Some("DATABASE SCOPED CONFIGURATION")
        } else {
            kinds.into_iter().find(|kind| self.accept(kind))
        };
        let mut name = None;
        if let Some(kind) = kind {
            verb = format!("{verb} {kind}");
            let has_name = !self.sees("ON") && !kind.starts_with("MASTER") && !is_scoped;
            if has_name {
                let has_reserved_name = self.kind() == TokenKind::Reserved || self.kind() == TokenKind::Variable;
                name = Some(if has_reserved_name { self.reserved_name() } else { self.object_name()? });
            }
        } else if is_definition {
            return Err(self.unexpected());
        }
        let mut rest = Vec::new();
        loop {
            if self.kind() != TokenKind::End && self.accept(",") {
                rest.push(PhraseItem::Symbol(",".to_owned()));
                continue;
            }
            // Any word behind the name in an ALTER belongs to the ALTER: SET, DROP MEMBER.
            let is_its_own = verb.starts_with("ALTER") && (rest.is_empty() || is_scoped && self.sees("SET"));
            if self.begins_statement() && !is_its_own {
                break;
            }
            match self.phrase_item()? {
                Some(item) => rest.push(item),
                None => break,
            }
        }
        Ok(StatementKind::Words(Box::new(Words { verb, name, rest })))
    }

    fn sequence(&mut self, alter: bool) -> Parse<StatementKind> {
        let name = self.object_name()?;
        let span = self.span();
        let data_type = self.after("AS", Self::data_type)?;
        if alter && data_type.is_some() {
            self.sequence_error(11711, span, "Argument 'AS' cannot be used in an ALTER SEQUENCE statement.");
        }
        let mut options = Vec::new();
        let mut given: Vec<&str> = Vec::new();
        loop {
            let span = self.span();
            let Some(option) = self.sequence_option()? else { break };
            let argument = argument_of(&option);
            match option {
                SequenceOption::RestartWith(_) if !alter => {
                    let text = "The 'RESTART WITH' argument cannot be used in a CREATE SEQUENCE statement.";
                    self.sequence_error(11709, span, text);
                }
                SequenceOption::StartWith(_) if alter => {
                    let text = "Argument 'START WITH' cannot be used in an ALTER SEQUENCE statement.";
                    self.sequence_error(11710, span, text);
                }
                _ if given.contains(&argument) => {
                    let text = format!("Argument '{argument}' can not be specified more than once.");
                    self.sequence_error(11712, span, text);
                }
                _ => {}
            }
            given.push(argument);
            options.push(option);
        }
        if alter && options.is_empty() {
            self.sequence_error(11715, name.span, "No properties specified for ALTER SEQUENCE.");
        }
        Ok(StatementKind::Sequence(Box::new(Sequence { alter, name, data_type, options })))
    }

    fn sequence_error(&mut self, number: u32, span: Span, text: impl Into<String>) {
        self.errors.push(Diagnostic::new(number, span, text));
    }

    fn sequence_option(&mut self) -> Parse<Option<SequenceOption>> {
        use SequenceOption::*;
        let forms = [
            "START WITH",
            "RESTART WITH",
            "RESTART",
            "INCREMENT BY",
            "MINVALUE",
            "MAXVALUE",
            "NO MINVALUE",
            "NO MAXVALUE",
            "NO CYCLE",
            "CYCLE",
            "NO CACHE",
            "CACHE",
        ];
        let Some(words) = self.accept_any(&forms) else { return Ok(None) };
        Ok(Some(match words {
            "START WITH" => StartWith(self.signed_literal()?),
            "RESTART WITH" => RestartWith(Some(self.signed_literal()?)),
            "RESTART" => RestartWith(None),
            "INCREMENT BY" => IncrementBy(self.signed_literal()?),
            "MINVALUE" => MinValue(Some(self.signed_literal()?)),
            "MAXVALUE" => MaxValue(Some(self.signed_literal()?)),
            "NO MINVALUE" => MinValue(None),
            "NO MAXVALUE" => MaxValue(None),
            "NO CACHE" => NoCache,
            "CACHE" if self.kind() == TokenKind::Integer => Cache(Some(self.signed_literal()?)),
            "CACHE" => Cache(None),
            _ => Cycle(words == "CYCLE"),
        }))
    }

    fn create_schema(&mut self) -> Parse<StatementKind> {
        let name = if self.sees("AUTHORIZATION") { None } else { Some(self.name()?) };
        let owner = self.after("AUTHORIZATION", Self::name)?;
        let mut elements = Vec::new();
        self.in_schema = true;
        while self.sees_any(&["CREATE TABLE", "CREATE VIEW", "GRANT", "DENY", "REVOKE"]) {
            let element = self.statement();
            self.in_schema = element.is_ok();
            elements.push(element?);
        }
        self.in_schema = false;
        Ok(StatementKind::CreateSchema(Box::new(CreateSchema { name, owner, elements })))
    }

    fn create_type(&mut self) -> Parse<StatementKind> {
        let name = self.object_name()?;
        let created = if self.accept("FROM") {
            let data_type = self.data_type()?;
            let nullable = self.accept_any(&["NULL", "NOT NULL"]).map(|words| words == "NULL");
            CreateType::Alias(name, data_type, nullable)
        } else if self.accept("AS TABLE") {
            let elements = self.table_elements()?;
            let options = if self.accept("WITH") { self.parens(Self::phrase)? } else { Vec::new() };
            CreateType::Table(name, elements, options)
        } else {
            self.expect("EXTERNAL NAME")?;
            CreateType::External(name, self.object_name()?)
        };
        Ok(StatementKind::CreateType(Box::new(created)))
    }

    /// CREATE STATISTICS (CREATE taken) and UPDATE STATISTICS.
    pub(super) fn statistics(&mut self) -> Parse<StatementKind> {
        let create = !self.accept("UPDATE");
        self.expect("STATISTICS")?;
        let mut name = None;
        if create {
            name = Some(self.name()?);
            self.expect("ON")?;
        }
        let table = self.object_name()?;
        let columns = if self.is_name(0) { vec![self.name()?] } else { self.optional_parens(Self::name)? };
        let filter = self.after("WHERE", Self::condition)?;
        let options = self.with_words()?;
        Ok(StatementKind::Statistics(Box::new(Statistics { create, name, table, columns, filter, options })))
    }

    pub(super) fn drop_statement(&mut self) -> Parse<StatementKind> {
        self.expect("DROP")?;
        let kind = OBJECT_KINDS.into_iter().find(|kind| self.accept(kind)).ok_or_else(|| self.unexpected())?;
        let kind = if kind == "PROC" { "PROCEDURE" } else { kind };
        let if_exists = self.accept("IF EXISTS");
        let names = self.list(|parser| {
            let name = if matches!(kind, "FULLTEXT INDEX" | "MASTER KEY") {
                ObjectName::default()
            } else {
                parser.object_name()?
            };
            let has_table = kind.ends_with("INDEX") && parser.accept("ON");
            let table = if has_table { Some(parser.object_name()?) } else { None };
            let mut options = Vec::new();
            if parser.sees("WITH") && parser.is(1, "(") {
                parser.advance();
                options = parser.parens(Self::phrase)?;
            }
            Ok(DropName { name, table, options })
        })?;
        let mut rest = Phrase::default();
        if (kind == "TRIGGER" || kind.starts_with("EVENT")) && self.sees("ON") {
            rest = self.phrase_while(|parser| parser.sees_any(&["ON", "DATABASE", "ALL", "SERVER"]))?;
        }
        Ok(StatementKind::Drop(Box::new(Drop { kind, if_exists, names, rest })))
    }

    pub(super) fn permission(&mut self, word: &str) -> Parse<StatementKind> {
        self.advance();
        let kind = match word {
            "GRANT" => PermissionKind::Grant,
            "DENY" => PermissionKind::Deny,
            _ => PermissionKind::Revoke,
        };
        let grant_option_for = self.accept("GRANT OPTION FOR");
        let permissions = self.list(|parser| parser.phrase_while(|p| !p.sees_any(&["ON", "TO", "FROM"])))?;
        let (mut object, mut columns) = (None, Vec::new());
        if self.accept("ON") {
            object = Some(self.permission_object()?);
            columns = self.optional_parens(Self::name)?;
        }
        if self.accept_any(&["TO", "FROM"]).is_none() {
            return Err(self.unexpected());
        }
        let principals = self.list(Self::word)?;
        let with_grant_option = self.accept("WITH GRANT OPTION");
        let cascade = self.accept("CASCADE");
        let grantor = self.after("AS", Self::name)?;
        Ok(StatementKind::Permission(Box::new(Permission {
            kind,
            grant_option_for,
            permissions,
            object,
            columns,
            principals,
            with_grant_option,
            cascade,
            grantor,
        })))
    }

    /// `[class ::] name`.
    fn permission_object(&mut self) -> Parse<(Option<String>, ObjectName)> {
        let mut class = Vec::new();
        let words = (1..=3).find(|count| self.is(*count, "::"));
        for _ in 0..words.unwrap_or(0) {
            class.push(self.word()?.text.to_ascii_uppercase());
        }
        if words.is_some() {
            self.expect("::")?;
        }
        let class = (!class.is_empty()).then(|| class.join(" "));
        Ok((class, self.object_name()?))
    }

    pub(super) fn bulk_insert(&mut self) -> Parse<StatementKind> {
        self.expect("BULK INSERT")?;
        let table = self.object_name()?;
        self.expect("FROM")?;
        let file = self.string()?;
        let options = if self.accept("WITH") { self.parens(Self::phrase)? } else { Vec::new() };
        Ok(StatementKind::BulkInsert(table, file, options))
    }
}
