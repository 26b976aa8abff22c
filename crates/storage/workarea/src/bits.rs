//! A set of records, one bit each: the result of an index for an AOF, or the visible records of a block.

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

    /// The number of bits.
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

    /// The number of set bits.
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

    /// So many bits from `from` on; what is beyond the end is set.
    pub(crate) fn part(&self, from: usize, len: usize) -> Bits {
        let mut part = Bits::filled(len, true);
        if from.is_multiple_of(64) {
            let words = self.words.get(from / 64..).unwrap_or_default();
            part.words.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
            // The last word of all has zeros where nothing is.
            (self.len.max(from)..from + len).for_each(|at| part.set(at - from, true));
            part.clear_tail();
        } else {
            (0..len).filter(|at| self.get(from + at) == Some(false)).for_each(|at| part.set(at, false));
        }
        part
    }

    /// Keeps those set bits for which `keep` is true.
    #[inline]
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        for (place, word) in self.words.iter_mut().enumerate() {
            let (mut left, mut gone) = (*word, 0);
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                gone |= u64::from(!keep(place * 64 + bit as usize)) << bit;
            }
            *word &= !gone;
        }
    }

    /// The same for what may fail; the bits are of no use then.
    pub(crate) fn try_retain<E>(&mut self, mut keep: impl FnMut(usize) -> Result<bool, E>) -> Result<(), E> {
        let mut first = Ok(());
        self.retain(|at| match &first {
            Ok(()) => keep(at).unwrap_or_else(|error| {
                first = Err(error);
                false
            }),
            Err(_) => false,
        });
        first
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
    fn a_part_is_what_is_there_and_ones_behind_it() {
        let mut bits = Bits::filled(200, false);
        (0..200).filter(|at| at * at % 7 < 3).for_each(|at| bits.set(at, true));
        for from in [0, 1, 63, 64, 128, 130, 192, 199, 200, 256, 300] {
            for len in [0, 1, 5, 64, 70, 128, 200] {
                let part = bits.part(from, len);
                let expected: Vec<usize> = (0..len).filter(|at| bits.get(from + at).unwrap_or(true)).collect();
                assert_eq!(part.ones_from(0).collect::<Vec<_>>(), expected, "{len} from {from}");
                assert_eq!(part.len(), len);
            }
        }
        bits.retain(|at| at % 2 == 0);
        assert!(bits.ones_from(0).all(|at| at % 2 == 0 && at * at % 7 < 3) && bits.get(0) == Some(true));
        let refused = bits.try_retain(|at| if at > 100 { Err(at) } else { Ok(true) });
        assert!(refused.is_err_and(|at| at > 100));
    }

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
