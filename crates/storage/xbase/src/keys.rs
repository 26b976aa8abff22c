//! The keys of a table's records: a tag's expressions evaluated over the bytes of a record.
//!
//! ```text
//!   header: key text, FOR text --parse, compile against the fields--> TagKeys
//!   record --FOR--> listed?   --key expression--> value --KeyType--> bytes of the key
//! ```
//! A tag whose expressions are not understood to the last byte has no `TagKeys`, only the reason: it is neither searched
//! nor maintained. The letters of its program, and its order of text, are derived from its keys: `keys/letters.rs`,
//! `keys/order.rs`.

mod advantage;
mod letters;
mod order;

use crate::adt::RecordLayout;
use crate::collation::KeyOrder;
use crate::dbf::{Dbf, Family, Field, FieldKind};
use crate::expr::{Compiled, Constant, Context, Dialect, ExprValue, Expression, KeyPart, KeySource, Kind, Scratch};
use crate::index::{BagKind, KeyFamily, KeyForm, KeyType, KeyValue, TagHeader};
use mainstay_types::{Code, Date, Error, Result, Timestamp};
use std::borrow::Cow;
use std::sync::Arc;

use advantage::{AdvantageKey, ListedIf};
pub use letters::Letters;

/// The expressions of one tag, compiled for one table.
#[derive(Clone, Debug)]
pub struct TagKeys {
    /// The key expression.
    pub key: Compiled,
    /// The FOR condition.
    pub condition: Option<Compiled>,
    /// True if that is `.NOT. DELETED()`.
    pub condition_is_not_deleted: bool,
    /// The storage of the keys.
    pub key_type: KeyType,
    /// The letters of UPPER() and LOWER() in them.
    pub letters: Letters,
    ignore_case: bool,
    /// The parts of the keys of an Advantage table, of which the bytes are made.
    advantage: Option<Arc<AdvantageKey>>,
}

impl TagKeys {
    /// Understands the definition of a tag, or says what is not understood. The letters are those of the dialect.
    pub fn new(header: &TagHeader, dbf: &Dbf) -> Result<TagKeys> {
        TagKeys::by(Rules::of(header.kind, header.by_harbour, dbf), header, dbf)
    }

    fn by(rules: Rules, header: &TagHeader, dbf: &Dbf) -> Result<TagKeys> {
        let expressions = Expressions::compile(&header.key_bytes, header.for_bytes.as_deref(), rules, dbf)?;
        let Expressions { key, condition, condition_is_not_deleted, family, nullable, advantage } = expressions;
        let key_type = match &advantage {
            Some(parts) => parts.key_type(header)?,
            None => KeyType::new(header, family, nullable)?,
        };
        let key_type = key_type.in_order(rules.order);
        let (letters, ignore_case) = (rules.letters, header.ignore_case);
        Ok(TagKeys { key, condition, condition_is_not_deleted, key_type, letters, ignore_case, advantage })
    }

    /// Returns true if the record belongs into the tag, by its condition.
    pub fn lists(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<bool> {
        // Advantage takes the keys of deleted records out.
        if let Some(parts) = &self.advantage {
            let is_deleted = RecordLayout::Adt.is_deleted(record);
            return match &parts.listing {
                Some(listing) if !is_deleted => listing.is_true(scratch, record, recno),
                _ => Ok(!is_deleted),
            };
        }
        match &self.condition {
            None => Ok(true),
            Some(condition) => Ok(condition.evaluate(scratch, record, recno)? == ExprValue::Logical(true)),
        }
    }

    /// True if some records do not belong into the tag: those for which its condition is not true, and of Advantage's tags deleted ones.
    pub(crate) fn leaves_out_records(&self) -> bool {
        self.condition.is_some() || self.advantage.is_some()
    }

    /// Adds the key that the record must have to `key`.
    pub fn write_key(&self, scratch: &mut Scratch, record: &[u8], recno: u32, key: &mut Vec<u8>) -> Result<()> {
        if let Some(parts) = &self.advantage {
            return parts.write(record, key).map_err(|error| error.at(format_args!("record {recno}")));
        }
        let start = key.len();
        let value = key_value(self.key.evaluate(scratch, record, recno)?);
        if !self.key_type.write(&value, key) {
            key.truncate(start);
            let message = "the record's key does not fit into the tag";
            return Err(Error::new(Code::InvalidValue, message).at(format!("record {recno}")));
        }
        if self.ignore_case {
            key[start..].make_ascii_uppercase();
        }
        Ok(())
    }

    /// A text that is sought, in the letters that the keys of the tag are in by themselves.
    pub fn fold<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        match &self.advantage {
            Some(parts) if parts.ignores_case() => {
                let mut folded = text.to_vec();
                parts.fold(&mut folded);
                Cow::Owned(folded)
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// True if a comparison of the key's expression with a constant, for which a NULL is blank or zero, is one with the keys.
    /// The NULLs of Advantage's keys are less than all values.
    pub fn compares_as_values(&self, constant: &Constant) -> bool {
        let Some(parts) = &self.advantage else { return true };
        match constant {
            Constant::Text(_) => !parts.ignores_case(),
            Constant::Number(number) => *number > 0.0,
            Constant::Date(day) | Constant::Timestamp(day, _) => *day > 0,
            Constant::Logical(_) => false,
        }
    }

    /// The key expression of the tag for people: with the names of fields.
    pub fn key_text(&self, header: &TagHeader) -> String {
        match &self.advantage {
            Some(parts) => parts.names.0.clone(),
            None => header.key_text().into_owned(),
        }
    }

    /// The same in the code page of the table, as conditions have it.
    pub fn key_bytes<'h>(&'h self, header: &'h TagHeader) -> &'h [u8] {
        self.advantage.as_ref().map_or(&header.key_bytes, |parts| parts.names.0.as_bytes())
    }

    /// The FOR condition likewise.
    pub fn condition_text(&self, header: &TagHeader) -> Option<String> {
        match &self.advantage {
            Some(parts) => parts.names.1.clone(),
            None => header.for_text().map(Cow::into_owned),
        }
    }

    /// True if the keys are several values side by side.
    pub(crate) fn has_parts(&self) -> bool {
        self.advantage.as_ref().is_some_and(|parts| parts.has_parts())
    }

    /// The parts of such keys, and the types of the keys that they would have by themselves.
    pub(crate) fn own_parts(&self) -> Option<(&[KeyPart], &[KeyType])> {
        let (parts, types) = self.advantage.as_ref()?.searched.as_ref()?;
        Some((parts, types))
    }

    /// The value of the record's key for people: a text in quotation marks, without the blanks at its end.
    pub(crate) fn shown(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Option<String> {
        Some(match self.key.evaluate(scratch, record, recno).ok()? {
            ExprValue::Character(text) => {
                let text = String::from_utf8_lossy(text);
                format!("'{}'", text.trim_end_matches(' ').replace('\'', "''"))
            }
            ExprValue::Number(number) => number.to_string(),
            ExprValue::Date(julian) => Date::from_julian(julian).to_string(),
            ExprValue::Timestamp { day, ms } => {
                Timestamp::new(Date::from_julian(day), u32::try_from(ms).unwrap_or(0)).to_string()
            }
            ExprValue::Logical(value) => if value { "TRUE" } else { "FALSE" }.to_owned(),
            ExprValue::Null => "NULL".to_owned(),
        })
    }

    /// The key that the record must have.
    pub fn key_of(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<Vec<u8>> {
        let mut key = Vec::with_capacity(self.key_type.key_len());
        self.write_key(scratch, record, recno, &mut key)?;
        Ok(key)
    }
}

/// Conventions of an index's program that only the keys reveal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conventions {
    /// The letters of UPPER() and LOWER().
    pub letters: Letters,
    /// The order of texts.
    pub order: KeyOrder,
}

/// The interpretation of an index's expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) kind: BagKind,
    pub(crate) dialect: Dialect,
    pub(crate) letters: Letters,
    pub(crate) order: KeyOrder,
}

impl Rules {
    /// Those of an index of a table: in files of Visual FoxPro that's, unless FoxPro has nothing to do with the index. To the
    /// others a NULL is a blank.
    pub(crate) fn of(kind: BagKind, by_harbour: bool, dbf: &Dbf) -> Rules {
        let is_foxpros = !by_harbour && !matches!(kind, BagKind::Ntx | BagKind::CompoundNtx);
        let dialect = match kind {
            // Advantage's tables have NULLs, and a condition that is NULL lists no record.
            BagKind::Adi => Dialect::FoxPro,
            _ if is_foxpros => dialect_of(dbf),
            _ => Dialect::Clipper,
        };
        Rules { kind, dialect, letters: Letters::of(dialect), order: KeyOrder::Bytes }
    }
}

/// The dialect of the programs that a table is of.
fn dialect_of(dbf: &Dbf) -> Dialect {
    match dbf.header().family() {
        Family::VisualFoxPro => Dialect::FoxPro,
        _ => Dialect::Clipper,
    }
}

/// The expressions of a tag that exists or is to be made.
#[derive(Debug)]
pub(crate) struct Expressions {
    pub(crate) key: Compiled,
    pub(crate) condition: Option<Compiled>,
    pub(crate) condition_is_not_deleted: bool,
    /// The type of the key expression's values.
    pub(crate) family: KeyFamily,
    /// True if a key can be NULL.
    pub(crate) nullable: bool,
    /// The parts of an Advantage key.
    pub(crate) advantage: Option<Arc<AdvantageKey>>,
}

impl Expressions {
    /// Compiles them against the fields of a table.
    pub(crate) fn compile(key: &[u8], condition: Option<&[u8]>, rules: Rules, dbf: &Dbf) -> Result<Expressions> {
        if rules.kind == BagKind::Adi {
            return Expressions::compile_advantage(key, condition, rules, dbf);
        }
        let Rules { dialect, letters, .. } = rules;
        let context = Context { dialect, case: letters.table(dbf), ..Context::new(dbf.fields()) };
        let key = Expression::parse(key)?.compile(&context)?;
        let mut condition_is_not_deleted = false;
        let condition = match condition {
            Some(text) => {
                let condition = Expression::parse(text)?;
                condition_is_not_deleted = condition.is_not_deleted();
                Some(condition.compile(&context)?)
            }
            None => None,
        };
        let is_nullable = |field: &usize| dbf.fields()[*field].null_bit.is_some();
        let nullable = dialect == Dialect::FoxPro && key.fields().iter().any(is_nullable);
        let family = family(&key, dbf);
        Ok(Expressions { key, condition, condition_is_not_deleted, family, nullable, advantage: None })
    }

    /// The same of an ADI, whose expressions have fields by their numbers.
    fn compile_advantage(key: &[u8], condition: Option<&[u8]>, rules: Rules, dbf: &Dbf) -> Result<Expressions> {
        let Rules { dialect, letters, .. } = rules;
        let fields = advantage::numbered(dbf.fields());
        let context = Context { dialect, case: letters.table(dbf), ..Context::new(&fields) };
        let mut parts = AdvantageKey::parse(key, dbf, letters.table(dbf))?;
        parts.names = (advantage::to_names(key, dbf), condition.map(|text| advantage::to_names(text, dbf)));
        let key = Expression::parse(parts.expression())?.compile(&context)?;
        let condition = condition.map(|text| Expression::parse(advantage::condition(text))).transpose()?;
        let listing = condition.as_ref().map(|condition| ListedIf::compile(&condition.condition(), &context));
        parts.listing = listing.transpose()?;
        parts.searched = parts.compile_parts(&context)?;
        let condition = condition.map(|condition| condition.compile(&context));
        Ok(Expressions {
            family: parts.form().family(),
            key,
            condition: condition.transpose()?,
            condition_is_not_deleted: false,
            nullable: false,
            advantage: Some(Arc::new(parts)),
        })
    }

    /// The length of the keys of an ADI, and how they are stored.
    pub(crate) fn advantage_keys(&self) -> Option<(usize, KeyForm)> {
        self.advantage.as_ref().map(|parts| (parts.key_len(), parts.form()))
    }
}

/// The FOR condition of a tag of an ADI as an xBase expression, and the fields under the names that it gives them.
pub(crate) fn advantage_condition(text: &[u8], dbf: &Dbf) -> (Vec<u8>, Vec<Field>) {
    (advantage::condition(text), advantage::numbered(dbf.fields()))
}

/// The texts of a tag of an ADI with the names of the fields that it has in this table.
pub(crate) fn named_texts(header: &TagHeader, dbf: &Dbf) -> (Vec<u8>, Option<Vec<u8>>) {
    let named = |text: &[u8]| {
        let names = advantage::to_names(text, dbf);
        dbf.code_page().encode(&names).unwrap_or_else(|| names.into_bytes())
    };
    (named(&header.key_bytes), header.for_bytes.as_deref().map(named))
}

/// The texts of a new tag of an ADI as the file has them: fields by their numbers.
pub(crate) fn advantage_texts(key: &[u8], condition: Option<&[u8]>, dbf: &Dbf) -> (Vec<u8>, Option<Vec<u8>>) {
    (advantage::key_to_file(key, dbf), condition.map(|text| advantage::to_file(text, dbf)))
}

impl Expressions {
    /// Refuses a condition that is neither true nor false: a tag that is made with it would list nothing.
    pub(crate) fn check_condition(&self) -> Result<()> {
        match self.condition.as_ref().map(|condition| condition.result_type().kind) {
            None | Some(Kind::Logical) => Ok(()),
            Some(kind) => {
                let message = format!("the condition of a tag is logical, and this one is {}", kind.name());
                Err(Error::new(Code::TypeMismatch, message))
            }
        }
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
pub(crate) fn key_value(value: ExprValue<'_>) -> KeyValue<'_> {
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
