//! A part of a journal's file in memory, which follows the place that is read.
//!
//! A small frame is in memory as a whole when it is found. A large one is verified a part at a time, and its payload stays in the
//! file ([`super::Operations`]).

use super::checksum::continued;
use super::frame::{FRAME_HEADER, FrameHeader};
use super::payload::LARGE_BYTES;
use mainstay_types::{Error, Result};
use mainstay_vfs::File;
use std::sync::Arc;

/// Bytes of a journal that are read at once where a frame does not need more.
const WINDOW: u64 = 256 << 10;

/// A block of preallocated space.
static PAGE: [u8; 4096] = [0; 4096];

/// Returns true for a frame of so many bytes whose payload stays in the file.
pub(super) fn stays_in_file(frame_bytes: u64) -> bool {
    frame_bytes > LARGE_BYTES
}

/// A stretch of the file in memory.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) file: Arc<dyn File>,
    pub(super) length: u64,
    start: u64,
    held: Vec<u8>,
    /// Bytes that are read at once where no more are asked for.
    ahead: u64,
}

impl Window {
    /// A window of this file, in which nothing is in memory yet.
    pub(super) fn new(file: Arc<dyn File>) -> Result<Window> {
        let length = file.stamp()?.len;
        Ok(Window { file, length, start: 0, held: Vec::new(), ahead: WINDOW })
    }

    /// A window of the same file that reads so many bytes at once.
    pub(super) fn with_ahead(&self, ahead: u64) -> Window {
        Window { file: Arc::clone(&self.file), length: self.length, start: 0, held: Vec::new(), ahead }
    }

    /// An error with the path of the file as its place.
    pub(super) fn place(&self, error: Error) -> Error {
        error.at(self.file.path().display())
    }

    /// These bytes, which must be inside the file: so no more memory is taken than the file has bytes.
    pub(super) fn bytes(&mut self, offset: u64, len: u64) -> Result<&[u8]> {
        let held_end = self.start + self.held.len() as u64;
        if offset < self.start || offset.saturating_add(len) > held_end {
            let wanted = len.max(self.ahead).min(self.length.saturating_sub(offset)).max(len);
            self.held.resize(usize::try_from(wanted).unwrap_or(usize::MAX), 0);
            self.start = offset;
            if let Err(error) = self.file.read_exact_at(&mut self.held, offset) {
                self.held.clear();
                return Err(error);
            }
        }
        let at = (offset - self.start) as usize;
        Ok(self.held.get(at..at + len as usize).unwrap_or_default())
    }

    /// The frame header at an offset; `None` if the end of the file is too near.
    pub(super) fn header(&mut self, offset: u64) -> Result<Option<FrameHeader>> {
        if self.length.saturating_sub(offset) < FRAME_HEADER as u64 {
            return Ok(None);
        }
        Ok(FrameHeader::decode(self.bytes(offset, FRAME_HEADER as u64)?))
    }

    /// The same beside what is in memory, which stays there.
    pub(super) fn peek(&self, offset: u64) -> Result<Option<FrameHeader>> {
        if self.length.saturating_sub(offset) < FRAME_HEADER as u64 {
            return Ok(None);
        }
        let mut bytes = [0; FRAME_HEADER];
        self.file.read_exact_at(&mut bytes, offset)?;
        Ok(FrameHeader::decode(&bytes))
    }

    /// The frame at this offset, if it is whole and as wanted.
    pub(super) fn frame(
        &mut self,
        offset: u64,
        salt: u64,
        wanted: impl Fn(&FrameHeader) -> bool,
    ) -> Result<Option<FrameHeader>> {
        let Some(header) = self.header(offset)?.filter(wanted) else { return Ok(None) };
        if header.frame_bytes() > self.length - offset {
            return Ok(None);
        }
        if stays_in_file(header.frame_bytes()) {
            let checksum = self.checksum(offset + FRAME_HEADER as u64, header.length.into())?;
            return Ok(header.fits_checksum(checksum, salt).then_some(header));
        }
        let frame = self.bytes(offset, header.frame_bytes())?;
        let payload = frame.get(FRAME_HEADER..).unwrap_or_default();
        Ok(header.fits(payload, salt).then_some(header))
    }

    /// The checksum of so many bytes, which are read a part at a time.
    fn checksum(&mut self, mut offset: u64, mut len: u64) -> Result<u32> {
        let mut checksum = 0;
        while len > 0 {
            let part = len.min(WINDOW);
            checksum = continued(checksum, self.bytes(offset, part)?);
            (offset, len) = (offset + part, len - part);
        }
        Ok(checksum)
    }

    /// Returns true if nothing but zeros follows from an offset on.
    pub(super) fn only_zeros_from(&mut self, mut offset: u64) -> Result<bool> {
        while offset < self.length {
            let len = WINDOW.min(self.length - offset);
            if self.bytes(offset, len)?.chunks(PAGE.len()).any(|page| page != &PAGE[..page.len()]) {
                return Ok(false);
            }
            offset += len;
        }
        Ok(true)
    }
}
