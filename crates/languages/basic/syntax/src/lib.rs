//! Source text of Business BASIC (ProvideX, PxPlus): tokens, tree, diagnostics, listing.
//!
//! ```text
//!   source    physical lines to statements: numbers, continuations      parse   statements to a tree, all errors
//!   token     a statement to tokens                                      print   a tree to text: LIST, LST()
//!   tree      lines, directives, expressions                             words, inventory   the items of the language
//! ```
//!
//! Both source styles are read: numbered lines, and text whose lines get numbers in tens. The crate knows no meaning:
//! a label that does not exist is the runtime's error. Sources: the manual's pages on programs, statements and
//! directives.

pub mod inventory;
mod parse;
pub mod print;
mod source;
mod token;
pub mod tree;
pub mod words;

pub use parse::{parse, parse_statement};
pub use source::{LAST_LINE, is_tokenised};
pub use tree::Diagnostic;
