//! Values of columns as text of fields, and back.
//!
//! Texts are bytes of the code page of strings (`mainstay-code-page`) without the blanks at their end, numbers are written without a mask, days as `YYYYMMDD`, truth
//! values as 1 and 0, NULL as an empty field.

use arrow_schema::DataType;
use mainstay_basic_files::{FileError, FileErrorKind, Result};
use mainstay_types::{Date, Decimal, Value, ValueRef};
use std::cmp::Ordering;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    /// A number with a point.
    Decimal,
    Float,
    Boolean,
    Date,
    Binary,
    /// Values that SQL converts from text.
    Other,
}

impl Kind {
    /// The kind of the values of an expression.
    pub(crate) fn of(data_type: &DataType) -> Kind {
        match data_type {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Kind::Text,
            DataType::Dictionary(_, values) => Kind::of(values),
            DataType::Boolean => Kind::Boolean,
            DataType::Float16 | DataType::Float32 | DataType::Float64 => Kind::Float,
            DataType::Date32 | DataType::Date64 => Kind::Date,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Kind::Binary,
            other if other.is_integer() => Kind::Integer,
            other if other.is_decimal() => Kind::Decimal,
            _ => Kind::Other,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Kind::Integer | Kind::Decimal | Kind::Float | Kind::Boolean)
    }
}

/// Appends the text of a value.
pub(crate) fn append(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::Null => {}
        ValueRef::Text(text) => append_text(text, out),
        ValueRef::Binary(bytes) => out.extend_from_slice(bytes),
        ValueRef::Boolean(value) => out.push(b'0' + u8::from(value)),
        ValueRef::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Decimal(number) => out.extend_from_slice(plain(&number.to_string()).as_bytes()),
        ValueRef::Float(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Date(date) => {
            let (year, month, day) = date.ymd();
            out.extend_from_slice(format!("{year:04}{month:02}{day:02}").as_bytes());
        }
        ValueRef::Time(time) => out.extend_from_slice(time.to_string().as_bytes()),
        ValueRef::Timestamp(moment) => out.extend_from_slice(moment.to_string().as_bytes()),
        other => out.extend_from_slice(format!("{other:?}").as_bytes()),
    }
}

fn append_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&mainstay_code_page::encode(text.trim_end_matches(' ')));
}

/// Without zeros at the end of the decimals.
fn plain(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

/// The characters of bytes.
pub(crate) fn characters(bytes: &[u8]) -> String {
    mainstay_code_page::decode(bytes).into_owned()
}

/// The value that a text is in a column; NULL for an empty one. Values of kind [`Kind::Other`] stay text.
///
/// Errors: 46 for a text that is not a value of the kind.
pub(crate) fn value(bytes: &[u8], kind: Kind) -> Result<Value> {
    if kind == Kind::Binary {
        return Ok(if bytes.is_empty() { Value::Null } else { Value::Binary(bytes.to_vec()) });
    }
    let text = characters(bytes);
    let trimmed = text.trim_matches([' ', '\0']);
    if trimmed.is_empty() {
        return Ok(Value::Null);
    }
    let parsed = match kind {
        Kind::Text | Kind::Binary => Some(Value::Text(text.trim_end_matches([' ', '\0']).to_owned())),
        Kind::Other => Some(Value::Text(trimmed.to_owned())),
        Kind::Integer => decimal(trimmed).and_then(|number| integer(&number).map(Value::Integer)),
        Kind::Decimal => decimal(trimmed).map(|(unscaled, scale)| Value::Decimal(Decimal::new(unscaled, scale))),
        Kind::Float => trimmed.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float),
        Kind::Boolean => match trimmed.to_ascii_uppercase().as_str() {
            "1" | "T" | "Y" | "TRUE" => Some(Value::Boolean(true)),
            "0" | "F" | "N" | "FALSE" => Some(Value::Boolean(false)),
            _ => None,
        },
        Kind::Date => day(trimmed).map(Value::Date),
    };
    parsed.ok_or_else(|| {
        let message = format!("\"{trimmed}\" is not a value of the column ({kind:?})");
        FileError::new(FileErrorKind::InvalidLength, message)
    })
}

/// The value of a column that cannot be NULL, for an empty field.
pub(crate) fn empty(kind: Kind) -> Value {
    match kind {
        Kind::Text => Value::Text(String::new()),
        Kind::Binary => Value::Binary(Vec::new()),
        Kind::Boolean => Value::Boolean(false),
        Kind::Float => Value::Float(0.0),
        kind if kind.is_number() => Value::Integer(0),
        _ => Value::Null,
    }
}

fn decimal(text: &str) -> Option<(i128, u8)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || all.len() > 36 || !all.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some((sign * all.parse::<i128>().ok()?, u8::try_from(fraction.len()).ok()?))
}

fn integer((unscaled, scale): &(i128, u8)) -> Option<i64> {
    let unit = 10_i128.checked_pow(u32::from(*scale))?;
    (unscaled % unit == 0).then(|| i64::try_from(unscaled / unit).ok())?
}

fn day(text: &str) -> Option<Date> {
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    if digits.len() != 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Date::from_ymd(digits[..4].parse().ok()?, digits[4..6].parse().ok()?, digits[6..].parse().ok()?)
}

/// How a value of a key compares with the end of a range; a text by as many characters as the end has, if `is_prefix`.
pub(crate) fn compare(value: &Value, end: &Value, is_prefix: bool) -> Ordering {
    match (value, end) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Text(value), Value::Text(end)) => {
            let most = if is_prefix { end.chars().count() } else { usize::MAX };
            value.trim_end_matches(' ').chars().take(most).cmp(end.chars())
        }
        (Value::Date(value), Value::Date(end)) => value.ymd().cmp(&end.ymd()),
        (Value::Binary(value), Value::Binary(end)) => value.cmp(end),
        (value, end) => match (number(value), number(end)) {
            (Some(value), Some(end)) => value.total_cmp(&end),
            _ => Ordering::Equal,
        },
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        value => value.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Value) -> String {
        let mut out = Vec::new();
        append(value.as_ref(), &mut out);
        characters(&out)
    }

    #[test]
    fn values_come_back() {
        for (bytes, kind) in [
            (&b"-12.5"[..], Kind::Decimal),
            (b"7", Kind::Integer),
            (b"20240229", Kind::Date),
            (b"M\xFCller \x80", Kind::Text),
            (b"1", Kind::Boolean),
            (b"", Kind::Date),
        ] {
            assert_eq!(text(&value(bytes, kind).unwrap()), characters(bytes));
        }
        assert_eq!(text(&Value::Decimal(Decimal::new(1250, 2))), "12.5");
        assert_eq!(text(&Value::Text("Ann   ".to_owned())), "Ann");
    }

    #[test]
    fn other_text_is_an_error() {
        for (bytes, kind) in [(&b"x"[..], Kind::Integer), (b"1.5", Kind::Integer), (b"20240230", Kind::Date)] {
            assert_eq!(value(bytes, kind).unwrap_err().number(), 46);
        }
    }
}
