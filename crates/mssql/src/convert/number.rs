//! Conversions to numbers: from texts, between kinds of numbers, from moments and bytes.
//!
//! Which ones round and which cut is the table of the reference page "CAST and CONVERT": decimals and floats are cut on
//! their way to an integer, money rounds; everything rounds on its way to a decimal or money.

use super::binary;
use super::source::Source;
use crate::messages::Message;
use crate::moment::datetime;
use crate::types::DataType;
use mainstay_base::{Decimal, Value, ValueRef};

/// The smallest and the largest value of an integer type.
pub fn range(data_type: DataType) -> (i64, i64) {
    match data_type {
        DataType::Bit => (0, 1),
        DataType::TinyInt => (0, 255),
        DataType::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DataType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// An overflow of `what` (a type's name, or `expression`) on its way to a type.
pub fn overflow(what: &str, to: DataType) -> Message {
    let state = match what {
        "expression" => 2,
        "numeric" => 8,
        _ => 6,
    };
    Message::numbered(8115, &[&what, &to.value_name()]).state(state)
}

/// An integer, if the type has it.
pub fn fit_integer(value: i64, to: DataType) -> Result<Value, Message> {
    let (least, most) = range(to);
    if (least..=most).contains(&value) {
        return Ok(Value::Integer(value));
    }
    Err(match to {
        DataType::TinyInt | DataType::SmallInt => Message::numbered(220, &[&to.name(), &value]),
        _ => overflow("expression", to),
    })
}

/// An integer of a type other than BIT.
pub fn to_integer(source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    match source.value {
        ValueRef::Boolean(value) => Ok(Value::Integer(i64::from(value))),
        ValueRef::Integer(value) => fit_integer(value, to),
        ValueRef::Decimal(value) if source.from.is_money() => match value.rescale(0) {
            Some(whole) => fit_decimal_integer(whole.unscaled, "expression", to),
            None => Err(overflow("money", to)),
        },
        ValueRef::Decimal(value) => {
            let unit = 10i128.checked_pow(u32::from(value.scale)).unwrap_or(i128::MAX);
            fit_decimal_integer(value.unscaled / unit, "numeric", to)
        }
        ValueRef::Float(value) => float_to_integer(value, source),
        ValueRef::Text(text) => text_to_integer(text, source),
        ValueRef::Binary(bytes) => Ok(Value::Integer(binary::to_integer(bytes, to))),
        ValueRef::Timestamp(moment) => {
            let days = datetime::to_days(moment);
            fit_decimal_integer((days + 0.5).floor() as i128, "expression", to)
        }
        _ => Err(source.refused()),
    }
}

fn fit_decimal_integer(value: i128, what: &str, to: DataType) -> Result<Value, Message> {
    match i64::try_from(value) {
        Ok(value) if (range(to).0..=range(to).1).contains(&value) => Ok(Value::Integer(value)),
        _ => Err(overflow(what, to)),
    }
}

fn float_to_integer(value: f64, source: &Source<'_>) -> Result<Value, Message> {
    let (least, most) = range(source.to);
    let cut = value.trunc();
    if cut >= least as f64 && cut < most as f64 + 1.0 {
        return Ok(Value::Integer(cut as i64));
    }
    Err(match source.to {
        DataType::BigInt => overflow(source.from.name(), source.to),
        to => Message::numbered(232, &[&to.name(), &format_args!("{value:.6}")]).state(3),
    })
}

fn text_to_integer(text: &str, source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    let failed = || match to {
        DataType::BigInt => source.not_converted(),
        _ => source.conversion_failed(),
    };
    let (negative, digits) = signed(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(failed());
    }
    let magnitude =
        digits.bytes().try_fold(0i64, |number, digit| number.checked_mul(10)?.checked_sub(i64::from(digit - b'0')));
    // Counted downwards, so that the least of them has room.
    let value = magnitude.and_then(|value| if negative { Some(value) } else { value.checked_neg() });
    let (least, most) = range(to);
    match value {
        Some(value) if (least..=most).contains(&value) => Ok(Value::Integer(value)),
        _ => Err(match to {
            DataType::Int => Message::numbered(248, &[&source.from.name(), &text]),
            DataType::BigInt => overflow(source.from.name(), to),
            _ => {
                let column = if to == DataType::TinyInt { "INT1" } else { "INT2" };
                Message::numbered(244, &[&source.from.name(), &text, &column])
            }
        }),
    }
}

/// Whether a number is negative, and the text behind its sign and the blanks around both.
fn signed(text: &str) -> (bool, &str) {
    let text = text.trim_matches(' ');
    match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start_matches(' ')),
        None => (false, text.strip_prefix('+').unwrap_or(text).trim_start_matches(' ')),
    }
}

/// A BIT: `true` and `false` by their names, numbers by whether they are zero.
pub fn to_bit(source: &Source<'_>) -> Result<Value, Message> {
    let bit = match source.value {
        ValueRef::Boolean(value) => value,
        ValueRef::Integer(value) => value != 0,
        ValueRef::Decimal(value) => value.unscaled != 0,
        ValueRef::Float(value) => value != 0.0,
        ValueRef::Timestamp(moment) => datetime::to_days(moment) != 0.0,
        ValueRef::Binary(bytes) => bytes.last().is_some_and(|byte| *byte != 0),
        ValueRef::Text(text) => {
            let trimmed = text.trim_matches(' ');
            if trimmed.eq_ignore_ascii_case("true") {
                true
            } else if trimmed.eq_ignore_ascii_case("false") {
                false
            } else {
                let (_, digits) = signed(text);
                if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(source.conversion_failed());
                }
                digits.bytes().any(|byte| byte != b'0')
            }
        }
        _ => return Err(source.refused()),
    };
    Ok(Value::Boolean(bit))
}

/// A DECIMAL with the precision and scale of the type.
pub fn to_decimal(source: &Source<'_>, precision: u8, scale: u8) -> Result<Value, Message> {
    let exact = match source.value {
        ValueRef::Boolean(value) => Some(Decimal::new(i128::from(value), 0)),
        ValueRef::Integer(value) => Some(Decimal::new(i128::from(value), 0)),
        ValueRef::Decimal(value) => Some(value),
        ValueRef::Float(value) => from_float(value, scale),
        ValueRef::Text(text) => match parse_decimal(text) {
            Ok(value) => Some(value),
            Err(ParseError::Form) => return Err(source.not_converted()),
            Err(ParseError::Digits) => None,
        },
        ValueRef::Timestamp(moment) => Some(datetime::to_exact_days(moment)),
        ValueRef::Binary(bytes) => match binary::to_decimal(bytes) {
            Some(value) => Some(value),
            None => return Err(source.not_converted()),
        },
        _ => return Err(source.refused()),
    };
    let fitted = exact.and_then(|value| fit(value, precision, scale));
    fitted.map(Value::Decimal).ok_or_else(|| overflow(source.from.value_name(), source.to))
}

/// The number with this scale, rounded, if it has no more digits than the precision.
pub fn fit(value: Decimal, precision: u8, scale: u8) -> Option<Decimal> {
    let value = value.rescale(scale)?;
    let limit = 10u128.checked_pow(u32::from(precision))?;
    (value.unscaled.unsigned_abs() < limit).then_some(value)
}

/// A double with so many digits after the point: of its first 17 digits, which is what tells doubles apart.
pub fn from_float(value: f64, scale: u8) -> Option<Decimal> {
    if !value.is_finite() {
        return None;
    }
    if value == 0.0 {
        return Some(Decimal::new(0, scale));
    }
    let text = format!("{value:.16e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let digits: i128 = mantissa.replace('.', "").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    // The value is digits * 10^(exponent - 16).
    let shift = exponent - 16 + i32::from(scale);
    let unscaled = match u32::try_from(shift) {
        Ok(shift) => digits.checked_mul(10i128.checked_pow(shift)?)?,
        Err(_) => match 10i128.checked_pow(shift.unsigned_abs()) {
            Some(divisor) => (digits + digits.signum() * (divisor / 2)) / divisor,
            None => 0,
        },
    };
    Some(Decimal::new(unscaled, scale))
}

/// Why a text is no exact number.
pub enum ParseError {
    /// It is none.
    Form,
    /// It has too many digits.
    Digits,
}

/// Reads a sign, digits and a point. Digits behind the 38th of the fraction are cut.
pub fn parse_decimal(text: &str) -> Result<Decimal, ParseError> {
    let (negative, digits) = signed(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return Err(ParseError::Form);
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 38 {
        return Err(ParseError::Digits);
    }
    let fraction = fraction.get(..38 - whole.len()).unwrap_or(fraction);
    let add = |number: i128, part: &str| part.bytes().fold(number, |n, digit| n * 10 + i128::from(digit - b'0'));
    let unscaled = add(add(0, whole), fraction);
    Ok(Decimal::new(if negative { -unscaled } else { unscaled }, fraction.len() as u8))
}

/// The largest magnitude of a money type, in ten-thousandths.
fn money_limits(to: DataType) -> (i128, i128) {
    match to {
        DataType::SmallMoney => (i128::from(i32::MIN), i128::from(i32::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    }
}

/// An amount in ten-thousandths, if the type has it.
pub fn fit_money(value: Decimal, to: DataType) -> Option<Decimal> {
    let (least, most) = money_limits(to);
    value.rescale(4).filter(|value| (least..=most).contains(&value.unscaled))
}

/// A MONEY or SMALLMONEY.
pub fn to_money(source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    let small = to == DataType::SmallMoney;
    let exact = match source.value {
        ValueRef::Boolean(value) => Some(Decimal::new(i128::from(value), 0)),
        ValueRef::Integer(value) => Some(Decimal::new(i128::from(value), 0)),
        ValueRef::Decimal(value) => Some(value),
        ValueRef::Float(value) => from_float(value, 4),
        ValueRef::Text(text) => {
            let amount = parse_money(text)
                .map_err(|NotAnAmount| Message::numbered(if small { 293 } else { 235 }, &[]).state(0))?;
            return amount
                .and_then(|amount| fit_money(amount, to))
                .map(Value::Decimal)
                .ok_or_else(|| if small { Message::numbered(294, &[]) } else { Message::numbered(236, &[]) });
        }
        ValueRef::Timestamp(moment) => datetime::to_exact_days(moment).rescale(4),
        ValueRef::Binary(bytes) => {
            let unscaled = binary::to_integer(bytes, if small { DataType::Int } else { DataType::BigInt });
            Some(Decimal::new(i128::from(unscaled), 4))
        }
        _ => return Err(source.refused()),
    };
    let what = if source.from.is_integer() { "expression" } else { source.from.value_name() };
    exact.and_then(|value| fit_money(value, to)).map(Value::Decimal).ok_or_else(|| overflow(what, to))
}

/// Signs of currencies that an amount may have at its front.
pub const CURRENCY: &[char] = &[
    '$', '¢', '£', '¤', '¥', '৲', '৳', '฿', '៛', '₠', '₡', '₢', '₣', '₤', '₥', '₦', '₧', '₨', '₩', '₪', '₫', '€', '₭',
    '₮', '₯', '₰', '₱', '﷼', '﹩', '＄', '￠', '￡', '￥', '￦',
];

/// A text is no amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAmount;

/// Reads an amount: a sign and a currency in either order, commas anywhere in front of the point. `None` has too many
/// digits.
pub fn parse_money(text: &str) -> Result<Option<Decimal>, NotAnAmount> {
    let mut rest = text.trim_matches(' ');
    let (mut negative, mut currency, mut sign) = (false, false, false);
    while let Some(first) = rest.chars().next() {
        if !currency && CURRENCY.contains(&first) {
            currency = true;
        } else if !sign && matches!(first, '-' | '+') {
            (sign, negative) = (true, first == '-');
        } else if first != ' ' {
            break;
        }
        rest = &rest[first.len_utf8()..];
    }
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let whole: String = whole.chars().filter(|c| *c != ',').collect();
    if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(NotAnAmount);
    }
    let digits = format!("{}{whole}.{fraction}0", if negative { "-" } else { "" });
    match parse_decimal(&digits) {
        Ok(value) => Ok(Some(value)),
        Err(ParseError::Form) => Err(NotAnAmount),
        Err(ParseError::Digits) => Ok(None),
    }
}

/// A FLOAT, or a REAL as the double of the same value.
pub fn to_float(source: &Source<'_>) -> Result<Value, Message> {
    let value = match source.value {
        ValueRef::Boolean(value) => f64::from(u8::from(value)),
        ValueRef::Integer(value) => value as f64,
        ValueRef::Decimal(value) => value.to_f64(),
        ValueRef::Float(value) => value,
        ValueRef::Text(text) => parse_float(text).ok_or_else(|| source.not_converted())?,
        ValueRef::Timestamp(moment) => datetime::to_days(moment),
        ValueRef::Binary(bytes) => binary::to_float(bytes).ok_or_else(|| source.refused())?,
        _ => return Err(source.refused()),
    };
    fit_float(value, source.to, source.from)
}

/// A finite number that the type has.
pub fn fit_float(value: f64, to: DataType, from: DataType) -> Result<Value, Message> {
    if to == DataType::Real {
        let narrow = value as f32;
        return match narrow.is_finite() {
            true => Ok(Value::Float(f64::from(narrow))),
            false => Err(Message::numbered(232, &[&"real", &format_args!("{value:.6}")]).state(2)),
        };
    }
    if value.is_finite() { Ok(Value::Float(value)) } else { Err(overflow(from.value_name(), to)) }
}

/// Reads a floating point number; an empty text is zero. `d` may stand for `e`. What is too large is infinite.
pub fn parse_float(text: &str) -> Option<f64> {
    let (negative, digits) = signed(text);
    if digits.is_empty() {
        return Some(0.0);
    }
    // The standard library also reads names (`inf`, `nan`), which are none here.
    let shaped =
        digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'd' | b'D' | b'+' | b'-'));
    if !shaped || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if digits == "." {
        return Some(0.0);
    }
    let value: f64 = digits.replace(['d', 'D'], "e").parse().ok()?;
    Some(if negative { -value } else { value })
}
