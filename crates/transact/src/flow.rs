//! PRINT, errors that programs raise, transactions, SET options, and what only the session knows.

use crate::errors::{message_of, raised};
use crate::raise::throw;
use crate::runner::{Ran, Runner};
use crate::session::Inner;
use crate::state::{PreparedText, State};
use mainstay_base::{Code, Date, Time, Timestamp, Value, ValueRef};
use mainstay_mssql::{DataType, Message};
use mainstay_program::{Flow, Raised, StatementCall};
use mainstay_tds::{Begin, Column, Command, Environment, Sink, TransactionRequest};
use mainstay_tsql::compile::{Action, HostStatement};
use mainstay_tsql::reduce::{self, SessionFunction};
use mainstay_tsql::tree::{
    AssignOperator, Expr, Format, Isolation, Name, Phrase, PhraseItem, Query, Transaction, WaitFor,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a WAITFOR looks whether it is to stop.
const NAP: Duration = Duration::from_millis(20);

impl Runner<'_> {
    /// A statement without rows of its own.
    pub(crate) fn plain(&mut self, action: &Action, host: &HostStatement, call: &mut StatementCall<'_>) -> Ran {
        let last = call.inputs().saturating_sub(1);
        match action {
            Action::Print => {
                let text = match call.input(last) {
                    ValueRef::Text(text) => text.to_owned(),
                    _ => " ".to_owned(),
                };
                let line = call.line();
                let message = Message { number: 0, severity: 0, state: 1, text, procedure: None, line };
                self.message(message);
                (self.inner.state.row_count, self.inner.state.error) = (0, 0);
                Ok(Flow::Next)
            }
            Action::Raiserror(options) => self.raiserror(options, host, call),
            Action::Throw => throw(call),
            Action::Wait(wait) => self.wait(wait, call, last),
            Action::ExecuteText => {
                let text = text_of(call.input(last));
                let loaded = self.inner.text(&text, "").map_err(first)?;
                self.nested(&loaded, call)
            }
            Action::Transaction(transaction) => {
                let name = transaction_name(transaction, host, call);
                self.inner.transaction(transaction, name.as_deref())?;
                self.inner.state.row_count = 0;
                self.done(Command::NONE, None);
                Ok(Flow::Next)
            }
            Action::SetOption(options) => {
                options.iter().try_for_each(|option| self.inner.set_option(option))?;
                self.inner.state.row_count = 0;
                self.done(Command::SET, None);
                Ok(Flow::Next)
            }
            Action::SetIsolation(isolation) => {
                self.inner.set_isolation(*isolation)?;
                self.inner.state.row_count = 0;
                self.done(Command::SET, None);
                Ok(Flow::Next)
            }
            Action::Define(statement) => self.define(statement, host, call),
            Action::DeclareTable(name, elements) => self.declare_table(&name.text, elements, host),
            Action::DeclareTyped(name, of) => {
                let elements = self.inner.modules.table_type(of).map(<[_]>::to_vec).unwrap_or_default();
                self.declare_table(&name.text, &elements, host)
            }
            other => self.cursor_statement(other, host, call),
        }
    }

    fn wait(&mut self, wait: &WaitFor, call: &mut StatementCall<'_>, last: usize) -> Ran {
        let text = text_of(call.input(last));
        let parsed = mainstay_mssql::convert::convert(
            &self.context(),
            ValueRef::Text(&text),
            DataType::VarChar(mainstay_mssql::Length::Max),
            DataType::Time(3),
            None,
        );
        let Ok(Value::Time(Time(ticks))) = parsed else {
            return Err(raised(Message::error(
                148,
                format!("Incorrect time syntax in time string '{text}' used with WAITFOR."),
            )));
        };
        let ticks = match wait {
            WaitFor::Delay(_) => ticks,
            WaitFor::Time(_) => {
                let (_, now) = self.inner.state.now.split();
                (ticks - now).rem_euclid(24 * 3600 * 10_000_000)
            }
        };
        let end = Instant::now() + Duration::from_nanos(ticks.unsigned_abs() * 100);
        let stop = call.machine().limits().cancel.clone();
        while Instant::now() < end {
            if stop.as_ref().is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Acquire)) {
                return Err(crate::query::stopped(mainstay_tds::Stop::Cancelled));
            }
            std::thread::sleep(NAP.min(end.saturating_duration_since(Instant::now())));
        }
        Ok(Flow::Next)
    }
}

/// Where an error comes from, when that decides what it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// THROW, which ends the batch.
    Throw,
    /// RAISERROR, which XACT_ABORT does not look at.
    Raiserror,
    /// A trigger, which ends the batch and the transaction.
    Trigger,
}

impl Origin {
    /// That of an error.
    pub(crate) fn of(error: &Raised) -> Option<Origin> {
        error.detail.as_ref()?.downcast_ref::<Origin>().copied()
    }
}

fn cannot_commit() -> Box<Raised> {
    let text = "The current transaction cannot be committed and cannot support operations that write to the log file. Roll \
                back the transaction.";
    raised(Message::error(3930, text))
}

/// The first of some messages that a text has, to raise: its line is one of the text.
pub(crate) fn first(messages: Vec<Message>) -> Box<Raised> {
    let message = messages.into_iter().next().unwrap_or_else(|| Message::error(50000, "Nothing is known of it."));
    let mut error = raised(message);
    (error.routine, error.line) = (error.routine.or_else(|| Some("".into())), error.line.max(1));
    error
}

pub(crate) fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(value) => Some(value),
        ValueRef::Decimal(value) => value.rescale(0).and_then(|value| i64::try_from(value.unscaled).ok()),
        _ => None,
    }
}

pub(crate) fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => text.to_owned(),
        ValueRef::Null => String::new(),
        other => other.to_string(),
    }
}

/// The name of a transaction statement: a word, or the value of a variable.
fn transaction_name(transaction: &Transaction, host: &HostStatement, call: &StatementCall<'_>) -> Option<String> {
    let name: &Name = match transaction {
        Transaction::Begin(_, name, _) | Transaction::Rollback(name) | Transaction::Commit(name, _) => name.as_ref()?,
        Transaction::Save(name) => name,
    };
    if !name.text.starts_with('@') {
        return Some(name.text.clone());
    }
    let place = host.inputs.iter().position(|(known, _)| known.eq_ignore_ascii_case(&name.text))?;
    Some(text_of(call.input(place)))
}

impl Inner {
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
            self.execute("BEGIN")?;
            self.state.transaction_name = name.map(str::to_owned);
            self.state.savepoints.clear();
        }
        self.state.transactions += 1;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Box<Raised>> {
        match self.state.transactions {
            0 => {
                let text = "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.";
                Err(raised(Message::error(3902, text)))
            }
            _ if self.state.doomed => Err(cannot_commit()),
            1 => {
                self.state.transactions = 0;
                self.execute("COMMIT").map(|_| ())
            }
            _ => {
                self.state.transactions -= 1;
                Ok(())
            }
        }
    }

    /// All of the transaction, or back to a savepoint.
    pub(crate) fn rollback(&mut self, name: Option<&str>) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            let text = "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.";
            return Err(raised(Message::error(3903, text)));
        }
        if let Some(name) = name {
            if let Some(place) = self.state.savepoints.iter().rposition(|known| known.eq_ignore_ascii_case(name)) {
                self.state.savepoints.truncate(place + 1);
                return self.execute(&format!("ROLLBACK TO SAVEPOINT {}", reduce::quoted(name))).map(|_| ());
            }
            if !self.state.transaction_name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)) {
                let text = format!("Cannot roll back {name}. No transaction or savepoint of that name was found.");
                return Err(raised(Message::error(6401, text)));
            }
        }
        self.state.transactions = 0;
        self.state.doomed = false;
        self.state.savepoints.clear();
        match self.execute("ROLLBACK") {
            // A deadlock's victim and a snapshot in conflict have been rolled back when their error was found.
            Err(error) if error.source.as_ref().is_some_and(|error| error.code() == Code::TransactionState) => {}
            done => drop(done?),
        }
        // Objects that the transaction made are gone.
        self.instance.version.bump();
        self.state.version += 1;
        Ok(())
    }

    fn save(&mut self, name: &str) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            let text = "Cannot issue SAVE TRANSACTION when there is no active transaction.";
            return Err(raised(Message::error(628, text)));
        }
        self.state.savepoints.push(name.to_owned());
        self.execute(&format!("SAVEPOINT {}", reduce::quoted(name))).map(|_| ())
    }

    /// A request of a driver's transaction manager.
    pub(crate) fn transaction_request(
        &mut self,
        request: &TransactionRequest,
        sink: &mut dyn Sink,
    ) -> Result<(), Box<Raised>> {
        let begin = |inner: &mut Inner, begin: &Begin, sink: &mut dyn Sink| -> Result<(), Box<Raised>> {
            let isolation = match begin.isolation {
                mainstay_tds::Isolation::Current => None,
                mainstay_tds::Isolation::ReadUncommitted => Some(Isolation::ReadUncommitted),
                mainstay_tds::Isolation::ReadCommitted => Some(Isolation::ReadCommitted),
                mainstay_tds::Isolation::RepeatableRead => Some(Isolation::RepeatableRead),
                mainstay_tds::Isolation::Serializable => Some(Isolation::Serializable),
                mainstay_tds::Isolation::Snapshot => Some(Isolation::Snapshot),
            };
            if let Some(isolation) = isolation {
                inner.set_isolation(isolation)?;
            }
            let name = (!begin.name.is_empty()).then_some(begin.name.as_str());
            inner.begin(name)?;
            sink.environment(&Environment::TransactionBegun(TRANSACTION));
            Ok(())
        };
        match request {
            TransactionRequest::Begin(what) => begin(self, what, sink),
            TransactionRequest::Commit { then, .. } => {
                self.commit()?;
                sink.environment(&Environment::TransactionCommitted(TRANSACTION));
                then.as_ref().map_or(Ok(()), |then| begin(self, then, sink))
            }
            TransactionRequest::Rollback { name, then } => {
                let name = (!name.is_empty()).then_some(name.as_str());
                self.rollback(name)?;
                sink.environment(&Environment::TransactionRolledBack(TRANSACTION));
                then.as_ref().map_or(Ok(()), |then| begin(self, then, sink))
            }
            TransactionRequest::Save { name } => self.save(name),
        }
    }

    /// Refuses what writes in a transaction that can only be rolled back.
    ///
    /// Errors: 3930.
    pub(crate) fn check_writable(&self) -> Result<(), Box<Raised>> {
        match self.state.doomed && self.state.transactions > 0 {
            true => Err(cannot_commit()),
            false => Ok(()),
        }
    }

    /// A batch is over, and its transaction can only be rolled back.
    pub(crate) fn end_doomed(&mut self, sink: &mut dyn Sink) {
        let text = "Uncommittable transaction is detected at the end of the batch. The transaction is rolled back.";
        sink.message(&Message::error(3998, text));
        // The core has rolled it back, or does so now.
        let _ = self.rollback(None);
    }

    /// What an error that ended a run leaves of the transaction.
    pub(crate) fn after_failure(&mut self, error: &Raised, _: &mut dyn Sink) {
        let ends = self.state.options.xact_abort
            || self.state.doomed
            || matches!(error.number, 241 | 242 | 245 | 1205 | 3960 | 8114);
        if ends && self.state.transactions > 0 {
            // The error that is being told is the one that matters.
            let _ = self.rollback(None);
        }
    }

    /// As a connection that comes out of a pool.
    pub(crate) fn reset(&mut self, keep_transaction: bool) {
        if self.state.transactions > 0 && !keep_transaction {
            let _ = self.rollback(None);
        }
        for level in std::mem::take(&mut self.state.levels) {
            for table in level.tables.values() {
                let _ = self.core.execute(&format!("DROP TABLE IF EXISTS {}", reduce::quoted(&table.core)));
            }
        }
        self.state.levels.push(crate::state::Level::default());
        self.state.cursors.clear();
        self.state.options = crate::state::Options::default();
        self.state.version += 1;
        let _ = self.set_isolation(Isolation::ReadCommitted);
    }

    pub(crate) fn set_isolation(&mut self, isolation: Isolation) -> Result<(), Box<Raised>> {
        let name = match isolation {
            Isolation::ReadUncommitted | Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Snapshot => "snapshot",
            Isolation::Serializable => "serializable",
        };
        self.core.set("isolation", name).map_err(|error| raised(message_of(&error)))
    }

    /// One SET: `NOCOUNT ON`, `IDENTITY_INSERT t ON`, `DATEFIRST 1`.
    pub(crate) fn set_option(&mut self, option: &Phrase) -> Result<(), Box<Raised>> {
        let words: Vec<String> = option.items.iter().map(word).collect();
        let on = words.last().is_some_and(|word| word.eq_ignore_ascii_case("ON"));
        let number = || words.last().and_then(|word| word.parse::<i64>().ok());
        let options = &mut self.state.options;
        match words.first().map(|word| word.to_ascii_uppercase()).as_deref() {
            Some("NOCOUNT") => options.nocount = on,
            Some("XACT_ABORT") => options.xact_abort = on,
            Some("IMPLICIT_TRANSACTIONS") => options.implicit_transactions = on,
            Some("QUOTED_IDENTIFIER") => options.quoted_identifier = on,
            Some("FMTONLY") => options.fmt_only = on,
            Some("NOEXEC" | "PARSEONLY") => options.no_exec = on,
            Some("ROWCOUNT") => options.row_limit = number().unwrap_or(0).max(0) as u64,
            Some("DATEFIRST") => options.date_first = number().unwrap_or(7).clamp(1, 7) as u8,
            Some("TEXTSIZE") => options.text_size = number().unwrap_or(-1) as i32,
            Some("LANGUAGE") => {
                options.language = words.last().map(|word| Arc::from(word.as_str())).unwrap_or_default()
            }
            Some("LOCK_TIMEOUT") => {
                let wait = number().unwrap_or(-1);
                options.lock_timeout = wait as i32;
                self.set_lock_timeout()?;
            }
            Some("IDENTITY_INSERT") => {
                let table: String = words.iter().skip(1).take(words.len().saturating_sub(2)).cloned().collect();
                self.set_identity_insert(&table, on)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn set_lock_timeout(&mut self) -> Result<(), Box<Raised>> {
        let wait = self.state.options.lock_timeout;
        let setting = if wait < 0 { "0".to_owned() } else { format!("{}ms", wait.max(1)) };
        self.core.set("lock_timeout", &setting).map_err(|error| raised(message_of(&error)))
    }

    /// The options as they were before a module ran.
    pub(crate) fn restore_options(&mut self, options: crate::state::Options) {
        let waited = std::mem::replace(&mut self.state.options, options).lock_timeout;
        if waited != self.state.options.lock_timeout {
            // The setting was taken before.
            let _ = self.set_lock_timeout();
        }
    }

    /// Keeps a text under a new handle.
    pub(crate) fn keep_handle(&mut self, text: &str, declarations: &str) -> i32 {
        self.state.last_handle += 1;
        let prepared = PreparedText { text: text.into(), declarations: declarations.into() };
        self.state.handles.insert(self.state.last_handle, prepared);
        self.state.last_handle
    }
}

/// The number of the only transaction that a session can have.
const TRANSACTION: u64 = 1;

/// A word of an option as text.
fn word(item: &PhraseItem) -> String {
    match item {
        PhraseItem::Word(name) | PhraseItem::Variable(name) => name.text.clone(),
        PhraseItem::Symbol(symbol) => symbol.clone(),
        PhraseItem::Literal(literal) => match reduce::literal_value(literal) {
            Ok(Some((_, Value::Text(text)))) => text,
            Ok(Some((_, value))) => value.to_string(),
            _ => String::new(),
        },
        PhraseItem::Group(_) => String::new(),
    }
}

/// What a function of the session gives.
pub(crate) fn session_value(state: &State, nesting: usize, function: SessionFunction, error: Option<&Raised>) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    let int = |number: i64| Value::Integer(number);
    let identity = |identity: Option<i64>| match identity {
        Some(identity) => Value::Decimal(mainstay_base::Decimal::new(identity.into(), 0)),
        None => Value::Null,
    };
    match function.name {
        "@@rowcount" | "rowcount_big" => int(state.row_count),
        "@@error" => int(state.error.into()),
        "@@identity" => identity(state.identity),
        "scope_identity" => identity(state.levels.last().and_then(|level| level.identity)),
        "columns_updated" => {
            let mask = state.levels.last().filter(|level| level.columns_updated.is_some());
            mask.map_or(Value::Null, |level| Value::Binary(level.columns_mask.clone()))
        }
        "@@trancount" => int(state.transactions.into()),
        "@@fetch_status" => int(state.fetch_status.into()),
        "@@cursor_rows" => int(0),
        "@@nestlevel" => int(nesting.saturating_sub(1) as i64),
        "@@spid" => int(state.process.into()),
        "@@servername" | "@@servicename" => text("MAINSTAY"),
        "@@version" => text("Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64) (Mainstay)"),
        "@@microsoftversion" => int(0x1000_0000 + 1000),
        "@@language" => text(&state.options.language),
        "@@datefirst" => int(state.options.date_first.into()),
        "@@lock_timeout" => int(state.options.lock_timeout.into()),
        "@@max_connections" => int(32767),
        "@@max_precision" => int(38),
        "@@textsize" => int(state.options.text_size.into()),
        "@@options" => int(5496),
        "getdate" | "current_timestamp" | "getutcdate" => Value::Timestamp(thirds(state.now)),
        "sysdatetime" | "sysutcdatetime" => Value::Timestamp(state.now),
        "sysdatetimeoffset" => Value::TimestampWithOffset { utc: state.now, offset_minutes: 0 },
        "current_user" | "session_user" | "user" | "user_name" | "schema_name" => text("dbo"),
        "system_user" | "suser_name" | "suser_sname" | "original_login" => text(&state.login),
        "host_name" => text(&state.host),
        "app_name" => text(&state.application),
        "db_name" => text(&state.database),
        "db_id" => int(5),
        "xact_state" => int(match (state.transactions, state.doomed) {
            (0, _) => 0,
            (_, true) => -1,
            _ => 1,
        }),
        "rand" => Value::Float(state.random.next()),
        name if name.starts_with("error_") => match error {
            None => Value::Null,
            Some(error) => match name {
                "error_number" => int(error.number.into()),
                "error_severity" => int(error.severity.into()),
                "error_state" => int(error.state.into()),
                "error_line" => int(error.line.into()),
                "error_message" => text(&error.text),
                _ => error.routine.as_deref().filter(|name| !name.is_empty()).map_or(Value::Null, text),
            },
        },
        _ => int(0),
    }
}

/// A moment as a DATETIME has it: to a third of a hundredth of a second.
fn thirds(moment: Timestamp) -> Timestamp {
    let (date, ticks) = moment.split();
    let date: Date = date;
    let units = (ticks * 3 + 50_000) / 100_000;
    let milliseconds = (units * 10 + 1) / 3;
    Timestamp::at(date, milliseconds * 10_000)
}

/// Whether values that are assigned depend on the variables that they set.
pub(crate) fn accumulates(assigned: &[(AssignOperator, Expr)], host: &HostStatement) -> bool {
    assigned.iter().any(|(operator, value)| {
        let text = mainstay_tsql::print_expression(value).to_lowercase();
        let names_one = host.outputs.iter().any(|(name, _)| {
            text.match_indices(name.as_str()).any(|(at, _)| {
                !text[at + name.len()..]
                    .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@'))
            })
        });
        *operator != AssignOperator::Set || names_one
    })
}

/// Sends the rows of a query with FOR JSON or FOR XML.
pub(crate) fn send_formatted(
    sink: &mut dyn Sink,
    format: &Format,
    columns: &[Column],
    rows: &[Vec<Value>],
) -> Result<u64, Box<Raised>> {
    let text = crate::format::formatted(format, columns, rows).map_err(raised)?;
    let name = match format {
        Format::Json(..) => "JSON_F52E2B61-18A1-11d1-B105-00805F49916B",
        _ => "XML_F52E2B61-18A1-11d1-B105-00805F49916B",
    };
    let column = Column::new(name, DataType::NVarChar(mainstay_mssql::Length::Max));
    sink.columns(std::slice::from_ref(&column)).map_err(crate::query::stopped)?;
    if !rows.is_empty() {
        sink.row(&[ValueRef::Text(&text)]).map_err(crate::query::stopped)?;
    }
    Ok(rows.len() as u64)
}

impl Runner<'_> {
    /// SELECT @s = @s + x: the rows one after another, each with what the one before has left.
    pub(crate) fn accumulate(
        &mut self,
        host: &HostStatement,
        query: &Query,
        assigned: &[(AssignOperator, Expr)],
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let mut accumulation = crate::accumulate::Accumulation::of(query, assigned, host).map_err(raised)?;
        let (types, rows) = accumulation.rows(self, host, call)?;
        let declarations = accumulation.declarations(host, &types);
        let module = self.inner.text(&accumulation.text, &declarations).map_err(first)?;
        let mut values: Vec<Value> = (0..host.outputs.len()).map(|place| call.output(place).to_value()).collect();
        for row in &rows {
            let arguments: Vec<mainstay_program::RunArgument<'_>> =
                values.iter().chain(row).map(|value| mainstay_program::RunArgument::Value(value.as_ref())).collect();
            self.expect(&module);
            let program = Arc::clone(&module.program);
            call.machine().run(self, &program, &arguments)?;
            let machine = call.machine();
            let new: Vec<Value> = (0..values.len()).map(|place| machine.parameter(place).to_value()).collect();
            drop(arguments);
            values = new;
        }
        for (place, value) in values.iter().enumerate() {
            crate::runner::set(call, place, value.as_ref())?;
        }
        (self.inner.state.row_count, self.inner.state.error) = (rows.len() as i64, 0);
        Ok(Flow::Next)
    }
}
