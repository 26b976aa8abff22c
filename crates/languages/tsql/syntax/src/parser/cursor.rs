//! The parser's position in its tokens: look-ahead, accepting tokens, names, lists, and messages about unexpected
//! tokens.

use super::{MAX_DEPTH, MAX_HEIGHT, Parser};
use crate::error::{Diagnostic, Parse};
use crate::tree::{Literal, Name, ObjectName};
use mainstay_syntax::{Span, Token, TokenKind, unquoted};

/// The most parts of an object's name: server, database, schema, object.
const OBJECT_PARTS: usize = 4;

const EMPTY_NAME: &str = "An object or column name is missing or empty. For SELECT INTO statements, verify each column \
                          has a name. For other statements, look for empty alias names. Aliases defined as \"\" or [] \
                          are not allowed. Change the alias to a valid name.";

impl<'t> Parser<'t> {
    /// The token some places ahead; the end after the last.
    pub(super) fn token(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token(0).kind
    }

    pub(super) fn span(&self) -> Span {
        self.token(0).span
    }

    /// From a token to the one before the current.
    pub(super) fn span_from(&self, first: usize) -> Span {
        let last = self.at.saturating_sub(1).max(first);
        self.tokens[first].span.to(self.tokens[last.min(self.tokens.len() - 1)].span)
    }

    pub(super) fn token_text(&self, ahead: usize) -> &'t str {
        self.token(ahead).span.of(self.text)
    }

    /// Returns true if the token some places ahead is this word (in any case) or symbol.
    pub(super) fn is(&self, ahead: usize, word: &str) -> bool {
        let token = self.token(ahead);
        (token.span.end - token.span.start) as usize == word.len()
            && matches!(token.kind, TokenKind::Word | TokenKind::Reserved | TokenKind::Symbol)
            && token.span.of(self.text).eq_ignore_ascii_case(word)
    }

    /// Returns true if these words or symbols, separated by blanks, come next.
    pub(super) fn sees(&self, words: &str) -> bool {
        match words.split_once(' ') {
            None => self.is(0, words),
            Some((first, _)) if !self.is(0, first) => false,
            Some((_, rest)) => rest.split(' ').enumerate().all(|(index, word)| self.is(index + 1, word)),
        }
    }

    pub(super) fn sees_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.sees(word))
    }

    /// Takes these words or symbols if they come next.
    pub(super) fn accept(&mut self, words: &str) -> bool {
        let sees = self.sees(words);
        if sees {
            self.at += 1 + words.bytes().filter(|byte| *byte == b' ').count();
        }
        sees
    }

    pub(super) fn expect(&mut self, words: &str) -> Parse<()> {
        for word in words.split(' ') {
            if !self.accept(word) {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    /// The first of these that comes next, taken.
    pub(super) fn accept_any<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().find(|words| self.accept(words)).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// The current token as a word of a message.
    pub(super) fn near(&self) -> (Span, String) {
        let mut at = self.at.min(self.tokens.len() - 1);
        // At the end it is the last token that is named.
        if self.tokens[at].kind == TokenKind::End {
            at = at.saturating_sub(1);
        }
        let token = self.tokens[at];
        let text = token.span.of(self.text);
        let text = match token.kind {
            TokenKind::String | TokenKind::NationalString | TokenKind::Quoted | TokenKind::DoubleQuoted => {
                unquoted(text)
            }
            _ => text.to_owned(),
        };
        (token.span, text)
    }

    /// The message that the current token is not expected: 102, or 156 for a reserved word.
    pub(super) fn unexpected(&self) -> Box<Diagnostic> {
        let (span, text) = self.near();
        let error = match self.kind() {
            TokenKind::Reserved if self.sees("WITH") => Diagnostic::new(
                319,
                span,
                format!(
                    "Incorrect syntax near the keyword '{text}'. If this statement is a common table expression, an \
                     xmlnamespaces clause or a change tracking context clause, the previous statement must be \
                     terminated with a semicolon."
                ),
            ),
            TokenKind::Reserved => Diagnostic::new(156, span, format!("Incorrect syntax near the keyword '{text}'.")),
            _ => Diagnostic::new(102, span, format!("Incorrect syntax near '{text}'.")),
        };
        Box::new(error)
    }

    pub(super) fn error(&self, number: u32, span: Span, text: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(number, span, text))
    }

    /// Reads something one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = read(self);
        self.height = outer.max(self.height + 1);
        self.depth -= 1;
        result
    }

    /// A node was put on top of what was read last.
    pub(super) fn grow(&mut self) -> Parse<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(()) }
    }

    pub(super) fn too_deep(&mut self) -> Box<Diagnostic> {
        let text = "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up into \
                    smaller queries.";
        let error = self.error(191, self.span(), text);
        self.is_lost = true;
        self.at = self.tokens.len() - 1;
        error
    }

    /// Returns true if the token some places ahead can be a name.
    pub(super) fn is_name(&self, ahead: usize) -> bool {
        match self.token(ahead).kind {
            TokenKind::Word | TokenKind::Quoted => true,
            TokenKind::DoubleQuoted => self.quoted_identifier,
            _ => false,
        }
    }

    /// The current token as a name, whatever it is.
    pub(super) fn take_name(&mut self) -> Name {
        let token = self.token(0);
        let text = token.span.of(self.text);
        let quoted = matches!(
            token.kind,
            TokenKind::Quoted | TokenKind::DoubleQuoted | TokenKind::String | TokenKind::NationalString
        );
        let text = if quoted { unquoted(text) } else { text.to_owned() };
        self.advance();
        Name { text, quoted, span: token.span }
    }

    pub(super) fn name(&mut self) -> Parse<Name> {
        if !self.is_name(0) {
            return Err(self.unexpected());
        }
        self.take_filled_name()
    }

    /// The current token as a name, which must not be empty.
    pub(super) fn take_filled_name(&mut self) -> Parse<Name> {
        let name = self.take_name();
        if name.text.is_empty() {
            return Err(Box::new(Diagnostic::new(1038, name.span, EMPTY_NAME).state(4)));
        }
        Ok(name)
    }

    /// A name or any word, as PUBLIC or DEFAULT where the grammar has room for them.
    pub(super) fn word(&mut self) -> Parse<Name> {
        if self.kind() == TokenKind::Reserved { Ok(self.take_name()) } else { self.name() }
    }

    /// `@x`.
    pub(super) fn variable(&mut self) -> Parse<Name> {
        match self.kind() {
            TokenKind::Variable => Ok(self.take_name()),
            _ => Err(self.unexpected()),
        }
    }

    /// `a.b..c` and `..c`, as many parts as there are.
    pub(super) fn dotted_name(&mut self) -> Parse<ObjectName> {
        let first = self.at;
        let is_left_out = self.is(0, ".") && (self.is_name(1) || self.is(1, "."));
        let mut parts = vec![if is_left_out { Name::default() } else { self.name()? }];
        while self.is(0, ".") && (self.is_name(1) || self.is(1, ".")) {
            self.advance();
            // Nothing between two points is a part left out.
            parts.push(if self.is(0, ".") { Name::default() } else { self.name()? });
        }
        // Reserved words that name columns: `t.IDENTITYCOL`.
        if self.is(0, ".") && ["IDENTITYCOL", "ROWGUIDCOL"].iter().any(|word| self.is(1, word)) {
            self.advance();
            parts.push(self.take_name());
        }
        Ok(ObjectName { parts, span: self.span_from(first) })
    }

    /// The name of an object: at most four parts.
    pub(super) fn object_name(&mut self) -> Parse<ObjectName> {
        let name = self.dotted_name()?;
        if name.parts.len() > OBJECT_PARTS {
            let text = format!(
                "The object name '{}' contains more than the maximum number of prefixes. The maximum is {}.",
                name.span.of(self.text),
                OBJECT_PARTS - 1
            );
            return Err(self.error(117, name.span, text));
        }
        Ok(name)
    }

    /// One or more, separated by commas.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.accept(",") {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// `( item, item )`.
    pub(super) fn parens<T>(&mut self, read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.expect("(")?;
        let items = self.list(read)?;
        self.expect(")")?;
        Ok(items)
    }

    /// `( item, item )` if a parenthesis comes next.
    pub(super) fn optional_parens<T>(&mut self, read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        if self.sees("(") { self.parens(read) } else { Ok(Vec::new()) }
    }

    /// `()` or `( item, item )`.
    pub(super) fn arguments<T>(&mut self, read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        if self.accept("( )") { Ok(Vec::new()) } else { self.parens(read) }
    }

    /// The constant that comes next.
    pub(super) fn accept_literal(&mut self) -> Option<Literal> {
        let token = self.token(0);
        let text = token.span.of(self.text);
        let literal = match token.kind {
            TokenKind::Integer => Literal::Integer(text.to_owned()),
            TokenKind::Decimal => Literal::Decimal(text.to_owned()),
            TokenKind::Float => Literal::Float(text.to_owned()),
            TokenKind::Money => Literal::Money(text.to_owned()),
            TokenKind::Binary => Literal::Binary(text.to_owned()),
            TokenKind::String => Literal::String(unquoted(text)),
            TokenKind::NationalString => Literal::NationalString(unquoted(text)),
            TokenKind::DoubleQuoted if !self.quoted_identifier => Literal::String(unquoted(text)),
            TokenKind::Reserved if self.sees("NULL") => Literal::Null,
            _ => return None,
        };
        self.advance();
        Some(literal)
    }

    /// The characters of the string that comes next.
    pub(super) fn string(&mut self) -> Parse<String> {
        let at = self.at;
        match self.accept_literal() {
            Some(Literal::String(text) | Literal::NationalString(text)) => Ok(text),
            _ => {
                self.at = at;
                Err(self.unexpected())
            }
        }
    }

    /// Reads if the words come next.
    pub(super) fn after<T>(&mut self, words: &str, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<Option<T>> {
        if self.accept(words) { read(self).map(Some) } else { Ok(None) }
    }
}
