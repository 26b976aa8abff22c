//! A set of records, one bit each: what an index gives to an AOF, and which records of a block are visible.

/// Bits, of which those beyond the end read as one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// So many bits, all of this value.
    pub(crate) fn filled(len: usize, value: bool) -> Bits {
        let mut bits = Bits { words: vec![if value { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        bits.clear_tail();
        bits
    }

    fn clear_tail(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.len.is_multiple_of(64)
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bit, if there is one.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<bool> {
        if at >= self.len {
            return None;
        }
        self.words.get(at / 64).map(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets a bit that there is.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, value: bool) {
        if at >= self.len {
            return;
        }
        if let Some(word) = self.words.get_mut(at / 64) {
            *word = *word & !(1 << (at % 64)) | u64::from(value) << (at % 64);
        }
    }

    /// How many are set.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Keeps what is also in the other.
    pub(crate) fn intersect(&mut self, other: &Bits) {
        let others = other.words.iter().chain(std::iter::repeat(&0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Adds what is in the other.
    pub(crate) fn unite(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.clear_tail();
    }

    /// The first set bit at or after `from`.
    #[inline]
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        let mut at = from / 64;
        let mut word = self.words.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at * 64 + word.trailing_zeros() as usize)
    }

    /// The set bits from `from` on.
    pub(crate) fn ones_from(&self, from: usize) -> impl Iterator<Item = usize> {
        let mut next = from;
        std::iter::from_fn(move || {
            let found = self.next(next)?;
            next = found + 1;
            Some(found)
        })
    }

    /// The last set bit at or before `from`.
    pub(crate) fn previous(&self, from: usize) -> Option<usize> {
        let from = from.min(self.len.checked_sub(1)?);
        let mut at = from / 64;
        let mut word = self.words.get(at)? & (u64::MAX >> (63 - from % 64));
        while word == 0 {
            at = at.checked_sub(1)?;
            word = *self.words.get(at)?;
        }
        Some(at * 64 + 63 - word.leading_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_in_both_directions_and_end_where_they_end() {
        let mut bits = Bits::filled(130, false);
        for at in [0, 63, 64, 129] {
            bits.set(at, true);
        }
        assert_eq!((bits.count(), bits.get(129), bits.get(130)), (4, Some(true), None));
        assert_eq!([bits.next(0), bits.next(1), bits.next(65), bits.next(130)], [Some(0), Some(63), Some(129), None]);
        assert_eq!([bits.previous(128), bits.previous(62), bits.previous(900)], [Some(64), Some(0), Some(129)]);
        let mut all = Bits::filled(70, true);
        assert_eq!(all.count(), 70);
        all.intersect(&bits);
        assert_eq!(all.count(), 3);
        all.unite(&Bits::filled(128, true));
        assert_eq!(all.count(), 70);
        all.set(64, false);
        assert_eq!((all.next(64), Bits::default().previous(3)), (Some(65), None));
    }
}
