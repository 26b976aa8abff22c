//! The tree of what SQL languages share: plain enums and structs; names and data types have their spans.
//!
//! ```text
//!   name       names, data types, phrases        query      SELECT and all that stands in it
//!   expr       expressions and conditions        change     INSERT, UPDATE, DELETE, MERGE
//!   parts      the parts of expressions          execute    EXEC
//! ```
//!
//! Clauses that the engine reads only as words and values (hints, options) are a [`Phrase`].

mod change;
mod execute;
mod expr;
mod name;
mod parts;
mod query;

pub use change::*;
pub use execute::*;
pub use expr::*;
pub use name::*;
pub use query::*;
