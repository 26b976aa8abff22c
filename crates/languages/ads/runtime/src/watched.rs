//! Watched changes: changes of tables that have triggers, or rules in the data dictionary.
//!
//! ```text
//!   INSERT, UPDATE, DELETE    triggers before; the change; rules; what follows from it in other tables; triggers after
//!                                                          |             |
//!                                         mainstay_data_dictionary::changes       the same again, one level deeper
//!   MERGE                     an UPDATE and an INSERT like these, in one transaction
//! ```
//! A column that an INSERT leaves out gets the dictionary's default. The change is made as a whole, or not at all.

use crate::dictionary::{failed, object_of};
use crate::failure::Failed;
use crate::functions::DEEPEST;
use crate::scope::{Values, type_of};
use crate::session::{Inner, Result};
use crate::statement::Ran;
use crate::triggers::{Fired, Images, target};
use mainstay_ads_syntax::reduce;
use mainstay_ads_syntax::tree::{
    Expr, Insert, InsertRows, Merge, Name, ObjectName, Query, QueryBody, SelectItem, Source, StatementKind,
};
use mainstay_ads_syntax::{SqlError, parse};
use mainstay_area_session::Outcome;
use mainstay_data_dictionary::changes::{self, Change, Following, Rules};
use mainstay_data_dictionary::constants::{ADS_DD_TABLE_OBJECT, AE_RI_CASCADE};
use mainstay_types::Value;
use mainstay_xbase::indexed::IndexedTable;
use std::borrow::Cow;

/// The most records in one cascading statement.
const RECORDS_AT_ONCE: usize = 500;

/// A watched change.
pub(crate) struct Watch {
    pub(crate) fired: Fired,
    pub(crate) rules: Option<Rules>,
}

fn variable(name: &str) -> Expr {
    Expr::Variable(Name { text: name.to_owned(), ..Name::default() })
}

/// A statement of this text.
fn parsed(text: &str) -> Result<StatementKind> {
    let kind = parse(text)?.statements.into_iter().next().map(|statement| statement.kind);
    kind.ok_or_else(|| SqlError::unsupported("this statement"))
}

impl Inner {
    /// The dictionary's name of a table that is changed.
    fn ruled_name(&self, table: &ObjectName) -> Option<String> {
        let dictionary = self.modules.dictionary.as_ref().filter(|_| self.temporary.find(table.last()).is_none())?;
        let contents = dictionary.live.contents().ok()?;
        match object_of(dictionary, &contents, &self.folder, table)? {
            (ADS_DD_TABLE_OBJECT, name) => Some(name),
            _ => None,
        }
    }

    fn rules_of(&self, table: &ObjectName) -> Result<Option<Rules>> {
        match (&self.modules.dictionary, self.ruled_name(table)) {
            (Some(dictionary), Some(name)) => Rules::of(dictionary, &name).map_err(failed),
            _ => Ok(None),
        }
    }

    /// The watch of a statement; `None` if nothing watches it.
    ///
    /// Errors: those of reading the rules.
    pub(crate) fn watch(&self, kind: &StatementKind) -> Result<Option<Watch>> {
        let (fired, Some((table, _))) = (self.fired(kind), target(kind)) else { return Ok(None) };
        let rules = self.rules_of(table)?;
        let is_watched = fired.is_some() || rules.is_some();
        Ok(is_watched.then(|| Watch { fired: fired.unwrap_or_default(), rules }))
    }

    /// Returns true if changes of a table are watched, or have defaults.
    ///
    /// Errors: those of reading the rules.
    pub(crate) fn is_watched(&self, table: &ObjectName) -> Result<bool> {
        let of = |kind: StatementKind| self.fired(&kind).is_some();
        let insert = Insert { target: table.clone(), mark: None, columns: Vec::new(), rows: InsertRows::Default };
        let update = format!("UPDATE {} SET x = 1", reduce::quoted(table.last()));
        Ok(of(StatementKind::Insert(Box::new(insert)))
            || of(parsed(&update)?)
            || self.rules_of(table)?.is_some()
            || !self.defaults_of(table)?.is_empty())
    }

    fn defaults_of(&self, table: &ObjectName) -> Result<Vec<(String, Value)>> {
        match (&self.modules.dictionary, self.ruled_name(table)) {
            (Some(dictionary), Some(name)) => changes::defaults(dictionary, &name).map_err(failed),
            _ => Ok(Vec::new()),
        }
    }

    /// A statement with the dictionary's defaults where an INSERT leaves columns out, or contains DEFAULT.
    ///
    /// Errors: those of reading them.
    pub(crate) fn with_defaults<'s>(
        &self,
        kind: &'s StatementKind,
        values: &'s Values,
    ) -> Result<(Cow<'s, StatementKind>, Cow<'s, Values>)> {
        let as_is = (Cow::Borrowed(kind), Cow::Borrowed(values));
        let StatementKind::Insert(insert) = kind else { return Ok(as_is) };
        let defaults = self.defaults_of(&insert.target)?;
        if defaults.is_empty() {
            return Ok(as_is);
        }
        let (mut insert, mut values) = (Insert::clone(insert), values.clone());
        let mut named = Vec::new();
        for (place, (column, value)) in defaults.into_iter().enumerate() {
            let name = format!("@#default{place}");
            values.insert(name.clone(), (value.clone(), type_of(&value)));
            named.push((column, variable(&name)));
        }
        let is_given = |column: &str| insert.columns.iter().any(|given| given.is(column));
        let is_all = insert.columns.is_empty() && insert.rows != InsertRows::Default;
        let added: Vec<_> = named.iter().filter(|(column, _)| !is_all && !is_given(column)).cloned().collect();
        match &mut insert.rows {
            rows @ InsertRows::Default => {
                *rows = InsertRows::Values(vec![added.iter().map(|(_, value)| value.clone()).collect()]);
            }
            InsertRows::Values(rows) => {
                for row in rows {
                    for (value, column) in row.iter_mut().zip(&insert.columns).filter(|(it, _)| **it == Expr::Default) {
                        if let Some((_, default)) = named.iter().find(|(name, _)| column.is(name)) {
                            *value = default.clone();
                        }
                    }
                    row.extend(added.iter().map(|(_, value)| value.clone()));
                }
            }
            InsertRows::Query(query) if !added.is_empty() => **query = beside(query, insert.columns.len(), &added)?,
            InsertRows::Query(_) => {}
        }
        insert.columns.extend(added.into_iter().map(|(text, _)| Name { text, ..Name::default() }));
        Ok((Cow::Owned(StatementKind::Insert(Box::new(insert))), Cow::Owned(values)))
    }

    /// Holds the rows of a change to the rules of their table, and does what follows from it.
    ///
    /// Errors: those of the rules; 5142 for what could not be done to the records of another table.
    pub(crate) fn hold(&mut self, rules: &mut Rules, kind: &StatementKind, images: &Images) -> Result<()> {
        let flushed = self
            .core
            .with_open_tables(|tables| tables.iter_mut().try_for_each(|table: &mut &mut IndexedTable| table.flush()));
        flushed.map_err(|error| crate::failure::of_core(&error))?;
        let columns: Vec<String> = images.columns.iter().map(|(name, _)| name.clone()).collect();
        let changes: Vec<Change<'_>> = images
            .rows
            .iter()
            .map(|(old, new)| match kind {
                StatementKind::Insert(_) => (None, Some(new.as_slice())),
                StatementKind::Delete(_) => (Some(old.as_slice()), None),
                _ => (Some(old.as_slice()), Some(new.as_slice())),
            })
            .collect();
        let following = rules.check(&columns, &changes).map_err(failed)?;
        if following.is_empty() {
            return Ok(());
        }
        if self.state.following >= DEEPEST {
            let text = "too many tables follow from one another";
            return Err(SqlError::new(i32::try_from(AE_RI_CASCADE).unwrap_or(0), text));
        }
        self.state.following += 1;
        let followed = following.iter().try_for_each(|following| self.follow(following));
        self.state.following -= 1;
        followed
    }

    fn follow(&mut self, following: &Following) -> Result<()> {
        let table = reduce::quoted(&following.table);
        let mut values = Values::new();
        let head = match &following.values {
            None => format!("DELETE FROM {table}"),
            Some(fields) => {
                let mut set = Vec::new();
                for (place, (field, value)) in fields.iter().enumerate() {
                    let name = format!("@following{place}");
                    set.push(format!("{} = {name}", reduce::quoted(field)));
                    values.insert(name, (value.clone(), type_of(value)));
                }
                format!("UPDATE {table} SET {}", set.join(", "))
            }
        };
        for records in following.records.chunks(RECORDS_AT_ONCE) {
            let numbers: Vec<String> = records.iter().map(u32::to_string).collect();
            let kind = parsed(&format!("{head} WHERE RECNO() IN ({})", numbers.join(", ")))?;
            let changed = self.changed(&kind, &values);
            changed.map_err(|error| failed(following.failure(&error.message)))?;
        }
        Ok(())
    }

    /// A MERGE into a table whose changes are watched. The rows that are new are found before any is changed.
    ///
    /// Errors: those of its parts.
    pub(crate) fn merge_watched(&mut self, merge: &Merge, values: &Values) -> Ran {
        let affected = self.as_a_whole(|inner| {
            let Some(using) = &merge.using else {
                let (_, _, found) = inner.reduced(values, |scope| reduce::upsert(merge, scope))?;
                let (update, insert) = reduce::upsert_parts(merge);
                let kind = match inner.core(&found)?.rows.is_empty() {
                    true => insert.map(|insert| StatementKind::Insert(Box::new(insert))),
                    false => update.map(|update| StatementKind::Update(Box::new(update))),
                };
                return kind.map_or(Ok(0), |kind| inner.changed(&kind, values).map(|outcome| outcome.affected));
            };
            let plan = inner.reduced(values, |scope| reduce::merge(merge, using, scope))?;
            let added = plan.rows.as_ref().map_or_else(|| Ok(Outcome::default()), |rows| inner.core(rows))?;
            let mut affected = 0;
            if let Some(update) = reduce::merge_update(merge, using) {
                affected += inner.changed(&StatementKind::Update(Box::new(update)), values)?.affected;
            }
            if let Some((columns, _)) = merge.insert.as_ref().filter(|_| !added.rows.is_empty()) {
                let (insert, values) = inserted(merge, columns, added, values);
                affected += inner.changed(&insert, &values)?.affected;
            }
            Ok::<u64, Failed>(affected)
        })?;
        self.state.update_count = affected;
        Ok(Outcome { affected, ..Outcome::default() })
    }
}

/// The INSERT of the rows that a MERGE has found, with their values as variables.
fn inserted(merge: &Merge, columns: &[Name], added: Outcome, values: &Values) -> (StatementKind, Values) {
    let mut values = values.clone();
    let types: Vec<_> = added.columns.iter().map(|column| column.sql_type).collect();
    let mut rows = Vec::with_capacity(added.rows.len());
    for (number, row) in added.rows.into_iter().enumerate() {
        let mut written = Vec::with_capacity(row.len());
        for (place, (value, sql_type)) in row.into_iter().zip(&types).enumerate() {
            let name = format!("@#merge{number}_{place}");
            written.push(variable(&name));
            values.insert(name, (value, *sql_type));
        }
        rows.push(written);
    }
    let (target, rows) = (merge.target.name.clone(), InsertRows::Values(rows));
    (StatementKind::Insert(Box::new(Insert { target, mark: None, columns: columns.to_vec(), rows })), values)
}

/// The rows of a query with so many columns, with more columns beside them.
fn beside(query: &Query, count: usize, added: &[(String, Expr)]) -> Result<Query> {
    let StatementKind::Query(mut outer) = parsed("SELECT [#rows].* FROM (SELECT 1 AS x FROM system.iota) AS [#rows]")?
    else {
        return Err(SqlError::unsupported("this query"));
    };
    if let QueryBody::Select(select) = &mut outer.body {
        if let Some(Source::Query(inner, alias)) = select.from.first_mut() {
            **inner = query.clone();
            // Two of the query's columns may have the same name.
            alias.columns = (0..count).map(|place| Name { text: format!("#{place}"), ..Name::default() }).collect();
        }
        let heads = added.iter().map(|(_, value)| SelectItem::Value(value.clone(), None));
        select.items.extend(heads);
    }
    Ok(*outer)
}
