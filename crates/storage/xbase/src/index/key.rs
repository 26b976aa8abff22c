//! Typed keys and their bytes.
//!
//! Whatever its type, a key is stored so that the order of its bytes is the order of its values; texts may have a national
//! order instead ([`KeyOrder`]). CDX and
//! IDX store numbers as big-endian doubles with the sign turned into order; NTX stores the digits as text.
//!
//! | value | CDX, IDX | NTX |
//! |---|---|---|
//! | character | the text, blanks to the end | the same |
//! | number | double, 8 bytes | digits with leading zeros; a negative as `,` and digits `,` down to `#` |
//! | integer (VFP field type I) | 4 bytes | |
//! | currency (VFP field type Y) | 8 bytes, in ten-thousandths | |
//! | date | double of the Julian day, empty = 0 | `YYYYMMDD`, empty = blanks |
//! | timestamp | double of Julian day and fraction | `YYYYMMDDhhmmssmmm`, empty = zeros |
//! | logical | `T` or `F` | the same |
//!
//! The keys of Advantage's files (ADI) are in `advantage_key.rs`.
//!
//! A VFP key over fields that may be NULL has one more byte in front: 0x80 before a value, 0x00 before NULL.
//!
//! **Searching with a value that no key can have.** A range over a tag is only right when its bounds mean in
//! bytes what they mean in values. [`KeyType::encode`] therefore distinguishes a value that has exactly one key, one
//! that lies between two keys, and one that shares its key with other values.

use super::advantage_key::KeyForm;
use super::header::{BagKind, TagHeader};
use crate::collation::KeyOrder;
use mainstay_types::{Code, Date, Decimal, Error, Result, Timestamp};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The families of key values, as the key expression yields them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFamily {
    /// Text.
    Character,
    /// Numbers of any field type but those below.
    Number,
    /// Exactly a field of type Y.
    Currency,
    /// Days.
    Date,
    /// Days with a time.
    Timestamp,
    /// True or false.
    Logical,
    /// Several values side by side, of which the caller makes the bytes (ADI).
    Parts,
}

/// The storage of the keys of one tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyType {
    storage: Storage,
    len: usize,
    nullable: bool,
    order: KeyOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Character,
    Double,
    Integer,
    Currency,
    DateDouble,
    TimestampDouble,
    Logical,
    Digits { decimals: u8 },
    DateText,
    TimestampText,
    Advantage(KeyForm),
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue<'a> {
    /// NULL, in a tag that can hold it.
    Null,
    /// Text, in the code page of the table.
    Character(Cow<'a, [u8]>),
    /// An exact number.
    Decimal(Decimal),
    /// A double.
    Float(f64),
    /// The empty date, which comes before all others.
    BlankDate,
    /// A day.
    Date(Date),
    /// A moment, in whole milliseconds: keys hold nothing finer.
    Timestamp(Timestamp),
    /// True or false.
    Logical(bool),
}

/// A value encoded as bytes of a tag's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodedKey {
    /// This key, and no other value has it (numbers: among those of up to 15 digits).
    Exact(Vec<u8>),
    /// Other values have this key too: use it as an included bound, and compare the rows again.
    Shared(Vec<u8>),
    /// No key; this is the greatest that comes before the value, and the next one comes after it.
    After(Vec<u8>),
    /// Less than every key the tag can hold.
    BelowAll,
    /// Greater than every key the tag can hold.
    AboveAll,
}

impl KeyType {
    /// The type of a tag's keys: its header says where and how long, the family what its expression yields.
    /// `nullable` is meant for Visual FoxPro: whether a field in the expression may be NULL.
    pub fn new(header: &TagHeader, family: KeyFamily, nullable: bool) -> Result<KeyType> {
        if header.kind == BagKind::Adi {
            let form = match KeyForm::of(family) {
                KeyForm::Parts { .. } => KeyForm::Parts { text_last: header.pad == Some(b' ') },
                form => form,
            };
            return KeyType::in_form(header, form);
        }
        let is_ntx = matches!(header.kind, BagKind::Ntx | BagKind::CompoundNtx);
        let fixed = |len: usize| header.key_length == len || (nullable && header.key_length == len + 1);
        let storage = match family {
            KeyFamily::Character => Some(Storage::Character),
            KeyFamily::Number | KeyFamily::Currency if is_ntx => Some(Storage::Digits { decimals: header.decimals }),
            KeyFamily::Number if fixed(4) => Some(Storage::Integer),
            KeyFamily::Currency if fixed(8) && !header.by_harbour => Some(Storage::Currency),
            KeyFamily::Number | KeyFamily::Currency => fixed(8).then_some(Storage::Double),
            KeyFamily::Date if is_ntx => fixed(8).then_some(Storage::DateText),
            KeyFamily::Date => fixed(8).then_some(Storage::DateDouble),
            KeyFamily::Timestamp if is_ntx => fixed(17).then_some(Storage::TimestampText),
            KeyFamily::Timestamp => fixed(8).then_some(Storage::TimestampDouble),
            KeyFamily::Logical => fixed(1).then_some(Storage::Logical),
            KeyFamily::Parts => None,
        };
        let Some(storage) = storage else { return Err(wrong_length(header, family)) };
        let marked = match storage {
            Storage::Character => nullable && !is_ntx,
            Storage::Digits { .. } => false,
            storage => storage.len() != Some(header.key_length),
        };
        Ok(KeyType { storage, len: header.key_length, nullable: marked, order: KeyOrder::Bytes })
    }

    /// The type of an Advantage tag's keys, in the form that the types of its fields ask for.
    pub fn in_form(header: &TagHeader, form: KeyForm) -> Result<KeyType> {
        if header.kind != BagKind::Adi || form.key_len().is_some_and(|len| len != header.key_length) {
            return Err(wrong_length(header, form.family()));
        }
        Ok(KeyType::of_part(form, header.key_length))
    }

    /// The type of one part of an Advantage key.
    pub fn of_part(form: KeyForm, len: usize) -> KeyType {
        KeyType { storage: Storage::Advantage(form), len, nullable: false, order: KeyOrder::Bytes }
    }

    /// The form of the keys of an Advantage tag.
    pub fn form(&self) -> Option<KeyForm> {
        match self.storage {
            Storage::Advantage(form) => Some(form),
            _ => None,
        }
    }

    /// True if the keys are texts.
    fn is_text(&self) -> bool {
        matches!(self.storage, Storage::Character | Storage::Advantage(KeyForm::Text))
    }

    /// The most likely family of a tag's keys, when it is unknown: for checks only.
    pub(crate) fn guess(header: &TagHeader, root_looks_binary: bool) -> KeyType {
        let family = match header.kind {
            BagKind::Adi => KeyFamily::Parts,
            BagKind::Cdx | BagKind::CompactIdx | BagKind::PlainIdx if header.key_length == 8 && root_looks_binary => {
                KeyFamily::Number
            }
            _ => KeyFamily::Character,
        };
        let plain =
            KeyType { storage: Storage::Character, len: header.key_length, nullable: false, order: KeyOrder::Bytes };
        KeyType::new(header, family, false).unwrap_or(plain)
    }

    /// The same type in this order, if its keys are texts.
    pub fn in_order(self, order: KeyOrder) -> KeyType {
        if self.is_text() { KeyType { order, ..self } } else { self }
    }

    /// The order of the keys.
    pub fn order(&self) -> KeyOrder {
        self.order
    }

    /// Bytes of a key.
    pub fn key_len(&self) -> usize {
        self.len
    }

    /// The family of the keys' values.
    pub fn family(&self) -> KeyFamily {
        match self.storage {
            Storage::Character => KeyFamily::Character,
            Storage::Double | Storage::Integer | Storage::Digits { .. } => KeyFamily::Number,
            Storage::Currency => KeyFamily::Currency,
            Storage::DateDouble | Storage::DateText => KeyFamily::Date,
            Storage::TimestampDouble | Storage::TimestampText => KeyFamily::Timestamp,
            Storage::Logical => KeyFamily::Logical,
            Storage::Advantage(form) => form.family(),
        }
    }

    /// True if a mark in front of the keys tells NULL from values (Visual FoxPro).
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// The byte that packed leaves leave out at the end of keys.
    pub(crate) fn pad(&self) -> u8 {
        match self.storage {
            Storage::Character => b' ',
            Storage::Advantage(form) => form.pad(),
            _ => 0,
        }
    }

    fn value_len(&self) -> usize {
        self.len.saturating_sub(usize::from(self.nullable))
    }

    /// The key of a value. `None` when the value is of another family than the keys, or a moment between two
    /// milliseconds.
    pub fn encode(&self, value: &KeyValue<'_>) -> Option<EncodedKey> {
        if let Storage::Advantage(form) = self.storage {
            return form.encode(value, self.len);
        }
        if *value == KeyValue::Null {
            return Some(if self.nullable { EncodedKey::Exact(vec![0; self.len]) } else { EncodedKey::BelowAll });
        }
        let encoded = self.encode_value(value)?;
        Some(if self.nullable { encoded.map(|key| [&[0x80], &*key].concat()) } else { encoded })
    }

    /// Adds the key of a record's value to `key`: as [`KeyType::encode`], but a text that is longer than the keys is
    /// cut, as every program does, and what is mostly asked for allocates nothing. False if the tag cannot hold it.
    pub(crate) fn write(&self, value: &KeyValue<'_>, key: &mut Vec<u8>) -> bool {
        if self.nullable && *value != KeyValue::Null {
            key.push(0x80);
        }
        match (self.storage, value) {
            (Storage::Advantage(form), value) => return form.write(value, self.len, key),
            (Storage::Character, KeyValue::Character(text)) => {
                let end = key.len() + self.value_len();
                key.extend_from_slice(&text[..text.len().min(self.value_len())]);
                key.resize(end, b' ');
            }
            (Storage::Double, KeyValue::Float(number)) if !number.is_nan() => {
                key.extend_from_slice(&ordered_double(*number));
            }
            (Storage::DateDouble, KeyValue::Date(day)) => {
                key.extend_from_slice(&ordered_double(f64::from(day.julian())));
            }
            (Storage::Logical, KeyValue::Logical(value)) => key.push(if *value { b'T' } else { b'F' }),
            (Storage::Digits { decimals: 0 }, KeyValue::Float(number)) if is_whole(*number) => {
                return write_digits(*number as i64, self.len, key);
            }
            (_, KeyValue::Null) if !self.nullable => return false,
            (_, KeyValue::Null) => key.resize(key.len() + self.len, 0),
            _ => match self.encode_value(value) {
                Some(EncodedKey::Exact(bytes) | EncodedKey::Shared(bytes)) => key.extend_from_slice(&bytes),
                _ => return false,
            },
        }
        true
    }

    /// The bytes that the keys of all texts begin with that begin with `text`: for `LIKE 'abc%'` and for
    /// seeks with a part of a key. Not for keys of other types than character.
    pub fn encode_prefix(&self, text: &[u8]) -> Vec<u8> {
        let mark = if self.nullable { &[0x80][..] } else { &[] };
        [mark, &text[..text.len().min(self.value_len())]].concat()
    }

    fn encode_value(&self, value: &KeyValue<'_>) -> Option<EncodedKey> {
        use EncodedKey::{Exact, Shared};
        if matches!(value, KeyValue::Timestamp(moment) if !moment.is_whole_ms()) {
            return None;
        }
        let double = |number: f64| Exact(ordered_double(number).to_vec());
        Some(match (self.storage, value) {
            (Storage::Character, KeyValue::Character(text)) => encode_text(text, self.value_len()),
            (Storage::Double, KeyValue::Decimal(number)) => {
                let key = ordered_double(number.to_f64()).to_vec();
                if digits(*number) > 15 { Shared(key) } else { Exact(key) }
            }
            (Storage::Double, KeyValue::Float(number)) if !number.is_nan() => double(*number),
            (Storage::Integer, value) => encode_whole(value.to_decimal()?, 0, 4),
            (Storage::Currency, value) => encode_whole(value.to_decimal()?, 4, 8),
            (Storage::Digits { decimals }, value) => encode_digits(value.to_decimal()?, self.len, decimals),
            (Storage::DateDouble | Storage::TimestampDouble, KeyValue::BlankDate) => double(0.0),
            (Storage::DateDouble | Storage::TimestampDouble, KeyValue::Date(day)) => double(f64::from(day.julian())),
            (Storage::DateDouble, KeyValue::Timestamp(moment)) => match day_and_ms(*moment) {
                (day, 0) => double(f64::from(day.julian())),
                (day, _) => EncodedKey::After(ordered_double(f64::from(day.julian())).to_vec()),
            },
            (Storage::TimestampDouble, KeyValue::Timestamp(moment)) => {
                let (day, ms) = day_and_ms(*moment);
                // Two programs may round the fraction differently, by far less than a millisecond.
                let key = ordered_double(f64::from(day.julian()) + f64::from(ms) / DAY_MS).to_vec();
                if ms == 0 { Exact(key) } else { Shared(key) }
            }
            (Storage::Logical, KeyValue::Logical(value)) => Exact(vec![if *value { b'T' } else { b'F' }]),
            (Storage::DateText, KeyValue::BlankDate) => Exact(vec![b' '; 8]),
            (Storage::TimestampText, KeyValue::BlankDate) => Exact(vec![b'0'; 17]),
            (Storage::DateText, KeyValue::Date(day)) => day_text(*day).map_or_else(EncodedKey::from, Exact),
            (Storage::DateText, KeyValue::Timestamp(moment)) => {
                match (day_text(moment.date()), day_and_ms(*moment).1) {
                    (Ok(text), 0) => Exact(text),
                    (Ok(text), _) => EncodedKey::After(text),
                    (Err(side), _) => side.into(),
                }
            }
            (Storage::TimestampText, KeyValue::Date(day)) => moment_text(*day, 0),
            (Storage::TimestampText, KeyValue::Timestamp(moment)) => {
                let (day, ms) = day_and_ms(*moment);
                moment_text(day, ms)
            }
            _ => return None,
        })
    }

    /// The value of a key. `None` when the bytes are no key of this type.
    pub fn decode<'a>(&self, key: &'a [u8]) -> Option<KeyValue<'a>> {
        let key = key.get(..self.len)?;
        let key = match (self.nullable, key) {
            (false, key) => key,
            (true, [0, ..]) => return Some(KeyValue::Null),
            (true, key) => &key[1..],
        };
        Some(match self.storage {
            Storage::Advantage(form) => return form.decode(key),
            Storage::Character => KeyValue::Character(Cow::Borrowed(key)),
            Storage::Double => KeyValue::Float(double_of(key)?),
            Storage::Integer => {
                let number = u32::from_be_bytes(key.try_into().ok()?) ^ 1 << 31;
                KeyValue::Decimal(Decimal::new(i128::from(number as i32), 0))
            }
            Storage::Currency => {
                let number = u64::from_be_bytes(key.try_into().ok()?) ^ 1 << 63;
                KeyValue::Decimal(Decimal::new(i128::from(number as i64), 4))
            }
            Storage::DateDouble => day_of(double_of(key)?)?,
            Storage::TimestampDouble => moment_of(double_of(key)?)?,
            Storage::Logical => KeyValue::Logical(key.first() == Some(&b'T')),
            Storage::Digits { .. } => KeyValue::Decimal(decode_digits(key)?),
            Storage::DateText if key.trim_ascii().is_empty() => KeyValue::BlankDate,
            Storage::TimestampText if key.iter().all(|byte| matches!(byte, b'0' | b' ')) => KeyValue::BlankDate,
            Storage::DateText => KeyValue::Date(parse_day(key)?),
            Storage::TimestampText => {
                let number = |range| std::str::from_utf8(key.get(range)?).ok()?.parse::<u32>().ok();
                let (hours, minutes, seconds, ms) = (number(8..10)?, number(10..12)?, number(12..14)?, number(14..17)?);
                KeyValue::Timestamp(Timestamp::new(
                    parse_day(key.get(..8)?)?,
                    ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms,
                ))
            }
        })
    }
}

impl Storage {
    fn len(self) -> Option<usize> {
        match self {
            Storage::Character | Storage::Digits { .. } | Storage::Advantage(_) => None,
            Storage::Integer => Some(4),
            Storage::Logical => Some(1),
            Storage::TimestampText => Some(17),
            _ => Some(8),
        }
    }
}

impl KeyValue<'_> {
    pub(super) fn to_decimal(&self) -> Option<Decimal> {
        match self {
            KeyValue::Decimal(number) => Some(*number),
            // The shortest text that gives this double is what a person would have written.
            KeyValue::Float(number) => format!("{number}").parse().ok(),
            _ => None,
        }
    }
}

impl EncodedKey {
    fn map(self, change: impl Fn(Vec<u8>) -> Vec<u8>) -> EncodedKey {
        match self {
            EncodedKey::Exact(key) => EncodedKey::Exact(change(key)),
            EncodedKey::Shared(key) => EncodedKey::Shared(change(key)),
            EncodedKey::After(key) => EncodedKey::After(change(key)),
            outside => outside,
        }
    }
}

impl From<Ordering> for EncodedKey {
    fn from(side: Ordering) -> EncodedKey {
        if side == Ordering::Less { EncodedKey::BelowAll } else { EncodedKey::AboveAll }
    }
}

#[cold]
fn wrong_length(header: &TagHeader, family: KeyFamily) -> Error {
    let len = header.key_length;
    let message = format!("tag {}: the keys have {len} bytes, which no {family:?} key has", header.name);
    Error::new(Code::IndexDamaged, message)
}

const DAY_MS: f64 = 86_400_000.0;

/// A double as eight bytes that sort as the doubles do.
pub fn ordered_double(number: f64) -> [u8; 8] {
    // Adding zero turns -0 into 0, which is the same number and must be the same key.
    let bits = (number + 0.0).to_bits();
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    ordered.to_be_bytes()
}

pub(super) fn double_of(key: &[u8]) -> Option<f64> {
    let ordered = u64::from_be_bytes(key.try_into().ok()?);
    Some(f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered }))
}

pub(super) fn day_of(number: f64) -> Option<KeyValue<'static>> {
    let day = (0.0..=10_000_000.0).contains(&number).then_some(number as i32)?;
    Some(if day == 0 { KeyValue::BlankDate } else { KeyValue::Date(Date::from_julian(day)) })
}

/// The day, and the milliseconds since it began.
pub(super) fn day_and_ms(moment: Timestamp) -> (Date, u32) {
    let (day, ticks) = moment.split();
    (day, (ticks / 10_000) as u32)
}

fn moment_of(number: f64) -> Option<KeyValue<'static>> {
    let day = (0.0..=10_000_000.0).contains(&number).then_some(number as i32)?;
    if number == 0.0 {
        return Some(KeyValue::BlankDate);
    }
    let ms = ((number - f64::from(day)) * DAY_MS).round() as i64;
    Some(KeyValue::Timestamp(Timestamp::from_ms(Timestamp::new(Date::from_julian(day), 0).ms() + ms)?))
}

pub(super) fn encode_text(text: &[u8], len: usize) -> EncodedKey {
    let (kept, cut) = text.split_at(text.len().min(len));
    let mut key = kept.to_vec();
    key.resize(len, b' ');
    match cut.iter().find(|byte| **byte != b' ') {
        None => EncodedKey::Exact(key),
        Some(_) => EncodedKey::After(key),
    }
}

/// Significant digits.
fn digits(number: Decimal) -> usize {
    number.unscaled.unsigned_abs().to_string().trim_end_matches('0').len()
}

/// The number in units of `10^-scale`, rounded down, and whether nothing was lost.
fn floor(number: Decimal, scale: u8) -> Option<(i128, bool)> {
    if scale >= number.scale {
        let factor = 10i128.checked_pow(u32::from(scale - number.scale))?;
        return Some((number.unscaled.checked_mul(factor)?, true));
    }
    match 10i128.checked_pow(u32::from(number.scale - scale)) {
        Some(unit) => Some((number.unscaled.div_euclid(unit), number.unscaled.rem_euclid(unit) == 0)),
        None => Some((if number.unscaled < 0 { -1 } else { 0 }, number.unscaled == 0)),
    }
}

pub(super) fn encode_whole(number: Decimal, scale: u8, len: usize) -> EncodedKey {
    let sign = number.unscaled.cmp(&0);
    let Some((floor, is_exact)) = floor(number, scale) else { return sign.into() };
    let half = 1i128 << (len * 8 - 1);
    if !(-half..half).contains(&floor) {
        return sign.into();
    }
    // Adding half the range turns the sign bit over.
    let key = ((floor + half) as u64).to_be_bytes()[8 - len..].to_vec();
    if is_exact { EncodedKey::Exact(key) } else { EncodedKey::After(key) }
}

/// `0` less four: what stands for the minus sign and for the digit 0 in a negative NTX key.
const NEGATIVE_ZERO: u8 = b',';

fn encode_digits(number: Decimal, len: usize, decimals: u8) -> EncodedKey {
    let sign = number.unscaled.cmp(&0);
    let Some((floor, is_exact)) = floor(number, decimals) else { return sign.into() };
    let text = Decimal::new(floor.saturating_abs(), decimals).to_string();
    // The leftmost character of a negative number is the sign.
    let width = if floor < 0 { len.saturating_sub(1) } else { len };
    if text.len() > width {
        return sign.into();
    }
    let mut key = vec![b'0'; len - text.len()];
    key.extend_from_slice(text.as_bytes());
    if floor < 0 {
        for byte in key.iter_mut().filter(|byte| byte.is_ascii_digit()) {
            *byte = NEGATIVE_ZERO - (*byte - b'0');
        }
    }
    if is_exact { EncodedKey::Exact(key) } else { EncodedKey::After(key) }
}

/// Returns true if a double is an integer that 64 bits hold exactly.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9e15
}

/// As [`encode_digits`], for integers.
fn write_digits(number: i64, len: usize, key: &mut Vec<u8>) -> bool {
    let start = key.len();
    key.resize(start + len, b'0');
    let mut rest = number.unsigned_abs();
    for digit in key[start..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    // The leftmost character of a negative number is the sign.
    if rest > 0 || number < 0 && key[start] != b'0' {
        return false;
    }
    if number < 0 {
        key[start..].iter_mut().for_each(|digit| *digit = NEGATIVE_ZERO - (*digit - b'0'));
    }
    true
}

fn decode_digits(key: &[u8]) -> Option<Decimal> {
    let is_negative = key.first() == Some(&NEGATIVE_ZERO);
    let digit = |byte: u8| match byte {
        b'.' => Some('.'),
        byte if is_negative => NEGATIVE_ZERO.checked_sub(byte).filter(|d| *d < 10).map(|d| char::from(b'0' + d)),
        byte => byte.is_ascii_digit().then_some(char::from(byte)),
    };
    let text: String = key.iter().map(|byte| digit(*byte)).collect::<Option<_>>()?;
    let number: Decimal = text.parse().ok()?;
    Some(if is_negative { Decimal::new(-number.unscaled, number.scale) } else { number })
}

fn day_text(day: Date) -> Result<Vec<u8>, Ordering> {
    let (year, month, dom) = day.ymd();
    match year {
        ..0 => Err(Ordering::Less),
        10_000.. => Err(Ordering::Greater),
        year => Ok(format!("{year:04}{month:02}{dom:02}").into_bytes()),
    }
}

fn moment_text(day: Date, ms: u32) -> EncodedKey {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let time = format!("{:02}{:02}{:02}{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match day_text(day) {
        Ok(text) => EncodedKey::Exact([&*text, time.as_bytes()].concat()),
        Err(side) => side.into(),
    }
}

fn parse_day(text: &[u8]) -> Option<Date> {
    let number = |range| std::str::from_utf8(text.get(range)?).ok()?.parse::<u32>().ok();
    Date::from_ymd(i32::try_from(number(0..4)?).ok()?, number(4..6)?, number(6..8)?)
}
