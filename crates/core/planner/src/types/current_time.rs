//! The present time in statements.
//!
//! `now()`, `CURRENT_DATE` and `CURRENT_TIME` are the time at which their statement was planned: the same in all its
//! rows. So a plan with one of them is used once.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::any_expression_of_plan;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DataFusionError, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::time::SystemTime;

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

/// The plan with the time of day in the place of the functions that tell it. Columns keep their names.
pub(crate) fn with_the_time_in_plan(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>, DataFusionError> {
    if !any_expression_of_plan(&plan, tells_the_time) {
        return Ok(Transformed::no(plan));
    }
    let now = now();
    plan.map_up_with_subqueries(|node| crate::tree::rewrite::node(node, |expr, _| with_the_time(expr, now)))
}

/// The time of day, in nanoseconds after 1970.
pub(crate) fn now() -> i64 {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX)
}

fn tells_the_time(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if matches!(call.func.name(), "now" | "current_date" | "current_time"))
}

/// The expression with the time of day `nanos` in the place of the functions that tell it.
pub(crate) fn with_the_time(expr: Expr, nanos: i64) -> Result<Transformed<Expr>, DataFusionError> {
    expr.map_up(|expr| {
        let Expr::ScalarFunction(call) = &expr else { return Ok(Transformed::no(expr)) };
        let value = match call.func.name() {
            "now" => ScalarValue::TimestampNanosecond(Some(nanos), Some("+00:00".into())),
            "current_date" => ScalarValue::Date32(i32::try_from(nanos / DAY_NS).ok()),
            "current_time" => ScalarValue::Time64Nanosecond(Some(nanos % DAY_NS)),
            _ => return Ok(Transformed::no(expr)),
        };
        Ok(Transformed::yes(Expr::Literal(value, None)))
    })
}
