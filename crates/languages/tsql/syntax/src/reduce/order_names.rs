//! Names in ORDER BY. A name alone refers to an item of the list, within an expression to a column; the core uses the
//! item everywhere.
//!
//! ```text
//!   SELECT id, -v AS v FROM t ORDER BY v + 0, v        SELECT id, -v AS "#2" FROM t ORDER BY v + 0, 2
//!   FROM (SELECT TOP 2 -v AS v FROM t ORDER BY v + 0) AS d
//!                                                      FROM (SELECT -v AS "#1" FROM t ORDER BY v + 0 LIMIT 2) AS d (v)
//!   SELECT SUM(v) AS v FROM t ORDER BY SUM(v)          SELECT SUM(v) AS v FROM t ORDER BY 1
//! ```
//!
//! An item gets another name where the outer query names the columns. Limit: in a derived table or a common table
//! expression whose columns are not all known, the core's meaning applies.

use super::Reducer;
use super::query::made;
use crate::tree::{Alias, Expr, Literal, Name, OrderItem, Over, Query, QueryBody, Select, SelectItem, Source};
use mainstay_tsql_types::Message;
use std::borrow::Cow;

impl Reducer<'_> {
    /// Writes a query whose columns have no names for what is around it.
    pub(super) fn nameless_query(&mut self, query: &Query) -> Result<(), Message> {
        let named = std::mem::replace(&mut self.named_outside, self.depth + 1);
        let written = self.query(query);
        self.named_outside = named;
        written
    }

    /// Writes a query whose columns have these names in the outer query; their own names, if the list is empty.
    pub(super) fn query_under(&mut self, query: &Query, columns: &[Name]) -> Result<(), Message> {
        if columns.is_empty() { self.query(query) } else { self.nameless_query(query) }
    }

    /// Returns true if the columns of the query that is written may have any names.
    pub(super) fn is_named_outside(&self) -> bool {
        self.depth == 1 || self.depth == self.named_outside
    }

    /// The names that what is around a query gives to its columns: those that are given, or else its own, if some of its
    /// items have to have others in it.
    pub(super) fn columns_outside(&self, query: &Query, given: &[Name]) -> Vec<Name> {
        if !given.is_empty() || !hides_names(query) {
            return given.to_vec();
        }
        let source = Source::Query(Box::new(query.clone()), Alias { name: None, columns: Vec::new() });
        let columns = self.columns_of(&source).unwrap_or_default();
        if columns.iter().any(String::is_empty) {
            return Vec::new();
        }
        columns.into_iter().map(|text| Name { text, ..Name::default() }).collect()
    }
}

/// Returns true if an item is called as a column of a table that the order names with its table: to the core the two
/// would be one name. The order must not mean the item itself somewhere.
pub(super) fn hides_ordered(item: &SelectItem, order: &[OrderItem]) -> bool {
    let SelectItem::Value(value, Some(alias)) = item else { return false };
    let named = |parts: fn(usize) -> bool| {
        order.iter().any(|item| match &item.value {
            Expr::Column(name) => {
                parts(name.parts.len()) && name.last().eq_ignore_ascii_case(&alias.text) && item.value != *value
            }
            _ => false,
        })
    };
    named(|parts| parts > 1) && !named(|parts| parts == 1) || is_within(item, order)
}

/// Returns true if items of a query have to have other names than their own, for its order.
pub(super) fn hides_names(query: &Query) -> bool {
    let QueryBody::Select(select) = &query.body else { return false };
    !query.order.is_empty() && select.items.iter().any(|item| hides_ordered(item, &query.order))
}

/// Returns true if an item is called as a column that an expression of the order names, where the name is the column's:
/// only alone it is the item's.
fn is_within(item: &SelectItem, order: &[OrderItem]) -> bool {
    let SelectItem::Value(value, Some(alias)) = item else { return false };
    let mut others = order.iter().filter(|item| !matches!(item.value, Expr::Column(_)));
    others.any(|item| is_named(alias, value, &item.value))
}

/// Returns true if an expression, the windows in it and all, has a column of a name that is not the value itself.
fn is_named(alias: &Name, value: &Expr, within: &Expr) -> bool {
    let mut found = false;
    super::outer_aggregate::each(within, &mut |part| {
        found |= match part {
            Expr::Column(name) => alias.is(name.last()) && *part != *value,
            Expr::Call(call) => match &call.over {
                Some(Over::Window(window)) => {
                    let order = window.order.iter().map(|item| &item.value);
                    window.partition.iter().chain(order).any(|part| is_named(alias, value, part))
                }
                _ => false,
            },
            _ => false,
        };
    });
    found
}

/// An order in which items that get other names (`is_within`) are meant by their places, or their values where places mean
/// nothing. So are items that are called as a column in them, and are repeated in the order.
pub(super) fn by_place<'o>(
    select: &Select,
    mut order: Cow<'o, [OrderItem]>,
    has_places: bool,
    can_hide: bool,
) -> Cow<'o, [OrderItem]> {
    for (place, item) in select.items.iter().enumerate() {
        let SelectItem::Value(value, Some(alias)) = item else {
            if matches!(item, SelectItem::Star(_)) {
                break;
            }
            continue;
        };
        if !is_within(item, &order) {
            continue;
        }
        let instead = || match has_places {
            true => Expr::Literal(Literal::Integer((place + 1).to_string())),
            false => value.clone(),
        };
        for item in order.to_mut() {
            let is_alone = matches!(&item.value, Expr::Column(name) if name.parts.len() == 1 && alias.is(name.last()));
            let is_repeated = item.value == *value && has_places;
            if is_alone && can_hide || is_repeated {
                item.value = instead();
            }
        }
    }
    order
}

/// An item under a name that shows its place. The client is told the one that was written.
pub(super) fn unnamed(item: &SelectItem, number: usize) -> SelectItem {
    match item {
        SelectItem::Value(value, Some(_)) => SelectItem::Value(value.clone(), Some(made(number))),
        item => item.clone(),
    }
}
