//! Bitmaps of selected rows, as 64-bit words.
//!
//! Arrow's own bitmaps may start at any bit of their buffer; these always start at bit 0 of word 0, and the
//! bits after the last row are 0, so that two of them combine word by word and counting needs no care.

use arrow_array::Array;
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

/// One bit a row, the first row in the lowest bit of the first word.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    pub(crate) words: Vec<u64>,
    pub(crate) rows: usize,
}

impl Bits {
    pub(crate) fn constant(value: bool, rows: usize) -> Bits {
        let mut bits = Bits { words: vec![if value { u64::MAX } else { 0 }; rows.div_ceil(64)], rows };
        clear_tail(&mut bits.words, rows);
        bits
    }

    pub(crate) fn from_buffer(buffer: &BooleanBuffer) -> Bits {
        Bits { words: words(buffer).collect(), rows: buffer.len() }
    }

    pub(crate) fn into_buffer(self) -> BooleanBuffer {
        BooleanBuffer::new(Buffer::from_vec(self.words), 0, self.rows)
    }

    pub(crate) fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        clear_tail(&mut self.words, self.rows);
    }

    pub(crate) fn and(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn or(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    pub(crate) fn none(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Takes out the rows that are NULL.
    pub(crate) fn drop_nulls(&mut self, nulls: Option<&NullBuffer>) {
        if let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) {
            self.words.iter_mut().zip(words(nulls.inner())).for_each(|(word, valid)| *word &= valid);
        }
    }
}

/// Clears the bits of the last word from row `end` on.
pub(crate) fn clear_tail(words: &mut [u64], end: usize) {
    if let (Some(last), used @ 1..) = (words.last_mut(), end % 64) {
        *last &= (1 << used) - 1;
    }
}

/// The words of a bitmap at any offset; bits after its end are 0.
pub(crate) fn words(buffer: &BooleanBuffer) -> impl Iterator<Item = u64> + '_ {
    let chunks = buffer.bit_chunks();
    chunks.iter().chain(std::iter::once(chunks.remainder_bits())).take(buffer.len().div_ceil(64))
}

/// Which rows of a vector count: those selected and not NULL. `None` when all do.
pub(crate) fn live_words(vector: &dyn Array, selection: Option<&BooleanBuffer>) -> Option<Vec<u64>> {
    let nulls = vector.nulls().filter(|nulls| nulls.null_count() > 0).map(NullBuffer::inner);
    match (nulls, selection) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(words(one).collect()),
        (Some(a), Some(b)) => Some(words(a).zip(words(b)).map(|(a, b)| a & b).collect()),
    }
}

/// Calls `visit` with the number of each set bit of a word, from the lowest.
#[inline(always)]
pub(crate) fn each_bit(mut word: u64, mut visit: impl FnMut(usize)) {
    while word != 0 {
        visit(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_tails() {
        for rows in [0, 1, 63, 64, 65, 128, 200] {
            let buffer = BooleanBuffer::collect_bool(rows + 7, |i| i % 3 == 0).slice(7, rows);
            let bits = Bits::from_buffer(&buffer);
            assert_eq!(bits.words.len(), rows.div_ceil(64));
            assert_eq!(bits.clone().into_buffer(), buffer);
            let mut inverted = bits.clone();
            inverted.invert();
            assert_eq!(inverted.clone().into_buffer().count_set_bits(), rows - buffer.count_set_bits());
            inverted.and(&bits);
            assert!(inverted.none());
            assert_eq!(Bits::constant(true, rows).into_buffer().count_set_bits(), rows);
        }
    }
}
