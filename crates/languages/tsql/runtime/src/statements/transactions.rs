//! Transactions: BEGIN, COMMIT, ROLLBACK, SAVE, and the effect of errors on them.
//!
//! The core has one transaction a session; `@@TRANCOUNT` is counted here, and only the last COMMIT commits. A
//! transaction that an error has doomed can only be rolled back (`XACT_STATE()` is -1).

use crate::columns::Messages;
use crate::objects::modules::Loaded;
use crate::session::Inner;
use crate::statements::errors::{at_level, message_of, raised, raised_error};
use crate::statements::flow::text_of;
use crate::statements::runner::{Ran, Runner};
use crate::statements::xml_documents::XmlDocuments;
use mainstay_session::push::{Begin, Sink, TransactionRequest};
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Isolation, Name, QueryBody, Transaction};
use mainstay_tsql_types::Message;
use mainstay_types::Code;
use mainstay_vm::{Flow, Raised, StatementCall};

/// The name of a transaction statement: a word, or the value of a variable.
pub(crate) fn transaction_name(
    transaction: &Transaction,
    host: &HostStatement,
    call: &StatementCall<'_>,
) -> Option<String> {
    let name: &Name = match transaction {
        Transaction::Begin(_, name, _) | Transaction::Rollback(name) | Transaction::Commit(name, _) => name.as_ref()?,
        Transaction::Save(name) => name,
    };
    if !name.text.starts_with('@') {
        return Some(name.text.clone());
    }
    let place = host.inputs.iter().position(|(known, _)| known.eq_ignore_ascii_case(&name.text))?;
    // Of a variable's value the first characters count, as many as a name may have.
    Some(text_of(call.input(place)).chars().take(mainstay_tsql_syntax::TRANSACTION_NAME_LENGTH).collect())
}

/// 266.
pub(crate) fn miscounted((before, after, name): (u32, u32, Option<String>)) -> Box<Raised> {
    let text = format!(
        "Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT statements. Previous count = \
         {before}, current count = {after}."
    );
    let mut message = Message::error(266, text).state(2);
    message.procedure = name;
    raised(message)
}

/// True if an error leaves nothing of the transaction to commit, whatever the options are.
pub(crate) fn ends_transaction(number: i32) -> bool {
    matches!(number, 241 | 242 | 245 | 1205 | 3915 | 3916 | 3960 | 8114)
}

/// 3930.
fn doomed() -> Box<Raised> {
    let text = "The current transaction cannot be committed and cannot support operations that write to the log file. Roll \
                back the transaction.";
    raised(Message::error(3930, text))
}

impl Inner {
    /// Sees that something may be written.
    ///
    /// Errors: 3930 in a transaction that can only be rolled back.
    pub(crate) fn check_writable(&self) -> Result<(), Box<Raised>> {
        let is_doomed = self.state.doomed && self.state.transactions > 0;
        if is_doomed || self.has_lost_transaction() { Err(doomed()) } else { Ok(()) }
    }

    /// Statements on whole databases run in autocommit mode only. Source: "CREATE DATABASE (Transact-SQL)", Remarks, and
    /// the same of ALTER and DROP.
    ///
    /// Errors: 226.
    pub(crate) fn check_outside_transaction(&self, statement: &str) -> Result<(), Box<Raised>> {
        match self.state.transactions {
            0 => Ok(()),
            _ => {
                let state = if statement.starts_with("CREATE") { 5 } else { 6 };
                Err(raised(Message::numbered(226, &[&statement]).state(state)))
            }
        }
    }

    /// Returns true if the core has rolled back the transaction that is counted here, with the error that is being
    /// handled: that of a deadlock's victim.
    pub(crate) fn has_lost_transaction(&self) -> bool {
        self.state.transactions > 0 && !self.core.is_in_transaction()
    }

    /// The end of a batch: a transaction that cannot be committed ends with it.
    pub(crate) fn end_batch(&mut self, sink: &mut dyn Sink) {
        if self.state.doomed && self.state.transactions > 0 {
            // The message reports the outcome.
            let _ = self.rollback(None);
            let text = "Uncommittable transaction is detected at the end of the batch. The transaction is rolled back.";
            let mut message = Message::error(3998, text);
            message.line = 1;
            sink.tell(&message);
            self.announce(sink);
        }
    }

    /// BEGIN, COMMIT, ROLLBACK and SAVE.
    pub(crate) fn transaction(&mut self, transaction: &Transaction, name: Option<&str>) -> Result<(), Box<Raised>> {
        match transaction {
            Transaction::Begin(..) => self.begin(name),
            Transaction::Commit(..) => self.commit(),
            Transaction::Rollback(_) => self.rollback(name),
            Transaction::Save(_) => self.save(name.unwrap_or("")),
        }
    }

    fn begin(&mut self, name: Option<&str>) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            self.open(name)?;
            self.state.announced.begun();
        }
        self.state.transactions += 1;
        self.show_activity();
        Ok(())
    }

    /// Begins the transaction of the core.
    fn open(&mut self, name: Option<&str>) -> Result<(), Box<Raised>> {
        self.core.begin().map_err(raised_error)?;
        self.state.transaction_name = name.map(str::to_owned);
        self.state.has_defined = false;
        self.state.savepoints.clear();
        self.state.units.clear();
        self.state.forget_notes_of_names();
        Ok(())
    }

    /// Begins the transaction of a statement that runs other statements, if none is open: whether it has. It is not
    /// announced to the client.
    pub(crate) fn begin_statement(&mut self) -> Result<bool, Box<Raised>> {
        if self.state.transactions > 0 {
            return Ok(false);
        }
        self.open(None)?;
        self.state.transactions = 1;
        self.show_activity();
        Ok(true)
    }

    /// Ends the transaction of such a statement: commits it if the statement has succeeded. One that its statements have begun
    /// and not ended stays open.
    ///
    /// Errors: those of the statement, and of the commit.
    pub(crate) fn end_statement<T>(&mut self, outcome: Result<T, Box<Raised>>) -> Result<T, Box<Raised>> {
        let ended = match (&outcome, self.state.transactions) {
            (_, 0) => Ok(()),
            (Err(_), _) => self.rollback(None),
            (Ok(_), 1) => self.commit(),
            (Ok(_), _) => {
                self.state.transactions -= 1;
                self.state.announced.begun();
                Ok(())
            }
        };
        if ended.is_err() && self.state.transactions > 0 {
            let _ = self.rollback(None);
        }
        outcome.and_then(|done| ended.map(|()| done))
    }

    fn commit(&mut self) -> Result<(), Box<Raised>> {
        match self.state.transactions {
            0 => {
                let text = "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.";
                Err(raised(Message::error(3902, text)))
            }
            _ if self.state.doomed => Err(doomed()),
            1 => {
                self.state.transactions = 0;
                self.show_activity();
                let (level, process) = (self.state.options.isolation, self.state.process);
                let core = &mut self.core;
                // Others may look for its objects before they are there for them, and meet them before they are counted.
                let done = match std::mem::take(&mut self.state.has_defined) {
                    true => self.instance.version.commit(|| core.commit()),
                    false => core.commit(),
                };
                let done = done.map_err(|error| at_level(raised_error(error), level, process));
                match done {
                    Ok(_) => self.state.announced.committed(),
                    Err(_) => self.state.announced.rolled_back(),
                }
                self.instance.locks.end(self.state.process, true);
                self.tell_watchers();
                done
            }
            _ => {
                self.state.transactions -= 1;
                self.show_activity();
                Ok(())
            }
        }
    }

    /// Lets open cursors know of what the transaction has changed: others' see it now, and one's own see what has gone.
    fn tell_watchers(&mut self) {
        for (table, moves) in &self.state.changed {
            self.instance.watch.changed(table, *moves);
        }
        if self.state.transactions == 0 {
            self.state.changed.clear();
        }
    }

    /// All of the transaction, or back to a savepoint.
    pub(crate) fn rollback(&mut self, name: Option<&str>) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            let text = "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.";
            return Err(raised(Message::error(3903, text)));
        }
        if let Some(name) = name {
            let is_it = |(known, _): &(String, usize)| known.eq_ignore_ascii_case(name);
            if let Some(place) = self.state.savepoints.iter().rposition(is_it) {
                if self.state.doomed {
                    let text = "The current transaction cannot be committed and cannot be rolled back to a savepoint. Roll \
                                back the entire transaction.";
                    return Err(raised(Message::error(3931, text)));
                }
                self.state.savepoints.truncate(place + 1);
                // The core drops the savepoints that statements around this one have set since.
                self.state.units.retain(|(_, savepoints)| *savepoints <= place);
                let names = self.state.savepoints.last().map_or(0, |(_, names)| *names);
                self.tell_watchers();
                let variables = self.table_variables();
                self.execute(&format!("ROLLBACK TO SAVEPOINT {}", reduce::quoted(name)))?;
                self.state.restore_names(names);
                if self.state.has_defined || self.core.has_changed_catalog() {
                    self.instance.version.bump();
                }
                self.look_again_at_objects()?;
                self.restore_variables(variables)?;
                return self.restore_fired();
            }
            if !self.state.transaction_name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)) {
                let text = format!("Cannot roll back {name}. No transaction or savepoint of that name was found.");
                return Err(raised(Message::error(6401, text)));
            }
        }
        self.state.transactions = 0;
        self.show_activity();
        self.state.announced.rolled_back();
        self.state.doomed = false;
        self.state.savepoints.clear();
        let defined = std::mem::take(&mut self.state.has_defined) || self.core.has_changed_catalog();
        let variables = self.table_variables();
        let done = self.core.rollback().map_err(raised_error);
        self.instance.locks.end(self.state.process, true);
        match done {
            // A deadlock's victim and a snapshot in conflict have been rolled back when their error was found.
            Err(error) if error.source.as_ref().is_some_and(|error| error.code() == Code::TransactionState) => {}
            done => drop(done?),
        }
        self.tell_watchers();
        if defined {
            // Objects that the transaction made are gone.
            self.instance.version.bump();
        }
        self.state.restore_names(0);
        self.look_again_at_objects()?;
        self.restore_variables(variables)?;
        self.restore_fired()
    }

    /// Reads the objects again where a rollback has undone changes of them: what follows in the batch asks for them.
    fn look_again_at_objects(&mut self) -> Result<(), Box<Raised>> {
        self.modules.may_have_lost_own();
        self.refresh_changed().map_err(raised)
    }

    fn save(&mut self, name: &str) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            let text = "Cannot issue SAVE TRANSACTION when there is no active transaction.";
            return Err(raised(Message::error(628, text)));
        }
        self.check_writable()?;
        self.state.savepoints.push((name.to_owned(), self.state.noted_names()));
        self.execute(&format!("SAVEPOINT {}", reduce::quoted(name))).map(|_| ())
    }

    /// A request of a driver's transaction manager.
    pub(crate) fn transaction_request(&mut self, request: &TransactionRequest) -> Result<(), Box<Raised>> {
        let begin = |inner: &mut Inner, begin: &Begin| -> Result<(), Box<Raised>> {
            let isolation = match begin.isolation {
                mainstay_session::push::Isolation::Current => None,
                mainstay_session::push::Isolation::ReadUncommitted => Some(Isolation::ReadUncommitted),
                mainstay_session::push::Isolation::ReadCommitted => Some(Isolation::ReadCommitted),
                mainstay_session::push::Isolation::RepeatableRead => Some(Isolation::RepeatableRead),
                mainstay_session::push::Isolation::Serializable => Some(Isolation::Serializable),
                mainstay_session::push::Isolation::Snapshot => Some(Isolation::Snapshot),
            };
            if let Some(isolation) = isolation {
                inner.set_isolation(isolation)?;
            }
            let name = (!begin.name.is_empty()).then_some(begin.name.as_str());
            inner.begin(name)
        };
        // A driver that wants one after the other is not left without, so that nothing is committed by itself, when an
        // error has ended the one before.
        let next = |inner: &mut Inner, ended: Result<(), Box<Raised>>, then: Option<&Begin>| match then {
            Some(then) if ended.is_ok() || inner.state.transactions == 0 => begin(inner, then).and(ended),
            _ => ended,
        };
        match request {
            TransactionRequest::Begin(what) => begin(self, what),
            TransactionRequest::Commit { then, .. } => {
                let ended = self.commit();
                next(self, ended, then.as_ref())
            }
            TransactionRequest::Rollback { name, then } => {
                let name = (!name.is_empty()).then_some(name.as_str());
                let ended = self.rollback(name);
                next(self, ended, then.as_ref())
            }
            TransactionRequest::Save { name } => self.save(name),
        }
    }

    /// The state of the transaction after an error that ended a run.
    pub(crate) fn after_failure(&mut self, error: &Raised, sink: &mut dyn Sink) {
        let ends = self.state.options.xact_abort
            || error.severity >= 20
            || self.state.doomed
            || self.has_lost_transaction()
            || ends_transaction(error.number)
            || self.state.options.aborts_at(error.number);
        if ends && self.state.transactions > 0 {
            // The error that is being reported is the one that matters.
            let _ = self.rollback(None);
        }
        self.announce(sink);
    }

    /// As a connection that comes out of a pool.
    pub(crate) fn reset(&mut self, keep_transaction: bool) {
        if self.state.transactions > 0 && !keep_transaction {
            let _ = self.rollback(None);
            // The client has requested the reset, and is notified of it.
            self.state.announced.forget_untold();
        }
        for level in std::mem::take(&mut self.state.levels) {
            for table in level.tables.values() {
                let _ =
                    self.core.execute_uninterrupted(&format!("DROP TABLE IF EXISTS {}", reduce::quoted(&table.core)));
            }
        }
        self.instance.locks.end(self.state.process, false);
        self.state.context.clear();
        self.state.context_info = None;
        self.state.xml_documents = XmlDocuments::default();
        self.drop_globals();
        self.drop_temporary_procedures();
        self.state.levels.push(crate::session::state::Level::default());
        self.state.cursors = Default::default();
        self.state.server_cursors.clear();
        self.state.handles.clear();
        self.restore_options(self.own_options.clone());
        self.state.identity_insert = None;
        self.state.database.clone_from(&self.state.own_database);
        self.state.names_changed();
        let _ = self.set_isolation(Isolation::ReadCommitted);
    }

    pub(crate) fn set_isolation(&mut self, isolation: Isolation) -> Result<(), Box<Raised>> {
        let name = match isolation {
            Isolation::ReadUncommitted | Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Snapshot => "snapshot",
            Isolation::Serializable => "serializable",
        };
        self.core.set("isolation", name).map_err(|error| raised(message_of(&error)))?;
        self.state.options.isolation = isolation;
        self.show_activity();
        Ok(())
    }

    /// Lets other sessions see what this one's transactions are.
    fn show_activity(&self) {
        if let Some(seat) = &self.seat {
            seat.activity().note(self.state.transactions, isolation_number(self.state.options.isolation));
        }
    }
}

impl Runner<'_> {
    /// After a call: a changed count of transactions is an error, unless a trigger's statement has lost its
    /// transaction, which the trigger's end reports (3609).
    pub(crate) fn after_call(&mut self) -> Ran {
        let Some(counts) = self.miscounted.take() else { return Ok(Flow::NEXT) };
        let ended_in_trigger =
            self.inner.state.transactions == 0 && self.inner.state.levels.iter().any(|level| level.trigger.is_some());
        match ended_in_trigger {
            true => Ok(Flow::NEXT),
            false => Err(crate::statements::transactions::miscounted(counts)),
        }
    }

    /// Sees whether a procedure has left as many transactions open as it found.
    pub(crate) fn count_transactions(&mut self, left: Option<&Loaded>) {
        let (Some(level), Some(loaded)) = (self.inner.state.levels.last(), left) else { return };
        let (before, after) = (level.transactions, self.inner.state.transactions);
        if before != after && self.is_within_call() && level.trigger.is_none() {
            let name = loaded.module.routine.name.to_string();
            self.miscounted = Some((before, after, (!name.is_empty()).then_some(name)));
        }
    }
}

/// The number of a level, as `sys.dm_exec_sessions` has it.
fn isolation_number(isolation: Isolation) -> u8 {
    match isolation {
        Isolation::ReadUncommitted => 1,
        Isolation::ReadCommitted => crate::session::instance::READ_COMMITTED,
        Isolation::RepeatableRead => 3,
        Isolation::Serializable => 4,
        Isolation::Snapshot => 5,
    }
}

/// Returns true if a statement begins a transaction under IMPLICIT_TRANSACTIONS.
pub(crate) fn begins_transaction(action: &Action) -> bool {
    match action {
        Action::Query(query) => match &query.body {
            QueryBody::Select(select) => !select.from.is_empty(),
            QueryBody::Set(..) => true,
        },
        Action::Change(_) | Action::Assign(..) | Action::Open(_) | Action::Fetch(..) | Action::Define(_) => true,
        _ => false,
    }
}
