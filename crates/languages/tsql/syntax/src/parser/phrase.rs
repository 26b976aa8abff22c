//! Phrases: words and values that are kept unparsed.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Phrase, PhraseItem};
use mainstay_syntax::TokenKind;

/// Marks that may stand in a phrase.
const SYMBOLS: [&str; 10] = ["=", ".", ":", "::", "*", "-", "+", ">", "/", "%"];

/// First words of query hints. Source: "Query hints (Transact-SQL)".
const QUERY_HINTS: [&str; 30] = [
    "CONCAT",
    "DISABLE",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "EXPAND",
    "FAST",
    "FOR",
    "FORCE",
    "HASH",
    "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX",
    "KEEP",
    "KEEPFIXED",
    "LABEL",
    "LOOP",
    "MAXDOP",
    "MAXRECURSION",
    "MAX_GRANT_PERCENT",
    "MERGE",
    "MIN_GRANT_PERCENT",
    "NO_PERFORMANCE_SPOOL",
    "OPTIMIZE",
    "ORDER",
    "PARAMETERIZATION",
    "QUERYTRACEON",
    "RECOMPILE",
    "ROBUST",
    "TABLE",
    "USE",
    "USEPLAN",
    "ANTIPATTERN",
    "REMOTE",
];

impl Parser<'_> {
    /// One piece: up to a comma or a closing parenthesis it takes everything; at least one item.
    pub(super) fn phrase(&mut self) -> Parse<Phrase> {
        self.phrase_while(|_| true)
    }

    /// A phrase that ends where the next word begins something else.
    pub(super) fn phrase_while(&mut self, goes_on: impl Fn(&Self) -> bool) -> Parse<Phrase> {
        let mut items = Vec::new();
        while goes_on(self) {
            let Some(item) = self.phrase_item()? else { break };
            items.push(item);
        }
        if items.is_empty() { Err(self.unexpected()) } else { Ok(Phrase { items }) }
    }

    pub(super) fn phrase_item(&mut self) -> Parse<Option<PhraseItem>> {
        if let Some(literal) = self.accept_literal() {
            return Ok(Some(PhraseItem::Literal(literal)));
        }
        let item = match self.kind() {
            TokenKind::Variable => {
                let name = self.take_name();
                self.checks.scalar(&name, false);
                PhraseItem::Variable(name)
            }
            TokenKind::Word | TokenKind::Reserved | TokenKind::Quoted => PhraseItem::Word(self.take_name()),
            TokenKind::DoubleQuoted => PhraseItem::Word(self.name()?),
            TokenKind::Symbol if self.sees("(") => PhraseItem::Group(self.nested(|parser| parser.phrase_group())?),
            // 'server';'user';'password' of OPENROWSET.
            TokenKind::Symbol if self.phrase_groups > 0 && self.sees(";") => PhraseItem::Symbol(self.take_name().text),
            TokenKind::Symbol if SYMBOLS.contains(&self.token_text(0)) => PhraseItem::Symbol(self.take_name().text),
            _ => return Ok(None),
        };
        Ok(Some(item))
    }

    /// `( phrase, phrase )`, perhaps empty.
    pub(super) fn phrase_group(&mut self) -> Parse<Vec<Phrase>> {
        self.phrase_groups += 1;
        let group = self.arguments(Self::phrase);
        self.phrase_groups -= 1;
        group
    }

    /// `OPTION ( .. )`.
    pub(super) fn query_hints(&mut self) -> Parse<Vec<Phrase>> {
        if self.accept("OPTION") { self.parens(Self::query_hint) } else { Ok(Vec::new()) }
    }

    /// Errors: 102 for a hint that is none.
    fn query_hint(&mut self) -> Parse<Phrase> {
        match QUERY_HINTS.iter().any(|hint| self.sees(hint)) {
            true => self.phrase(),
            false => Err(self.unexpected()),
        }
    }

    /// `WITH a, b` without parentheses; each a phrase of words up to a comma or the next statement's word.
    pub(super) fn with_words(&mut self) -> Parse<Vec<Phrase>> {
        if !self.accept("WITH") {
            return Ok(Vec::new());
        }
        self.list(|parser| parser.option_words())
    }

    /// `NAME`, `NAME = value` or `NAME (..)`; EXECUTE AS has one more word.
    pub(super) fn option_words(&mut self) -> Parse<Phrase> {
        let mut phrase = Phrase::default();
        if self.sees_any(&["EXECUTE AS", "EXEC AS", "RETURNS NULL", "CALLED ON", "TABLE HINT"]) {
            let words = match self.sees_any(&["RETURNS", "CALLED"]) {
                true => 4 + usize::from(self.is(0, "RETURNS")),
                false => 2,
            };
            for _ in 0..words {
                phrase.items.push(PhraseItem::Word(self.take_name()));
            }
            if words == 2 {
                phrase.items.extend(self.phrase_item()?);
            }
            return Ok(phrase);
        }
        phrase.items.push(PhraseItem::Word(self.word()?));
        if self.accept("=") {
            phrase.items.push(PhraseItem::Symbol("=".to_owned()));
            match self.phrase_item()? {
                Some(value) => phrase.items.push(value),
                None => return Err(self.unexpected()),
            }
        } else if self.kind() == TokenKind::Integer {
            phrase.items.extend(self.phrase_item()?);
            if self.sees_any(&["PERCENT", "ROWS"]) {
                phrase.items.push(PhraseItem::Word(self.take_name()));
            }
        }
        if self.sees("(") {
            phrase.items.extend(self.phrase_item()?);
        }
        Ok(phrase)
    }
}
