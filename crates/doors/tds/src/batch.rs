//! Batches of statements as text, and the headers before requests from version 7.2 on. (MS-TDS 2.2.5.3, 2.2.6.7.)

use crate::error::{Wire, WireError};
use crate::reader::{Reader, utf16_text};
use crate::version::Version;

/// Headers are no longer than this: the longest is the text of a query notification.
const LONGEST_HEADERS: u32 = 64 * 1024;

/// The headers of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The transaction that the client believes to be in; 0 for none.
    pub transaction: u64,
}

impl Headers {
    /// Reads the headers, which are there from version 7.2 on.
    pub(crate) fn read(reader: &mut Reader<'_>, version: Version) -> Wire<Headers> {
        let mut headers = Headers::default();
        if version < Version::V7_2 {
            return Ok(headers);
        }
        let total = reader.u32()?;
        if !(4..=LONGEST_HEADERS).contains(&total) {
            return Err(WireError::Malformed("headers of an impossible length"));
        }
        let mut all = Reader::new(reader.bytes(total as usize - 4)?);
        while !all.is_at_end() {
            let length = all.u32()?;
            let length = length.checked_sub(4).ok_or(WireError::Malformed("a header of an impossible length"))?;
            let mut header = Reader::new(all.bytes(length as usize)?);
            if header.u16()? == 2 {
                headers.transaction = header.u64()?;
            }
        }
        Ok(headers)
    }

    /// Appends them as a client writes them.
    pub(crate) fn write(self, version: Version, out: &mut Vec<u8>) {
        if version >= Version::V7_2 {
            out.extend_from_slice(&[22, 0, 0, 0, 18, 0, 0, 0, 2, 0]);
            out.extend_from_slice(&self.transaction.to_le_bytes());
            out.extend_from_slice(&1u32.to_le_bytes());
        }
    }
}

/// Statements as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The headers before it.
    pub headers: Headers,
    /// The text.
    pub text: String,
}

impl Batch {
    /// Reads one.
    pub fn decode(message: &[u8], version: Version) -> Wire<Batch> {
        let mut reader = Reader::new(message);
        let headers = Headers::read(&mut reader, version)?;
        let text = reader.bytes(reader.remaining())?;
        if !text.len().is_multiple_of(2) {
            return Err(WireError::Malformed("half a character"));
        }
        Ok(Batch { headers, text: utf16_text(text) })
    }

    /// Appends it as a client writes it.
    pub fn encode(&self, version: Version, out: &mut Vec<u8>) {
        self.headers.write(version, out);
        out.extend(self.text.encode_utf16().flat_map(u16::to_le_bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_of_old_and_new_versions() {
        for version in [Version::V7_1, Version::V7_2, Version::V7_4] {
            let transaction = if version == Version::V7_1 { 0 } else { 0x1122_3344_5566_7788 };
            let batch = Batch { headers: Headers { transaction }, text: "SELECT 'å😀'".into() };
            let mut out = Vec::new();
            batch.encode(version, &mut out);
            assert_eq!(Batch::decode(&out, version), Ok(batch));
        }
        assert_eq!(Batch::decode(&[b'a', 0], Version::V7_1).map(|batch| batch.text), Ok("a".into()));
    }

    #[test]
    fn headers_of_impossible_lengths_are_refused() {
        for bytes in [&[3, 0, 0, 0][..], &[0xFF; 8], &[8, 0, 0, 0, 3, 0, 0, 0], &[8, 0, 0, 0, 9, 0, 0, 0], &[9]] {
            assert!(Batch::decode(bytes, Version::V7_4).is_err(), "{bytes:?}");
        }
        assert!(Batch::decode(&[4, 0, 0, 0, b'a'], Version::V7_4).is_err());
    }
}
