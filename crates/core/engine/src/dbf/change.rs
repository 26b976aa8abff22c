//! INSERT, UPDATE, DELETE.

use super::lock::{locked_rows, record_number, timed_out};
use super::values::{Target, fields_of, is_deleted, row_of, table_name, targets_of, value_for};
use crate::inserted::{GivenRow, GivenRows, Source};
use crate::native::{Given, NewRow};
use crate::returning::{Rows, Shown};
use arrow_array::RecordBatch;
use mainstay_columnar::Table;
use mainstay_columnar::values::value_at;
use mainstay_planner::{
    Answer, Catalog, Collected, Delete, HeldMemory, Insert, Name, Planned, Planner, RECORD_NUMBER, Returning, Update,
    Visibility,
};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use mainstay_xbase::dbf::FieldKind;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::{BeforeWrite, DbfTable};
use std::any::Any;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Runs the queries of a statement, as the session sees its tables.
pub(crate) type RunQuery<'s> = &'s mut dyn FnMut(&Planned) -> Result<Answer>;

/// The parts of a session that a change of a DBF table uses.
pub(crate) struct Changer<'s> {
    pub(crate) planner: &'s Planner,
    pub(crate) catalog: &'s dyn Catalog,
    /// The text of the statement, for places in errors.
    pub(crate) text: &'s str,
    /// The values of parameters in lists of values.
    pub(crate) parameters: &'s [ValueRef<'s>],
    /// The rows that the query of an INSERT sees.
    pub(crate) visibility: Visibility,
    pub(crate) run: RunQuery<'s>,
    /// Notes the numbers that tables give their new records.
    pub(crate) given: &'s Given,
    /// The state of the table's indexes before the change, for the caller that completes the write.
    pub(crate) before: Option<BeforeWrite>,
}

/// A record, and what an UPDATE does with it.
pub(super) struct RecordChange {
    record: u64,
    values: Vec<(usize, Value)>,
    deleted: Option<bool>,
    /// The values beside the row for RETURNING.
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
        let shown = shown(table, insert.alias.as_ref(), insert.returning.as_ref())?;
        let (planner, catalog, visibility) = (self.planner, self.catalog, self.visibility);
        let source = Source { planner, catalog, visibility, text: self.text, parameters: self.parameters };
        let run = &mut self.run;
        let mut portions = match source.given(insert, &mut |planned| run(planned)?.collect())? {
            GivenRows::All(rows) => Portions::of(rows),
            GivenRows::Query(planned) => Portions::of_query(run(&planned)?, &planned, table, self.planner)?,
        };
        // The first ones have their values before anything is written.
        let first = portions.next_records(table, &fields)?;
        let memory = self.planner.held_memory("the records of an INSERT");
        let record_bytes = 1 + table.fields().iter().map(|field| field.length).sum::<usize>();
        let mut new = NewRecords { memory, record_bytes, count: 0, appended: Vec::new() };
        self.before = Some(table.before_write()?);
        let written = open.atomically(|open| {
            let mut next = first;
            while let Some(records) = next {
                new.append(open, &records)?;
                next = portions.next_records(table, &fields)?;
            }
            Ok(())
        });
        written.map_err(timed_out)?;
        let mut done = Rows { count: new.count, ..shown.no_rows(self.planner, false) };
        self.note_number(table, open, new.appended.last())?;
        if shown.is_wanted() {
            let mut bytes = Vec::new();
            for record in new.appended.into_iter().flatten() {
                open.read(record, &mut bytes)?;
                done.kept.push(row_of(open, record, &bytes)?, Vec::new())?;
            }
        }
        shown.answer(self.planner, done)
    }

    /// Notes the last new record, and the number that it was given if the table counts.
    pub(super) fn note_number(
        &self,
        table: &DbfTable,
        open: &mut IndexedTable,
        appended: Option<&RangeInclusive<u64>>,
    ) -> Result<()> {
        let Some(last) = appended.map(|records| *records.end()) else { return Ok(()) };
        self.given.note_record(last);
        // A row version is not a number that the statement took.
        let is_given = |field: &usize| table.counts(*field) && table.fields()[*field].kind != FieldKind::RowVersion;
        let Some(field) = (0..table.fields().len()).find(is_given) else { return Ok(()) };
        let mut bytes = Vec::new();
        open.read(last, &mut bytes)?;
        let number = match open.value(field, &bytes)? {
            Value::Integer(number) => Some(number),
            Value::Decimal(number) if number.scale == 0 => i64::try_from(number.unscaled).ok(),
            _ => None,
        };
        if let Some(number) = number {
            self.given.note_file(&table_name(table).to_lowercase(), number);
        }
        Ok(())
    }

    /// UPDATE. `SET _deleted = FALSE` recalls records, and TRUE deletes them.
    pub(crate) fn update(&mut self, table: &DbfTable, open: &mut IndexedTable, update: &Update) -> Result<Answer> {
        let targets = targets_of(table, &update.assignments)?;
        let mut shown = shown(table, update.alias.as_ref(), update.returning.as_ref())?;
        let planned = self.planner.plan_update(self.text, update, (RECORD_NUMBER, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let run = &mut self.run;
        let batches = locked_rows(table, open, &mut || run(&planned)?.collect())?;
        let (mut seen, mut pace) = (HashSet::new(), Pace::default());
        let mut changes = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                pace.step()?;
                // A record that joins several rows is changed by the first of them.
                let Some(record) = record_number(batch, row)?.filter(|record| seen.insert(*record)) else { continue };
                let mut change = RecordChange::new(record, shown.values(batch, row)?);
                let mut place = 0;
                for (assignment, target) in update.assignments.iter().zip(&targets) {
                    let value = match &assignment.value {
                        Some(_) => {
                            place += 1;
                            Some(value_at(batch.column(place), row)?)
                        }
                        None => None,
                    };
                    change.assign(table, *target, value)?;
                }
                changes.push(change);
            }
        }
        let mut done = shown.no_rows(self.planner, false);
        self.before = Some(table.before_write()?);
        open.atomically(|open| change_all(open, &mut changes, shown.is_wanted(), &mut done)).map_err(timed_out)?;
        shown.answer(self.planner, done)
    }

    /// DELETE: records are marked as deleted, and stay where they are.
    pub(crate) fn delete(&mut self, table: &DbfTable, open: &mut IndexedTable, delete: &Delete) -> Result<Answer> {
        let mut shown = shown(table, delete.alias.as_ref(), delete.returning.as_ref())?;
        let planned = self.planner.plan_delete(self.text, delete, (RECORD_NUMBER, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let run = &mut self.run;
        let batches = locked_rows(table, open, &mut || run(&planned)?.collect())?;
        let (mut seen, mut pace) = (HashSet::new(), Pace::default());
        let mut deletes = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                pace.step()?;
                let Some(record) = record_number(batch, row)?.filter(|record| seen.insert(*record)) else { continue };
                deletes.push((record, shown.values(batch, row)?));
            }
        }
        let mut done = shown.no_rows(self.planner, false);
        let keeps = shown.is_wanted();
        self.before = Some(table.before_write()?);
        let deleted_all = open.atomically(|open| {
            delete_all(open, &deletes, &mut done, |open, (record, old), beside| match keeps {
                true => Ok(Some((row_of(open, record, old)?, beside.clone()))),
                false => Ok(None),
            })
        });
        deleted_all.map_err(timed_out)?;
        shown.answer(self.planner, done)
    }
}

/// The rows of an INSERT, as many at a time as are converted and appended together.
///
/// Those of a query over other tables are read as they are written. Those of a query that may read the table itself are all
/// taken first, and count in the memory of statements, so that the statement never meets what it writes.
enum Portions {
    Rows(std::vec::IntoIter<Vec<GivenRow>>),
    Batches(Box<dyn Iterator<Item = Result<RecordBatch>>>),
}

impl Portions {
    /// Those of lists of values, in one portion.
    fn of(rows: Vec<GivenRow>) -> Portions {
        Portions::Rows(vec![rows].into_iter())
    }

    /// Those of a query.
    ///
    /// Errors: those of the query, `OutOfMemory`.
    fn of_query(mut answer: Answer, planned: &Planned, table: &DbfTable, planner: &Planner) -> Result<Portions> {
        let is_itself = |read: &Arc<dyn Table>| {
            let any: &dyn Any = read.as_ref();
            any.downcast_ref::<DbfTable>().is_some_and(|read| read.path() == table.path())
        };
        // Functions may read any table.
        Ok(Portions::Batches(match planned.is_momentary() || planned.tables().iter().any(is_itself) {
            true => Box::new(Collected::of(answer, planner)?.into_iter().map(Ok)),
            false => Box::new(std::iter::from_fn(move || answer.next_batch().transpose())),
        }))
    }

    /// The next rows, with a value for each field; `None` behind the last.
    ///
    /// Errors: those of the query, and of values that their fields do not take.
    fn next_records(&mut self, table: &DbfTable, fields: &[usize]) -> Result<Option<Vec<Vec<Value>>>> {
        let mut pace = Pace::default();
        let mut record = |row| {
            pace.step()?;
            record_of(table, fields, row)
        };
        match self {
            Portions::Rows(portions) => portions.next().map(|rows| rows.into_iter().map(record).collect()).transpose(),
            Portions::Batches(batches) => {
                let Some(batch) = batches.next().transpose()? else { return Ok(None) };
                let row = |row: usize| -> Result<GivenRow> {
                    batch.columns().iter().map(|column| value_at(column, row).map(Some)).collect()
                };
                (0..batch.num_rows()).map(|place| record(row(place)?)).collect::<Result<_>>().map(Some)
            }
        }
    }
}

/// The rows that an INSERT has appended.
struct NewRecords {
    /// The bytes that undoing the statement needs for each record.
    memory: HeldMemory,
    record_bytes: usize,
    count: u64,
    /// Numbers of records that came behind each other.
    appended: Vec<RangeInclusive<u64>>,
}

/// The memory of a new record beside its bytes until the transaction ends.
const NOTE_BYTES: usize = 96;

impl NewRecords {
    /// Appends records.
    ///
    /// Errors: those of appending; `OutOfMemory`.
    fn append(&mut self, open: &mut IndexedTable, records: &[Vec<Value>]) -> Result<()> {
        self.memory.add(records.len() * (self.record_bytes + NOTE_BYTES))?;
        let values: Vec<Vec<ValueRef<'_>>> =
            records.iter().map(|row| row.iter().map(Value::as_ref).collect()).collect();
        self.appended.extend(open.append_many(values.iter().map(Vec::as_slice))?);
        self.count += records.len() as u64;
        Ok(())
    }
}

/// The RETURNING clause of a change over the table's rows.
pub(super) fn shown(table: &DbfTable, alias: Option<&Name>, returning: Option<&Returning>) -> Result<Shown> {
    Shown::new((table_name(table), table.schema(), table.hidden_columns()), alias, returning)
}

/// A row of an INSERT as values of all fields.
pub(super) fn record_of(table: &DbfTable, fields: &[usize], row: GivenRow) -> Result<Vec<Value>> {
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

impl RecordChange {
    /// No change yet.
    pub(super) fn new(record: u64, beside: Vec<Value>) -> RecordChange {
        RecordChange { record, values: Vec::new(), deleted: None, beside }
    }

    /// Assigns a value; `None` is DEFAULT.
    pub(super) fn assign(&mut self, table: &DbfTable, target: Target, value: Option<Value>) -> Result<()> {
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
pub(super) fn change_all(
    open: &mut IndexedTable,
    changes: &mut [RecordChange],
    keeps: bool,
    done: &mut Rows,
) -> Result<()> {
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

/// Marks records as deleted; `keep` says what RETURNING gets of each that was not deleted already.
pub(super) fn delete_all(
    open: &mut IndexedTable,
    deletes: &[(u64, Vec<Value>)],
    done: &mut Rows,
    mut keep: impl FnMut(&IndexedTable, (u64, &[u8]), &Vec<Value>) -> Result<Option<(NewRow, Vec<Value>)>>,
) -> Result<()> {
    for (record, beside) in deletes {
        let change = open.delete(*record)?;
        if !is_deleted(open, &change.old) {
            done.count += 1;
            if let Some((row, beside)) = keep(open, (*record, &change.old), beside)? {
                done.kept.push(row, beside)?;
            }
        }
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
