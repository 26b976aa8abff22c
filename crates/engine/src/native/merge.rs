//! MERGE: the planner's query says for each row which branch is taken and with what values; here it is done.
//!
//! All rows are decided on before the first is changed. Rows are taken away first, then changed, then put in, so that a
//! key that goes is free for one that comes; what RETURNING gives is in the order of the query.

use super::change::{Changer, Inserted, assigned, changes_of};
use super::forms::{Defaults, Form, NewRow};
use super::transaction::Changed;
use super::update::{RowChange, update_late, update_row};
use crate::returning::Rows;
use arrow_array::RecordBatch;
use mainstay_base::{Code, Error, Result, Value};
use mainstay_query::{Answer, Merge, MergeAction, POSITION};
use mainstay_store::{Transaction, Written};
use mainstay_table::values::value_at;
use std::collections::HashSet;

/// The first column of the query that is a value of a branch.
const FIRST_VALUE: usize = 2;

/// What is to be done, with what RETURNING wants to have beside each row; the last value there is the row's number.
#[derive(Default)]
struct Decided {
    deletes: Vec<(u64, Vec<Value>)>,
    updates: Vec<RowChange>,
    inserts: Vec<(NewRow, Vec<Value>)>,
}

/// A branch with the columns that it gives values to, and the place of its first value among those of the query.
struct Bound<'m> {
    action: &'m MergeAction,
    columns: Vec<usize>,
    first: usize,
}

impl Changer<'_> {
    /// MERGE.
    ///
    /// Errors: `InvalidValue` when two rows of the source would change the same row of the target, and those of INSERT,
    /// UPDATE and DELETE.
    pub(crate) fn merge(&self, transaction: &mut Transaction, merge: &Merge) -> Result<Changed<Answer>> {
        let form = self.form(transaction, &merge.table)?;
        let mut shown = form.shown(merge.alias.as_ref(), merge.returning.as_ref())?.with_missing_rows();
        let planned = self.planner.plan_merge(self.text, merge, (POSITION, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let branches = self.bound(&form, merge)?;
        let view = transaction.begin_statement()?;
        let defaults = form.defaults_if(needs_defaults(&form, &branches), self.planner, self.sequences(transaction))?;
        let mut decided = Decided::default();
        let (mut seen, mut number) = (HashSet::new(), 0);
        for batch in self.batches(transaction, &planned, view)? {
            for row in 0..batch.num_rows() {
                let Value::Integer(branch) = value_at(batch.column(1), row)? else { continue };
                let Some(branch) = usize::try_from(branch).ok().and_then(|branch| branches.get(branch)) else {
                    continue;
                };
                let mut beside = shown.values(&batch, row)?;
                beside.push(Value::Integer(number));
                number += 1;
                let position = match value_at(batch.column(0), row)? {
                    Value::Integer(position) => Some(position as u64),
                    _ => None,
                };
                if position.is_some_and(|position| !seen.insert(position)) {
                    return Err(twice(&form));
                }
                self.decide(&form, branch, position, (&batch, row), (beside, defaults.as_ref()), &mut decided)?;
            }
        }
        let mut done = Rows::default();
        if !carry_out(self, transaction, (&form, shown.is_wanted()), decided, &mut done)? {
            return Ok(Changed::Overtaken);
        }
        done.kept.sort_by_key(|(_, beside)| match beside.last() {
            Some(Value::Integer(number)) => *number,
            _ => 0,
        });
        shown.answer(self.planner, done).map(Changed::Done)
    }

    fn bound<'m>(&self, form: &Form, merge: &'m Merge) -> Result<Vec<Bound<'m>>> {
        let mut first = FIRST_VALUE;
        let mut branches = Vec::with_capacity(merge.branches.len());
        for branch in &merge.branches {
            let columns = match &branch.action {
                MergeAction::Update(assignments) => assigned(form, assignments)?,
                MergeAction::Delete => Vec::new(),
                MergeAction::Insert(names, values) => {
                    let columns = self.given_columns(form, names)?;
                    if columns.len() != values.len() {
                        let message = format!("{} values are given for {} columns", values.len(), columns.len());
                        return Err(Error::new(Code::Syntax, message));
                    }
                    columns
                }
            };
            branches.push(Bound { action: &branch.action, columns, first });
            first += branch.action.values().len();
        }
        Ok(branches)
    }

    fn decide(
        &self,
        form: &Form,
        branch: &Bound<'_>,
        position: Option<u64>,
        (batch, row): (&RecordBatch, usize),
        (beside, defaults): (Vec<Value>, Option<&Defaults>),
        decided: &mut Decided,
    ) -> Result<()> {
        match (branch.action, position) {
            (MergeAction::Update(assignments), Some(position)) => {
                let place = (assignments.as_slice(), branch.columns.as_slice());
                let changes = changes_of(form, place, (batch, row, branch.first), defaults)?;
                decided.updates.push(RowChange { position, changes, beside });
            }
            (MergeAction::Delete, Some(position)) => decided.deletes.push((position, beside)),
            (MergeAction::Insert(_, values), None) => {
                let mut place = branch.first;
                let mut given = Vec::with_capacity(values.len());
                for value in values {
                    given.push(match value {
                        None => None,
                        Some(_) => {
                            place += 1;
                            Some(value_at(batch.column(place - 1), row)?)
                        }
                    });
                }
                decided.inserts.push((self.filled(form, &branch.columns, given, defaults)?, beside));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a branch leaves columns to their defaults.
fn needs_defaults(form: &Form, branches: &[Bound<'_>]) -> bool {
    branches.iter().any(|branch| match branch.action {
        MergeAction::Update(assignments) => assignments.iter().any(|assignment| assignment.value.is_none()),
        MergeAction::Delete => false,
        MergeAction::Insert(_, values) => {
            branch.columns.len() < form.definition.columns.len() || values.iter().any(Option::is_none)
        }
    })
}

/// Does it; false when another transaction was first.
fn carry_out(
    changer: &Changer<'_>,
    transaction: &mut Transaction,
    (form, keeps): (&Form, bool),
    decided: Decided,
    done: &mut Rows,
) -> Result<bool> {
    let view = transaction.begin_statement()?;
    let gone = vec![Value::Null; form.definition.columns.len()];
    for (position, beside) in decided.deletes {
        match form.table.delete(transaction, position)? {
            Written::Done(_) => {
                done.count += 1;
                if keeps {
                    done.kept.push((gone.clone(), beside));
                }
            }
            Written::Moved(_) => return Ok(false),
            Written::Gone => {}
        }
    }
    let whole = form.looks_at_rows() || keeps;
    let mut late = Vec::new();
    for change in decided.updates {
        match update_row(transaction, form, view, &change, whole, done) {
            Ok(Written::Moved(_)) => return Ok(false),
            Ok(Written::Done(_) | Written::Gone) => {}
            Err(error) if error.code() == Code::UniqueViolation => late.push((change, error)),
            Err(error) => return Err(error),
        }
    }
    if update_late(transaction, form, view, late, whole, done)? {
        return Ok(false);
    }
    for (row, beside) in decided.inserts {
        let mut rows = [row];
        form.complete(&mut rows)?;
        let [row] = rows;
        match changer.insert_row(transaction, form, row, None)? {
            Inserted::Row(row) => {
                done.count += 1;
                if keeps {
                    done.kept.push((row, beside));
                }
            }
            Inserted::Nothing => {}
            Inserted::Overtaken => return Ok(false),
        }
    }
    Ok(true)
}

#[cold]
fn twice(form: &Form) -> Error {
    let message = format!("MERGE would change a row of {} twice", form.definition.name);
    Error::new(Code::InvalidValue, message).hint("see that each row of the target meets one row of the source")
}
