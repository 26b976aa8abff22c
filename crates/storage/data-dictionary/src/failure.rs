//! Failures: a code of the interface and its details.
//!
//! Rules of a dictionary refuse records with the code that programs know, and work areas and servers pass errors on; so a code
//! has a form as an error ([`refused`]), from which it is read again ([`code_of`]).

use std::ops::Deref;

use mainstay_types::{Code, DialectError, Error};

use crate::constants::*;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Failure>;

/// A code of the interface and what there is to say about it. It is a pointer, so that what succeeds, as nearly every call
/// does, is given back in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Particulars>);

/// The contents of a [`Failure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Particulars {
    /// One of the `AE_` constants.
    pub code: u32,
    /// The particulars: names, values, what to try. May be empty.
    pub detail: String,
}

impl Failure {
    /// A failure with its particulars.
    #[cold]
    pub fn new(code: u32, detail: impl Into<String>) -> Failure {
        Failure(Box::new(Particulars { code, detail: detail.into() }))
    }

    /// The detail, for a caller that knows the code.
    pub fn into_detail(self) -> String {
        self.0.detail
    }
}

impl Deref for Failure {
    type Target = Particulars;

    fn deref(&self) -> &Particulars {
        &self.0
    }
}

impl From<u32> for Failure {
    fn from(code: u32) -> Failure {
        Failure::new(code, "")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if let Some(code) = code_of(&error) {
            // A rule or a server has said it.
            return Failure::new(code, error.message());
        }
        if let Some(code) = of_search(&error) {
            return Failure::new(code, error.message());
        }
        match error.code() {
            Code::Io if error.is_denied() => Failure::new(AE_PERMISSION_DENIED, error.to_string()),
            code => Failure::new(of_error(code), error.to_string()),
        }
    }
}

/// The code of an invalid search condition: the interface itself has these numbers.
fn of_search(error: &Error) -> Option<u32> {
    let number = u32::try_from(error.dialect()?.number).ok()?;
    (AE_FTS_UNCLOSED_PHRASE..=AE_FTS_EMPTY_CONDITION).contains(&number).then_some(number)
}

/// The code that an error below is reported as. Calls that know better (a lock, a field's name) say so themselves.
fn of_error(code: Code) -> u32 {
    match code {
        Code::Syntax | Code::UnknownFunction | Code::TypeMismatch | Code::Ambiguous => AE_INVALID_EXPRESSION,
        Code::UnknownTable | Code::NotFound => AE_FILE_NOT_FOUND,
        Code::UnknownColumn => AE_INVALID_FIELDNAME,
        Code::InvalidValue | Code::DivisionByZero => AE_INVALID_VALUE,
        Code::InvalidSetting => AE_INVALID_OPTION,
        Code::Unsupported | Code::TooComplex => AE_NOT_IMPLEMENTED,
        Code::ReadOnly => AE_TABLE_READONLY,
        Code::NotThisFormat => AE_INVALID_TABLETYPE,
        Code::Encrypted => AE_TABLE_ENCRYPTED,
        Code::TransactionState => AE_ILLEGAL_COMMAND_DURING_TRANS,
        Code::Duplicate | Code::DuplicateColumn => AE_INDEX_EXISTS,
        Code::Damaged => AE_CORRUPT_TABLE,
        Code::IndexDamaged => AE_CORRUPT_INDEX,
        Code::Busy | Code::Deadlock | Code::LockTimeout | Code::Conflict | Code::DefinitionChanged => AE_LOCK_FAILED,
        Code::UniqueViolation => AE_UNIQUE_KEY_VIOLATION,
        Code::NotNullViolation => AE_COLUMN_CANNOT_BE_NULL,
        Code::ForeignKeyViolation => AE_RI_FAILED,
        Code::CheckViolation => AE_RECORD_CONSTRAINT_VIOLATION,
        Code::OutOfMemory => AE_ALLOCATION_FAILED,
        Code::Cancelled | Code::Timeout => AE_OPERATION_ABORTED,
        Code::ConnectionLost => AE_NO_CONNECTION,
        Code::NotPermitted => AE_PERMISSION_DENIED,
        Code::Io => AE_BINARY_FILE_ERROR,
        _ => AE_INTERNAL_ERROR,
    }
}

/// The state that distinguishes errors with a code of the interface from those of SQL.
const STATE: u8 = 0xAC;

/// A code of the interface as an error.
pub fn refused(code: u32, detail: impl Into<String>) -> Error {
    let dialect = DialectError { number: i32::try_from(code).unwrap_or(0), severity: 0, state: STATE };
    Error::new(Code::CheckViolation, detail.into()).in_dialect(dialect)
}

/// The code of such an error.
pub fn code_of(error: &Error) -> Option<u32> {
    let dialect = error.dialect().filter(|dialect| dialect.state == STATE && dialect.severity == 0)?;
    u32::try_from(dialect.number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_survives_as_an_error() {
        let failure = Failure::from(refused(AE_RI_RESTRICT, "a child"));
        assert_eq!((failure.code, failure.detail.as_str()), (AE_RI_RESTRICT, "a child"));
        let other = Failure::from(Error::new(Code::CheckViolation, "a rule"));
        assert_eq!(other.code, AE_RECORD_CONSTRAINT_VIOLATION);
    }
}
