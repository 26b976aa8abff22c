//! Reads by a count of records taken before: some of the counted records may be rolled back meanwhile.
//!
//! A transaction appends its records visibly to all programs, and removes them when it is rolled back
//! (`writer/undo.rs`): first the header's count is lowered, then the file is truncated. A damaged file may be truncated
//! too. The header distinguishes the two:
//!
//! ```text
//!   the file ends before a record, and the header counts it not      taken back: it was never committed
//!                                  and the header counts it          the table is damaged
//! ```
//! The header is read after the read that met the end. Other programs append and roll back all the time, so apparent
//! damage is checked again: an append writes its record before the header counts it.

use super::{Dbf, blank_record};
use crate::adt::RecordLayout;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;

/// The number of repeated reads before a table is reported as damaged.
const LOOKS: usize = 8;

/// Reads whole records from `row` on (rows count from 0), and gives how many of them are there; the others were taken back.
///
/// Errors: `Damaged` when the file does not hold what it counts.
pub fn read_counted(
    file: &dyn File,
    (layout, header_length, record_length): (RecordLayout, u64, usize),
    row: u64,
    buffer: &mut [u8],
) -> Result<usize> {
    let offset = row.saturating_mul(record_length as u64).saturating_add(header_length);
    let record_length = record_length.max(1);
    for _ in 0..LOOKS {
        let read = file.read_at(buffer, offset)?;
        let there = read / record_length;
        if read == buffer.len() {
            return Ok(there);
        }
        let mut count = [0; 4];
        file.read_exact_at(&mut count, layout.count_at())?;
        if u64::from(u32::from_le_bytes(count)) <= row + there as u64 {
            return Ok(there);
        }
    }
    Err(beyond_the_end(file, row, (buffer.len() / record_length) as u64))
}

/// The error of records that are counted, and not there.
pub(crate) fn beyond_the_end(file: &dyn File, row: u64, records: u64) -> Error {
    let message = format!("records {} to {} reach beyond the end of the file", row + 1, row + records);
    Error::new(Code::Damaged, message).at(file.path().display())
}

impl Dbf {
    /// Reads whole counted records: those that were rolled back since are blank and deleted. Returns the number of
    /// records present.
    pub(crate) fn read_counted(&self, row: u64, buffer: &mut [u8]) -> Result<usize> {
        let record_length = self.header.record_bytes().max(1);
        let lengths = (self.header.layout, u64::from(self.header.header_length), record_length);
        let there = read_counted(&*self.file, lengths, row, buffer)?;
        if there < buffer.len() / record_length {
            let blank = blank_deleted(self);
            buffer.chunks_exact_mut(record_length).skip(there).for_each(|record| record.copy_from_slice(&blank));
        }
        Ok(there)
    }
}

/// The bytes of a record that is as good as none.
pub fn blank_deleted(dbf: &Dbf) -> Vec<u8> {
    let mut blank = blank_record(dbf.fields(), &dbf.header);
    dbf.header.layout.set_deleted(&mut blank, true);
    blank
}
