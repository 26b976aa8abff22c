//! Readers of Parquet files for DataFusion's scan, on the thread that decodes.
//!
//! The object store of DataFusion opens the file for each request and reads it on another thread. The bytes of a local file
//! are usually in the page cache, where handing them over costs more than reading them:
//!
//! ```text
//!   object store    scan --request--> thread: open, pread, close --bytes--> scan      for each group of columns
//!   here            scan: pread                                                        one open file for each partition
//! ```
//!
//! Footers come from DataFusion's cache of them. A request that cannot be served here (a file that is gone or shorter than its
//! footer says) goes to the object store, which reports the error.

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::datasource::file_format::parquet::{CachedParquetFileReaderFactory, ParquetFileReaderFactory};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::future::{BoxFuture, FutureExt, ready};
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes the readers of a scan.
#[derive(Debug)]
pub(super) struct Readers {
    /// Reads footers, and everything that has failed here.
    store: CachedParquetFileReaderFactory,
    /// The files of the scan by their names in the object store.
    paths: HashMap<String, Arc<Path>>,
}

impl Readers {
    /// For these files, each with its name in the object store.
    pub(super) fn new(
        store: CachedParquetFileReaderFactory,
        files: impl Iterator<Item = (String, PathBuf)>,
    ) -> Readers {
        Readers { store, paths: files.map(|(name, path)| (name, Arc::from(path))).collect() }
    }
}

impl ParquetFileReaderFactory for Readers {
    fn create_reader(
        &self,
        partition_index: usize,
        partitioned_file: PartitionedFile,
        metadata_size_hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let name = partitioned_file.object_meta.location.as_ref();
        let path = self.paths.get(name).map(Arc::clone);
        let store = self.store.create_reader(partition_index, partitioned_file, metadata_size_hint, metrics)?;
        let Some(path) = path else { return Ok(store) };
        Ok(Box::new(Reader { store, path, file: None }))
    }
}

/// The reader of one file.
struct Reader {
    store: Box<dyn AsyncFileReader + Send>,
    path: Arc<Path>,
    /// The file and its length, once it is open.
    file: Option<(File, u64)>,
}

impl Reader {
    #[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
    fn opened(&mut self) -> io::Result<&mut (File, u64)> {
        if self.file.is_none() {
            let file = File::open(&self.path)?;
            let length = file.metadata()?.len();
            self.file = Some((file, length));
        }
        self.file.as_mut().ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Bytes of the file. A range that a damaged footer names beyond its end is an error before memory is taken for it.
    fn read(&mut self, range: &Range<u64>) -> io::Result<Bytes> {
        let (file, length) = self.opened()?;
        if range.start > range.end || range.end > *length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let wanted = range.end - range.start;
        let mut bytes = Vec::with_capacity(usize::try_from(wanted).map_err(|_| ErrorKind::OutOfMemory)?);
        file.seek(SeekFrom::Start(range.start))?;
        file.take(wanted).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < wanted { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(bytes.into()) }
    }
}

impl AsyncFileReader for Reader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        match self.read(&range) {
            Ok(bytes) => ready(Ok(bytes)).boxed(),
            Err(_) => self.store.get_bytes(range),
        }
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        let read: io::Result<Vec<Bytes>> = ranges.iter().map(|range| self.read(range)).collect();
        match read {
            Ok(all) => ready(Ok(all)).boxed(),
            Err(_) => self.store.get_byte_ranges(ranges),
        }
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        self.store.get_metadata(options)
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({})", self.path.display())
    }
}
