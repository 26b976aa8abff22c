//! A table with all its indexes, open for writing: one call changes a record, its memos and every key of it.
//!
//! ```text
//!   IndexedTable      open, append, update, delete, recall, flush, close      mod, change
//!     |    \      \
//!     |     \      \                create_index, reindex, pack, restructure   build, rebuild
//!     |     \      \    Transaction, over several tables        transaction, journal, recovery
//!     |     \    IndexSet   keys before and after, taken back after an error  set
//!     |      \      |
//!     |       \   OpenBag   one index file: its lock, its tags' expressions   bag
//!     |        \     |  trust: are its keys what its expressions give here?
//!   TableWriter    BagWriter                                                  writer, index::write
//! ```
//! **One change.** The record is locked and read, its new bytes are made, all keys are changed in memory under the
//! locks of the index files, the record is written, the index pages are written, the locks are released:
//!
//! ```text
//!   append   header lock | new record's lock | index locks | keys | record | header | unlock header | pages | unlock
//!   update   record's lock | read | memos | index locks | keys | record | pages | unlock | old memos are free
//! ```
//! Every reason to refuse a change (a second candidate key, a key expression that is not understood or has no result
//! for this record, a damaged index page, a lock) is checked before the record is written; after a refusal nothing has
//! changed.
//!
//! **Which keys.** A tag lists a record if its FOR condition is true; a UNIQUE tag lists the first record with a key; a
//! candidate tag refuses the second. Custom tags are changed by [`IndexedTable::add_key`] and
//! [`IndexedTable::drop_key`] only. Deleted records keep their keys, unless a condition says otherwise. If one tag
//! cannot be maintained, changes that affect it are refused: an index that lacks keys unnoticed is worse than an error.
//!
//! **Trust.** A tag whose keys differ from the values of its expressions is not changed: `trust.rs`.
//!
//! **Exclusive use** ([`Access::Exclusive`]) takes no locks, and writes records and pages when the table is flushed or
//! closed, or when there are many.
//!
//! Limits: changes by a program that has the table open without these index files are not noticed here. A crash between
//! the writes of one change leaves an index that `check` reports and [`IndexedTable::reindex`] rebuilds.

mod bag;
mod build;
mod change;
mod columns;
mod contested;
mod duplicate;
mod inspect;
mod journal;
mod locks;
mod over_records;
mod raw;
mod reach;
mod rebuild;
mod recovery;
mod repair;
mod reuse;
mod safeguard;
mod set;
mod stand_in;
mod transaction;
mod trust;
mod unlisted;
mod watch;

pub use build::{Building, IndexSpec, Telling};
pub use columns::{advantage_spec, declared, declared_spec, field_spec, field_value, spec_of, table_spec};
pub use inspect::check_journals;
pub(crate) use recovery::recover;
pub use recovery::{InDoubt, in_doubt, settle};
pub use repair::repair;
pub use transaction::{Savepoint, Transaction};

use crate::dbf::{Dbf, Field, OpenOptions};
use crate::expr::Scratch;
use crate::index::{Bag, KeyType, Tag};
use crate::lock::IndexLock;
use crate::writer::{Access, TableWriter, WriteOptions};
use bag::{OpenBag, Sharing};
use contested::Contested;
use mainstay_types::{Code, Error, Result, Value};
use mainstay_vfs::{File, FileSystem};
use set::{IndexSet, no_such_bag, no_such_tag};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use transaction::Joined;
use watch::{Left, Watch};

/// A tag of an open table: the number of its index file and its number in it. Both change when files or tags come or
/// go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagId {
    /// The index file.
    pub bag: usize,
    /// The tag in it.
    pub tag: usize,
}

/// The properties of a tag.
#[derive(Clone, Debug)]
pub struct TagInfo {
    /// Where it is.
    pub id: TagId,
    /// Its name, in capitals.
    pub name: String,
    /// The key expression as the file has it; what is not ASCII is replaced.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// Only the first record of each key is listed.
    pub unique: bool,
    /// A second record with the same key is refused.
    pub candidate: bool,
    /// From the greatest key to the least.
    pub descending: bool,
    /// Keys are added by the program only.
    pub custom: bool,
    /// The type of its keys, if its expressions are understood.
    pub key_type: Option<KeyType>,
    /// Why it cannot be kept up, and thus no record changed.
    pub refusal: Option<Error>,
}

/// A table open for writing with its memo and its indexes. See the module's text.
#[derive(Debug)]
pub struct IndexedTable {
    fs: Arc<dyn FileSystem>,
    writer: TableWriter,
    indexes: IndexSet,
    options: WriteOptions,
    joined: Option<Joined>,
    /// Transactions of others that were cut off.
    watch: Watch,
    /// Keys that depend on transactions of others.
    contested: Contested,
    /// The record that is being appended stays locked for the caller.
    keeps_appended: bool,
    /// A record that was appended, is locked, and has no keys yet: `unlisted.rs`.
    unlisted: Option<u64>,
}

impl IndexedTable {
    /// Opens an existing table, its memo file, and the CDX of its name.
    ///
    /// Fails as [`TableWriter::open`] does, and with `Code::Busy` if another program has the CDX for itself. A CDX that
    /// is damaged, or has a tag that is not understood, is no reason to fail here, but changes will.
    ///
    /// Changes that an interrupted transaction left in the table are undone first.
    pub fn open(fs: Arc<dyn FileSystem>, path: &Path, options: WriteOptions) -> Result<IndexedTable> {
        let mut begun = None;
        loop {
            recovery::recover(&fs, path)?;
            let opened = IndexedTable::open_unrecovered(Arc::clone(&fs), path, options);
            let is_busy = opened.as_ref().is_err_and(|error| error.code() == Code::Busy);
            if !is_busy && (opened.is_err() || options.access == Access::Shared) {
                return opened;
            }
            // The process that undoes an interrupted transaction opens the table exclusively; and a transaction may
            // have been interrupted while this call waited for exclusive use.
            match Watch::default().look(&*fs, path, None, None)? {
                Left::Nothing => return opened,
                Left::Ending
                    if is_busy && begun.is_some_and(|begun: Instant| begun.elapsed() >= options.wait.timeout) =>
                {
                    return opened;
                }
                Left::Ending => {
                    drop(opened);
                    locks::wait_for_ending(path, options.wait, &mut begun)?;
                }
                Left::Abandoned => {}
            }
        }
    }

    fn open_unrecovered(fs: Arc<dyn FileSystem>, path: &Path, options: WriteOptions) -> Result<IndexedTable> {
        if options.access == Access::Shared && fs.stamp(&rebuild::stale_list(path)).is_ok() {
            // Indexes that a crash left behind are made anew first.
            IndexedTable::open(Arc::clone(&fs), path, WriteOptions { access: Access::Exclusive, ..options })?
                .close()?;
        }
        if let Some(mdx) = crate::table::production_mdx(&*fs, path) {
            let message =
                "the table has an index of dBASE IV, which cannot be kept up: it would not list what is written";
            let error = Error::new(Code::Unsupported, message).at(mdx.display());
            return Err(error.hint("reading works; take the file away if nothing uses it"));
        }
        let writer = TableWriter::open(Arc::clone(&fs), path, options)?;
        let read = OpenOptions { code_page: Some(writer.dbf().code_page()) };
        let dbf = Dbf::open(Arc::clone(writer.dbf().file()) as Arc<dyn File>, read)?;
        let alone = options.access == Access::Exclusive;
        let sharing = Sharing { alone, lock: IndexLock::of(writer.lock_plan()), wait: options.wait };
        let indexes = IndexSet::new(dbf, sharing, options.durable);
        let (watch, contested) = (Watch::default(), Contested::default());
        let (joined, keeps_appended, unlisted) = (None, false, None);
        let mut table =
            IndexedTable { fs, writer, indexes, options, joined, watch, contested, keeps_appended, unlisted };
        if let Some(structural) = crate::table::structural_index(&*table.fs, path) {
            let bag = OpenBag::structural(&*table.fs, &structural, &table.indexes.dbf, sharing)?;
            table.indexes.bags.push(bag);
        }
        table.finish_rebuild()?;
        table.list_last();
        Ok(table)
    }

    /// Opens a further index file, which is kept up from now on, and gives its number. One that is open already stays
    /// as it is.
    pub fn open_bag(&mut self, path: &Path) -> Result<usize> {
        if let Some(open) = self.indexes.bags.iter().position(|bag| bag.path == path) {
            self.indexes.bags[open].live()?;
            return Ok(open);
        }
        self.list_appended()?;
        let bag = OpenBag::open(&*self.fs, path, &self.indexes.dbf, self.indexes.sharing)?;
        self.indexes.bags.push(bag);
        self.list_last();
        Ok(self.indexes.bags.len() - 1)
    }

    /// Closes an index file: it is not kept up from now on. The CDX of the table's name stays open.
    pub fn close_bag(&mut self, bag: usize) -> Result<()> {
        self.list_appended()?;
        let Some(open) = self.indexes.bags.get_mut(bag) else { return Err(no_such_bag(bag)) };
        if open.is_structural {
            return Ok(());
        }
        if let Ok(live) = open.live_mut() {
            live.write(self.options.durable)?;
        }
        self.indexes.bags.remove(bag);
        Ok(())
    }

    /// The paths of the open index files, in the order of their numbers.
    pub fn bags(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.indexes.bags.iter().map(|bag| bag.path.as_path())
    }

    /// The tags of all open index files.
    pub fn tags(&self) -> Vec<TagInfo> {
        let mut found = Vec::new();
        for (bag, open) in self.indexes.bags.iter().enumerate() {
            let Ok(live) = open.live() else { continue };
            for (tag, (header, keys)) in live.writer.tags().zip(&live.keys).enumerate() {
                found.push(TagInfo {
                    id: TagId { bag, tag },
                    name: header.name.clone(),
                    key: keys.as_ref().map_or_else(|_| header.key_text().into_owned(), |keys| keys.key_text(header)),
                    condition: match keys {
                        Ok(keys) => keys.condition_text(header),
                        Err(_) => header.for_text().map(|text| text.into_owned()),
                    },
                    unique: header.unique,
                    candidate: header.candidate,
                    descending: header.descending,
                    custom: header.custom,
                    key_type: keys.as_ref().ok().map(|keys| keys.key_type),
                    refusal: keys.as_ref().err().cloned(),
                });
            }
        }
        found
    }

    /// The first tag of this name, in whatever case.
    pub fn find_tag(&self, name: &str) -> Option<TagId> {
        self.indexes.bags.iter().enumerate().find_map(|(bag, open)| {
            let tag = open.live().ok()?.writer.find(name)?;
            Some(TagId { bag, tag })
        })
    }

    /// The keys of a tag as they are now, the own changes included. Ask again for each step: nothing is read while
    /// nothing has changed. Beside others, [`IndexedTable::with_tag`] reads under the index's lock.
    pub fn tag(&mut self, id: TagId) -> Result<Tag> {
        self.list_appended()?;
        let Some(open) = self.indexes.bags.get_mut(id.bag) else { return Err(no_such_bag(id.bag)) };
        let live = open.live_mut()?;
        live.settle(&self.indexes.dbf)?;
        let bag: Arc<Bag> = live.reader()?;
        let Some(keys) = live.keys.get(id.tag) else { return Err(no_such_tag(id.tag)) };
        let number = live.writer.tags().nth(id.tag).and_then(|header| bag.find(&header.name)).unwrap_or(id.tag);
        bag.tag(number, keys.as_ref().map_err(Error::clone)?.key_type)
    }

    /// Calls `read` with the keys of a tag while writers of the index are excluded.
    pub fn with_tag<T>(&mut self, id: TagId, read: impl FnOnce(&Tag) -> Result<T>) -> Result<T> {
        self.list_appended()?;
        let wait = self.indexes.sharing.wait;
        let Some(open) = self.indexes.bags.get(id.bag) else { return Err(no_such_bag(id.bag)) };
        let locked = open.live()?.lock_for_reading(wait)?;
        let result = self.tag(id).and_then(|tag| read(&tag));
        let Some(open) = self.indexes.bags.get(id.bag) else { return result };
        let unlocked = open.live().and_then(|live| live.unlock_reading(locked));
        result.and_then(|value| unlocked.map(|()| value))
    }

    /// The key that a record of these bytes has in a tag; nothing if the tag does not list it.
    pub fn key_of(&self, id: TagId, record: u64, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some(open) = self.indexes.bags.get(id.bag) else { return Err(no_such_bag(id.bag)) };
        let Some(keys) = open.live()?.keys.get(id.tag) else { return Err(no_such_tag(id.tag)) };
        let keys = keys.as_ref().map_err(Error::clone)?;
        let (mut scratch, record) = (Scratch::new(), u32::try_from(record).unwrap_or(u32::MAX));
        if !keys.lists(&mut scratch, bytes, record)? {
            return Ok(None);
        }
        keys.key_of(&mut scratch, bytes, record).map(Some)
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        self.writer.path()
    }

    /// The file system it is on.
    pub fn file_system(&self) -> &Arc<dyn FileSystem> {
        &self.fs
    }

    /// The options that it was opened with.
    pub fn options(&self) -> WriteOptions {
        self.options
    }

    /// The fields, in the order of the header.
    pub fn fields(&self) -> &[Field] {
        self.writer.fields()
    }

    /// The table as it is read: its header as it was at opening.
    pub fn dbf(&self) -> &Dbf {
        self.writer.dbf()
    }

    /// The memo file, for reading.
    pub fn memo(&self) -> Option<&crate::memo::Memo> {
        self.writer.memo()
    }

    /// The number of records now, those not yet written included.
    pub fn count(&mut self) -> Result<u64> {
        self.writer.count()
    }

    /// Reads a record, which counts from 1, into `bytes`, replacing what is there.
    pub fn read(&mut self, record: u64, bytes: &mut Vec<u8>) -> Result<()> {
        self.writer.read(record, bytes)
    }

    /// The value of a field, given by its place, of a record's bytes.
    pub fn value(&self, field: usize, bytes: &[u8]) -> Result<Value> {
        crate::writer::decode(self.writer.dbf(), self.writer.memo(), field, bytes)
    }

    /// Writes what is only in memory: records, memos, keys. With [`WriteOptions::durable`] it is on the disk when this
    /// returns.
    pub fn flush(&mut self) -> Result<()> {
        // Records first: a key without a record is worse than a record without a key, which is still found.
        self.writer.flush()?;
        self.list_appended()?;
        self.indexes.write()
    }

    /// Writes what is only in memory, gives back all locks and closes the files. Dropping does the same, but tells
    /// nobody of an error. The locks are given back in any case.
    pub fn close(mut self) -> Result<()> {
        let flushed = self.flush();
        let unlocked = self.writer.unlock();
        flushed.and(unlocked)
    }
}

impl Drop for IndexedTable {
    fn drop(&mut self) {
        // Errors are lost here; a caller that needs them closes the table.
        let _ = self.flush();
        self.abandon();
    }
}

/// The usual path of the structural index of a table.
fn structural_path(table: &Path) -> PathBuf {
    let capitals = table.extension().is_some_and(|extension| extension == "DBF" || extension == "ADT");
    let extension = crate::table::structural_extension(table);
    table.with_extension(if capitals { extension.to_uppercase() } else { extension.to_owned() })
}
