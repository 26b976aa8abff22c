//! Set operations: the names of their branches, and EXCEPT ALL and INTERSECT ALL.
//!
//! The planner names an unnamed expression of a later branch like the first branch's column in its place, which may be
//! another column of the branch: `SELECT a, b FROM t UNION ALL SELECT b, 7 FROM t`. So the expression gets a unique
//! name.
//!
//! `EXCEPT ALL` and `INTERSECT ALL` count rows: for a row that occurs m times on the left and n times on the right they
//! give `max(m - n, 0)` and `min(m, n)` (ISO 9075-2, 7.13).
//!
//! The planner turns them into a semi or anti join over all columns, for which one equal row on the right is as good as
//! many. So equal rows are numbered on both sides, and the numbers become part of the join.

use crate::parse::walk::WalkMut;
use crate::plan::nodes::PlanTree;
use crate::plan::search::any_node;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder, Projection,
};
use datafusion::sql::sqlparser::ast::{
    Expr as Written, Ident, OrderByKind, Query, SelectItem, SetExpr, SetQuantifier, Statement, VisitorMut,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The statement with names for what has none in the branches behind the first one.
pub(crate) fn with_named_branches(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Branches);
    statement
}

struct Branches;

impl VisitorMut for Branches {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        name_later_branches(&mut query.body);
        ControlFlow::Continue(())
    }
}

fn name_later_branches(body: &mut SetExpr) {
    if let SetExpr::SetOperation { left, right, set_quantifier, .. } = body {
        name_later_branches(left);
        if !is_by_name(*set_quantifier) {
            name_items(right);
        }
    }
}

/// Returns true if the columns of the branches meet by their names.
pub(crate) fn is_by_name(quantifier: SetQuantifier) -> bool {
    matches!(quantifier, SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName)
}

fn name_items(branch: &mut SetExpr) {
    match branch {
        SetExpr::Select(select) => {
            crate::names::duplicate_columns::number_names(select, |_, number| format!("#branch{number}"));
            for (number, item) in select.projection.iter_mut().enumerate() {
                if let SelectItem::UnnamedExpr(expr) = item
                    && !matches!(expr, Written::Identifier(_) | Written::CompoundIdentifier(_))
                {
                    let alias = Ident::with_quote('"', format!("#branch{number}"));
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
        }
        SetExpr::Query(query) if is_ordered_by_columns(query) => name_items(&mut query.body),
        SetExpr::SetOperation { left, right, set_quantifier, .. } if !is_by_name(*set_quantifier) => {
            name_items(left);
            name_items(right);
        }
        _ => {}
    }
}

/// Returns true if nothing is ordered by that may be written as it is in the list.
fn is_ordered_by_columns(query: &Query) -> bool {
    let is_column =
        |expr: &Written| matches!(expr, Written::Identifier(_) | Written::CompoundIdentifier(_) | Written::Value(_));
    match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(terms)) => terms.iter().all(|term| is_column(&term.expr)),
        Some(OrderByKind::All(_)) => false,
        None => true,
    }
}

/// The plan with numbers in the joins that stand for these operations. It must be as the statement says: later on, other
/// joins look like them.
pub(crate) fn counted(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_node(&plan, |node| matches!(node, LogicalPlan::Join(join) if is_of_all(join))) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if is_of_all(&join) => numbered(&join).map(Transformed::yes),
        other => Ok(Transformed::no(other)),
    })
    .data()
}

/// Returns true if a join is a set operation with ALL: nothing else that is written takes NULL for equal to NULL, and
/// without ALL the rows on the left are distinct. (Those of `SELECT DISTINCT ... EXCEPT ALL` are, too, and need not be
/// counted.)
fn is_of_all(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && join.on.len() == join.left.schema().fields().len()
        && !matches!(join.left.as_ref(), LogicalPlan::Distinct(_))
}

fn numbered(join: &Join) -> Result<LogicalPlan> {
    let (left, left_number) = with_numbers(&join.left, "#number of left")?;
    let (right, right_number) = with_numbers(&join.right, "#number of right")?;
    let mut on = join.on.clone();
    on.push((left_number, right_number));
    let counted = Join::try_new(
        Arc::new(left),
        Arc::new(right),
        on,
        None,
        join.join_type,
        JoinConstraint::On,
        join.null_equality,
        false,
    )?;
    let shown = join.left.schema().columns().into_iter().map(Expr::Column).collect();
    let plan = LogicalPlan::Join(counted);
    Ok(LogicalPlan::Projection(Projection::try_new_with_schema(shown, Arc::new(plan), Arc::clone(&join.schema))?))
}

/// The rows, with a number among those that are equal.
fn with_numbers(rows: &Arc<LogicalPlan>, name: &str) -> Result<(LogicalPlan, Expr)> {
    let columns: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
    let number = row_number().partition_by(columns.clone()).build()?;
    let of_window = Expr::Column(Column::from_name(number.schema_name().to_string()));
    let plan = LogicalPlanBuilder::from(rows.as_ref().clone())
        .window([number])?
        .project(columns.into_iter().chain([of_window.alias(name)]))?
        .build()?;
    Ok((plan, Expr::Column(Column::from_name(name))))
}
