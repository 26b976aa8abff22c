//! The answer of a run: rows of cells, whose texts lie in one long text; or the positions of rows, if the answer
//! consists of columns of one table as they are stored.

use mainstay_store::group::Group;
use mainstay_types::{Date, Decimal, Interval, Time, Timestamp, ValueRef};
use std::sync::Arc;

/// Rows of values of their own. Cleared and filled again, it allocates only to grow.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    width: usize,
    cells: Vec<Cell>,
    /// All texts, one after the other.
    texts: String,
    bytes: Vec<u8>,
    /// Where the rows lie, when they are columns of one table as it has them: nothing is copied then.
    stored: Option<StoredRows>,
    /// The rows in the order of the answer, where it is another one than that in which they came.
    order: Option<Vec<u32>>,
}

/// Versions in a table, which stay as they are.
#[derive(Clone, Default)]
struct StoredRows {
    columns: Vec<usize>,
    groups: Vec<Arc<Group>>,
    /// A group and the offset in it.
    rows: Vec<(u32, u32)>,
}

impl std::fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredRows").field("columns", &self.columns).field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// A value; text and bytes are a run of the buffer's.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Null,
    Boolean(bool),
    Integer(i64),
    Decimal(Decimal),
    Float(f64),
    Text { start: usize, end: usize },
    Binary { start: usize, end: usize },
    Date(Date),
    Time(Time),
    Timestamp(Timestamp),
    TimestampWithOffset { utc: Timestamp, offset_minutes: i16 },
    Interval(Interval),
    Uuid([u8; 16]),
}

impl Buffer {
    /// Forgets its rows; the next ones have so many cells.
    pub(crate) fn clear(&mut self, width: usize) {
        self.width = width;
        self.cells.clear();
        self.texts.clear();
        self.bytes.clear();
        self.order = None;
        self.stored = None;
    }

    /// The same for rows that are these columns of a table.
    pub(crate) fn clear_for(&mut self, columns: &[usize]) {
        let mut stored = self.stored.take().unwrap_or_default();
        self.clear(columns.len());
        stored.groups.clear();
        stored.rows.clear();
        stored.columns.clear();
        stored.columns.extend_from_slice(columns);
        self.stored = Some(stored);
    }

    /// Forgets its rows and takes these, which lie in a table: a group and the offset in it each, of which these columns count.
    pub fn take_stored<'g>(&mut self, columns: &[usize], rows: impl Iterator<Item = (&'g Arc<Group>, usize)>) {
        self.clear_for(columns);
        rows.for_each(|(group, offset)| self.push_stored(group, offset));
    }

    /// Appends a row that lies there.
    #[inline]
    pub(crate) fn push_stored(&mut self, group: &Arc<Group>, offset: usize) {
        let Some(stored) = &mut self.stored else { return };
        // Rows of one group often follow each other.
        let known = match stored.groups.last() {
            Some(last) if Arc::ptr_eq(last, group) => stored.groups.len() - 1,
            _ => match stored.groups.iter().position(|known| Arc::ptr_eq(known, group)) {
                Some(known) => known,
                None => {
                    stored.groups.push(Arc::clone(group));
                    stored.groups.len() - 1
                }
            },
        };
        stored.rows.push((known as u32, offset as u32));
    }

    /// Forgets its rows and takes these, of so many cells each.
    pub fn take_rows<'v>(&mut self, width: usize, cells: impl Iterator<Item = ValueRef<'v>>) {
        self.clear(width);
        cells.for_each(|value| self.push(value));
    }

    /// The rows.
    pub fn len(&self) -> usize {
        match (&self.stored, &self.order) {
            (Some(stored), _) => stored.rows.len(),
            (None, Some(order)) => order.len(),
            (None, None) => self.cells.len().checked_div(self.width).unwrap_or(0),
        }
    }

    /// Returns true if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a cell. Rows are complete when each has as many as it is wide.
    #[inline]
    pub(crate) fn push(&mut self, value: ValueRef<'_>) {
        let cell = match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Boolean(value) => Cell::Boolean(value),
            ValueRef::Integer(value) => Cell::Integer(value),
            ValueRef::Decimal(value) => Cell::Decimal(value),
            ValueRef::Float(value) => Cell::Float(value),
            ValueRef::Text(value) => {
                let start = self.texts.len();
                self.texts.push_str(value);
                Cell::Text { start, end: self.texts.len() }
            }
            ValueRef::Binary(value) => {
                let (start, end) = self.keep(value);
                Cell::Binary { start, end }
            }
            ValueRef::Date(value) => Cell::Date(value),
            ValueRef::Time(value) => Cell::Time(value),
            ValueRef::Timestamp(value) => Cell::Timestamp(value),
            ValueRef::TimestampWithOffset { utc, offset_minutes } => Cell::TimestampWithOffset { utc, offset_minutes },
            ValueRef::Interval(value) => Cell::Interval(value),
            ValueRef::Uuid(value) => Cell::Uuid(value),
        };
        self.cells.push(cell);
    }

    fn keep(&mut self, bytes: &[u8]) -> (usize, usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        (start, self.bytes.len())
    }

    /// A cell, both counted from 0; NULL for one that is not there.
    #[inline]
    pub fn value(&self, row: usize, column: usize) -> ValueRef<'_> {
        if let Some(stored) = &self.stored {
            let (Some((group, offset)), Some(column)) = (stored.rows.get(row), stored.columns.get(column)) else {
                return ValueRef::Null;
            };
            let group = stored.groups.get(*group as usize);
            return group.map_or(ValueRef::Null, |group| group.value(*offset as usize, *column));
        }
        match &self.order {
            Some(order) => order.get(row).map_or(ValueRef::Null, |row| self.cell(*row as usize, column)),
            None => self.cell(row, column),
        }
    }

    /// The cells of a row; where there are more than it has, they stay as they are.
    pub fn read<'b>(&'b self, row: usize, cells: &mut [ValueRef<'b>]) {
        match &self.stored {
            Some(stored) => {
                let Some((group, offset)) = stored.rows.get(row) else { return };
                if let Some(group) = stored.groups.get(*group as usize) {
                    group.read(*offset as usize, &stored.columns, cells);
                }
            }
            None => {
                let of_row = cells.iter_mut().take(self.width).enumerate();
                of_row.for_each(|(column, cell)| *cell = self.value(row, column));
            }
        }
    }

    /// A cell of a row in the order in which they came.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: usize) -> ValueRef<'_> {
        match self.cells.get(row * self.width + column) {
            None | Some(Cell::Null) => ValueRef::Null,
            Some(Cell::Boolean(value)) => ValueRef::Boolean(*value),
            Some(Cell::Integer(value)) => ValueRef::Integer(*value),
            Some(Cell::Decimal(value)) => ValueRef::Decimal(*value),
            Some(Cell::Float(value)) => ValueRef::Float(*value),
            Some(Cell::Text { start, end }) => ValueRef::Text(self.texts.get(*start..*end).unwrap_or_default()),
            Some(Cell::Binary { start, end }) => ValueRef::Binary(self.bytes.get(*start..*end).unwrap_or_default()),
            Some(Cell::Date(value)) => ValueRef::Date(*value),
            Some(Cell::Time(value)) => ValueRef::Time(*value),
            Some(Cell::Timestamp(value)) => ValueRef::Timestamp(*value),
            Some(Cell::TimestampWithOffset { utc, offset_minutes }) => {
                ValueRef::TimestampWithOffset { utc: *utc, offset_minutes: *offset_minutes }
            }
            Some(Cell::Interval(value)) => ValueRef::Interval(*value),
            Some(Cell::Uuid(value)) => ValueRef::Uuid(*value),
        }
    }

    /// Leaves only these rows, in this order.
    pub fn keep_rows(&mut self, rows: &[u32]) {
        match (&mut self.stored, &self.order) {
            (Some(stored), _) => {
                stored.rows = rows.iter().filter_map(|row| stored.rows.get(*row as usize).copied()).collect();
            }
            (None, Some(order)) => {
                self.order = Some(rows.iter().filter_map(|row| order.get(*row as usize).copied()).collect());
            }
            (None, None) => self.order = Some(rows.to_vec()),
        }
    }

    /// Sets the order of the answer: rows by the places in which they came.
    pub(crate) fn set_order(&mut self, order: Vec<u32>) {
        self.order = Some(order);
    }
}
