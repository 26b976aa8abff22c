//! The rows of a native table in a statement: versions of rows, written in the statement's transaction.

use super::change::{Changer, Inserted, Upsert, assigned};
use super::forms::{Defaults, Form};
use super::transaction::{StatementView, note_reads};
use super::update::{Keep, Late, RowChange, update_late, update_row};
use crate::rows::NewRow;
use crate::writable::{
    Changed, Done, FindRows, GivenValues, InsertRows, RowDelete, RowInsert, RowUpdate, RowWriter, Shape,
    StatementContext,
};
use arrow_array::RecordBatch;
use mainstay_columnar::Table;
use mainstay_planner::{Answer, Assignment, Collected, Insert, InsertSource, LockingQuery, Name, View};
use mainstay_store::{Shown, Transaction, Written};
use mainstay_types::{Code, Result, Value};
use std::any::Any;
use std::sync::Arc;

/// Rows that are written together, so that checks are evaluated for many at once.
const PORTION: usize = 1_024;

/// Finds the rows that an INSERT adds, as its statement sees the tables; `None` when it cannot.
pub(crate) type Find<'f> =
    &'f mut dyn FnMut(&mut Transaction, mainstay_store::View) -> Result<Option<Vec<GivenValues>>>;

/// See the module.
pub(crate) struct NativeRows<'w> {
    changer: &'w Changer<'w>,
    transaction: &'w mut Transaction,
    form: Arc<Form>,
    /// The view of the statement.
    view: mainstay_store::View,
    defaults: Option<Defaults>,
    upsert: Option<Upsert>,
}

impl<'w> NativeRows<'w> {
    /// The rows of a table in a statement that begins.
    ///
    /// Errors: `UnknownTable`, `ReadOnly` for a file and for a view that is not over packed records, `DefinitionChanged`.
    pub(crate) fn new(
        changer: &'w Changer<'w>,
        transaction: &'w mut Transaction,
        name: &Name,
    ) -> Result<NativeRows<'w>> {
        let form = changer.target(transaction, name)?;
        let view = mainstay_store::View::at(0, 0);
        Ok(NativeRows { changer, transaction, form, view, defaults: None, upsert: None })
    }

    /// The transaction and the view of the statement.
    pub(crate) fn reading(&mut self) -> (&mut Transaction, mainstay_store::View) {
        (self.transaction, self.view)
    }

    /// Makes the defaults ready if a row leaves a column to its own.
    fn need_defaults(&mut self, is_needed: bool) -> Result<()> {
        if self.defaults.is_none() {
            self.defaults = self.changer.defaults_if(is_needed, self.transaction, &self.form)?;
        }
        Ok(())
    }

    /// The values of an UPDATE as the columns hold them.
    fn converted(&self, update: RowUpdate) -> Result<RowChange> {
        let RowUpdate { position, values, beside } = update;
        let value = |(column, value): (usize, Option<Value>)| match value {
            Some(value) => Ok((column, self.form.converted(column, value.as_ref())?)),
            None => {
                let defaults = self.defaults.as_ref();
                Ok((column, defaults.map_or(Ok(Value::Null), |defaults| defaults.value(&self.form, column))?))
            }
        };
        Ok(RowChange { position, changes: values.into_iter().map(value).collect::<Result<_>>()?, beside })
    }

    /// Writes new rows, which are complete but for their computed columns.
    fn write(&mut self, rows: Vec<(NewRow, Vec<Value>)>, done: &mut Done<'_>) -> Result<Changed<u64>> {
        let (mut rows, beside): (Vec<NewRow>, Vec<Vec<Value>>) = rows.into_iter().unzip();
        self.form.complete(&mut rows)?;
        let mut left_out = 0;
        for (row, beside) in rows.into_iter().zip(beside) {
            match self.changer.insert_row(self.transaction, &self.form, row, self.upsert.as_ref())? {
                Inserted::Row(row) => {
                    self.form.check_written(std::slice::from_ref(&row))?;
                    done.row(beside, || Ok(row))?;
                }
                Inserted::Nothing => left_out += 1,
                Inserted::Overtaken => return Ok(Changed::Overtaken),
            }
        }
        Ok(Changed::Done(left_out))
    }
}

impl RowWriter for NativeRows<'_> {
    fn shape(&self) -> Shape<'_> {
        Shape { name: &self.form.definition.name, schema: &self.form.schema, hidden: 0 }
    }

    fn begin_insert(&mut self, insert: &Insert, _context: &StatementContext<'_>) -> Result<Vec<usize>> {
        let columns = columns_of_insert(self.changer, &self.form, insert)?;
        if let Some(conflict) = &insert.conflict {
            let form = &self.form;
            let called = insert.alias.as_ref().map_or_else(|| form.definition.name.to_lowercase(), |it| it.key.clone());
            self.upsert = Some(self.changer.upsert(self.transaction, (form, &called), conflict)?);
        }
        self.view = self.transaction.begin_statement()?;
        Ok(columns)
    }

    fn insert_columns(&self, names: &[Name]) -> Result<Vec<usize>> {
        self.changer.given_columns(&self.form, names)
    }

    fn update_columns(&self, assignments: &[Assignment]) -> Result<Vec<usize>> {
        assigned(&self.form, assignments)
    }

    fn find(&mut self, query: &mut FindRows<'_>) -> Result<Changed<Collected>> {
        self.view = self.transaction.begin_statement()?;
        if self.changer.waits_for_pending(self.transaction, &self.form, (query.planned, 0), self.view)? {
            return Ok(Changed::Overtaken);
        }
        self.need_defaults(query.needs_defaults)?;
        let view = self.view(query.tables())?;
        query.run(view).map(Changed::Done)
    }

    fn view(&mut self, tables: &[Arc<dyn Table>]) -> Result<Option<Arc<dyn View>>> {
        note_reads(self.transaction, tables)?;
        Ok(Some(Arc::new(StatementView::of(self.view))))
    }

    fn may_be(&self, table: &Arc<dyn Table>) -> bool {
        let any: &dyn Any = table.as_ref();
        any.downcast_ref::<Shown>().is_some_and(|Shown(native)| native.id() == self.form.table.id())
    }

    fn insert(&mut self, new: InsertRows<'_>, done: &mut Done<'_>) -> Result<Changed<()>> {
        let InsertRows { columns, gives_all, rows } = new;
        self.need_defaults(!gives_all || columns.len() < self.form.definition.columns.len())?;
        let mut left_out = 0;
        loop {
            let mut portion = Vec::new();
            for row in rows.take(PORTION) {
                let RowInsert { values, beside } = row?;
                portion.push((self.filled(columns, values)?, beside));
            }
            let is_last = portion.len() < PORTION;
            if portion.is_empty() {
                break;
            }
            match self.write(portion, done)? {
                Changed::Done(not_written) => left_out += not_written,
                Changed::Overtaken => return Ok(Changed::Overtaken),
            }
            if is_last {
                break;
            }
        }
        if self.upsert.is_some() {
            self.changer.given.note_left_out(left_out);
        }
        Ok(Changed::Done(()))
    }

    fn takes_batches(&self) -> bool {
        self.upsert.is_none() && self.form.packed.is_none() && !self.form.needs_rows()
    }

    fn insert_batch(&mut self, columns: &[usize], batch: &RecordBatch) -> Result<bool> {
        let Some(stored) = self.form.stored_columns(columns, batch) else { return Ok(false) };
        self.form.table.insert_columns(self.transaction, &stored)?;
        Ok(true)
    }

    fn update(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowUpdate>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        let keep = Keep::whole(self.form.looks_at_rows() || done.wants_rows());
        let mut late = Late::default();
        for row in rows {
            let change = self.converted(row?)?;
            match update_row(self.transaction, &self.form, self.view, &change, keep, done.rows) {
                Ok(Written::Moved(_) | Written::Deleted) => return Ok(Changed::Overtaken),
                Ok(Written::Done(_) | Written::Gone) => {}
                Err(error) if error.code() == Code::UniqueViolation => {
                    late.push(Some(self.changer.planner), change, error)?;
                }
                Err(error) => return Err(error),
            }
        }
        match update_late(self.transaction, &self.form, self.view, late, keep, done.rows)? {
            true => Ok(Changed::Overtaken),
            false => Ok(Changed::Done(())),
        }
    }

    fn delete(
        &mut self,
        rows: &mut dyn Iterator<Item = Result<RowDelete>>,
        done: &mut Done<'_>,
    ) -> Result<Changed<()>> {
        for row in rows {
            let RowDelete { position, beside } = row?;
            let old = match done.wants_rows() {
                true => self.form.row_at(&self.form.table.reader(self.view), position)?,
                false => NewRow::new(),
            };
            match self.form.table.delete(self.transaction, position)? {
                Written::Done(_) => done.row(beside, || Ok(old))?,
                Written::Moved(_) | Written::Deleted => return Ok(Changed::Overtaken),
                Written::Gone => {}
            }
        }
        Ok(Changed::Done(()))
    }

    fn lock(&mut self, locking: &LockingQuery, _context: &mut StatementContext<'_>) -> Result<Changed<Answer>> {
        self.changer.lock_rows(self.transaction, &self.form, locking)
    }
}

impl NativeRows<'_> {
    /// A row with each column's value: given, default, or from the column's sequence.
    fn filled(&self, columns: &[usize], values: GivenValues) -> Result<NewRow> {
        self.changer.filled(&self.form, columns, values, self.defaults.as_ref())
    }
}

/// The columns that an INSERT gives values for. Without names these are all, and computed ones only if there is a value
/// for each column: it can be DEFAULT.
fn columns_of_insert(changer: &Changer<'_>, form: &Form, insert: &Insert) -> Result<Vec<usize>> {
    let all = form.definition.columns.len();
    let is_default = |(column, value): (usize, &Option<_>)| value.is_none() || !form.is_computed(column);
    let is_whole = |row: &Vec<Option<_>>| row.len() == all && row.iter().enumerate().all(is_default);
    match &insert.source {
        InsertSource::Values(rows) if insert.columns.is_empty() && rows.iter().all(is_whole) => Ok((0..all).collect()),
        _ => changer.given_columns(form, &insert.columns),
    }
}
