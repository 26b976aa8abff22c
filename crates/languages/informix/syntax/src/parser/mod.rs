//! Tokens to a tree, by recursive descent.
//!
//! ```text
//!   cursor       tokens, names, lists, types, errors     statement   which statement it is
//!   expression   operators, by precedence                change      INSERT, UPDATE, DELETE
//!   primary      operands                                define      tables, indexes, views
//!   query        SELECT                                  source      FROM
//!   rights       GRANT, REVOKE                           merge       MERGE
//!   routine      heads of routines, calls                trigger     CREATE TRIGGER
//!   spl          statements of routines                  flow        their loops and branches
//! ```
//!
//! Depth of recursion and length of operator chains are bounded, so that no statement risks the stack.

mod change;
mod cursor;
mod define;
mod expression;
mod flow;
mod merge;
mod primary;
mod query;
mod rights;
mod routine;
mod source;
mod spl;
mod statement;
mod trigger;

use crate::error::{Parse, SqlError};
use crate::lexer::{Kind, Token, tokens};
use crate::tree::{Name, Span, Statement};

/// How deep queries, expressions and parentheses may be nested.
pub const MAX_DEPTH: u32 = 80;
/// The most operators that a value may have one after another.
const MAX_CHAIN: u32 = 1000;
/// The longest text, in bytes.
const MAX_TEXT: usize = 1 << 28;

/// A parsed statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The statement.
    pub statement: Statement,
    /// Its parameters.
    pub parameters: usize,
    /// A query FOR UPDATE.
    pub is_for_update: bool,
}

/// Parses one statement, which a semicolon may end. With `delimited_names`, `"x"` is a name (DELIMIDENT).
///
/// Errors: -201, -202, -282 with their place; -665 beyond the parser's limits.
pub fn parse(text: &str, delimited_names: bool) -> Result<Parsed, Box<SqlError>> {
    if text.len() > MAX_TEXT {
        return Err(SqlError::new(SqlError::TOO_COMPLEX, "The statement is too long"));
    }
    // Blanks take the place of what an escape has around its call, so that places in the text stay.
    let escaped = without_escape(text);
    let text = escaped.as_deref().unwrap_or(text);
    let tokens = tokens(text, delimited_names)?;
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        chain: 0,
        marks: 0,
        is_for_update: false,
        body: Body::None,
        targets: None,
    };
    let statement = parser.statement()?;
    while parser.accept(";") {}
    match parser.kind() {
        Kind::End => Ok(Parsed { statement, parameters: parser.marks, is_for_update: parser.is_for_update }),
        _ => Err(parser.unexpected()),
    }
}

/// The call of `{call p(?)}` and `{? = call f(?)}`, in which drivers write calls of every database.
fn without_escape(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let call = inner.trim_start();
    let call = call.strip_prefix('?').map_or(Some(call), |rest| rest.trim_start().strip_prefix('='))?.trim_start();
    let is_call = call.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("call"));
    let first = text.len() - text.trim_start().len() + 1 + inner.len() - call.len();
    is_call.then(|| format!("{}{call}", " ".repeat(first)))
}

/// The kind of body that statements stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// None: the statement is a client's.
    None,
    /// Of a routine: SELECT has INTO, and words that begin statements are no aliases.
    Routine,
    /// Of a trigger: statements have commas between them.
    Trigger,
}

/// The state of parsing.
struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    chain: u32,
    /// How many `?` there were.
    marks: usize,
    is_for_update: bool,
    body: Body,
    /// The variables of the last SELECT .. INTO of a body.
    targets: Option<Vec<Name>>,
}

impl Parser<'_> {
    /// Reads something one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SqlError::at(SqlError::TOO_COMPLEX, self.span(), "The statement is nested too deeply"));
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
            true => Err(SqlError::at(SqlError::TOO_COMPLEX, self.span(), "The expression has too many operators")),
            false => Ok(()),
        }
    }

    fn span_from(&self, first: usize) -> Span {
        let last = self.at.saturating_sub(1).max(first);
        let span = |place: usize| self.tokens.get(place).map(|token| token.span).unwrap_or_default();
        span(first).to(span(last))
    }
}
