//! Arrays in comparisons, rewritten as lists: the core has no arrays.
//!
//! ```text
//!   a = ANY (ARRAY[1, 2])       a IN (1, 2)
//!   a <> ALL (ARRAY[1, 2])      a NOT IN (1, 2)
//!   a > ANY (ARRAY[1, 2])       a > 1 OR a > 2
//!   a > ALL (ARRAY[1, 2])       a > 1 AND a > 2
//!   ... ARRAY[1, 2]::bigint[]   of CAST(1 AS BIGINT), CAST(2 AS BIGINT)
//! ```
//!
//! For an empty array ANY is false and ALL is true, whatever the other operand (ISO 9075-2, 8.9).

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Array, ArrayElemTypeDef, BinaryOperator, CastKind, DataType, Expr, Value, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement, or the expression, with lists in the place of such arrays.
pub(crate) fn as_lists<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Arrays);
    of
}

struct Arrays;

impl VisitorMut for Arrays {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let listed = match expr {
            Expr::AnyOp { left, compare_op, right, .. } => {
                members(right).map(|members| compared(left, compare_op, members, false))
            }
            Expr::AllOp { left, compare_op, right } => {
                members(right).map(|members| compared(left, compare_op, members, true))
            }
            _ => None,
        };
        if let Some(listed) = listed {
            *expr = Expr::Nested(Box::new(listed));
        }
        ControlFlow::Continue(())
    }
}

/// The members of an array that is written out.
fn members(array: &Expr) -> Option<Vec<Expr>> {
    match array {
        Expr::Nested(inner) => members(inner),
        Expr::Array(Array { elem, .. }) => Some(elem.clone()),
        Expr::Cast {
            expr,
            data_type: DataType::Array(ArrayElemTypeDef::SquareBracket(of, _)),
            kind: CastKind::Cast | CastKind::DoubleColon,
            ..
        } => {
            let cast = |member: Expr| Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(member),
                data_type: of.as_ref().clone(),
                array: false,
                format: None,
            };
            Some(members(expr)?.into_iter().map(cast).collect())
        }
        _ => None,
    }
}

fn compared(left: &Expr, operator: &BinaryOperator, members: Vec<Expr>, all: bool) -> Expr {
    let of = || Box::new(left.clone());
    match operator {
        _ if members.is_empty() => Expr::Value(Value::Boolean(all).into()),
        BinaryOperator::Eq if !all => Expr::InList { expr: of(), list: members, negated: false },
        BinaryOperator::NotEq if all => Expr::InList { expr: of(), list: members, negated: true },
        operator => {
            let one = |member: Expr| Expr::BinaryOp { left: of(), op: operator.clone(), right: Box::new(member) };
            let joined = |left: Expr, right: Expr| {
                let op = if all { BinaryOperator::And } else { BinaryOperator::Or };
                Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
            };
            let all_of_them = members.into_iter().map(one).reduce(joined);
            all_of_them.unwrap_or(Expr::Value(Value::Boolean(all).into()))
        }
    }
}
