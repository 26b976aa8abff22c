//! Qualifies names in subqueries that refer to columns of the outer query.
//!
//! ```text
//!   SELECT customer, (SELECT MAX(least) FROM levels WHERE least <= SUM(amount)) FROM orders GROUP BY customer
//!   SELECT customer, (SELECT MAX(least) FROM levels WHERE least <= SUM("orders".amount)) FROM orders ...
//! ```
//!
//! This is done where a subquery has an aggregate, to find out if it is the outer query's ([`super::outer_aggregate`]).
//! A name belongs to the subquery if one of its tables has a column of that name; where the columns of a table are
//! unknown, names stay unchanged.

use super::Reducer;
use super::outer_aggregate::values_of;
use crate::tree::{Expr, Query, QueryBody, Select, SelectItem, Source, Test};

/// The columns of the tables of the subqueries that a name stands in; `None` where they cannot be told.
type Hiding = Vec<Option<Vec<String>>>;

impl Reducer<'_> {
    /// The same query with such names; `None` if it has none.
    pub(super) fn with_outer_names(&self, query: &Query) -> Option<Query> {
        let QueryBody::Select(select) = &query.body else { return None };
        if select.from.is_empty() || !values_of(select, &query.order).any(has_aggregate_below) {
            return None;
        }
        let mut named = query.clone();
        let QueryBody::Select(named_select) = &mut named.body else { return None };
        let mut hiding = Hiding::new();
        let order = named.order.iter_mut().map(|item| &mut item.value);
        for value in values_mut(named_select).chain(order) {
            self.name_in_value(value, &select.from, &mut hiding);
        }
        (named != *query).then_some(named)
    }

    fn name_in_value(&self, value: &mut Expr, outer: &[Source], hiding: &mut Hiding) {
        match value {
            Expr::Column(column) if !hiding.is_empty() => {
                let [name] = &column.parts[..] else { return };
                let is_own = |columns: &Option<Vec<String>>| {
                    columns
                        .as_ref()
                        .is_none_or(|columns| columns.iter().any(|known| known.eq_ignore_ascii_case(&name.text)))
                };
                if !hiding.iter().any(is_own)
                    && let Some(owner) = outer.iter().find_map(|source| self.owner_of(source, &name.text))
                {
                    column.parts.insert(0, owner);
                }
            }
            Expr::Call(call) if super::is_datepart_function(&call.name.last().to_lowercase()) => {
                let mut place = 0;
                value.parts_mut(&mut |part| {
                    if place > 0 {
                        self.name_in_value(part, outer, hiding);
                    }
                    place += 1;
                });
            }
            Expr::Subquery(query) | Expr::Exists(query) => self.name_in_body(&mut query.body, outer, hiding),
            Expr::Quantified(left, _, _, query) => {
                self.name_in_value(left, outer, hiding);
                self.name_in_body(&mut query.body, outer, hiding);
            }
            Expr::Test(left, _, Test::InQuery(query)) => {
                self.name_in_value(left, outer, hiding);
                self.name_in_body(&mut query.body, outer, hiding);
            }
            value => value.parts_mut(&mut |part| self.name_in_value(part, outer, hiding)),
        }
    }

    /// An order stays as it is: a name there may be one of the list.
    fn name_in_body(&self, body: &mut QueryBody, outer: &[Source], hiding: &mut Hiding) {
        let select = match body {
            QueryBody::Set(left, _, _, right) => {
                self.name_in_body(left, outer, hiding);
                return self.name_in_body(right, outer, hiding);
            }
            QueryBody::Select(select) => select,
        };
        let columns: Option<Vec<Vec<String>>> = select.from.iter().map(|source| self.columns_of(source)).collect();
        hiding.push(columns.map(|columns| columns.concat()));
        let mut condition = select.condition.take();
        for value in values_mut(select).chain(&mut condition) {
            self.name_in_value(value, outer, hiding);
        }
        select.condition = condition;
        hiding.pop();
    }
}

/// The values of a SELECT that its groups are asked for.
fn values_mut(select: &mut Select) -> impl Iterator<Item = &mut Expr> {
    let items = select.items.iter_mut().filter_map(|item| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
        SelectItem::Star(_) => None,
    });
    items.chain(&mut select.having)
}

/// Returns true if a subquery in an expression has an aggregate, of whichever query.
fn has_aggregate_below(value: &Expr) -> bool {
    let mut found = false;
    super::outer_aggregate::each(value, &mut |part| {
        found |= match part {
            Expr::Subquery(query) | Expr::Exists(query) | Expr::Quantified(_, _, _, query) => {
                has_aggregate_in(&query.body)
            }
            Expr::Test(_, _, Test::InQuery(query)) => has_aggregate_in(&query.body),
            _ => false,
        };
    });
    found
}

fn has_aggregate_in(body: &QueryBody) -> bool {
    match body {
        QueryBody::Set(left, _, _, right) => has_aggregate_in(left) || has_aggregate_in(right),
        QueryBody::Select(select) => {
            let mut values = values_of(select, &[]).chain(&select.condition);
            values.any(|value| super::function::has_aggregate(value) || has_aggregate_below(value))
        }
    }
}
