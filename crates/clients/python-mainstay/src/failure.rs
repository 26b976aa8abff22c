//! Errors of the engine and of its languages as exceptions of PEP 249.
//!
//! ```text
//!   core      Code, SQLSTATE, place, hint        class by the code
//!   T-SQL     number, state, line, procedure     class by the number
//!   ADS       native number                      class by the number
//!   Informix  SQLCODE, ISAM code, offset         class by the number
//! ```
//! The class is decided here, and the attributes are set on the exception by `mainstay.errors.of_fault`.

use mainstay_session::Failure;
use mainstay_session::push::Message;
use mainstay_types::{Code, Error};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The class of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Interface,
    Data,
    Operational,
    Integrity,
    Internal,
    Programming,
    NotSupported,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Interface => "InterfaceError",
            Class::Data => "DataError",
            Class::Operational => "OperationalError",
            Class::Integrity => "IntegrityError",
            Class::Internal => "InternalError",
            Class::Programming => "ProgrammingError",
            Class::NotSupported => "NotSupportedError",
        }
    }
}

/// An error on its way to Python. Its texts are boxed, so that results with it stay small.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub class: Class,
    pub message: Box<str>,
    /// The number of the dialect; 0 in the core, which has none.
    pub number: i32,
    /// The ISAM code of Informix, or the state of T-SQL.
    pub detail: i32,
    pub sqlstate: Option<&'static str>,
    /// The engine's own name of the error.
    pub code: Option<&'static str>,
    /// The line in the statement, from 1; 0 where it is not known.
    pub line: u32,
    /// The character in the statement, from 1; 0 where it is not known.
    pub position: u32,
    pub hint: Option<Box<str>>,
    /// The routine that the error comes from.
    pub procedure: Option<Box<str>>,
    /// Executions of `executemany` that were done before the error.
    pub executed: Option<u64>,
}

impl Fault {
    /// An error of the package itself.
    pub fn new(class: Class, message: impl Into<String>) -> Fault {
        Fault {
            class,
            message: message.into().into_boxed_str(),
            number: 0,
            detail: 0,
            sqlstate: None,
            code: None,
            line: 0,
            position: 0,
            hint: None,
            procedure: None,
            executed: None,
        }
    }

    /// An error of the core, for the text of its statement.
    pub fn of_core(error: &Error, text: &str) -> Fault {
        let before = error.text_span().and_then(|(start, _)| text.get(..start));
        let count = |count: usize| u32::try_from(count + 1).unwrap_or(0);
        let routine = error.routine();
        Fault {
            number: error.dialect().map_or(0, |dialect| dialect.number),
            sqlstate: Some(error.code().sqlstate()),
            code: Some(error.code().name()),
            line: before.map_or(0, |before| count(before.matches('\n').count())),
            position: before.map_or(0, |before| count(before.chars().count())),
            hint: error.hint_text().map(Into::into),
            procedure: routine.map(|(name, _)| name.into()),
            ..Fault::new(class_of_code(error.code()), error.to_string())
        }
    }

    /// An error of T-SQL.
    pub fn of_tsql(message: &Message) -> Fault {
        let (class, sqlstate) = class_of_tsql(message.number);
        Fault {
            number: message.number,
            detail: message.state.into(),
            sqlstate: Some(sqlstate),
            line: message.line,
            procedure: message.procedure.clone().map(String::into_boxed_str),
            ..Fault::new(class, message.text.clone())
        }
    }

    /// An error of Advantage SQL.
    pub fn of_ads(error: &Error, text: &str) -> Fault {
        let mut fault = Fault::of_core(error, text);
        if let Some(dialect) = error.dialect() {
            fault.class = class_of_ads(dialect.number);
            (fault.sqlstate, fault.code) = (None, None);
        }
        fault
    }

    /// An error of Informix SQL.
    pub fn of_informix(failure: &Failure, text: &str) -> Fault {
        let before: String = text.chars().take(failure.position.saturating_sub(1) as usize).collect();
        let line = if failure.position == 0 { 0 } else { before.matches('\n').count() as u32 + 1 };
        Fault {
            number: failure.number,
            detail: failure.detail,
            line,
            position: failure.position,
            ..Fault::new(class_of_informix(failure.number), format!("{}: {}", failure.number, failure.message))
        }
    }

    /// The exception.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let attributes = PyDict::new(py);
            attributes.set_item("number", self.number)?;
            attributes.set_item("detail", self.detail)?;
            attributes.set_item("sqlstate", self.sqlstate)?;
            attributes.set_item("code", self.code)?;
            attributes.set_item("line", self.line)?;
            attributes.set_item("position", self.position)?;
            attributes.set_item("hint", self.hint.as_deref())?;
            attributes.set_item("procedure", self.procedure.as_deref())?;
            attributes.set_item("executed", self.executed)?;
            let module = py.import("mainstay.errors")?;
            let error = module.getattr("of_fault")?.call1((self.class.name(), &*self.message, attributes))?;
            Ok(PyErr::from_value(error))
        };
        made().unwrap_or_else(|error| error)
    }
}

fn class_of_code(code: Code) -> Class {
    match code {
        Code::InvalidValue | Code::DivisionByZero => Class::Data,
        Code::Unsupported => Class::NotSupported,
        Code::UniqueViolation | Code::NotNullViolation | Code::ForeignKeyViolation | Code::CheckViolation => {
            Class::Integrity
        }
        Code::Internal => Class::Internal,
        Code::Syntax
        | Code::UnknownTable
        | Code::UnknownColumn
        | Code::UnknownFunction
        | Code::Ambiguous
        | Code::TypeMismatch
        | Code::CollationMismatch
        | Code::InvalidSetting
        | Code::Duplicate
        | Code::DuplicateColumn
        | Code::DependentObjects
        | Code::NotPermitted
        | Code::TooComplex => Class::Programming,
        _ => Class::Operational,
    }
}

/// Classes and SQLSTATEs as the ODBC driver of SQL Server gives them (ODBC Programmer's Reference, appendix A).
fn class_of_tsql(number: i32) -> (Class, &'static str) {
    match number {
        515 | 547 | 2601 | 2627 => (Class::Integrity, "23000"),
        8134 => (Class::Data, "22012"),
        220 | 8115 | 232 => (Class::Data, "22003"),
        2628 | 8152 => (Class::Data, "22001"),
        241 | 242 | 295 => (Class::Data, "22007"),
        235 | 244 | 245 | 248 | 8114 | 8169 => (Class::Data, "22018"),
        1205 => (Class::Operational, "40001"),
        1222 | 3960 | 701 | 1105 | 9002 | 4060 | 18456 => (Class::Operational, "HY000"),
        208 => (Class::Programming, "42S02"),
        207 => (Class::Programming, "42S22"),
        2714 => (Class::Programming, "42S01"),
        102 | 105 | 156 | 170 => (Class::Programming, "42000"),
        50_000.. => (Class::Programming, "42000"),
        _ => (Class::Programming, "42000"),
    }
}

/// Numbers of ACE's native errors (Advantage error codes, 2100 to 7999).
fn class_of_ads(number: i32) -> Class {
    match number {
        7057 | 5141 | 5157 => Class::Integrity,
        5035 | 7209 | 7008 => Class::Operational,
        2109 | 2153 | 2232 => Class::Data,
        2103 => Class::NotSupported,
        _ => Class::Programming,
    }
}

/// SQLCODEs (IBM Informix Error Messages).
fn class_of_informix(number: i32) -> Class {
    match -number {
        239 | 268 | 271 | 391 | 530 | 691 | 692 | 703 => Class::Integrity,
        415 | 461 | 846 | 881 | 882 | 9630 | 9634 | 1200..=1279 => Class::Data,
        107 | 113 | 143 | 144 | 154 | 208 | 211 | 213 | 233 | 243..=246 | 255 | 289 | 329 | 387 | 388 | 535 | 908 => {
            Class::Operational
        }
        617 | 640 | 999 => Class::NotSupported,
        100 | 105 | 116 | 242 | 248 | 250 | 668 | 768 => Class::Internal,
        _ => Class::Programming,
    }
}
