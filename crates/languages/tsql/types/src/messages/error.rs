//! Errors of the engine as messages.
//!
//! The number is SQL Server's for the same situation, as programs expect; the text is the engine's, which is more
//! specific.

use super::Message;
use mainstay_types::{Code, Error};

impl From<&Error> for Message {
    fn from(error: &Error) -> Message {
        let (number, severity) = number(error.code());
        Message::error(number, error.to_string()).severity(severity)
    }
}

/// Number and severity for each code.
fn number(code: Code) -> (i32, u8) {
    match code {
        Code::Syntax => (102, 15),
        Code::UnknownTable => (208, 16),
        Code::UnknownColumn => (207, 16),
        Code::UnknownFunction => (195, 15),
        Code::Ambiguous => (209, 16),
        Code::TypeMismatch => (206, 16),
        Code::InvalidValue => (8114, 16),
        Code::DivisionByZero => (8134, 16),
        Code::InvalidSetting => (195, 15),
        Code::ReadOnly => (3906, 16),
        Code::NotFound => (208, 16),
        Code::TransactionState => (3902, 16),
        Code::Duplicate => (2714, 16),
        Code::DuplicateColumn => (2705, 16),
        Code::DependentObjects => (3729, 16),
        Code::Damaged | Code::IndexDamaged => (824, 24),
        Code::Cancelled | Code::Timeout => (3980, 16),
        Code::OutOfMemory => (701, 17),
        Code::TooComplex => (8623, 16),
        Code::Busy | Code::LockTimeout => (1222, 16),
        Code::Deadlock | Code::DefinitionChanged => (1205, 13),
        Code::Conflict => (3960, 16),
        Code::UniqueViolation => (2627, 14),
        Code::NotNullViolation => (515, 16),
        Code::ForeignKeyViolation | Code::CheckViolation => (547, 16),
        Code::Io => (823, 24),
        // Errors without a state in SQL Server are errors of this server.
        _ => (50000, 16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_same_situation() {
        let message = Message::from(&Error::new(Code::Deadlock, "two transactions wait for each other"));
        assert_eq!((message.number, message.severity), (1205, 13));
        assert_eq!(message.text, "two transactions wait for each other");
        for code in Code::ALL {
            let (number, severity) = number(*code);
            let known = super::super::find(number).map(|(severity, _)| severity);
            assert_eq!(known, Some(severity), "{}", code.name());
        }
    }
}
