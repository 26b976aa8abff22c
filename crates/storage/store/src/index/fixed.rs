//! Keys that fit into a whole number: `u64` for up to 8 bytes, `u128` for up to 16.
//!
//! Most keys of business tables are one or two whole numbers or a date and a number. Their key bytes, read big endian
//! and filled up with zeros on the right, are numbers of the same order.
//!
//! The search has no branch that depends on the key, and no load that depends on an earlier one but the last:
//!
//! ```text
//!   64 keys = 8 lines of 8     | . . . . . . . a | . . . . . . . b | ...     | . . . . . . . . |
//!   1. how many of the seven line ends a, b, ... are less?  -> the line      (loads go out together)
//!   2. how many of its eight keys are less?                 -> the place
//! ```
//!
//! Places behind the last key hold the greatest number, so that both steps always look at all of them; what that
//! counts too much (only for a probe that is the greatest number itself) is cut to the number of keys.

use super::block::{CAPACITY, KeyBlock};

/// Keys compared together.
const LINE: usize = 8;

/// A whole number as a key.
pub(super) trait Number: Copy + Ord {
    /// The greatest.
    const GREATEST: Self;
    /// Bytes of a number.
    const WIDTH: usize;
    /// The number of these bytes, big endian, zeros following: at most `WIDTH` of them are used.
    fn of_bytes(bytes: &[u8]) -> Self;
    /// Appends its first `width` bytes, big endian.
    fn append_to(self, width: usize, out: &mut Vec<u8>);
    /// The next one, if there is one.
    fn next(self) -> Option<Self>;
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            const GREATEST: $type = <$type>::MAX;
            const WIDTH: usize = size_of::<$type>();

            #[inline]
            fn of_bytes(bytes: &[u8]) -> $type {
                if let Ok(whole) = bytes.try_into() {
                    return <$type>::from_be_bytes(whole);
                }
                let mut whole = [0; size_of::<$type>()];
                let length = bytes.len().min(whole.len());
                whole[..length].copy_from_slice(&bytes[..length]);
                <$type>::from_be_bytes(whole)
            }

            fn append_to(self, width: usize, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes()[..width]);
            }

            fn next(self) -> Option<$type> {
                self.checked_add(1)
            }
        }
    };
}

number!(u64);
number!(u128);

/// Sorted numbers.
pub(super) struct FixedKeys<N> {
    numbers: [N; CAPACITY],
    length: usize,
}

impl<N: Number> Default for FixedKeys<N> {
    fn default() -> FixedKeys<N> {
        FixedKeys { numbers: [N::GREATEST; CAPACITY], length: 0 }
    }
}

impl<N: Number> FixedKeys<N> {
    /// The number of keys that are less (`is_less` holds for a run at the start).
    #[inline]
    fn count(&self, is_less: impl Fn(N) -> bool) -> usize {
        count_less(&self.numbers, is_less).min(self.length)
    }
}

/// The number of the sorted numbers for which `is_less` holds.
#[inline]
pub(super) fn count_less<N: Copy>(numbers: &[N; CAPACITY], is_less: impl Fn(N) -> bool) -> usize {
    let mut line = 0;
    for end in 1..CAPACITY / LINE {
        line += usize::from(is_less(numbers[end * LINE - 1]));
    }
    let start = line * LINE;
    let mut inside = 0;
    for number in &numbers[start..start + LINE] {
        inside += usize::from(is_less(*number));
    }
    start + inside
}

impl<N: Number> KeyBlock for FixedKeys<N> {
    type Probe<'a> = N;
    type Owned = N;

    #[inline]
    fn len(&self) -> usize {
        self.length
    }

    #[inline]
    fn lower_bound(&self, probe: N) -> usize {
        self.count(|number| number < probe)
    }

    #[inline]
    fn upper_bound(&self, probe: N) -> usize {
        self.count(|number| number <= probe)
    }

    #[inline]
    fn is_at(&self, at: usize, probe: N) -> bool {
        at < self.length && self.numbers[at] == probe
    }

    #[inline]
    fn insert(&mut self, at: usize, probe: N) {
        self.numbers.copy_within(at..self.length, at + 1);
        self.numbers[at] = probe;
        self.length += 1;
    }

    fn remove(&mut self, at: usize) {
        self.numbers.copy_within(at + 1..self.length, at);
        self.length -= 1;
        self.numbers[self.length] = N::GREATEST;
    }

    fn split_off(&mut self, at: usize) -> FixedKeys<N> {
        let mut right = FixedKeys::default();
        right.append_numbers(&self.numbers[at..self.length]);
        self.numbers[at..].fill(N::GREATEST);
        self.length = at;
        right
    }

    fn append(&mut self, other: &FixedKeys<N>) {
        self.append_numbers(&other.numbers[..other.length]);
    }

    fn key(&self, at: usize) -> N {
        self.numbers[at]
    }

    fn probe(key: &N) -> N {
        *key
    }

    fn separator(_: &FixedKeys<N>, right: &FixedKeys<N>) -> N {
        right.numbers[0]
    }

    fn memory(&self) -> usize {
        0
    }
}

impl<N: Number> FixedKeys<N> {
    fn append_numbers(&mut self, numbers: &[N]) {
        self.numbers[self.length..self.length + numbers.len()].copy_from_slice(numbers);
        self.length += numbers.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_counts_what_is_less() {
        for length in 0..=CAPACITY {
            let mut keys = FixedKeys::<u64>::default();
            (0..length).for_each(|at| keys.insert(at, at as u64 * 2 + 1));
            for probe in 0..=2 * length as u64 {
                assert_eq!(keys.lower_bound(probe), probe as usize / 2);
                assert_eq!(keys.upper_bound(probe), (probe as usize).div_ceil(2));
            }
            assert_eq!((keys.lower_bound(u64::MAX), keys.upper_bound(u64::MAX)), (length, length));
        }
    }

    #[test]
    fn the_greatest_number_is_a_key_like_others() {
        let mut keys = FixedKeys::<u64>::default();
        keys.insert(0, 5);
        assert!(!keys.is_at(keys.lower_bound(u64::MAX), u64::MAX));
        keys.insert(1, u64::MAX);
        assert!(keys.is_at(keys.lower_bound(u64::MAX), u64::MAX));
        assert_eq!((keys.lower_bound(u64::MAX), keys.upper_bound(u64::MAX)), (1, 2));
    }

    #[test]
    fn bytes_become_numbers_of_the_same_order() {
        assert_eq!(u64::of_bytes(&[1, 2]), 0x0102_0000_0000_0000);
        assert_eq!(u128::of_bytes(&[0xFF; 16]), u128::MAX);
        let mut out = Vec::new();
        u64::of_bytes(&[1, 2, 3]).append_to(3, &mut out);
        assert_eq!(out, [1, 2, 3]);
    }
}
