//! Products of two decimals of 38 digits, in 256 bits.

/// An unsigned number of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    high: u128,
    low: u128,
}

const HALF: u128 = u64::MAX as u128;

impl Wide {
    /// The product of two numbers.
    pub fn product(a: u128, b: u128) -> Wide {
        let (a_high, a_low, b_high, b_low) = (a >> 64, a & HALF, b >> 64, b & HALF);
        let low = a_low * b_low;
        let middle = a_high * b_low + (low >> 64);
        let other = a_low * b_high + (middle & HALF);
        Wide { high: a_high * b_high + (middle >> 64) + (other >> 64), low: other << 64 | low & HALF }
    }

    /// The product with a further number, if it fits.
    pub fn times(self, factor: u128) -> Option<Wide> {
        let low = Wide::product(self.low, factor);
        let high = self.high.checked_mul(factor)?.checked_add(low.high)?;
        Some(Wide { high, low: low.low })
    }

    /// Quotient and remainder; the divisor is not zero and below 2^127.
    pub fn divided(self, divisor: u128) -> (Wide, u128) {
        if self.high == 0 {
            return (Wide { high: 0, low: self.low / divisor }, self.low % divisor);
        }
        let high = self.high / divisor;
        let mut remainder = self.high % divisor;
        let mut low = 0;
        for bit in (0..128).rev() {
            remainder = remainder << 1 | self.low >> bit & 1;
            low <<= 1;
            if remainder >= divisor {
                remainder -= divisor;
                low |= 1;
            }
        }
        (Wide { high, low }, remainder)
    }

    /// The number without its last bits; fewer than 256 of them.
    pub fn shifted_right(self, bits: u32) -> Wide {
        match bits {
            0 => self,
            1..=127 => Wide { high: self.high >> bits, low: self.low >> bits | self.high << (128 - bits) },
            _ => Wide { high: 0, low: self.high.checked_shr(bits - 128).unwrap_or(0) },
        }
    }

    /// Returns true if the last bit is set.
    pub fn is_odd(self) -> bool {
        self.low & 1 == 1
    }

    /// The number, if 128 bits hold it.
    pub fn narrow(self) -> Option<u128> {
        (self.high == 0).then_some(self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_divide_back() {
        let numbers = [1, 7, 10u128.pow(19), 10u128.pow(38) - 1, (1 << 126) + 12345, u128::from(u64::MAX)];
        for a in numbers {
            for b in numbers {
                let product = Wide::product(a, b);
                assert_eq!(product.divided(b), (Wide { high: 0, low: a }, 0), "{a} {b}");
                let more = Wide::product(a, b).times(3).unwrap();
                assert_eq!(more.divided(3), (product, 0));
            }
        }
        assert_eq!(Wide::product(u128::MAX, u128::MAX), Wide { high: u128::MAX - 1, low: 1 });
        let number = Wide::product(u128::MAX, 4);
        assert_eq!(number.shifted_right(2), Wide { high: 0, low: u128::MAX });
        assert_eq!(number.shifted_right(129), Wide { high: 0, low: 1 });
        assert_eq!(number.shifted_right(255), Wide { high: 0, low: 0 });
        assert_eq!(Wide::product(7, 3).divided(4), (Wide { high: 0, low: 5 }, 1));
        assert_eq!(Wide::product(u128::MAX, u128::MAX).times(2), None);
    }
}
