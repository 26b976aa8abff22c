//! Adapter of Mainstay's tables for DataFusion's planner.
//!
//! Names are in lower case (the planner compares them as they are, and the text is in lower case); the file's own
//! spelling is in the metadata and reappears in the answer. The scan takes over and exactly applies each condition that
//! [`condition`](crate::leaves::condition) can express.

use crate::catalog::{Catalog, Visibility};
use crate::fields::{collated, lower_case};
use crate::leaves::condition;
use crate::leaves::scan::TableScan;
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, Result};
use datafusion::datasource::source_as_provider;
use datafusion::execution::SessionState;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableSource};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExecBuilder;
use mainstay_columnar::{Table, sample};
use std::collections::HashSet;
use std::sync::Arc;

/// A table of ours, in the role of one statement.
#[derive(Debug)]
pub(crate) struct TableRelation {
    table: Arc<dyn Table>,
    schema: SchemaRef,
    visibility: Visibility,
    takes_conditions: bool,
}

impl TableRelation {
    pub(crate) fn new(
        table: Arc<dyn Table>,
        hidden_columns: bool,
        visibility: Visibility,
        takes_conditions: bool,
    ) -> TableRelation {
        let all = table.schema().fields();
        let shown = if hidden_columns { all.len() } else { all.len() - table.hidden_columns() };
        let fields: Vec<Field> = all[..shown].iter().map(|field| lower_case(field)).collect();
        TableRelation { schema: Arc::new(Schema::new(fields)), table, visibility, takes_conditions }
    }

    /// A table of a file under the columns that statements see.
    pub(crate) fn of_columns(table: Arc<dyn Table>, schema: SchemaRef, visibility: Visibility) -> TableRelation {
        TableRelation { table, schema, visibility, takes_conditions: true }
    }

    /// The same with the text of a file under the collation that the session's language has for it.
    pub(crate) fn collated(self, catalog: &dyn Catalog) -> TableRelation {
        let schema = collated(&self.schema, catalog.reading().collation);
        TableRelation { schema, ..self }
    }
}

impl TableProvider for TableRelation {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.takes_conditions && condition::is_expressible(filter, &self.schema) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    fn scan(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let shown = match projection {
            Some(columns) => columns.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let (mut parts, mut others) = (Vec::new(), Vec::new());
        for filter in filters {
            match condition::predicate(filter, &self.schema) {
                Some(part) => parts.push(part),
                None => others.push(filter.clone()),
            }
        }
        let predicate = (!parts.is_empty()).then(|| condition::all(parts));
        // Row groups are dealt out to partitions only where there is enough work for two threads.
        let partitions = match self.table.estimated_rows() {
            rows if rows < PARALLEL_FROM_ROWS => 1,
            _ => session.config().target_partitions().max(1),
        };
        // A parameter may have got a value that no kernel compares.
        let limit = limit.filter(|_| others.is_empty());
        let scan = |columns: Vec<usize>| -> Result<Arc<dyn ExecutionPlan>> {
            let table = Arc::clone(&self.table);
            let scan = TableScan::new(table, &self.schema, columns, predicate, self.visibility, partitions);
            Ok(Arc::new(scan.with_limit(limit)))
        };
        filtered(session, (&self.schema, shown), others, scan)
    }
}

/// Columns of a scan under further conditions, which may be about other columns: `scan` gives columns by their places in
/// the schema.
pub(crate) fn filtered(
    session: &SessionState,
    (schema, shown): (&SchemaRef, Vec<usize>),
    conditions: Vec<Expr>,
    scan: impl FnOnce(Vec<usize>) -> Result<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(condition) = conjunction(conditions) else { return scan(shown) };
    let mut columns = shown.clone();
    for column in condition.column_refs() {
        let column = schema.index_of(&column.name)?;
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let scan = scan(columns)?;
    let names = DFSchema::try_from(scan.schema())?;
    let condition = session.create_physical_expr(condition, &names)?;
    let shown = (0..shown.len()).collect();
    let filter = FilterExecBuilder::new(condition, scan).apply_projection(Some(shown))?.build()?;
    Ok(Arc::new(filter))
}

/// The table of ours behind a source, if it is one.
pub(crate) fn table_of(source: &Arc<dyn TableSource>) -> Option<Arc<dyn Table>> {
    let provider = source_as_provider(source).ok()?;
    Some(Arc::clone(&provider.downcast_ref::<TableRelation>()?.table))
}

/// Returns true if two sources are the same table, read in the same way.
pub(crate) fn is_same_source(one: &Arc<dyn TableSource>, other: &Arc<dyn TableSource>) -> bool {
    let (Ok(one), Ok(other)) = (source_as_provider(one), source_as_provider(other)) else { return false };
    match (one.downcast_ref::<TableRelation>(), other.downcast_ref::<TableRelation>()) {
        (Some(one), Some(other)) => {
            one.table.is_same(other.table.as_ref())
                && one.schema == other.schema
                && one.visibility == other.visibility
                && one.takes_conditions == other.takes_conditions
        }
        _ => crate::leaves::parquet::is_same(one.as_ref(), other.as_ref()),
    }
}

/// Returns true if a table is so large that reading it with several threads is faster.
pub(crate) fn is_large(source: &Arc<dyn TableSource>) -> bool {
    let Ok(provider) = source_as_provider(source) else { return false };
    match provider.downcast_ref::<TableRelation>() {
        Some(relation) => relation.table.estimated_rows() >= PARALLEL_FROM_ROWS,
        None => crate::leaves::parquet::is_large(provider.as_ref()),
    }
}

/// About how many rows a table has; 0 if that is not known.
pub(crate) fn known_rows(source: &Arc<dyn TableSource>) -> usize {
    let Ok(provider) = source_as_provider(source) else { return 0 };
    match provider.downcast_ref::<TableRelation>() {
        Some(relation) => relation.table.estimated_rows(),
        None => crate::leaves::parquet::rows(provider.as_ref()),
    }
}

/// The estimated number of distinct values of a column of a table, if there is an estimate: for a Parquet file the width of
/// the range of its whole numbers or dates, which is an upper bound; for other tables an estimate from a sample of the rows,
/// which may be too low or too high.
pub(crate) fn distinct_values(source: &Arc<dyn TableSource>, column: usize) -> Option<usize> {
    let provider = source_as_provider(source).ok()?;
    match provider.downcast_ref::<TableRelation>() {
        Some(relation) => sampled_values(relation.table.as_ref(), column),
        None => crate::leaves::parquet::distinct_values(provider.as_ref(), column),
    }
}

/// The number of distinct values that a sample of the rows indicates.
pub(crate) fn sampled_values(table: &dyn Table, column: usize) -> Option<usize> {
    let snapshot = table.snapshot().ok()?;
    let runs = sample::runs(snapshot.as_ref(), column).ok()?;
    let sampled = runs.iter().map(|run| run.len()).sum();
    let values = runs.iter().map(values_of).collect::<Option<Vec<_>>>()?;
    sample::distinct_values(&values, sampled, table.estimated_rows())
}

/// The distinct values of a vector, as bytes that are the same for equal values.
fn values_of(vector: &ArrayRef) -> Option<HashSet<Box<[u8]>>> {
    let converter = RowConverter::new(vec![SortField::new(vector.data_type().clone())]).ok()?;
    let keys = converter.convert_columns(&[Arc::clone(vector)]).ok()?;
    Some(keys.iter().map(|key| Box::from(key.as_ref())).collect())
}

/// How many rows a table of ours has, about; 0 for another one.
pub(crate) fn estimated_rows(source: &Arc<dyn TableSource>) -> usize {
    let provider = source_as_provider(source).ok();
    let relation = provider.as_ref().and_then(|provider| provider.downcast_ref::<TableRelation>());
    relation.map_or(0, |relation| relation.table.estimated_rows())
}

/// Below this size one thread is faster than handing batches between threads.
pub(crate) const PARALLEL_FROM_ROWS: usize = 1_000_000;
