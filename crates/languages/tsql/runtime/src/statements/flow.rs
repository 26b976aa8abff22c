//! PRINT, errors that programs raise, transactions, SET options, and functions of the session.

use crate::session::Inner;
use crate::session::state::{PreparedText, State};
use crate::statements::errors::raised;
use crate::statements::raise::throw;
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::Command;
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce::SessionFunction;
use mainstay_tsql_syntax::tree::{AssignOperator, Expr, WaitFor};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Date, Time, Timestamp, Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};
use std::time::{Duration, Instant};

/// The interval at which a WAITFOR checks for cancellation.
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
                Ok(Flow::NEXT)
            }
            Action::Raiserror(options) => self.raiserror(options, host, call),
            Action::Throw => throw(call),
            Action::LargeValue(value) => self.large_value(value, call),
            Action::Wait(wait) => self.wait(wait, call, last),
            Action::ExecuteText => {
                let text = text_of(call.input(last));
                let loaded = self.inner.text(&text, "").map_err(first)?;
                self.nested(&loaded, call.machine())?;
                self.after_call()
            }
            Action::Transaction(transaction) => {
                self.check_end(transaction)?;
                let name = crate::statements::transactions::transaction_name(transaction, host, call);
                self.inner.transaction(transaction, name.as_deref())?;
                self.inner.state.row_count = 0;
                self.done(Command::None, None);
                Ok(Flow::NEXT)
            }
            Action::SetOption(options) => {
                let is_context = options.iter().any(|option| option.starts("CONTEXT_INFO"));
                let given = (call.inputs() > 0 && !is_context).then(|| text_of(call.input(last)));
                self.set_options(options, given.as_deref())?;
                if call.inputs() > 0 && is_context {
                    self.inner.state.context_info = match call.input(last) {
                        // It has 128 bytes, whatever it was given.
                        ValueRef::Binary(bytes) => {
                            let mut bytes = bytes.to_vec();
                            bytes.resize(128, 0);
                            Some(bytes)
                        }
                        _ => None,
                    };
                }
                self.inner.state.row_count = 0;
                self.done(Command::Set, None);
                Ok(Flow::NEXT)
            }
            Action::SetIsolation(isolation) => {
                self.inner.set_isolation(*isolation)?;
                self.inner.state.row_count = 0;
                self.done(Command::Set, None);
                Ok(Flow::NEXT)
            }
            Action::Define(statement) => self.define(statement, host, call),
            Action::DeclareTable(name, elements) => self.declare_table(&name.text, elements),
            Action::DeclareTyped(name, of) => {
                let elements = self.inner.modules.table_type(of).map(<[_]>::to_vec).unwrap_or_default();
                self.declare_table(&name.text, &elements)
            }
            other => self.cursor_statement(other, host, call),
        }
    }

    fn wait(&mut self, wait: &WaitFor, call: &mut StatementCall<'_>, last: usize) -> Ran {
        let text = text_of(call.input(last));
        let parsed = mainstay_tsql_types::convert::convert(
            &self.context(),
            ValueRef::Text(&text),
            DataType::varchar(mainstay_tsql_types::Length::Max),
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
                let (_, now) = self.inner.state.now().split();
                (ticks - now).rem_euclid(24 * 3600 * 10_000_000)
            }
        };
        let end = Instant::now() + Duration::from_nanos(ticks.unsigned_abs() * 100);
        while Instant::now() < end {
            if let Some(fault) = call.machine().wish_to_stop() {
                return Err(crate::statements::errors::stopped_by(fault));
            }
            std::thread::sleep(NAP.min(end.saturating_duration_since(Instant::now())));
        }
        Ok(Flow::NEXT)
    }
}

/// The origin of an error, where that decides about its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// THROW, which ends the batch.
    Throw,
    /// RAISERROR, which XACT_ABORT does not look at.
    Raiserror,
    /// A trigger, which ends the batch and the transaction.
    Trigger,
    /// A change of rows that ran, of which the client hears that it was terminated.
    Change,
    /// A key that could not be made over the rows there are, of which the client hears besides that it was not made.
    Key,
    /// A reference that could not be made, of which the client hears the same.
    Reference,
}

impl Origin {
    /// The origin of an error.
    pub(crate) fn of(error: &Raised) -> Option<Origin> {
        error.detail.as_ref()?.downcast_ref::<Origin>().copied()
    }
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
    let (_, within) = mainstay_tsql_types::variant::decode(value);
    match within {
        Value::Text(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

impl Inner {
    /// Keeps a text under a new handle.
    pub(crate) fn keep_handle(&mut self, text: &str, declarations: &str) -> i32 {
        self.state.last_handle += 1;
        let prepared = PreparedText { text: text.into(), declarations: declarations.into() };
        self.state.handles.insert(self.state.last_handle, prepared);
        self.state.last_handle
    }
}

/// The value of a function of the session.
pub(crate) fn session_value(state: &State, nesting: usize, function: SessionFunction, error: Option<&Raised>) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    let int = |number: i64| Value::Integer(number);
    let identity = |identity: Option<i64>| match identity {
        Some(identity) => Value::Decimal(mainstay_types::Decimal::new(identity.into(), 0)),
        None => Value::Null,
    };
    match function.name {
        "@@rowcount" | "rowcount_big" => int(state.row_count),
        "@@remserver" => Value::Null,
        "@@error" => int(state.error.into()),
        "@@mainstay_noexec" => int(state.options.is_unexecuted().into()),
        "@@identity" => identity(state.identity),
        "scope_identity" => identity(state.levels.last().and_then(|level| level.identity)),
        "columns_updated" => {
            let mask = state.levels.last().filter(|level| level.columns_updated.is_some());
            mask.map_or(Value::Null, |level| Value::Binary(level.columns_mask.clone()))
        }
        "context_info" => state.context_info.clone().map_or(Value::Null, Value::Binary),
        "current_date" => Value::Date(state.now().split().0),
        "eventdata" => {
            let data = state.levels.last().and_then(|level| level.event_data.clone());
            data.map_or(Value::Null, |data| Value::Text(data.to_string()))
        }
        "@@trancount" => int((state.transactions + state.caller_transactions).into()),
        "@@fetch_status" => int(state.fetch_status.into()),
        "@@cursor_rows" => int(state.cursor_rows()),
        "@@nestlevel" => int(nesting.saturating_sub(1) as i64),
        "@@spid" => int(state.process.into()),
        "@@servername" | "@@servicename" => text(crate::session::scope::SERVER),
        "@@version" => text("Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64) (Mainstay)"),
        "@@microsoftversion" => int(0x1000_0000 + 1000),
        "@@language" => text(state.options.settings.language.name),
        "@@langid" => int(state.options.settings.language.id.into()),
        "@@datefirst" => int(state.options.settings.date_first.into()),
        "@@lock_timeout" => int(state.options.lock_timeout.into()),
        "@@max_connections" => int(32767),
        "@@max_precision" => int(38),
        "@@textsize" => int(state.options.text_size.into()),
        "@@options" => int(state.options.bits()),
        "getdate" | "current_timestamp" | "getutcdate" => Value::Timestamp(thirds(state.now())),
        "sysdatetime" | "sysutcdatetime" => Value::Timestamp(state.now()),
        "sysdatetimeoffset" => Value::TimestampWithOffset { utc: state.now(), offset_minutes: 0 },
        "current_user" | "session_user" | "user" | "user_name" | "schema_name" => text("dbo"),
        "system_user" | "suser_name" | "suser_sname" | "original_login" => text(&state.login),
        "host_name" => text(&state.host),
        "host_id" => Value::Text(format!("{:<10}", state.client_process)),
        "app_name" => text(&state.application),
        "db_name" => text(&state.database),
        "db_id" => int(5),
        "xact_state" => int(match (state.transactions + state.caller_transactions, state.doomed) {
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

/// A timestamp with the precision of DATETIME: a third of a hundredth of a second.
fn thirds(moment: Timestamp) -> Timestamp {
    let (date, ticks) = moment.split();
    let date: Date = date;
    let units = (ticks * 3 + 50_000) / 100_000;
    let milliseconds = (units * 10 + 1) / 3;
    Timestamp::at(date, milliseconds * 10_000)
}

/// Returns true if assigned values depend on the variables that they set.
pub(crate) fn accumulates(assigned: &[(AssignOperator, Expr)], host: &HostStatement) -> bool {
    let is_one = |(operator, value): &(AssignOperator, Expr)| {
        *operator != AssignOperator::Set || crate::changes::accumulate::names_assigned(value, host)
    };
    assigned.iter().any(is_one)
}
