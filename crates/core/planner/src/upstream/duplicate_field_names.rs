//! Filter pushdown by column names, which works only for unique names.
//!
//! DataFusion's rule rewrites a filter for the next plan below by the names of its columns. If that plan has two
//! columns of one name, the rule takes the first:
//!
//! ```text
//!   a RIGHT JOIN b ON a.k = b.k WHERE a.k IS NULL
//!
//!   Filter k@0 IS NULL
//!     Projection k@2 AS k, k@0 AS k     the sides of the join were exchanged: a.k, b.k
//!       HashJoin Left: b, a             becomes a filter of b
//! ```
//!
//! So the rule is applied to the largest parts of a plan whose top operators have unique names. A filter that stays
//! above a join is one that the logical rules could not move below it; the cost is that the filter of a limit or of a
//! join (a dynamic one) does not reach the files through another join of such columns.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use std::collections::HashSet;
use std::sync::Arc;

/// How the names of DataFusion's rule begin: it has two, one for filters of the plan and one for dynamic filters.
const MOVING: &str = "FilterPushdown";

/// DataFusion's rule for the parts of a plan that have no two columns of one name below their tops.
#[derive(Debug)]
pub(crate) struct DistinctNames(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl DistinctNames {
    /// The rule, held back if it is the one that moves filters.
    pub(crate) fn hold(
        rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
    ) -> Arc<dyn PhysicalOptimizerRule + Send + Sync> {
        if rule.name().starts_with(MOVING) { Arc::new(DistinctNames(rule)) } else { rule }
    }

    fn optimize_parts(&self, plan: Arc<dyn ExecutionPlan>, options: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if plan.children().into_iter().all(has_distinct_names) {
            return self.0.optimize(plan, options);
        }
        let parts = plan.children().into_iter().map(|part| self.optimize_parts(Arc::clone(part), options));
        let parts: Vec<_> = parts.collect::<Result<_>>()?;
        replace_children_if_necessary(plan, parts)
    }
}

impl PhysicalOptimizerRule for DistinctNames {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, options: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        self.optimize_parts(plan, options)
    }
}

/// Returns true if a plan and everything below it have columns of different names.
fn has_distinct_names(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = plan.schema();
    let mut names = HashSet::with_capacity(schema.fields().len());
    schema.fields().iter().all(|field| names.insert(field.name()))
        && plan.children().into_iter().all(has_distinct_names)
}
