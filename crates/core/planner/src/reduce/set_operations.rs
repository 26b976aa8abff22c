//! Names of the branches of set operations.
//!
//! The planner names an unnamed expression of a later branch like the first branch's column in its place, which may be
//! another column of the branch: `SELECT a, b FROM t UNION ALL SELECT b, 7 FROM t`. So the expression gets a unique
//! name.

use crate::names::duplicate_columns::is_by_name;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr as Written, Ident, OrderByKind, Query, SelectItem, SetExpr, Statement, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with names for what has none in the branches behind the first one.
pub(crate) fn with_named_branches(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Branches);
    statement
}

struct Branches;

impl VisitorMut for Branches {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        name_later_branches(&mut query.body);
        ControlFlow::Continue(())
    }
}

fn name_later_branches(body: &mut SetExpr) {
    if let SetExpr::SetOperation { left, right, set_quantifier, .. } = body {
        name_later_branches(left);
        if !is_by_name(*set_quantifier) {
            name_items(right);
        }
    }
}

fn name_items(branch: &mut SetExpr) {
    match branch {
        SetExpr::Select(select) => {
            crate::names::duplicate_columns::number_names(select, |_, number| format!("#branch{number}"));
            for (number, item) in select.projection.iter_mut().enumerate() {
                if let SelectItem::UnnamedExpr(expr) = item
                    && !matches!(expr, Written::Identifier(_) | Written::CompoundIdentifier(_))
                {
                    let alias = Ident::with_quote('"', format!("#branch{number}"));
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
        }
        SetExpr::Query(query) if is_ordered_by_columns(query) => name_items(&mut query.body),
        SetExpr::SetOperation { left, right, set_quantifier, .. } if !is_by_name(*set_quantifier) => {
            name_items(left);
            name_items(right);
        }
        _ => {}
    }
}

/// Returns true if nothing is ordered by that may be written as it is in the list.
fn is_ordered_by_columns(query: &Query) -> bool {
    let is_column =
        |expr: &Written| matches!(expr, Written::Identifier(_) | Written::CompoundIdentifier(_) | Written::Value(_));
    match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(terms)) => terms.iter().all(|term| is_column(&term.expr)),
        Some(OrderByKind::All(_)) => false,
        None => true,
    }
}
