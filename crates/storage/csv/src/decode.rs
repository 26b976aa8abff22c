//! Decoding of a row group into vectors: only the wanted columns, in one pass over its bytes.
//!
//! The bytes are read at once and their checksum is compared with that of the scan, so the types were inferred from the
//! same bytes. If the file was changed meanwhile the statement fails with [`Code::Busy`] and can be run again; it never
//! gets a mixture.

use crate::checksum::Checksum;
use crate::guess::{ColumnType, DayOrder};
use crate::options::CsvOptions;
use crate::scan::{Group, Scan, changed};
use crate::shape::{
    NumberFormat, boolean, decimal, dotted_date, double, integer, iso_date, slashed_date, timestamp, trim,
};
use crate::split::{ESCAPED, Field, QUOTED, Rows, Step, unescape, unquote};
use crate::text::TextBuilder;
use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float64Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType,
};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::sync::Arc;

/// The columns of a group, decoded, in the order asked for.
pub(crate) fn decode(
    file: &dyn File,
    scan: &Scan,
    options: &CsvOptions,
    group: &Group,
    columns: &[usize],
) -> Result<Vec<ArrayRef>> {
    let reader = Reader { scan, options, numbers: options.numbers(scan.dialect.grammar.delimiter) };
    let bytes = read_group(file, group)?;
    let mut builders = Vec::with_capacity(columns.len());
    for &column in columns {
        let column_type = *scan.types.get(column).ok_or_else(|| broken("a column that the table does not have"))?;
        builders.push((column, ColumnBuilder::new(column_type, group.rows, scan)));
    }
    let quotes_until = usize::try_from(scan.quotes_until.saturating_sub(group.offset)).unwrap_or(usize::MAX);
    let mut rows = Rows::new(&bytes, scan.dialect.grammar, true, quotes_until);
    let (mut fields, mut unquoted, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        match rows.next_row(&mut fields) {
            Step::Row(row) => {
                count += 1;
                for (column, builder) in &mut builders {
                    let fits = match fields.get(*column) {
                        Some(field) => builder.append_field(&bytes, field, *column, &reader, &mut unquoted),
                        None => builder.append_null(),
                    };
                    if !fits {
                        return Err(broken("a value that the scan did not see").at(format!("byte {}", row.start)));
                    }
                }
            }
            Step::End => break,
            Step::NeedMore { .. } | Step::Unterminated { .. } => return Err(changed(file)),
        }
    }
    if count != group.rows {
        return Err(broken("a row that the scan did not see"));
    }
    builders.into_iter().map(|(_, builder)| builder.finish()).collect()
}

/// The bytes of the group, if they are still those that were scanned.
pub(crate) fn read_group(file: &dyn File, group: &Group) -> Result<Vec<u8>> {
    let len = usize::try_from(group.len).map_err(|_| broken("a group larger than memory"))?;
    let mut bytes = vec![0; len];
    let read = file.read_at(&mut bytes, group.offset)?;
    if read != len || Checksum::of(&bytes) != group.checksum {
        return Err(changed(file));
    }
    Ok(bytes)
}

/// The scan and the decoder disagree about the same bytes.
fn broken(what: &str) -> Error {
    Error::new(Code::Internal, format!("reading a CSV file met {what}"))
}

/// The form of the texts of a file.
struct Reader<'a> {
    scan: &'a Scan,
    options: &'a CsvOptions,
    numbers: NumberFormat,
}

/// The field, without its quotes, is blank or a value of the type.
pub(crate) fn is_of_type(column_type: ColumnType, bytes: &[u8], numbers: NumberFormat) -> bool {
    let bytes = trim(bytes);
    let ungrouped = if is_number(column_type) { numbers.ungroup(bytes) } else { None };
    let bytes = ungrouped.as_ref().map_or(bytes, |number| number.bytes());
    bytes.is_empty()
        || match column_type {
            ColumnType::Integer => integer(bytes).is_some(),
            ColumnType::Decimal { precision, scale, comma } => {
                let point = if comma { b',' } else { b'.' };
                let largest = 10i128.pow(u32::from(precision)) - 1;
                decimal(bytes, u32::from(scale), point).is_some_and(|value| value.abs() <= largest)
            }
            ColumnType::Double => double(bytes).is_some(),
            ColumnType::Boolean => boolean(bytes).is_some(),
            ColumnType::IsoDate => iso_date(bytes).is_some(),
            ColumnType::DottedDate => dotted_date(bytes).is_some(),
            ColumnType::SlashedDate(order) => slashed_date(bytes, order).is_some(),
            ColumnType::Timestamp { .. } => moment(bytes).is_some(),
            ColumnType::Text => true,
        }
}

fn is_number(column_type: ColumnType) -> bool {
    matches!(column_type, ColumnType::Integer | ColumnType::Decimal { .. } | ColumnType::Double)
}

/// The values of a column, as they come.
enum ColumnBuilder {
    Integer(PrimitiveBuilder<Int64Type>),
    Decimal32(PrimitiveBuilder<Decimal32Type>, Digits),
    Decimal64(PrimitiveBuilder<Decimal64Type>, Digits),
    Decimal128(PrimitiveBuilder<Decimal128Type>, Digits),
    Double(PrimitiveBuilder<Float64Type>),
    Boolean(BooleanBuilder),
    IsoDate(PrimitiveBuilder<Date32Type>),
    DottedDate(PrimitiveBuilder<Date32Type>),
    SlashedDate(PrimitiveBuilder<Date32Type>, DayOrder),
    Millis(PrimitiveBuilder<TimestampMillisecondType>),
    Micros(PrimitiveBuilder<TimestampMicrosecondType>),
    Text(Box<TextBuilder>),
}

/// The notation of a decimal.
#[derive(Clone, Copy)]
struct Digits {
    scale: u32,
    point: u8,
}

impl ColumnBuilder {
    fn new(column_type: ColumnType, rows: usize, scan: &Scan) -> ColumnBuilder {
        fn numbers<T: ArrowPrimitiveType>(column_type: ColumnType, rows: usize) -> PrimitiveBuilder<T> {
            PrimitiveBuilder::with_capacity(rows).with_data_type(column_type.physical_type())
        }
        match column_type {
            ColumnType::Integer => ColumnBuilder::Integer(numbers(column_type, rows)),
            ColumnType::Decimal { precision, scale, comma } => {
                let digits = Digits { scale: u32::from(scale), point: if comma { b',' } else { b'.' } };
                match precision {
                    ..=9 => ColumnBuilder::Decimal32(numbers(column_type, rows), digits),
                    10..=18 => ColumnBuilder::Decimal64(numbers(column_type, rows), digits),
                    _ => ColumnBuilder::Decimal128(numbers(column_type, rows), digits),
                }
            }
            ColumnType::Double => ColumnBuilder::Double(numbers(column_type, rows)),
            ColumnType::Boolean => ColumnBuilder::Boolean(BooleanBuilder::with_capacity(rows)),
            ColumnType::IsoDate => ColumnBuilder::IsoDate(numbers(column_type, rows)),
            ColumnType::DottedDate => ColumnBuilder::DottedDate(numbers(column_type, rows)),
            ColumnType::SlashedDate(order) => ColumnBuilder::SlashedDate(numbers(column_type, rows), order),
            ColumnType::Timestamp { micros: false } => ColumnBuilder::Millis(numbers(column_type, rows)),
            ColumnType::Timestamp { micros: true } => ColumnBuilder::Micros(numbers(column_type, rows)),
            ColumnType::Text => ColumnBuilder::Text(Box::new(TextBuilder::new(rows, &scan.code_page))),
        }
    }

    /// Appends the value of a field; false if it is not of the type.
    #[inline(always)]
    fn append_field(
        &mut self,
        data: &[u8],
        field: &Field,
        column: usize,
        reader: &Reader<'_>,
        unquoted: &mut Vec<u8>,
    ) -> bool {
        let (bytes, scan) = (field.bytes(data), reader.scan);
        if field.flags & QUOTED == 0 && (bytes.is_empty() || reader.options.is_null(bytes)) {
            return self.append_null();
        }
        if let ColumnBuilder::Text(builder) = self {
            if scan.escapes && memchr::memchr(b'\\', bytes).is_some() {
                unescape(bytes, unquoted);
                return builder.append(unquoted);
            }
            if field.flags & ESCAPED == 0 {
                return builder.append(bytes);
            }
            unquote(bytes, scan.dialect.grammar.quote, unquoted);
            return builder.append(unquoted);
        }
        match trim(bytes) {
            [] => self.append_null(),
            bytes if reader.options.types.is_empty() && reader.numbers.thousands.is_none() => self.append_value(bytes),
            bytes => self.append_declared(bytes, column, reader),
        }
    }

    /// Appends a value of a file whose options declare types or a sign between thousands.
    fn append_declared(&mut self, bytes: &[u8], column: usize, reader: &Reader<'_>) -> bool {
        let Some(&column_type) = reader.scan.types.get(column) else { return false };
        let is_declared = reader.scan.declared.get(column).copied().unwrap_or_default();
        if is_declared && !is_of_type(column_type, bytes, reader.numbers) {
            return self.append_null();
        }
        match reader.numbers.ungroup(bytes).filter(|_| is_number(column_type)) {
            Some(number) => self.append_value(number.bytes()),
            None => self.append_value(bytes),
        }
    }

    #[inline(always)]
    fn append_value(&mut self, bytes: &[u8]) -> bool {
        match self {
            ColumnBuilder::Integer(builder) => push(builder, integer(bytes)),
            ColumnBuilder::Decimal32(builder, digits) => push(builder, number(bytes, *digits)),
            ColumnBuilder::Decimal64(builder, digits) => push(builder, number(bytes, *digits)),
            ColumnBuilder::Decimal128(builder, digits) => push(builder, number(bytes, *digits)),
            ColumnBuilder::Double(builder) => push(builder, double(bytes)),
            ColumnBuilder::Boolean(builder) => {
                let value = boolean(bytes);
                builder.append_option(value);
                value.is_some()
            }
            ColumnBuilder::IsoDate(builder) => push(builder, iso_date(bytes).map(|date| date.0)),
            ColumnBuilder::DottedDate(builder) => push(builder, dotted_date(bytes).map(|date| date.0)),
            ColumnBuilder::SlashedDate(builder, order) => push(builder, slashed_date(bytes, *order).map(|date| date.0)),
            ColumnBuilder::Millis(builder) => push(builder, moment(bytes).map(|micros| micros.div_euclid(1_000))),
            ColumnBuilder::Micros(builder) => push(builder, moment(bytes)),
            ColumnBuilder::Text(builder) => builder.append(bytes),
        }
    }

    /// Appends NULL, which fits always.
    fn append_null(&mut self) -> bool {
        match self {
            ColumnBuilder::Integer(builder) => builder.append_null(),
            ColumnBuilder::Decimal32(builder, _) => builder.append_null(),
            ColumnBuilder::Decimal64(builder, _) => builder.append_null(),
            ColumnBuilder::Decimal128(builder, _) => builder.append_null(),
            ColumnBuilder::Double(builder) => builder.append_null(),
            ColumnBuilder::Boolean(builder) => builder.append_null(),
            ColumnBuilder::IsoDate(builder) | ColumnBuilder::DottedDate(builder) => builder.append_null(),
            ColumnBuilder::SlashedDate(builder, _) => builder.append_null(),
            ColumnBuilder::Millis(builder) => builder.append_null(),
            ColumnBuilder::Micros(builder) => builder.append_null(),
            ColumnBuilder::Text(builder) => builder.append_null(),
        }
        true
    }

    fn finish(self) -> Result<ArrayRef> {
        Ok(match self {
            ColumnBuilder::Integer(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Decimal32(mut builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Decimal64(mut builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Decimal128(mut builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Double(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Boolean(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::IsoDate(mut builder) | ColumnBuilder::DottedDate(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::SlashedDate(mut builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Millis(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Micros(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Text(builder) => {
                builder.finish().ok_or_else(|| broken("bytes that are not of its code page"))?
            }
        })
    }
}

#[inline(always)]
fn push<T: ArrowPrimitiveType>(builder: &mut PrimitiveBuilder<T>, value: Option<T::Native>) -> bool {
    match value {
        Some(value) => builder.append_value(value),
        None => return false,
    }
    true
}

#[inline(always)]
fn number<T: TryFrom<i128>>(bytes: &[u8], digits: Digits) -> Option<T> {
    T::try_from(decimal(bytes, digits.scale, digits.point)?).ok()
}

/// A timestamp, or a date for its midnight, in microseconds.
#[inline]
fn moment(bytes: &[u8]) -> Option<i64> {
    const DAY: i64 = 86_400_000_000;
    timestamp(bytes).map(|(micros, _)| micros).or_else(|| iso_date(bytes).map(|date| i64::from(date.0) * DAY))
}
