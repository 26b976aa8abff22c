//! Arithmetic of timestamps: differences, and intervals that are multiplied or added to dates.

use crate::types::ticks::{in_micros, is_ours};
use datafusion::arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::planner::{PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};
use datafusion::sql::sqlparser::ast::BinaryOperator;
use mainstay_columnar::values::TICKS;

/// Returns true if both are moments in microseconds without an offset, or one of them is and the other is a day.
pub(crate) fn are_local(left: &Expr, right: &Expr, schema: &DFSchema) -> bool {
    let of = |expr: &Expr| expr.get_type(schema).ok();
    let is_local = |expr: &Expr| of(expr).is_some_and(|it| it == in_micros(&TICKS));
    let is_day = |expr: &Expr| of(expr).is_some_and(|it| it == DataType::Date32);
    let is_either = |expr: &Expr| is_local(expr) || is_day(expr);
    is_either(left) && is_either(right) && (is_local(left) || is_local(right))
}

/// An interval times a number, or divided by one.
pub(crate) fn of_interval(expr: RawBinaryExpr, schema: &DFSchema) -> PlannerResult<RawBinaryExpr> {
    let of = |expr: &Expr| expr.get_type(schema).unwrap_or(DataType::Null);
    let is_interval = |expr: &Expr| matches!(of(expr), DataType::Interval(_));
    let is_number = |expr: &Expr| of(expr).is_numeric() && !is_ours(&of(expr));
    let is_product = expr.op == BinaryOperator::Multiply;
    let (name, of, by) = match (is_product, is_interval(&expr.left), is_interval(&expr.right)) {
        (_, true, false) if is_number(&expr.right) => {
            (if is_product { "interval_times" } else { "interval_over" }, &expr.left, &expr.right)
        }
        (true, false, true) if is_number(&expr.left) => ("interval_times", &expr.right, &expr.left),
        _ => return PlannerResult::Original(expr),
    };
    match crate::functions::call(name, vec![of.clone(), by.clone()]) {
        Some(call) => PlannerResult::Planned(call),
        None => PlannerResult::Original(expr),
    }
}

/// The sides of `+` and `-` with moments in the place of days that the other side's time moves.
pub(crate) fn with_moments(op: Operator, left: Expr, right: Expr, schema: &DFSchema) -> (Expr, Expr) {
    match op {
        Operator::Plus => (as_moment(left.clone(), &right, schema), as_moment(right, &left, schema)),
        Operator::Minus => (as_moment(left, &right, schema), right),
        _ => (left, right),
    }
}

/// A day to which an interval with a time is added as its first moment: the time would be lost. Only of a literal of whole
/// days, or an interval of months, is it known that there is none.
fn as_moment(expr: Expr, other: &Expr, schema: &DFSchema) -> Expr {
    let has_time = match other {
        Expr::Literal(ScalarValue::IntervalMonthDayNano(Some(interval)), _) => interval.nanoseconds != 0,
        Expr::Literal(..) => false,
        other => other
            .get_type(schema)
            .is_ok_and(|it| matches!(it, DataType::Interval(unit) if unit != IntervalUnit::YearMonth)),
    };
    match has_time && expr.get_type(schema).is_ok_and(|it| it == DataType::Date32) {
        true => datafusion::logical_expr::cast(expr, DataType::Timestamp(TimeUnit::Microsecond, None)),
        false => expr,
    }
}
