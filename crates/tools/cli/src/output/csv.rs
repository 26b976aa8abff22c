//! Values between separators: CSV as RFC 4180 has it, and TSV as databases exchange it.
//!
//! CSV (separator, decimal character and dates are options: [`CsvStyle`]): a field is quoted if it contains a comma, a
//! quote, or an end of line, and if it is the empty string, so that the empty string (`""`) and NULL (nothing) are
//! distinct. Lines end with a line feed alone, which every reader accepts and which keeps `wc` and `cut` right. Text
//! that equals the chosen NULL text is quoted too.
//!
//! TSV: nothing is quoted; tab, line feed, carriage return and backslash are written as `\t`, `\n`,
//! `\r` and `\\`, and NULL as `\N`, as in PostgreSQL's COPY. One record is one line, always.

use super::csv_style::CsvStyle;
use super::{ResultWriter, Sink, Style, cell};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::io;

/// Which of the two is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separated {
    /// Comma-separated, quoted.
    Commas,
    /// Tab-separated, escaped.
    Tabs,
}

/// Writes one line a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    separated: Separated,
    null: String,
    csv: CsvStyle,
    separator: char,
    /// The kinds of the columns, for those choices.
    kinds: Vec<cell::Kind>,
    line: String,
    cell: String,
}

impl<'a> Writer<'a> {
    /// Writes the header, unless the style leaves it out.
    pub(crate) fn new(separated: Separated, schema: &Schema, style: &Style, sink: Sink<'a>) -> io::Result<Writer<'a>> {
        let default = if separated == Separated::Commas { "" } else { "\\N" };
        let null = style.null.clone().unwrap_or_else(|| default.to_owned());
        let csv = if separated == Separated::Commas { style.csv.clone() } else { CsvStyle::default() };
        let separator = if separated == Separated::Commas { csv.separator() } else { '\t' };
        let kinds = schema.fields().iter().map(|field| cell::kind(field.data_type())).collect();
        let line = if csv.bom && style.is_first { "\u{feff}".to_owned() } else { String::new() };
        let mut writer = Writer { sink, separated, null, csv, separator, kinds, line, cell: String::new() };
        if style.header {
            for (index, field) in schema.fields().iter().enumerate() {
                writer.separator(index);
                writer.cell.clone_from(field.name());
                writer.field();
            }
            writer.end_line()?;
        }
        Ok(writer)
    }

    fn separator(&mut self, column: usize) {
        if column > 0 {
            self.line.push(self.separator);
        }
    }

    /// Appends the text in `cell`, quoted or escaped.
    fn field(&mut self) {
        match self.separated {
            Separated::Commas => quote(&self.cell, &self.null, self.separator, &mut self.line),
            Separated::Tabs => escape(&self.cell, &mut self.line),
        }
    }

    /// Writes the value in `cell`, of a column of this kind, as the choices have it.
    fn localize(&mut self, kind: cell::Kind) {
        match (kind, self.csv.decimal, &self.csv.dates) {
            (cell::Kind::Number, Some(decimal), _) => {
                if let Some(point) = self.cell.find('.') {
                    self.cell.replace_range(point..=point, decimal.encode_utf8(&mut [0; 4]));
                }
            }
            (cell::Kind::Date | cell::Kind::Timestamp, _, Some(dates)) => self.cell = dates.rewrite(&self.cell),
            _ => {}
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.sink.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            for (index, column) in batch.columns().iter().enumerate() {
                self.separator(index);
                match cell::resolve(column.as_ref(), row) {
                    None => self.line.push_str(&self.null),
                    Some((array, row)) => {
                        self.cell.clear();
                        cell::write(array, row, ' ', &mut self.cell);
                        if let Some(kind) = self.kinds.get(index) {
                            self.localize(*kind);
                        }
                        self.field();
                    }
                }
            }
            self.end_line()?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Appends a field, in quotes when a reader would otherwise see something else: a separator, or one of the ways in which
/// NULL is written.
fn quote(field: &str, null: &str, separator: char, line: &mut String) {
    let is_null = field.is_empty() || field == null || field == "\\N";
    if !is_null && !field.contains([separator, '"', '\n', '\r']) {
        return line.push_str(field);
    }
    line.push('"');
    for (index, part) in field.split('"').enumerate() {
        if index > 0 {
            line.push_str("\"\"");
        }
        line.push_str(part);
    }
    line.push('"');
}

/// Appends a field whose special characters are written as two.
fn escape(field: &str, line: &mut String) {
    for character in field.chars() {
        match character {
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\\' => line.push_str("\\\\"),
            _ => line.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(field: &str, null: &str) -> String {
        let mut line = String::new();
        quote(field, null, ',', &mut line);
        line
    }

    #[test]
    fn quotes_only_what_needs_it() {
        assert_eq!(quoted("plain words", ""), "plain words");
        assert_eq!(quoted("", ""), "\"\"");
        assert_eq!(quoted("\\N", ""), "\"\\N\"");
        assert_eq!(quoted("say \"hi\"", ""), "\"say \"\"hi\"\"\"");
        assert_eq!(quoted("two\nlines", ""), "\"two\nlines\"");
        assert_eq!(quoted("NULL", "NULL"), "\"NULL\"");
        let mut line = String::new();
        quote("1,5", "", ';', &mut line);
        quote("a;b", "", ';', &mut line);
        assert_eq!(line, "1,5\"a;b\"");
    }

    #[test]
    fn escapes_keep_a_record_on_its_line() {
        let mut line = String::new();
        escape("a\tb\nc\\N", &mut line);
        assert_eq!(line, "a\\tb\\nc\\\\N");
    }
}
