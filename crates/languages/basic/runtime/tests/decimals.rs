//! Decimal numbers against big integers: the same operations, computed exactly and rounded once.

use mainstay_basic::mask::{self, Signs};
use mainstay_basic::number::Number;
use mainstay_basic::number_text;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// A value as an exact fraction: digits and a power of ten to divide by.
#[derive(Clone, Debug)]
struct Exact {
    digits: BigInt,
    scale: i32,
}

fn ten(exponent: i32) -> BigInt {
    BigInt::from(10).pow(exponent as u32)
}

/// A quotient of whole numbers, halves away from zero.
fn divide_rounding(value: &BigInt, divisor: &BigInt) -> BigInt {
    let zero = BigInt::from(0);
    let negative = (*value < zero) != (*divisor < zero);
    let (value, divisor) = (BigInt::from(value.magnitude().clone()), BigInt::from(divisor.magnitude().clone()));
    let rounded: BigInt = (value * 2 + &divisor) / (divisor * 2);
    if negative { -rounded } else { rounded }
}

impl Exact {
    fn of(number: Number) -> Exact {
        let (digits, scale) = (BigInt::from(number.digits()), number.scale());
        if scale < 0 { Exact { digits: digits * ten(-scale), scale: 0 } } else { Exact { digits, scale } }
    }

    fn at_scale(&self, scale: i32) -> BigInt {
        match scale >= self.scale {
            true => &self.digits * ten(scale - self.scale),
            false => divide_rounding(&self.digits, &ten(self.scale - scale)),
        }
    }

    /// Rounded to 18 digits, as text of digits and exponent without zeros at the end.
    fn rounded(&self) -> (String, i32) {
        let count = self.digits.magnitude().to_string().len() as i32;
        let drop = (count - 18).max(0);
        normal(divide_rounding(&self.digits, &ten(drop)), self.scale - drop)
    }
}

fn normal(mut digits: BigInt, mut scale: i32) -> (String, i32) {
    if digits == BigInt::from(0) {
        return ("0".to_owned(), 0);
    }
    while &digits % 10 == BigInt::from(0) {
        digits /= 10;
        scale -= 1;
    }
    (digits.to_string(), scale)
}

fn shown(number: Number) -> (String, i32) {
    normal(BigInt::from(number.digits()), number.scale())
}

/// A generator of numbers that are small, long, fractional, and near carries.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16 ^ self.0 << 20
    }

    fn number(&mut self) -> Number {
        let length = self.next() % 18 + 1;
        let mut digits = (self.next() % 10u64.pow(length as u32)) as i128;
        if self.next().is_multiple_of(4) {
            digits = 10i128.pow(length as u32) - 1 - (self.next() % 3) as i128;
        }
        if self.next().is_multiple_of(2) {
            digits = -digits;
        }
        let scale = match self.next() % 3 {
            0 => 0,
            1 => (self.next() % 6) as i32,
            _ => (self.next() % 30) as i32,
        };
        Number::new(digits, scale).unwrap()
    }
}

#[test]
fn sums_and_products_are_exact_to_eighteen_digits() {
    let mut random = Random(1);
    for _ in 0..200_000 {
        let (left, right) = (random.number(), random.number());
        let (a, b) = (Exact::of(left), Exact::of(right));
        let scale = a.scale.max(b.scale);
        let sum = Exact { digits: a.at_scale(scale) + b.at_scale(scale), scale };
        assert_eq!(shown(left.add(right).unwrap()), sum.rounded(), "{left:?} + {right:?}");
        let difference = Exact { digits: a.at_scale(scale) - b.at_scale(scale), scale };
        assert_eq!(shown(left.subtract(right).unwrap()), difference.rounded(), "{left:?} - {right:?}");
        let product = Exact { digits: &a.digits * &b.digits, scale: a.scale + b.scale };
        assert_eq!(shown(left.multiply(right).unwrap()), product.rounded(), "{left:?} * {right:?}");
    }
}

#[test]
fn quotients_have_eighteen_digits() {
    let mut random = Random(2);
    for _ in 0..100_000 {
        let (left, right) = (random.number(), random.number());
        if right.is_zero() {
            assert_eq!(left.divide(right).unwrap_err().code, 40);
            continue;
        }
        let (a, b) = (Exact::of(left), Exact::of(right));
        // More digits than are compared; the rest decides halves only, which 60 more digits do as well.
        let quotient = Exact { digits: a.digits * ten(80 + b.scale) / &b.digits, scale: 80 + a.scale };
        assert_eq!(shown(left.divide(right).unwrap()), quotient.rounded(), "{left:?} / {right:?}");
    }
}

#[test]
fn comparisons_and_rounding_agree_with_exact_values() {
    let mut random = Random(3);
    for _ in 0..100_000 {
        let (left, right) = (random.number(), random.number());
        let (a, b) = (Exact::of(left), Exact::of(right));
        let order: Ordering = a.at_scale(40).cmp(&b.at_scale(40));
        assert_eq!(left.cmp(&right), order, "{left:?} {right:?}");
        let decimals = (random.next() % 10) as i32;
        let rounded = normal(a.at_scale(decimals.min(a.scale)), decimals.min(a.scale));
        assert_eq!(shown(left.rounded(decimals)), rounded, "{left:?} to {decimals} decimals");
    }
}

#[test]
fn text_gives_the_number_back() {
    let mut random = Random(4);
    for _ in 0..50_000 {
        let number = random.number();
        let mut text = Vec::new();
        number_text::write(&mut text, number, false);
        assert_eq!(number_text::parse_number(&text), Some(number), "{}", String::from_utf8_lossy(&text));
    }
}

/// `000000000000000000.0000`: all digits of the number rounded to four decimals, or nothing when there are more.
#[test]
fn masks_write_the_digits_of_exact_values() {
    let mut random = Random(5);
    for _ in 0..50_000 {
        let number = random.number();
        let whole = (random.next() % 18 + 1) as usize;
        let decimals = (random.next() % 6) as usize;
        let point = if decimals > 0 { "." } else { "" };
        let pattern = format!("-{}{point}{}", "0".repeat(whole), "0".repeat(decimals));
        let exact = Exact::of(number).at_scale(decimals as i32);
        let digits = format!("{:0>width$}", exact.magnitude().to_string(), width = whole + decimals);
        let sign = if exact < BigInt::from(0) { "-" } else { " " };
        let expected = (digits.len() == whole + decimals).then(|| {
            let (whole, fraction) = digits.split_at(whole);
            format!("{sign}{whole}{point}{fraction}")
        });
        let mut out = Vec::new();
        let fits = mask::number(&mut out, number, pattern.as_bytes(), Signs::DEFAULT);
        let written = fits.map(|()| String::from_utf8(out).unwrap());
        assert_eq!(written, expected, "{number:?} through {pattern}");
    }
}
