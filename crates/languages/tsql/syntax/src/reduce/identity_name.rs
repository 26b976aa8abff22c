//! Indirect names of a table's columns: `$IDENTITY` and the older IDENTITYCOL for the identity column, `$ROWGUID` and
//! ROWGUIDCOL for the UNIQUEIDENTIFIER column, TEXTPTR for the row of a large value.
//!
//! ```text
//!   SELECT TEXTPTR(n.body) FROM Notes AS n       TEXTPTR(n.body, n._rowid, 4711)      4711: of Notes.body and no other column
//! ```

use super::Reducer;
use super::outer_aggregate::{each, values_of};
use super::updatable::{Leaf, leaves_of};
use crate::tree::{
    Argument, Call, Change, Expr, Insert, Literal, Merge, MergeAction, MergeBranch, Name, ObjectName, OrderItem, Query,
    QueryBody, SelectItem, SetItem, Source, TableSource, Target,
};
use mainstay_tsql_types::DataType;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The column that a name stands for.
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
        if !body_names_identity(&query.body, &query.order) {
            return None;
        }
        let mut named = query.clone();
        self.name_in_branches(&mut named.body, &mut named.order);
        (named != *query).then_some(named)
    }

    fn name_in_branches(&self, body: &mut QueryBody, order: &mut [OrderItem]) {
        let select = match body {
            QueryBody::Set(left, _, _, right) => {
                // The order of several queries is one of the names of their list.
                self.name_in_branches(left, &mut []);
                return self.name_in_branches(right, &mut []);
            }
            QueryBody::Select(select) => select,
        };
        let from = select.from.clone();
        let items = select.items.iter_mut().filter_map(|item| match item {
            SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
            SelectItem::Star(_) => None,
        });
        let order = order.iter_mut().map(|item| &mut item.value);
        let others = select.condition.iter_mut().chain(&mut select.having).chain(order);
        items.chain(others).for_each(|value| self.name_identity(value, &from));
    }

    /// The same for the condition of an UPDATE or DELETE, the columns of an INSERT, and what a MERGE compares, sets and lists.
    pub(super) fn change_with_identities_named(&self, change: &Change) -> Option<Change> {
        let condition = match change {
            Change::Update(update) => update.condition.as_ref(),
            Change::Delete(delete) => delete.condition.as_ref(),
            Change::Insert(insert) => return self.insert_with_identities_named(insert),
            Change::Merge(merge) => return self.merge_with_identities_named(merge),
        };
        condition.filter(|condition| names_identity(condition))?;
        let mut named = change.clone();
        let (target, from, condition) = match &mut named {
            Change::Update(update) => (&update.target, &update.from, &mut update.condition),
            Change::Delete(delete) => (&delete.target, &delete.from, &mut delete.condition),
            Change::Insert(_) | Change::Merge(_) => return None,
        };
        let condition = condition.as_mut()?;
        let own = [source_of(target, None)?];
        self.name_identity(condition, if from.is_empty() { &own } else { from });
        Some(named)
    }

    fn insert_with_identities_named(&self, insert: &Insert) -> Option<Change> {
        if !insert.columns.iter().any(|column| meant(column).is_some()) {
            return None;
        }
        let mut named = insert.clone();
        let own = [source_of(&insert.target, None)?];
        named.columns.iter_mut().for_each(|column| self.name_listed(column, &own));
        Some(Change::Insert(Box::new(named)))
    }

    fn merge_with_identities_named(&self, merge: &Merge) -> Option<Change> {
        let of_branch = |branch: &MergeBranch| match &branch.action {
            MergeAction::Update(items) => items.iter().any(|item| match item {
                SetItem::Column(_, _, value) | SetItem::Variable(_, _, value) => names_identity(value),
                _ => false,
            }),
            MergeAction::Insert(columns, values) => {
                columns.iter().any(|column| meant(column).is_some()) || values.iter().flatten().any(names_identity)
            }
            MergeAction::Delete => false,
        };
        let in_branch = |branch: &MergeBranch| branch.condition.iter().any(names_identity) || of_branch(branch);
        if !names_identity(&merge.condition) && !merge.branches.iter().any(in_branch) {
            return None;
        }
        let mut named = merge.clone();
        let sources = [source_of(&merge.target, merge.alias.as_ref())?, merge.source.clone()];
        self.name_identity(&mut named.condition, &sources);
        for branch in &mut named.branches {
            branch.condition.iter_mut().for_each(|condition| self.name_identity(condition, &sources));
            match &mut branch.action {
                MergeAction::Update(items) => {
                    for item in items {
                        if let SetItem::Column(_, _, value) | SetItem::Variable(_, _, value) = item {
                            self.name_identity(value, &sources);
                        }
                    }
                }
                MergeAction::Insert(columns, values) => {
                    columns.iter_mut().for_each(|column| self.name_listed(column, &sources[..1]));
                    values.iter_mut().flatten().for_each(|value| self.name_identity(value, &sources[1..]));
                }
                MergeAction::Delete => {}
            }
        }
        Some(Change::Merge(Box::new(named)))
    }

    /// A column in a list of columns.
    fn name_listed(&self, column: &mut Name, own: &[Source]) {
        let whole = ObjectName { span: column.span, parts: vec![column.clone()] };
        if let Some(meant) = meant(column)
            && let Some(name) = self.column_meant(meant, &whole, own)
        {
            *column = Name { text: name, quoted: true, ..column.clone() };
        }
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

/// The target of a change as a source of columns.
fn source_of(target: &Target, alias: Option<&Name>) -> Option<Source> {
    let Target::Table(name, _) = target else { return None };
    let table = TableSource { name: name.clone(), alias: alias.cloned(), ..TableSource::default() };
    Some(Source::Table(Box::new(table)))
}

/// Returns true if a query has what stands for a column.
fn body_names_identity(body: &QueryBody, order: &[OrderItem]) -> bool {
    match body {
        QueryBody::Set(left, _, _, right) => body_names_identity(left, &[]) || body_names_identity(right, &[]),
        QueryBody::Select(select) => values_of(select, order).chain(&select.condition).any(names_identity),
    }
}

/// Returns true if an expression has what stands for a column.
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
