//! Files of other programs as tables, read in place. So far: CSV.
//!
//! A CSV file says nothing about itself: not its encoding, not its delimiter, not whether its first row
//! holds names, not the types of its columns. All of that is found out by looking, once per state of the
//! file, and what is found is a promise: a column is BIGINT only if every one of its values is, a
//! number keeps all its digits, and whatever could be meant in two ways stays the text that it is.
//!
//! ```text
//!   dialect    first rows    delimiter, quote, header row, number of columns
//!   scan       whole file    encoding, type of every column, row groups, findings, checksums
//!      split                 rows and fields, 64 bytes at a time
//!      guess, shape          what a text can be read as, and what a column of texts can be
//!   decode     a row group   wanted columns into Arrow vectors (kept in the shared cache)
//!   table      CsvTable      the table interface over these
//! ```
//!
//! Limits: a row has up to 16 MiB, a table up to 32,768 columns; UTF-16 is refused; a file that is being written while it is scanned
//! gives an error of class Retry; nothing is ever written.

mod checksum;
mod decode;
mod dialect;
mod finding;
mod guess;
mod options;
mod scan;
mod shape;
mod split;
mod table;
mod text;

pub use finding::{Finding, Severity};
pub use guess::{ColumnType, DayOrder};
pub use options::{CodePage, CsvOptions, DateFormat, DeclaredType};
pub use table::CsvTable;
