//! Encoding of redo records, on the path of every INSERT: appends to one reused buffer, without allocating.

use super::columns::put_column;
use super::number::{put_signed, put_varint};
use super::values::put_value;
use super::{CATALOG, COLUMNS, COMMIT_BYTES, DELETE, INSERT, OPERATION_HEADER, SEQUENCE, UPDATE, bitmap_bytes};
use arrow_array::ArrayRef;
use mainstay_types::{Code, Error, Result, SqlType, ValueRef};

/// A body that has grown beyond this is followed by another operation.
const BODY_BYTES: usize = 1 << 28;

/// The changes of a transaction so far. Owned by the session and cleared for each transaction.
#[derive(Debug)]
pub struct RedoBuffer {
    /// Bytes that were moved elsewhere, before those that are here.
    moved: usize,
    bytes: Vec<u8>,
    open: Option<Open>,
}

/// The operation at the end of the buffer, which may still grow.
#[derive(Clone, Copy, Debug)]
struct Open {
    tag: u8,
    table: u64,
    columns: usize,
    /// Where its body begins.
    body: usize,
    /// Insert: the row id that would go on with the run. Delete: the last row id.
    row_id: u64,
}

/// A place to go back to: see [`RedoBuffer::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RedoMark(usize);

impl Default for RedoBuffer {
    fn default() -> RedoBuffer {
        RedoBuffer::new()
    }
}

impl RedoBuffer {
    /// An empty buffer.
    pub fn new() -> RedoBuffer {
        RedoBuffer { moved: 0, bytes: vec![0; COMMIT_BYTES], open: None }
    }

    /// Forgets the transaction and keeps the memory.
    pub fn clear(&mut self) {
        self.moved = 0;
        self.bytes.resize(COMMIT_BYTES, 0);
        self.open = None;
    }

    /// Returns true if nothing was done.
    pub fn is_empty(&self) -> bool {
        self.moved + self.bytes.len() == COMMIT_BYTES
    }

    /// Bytes of the payload that are in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The number of first bytes of the payload that were moved elsewhere. Those behind them there are no part of it any
    /// more.
    pub(crate) fn moved_bytes(&self) -> u64 {
        self.moved as u64
    }

    /// Moves the bytes that are in memory to a place behind those that were moved before; `put` gets the offset there.
    ///
    /// # Errors
    /// Those of `put`; the bytes are still here then.
    pub(crate) fn move_out(&mut self, put: impl FnOnce(&[u8], u64) -> Result<()>) -> Result<()> {
        self.open = None;
        put(&self.bytes, self.moved as u64)?;
        self.moved += self.bytes.len();
        self.bytes.clear();
        Ok(())
    }

    /// The bytes in memory behind those that were moved.
    pub(crate) fn rest(&mut self) -> &[u8] {
        self.open = None;
        &self.bytes
    }

    /// The payload of the frame, with the number under which the transaction commits. Nothing of it was moved.
    pub fn seal(&mut self, commit_number: u64) -> &[u8] {
        self.open = None;
        self.bytes[..COMMIT_BYTES].copy_from_slice(&commit_number.to_le_bytes());
        &self.bytes
    }

    /// The place behind what was done so far, for a savepoint or a statement that may fail.
    pub fn mark(&mut self) -> RedoMark {
        self.open = None;
        RedoMark(self.moved + self.bytes.len())
    }

    /// Forgets what was done since the mark. A mark that lies behind the end changes nothing.
    pub fn roll_back(&mut self, mark: RedoMark) {
        self.open = None;
        let end = mark.0.max(COMMIT_BYTES);
        match end.checked_sub(self.moved) {
            Some(left) => self.bytes.truncate(left),
            None => {
                self.moved = end;
                self.bytes.clear();
            }
        }
    }

    /// A row was inserted: one value per column, in the columns' order. Rows with consecutive row ids share an
    /// operation.
    ///
    /// # Errors
    /// `Internal` when there are not as many values as types, or one does not belong to its type; nothing is
    /// written then.
    pub fn insert_row<'v>(
        &mut self,
        table: u64,
        types: &[SqlType],
        row_id: u64,
        values: impl IntoIterator<Item = ValueRef<'v>>,
    ) -> Result<()> {
        let before = self.bytes.len();
        let goes_on = self.open.is_some_and(|open| open.row_id == row_id) && self.grows(INSERT, table, types.len());
        if !goes_on {
            self.begin(INSERT, table, types.len());
            put_varint(&mut self.bytes, table);
            put_varint(&mut self.bytes, row_id);
            put_varint(&mut self.bytes, types.len() as u64);
        }
        let written = self.put_row(types, values);
        self.finish(before, goes_on, written, row_id.wrapping_add(1))
    }

    /// Rows were inserted in bulk: row `i` of every column has row id `first_row_id + i`. The columns are as long as
    /// each other and in the physical types of the table's vectors.
    ///
    /// # Errors
    /// `Internal` for columns of different lengths, or of a type that no vector has; nothing is written then.
    pub fn insert_columns(&mut self, table: u64, first_row_id: u64, columns: &[ArrayRef]) -> Result<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        if rows == 0 {
            return Ok(());
        }
        let before = self.bytes.len();
        self.begin(COLUMNS, table, columns.len());
        for number in [table, first_row_id, rows as u64, columns.len() as u64] {
            put_varint(&mut self.bytes, number);
        }
        let written = columns.iter().try_for_each(|column| match column.len() == rows {
            true => put_column(&mut self.bytes, column),
            false => Err(Error::new(Code::Internal, "columns of different lengths are no rows")),
        });
        self.finish(before, false, written, 0)?;
        self.open = None;
        Ok(())
    }

    /// A row was changed: the new values of the changed columns, with the columns' numbers in ascending order.
    /// For a whole new row name every column.
    ///
    /// # Errors
    /// `Internal` when the columns do not ascend or do not exist, or a value does not belong to its type; nothing
    /// is written then.
    pub fn update_row<'v>(
        &mut self,
        table: u64,
        types: &[SqlType],
        row_id: u64,
        changed: impl IntoIterator<Item = (usize, ValueRef<'v>)>,
    ) -> Result<()> {
        let before = self.bytes.len();
        let goes_on = self.grows(UPDATE, table, types.len());
        if !goes_on {
            self.begin(UPDATE, table, types.len());
            put_varint(&mut self.bytes, table);
            put_varint(&mut self.bytes, types.len() as u64);
        }
        put_varint(&mut self.bytes, row_id);
        let written = self.put_changes(types, changed);
        self.finish(before, goes_on, written, 0)
    }

    /// A row was deleted.
    pub fn delete_row(&mut self, table: u64, row_id: u64) {
        let last = self.open.map_or(0, |open| open.row_id);
        let goes_on = self.grows(DELETE, table, 0);
        if !goes_on {
            self.begin(DELETE, table, 0);
            put_varint(&mut self.bytes, table);
        }
        let last = if goes_on { last } else { 0 };
        put_signed(&mut self.bytes, row_id.wrapping_sub(last) as i64);
        self.end_body(row_id);
    }

    /// The catalog was changed: the JSON text of the change.
    pub fn catalog(&mut self, json: &str) {
        self.begin(CATALOG, 0, 0);
        self.bytes.extend_from_slice(json.as_bytes());
        self.end_body(0);
        self.open = None;
    }

    /// A sequence or an identity column will give this value next.
    pub fn sequence(&mut self, sequence: u64, next_value: i64) {
        self.begin(SEQUENCE, 0, 0);
        put_varint(&mut self.bytes, sequence);
        put_signed(&mut self.bytes, next_value);
        self.end_body(0);
        self.open = None;
    }

    /// Returns true if the operation at the end is one of these and may take another row.
    fn grows(&self, tag: u8, table: u64, columns: usize) -> bool {
        self.open.is_some_and(|open| {
            open.tag == tag
                && open.table == table
                && open.columns == columns
                && self.bytes.len() - open.body < BODY_BYTES
        })
    }

    fn begin(&mut self, tag: u8, table: u64, columns: usize) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&[0; OPERATION_HEADER - 1]);
        self.open = Some(Open { tag, table, columns, body: self.bytes.len(), row_id: 0 });
    }

    /// Writes the length of the operation at its end, or removes an incomplete one.
    fn finish(&mut self, before: usize, goes_on: bool, written: Result<()>, row_id: u64) -> Result<()> {
        if written.is_err() {
            self.bytes.truncate(before);
            self.open = self.open.filter(|_| goes_on);
            return written;
        }
        self.end_body(row_id);
        Ok(())
    }

    /// A body beyond 4 GiB has no length that fits; the journal refuses the payload long before.
    fn end_body(&mut self, row_id: u64) {
        let Some(open) = &mut self.open else { return };
        open.row_id = row_id;
        let length = u32::try_from(self.bytes.len() - open.body).unwrap_or(u32::MAX);
        self.bytes[open.body - 4..open.body].copy_from_slice(&length.to_le_bytes());
    }

    fn put_row<'v>(&mut self, types: &[SqlType], values: impl IntoIterator<Item = ValueRef<'v>>) -> Result<()> {
        let nulls = self.bytes.len();
        self.bytes.resize(nulls + bitmap_bytes(types.len()), 0);
        let mut column = 0;
        for value in values {
            let Some(sql_type) = types.get(column) else { return Err(miscounted(types.len())) };
            if value.is_null() {
                self.bytes[nulls + column / 8] |= 1 << (column % 8);
            } else {
                put_value(&mut self.bytes, *sql_type, value)?;
            }
            column += 1;
        }
        if column == types.len() { Ok(()) } else { Err(miscounted(types.len())) }
    }

    fn put_changes<'v>(
        &mut self,
        types: &[SqlType],
        changed: impl IntoIterator<Item = (usize, ValueRef<'v>)>,
    ) -> Result<()> {
        let bitmap = bitmap_bytes(types.len());
        let (marks, nulls) = (self.bytes.len(), self.bytes.len() + bitmap);
        self.bytes.resize(nulls + bitmap, 0);
        let mut least = 0;
        for (column, value) in changed {
            let Some(sql_type) = types.get(column).filter(|_| column >= least) else {
                return Err(Error::new(Code::Internal, "changed columns must exist and ascend"));
            };
            least = column + 1;
            self.bytes[marks + column / 8] |= 1 << (column % 8);
            if value.is_null() {
                self.bytes[nulls + column / 8] |= 1 << (column % 8);
            } else {
                put_value(&mut self.bytes, *sql_type, value)?;
            }
        }
        Ok(())
    }
}

fn miscounted(columns: usize) -> Error {
    Error::new(Code::Internal, format!("a row of {columns} columns was given another number of values"))
}
