//! The same rows under another definition: the effect of a change of the catalog on a table.
//!
//! No other transaction writes the table meanwhile, nor does vacuum run (`transaction::definitions`). A table is not
//! changed but replaced: readers of the old one continue with it, and writers are redirected to the new one.
//!
//! ```text
//!   the columns stay       the new table takes groups and write latch over; indexes that stay are shared, others built
//!   the columns differ     the rows are appended to the new table under their ids; the old groups stay with the old one
//! ```
//!
//! The rows are appended as well if versions that have ended are NULL in a column of an index that is NOT NULL from
//! now on: the index could not contain them.
//!
//! Both can be rolled back ([`NativeTable::unshape`]), as long as the transaction is open.
//!
//! Limit: in the second case views from before the change are refused in the new table (`lifetime`).

use super::{NativeTable, TableIndex, Writer};
use crate::definition::TableDefinition;
use crate::directory::Directory;
use crate::row::{Row, Stored};
use crate::stamp::{MARK, NEVER};
use crate::transaction::shared::Shared;
use mainstay_types::interrupt::Pace;
use mainstay_types::{Error, Result, ValueRef};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// A row of the old table in the order of the new one's columns.
struct Reordered<'a> {
    stored: Stored<'a>,
    sources: &'a [Option<usize>],
}

impl Row for Reordered<'_> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        match self.sources.get(column) {
            Some(Some(source)) => self.stored.value(*source),
            _ => ValueRef::Null,
        }
    }
}

/// Where the rows of a reshaped table are.
pub(crate) struct Reshaped {
    /// The table.
    pub(crate) table: Arc<NativeTable>,
    /// The positions of the rows that were appended to it, in runs.
    pub(crate) appended: Vec<(u64, u32)>,
    /// True if it has the groups of the table that it replaces.
    pub(crate) is_shared: bool,
}

impl NativeTable {
    /// This table with another definition; each of its columns comes from this one's with the number in `sources`, or is
    /// new. `mark` is the stamp of rows that are appended. That of a damaged table is damaged.
    ///
    /// Errors: `NotNullViolation` and `UniqueViolation` for rows that are against the new definition, and those of
    /// [`mainstay_types::interrupt`]. Nothing was changed then.
    pub(crate) fn reshape(
        &self,
        definition: TableDefinition,
        sources: &[Option<usize>],
        mark: u64,
        shared: &Arc<Shared>,
    ) -> Result<Reshaped> {
        let mut table = NativeTable::new(self.id, definition, Arc::clone(shared))?;
        table.definition_lock.clone_from(&self.definition_lock);
        if let Some(reason) = self.damage() {
            table.take_damage(reason.clone());
            return Ok(Reshaped { table: Arc::new(table), appended: Vec::new(), is_shared: false });
        }
        let types = |table: &NativeTable| table.types.clone();
        let is_same = sources.iter().enumerate().all(|(number, source)| *source == Some(number));
        if is_same && types(self) == types(&table) && !self.has_ended_nulls(&table) {
            self.check_not_null(&table, mark)?;
            // The groups that are not loaded yet tell this one of damage.
            table.damage = Arc::clone(&self.damage);
            self.share_indexes(&table)?;
            self.replace_by(&table)?;
            let built = {
                let mut writer = table.latch();
                let indexes = Arc::clone(&writer.indexes);
                let mut new = indexes.iter().enumerate().filter(|(at, _)| self.number_of(&table, *at).is_none());
                new.try_for_each(|(number, index)| match table.enter_sorted(&writer, index)? {
                    true => Ok(()),
                    false => table.enter_all(&mut writer, mark, |other| other == number),
                })
            };
            if let Err(error) = built {
                table.replace_by(self)?;
                return Err(error);
            }
            let table = Arc::new(table);
            self.set_heir(Arc::downgrade(&table));
            return Ok(Reshaped { table, appended: Vec::new(), is_shared: true });
        }
        let appended = self.copy_to(&table, sources, mark)?;
        self.is_replaced.store(true, Ordering::Release);
        Ok(Reshaped { table: Arc::new(table), appended, is_shared: false })
    }

    /// Takes a [`NativeTable::reshape`] back.
    pub(crate) fn unshape(&self, reshaped: &NativeTable, is_shared: bool) {
        // The directory of groups was made before, so it can be made again.
        if is_shared && reshaped.replace_by(self).is_err() {
            return;
        }
        self.set_heir(Weak::new());
        self.is_replaced.store(false, Ordering::Release);
    }

    /// Hands groups and write latch over to another table, which has its indexes already.
    fn replace_by(&self, other: &NativeTable) -> Result<()> {
        let mut writer = self.latch();
        let mut place = other.latch();
        let indexes = Arc::clone(&place.indexes);
        let directory = Directory::of(writer.directory.groups().to_vec(), Arc::clone(&indexes))?;
        let mut empty = Writer::new(Arc::new(Directory::of(Vec::new(), Arc::clone(&writer.indexes))?));
        // For a checkpoint that comes while the change is open.
        (empty.next_group, empty.next_row_id) = (writer.next_group, writer.next_row_id);
        *place = std::mem::replace(&mut *writer, empty);
        place.indexes = indexes;
        other.install(&mut place, directory);
        other.garbage.store(self.garbage.load(Ordering::Relaxed), Ordering::Relaxed);
        other.is_replaced.store(false, Ordering::Release);
        self.is_replaced.store(true, Ordering::Release);
        Ok(())
    }

    /// The number of the index here that is the same as one of the other table.
    fn number_of(&self, other: &NativeTable, number: usize) -> Option<usize> {
        let theirs = other.indexes();
        let theirs = theirs.get(number)?;
        self.indexes().iter().position(|own| Arc::ptr_eq(own, theirs))
    }

    /// Lets the other table, which has the same columns, have those of the indexes that it wants, with their links.
    fn share_indexes(&self, other: &NativeTable) -> Result<()> {
        let own = self.indexes();
        let mut taken: HashMap<u32, u32> = HashMap::new();
        let is_same = |mine: &TableIndex, theirs: &TableIndex| {
            let (mine, theirs) = (&mine.definition, &theirs.definition);
            (mine.unique, mine.primary, mine.nulls_distinct) == (theirs.unique, theirs.primary, theirs.nulls_distinct)
                && mine.columns == theirs.columns
                && mine.name == theirs.name
                && mine.filter == theirs.filter
                && mine.columns.iter().all(|column| {
                    let nullable = |table: &NativeTable| table.definition.columns[column.column].nullable;
                    nullable(self) == nullable(other)
                })
        };
        let mut shared = Vec::new();
        for (number, theirs) in other.indexes().iter().enumerate() {
            let found = own
                .iter()
                .enumerate()
                .find(|(mine, index)| !taken.contains_key(&(*mine as u32)) && is_same(index, theirs));
            shared.push(match found {
                Some((mine, index)) => {
                    taken.insert(mine as u32, number as u32);
                    Arc::clone(index)
                }
                None => Arc::clone(theirs),
            });
        }
        let mut writer = other.latch();
        writer.indexes = shared.into();
        let directory = Directory::of(Vec::new(), Arc::clone(&writer.indexes))?;
        other.install(&mut writer, directory);
        other.links.copy_from(&self.links, &taken);
        Ok(())
    }

    /// Returns true if a version that has ended is NULL in a column of the other table's indexes that cannot be.
    fn has_ended_nulls(&self, other: &NativeTable) -> bool {
        let columns = other.definition.indexes.iter().flat_map(|index| index.columns.iter().map(|part| part.column));
        let is_stricter = |column: &usize| {
            let nullable = |table: &NativeTable| table.definition.columns.get(*column).is_some_and(|it| it.nullable);
            let was_key = self.definition.indexes.iter().any(|index| index.column_numbers().contains(column));
            !nullable(other) && (nullable(self) || !was_key)
        };
        let stricter: Vec<usize> = columns.filter(is_stricter).collect();
        !stricter.is_empty()
            && self.directory().groups().iter().any(|group| {
                let is_ended = |offset: &usize| group.ended(*offset) != NEVER;
                let is_null = |offset: usize| {
                    let version = Stored { group, offset };
                    stricter.iter().any(|column| version.value(*column).is_null())
                };
                (0..group.len()).filter(is_ended).any(is_null)
            })
    }

    fn check_not_null(&self, other: &NativeTable, mark: u64) -> Result<()> {
        let columns = self.definition.columns.iter().zip(&other.definition.columns).enumerate();
        let stricter: Vec<usize> =
            columns.filter(|(_, (old, new))| old.nullable && !new.nullable).map(|(number, _)| number).collect();
        if stricter.is_empty() {
            return Ok(());
        }
        self.each_live(mark, &mut |stored, _| match stricter.iter().find(|column| stored.value(**column).is_null()) {
            Some(column) => Err(other.not_null(*column)),
            None => Ok(()),
        })
    }

    /// Visits the rows that are there for the one writer that the table has.
    ///
    /// Errors: those of `visit` and of [`mainstay_types::interrupt`].
    pub(crate) fn each_live(&self, mark: u64, visit: &mut dyn FnMut(Stored<'_>, u64) -> Result<()>) -> Result<()> {
        let mut pace = Pace::default();
        for group in self.directory().groups() {
            group.load()?;
            for offset in 0..group.len() {
                pace.step()?;
                let created = group.created(offset);
                if (created < MARK || created == mark) && group.ended(offset) == NEVER {
                    visit(Stored { group, offset }, group.position(offset))?;
                }
            }
        }
        Ok(())
    }

    /// Appends all rows to another table, and returns their positions there.
    fn copy_to(&self, other: &NativeTable, sources: &[Option<usize>], mark: u64) -> Result<Vec<(u64, u32)>> {
        let mut writer = other.latch();
        {
            let own = self.latch();
            // Numbers of groups are never used again: files are known by them.
            (writer.next_group, writer.next_row_id) = (own.next_group, own.next_row_id);
        }
        let mut appended: Vec<(u64, u32)> = Vec::new();
        self.each_live(mark, &mut |stored, _| {
            let row = Reordered { stored, sources };
            other.check_row(&row)?;
            let position = other.restore_row(&mut writer, &row, stored.group.row_id(stored.offset), mark)?;
            match appended.last_mut() {
                Some((first, count)) if *first + u64::from(*count) == position && position & 0xFFFF != 0 => *count += 1,
                _ => appended.push((position, 1)),
            }
            Ok(())
        })?;
        Ok(appended)
    }

    /// Errors: `DefinitionChanged` when a change of the catalog has put another table in this one's place, `ReadOnly` when the store
    /// is open for reading only, and the reason why a table's rows could not be read.
    #[inline]
    pub(crate) fn check_current(&self) -> Result<()> {
        match self.is_replaced.load(Ordering::Acquire) || self.damage().is_some() {
            true => Err(self.replaced()),
            false => Ok(()),
        }
    }

    #[cold]
    fn replaced(&self) -> Error {
        if let Some(reason) = self.damage() {
            return reason.clone();
        }
        if let Some(reason) = self.shared.read_only() {
            return reason.clone();
        }
        self.definition_changed()
    }

    /// Says that the table is gone, or there again. A damaged one never takes rows.
    pub(crate) fn set_replaced(&self, is_replaced: bool) {
        self.is_replaced.store(is_replaced || self.damage().is_some(), Ordering::Release);
    }
}
