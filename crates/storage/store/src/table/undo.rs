//! Undo of single changes, under the write latch: entries first, then stamps.

use super::{NativeTable, Writer};
use crate::group::{Group, offset_of};
use crate::row::Stored;
use crate::stamp::NOWHERE;
use std::sync::Arc;

impl NativeTable {
    /// Undoes the insertion of a row.
    pub(crate) fn undo_insert(&self, position: u64) {
        let mut writer = self.latch();
        if let Some((position, group)) = writer.resolve(position) {
            self.undo_version(&mut writer, &group, position);
        }
    }

    /// Undoes the replacement of a version by another.
    pub(crate) fn undo_update(&self, old: u64, new: u64) {
        let mut writer = self.latch();
        if let Some((new, group)) = writer.resolve(new) {
            self.undo_version(&mut writer, &group, new);
        }
        if let Some((old, group)) = writer.resolve(old) {
            group.set_next(offset_of(old), NOWHERE);
            group.unend(offset_of(old));
        }
    }

    /// Undoes the deletion of a row.
    pub(crate) fn undo_delete(&self, old: u64) {
        let writer = self.latch();
        if let Some((old, group)) = writer.resolve(old) {
            group.unend(offset_of(old));
        }
    }

    /// Removes a version from the indexes, and marks it as never created.
    fn undo_version(&self, writer: &mut Writer, group: &Arc<Group>, position: u64) {
        let offset = offset_of(position);
        let stored = Stored { group, offset };
        let indexes = Arc::clone(&writer.indexes);
        for (number, index) in indexes.iter().enumerate() {
            // It was made once, so it can be made again.
            if index.key(&stored, group.row_id(offset), &mut writer.key).is_ok() {
                self.leave(writer, number, index, position);
            }
        }
        group.abort(offset);
        self.count_garbage(1);
    }
}
