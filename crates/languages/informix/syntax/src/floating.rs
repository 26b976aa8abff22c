//! DECIMAL(p): a decimal number of up to 32 significant digits whose point floats, between 10^-130 and 10^126.
//!
//! No fixed number of digits holds such values: 1E120 and 1E-120 may stand in one column. So a column stores them as
//! bytes, in the form that Informix itself has for its DECIMAL, which sorts as the numbers do:
//!
//! ```text
//!   value = 0.d1 d2 d3 ... x 100^e       each digit 0 to 99, none of the last ones 0
//!   positive   0x80 | (64 + e), the digits
//!   zero       0x80
//!   negative   (64 + e) ^ 0x7F, the digits of the hundreds' complement
//! ```
//!
//! A value has one form only: equal numbers are equal bytes, whatever digits they were written with, and comparing bytes
//! compares numbers. Keys, indexes, groups and sorts of the core are right without knowing the type.
//!
//! Results of arithmetic have up to 32 digits and are rounded half away from zero, as are values that a column with fewer
//! digits stores. Source: "DECIMAL", "Literal number" and "Arithmetic operations" in the Guide to SQL: Reference; the
//! bytes are those of rows on the wire.

use crate::error::{Parse, SqlError};
use mainstay_types::{Decimal, Value, ValueRef};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most significant digits of a number.
pub const MOST_DIGITS: u32 = 32;
/// 10^32: coefficients are below it.
const LIMIT: u128 = 10_u128.pow(MOST_DIGITS);
/// Digits beside the 32 that sums are computed with.
const GUARD: u32 = 6;
/// Places beyond these, on both sides of the point, have no digit of any number.
const MOST_PLACES: i32 = 200;
/// The smallest and the largest exponent of base 100.
const EXPONENTS: std::ops::RangeInclusive<i32> = -64..=63;

/// A number: `coefficient * 10^exponent`, the coefficient without zeros at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingDecimal {
    is_negative: bool,
    coefficient: u128,
    exponent: i32,
}

/// The way in which digits are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, halves away from zero.
    Nearest,
    /// Towards zero.
    Truncate,
    /// Towards the smaller number.
    Down,
    /// Towards the larger number.
    Up,
}

fn digits_of(coefficient: u128) -> u32 {
    coefficient.checked_ilog10().map_or(0, |digits| digits + 1)
}

fn power(digits: u32) -> u128 {
    10_u128.saturating_pow(digits)
}

impl FloatingDecimal {
    /// Zero.
    pub const ZERO: FloatingDecimal = FloatingDecimal { is_negative: false, coefficient: 0, exponent: 0 };

    /// A number in its one form, with 32 digits at most.
    ///
    /// Errors: -1200 for a number that is too large, -1201 for one that is too small.
    fn new(is_negative: bool, mut coefficient: u128, mut exponent: i32) -> Parse<FloatingDecimal> {
        let excess = digits_of(coefficient).saturating_sub(MOST_DIGITS);
        if excess > 0 {
            let unit = power(excess);
            coefficient = coefficient / unit + u128::from(coefficient % unit >= unit / 2);
            exponent = exponent.saturating_add(excess as i32);
        }
        if coefficient == 0 {
            return Ok(FloatingDecimal::ZERO);
        }
        while coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent = exponent.saturating_add(1);
        }
        let made = FloatingDecimal { is_negative, coefficient, exponent };
        match made.base_100() {
            power if power > *EXPONENTS.end() => {
                Err(SqlError::new(-1200, "Number is too large for a DECIMAL datatype."))
            }
            power if power < *EXPONENTS.start() => {
                Err(SqlError::new(-1201, "Number is too small for a DECIMAL datatype."))
            }
            _ => Ok(made),
        }
    }

    /// Decimal digits before the point; negative for zeros behind it.
    fn point(self) -> i32 {
        (digits_of(self.coefficient) as i32).saturating_add(self.exponent)
    }

    /// Digits of base 100 before the point.
    fn base_100(self) -> i32 {
        self.point().div_euclid(2) + self.point().rem_euclid(2)
    }

    /// True for 0.
    pub fn is_zero(self) -> bool {
        self.coefficient == 0
    }

    /// The bytes that a column stores.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(18);
        if self.is_zero() {
            bytes.push(0x80);
            return bytes;
        }
        let biased = (self.base_100() + 64).clamp(0, 127) as u8;
        bytes.push(if self.is_negative { biased ^ 0x7F } else { biased | 0x80 });
        let odd = if self.point().rem_euclid(2) == 1 { "0" } else { "" };
        let text = format!("{odd}{}", self.coefficient);
        let digit = |pair: &[u8]| pair.iter().fold(0, |sum, digit| sum * 10 + (digit - b'0'));
        let pairs = text.as_bytes().chunks(2);
        bytes.extend(pairs.map(|pair| if pair.len() == 1 { digit(pair) * 10 } else { digit(pair) }));
        if self.is_negative {
            let last = bytes.len() - 1;
            for (place, digit) in bytes.iter_mut().enumerate().skip(1) {
                *digit = (if place == last { 100 } else { 99_u8 }).saturating_sub(*digit);
            }
        }
        bytes
    }

    /// The number of such bytes.
    ///
    /// Errors: -1213 for bytes that are no number.
    pub fn from_bytes(bytes: &[u8]) -> Parse<FloatingDecimal> {
        let invalid = || SqlError::new(-1213, "The bytes are not those of a DECIMAL.");
        let (head, digits) = bytes.split_first().ok_or_else(invalid)?;
        let is_negative = head & 0x80 == 0;
        let biased = if is_negative { head ^ 0x7F } else { head & 0x7F };
        let end = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let digits = digits.get(..end).unwrap_or_default();
        if digits.len() > 17 {
            return Err(invalid());
        }
        let mut coefficient = 0_u128;
        for (place, digit) in digits.iter().enumerate() {
            let complement = if place + 1 == digits.len() { 100 } else { 99 };
            let digit = if is_negative { complement - i32::from(*digit) } else { i32::from(*digit) };
            let digit = u128::try_from(digit).ok().filter(|digit| *digit < 100).ok_or_else(invalid)?;
            coefficient = coefficient * 100 + digit;
        }
        FloatingDecimal::new(is_negative, coefficient, 2 * (i32::from(biased) - 64 - digits.len() as i32))
    }

    /// The number of a value: a number, a text of one, or the bytes of one.
    ///
    /// Errors: -1213 for other values; -1200, -1201.
    pub fn of_value(value: ValueRef<'_>) -> Parse<FloatingDecimal> {
        match value {
            ValueRef::Integer(number) => FloatingDecimal::new(number < 0, number.unsigned_abs().into(), 0),
            ValueRef::Decimal(number) => FloatingDecimal::of_decimal(number),
            ValueRef::Float(number) => format!("{number:e}").parse(),
            ValueRef::Text(text) => text.parse(),
            ValueRef::Binary(bytes) => FloatingDecimal::from_bytes(bytes),
            ValueRef::Boolean(_) | ValueRef::Null => Err(not_a_number("")),
            other => Err(not_a_number(&other.to_value().to_string())),
        }
    }

    fn of_decimal(number: Decimal) -> Parse<FloatingDecimal> {
        FloatingDecimal::new(number.unscaled < 0, number.unscaled.unsigned_abs(), -i32::from(number.scale))
    }

    /// The value outside of columns: a DECIMAL of 38 digits where one holds it, a text with an exponent elsewhere.
    pub fn to_value(self) -> Value {
        match self.to_decimal() {
            Some(number) => Value::Decimal(number),
            None => Value::Text(self.to_string()),
        }
    }

    /// The exact DECIMAL; `None` where 38 digits do not hold it.
    pub fn to_decimal(self) -> Option<Decimal> {
        let (coefficient, scale) = match u32::try_from(self.exponent) {
            Ok(zeros) => (self.coefficient.checked_mul(10_u128.checked_pow(zeros)?)?, 0),
            Err(_) => (self.coefficient, self.exponent.unsigned_abs()),
        };
        let scale = u8::try_from(scale).ok().filter(|scale| *scale <= 38)?;
        let unscaled = i128::try_from(coefficient).ok().filter(|unscaled| *unscaled < 10_i128.pow(38))?;
        Some(Decimal::new(if self.is_negative { -unscaled } else { unscaled }, scale))
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{}e{}", self.coefficient, self.exponent).parse().unwrap_or(f64::NAN)
    }

    /// The number with at most so many significant digits.
    ///
    /// Errors: -1200.
    pub fn with_digits(self, precision: u32) -> Parse<FloatingDecimal> {
        let places = i32::try_from(precision.clamp(1, MOST_DIGITS)).unwrap_or(32) - self.point();
        self.rounded(places, Rounding::Nearest)
    }

    /// The number with so many digits behind the point; negative counts digits before it.
    ///
    /// Errors: -1200.
    pub fn rounded(self, places: i32, rounding: Rounding) -> Parse<FloatingDecimal> {
        let places = places.clamp(-MOST_PLACES, MOST_PLACES);
        let lost = (-self.exponent).saturating_sub(places);
        if lost <= 0 || self.is_zero() {
            return Ok(self);
        }
        let lost = lost.unsigned_abs();
        let unit = power(lost.min(38));
        let (kept, rest) =
            if lost > 37 { (0, self.coefficient) } else { (self.coefficient / unit, self.coefficient % unit) };
        let is_away = match rounding {
            Rounding::Nearest => lost <= 37 && rest >= unit / 2,
            Rounding::Truncate => false,
            Rounding::Down => self.is_negative && rest > 0,
            Rounding::Up => !self.is_negative && rest > 0,
        };
        FloatingDecimal::new(self.is_negative, kept + u128::from(is_away), -places)
    }

    /// The number with the other sign.
    pub fn negated(self) -> FloatingDecimal {
        FloatingDecimal { is_negative: !self.is_negative && !self.is_zero(), ..self }
    }

    /// The number without its sign.
    pub fn absolute(self) -> FloatingDecimal {
        FloatingDecimal { is_negative: false, ..self }
    }

    /// The coefficient with exactly 32 digits, and its exponent.
    fn scaled(self) -> (u128, i32) {
        let zeros = MOST_DIGITS - digits_of(self.coefficient).min(MOST_DIGITS);
        (self.coefficient * power(zeros), self.exponent - zeros as i32)
    }

    /// The sum.
    ///
    /// Errors: -1200, -1201.
    pub fn plus(self, other: FloatingDecimal) -> Parse<FloatingDecimal> {
        if self.is_zero() || other.is_zero() {
            return Ok(if self.is_zero() { other } else { self });
        }
        let (larger, smaller) = match self.absolute().cmp(&other.absolute()) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let ((high, high_exponent), (low, low_exponent)) = (larger.scaled(), smaller.scaled());
        let high = high * power(GUARD);
        let shift = (high_exponent - GUARD as i32) - low_exponent;
        // A shift below 0 lies within the guard digits, one of 0 and above cuts digits off.
        let (low, is_cut) = match u32::try_from(shift) {
            Ok(shift) if shift < 38 => (low / power(shift), low % power(shift) != 0),
            Ok(_) => (0, true),
            Err(_) => (low * power(shift.unsigned_abs().min(GUARD)), false),
        };
        let sum = match larger.is_negative == smaller.is_negative {
            true => high + low,
            // The part that is cut off makes the difference a little smaller.
            false => (high - low).saturating_sub(u128::from(is_cut)),
        };
        FloatingDecimal::new(larger.is_negative, sum, high_exponent - GUARD as i32)
    }

    /// The difference.
    ///
    /// Errors: -1200, -1201.
    pub fn subtract(self, other: FloatingDecimal) -> Parse<FloatingDecimal> {
        self.plus(other.negated())
    }

    /// The product.
    ///
    /// Errors: -1200, -1201.
    pub fn multiply(self, other: FloatingDecimal) -> Parse<FloatingDecimal> {
        const HALF: u128 = 10_u128.pow(MOST_DIGITS / 2);
        let is_negative = self.is_negative != other.is_negative;
        let ((a1, a0), (b1, b0)) =
            ((self.coefficient / HALF, self.coefficient % HALF), (other.coefficient / HALF, other.coefficient % HALF));
        let middle = a1 * b0 + a0 * b1;
        let low = a0 * b0 + (middle % HALF) * HALF;
        let (high, low) = (a1 * b1 + middle / HALF + low / LIMIT, low % LIMIT);
        let exponent = self.exponent + other.exponent;
        let lost = digits_of(high);
        if lost == 0 {
            return FloatingDecimal::new(is_negative, low, exponent);
        }
        let unit = power(lost);
        let kept = high * power(MOST_DIGITS - lost) + low / unit + u128::from(low % unit >= unit / 2);
        FloatingDecimal::new(is_negative, kept, exponent + lost as i32)
    }

    /// The quotient.
    ///
    /// Errors: -1202 for a divisor of 0, -1200, -1201.
    pub fn divide(self, other: FloatingDecimal) -> Parse<FloatingDecimal> {
        if other.is_zero() {
            return Err(SqlError::new(-1202, "An attempt was made to divide by zero."));
        }
        let (mut quotient, mut rest) = (self.coefficient / other.coefficient, self.coefficient % other.coefficient);
        let mut exponent = self.exponent - other.exponent;
        // One digit more than are kept, and another one for what follows.
        while rest != 0 && digits_of(quotient) <= MOST_DIGITS {
            quotient = quotient * 10 + rest * 10 / other.coefficient;
            rest = rest * 10 % other.coefficient;
            exponent -= 1;
        }
        FloatingDecimal::new(self.is_negative != other.is_negative, quotient, exponent)
    }

    /// The remainder of a division with a whole quotient, with the sign of the dividend.
    ///
    /// Errors: -1202, -1200, -1201.
    pub fn remainder(self, other: FloatingDecimal) -> Parse<FloatingDecimal> {
        if other.is_zero() {
            return Err(SqlError::new(-1202, "An attempt was made to divide by zero."));
        }
        // Long division, as the quotient may have more digits than a coefficient holds.
        let shift = self.exponent - other.exponent;
        if shift >= 0 {
            let first = self.coefficient % other.coefficient;
            let rest = (0..shift).fold(first, |rest, _| rest * 10 % other.coefficient);
            return FloatingDecimal::new(self.is_negative, rest, other.exponent);
        }
        let divisor = 10_u128.checked_pow(shift.unsigned_abs()).and_then(|unit| other.coefficient.checked_mul(unit));
        match divisor {
            Some(divisor) => FloatingDecimal::new(self.is_negative, self.coefficient % divisor, self.exponent),
            // The divisor is larger than any coefficient.
            None => Ok(self),
        }
    }
}

impl Ord for FloatingDecimal {
    fn cmp(&self, other: &FloatingDecimal) -> Ordering {
        self.to_bytes().cmp(&other.to_bytes())
    }
}

impl PartialOrd for FloatingDecimal {
    fn partial_cmp(&self, other: &FloatingDecimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn not_a_number(text: &str) -> Box<SqlError> {
    SqlError::new(-1213, "A character to numeric conversion process failed.").about(text)
}

/// `-12.50`, `1e20`, `1.5E-7`; blanks around it do not count. Digits beyond the 32nd are rounded.
impl FromStr for FloatingDecimal {
    type Err = Box<SqlError>;

    fn from_str(text: &str) -> Parse<FloatingDecimal> {
        let invalid = || not_a_number(text.trim());
        let text = text.trim();
        let (mantissa, mut exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| invalid())?),
            None => (text, 0),
        };
        let (is_negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (mut coefficient, mut is_behind, mut digits) = (0_u128, false, 0);
        for letter in mantissa.bytes() {
            match letter {
                b'.' if !is_behind => is_behind = true,
                b'0'..=b'9' => {
                    digits += 1;
                    let digit = letter - b'0';
                    if coefficient < LIMIT {
                        coefficient = coefficient * 10 + u128::from(digit);
                        exponent = exponent.saturating_sub(i32::from(is_behind));
                    } else {
                        exponent = exponent.saturating_add(i32::from(!is_behind));
                    }
                }
                _ => return Err(invalid()),
            }
        }
        match digits {
            0 => Err(invalid()),
            _ => FloatingDecimal::new(is_negative, coefficient, exponent),
        }
    }
}

/// All digits, or an exponent where there are more than 32 of them.
impl fmt::Display for FloatingDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.to_decimal().filter(|_| (-31..=32).contains(&self.point())) {
            return write!(f, "{number}");
        }
        let digits = self.coefficient.to_string();
        let (first, rest) = digits.split_at(1.min(digits.len()));
        let (sign, point) = (if self.is_negative { "-" } else { "" }, if rest.is_empty() { "" } else { "." });
        write!(f, "{sign}{first}{point}{rest}E{:+}", self.point() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> FloatingDecimal {
        text.parse().unwrap()
    }

    fn shown(result: Parse<FloatingDecimal>) -> String {
        result.map_or_else(|error| error.code.to_string(), |number| number.to_string())
    }

    /// Numbers in their order, with every kind of exponent and length.
    const ORDERED: [&str; 22] = [
        "-9.9999999999999999999999999999999E125",
        "-1E120",
        "-100.5",
        "-100",
        "-99.99",
        "-1",
        "-0.51",
        "-0.5",
        "-0.49",
        "-1E-129",
        "-1E-130",
        "0",
        "1E-130",
        "1E-129",
        "0.001",
        "0.49",
        "0.5",
        "0.51",
        "1",
        "99.99",
        "100",
        "9.9999999999999999999999999999999E125",
    ];

    #[test]
    fn bytes_sort_as_numbers_and_come_back() {
        let bytes: Vec<Vec<u8>> = ORDERED.iter().map(|text| number(text).to_bytes()).collect();
        assert!(bytes.windows(2).all(|pair| pair[0] < pair[1]), "{bytes:?}");
        for text in ORDERED {
            assert_eq!(FloatingDecimal::from_bytes(&number(text).to_bytes()).unwrap(), number(text), "{text}");
        }
        // The bytes of the protocol's reference page.
        assert_eq!(number("-1234.56").to_bytes(), [0x3D, 0x57, 0x41, 0x2C]);
        assert_eq!(number("1234.560").to_bytes(), [0xC2, 12, 34, 56]);
        assert_eq!(number("0.005").to_bytes(), [0xBF, 50]);
        for wrong in [&[][..], &[0xC1, 100], &[0x3E, 101], &[0xC1; 19]] {
            assert!(FloatingDecimal::from_bytes(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn texts_keep_32_digits() {
        for (text, wanted) in [
            ("1e20", "100000000000000000000"),
            (" -12.50 ", "-12.5"),
            ("1.5E-40", "1.5E-40"),
            ("000.0", "0"),
            ("12345678901234567890123456789012", "12345678901234567890123456789012"),
            ("123456789012345678901234567890125", "1.2345678901234567890123456789013E+32"),
            ("1E126", "-1200"),
            ("1E-131", "-1201"),
            ("abc", "-1213"),
            ("", "-1213"),
            ("1e", "-1213"),
        ] {
            assert_eq!(shown(text.parse()), wanted, "{text}");
        }
    }

    #[test]
    fn arithmetic_rounds_to_32_digits() {
        let sum = |a: &str, b: &str| shown(number(a).plus(number(b)));
        assert_eq!(sum("1e20", "1"), "100000000000000000001");
        assert_eq!(sum("1e31", "0.5"), "10000000000000000000000000000001");
        assert_eq!(sum("1e31", "-0.5"), "9999999999999999999999999999999.5");
        assert_eq!(sum("1e40", "1"), "1E+40");
        assert_eq!(sum("1e40", "-1"), "1E+40");
        assert_eq!(sum("0.1", "-0.1"), "0");
        assert_eq!(sum("99999999999999999999999999999999", "1"), "1E+32");
        assert_eq!(shown(number("1").divide(number("3"))), "0.33333333333333333333333333333333");
        assert_eq!(shown(number("2").divide(number("3"))), "0.66666666666666666666666666666667");
        assert_eq!(shown(number("1").divide(number("0"))), "-1202");
        assert_eq!(shown(number("1e20").divide(number("4"))), "25000000000000000000");
        let product = |a: &str, b: &str| shown(number(a).multiply(number(b)));
        assert_eq!(product("1e60", "1e60"), "1E+120");
        assert_eq!(product("1e100", "1e100"), "-1200");
        assert_eq!(product("1e-100", "1e-100"), "-1201");
        assert_eq!(product("1.1", "-1.1"), "-1.21");
        // (10^32 - 1)^2 = 9.9999999999999999999999999999998E63 + 1
        let nines = "9".repeat(32);
        assert_eq!(product(&nines, &nines), "9.9999999999999999999999999999998E+63");
        assert_eq!(shown(number("7.5").remainder(number("-2"))), "1.5");
        assert_eq!(shown(number("-7.5").remainder(number("2"))), "-1.5");
    }

    #[test]
    fn remainders_of_quotients_with_more_than_32_digits() {
        let remainder = |a: &str, b: &str| shown(number(a).remainder(number(b)));
        // Powers of 10 leave 1 when divided by 3.
        assert_eq!(remainder("1E40", "3"), "1");
        assert_eq!(remainder("-1E125", "3"), "-1");
        assert_eq!(remainder("2E32", "3"), "2");
        // In tenths: 10^33 - 10, divided by 7. 10^6 leaves 1, so that 10^33 leaves 6 as 10^3 does, and 10 leaves 3.
        assert_eq!(remainder(&"9".repeat(32), "0.7"), "0.3");
        assert_eq!(remainder("1", "1E125"), "1");
        assert_eq!(remainder("12E30", "5E30"), "2000000000000000000000000000000");
        assert_eq!(remainder("7", "0"), "-1202");
    }

    #[test]
    fn rounding() {
        assert_eq!(shown(number("2.345").rounded(2, Rounding::Nearest)), "2.35");
        assert_eq!(shown(number("-2.345").rounded(2, Rounding::Truncate)), "-2.34");
        assert_eq!(shown(number("1250").rounded(-2, Rounding::Nearest)), "1300");
        assert_eq!(shown(number("-2.1").rounded(0, Rounding::Down)), "-3");
        assert_eq!(shown(number("-2.1").rounded(0, Rounding::Up)), "-2");
        assert_eq!(shown(number("1E-100").rounded(2, Rounding::Nearest)), "0");
        assert_eq!(shown(number("1E-100").rounded(0, Rounding::Up)), "1");
        assert_eq!(shown(number("5").rounded(i32::MIN, Rounding::Nearest)), "0");
        assert_eq!(shown(number("1E-100").rounded(i32::MAX, Rounding::Nearest)), "1E-100");
        assert_eq!(shown(number("123456.5").with_digits(6)), "123457");
        assert_eq!(shown(number("999999.5").with_digits(6)), "1000000");
        assert_eq!(number("12345.678").to_f64(), 12345.678);
        assert_eq!(number("-1e38").to_value(), Value::Text("-1E+38".to_owned()));
        assert_eq!(
            number("-1e37").to_value(),
            Value::Decimal("-10000000000000000000000000000000000000".parse().unwrap())
        );
    }
}
