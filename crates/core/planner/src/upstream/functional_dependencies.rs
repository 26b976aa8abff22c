//! Functional dependencies of rows that are not functional dependencies of their groups.
//!
//! ```text
//!   SELECT DISTINCT k FROM (SELECT x.k, y.v FROM (SELECT k, count(*) FROM t GROUP BY k) x JOIN y ON .. GROUP BY x.k, y.v) z
//! ```
//!
//! `x.k` is the key of `x`, so after the join it determines the other columns of `x` - and not `y.v`. DataFusion takes
//! it for the key of the groups by both, and drops the DISTINCT, keys of further groups and of orders. So the rules
//! that use functional dependencies get plans with correct ones: where columns do not determine all grouping keys, only
//! the keys together determine a group.

use crate::tree::nodes::PlanTree;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Dependency, FunctionalDependence, FunctionalDependencies, Result};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// The names of DataFusion's rules that ask.
const ASKING: [&str; 4] =
    ["eliminate_duplicated_expr", "replace_distinct_aggregate", "eliminate_join", "optimize_projections"];

/// One of them.
#[derive(Debug)]
pub(crate) struct Determined(Arc<dyn OptimizerRule + Send + Sync>);

impl Determined {
    /// The rule, told the truth if it is one that asks.
    pub(crate) fn hold(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Arc<dyn OptimizerRule + Send + Sync> {
        if ASKING.contains(&rule.name()) { Arc::new(Determined(rule)) } else { rule }
    }
}

impl OptimizerRule for Determined {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let asks = matches!(plan, LogicalPlan::Sort(_) | LogicalPlan::Distinct(_) | LogicalPlan::Join(_));
        let plan = match (asks || self.apply_order().is_none()) && errs(&plan)? {
            true => told(plan)?.data,
            false => plan,
        };
        self.0.rewrite(plan, config)
    }
}

/// Returns true if groups of the plan say what is not so.
fn errs(plan: &LogicalPlan) -> Result<bool> {
    let mut errs = false;
    plan.each_with_subqueries(|node| {
        errs |= matches!(node, LogicalPlan::Aggregate(groups) if truth(groups).is_some());
        Ok(if errs { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(errs)
}

/// The plan whose groups say what is so, and all that is above them what follows from it.
fn told(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let plan = plan.map_subqueries(told)?.data.map_children(told)?;
    let (plan, is_new) = match plan.transformed {
        true => (plan.data.recompute_schema()?, true),
        false => (plan.data, false),
    };
    let LogicalPlan::Aggregate(mut groups) = plan else {
        return Ok(Transformed::new_transformed(plan, is_new));
    };
    let truth = truth(&groups);
    let is_new = is_new || truth.is_some();
    if let Some(truth) = truth {
        groups.schema = Arc::new(groups.schema.as_ref().clone().with_functional_dependencies(truth)?);
    }
    Ok(Transformed::new_transformed(LogicalPlan::Aggregate(groups), is_new))
}

/// The functional dependencies of a group, where its plan claims others.
fn truth(groups: &Aggregate) -> Option<FunctionalDependencies> {
    let of_rows = groups.input.schema().functional_dependencies();
    if of_rows.is_empty() || groups.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_))) {
        return None;
    }
    let columns = groups.input.schema().field_names();
    let keys: Vec<String> = groups.group_expr.iter().map(|key| key.schema_name().to_string()).collect();
    let all = || (0..groups.schema.fields().len()).collect();
    let (mut determine, mut errs) = (Vec::new(), false);
    for dependence in of_rows.iter() {
        let place = |column: &usize| keys.iter().position(|key| *key == columns[*column]);
        let Some(sources) = dependence.source_indices.iter().map(place).collect::<Option<Vec<usize>>>() else {
            continue;
        };
        let is_known = |key: &String| {
            let mut known = dependence.source_indices.iter().chain(&dependence.target_indices);
            known.any(|column| columns[*column] == *key)
        };
        if keys.iter().all(is_known) {
            let one = FunctionalDependence::new(sources, all(), dependence.nullable);
            determine.push(one.with_mode(Dependency::Single));
        } else {
            errs = true;
        }
    }
    if !errs {
        return None;
    }
    if determine.is_empty() {
        let nullable = groups.schema.fields().iter().take(keys.len()).any(|field| field.is_nullable());
        let one = FunctionalDependence::new((0..keys.len()).collect(), all(), nullable);
        determine.push(one.with_mode(Dependency::Single));
    }
    let truth = FunctionalDependencies::new(determine);
    (*groups.schema.functional_dependencies() != truth).then_some(truth)
}
