//! Informix SQL: its statements, and what they are in the SQL of the core.
//!
//! ```text
//!   text --lexer--> tokens --parser--> Statement --reduce--> text of the core, columns and parameters still unknown
//!                                          |
//!                                          +-- parameters: the columns that parameters are compared with or stored in
//!                                          +-- compile: routines and triggers, to programs of `mainstay_vm`
//! ```
//!
//! Expressions and queries are those of the tree that the SQL languages share ([`mainstay_syntax::tree`]); see [`tree`]
//! for how constructs of this language stand in it. Nothing here knows a table or a session: names are asked of a
//! [`Scope`](reduce::Scope).
//!
//! No text makes the parser panic, overflow the stack or run longer than in proportion to its length.
//!
//! Source: IBM Informix 14.10, Guide to SQL: Syntax.

pub mod compatibility;
pub mod compile;
mod convert;
mod error;
pub mod floating;
mod lengths;
mod lexer;
mod matches;
mod parameters;
mod parser;
pub mod reduce;
pub mod script;
mod shown;
pub mod tree;
mod types;
mod visit;

pub use convert::{assign, assign_from, cut, overflow};
pub use error::SqlError;
pub use floating::FloatingDecimal;
pub use lengths::{datetime_type, text_length};
pub use matches::matches;
pub use parameters::{ParameterPlace, parameter_places};
pub use parser::{MAX_DEPTH, Parsed, parse};
pub use shown::{moment_text, parse_interval};
pub use types::{Field, Type};
