//! Files of other programs as tables, read in place. So far: CSV.
//!
//! A CSV file does not describe itself: not its encoding, not its delimiter, not the presence of a header row, not the
//! types of its columns. All of these are detected by reading it, once per state of the file, and the result is a
//! guarantee: a column is BIGINT only if every one of its values is, a number keeps all its digits, and ambiguous
//! values stay the text that they are.
//! ```text
//!   dialect    first rows    delimiter, quote, header row, number of columns
//!   scan       whole file    encoding, type of every column, row groups, findings, checksums
//!      split                 rows and fields, 64 bytes at a time
//!      guess, shape          what a text can be read as, and what a column of texts can be
//!   decode     a row group   wanted columns into Arrow vectors (kept in the shared cache)
//!   table      CsvTable      the table interface over these
//! ```
//!
//! Limits: a row has up to 16 MiB, a table up to 32,768 columns; UTF-16 is refused; a file that is being written while
//! it is scanned gives an error of class Retry; nothing is ever written.

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
