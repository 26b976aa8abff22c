//! Exact decimal numbers: an `i128` and a count of digits after the point.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The largest number of digits a decimal holds.
pub const MAX_PRECISION: u32 = 38;

/// `unscaled / 10^scale`. Up to 38 digits.
///
/// Equality and order are of the numbers: `1.0` equals `1.00`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    /// The number without its point.
    pub unscaled: i128,
    /// Digits after the point.
    pub scale: u8,
}

/// Why a text is not a decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// It is not a number.
    NotANumber,
    /// It has more than 38 digits.
    TooManyDigits,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecimalError::NotANumber => "not a number",
            DecimalError::TooManyDigits => "a number of more than 38 digits",
        })
    }
}

impl std::error::Error for DecimalError {}

/// The whole number nearest to a quotient, halves away from zero; `None` for a divisor of 0.
pub fn rounded_quotient(dividend: i128, divisor: i128) -> Option<i128> {
    let (whole, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    let is_half = rest.unsigned_abs() >= divisor.unsigned_abs() - rest.unsigned_abs();
    let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
    if is_half { whole.checked_add(away) } else { Some(whole) }
}

impl Decimal {
    /// `unscaled / 10^scale`.
    pub fn new(unscaled: i128, scale: u8) -> Decimal {
        Decimal { unscaled, scale }
    }

    /// The same number with this many digits after the point: rounded half away from zero when digits
    /// are lost, `None` when it does not fit into 38 digits.
    pub fn rescale(self, scale: u8) -> Option<Decimal> {
        let unscaled = match scale.cmp(&self.scale) {
            Ordering::Equal => self.unscaled,
            Ordering::Greater => {
                let factor = 10i128.checked_pow(u32::from(scale - self.scale))?;
                self.unscaled.checked_mul(factor)?
            }
            Ordering::Less => match 10i128.checked_pow(u32::from(self.scale - scale)) {
                Some(divisor) => {
                    let half = if self.unscaled < 0 { -(divisor / 2) } else { divisor / 2 };
                    self.unscaled.checked_add(half)? / divisor
                }
                None => 0,
            },
        };
        (unscaled.unsigned_abs() < 10u128.pow(MAX_PRECISION)).then_some(Decimal { unscaled, scale })
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        // A division of two exactly representable doubles rounds once; beyond that range go through
        // the text, which the standard library converts correctly rounded.
        if self.unscaled.unsigned_abs() < 1 << 53 && self.scale <= 22 {
            self.unscaled as f64 / 10f64.powi(i32::from(self.scale))
        } else {
            self.to_string().parse().unwrap_or(f64::NAN)
        }
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        if self.scale == other.scale {
            return self.unscaled.cmp(&other.unscaled);
        }
        // Compare the whole parts, then the fractions brought to the larger scale: a fraction has at
        // most 38 digits at its own scale, so the product cannot overflow.
        let split = |d: &Decimal| match 10i128.checked_pow(u32::from(d.scale)) {
            Some(unit) => (d.unscaled.div_euclid(unit), d.unscaled.rem_euclid(unit)),
            None => (if d.unscaled < 0 { -1 } else { 0 }, d.unscaled),
        };
        let ((whole, fraction), (other_whole, other_fraction)) = (split(self), split(other));
        let scale = self.scale.max(other.scale);
        let raise = |fraction: i128, from: u8| fraction.saturating_mul(10i128.saturating_pow(u32::from(scale - from)));
        whole.cmp(&other_whole).then_with(|| raise(fraction, self.scale).cmp(&raise(other_fraction, other.scale)))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:0>width$}", self.unscaled.unsigned_abs(), width = usize::from(self.scale) + 1);
        let (whole, fraction) = digits.split_at(digits.len() - usize::from(self.scale));
        let sign = if self.unscaled < 0 { "-" } else { "" };
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Decimal, DecimalError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mut unscaled, mut scale, mut seen, mut point) = (0i128, 0u8, false, false);
        for byte in digits.bytes() {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    unscaled = unscaled
                        .checked_mul(10)
                        .and_then(|n| n.checked_add(i128::from(byte - b'0')))
                        .filter(|n| *n < 10i128.pow(MAX_PRECISION))
                        .ok_or(DecimalError::TooManyDigits)?;
                    if point {
                        scale = scale.checked_add(1).ok_or(DecimalError::TooManyDigits)?;
                    }
                }
                b'.' if !point => point = true,
                _ => return Err(DecimalError::NotANumber),
            }
        }
        if !seen {
            return Err(DecimalError::NotANumber);
        }
        Ok(Decimal { unscaled: if negative { -unscaled } else { unscaled }, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn quotients_round_half_away_from_zero() {
        let of = |a, b| rounded_quotient(a, b).unwrap();
        assert_eq!([of(5, 2), of(-5, 2), of(5, -2), of(-5, -2)], [3, -3, -3, 3]);
        assert_eq!([of(1, 3), of(-1, 3), of(2, 3), of(-2, 3), of(0, 7)], [0, 0, 1, -1, 0]);
        assert_eq!([of(i128::MAX, 1), of(i128::MAX, i128::MAX), of(1, i128::MIN)], [i128::MAX, 1, 0]);
        assert_eq!(rounded_quotient(1, 0), None);
    }

    #[test]
    fn text_and_back() {
        for text in ["0", "-0.05", "12345678901234567890123456789012345678", "100.10"] {
            assert_eq!(decimal(text).to_string(), text);
        }
        assert_eq!("1e5".parse::<Decimal>(), Err(DecimalError::NotANumber));
        assert_eq!(".".parse::<Decimal>(), Err(DecimalError::NotANumber));
        assert_eq!("123456789012345678901234567890123456789".parse::<Decimal>(), Err(DecimalError::TooManyDigits));
    }

    #[test]
    fn order_is_of_the_numbers() {
        assert_eq!(decimal("1.0"), decimal("1.00"));
        assert!(decimal("-1.5") < decimal("-1.49"));
        assert!(decimal("99999999999999999999999999999999999999") > decimal("0.00000000000000000001"));
    }

    #[test]
    fn rounding_is_half_away_from_zero() {
        assert_eq!(decimal("2.345").rescale(2).unwrap().to_string(), "2.35");
        assert_eq!(decimal("-2.345").rescale(2).unwrap().to_string(), "-2.35");
        assert_eq!(decimal("1").rescale(38), None);
    }

    #[test]
    fn doubles_are_the_nearest() {
        assert_eq!(decimal("0.1").to_f64(), 0.1);
        assert_eq!(decimal("123456789012345678901234567890").to_f64(), 123456789012345678901234567890f64);
    }
}
