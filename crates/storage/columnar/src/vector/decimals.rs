//! Arithmetic over decimals of 128 bits, most of which are small.
//!
//! The general operators check each product and sum of 128 bits for overflow, which is a call of the compiler's library for
//! each value. But amounts of money take a few dozen bits. One pass finds out if all values of a vector are within 62
//! bits; then a product of two is one instruction, a sum of two fits into 64 bits, and nothing can overflow.
//!
//! ```text
//!   |a|, |b| <= 2^62          a * b       <= 2^124 < 10^38      at most 38 digits
//!   |a| * x, |b| * y <= 2^62  a x +- b y  fits into 64 bits     x and y bring both to one scale
//! ```
//!
//! Vectors with larger values are left to the general operators: these functions return `None`.

/// Magnitudes up to this are small.
const SMALL: u128 = 1 << 62;

/// One side of an operator: a value for each row, or one for all.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'v> {
    /// A value for each row.
    Column(&'v [i128]),
    /// One value for all rows.
    Constant(i128),
}

impl Operand<'_> {
    /// An upper bound of the magnitudes: all bits that any value has.
    fn magnitude(self) -> u128 {
        // A negative number has the bits of its complement.
        let bits = |value: i128| (value ^ (value >> 127)) as u128;
        match self {
            Operand::Column(values) => values.iter().fold(0, |all, value| all | bits(*value)),
            Operand::Constant(value) => bits(value),
        }
    }

    /// Returns true if all values are small after they are multiplied by this.
    fn is_small(self, factor: i64) -> bool {
        // A complement is one less than the magnitude.
        let magnitude = self.magnitude().checked_add(1);
        magnitude.and_then(|bits| bits.checked_mul(factor.unsigned_abs().into())).is_some_and(|bits| bits <= SMALL)
    }
}

/// The results of `of` for the rows of both sides, which are small; `None` if no side has rows, or both have and not as many.
fn each(left: Operand<'_>, right: Operand<'_>, of: impl Fn(i64, i64) -> i128) -> Option<Vec<i128>> {
    match (left, right) {
        (Operand::Column(left), Operand::Column(right)) if left.len() == right.len() => {
            Some(left.iter().zip(right).map(|(left, right)| of(*left as i64, *right as i64)).collect())
        }
        (Operand::Column(left), Operand::Constant(right)) => {
            let right = right as i64;
            Some(left.iter().map(|left| of(*left as i64, right)).collect())
        }
        (Operand::Constant(left), Operand::Column(right)) => {
            let left = left as i64;
            Some(right.iter().map(|right| of(left, *right as i64)).collect())
        }
        _ => None,
    }
}

/// The products of small values, each of at most 38 digits; `None` where a value is not small.
pub fn products(left: Operand<'_>, right: Operand<'_>) -> Option<Vec<i128>> {
    if !left.is_small(1) || !right.is_small(1) {
        return None;
    }
    each(left, right, |left, right| i128::from(left) * i128::from(right))
}

/// The sums of values that are multiplied by a factor each, or the differences if `subtract` is set; `None` where a value
/// is not small.
pub fn sums(left: (Operand<'_>, i64), right: (Operand<'_>, i64), subtract: bool) -> Option<Vec<i128>> {
    let ((left, left_factor), (right, right_factor)) = (left, right);
    if !left.is_small(left_factor) || !right.is_small(right_factor) {
        return None;
    }
    match subtract {
        false => each(left, right, |left, right| i128::from(left * left_factor + right * right_factor)),
        true => each(left, right, |left, right| i128::from(left * left_factor - right * right_factor)),
    }
}

/// A sum of decimals of 128 bits that may have more digits on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WideSum {
    low: u128,
    high: i64,
    is_any: bool,
}

impl WideSum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: i128) {
        let (low, has_carry) = self.low.overflowing_add(number as u128);
        self.low = low;
        // The upper half of a negative number is all ones.
        self.high = self.high.wrapping_add(i64::from(has_carry)).wrapping_add((number >> 127) as i64);
        self.is_any = true;
    }

    /// The lower and the upper 128 bits of the sum; `None` if nothing was added.
    pub fn parts(self) -> Option<(u128, i128)> {
        self.is_any.then_some((self.low, self.high.into()))
    }
}

/// Adds each number to the sum of its group.
pub fn add_by_group(sums: &mut [WideSum], groups: &[usize], numbers: &[i128]) {
    for (group, number) in groups.iter().zip(numbers) {
        if let Some(sum) = sums.get_mut(*group) {
            sum.add(*number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operand::{Column, Constant};

    const EDGE: i128 = (1 << 62) - 1;

    #[test]
    fn products_are_those_of_128_bits() {
        let (left, right) = ([3, -7, 0, EDGE - 1, -EDGE + 1], [5, 11, -2, EDGE - 1, EDGE - 1]);
        let expected: Vec<i128> = left.iter().zip(&right).map(|(left, right)| left * right).collect();
        assert_eq!(products(Column(&left), Column(&right)), Some(expected));
        assert_eq!(products(Constant(-3), Column(&right[..2])), Some(vec![-15, -33]));
        assert_eq!(products(Column(&left[..2]), Constant(10)), Some(vec![30, -70]));
        // The greatest product has fewer than 38 digits.
        assert!((EDGE * EDGE) < 10i128.pow(38));
    }

    #[test]
    fn large_values_are_left_to_others() {
        for large in [EDGE + 1, -EDGE - 2, i128::MAX, i128::MIN] {
            assert_eq!(products(Column(&[1, large]), Constant(1)), None, "{large}");
            assert_eq!(sums((Constant(1), 1), (Column(&[large]), 1), true), None, "{large}");
        }
        assert_eq!(sums((Column(&[EDGE / 100 + 1]), 100), (Constant(0), 1), false), None);
        assert_eq!(products(Constant(1), Constant(1)), None);
        assert_eq!(products(Column(&[1]), Column(&[1, 2])), None);
    }

    #[test]
    fn sums_bring_both_sides_to_one_scale() {
        // 1 - 0.06 and 3 + 0.25
        assert_eq!(sums((Constant(1), 100), (Column(&[6, 0, -25]), 1), true), Some(vec![94, 100, 125]));
        assert_eq!(sums((Column(&[3, -3]), 100), (Column(&[25, 25]), 1), false), Some(vec![325, -275]));
        let most = EDGE / 100 - 1;
        assert_eq!(sums((Constant(most), 100), (Column(&[-most]), 100), true), Some(vec![most * 200]));
    }

    #[test]
    fn a_wide_sum_keeps_digits_beyond_128_bits() {
        let mut sums = vec![WideSum::default(); 3];
        add_by_group(&mut sums, &[0, 0, 1, 0, 9], &[i128::MAX, i128::MAX, -5, -1, 7]);
        // 2 (2^127 - 1) - 1 = 2^128 - 3
        assert_eq!(sums[0].parts(), Some((u128::MAX - 2, 0)));
        assert_eq!(sums[1].parts(), Some((-5i128 as u128, -1)));
        assert_eq!(sums[2].parts(), None);
        sums[0].add(i128::MAX);
        assert_eq!(sums[0].parts(), Some(((1 << 127) - 4, 1)));
    }
}
