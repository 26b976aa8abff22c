//! Tables as the planner sees them.

use crate::execution::SessionState;
use datafusion_common::arrow::datatypes::SchemaRef;
use datafusion_common::{Result, internal_err};
use datafusion_expr::{Expr, LogicalPlan, TableProviderFilterPushDown, TableSource, TableType};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::work_table::WorkTableExec;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A table that can be read.
pub trait TableProvider: Any + fmt::Debug + Send + Sync {
    /// Its columns.
    fn schema(&self) -> SchemaRef;

    /// Returns true if it is a table, or something that a statement makes.
    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// For each condition, whether [`TableProvider::scan`] applies it.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Unsupported; filters.len()])
    }

    /// The operator that reads these columns of it, all of them without a `projection`, of the rows for which the conditions
    /// hold. No more than `limit` rows are needed. Columns in conditions have no table's name before them.
    fn scan(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>>;
}

impl dyn TableProvider {
    /// The table as what it is.
    pub fn downcast_ref<T: TableProvider>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

/// A table as the source of a logical plan's scan.
struct ProvidedSource(Arc<dyn TableProvider>);

impl TableSource for ProvidedSource {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        self.0.table_type()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.0.supports_filters_pushdown(filters)
    }
}

/// The source of scans of a table.
pub fn provider_as_source(provider: Arc<dyn TableProvider>) -> Arc<dyn TableSource> {
    Arc::new(ProvidedSource(provider))
}

/// The table behind a source.
///
/// Errors: internal, for a source that is not one of a table.
pub fn source_as_provider(source: &Arc<dyn TableSource>) -> Result<Arc<dyn TableProvider>> {
    match source.downcast_ref::<ProvidedSource>() {
        Some(source) => Ok(Arc::clone(&source.0)),
        None => internal_err!("a scan of what is no table"),
    }
}

/// A view: what reads it takes its query in.
pub struct ViewSource {
    plan: LogicalPlan,
    schema: SchemaRef,
}

impl ViewSource {
    /// The view of this query.
    pub fn new(plan: LogicalPlan) -> ViewSource {
        let schema = Arc::new(plan.schema().as_arrow().clone());
        ViewSource { plan, schema }
    }
}

impl TableSource for ViewSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }

    fn get_logical_plan(&'_ self) -> Option<Cow<'_, LogicalPlan>> {
        Some(Cow::Borrowed(&self.plan))
    }
}

/// The rows of the turn before, as the recursive part of a common table expression sees them.
#[derive(Debug)]
pub struct CteWorkTable {
    name: String,
    schema: SchemaRef,
}

impl CteWorkTable {
    /// Those of the common table expression of this name.
    pub fn new(name: &str, schema: SchemaRef) -> CteWorkTable {
        CteWorkTable { name: name.to_owned(), schema }
    }

    /// The name of the common table expression.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl TableProvider for CteWorkTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    fn scan(
        &self,
        _: &SessionState,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = WorkTableExec::new(self.name.clone(), Arc::clone(&self.schema), projection.cloned())?;
        Ok(Arc::new(rows))
    }
}
