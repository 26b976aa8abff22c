//! Names, data types, and phrases.

use super::{Expr, Literal};
use crate::span::Span;

/// A name as it was written, without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Its characters; `@` and `#` belong to it.
    pub text: String,
    /// True if it stood in brackets or quotes.
    pub quoted: bool,
    /// Where.
    pub span: Span,
}

impl Name {
    /// Returns true if it is this word, in any case of its ASCII letters.
    pub fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// A name of up to four parts (server, database, schema, object; or table and column); a part left out, as in
/// `sales..orders`, is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectName {
    /// The parts, the object's own last. Never none.
    pub parts: Vec<Name>,
    /// From the first to the last.
    pub span: Span,
}

impl ObjectName {
    /// The last part, the object's own name.
    pub fn last(&self) -> &str {
        self.parts.last().map_or("", |name| &name.text)
    }

    /// Returns true if it is this one word without prefixes, in any case.
    pub fn is(&self, word: &str) -> bool {
        matches!(&self.parts[..], [name] if name.is(word))
    }
}

/// A data type: `decimal(9, 2)`, `varchar(max)`, `dbo.Phone`, `xml(CONTENT dbo.Orders)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataType {
    /// Its name. Types of several words (`double precision`, `national char varying`) are one part with single blanks.
    pub name: ObjectName,
    /// The arguments in its parentheses.
    pub arguments: Vec<TypeArgument>,
    /// All of it.
    pub span: Span,
}

/// An argument of a data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeArgument {
    /// A length, precision or scale, its digits.
    Number(String),
    /// `max`.
    Max,
    /// A collection of XML schemas, perhaps after CONTENT or DOCUMENT.
    Schema(Option<XmlForm>, ObjectName),
}

/// The form that an xml value of a schema may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlForm {
    /// CONTENT: any number of top elements.
    Content,
    /// DOCUMENT: exactly one.
    Document,
}

/// Words and values as they were written: hints, options, arguments of administrative statements.
///
/// `DATA_COMPRESSION = PAGE ON PARTITIONS (1 TO 3)` is five words, a symbol and a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// In order.
    pub items: Vec<PhraseItem>,
}

/// A piece of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhraseItem {
    /// A word or name, reserved or not.
    Word(Name),
    /// `=`, `.`, `:`, `*`, `-`, `+`, `::`.
    Symbol(String),
    /// A constant.
    Literal(Literal),
    /// `@x`.
    Variable(Name),
    /// A list in parentheses.
    Group(Vec<Phrase>),
}

impl Phrase {
    /// Returns true if it starts with these words, in any case: `phrase.starts("MAXRECURSION")`.
    pub fn starts(&self, words: &str) -> bool {
        let mut items = self.items.iter();
        words.split(' ').all(|word| matches!(items.next(), Some(PhraseItem::Word(name)) if name.is(word)))
    }

    /// The word that it is, if it is nothing else.
    pub fn word(&self) -> Option<&Name> {
        match &self.items[..] {
            [PhraseItem::Word(name)] => Some(name),
            _ => None,
        }
    }

    /// The item behind the first `=`.
    pub fn value(&self) -> Option<&PhraseItem> {
        let is_equals = |item: &&PhraseItem| matches!(item, PhraseItem::Symbol(symbol) if symbol == "=");
        self.items.iter().skip_while(|item| !is_equals(item)).nth(1)
    }
}

/// `name = value`, of a parameter or an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The left side.
    pub name: Name,
    /// The right side.
    pub value: Expr,
}
