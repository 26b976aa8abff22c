//! Names of columns that a LATERAL subquery takes over from the row beside it.
//!
//! ```text
//!   FROM a CROSS JOIN LATERAL (SELECT a.n FROM b WHERE b.id = a.id) x     x.n
//! ```
//!
//! The planner names such a column `outer_ref(a.n)`, which no statement can refer to. So it gets its name in the
//! statement.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Select, SelectItem, SetExpr, Statement, TableFactor, TableWithJoins, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with names for these columns.
pub(crate) fn given(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Laterals);
    statement
}

struct Laterals;

impl VisitorMut for Laterals {
    type Break = ();

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { lateral: true, subquery, .. } = table {
            name_columns(&mut subquery.body);
        }
        ControlFlow::Continue(())
    }
}

/// The first query of a set operation gives the names.
fn name_columns(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => name_columns_of(select),
        SetExpr::SetOperation { left, .. } => name_columns(left),
        SetExpr::Query(query) => name_columns(&mut query.body),
        _ => {}
    }
}

fn name_columns_of(select: &mut Select) {
    let Select { projection, from, .. } = select;
    for item in projection {
        let SelectItem::UnnamedExpr(expr) = item else { continue };
        let name = match &*expr {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., table, column] if !from.iter().any(|from| has_table(from, table)) => column.clone(),
                _ => continue,
            },
            Expr::Identifier(column) if from.is_empty() => column.clone(),
            _ => continue,
        };
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: name };
    }
}

fn has_table(from: &TableWithJoins, name: &Ident) -> bool {
    is_table(&from.relation, name) || from.joins.iter().any(|join| is_table(&join.relation, name))
}

fn is_table(factor: &TableFactor, name: &Ident) -> bool {
    let is_same = |known: &Ident| known.value.eq_ignore_ascii_case(&name.value);
    match factor {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::NestedJoin { alias: Some(alias), .. }
        | TableFactor::UNNEST { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. } => is_same(&alias.name),
        TableFactor::Table { name, alias: None, .. } => {
            name.0.last().and_then(|part| part.as_ident()).is_some_and(is_same)
        }
        TableFactor::NestedJoin { table_with_joins, alias: None } => has_table(table_with_joins, name),
        // Other sources may have columns of any name: then nothing is known of the column.
        TableFactor::Derived { .. } => false,
        _ => true,
    }
}
