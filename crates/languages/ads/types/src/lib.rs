//! What the operators, conversions and functions of Advantage SQL do with single values.
//!
//! The planner uses them for what the core has no operator for, a row at a time; scripts use them for their expressions.
//! So a function means the same in a query and in a script. Nothing here knows a table or a session; what a session
//! knows that functions ask for is a [`Context`].
//!
//! ```text
//!   function     a function by its name: how many arguments, what type it gives
//!   operators    + - * / %, comparisons, LIKE
//!   convert      CAST and CONVERT to the SQL_ types; the types' names
//!   text, number, moment, other    the functions themselves
//!   words        full text search: CONTAINS and SCORE
//! ```
//!
//! A function of NULL is NULL, but for those that say otherwise. Integer operands give an integer; an exact number with
//! another gives an exact number, and with a double a double. Sources: the help pages "Supported Scalar Functions", "SQL
//! Operators", "Exact Numeric vs Approximate Numeric".
//!
//! Text compares without the blanks at its end and by its characters otherwise, upper and lower case being different.

pub mod convert;
mod failure;
mod function;
mod moment;
mod number;
pub mod operators;
mod other;
mod text;
pub mod words;

pub use failure::{Failure, native};
pub use function::{Context, Function, Operation, names, operation};
