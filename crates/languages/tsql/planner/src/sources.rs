//! Functions in FROM, whose names continue with `table:`.
//!
//! ```text
//!   "mssql:table:openjson"('detail', doc, '$.lines')              rowset       STRING_SPLIT, OPENJSON and similar ones
//!   "mssql:table:format"('layout', (SELECT ...))                  rows_text    FOR JSON, FOR XML
//!   "mssql:table:recursion"('100', (SELECT i + 1 FROM n ...))     a recursive part with MAXRECURSION
//! ```

use super::function::error_of;
use super::rows_text::{RowsText, RowsTextExec};
use super::rowset::{Rowset, RowsetExec};
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::Planning;
use datafusion::sql::sqlparser::ast::{self, FunctionArg, FunctionArgExpr, TableFactor};
use mainstay_planner::tools;
use mainstay_tsql_types::Message;
use std::sync::Arc;

/// The prefix of these functions' names.
const TABLE: &str = "table:";

/// The function that gives one row: the text of a query's rows.
const FORMAT: &str = "format";

/// The function that gives the rows of a query: the recursive part of a common table expression.
const RECURSION: &str = "recursion";

/// The plan of a function with these arguments; `None` if the name is not one of a function in FROM.
///
/// Errors: arguments that the function does not take.
pub(super) fn plan(
    name: &str,
    arguments: &[FunctionArg],
    context: &mut dyn RelationPlannerContext,
) -> Result<Option<LogicalPlan>> {
    let Some(function) = name.strip_prefix(TABLE) else { return Ok(None) };
    let plan = match function {
        FORMAT => RowsText::plan(arguments, context)?,
        RECURSION => recursion(arguments, context)?,
        _ => {
            let none = DFSchema::empty();
            let mut exprs = Vec::with_capacity(arguments.len());
            for argument in arguments {
                match argument {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                        exprs.push(context.sql_to_expr(expr.clone(), &none)?);
                    }
                    other => return plan_err!("an argument of {function} is {other}"),
                }
            }
            Rowset::plan(function, exprs)?
        }
    };
    Ok(Some(plan))
}

/// The recursive part of a common table expression; the arguments are the limit and the query.
fn recursion(arguments: &[FunctionArg], context: &mut dyn RelationPlannerContext) -> Result<LogicalPlan> {
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(limit)), FunctionArg::Unnamed(FunctionArgExpr::Expr(query))] =
        arguments
    else {
        return plan_err!("recursion takes a limit and a query");
    };
    let limit = match limit {
        ast::Expr::Value(value) => value.value.clone().into_string().and_then(|text| text.parse().ok()),
        _ => None,
    };
    let (Some(limit), ast::Expr::Subquery(query)) = (limit, query) else {
        return plan_err!("recursion takes a limit and a query");
    };
    let subquery = TableFactor::Derived { lateral: false, subquery: query.clone(), alias: None, sample: None };
    Ok(tools::limited_recursion(context.plan(subquery)?, limit, error_of(exceeded(limit))))
}

fn exceeded(limit: u32) -> Message {
    let text = format!(
        "The statement terminated. The maximum recursion {limit} has been exhausted before statement completion."
    );
    Message::error(530, text)
}

/// The operator of a node that [`plan`] has made.
///
/// Errors: those of planning the node's expressions.
pub(super) fn operator(
    node: &dyn UserDefinedLogicalNode,
    inputs: &[Arc<dyn ExecutionPlan>],
    planning: &Planning<'_>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(rowset) = node.as_any().downcast_ref::<Rowset>() {
        return RowsetExec::planned(rowset, planning).map(Some);
    }
    if let Some(text) = node.as_any().downcast_ref::<RowsText>() {
        return RowsTextExec::planned(text, inputs).map(Some);
    }
    Ok(None)
}
