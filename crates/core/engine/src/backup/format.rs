//! The backup file, version 2: frames, each with a checksum. docs/formats/backup.md describes it byte by byte.
//!
//! ```text
//!   head       MSBACKUP, version, checksum, description
//!   frame      kind  length  checksum  payload
//!     F        a file begins: kind, time, path
//!     D        up to 1 MiB of it
//!     E        it ends: its length and checksum
//!     Z        the directory: which F of each path counts
//! ```
//!
//! A file may be stored twice, because the second pass copied it again; the directory says which copy counts. Every
//! byte is covered by the checksum of its frame, and the order of a file's frames by the checksum of the file.

use super::contents::{BackedUp, Contents, FileKind};
use mainstay_store::journal::checksum::{continued, crc32c};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{File, WritableFile};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The first bytes of every backup.
pub(super) const MAGIC: [u8; 8] = *b"MSBACKUP";
/// The version that is written.
pub(super) const VERSION: u32 = 2;
/// Bytes of a file in a frame.
pub(super) const PIECE: usize = 1 << 20;
/// Bytes in front of the description.
const HEAD: u64 = 24;
/// The longest description and the longest payload of F and E that are believed.
const LONGEST_NOTE: u64 = 1 << 20;
/// The longest directory that is believed.
const LONGEST_DIRECTORY: u64 = 1 << 30;
/// Bytes of a frame in front of its payload.
const FRAME: u64 = 9;

/// The kind byte of the native tables in F; other kinds follow from the path.
const NATIVE: u8 = 1;
const ORDINARY: u8 = 0;

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| Error::new(Code::Internal, "a note is too long"))?;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A path and where its copy begins.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) offset: u64,
}

/// Writes a backup.
pub(super) struct Writer {
    file: Arc<dyn WritableFile>,
    offset: u64,
    /// The checksum and length of the file that is being written.
    checksum: u32,
    length: u64,
}

impl Writer {
    /// Begins a backup of this database.
    pub(super) fn begin(file: Arc<dyn WritableFile>, database: &str, begun: SystemTime) -> Result<Writer> {
        let mut description = Vec::new();
        put_bytes(&mut description, database.as_bytes())?;
        put_bytes(&mut description, env!("CARGO_PKG_VERSION").as_bytes())?;
        description.extend_from_slice(&nanoseconds(begun).to_le_bytes());
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&VERSION.to_le_bytes());
        let checksum = continued(crc32c(&head), &description);
        head.extend_from_slice(&checksum.to_le_bytes());
        head.extend_from_slice(&(description.len() as u64).to_le_bytes());
        head.extend_from_slice(&description);
        file.write_at(&head, 0)?;
        Ok(Writer { file, offset: head.len() as u64, checksum: 0, length: 0 })
    }

    fn frame(&mut self, kind: u8, payload: &[u8]) -> Result<()> {
        let length = u32::try_from(payload.len()).map_err(|_| Error::new(Code::Internal, "a frame is too long"))?;
        let mut head = vec![kind];
        head.extend_from_slice(&length.to_le_bytes());
        let checksum = continued(crc32c(&head), payload);
        head.extend_from_slice(&checksum.to_le_bytes());
        self.file.write_at(&head, self.offset)?;
        self.file.write_at(payload, self.offset + FRAME)?;
        self.offset += FRAME + payload.len() as u64;
        Ok(())
    }

    /// Begins a file, and gives the place of its copy.
    pub(super) fn begin_file(&mut self, path: &Path, is_native: bool, modified: SystemTime) -> Result<Listed> {
        let listed = Listed { path: path.to_owned(), offset: self.offset };
        let mut payload = vec![if is_native { NATIVE } else { ORDINARY }];
        payload.extend_from_slice(&nanoseconds(modified).to_le_bytes());
        put_bytes(&mut payload, path.as_os_str().as_bytes())?;
        (self.checksum, self.length) = (0, 0);
        self.frame(b'F', &payload)?;
        Ok(listed)
    }

    /// Writes bytes of the file that was begun.
    pub(super) fn data(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(PIECE) {
            self.checksum = continued(self.checksum, piece);
            self.length += piece.len() as u64;
            self.frame(b'D', piece)?;
        }
        Ok(())
    }

    /// Ends the file: its length.
    pub(super) fn end_file(&mut self) -> Result<u64> {
        let mut payload = self.length.to_le_bytes().to_vec();
        payload.extend_from_slice(&self.checksum.to_le_bytes());
        self.frame(b'E', &payload)?;
        Ok(self.length)
    }

    /// Writes the directory and brings all of it to the disk: the length of the backup.
    pub(super) fn end(mut self, listed: &[Listed], native_tables: u64) -> Result<u64> {
        let mut payload = native_tables.to_le_bytes().to_vec();
        payload.extend_from_slice(&(listed.len() as u64).to_le_bytes());
        for one in listed {
            payload.extend_from_slice(&one.offset.to_le_bytes());
            put_bytes(&mut payload, one.path.as_os_str().as_bytes())?;
        }
        self.frame(b'Z', &payload)?;
        self.file.sync()?;
        Ok(self.offset)
    }
}

/// A frame that was read.
struct Frame {
    kind: u8,
    payload: Vec<u8>,
    offset: u64,
}

/// A copy of a file in a backup.
#[derive(Clone, Debug)]
struct Copy {
    offset: u64,
    entry: BackedUp,
}

/// Reads a backup of version 2.
pub(super) struct Reader {
    file: Arc<dyn File>,
    length: u64,
    offset: u64,
    /// The file that is being read, for errors.
    inside: Option<PathBuf>,
}

impl Reader {
    pub(super) fn new(file: Arc<dyn File>) -> Result<Reader> {
        let length = file.stamp()?.len;
        Ok(Reader { file, length, offset: 0, inside: None })
    }

    /// The error of a file that is not as it was written, with the place.
    fn bad(&self, at: u64, reason: &str) -> Error {
        let inside =
            self.inside.as_ref().map(|path| format!(", in the copy of {}", path.display())).unwrap_or_default();
        let message = format!("the backup is damaged at byte {at}{inside}: {reason}");
        Error::new(Code::Damaged, message).hint("use another backup; mainstay restore --verify looks at one as a whole")
    }

    fn bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        let end = self.offset.checked_add(length).filter(|end| *end <= self.length);
        let Some(end) = end else {
            return Err(self.bad(self.length, "the file ends here, it has been cut"));
        };
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| self.bad(self.offset, "a length is wrong"))?];
        self.file.read_exact_at(&mut bytes, self.offset)?;
        self.offset = end;
        Ok(bytes)
    }

    /// The version, which is the first thing that is read.
    ///
    /// Errors: `NotThisFormat`, `Unsupported` for a later version.
    pub(super) fn version(&mut self) -> Result<u32> {
        self.offset = 0;
        let head = match self.length < HEAD {
            true => return Err(Error::new(Code::NotThisFormat, "the file is no backup")),
            false => self.bytes(HEAD)?,
        };
        if head.get(..8) != Some(&MAGIC[..]) {
            return Err(Error::new(Code::NotThisFormat, "the file is no backup"));
        }
        let version = Fields::new(&head[8..]).u32().unwrap_or_default();
        if !(1..=VERSION).contains(&version) {
            let message = format!("the backup has version {version}, and this program reads 1 to {VERSION}");
            return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
        }
        Ok(version)
    }

    /// Reads the whole file: its contents, if every byte is as it was written. `sink` gets the pieces of each copy that counts;
    /// to begin with it has to be known which those are, so the contents are read once before by those who need pieces.
    pub(super) fn contents(&mut self) -> Result<(Contents, Vec<u64>)> {
        let version = self.version()?;
        self.offset = 0;
        let head = self.bytes(HEAD)?;
        let mut fields = Fields::new(&head[12..]);
        let (checksum, length) = (fields.u32().unwrap_or_default(), fields.u64().unwrap_or_default());
        if length > LONGEST_NOTE {
            return Err(self.bad(16, "the length of the description is wrong"));
        }
        let description = self.bytes(length)?;
        if continued(crc32c(&head[..12]), &description) != checksum {
            return Err(self.bad(0, "the checksum of the head is wrong"));
        }
        let mut fields = Fields::new(&description);
        let (database, program, begun) = (fields.text(), fields.text(), fields.time());
        let (Some(database), Some(program), Some(begun)) = (database, program, begun) else {
            return Err(self.bad(HEAD, "the description is not understood"));
        };
        let mut copies = Vec::new();
        let directory = loop {
            let frame = self.frame()?;
            match frame.kind {
                b'F' => copies.push(self.file_of(&frame, &mut |_| Ok(()))?),
                b'Z' => break frame,
                _ => return Err(self.bad(frame.offset, "a part stands where none may be")),
            }
        };
        if self.offset != self.length {
            return Err(self.bad(self.offset, "something follows the end of the backup"));
        }
        let (native_tables, offsets) = self.directory(&directory)?;
        let mut files = Vec::new();
        for offset in &offsets {
            let copy = copies.iter().find(|copy| copy.offset == *offset);
            files.push(copy.ok_or_else(|| self.bad(directory.offset, "the directory is wrong"))?.entry.clone());
        }
        let bytes = self.length;
        Ok((Contents { database, begun, program, version, files, native_tables, bytes }, offsets))
    }

    /// Gives the pieces of the copy that begins there.
    pub(super) fn copy(&mut self, offset: u64, sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.offset = offset;
        let frame = self.frame()?;
        self.file_of(&frame, sink).map(drop)
    }

    fn frame(&mut self) -> Result<Frame> {
        let offset = self.offset;
        let head = self.bytes(FRAME)?;
        let mut fields = Fields::new(&head[1..]);
        let (length, checksum) = (fields.u32().unwrap_or_default(), fields.u32().unwrap_or_default());
        let kind = head[0];
        let longest = match kind {
            b'D' => PIECE as u64,
            b'Z' => LONGEST_DIRECTORY,
            _ => LONGEST_NOTE,
        };
        if u64::from(length) > longest {
            return Err(self.bad(offset, "a length is wrong"));
        }
        let payload = self.bytes(u64::from(length))?;
        if continued(crc32c(&head[..5]), &payload) != checksum {
            return Err(self.bad(offset, "a checksum is wrong"));
        }
        Ok(Frame { kind, payload, offset })
    }

    fn file_of(&mut self, first: &Frame, sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Copy> {
        let mut fields = Fields::new(&first.payload);
        let (kind, modified, path) = (fields.u8(), fields.time(), fields.path());
        let (Some(kind), Some(modified), Some(path)) = (kind, modified, path) else {
            return Err(self.bad(first.offset, "the description of a file is not understood"));
        };
        self.inside = Some(path.clone());
        let (mut checksum, mut bytes) = (0, 0u64);
        loop {
            let frame = self.frame()?;
            match frame.kind {
                b'D' => {
                    checksum = continued(checksum, &frame.payload);
                    bytes += frame.payload.len() as u64;
                    sink(&frame.payload)?;
                }
                b'E' => {
                    let mut fields = Fields::new(&frame.payload);
                    if fields.u64() != Some(bytes) || fields.u32() != Some(checksum) {
                        return Err(self.bad(frame.offset, "the file is not whole"));
                    }
                    break;
                }
                _ => return Err(self.bad(frame.offset, "a part stands where none may be")),
            }
        }
        self.inside = None;
        let kind = if kind == NATIVE { FileKind::Native } else { FileKind::of(&path) };
        Ok(Copy { offset: first.offset, entry: BackedUp { path, kind, bytes, modified } })
    }

    fn directory(&self, frame: &Frame) -> Result<(u64, Vec<u64>)> {
        let wrong = || self.bad(frame.offset, "the directory is not understood");
        let mut fields = Fields::new(&frame.payload);
        let (Some(native), Some(count)) = (fields.u64(), fields.u64()) else { return Err(wrong()) };
        let mut offsets = Vec::new();
        for _ in 0..count {
            let (Some(offset), Some(_)) = (fields.u64(), fields.path()) else { return Err(wrong()) };
            offsets.push(offset);
        }
        if fields.is_at_end() { Ok((native, offsets)) } else { Err(wrong()) }
    }
}

/// Little-endian numbers and texts, one after the other.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn new(bytes: &'b [u8]) -> Fields<'b> {
        Fields(bytes)
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn time(&mut self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_nanos(self.u64()?))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn path(&mut self) -> Option<PathBuf> {
        Some(PathBuf::from(OsString::from_vec(self.bytes()?.to_vec())))
    }

    fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}
