//! A condition on one column as a range of the keys of one tag.
//!
//! A range may give more rows than the condition (the scan applies the condition again) but never fewer. Two
//! things need care. *Blanks*: the text of a CHAR column ends before its trailing blanks (and NULs), its key
//! does not, so a range for `= 'AB'` runs from `AB` filled with NULs to `AB` filled with blanks. *Order*: SQL
//! compares texts as Unicode, keys compare as bytes of a code page. The two agree wherever one side is ASCII,
//! so bounds of other texts are used for equality only.

use super::Files;
use super::tag::TableTag;
use crate::expr::{KeyPart, KeySource, Kind};
use crate::index::{EncodedKey, KeyValue};
use mainstay_base::{Date, Value};
use mainstay_table::Comparison;
use std::borrow::Cow;
use std::ops::Bound;

/// A range of the keys of a tag, from and to, in full key length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyBounds {
    pub(crate) lower: Bound<Vec<u8>>,
    pub(crate) upper: Bound<Vec<u8>>,
}

impl KeyBounds {
    /// The keys that are in both ranges.
    pub(crate) fn and(self, other: KeyBounds) -> KeyBounds {
        KeyBounds { lower: tighter(self.lower, other.lower, true), upper: tighter(self.upper, other.upper, false) }
    }

    fn from(key: Vec<u8>) -> KeyBounds {
        KeyBounds { lower: Bound::Included(key), upper: Bound::Unbounded }
    }

    fn to(key: Vec<u8>) -> KeyBounds {
        KeyBounds { lower: Bound::Unbounded, upper: Bound::Included(key) }
    }
}

/// Bounds are included or absent here; of two, the one that leaves fewer keys.
fn tighter(a: Bound<Vec<u8>>, b: Bound<Vec<u8>>, lower: bool) -> Bound<Vec<u8>> {
    match (a, b) {
        (Bound::Included(a), Bound::Included(b)) => Bound::Included(if (a < b) == lower { b } else { a }),
        (Bound::Unbounded, bound) | (bound, _) => bound,
    }
}

/// The keys of the records in which `field op value` can hold; `None` when the tag does not tell.
pub(crate) fn compare(tag: &TableTag, files: &Files, field: usize, op: Comparison, value: &Value) -> Option<KeyBounds> {
    let part = tag.first_part().filter(|part| !part.descending)?;
    let is_only_part = tag.keys().key.parts().len() == 1;
    match (&part.source, value) {
        (KeySource::Field(f), Value::Text(text)) if *f == field && part.kind == Kind::Character => {
            text_bounds(tag, files, part.length?, op, text)
        }
        (KeySource::Text { field: f, length, upper }, Value::Text(text)) if *f == field => {
            // Programs differ in which letters beyond ASCII their UPPER() changes.
            if *upper && (op != Comparison::Equal || !text.is_ascii()) {
                return None;
            }
            let text = if *upper { Cow::Owned(text.to_ascii_uppercase()) } else { Cow::Borrowed(text) };
            text_bounds(tag, files, *length, op, &text)
        }
        (KeySource::Dtos(f), Value::Date(day)) if *f == field => text_bounds(tag, files, 8, op, &day_digits(*day)?),
        (KeySource::Str { field: f, width, decimals }, value) if *f == field && op == Comparison::Equal => {
            let number = value.as_decimal()?.rescale(u8::try_from(*decimals).ok()?)?;
            let digits = number.to_string();
            (number == value.as_decimal()? && digits.len() <= *width)
                .then(|| prefix(tag, format!("{digits:>width$}").into_bytes()))
        }
        (KeySource::Field(f), value) if *f == field && is_only_part => value_bounds(tag, op, value),
        _ => None,
    }
}

/// The keys of the records in which the field is NULL because it is blank.
pub(crate) fn blank_date(tag: &TableTag, field: usize) -> Option<KeyBounds> {
    let [KeyPart { source: KeySource::Field(f), descending: false, .. }] = tag.keys().key.parts() else { return None };
    let is_date = matches!(tag.keys().key.result_type().kind, Kind::Date | Kind::Timestamp);
    if *f != field || !is_date || tag.tag.key_type().is_nullable() {
        return None;
    }
    match tag.tag.key_type().encode(&KeyValue::BlankDate)? {
        EncodedKey::Exact(key) => Some(KeyBounds { lower: Bound::Unbounded, upper: Bound::Included(key) }),
        _ => None,
    }
}

/// The key of the records whose whole key is NULL because another field than the first is: whatever the first one holds, it
/// is in no range of the tag. `None` when there are none such.
pub(crate) fn hidden(tag: &TableTag, files: &Files, field: usize) -> Option<KeyBounds> {
    let is_nullable = |other: &usize| *other != field && files.dbf.fields()[*other].null_bit.is_some();
    if !tag.tag.key_type().is_nullable() || !tag.keys().key.fields().iter().any(is_nullable) {
        return None;
    }
    match tag.tag.key_type().encode(&KeyValue::Null)? {
        EncodedKey::Exact(key) => Some(KeyBounds { lower: Bound::Included(key.clone()), upper: Bound::Included(key) }),
        _ => None,
    }
}

/// The keys of the records in which the field begins with this text.
pub(crate) fn begins_with(tag: &TableTag, files: &Files, field: usize, text: &str) -> Option<KeyBounds> {
    let part = tag.first_part().filter(|part| !part.descending)?;
    let (length, upper) = match &part.source {
        KeySource::Field(f) if *f == field && part.kind == Kind::Character => (part.length?, false),
        KeySource::Text { field: f, length, upper } if *f == field => (*length, *upper),
        _ => return None,
    };
    if upper && !text.is_ascii() {
        return None;
    }
    let text = if upper { text.to_ascii_uppercase() } else { text.to_owned() };
    let mut bytes = files.encode(&text).filter(|bytes| !bytes.is_empty())?;
    bytes.truncate(length);
    Some(prefix(tag, bytes))
}

fn day_digits(day: Date) -> Option<String> {
    let (year, month, day) = day.ymd();
    (0..=9999).contains(&year).then(|| format!("{year:04}{month:02}{day:02}"))
}

/// All the keys that begin with these bytes.
fn prefix(tag: &TableTag, bytes: Vec<u8>) -> KeyBounds {
    KeyBounds {
        lower: Bound::Included(filled(tag, bytes.clone(), 0x00)),
        upper: Bound::Included(filled(tag, bytes, 0xFF)),
    }
}

/// The bytes as a key, the rest filled with one byte.
fn filled(tag: &TableTag, bytes: Vec<u8>, fill: u8) -> Vec<u8> {
    let key_type = tag.tag.key_type();
    let mut key = if key_type.is_nullable() { vec![0x80] } else { Vec::new() };
    key.extend(bytes);
    key.resize(key_type.key_len(), fill);
    key
}

fn text_bounds(tag: &TableTag, files: &Files, length: usize, op: Comparison, text: &str) -> Option<KeyBounds> {
    let text = text.trim_end_matches(' ');
    let mut bytes = files.encode(text)?;
    if op == Comparison::Equal {
        let cut = bytes.len() > length;
        bytes.truncate(length);
        let mut padded = bytes.clone();
        padded.resize(length.max(bytes.len()), b' ');
        // Where the part is only the beginning of the field, or more parts follow, anything may follow.
        let upper = filled(tag, if cut { bytes.clone() } else { padded }, 0xFF);
        return Some(KeyBounds { lower: Bound::Included(filled(tag, bytes, 0x00)), upper: Bound::Included(upper) });
    }
    if !text.bytes().all(|byte| (0x20..0x7F).contains(&byte)) {
        return None;
    }
    bytes.truncate(length);
    match op {
        Comparison::Greater | Comparison::GreaterOrEqual => Some(KeyBounds::from(filled(tag, bytes, 0x00))),
        Comparison::Less | Comparison::LessOrEqual => Some(KeyBounds::to(filled(tag, bytes, 0xFF))),
        Comparison::Equal | Comparison::NotEqual => None,
    }
}

fn value_bounds(tag: &TableTag, op: Comparison, value: &Value) -> Option<KeyBounds> {
    let value = match value {
        Value::Integer(_) | Value::Decimal(_) => KeyValue::Decimal(value.as_decimal()?),
        Value::Float(number) => KeyValue::Float(*number),
        Value::Date(day) => KeyValue::Date(*day),
        Value::Timestamp(moment) => KeyValue::Timestamp(*moment),
        Value::Boolean(value) => KeyValue::Logical(*value),
        // xBase has no such keys.
        Value::Null | Value::Text(_) | Value::Binary(_) | Value::Time(_) => return None,
        Value::TimestampWithOffset { .. } | Value::Interval(_) | Value::Uuid(_) => return None,
    };
    let encoded = tag.tag.key_type().encode(&value)?;
    match (op, encoded) {
        (Comparison::Equal, EncodedKey::Exact(key) | EncodedKey::Shared(key)) => {
            Some(KeyBounds { lower: Bound::Included(key.clone()), upper: Bound::Included(key) })
        }
        (
            Comparison::Greater | Comparison::GreaterOrEqual,
            EncodedKey::Exact(key) | EncodedKey::Shared(key) | EncodedKey::After(key),
        ) => Some(KeyBounds::from(key)),
        (
            Comparison::Less | Comparison::LessOrEqual,
            EncodedKey::Exact(key) | EncodedKey::Shared(key) | EncodedKey::After(key),
        ) => Some(KeyBounds::to(key)),
        _ => None,
    }
}
