//! Materialized rows of a query, whose memory is counted with that of the operators of running statements.

use crate::execute::memory::HeldMemory;
use crate::execute::run::Answer;
use datafusion::arrow::array::{Array, ArrayData, RecordBatch};
use mainstay_types::Result;
use std::collections::HashSet;

/// All rows of a query.
pub struct Collected {
    batches: Vec<RecordBatch>,
    memory: HeldMemory,
}

impl Collected {
    /// All rows of an answer, counted with this memory.
    ///
    /// Errors: those of the answer, and `OutOfMemory` when the rows do not fit.
    pub fn of(mut answer: Answer, memory: HeldMemory) -> Result<Collected> {
        let mut collected = Collected { batches: Vec::new(), memory };
        let (mut bytes, mut seen) = (0, HashSet::new());
        while let Some(batch) = answer.next_batch()? {
            let columns = batch.columns().iter();
            bytes += columns.map(|column| new_bytes(&column.to_data(), &mut seen)).sum::<usize>();
            collected.memory.hold(bytes)?;
            collected.batches.push(batch);
        }
        Ok(collected)
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

/// The bytes of the buffers that were not met before: batches may have some in common.
pub(crate) fn new_bytes(data: &ArrayData, seen: &mut HashSet<usize>) -> usize {
    let nulls = data.nulls().map(|nulls| nulls.buffer());
    let buffers = data.buffers().iter().chain(nulls);
    let own: usize =
        buffers.filter(|it| seen.insert(it.data_ptr().as_ptr() as usize)).map(|buffer| buffer.capacity()).sum();
    own + data.child_data().iter().map(|child| new_bytes(child, seen)).sum::<usize>()
}

impl IntoIterator for Collected {
    type Item = RecordBatch;
    type IntoIter = CollectedRows;

    fn into_iter(self) -> CollectedRows {
        CollectedRows { batches: self.batches.into_iter(), _memory: self.memory }
    }
}

/// The batches one by one; the memory is given back behind the last.
pub struct CollectedRows {
    batches: std::vec::IntoIter<RecordBatch>,
    _memory: HeldMemory,
}

impl Iterator for CollectedRows {
    type Item = RecordBatch;

    fn next(&mut self) -> Option<RecordBatch> {
        self.batches.next()
    }
}
