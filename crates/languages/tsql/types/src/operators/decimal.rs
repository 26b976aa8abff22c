//! Arithmetic of exact numbers: the types of results, and the results.
//!
//! ```text
//!   +  -   whole = max(p1 - s1, p2 - s2)   s = max(s1, s2)            p = whole + s + 1
//!   *                                      s = s1 + s2                p = p1 + p2 + 1
//!   /      whole = p1 - s1 + s2            s = max(6, s1 + p2 + 1)    p = whole + s
//!   %                                      s = max(s1, s2)            p = min(p1 - s1, p2 - s2) + s
//! ```
//!
//! More than 38 digits are reduced to 38: sums keep their whole part, products and quotients too, except that they keep
//! at least six digits behind the point. The rules are those of the page "Precision, scale, and length". Sums and
//! products round what that costs; quotients are cut. Overflow and division by zero are `None`; the caller names the
//! error.

use super::wide::Wide;
use mainstay_types::Decimal;

/// Precision and scale.
pub type Digits = (u8, u8);

/// The type of a sum or a difference.
pub fn sum_type((p1, s1): Digits, (p2, s2): Digits) -> Digits {
    let (whole, scale) = ((p1.saturating_sub(s1)).max(p2.saturating_sub(s2)), s1.max(s2));
    let precision = whole + scale + 1;
    if precision <= 38 { (precision, scale) } else { (38, scale.min(38 - whole.min(38))) }
}

/// The type of a product.
pub fn product_type((p1, s1): Digits, (p2, s2): Digits) -> Digits {
    reduced(p1 + p2 + 1, s1 + s2)
}

/// The type of a quotient.
pub fn quotient_type((p1, s1): Digits, (p2, s2): Digits) -> Digits {
    let scale = (s1 + p2 + 1).max(6);
    reduced(p1.saturating_sub(s1) + s2 + scale, scale)
}

/// The type of a remainder.
pub fn remainder_type((p1, s1): Digits, (p2, s2): Digits) -> Digits {
    let scale = s1.max(s2);
    (((p1.saturating_sub(s1)).min(p2.saturating_sub(s2)) + scale).clamp(1, 38), scale)
}

fn reduced(precision: u8, scale: u8) -> Digits {
    if precision <= 38 {
        return (precision, scale);
    }
    let whole = precision - scale;
    (38, scale.min(scale.min(6).max(38u8.saturating_sub(whole))))
}

/// 10 to a power of at most 38.
fn power(exponent: u32) -> Option<u128> {
    10u128.checked_pow(exponent).filter(|_| exponent <= 38)
}

fn limited(unscaled: i128, (precision, scale): Digits) -> Option<Decimal> {
    (unscaled.unsigned_abs() < power(u32::from(precision))?).then_some(Decimal { unscaled, scale })
}

/// `a + b`.
pub fn add(a: Decimal, b: Decimal, result: Digits) -> Option<Decimal> {
    if a.scale == b.scale && a.scale == result.1 {
        return limited(a.unscaled.checked_add(b.unscaled)?, result);
    }
    let scale = a.scale.max(b.scale);
    let exact = a.rescale(scale).zip(b.rescale(scale)).and_then(|(a, b)| a.unscaled.checked_add(b.unscaled));
    match exact {
        Some(unscaled) => limited(Decimal { unscaled, scale }.rescale(result.1)?.unscaled, result),
        None => limited(a.rescale(result.1)?.unscaled.checked_add(b.rescale(result.1)?.unscaled)?, result),
    }
}

/// `a - b`.
pub fn subtract(a: Decimal, b: Decimal, result: Digits) -> Option<Decimal> {
    add(a, Decimal { unscaled: b.unscaled.checked_neg()?, scale: b.scale }, result)
}

/// `a * b`, rounded to the scale of the result.
pub fn multiply(a: Decimal, b: Decimal, result: Digits) -> Option<Decimal> {
    let scale = a.scale.checked_add(b.scale)?;
    if scale == result.1
        && let Some(unscaled) = a.unscaled.checked_mul(b.unscaled)
    {
        return limited(unscaled, result);
    }
    let product = Wide::product(a.unscaled.unsigned_abs(), b.unscaled.unsigned_abs());
    let magnitude = match scale.checked_sub(result.1) {
        Some(drop) if u32::from(drop) > 38 => {
            // Two steps; only the second one rounds.
            let (quotient, _) = product.divided(power(38)?);
            rounded(quotient, power(u32::from(drop) - 38)?)?
        }
        Some(drop) => rounded(product, power(u32::from(drop))?)?,
        None => product.times(power(u32::from(result.1 - scale))?)?.narrow()?,
    };
    signed(magnitude, a.unscaled < 0, b.unscaled < 0, result)
}

fn rounded(number: Wide, divisor: u128) -> Option<u128> {
    let (quotient, remainder) = number.divided(divisor);
    quotient.narrow()?.checked_add(u128::from(remainder >= divisor - divisor / 2))
}

fn signed(magnitude: u128, a_negative: bool, b_negative: bool, result: Digits) -> Option<Decimal> {
    let magnitude = i128::try_from(magnitude).ok()?;
    limited(if a_negative == b_negative { magnitude } else { -magnitude }, result)
}

/// `a / b`, cut at the scale of the result; `b` is not zero.
pub fn divide(a: Decimal, b: Decimal, result: Digits) -> Option<Decimal> {
    let shift = i32::from(result.1) + i32::from(b.scale) - i32::from(a.scale);
    let (mut number, mut divisor) = (Wide::product(a.unscaled.unsigned_abs(), 1), b.unscaled.unsigned_abs());
    let mut left = shift.unsigned_abs();
    while left > 0 {
        let step = left.min(38);
        match shift > 0 {
            true => number = number.times(power(step)?)?,
            false => divisor = divisor.checked_mul(power(step)?)?,
        }
        left -= step;
    }
    if divisor == 0 || divisor >= 1 << 127 {
        return None;
    }
    let (quotient, _) = number.divided(divisor);
    signed(quotient.narrow()?, a.unscaled < 0, b.unscaled < 0, result)
}

/// `a % b`, with the sign of `a`; `b` is not zero.
pub fn remainder(a: Decimal, b: Decimal, result: Digits) -> Option<Decimal> {
    let scale = a.scale.max(b.scale);
    let raise = |d: Decimal| d.unscaled.checked_mul(10i128.checked_pow(u32::from(scale - d.scale))?);
    match raise(b) {
        Some(divisor) => {
            let unscaled = match raise(a) {
                Some(number) => number.checked_rem(divisor)?,
                None => {
                    let wide = Wide::product(a.unscaled.unsigned_abs(), power(u32::from(scale - a.scale))?);
                    let magnitude = i128::try_from(wide.divided(divisor.unsigned_abs()).1).ok()?;
                    if a.unscaled < 0 { -magnitude } else { magnitude }
                }
            };
            limited(Decimal { unscaled, scale }.rescale(result.1)?.unscaled, (38, result.1))
        }
        // The divisor is beyond 38 digits at this scale, and so beyond the other.
        None => a.rescale(result.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_results() {
        assert_eq!(sum_type((5, 2), (10, 4)), (11, 4));
        assert_eq!(sum_type((38, 10), (38, 10)), (38, 10));
        assert_eq!(sum_type((38, 20), (38, 0)), (38, 0));
        assert_eq!(product_type((5, 2), (10, 4)), (16, 6));
        assert_eq!(product_type((38, 10), (38, 10)), (38, 6));
        assert_eq!(product_type((30, 10), (10, 10)), (38, 17));
        assert_eq!(quotient_type((2, 1), (1, 0)), (7, 6));
        assert_eq!(quotient_type((10, 0), (10, 0)), (21, 11));
        assert_eq!(quotient_type((38, 10), (38, 10)), (38, 6));
        assert_eq!(quotient_type((18, 2), (18, 2)), (38, 20));
        assert_eq!(remainder_type((5, 2), (3, 1)), (4, 2));
    }

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn shown(value: Option<Decimal>) -> String {
        value.map_or("overflow".into(), |value| value.to_string())
    }

    #[test]
    fn results() {
        assert_eq!(shown(add(decimal("1.5"), decimal("2.25"), (5, 2))), "3.75");
        assert_eq!(shown(subtract(decimal("1.5"), decimal("2.25"), (5, 2))), "-0.75");
        assert_eq!(shown(multiply(decimal("1.5"), decimal("-2.25"), (6, 3))), "-3.375");
        assert_eq!(shown(divide(decimal("2.0"), decimal("3"), (7, 6))), "0.666666");
        assert_eq!(shown(divide(decimal("-1"), decimal("3"), (7, 6))), "-0.333333");
        assert_eq!(shown(remainder(decimal("-7.5"), decimal("2"), (3, 1))), "-1.5");
        assert_eq!(shown(add(decimal("99"), decimal("1"), (2, 0))), "overflow");
        // The well-known loss of digits: both are DECIMAL(38,10).
        let small = decimal("0.0000006000");
        assert_eq!(shown(multiply(small, decimal("1.0000000000"), (38, 6))), "0.000001");
        let most = decimal("99999999999999999999999999999999999999");
        assert_eq!(shown(multiply(most, most, (38, 0))), "overflow");
        assert_eq!(shown(divide(most, decimal("3"), (38, 6))), "overflow");
        assert_eq!(shown(divide(most, most, (38, 37))), "1.0000000000000000000000000000000000000");
        assert_eq!(shown(remainder(most, decimal("7"), (38, 0))), "1");
    }
}
