//! Analysis of subqueries and expressions that may raise an error.
//!
//! One that cannot fail is evaluated for all rows in a join, wherever it occurs. One that can is evaluated only for the
//! rows that reach its branch ([`guard`](super::guard)). A wrong "may fail" costs time, a wrong "cannot fail" an error:
//! so every unknown expression counts as one that can fail.

use super::easy::total;
use super::{Kind, of};
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::is_subquery;
use arrow_schema::DataType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Cast, WindowFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Operator, WindowFunctionDefinition};

/// Functions that give a value of every value, or NULL.
const SAFE_FUNCTIONS: [&str; 14] = [
    "btrim",
    "char_length",
    "character_length",
    "coalesce",
    "ifnull",
    "length",
    "lower",
    "ltrim",
    "nullif",
    "nvl",
    "nvl2",
    "octet_length",
    "rtrim",
    "upper",
];

/// Aggregates that choose or count values, without arithmetic.
const SAFE_AGGREGATES: [&str; 7] = ["bool_and", "bool_or", "count", "first_value", "last_value", "max", "min"];

/// Window functions that number rows or choose values.
const SAFE_WINDOWS: [&str; 9] =
    ["cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "percent_rank", "rank", "row_number"];

/// True if an expression has a subquery that may fail.
pub(super) fn has_failing_subquery(expr: &Expr) -> bool {
    let may = |part: &Expr| {
        Ok(match part {
            Expr::ScalarSubquery(subquery) => value_may_fail(&subquery.subquery),
            Expr::Exists(test) => may_fail(&test.subquery.subquery),
            Expr::InSubquery(test) => may_fail(&test.subquery.subquery),
            Expr::SetComparison(test) => may_fail(&test.subquery.subquery) || arithmetic(&test.expr),
            _ => false,
        })
    };
    expr.has(may).unwrap_or(true)
}

/// True if a subquery that stands for a value may fail: by its expressions, or by a second row.
pub(super) fn value_may_fail(plan: &LogicalPlan) -> bool {
    (total(plan).is_none() && !has_one_row_at_most(plan)) || may_fail(plan)
}

fn has_one_row_at_most(plan: &LogicalPlan) -> bool {
    let is_one = |expr: &Expr| matches!(expr, Expr::Literal(ScalarValue::Int64(Some(0 | 1)), _));
    match plan {
        LogicalPlan::Limit(limit) => limit.fetch.as_deref().is_some_and(is_one),
        LogicalPlan::Projection(projection) => has_one_row_at_most(&projection.input),
        LogicalPlan::Filter(filter) => has_one_row_at_most(&filter.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row_at_most(&alias.input),
        LogicalPlan::Sort(sort) => has_one_row_at_most(&sort.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::EmptyRelation(_) => true,
        _ => false,
    }
}

/// True if an expression of a plan may fail.
pub(super) fn may_fail(plan: &LogicalPlan) -> bool {
    let mut may = false;
    let walked = plan.each(|node| {
        may |= node_may_fail(node);
        Ok(if may { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    may || walked.is_err()
}

fn node_may_fail(node: &LogicalPlan) -> bool {
    if let Some(lateral) = of(node) {
        return match lateral.kind {
            Kind::Value => value_may_fail(&lateral.inner),
            _ => may_fail(&lateral.inner),
        };
    }
    match node {
        LogicalPlan::TableScan(_) | LogicalPlan::EmptyRelation(_) | LogicalPlan::SubqueryAlias(_) => return false,
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::Values(_) => {}
        _ => return true,
    }
    let schema = input_schema(node);
    let mut may = false;
    let walked = node.each_expression(|expr| {
        may |= expr_may_fail(expr, schema.as_ref());
        Ok(TreeNodeRecursion::Continue)
    });
    may || walked.is_err()
}

/// The columns of all inputs.
fn input_schema(node: &LogicalPlan) -> Option<DFSchema> {
    let mut all = DFSchema::empty();
    for input in node.inputs() {
        all.merge(input.schema());
    }
    Some(all)
}

fn arithmetic(expr: &Expr) -> bool {
    expr_may_fail(expr, None)
}

/// True if an expression over these columns may fail.
pub(crate) fn expr_may_fail(expr: &Expr, schema: Option<&DFSchema>) -> bool {
    expr.has(|part| part_may_fail(part, schema)).unwrap_or(true) || has_failing_subquery(expr)
}

fn part_may_fail(part: &Expr, schema: Option<&DFSchema>) -> Result<bool> {
    Ok(match part {
        Expr::BinaryExpr(binary) => may_operator_fail(binary.op),
        Expr::Cast(cast) => !is_widening(cast, schema),
        Expr::ScalarFunction(call) => !SAFE_FUNCTIONS.contains(&call.name()),
        Expr::AggregateFunction(call) => !SAFE_AGGREGATES.contains(&call.func.name()),
        Expr::WindowFunction(call) => !is_safe_window(call),
        Expr::Alias(_)
        | Expr::Column(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Literal(..)
        | Expr::Placeholder(_)
        | Expr::Not(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::InList(_)
        | Expr::Case(_)
        | Expr::TryCast(_)
        | Expr::GroupingSet(_) => false,
        Expr::Like(like) => like.escape_char.is_some() || !matches!(like.pattern.as_ref(), Expr::Literal(..)),
        other => !is_subquery(other),
    })
}

fn may_operator_fail(op: Operator) -> bool {
    use Operator::{And, Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq, Or, StringConcat};
    let is_safe = matches!(op, And | Or | Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom);
    !is_safe && op != StringConcat
}

fn is_safe_window(call: &WindowFunction) -> bool {
    match &call.fun {
        WindowFunctionDefinition::AggregateUDF(function) => SAFE_AGGREGATES.contains(&function.name()),
        WindowFunctionDefinition::WindowUDF(function) => SAFE_WINDOWS.contains(&function.name()),
    }
}

/// True if every value of the one type is one of the other.
fn is_widening(cast: &Cast, schema: Option<&DFSchema>) -> bool {
    let to = cast.field.data_type();
    if matches!(cast.expr.as_ref(), Expr::Literal(value, _) if value.is_null()) {
        return true;
    }
    let from = match (cast.expr.as_ref(), schema) {
        (Expr::OuterReferenceColumn(field, _), _) => field.data_type().clone(),
        (_, None) => return false,
        (expr, Some(schema)) => match expr.get_type(schema) {
            Ok(from) => from,
            Err(_) => return false,
        },
    };
    let rank = |data_type: &DataType| match data_type {
        DataType::Int8 => Some(3),
        DataType::Int16 => Some(5),
        DataType::Int32 => Some(10),
        DataType::Int64 => Some(19),
        _ => None,
    };
    match (&from, to) {
        (from, to) if from == to => true,
        (DataType::Null, _) => true,
        (DataType::Decimal128(from, from_scale), DataType::Decimal128(to, to_scale)) => {
            to_scale >= from_scale && i16::from(*to) - i16::from(*to_scale) >= i16::from(*from) - i16::from(*from_scale)
        }
        (from, DataType::Decimal128(digits, scale)) => {
            rank(from).is_some_and(|whole| i16::from(*digits) - i16::from(*scale) >= whole)
        }
        (from, DataType::Float64) => rank(from).is_some() || matches!(from, DataType::Float32),
        (from, to) => match (rank(from), rank(to)) {
            (Some(from), Some(to)) => from <= to,
            _ => from.is_string() && to.is_string(),
        },
    }
}
