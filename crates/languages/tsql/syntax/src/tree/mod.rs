//! The tree of a text: plain enums and structs, each statement, name and data type with its span.
//!
//! ```text
//!   name       names, data types, phrases        query      SELECT and all that stands in it
//!   expr       expressions and conditions        change     INSERT, UPDATE, DELETE, MERGE
//!   define     tables, indexes, ALTER TABLE      module     procedures, functions, triggers, views
//!   object     sequences, users, permissions     statement  the statement itself; control flow, cursors, EXEC
//!   parts      what expressions are made of
//! ```
//!
//! Names, data types, expressions, queries and changes are what other dialects share; the rest is T-SQL's own. Clauses
//! that the engine reads only as words and values (hints, options of an index, arguments of DBCC) are a [`Phrase`].

mod change;
mod define;
mod expr;
mod module;
mod name;
mod object;
mod parts;
mod query;
mod statement;

pub use change::*;
pub use define::*;
pub use expr::*;
pub use module::*;
pub use name::*;
pub use object::*;
pub use query::*;
pub use statement::*;
