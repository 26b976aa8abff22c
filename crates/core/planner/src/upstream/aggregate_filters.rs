//! Arguments of aggregates are evaluated only for the rows that pass their FILTER.
//!
//! ```text
//!   sum(100 / n) FILTER (WHERE n <> 0)      sum(CASE WHEN n <> 0 THEN 100 / n END) FILTER (WHERE n <> 0)
//! ```
//!
//! DataFusion evaluates the arguments for all rows, and then drops those that do not pass the filter. ISO/IEC 9075-2,
//! 10.9 aggregate function: the filter is applied first, and the argument to the remaining rows; so does PostgreSQL.
//! Arguments that cannot fail stay as they are.

use crate::lateral::expr_may_fail;
use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, Window, when};
use datafusion::optimizer::AnalyzerRule;

/// The rule. It comes when the types are settled.
#[derive(Debug)]
pub(crate) struct FilteredArguments;

impl AnalyzerRule for FilteredArguments {
    fn name(&self) -> &str {
        "filtered_arguments"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if !crate::tree::search::any_expression_of_plan(&plan, is_filtered) {
            return Ok(plan);
        }
        plan.map_up_with_subqueries(|node| {
            Ok(match node {
                LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, schema, .. }) => {
                    let calls = guarded(aggr_expr, input.schema())?;
                    let plan = Aggregate::try_new_with_schema(input, group_expr, calls.data, schema)?;
                    Transformed::new_transformed(LogicalPlan::Aggregate(plan), calls.transformed)
                }
                LogicalPlan::Window(Window { input, window_expr, schema }) => {
                    let calls = guarded(window_expr, input.schema())?;
                    let plan = Window::try_new_with_schema(calls.data, input, schema)?;
                    Transformed::new_transformed(LogicalPlan::Window(plan), calls.transformed)
                }
                node => Transformed::no(node),
            })
        })
        .data()
    }
}

fn is_filtered(expr: &Expr) -> bool {
    match expr {
        Expr::AggregateFunction(call) => call.params.filter.is_some(),
        Expr::WindowFunction(call) => call.params.filter.is_some(),
        _ => false,
    }
}

/// The calls, under the names that they had.
fn guarded(calls: Vec<Expr>, schema: &DFSchema) -> Result<Transformed<Vec<Expr>>> {
    let mut is_changed = false;
    let mut all = Vec::with_capacity(calls.len());
    for call in calls {
        let (relation, name) = call.qualified_name();
        let changed = call.map_up(|part| {
            Ok(match part {
                Expr::AggregateFunction(mut call) => {
                    let is_new = guard(&mut call.params.args, call.params.filter.as_deref(), schema)?;
                    Transformed::new_transformed(Expr::AggregateFunction(call), is_new)
                }
                Expr::WindowFunction(mut call) => {
                    let filter = call.params.filter.take();
                    let is_new = guard(&mut call.params.args, filter.as_deref(), schema)?;
                    call.params.filter = filter;
                    Transformed::new_transformed(Expr::WindowFunction(call), is_new)
                }
                part => Transformed::no(part),
            })
        })?;
        is_changed |= changed.transformed;
        all.push(match changed.transformed {
            true => changed.data.unalias().alias_qualified(relation, name),
            false => changed.data,
        });
    }
    Ok(Transformed::new_transformed(all, is_changed))
}

/// True if there was an argument to guard.
fn guard(args: &mut [Expr], filter: Option<&Expr>, schema: &DFSchema) -> Result<bool> {
    let Some(filter) = filter.filter(|filter| !filter.is_volatile()) else { return Ok(false) };
    let mut is_new = false;
    for arg in args {
        // A constant may be an option that has to stay one.
        if is_constant(arg)? || !expr_may_fail(arg, Some(schema)) {
            continue;
        }
        *arg = when(filter.clone(), std::mem::take(arg)).end()?;
        is_new = true;
    }
    Ok(is_new)
}

fn is_constant(arg: &Expr) -> Result<bool> {
    let is_part_of_constant = |part: &Expr| {
        matches!(
            part,
            Expr::Literal(..) | Expr::Cast(_) | Expr::BinaryExpr(_) | Expr::Negative(_) | Expr::ScalarFunction(_)
        )
    };
    Ok(!arg.has(|part| Ok(!is_part_of_constant(part)))?)
}
