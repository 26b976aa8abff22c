//! What a checkpoint needs of a table: its groups at a commit, and a way to put them back as files.

use super::NativeTable;
use crate::directory::Directory;
use crate::files::GroupVectors;
use crate::group::Group;
use crate::stamp::View;
use arrow_array::ArrayRef;
use mainstay_base::{Code, Error, Result};
use std::sync::Arc;

/// The groups of a table at one moment.
pub(crate) struct Pinned {
    pub(crate) directory: Arc<Directory>,
    /// How many slots of each group there were.
    pub(crate) lengths: Vec<usize>,
    pub(crate) next_row_id: u64,
    pub(crate) next_group: u64,
}

impl NativeTable {
    /// The groups as they are now: everything up to any commit before is in them.
    pub(crate) fn pin(&self) -> Pinned {
        let writer = self.latch();
        // Not the writer's: an open transaction may have handed that over to the table as it wants to change it, and what
        // is committed is still here.
        let directory = self.directory();
        let lengths = directory.groups().iter().map(|group| group.len()).collect();
        Pinned { directory, lengths, next_row_id: writer.next_row_id, next_group: writer.next_group }
    }

    /// Puts the rows of a full group back that were written to a file and mapped: the memory they had is given up.
    ///
    /// Errors: `Damaged` when the vectors are not those of the group.
    pub(crate) fn put_back(&self, vectors: &GroupVectors, ids: &[u64]) -> Result<()> {
        let horizon = self.shared.horizon();
        let mut writer = self.latch();
        let groups = writer.directory.groups();
        let Some(at) = groups.iter().position(|group| group.number() == vectors.group) else { return Ok(()) };
        let group = &groups[at];
        let arrays: Option<Vec<ArrayRef>> = ids.iter().map(|id| vectors.column(*id).cloned()).collect();
        let Some(arrays) = arrays.filter(|_| group.is_full() && group.len() == vectors.rows) else {
            return Err(Error::new(Code::Damaged, "a group file does not hold the group that was written"));
        };
        let mapped = Arc::new(group.over_vectors(&self.types, &arrays, horizon)?);
        let mut groups = groups.to_vec();
        groups[at] = mapped;
        if writer.current.as_ref().is_some_and(|current| current.group().number() == vectors.group) {
            writer.current = None;
        }
        let directory = Directory::of(groups, Arc::clone(&writer.indexes))?;
        self.install(&mut writer, directory);
        Ok(())
    }
}

/// The offsets of the first `length` slots that are not part of a commit's state.
pub(crate) fn deleted_at(group: &Group, length: usize, commit: u64) -> Vec<u32> {
    match group.visible(View { commit, mark: 0 }, length) {
        None => Vec::new(),
        Some(visible) => (0..length).filter(|i| !visible.value(*i)).map(|i| i as u32).collect(),
    }
}
