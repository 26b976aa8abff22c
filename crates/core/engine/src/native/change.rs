//! Rows of native tables as statements write them: defaults, computed columns, checks, ON CONFLICT; TRUNCATE.
//!
//! ```text
//!   values as computed --> convert to the columns' types --> defaults, computed columns, checks --> the store
//! ```
//!
//! [`writer`](super::writer) calls these steps for each statement.

use super::forms::{Defaults, Form};
use super::transaction::{StatementView, note_reads};
use super::versions::{positions, stored};
use super::{Given, Native, SessionSequences, key_of};
use crate::catalog::FolderCatalog;
use crate::returning::Rows;
use crate::rows::NewRow;
use crate::writable::{Changed, cannot_be_changed};
use arrow_array::RecordBatch;
use mainstay_columnar::values::value_at;
use mainstay_planner::{
    Answer, Assignment, Catalog, Conflict, ConflictAction, Name, Planned, Relation, RowExpressions, RunOptions,
};
use mainstay_store::{Isolation, Transaction, Written};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

/// How often one row is tried again because its key came and went.
const KEY_RETRIES: usize = 100;

/// The parts of a session that a change of native tables uses.
pub(crate) struct Changer<'s> {
    pub(crate) native: &'s Native,
    pub(crate) planner: &'s mainstay_planner::Planner,
    pub(crate) catalog: &'s dyn Catalog,
    /// Where views are planned whose tables change.
    pub(crate) folder: &'s FolderCatalog,
    /// How the queries of the statement run; what they see is set by the change.
    pub(crate) options: &'s dyn Fn() -> RunOptions,
    /// The text of the statement, for places in errors.
    pub(crate) text: &'s str,
    /// The last values that sequences gave the session.
    pub(crate) given: &'s Arc<Given>,
}

/// The action of an INSERT on a key that exists.
pub(super) struct Upsert {
    /// The indexes whose keys are meant; `None` for all.
    indexes: Option<Vec<usize>>,
    update: Option<UpsertUpdate>,
}

pub(super) struct UpsertUpdate {
    /// The versions that the statement has written: it may not change a row twice.
    written: RefCell<HashSet<u64>>,
    columns: Vec<usize>,
    /// For each of them, false if it is assigned DEFAULT.
    is_given: Vec<bool>,
    /// The new values, and behind them the condition if there is one; over the row that is there and `excluded`.
    expressions: RowExpressions,
    has_condition: bool,
    /// For assignments of DEFAULT, if there are any.
    defaults: Option<Defaults>,
}

impl Changer<'_> {
    /// The table that is to be changed.
    pub(super) fn form(&self, transaction: &Transaction, name: &Name) -> Result<Arc<Form>> {
        let key = key_of(name);
        let form = self.native.form(self.planner, &self.native.scope(transaction), &key);
        self.native.check_planned(transaction.planned_with())?;
        match form {
            Err(error) if error.code() == Code::UnknownTable => Err(match self.catalog.relation(&key)? {
                Some(relation) => cannot_be_changed(name, matches!(relation, Relation::View { .. })),
                None => mainstay_planner::unknown_table(&key, &self.catalog.names()),
            }),
            form => form,
        }
    }

    /// The table, or the view over packed records of a table, whose rows are to be changed.
    pub(super) fn target(&self, transaction: &mut Transaction, name: &Name) -> Result<Arc<Form>> {
        let refusal = match self.form(transaction, name) {
            Err(error) if error.code() == Code::ReadOnly => error,
            form => return form,
        };
        let scope = self.native.scope(transaction);
        scope.packed_form(self.planner, &key_of(name), transaction)?.map(Arc::new).ok_or(refusal)
    }

    pub(super) fn sequences(&self, transaction: &Transaction) -> SessionSequences {
        SessionSequences { scope: self.native.scope(transaction), given: Arc::clone(self.given) }
    }

    /// The defaults of a table, if they are needed. Numbers of an identity column are taken by who is among the table's
    /// writers only: TRUNCATE lets them begin again.
    ///
    /// Errors: those of the defaults, and of [`Transaction::will_write`].
    pub(super) fn defaults_if(
        &self,
        is_needed: bool,
        transaction: &mut Transaction,
        form: &Form,
    ) -> Result<Option<Defaults>> {
        if !is_needed {
            return Ok(None);
        }
        if form.definition.columns.iter().any(|column| column.identity.is_some()) {
            transaction.will_write(&form.table)?;
        }
        form.defaults(self.planner, self.sequences(transaction)).map(Some)
    }

    /// The columns that are named, or all that can be given values.
    pub(super) fn given_columns(&self, form: &Form, names: &[Name]) -> Result<Vec<usize>> {
        if names.is_empty() {
            let is_given = |column: &usize| !form.is_computed(*column);
            return Ok((0..form.definition.columns.len()).filter(is_given).collect());
        }
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let column = form.column(&name.key)?;
            if columns.contains(&column) {
                return Err(Error::new(Code::Ambiguous, format!("the column {name} is named twice")).about(&name.key));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    /// A row with each column's value: given, default, or from the column's sequence.
    pub(super) fn filled(
        &self,
        form: &Form,
        columns: &[usize],
        given: Vec<Option<Value>>,
        defaults: Option<&Defaults>,
    ) -> Result<NewRow> {
        let mut row: Vec<Option<Value>> = vec![None; form.definition.columns.len()];
        for (column, value) in columns.iter().zip(given) {
            if let Some(value) = value {
                if form.definition.columns[*column].identity.as_ref().is_some_and(|identity| identity.always) {
                    let name = &form.definition.columns[*column].name;
                    return Err(from_sequence(name).hint("leave it out of the INSERT"));
                }
                if form.is_computed(*column) {
                    return Err(is_computed(&form.definition.columns[*column].name));
                }
                row[*column] = Some(form.converted(*column, value.as_ref())?);
            }
        }
        let value = |(column, value): (usize, Option<Value>)| match value {
            Some(value) => Ok(value),
            None => defaults.map_or(Ok(Value::Null), |defaults| defaults.value(form, column)),
        };
        row.into_iter().enumerate().map(value).collect()
    }

    /// The treatment of existing keys; `called` is the statement's name of the table.
    pub(super) fn upsert(
        &self,
        transaction: &mut Transaction,
        (form, called): (&Form, &str),
        conflict: &Conflict,
    ) -> Result<Upsert> {
        if form.packed.is_some() {
            return Err(Error::new(Code::Unsupported, "ON CONFLICT of a view"));
        }
        let indexes = arbiters(form, conflict)?;
        let update = match &conflict.action {
            ConflictAction::Nothing => None,
            ConflictAction::Update { assignments, condition } => {
                let mut expressions: Vec<_> = assignments.iter().filter_map(|it| it.value.clone()).collect();
                let needs_defaults = expressions.len() < assignments.len();
                expressions.extend(condition.as_deref().cloned());
                let tables = [(called, &form.schema), ("excluded", &form.schema)];
                Some(UpsertUpdate {
                    written: RefCell::default(),
                    columns: assigned(form, assignments)?,
                    expressions: self.planner.row_expressions(&expressions, &tables, self.catalog.sequences())?,
                    has_condition: condition.is_some(),
                    is_given: assignments.iter().map(|it| it.value.is_some()).collect(),
                    defaults: self.defaults_if(needs_defaults, transaction, form)?,
                })
            }
        };
        Ok(Upsert { indexes, update })
    }

    pub(super) fn insert_row(
        &self,
        transaction: &mut Transaction,
        form: &Form,
        mut row: NewRow,
        upsert: Option<&Upsert>,
    ) -> Result<Inserted> {
        for _ in 0..KEY_RETRIES {
            let savepoint = upsert.map(|_| transaction.savepoint());
            let outcome = form.insert(transaction, &mut row);
            let (error, upsert) = match (outcome, upsert) {
                (Ok(position), upsert) => {
                    if let Some(update) = upsert.and_then(|upsert| upsert.update.as_ref()) {
                        update.written.borrow_mut().insert(position);
                    }
                    return Ok(Inserted::Row(row));
                }
                (Err(error), Some(upsert)) if error.code() == Code::UniqueViolation => (error, upsert),
                (Err(error), _) => return Err(error),
            };
            if let Some(savepoint) = &savepoint {
                transaction.rollback_to(savepoint)?;
            }
            // The row may be committed and not to be seen yet.
            transaction.wait_for_commits()?;
            let view = transaction.begin_statement()?;
            let Some(position) = existing(form, view, &row, upsert.indexes.as_deref())? else {
                // The conflict is in another key than the named one, or with a row that this snapshot does not see: it
                // was deleted, or inserted after the transaction began.
                let is_it = |index: &usize| conflicts_in(form, *index, &error);
                if upsert.indexes.as_ref().is_some_and(|indexes| !indexes.iter().any(is_it)) {
                    return Err(error);
                }
                if transaction.isolation() != Isolation::ReadCommitted {
                    // The snapshot of the transaction does not change: it will never see the row.
                    let message = "another transaction has committed this key since this one began";
                    return Err(Error::new(Code::Conflict, message).hint("begin the transaction again"));
                }
                continue;
            };
            let Some(update) = &upsert.update else { return Ok(Inserted::Nothing) };
            return self.upsert_row(transaction, form, (position, view), &row, update);
        }
        Err(Error::new(Code::Conflict, "other transactions kept inserting and deleting the same key"))
    }

    fn upsert_row(
        &self,
        transaction: &mut Transaction,
        form: &Form,
        (position, view): (u64, mainstay_store::View),
        row: &NewRow,
        update: &UpsertUpdate,
    ) -> Result<Inserted> {
        if update.written.borrow().contains(&position) {
            let message = "ON CONFLICT DO UPDATE would change a row that the same statement has written";
            return Err(Error::new(Code::InvalidValue, message).hint("give each key once"));
        }
        let reader = form.table.reader(view);
        let known = stored(form, &reader, position);
        drop(reader);
        let both: Vec<_> = [&known, row].into_iter().map(|row| form.batch(std::slice::from_ref(row))).collect();
        let columns = both.into_iter().collect::<Result<Vec<_>>>()?.iter().flat_map(|b| b.columns().to_vec()).collect();
        let fields = form.schema.fields().iter().chain(form.schema.fields().iter()).cloned().collect::<Vec<_>>();
        let batch = crate::rows::batch_of(&Arc::new(arrow_schema::Schema::new(fields)), columns, 1)?;
        let results = update.expressions.evaluate(&batch)?;
        let condition =
            update.has_condition.then(|| value_at(results.column(results.num_columns() - 1), 0)).transpose()?;
        if condition.is_some_and(|condition| condition != Value::Boolean(true)) {
            return Ok(Inserted::Nothing);
        }
        let mut changed = known;
        let both = (update.is_given.as_slice(), update.columns.as_slice());
        for (column, value) in changes_of(form, both, (&results, 0, 0), update.defaults.as_ref())? {
            changed[column] = value;
        }
        form.complete(std::slice::from_mut(&mut changed))?;
        let values: Vec<ValueRef<'_>> = changed.iter().map(Value::as_ref).collect();
        match form.table.update(transaction, position, values.as_slice())? {
            Written::Done(new) => {
                update.written.borrow_mut().insert(new);
                Ok(Inserted::Row(changed))
            }
            Written::Moved(_) | Written::Deleted | Written::Gone => Ok(Inserted::Overtaken),
        }
    }

    /// TRUNCATE: all rows, one by one, so that it can be undone and references are looked at. Their actions are those of
    /// DELETE and not of TRUNCATE: rows that are referred to stay, whatever the reference says.
    ///
    /// Nobody else writes the table until the transaction ends, nor has rows in it that are not committed: they would
    /// outlive it, with numbers that are then given once more. For the same reason rows go that were committed after what
    /// the transaction sees, at every level.
    ///
    /// With `restart` identity columns begin again, and go on as before where that is rolled back.
    pub(crate) fn truncate(
        &self,
        transaction: &mut Transaction,
        names: &[Name],
        restart: bool,
    ) -> Result<Changed<Answer>> {
        let mut done = Rows::default();
        let mut last = None;
        for name in names {
            let form = self.form(transaction, name)?;
            transaction.hold(&form.table)?;
            transaction.begin_statement()?;
            let view = transaction.view_of_now()?;
            for position in positions(&form.table, view)? {
                match form.table.delete(transaction, position)? {
                    Written::Done(_) => done.count += 1,
                    Written::Moved(_) | Written::Deleted => return Ok(Changed::Overtaken),
                    Written::Gone => {}
                }
            }
            if restart {
                let sequences = self.sequences(transaction);
                let identities = form.definition.columns.iter().filter_map(|column| column.identity.as_ref());
                for identity in identities {
                    sequences.restart(transaction, identity.sequence)?;
                }
            }
            last = Some(form);
        }
        transaction.run_checks()?;
        let form = last.ok_or_else(|| Error::new(Code::Syntax, "TRUNCATE of what?"))?;
        form.shown(None, None)?.answer(self.planner, done).map(Changed::Done)
    }

    /// The answer of a query, as the statement's transaction sees it.
    pub(super) fn answer(
        &self,
        transaction: &mut Transaction,
        planned: &Planned,
        view: mainstay_store::View,
    ) -> Result<Answer> {
        note_reads(transaction, planned.tables())?;
        let options = RunOptions { view: Arc::new(StatementView::of(view)), ..(self.options)() };
        self.planner.run(planned, options)
    }
}

/// The new values of a row: those of the expressions are in the columns of the batch from `first` on.
fn changes_of(
    form: &Form,
    (is_given, columns): (&[bool], &[usize]),
    (batch, row, first): (&RecordBatch, usize, usize),
    defaults: Option<&Defaults>,
) -> Result<Vec<(usize, Value)>> {
    let mut place = first;
    let mut changes = Vec::with_capacity(columns.len());
    for (is_given, column) in is_given.iter().zip(columns) {
        let value = match is_given {
            true => {
                place += 1;
                form.converted(*column, value_at(batch.column(place - 1), row)?.as_ref())?
            }
            false => defaults.map_or(Ok(Value::Null), |defaults| defaults.value(form, *column))?,
        };
        changes.push((*column, value));
    }
    Ok(changes)
}

/// The outcome of one row of an INSERT.
pub(super) enum Inserted {
    Row(NewRow),
    Nothing,
    Overtaken,
}

/// The columns that are assigned to.
pub(super) fn assigned(form: &Form, assignments: &[Assignment]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(assignments.len());
    for Assignment { column: name, value } in assignments {
        let column = form.column(&name.key)?;
        if value.is_some() && form.definition.columns[column].identity.as_ref().is_some_and(|identity| identity.always)
        {
            return Err(from_sequence(&name.written).hint("it can be set to DEFAULT only"));
        }
        if columns.contains(&column) {
            return Err(Error::new(Code::Ambiguous, format!("the column {name} is assigned to twice")));
        }
        if form.is_computed(column) && value.is_some() {
            return Err(is_computed(&name.written));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// The error of a value for a column that is GENERATED ALWAYS AS an expression.
fn is_computed(column: &str) -> Error {
    Error::new(Code::InvalidValue, format!("the column {column} is computed")).hint("leave it out, or give it DEFAULT")
}

/// The error of a value for a column that is GENERATED ALWAYS AS IDENTITY.
fn from_sequence(column: &str) -> Error {
    Error::new(Code::InvalidValue, format!("the column {column} gets its values from its sequence"))
}

/// The indexes whose keys an ON CONFLICT means; `None` for all.
///
/// Errors: `UnknownColumn`, and `InvalidValue` when there is no such index; those of the condition.
fn arbiters(form: &Form, conflict: &Conflict) -> Result<Option<Vec<usize>>> {
    let (known, indexes) = (&form.definition, form.table.indexes());
    let places = |is_meant: &dyn Fn(&mainstay_store::IndexDefinition) -> bool| -> Vec<usize> {
        let is_meant = |index: &mainstay_store::IndexDefinition| (index.unique || index.primary) && is_meant(index);
        (0..indexes.len()).filter(|number| is_meant(indexes[*number].definition())).collect()
    };
    let (meant, missing) = if let Some(name) = &conflict.constraint {
        let meant = places(&|index| index.filter.is_empty() && index.name.to_lowercase() == name.key);
        (meant, format!("the table has no unique key {name}"))
    } else if conflict.columns.is_empty() {
        return Ok(None);
    } else {
        let columns: Result<Vec<usize>> = conflict.columns.iter().map(|name| form.column(&name.key)).collect();
        let mut columns = columns?;
        columns.sort_unstable();
        let condition = super::filter::filter(known, &conflict.filter)?;
        let has_rows = |index: &mainstay_store::IndexDefinition| {
            let mut declared = known.indexes.iter().filter(|declared| declared.name == index.name);
            index.filter.is_empty() || declared.any(|it| super::filter::implies(&condition, &it.filter))
        };
        let meant = places(&|index| {
            let mut of_index = index.column_numbers();
            of_index.sort_unstable();
            of_index == columns && has_rows(index)
        });
        (meant, "ON CONFLICT names no unique key of the table".to_owned())
    };
    if meant.is_empty() { Err(Error::new(Code::InvalidValue, missing)) } else { Ok(Some(meant)) }
}

/// The row that has a key of this one in one of these indexes, or in any.
fn existing(form: &Form, view: mainstay_store::View, row: &NewRow, indexes: Option<&[usize]>) -> Result<Option<u64>> {
    let mut reader = form.table.reader(view);
    let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
    for number in 0..form.table.indexes().len() {
        if indexes.is_none_or(|indexes| indexes.contains(&number))
            && let Some(version) = reader.rival(number, &values)?
        {
            return Ok(Some(version.position));
        }
    }
    Ok(None)
}

/// Returns true if an error is about the key of this index.
fn conflicts_in(form: &Form, index: usize, error: &Error) -> bool {
    let (indexes, broken) = (form.table.indexes(), error.constraint().map(|broken| broken.name.as_str()));
    indexes.get(index).is_some_and(|index| broken == Some(index.definition().name.as_str()))
}
