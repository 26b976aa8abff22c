//! Views that follow renames of their tables, columns and sequences.
//!
//! A view is stored as the text of its query, which names tables and columns. Its rows and column names stay the same
//! after a rename:
//!
//! ```text
//!   ALTER TABLE t RENAME TO u            FROM t            FROM u AS t
//!   ALTER TABLE t RENAME COLUMN b TO c   FROM t AS x       FROM (SELECT a, c AS b FROM t) AS x
//!   ALTER SEQUENCE s RENAME TO r         nextval('s')      nextval('r')
//! ```
//!
//! So the rest of the query needs no analysis: neither the table of an unqualified name, nor the columns of `*`. A WITH
//! query that defines the same name hides the renamed table.

use crate::catalog::DEFAULT_SCHEMAS;
use crate::names::name::Name;
use crate::parse::fragments::{expression, parsed};
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, ObjectName, Query, SelectItem,
    SetExpr, TableAlias, TableFactor, Value, VisitorMut,
};
use mainstay_types::Result;
use std::ops::ControlFlow;

/// The key that a name is looked up by.
fn key_of(name: &ObjectName) -> Option<String> {
    let parts: Option<Vec<&Ident>> = name.0.iter().map(|part| part.as_ident()).collect();
    match parts?.as_slice() {
        [last] => Some(last.value.to_lowercase()),
        [schema, last] => {
            let (schema, last) = (schema.value.to_lowercase(), last.value.to_lowercase());
            Some(if DEFAULT_SCHEMAS.contains(&schema.as_str()) { last } else { format!("{schema}.{last}") })
        }
        _ => None,
    }
}

fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name.to_lowercase())
}

/// Returns true if a query may name a table or view; `key` is what it is looked up by. A name that a WITH hides counts:
/// the query of the WITH itself means the table.
///
/// Errors: those of reading it.
pub fn query_names(query: &str, key: &str) -> Result<bool> {
    let mut is_named = false;
    let mut query = parsed(query)?;
    let _ = query.walk_mut(&mut Named { key, is_named: &mut is_named });
    Ok(is_named)
}

struct Named<'n> {
    key: &'n str,
    is_named: &'n mut bool,
}

impl VisitorMut for Named<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let is_it = |name: &ObjectName| key_of(name).is_some_and(|key| key == self.key);
        *self.is_named |= matches!(factor, TableFactor::Table { name, .. } if is_it(name));
        ControlFlow::Continue(())
    }
}

/// A query over a table or view that is called `to` from now on; `None` if it does not name it.
///
/// Errors: those of reading it.
pub fn query_with_renamed_table(query: &str, key: &str, to: &Name) -> Result<Option<String>> {
    let mut is_named = false;
    let renamed = in_tables(query, key, &mut |factor| {
        let TableFactor::Table { name, alias, .. } = factor else { return };
        let old = name.0.last().and_then(|part| part.as_ident()).map_or_else(String::new, |last| last.value.clone());
        let schema = to.schema.iter().map(|schema| quoted(schema));
        *name = ObjectName::from(schema.chain([quoted(&to.key)]).collect::<Vec<_>>());
        alias.get_or_insert_with(|| aliased(quoted(&old)));
        is_named = true;
    })?;
    Ok(is_named.then(|| renamed.to_string()))
}

/// A query over a table whose column `from` (in lower case) is called `to` from now on; `columns` are all of its columns as
/// they were called. `None` if it does not name the table.
///
/// Errors: those of reading it.
pub fn query_with_renamed_column(
    query: &str,
    key: &str,
    columns: &[String],
    (from, to): (&str, &str),
) -> Result<Option<String>> {
    let mut is_named = false;
    let listed = columns.iter().map(|column| {
        let shown = quoted(column);
        match column.to_lowercase() == from {
            true => SelectItem::ExprWithAlias { expr: Expr::Identifier(quoted(to)), alias: shown },
            false => SelectItem::UnnamedExpr(Expr::Identifier(shown)),
        }
    });
    let listed: Vec<SelectItem> = listed.collect();
    let template = parsed("SELECT 1 FROM t")?;
    let mut query = parsed(query)?;
    let mut work = |factor: &mut TableFactor| {
        is_named = true;
        let TableFactor::Table { alias, name, .. } = &mut *factor else { return };
        let old = name.0.last().and_then(|part| part.as_ident()).map_or_else(String::new, |last| last.value.clone());
        let alias = alias.take().unwrap_or_else(|| aliased(quoted(&old)));
        let mut inner = template.clone();
        if let SetExpr::Select(select) = inner.body.as_mut() {
            select.projection = listed.clone();
            for table in &mut select.from {
                table.relation = factor.clone();
            }
        }
        *factor = TableFactor::Derived { lateral: false, subquery: Box::new(inner), alias: Some(alias), sample: None };
    };
    let mut finder =
        Tables { key, hidden: Vec::new(), list: Some((from, to)), each: &mut work, listed: false, done: 0 };
    let _ = query.walk_mut(&mut finder);
    let is_listed = finder.listed;
    Ok((is_named || is_listed).then(|| query.to_string()))
}

/// An expression or a query with another name of a sequence in the calls of `nextval` and its like; `None` if it names
/// none. `key` is what the sequence is looked up by.
///
/// Errors: those of reading it.
pub fn with_renamed_sequence(text: &str, is_query: bool, key: &str, to: &Name) -> Result<Option<String>> {
    let mut finder = SequenceNames { key, to: to.to_string().to_lowercase(), is_named: false };
    let renamed = match is_query {
        true => {
            let mut query = parsed(text)?;
            let _ = query.walk_mut(&mut finder);
            query.to_string()
        }
        false => {
            let mut expr = expression(text)?;
            let _ = expr.walk_mut(&mut finder);
            expr.to_string()
        }
    };
    Ok(finder.is_named.then_some(renamed))
}

fn aliased(name: Ident) -> TableAlias {
    TableAlias { explicit: true, name, columns: Vec::new(), at: None }
}

/// Shows each place of a query where the table is named.
fn in_tables(query: &str, key: &str, each: &mut dyn FnMut(&mut TableFactor)) -> Result<Query> {
    let mut query = parsed(query)?;
    let _ = query.walk_mut(&mut Tables { key, hidden: Vec::new(), list: None, each, listed: false, done: 0 });
    Ok(query)
}

struct Tables<'t> {
    key: &'t str,
    /// The names of the WITHs around.
    hidden: Vec<Vec<String>>,
    /// A column that is renamed: lists of columns of the table that an earlier rename has made are changed in their place.
    list: Option<(&'t str, &'t str)>,
    each: &'t mut dyn FnMut(&mut TableFactor),
    listed: bool,
    /// How many tables that come next are in lists that were changed.
    done: usize,
}

impl Tables<'_> {
    fn is_it(&self, factor: &TableFactor) -> bool {
        let TableFactor::Table { name, args: None, .. } = factor else { return false };
        let is_hidden = |key: &String| self.hidden.iter().flatten().any(|hidden| hidden == key);
        key_of(name).is_some_and(|key| key == self.key && !is_hidden(&key))
    }

    /// Changes `(SELECT a, b AS c FROM t)` in its place, if the factor is one.
    fn change_list(&mut self, factor: &mut TableFactor) -> bool {
        let Some((from, to)) = self.list else { return false };
        let TableFactor::Derived { subquery, lateral: false, .. } = factor else { return false };
        let is_plain = subquery.with.is_none() && subquery.order_by.is_none() && subquery.limit_clause.is_none();
        let SetExpr::Select(select) = subquery.body.as_mut() else { return false };
        let is_column = |item: &SelectItem| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                matches!(expr, Expr::Identifier(_))
            }
            _ => false,
        };
        let has_groups = !matches!(&select.group_by, GroupByExpr::Expressions(exprs, _) if exprs.is_empty());
        let is_plain = is_plain
            && select.selection.is_none()
            && select.having.is_none()
            && select.distinct.is_none()
            && !has_groups
            && select.projection.iter().all(is_column);
        let [table] = select.from.as_slice() else { return false };
        if !(is_plain && table.joins.is_empty() && self.is_it(&table.relation)) {
            return false;
        }
        for item in &mut select.projection {
            let (SelectItem::UnnamedExpr(Expr::Identifier(name))
            | SelectItem::ExprWithAlias { expr: Expr::Identifier(name), .. }) = item
            else {
                continue;
            };
            if name.value != from {
                continue;
            }
            let renamed = Expr::Identifier(quoted(to));
            let alias = match item {
                SelectItem::ExprWithAlias { alias, .. } => alias.clone(),
                _ => quoted(from),
            };
            *item = SelectItem::ExprWithAlias { expr: renamed, alias };
        }
        self.listed = true;
        true
    }
}

impl VisitorMut for Tables<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let names = query.with.iter().flat_map(|with| &with.cte_tables);
        self.hidden.push(names.map(|cte| cte.alias.name.value.to_lowercase()).collect());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.hidden.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        self.done += usize::from(self.change_list(factor));
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if self.is_it(factor) {
            match self.done {
                0 => (self.each)(factor),
                _ => self.done -= 1,
            }
        }
        ControlFlow::Continue(())
    }
}

struct SequenceNames<'s> {
    key: &'s str,
    to: String,
    is_named: bool,
}

impl VisitorMut for SequenceNames<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = expr else {
            return ControlFlow::Continue(());
        };
        let is_one = ["nextval", "currval", "setval"].iter().any(|known| name.to_string() == *known);
        if let (true, Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))))) =
            (is_one, list.args.first_mut())
            && let Value::SingleQuotedString(text) = &mut value.value
        {
            let parts: Vec<String> = text.split('.').map(|part| part.trim().trim_matches('"').to_lowercase()).collect();
            let key = match parts.as_slice() {
                [schema, rest @ ..] if !rest.is_empty() && DEFAULT_SCHEMAS.contains(&schema.as_str()) => rest.join("."),
                parts => parts.join("."),
            };
            if key == self.key {
                *text = self.to.clone();
                self.is_named = true;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_renamed_and_keep_their_names_within() {
        let renamed = |query: &str| query_with_renamed_table(query, "t", &Name::new("New")).unwrap();
        assert_eq!(
            renamed("SELECT t.a, (SELECT max(x.b) FROM main.t AS x) FROM t JOIN u ON t.a = u.a").unwrap(),
            "SELECT t.a, (SELECT max(x.b) FROM \"new\" AS x) FROM \"new\" AS \"t\" JOIN u ON t.a = u.a"
        );
        assert_eq!(renamed("WITH t AS (SELECT 1 AS a) SELECT a FROM t"), None);
        assert_eq!(renamed("SELECT t FROM s.t"), None);
        assert!(query_names("SELECT 1 FROM u UNION SELECT a FROM (SELECT * FROM t)", "t").unwrap());
    }

    #[test]
    fn columns_are_shown_under_their_old_names() {
        let columns = ["a".to_owned(), "B".to_owned()];
        let renamed = |query: &str, from: &str, to: &str| {
            query_with_renamed_column(query, "t", &columns, (from, to)).unwrap().unwrap()
        };
        let once = renamed("SELECT * FROM t WHERE b > 1", "b", "c");
        assert_eq!(once, "SELECT * FROM (SELECT \"a\", \"c\" AS \"b\" FROM t) AS \"t\" WHERE b > 1");
        let again = query_with_renamed_column(&once, "t", &["a".into(), "c".into()], ("c", "d")).unwrap().unwrap();
        assert_eq!(again, "SELECT * FROM (SELECT \"a\", \"d\" AS \"b\" FROM t) AS \"t\" WHERE b > 1");
        assert_eq!(renamed("SELECT x.b FROM t x", "b", "c"), "SELECT x.b FROM (SELECT \"a\", \"c\" AS \"b\" FROM t) x");
    }

    #[test]
    fn sequences_are_renamed_in_calls() {
        let renamed = |text: &str| with_renamed_sequence(text, false, "s", &Name::new("R")).unwrap();
        assert_eq!(renamed("nextval('main.S') + 1").unwrap(), "nextval('r') + 1");
        assert_eq!(renamed("upper('s')"), None);
    }
}
