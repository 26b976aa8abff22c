//! Text to tokens.
//!
//! ```text
//!   SELECT c[1,3], "text" FROM db:owner.t { a comment } -- another
//! ```
//!
//! Both kinds of quotes make strings, unless DELIMIDENT is set: then `"x"` is a name. Braces are comments. A token is a kind
//! and a span; the list always ends with `End`.

use crate::error::{Parse, SqlError};
use mainstay_syntax::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// `"x"` under DELIMIDENT.
    Quoted,
    String,
    Integer,
    Decimal,
    Float,
    Symbol,
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Symbols of two characters, which are looked for before those of one.
const LONG_SYMBOLS: [&str; 6] = ["::", "||", "<=", ">=", "<>", "!="];
const SYMBOLS: &str = "()[],.;:?*/+-=<>@%{}";
/// Words behind which braces hold the elements of a collection and are no comment.
const COLLECTIONS: [&str; 3] = ["SET", "MULTISET", "LIST"];

/// The tokens of a text.
///
/// Errors: -202 for a character without a meaning, -282 for a quote that is not closed.
pub(crate) fn tokens(text: &str, delimited_names: bool) -> Parse<Vec<Token>> {
    let mut lexer = Lexer { text, at: 0, delimited_names, in_collection: false };
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.token()?;
        let token = text.get(start..lexer.at).unwrap_or("");
        let begins = COLLECTIONS.iter().any(|word| token.eq_ignore_ascii_case(word)) && lexer.rest().starts_with('{');
        lexer.in_collection = begins || (lexer.in_collection && token != "}");
        tokens.push(Token { kind, span: lexer.span(start) });
        if kind == Kind::End {
            return Ok(tokens);
        }
    }
}

/// The text of a quoted token without its quotes.
pub(crate) fn unquoted(token: &str) -> String {
    let quote = token.chars().next().unwrap_or('\'');
    let body = token.strip_prefix(quote).unwrap_or(token);
    let body = body.strip_suffix(quote).unwrap_or(body);
    let doubled: String = [quote, quote].iter().collect();
    body.replace(&doubled, quote.encode_utf8(&mut [0; 4]))
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    delimited_names: bool,
    /// True if braces are symbols here.
    in_collection: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            let close = match self.rest() {
                rest if rest.starts_with("--") => rest.find('\n').map(|end| end + 1),
                rest if rest.starts_with('{') && !self.in_collection => rest.find('}').map(|end| end + 1),
                rest if rest.starts_with("/*") => rest.get(2..).and_then(|body| body.find("*/")).map(|end| end + 4),
                _ => return,
            };
            self.at = close.map_or(self.text.len(), |close| self.at + close);
        }
    }

    fn token(&mut self) -> Parse<Kind> {
        let Some(first) = self.rest().chars().next() else { return Ok(Kind::End) };
        if first == '\'' || first == '"' {
            self.quoted(first)?;
            return Ok(if first == '"' && self.delimited_names { Kind::Quoted } else { Kind::String });
        }
        let after_point = self.rest().chars().nth(1).is_some_and(|next| next.is_ascii_digit());
        if first.is_ascii_digit() || (first == '.' && after_point) {
            return Ok(self.number());
        }
        if first.is_alphabetic() || first == '_' {
            self.take_while(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
            return Ok(Kind::Word);
        }
        if let Some(symbol) = LONG_SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return Ok(Kind::Symbol);
        }
        let start = self.at;
        self.at += first.len_utf8();
        if SYMBOLS.contains(first) {
            return Ok(Kind::Symbol);
        }
        let text = format!("An illegal character has been found in the statement: {first}");
        Err(SqlError::at(SqlError::CHARACTER, self.span(start), text))
    }

    fn quoted(&mut self, quote: char) -> Parse<()> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.rest().find(quote) {
                Some(end) => self.at += end + 1,
                None => {
                    self.at = self.text.len();
                    let text = "Found a quote for which there is no matching quote.";
                    return Err(SqlError::at(SqlError::QUOTE, self.span(start), text));
                }
            }
            if !self.rest().starts_with(quote) {
                return Ok(());
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Kind {
        let mut kind = Kind::Integer;
        self.take_while(|letter| letter.is_ascii_digit());
        if self.rest().starts_with('.') {
            kind = Kind::Decimal;
            self.at += 1;
            self.take_while(|letter| letter.is_ascii_digit());
        }
        let exponent = self.rest().strip_prefix(['e', 'E']);
        let digits = exponent.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if digits.is_some_and(|digits| digits.starts_with(|digit: char| digit.is_ascii_digit())) {
            kind = Kind::Float;
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            self.take_while(|letter| letter.is_ascii_digit());
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(Kind, &str)> {
        let tokens = tokens(text, false).unwrap();
        tokens.iter().map(|token| (token.kind, &text[token.span.start as usize..token.span.end as usize])).collect()
    }

    #[test]
    fn comments_are_no_tokens() {
        assert_eq!(
            texts("a{b}c--d\n1.5e3/*x*/ 'it''s'"),
            [(Kind::Word, "a"), (Kind::Word, "c"), (Kind::Float, "1.5e3"), (Kind::String, "'it''s'"), (Kind::End, "")]
        );
        assert_eq!(unquoted("'it''s'"), "it's");
        let collection: Vec<&str> = texts("set{1} {c} x").into_iter().map(|(_, token)| token).collect();
        assert_eq!(collection, ["set", "{", "1", "}", "x", ""]);
    }

    #[test]
    fn characters_and_quotes_that_do_not_belong_are_errors() {
        assert_eq!(tokens("a ~ b", false).unwrap_err().code, -202);
        assert_eq!(tokens("'a", false).unwrap_err().code, -282);
        assert_eq!(tokens("{a", false).unwrap().len(), 1);
    }
}
