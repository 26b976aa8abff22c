//! Checkpoints: what is committed goes into files of its own, so that the journals before can go.
//!
//! ```text
//!   1  under the commit mutex    journal n is closed, n + 1 begun; N is the last commit; the catalog as of N
//!   2  others go on              of every table: the groups, and which of their rows are part of commit N
//!        full groups             written once, in whatever state: what is not of commit N is in the deletion list
//!        the last group          written again when it has grown
//!   3  the manifest              renamed into place: from now on journal n + 1 is the first to be read
//!   4  what nobody needs goes; full groups are mapped, and their memory is given up
//! ```
//!
//! A view at N is held meanwhile, so that vacuum takes nothing away that N sees. Rows in a full group that came after N
//! are in the file already, and come out of the deletion list at the next checkpoint.
//!
//! A checkpoint that fails ends all writing: after a write or sync that failed nobody knows what the disk has.

use super::Files;
use crate::catalog::{Cataloged, column_ids};
use crate::files::{FileFacts, GroupImage, Manifest, TableImage};
use crate::journal::{FILE_HEADER, journal_path, random_salt};
use crate::store::Store;
use crate::table::NativeTable;
use crate::table::image::deleted_at;
use crate::transaction::shared::Shared;
use mainstay_base::Result;
use std::collections::HashMap;
use std::sync::Arc;

/// What is under way.
struct Taking<'f> {
    files: &'f Files,
    commit: u64,
    /// The files of the checkpoint before, by table and group: the number of rows, and the file.
    known: HashMap<(u64, u64), (u32, FileFacts)>,
    next_file: u64,
    /// Full groups that were written now.
    sealed: Vec<Sealed>,
}

/// A full group that is in a file: its table, the numbers of the columns, and the file.
type Sealed = (Arc<NativeTable>, Vec<u64>, FileFacts);

impl Store {
    /// Takes a checkpoint: everything that is committed goes into files of its own, and the journal begins anew. Others go
    /// on meanwhile. In memory there is nothing to do.
    ///
    /// Errors: those of the file system. The store takes no changes then until it is opened again.
    pub fn checkpoint(&self) -> Result<()> {
        self.durable.as_ref().map_or(Ok(()), |durable| durable.files.checkpoint(&self.shared, false))
    }
}

impl Files {
    /// Takes a checkpoint; the last one closes the journal and refuses further changes.
    pub(super) fn checkpoint(&self, shared: &Shared, is_last: bool) -> Result<()> {
        let mut manifest = self.manifest();
        shared.check()?;
        let sequences = shared.sequences.image(&manifest.catalog, true);
        if is_last && self.journal.bytes() == FILE_HEADER as u64 && sequences == manifest.sequences {
            // Nothing happened since the last one.
            return self.journal.close().map_err(|error| shared.fail(error));
        }
        let mut ticket = shared.views.ticket();
        shared.views.look(&mut ticket, shared.published());
        let outcome = self.take(shared, &manifest, is_last);
        shared.views.give_back(ticket);
        let (next, sealed) = outcome.map_err(|error| shared.fail(error))?;
        *manifest = next;
        self.folder.remove_leftovers(&manifest).map_err(|error| shared.fail(error))?;
        if is_last {
            return Ok(());
        }
        for (table, ids, file) in sealed {
            // A file that cannot be mapped is no reason to stop: the rows are still in memory.
            let _ = self.folder.map_group(&file).and_then(|vectors| table.put_back(&vectors, &ids));
        }
        Ok(())
    }

    fn take(&self, shared: &Shared, before: &Manifest, is_last: bool) -> Result<(Manifest, Vec<Sealed>)> {
        let (commit, cataloged, journal) = self.next_journal(shared, is_last)?;
        let tables = before.tables.iter().flat_map(|table| table.groups.iter().map(|group| (table.table, group)));
        let known = tables.map(|(table, group)| ((table, group.group), (group.rows, group.file))).collect();
        let mut taking = Taking { files: self, commit, known, next_file: before.next_file, sealed: Vec::new() };
        let tables = cataloged.tables.iter();
        let tables = tables.map(|(id, table)| taking.table(&cataloged, *id, table)).collect::<Result<Vec<_>>>()?;
        let manifest = Manifest {
            checkpoint: before.checkpoint + 1,
            commit_number: commit,
            journal,
            next_file: taking.next_file,
            catalog: (*cataloged.catalog).clone(),
            sequences: shared.sequences.image(&cataloged.catalog, is_last),
            tables,
        };
        self.folder.save(&manifest)?;
        Ok((manifest, taking.sealed))
    }

    /// Ends the journal and begins the next one: the last commit before it, the catalog then, and its number.
    fn next_journal(&self, shared: &Shared, is_last: bool) -> Result<(u64, Arc<Cataloged>, u64)> {
        let commits = shared.commits();
        shared.check()?;
        let mut number = 0;
        self.journal.switch(|writer| {
            number = writer.header().number + 1;
            let path = journal_path(self.folder.path(), number);
            writer.continue_in(self.folder.fs(), &path, number, random_salt())
        })?;
        if is_last {
            self.journal.close()?;
        }
        Ok((commits.last, Arc::clone(&commits.cataloged), number))
    }
}

impl Taking<'_> {
    /// Writes what is not in a file yet.
    fn table(&mut self, cataloged: &Cataloged, id: u64, table: &Arc<NativeTable>) -> Result<TableImage> {
        let ids = cataloged.catalog.table(id).map(column_ids).unwrap_or_default();
        let pinned = table.pin();
        let (next_row_id, next_group) = (pinned.next_row_id, pinned.next_group);
        let mut image = TableImage { table: id, next_row_id, next_group, groups: Vec::new() };
        for (group, length) in pinned.directory.groups().iter().zip(&pinned.lengths) {
            let deleted = deleted_at(group, *length, self.commit);
            if deleted.len() == *length {
                continue;
            }
            let rows = *length as u32;
            let known = self.known.get(&(id, group.number())).filter(|(known, _)| *known == rows);
            let file = match known {
                Some((_, file)) => *file,
                None => {
                    let number = self.next_file;
                    self.next_file += 1;
                    let file = self.files.folder.write_group(number, &group.to_vectors(*length, &ids))?;
                    if *length == group.capacity() {
                        self.sealed.push((Arc::clone(table), ids.clone(), file));
                    }
                    file
                }
            };
            image.groups.push(GroupImage { group: group.number(), rows, file, deleted });
        }
        Ok(image)
    }
}
