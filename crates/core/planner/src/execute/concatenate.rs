//! Concatenation of an operator's partitions in their order.
//!
//! The branches of a UNION ALL are partitions of one operator, and so are the rows of a VALUES list that DataFusion
//! plans as one. DataFusion reads partitions at the same time and passes batches on as they come, so that the order of
//! the rows changes from run to run. And the short list of rules for plain statements ([`crate::optimize`]) combines
//! partitions nowhere, on which [`LimitPushdown`] relies: it pushes a limit into every branch, and removes it above
//! them.
//!
//! ```text
//!   Limit 3                          Concatenate fetch=3
//!     Union               -->          Union
//!       Scan a                           Scan a limit=3
//!       Scan b                           Scan b limit=3
//! ```
//!
//! [`Concatenate`] reads one partition after the other. [`CombineForLimits`] inserts it below the limits of plain
//! plans, and [`KeepOrder`] in place of DataFusion's merging operators in plans for one thread. Plans for several
//! threads keep DataFusion's operators, except above rows that come from no table: these are few.
//!
//! Limits: SQL promises no order without ORDER BY, and large tables are read in no order.
//!
//! [`LimitPushdown`]: datafusion::physical_optimizer::limit_pushdown::LimitPushdown

use crate::tree::nodes::Tree;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Result, Statistics};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::limit::{GlobalLimitExec, LimitStream};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
};
use futures::TryStreamExt;
use std::fmt;
use std::sync::Arc;

/// Gives the limits of a plan one partition to count. It comes before the rule that pushes limits down.
#[derive(Debug)]
pub(crate) struct CombineForLimits;

impl PhysicalOptimizerRule for CombineForLimits {
    fn name(&self) -> &str {
        "combine_for_limits"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| match node.downcast_ref::<GlobalLimitExec>() {
            Some(limit) if has_partitions(limit.input()) => {
                let input = Concatenate::over(Arc::clone(limit.input()), None);
                replace_children_if_necessary(node, vec![input]).map(Transformed::yes)
            }
            _ => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// Combines partitions in their order, wherever a plan combines them and where it ends. It comes behind the rules that know
/// DataFusion's operators.
#[derive(Debug)]
pub(crate) struct KeepOrder {
    /// Several threads run the plan: only rows that come from no table keep their order.
    pub(crate) is_parallel: bool,
}

impl PhysicalOptimizerRule for KeepOrder {
    fn name(&self) -> &str {
        "keep_order"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let keeps_order = |input: &Arc<dyn ExecutionPlan>| !self.is_parallel || is_of_no_table(input);
        let plan = plan.map_up(|node| {
            let combined = match (node.downcast_ref::<CoalescePartitionsExec>(), node.downcast_ref::<RepartitionExec>())
            {
                (Some(combined), _) => combined.input(),
                (None, Some(combined)) if !combined.preserve_order() && !has_partitions(&node) => combined.input(),
                _ => return Ok(Transformed::no(node)),
            };
            Ok(match keeps_order(combined) {
                true => Transformed::yes(Concatenate::over(Arc::clone(combined), node.fetch())),
                false => Transformed::no(node),
            })
        })?;
        Ok(match plan.data {
            plan if has_partitions(&plan) && keeps_order(&plan) => Concatenate::over(plan, None),
            plan => plan,
        })
    }
}

fn has_partitions(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.output_partitioning().partition_count() > 1
}

/// Reports whether all rows that a plan reads stand in the statement itself.
fn is_of_no_table(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let children = plan.children();
    if !children.is_empty() {
        return children.into_iter().all(is_of_no_table);
    }
    let is_list = |source: &DataSourceExec| source.data_source().downcast_ref::<MemorySourceConfig>().is_some();
    plan.is::<PlaceholderRowExec>()
        || plan.is::<EmptyExec>()
        || plan.downcast_ref::<DataSourceExec>().is_some_and(is_list)
}

/// Passes on the rows of one partition after the other, up to a number of rows.
#[derive(Debug)]
pub(crate) struct Concatenate {
    input: Arc<dyn ExecutionPlan>,
    fetch: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl Concatenate {
    fn over(input: Arc<dyn ExecutionPlan>, fetch: Option<usize>) -> Arc<dyn ExecutionPlan> {
        let mut equivalences = input.equivalence_properties().clone();
        // Each partition may have an order, and the rows of all of them have none.
        equivalences.clear_orderings();
        equivalences.clear_per_partition_constants();
        let properties = PlanProperties::new(
            equivalences,
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        let properties = Arc::new(properties.with_scheduling_type(input.properties().scheduling_type));
        Arc::new(Concatenate { input, fetch, properties })
    }
}

impl DisplayAs for Concatenate {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Concatenate")?;
        self.fetch.map_or(Ok(()), |fetch| write!(f, ": fetch={fetch}"))
    }
}

impl ExecutionPlan for Concatenate {
    fn name(&self) -> &'static str {
        "Concatenate"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Concatenate::over(children.remove(0), self.fetch))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn with_fetch(&self, fetch: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Concatenate::over(Arc::clone(&self.input), fetch))
    }

    fn child_stats_requests(&self, _: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(None)]
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], _: &StatisticsArgs) -> Result<Arc<Statistics>> {
        Ok(Arc::new(inputs[0].as_ref().clone().with_fetch(self.fetch, 0, 1)?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (input, partitions) = (Arc::clone(&self.input), self.input.output_partitioning().partition_count());
        let opened = (0..partitions).map(move |partition| input.execute(partition, Arc::clone(&context)));
        let batches = futures::stream::iter(opened).try_flatten();
        let batches: SendableRecordBatchStream = Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches));
        Ok(match self.fetch {
            Some(_) => {
                let metrics = BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), partition);
                Box::pin(LimitStream::new(batches, 0, self.fetch, metrics))
            }
            None => batches,
        })
    }
}
