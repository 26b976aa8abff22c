//! EXISTS and IN (SELECT ...) as parts of values.
//!
//! The core supports these subqueries only in filters. In a list of columns, a CASE there, or SET, counts express the
//! same:
//!
//! ```text
//!   EXISTS (SELECT ...)      0 < (SELECT count(1) FROM ...)
//!   x IN (SELECT y ...)      CASE WHEN 0 < (SELECT count(1) FROM (SELECT y ...) AS "#q" ("#v") WHERE "#v" = x) THEN TRUE
//!                                 WHEN 0 < (... WHERE "#v" IS NULL OR x IS NULL) THEN NULL ELSE FALSE END
//! ```

use super::Reducer;
use crate::tree::{Expr, Literal, Name, ObjectName, Query, QueryBody, Select, SelectItem};
use mainstay_tsql_types::Message;

/// Returns true if a query of EXISTS has groups and a star: there its list is not looked at.
pub(super) fn is_star_of_groups(query: &Query) -> bool {
    let QueryBody::Select(select) = &query.body else { return false };
    (select.group.is_some() || select.having.is_some()) && matches!(select.items[..], [SelectItem::Star(None)])
}

/// The same with a constant as its list.
pub(super) fn without_list(query: &Query) -> Query {
    let mut query = query.clone();
    if let QueryBody::Select(select) = &mut query.body {
        select.items = vec![SelectItem::Value(Expr::Literal(Literal::Integer("1".to_owned())), None)];
    }
    query
}

impl Reducer<'_> {
    /// `EXISTS (SELECT ...)` where it is part of a value.
    pub(super) fn exists_as_count(&mut self, query: &Query) -> Result<(), Message> {
        match &query.body {
            QueryBody::Select(select) if is_plain(query, select) => {
                self.push("(0 < (SELECT count(1)");
                self.depth += 1;
                let in_value = std::mem::replace(&mut self.in_value, false);
                let is_negated = std::mem::replace(&mut self.is_negated, false);
                let written = self.tables_and_conditions(select);
                (self.in_value, self.is_negated) = (in_value, is_negated);
                self.depth -= 1;
                written?;
                self.push("))");
            }
            _ => {
                self.push("(0 < (SELECT count(1) FROM (");
                self.nameless_query(query)?;
                self.push(") AS \"#q\"))");
            }
        }
        Ok(())
    }

    /// `value IN (SELECT ...)` where it is part of a value.
    pub(super) fn in_as_counts(&mut self, value: &Expr, query: &Query) -> Result<(), Message> {
        let found = Expr::Column(ObjectName {
            parts: vec![Name { text: "#v".to_owned(), ..Name::default() }],
            ..ObjectName::default()
        });
        self.push("CASE WHEN ");
        self.count_of(query, |it| it.call("equal", &[&found, value]))?;
        self.push(" THEN TRUE WHEN ");
        self.count_of(query, |it| {
            it.push("\"#v\" IS NULL OR ");
            it.expression(value)?;
            it.push(" IS NULL");
            Ok(())
        })?;
        self.push(" THEN NULL ELSE FALSE END");
        Ok(())
    }

    fn count_of(
        &mut self,
        query: &Query,
        condition: impl FnOnce(&mut Self) -> Result<(), Message>,
    ) -> Result<(), Message> {
        self.push("0 < (SELECT count(1) FROM (");
        self.nameless_query(query)?;
        self.push(") AS \"#q\" (\"#v\") WHERE ");
        condition(self)?;
        self.push(")");
        Ok(())
    }
}

/// Returns true if there are rows says the FROM and WHERE alone.
fn is_plain(query: &Query, select: &Select) -> bool {
    let is_some =
        |count: &Expr| matches!(count, Expr::Literal(Literal::Integer(digits)) if !digits.trim_matches('0').is_empty());
    let top = select.top.as_ref().is_none_or(|top| !top.percent && is_some(&top.count));
    let has_groups = select.group.is_some() || select.having.is_some();
    let aggregates = select.items.iter().any(|item| match item {
        crate::tree::SelectItem::Value(value, _) => super::function::has_aggregate(value),
        _ => false,
    });
    let is_bare = query.with.tables.is_empty() && query.offset.is_none() && query.format.is_none();
    top && is_bare && !has_groups && !aggregates && !select.from.is_empty()
}
