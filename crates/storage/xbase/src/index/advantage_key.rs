//! The bytes of keys in Advantage's index files.
//!
//! Every type has a fixed length and its own NULL, which comes before all its values. Nothing in the header names the
//! type; the fields of the key expression do. Sources: `docs/formats/adi.md`, section "Keys", with the evidence for each
//! row.
//!
//! | form | bytes | value | NULL |
//! |---|---|---|---|
//! | text | the field's | its bytes, blanks to the end | zeros |
//! | double | 8 | IEEE double, big-endian, sign turned into order: Integer, ShortInt, AutoIncrement, Double, CurDouble | zeros |
//! | date | 8 | the Julian day as a double | zeros |
//! | currency | 8 | ten-thousandths, big-endian, sign bit turned over: Money | zeros |
//! | long integer | 8 | big-endian, sign bit turned over: LongInt, RowVersion | zeros |
//! | timestamp | 4 + 4 | Julian day, milliseconds of the day plus 1, big-endian | zeros |
//! | logical | 1 | `F`, `T` | blank |
//! | parts | any | several of these side by side, made by the caller | each its own |
//!
//! Limits: the forms of Numeric, Time and Raw fields are not known well enough to be written, so tags over them have no
//! [`KeyForm`] but `Parts`, in which they can be walked and not searched.

use super::key::{
    EncodedKey, KeyFamily, KeyValue, day_and_ms, day_of, double_of, encode_text, encode_whole, ordered_double,
};
use mainstay_types::{Date, Decimal, Timestamp};
use std::borrow::Cow;

/// The storage format of the keys of an Advantage tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// Text, as the key expression yields it: a field, `UPPER()` of it, or the small letters of a CICharacter.
    Text,
    /// A double.
    Double,
    /// A day as a double.
    Date,
    /// Ten-thousandths.
    Currency,
    /// A whole number of 64 bits.
    LongInteger,
    /// A day and the milliseconds since it began.
    Timestamp,
    /// True or false.
    Logical,
    /// Several parts side by side.
    Parts {
        /// The last of them is text.
        text_last: bool,
    },
}

/// The byte of NULL in a logical key.
const BLANK: u8 = b' ';

impl KeyForm {
    /// The form of the keys of a family, unless the type of the field asks for another.
    pub fn of(family: KeyFamily) -> KeyForm {
        match family {
            KeyFamily::Character => KeyForm::Text,
            KeyFamily::Number => KeyForm::Double,
            KeyFamily::Currency => KeyForm::Currency,
            KeyFamily::Date => KeyForm::Date,
            KeyFamily::Timestamp => KeyForm::Timestamp,
            KeyFamily::Logical => KeyForm::Logical,
            KeyFamily::Parts => KeyForm::Parts { text_last: false },
        }
    }

    /// Bytes of a key; `None` where the field or the parts decide.
    pub fn key_len(self) -> Option<usize> {
        match self {
            KeyForm::Text | KeyForm::Parts { .. } => None,
            KeyForm::Logical => Some(1),
            _ => Some(8),
        }
    }

    /// The byte that leaves cut off at the end of keys: header, byte 15.
    pub fn pad(self) -> u8 {
        if matches!(self, KeyForm::Text | KeyForm::Parts { text_last: true }) { b' ' } else { 0 }
    }

    /// The types of the values that the keys are made of.
    pub fn family(self) -> KeyFamily {
        match self {
            KeyForm::Text => KeyFamily::Character,
            KeyForm::Double | KeyForm::LongInteger => KeyFamily::Number,
            KeyForm::Date => KeyFamily::Date,
            KeyForm::Currency => KeyFamily::Currency,
            KeyForm::Timestamp => KeyFamily::Timestamp,
            KeyForm::Logical => KeyFamily::Logical,
            KeyForm::Parts { .. } => KeyFamily::Parts,
        }
    }

    /// The key of NULL, in a tag of keys of this length.
    fn null(self, len: usize) -> Vec<u8> {
        vec![if self == KeyForm::Logical { BLANK } else { 0 }; len]
    }

    /// Adds the key of a record's value; a text that is too long is cut. False if it has none.
    pub(super) fn write(self, value: &KeyValue<'_>, len: usize, key: &mut Vec<u8>) -> bool {
        match (self, value) {
            (KeyForm::Text, KeyValue::Character(text)) => {
                let end = key.len() + len;
                key.extend_from_slice(&text[..text.len().min(len)]);
                key.resize(end, b' ');
                true
            }
            (KeyForm::Parts { .. }, KeyValue::Character(bytes)) if bytes.len() == len => {
                key.extend_from_slice(bytes);
                true
            }
            _ => match self.encode(value, len) {
                Some(EncodedKey::Exact(bytes) | EncodedKey::Shared(bytes)) => {
                    key.extend_from_slice(&bytes);
                    true
                }
                _ => false,
            },
        }
    }

    /// The key of a value that is sought. `None` for values of another family.
    pub(super) fn encode(self, value: &KeyValue<'_>, len: usize) -> Option<EncodedKey> {
        use EncodedKey::{Exact, Shared};
        let double = |number: f64| Exact(ordered_double(number).to_vec());
        Some(match (self, value) {
            (KeyForm::Parts { .. }, _) => return None,
            (_, KeyValue::Null) => Exact(self.null(len)),
            (KeyForm::Date | KeyForm::Timestamp, KeyValue::BlankDate) => Exact(self.null(len)),
            (KeyForm::Text, KeyValue::Character(text)) => encode_text(text, len),
            (KeyForm::Double, KeyValue::Float(number)) if !number.is_nan() => double(*number),
            (KeyForm::Double, KeyValue::Decimal(number)) => {
                let key = ordered_double(number.to_f64()).to_vec();
                if is_exact_double(*number) { Exact(key) } else { Shared(key) }
            }
            (KeyForm::Currency, value) => encode_whole(value.to_decimal()?, 4, 8),
            (KeyForm::LongInteger, value) => encode_whole(value.to_decimal()?, 0, 8),
            (KeyForm::Date, KeyValue::Date(day)) => double(f64::from(day.julian())),
            (KeyForm::Date, KeyValue::Timestamp(moment)) if moment.is_whole_ms() => match day_and_ms(*moment) {
                (day, 0) => double(f64::from(day.julian())),
                (day, _) => EncodedKey::After(ordered_double(f64::from(day.julian())).to_vec()),
            },
            (KeyForm::Timestamp, KeyValue::Date(day)) => moment_key(*day, 0),
            (KeyForm::Timestamp, KeyValue::Timestamp(moment)) if moment.is_whole_ms() => {
                let (day, ms) = day_and_ms(*moment);
                moment_key(day, ms)
            }
            (KeyForm::Logical, KeyValue::Logical(value)) => Exact(vec![if *value { b'T' } else { b'F' }]),
            _ => return None,
        })
    }

    /// The value of a key. `None` when the bytes are no key of this form; of `Parts` they are always that.
    pub(super) fn decode(self, key: &[u8]) -> Option<KeyValue<'_>> {
        if !matches!(self, KeyForm::Parts { .. }) && key.iter().all(|byte| *byte == self.null(1)[0]) {
            return Some(KeyValue::Null);
        }
        Some(match self {
            KeyForm::Text | KeyForm::Parts { .. } => KeyValue::Character(Cow::Borrowed(key)),
            KeyForm::Double => KeyValue::Float(double_of(key)?),
            KeyForm::Date => day_of(double_of(key)?)?,
            KeyForm::Currency => KeyValue::Decimal(Decimal::new(whole_of(key)?, 4)),
            KeyForm::LongInteger => KeyValue::Decimal(Decimal::new(whole_of(key)?, 0)),
            KeyForm::Timestamp => {
                let (day, ms) = (u32::from_be_bytes(*key.first_chunk()?), u32::from_be_bytes(*key.last_chunk()?));
                let ms = ms.checked_sub(1).filter(|ms| *ms < MS_OF_DAY)?;
                let day = i32::try_from(day).ok().filter(|day| *day <= 10_000_000)?;
                KeyValue::Timestamp(Timestamp::new(Date::from_julian(day), ms))
            }
            KeyForm::Logical => match key.first()? {
                b'T' => KeyValue::Logical(true),
                b'F' => KeyValue::Logical(false),
                _ => return None,
            },
        })
    }
}

const MS_OF_DAY: u32 = 86_400_000;

/// True if doubles distinguish this number from all others of up to 15 digits.
fn is_exact_double(number: Decimal) -> bool {
    number.unscaled.unsigned_abs().to_string().trim_end_matches('0').len() <= 15
}

fn whole_of(key: &[u8]) -> Option<i128> {
    let number = u64::from_be_bytes(key.try_into().ok()?) ^ 1 << 63;
    Some(i128::from(number as i64))
}

fn moment_key(day: Date, ms: u32) -> EncodedKey {
    match u32::try_from(day.julian()) {
        Ok(day) => EncodedKey::Exact([day.to_be_bytes(), (ms + 1).to_be_bytes()].concat()),
        Err(_) => EncodedKey::BelowAll,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(form: KeyForm, len: usize, value: &KeyValue<'_>) -> Vec<u8> {
        match form.encode(value, len) {
            Some(EncodedKey::Exact(key)) => key,
            other => panic!("{form:?} {value:?}: {other:?}"),
        }
    }

    /// The examples of the format's page: keys that servers wrote.
    #[test]
    fn keys_are_those_of_the_page() {
        let money = KeyValue::Decimal(Decimal::new(123_456, 4));
        assert_eq!(exact(KeyForm::Currency, 8, &money), [0x80, 0, 0, 0, 0, 1, 0xE2, 0x40]);
        // Julian day 2440588 is 1970-01-01.
        let epoch = KeyValue::Timestamp(Timestamp::new(Date::from_julian(2_440_588), 0));
        assert_eq!(exact(KeyForm::Timestamp, 8, &epoch), [0, 0x25, 0x3D, 0x8C, 0, 0, 0, 1]);
        assert_eq!(exact(KeyForm::Double, 8, &KeyValue::Float(1.0)), [0xBF, 0xF0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(exact(KeyForm::Double, 8, &KeyValue::Float(-1.0)), [0x40, 0x0F, 255, 255, 255, 255, 255, 255]);
        assert_eq!(exact(KeyForm::LongInteger, 8, &KeyValue::Float(1.0)), [0x80, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(exact(KeyForm::Logical, 1, &KeyValue::Null), b" ");
        assert_eq!(exact(KeyForm::Text, 3, &KeyValue::Null), [0; 3]);
        assert_eq!(exact(KeyForm::Text, 3, &KeyValue::Character(b"a"[..].into())), b"a  ");
    }

    #[test]
    fn keys_are_in_the_order_of_their_values_and_come_back() {
        let day = |julian| KeyValue::Date(Date::from_julian(julian));
        let moment = |julian, ms| KeyValue::Timestamp(Timestamp::new(Date::from_julian(julian), ms));
        let number = |unscaled, scale| KeyValue::Decimal(Decimal::new(unscaled, scale));
        let text = |bytes: &'static [u8]| KeyValue::Character(bytes.into());
        let rising = [
            (KeyForm::Double, vec![-1e300, -2.0, -0.5, 0.0, 0.5, 3.0].into_iter().map(KeyValue::Float).collect()),
            (KeyForm::Date, vec![day(1), day(2_440_588), day(2_440_589)]),
            (KeyForm::Currency, vec![number(-922_337_203_685_477, 4), number(-1, 4), number(0, 4), number(5, 4)]),
            (KeyForm::LongInteger, vec![number(-5, 0), number(0, 0), number(1 << 60, 0)]),
            (KeyForm::Timestamp, vec![moment(1, 0), moment(1, 5), moment(2, 0), moment(2, 86_399_999)]),
            (KeyForm::Logical, vec![KeyValue::Logical(false), KeyValue::Logical(true)]),
            (KeyForm::Text, vec![text(b"    "), text(b"A   "), text(b"a   "), text(b"\xE9   ")]),
        ];
        for (form, values) in rising {
            let len = form.key_len().unwrap_or(4);
            let mut before = exact(form, len, &KeyValue::Null);
            assert_eq!(form.decode(&before), Some(KeyValue::Null));
            for value in &values {
                let key = exact(form, len, value);
                assert!(key > before, "{form:?} {value:?}");
                assert_eq!(form.decode(&key).as_ref(), Some(value));
                before = key;
            }
        }
    }

    #[test]
    fn what_has_no_key_is_told_apart() {
        let between = KeyForm::Currency.encode(&KeyValue::Decimal(Decimal::new(1_234_567, 6)), 8);
        assert!(matches!(between, Some(EncodedKey::After(_))));
        assert_eq!(KeyForm::Double.encode(&KeyValue::Float(f64::NAN), 8), None);
        assert_eq!(KeyForm::Text.encode(&KeyValue::Float(1.0), 8), None);
        assert_eq!(KeyForm::Parts { text_last: true }.encode(&KeyValue::Null, 8), None);
        assert_eq!(KeyForm::Timestamp.decode(&[0, 0, 0, 1, 0, 0, 0, 0]), None, "no milliseconds at all");
        let mut key = Vec::new();
        assert!(KeyForm::Text.write(&KeyValue::Character(b"abcd"[..].into()), 2, &mut key) && key == b"ab");
        assert!(!KeyForm::Parts { text_last: true }.write(&KeyValue::Character(b"abcd"[..].into()), 2, &mut key));
    }
}
