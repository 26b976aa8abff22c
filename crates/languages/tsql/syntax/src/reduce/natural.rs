//! The order of rows of one table without an ORDER BY.
//!
//! SQL Server guarantees no order, but in practice returns rows in the order in which it reads them: that of the
//! clustered index, which by default is the primary key's, or for a table without one the order of insertion. Programs
//! depend on it, in lists, in `SELECT TOP 1`, in variables that keep the last row's value, and in cursors. So a query
//! of one table requests that order from the core:
//!
//! ```text
//!   SELECT TOP 10 * FROM Orders              SELECT * FROM "orders" ORDER BY "orders"."id" LIMIT 10
//!   SELECT Name FROM #t WHERE Kind = 1       SELECT "name" FROM "#t" WHERE ... ORDER BY "#t"._rowid
//! ```
//!
//! This applies to queries of the rows themselves: without groups, DISTINCT, window functions and set operators, and
//! not to lookups of a single row by a unique key. A subquery has an order only where TOP makes it matter, and only
//! that of a key.

use super::Reducer;
use super::table_call::conjuncts;
use crate::tree::{
    BinaryOperator, Expr, Name, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, SetQuantifier, Source,
};
use std::borrow::Cow;

/// The order in which a table gives its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaturalOrder {
    /// The columns of its clustered key, true for those whose greatest value comes first; none for a heap.
    pub columns: Vec<(String, bool)>,
    /// The hidden column that tells rows apart for which these are the same: for a heap, or a key that is not unique.
    pub row: Option<&'static str>,
    /// The columns of each of its unique keys.
    pub keys: Vec<Vec<String>>,
}

impl Reducer<'_> {
    /// The order of a query: what it says, or what its table has. `is_seen` says that the order of its rows is, and not only
    /// which of them TOP takes.
    pub(super) fn order_of<'q>(&self, query: &'q Query, is_seen: bool) -> Cow<'q, [OrderItem]> {
        let QueryBody::Select(select) = &query.body else { return Cow::Borrowed(&query.order) };
        match query.order.is_empty() && query.offset.is_none() && query.format.is_none() {
            true => Cow::Owned(self.order_of_select(select, is_seen)),
            false => Cow::Borrowed(&query.order),
        }
    }

    /// The same of a SELECT by itself.
    pub(super) fn order_of_select(&self, select: &Select, is_seen: bool) -> Vec<OrderItem> {
        match &select.from[..] {
            [source] if !self.in_table && (is_seen || select.top.is_some()) && is_of_rows(select) => {
                let by_rows = self.is_ordered && self.depth <= 1;
                self.order_of_source(source, select.condition.as_ref(), by_rows)
            }
            _ => Vec::new(),
        }
    }

    /// The order of the rows of a source that meet a condition; none where that finds one row. The hidden column of rows
    /// counts only with `by_rows`.
    pub(super) fn order_of_source(&self, source: &Source, condition: Option<&Expr>, by_rows: bool) -> Vec<OrderItem> {
        let (table, alias) = match source {
            Source::Table(table) => {
                let is_common = || self.common.iter().any(|known| table.name.is(known));
                if table.sample.is_some() || table.system_time.is_some() || is_common() {
                    return Vec::new();
                }
                let last = table.name.parts.last().cloned().unwrap_or_default();
                (Cow::Borrowed(&table.name), table.alias.clone().unwrap_or(last))
            }
            Source::Variable(name, alias) => {
                let table = ObjectName { parts: vec![name.clone()], span: name.span };
                (Cow::Owned(table), alias.name.clone().unwrap_or_else(|| name.clone()))
            }
            _ => return Vec::new(),
        };
        let Some(natural) = self.scope.natural_order(&table) else { return Vec::new() };
        let fixed: Vec<&str> =
            condition.map(conjuncts).unwrap_or_default().into_iter().filter_map(fixed_column).collect();
        let is_fixed = |column: &String| fixed.iter().any(|known| known.eq_ignore_ascii_case(column));
        if natural.keys.iter().any(|key| !key.is_empty() && key.iter().all(is_fixed)) {
            return Vec::new();
        }
        let item = |column: &str, descending| {
            let parts = vec![alias.clone(), Name { text: column.to_owned(), ..Name::default() }];
            let value = Expr::Column(ObjectName { parts, ..ObjectName::default() });
            OrderItem { value, descending: Some(descending) }
        };
        let columns = natural.columns.iter().filter(|(column, _)| !is_fixed(column));
        let mut order: Vec<OrderItem> = columns.map(|(column, descending)| item(column, *descending)).collect();
        // A table that is read with columns of the moment does not show its hidden one.
        let row = natural.row.filter(|_| by_rows && self.momentary_columns(&table, Some(&alias)).is_none());
        order.extend(row.map(|row| item(row, false)));
        order
    }
}

/// Returns true if every row of a SELECT is one of its table.
pub(super) fn is_of_rows(select: &Select) -> bool {
    let is_plain = |item: &SelectItem| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => {
            !super::function::has_aggregate(value) && !super::function::has_window(value)
        }
        SelectItem::Star(_) => true,
    };
    let has_groups = select.group.is_some() || select.having.is_some();
    let has_groups = has_groups || select.quantifier == Some(SetQuantifier::Distinct);
    let is_grouped = has_groups || super::outer_aggregate::is_grouped_by_subqueries(select);
    !is_grouped && select.windows.is_empty() && select.items.iter().all(is_plain)
}

/// The column that a condition says to be one value.
fn fixed_column(condition: &Expr) -> Option<&str> {
    let Expr::Binary(left, BinaryOperator::Equal, right) = condition else { return None };
    match (left.as_ref(), right.as_ref()) {
        (Expr::Column(column), Expr::Literal(_) | Expr::Variable(_)) => Some(column.last()),
        (Expr::Literal(_) | Expr::Variable(_), Expr::Column(column)) => Some(column.last()),
        _ => None,
    }
}
