//! Splits a text into tokens.
//!
//! ```text
//!   SELECT [Order Id], N'Malm''s', @n   Reserved, Quoted, Symbol, NationalString, Symbol, Variable
//!   0xCAFE  12  1.5  1e3  $9.99         Binary, Integer, Decimal, Float, Money
//!   @@ROWCOUNT  #orders  "x"            Variable, Word, DoubleQuoted
//! ```
//!
//! A token is a kind and a span; its value is read from the text on demand. The parser decides if `"x"` is a name or a
//! string, since SET QUOTED_IDENTIFIER is in the text itself. Comments nest. The list always ends with `End`. The lexer
//! does not fail: an unclosed token is reported and ends with the text.

use crate::span::Span;

/// The longest name, in characters.
pub const NAME_LENGTH: usize = 128;

/// The kind of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word that may be a name.
    Word,
    /// A reserved word.
    Reserved,
    /// `[x]`.
    Quoted,
    /// `"x"`: a name or a string.
    DoubleQuoted,
    /// `@x` and `@@x`.
    Variable,
    /// `'x'`.
    String,
    /// `N'x'`.
    NationalString,
    /// `12`.
    Integer,
    /// `1.5`.
    Decimal,
    /// `1e5`.
    Float,
    /// `$1.5`.
    Money,
    /// `0xCAFE`.
    Binary,
    /// An operator or a punctuation mark.
    Symbol,
    /// A character that is no token's.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its place.
    pub span: Span,
}

/// A fault of a text that no token can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexicalError {
    /// The fault.
    pub problem: LexicalProblem,
    /// The token or comment that has it.
    pub span: Span,
}

/// The kind of a lexical error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexicalProblem {
    /// A comment `/*` does not end.
    UnclosedComment,
    /// A string or a quoted name does not end.
    UnclosedQuote,
    /// A name has more than [`NAME_LENGTH`] characters.
    LongName,
}

/// The tokens of a text, the last of which is `End`, and its errors. The words for which `is_reserved` returns true are
/// [`TokenKind::Reserved`].
pub fn tokens(text: &str, is_reserved: fn(&str) -> bool) -> (Vec<Token>, Vec<LexicalError>) {
    let mut lexer = Lexer { text, at: 0, is_reserved, errors: Vec::new() };
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.token();
        tokens.push(Token { kind, span: lexer.span(start) });
        if kind == TokenKind::End {
            return (tokens, lexer.errors);
        }
    }
}

/// The text of a quoted token (`'..'`, `N'..'`, `[..]`, `".."`) without its quotes; doubled ones become one.
pub fn unquoted(token: &str) -> String {
    let body = token.strip_prefix(['N', 'n']).unwrap_or(token);
    let close = match body.chars().next() {
        Some('[') => ']',
        Some(quote) => quote,
        None => return String::new(),
    };
    let body = &body[1..];
    let body = body.strip_suffix(close).unwrap_or(body);
    let doubled: String = [close, close].iter().collect();
    body.replace(&doubled, close.encode_utf8(&mut [0; 4]))
}

/// Returns true if a name may start with this character.
pub fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '#'
}

/// Returns true if a name may go on with this character.
pub fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_numeric() || c == '@' || c == '$' || is_mark(c)
}

/// Combining marks, which belong to the letter before.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{200C}' | '\u{200D}')
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '\u{A2}'..='\u{A5}' | '\u{20A0}'..='\u{20CF}')
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    is_reserved: fn(&str) -> bool,
    errors: Vec<LexicalError>,
}

impl Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn character(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    }

    /// Blanks, control characters and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.byte(0) {
                b'-' if self.byte(1) == b'-' => self.take_while(|c| c != '\n'),
                b'/' if self.byte(1) == b'*' => self.block_comment(),
                0..=b' ' | 0x7F if self.at < self.text.len() => self.at += 1,
                128.. => match self.character() {
                    Some(c) if c.is_whitespace() || matches!(c, '\u{FEFF}' | '\u{200B}') => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', b'/') => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return;
            }
        }
        self.at = self.text.len();
        self.report(LexicalProblem::UnclosedComment, self.span(start));
    }

    fn token(&mut self) -> TokenKind {
        let Some(first) = self.character() else { return TokenKind::End };
        match first {
            '\'' => self.quoted('\'', TokenKind::String),
            '"' => self.quoted('"', TokenKind::DoubleQuoted),
            '[' => self.quoted(']', TokenKind::Quoted),
            'N' | 'n' if self.byte(1) == b'\'' => {
                self.at += 1;
                self.quoted('\'', TokenKind::NationalString)
            }
            '0' if matches!(self.byte(1), b'x' | b'X') => {
                self.at += 2;
                self.take_while(|c| c.is_ascii_hexdigit());
                TokenKind::Binary
            }
            '0'..='9' => self.number(),
            '.' if self.byte(1).is_ascii_digit() => self.number(),
            '@' => self.name(TokenKind::Variable),
            '$' if self.byte(1).is_ascii_alphabetic() => self.name(TokenKind::Word),
            c if is_currency(c) => {
                self.at += c.len_utf8();
                self.money()
            }
            c if starts_name(c) => self.name(TokenKind::Word),
            c => self.symbol(c),
        }
    }

    fn name(&mut self, kind: TokenKind) -> TokenKind {
        let start = self.at;
        self.at += self.character().map_or(0, char::len_utf8);
        self.take_while(continues_name);
        let span = self.span(start);
        self.check_length(span.of(self.text), span);
        match kind {
            TokenKind::Word if (self.is_reserved)(span.of(self.text)) => TokenKind::Reserved,
            _ => kind,
        }
    }

    fn report(&mut self, problem: LexicalProblem, span: Span) {
        self.errors.push(LexicalError { problem, span });
    }

    fn check_length(&mut self, name: &str, span: Span) {
        // Most names have fewer bytes than a name may have characters.
        if name.len() > NAME_LENGTH && name.encode_utf16().count() > NAME_LENGTH {
            self.report(LexicalProblem::LongName, span);
        }
    }

    /// From the opening quote to the closing one, which is doubled where it is meant.
    fn quoted(&mut self, close: char, kind: TokenKind) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            let Some(found) = self.text[self.at..].find(close) else {
                self.at = self.text.len();
                self.report(LexicalProblem::UnclosedQuote, self.span(start));
                return kind;
            };
            self.at += found + 1;
            if self.text.as_bytes().get(self.at) != Some(&(close as u8)) {
                break;
            }
            self.at += 1;
        }
        let span = self.span(start);
        if kind == TokenKind::Quoted {
            self.check_length(&unquoted(span.of(self.text)), span);
        }
        kind
    }

    fn number(&mut self) -> TokenKind {
        self.take_while(|c| c.is_ascii_digit());
        let mut kind = TokenKind::Integer;
        if self.byte(0) == b'.' {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
            kind = TokenKind::Decimal;
        }
        if matches!(self.byte(0), b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte(0), b'+' | b'-') {
                self.at += 1;
            }
            self.take_while(|c| c.is_ascii_digit());
            kind = TokenKind::Float;
        }
        kind
    }

    /// The amount behind a currency sign: `1,234.5`; commas only between digits.
    fn money(&mut self) -> TokenKind {
        while self.byte(0).is_ascii_digit() || self.byte(0) == b',' && self.byte(1).is_ascii_digit() {
            self.at += 1;
        }
        if self.byte(0) == b'.' && self.byte(1) != b'.' {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        TokenKind::Money
    }

    fn symbol(&mut self, first: char) -> TokenKind {
        let rest = &self.text.as_bytes()[self.at..];
        let long: [&[u8]; 19] = [
            b"||=", b"<>", b"<=", b">=", b"!=", b"!<", b"!>", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=",
            b"::", b"||", b"<<", b">>",
        ];
        if let Some(long) = long.iter().find(|long| rest.starts_with(long)) {
            self.at += long.len();
            return TokenKind::Symbol;
        }
        self.at += first.len_utf8();
        match first {
            '(' | ')' | ',' | ';' | '.' | ':' | '=' | '<' | '>' | '!' | '+' | '-' | '*' | '/' | '%' | '&' | '|'
            | '^' | '~' | '{' | '}' => TokenKind::Symbol,
            _ => TokenKind::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let (found, errors) = tokens(text, |word| word == "SELECT");
        assert_eq!(errors, [], "{text}");
        found.iter().map(|token| (token.kind, token.span.of(text))).filter(|found| found.0 != TokenKind::End).collect()
    }

    #[test]
    fn each_kind_ends_where_it_should() {
        use TokenKind::*;
        let cases: &[(&str, &[(TokenKind, &str)])] = &[
            ("SELECT a", &[(Reserved, "SELECT"), (Word, "a")]),
            ("#t ##u a@b$c# $action", &[(Word, "#t"), (Word, "##u"), (Word, "a@b$c#"), (Word, "$action")]),
            ("@a @@b @", &[(Variable, "@a"), (Variable, "@@b"), (Variable, "@")]),
            ("[a]]b][c]", &[(Quoted, "[a]]b]"), (Quoted, "[c]")]),
            ("\"a\"\"b\"", &[(DoubleQuoted, "\"a\"\"b\"")]),
            ("'a''b'N'c'", &[(String, "'a''b'"), (NationalString, "N'c'")]),
            ("1 1. .5 1.5", &[(Integer, "1"), (Decimal, "1."), (Decimal, ".5"), (Decimal, "1.5")]),
            ("1e 1e5 1.5E-3", &[(Float, "1e"), (Float, "1e5"), (Float, "1.5E-3")]),
            ("0x 0xFgh", &[(Binary, "0x"), (Binary, "0xF"), (Word, "gh")]),
            ("$ $1,234.5 €3", &[(Money, "$"), (Money, "$1,234.5"), (Money, "€3")]),
            ("$1,a", &[(Money, "$1"), (Symbol, ","), (Word, "a")]),
            ("a<>b!=c", &[(Word, "a"), (Symbol, "<>"), (Word, "b"), (Symbol, "!="), (Word, "c")]),
            ("||= || |= ::", &[(Symbol, "||="), (Symbol, "||"), (Symbol, "|="), (Symbol, "::")]),
            ("a--b\nc/*d/*e*/f*/g", &[(Word, "a"), (Word, "c"), (Word, "g")]),
            ("1a", &[(Integer, "1"), (Word, "a")]),
            ("größe\u{A0}数量", &[(Word, "größe"), (Word, "数量")]),
            ("? \\", &[(Unknown, "?"), (Unknown, "\\")]),
        ];
        for (text, expected) in cases {
            assert_eq!(&kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn quotes_are_taken_off() {
        let cases =
            [("'it''s'", "it's"), ("N'x'", "x"), ("[a]]b]", "a]b"), ("\"a\"\"b\"", "a\"b"), ("''", ""), ("'", "")];
        for (token, text) in cases {
            assert_eq!(unquoted(token), text);
        }
    }
}
