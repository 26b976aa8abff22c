//! The tree of a text: plain enums and structs, each statement, name and data type with its span.
//!
//! ```text
//!   define     tables, indexes, ALTER TABLE      module     procedures, functions, triggers, views
//!   object     sequences, users, permissions     statement  the statement itself; control flow, cursors
//! ```
//!
//! Names, data types, expressions, queries and changes are those of [`mainstay_syntax::tree`]. Clauses that the engine reads only
//! as words and values (hints, options of an index, arguments of DBCC) are a [`Phrase`].

mod define;
mod module;
mod object;
mod statement;

pub use define::*;
pub use mainstay_syntax::tree::*;
pub use module::*;
pub use object::*;
pub use statement::*;
