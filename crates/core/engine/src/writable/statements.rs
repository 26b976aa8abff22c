//! INSERT, UPDATE, DELETE and MERGE over the rows of any writable table.
//!
//! ```text
//!   the planner's query --rows--> values as computed --> RowWriter: convert, complete, check, write --> RETURNING
//! ```
//!
//! All rows of the query of an UPDATE, a DELETE or a MERGE are read before the first change, so that a statement never reads
//! rows that it has written. The rows of an INSERT are written as its query gives them, unless the query may read the table
//! itself: functions may read any table, and an upsert is an update, on which other rows may depend.
//! Where its columns are those of the table, the storage takes its batches as they are ([`RowWriter::insert_batch`]); rows one
//! by one are for defaults, checks, computed columns, RETURNING and values that have to be converted.
//!
//! A MERGE decides all rows before the first change. It deletes first, then updates, then inserts, so that a deleted key is
//! free for an inserted row; RETURNING gives rows in the order of the query.

use super::{
    Changed, Done, FindRows, GivenValues, InsertRows, RowDelete, RowInsert, RowUpdate, RowWriter, StatementContext,
    Wanted,
};
use crate::inserted::{GivenRows, Source};
use crate::merged::{Decision, decisions, in_order};
use crate::returning::{Rows, Shown};
use arrow_array::{Array, BooleanArray, RecordBatch};
use mainstay_columnar::values::value_at;
use mainstay_planner::{
    Answer, Assignment, Collected, Delete, Insert, Merge, MergeAction, Name, Planned, Returning, Statement, Update,
};
use mainstay_types::interrupt::{self, Pace};
use mainstay_types::{Code, Error, Result, Value};
use std::sync::Arc;

/// Runs a statement that changes rows, once.
///
/// Errors: those of the statement; `Internal` for another one.
pub(crate) fn change(
    writer: &mut dyn RowWriter,
    context: &mut StatementContext<'_>,
    statement: &Statement,
) -> Result<Changed<Answer>> {
    match statement {
        Statement::Insert(it) => insert(writer, context, it),
        Statement::Update(it) => update(writer, context, it),
        Statement::Delete(it) => delete(writer, context, it),
        Statement::Merge(it) => merge(writer, context, it),
        Statement::LockRows(it) => writer.lock(it, context),
        _ => Err(Error::new(Code::Internal, "a statement that changes no rows")),
    }
}

/// The RETURNING clause of a statement over the writer's rows.
fn shown(writer: &dyn RowWriter, alias: Option<&Name>, returning: Option<&Returning>) -> Result<Shown> {
    let shape = writer.shape();
    Shown::new((shape.name, shape.schema, shape.hidden), alias, returning)
}

/// The rows that RETURNING wants.
fn wanted(shown: &Shown) -> Wanted {
    if shown.is_wanted() { Wanted::Rows } else { Wanted::Nothing }
}

/// The rows of the statement's query.
fn found(
    writer: &mut dyn RowWriter,
    context: &mut StatementContext<'_>,
    (planned, needs_defaults): (&Planned, bool),
    only: Option<fn(&RecordBatch) -> Result<RecordBatch>>,
) -> Result<Changed<Collected>> {
    let planner = context.planner;
    let mut execute = |view| {
        let mut answer = context.run(planned, view)?;
        let Some(only) = only else { return Ok(answer) };
        let mut batches = Vec::new();
        while let Some(batch) = answer.next_batch()? {
            batches.push(only(&batch)?);
        }
        Ok(Answer::of(Arc::clone(answer.schema()), batches))
    };
    writer.find(&mut FindRows { planned, needs_defaults, execute: &mut execute, planner })
}

/// INSERT.
///
/// Errors: those of the statement.
pub(crate) fn insert(
    writer: &mut dyn RowWriter,
    context: &mut StatementContext<'_>,
    insert: &Insert,
) -> Result<Changed<Answer>> {
    let columns = writer.begin_insert(insert, context)?;
    let (planner, catalog, visibility) = (context.planner, context.catalog, context.visibility);
    let source = Source { planner, catalog, visibility, text: context.text, parameters: context.parameters };
    let given = source.given(insert, &mut |planned| run(writer, context, planned)?.collect())?;
    insert_rows(writer, context, (insert, &columns), given)
}

/// Runs a query of the statement in the view of the statement.
fn run(writer: &mut dyn RowWriter, context: &mut StatementContext<'_>, planned: &Planned) -> Result<Answer> {
    let view = writer.view(planned.tables())?;
    context.run(planned, view)
}

/// INSERT of these rows, which have values for these columns.
///
/// Errors: those of the rows, and of RETURNING.
pub(crate) fn insert_rows(
    writer: &mut dyn RowWriter,
    context: &mut StatementContext<'_>,
    (insert, columns): (&Insert, &[usize]),
    given: GivenRows,
) -> Result<Changed<Answer>> {
    let shown = shown(writer, insert.alias.as_ref(), insert.returning.as_ref())?;
    let mut rows = shown.no_rows(context.planner, false);
    let mut done = Done { rows: &mut rows, wanted: wanted(&shown), columns: writer.shape().schema.fields().len() };
    let mut pace = Pace::default();
    let row = |values: Result<GivenValues>| -> Result<RowInsert> {
        let values = values?;
        pace.step()?;
        if !values.is_empty() && values.len() != columns.len() {
            let message = format!("{} values are given for {} columns", values.len(), columns.len());
            return Err(Error::new(Code::Syntax, message));
        }
        Ok(RowInsert { values, beside: Vec::new() })
    };
    let written = match given {
        GivenRows::All(given) => {
            let gives_all = given.iter().all(|row| !row.is_empty() && row.iter().all(Option::is_some));
            let rows = &mut given.into_iter().map(Ok).map(row);
            writer.insert(InsertRows { columns, gives_all, rows }, &mut done)?
        }
        GivenRows::Query(planned) => {
            let mut answer = run(writer, context, &planned)?;
            let reads_itself = insert.conflict.is_some()
                || planned.is_momentary()
                || planned.tables().iter().any(|table| writer.may_be(table));
            let batches: Box<dyn Iterator<Item = Result<RecordBatch>>> = match reads_itself {
                true => Box::new(
                    Collected::of(answer, context.planner.held_memory("the rows of a change"))?.into_iter().map(Ok),
                ),
                false => Box::new(std::iter::from_fn(move || answer.next_batch().transpose())),
            };
            if done.wanted == Wanted::Nothing && writer.takes_batches() {
                insert_batches(writer, columns, batches, &mut done, row)?
            } else {
                let rows = &mut batches.flat_map(rows_of).map(row);
                writer.insert(InsertRows { columns, gives_all: true, rows }, &mut done)?
            }
        }
    };
    match written {
        Changed::Overtaken => Ok(Changed::Overtaken),
        Changed::Done(()) => shown.answer(context.planner, rows).map(Changed::Done),
    }
}

/// Inserts the rows of batches, those of each at once where the storage takes them so.
fn insert_batches(
    writer: &mut dyn RowWriter,
    columns: &[usize],
    batches: impl Iterator<Item = Result<RecordBatch>>,
    done: &mut Done<'_>,
    mut row: impl FnMut(Result<GivenValues>) -> Result<RowInsert>,
) -> Result<Changed<()>> {
    for batch in batches {
        let batch = batch?;
        interrupt::check()?;
        if writer.insert_batch(columns, &batch)? {
            done.rows.count += batch.num_rows() as u64;
            continue;
        }
        let rows = &mut rows_of(Ok(batch)).map(&mut row);
        if let Changed::Overtaken = writer.insert(InsertRows { columns, gives_all: true, rows }, done)? {
            return Ok(Changed::Overtaken);
        }
    }
    Ok(Changed::Done(()))
}

/// The rows of a batch, one by one.
fn rows_of(batch: Result<RecordBatch>) -> Box<dyn Iterator<Item = Result<GivenValues>>> {
    let batch = match batch {
        Ok(batch) => batch,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    Box::new((0..batch.num_rows()).map(move |row| {
        let values = batch.columns().iter().map(|column| value_at(column, row).map(Some));
        values.collect()
    }))
}

fn update(writer: &mut dyn RowWriter, context: &mut StatementContext<'_>, update: &Update) -> Result<Changed<Answer>> {
    let columns = writer.update_columns(&update.assignments)?;
    let mut shown = shown(writer, update.alias.as_ref(), update.returning.as_ref())?;
    let position = (context.position_column, shown.beside());
    let planned = context.planner.plan_update(context.text, update, position, context.catalog)?;
    shown.planned(&planned);
    let needs_defaults = update.assignments.iter().any(|assignment| assignment.value.is_none());
    let Changed::Done(batches) = found(writer, context, (&planned, needs_defaults), None)? else {
        return Ok(Changed::Overtaken);
    };
    let changes = places(&batches).filter_map(|place| {
        let change = |(batch, row, position)| {
            let values = assigned(&update.assignments, &columns, (batch, row, 1))?;
            Ok(RowUpdate { position, values, beside: shown.values(batch, row)? })
        };
        place.transpose().map(|place| place.and_then(change))
    });
    finish(writer, context, &shown, |writer, done| writer.update(&mut { changes }, done))
}

fn delete(writer: &mut dyn RowWriter, context: &mut StatementContext<'_>, delete: &Delete) -> Result<Changed<Answer>> {
    let mut shown = shown(writer, delete.alias.as_ref(), delete.returning.as_ref())?;
    let position = (context.position_column, shown.beside());
    let planned = context.planner.plan_delete(context.text, delete, position, context.catalog)?;
    shown.planned(&planned);
    let Changed::Done(batches) = found(writer, context, (&planned, false), None)? else {
        return Ok(Changed::Overtaken);
    };
    let deletes = places(&batches).filter_map(|place| {
        let delete = |(batch, row, position)| Ok(RowDelete { position, beside: shown.values(batch, row)? });
        place.transpose().map(|place| place.and_then(delete))
    });
    finish(writer, context, &shown, |writer, done| writer.delete(&mut { deletes }, done))
}

/// Does the last step of a statement, and gives its answer.
fn finish(
    writer: &mut dyn RowWriter,
    context: &StatementContext<'_>,
    shown: &Shown,
    step: impl FnOnce(&mut dyn RowWriter, &mut Done<'_>) -> Result<Changed<()>>,
) -> Result<Changed<Answer>> {
    // A table whose checks look at whole rows keeps these, too.
    let mut rows = shown.no_rows(context.planner, true);
    let columns = writer.shape().schema.fields().len();
    match step(writer, &mut Done { rows: &mut rows, wanted: wanted(shown), columns })? {
        Changed::Overtaken => Ok(Changed::Overtaken),
        Changed::Done(()) => shown.answer(context.planner, rows).map(Changed::Done),
    }
}

/// A row of a query: its batch, its place there, and the row of the table that it identifies; an outer join may identify none.
type Place<'b> = (&'b RecordBatch, usize, u64);

/// The rows of a query whose first column identifies rows.
fn places(batches: &Collected) -> impl Iterator<Item = Result<Option<Place<'_>>>> {
    let mut pace = Pace::default();
    let rows = batches.batches().iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    rows.map(move |(batch, row)| {
        pace.step()?;
        Ok(match value_at(batch.column(0), row)? {
            Value::Integer(position) => Some((batch, row, position as u64)),
            _ => None,
        })
    })
}

/// The values of assignments in a row of a query, whose columns have them from `first` on.
fn assigned(
    assignments: &[Assignment],
    columns: &[usize],
    (batch, row, first): (&RecordBatch, usize, usize),
) -> Result<Vec<(usize, Option<Value>)>> {
    let mut next = first;
    let value = |(assignment, column): (&Assignment, &usize)| {
        let Some(_) = &assignment.value else { return Ok((*column, None)) };
        next += 1;
        Ok((*column, Some(value_at(batch.column(next - 1), row)?)))
    };
    assignments.iter().zip(columns).map(value).collect()
}

/// The changes of a MERGE; the last value beside a row is its number in the query.
#[derive(Default)]
struct Decided {
    deletes: Vec<RowDelete>,
    updates: Vec<RowUpdate>,
    /// New rows, with the number of their branch.
    inserts: Vec<(usize, RowInsert)>,
}

fn merge(writer: &mut dyn RowWriter, context: &mut StatementContext<'_>, merge: &Merge) -> Result<Changed<Answer>> {
    let mut shown = shown(writer, merge.alias.as_ref(), merge.returning.as_ref())?.with_missing_rows();
    let position = (context.position_column, shown.beside());
    let planned = context.planner.plan_merge(context.text, merge, position, context.catalog)?;
    shown.planned(&planned);
    let branches = merge.branches.iter().map(|branch| branch_columns(writer, &branch.action));
    let columns = branches.collect::<Result<Vec<_>>>()?;
    let needs_defaults = needs_defaults(writer, merge, &columns);
    let Changed::Done(batches) = found(writer, context, (&planned, needs_defaults), Some(taken))? else {
        return Ok(Changed::Overtaken);
    };
    let (mut decided, mut pace) = (Decided::default(), Pace::default());
    for decision in decisions(merge, batches.batches(), &shown)? {
        pace.step()?;
        decided.add(columns.get(decision.branch).map_or(&[][..], Vec::as_slice), decision);
    }
    let mut rows = shown.no_rows(context.planner, true);
    if let Changed::Overtaken = carry_out(writer, decided, &columns, (wanted(&shown), &mut rows))? {
        return Ok(Changed::Overtaken);
    }
    in_order(&mut rows);
    shown.answer(context.planner, rows).map(Changed::Done)
}

/// The columns that a branch gives values to.
fn branch_columns(writer: &dyn RowWriter, action: &MergeAction) -> Result<Vec<usize>> {
    match action {
        MergeAction::Update(assignments) => writer.update_columns(assignments),
        MergeAction::Delete | MergeAction::Nothing => Ok(Vec::new()),
        MergeAction::Insert(names, values) => {
            let columns = writer.insert_columns(names)?;
            if columns.len() != values.len() {
                let message = format!("{} values are given for {} columns", values.len(), columns.len());
                return Err(Error::new(Code::Syntax, message));
            }
            Ok(columns)
        }
    }
}

/// Returns true if a branch leaves columns to their defaults.
fn needs_defaults(writer: &dyn RowWriter, merge: &Merge, columns: &[Vec<usize>]) -> bool {
    let shape = writer.shape();
    let all = shape.schema.fields().len().saturating_sub(shape.hidden);
    merge.branches.iter().zip(columns).any(|(branch, columns)| match &branch.action {
        MergeAction::Update(assignments) => assignments.iter().any(|assignment| assignment.value.is_none()),
        MergeAction::Delete | MergeAction::Nothing => false,
        MergeAction::Insert(_, values) => columns.len() < all || values.iter().any(Option::is_none),
    })
}

/// The rows of a MERGE's query for which a branch is taken: the others are not locked.
fn taken(batch: &RecordBatch) -> Result<RecordBatch> {
    let branch = batch.column(1);
    let is_taken: BooleanArray = (0..batch.num_rows()).map(|row| Some(branch.is_valid(row))).collect();
    arrow_select::filter::filter_record_batch(batch, &is_taken)
        .map_err(|error| Error::new(Code::Internal, error.to_string()))
}

impl Decided {
    fn add(&mut self, columns: &[usize], decision: Decision<'_>) {
        let Decision { branch, action, position, values, beside } = decision;
        match (action, position) {
            (MergeAction::Update(_), Some(position)) => {
                let values = columns.iter().copied().zip(values).collect();
                self.updates.push(RowUpdate { position, values, beside });
            }
            (MergeAction::Delete, Some(position)) => self.deletes.push(RowDelete { position, beside }),
            (MergeAction::Insert(..), None) => self.inserts.push((branch, RowInsert { values, beside })),
            _ => {}
        }
    }
}

fn carry_out(
    writer: &mut dyn RowWriter,
    decided: Decided,
    columns: &[Vec<usize>],
    (wanted, rows): (Wanted, &mut Rows),
) -> Result<Changed<()>> {
    let width = writer.shape().schema.fields().len();
    let of_deleted = if wanted == Wanted::Rows { Wanted::Nulls } else { wanted };
    if !decided.deletes.is_empty() {
        let mut deletes = decided.deletes.into_iter().map(Ok);
        if let Changed::Overtaken =
            writer.delete(&mut deletes, &mut Done { rows, wanted: of_deleted, columns: width })?
        {
            return Ok(Changed::Overtaken);
        }
    }
    let mut done = Done { rows, wanted, columns: width };
    if !decided.updates.is_empty()
        && let Changed::Overtaken = writer.update(&mut decided.updates.into_iter().map(Ok), &mut done)?
    {
        return Ok(Changed::Overtaken);
    }
    let mut inserts = decided.inserts.into_iter().peekable();
    while let Some(&(branch, _)) = inserts.peek() {
        let columns = columns.get(branch).map_or(&[][..], Vec::as_slice);
        // Rows of one branch that follow each other are written together.
        let together: Vec<RowInsert> =
            std::iter::from_fn(|| inserts.next_if(|(of, _)| *of == branch).map(|(_, row)| row)).collect();
        let gives_all = together.iter().all(|row| row.values.iter().all(Option::is_some));
        let rows = &mut together.into_iter().map(Ok);
        if let Changed::Overtaken = writer.insert(InsertRows { columns, gives_all, rows }, &mut done)? {
            return Ok(Changed::Overtaken);
        }
    }
    Ok(Changed::Done(()))
}
