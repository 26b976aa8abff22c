//! Seeded mutations of known inputs: the small fuzzer of the ordinary tests.
//!
//! Only the corpus guides it, which libFuzzer has grown by coverage: an input with a few changes is usually still read
//! far enough to reach the code that the original reached. The same seed and corpus give the same input on every
//! machine.

/// Inputs do not grow beyond this many bytes.
pub const MAX_LENGTH: usize = 1 << 16;

/// Numbers that sit at the edge of something.
const INTERESTING: [u32; 16] =
    [0, 1, 2, 7, 0x1F, 0x20, 0x7F, 0x80, 0xFF, 0x100, 0x200, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF];

/// A sequence of numbers that look random (Vigna's SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`, 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.next().checked_rem(limit as u64).unwrap_or(0) as usize
    }

    /// A place in so many bytes: half of the time in the first 1,100, where headers are.
    fn place(&mut self, length: usize) -> usize {
        let limit = if self.below(2) == 0 { length.min(1100) } else { length };
        self.below(limit)
    }
}

/// One of the inputs, changed in one to five places. Without inputs, some bytes.
pub fn mutated(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus.get(random.below(corpus.len())).cloned().unwrap_or_default();
    for _ in 0..=random.below(5) {
        change(random, &mut bytes, corpus);
    }
    bytes.truncate(MAX_LENGTH);
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = random.place(bytes.len());
    match random.below(10) {
        0..3 => flip(random, bytes, at),
        3..6 => number(random, bytes, at),
        6 => bytes.truncate(random.below(bytes.len() + 1)),
        7 => splice(random, bytes, at, corpus),
        8 => repeat(random, bytes, at),
        _ => drop(bytes.drain(at..(at + 1 + random.below(40)).min(bytes.len()).max(at))),
    }
}

fn flip(random: &mut Random, bytes: &mut [u8], at: usize) {
    let bit = 1 << random.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = if random.below(3) == 0 { random.below(256) as u8 } else { *byte ^ bit };
    }
}

/// Writes an interesting number, in one, two or four bytes of either order.
fn number(random: &mut Random, bytes: &mut [u8], at: usize) {
    let number = INTERESTING[random.below(INTERESTING.len())];
    let number = if random.below(4) == 0 { number.wrapping_sub(random.below(3) as u32) } else { number };
    let width = [1, 2, 4][random.below(3)];
    let little = number.to_le_bytes();
    let mut written = little[..width].to_vec();
    if random.below(3) == 0 {
        written.reverse();
    }
    bytes.iter_mut().skip(at).zip(written).for_each(|(byte, new)| *byte = new);
}

/// Puts a piece of an input here, over what is there or before it.
fn splice(random: &mut Random, bytes: &mut Vec<u8>, at: usize, corpus: &[Vec<u8>]) {
    let Some(other) = corpus.get(random.below(corpus.len())) else { return };
    let from = random.place(other.len());
    let length = [8, 32, 512, 4096][random.below(4)].min(other.len() - from);
    let end = if random.below(2) == 0 { at } else { (at + length).min(bytes.len()) };
    bytes.splice(at..end, other[from..from + length].iter().copied());
}

/// Doubles a piece.
fn repeat(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let end = (at + 1 + random.below(64)).min(bytes.len()).max(at);
    let piece = bytes[at..end].to_vec();
    bytes.splice(at..at, piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_inputs() {
        let corpus = [b"a first input".to_vec(), vec![7; 3000]];
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut random = Random::new(seed);
            (0..50).map(|_| mutated(&mut random, &corpus)).collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(1).iter().filter(|input| !corpus.contains(input)).count() > 40);
    }

    #[test]
    fn empty_inputs_are_no_trouble() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            mutated(&mut random, &[]);
            mutated(&mut random, &[Vec::new(), vec![1]]);
        }
    }
}
