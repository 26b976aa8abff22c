//! Joins with null-equal keys keep this property.
//!
//! A join has one setting for all of its keys: NULL is equal to NULL (`a.x IS NOT DISTINCT FROM b.x`) or not (`a.x =
//! b.x`). Two of DataFusion's rules ignore it. The rule that turns cross joins into inner joins takes the joins of a
//! chain apart, with the equalities of WHERE, and gives all new joins the setting of the uppermost one; the rule that
//! turns equalities into keys adds them to existing keys:
//!
//! ```text
//!   FROM a JOIN b ON a.x IS NOT DISTINCT FROM b.x CROSS JOIN c      became a.x = b.x
//!   ... ON a.x IS NOT DISTINCT FROM b.x WHERE a.y = b.y             let a NULL of y meet another
//! ```
//!
//! So the first rule is skipped for chains with such a join, and the second for such a join. Equalities stay conditions
//! of the join.

use crate::tree::search::any_node;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{JoinType, NullEquality, Result};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// The name of the rule that takes joins apart: it is given whole plans.
const TAKES_APART: &str = "eliminate_cross_join";

/// The name of the rule that makes keys: it is given node by node.
const MAKES_KEYS: &str = "extract_equijoin_predicate";

/// One of them.
#[derive(Debug)]
pub(crate) struct NullKeys(Arc<dyn OptimizerRule + Send + Sync>);

impl NullKeys {
    /// The rule, held back if it is one of the two.
    pub(crate) fn hold(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Arc<dyn OptimizerRule + Send + Sync> {
        if [TAKES_APART, MAKES_KEYS].contains(&rule.name()) { Arc::new(NullKeys(rule)) } else { rule }
    }
}

impl OptimizerRule for NullKeys {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let is_concerned = match self.apply_order() {
            None => any_node(&plan, |node| joins_nulls(node, true)),
            Some(_) => joins_nulls(&plan, false),
        };
        match is_concerned {
            true => Ok(Transformed::no(plan)),
            false => self.0.rewrite(plan, config),
        }
    }
}

/// Returns true if NULL meets NULL in it; of inner joins only, if no others are taken apart.
fn joins_nulls(node: &LogicalPlan, inner_only: bool) -> bool {
    let LogicalPlan::Join(join) = node else { return false };
    (join.join_type == JoinType::Inner || !inner_only)
        && join.null_equality == NullEquality::NullEqualsNull
        && !join.on.is_empty()
}
