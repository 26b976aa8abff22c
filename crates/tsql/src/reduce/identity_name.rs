//! `$IDENTITY`, and IDENTITYCOL as it was called before: the identity column of a table, whatever its name.

use super::Reducer;
use super::outer_aggregate::{each, values_of};
use super::updatable::{Leaf, leaves_of};
use crate::tree::{Change, Expr, Name, ObjectName, Query, QueryBody, SelectItem, Source, TableSource, Target};

/// Whether a name stands for the identity column.
fn is_meant(name: &Name) -> bool {
    !name.quoted && (name.is("$IDENTITY") || name.is("IDENTITYCOL"))
}

impl Reducer<'_> {
    /// The query with the columns named that are meant; `None` where there is nothing to name.
    pub(super) fn with_identities_named(&self, query: &Query) -> Option<Query> {
        let QueryBody::Select(select) = &query.body else { return None };
        let mut values = values_of(select, &query.order).chain(&select.condition);
        if !values.any(names_identity) {
            return None;
        }
        let mut named = query.clone();
        let QueryBody::Select(named_select) = &mut named.body else { return None };
        let items = named_select.items.iter_mut().filter_map(|item| match item {
            SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
            SelectItem::Star(_) => None,
        });
        let order = named.order.iter_mut().map(|item| &mut item.value);
        let others = named_select.condition.iter_mut().chain(&mut named_select.having).chain(order);
        items.chain(others).for_each(|value| self.name_identity(value, &select.from));
        (named != *query).then_some(named)
    }

    /// The same for the condition of an UPDATE or DELETE.
    pub(super) fn change_with_identities_named(&self, change: &Change) -> Option<Change> {
        let condition = match change {
            Change::Update(update) => update.condition.as_ref(),
            Change::Delete(delete) => delete.condition.as_ref(),
            Change::Insert(_) | Change::Merge(_) => None,
        };
        condition.filter(|condition| names_identity(condition))?;
        let mut named = change.clone();
        let (target, from, condition) = match &mut named {
            Change::Update(update) => (&update.target, &update.from, &mut update.condition),
            Change::Delete(delete) => (&delete.target, &delete.from, &mut delete.condition),
            Change::Insert(_) | Change::Merge(_) => return None,
        };
        let condition = condition.as_mut()?;
        let own = match target {
            Target::Table(name, _) => {
                Source::Table(Box::new(TableSource { name: name.clone(), ..TableSource::default() }))
            }
            _ => return None,
        };
        let own = [own];
        self.name_identity(condition, if from.is_empty() { &own } else { from });
        Some(named)
    }

    fn name_identity(&self, value: &mut Expr, sources: &[Source]) {
        match value {
            Expr::Column(column) => {
                if column.parts.last().is_some_and(is_meant)
                    && let Some(name) = self.identity_of(column, sources)
                    && let Some(last) = column.parts.last_mut()
                {
                    *last = Name { text: name, quoted: true, ..last.clone() };
                }
            }
            value => value.parts_mut(&mut |part| self.name_identity(part, sources)),
        }
    }

    /// The identity column of the source that a name says, or of the first one that has one.
    fn identity_of(&self, column: &ObjectName, sources: &[Source]) -> Option<String> {
        let mut leaves = Vec::new();
        sources.iter().for_each(|source| leaves_of(source, &mut leaves));
        let of = column.parts.len().checked_sub(2).and_then(|place| column.parts.get(place));
        let is_said = |leaf: &&Leaf| of.is_none_or(|of| leaf.alias.eq_ignore_ascii_case(&of.text));
        leaves.iter().filter(is_said).find_map(|leaf| {
            let table = match &leaf.source {
                Source::Table(table) => table.name.clone(),
                Source::Variable(name, _) => ObjectName { parts: vec![name.clone()], span: name.span },
                _ => return None,
            };
            self.scope.columns(&table)?.into_iter().find(|column| column.is_identity).map(|column| column.name)
        })
    }
}

/// Whether an expression names the identity column so.
fn names_identity(value: &Expr) -> bool {
    let mut found = false;
    each(value, &mut |part| {
        found |= matches!(part, Expr::Column(column) if column.parts.last().is_some_and(is_meant));
    });
    found
}
