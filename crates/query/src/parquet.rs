//! Parquet files, and folders of them, as tables: DataFusion reads them.
//!
//! Only names are added: the planner compares names in lower case, so a table shows its columns that way
//! and renames them below its scan.

use crate::error::from_datafusion;
use crate::planner::Planner;
use crate::relation::lower_case;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, Result, Statistics};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column as PhysicalColumn;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use mainstay_base::{Code, Error};
use std::path::Path;
use std::sync::Arc;

/// From this many bytes on, reading with several threads is faster.
const PARALLEL_FROM_BYTES: u64 = 32 << 20;

#[derive(Debug)]
struct ParquetTable {
    inner: ListingTable,
    schema: SchemaRef,
    bytes: u64,
}

/// Opens a Parquet file, or a folder whose `*.parquet` files have one schema; `bytes` is their length.
pub fn open_parquet(planner: &Planner, path: &Path, bytes: u64) -> mainstay_base::Result<Arc<dyn TableProvider>> {
    let failed = |error| from_datafusion(error, None, None).at(path.display());
    let text =
        path.to_str().ok_or_else(|| Error::new(Code::Unsupported, "a path that is not UTF-8").at(path.display()))?;
    // A URL of a folder ends in a slash; without one it would be a file.
    let url = if path.is_dir() { format!("{text}/") } else { text.to_owned() };
    let state = planner.state();
    let open = async {
        let url = ListingTableUrl::parse(&url)?;
        let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
        let schema = options.infer_schema(state, &url).await?;
        ListingTable::try_new(ListingTableConfig::new(url).with_listing_options(options).with_schema(schema))
    };
    let inner = crate::run::wait(planner.runtime(), open).map_err(failed)?;
    let schema =
        Arc::new(Schema::new(inner.schema().fields().iter().map(|field| lower_case(field)).collect::<Vec<Field>>()));
    Ok(Arc::new(ParquetTable { inner, schema, bytes }))
}

/// The columns under the names that their files have.
pub fn original_schema(provider: &dyn TableProvider) -> SchemaRef {
    match provider.downcast_ref::<ParquetTable>() {
        Some(table) => table.inner.schema(),
        None => provider.schema(),
    }
}

/// Whether this is a Parquet table worth several threads.
pub(crate) fn is_large(provider: &dyn TableProvider) -> bool {
    provider.downcast_ref::<ParquetTable>().is_some_and(|table| table.bytes >= PARALLEL_FROM_BYTES)
}

impl ParquetTable {
    /// The expression over the names that the files have.
    fn original(&self, expr: &Expr) -> Result<Expr> {
        expr.clone()
            .transform(|expr| match expr {
                Expr::Column(column) => {
                    let index = self.schema.index_of(&column.name)?;
                    let name = self.inner.schema().field(index).name().clone();
                    Ok(Transformed::yes(Expr::Column(Column::new(column.relation, name))))
                }
                other => Ok(Transformed::no(other)),
            })
            .data()
    }
}

#[async_trait]
impl TableProvider for ParquetTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let originals: Vec<Expr> = filters.iter().map(|filter| self.original(filter)).collect::<Result<_>>()?;
        self.inner.supports_filters_pushdown(&originals.iter().collect::<Vec<_>>())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let filters: Vec<Expr> = filters.iter().map(|filter| self.original(filter)).collect::<Result<_>>()?;
        let plan = self.inner.scan(state, projection, &filters, limit).await?;
        let output = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => Arc::clone(&self.schema),
        };
        let input = plan.schema();
        let renamed = input.fields().iter().zip(output.fields()).enumerate().map(|(i, (from, to))| {
            let column: Arc<dyn PhysicalExpr> = Arc::new(PhysicalColumn::new(from.name(), i));
            (column, to.name().clone())
        });
        let renamed: Vec<_> = renamed.collect();
        Ok(Arc::new(ProjectionExec::try_new(renamed, plan)?))
    }

    fn statistics(&self) -> Option<Statistics> {
        self.inner.statistics()
    }
}
