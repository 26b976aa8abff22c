//! Errors of a text, in SQL Server's numbers and words.
//!
//! The numbers, severities and texts are those of SQL Server's list "Database Engine events and errors"; the states
//! are those that a server sends for the same text.

use mainstay_syntax::Span;
use mainstay_tsql_types::Message;
use mainstay_types::{Code, Error};
use std::fmt;

/// The severity of messages about syntax.
const SEVERITY: u8 = 15;

/// One message about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// SQL Server's number of the message.
    pub number: u32,
    /// The severity: 15 for syntax, 16 for what is found behind it.
    pub severity: u8,
    /// The state, which tells causes of one number apart.
    pub state: u8,
    /// The line, from 1.
    pub line: u32,
    /// The procedure, function or trigger that the text defines, where it is found behind its name.
    pub procedure: Option<String>,
    /// The part of the text that the error refers to.
    pub span: Span,
    /// The sentence.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn new(number: u32, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { number, severity: SEVERITY, state: 1, line: 0, procedure: None, span, message: message.into() }
    }

    pub(crate) fn severity(mut self, severity: u8) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// As a client is told of it.
    pub fn told(&self) -> Message {
        let mut message = Message::error(self.number as i32, self.message.clone()).severity(self.severity);
        (message.state, message.line) = (self.state, self.line);
        message.procedure.clone_from(&self.procedure);
        message
    }

    pub(crate) fn state(mut self, state: u8) -> Diagnostic {
        self.state = state;
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { number, severity, state, line, message, .. } = self;
        write!(f, "Msg {number}, Level {severity}, State {state}, Line {line}: {message}")
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        let code = match diagnostic.number {
            134 | 132 => Code::Duplicate,
            _ => Code::Syntax,
        };
        let span = diagnostic.span;
        Error::new(code, diagnostic.message.trim_end_matches('.'))
            .at(format_args!("line {}", diagnostic.line))
            .span(span.start as usize, span.end as usize)
    }
}

/// The result of a part of the parser.
pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;
