//! The failure of an operation on values: with the native number of an error of the SQL engine.

use mainstay_types::{Code, DialectError, Error};

/// The native numbers, which programs find in the text of error 7200. Source: "Advantage Error Guide".
pub mod native {
    /// A value is no value of the type asked for.
    pub const CONVERSION: i32 = 2109;
    /// A lexical element is missing.
    pub const EXPECTED: i32 = 2115;
    /// A token that does not belong there.
    pub const UNEXPECTED: i32 = 2117;
    /// An invalid escape `{..}`.
    pub const ESCAPE: i32 = 2118;
    /// A column that no table has.
    pub const COLUMN: i32 = 2121;
    /// A table that is not there.
    pub const TABLE: i32 = 2122;
    /// An operand of a type that the operator does not take.
    pub const OPERAND: i32 = 2124;
    /// INSERT with another number of values than of columns.
    pub const INSERT_COUNT: i32 = 2129;
    /// An unknown type.
    pub const TYPE: i32 = 2135;
    /// A column that several tables have.
    pub const AMBIGUOUS: i32 = 2137;
    /// A parameter without a value.
    pub const PARAMETER: i32 = 2141;
    /// A division by zero.
    pub const DIVISION: i32 = 2153;
    /// An unknown function.
    pub const FUNCTION: i32 = 2158;
    /// An argument that the function does not take.
    pub const ARGUMENT: i32 = 2159;
    /// A subquery for one value that gives several rows.
    pub const MANY_ROWS: i32 = 2167;
    /// A script that ends too early.
    pub const SCRIPT_END: i32 = 2216;
    /// An invalid declaration, or one in an invalid place.
    pub const DECLARATION: i32 = 2217;
    /// A variable that is not declared.
    pub const VARIABLE: i32 = 2218;
    /// Anything else that is wrong with a script.
    pub const SCRIPT: i32 = 2219;
    /// A cursor that is not open.
    pub const CURSOR_CLOSED: i32 = 2220;
    /// A cursor that is open already.
    pub const CURSOR_OPEN: i32 = 2221;
    /// A column that the cursor has not got.
    pub const CURSOR_COLUMN: i32 = 2222;
    /// A cursor that stands on no row.
    pub const CURSOR_ROW: i32 = 2223;
    /// RAISE that was not caught.
    pub const RAISED: i32 = 2224;
    /// A value of the wrong type for the variable.
    pub const ASSIGNMENT: i32 = 2225;
    /// A value that is out of the variable's range.
    pub const RANGE: i32 = 2227;
    /// A number that no type holds.
    pub const OVERFLOW: i32 = 2232;
    /// A name that a column and a variable have.
    pub const AMBIGUOUS_REFERENCE: i32 = 2229;
    /// A feature that the engine does not have.
    pub const UNSUPPORTED: i32 = 2103;
}

/// An error with its native number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The native number: [`native`].
    pub number: i32,
    /// The message.
    pub message: String,
}

impl Failure {
    /// A failure.
    pub fn new(number: i32, message: impl Into<String>) -> Failure {
        Failure { number, message: message.into() }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        let code = match failure.number {
            native::DIVISION => Code::DivisionByZero,
            native::OPERAND => Code::TypeMismatch,
            native::FUNCTION => Code::UnknownFunction,
            native::UNSUPPORTED => Code::Unsupported,
            _ => Code::InvalidValue,
        };
        let dialect = DialectError { number: failure.number, severity: 16, state: 1 };
        Error::new(code, failure.message).in_dialect(dialect)
    }
}
