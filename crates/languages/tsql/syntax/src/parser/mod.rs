//! Parses tokens to a tree, by recursive descent.
//!
//! ```text
//!   cursor       tokens, names, lists, errors      statement   which statement it is; blocks, control of flow
//!   expression   operators, by precedence          variable    DECLARE, SET, cursors
//!   primary      what operators combine            execute     EXEC, RAISERROR and other short statements
//!   function     calls, OVER, CAST                 module      procedures, functions, triggers, views
//!   query        SELECT                            table       CREATE TABLE, ALTER TABLE, indexes
//!   source       FROM                              object      all other definitions, permissions
//!   change       INSERT, UPDATE, DELETE, MERGE     phrase      hints and options
//!   odbc         escapes in braces
//! ```
//!
//! There is no backtracking: a statement is read once, from left to right, with a look-ahead of a few tokens. An error
//! ends its statement; parsing resumes at the next word that begins one, so that all errors of a text are reported. The
//! depth of recursion and the height of the tree are limited ([`MAX_DEPTH`], [`MAX_HEIGHT`]), so the stack cannot
//! overflow while the tree is parsed, walked, printed or dropped.

mod change;
mod cursor;
mod execute;
mod expression;
mod function;
mod large_value;
mod module;
mod object;
mod odbc;
mod phrase;
mod primary;
mod query;
mod source;
mod statement;
mod table;
mod variable;

use crate::check::Checks;
use crate::error::{Diagnostic, Parse};
use crate::lexer::tokens;
use crate::tree::{Expr, ObjectName, Statement};
use mainstay_syntax::{Lines, Span, Token, TokenKind};

/// The greatest depth to which statements, queries, expressions and parentheses nest.
pub const MAX_DEPTH: u32 = 100;

/// The greatest height of a tree. Chains of AND and OR are one level, however long.
pub const MAX_HEIGHT: u32 = 600;

/// The longest text, in bytes: places are 32 bits.
pub const MAX_TEXT: usize = 1 << 30;

/// Options of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// SET QUOTED_IDENTIFIER: whether `"x"` is a name, not a string. A SET in the text changes it from there on.
    pub quoted_identifier: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { quoted_identifier: true }
    }
}

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The statements that could be read.
    pub statements: Vec<Statement>,
    /// The errors, in the order of the text. A text with errors must not be run.
    pub errors: Vec<Diagnostic>,
}

/// Parses a batch.
pub fn parse(text: &str, options: Options) -> Parsed {
    let (statements, errors) = run(text, options, |parser| Ok(parser.batch()));
    Parsed { statements: statements.unwrap_or_default(), errors }
}

/// Parses a batch that is given tables by these names: its statements do not change them.
pub fn parse_given(text: &str, options: Options, tables: &[&str]) -> Parsed {
    let (statements, errors) = run(text, options, |parser| {
        tables.iter().for_each(|name| parser.checks.given_table(name));
        Ok(parser.batch())
    });
    Parsed { statements: statements.unwrap_or_default(), errors }
}

/// Parses a text that is one expression, or one condition. Its variables need no declaration.
pub fn parse_expression(text: &str, options: Options) -> Result<Expr, Vec<Diagnostic>> {
    let (expr, errors) = run(text, options, |parser| {
        parser.permit_all_variables = true;
        let expr = parser.any_expression()?;
        parser.end()?;
        Ok(expr)
    });
    expr.filter(|_| errors.is_empty()).ok_or(errors)
}

/// Runs a part of the parser over a text, and brings the messages of all parts together.
fn run<T>(
    text: &str,
    options: Options,
    read: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
) -> (Option<T>, Vec<Diagnostic>) {
    if text.len() > MAX_TEXT {
        let start: String = text.chars().take(20).collect();
        let message = format!("The statement that starts with '{start}' is too long. Maximum length is {MAX_TEXT}.");
        return (None, vec![Diagnostic { line: 1, ..Diagnostic::new(103, Span::default(), message) }]);
    }
    let (tokens, mut errors) = tokens(text);
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        errors: Vec::new(),
        checks: Checks::new(),
        quoted_identifier: options.quoted_identifier,
        permit_all_variables: false,
        orders_branches: false,
        assignments: Assignments::Refused,
        is_lost: false,
        depth: 0,
        height: 0,
        condition_at: 0,
        phrase_groups: 0,
        in_schema: false,
        module: None,
        lines: Lines::new(text),
    };
    let result = read(&mut parser).map_err(|error| parser.errors.push(*error)).ok();
    // A string that is not closed takes the rest of the text, at which the server's grammar stumbles too.
    let unclosed = errors.iter().find(|error| error.number == 105 && parser.errors.is_empty());
    let stumble = unclosed.map(|error| {
        let rest = error.span.of(text).trim_start_matches(['N', 'n']).get(1..).unwrap_or_default();
        Diagnostic::new(102, error.span, format!("Incorrect syntax near '{rest}'."))
    });
    errors.extend(stumble);
    errors.append(&mut parser.errors);
    if !parser.permit_all_variables {
        errors.append(&mut parser.checks.finish());
    }
    errors.sort_by_key(|error| error.span.start);
    for error in &mut errors {
        error.line = parser.lines.at(error.span.start);
        let module = parser.module.as_ref().filter(|module| error.span.start >= module.span.end);
        error.procedure = module.map(|module| module.last().to_owned());
    }
    (result, errors)
}

/// True if a SELECT may assign variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Assignments {
    /// It is a part of a query or of another statement, where `@x = 1` is no item (102).
    #[default]
    Refused,
    /// It gives an INSERT its rows (199).
    InInsert,
    /// It is a statement of its own.
    Allowed,
}

/// The state of parsing.
struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    errors: Vec<Diagnostic>,
    checks: Checks,
    quoted_identifier: bool,
    /// Variables need no declaration: the text is a piece.
    permit_all_variables: bool,
    /// A query within another one is read: what UNION joins there may have orders of their own.
    orders_branches: bool,
    /// Where the next SELECT stands, as far as it says whether it may assign variables.
    assignments: Assignments,
    /// A limit was passed: no more messages.
    is_lost: bool,
    depth: u32,
    /// Levels of the expression or query that was read last.
    height: u32,
    /// The token that made the last condition one.
    condition_at: usize,
    /// The number of open groups of a phrase.
    phrase_groups: u32,
    /// The elements of CREATE SCHEMA are being read.
    in_schema: bool,
    /// The name of the procedure, function or trigger that the text defines.
    module: Option<ObjectName>,
    lines: Lines,
}

impl Parser<'_> {
    /// Nothing may follow.
    fn end(&mut self) -> Parse<()> {
        if self.kind() == TokenKind::End { Ok(()) } else { Err(self.unexpected()) }
    }
}
