//! Encodes the values of one record; long ones go to the memo file.

use super::TableWriter;
use crate::dbf::encode::memo_bytes;
use crate::dbf::{Field, FieldKind, encode, encode_reference};
use crate::memo::Reference;
use mainstay_types::{Code, Error, Result, ValueRef};
use std::path::Path;

/// Blocks of a value in the memo file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored {
    /// A value that says its own length.
    Memo(Reference),
    /// Bytes of a field of any type: first block and length.
    Raw(u64, u64),
}

/// The longest text of a field of any type; what is above are types.
const LONGEST_ANY: usize = 64_000;

impl TableWriter {
    /// Puts values into their fields of `record`; blocks that were stored for it are added to `stored`.
    pub(super) fn fill<'v>(
        &mut self,
        record: &mut [u8],
        values: impl Iterator<Item = (usize, ValueRef<'v>)>,
        stored: &mut Vec<Stored>,
    ) -> Result<()> {
        let how = self.encoding();
        let TableWriter { dbf, memo, path, .. } = self;
        for (number, value) in values {
            let Some(field) = dbf.fields().get(number) else {
                let message = format!("there is no field {}; the table has {}", number + 1, dbf.fields().len());
                return Err(Error::new(Code::UnknownColumn, message).at(path.display()));
            };
            if !field.kind.needs_memo() || value == ValueRef::Null {
                encode(field, value, &how, record).map_err(|error| in_table(error, path))?;
                continue;
            }
            let bytes = memo_bytes(field, value, &how)?;
            if bytes.is_empty() || field.kind == FieldKind::Any && bytes.len() + 2 <= field.length {
                encode(field, if bytes.is_empty() { ValueRef::Text("") } else { value }, &how, record)?;
                continue;
            }
            let Some(memo) = memo else {
                return Err(Error::new(Code::Damaged, "the table has no memo file").at(path.display()));
            };
            if field.kind != FieldKind::Any {
                let reference = memo.store(field.letter, &bytes)?;
                stored.extend(reference.map(Stored::Memo));
                encode_reference(field, memo.memo().kind(), reference.as_ref(), record)?;
                continue;
            }
            if bytes.len() > LONGEST_ANY {
                let message = format!("field {} holds texts of up to {LONGEST_ANY} bytes", field.name);
                return Err(Error::new(Code::InvalidValue, message));
            }
            let (head, rest) = bytes.split_at(field.length - 6);
            let block = memo.store_raw(rest)?;
            stored.push(Stored::Raw(block, rest.len() as u64));
            let cell = &mut record[field.offset..field.offset + field.length];
            cell[..head.len()].copy_from_slice(head);
            let narrow =
                u32::try_from(block).map_err(|_| Error::new(Code::Unsupported, "the memo file is too large"))?;
            cell[head.len()..head.len() + 4].copy_from_slice(&narrow.to_le_bytes());
            cell[head.len() + 4..].copy_from_slice(&(bytes.len() as u16).to_le_bytes());
        }
        Ok(())
    }

    /// Returns true if a memo field of a record has this value already.
    pub(super) fn is_same_memo(&self, field: usize, value: ValueRef<'_>, record: &[u8]) -> Result<bool> {
        let (Some(field), Some(memo)) = (self.fields().get(field), &self.memo) else { return Ok(false) };
        if !matches!(field.kind, FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide) {
            return Ok(false);
        }
        let Some(Stored::Memo(reference)) = self.stored_in(field, record) else { return Ok(false) };
        match value {
            ValueRef::Text(_) | ValueRef::Binary(_) => {
                let wanted = memo_bytes(field, value, &self.encoding())?;
                Ok(memo.memo().read(Some(&reference))?.is_some_and(|found| found == *wanted))
            }
            _ => Ok(false),
        }
    }

    /// The blocks that a field of a record refers to.
    pub(super) fn stored_in(&self, field: &Field, record: &[u8]) -> Option<Stored> {
        let cell = record.get(field.offset..field.offset + field.length)?;
        if field.kind != FieldKind::Any {
            return self.memo.as_ref()?.memo().reference(cell).ok()?.map(Stored::Memo);
        }
        let (block, length) = crate::dbf::any_blocks(cell)?;
        Some(Stored::Raw(block, length?))
    }

    /// Gives back the blocks of memos that no record refers to any more, if that can be done: on a disk that is full the list of
    /// free blocks cannot grow. Those that are not on it stay unused until the table is packed, which is no reason to fail what
    /// is done, or not to undo the rest of what failed.
    pub(super) fn free_if_possible(&mut self, stored: &[Stored]) {
        let _ = self.free(stored);
    }

    /// Gives blocks back. An error here loses room and no value.
    fn free(&mut self, stored: &[Stored]) -> Result<()> {
        let Some(memo) = &mut self.memo else { return Ok(()) };
        for one in stored {
            match one {
                Stored::Memo(reference) => memo.free(reference)?,
                Stored::Raw(block, length) => memo.free_raw(*block, *length)?,
            }
        }
        Ok(())
    }
}

/// Names the table in an error about a rule of a field, for languages with errors of their own.
fn in_table(error: Error, path: &Path) -> Error {
    match error.constraint().map(|broken| (broken.kind, broken.name.clone())) {
        Some((kind, name)) => error.of_constraint(kind, table_name(path), name),
        None => error,
    }
}

/// The name of a table in messages: that of its file, in lower case.
fn table_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase()
}
