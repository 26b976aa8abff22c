//! INSERT statements, one a row, to carry a result into another database.
//!
//! Literals are those of the SQL standard: `'text'` with quotes doubled, `DATE '...'`, `TIMESTAMP '...'`, `INTERVAL
//! '...' DAY TO SECOND`, `X'...'`, TRUE and FALSE. The table takes the name of the output file, or `result` on standard
//! output. Names are quoted when they are not plain lower-case words.

use super::{ResultWriter, Sink, Style, cell};
use crate::tokens::quote_name;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, IntervalUnit, Schema};
use mainstay_engine::OFFSET;
use mainstay_types::Interval;
use std::io;

/// Writes one statement a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    /// Everything up to the opening parenthesis of the values.
    start: String,
    line: String,
}

impl<'a> Writer<'a> {
    /// Nothing is written before the first row.
    pub(crate) fn new(schema: &Schema, style: &Style, sink: Sink<'a>) -> Writer<'a> {
        let columns: Vec<String> = schema.fields().iter().map(|field| quote_name(field.name())).collect();
        let table = style.target.clone().unwrap_or_else(|| quote_name(&style.table));
        let start = format!("INSERT INTO {table} ({}) VALUES (", columns.join(", "));
        Writer { sink, start, line: String::new() }
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            self.line.clone_from(&self.start);
            for (index, column) in batch.columns().iter().enumerate() {
                if index > 0 {
                    self.line.push_str(", ");
                }
                literal(column.as_ref(), row, &mut self.line);
            }
            self.line.push_str(");\n");
            self.sink.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Appends a value as a literal.
fn literal(array: &dyn Array, row: usize, out: &mut String) {
    let Some((array, row)) = cell::resolve(array, row) else { return out.push_str("NULL") };
    let mut text = String::new();
    if let Some(bytes) = cell::bytes(array, row) {
        cell::hex(bytes, &mut text);
        return quoted("X", &text, out);
    }
    cell::write(array, row, ' ', &mut text);
    match cell::kind(array.data_type()) {
        cell::Kind::Number if text.ends_with(|last: char| last.is_ascii_digit()) => out.push_str(&text),
        cell::Kind::Number => {
            quoted("CAST(", &text, out);
            out.push_str(" AS DOUBLE PRECISION)");
        }
        cell::Kind::Boolean => out.push_str(&text.to_uppercase()),
        cell::Kind::Interval => interval(array, row, &text, out),
        cell::Kind::Date => quoted("DATE ", &text, out),
        cell::Kind::Timestamp if *array.data_type() == OFFSET => quoted("TIMESTAMP WITH TIME ZONE ", &text, out),
        // A literal that does not say how many digits it has is rounded to six.
        cell::Kind::Timestamp if text.rsplit_once('.').is_some_and(|(_, digits)| digits.len() > 6) => {
            quoted("TIMESTAMP(7) ", &text, out);
        }
        cell::Kind::Timestamp => quoted("TIMESTAMP ", &text, out),
        _ => quoted("", &text, out),
    }
}

/// Appends a length of time as the kinds that SQL has, which do not mix.
fn interval(array: &dyn Array, row: usize, shown: &str, out: &mut String) {
    let Some(Interval { months, days, ticks }) = cell::interval(array, row) else { return quoted("", shown, out) };
    let rest = Interval { months: 0, days, ticks };
    let has_rest = rest.day_ticks() != 0;
    if months != 0 || !has_rest && *array.data_type() == DataType::Interval(IntervalUnit::YearMonth) {
        let (sign, months) = (if months < 0 { "-" } else { "" }, months.unsigned_abs());
        quoted("INTERVAL ", &format!("{sign}{}-{:02}", months / 12, months % 12), out);
        out.push_str(" YEAR TO MONTH");
        if !has_rest {
            return;
        }
        out.push_str(" + ");
    }
    quoted("INTERVAL ", &rest.to_string(), out);
    out.push_str(" DAY TO SECOND");
}

fn quoted(before: &str, text: &str, out: &mut String) {
    out.push_str(before);
    out.push('\'');
    out.push_str(&text.replace('\'', "''"));
    out.push('\'');
}
