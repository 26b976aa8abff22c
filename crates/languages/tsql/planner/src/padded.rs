//! Comparison of binary values of different lengths: SQL Server pads the shorter one with zeros.
//!
//! ```text
//!   binary(3) = x                   b = padded_to(x, 3)                    the column has all its zeros, and finds its index
//!   varbinary(10) = 0xAE00          v >= 0xAE AND v < 0xAE01 AND padded_key(v) = 0xAE
//!   v < w, v IN (...)               padded_key(v) < padded_key(w)          values without the zeros at their ends
//!   GROUP BY v, DISTINCT, ORDER BY  by padded_key(v)                       (mainstay_planner)
//! ```
//!
//! Values without trailing zeros have the order of the padded values. All values that are equal to a key k are in the
//! range from k to k with a byte 1 behind it, which an index finds.
//!
//! Limits: an index stores the values as they are, so a unique one of VARBINARY accepts two that are equal in this way.

use datafusion::common::Result;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use mainstay_planner::dialect::Tree;
use mainstay_planner::tools::{Form, padded, padded_key, stored_bound};
use mainstay_tsql_types::DataType;

/// The bytes that every value of a type has.
fn fixed_length(data_type: DataType) -> Option<u16> {
    match data_type {
        DataType::Binary(length) => Some(length),
        DataType::RowVersion => Some(8),
        _ => None,
    }
}

/// Reports whether values of a type are bytes that compare in this way.
pub(super) fn is_bytes(data_type: DataType) -> bool {
    fixed_length(data_type).is_some() || matches!(data_type, DataType::VarBinary(_))
}

/// The comparison of two values with their types, by an operator of the core.
pub(super) fn comparison(
    (left, of_left): (Expr, DataType),
    op: Operator,
    (right, of_right): (Expr, DataType),
) -> Result<Expr> {
    let plain = |left: Expr, right: Expr| Ok(binary(left, op, right));
    let filled = |expr: Expr, length: u16| padded(Form::Filled(length), expr);
    match (fixed_length(of_left), fixed_length(of_right)) {
        (Some(one), Some(other)) if one == other => plain(left, right),
        (Some(one), Some(other)) if one < other => plain(filled(left, other)?, right),
        // A literal of BINARY is no column that has an index.
        (Some(length), _) if !matches!(left, Expr::Literal(..)) => plain(left, filled(right, length)?),
        (_, Some(length)) if !matches!(right, Expr::Literal(..)) => plain(filled(left, length)?, right),
        _ if op == Operator::Eq && finds_index(&left, &right)? => equal(left, right),
        _ if op == Operator::Eq && finds_index(&right, &left)? => equal(right, left),
        _ => plain(padded_key(left)?, padded_key(right)?),
    }
}

/// The test that the first of these values is among the others.
pub(super) fn is_in(values: Vec<(Expr, DataType)>) -> Result<Expr> {
    let length = values.first().and_then(|(_, of)| fixed_length(*of));
    let mut sides = values.into_iter().map(|(expr, _)| expr);
    let expr = sides.next().unwrap_or_default();
    let (expr, list) = match length {
        Some(length) => (expr, sides.map(|side| padded(Form::Filled(length), side)).collect::<Result<Vec<_>>>()?),
        None => (padded_key(expr)?, sides.map(padded_key).collect::<Result<Vec<_>>>()?),
    };
    Ok(Expr::InList(InList { expr: Box::new(expr), list, negated: false }))
}

/// Reports whether one side is a column, and the other one the same for all its rows.
fn finds_index(column: &Expr, value: &Expr) -> Result<bool> {
    let is_of_rows = |expr: &Expr| {
        Ok(matches!(
            expr,
            Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::ScalarSubquery(_) | Expr::AggregateFunction(_)
        ))
    };
    Ok(matches!(column, Expr::Column(_)) && !value.has(is_of_rows)?)
}

/// The column is equal to a value, and in the range of an index that has all that are.
fn equal(column: Expr, value: Expr) -> Result<Expr> {
    let bound = |form: Form| padded(form, value.clone()).map(stored_bound);
    let from = binary(column.clone(), Operator::GtEq, bound(Form::Key)?);
    let to = binary(column.clone(), Operator::Lt, bound(Form::Next)?);
    Ok(from.and(to).and(binary(padded_key(column)?, Operator::Eq, padded_key(value)?)))
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}
