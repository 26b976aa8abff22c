//! FETCH FIRST: ISO SQL's LIMIT.
//!
//! ```text
//!   FETCH FIRST n ROWS ONLY                      LIMIT n
//!   ORDER BY x FETCH FIRST n ROWS WITH TIES      QUALIFY rank() OVER (ORDER BY x) <= n
//! ```
//!
//! Rows that tie with the last one have its rank, which is at most n, and all later rows have a greater one. With an
//! OFFSET of m rows the bound is m + n.

use crate::error::unsupported;
use crate::parse::fragments::expression;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Fetch, Ident, LimitClause, Offset, OffsetRows, OrderByExpr, OrderByKind, Query, SelectItem,
    SetExpr, Statement, Value, VisitorMut, WindowType,
};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// Brings the FETCH of every query of the statement to what the planner knows.
///
/// Errors: `Unsupported` for PERCENT, and for WITH TIES of anything but a plain SELECT; `Syntax` for WITH TIES without an
/// order.
pub(crate) fn reduced(mut statement: Statement) -> Result<Statement> {
    match statement.walk_mut(&mut Reducer) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(statement),
    }
}

struct Reducer;

impl VisitorMut for Reducer {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        let Some(fetch) = query.fetch.take() else { return ControlFlow::Continue(()) };
        match reduce(query, fetch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn reduce(query: &mut Query, fetch: Fetch) -> Result<()> {
    if fetch.percent {
        return Err(unsupported("FETCH ... PERCENT"));
    }
    let count = match fetch.quantity {
        Some(count) => count,
        None => number(1),
    };
    let offset = match query.limit_clause.take() {
        None => None,
        Some(LimitClause::LimitOffset { limit: None, offset, .. }) => offset,
        Some(_) => return Err(Error::new(Code::Syntax, "a query has LIMIT or FETCH, not both")),
    };
    if fetch.with_ties {
        keep_ties(query, count, offset.as_ref())?;
        query.limit_clause =
            offset.map(|offset| LimitClause::LimitOffset { limit: None, offset: Some(offset), limit_by: Vec::new() });
        return Ok(());
    }
    query.limit_clause = Some(LimitClause::LimitOffset { limit: Some(count), offset, limit_by: Vec::new() });
    Ok(())
}

fn number(value: u64) -> Expr {
    Expr::Value(Value::Number(value.to_string(), false).into())
}

fn keep_ties(query: &mut Query, count: Expr, offset: Option<&Offset>) -> Result<()> {
    let order = match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(order)) => order.clone(),
        _ => return Err(Error::new(Code::Syntax, "FETCH ... WITH TIES needs an ORDER BY")),
    };
    let SetExpr::Select(select) = query.body.as_mut() else {
        return Err(unsupported("FETCH ... WITH TIES of anything but one SELECT"));
    };
    if select.distinct.is_some() || select.qualify.is_some() {
        return Err(unsupported("FETCH ... WITH TIES beside DISTINCT or QUALIFY"));
    }
    let order = order.into_iter().map(|by| of_list(by, &select.projection)).collect::<Result<Vec<_>>>()?;
    let mut rank = expression("rank() OVER (ORDER BY 1)")?;
    match &mut rank {
        Expr::Function(function) => match &mut function.over {
            Some(WindowType::WindowSpec(window)) => window.order_by = order,
            _ => return Err(Error::new(Code::Internal, "a window was made that is none")),
        },
        _ => return Err(Error::new(Code::Internal, "a window was made that is none")),
    }
    let bound = match offset {
        Some(Offset { value, rows: OffsetRows::None | OffsetRows::Row | OffsetRows::Rows }) => {
            binary(value.clone(), BinaryOperator::Plus, count)
        }
        None => count,
    };
    select.qualify = Some(binary(rank, BinaryOperator::LtEq, bound));
    Ok(())
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// The order of a list in the list's own expressions: a window knows neither numbers nor names of its columns.
fn of_list(by: OrderByExpr, list: &[SelectItem]) -> Result<OrderByExpr> {
    let item = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
        _ => None,
    };
    let named = |name: &Ident| {
        list.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } if alias.value == name.value => Some(expr.clone()),
            _ => None,
        })
    };
    let expr = match &by.expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => {
                let place = text.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
                let found = place.and_then(|place| list.get(place)).and_then(item);
                found.ok_or_else(|| Error::new(Code::Syntax, format!("ORDER BY {text}: there is no such column")))?
            }
            _ => by.expr.clone(),
        },
        Expr::Identifier(name) => named(name).unwrap_or_else(|| by.expr.clone()),
        _ => by.expr.clone(),
    };
    Ok(OrderByExpr { expr, ..by })
}
