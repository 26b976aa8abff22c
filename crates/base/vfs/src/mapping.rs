//! The bytes of a whole file, without reading it.
//!
//! On the disk they are mapped: the operating system brings in the pages that are touched, and drops them when
//! memory is short. That is sound only for files that are not written any more, so [`crate::FileSystem::map`]
//! is for the files that Mainstay itself has finished (written, synced and renamed into place), in a folder
//! whose lock it holds. A file that is removed or replaced by a renamed one stays as it was under the mapping.
//!
//! Limit: a disk that fails to read a mapped page ends the process with SIGBUS, as it does for every program
//! that maps files; there is no error to return.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The least alignment of mapped memory; copies have it too, so that Arrow's vectors can be
/// used in place on every file system.
const ALIGNMENT: usize = 64;

/// The content of a file that never changes. Clones share it.
#[derive(Clone)]
pub struct Mapping(Arc<Content>);

enum Content {
    Mapped(memmap2::Mmap),
    /// `bytes[start..]` is the content; `start` brings it to a multiple of [`ALIGNMENT`].
    Copied {
        bytes: Vec<u8>,
        start: usize,
    },
}

impl Mapping {
    /// A mapping of a copy: what file systems give that have nothing to map. Starts at a multiple of 64 bytes.
    pub fn copy_of(content: &[u8]) -> Mapping {
        let mut bytes: Vec<u8> = Vec::with_capacity(content.len() + ALIGNMENT);
        // It may be refused (usize::MAX), which costs the alignment only.
        let start = Some(bytes.as_ptr().align_offset(ALIGNMENT)).filter(|start| *start < ALIGNMENT).unwrap_or(0);
        bytes.resize(start, 0);
        bytes.extend_from_slice(content);
        Mapping(Arc::new(Content::Copied { bytes, start }))
    }

    /// Gives the memory of these bytes back to the system. They stay readable: whoever touches them next has them
    /// read again, from the page cache if they are still there. A copy keeps its memory, and so do systems that
    /// cannot do this.
    pub fn release(&self, bytes: std::ops::Range<usize>) {
        let bytes = bytes.start..bytes.end.min(self.len());
        if let Content::Mapped(mapped) = &*self.0
            && !bytes.is_empty()
        {
            release(mapped, bytes);
        }
    }

    /// Maps the whole file as it is now.
    pub(crate) fn of(file: &std::fs::File) -> std::io::Result<Mapping> {
        // SAFETY: the bytes must not change while they are mapped. `FileSystem::map` may be called only for files
        // that Mainstay alone writes, that are never written to after they were renamed into place, and whose
        // folder's lock is held, so no other process of Mainstay touches them either; see the module's text.
        let mapped = unsafe { memmap2::Mmap::map(file)? };
        Ok(Mapping(Arc::new(Content::Mapped(mapped))))
    }
}

#[cfg(unix)]
fn release(mapped: &memmap2::Mmap, bytes: std::ops::Range<usize>) {
    use memmap2::UncheckedAdvice::DontNeed;
    // SAFETY: the mapping is shared and read-only, so no page of it was changed, and pages that are dropped are filled
    // from the same file again, whose bytes never change (see `Mapping::of`): a reader cannot notice.
    let outcome = unsafe { mapped.unchecked_advise_range(DontNeed, bytes.start, bytes.len()) };
    // The pages stay where it is refused.
    drop(outcome);
}

#[cfg(not(unix))]
fn release(_: &memmap2::Mmap, _: std::ops::Range<usize>) {}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            Content::Mapped(mapped) => mapped,
            Content::Copied { bytes, start } => bytes.get(*start..).unwrap_or_default(),
        }
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapping({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_aligned_and_whole() {
        for len in [0, 1, 63, 64, 65, 5000] {
            let content: Vec<u8> = (0..len).map(|byte| byte as u8).collect();
            let copy = Mapping::copy_of(&content);
            assert_eq!(&*copy.clone(), content);
            assert_eq!(copy.as_ptr().align_offset(64), 0);
        }
    }

    // A mapping of the disk needs a file of the disk.
    #[allow(clippy::disallowed_methods)]
    #[test]
    fn released_bytes_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content: Vec<u8> = (0..100_000).map(|byte| (byte % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let mapping = Mapping::of(&std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(&*mapping, content);
        // Not from the start of a page, not up to the end of one, and beyond the end of the file.
        for bytes in [0..100_000, 5000..5001, 4096..8192, 99_999..200_000, 7..7] {
            mapping.release(bytes);
            assert_eq!(&*mapping, content);
        }
        Mapping::copy_of(&content).release(0..100_000);
    }

    #[test]
    fn a_mapping_can_be_shared_and_kept() {
        fn takes(_: impl Send + Sync + 'static + std::panic::RefUnwindSafe) {}
        takes(Mapping::copy_of(b"x"));
    }
}
