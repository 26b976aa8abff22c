//! A statement's view of a table, as the executors see it.

use super::{NativeTable, Reader};
use crate::column::{Cell, gather};
use crate::definition::HIDDEN_COLUMNS;
use crate::directory::Directory;
use crate::index::Direction;
use crate::stamp::View;
use arrow_array::{ArrayRef, Int64Array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use mainstay_columnar::{Access, KeyRange, OrderKey, Ordering, RowSet, Snapshot, Sought, Table, implied};
use mainstay_types::{Code, Error, Result};
use std::ops::{Bound, ControlFlow, Range};
use std::sync::{Arc, OnceLock};

/// From this part of the row slots on, rows are given as bits.
const BITMAP_FROM: usize = 32;

/// The table as a view sees it, pinned.
///
/// The row slots of the interface count through the groups; all groups but the last are full.
pub struct TableSnapshot {
    table: Arc<NativeTable>,
    directory: Arc<Directory>,
    last_length: usize,
    view: View,
    /// Summed over the groups when it is first asked for, and the same for the whole statement.
    bytes: OnceLock<u64>,
}

impl NativeTable {
    /// The table as a view sees it, as the executors' interface.
    pub fn snapshot_for(self: &Arc<Self>, view: View) -> Arc<TableSnapshot> {
        let reader = self.reader(view);
        let directory = Arc::clone(reader.directory());
        let last_length = directory.groups().len().checked_sub(1).map_or(0, |last| reader.length(last));
        let view = reader.view();
        drop(reader);
        Arc::new(TableSnapshot { table: Arc::clone(self), directory, last_length, view, bytes: OnceLock::new() })
    }
}

impl TableSnapshot {
    /// The same for single versions and values.
    pub fn reader(&self) -> Reader<'_> {
        Reader::pinned(&self.table, Arc::clone(&self.directory), self.last_length, self.view)
    }

    /// The position of a row slot.
    pub fn position(&self, slot: u32) -> Option<u64> {
        self.directory.locate(slot).map(|(group, offset)| group.position(offset))
    }

    /// A group, as it is stored: single values are read there.
    pub fn stored_group(&self, ordinal: usize) -> Option<&Arc<crate::group::Group>> {
        self.directory.groups().get(ordinal)
    }

    fn length(&self, ordinal: usize) -> usize {
        let groups = self.directory.groups();
        if ordinal + 1 == groups.len() { self.last_length } else { groups.get(ordinal).map_or(0, |group| group.len()) }
    }

    fn group_at(&self, ordinal: usize) -> Result<&Arc<crate::group::Group>> {
        self.directory.groups().get(ordinal).ok_or_else(|| Error::new(Code::Internal, "the table has no such group"))
    }

    /// A column that is not stored: the row ids, or the positions.
    fn hidden(&self, ordinal: usize, column: usize) -> Result<ArrayRef> {
        let group = self.group_at(ordinal)?;
        let is_row_id = column == self.table.types().len();
        let value = |offset| if is_row_id { group.row_id(offset) } else { group.position(offset) };
        Ok(Arc::new(Int64Array::from_iter_values((0..self.length(ordinal)).map(|offset| value(offset) as i64))))
    }

    /// The row slots of a range of keys, ascending and each once; `None` when there are more than `most` keys.
    fn keys(&self, range: &KeyRange, most: usize) -> Result<Option<Vec<u32>>> {
        let low: &[u8] = match &range.lower {
            Bound::Included(low) | Bound::Excluded(low) => low,
            Bound::Unbounded => &[],
        };
        let high = match &range.upper {
            Bound::Included(high) | Bound::Excluded(high) => Some(high.as_slice()),
            Bound::Unbounded => None,
        };
        let (mut slots, mut is_cut) = (Vec::new(), false);
        self.reader().scan(range.index, low, high, Direction::Ascending, false, &mut |position| {
            if slots.len() == most {
                is_cut = true;
                return Ok(ControlFlow::Break(()));
            }
            slots.extend(self.directory.slot(position));
            Ok(ControlFlow::Continue(()))
        })?;
        slots.sort_unstable();
        slots.dedup();
        Ok((!is_cut).then_some(slots))
    }

    /// The row slots that an access gives, ascending and each once; `None` when a range has more than `most` keys.
    fn slots_of(&self, access: &Access, most: usize) -> Result<Option<Vec<u32>>> {
        match access {
            Access::Keys(range) => self.keys(range, most),
            Access::And(parts) => {
                let mut all: Option<Vec<u32>> = None;
                for part in parts {
                    let Some(other) = self.slots_of(part, most)? else { return Ok(None) };
                    match &mut all {
                        Some(slots) => slots.retain(|slot| other.binary_search(slot).is_ok()),
                        None => all = Some(other),
                    }
                }
                Ok(Some(all.unwrap_or_default()))
            }
            Access::Or(parts) => {
                let mut slots = Vec::new();
                for part in parts {
                    let Some(other) = self.slots_of(part, most)? else { return Ok(None) };
                    slots.extend(other);
                }
                slots.sort_unstable();
                slots.dedup();
                Ok(Some(slots))
            }
        }
    }
}

impl Snapshot for TableSnapshot {
    fn slots(&self) -> usize {
        let last = self.groups().saturating_sub(1);
        self.directory.start(last) + self.length(last)
    }

    fn bytes(&self) -> u64 {
        *self.bytes.get_or_init(|| self.directory.groups().iter().map(|group| group.bytes() as u64).sum())
    }

    fn visible_rows(&self) -> Result<usize> {
        Ok(self.reader().count())
    }

    fn groups(&self) -> usize {
        self.directory.groups().len()
    }

    fn group(&self, group: usize) -> Range<usize> {
        self.directory.range(group, self.length(group))
    }

    fn visible(&self, group: usize) -> Result<Option<BooleanBuffer>> {
        Ok(self.group_at(group)?.visible(self.view, self.length(group)))
    }

    fn vectors(&self, group: usize, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        self.group_at(group)?.load()?;
        let stored = self.group_at(group)?.columns();
        let length = self.length(group);
        let vector = |column: &usize| match stored.get(*column) {
            Some(column) => Ok(column.array(length)),
            None => self.hidden(group, *column),
        };
        columns.iter().map(vector).collect()
    }

    /// Values one by one: encoded columns are not decoded.
    fn run(&self, slots: Range<usize>, columns: &[usize]) -> Result<(Vec<ArrayRef>, Option<BooleanBuffer>)> {
        let rows: Vec<u32> = slots.clone().map(|slot| slot as u32).collect();
        let (vectors, _) = self.fetch(&rows, columns, false)?;
        let reader = self.reader();
        let is_seen = |slot: &u32| self.position(*slot).is_some_and(|position| reader.sees(position));
        let seen: BooleanBuffer = rows.iter().map(is_seen).collect();
        Ok((vectors, (seen.count_set_bits() < rows.len()).then_some(seen)))
    }

    fn reads_runs(&self) -> bool {
        true
    }

    fn is_decoded(&self, _group: usize, _columns: &[usize]) -> bool {
        true
    }

    fn fetch(&self, rows: &[u32], columns: &[usize], visible_only: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let reader = self.reader();
        let mut found = Vec::with_capacity(rows.len());
        let mut kept = Vec::with_capacity(rows.len());
        for slot in rows {
            let located = self.directory.locate(*slot);
            let (group, offset) = located.ok_or_else(|| Error::new(Code::Internal, "the table has no such row"))?;
            if !visible_only || reader.sees(group.position(offset)) {
                group.load()?;
                found.push((group, offset));
                kept.push(*slot);
            }
        }
        let take = |column: &usize| -> ArrayRef {
            let Some(sql_type) = self.table.types().get(*column) else {
                let is_row_id = *column == self.table.types().len();
                let value = |group: &crate::group::Group, offset| {
                    if is_row_id { group.row_id(offset) } else { group.position(offset) }
                };
                let values = found.iter().map(|(group, offset)| value(group, *offset) as i64);
                return Arc::new(Int64Array::from_iter_values(values));
            };
            let cells: Vec<Cell<'_>> =
                found.iter().map(|(group, offset)| (&group.columns()[*column], *offset)).collect();
            gather(*sql_type, &cells)
        };
        Ok((columns.iter().map(take).collect(), kept))
    }

    fn rows(&self, access: &Access, most: usize) -> Result<Option<RowSet>> {
        let Some(slots) = self.slots_of(access, most)? else { return Ok(None) };
        if slots.len() < self.slots() / BITMAP_FROM {
            return Ok(Some(RowSet::List(slots)));
        }
        let mut bits = BooleanBufferBuilder::new(self.slots());
        bits.append_n(self.slots(), false);
        slots.iter().for_each(|slot| bits.set_bit(*slot as usize, true));
        Ok(Some(RowSet::Bitmap(bits.finish())))
    }

    fn walk(&self, ordering: &Ordering, visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
        let direction = if ordering.descending { Direction::Descending } else { Direction::Ascending };
        self.reader().scan(ordering.index, &[], None, direction, true, &mut |position| {
            self.directory.slot(position).map_or(Ok(ControlFlow::Continue(())), &mut *visit)
        })?;
        Ok(true)
    }

    fn is_in_row_order(&self) -> bool {
        self.directory.is_in_row_order()
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The table as the executors know it: tables by themselves have no transaction, so they show what is committed.
#[derive(Clone, Debug)]
pub struct Shown(pub Arc<NativeTable>);

impl Table for Shown {
    fn name(&self) -> &str {
        &self.0.definition().name
    }

    fn schema(&self) -> &arrow_schema::SchemaRef {
        self.0.schema_ref()
    }

    fn hidden_columns(&self) -> usize {
        HIDDEN_COLUMNS
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.0.snapshot_for(self.0.current_view()))
    }

    fn estimated_rows(&self) -> usize {
        self.0.estimated_rows()
    }

    fn access(&self, predicate: &mainstay_columnar::Predicate, _visible_only: bool) -> Option<Access> {
        self.0.access(predicate)
    }

    fn access_of(&self, sought: &Sought, _visible_only: bool) -> Option<Access> {
        self.0.access(&implied(sought, self.0.derived_keys.get()?)?)
    }

    fn has_computed_keys(&self) -> bool {
        self.0.derived_keys.get().is_some()
    }

    fn order(&self, column: usize, descending: bool) -> Option<Ordering> {
        self.0.order(&[OrderKey::of_values(column, descending)])
    }

    fn order_by(&self, keys: &[OrderKey]) -> Option<Ordering> {
        self.0.order(keys)
    }

    fn row_id_column(&self) -> Option<usize> {
        Some(self.0.types().len())
    }

    fn is_same(&self, other: &dyn Table) -> bool {
        let other: &dyn std::any::Any = other;
        other.downcast_ref::<Shown>().is_some_and(|other| Arc::ptr_eq(&self.0, &other.0))
    }
}
