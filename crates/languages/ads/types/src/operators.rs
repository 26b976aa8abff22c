//! Operators: arithmetic, comparisons, LIKE.
//!
//! ```text
//!   + - * / %    integers give an integer, exact numbers an exact one, doubles a double; / cuts integers
//!   +            also text and text; a date or timestamp and days
//!   -            also a date and days; two dates give days
//!   = < LIKE     text without blanks at the end; text of a date with a date; 0 and 1 with FALSE and TRUE
//! ```

use crate::convert::{self, text_type};
use crate::failure::{Failure, native};
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use mainstay_types::{Date, Decimal, SqlType, TICKS_PER_DAY, Timestamp, Value, ValueRef};
use std::cmp::Ordering;

/// The most digits of an exact number, and of those behind its point that a division gives.
const PRECISION: u8 = 30;
const DIVISION_SCALE: u8 = 20;

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("add", (2, 2), Gives::Arithmetic, |it| arithmetic(it, '+')).with_blanks(),
    plain("subtract", (2, 2), Gives::Arithmetic, |it| arithmetic(it, '-')),
    plain("multiply", (2, 2), Gives::Arithmetic, |it| arithmetic(it, '*')),
    plain("divide", (2, 2), Gives::Arithmetic, |it| arithmetic(it, '/')),
    plain("modulo", (2, 2), Gives::Arithmetic, |it| arithmetic(it, '%')),
    plain("negate", (1, 1), Gives::Same(0), negate),
    plain("bit_and", (2, 2), Gives::Integer, |it| bits(it, |a, b| a & b)),
    plain("bit_or", (2, 2), Gives::Integer, |it| bits(it, |a, b| a | b)),
    plain("bit_xor", (2, 2), Gives::Integer, |it| bits(it, |a, b| a ^ b)),
    plain("bit_not", (1, 1), Gives::Integer, |it| Ok(Value::Integer(!whole(it, 0)?))),
    plain("shift_left", (2, 2), Gives::Integer, |it| shift(it, true)),
    plain("shift_right", (2, 2), Gives::Integer, |it| shift(it, false)),
    plain("equal", (2, 2), Gives::Logical, |it| compared(it, |order| order == Ordering::Equal)),
    plain("not_equal", (2, 2), Gives::Logical, |it| compared(it, |order| order != Ordering::Equal)),
    plain("less", (2, 2), Gives::Logical, |it| compared(it, |order| order == Ordering::Less)),
    plain("less_or_equal", (2, 2), Gives::Logical, |it| compared(it, |order| order != Ordering::Greater)),
    plain("greater", (2, 2), Gives::Logical, |it| compared(it, |order| order == Ordering::Greater)),
    plain("greater_or_equal", (2, 2), Gives::Logical, |it| compared(it, |order| order != Ordering::Less)),
    plain("like", (2, 3), Gives::Logical, like),
];

fn operand(name: &str) -> Failure {
    Failure::new(native::OPERAND, format!("Invalid operand for operator: {name}"))
}

fn overflow() -> Failure {
    Failure::new(native::OVERFLOW, "Numeric overflow")
}

fn is_integer(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt)
}

fn is_text(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::Char { .. } | SqlType::VarChar { .. })
}

/// Precision and scale, for the exact numbers.
fn exact(sql_type: SqlType) -> Option<(u8, u8)> {
    match sql_type {
        SqlType::Decimal { precision, scale } => Some((precision, scale)),
        SqlType::Money => Some((19, 4)),
        SqlType::TinyInt | SqlType::SmallInt => Some((5, 0)),
        SqlType::Integer => Some((10, 0)),
        SqlType::BigInt => Some((19, 0)),
        _ => None,
    }
}

/// The type of an operator's result.
pub(crate) fn result_type(name: &str, types: &[Option<SqlType>]) -> Result<Option<SqlType>, Failure> {
    let (Some(left), Some(right)) = (types.first().copied().flatten(), types.get(1).copied().flatten()) else {
        return Ok(types.iter().copied().flatten().next());
    };
    let symbol = symbol(name);
    if matches!(left, SqlType::Date | SqlType::Timestamp { .. }) || matches!(right, SqlType::Date) {
        return match (left, right) {
            (SqlType::Date, SqlType::Date) if name == "subtract" => Ok(Some(SqlType::Integer)),
            (SqlType::Timestamp { .. }, SqlType::Timestamp { .. } | SqlType::Date)
            | (SqlType::Date, SqlType::Timestamp { .. })
                if name == "subtract" =>
            {
                Ok(Some(SqlType::Double))
            }
            (day, days) | (days, day)
                if matches!(name, "add" | "subtract")
                    && matches!(day, SqlType::Date | SqlType::Timestamp { .. })
                    && (exact(days).is_some() || matches!(days, SqlType::Double | SqlType::Real)) =>
            {
                Ok(Some(day))
            }
            // '1993-01-31' is a date where it is added to.
            (text, SqlType::Date) | (SqlType::Date, text) if name == "subtract" && is_text(text) => {
                Ok(Some(SqlType::Integer))
            }
            _ => Err(operand(symbol)),
        };
    }
    if is_text(left) && is_text(right) && name == "add" {
        return Ok(Some(text_type()));
    }
    let doubles = |one: SqlType| matches!(one, SqlType::Double | SqlType::Real);
    match (exact(left), exact(right)) {
        _ if is_integer(left) && is_integer(right) => Ok(Some(match (left, right) {
            (SqlType::BigInt, _) | (_, SqlType::BigInt) => SqlType::BigInt,
            _ => SqlType::Integer,
        })),
        (Some(left), Some(right)) => Ok(Some(exact_type(name, left, right))),
        (Some(_), None) if doubles(right) => Ok(Some(SqlType::Double)),
        (None, Some(_)) if doubles(left) => Ok(Some(SqlType::Double)),
        _ if doubles(left) && doubles(right) => Ok(Some(SqlType::Double)),
        _ => Err(operand(symbol)),
    }
}

fn exact_type(name: &str, (p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> SqlType {
    let whole = |precision: u8, scale: u8| precision.saturating_sub(scale);
    let (precision, scale) = match name {
        "multiply" => (s1 + s2 + whole(p1, s1) + whole(p2, s2), s1 + s2),
        "divide" => (PRECISION, DIVISION_SCALE),
        _ => (1 + s1.max(s2) + whole(p1, s1).max(whole(p2, s2)), s1.max(s2)),
    };
    SqlType::Decimal { precision: precision.clamp(1, PRECISION), scale: scale.min(DIVISION_SCALE) }
}

fn symbol(name: &str) -> &'static str {
    match name {
        "add" => "+",
        "subtract" => "-",
        "multiply" => "*",
        "divide" => "/",
        _ => "%",
    }
}

fn arithmetic(it: &Arguments<'_>, operator: char) -> Outcome {
    let refused = || operand(symbol(it.name));
    match (it.value(0), it.value(1)) {
        (ValueRef::Text(left), ValueRef::Text(right)) if operator == '+' => Ok(Value::Text(format!("{left}{right}"))),
        (ValueRef::Integer(left), ValueRef::Integer(right)) => integers(left, operator, right),
        (ValueRef::Date(left), ValueRef::Date(right)) if operator == '-' => {
            Ok(Value::Integer(i64::from(left.0) - i64::from(right.0)))
        }
        (ValueRef::Date(day), ValueRef::Text(text)) if operator == '-' => {
            let other: Date = text.trim().parse().map_err(|_| refused())?;
            Ok(Value::Integer(i64::from(day.0) - i64::from(other.0)))
        }
        (ValueRef::Text(text), ValueRef::Date(day)) if operator == '-' => {
            let other: Date = text.trim().parse().map_err(|_| refused())?;
            Ok(Value::Integer(i64::from(other.0) - i64::from(day.0)))
        }
        (ValueRef::Timestamp(left), ValueRef::Timestamp(right)) if operator == '-' => {
            Ok(Value::Float((left.0 as f64 - right.0 as f64) / TICKS_PER_DAY as f64))
        }
        (ValueRef::Date(day), days) => moved_date(day, operator, days.as_f64().ok_or_else(refused)?),
        (days, ValueRef::Date(day)) if operator == '+' => moved_date(day, '+', days.as_f64().ok_or_else(refused)?),
        (ValueRef::Timestamp(moment), days) => moved(moment, operator, days.as_f64().ok_or_else(refused)?),
        (days, ValueRef::Timestamp(moment)) if operator == '+' => {
            moved(moment, '+', days.as_f64().ok_or_else(refused)?)
        }
        (left @ ValueRef::Float(_), right) | (left, right @ ValueRef::Float(_)) => {
            doubles(left.as_f64().ok_or_else(refused)?, operator, right.as_f64().ok_or_else(refused)?)
        }
        (left, right) => {
            decimals(left.as_decimal().ok_or_else(refused)?, operator, right.as_decimal().ok_or_else(refused)?)
        }
    }
}

fn division_by_zero() -> Failure {
    Failure::new(native::DIVISION, "Division by zero")
}

fn integers(left: i64, operator: char, right: i64) -> Outcome {
    if matches!(operator, '/' | '%') && right == 0 {
        return Err(division_by_zero());
    }
    let result = match operator {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        '/' => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    result.map(Value::Integer).ok_or_else(overflow)
}

fn doubles(left: f64, operator: char, right: f64) -> Outcome {
    if matches!(operator, '/' | '%') && right == 0.0 {
        return Err(division_by_zero());
    }
    let result = match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        _ => left % right,
    };
    if result.is_finite() { Ok(Value::Float(result)) } else { Err(overflow()) }
}

fn decimals(left: Decimal, operator: char, right: Decimal) -> Outcome {
    let scale = left.scale.max(right.scale);
    let aligned = || Some((left.rescale(scale)?.unscaled, right.rescale(scale)?.unscaled));
    let result = match operator {
        '*' => left.unscaled.checked_mul(right.unscaled).map(|product| Decimal::new(product, left.scale + right.scale)),
        '/' | '%' if right.unscaled == 0 => return Err(division_by_zero()),
        '/' => quotient(left, right),
        _ => aligned().and_then(|(left, right)| {
            let number = match operator {
                '+' => left.checked_add(right),
                '-' => left.checked_sub(right),
                _ => left.checked_rem(right),
            };
            number.map(|number| Decimal::new(number, scale))
        }),
    };
    result.map(Value::Decimal).ok_or_else(overflow)
}

/// As many digits behind the point as there is room for, up to 20.
fn quotient(left: Decimal, right: Decimal) -> Option<Decimal> {
    (0..=DIVISION_SCALE).rev().find_map(|scale| {
        let power = i32::from(scale) + i32::from(right.scale) - i32::from(left.scale);
        let factor = 10_i128.checked_pow(u32::try_from(power.max(0)).ok()?)?;
        let divisor = 10_i128.checked_pow(u32::try_from((-power).max(0)).ok()?)?.checked_mul(right.unscaled)?;
        let number = left.unscaled.checked_mul(factor)?.checked_div(divisor)?;
        let fits = number.unsigned_abs() < 10_u128.pow(38);
        fits.then_some(Decimal::new(number, scale))
    })
}

fn moved_date(day: Date, operator: char, days: f64) -> Outcome {
    let days = if operator == '-' { -days } else { days };
    if !matches!(operator, '+' | '-') {
        return Err(operand("*"));
    }
    let moved = f64::from(day.0) + days.trunc();
    let date = Some(Date(moved as i32)).filter(|date| moved.abs() < 1.0e8 && *date >= Date::FIRST);
    date.filter(|date| *date <= Date::LAST).map(Value::Date).ok_or_else(overflow)
}

fn moved(moment: Timestamp, operator: char, days: f64) -> Outcome {
    let days = if operator == '-' { -days } else { days };
    if !matches!(operator, '+' | '-') {
        return Err(operand("*"));
    }
    let ticks = (days * TICKS_PER_DAY as f64).round();
    let moved = (ticks.abs() < 9.0e18).then(|| moment.0.checked_add(ticks as i64)).flatten().map(Timestamp);
    let inside = moved.filter(|moved| (Timestamp::FIRST..=Timestamp::LAST).contains(moved));
    inside.map(Value::Timestamp).ok_or_else(overflow)
}

fn negate(it: &Arguments<'_>) -> Outcome {
    match it.value(0) {
        ValueRef::Integer(number) => number.checked_neg().map(Value::Integer).ok_or_else(overflow),
        ValueRef::Decimal(number) => Ok(Value::Decimal(Decimal::new(-number.unscaled, number.scale))),
        ValueRef::Float(number) => Ok(Value::Float(-number)),
        _ => Err(operand("-")),
    }
}

fn whole(it: &Arguments<'_>, place: usize) -> Result<i64, Failure> {
    match it.value(place) {
        ValueRef::Integer(number) => Ok(number),
        ValueRef::Decimal(number) if number.scale == 0 => i64::try_from(number.unscaled).map_err(|_| overflow()),
        _ => Err(operand("&")),
    }
}

fn bits(it: &Arguments<'_>, work: fn(i64, i64) -> i64) -> Outcome {
    Ok(Value::Integer(work(whole(it, 0)?, whole(it, 1)?)))
}

fn shift(it: &Arguments<'_>, left: bool) -> Outcome {
    let (number, count) = (whole(it, 0)?, whole(it, 1)?);
    let count = u32::try_from(count).map_err(|_| operand("<<"))?;
    let shifted = if left { number.checked_shl(count) } else { number.checked_shr(count) };
    Ok(Value::Integer(shifted.unwrap_or(0)))
}

fn compared(it: &Arguments<'_>, holds: fn(Ordering) -> bool) -> Outcome {
    let order = compare(it.value(0), it.value(1))?;
    Ok(order.map_or(Value::Null, |order| Value::Boolean(holds(order))))
}

/// Compares two values; `None` if one is NULL.
///
/// Errors: 2124 for values that do not compare.
pub fn compare(left: ValueRef<'_>, right: ValueRef<'_>) -> Result<Option<Ordering>, Failure> {
    let refused = || operand("=");
    Ok(Some(match (left, right) {
        (ValueRef::Null, _) | (_, ValueRef::Null) => return Ok(None),
        (ValueRef::Text(left), ValueRef::Text(right)) => left.trim_end_matches(' ').cmp(right.trim_end_matches(' ')),
        (ValueRef::Integer(left), ValueRef::Integer(right)) => left.cmp(&right),
        (ValueRef::Boolean(left), ValueRef::Boolean(right)) => left.cmp(&right),
        // FALSE and TRUE are names of 0 and 1.
        (ValueRef::Boolean(left), right) => {
            f64::from(u8::from(left)).partial_cmp(&right.as_f64().ok_or_else(refused)?).ok_or_else(refused)?
        }
        (left, ValueRef::Boolean(right)) => {
            left.as_f64().ok_or_else(refused)?.partial_cmp(&f64::from(u8::from(right))).ok_or_else(refused)?
        }
        (ValueRef::Date(left), ValueRef::Date(right)) => left.cmp(&right),
        (ValueRef::Time(left), ValueRef::Time(right)) => left.cmp(&right),
        (ValueRef::Uuid(left), ValueRef::Uuid(right)) => left.cmp(&right),
        (ValueRef::Binary(left), ValueRef::Binary(right)) => left.cmp(right),
        (ValueRef::Timestamp(left), ValueRef::Timestamp(right)) => left.cmp(&right),
        (ValueRef::Timestamp(left), ValueRef::Date(right)) => left.cmp(&Timestamp::at(right, 0)),
        (ValueRef::Date(left), ValueRef::Timestamp(right)) => Timestamp::at(left, 0).cmp(&right),
        (ValueRef::Text(text), other) => return of_kind(text, other).map(|(left, right)| compare_same(left, right)),
        (other, ValueRef::Text(text)) => {
            return of_kind(text, other).map(|(right, left)| compare_same(left, right));
        }
        (left, right) => match (left.as_decimal(), right.as_decimal()) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => {
                let (left, right) = (left.as_f64().ok_or_else(refused)?, right.as_f64().ok_or_else(refused)?);
                left.partial_cmp(&right).ok_or_else(refused)?
            }
        },
    }))
}

/// A text made the kind of the value that it is compared with: only those of dates and times, and of GUIDs.
fn of_kind(text: &str, other: ValueRef<'_>) -> Result<(Value, Value), Failure> {
    let target = match other {
        ValueRef::Date(_) => SqlType::Date,
        ValueRef::Time(_) => SqlType::Time { digits: 3 },
        ValueRef::Timestamp(_) => SqlType::Timestamp { digits: 3 },
        ValueRef::Uuid(_) => SqlType::Uuid,
        _ => return Err(operand("=")),
    };
    Ok((convert::convert(ValueRef::Text(text.trim()), target)?, other.to_value()))
}

fn compare_same(left: Value, right: Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Date(left), Value::Date(right)) => Some(left.cmp(&right)),
        (Value::Time(left), Value::Time(right)) => Some(left.cmp(&right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => Some(left.cmp(&right)),
        (Value::Uuid(left), Value::Uuid(right)) => Some(left.cmp(&right)),
        _ => None,
    }
}

fn like(it: &Arguments<'_>) -> Outcome {
    let escape = match it.count() {
        3 => it.text(2)?.chars().next(),
        _ => None,
    };
    // A CHAR value has blanks up to its length, which a pattern ignores.
    Ok(Value::Boolean(matches(it.text(0)?.trim_end_matches(' '), it.text(1)?.trim_end_matches(' '), escape)))
}

/// Returns true if a text matches a pattern: `%` stands for any characters, `_` for one.
fn matches(text: &str, pattern: &str, escape: Option<char>) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        pieces.push(match character {
            it if Some(it) == escape => Piece::Is(characters.next().unwrap_or(it)),
            '%' => Piece::Any,
            '_' => Piece::One,
            it => Piece::Is(it),
        });
    }
    // The usual walk with one way back: to behind the last `%`.
    let (mut at, mut piece, mut back) = (0, 0, None);
    while at < text.len() {
        match pieces.get(piece) {
            Some(Piece::Any) => {
                piece += 1;
                back = Some((at, piece));
                continue;
            }
            Some(Piece::One) => (at, piece) = (at + 1, piece + 1),
            Some(Piece::Is(wanted)) if text.get(at) == Some(wanted) => (at, piece) = (at + 1, piece + 1),
            _ => match back {
                Some((from, behind)) => {
                    (at, piece) = (from + 1, behind);
                    back = Some((at, behind));
                }
                None => return false,
            },
        }
    }
    pieces.iter().skip(piece).all(|piece| matches!(piece, Piece::Any))
}

enum Piece {
    Any,
    One,
    Is(char),
}
