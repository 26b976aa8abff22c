//! Unsigned numbers of 256 bits: intermediate results between a multiplication and a division of decimals of 38 digits.

/// `high * 2^128 + low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    pub high: u128,
    pub low: u128,
}

/// Powers of ten: every one that 128 bits hold.
pub(super) const POWERS: [u128; 39] = {
    let mut powers = [1u128; 39];
    let mut index = 1;
    while index < 39 {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// `10^exponent`, for exponents up to 38.
pub(super) fn power(exponent: u32) -> Option<u128> {
    POWERS.get(exponent as usize).copied()
}

impl Wide {
    pub(super) fn from(low: u128) -> Wide {
        Wide { high: 0, low }
    }

    /// The product of two numbers of 128 bits.
    pub(super) fn product(a: u128, b: u128) -> Wide {
        let half = |n: u128| (n >> 64, n & u128::from(u64::MAX));
        let ((a1, a0), (b1, b0)) = (half(a), half(b));
        let (low, middle, other, high) = (a0 * b0, a0 * b1, a1 * b0, a1 * b1);
        let (middle, carry) = middle.overflowing_add(other);
        let (low, carry_low) = low.overflowing_add(middle << 64);
        Wide { high: high + (middle >> 64) + (u128::from(carry) << 64) + u128::from(carry_low), low }
    }

    /// The sum, unless it needs more than 256 bits.
    pub(super) fn plus(self, other: Wide) -> Option<Wide> {
        let (low, carry) = self.low.overflowing_add(other.low);
        let high = self.high.checked_add(other.high)?.checked_add(carry.into())?;
        Some(Wide { high, low })
    }

    /// The difference from a number that is not larger.
    pub(super) fn minus(self, other: Wide) -> Wide {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Wide { high: self.high.wrapping_sub(other.high).wrapping_sub(borrow.into()), low }
    }

    /// Quotient and remainder by a number of 128 bits that is not zero.
    pub(super) fn divided(self, by: u128) -> (Wide, u128) {
        if self.high == 0 {
            return (Wide::from(self.low / by), self.low % by);
        }
        let (high, mut rest) = (self.high / by, self.high % by);
        let mut low = 0u128;
        // Long division, a bit at a time: `rest` is always less than `by`.
        for bit in (0..128).rev() {
            let overflows = rest >> 127 != 0;
            rest = (rest << 1) | ((self.low >> bit) & 1);
            low <<= 1;
            if overflows || rest >= by {
                rest = rest.wrapping_sub(by);
                low |= 1;
            }
        }
        (Wide { high, low }, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_divide_back() {
        let numbers = [1, 2, 3, u128::from(u64::MAX), u128::MAX, u128::MAX / 3, POWERS[38], POWERS[20] + 7];
        for a in numbers {
            for b in numbers {
                let product = Wide::product(a, b);
                assert_eq!(product.divided(b), (Wide::from(a), 0), "{a} * {b} / {b}");
                let more = product.plus(Wide::from(b - 1)).unwrap_or(product);
                assert_eq!(more.divided(b).0, Wide::from(a));
                assert_eq!(more.minus(Wide::from(b - 1)), product);
            }
        }
        assert_eq!(Wide::product(u128::MAX, u128::MAX), Wide { high: u128::MAX - 1, low: 1 });
    }
}
