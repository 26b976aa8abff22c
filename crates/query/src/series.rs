//! `generate_series(start, stop [, step])` in FROM: whole numbers, or moments an interval apart.
//!
//! The rows are those of DataFusion's function. What differs is the name of the column, which is that of the alias or of the
//! function, as in PostgreSQL, and the type of moments, which DataFusion has in nanoseconds. Limit: the arguments are
//! constants.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, ident};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::sqlparser::ast::{FunctionArg, FunctionArgExpr, TableAlias};

/// The name of the function, and of its column.
pub(crate) const NAME: &str = "generate_series";

/// The rows of a call.
pub(crate) fn plan(
    args: &[FunctionArg],
    alias: Option<&TableAlias>,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let mut constants = Vec::with_capacity(args.len());
    for arg in args {
        let FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) = arg else { return plan_err!("{NAME} of {arg}") };
        constants.push(constant(context.sql_to_expr(arg.clone(), &DFSchema::empty())?)?);
    }
    // DataFusion counts one argument from 0.
    if !matches!(constants.len(), 2 | 3) {
        return plan_err!("{NAME} takes a first value, a last one and perhaps a step");
    }
    let rows = context.context_provider().get_table_function_source(NAME, constants)?;
    let value = ident("value");
    let value = match rows.schema().field(0).data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, None) => {
            cast(value, DataType::Timestamp(TimeUnit::Microsecond, None))
        }
        _ => value,
    };
    let name = alias.filter(|alias| alias.columns.is_empty()).map_or(NAME, |alias| alias.name.value.as_str());
    LogicalPlanBuilder::scan(NAME, rows, None)?.project([value.alias(name)])?.build()
}

/// An argument as DataFusion's function takes it.
fn constant(expr: Expr) -> Result<Expr> {
    let simplifier = ExprSimplifier::new(SimplifyContext::default());
    let expr = simplifier.simplify(simplifier.coerce(expr, &DFSchema::empty())?)?;
    let Expr::Literal(value, _) = &expr else {
        return plan_err!("an argument of {NAME} is {expr}, which is no constant");
    };
    let to = match value.data_type() {
        DataType::Timestamp(_, None) | DataType::Date32 => DataType::Timestamp(TimeUnit::Nanosecond, None),
        DataType::Int8 | DataType::Int16 | DataType::Int32 => DataType::Int64,
        _ => return Ok(expr),
    };
    Ok(Expr::Literal(value.cast_to(&to)?, None))
}
