//! The first 32 bytes of a DBF file.
//!
//! ```text
//!   0 version | 1 year month day | 4 record count, 32 bits | 8 header length | 10 record length
//!  12 reserved | 14 transaction open | 15 encrypted | 16 reserved | 28 table flags | 29 language | 30 reserved
//! ```
//! Numbers are little-endian. [`Family`] is the meaning of the version byte; see `docs/formats/dbf.md`.

use crate::adt::{self, RecordLayout};
use mainstay_types::{Code, Date, Error, Result};

/// The length of the fixed part.
pub const FIXED_LENGTH: usize = 32;

/// The fixed part of a header, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version byte: the program's format, and the presence of a memo file.
    pub version: u8,
    /// When the file was last written, if that is a date. Years under 80 are taken for 2000 and later.
    pub updated: Option<Date>,
    /// The number of records that the header claims.
    pub record_count: u32,
    /// Where the first record begins.
    pub header_length: u32,
    /// Bytes in a record, the deletion flag included.
    pub record_length: u32,
    /// dBASE IV: a transaction was begun and not ended.
    pub transaction_open: bool,
    /// dBASE IV: the records are encrypted.
    pub encrypted: bool,
    /// There is a structural (production) index.
    pub has_structural_index: bool,
    /// Visual FoxPro: there is a memo file.
    pub has_memo: bool,
    /// Visual FoxPro: the file is a database container.
    pub is_database: bool,
    /// The form of the records.
    pub layout: RecordLayout,
    /// The language byte, see [`CodePage::from_language_byte`](crate::codepage::CodePage::from_language_byte).
    pub language: u8,
}

/// Programs whose files differ in more than the version byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// dBASE III to 5, FoxBASE, FoxPro 2, Clipper, Six, Harbour.
    Classic,
    /// dBASE 7: other descriptors, sortable numbers. (0x04 may be dBASE IV: the descriptors decide.)
    MaybeDbase7,
    /// Visual FoxPro: descriptors with flags that can be believed.
    VisualFoxPro,
    /// Encrypted as a whole by Six or Harbour.
    Encrypted,
    /// Advantage's own tables ([`crate::adt`]).
    Advantage,
    /// Not a version byte that any known program writes.
    Unknown,
}

impl Header {
    /// Reads the fixed part. Refuses what cannot be a DBF file at all: dBASE II, and fewer than 32 bytes.
    pub fn parse(bytes: &[u8]) -> Result<Header> {
        let Some(bytes) = bytes.first_chunk::<FIXED_LENGTH>() else {
            let message = format!("the file has {} bytes; the header of a DBF alone has 32", bytes.len());
            return Err(Error::new(Code::NotThisFormat, message));
        };
        if bytes[0] == 0x02 && !has_later_layout(bytes) {
            return Err(Error::new(Code::Unsupported, "a table of dBASE II (version byte 0x02)")
                .hint("convert it with a later dBASE or FoxPro"));
        }
        let year = i32::from(bytes[1]) + if bytes[1] < 80 { 2000 } else { 1900 };
        Ok(Header {
            version: bytes[0],
            updated: Date::from_ymd(year, u32::from(bytes[2]), u32::from(bytes[3])),
            record_count: u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
            header_length: u16::from_le_bytes([bytes[8], bytes[9]]).into(),
            record_length: u16::from_le_bytes([bytes[10], bytes[11]]).into(),
            transaction_open: bytes[14] == 1,
            encrypted: bytes[15] == 1,
            has_structural_index: bytes[28] & 1 != 0,
            has_memo: bytes[28] & 2 != 0,
            is_database: bytes[28] & 4 != 0,
            layout: RecordLayout::Dbf,
            language: bytes[29],
        })
    }

    /// The same of an ADT. Its version byte is the first of its signature.
    pub fn of_adt(header: &adt::Header) -> Header {
        Header {
            version: adt::VERSION_BYTE,
            updated: None,
            record_count: header.record_count,
            header_length: header.header_length,
            record_length: header.record_length,
            transaction_open: false,
            encrypted: false,
            has_structural_index: false,
            has_memo: header.flags & 1 != 0,
            is_database: false,
            layout: RecordLayout::Adt,
            language: 0,
        }
    }

    /// The bytes of a record.
    pub fn record_bytes(&self) -> usize {
        self.record_length as usize
    }

    /// The family of formats of the version byte.
    pub fn family(&self) -> Family {
        match self.version {
            _ if self.layout == RecordLayout::Adt => Family::Advantage,
            0x04 | 0x8C => Family::MaybeDbase7,
            0x30..=0x32 => Family::VisualFoxPro,
            0x06 | 0x86 | 0xE6 | 0xF6 => Family::Encrypted,
            0x02 | 0x03 | 0x05 | 0x07 | 0x43 | 0x63 | 0x7B | 0x83 | 0x87 | 0x8B | 0x8E | 0xCB | 0xE5 | 0xF5 | 0xFB => {
                Family::Classic
            }
            _ => Family::Unknown,
        }
    }

    /// The programs that write files of this version, in words.
    pub fn product(&self) -> &'static str {
        match self.version {
            _ if self.layout == RecordLayout::Adt => "Advantage",
            0x30..=0x32 => "Visual FoxPro",
            0xF5 | 0xFB => "FoxPro 2",
            0x8B | 0x43 | 0x63 | 0xCB | 0x7B | 0x8E => "dBASE IV",
            0x04 | 0x8C => "dBASE 7",
            0x05 => "dBASE V",
            0x02 => "FoxBASE",
            0xE5 | 0x87 | 0x07 => "Clipper (SMT memo)",
            _ => "dBASE III",
        }
    }

    /// The number of whole records in a file of this many bytes, whatever the header claims.
    pub fn records_in(&self, file_length: u64) -> u64 {
        let data = file_length.saturating_sub(u64::from(self.header_length));
        data.checked_div(u64::from(self.record_length)).unwrap_or(0)
    }
}

/// Returns true if a header that dBASE II may have written has the layout of dBASE III, as FoxBASE's and those of
/// Python's `dbf` have. In dBASE II the name of the first field begins at byte 8: the header would be longer than any
/// is, or its records empty.
fn has_later_layout(bytes: &[u8; FIXED_LENGTH]) -> bool {
    const MOST: usize = FIXED_LENGTH + 255 * 32 + 1 + 263;
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let record = u16::from_le_bytes([bytes[10], bytes[11]]);
    (FIXED_LENGTH + 33..=MOST).contains(&header) && record > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_part_is_read_byte_for_byte() {
        let mut bytes = [0; 32];
        bytes[..12].copy_from_slice(&[0xF5, 126, 11, 21, 12, 0, 0, 0, 2, 4, 0xE1, 1]);
        bytes[28] = 3;
        bytes[29] = 0x64;
        let header = Header::parse(&bytes).unwrap();
        assert_eq!((header.record_count, header.header_length, header.record_length), (12, 1026, 481));
        assert_eq!(header.updated, Date::from_ymd(2026, 11, 21));
        assert!(header.has_structural_index && header.has_memo && !header.is_database);
        assert_eq!(header.records_in(1026 + 481 * 3 + 5), 3);
        bytes[1] = 26; // as Visual FoxPro counts
        assert_eq!(Header::parse(&bytes).unwrap().updated, Date::from_ymd(2026, 11, 21));
        bytes[0] = 2;
        assert_eq!(Header::parse(&bytes).unwrap().family(), Family::Classic);
        for first_field in [*b"NAME", *b"A\0\0\0", *b"AB\0\0"] {
            // dBASE II: the count is of two bytes, and the first field follows the record's length at once.
            bytes[8..12].copy_from_slice(&first_field);
            assert_eq!(Header::parse(&bytes).unwrap_err().code(), Code::Unsupported);
        }
        assert_eq!(Header::parse(&bytes[..31]).unwrap_err().code(), Code::NotThisFormat);
    }
}
