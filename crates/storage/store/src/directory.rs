//! The groups and indexes of a table: an immutable list, replaced as a whole.
//!
//! A statement pins the directory once and reads no other shared state afterwards. A group is found by number (the
//! upper part of a position), through a short table with a gap for each dropped group, and by row slot (the ordinals of
//! the table interface).
//!
//! ```text
//!   numbers   7  8  9 10 11          base = 7
//!   ordinals  0  -  1  -  2          8 and 10 are gone
//!   groups   [ 7 | 9 | 11 ]
//!   starts   [ 0 | 65536 | 131072 ]  row slots
//! ```
//!
//! Limits: all groups but the last are full, and a table has at most 2^32 - 1 row slots.

use crate::group::{Group, group_of, offset_of};
use crate::table::Indexes;
use mainstay_types::{Code, Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// No group has this number any more.
const GONE: u32 = u32::MAX;

/// The groups of a table at one time.
#[derive(Default)]
pub struct Directory {
    groups: Vec<Arc<Group>>,
    /// The first row slot of each group.
    starts: Vec<u32>,
    base: u64,
    ordinals: Vec<u32>,
    indexes: Indexes,
}

impl Directory {
    /// The directory of these groups, in the order of their numbers.
    ///
    /// Errors: `OutOfMemory` when there are too many row slots to count.
    pub(crate) fn of(groups: Vec<Arc<Group>>, indexes: Indexes) -> Result<Directory> {
        let base = groups.first().map_or(0, |group| group.number());
        let mut directory =
            Directory { starts: Vec::with_capacity(groups.len()), base, indexes, ..Directory::default() };
        let mut slots = 0usize;
        for (ordinal, group) in groups.iter().enumerate() {
            directory.starts.push(slots as u32);
            directory.ordinals.resize((group.number() - base) as usize, GONE);
            directory.ordinals.push(ordinal as u32);
            slots += group.capacity();
            if slots >= u32::MAX as usize {
                return Err(Error::new(Code::OutOfMemory, "the table has more than 4,294,967,294 rows"));
            }
        }
        directory.groups = groups;
        Ok(directory)
    }

    /// Returns true if row slots stand in the order of their row ids: no row has been moved by a change.
    pub fn is_in_row_order(&self) -> bool {
        let ends = |pair: &[Arc<Group>]| match pair {
            [one, next] => {
                let (end, start) = (one.edge_row_ids(), next.edge_row_ids());
                end.zip(start).is_none_or(|((_, last), (first, _))| last <= first)
            }
            _ => true,
        };
        self.groups.iter().all(|group| group.is_in_row_order()) && self.groups.windows(2).all(ends)
    }

    /// The table's indexes, in the order of their declaration.
    #[inline]
    pub fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// The groups, by ascending numbers.
    pub fn groups(&self) -> &[Arc<Group>] {
        &self.groups
    }

    /// The group of a position, and where it is among the groups.
    #[inline]
    pub fn find(&self, position: u64) -> Option<(usize, &Arc<Group>)> {
        let index = usize::try_from(group_of(position).checked_sub(self.base)?).ok()?;
        let ordinal = *self.ordinals.get(index)? as usize;
        self.groups.get(ordinal).map(|group| (ordinal, group))
    }

    /// The group of a position.
    #[inline]
    pub fn group(&self, position: u64) -> Option<&Arc<Group>> {
        self.find(position).map(|(_, group)| group)
    }

    /// The first row slot of a group.
    pub fn start(&self, ordinal: usize) -> usize {
        self.starts.get(ordinal).map_or(0, |start| *start as usize)
    }

    /// The row slot of a position.
    pub fn slot(&self, position: u64) -> Option<u32> {
        let (ordinal, _) = self.find(position)?;
        Some(self.starts[ordinal] + offset_of(position) as u32)
    }

    /// The group of a row slot, and the slot's offset in it.
    #[inline]
    pub fn locate(&self, slot: u32) -> Option<(&Arc<Group>, usize)> {
        let ordinal = self.starts.partition_point(|start| *start <= slot).checked_sub(1)?;
        Some((&self.groups[ordinal], (slot - self.starts[ordinal]) as usize))
    }

    /// The row slots of a group that has this many.
    pub(crate) fn range(&self, ordinal: usize, length: usize) -> Range<usize> {
        let start = self.start(ordinal);
        start..start + length
    }
}
