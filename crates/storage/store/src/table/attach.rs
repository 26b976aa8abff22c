//! A large table of a checkpoint: attached without reading its rows.
//!
//! ```text
//!   from the manifest     groups: rows, deletions, row ids       index: its runs
//!   when first needed     columns of a group, verified           blocks of a run, verified
//!   at once               the last group, if there is room in it
//! ```
//!
//! All files are mapped at once, so that a missing or truncated file is found here, and a file that a later checkpoint
//! removes can still be read. Mapping reads nothing.
//!
//! Limit: tables of a few rows are read whole instead ([`NativeTable::load`]): that takes less time than opening their
//! files one by one, and their indexes are in memory then.

use super::damage::Damage;
use super::indexes::TableIndex;
use super::restore::{arrays_of, columns_of};
use super::runs::IndexKey;
use super::{NativeTable, Writer};
use crate::directory::Directory;
use crate::files::{FileFacts, GroupImage, StoreFolder, TableImage, stored_of};
use crate::group::load::row_ids;
use crate::group::stored::{ColumnSource, Loaded};
use crate::group::{Group, GroupWriter, MAX_CAPACITY};
use crate::index::base::{Base, BaseRows};
use crate::index::run::Run;
use crate::memory::DecodedMemory;
use crate::resident::Pages;
use crate::row::Stored;
use crate::stamp::ABORTED;
use crate::transaction::shared::Shared;
use mainstay_types::{Code, Error, Result, SqlType, interrupt};
use std::path::PathBuf;
use std::sync::Arc;

/// Estimated memory of an index entry in bytes, rather too high than too low, so that an index that is loaded into
/// memory is not dropped again by the next checkpoint.
const ENTRY_BYTES: u64 = 40;
/// Reads of an index that are not worth bringing it into memory.
const LEAST_READS: u64 = 1000;
/// The part of the memory for rows that an index may take.
pub(crate) const INDEX_PART: usize = 16;

/// The properties shared by all groups of a table.
pub(crate) struct Shape {
    types: Vec<SqlType>,
    /// The numbers of the columns in the catalog.
    ids: Vec<u64>,
    damage: Arc<Damage>,
    /// The memory for decoded columns.
    decoded: Arc<DecodedMemory>,
}

/// The file of a group that is loaded when it is needed.
pub(crate) struct GroupFile {
    shape: Arc<Shape>,
    pages: Arc<Pages>,
    facts: FileFacts,
    path: PathBuf,
    group: u64,
    rows: usize,
}

impl GroupFile {
    /// The file of a group, mapped.
    ///
    /// Errors: `Damaged` when it is not there or of another length; those of the file system.
    pub(crate) fn of(stored: &GroupImage, shape: &Arc<Shape>, folder: &StoreFolder) -> Result<GroupFile> {
        Ok(GroupFile {
            shape: Arc::clone(shape),
            pages: folder.map_unverified(&stored.file)?,
            facts: stored.file,
            path: folder.path_of(&stored.file),
            group: stored.group,
            rows: stored.rows as usize,
        })
    }

    fn read(&self) -> Result<Loaded> {
        self.pages.touch(0);
        let stored =
            stored_of(self.pages.mapping().clone(), &self.facts).map_err(|error| error.at(self.path.display()))?;
        if stored.rows != self.rows || stored.group != self.group {
            let message = format!("the file of group {} holds another one", self.group);
            return Err(Error::new(Code::Damaged, message).at(self.path.display()));
        }
        let Shape { types, ids, decoded, .. } = &*self.shape;
        let columns = columns_of(types, &stored, ids, decoded).map_err(|error| error.at(self.path.display()))?;
        Ok(Loaded { columns, row_ids: row_ids(&stored.row_ids, stored.rows)?.into_inner() })
    }
}

impl ColumnSource for GroupFile {
    fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    fn load(&self) -> Result<Loaded> {
        // A statement may be the first to look at the group, and end: that is no damage.
        let _whole = interrupt::suspended();
        let loaded = self.read();
        if let Err(error) = &loaded {
            self.shape.damage.note(error);
            if let Some(reason) = self.shape.damage.reason() {
                return Err(reason.clone());
            }
        }
        loaded
    }
}

/// The rows of which the runs of an index are made.
pub(crate) struct RunRows {
    /// Apart from those of the table's readers.
    groups: Vec<Arc<Group>>,
    /// The encoding of the keys; it has no entries itself.
    rules: TableIndex,
    shared: Arc<Shared>,
}

impl RunRows {
    /// The rows of these groups.
    pub(crate) fn new(table: &NativeTable, index: &TableIndex, groups: &[Arc<Group>]) -> RunRows {
        let rules = TableIndex::new(&table.definition, &index.definition);
        RunRows { groups: groups.iter().map(Group::apart).collect(), rules, shared: Arc::clone(&table.shared) }
    }
}

impl BaseRows for RunRows {
    fn each(&self, visit: &mut dyn FnMut(&[u8], u64)) -> Result<()> {
        let mut key = Vec::new();
        for group in &self.groups {
            // Nothing that is loaded or decoded for this alone stays.
            let group = &group.apart();
            group.load()?;
            let is_there = |offset: &usize| group.created(*offset) != ABORTED && group.ended(*offset) != 0;
            for offset in (0..group.len()).filter(is_there) {
                self.rules.key(&Stored { group, offset }, group.row_id(offset), &mut key)?;
                visit(&key, group.position(offset));
            }
        }
        Ok(())
    }

    fn note_damage(&self, runs: &[u64], reason: &Error) {
        self.shared.damaged_runs.note(runs, reason);
    }
}

impl NativeTable {
    /// True when the checkpoint stores everything needed to open the table without reading its rows.
    pub(crate) fn is_attachable(&self, image: &TableImage, ids: &[u64]) -> bool {
        let is_kept = |index: &Arc<TableIndex>| {
            let key = IndexKey::of(index, ids);
            image.indexes.iter().any(|kept| kept.key == key.0)
        };
        let is_known =
            |group: &GroupImage| group.row_ids.is_some() && group.rows > 0 && group.rows as usize <= MAX_CAPACITY;
        image.groups.iter().all(is_known) && self.indexes().iter().all(is_kept)
    }

    /// Takes the groups of a checkpoint into this empty table, and the runs of its indexes.
    ///
    /// Errors: `Damaged` for files that are not there or of another length, or for a last group that cannot be read; those
    /// of the file system.
    pub(crate) fn attach(&self, image: &TableImage, ids: &[u64], folder: &StoreFolder) -> Result<()> {
        let mut writer = self.latch();
        let shape = self.shape(ids);
        let mut groups: Vec<Arc<Group>> = Vec::new();
        for (number, stored) in image.groups.iter().enumerate() {
            writer.row_bytes = stored.memory_bytes as usize / (stored.rows as usize).max(1);
            let capacity = self.next_capacity(&writer, &groups);
            let is_last = number + 1 == image.groups.len();
            let group = match is_last && (stored.rows as usize) < capacity {
                true => self.continued(&mut writer, stored, &shape, folder, capacity)?,
                false => Arc::new(unloaded(stored, &shape, folder)?),
            };
            stored.deleted.iter().for_each(|offset| group.bury(*offset as usize));
            self.count_garbage(stored.deleted.len());
            groups.push(group);
        }
        let greatest = image.groups.iter().filter_map(|group| group.row_ids).map(|ids| ids.greatest).max();
        writer.next_row_id = image.next_row_id.max(greatest.unwrap_or(0).saturating_add(1));
        writer.next_group = image.next_group;
        let indexes = Arc::clone(&writer.indexes);
        self.install(&mut writer, Directory::of(groups, indexes)?);
        (0..writer.indexes.len()).try_for_each(|number| self.attach_index(&mut writer, number, image, ids, folder))
    }

    /// The last group, in memory, to be appended to.
    fn continued(
        &self,
        writer: &mut Writer,
        stored: &GroupImage,
        shape: &Shape,
        folder: &StoreFolder,
        capacity: usize,
    ) -> Result<Arc<Group>> {
        let found = folder.map_stored(&stored.file)?;
        if found.rows != stored.rows as usize || found.group != stored.group {
            return Err(self.damaged(format!("the file of group {} holds another one", stored.group)));
        }
        let arrays = arrays_of(&self.types, &found, &shape.ids)?;
        let current = GroupWriter::of_vectors(&self.types, &arrays, &found, capacity)?;
        let group = Arc::clone(current.group());
        writer.current = Some(current);
        Ok(group)
    }

    /// The number of reads of an index of so many entries before it is loaded into memory: by then the reads have cost
    /// about as much as loading it. `u64::MAX` if it is too large.
    pub(crate) fn often(&self, entries: u64) -> u64 {
        let most = (self.shared.memory.limit() / INDEX_PART) as u64 / ENTRY_BYTES;
        if entries <= most { (entries / 4).max(LEAST_READS) } else { u64::MAX }
    }

    /// The properties shared by the groups of this table, whose columns have these numbers in the catalog.
    pub(crate) fn shape(&self, ids: &[u64]) -> Arc<Shape> {
        let (damage, decoded) = (Arc::clone(&self.damage), Arc::clone(&self.shared.memory.decoded));
        Arc::new(Shape { types: self.types.clone(), ids: ids.to_vec(), damage, decoded })
    }

    /// Attaches the stored runs of an index. If a run is missing, the index is built from the rows.
    fn attach_index(
        &self,
        writer: &mut Writer,
        number: usize,
        image: &TableImage,
        ids: &[u64],
        folder: &StoreFolder,
    ) -> Result<()> {
        let Some(index) = writer.indexes.get(number).cloned() else { return Ok(()) };
        let key = IndexKey::of(&index, ids);
        let kept = image.indexes.iter().find(|kept| kept.key == key.0);
        let runs: Vec<_> = kept.iter().flat_map(|kept| kept.runs.iter()).collect();
        let mapped: Result<Vec<Arc<Run>>> = runs.iter().map(|run| folder.map_run(&run.file).map(Arc::new)).collect();
        match mapped {
            Ok(mapped) if mapped.is_empty() => Ok(()),
            Ok(mapped) => {
                let rows = RunRows::new(self, &index, writer.directory.groups());
                let entries = runs.iter().map(|run| run.entries).sum();
                index.entries.set_base(Base::new(mapped, Arc::new(rows), self.often(entries)));
                Ok(())
            }
            Err(reason) => {
                let numbers: Vec<u64> = runs.iter().map(|run| run.file.number).collect();
                self.shared.damaged_runs.note(&numbers, &reason);
                let _whole = interrupt::suspended();
                self.enter_all(writer, 0, |other| other == number).map_err(|error| self.damaged(error.to_string()))
            }
        }
    }
}

/// A full group whose columns are not loaded.
fn unloaded(stored: &GroupImage, shape: &Arc<Shape>, folder: &StoreFolder) -> Result<Group> {
    let file = GroupFile::of(stored, shape, folder)?;
    let ids = stored.row_ids.unwrap_or_default();
    Ok(Group::of_source((stored.group, stored.rows as usize), &ids, Arc::new(file)))
}
