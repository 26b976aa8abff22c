//! The operations of a frame, of which one at a time is in memory.
//!
//! The payload of a large transaction has up to 2 GiB. A large frame is therefore verified a part at a time (`window.rs`), and its operations are read from the file one by one:
//!
//! ```text
//!   frame     header | commit | operation | operation | operation ...      verified as a whole first
//!   read                        [ body    ]                                 then one body at a time
//! ```
//!
//! A transaction that moves its records to a file ([`super::payload`]) ends the operation with each part, so a body is about
//! as long as the part of the memory for redo records.
//!
//! Limit: a body has up to 256 MiB in journals of transactions that moved nothing, and a bulk insert is one body.

use super::redo::{OPERATION_HEADER, Operation, RedoReader, operation};
use super::window::Window;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::sync::Arc;

/// The payload of a frame that was found whole.
#[derive(Clone, Copy, Debug)]
pub enum FramePayload<'a> {
    /// In memory.
    Memory(&'a [u8]),
    /// In the file of the journal.
    File {
        /// The journal.
        file: &'a Arc<dyn File>,
        /// Where the payload begins.
        start: u64,
        /// The number of its bytes.
        length: u64,
    },
}

/// The operations of a payload, in their order.
#[derive(Debug)]
pub struct Operations<'a>(Rest<'a>);

#[derive(Debug)]
enum Rest<'a> {
    Memory(RedoReader<'a>),
    File { commit: u64, window: Window, at: u64, end: u64 },
}

impl<'a> FramePayload<'a> {
    /// Its operations.
    ///
    /// # Errors
    /// `Damaged` when it is too short for a commit number; those of the file system.
    pub fn operations(&self) -> Result<Operations<'a>> {
        Ok(Operations(match self {
            FramePayload::Memory(payload) => Rest::Memory(RedoReader::new(payload)?),
            FramePayload::File { file, start, length } => {
                let (mut window, end) = (Window::new(Arc::clone(file))?, start + length);
                let commit_bytes = size_of::<u64>() as u64;
                let commit = RedoReader::new(window.bytes(*start, commit_bytes.min(*length))?)?.commit_number();
                Rest::File { commit, window, at: start + commit_bytes, end }
            }
        }))
    }

    /// A copy of its bytes.
    #[cfg(test)]
    pub(super) fn to_vec(self) -> Vec<u8> {
        match self {
            FramePayload::Memory(payload) => payload.to_vec(),
            FramePayload::File { file, start, length } => {
                let mut bytes = vec![0; length as usize];
                file.read_exact_at(&mut bytes, start).unwrap();
                bytes
            }
        }
    }
}

impl Operations<'_> {
    /// The number under which the transaction committed.
    pub fn commit_number(&self) -> u64 {
        match &self.0 {
            Rest::Memory(reader) => reader.commit_number(),
            Rest::File { commit, .. } => *commit,
        }
    }

    /// The next operation; `None` behind the last one.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no operation; those of the file system.
    pub fn next_operation(&mut self) -> Result<Option<Operation<'_>>> {
        let (window, at, end) = match &mut self.0 {
            Rest::Memory(reader) => return reader.next_operation(),
            Rest::File { window, at, end, .. } => (window, at, *end),
        };
        if *at == end {
            return Ok(None);
        }
        let too_short = || Error::new(Code::Damaged, "an operation is longer than its frame");
        let header = OPERATION_HEADER as u64;
        let left = (end - *at).checked_sub(header).ok_or_else(too_short)?;
        let (tag, length) = match window.bytes(*at, header)? {
            [tag, length @ ..] => (*tag, length.try_into().map_or(0, u32::from_le_bytes)),
            [] => return Err(too_short()),
        };
        let body = *at + header;
        left.checked_sub(u64::from(length)).ok_or_else(too_short)?;
        *at = body + u64::from(length);
        operation(tag, window.bytes(body, u64::from(length))?).map(Some)
    }
}
