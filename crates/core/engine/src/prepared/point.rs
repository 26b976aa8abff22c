//! The row executor: one row, found by its key, read or written.
//!
//! No async, no plan, no vector: the bytes of the key are built in a reused buffer, the index gives a position, and
//! values are read in place.

use super::cells::{COLUMNS, Cells, Fast, FastKind, KEY_COLUMNS, Key, Source, fits, is_exact};
use super::rows::Rows;
use crate::native::{Form, wait_for_first};
use crate::session::{Session, count_row};
use crate::writable::Changed;
use mainstay_store::group::Group;
use mainstay_store::{Read, Transaction, View, Written};
use mainstay_types::{Result, SqlType, Value, ValueRef};
use std::sync::Arc;

/// Where a row has no more columns, its values are kept in a shorter list: making a list ready takes longer the longer it is.
const FEW: usize = 6;

/// Returns true if the row executor can read this with these parameters.
pub(super) fn can_read(fast: &Fast, parameters: &[ValueRef<'_>]) -> bool {
    match &fast.kind {
        FastKind::Select { key, .. } => key.is_exact(parameters) && fast.takes(parameters),
        _ => false,
    }
}

/// Where a row is: its group, and its place there.
pub(super) type Place = (Arc<Group>, usize);

/// Finds the row that is asked for, if there is one.
pub(super) fn read(
    session: &mut Session,
    text: &Arc<str>,
    fast: &Fast,
    parameters: &[ValueRef<'_>],
) -> Result<Option<Place>> {
    let FastKind::Select { form, key, .. } = &fast.kind else { return Ok(None) };
    let mut values = [ValueRef::Null; KEY_COLUMNS];
    let wanted = key.values(parameters, &mut values);
    let mut found = None;
    session.read_native(text, |transaction, view| {
        form.table.check_seen(view)?;
        let mut reader = form.table.reader(view);
        if let Some(version) = reader.get(key.index, wanted)? {
            found = Some((Arc::clone(version.group), version.offset));
            transaction.note_read(&form.table, Read::Row(version.row_id()));
        } else {
            // A missing row is a read, too.
            transaction.note_read(&form.table, Read::Everything);
        }
        Ok(())
    })?;
    count_row(session, &form.table);
    Ok(found)
}

/// The row that was found.
pub(super) fn row(fast: &Fast, found: Option<Place>) -> Rows<'_> {
    match (&fast.kind, found) {
        (FastKind::Select { columns, .. }, Some((group, offset))) => Rows::one(group, offset, columns),
        _ => Rows::none(),
    }
}

/// Runs a change: the count, or `None` when the row executor is not certain and the planner has to do it.
pub(super) fn change(
    session: &mut Session,
    text: &Arc<str>,
    fast: &Fast,
    parameters: &[ValueRef<'_>],
) -> Result<Option<u64>> {
    if !fast.takes(parameters) {
        return Ok(None);
    }
    match &fast.kind {
        FastKind::Select { .. } => Ok(None),
        FastKind::Insert { form, cells, identity } => {
            let turns = form.table.definition_turns();
            if identity.is_some() && turns % 2 != 0 {
                // Its numbers may begin again in a moment.
                return Ok(None);
            }
            let next = match identity {
                Some(identity) => Some((identity.column, session.next_identity(identity.sequence)?)),
                None => None,
            };
            let (mut few, mut many);
            let values: &mut [ValueRef<'_>] = match cells.sources.len() <= FEW {
                true => {
                    few = [ValueRef::Null; FEW];
                    &mut few
                }
                false => {
                    many = [ValueRef::Null; COLUMNS];
                    &mut many
                }
            };
            let (converted, refs);
            let row = match row_of(form, cells, parameters, next, values) {
                Some(row) => row,
                None => {
                    let mut all = converted_values(form, cells.sources.iter().enumerate(), parameters)?;
                    if let Some((column, next)) = next {
                        all[column] = form.converted(column, ValueRef::Integer(next))?;
                    }
                    converted = all;
                    refs = converted.iter().map(Value::as_ref).collect::<Vec<_>>();
                    refs.as_slice()
                }
            };
            if let Some(own) = session.temporary_alone()
                && form.table.insert_alone(own, row)?
            {
                return Ok(Some(1));
            }
            session.change_native(text, |transaction| {
                if next.is_some() {
                    transaction.will_write(&form.table)?;
                    if form.table.definition_turns() != turns {
                        // TRUNCATE may have let the numbers begin again since this one was taken.
                        return Ok(Changed::Done(None));
                    }
                }
                form.table.insert(transaction, row)?;
                Ok(Changed::Done(Some(1)))
            })
        }
        FastKind::Update { form, key, changes } => {
            let mut wanted = [ValueRef::Null; KEY_COLUMNS];
            let Some(wanted) = key.exact_values(parameters, &mut wanted) else { return Ok(None) };
            let converted;
            let (mut few, mut many);
            let values: &mut [(usize, ValueRef<'_>)] = match changes.len() <= FEW {
                true => {
                    few = [(0, ValueRef::Null); FEW];
                    &mut few
                }
                false => {
                    many = [(0, ValueRef::Null); COLUMNS];
                    &mut many
                }
            };
            let mut all_fit = true;
            for (slot, (column, source)) in values.iter_mut().zip(changes) {
                *slot = (*column, source.value(parameters).unwrap_or(ValueRef::Null));
                all_fit &= fits(&slot.1, form.definition.columns[*column].sql_type);
            }
            if !all_fit {
                let sources = changes.iter().map(|(column, source)| (*column, source));
                converted = converted_values(form, sources, parameters)?;
                values.iter_mut().zip(&converted).for_each(|(slot, value)| slot.1 = value.as_ref());
            }
            count_row(session, &form.table);
            update_row(session, text, form, (key.index, wanted), &values[..changes.len()]).map(Some)
        }
        FastKind::Delete { form, key } => {
            let mut wanted = [ValueRef::Null; KEY_COLUMNS];
            let Some(wanted) = key.exact_values(parameters, &mut wanted) else { return Ok(None) };
            count_row(session, &form.table);
            delete_row(session, text, form, (key.index, wanted)).map(Some)
        }
    }
}

/// Finds the row and gives it other values in some columns: 0 or 1.
fn update_row(
    session: &mut Session,
    text: &Arc<str>,
    form: &Form,
    (index, wanted): (usize, &[ValueRef<'_>]),
    changes: &[(usize, ValueRef<'_>)],
) -> Result<u64> {
    session.change_native(text, |transaction| {
        let view = transaction.begin_statement()?;
        if let Some(row_id) = form.table.update_by_key(transaction, (index, wanted), changes, view)? {
            transaction.note_read(&form.table, Read::Row(row_id));
            return Ok(Changed::Done(1));
        }
        match find(transaction, form, index, wanted, view)? {
            Some(position) => Ok(changed(form.table.update_columns(transaction, position, changes)?)),
            None => not_found(transaction, form, index, wanted, view),
        }
    })
}

/// Finds the row and deletes it: 0 or 1.
fn delete_row(
    session: &mut Session,
    text: &Arc<str>,
    form: &Form,
    (index, wanted): (usize, &[ValueRef<'_>]),
) -> Result<u64> {
    session.change_native(text, |transaction| {
        let view = transaction.begin_statement()?;
        match find(transaction, form, index, wanted, view)? {
            Some(position) => Ok(changed(form.table.delete(transaction, position)?)),
            None => not_found(transaction, form, index, wanted, view),
        }
    })
}

/// How many rows a change of one row has changed.
fn changed(written: Written) -> Changed<u64> {
    match written {
        Written::Done(_) => Changed::Done(1),
        Written::Gone => Changed::Done(0),
        Written::Moved(_) | Written::Deleted => Changed::Overtaken,
    }
}

fn find(
    transaction: &mut Transaction,
    form: &Form,
    index: usize,
    wanted: &[ValueRef<'_>],
    view: View,
) -> Result<Option<u64>> {
    form.table.check_seen(view)?;
    let mut reader = form.table.reader(view);
    let found = reader.get(index, wanted)?.map(|version| (version.position, version.row_id()));
    match found {
        Some((position, row_id)) => {
            transaction.note_read(&form.table, Read::Row(row_id));
            Ok(Some(position))
        }
        None => {
            transaction.note_read(&form.table, Read::Everything);
            Ok(None)
        }
    }
}

/// The result for a missing row: a wait for the transaction that has inserted it, or no row.
fn not_found(
    transaction: &mut Transaction,
    form: &Form,
    index: usize,
    wanted: &[ValueRef<'_>],
    view: View,
) -> Result<Changed<u64>> {
    let Some(wide) = transaction.pending_view(&form.table, view) else { return Ok(Changed::Done(0)) };
    let found = form.table.reader(wide).get(index, wanted)?.map(|version| version.position);
    match wait_for_first(transaction, form, found.into_iter(), view)? {
        true => Ok(Changed::Overtaken),
        false => Ok(Changed::Done(0)),
    }
}

/// Values as their columns hold them.
fn converted_values<'s>(
    form: &Form,
    sources: impl Iterator<Item = (usize, &'s Source)>,
    parameters: &[ValueRef<'_>],
) -> Result<Vec<Value>> {
    let value = |(column, source): (usize, &Source)| {
        let given = source.value(parameters).unwrap_or(ValueRef::Null).to_value();
        form.converted(column, given.as_ref())
    };
    sources.map(value).collect()
}

/// The row to insert, with the next number of its identity column, or `None` when a value has to be converted first.
fn row_of<'v, 'b>(
    form: &Form,
    cells: &'v Cells,
    parameters: &'b [ValueRef<'v>],
    next: Option<(usize, i64)>,
    values: &'b mut [ValueRef<'v>],
) -> Option<&'b [ValueRef<'v>]> {
    let columns = &form.definition.columns;
    // Nothing is copied: a value that was just put together of its parts is slow to read.
    if cells.are_the_parameters && parameters.len() == columns.len() {
        let all_fit = parameters.iter().zip(columns).all(|(value, column)| fits(value, column.sql_type));
        return all_fit.then_some(parameters);
    }
    for (place, ((slot, source), column)) in values.iter_mut().zip(&cells.sources).zip(columns).enumerate() {
        *slot = match next {
            Some((column, next)) if column == place => ValueRef::Integer(next),
            _ => source.value(parameters)?,
        };
        if !fits(slot, column.sql_type) {
            return None;
        }
    }
    Some(&values[..cells.sources.len()])
}

impl Key {
    fn is_exact(&self, parameters: &[ValueRef<'_>]) -> bool {
        let exact = |(sql_type, source): &(SqlType, Source)| {
            source.value(parameters).is_some_and(|value| is_exact(value, *sql_type))
        };
        self.sources.iter().all(exact)
    }

    /// The values to look for, if the index finds the rows that the planner would.
    #[inline]
    fn exact_values<'v, 'b>(
        &'v self,
        parameters: &[ValueRef<'v>],
        values: &'b mut [ValueRef<'v>; KEY_COLUMNS],
    ) -> Option<&'b [ValueRef<'v>]> {
        for (slot, (sql_type, source)) in values.iter_mut().zip(&self.sources) {
            *slot = source.value(parameters)?;
            if !is_exact(*slot, *sql_type) {
                return None;
            }
        }
        Some(&values[..self.sources.len()])
    }

    /// The values to look for.
    fn values<'v, 'b>(
        &'v self,
        parameters: &[ValueRef<'v>],
        values: &'b mut [ValueRef<'v>; KEY_COLUMNS],
    ) -> &'b [ValueRef<'v>] {
        for (slot, (_, source)) in values.iter_mut().zip(&self.sources) {
            *slot = source.value(parameters).unwrap_or(ValueRef::Null);
        }
        &values[..self.sources.len()]
    }
}
