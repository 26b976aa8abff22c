//! Full text search over a table's fields: `CONTAINS( notes, 'words' )` in filters and conditions.
//!
//! ```text
//!   CONTAINS( notes, 'cat and dog' ) .AND. ID > 500
//!        |                                 |
//!   Search  --mainstay-xbase            an order's bitmap
//!        |
//!   WordSearch   asks the text of a record's field: its cell, its memo, or an expression over it
//!        |
//!   index::Contents    proposes records, if the field has an index of words (`area`, `file`)
//! ```
//!
//! `mainstay-full-text` defines words and the meaning of conditions. A word index only proposes candidates: the texts
//! of the records that it names are read and tested. The file of a table's word indexes has a format of Mainstay
//! (`docs/formats/word-indexes.md`); it stores the state of the table and its memo file, so that later writes of any
//! program are noticed, and the index is rebuilt at its next use.
//!
//! Limits: in a transaction, and where the file cannot be written, the texts themselves are read. A fixed index
//! (`ADS_FTS_FIXED`) is not used any more once the table has changed.

mod area;
mod file;
mod index;
mod of_files;

pub(crate) use area::{Searched as SearchedWords, WordFile};
pub use file::{Definition, path_of};
pub use of_files::{create_word_index, delete_word_index};

use mainstay_full_text::{Condition, Failure, Options, Prepared, number};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Dbf, Field, FieldKind};
use mainstay_xbase::expr::{Compiled, Context, ExprValue, Expression, Scratch, Search, Searched};
use mainstay_xbase::memo::Memo;
use std::ops::Range;
use std::sync::Arc;

/// The data for preparing searches.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) fields: Vec<Field>,
    pub(crate) code_page: CodePage,
    pub(crate) memo: Option<Arc<Memo>>,
    /// The indexes of words that the table has.
    pub(crate) indexes: Vec<Definition>,
}

/// A search that can be asked of a record.
#[derive(Debug)]
pub(crate) struct WordSearch {
    prepared: Prepared,
    sources: Vec<Source>,
    code_page: CodePage,
}

/// Where a text is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// In the record.
    Value(Box<Compiled>),
    /// In a memo that the record refers to; none if the memo file is not here.
    Memo { cell: Range<usize>, null: Option<usize>, memo: Option<Arc<Memo>> },
}

impl Source {
    /// The text of a field.
    ///
    /// Errors: `Unsupported` for fields that hold no text.
    fn of_field(field: &Field, texts: &Texts) -> Result<Source> {
        match field.kind {
            FieldKind::Memo | FieldKind::MemoBinary => Ok(Source::Memo {
                cell: field.offset..field.offset + field.length,
                null: field.null_bit,
                memo: texts.memo.clone(),
            }),
            FieldKind::Character
            | FieldKind::CharacterBinary
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::Varbinary => Source::of_expression(&Expression::parse(&field.name)?, texts),
            _ => Err(Error::new(Code::Unsupported, format!("the field {} holds no text to be searched", field.name))),
        }
    }

    fn of_expression(expression: &Expression, texts: &Texts) -> Result<Source> {
        Ok(Source::Value(Box::new(expression.compile(&Context::new(&texts.fields))?)))
    }

    /// The text of a record; `None` for NULL.
    pub(crate) fn text(
        &self,
        scratch: &mut Scratch,
        recno: u32,
        record: &[u8],
        code_page: CodePage,
    ) -> Result<Option<String>> {
        match self {
            Source::Value(compiled) => match compiled.evaluate(scratch, record, recno)? {
                ExprValue::Character(bytes) => Ok(Some(decoded(bytes, code_page))),
                ExprValue::Null => Ok(None),
                _ => Err(Error::new(Code::TypeMismatch, "what CONTAINS() searches is no text")),
            },
            Source::Memo { cell, null, memo } => {
                let bit = |bit: &usize| record.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
                if null.as_ref().is_some_and(bit) {
                    return Ok(None);
                }
                let Some(memo) = memo else {
                    let message = "a memo is searched where its table is";
                    return Err(Error::new(Code::Unsupported, message).hint("set the condition as a filter"));
                };
                let reference = memo.reference(record.get(cell.clone()).unwrap_or_default());
                let reference =
                    reference.map_err(|reason| Error::new(Code::Damaged, reason).at(memo.path().display()))?;
                let bytes = memo.read(reference.as_ref())?;
                Ok(Some(bytes.map_or_else(String::new, |bytes| decoded(&bytes, code_page))))
            }
        }
    }
}

fn decoded(bytes: &[u8], code_page: CodePage) -> String {
    let mut utf8 = Vec::with_capacity(bytes.len());
    code_page.decode_into(bytes, &mut utf8);
    String::from_utf8(utf8).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl Texts {
    pub(crate) fn of(dbf: &Dbf, memo: Option<Arc<Memo>>, indexes: Vec<Definition>) -> Texts {
        Texts { fields: dbf.fields().to_vec(), code_page: dbf.code_page(), memo, indexes }
    }

    /// To see whether a condition is one: the first field with a text stands for those that have an index.
    pub(crate) fn to_check(dbf: &Dbf) -> Texts {
        let has_text = |field: &&Field| matches!(field.kind, FieldKind::Character | FieldKind::Memo);
        let field = dbf.fields().iter().find(has_text).map(|field| field.name.clone());
        let indexes = field.map(|field| Definition { field, ..Definition::default() });
        Texts::of(dbf, None, indexes.into_iter().collect())
    }

    fn field(&self, name: &str) -> Result<&Field> {
        let named = |wanted: &str| self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(wanted));
        // As in every expression, a longer name means the field of its first ten letters.
        let found = named(name).or_else(|| name.get(..10).and_then(named));
        found.ok_or_else(|| Error::new(Code::UnknownColumn, format!("the table has no field {name}")))
    }

    /// The sources of a search, and the options of each.
    fn searched(&self, search: &Search) -> Result<Vec<(Source, Options)>> {
        let options = |name: &str| {
            let index = self.indexes.iter().find(|index| index.field.eq_ignore_ascii_case(name));
            index.map_or_else(Options::default, |index| index.options.clone())
        };
        match &search.searched {
            Searched::Text(expression) => Ok(vec![(Source::of_expression(expression, self)?, Options::default())]),
            Searched::Field(name) => {
                let field = self.field(name)?;
                Ok(vec![(Source::of_field(field, self)?, options(&field.name))])
            }
            Searched::All => {
                let names = fields_of(&self.indexes);
                let known = names.iter().filter_map(|name| self.field(name).ok());
                known.map(|field| Ok((Source::of_field(field, self)?, options(&field.name)))).collect()
            }
        }
    }

    /// The fields that a search asks, by name, in the order of the forms of its terms; `None` if it asks something else.
    pub(crate) fn fields_of(&self, search: &Search) -> Option<Vec<String>> {
        match &search.searched {
            Searched::Text(_) => None,
            Searched::Field(name) => Some(vec![self.field(name).ok()?.name.clone()]),
            Searched::All => {
                let names = fields_of(&self.indexes);
                Some(names.into_iter().filter(|name| self.field(name).is_ok()).collect())
            }
        }
    }

    /// Makes a search ready.
    ///
    /// Errors: those of the condition, 7102 for all fields where none has an index; `UnknownColumn`, `Unsupported`.
    pub(crate) fn ready(&self, search: &Search) -> Result<WordSearch> {
        let (sources, options): (Vec<_>, Vec<_>) = self.searched(search)?.into_iter().unzip();
        if sources.is_empty() {
            let message = "CONTAINS( *, .. ) asks all fields that have an index of words, and none has one";
            return Err(Failure::new(number::NO_INDEX, message).into());
        }
        let condition = Condition::parse(&decoded(&search.words, self.code_page))?;
        let prepared = condition.prepare(&options)?;
        Ok(WordSearch { prepared, sources, code_page: self.code_page })
    }
}

/// The fields of indexes, each once, in the order of the first index of each.
fn fields_of(indexes: &[Definition]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for index in indexes {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(&index.field)) {
            names.push(index.field.clone());
        }
    }
    names
}

impl WordSearch {
    /// Returns true if a record has the words; `None` if what is searched is NULL.
    pub(crate) fn holds(&self, scratch: &mut Scratch, recno: u32, record: &[u8]) -> Result<Option<bool>> {
        let mut texts = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            texts.push(source.text(scratch, recno, record, self.code_page)?);
        }
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        Ok(self.prepared.holds(&texts))
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }
}
