//! VALUES in FROM with columns of other tables, rewritten as a UNION ALL of one query for each row.
//!
//! ```text
//!   FROM t, LATERAL (VALUES (t.a), (t.b + 1)) v (x)
//!   FROM t, LATERAL (SELECT t.a AS column1 UNION ALL SELECT t.b + 1 AS column1) v (x)
//! ```
//!
//! The planner refuses a list whose rows have different metadata for a column: a column of a file, or text of a given
//! length. The branches of a UNION may differ, and come in the order of the rows ([`crate::execute::concatenate`]).
//!
//! Limits: long lists stay as they are, since each row would be an operator.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, Statement, TableFactor, Values, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// The most rows of such a list.
const MOST_ROWS: usize = 100;

/// The statement with queries in the place of such lists.
pub(crate) fn as_queries(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Lists);
    statement
}

struct Lists;

impl VisitorMut for Lists {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { subquery, .. } = factor
            && let SetExpr::Values(values) = subquery.body.as_ref()
            && let Some(union) = union_of(values)
        {
            *subquery.body = union;
        }
        ControlFlow::Continue(())
    }
}

/// The queries of the rows; `None` for a list without columns, and for a long one.
fn union_of(values: &Values) -> Option<SetExpr> {
    let rows = &values.rows;
    let has_column = rows.iter().flat_map(|row| &row.content).any(is_column);
    if !has_column || !(2..=MOST_ROWS).contains(&rows.len()) {
        return None;
    }
    let template = empty_select()?;
    let query = |row: &[Expr]| {
        let item = |(number, expr): (usize, &Expr)| SelectItem::ExprWithAlias {
            expr: expr.clone(),
            alias: Ident::new(format!("column{}", number + 1)),
        };
        let projection = row.iter().enumerate().map(item).collect();
        SetExpr::Select(Box::new(Select { projection, ..template.clone() }))
    };
    rows.iter().map(|row| query(&row.content)).reduce(|left, right| SetExpr::SetOperation {
        op: SetOperator::Union,
        set_quantifier: SetQuantifier::All,
        left: Box::new(left),
        right: Box::new(right),
    })
}

fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        Expr::Nested(inner) => is_column(inner),
        _ => false,
    }
}

/// A SELECT of something, without any clause.
fn empty_select() -> Option<Select> {
    let query = Parser::new(&GenericDialect {}).try_with_sql("SELECT 1").ok()?.parse_query().ok()?;
    match *query.body {
        SetExpr::Select(select) => Some(*select),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::as_queries;
    use crate::parse::text::Text;

    fn reduced(source: &str) -> String {
        as_queries(Text::new(source).unwrap().parse().unwrap()).to_string()
    }

    #[test]
    fn rows_with_columns_are_queries() {
        assert_eq!(
            reduced("SELECT * FROM t, LATERAL (VALUES (t.a, 1), ((b), 2)) v(x, y)"),
            "SELECT * FROM t, LATERAL (SELECT t.a AS column1, 1 AS column2 UNION ALL SELECT (b) AS column1, 2 AS column2) \
             v (x, y)"
        );
        for source in ["SELECT * FROM (VALUES (1), (2)) v (x)", "SELECT * FROM t, LATERAL (VALUES (t.a)) v (x)"] {
            assert_eq!(reduced(source), source);
        }
    }
}
