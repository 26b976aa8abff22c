//! An area without its table: the form of a remote table, and one record of it at a time.
//!
//! The client of a server reads and changes fields, and computes expressions, without requests to the server: it
//! receives the header of the table once, and a record's bytes at every move. From these it builds a local area, over a
//! table of one blank record in memory; [`Area::show`] makes the received record the current one, under its real
//! number. Changes are made there as in any area opened for exclusive use, and [`Area::changes`] returns the changes to
//! send. Long values are supplied one by one ([`Area::lend_value`]).
//!
//! The server has an area over the real table, and applies the received changes there: [`Area::set_position`],
//! [`Area::put_changes`].

use crate::area::{Area, Row};
use crate::options::{AreaOptions, Mode};
use crate::value::FieldValue;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::adt::{RecordLayout, is_signature};
use mainstay_xbase::dbf::{FieldKind, blank_record};
use mainstay_xbase::table::sibling;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of a memo file's first bytes that determine its form.
const MEMO_HEADER: usize = 512;
/// The longest record of which a header may speak, in bytes.
const LONGEST_RECORD: u32 = 1 << 20;

/// The data from which an area without its table is built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The table's header, up to its first record.
    pub header: Vec<u8>,
    /// The extension and the first bytes of the memo file.
    pub memo: Option<(String, Vec<u8>)>,
    /// The code page that the table was opened in, by its number, if that is not the file's own.
    pub code_page: Option<u16>,
    /// True if it may be written to.
    pub is_writable: bool,
}

/// A place in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The record; at EOF the record count plus one.
    pub record: u32,
    /// The last move ended before the first record.
    pub bof: bool,
    /// The place is behind the last record.
    pub eof: bool,
    /// The last thing done was a seek that found its key.
    pub found: bool,
}

/// The unwritten changes of the current record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChanges {
    /// The fields of the record that differ: where each begins, and its bytes.
    pub pieces: Vec<(u16, Vec<u8>)>,
    /// Long values by field.
    pub memos: Vec<(u16, Vec<u8>)>,
}

/// The bytes of a table with this header and one blank record, and without an index that would be looked for.
///
/// Errors: `NotThisFormat` for a header that is cut off.
fn with_one_record(header: &[u8], layout: RecordLayout) -> Result<Vec<u8>> {
    let cut_off = || Error::new(Code::NotThisFormat, "the header of a table is cut off");
    let mut content = header.to_vec();
    let count_at = usize::try_from(layout.count_at()).map_err(|_| cut_off())?;
    content.get_mut(count_at..count_at + 4).ok_or_else(cut_off)?.copy_from_slice(&1u32.to_le_bytes());
    let length = match layout {
        RecordLayout::Dbf => {
            if let Some(flags) = content.get_mut(28) {
                *flags &= !1;
            }
            content.get(10..12).map(|bytes| u32::from(bytes[0]) | u32::from(bytes[1]) << 8)
        }
        RecordLayout::Adt => {
            // No record is free to be used again.
            content.get_mut(40..56).ok_or_else(cut_off)?.fill(0);
            content.get(36..40).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
        }
    };
    let length = length.filter(|length| *length <= LONGEST_RECORD).ok_or_else(cut_off)?;
    let start = content.len();
    content.resize(start + length as usize, b' ');
    if let Some(flag) = content.get_mut(start).filter(|_| layout == RecordLayout::Adt) {
        *flag = layout.live_flag();
    }
    content.extend(layout.end_mark());
    Ok(content)
}

impl Area {
    /// The data for a detached area of this table.
    pub fn form_of_table(&self) -> Result<Form> {
        let mut header = vec![0; self.header().header_length as usize];
        self.dbf.file().read_exact_at(&mut header, 0)?;
        let memo = match &self.memo {
            Some(memo) => {
                let path = sibling(&*self.fs, self.path(), self.dbf.memo_extensions()).unwrap_or_default();
                let extension = path.extension().map_or_else(String::new, |text| text.to_string_lossy().into_owned());
                let mut first = vec![0; MEMO_HEADER];
                let read = self.fs.open(memo.path())?.read_at(&mut first, 0)?;
                first.truncate(read);
                Some((extension, first))
            }
            None => None,
        };
        let code_page = self.options().code_page.map(|page| page.number());
        Ok(Form { header, memo, code_page, is_writable: self.is_writable() })
    }

    /// An area without its table. `path` is what it answers when it is asked for its own.
    ///
    /// Errors: those of opening a table, if the header is invalid.
    pub fn detached(path: &Path, form: &Form) -> Result<Area> {
        let files = Memory::new();
        let layout = if is_signature(&form.header) { RecordLayout::Adt } else { RecordLayout::Dbf };
        let name = match layout {
            RecordLayout::Dbf => "detached.dbf",
            RecordLayout::Adt => "detached.adt",
        };
        let memos = layout.memo_extensions();
        let inside = PathBuf::from(name);
        files.write(&inside, with_one_record(&form.header, layout)?);
        if let Some((extension, first)) = &form.memo {
            let extension = extension.to_ascii_lowercase();
            if !memos.contains(&extension.as_str()) {
                return Err(Error::new(Code::NotThisFormat, "no memo file has this extension"));
            }
            files.write(inside.with_extension(extension), first.clone());
        }
        let code_page = form.code_page.and_then(mainstay_xbase::codepage::CodePage::from_number);
        let options = AreaOptions { open_structural: false, code_page, ..AreaOptions::default() };
        let mut area = Area::open(Arc::new(files) as Arc<dyn FileSystem>, &inside, &options)?;
        area.blank = blank_record(area.dbf.fields(), area.dbf.header());
        area.detach(path, if form.is_writable { Mode::Exclusive } else { Mode::ReadOnly });
        Ok(area)
    }

    /// Another area without its table, of the same form, to put records together in.
    ///
    /// Errors: those of reading the header.
    pub fn detached_like(&self) -> Result<Area> {
        Area::detached(self.path(), &self.form_of_table()?)
    }

    /// Makes a record of the real table the current one. `count` is how many that has; without bytes the record is
    /// blank, as at EOF.
    pub fn show(&mut self, position: Position, count: u32, bytes: Option<&[u8]>) {
        self.blocks.set_count(count);
        (self.recno, self.bof, self.eof, self.found) = (position.record, position.bof, position.eof, position.found);
        let length = self.blank.len();
        let Row { bytes: shown, before, memos, lent, .. } = &mut self.row;
        shown.clear();
        shown.extend_from_slice(bytes.filter(|bytes| bytes.len() == length).unwrap_or(&self.blank));
        before.clear();
        memos.clear();
        lent.clear();
        (self.row.is_loaded, self.row.is_changed, self.row.is_new) = (true, false, false);
    }

    /// The current record is one that was appended, and is made when it is written.
    pub fn show_as_new(&mut self) {
        self.row.before.clone_from(&self.row.bytes);
        self.row.is_new = true;
    }

    /// The current place.
    pub fn position(&self) -> Position {
        Position { record: self.recno, bof: self.bof, eof: self.eof, found: self.found }
    }

    /// Returns true if the value of a field is not in the record, and not loaded.
    pub fn lacks_value(&mut self, field: usize) -> Result<bool> {
        let kind = self.field(field)?.kind;
        let is_known = |known: usize| known == field;
        let may_be_elsewhere =
            matches!(kind, FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide | FieldKind::Any);
        if !may_be_elsewhere
            || self.row.memos.iter().any(|(known, _)| is_known(*known))
            || self.row.lent.iter().any(|(known, _)| is_known(*known))
        {
            return Ok(false);
        }
        Ok(kind == FieldKind::Any || self.reference(field)?.is_some())
    }

    /// Says what the value of a field of the current record is.
    pub fn lend_value(&mut self, field: usize, value: FieldValue) {
        self.row.lent.retain(|(known, _)| *known != field);
        self.row.lent.push((field, value));
    }

    /// The unwritten changes of the current record.
    pub fn changes(&self) -> RowChanges {
        let mut changes = RowChanges::default();
        if !self.row.is_changed {
            return changes;
        }
        // Whole fields, and the mark of deletion: what a statement has written meanwhile is not mixed with them.
        let fields = self.fields().iter().map(|field| field.offset..field.offset + field.length);
        let flags = self.null_flags().map(|at| at..at + 1);
        for range in std::iter::once(0..1).chain(fields).chain(flags) {
            let new = self.row.bytes.get(range.clone()).unwrap_or_default();
            if self.row.before.get(range.clone()) != Some(new) {
                changes.pieces.push((range.start as u16, new.to_vec()));
            }
        }
        let memos = self.row.memos.iter();
        changes.memos = memos.map(|(field, value)| (*field as u16, value.clone())).collect();
        changes
    }

    /// The changes of the current record were written elsewhere, or are given up.
    pub fn forget_changes(&mut self) {
        self.forget_pending();
    }

    /// Is at a place without having moved there: what is pending stays if it is of that record, and is written otherwise.
    pub fn set_position(&mut self, position: Position) -> Result<()> {
        if position.record != self.recno {
            self.leave()?;
            self.row.is_loaded = false;
        }
        (self.recno, self.bof, self.eof, self.found) = (position.record, position.bof, position.eof, position.found);
        Ok(())
    }

    /// Makes the changes that were made to the record elsewhere; they are pending then. As with any change, the record is
    /// locked first where that is needed.
    ///
    /// Errors: those of a change; `InvalidValue` for what is no piece of the record.
    pub fn put_changes(&mut self, changes: &RowChanges) -> Result<()> {
        self.begin_change()?;
        for (field, value) in &changes.memos {
            let field = usize::from(*field);
            match self.field(field)?.kind.needs_memo() {
                true => self.set_memo(field, value)?,
                false => return Err(Error::new(Code::InvalidValue, "a long value for a field that has none")),
            }
        }
        // Afterwards, because they say which long values are NULL.
        for (start, piece) in &changes.pieces {
            let start = usize::from(*start);
            match self.row.bytes.get_mut(start..start.saturating_add(piece.len())) {
                Some(bytes) => bytes.copy_from_slice(piece),
                None => return Err(Error::new(Code::InvalidValue, "a change goes beyond the record")),
            }
        }
        Ok(())
    }

    /// Locks the current record for a change, if it is not locked, and has its bytes as they are then.
    pub fn begin_edit(&mut self) -> Result<()> {
        self.begin_change()
    }

    /// Returns true if the record the area is on is among those that are shown, in the scope of the order.
    pub fn is_shown_here(&mut self) -> Result<bool> {
        if !self.is_positioned() {
            return Ok(false);
        }
        let record = self.recno;
        Ok(self.is_shown(record)? && (self.order().is_none() || self.is_listed(record)?))
    }

    /// The stamp that identifies this state of the table's file.
    pub fn stamp(&self) -> Result<mainstay_vfs::Stamp> {
        self.dbf.file().stamp()
    }

    /// The number of records as of the last look.
    pub fn known_count(&self) -> u32 {
        self.blocks.count()
    }

    /// Returns true if the current record was appended and is made when it is written.
    pub fn has_new_record(&self) -> bool {
        self.row.is_new
    }
}
