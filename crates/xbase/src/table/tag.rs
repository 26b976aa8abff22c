//! A tag that a table can use: its expressions understood, its keys compared with the records.
//!
//! Two things keep a tag from being used. Its *definition*: an expression that is not understood, keys of
//! another collation, a tag that lists only some records. And its *state*: an index that another program
//! did not maintain (a table written while only some of its NTX files were open) answers wrongly without
//! any sign. Comparing all keys would cost more than the index saves, so a sample is compared: the last
//! record, which tells a table that was appended to, the first, and some in between. The comparison is
//! made once for every state of table and index.

use super::Files;
use super::state::State;
use crate::dbf::{Dbf, Family, FieldKind};
use crate::expr::{CaseTable, Compiled, Context, Dialect, ExprValue, Expression, KeyPart, KeySource, Kind, Scratch};
use crate::index::{Bag, EncodedKey, KeyFamily, KeyType, KeyValue, Tag, TagHeader};
use mainstay_base::{Code, Date, Error, Result, Timestamp};
use std::borrow::Cow;
use std::ops::{Bound, ControlFlow};

/// How many records are compared with their keys before a tag is trusted.
const SAMPLES: u32 = 8;

/// A tag whose definition is understood.
#[derive(Debug)]
pub(crate) struct TableTag {
    pub(crate) tag: Tag,
    pub(crate) key: Compiled,
    pub(crate) condition: Option<Compiled>,
    pub(crate) condition_is_not_deleted: bool,
}

impl TableTag {
    /// Understands the definition of a tag, or says what is not understood.
    pub(crate) fn new(bag: &Bag, number: usize, dbf: &Dbf) -> Result<TableTag> {
        let header = &bag.tags()[number];
        let dialect = match dbf.header().family() {
            Family::VisualFoxPro if !header.by_harbour => Dialect::FoxPro,
            _ => Dialect::Clipper,
        };
        let context = Context { fields: dbf.fields(), exact: false, case: CaseTable::ascii(), dialect };
        let expression = Expression::parse(&header.key_bytes)?;
        let key = expression.compile(&context)?;
        let mut condition_is_not_deleted = false;
        let condition = match &header.for_bytes {
            Some(text) => {
                let condition = Expression::parse(text)?;
                condition_is_not_deleted = condition.is_not_deleted();
                Some(condition.compile(&context)?)
            }
            None => None,
        };
        let is_nullable = |field: &usize| dbf.fields()[*field].null_bit.is_some();
        let nullable = dialect == Dialect::FoxPro && key.fields().iter().any(is_nullable);
        let key_type = KeyType::new(header, family(&key, dbf), nullable)?;
        let tag = bag.tag(number, key_type)?;
        Ok(TableTag { tag, key, condition, condition_is_not_deleted })
    }

    pub(crate) fn header(&self) -> &TagHeader {
        self.tag.header()
    }

    /// Why the tag cannot narrow down the rows of a statement, whatever its keys are.
    pub(crate) fn unusable(&self) -> Option<String> {
        let header = self.header();
        if let Some(collation) = &header.collation {
            return Some(format!("its keys are in the collation {collation}"));
        }
        let conditional = self.condition.is_some() && !self.condition_is_not_deleted;
        let reasons = [
            (header.unique, "it lists only the first record of each key"),
            (header.custom, "its keys are chosen by a program"),
            (header.partial, "it lists only some records"),
            (header.ignore_case, "its keys are stored in upper case"),
            (conditional, "it lists only the records of its FOR condition"),
        ];
        reasons.iter().find(|(applies, _)| *applies).map(|(_, reason)| (*reason).to_owned())
    }

    /// The field that the tag orders, if its key is that field and nothing else.
    pub(crate) fn ordered_field(&self, dbf: &Dbf) -> Option<usize> {
        let [part] = self.key.parts() else { return None };
        let is_whole = |field: &usize, length: usize| dbf.fields()[*field].length == length;
        match &part.source {
            _ if part.descending => None,
            KeySource::Field(field) => Some(*field),
            KeySource::Text { field, length, upper: false } if is_whole(field, *length) => Some(*field),
            _ => None,
        }
    }

    /// The first part of the key that is made from a field.
    pub(crate) fn first_part(&self) -> Option<&KeyPart> {
        self.key.parts().first()
    }

    /// Whether the record belongs into the tag, by its condition.
    pub(crate) fn lists(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<bool> {
        match &self.condition {
            None => Ok(true),
            Some(condition) => Ok(condition.evaluate(scratch, record, recno)? == ExprValue::Logical(true)),
        }
    }

    /// The key that the record must have.
    pub(crate) fn key_of(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<Vec<u8>> {
        let value = key_value(self.key.evaluate(scratch, record, recno)?);
        match self.tag.key_type().encode(&value) {
            Some(EncodedKey::Exact(key) | EncodedKey::Shared(key)) => Ok(key),
            // A text longer than the key is cut, as every program does.
            Some(EncodedKey::After(key)) if matches!(value, KeyValue::Character(_)) => Ok(key),
            _ => Err(Error::new(Code::IndexDamaged, "the record's key does not fit into the tag")),
        }
    }

    /// Compares the keys of some records with the records.
    pub(crate) fn verify(&self, state: &State, slots: u32) -> Result<(), String> {
        let (mut record, mut scratch) = (Vec::new(), Scratch::new());
        let step = (slots / SAMPLES).max(1);
        let samples = (0..slots).step_by(step as usize).chain(slots.checked_sub(1));
        for row in samples {
            let recno = row + 1;
            let found = state.record(row, &mut record).and_then(|()| self.has(&mut scratch, &record, recno));
            match found {
                Ok(true) => {}
                Ok(false) => return Err(format!("its keys disagree with the table at record {recno}")),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// Whether the record is listed under its key; true for a record that is not to be listed.
    pub(crate) fn has(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<bool> {
        if !self.lists(scratch, record, recno)? {
            return Ok(true);
        }
        let key = self.key_of(scratch, record, recno)?;
        let mut found = false;
        self.tag.range(Bound::Included(&key), Bound::Included(&key), |listed, _| {
            found = listed == recno;
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }
}

/// The family of the keys of an expression.
fn family(key: &Compiled, dbf: &Dbf) -> KeyFamily {
    let plain_field = match key.parts() {
        [KeyPart { source: KeySource::Field(field), .. }] => dbf.fields().get(*field),
        _ => None,
    };
    match key.result_type().kind {
        Kind::Character => KeyFamily::Character,
        Kind::Numeric if plain_field.is_some_and(|field| field.kind == FieldKind::Currency) => KeyFamily::Currency,
        Kind::Numeric => KeyFamily::Number,
        Kind::Date => KeyFamily::Date,
        Kind::Timestamp => KeyFamily::Timestamp,
        Kind::Logical => KeyFamily::Logical,
    }
}

/// The value of an expression as the value of a key.
fn key_value(value: ExprValue<'_>) -> KeyValue<'_> {
    match value {
        ExprValue::Character(text) => KeyValue::Character(Cow::Borrowed(text)),
        ExprValue::Number(number) => KeyValue::Float(number),
        ExprValue::Date(0) | ExprValue::Timestamp { day: 0, ms: 0 } => KeyValue::BlankDate,
        ExprValue::Date(julian) => KeyValue::Date(Date::from_julian(julian)),
        ExprValue::Timestamp { day, ms } => {
            KeyValue::Timestamp(Timestamp::new(Date::from_julian(day), u32::try_from(ms).unwrap_or(0)))
        }
        ExprValue::Logical(value) => KeyValue::Logical(value),
        ExprValue::Null => KeyValue::Null,
    }
}

impl Files {
    /// The bytes that a text has in the table's code page, if it has all of its characters.
    pub(crate) fn encode(&self, text: &str) -> Option<Vec<u8>> {
        if text.is_ascii() { Some(text.as_bytes().to_vec()) } else { self.dbf.code_page().encode(text) }
    }
}
