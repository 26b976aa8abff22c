//! The files of a Parquet table with their own names and types, and the operator that reads them.

use super::damaged;
use super::folder::{self, SaidColumn};
use super::late;
use super::reader::Readers;
use crate::tree::nodes::Tree;
use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::{DFSchema, DataFusionError, Result, ScalarValue, Statistics};
use datafusion::datasource::compute_all_files_statistics;
use datafusion::datasource::file_format::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::file_format::parquet::{CachedParquetFileReaderFactory, transform_schema_to_view};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::SessionState;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, Volatility};
use datafusion::object_store::ObjectMeta;
use datafusion::object_store::path::Path as StorePath;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_planner::Planning;
use mainstay_types::{Code, Error};
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The files of a table.
#[derive(Debug)]
pub(super) struct Files {
    /// The columns of the files, then those that the names of folders say.
    columns: TableSchema,
    files: Vec<File>,
}

#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// The values that the names of its folders give.
    said: Vec<ScalarValue>,
    /// Its length and the moment of its last change when it was looked at.
    pub(super) stamp: (u64, SystemTime),
    /// The statistics of its columns.
    statistics: Arc<Statistics>,
    pub(super) metadata: Arc<ParquetMetaData>,
    /// The columns of this file, with the metadata that it has for them.
    pub(super) columns: SchemaRef,
}

/// The footer of a file.
struct Footer<'p> {
    path: &'p Path,
    /// From the root, without `..`, which object stores do not know.
    whole_path: PathBuf,
    stamp: (u64, SystemTime),
    metadata: Arc<ParquetMetaData>,
    columns: Arc<Schema>,
    with_metadata: Arc<Schema>,
}

impl Files {
    /// Looks at the footers of these files, which are below `folder`; `said` is what the names of folders say of them, in the
    /// types that conditions are asked in.
    ///
    /// Errors: a file that is none or is damaged, or that has other columns than the others.
    pub(super) fn open(folder: &Path, paths: &[PathBuf], said: &[(&SaidColumn, DataType)]) -> Result<Files> {
        let footers = paths.iter().map(|path| Footer::of(path)).collect::<Result<Vec<_>>>()?;
        footers
            .iter()
            .try_for_each(|footer| refuse_namesakes(&footer.columns, (paths.len() > 1).then_some(footer.path)))?;
        let merged = Schema::try_merge(footers.iter().map(|footer| footer.columns.as_ref().clone()));
        let merged = match merged {
            Err(_) if paths.len() > 1 => {
                folder::merged(footers.iter().map(|footer| (footer.path, Arc::clone(&footer.columns))))?
            }
            merged => merged?,
        };
        // Columns that the names of the folders give need not be in the files, and are not read from them.
        let in_files = |field: &&FieldRef| said.iter().all(|(column, _)| column.name != *field.name());
        let fields: Vec<FieldRef> = merged.fields().iter().filter(in_files).cloned().collect();
        let partition = |(column, data_type): &(&SaidColumn, DataType)| {
            Arc::new(Field::new(&column.name, data_type.clone(), false))
        };
        let partitions: Vec<FieldRef> = said.iter().map(partition).collect();
        let columns = TableSchema::builder(Arc::new(Schema::new(fields))).with_table_partition_cols(partitions).build();
        let file = |footer: Footer<'_>| {
            let values = folder::said_by(folder, footer.path).into_iter();
            let values = values.zip(said).map(|((_, value), (_, to))| ScalarValue::from(value).cast_to(to));
            let statistics =
                || DFParquetMetadata::statistics_from_parquet_metadata(&footer.metadata, columns.file_schema());
            Ok(File {
                path: footer.whole_path,
                said: values.collect::<Result<_>>()?,
                stamp: footer.stamp,
                statistics: Arc::new(damaged::caught(statistics)?),
                metadata: footer.metadata,
                columns: footer.with_metadata,
            })
        };
        let files = footers.into_iter().map(file).collect::<Result<_>>()?;
        Ok(Files { columns, files })
    }

    /// The columns of the files, then those that the names of folders say.
    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns.table_schema())
    }

    /// The files, in the order of their rows.
    pub(super) fn all(&self) -> &[File] {
        &self.files
    }

    /// Returns true if the names of folders give columns.
    pub(super) fn has_partitions(&self) -> bool {
        !self.columns.table_partition_cols().is_empty()
    }

    /// Returns true if a condition is about nothing but what the names of folders say.
    pub(super) fn is_told_by_names(&self, filter: &Expr) -> bool {
        let columns = filter.column_refs();
        let said = self.columns.table_partition_cols();
        !columns.is_empty()
            && columns.iter().all(|column| said.iter().any(|field| *field.name() == column.name))
            && !depends_on_more(filter)
    }

    /// How many rows the files have together, as far as they say.
    pub(super) fn rows(&self) -> usize {
        self.files.iter().filter_map(|file| file.statistics.num_rows.get_value()).sum()
    }

    /// How many whole numbers or dates there are from the least to the greatest value of a column; `None` for other types
    /// and where a file does not say.
    pub(super) fn width(&self, column: usize) -> Option<usize> {
        let (least, greatest) = self.bounds(column)?;
        usize::try_from(greatest.checked_sub(least)?.checked_add(1)?).ok()
    }

    /// The least and the greatest value of a column of whole numbers or dates; `None` for other types and where a file does not
    /// say.
    pub(super) fn bounds(&self, column: usize) -> Option<(i64, i64)> {
        let bounds = |file: &File| {
            let column = file.statistics.column_statistics.get(column)?;
            Some((whole(column.min_value.get_value()?)?, whole(column.max_value.get_value()?)?))
        };
        let (mut least, mut greatest) = (i64::MAX, i64::MIN);
        for file in &self.files {
            let (min, max) = bounds(file)?;
            (least, greatest) = (least.min(min), greatest.max(max));
        }
        (least <= greatest).then_some((least, greatest))
    }

    /// The operator that reads these columns; of the conditions it applies those that are told by names.
    pub(super) fn scan(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (by_names, others): (Vec<&Expr>, Vec<&Expr>) =
            filters.iter().partition(|filter| self.is_told_by_names(filter));
        let wanted = self.wanted(session, by_names.into_iter().cloned().collect())?;
        if wanted.is_empty() {
            let schema = self.schema();
            let schema = projection.map_or(Ok(Arc::clone(&schema)), |columns| schema.project(columns).map(Arc::new))?;
            return Ok(Arc::new(EmptyExec::new(schema)));
        }
        let paths: Vec<PathBuf> = wanted.iter().map(|file| file.path.clone()).collect();
        let files = wanted.into_iter().map(|file| file.to_read()).collect::<Result<Vec<PartitionedFile>>>()?;
        let names: Vec<String> = files.iter().map(|file| file.object_meta.location.to_string()).collect();
        let columns = Arc::clone(self.columns.table_schema());
        let (groups, statistics) = compute_all_files_statistics(vec![files.into()], columns, true, false)?;
        let url = ObjectStoreUrl::local_filesystem();
        let runtime = session.runtime_env();
        let footers = runtime.cache_manager.get_file_metadata_cache();
        let store = CachedParquetFileReaderFactory::new(runtime.object_store(&url)?, footers);
        let reader = Readers::new(store, names.into_iter().zip(paths));
        let source = ParquetSource::new(self.columns.clone())
            .with_parquet_file_reader_factory(Arc::new(reader))
            .with_pushdown_filters(late::is_late(self, projection, &others));
        let scan = FileScanConfigBuilder::new(url, Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit.filter(|_| others.is_empty()))
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }

    /// The files that can have rows for which the conditions hold.
    fn wanted(&self, session: &SessionState, filters: Vec<Expr>) -> Result<Vec<&File>> {
        let Some(filter) = conjunction(filters) else { return Ok(self.files.iter().collect()) };
        let schema = Arc::new(Schema::new(self.columns.table_partition_cols().clone()));
        let column = |at: usize| ScalarValue::iter_to_array(self.files.iter().map(|file| file.said[at].clone()));
        let columns = (0..schema.fields().len()).map(column).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.files.len()));
        let said = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)?;
        let planning = Planning { session, context: &PhysicalPlanningContext::default() };
        let filter = planning.expression(&filter, &DFSchema::try_from(schema)?)?;
        let holds = filter.evaluate(&said)?.into_array(self.files.len())?;
        let holds: &BooleanArray = holds.as_boolean();
        Ok(self.files.iter().zip(holds).filter(|(_, holds)| *holds == Some(true)).map(|(file, _)| file).collect())
    }
}

/// A whole number or the number of a day.
pub(super) fn whole(value: &ScalarValue) -> Option<i64> {
    match value {
        ScalarValue::Int64(value) => *value,
        ScalarValue::Int32(value) | ScalarValue::Date32(value) => value.map(i64::from),
        ScalarValue::Int16(value) => value.map(i64::from),
        ScalarValue::Int8(value) => value.map(i64::from),
        _ => None,
    }
}

impl File {
    /// The file as it is now.
    #[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
    fn to_read(&self) -> Result<PartitionedFile> {
        let stamp = stamp_of(&std::fs::metadata(&self.path)?)?;
        let location = StorePath::from_absolute_path(&self.path)
            .map_err(|error| DataFusionError::ObjectStore(Box::new(error.into())))?;
        let (size, changed) = stamp;
        let meta = ObjectMeta { location, last_modified: changed.into(), size, e_tag: None, version: None };
        let file = PartitionedFile::new_from_meta(meta).with_partition_values(self.said.clone());
        Ok(match stamp == self.stamp {
            true => file.with_statistics(Arc::clone(&self.statistics)),
            // Another file by now: the catalog sees it with the next statement.
            false => file,
        })
    }
}

impl Footer<'_> {
    /// Reads it. Texts and bytes are in the form that statements use.
    #[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
    fn of(path: &Path) -> Result<Footer<'_>> {
        let read = || {
            let file = std::fs::File::open(path)?;
            let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
            let fields = footer.schema().fields().iter();
            let plain = fields.map(|field| field.as_ref().clone().with_metadata(HashMap::new()));
            let columns = Arc::new(transform_schema_to_view(&Schema::new(plain.collect::<Vec<Field>>())));
            let with_metadata = Arc::new(transform_schema_to_view(footer.schema()));
            let (stamp, metadata) = (stamp_of(&file.metadata()?)?, Arc::clone(footer.metadata()));
            let whole_path = std::fs::canonicalize(path)?;
            Ok(Footer { path, whole_path, stamp, metadata, columns, with_metadata })
        };
        damaged::caught(read)
    }
}

/// Columns are read by their names: of two of one name, nobody would see the second. The file is named if it is one of many.
///
/// Errors: `Unsupported`.
fn refuse_namesakes(columns: &Schema, path: Option<&Path>) -> Result<()> {
    let mut seen = HashSet::new();
    let Some(field) = columns.fields().iter().find(|field| !seen.insert(field.name())) else { return Ok(()) };
    let error = Error::new(Code::Unsupported, format!("the file has two columns called \"{}\"", field.name()))
        .hint("write it again with a name of its own for each column");
    Err(DataFusionError::External(Box::new(match path {
        Some(path) => error.at(path.display()),
        None => error,
    })))
}

pub(super) fn stamp_of(found: &Metadata) -> Result<(u64, SystemTime)> {
    Ok((found.len(), found.modified()?))
}

/// Returns true if an expression has another value from time to time or from place to place.
fn depends_on_more(expr: &Expr) -> bool {
    let is_of_more = |expr: &Expr| match expr {
        Expr::Placeholder(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::ScalarSubquery(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_) => true,
        Expr::ScalarFunction(call) => call.func.signature().volatility != Volatility::Immutable,
        _ => false,
    };
    // The closure does not fail.
    expr.has(|expr| Ok(is_of_more(expr))).unwrap_or(true)
}
