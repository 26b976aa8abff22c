//! The positions of rows by row id, while the journals are read.
//!
//! The journal names rows by their ids. A map from all ids of a table to positions would take more memory and time than
//! the changes themselves, so groups are searched: mostly their ids are consecutive from the first, and a binary search with a
//! subtraction gives the place. For a group whose ids are not, a map is built when an id is looked up that may be in it.
//!
//! ```text
//!   moved     what the journal itself has put somewhere since
//!   dense     group 4: 1000..2000                   by their first ids
//!   others    group 5: 2000..2500, and some of 10..900: by a map
//! ```
//!
//! At most one version of a row is live meanwhile, so the order in which groups are searched does not matter.

use crate::group::Group;
use crate::stamp::NEVER;
use crate::table::NativeTable;
use mainstay_types::Result;
use std::collections::HashMap;
use std::sync::Arc;

/// The rows of a table.
pub(super) struct RowLocator {
    /// Rows that were put somewhere since, and `None` for those that are gone.
    moved: HashMap<u64, Option<u64>>,
    /// The groups whose ids count on from the first, in the order of these. They do not overlap.
    dense: Vec<Located>,
    others: Vec<Located>,
}

struct Located {
    group: Arc<Group>,
    /// Slots when the locator was made: rows that came later are among those that were moved.
    length: usize,
    least: u64,
    greatest: u64,
    /// The offsets of ids that do not count on from the first; made when it is needed.
    offsets: Option<HashMap<u64, u16>>,
}

impl RowLocator {
    /// The rows of a table as they are now.
    ///
    /// Errors: why row ids could not be read.
    pub(super) fn of(table: &NativeTable) -> Result<RowLocator> {
        let (mut dense, mut others) = (Vec::new(), Vec::new());
        for group in table.directory().groups().iter().filter(|group| !group.is_empty()) {
            let (length, group) = (group.len(), Arc::clone(group));
            let (groups, (least, greatest)) = match group.dense_from() {
                Some(first) => (&mut dense, (first, first.saturating_add(length as u64 - 1))),
                None => (&mut others, group.row_id_range()?),
            };
            groups.push(Located { group, length, least, greatest, offsets: None });
        }
        dense.sort_by_key(|located: &Located| located.least);
        // New rows get new ids, so ids that count on are in one group; if not, nothing is known of their order.
        if dense.windows(2).any(|pair| pair[0].greatest >= pair[1].least) {
            others.append(&mut dense);
        }
        Ok(RowLocator { moved: HashMap::new(), dense, others })
    }

    /// Where a row is, if it is there.
    ///
    /// Errors: why row ids could not be read.
    pub(super) fn find(&mut self, row_id: u64) -> Result<Option<u64>> {
        if let Some(moved) = self.moved.get(&row_id) {
            return Ok(*moved);
        }
        let behind = self.dense.partition_point(|located| located.least <= row_id);
        let dense = behind.checked_sub(1).and_then(|at| self.dense.get_mut(at));
        for located in dense.into_iter().chain(self.others.iter_mut().rev()) {
            if (located.least..=located.greatest).contains(&row_id)
                && let Some(position) = located.find(row_id)?
            {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Records the new position of a row.
    pub(super) fn put(&mut self, row_id: u64, position: u64) {
        self.moved.insert(row_id, Some(position));
    }

    /// Removes a row: its last position.
    ///
    /// Errors: as [`RowLocator::find`].
    pub(super) fn take(&mut self, row_id: u64) -> Result<Option<u64>> {
        let found = self.find(row_id)?;
        self.moved.insert(row_id, None);
        Ok(found)
    }
}

impl Located {
    fn find(&mut self, row_id: u64) -> Result<Option<u64>> {
        let offset = match self.group.dense_from() {
            Some(first) => (row_id - first) as usize,
            None => {
                if self.offsets.is_none() {
                    self.group.load()?;
                    let there = (0..self.length).filter(|offset| self.group.ended(*offset) == NEVER);
                    self.offsets = Some(there.map(|offset| (self.group.row_id(offset), offset as u16)).collect());
                }
                match self.offsets.as_ref().and_then(|offsets| offsets.get(&row_id)) {
                    Some(offset) => usize::from(*offset),
                    None => return Ok(None),
                }
            }
        };
        let is_there = offset < self.length && self.group.ended(offset) == NEVER;
        Ok(is_there.then(|| self.group.position(offset)))
    }
}
