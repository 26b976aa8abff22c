//! The image of a table for a checkpoint: its groups at a commit, and the operation that replaces them by files.

use super::NativeTable;
use super::restore::columns_of;
use crate::directory::Directory;
use crate::files::StoredGroup;
use crate::group::Group;
use crate::group::stored::ColumnSource;
use crate::stamp::View;
use mainstay_types::{Code, Error, Result};
use std::collections::HashSet;
use std::sync::Arc;

/// The groups of a table at one commit.
pub(crate) struct Pinned {
    pub(crate) directory: Arc<Directory>,
    /// The number of slots of each group.
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

    /// The numbers of full groups that are in memory.
    pub(crate) fn full_in_memory(&self) -> HashSet<u64> {
        let directory = self.directory();
        let full = directory.groups().iter().filter(|group| group.is_full() && !group.is_stored());
        full.map(|group| group.number()).collect()
    }

    /// Gives up the stamps of full groups whose rows everybody sees.
    ///
    /// Errors: `OutOfMemory`; the stamps stay then.
    pub(crate) fn free_settled(&self) -> Result<()> {
        let horizon = self.shared.horizon();
        let is_settled = |group: &Group| group.has_created() && group.is_settled(horizon);
        replace_groups(self, &|group| is_settled(group).then(|| group.without_created()))
    }

    /// Replaces the rows of a full group by those of its mapped file, and frees their memory.
    ///
    /// Errors: `Damaged` when the file is not that of the group.
    pub(crate) fn put_back(&self, stored: &StoredGroup, ids: &[u64]) -> Result<()> {
        let horizon = self.shared.horizon();
        self.replace_group(stored, |group| {
            if ids.iter().any(|id| stored.column(*id).is_none()) {
                return Err(another_group());
            }
            let columns = columns_of(&self.types, stored, ids, &self.shared.memory.decoded)?;
            Ok(group.over_columns(columns, horizon))
        })
    }

    /// The same with rows that are read from the file when they are needed. `stored` is what was read of it, to see that it can
    /// be.
    ///
    /// Errors: as [`NativeTable::put_back`].
    pub(crate) fn put_back_unloaded(&self, stored: &StoredGroup, source: Arc<dyn ColumnSource>) -> Result<()> {
        let horizon = self.shared.horizon();
        self.replace_group(stored, |group| Ok(group.over_source(source, horizon)))
    }

    /// Puts another form of a full group in its place, under the latch.
    fn replace_group(&self, stored: &StoredGroup, form: impl FnOnce(&Group) -> Result<Group>) -> Result<()> {
        let mut writer = self.latch();
        let groups = writer.directory.groups();
        let Some(at) = groups.iter().position(|group| group.number() == stored.group) else { return Ok(()) };
        let group = &groups[at];
        if group.is_stored() {
            return Ok(());
        }
        if !group.is_full() || group.len() != stored.rows {
            return Err(another_group());
        }
        let mut groups = groups.to_vec();
        groups[at] = Arc::new(form(&groups[at])?);
        if writer.current.as_ref().is_some_and(|current| current.group().number() == stored.group) {
            writer.current = None;
        }
        let directory = Directory::of(groups, Arc::clone(&writer.indexes))?;
        self.install(&mut writer, directory);
        Ok(())
    }
}

/// Gives up decoded columns of a table that were not read for long while there was no room for others.
///
/// Errors: `OutOfMemory`; the columns stay then.
pub(crate) fn forget_decoded(table: &NativeTable) -> Result<()> {
    replace_groups(table, &Group::forgetting)
}

/// Puts other forms in the place of groups. `form` gives that of a group, `None` to leave it as it is.
///
/// Errors: `OutOfMemory`; nothing is replaced then.
fn replace_groups(table: &NativeTable, form: &dyn Fn(&Group) -> Option<Group>) -> Result<()> {
    if !table.directory().groups().iter().any(|group| form(group).is_some()) {
        return Ok(());
    }
    let mut writer = table.latch();
    // An open transaction that changes the definition has taken the groups over, and may give them back: the writer has none
    // meanwhile, and readers of this table need theirs.
    if !Arc::ptr_eq(&writer.directory, &table.directory()) {
        return Ok(());
    }
    let replaced = |group: &Arc<Group>| form(group).map_or_else(|| Arc::clone(group), Arc::new);
    let groups: Vec<Arc<Group>> = writer.directory.groups().iter().map(replaced).collect();
    if writer.current.as_ref().is_some_and(|current| current.room() == 0) {
        writer.current = None;
    }
    let directory = Directory::of(groups, Arc::clone(&writer.indexes))?;
    table.install(&mut writer, directory);
    Ok(())
}

fn another_group() -> Error {
    Error::new(Code::Damaged, "a group file does not hold the group that was written")
}

/// The offsets of the first `length` slots that are not part of a commit's state.
pub(crate) fn deleted_at(group: &Group, length: usize, commit: u64) -> Vec<u32> {
    match group.visible(View::at(commit, 0), length) {
        None => Vec::new(),
        Some(visible) => (0..length).filter(|i| !visible.value(*i)).map(|i| i as u32).collect(),
    }
}
