//! Spill files.
//!
//! **One batch a file.** Operators that exchange rows between threads write rows that do not fit in memory to files.
//! Several threads write for one that reads, each at times to a separate file; the reader waits for the next batch of
//! the file that it has begun, even while the batch that it was notified of is in another one. If all readers wait like
//! that, all writers wait for them: the statement deadlocks. A file that ends with its first batch is never waited for,
//! so the maximum file size is set to that length (`max_spill_file_size_bytes`). The fault is DataFusion's issue 24883,
//! open in 55.2 and fixed by its change 24891; the test below hangs without the setting, which can be removed with the
//! first release that has the fix.
//!
//! **No open files.** A slow reader may have thousands of files to read, where a process may have a thousand open.
//! DataFusion's own temporary files are open as long as they exist; these are open only while they are written and
//! read.
//!
//! **Clean-up.** The files are in a [folder] of the process, which is removed after the process has ended, in whatever
//! way.

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

/// The bytes of one read.
const READ_BYTES: usize = 128 << 10;

/// The most bytes of all files together, as DataFusion has it.
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

#[cfg(test)]
mod tests {
    use crate::execute::memory::Pool;
    use crate::execute::spilled::Files;
    use crate::optimize::{Optimizers, Rules};
    use arrow_array::{Int32Array, RecordBatch, StringArray};
    use arrow_schema::{DataType, Field, Schema};
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::execution::TaskContext;
    use datafusion::execution::context::SessionConfig;
    use datafusion::execution::disk_manager::DiskManagerBuilder;
    use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
    use datafusion::physical_expr::Partitioning;
    use datafusion::physical_expr::expressions::col;
    use datafusion::physical_plan::ExecutionPlan;
    use datafusion::physical_plan::repartition::RepartitionExec;
    use futures::StreamExt;
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::time::Duration;

    const PARTITIONS: usize = 2;
    const BATCHES: i32 = 200;
    const BATCH_ROWS: i32 = 64;
    /// Less than one batch of each partition, so that almost all are written to files.
    const MEMORY_BYTES: usize = 2 << 10;
    const ATTEMPTS: usize = 12;
    /// A run takes well under a second.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn environment() -> Arc<RuntimeEnv> {
        RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(Pool::new(MEMORY_BYTES)))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_temp_file_factory(Arc::new(Files::new())))
            .build_arc()
            .unwrap()
    }

    fn repartition() -> Arc<dyn ExecutionPlan> {
        let schema = Arc::new(Schema::new(vec![
            Field::new("key", DataType::Int32, false),
            Field::new("text", DataType::Utf8, false),
        ]));
        let batch = |number: i32| {
            let keys: Int32Array = (0..BATCH_ROWS).map(|row| number * BATCH_ROWS + row).collect();
            let texts: StringArray = (0..BATCH_ROWS).map(|row| Some(format!("text {number} {row}"))).collect();
            RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(keys), Arc::new(texts)]).unwrap()
        };
        let partitions: Vec<Vec<RecordBatch>> = (0..PARTITIONS).map(|_| (0..BATCHES).map(batch).collect()).collect();
        let input = MemorySourceConfig::try_new_exec(&partitions, Arc::clone(&schema), None).unwrap();
        let keys = Partitioning::Hash(vec![col("key", &schema).unwrap()], PARTITIONS);
        Arc::new(RepartitionExec::try_new(input, keys).unwrap())
    }

    /// Runs the plan as statements do, with these settings: how many rows came, and how many batches were written to files.
    async fn run(config: SessionConfig, environment: Arc<RuntimeEnv>) -> (usize, usize) {
        let none = HashMap::new;
        let task = TaskContext::new(
            None,
            String::new(),
            config,
            none(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            environment,
        );
        let (plan, task) = (repartition(), Arc::new(task));
        let readers: Vec<_> = (0..PARTITIONS)
            .map(|partition| {
                let mut rows = plan.execute(partition, Arc::clone(&task)).unwrap();
                tokio::spawn(async move {
                    let mut count = 0;
                    while let Some(batch) = rows.next().await {
                        count += batch.unwrap().num_rows();
                        // One that is slower than those who write finds their files.
                        tokio::task::yield_now().await;
                    }
                    count
                })
            })
            .collect();
        let mut count = 0;
        for reader in readers {
            count += reader.await.unwrap();
        }
        (count, plan.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or(0))
    }

    #[test]
    fn threads_that_write_to_files_and_read_them_never_wait_for_each_other() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
        let mut written = 0;
        for attempt in 0..ATTEMPTS {
            let environment = environment();
            let config = Optimizers::new(PARTITIONS, &Rules::default(), &environment).session().config().clone();
            let run = async { tokio::time::timeout(PATIENCE, run(config, environment)).await };
            let Ok((rows, batches)) = runtime.block_on(run) else {
                panic!("attempt {attempt}: the rows have not come within {PATIENCE:?}");
            };
            assert_eq!(rows, PARTITIONS * (BATCHES * BATCH_ROWS) as usize, "attempt {attempt}");
            written += batches;
        }
        assert!(written > ATTEMPTS, "only {written} batches were written to files: the test tests nothing");
    }
}
