//! Bulk insert from Arrow vectors: one memory copy per column, stamps in one go, and entries of indexes.
//!
//! Rows are written group by group. Within a group the columns come first, so that keys are made from the stored
//! values; slots become visible to others only after their entries are in place.

use super::entries::{NewRows, Refused};
use super::references::Check;
use super::{NativeTable, Writer, internal};
use crate::column::check_array;
use crate::group::offset_of;
use crate::row::Stored;
use crate::transaction::Transaction;
use arrow_array::{Array, ArrayRef};
use mainstay_types::{Code, Error, Result, interrupt};
use std::sync::Arc;

/// The outcome of inserting a portion of the rows.
struct Portion {
    /// The position of its first row.
    first: u64,
    first_row_id: u64,
    /// The number of inserted rows.
    rows: usize,
    /// The reason that stopped it before the group was full.
    stopped: Option<Refused>,
}

impl NativeTable {
    /// Inserts the rows of these vectors, one for each column, in the columns' physical types. Returns their number.
    ///
    /// Errors: as [`NativeTable::insert`]. Some rows may be in then: the caller rolls back to before the statement.
    pub fn insert_columns(self: &Arc<Self>, transaction: &mut Transaction, arrays: &[ArrayRef]) -> Result<usize> {
        let rows = self.check_arrays(arrays)?;
        let mark = transaction.enter(self)?;
        let view = transaction.fixed_view();
        let mut done = 0;
        while done < rows {
            interrupt::check()?;
            transaction.count_changes_and_rows()?;
            self.admit()?;
            let portion = {
                let mut writer = self.latch();
                self.append_portion(&mut writer, arrays, done..rows, (mark, view))?
            };
            if portion.rows > 0 {
                transaction.note_inserted(self, portion.first, portion.rows as u32);
                if let Some(redo) = transaction.redo().filter(|_| self.definition.logged) {
                    let written: Vec<ArrayRef> = arrays.iter().map(|array| array.slice(done, portion.rows)).collect();
                    redo.inserted_columns(self.id, portion.first_row_id, &written)?;
                }
                if self.references.has_parents() {
                    let positions = portion.first..portion.first + portion.rows as u64;
                    positions.for_each(|position| transaction.note_check(Check::child(self, position)));
                }
            }
            done += portion.rows;
            match portion.stopped {
                None => {}
                Some(refused) => {
                    let obstacle = refused.met(transaction, self)?;
                    transaction.wait(&obstacle)?;
                }
            }
        }
        Ok(rows)
    }

    /// Checks the vectors against the columns, and returns the number of their rows.
    pub(super) fn check_arrays(&self, arrays: &[ArrayRef]) -> Result<usize> {
        let rows = arrays.first().map_or(0, |array| array.len());
        if arrays.len() != self.types.len() || arrays.iter().any(|array| array.len() != rows) {
            let message = format!("{} vectors for {} columns, or of unequal lengths", arrays.len(), self.types.len());
            return Err(Error::new(Code::TypeMismatch, message));
        }
        for (number, (column, array)) in self.definition.columns.iter().zip(arrays).enumerate() {
            check_array(column.sql_type, array).map_err(|error| self.in_column(error, number))?;
            if !column.nullable && array.null_count() > 0 {
                return Err(self.not_null(number));
            }
        }
        Ok(rows)
    }

    /// Appends as many of these rows as the group has room for.
    fn append_portion(
        &self,
        writer: &mut Writer,
        arrays: &[ArrayRef],
        rows: std::ops::Range<usize>,
        (mark, view): (u64, u64),
    ) -> Result<Portion> {
        let first_row_id = writer.next_row_id;
        let group = self.room(writer)?;
        let count = rows.len().min(group.room());
        let first = group.next_position();
        group.fill_columns(arrays, rows.start..rows.start + count, mark, first_row_id)?;
        let group = Arc::clone(group.group());
        let mut entered = count;
        let mut stopped = None;
        let is_watched = self.shared.ranges.any();
        if !writer.indexes.is_empty() || is_watched {
            let rows = NewRows { first, first_row_id, count, mark, view, is_alone: false, is_watched };
            let before = |row: &Stored<'_>| match self.kept_out(row, mark, true) {
                Some(obstacle) => Err(Refused::Obstacle(obstacle)),
                None => Ok(()),
            };
            (entered, stopped) = rows.enter(self, writer, &group, before);
        }
        // The rest of the slots is used up: their rows were copied, and are rolled back.
        (entered..count).for_each(|i| group.abort(offset_of(first) + i));
        let group = writer.current.as_mut().ok_or_else(|| internal("a table has no group to append to"))?;
        group.publish(count);
        writer.next_row_id += count as u64;
        self.count_garbage(count - entered);
        Ok(Portion { first, first_row_id, rows: entered, stopped })
    }
}
