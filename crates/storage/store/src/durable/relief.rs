//! Recovery within the memory limit: rows that the journals bring back go to files before the first checkpoint.
//!
//! Problem: a checkpoint is taken between transactions, and a large transaction may have more rows than the memory. While
//! a store is opened there is no place in the middle of a frame that a manifest could name.
//!
//! Idea: when the part of the memory for rows is half full, the tables that have grown are written as a checkpoint writes
//! them, groups and runs of indexes, and mapped. No manifest names the files; the first checkpoint takes them over.
//!
//! ```text
//!   journal   frame  frame  [ a large one ............................ ]  end
//!   memory               full          full          full
//!   files          groups, runs    groups, runs    groups, runs              checkpoint: a manifest that names them
//! ```
//!
//! **Crashes.** The manifest on the disk still names its own files, and the journals follow from it. So these stay, and the
//! new files are leftovers for the next start, which writes over them or removes them.
//!
//! **Failure.** Recovery does not depend on it: when the disk is full, or a table cannot be read, rows stay in memory.
//!
//! Limit: deleted versions of groups that are not written yet stay in memory until the first vacuum.

use super::Files;
use crate::catalog::Cataloged;
use crate::files::{Manifest, TableImage};
use crate::transaction::shared::Shared;
use mainstay_types::Result;
use std::sync::Arc;

/// The files of a store that is being opened.
pub(super) struct Relief<'f> {
    files: &'f Files,
    /// The last checkpoint, with what has been written since in the place of its tables.
    manifest: Manifest,
    has_written: bool,
    has_failed: bool,
}

impl<'f> Relief<'f> {
    /// Nothing is written yet.
    pub(super) fn new(files: &'f Files) -> Relief<'f> {
        let manifest = files.manifest().clone();
        Relief { files, manifest, has_written: false, has_failed: false }
    }

    /// Returns true if it is time to write.
    #[inline]
    pub(super) fn is_due(&self, shared: &Shared) -> bool {
        shared.memory.is_half_full() && !self.has_failed
    }

    /// Writes the tables that have full groups in memory, as they are now, and frees the memory. Nothing may refer to their
    /// groups, or hold their latches.
    pub(super) fn relieve(&mut self, cataloged: &Arc<Cataloged>, shared: &Shared) {
        let full_bytes = shared.memory.full_bytes();
        let mut next_file = self.manifest.next_file;
        let written = self.write(cataloged, shared, &mut next_file);
        self.manifest.next_file = next_file;
        let Ok(images) = written else {
            self.has_failed = true;
            return;
        };
        self.files.map_full_groups(&images, cataloged, shared);
        self.files.leave_indexes_to_runs(&images, cataloged, shared);
        self.manifest.tables.retain(|known| images.iter().all(|image| image.table != known.table));
        self.manifest.tables.extend(images);
        self.has_written = true;
        shared.memory.freed(full_bytes);
    }

    fn write(&self, cataloged: &Arc<Cataloged>, shared: &Shared, next_file: &mut u64) -> Result<Vec<TableImage>> {
        // Leftovers of another crash are still there.
        *next_file = self.files.folder.unused_number(*next_file)?;
        // Restored rows are older than every commit.
        let mut writing = self.files.writing(&self.manifest, self.manifest.commit_number, shared, next_file);
        let grown = cataloged.tables.iter().filter(|(_, table)| !table.full_in_memory().is_empty());
        let sound = grown.filter(|(_, table)| table.damage().is_none());
        sound.map(|(id, table)| writing.table(cataloged, *id, table)).collect()
    }

    /// The state that the next checkpoint is to find as the one before it; `None` when nothing was written.
    pub(super) fn into_manifest(self) -> Option<Manifest> {
        Some(self.manifest).filter(|_| self.has_written)
    }
}
