//! ORDER BY a subquery of the row: `ORDER BY (SELECT sum(total) FROM orders WHERE orders.customer = c.id)`.
//!
//! DataFusion makes joins of correlated subqueries in lists of columns, and knows none in an order. So the value becomes
//! a column, by which is sorted, and which is left out then:
//!
//! ```text
//!   Sort: (<subquery>) DESC                   Projection: c.name
//!     Projection: c.name               -->      Sort: #order0 DESC
//!       TableScan: c                              Projection: c.name, (<subquery>) AS #order0
//!                                                   TableScan: c
//! ```
//!
//! What functions over windows are ordered by becomes a column below them likewise.
//!
//! It is done before types are settled, so that what stands in the order means what it means in a list.
//! Limit: under DISTINCT and UNION there are no rows that a subquery could ask for; the planner refuses it there.

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Sort, Window};
use std::sync::Arc;

/// The plan with the subqueries of its orders as columns.
pub(crate) fn by_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !plan.exists(|node| Ok(is_to_do(node)))? {
        return Ok(plan);
    }
    let changed = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Sort(sort) if sort.expr.iter().any(|key| has_subquery(&key.expr)) => sorted(sort),
        LogicalPlan::Window(window) if window.window_expr.iter().any(has_subquery) => windowed(window),
        node => Ok(Transformed::no(node)),
    });
    changed.data()
}

fn is_to_do(node: &LogicalPlan) -> bool {
    let within = |plan: &LogicalPlan| plan.exists(|node| Ok(is_to_do(node))).unwrap_or(false);
    let of_subquery = |expr: &Expr| match expr {
        Expr::ScalarSubquery(subquery) => within(&subquery.subquery),
        Expr::Exists(exists) => within(&exists.subquery.subquery),
        Expr::InSubquery(subquery) => within(&subquery.subquery.subquery),
        _ => false,
    };
    match node {
        LogicalPlan::Sort(sort) => sort.expr.iter().any(|key| has_subquery(&key.expr)),
        LogicalPlan::Window(window) => window.window_expr.iter().any(has_subquery),
        node => crate::contains::any_expression(node, of_subquery),
    }
}

fn has_subquery(expr: &Expr) -> bool {
    let is_one = |expr: &Expr| matches!(expr, Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_));
    expr.exists(|expr| Ok(is_one(expr))).unwrap_or(false)
}

fn sorted(mut sort: Sort) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Projection(list) = sort.input.as_ref() else {
        return Ok(Transformed::no(LogicalPlan::Sort(sort)));
    };
    let shown = columns_of(&sort.input);
    let mut exprs = list.expr.clone();
    for (number, key) in sort.expr.iter_mut().enumerate() {
        if !has_subquery(&key.expr) {
            continue;
        }
        let name = format!("#order{number}");
        exprs.push(in_terms_of_rows(key.expr.clone(), list)?.alias(&name));
        key.expr = column(None, &name);
    }
    let list = Projection::try_new(exprs, Arc::clone(&list.input))?;
    sort.input = Arc::new(LogicalPlan::Projection(list));
    let shown = Projection::try_new(shown, Arc::new(LogicalPlan::Sort(sort)))?;
    Ok(Transformed::yes(LogicalPlan::Projection(shown)))
}

/// Functions over windows that are ordered by subqueries: these are columns of the rows below.
fn windowed(window: Window) -> Result<Transformed<LogicalPlan>> {
    let mut below: Vec<Expr> = columns_of(&window.input);
    let own = below.len();
    let mut exprs = Vec::with_capacity(window.window_expr.len());
    for expr in window.window_expr {
        let moved = expr.transform_down(|expr| match expr {
            Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) => {
                let name = format!("#over{}", below.len());
                below.push(expr.alias(&name));
                Ok(Transformed::new(column(None, &name), true, TreeNodeRecursion::Jump))
            }
            expr => Ok(Transformed::no(expr)),
        })?;
        exprs.push(moved.data);
    }
    let mut shown = below[..own].to_vec();
    let below = Projection::try_new(below, window.input)?;
    let moved = Window::try_new(exprs, Arc::new(LogicalPlan::Projection(below)))?;
    let first = moved.schema.fields().len() - moved.window_expr.len();
    for (place, (table, field)) in window.schema.iter().enumerate().skip(own) {
        let (_, made) = moved.schema.qualified_field(first + place - own);
        shown.push(column(None, made.name()).alias_qualified(table.cloned(), field.name()));
    }
    let shown = Projection::try_new(shown, Arc::new(LogicalPlan::Window(moved)))?;
    Ok(Transformed::yes(LogicalPlan::Projection(shown)))
}

fn columns_of(plan: &LogicalPlan) -> Vec<Expr> {
    plan.schema().iter().map(|(table, field)| column(table.cloned(), field.name())).collect()
}

/// An expression over the columns of a list, over the rows that the list is made of.
fn in_terms_of_rows(expr: Expr, list: &Projection) -> Result<Expr> {
    let replaced = |expr: Expr| match &expr {
        Expr::Column(column) => {
            match list.schema.maybe_index_of_column(column).and_then(|place| list.expr.get(place)) {
                Some(value) => Ok(Transformed::yes(value.clone().unalias())),
                None => Ok(Transformed::no(expr)),
            }
        }
        _ => Ok(Transformed::no(expr)),
    };
    expr.transform_up(replaced).data()
}

fn column(table: Option<datafusion::common::TableReference>, name: &str) -> Expr {
    Expr::Column(Column::new(table, name))
}
