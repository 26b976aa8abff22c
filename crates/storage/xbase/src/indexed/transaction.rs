//! Transactions over tables: all changes of several tables stay, or none.
//!
//! **Method.** Changes may stay in memory until the commit, or be written at once with the means to undo them. Here
//! they are written at once:
//!
//! ```text
//!   change    how to undo it -> journal | record, keys -> files, as without a transaction
//!   commit    everything written | the journal is removed | old memos are free | locks are given back
//!   rollback  newest first: records and keys as they were | the journal is removed | locks are given back
//!   crash     the next process that opens a table of that folder, or locks a record of one, undoes the journal
//! ```
//! An appended record has its number from the start, every read path (scans, index walks, SQL) sees the own changes,
//! and files are always in the state that a sequence of single changes would leave, with index and table in agreement:
//! other programs can read and write them all the time. The price: programs that read without locks, as every xBase
//! program does, see changes that may yet be undone (isolation READ UNCOMMITTED for readers). They cannot change them:
//! every changed record stays locked to the end (instead of very many records the table, if no other program uses it).
//!
//! **Undone.** An appended record that is still the last one is removed from the table; if other programs have appended
//! behind it, it stays, blank and deleted. Counter values are not reused. A record that another program changed without
//! the lock after a crash is left as it is. A transaction of which a part could not be undone (a full disk, an index
//! after a failed write) cannot be committed any more: it is rolled back, or undone as after a crash. Undoing is not
//! interrupted ([`interrupt`]), nor is the rest of a commit once the journal is removed.
//!
//! **Savepoints** are places in the journal. A rollback to one keeps the locks, except those of records that were
//! appended since: these are removed, and other programs may append.
//!
//! Limits: tables are not packed, emptied, restructured or reindexed, and custom keys not changed, within a transaction.
//! A table that is closed before the end keeps its changes, and releases its locks.

use super::IndexedTable;
use super::journal::{Entry, Journal};
use super::recovery::{self, Undoing};
use crate::writer::{Change, Update};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::FileSystem;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Records of a table that a transaction locks one by one.
const MANY_RECORDS: usize = 512;

/// A transaction; clones are the same one. It begins without touching a file.
#[derive(Clone, Debug)]
pub struct Transaction {
    state: Arc<Mutex<State>>,
}

/// A place in a transaction to come back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Savepoint(u64);

#[derive(Debug)]
struct State {
    fs: Arc<dyn FileSystem>,
    journal: Option<Journal>,
    durable: bool,
    /// Where each change stands in the journal.
    places: Vec<u64>,
    tables: Vec<Member>,
    /// The first change of those that were to be undone and could not be.
    half_undone: Option<u64>,
    ended: bool,
}

/// A table of the transaction.
#[derive(Debug)]
struct Member {
    path: PathBuf,
    /// It was closed before the end.
    is_closed: bool,
    /// The number of its last change.
    last_change: Option<u64>,
}

/// The state of a table's part in a transaction.
#[derive(Debug)]
pub(super) struct Joined {
    transaction: Transaction,
    number: u32,
    changes: Vec<Noted>,
    /// The records that were changed, which stay locked.
    changed: BTreeSet<u64>,
    /// Records that are given back at the end.
    release: BTreeSet<u64>,
    /// Records whose appending was undone, and which are still locked.
    vanished: BTreeSet<u64>,
    releases_table: bool,
    /// The index files that the journal knows of.
    bags: Option<Vec<PathBuf>>,
    /// The transaction's journal.
    pub(super) journal: Option<PathBuf>,
    kept_locks: bool,
}

/// A change that can be undone.
#[derive(Debug)]
struct Noted {
    sequence: u64,
    record: u64,
    old: Option<Vec<u8>>,
    new: Vec<u8>,
    /// With the blocks of its memos, if it is an update.
    update: Option<Update>,
}

fn state_error(message: impl Into<String>) -> Error {
    Error::new(Code::TransactionState, message)
}

impl Transaction {
    /// Begins a transaction over tables of this file system.
    pub fn begin(fs: Arc<dyn FileSystem>) -> Transaction {
        let (journal, places, tables) = (None, Vec::new(), Vec::new());
        let state = State { fs, journal, durable: false, places, tables, half_undone: None, ended: false };
        Transaction { state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place to come back to.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.state().places.len() as u64)
    }

    /// Returns true if it was committed or rolled back.
    pub fn is_ended(&self) -> bool {
        self.state().ended
    }

    /// Ends the transaction: all changes stay. `tables` are all that take part and are still open. Fails, with the
    /// transaction going on, if something could not be written, or was to be undone before and could not be.
    pub fn commit(&self, tables: &mut [&mut IndexedTable]) -> Result<()> {
        self.must_be_whole()?;
        self.must_be_all(tables, Savepoint(0), true)?;
        for table in tables.iter_mut() {
            table.flush()?;
        }
        // From here on it is committed.
        let _whole = interrupt::suspended();
        let mut state = self.state();
        if let Some(journal) = &state.journal {
            journal.remove(state.durable)?;
        }
        state.end();
        drop(state);
        let mut first = Ok(());
        for table in tables.iter_mut() {
            first = first.and(table.leave(true));
        }
        first
    }

    /// Makes the changes ready for a commit that is decided elsewhere, together with changes of another kind, and gives
    /// the name under which that decision is to be noted; `None` when nothing was changed. After it comes
    /// [`Transaction::commit`] or [`Transaction::rollback`]. If neither comes (a crash), the changes are neither undone
    /// nor used until a caller that knows the decision calls [`settle`](super::settle); it finds them in `folder` with
    /// [`in_doubt`](super::in_doubt).
    ///
    /// Fails, with the transaction going on, as a commit does.
    pub fn prepare(&self, tables: &mut [&mut IndexedTable], folder: &Path) -> Result<Option<String>> {
        self.must_be_whole()?;
        self.must_be_all(tables, Savepoint(0), true)?;
        for table in tables.iter_mut() {
            table.flush()?;
        }
        let mut state = self.state();
        let durable = state.durable;
        let Some(journal) = state.journal.as_mut() else { return Ok(None) };
        journal.link(folder, durable)?;
        journal.write(&Entry::InDoubt, durable)?;
        Ok(Some(recovery::name_of(journal.path())))
    }

    /// Ends the transaction: everything is as it was. `tables` as for [`Transaction::commit`]; changes of tables that
    /// were closed before are undone too.
    pub fn rollback(&self, tables: &mut [&mut IndexedTable]) -> Result<()> {
        self.must_be_all(tables, Savepoint(0), true)?;
        let _whole = interrupt::suspended();
        for table in tables.iter_mut() {
            table.undo_from(0)?;
            table.flush()?;
        }
        let mut state = self.state();
        let has_closed = state.tables.iter().any(|table| table.is_closed && table.last_change.is_some());
        if let Some(mut journal) = state.journal.take() {
            if has_closed {
                for table in tables.iter() {
                    let Some(joined) = &table.joined else { continue };
                    journal.write(&Entry::Undone { table: joined.number }, state.durable)?;
                }
                let (fs, path) = (Arc::clone(&state.fs), journal.path().to_owned());
                drop(journal);
                recovery::recover_file(&fs, &path)?;
            } else {
                journal.remove(state.durable)?;
            }
        }
        state.end();
        drop(state);
        let mut first = Ok(());
        for table in tables.iter_mut() {
            first = first.and(table.leave(false));
        }
        first
    }

    /// Undoes all changes since a savepoint; their records stay locked, and the transaction goes on. `tables` are at
    /// least those that were changed since.
    pub fn rollback_to(&self, savepoint: Savepoint, tables: &mut [&mut IndexedTable]) -> Result<()> {
        self.must_be_all(tables, savepoint, false)?;
        self.undo_to(savepoint, tables)
    }

    fn undo_to(&self, savepoint: Savepoint, tables: &mut [&mut IndexedTable]) -> Result<()> {
        let is_lost = |table: &Member| table.is_closed && table.last_change.is_some_and(|last| last >= savepoint.0);
        let lost = self.state().tables.iter().any(is_lost);
        if lost {
            return Err(state_error("a table of the transaction was closed; it can be rolled back as a whole only"));
        }
        let _whole = interrupt::suspended();
        let undone = tables.iter_mut().try_for_each(|table| {
            table.undo_from(savepoint.0)?;
            table.flush()
        });
        let mut state = self.state();
        if let Err(error) = undone {
            state.half_undone = Some(state.half_undone.map_or(savepoint.0, |first| first.min(savepoint.0)));
            return Err(error);
        }
        state.half_undone = state.half_undone.filter(|first| *first < savepoint.0);
        let kept = usize::try_from(savepoint.0).unwrap_or(usize::MAX);
        let Some(place) = state.places.get(kept).copied() else { return Ok(()) };
        state.places.truncate(kept);
        for member in &mut state.tables {
            // The change before may be of another table: this one counts as a table with changes all the same.
            let before = savepoint.0.checked_sub(1);
            member.last_change = member.last_change.and_then(|last| before.map(|before| last.min(before)));
        }
        if let Some(journal) = &mut state.journal {
            journal.cut(place)?;
        }
        drop(state);
        // Where tables are described may have been cut off with the changes: they are described again.
        for table in tables.iter_mut() {
            if let Some(joined) = &mut table.joined {
                joined.bags = None;
            }
        }
        tables.iter_mut().try_for_each(|table| table.give_back_vanished())
    }

    /// Fails when a part of a statement is still there that failed.
    fn must_be_whole(&self) -> Result<()> {
        match self.state().half_undone {
            None => Ok(()),
            Some(_) => {
                Err(state_error("changes that failed could not be undone: the transaction can only be rolled back"))
            }
        }
    }

    /// Fails unless the transaction is under way and all its open tables are here.
    fn must_be_all(&self, tables: &[&mut IndexedTable], savepoint: Savepoint, at_end: bool) -> Result<()> {
        let state = self.state();
        if state.ended {
            return Err(state_error("the transaction has ended"));
        }
        if savepoint.0 > state.places.len() as u64 {
            return Err(state_error("the savepoint was undone"));
        }
        let number_of = |table: &IndexedTable| {
            let joined = table.joined.as_ref().filter(|joined| self.is(&joined.transaction));
            joined.map(|joined| joined.number as usize)
        };
        if let Some(other) = tables.iter().find(|table| number_of(table).is_none()) {
            return Err(state_error("the table takes no part in the transaction").at(other.path().display()));
        }
        for (number, member) in state.tables.iter().enumerate() {
            let is_here = tables.iter().any(|table| number_of(table) == Some(number));
            // For a savepoint those do that were changed since.
            let is_needed = at_end || member.last_change.is_some_and(|last| last >= savepoint.0);
            if is_needed && !member.is_closed && !is_here {
                return Err(state_error("a table of the transaction is missing").at(member.path.display()));
            }
        }
        Ok(())
    }

    fn is(&self, other: &Transaction) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl State {
    fn end(&mut self) {
        self.ended = true;
        self.journal = None;
        self.places.clear();
    }

    /// The journal, made beside the table whose change is the first.
    fn journal(&mut self, table: &Path) -> Result<&mut Journal> {
        match &mut self.journal {
            Some(journal) => Ok(journal),
            none => Ok(none.insert(Journal::create(&self.fs, table, self.durable)?)),
        }
    }
}

impl Joined {
    /// Writes down how to undo a change that is about to be made.
    pub(super) fn note(&mut self, record: u64, old: Option<&[u8]>, new: &[u8], table: About<'_>) -> Result<()> {
        let mut state = self.transaction.state();
        if state.ended {
            return Err(state_error("the transaction has ended"));
        }
        let durable = state.durable;
        let number = self.number;
        let is_known = self.bags.as_ref().is_some_and(|known| known.iter().eq(table.bags));
        let journal = state.journal(table.path)?;
        let place = journal.end();
        if !is_known {
            let bags: Vec<PathBuf> = table.bags.iter().map(|bag| (*bag).to_owned()).collect();
            let (path, scheme) = (table.path.to_owned(), table.scheme);
            journal.write(&Entry::Table { number, scheme, path, bags: bags.clone() }, durable)?;
            self.bags = Some(bags);
            self.journal = Some(journal.path().to_owned());
        }
        let entry = Entry::Change { table: number, record, old: old.map(<[u8]>::to_vec), new: new.to_vec() };
        journal.write(&entry, durable)?;
        let sequence = state.places.len() as u64;
        state.places.push(place);
        if let Some(member) = state.tables.get_mut(number as usize) {
            member.last_change = Some(sequence);
        }
        drop(state);
        let Entry::Change { old, new, .. } = entry else { return Ok(()) };
        self.changed.insert(record);
        self.changes.push(Noted { sequence, record, old, new, update: None });
        Ok(())
    }

    /// The journal of the transaction, if it has one by now.
    pub(super) fn journal_of_transaction(&self) -> Option<PathBuf> {
        self.transaction.state().journal.as_ref().map(|journal| journal.path().to_owned())
    }

    /// A record was changed that had not been locked: it is given back at the end.
    pub(super) fn release_at_end(&mut self, record: u64) {
        self.release.insert(record);
    }

    /// The user wants to have a record locked beyond the end.
    pub(super) fn keep_at_end(&mut self, record: u64) {
        self.release.remove(&record);
    }

    pub(super) fn release_table_at_end(&mut self) {
        self.releases_table = true;
    }

    /// Returns true if a record was changed, and so stays locked.
    pub(super) fn has_changed(&self, record: u64) -> bool {
        self.changed.contains(&record)
    }

    /// Returns true if it is time to ask for the whole table: now and then, once there are many records.
    pub(super) fn wants_table(&self) -> bool {
        self.changed.len() >= MANY_RECORDS && self.changed.len().is_multiple_of(MANY_RECORDS)
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Keeps the blocks of the last update's memos until the end; gives it back if it was not noted.
    pub(super) fn hold(&mut self, update: Update) -> Change {
        let change = update.change.clone();
        if let Some(last) = self.changes.last_mut().filter(|last| last.record == change.record) {
            last.update = Some(update);
        }
        change
    }
}

/// The journal's description of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'t> {
    pub(super) path: &'t Path,
    pub(super) scheme: crate::lock::LockScheme,
    pub(super) bags: &'t [&'t Path],
}

impl IndexedTable {
    /// Takes part in a transaction from now on: changes are noted, and records stay locked, until it ends.
    pub fn enlist(&mut self, transaction: &Transaction) -> Result<()> {
        if let Some(joined) = &self.joined {
            return match joined.transaction.is(transaction) {
                true => Ok(()),
                false => Err(state_error("the table takes part in another transaction").at(self.path().display())),
            };
        }
        self.list_appended()?;
        let mut state = transaction.state();
        if state.ended {
            return Err(state_error("the transaction has ended"));
        }
        state.durable |= self.options.durable;
        let number = u32::try_from(state.tables.len()).map_err(|_| state_error("a transaction of too many tables"))?;
        let path = self.path().to_owned();
        state.tables.push(Member { path, is_closed: false, last_change: None });
        drop(state);
        let kept_locks = self.writer.keep_locks(true);
        self.joined = Some(Joined {
            transaction: transaction.clone(),
            number,
            changes: Vec::new(),
            changed: BTreeSet::new(),
            release: BTreeSet::new(),
            vanished: BTreeSet::new(),
            releases_table: false,
            bags: None,
            journal: None,
            kept_locks,
        });
        Ok(())
    }

    /// The transaction that the table takes part in.
    pub fn transaction(&self) -> Option<&Transaction> {
        self.joined.as_ref().map(|joined| &joined.transaction)
    }

    /// Does some work on the table; after an error everything that it has changed is as it was. So a statement that
    /// changes many records happens or does not. Within a transaction the transaction goes on either way, else this is
    /// one of its own. `work` changes no other table.
    pub fn atomically<T>(&mut self, work: impl FnOnce(&mut IndexedTable) -> Result<T>) -> Result<T> {
        if let Some(transaction) = self.transaction().cloned() {
            let savepoint = transaction.savepoint();
            let done = work(self);
            if done.is_err() {
                transaction.undo_to(savepoint, &mut [self])?;
            }
            return done;
        }
        let transaction = Transaction::begin(Arc::clone(&self.fs));
        self.enlist(&transaction)?;
        match work(self) {
            Ok(done) => transaction.commit(&mut [self]).map(|()| done),
            Err(error) => {
                // The first error is the one to report, unless what is left is worse.
                transaction.rollback(&mut [self])?;
                Err(error)
            }
        }
    }

    pub(super) fn must_have_no_transaction(&self, what: &str) -> Result<()> {
        match self.joined {
            None => Ok(()),
            Some(_) => {
                Err(state_error(format!("{what} cannot be done within a transaction")).at(self.path().display()))
            }
        }
    }

    /// Undoes the changes from a place on, newest first.
    fn undo_from(&mut self, sequence: u64) -> Result<()> {
        loop {
            let Some(joined) = &mut self.joined else { return Ok(()) };
            let Some(noted) = joined.changes.pop_if(|last| last.sequence >= sequence) else { return Ok(()) };
            let undone = Undoing { record: noted.record, old: noted.old.as_deref(), new: &noted.new }.undo(self);
            if let Err(error) = undone {
                if let Some(joined) = &mut self.joined {
                    joined.changes.push(noted);
                }
                return Err(error);
            }
            if let Some(update) = noted.update {
                self.writer.forget(update);
            }
            if let Some(joined) = self.joined.as_mut().filter(|_| noted.old.is_none()) {
                joined.vanished.insert(noted.record);
            }
        }
    }

    /// Records whose append was undone are unlocked: while they are locked, no other program can append. The journal
    /// must not have them any more then; otherwise recovery would remove records that another program has appended in
    /// their place.
    fn give_back_vanished(&mut self) -> Result<()> {
        let Some(joined) = &mut self.joined else { return Ok(()) };
        let vanished = std::mem::take(&mut joined.vanished);
        joined.changed.retain(|record| !vanished.contains(record));
        joined.release.retain(|record| !vanished.contains(record));
        vanished.into_iter().try_for_each(|record| self.writer.unlock_record(record))
    }

    /// Leaves a transaction that has ended: old memos are given back if it was committed, and the locks.
    fn leave(&mut self, committed: bool) -> Result<()> {
        let Some(mut joined) = self.joined.take() else { return Ok(()) };
        joined.release.append(&mut joined.vanished);
        self.writer.keep_locks(joined.kept_locks);
        let mut first = Ok(());
        for noted in joined.changes.into_iter().filter(|_| committed) {
            match (noted.update, noted.old) {
                (Some(update), _) => drop(self.writer.keep(update)),
                (None, Some(old)) => self.writer.free_replaced_memos(&old, &noted.new),
                (None, None) => {}
            }
        }
        if joined.releases_table {
            // Records that the user has locked separately stay locked.
            let mut kept = self.writer.locked_records();
            kept.retain(|record| !joined.release.contains(record));
            first = first.and(self.writer.unlock());
            for record in kept {
                first = first.and(self.writer.lock_record(record));
            }
            return first;
        }
        for record in joined.release {
            first = first.and(self.writer.unlock_record(record));
        }
        first
    }

    /// The table is closed before the end of its transaction.
    pub(super) fn abandon(&mut self) {
        let Some(joined) = &self.joined else { return };
        let mut state = joined.transaction.state();
        if let Some(member) = state.tables.get_mut(joined.number as usize) {
            member.is_closed = true;
        }
    }
}
