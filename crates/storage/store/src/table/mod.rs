//! A native table: groups of versions, and the indexes over them.
//!
//! ```text
//!   readers    directory (pinned) ------> groups ------> columns, stamps
//!              indexes: key -> position of the newest version with it -> older ones through links
//!
//!   writers    the write latch, for one row or batch at a time: where to append, entries, ends
//! ```
//!
//! **Invariants:**
//!
//! - An entry of an index points to the newest version that has its key, in whatever state; from there the versions that had
//!   the entry before are reached through links, newest first.
//! - A version that any open view sees, or any transaction may come back to, is in the directory and reachable so.
//! - Under the latch no writer waits for another transaction: a writer that must wait releases it first, and starts over.
//! - A position stays valid while the view of the statement that found it is open; after that the row may have moved.
//!
//! The parts: `write` (insert, update, delete, lock), `bulk`, `entries` (indexes under write), `undo`, `read` (positions and
//! values for a view), `snapshot` and `access` (the table interface), `references` (foreign keys), `vacuum`, `reshape`
//! (another definition), `sorted` (indexes of large tables), `lifetime` (which views look here), `restore`, `attach`, `image` and `runs` (from and to the disk),
//! `damage` (rows that could not be read).

mod access;
pub(crate) mod actions;
pub(crate) mod attach;
mod build;
mod bulk;
mod damage;
mod entries;
pub(crate) mod image;
pub(crate) mod indexes;
mod lifetime;
mod read;
pub(crate) mod references;
pub(crate) mod reshape;
mod restore;
pub(crate) mod runs;
mod snapshot;
mod sorted;
mod undo;
mod vacuum;
mod write;

pub use actions::{Action, ActionCursor, Referring};
pub use indexes::TableIndex;
pub use read::{Reader, Seen, Version};
pub(crate) use references::{Check, Reference};
pub use snapshot::{Shown, TableSnapshot};
pub use vacuum::Vacuumed;
pub use write::Written;

use crate::catalog::temporary::FIRST_TEMPORARY;
use crate::definition::TableDefinition;
use crate::directory::Directory;
use crate::group::{Group, GroupWriter, MAX_CAPACITY, MIN_CAPACITY};
use crate::index::ANY_ENTRY_BYTES;
use crate::row::Stored;
use crate::stamp::View;
use crate::transaction::definitions::DefinitionLock;
use crate::transaction::shared::Shared;
use arrow_schema::SchemaRef;
use damage::Damage;
use entries::Links;
use lifetime::Lifetime;
use mainstay_columnar::DerivedKeys;
use mainstay_types::{Result, SqlType, ValueRef};
use references::References;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// The indexes of a table, in the order in which they were declared.
pub type Indexes = Arc<[Arc<TableIndex>]>;

/// A native table.
pub struct NativeTable {
    id: u32,
    definition: TableDefinition,
    types: Vec<SqlType>,
    schema: SchemaRef,
    directory: RwLock<Arc<Directory>>,
    writer: Mutex<Writer>,
    links: Links,
    references: References,
    /// Versions that became garbage since the last vacuum, about.
    garbage: AtomicUsize,
    /// Odd while vacuum moves rows from one group to another.
    moves: AtomicUsize,
    /// The lock of writers and of definition changes; `None` for tables of one session.
    definition_lock: Option<Arc<DefinitionLock>>,
    /// True if a change of the catalog has put another table in its place, so that nothing may be written here.
    is_replaced: AtomicBool,
    /// Since when views look elsewhere, and from when on they can look here at all.
    lifetime: Lifetime,
    /// Garbage from which on it is worth a vacuum.
    vacuum_from: AtomicUsize,
    /// The commit before which it does not run, because older views read what the last run had to leave.
    vacuum_after: AtomicU64,
    /// Why its rows could not be read, if that is so.
    damage: Arc<Damage>,
    /// The rules by which its language makes keys of its records; empty until they were asked for.
    pub derived_keys: LearnedKeys,
    pub(crate) shared: Arc<Shared>,
}

/// The state under the write latch.
pub(crate) struct Writer {
    /// The last group; `None` for an empty table.
    current: Option<GroupWriter>,
    /// The same as the table's.
    directory: Arc<Directory>,
    indexes: Indexes,
    next_group: u64,
    next_row_id: u64,
    /// Bytes that a row takes, as far as that is known: those of the rows before.
    row_bytes: usize,
    /// A key that is being made, and one to compare it with.
    key: Vec<u8>,
    other_key: Vec<u8>,
    /// Dropped groups, while there are views from before that.
    retired: HashMap<u64, Retired>,
    vacuum: vacuum::Progress,
}

/// A group that was dropped.
struct Retired {
    /// The last published commit when that happened.
    commit: u64,
    /// Where its live rows are now, by offset.
    moved: Box<[u64]>,
}

/// The rules by which conditions on columns become conditions on keys, if a language has any for a table. They are learned
/// once, and stay for as long as the definition of the table does.
#[derive(Default)]
pub struct LearnedKeys(OnceLock<Option<Arc<dyn DerivedKeys>>>);

impl LearnedKeys {
    /// Learns the rules, which `read` gives the first time.
    ///
    /// Errors: those of `read`, which is asked again then.
    pub fn learn(&self, read: impl FnOnce() -> Result<Option<Arc<dyn DerivedKeys>>>) -> Result<()> {
        if self.0.get().is_none() {
            let _ = self.0.set(read()?);
        }
        Ok(())
    }

    /// The rules, as far as they are known.
    pub(crate) fn get(&self) -> Option<&dyn DerivedKeys> {
        self.0.get()?.as_deref()
    }
}

impl NativeTable {
    /// An empty table. `id` is its number in the store.
    pub(crate) fn new(id: u32, definition: TableDefinition, shared: Arc<Shared>) -> Result<NativeTable> {
        definition.check()?;
        let indexes: Indexes =
            definition.indexes.iter().map(|index| Arc::new(TableIndex::new(&definition, index))).collect();
        let directory = Arc::new(Directory::of(Vec::new(), indexes)?);
        let writer = Writer::new(Arc::clone(&directory));
        let damage = Damage::of(&definition.name);
        Ok(NativeTable {
            id,
            types: definition.columns.iter().map(|column| column.sql_type).collect(),
            schema: definition.schema(),
            definition,
            directory: RwLock::new(directory),
            writer: Mutex::new(writer),
            links: Links::default(),
            references: References::default(),
            garbage: AtomicUsize::new(0),
            moves: AtomicUsize::new(0),
            definition_lock: (id < crate::store::FIRST_UNCATALOGED).then(Arc::default),
            is_replaced: AtomicBool::new(false),
            lifetime: Lifetime::default(),
            vacuum_from: AtomicUsize::new(vacuum::LEAST_GARBAGE),
            vacuum_after: AtomicU64::new(0),
            damage: Arc::new(damage),
            derived_keys: LearnedKeys::default(),
            shared,
        })
    }

    /// Its number in the store.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The declared definition.
    pub fn definition(&self) -> &TableDefinition {
        &self.definition
    }

    /// The types of its columns.
    pub fn types(&self) -> &[SqlType] {
        &self.types
    }

    /// The columns as Arrow's schema, the row id behind them.
    pub(crate) fn schema_ref(&self) -> &SchemaRef {
        &self.schema
    }

    /// The groups as they are now.
    #[inline]
    pub fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.directory.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The indexes as they are now.
    pub fn indexes(&self) -> Arc<[Arc<TableIndex>]> {
        Arc::clone(self.directory().indexes())
    }

    /// The table as a view sees it, for one statement: rows that are inserted later are not part of it.
    #[inline]
    pub fn reader(&self, view: View) -> Reader<'_> {
        Reader::new(self, view.of(self.id >= FIRST_TEMPORARY))
    }

    /// The last published state.
    pub fn current_view(&self) -> View {
        View::at(self.shared.published().load(Ordering::Acquire), 0)
    }

    /// Empties a table without indexes, as if it never had a row. Snapshots taken before keep their rows.
    ///
    /// Errors: `Internal` for a table with indexes.
    pub(crate) fn empty(&self) -> Result<()> {
        let mut writer = self.latch();
        if !writer.indexes.is_empty() {
            return Err(internal("a table with indexes is not emptied"));
        }
        if writer.current.is_none() && writer.directory.groups().is_empty() {
            return Ok(());
        }
        let directory = Directory::of(Vec::new(), Arc::clone(&writer.indexes))?;
        self.install(&mut writer, directory);
        *writer = Writer::new(Arc::clone(&writer.directory));
        self.links.retain(|_, _| false);
        self.garbage.store(0, Ordering::Relaxed);
        self.vacuum_from.store(vacuum::LEAST_GARBAGE, Ordering::Relaxed);
        self.vacuum_after.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// The memory that rows and indexes take, in bytes.
    pub fn bytes(&self) -> usize {
        let groups: usize = self.directory().groups().iter().map(|group| group.bytes()).sum();
        groups + self.indexes().iter().map(|index| index.entries.memory()).sum::<usize>() + self.links.bytes()
    }

    /// The lock of its definition; `None` for a table of a single session.
    #[inline]
    pub(crate) fn definition_lock(&self) -> Option<&Arc<DefinitionLock>> {
        self.definition_lock.as_ref()
    }

    /// A number that is another one after a transaction has had the table alone ([`crate::Transaction::hold`], or a change
    /// of its definition); odd while one has it.
    #[inline]
    pub fn definition_turns(&self) -> u64 {
        self.definition_lock.as_ref().map_or(0, |lock| lock.turns())
    }

    /// The write latch.
    #[inline]
    pub(crate) fn latch(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the directory, under the latch.
    fn install(&self, writer: &mut Writer, directory: Directory) {
        writer.directory = Arc::new(directory);
        *self.directory.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&writer.directory);
    }

    /// The group to append to, with room for a slot at least.
    fn room<'w>(&self, writer: &'w mut Writer) -> Result<&'w mut GroupWriter> {
        if writer.current.as_ref().is_none_or(|group| group.room() == 0) {
            self.add_group(writer)?;
        }
        writer.current.as_mut().ok_or_else(|| internal("a table has no group to append to"))
    }

    /// Adds a group.
    #[cold]
    fn add_group(&self, writer: &mut Writer) -> Result<()> {
        self.count_full(writer);
        let capacity = self.next_capacity(writer, writer.directory.groups());
        let group = Group::create(writer.next_group, &self.types, capacity, writer.next_row_id);
        let mut groups = writer.directory.groups().to_vec();
        groups.push(Arc::clone(group.group()));
        let directory = Directory::of(groups, Arc::clone(&writer.indexes))?;
        self.install(writer, directory);
        writer.next_group += 1;
        writer.current = Some(group);
        Ok(())
    }

    /// The capacity of the next group in slots: the current number of slots, within limits, so that small tables stay
    /// small; and no more rows than the byte limit of a group allows.
    fn next_capacity(&self, writer: &Writer, groups: &[Arc<Group>]) -> usize {
        let slots: usize = groups.iter().map(|group| group.capacity()).sum();
        let rows = self.shared.memory.group_bytes() / writer.row_bytes.max(1);
        slots.next_power_of_two().min(rows).clamp(MIN_CAPACITY, MAX_CAPACITY)
    }

    /// Takes note of the group that has become full, once: another one is about to come behind it.
    fn count_full(&self, writer: &mut Writer) {
        let last = writer.directory.groups().last().filter(|group| group.number() + 1 == writer.next_group);
        let Some(group) = last.filter(|group| group.is_full() && !group.is_stored()) else { return };
        let (group, bytes) = (Arc::clone(group), group.bytes());
        writer.row_bytes = bytes / group.len().max(1);
        if self.is_kept() {
            self.shared.memory.filled(bytes + entry_bytes(&writer.indexes, &group));
        }
    }

    /// Returns true if checkpoints write its rows.
    fn is_kept(&self) -> bool {
        self.definition.logged && self.id < crate::store::FIRST_UNCATALOGED
    }

    /// Waits until there is memory for more rows. Not to be called under the latch.
    ///
    /// Errors: `OutOfMemory` when the checkpoint fails that was to make room.
    #[inline]
    fn admit(&self) -> Result<()> {
        if self.is_kept() { self.shared.memory.admit() } else { Ok(()) }
    }

    /// Says that versions have become garbage.
    #[inline]
    pub(crate) fn count_garbage(&self, versions: usize) {
        self.garbage.fetch_add(versions, Ordering::Relaxed);
    }
}

impl Writer {
    /// The state of a table without groups.
    fn new(directory: Arc<Directory>) -> Writer {
        Writer {
            current: None,
            indexes: Arc::clone(directory.indexes()),
            directory,
            next_group: 0,
            next_row_id: 1,
            row_bytes: 0,
            key: Vec::new(),
            other_key: Vec::new(),
            retired: HashMap::new(),
            vacuum: vacuum::Progress::default(),
        }
    }

    /// The version that the entry of these values in a unique index points to; `None` without an entry.
    ///
    /// Errors: values that the index's columns do not take.
    #[inline]
    fn find(&mut self, number: usize, values: &[ValueRef<'_>]) -> Result<Option<(u64, Arc<Group>)>> {
        let Some(index) = self.indexes.get(number).filter(|index| index.is_unique()) else { return Ok(None) };
        let mut key = index.encoder.start(&mut self.key);
        values.iter().try_for_each(|value| key.push(*value))?;
        if values.len() != index.columns.len() || key.has_null() {
            return Ok(None);
        }
        key.finish(0);
        let Some(position) = index.entries.get(&self.key) else { return Ok(None) };
        Ok(self.directory.group(position).map(|group| (position, Arc::clone(group))))
    }

    /// The group and offset where a version is now; `None` if it is gone.
    pub(crate) fn resolve(&self, mut position: u64) -> Option<(u64, Arc<Group>)> {
        // A row may have moved more than once; positions only grow, so this ends.
        loop {
            if let Some(group) = self.directory.group(position) {
                return Some((position, Arc::clone(group)));
            }
            let retired = self.retired.get(&crate::group::group_of(position))?;
            let moved = *retired.moved.get(crate::group::offset_of(position))?;
            if moved == crate::stamp::NOWHERE || moved <= position {
                return None;
            }
            position = moved;
        }
    }
}

impl fmt::Debug for NativeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeTable").field("id", &self.id).field("name", &self.definition.name).finish_non_exhaustive()
    }
}

/// The memory that the rows of a full group take in indexes, estimated from a few of them where the keys are of any length.
fn entry_bytes(indexes: &Indexes, group: &Arc<Group>) -> usize {
    const SAMPLES: usize = 16;
    // Not the writer's buffer, which may have the key of the row that is about to be written.
    let mut key = Vec::new();
    let mut of_key = |index: &Arc<TableIndex>| match index.entries.entry_bytes() {
        Some(bytes) => bytes,
        None => {
            let step = (group.len() / SAMPLES).max(1);
            let (mut keys, mut bytes) = (0, 0);
            for offset in (0..group.len()).step_by(step) {
                if index.key(&Stored { group, offset }, group.row_id(offset), &mut key).is_ok() {
                    (keys, bytes) = (keys + 1, bytes + key.len());
                }
            }
            ANY_ENTRY_BYTES + bytes / keys.max(1)
        }
    };
    group.len() * indexes.iter().map(&mut of_key).sum::<usize>()
}

pub(crate) fn internal(message: &str) -> mainstay_types::Error {
    mainstay_types::Error::new(mainstay_types::Code::Internal, message)
}
