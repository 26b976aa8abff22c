//! Number literals that the tokenizer does not support: with underscores between their digits, and in other bases.
//!
//! ```text
//!   1_000.5      1000.5      the tokenizer: 1, and the name _000
//!   0x1F         31          the tokenizer: bytes, which are written X'1F'
//!   0o17, 0b101  15, 5       the tokenizer: 0, and a name
//! ```
//!
//! The rules are those of ISO 9075-2:2023, 5.3, and of PostgreSQL 16. A letter, digit or underscore right behind a
//! number is an error, as there: read as a name, it would rename the column.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use mainstay_types::{Code, Error, Result};

/// The tokens with such numbers as one token each. `offset` gives the byte at which a line and a column are.
///
/// Errors: `Syntax` for a number that goes on in a way that none does; `InvalidValue` for one of more than 128 bits.
pub(crate) fn read(
    source: &str,
    tokens: Vec<TokenWithSpan>,
    offset: impl Fn(u64, u64) -> usize,
) -> Result<Vec<TokenWithSpan>> {
    let needs =
        |at: usize| may_go_on(&tokens[at], tokens.get(at + 1), at.checked_sub(1).and_then(|before| tokens.get(before)));
    if !(0..tokens.len()).any(needs) {
        return Ok(tokens);
    }
    let start = |token: &TokenWithSpan| offset(token.span.start.line, token.span.start.column);
    let mut read: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(mut token) = rest.next() {
        if !may_go_on(&token, rest.peek(), read.last()) {
            read.push(token);
            continue;
        }
        let from = start(&token);
        let text = source.get(from..).unwrap_or_default();
        if matches!(token.token, Token::HexStringLiteral(_)) && !text.starts_with("0x") && !text.starts_with("0X") {
            read.push(token);
            continue;
        }
        let length = length_of(text);
        let end = from + length;
        let goes_on = text[length..].chars().next().filter(|next| next.is_alphanumeric() || *next == '_');
        if length == 0 || goes_on.is_some() {
            let rest = &text[length..];
            let all = length + rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let error = Error::new(Code::Syntax, format!("{} is no number", &text[..all]));
            return Err(error.span(from, from + all).hint("put a blank between a number and a word"));
        }
        token.token = Token::Number(value_of(&text[..length]).map_err(|error| error.span(from, end))?, false);
        while let Some(covered) = rest.next_if(|next| start(next) < end && next.token != Token::EOF) {
            token.span.end = covered.span.end;
        }
        read.push(token);
    }
    Ok(read)
}

/// Reports whether a number may be longer than its token: it is written to another base, or something follows without a blank.
fn may_go_on(token: &TokenWithSpan, next: Option<&TokenWithSpan>, before: Option<&TokenWithSpan>) -> bool {
    match &token.token {
        Token::HexStringLiteral(_) => true,
        // The number of a field: `a.1`.
        Token::Number(..) if before.is_some_and(|before| before.token == Token::Period) => false,
        Token::Number(_, is_long) => next.is_some_and(|next| {
            let is_word = matches!(&next.token, Token::Word(word) if word.quote_style.is_none());
            let is_number = matches!(next.token, Token::Number(..));
            !is_long && (is_word || is_number) && next.span.start == token.span.end
        }),
        _ => false,
    }
}

/// The bytes at the beginning of a text that are a number; 0 if there is none.
fn length_of(text: &str) -> usize {
    let bytes = text.as_bytes();
    let base = |of: fn(&u8) -> bool| match digits(&bytes[2..], of, true) {
        0 => 0,
        length => 2 + length,
    };
    match bytes.get(..2) {
        Some(b"0x" | b"0X") => return base(u8::is_ascii_hexdigit),
        Some(b"0o" | b"0O") => return base(|byte| matches!(byte, b'0'..=b'7')),
        Some(b"0b" | b"0B") => return base(|byte| matches!(byte, b'0' | b'1')),
        _ => {}
    }
    let decimal = |at: usize| digits(&bytes[at..], u8::is_ascii_digit, false);
    let mut length = decimal(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + decimal(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        length += match decimal(length + 1 + sign) {
            0 => 0,
            exponent => 1 + sign + exponent,
        };
    }
    length
}

/// The bytes at the beginning that are digits with at most one underscore between two of them, and before the first one if
/// that may be.
fn digits(bytes: &[u8], is_digit: fn(&u8) -> bool, may_begin_with_underscore: bool) -> usize {
    let mut length = 0;
    loop {
        let underscore = usize::from(bytes.get(length) == Some(&b'_') && (length > 0 || may_begin_with_underscore));
        match bytes.get(length + underscore).filter(|byte| is_digit(byte)) {
            Some(_) => length += underscore + 1,
            None => return length,
        }
    }
}

/// A number in decimal digits.
fn value_of(number: &str) -> Result<String> {
    let plain = number.replace('_', "").to_ascii_lowercase();
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = plain.strip_prefix(prefix) {
            let value = u128::from_str_radix(digits, base);
            let value =
                value.map_err(|_| Error::new(Code::InvalidValue, format!("{number} has more than 128 bits")))?;
            return Ok(value.to_string());
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use crate::parse::text::Text;

    fn read(source: &str) -> String {
        let text = Text::new(&format!("SELECT {source}")).unwrap();
        text.parse().unwrap().to_string().replace("SELECT ", "")
    }

    #[test]
    fn underscores_and_bases_belong_to_numbers() {
        assert_eq!(read("1_000, 1_0.2_5, 1_0e1_0 + 5, 1_000.5E-1_0"), "1000, 10.25, 10e10 + 5, 1000.5e-10");
        assert_eq!(read("0x1F, 0X_ff_ff, 0o17, 0b1_01"), "31, 65535, 15, 5");
        assert_eq!(read("X'1F', x'ab'"), "X'1F', X'ab'");
        assert_eq!(read("1 _000, t.a1_0, 1.5 x, 2*a, a/2"), "1 AS _000, t.a1_0, 1.5 AS x, 2 * a, a / 2");
    }

    #[test]
    fn numbers_that_go_on_are_refused() {
        for source in ["1a", "12_", "1__0", "0x", "0xG", "0b12", "0o8", "1_000_", "1e5x", "1.5abc"] {
            let outcome = Text::new(&format!("SELECT {source}"));
            assert_eq!(outcome.err().and_then(|error| error.text_span()), Some((7, 7 + source.len())), "{source}");
        }
    }

    #[test]
    fn heads_and_places_are_those_of_the_text() {
        let text = Text::new("SELECT 1_000, 0x1F AS n FROM t").unwrap();
        assert_eq!(text.column_heads(), Some(vec![Some("1_000".to_owned()), Some("n".to_owned())]));
    }
}
