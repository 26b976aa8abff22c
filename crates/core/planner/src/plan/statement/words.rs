//! Statements that are read word by word, because the parser does not support them.

use super::Name;
use crate::parse::text::Text;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use mainstay_types::{Code, Error, Result};

/// The words of a statement, one after the other.
pub(super) struct Words<'t> {
    text: &'t Text,
    tokens: Vec<&'t TokenWithSpan>,
    pub(super) at: usize,
}

impl<'t> Words<'t> {
    pub(super) fn of(text: &'t Text) -> Words<'t> {
        Words { text, tokens: text.significant(), at: 0 }
    }

    /// The token at this place.
    pub(super) fn token(&self) -> Option<&'t Token> {
        self.tokens.get(self.at).map(|token| &token.token)
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        let token = self.tokens.get(at).map(|token| &token.token);
        matches!(token, Some(Token::Word(it)) if it.quote_style.is_none() && it.value.eq_ignore_ascii_case(word))
    }

    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is_here = self.is(self.at, word);
        self.at += usize::from(is_here);
        is_here
    }

    pub(super) fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.takes(word))
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<()> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected(&word.to_uppercase())) }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Error {
        match self.tokens.get(self.at) {
            Some(token) => {
                let (start, end) = self.text.span_at(token.span.start.line, token.span.start.column);
                Error::new(Code::Syntax, format!("{wanted} should be here, not {}", token.token)).span(start, end)
            }
            None => Error::new(Code::Syntax, format!("the statement ends where {wanted} should be")),
        }
    }

    pub(super) fn name(&mut self) -> Result<Name> {
        let word = |at: usize| match self.tokens.get(at).map(|token| &token.token) {
            Some(Token::Word(word)) => Some(word.value.clone()),
            _ => None,
        };
        let Some(first) = word(self.at) else { return Err(self.unexpected("a name")) };
        let is_qualified = self.tokens.get(self.at + 1).is_some_and(|token| token.token == Token::Period);
        match (is_qualified, word(self.at + 2)) {
            (false, _) => {
                self.at += 1;
                Ok(Name::new(&first))
            }
            (true, Some(second)) => {
                self.at += 3;
                Ok(Name { schema: Some(first.to_lowercase()), ..Name::new(&second) })
            }
            (true, None) => {
                self.at += 2;
                Err(self.unexpected("a name"))
            }
        }
    }

    /// A part of a name.
    pub(super) fn part(&mut self) -> Result<String> {
        let Some(Token::Word(word)) = self.token() else { return Err(self.unexpected("a name")) };
        self.skip();
        Ok(word.value.clone())
    }

    pub(super) fn takes_period(&mut self) -> bool {
        let is_here = self.token() == Some(&Token::Period);
        self.at += usize::from(is_here);
        is_here
    }

    pub(super) fn takes_comma(&mut self) -> bool {
        let is_here = self.token() == Some(&Token::Comma);
        self.at += usize::from(is_here);
        is_here
    }

    pub(super) fn end(&mut self) -> Result<()> {
        while self.tokens.get(self.at).is_some_and(|token| token.token == Token::SemiColon) {
            self.at += 1;
        }
        if self.at < self.tokens.len() { Err(self.unexpected("the end")) } else { Ok(()) }
    }

    /// A whole number, if one is here.
    pub(super) fn number(&mut self) -> Result<Option<i64>> {
        let token = |at: usize| self.tokens.get(at).map(|token| &token.token);
        let sign = match token(self.at) {
            Some(Token::Minus) => "-",
            Some(Token::Plus) => "+",
            _ => "",
        };
        let Some(Token::Number(digits, _)) = token(self.at + sign.len()) else { return Ok(None) };
        let number = format!("{sign}{digits}");
        let number = number
            .parse()
            .map_err(|_| Error::new(Code::InvalidValue, format!("{number} is not a whole number of 64 bits")))?;
        self.at += sign.len() + 1;
        Ok(Some(number))
    }

    pub(super) fn expect_number(&mut self) -> Result<i64> {
        self.number()?.ok_or_else(|| self.unexpected("a whole number"))
    }
}
