//! Seeded random numbers: each row of each table has a stream of its own, so that no row depends on the others.

/// A stream of numbers (splitmix64: an increment and a finaliser).
#[derive(Clone, Debug)]
pub struct Random(u64);

const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The stream of a row of a table.
    pub fn of(table: u8, row: u64) -> Random {
        let mut random = Random((u64::from(table) << 56) ^ row.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 to below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from `least` to `most`, both included.
    pub fn within(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as u64) as i64
    }

    /// A string of `least` to `most` letters, digits and punctuation (clause 4.2.2.7).
    pub fn string(&mut self, least: i64, most: i64) -> String {
        const LETTERS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ, ";
        let length = self.within(least, most);
        (0..length)
            .map(|place| {
                // Neither end is blank, since a DBF does not keep blanks at the end of a text.
                let letters = if place == 0 || place == length - 1 { 63 } else { 64 };
                char::from(LETTERS[self.below(letters) as usize])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_their_limits_and_reach_both() {
        let mut random = Random::of(b'a', 1);
        let numbers: Vec<i64> = (0..1_000).map(|_| random.within(1, 7)).collect();
        assert_eq!((numbers.iter().min(), numbers.iter().max()), (Some(&1), Some(&7)));
        let mean = numbers.iter().sum::<i64>() as f64 / 1_000.0;
        assert!((3.7..4.3).contains(&mean), "{mean}");
    }

    #[test]
    fn rows_have_streams_of_their_own_that_come_again() {
        let first = |table, row| Random::of(table, row).below(1 << 40);
        assert_eq!(first(1, 1), first(1, 1));
        assert_ne!(first(1, 1), first(1, 2));
        assert_ne!(first(1, 1), first(2, 1));
    }
}
