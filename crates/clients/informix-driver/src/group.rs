//! Groups of messages that the server has not answered yet.

use crate::routine::{Purpose, Routine};
use mainstay_sqli::{Description, Failure, RoutineValue};

/// The purpose of a group, which says what its replies mean.
#[derive(Clone, Debug)]
pub(crate) enum Group {
    /// The negotiation of protocol bits.
    Protocols,
    /// The opening of the database.
    Database,
    /// Closing a cursor or releasing a statement: nobody waits for it, its errors have no consequence.
    Ignored,
    /// A message without a result.
    Plain,
    /// BEGIN WORK.
    Begin,
    /// COMMIT WORK or ROLLBACK WORK: cursors without HOLD are closed by it.
    End,
    /// ROLLBACK WORK of a transaction that has only read, which nobody waits for.
    Abandoned,
    /// PREPARE of the running execution.
    Prepare,
    /// COMMAND of the running execution.
    Command,
    /// A number of executions of the running one.
    Execute,
    /// OPEN and first fetch of a cursor.
    Open(u32),
    /// OPEN of an insert cursor.
    OpenInsert(u32),
    /// Rows of an insert cursor.
    Put,
    /// A fetch of a cursor.
    Fetch(u32),
    /// A fetch of one row of a scroll cursor, by its number.
    Scroll(u32, u32),
    /// One TEXT or BYTE value of a cursor, by its place among those of the block.
    Lob(u32, usize),
    /// The number of a routine of the fast path.
    Routine(Routine),
    /// A call of one.
    Call(Purpose),
    /// Bytes of a smart large object that are read or written.
    Piece(Purpose),
}

/// The replies of the group that is being answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub description: Option<Description>,
    pub failure: Option<Failure>,
    pub rows: usize,
    pub lob: Vec<u8>,
    pub row_number: Option<u32>,
    pub routine: Option<(String, u32)>,
    pub values: Vec<RoutineValue>,
    pub written: u32,
    pub warnings: u16,
}

/// The result of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rows that were changed, over all executions.
    pub changed: u64,
    /// The last SERIAL value that the server generated.
    pub serial: Option<i64>,
    /// Executions that were done.
    pub executions: usize,
    /// The statement has rows: its cursor is open.
    pub has_rows: bool,
}

impl Outcome {
    /// Counts an execution that was done.
    pub(crate) fn count(&mut self, rows: u64, serial: i32) {
        self.executions += 1;
        self.changed += rows;
        if serial != 0 {
            self.serial = Some(serial.into());
        }
    }
}
