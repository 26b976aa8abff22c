//! ALTER SEQUENCE, ALTER INDEX and ALTER VIEW.
//!
//! The parser knows little of them, so they are read here, word by word:
//!
//! ```text
//!   ALTER SEQUENCE [IF EXISTS] s  { AS type | INCREMENT [BY] n | [NO] MINVALUE n | [NO] MAXVALUE n | START [WITH] n
//!                                   | RESTART [[WITH] n] | CACHE n | [NO] CYCLE | OWNED BY NONE } ...
//!   ALTER { SEQUENCE | INDEX | VIEW } [IF EXISTS] x  RENAME TO y
//! ```

use super::define::bounds_of;
use super::{Name, unsupported};
use crate::text::Text;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use mainstay_base::{Code, Error, Result};

/// ALTER SEQUENCE, but for RENAME TO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlterSequence {
    /// The sequence.
    pub name: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
    /// What changes.
    pub changes: SequenceChanges,
}

/// What changes of a sequence; what is not said stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceChanges {
    /// AS: the least and the greatest value of the type.
    pub of_type: Option<(i64, i64)>,
    /// INCREMENT BY.
    pub increment: Option<i64>,
    /// MINVALUE; `Some(None)` for NO MINVALUE.
    pub minimum: Option<Option<i64>>,
    /// MAXVALUE; `Some(None)` for NO MAXVALUE.
    pub maximum: Option<Option<i64>>,
    /// START WITH: where RESTART without a value begins.
    pub start: Option<i64>,
    /// RESTART: with a value, or with that of START.
    pub restart: Option<Option<i64>>,
    /// CYCLE, or NO CYCLE.
    pub cycle: Option<bool>,
}

/// ALTER ... RENAME TO of what is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// What it is.
    pub kind: RenameKind,
    /// Its name until now.
    pub name: Name,
    /// Its name from now on.
    pub to: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
}

/// What is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenameKind {
    /// A view.
    View,
    /// An index, or the key that it keeps.
    Index,
    /// A sequence.
    Sequence,
}

/// What such a statement is.
pub(super) enum Altered {
    Sequence(AlterSequence),
    Rename(Rename),
}

/// The statement, if it is one of these; `None` for what the parser reads.
pub(super) fn alter_other(text: &Text) -> Result<Option<Altered>> {
    let mut words = Words { text, tokens: text.significant(), at: 0 };
    if !words.takes("alter") {
        return Ok(None);
    }
    let kind = match words.one_of(&["view", "index", "sequence"]) {
        Some("view") => RenameKind::View,
        Some("index") => RenameKind::Index,
        Some(_) => RenameKind::Sequence,
        None => return Ok(None),
    };
    let if_exists = words.takes("if");
    if if_exists {
        words.expect("exists")?;
    }
    let name = words.name()?;
    if words.takes("rename") {
        words.expect("to")?;
        let to = words.name()?;
        words.end()?;
        return Ok(Some(Altered::Rename(Rename { kind, name, to, if_exists })));
    }
    if kind != RenameKind::Sequence {
        return Ok(None);
    }
    let changes = words.changes()?;
    Ok(Some(Altered::Sequence(AlterSequence { name, if_exists, changes })))
}

/// The words of a statement, one after the other.
struct Words<'t> {
    text: &'t Text,
    tokens: Vec<&'t TokenWithSpan>,
    at: usize,
}

impl Words<'_> {
    fn is(&self, at: usize, word: &str) -> bool {
        let token = self.tokens.get(at).map(|token| &token.token);
        matches!(token, Some(Token::Word(it)) if it.quote_style.is_none() && it.value.eq_ignore_ascii_case(word))
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_here = self.is(self.at, word);
        self.at += usize::from(is_here);
        is_here
    }

    fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.takes(word))
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        if self.takes(word) { Ok(()) } else { Err(self.unexpected(&word.to_uppercase())) }
    }

    fn unexpected(&self, wanted: &str) -> Error {
        match self.tokens.get(self.at) {
            Some(token) => {
                let (start, end) = self.text.span_at(token.span.start.line, token.span.start.column);
                Error::new(Code::Syntax, format!("{wanted} should be here, not {}", token.token)).span(start, end)
            }
            None => Error::new(Code::Syntax, format!("the statement ends where {wanted} should be")),
        }
    }

    fn name(&mut self) -> Result<Name> {
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

    fn end(&mut self) -> Result<()> {
        while self.tokens.get(self.at).is_some_and(|token| token.token == Token::SemiColon) {
            self.at += 1;
        }
        if self.at < self.tokens.len() { Err(self.unexpected("the end")) } else { Ok(()) }
    }

    /// A whole number, if one is here.
    fn number(&mut self) -> Result<Option<i64>> {
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

    fn expect_number(&mut self) -> Result<i64> {
        self.number()?.ok_or_else(|| self.unexpected("a whole number"))
    }

    fn changes(&mut self) -> Result<SequenceChanges> {
        let mut changes = SequenceChanges::default();
        let first = self.at;
        loop {
            let option = self.at;
            let twice = match self.one_of(&[
                "as",
                "increment",
                "minvalue",
                "maxvalue",
                "start",
                "restart",
                "cycle",
                "cache",
                "owned",
                "no",
            ]) {
                None if option == first => return Err(self.unexpected("an option of a sequence")),
                None => break,
                Some("as") => {
                    let bounds = self.data_type()?;
                    changes.of_type.replace(bounds).is_some()
                }
                Some("increment") => {
                    self.takes("by");
                    let step = self.expect_number()?;
                    if step == 0 {
                        return Err(Error::new(Code::InvalidValue, "a sequence cannot go on by 0"));
                    }
                    changes.increment.replace(step).is_some()
                }
                Some("minvalue") => changes.minimum.replace(Some(self.expect_number()?)).is_some(),
                Some("maxvalue") => changes.maximum.replace(Some(self.expect_number()?)).is_some(),
                Some("start") => {
                    self.takes("with");
                    changes.start.replace(self.expect_number()?).is_some()
                }
                Some("restart") => {
                    let value = if self.takes("with") { Some(self.expect_number()?) } else { self.number()? };
                    changes.restart.replace(value).is_some()
                }
                Some("cycle") => changes.cycle.replace(true).is_some(),
                // How many values a session takes ahead: here the store decides.
                Some("cache") => self.expect_number().map(|_| false)?,
                Some("owned") => {
                    self.expect("by")?;
                    if !self.takes("none") {
                        return Err(unsupported("OWNED BY of a sequence"));
                    }
                    false
                }
                Some(_) => match self.one_of(&["minvalue", "maxvalue", "cycle", "cache"]) {
                    Some("minvalue") => changes.minimum.replace(None).is_some(),
                    Some("maxvalue") => changes.maximum.replace(None).is_some(),
                    Some("cycle") => changes.cycle.replace(false).is_some(),
                    Some(_) => false,
                    None => return Err(self.unexpected("MINVALUE, MAXVALUE or CYCLE")),
                },
            };
            if twice {
                self.at = option;
                return Err(Error::new(Code::Syntax, "an option of the sequence is said twice"));
            }
        }
        self.end()?;
        Ok(changes)
    }

    /// The least and the greatest value of a type.
    fn data_type(&mut self) -> Result<(i64, i64)> {
        let Some(Token::Word(word)) = self.tokens.get(self.at).map(|token| &token.token) else {
            return Err(self.unexpected("a type"));
        };
        let data_type =
            Parser::new(&GenericDialect {}).try_with_sql(&word.value).and_then(|mut it| it.parse_data_type());
        let data_type = data_type.map_err(|_| self.unexpected("a type"))?;
        self.at += 1;
        bounds_of(&data_type)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Statement;
    use super::*;

    fn changes(options: &str) -> Result<SequenceChanges> {
        match Statement::parse(&format!("ALTER SEQUENCE s {options}"))? {
            Statement::AlterSequence(alter) => Ok(alter.changes),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_are_read_in_any_order() {
        let all = changes("RESTART WITH -5 NO CYCLE INCREMENT -2 NO MINVALUE MAXVALUE 7 START 3 CACHE 20;").unwrap();
        let wanted = SequenceChanges {
            of_type: None,
            increment: Some(-2),
            minimum: Some(None),
            maximum: Some(Some(7)),
            start: Some(3),
            restart: Some(Some(-5)),
            cycle: Some(false),
        };
        assert_eq!(all, wanted);
        assert_eq!(changes("RESTART").unwrap().restart, Some(None));
        assert_eq!(changes("RESTART 7 AS smallint").unwrap().of_type, Some((-32_768, 32_767)));
        assert_eq!(changes("OWNED BY NONE").unwrap(), SequenceChanges::default());
        for wrong in ["", "CYCLE NO CYCLE", "INCREMENT BY 0", "MINVALUE", "OWNED BY t.a", "RESTART 5 6", "CYCLE SOON"] {
            assert!(changes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_change() {
        let renamed = |text: &str| match Statement::parse(text).unwrap() {
            Statement::Rename(rename) => rename,
            other => panic!("{other:?}"),
        };
        let rename = renamed("ALTER VIEW IF EXISTS s.v RENAME TO \"Neu\"");
        assert_eq!((rename.kind, rename.if_exists), (RenameKind::View, true));
        assert_eq!((rename.name.schema.as_deref(), rename.to.written.as_str()), (Some("s"), "Neu"));
        assert_eq!(renamed("ALTER INDEX i RENAME TO j").kind, RenameKind::Index);
        assert!(Statement::parse("ALTER SEQUENCE s RENAME").is_err());
    }
}
