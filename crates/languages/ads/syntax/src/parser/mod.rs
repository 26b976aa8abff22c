//! Recursive-descent parser from tokens to a tree.
//!
//! ```text
//!   cursor       tokens, names, lists, errors     statement   which statement it is; scripts
//!   expression   operators, by precedence         change      INSERT, UPDATE, DELETE, MERGE
//!   primary      what operators combine           define      tables, indexes, views
//!   query        SELECT                           module      procedures, functions, triggers
//!   source       FROM
//! ```
//!
//! Parsing ends at the first error, as in the vendor's engine. Both the depth of recursion and the length of a chain of
//! operators are limited, so that the stack never overflows, neither while parsing nor while the tree is walked or
//! dropped.

mod change;
mod content;
mod cursor;
mod define;
mod expression;
mod module;
mod primary;
mod query;
mod source;
mod statement;

pub(crate) use primary::type_text;

use crate::comments::without_slashes;
use crate::error::{Parse, SqlError};
use crate::reserved::is_reserved;
use crate::tree::{Expr, Span, Statement};
use mainstay_ads_types::native;
use mainstay_syntax::{LexicalProblem, Token, TokenKind, tokens};

/// The greatest nesting depth of statements, queries, expressions and parentheses.
pub const MAX_DEPTH: u32 = 80;

/// The most operators that a value may have one after another.
const MAX_CHAIN: u32 = 400;

/// The longest text, in bytes.
const MAX_TEXT: usize = 1 << 28;

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Its parameters in the order in which they first stand there: names without the colon; `?1` for the first `?`.
    pub parameters: Vec<String>,
}

/// Parses a statement or a script.
///
/// Errors: 2115, 2117 and others, with their place.
pub fn parse(text: &str) -> Result<Parsed, Box<SqlError>> {
    run(text, |parser| {
        let statements = parser.statements(&[])?;
        parser.end()?;
        Ok(Parsed { statements, parameters: std::mem::take(&mut parser.parameters) })
    })
}

/// Parses a text that is one expression.
///
/// Errors: as [`parse`].
pub fn parse_expression(text: &str) -> Result<Expr, Box<SqlError>> {
    run(text, |parser| {
        let value = parser.expression()?;
        parser.end()?;
        Ok(value)
    })
}

fn run<T>(text: &str, read: impl FnOnce(&mut Parser<'_>) -> Parse<T>) -> Parse<T> {
    if text.len() > MAX_TEXT {
        return Err(SqlError::new(native::SCRIPT, "The statement is too long"));
    }
    let text = without_slashes(text);
    let (tokens, errors) = tokens(&text, is_reserved);
    if let Some(error) = errors.into_iter().find(|error| error.problem != LexicalProblem::LongName) {
        return Err(SqlError::at(
            native::EXPECTED,
            error.span,
            "Expected lexical element not found: closing delimiter",
        ));
    }
    let mut parser = Parser { text: &text, tokens, at: 0, depth: 0, chain: 0, parameters: Vec::new(), marks: 0 };
    read(&mut parser)
}

/// The state of parsing.
struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    chain: u32,
    parameters: Vec<String>,
    /// The number of `?` so far.
    marks: usize,
}

impl Parser<'_> {
    /// Nothing may follow.
    fn end(&mut self) -> Parse<()> {
        if self.kind() == TokenKind::End { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Reads something one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SqlError::at(native::SCRIPT, self.span(), "The statement is nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Counts an operator of a chain.
    fn link(&mut self) -> Parse<()> {
        self.chain += 1;
        match self.chain > MAX_CHAIN {
            true => Err(SqlError::at(native::SCRIPT, self.span(), "The expression has too many operators")),
            false => Ok(()),
        }
    }

    fn span_from(&self, first: usize) -> Span {
        let last = self.at.saturating_sub(1).max(first);
        let span = |place: usize| self.tokens.get(place).map(|token| token.span).unwrap_or_default();
        span(first).to(span(last))
    }
}
