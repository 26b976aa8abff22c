//! Rewrites of a plan's expressions by a rule, with the expressions' names kept and the schema of their inputs
//! available.

use crate::tree::nodes::PlanTree;
use crate::tree::search::{any_expression, any_expression_of_plan};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, utils::merge_schema};

/// The schema of a node's expressions: the columns of its inputs, or of the table that it reads.
pub(crate) fn schema_of(node: &LogicalPlan) -> DFSchema {
    let mut schema = merge_schema(&node.inputs());
    if let LogicalPlan::TableScan(scan) = node {
        schema.merge(&scan.projected_schema);
    }
    schema
}

/// A node with its expressions rewritten. Its columns keep their names, and have the types that they are given.
pub(crate) fn node(
    node: LogicalPlan,
    rewrite: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    crate::planning_cancellation::check()?;
    let (schema, names) = (schema_of(&node), NamePreserver::new(&node));
    let named = |expr: Expr| {
        let name = names.save(&expr);
        Ok(rewrite(expr, &schema)?.update_data(|expr| name.restore(expr)))
    };
    let node = node.map_each_expression(|expr| match expr {
        // Its keys are the columns, and have names; what GROUPING asks about is one of them.
        Expr::GroupingSet(_) => expr.map_children(named),
        Expr::AggregateFunction(ref call) if call.func.name() == "grouping" => expr.map_children(named),
        other => named(other),
    })?;
    match node.transformed {
        true => node.data.recompute_schema().map(Transformed::yes),
        false => Ok(node),
    }
}

/// The plan with the expressions rewritten that have a part which is concerned; no type changes by it. A plan that has none
/// is left as it is.
pub(crate) fn concerned(
    plan: LogicalPlan,
    is_concerned: impl Fn(&Expr) -> bool,
    rewrite: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<LogicalPlan> {
    if !any_expression_of_plan(&plan, &is_concerned) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|each| match any_expression(&each, &is_concerned) {
        true => node(each, &rewrite),
        false => Ok(Transformed::no(each)),
    })
    .data()
}
