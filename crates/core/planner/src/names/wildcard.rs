//! `*` in a statement that names `_recno` or `_deleted`.
//!
//! Such a statement can refer to these columns, but they are not part of `*`. Before the planner expands a `*`, this
//! pass replaces it by one `*` per table without the hidden columns.

use crate::catalog::DEFAULT_SCHEMAS;
use crate::catalog::{Catalog, Relation};
use crate::error::unsupported;
use crate::parse::packed_views::PackedView;
use crate::parse::walk::{Walk, WalkMut};
use datafusion::sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, Ident, ObjectName, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    Statement, TableFactor, TableWithJoins, Visitor, VisitorMut, WildcardAdditionalOptions,
};
use mainstay_columnar::Table;
use mainstay_types::{Error, Result};
use std::ops::ControlFlow;

/// Writes out the `*`s of every SELECT of the statement.
pub(crate) fn expand(mut statement: Statement, catalog: &dyn Catalog) -> Result<Statement> {
    let mut expander = Expander { catalog };
    match statement.walk_mut(&mut expander) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(statement),
    }
}

/// The hidden columns of a table.
fn hidden_of(table: &dyn Table) -> Vec<String> {
    let fields = table.schema().fields();
    let first = fields.len() - table.hidden_columns();
    fields[first..].iter().map(|field| field.name().to_lowercase()).collect()
}

/// The hidden columns that a view has behind its own, by its query: those of its table, if changes can be made through the view. So
/// statements find the rows of the table by those of the view.
pub(crate) fn hidden_of_view(statement: &Statement, names: &[String], catalog: &dyn Catalog) -> Result<Vec<String>> {
    let Statement::Query(query) = statement else { return Ok(Vec::new()) };
    PackedView::of(query, names).map_or(Ok(Vec::new()), |view| hidden_of_packed(&view, catalog))
}

fn hidden_of_packed(view: &PackedView, catalog: &dyn Catalog) -> Result<Vec<String>> {
    let parts: Vec<&str> = view.table.iter().map(String::as_str).collect();
    let key = match parts.as_slice() {
        [schema, table] if DEFAULT_SCHEMAS.contains(schema) => (*table).to_owned(),
        parts => parts.join("."),
    };
    Ok(match catalog.shared_relation(&key)? {
        Some(Relation::Table(table)) => hidden_of(table.as_ref()),
        _ => Vec::new(),
    })
}

/// A query with these columns behind its own.
pub(crate) fn with_columns(mut statement: Statement, columns: &[String]) -> Statement {
    if let Statement::Query(query) = &mut statement
        && let SetExpr::Select(select) = query.body.as_mut()
    {
        let item = |name: &String| SelectItem::UnnamedExpr(Expr::Identifier(Ident::new(name)));
        select.projection.extend(columns.iter().map(item));
    }
    statement
}

struct Expander<'a> {
    catalog: &'a dyn Catalog,
}

/// A table of a FROM clause: the name its columns can be qualified with, and its hidden columns.
struct FromTable {
    qualifier: ObjectName,
    hidden: Vec<String>,
}

impl Expander<'_> {
    fn tables(&self, from: &[TableWithJoins]) -> Result<Option<Vec<FromTable>>> {
        let factors = from.iter().flat_map(|t| std::iter::once(&t.relation).chain(t.joins.iter().map(|j| &j.relation)));
        let mut tables = Vec::new();
        for factor in factors {
            let (name, alias) = match factor {
                // The columns of a function without an alias have no name before them.
                TableFactor::Table { args: Some(_), alias: None, .. } => return Ok(None),
                TableFactor::Table { name, alias, .. } => (Some(name), alias),
                TableFactor::Derived { alias, .. } => (None, alias),
                _ => return Ok(None),
            };
            let parts =
                name.map(|name| name.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.as_str()));
            let hidden = match parts.map(Iterator::collect::<Vec<_>>) {
                Some(parts) => self.hidden_columns(&parts)?,
                None => Vec::new(),
            };
            let qualifier = match (alias, name) {
                (Some(alias), _) => ObjectName::from(vec![alias.name.clone()]),
                (None, Some(name)) => name.clone(),
                (None, None) => return Ok(None),
            };
            tables.push(FromTable { qualifier, hidden });
        }
        Ok(Some(tables))
    }

    /// The hidden columns of a table of this name, whose last part is found without the others where there is no schema
    /// of its own.
    fn hidden_columns(&self, table: &[&str]) -> Result<Vec<String>> {
        let Some(last) = table.last() else { return Ok(Vec::new()) };
        let relation = match table.len() {
            1 => None,
            _ => self.catalog.relation(&table.join("."))?,
        };
        Ok(match relation.map_or_else(|| self.catalog.relation(last), |relation| Ok(Some(relation)))? {
            Some(Relation::Table(table)) => hidden_of(table.as_ref()),
            Some(Relation::View { query, columns }) => match crate::parse::packed_views::packed_view(&query, &columns)?
            {
                Some(view) => hidden_of_packed(&view, self.catalog)?,
                None => Vec::new(),
            },
            _ => Vec::new(),
        })
    }

    fn expand_select(&self, select: &mut Select) -> Result<()> {
        let has_wildcard =
            |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        if !select.projection.iter().any(has_wildcard) {
            return Ok(());
        }
        let Some(tables) = self.tables(&select.from)? else { return Ok(()) };
        refuse_options(select)?;
        let mut projection = Vec::with_capacity(select.projection.len());
        for item in std::mem::take(&mut select.projection) {
            match item {
                SelectItem::Wildcard(_) => projection.extend(tables.iter().map(without_hidden)),
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    let table = tables.iter().find(|table| table.qualifier.0.last() == name.0.last());
                    projection.push(match table {
                        Some(table) => without_hidden(table),
                        None => {
                            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
                        }
                    });
                }
                other => projection.push(other),
            }
        }
        select.projection = projection;
        Ok(())
    }
}

/// Refuses what stands behind a star that is written out: it would be left out.
///
/// Errors: `Unsupported`.
pub(crate) fn refuse_options(select: &Select) -> Result<()> {
    let options = select.projection.iter().find_map(|item| match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
            let options = options.to_string();
            (!options.is_empty()).then_some(options)
        }
        _ => None,
    });
    match options {
        Some(options) => Err(unsupported(format!("*{options} of joins with USING and beside hidden columns"))),
        None => Ok(()),
    }
}

/// Refuses `* ILIKE pattern`, which the planner reads and leaves out.
///
/// Errors: `Unsupported`.
pub(crate) fn refuse_patterns(statement: &Statement) -> Result<()> {
    struct Patterns;
    impl Visitor for Patterns {
        type Break = ();

        fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
            let has_pattern = |item: &SelectItem| match item {
                SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                    options.opt_ilike.is_some()
                }
                _ => false,
            };
            if select.projection.iter().any(has_pattern) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    match statement.walk(&mut Patterns).is_break() {
        true => Err(unsupported("* ILIKE")),
        false => Ok(()),
    }
}

fn without_hidden(table: &FromTable) -> SelectItem {
    let hidden = table.hidden.iter().map(|name| ObjectName::from(Ident::new(name))).collect::<Vec<_>>();
    let exclude = (!hidden.is_empty()).then_some(ExcludeSelectItem::Multiple(hidden));
    let options = WildcardAdditionalOptions { opt_exclude: exclude, ..WildcardAdditionalOptions::default() };
    SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(table.qualifier.clone()), options)
}

impl VisitorMut for Expander<'_> {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        match self.expand_select(select) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}
