//! Bit-packed whole numbers with access to each of them: frames of reference along a line.
//!
//! Problem: values of a column lie close together or on a line, and eight bytes for each of them are mostly zeros. A
//! compressor would save more, but a point read would have to expand a whole block.
//!
//! Idea: `value = base + row * step + factor * (low + code)`. Base, step and factor are those of the column; 1,024 rows share
//! a `low` and a number of bits for their codes. So consecutive numbers take no bits at all, whole seconds in microseconds
//! lose their common factor, and an outlier widens the codes of its own block only.
//!
//! ```text
//!   block table    [ low | start, width ] [ low | start, width ] ...          16 bytes for 1,024 rows
//!   words          32 lanes of 32-bit words; row r of a block is number r / 32 of lane r % 32
//!                  lane 0:  | code 0 | code 32 | code 64 ...                  width bits each, the lowest bits first
//!                  lane 1:  | code 1 | code 33 | code 65 ...
//! ```
//!
//! All lanes shift by the same amount, so a loop over the lanes becomes vector instructions without naming any; a single
//! code needs one or two words at a computed place.
//!
//! Limits: codes have at most 32 bits. Columns with wider blocks are not packed. Arithmetic wraps around: a table that
//! was not written by [`pack`] gives wrong numbers and never reads outside of its buffers.

use super::vector::{Appender, Vector};
use arrow_buffer::Buffer;
use std::sync::Arc;

/// Rows of a block.
const BLOCK: usize = 1024;
/// Words beside each other, and codes of a lane in a block.
const LANES: usize = 32;
/// Bits of a word.
const BITS: usize = 32;

/// The line that the values of a column are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The value of row 0 at code 0.
    pub(crate) base: i128,
    /// The difference from row to row, modulo 2^64.
    pub(crate) step: u64,
    /// The difference from code to code.
    pub(crate) factor: u64,
}

impl Line {
    /// Codes are the values.
    pub(crate) const ZERO: Line = Line { base: 0, step: 0, factor: 1 };
}

/// The numbers of a column, packed.
#[derive(Clone)]
pub(crate) struct Packed {
    line: Line,
    rows: usize,
    /// Of each block its low code, and where its words start * 256 + the width.
    blocks: Arc<Vector<u64>>,
    words: Arc<Vector<u32>>,
}

/// The buffers of packed numbers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PackedBuffers {
    pub(crate) blocks: Vec<u64>,
    pub(crate) words: Vec<u32>,
}

impl PackedBuffers {
    /// The size of both in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * 8 + self.words.len() * 4
    }
}

/// The words that so many codes of a width take.
fn words_of(rows: usize, width: usize) -> usize {
    (rows.div_ceil(LANES) * width).div_ceil(BITS) * LANES
}

/// The least code and the bits above it of one block.
fn frame_of(codes: &[u64]) -> (u64, usize) {
    let low = codes.iter().copied().min().unwrap_or(0);
    let high = codes.iter().copied().max().unwrap_or(0);
    (low, (u64::BITS - (high - low).leading_zeros()) as usize)
}

/// The bytes that these codes take when they are packed; `None` when a block needs more than 32 bits.
pub(crate) fn packed_bytes(codes: &[u64]) -> Option<usize> {
    codes.chunks(BLOCK).try_fold(0, |bytes, block| {
        let (_, width) = frame_of(block);
        (width <= BITS).then(|| bytes + 16 + words_of(block.len(), width) * 4)
    })
}

/// Packs codes; `None` when a block needs more than 32 bits.
pub(crate) fn pack(codes: &[u64]) -> Option<PackedBuffers> {
    let mut packed = PackedBuffers::default();
    for block in codes.chunks(BLOCK) {
        let (low, width) = frame_of(block);
        if width > BITS {
            return None;
        }
        let start = packed.words.len();
        packed.blocks.extend([low, (start as u64) << 8 | width as u64]);
        packed.words.resize(start + words_of(block.len(), width), 0);
        let words = &mut packed.words[start..];
        if width == 0 {
            continue;
        }
        for (row, code) in block.iter().enumerate() {
            let (bit, lane) = (row / LANES * width, row % LANES);
            // At most 63 bits: a code of 32 moved by up to 31.
            let moved = (code - low) << (bit % BITS);
            words[bit / BITS * LANES + lane] |= moved as u32;
            if bit % BITS + width > BITS {
                words[(bit / BITS + 1) * LANES + lane] |= (moved >> BITS) as u32;
            }
        }
    }
    Some(packed)
}

impl Packed {
    /// The numbers of these buffers; `None` when the buffers do not have the sizes that the block table says.
    pub(crate) fn new(line: Line, rows: usize, blocks: &Buffer, words: &Buffer) -> Option<Packed> {
        let blocks = aligned::<u64>(blocks)?;
        let words = aligned::<u32>(words)?;
        if blocks.slice().len() != rows.div_ceil(BLOCK) * 2 {
            return None;
        }
        let mut end = 0;
        for (number, block) in blocks.slice().chunks_exact(2).enumerate() {
            let (start, width) = ((block[1] >> 8) as usize, (block[1] & 0xFF) as usize);
            if start != end || width > BITS {
                return None;
            }
            end += words_of((rows - number * BLOCK).min(BLOCK), width);
        }
        (end == words.slice().len()).then_some(Packed { line, rows, blocks, words })
    }

    /// The number of values.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The value of a row modulo 2^64; `None` behind the last.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        let Line { base, step, factor } = self.line;
        let scaled = factor.wrapping_mul(self.code(row)?);
        Some((base as u64).wrapping_add((row as u64).wrapping_mul(step)).wrapping_add(scaled))
    }

    /// The value of a row of up to 128 bits.
    pub(crate) fn get_wide(&self, row: usize) -> Option<i128> {
        Some(self.wide(row, self.code(row)?))
    }

    /// The value of a row with this code, of 128 bits: a step down is negative.
    fn wide(&self, row: usize, code: u64) -> i128 {
        let Line { base, step, factor } = self.line;
        let (steps, scaled) = (i128::from(step as i64) * row as i128, i128::from(factor) * i128::from(code));
        base.wrapping_add(steps).wrapping_add(scaled)
    }

    /// The code of a row.
    #[inline]
    fn code(&self, row: usize) -> Option<u64> {
        if row >= self.rows {
            return None;
        }
        let blocks = self.blocks.slice();
        let at = row / BLOCK * 2;
        let (low, place) = (*blocks.get(at)?, *blocks.get(at + 1)?);
        let width = (place & 0xFF) as usize;
        let mut code = 0;
        if width > 0 {
            let words = self.words.slice();
            let bit = row % BLOCK / LANES * width;
            let at = (place >> 8) as usize + bit / BITS * LANES + row % LANES;
            let mut bits = u64::from(*words.get(at)?);
            if bit % BITS + width > BITS {
                bits |= u64::from(*words.get(at + LANES)?) << BITS;
            }
            code = bits >> (bit % BITS) & (u64::MAX >> (u64::BITS as usize - width));
        }
        Some(low.wrapping_add(code))
    }

    /// Appends all values, made from their numbers modulo 2^64.
    pub(crate) fn decode<T: Copy + Default>(&self, out: &mut Appender<T>, convert: impl Fn(u64) -> T) {
        let Line { step, factor, .. } = self.line;
        self.decode_blocks(out, |first, low, codes, values| {
            let base = self.line.base as u64;
            let base = base.wrapping_add((first as u64).wrapping_mul(step)).wrapping_add(factor.wrapping_mul(low));
            let both = values.iter_mut().zip(codes);
            match (step, factor) {
                (0, 1) => both.for_each(|(value, code)| *value = convert(base.wrapping_add(u64::from(*code)))),
                (0, _) => both.for_each(|(value, code)| {
                    *value = convert(base.wrapping_add(factor.wrapping_mul(u64::from(*code))));
                }),
                _ => both.enumerate().for_each(|(row, (value, code))| {
                    let above = factor.wrapping_mul(u64::from(*code)).wrapping_add(step.wrapping_mul(row as u64));
                    *value = convert(base.wrapping_add(above));
                }),
            }
        });
    }

    /// Appends all values of up to 128 bits.
    pub(crate) fn decode_wide(&self, out: &mut Appender<i128>) {
        self.decode_blocks(out, |first, low, codes, values| {
            for (row, (value, code)) in values.iter_mut().zip(codes).enumerate() {
                *value = self.wide(first + row, low.wrapping_add(u64::from(*code)));
            }
        });
    }

    /// Appends the values that `decode` makes of each block: of its first row, its least code, and the codes above that.
    fn decode_blocks<T: Copy + Default>(
        &self,
        out: &mut Appender<T>,
        decode: impl Fn(usize, u64, &[u32; BLOCK], &mut [T; BLOCK]),
    ) {
        let (mut codes, mut values) = ([0u32; BLOCK], [T::default(); BLOCK]);
        for (number, block) in self.blocks.slice().chunks_exact(2).enumerate() {
            let first = number * BLOCK;
            let count = (self.rows - first).min(BLOCK);
            let (start, width) = ((block[1] >> 8) as usize, (block[1] & 0xFF) as usize);
            unpack(&self.words.slice()[start..], width, count.div_ceil(LANES), &mut codes);
            decode(first, block[0], &codes, &mut values);
            out.extend(&values[..count]);
        }
    }

    /// The least and the greatest value that the widths allow; `None` when one does not fit into 127 bits or there are none.
    pub(crate) fn bounds(&self) -> Option<(i128, i128)> {
        let Line { base, step, factor } = self.line;
        let (step, factor) = (i128::from(step as i64), i128::from(factor));
        let (mut least, mut greatest) = (i128::MAX, i128::MIN);
        for (number, block) in self.blocks.slice().chunks_exact(2).enumerate() {
            let first = number * BLOCK;
            let last = (first + BLOCK).min(self.rows) - 1;
            let steps = [first, last].map(|row| step * row as i128);
            let low = i128::from(block[0]);
            let codes = (1i128 << (block[1] & 0xFF)) - 1;
            let high = low + codes;
            let from = factor.checked_mul(low)?.checked_add(steps[0].min(steps[1]))?;
            let to = factor.checked_mul(high)?.checked_add(steps[0].max(steps[1]))?;
            least = least.min(base.checked_add(from)?);
            greatest = greatest.max(base.checked_add(to)?);
        }
        (least <= greatest).then_some((least, greatest))
    }
}

/// The codes of the first `rows` rows of lanes.
fn unpack(words: &[u32], width: usize, rows: usize, codes: &mut [u32; BLOCK]) {
    if width == 0 {
        codes.fill(0);
        return;
    }
    let mask = u32::MAX >> (BITS - width);
    let (lines, _) = words.as_chunks::<LANES>();
    let (out, _) = codes.as_chunks_mut::<LANES>();
    for (row, out) in out.iter_mut().take(rows).enumerate() {
        let bit = row * width;
        let (at, shift) = (bit / BITS, (bit % BITS) as u32);
        let low = &lines[at];
        if shift as usize + width <= BITS {
            for lane in 0..LANES {
                out[lane] = low[lane] >> shift & mask;
            }
        } else {
            let high = &lines[at + 1];
            let back = BITS as u32 - shift;
            for lane in 0..LANES {
                out[lane] = (low[lane] >> shift | high[lane] << back) & mask;
            }
        }
    }
}

/// The values of a buffer, copied if they are not aligned; `None` when the buffer does not consist of whole ones.
fn aligned<T: super::vector::Plain + Send + Sync>(buffer: &Buffer) -> Option<Arc<Vector<T>>> {
    if !buffer.len().is_multiple_of(size_of::<T>()) {
        return None;
    }
    Vector::of_buffer(buffer).or_else(|| Vector::of_buffer(&Buffer::from_slice_ref(buffer.as_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(line: Line, codes: &[u64]) -> Packed {
        let buffers = pack(codes).unwrap();
        assert_eq!(Some(buffers.bytes()), packed_bytes(codes));
        let (blocks, words) = (Buffer::from_vec(buffers.blocks), Buffer::from_vec(buffers.words));
        Packed::new(line, codes.len(), &blocks, &words).unwrap()
    }

    fn decoded(packed: &Packed) -> Vec<u64> {
        let mut out = Vector::with_capacity(packed.rows());
        packed.decode(&mut out, |number| number);
        out.vector().slice().to_vec()
    }

    #[test]
    fn every_width_and_length_comes_back_by_row_and_as_a_whole() {
        let mut random = 1u64;
        for width in 0..=32 {
            for rows in [1, 31, 32, 33, 63, 1000, 1023, 1024, 1025, 2500] {
                let codes: Vec<u64> = (0..rows)
                    .map(|row| {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        // Both ends of the range appear.
                        let code = if row == 0 { u64::MAX } else { random >> 32 };
                        70_000 + (code & ((1u64 << width) - 1)) * u64::from(row != 1)
                    })
                    .collect();
                let packed = packed(Line::ZERO, &codes);
                assert_eq!(decoded(&packed), codes, "{width} bits, {rows} rows");
                assert!((0..rows).all(|row| packed.get(row) == Some(codes[row])), "{width} bits, {rows} rows");
                assert_eq!(packed.get(rows), None);
                let (least, greatest) = packed.bounds().unwrap();
                assert!(codes.iter().all(|code| (least..=greatest).contains(&i128::from(*code))));
            }
        }
    }

    #[test]
    fn a_line_is_added() {
        let line = Line { base: -5, step: 3u64.wrapping_neg(), factor: 1000 };
        let packed = packed(line, &[0, 2, 1]);
        let expected = [-5, -5 - 3 + 2000, -5 - 6 + 1000].map(|number: i64| number as u64);
        assert_eq!(decoded(&packed), expected);
        assert_eq!((0..3).map(|row| packed.get(row).unwrap()).collect::<Vec<_>>(), expected);
        let (least, greatest) = packed.bounds().unwrap();
        assert!(least <= -5 && greatest >= 1992);
    }

    #[test]
    fn wide_values_count_from_a_wide_base() {
        let base = i128::MAX - 10;
        let packed = packed(Line { base, step: 0, factor: 2 }, &[0, 5]);
        let mut out = Vector::with_capacity(2);
        packed.decode_wide(&mut out);
        assert_eq!(out.vector().slice(), [base, i128::MAX]);
        assert_eq!((packed.get_wide(0), packed.get_wide(1), packed.get_wide(2)), (Some(base), Some(i128::MAX), None));
    }

    #[test]
    fn a_block_takes_the_bits_of_its_own_range() {
        let codes: Vec<u64> = (0..2048).map(|row| if row < 1024 { 1_000_000 + row % 2 } else { row % 16 }).collect();
        // 1,024 codes of one bit and of four.
        assert_eq!(packed_bytes(&codes), Some(2 * 16 + 1024 / 8 + 4 * 1024 / 8));
        assert_eq!(packed_bytes(&[0, 1 << 32]), None);
        assert_eq!(pack(&[0, 1 << 32]), None);
        assert_eq!(packed_bytes(&[u64::MAX; 3]), Some(16));
    }

    #[test]
    fn buffers_of_other_sizes_are_refused() {
        let buffers = pack(&[1, 2, 3]).unwrap();
        let (blocks, words) = (Buffer::from_vec(buffers.blocks), Buffer::from_vec(buffers.words));
        let new = |rows, blocks: &Buffer, words: &Buffer| Packed::new(Line::ZERO, rows, blocks, words).is_some();
        assert!(new(3, &blocks, &words));
        assert!(!new(1025, &blocks, &words) && !new(3, &blocks.slice_with_length(0, 8), &words));
        assert!(!new(3, &blocks, &words.slice_with_length(0, 4)) && !new(3, &blocks, &words.slice_with_length(0, 3)));
        for place in [33, 1 << 8 | 2] {
            assert!(!new(3, &Buffer::from_vec(vec![0u64, place]), &words), "{place}");
        }
    }
}
