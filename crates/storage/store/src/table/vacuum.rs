//! Removal of versions that no view can see any more.
//!
//! A version is dead when it was rolled back, or ended by a commit up to the horizon: no open view is older, and none ever
//! will be. Vacuum goes over the groups, one at a time under the write latch:
//!
//! ```text
//!   1  dead versions      out of the indexes; their `ended` becomes 0, so that this is done once
//!   2  groups             nothing alive: dropped
//!      full groups        little alive (a quarter): the rows are appended again, and the group is dropped
//!                         all created before the horizon: the `created` stamps are freed
//! ```
//!
//! A reader that has pinned the directory keeps the old groups, and their contents still hold for its view. A writer
//! that comes with a position in a dropped group finds the row through `moved`, as long as its statement has its view;
//! an index entry of a moved row leads old readers back through the link from the new copy to the old one.
//!
//! A row is moved only if every view sees it and no transaction has marked it. Links to dead versions lead nowhere once
//! their group is dropped, which is right: the versions behind them have been dead for longer.
//!
//! Vacuum is done in steps, by committing transactions, when a table has collected enough garbage
//! ([`NativeTable::tidy`]): a transaction that has ended many versions removes as many at once, so garbage does not
//! gather faster than it is removed. Versions that a pass must leave, because an older view reads them, are counted at
//! its end, and retried some commits later, at longer and longer intervals while nothing can be removed. So a table
//! has, besides the versions that open views see, at most a quarter of its slots of garbage, or 4,096 versions, or the
//! garbage of those few commits.

use super::entries::{Newcomer, Replaced};
use super::{NativeTable, Retired, TableIndex, Writer};
use crate::directory::Directory;
use crate::group::{Group, MIN_CAPACITY, offset_of};
use crate::row::{Changed, Row, Stored};
use crate::stamp::{ABORTED, MARK, NEVER, NOWHERE};
use mainstay_types::Result;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Garbage that is not worth a vacuum, in versions.
pub(super) const LEAST_GARBAGE: usize = 4096;
/// Slots that one step looks at, about.
const STEP: usize = 1 << 16;
/// Commits after which a pass is tried again that had to leave much, at first and at most.
const RETRY_COMMITS: (u64, u64) = (32, 4096);
/// A group is rewritten when at most one slot in so many is alive.
const SPARSE: usize = 4;

/// The result of a vacuum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vacuumed {
    /// Dead versions taken out of the indexes.
    pub versions: usize,
    /// Groups dropped.
    pub groups: usize,
    /// Rows appended again, because their group was nearly empty.
    pub moved: usize,
}

/// Where a vacuum in steps is, in the writer.
#[derive(Default)]
pub(super) struct Progress {
    /// The number of the group to look at next; 0 before the first.
    next: u64,
    /// True if a pass is under way.
    is_running: bool,
    /// The horizon of the last pass: before it moves on, another one finds nothing.
    horizon: u64,
    /// Versions that this pass has buried.
    buried: usize,
    /// Commits to wait for after it, if it must leave much.
    patience: u64,
}

impl NativeTable {
    /// Cleans up the whole table.
    ///
    /// Errors: rows could not be appended again. The table is as good as before.
    pub fn vacuum(&self) -> Result<Vacuumed> {
        let horizon = self.shared.horizon();
        let mut done = Vacuumed::default();
        let mut next = 0;
        loop {
            let mut writer = self.latch();
            if self.is_being_changed() {
                return Ok(done);
            }
            let Some(group) = group_from(&writer.directory, next) else { break };
            next = group.number() + 1;
            self.clean(&mut writer, &group, horizon, &mut done)?;
        }
        self.count_left(&self.latch());
        Ok(done)
    }

    /// A step of a vacuum, if the table has enough garbage for one. `ended` is the number of versions that the caller has
    /// just ended: the step looks at so many slots at least, twice over.
    ///
    /// Errors: as [`NativeTable::vacuum`].
    pub fn tidy(&self, ended: usize) -> Result<Vacuumed> {
        let mut done = Vacuumed::default();
        // Two loads for every commit that has nothing to do here.
        if self.garbage.load(Ordering::Relaxed) < self.vacuum_from.load(Ordering::Relaxed) {
            return Ok(done);
        }
        let published = self.shared.published().load(Ordering::Relaxed);
        if ended < LEAST_GARBAGE && published < self.vacuum_after.load(Ordering::Relaxed) {
            return Ok(done);
        }
        let horizon = self.shared.horizon();
        let budget = STEP.max(ended.saturating_mul(2));
        let mut looked_at = 0;
        // The latch is free between two groups.
        while looked_at < budget {
            let mut writer = self.latch();
            if self.is_being_changed() {
                break;
            }
            if !writer.vacuum.is_running {
                if horizon <= writer.vacuum.horizon {
                    // Older views read the rest.
                    self.vacuum_after.store(published + writer.vacuum.patience.max(RETRY_COMMITS.0), Ordering::Relaxed);
                    break;
                }
                let patience = writer.vacuum.patience;
                writer.vacuum = Progress { is_running: true, horizon, patience, ..Progress::default() };
            }
            let Some(group) = group_from(&writer.directory, writer.vacuum.next) else {
                let left = self.end_pass(&mut writer);
                if left < self.vacuum_from.load(Ordering::Relaxed) {
                    break;
                }
                if writer.vacuum.buried < left && ended < left / 2 {
                    // Others have made it, and look back at it.
                    self.vacuum_after.store(published + writer.vacuum.patience, Ordering::Relaxed);
                    break;
                }
                continue;
            };
            // A group without garbage costs hardly more than nothing.
            looked_at += if group.unburied() > 0 { group.len() } else { MIN_CAPACITY };
            writer.vacuum.next = group.number() + 1;
            let before = done.versions;
            self.clean(&mut writer, &group, horizon, &mut done)?;
            writer.vacuum.buried += done.versions - before;
        }
        Ok(done)
    }

    /// The last group was looked at: counts what is left.
    fn end_pass(&self, writer: &mut Writer) -> usize {
        writer.vacuum.is_running = false;
        let left = self.count_left(writer);
        let slots: usize = writer.directory.groups().iter().map(|group| group.len()).sum();
        self.vacuum_from.store(LEAST_GARBAGE.max(slots / SPARSE), Ordering::Relaxed);
        let (least, most) = RETRY_COMMITS;
        let is_fruitful = writer.vacuum.buried >= left;
        writer.vacuum.patience = if is_fruitful { least } else { (writer.vacuum.patience * 2).clamp(least, most) };
        left
    }

    /// Counts the garbage anew: how much there is.
    fn count_left(&self, writer: &Writer) -> usize {
        let counted = self.garbage.load(Ordering::Relaxed);
        let left: usize = writer.directory.groups().iter().map(|group| group.unburied()).sum();
        // Not stored: what others have counted since then stays counted, some of it twice, which costs a pass at worst.
        self.garbage.fetch_add(left, Ordering::Relaxed);
        self.garbage.fetch_sub(counted, Ordering::Relaxed);
        left
    }

    /// Returns true if a transaction changes the definition, and relies on rows to stay where they are.
    fn is_being_changed(&self) -> bool {
        self.definition_lock().is_some_and(|lock| lock.is_claimed())
    }

    /// Cleans a group, under the latch.
    fn clean(&self, writer: &mut Writer, group: &Arc<Group>, horizon: u64, done: &mut Vacuumed) -> Result<()> {
        if group.unburied() > 0 {
            group.load()?;
            remove_entries(writer, group, horizon, done);
        }
        // All that is dead is buried now.
        let live = group.len() - group.buried();
        if live == 0 && !group.is_empty() {
            self.give_up(writer, group, Box::default())?;
            done.groups += 1;
        } else if !group.is_full() {
            return Ok(());
        } else if live <= group.capacity() / SPARSE && is_movable(group, horizon) {
            group.load()?;
            self.moves.fetch_add(1, Ordering::AcqRel);
            let rewritten = self.rewrite(writer, group, done);
            self.moves.fetch_add(1, Ordering::AcqRel);
            rewritten?;
        } else if group.has_created() && group.is_settled(horizon) {
            self.free_stamps(writer, group)?;
        }
        Ok(())
    }

    /// Appends the live rows of a group again, and gives it up.
    fn rewrite(&self, writer: &mut Writer, group: &Arc<Group>, done: &mut Vacuumed) -> Result<()> {
        if writer.current.as_ref().is_some_and(|current| Arc::ptr_eq(current.group(), group)) {
            writer.current = None;
        }
        let mut moved = vec![NOWHERE; group.capacity()];
        for (offset, place) in moved.iter_mut().enumerate() {
            if group.ended(offset) != NEVER {
                continue;
            }
            let old = Replaced { position: group.position(offset), group, found_by: None };
            let row = Changed { stored: Stored { group, offset }, changes: &[] };
            let row_id = group.row_id(offset);
            let target = self.room(writer)?;
            let position = target.next_position();
            target.reserve(group.created(offset), old.position);
            let newcomer =
                Newcomer { row: &row, row_id, position, mark: 0, view: u64::MAX, old: Some(old), is_alone: true };
            match self.enter(writer, &newcomer) {
                Ok(()) => {}
                // Its entries point to the old version, so neither can be.
                Err(refused) => {
                    refused.obstacle()?;
                    return Err(super::internal("a moved row met an open transaction"));
                }
            }
            self.room(writer)?.append(&row, row_id)?;
            *place = position;
            done.moved += 1;
        }
        self.give_up(writer, group, moved.into())?;
        done.groups += 1;
        Ok(())
    }

    /// Takes a group out of the directory; its rows are at these positions now.
    fn give_up(&self, writer: &mut Writer, group: &Arc<Group>, moved: Box<[u64]>) -> Result<()> {
        if writer.current.as_ref().is_some_and(|current| current.group().number() == group.number()) {
            writer.current = None;
        }
        let groups = writer.directory.groups().iter().filter(|other| other.number() != group.number()).cloned();
        let directory = Directory::of(groups.collect(), Arc::clone(&writer.indexes))?;
        self.install(writer, directory);
        // A reader that may come with a position in this group began its statement before now.
        let horizon = self.shared.horizon();
        writer.retired.retain(|_, retired| retired.commit >= horizon);
        let commit = self.shared.published().load(Ordering::SeqCst);
        writer.retired.insert(group.number(), Retired { commit, moved });
        let directory = &writer.directory;
        self.links.retain(|from, to| directory.group(from).is_some() && directory.group(to).is_some());
        Ok(())
    }

    /// Puts the form of a group without `created` stamps in its place.
    fn free_stamps(&self, writer: &mut Writer, group: &Arc<Group>) -> Result<()> {
        if writer.current.as_ref().is_some_and(|current| current.group().number() == group.number()) {
            writer.current = None;
        }
        let freed = Arc::new(group.without_created());
        let replace = |other: &Arc<Group>| if other.number() == freed.number() { &freed } else { other }.clone();
        let directory =
            Directory::of(writer.directory.groups().iter().map(replace).collect(), Arc::clone(&writer.indexes))?;
        self.install(writer, directory);
        Ok(())
    }
}

/// Takes the dead versions of a group out of the indexes.
fn remove_entries(writer: &mut Writer, group: &Arc<Group>, horizon: u64, done: &mut Vacuumed) {
    let indexes = Arc::clone(&writer.indexes);
    for offset in 0..group.len() {
        if !group.is_dead(offset, horizon) || group.ended(offset) == 0 {
            continue;
        }
        // A row that was rolled back is in no index: its entries went with it.
        if group.created(offset) != ABORTED {
            let stored = Stored { group, offset };
            for index in indexes.iter() {
                if is_replaced(writer, index, &stored) {
                    continue;
                }
                if index.key(&stored, group.row_id(offset), &mut writer.key).is_ok() {
                    index.entries.remove_if(&writer.key, group.position(offset));
                }
            }
        }
        group.bury(offset);
        done.versions += 1;
    }
}

/// Returns true if the version after this one has the same values in an index, and so has the entry: cheaper than to
/// look for it.
fn is_replaced(writer: &Writer, index: &TableIndex, stored: &Stored<'_>) -> bool {
    let next = stored.group.next(stored.offset);
    let Some(group) = writer.directory.group(next) else { return false };
    let next = Stored { group, offset: offset_of(next) };
    index.columns.iter().all(|column| next.value(*column) == stored.value(*column))
}

/// The first group of this number or a later one.
fn group_from(directory: &Directory, number: u64) -> Option<Arc<Group>> {
    let groups = directory.groups();
    groups.get(groups.partition_point(|group| group.number() < number)).cloned()
}

/// Returns true if every view sees all of a cleaned group that is not dead, and no transaction has marked any of it.
fn is_movable(group: &Group, horizon: u64) -> bool {
    let mut alive = (0..group.len()).filter(|offset| !group.is_dead(*offset, horizon));
    alive.all(|offset| group.created(offset) <= horizon && group.ended(offset) == NEVER)
}

impl Group {
    /// Returns true if no view can see the version of a slot any more.
    pub(crate) fn is_dead(&self, offset: usize, horizon: u64) -> bool {
        let ended = self.ended(offset);
        self.created(offset) == ABORTED || (ended < MARK && ended <= horizon)
    }
}
