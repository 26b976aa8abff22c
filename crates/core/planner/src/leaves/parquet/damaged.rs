//! Damaged Parquet files: adds the file's name to DataFusion's errors, and catches panics of the library, which trusts
//! lengths and counts of a damaged file in places.

use super::statistics::parquet_findings;
use crate::carried_error::to_datafusion;
use crate::error::from_datafusion;
use crate::execute::run::{Run, share};
use crate::tree::nodes::Tree;
use datafusion::arrow::error::ArrowError;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetSource;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::errors::ParquetError;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use mainstay_types::{Code, Error};
use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file begins and ends with it; before its end stands the length of the footer, in four bytes.
const MAGIC: &[u8; 4] = b"PAR1";
const FOOTER_END: usize = 8;

/// The rule that puts a [`Named`] above each scan of files, after all others: they do not know it.
#[derive(Debug)]
pub(crate) struct NameFiles;

impl PhysicalOptimizerRule for NameFiles {
    fn name(&self) -> &str {
        "name_files"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let name = |node: Arc<dyn ExecutionPlan>| {
            Ok(match files_of(&node) {
                Some((files, bytes)) => {
                    Transformed::yes(Arc::new(Named { scan: node, files, bytes }) as Arc<dyn ExecutionPlan>)
                }
                None => Transformed::no(node),
            })
        };
        plan.map_up(name).data()
    }
}

/// The files that a scan reads, and how many bytes of them.
fn files_of(node: &Arc<dyn ExecutionPlan>) -> Option<(Arc<[PathBuf]>, u64)> {
    let (config, _) = node.downcast_ref::<DataSourceExec>()?.downcast_to_file_source::<ParquetSource>()?;
    let files = || config.file_groups.iter().flat_map(|group| group.files());
    let whole = |file: &PartitionedFile| i64::try_from(file.object_meta.size).unwrap_or(i64::MAX);
    let bytes = files().map(|file| file.range.as_ref().map_or_else(|| whole(file), |range| range.end - range.start));
    let bytes = bytes.map(|bytes| u64::try_from(bytes).unwrap_or(0)).sum();
    Some((files().map(|file| Path::new("/").join(file.object_meta.location.as_ref())).collect(), bytes))
}

/// A scan of Parquet files whose errors say the file, and whose rows are counted.
#[derive(Debug)]
struct Named {
    scan: Arc<dyn ExecutionPlan>,
    files: Arc<[PathBuf]>,
    /// Of the files.
    bytes: u64,
}

impl Named {
    /// The rows that there are to read, as the footers say.
    #[expect(deprecated, reason = "what takes its place is asked with a context that is not at hand while a plan runs")]
    fn rows(&self) -> u64 {
        let rows = self.scan.partition_statistics(None).ok().and_then(|found| found.num_rows.get_value().copied());
        rows.map_or(0, |rows| rows as u64)
    }
}

impl DisplayAs for Named {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scan.fmt_as(format, f)
    }
}

impl ExecutionPlan for Named {
    fn name(&self) -> &str {
        self.scan.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.scan.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = Arc::clone(&self.scan).reset_state()?;
        Ok(Arc::new(Named { scan, files: Arc::clone(&self.files), bytes: self.bytes }))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.scan.apply_expressions(f)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (schema, files) = (self.schema(), Arc::clone(&self.files));
        let (run, rows, bytes) = (Run::of(&context)?, self.rows(), self.bytes);
        // The partitions have it together.
        if partition == 0 {
            run.expect(rows, bytes);
        }
        let batches = self.scan.execute(partition, context)?;
        let batches = AssertUnwindSafe(batches).catch_unwind();
        let named = batches.map(move |batch| {
            let batch = batch.unwrap_or_else(|_| Err(panicked())).map_err(|error| named(error, &files))?;
            let read = batch.num_rows() as u64;
            run.count(read, share(bytes, read, rows));
            Ok(batch)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, named)))
    }
}

/// Looks at the length of a file's footer, which the library takes on trust. What cannot be read is found by who reads it.
///
/// Errors: `Damaged`.
#[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
pub(super) fn check_footer(path: &Path) -> mainstay_types::Result<()> {
    let read = || -> std::io::Result<(u64, [u8; FOOTER_END])> {
        let (mut file, mut end) = (std::fs::File::open(path)?, [0; FOOTER_END]);
        let length = file.seek(SeekFrom::End(-(FOOTER_END as i64)))?;
        file.read_exact(&mut end)?;
        Ok((length, end))
    };
    let Ok((before, [a, b, c, d, magic @ ..])) = read() else { return Ok(()) };
    if &magic == MAGIC && u64::from(u32::from_le_bytes([a, b, c, d])) + MAGIC.len() as u64 > before {
        return Err(Error::new(Code::Damaged, "the length of its footer is beyond the file").at(path.display()));
    }
    Ok(())
}

/// The result of reading; an error where the library panics.
pub(super) fn caught<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(panicked()))
}

/// The message of a panic of the library.
fn panicked() -> DataFusionError {
    ParquetError::General("a length or count in the file cannot be true".to_owned()).into()
}

/// The error of a damaged file with its name. Which of many it is only reading them tells.
fn named(error: DataFusionError, files: &[PathBuf]) -> DataFusionError {
    if matches!(error.find_root(), DataFusionError::Internal(_)) {
        return of_claims(error, files);
    }
    let is_damage = match error.find_root() {
        DataFusionError::ParquetError(_) => true,
        DataFusionError::ArrowError(error, _) => {
            matches!(error.as_ref(), ArrowError::ParquetError(_) | ArrowError::ExternalError(_))
        }
        _ => false,
    };
    let damaged = match files {
        _ if !is_damage => None,
        [only] => Some(only),
        many => many.iter().find(|file| is_damaged(file)),
    };
    match damaged {
        Some(file) => to_datafusion(from_datafusion(error, None, None).at(file.display())),
        None => error,
    }
}

/// An error that DataFusion takes for a fault of its own: what a file says of its columns may be damaged, and not fit together.
/// Then it is that.
pub(super) fn of_claims(error: DataFusionError, files: &[PathBuf]) -> DataFusionError {
    let false_claim = files.iter().find_map(|file| Some((file, parquet_findings(file).into_iter().next()?)));
    match false_claim {
        Some((file, finding)) => to_datafusion(Error::new(Code::Damaged, finding).at(file.display())),
        None => error,
    }
}

#[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
fn is_damaged(file: &Path) -> bool {
    let Ok(opened) = std::fs::File::open(file) else { return true };
    let read = || {
        let reader = ParquetRecordBatchReaderBuilder::try_new(opened).and_then(|builder| builder.build());
        reader.map_or(true, |mut batches| batches.any(|batch| batch.is_err()))
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(true)
}
