//! The parser's position in its tokens: lookahead, names, lists, and the errors about unexpected tokens.

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::{DataType, Name, ObjectName, Span, TypeArgument};
use mainstay_ads_types::native;
use mainstay_syntax::{Token, TokenKind, unquoted};

impl<'t> Parser<'t> {
    /// The token some places ahead; the end after the last.
    pub(super) fn token(&self, ahead: usize) -> Token {
        let end = Token { kind: TokenKind::End, span: Span::default() };
        self.tokens.get(self.at + ahead).or(self.tokens.last()).copied().unwrap_or(end)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token(0).kind
    }

    pub(super) fn span(&self) -> Span {
        self.token(0).span
    }

    pub(super) fn token_text(&self, ahead: usize) -> &'t str {
        let span = self.token(ahead).span;
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    /// Returns true if the token some places ahead is this word (in any case) or symbol.
    pub(super) fn is(&self, ahead: usize, word: &str) -> bool {
        let token = self.token(ahead);
        matches!(token.kind, TokenKind::Word | TokenKind::Reserved | TokenKind::Symbol | TokenKind::Unknown)
            && self.token_text(ahead).eq_ignore_ascii_case(word)
    }

    /// Returns true if these words or symbols, separated by blanks, are next.
    pub(super) fn sees(&self, words: &str) -> bool {
        words.split(' ').enumerate().all(|(ahead, word)| self.is(ahead, word))
    }

    /// Takes these words if they come next.
    pub(super) fn accept(&mut self, words: &str) -> bool {
        let found = self.sees(words);
        if found {
            for _ in words.split(' ') {
                self.advance();
            }
        }
        found
    }

    /// Takes the first of these that comes next.
    pub(super) fn accept_any<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|word| self.accept(word))
    }

    pub(super) fn expect(&mut self, words: &str) -> Parse<()> {
        match self.accept(words) {
            true => Ok(()),
            false => Err(SqlError::at(
                native::EXPECTED,
                self.span(),
                format!("Expected lexical element not found: {words}{}", self.instead()),
            )),
        }
    }

    /// The text at the current place, for an error.
    fn instead(&self) -> String {
        match self.kind() {
            TokenKind::End => String::new(),
            _ => format!(" There was a problem parsing at the token: {}", self.token_text(0)),
        }
    }

    /// The error of a token that does not belong here.
    pub(super) fn unexpected(&self) -> Box<SqlError> {
        match self.kind() {
            TokenKind::End => SqlError::at(native::SCRIPT_END, self.span(), "Unexpected end of the SQL script"),
            _ => SqlError::at(native::UNEXPECTED, self.span(), format!("Unexpected token: {}", self.token_text(0))),
        }
    }

    /// Returns true if the token is a name where one is allowed: a word that is not reserved, or anything in quotes.
    pub(super) fn is_name(&self, ahead: usize) -> bool {
        matches!(self.token(ahead).kind, TokenKind::Word | TokenKind::Quoted | TokenKind::DoubleQuoted)
    }

    fn take_name(&mut self) -> Name {
        let span = self.span();
        let quoted = matches!(self.kind(), TokenKind::Quoted | TokenKind::DoubleQuoted);
        let text = if quoted { unquoted(self.token_text(0)) } else { self.token_text(0).to_owned() };
        self.advance();
        Name { text, quoted, span }
    }

    pub(super) fn name(&mut self) -> Parse<Name> {
        match self.is_name(0) {
            true => Ok(self.take_name()),
            false if self.kind() == TokenKind::End => Err(self.unexpected()),
            false => Err(SqlError::at(
                native::EXPECTED,
                self.span(),
                format!("Expected lexical element not found: <identifier>{}", self.instead()),
            )),
        }
    }

    /// A name, or any word: behind a point nothing is reserved.
    pub(super) fn any_name(&mut self) -> Parse<Name> {
        match self.kind() {
            TokenKind::Word | TokenKind::Reserved | TokenKind::Quoted | TokenKind::DoubleQuoted => Ok(self.take_name()),
            _ => self.name(),
        }
    }

    /// The name of a variable, with or without `@`.
    pub(super) fn variable_name(&mut self) -> Parse<Name> {
        match self.kind() {
            TokenKind::Variable => Ok(self.take_name()),
            _ => self.name(),
        }
    }

    /// A name of up to four parts.
    pub(super) fn object_name(&mut self) -> Parse<ObjectName> {
        let first = self.at;
        let mut parts = vec![self.name()?];
        while parts.len() < 4 && self.accept(".") {
            parts.push(self.any_name()?);
        }
        Ok(ObjectName { parts, span: self.span_from(first) })
    }

    /// The name of a table. Of a file's name with its extension the manual asks that it be delimited (`[orders.dbf]`);
    /// programs write `orders.dbf` too, which can mean nothing else: no database is named like a file whose table is `dbf`.
    pub(super) fn table_name(&mut self) -> Parse<ObjectName> {
        let mut name = self.object_name()?;
        if let [.., file, extension] = name.parts.as_mut_slice()
            && !extension.quoted
            && extension.text.eq_ignore_ascii_case("dbf")
        {
            file.text = format!("{}.{}", file.text, extension.text);
            file.quoted = true;
            file.span = Span { start: file.span.start, end: extension.span.end };
            name.parts.pop();
        }
        Ok(name)
    }

    /// Things with commas between them.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.accept(",") {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// The text of a string.
    pub(super) fn string(&mut self) -> Parse<String> {
        match self.kind() {
            TokenKind::String | TokenKind::NationalString => {
                let text = unquoted(self.token_text(0));
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn number(&mut self) -> Parse<String> {
        match self.kind() {
            TokenKind::Integer => {
                let digits = self.token_text(0).to_owned();
                self.advance();
                Ok(digits)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A type: its name, and numbers in parentheses.
    pub(super) fn data_type(&mut self) -> Parse<DataType> {
        let first = self.at;
        let name = self.any_name()?;
        let mut arguments = Vec::new();
        if self.accept("(") {
            arguments = self.list(|it| it.number().map(TypeArgument::Number))?;
            self.expect(")")?;
        }
        let span = self.span_from(first);
        Ok(DataType { name: ObjectName { parts: vec![name], span }, arguments, span })
    }
}
