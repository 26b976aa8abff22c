//! Statements about the server and not about tables: users and rights, databases, backups, sessions.

use crate::columns::Messages;
use crate::session::Inner;
use crate::statements::errors::raised;
use crate::statements::runner::Runner;
use mainstay_session::push::{Command, Environment};
use mainstay_tsql_syntax::compatibility::{ACCEPTED_DEFINITIONS, PRINCIPALS};
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Literal, PhraseItem, Statement, StatementKind, Words};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

impl Inner {
    /// A statement that is stored as its words.
    ///
    /// Errors: 40515 for one that means nothing here, and those of ALTER SCHEMA.
    fn words(&mut self, words: &Words) -> Result<(), Box<Raised>> {
        let verb = words.verb.as_str();
        if matches!(verb, "CREATE DATABASE" | "ALTER DATABASE") {
            self.check_outside_transaction(verb)?;
        }
        match verb {
            "ALTER SCHEMA" => self.transfer(words),
            "ALTER DATABASE" => self.alter_database(words),
            "CREATE DATABASE" => {
                words.name.iter().for_each(|name| self.instance.principals.add_database(name.last()));
                Ok(())
            }
            // There is one database, whatever scripts call it.
            verb if ACCEPTED_DEFINITIONS.contains(&verb) => Ok(()),
            verb => Err(raised(reduce::not_supported(verb))),
        }
    }

    /// KILL: ends another session.
    fn kill(&self, items: &[PhraseItem]) -> Result<(), Box<Raised>> {
        let number = items.iter().find_map(|item| match item {
            PhraseItem::Literal(Literal::Integer(digits)) => digits.parse::<i16>().ok(),
            PhraseItem::Variable(name) if name.is("@@SPID") => Some(self.state.process),
            _ => None,
        });
        let Some(number) = number else { return Err(raised(reduce::not_supported("KILL of this form"))) };
        if self.core.is_read_only() {
            return Err(raised(Message::numbered(6102, &[])));
        }
        if number == self.state.process {
            return Err(raised(Message::error(6104, "Cannot use KILL to kill your own process.")));
        }
        match self.instance.kill(number) {
            true => Ok(()),
            false => {
                let text = format!("Process ID {number} is not an active process ID.");
                Err(raised(Message::error(6106, text)))
            }
        }
    }
}

impl Runner<'_> {
    /// Carries out such a statement.
    ///
    /// Errors: those of the statement; 40515 for one that nothing carries out.
    pub(super) fn administer(&mut self, statement: &Statement) -> Result<Command, Box<Raised>> {
        let inner = &mut *self.inner;
        match &statement.kind {
            StatementKind::Use(name) => {
                inner.instance.check_database(&name.text).map_err(raised)?;
                self.use_database(&name.text);
            }
            // Settings of how a server works, without an effect on answers.
            StatementKind::Checkpoint(_) | StatementKind::Statistics(_) | StatementKind::Revert(_) => {}
            StatementKind::Permission(permission) => {
                let message = inner.permission(permission)?;
                self.sink.tell(&message);
            }
            StatementKind::ExecuteAs(phrase) => inner.execute_as(phrase)?,
            StatementKind::Kill(phrase) => inner.kill(&phrase.items)?,
            StatementKind::Words(words) if PRINCIPALS.contains(&words.verb.as_str()) => {
                let message = inner.principal(words);
                self.sink.tell(&message);
            }
            StatementKind::Words(words) if words.verb == "BACKUP DATABASE" => {
                let message = inner.backup(words)?;
                self.sink.tell(&message);
            }
            StatementKind::Words(words) if words.verb.starts_with("RESTORE") => self.restore(words)?,
            StatementKind::Words(words) => inner.words(words)?,
            _ => return Err(raised(reduce::not_supported("This statement"))),
        }
        Ok(Command::None)
    }

    /// Tells of parts of a new module that are not supported.
    pub(super) fn warn_of_parts(&mut self, statement: &Statement) {
        if let Some(message) = self.inner.unsupported_parts(statement) {
            self.message(message);
        }
    }

    /// USE: it ends with the text or the procedure that contains it.
    fn use_database(&mut self, name: &str) {
        let old = std::mem::replace(&mut self.inner.state.database, name.to_owned());
        if let [_, .., level] = self.inner.state.levels.as_mut_slice() {
            level.database.get_or_insert_with(|| old.clone());
        }
        // The listener reports the change (5701).
        self.sink.environment(&Environment::Database { new: name.to_owned(), old });
    }
}
