//! Decoding of redo records. Input is not trusted: every count is checked against the remaining bytes.

use super::columns::take_column;
use super::number::{Cursor, damaged};
use super::values::take_value;
use super::{CATALOG, COLUMNS, DELETE, INSERT, SEQUENCE, UPDATE, bitmap_bytes};
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use mainstay_types::{Result, SqlType, ValueRef};

/// The operations of one committed transaction, in their order.
#[derive(Clone, Debug)]
pub struct RedoReader<'a> {
    commit_number: u64,
    rest: Cursor<'a>,
}

/// Something that a transaction did.
#[derive(Clone, Debug)]
pub enum Operation<'a> {
    /// Rows were inserted, one after the other.
    Insert(RowRun<'a>),
    /// Rows were inserted in bulk.
    InsertColumns(ColumnRun<'a>),
    /// Rows were changed.
    Update(RowUpdates<'a>),
    /// Rows were deleted.
    Delete(RowIds<'a>),
    /// The catalog was changed: the JSON text of the change.
    Catalog(&'a str),
    /// A sequence will give this value next.
    Sequence {
        /// The sequence's number in the catalog.
        sequence: u64,
        /// The next value of the sequence.
        next_value: i64,
    },
}

impl<'a> RedoReader<'a> {
    /// Reads the beginning of a frame's payload.
    ///
    /// # Errors
    /// `Damaged` when it is too short for a commit number.
    pub fn new(payload: &'a [u8]) -> Result<RedoReader<'a>> {
        let mut rest = Cursor::new(payload);
        Ok(RedoReader { commit_number: u64::from_le_bytes(rest.array()?), rest })
    }

    /// The number under which the transaction committed.
    pub fn commit_number(&self) -> u64 {
        self.commit_number
    }

    /// The next operation; `None` behind the last one.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no operation.
    pub fn next_operation(&mut self) -> Result<Option<Operation<'a>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.rest.byte()?;
        let length = u32::from_le_bytes(self.rest.array()?);
        operation(tag, self.rest.take(usize::try_from(length).unwrap_or(usize::MAX))?).map(Some)
    }
}

/// The operation with this tag and body.
///
/// # Errors
/// `Damaged` for bytes that are no operation.
pub(crate) fn operation(tag: u8, body: &[u8]) -> Result<Operation<'_>> {
    let mut body = Cursor::new(body);
    Ok(match tag {
        INSERT => Operation::Insert(RowRun {
            table: body.varint()?,
            next_row_id: body.varint()?,
            columns: columns(&mut body)?,
            rest: body,
        }),
        COLUMNS => Operation::InsertColumns(ColumnRun {
            table: body.varint()?,
            first_row_id: body.varint()?,
            // Even a Boolean takes a bit of each row.
            rows: rows(&mut body)?,
            columns: columns(&mut body)?,
            rest: body,
        }),
        UPDATE => Operation::Update(RowUpdates { table: body.varint()?, columns: columns(&mut body)?, rest: body }),
        DELETE => Operation::Delete(RowIds { table: body.varint()?, last: 0, rest: body }),
        CATALOG => {
            let text = body.take(body.left())?;
            Operation::Catalog(std::str::from_utf8(text).map_err(|_| damaged("a text is not UTF-8"))?)
        }
        SEQUENCE => Operation::Sequence { sequence: body.varint()?, next_value: body.signed()? },
        other => return Err(damaged(&format!("there is no operation {other}"))),
    })
}

/// The number of columns of a row: at least one, and every one of them takes a bit.
fn columns(body: &mut Cursor<'_>) -> Result<usize> {
    bits(body, "a row has no columns, or more than bytes")
}

fn rows(body: &mut Cursor<'_>) -> Result<usize> {
    bits(body, "a column has no rows, or more than bytes")
}

fn bits(body: &mut Cursor<'_>, otherwise: &str) -> Result<usize> {
    let count = usize::try_from(body.varint()?).unwrap_or(usize::MAX);
    if count == 0 || bitmap_bytes(count) > body.left() { Err(damaged(otherwise)) } else { Ok(count) }
}

fn check_columns(has: usize, wanted: usize) -> Result<()> {
    if has == wanted {
        return Ok(());
    }
    Err(damaged(&format!("a row has {has} columns, and its table {wanted}")))
}

/// Rows with consecutive row ids.
#[derive(Clone, Debug)]
pub struct RowRun<'a> {
    /// The table's number in the catalog.
    pub table: u64,
    /// The number of columns of the rows.
    pub columns: usize,
    next_row_id: u64,
    rest: Cursor<'a>,
}

impl<'a> RowRun<'a> {
    /// The next row id, with the row's values in `values`; `None` behind the last row.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no row of these types.
    pub fn next_row(&mut self, types: &[SqlType], values: &mut Vec<ValueRef<'a>>) -> Result<Option<u64>> {
        values.clear();
        if self.rest.is_empty() {
            return Ok(None);
        }
        check_columns(self.columns, types.len())?;
        let nulls = self.rest.take(bitmap_bytes(self.columns))?;
        for (column, sql_type) in types.iter().enumerate() {
            values.push(if has_bit(nulls, column) { ValueRef::Null } else { take_value(&mut self.rest, *sql_type)? });
        }
        let row_id = self.next_row_id;
        self.next_row_id = row_id.checked_add(1).ok_or_else(|| damaged("the row ids run out"))?;
        Ok(Some(row_id))
    }
}

/// Rows with consecutive row ids, column by column.
#[derive(Clone, Debug)]
pub struct ColumnRun<'a> {
    /// The table's number in the catalog.
    pub table: u64,
    /// The row id of the first row.
    pub first_row_id: u64,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    rest: Cursor<'a>,
}

impl ColumnRun<'_> {
    /// The columns, which must have these types.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no such columns.
    pub fn columns(&self, types: &[DataType]) -> Result<Vec<ArrayRef>> {
        check_columns(self.columns, types.len())?;
        let mut rest = self.rest;
        let columns = types.iter().map(|data_type| take_column(&mut rest, data_type, self.rows)).collect();
        if rest.is_empty() { columns } else { columns.and(Err(damaged("bytes follow the last column"))) }
    }
}

/// New versions of rows.
#[derive(Clone, Debug)]
pub struct RowUpdates<'a> {
    /// The table's number in the catalog.
    pub table: u64,
    /// The number of columns of the rows.
    pub columns: usize,
    rest: Cursor<'a>,
}

impl<'a> RowUpdates<'a> {
    /// The next row id, with the changed columns and their new values in `changed`, columns ascending; `None` behind
    /// the last row.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no row of these types.
    pub fn next_row(&mut self, types: &[SqlType], changed: &mut Vec<(usize, ValueRef<'a>)>) -> Result<Option<u64>> {
        changed.clear();
        if self.rest.is_empty() {
            return Ok(None);
        }
        check_columns(self.columns, types.len())?;
        let row_id = self.rest.varint()?;
        let marks = self.rest.take(bitmap_bytes(self.columns))?;
        let nulls = self.rest.take(bitmap_bytes(self.columns))?;
        for (column, sql_type) in types.iter().enumerate().filter(|(column, _)| has_bit(marks, *column)) {
            let value = if has_bit(nulls, column) { ValueRef::Null } else { take_value(&mut self.rest, *sql_type)? };
            changed.push((column, value));
        }
        Ok(Some(row_id))
    }
}

/// Row ids of one table.
#[derive(Clone, Debug)]
pub struct RowIds<'a> {
    /// The table's number in the catalog.
    pub table: u64,
    last: u64,
    rest: Cursor<'a>,
}

impl RowIds<'_> {
    /// The next row id; `None` behind the last one.
    ///
    /// # Errors
    /// `Damaged` for bytes that are no row id.
    pub fn next_row_id(&mut self) -> Result<Option<u64>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.last = self.last.wrapping_add(self.rest.signed()? as u64);
        Ok(Some(self.last))
    }
}

fn has_bit(bitmap: &[u8], bit: usize) -> bool {
    bitmap.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}
