//! Workbooks of Excel (Office Open XML), with values in the types that Excel has.
//!
//! ```text
//!   batch --> cells of a sheet --> temporary file --> at the end, the compressed workbook
//! ```
//!
//! Numbers are numbers, dates and timestamps are dates with a format, BOOLEAN is TRUE and FALSE, NULL is an empty cell,
//! everything else is text. Excel keeps 15 digits of a number, so a number with more is written as text, and a notice
//! counts them. The same applies to dates before 1900-03-01, which Excel's calendar does not have, and to digits behind
//! the millisecond.
//!
//! Limits of Excel (its specifications and limits): 1,048,576 rows of a sheet, so further ones go to further sheets with the
//! same header; 16,384 columns and 32,767 characters of a cell, beyond which the result is refused. Memory is that of a row:
//! rows go to a temporary file as they come.

use super::{ResultWriter, Sink, Style, cell};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use mainstay_types::{Code, Error, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use std::io;

/// Rows of a sheet, the header included.
const SHEET_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: usize = 16_384;
const LONGEST_TEXT: usize = 32_767;
/// Digits of a number that Excel keeps.
const DIGITS: usize = 15;
/// The number of 1970-01-01 in Excel's calendar, and the first number whose day is right (1900-03-01).
const EPOCH: f64 = 25_569.0;
const FIRST_RIGHT_DAY: f64 = 61.0;
const TICKS_PER_MS: i64 = TICKS_PER_SECOND / 1000;

/// The form of a column's cells.
enum Form {
    Number(Format),
    Date(Format),
    Timestamp(Format),
    Time(Format),
    Boolean,
    Text,
}

struct Column {
    name: String,
    form: Form,
    width: f64,
    /// Values that are text because Excel has no such number or date.
    as_text: u64,
    /// Moments that lost digits.
    shortened: u64,
}

/// Writes one workbook.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    workbook: Workbook,
    columns: Vec<Column>,
    header: bool,
    sheets: usize,
    sheet_rows: u32,
    /// The next row of the sheet.
    row: u32,
    text: String,
}

impl<'a> Writer<'a> {
    /// Begins the workbook, with the header unless the style leaves it out.
    ///
    /// Errors: `Unsupported` for more columns than Excel has.
    pub(crate) fn new(schema: &SchemaRef, style: &Style, sink: Sink<'a>) -> io::Result<Writer<'a>> {
        Writer::with_rows(schema, style, sink, SHEET_ROWS)
    }

    fn with_rows(schema: &SchemaRef, style: &Style, sink: Sink<'a>, sheet_rows: u32) -> io::Result<Writer<'a>> {
        if schema.fields().len() > MOST_COLUMNS {
            let message = format!("{} columns are more than the {MOST_COLUMNS} of Excel", schema.fields().len());
            return Err(io::Error::other(Error::new(Code::Unsupported, message)));
        }
        let columns = schema.fields().iter().map(|field| {
            let (form, width) = form(field.data_type());
            let width = width.max(field.name().chars().count() as f64 + 2.0).min(60.0);
            Column { name: field.name().clone(), form, width, as_text: 0, shortened: 0 }
        });
        let (workbook, columns, header) = (Workbook::new(), columns.collect(), style.header);
        let mut writer = Writer { sink, workbook, columns, header, sheets: 0, sheet_rows, row: 0, text: String::new() };
        writer.begin_sheet()?;
        Ok(writer)
    }

    fn begin_sheet(&mut self) -> io::Result<()> {
        let sheet = self.workbook.add_worksheet_with_constant_memory().map_err(xlsx_error)?;
        let bold = Format::new().set_bold();
        for (place, column) in (0u16..).zip(&self.columns) {
            sheet.set_column_width(place, column.width).map_err(xlsx_error)?;
            if self.header {
                let name: String = column.name.chars().take(LONGEST_TEXT).collect();
                sheet.write_string_with_format(0, place, name, &bold).map_err(xlsx_error)?;
            }
        }
        if self.header {
            sheet.set_freeze_panes(1, 0).map_err(xlsx_error)?;
        }
        self.sheets += 1;
        self.row = u32::from(self.header);
        Ok(())
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        for row in 0..batch.num_rows() {
            if self.row >= self.sheet_rows {
                self.begin_sheet()?;
            }
            let sheet = self.workbook.worksheet_from_index(self.sheets - 1).map_err(xlsx_error)?;
            for ((place, column), array) in (0u16..).zip(&mut self.columns).zip(batch.columns()) {
                if let Some((array, index)) = cell::resolve(array.as_ref(), row) {
                    self.text.clear();
                    cell::write(array, index, ' ', &mut self.text);
                    column.write(sheet, (self.row, place), &self.text)?;
                }
            }
            self.row += 1;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.workbook.save_to_writer(&mut *self.sink).map_err(xlsx_error)
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.sheets > 1 {
            notices.push(format!("the rows are on {} sheets: Excel has {SHEET_ROWS} rows a sheet", self.sheets));
        }
        for Column { name, as_text, shortened, form, .. } in &self.columns {
            if *as_text > 0 {
                let why = match form {
                    Form::Number(_) => "Excel keeps 15 digits of a number",
                    _ => "Excel's calendar does not have them",
                };
                notices.push(format!("column {name}: {as_text} values are text: {why}"));
            }
            if *shortened > 0 {
                notices.push(format!("column {name}: {shortened} moments lost the digits behind the millisecond"));
            }
        }
        notices
    }
}

impl Column {
    /// Writes a value, which is not NULL and stands as text here.
    fn write(&mut self, sheet: &mut Worksheet, (row, place): (u32, u16), text: &str) -> io::Result<()> {
        let number = match &self.form {
            Form::Boolean => return sheet.write_boolean(row, place, text == "true").map(drop).map_err(xlsx_error),
            Form::Text => None,
            Form::Number(format) => number(text).map(|number| (number, format)),
            Form::Date(format) => serial(&format!("{text} 00:00:00")).map(|(serial, _)| (serial, format)),
            Form::Timestamp(format) => serial(text).map(|(serial, is_exact)| {
                self.shortened += u64::from(!is_exact);
                (serial, format)
            }),
            Form::Time(format) => serial(&format!("1970-01-01 {text}")).map(|(serial, is_exact)| {
                self.shortened += u64::from(!is_exact);
                (serial - EPOCH, format)
            }),
        };
        if let Some((number, format)) = number {
            return sheet.write_number_with_format(row, place, number, format).map(drop).map_err(xlsx_error);
        }
        self.as_text += u64::from(!matches!(self.form, Form::Text));
        let length = text.encode_utf16().count();
        if length > LONGEST_TEXT {
            let message =
                format!("a value of column {} has {length} characters, and a cell of Excel {LONGEST_TEXT}", self.name);
            let hint = format!("LEFT({}, {LONGEST_TEXT}) shortens it, and CSV has no such limit", self.name);
            return Err(io::Error::other(Error::new(Code::Unsupported, message).hint(hint)));
        }
        sheet.write_string(row, place, text).map(drop).map_err(xlsx_error)
    }
}

/// The form of the cells of a type, and the width of the column in characters.
fn form(data_type: &DataType) -> (Form, f64) {
    let format = |text: &str| Format::new().set_num_format(text);
    match data_type {
        DataType::Dictionary(_, value) => form(value),
        DataType::Time32(_) | DataType::Time64(_) => (Form::Time(format("hh:mm:ss")), 10.0),
        DataType::Timestamp(_, Some(_)) => (Form::Text, 28.0),
        DataType::Timestamp(TimeUnit::Second, None) => (Form::Timestamp(format("yyyy-mm-dd hh:mm:ss")), 20.0),
        data_type if *data_type == mainstay_engine::OFFSET => (Form::Text, 28.0),
        data_type => match cell::kind(data_type) {
            cell::Kind::Number => (Form::Number(format(&number_format(data_type))), 12.0),
            cell::Kind::Boolean => (Form::Boolean, 8.0),
            cell::Kind::Date => (Form::Date(format("yyyy-mm-dd")), 12.0),
            cell::Kind::Timestamp => (Form::Timestamp(format("yyyy-mm-dd hh:mm:ss")), 20.0),
            _ => (Form::Text, 20.0),
        },
    }
}

/// Decimals show all digits of their scale; other numbers show what they have.
fn number_format(data_type: &DataType) -> String {
    match data_type {
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale)
            if (1..=30).contains(scale) =>
        {
            format!("0.{}", "0".repeat(usize::from(scale.unsigned_abs())))
        }
        _ => "General".to_owned(),
    }
}

/// The number in a text; `None` if Excel cannot keep it.
fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    // A double in scientific notation has 17 digits at most, and is one here as there.
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_start_matches('0').trim_end_matches('0').len();
    (significant <= DIGITS || text.contains(['e', 'E'])).then_some(number)
}

/// The number of a moment in Excel's calendar, and false if it lost digits; `None` for one before that.
fn serial(text: &str) -> Option<(f64, bool)> {
    let Timestamp(ticks) = text.parse().ok()?;
    let is_exact = ticks.rem_euclid(TICKS_PER_MS) == 0;
    let (day, of_day) = (ticks.div_euclid(TICKS_PER_DAY), ticks.rem_euclid(TICKS_PER_DAY));
    let of_day = of_day - of_day % TICKS_PER_MS;
    let serial = EPOCH + day as f64 + of_day as f64 / TICKS_PER_DAY as f64;
    (serial >= FIRST_RIGHT_DAY).then_some((serial, is_exact))
}

/// The error of the destination inside one of the library's, so that a broken pipe is still known as one.
fn xlsx_error(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(Error::new(Code::Io, format!("the workbook cannot be written: {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int32Array};
    use std::sync::Arc;

    #[test]
    fn moments_have_excels_numbers() {
        // Excel's own: 2024-02-29 is 45351, 12:00 is a half.
        assert_eq!(serial("2024-02-29 12:00:00"), Some((45_351.5, true)));
        assert_eq!(serial("1900-03-01 00:00:00"), Some((61.0, true)));
        assert_eq!(serial("1900-02-28 00:00:00"), None);
        assert_eq!(serial("2024-02-29 12:00:00.0005").map(|(_, is_exact)| is_exact), Some(false));
    }

    #[test]
    fn numbers_with_more_digits_than_excel_keeps_are_text() {
        assert_eq!(number("123456789012345"), Some(123_456_789_012_345.0));
        assert_eq!(number("-0.000123456789012345"), Some(-0.000_123_456_789_012_345));
        assert_eq!(number("1234567890123456"), None);
        assert_eq!(number("12345678901234.56"), None);
        assert_eq!((number("1e300"), number("NaN"), number("100000000000000000000")), (Some(1e300), None, Some(1e20)));
    }

    #[test]
    fn rows_beyond_a_sheet_go_to_the_next_one() {
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..7));
        let batch = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
        let mut out = Vec::new();
        let mut writer = Writer::with_rows(&batch.schema(), &Style::default(), &mut out, 4).unwrap();
        writer.write(&batch).unwrap();
        // Three rows beside each header.
        assert_eq!((writer.sheets, writer.row), (3, 2));
        assert!(writer.notices()[0].contains("3 sheets"));
        Box::new(writer).finish().unwrap();
        assert!(out.starts_with(b"PK"));
    }
}
