//! The index runs of a checkpoint: the choice of indexes, the places of their files, and the release of their memory.

use super::Files;
use crate::catalog::{Cataloged, column_ids};
use crate::files::{IndexImage, RunImage, StoreFolder, TableImage};
use crate::group::Group;
use crate::index::base::Base;
use crate::index::run::{Run, RunWriter};
use crate::row::Stored;
use crate::stamp::{ABORTED, NEVER};
use crate::table::NativeTable;
use crate::table::attach::{INDEX_PART, RunRows};
use crate::table::image::Pinned;
use crate::table::indexes::TableIndex;
use crate::table::runs::{IndexKey, Live, RunFiles};
use crate::transaction::shared::Shared;
use mainstay_types::{Code, Error, Result};
use std::collections::HashSet;
use std::sync::Arc;

/// The part of the memory that the indexes of a table may take together.
const INDEXES_PART: usize = 12;

/// Files with new numbers in the folder.
pub(super) struct NewRuns<'f, 'n> {
    pub(super) folder: &'f StoreFolder,
    pub(super) next_file: &'n mut u64,
}

impl RunFiles for NewRuns<'_, '_> {
    fn create(&mut self, width: Option<usize>) -> Result<(u64, RunWriter)> {
        let number = *self.next_file;
        *self.next_file += 1;
        let writer = RunWriter::create(self.folder.fs(), &self.folder.run_path(number), number, width)?;
        Ok((number, writer))
    }

    fn open(&self, image: &RunImage) -> Result<Run> {
        self.folder.map_run_once(&image.file)
    }
}

/// Bytes of the rows of a table in memory.
pub(super) fn bytes_of(image: &TableImage) -> u64 {
    image.groups.iter().fold(0, |bytes, group| bytes.saturating_add(group.memory_bytes))
}

/// Tells whether the rows of a table exceed their part of the row memory; its groups are then left unloaded.
pub(super) fn is_large(image: &TableImage, shared: &Shared) -> bool {
    bytes_of(image) > (shared.memory.limit() / INDEX_PART) as u64
}

/// Writes the runs of a table's indexes and returns their images. `now` already contains the groups.
pub(super) fn keep_indexes(
    files: &mut NewRuns<'_, '_>,
    (table, ids): (&NativeTable, &[u64]),
    pinned: &Pinned,
    (now, before): (&TableImage, Option<&TableImage>),
    damaged: &HashSet<u64>,
) -> Result<Vec<IndexImage>> {
    let groups = pinned.directory.groups().iter().map(|group| (group.number(), Arc::clone(group))).collect();
    let mut kept: Vec<IndexImage> = Vec::new();
    for index in pinned.directory.indexes().iter() {
        let key = IndexKey::of(index, ids).0;
        if kept.iter().any(|other| other.key == key) {
            continue;
        }
        let is_whole = |index: &&IndexImage| index.runs.iter().all(|run| !damaged.contains(&run.file.number));
        let known = before.and_then(|before| {
            let runs = before.indexes.iter().filter(is_whole).find(|index| index.key == key);
            runs.map(|index| (before, index.runs.as_slice()))
        });
        let mut runs = table.keep_index(index, (now, known), &groups, files);
        if runs.is_err() && known.is_some() {
            // A run that cannot be merged is made again from the rows.
            runs = table.keep_index(index, (now, None), &groups, files);
        }
        kept.push(IndexImage { key, runs: runs? });
    }
    Ok(kept)
}

/// Reads all rows of a table, one group at a time, and compares the runs of its indexes with them. Returns the differences. A
/// group that cannot be read is noted by the table.
///
/// Two rows with one key of a unique index show here as well: an entry leads to one of them.
pub(super) fn compare_with_rows(
    folder: &StoreFolder,
    table: &NativeTable,
    image: &TableImage,
    ids: &[u64],
) -> Vec<Error> {
    let directory = table.directory();
    let mut kept = Vec::new();
    for index in directory.indexes().iter() {
        let key = IndexKey::of(index, ids).0;
        let Some(known) = image.indexes.iter().find(|known| known.key == key) else { continue };
        let runs: Result<Vec<Arc<Run>>> =
            known.runs.iter().map(|run| folder.map_run(&run.file).map(Arc::new)).collect();
        // An unreadable run is reported by its checksum.
        if let Ok(runs) = runs {
            kept.push((index, runs, 0u64));
        }
    }
    for group in directory.groups() {
        // Nothing that is loaded or decoded for this alone stays.
        let group = group.apart();
        let compared = group.load().and_then(|()| {
            kept.iter_mut().try_for_each(|(index, runs, missing)| {
                *missing += missing_in(runs, index, &group)?;
                Ok(())
            })
        });
        if compared.is_err() {
            return Vec::new();
        }
    }
    let missing = kept.iter().filter(|(_, _, missing)| *missing > 0);
    let finding = |(index, _, missing): &(&Arc<TableIndex>, Vec<Arc<Run>>, u64)| {
        let message = format!("{missing} rows are not found by the index {}", index.definition().name);
        Error::new(Code::Damaged, message).at(&table.definition().name)
    };
    missing.map(finding).collect()
}

/// The number of rows of a group that are not found under their keys in these runs.
fn missing_in(runs: &[Arc<Run>], index: &TableIndex, group: &Arc<Group>) -> Result<u64> {
    let (mut missing, mut key) = (0, Vec::new());
    let is_there = |offset: &usize| group.created(*offset) != ABORTED && group.ended(*offset) != 0;
    for offset in (0..group.len()).filter(is_there) {
        index.key(&Stored { group, offset }, group.row_id(offset), &mut key)?;
        let found = runs.iter().find_map(|run| run.get(&key).ok().flatten());
        missing += u64::from(found != Some(group.position(offset)));
    }
    Ok(missing)
}

/// Brings the entries of versions that older views see into the tree of an index: the runs of a checkpoint have only
/// those of the versions that were live at its commit.
///
/// Nobody is kept from changing the index meanwhile. An entry that another version takes over stays with it, and one
/// that vacuum removes at the same time leads to a dead version, as those of runs may.
///
/// Errors: why the rows could not be read.
fn keep_ended(index: &TableIndex, groups: &[Arc<Group>], live: &Live<'_>, horizon: u64) -> Result<()> {
    let mut key = Vec::new();
    for group in groups {
        let is_wanted = |offset: &usize| {
            let has_ended = group.ended(*offset) != NEVER && !group.is_dead(*offset, horizon);
            has_ended && !live.has(group.position(*offset))
        };
        let mut wanted = (0..group.len()).filter(is_wanted).peekable();
        if wanted.peek().is_none() {
            continue;
        }
        // Values that are decoded for this alone must not stay in memory.
        let transient = group.transient();
        let rows = transient.as_ref().unwrap_or(group);
        rows.load()?;
        for offset in wanted {
            index.key(&Stored { group: rows, offset }, rows.row_id(offset), &mut key)?;
            let position = group.position(offset);
            if index.entries.get(&key) == Some(position) {
                index.entries.insert_own(&key, position);
            }
        }
    }
    Ok(())
}

impl Files {
    /// Gives up the memory of indexes for the runs that were written, where they take more than a part of the memory: each
    /// that is too large by itself, and the largest of a table as long as they are too large together.
    pub(super) fn leave_indexes_to_runs(&self, images: &[TableImage], cataloged: &Cataloged, shared: &Shared) {
        let most = shared.memory.limit() / INDEX_PART;
        for image in images.iter().filter(|image| !image.indexes.is_empty()) {
            let (Some(table), Some(definition)) =
                (cataloged.tables.get(&image.table), cataloged.catalog.table(image.table))
            else {
                continue;
            };
            let (ids, directory) = (column_ids(definition), table.directory());
            let mut sizes: Vec<_> = directory.indexes().iter().map(|index| (index.entries.memory(), index)).collect();
            sizes.sort_by_key(|(bytes, _)| *bytes);
            let mut sum = 0;
            sizes.retain(|(bytes, index)| {
                sum += bytes;
                *bytes > most || sum > shared.memory.limit() / INDEXES_PART || index.entries.has_provisional_base()
            });
            for (_, index) in sizes {
                let key = IndexKey::of(index, &ids).0;
                let Some(kept) = image.indexes.iter().find(|kept| kept.key == key) else { continue };
                let runs: Result<Vec<Arc<Run>>> =
                    kept.runs.iter().map(|run| self.folder.map_run(&run.file).map(Arc::new)).collect();
                // An index whose runs cannot be mapped now, or whose rows cannot be read, stays as it is until the next
                // checkpoint.
                if let Ok(runs) = runs {
                    let live = Live::of(image);
                    let rows = RunRows::new(table, index, directory.groups());
                    if keep_ended(index, directory.groups(), &live, shared.horizon()).is_err() {
                        continue;
                    }
                    index.entries.set_base(Base::new(runs, Arc::new(rows), u64::MAX));
                    index.entries.drop_kept(&|position| live.has(position));
                }
            }
        }
    }
}
