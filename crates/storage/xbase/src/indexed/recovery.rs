//! Recovery: the next process that opens a table undoes the changes of an interrupted transaction.
//!
//! A record is undone if it is as the transaction left it, or partly so (a torn write after a loss of power): then it
//! gets its old bytes and its old keys. If it has its old state, there is nothing to do; in any other state, another
//! program has changed it since the crash, and it stays. Each step is idempotent, so a crash during recovery does no
//! harm.
//!
//! A program can die between two pages of an index. So all indexes of the table are compared with it afterwards, and
//! rebuilt if they differ; that needs exclusive use, and if other programs have the table open it is left to the next
//! opening (see `rebuild.rs`).
//!
//! The outcome of a transaction whose commit is decided elsewhere is unknown here: its tables are refused until it is
//! decided.

use super::IndexedTable;
use super::journal::{Abandoned, Entry, abandoned};
use super::rebuild::mark_stale;
use super::stand_in;
use crate::Severity;
use crate::adt::RecordLayout;
use crate::dbf::OpenOptions;
use crate::lock::{LockScheme, LockWait};
use crate::writer::{Access, WriteOptions};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::FileSystem;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Undoes what transactions have left that were cut off, in the folder of this table.
pub(crate) fn recover(fs: &Arc<dyn FileSystem>, table: &Path) -> Result<()> {
    for journal in abandoned(&**fs, table)? {
        undo_all(fs, journal)?;
    }
    Ok(())
}

/// The same for one journal.
pub(super) fn recover_file(fs: &Arc<dyn FileSystem>, path: &Path) -> Result<()> {
    Abandoned::open(&**fs, path)?.map_or(Ok(()), |journal| undo_all(fs, journal))
}

/// A transaction that was cut off, and of which it is decided elsewhere whether it is committed.
#[derive(Debug)]
pub struct InDoubt {
    journal: Abandoned,
}

impl InDoubt {
    /// The name under which the decision was to be noted.
    pub fn name(&self) -> String {
        name_of(&self.journal.path)
    }
}

/// The name of a transaction: that of its journal.
pub(super) fn name_of(journal: &Path) -> String {
    journal.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The transactions in doubt that this folder knows of, locked by us.
pub fn in_doubt(fs: &dyn FileSystem, folder: &Path) -> Result<Vec<InDoubt>> {
    // Journals are looked for from a table's place.
    let found = abandoned(fs, &folder.join("any.dbf"))?;
    let found = found.into_iter().filter(|journal| journal.entries.contains(&Entry::InDoubt));
    Ok(found.map(|journal| InDoubt { journal }).collect())
}

/// Ends a transaction that was in doubt: its changes stay, or are undone.
pub fn settle(fs: &Arc<dyn FileSystem>, in_doubt: InDoubt, is_committed: bool) -> Result<()> {
    let mut journal = in_doubt.journal;
    if !is_committed {
        journal.entries.retain(|entry| *entry != Entry::InDoubt);
        return undo_all(fs, journal);
    }
    match fs.remove(&journal.path) {
        Err(error) if error.code() != Code::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A table of a journal.
struct Damaged {
    number: u32,
    scheme: LockScheme,
    path: PathBuf,
    bags: Vec<PathBuf>,
    is_undone: bool,
}

fn undo_all(fs: &Arc<dyn FileSystem>, mut journal: Abandoned) -> Result<()> {
    let _whole = interrupt::suspended();
    if journal.entries.contains(&Entry::InDoubt) {
        let message = "a transaction over these tables and others was cut off while it was committed";
        let error = Error::new(Code::Busy, message).at(journal.path.display());
        return Err(error.hint("it is settled when Mainstay opens the folder that has the other tables"));
    }
    let mut tables: Vec<Damaged> = Vec::new();
    let entries = std::mem::take(&mut journal.entries);
    for entry in &entries {
        match entry {
            Entry::Table { number, scheme, path, bags } => {
                tables.retain(|table| table.number != *number);
                let (path, bags) = (path.clone(), bags.clone());
                tables.push(Damaged { number: *number, scheme: *scheme, path, bags, is_undone: false });
            }
            Entry::Undone { table } => {
                tables.iter_mut().filter(|known| known.number == *table).for_each(|known| known.is_undone = true);
            }
            Entry::Change { .. } | Entry::InDoubt => {}
        }
    }
    for table in tables.iter().filter(|table| !table.is_undone) {
        if fs.stamp(&table.path).is_ok() {
            undo_table(fs, table, &entries).map_err(|error| {
                error.hint("a transaction was cut off here; it is undone as soon as the table can be opened")
            })?;
        }
        journal.mark_undone(table.number)?;
    }
    match fs.remove(&journal.path) {
        Err(error) if error.code() != Code::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn undo_table(fs: &Arc<dyn FileSystem>, damaged: &Damaged, entries: &[Entry]) -> Result<()> {
    let mut table = open(fs, damaged)?;
    for bag in &damaged.bags {
        if fs.stamp(bag).is_ok() {
            // One that cannot be opened is made anew below.
            let _ = table.open_bag(bag);
        }
    }
    for entry in entries.iter().rev() {
        if let Entry::Change { table: number, record, old, new } = entry
            && *number == damaged.number
        {
            let undoing = Undoing { record: *record, old: old.as_deref(), new };
            match undoing.undo(&mut table) {
                // An index that is damaged does not keep the record from being undone.
                Err(error) if error.code() == Code::IndexDamaged => undoing.undo_record(&mut table)?,
                undone => undone?,
            }
        }
    }
    let flushed = table.writer.flush();
    // An index that cannot be written is made anew below.
    let _ = table.indexes.write();
    flushed?;
    let bags: Vec<PathBuf> = damaged.bags.clone();
    let options = OpenOptions { code_page: Some(table.dbf().code_page()) };
    let findings = crate::table::check(fs, &damaged.path, options, &bags);
    let is_wrong = findings.iter().any(|finding| finding.severity == Severity::Error && bags.contains(&finding.path));
    if !is_wrong {
        return Ok(());
    }
    if table.options.access == Access::Exclusive {
        return table.rebuild_all(true, &mut |_, _| ControlFlow::Continue(()));
    }
    mark_stale(&**fs, &damaged.path, bags.iter().map(PathBuf::as_path))
}

/// Opens the table alone if that can be, else beside others; not again by way of here.
fn open(fs: &Arc<dyn FileSystem>, damaged: &Damaged) -> Result<IndexedTable> {
    // The undone changes are synced before the journal is removed, whatever options the tables were opened with before.
    let how = WriteOptions { scheme: Some(damaged.scheme), durable: true, ..WriteOptions::new(Access::Exclusive) };
    let once = LockWait { timeout: Duration::ZERO, ..LockWait::default() };
    match IndexedTable::open_unrecovered(Arc::clone(fs), &damaged.path, WriteOptions { wait: once, ..how }) {
        Err(error) if error.code() == Code::Busy => {
            let how = WriteOptions { access: Access::Shared, ..how };
            IndexedTable::open_unrecovered(Arc::clone(fs), &damaged.path, how)
        }
        opened => opened,
    }
}

/// A change that is to be undone: the record's bytes before it, none if it was appended, and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undoing<'u> {
    pub(super) record: u64,
    pub(super) old: Option<&'u [u8]>,
    pub(super) new: &'u [u8],
}

impl Undoing<'_> {
    /// Undoes the change with its keys, if the record is as the change left it.
    pub(super) fn undo(self, table: &mut IndexedTable) -> Result<()> {
        self.undo_with(table, true)
    }

    /// The same without the keys.
    fn undo_record(self, table: &mut IndexedTable) -> Result<()> {
        self.undo_with(table, false)
    }

    fn undo_with(self, table: &mut IndexedTable, with_keys: bool) -> Result<()> {
        let record = self.record;
        if record > table.count()? {
            return Ok(());
        }
        let mut now = Vec::new();
        table.read(record, &mut now)?;
        let was_lenient = std::mem::replace(&mut table.indexes.is_lenient, true);
        let undone = self.undo_from(table, &now, with_keys);
        table.indexes.is_lenient = was_lenient;
        undone
    }

    fn undo_from(self, table: &mut IndexedTable, now: &[u8], with_keys: bool) -> Result<()> {
        let layout = table.writer.layout();
        // The links of deleted records change with those of others.
        let (now, new) = (&*without_link(layout, now), &*without_link(layout, self.new));
        let old_bytes = self.old.map(|old| without_link(layout, old));
        match old_bytes.as_deref() {
            Some(old) if now == old => Ok(()),
            Some(old) if is_of_both(now, old, new) => match self.restore(table, self.old.unwrap_or(old), with_keys) {
                // Its key is still that of a record which has got it from this one, and gives it back when it is undone.
                Err(error) if error.code() == Code::UniqueViolation => {
                    let before = std::mem::replace(&mut table.indexes.lets_keys_repeat, true);
                    let restored = self.restore(table, self.old.unwrap_or(old), with_keys);
                    table.indexes.lets_keys_repeat = before;
                    restored
                }
                restored => restored,
            },
            None if is_of_both(now, &vec![0; new.len()], new) || is_half_removed(now, new) => {
                self.take_out(table, with_keys)
            }
            // Taking it out was cut off in the middle of its bytes.
            None if table.writer.layout().is_deleted(now) && is_half_blank(now, &table.writer.blank_deleted(), new) => {
                self.take_out(table, with_keys)
            }
            _ => Ok(()),
        }
    }

    fn restore(&self, table: &mut IndexedTable, bytes: &[u8], with_keys: bool) -> Result<()> {
        let IndexedTable { writer, indexes, .. } = table;
        let restored = writer.restore_record(self.record, bytes, &mut |record, _, bytes| match with_keys {
            true => indexes.follow(record, Some(self.new), Some(bytes)),
            false => Ok(()),
        });
        indexes.end(restored)
    }

    /// Takes an appended record out again; one that is not the last any more becomes blank and deleted.
    fn take_out(self, table: &mut IndexedTable, with_keys: bool) -> Result<()> {
        let IndexedTable { writer, indexes, .. } = table;
        let removed = writer.remove_last(self.record, &mut |record, _, _| match with_keys {
            true => indexes.follow(record, Some(self.new), None),
            false => Ok(()),
        });
        if indexes.end(removed)? {
            return Ok(());
        }
        if self.leave_blank(table, with_keys)? {
            table.writer.free_memos_of(self.new);
            return Ok(());
        }
        let mut deleted = self.new.to_vec();
        table.writer.layout().set_deleted(&mut deleted, true);
        self.restore(table, &deleted, with_keys)
    }

    /// Makes the record blank and deleted, but for candidate keys that only one record can have ([`super::stand_in`]);
    /// whether they could be given up.
    fn leave_blank(self, table: &mut IndexedTable, with_keys: bool) -> Result<bool> {
        let blank = table.writer.blank_deleted();
        let stand_ins = (0..stand_in::ATTEMPTS).map(Some);
        for attempt in std::iter::once(None).chain(stand_ins) {
            let bytes = match attempt {
                None => blank.clone(),
                Some(attempt) => match table.stand_in(self.record, attempt) {
                    Some(bytes) => bytes,
                    None => return Ok(false),
                },
            };
            match self.restore(table, &bytes, with_keys) {
                Err(error) if error.code() == Code::UniqueViolation => {}
                restored => return restored.map(|()| true),
            }
        }
        Ok(false)
    }
}

/// The bytes of a record without the link of an ADT's reusable record.
fn without_link(layout: RecordLayout, bytes: &[u8]) -> Cow<'_, [u8]> {
    if layout == RecordLayout::Dbf {
        return Cow::Borrowed(bytes);
    }
    let mut bytes = bytes.to_vec();
    layout.set_link(&mut bytes, 0);
    Cow::Owned(bytes)
}

/// Returns true if each byte is that of the one or of the other: a write that was torn.
fn is_of_both(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    now.len() == new.len()
        && old.len() == new.len()
        && now.iter().zip(old.iter().zip(new)).all(|(now, (old, new))| now == old || now == new)
}

/// Tells whether some bytes of a record are blank and others are still as they were appended.
fn is_half_blank(now: &[u8], blank: &[u8], new: &[u8]) -> bool {
    is_of_both(now, blank, new) && now != blank
}

/// Returns true if a record was being taken out when that was cut off: its first byte is the mark of the end.
fn is_half_removed(now: &[u8], new: &[u8]) -> bool {
    now.first() == Some(&0x1A) && now.get(1..) == new.get(1..)
}
