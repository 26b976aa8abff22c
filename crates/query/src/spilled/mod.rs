//! The files of rows that do not fit in memory.
//!
//! **One batch a file.** Operators that hand rows to each other's threads write those to files that do not fit. Several
//! threads write for one that reads, each at times to a file of its own; the reader waits for the next batch of the file
//! that it has begun, even while the batch that it was told of is in another one. When all who read wait like that, all who
//! write wait for them: the statement stands still for ever. A file that ends with its first batch is never waited for, so
//! that is how long DataFusion is told that files may be.
//!
//! **No open files.** A thread that falls behind then has thousands of them to read, where a process may have a thousand
//! open. DataFusion's own temporary files are open as long as they are there; these are while they are written and read.
//!
//! **Nothing is left.** The files are in a [folder] of the process, which is removed when it has ended, however it ended.

mod folder;

use bytes::Bytes;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use folder::Folder;
use futures::stream::{self, BoxStream, StreamExt};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempPath;

/// What is read at a time.
const READ_BYTES: usize = 128 << 10;

/// What all files together may hold, as DataFusion has it.
const MOST_BYTES: u64 = 100 << 30;

/// Makes the files, in a folder of its own among the system's temporary ones.
pub(crate) struct Files {
    folder: Mutex<Option<Arc<Folder>>>,
    used: Arc<AtomicU64>,
}

impl Files {
    /// No files yet; those that were left by processes which are no more are removed.
    pub(crate) fn new() -> Files {
        folder::remove_left_over();
        Files { folder: Mutex::default(), used: Arc::default() }
    }
}

impl TempFileFactory for Files {
    fn create_temp_file(&self, _: &str) -> Result<Arc<dyn SpillFile>> {
        let mut known = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &*known {
            Some(folder) => Arc::clone(folder),
            None => Arc::clone(known.insert(Arc::new(Folder::new()?))),
        };
        let path = tempfile::Builder::new().tempfile_in(folder.path())?.into_temp_path();
        let sizes = Arc::new(Sizes { own: AtomicU64::new(0), all: Arc::clone(&self.used) });
        Ok(Arc::new(Spilled { path, _folder: folder, sizes }))
    }
}

/// How long a file is, counted among all as long as it is there.
struct Sizes {
    own: AtomicU64,
    all: Arc<AtomicU64>,
}

impl Drop for Sizes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A file, which is removed with this.
struct Spilled {
    path: TempPath,
    _folder: Arc<Folder>,
    sizes: Arc<Sizes>,
}

impl SpillFile for Spilled {
    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn size(&self) -> Option<u64> {
        Some(self.sizes.own.load(Ordering::Relaxed))
    }

    fn read_stream(&self) -> Result<BoxStream<'static, Result<Bytes>>> {
        let path = self.path.to_path_buf();
        let pieces = stream::try_unfold(None, move |file: Option<File>| {
            let path = path.clone();
            async move {
                let read = tokio::task::spawn_blocking(move || piece(file, &path));
                read.await.map_err(|error| DataFusionError::External(Box::new(error)))?.map_err(DataFusionError::from)
            }
        });
        Ok(pieces.boxed())
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        let file = File::options().append(true).open(&self.path)?;
        Ok(Box::new(Writer { file, sizes: Arc::clone(&self.sizes) }))
    }
}

/// The next piece of a file that is opened with the first; none at its end.
#[allow(clippy::disallowed_methods, reason = "the rows of a running statement are no stored data")]
fn piece(file: Option<File>, path: &Path) -> io::Result<Option<(Bytes, Option<File>)>> {
    let mut file = match file {
        Some(file) => file,
        None => File::open(path)?,
    };
    let mut piece = vec![0; READ_BYTES];
    let read = file.read(&mut piece)?;
    piece.truncate(read);
    Ok((read > 0).then(|| (Bytes::from(piece), Some(file))))
}

struct Writer {
    file: File,
    sizes: Arc<Sizes>,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.sizes.all.load(Ordering::Relaxed) + length > MOST_BYTES {
            return Err(io::Error::other(format!("temporary files hold {MOST_BYTES} bytes, and may hold no more")));
        }
        self.file.write_all(bytes)?;
        self.sizes.own.fetch_add(length, Ordering::Relaxed);
        self.sizes.all.fetch_add(length, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SpillWriter for Writer {
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
