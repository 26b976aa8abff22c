//! The rows of a DBF or ADT table in a statement: records, changed in place.

use super::lock::{locked_rows, record_numbers, timed_out};
use super::values::{Target, fields_of, is_deleted, row_of, table_name, targets_of, value_for};
use crate::native::Given;
use crate::returning::Rows;
use crate::writable::{
    Changed, Done, FindRows, GivenValues, InsertRows, RowDelete, RowInsert, RowUpdate, RowWriter, Shape,
    StatementContext,
};
use mainstay_columnar::Table;
use mainstay_planner::{Assignment, Collected, HeldMemory, Insert, Name, Planner};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use mainstay_xbase::dbf::FieldKind;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::{BeforeWrite, DbfTable};
use std::any::Any;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Rows of an INSERT that are converted and appended together.
const PORTION: usize = 8_192;

/// The memory of a new record beside its bytes until the transaction ends.
const NOTE_BYTES: usize = 96;

/// See the module.
pub(crate) struct FileRows<'w> {
    table: &'w DbfTable,
    open: &'w mut IndexedTable,
    planner: &'w Planner,
    /// Notes the numbers that tables give their new records.
    given: &'w Given,
    /// The state of the table's indexes before the first change, for the caller that completes the write.
    before: &'w mut Option<BeforeWrite>,
}

/// A record, and what an UPDATE does with it.
pub(super) struct RecordChange {
    record: u64,
    values: Vec<(usize, Value)>,
    deleted: Option<bool>,
    /// The values beside the row for RETURNING.
    beside: Vec<Value>,
}

impl<'w> FileRows<'w> {
    /// The records of a table that is open for writing.
    pub(crate) fn new(
        (table, open): (&'w DbfTable, &'w mut IndexedTable),
        (planner, given): (&'w Planner, &'w Given),
        before: &'w mut Option<BeforeWrite>,
    ) -> FileRows<'w> {
        FileRows { table, open, planner, given, before }
    }

    /// Notes the state of the indexes before the first change.
    fn begin_write(&mut self) -> Result<()> {
        if self.before.is_none() {
            *self.before = Some(self.table.before_write()?);
        }
        Ok(())
    }

    /// Notes the last new record, and the number that it was given if the table counts.
    fn note_number(&mut self, appended: Option<&RangeInclusive<u64>>) -> Result<()> {
        let Some(last) = appended.map(|records| *records.end()) else { return Ok(()) };
        self.given.note_record(last);
        let table = self.table;
        // A row version is not a number that the statement took.
        let is_given = |field: &usize| table.counts(*field) && table.fields()[*field].kind != FieldKind::RowVersion;
        let Some(field) = (0..table.fields().len()).find(is_given) else { return Ok(()) };
        let mut bytes = Vec::new();
        self.open.read(last, &mut bytes)?;
        let number = match self.open.value(field, &bytes)? {
            Value::Integer(number) => Some(number),
            Value::Decimal(number) if number.scale == 0 => i64::try_from(number.unscaled).ok(),
            _ => None,
        };
        if let Some(number) = number {
            self.given.note_file(&table_name(table).to_lowercase(), number);
        }
        Ok(())
    }
}

impl RowWriter for FileRows<'_> {
    fn shape(&self) -> Shape<'_> {
        Shape { name: table_name(self.table), schema: self.table.schema(), hidden: self.table.hidden_columns() }
    }

    fn begin_insert(&mut self, insert: &Insert, _context: &StatementContext<'_>) -> Result<Vec<usize>> {
        if insert.conflict.is_some() {
            let error = Error::new(Code::Unsupported, "ON CONFLICT in an INSERT into a DBF table");
            return Err(error.hint("UPDATE the records that are there, and INSERT what is left"));
        }
        fields_of(self.table, &insert.columns)
    }

    fn insert_columns(&self, names: &[Name]) -> Result<Vec<usize>> {
        fields_of(self.table, names)
    }

    fn update_columns(&self, assignments: &[Assignment]) -> Result<Vec<usize>> {
        let targets = targets_of(self.table, assignments)?;
        Ok(targets.into_iter().map(|target| target.place(self.table)).collect())
    }

    fn find(&mut self, query: &mut FindRows<'_>) -> Result<Changed<Collected>> {
        let rows = locked_rows(self.table, self.open, &mut || {
            let rows = query.run(None)?;
            Ok((record_numbers(rows.batches())?, rows))
        });
        rows.map(Changed::Done)
    }

    fn may_be(&self, table: &Arc<dyn Table>) -> bool {
        let any: &dyn Any = table.as_ref();
        any.downcast_ref::<DbfTable>().is_some_and(|read| read.path() == self.table.path())
    }

    fn insert(&mut self, new: InsertRows<'_>, done: &mut Done<'_>) -> Result<Changed<()>> {
        let InsertRows { columns, rows, .. } = new;
        let record_bytes = 1 + self.table.fields().iter().map(|field| field.length).sum::<usize>();
        let memory = self.planner.held_memory("the records of an INSERT");
        let mut new = NewRecords { memory, record_bytes, appended: Vec::new() };
        let mut beside = Vec::new();
        loop {
            let mut records = Vec::new();
            for row in rows.take(PORTION) {
                let RowInsert { values, beside: of_row } = row?;
                records.push(record_of(self.table, columns, values)?);
                if done.wants_rows() {
                    beside.push(of_row);
                }
            }
            if records.is_empty() {
                break;
            }
            // The first ones have their values before anything is written.
            self.begin_write()?;
            new.append(self.open, &records).map_err(timed_out)?;
            done.rows.count += records.len() as u64;
        }
        self.note_number(new.appended.last())?;
        if done.wants_rows() {
            let mut bytes = Vec::new();
            for (record, beside) in new.appended.into_iter().flatten().zip(beside) {
                self.open.read(record, &mut bytes)?;
                done.rows.kept.push(row_of(self.open, record, &bytes)?, beside)?;
            }
        }
        Ok(Changed::Done(()))
    }

    /// `SET _deleted = FALSE` recalls records, and TRUE deletes them.
    fn update(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowUpdate>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        let (mut seen, mut changes) = (HashSet::new(), Vec::new());
        for row in rows {
            let RowUpdate { position, values, beside } = row?;
            if !seen.insert(position) {
                continue;
            }
            let mut change = RecordChange { record: position, values: Vec::new(), deleted: None, beside };
            for (place, value) in values {
                change.assign(self.table, Target::at(self.table, place), value)?;
            }
            changes.push(change);
        }
        self.begin_write()?;
        change_all(self.open, &mut changes, done.wants_rows(), done.rows).map_err(timed_out)?;
        Ok(Changed::Done(()))
    }

    /// Records are marked as deleted, and stay where they are.
    fn delete(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowDelete>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        let (mut seen, mut deletes) = (HashSet::new(), Vec::new());
        for row in rows {
            let row = row?;
            if seen.insert(row.position) {
                deletes.push(row);
            }
        }
        self.begin_write()?;
        for RowDelete { position, beside } in deletes {
            let change = self.open.delete(position).map_err(timed_out)?;
            if !is_deleted(self.open, &change.old) {
                done.row(beside, || row_of(self.open, position, &change.old))?;
            }
        }
        Ok(Changed::Done(()))
    }
}

/// The rows that an INSERT has appended.
struct NewRecords {
    /// The bytes that undoing the statement needs for each record.
    memory: HeldMemory,
    record_bytes: usize,
    /// Numbers of records that came behind each other.
    appended: Vec<RangeInclusive<u64>>,
}

impl NewRecords {
    /// Appends records.
    ///
    /// Errors: those of appending; `OutOfMemory`.
    fn append(&mut self, open: &mut IndexedTable, records: &[Vec<Value>]) -> Result<()> {
        self.memory.add(records.len() * (self.record_bytes + NOTE_BYTES))?;
        let values: Vec<Vec<ValueRef<'_>>> =
            records.iter().map(|row| row.iter().map(Value::as_ref).collect()).collect();
        self.appended.extend(open.append_many(values.iter().map(Vec::as_slice))?);
        Ok(())
    }
}

/// A row of an INSERT as values of all fields.
fn record_of(table: &DbfTable, fields: &[usize], row: GivenValues) -> Result<Vec<Value>> {
    let mut given: Vec<Option<Value>> = vec![None; table.fields().len()];
    for (field, value) in fields.iter().zip(row) {
        given[*field] = value;
    }
    let value = |(field, value): (usize, Option<Value>)| value_for(table, field, value.as_ref().map(Value::as_ref));
    given.into_iter().enumerate().map(value).collect()
}

impl RecordChange {
    /// Assigns a value; `None` is DEFAULT.
    fn assign(&mut self, table: &DbfTable, target: Target, value: Option<Value>) -> Result<()> {
        match (target, value) {
            (Target::Field(field), value) => {
                self.values.push((field, value_for(table, field, value.as_ref().map(Value::as_ref))?));
            }
            (Target::Deleted, None) => self.deleted = Some(false),
            (Target::Deleted, Some(Value::Boolean(deleted))) => self.deleted = Some(deleted),
            (Target::Deleted, Some(other)) => {
                let message = format!("_deleted is TRUE or FALSE, and not {other}");
                return Err(Error::new(Code::TypeMismatch, message));
            }
        }
        Ok(())
    }
}

/// Changes records. One whose new key another record of the statement still has waits until that one has changed: ISO
/// SQL looks at keys when the statement is done. Records that only wait for each other, as two that swap their keys, are
/// changed while keys may be those of several records; then each must have its own again.
fn change_all(open: &mut IndexedTable, changes: &mut [RecordChange], keeps: bool, done: &mut Rows) -> Result<()> {
    let mut waiting: Vec<&mut RecordChange> = changes.iter_mut().collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        let (mut late, mut refusal) = (Vec::new(), None);
        for change in waiting {
            match changed(open, change) {
                Ok(new) => {
                    done.count += 1;
                    if keeps {
                        done.kept.push(row_of(open, change.record, &new)?, std::mem::take(&mut change.beside))?;
                    }
                }
                Err(error) if error.code() == Code::UniqueViolation => {
                    refusal = Some(error);
                    late.push(change);
                }
                Err(error) => return Err(error),
            }
        }
        if refusal.is_some() && late.len() == before {
            let records: Vec<u64> = late.iter().map(|change| change.record).collect();
            return open.passing_keys(&records, |open| {
                late.iter_mut().try_for_each(|change| {
                    let new = changed(open, change)?;
                    done.count += 1;
                    if keeps {
                        done.kept.push(row_of(open, change.record, &new)?, std::mem::take(&mut change.beside))?;
                    }
                    Ok(())
                })
            });
        }
        // Late changes are mostly a chain, of which each record came before the one that it waits for.
        late.reverse();
        waiting = late;
    }
    Ok(())
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
