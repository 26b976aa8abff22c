//! Statements about the session, its transaction and its options; calls of procedures and texts.

use super::super::constructs as rows;
use super::super::names::is_of_system;
use super::{Executed, SYSTEM_DATABASES, Structure, shown};
use crate::tree::*;
use mainstay_syntax::Span;
use mainstay_tsql_types::settings::Switches;

/// Options of SET that work, beside those of [`Switches`].
const KEPT_OPTIONS: [&str; 18] = [
    "NOCOUNT",
    "XACT_ABORT",
    "IMPLICIT_TRANSACTIONS",
    "FMTONLY",
    "NOEXEC",
    "PARSEONLY",
    "SHOWPLAN_TEXT",
    "SHOWPLAN_ALL",
    "SHOWPLAN_XML",
    "STATISTICS",
    "ROWCOUNT",
    "DATEFIRST",
    "TEXTSIZE",
    "DATEFORMAT",
    "LANGUAGE",
    "LOCK_TIMEOUT",
    "DEADLOCK_PRIORITY",
    "IDENTITY_INSERT",
];
/// Options of SET that are shown and have no effect, with the value that differs.
const SHOWN_OPTIONS: [(&str, bool); 3] =
    [("ANSI_PADDING", false), ("NUMERIC_ROUNDABORT", true), ("CURSOR_CLOSE_ON_COMMIT", true)];
/// Commands of DBCC that work.
const KEPT_COMMANDS: [&str; 4] = ["CHECKIDENT", "OPENTRAN", "INPUTBUFFER", "USEROPTIONS"];

impl Structure<'_> {
    /// Statements about the session and its transaction.
    pub(super) fn session(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::ExecuteAs(phrase) => self.execute_as(phrase),
            StatementKind::Revert(_) => self.here(&rows::REVERT, ""),
            StatementKind::Use(name) if !SYSTEM_DATABASES.iter().any(|known| name.is(known)) => {
                self.add(&rows::USE_DATABASE, name.text.clone(), name.span);
            }
            StatementKind::Checkpoint(_) => self.here(&rows::MAINTENANCE, "CHECKPOINT"),
            StatementKind::Statistics(_) => self.here(&rows::MAINTENANCE, "STATISTICS"),
            StatementKind::Dbcc(command, ..) if !KEPT_COMMANDS.iter().any(|known| command.is(known)) => {
                self.here(&rows::MAINTENANCE, format!("DBCC {}", command.text.to_uppercase()));
            }
            StatementKind::Transaction(Transaction::Begin(true, ..)) => self.here(&rows::DISTRIBUTED, ""),
            StatementKind::Transaction(Transaction::Begin(_, _, Some(_)) | Transaction::Commit(_, Some(_))) => {
                self.here(&rows::TRANSACTION_OPTION, "");
            }
            StatementKind::SetIsolation(level) => match level {
                Isolation::ReadUncommitted => self.here(&rows::READ_UNCOMMITTED, "SET TRANSACTION ISOLATION LEVEL"),
                Isolation::RepeatableRead => self.here(&rows::SERIALIZABLE, "REPEATABLE READ"),
                Isolation::Serializable => self.here(&rows::SERIALIZABLE, "SERIALIZABLE"),
                Isolation::ReadCommitted | Isolation::Snapshot => {}
            },
            StatementKind::SetOption(options) => self.set_options(options),
            StatementKind::Raiserror(_, options) if options.iter().any(|option| option.starts("LOG")) => {
                self.here(&rows::RAISERROR_LOG, "");
            }
            StatementKind::OldRaiserror(_) => self.here(&rows::RAISERROR_OLD, "RAISERROR of a number and a text"),
            StatementKind::SetVariable(set) => {
                if let SetVariable::Property(variable, name, _) = set.as_ref() {
                    self.add(&rows::VARIABLE_PROPERTY, format!("{}.{}", variable.text, name.text), name.span);
                }
            }
            _ => {}
        }
    }

    fn execute_as(&mut self, phrase: &Phrase) {
        let is_other = phrase.items.iter().any(|item| match item {
            PhraseItem::Literal(Literal::String(name) | Literal::NationalString(name)) => {
                !["dbo", "sa"].iter().any(|own| name.eq_ignore_ascii_case(own))
            }
            PhraseItem::Variable(_) => true,
            _ => false,
        });
        match is_other {
            true => self.here(&rows::IMPERSONATION, "EXECUTE AS another user"),
            false => self.here(&rows::REVERT, "EXECUTE AS"),
        }
    }

    fn set_options(&mut self, options: &[Phrase]) {
        let last = options.last().and_then(|option| option.items.last());
        let is_on = matches!(last, Some(PhraseItem::Word(word)) if word.is("ON"));
        for option in options {
            let Some(PhraseItem::Word(name)) = option.items.first() else { continue };
            let shown = SHOWN_OPTIONS.iter().find(|(shown, _)| name.is(shown));
            let is_kept = KEPT_OPTIONS.iter().any(|kept| name.is(kept)) || Switches::by_name(&name.text).is_some();
            let upper = name.text.to_uppercase();
            match shown {
                Some((_, differs)) if *differs == is_on => {
                    let value = if is_on { "ON" } else { "OFF" };
                    self.add(&rows::SET_DIFFERENT, format!("{upper} {value}"), name.span);
                }
                Some(_) => {}
                None if is_kept || ["CONTEXT_INFO", "OFFSETS"].iter().any(|kept| name.is(kept)) => {}
                None => self.add(&rows::SET_IGNORED, upper, name.span),
            }
        }
    }

    pub(super) fn execute(&mut self, execute: &Execute) {
        if !execute.options.is_empty() {
            self.here(&rows::MODULE_OPTION, "EXEC WITH");
        }
        match &execute.module {
            ExecuteModule::Procedure(name, number, arguments) => {
                if number.is_some() {
                    self.add(&rows::NUMBERED, name.last().to_owned(), name.span);
                }
                if name.last().eq_ignore_ascii_case("sp_executesql")
                    && let Some(argument) = arguments.first()
                {
                    self.executed(&argument.value, name.span);
                }
                self.procedure(name);
            }
            ExecuteModule::Variable(name, _) => self.add(&rows::DYNAMIC_SQL, "EXEC of a name in a variable", name.span),
            ExecuteModule::Text(text, _, principal, server) => {
                if principal.is_some() {
                    self.here(&rows::EXECUTE_AS_TEXT, "");
                }
                match server {
                    Some(server) => self.add(&rows::LINKED_SERVER, format!("EXEC AT {}", server.text), server.span),
                    None => self.executed(text, Span::default()),
                }
            }
        }
    }

    /// A text that is executed: a constant is looked at, anything else cannot be.
    fn executed(&mut self, text: &Expr, span: Span) {
        match text {
            Expr::Literal(Literal::String(text) | Literal::NationalString(text)) => {
                let (line, statement) = (self.line_of(span), self.innermost().statement);
                self.texts.push(Executed { text: text.clone(), line, statement });
            }
            _ => self.add(&rows::DYNAMIC_SQL, "", span),
        }
    }

    fn procedure(&mut self, name: &ObjectName) {
        let part = |from_end: usize| {
            let place = name.parts.len().checked_sub(from_end);
            place.and_then(|place| name.parts.get(place)).map_or(String::new(), |part| part.text.to_lowercase())
        };
        let (last, database, server) = (part(1), part(3), part(4));
        let is_system = last.starts_with("sp_") || last.starts_with("xp_") || part(2) == "sys" || database == "msdb";
        if !server.is_empty() {
            self.add(&rows::LINKED_SERVER, shown(name), name.span);
        } else if is_system {
            // The procedures of cursors are those of drivers.
            let is_known = is_of_system("procedure", &last) || self.names.is_routine(name);
            if !is_known || database == "msdb" {
                self.add(&rows::SYSTEM_PROCEDURE, last, name.span);
            }
        } else if !database.is_empty() && !SYSTEM_DATABASES.contains(&database.as_str()) {
            self.add(&rows::OTHER_DATABASE, database, name.span);
        }
    }
}
