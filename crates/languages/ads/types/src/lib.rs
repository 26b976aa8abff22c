//! The operators, conversions and functions of Advantage SQL on single values.
//!
//! The planner uses them where the core has no operator, a row at a time; scripts use them for their expressions. So a
//! function has the same meaning in a query and in a script. Nothing here knows a table or a session; facts about the
//! session that functions ask for are in a [`Context`].
//!
//! ```text
//!   function     a function by its name: how many arguments, what type it gives
//!   operators    + - * / %, comparisons, LIKE
//!   convert      CAST and CONVERT to the SQL_ types; the types' names
//!   text, number, moment, other    the functions themselves
//!   words        the search conditions of CONTAINS and SCORE, kept from row to row
//! ```
//!
//! A function of NULL is NULL, unless its description says otherwise. Integer operands give an integer; an exact number
//! with another gives an exact number, and with a double a double. Sources: the help pages "Supported Scalar
//! Functions", "SQL Operators", "Exact Numeric vs Approximate Numeric".
//!
//! Text compares without trailing blanks and otherwise by its characters, with regard to case.

pub mod convert;
mod failure;
mod function;
mod moment;
mod number;
pub mod operators;
mod other;
mod text;
mod words;

pub use failure::{Failure, native};
pub use function::{Context, Function, Operation, names, operation};
