//! A Markdown table: pipes, and a rule that also gives the alignment of the columns.
//!
//! A pipe in a value is written `\|` and an end of line `<br>`, because a row must stay on its line. The columns are
//! not padded: they line up when rendered, and rows can be written as they come.

use super::{ResultWriter, Sink, Style, cell};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::io;

/// Writes one line a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    null: String,
    line: String,
}

impl<'a> Writer<'a> {
    /// Writes the names and the rule; a table of Markdown cannot be without them.
    pub(crate) fn new(schema: &Schema, style: &Style, sink: Sink<'a>) -> io::Result<Writer<'a>> {
        let mut line = String::new();
        for field in schema.fields() {
            line.push_str("| ");
            escape(field.name(), &mut line);
            line.push(' ');
        }
        line.push_str("|\n");
        for field in schema.fields() {
            let number = cell::kind(field.data_type()) == cell::Kind::Number;
            line.push_str(if number { "|---:" } else { "|---" });
        }
        line.push_str("|\n");
        sink.write_all(line.as_bytes())?;
        Ok(Writer { sink, null: style.null.clone().unwrap_or_else(|| "NULL".to_owned()), line })
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            self.line.clear();
            for column in batch.columns() {
                text.clear();
                match cell::resolve(column.as_ref(), row) {
                    None => text.push_str(&self.null),
                    Some((array, row)) => cell::write(array, row, ' ', &mut text),
                }
                self.line.push_str("| ");
                escape(&text, &mut self.line);
                self.line.push(' ');
            }
            self.line.push_str("|\n");
            self.sink.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn escape(text: &str, line: &mut String) {
    for character in text.chars() {
        match character {
            '|' => line.push_str("\\|"),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("<br>"),
            '\r' => {}
            _ => line.push(character),
        }
    }
}
