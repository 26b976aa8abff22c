//! EXISTS as a value: `SELECT CASE WHEN EXISTS (SELECT ...) THEN ...`.
//!
//! The planner turns an EXISTS in a filter into a join, and does not support it in a list of values. There it becomes a
//! comparison of a count with 0, a scalar subquery, which the planner supports:
//!
//! ```text
//!   EXISTS (SELECT DISTINCT a FROM t WHERE t.k = u.k)   ->   (SELECT count(*) FROM t WHERE t.k = u.k) > 0
//! ```
//!
//! An EXISTS that is part of a grouping key stays: the value of the key is calculated below the groups.
//!
//! Limits: a subquery with groups, aggregates, an OFFSET or a set operation stays as it is, and the planner refuses it.

use crate::parse::walk::{Walk, WalkMut};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Fetch, GroupByExpr, LimitClause, Query, SelectItem, SetExpr, Statement, Value, Visitor,
    VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// Rewrites every EXISTS in the list of a SELECT.
pub(crate) fn as_counts(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Lists);
    statement
}

struct Lists;

impl VisitorMut for Lists {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_mut() {
            let keys = keys(&select.group_by);
            for item in &mut select.projection {
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                    let _ = expr.walk_mut(&mut Values { depth: 0, keys: &keys });
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Every EXISTS in the keys of groups: the list has to name it as they do.
fn keys(group_by: &GroupByExpr) -> Vec<Expr> {
    struct Tests(Vec<Expr>);
    impl Visitor for Tests {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if matches!(expr, Expr::Exists { .. }) {
                self.0.push(expr.clone());
            }
            ControlFlow::Continue(())
        }
    }
    let mut tests = Tests(Vec::new());
    // The visitor does not break.
    let _ = group_by.walk(&mut tests);
    tests.0
}

/// The expressions of a list, without those of the queries in it.
struct Values<'k> {
    depth: usize,
    keys: &'k [Expr],
}

impl VisitorMut for Values<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let (0, Expr::Exists { subquery, negated }) = (self.depth, &*expr)
            && !self.keys.contains(expr)
            && let Some(count) = counted(subquery)
        {
            let op = if *negated { BinaryOperator::Eq } else { BinaryOperator::Gt };
            let zero = Expr::Value(Value::Number("0".into(), false).into());
            let compared =
                Expr::BinaryOp { left: Box::new(Expr::Subquery(Box::new(count))), op, right: Box::new(zero) };
            *expr = Expr::Nested(Box::new(compared));
        }
        ControlFlow::Continue(())
    }
}

/// The query that counts the rows of this one.
fn counted(query: &Query) -> Option<Query> {
    let mut query = query.clone();
    let keeps_rows = |count: &Expr| matches!(count, Expr::Value(value) if value.value.to_string() != "0");
    match query.limit_clause.take() {
        None => {}
        Some(LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by }) if limit_by.is_empty() => {
            keeps_rows(&limit).then_some(())?;
        }
        Some(_) => return None,
    }
    match query.fetch.take() {
        None => {}
        Some(Fetch { quantity: Some(count), percent: false, .. }) => keeps_rows(&count).then_some(())?,
        Some(_) => return None,
    }
    query.order_by = None;
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    let groups = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(expressions, others) => !expressions.is_empty() || !others.is_empty(),
    };
    // An aggregate without GROUP BY always gives a row: not what its rows count to.
    let may_aggregate = select.projection.iter().any(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => aggregates(&expr.to_string()),
        _ => false,
    });
    if groups || may_aggregate || select.having.is_some() || select.top.is_some() || select.qualify.is_some() {
        return None;
    }
    select.distinct = None;
    select.projection = vec![SelectItem::UnnamedExpr(count_of_rows()?)];
    Some(query)
}

/// Returns true if the text of an expression may call an aggregate. One that only has such a name in it is treated
/// alike.
fn aggregates(text: &str) -> bool {
    const NAMES: [&str; 8] = ["count", "sum", "min", "max", "avg", "agg", "std", "var"];
    let text = text.to_lowercase();
    NAMES.iter().any(|name| text.contains(name)) && text.contains('(')
}

fn count_of_rows() -> Option<Expr> {
    Parser::new(&datafusion::sql::sqlparser::dialect::GenericDialect {})
        .try_with_sql("count(*)")
        .ok()?
        .parse_expr()
        .ok()
}
