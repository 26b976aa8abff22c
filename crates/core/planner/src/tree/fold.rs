//! Constant folding after parameters have their values.
//!
//! The plan was optimized with its parameters unknown. Now `CAST(5 AS DECIMAL(22, 2))` is a constant and
//! `CAST(amount AS DECIMAL(22, 2)) >= 5.00` a comparison of the column itself; conditions that have become
//! false empty their branch when the plan is built.

use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::simplify_expressions::SimplifyExpressions;
use datafusion::optimizer::{Optimizer, OptimizerContext};
use std::sync::Arc;

/// Folds the constants of a bound plan.
pub(crate) fn fold(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let optimizer = Optimizer::with_rules(vec![Arc::new(SimplifyExpressions::new())]);
    let context = OptimizerContext::new_with_config_options(Arc::clone(state.config_options())).with_max_passes(1);
    optimizer.optimize(plan, &context, |_, _| {})
}
