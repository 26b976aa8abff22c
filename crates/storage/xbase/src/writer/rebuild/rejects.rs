//! Unreadable values of a damaged table: left out of the new table, and listed beside it.
//!
//! Copying such a value would damage the new table too, and leaving it out would lose it. So the field of
//! the new record is blank (NULL where the field has NULLs), and its old bytes go to a text file beside the new table,
//! `NAME.rejects.txt`, one line for each value:
//!
//! ```text
//!   record <tab> field <tab> bytes <tab> reason
//!   17           AMOUNT      1..5\x00    '1..5\x00' is not a number
//! ```
//! `record` is the number in the old table, which the new one keeps. Bytes that are not printable ASCII are written as in Rust's string literals (`\x00`, `\t`, `\\`). Of a
//! memo, the bytes are those of its reference.

use super::Plan;
use crate::dbf::{Field, FieldKind, Records, decode_column};
use crate::{Finding, Severity};
use mainstay_types::Result;
use mainstay_vfs::{Create, FileSystem, WritableFile};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Values that are findings each; further ones are counted, and are in the file as well.
const KEPT: usize = 1000;

/// Lines that are written at a time.
const BUFFER_BYTES: usize = 64 << 10;

/// The name of the list beside a table.
pub(super) fn rejects_path(table: &Path) -> PathBuf {
    table.with_extension("rejects.txt")
}

/// The values that are left out of a new table, and the file with their bytes, which is created by the first one.
pub(super) struct Rejects {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    file: Option<Arc<dyn WritableFile>>,
    lines: Vec<u8>,
    written_bytes: u64,
    /// The first of them.
    first: Vec<Finding>,
    total: u64,
}

impl Rejects {
    pub(super) fn beside(fs: &Arc<dyn FileSystem>, table: &Path) -> Rejects {
        let (path, lines, first) = (rejects_path(table), Vec::new(), Vec::new());
        Rejects { fs: Arc::clone(fs), path, file: None, lines, written_bytes: 0, first, total: 0 }
    }

    /// Adds the value of a field, of which `cell` are the bytes in the old record.
    pub(super) fn add(&mut self, finding: Finding, record: u64, field: &str, cell: &[u8]) -> Result<()> {
        if self.file.is_none() {
            self.file = Some(self.fs.create(&self.path, Create::Truncate)?);
            self.lines.extend_from_slice(b"record\tfield\tbytes\treason\n");
        }
        let reason = finding.message.replace(['\t', '\n', '\r'], " ");
        writeln!(self.lines, "{record}\t{field}\t{}\t{reason}", cell.escape_ascii())?;
        self.total += 1;
        if self.first.len() < KEPT {
            self.first.push(finding);
        }
        if self.lines.len() < BUFFER_BYTES { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<()> {
        if let Some(file) = &self.file {
            file.write_at(&self.lines, self.written_bytes)?;
            self.written_bytes += self.lines.len() as u64;
            self.lines.clear();
        }
        Ok(())
    }

    /// Completes the file: the first findings, how many values there are, and the file if there is one.
    pub(super) fn finish(mut self) -> Result<(Vec<Finding>, u64, Option<PathBuf>)> {
        self.write()?;
        if let Some(file) = &self.file {
            file.sync()?;
        }
        Ok((self.first, self.total, self.file.map(|_| self.path)))
    }

    /// Removes the file of a repair that failed.
    pub(super) fn discard(self) {
        if self.file.is_some() {
            // The error that ended the repair is reported, not this one.
            let _ = self.fs.remove(&self.path);
        }
    }
}

/// A value of a run of records that cannot be read.
pub(super) struct Unreadable {
    /// Its record, by its place in the run.
    pub(super) row: usize,
    /// Its field, by its place in the table.
    pub(super) field: usize,
    pub(super) finding: Finding,
}

/// The values of these records that cannot be read, by rows. Long values are not among them: they are found when they are
/// copied.
pub(super) fn unreadable(plan: &Plan<'_>, records: &Records<'_>) -> Result<Vec<Unreadable>> {
    let how = plan.dbf.decoding(plan.memo);
    let mut all = Vec::new();
    for (number, field) in plan.dbf.fields().iter().enumerate().filter(|(_, field)| !field.kind.needs_memo()) {
        if decode_column(field, records, &how)?.findings.is_empty() {
            continue;
        }
        // A column names its first findings only.
        for (row, record) in records.iter().enumerate() {
            let numbers = [records.number(row)];
            let one = Records::of_rows(record, record.len(), &numbers);
            let found = decode_column(field, &one, &how)?.findings.first;
            let error = found.into_iter().find(|finding| finding.severity == Severity::Error);
            all.extend(error.map(|finding| Unreadable { row, field: number, finding }));
        }
    }
    all.sort_by_key(|unreadable| (unreadable.row, unreadable.field));
    Ok(all)
}

/// Takes a value out of a record; `blank` is a record without values. A text of varying length with a length beyond its
/// field keeps all bytes, for these are read.
pub(super) fn take_out(field: &Field, blank: &[u8], made: &mut [u8]) {
    let cell = field.offset..field.offset + field.length;
    if matches!(field.kind, FieldKind::Varchar | FieldKind::VarcharUnconverted | FieldKind::Varbinary)
        && field.adt.is_none()
    {
        if let Some(length) = made[cell].last_mut() {
            *length = u8::try_from(field.length - 1).unwrap_or(u8::MAX);
        }
        return;
    }
    made[cell.clone()].copy_from_slice(&blank[cell]);
    if let Some(bit) = field.null_bit {
        made[bit / 8] |= 1 << (bit % 8);
    }
}
