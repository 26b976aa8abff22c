//! The masks of protocol bits, and how they change the bytes of messages.
//!
//! Each side offers a mask; what both have set is in force. Bit 0 is 0x80 of the first byte. Masks may differ in length: bits
//! that are missing are not set.

use crate::codeset::Codeset;

/// The longest mask that is read, in bytes.
const LONGEST_MASK: usize = 64;

/// A mask of protocol bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask(Vec<u8>);

impl Mask {
    /// The mask that servers of version 14.10 answer with: rows of DESCRIBE and counts of SQ_DONE stay narrow.
    pub const SERVER: [u8; 9] = [0xBD, 0xBE, 0x9F, 0xFE, 0x7F, 0xB7, 0xFF, 0xEF, 0xF8];
    /// The mask that IBM's JDBC driver 4.50 offers.
    pub const CLIENT: [u8; 8] = [0xFF, 0xFC, 0x7F, 0xFC, 0x3C, 0x8C, 0xAA, 0x97];

    /// A mask of these bytes; what is longer than any known mask is cut off.
    pub fn new(bytes: &[u8]) -> Mask {
        Mask(bytes.get(..LONGEST_MASK).unwrap_or(bytes).to_vec())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// True if a bit is set.
    pub fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 8).is_some_and(|byte| byte & (0x80 >> (bit % 8)) != 0)
    }

    /// The bits that both masks have set.
    pub fn and(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }
}

/// The protocol bits that change the form of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Bit 50: the index and the table of names in DESCRIBE have 4 bytes.
    pub wide_names: bool,
    /// Bit 62: the length of statements and the offset of errors have 4 bytes.
    pub wide_text: bool,
    /// Bit 63: the buffer size of fetches has 4 bytes.
    pub wide_fetch: bool,
    /// Bit 69: the size of rows in DESCRIBE has 4 bytes.
    pub wide_row_size: bool,
    /// Bit 70: counts of rows and row identifiers in DONE have 8 bytes.
    pub wide_counts: bool,
}

impl Features {
    /// Those of a mask that is in force.
    pub fn of(mask: &Mask) -> Features {
        Features {
            wide_names: mask.has(50),
            wide_text: mask.has(62),
            wide_fetch: mask.has(63),
            wide_row_size: mask.has(69),
            wide_counts: mask.has(70),
        }
    }
}

/// Everything that the form of a message depends on beside its tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The protocol bits in force.
    pub features: Features,
    /// The codeset of texts.
    pub codeset: Codeset,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_give_the_features_of_the_reference_page() {
        let both = Mask::new(&Mask::CLIENT).and(&Mask::new(&Mask::SERVER));
        let features = Features::of(&both);
        let wide = Features { wide_names: true, wide_text: true, wide_fetch: true, ..Features::default() };
        assert_eq!(features, wide);
        // JDBC 15 offers a ninth byte with 06, a server of version 15 answers with ff there: bits 69 and 70.
        let new = Mask::new(&[0xFF, 0xFC, 0x7F, 0xFC, 0x3C, 0x8C, 0xAA, 0x97, 0x06]);
        let server = Mask::new(&[0xBD, 0xBE, 0x9F, 0xFE, 0x7F, 0xB7, 0xFF, 0xEF, 0xFF]);
        assert_eq!(Features::of(&new.and(&server)), Features { wide_row_size: true, wide_counts: true, ..wide });
        assert!(!Mask::new(&[0xFF]).has(8) && Mask::new(&[0x80]).has(0) && !Mask::new(&[0x80]).has(1));
    }
}
