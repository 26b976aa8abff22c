//! Advantage SQL: the dialect of the ACE library's statements and scripts.
//!
//! ```text
//!   text --tokens of tsql--> parser --> tree --printer--> text
//!                                         |
//!                                         +-- reduce: a query in the SQL of the core
//!                                         +-- compile: a script in the typed form of programs
//! ```
//!
//! Tokens, places, expressions and queries are those of [`mainstay_syntax`], which contain nothing that only T-SQL
//! has; the statements ([`tree`]) and the parser have a grammar of their own here. Names of variables need no `@`:
//! `reduce` and `compile`, where the names are known, decide if `x` is a column or a variable.
//!
//! No text makes the parser panic or overflow the stack, and its time is linear in the length of the text.
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
