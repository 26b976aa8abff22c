//! SELECT DISTINCT ON: its expressions may be ordinals of the list, and ORDER BY may have them in any order, or only
//! some of them.
//!
//! ```text
//!   SELECT DISTINCT ON (a, 2) a, b FROM t ORDER BY b    ->   SELECT DISTINCT ON (b, a) a, b FROM t ORDER BY b, a
//! ```
//!
//! The planner requires them in the order of ORDER BY, and takes an ordinal for a value.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, OrderByExpr, OrderByKind, OrderByOptions, Query, SelectItem, SetExpr, Statement, Value, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with the expressions of every DISTINCT ON as ORDER BY begins.
pub(crate) fn as_ordered(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Queries);
    statement
}

struct Queries;

impl VisitorMut for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_mut()
            && let Some(Distinct::On(groups)) = &mut select.distinct
        {
            for group in groups.iter_mut() {
                if let Some(meant) = numbered(group, &select.projection) {
                    *group = meant.clone();
                }
            }
            if let Some(OrderByKind::Expressions(order)) = query.order_by.as_mut().map(|order| &mut order.kind) {
                align(groups, order, &select.projection);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Brings the groups into the order of the keys, and has the keys name all groups. Where a key that is none of the groups
/// comes before one that is, both stay as they are, for the planner to refuse.
fn align(groups: &mut Vec<Expr>, order: &mut Vec<OrderByExpr>, list: &[SelectItem]) {
    let mut rest = groups.clone();
    let mut aligned: Vec<Expr> = Vec::with_capacity(rest.len());
    for key in order.iter() {
        match rest.iter().position(|group| are_same(group, &key.expr, list)) {
            Some(place) => aligned.push(rest.remove(place)),
            None if aligned.iter().any(|group| are_same(group, &key.expr, list)) => {}
            None if rest.is_empty() => break,
            None => return,
        }
    }
    for group in rest {
        let options = OrderByOptions { asc: None, nulls_first: None };
        order.push(OrderByExpr { expr: group.clone(), options, with_fill: None });
        aligned.push(group);
    }
    *groups = aligned;
}

fn are_same(a: &Expr, b: &Expr, list: &[SelectItem]) -> bool {
    match (meant(a, list), meant(b, list)) {
        (Expr::Identifier(name), Expr::CompoundIdentifier(parts))
        | (Expr::CompoundIdentifier(parts), Expr::Identifier(name)) => parts.last() == Some(name),
        (a, b) => a == b,
    }
}

/// The expression for one that may be a number or a name of the list.
fn meant<'e>(expr: &'e Expr, list: &'e [SelectItem]) -> &'e Expr {
    match expr {
        Expr::Nested(inner) => meant(inner, list),
        Expr::Identifier(name) => {
            let named = list.iter().find_map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } if alias.value == name.value => Some(expr),
                _ => None,
            });
            named.unwrap_or(expr)
        }
        expr => numbered(expr, list).unwrap_or(expr),
    }
}

/// The expression of the list that a number means.
fn numbered<'e>(expr: &Expr, list: &'e [SelectItem]) -> Option<&'e Expr> {
    let Expr::Value(value) = expr else { return None };
    let Value::Number(number, _) = &value.value else { return None };
    let place = number.to_string().parse::<usize>().ok()?.checked_sub(1)?;
    let is_wildcard = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    if list.iter().take(place).any(is_wildcard) {
        return None;
    }
    match list.get(place)? {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}
