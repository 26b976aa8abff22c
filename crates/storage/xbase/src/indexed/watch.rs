//! Detection of interrupted transactions when a process that has the table open already gets a lock in it.
//!
//! A killed process loses its locks one after the other: those of records before that of its journal, as its files are
//! closed in the order in which it has opened them. A process that undoes a transaction locks its journal, but each
//! record only while that is restored. So a locked journal alone proves nothing about a record that could be locked:
//! but if it names the record, its owner is dying, or another process is undoing it, because a running transaction
//! keeps its changed records locked until its journal is removed. The lock of such a record does not count yet
//! ([`Left::Ending`]).
//!
//! **Cost.** Without other journals: one stamp of the folder. Each journal of another process is opened, and from a
//! locked one the new entries are read, together with the last known one: a rollback to a savepoint truncates the
//! journal.

use super::journal::{Entry, FOLDER, FRAME_LENGTH, HEADER_LENGTH, decode, folder_of, whole_entry};
use super::reach::{Target, tables_of, target_of};
use mainstay_types::Result;
use mainstay_vfs::{Create, File, FileSystem, LockMode, Stamp, WritableFile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The entries of other journals on a locked record or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// It is as the last commit left it.
    Nothing,
    /// A transaction has changed it that is being cut off or undone at this moment.
    Ending,
    /// A transaction in this folder is abandoned.
    Abandoned,
}

/// The number of bytes of a journal that are read at once, unless an entry is longer.
const WINDOW: u64 = 1 << 20;

/// A cached view of a folder's journals: looking again costs one system call while the only journal is this
/// transaction's.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The journals of others, and the folder's stamp under which they were all, if a later one changes that.
    others: Option<(Stamp, Vec<PathBuf>)>,
    /// The folder of the table.
    tables: Option<Arc<dyn File>>,
    /// The stamp of that under which it had no folder of journals, if a later one changes that: an open folder tells it in
    /// half the time that the system needs to look for a name.
    without: Option<Stamp>,
    /// The records that other processes' journals name.
    named: BTreeMap<PathBuf, Named>,
    /// So many times the name is looked for before the stamp is asked for.
    unasked: u32,
}

/// While the stamp of the table's folder is young it proves nothing, and is asked for at every so many looks.
const LOOKS_UNASKED: u32 = 16;

impl Watch {
    /// Changes that other transactions left in a record that was just locked, or in the table if no record is given.
    /// `own` is the caller's journal, which is skipped.
    pub(super) fn look(
        &mut self,
        fs: &dyn FileSystem,
        table: &Path,
        own: Option<&Path>,
        record: Option<u64>,
    ) -> Result<Left> {
        // Usually there is none.
        if self.still_without(fs) {
            return Ok(Left::Nothing);
        }
        let journals = folder_of(table).join(FOLDER);
        let now = SystemTime::now();
        let tables = self.stamp_of_tables(fs, table);
        if !fs.is_folder(&journals) {
            self.without = tables.filter(|stamp| stamp.is_settled(now));
            return Ok(Left::Nothing);
        }
        let stamp = fs.stamp(&journals).ok();
        let known = self.others.take().filter(|(before, _)| Some(*before) == stamp);
        let others = match known {
            Some((_, others)) => others,
            None => others_in(fs, &journals, own)?,
        };
        let mut found = Left::Nothing;
        self.named.retain(|path, _| others.contains(path));
        for path in &others {
            // One that is gone by now was ended.
            let Ok(file) = fs.create(path, Create::Existing) else { continue };
            if file.try_share(LockMode::Exclusive)? {
                found = Left::Abandoned;
            } else if !is_of_this_process(path) {
                let named = self.named.entry(path.clone()).or_default();
                named.read(fs, &*file, path, table)?;
                if record.map_or(!named.records.is_empty(), |record| named.records.contains(&record)) {
                    found = found.max(Left::Ending);
                }
            }
        }
        self.others = stamp.filter(|stamp| stamp.is_settled(now)).map(|stamp| (stamp, others));
        Ok(found)
    }

    /// Returns true if the table's folder is unchanged since it had no folder of journals.
    fn still_without(&mut self, fs: &dyn FileSystem) -> bool {
        let (Some(tables), Some(without)) = (&self.tables, self.without) else { return false };
        if tables.stamp_by_name(fs).is_ok_and(|stamp| stamp == without) {
            return true;
        }
        self.without = None;
        false
    }

    /// The stamp of the table's folder, now and then.
    fn stamp_of_tables(&mut self, fs: &dyn FileSystem, table: &Path) -> Option<Stamp> {
        if let Some(left) = self.unasked.checked_sub(1) {
            self.unasked = left;
            return None;
        }
        self.unasked = LOOKS_UNASKED;
        if self.tables.is_none() {
            let folder = folder_of(table);
            self.tables = fs.open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok();
        }
        self.tables.as_ref()?.stamp_by_name(fs).ok()
    }
}

/// The journals that a folder of them holds or has links to, without the own one.
pub(super) fn others_in(fs: &dyn FileSystem, journals: &Path, own: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut others = Vec::new();
    for entry in fs.list(journals)? {
        let path = match entry.path.extension().and_then(|extension| extension.to_str()) {
            Some("undo") => entry.path,
            Some("link") => match target_of(fs, &entry.path) {
                Ok(Target::Journal(target)) => target,
                _ => continue,
            },
            _ => continue,
        };
        if own != Some(&path) {
            others.push(path);
        }
    }
    Ok(others)
}

/// Returns true if this process has begun the transaction, which then is alive.
fn is_of_this_process(journal: &Path) -> bool {
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').next() == Some(&std::process::id().to_string())
}

/// The position up to which another transaction's journal was read: the journal grows, and may be truncated at a
/// savepoint.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Where the last entry is that was read, and what is in front of it.
    last: Option<(u64, [u8; FRAME_LENGTH])>,
}

impl Progress {
    /// Tells what has come to a journal, `None` first where it has to be read from its beginning.
    pub(super) fn read(
        &mut self,
        file: &dyn WritableFile,
        journal: &Path,
        note: &mut dyn FnMut(Option<Entry>),
    ) -> Result<()> {
        let length = file.stamp()?.len;
        // The entry that was read last is told again.
        let mut at = match self.last {
            Some((at, frame)) => {
                let mut now = [0; FRAME_LENGTH];
                let whole = file.read_at(&mut now, at)? == FRAME_LENGTH && now == frame;
                if whole { at } else { HEADER_LENGTH }
            }
            None => HEADER_LENGTH,
        };
        if at == HEADER_LENGTH {
            self.last = None;
            note(None);
        }
        let folder = tables_of(journal);
        let mut window = WINDOW;
        while at < length {
            let mut bytes = vec![0; usize::try_from(window.min(length - at)).unwrap_or(usize::MAX)];
            let read = file.read_at(&mut bytes, at)?;
            let mut rest = bytes.get(..read).unwrap_or_default();
            let before = at;
            while let Some((payload, after)) = whole_entry(rest) {
                if let (Some(entry), Some(frame)) = (decode(payload, folder), rest.first_chunk()) {
                    note(Some(entry));
                    self.last = Some((at, *frame));
                }
                at += (rest.len() - after.len()) as u64;
                rest = after;
            }
            if at == before {
                // The last is just being written, or is longer than what was read.
                if (read as u64) < window {
                    break;
                }
                window *= 2;
            }
        }
        Ok(())
    }
}

/// Tells whether two paths lead to the same file.
pub(super) fn is_same_file(fs: &dyn FileSystem, path: &Path, table: &Path) -> bool {
    let identity = |path: &Path| fs.stamp(path).ok().map(|stamp| stamp.identity);
    path == table || identity(path).is_some_and(|found| identity(table) == Some(found))
}

/// The records of a table that a journal names, as far as it was read.
#[derive(Debug, Default)]
struct Named {
    /// The table has these numbers there.
    numbers: BTreeSet<u32>,
    records: BTreeSet<u64>,
    progress: Progress,
}

impl Named {
    /// Reads what has come to the journal.
    fn read(&mut self, fs: &dyn FileSystem, file: &dyn WritableFile, journal: &Path, table: &Path) -> Result<()> {
        let Named { numbers, records, progress } = self;
        progress.read(file, journal, &mut |entry| match entry {
            None => {
                numbers.clear();
                records.clear();
            }
            Some(Entry::Table { number, path, .. }) if is_same_file(fs, &path, table) => {
                numbers.insert(number);
            }
            Some(Entry::Change { table, record, .. }) if numbers.contains(&table) => {
                records.insert(record);
            }
            Some(Entry::Undone { table }) if numbers.contains(&table) => records.clear(),
            Some(_) => {}
        })
    }
}
