//! CHOOSE as CASE, which evaluates only the chosen value.
//!
//! SQL Server rewrites `CHOOSE(i, a, b)` to a CASE of the same values
//! (learn.microsoft.com/sql/t-sql/functions/logical-functions-choose-transact-sql: a non-integer index is converted to
//! an integer, and one out of range gives NULL).

use super::typed::{Typed, convert};
use datafusion::common::Result;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{Expr, lit};
use mainstay_tsql_types::{Bound, DataType, Settings};

/// The CASE, if the type of the result is known.
pub(super) fn as_case(known: &Bound, args: &[Typed], settings: Settings) -> Result<Option<Expr>> {
    let (Some(result), [index, values @ ..]) = (known.result, args) else { return Ok(None) };
    let index = convert(index.clone(), DataType::Int, settings)?.expr;
    let branches = values.iter().zip(1i32..).map(|(value, number)| {
        let value = convert(value.clone(), result, settings)?;
        Ok((Box::new(lit(number)), Box::new(value.expr)))
    });
    let when_then_expr = branches.collect::<Result<Vec<_>>>()?;
    Ok(Some(Expr::Case(Case { expr: Some(Box::new(index)), when_then_expr, else_expr: None })))
}
