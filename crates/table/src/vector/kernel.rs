//! The innermost loops: compares into bitmap words, and folds of values.
//!
//! A compare of 64 values is written as 64 bytes of 0 or 255, which compilers vectorise for every width of
//! value, and then a multiplication gathers one bit of each of eight bytes at a time into the word.
//!
//! `multiversion` compiles each public loop once for the baseline and once for AVX2. What the loops call
//! must be inlined into them (`inline(always)`), or it would be compiled for the baseline only.

use multiversion::multiversion;

/// A fixed-width value with the order of its column.
///
/// `Key` is what is compared: the value itself, except that doubles become integers in total order.
pub(crate) trait Fixed: Copy + Send + Sync + 'static {
    /// What is compared.
    type Key: Copy + Ord + Send + Sync + 'static;
    /// What sums of at most 2^32 values fit into (wrapping for 128 bits).
    type Wide: Copy + Default;
    /// The smallest key.
    const MIN: Self::Key;
    /// The largest key.
    const MAX: Self::Key;

    /// The key, as filters and MIN and MAX order it.
    fn key(self) -> Self::Key;
    /// `sum + value` if `keep`.
    fn add(sum: Self::Wide, value: Self, keep: bool) -> Self::Wide;
    /// `a + b`
    fn merge(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The sum as an integer, or for doubles as a double.
    fn total(sum: Self::Wide) -> (i128, f64);
    /// The key as the widest integer.
    fn widen(key: Self::Key) -> i128;
    /// The key of this integer, if there is one.
    fn narrow(value: i128) -> Option<Self::Key>;
}

macro_rules! fixed_integer {
    ($type:ty, $wide:ty) => {
        impl Fixed for $type {
            type Key = $type;
            type Wide = $wide;
            const MIN: $type = <$type>::MIN;
            const MAX: $type = <$type>::MAX;

            #[inline(always)]
            fn key(self) -> $type {
                self
            }

            #[inline(always)]
            fn add(sum: $wide, value: $type, keep: bool) -> $wide {
                sum.wrapping_add(<$wide>::from(if keep { value } else { 0 }))
            }

            #[inline(always)]
            fn merge(a: $wide, b: $wide) -> $wide {
                a.wrapping_add(b)
            }

            #[inline(always)]
            fn total(sum: $wide) -> (i128, f64) {
                (i128::from(sum), 0.0)
            }

            #[inline(always)]
            fn widen(key: $type) -> i128 {
                i128::from(key)
            }

            #[inline(always)]
            fn narrow(value: i128) -> Option<$type> {
                value.try_into().ok()
            }
        }
    };
}

fixed_integer!(u8, u64);
fixed_integer!(u16, u64);
fixed_integer!(u32, i64);
fixed_integer!(i32, i64);
fixed_integer!(i64, i128);
fixed_integer!(i128, i128);

/// The integer that stands for a double in IEEE 754's total order.
#[inline(always)]
pub(crate) fn total_order(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The double of a [`total_order`] integer.
pub(crate) fn from_total_order(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63) as u64 >> 1) as i64) as u64)
}

impl Fixed for f64 {
    type Key = i64;
    type Wide = f64;
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;

    #[inline(always)]
    fn key(self) -> i64 {
        total_order(self)
    }

    #[inline(always)]
    fn add(sum: f64, value: f64, keep: bool) -> f64 {
        // Not `+ 0.0`: a kept row must not be confused with a dropped NaN.
        if keep { sum + value } else { sum }
    }

    #[inline(always)]
    fn merge(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total(sum: f64) -> (i128, f64) {
        (0, sum)
    }

    #[inline(always)]
    fn widen(key: i64) -> i128 {
        i128::from(key)
    }

    #[inline(always)]
    fn narrow(value: i128) -> Option<i64> {
        value.try_into().ok()
    }
}

/// The key of a double as filters compare it: -0.0 is 0.0.
#[inline(always)]
pub(crate) fn signless(value: f64) -> i64 {
    total_order(value + 0.0)
}

/// One bit from each byte of 0 or 255. The product moves the lowest bit of byte i to bit 56 + i.
#[inline(always)]
fn pack(bytes: &[u8; 64]) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    let mut word = 0;
    for (i, eight) in eights.iter().enumerate() {
        let ones = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
        word |= (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    word
}

/// Fills words with what `test` says of each value.
#[inline(always)]
fn fill<T: Copy>(values: &[T], words: &mut [u64], test: impl Fn(T) -> bool) {
    let (blocks, rest) = values.as_chunks::<64>();
    let mut bytes = [0u8; 64];
    for (block, word) in blocks.iter().zip(words.iter_mut()) {
        for (byte, value) in bytes.iter_mut().zip(block) {
            *byte = if test(*value) { 255 } else { 0 };
        }
        *word = pack(&bytes);
    }
    if let Some(word) = words.get_mut(blocks.len()) {
        *word = rest.iter().enumerate().fold(0, |word, (i, value)| word | u64::from(test(*value)) << i);
    }
}

/// Which values lie in `low..=high`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn between<T: Fixed>(values: &[T], low: T::Key, high: T::Key, words: &mut [u64]) {
    fill(values, words, |value| (low <= value.key()) & (value.key() <= high));
}

/// Which doubles lie in `low..=high` when -0.0 is 0.0.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn between_signless(values: &[f64], low: i64, high: i64, words: &mut [u64]) {
    fill(values, words, |value| (low <= signless(value)) & (signless(value) <= high));
}

/// Which views agree with `wanted` under `mask`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn equal_views(views: &[u128], wanted: u128, mask: u128, words: &mut [u64]) {
    let (low, high) = (wanted as u64, (wanted >> 64) as u64);
    let (low_mask, high_mask) = (mask as u64, (mask >> 64) as u64);
    fill(views, words, |view| (((view as u64) ^ low) & low_mask) | ((((view >> 64) as u64) ^ high) & high_mask) == 0);
}

/// Whatever `test` says of each value, not vectorised.
pub(crate) fn test_each<T: Copy>(values: &[T], words: &mut [u64], test: impl Fn(T) -> bool) {
    for (block, word) in values.chunks(64).zip(words.iter_mut()) {
        *word = block.iter().enumerate().fold(0, |word, (i, value)| word | u64::from(test(*value)) << i);
    }
}

/// Count, sum, smallest and largest of some values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folded<T: Fixed> {
    pub(crate) count: u64,
    pub(crate) sum: T::Wide,
    pub(crate) min: T::Key,
    pub(crate) max: T::Key,
}

impl<T: Fixed> Folded<T> {
    pub(crate) fn empty() -> Folded<T> {
        Folded { count: 0, sum: T::Wide::default(), min: T::MAX, max: T::MIN }
    }
}

/// Values are dealt to this many independent sums, as wide as the processor's widest unit.
const LANES: usize = 8;

#[inline(always)]
fn fold_one<T: Fixed>(into: &mut Folded<T>, value: T, keep: bool) {
    into.sum = T::add(into.sum, value, keep);
    let key = value.key();
    into.min = into.min.min(if keep { key } else { T::MAX });
    into.max = into.max.max(if keep { key } else { T::MIN });
}

/// Folds all values, or those whose bits are set in `live`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn fold<T: Fixed>(values: &[T], live: Option<&[u64]>) -> Folded<T> {
    let mut sums = [T::Wide::default(); LANES];
    let (mut mins, mut maxs) = ([T::MAX; LANES], [T::MIN; LANES]);
    let (blocks, rest) = values.as_chunks::<64>();
    for (i, block) in blocks.iter().enumerate() {
        let word = live.map_or(u64::MAX, |live| live[i]);
        if word == u64::MAX {
            for group in block.as_chunks::<LANES>().0 {
                for lane in 0..LANES {
                    let key = group[lane].key();
                    sums[lane] = T::add(sums[lane], group[lane], true);
                    mins[lane] = mins[lane].min(key);
                    maxs[lane] = maxs[lane].max(key);
                }
            }
        } else if word != 0 {
            for (g, group) in block.as_chunks::<LANES>().0.iter().enumerate() {
                let bits = (word >> (g * LANES)) as u32;
                for lane in 0..LANES {
                    let (key, keep) = (group[lane].key(), (bits >> lane) & 1 == 1);
                    sums[lane] = T::add(sums[lane], group[lane], keep);
                    mins[lane] = mins[lane].min(if keep { key } else { T::MAX });
                    maxs[lane] = maxs[lane].max(if keep { key } else { T::MIN });
                }
            }
        }
    }
    let mut total = Folded::<T>::empty();
    total.count = live.map_or(values.len() as u64, |live| live.iter().map(|w| u64::from(w.count_ones())).sum());
    for lane in 0..LANES {
        total.sum = T::merge(total.sum, sums[lane]);
        total.min = total.min.min(mins[lane]);
        total.max = total.max.max(maxs[lane]);
    }
    let tail = live.and_then(|live| live.get(blocks.len())).copied().unwrap_or(u64::MAX);
    for (i, value) in rest.iter().enumerate() {
        fold_one(&mut total, *value, (tail >> i) & 1 == 1);
    }
    total
}
