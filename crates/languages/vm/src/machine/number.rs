//! Decimals and doubles: arithmetic of given scales, and conversions between numbers.
//!
//! Decimals are computed exactly, in 256 bits where 128 are not enough, and only then rounded to the scale of the
//! result. Most numbers are small: a fast path of 128 bits is tried first.

use super::Cell;
use super::wide::{Wide, power};
use crate::compile::DecimalShape;
use crate::{ArithmeticOp, Fault, Rounding, Type, Width};
use mainstay_types::{Decimal, ValueRef};
use std::cmp::Ordering;
use std::fmt::Write;

/// A number with its sign apart.
#[derive(Clone, Copy)]
struct Signed {
    negative: bool,
    size: Wide,
}

/// Arithmetic of two decimals without their points.
pub(super) fn decimal(op: ArithmeticOp, shape: &DecimalShape, a: i128, b: i128) -> Result<i128, Fault> {
    let overflow = || Fault::Overflow { to: Type::Decimal { precision: shape.precision, scale: shape.scale } };
    if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) && b == 0 {
        return Err(Fault::DivideByZero);
    }
    let same = shape.left_scale == shape.right_scale && shape.scale == shape.left_scale;
    let small = match op {
        ArithmeticOp::Add if same => a.checked_add(b),
        ArithmeticOp::Subtract if same => a.checked_sub(b),
        ArithmeticOp::Multiply => small_product(shape, a, b),
        ArithmeticOp::Divide => small_quotient(shape, a, b),
        ArithmeticOp::Remainder if same => a.checked_rem(b),
        _ => None,
    };
    let number = match small {
        Some(number) => Some(number),
        None => large(op, shape, a, b),
    };
    number.filter(|number| within(*number, shape.precision)).ok_or_else(overflow)
}

/// Returns true if a number has at most so many digits.
fn within(number: i128, precision: u8) -> bool {
    power(precision.into()).is_some_and(|limit| number.unsigned_abs() < limit)
}

fn small_product(shape: &DecimalShape, a: i128, b: i128) -> Option<i128> {
    let product = a.checked_mul(b)?;
    let (has, wants) = (shape.left_scale + shape.right_scale, shape.scale);
    if has == wants {
        return Some(product);
    }
    let divisor = i128::try_from(power(u32::from(has.checked_sub(wants)?))?).ok()?;
    divide(product, divisor, shape.rounding)
}

fn small_quotient(shape: &DecimalShape, a: i128, b: i128) -> Option<i128> {
    let raise = u32::from((shape.scale + shape.right_scale).checked_sub(shape.left_scale)?);
    let raised = a.checked_mul(i128::try_from(power(raise)?).ok()?)?;
    divide(raised, b, shape.rounding)
}

fn divide(a: i128, b: i128, rounding: Rounding) -> Option<i128> {
    let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
    let up = rounding == Rounding::HalfAway && rest.unsigned_abs() >= b.unsigned_abs().div_ceil(2) && rest != 0;
    let away = if (a < 0) == (b < 0) { 1 } else { -1 };
    if up { quotient.checked_add(away) } else { Some(quotient) }
}

/// The same by way of 256 bits. `None` if the result has more than 38 digits.
fn large(op: ArithmeticOp, shape: &DecimalShape, a: i128, b: i128) -> Option<i128> {
    let (left, right) = (shape.left_scale, shape.right_scale);
    let (size_a, size_b) = (a.unsigned_abs(), b.unsigned_abs());
    match op {
        ArithmeticOp::Add | ArithmeticOp::Subtract => {
            let common = left.max(right);
            let raise = |size, scale| Some(Wide::product(size, power(u32::from(common - scale))?));
            let (size_a, size_b) = (raise(size_a, left)?, raise(size_b, right)?);
            let (negative_a, negative_b) = (a < 0, (b < 0) != (op == ArithmeticOp::Subtract));
            let sum = match (negative_a == negative_b, size_a.cmp(&size_b)) {
                (true, _) => Signed { negative: negative_a, size: size_a.plus(size_b)? },
                (false, Ordering::Less) => Signed { negative: negative_b, size: size_b.minus(size_a) },
                (false, _) => Signed { negative: negative_a, size: size_a.minus(size_b) },
            };
            to_scale(sum, common.into(), shape.scale.into(), shape.rounding)
        }
        ArithmeticOp::Multiply => {
            let product = Signed { negative: (a < 0) != (b < 0), size: Wide::product(size_a, size_b) };
            to_scale(product, u32::from(left) + u32::from(right), shape.scale.into(), shape.rounding)
        }
        ArithmeticOp::Divide => large_quotient(shape, a, b),
        ArithmeticOp::Remainder => {
            let size = if left >= right {
                // A divisor that has no place in 128 bits is larger than what it divides.
                match power(u32::from(left - right)).and_then(|factor| size_b.checked_mul(factor)) {
                    Some(divisor) => size_a % divisor,
                    None => size_a,
                }
            } else {
                Wide::product(size_a, power(u32::from(right - left))?).divided(size_b).1
            };
            let rest = Signed { negative: a < 0, size: Wide::from(size) };
            to_scale(rest, left.max(right).into(), shape.scale.into(), shape.rounding)
        }
    }
}

fn large_quotient(shape: &DecimalShape, a: i128, b: i128) -> Option<i128> {
    let (size_a, size_b) = (a.unsigned_abs(), b.unsigned_abs());
    let up = u32::from(shape.scale) + u32::from(shape.right_scale);
    let down = u32::from(shape.left_scale);
    let (mut quotient, rest, divisor) = if up >= down {
        let first = (up - down).min(38);
        let (quotient, rest) = Wide::product(size_a, power(first)?).divided(size_b);
        // The rest of the exponent, digit group by digit group: the rest is less than the divisor.
        let factor = power(up - down - first)?;
        let (more, rest) = Wide::product(rest, factor).divided(size_b);
        let raised = if quotient.high == 0 { Wide::product(quotient.low, factor) } else { quotient };
        if quotient.high != 0 && factor != 1 {
            return None;
        }
        (raised.plus(more)?, rest, size_b)
    } else {
        let divisor = Wide::product(size_b, power(down - up)?);
        if divisor.high != 0 {
            // The quotient is less than one; half of the divisor is more than any number of 38 digits unless it is just
            // above 128 bits.
            let half = shape.rounding == Rounding::HalfAway && Wide::product(size_a, 2) >= divisor;
            return Some(if half { if (a < 0) == (b < 0) { 1 } else { -1 } } else { 0 });
        }
        (Wide::from(size_a / divisor.low), size_a % divisor.low, divisor.low)
    };
    if shape.rounding == Rounding::HalfAway && rest != 0 && rest >= divisor.div_ceil(2) {
        quotient = quotient.plus(Wide::from(1))?;
    }
    narrow(Signed { negative: (a < 0) != (b < 0), size: quotient })
}

/// Brings a number from one scale to another.
fn to_scale(number: Signed, from: u32, to: u32, rounding: Rounding) -> Option<i128> {
    let mut size = number.size;
    if to >= from {
        if size.high != 0 {
            return None;
        }
        size = Wide::product(size.low, power(to - from)?);
    } else {
        let mut drop = from - to;
        if drop > 38 {
            // The digits below the first that is dropped decide nothing.
            size = size.divided(power(drop - 38)?).0;
            drop = 38;
        }
        let divisor = power(drop)?;
        let (quotient, rest) = size.divided(divisor);
        let up = rounding == Rounding::HalfAway && rest >= divisor / 2;
        size = if up { quotient.plus(Wide::from(1))? } else { quotient };
    }
    narrow(Signed { negative: number.negative, size })
}

fn narrow(number: Signed) -> Option<i128> {
    let size = i128::try_from(number.size.low).ok().filter(|_| number.size.high == 0)?;
    Some(if number.negative { -size } else { size })
}

/// Arithmetic of two doubles.
pub(super) fn float(op: ArithmeticOp, real: bool, a: f64, b: f64) -> Result<f64, Fault> {
    let to = if real { Type::Real } else { Type::Float };
    if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) && b == 0.0 {
        return Err(Fault::DivideByZero);
    }
    let number = match op {
        ArithmeticOp::Add => a + b,
        ArithmeticOp::Subtract => a - b,
        ArithmeticOp::Multiply => a * b,
        ArithmeticOp::Divide => a / b,
        ArithmeticOp::Remainder => a % b,
    };
    let number = if real { f64::from(number as f32) } else { number };
    if number.is_finite() { Ok(number) } else { Err(Fault::Overflow { to }) }
}

/// A number, or a Boolean, as a number of another type.
pub(super) fn convert(value: ValueRef<'_>, to: Type, rounding: Rounding) -> Result<Cell, Fault> {
    let overflow = || Fault::Overflow { to };
    match (value, to) {
        (ValueRef::Null, _) => Ok(Cell::NULL),
        (ValueRef::Boolean(value), Type::Boolean | Type::Integer(_)) => Ok(Cell::integer(value.into())),
        (ValueRef::Integer(number), Type::Boolean) => Ok(Cell::integer(i64::from(number != 0))),
        (ValueRef::Integer(number), Type::Integer(width)) => integer(width, Some(number), overflow),
        (ValueRef::Integer(number), Type::Decimal { precision, scale }) => {
            to_decimal(i128::from(number), 0, precision, scale, rounding).ok_or_else(overflow)
        }
        (ValueRef::Integer(number), Type::Float) => Ok(Cell::float(number as f64)),
        (ValueRef::Integer(number), Type::Real) => Ok(Cell::float(f64::from(number as f32))),
        (ValueRef::Decimal(number), Type::Integer(width)) => {
            let whole = to_scale(signed(number.unscaled), number.scale.into(), 0, rounding);
            integer(width, whole.and_then(|whole| i64::try_from(whole).ok()), overflow)
        }
        (ValueRef::Decimal(number), Type::Decimal { precision, scale }) => {
            to_decimal(number.unscaled, number.scale, precision, scale, rounding).ok_or_else(overflow)
        }
        (ValueRef::Decimal(number), Type::Float) => Ok(Cell::float(number.to_f64())),
        (ValueRef::Decimal(number), Type::Real) => Ok(Cell::float(f64::from(number.to_f64() as f32))),
        (ValueRef::Float(number), Type::Integer(width)) => {
            let whole = if rounding == Rounding::Truncate { number.trunc() } else { number.round() };
            // 2^63 itself is out of range; the comparison is false for what is not a number.
            let in_range = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole);
            integer(width, in_range.then_some(whole as i64), overflow)
        }
        (ValueRef::Float(number), Type::Decimal { precision, scale }) => {
            let unscaled = unscaled(number, scale, rounding).filter(|unscaled| within(*unscaled, precision));
            unscaled.map(Cell::decimal).ok_or_else(overflow)
        }
        (ValueRef::Float(number), Type::Float) => Ok(Cell::float(number)),
        (ValueRef::Float(number), Type::Real) => match number as f32 {
            single if single.is_finite() => Ok(Cell::float(single.into())),
            _ => Err(overflow()),
        },
        _ => Err(Fault::TypeMismatch { to }),
    }
}

fn integer(width: Width, number: Option<i64>, overflow: impl FnOnce() -> Fault) -> Result<Cell, Fault> {
    number.filter(|number| width.holds(*number)).map(Cell::integer).ok_or_else(overflow)
}

fn signed(number: i128) -> Signed {
    Signed { negative: number < 0, size: Wide::from(number.unsigned_abs()) }
}

fn to_decimal(unscaled: i128, from: u8, precision: u8, scale: u8, rounding: Rounding) -> Option<Cell> {
    let number =
        if from == scale { unscaled } else { to_scale(signed(unscaled), from.into(), scale.into(), rounding)? };
    within(number, precision).then(|| Cell::decimal(number))
}

/// A double as a decimal without its point: the exact value of the double, rounded once.
fn unscaled(number: f64, scale: u8, rounding: Rounding) -> Option<i128> {
    let size = number.abs();
    // Not for what is not a number either.
    let in_range = size < 1e39;
    if !in_range {
        return None;
    }
    let digits: u128 = if rounding == Rounding::Truncate || is_half(size, scale) {
        // More digits than the shortest double has: exact, so that cutting them is.
        let exact = format!("{size:.1100}");
        let (whole, fraction) = exact.split_once('.')?;
        let (kept, dropped) = fraction.split_at_checked(scale.into())?;
        let up = rounding == Rounding::HalfAway && dropped.as_bytes().first().is_some_and(|digit| *digit >= b'5');
        parse(whole.bytes().chain(kept.bytes()))?.checked_add(up.into())?
    } else {
        let mut text = Digits::default();
        write!(text, "{size:.*}", usize::from(scale)).ok()?;
        parse(text.bytes.iter().copied().take(text.length).filter(u8::is_ascii_digit))?
    };
    let digits = i128::try_from(digits).ok()?;
    Some(if number < 0.0 { -digits } else { digits })
}

fn parse(digits: impl Iterator<Item = u8>) -> Option<u128> {
    digits.into_iter().try_fold(0u128, |sum, digit| sum.checked_mul(10)?.checked_add(u128::from(digit - b'0')))
}

/// Returns true if a double lies just between two decimals of a scale. With the double as `odd * 2^e`, that is `e +
/// scale = -1`: the factors of five do not matter.
fn is_half(size: f64, scale: u8) -> bool {
    if size == 0.0 {
        return false;
    }
    let bits = size.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mantissa, exponent) = if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) };
    exponent + mantissa.trailing_zeros() as i32 + i32::from(scale) == -1
}

/// Text of a number, without memory of its own.
struct Digits {
    bytes: [u8; 96],
    length: usize,
}

impl Default for Digits {
    fn default() -> Digits {
        Digits { bytes: [0; 96], length: 0 }
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// The order of two decimals.
pub(super) fn order_decimals(left_scale: u8, right_scale: u8, a: i128, b: i128) -> Ordering {
    if left_scale == right_scale { a.cmp(&b) } else { Decimal::new(a, left_scale).cmp(&Decimal::new(b, right_scale)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: Rounding = Rounding::HalfAway;
    const CUT: Rounding = Rounding::Truncate;

    fn decimal_of(text: &str) -> ValueRef<'static> {
        ValueRef::Decimal(text.parse().unwrap())
    }

    fn converted(value: ValueRef<'_>, to: Type, rounding: Rounding) -> String {
        convert(value, to, rounding).map_or_else(|fault| fault.to_string(), |cell| cell.value(to).to_string())
    }

    #[test]
    fn halves_go_away_from_zero_or_are_cut() {
        let to = Type::Decimal { precision: 5, scale: 1 };
        for (text, half, cut) in [("0.25", "0.3", "0.2"), ("-0.25", "-0.3", "-0.2"), ("0.2499", "0.2", "0.2")] {
            assert_eq!(converted(decimal_of(text), to, HALF), half);
            assert_eq!(converted(decimal_of(text), to, CUT), cut);
            let double = ValueRef::Float(text.parse().unwrap());
            assert_eq!(converted(double, to, HALF), half);
            assert_eq!(converted(double, to, CUT), cut);
        }
        assert_eq!(converted(decimal_of("2.5"), Type::I32, HALF), "3");
        assert_eq!(converted(decimal_of("-2.5"), Type::I32, CUT), "-2");
        assert_eq!(converted(ValueRef::Float(0.5), Type::I32, HALF), "1");
        assert_eq!(
            converted(ValueRef::Float(f64::NAN), to, HALF),
            "arithmetic overflow in a result of type decimal(5,1)"
        );
        assert_eq!(converted(ValueRef::Float(f64::NAN), Type::I64, CUT), "arithmetic overflow in a result of type i64");
        assert_eq!(converted(ValueRef::Float(9.3e18), Type::I64, CUT), "arithmetic overflow in a result of type i64");
        // The double nearest to 0.1 is a little more.
        let long = Type::Decimal { precision: 38, scale: 20 };
        assert_eq!(converted(ValueRef::Float(0.1), long, HALF), "0.10000000000000000555");
    }

    #[test]
    fn results_of_38_digits_are_exact() {
        let most: i128 = 10i128.pow(38) - 1;
        let shape = |left_scale, right_scale, scale, rounding| DecimalShape {
            left_scale,
            right_scale,
            precision: 38,
            scale,
            rounding,
        };
        // 0.99...9 * 0.99...9 = 0.99...8 with 37 nines
        let product = decimal(ArithmeticOp::Multiply, &shape(38, 38, 38, HALF), most, most);
        assert_eq!(product, Ok(most - 1));
        // 2 / 3 cut and rounded
        let third = |rounding| decimal(ArithmeticOp::Divide, &shape(1, 0, 6, rounding), 20, 3);
        assert_eq!((third(CUT), third(HALF)), (Ok(666_666), Ok(666_667)));
        let wide = decimal(ArithmeticOp::Divide, &shape(0, 38, 0, HALF), 1, most);
        assert_eq!(wide, Ok(1));
        let sum = decimal(ArithmeticOp::Add, &shape(0, 38, 0, HALF), most, 5 * 10i128.pow(37));
        assert_eq!(sum, Err(Fault::Overflow { to: Type::Decimal { precision: 38, scale: 0 } }));
        let rest = decimal(ArithmeticOp::Remainder, &shape(0, 38, 38, HALF), -7, 3 * 10i128.pow(37));
        assert_eq!(rest, Ok(-10i128.pow(37)));
    }
}
