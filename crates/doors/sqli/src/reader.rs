//! Bytes of a message, read in order.

use crate::codeset::Codeset;
use crate::error::WireError;

/// The result of decoding from the start of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded<T> {
    /// A message, and its bytes.
    Message(T, usize),
    /// The buffer ends inside a message.
    Incomplete,
}

/// Reasons for which nothing could be read.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The bytes ended.
    Incomplete,
    /// They are wrong.
    Wire(WireError),
}

impl From<WireError> for Stop {
    fn from(error: WireError) -> Stop {
        Stop::Wire(error)
    }
}

/// The result of reading a part of a message.
pub(crate) type Read<T> = Result<T, Stop>;

/// A position in bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Bytes that were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(count).ok_or(Stop::Incomplete)?;
        let taken = self.bytes.get(self.at..end).ok_or(Stop::Incomplete)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Stop::Incomplete)
    }

    pub fn u8(&mut self) -> Read<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u16(&mut self) -> Read<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn i16(&mut self) -> Read<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Read<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn i32(&mut self) -> Read<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub fn i64(&mut self) -> Read<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// A length of 4 bytes, or of 2 where the protocol bit is not agreed on.
    pub fn length(&mut self, is_wide: bool) -> Read<usize> {
        match is_wide {
            true => self.u32().map(|length| length as usize),
            false => self.u16().map(usize::from),
        }
    }

    /// Skips the byte that makes a count of bytes even.
    pub fn pad(&mut self, count: usize) -> Read<()> {
        if count % 2 == 1 { self.take(1).map(drop) } else { Ok(()) }
    }

    /// `[h length][bytes][pad]`.
    pub fn counted(&mut self) -> Read<&'a [u8]> {
        let count = usize::from(self.u16()?);
        let taken = self.take(count)?;
        self.pad(count)?;
        Ok(taken)
    }

    /// The same as a text.
    pub fn text(&mut self, codeset: Codeset) -> Read<String> {
        let bytes = self.counted()?;
        Ok(codeset.decode(bytes)?)
    }

    /// `[h length + 1][bytes][00]` of the login; length 0 is no text.
    pub fn terminated(&mut self) -> Read<String> {
        let count = usize::from(self.u16()?);
        let taken = self.take(count)?;
        let text = taken.strip_suffix(&[0]).unwrap_or(taken);
        Ok(Codeset::Latin1.decode(text)?)
    }
}

/// Turns the result of reading a message into that of decoding.
pub(crate) fn decoded<T>(reader: &Reader<'_>, read: Read<T>) -> Result<Decoded<T>, WireError> {
    match read {
        Ok(message) => Ok(Decoded::Message(message, reader.position())),
        Err(Stop::Incomplete) => Ok(Decoded::Incomplete),
        Err(Stop::Wire(error)) => Err(error),
    }
}

/// The result of reading from bytes that are complete: that they end too early is an error.
pub(crate) fn whole<T>(read: Read<T>) -> Result<T, WireError> {
    match read {
        Ok(value) => Ok(value),
        Err(Stop::Incomplete) => Err(WireError::Malformed("a value is longer than its message")),
        Err(Stop::Wire(error)) => Err(error),
    }
}
