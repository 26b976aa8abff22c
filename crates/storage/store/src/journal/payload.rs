//! A frame's payload, of which the larger part may be in a file.
//!
//! The redo records of a large transaction would be in memory twice when it commits: in its buffer, and in that of the
//! journal. So the buffer moves its bytes to a file when there are many ([`MovedBytes`]), and a large payload is written
//! to the journal from where it is:
//!
//! ```text
//!   redo      4 MiB ... 4 MiB ... 4 MiB -> moved file | 1 MiB in memory
//!   commit    frames before it -> journal; moved file -> journal, a part at a time; the rest; the frame's header
//! ```
//!
//! The header comes last: zeros where a header would be are the end of a journal, so a frame that was not finished is
//! not there. The format does not differ from that of other frames. A moved file that cannot be read therefore fails
//! its transaction alone ([`CopyError`]): the journal is cut off behind the frame before.

use super::checksum::continued;
use super::frame::{FRAME_HEADER, FrameHeader};
use mainstay_types::{Error, Result};
use mainstay_vfs::{Create, File, FileSystem, WritableFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are copied at a time.
const PART: usize = 256 << 10;

/// From this size on a payload is written to the journal from where it is.
pub(super) const LARGE_BYTES: u64 = 4 << 20;

/// The numbers of files that are removed while they are open, for the whole process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The payload of a frame.
#[derive(Clone, Copy)]
pub struct Payload<'a> {
    /// The file of the first part, and the number of its bytes.
    moved: Option<(&'a dyn File, u64)>,
    rest: &'a [u8],
}

impl<'a> From<&'a [u8]> for Payload<'a> {
    fn from(bytes: &'a [u8]) -> Payload<'a> {
        Payload { moved: None, rest: bytes }
    }
}

impl Payload<'_> {
    /// The number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.moved.map_or(0, |(_, bytes)| bytes) + self.rest.len() as u64
    }

    /// All of it, if it is in memory.
    pub(super) fn in_memory(&self) -> Option<&[u8]> {
        self.moved.is_none().then_some(self.rest)
    }

    /// Writes the frame of this payload at an offset of a journal.
    ///
    /// # Errors
    /// Those of the file system. Part of the frame may be there then, without a header.
    pub(super) fn write(
        &self,
        journal: &dyn WritableFile,
        offset: u64,
        mut header: FrameHeader,
        salt: u64,
    ) -> Result<(), CopyError> {
        let (mut at, mut checksum) = (offset + FRAME_HEADER as u64, 0);
        let mut put = |part: &[u8]| -> Result<()> {
            checksum = continued(checksum, part);
            journal.write_at(part, at)?;
            at += part.len() as u64;
            Ok(())
        };
        if let Some((file, bytes)) = self.moved {
            let mut buffer = vec![0; PART.min(bytes as usize)];
            let mut read = 0;
            while read < bytes {
                let part = (bytes - read).min(PART as u64);
                let buffer = &mut buffer[..part as usize];
                file.read_exact_at(buffer, read).map_err(CopyError::Payload)?;
                put(buffer)?;
                read += part;
            }
        }
        self.rest.chunks(PART).try_for_each(put)?;
        header.seal(checksum, salt);
        Ok(journal.write_at(&header.encode(), offset)?)
    }
}

/// The side of a copy that has failed.
#[derive(Debug)]
pub(super) enum CopyError {
    /// The payload could not be read from its file.
    Payload(Error),
    /// The journal could not be written.
    Journal(Error),
}

impl From<Error> for CopyError {
    fn from(error: Error) -> CopyError {
        CopyError::Journal(error)
    }
}

/// The place for files that are removed while they are open, and the number of bytes of redo records from which on they
/// go there.
#[derive(Clone, Debug)]
pub(crate) struct MovePlace {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) folder: PathBuf,
    pub(crate) from_bytes: usize,
}

/// The name of a file that is removed while it is open, so that only a crash leaves one.
const PREFIX: &str = "moved-";
const SUFFIX: &str = ".part";

/// A path that no file has, with its number, for a file that is removed while it is open.
pub(crate) fn unnamed_path(folder: &Path) -> (u64, PathBuf) {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    (number, folder.join(format!("{PREFIX}{number:016x}{SUFFIX}")))
}

/// Returns true for such a name.
pub(crate) fn is_moved_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// The first bytes of a payload, in a file without a name.
pub(crate) struct MovedBytes {
    file: Arc<dyn WritableFile>,
    path: PathBuf,
    fs: Arc<dyn FileSystem>,
    /// The file still has its name.
    is_named: bool,
}

impl MovedBytes {
    /// A new file.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn create(place: &MovePlace) -> Result<MovedBytes> {
        let (_, path) = unnamed_path(&place.folder);
        let file = place.fs.create(&path, Create::Truncate)?;
        // A system that does not remove open files has it removed when it is closed.
        let is_named = place.fs.remove(&path).is_err();
        Ok(MovedBytes { file, path, fs: Arc::clone(&place.fs), is_named })
    }

    /// Puts bytes at an offset.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn put(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file.write_at(bytes, offset)
    }

    /// Reads the first bytes of the file once. A file that cannot be read fails its transaction here, before anything is
    /// written to the journal.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn check(&self, bytes: u64) -> Result<()> {
        let mut buffer = vec![0; PART.min(bytes as usize)];
        let mut read = 0;
        while read < bytes {
            let part = (bytes - read).min(PART as u64);
            self.file.read_exact_at(&mut buffer[..part as usize], read)?;
            read += part;
        }
        Ok(())
    }

    /// The payload of the first bytes of the file and the rest.
    pub(crate) fn followed_by<'a>(&'a self, bytes: u64, rest: &'a [u8]) -> Payload<'a> {
        let file: &dyn File = &*self.file;
        Payload { moved: Some((file, bytes)), rest }
    }
}

impl Drop for MovedBytes {
    fn drop(&mut self) {
        if self.is_named {
            // The next start removes what is left.
            drop(self.fs.remove(&self.path));
        }
    }
}
