//! What stands for a column of a table without naming it as it is: `$IDENTITY`, and IDENTITYCOL as it was called before, its
//! identity column; `$ROWGUID` and ROWGUIDCOL its column of UNIQUEIDENTIFIER; TEXTPTR the row that a large value stands in.
//!
//! ```text
//!   SELECT TEXTPTR(n.body) FROM Notes AS n       TEXTPTR(n.body, n._rowid, 4711)      4711: of Notes.body and no other column
//! ```

use super::Reducer;
use super::outer_aggregate::{each, values_of};
use super::updatable::{Leaf, leaves_of};
use crate::tree::{
    Argument, Call, Change, Expr, Literal, Name, ObjectName, Query, QueryBody, SelectItem, Source, TableSource, Target,
};
use mainstay_mssql::DataType;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Which column a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meant {
    Identity,
    /// The one of UNIQUEIDENTIFIER, if there is no other.
    RowGuid,
}

fn meant(name: &Name) -> Option<Meant> {
    match name {
        name if name.quoted => None,
        name if name.is("$IDENTITY") || name.is("IDENTITYCOL") => Some(Meant::Identity),
        name if name.is("$ROWGUID") || name.is("ROWGUIDCOL") => Some(Meant::RowGuid),
        _ => None,
    }
}

/// The column of a TEXTPTR that does not say its row yet.
fn pointed_to(call: &Call) -> Option<&ObjectName> {
    match &call.arguments[..] {
        [Argument::Value(Expr::Column(column))] if call.name.is("TEXTPTR") => Some(column),
        _ => None,
    }
}

/// A number that pointers to the values of a column of a table bear, by what the core calls the table.
pub fn column_tag(core: &str, column: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    (core.to_lowercase(), column.to_lowercase()).hash(&mut hasher);
    // An INT, and not below nothing: it is a plain constant in the query.
    (hasher.finish() >> 33).cast_signed()
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
                if let Some(meant) = column.parts.last().and_then(meant)
                    && let Some(name) = self.column_meant(meant, column, sources)
                    && let Some(last) = column.parts.last_mut()
                {
                    *last = Name { text: name, quoted: true, ..last.clone() };
                }
            }
            Expr::Call(call) => match pointed_to(call).and_then(|column| self.row_of(column, sources)) {
                Some((row, tag)) => {
                    let tag = Expr::Literal(Literal::Integer(tag.to_string()));
                    call.arguments.extend([Expr::Column(row), tag].map(Argument::Value));
                }
                None => value.parts_mut(&mut |part| self.name_identity(part, sources)),
            },
            value => value.parts_mut(&mut |part| self.name_identity(part, sources)),
        }
    }

    /// The column that is meant of the source that a name says, or of the first one that has one.
    fn column_meant(&self, meant: Meant, column: &ObjectName, sources: &[Source]) -> Option<String> {
        tables_said(column, sources).into_iter().find_map(|(table, _)| {
            let mut columns = self.scope.columns(&table)?;
            columns.retain(|column| match meant {
                Meant::Identity => column.is_identity,
                Meant::RowGuid => column.data_type == DataType::UniqueIdentifier,
            });
            if meant == Meant::RowGuid && columns.len() > 1 {
                return None;
            }
            columns.into_iter().next().map(|column| column.name)
        })
    }

    /// The number of the row that a column stands in, and the tag of the column.
    fn row_of(&self, column: &ObjectName, sources: &[Source]) -> Option<(ObjectName, i64)> {
        let own = column.parts.last()?;
        tables_said(column, sources).into_iter().find_map(|(table, alias)| {
            self.scope.columns(&table)?.iter().find(|known| known.name.eq_ignore_ascii_case(&own.text))?;
            let name = |text: &str| Name { text: text.to_owned(), quoted: true, ..own.clone() };
            let parts = vec![name(&alias), name(self.scope.row_number(&table))];
            let core = self.scope.table(&table).ok()?;
            Some((ObjectName { parts, ..column.clone() }, column_tag(&core, &own.text)))
        })
    }
}

/// The tables that the name of a column may be of, and what they are called.
fn tables_said(column: &ObjectName, sources: &[Source]) -> Vec<(ObjectName, String)> {
    let mut leaves = Vec::new();
    sources.iter().for_each(|source| leaves_of(source, &mut leaves));
    let of = column.parts.len().checked_sub(2).and_then(|place| column.parts.get(place));
    let is_said = |leaf: &Leaf| of.is_none_or(|of| leaf.alias.eq_ignore_ascii_case(&of.text));
    let table = |leaf: Leaf| match leaf.source {
        Source::Table(table) => Some((table.name, leaf.alias)),
        Source::Variable(name, _) => Some((ObjectName { span: name.span, parts: vec![name] }, leaf.alias)),
        _ => None,
    };
    leaves.into_iter().filter(is_said).filter_map(table).collect()
}

/// Whether an expression has what stands for a column.
fn names_identity(value: &Expr) -> bool {
    let mut found = false;
    each(value, &mut |part| {
        found |= match part {
            Expr::Column(column) => column.parts.last().and_then(meant).is_some(),
            Expr::Call(call) => pointed_to(call).is_some(),
            _ => false,
        };
    });
    found
}
