//! Functions of numbers.

use crate::code::Call;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::Machine;
use crate::number::Number;
use crate::number_text;

pub(super) fn abs(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Ok(call.number(machine, 0)?.abs())
}

pub(super) fn int(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Ok(call.number(machine, 0)?.truncated())
}

/// FPT: the part behind the point, always rounded to PRECISION (manual, `functions/fpt.md`).
pub(super) fn fpt(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.number(machine, 0)?;
    let fraction = value.subtract(value.truncated())?;
    Ok(if machine.precision < 0 { fraction } else { fraction.rounded(machine.precision) })
}

pub(super) fn sgn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Ok(Number::whole(call.number(machine, 0)?.signum()))
}

/// MOD: the remainder; with 'MP' never negative.
pub(super) fn modulo(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let (left, right) = (call.number(machine, 0)?, call.number(machine, 1)?);
    let remainder = left.remainder(right)?;
    match remainder.signum() < 0 && machine.parameters.get("MP") != 0 {
        true => remainder.add(right.abs()),
        false => Ok(remainder),
    }
}

pub(super) fn max(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let mut best = call.number(machine, 0)?;
    for index in 1..call.arguments.len() {
        best = best.max(call.number(machine, index)?);
    }
    Ok(best)
}

pub(super) fn min(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let mut best = call.number(machine, 0)?;
    for index in 1..call.arguments.len() {
        best = best.min(call.number(machine, index)?);
    }
    Ok(best)
}

pub(super) fn not(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Ok(crate::machine::truth(call.number(machine, 0)?.is_zero()))
}

/// PRC: rounded to the precision, or to so many decimals.
pub(super) fn prc(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.number(machine, 0)?;
    let decimals = match call.has(1) {
        true => call.within(machine, 1, 0, 18)? as i32,
        false if machine.precision < 0 => return Ok(value),
        false => machine.precision,
    };
    Ok(value.rounded(decimals))
}

/// RND(n): a whole number below n; RND(0) and RND a fraction; a negative number begins anew. Error 41 for fractions.
pub(super) fn rnd(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let limit = if call.has(0) { call.whole(machine, 0)? } else { 0 };
    if limit > 0 {
        // The product of 64 random bits and the limit, without the bits behind the point.
        let value = (u128::from(machine.next_random()) * limit as u128) >> 64;
        return Ok(Number::whole(value as i64));
    }
    if limit < 0 {
        machine.seed(Number::whole(limit));
    }
    let value = (u128::from(machine.next_random()) * 100_000_000) >> 64;
    Number::new(value as i128, 8)
}

pub(super) fn sqr(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.number(machine, 0)?;
    if value.signum() < 0 {
        return fail(40, "square root of a negative number");
    }
    Ok(machine.function_result(square_root(value)?))
}

/// By Newton's steps on whole numbers: 18 digits, rounded.
fn square_root(value: Number) -> Outcome<Number> {
    if value.is_zero() {
        return Ok(value);
    }
    // An even scale and 37 or 38 digits give a root of 19.
    let (mut digits, mut scale) = (i128::from(value.digits()), value.scale());
    while digits < 10i128.pow(36) || scale % 2 != 0 {
        digits *= 10;
        scale += 1;
    }
    let mut root = 10i128.pow(19);
    loop {
        let next = (root + digits / root) / 2;
        if next >= root {
            break;
        }
        root = next;
    }
    Ok(Number::new(root, scale / 2)?.normalized())
}

fn float(machine: &mut Machine, call: &Call, function: fn(f64) -> f64) -> Outcome<Number> {
    let result = function(call.number(machine, 0)?.to_float());
    if result.is_nan() {
        return fail(40, call.name);
    }
    Ok(machine.function_result(Number::from_float(result)?))
}

pub(super) fn sin(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::sin)
}

pub(super) fn cos(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::cos)
}

pub(super) fn tan(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::tan)
}

pub(super) fn asn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::asin)
}

pub(super) fn acs(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::acos)
}

pub(super) fn atn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    float(machine, call, f64::atan)
}

pub(super) fn deg(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Number::from_float(call.number(machine, 0)?.to_float().to_degrees())
}

pub(super) fn rad(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    Number::from_float(call.number(machine, 0)?.to_float().to_radians())
}

/// LOG: to the base of ten. Error 40 for 0 and below.
pub(super) fn log(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.number(machine, 0)?;
    if value.signum() <= 0 {
        return fail(40, "logarithm of a number that is not positive");
    }
    Ok(machine.function_result(Number::from_float(value.to_float().log10())?))
}

/// EXP: a power of ten.
pub(super) fn exp(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let ten = Number::whole(10);
    let power = ten.power(call.number(machine, 0)?)?;
    Ok(machine.function_result(power))
}

/// EPT: the exponent of ten, so that the value is 0.1 to 1 times ten to it.
pub(super) fn ept(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.number(machine, 0)?.normalized();
    if value.is_zero() {
        return Ok(Number::ZERO);
    }
    let mut buffer = [0; 20];
    let digits = number_text::whole_text(&mut buffer, value.digits().unsigned_abs()).len();
    let exponent = i64::try_from(digits).map_err(|_| Fault::new(40))? - i64::from(value.scale());
    Ok(Number::whole(exponent))
}
