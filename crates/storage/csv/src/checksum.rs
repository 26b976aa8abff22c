//! A fast checksum that distinguishes two states of a byte range.
//!
//! The scan computes it for every row group; a later read of the group computes it again, so a file that
//! was changed in place is noticed even when its time stamps do not show it. It guards against accident,
//! not against malice: four lanes of multiply and rotate, folded to 64 bits. Nothing is stored, so the
//! algorithm may change at any time.
//!
//! The bytes may arrive in pieces of any size; the result depends only on their sequence.

const BLOCK: usize = 32;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// The checksum of the bytes seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Checksum {
    lanes: [u64; 4],
    rest: [u8; BLOCK],
    rest_len: usize,
    total: u64,
}

impl Checksum {
    pub(crate) fn new() -> Checksum {
        Checksum { lanes: [1, 2, 3, 4], rest: [0; BLOCK], rest_len: 0, total: 0 }
    }

    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut sum = Checksum::new();
        sum.update(bytes);
        sum.finish()
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        self.total = self.total.wrapping_add(bytes.len() as u64);
        if self.rest_len > 0 {
            let taken = bytes.len().min(BLOCK - self.rest_len);
            self.rest[self.rest_len..self.rest_len + taken].copy_from_slice(&bytes[..taken]);
            self.rest_len += taken;
            bytes = &bytes[taken..];
            if self.rest_len < BLOCK {
                return;
            }
            let block = self.rest;
            self.mix(&block);
        }
        let mut blocks = bytes.chunks_exact(BLOCK);
        for block in &mut blocks {
            self.mix(block);
        }
        let rest = blocks.remainder();
        self.rest[..rest.len()].copy_from_slice(rest);
        self.rest_len = rest.len();
    }

    #[inline(always)]
    fn mix(&mut self, block: &[u8]) {
        for (lane, word) in self.lanes.iter_mut().zip(block.chunks_exact(8)) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            *lane = (lane.rotate_left(27) ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR);
        }
    }

    pub(crate) fn finish(mut self) -> u64 {
        let mut block = [0; BLOCK];
        block[..self.rest_len].copy_from_slice(&self.rest[..self.rest_len]);
        self.mix(&block);
        let fold = |sum: u64, lane: &u64| (sum.rotate_left(31) ^ lane ^ (lane >> 29)).wrapping_mul(FACTOR);
        self.lanes.iter().fold(self.total, fold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter_and_every_byte_does() {
        let bytes: Vec<u8> = (0..200u8).collect();
        let whole = Checksum::of(&bytes);
        for cut in 0..bytes.len() {
            let mut sum = Checksum::new();
            sum.update(&bytes[..cut]);
            sum.update(&bytes[cut..]);
            assert_eq!(sum.finish(), whole);
            let mut changed = bytes.clone();
            changed[cut] ^= 1;
            assert_ne!(Checksum::of(&changed), whole);
            assert_ne!(Checksum::of(&bytes[..cut]), whole);
        }
    }
}
