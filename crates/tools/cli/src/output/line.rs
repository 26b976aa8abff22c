//! One `column = value` a line, with an empty line between rows: for rows that are too wide for a screen.

use super::{ResultWriter, Sink, Style, cell};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::io;
use unicode_width::UnicodeWidthStr;

/// Writes a paragraph a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    null: String,
    /// The names, padded on the left to the same width.
    names: Vec<String>,
    any_row: bool,
}

impl<'a> Writer<'a> {
    /// Nothing is written before the first row.
    pub(crate) fn new(schema: &Schema, style: &Style, sink: Sink<'a>) -> Writer<'a> {
        let widest = schema.fields().iter().map(|field| field.name().width()).max().unwrap_or(0);
        let pad = |name: &str| format!("{}{name}", " ".repeat(widest - name.width()));
        let names = schema.fields().iter().map(|field| pad(field.name())).collect();
        Writer { sink, null: style.null.clone().unwrap_or_else(|| "NULL".to_owned()), names, any_row: false }
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            text.clear();
            if self.any_row {
                text.push('\n');
            }
            self.any_row = true;
            for (name, column) in self.names.iter().zip(batch.columns()) {
                text.push_str(name);
                text.push_str(" = ");
                match cell::resolve(column.as_ref(), row) {
                    None => text.push_str(&self.null),
                    Some((array, row)) => cell::write(array, row, ' ', &mut text),
                }
                text.push('\n');
            }
            self.sink.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
