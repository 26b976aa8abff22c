//! The value of one type as a value of another: what assignments of routines do.
//!
//! Numbers lose their fraction when they become whole, and are rounded to the scale of a DECIMAL; a text that is too long for
//! its variable is cut without a word, one that is too short for a CHAR is filled with blanks; a DATE is `12/31/2024` as a
//! text.
//!
//! Source: "Data type casting and conversion" in the Guide to SQL: Reference, and the messages of the numbers.

use crate::error::{Parse, SqlError};
use crate::floating::FloatingDecimal;
use crate::shown::{completed, moment_text, parse_interval};
use crate::types::{Field, Type};
use mainstay_types::convert::convert;
use mainstay_types::{Date, Decimal, SqlType, Timestamp, Value, ValueRef};

/// The value as one of a type; NULL stays NULL.
///
/// Errors: -1213 for a text that is no number, -1214, -1215, -1284 and -1226 for a number beyond the type, -1218 for a text
/// that is no date, -1260 for types that do not convert.
pub fn assign(value: ValueRef<'_>, to: Type) -> Parse<Value> {
    match (value, to) {
        (ValueRef::Null, _) => Ok(Value::Null),
        (ValueRef::Text(text), Type::Decimal(_, None)) if text.trim().is_empty() => Ok(Value::Null),
        (value, Type::Decimal(precision, None)) => {
            let number = FloatingDecimal::of_value(value)?.with_digits(precision.into())?;
            Ok(Value::Binary(number.to_bytes()))
        }
        (ValueRef::Text(text), to) if to.is_text() => Ok(Value::Text(fitted(text, to))),
        (value, to) if to.is_text() => Ok(Value::Text(fitted(&text_of(value), to))),
        (ValueRef::Text(text), Type::Date) => date(text).map(Value::Date),
        (ValueRef::Text(text), Type::Boolean) => boolean(text),
        (ValueRef::Text(text), Type::Byte | Type::Blob) => Ok(Value::Binary(text.as_bytes().to_vec())),
        (ValueRef::Text(text), to) if is_number(to) => number(text, to),
        (ValueRef::Integer(_) | ValueRef::Decimal(_) | ValueRef::Float(_), to) if to.is_integer() => whole(value, to),
        (ValueRef::Integer(days), Type::Date) => {
            // A DATE is the number of days since the last one of 1899.
            let date = i32::try_from(days).ok().and_then(|days| LAST_OF_1899.checked_add(days)).map(Date);
            let date = date.filter(|date| (Date::FIRST..=Date::LAST).contains(date));
            date.map(Value::Date)
                .ok_or_else(|| SqlError::new(-1210, "Date could not be converted to month/day/year format."))
        }
        (ValueRef::Timestamp(moment), Type::Date) => Ok(Value::Date(moment.date())),
        (ValueRef::Date(date), Type::DateTime(first, last)) if first < Field::HOUR => {
            Ok(Value::Timestamp(cut(Timestamp::at(date, 0), last)))
        }
        (ValueRef::Timestamp(moment), Type::DateTime(first, last)) if first < Field::HOUR => {
            Ok(Value::Timestamp(cut(moment, last)))
        }
        (ValueRef::Timestamp(moment), Type::DateTime(..)) => Ok(Value::Time(moment.time())),
        (ValueRef::Text(text), Type::Interval(first, _, last)) => {
            parse_interval(text, first, last).map(Value::Interval)
        }
        (ValueRef::Text(text), Type::DateTime(first, last)) => {
            // Other texts are left to the core, which reads more forms of moments.
            let completed = completed(text, first, last).unwrap_or_else(|_| text.to_owned());
            convert(ValueRef::Text(&completed), to.sql_type()).map_err(|error| failed(&error.to_string(), to))
        }
        (value, to) => convert(value, to.sql_type()).map_err(|error| failed(&error.to_string(), to)),
    }
}

/// The value of a variable or column of a type as one of another. The bytes of a DECIMAL with a floating point are a number.
///
/// Errors: as [`assign`].
pub fn assign_from(value: ValueRef<'_>, from: Type, to: Type) -> Parse<Value> {
    match value {
        ValueRef::Binary(bytes) if from.is_floating() && !to.is_floating() => {
            assign(FloatingDecimal::from_bytes(bytes)?.to_value().as_ref(), to)
        }
        value => match moment_text(value, Some(from)) {
            Some(text) if to.is_text() => Ok(Value::Text(fitted(&text, to))),
            _ => assign(value, to),
        },
    }
}

/// 1899-12-31 as days since 1970-01-01.
const LAST_OF_1899: i32 = -25_568;

/// A moment without what is below its last field.
pub fn cut(moment: Timestamp, last: Field) -> Timestamp {
    const SECOND: i64 = 10_000_000;
    let unit = match last.0 {
        ..=4 => 86_400 * SECOND,
        6 => 3600 * SECOND,
        8 => 60 * SECOND,
        _ => SECOND / 10_i64.pow(last.fraction_digits().into()),
    };
    Timestamp(moment.0.div_euclid(unit) * unit)
}

fn is_number(known: Type) -> bool {
    matches!(
        known.sql_type(),
        SqlType::SmallInt
            | SqlType::Integer
            | SqlType::BigInt
            | SqlType::Decimal { .. }
            | SqlType::Real
            | SqlType::Double
    )
}

/// The number and words of the error of a value that a type has no room for.
fn failed(message: &str, to: Type) -> Box<SqlError> {
    let (code, text) = match to.sql_type() {
        SqlType::Date => (-1218, "String to date conversion error."),
        SqlType::Timestamp { .. } | SqlType::Time { .. } => (-1262, "Non-numeric character in datetime or interval."),
        SqlType::Decimal { .. } => (OVERFLOW_DECIMAL, "Value exceeds limit of precision for DECIMAL."),
        _ => (-1260, "It is not possible to convert between the specified types."),
    };
    SqlError::new(code, text).about(message)
}

/// -1226: a decimal or money value exceeds the maximum precision.
const OVERFLOW_DECIMAL: i32 = -1226;

/// The error of a whole number that its type has no room for.
pub fn overflow(to: SqlType) -> Box<SqlError> {
    match to {
        SqlType::TinyInt | SqlType::SmallInt => SqlError::new(-1214, "Value too large to fit in a SMALLINT."),
        SqlType::Integer => SqlError::new(-1215, "Value exceeds limit of INTEGER precision."),
        SqlType::BigInt => SqlError::new(-1284, "Value will not fit in a BIGINT or INT8."),
        SqlType::Real | SqlType::Double => SqlError::new(-1216, "Exponent is out of range."),
        _ => SqlError::new(OVERFLOW_DECIMAL, "Decimal or money value exceeds maximum precision."),
    }
}

fn whole(value: ValueRef<'_>, to: Type) -> Parse<Value> {
    let number = match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Decimal(number) => {
            let divisor = 10i128.checked_pow(number.scale.into());
            divisor.and_then(|divisor| i64::try_from(number.unscaled / divisor).ok())
        }
        ValueRef::Float(number) if number.is_finite() && number.abs() < 9.2e18 => Some(number.trunc() as i64),
        _ => None,
    };
    let holds = |number: &i64| match to.sql_type() {
        SqlType::SmallInt => i16::try_from(*number).is_ok(),
        SqlType::Integer => i32::try_from(*number).is_ok(),
        _ => true,
    };
    number.filter(holds).map(Value::Integer).ok_or_else(|| overflow(to.sql_type()))
}

fn number(text: &str, to: Type) -> Parse<Value> {
    let invalid = || SqlError::new(-1213, "A character to numeric conversion process failed.").about(text.trim());
    let text = text.trim();
    if text.is_empty() {
        return Ok(Value::Null);
    }
    if let Ok(decimal) = text.parse::<Decimal>() {
        return assign(ValueRef::Decimal(decimal), to);
    }
    if !matches!(to, Type::Float | Type::SmallFloat)
        && let Some(decimal) = text.parse::<FloatingDecimal>().ok().and_then(FloatingDecimal::to_decimal)
    {
        return assign(ValueRef::Decimal(decimal), to);
    }
    let float: f64 = text.parse().map_err(|_| invalid())?;
    if !text.contains(|letter: char| letter.is_ascii_digit()) {
        return Err(invalid());
    }
    assign(ValueRef::Float(float), to)
}

fn boolean(text: &str) -> Parse<Value> {
    match text.trim() {
        "t" | "T" => Ok(Value::Boolean(true)),
        "f" | "F" => Ok(Value::Boolean(false)),
        other => Err(SqlError::new(-674, "The value is not a boolean.").about(other)),
    }
}

/// `12/31/2024`, or `2024-12-31`. Two digits of a year mean this century.
pub(crate) fn date(text: &str) -> Parse<Date> {
    let invalid = || SqlError::new(-1218, "String to date conversion error.").about(text.trim());
    let parts: Vec<&str> = text.trim().split(['/', '-', '.']).collect();
    let [first, second, third] = parts[..] else { return Err(invalid()) };
    let (year, month, day) = if first.len() == 4 { (first, second, third) } else { (third, first, second) };
    let read = |text: &str| text.parse::<u32>().map_err(|_| invalid());
    let (mut number, month, day) = (read(year)?, read(month)?, read(day)?);
    if year.len() <= 2 {
        number += 2000;
    }
    let found = i32::try_from(number).ok().and_then(|year| Date::from_ymd(year, month, day));
    found.ok_or_else(invalid)
}

/// A value as a text.
fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => text.to_owned(),
        ValueRef::Boolean(value) => if value { "t" } else { "f" }.to_owned(),
        ValueRef::Date(date) => {
            let (year, month, day) = date.ymd();
            format!("{month:02}/{day:02}/{year:04}")
        }
        ValueRef::Binary(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => moment_text(other, None).unwrap_or_else(|| other.to_value().to_string()),
    }
}

/// A text with the length of its type.
fn fitted(text: &str, to: Type) -> String {
    let (length, is_padded) = match to {
        Type::Char(length) | Type::NChar(length) => (length as usize, true),
        Type::VarChar(length) | Type::NVarChar(length) | Type::LVarChar(length) => (length as usize, false),
        _ => return text.to_owned(),
    };
    let mut fitted: String = text.chars().take(length).collect();
    if is_padded {
        let missing = length.saturating_sub(fitted.chars().count());
        fitted.extend(std::iter::repeat_n(' ', missing));
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn assigned(value: &Value, to: Type) -> Value {
        assign(value.as_ref(), to).unwrap()
    }

    #[test]
    fn numbers_lose_their_fraction_or_are_rounded() {
        let number = Value::Decimal("-3.76".parse().unwrap());
        assert_eq!(assigned(&number, Type::Integer), Value::Integer(-3));
        assert_eq!(assigned(&number, Type::Decimal(5, Some(1))), Value::Decimal("-3.8".parse().unwrap()));
        assert_eq!(assigned(&text(" 12.50 "), Type::SmallInt), Value::Integer(12));
        assert_eq!(assign(ValueRef::Integer(40_000), Type::SmallInt).unwrap_err().code, -1214);
        assert_eq!(assign(ValueRef::Integer(1 << 40), Type::Integer).unwrap_err().code, -1215);
        assert_eq!(assign(ValueRef::Text("x"), Type::Integer).unwrap_err().code, -1213);
    }

    #[test]
    fn texts_have_the_length_of_their_type() {
        assert_eq!(assigned(&text("abc"), Type::Char(5)), text("abc  "));
        assert_eq!(assigned(&text("abcdef"), Type::VarChar(4)), text("abcd"));
        assert_eq!(assigned(&Value::Integer(7), Type::Char(2)), text("7 "));
        assert_eq!(assigned(&Value::Boolean(true), Type::Char(1)), text("t"));
    }

    #[test]
    fn dates_are_days_since_the_end_of_1899() {
        let date = Value::Date(Date::from_ymd(1900, 1, 1).unwrap());
        assert_eq!(assigned(&Value::Integer(1), Type::Date), date);
        assert_eq!(assigned(&text("01/01/1900"), Type::Date), date);
        assert_eq!(assigned(&date, Type::Char(10)), text("01/01/1900"));
        let moment = Value::Timestamp(Timestamp::at(Date::from_ymd(1900, 1, 1).unwrap(), 0));
        assert_eq!(assigned(&moment, Type::VarChar(30)), text("1900-01-01 00:00:00"));
        let to_minute = Type::DateTime(Field::YEAR, Field(8));
        assert_eq!(assign_from(moment.as_ref(), to_minute, Type::VarChar(30)).unwrap(), text("1900-01-01 00:00"));
        assert_eq!(assign(ValueRef::Text("13/13/2024"), Type::Date).unwrap_err().code, -1218);
    }
}
