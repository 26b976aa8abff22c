//! MERGE: executes the branches that the planner's query chooses for each row, with their values.
//!
//! All decisions are made before the first change. Rows are deleted first, then updated, then inserted, so that a
//! deleted key is free for an inserted row; RETURNING gives rows in the order of the query.

use super::change::{Changer, Inserted, assigned};
use super::forms::{Defaults, Form, NewRow};
use super::transaction::Changed;
use super::update::{Keep, Late, RowChange, update_late, update_row};
use crate::merged::{Decision, decisions, in_order};
use crate::returning::Rows;
use mainstay_planner::{Answer, Merge, MergeAction, POSITION};
use mainstay_store::{Transaction, Written};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Code, Error, Result, Value};

/// The changes of a MERGE, with the values beside each row for RETURNING; the last value there is the row's number.
#[derive(Default)]
struct Decided {
    deletes: Vec<(u64, Vec<Value>)>,
    updates: Vec<RowChange>,
    inserts: Vec<(NewRow, Vec<Value>)>,
}

impl Changer<'_> {
    /// MERGE.
    ///
    /// Errors: `InvalidValue` when two rows of the source would change the same row of the target, and those of INSERT,
    /// UPDATE and DELETE.
    pub(crate) fn merge(&self, transaction: &mut Transaction, merge: &Merge) -> Result<Changed<Answer>> {
        let form = self.target(transaction, &merge.table)?;
        let mut shown = form.shown(merge.alias.as_ref(), merge.returning.as_ref())?.with_missing_rows();
        let planned = self.planner.plan_merge(self.text, merge, (POSITION, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let columns = self.columns_of_branches(&form, merge)?;
        let view = transaction.begin_statement()?;
        if self.waits_for_pending(transaction, &form, (&planned, 0), view)? {
            return Ok(Changed::Overtaken);
        }
        let needs_defaults = needs_defaults(&form, merge, &columns);
        let defaults = self.defaults_if(needs_defaults, transaction, &form)?;
        let mut decided = Decided::default();
        let batches = self.batches(transaction, &planned, view)?;
        let mut pace = Pace::default();
        for decision in decisions(merge, batches.batches(), &shown)? {
            pace.step()?;
            let columns = columns.get(decision.branch).map_or(&[][..], Vec::as_slice);
            self.decide(&form, columns, decision, defaults.as_ref(), &mut decided)?;
        }
        let mut done = shown.no_rows(self.planner, form.looks_at_rows());
        if !carry_out(self, transaction, (&form, shown.is_wanted()), decided, &mut done)? {
            return Ok(Changed::Overtaken);
        }
        in_order(&mut done);
        shown.answer(self.planner, done).map(Changed::Done)
    }

    /// The columns that each branch gives values to.
    fn columns_of_branches(&self, form: &Form, merge: &Merge) -> Result<Vec<Vec<usize>>> {
        let columns = |action: &MergeAction| match action {
            MergeAction::Update(assignments) => assigned(form, assignments),
            MergeAction::Delete | MergeAction::Nothing => Ok(Vec::new()),
            MergeAction::Insert(names, values) => {
                let columns = self.given_columns(form, names)?;
                if columns.len() != values.len() {
                    let message = format!("{} values are given for {} columns", values.len(), columns.len());
                    return Err(Error::new(Code::Syntax, message));
                }
                Ok(columns)
            }
        };
        merge.branches.iter().map(|branch| columns(&branch.action)).collect()
    }

    fn decide(
        &self,
        form: &Form,
        columns: &[usize],
        decision: Decision<'_>,
        defaults: Option<&Defaults>,
        decided: &mut Decided,
    ) -> Result<()> {
        let Decision { action, position, values, beside, .. } = decision;
        match (action, position) {
            (MergeAction::Update(_), Some(position)) => {
                let value = |(column, value): (&usize, Option<Value>)| match value {
                    Some(value) => Ok((*column, form.converted(*column, value.as_ref())?)),
                    None => Ok((*column, defaults.map_or(Ok(Value::Null), |it| it.value(form, *column))?)),
                };
                let changes = columns.iter().zip(values).map(value).collect::<Result<_>>()?;
                decided.updates.push(RowChange { position, changes, beside });
            }
            (MergeAction::Delete, Some(position)) => decided.deletes.push((position, beside)),
            (MergeAction::Insert(..), None) => {
                decided.inserts.push((self.filled(form, columns, values, defaults)?, beside));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns true if a branch leaves columns to their defaults.
fn needs_defaults(form: &Form, merge: &Merge, columns: &[Vec<usize>]) -> bool {
    merge.branches.iter().zip(columns).any(|(branch, columns)| match &branch.action {
        MergeAction::Update(assignments) => assignments.iter().any(|assignment| assignment.value.is_none()),
        MergeAction::Delete | MergeAction::Nothing => false,
        MergeAction::Insert(_, values) => {
            columns.len() < form.definition.columns.len() || values.iter().any(Option::is_none)
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
                    done.kept.push(gone.clone(), beside)?;
                }
            }
            Written::Moved(_) | Written::Deleted => return Ok(false),
            Written::Gone => {}
        }
    }
    let whole = form.looks_at_rows() || keeps;
    let mut late = Late::default();
    for change in decided.updates {
        match update_row(transaction, form, view, &change, Keep::whole(whole), done) {
            Ok(Written::Moved(_) | Written::Deleted) => return Ok(false),
            Ok(Written::Done(_) | Written::Gone) => {}
            Err(error) if error.code() == Code::UniqueViolation => late.push(Some(changer.planner), change, error)?,
            Err(error) => return Err(error),
        }
    }
    if update_late(transaction, form, view, late, Keep::whole(whole), done)? {
        return Ok(false);
    }
    for (row, beside) in decided.inserts {
        let mut rows = [row];
        form.complete(&mut rows)?;
        let [row] = rows;
        match changer.insert_row(transaction, form, row, None)? {
            Inserted::Row(row) => {
                form.check_written(std::slice::from_ref(&row))?;
                done.count += 1;
                if keeps {
                    done.kept.push(row, beside)?;
                }
            }
            Inserted::Nothing => {}
            Inserted::Overtaken => return Ok(false),
        }
    }
    Ok(true)
}
