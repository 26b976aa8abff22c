//! Native error numbers of the SQL engine for the errors of Mainstay's engine.

use mainstay_ads_syntax::SqlError;
use mainstay_ads_types::native;
use mainstay_types::{Code, DialectError, Error};

/// The error of a statement.
pub(crate) type Failed = Box<SqlError>;

/// The native number of an index that refuses a key, as ACE has it.
const UNIQUE: i32 = 7057;
/// Error number of a value that breaks a rule of the table.
const CONSTRAINT: i32 = 5141;
/// Error number of a missing value in a column that requires one.
const NOT_NULL: i32 = 5157;
/// Error number of a lock that another session holds.
const LOCKED: i32 = 5035;
/// The number for a change by a user who may only read.
const DENIED: i32 = 5054;
/// Error number of an object that exists already.
const EXISTS: i32 = 2010;

/// Error number of a statement that has exceeded its time limit.
pub(crate) const ABORTED: i32 = 7209;
const ABORTED_TEXT: &str = "The statement has run longer than it may";

/// The error of a statement that has run longer than it may.
pub(crate) fn aborted() -> Failed {
    SqlError::new(ABORTED, ABORTED_TEXT)
}

/// An error of the core in the dialect's numbers and words.
pub(crate) fn of_core(error: &Error) -> Failed {
    let message = error.message();
    if let Some(dialect) = error.dialect() {
        return SqlError::new(dialect.number, message);
    }
    let quoted = || message.split('"').nth(1).unwrap_or(message).to_owned();
    let (number, text) = match error.code() {
        Code::UnknownColumn => (native::COLUMN, format!("Column not found: {}", quoted())),
        Code::UnknownTable => (native::TABLE, format!("Table or alias not found: {}", quoted())),
        Code::UnknownFunction => (native::FUNCTION, format!("Scalar function not found: {}", quoted())),
        Code::Ambiguous => (native::AMBIGUOUS, format!("Ambiguous column name: {}", quoted())),
        Code::TypeMismatch => (native::OPERAND, format!("Invalid operand for operator: {message}")),
        Code::InvalidValue => (native::CONVERSION, format!("Conversion error: {message}")),
        Code::DivisionByZero => (native::DIVISION, "Division by zero".to_owned()),
        Code::Unsupported => (native::UNSUPPORTED, format!("Functionality not supported: {message}")),
        Code::Syntax => (native::EXPECTED, message.to_owned()),
        Code::UniqueViolation => (UNIQUE, message.to_owned()),
        Code::CheckViolation | Code::ForeignKeyViolation => (CONSTRAINT, message.to_owned()),
        Code::NotNullViolation => (NOT_NULL, message.to_owned()),
        Code::Busy | Code::LockTimeout | Code::Deadlock | Code::Conflict | Code::DefinitionChanged => {
            (LOCKED, message.to_owned())
        }
        Code::Timeout | Code::Cancelled => (ABORTED, ABORTED_TEXT.to_owned()),
        Code::NotPermitted => (DENIED, message.to_owned()),
        Code::Duplicate | Code::DuplicateColumn => (EXISTS, message.to_owned()),
        _ => (native::SCRIPT, error.to_string()),
    };
    SqlError::new(number, text)
}

/// The error of a trigger that a table's handle has fired: its number and its own words.
pub(crate) fn told(failed: &SqlError) -> Error {
    let dialect = DialectError { number: failed.number, severity: 16, state: 1 };
    Error::new(Code::Syntax, failed.message.clone()).in_dialect(dialect)
}

/// The error that leaves the session: its message is the sentence that a client sees.
pub(crate) fn leaving(failed: &SqlError, text: &str) -> Error {
    let code = match failed.number {
        native::TABLE => Code::UnknownTable,
        native::COLUMN => Code::UnknownColumn,
        native::UNSUPPORTED => Code::Unsupported,
        DENIED => Code::NotPermitted,
        _ => Code::Syntax,
    };
    let dialect = DialectError { number: failed.number, severity: 16, state: 1 };
    Error::new(code, failed.sentence(text)).in_dialect(dialect)
}
