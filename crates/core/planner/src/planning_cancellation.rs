//! Cancellation during planning.
//!
//! An expression of thousands of operators takes the planner seconds, all of them in DataFusion's loops. Callbacks of
//! the planner check for cancellation ([`interrupt`]) there: between operators, and before each rule visits a node.

use crate::carried_error::to_datafusion;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{AnalyzerRule, ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use mainstay_types::interrupt;
use std::sync::Arc;

/// Looks whether the statement is to end that is planned on this thread.
///
/// Errors: the reason.
pub(crate) fn check() -> Result<()> {
    interrupt::check().map_err(to_datafusion)
}

/// A rule that does not begin when the statement is to end.
#[derive(Debug)]
pub(crate) struct Ended<R: ?Sized>(Arc<R>);

impl Ended<dyn AnalyzerRule + Send + Sync> {
    pub(crate) fn analysis(rule: Arc<dyn AnalyzerRule + Send + Sync>) -> Arc<dyn AnalyzerRule + Send + Sync> {
        Arc::new(Ended(rule))
    }
}

impl Ended<dyn OptimizerRule + Send + Sync> {
    pub(crate) fn logical(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Arc<dyn OptimizerRule + Send + Sync> {
        Arc::new(Ended(rule))
    }
}

impl Ended<dyn PhysicalOptimizerRule + Send + Sync> {
    pub(crate) fn physical(
        rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
    ) -> Arc<dyn PhysicalOptimizerRule + Send + Sync> {
        Arc::new(Ended(rule))
    }
}

impl AnalyzerRule for Ended<dyn AnalyzerRule + Send + Sync> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn analyze(&self, plan: LogicalPlan, options: &ConfigOptions) -> Result<LogicalPlan> {
        check()?;
        self.0.analyze(plan, options)
    }
}

impl OptimizerRule for Ended<dyn OptimizerRule + Send + Sync> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        check()?;
        self.0.rewrite(plan, config)
    }
}

impl PhysicalOptimizerRule for Ended<dyn PhysicalOptimizerRule + Send + Sync> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, options: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        check()?;
        self.0.optimize(plan, options)
    }
}
