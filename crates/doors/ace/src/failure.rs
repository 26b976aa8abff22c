//! The failure of a call: a code of the interface, its details, and the place where both are stored.
//!
//! Every entry runs inside [`call`]: it clears the last error of the thread, runs the work, stores its failure for
//! `AdsGetLastError`, and turns a panic (which would be a fault of this library) into AE_INTERNAL_ERROR instead of
//! letting it unwind into C. A call that is exported and not implemented returns AE_NOT_IMPLEMENTED, and logs it.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mainstay_types::{Code, Error};

use crate::constants::*;
use crate::log;

/// The result of an entry.
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
        if let Some(code) = mainstay_navigator::dictionary::code_of(&error) {
            // A server has said it.
            return Failure::new(code, error.message());
        }
        if let Some(code) = of_search(&error) {
            return Failure::new(code, error.message());
        }
        match error.code() {
            Code::CheckViolation => {
                REFUSED.take().unwrap_or_else(|| Failure::new(code_of(error.code()), error.to_string()))
            }
            Code::Io if error.is_denied() => Failure::new(AE_PERMISSION_DENIED, error.to_string()),
            code => Failure::new(code_of(code), error.to_string()),
        }
    }
}

/// The code of an invalid search condition: the interface itself has these numbers.
fn of_search(error: &Error) -> Option<u32> {
    let number = u32::try_from(error.dialect()?.number).ok()?;
    (AE_FTS_UNCLOSED_PHRASE..=AE_FTS_EMPTY_CONDITION).contains(&number).then_some(number)
}

/// The code that an error below is reported as. Calls that know better (a lock, a field's name) say so themselves.
fn code_of(code: Code) -> u32 {
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

thread_local! {
    /// True if one of the two below may be set: without it, a successful call need not read them.
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    /// A refusal by a rule of a dictionary, while the work area passes it on.
    static REFUSED: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// The next `CheckViolation` of this thread is this failure.
pub fn refuse(failure: Failure) {
    HAS_FAILED.set(true);
    REFUSED.set(Some(failure));
}

/// Runs an entry's work and answers its code.
#[inline]
pub fn call(name: &'static str, work: impl FnOnce() -> Result<()>) -> u32 {
    if HAS_FAILED.get() {
        forget();
    }
    query(name, work)
}

#[cold]
fn forget() {
    keep(None);
    // A thread that ends has none any more.
    let _ = REFUSED.try_with(|refused| *refused.borrow_mut() = None);
    HAS_FAILED.set(false);
}

/// As [`call`], for entries that ask about the last error: a success leaves it as it is.
#[inline]
pub fn query(name: &'static str, work: impl FnOnce() -> Result<()>) -> u32 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => AE_SUCCESS,
        Ok(Err(failure)) => failed(name, failure),
        Err(_) => failed(name, Failure::new(AE_INTERNAL_ERROR, format!("{name} broke a rule of its own"))),
    }
}

#[cold]
fn failed(name: &'static str, failure: Failure) -> u32 {
    if failure.code == AE_INTERNAL_ERROR || failure.code == AE_NOT_IMPLEMENTED {
        log::write(&format!("{name}: error {}: {}", failure.code, failure.detail));
    }
    let code = failure.code;
    keep(Some(failure));
    code
}

/// The answer of an entry that is not done: the documented code, and a line in the log.
pub fn absent(name: &'static str) -> u32 {
    call(name, || Err(Failure::new(AE_NOT_IMPLEMENTED, format!("{name} is not supported"))))
}

/// The failure of this thread's last call, if it failed.
pub fn last() -> Option<Failure> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// Replaces what [`last`] answers.
pub fn keep(failure: Option<Failure>) {
    HAS_FAILED.set(true);
    // A thread that ends has no last error any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = failure);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_border() {
        assert_eq!(call("AdsTest", || panic!("a fault")), AE_INTERNAL_ERROR);
        assert!(last().is_some_and(|failure| failure.detail.contains("AdsTest")));
        assert_eq!(call("AdsTest", || Ok(())), AE_SUCCESS);
        assert_eq!(last(), None);
    }

    #[test]
    fn what_is_not_done_says_so() {
        assert_eq!(absent("AdsDDCreateUser"), AE_NOT_IMPLEMENTED);
        assert!(last().is_some_and(|failure| failure.detail.contains("AdsDDCreateUser is not supported")));
    }
}
