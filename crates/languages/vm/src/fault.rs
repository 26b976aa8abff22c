//! Failures: faults of the machine, and errors as a language raises them.
//!
//! The machine detects [`Fault`]s, without numbers or texts. The host turns each into an error of its language
//! ([`crate::Host::fault`]): 8115 and "Arithmetic overflow error ..." in T-SQL, ERR 36 in Business BASIC. Errors of the
//! host's own statements are [`Raised`] from the beginning. The machine adds the place.

use crate::Type;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An error that the machine itself detects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// A number has no place in the type of the result.
    Overflow {
        /// The type of the result.
        to: Type,
    },
    /// A division by zero.
    DivideByZero,
    /// Text or bytes are longer than the type of the result allows.
    TooLong {
        /// The type of the result.
        to: Type,
    },
    /// A value of the wrong kind: from an Any, a native function or the host.
    TypeMismatch {
        /// The required type.
        to: Type,
    },
    /// A call leaves out an argument that has no default.
    MissingArgument {
        /// The routine that is called.
        routine: Arc<str>,
        /// The parameter.
        parameter: String,
    },
    /// A call gives a parameter two values.
    RepeatedArgument {
        /// The routine that is called.
        routine: Arc<str>,
        /// The parameter.
        parameter: String,
    },
    /// A call names a parameter that there is not.
    UnknownArgument {
        /// The routine that is called.
        routine: Arc<str>,
        /// The name.
        parameter: String,
    },
    /// A call has more arguments than there are parameters.
    TooManyArguments {
        /// The routine that is called.
        routine: Arc<str>,
    },
    /// A call asks for what comes back from a parameter that gives nothing back.
    NotAnOutput {
        /// The routine that is called.
        routine: Arc<str>,
        /// The parameter.
        parameter: String,
    },
    /// A subscript is outside of its array's bounds, or NULL; or an array was not dimensioned, or is to have no elements.
    Subscript {
        /// The array.
        array: Arc<str>,
    },
    /// Routines call each other deeper than allowed.
    NestingLimit,
    /// GOSUBs are deeper than allowed.
    GosubLimit,
    /// Text and bytes need more memory than allowed.
    MemoryLimit,
    /// More turns of loops and calls than allowed.
    TurnLimit,
    /// It takes longer than allowed.
    Deadline,
    /// Somebody asked to stop.
    Cancelled,
    /// A return without a GOSUB.
    ReturnWithoutGosub,
    /// A resume without an error.
    ResumeWithoutError,
    /// A rethrow, and there is no error.
    RethrowWithoutError,
    /// The host broke a rule of this crate.
    Internal(&'static str),
}

impl Fault {
    /// Returns true if handlers of programs may see it. They may not stop a cancellation.
    pub fn is_catchable(&self) -> bool {
        !matches!(self, Fault::Cancelled | Fault::Deadline | Fault::TurnLimit | Fault::Internal(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Overflow { to } => write!(f, "arithmetic overflow in a result of type {to}"),
            Fault::DivideByZero => f.write_str("division by zero"),
            Fault::TooLong { to } => write!(f, "a value is too long for {to}"),
            Fault::TypeMismatch { to } => write!(f, "a value is not of type {to}"),
            Fault::MissingArgument { routine, parameter } => write!(f, "{routine} needs a value for {parameter}"),
            Fault::UnknownArgument { routine, parameter } => write!(f, "{routine} has no parameter {parameter}"),
            Fault::RepeatedArgument { routine, parameter } => write!(f, "{routine} is given {parameter} twice"),
            Fault::TooManyArguments { routine } => write!(f, "too many arguments for {routine}"),
            Fault::NotAnOutput { routine, parameter } => write!(f, "{parameter} of {routine} gives nothing back"),
            Fault::Subscript { array } => write!(f, "a subscript of {array} is out of its bounds"),
            Fault::NestingLimit => f.write_str("calls are nested too deeply"),
            Fault::GosubLimit => f.write_str("subroutines are nested too deeply"),
            Fault::MemoryLimit => f.write_str("texts need more memory than they may have"),
            Fault::TurnLimit => f.write_str("the program ran for more turns than it may"),
            Fault::Deadline => f.write_str("the program ran longer than it may"),
            Fault::Cancelled => f.write_str("the program was asked to stop"),
            Fault::ReturnWithoutGosub => f.write_str("a return without a subroutine"),
            Fault::ResumeWithoutError => f.write_str("a resume without an error"),
            Fault::RethrowWithoutError => f.write_str("there is no error to raise again"),
            Fault::Internal(what) => write!(f, "a rule of the machine was broken: {what}"),
        }
    }
}

/// A routine and a line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The routine's name.
    pub routine: Arc<str>,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
}

/// An error of a program, in its language's terms.
///
/// It is passed around in a box: the ways that matter do not fail.
#[derive(Debug, Default)]
pub struct Raised {
    /// The language's number for it (`ERROR_NUMBER()`, `ERR`).
    pub number: i32,
    /// The severity, where the language has one.
    pub severity: u8,
    /// The language's second number (`ERROR_STATE()`, `RET`).
    pub state: i32,
    /// The text of the message.
    pub text: String,
    /// The routine where it happened: filled in by the machine unless the host does.
    pub routine: Option<Arc<str>>,
    /// The line where it happened, from 1: filled in by the machine unless the host does.
    pub line: u32,
    /// True if no handler of a program may see it (a cancellation, a lost connection).
    pub uncatchable: bool,
    /// True if the routine where it happened may not handle it, while those that called it may: what a language finds
    /// wrong with a statement only when it comes to it.
    pub passes_own_handlers: bool,
    /// The machine's fault, if that is the cause.
    pub fault: Option<Fault>,
    /// Where it passed through, innermost first.
    pub trace: Vec<Place>,
    /// The database's error, if that is the cause.
    pub source: Option<mainstay_types::Error>,
    /// Whatever else the host wants to find again.
    pub detail: Option<Box<dyn Any + Send + Sync>>,
}

impl Raised {
    /// An error with a number and a text.
    pub fn new(number: i32, severity: u8, state: i32, text: impl Into<String>) -> Box<Raised> {
        Box::new(Raised { number, severity, state, text: text.into(), ..Raised::default() })
    }

    /// An error with the machine's own words for a fault, for hosts without others.
    pub fn of(fault: Fault) -> Box<Raised> {
        let (text, uncatchable) = (fault.to_string(), !fault.is_catchable());
        Box::new(Raised { severity: 16, text, uncatchable, fault: Some(fault), ..Raised::default() })
    }
}

/// For hosts and native functions: the machine asks [`crate::Host::fault`] for its words before anybody sees it.
impl From<Fault> for Box<Raised> {
    fn from(fault: Fault) -> Box<Raised> {
        Raised::of(fault)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(routine) = &self.routine {
            write!(f, "{routine}, line {}: ", self.line)?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for Raised {}
