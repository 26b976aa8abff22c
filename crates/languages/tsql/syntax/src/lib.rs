//! The syntax of T-SQL.
//!
//! ```text
//!   text --lexer--> tokens --parser--> tree --printer--> text
//!                             |
//!                             +-- check: variables, labels, loops;  messages with SQL Server's numbers
//! ```
//!
//! [`parse`] reads a batch and returns its statements and its errors; [`print`](fn@print) writes
//! statements back, so that reading them again gives the same tree; [`batches`] splits a script at its GO lines. This
//! crate knows no tables, types or sessions: the compiler gives a tree its meaning. Expressions, queries and changes are those
//! that SQL languages share ([`mainstay_syntax`]); statements, words and messages are T-SQL's own.
//!
//! [`compatibility`] finds constructs in a text that are refused, ignored or different from SQL Server.
//!
//! On every text, the parser neither panics nor overflows the stack, and its time is proportional to the length of the
//! text.

mod batch;
mod check;
pub mod compatibility;
pub mod compile;
mod error;
mod function_body;
mod lexer;
mod parser;
mod printer;
pub mod reduce;
mod references;
mod reserved;
mod script_text;
pub mod sqlcmd;
pub mod tree;
mod undeclared;
pub mod visit;

pub use batch::{Batch, batches};
pub use error::Diagnostic;
pub use function_body::side_effect;
pub use lexer::{TRANSACTION_NAME_LENGTH, tokens};
pub use mainstay_syntax::{Lines, NAME_LENGTH, Span, Token, TokenKind, unquoted};
pub use parser::{MAX_DEPTH, MAX_HEIGHT, MAX_TEXT, Options, Parsed, parse, parse_expression, parse_given};
pub use printer::{print, print_expression};
pub use references::{Naming, Reference, references};
pub use reserved::is_reserved;
pub use script_text::{ScriptText, script_text};
pub use undeclared::{Hint, undeclared};
