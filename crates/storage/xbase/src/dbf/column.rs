//! One field of many records, decoded into an Arrow vector.
//!
//! ```text
//!   records, one after the other              the vector
//!   | flag |  ...  | field |  ...  |
//!   | flag |  ...  | field |  ...  |   --->   [ value, value, NULL, ... ]   + findings
//!   | flag |  ...  | field |  ...  |
//! ```
//! Only the bytes of the one field are touched, once, and nothing is allocated per row. The vector's type is
//! the SQL type of [`Field::sql_type`] or a narrower form of it that holds the same values: decimals of up to 9
//! or 18 digits in 32 or 64 bits, text of few distinct values as a dictionary. Which form a run of records gets
//! depends on its values; a reader of several runs has to be ready for each.
//!
//! A value that cannot be read is NULL and is reported; so is one that is read but was written incorrectly (a number
//! with more decimals than the field has). The findings name record and field.

mod fixed;
mod long;

pub(crate) use long::any_blocks;

mod number;
mod text;

use super::field::{Field, FieldKind};
use super::findings::Findings;
use crate::Severity;
use crate::adt::{RecordLayout, Type};
use crate::codepage::CodePage;
use crate::memo::Memo;
use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use mainstay_types::{Code, Error, Result};
use std::path::Path;

/// The cause of a finding about a number, in whatever form the field stores it.
const NOT_A_NUMBER: &str = "a value is not a number";

/// A run of whole records.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    record_length: usize,
    first: u64,
    /// The record numbers, if the records do not follow each other in the file.
    numbers: Option<&'a [u64]>,
}

impl<'a> Records<'a> {
    /// Records of this length (at least 1), of which the first has this number in the table, from 1. Bytes
    /// after the last whole record are ignored.
    pub fn new(bytes: &'a [u8], record_length: usize, first: u64) -> Records<'a> {
        Records { bytes, record_length: record_length.max(1), first, numbers: None }
    }

    /// Records of this length that need not follow each other in the table, with their numbers in it, from 1.
    pub fn of_rows(bytes: &'a [u8], record_length: usize, numbers: &'a [u64]) -> Records<'a> {
        Records { numbers: Some(numbers), ..Records::new(bytes, record_length, 1) }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.record_length
    }

    /// Returns true if it contains no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of each.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, u8> {
        self.bytes.chunks_exact(self.record_length)
    }

    /// All bits that the first bytes have in common, and all that any of them has. Blanks where there are no records.
    ///
    /// Four records a turn: what a turn waits for is memory, and so it waits once for four.
    fn first_bytes(&self) -> (u8, u8) {
        let length = self.record_length;
        let fours = self.bytes.chunks_exact(4 * length);
        let rest = fours.remainder().chunks_exact(length).map(|record| record[0]);
        let (all, any) = rest.fold((u8::MAX, 0), |(all, any), first| (all & first, any | first));
        let (all, any) = fours.fold((all, any), |(all, any), records| {
            let [a, b, c, d] = [records[0], records[length], records[2 * length], records[3 * length]];
            (all & (a & b) & (c & d), any | (a | b) | (c | d))
        });
        if self.is_empty() { (b' ', b' ') } else { (all, any) }
    }

    /// The number in the table of the record at this place in the run, from 1.
    pub fn number(&self, row: usize) -> u64 {
        match self.numbers {
            Some(numbers) => numbers.get(row).copied().unwrap_or(0),
            None => self.first + row as u64,
        }
    }

    fn record(&self, row: usize) -> &'a [u8] {
        let start = row * self.record_length;
        self.bytes.get(start..start + self.record_length).unwrap_or_default()
    }
}

/// Everything that decoding needs besides the bytes of the values.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'a> {
    /// The table, for findings.
    pub path: &'a Path,
    /// The memo file. Without it memo columns are NULL, which is reported.
    pub memo: Option<&'a Memo>,
    /// Whoever reads was told already that there is no memo file.
    pub is_told: bool,
    /// The code page of the text.
    pub code_page: CodePage,
    /// The form of the records.
    pub layout: RecordLayout,
}

/// A decoded column.
#[derive(Clone, Debug)]
pub struct Column {
    /// One value for each record.
    pub vector: ArrayRef,
    /// Values that could not be read, or not as they stand.
    pub findings: Findings,
}

/// Decodes one field of a run of records. Fails only if the memo file cannot be read.
pub fn decode_column(field: &Field, records: &Records<'_>, how: &Decoding<'_>) -> Result<Column> {
    decode(field, records, how, true)
}

/// Decodes one field of a few records: into its SQL type, text never into a dictionary.
pub fn decode_few(field: &Field, records: &Records<'_>, how: &Decoding<'_>) -> Result<Column> {
    decode(field, records, how, false)
}

/// The same of records that need not follow each other, each given with its number.
pub fn decode_rows<'r>(
    field: &Field,
    record_length: usize,
    rows: impl IntoIterator<Item = (u64, &'r [u8])>,
    how: &Decoding<'_>,
) -> Result<Column> {
    let (mut bytes, mut numbers) = (Vec::new(), Vec::new());
    for (number, record) in rows {
        if record.len() != record_length {
            return Err(Error::new(Code::Internal, "a record of another length"));
        }
        bytes.extend_from_slice(record);
        numbers.push(number);
    }
    decode_few(field, &Records::of_rows(&bytes, record_length, &numbers), how)
}

/// The deletion flags of records. A flag that no program writes is reported; in a DBF it is taken for "not deleted".
pub fn deleted_flags(records: &Records<'_>, how: &Decoding<'_>) -> (BooleanBuffer, Findings) {
    let (layout, path) = (how.layout, how.path);
    // Most tables have neither deleted records nor odd flags: one pass without a branch tells.
    let (all, any) = records.first_bytes();
    if all == any && layout.is_known_flag(all) && !layout.is_deleted_flag(all) && !layout.is_encrypted(&[any]) {
        return (BooleanBuffer::new_unset(records.len()), Findings::default());
    }
    let mut odd = false;
    let mut each = records.iter();
    let flags = BooleanBuffer::collect_bool(records.len(), |_| {
        let flag = each.next().map_or(layout.live_flag(), |record| record[0]);
        odd |= !layout.is_known_flag(flag) || layout.is_encrypted(&[flag]);
        layout.is_deleted_flag(flag)
    });
    let mut findings = Findings::default();
    if odd {
        for (row, record) in records.iter().enumerate().filter(|(_, record)| !layout.is_known_flag(record[0])) {
            let flag = record[0];
            findings.push(Severity::Warning, "the deletion flag is not a known one", || {
                let message = match layout {
                    RecordLayout::Dbf => format!("the deletion flag is {flag:#04x}, neither a blank nor '*'"),
                    RecordLayout::Adt => format!("the flags are {flag:#04x}, of which only bits 0 to 2 are known"),
                };
                (path.to_owned(), format!("record {}", records.number(row)), message)
            });
        }
        for (row, record) in records.iter().enumerate() {
            if layout.is_encrypted(record) && !layout.is_deleted(record) {
                let cause = "the record is encrypted; its fields are read as NULL";
                let place = || format!("record {}", records.number(row));
                findings.push(Severity::Error, cause, || (path.to_owned(), place(), cause.to_owned()));
            }
        }
    }
    (flags, findings)
}

/// One column being decoded.
struct Task<'a> {
    field: &'a Field,
    records: &'a Records<'a>,
    how: &'a Decoding<'a>,
    /// The rows that are not NULL by their bit in `_NullFlags`.
    nulls: Option<NullBuffer>,
    findings: Findings,
}

impl<'a> Task<'a> {
    /// The bytes of the field in each record.
    fn cells(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let (start, end) = (self.field.offset, self.field.offset + self.field.length);
        self.records.iter().map(move |record| &record[start..end])
    }

    fn cell(&self, row: usize) -> &'a [u8] {
        let (start, end) = (self.field.offset, self.field.offset + self.field.length);
        self.records.record(row).get(start..end).unwrap_or_default()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Reports a row, unless it is NULL anyway. The cause is the message without the value.
    fn report(&mut self, severity: Severity, cause: &'static str, row: usize, message: impl FnOnce() -> String) {
        if self.is_null(row) {
            return;
        }
        let (number, name, path) = (self.records.number(row), &self.field.name, self.how.path);
        let place = || format!("record {number}, field {name}");
        self.findings.push(severity, cause, || (path.to_owned(), place(), message()));
    }

    fn report_undecodable(&mut self, row: usize, count: usize) {
        let page = self.how.code_page;
        let message = || format!("{count} bytes are not defined in {page:?}");
        self.report(Severity::Warning, "a text has bytes that the code page does not define", row, message);
    }

    /// The NULLs by bit together with those that the values brought.
    fn all_nulls(&self, of_values: Option<NullBuffer>) -> Option<NullBuffer> {
        NullBuffer::union(self.nulls.as_ref(), of_values.as_ref())
    }
}

fn bit(record: &[u8], bit: usize) -> bool {
    record.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

/// The values of an ADT's field that stand for NULL, and all those of encrypted records.
fn adt_nulls(kind: Type, field: &Field, records: &Records<'_>, layout: RecordLayout) -> Option<NullBuffer> {
    let (start, end) = (field.offset, field.offset + field.length);
    let mut each = records.iter();
    let is_value = |record: &[u8]| !kind.is_null(&record[start..end]) && !layout.is_encrypted(record);
    let values = BooleanBuffer::collect_bool(records.len(), |_| each.next().is_some_and(is_value));
    (values.count_set_bits() < records.len()).then(|| NullBuffer::from(values))
}

fn decode(field: &Field, records: &Records<'_>, how: &Decoding<'_>, many: bool) -> Result<Column> {
    if field.offset.saturating_add(field.length) > records.record_length {
        return Err(Error::new(Code::Internal, format!("field {} lies outside the record", field.name)));
    }
    // A memo's NULL bit is weighed against its reference, see `long`.
    let nulls = field.null_bit.filter(|_| !field.kind.needs_memo() || field.kind == FieldKind::Any).map(|null_bit| {
        NullBuffer::from(BooleanBuffer::collect_bool(records.len(), |row| !bit(records.record(row), null_bit)))
    });
    let nulls = field.adt.map_or(nulls, |kind| adt_nulls(kind, field, records, how.layout));
    let mut task = Task { field, records, how, nulls, findings: Findings::default() };
    let vector = match field.kind {
        FieldKind::Character => text::character(&mut task, many)?,
        FieldKind::CharacterWide | FieldKind::VarcharWide => text::wide(&mut task),
        FieldKind::Varchar | FieldKind::VarcharUnconverted => text::varying(&mut task),
        FieldKind::CharacterBinary | FieldKind::Varbinary | FieldKind::NullFlags | FieldKind::Unknown => {
            text::binary(&mut task)
        }
        FieldKind::Numeric if field.is_floating() => number::floating(&mut task)?,
        FieldKind::Numeric => number::numeric(&mut task, many)?,
        FieldKind::Memo | FieldKind::MemoWide => long::text(&mut task)?,
        FieldKind::MemoBinary => long::binary(&mut task)?,
        FieldKind::Any => long::any(&mut task)?,
        _ => fixed::fixed(&mut task, many)?,
    };
    Ok(Column { vector, findings: task.findings })
}

/// Arrow's own checks of what this module builds: a failure is a mistake here.
fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::new(Code::Internal, error.to_string())
}
