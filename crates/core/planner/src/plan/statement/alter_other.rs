//! ALTER SEQUENCE, ALTER INDEX and ALTER VIEW, and SET SCHEMA.
//!
//! The parser knows little of them, so they are read here, word by word:
//!
//! ```text
//!   ALTER SEQUENCE [IF EXISTS] s  { AS type | INCREMENT [BY] n | [NO] MINVALUE n | [NO] MAXVALUE n | START [WITH] n
//!                                   | RESTART [[WITH] n] | CACHE n | [NO] CYCLE | OWNED BY { NONE | t.a } } ...
//!   ALTER { SEQUENCE | INDEX | VIEW } [IF EXISTS] x  RENAME TO y
//!   ALTER { TABLE | VIEW | SEQUENCE } [IF EXISTS] x  SET SCHEMA s
//! ```

use super::Name;
use super::sequence::{OwnedBy, bounds_of};
use super::words::Words;
use crate::parse::text::Text;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;
use mainstay_types::{Code, Error, Result};

/// ALTER SEQUENCE, but for RENAME TO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlterSequence {
    /// The sequence.
    pub name: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
    /// The changes.
    pub changes: SequenceChanges,
}

/// The changes of a sequence; `None` keeps a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// OWNED BY; `Some(None)` for OWNED BY NONE.
    pub owned_by: Option<Option<OwnedBy>>,
}

/// ALTER ... RENAME TO of what is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Its kind.
    pub kind: RenameKind,
    /// Its name until now.
    pub name: Name,
    /// Its name from now on.
    pub to: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
}

/// The kind of object that is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenameKind {
    /// A view.
    View,
    /// An index, or the key that it keeps.
    Index,
    /// A sequence.
    Sequence,
}

/// ALTER ... SET SCHEMA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetSchema {
    /// Its kind.
    pub kind: SchemaMember,
    /// Its name until now.
    pub name: Name,
    /// The schema that it moves to.
    pub schema: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
}

/// The kind of object that is moved to another schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaMember {
    /// A table, with its sequences.
    Table,
    /// A view.
    View,
    /// A sequence.
    Sequence,
}

/// An ALTER statement of one of these kinds.
pub(super) enum Altered {
    Sequence(AlterSequence),
    Rename(Rename),
    SetSchema(SetSchema),
}

/// The statement, if it is one of these; `None` for what the parser reads.
pub(super) fn alter_other(text: &Text) -> Result<Option<Altered>> {
    let mut words = Words::of(text);
    if !words.takes("alter") {
        return Ok(None);
    }
    let Some(what) = words.one_of(&["table", "view", "index", "sequence"]) else { return Ok(None) };
    let if_exists = words.takes("if");
    if if_exists {
        words.expect("exists")?;
    }
    if what == "table" {
        words.takes("only");
        return set_schema(&mut words, SchemaMember::Table, if_exists);
    }
    let kind = match what {
        "view" => RenameKind::View,
        "index" => RenameKind::Index,
        _ => RenameKind::Sequence,
    };
    let start = words.at;
    let member = if kind == RenameKind::View { SchemaMember::View } else { SchemaMember::Sequence };
    if kind != RenameKind::Index
        && let Some(moved) = set_schema(&mut words, member, if_exists)?
    {
        return Ok(Some(moved));
    }
    words.at = start;
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

/// `x SET SCHEMA s`; `None` for anything else.
fn set_schema(words: &mut Words<'_>, kind: SchemaMember, if_exists: bool) -> Result<Option<Altered>> {
    let Ok(name) = words.name() else { return Ok(None) };
    if !(words.takes("set") && words.takes("schema")) {
        return Ok(None);
    }
    let schema = Name::new(&words.part()?);
    words.end()?;
    Ok(Some(Altered::SetSchema(SetSchema { kind, name, schema, if_exists })))
}

impl Words<'_> {
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
                    let owner = if self.takes("none") { None } else { Some(self.column()?) };
                    changes.owned_by.replace(owner).is_some()
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

    /// `t.a`, `s.t.a`
    fn column(&mut self) -> Result<OwnedBy> {
        let mut parts = vec![self.part()?];
        while self.takes_period() {
            parts.push(self.part()?);
        }
        OwnedBy::of(parts).ok_or_else(|| self.unexpected("a table and its column"))
    }

    /// The least and the greatest value of a type.
    fn data_type(&mut self) -> Result<(i64, i64)> {
        let Some(Token::Word(word)) = self.token() else {
            return Err(self.unexpected("a type"));
        };
        let data_type =
            Parser::new(&GenericDialect {}).try_with_sql(&word.value).and_then(|mut it| it.parse_data_type());
        let data_type = data_type.map_err(|_| self.unexpected("a type"))?;
        self.skip();
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
            owned_by: None,
        };
        assert_eq!(all, wanted);
        assert_eq!(changes("RESTART").unwrap().restart, Some(None));
        assert_eq!(changes("RESTART 7 AS smallint").unwrap().of_type, Some((-32_768, 32_767)));
        assert_eq!(changes("OWNED BY NONE").unwrap().owned_by, Some(None));
        let owner = changes("OWNED BY s.t.a").unwrap().owned_by.flatten().unwrap();
        assert_eq!((owner.table.to_string(), owner.column.key), ("s.t".to_owned(), "a".to_owned()));
        for wrong in ["", "CYCLE NO CYCLE", "INCREMENT BY 0", "MINVALUE", "OWNED BY a", "RESTART 5 6", "CYCLE SOON"] {
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
