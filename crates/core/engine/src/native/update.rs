//! The rows of an UPDATE, one by one, and then those whose new key another row of the statement still had.
//!
//! ISO SQL checks unique keys at the end of a statement. The store checks them when a version is written, which is the
//! same for nearly all statements, except for those that give a row a key that another row of the statement still has:
//!
//! ```text
//!   SET id = id + 1       1 2 3          1 and 2 are late; 3 becomes 4; then, from the last one: 2 becomes 3, 1 becomes 2
//!   SET id = 3 - id       1 2            both are late, and stay it: both are deleted, then inserted with their new keys
//!   SET id = id + 1       2 4 6 1 3 5    of the four that are late a pass frees the 4 only: what is left, as a ring
//! ```
//!
//! Rows of such a ring get new row ids. References to a key that has gone are checked at the end of the statement, so
//! references to a key that another row has taken are valid; and ON UPDATE actions follow a row to its new key.

use super::forms::Form;
use super::versions::stored;
use crate::returning::{Rows, bytes_of};
use crate::rows::NewRow;
use mainstay_planner::{HeldMemory, Planner};
use mainstay_store::group::{Group, offset_of};
use mainstay_store::{Transaction, View, Written};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::sync::Arc;

/// The version of a row, and the columns of it that an UPDATE changes.
pub(crate) struct RowChange {
    pub(crate) position: u64,
    pub(crate) changes: Vec<(usize, Value)>,
    /// The values beside the row for RETURNING.
    pub(crate) beside: Vec<Value>,
}

/// The rows whose new keys other rows had when it was their turn, why the last one was refused, and the memory that they hold.
#[derive(Default)]
pub(crate) struct Late {
    rows: Vec<RowChange>,
    refusal: Option<Error>,
    memory: Option<HeldMemory>,
}

impl Late {
    /// Keeps a row for later. A planner, for statements that may have many of them, is asked for the memory.
    ///
    /// Errors: `OutOfMemory`.
    pub(crate) fn push(&mut self, planner: Option<&Planner>, change: RowChange, error: Error) -> Result<()> {
        let values = change.changes.iter().map(|(_, value)| bytes_of(std::slice::from_ref(value))).sum::<usize>();
        let bytes = size_of::<RowChange>() + values + bytes_of(&change.beside);
        if let Some(planner) = planner {
            let held = || planner.held_memory("rows that wait for each other's keys");
            self.memory.get_or_insert_with(held).add(bytes)?;
        }
        self.rows.push(change);
        self.refusal = Some(error);
        Ok(())
    }
}

/// The form in which RETURNING gets the changed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Nothing,
    /// The rows, completed.
    Rows,
    /// Their new versions, where they lie.
    Versions,
}

impl Keep {
    /// The whole rows, or nothing of them.
    pub(crate) fn whole(whole: bool) -> Keep {
        if whole { Keep::Rows } else { Keep::Nothing }
    }
}

/// Changes one row, and keeps of it what is wanted.
pub(crate) fn update_row(
    transaction: &mut Transaction,
    form: &Form,
    view: View,
    change: &RowChange,
    keep: Keep,
    done: &mut Rows,
) -> Result<Written> {
    let written = if form.packed.is_some() {
        update_packed(transaction, form, view, change, keep, done)?
    } else if keep == Keep::Rows {
        let new = changed_row(transaction, form, view, change)?;
        let values: Vec<ValueRef<'_>> = new.iter().map(Value::as_ref).collect();
        let written = form.table.update(transaction, change.position, values.as_slice())?;
        if matches!(written, Written::Done(_)) {
            form.check_written(std::slice::from_ref(&new))?;
            done.kept.push(new, change.beside.clone())?;
        }
        written
    } else {
        let changes: Vec<(usize, ValueRef<'_>)> =
            change.changes.iter().map(|(column, value)| (*column, value.as_ref())).collect();
        let written = form.table.update_columns(transaction, change.position, &changes)?;
        if let (Keep::Versions, Written::Done(new)) = (keep, written) {
            done.keep_version(form, new, &change.beside)?;
        }
        written
    };
    done.count += u64::from(matches!(written, Written::Done(_)));
    Ok(written)
}

/// Changes a row through a view over packed records.
fn update_packed(
    transaction: &mut Transaction,
    form: &Form,
    view: View,
    change: &RowChange,
    keep: Keep,
    done: &mut Rows,
) -> Result<Written> {
    let Some((old, new)) = form.packed_change(transaction, view, (change.position, &change.changes))? else {
        return Ok(Written::Gone);
    };
    let changes: Vec<(usize, ValueRef<'_>)> = (0..new.len())
        .filter(|column| old[*column] != new[*column])
        .map(|column| (column, new[column].as_ref()))
        .collect();
    let written = form.table.update_columns(transaction, change.position, &changes)?;
    if keep != Keep::Nothing && matches!(written, Written::Done(_)) {
        done.kept.push(form.shown_row(new)?, change.beside.clone())?;
    }
    Ok(written)
}

impl Rows {
    /// Keeps what is wanted of a version that the transaction has written or ended.
    pub(crate) fn keep(&mut self, form: &Form, keep: Keep, position: u64, beside: Vec<Value>) -> Result<()> {
        match keep {
            Keep::Nothing => Ok(()),
            Keep::Versions => self.keep_version(form, position, &beside),
            Keep::Rows => {
                let (group, offset) = version(form, position)?;
                let row = (0..form.definition.columns.len()).map(|column| group.value(offset, column).to_value());
                self.kept.push(row.collect(), beside)
            }
        }
    }

    /// Keeps a version where it lies, and the values beside it.
    fn keep_version(&mut self, form: &Form, position: u64, beside: &[Value]) -> Result<()> {
        self.versions.push(version(form, position)?);
        self.beside.extend_from_slice(beside);
        Ok(())
    }
}

/// A version that the transaction has written or ended: its group, and the offset there. While the transaction is open, the
/// group is in the table.
fn version(form: &Form, position: u64) -> Result<(Arc<Group>, usize)> {
    let directory = form.table.directory();
    let group = directory.group(position);
    let group = group.ok_or_else(|| Error::new(Code::Internal, "a row that was written is in no group"))?;
    Ok((Arc::clone(group), offset_of(position)))
}

/// A row as it will be stored.
fn changed_row(transaction: &mut Transaction, form: &Form, view: View, change: &RowChange) -> Result<NewRow> {
    if let Some((_, new)) = form.packed_change(transaction, view, (change.position, &change.changes))? {
        return Ok(new);
    }
    let mut new = stored(form, &form.table.reader(view), change.position);
    change.changes.iter().for_each(|(column, value)| new[*column] = value.clone());
    form.complete(std::slice::from_mut(&mut new))?;
    Ok(new)
}

/// Changes the rows whose new keys other rows had when it was their turn: ISO SQL looks at keys when a statement is
/// done, and by then those may have got other ones. Rows that only wait for each other (two that swap their keys) are
/// all taken out before they come back. True when another transaction was first.
///
/// Errors: the `UniqueViolation` of a row whose key is still there.
pub(crate) fn update_late(
    transaction: &mut Transaction,
    form: &Form,
    view: View,
    late: Late,
    keep: Keep,
    done: &mut Rows,
) -> Result<bool> {
    // Late changes are mostly a chain, and each row came before the one that it waits for: a pass from the end resolves
    // it. Rows in another order may be freed a few at a pass only; then they are treated as rings.
    let Late { rows: mut late, mut refusal, mut memory } = late;
    let mut most = usize::MAX;
    while !late.is_empty() && late.len() <= most {
        most = late.len() / 2;
        let mut still = Vec::new();
        for change in late.into_iter().rev() {
            match update_row(transaction, form, view, &change, keep, done) {
                Ok(Written::Moved(_) | Written::Deleted) => return Ok(true),
                Ok(Written::Done(_) | Written::Gone) => {}
                Err(error) if error.code() == Code::UniqueViolation => {
                    refusal = Some(error);
                    still.push(change);
                }
                Err(error) => return Err(error),
            }
        }
        still.reverse();
        late = still;
    }
    // Of one row it is that row's.
    if let (1, Some(error)) = (late.len(), refusal) {
        return Err(error);
    }
    let mut new_rows = Vec::with_capacity(late.len());
    for change in &late {
        let new = changed_row(transaction, form, view, change)?;
        match form.table.delete(transaction, change.position)? {
            Written::Done(old) => {
                if let Some(memory) = &mut memory {
                    memory.add(bytes_of(&new))?;
                }
                new_rows.push((old, new, change.beside.clone()));
            }
            Written::Moved(_) | Written::Deleted => return Ok(true),
            Written::Gone => {}
        }
    }
    for (old, new, beside) in new_rows {
        let values: Vec<ValueRef<'_>> = new.iter().map(Value::as_ref).collect();
        let position = form.table.insert(transaction, values.as_slice())?;
        transaction.note_replaced(&form.table, old, position);
        form.check_written(std::slice::from_ref(&new))?;
        done.count += 1;
        match keep {
            Keep::Nothing => {}
            Keep::Rows => done.kept.push(form.shown_row(new)?, beside)?,
            Keep::Versions => done.keep_version(form, position, &beside)?,
        }
    }
    Ok(false)
}
