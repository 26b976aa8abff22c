//! Functions of numbers. Source: the help page "Math Functions" and those of the functions.

use crate::failure::{Failure, native};
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use mainstay_types::{Decimal, Value, ValueRef};
use std::sync::atomic::Ordering;

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("abs", (1, 1), Gives::Same(0), abs),
    plain("acos", (1, 1), Gives::Double, |it| double(it, it.double(0)?.acos())),
    plain("asin", (1, 1), Gives::Double, |it| double(it, it.double(0)?.asin())),
    plain("atan", (1, 1), Gives::Double, |it| double(it, it.double(0)?.atan())),
    plain("atan2", (2, 2), Gives::Double, |it| double(it, it.double(1)?.atan2(it.double(0)?))),
    plain("ceiling", (1, 1), Gives::Same(0), |it| whole(it, f64::ceil, true)),
    plain("floor", (1, 1), Gives::Same(0), |it| whole(it, f64::floor, false)),
    plain("cos", (1, 1), Gives::Double, |it| double(it, it.double(0)?.cos())),
    plain("cot", (1, 1), Gives::Double, |it| double(it, 1.0 / it.double(0)?.tan())),
    plain("degrees", (1, 1), Gives::Double, |it| double(it, it.double(0)?.to_degrees())),
    plain("exp", (1, 1), Gives::Double, |it| double(it, it.double(0)?.exp())),
    plain("log", (1, 1), Gives::Double, |it| double(it, it.double(0)?.ln())),
    plain("log10", (1, 1), Gives::Double, |it| double(it, it.double(0)?.log10())),
    plain("mod", (2, 2), Gives::Integer, modulo),
    plain("pi", (0, 0), Gives::Double, |_| Ok(Value::Float(std::f64::consts::PI))),
    plain("power", (2, 2), Gives::Double, |it| double(it, it.double(0)?.powf(it.double(1)?))),
    plain("radians", (1, 1), Gives::Double, |it| double(it, it.double(0)?.to_radians())),
    plain("rand", (0, 1), Gives::Double, rand).volatile(),
    plain("round", (2, 2), Gives::Same(0), |it| rounded(it, true)),
    plain("truncate", (2, 2), Gives::Same(0), |it| rounded(it, false)),
    plain("sign", (1, 1), Gives::Integer, sign),
    plain("sin", (1, 1), Gives::Double, |it| double(it, it.double(0)?.sin())),
    plain("sqrt", (1, 1), Gives::Double, |it| double(it, it.double(0)?.sqrt())),
    plain("tan", (1, 1), Gives::Double, |it| double(it, it.double(0)?.tan())),
];

fn overflow() -> Failure {
    Failure::new(native::OVERFLOW, "Numeric overflow")
}

/// A result that is not a number (the root of a negative one) means that the function does not take the argument.
fn double(it: &Arguments<'_>, number: f64) -> Outcome {
    if number.is_finite() { Ok(Value::Float(number)) } else { Err(it.refused()) }
}

fn abs(it: &Arguments<'_>) -> Outcome {
    Ok(match it.value(0) {
        ValueRef::Integer(number) => Value::Integer(number.checked_abs().ok_or_else(overflow)?),
        ValueRef::Decimal(number) => Value::Decimal(Decimal::new(number.unscaled.abs(), number.scale)),
        ValueRef::Float(number) => Value::Float(number.abs()),
        _ => return Err(it.refused()),
    })
}

fn whole(it: &Arguments<'_>, round: fn(f64) -> f64, up: bool) -> Outcome {
    Ok(match it.value(0) {
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Decimal(number) => {
            let unit = 10_i128.checked_pow(u32::from(number.scale)).ok_or_else(overflow)?;
            let down = number.unscaled.div_euclid(unit);
            let has_rest = number.unscaled.rem_euclid(unit) != 0;
            let result = (down + i128::from(up && has_rest)).checked_mul(unit).ok_or_else(overflow)?;
            Value::Decimal(Decimal::new(result, number.scale))
        }
        ValueRef::Float(number) => Value::Float(round(number)),
        _ => return Err(it.refused()),
    })
}

fn modulo(it: &Arguments<'_>) -> Outcome {
    let (number, divisor) = (it.integer(0)?, it.integer(1)?);
    if divisor == 0 {
        return Err(Failure::new(native::DIVISION, "Division by zero"));
    }
    number.checked_rem(divisor).map(Value::Integer).ok_or_else(overflow)
}

/// To so many places behind the point, or before it where they are negative; halves away from zero.
fn rounded(it: &Arguments<'_>, to_nearest: bool) -> Outcome {
    let places = it.integer(1)?.clamp(-40, 40);
    let exact = |number: Decimal| -> Option<Decimal> {
        let lost = i64::from(number.scale) - places;
        let Some(unit) = u32::try_from(lost).ok().filter(|lost| *lost > 0) else { return Some(number) };
        let Some(unit) = 10_i128.checked_pow(unit) else { return Some(Decimal::new(0, number.scale)) };
        let half = if to_nearest { unit / 2 * number.unscaled.signum() } else { 0 };
        let result = (number.unscaled.checked_add(half)? / unit).checked_mul(unit)?;
        Some(Decimal::new(result, number.scale))
    };
    Ok(match it.value(0) {
        ValueRef::Integer(number) => {
            let result = exact(Decimal::new(i128::from(number), 0)).ok_or_else(overflow)?;
            Value::Integer(i64::try_from(result.unscaled).map_err(|_| overflow())?)
        }
        ValueRef::Decimal(number) => Value::Decimal(exact(number).ok_or_else(overflow)?),
        ValueRef::Float(number) => {
            let unit = 10_f64.powi(i32::try_from(places).unwrap_or(0));
            let scaled = number * unit;
            let result = if to_nearest { scaled.round() } else { scaled.trunc() } / unit;
            Value::Float(if result.is_finite() { result } else { number })
        }
        _ => return Err(it.refused()),
    })
}

fn sign(it: &Arguments<'_>) -> Outcome {
    let number = it.double(0)?;
    Ok(Value::Integer(if number > 0.0 {
        1
    } else if number < 0.0 {
        -1
    } else {
        0
    }))
}

/// A number from 0 up to 1. A seed begins a new series; the seed 0 an unpredictable one.
fn rand(it: &Arguments<'_>) -> Outcome {
    let seed = it.context.seed;
    if it.count() > 0 {
        let given = it.integer(0)?;
        let start = if given == 0 { it.context.now.0 } else { given };
        seed.store(start as u64, Ordering::Relaxed);
    }
    // SplitMix64: each number is a mix of a counter.
    let counter = seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
    let mut mixed = (counter ^ counter >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    Ok(Value::Float(((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64))
}
