//! Reading numbers and texts from bytes that may end anywhere.

use crate::error::{Wire, WireError};

/// A place in bytes. Every method moves it on, or fails and says why; nothing is read beyond the end.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub fn position(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub fn is_at_end(&self) -> bool {
        self.remaining() == 0
    }

    pub fn bytes(&mut self, count: usize) -> Wire<&'a [u8]> {
        let end = self.at.checked_add(count).ok_or(WireError::Incomplete)?;
        let bytes = self.bytes.get(self.at..end).ok_or(WireError::Incomplete)?;
        self.at = end;
        Ok(bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Wire<[u8; N]> {
        let bytes = self.bytes(N)?;
        bytes.try_into().map_err(|_| WireError::Incomplete)
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn u8(&mut self) -> Wire<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u16(&mut self) -> Wire<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u16_big_endian(&mut self) -> Wire<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Wire<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Wire<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Wire<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// So many UTF-16 units, as text.
    pub fn utf16(&mut self, units: usize) -> Wire<String> {
        let bytes = self.bytes(units.checked_mul(2).ok_or(WireError::Incomplete)?)?;
        Ok(utf16_text(bytes))
    }

    /// A text after its length in units, of one byte (B_VARCHAR).
    pub fn short_text(&mut self) -> Wire<String> {
        let units = self.u8()?;
        self.utf16(usize::from(units))
    }

    /// A text after its length in units, of two bytes (US_VARCHAR).
    pub fn long_text(&mut self) -> Wire<String> {
        let units = self.u16()?;
        self.utf16(usize::from(units))
    }
}

/// UTF-16, low byte first, as text. Halves of a pair that stand alone become U+FFFD; an odd byte at the end is left out.
pub(crate) fn utf16_text(bytes: &[u8]) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    if pairs.iter().all(|[low, high]| *high == 0 && low.is_ascii()) {
        return pairs.iter().map(|[low, _]| char::from(*low)).collect();
    }
    char::decode_utf16(pairs.iter().map(|pair| u16::from_le_bytes(*pair)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_stops_at_the_end() {
        let mut reader = Reader::new(&[1, 2, 0, 3]);
        assert_eq!((reader.u8(), reader.u16()), (Ok(1), Ok(2)));
        assert_eq!((reader.u16(), reader.remaining()), (Err(WireError::Incomplete), 1));
        assert_eq!(reader.bytes(usize::MAX), Err(WireError::Incomplete));
        assert_eq!((reader.u8(), reader.is_at_end()), (Ok(3), true));
    }

    #[test]
    fn texts_are_utf16() {
        let mut reader = Reader::new(&[2, b'a', 0, 0xE9, 0, 2, 0, 0x3D, 0xD8, 0x00, 0xDE]);
        assert_eq!((reader.short_text(), reader.long_text()), (Ok("aé".into()), Ok("😀".into())));
        assert_eq!(utf16_text(&[0x3D, 0xD8, b'x', 0, 1]), "\u{FFFD}x");
        assert_eq!(Reader::new(&[3, 0, b'a', 0]).long_text(), Err(WireError::Incomplete));
    }
}
