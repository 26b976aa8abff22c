//! Which correlated subqueries DataFusion's own rules make joins of.
//!
//! They pull conditions with outer references up, through projections and aggregates, and join by them. That works if
//! such references stand in conditions alone, are to the row right outside, and - below an aggregate - compare a column
//! for equality.

use super::has_column;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, JoinType, LogicalPlan, Operator};

/// Where a subquery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the right of a join.
    Side,
    /// As a value.
    Value,
    /// In EXISTS or IN.
    Test,
}

/// Whether the subquery can be left to DataFusion. `around` are the columns of the row outside.
pub(super) fn is_easy(plan: &LogicalPlan, around: &DFSchema, place: Place) -> Result<bool> {
    if place == Place::Value && !is_one_row(plan) {
        return Ok(false);
    }
    let mut easy = true;
    let mut has_aggregate = false;
    let mut is_every_condition_equality = true;
    plan.apply(|node| {
        easy &= match node {
            LogicalPlan::Filter(filter) => {
                let outer = split_conjunction(&filter.predicate).into_iter().filter(|part| part.contains_outer());
                is_every_condition_equality &= outer.into_iter().all(is_equality_of_column);
                // A condition on groups is not pulled up.
                let is_of_groups = is_grouped(&filter.input);
                !is_of_groups || !filter.predicate.contains_outer() && place != Place::Side
            }
            LogicalPlan::Aggregate(aggregate) => {
                has_aggregate = true;
                // Groups of their own would be mixed with those of the pulled columns.
                (aggregate.group_expr.is_empty() || place == Place::Test) && !node.contains_outer_reference()
            }
            LogicalPlan::Join(join) => join.join_type == JoinType::Inner && !node.contains_outer_reference(),
            // Beside an aggregate of no rows, DataFusion makes NULL of everything that is calculated.
            LogicalPlan::Projection(projection) if place == Place::Side && is_grouped(&projection.input) => {
                projection.expr.iter().all(|expr| matches!(expr.clone().unalias(), Expr::Column(_)))
            }
            LogicalPlan::Projection(_) => !node.contains_outer_reference(),
            LogicalPlan::SubqueryAlias(_) | LogicalPlan::TableScan(_) | LogicalPlan::EmptyRelation(_) => true,
            LogicalPlan::Sort(_) | LogicalPlan::Distinct(_) => place == Place::Test && !node.contains_outer_reference(),
            _ => false,
        };
        easy &= references_are_near(node, around)?;
        Ok(if easy { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(easy && (!has_aggregate || is_every_condition_equality))
}

/// Whether the rows of a plan are groups.
fn is_grouped(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(_) => true,
        LogicalPlan::Projection(projection) => is_grouped(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_grouped(&alias.input),
        LogicalPlan::Filter(filter) => is_grouped(&filter.input),
        _ => false,
    }
}

fn is_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(projection) => is_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_one_row(&alias.input),
        _ => false,
    }
}

/// Whether every outer reference of a node is to the row right outside, and no subquery of the node looks further.
fn references_are_near(node: &LogicalPlan, around: &DFSchema) -> Result<bool> {
    let mut near = true;
    node.apply_expressions(|expr| {
        expr.apply(|expr| {
            match expr {
                Expr::OuterReferenceColumn(_, column) => near &= has_column(around, column),
                Expr::ScalarSubquery(subquery) => near &= !looks_out_of(&subquery.subquery, node)?,
                Expr::Exists(exists) => near &= !looks_out_of(&exists.subquery.subquery, node)?,
                Expr::InSubquery(test) => near &= !looks_out_of(&test.subquery.subquery, node)?,
                Expr::SetComparison(test) => near &= !looks_out_of(&test.subquery.subquery, node)?,
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(near)
}

/// Whether a subquery of this node refers to anything but the node's own rows.
fn looks_out_of(subquery: &LogicalPlan, node: &LogicalPlan) -> Result<bool> {
    let schemas: Vec<&DFSchema> = node.inputs().into_iter().map(|input| input.schema().as_ref()).collect();
    let mut looks = false;
    subquery.apply(|inner| {
        inner.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Expr::OuterReferenceColumn(_, column) = expr {
                    looks |= !schemas.iter().any(|schema| has_column(schema, column));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(looks)
}

/// `column = something of outside`.
fn is_equality_of_column(condition: &Expr) -> bool {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else { return false };
    match (left.as_ref(), right.as_ref()) {
        (Expr::Column(_), other) | (other, Expr::Column(_)) => !other.any_column_refs(),
        _ => false,
    }
}
