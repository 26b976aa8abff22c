//! Errors of the core in Informix's numbers.
//!
//! Clients have a sentence for each number and ISAM code, and put the subject into it. Source: IBM Informix Error Messages.

use crate::routine_names::{missing, routine_name};
use mainstay_informix_syntax::SqlError;
use mainstay_session::Failure;
use mainstay_types::{Cause, Code, Error};

/// -213: statement interrupted by user.
pub(crate) const INTERRUPTED: i32 = -213;
/// -255: not in transaction.
pub(crate) const NOT_IN_TRANSACTION: i32 = -255;
/// -535: already in transaction.
pub(crate) const IN_TRANSACTION: i32 = -535;
/// -266: there is no current row for UPDATE/DELETE cursor.
pub(crate) const NO_CURRENT_ROW: i32 = -266;
/// -507: cursor not found.
pub(crate) const NO_CURSOR: i32 = -507;
/// -206: the specified table is not in the database; ISAM -111: no record found.
pub(crate) const NO_TABLE: i32 = -206;
/// -310: a table of this name is already there.
pub(crate) const TABLE_EXISTS: i32 = -310;
/// -329: database not found or no system permission; ISAM -111: no record found.
pub(crate) const DATABASE: i32 = -329;

/// An error of the parser, for the text of its statement.
pub(crate) fn of_syntax(error: &SqlError, text: &str) -> Failure {
    let before = error.span.and_then(|span| text.get(..span.start as usize));
    let position = before.map_or(0, |before| u32::try_from(before.chars().count() + 1).unwrap_or(0));
    let (subject, message) = (error.subject.clone(), error.message.clone());
    Failure { number: error.code, detail: error.isam, position, subject, message }
}

/// An error of the core; `is_delete` for a statement that deletes rows.
pub(crate) fn of_core(error: &Error, is_delete: bool) -> Failure {
    // An error that a function of the database has raised has a number of its own, which is negative.
    if let Some(of_function) = error.dialect().filter(|dialect| dialect.number < 0) {
        let text = error.message().to_owned();
        let detail = -i32::from(of_function.state);
        return Failure { number: of_function.number, detail, position: 0, subject: text.clone(), message: text };
    }
    // A view may call a routine that has been dropped, and a check cannot call any.
    let routine = error.subject().filter(|_| error.code() == Code::UnknownFunction).and_then(routine_name);
    if let Some(name) = routine {
        return missing(name);
    }
    let (number, detail) = match error.code() {
        Code::Syntax => (-201, 0),
        Code::UnknownTable => (-206, -111),
        Code::UnknownColumn => (-217, 0),
        Code::UnknownFunction => (-674, 0),
        Code::Ambiguous => (-324, 0),
        Code::TypeMismatch | Code::InvalidValue => (-1213, 0),
        Code::DivisionByZero => (-1202, 0),
        Code::UniqueViolation => (-268, -100),
        Code::NotNullViolation => (-391, 0),
        Code::ForeignKeyViolation if is_delete => (-692, 0),
        Code::ForeignKeyViolation => (-691, -111),
        Code::CheckViolation => (-530, 0),
        Code::LockTimeout | Code::Busy => (-244, -107),
        Code::Conflict | Code::DefinitionChanged => (-243, -107),
        Code::Deadlock => (-243, -143),
        Code::Cancelled | Code::Timeout => (INTERRUPTED, 0),
        Code::Duplicate => (-310, 0),
        Code::DuplicateColumn => (-328, 0),
        Code::DependentObjects => (-525, 0),
        // -273: no UPDATE permission; -388: no resource permission.
        Code::NotPermitted if error.cause() == Some(Cause::ReadOnlyUser) => (-273, 0),
        Code::NotPermitted if error.cause() == Some(Cause::ReadOnlyUserDefinition) => (-388, 0),
        Code::NotPermitted => (-272, 0),
        Code::TransactionState => (NOT_IN_TRANSACTION, 0),
        Code::OutOfMemory => (-208, 0),
        Code::TooComplex => (-665, 0),
        Code::Unsupported | Code::CollationMismatch => (-999, 0),
        Code::ReadOnly => (-271, -140),
        Code::InUse => (-242, -113),
        Code::NotFound => (-206, -111),
        Code::Damaged | Code::IndexDamaged | Code::NotThisFormat | Code::Encrypted => (-244, -105),
        _ => (-768, 0),
    };
    let subject = match error.code() {
        // The name of the key that is there already, or the place in a file.
        Code::UniqueViolation => match error.constraint() {
            Some(broken) => broken.name.clone(),
            None => error.place().unwrap_or_default().to_owned(),
        },
        _ => error.subject().unwrap_or_default().to_owned(),
    };
    Failure { number, detail, position: 0, subject, message: error.to_string() }
}

/// An error without anything but its number and message.
pub(crate) fn plain(number: i32, message: impl Into<String>) -> Failure {
    Failure { number, message: message.into(), ..Failure::default() }
}
