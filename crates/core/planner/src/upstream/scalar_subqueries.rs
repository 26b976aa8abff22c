//! A scalar subquery without a row gives NULL, also for a NOT NULL column.
//!
//! The planner derives nullability from the column: for a NOT NULL column the result is declared NOT NULL, and the
//! statement fails at a NULL. So such a subquery becomes the argument of an identity function with a nullable result.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::{any_expression, any_expression_of_plan};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use std::sync::{Arc, LazyLock};

static FUNCTION: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Arc::new(ScalarUDF::from(Perhaps { signature: Signature::user_defined(Volatility::Immutable) })));

/// The plan with its subqueries for one value in such calls.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_expression_of_plan(&plan, is_certain) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        if !any_expression(&node, is_certain) {
            return Ok(Transformed::no(node));
        }
        crate::tree::rewrite::node(node, |expr, _| all_perhaps(expr))
    })
    .data()
}

/// A value that becomes a column, with the subqueries within it in such calls.
pub(crate) fn perhaps(value: Expr) -> Result<Expr> {
    all_perhaps(value).data()
}

fn all_perhaps(expr: Expr) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| match is_certain(&expr) {
        true => {
            let call = ScalarFunction::new_udf(Arc::clone(&FUNCTION), vec![expr]);
            Ok(Transformed::yes(Expr::ScalarFunction(call)))
        }
        false => Ok(Transformed::no(expr)),
    })
}

/// Returns true if it is a subquery whose column says that it is never NULL, and that may have no row.
fn is_certain(expr: &Expr) -> bool {
    let Expr::ScalarSubquery(subquery) = expr else { return false };
    let is_total = |plan: &LogicalPlan| matches!(plan, LogicalPlan::Aggregate(it) if it.group_expr.is_empty());
    let mut plan = subquery.subquery.as_ref();
    while let LogicalPlan::Projection(projection) = plan {
        plan = &projection.input;
    }
    let field = subquery.subquery.schema().fields().first();
    subquery.outer_ref_columns.is_empty() && !is_total(plan) && field.is_some_and(|field| !field.is_nullable())
}

/// The name of the function that gives its argument.
pub(crate) const PERHAPS: &str = "perhaps";

#[derive(Debug, PartialEq, Eq, Hash)]
struct Perhaps {
    signature: Signature,
}

impl ScalarUDFImpl for Perhaps {
    fn name(&self) -> &str {
        PERHAPS
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [value] => Ok(Arc::new(Field::clone(value).with_nullable(true))),
            _ => internal_err!("a subquery of {} values", args.arg_fields.len()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.into_iter().next() {
            Some(value) => Ok(value),
            None => internal_err!("a subquery without a value"),
        }
    }
}
