//! Errors of a text, in the words of the SQL engine.
//!
//! A client sees error 7200 (AE_SQL_ERROR) with a sentence that programs parse: the SQLSTATE, the native number, and
//! the place in the statement.
//!
//! ```text
//!   Error 7200:  AQE Error:  State = 42000;   NativeError = 2117;  [Mainstay][Advantage SQL Engine]Unexpected token: FORM --
//!   Location of error in the SQL statement is: 10 (line: 1 column: 10)
//! ```

use mainstay_ads_types::{Failure, native};
use mainstay_syntax::Span;
use mainstay_types::{Code, DialectError, Error};
use std::fmt;

/// The beginning of the message about a construct that is not supported.
const UNSUPPORTED: &str = "Functionality not supported: ";

/// Constructs that the parser refuses and the assessment of scripts has a row for.
pub(crate) const PROCEDURES_IN_LIBRARIES: &str = "procedures in libraries";
pub(crate) const TRIGGERS_IN_LIBRARIES: &str = "triggers in libraries";

/// An error of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// The native number.
    pub number: i32,
    /// The message.
    pub message: String,
    /// Where, if it is about a place.
    pub span: Option<Span>,
}

/// The result of a part of the parser or of what comes after it.
pub(crate) type Parse<T> = Result<T, Box<SqlError>>;

impl SqlError {
    /// An error at a place of the text.
    pub fn at(number: i32, span: Span, message: impl Into<String>) -> Box<SqlError> {
        Box::new(SqlError { number, message: message.into(), span: Some(span) })
    }

    /// An error that has no place.
    pub fn new(number: i32, message: impl Into<String>) -> Box<SqlError> {
        Box::new(SqlError { number, message: message.into(), span: None })
    }

    /// The error for a construct of the dialect that the engine does not support.
    pub fn unsupported(construct: &str) -> Box<SqlError> {
        SqlError::new(native::UNSUPPORTED, format!("{UNSUPPORTED}{construct}"))
    }

    /// The construct that an error of [`unsupported`](SqlError::unsupported) names, else the message.
    pub(crate) fn construct(&self) -> &str {
        self.message.strip_prefix(UNSUPPORTED).unwrap_or(&self.message)
    }

    /// The SQLSTATE that goes with a number.
    pub fn state(number: i32) -> &'static str {
        match number {
            2121 | 2222 => "42S22",
            2122 => "42S02",
            2010 => "42S01",
            2103 => "HYC00",
            2109 | 2225 => "22018",
            2111 | 2227 | 2231 | 2232 => "22003",
            2153 => "22012",
            2141 => "07001",
            2167 => "21000",
            2129 => "21S01",
            2115..=2118 | 2124 | 2135 | 2137 | 2216..=2219 => "42000",
            2130 | 5141 | 7057 => "23000",
            _ => "HY000",
        }
    }

    /// The sentence that a client sees, for a text.
    pub fn sentence(&self, text: &str) -> String {
        let SqlError { number, message, span } = self;
        let state = SqlError::state(*number);
        let mut sentence = format!(
            "Error 7200:  AQE Error:  State = {state};   NativeError = {number};  [Mainstay][Advantage SQL Engine]{message}"
        );
        if let Some(span) = span {
            let start = (span.start as usize).min(text.len());
            let before = text.get(..start).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
            let place = before.chars().count() + 1;
            sentence.push_str(&format!(
                " -- Location of error in the SQL statement is: {place} (line: {line} column: {column})"
            ));
        }
        sentence
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.message)
    }
}

impl From<Failure> for Box<SqlError> {
    fn from(failure: Failure) -> Box<SqlError> {
        SqlError::new(failure.number, failure.message)
    }
}

impl From<Box<SqlError>> for Error {
    fn from(error: Box<SqlError>) -> Error {
        let dialect = DialectError { number: error.number, severity: 16, state: 1 };
        Error::new(Code::Syntax, error.message).in_dialect(dialect)
    }
}
