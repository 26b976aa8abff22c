//! One message: an error, a warning, or the output of PRINT.

use mainstay_session::push;
use std::fmt;

/// A message as a client sees it. Severity 0 to 10 informs; 11 and above is an error.
///
/// The numbers, severities and texts are those of SQL Server's list "Database Engine events and errors".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The number; 50000 for a text of the program's own, 0 for PRINT.
    pub number: i32,
    /// The severity, 0 to 25.
    pub severity: u8,
    /// The state, which tells causes of one number apart.
    pub state: u8,
    /// The sentence.
    pub text: String,
    /// The procedure, function or trigger it comes from; none in a batch.
    pub procedure: Option<String>,
    /// The line of the procedure or batch, from 1; 0 where there is none.
    pub line: u32,
}

impl Message {
    /// An error of a number, with severity 16 and state 1 and nowhere yet.
    pub fn error(number: i32, text: impl Into<String>) -> Message {
        Message { number, severity: 16, state: 1, text: text.into(), procedure: None, line: 0 }
    }

    /// The same message with another severity.
    pub fn severity(mut self, severity: u8) -> Message {
        self.severity = severity;
        self
    }

    /// The same message with another state.
    pub fn state(mut self, state: u8) -> Message {
        self.state = state;
        self
    }

    /// Returns true if it is an error: what a TRY block catches, and what sets `@@ERROR`.
    pub fn is_error(&self) -> bool {
        self.severity > 10
    }
}

/// As `sqlcmd` shows it: `Msg 208, Level 16, State 1, Procedure p, Line 3: Invalid object name 'x'.`
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { number, severity, state, text, procedure, line } = self;
        write!(f, "Msg {number}, Level {severity}, State {state}, ")?;
        if let Some(procedure) = procedure {
            write!(f, "Procedure {procedure}, ")?;
        }
        write!(f, "Line {line}: {text}")
    }
}

impl std::error::Error for Message {}

/// The message as a session sends it.
impl From<&Message> for push::Message {
    fn from(message: &Message) -> push::Message {
        let Message { number, severity, state, ref text, ref procedure, line } = *message;
        push::Message { number, severity, state, text: text.clone(), procedure: procedure.clone(), line }
    }
}

/// A message that a door gives to a session.
impl From<push::Message> for Message {
    fn from(message: push::Message) -> Message {
        let push::Message { number, severity, state, text, procedure, line } = message;
        Message { number, severity, state, text, procedure, line }
    }
}
