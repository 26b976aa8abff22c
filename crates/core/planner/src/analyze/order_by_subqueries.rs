//! ORDER BY a correlated subquery: `ORDER BY (SELECT sum(total) FROM orders WHERE orders.customer = c.id)`.
//!
//! DataFusion turns correlated subqueries in lists of columns into joins, but not those in an order. So the value
//! becomes a column, the sort key, which is dropped afterwards:
//!
//! ```text
//!   Sort: (<subquery>) DESC                   Projection: c.name
//!     Projection: c.name               -->      Sort: #order0 DESC
//!       TableScan: c                              Projection: c.name, (<subquery>) AS #order0
//!                                                   TableScan: c
//! ```
//!
//! The order of window functions becomes a column below them likewise, and so do the subqueries of a SELECT DISTINCT
//! ON. The same applies to an expression that is one of several PARTITION BY keys of a window: for `PARTITION BY
//! abs(b.id), a.n` above a join by `a.id = b.id` DataFusion's operator does not recognize that its rows are sorted by
//! both. And it applies to a CASE in the order or partition of a window: DataFusion does not recognize rows that are
//! sorted by `CASE WHEN x < 1 ...`.
//!
//! The pass runs before coercion, so that an expression in the order has the meaning that it has in a list. Limit:
//! under DISTINCT and UNION there are no rows for a correlated subquery; the planner refuses it there.

use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Distinct, DistinctOn, Expr, LogicalPlan, Projection, Sort, Window};
use std::sync::Arc;

/// The plan with the subqueries of its orders as columns.
pub(crate) fn by_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !plan.has(|node| Ok(is_to_do(node)))? {
        return Ok(plan);
    }
    let changed = plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Sort(sort) if sort.expr.iter().any(|key| has_subquery(&key.expr)) => sorted(sort),
        LogicalPlan::Window(window) if window.window_expr.iter().any(is_to_move) => windowed(window),
        LogicalPlan::Distinct(Distinct::On(on)) if expressions_of(&on).any(has_subquery) => distinct_on(on),
        node => Ok(Transformed::no(node)),
    });
    changed.data()
}

fn is_to_do(node: &LogicalPlan) -> bool {
    let within = |plan: &LogicalPlan| plan.has(|node| Ok(is_to_do(node))).unwrap_or(false);
    let of_subquery = |expr: &Expr| match expr {
        Expr::ScalarSubquery(subquery) => within(&subquery.subquery),
        Expr::Exists(exists) => within(&exists.subquery.subquery),
        Expr::InSubquery(subquery) => within(&subquery.subquery.subquery),
        _ => false,
    };
    match node {
        LogicalPlan::Sort(sort) => sort.expr.iter().any(|key| has_subquery(&key.expr)),
        LogicalPlan::Window(window) => window.window_expr.iter().any(is_to_move),
        LogicalPlan::Distinct(Distinct::On(on)) if expressions_of(on).any(has_subquery) => true,
        node => crate::tree::search::any_expression(node, of_subquery),
    }
}

pub(super) fn has_subquery(expr: &Expr) -> bool {
    let is_one = |expr: &Expr| {
        matches!(expr, Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_))
    };
    expr.has(|expr| Ok(is_one(expr))).unwrap_or(false)
}

/// Returns true if a function over a window has anything that is to be a column below it.
fn is_to_move(expr: &Expr) -> bool {
    has_subquery(expr) || expr.has(|expr| Ok(!calculated_keys(expr).is_empty())).unwrap_or(false)
}

/// The computed expressions among several that partition a window, and every CASE that one is partitioned or ordered by.
fn calculated_keys(expr: &Expr) -> Vec<Expr> {
    let Expr::WindowFunction(function) = expr else { return Vec::new() };
    let (divided, order) = (&function.params.partition_by, &function.params.order_by);
    let is_calculated =
        |key: &&Expr| divided.len() > 1 && !matches!(key, Expr::Column(_) | Expr::Literal(..)) || has_case(key);
    let order = order.iter().map(|key| &key.expr).filter(|key| has_case(key));
    divided.iter().filter(is_calculated).chain(order).cloned().collect()
}

/// Returns true if a CASE stands in an expression.
pub(crate) fn has_case(key: &Expr) -> bool {
    key.has(|expr| Ok(matches!(expr, Expr::Case(_)))).unwrap_or(false)
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

/// Functions over windows that are ordered by subqueries, or divided by what is calculated: these are columns of the rows
/// below.
fn windowed(window: Window) -> Result<Transformed<LogicalPlan>> {
    let mut below: Vec<Expr> = columns_of(&window.input);
    let own = below.len();
    let mut exprs = Vec::with_capacity(window.window_expr.len());
    let mut keys: Vec<(Expr, Expr)> = Vec::new();
    for expr in window.window_expr {
        expr.each(|expr| {
            for key in calculated_keys(expr) {
                if !keys.iter().any(|(known, _)| *known == key) {
                    let name = format!("#over{}", below.len());
                    below.push(key.clone().alias(&name));
                    keys.push((key, column(None, &name)));
                }
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        let moved = expr.map_down(|expr| match expr {
            Expr::WindowFunction(mut function) => {
                let params = &mut function.params;
                let order = params.order_by.iter_mut().map(|key| &mut key.expr);
                for by in params.partition_by.iter_mut().chain(order) {
                    if let Some((_, column)) = keys.iter().find(|(key, _)| key == by) {
                        *by = column.clone();
                    }
                }
                // The whole argument: what is around a subquery says for which rows it is evaluated.
                let filter = params.filter.as_deref_mut();
                for arg in params.args.iter_mut().chain(filter).filter(|arg| has_subquery(arg)) {
                    let name = format!("#over{}", below.len());
                    below.push(std::mem::replace(arg, column(None, &name)).alias(&name));
                }
                Ok(Transformed::yes(Expr::WindowFunction(function)))
            }
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

fn expressions_of(on: &DistinctOn) -> impl Iterator<Item = &Expr> {
    let order = on.sort_expr.iter().flatten().map(|key| &key.expr);
    on.on_expr.iter().chain(&on.select_expr).chain(order)
}

/// The first rows of groups, with the subqueries of the rows as columns of these.
fn distinct_on(on: DistinctOn) -> Result<Transformed<LogicalPlan>> {
    let mut below: Vec<Expr> = columns_of(&on.input);
    let mut values: Vec<(Expr, Expr)> = Vec::new();
    let mut moved = |expr: Expr| {
        expr.map_down(|expr| match expr {
            Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) => {
                let known = values.iter().find(|(value, _)| *value == expr).map(|(_, column)| column.clone());
                let column = known.unwrap_or_else(|| {
                    let name = format!("#of{}", below.len());
                    below.push(expr.clone().alias(&name));
                    values.push((expr, column(None, &name)));
                    column(None, &name)
                });
                Ok(Transformed::new(column, true, TreeNodeRecursion::Jump))
            }
            expr => Ok(Transformed::no(expr)),
        })
    };
    let named = |expr: Expr, moved: &mut dyn FnMut(Expr) -> Result<Transformed<Expr>>| {
        let name = expr.schema_name().to_string();
        let moved = moved(expr)?;
        Ok(if moved.transformed { moved.data.unalias().alias(name) } else { moved.data })
    };
    let list = on.select_expr.into_iter().map(|expr| named(expr, &mut moved)).collect::<Result<_>>()?;
    let groups = on.on_expr.into_iter().map(|expr| moved(expr).data()).collect::<Result<_>>()?;
    let order = on.sort_expr.map(|order| {
        let keys = order.into_iter().map(|key| Ok(key.with_expr(moved(key.expr.clone()).data()?)));
        keys.collect::<Result<Vec<_>>>()
    });
    let below = Projection::try_new(below, on.input)?;
    let on = DistinctOn::try_new(groups, list, order.transpose()?, Arc::new(LogicalPlan::Projection(below)))?;
    Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::On(on))))
}

pub(super) fn columns_of(plan: &LogicalPlan) -> Vec<Expr> {
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
    expr.map_up(replaced).data()
}

pub(super) fn column(table: Option<datafusion::common::TableReference>, name: &str) -> Expr {
    Expr::Column(Column::new(table, name))
}
