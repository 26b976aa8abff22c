//! Coercion of values of different types, before DataFusion coerces them in another way.
//!
//! ```text
//!   DECIMAL and DOUBLE    in DOUBLE (ISO 9075-2, 9.5); the planner: in DECIMAL(30, 15), for which f = 12345678.9 is not so for
//!                         the DOUBLE that is nearest to it, and which large ones do not fit
//!   DATE and TIMESTAMP    in microseconds; the planner: in nanoseconds, for which 9999-12-31 is too late
//!   'x' = c               c = 'x'; the planner takes c = 'x' AND 'x' = c for a contradiction
//! ```
//!
//! Coercion applies to comparisons, IN, CASE, functions that return one of their arguments, joins and set operations.

use crate::analyze::char_columns::is_comparison;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::{any_expression, any_expression_of_plan, any_node};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Between, Case, InList};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Subquery, Union, cast,
};
use std::sync::Arc;

/// Functions that give one of their arguments.
const CHOOSING: [&str; 5] = ["coalesce", "nvl", "nullif", "greatest", "least"];

/// The plan with such values in one type.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let has_types = any_node(&plan, |node| {
        node.schema().fields().iter().any(|field| is_mixing(field.data_type())) || any_expression(node, may_be_mixing)
    });
    let has_sides = || any_expression_of_plan(&plan, |expr| matches!(expr, Expr::BinaryExpr(it) if is_turned(it)));
    if !has_types && !has_sides() {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let node = match node {
            LogicalPlan::Union(union) => united(union)?,
            LogicalPlan::Join(mut join) => {
                for (left, right) in &mut join.on {
                    let types = [left.get_type(join.left.schema())?, right.get_type(join.right.schema())?];
                    if let Some(to) = common(&types) {
                        settle_one(left, &types[0], &to);
                        settle_one(right, &types[1], &to);
                    }
                }
                LogicalPlan::Join(join)
            }
            other => other,
        };
        match any_expression(&node, is_meeting) {
            true => crate::tree::rewrite::node(node, |expr, schema| expr.map_up(|expr| met(expr, schema))),
            false => Ok(Transformed::yes(node)),
        }
    })
    .data()
}

/// Returns true if values of a type may need one that the planner would not choose.
fn is_mixing(of: &DataType) -> bool {
    of.is_floating() || matches!(of, DataType::Date32)
}

/// Returns true if an expression may be of such a type, as far as it shows without the types of columns.
fn may_be_mixing(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => is_mixing(&value.data_type()),
        Expr::Cast(cast) => is_mixing(cast.field.data_type()),
        Expr::TryCast(cast) => is_mixing(cast.field.data_type()),
        Expr::ScalarFunction(_) | Expr::Placeholder(_) => true,
        _ => false,
    }
}

/// Returns true if values may meet in an expression.
fn is_meeting(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::Between(_) | Expr::InList(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::Case(_) => true,
        Expr::ScalarFunction(call) => CHOOSING.contains(&call.name()),
        _ => false,
    }
}

/// Returns true if a constant is compared with what is none, and stands on the left.
fn is_turned(BinaryExpr { left, op, right }: &BinaryExpr) -> bool {
    is_comparison(*op)
        && matches!(left.as_ref(), Expr::Literal(..) | Expr::Placeholder(_) | Expr::Cast(_) | Expr::Negative(_))
        && left.column_refs().is_empty()
        && !right.column_refs().is_empty()
}

/// The type in which values of these types meet; `None` where the planner knows it.
fn common(types: &[DataType]) -> Option<DataType> {
    let any = |is: fn(&DataType) -> bool| types.iter().any(is);
    if any(DataType::is_decimal) && any(DataType::is_floating) {
        return Some(DataType::Float64);
    }
    let zone = types.iter().find_map(|of| match of {
        DataType::Timestamp(_, zone) => Some(zone),
        _ => None,
    })?;
    let is_date = |of: &DataType| matches!(of, DataType::Date32);
    types.iter().any(is_date).then(|| DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))
}

/// Casts a value of one of the types that were looked at to the common one.
fn settle_one(expr: &mut Expr, of: &DataType, to: &DataType) {
    let is_cast = match to {
        DataType::Float64 => of.is_decimal(),
        _ => of != to && matches!(of, DataType::Date32 | DataType::Timestamp(..)),
    };
    if is_cast {
        *expr = cast(expr.clone(), to.clone());
    }
}

/// Casts what needs it: whether there was something.
fn settle<'e>(exprs: impl IntoIterator<Item = &'e mut Expr>, schema: &DFSchema) -> bool {
    let mut exprs: Vec<&mut Expr> = exprs.into_iter().collect();
    let types: Vec<DataType> = exprs.iter().map(|expr| expr.get_type(schema).unwrap_or(DataType::Null)).collect();
    let Some(to) = common(&types) else { return false };
    exprs.iter_mut().zip(&types).for_each(|(expr, of)| settle_one(expr, of, &to));
    true
}

fn met(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let changed = match &mut expr {
        Expr::BinaryExpr(comparison) if is_comparison(comparison.op) => {
            let turned = comparison.op.swap().filter(|_| is_turned(comparison));
            if let Some(op) = turned {
                std::mem::swap(&mut comparison.left, &mut comparison.right);
                comparison.op = op;
            }
            settle([comparison.left.as_mut(), comparison.right.as_mut()], schema) | turned.is_some()
        }
        Expr::Between(Between { expr, low, high, .. }) => settle([expr.as_mut(), low.as_mut(), high.as_mut()], schema),
        Expr::InList(InList { expr, list, .. }) => settle(std::iter::once(expr.as_mut()).chain(list), schema),
        Expr::Case(Case { expr, when_then_expr, else_expr }) => {
            let of_base = match expr {
                Some(base) => {
                    let whens = when_then_expr.iter_mut().map(|(when, _)| when.as_mut());
                    settle(std::iter::once(base.as_mut()).chain(whens), schema)
                }
                None => false,
            };
            let results = when_then_expr.iter_mut().map(|(_, then)| then.as_mut());
            settle(results.chain(else_expr.as_mut().map(|expr| expr.as_mut())), schema) | of_base
        }
        Expr::ScalarFunction(call) if CHOOSING.contains(&call.name()) => settle(&mut call.args, schema),
        Expr::InSubquery(test) => with_query(&mut test.expr, &mut test.subquery, schema)?,
        Expr::SetComparison(test) if is_comparison(test.op) => with_query(&mut test.expr, &mut test.subquery, schema)?,
        _ => false,
    };
    Ok(Transformed::new_transformed(expr, changed))
}

/// A value and the only column of a query that it is compared with.
fn with_query(expr: &mut Expr, subquery: &mut Subquery, schema: &DFSchema) -> Result<bool> {
    let rows = subquery.subquery.as_ref();
    let [column] = rows.schema().fields().as_ref() else { return Ok(false) };
    let types = [expr.get_type(schema)?, column.data_type().clone()];
    let Some(to) = common(&types) else { return Ok(false) };
    settle_one(expr, &types[0], &to);
    let plan = LogicalPlanBuilder::from(rows.clone()).project(settled(rows, &[(0, to)]))?.build()?;
    *subquery = Subquery { subquery: Arc::new(plan), ..subquery.clone() };
    Ok(true)
}

/// The columns of a plan, some of them as values of another type.
fn settled(plan: &LogicalPlan, which: &[(usize, DataType)]) -> Vec<Expr> {
    let column = |(number, (qualifier, field)): (usize, (Option<&_>, &Arc<datafusion::arrow::datatypes::Field>))| {
        let mut expr = Expr::Column((qualifier, field).into());
        if let Some((_, to)) = which.iter().find(|(known, _)| *known == number) {
            settle_one(&mut expr, field.data_type(), to);
        }
        match expr {
            Expr::Column(_) => expr,
            cast => cast.alias_qualified(qualifier.cloned(), field.name()),
        }
    };
    plan.schema().iter().enumerate().map(column).collect()
}

/// A UNION whose queries have one type for each column.
fn united(union: Union) -> Result<LogicalPlan> {
    let type_of = |input: &LogicalPlan, number: usize| {
        let fields = input.schema().fields();
        fields.get(number).map_or(DataType::Null, |field| field.data_type().clone())
    };
    let mixed = |number: usize| {
        let types: Vec<DataType> = union.inputs.iter().map(|input| type_of(input, number)).collect();
        common(&types).map(|to| (number, to))
    };
    let mixed: Vec<(usize, DataType)> = (0..union.schema.fields().len()).filter_map(mixed).collect();
    if mixed.is_empty() {
        return Ok(LogicalPlan::Union(union));
    }
    let in_types = |input: &Arc<LogicalPlan>| {
        let plan = LogicalPlanBuilder::from(input.as_ref().clone()).project(settled(input, &mixed))?.build()?;
        Ok(Arc::new(plan))
    };
    let inputs = union.inputs.iter().map(in_types).collect::<Result<Vec<_>>>()?;
    Ok(LogicalPlan::Union(Union { inputs, ..union }))
}
