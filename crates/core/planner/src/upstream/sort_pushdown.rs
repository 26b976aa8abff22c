//! A sort above a limit stays above it.
//!
//! ```text
//!   SELECT * FROM (SELECT id, age FROM t LIMIT 2 OFFSET 2) x ORDER BY age
//!
//!   Sort age                                   Limit skip 2, fetch 2
//!     Limit skip 2, fetch 2     instead of       Sort age, the first 2
//!       t                                          t
//! ```
//!
//! DataFusion moves a sort below a limit whose input has no known order, with the limit's count of rows and without
//! those that the limit skips. The result has other rows then, or none. So while its rule for sorts runs, a limit is a
//! node of which the rule knows only the order and the rows that it requires.
//!
//! And it removes a sort that only determines which rows are skipped, because no operator requires the order:
//!
//! ```text
//!   SELECT max(id) FROM (SELECT id FROM t ORDER BY name OFFSET 2) x
//! ```
//!
//! Such a sort is protected in the same way.

use crate::tree::nodes::Tree;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{OrderingRequirements, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements, PlanProperties,
};
use std::fmt;
use std::sync::Arc;

/// The name that DataFusion gives its rule.
const SORTING: &str = "EnsureRequirements";

/// DataFusion's rule for sorts, which sees no limits.
#[derive(Debug)]
pub(crate) struct HeldLimits(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl HeldLimits {
    /// The rule, with limits held if it is the one that moves sorts.
    pub(crate) fn hold(
        rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
    ) -> Arc<dyn PhysicalOptimizerRule + Send + Sync> {
        if rule.name() == SORTING { Arc::new(HeldLimits(rule)) } else { rule }
    }
}

impl PhysicalOptimizerRule for HeldLimits {
    fn name(&self) -> &str {
        SORTING
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, options: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let held = plan.map_up(|node| match node.downcast_ref::<GlobalLimitExec>() {
            Some(limit) => Held::of_limit(limit).map(Transformed::yes),
            None => Ok(Transformed::no(node)),
        })?;
        let sorted = self.0.optimize(held.data, options)?;
        if !held.transformed {
            return Ok(sorted);
        }
        let given_back = |node: Arc<dyn ExecutionPlan>| {
            Ok(match node.downcast_ref::<Held>() {
                Some(held) => Transformed::yes(Arc::clone(&held.node)),
                None => Transformed::no(node),
            })
        };
        sorted.map_up(given_back).data()
    }
}

/// The plan with the sort held that says which rows are first in it, if there is one.
fn with_held_sort(plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if plan.is::<SortExec>() {
        return Ok(Arc::new(Held { node: Arc::clone(plan), order: None }));
    }
    match (plan.children().as_slice(), plan.maintains_input_order().as_slice()) {
        ([input], [true]) => replace_children_if_necessary(Arc::clone(plan), vec![with_held_sort(input)?]),
        _ => Ok(Arc::clone(plan)),
    }
}

/// A limit or a sort that is held.
#[derive(Debug)]
struct Held {
    node: Arc<dyn ExecutionPlan>,
    /// The order in which a limit counts its input, if that has one that can be named.
    order: Option<OrderingRequirements>,
}

impl Held {
    fn of_limit(limit: &GlobalLimitExec) -> Result<Arc<dyn ExecutionPlan>> {
        let order = limit.input().output_ordering().cloned().map(OrderingRequirements::from);
        // A sort below a limit that says how many rows there are is one for so many rows, and stays.
        let input = match (&order, limit.fetch()) {
            (None, None) => with_held_sort(limit.input())?,
            _ => Arc::clone(limit.input()),
        };
        Ok(Arc::new(Held { node: Arc::new(GlobalLimitExec::new(input, limit.skip(), limit.fetch())), order }))
    }
}

impl DisplayAs for Held {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl ExecutionPlan for Held {
    fn name(&self) -> &'static str {
        "Held"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.node.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.node.children()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.node.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone()]
    }

    /// It does, but who is told so brings sorts below it.
    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let node = replace_children_if_necessary(Arc::clone(&self.node), children)?;
        Ok(Arc::new(Held { node, order: self.order.clone() }))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.node.execute(partition, context)
    }
}
