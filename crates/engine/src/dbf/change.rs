//! INSERT, UPDATE, DELETE.

use super::lock::{locked_rows, record_number, timed_out};
use super::values::{Target, fields_of, is_deleted, row_of, table_name, targets_of, value_for};
use crate::inserted::{GivenRow, Source};
use crate::returning::{Rows, Shown};
use arrow_array::RecordBatch;
use mainstay_base::{Code, Error, Result, Value, ValueRef};
use mainstay_query::{
    Answer, Assignment, Catalog, Delete, Insert, Name, Planned, Planner, RECORD_NUMBER, Returning, Update,
};
use mainstay_table::Table;
use mainstay_table::values::value_at;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::DbfTable;
use std::collections::HashSet;

/// What runs the queries of a statement, as the session sees its tables.
pub(crate) type RunQuery<'s> = &'s mut dyn FnMut(&Planned) -> Result<Vec<RecordBatch>>;

/// What a change needs from the session that runs it.
pub(crate) struct Changer<'s> {
    pub(crate) planner: &'s Planner,
    pub(crate) catalog: &'s dyn Catalog,
    /// The text of the statement, for places in errors.
    pub(crate) text: &'s str,
    /// The values of parameters in lists of values.
    pub(crate) parameters: &'s [ValueRef<'s>],
    pub(crate) run: RunQuery<'s>,
}

/// A record, and what an UPDATE does with it.
struct RecordChange {
    record: u64,
    values: Vec<(usize, Value)>,
    deleted: Option<bool>,
    /// What RETURNING wants to have beside the row.
    beside: Vec<Value>,
}

impl Changer<'_> {
    /// INSERT.
    pub(crate) fn insert(&mut self, table: &DbfTable, open: &mut IndexedTable, insert: &Insert) -> Result<Answer> {
        if insert.conflict.is_some() {
            let error = Error::new(Code::Unsupported, "ON CONFLICT in an INSERT into a DBF table");
            return Err(error.hint("UPDATE the records that are there, and INSERT what is left"));
        }
        let fields = fields_of(table, &insert.columns)?;
        let shown = shown(table, None, insert.returning.as_ref())?;
        let source =
            Source { planner: self.planner, catalog: self.catalog, text: self.text, parameters: self.parameters };
        let given = source.rows(insert, self.run)?;
        let rows = given.into_iter().map(|row| record_of(table, &fields, row)).collect::<Result<Vec<_>>>()?;
        let mut done = Rows { count: rows.len() as u64, kept: Vec::new() };
        let appended = open.atomically(|open| {
            let values: Vec<Vec<ValueRef<'_>>> =
                rows.iter().map(|row| row.iter().map(Value::as_ref).collect()).collect();
            open.append_many(values.iter().map(Vec::as_slice))
        });
        let appended = appended.map_err(timed_out)?;
        if shown.is_wanted() {
            let mut bytes = Vec::new();
            for record in appended.into_iter().flatten() {
                open.read(record, &mut bytes)?;
                done.kept.push((row_of(open, record, &bytes)?, Vec::new()));
            }
        }
        shown.answer(self.planner, done)
    }

    /// UPDATE. `SET _deleted = FALSE` recalls records, and TRUE deletes them.
    pub(crate) fn update(&mut self, table: &DbfTable, open: &mut IndexedTable, update: &Update) -> Result<Answer> {
        let targets = targets_of(table, &update.assignments)?;
        let mut shown = shown(table, update.alias.as_ref(), update.returning.as_ref())?;
        let planned = self.planner.plan_update(self.text, update, (RECORD_NUMBER, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let run = &mut self.run;
        let batches = locked_rows(table, open, &mut || run(&planned))?;
        let mut seen = HashSet::new();
        let mut changes = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                // A record that joins several rows is changed by the first of them.
                let Some(record) = record_number(batch, row)?.filter(|record| seen.insert(*record)) else { continue };
                let mut change = change_of(table, (&update.assignments, &targets), (batch, row), record)?;
                change.beside = shown.values(batch, row)?;
                changes.push(change);
            }
        }
        let mut done = Rows::default();
        let changed_all = open.atomically(|open| {
            for change in &mut changes {
                let new = changed(open, change)?;
                done.count += 1;
                if shown.is_wanted() {
                    done.kept.push((row_of(open, change.record, &new)?, std::mem::take(&mut change.beside)));
                }
            }
            Ok(())
        });
        changed_all.map_err(timed_out)?;
        shown.answer(self.planner, done)
    }

    /// DELETE: records are marked as deleted, and stay where they are.
    pub(crate) fn delete(&mut self, table: &DbfTable, open: &mut IndexedTable, delete: &Delete) -> Result<Answer> {
        let mut shown = shown(table, delete.alias.as_ref(), delete.returning.as_ref())?;
        let planned = self.planner.plan_delete(self.text, delete, (RECORD_NUMBER, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let run = &mut self.run;
        let batches = locked_rows(table, open, &mut || run(&planned))?;
        let mut seen = HashSet::new();
        let mut done = Rows::default();
        let deleted_all = open.atomically(|open| {
            for batch in &batches {
                for row in 0..batch.num_rows() {
                    let Some(record) = record_number(batch, row)?.filter(|record| seen.insert(*record)) else {
                        continue;
                    };
                    let change = open.delete(record)?;
                    if is_deleted(&change.old) {
                        continue;
                    }
                    done.count += 1;
                    if shown.is_wanted() {
                        done.kept.push((row_of(open, record, &change.old)?, shown.values(batch, row)?));
                    }
                }
            }
            Ok(())
        });
        deleted_all.map_err(timed_out)?;
        shown.answer(self.planner, done)
    }
}

/// What a RETURNING gives of the table's rows.
fn shown(table: &DbfTable, alias: Option<&Name>, returning: Option<&Returning>) -> Result<Shown> {
    Shown::new((table_name(table), table.schema(), table.hidden_columns()), alias, returning)
}

/// A row of an INSERT as values of all fields.
fn record_of(table: &DbfTable, fields: &[usize], row: GivenRow) -> Result<Vec<Value>> {
    if !row.is_empty() && row.len() != fields.len() {
        let message = format!("{} values are given for {} columns", row.len(), fields.len());
        return Err(Error::new(Code::Syntax, message));
    }
    let mut given: Vec<Option<Value>> = vec![None; table.fields().len()];
    for (field, value) in fields.iter().zip(row) {
        given[*field] = value;
    }
    let value = |(field, value): (usize, Option<Value>)| value_for(table, field, value.as_ref().map(Value::as_ref));
    given.into_iter().enumerate().map(value).collect()
}

/// What an UPDATE does with the record of a row of its query, whose first column is the record's number and the rest
/// the expressions' values.
fn change_of(
    table: &DbfTable,
    (assignments, targets): (&[Assignment], &[Target]),
    (batch, row): (&RecordBatch, usize),
    record: u64,
) -> Result<RecordChange> {
    let mut change = RecordChange { record, values: Vec::new(), deleted: None, beside: Vec::new() };
    let mut place = 0;
    for (assignment, target) in assignments.iter().zip(targets) {
        let value = match &assignment.value {
            Some(_) => {
                place += 1;
                Some(value_at(batch.column(place), row)?)
            }
            None => None,
        };
        match (target, value) {
            (Target::Field(field), value) => {
                change.values.push((*field, value_for(table, *field, value.as_ref().map(Value::as_ref))?));
            }
            (Target::Deleted, None) => change.deleted = Some(false),
            (Target::Deleted, Some(Value::Boolean(deleted))) => change.deleted = Some(deleted),
            (Target::Deleted, Some(other)) => {
                let message = format!("_deleted is TRUE or FALSE, and not {other}");
                return Err(Error::new(Code::TypeMismatch, message));
            }
        }
    }
    Ok(change)
}

/// Changes a record, and gives its bytes as they are now.
fn changed(open: &mut IndexedTable, change: &RecordChange) -> Result<Vec<u8>> {
    let values: Vec<(usize, ValueRef<'_>)> =
        change.values.iter().map(|(field, value)| (*field, value.as_ref())).collect();
    let mut new = None;
    if !values.is_empty() {
        new = Some(open.update(change.record, &values)?.new);
    }
    if let Some(deleted) = change.deleted {
        new = Some(open.set_deleted(change.record, deleted)?.new);
    }
    new.ok_or_else(|| Error::new(Code::Internal, "an UPDATE without assignments"))
}
