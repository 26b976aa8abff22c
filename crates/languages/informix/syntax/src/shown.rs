//! DATETIME and INTERVAL values as texts, and texts as such values.
//!
//! ```text
//!   DATETIME YEAR TO MINUTE        2024-02-28 23:30          INTERVAL HOUR TO MINUTE     2:45
//!   DATETIME HOUR TO FRACTION(2)   23:30:00.25               INTERVAL DAY TO HOUR      3 04
//!   DATETIME YEAR TO MONTH         2024-02                   INTERVAL YEAR TO MONTH   -1-06
//! ```
//!
//! A text has the fields of its type, each with two digits; the first field of an interval has as many as it needs. A value
//! whose type is not known has all fields down to the last one that is not zero, but to the second at least.
//!
//! Source: "DATETIME data type" and "INTERVAL data type" in the Guide to SQL: Reference.

use crate::error::SqlError;
use crate::types::{Field, Type};
use mainstay_types::{Interval, Timestamp, ValueRef};

const TICKS_PER_SECOND: i64 = 10_000_000;
const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;
/// Digits of a fraction of a second that a value has.
const FRACTION_DIGITS: usize = 7;
const MINUTE: u32 = 8;
/// Ticks of a day, an hour, a minute and a second.
const UNITS: [i64; 4] = [TICKS_PER_DAY, 3600 * TICKS_PER_SECOND, 60 * TICKS_PER_SECOND, TICKS_PER_SECOND];

/// The characters before the fields MONTH, DAY, HOUR, MINUTE and SECOND.
const SEPARATORS: [&str; 6] = ["", "-", "-", " ", ":", ":"];

/// A DATETIME or INTERVAL as a text, with the fields of its type where that is known; `None` for other values.
pub fn moment_text(value: ValueRef<'_>, known: Option<Type>) -> Option<String> {
    match (value, known) {
        (ValueRef::Timestamp(moment), Some(Type::DateTime(first, last))) => Some(datetime(moment, first, last)),
        (ValueRef::Timestamp(moment), _) => Some(datetime(moment, Field::YEAR, needed(moment.0))),
        (ValueRef::Time(time), Some(Type::DateTime(first, last))) => Some(datetime(Timestamp(time.0), first, last)),
        (ValueRef::Time(time), _) => Some(datetime(Timestamp(time.0), Field::HOUR, needed(time.0))),
        (ValueRef::Interval(interval), Some(Type::Interval(first, _, last))) => {
            Some(of_interval(interval, first, last))
        }
        (ValueRef::Interval(interval), _) if interval.months != 0 => {
            Some(of_interval(interval, Field::YEAR, Field::MONTH))
        }
        (ValueRef::Interval(interval), _) => Some(of_interval(interval, Field::DAY, needed(interval.ticks))),
        _ => None,
    }
}

/// A DATETIME literal with all fields from YEAR or HOUR down to SECOND: those that are not written are the first of their
/// kind.
pub(crate) fn completed(text: &str, first: Field, last: Field) -> Result<String, Box<SqlError>> {
    let invalid = || SqlError::new(-1264, format!("Extra characters at the end of a datetime or interval: {text}"));
    let numbers: Vec<&str> =
        text.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let mut fields = ["1900", "01", "01", "00", "00", "00"].map(str::to_owned);
    let mut fraction = String::new();
    let mut left = numbers.into_iter();
    for (place, field) in fields.iter_mut().enumerate() {
        let number = 2 * place as u32;
        if (first.0..=last.0.min(10)).contains(&number) {
            *field = left.next().ok_or_else(invalid)?.to_owned();
        }
    }
    if last > Field::SECOND
        && let Some(digits) = left.next()
    {
        // Digits beyond those of the type are cut.
        let kept: String = digits.chars().take(last.fraction_digits().into()).collect();
        fraction = format!(".{kept}");
    }
    if left.next().is_some() {
        return Err(invalid());
    }
    let [year, month, day, hour, minute, second] = fields;
    let time = format!("{hour:0>2}:{minute:0>2}:{second:0>2}{fraction}");
    Ok(if first >= Field::HOUR { time } else { format!("{year}-{month:0>2}-{day:0>2} {time}") })
}

/// An interval from a text with the fields of its type: `3 04` is DAY TO HOUR.
///
/// Errors: -1262 for a text with other characters or fields.
pub fn parse_interval(text: &str, first: Field, last: Field) -> Result<Interval, Box<SqlError>> {
    let invalid = || SqlError::new(-1262, "Non-numeric character in datetime or interval.").about(text.trim());
    let unsigned = text.trim().trim_start_matches(['+', '-']);
    let sign = if text.trim().starts_with('-') { -1 } else { 1 };
    let is_separator = |letter: char| matches!(letter, '-' | ' ' | ':' | '.');
    if !unsigned.chars().all(|letter| letter.is_ascii_digit() || is_separator(letter)) {
        return Err(invalid());
    }
    let mut numbers = unsigned.split(is_separator).filter(|part| !part.is_empty());
    let (mut months, mut ticks) = (0_i64, 0_i64);
    for (place, unit) in [12, 1].into_iter().chain(UNITS).enumerate() {
        let field = 2 * place as u32;
        if field < first.0 || field > last.0 {
            continue;
        }
        let number: i64 = numbers.next().and_then(|number| number.parse().ok()).ok_or_else(invalid)?;
        let total = if place < 2 { &mut months } else { &mut ticks };
        *total = number.checked_mul(unit).and_then(|number| total.checked_add(number)).ok_or_else(invalid)?;
    }
    if last > Field::SECOND {
        let digits: String = numbers.next().unwrap_or_default().chars().take(FRACTION_DIGITS).collect();
        ticks += format!("{digits:0<7}").parse::<i64>().map_err(|_| invalid())?;
    }
    if numbers.next().is_some() {
        return Err(invalid());
    }
    let months = i32::try_from(sign * months).map_err(|_| invalid())?;
    let time = Interval::from_ticks(i128::from(sign * ticks)).ok_or_else(invalid)?;
    Ok(Interval { months, ..time })
}

/// SECOND, or the last digit of the fraction that is not zero.
fn needed(ticks: i64) -> Field {
    let fraction = ticks.rem_euclid(TICKS_PER_SECOND);
    let digits = format!("{fraction:07}").trim_end_matches('0').len() as u32;
    Field(Field::SECOND.0 + digits.min(5))
}

/// The fraction of a second that a field has, with its point.
fn fraction(ticks: i64, last: Field) -> String {
    let digits = usize::from(last.fraction_digits()).min(FRACTION_DIGITS);
    if digits == 0 {
        return String::new();
    }
    let all = format!("{:07}", ticks.rem_euclid(TICKS_PER_SECOND));
    format!(".{}", all.get(..digits).unwrap_or(&all))
}

fn datetime(moment: Timestamp, first: Field, last: Field) -> String {
    let (year, month, day) = moment.date().ymd();
    let ticks = moment.0.rem_euclid(TICKS_PER_DAY);
    let seconds = ticks / TICKS_PER_SECOND;
    let fields = [i64::from(year), month.into(), day.into(), seconds / 3600, seconds / 60 % 60, seconds % 60];
    let mut text = String::new();
    for (place, (value, separator)) in fields.into_iter().zip(SEPARATORS).enumerate() {
        let field = 2 * place as u32;
        if field < first.0 || field > last.0 {
            continue;
        }
        if field > first.0 {
            text.push_str(separator);
        }
        text.push_str(&if place == 0 { format!("{value:04}") } else { format!("{value:02}") });
    }
    if first.0 > Field::SECOND.0 {
        return fraction(ticks, last).trim_start_matches('.').to_owned();
    }
    text + &fraction(ticks, last)
}

fn of_interval(interval: Interval, first: Field, last: Field) -> String {
    if first.0 <= Field::MONTH.0 {
        let (sign, months) = (if interval.months < 0 { "-" } else { "" }, interval.months.unsigned_abs());
        return match (first, last) {
            (Field::YEAR, Field::YEAR) => format!("{sign}{}", months / 12),
            (Field::YEAR, _) => format!("{sign}{}-{:02}", months / 12, months % 12),
            _ => format!("{sign}{months}"),
        };
    }
    let ticks = i128::from(interval.days) * i128::from(TICKS_PER_DAY) + i128::from(interval.ticks);
    let sign = if ticks < 0 { "-" } else { "" };
    let ticks = ticks.unsigned_abs();
    let mut text = String::new();
    // The first field takes what the fields above it would have.
    let fields = [Field::DAY.0, Field::HOUR.0, MINUTE, Field::SECOND.0];
    let mut rest = ticks;
    for (field, unit) in fields.into_iter().zip(UNITS) {
        let unit = u128::from(unit.unsigned_abs());
        if field < first.0 || field > last.0 {
            continue;
        }
        let value = rest / unit;
        rest %= unit;
        match field == first.0 {
            true => text.push_str(&value.to_string()),
            false => {
                text.push_str(SEPARATORS.get(field as usize / 2).copied().unwrap_or_default());
                text.push_str(&format!("{value:02}"));
            }
        }
    }
    let rest = i64::try_from(rest % u128::from(TICKS_PER_SECOND.unsigned_abs())).unwrap_or(0);
    format!("{sign}{text}{}", fraction(rest, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::{Date, Time, Value};

    fn at(year: i32, month: u32, day: u32, ticks: i64) -> Value {
        Value::Timestamp(Timestamp::at(Date::from_ymd(year, month, day).unwrap(), ticks))
    }

    fn shown(value: &Value, known: Type) -> String {
        moment_text(value.as_ref(), Some(known)).unwrap()
    }

    #[test]
    fn a_datetime_has_the_fields_of_its_type() {
        let moment = at(2024, 2, 8, (23 * 3600 + 30 * 60) * TICKS_PER_SECOND + 2_500_000);
        for (first, last, expected) in [
            (0, 8, "2024-02-08 23:30"),
            (0, 2, "2024-02"),
            (0, 0, "2024"),
            (2, 4, "02-08"),
            (6, 12, "23:30:00.25"),
            (4, 6, "08 23"),
            (8, 10, "30:00"),
        ] {
            assert_eq!(shown(&moment, Type::DateTime(Field(first), Field(last))), expected);
        }
        assert_eq!(moment_text(moment.as_ref(), None).unwrap(), "2024-02-08 23:30:00.25");
        let time = Value::Time(Time(3661 * TICKS_PER_SECOND));
        assert_eq!(shown(&time, Type::DateTime(Field::HOUR, Field(8))), "01:01");
        assert_eq!(moment_text(time.as_ref(), None).unwrap(), "01:01:01");
    }

    #[test]
    fn an_interval_has_the_fields_of_its_type() {
        let interval =
            |days: i32, seconds: i64| Value::Interval(Interval { months: 0, days, ticks: seconds * TICKS_PER_SECOND });
        let known = |first: u32, last: u32| Type::Interval(Field(first), 2, Field(last));
        assert_eq!(shown(&interval(0, 2 * 3600 + 45 * 60), known(6, 8)), "2:45");
        assert_eq!(shown(&interval(3, 4 * 3600), known(4, 6)), "3 04");
        assert_eq!(shown(&interval(1, 3600), known(6, 8)), "25:00");
        assert_eq!(shown(&interval(-3, -4 * 3600), known(4, 10)), "-3 04:00:00");
        assert_eq!(shown(&interval(0, 5), known(10, 12)), "5.00");
        assert_eq!(shown(&Value::Interval(Interval::from_months(-18)), known(0, 2)), "-1-06");
        assert_eq!(moment_text(interval(1, 61).as_ref(), None).unwrap(), "1 00:01:01");
        assert_eq!(moment_text(Value::Integer(1).as_ref(), None), None);
    }

    #[test]
    fn intervals_are_read_by_the_fields_of_their_type() {
        for (text, first, last) in [
            ("3 04", 4, 6),
            ("2:45", 6, 8),
            ("-1-06", 0, 2),
            ("100 00:00:01.5", 4, 11),
            ("-0:00:01", 6, 10),
            ("7", 4, 4),
        ] {
            let interval = parse_interval(text, Field(first), Field(last)).unwrap();
            let known = Type::Interval(Field(first), 2, Field(last));
            assert_eq!(shown(&Value::Interval(interval), known), text);
        }
        for (text, first, last) in
            [("3", 4, 6), ("3 04:05", 4, 6), ("x", 4, 4), ("", 4, 4), ("99999999999999999999", 4, 4)]
        {
            assert_eq!(parse_interval(text, Field(first), Field(last)).unwrap_err().code, -1262, "{text}");
        }
    }
}
