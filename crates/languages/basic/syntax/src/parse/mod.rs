//! Parser: statements to a tree, with every error of a program.
//!
//! Recursive descent over the tokens of one statement. A statement that cannot be parsed becomes [`Kind::Invalid`]
//! with a diagnostic, and the next statement is parsed: a program with an unsupported directive loads, and the line
//! raises its error only when it is reached, as the dialect does.

mod control;
mod expression;
mod files;
mod flow;
mod function_forms;
mod io;
mod session;
mod statement;

use crate::source::{self, RawLine};
use crate::token::{Spanned, Token, tokens};
use crate::tree::{Diagnostic, Directive, Kind, Line, Place, Program};

/// How deep expressions and IFs may be nested.
const DEPTH: usize = 60;
/// How many operators a statement may have.
const OPERATORS: usize = 1000;
/// How many bytes a statement may have; the dialect's limit is half of it.
const BYTES: usize = 64 << 10;

/// An error inside a statement.
pub(crate) struct Failure {
    code: u16,
    place: Place,
    message: String,
    hint: String,
}

pub(crate) type Parsed<T> = Result<T, Failure>;

/// Parses a program of either source style.
pub fn parse(source: &[u8]) -> Program {
    let mut program = Program::default();
    if source::is_tokenised(source) {
        program.diagnostics.push(Diagnostic {
            code: 18,
            place: Place { line: 1, column: 1 },
            number: 0,
            message: "not a text program; compiled program files cannot be read".to_owned(),
            hint: "list it to a text file on the system that it comes from: LOAD \"NAME\", then LIST to a serial file"
                .to_owned(),
        });
        return program;
    }
    let raw = source::lines(source, &mut program.diagnostics);
    program.numbered = raw.iter().any(|line| line.number.is_some());
    let mut next = 10;
    for line in raw {
        let number = line.number.unwrap_or(next);
        next = (number + 10).min(source::LAST_LINE);
        let parsed = parse_line(&line, number, &mut program.diagnostics);
        insert(&mut program.lines, parsed);
    }
    check_labels(&mut program);
    program
}

/// Parses one statement, as EXECUTE and the console do. The number is 0 if the text has none.
pub fn parse_statement(text: &[u8]) -> Program {
    let mut program = Program::default();
    for line in source::lines(text, &mut program.diagnostics) {
        let number = line.number.unwrap_or(0);
        program.numbered |= line.number.is_some();
        let parsed = parse_line(&line, number, &mut program.diagnostics);
        program.lines.push(parsed);
    }
    program
}

/// A line that comes twice replaces the first one; lines may come in any order.
fn insert(lines: &mut Vec<Line>, line: Line) {
    match lines.binary_search_by_key(&line.number, |line| line.number) {
        Ok(at) if lines[at].number == source::LAST_LINE => lines.insert(at + 1, line),
        Ok(at) => lines[at] = line,
        Err(at) => lines.insert(at, line),
    }
}

fn check_labels(program: &mut Program) {
    let mut labels = std::collections::HashMap::new();
    for line in &program.lines {
        let Some(label) = &line.label else { continue };
        if let Some(first) = labels.insert(label.clone(), line.number) {
            program.diagnostics.push(Diagnostic {
                code: 56,
                place: line.place,
                number: line.number,
                message: format!("label {label} is defined twice"),
                hint: format!("the first one is at line {first:04}"),
            });
        }
    }
}

fn parse_line(raw: &RawLine, number: u32, diagnostics: &mut Vec<Diagnostic>) -> Line {
    let first = diagnostics.len();
    let bytes = u32::try_from(raw.text.text.len()).unwrap_or(u32::MAX);
    if raw.text.text.len() > BYTES {
        let (message, hint) = ("statement too complex".to_owned(), format!("a statement has at most {BYTES} bytes"));
        diagnostics.push(Diagnostic { code: 30, place: raw.place, number, message, hint });
        let directives = vec![invalid(raw, 0, 30)];
        return Line { number, place: raw.place, label: None, bytes, directives };
    }
    let spanned = tokens(&raw.text, diagnostics);
    let lexed = diagnostics.len() > first;
    let mut parser = Parser { tokens: spanned, at: 0, depth: 0, operators: 0, source: raw.text.text.clone() };
    let label = parser.label();
    let body = parser.offset(parser.at);
    let mut directives = match parser.directives(false) {
        Ok(directives) => directives,
        Err(failure) => {
            // The lexer's message is the more exact one.
            if !lexed {
                let Failure { code, place, message, hint } = failure;
                diagnostics.push(Diagnostic { code, place, number, message, hint });
                parser.list_unsupported(diagnostics);
            }
            let code = diagnostics.get(first).map_or(20, |diagnostic| diagnostic.code);
            vec![invalid(raw, body, code)]
        }
    };
    if lexed {
        directives = vec![invalid(raw, body, 20)];
    }
    for diagnostic in &mut diagnostics[first..] {
        diagnostic.number = number;
    }
    Line { number, place: raw.place, label, bytes, directives }
}

fn invalid(raw: &RawLine, body: usize, code: u16) -> Directive {
    let text = raw.text.text.get(body..).unwrap_or(&[]).trim_ascii().to_vec();
    Directive { place: raw.place, kind: Kind::Invalid(code, text) }
}

pub(crate) struct Parser {
    tokens: Vec<Spanned>,
    at: usize,
    depth: usize,
    /// Operators of two operands so far: what they make is walked by recursion.
    operators: usize,
    source: Vec<u8>,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &Token {
        self.tokens.get(self.at + count).or(self.tokens.last()).map_or(&Token::End, |spanned| &spanned.token)
    }

    fn place(&self) -> Place {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Place::default(), |spanned| spanned.place)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
        token
    }

    /// The byte where a token begins.
    fn offset(&self, token: usize) -> usize {
        self.tokens.get(token).or(self.tokens.last()).map_or(0, |spanned| spanned.offset)
    }

    /// The source from a token to here.
    fn text_since(&self, token: usize) -> Vec<u8> {
        self.source.get(self.offset(token)..self.offset(self.at)).unwrap_or(&[]).trim_ascii().to_vec()
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn is_ahead(&self, count: usize, symbol: &str) -> bool {
        matches!(self.ahead(count), Token::Symbol(found) if *found == symbol)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str, of: &str) -> Parsed<()> {
        match self.accept(symbol) {
            true => Ok(()),
            false => self.fail(format!("expected \"{symbol}\" {of}, found {}", self.found()), ""),
        }
    }

    /// A word without suffix.
    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found, None, false) if found == word)
    }

    fn is_word_ahead(&self, count: usize, word: &str) -> bool {
        matches!(self.ahead(count), Token::Word(found, None, false) if found == word)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn expect_word(&mut self, word: &str, of: &str) -> Parsed<()> {
        match self.accept_word(word) {
            true => Ok(()),
            false => self.fail(format!("expected {word} {of}, found {}", self.found()), ""),
        }
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::Number(text) => text.clone(),
            Token::Text(text) => format!("\"{}\"", mainstay_code_page::decode(text)),
            Token::Hex(_) => "a hex string".to_owned(),
            Token::Word(word, suffix, global) => {
                format!("{}{word}{}", if *global { "%" } else { "" }, suffix.map(String::from).unwrap_or_default())
            }
            Token::Mnemonic(name) => format!("'{name}'"),
            Token::Symbol(symbol) => format!("\"{symbol}\""),
            Token::Remark(_) => "a remark".to_owned(),
            Token::End => "the end of the statement".to_owned(),
        }
    }

    fn fail<T>(&self, message: impl Into<String>, hint: impl Into<String>) -> Parsed<T> {
        self.fail_at(20, self.place(), message, hint)
    }

    fn fail_at<T>(&self, code: u16, place: Place, message: impl Into<String>, hint: impl Into<String>) -> Parsed<T> {
        Err(Failure { code, place, message: message.into(), hint: hint.into() })
    }

    /// Lists the items that are not supported in the directives behind one with an error. Other errors there are left out: they
    /// may follow from the first one.
    fn list_unsupported(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let is_end = |spanned: &Spanned| matches!(spanned.token, Token::Symbol(";"));
        let mut at = self.at;
        while let Some(end) = self.tokens.get(at..).and_then(|tokens| tokens.iter().position(is_end)) {
            at += end + 1;
            (self.at, self.operators) = (at, 0);
            if let Err(Failure { code: 99, place, message, hint }) = self.directives(false) {
                diagnostics.push(Diagnostic { code: 99, place, number: 0, message, hint });
            }
            at = at.max(self.at);
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return self.fail_at(30, self.place(), "statement too complex", "split it");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `NAME:` at the beginning of the statement.
    fn label(&mut self) -> Option<String> {
        match (self.peek(), self.ahead(1)) {
            (Token::Word(word, None, false), Token::Symbol(":")) => {
                let label = word.clone();
                self.next();
                self.next();
                Some(label)
            }
            _ => None,
        }
    }

    /// Behind the last token of a directive.
    fn at_end(&self) -> bool {
        match self.peek() {
            Token::End | Token::Remark(_) | Token::Symbol(";" | "}") => true,
            Token::Word(word, None, false) => matches!(word.as_str(), "ELSE" | "END_IF" | "FI"),
            _ => false,
        }
    }
}
