//! Conversions to numbers: from texts, between kinds of numbers, from moments and bytes.
//!
//! Rounding and truncation follow the table of the reference page "CAST and CONVERT": decimals and floats are cut on
//! their way to an integer, money rounds; everything rounds on its way to a decimal or money.

use super::binary;
use super::source::Source;
use crate::messages::Message;
use crate::moment::datetime;
use crate::operators::wide::Wide;
use crate::types::DataType;
use mainstay_types::{Decimal, Value, ValueRef};

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

/// An integer of another integer type: a BIGINT that has no room has the same message for every type.
fn narrow_integer(value: i64, source: &Source<'_>) -> Result<Value, Message> {
    match source.from {
        DataType::BigInt => fit_integer(value, source.to).map_err(|_| overflow("expression", source.to)),
        _ => fit_integer(value, source.to),
    }
}

/// A double as messages show it: six digits behind the point, and zeros behind the seventeenth in front of it.
pub fn shown_float(value: f64) -> String {
    if value.abs() < 1e17 || !value.is_finite() {
        return format!("{value:.6}");
    }
    let text = format!("{value:.16e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let zeros = exponent.parse::<usize>().unwrap_or(0).saturating_sub(16);
    format!("{digits}{}.000000", "0".repeat(zeros))
}

/// An amount as an integer, rounded. What has no room has a message of its own for each type.
fn money_to_integer(value: Decimal, source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    let whole = value.rescale(0).map_or(i128::MAX, |whole| whole.unscaled);
    if let Ok(whole) = i64::try_from(whole)
        && (range(to).0..=range(to).1).contains(&whole)
    {
        return Ok(Value::Integer(whole));
    }
    let small = source.from == DataType::SmallMoney;
    let in_int = i32::try_from(whole).is_ok();
    Err(match to {
        DataType::SmallInt if small => Message::numbered(220, &[&to.name(), &whole]).state(5),
        DataType::SmallInt if in_int => Message::numbered(220, &[&to.name(), &value.unscaled]).state(7),
        DataType::TinyInt if !small && in_int => {
            Message::numbered(232, &[&to.name(), &shown_float(value.to_f64())]).state(11)
        }
        DataType::Int | DataType::SmallInt | DataType::TinyInt if !small => Message::numbered(237, &[&to.name()]),
        _ => overflow("expression", to),
    })
}

/// An integer of a type other than BIT.
pub fn to_integer(source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    match source.value {
        ValueRef::Boolean(value) => Ok(Value::Integer(i64::from(value))),
        ValueRef::Integer(value) => narrow_integer(value, source),
        ValueRef::Decimal(value) if source.from.is_money() => money_to_integer(value, source),
        ValueRef::Decimal(value) => {
            let unit = 10i128.checked_pow(u32::from(value.scale)).unwrap_or(i128::MAX);
            fit_decimal_integer(value.unscaled / unit, to)
        }
        ValueRef::Float(value) => float_to_integer(value, source),
        ValueRef::Text(text) => text_to_integer(text, source),
        ValueRef::Binary(bytes) => Ok(Value::Integer(binary::to_integer(bytes, to))),
        ValueRef::Timestamp(moment) => {
            let days = datetime::to_days(moment);
            fit_decimal_integer((days + 0.5).floor() as i128, to)
        }
        _ => Err(source.refused()),
    }
}

fn fit_decimal_integer(value: i128, to: DataType) -> Result<Value, Message> {
    match i64::try_from(value) {
        Ok(value) if (range(to).0..=range(to).1).contains(&value) => Ok(Value::Integer(value)),
        _ => Err(overflow("expression", to)),
    }
}

fn float_to_integer(value: f64, source: &Source<'_>) -> Result<Value, Message> {
    let (least, most) = range(source.to);
    let cut = value.trunc();
    if cut >= least as f64 && cut < most as f64 + 1.0 {
        return Ok(Value::Integer(cut as i64));
    }
    Err(match source.to {
        DataType::BigInt => overflow("expression", source.to),
        to => {
            let state = match to {
                DataType::TinyInt => 1,
                DataType::SmallInt => 2,
                _ => 3,
            };
            Message::numbered(232, &[&to.name(), &shown_float(value)]).state(state)
        }
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
            DataType::Int => Message::numbered(248, &[&source.name(), &text]),
            DataType::BigInt => overflow("expression", to),
            _ => {
                let column = if to == DataType::TinyInt { "INT1" } else { "INT2" };
                Message::numbered(244, &[&source.name(), &text, &column])
            }
        }),
    }
}

/// Returns true if a number is negative, and the text behind its sign and the blanks around both.
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
        ValueRef::Float(value) => exact_float(value, scale),
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
    fitted.map(Value::Decimal).ok_or_else(|| overflow(source.name(), source.to))
}

/// The number with this scale, rounded, if it has no more digits than the precision.
pub fn fit(value: Decimal, precision: u8, scale: u8) -> Option<Decimal> {
    let value = value.rescale(scale)?;
    let limit = 10u128.checked_pow(u32::from(precision))?;
    (value.unscaled.unsigned_abs() < limit).then_some(value)
}

/// A double with so many digits after the point: of the number that its bits are, rounded half away from zero. That is
/// what a conversion does; it shows from the eighth digit on that a REAL is no decimal.
pub fn exact_float(value: f64, scale: u8) -> Option<Decimal> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    // The value is mantissa * 2^power.
    let (mantissa, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let scaled = Wide::product(u128::from(mantissa), 10u128.checked_pow(u32::from(scale.min(38)))?);
    let magnitude = match u32::try_from(power) {
        Ok(power @ 0..=126) => scaled.times(1 << power)?.narrow()?,
        Ok(_) => return (mantissa == 0).then(|| Decimal::new(0, scale)),
        Err(_) => match power.unsigned_abs() {
            places @ 0..=255 => {
                let up = scaled.shifted_right(places.saturating_sub(1)).is_odd();
                scaled.shifted_right(places).narrow()?.checked_add(u128::from(up))?
            }
            _ => 0,
        },
    };
    let unscaled = i128::try_from(magnitude).ok()?;
    Some(Decimal::new(if value < 0.0 { -unscaled } else { unscaled }, scale))
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
    /// It does not have the form of a number.
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
        ValueRef::Float(value) => exact_float(value, 4),
        ValueRef::Text(text) => {
            let amount = parse_money(text)
                .map_err(|NotAnAmount| Message::numbered(if small { 293 } else { 235 }, &[]).state(0))?;
            return amount
                .and_then(|amount| fit_money(amount, to))
                .map(Value::Decimal)
                .ok_or_else(|| overflow("expression", to));
        }
        ValueRef::Timestamp(moment) => datetime::to_exact_days(moment).rescale(4),
        ValueRef::Binary(bytes) => {
            let unscaled = binary::to_integer(bytes, if small { DataType::Int } else { DataType::BigInt });
            Some(Decimal::new(i128::from(unscaled), 4))
        }
        _ => return Err(source.refused()),
    };
    exact.and_then(|value| fit_money(value, to)).map(Value::Decimal).ok_or_else(|| match source.value {
        ValueRef::Integer(value) if source.from != DataType::BigInt => {
            Message::numbered(220, &[&to.name(), &value]).state(3)
        }
        ValueRef::Decimal(_) if source.from.is_money() => Message::numbered(237, &[&to.name()]).state(3),
        ValueRef::Decimal(_) => overflow("numeric", to).state(4),
        ValueRef::Float(value) => Message::numbered(232, &[&to.name(), &shown_float(value)]).state(2),
        _ => overflow("expression", to),
    })
}

/// Signs of currencies that an amount may have at its front.
pub const CURRENCY: &[char] = &[
    '$', '¢', '£', '¤', '¥', '৲', '৳', '฿', '៛', '₠', '₡', '₢', '₣', '₤', '₥', '₦', '₧', '₨', '₩', '₪', '₫', '€', '₭',
    '₮', '₯', '₰', '₱', '﷼', '﹩', '＄', '￠', '￡', '￥', '￦', '\\',
];

/// A text is no amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAmount;

/// Reads an amount: a sign and a currency in either order, commas anywhere in front of the point. `None` has too many
/// digits.
pub fn parse_money(text: &str) -> Result<Option<Decimal>, NotAnAmount> {
    // Behind it any white space is skipped, in front of it blanks.
    let mut rest = text.trim_start_matches(' ').trim_end();
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
            false => Err(Message::numbered(232, &[&"real", &shown_float(value)]).state(2)),
        };
    }
    if value.is_finite() { Ok(Value::Float(value)) } else { Err(overflow(from.value_name(), to)) }
}

/// Reads a floating point number; an empty text is zero. `d` may stand for `e`. What is too large is infinite.
pub fn parse_float(text: &str) -> Option<f64> {
    // In front of it any white space is skipped, behind it blanks.
    let (negative, digits) = signed(text.trim_start());
    if digits.is_empty() {
        return text.chars().all(|c| matches!(c, ' ' | '+' | '-')).then_some(0.0);
    }
    // The standard library also reads names (`inf`, `nan`), which are not numbers here.
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
