//! Booleans and numbers.

use super::{mismatch, not_of, out_of_range};
use crate::{Decimal, Result, SqlType, ValueRef};

/// Digits after the point of MONEY.
const MONEY_SCALE: u8 = 4;

pub(super) fn boolean(value: ValueRef<'_>, to: SqlType) -> Result<bool> {
    match value {
        ValueRef::Boolean(value) => Ok(value),
        ValueRef::Integer(0) => Ok(false),
        ValueRef::Integer(1) => Ok(true),
        ValueRef::Decimal(number) if number == Decimal::new(0, 0) => Ok(false),
        ValueRef::Decimal(number) if number == Decimal::new(1, 0) => Ok(true),
        ValueRef::Integer(_) | ValueRef::Decimal(_) => Err(out_of_range(value, to)),
        ValueRef::Text(text) => match text.trim_ascii() {
            text if text.eq_ignore_ascii_case("true") || text == "1" => Ok(true),
            text if text.eq_ignore_ascii_case("false") || text == "0" => Ok(false),
            _ => Err(not_of(value, to)),
        },
        _ => Err(mismatch(value, to)),
    }
}

fn range(to: SqlType) -> (i64, i64) {
    match to {
        SqlType::TinyInt => (i64::from(i8::MIN), i64::from(i8::MAX)),
        SqlType::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX)),
        SqlType::Integer => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

pub(super) fn integer(value: ValueRef<'_>, to: SqlType) -> Result<i64> {
    let number = match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Boolean(value) => Some(i64::from(value)),
        ValueRef::Decimal(number) => whole(number),
        ValueRef::Float(number) if number.is_nan() => return Err(not_of(value, to)),
        ValueRef::Float(number) => whole_of_double(number),
        ValueRef::Text(text) => whole_of_text(value, text, to)?,
        _ => return Err(mismatch(value, to)),
    };
    let (low, high) = range(to);
    number.filter(|number| (low..=high).contains(number)).ok_or_else(|| out_of_range(value, to))
}

/// The nearest whole number, halves away from zero.
fn whole(number: Decimal) -> Option<i64> {
    i64::try_from(number.rescale(0)?.unscaled).ok()
}

fn whole_of_double(number: f64) -> Option<i64> {
    let rounded = number.round();
    // The upper bound is 2^63, the first double that is too large: i64::MAX itself has no double.
    let in_range = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded);
    in_range.then_some(rounded as i64)
}

/// A text must spell a whole number: nothing is rounded, because a fraction there is more likely a mistake.
fn whole_of_text(value: ValueRef<'_>, text: &str, to: SqlType) -> Result<Option<i64>> {
    let text = text.trim_ascii();
    if let Ok(number) = text.parse::<i64>() {
        return Ok(Some(number));
    }
    let number = match text.parse::<Decimal>() {
        Ok(number) => number,
        Err(crate::DecimalError::TooManyDigits) => return Ok(None),
        Err(crate::DecimalError::NotANumber) => return Err(not_of(value, to)),
    };
    match number.rescale(0) {
        Some(whole) if whole == number => Ok(i64::try_from(whole.unscaled).ok()),
        _ => Err(not_of(value, to)),
    }
}

pub(super) fn decimal(value: ValueRef<'_>, precision: u8, scale: u8, to: SqlType) -> Result<Decimal> {
    let limit = 10i128.checked_pow(u32::from(precision)).unwrap_or(i128::MAX);
    let number = exact(value, to)?.and_then(|number| number.rescale(scale));
    number.filter(|number| (1 - limit..limit).contains(&number.unscaled)).ok_or_else(|| out_of_range(value, to))
}

/// MONEY counts its ten-thousandths in 64 bits: all of them are in range.
pub(super) fn money(value: ValueRef<'_>, to: SqlType) -> Result<Decimal> {
    let number = exact(value, to)?.and_then(|number| number.rescale(MONEY_SCALE));
    number.filter(|number| i64::try_from(number.unscaled).is_ok()).ok_or_else(|| out_of_range(value, to))
}

/// The number before it gets the type's scale; `None` if it has more than 38 digits.
fn exact(value: ValueRef<'_>, to: SqlType) -> Result<Option<Decimal>> {
    Ok(match value {
        ValueRef::Integer(number) => Some(Decimal::new(i128::from(number), 0)),
        ValueRef::Boolean(value) => Some(Decimal::new(i128::from(value), 0)),
        ValueRef::Decimal(number) => Some(number),
        ValueRef::Float(number) if number.is_finite() => decimal_of_double(number),
        ValueRef::Float(_) => return Err(not_of(value, to)),
        ValueRef::Text(text) => match text.trim_ascii().parse::<Decimal>() {
            Ok(number) => Some(number),
            Err(crate::DecimalError::TooManyDigits) => None,
            // Text with an exponent: a program that prints doubles wrote it.
            Err(crate::DecimalError::NotANumber) => match text.trim_ascii().parse::<f64>() {
                Ok(number) if number.is_finite() => decimal_of_double(number),
                _ => return Err(not_of(value, to)),
            },
        },
        _ => return Err(mismatch(value, to)),
    })
}

/// The shortest decimal that reads as this double: what a person would have written. `None` if it is too large.
fn decimal_of_double(number: f64) -> Option<Decimal> {
    // Nothing that small survives 38 digits after the point, and its text would be long.
    if number.abs() < 1e-40 {
        return Some(Decimal::new(0, 0));
    }
    if number.abs() >= 1e39 {
        return None;
    }
    format!("{number}").parse().ok()
}

pub(super) fn double(value: ValueRef<'_>, to: SqlType) -> Result<f64> {
    let number = match value {
        ValueRef::Float(number) => return Ok(number),
        ValueRef::Integer(number) => number as f64,
        ValueRef::Decimal(number) => number.to_f64(),
        ValueRef::Boolean(value) => f64::from(u8::from(value)),
        ValueRef::Text(text) => text.trim_ascii().parse().map_err(|_| not_of(value, to))?,
        _ => return Err(mismatch(value, to)),
    };
    if number.is_infinite() && !spells_infinity(value) { Err(out_of_range(value, to)) } else { Ok(number) }
}

/// The nearest number of 32 bits, as a double.
pub(super) fn real(value: ValueRef<'_>, to: SqlType) -> Result<f64> {
    let number: f32 = match value {
        ValueRef::Float(number) if number.is_infinite() => return Ok(number),
        ValueRef::Float(number) => number as f32,
        ValueRef::Integer(number) => number as f32,
        // By way of the text, because two roundings are not one.
        ValueRef::Decimal(number) => number.to_string().parse().map_err(|_| not_of(value, to))?,
        ValueRef::Boolean(value) => f32::from(u8::from(value)),
        ValueRef::Text(text) => text.trim_ascii().parse().map_err(|_| not_of(value, to))?,
        _ => return Err(mismatch(value, to)),
    };
    if number.is_infinite() && !spells_infinity(value) { Err(out_of_range(value, to)) } else { Ok(f64::from(number)) }
}

/// Returns true if it is a text that means infinity, not a number that is too large.
fn spells_infinity(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Text(text) if !text.bytes().any(|byte| byte.is_ascii_digit()))
}
