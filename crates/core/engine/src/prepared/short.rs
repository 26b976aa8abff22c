//! Statements over a few rows that have more than a key: joins, ranges, groups, changes of the found rows.
//!
//! The planner's optimized plan becomes a block of the row executor when the statement is prepared. A run that the
//! block does not support - a parameter of another type, more rows than a few thousand - goes to the batch executor.

use super::cells::{bind_form, fits};
use super::lock;
use super::uses::{Moved, Uses};
use crate::native::{Form, Keep, Late, RowChange, insert_found, key_of, update_late, update_row, wait_for_first};
use crate::returning::{Rows as RowsDone, Shown};
use crate::rows::batch_of;
use crate::session::Session;
use crate::session::count_run;
use crate::words;
use crate::writable::Changed;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{Field, Schema, SchemaRef};
use mainstay_columnar::values::array_from;
use mainstay_planner::{
    Answer, Assignment, Insert, InsertSource, LockingQuery, Name, Node, Operator, Returning, RowExpressions, Short,
    Statement,
};
use mainstay_row_executor::{Buffer, Outcome, Scratch, node_of};
use mainstay_store::{NativeTable, Read, Transaction, View, Written};
use mainstay_types::{Code, Result, Value, ValueRef};
use std::sync::Arc;

/// A statement whose rows the row executor finds.
pub(super) enum ShortStatement {
    Select(Short),
    Update {
        short: Short,
        form: Arc<Form>,
        columns: Vec<usize>,
        /// The RETURNING clause over the new rows.
        returning: Option<Returned>,
    },
    Delete {
        short: Short,
        form: Arc<Form>,
        /// The RETURNING clause over the old rows.
        returning: Option<Returned>,
    },
    /// A query that locks its rows. The position of each is the column behind those that are shown.
    Lock {
        short: Short,
        form: Arc<Form>,
        locking: Box<LockingQuery>,
    },
    /// Rows of values that are literals or parameters, whatever their table does about them: defaults, sequences, checks,
    /// keys that are there. Of so many parameters.
    Insert {
        insert: Box<Insert>,
        parameters: usize,
    },
    /// Rows that a query gives, whatever their table does about them.
    InsertQuery {
        short: Short,
        insert: Box<Insert>,
    },
}

/// The RETURNING clause of an UPDATE or a DELETE.
pub(super) struct Returned {
    shown: Shown,
    expressions: RowExpressions,
    /// The same, where they are nothing but columns as the table has them, and values beside those, which follow them.
    columns: Option<Vec<usize>>,
}

impl Returned {
    /// A RETURNING whose values beside the rows are the last columns of the query that finds them; `None` for one that is for the
    /// batch executor.
    fn of(session: &Session, mut shown: Shown, short: &Short) -> Option<Returned> {
        shown.found(&short.schema);
        let expressions = session.compiler().compiled_rows(&shown)?;
        Some(Returned { columns: expressions.columns(), shown, expressions })
    }

    /// How many values stand beside each row.
    fn beside(&self) -> usize {
        self.shown.beside().len()
    }
}

/// The RETURNING of a statement that calls its table by this alias, if it shows anything; `None` for a mistake, which the batch executor
/// reports.
fn shown(form: &Form, alias: Option<&Name>, returning: Option<&Returning>) -> Option<Option<Shown>> {
    let of = |returning| Shown::new((&form.definition.name, &form.schema, 0), alias, Some(returning)).ok();
    match returning {
        None => Some(None),
        Some(returning) => of(returning).map(Some),
    }
}

/// The RETURNING of a statement, compiled for the query that finds its rows; `None` for what is for the batch executor.
fn compiled(session: &Session, shown: Option<Shown>, short: &Short) -> Option<Option<Returned>> {
    match shown {
        None => Some(None),
        Some(shown) => Returned::of(session, shown, short).map(Some),
    }
}

/// Buffers that are reused between runs.
#[derive(Default)]
pub(crate) struct Workspace {
    scratch: Scratch,
    pub(super) buffer: Buffer,
}

impl Workspace {
    /// The buffers of a run.
    pub(crate) fn parts(&mut self) -> (&mut Scratch, &mut Buffer) {
        (&mut self.scratch, &mut self.buffer)
    }
}

impl ShortStatement {
    /// The row executor's way of a statement; `None` when it has none, or when preparing it shows a mistake, which
    /// running it will tell.
    pub(super) fn of(session: &Session, text: &str, is_query: bool, uses: &mut Uses) -> Result<Option<ShortStatement>> {
        if is_query
            && words::may_lock(text)
            && let Some(locking) = lock::of(session, text, uses)?
        {
            return Ok(Some(locking));
        }
        if is_query {
            return Ok(session.compiler().short_query(text, uses)?.map(ShortStatement::Select));
        }
        ShortStatement::of_change(session, text, Statement::parse(text)?, uses)
    }

    /// The same for what is no query.
    pub(super) fn of_change(
        session: &Session,
        text: &str,
        statement: Statement,
        uses: &mut Uses,
    ) -> Result<Option<ShortStatement>> {
        match statement {
            Statement::Update(update) => {
                let Some(form) = changed_table(session, &update.table)? else { return Ok(None) };
                let Some(columns) = assigned(&form, &update.assignments) else { return Ok(None) };
                let Some(shown) = shown(&form, update.alias.as_ref(), update.returning.as_ref()) else {
                    return Ok(None);
                };
                let beside = shown.as_ref().map_or(&[][..], Shown::beside);
                let Some(short) = session.compiler().short_update(text, &update, beside, uses)? else {
                    return Ok(None);
                };
                let returning = compiled(session, shown, &short);
                Ok(returning.map(|returning| ShortStatement::Update { short, form, columns, returning }))
            }
            Statement::Delete(delete) => {
                let Some(form) = changed_table(session, &delete.table)? else { return Ok(None) };
                let Some(shown) = shown(&form, delete.alias.as_ref(), delete.returning.as_ref()) else {
                    return Ok(None);
                };
                let beside = shown.as_ref().map_or(&[][..], Shown::beside);
                let Some(short) = session.compiler().short_delete(text, &delete, beside, uses)? else {
                    return Ok(None);
                };
                let returning = compiled(session, shown, &short);
                Ok(returning.map(|returning| ShortStatement::Delete { short, form, returning }))
            }
            Statement::Insert(insert) => match &insert.source {
                InsertSource::Query(_) => {
                    // Tables that are files take their rows in a way of their own.
                    if !is_native(session, &insert.table)? {
                        return Ok(None);
                    }
                    let short = session.compiler().short_insert(text, &insert, uses)?;
                    Ok(short.map(|short| ShortStatement::InsertQuery { short, insert }))
                }
                _ => {
                    let parameters = insert.listed_parameters(text)?;
                    Ok(parameters.map(|parameters| ShortStatement::Insert { insert, parameters }))
                }
            },
            _ => Ok(None),
        }
    }

    /// Binds it to tables that are alike those it was compiled for; `None` where it cannot be.
    pub(super) fn rebind(&mut self, moved: &Moved) -> Option<()> {
        let table = |old: &Arc<NativeTable>| moved.of(old).map(|(new, _)| Arc::clone(new));
        match self {
            // The table of an INSERT is looked up when it runs.
            ShortStatement::Select(short) | ShortStatement::InsertQuery { short, .. } => short.plan.rebind(table),
            ShortStatement::Update { short, form, .. }
            | ShortStatement::Delete { short, form, .. }
            | ShortStatement::Lock { short, form, .. } => {
                bind_form(form, moved)?;
                short.plan.rebind(table)
            }
            ShortStatement::Insert { .. } => Some(()),
        }
    }

    /// The answer of an INSERT; `None` for another statement, another number of parameters, or when the batch executor has
    /// to find the rows.
    pub(super) fn insert(
        &self,
        session: &mut Session,
        text: &str,
        values: &[ValueRef<'_>],
        workspace: &mut Workspace,
    ) -> Result<Option<Answer>> {
        match self {
            ShortStatement::Insert { insert, parameters } if *parameters == values.len() => {
                session.insert(text, insert, values).map(Some)
            }
            ShortStatement::InsertQuery { short, insert } => {
                let (scratch, buffer) = workspace.parts();
                let found = insert_found(session, text, insert, &mut |transaction, view| {
                    if short.plan.run(view, values, scratch, buffer)? != Outcome::Done {
                        return Ok(None);
                    }
                    note_reads(transaction, short)?;
                    let columns = short.schema.fields().len();
                    // Values are copied out of their groups before the first row is written.
                    let row = |row| (0..columns).map(|column| Some(buffer.value(row, column).to_value())).collect();
                    Ok(Some((0..buffer.len()).map(row).collect()))
                })?;
                if found.is_some() {
                    count_run(session.reads(), &short.plan, scratch);
                }
                Ok(found)
            }
            _ => Ok(None),
        }
    }

    /// The schema of the columns that it leaves in the buffer.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        match self {
            ShortStatement::Select(short) | ShortStatement::Lock { short, .. } => Some(&short.schema),
            ShortStatement::Update { returning: Some(Returned { expressions, .. }), .. }
            | ShortStatement::Delete { returning: Some(Returned { expressions, .. }), .. } => {
                Some(expressions.schema())
            }
            _ => None,
        }
    }

    /// The rows that it has left in the buffer, as vectors.
    pub(super) fn answer(&self, buffer: &Buffer) -> Result<Answer> {
        let Some(schema) = self.schema() else { return Ok(crate::session::nothing()) };
        let column = |(column, field): (usize, &Arc<Field>)| {
            array_from(field.data_type(), buffer.len(), |row| buffer.value(row, column))
        };
        let columns: Vec<ArrayRef> = schema.fields().iter().enumerate().map(column).collect();
        // Texts that a plan may have in other layouts are of one here.
        let field = |(field, column): (&Arc<Field>, &ArrayRef)| {
            field.as_ref().clone().with_data_type(column.data_type().clone())
        };
        let fields: Vec<Field> = schema.fields().iter().zip(&columns).map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = batch_of(&schema, columns, buffer.len())?;
        Ok(Answer::of(schema, vec![batch]))
    }

    /// Fills the buffer with the rows of a query: whether it did.
    pub(super) fn read(
        &self,
        session: &mut Session,
        text: &Arc<str>,
        parameters: &[ValueRef<'_>],
        workspace: &mut Workspace,
    ) -> Result<bool> {
        let ShortStatement::Select(short) = self else { return Ok(false) };
        let Workspace { scratch, buffer } = workspace;
        let outcome = match short.plan.all_tables().is_empty() {
            true => short.plan.run(View::at(0, 0), parameters, scratch, buffer)?,
            false => session.read_native(text, |transaction, view| {
                note_reads(transaction, short)?;
                short.plan.run(view, parameters, scratch, buffer)
            })?,
        };
        if outcome == Outcome::Done {
            count_run(session.reads(), &short.plan, scratch);
        }
        Ok(outcome == Outcome::Done)
    }

    /// Runs a change: how many rows it changed, or `None` when the batch executor has to find them.
    pub(super) fn change(
        &self,
        session: &mut Session,
        text: &Arc<str>,
        parameters: &[ValueRef<'_>],
        workspace: &mut Workspace,
    ) -> Result<Option<u64>> {
        self.changed(session, text, parameters, workspace, (Keep::Nothing, &|done| Ok(done.count)))
    }

    /// Runs a change whose RETURNING gives columns as the table has them, and leaves those in the buffer: whether it did.
    /// It does not for another statement, or when the batch executor has to find the rows.
    pub(super) fn returning_columns(
        &self,
        session: &mut Session,
        text: &Arc<str>,
        parameters: &[ValueRef<'_>],
        workspace: &mut Workspace,
    ) -> Result<bool> {
        let (ShortStatement::Update { returning: Some(returned), form, .. }
        | ShortStatement::Delete { returning: Some(returned), form, .. }) = self
        else {
            return Ok(false);
        };
        let Some(columns) = &returned.columns else { return Ok(false) };
        let kept = (Keep::Versions, &Ok as &dyn Fn(RowsDone) -> Result<RowsDone>);
        let Some(done) = self.changed(session, text, parameters, workspace, kept)? else { return Ok(false) };
        let RowsDone { versions, beside, .. } = &done;
        let (width, count) = (form.schema.fields().len(), returned.beside());
        if count == 0 {
            workspace.buffer.take_stored(columns, versions.iter().map(|(group, offset)| (group, *offset)));
            return Ok(true);
        }
        let cells = versions.iter().enumerate().flat_map(|(row, (group, offset))| {
            columns.iter().map(move |column| match column.checked_sub(width) {
                None => group.value(*offset, *column),
                Some(place) => beside.get(row * count + place).map_or(ValueRef::Null, Value::as_ref),
            })
        });
        workspace.buffer.take_rows(columns.len(), cells);
        Ok(true)
    }

    /// The answer of an UPDATE or a DELETE with RETURNING; `None` for another statement, or when the batch executor has to find the
    /// rows.
    pub(super) fn returning(
        &self,
        session: &mut Session,
        text: &Arc<str>,
        parameters: &[ValueRef<'_>],
        workspace: &mut Workspace,
    ) -> Result<Option<Answer>> {
        let (ShortStatement::Update { returning: Some(Returned { shown, expressions, .. }), .. }
        | ShortStatement::Delete { returning: Some(Returned { shown, expressions, .. }), .. }) = self
        else {
            return Ok(None);
        };
        let answer = |done: RowsDone| shown.answer_compiled(expressions, done);
        self.changed(session, text, parameters, workspace, (Keep::Rows, &answer))
    }

    /// Its operators.
    pub(super) fn node(&self, parameters: &[String]) -> Node {
        let over = |operator: Operator, table: String, short: &Short| {
            Node::new(operator, vec![node_of(&short.plan, parameters)]).of_table(table)
        };
        match self {
            ShortStatement::Select(short) | ShortStatement::Lock { short, .. } => {
                let columns = short.schema.fields().iter().map(|field| field.name().clone()).collect();
                Node { columns, ..node_of(&short.plan, parameters) }
            }
            ShortStatement::Update { short, form, .. } => over(Operator::Update, form.definition.name.clone(), short),
            ShortStatement::Delete { short, form, .. } => over(Operator::Delete, form.definition.name.clone(), short),
            ShortStatement::InsertQuery { short, insert } => over(Operator::Insert, insert.table.to_string(), short),
            ShortStatement::Insert { insert, .. } => {
                let constants = Node::new(Operator::Constants, Vec::new());
                Node::new(Operator::Insert, vec![constants]).of_table(insert.table.to_string())
            }
        }
    }

    /// How its rows are found, for EXPLAIN.
    pub(super) fn describe(&self) -> String {
        match self {
            ShortStatement::Select(short)
            | ShortStatement::Update { short, .. }
            | ShortStatement::Delete { short, .. }
            | ShortStatement::InsertQuery { short, .. }
            | ShortStatement::Lock { short, .. } => short.plan.describe(),
            ShortStatement::Insert { .. } => String::new(),
        }
    }

    /// How many values its query gives beside each row for RETURNING.
    fn beside(&self) -> usize {
        match self {
            ShortStatement::Update { returning, .. } | ShortStatement::Delete { returning, .. } => {
                returning.as_ref().map_or(0, Returned::beside)
            }
            _ => 0,
        }
    }

    /// Returns true if it has a RETURNING.
    pub(super) fn shows_rows(&self) -> bool {
        matches!(
            self,
            ShortStatement::Update { returning: Some(_), .. } | ShortStatement::Delete { returning: Some(_), .. }
        )
    }

    /// Changes rows, and makes of them what the statement gives. That is part of the statement: an error in it undoes the
    /// change.
    fn changed<T>(
        &self,
        session: &mut Session,
        text: &Arc<str>,
        parameters: &[ValueRef<'_>],
        workspace: &mut Workspace,
        (keep, give): (Keep, &dyn Fn(RowsDone) -> Result<T>),
    ) -> Result<Option<T>> {
        let Workspace { scratch, buffer } = workspace;
        let (ShortStatement::Update { short, .. } | ShortStatement::Delete { short, .. }) = self else {
            return Ok(None);
        };
        let done = session.change_native(text, |transaction| {
            let view = transaction.begin_statement()?;
            if let ShortStatement::Update { form, .. } | ShortStatement::Delete { form, .. } = self
                && let Some(wide) = transaction.pending_view(&form.table, view)
                && short.plan.run(wide, parameters, scratch, buffer)? == Outcome::Done
                && wait_for_first(transaction, form, positions(buffer, 0), view)?
            {
                return Ok(Changed::Overtaken);
            }
            if short.plan.run(view, parameters, scratch, buffer)? != Outcome::Done {
                return Ok(Changed::Done(None));
            }
            note_reads(transaction, short)?;
            let done = match self {
                ShortStatement::Update { form, columns, .. } => {
                    update(transaction, form, (columns, keep), view, (buffer, self.beside()))?
                }
                ShortStatement::Delete { form, .. } => delete(transaction, form, keep, (buffer, self.beside()))?,
                ShortStatement::Select(_)
                | ShortStatement::Insert { .. }
                | ShortStatement::InsertQuery { .. }
                | ShortStatement::Lock { .. } => Some(RowsDone::default()),
            };
            Ok(match done {
                Some(done) => Changed::Done(Some(give(done)?)),
                None => Changed::Overtaken,
            })
        })?;
        if done.is_some() {
            count_run(session.reads(), &short.plan, scratch);
        }
        Ok(done)
    }
}

/// Sees that the statement finds in its tables what it should, and notes that it reads them.
///
/// Errors: `DefinitionChanged`, and `Conflict` for a table that is younger than what the transaction sees.
pub(crate) fn note_reads(transaction: &mut Transaction, short: &Short) -> Result<()> {
    for table in short.plan.all_tables() {
        transaction.check_seen(table)?;
        transaction.note_read(table, Read::Everything);
    }
    Ok(())
}

/// The positions of rows, which are in this column of the buffer.
pub(super) fn positions(buffer: &Buffer, column: usize) -> impl Iterator<Item = u64> {
    (0..buffer.len()).filter_map(move |row| match buffer.value(row, column) {
        ValueRef::Integer(position) => Some(position as u64),
        _ => None,
    })
}

/// Returns true if there is a native table of this name.
fn is_native(session: &Session, name: &Name) -> Result<bool> {
    match session.form(&key_of(name)) {
        Ok(_) => Ok(true),
        Err(error) if error.code() == Code::UnknownTable => Ok(false),
        Err(error) => Err(error),
    }
}

/// The table of a change, if its rows can be changed without looking at them whole.
pub(super) fn changed_table(session: &Session, name: &Name) -> Result<Option<Arc<Form>>> {
    match session.form(&key_of(name)) {
        Ok(form) => Ok((!form.looks_at_rows()).then_some(form)),
        // A file, a view, or nothing: the planner knows what to say.
        Err(error) if error.code() == Code::UnknownTable => Ok(None),
        Err(error) => Err(error),
    }
}

/// The columns that an UPDATE gives expressions for; `None` for what is not for the row executor, or a mistake.
fn assigned(form: &Form, assignments: &[Assignment]) -> Option<Vec<usize>> {
    let mut columns = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        let column = form.column(&assignment.column.key).ok()?;
        let is_identity = form.definition.columns[column].identity.is_some();
        if assignment.value.is_none() || is_identity || columns.contains(&column) {
            return None;
        }
        columns.push(column);
    }
    Some(columns)
}

/// Changes the rows in the buffer: positions, behind them new values of these columns, and so many values beside each row; and
/// keeps what is wanted of the new rows. `None` when another transaction was first.
fn update(
    transaction: &mut Transaction,
    form: &Form,
    (columns, keep): (&[usize], Keep),
    view: View,
    (buffer, beside): (&Buffer, usize),
) -> Result<Option<RowsDone>> {
    let mut done = RowsDone::default();
    let mut late = Late::default();
    for row in 0..buffer.len() {
        let ValueRef::Integer(position) = buffer.value(row, 0) else { continue };
        let value = |(place, column): (usize, &usize)| -> Result<(usize, Value)> {
            let value = buffer.value(row, place + 1);
            let value = match fits(&value, form.definition.columns[*column].sql_type) {
                true => value.to_value(),
                false => form.converted(*column, value)?,
            };
            Ok((*column, value))
        };
        let changes = columns.iter().enumerate().map(value).collect::<Result<_>>()?;
        let beside = values_of(buffer, row, 1 + columns.len(), beside);
        let change = RowChange { position: position as u64, changes, beside };
        match update_row(transaction, form, view, &change, keep, &mut done) {
            Ok(Written::Moved(_) | Written::Deleted) => return Ok(None),
            Ok(Written::Done(_) | Written::Gone) => {}
            Err(error) if error.code() == Code::UniqueViolation => late.push(None, change, error)?,
            Err(error) => return Err(error),
        }
    }
    match update_late(transaction, form, view, late, keep, &mut done)? {
        true => Ok(None),
        false => Ok(Some(done)),
    }
}

/// Deletes the rows in the buffer, and keeps what is wanted of them as they were. `None` when another transaction was
/// first.
fn delete(
    transaction: &mut Transaction,
    form: &Form,
    keep: Keep,
    (buffer, beside): (&Buffer, usize),
) -> Result<Option<RowsDone>> {
    let mut done = RowsDone::default();
    for row in 0..buffer.len() {
        let ValueRef::Integer(position) = buffer.value(row, 0) else { continue };
        match form.table.delete(transaction, position as u64)? {
            Written::Done(old) => {
                done.count += 1;
                done.keep(form, keep, old, values_of(buffer, row, 1, beside))?;
            }
            Written::Moved(_) | Written::Deleted => return Ok(None),
            Written::Gone => {}
        }
    }
    Ok(Some(done))
}

/// So many values of a row of the buffer from one of its columns on.
fn values_of(buffer: &Buffer, row: usize, first: usize, count: usize) -> Vec<Value> {
    (first..first + count).map(|column| buffer.value(row, column).to_value()).collect()
}
