//! Bytes of messages, appended to a buffer.

use crate::codeset::Codeset;

/// Appends integers and texts in the protocol's form.
pub(crate) trait Put {
    fn put_u8(&mut self, value: u8);
    fn put_u16(&mut self, value: u16);
    fn put_i16(&mut self, value: i16);
    fn put_u32(&mut self, value: u32);
    fn put_i32(&mut self, value: i32);
    fn put_i64(&mut self, value: i64);
    /// A length of 4 bytes, or of 2 where the protocol bit is not agreed on; what does not fit is the largest.
    fn put_length(&mut self, length: usize, is_wide: bool);
    /// The byte that makes a count of bytes even.
    fn put_pad(&mut self, count: usize);
    /// `[h length][bytes][pad]`; at most 65,535 bytes are written.
    fn put_counted(&mut self, bytes: &[u8]);
    /// The same of a text.
    fn put_text(&mut self, text: &str, codeset: Codeset);
    /// `[h length + 1][bytes][00]` of the login.
    fn put_terminated(&mut self, text: &str);
    /// Bytes, and zeros up to a length.
    fn put_filled(&mut self, bytes: &[u8], length: usize);
}

impl Put for Vec<u8> {
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i16(&mut self, value: i16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i32(&mut self, value: i32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i64(&mut self, value: i64) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_length(&mut self, length: usize, is_wide: bool) {
        match is_wide {
            true => self.put_u32(u32::try_from(length).unwrap_or(u32::MAX)),
            false => self.put_u16(u16::try_from(length).unwrap_or(u16::MAX)),
        }
    }

    fn put_pad(&mut self, count: usize) {
        if count % 2 == 1 {
            self.push(0);
        }
    }

    fn put_counted(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(..usize::from(u16::MAX)).unwrap_or(bytes);
        self.put_length(bytes.len(), false);
        self.extend_from_slice(bytes);
        self.put_pad(bytes.len());
    }

    fn put_text(&mut self, text: &str, codeset: Codeset) {
        let mut bytes = Vec::with_capacity(text.len());
        codeset.encode_cut(text, usize::from(u16::MAX), &mut bytes);
        self.put_counted(&bytes);
    }

    fn put_terminated(&mut self, text: &str) {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        Codeset::Latin1.encode_cut(text, usize::from(u16::MAX) - 1, &mut bytes);
        bytes.push(0);
        self.put_length(bytes.len(), false);
        self.extend_from_slice(&bytes);
    }

    fn put_filled(&mut self, bytes: &[u8], length: usize) {
        let bytes = bytes.get(..length).unwrap_or(bytes);
        self.extend_from_slice(bytes);
        self.resize(self.len() + length - bytes.len(), 0);
    }
}
