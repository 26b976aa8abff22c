//! The answer of EXPLAIN, as text.
//!
//! A plan is a tree drawn with line ends and indents; a box around it would only cut its branches. Each
//! row is a paragraph: the first column as a heading when there are more columns than one, the text of
//! the last column under it.

use super::{ResultWriter, Sink, cell};
use arrow_array::{Array, RecordBatch};
use std::io;

/// Writes a paragraph a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
}

impl<'a> Writer<'a> {
    /// Nothing is written before the first row.
    pub(crate) fn new(sink: Sink<'a>) -> Writer<'a> {
        Writer { sink }
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let Some((plan, before)) = batch.columns().split_last() else { return Ok(()) };
        for row in 0..batch.num_rows() {
            let mut text = String::new();
            for heading in before {
                append(heading.as_ref(), row, &mut text);
                text.push('\n');
            }
            append(plan.as_ref(), row, &mut text);
            let end = if before.is_empty() { "\n" } else { "\n\n" };
            self.sink.write_all(format!("{}{end}", text.trim_end()).as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn append(array: &dyn Array, row: usize, text: &mut String) {
    if let Some((array, row)) = cell::resolve(array, row) {
        cell::write(array, row, ' ', text);
    }
}
