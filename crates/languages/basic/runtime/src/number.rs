//! Decimal numbers of 18 digits.
//!
//! A number is whole digits and a scale: `digits / 10^scale`, with at most 18 digits. Sums, differences and products are
//! computed exactly in 128 bits and rounded to 18 digits, halves away from zero. What PRECISION does is the caller's
//! business ([`Number::rounded`]), because it applies to assignments, quotients and output only. Whole numbers have
//! the scale 0, and their sums and comparisons are single machine operations.
//!
//! Sources: the manual's pages Numeric Values, PRECISION, ROUND, and the limits of the system.

use crate::fault::{Fault, Outcome};
use std::cmp::Ordering;

/// The most digits of a number.
pub const DIGITS: u32 = 18;
/// 10 to the power of [`DIGITS`].
const LIMIT: i64 = 1_000_000_000_000_000_000;
/// The largest exponent of ten, either way.
const MAX_SCALE: i32 = 80;

/// A decimal number: see the module's essay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Number {
    digits: i64,
    scale: i16,
}

const fn power_table() -> [i128; 39] {
    let mut table = [1i128; 39];
    let mut index = 1;
    while index < 39 {
        table[index] = table[index - 1] * 10;
        index += 1;
    }
    table
}

const POWERS: [i128; 39] = power_table();

fn power(exponent: u32) -> i128 {
    POWERS[exponent.min(38) as usize]
}

fn digit_count(value: u128) -> u32 {
    value.checked_ilog10().map_or(0, |log| log + 1)
}

/// A quotient rounded half away from zero.
fn divide_rounding(value: i128, divisor: i128) -> i128 {
    let (quotient, remainder) = (value / divisor, value % divisor);
    // Twice a remainder of less than 10^38 / 2 fits; larger divisors do not occur here.
    if remainder.unsigned_abs() >= divisor.unsigned_abs().div_ceil(2) && remainder != 0 {
        quotient + if (value < 0) == (divisor < 0) { 1 } else { -1 }
    } else {
        quotient
    }
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number { digits: 0, scale: 0 };
    /// One.
    pub const ONE: Number = Number { digits: 1, scale: 0 };

    /// A whole number below 10^18; larger ones are rounded to 18 digits.
    pub fn whole(value: i64) -> Number {
        match value.unsigned_abs() < LIMIT as u64 {
            true => Number { digits: value, scale: 0 },
            false => Number { digits: divide_rounding(value.into(), 100) as i64, scale: -2 },
        }
    }

    /// `digits / 10^scale`, rounded to 18 digits. Error 40 when it is too large; too small a number is 0.
    pub fn new(digits: i128, scale: i32) -> Outcome<Number> {
        let (mut digits, mut scale) = (digits, scale);
        let count = digit_count(digits.unsigned_abs());
        if count > DIGITS {
            digits = divide_rounding(digits, power(count - DIGITS));
            scale -= (count - DIGITS) as i32;
            if digits.unsigned_abs() >= LIMIT as u128 {
                digits /= 10;
                scale -= 1;
            }
        }
        if digits == 0 {
            return Ok(Number::ZERO);
        }
        while scale < 0 && digits.unsigned_abs() < (LIMIT / 10) as u128 {
            digits *= 10;
            scale += 1;
        }
        while scale > MAX_SCALE {
            digits = divide_rounding(digits, 10);
            scale -= 1;
            if digits == 0 {
                return Ok(Number::ZERO);
            }
        }
        if scale < -MAX_SCALE {
            return Err(Fault::with(40, "number out of range"));
        }
        Ok(Number { digits: digits as i64, scale: scale as i16 })
    }

    /// The digits, as a whole number.
    pub fn digits(self) -> i64 {
        self.digits
    }

    /// The number of decimals; negative for whole numbers of more than 18 digits.
    pub fn scale(self) -> i32 {
        self.scale.into()
    }

    /// The same value without zeros at the end of its decimals.
    pub fn normalized(self) -> Number {
        let (mut digits, mut scale) = (self.digits, self.scale);
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        Number { digits, scale }
    }

    /// The number as a whole one, if it is whole and fits.
    #[inline]
    pub fn as_whole(self) -> Option<i64> {
        if self.scale == 0 {
            return Some(self.digits);
        }
        let normal = self.normalized();
        match normal.scale {
            0 => Some(normal.digits),
            scale if scale < 0 => {
                i64::try_from(i128::from(normal.digits).checked_mul(power(scale.unsigned_abs().into()))?).ok()
            }
            _ => None,
        }
    }

    /// Zero.
    #[inline]
    pub fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// -1, 0 or 1.
    pub fn signum(self) -> i64 {
        self.digits.signum()
    }

    /// The value with the other sign.
    pub fn negated(self) -> Number {
        Number { digits: -self.digits, ..self }
    }

    /// The value without its sign.
    pub fn abs(self) -> Number {
        Number { digits: self.digits.abs(), ..self }
    }

    /// A sum. Error 40 when it is out of range, so this cannot be the operator of Rust.
    #[allow(clippy::should_implement_trait)]
    #[inline]
    pub fn add(self, other: Number) -> Outcome<Number> {
        if self.scale == other.scale {
            let digits = self.digits + other.digits;
            if digits.unsigned_abs() < LIMIT as u64 {
                return Ok(Number { digits, scale: self.scale });
            }
        }
        self.add_aligned(other)
    }

    #[inline(never)]
    fn add_aligned(self, other: Number) -> Outcome<Number> {
        if self.digits == 0 {
            return Ok(other);
        }
        if other.digits == 0 {
            return Ok(self);
        }
        let (coarse, fine) = if self.scale <= other.scale { (self, other) } else { (other, self) };
        let shift = (fine.scale - coarse.scale) as u32;
        if shift <= 20 {
            let sum = i128::from(coarse.digits) * power(shift) + i128::from(fine.digits);
            return Number::new(sum, fine.scale.into());
        }
        // The digits cut off the finer number must not carry a half over: it is rounded away from the other one's sign.
        let cut = power(shift - 20);
        let fine_digits = i128::from(fine.digits);
        let kept = if coarse.digits > 0 { fine_digits.div_euclid(cut) } else { -(-fine_digits).div_euclid(cut) };
        Number::new(i128::from(coarse.digits) * power(20) + kept, i32::from(coarse.scale) + 20)
    }

    /// A difference.
    #[inline]
    pub fn subtract(self, other: Number) -> Outcome<Number> {
        self.add(other.negated())
    }

    /// A product.
    #[inline]
    pub fn multiply(self, other: Number) -> Outcome<Number> {
        let product = i128::from(self.digits) * i128::from(other.digits);
        if self.scale == 0 && other.scale == 0 && product.unsigned_abs() < LIMIT as u128 {
            return Ok(Number { digits: product as i64, scale: 0 });
        }
        Number::new(product, i32::from(self.scale) + i32::from(other.scale))
    }

    /// A quotient of 18 digits. Error 40 for a division by zero.
    pub fn divide(self, other: Number) -> Outcome<Number> {
        if other.digits == 0 {
            return Err(Fault::with(40, "division by zero"));
        }
        let (dividend, divisor) = (i128::from(self.digits), i128::from(other.digits));
        let shift = (19 + digit_count(divisor.unsigned_abs())).saturating_sub(digit_count(dividend.unsigned_abs()));
        let quotient = dividend * power(shift) / divisor;
        let scale = i32::from(self.scale) - i32::from(other.scale) + shift as i32;
        Ok(Number::new(quotient, scale)?.normalized())
    }

    /// The remainder of a division, with the sign of the dividend. Error 40 for a division by zero.
    pub fn remainder(self, other: Number) -> Outcome<Number> {
        if let (0, 0) = (self.scale, other.scale) {
            return match self.digits.checked_rem(other.digits) {
                Some(digits) => Ok(Number { digits, scale: 0 }),
                None => Err(Fault::with(40, "division by zero")),
            };
        }
        let whole = self.divide(other)?.truncated();
        self.subtract(whole.multiply(other)?)
    }

    /// Rounded to this many decimals, halves away from zero.
    #[inline]
    pub fn rounded(self, decimals: i32) -> Number {
        match i32::from(self.scale) <= decimals {
            true => self,
            false => self.cut(decimals, true),
        }
    }

    /// The whole part.
    pub fn truncated(self) -> Number {
        match self.scale <= 0 {
            true => self,
            false => self.cut(0, false),
        }
    }

    #[inline(never)]
    fn cut(self, decimals: i32, rounds: bool) -> Number {
        let drop = i32::from(self.scale) - decimals;
        if drop > DIGITS as i32 {
            return Number::ZERO;
        }
        let (value, divisor) = (i128::from(self.digits), power(drop as u32));
        let digits = if rounds { divide_rounding(value, divisor) } else { value / divisor };
        Number { digits: digits as i64, scale: decimals as i16 }
    }

    /// A power. Whole exponents are exact to 18 digits; others are computed in binary.
    pub fn power(self, exponent: Number) -> Outcome<Number> {
        if let Some(whole) = exponent.as_whole().filter(|whole| whole.unsigned_abs() <= 1000) {
            let mut result = Number::ONE;
            let (mut base, mut left) = (self, whole.unsigned_abs());
            while left > 0 {
                if left & 1 == 1 {
                    result = result.multiply(base)?;
                }
                left >>= 1;
                if left > 0 {
                    base = base.multiply(base)?;
                }
            }
            return if whole < 0 { Number::ONE.divide(result) } else { Ok(result.normalized()) };
        }
        if self.digits < 0 {
            return Err(Fault::with(40, "fractional power of a negative number"));
        }
        Number::from_float(self.to_float().powf(exponent.to_float()))
    }

    /// The nearest binary number.
    pub fn to_float(self) -> f64 {
        format!("{}e{}", self.digits, -i32::from(self.scale)).parse().unwrap_or(0.0)
    }

    /// The decimal with the fewest digits that the binary number stands for. Error 40 for infinity and NaN.
    pub fn from_float(value: f64) -> Outcome<Number> {
        if !value.is_finite() {
            return Err(Fault::with(40, "number out of range"));
        }
        crate::number_text::parse_literal(format!("{value:e}").as_bytes()).ok_or_else(|| Fault::new(40))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    #[inline]
    fn cmp(&self, other: &Number) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        compare_scaled(*self, *other)
    }
}

#[inline(never)]
fn compare_scaled(left: Number, right: Number) -> Ordering {
    let signs = left.digits.signum().cmp(&right.digits.signum());
    if signs != Ordering::Equal || left.digits == 0 {
        return signs;
    }
    let shift = i32::from(left.scale) - i32::from(right.scale);
    if shift.unsigned_abs() > 20 {
        // One has more than 20 digits more in front of the other's first.
        let larger = if shift < 0 { Ordering::Greater } else { Ordering::Less };
        return if left.digits > 0 { larger } else { larger.reverse() };
    }
    let (mut a, mut b) = (i128::from(left.digits), i128::from(right.digits));
    if shift > 0 {
        b *= power(shift as u32);
    } else {
        a *= power(shift.unsigned_abs());
    }
    a.cmp(&b)
}
