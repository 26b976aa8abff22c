//! Cursors of a session.

use crate::insert_rows::InsertRows;
use crate::layout::Layout;
use crate::rows::RowBlock;
use crate::statements::Prepared;
use mainstay_sqli::{Failure, WireError};
use std::collections::VecDeque;
use std::sync::Arc;

/// Fetch buffer for rows with TEXT, BYTE, BLOB or CLOB columns, as a number of rows: each value is another round trip, and its bytes
/// are kept until the row is read.
const LOB_ROWS: usize = 8;

/// A cursor that has been opened.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub statement: Prepared,
    pub layout: Arc<Layout>,
    /// Rows that have come and were not taken.
    pub block: RowBlock,
    /// The server has no more rows, or the cursor is closed.
    pub is_ended: bool,
    /// The server has closed it, at the end of the transaction.
    pub is_closed: bool,
    pub is_scrolling: bool,
    pub is_held: bool,
    /// Fetches the next rows before they are asked for.
    pub reads_ahead: bool,
    /// The numbers of the fetch groups that are not answered.
    pub outstanding: VecDeque<u64>,
    /// The error of a fetch ahead, kept for the fetch that asks for these rows.
    pub failure: Option<Failure>,
    /// The number of the first row of the block, for a scroll cursor, counted from 1.
    pub first_row: u32,
    /// The number of the last row that the last scroll saw.
    pub last_number: Option<u32>,
    pub buffer_bytes: u32,
    /// BLOB and CLOB values stay at the server until their locators are opened.
    pub keeps_locators: bool,
    /// Rows of an insert cursor that were not sent.
    pub insert_rows: InsertRows,
}

impl Cursor {
    pub fn new(statement: Prepared, buffer_bytes: u32) -> Cursor {
        let layout = Arc::clone(&statement.layout);
        let buffer_bytes = match layout.lobs.is_empty() {
            true => buffer_bytes,
            false => u32::try_from(layout.row_bytes() * LOB_ROWS).unwrap_or(buffer_bytes).min(buffer_bytes),
        };
        Cursor {
            statement,
            layout,
            block: RowBlock::default(),
            is_ended: false,
            is_closed: false,
            is_scrolling: false,
            is_held: false,
            reads_ahead: false,
            outstanding: VecDeque::new(),
            failure: None,
            first_row: 1,
            last_number: None,
            buffer_bytes,
            keeps_locators: false,
            insert_rows: InsertRows::default(),
        }
    }

    /// Appends a row that has come.
    ///
    /// Errors: `Malformed` for one that is shorter or longer than its columns.
    pub fn push(&mut self, row: &[u8]) -> Result<(), WireError> {
        if self.layout.fixed_bytes.is_some_and(|expected| expected != row.len()) {
            return Err(WireError::Malformed("a row does not have the length of its columns"));
        }
        self.block.push(row);
        Ok(())
    }
}
