//! Scalar subqueries: queries of one value in the place of a value.
//!
//! ```text
//!   (SELECT name FROM t WHERE t.id = o.id)                     (SELECT "mssql:single"(name) FROM t WHERE ...)
//!   (SELECT TOP 1 name FROM t WHERE ... ORDER BY d DESC)       (SELECT first_value(name ORDER BY d DESC NULLS LAST) ...)
//! ```
//!
//! The planner decorrelates a subquery by grouping it, and so needs proof that it has one row. An aggregate is that
//! proof: it takes the only value, and refuses a second one (512).

use super::Reducer;
use super::outer_aggregate::each;
use super::updatable::named_as;
use crate::tree::{Alias, Expr, Literal, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, Source};
use mainstay_tsql_types::Message;

/// Returns true if a scalar subquery is written as an aggregate: it reads tables, and is not an aggregate already.
pub(super) fn is_for_one_value(query: &Query, select: &Select) -> bool {
    let takes_first = match &select.top {
        None => query.order.is_empty(),
        Some(top) => {
            matches!(&top.count, Expr::Literal(Literal::Integer(one)) if one == "1") && !top.with_ties && !top.percent
        }
    };
    let is_plain = select.quantifier.is_none() && select.group.is_none() && select.having.is_none();
    let is_whole =
        query.offset.is_none() && query.fetch.is_none() && query.format.is_none() && query.with.tables.is_empty();
    let is_value = match &select.items[..] {
        [SelectItem::Value(value, _)] => !super::function::has_aggregate(value),
        _ => false,
    };
    takes_first && is_plain && is_whole && is_value && !select.from.is_empty()
}

/// Returns true if an item of the order means the only column.
fn is_item(ordered: &OrderItem, select: &Select) -> bool {
    let [SelectItem::Value(_, alias)] = &select.items[..] else { return false };
    match &ordered.value {
        Expr::Literal(Literal::Integer(place)) => place == "1",
        Expr::Column(name) => name.parts.len() == 1 && alias.as_ref().is_some_and(|alias| alias.is(name.last())),
        _ => false,
    }
}

/// True if an expression is made of a function over a window.
fn has_window(value: &Expr) -> bool {
    let mut found = false;
    each(value, &mut |part| found |= matches!(part, Expr::Call(call) if call.over.is_some()));
    found
}

/// The subquery over rows that have the values of its windows already, which no aggregate can be calculated from:
///
/// ```text
///   SELECT TOP 1 a FROM t ORDER BY SUM(b) OVER (ORDER BY c)
///   SELECT TOP 1 w.v FROM (SELECT a AS v, SUM(b) OVER (ORDER BY c) AS k0 FROM t) AS w ORDER BY w.k0
/// ```
fn over_windows(query: &Query, select: &Select, item: &Expr, order: &[OrderItem]) -> (Query, Select) {
    let column =
        |name: &str| Expr::Column(ObjectName { parts: vec![named_as("#w"), named_as(name)], ..ObjectName::default() });
    let mut items = vec![SelectItem::Value(item.clone(), Some(named_as("#v")))];
    let mut outer_order = Vec::new();
    for (number, ordered) in order.iter().enumerate() {
        let name = format!("#k{number}");
        let value = if is_item(ordered, select) { column("#v") } else { column(&name) };
        if !is_item(ordered, select) {
            items.push(SelectItem::Value(ordered.value.clone(), Some(named_as(&name))));
        }
        outer_order.push(OrderItem { value, descending: ordered.descending });
    }
    let rows = Select { top: None, items, ..select.clone() };
    let rows = Query { body: QueryBody::Select(Box::new(rows)), order: Vec::new(), hints: Vec::new(), ..query.clone() };
    let alias = Alias { name: Some(named_as("#w")), columns: Vec::new() };
    let outer = Select {
        top: select.top.clone(),
        items: vec![SelectItem::Value(column("#v"), None)],
        from: vec![Source::Query(Box::new(rows), alias)],
        ..Select::default()
    };
    let body = QueryBody::Select(Box::new(outer.clone()));
    (Query { body, order: outer_order, ..query.clone() }, outer)
}

impl Reducer<'_> {
    /// Writes such a subquery.
    pub(super) fn single_value(&mut self, query: &Query, select: &Select) -> Result<(), Message> {
        let Some(item) = self.only_item(select) else { return self.query(query) };
        let order = self.order_of(query, false);
        if has_window(item) || order.iter().any(|ordered| has_window(&ordered.value)) {
            let (query, select) = over_windows(query, select, item, &order);
            return self.single_value(&query, &select);
        }
        self.push("SELECT ");
        match &select.top {
            None => {
                self.open("single");
                self.expression(item)?;
            }
            Some(_) => {
                self.push("first_value(");
                self.expression(item)?;
                let mut order = order;
                // Here are no items that the order could mean by their names or places.
                if order.iter().any(|ordered| is_item(ordered, select)) {
                    for ordered in order.to_mut().iter_mut().filter(|ordered| is_item(ordered, select)) {
                        ordered.value = item.clone();
                    }
                }
                self.order(&order)?;
            }
        }
        self.push(") AS \"#1\"");
        self.tables_and_conditions(select)
    }
}
