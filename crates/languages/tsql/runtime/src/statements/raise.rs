//! RAISERROR and THROW.

use crate::definitions::extended_properties::Kept;
use crate::statements::errors::raised;
use crate::statements::flow::{Origin, integer, text_of};
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::tree::Phrase;
use mainstay_tsql_types::Message;
use mainstay_tsql_types::messages::format as format_message;
use mainstay_types::ValueRef;
use mainstay_vm::{Flow, StatementCall};

impl Runner<'_> {
    /// RAISERROR: a message up to severity 10, an error from 11 on.
    ///
    /// Errors: the one that is raised; 2732, 2754, 2748, 2786 and 18054 for one that cannot be.
    pub(crate) fn raiserror(&mut self, options: &[Phrase], host: &HostStatement, call: &mut StatementCall<'_>) -> Ran {
        // The values stand behind the variables that the statement names.
        let first = host.inputs.len();
        let values: Vec<ValueRef<'_>> = (first..call.inputs()).map(|place| call.input(place)).collect();
        let [what, severity, state, rest @ ..] = &values[..] else { return Ok(Flow::NEXT) };
        let severity = integer(*severity).unwrap_or(16).clamp(0, 25) as u8;
        let state = integer(*state).map_or(1, |state| if state < 0 { 1 } else { state.min(255) as u8 });
        let (number, text) = match what {
            ValueRef::Integer(number) => {
                numbered(self.inner.modules.kept(), *number, severity, state, rest).map_err(raised)?
            }
            other => (50000, format_message(&text_of(*other), rest).map_err(behind_the_state).map_err(raised)?),
        };
        if severity > 18 && !options.iter().any(|option| option.starts("LOG")) {
            let text = "Error severity levels greater than 18 can only be specified by members of the sysadmin role, using the \
                        WITH LOG option.";
            return Err(raised(Message::error(2754, text)));
        }
        let line = call.line();
        drop(values);
        if severity <= 10 {
            let procedure = call.routine().filter(|name| !name.is_empty()).map(|name| name.to_string());
            self.message(Message { number, severity, state, text, procedure, line });
            let sets = options.iter().any(|option| option.starts("SETERROR"));
            (self.inner.state.error, self.inner.state.row_count) = (if sets { number } else { 0 }, 0);
            if options.iter().any(|option| option.starts("NOWAIT")) {
                self.sink.flush();
            }
            return Ok(Flow::NEXT);
        }
        let mut error = raised(Message::error(number, text).severity(severity).state(state));
        error.detail = Some(Box::new(Origin::Raiserror));
        if severity >= 20 {
            // No TRY sees it, and the door ends the connection.
            error.uncatchable = true;
            let (process, procedure) = (self.inner.state.process, call.routine().filter(|name| !name.is_empty()));
            let text = format!(
                "Process ID {process} has raised user error {number}, severity {severity}. SQL Server is terminating this \
                 process."
            );
            let procedure = procedure.map(|name| name.to_string());
            self.message(Message { number: 2745, severity: 16, state: 2, text, procedure, line });
        }
        Err(error)
    }
}

/// THROW of number, text and state, which ends the batch whatever XACT_ABORT is.
///
/// Errors: the one that is thrown, or 35100 for a number below 50000.
pub(crate) fn throw(call: &StatementCall<'_>) -> Ran {
    let first = call.inputs().saturating_sub(3);
    let number = integer(call.input(first)).unwrap_or(50000) as i32;
    let text = text_of(call.input(first + 1));
    let state = integer(call.input(first + 2)).unwrap_or(1).clamp(0, 255) as u8;
    if number < 50000 {
        let text = format!(
            "Error number {number} in the THROW statement is outside the valid range. Specify an error number in the valid \
             range of 50000 to 2147483647."
        );
        return Err(raised(Message::error(35100, text).state(10)));
    }
    let mut error = raised(Message::error(number, text).state(state));
    error.detail = Some(Box::new(Origin::Throw));
    Err(error)
}

/// The text of a message that RAISERROR names by its number.
///
/// Errors: 2732 for an invalid number, 18054 for one that has no text here.
fn numbered(
    kept: &Kept,
    number: i64,
    severity: u8,
    state: u8,
    rest: &[ValueRef<'_>],
) -> Result<(i32, String), Message> {
    let Some(small) = i32::try_from(number).ok().filter(|number| *number >= 13000 && *number != 50000) else {
        let text = format!(
            "Error number {number} is invalid. The number must be from 13000 through 2147483647 and it cannot be 50000."
        );
        return Err(Message::error(2732, text));
    };
    let own = kept.messages.get(&small).map(|(severity, text)| (*severity, text.as_str()));
    match own.or_else(|| mainstay_tsql_types::messages::find(small)) {
        Some((_, text)) => Ok((small, format_message(text, rest).map_err(behind_the_state)?)),
        None => {
            let text = format!(
                "Error {number}, severity {severity}, state {state} was raised, but no message with that error number was \
                 found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using \
                 sp_addmessage."
            );
            Err(Message::error(18054, text))
        }
    }
}

/// 2748 counts the arguments of RAISERROR from the message on, which is the first.
fn behind_the_state(mut message: Message) -> Message {
    if message.number == 2748
        && let Some((before, behind)) = message.text.split_once("(parameter ")
        && let Some((place, after)) = behind.split_once(')')
        && let Ok(place) = place.parse::<u32>()
    {
        message.text = format!("{before}(parameter {}){after}", place + 3);
    }
    message
}
