//! Output of results: eleven formats, all fed with record batches as they come.
//!
//! ```text
//!  Answer --batch--> ResultWriter (table, csv, json, ...) --bytes--> Destination (screen, pipe, file)
//! ```
//!
//! No writer keeps the whole result. The table format keeps the rows from which it measures its widths, Parquet keeps a
//! row group. A writer is opened with the first batch, so that a statement that fails at once leaves no output.

mod arrow;
pub(crate) mod cell;
mod csv;
pub(crate) mod csv_style;
mod destination;
mod insert;
pub(crate) mod json;
mod line;
mod markdown;
mod parquet;
mod plan;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod xlsx;

pub(crate) use destination::{Destination, is_name_of_file};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use mainstay_types::{Code, Error};
use std::io::{self, Write};
use std::path::Path;

/// Where a writer puts its bytes.
pub(crate) type Sink<'a> = &'a mut (dyn Write + Send);

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A boxed table that fits the terminal
    Table,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Tab-separated values, with \t \n \\ escaped and NULL as \N
    Tsv,
    /// One JSON array of objects
    Json,
    /// One JSON object a line
    Ndjson,
    /// A table for a page of Markdown
    Markdown,
    /// One "column = value" a line
    Line,
    /// SQL INSERT statements
    Insert,
    /// Arrow IPC: the file format into a file, the stream format into a pipe
    Arrow,
    /// Parquet, compressed with Snappy
    Parquet,
    /// A workbook of Excel, with numbers as numbers and dates as dates
    Xlsx,
    /// The tree of an EXPLAIN, which takes the place of a table
    #[value(skip)]
    Plan,
}

impl Format {
    /// The format that the end of a file name asks for.
    pub(crate) fn of_file(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "json" => Format::Json,
            "ndjson" | "jsonl" => Format::Ndjson,
            "md" | "markdown" => Format::Markdown,
            "txt" => Format::Table,
            "sql" => Format::Insert,
            "arrow" | "ipc" | "feather" | "arrows" => Format::Arrow,
            "parquet" | "pq" => Format::Parquet,
            "xlsx" => Format::Xlsx,
            _ => return None,
        })
    }

    /// The same where there has to be one.
    ///
    /// Errors: `InvalidSetting` for an ending that names none.
    pub(crate) fn for_file(path: &Path) -> Result<Format, Error> {
        Format::of_file(path).ok_or_else(|| {
            let message = format!("the ending of {} names no format", path.display());
            let endings = "end it in .csv, .tsv, .json, .ndjson, .md, .sql, .arrow, .parquet, .xlsx or .txt";
            Error::new(Code::InvalidSetting, message).hint(endings)
        })
    }

    /// Returns true if the format has a header and a footer, so that a file holds one result only.
    pub(crate) fn holds_one_result(self) -> bool {
        matches!(self, Format::Arrow | Format::Parquet | Format::Xlsx)
    }

    /// Returns true if two results in one place would run together without a blank line between them.
    pub(crate) fn needs_blank_line(self) -> bool {
        matches!(self, Format::Markdown | Format::Line)
    }

    /// Returns true if the bytes would only disturb a terminal.
    pub(crate) fn is_binary(self) -> bool {
        self.holds_one_result()
    }
}

/// The user's settings for the form of results.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// True if the names of the columns are written.
    pub(crate) header: bool,
    /// The text for NULL; each format has its own otherwise.
    pub(crate) null: Option<String>,
    /// The width of the terminal in cells; no limit otherwise.
    pub(crate) width: Option<usize>,
    /// How many rows a table shows, the first and the last ones; all otherwise.
    pub(crate) max_rows: Option<usize>,
    /// The name of the table in INSERT statements.
    pub(crate) table: String,
    /// The same as it stands in SQL, quoted and with its schema, where it is not the name of a file.
    pub(crate) target: Option<String>,
    /// True if the destination is a file rather than a pipe.
    pub(crate) seekable: bool,
    /// True if no result was written there before.
    pub(crate) is_first: bool,
    /// Choices about CSV.
    pub(crate) csv: csv_style::CsvStyle,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            header: true,
            null: None,
            width: None,
            max_rows: None,
            table: "result".to_owned(),
            target: None,
            seekable: false,
            is_first: true,
            csv: csv_style::CsvStyle::default(),
        }
    }
}

/// Writes one result.
pub(crate) trait ResultWriter {
    /// Writes the rows of a batch, or keeps them until it can.
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes what is left and the end.
    fn finish(self: Box<Self>) -> io::Result<()>;

    /// Notes about values that the format could not hold in the rows so far.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The writer of a format.
pub(crate) fn writer<'a>(
    format: Format,
    schema: &SchemaRef,
    style: &Style,
    sink: Sink<'a>,
) -> io::Result<Box<dyn ResultWriter + 'a>> {
    Ok(match format {
        Format::Table => Box::new(table::Writer::new(schema, style, sink)),
        Format::Csv => Box::new(csv::Writer::new(csv::Separated::Commas, schema, style, sink)?),
        Format::Tsv => Box::new(csv::Writer::new(csv::Separated::Tabs, schema, style, sink)?),
        Format::Json => Box::new(json::Writer::new(json::Shape::Array, schema, sink)),
        Format::Ndjson => Box::new(json::Writer::new(json::Shape::Lines, schema, sink)),
        Format::Markdown => Box::new(markdown::Writer::new(schema, style, sink)?),
        Format::Line => Box::new(line::Writer::new(schema, style, sink)),
        Format::Insert => Box::new(insert::Writer::new(schema, style, sink)),
        Format::Arrow => Box::new(arrow::Writer::new(style.seekable, schema, sink)),
        Format::Plan => Box::new(plan::Writer::new(sink)),
        Format::Parquet => Box::new(parquet::Writer::new(schema, sink)),
        Format::Xlsx => Box::new(xlsx::Writer::new(schema, style, sink)?),
    })
}

/// The error of the destination inside one of Arrow's, so that a broken pipe is still known as one.
fn io_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other.to_string()),
    }
}
