//! Building indexes over existing rows.
//!
//! An index is built under the write latch, in one go. An index has entries for versions that older views see, too; to
//! avoid rebuilding their chains, an index is built only when there are none: no open writer has touched the table, and
//! no view sees a version that has been replaced. Otherwise the caller tries again later.
//!
//! The numbers of existing indexes do not change: a new one comes last.

use super::indexes::TableIndex;
use super::{Indexes, NativeTable};
use crate::column::layout::brief;
use crate::definition::IndexDefinition;
use crate::directory::Directory;
use crate::index::Inserted;
use crate::row::Stored;
use crate::stamp::{ABORTED, NEVER, is_mark};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Code, ConstraintKind, Error, Result};
use std::sync::Arc;

impl NativeTable {
    /// Makes an index: its number.
    ///
    /// Errors: `UnknownColumn`; `UniqueViolation` when rows have the same key; `Busy` while other transactions have changed
    /// the table and are open, or look at rows as they were before a change.
    pub fn create_index(&self, definition: &IndexDefinition) -> Result<usize> {
        if definition.columns.is_empty() || definition.columns.iter().any(|column| column.column >= self.types.len()) {
            return Err(Error::new(Code::UnknownColumn, format!("no such columns for the index {}", definition.name)));
        }
        let index = TableIndex::new(&self.definition, definition);
        let mut writer = self.latch();
        let horizon = self.shared.horizon();
        let (mut key, mut pace) = (Vec::new(), Pace::default());
        for group in writer.directory.groups() {
            group.load()?;
            for offset in 0..group.len() {
                pace.step()?;
                let (created, ended) = (group.created(offset), group.ended(offset));
                if created == ABORTED || ended <= horizon {
                    continue;
                }
                if is_mark(created) || ended != NEVER {
                    let message = format!("transactions that use {} are open", self.definition.name);
                    return Err(Error::new(Code::Busy, message).hint("create the index when they have ended"));
                }
                let stored = Stored { group, offset };
                index.key(&stored, group.row_id(offset), &mut key)?;
                if let Inserted::Existing(_) = index.entries.insert(&key, group.position(offset)) {
                    let values: Vec<String> =
                        index.columns.iter().map(|column| brief(group.value(offset, *column))).collect();
                    let values = values.join(", ");
                    let error = Error::new(Code::UniqueViolation, format!("several rows have the key ({values})"));
                    let constraint = match definition.primary {
                        true => ConstraintKind::PrimaryKey,
                        false => ConstraintKind::UniqueIndex,
                    };
                    let error = error.of_constraint(constraint, &self.definition.name, &definition.name);
                    return Err(error.about(values).at(&definition.name));
                }
            }
        }
        let indexes: Indexes = writer.indexes.iter().cloned().chain([Arc::new(index)]).collect();
        let directory = Directory::of(writer.directory.groups().to_vec(), Arc::clone(&indexes))?;
        writer.indexes = indexes;
        self.install(&mut writer, directory);
        Ok(writer.indexes.len() - 1)
    }
}
