//! Errors in Informix's numbers.
//!
//! Clients have the sentences for these numbers themselves (JDBC reads them from its message files), so an error carries the
//! SQLCODE, the ISAM code behind it, the name that the sentence is about, and the place in the statement.

use mainstay_syntax::Span;
use std::fmt;

/// An error of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// SQLCODE: -201 for a syntax error.
    pub code: i32,
    /// The ISAM code, or 0.
    pub isam: i32,
    /// The name that it is about.
    pub subject: String,
    /// The message.
    pub message: String,
    /// The place in the statement.
    pub span: Option<Span>,
}

/// The result of a part of the parser or of what comes after it.
pub(crate) type Parse<T> = Result<T, Box<SqlError>>;

impl SqlError {
    /// -9752: a routine with OUT or INOUT parameters is called where they cannot give their values back.
    pub const HAS_OUTPUTS: i32 = -9752;
    /// -201: a syntax error has occurred.
    pub const SYNTAX: i32 = -201;
    /// -202: an illegal character has been found in the statement.
    pub const CHARACTER: i32 = -202;
    /// -282: found a quote for which there is no matching quote.
    pub const QUOTE: i32 = -282;
    /// -306: the characters of a substring are outside of the declared length.
    pub const SUBSCRIPT: i32 = -306;
    /// -307: the characters of a substring are no range.
    pub const ILLEGAL_SUBSCRIPT: i32 = -307;
    /// -665, for statements beyond the parser's limits: the statement is too complex.
    pub const TOO_COMPLEX: i32 = -665;
    /// -999, Informix's number for a feature that the server does not have: an unsupported statement or clause.
    pub const UNSUPPORTED: i32 = -999;

    /// An error at a place.
    pub fn at(code: i32, span: Span, message: impl Into<String>) -> Box<SqlError> {
        Box::new(SqlError { code, isam: 0, subject: String::new(), message: message.into(), span: Some(span) })
    }

    /// An error without a place.
    pub fn new(code: i32, message: impl Into<String>) -> Box<SqlError> {
        Box::new(SqlError { code, isam: 0, subject: String::new(), message: message.into(), span: None })
    }

    /// A construct of the language that is not supported.
    pub fn unsupported(what: &str) -> Box<SqlError> {
        let mut error = SqlError::new(SqlError::UNSUPPORTED, format!("Not implemented yet: {what}"));
        error.subject = what.to_owned();
        error
    }

    /// The same error about a name.
    pub fn about(mut self: Box<Self>, subject: &str) -> Box<SqlError> {
        self.subject = subject.to_owned();
        self
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for SqlError {}
