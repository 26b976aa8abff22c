//! INSERT of rows in portions.
//!
//! ```text
//!   VALUES, defaults                 all rows are known
//!   a query over other tables        its rows are written as they come
//!   a query over the table itself    its rows are all read before the first is written
//! ```
//!
//! The second way keeps one portion in memory. It is used only if the query provably cannot read rows of the statement:
//! functions may read any table, and an upsert is an update, on which other rows may depend.

use super::change::{Changer, Inserted};
use super::forms::{Form, NewRow};
use super::transaction::Changed;
use crate::inserted::{GivenRow, GivenRows, Source};
use arrow_array::RecordBatch;
use mainstay_columnar::Table;
use mainstay_columnar::values::value_at;
use mainstay_planner::{Answer, Collected, Insert, InsertSource, Planned};
use mainstay_store::{Shown, Transaction, View};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Code, Error, Result};
use std::any::Any;
use std::sync::Arc;

/// Rows that are written together, so that checks are evaluated for many at once.
const PORTION: usize = 1_024;

/// Writes rows, complete but for their computed columns: false when another transaction was first.
type Write<'w> = &'w mut dyn FnMut(&mut Transaction, Vec<NewRow>) -> Result<bool>;

/// Finds the rows that are inserted, as the statement sees its tables; `None` when it cannot.
pub(crate) type Find<'f> = &'f mut dyn FnMut(&mut Transaction, View) -> Result<Option<Vec<GivenRow>>>;

/// The same for rows that a query may still have to give.
type Give<'g> = &'g mut dyn FnMut(&mut Transaction, View) -> Result<Option<GivenRows>>;

/// The rows of a query, as they come or as they were taken.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

impl Changer<'_> {
    /// INSERT.
    pub(crate) fn insert(&self, transaction: &mut Transaction, insert: &Insert) -> Result<Changed<Answer>> {
        let (planner, catalog, visibility) = (self.planner, self.catalog, self.visibility);
        let source = Source { planner, catalog, visibility, text: self.text, parameters: self.parameters };
        let give = &mut |transaction: &mut Transaction, view: View| {
            let given = source.given(insert, &mut |planned| self.answer(transaction, planned, view)?.collect());
            given.map(Some)
        };
        match self.insert_given(transaction, insert, give)? {
            Changed::Done(Some(answer)) => Ok(Changed::Done(answer)),
            Changed::Done(None) => Err(Error::new(Code::Internal, "the rows of an INSERT were not found")),
            Changed::Overtaken => Ok(Changed::Overtaken),
        }
    }

    /// INSERT of the rows of its query, found by someone else; `None` when those are not found that way, and nothing is
    /// done.
    pub(crate) fn insert_found(
        &self,
        transaction: &mut Transaction,
        insert: &Insert,
        find: Find<'_>,
    ) -> Result<Changed<Option<Answer>>> {
        self.insert_given(
            transaction,
            insert,
            &mut |transaction, view| Ok(find(transaction, view)?.map(GivenRows::All)),
        )
    }

    fn insert_given(
        &self,
        transaction: &mut Transaction,
        insert: &Insert,
        give: Give<'_>,
    ) -> Result<Changed<Option<Answer>>> {
        let form = self.target(transaction, &insert.table)?;
        let columns = self.columns_of_insert(&form, insert)?;
        let upsert = insert.conflict.as_ref().map(|conflict| {
            let called = insert.alias.as_ref().map_or_else(|| form.definition.name.to_lowercase(), |it| it.key.clone());
            self.upsert(transaction, (&form, &called), conflict)
        });
        let upsert = upsert.transpose()?;
        let view = transaction.begin_statement()?;
        let Some(given) = give(transaction, view)? else { return Ok(Changed::Done(None)) };
        let shown = form.shown(insert.alias.as_ref(), insert.returning.as_ref())?;
        let mut done = shown.no_rows(self.planner, false);
        let mut left_out = 0;
        let mut write = |transaction: &mut Transaction, mut rows: Vec<NewRow>| -> Result<bool> {
            form.complete(&mut rows)?;
            for row in rows {
                match self.insert_row(transaction, &form, row, upsert.as_ref())? {
                    Inserted::Row(row) => {
                        form.check_written(std::slice::from_ref(&row))?;
                        done.count += 1;
                        if insert.returning.is_some() {
                            done.kept.push(row, Vec::new())?;
                        }
                    }
                    Inserted::Nothing => left_out += 1,
                    Inserted::Overtaken => return Ok(false),
                }
            }
            Ok(true)
        };
        let is_done = match given {
            GivenRows::All(rows) => self.write_all(transaction, (&form, &columns), rows, &mut write)?,
            GivenRows::Query(planned) => {
                let batches = self.batches_to_insert(transaction, (&form, insert), &planned, view)?;
                self.write_batches(transaction, (&form, &columns), batches, &mut write)?
            }
        };
        if !is_done {
            return Ok(Changed::Overtaken);
        }
        if upsert.is_some() {
            self.given.note_left_out(left_out);
        }
        shown.answer(self.planner, done).map(|answer| Changed::Done(Some(answer)))
    }

    /// Writes the rows of lists of values.
    fn write_all(
        &self,
        transaction: &mut Transaction,
        (form, columns): (&Form, &[usize]),
        given: Vec<GivenRow>,
        write: Write<'_>,
    ) -> Result<bool> {
        let needs_defaults = columns.len() < form.definition.columns.len()
            || given.iter().any(|row| row.is_empty() || row.iter().any(Option::is_none));
        let defaults = self.defaults_if(needs_defaults, transaction, form)?;
        let mut pace = Pace::default();
        let fill = |given: GivenRow| {
            pace.step()?;
            self.filled(form, columns, given, defaults.as_ref())
        };
        let rows = given.into_iter().map(fill).collect::<Result<Vec<NewRow>>>()?;
        for rows in rows.chunks(PORTION) {
            if !write(transaction, rows.to_vec())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the rows of a query.
    fn write_batches(
        &self,
        transaction: &mut Transaction,
        (form, columns): (&Form, &[usize]),
        batches: Batches,
        write: Write<'_>,
    ) -> Result<bool> {
        let needs_defaults = columns.len() < form.definition.columns.len();
        let defaults = self.defaults_if(needs_defaults, transaction, form)?;
        let mut pace = Pace::default();
        for batch in batches {
            let batch = batch?;
            for first in (0..batch.num_rows()).step_by(PORTION) {
                let fill = |row: usize| {
                    pace.step()?;
                    let values = batch.columns().iter().map(|column| value_at(column, row).map(Some));
                    self.filled(form, columns, values.collect::<Result<GivenRow>>()?, defaults.as_ref())
                };
                let rows = (first..batch.num_rows().min(first + PORTION)).map(fill);
                let rows = rows.collect::<Result<Vec<NewRow>>>()?;
                if !write(transaction, rows)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The rows of the query that an INSERT gives.
    fn batches_to_insert(
        &self,
        transaction: &mut Transaction,
        (form, insert): (&Form, &Insert),
        planned: &Planned,
        view: View,
    ) -> Result<Batches> {
        let mut answer = self.answer(transaction, planned, view)?;
        let is_apart = insert.conflict.is_none()
            && !planned.is_momentary()
            && planned.tables().iter().all(|table| !is_of(table, form));
        Ok(match is_apart {
            true => Box::new(std::iter::from_fn(move || answer.next_batch().transpose())),
            false => Box::new(Collected::of(answer, self.planner)?.into_iter().map(Ok)),
        })
    }

    /// The columns that an INSERT gives values for. Without names these are all, and computed ones only if there is a value
    /// for each column: it can be DEFAULT.
    fn columns_of_insert(&self, form: &Form, insert: &Insert) -> Result<Vec<usize>> {
        let all = form.definition.columns.len();
        let is_default = |(column, value): (usize, &Option<_>)| value.is_none() || !form.is_computed(column);
        let is_whole = |row: &Vec<Option<_>>| row.len() == all && row.iter().enumerate().all(is_default);
        match &insert.source {
            InsertSource::Values(rows) if insert.columns.is_empty() && rows.iter().all(is_whole) => {
                Ok((0..all).collect())
            }
            _ => self.given_columns(form, &insert.columns),
        }
    }
}

/// Returns true if a table of a plan is the one that is changed.
fn is_of(table: &Arc<dyn Table>, form: &Form) -> bool {
    let any: &dyn Any = table.as_ref();
    any.downcast_ref::<Shown>().is_some_and(|Shown(native)| native.id() == form.table.id())
}
