//! The tokens of T-SQL: those of [`mainstay_syntax`] with T-SQL's reserved words, and its errors with SQL Server's numbers.

use crate::error::Diagnostic;
use crate::reserved::is_reserved;
use mainstay_syntax::{LexicalError, LexicalProblem, NAME_LENGTH, Token, unquoted};

/// The most characters of a transaction's name (BEGIN TRANSACTION in SQL Server's manual).
pub const TRANSACTION_NAME_LENGTH: usize = 32;

/// The tokens of a text, the last of which is `End`, and its errors (105, 113, 103).
pub fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let (tokens, errors) = mainstay_syntax::tokens(text, is_reserved);
    (tokens, errors.iter().map(|error| diagnostic(text, error)).collect())
}

fn diagnostic(text: &str, error: &LexicalError) -> Diagnostic {
    let token = error.span.of(text);
    match error.problem {
        LexicalProblem::UnclosedComment => Diagnostic::new(113, error.span, "Missing end comment mark '*/'."),
        LexicalProblem::UnclosedQuote => {
            let rest = token.get(1..).unwrap_or("");
            let message = format!("Unclosed quotation mark after the character string '{rest}'.");
            Diagnostic::new(105, error.span, message)
        }
        LexicalProblem::LongName => {
            let name = if token.starts_with('[') { unquoted(token) } else { token.to_owned() };
            let start: String = name.chars().take(NAME_LENGTH).collect();
            let message =
                format!("The identifier that starts with '{start}' is too long. Maximum length is {NAME_LENGTH}.");
            Diagnostic::new(103, error.span, message).state(4)
        }
    }
}
