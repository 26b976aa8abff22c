//! Candidate keys that depend on other transactions.
//!
//! A transaction writes records and keys at once, so a rollback may remove an existing key, or restore a free one to
//! its record:
//!
//! ```text
//!   A  appends record 4, key 20                    ROLLBACK: 20 is free         COMMIT: 20 is record 4's
//!   A  changes the key of record 2 from 7 to 8     ROLLBACK: 7 is record 2's    COMMIT: 7 is free
//!   B  wants key 20, or key 7                      waits for A, which keeps record 4, or 2, locked
//! ```
//! A transaction that needs such a key waits for the record's lock, as long as for any lock, and then tries again. The
//! journals of transactions contain these keys. They are read after the own keys were changed in memory, under the lock
//! of the index: a transaction that changed a key before that has written to its journal.
//!
//! **Cost.** Without a candidate tag, or without other journals in the folder: nothing, or one read of the folder. A
//! journal is read once, as it grows.

use super::IndexedTable;
use super::bag::Live;
use super::journal::{Entry, FOLDER, folder_of};
use super::set::{IndexSet, TagKey};
use super::watch::{Progress, is_same_file, others_in};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::{Create, FileSystem, Stamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// The entries of other transactions' journals about the candidate keys of a table.
#[derive(Debug, Default)]
pub(super) struct Contested {
    journals: BTreeMap<PathBuf, Undecided>,
    /// The paths of those, and the stamp of their folder under which they were all, if a later one changes that.
    others: Option<(Stamp, Vec<PathBuf>)>,
    /// Nothing has come to them since they were read: not beyond the change that is made.
    pub(super) is_current: bool,
    /// The record whose transaction is to be waited for.
    pub(super) kept_by: Option<u64>,
}

/// The keys that one transaction has taken and given up.
#[derive(Debug, Default)]
struct Undecided {
    progress: Progress,
    numbers: BTreeSet<u32>,
    /// The last record that took or gave up each key.
    keys: HashMap<TagKey, u64>,
    /// The index files that the table had open then.
    bags: Vec<PathBuf>,
}

impl Contested {
    /// Reads what has come to the journals of others, unless nothing can have come to them since.
    ///
    /// Errors: those of reading journals.
    fn read(
        &mut self,
        (fs, table, own): (&dyn FileSystem, &Path, Option<&Path>),
        indexes: &mut IndexSet,
    ) -> Result<()> {
        if self.is_current {
            return Ok(());
        }
        // While the indexes are locked, no other program adds or removes a key of them.
        self.is_current = indexes.bags.iter().all(|bag| bag.live().is_ok_and(Live::is_locked));
        let folder = folder_of(table).join(FOLDER);
        if !fs.is_folder(&folder) {
            self.journals.clear();
            return Ok(());
        }
        let (now, stamp) = (SystemTime::now(), fs.stamp(&folder).ok());
        let known = self.others.take().filter(|(before, _)| Some(*before) == stamp);
        let others = match known {
            Some((_, others)) => others,
            None => others_in(fs, &folder, None)?,
        };
        let bags: Vec<PathBuf> = indexes.bags.iter().map(|bag| bag.path.clone()).collect();
        self.journals.retain(|path, known| others.contains(path) && known.bags == bags);
        for path in others.iter().filter(|path| own != Some(path)) {
            // One that is gone by now was ended.
            let Ok(file) = fs.create(path, Create::Existing) else { continue };
            let new = || Undecided { bags: bags.clone(), ..Undecided::default() };
            let Undecided { progress, numbers, keys, .. } = self.journals.entry(path.clone()).or_insert_with(new);
            progress.read(&*file, path, &mut |entry| match entry {
                None => {
                    numbers.clear();
                    keys.clear();
                }
                Some(Entry::Table { number, path, .. }) if is_same_file(fs, &path, table) => {
                    numbers.insert(number);
                }
                Some(Entry::Change { table, record, old, new }) if numbers.contains(&table) => {
                    // A key that cannot be made is not needed here.
                    let old = old.as_deref();
                    let before = old.map(|old| indexes.candidate_keys(record, old, Some(&new))).unwrap_or_default();
                    let after = indexes.candidate_keys(record, &new, old);
                    keys.extend(before.into_iter().chain(after).map(|key| (key, record)));
                }
                Some(Entry::Undone { table }) if numbers.contains(&table) => keys.clear(),
                Some(_) => {}
            })?;
        }
        self.others = stamp.filter(|stamp| stamp.is_settled(now)).map(|stamp| (stamp, others));
        Ok(())
    }

    /// The record of another transaction that one of these keys depends on.
    fn keeper(&self, fs: &dyn FileSystem, own: Option<&Path>, keys: &[TagKey]) -> Option<u64> {
        let others = self.journals.iter().filter(|(path, _)| own != Some(path));
        let mut kept = others.filter_map(|(path, of)| Some((path, keys.iter().find_map(|key| of.keys.get(key))?)));
        // It may have ended while it was read.
        kept.find(|(path, _)| fs.stamp(path).is_ok()).map(|(_, record)| *record)
    }

    /// Fails if a key that a record is given depends on another transaction, and notes its record.
    ///
    /// Errors: `Busy` for such a key; the error of `followed`, which is what became of the change of the keys.
    pub(super) fn check(
        &mut self,
        place: (&dyn FileSystem, &Path, Option<&Path>),
        indexes: &mut IndexSet,
        (record, old, new): (u64, Option<&[u8]>, &[u8]),
        followed: Result<()>,
    ) -> Result<()> {
        let is_refused = followed.as_ref().is_err_and(|error| error.code() == Code::UniqueViolation);
        if followed.is_err() && !is_refused || indexes.sharing.alone || !indexes.has_candidate() {
            return followed;
        }
        if !indexes.bags.iter().any(|bag| bag.live().is_ok_and(Live::is_locked)) {
            // No key was changed.
            return followed;
        }
        self.read(place, indexes)?;
        if self.journals.values().all(|journal| journal.keys.is_empty()) {
            return followed;
        }
        let (fs, table, own) = place;
        let keys = indexes.candidate_keys(record, new, old);
        if let Some(keeper) = self.keeper(fs, own, &keys).filter(|keeper| *keeper != record) {
            self.kept_by = Some(keeper);
            return Err(Error::new(Code::Busy, "a key depends on a transaction that is not over").at(table.display()));
        }
        followed
    }
}

impl IndexedTable {
    /// Makes a change, again where a key of it has to be waited for.
    ///
    /// Errors: those of the change; `Busy` when the transaction of another does not end in time.
    pub(super) fn waiting_for_keys<T>(&mut self, mut change: impl FnMut(&mut IndexedTable) -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        loop {
            self.contested.kept_by = None;
            let changed = change(self);
            let Some(record) = self.contested.kept_by.take().filter(|_| changed.is_err()) else { return changed };
            if begun.elapsed() >= self.options.wait.timeout {
                return changed;
            }
            interrupt::check()?;
            let was_locked = self.writer.is_locked(record);
            self.lock_settled(record)?;
            if was_locked {
                // The table is locked here: then it was not the lock that kept the record.
                std::thread::sleep(self.options.wait.interval);
            } else {
                self.writer.unlock_record(record)?;
            }
        }
    }
}
