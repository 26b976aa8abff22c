//! The first 400 bytes of an ADT.
//!
//! ```text
//!    0 signature, 16 | 24 records | 32 header length | 36 record length | 40 first reusable record | 48 reusable records
//!   80 next AutoIncrement, 64 bits | 88 flags | 92 dictionary, 260 | 356 version | 358 fields | 360 last RowVersion, 64 bits
//! ```
//! Numbers are little-endian, of 32 bits unless stated otherwise; version and number of fields have 16.

use mainstay_types::{Code, Error, Result};

/// The first bytes of every table.
pub const SIGNATURE: &[u8; 16] = b"Advantage Table\0";

/// The first byte, which stands in for the version byte of a DBF.
pub const VERSION_BYTE: u8 = SIGNATURE[0];

/// Bytes before the first descriptor.
pub const FIXED_LENGTH: usize = 400;

/// Bytes of a descriptor.
pub const FIELD_LENGTH: usize = 200;

/// The place of the first field in a record: behind flags and link.
pub const FIRST_FIELD_AT: usize = 5;

/// The place of the next AutoIncrement value, of 8 bytes.
pub const AUTO_INCREMENT_AT: u64 = 80;

/// The place of the last RowVersion given out, of 8 bytes.
pub const ROW_VERSION_AT: u64 = 360;

/// The only format version that is known.
const VERSION: u16 = 4;

/// The fixed part of the header, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of records, deleted ones included.
    pub record_count: u32,
    /// The place of the first record.
    pub header_length: u32,
    /// Bytes in a record, flags and link included.
    pub record_length: u32,
    /// The first record of the list of reusable ones; 0 for an empty list.
    pub first_reusable: u32,
    /// The length of that list.
    pub reusable: u32,
    /// The next value of an AutoIncrement field.
    pub next_auto_increment: u64,
    /// 0x01 memo fields, 0x02 AutoIncrement, 0x20 RowVersion, 0x40 ModTime, 0x10 written by newer servers.
    pub flags: u16,
    /// The path of the data dictionary that the table is bound to; empty for a free table.
    pub dictionary: Vec<u8>,
    /// The number of fields.
    pub field_count: u16,
    /// The last RowVersion given out.
    pub row_version: u64,
}

/// Tells whether a file that begins with these bytes is an ADT.
pub fn is_signature(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

impl Header {
    /// Reads the fixed part, of which `bytes` has 400 or more.
    ///
    /// Errors: `NotThisFormat`, `Damaged`; `Encrypted` for versions other than 4, which tables with AES encryption have.
    pub fn parse(bytes: &[u8]) -> Result<Header> {
        if !is_signature(bytes) {
            return Err(Error::new(Code::NotThisFormat, "the file does not begin with 'Advantage Table'"));
        }
        if bytes.len() < FIXED_LENGTH {
            let message = format!("the file has {} bytes; the header of an ADT alone has {FIXED_LENGTH}", bytes.len());
            return Err(Error::new(Code::Damaged, message));
        }
        let version = half(bytes, 356);
        // Some third-party writers fill in neither the version nor the number of fields.
        let is_bare = version == 0 && half(bytes, 358) == 0;
        if version != VERSION && !is_bare {
            let message = format!("an ADT of format version {version}; only version {VERSION} is known");
            return Err(Error::new(Code::Encrypted, message)
                .hint("tables with AES encryption have another version: decrypt it with the program that made it"));
        }
        let dictionary = &bytes[92..352];
        let end = memchr::memchr(0, dictionary).unwrap_or(dictionary.len());
        let header = Header {
            record_count: word(bytes, 24),
            header_length: word(bytes, 32),
            record_length: word(bytes, 36),
            first_reusable: word(bytes, 40),
            reusable: word(bytes, 48),
            next_auto_increment: long(bytes, 80),
            flags: half(bytes, 88),
            dictionary: dictionary[..end].to_vec(),
            field_count: if is_bare { fields_of_length(word(bytes, 32)) } else { half(bytes, 358) },
            row_version: long(bytes, 360),
        };
        header.check()
    }

    fn check(self) -> Result<Header> {
        let length = FIXED_LENGTH as u64 + u64::from(self.field_count) * FIELD_LENGTH as u64;
        if u64::from(self.header_length) != length {
            let message = format!(
                "the header says that it has {} bytes; with {} fields it has {length}",
                self.header_length, self.field_count
            );
            return Err(Error::new(Code::Damaged, message));
        }
        if (self.record_length as usize) < FIRST_FIELD_AT || self.record_length > MOST_RECORD_BYTES {
            let message = format!("the header says that a record has {} bytes", self.record_length);
            return Err(Error::new(Code::Damaged, message));
        }
        Ok(self)
    }
}

/// The fields whose descriptors make a header of this length.
fn fields_of_length(header_length: u32) -> u16 {
    let descriptors = (header_length as usize).saturating_sub(FIXED_LENGTH) / FIELD_LENGTH;
    u16::try_from(descriptors).unwrap_or(0)
}

/// More than the 65,535 bytes that the vendor documents as the longest record; bounds what is allocated for a broken file.
const MOST_RECORD_BYTES: u32 = 1 << 20;

pub(super) fn half(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, u16::from_le_bytes)
}

pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}
