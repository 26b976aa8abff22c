//! What DataFusion's SQL planner asks about while it plans one statement.

use crate::catalog::{Catalog, Relation};
use crate::relation::{TableRelation, Visibility};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::datasource::cte_worktable::CteWorkTable;
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner};
use datafusion::logical_expr::{AggregateUDF, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF};
use std::sync::Arc;

/// The tables of a catalog and the functions of a session, for the planning of one statement.
pub(crate) struct StatementContext<'a> {
    pub(crate) state: &'a SessionState,
    pub(crate) catalog: &'a dyn Catalog,
    /// Whether the statement names `_recno` or `_deleted`, and so sees them as columns.
    pub(crate) hidden_columns: bool,
    pub(crate) visibility: Visibility,
    /// Whether tables take over what they can do themselves; see `Settings::fuse`.
    pub(crate) fuse: bool,
}

impl ContextProvider for StatementContext<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        if let Some(schema) = name.schema()
            && !matches!(schema, "main" | "public" | "dbo")
        {
            return plan_err!("table '{name}' not found");
        }
        match self.catalog.relation(name.table()).map_err(crate::error::to_datafusion)? {
            Some(Relation::Table(table)) => {
                let relation = TableRelation::new(table, self.hidden_columns, self.visibility, self.fuse);
                Ok(provider_as_source(Arc::new(relation)))
            }
            Some(Relation::Foreign(provider)) => Ok(provider_as_source(provider)),
            None => plan_err!("table '{name}' not found"),
        }
    }

    fn create_cte_work_table(&self, name: &str, schema: SchemaRef) -> Result<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(name, schema))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.state.scalar_functions().get(name).cloned()
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.state.higher_order_functions().get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned()
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        self.state.higher_order_functions().keys().cloned().collect()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}
