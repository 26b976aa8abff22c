//! The innermost loops: compares into bitmap words, and folds of values.
//!
//! A compare of 64 values is written as 64 bytes of 0 or 255, which compilers vectorise for every width of
//! value, and then a multiplication gathers one bit of each of eight bytes at a time into the word.
//!
//! `multiversion` compiles each public loop once for the baseline and once for AVX2. Functions that the loops call
//! must be inlined into them (`inline(always)`), or they would be compiled for the baseline only.

use multiversion::{multiversion, target::match_target};

/// A fixed-width value with the order of its column.
///
/// `Key` is what is compared: the value itself, except that doubles (and floats, which are taken for doubles) become
/// integers in total order, and UUIDs integers in the order of their bytes.
pub(crate) trait Fixed: Copy + Send + Sync + 'static {
    /// The type that is compared.
    type Key: Copy + Ord + Send + Sync + 'static;
    /// The type of sums of at most 2^32 values (wrapping for 128 bits).
    type Wide: Copy + Default;
    /// The smallest key.
    const MIN: Self::Key;
    /// The largest key.
    const MAX: Self::Key;

    /// The key, as ORDER BY, MIN and MAX order it.
    fn key(self) -> Self::Key;
    /// The key, as comparisons order it: the same, except that -0.0 is 0.0.
    #[inline(always)]
    fn filter_key(self) -> Self::Key {
        self.key()
    }
    /// `sum + value` if `keep`.
    fn add(sum: Self::Wide, value: Self, keep: bool) -> Self::Wide;
    /// The sum of the values at the places to keep, of at most 2^32.
    fn sum(values: &[Self], keep: impl Fn(usize) -> bool) -> Self::Wide;
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
    ($type:ty, $wide:ty, $sum:expr) => {
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
            fn sum(values: &[$type], keep: impl Fn(usize) -> bool) -> $wide {
                $sum(values, keep)
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

fixed_integer!(u8, u64, sum_one_by_one);
fixed_integer!(u16, u64, sum_one_by_one);
fixed_integer!(u32, i64, sum_one_by_one);
fixed_integer!(i8, i64, sum_one_by_one);
fixed_integer!(i16, i64, sum_one_by_one);
fixed_integer!(i32, i64, sum_one_by_one);
fixed_integer!(i64, i128, sum_in_halves);
fixed_integer!(i128, i128, sum_one_by_one);

#[inline(always)]
fn sum_one_by_one<T: Fixed>(values: &[T], keep: impl Fn(usize) -> bool) -> T::Wide {
    values.iter().enumerate().fold(T::Wide::default(), |sum, (at, value)| T::add(sum, *value, keep(at)))
}

/// The sum of up to 2^31 values: their lower and upper halves are summed apart in 64 bits, which processors do for
/// several values at once, and not one by one in 128.
#[inline(always)]
fn sum_in_halves(values: &[i64], keep: impl Fn(usize) -> bool) -> i128 {
    let (mut low, mut high) = (0u64, 0i64);
    for (at, value) in values.iter().enumerate() {
        let value = if keep(at) { *value } else { 0 };
        low = low.wrapping_add(u64::from(value as u32));
        high = high.wrapping_add(value >> 32);
    }
    (i128::from(high) << 32) + i128::from(low)
}

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
    fn filter_key(self) -> i64 {
        signless(self)
    }

    #[inline(always)]
    fn add(sum: f64, value: f64, keep: bool) -> f64 {
        // Not `sum + 0.0` for a dropped one, which would turn a sum of -0.0 into 0.0.
        if keep { sum + value } else { sum }
    }

    #[inline(always)]
    fn sum(values: &[f64], keep: impl Fn(usize) -> bool) -> f64 {
        sum_of_doubles(values, keep)
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

/// In eight interleaved sums: additions of doubles may not be reordered by the compiler.
#[inline(always)]
fn sum_of_doubles<T: Copy + Into<f64>>(values: &[T], keep: impl Fn(usize) -> bool) -> f64 {
    let (blocks, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (i, block) in blocks.iter().enumerate() {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = <f64 as Fixed>::add(*sum, block[lane].into(), keep(8 * i + lane));
        }
    }
    let start = values.len() - rest.len();
    let rest = rest
        .iter()
        .enumerate()
        .fold(0.0, |sum, (at, value)| <f64 as Fixed>::add(sum, (*value).into(), keep(start + at)));
    sums.iter().fold(rest, |sum, lane| sum + lane)
}

/// Everything as the double of the same value, which each of them has.
impl Fixed for f32 {
    type Key = i64;
    type Wide = f64;
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;

    #[inline(always)]
    fn key(self) -> i64 {
        total_order(f64::from(self))
    }

    #[inline(always)]
    fn filter_key(self) -> i64 {
        signless(f64::from(self))
    }

    #[inline(always)]
    fn add(sum: f64, value: f32, keep: bool) -> f64 {
        <f64 as Fixed>::add(sum, f64::from(value), keep)
    }

    #[inline(always)]
    fn sum(values: &[f32], keep: impl Fn(usize) -> bool) -> f64 {
        sum_of_doubles(values, keep)
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

/// The integer that stands for a UUID in the order of its bytes.
#[inline(always)]
pub(crate) fn uuid_order(uuid: [u8; 16]) -> i128 {
    (u128::from_be_bytes(uuid) ^ 1 << 127) as i128
}

/// The UUID of a [`uuid_order`] integer.
pub(crate) fn from_uuid_order(key: i128) -> [u8; 16] {
    (key as u128 ^ 1 << 127).to_be_bytes()
}

/// A UUID: it has an order and no sum.
impl Fixed for [u8; 16] {
    type Key = i128;
    type Wide = ();
    const MIN: i128 = i128::MIN;
    const MAX: i128 = i128::MAX;

    #[inline(always)]
    fn key(self) -> i128 {
        uuid_order(self)
    }

    #[inline(always)]
    fn add(_sum: (), _value: [u8; 16], _keep: bool) {}

    #[inline(always)]
    fn sum(_values: &[[u8; 16]], _keep: impl Fn(usize) -> bool) {}

    #[inline(always)]
    fn merge(_a: (), _b: ()) {}

    #[inline(always)]
    fn total(_sum: ()) -> (i128, f64) {
        (0, 0.0)
    }

    #[inline(always)]
    fn widen(key: i128) -> i128 {
        key
    }

    #[inline(always)]
    fn narrow(value: i128) -> Option<i128> {
        Some(value)
    }
}

/// The key of a double as comparisons order it: -0.0 is 0.0.
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

/// The forms that only the processor's own instructions make fast. They are safe to call where AVX2 is
/// known to exist, which is inside the AVX2 copies of the loops below.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_movemask_epi8, _mm256_movemask_pd,
        _mm256_set_epi64x,
    };

    #[target_feature(enable = "avx2")]
    #[inline]
    fn two(low: u128, high: u128) -> __m256i {
        _mm256_set_epi64x((high >> 64) as i64, high as i64, (low >> 64) as i64, low as i64)
    }

    /// One bit from each byte of 0 or 255.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn pack(bytes: &[u8; 64]) -> u64 {
        let (parts, _) = bytes.as_chunks::<16>();
        let part = |i: usize| u128::from_le_bytes(parts[i]);
        let low = _mm256_movemask_epi8(two(part(0), part(1))) as u32;
        let high = _mm256_movemask_epi8(two(part(2), part(3))) as u32;
        u64::from(low) | u64::from(high) << 32
    }

    /// Two bits for each of 32 views: set if its lower and its upper half agree with `wanted` under `mask`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn equal_halves(views: &[u128; 32], wanted: u128, mask: u128) -> u64 {
        let (wanted, mask) = (two(wanted, wanted), two(mask, mask));
        let mut halves = 0;
        for (i, pair) in views.as_chunks::<2>().0.iter().enumerate() {
            let equal = _mm256_cmpeq_epi64(_mm256_and_si256(two(pair[0], pair[1]), mask), wanted);
            halves |= (_mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u64) << (4 * i);
        }
        halves
    }
}

/// Fills words with what `test` says of each value; `pack` makes a word of 64 bytes of 0 or 255.
#[inline(always)]
fn fill<T: Copy>(values: &[T], words: &mut [u64], test: impl Fn(T) -> bool, pack: impl Fn(&[u8; 64]) -> u64) {
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

/// Which values lie in `low..=high`, as filters order them.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn between<T: Fixed>(values: &[T], low: T::Key, high: T::Key, words: &mut [u64]) {
    let test = |value: T| (low <= value.filter_key()) & (value.filter_key() <= high);
    match_target! {
        "x86_64+avx2" => fill(values, words, test, |bytes| avx2::pack(bytes)),
        _ => fill(values, words, test, pack),
    }
}

/// Which views agree with `wanted` (which has no bits outside of `mask`) under `mask`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn equal_views(views: &[u128], wanted: u128, mask: u128, words: &mut [u64]) {
    let (blocks, rest) = views.as_chunks::<32>();
    words.fill(0);
    for (i, block) in blocks.iter().enumerate() {
        let equal = match_target! {
            "x86_64+avx2" => even_bits(avx2::equal_halves(block, wanted, mask)),
            _ => block.iter().enumerate().fold(0, |word, (j, view)| word | u64::from(view & mask == wanted) << j),
        };
        words[i / 2] |= equal << (32 * (i % 2));
    }
    for (j, view) in rest.iter().enumerate() {
        let row = 32 * blocks.len() + j;
        words[row / 64] |= u64::from(view & mask == wanted) << (row % 64);
    }
}

/// The 32 bits at even places that have a set bit above them, moved together.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
fn even_bits(pairs: u64) -> u64 {
    let mut bits = pairs & (pairs >> 1) & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits
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

/// Values are folded this many at a time.
const BLOCK: usize = 1024;

/// Folds all values, or those whose bits are set in `live`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub(crate) fn fold<T: Fixed>(values: &[T], live: Option<&[u64]>) -> Folded<T> {
    let mut total = Folded::<T>::empty();
    total.count = live.map_or(values.len() as u64, |live| live.iter().map(|word| u64::from(word.count_ones())).sum());
    let mut keep = [false; BLOCK];
    for (i, block) in values.chunks(BLOCK).enumerate() {
        let words = live.map_or(&[][..], |live| &live[i * (BLOCK / 64)..live.len().min((i + 1) * (BLOCK / 64))]);
        if words.iter().all(|word| *word == u64::MAX) {
            total.sum = T::merge(total.sum, T::sum(block, |_| true));
            total.min = block.iter().fold(total.min, |min, value| min.min(value.key()));
            total.max = block.iter().fold(total.max, |max, value| max.max(value.key()));
        } else if words.iter().any(|word| *word != 0) {
            // A last word that is not full is here too, since its bits after the end are 0.
            for (keep, word) in keep.as_chunks_mut::<64>().0.iter_mut().zip(words) {
                for (bit, keep) in keep.iter_mut().enumerate() {
                    *keep = (word >> bit) & 1 == 1;
                }
            }
            total.sum = T::merge(total.sum, T::sum(block, |at| keep[at]));
            for (value, keep) in block.iter().zip(&keep) {
                total.min = total.min.min(if *keep { value.key() } else { T::MAX });
                total.max = total.max.max(if *keep { value.key() } else { T::MIN });
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_bits() {
        let word = 0x8000_0000_00F0_1235u64;
        let bytes = std::array::from_fn(|i| if (word >> i) & 1 == 1 { 255 } else { 0 });
        assert_eq!(pack(&bytes), word);
        assert_eq!(even_bits(0b11_10_01_00_11), 0b10001);
        assert_eq!(even_bits(u64::MAX), 0xFFFF_FFFF);
    }

    #[test]
    fn doubles_in_total_order() {
        let doubles = [-f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-300, f64::INFINITY, f64::NAN];
        let keys = doubles.map(total_order);
        assert!(keys.is_sorted());
        assert_eq!(keys.map(from_total_order).map(f64::to_bits), doubles.map(f64::to_bits));
        assert_eq!(signless(-0.0), signless(0.0));
        assert!(doubles.map(|double| (double as f32).key()).is_sorted());
    }

    #[test]
    fn uuids_in_the_order_of_their_bytes() {
        let mut uuids = [[0; 16], [0xFF; 16], [0x7F; 16], [0x80; 16]];
        uuids[2][15] = 0;
        let mut sorted = uuids;
        sorted.sort();
        uuids.sort_by_key(|uuid| uuid_order(*uuid));
        assert_eq!(uuids, sorted);
        assert_eq!(uuids.map(|uuid| from_uuid_order(uuid_order(uuid))), uuids);
    }
}
