//! Parquet files, and folders of them, as tables that DataFusion reads.
//!
//! The scan maps names and types to those of the planner and of the other tables:
//!
//! ```text
//!   names        in lower case, as the planner compares them; the second of two that differ in case only is `a_2`
//!   TIME         of nanoseconds, whatever the unit of the file
//!   TIMESTAMP    with a time zone: with an offset, which is that of UTC
//!   dictionary   its values
//!   DATE         in days, also where the writer's own type has milliseconds (date64)
//! ```
//!
//! A condition on a column with another type in the file is applied after reading.
//!
//! Files of plain columns are tables of column vectors ([`column_table`]). DataFusion's reader has the others:
//! the scan of the files is in [`files`]; columns from the names of sub-folders, and types that differ between files,
//! in [`folder`]; the order of conditions and decoding in [`late`]; reads of files in
//! [`reader`]; faults of files in [`damaged`] and [`statistics`].
//!
//! Limit: nanoseconds below 100 of timestamps with a time zone are cut off.

mod column_decoder;
mod column_table;
mod damaged;
mod files;
mod folder;
mod late;
mod reader;
mod statistics;

pub(crate) use damaged::NameFiles;
pub use statistics::{parquet_findings, parquet_rows};

use crate::catalog::Catalog;
use crate::catalog::Visibility;
use crate::error::from_datafusion;
use crate::fields::{ORIGINAL_NAME, lower_case};
use crate::leaves::condition;
use crate::leaves::relation::{TableRelation, filtered};
use crate::tree::nodes::Tree;
use crate::types::offset::offset_function;
use column_table::ColumnTable;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, DataFusionError, Result};
use datafusion::datasource::source_as_provider;
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, TableProviderFilterPushDown};
use datafusion::physical_expr::expressions::Column as PhysicalColumn;
use datafusion::physical_expr::expressions::{binary, case, cast, lit};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use files::Files;
use folder::SaidColumn;
use mainstay_columnar::VectorCache;
use mainstay_columnar::names::free_name;
use mainstay_columnar::values::OFFSET;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From this many bytes on, reading with several threads is faster.
const PARALLEL_FROM_BYTES: u64 = 8 << 20;

#[derive(Clone, Debug)]
struct ParquetTable {
    inner: Arc<Files>,
    schema: SchemaRef,
    files: Vec<PathBuf>,
    bytes: u64,
    /// The columns that a folder's name says to be NULL: of text below the scan, where they have a value for that.
    with_null: Vec<String>,
    /// The files as a table of column vectors.
    vectors: Option<Arc<ColumnTable>>,
}

/// Opens a Parquet file, or a folder of `*.parquet` files, which are given; `bytes` is their length. Decoded columns are kept in
/// the cache, if there is one.
pub fn open_parquet(
    path: &Path,
    files: &[PathBuf],
    bytes: u64,
    cache: Option<&VectorCache>,
) -> mainstay_types::Result<Arc<dyn TableProvider>> {
    let failed = |error| {
        let error = from_datafusion(error, None, None);
        // A difference between files is reported for one of them.
        if error.place().is_some() { error } else { error.at(path.display()) }
    };
    let said = folder::columns_of_names(path, files)?;
    let files = if path.is_dir() { files.to_vec() } else { vec![path.to_owned()] };
    files.iter().try_for_each(|file| damaged::check_footer(file))?;
    // A text of another form than those that are shown, so that no condition is asked of it before it is made NULL.
    let below = |column: &SaidColumn| if column.has_null { DataType::Utf8 } else { column.data_type.clone() };
    let partitions: Vec<(&SaidColumn, DataType)> = said.iter().map(|column| (column, below(column))).collect();
    let inner = Arc::new(Files::open(path, &files, &partitions).map_err(failed)?);
    let mut taken = HashMap::new();
    let shown = |field: &FieldRef| {
        let name = free_name(field.name(), &mut taken);
        let said = said.iter().find(|column| column.name == *field.name());
        let data_type = said.map_or_else(|| shown_type(field.data_type()), |column| column.data_type.clone());
        let nullable = field.is_nullable() || said.is_some_and(|column| column.has_null);
        lower_case(&field.as_ref().clone().with_name(name).with_data_type(data_type).with_nullable(nullable))
    };
    let schema = Arc::new(Schema::new(inner.schema().fields().iter().map(shown).collect::<Vec<Field>>()));
    let with_null = said.iter().filter(|column| column.has_null).map(|column| column.name.clone()).collect();
    let vectors = cache.and_then(|cache| ColumnTable::of(path, &inner, &schema, cache)).map(Arc::new);
    Ok(Arc::new(ParquetTable { inner, schema, files, bytes, with_null, vectors }))
}

/// The table with its text under the collation that the session's language has for files.
pub(crate) fn collated(provider: Arc<dyn TableProvider>, catalog: &dyn Catalog) -> Arc<dyn TableProvider> {
    let Some(table) = provider.downcast_ref::<ParquetTable>() else { return provider };
    let schema = crate::fields::collated(&table.schema, catalog.reading().collation);
    match Arc::ptr_eq(&schema, &table.schema) {
        true => provider,
        false => Arc::new(ParquetTable { schema, ..table.clone() }),
    }
}

/// The type that statements have for a column of a file.
fn shown_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) if value.is_string() => DataType::Utf8View,
        DataType::Dictionary(_, value) => shown_type(value),
        DataType::Time32(_) | DataType::Time64(_) => DataType::Time64(TimeUnit::Nanosecond),
        DataType::Timestamp(_, Some(_)) => OFFSET,
        // The same column of the file: a day, which Arrow's writers of other languages keep in milliseconds.
        DataType::Date64 => DataType::Date32,
        other => other.clone(),
    }
}

/// The columns under the names that their files have.
pub fn original_schema(provider: &dyn TableProvider) -> SchemaRef {
    let schema = provider.schema();
    let original = |field: &FieldRef| match field.metadata().get(ORIGINAL_NAME) {
        Some(name) => Arc::new(field.as_ref().clone().with_name(name)),
        None => Arc::clone(field),
    };
    Arc::new(Schema::new(schema.fields().iter().map(original).collect::<Vec<FieldRef>>()))
}

/// Returns true if this is a Parquet table worth several threads.
pub(crate) fn is_large(provider: &dyn TableProvider) -> bool {
    provider.downcast_ref::<ParquetTable>().is_some_and(|table| table.bytes >= PARALLEL_FROM_BYTES)
}

/// Returns true if these are the same Parquet table, with the same columns.
pub(crate) fn is_same(one: &dyn TableProvider, other: &dyn TableProvider) -> bool {
    let tables = (one.downcast_ref::<ParquetTable>(), other.downcast_ref::<ParquetTable>());
    matches!(tables, (Some(one), Some(other)) if Arc::ptr_eq(&one.inner, &other.inner) && one.schema == other.schema)
}

/// How many rows a Parquet table has; 0 for another table.
pub(crate) fn rows(provider: &dyn TableProvider) -> usize {
    provider.downcast_ref::<ParquetTable>().map_or(0, |table| table.inner.rows())
}

/// The most different values that a column of a Parquet table can have, by the range of its whole numbers or dates.
pub(crate) fn distinct_values(provider: &dyn TableProvider, column: usize) -> Option<usize> {
    provider.downcast_ref::<ParquetTable>()?.inner.width(column)
}

/// The error of a plan that cannot be built: the file's, if one of its files says of its columns what is not so.
pub(crate) fn of_plan(error: DataFusionError, plan: &LogicalPlan) -> DataFusionError {
    if !matches!(error.find_root(), DataFusionError::Internal(_)) {
        return error;
    }
    let mut files: Vec<PathBuf> = Vec::new();
    // The closure does not fail.
    let _ = crate::lateral::each_node(plan, &mut |node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Ok(provider) = source_as_provider(&scan.source)
            && let Some(table) = provider.downcast_ref::<ParquetTable>()
        {
            files.extend(table.files.iter().cloned());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    damaged::of_claims(error, &files)
}

impl ParquetTable {
    /// The expression over the names that the files have; `None` when it is about a column of another type there.
    fn original(&self, expr: &Expr) -> Result<Option<Expr>> {
        let mut is_converted = false;
        let original = expr.clone().map_up(|expr| match expr {
            Expr::Column(column) => {
                let index = self.schema.index_of(&column.name)?;
                let (shown, original) = (self.schema.field(index), self.inner.schema());
                let original = original.field(index);
                is_converted |= shown.data_type() != original.data_type();
                Ok(Transformed::yes(Expr::Column(Column::new(column.relation, original.name()))))
            }
            other => Ok(Transformed::no(other)),
        });
        original.data().map(|original| (!is_converted).then_some(original))
    }

    /// Returns true if the column vectors answer a condition exactly.
    fn is_exact(&self, filter: &Expr) -> bool {
        let has_vectors = |vectors: &ColumnTable| {
            let column = |column: &&Column| self.schema.index_of(&column.name).is_ok_and(|at| vectors.has_vectors(at));
            filter.column_refs().iter().all(column)
        };
        self.vectors.as_deref().is_some_and(has_vectors) && condition::is_expressible(filter, &self.schema)
    }

    /// The condition if it was exact before its parameters had values, of which some, as NaN, no kernel compares.
    fn was_exact(&self, filter: &Expr) -> Result<Option<Expr>> {
        let form = filter.clone().map_up(|expr| match expr {
            Expr::Literal(..) => {
                Ok(Transformed::yes(Expr::Placeholder(Placeholder::new_with_field("$1".to_owned(), None))))
            }
            other => Ok(Transformed::no(other)),
        });
        let was_exact = self.is_exact(filter) || self.is_exact(&form.data()?);
        Ok(was_exact.then(|| filter.clone()))
    }

    /// The scan of column vectors; `None` if there are none of one of the columns.
    fn scan_vectors(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        exact: &[Expr],
        limit: Option<usize>,
    ) -> Option<Result<Arc<dyn ExecutionPlan>>> {
        let vectors = self.vectors.as_ref()?;
        let all = (0..self.schema.fields().len()).collect();
        let is_whole = projection.unwrap_or(&all).iter().all(|column| vectors.has_vectors(*column));
        let table: Arc<dyn mainstay_columnar::Table> = Arc::clone(vectors) as _;
        let relation = TableRelation::of_columns(table, Arc::clone(&self.schema), Visibility::Live);
        is_whole.then(|| relation.scan(session, projection, exact, limit))
    }

    /// The scan by DataFusion's reader, which gives columns in the types of statements.
    fn scan_files(
        &self,
        session: &SessionState,
        columns: &[usize],
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (filters, columns) = (self.originals(filters)?, columns.to_vec());
        let plan = damaged::caught(|| self.inner.scan(session, Some(&columns), &filters, limit))?;
        let output = Arc::new(self.schema.project(&columns)?);
        let input = plan.schema();
        let shown = |(index, to): (usize, &FieldRef)| {
            let from = input.field(index).name();
            let column = match self.with_null.contains(from) {
                true => nulled(Arc::new(PhysicalColumn::new(from, index)), &input, to)?,
                false => converted(session, &input, index, to)?,
            };
            Ok((column, to.name().clone()))
        };
        let shown = output.fields().iter().enumerate().map(shown).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(ProjectionExec::try_new(shown, plan)?))
    }

    /// The conditions over the names of the files; those that the files cannot answer are left out.
    fn originals(&self, filters: &[Expr]) -> Result<Vec<Expr>> {
        filters.iter().filter_map(|filter| self.original(filter).transpose()).collect()
    }
}

/// The column that a folder's name says, NULL where that says so.
fn nulled(column: Arc<dyn PhysicalExpr>, input: &SchemaRef, to: &Field) -> Result<Arc<dyn PhysicalExpr>> {
    let is_value = binary(Arc::clone(&column), Operator::NotEq, lit(folder::NULL), input)?;
    cast(case(None, vec![(is_value, column)], None)?, input, to.data_type().clone())
}

/// A column of a file in the type that statements have for it.
fn converted(session: &SessionState, input: &SchemaRef, index: usize, to: &Field) -> Result<Arc<dyn PhysicalExpr>> {
    let from = input.field(index);
    let column: Arc<dyn PhysicalExpr> = Arc::new(PhysicalColumn::new(from.name(), index));
    Ok(match to.data_type() {
        to if to == from.data_type() => column,
        &OFFSET => {
            let options = Arc::clone(session.config_options());
            Arc::new(ScalarFunctionExpr::try_new(offset_function(), vec![column], input, options)?)
        }
        to => cast(column, input, to.clone())?,
    })
}

impl TableProvider for ParquetTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let one = |filter: &&Expr| match self.original(filter)? {
            Some(original) if self.inner.is_told_by_names(&original) => Ok(TableProviderFilterPushDown::Exact),
            _ if self.is_exact(filter) => Ok(TableProviderFilterPushDown::Exact),
            Some(_) => Ok(TableProviderFilterPushDown::Inexact),
            None => Ok(TableProviderFilterPushDown::Unsupported),
        };
        filters.iter().map(one).collect()
    }

    fn scan(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let exact = filters.iter().filter_map(|filter| self.was_exact(filter).transpose());
        let exact = exact.collect::<Result<Vec<Expr>>>()?;
        if let Some(plan) = self.scan_vectors(session, projection, &exact, limit) {
            return plan;
        }
        let shown = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        filtered(session, (&self.schema, shown), exact, |columns| self.scan_files(session, &columns, filters, limit))
    }
}
