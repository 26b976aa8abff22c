//! Comparison of CHAR without trailing blanks.
//!
//! Values of CHAR columns have none (the decoder cuts them), so it is enough to cut the other side of a comparison: a
//! literal at planning time, another text by `rtrim`. The metadata of its field marks a CHAR column; views, projections
//! and joins pass it on.
//!
//! **Text with a collation compares by its sort key**: [`crate::analyze::collate`].

use crate::analyze::trailing_blanks;
use crate::fields::CHAR_COLUMN;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::rewrite;
use crate::tree::search::{any_expression, any_node};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, ScalarValue};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::expr::{Between, Case, InList, InSubquery, ScalarFunction, SetComparison};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, Subquery};
use std::sync::Arc;

/// The plan with trailing blanks cut off whatever is compared with a CHAR column.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let has_pairs = |node: &LogicalPlan| matches!(node, LogicalPlan::Join(join) if !join.on.is_empty());
    if !any_node(&plan, |node| has_pairs(node) || any_expression(node, compares)) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let (node, changed) = match node {
            LogicalPlan::Join(mut join) => {
                let changed = trailing_blanks::in_pairs(&mut join);
                (LogicalPlan::Join(join), changed)
            }
            other => (other, false),
        };
        let node = rewrite::node(node, |expr, schema| expr.map_up(|expr| Ok(trim_operands(expr, schema))))?;
        Ok(Transformed::new_transformed(node.data, node.transformed || changed))
    })
    .data()
}

/// Returns true if [`trim_operands`] may have something to cut.
fn compares(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::Between(_) | Expr::InList(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::Case(_) => true,
        Expr::ScalarFunction(call) => nullif_of(call).is_some(),
        _ => false,
    }
}

/// The operands of a NULLIF.
pub(crate) fn nullif_of(call: &ScalarFunction) -> Option<[&Expr; 2]> {
    match (call.name(), call.args.as_slice()) {
        ("nullif", [value, other]) => Some([value, other]),
        _ => None,
    }
}

/// `CASE WHEN condition THEN NULL ELSE value END`
pub(crate) fn null_if(condition: Expr, value: Expr) -> Expr {
    let null = Expr::Literal(ScalarValue::Null, None);
    let when_then_expr = vec![(Box::new(condition), Box::new(null))];
    Expr::Case(Case { expr: None, when_then_expr, else_expr: Some(Box::new(value)) })
}

fn trim_operands(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
            let (left_is_char, right_is_char) = (is_char(&left, schema), is_char(&right, schema));
            let left = if right_is_char && !left_is_char { trimmed(*left, schema) } else { *left };
            let right = if left_is_char && !right_is_char { trimmed(*right, schema) } else { *right };
            let changed = left_is_char != right_is_char;
            let expr = Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) });
            if changed { Transformed::yes(expr) } else { Transformed::no(expr) }
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let mut sides = [*expr, *low, *high];
            let changed = cut_others(&mut sides.each_mut(), schema);
            let [expr, low, high] = sides.map(Box::new);
            Transformed::new_transformed(Expr::Between(Between { expr, negated, low, high }), changed)
        }
        Expr::InList(InList { mut expr, mut list, negated }) => {
            let mut sides: Vec<&mut Expr> = std::iter::once(expr.as_mut()).chain(&mut list).collect();
            let changed = cut_others(&mut sides, schema);
            Transformed::new_transformed(Expr::InList(InList { expr, list, negated }), changed)
        }
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            let (expr, subquery, changed) = with_query(*expr, subquery, schema);
            let expr = Box::new(expr);
            Transformed::new_transformed(Expr::InSubquery(InSubquery { expr, subquery, negated }), changed)
        }
        Expr::SetComparison(SetComparison { expr, subquery, op, quantifier }) if is_comparison(op) => {
            let (expr, subquery, changed) = with_query(*expr, subquery, schema);
            let comparison = SetComparison { expr: Box::new(expr), subquery, op, quantifier };
            Transformed::new_transformed(Expr::SetComparison(comparison), changed)
        }
        Expr::Case(Case { expr: Some(mut base), mut when_then_expr, else_expr }) => {
            let whens = when_then_expr.iter_mut().map(|(when, _)| when.as_mut());
            let mut sides: Vec<&mut Expr> = std::iter::once(base.as_mut()).chain(whens).collect();
            let changed = cut_others(&mut sides, schema);
            Transformed::new_transformed(Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }), changed)
        }
        Expr::ScalarFunction(call) => match nullif_of(&call) {
            Some([value, other]) if is_char(value, schema) || is_char(other, schema) => {
                let is_equal = trim_operands(value.clone().eq(other.clone()), schema).data;
                Transformed::yes(null_if(is_equal, value.clone()))
            }
            _ => Transformed::no(Expr::ScalarFunction(call)),
        },
        other => Transformed::no(other),
    }
}

/// Cuts what meets a CHAR column and is none itself: whether there was something.
fn cut_others(sides: &mut [&mut Expr], schema: &DFSchema) -> bool {
    let are_char: Vec<bool> = sides.iter().map(|side| is_char(side, schema)).collect();
    if !are_char.contains(&true) || !are_char.contains(&false) {
        return false;
    }
    for (side, _) in sides.iter_mut().zip(are_char).filter(|(_, is_char)| !is_char) {
        **side = trimmed(std::mem::take(*side), schema);
    }
    true
}

/// `x IN (SELECT y ...)`, `x = ANY (SELECT y ...)`: the side that is not CHAR is cut, and whether one was.
fn with_query(expr: Expr, subquery: Subquery, schema: &DFSchema) -> (Expr, Subquery, bool) {
    let inner = subquery.subquery.schema();
    let (of_expr, of_subquery) = (is_char(&expr, schema), gives_char(&subquery));
    if of_expr == of_subquery || inner.fields().len() != 1 {
        return (expr, subquery, false);
    }
    if of_subquery {
        return (trimmed(expr, schema), subquery, true);
    }
    let column = Expr::Column(Column::from(inner.qualified_field(0)));
    let plan = LogicalPlanBuilder::from(subquery.subquery.as_ref().clone())
        .project(vec![trimmed(column, inner)])
        .and_then(LogicalPlanBuilder::build);
    match plan {
        Ok(plan) => (expr, Subquery { subquery: Arc::new(plan), ..subquery }, true),
        Err(_) => (expr, subquery, false),
    }
}

/// Returns true if the first column of a subquery is a CHAR column.
fn gives_char(subquery: &Subquery) -> bool {
    let first = subquery.subquery.schema().fields().first();
    first.is_some_and(|field| field.metadata().contains_key(CHAR_COLUMN))
}

pub(crate) fn is_comparison(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Returns true if the expression is a CHAR column: only those carry the metadata, and functions do not pass it on.
pub(crate) fn is_char(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|f| f.metadata().contains_key(CHAR_COLUMN)),
        // A column of the statement around a subquery.
        Expr::OuterReferenceColumn(field, _) => field.metadata().contains_key(CHAR_COLUMN),
        Expr::ScalarSubquery(subquery) => gives_char(subquery),
        Expr::Cast(cast) => is_char(&cast.expr, schema),
        _ => false,
    }
}

/// A text without the blanks at its end.
pub(crate) fn trimmed(expr: Expr, schema: &DFSchema) -> Expr {
    match expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), metadata) => {
            Expr::Literal(ScalarValue::Utf8(Some(text.trim_end_matches(' ').to_owned())), metadata)
        }
        Expr::Literal(ScalarValue::Utf8View(Some(text)), metadata) => {
            Expr::Literal(ScalarValue::Utf8View(Some(text.trim_end_matches(' ').to_owned())), metadata)
        }
        other => match other.get_type(schema) {
            Ok(kind) if kind.is_string() => rtrim(vec![other]),
            _ => other,
        },
    }
}
