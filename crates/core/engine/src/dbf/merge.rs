//! MERGE into a DBF table: the planner's query chooses the branch of each row, as with native tables.
//!
//! Only the records that a branch changes are locked. Records are deleted first, then changed, then appended.

use super::change::{Changer, RecordChange, change_all, delete_all, record_of, shown};
use super::lock::{locked_rows, timed_out};
use super::values::{Target, fields_of, row_of, targets_of};
use crate::merged::{Decision, decisions, in_order};
use crate::returning::Rows;
use arrow_array::{Array, BooleanArray, RecordBatch};
use mainstay_planner::{Answer, Merge, MergeAction, RECORD_NUMBER};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::DbfTable;

/// The columns that a branch assigns to.
enum Places {
    /// UPDATE.
    Targets(Vec<Target>),
    /// INSERT: fields, by their places.
    Fields(Vec<usize>),
    /// DELETE.
    None,
}

/// The changes of a MERGE, sorted by kind; the last value beside a row is its record number.
#[derive(Default)]
struct Decided {
    deletes: Vec<(u64, Vec<Value>)>,
    updates: Vec<RecordChange>,
    inserts: Vec<(Vec<Value>, Vec<Value>)>,
}

impl Changer<'_> {
    /// MERGE.
    ///
    /// Errors: `InvalidValue` when two rows of the source would change the same record, and those of INSERT, UPDATE and
    /// DELETE.
    pub(crate) fn merge(&mut self, table: &DbfTable, open: &mut IndexedTable, merge: &Merge) -> Result<Answer> {
        let mut shown = shown(table, merge.alias.as_ref(), merge.returning.as_ref())?.with_missing_rows();
        let planned = self.planner.plan_merge(self.text, merge, (RECORD_NUMBER, shown.beside()), self.catalog)?;
        shown.planned(&planned);
        let places = merge.branches.iter().map(|branch| places(table, &branch.action)).collect::<Result<Vec<_>>>()?;
        let run = &mut self.run;
        let batches = locked_rows(table, open, &mut || run(&planned)?.collect()?.iter().map(taken).collect())?;
        let mut decided = Decided::default();
        let mut pace = Pace::default();
        for decision in decisions(merge, &batches, &shown)? {
            pace.step()?;
            if let Some(places) = places.get(decision.branch) {
                decide(table, places, decision, &mut decided)?;
            }
        }
        let keeps = shown.is_wanted();
        self.before = Some(table.before_write()?);
        let mut done = shown.no_rows(self.planner, false);
        let carried_out = open.atomically(|open| carry_out(table, open, &mut decided, keeps, &mut done));
        carried_out.map_err(timed_out)?;
        in_order(&mut done);
        shown.answer(self.planner, done)
    }
}

/// The rows that a branch is taken for.
fn taken(batch: &RecordBatch) -> Result<RecordBatch> {
    let branch = batch.column(1);
    let is_taken: BooleanArray = (0..batch.num_rows()).map(|row| Some(branch.is_valid(row))).collect();
    arrow_select::filter::filter_record_batch(batch, &is_taken)
        .map_err(|error| Error::new(Code::Internal, error.to_string()))
}

fn places(table: &DbfTable, action: &MergeAction) -> Result<Places> {
    match action {
        MergeAction::Update(assignments) => targets_of(table, assignments).map(Places::Targets),
        MergeAction::Delete | MergeAction::Nothing => Ok(Places::None),
        MergeAction::Insert(names, values) => {
            let fields = fields_of(table, names)?;
            if fields.len() != values.len() {
                let message = format!("{} values are given for {} columns", values.len(), fields.len());
                return Err(Error::new(Code::Syntax, message));
            }
            Ok(Places::Fields(fields))
        }
    }
}

fn decide(table: &DbfTable, places: &Places, decision: Decision<'_>, decided: &mut Decided) -> Result<()> {
    let Decision { position, values, beside, .. } = decision;
    match (places, position) {
        (Places::Targets(targets), Some(record)) => {
            let mut change = RecordChange::new(record, beside);
            for (target, value) in targets.iter().zip(values) {
                change.assign(table, *target, value)?;
            }
            decided.updates.push(change);
        }
        (Places::Fields(fields), None) => decided.inserts.push((record_of(table, fields, values)?, beside)),
        (Places::None, Some(record)) => decided.deletes.push((record, beside)),
        _ => {}
    }
    Ok(())
}

fn carry_out(
    table: &DbfTable,
    open: &mut IndexedTable,
    decided: &mut Decided,
    keeps: bool,
    done: &mut Rows,
) -> Result<()> {
    let gone = vec![Value::Null; table.fields().len() + 2];
    delete_all(open, &decided.deletes, done, |_, _, beside| Ok(keeps.then(|| (gone.clone(), beside.clone()))))?;
    change_all(open, &mut decided.updates, keeps, done)?;
    let rows: Vec<Vec<ValueRef<'_>>> =
        decided.inserts.iter().map(|(row, _)| row.iter().map(Value::as_ref).collect()).collect();
    let appended = open.append_many(rows.iter().map(Vec::as_slice))?;
    done.count += rows.len() as u64;
    if keeps {
        let mut bytes = Vec::new();
        for (record, (_, beside)) in appended.into_iter().flatten().zip(&decided.inserts) {
            open.read(record, &mut bytes)?;
            done.kept.push(row_of(open, record, &bytes)?, beside.clone())?;
        }
    }
    Ok(())
}
