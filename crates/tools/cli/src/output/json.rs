//! JSON: one array of objects, or one object a line (ndjson).
//!
//! A row is an object with the columns in their order. Numbers are written exactly, digit for digit, decimals included.
//! Dates and timestamps are ISO 8601 strings, bytes are strings of hexadecimal digits, lists and structs are arrays and
//! objects. JSON has no NaN and no infinity; they are written as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`
//! rather than lost as null.
//!
//! Limits: two columns of the same name give an object with that name twice; give one an alias.

use super::{ResultWriter, Sink, cell};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use std::fmt::Write as _;
use std::io;

/// Which of the two is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `[`, objects with commas between them, `]`.
    Array,
    /// An object a line, nothing around them.
    Lines,
}

/// Writes one object a row.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    shape: Shape,
    /// `"name":` of each column, escaped once.
    names: Vec<String>,
    line: String,
    any_row: bool,
}

impl<'a> Writer<'a> {
    /// Nothing is written before the first row or the end.
    pub(crate) fn new(shape: Shape, schema: &Schema, sink: Sink<'a>) -> Writer<'a> {
        let names = schema.fields().iter().map(|field| name(field.name())).collect();
        Writer { sink, shape, names, line: String::new(), any_row: false }
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            self.line.clear();
            if self.shape == Shape::Array {
                self.line.push_str(if self.any_row { ",\n" } else { "[\n" });
            }
            self.any_row = true;
            object(&self.names, batch.columns().iter().map(AsRef::as_ref), row, &mut self.line);
            if self.shape == Shape::Lines {
                self.line.push('\n');
            }
            self.sink.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        match (self.shape, self.any_row) {
            (Shape::Lines, _) => Ok(()),
            (Shape::Array, true) => self.sink.write_all(b"\n]\n"),
            (Shape::Array, false) => self.sink.write_all(b"[]\n"),
        }
    }
}

fn name(name: &str) -> String {
    let mut out = String::new();
    string(name, &mut out);
    out.push(':');
    out
}

fn object<'v>(names: &[String], columns: impl Iterator<Item = &'v dyn Array>, row: usize, out: &mut String) {
    out.push('{');
    for (index, (name, column)) in names.iter().zip(columns).enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(name);
        value(column, row, out);
    }
    out.push('}');
}

fn value(array: &dyn Array, row: usize, out: &mut String) {
    let Some((array, row)) = cell::resolve(array, row) else { return out.push_str("null") };
    if let Some(text) = cell::text(array, row) {
        return string(text, out);
    }
    if let Some(bytes) = cell::bytes(array, row) {
        out.push('"');
        cell::hex(bytes, out);
        return out.push('"');
    }
    match array.data_type() {
        DataType::List(_) => list(array.as_list::<i32>().value(row).as_ref(), out),
        DataType::LargeList(_) => list(array.as_list::<i64>().value(row).as_ref(), out),
        DataType::FixedSizeList(..) => list(array.as_fixed_size_list().value(row).as_ref(), out),
        DataType::Struct(fields) => {
            let names: Vec<String> = fields.iter().map(|field| name(field.name())).collect();
            object(&names, array.as_struct().columns().iter().map(AsRef::as_ref), row, out);
        }
        data_type => scalar(cell::kind(data_type), array, row, out),
    }
}

/// Numbers and booleans stand as they are, everything else in quotes.
fn scalar(kind: cell::Kind, array: &dyn Array, row: usize, out: &mut String) {
    let start = out.len();
    cell::write(array, row, 'T', out);
    let bare = match kind {
        cell::Kind::Boolean => true,
        cell::Kind::Number => out.ends_with(|last: char| last.is_ascii_digit()),
        _ => false,
    };
    if !bare {
        let text = out.split_off(start);
        string(&text, out);
    }
}

fn list(items: &dyn Array, out: &mut String) {
    out.push('[');
    for index in 0..items.len() {
        if index > 0 {
            out.push(',');
        }
        value(items, index, out);
    }
    out.push(']');
}

/// Appends a JSON string.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => drop(write!(out, "\\u{:04x}", u32::from(control))),
            _ => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, ListArray, types::Int32Type};
    use std::sync::Arc;

    fn written(array: ArrayRef, row: usize) -> String {
        let mut out = String::new();
        value(array.as_ref(), row, &mut out);
        out
    }

    #[test]
    fn what_json_cannot_say_is_said_in_words() {
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.5, f64::NAN, 1e300]));
        assert_eq!(written(floats.clone(), 0), "1.5");
        assert_eq!(written(floats.clone(), 1), "\"NaN\"");
        assert_eq!(written(floats, 2), "1e300");
    }

    #[test]
    fn lists_nest_and_control_characters_are_escaped() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None])]);
        assert_eq!(written(Arc::new(lists), 0), "[1,null]");
        let mut out = String::new();
        string("a\"\u{1}\n", &mut out);
        assert_eq!(out, r#""a\"\u0001\n""#);
    }
}
