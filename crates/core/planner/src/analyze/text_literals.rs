//! Text literals beside values of other types, where DataFusion does not convert them, or not as columns do.
//!
//! ```text
//!   active = 'true'                              as a BOOLEAN
//!   at = '2024-01-01 12:00:00+02:00'             of a TIMESTAMP: the offset is ignored, as in PostgreSQL
//! ```
//!
//! The planner calls [`read`] for `=`, `<` and similar operators as it plans them; [`in_plan`] converts the literals of
//! IN, BETWEEN and other comparisons afterwards.

use crate::analyze::char_columns::is_comparison;
use crate::parse::literals::has_offset;
use crate::tree::nodes::Tree;
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, Case, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan};
use mainstay_columnar::values::TICKS;
use mainstay_types::{SqlType, Value, ValueRef, convert};

/// The sides of a comparison, a literal of text read as a value of the other side's type.
///
/// Errors: `InvalidValue` for a text that says none.
pub(crate) fn read(left: Expr, right: Expr, schema: &DFSchema) -> Result<(Expr, Expr)> {
    Ok(match (text_of(&left), text_of(&right)) {
        (None, Some(text)) => match of_type_of(&left, text, schema)? {
            Some(read) => (left, read),
            None => (left, right),
        },
        (Some(text), None) => match of_type_of(&right, text, schema)? {
            Some(read) => (read, right),
            None => (left, right),
        },
        _ => (left, right),
    })
}

/// The plan with the literals with offsets read that meet moments in IN, BETWEEN, IS DISTINCT FROM and CASE.
///
/// Errors: as [`read`].
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_concerned = |expr: &Expr| text_of(expr).is_some_and(has_offset);
    crate::tree::rewrite::concerned(plan, is_concerned, in_expression)
}

/// The same of an expression.
pub(crate) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let beside = |expr: &Expr, text: Expr| match text_of(&text).is_some_and(has_offset) {
        true => read(expr.clone(), text, schema).map(|(_, text)| text),
        false => Ok(text),
    };
    let boxed = |expr: &Expr, text: Box<Expr>| beside(expr, *text).map(Box::new);
    expr.map_up(|expr| {
        Ok(match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
                let right = boxed(&left, right)?;
                let left = boxed(&right, left)?;
                Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right }))
            }
            Expr::InList(InList { expr, list, negated }) => {
                let list: Vec<Expr> = list.into_iter().map(|item| beside(&expr, item)).collect::<Result<_>>()?;
                let expr = list.first().map_or_else(|| Ok(expr.clone()), |first| boxed(first, expr.clone()))?;
                Transformed::yes(Expr::InList(InList { expr, list, negated }))
            }
            Expr::Between(Between { expr, negated, low, high }) => {
                let (low, high) = (boxed(&expr, low)?, boxed(&expr, high)?);
                let expr = boxed(&low, expr)?;
                Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
            }
            Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }) => {
                let read = |(when, then): (Box<Expr>, Box<Expr>)| boxed(&base, when).map(|when| (when, then));
                let when_then_expr = when_then_expr.into_iter().map(read).collect::<Result<_>>()?;
                Transformed::yes(Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }))
            }
            other => Transformed::no(other),
        })
    })
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        _ => None,
    }
}

/// The text as a value of the type of an expression; `None` for what the planner reads.
fn of_type_of(expr: &Expr, text: &str, schema: &DFSchema) -> Result<Option<Expr>> {
    let value = match expr.get_type(schema)? {
        DataType::Boolean => {
            let value = convert(ValueRef::Text(text), SqlType::Boolean).map_err(crate::carried_error::to_datafusion)?;
            ScalarValue::Boolean(Some(value == Value::Boolean(true)))
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) if has_offset(text) => {
            match crate::analyze::cast::moment_of(text, SqlType::Timestamp { digits: 6 })
                .map_err(crate::carried_error::to_datafusion)?
            {
                Value::Timestamp(moment) => ScalarValue::TimestampMicrosecond(Some(moment.us()), None),
                _ => return Ok(None),
            }
        }
        TICKS if has_offset(text) => {
            match crate::analyze::cast::moment_of(text, SqlType::Timestamp { digits: 7 })
                .map_err(crate::carried_error::to_datafusion)?
            {
                Value::Timestamp(moment) => ScalarValue::Decimal64(Some(moment.0), 18, -2),
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Expr::Literal(value, None)))
}
