//! The choices that a crash makes, all of them determined by one seed.
//!
//! Equal chances for every pending change would almost never give the states in which protocols break: all
//! lost, all there, one missing. So each file first draws a [`Fate`] for all of its changes.

/// A sequence of choices; the same seed makes the same ones.
#[derive(Debug)]
pub(super) struct Luck {
    state: u64,
    /// For seeds 0 and 1: true if everything pending is applied.
    fixed: Option<bool>,
}

/// The outcome of the pending changes of one file, or of all names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// None arrived.
    Lost,
    /// All arrived.
    Applied,
    /// All before this one arrived, this one perhaps or by half, and none after it.
    Until(usize),
    /// All arrived but this one, which is lost or torn.
    Without(usize),
    /// Each on its own.
    Mixed,
}

/// The outcome of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    Lost,
    Applied,
    /// Each sector on its own.
    Torn,
}

impl Luck {
    /// Seed 0 loses everything and seed 1 applies it.
    pub(super) fn new(seed: u64) -> Luck {
        let fixed = match seed {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        Luck { state: seed, fixed }
    }

    /// SplitMix64: a counter in steps of the golden ratio, its bits well mixed (Steele, Lea and Flood, "Fast
    /// Splittable Pseudorandom Number Generators", OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is not 0. Test choices need no perfectly equal chances.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub(super) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub(super) fn fate(&mut self, changes: usize) -> Fate {
        match (self.fixed, self.below(6)) {
            (Some(false), _) | (None, 0) => Fate::Lost,
            (Some(true), _) | (None, 1) => Fate::Applied,
            (None, 2) => Fate::Until(self.below(changes)),
            (None, 3) => Fate::Without(self.below(changes)),
            (None, _) => Fate::Mixed,
        }
    }

    pub(super) fn share(&mut self, fate: Fate, change: usize) -> Share {
        let any = [Share::Lost, Share::Applied, Share::Torn];
        match fate {
            Fate::Lost => Share::Lost,
            Fate::Applied => Share::Applied,
            Fate::Until(last) if change == last => any[self.below(3)],
            Fate::Until(last) => [Share::Lost, Share::Applied][usize::from(change < last)],
            Fate::Without(lost) if change == lost => [Share::Lost, Share::Torn][self.below(2)],
            Fate::Without(_) => Share::Applied,
            Fate::Mixed => any[self.below(3)],
        }
    }

    /// The length of a file that has the content for `arrived` bytes and that the process once saw with `longest`.
    pub(super) fn length(&mut self, arrived: usize, longest: usize, sector: usize) -> usize {
        if self.fixed.is_some() || longest <= arrived {
            return arrived;
        }
        match self.below(4) {
            0 => longest,
            1 => longest.min((arrived / sector + 1 + self.below((longest - arrived) / sector + 1)) * sector),
            _ => arrived,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_choices_and_all_of_them_occur() {
        let draw = |seed| {
            let mut luck = Luck::new(seed);
            let fate = luck.fate(3);
            (fate, luck.share(fate, 1), luck.length(100, 5000, 512))
        };
        let drawn: Vec<_> = (0..500).map(draw).collect();
        assert_eq!(drawn, (0..500).map(draw).collect::<Vec<_>>());
        assert_eq!((drawn[0].0, drawn[1].0), (Fate::Lost, Fate::Applied));
        for fate in [Fate::Lost, Fate::Applied, Fate::Until(2), Fate::Without(0), Fate::Mixed] {
            assert!(drawn.iter().any(|(drawn, ..)| *drawn == fate), "{fate:?}");
        }
        for share in [Share::Lost, Share::Applied, Share::Torn] {
            assert!(drawn.iter().any(|(_, drawn, _)| *drawn == share), "{share:?}");
        }
        assert!(drawn.iter().all(|(.., len)| (100..=5000).contains(len)));
        assert!(drawn.iter().any(|(.., len)| *len == 5000) && drawn.iter().any(|(.., len)| *len == 1024));
    }
}
