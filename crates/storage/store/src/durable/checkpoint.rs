//! Checkpoints: committed data is written to its own files, so that older journals can be removed.
//!
//! ```text
//!   1  under the commit mutex    journal n is closed, n + 1 begun; N is the last commit; the catalog as of N
//!   2  others go on              of every table: the groups, and which of their rows are part of commit N
//!        full groups             written once, in whatever state: what is not of commit N is in the deletion list,
//!                                which may be all of it while the transaction that fills the group is open
//!        the last group          written again when it has grown
//!        indexes                 of tables that are not small: the new rows as sorted runs (`table/runs.rs`)
//!   3  the manifest              renamed into place: from now on journal n + 1 is the first to be read
//!   4  unused files are removed; full groups are mapped, and their memory is freed
//! ```
//!
//! A view at N is held meanwhile, so that vacuum removes nothing that N sees. Rows in a full group that came after N
//! are in the file already, and come out of the deletion list at the next checkpoint.
//!
//! **Damage.** As long as the rows of a table cannot be read ([`NativeTable::damage`]) no checkpoint is taken: a
//! manifest without its files would lose them, and the changes committed to it since the last checkpoint are in the
//! journals alone. So the files and the journals stay as they are, commits continue in the journal, and closing the
//! store only closes that. The state ends when the table is dropped, or when the store is opened again with intact
//! files.
//!
//! **Failure.** A checkpoint that fails has removed nothing: the old manifest is in place, or the new one is, and the
//! files of both and all journals from the older one on exist. So as long as the journal itself accepts frames, commits
//! continue, and a later checkpoint tries again - with files of other numbers, so that nothing depends on a file of
//! which a write or sync has failed. All writing ends when a journal could not be closed, or when it is unknown if the
//! journal after it exists.

use super::Files;
use super::runs::{NewRuns, bytes_of, is_large, keep_indexes};
use crate::catalog::{Cataloged, column_ids};
use crate::files::{FileForm, GroupImage, Manifest, TableImage, WrittenGroup};
use crate::journal::{FILE_HEADER, journal_path, random_salt};
use crate::store::Store;
use crate::table::NativeTable;
use crate::table::attach::GroupFile;
use crate::table::image::deleted_at;
use crate::transaction::Journal;
use crate::transaction::shared::Shared;
use mainstay_types::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The writing of tables to files, by a checkpoint or while a store is opened (`relief.rs`).
pub(super) struct Writing<'f, 'n> {
    files: &'f Files,
    commit: u64,
    /// The files of the checkpoint before, by table and group: the number of rows, and the file with their memory.
    ///
    /// The file of a group is used again if it has as many rows as the group now, also when the group is still in memory
    /// because its file could not be mapped. It has the same rows then: the numbers of groups are never used again in a
    /// table of the catalog, values and row ids of a slot are never written again, and versions that ended are in the
    /// list of deletions, which each checkpoint makes anew.
    known: HashMap<(u64, u64), (u32, WrittenGroup)>,
    before: &'f Manifest,
    damaged_runs: HashSet<u64>,
    next_file: &'n mut u64,
}

impl Store {
    /// Takes a checkpoint: everything that is committed is written to its own files, and the journal begins anew. Other
    /// transactions continue meanwhile. In memory there is nothing to do.
    ///
    /// Errors: those of the file system, and why the rows of a table could not be read. Nothing is lost then, and unless it was the journal that failed, changes are still
    /// taken, and another checkpoint may be tried.
    pub fn checkpoint(&self) -> Result<()> {
        self.durable.as_ref().map_or(Ok(()), |durable| durable.files.checkpoint(&self.shared, false))
    }
}

impl Files {
    /// Takes a checkpoint; the last one closes the journal and refuses further changes.
    pub(super) fn checkpoint(&self, shared: &Shared, is_last: bool) -> Result<()> {
        let mut manifest = self.manifest();
        shared.check()?;
        let full_bytes = shared.memory.full_bytes();
        let sequences = shared.sequences.image(&manifest.catalog, true, u64::MAX);
        let damaged_runs = shared.damaged_runs.numbers();
        let is_same = self.is_clean() && sequences == manifest.sequences && damaged_runs.is_empty();
        let damage = shared.commits().cataloged.damage().next().cloned();
        if is_last && (is_same || damage.is_some()) {
            return self.journal.close().map_err(|error| shared.fail(error));
        }
        if is_same && full_bytes == 0 {
            return Ok(());
        }
        if let Some(damage) = damage {
            let error = held_back(damage);
            shared.memory.not_freed(&error);
            return Err(error);
        }
        let mut ticket = shared.views.ticket();
        shared.views.look(&mut ticket, shared.published());
        let mut next_file = manifest.next_file;
        let outcome = self.take(shared, &manifest, is_last, &mut next_file);
        shared.views.give_back(ticket);
        let (next, cataloged) = match outcome {
            Ok(taken) => taken,
            Err(error) => {
                // Never the number of a file that may be half there.
                manifest.next_file = next_file;
                shared.memory.not_freed(&error);
                return Err(if self.journal.is_open() { error } else { shared.fail(error) });
            }
        };
        *manifest = next;
        shared.damaged_runs.forget(&damaged_runs);
        if !is_last {
            self.map_full_groups(&manifest.tables, &cataloged, shared);
            self.leave_indexes_to_runs(&manifest.tables, &cataloged, shared);
        }
        shared.memory.freed(full_bytes);
        // Files that are left over now are removed by the next checkpoint.
        self.folder.remove_leftovers(&manifest).map(|_| ())
    }

    /// Returns true if no frame has come since the files of the manifest were written.
    fn is_clean(&self) -> bool {
        self.journal.bytes() == self.clean_bytes.load(Ordering::Acquire)
    }

    /// Puts the files in the place of the full groups that are still in memory, and gives up stamps that say nothing more.
    pub(super) fn map_full_groups(&self, images: &[TableImage], cataloged: &Cataloged, shared: &Shared) {
        for image in images {
            let (Some(table), Some(definition)) =
                (cataloged.tables.get(&image.table), cataloged.catalog.table(image.table))
            else {
                continue;
            };
            let (full, ids) = (table.full_in_memory(), column_ids(definition));
            // Pages of a large table that is still growing must not stay resident.
            let shape = is_large(image, shared).then(|| table.shape(&ids));
            for group in image.groups.iter().filter(|group| full.contains(&group.group)) {
                // A file that cannot be mapped now is no reason to stop: the rows are still in memory, and the next
                // checkpoint tries again.
                let _ = match &shape {
                    None => self.folder.map_stored(&group.file).and_then(|stored| table.put_back(&stored, &ids)),
                    Some(shape) => self.folder.read_group(&group.file).and_then(|stored| {
                        let file = GroupFile::of(group, shape, &self.folder)?;
                        table.put_back_unloaded(&stored, Arc::new(file))
                    }),
                };
            }
            let _ = table.free_settled();
        }
    }

    /// Writes the files and the manifest. `next_file` is the number of the next file, whatever comes of it.
    fn take(
        &self,
        shared: &Shared,
        before: &Manifest,
        is_last: bool,
        next_file: &mut u64,
    ) -> Result<(Manifest, Arc<Cataloged>)> {
        self.clean_bytes.store(u64::MAX, Ordering::Release);
        let (commit, cataloged, journal) = self.next_journal(shared, is_last)?;
        let mut writing = self.writing(before, commit, shared, next_file);
        let tables = cataloged.tables.iter();
        let tables = tables.map(|(id, table)| writing.table(&cataloged, *id, table)).collect::<Result<Vec<_>>>()?;
        let manifest = Manifest {
            checkpoint: before.checkpoint + 1,
            commit_number: commit,
            journal,
            next_file: *writing.next_file,
            catalog: (*cataloged.catalog).clone(),
            sequences: shared.sequences.image(&cataloged.catalog, is_last, commit),
            tables,
        };
        self.folder.save(&manifest)?;
        self.clean_bytes.store(FILE_HEADER as u64, Ordering::Release);
        Ok((manifest, cataloged))
    }

    /// The writing of tables as of a commit, after what was written `before`.
    pub(super) fn writing<'f, 'n>(
        &'f self,
        before: &'f Manifest,
        commit: u64,
        shared: &Shared,
        next_file: &'n mut u64,
    ) -> Writing<'f, 'n> {
        let tables = before.tables.iter().flat_map(|table| table.groups.iter().map(|group| (table.table, group)));
        // Files of an earlier version are written anew.
        let tables = tables.filter(|(_, group)| group.file.form == FileForm::Columns);
        let written = |group: &GroupImage| WrittenGroup { file: group.file, memory_bytes: group.memory_bytes };
        let known = tables.map(|(table, group)| ((table, group.group), (group.rows, written(group)))).collect();
        Writing { files: self, commit, known, before, damaged_runs: shared.damaged_runs.numbers(), next_file }
    }

    /// Ends the journal and begins the next one: the last commit before it, the catalog then, and its number.
    fn next_journal(&self, shared: &Shared, is_last: bool) -> Result<(u64, Arc<Cataloged>, u64)> {
        let commits = shared.commits();
        shared.check()?;
        // One without frames is as good as a new one: a checkpoint before may have failed behind this step.
        let mut number = self.journal.number()?;
        if self.journal.bytes() == FILE_HEADER as u64 && !is_last {
            return Ok((commits.last, Arc::clone(&commits.cataloged), number));
        }
        self.journal.switch(|writer| {
            number += 1;
            let path = journal_path(self.folder.path(), number);
            writer.continue_in(self.folder.fs(), &path, number, random_salt())
        })?;
        if is_last {
            self.journal.close()?;
        }
        Ok((commits.last, Arc::clone(&commits.cataloged), number))
    }
}

/// The error of a checkpoint that is not taken while a table is damaged.
fn held_back(damage: Error) -> Error {
    let message = format!("no checkpoint is taken as long as a table is damaged: {}", damage.message());
    let error = Error::new(damage.code(), message);
    let error = damage.place().map_or(error.clone(), |place| error.at(place));
    error.hint(damage.hint_text().unwrap_or_default())
}

impl Writing<'_, '_> {
    /// Writes what is not in a file yet.
    pub(super) fn table(&mut self, cataloged: &Cataloged, id: u64, table: &Arc<NativeTable>) -> Result<TableImage> {
        let ids = cataloged.catalog.table(id).map(column_ids).unwrap_or_default();
        let pinned = table.pin();
        let (next_row_id, next_group) = (pinned.next_row_id, pinned.next_group);
        let mut image = TableImage { table: id, next_row_id, next_group, ..TableImage::default() };
        for (group, length) in pinned.directory.groups().iter().zip(&pinned.lengths) {
            let deleted = deleted_at(group, *length, self.commit);
            // Nothing that was or will be committed; or a last group that nothing was committed to yet.
            if deleted.len() == *length && !(group.is_full() && group.has_later(self.commit)) {
                continue;
            }
            let rows = *length as u32;
            let known = self.known.get(&(id, group.number())).filter(|(known, _)| *known == rows);
            let WrittenGroup { file, memory_bytes } = match known {
                Some((_, written)) => *written,
                None => {
                    let number = *self.next_file;
                    *self.next_file += 1;
                    group.load()?;
                    // The last group is written again when it has grown: encoding that would be for nothing.
                    let is_encoded = self.files.encodes && group.is_full();
                    self.files.folder.write_group(number, &group.to_vectors(*length, &ids), is_encoded)?
                }
            };
            let row_ids = Some(group.row_id_facts(*length)?);
            image.groups.push(GroupImage { group: group.number(), rows, file, deleted, row_ids, memory_bytes });
        }
        if bytes_of(&image) > self.files.whole_bytes {
            let before = self.before.tables.iter().find(|before| before.table == id);
            let mut files = NewRuns { folder: &self.files.folder, next_file: self.next_file };
            let indexes = keep_indexes(&mut files, (table, &ids), &pinned, (&image, before), &self.damaged_runs)?;
            image.indexes = indexes;
        }
        Ok(image)
    }
}
