//! The common part of SQL languages' parsers: spans, tokens, and the tree of expressions, queries and changes.
//!
//! ```text
//!   span    places in a text, and its lines           tree    names, expressions, queries, changes
//!   lexer   tokens of T-SQL and Advantage SQL         visit   the nodes of a tree, outermost first
//! ```
//!
//! A language has its own words, statements, messages and parser; Informix SQL has its own lexer, too. The tree has a node for
//! each construct of any of them, so that a reducer, a printer and a visitor are written for one tree. A parser builds only the
//! nodes of its language.

mod lexer;
mod span;
pub mod tree;
pub mod visit;

pub use lexer::{
    LexicalError, LexicalProblem, NAME_LENGTH, Token, TokenKind, continues_name, starts_name, tokens, unquoted,
};
pub use span::{Lines, Span};
