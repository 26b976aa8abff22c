//! Equivalences of a column and an expression over it.
//!
//! ```text
//!   SELECT x, count(*) OVER (PARTITION BY x) FROM t WHERE abs(x) = x
//! ```
//!
//! Equal expressions have one normal form in DataFusion, and that of `x` is `abs(x)` here: its normal form is
//! `abs(abs(x))`, and so on. Required orders and partitions are then not found among the existing ones. So rows with
//! such an equivalence come from a node that hides it.

use crate::tree::nodes::Tree;
use crate::upstream::statistics_barrier::Silent;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::equivalence::{EquivalenceClass, EquivalenceGroup};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

/// Puts such a node where that is first said.
#[derive(Debug)]
pub(crate) struct Circular;

impl PhysicalOptimizerRule for Circular {
    fn name(&self) -> &str {
        "circular"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| match is_circular(node.equivalence_properties().eq_group()) {
            true => Ok(Transformed::yes(Silent::over(node))),
            false => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// Returns true if the form of some column would have that column in it, by way of others or not.
fn is_circular(known: &EquivalenceGroup) -> bool {
    // By class, the classes of the columns in its expressions.
    let class_of = |column: &Column| known.iter().position(|class| class.iter().any(|of| is_column(of, column)));
    let leads_to = |class: &EquivalenceClass| -> Vec<usize> {
        let expressions = class.iter().filter(|member| !member.is::<Column>());
        expressions.flat_map(collect_columns).filter_map(|column| class_of(&column)).collect()
    };
    let mut left: Vec<(usize, Vec<usize>)> = known.iter().map(leads_to).enumerate().collect();
    // An expression that leads to none of the others is in no circle.
    loop {
        let numbers: Vec<usize> = left.iter().map(|(number, _)| *number).collect();
        left.retain(|(_, to)| to.iter().any(|to| numbers.contains(to)));
        if left.len() == numbers.len() {
            return !left.is_empty();
        }
    }
}

fn is_column(expr: &Arc<dyn PhysicalExpr>, column: &Column) -> bool {
    expr.downcast_ref::<Column>() == Some(column)
}
