//! Functions of numbers.
//!
//! Most compute with FLOAT. ABS, SIGN, CEILING, FLOOR, ROUND, POWER, DEGREES and RADIANS return the kind of number of
//! their argument, so `RADIANS(90)` is 1 and `POWER(2, 40)` an overflow.

use super::Function;
use super::binding::{Binding, Call, float, integer, value};
use crate::convert::{exact_float, fit_integer, fit_money, from_float, overflow};
use crate::messages::Message;
use crate::operators::arithmetic;
use crate::types::DataType;
use mainstay_types::{Decimal, Value, ValueRef};
use std::f64::consts::PI;

/// A function from a double to a double.
macro_rules! of_float {
    ($name:literal, $compute:expr) => {
        Function::new($name, (1, 1), float_type, |_, values| finite($compute(float(values, 0))))
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    of_float!("ACOS", f64::acos),
    of_float!("ASIN", f64::asin),
    of_float!("ATAN", f64::atan),
    of_float!("COS", f64::cos),
    of_float!("COT", |x: f64| 1.0 / x.tan()),
    of_float!("EXP", f64::exp),
    of_float!("LOG10", |x: f64| if x > 0.0 { x.log10() } else { f64::NAN }),
    of_float!("SIN", f64::sin),
    of_float!("SQRT", f64::sqrt),
    of_float!("SQUARE", |x: f64| x * x),
    of_float!("TAN", f64::tan),
    Function::new("ATN2", (2, 2), float_type, atn2),
    Function::new("LOG", (1, 2), float_type, log),
    Function::new("PI", (0, 0), |_| Ok(DataType::Float), |_, _| Ok(Value::Float(PI))),
    Function::new("RAND", (0, 1), rand_type, rand).sees_nulls().per_statement(),
    Function::new("ABS", (1, 1), same_type, abs),
    Function::new("SIGN", (1, 1), same_type, sign),
    Function::new("CEILING", (1, 1), whole_type, |call, values| whole(call, value(values, 0), true)),
    Function::new("FLOOR", (1, 1), whole_type, |call, values| whole(call, value(values, 0), false)),
    Function::new("ROUND", (2, 3), round_type, round),
    Function::new("POWER", (2, 2), power_type, power),
    Function::new("DEGREES", (1, 1), angle_type, |call, values| angle(call, values, 180.0 / PI)),
    Function::new("RADIANS", (1, 1), angle_type, |call, values| angle(call, values, PI / 180.0)),
    Function::new("BIT_COUNT", (1, 1), bit_count_type, bit_count),
    Function::new("GET_BIT", (2, 2), get_bit_type, get_bit),
    Function::new("SET_BIT", (2, 3), set_bit_type, set_bit),
    Function::new("LEFT_SHIFT", (2, 2), shift_type, |call, values| Ok(shifted(call, values, 1))),
    Function::new("RIGHT_SHIFT", (2, 2), shift_type, |call, values| Ok(shifted(call, values, -1))),
];

fn float_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    for index in 0..binding.count() {
        binding.float(index)?;
    }
    Ok(DataType::Float)
}

/// 3623 for what no number is, 8115 for what no double is.
fn finite(number: f64) -> Result<Value, Message> {
    if number.is_nan() {
        return Err(Message::numbered(3623, &[]));
    }
    if number.is_infinite() { Err(overflow("expression", DataType::Float)) } else { Ok(Value::Float(number)) }
}

fn atn2(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (y, x) = (float(values, 0), float(values, 1));
    finite(if y == 0.0 && x == 0.0 { f64::NAN } else { y.atan2(x) })
}

fn log(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let number = float(values, 0);
    let base = if values.len() > 1 { float(values, 1) } else { std::f64::consts::E };
    if number <= 0.0 || base <= 0.0 || base == 1.0 {
        return Err(Message::numbered(3623, &[]));
    }
    finite(if values.len() > 1 { number.ln() / base.ln() } else { number.ln() })
}

fn rand_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.count() > 0 {
        binding.integer(0)?;
    }
    Ok(DataType::Float)
}

fn rand(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let number = match (call.context.random, values.first()) {
        (None, _) => 0.5,
        (Some(random), None) => random.next(),
        (Some(random), Some(ValueRef::Integer(seed))) => random.restart(*seed as i32),
        (Some(_), Some(_)) => return Ok(Value::Null),
    };
    Ok(Value::Float(number))
}

/// The type of a number; INT for what is smaller, FLOAT for REAL and texts.
fn same_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    use DataType::*;
    match binding.argument(0).data_type {
        Some(Bit) => Ok(binding.become_type(0, Float)),
        Some(TinyInt | SmallInt | Int) | None => Ok(binding.become_type(0, Int)),
        Some(SmallMoney) => Ok(binding.become_type(0, Money)),
        Some(same @ (BigInt | Decimal { .. } | Money | Float)) => Ok(same),
        _ => binding.float(0),
    }
}

fn abs(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let result = call.bound.result;
    Ok(match value(values, 0) {
        ValueRef::Integer(number) => {
            return fit_integer(number.checked_abs().ok_or_else(|| arithmetic::overflowed(result))?, result);
        }
        ValueRef::Decimal(number) => {
            let number = Decimal { unscaled: number.unscaled.saturating_abs(), scale: number.scale };
            let fits = !result.is_money() || fit_money(number, result).is_some();
            if !fits {
                return Err(arithmetic::overflowed(result));
            }
            Value::Decimal(number)
        }
        other => Value::Float(other.as_f64().unwrap_or(0.0).abs()),
    })
}

fn sign(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(match value(values, 0) {
        ValueRef::Integer(number) => Value::Integer(number.signum()),
        ValueRef::Decimal(number) => {
            let unit = 10i128.checked_pow(u32::from(number.scale)).unwrap_or(0);
            Value::Decimal(Decimal { unscaled: number.unscaled.signum() * unit, scale: number.scale })
        }
        other => {
            let number = other.as_f64().unwrap_or(0.0);
            Value::Float(if number == 0.0 { 0.0 } else { number.signum() })
        }
    })
}

fn whole_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(match same_type(binding)? {
        DataType::Decimal { precision, .. } => DataType::Decimal { precision, scale: 0 },
        other => other,
    })
}

fn whole(call: &Call<'_>, value: ValueRef<'_>, up: bool) -> Result<Value, Message> {
    Ok(match value {
        ValueRef::Decimal(number) => {
            let unit = 10i128.checked_pow(u32::from(number.scale)).unwrap_or(i128::MAX);
            let below = number.unscaled.div_euclid(unit);
            let whole = if up && number.unscaled.rem_euclid(unit) > 0 { below + 1 } else { below };
            if call.bound.result.is_money() {
                let money = fit_money(Decimal::new(whole, 0), call.bound.result);
                return money.map(Value::Decimal).ok_or_else(|| arithmetic::overflowed(call.bound.result));
            }
            Value::Decimal(Decimal::new(whole, 0))
        }
        ValueRef::Float(number) => Value::Float(if up { number.ceil() } else { number.floor() }),
        other => other.to_value(),
    })
}

fn round_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let result = same_type(binding)?;
    for index in 1..binding.count() {
        if binding.argument(index).data_type.is_some_and(DataType::is_text) {
            return Err(binding.invalid(index));
        }
        binding.integer(index)?;
    }
    Ok(result)
}

/// To so many digits behind the point, or before it for a negative number; cut when a third argument is not 0.
fn round(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let digits = integer(values, 1).clamp(-400, 400) as i32;
    let cut = integer(values, 2) != 0;
    let result = call.bound.result;
    match value(values, 0) {
        ValueRef::Integer(number) => {
            let rounded = round_exact(Decimal::new(i128::from(number), 0), digits, cut);
            let rounded = i64::try_from(rounded.unscaled).map_err(|_| arithmetic::overflowed(result))?;
            fit_integer(rounded, result)
        }
        ValueRef::Decimal(number) => {
            let rounded = round_exact(number, digits, cut);
            let fits = match result {
                DataType::Decimal { precision, scale } => crate::convert::fit(rounded, precision, scale).is_some(),
                _ => fit_money(rounded, result).is_some(),
            };
            if fits { Ok(Value::Decimal(rounded)) } else { Err(arithmetic::overflowed(result)) }
        }
        other => finite(round_float(other.as_f64().unwrap_or(0.0), digits, cut)),
    }
}

/// The scale stays; digits behind the place become zero.
fn round_exact(number: Decimal, digits: i32, cut: bool) -> Decimal {
    let drop = i32::from(number.scale) - digits;
    if drop <= 0 {
        return number;
    }
    let Some(unit) = 10i128.checked_pow(drop.unsigned_abs()) else { return Decimal::new(0, number.scale) };
    let quotient = number.unscaled / unit;
    let remainder = number.unscaled % unit;
    let up = !cut && remainder.unsigned_abs() >= unit.unsigned_abs() / 2;
    let quotient = if up { quotient + number.unscaled.signum() } else { quotient };
    Decimal::new(quotient.saturating_mul(unit), number.scale)
}

fn round_float(number: f64, digits: i32, cut: bool) -> f64 {
    if !(-308..=308).contains(&digits) || number == 0.0 {
        return if digits < 0 { 0.0 } else { number };
    }
    // By way of its decimal digits where there is room for them, so that 2.675 is what it shows.
    if (0..=30).contains(&digits)
        && let Some(exact) = from_float(number, (digits as u8 + 6).min(36))
    {
        return round_exact(exact, digits, cut).to_f64();
    }
    let factor = 10f64.powi(digits);
    let scaled = number * factor;
    if !scaled.is_finite() {
        return number;
    }
    (if cut { scaled.trunc() } else { scaled.round() }) / factor
}

fn power_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let result = same_type(binding)?;
    binding.float(1)?;
    Ok(match result {
        DataType::Decimal { scale, .. } => DataType::Decimal { precision: 38, scale },
        other => other,
    })
}

fn power(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (base, exponent) = (value(values, 0), float(values, 1));
    if let ValueRef::Integer(base) = base
        && let Some(exact) = exact_power(base, exponent)
    {
        return fit_integer(exact, call.bound.result).map_err(|_| too_large(exact as f64, call.bound.result));
    }
    let base = base.as_f64().unwrap_or(0.0);
    if base == 0.0 && exponent < 0.0 {
        return Err(arithmetic::divided_by_zero());
    }
    of_kind(base.powf(exponent), call.bound.result)
}

/// An integer to a small whole power without a detour through doubles, if 64 bits hold it.
fn exact_power(base: i64, exponent: f64) -> Option<i64> {
    let whole = exponent as u32;
    (f64::from(whole) == exponent).then(|| base.checked_pow(whole))?
}

/// 232 for a double that an integer type does not hold.
fn too_large(number: f64, data_type: DataType) -> Message {
    Message::numbered(232, &[&data_type.name(), &format_args!("{number:.6}")]).state(3)
}

/// A double as the kind of number that the result is.
fn of_kind(number: f64, data_type: DataType) -> Result<Value, Message> {
    if number.is_nan() {
        return Err(Message::numbered(3623, &[]));
    }
    match data_type {
        DataType::Int | DataType::BigInt => {
            let (least, most) = crate::convert::range(data_type);
            let cut = number.trunc();
            if cut >= least as f64 && cut < most as f64 + 1.0 {
                Ok(Value::Integer(cut as i64))
            } else {
                Err(too_large(number, data_type))
            }
        }
        DataType::Decimal { precision, scale } => {
            let exact = exact_float(number, scale).and_then(|value| crate::convert::fit(value, precision, scale));
            exact.map(Value::Decimal).ok_or_else(|| overflow("float", data_type))
        }
        DataType::Money => {
            let exact = exact_float(number, 4).and_then(|value| fit_money(value, data_type));
            exact.map(Value::Decimal).ok_or_else(|| overflow("float", data_type))
        }
        _ => finite(number),
    }
}

fn angle_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(match same_type(binding)? {
        DataType::Decimal { scale, .. } => DataType::Decimal { precision: 38, scale: scale.max(18) },
        other => other,
    })
}

fn angle(call: &Call<'_>, values: &[ValueRef<'_>], factor: f64) -> Result<Value, Message> {
    let result = call.bound.result;
    let angle = of_kind(float(values, 0) * factor, result);
    angle.map_err(|message| if message.number == 232 { arithmetic::overflowed(result) } else { message })
}

fn bits_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    match binding.argument(0).data_type {
        Some(data_type)
            if data_type.is_integer() || matches!(data_type, DataType::Binary(_) | DataType::VarBinary(_)) =>
        {
            Ok(data_type)
        }
        None => Ok(DataType::Int),
        _ => Err(binding.invalid(0)),
    }
}

fn bit_count_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    bits_type(binding)?;
    Ok(DataType::BigInt)
}

fn bit_count(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let count = match value(values, 0) {
        ValueRef::Binary(bytes) => bytes.iter().map(|byte| byte.count_ones()).sum(),
        _ => (integer(values, 0) as u64 & mask(call.argument_type(0))).count_ones(),
    };
    Ok(Value::Integer(i64::from(count)))
}

/// The bits that an integer type has.
fn mask(data_type: DataType) -> u64 {
    match data_type {
        DataType::Bit => 1,
        DataType::TinyInt => 0xFF,
        DataType::SmallInt => 0xFFFF,
        DataType::Int => 0xFFFF_FFFF,
        _ => u64::MAX,
    }
}

fn get_bit_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    bits_type(binding)?;
    binding.integer(1)?;
    Ok(DataType::Bit)
}

fn set_bit_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = bits_type(binding)?;
    binding.integer(1)?;
    if binding.count() > 2 {
        binding.integer(2)?;
    }
    Ok(data_type)
}

/// The place of a bit, from the lowest; beyond the value's is an error.
fn bit_place(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<usize, Message> {
    let bits = match value(values, 0) {
        ValueRef::Binary(bytes) => bytes.len() * 8,
        _ => mask(call.argument_type(0)).count_ones() as usize,
    };
    let place = usize::try_from(integer(values, 1)).ok().filter(|place| *place < bits);
    place.ok_or_else(|| Message::numbered(9838, &[&2, &call.name(), &0, &bits.saturating_sub(1)]))
}

fn get_bit(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let place = bit_place(call, values)?;
    Ok(Value::Boolean(match value(values, 0) {
        ValueRef::Binary(bytes) => bytes.iter().rev().nth(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1),
        _ => integer(values, 0) >> place & 1 == 1,
    }))
}

fn set_bit(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let place = bit_place(call, values)?;
    let on = match (values.len(), integer(values, 2)) {
        (3, 0) => false,
        (3, 1) | (0..=2, _) => true,
        _ => return Err(Message::numbered(9839, &[&3, &call.name()])),
    };
    Ok(match value(values, 0) {
        ValueRef::Binary(bytes) => {
            let mut bytes = bytes.to_vec();
            if let Some(byte) = bytes.iter_mut().rev().nth(place / 8) {
                *byte = if on { *byte | 1 << (place % 8) } else { *byte & !(1 << (place % 8)) };
            }
            Value::Binary(bytes)
        }
        ValueRef::Boolean(_) => Value::Boolean(on),
        _ => {
            let number = integer(values, 0);
            let set = if on { number | 1 << place } else { number & !(1 << place) };
            // The highest bit is the sign's.
            Value::Integer(arithmetic::shift(set, 0, call.bound.result))
        }
    })
}

fn shift_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = bits_type(binding)?;
    binding.integer(1)?;
    if data_type.is_integer() && data_type != DataType::Bit { Ok(data_type) } else { Err(binding.invalid(0)) }
}

fn shifted(call: &Call<'_>, values: &[ValueRef<'_>], direction: i64) -> Value {
    let places = integer(values, 1).saturating_mul(direction);
    Value::Integer(arithmetic::shift(integer(values, 0), places, call.bound.result))
}
