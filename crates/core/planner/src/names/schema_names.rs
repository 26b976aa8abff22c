//! Tables of one name from several schemas in one FROM: `FROM t, s.t`.
//!
//! DataFusion resolves a column `t.a` to `s.t` as well as to `t`, and takes the first, so both tables would show the
//! rows of one. Such tables do not conflict (ISO/IEC 9075-2, 7.6 and 6.6: the exposed names `t` and `s.t` differ). So
//! each table that is named with its schema gets an alias derived from that whole name, and the references to its
//! columns follow:
//!
//! ```text
//!   SELECT t.a, s.t.b FROM t, s.t   -->   SELECT t.a, "s:t".b FROM t, s.t AS "s:t"
//! ```

use crate::parse::walk::{Walk, WalkMut};
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement,
    TableAlias, TableFactor, TableWithJoins, Visitor, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with such aliases.
pub(crate) fn told_apart(mut statement: Statement) -> Statement {
    if statement.walk(&mut WholeNames).is_break() {
        // The visitor does not break.
        let _ = statement.walk_mut(&mut Queries);
    }
    statement
}

/// Looks for a table that is called with its schema.
struct WholeNames;

impl Visitor for WholeNames {
    type Break = ();

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        if name.0.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Gives the aliases, in subqueries before the queries around them.
struct Queries;

impl VisitorMut for Queries {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_mut() {
            let names = aliased(select);
            if !names.is_empty() {
                // The visitor does not break.
                let _ = query.walk_mut(&mut Columns { names, hiding: 0, depth: 0 });
            }
        }
        ControlFlow::Continue(())
    }
}

/// The tables of a FROM without aliases, those within joins too.
fn each_table(from: &mut [TableWithJoins], work: &mut dyn FnMut(&ObjectName, &mut Option<TableAlias>)) {
    for tables in from {
        let joined = tables.joins.iter_mut().map(|join| &mut join.relation);
        for factor in std::iter::once(&mut tables.relation).chain(joined) {
            match factor {
                TableFactor::Table { name, alias, args: None, .. } if alias.is_none() => work(name, alias),
                TableFactor::NestedJoin { table_with_joins, alias: None } => {
                    each_table(std::slice::from_mut(table_with_joins), work);
                }
                _ => {}
            }
        }
    }
}

fn parts_of(name: &ObjectName) -> Vec<String> {
    name.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.clone()).collect()
}

/// Gives aliases to the tables of a SELECT whose names are those of others but for the schema: the names of these tables.
fn aliased(select: &mut Select) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    each_table(&mut select.from, &mut |name, _| all.push(parts_of(name)));
    let has_namesake = |parts: &Vec<String>| all.iter().any(|other| other != parts && other.last() == parts.last());
    let named: Vec<Vec<String>> = all.iter().filter(|parts| parts.len() > 1 && has_namesake(parts)).cloned().collect();
    if !named.is_empty() {
        each_table(&mut select.from, &mut |name, alias| {
            let parts = parts_of(name);
            if named.contains(&parts) {
                *alias = Some(TableAlias { explicit: true, name: whole(&parts), columns: Vec::new(), at: None });
            }
        });
    }
    named
}

/// The alias for this name. DataFusion would take an alias with a dot apart.
fn whole(parts: &[String]) -> Ident {
    Ident::with_quote('"', parts.join(":"))
}

/// Calls columns by the aliases, but in subqueries that have a table of such a name themselves.
struct Columns {
    names: Vec<Vec<String>>,
    /// The outermost of the queries around that hide the tables, or 0.
    hiding: usize,
    depth: usize,
}

impl Columns {
    /// The alias for what stands before a column.
    fn alias(&self, qualifier: &[Ident]) -> Option<Ident> {
        let is_named = |parts: &&Vec<String>| {
            parts.len() == qualifier.len() && parts.iter().zip(qualifier).all(|(part, ident)| *part == ident.value)
        };
        (self.hiding == 0).then(|| self.names.iter().find(is_named)).flatten().map(|parts| whole(parts))
    }
}

impl VisitorMut for Columns {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        if let SetExpr::Select(select) = query.body.as_mut()
            && self.hiding == 0
        {
            let mut hides = false;
            each_table(&mut select.from, &mut |name, _| hides |= self.names.contains(&parts_of(name)));
            if hides {
                self.hiding = self.depth;
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        if self.hiding == self.depth {
            self.hiding = 0;
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item {
                let parts: Vec<Ident> = name.0.iter().filter_map(|part| part.as_ident()).cloned().collect();
                if let Some(alias) = self.alias(&parts) {
                    *name = ObjectName::from(alias);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [qualifier @ .., column] = parts.as_slice()
            && let Some(alias) = self.alias(qualifier)
        {
            *parts = vec![alias, column.clone()];
        }
        ControlFlow::Continue(())
    }
}
