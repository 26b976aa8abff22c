//! Correlated subqueries that DataFusion's own rules turn into joins with the right answer.
//!
//! The rules pull conditions with outer references up, through projections and aggregates, and join by them. That works
//! if such references occur in conditions only, refer to the directly enclosing row, and - below an aggregate - compare
//! a column for equality. An aggregate without GROUP BY gives a row for an empty input. The rules handle that for the
//! outermost aggregate of a scalar subquery, if its result comes from the aggregate's columns; for no other, and not in
//! EXISTS or IN.

use super::has_column;
use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Distinct, Expr, JoinType, LogicalPlan, Operator};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use std::sync::Arc;

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

/// Returns true if the subquery can be left to DataFusion. `around` are the columns of the row outside.
pub(super) fn is_easy(plan: &LogicalPlan, around: &DFSchema, place: Place) -> Result<bool> {
    let total = total(plan);
    if place == Place::Value && total.is_none() {
        return Ok(false);
    }
    let mut easy = true;
    let mut has_aggregate = false;
    let mut is_every_condition_equality = true;
    let mut filters = 0;
    let mut pulled: Vec<Column> = Vec::new();
    let mut given: Vec<(String, Expr)> = Vec::new();
    plan.each(|node| {
        easy &= match node {
            LogicalPlan::Filter(filter) => {
                let outer = split_conjunction(&filter.predicate).into_iter().filter(|part| part.contains_outer());
                filters += usize::from(filter.predicate.contains_outer());
                for condition in outer {
                    pulled.extend(condition.column_refs().into_iter().cloned());
                    is_every_condition_equality &= is_equality_of_column(condition);
                    easy &= !has_subquery(condition);
                }
                // A condition on groups is not pulled up.
                let is_of_groups = is_grouped(&filter.input);
                !is_of_groups || !filter.predicate.contains_outer() && place != Place::Side
            }
            LogicalPlan::Aggregate(aggregate) => {
                has_aggregate = true;
                // Groups of their own would be mixed with those of the pulled columns.
                let is_known = match (place, aggregate.group_expr.is_empty()) {
                    (Place::Test, grouped) => !grouped,
                    (_, true) => total.is_some_and(|total| std::ptr::eq(total, node)),
                    (_, false) => false,
                };
                is_known && !node.contains_outer_reference()
            }
            LogicalPlan::Join(join) => join.join_type == JoinType::Inner && !node.contains_outer_reference(),
            // Beside an aggregate of no rows, DataFusion makes NULL of everything that is calculated.
            LogicalPlan::Projection(projection) if place == Place::Side && is_grouped(&projection.input) => {
                projection.expr.iter().all(|expr| matches!(expr.clone().unalias(), Expr::Column(_)))
            }
            LogicalPlan::Projection(projection) => {
                if let [value] = &projection.expr[..] {
                    given.push((value.schema_name().to_string(), value.clone().unalias()));
                }
                !node.contains_outer_reference()
            }
            LogicalPlan::SubqueryAlias(_) | LogicalPlan::TableScan(_) | LogicalPlan::EmptyRelation(_) => true,
            LogicalPlan::Sort(_) | LogicalPlan::Distinct(Distinct::All(_)) => {
                place == Place::Test && !node.contains_outer_reference()
            }
            _ => false,
        };
        easy &= references_are_near(node, around)?;
        Ok(if easy { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    // Expressions pulled up from several places have the names of each, of which only the last is known above.
    Ok(easy && (!has_aggregate || is_every_condition_equality) && filters <= 1 && have_names(&pulled, &given))
}

/// True if the columns that are pulled up, and the value beside them, differ in their names. All get the name of one alias
/// there, by which `a.d <> b.d` would become `d <> d`.
fn have_names(pulled: &[Column], given: &[(String, Expr)]) -> bool {
    let is_other = |one: &Column, other: &Column| one.name == other.name && one.relation != other.relation;
    let among_pulled = pulled.iter().any(|one| pulled.iter().any(|other| is_other(one, other)));
    let name_of = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let with_value = given.iter().any(|(name, value)| {
        pulled.iter().any(|column| column.name == name_of(name) && *value != Expr::Column(column.clone()))
    });
    !among_pulled && !with_value
}

/// Returns true if the rows of a plan are groups.
fn is_grouped(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(_) => true,
        LogicalPlan::Projection(projection) => is_grouped(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_grouped(&alias.input),
        LogicalPlan::Filter(filter) => is_grouped(&filter.input),
        _ => false,
    }
}

/// The aggregate without GROUP BY that a plan is, with nothing above it but names and values that are made of its columns.
pub(super) fn total(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty().then_some(plan),
        LogicalPlan::Projection(projection) => {
            let schema = projection.input.schema();
            let is_made = projection.expr.iter().all(|expr| is_made_of_columns(expr, schema));
            is_made.then(|| total(&projection.input)).flatten()
        }
        LogicalPlan::SubqueryAlias(alias) => total(&alias.input),
        _ => None,
    }
}

/// Returns true if an expression still has a column in it when it is simplified: a constant would be NULL where there
/// is no row.
fn is_made_of_columns(expr: &Expr, schema: &DFSchemaRef) -> bool {
    if matches!(expr, Expr::Column(_)) {
        return true;
    }
    let context = SimplifyContext::builder().with_schema(Arc::clone(schema)).build();
    let simplified = ExprSimplifier::new(context).simplify(expr.clone());
    simplified.is_ok_and(|expr| expr.any_column_refs()) && !has_subquery(expr)
}

fn has_subquery(expr: &Expr) -> bool {
    let is_one = |expr: &Expr| {
        matches!(expr, Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::ScalarSubquery(_))
    };
    expr.has(|expr| Ok(is_one(expr))).unwrap_or(true)
}

/// Returns true if every outer reference of a node is to the row right outside, and no subquery of the node looks
/// further.
fn references_are_near(node: &LogicalPlan, around: &DFSchema) -> Result<bool> {
    let mut near = true;
    node.each_expression(|expr| {
        expr.each(|expr| {
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

/// Returns true if a subquery of this node refers to anything but the node's own rows.
fn looks_out_of(subquery: &LogicalPlan, node: &LogicalPlan) -> Result<bool> {
    let schemas: Vec<&DFSchema> = node.inputs().into_iter().map(|input| input.schema().as_ref()).collect();
    let mut looks = false;
    subquery.each(|inner| {
        inner.each_expression(|expr| {
            expr.each(|expr| {
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
