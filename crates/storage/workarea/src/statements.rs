//! An area and statements of the same connection, which share its locks: they may change its locked current record
//! while changes of the area are pending.
//!
//! ```text
//!   before_statement     what is only in memory is written; a record that was appended gets its keys
//!   the statement
//!   after_statement      fields that were changed here and are not written stay so; all others are those of the file
//! ```

use crate::area::Area;
use mainstay_types::Result;
use std::ops::Range;

impl Area {
    /// A statement of the same connection is about to change records.
    ///
    /// Errors: those of writing.
    pub fn before_statement(&mut self) -> Result<()> {
        self.list_appended()?;
        if self.has_unwritten || self.has_unwritten_keys { self.settle_all() } else { Ok(()) }
    }

    /// A statement of the same connection may have changed records.
    ///
    /// Errors: those of reading.
    pub fn after_statement(&mut self) -> Result<()> {
        if self.is_alone() || !self.is_positioned() || self.row.is_new {
            return Ok(());
        }
        self.must_look = true;
        if !self.row.is_loaded && !self.row.is_changed {
            return Ok(());
        }
        let mut now = vec![0; self.row.bytes.len()];
        self.dbf.read_record(u64::from(self.recno) - 1, &mut now)?;
        self.blocks.patch(self.recno, &now);
        self.put_beneath(now);
        Ok(())
    }

    /// The current record is this one in the table, of which an area without its table has changed some fields.
    pub fn show_beneath(&mut self, now: &[u8]) {
        if now.len() == self.blank.len() {
            self.put_beneath(now.to_vec());
            self.row.lent.clear();
        }
    }

    fn put_beneath(&mut self, now: Vec<u8>) {
        if self.row.is_changed {
            let merged = self.merged(&now);
            (self.row.bytes, self.row.before) = (merged, now);
        } else {
            self.row.bytes = now;
        }
    }

    /// The places in a record of what says which fields are NULL: behind the fields that programs see.
    pub(crate) fn null_flags(&self) -> Range<usize> {
        let end = self.fields().iter().map(|field| field.offset + field.length).max().unwrap_or(1);
        end..self.blank.len().max(end)
    }

    /// The record of the file with the fields that are changed here.
    fn merged(&self, now: &[u8]) -> Vec<u8> {
        let (bytes, before) = (&self.row.bytes, &self.row.before);
        let mut merged = now.to_vec();
        let mut take = |at: usize, length: usize, is_bits: bool| {
            let range = at..at + length;
            let (Some(new), Some(old), Some(out)) =
                (bytes.get(range.clone()), before.get(range.clone()), merged.get_mut(range))
            else {
                return;
            };
            if is_bits {
                let flags = out.iter_mut().zip(new.iter().zip(old));
                flags.for_each(|(out, (new, old))| *out = *out & !(new ^ old) | new & (new ^ old));
            } else if new != old {
                out.copy_from_slice(new);
            }
        };
        take(0, 1, false);
        self.fields().iter().for_each(|field| take(field.offset, field.length, false));
        self.null_flags().for_each(|at| take(at, 1, true));
        merged
    }
}
