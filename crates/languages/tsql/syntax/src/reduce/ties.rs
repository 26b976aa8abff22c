//! TOP WITH TIES ordered by window functions, for which the core computes no ranks.
//!
//! ```text
//!   SELECT TOP 1 WITH TIES id, v FROM t ORDER BY ROW_NUMBER() OVER (PARTITION BY k ORDER BY d)
//!
//!   SELECT TOP 1 WITH TIES "#t0" AS id, "#t1" AS v
//!   FROM (SELECT id AS "#t0", v AS "#t1", ROW_NUMBER() OVER (...) AS "#o0" FROM t) AS "#ties" ORDER BY "#o0"
//! ```
//!
//! Limits: DISTINCT, assignments to variables, and stars with unknown columns.

use super::Reducer;
use super::function::has_window;
use super::query::made;
use super::updatable::{leaves_of, named_as};
use crate::tree::{Alias, Expr, Literal, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, Source, With};

impl Reducer<'_> {
    /// The same query over one that has the order's values as columns; `None` for any other query.
    pub(super) fn ties_of_windows(&self, query: &Query) -> Option<Query> {
        let QueryBody::Select(select) = &query.body else { return None };
        let top = select.top.as_ref().filter(|top| top.with_ties && !top.percent)?;
        let items = self.values_of_list(select)?;
        let named = |value: &Expr| match value {
            Expr::Literal(Literal::Integer(place)) => place.parse::<usize>().ok()?.checked_sub(1),
            Expr::Column(column) => {
                items.iter().position(|(_, name)| name.as_ref().is_some_and(|name| column.is(name)))
            }
            _ => None,
        };
        let is_windowed = |item: &OrderItem| {
            has_window(&item.value)
                || named(&item.value).is_some_and(|place| items.get(place).is_some_and(|(value, _)| has_window(value)))
        };
        if select.quantifier.is_some() || !query.order.iter().any(is_windowed) {
            return None;
        }
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for (place, (value, name)) in items.iter().enumerate() {
            let own = format!("#t{place}");
            below.push(SelectItem::Value(value.clone(), Some(named_as(&own))));
            above.push(SelectItem::Value(column(&own), Some(name.as_deref().map_or_else(|| made(place), named_as))));
        }
        let mut order = query.order.clone();
        for (place, item) in order.iter_mut().enumerate() {
            item.value = match named(&item.value) {
                Some(place) => column(&format!("#t{place}")),
                None => {
                    let own = format!("#o{place}");
                    below.push(SelectItem::Value(item.value.clone(), Some(named_as(&own))));
                    column(&own)
                }
            };
        }
        let inner = Query {
            body: QueryBody::Select(Box::new(Select { top: None, items: below, ..select.as_ref().clone() })),
            with: With::default(),
            order: Vec::new(),
            format: None,
            ..query.clone()
        };
        let alias = Alias { name: Some(named_as("#ties")), columns: Vec::new() };
        let from = vec![Source::Query(Box::new(inner), alias)];
        let outer = Select { top: Some(top.clone()), items: above, from, ..Select::default() };
        Some(Query { body: QueryBody::Select(Box::new(outer)), order, ..query.clone() })
    }

    /// The values of a list with the names of their columns, stars as the columns that they stand for.
    fn values_of_list(&self, select: &Select) -> Option<Vec<(Expr, Option<String>)>> {
        let mut leaves = Vec::new();
        select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
        let mut values = Vec::new();
        for item in &select.items {
            match item {
                SelectItem::Value(value, alias) => {
                    let own = match value {
                        Expr::Column(column) => Some(column.last().to_owned()),
                        _ => None,
                    };
                    values.push((value.clone(), alias.as_ref().map(|alias| alias.text.clone()).or(own)));
                }
                SelectItem::Star(of) => {
                    let is_meant = |alias: &str| of.as_ref().is_none_or(|of| of.last().eq_ignore_ascii_case(alias));
                    for leaf in leaves.iter().filter(|leaf| is_meant(&leaf.alias)) {
                        for name in self.columns_of(&leaf.source)? {
                            let parts = vec![named_as(&leaf.alias), named_as(&name)];
                            values.push((Expr::Column(ObjectName { parts, ..ObjectName::default() }), Some(name)));
                        }
                    }
                }
                SelectItem::Assign(..) => return None,
            }
        }
        Some(values)
    }
}

fn column(name: &str) -> Expr {
    Expr::Column(ObjectName { parts: vec![named_as(name)], ..ObjectName::default() })
}
