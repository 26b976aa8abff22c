//! Advantage SQL: the dialect of the ACE library's statements and scripts.
//!
//! ```text
//!   text --tokens of tsql--> parser --> tree --printer--> text
//!                                         |
//!                                         +-- reduce: a query in the SQL of the core
//!                                         +-- compile: a script in the typed form of programs
//! ```
//!
//! Tokens, places, expressions and queries are those of [`mainstay_tsql_syntax`], which hold nothing that only T-SQL could mean;
//! what has its own grammar here is the statements ([`tree`]), and the parser. Names of variables need no `@`: whether `x`
//! is a column or a variable is decided where the names are known, by `reduce` and `compile`.
//!
//! No text makes the parser panic, overflow the stack or run for longer than in proportion to its length.
//!
//! Sources: the help pages of Advantage Database Server, chapters "Advantage SQL Engine" and "SQL PSM (SCRIPT)".

mod comments;
pub mod compatibility;
pub mod compile;
mod error;
mod evaluate;
mod parser;
mod printer;
pub mod reduce;
mod reserved;
pub mod tree;

pub use error::SqlError;
pub use evaluate::{Values, evaluate};
pub use parser::{MAX_DEPTH, Parsed, parse, parse_expression};
pub use printer::{print, print_expression};
pub use reserved::{RESERVED, is_reserved};
