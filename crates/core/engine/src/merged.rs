//! The rows of a MERGE's query, independent of the kind of its table.
//!
//! ```text
//!   place in the target | number of the branch, or NULL | values of branch 0, of branch 1, ... | values for RETURNING
//! ```

use crate::returning::{Rows, Shown};
use arrow_array::RecordBatch;
use mainstay_columnar::values::value_at;
use mainstay_planner::{Merge, MergeAction};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Cause, Code, Error, Result, Value};
use std::collections::HashSet;

/// The first column of the query that is a value of a branch.
const FIRST_VALUE: usize = 2;

/// The action of a MERGE on one row.
pub(crate) struct Decision<'m> {
    /// The number of the branch among those of the statement.
    pub(crate) branch: usize,
    /// The action of the branch that is taken.
    pub(crate) action: &'m MergeAction,
    /// The row of the target; none for an INSERT.
    pub(crate) position: Option<u64>,
    /// A value for each assignment or each value of the INSERT; `None` for DEFAULT.
    pub(crate) values: Vec<Option<Value>>,
    /// The values beside the row for RETURNING, and behind them the row's number.
    pub(crate) beside: Vec<Value>,
}

/// The decisions of a MERGE, row by row of its query.
///
/// Errors: `InvalidValue` when two rows of the source would change the same row of the target.
pub(crate) fn decisions<'m>(merge: &'m Merge, batches: &[RecordBatch], shown: &Shown) -> Result<Vec<Decision<'m>>> {
    let mut first = FIRST_VALUE;
    let mut branches = Vec::with_capacity(merge.branches.len());
    for branch in &merge.branches {
        branches.push((&branch.action, first));
        first += branch.action.values().len();
    }
    let (mut seen, mut decided, mut pace) = (HashSet::new(), Vec::new(), Pace::default());
    for batch in batches {
        for row in 0..batch.num_rows() {
            pace.step()?;
            let Value::Integer(branch) = value_at(batch.column(1), row)? else { continue };
            let Ok(branch) = usize::try_from(branch) else { continue };
            let Some(&(action, first)) = branches.get(branch) else { continue };
            if matches!(action, MergeAction::Nothing) {
                continue;
            }
            let position = match value_at(batch.column(0), row)? {
                Value::Integer(position) => Some(position as u64),
                _ => None,
            };
            if position.is_some_and(|position| !seen.insert(position)) {
                return Err(twice(merge));
            }
            let mut beside = shown.values(batch, row)?;
            beside.push(Value::Integer(i64::try_from(decided.len()).unwrap_or(i64::MAX)));
            let values = values_of(action, first, (batch, row))?;
            decided.push(Decision { branch, action, position, values, beside });
        }
    }
    Ok(decided)
}

/// The values of a branch, which stand in the query's columns from `first` on.
fn values_of(action: &MergeAction, first: usize, (batch, row): (&RecordBatch, usize)) -> Result<Vec<Option<Value>>> {
    let given: Vec<bool> = match action {
        MergeAction::Update(assignments) => assignments.iter().map(|it| it.value.is_some()).collect(),
        MergeAction::Delete | MergeAction::Nothing => Vec::new(),
        MergeAction::Insert(_, values) => values.iter().map(Option::is_some).collect(),
    };
    let mut place = first;
    let mut values = Vec::with_capacity(given.len());
    for is_given in given {
        values.push(match is_given {
            true => {
                place += 1;
                Some(value_at(batch.column(place - 1), row)?)
            }
            false => None,
        });
    }
    Ok(values)
}

/// Puts what was done in the order of the query's rows.
pub(crate) fn in_order(done: &mut Rows) {
    done.kept.rows.sort_by_key(|(_, beside)| match beside.last() {
        Some(Value::Integer(number)) => *number,
        _ => 0,
    });
}

#[cold]
fn twice(merge: &Merge) -> Error {
    let message = format!("MERGE would change a row of {} twice", merge.table);
    let error = Error::new(Code::InvalidValue, message).because(Cause::ChangedTwice);
    error.hint("see that each row of the target meets one row of the source")
}
