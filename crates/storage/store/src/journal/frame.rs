//! The bytes of a journal: its header and its frames. A codec without I/O.
//!
//! ```text
//!   file    header (64 bytes)   frame   frame   frame ...   zeros (room made in advance) or the end
//!
//!   frame    0  4  length of the payload; 0 for a mark, which carries nothing but its `durable_up_to`
//!            4  4  crc32c of: the payload, bytes 0 to 4 and 8 to 24 of this frame, the salt of the header
//!            8  8  sequence: one more than that of the frame before
//!           16  8  durable_up_to: every byte of this file before this offset had been synced when this was made
//!           24     payload
//! ```
//!
//! All numbers are little-endian. `docs/formats/journal.md` is the page for other readers.
//!
//! **The salt** is a random number of the file and goes into every checksum, so that blocks of an older journal,
//! which a file system may expose behind the end of a file after a crash, are never taken for frames of this
//! one. **The sequence** continues from one file to the next, so a missing file is noticed.
//!
//! **Limits.** A payload has at most [`MAX_PAYLOAD`] bytes: 2 GiB.

use super::checksum::{continued, crc32c};
use mainstay_types::{Code, Error, Result};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Bytes of the header of the file, and the offset of its first frame.
pub const FILE_HEADER: usize = 64;

/// Bytes of a frame in front of its payload.
pub const FRAME_HEADER: usize = 24;

/// The most bytes a payload may have.
pub const MAX_PAYLOAD: usize = 1 << 31;

/// The first bytes of every journal.
const MAGIC: [u8; 8] = *b"MSJOURNL";

/// The version of the format that is written here.
const VERSION: u32 = 1;

/// The header of a journal, its first 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalHeader {
    /// The number of the file, as in its name.
    pub number: u64,
    /// The sequence of its first frame.
    pub first_sequence: u64,
    /// A random number; see the module's text.
    pub salt: u64,
}

impl JournalHeader {
    /// The bytes of the file's header.
    pub fn encode(&self) -> [u8; FILE_HEADER] {
        let mut bytes = [0; FILE_HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.salt.to_le_bytes());
        let checksum = header_checksum(&bytes);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the file's header.
    ///
    /// # Errors
    /// `NotThisFormat` for a file that does not begin like a journal, `Unsupported` for one of a later version,
    /// `Damaged` for one whose checksum is wrong.
    pub fn decode(bytes: &[u8]) -> Result<JournalHeader> {
        let Some(bytes) = bytes.first_chunk::<FILE_HEADER>() else {
            return Err(Error::new(
                Code::Damaged,
                format!("the journal has {} bytes, less than a header", bytes.len()),
            ));
        };
        if bytes[..8] != MAGIC {
            return Err(Error::new(Code::NotThisFormat, "the file does not begin like a journal"));
        }
        if u32_at(bytes, 12) != header_checksum(bytes) {
            return Err(Error::new(Code::Damaged, "the checksum of the journal's header is wrong"));
        }
        if u32_at(bytes, 8) != VERSION {
            let message = format!("the journal has version {}, and this program knows {VERSION}", u32_at(bytes, 8));
            return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
        }
        Ok(JournalHeader { number: u64_at(bytes, 16), first_sequence: u64_at(bytes, 24), salt: u64_at(bytes, 32) })
    }
}

fn header_checksum(bytes: &[u8; FILE_HEADER]) -> u32 {
    continued(crc32c(&bytes[..12]), &bytes[16..])
}

/// The first 24 bytes of a frame, as they stand there: nothing is believed before [`FrameHeader::fits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// Bytes of the payload.
    pub length: u32,
    /// The checksum that is written there.
    pub checksum: u32,
    /// The number of the frame.
    pub sequence: u64,
    /// Every byte of the file before this one had been synced when the frame was made.
    pub durable_up_to: u64,
}

impl FrameHeader {
    /// Reads the header of a frame, or `None` when there are too few bytes.
    pub fn decode(bytes: &[u8]) -> Option<FrameHeader> {
        let bytes = bytes.first_chunk::<FRAME_HEADER>()?;
        Some(FrameHeader {
            length: u32_at(bytes, 0),
            checksum: u32_at(bytes, 4),
            sequence: u64_at(bytes, 8),
            durable_up_to: u64_at(bytes, 16),
        })
    }

    /// Bytes of the whole frame.
    pub fn frame_bytes(&self) -> u64 {
        FRAME_HEADER as u64 + u64::from(self.length)
    }

    /// Returns true if the checksum is the one of this header with this payload.
    pub fn fits(&self, payload: &[u8], salt: u64) -> bool {
        payload.len() as u64 == u64::from(self.length) && self.fits_checksum(crc32c(payload), salt)
    }

    /// The same for a payload of this checksum.
    pub fn fits_checksum(&self, payload_checksum: u32, salt: u64) -> bool {
        self.expected(payload_checksum, salt) == self.checksum
    }

    /// Sets the checksum for a payload of this one.
    pub(super) fn seal(&mut self, payload_checksum: u32, salt: u64) {
        self.checksum = self.expected(payload_checksum, salt);
    }

    /// The bytes of the header.
    pub(super) fn encode(&self) -> [u8; FRAME_HEADER] {
        let mut bytes = [0; FRAME_HEADER];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..].copy_from_slice(&self.durable_up_to.to_le_bytes());
        bytes
    }

    fn expected(&self, payload_checksum: u32, salt: u64) -> u32 {
        let mut rest = [0; 28];
        rest[..4].copy_from_slice(&self.length.to_le_bytes());
        rest[4..12].copy_from_slice(&self.sequence.to_le_bytes());
        rest[12..20].copy_from_slice(&self.durable_up_to.to_le_bytes());
        rest[20..].copy_from_slice(&salt.to_le_bytes());
        continued(payload_checksum, &rest)
    }
}

/// A number for [`JournalHeader::salt`], from the operating system's randomness by way of the standard library.
pub fn random_salt() -> u64 {
    RandomState::new().hash_one(0)
}

/// Refuses a payload of so many bytes if no frame can hold it.
///
/// # Errors
/// `Unsupported` beyond [`MAX_PAYLOAD`].
pub fn check_payload(bytes: u64) -> Result<()> {
    if bytes <= MAX_PAYLOAD as u64 {
        return Ok(());
    }
    let message = format!("a transaction of {bytes} bytes is too large for the journal, which takes 2 GiB");
    Err(Error::new(Code::Unsupported, message).hint("commit more often"))
}

/// Appends a frame to `out`. `payload_checksum` is the [`crc32c()`] of the payload alone, so that it can be worked
/// out before the lock under which the sequence is known.
pub fn encode_frame(
    out: &mut Vec<u8>,
    payload: &[u8],
    payload_checksum: u32,
    sequence: u64,
    durable_up_to: u64,
    salt: u64,
) {
    let mut header = FrameHeader { length: payload.len() as u32, checksum: 0, sequence, durable_up_to };
    header.seal(payload_checksum, salt);
    out.reserve(FRAME_HEADER + payload.len());
    out.extend_from_slice(&header.encode());
    out.extend_from_slice(payload);
}

/// A little-endian number at a fixed place; 0 beyond the end, which no caller asks for.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |four| u32::from_le_bytes(*four))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_no_bit_of_it_may_change() {
        let header = JournalHeader { number: 7, first_sequence: 1 << 40, salt: 0xDEAD_BEEF_0123_4567 };
        let bytes = header.encode();
        assert_eq!(JournalHeader::decode(&bytes).unwrap(), header);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(JournalHeader::decode(&damaged).is_err(), "bit {bit}");
        }
        assert!((0..FILE_HEADER).all(|len| JournalHeader::decode(&bytes[..len]).is_err()));
    }

    #[test]
    fn a_frame_fits_with_its_own_bytes_only() {
        let mut bytes = Vec::new();
        encode_frame(&mut bytes, b"payload", crc32c(b"payload"), 9, 64, 5);
        let header = FrameHeader::decode(&bytes).unwrap();
        assert_eq!((header.length, header.sequence, header.durable_up_to), (7, 9, 64));
        assert!(header.fits(&bytes[FRAME_HEADER..], 5));
        assert!(!header.fits(&bytes[FRAME_HEADER..], 6), "another journal's frame");
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let header = FrameHeader::decode(&damaged).unwrap();
            assert!(!header.fits(&damaged[FRAME_HEADER..], 5), "bit {bit}");
        }
        assert_eq!(FrameHeader::decode(&bytes[..FRAME_HEADER - 1]), None);
    }
}
