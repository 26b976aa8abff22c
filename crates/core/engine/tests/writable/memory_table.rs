//! A table in memory that statements can change: everything that a further storage has to write.
//!
//! Rows are values in numbered slots; a deleted row leaves its slot empty. The values of the first column are unique. One
//! transaction at a time writes; another one fails at once.

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use mainstay_columnar::values::{array_of, data_type_of};
use mainstay_columnar::{Access, Ordering, Predicate, RowSet, Snapshot, Table};
use mainstay_engine::Session;
use mainstay_engine::writable::{
    Changed, Definition, Done, InsertRows, RowDelete, RowUpdate, RowWriter, Shape, StatementContext, TableTransaction,
    Work, WritableTable, WriteScope,
};
use mainstay_planner::{Answer, Assignment, Insert, Name, unknown_column};
use mainstay_types::{Code, Error, Result, SqlType, Value, ValueRef, convert};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, MutexGuard};

/// The hidden column with the number of a row's slot.
const SLOT: &str = "_slot";

type Rows = Vec<Option<Vec<Value>>>;

/// The table; clones are the same one.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    name: String,
    schema: SchemaRef,
    types: Vec<SqlType>,
    rows: Arc<Mutex<Arc<Rows>>>,
    /// Held by the transaction that writes.
    writer: Arc<Mutex<bool>>,
}

impl MemoryTable {
    pub fn new(name: &str, columns: &[(&str, SqlType)]) -> MemoryTable {
        let fields = columns.iter().map(|(name, of)| Field::new(*name, data_type_of(*of), true));
        let hidden = Field::new(SLOT, DataType::Int64, false);
        MemoryTable {
            name: name.to_owned(),
            schema: Arc::new(Schema::new(fields.chain([hidden]).collect::<Vec<_>>())),
            types: columns.iter().map(|(_, of)| *of).collect(),
            rows: Arc::default(),
            writer: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Arc<Rows>> {
        self.rows.lock().unwrap()
    }

    fn place(&self, name: &Name) -> Result<usize> {
        let shown = || self.schema.fields().iter().take(self.types.len()).map(|field| field.name().as_str());
        shown().position(|known| known == name.key).ok_or_else(|| unknown_column(&self.name, &name.key, shown()))
    }
}

impl Table for MemoryTable {
    fn name(&self) -> &str {
        &self.name
    }
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }
    fn hidden_columns(&self) -> usize {
        1
    }
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(State { schema: Arc::clone(&self.schema), rows: Arc::clone(&self.state()) }))
    }
    fn estimated_rows(&self) -> usize {
        self.state().len()
    }
    fn access(&self, _: &Predicate, _: bool) -> Option<Access> {
        None
    }
    fn order(&self, _: usize, _: bool) -> Option<Ordering> {
        None
    }
}

/// One state of the rows, in one group.
struct State {
    schema: SchemaRef,
    rows: Arc<Rows>,
}

impl Snapshot for State {
    fn slots(&self) -> usize {
        self.rows.len()
    }
    fn visible_rows(&self) -> Result<usize> {
        Ok(self.rows.iter().flatten().count())
    }
    fn groups(&self) -> usize {
        usize::from(!self.rows.is_empty())
    }
    fn group(&self, _: usize) -> Range<usize> {
        0..self.rows.len()
    }
    fn visible(&self, _: usize) -> Result<Option<BooleanBuffer>> {
        Ok(Some(self.rows.iter().map(Option::is_some).collect()))
    }
    fn vectors(&self, _: usize, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let all: Vec<u32> = (0..self.rows.len() as u32).collect();
        Ok(self.fetch(&all, columns, false)?.0)
    }
    fn is_decoded(&self, _: usize, _: &[usize]) -> bool {
        true
    }
    fn fetch(&self, rows: &[u32], columns: &[usize], visible_only: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let is_kept = |row: &u32| !visible_only || self.rows[*row as usize].is_some();
        let kept: Vec<u32> = rows.iter().copied().filter(is_kept).collect();
        let value = |row: &u32, column: usize| match &self.rows[*row as usize] {
            _ if column + 1 == self.schema.fields().len() => ValueRef::Integer(i64::from(*row)),
            Some(values) => values[column].as_ref(),
            None => ValueRef::Null,
        };
        let column = |column: &usize| {
            let values: Vec<ValueRef<'_>> = kept.iter().map(|row| value(row, *column)).collect();
            array_of(self.schema.field(*column).data_type(), &values)
        };
        Ok((columns.iter().map(column).collect(), kept))
    }
    fn rows(&self, _: &Access, _: usize) -> Result<Option<RowSet>> {
        Ok(None)
    }
    fn walk(&self, _: &Ordering, _: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
        Ok(false)
    }
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

impl WritableTable for MemoryTable {
    fn as_read(&self) -> Option<Arc<dyn Table>> {
        Some(Arc::new(self.clone()))
    }
    fn position_column(&self) -> &'static str {
        SLOT
    }
    fn write(&self, scope: &mut WriteScope<'_>, work: Work<'_>) -> Result<Answer> {
        scope.join(&self.name, &mut |_| Ok(Box::new(Changes::begin(self)?)), work)
    }
    fn define(&self, _: &mut WriteScope<'_>, change: &Definition<'_>) -> Result<Answer> {
        let Definition::Truncate { .. } = change else {
            return Err(Error::new(Code::Unsupported, format!("{} of a table in memory", change.statement())));
        };
        let rows = std::mem::take(&mut *self.state());
        let none = Answer::of(Arc::new(Schema::empty()), Vec::new());
        Ok(none.with_changed(rows.iter().flatten().count() as u64))
    }
    fn last_number(&self, _: &Session) -> Result<Option<i64>> {
        Ok(self.state().len().checked_sub(1).map(|slot| slot as i64))
    }
}

/// The changes of a transaction: each slot as it was before, newest last. `None` for one that was not there.
struct Changes {
    table: MemoryTable,
    undo: Vec<(usize, Option<Vec<Value>>)>,
    slots_before: Vec<usize>,
}

impl Changes {
    fn begin(table: &MemoryTable) -> Result<Changes> {
        let was_writing = std::mem::replace(&mut *table.writer.lock().unwrap(), true);
        match was_writing {
            true => Err(Error::new(Code::LockTimeout, format!("another transaction writes to {}", table.name))),
            false => Ok(Changes { table: table.clone(), undo: Vec::new(), slots_before: Vec::new() }),
        }
    }

    /// Puts a row into a slot, and notes how it was.
    fn put(&mut self, slot: usize, row: Option<Vec<Value>>) -> Option<Vec<Value>> {
        let mut state = self.table.state();
        let rows = Arc::make_mut(&mut state);
        self.slots_before.push(rows.len());
        rows.resize(rows.len().max(slot + 1), None);
        let old = std::mem::replace(&mut rows[slot], row);
        self.undo.push((slot, old.clone()));
        old
    }

    fn converted(&self, place: usize, value: Option<Value>) -> Result<Value> {
        let value = value.unwrap_or(Value::Null);
        convert(value.as_ref(), self.table.types[place])
    }

    fn check_keys(&self) -> Result<()> {
        let mut keys = HashSet::new();
        let is_new = |row: &Vec<Value>| keys.insert(row[0].to_string());
        match self.table.state().iter().flatten().all(is_new) {
            true => Ok(()),
            false => Err(Error::new(Code::UniqueViolation, format!("two rows of {} have one key", self.table.name))),
        }
    }
}

impl RowWriter for Changes {
    fn shape(&self) -> Shape<'_> {
        Shape { name: &self.table.name, schema: &self.table.schema, hidden: 1 }
    }
    fn begin_insert(&mut self, insert: &Insert, _: &StatementContext<'_>) -> Result<Vec<usize>> {
        match insert.conflict {
            Some(_) => Err(Error::new(Code::Unsupported, "ON CONFLICT for a table in memory")),
            None => self.insert_columns(&insert.columns),
        }
    }
    fn insert_columns(&self, names: &[Name]) -> Result<Vec<usize>> {
        match names.is_empty() {
            true => Ok((0..self.table.types.len()).collect()),
            false => names.iter().map(|name| self.table.place(name)).collect(),
        }
    }
    fn update_columns(&self, assignments: &[Assignment]) -> Result<Vec<usize>> {
        assignments.iter().map(|assignment| self.table.place(&assignment.column)).collect()
    }
    fn insert(&mut self, new: InsertRows<'_>, done: &mut Done<'_>) -> Result<Changed<()>> {
        for row in new.rows {
            let row = row?;
            let mut values = vec![Value::Null; self.table.types.len()];
            for (place, value) in new.columns.iter().zip(row.values) {
                values[*place] = self.converted(*place, value)?;
            }
            let slot = self.table.state().len();
            self.put(slot, Some(values.clone()));
            done.row(row.beside, || Ok(values))?;
        }
        self.check_keys().map(Changed::Done)
    }
    fn update(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowUpdate>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        let mut seen = HashSet::new();
        for row in rows {
            let RowUpdate { position, values, beside } = row?;
            let slot = position as usize;
            let Some(mut new) = self.table.state()[slot].clone().filter(|_| seen.insert(slot)) else { continue };
            for (place, value) in values {
                new[place] = self.converted(place, value)?;
            }
            self.put(slot, Some(new.clone()));
            done.row(beside, || Ok(new))?;
        }
        self.check_keys().map(Changed::Done)
    }
    fn delete(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowDelete>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        for row in rows {
            let RowDelete { position, beside } = row?;
            if let Some(old) = self.put(position as usize, None) {
                done.row(beside, || Ok(old))?;
            }
        }
        Ok(Changed::Done(()))
    }
}

impl TableTransaction for Changes {
    fn savepoint(&mut self) -> u64 {
        self.undo.len() as u64
    }
    fn rollback_to(&mut self, savepoint: u64) -> Result<()> {
        let mut state = self.table.state();
        let rows = Arc::make_mut(&mut state);
        for ((slot, old), slots) in
            self.undo.drain(savepoint as usize..).zip(self.slots_before.drain(savepoint as usize..)).rev()
        {
            rows[slot] = old;
            rows.truncate(slots);
        }
        Ok(())
    }
    fn commit(&mut self) -> Result<()> {
        self.undo.clear();
        self.slots_before.clear();
        *self.table.writer.lock().unwrap() = false;
        Ok(())
    }
    fn rollback(&mut self) -> Result<()> {
        self.rollback_to(0)?;
        self.commit()
    }
}
