//! Rows that a language keeps between two of its statements, counted in the memory of running statements.
//!
//! A cursor, `INSERT ... EXEC` and `SELECT ... INTO` read all rows of a query before they go on. Their bytes are
//! counted as they come; the first ones are free, so that a short result costs nothing.

use crate::returning::bytes_of;
use mainstay_planner::{HeldMemory, Planner};
use mainstay_types::{Result, Value};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Bytes of rows that are held without asking.
const UNCOUNTED: usize = 64 << 10;

/// Rows with the memory that they hold until this is dropped.
#[derive(Default)]
pub struct CollectedRows {
    rows: Vec<Vec<Value>>,
    bytes: usize,
    counted_by: Option<(Arc<Planner>, &'static str)>,
    memory: Option<HeldMemory>,
}

impl CollectedRows {
    /// No rows yet; `purpose` names them in the message of an error.
    pub(crate) fn new(planner: &Arc<Planner>, purpose: &'static str) -> CollectedRows {
        CollectedRows { counted_by: Some((Arc::clone(planner), purpose)), ..CollectedRows::default() }
    }

    /// Adds a row.
    ///
    /// Errors: `OutOfMemory` when running statements may hold no more; the row is not added then.
    pub fn push(&mut self, row: Vec<Value>) -> Result<()> {
        let bytes = bytes_of(&row);
        self.bytes += bytes;
        if let Some(memory) = &mut self.memory {
            memory.add(bytes)?;
        } else if self.bytes > UNCOUNTED
            && let Some((planner, purpose)) = &self.counted_by
        {
            let mut memory = planner.held_memory(purpose);
            memory.add(self.bytes)?;
            self.memory = Some(memory);
        }
        self.rows.push(row);
        Ok(())
    }

    /// The rows, and what holds their memory for as long as it is kept beside them.
    pub fn into_parts(self) -> (Vec<Vec<Value>>, Option<HeldMemory>) {
        (self.rows, self.memory)
    }
}

impl Deref for CollectedRows {
    type Target = [Vec<Value>];

    fn deref(&self) -> &[Vec<Value>] {
        &self.rows
    }
}

impl DerefMut for CollectedRows {
    fn deref_mut(&mut self) -> &mut [Vec<Value>] {
        &mut self.rows
    }
}

impl fmt::Debug for CollectedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectedRows")
            .field("rows", &self.rows.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
