//! The answer of a run: rows of cells, whose texts lie in one run of bytes.

use mainstay_base::{Date, Decimal, Interval, Time, Timestamp, ValueRef};

/// Rows of values of their own. Cleared and filled again, it allocates only to grow.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    width: usize,
    cells: Vec<Cell>,
    bytes: Vec<u8>,
    /// The rows in the order of the answer, where it is another one than that in which they came.
    order: Option<Vec<u32>>,
}

/// A value; text and bytes are a run of the buffer's bytes.
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
        self.bytes.clear();
        self.order = None;
    }

    /// The rows.
    pub fn len(&self) -> usize {
        match &self.order {
            Some(order) => order.len(),
            None => self.cells.len().checked_div(self.width).unwrap_or(0),
        }
    }

    /// Whether there are none.
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
                let (start, end) = self.keep(value.as_bytes());
                Cell::Text { start, end }
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
        match &self.order {
            Some(order) => order.get(row).map_or(ValueRef::Null, |row| self.cell(*row as usize, column)),
            None => self.cell(row, column),
        }
    }

    /// A cell of a row in the order in which they came.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: usize) -> ValueRef<'_> {
        let text = |start: usize, end: usize| self.bytes.get(start..end).unwrap_or_default();
        match self.cells.get(row * self.width + column) {
            None | Some(Cell::Null) => ValueRef::Null,
            Some(Cell::Boolean(value)) => ValueRef::Boolean(*value),
            Some(Cell::Integer(value)) => ValueRef::Integer(*value),
            Some(Cell::Decimal(value)) => ValueRef::Decimal(*value),
            Some(Cell::Float(value)) => ValueRef::Float(*value),
            // What was a text when it came is one still.
            Some(Cell::Text { start, end }) => {
                ValueRef::Text(std::str::from_utf8(text(*start, *end)).unwrap_or_default())
            }
            Some(Cell::Binary { start, end }) => ValueRef::Binary(text(*start, *end)),
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

    /// Sets the order of the answer: rows by the places in which they came.
    pub(crate) fn set_order(&mut self, order: Vec<u32>) {
        self.order = Some(order);
    }
}
