//! Types of outer references, after a pass has changed the types of the outer rows.
//!
//! ```text
//!   SELECT * FROM (SELECT id AS c FROM t UNION ALL SELECT 1.5 FROM t) d WHERE EXISTS (SELECT 1 FROM u WHERE d.c = u.id OR u.v)
//! ```
//!
//! An outer reference carries the type that its column had when the subquery was planned: here INTEGER, until the UNION
//! gives its column the DECIMAL that has room for both branches ([`result_types`](crate::analyze::result_types)).
//! DataFusion compares by the type in the reference and fails at execution. So every reference takes the type of its
//! column.
//!
//! Limit: a column of the same qualified name in a query between the subquery and the outer rows is left alone.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::{any_expression, any_expression_of_plan, any_node};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, DFSchemaRef, ExprSchema, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::{Expr, Join, LogicalPlan, Subquery, SubqueryAlias};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use std::sync::Arc;

/// The same after DataFusion's coercion, which gives a CASE of several types one of its own. What compares with a reference
/// that has another type then is brought together once more.
#[derive(Debug)]
pub(crate) struct AfterCoercion;

impl AnalyzerRule for AfterCoercion {
    fn name(&self) -> &str {
        "outer_reference_types"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let is_stale = |node: &LogicalPlan| {
            let rows: Vec<DFSchemaRef> = node.inputs().into_iter().map(|input| Arc::clone(input.schema())).collect();
            any_expression(node, |part| subquery_of(part).is_some_and(|plan| has_stale(plan, &rows)))
        };
        match any_node(&plan, is_stale) {
            true => TypeCoercion::new().analyze(in_plan(plan)?, config),
            false => Ok(plan),
        }
    }
}

/// The query of an expression that is a subquery.
fn subquery_of(expr: &Expr) -> Option<&LogicalPlan> {
    match expr {
        Expr::ScalarSubquery(subquery) => Some(&subquery.subquery),
        Expr::Exists(exists) => Some(&exists.subquery.subquery),
        Expr::InSubquery(test) => Some(&test.subquery.subquery),
        Expr::SetComparison(comparison) => Some(&comparison.subquery.subquery),
        _ => None,
    }
}

fn has_stale(plan: &LogicalPlan, rows: &[DFSchemaRef]) -> bool {
    any_expression_of_plan(plan, |expr| typed(expr, rows).is_some())
}

/// The plan with every outer reference of the type of its column.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_expression_of_plan(&plan, |expr| matches!(expr, Expr::OuterReferenceColumn(..))) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let rows: Vec<DFSchemaRef> = node.inputs().into_iter().map(|input| Arc::clone(input.schema())).collect();
        let node = match node {
            // LATERAL: the rows around the right side are those of the left one.
            LogicalPlan::Join(join) if is_lateral(&join.right) => {
                let rows = [Arc::clone(join.left.schema())];
                let right = Arc::new(lateral_side(Arc::unwrap_or_clone(join.right), &rows)?);
                let Join { left, on, filter, join_type, join_constraint, null_equality, null_aware, .. } = join;
                let join =
                    Join::try_new(left, right, on, filter, join_type, join_constraint, null_equality, null_aware)?;
                LogicalPlan::Join(join)
            }
            other => other,
        };
        let node = node.map_each_expression(|expr| expr.map_up(|part| in_subquery(part, &rows)))?.data;
        Ok(Transformed::yes(node.recompute_schema()?))
    })
    .data()
}

/// True for the right side of a LATERAL join.
fn is_lateral(side: &LogicalPlan) -> bool {
    match side {
        LogicalPlan::Subquery(_) => true,
        LogicalPlan::SubqueryAlias(alias) => is_lateral(&alias.input),
        _ => false,
    }
}

fn lateral_side(side: LogicalPlan, rows: &[DFSchemaRef]) -> Result<LogicalPlan> {
    Ok(match side {
        LogicalPlan::Subquery(subquery) => LogicalPlan::Subquery(retyped(subquery, rows)?),
        LogicalPlan::SubqueryAlias(SubqueryAlias { input, alias, .. }) => {
            let input = lateral_side(Arc::unwrap_or_clone(input), rows)?;
            LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(Arc::new(input), alias)?)
        }
        other => other,
    })
}

/// An expression that is a subquery, with its references to these rows of their types.
fn in_subquery(expr: Expr, rows: &[DFSchemaRef]) -> Result<Transformed<Expr>> {
    Ok(match expr {
        Expr::ScalarSubquery(subquery) => Transformed::yes(Expr::ScalarSubquery(retyped(subquery, rows)?)),
        Expr::Exists(Exists { subquery, negated }) => {
            Transformed::yes(Expr::Exists(Exists { subquery: retyped(subquery, rows)?, negated }))
        }
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery: retyped(subquery, rows)?, negated }))
        }
        Expr::SetComparison(comparison) => {
            let subquery = retyped(comparison.subquery, rows)?;
            Transformed::yes(Expr::SetComparison(SetComparison { subquery, ..comparison }))
        }
        other => Transformed::no(other),
    })
}

fn retyped(subquery: Subquery, rows: &[DFSchemaRef]) -> Result<Subquery> {
    if !has_stale(&subquery.subquery, rows) {
        return Ok(subquery);
    }
    let whole = Arc::clone(&subquery.subquery);
    let is_inside = |column: &Column| any_node(&whole, |node| has_column(node.schema(), column));
    let plan = Arc::unwrap_or_clone(subquery.subquery).map_up_with_subqueries(|node| {
        let node = node.map_each_expression(|expr| {
            expr.map_up(|part| {
                Ok(match typed(&part, rows) {
                    Some((column, reference)) if !is_inside(&column) => Transformed::yes(reference),
                    _ => Transformed::no(part),
                })
            })
        })?;
        Ok(Transformed::yes(node.data.recompute_schema()?))
    })?;
    let outer_ref_columns = plan.data.all_out_ref_exprs();
    Ok(Subquery { subquery: Arc::new(plan.data), outer_ref_columns, spans: subquery.spans })
}

fn has_column(schema: &DFSchema, column: &Column) -> bool {
    column.relation.is_some() && schema.has_column(column)
}

/// A reference to one of these rows in the type of its column, if it has another.
fn typed(expr: &Expr, rows: &[DFSchemaRef]) -> Option<(Column, Expr)> {
    let Expr::OuterReferenceColumn(field, column) = expr else { return None };
    let schema = rows.iter().find(|schema| has_column(schema, column))?;
    let current = schema.field_from_column(column).ok()?;
    (current.data_type() != field.data_type()).then(|| {
        let field = Arc::new(field.as_ref().clone().with_data_type(current.data_type().clone()));
        (column.clone(), Expr::OuterReferenceColumn(field, column.clone()))
    })
}
