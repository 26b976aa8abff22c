//! The index runs of a checkpoint: the choice of indexes, the places of their files, and the release of their memory.

use super::Files;
use crate::catalog::{Cataloged, column_ids};
use crate::files::{IndexImage, Manifest, RunImage, StoreFolder, TableImage};
use crate::group::Group;
use crate::index::base::{Base, BaseRows};
use crate::index::run::{Run, RunWriter};
use crate::row::Stored;
use crate::stamp::NEVER;
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

/// Compares the runs of a table with its rows, which were read whole, and returns the differences.
pub(super) fn compare_with_rows(
    folder: &StoreFolder,
    table: &NativeTable,
    image: &TableImage,
    ids: &[u64],
) -> Vec<Error> {
    let directory = table.directory();
    let mut findings = Vec::new();
    for index in directory.indexes().iter() {
        let key = IndexKey::of(index, ids).0;
        let Some(kept) = image.indexes.iter().find(|kept| kept.key == key) else { continue };
        let runs: Result<Vec<Arc<Run>>> = kept.runs.iter().map(|run| folder.map_run(&run.file).map(Arc::new)).collect();
        // An unreadable run is reported by its checksum.
        let Ok(runs) = runs else { continue };
        let mut missing = 0u64;
        let outcome = RunRows::new(table, index, directory.groups()).each(&mut |key, position| {
            let found = runs.iter().find_map(|run| run.get(key).ok().flatten());
            missing += u64::from(found != Some(position));
        });
        if outcome.is_ok() && missing > 0 {
            let message = format!("{missing} rows are not found by the index {}", index.definition().name);
            findings.push(Error::new(Code::Damaged, message).at(&table.definition().name));
        }
    }
    findings
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
    pub(super) fn leave_indexes_to_runs(&self, manifest: &Manifest, cataloged: &Cataloged, shared: &Shared) {
        let most = shared.memory.limit() / INDEX_PART;
        for image in manifest.tables.iter().filter(|image| !image.indexes.is_empty()) {
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
