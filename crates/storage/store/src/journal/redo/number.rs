//! Varints, and a cursor over bytes to read from.
//!
//! A varint is the number's bits in groups of seven, the lowest first; the highest bit of a byte says that another
//! one follows (LEB128). Signed numbers are folded first, so that small ones of either sign stay short: 0, -1, 1,
//! -2, 2 become 0, 1, 2, 3, 4 (zigzag).

use mainstay_types::{Code, Error, Result};

/// Appends an unsigned number: 1 byte below 128, at most 10.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends a signed number of up to 128 bits.
pub(crate) fn put_wide(out: &mut Vec<u8>, number: i128) {
    let mut folded = ((number << 1) ^ (number >> 127)) as u128;
    while folded >= 0x80 {
        out.push(folded as u8 | 0x80);
        folded >>= 7;
    }
    out.push(folded as u8);
}

/// A place in bytes that are not trusted. Every read moves on, or says that the bytes are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: bytes }
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or_else(too_short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(too_short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.rest.split_first().ok_or_else(too_short)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number has more than 64 bits"))
    }

    pub(crate) fn signed(&mut self) -> Result<i64> {
        let folded = self.varint()?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    pub(crate) fn wide(&mut self) -> Result<i128> {
        let mut folded = 0u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7F);
            if shift == 126 && bits > 3 {
                break;
            }
            folded |= bits << shift;
            if byte < 0x80 {
                return Ok((folded >> 1) as i128 ^ -((folded & 1) as i128));
            }
        }
        Err(damaged("a number has more than 128 bits"))
    }

    /// A count of things that take at least `each` bytes of what is left: so it may be allocated for.
    pub(crate) fn count(&mut self, each: usize) -> Result<usize> {
        let count = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        match count.checked_mul(each) {
            Some(bytes) if bytes <= self.left() => Ok(count),
            _ => Err(damaged("a count is larger than what follows it")),
        }
    }

    /// Bytes with their length in front.
    pub(crate) fn sized(&mut self) -> Result<&'a [u8]> {
        let len = self.count(1)?;
        self.take(len)
    }

    /// Text with its length in front.
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.sized()?).map_err(|_| damaged("a text is not UTF-8"))
    }
}

/// Appends bytes with their length in front.
pub(crate) fn put_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(crate) fn damaged(message: &str) -> Error {
    Error::new(Code::Damaged, message)
}

fn too_short() -> Error {
    damaged("the bytes end too early")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let wide = [0, 1, -1, 63, -64, 64, i128::MAX, i128::MIN, 1 << 100];
        let signed = [0, 1, -1, 63, 64, -65, i64::MAX, i64::MIN];
        let unsigned = [0, 127, 128, 1 << 35, u64::MAX];
        let mut bytes = Vec::new();
        unsigned.iter().for_each(|n| put_varint(&mut bytes, *n));
        signed.iter().for_each(|n| put_signed(&mut bytes, *n));
        wide.iter().for_each(|n| put_wide(&mut bytes, *n));
        let mut cursor = Cursor::new(&bytes);
        assert!(unsigned.iter().all(|n| cursor.varint().unwrap() == *n));
        assert!(signed.iter().all(|n| cursor.signed().unwrap() == *n));
        assert!(wide.iter().all(|n| cursor.wide().unwrap() == *n));
        assert!(cursor.is_empty());
        assert_eq!(cursor.byte().unwrap_err().code(), Code::Damaged);
    }

    #[test]
    fn numbers_without_an_end_and_counts_beyond_the_bytes_are_refused() {
        assert!(Cursor::new(&[0xFF; 30]).varint().is_err());
        assert!(Cursor::new(&[0xFF; 30]).wide().is_err());
        let mut bytes = Vec::new();
        put_varint(&mut bytes, u64::MAX);
        assert!(Cursor::new(&bytes).count(1).is_err());
        assert!(Cursor::new(&bytes).sized().is_err());
        assert!(Cursor::new(&[3, 1, 2, 3]).count(2).is_err());
    }
}
