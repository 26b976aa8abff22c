//! Errors of search conditions.
//!
//! Word indexes and searches have one published set of error numbers, which programs compare, so an error carries its number
//! from here up. Source: "Advantage Error Guide".

use mainstay_types::{Code, DialectError, Error};

/// The numbers of the errors.
pub mod number {
    /// A phrase without its closing quotation mark.
    pub const PHRASE: i32 = 7094;
    /// A parenthesis that is not closed.
    pub const OPEN: i32 = 7095;
    /// A missing word or phrase.
    pub const MISSING: i32 = 7096;
    /// A condition that is otherwise invalid.
    pub const INVALID: i32 = 7097;
    /// An operand that NEAR does not accept.
    pub const OPERANDS: i32 = 7098;
    /// An invalid distance of NEAR.
    pub const DISTANCE: i32 = 7099;
    /// All indexed fields are searched, and no field has an index.
    pub const NO_INDEX: i32 = 7102;
    /// A condition that consists of noise words, or of nothing.
    pub const EMPTY: i32 = 7103;
}

/// The error of a search condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One of [`number`].
    pub number: i32,
    /// The message.
    pub message: String,
}

impl Failure {
    /// An error with its number.
    pub fn new(number: i32, message: impl Into<String>) -> Failure {
        Failure { number, message: message.into() }
    }
}

/// An invalid value, with the number as the dialect's.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        let dialect = DialectError { number: failure.number, severity: 16, state: 1 };
        Error::new(Code::InvalidValue, failure.message).in_dialect(dialect)
    }
}
