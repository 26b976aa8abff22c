//! Lexer: the tokens of one statement, each with its place.
//!
//! Words are case-blind and become upper case. `'` is ambiguous: between words it begins a mnemonic, behind a name it
//! is the separator of an object's property, which has no space before it.

use crate::tree::{Diagnostic, Place};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A number as written, without a sign.
    Number(String),
    /// A quoted string.
    Text(Vec<u8>),
    /// A hex string.
    Hex(Vec<u8>),
    /// A word: upper case, its suffix (`$`, `%` or none), and whether `%` stands before it.
    Word(String, Option<char>, bool),
    /// A mnemonic or the name of a parameter: what stands between apostrophes, as written.
    Mnemonic(String),
    /// An operator or punctuation.
    Symbol(&'static str),
    /// Behind `!`.
    Remark(Vec<u8>),
    /// The end of the statement.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Spanned {
    /// The token.
    pub token: Token,
    /// Where it begins.
    pub place: Place,
    /// The byte where it begins in the statement's text.
    pub offset: usize,
}

/// The text of a statement whose physical lines are joined.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The text.
    pub text: Vec<u8>,
    /// Where physical lines begin: the offset in `text`, and the place there.
    pub starts: Vec<(usize, Place)>,
}

impl Joined {
    /// The place of a byte.
    pub fn place(&self, offset: usize) -> Place {
        let index = self.starts.partition_point(|(start, _)| *start <= offset);
        match index.checked_sub(1).and_then(|index| self.starts.get(index)) {
            Some((start, place)) => Place { line: place.line, column: place.column + (offset - start) as u32 },
            None => Place::default(),
        }
    }
}

const SYMBOLS: [&str; 40] = [
    "::", "<>", "><", "<=", "=<", ">=", "=>", "**", "++", "--", "+=", "-=", "*=", "/=", "^=", "|=", "+", "-", "*", "/",
    "|", "^", "=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ";", ":", "@", "?", "#", "'", ".", "&",
];

/// Splits a statement into tokens. Errors are reported, and the rest is read on.
pub fn tokens(joined: &Joined, diagnostics: &mut Vec<Diagnostic>) -> Vec<Spanned> {
    let mut lexer = Lexer { joined, at: 0, out: Vec::new(), diagnostics };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    joined: &'a Joined,
    at: usize,
    out: Vec<Spanned>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.joined.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error(&mut self, offset: usize, message: &str, hint: &str) {
        self.diagnostics.push(Diagnostic {
            code: 20,
            place: self.joined.place(offset),
            number: 0,
            message: message.to_owned(),
            hint: hint.to_owned(),
        });
    }

    fn run(&mut self) {
        loop {
            let before = self.at;
            self.skip_blanks();
            let spaced = self.at > before;
            let start = self.at;
            let token = if start >= self.joined.text.len() { Some(Token::End) } else { self.token(spaced) };
            let Some(token) = token else { continue };
            let done = matches!(token, Token::End);
            // `rem...` is a remark, `REM.A` a variable.
            let is_rem = matches!(&token, Token::Word(word, None, false) if word.trim_end_matches('.') == "REM");
            let is_rem = is_rem && self.begins_remark();
            let token = if is_rem { Token::Word("REM".to_owned(), None, false) } else { token };
            self.out.push(Spanned { token, place: self.joined.place(start), offset: start });
            if is_rem {
                self.remark();
            }
            if done {
                return;
            }
        }
    }

    /// Blanks, and the no-break spaces of programs that were copied from a web page.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                _ if self.at >= self.joined.text.len() => return,
                0xA0 => self.at += 1,
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    /// REM is a reserved word: behind a value or a word, too, it begins a remark, without a semicolon (manual, `directives/via.md`).
    fn begins_remark(&self) -> bool {
        match self.out.last().map(|last| &last.token) {
            Some(Token::Symbol(symbol)) => matches!(*symbol, ";" | ":" | "{" | "}" | ")" | "]"),
            _ => true,
        }
    }

    /// The rest of the statement behind REM.
    fn remark(&mut self) {
        let (start, text) = (self.at, self.joined.text[self.at..].trim_ascii().to_vec());
        self.at = self.joined.text.len();
        let place = self.joined.place(start);
        self.out.push(Spanned { token: Token::Remark(text), place, offset: start });
    }

    fn token(&mut self, spaced: bool) -> Option<Token> {
        let start = self.at;
        match self.peek(0) {
            b'"' => Some(Token::Text(self.quoted())),
            b'$' => self.hex(),
            b'!' => {
                self.at = self.joined.text.len();
                Some(Token::Remark(self.joined.text[start + 1..].to_vec()))
            }
            b'\'' if !self.is_property(spaced) => self.mnemonic(),
            b'0'..=b'9' => Some(self.number()),
            b'.' if self.peek(1).is_ascii_digit() => Some(self.number()),
            b'%' if is_word_start(self.peek(1)) => {
                self.at += 1;
                Some(self.word(true))
            }
            byte if is_word_start(byte) => Some(self.word(false)),
            _ => self.symbol(),
        }
    }

    /// An apostrophe directly behind a name or a closing parenthesis and before a letter is a property's, and so is one before an
    /// asterisk that begins no mnemonic.
    fn is_property(&self, spaced: bool) -> bool {
        let is_star = self.peek(1) == b'*' && !is_word_start(self.peek(2)) && self.peek(2) != b'\'';
        if spaced || !is_word_start(self.peek(1)) && !is_star {
            return false;
        }
        match self.out.last().map(|last| &last.token) {
            Some(Token::Word(word, None, _)) => {
                !matches!(word.as_str(), "PRINT" | "INPUT" | "OBTAIN" | "THEN" | "ELSE" | "EDIT" | "SET_PARAM")
            }
            Some(Token::Symbol(")" | "]")) => !self.is_closed_mnemonic(),
            _ => false,
        }
    }

    /// `PRINT (1)'FF'`: a word between apostrophes behind the options of an I/O directive. Behind the second apostrophe of a chain of
    /// properties (`a(1)'b'c`) a name goes on.
    fn is_closed_mnemonic(&self) -> bool {
        let rest = &self.joined.text[self.at + 1..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        rest.get(length) == Some(&b'\'') && !rest.get(length + 1).is_some_and(|byte| is_word_start(*byte))
    }

    fn quoted(&mut self) -> Vec<u8> {
        let start = self.at;
        self.at += 1;
        let mut text = Vec::new();
        loop {
            if self.at >= self.joined.text.len() {
                self.error(
                    start,
                    "string without closing quote",
                    "add \" at its end; a quote in a string is written twice",
                );
                return text;
            }
            match (self.peek(0), self.peek(1)) {
                (b'"', b'"') => {
                    text.push(b'"');
                    self.at += 2;
                }
                (b'"', _) => {
                    self.at += 1;
                    return text;
                }
                (byte, _) => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn hex(&mut self) -> Option<Token> {
        let start = self.at;
        let rest = &self.joined.text[start + 1..];
        let Some(end) = rest.iter().position(|byte| *byte == b'$') else {
            self.error(start, "hex string without closing $", "write pairs of hex digits between two $, as in $0D0A$");
            self.at = self.joined.text.len();
            return None;
        };
        let digits: Vec<u8> = rest[..end].iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        self.at = start + end + 2;
        let value = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
        let pairs: Option<Vec<u8>> = match digits.len() % 2 {
            0 => digits.chunks(2).map(|pair| Some(value(pair[0])? * 16 + value(pair[1])?)).collect(),
            _ => None,
        };
        if pairs.is_none() {
            self.error(start, "a hex string needs pairs of hex digits", "write $0A$, not $A$");
        }
        Some(Token::Hex(pairs.unwrap_or_default()))
    }

    fn mnemonic(&mut self) -> Option<Token> {
        let start = self.at;
        let rest = &self.joined.text[start + 1..];
        match rest.iter().position(|byte| *byte == b'\'') {
            Some(end) => {
                self.at = start + end + 2;
                Some(Token::Mnemonic(mainstay_code_page::decode(&rest[..end]).into_owned()))
            }
            None => {
                self.error(start, "mnemonic without closing apostrophe", "write it between apostrophes, as in 'CS'");
                self.at = self.joined.text.len();
                None
            }
        }
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
        if self.peek(0) == b'.' {
            self.at += 1;
            while self.peek(0).is_ascii_digit() {
                self.at += 1;
            }
        }
        if self.peek(0).eq_ignore_ascii_case(&b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                while self.peek(0).is_ascii_digit() {
                    self.at += 1;
                }
            }
        }
        Token::Number(mainstay_code_page::decode(&self.joined.text[start..self.at]).into_owned())
    }

    fn word(&mut self, global: bool) -> Token {
        let start = self.at;
        while is_word_start(self.peek(0)) || self.peek(0).is_ascii_digit() || self.peek(0) == b'.' {
            self.at += 1;
        }
        let text = mainstay_code_page::decode(&self.joined.text[start..self.at]).to_ascii_uppercase();
        let suffix = match self.peek(0) {
            b'$' => Some('$'),
            b'%' if !global => Some('%'),
            _ => None,
        };
        self.at += usize::from(suffix.is_some());
        Token::Word(text, suffix, global)
    }

    fn symbol(&mut self) -> Option<Token> {
        let start = self.at;
        let rest = &self.joined.text[start..];
        for symbol in SYMBOLS {
            if rest.starts_with(symbol.as_bytes()) {
                self.at += symbol.len();
                return Some(Token::Symbol(match symbol {
                    "><" => "<>",
                    "=<" => "<=",
                    "=>" => ">=",
                    other => other,
                }));
            }
        }
        self.at += 1;
        self.error(start, &format!("unexpected character \"{}\"", rest[0].escape_ascii()), "");
        None
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}
