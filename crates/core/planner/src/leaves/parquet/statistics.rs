//! Statistics of a Parquet file, compared with its values.
//!
//! ```text
//!   row group     the least and the greatest value of each column, and how many NULLs it has
//!   page          the same of each page, and how many rows it has
//! ```
//!
//! Conditions skip row groups and pages by these statistics. No other code reads them: a file with damaged statistics
//! is read to its end without an error, and gives too few rows. So `check` compares them with the values.
//!
//! Limit: nested columns are not checked.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::row::{OwnedRow, Row, RowConverter, SortField};
use datafusion::common::{Result, ScalarValue};
use datafusion::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::file::metadata::PageIndexPolicy;
use std::collections::VecDeque;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// The statistics of a Parquet file that do not agree with its values. A file that cannot be read has none: its reader
/// says why.
#[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
pub fn parquet_findings(path: &Path) -> Vec<String> {
    let Ok(file) = File::open(path) else { return Vec::new() };
    let findings = catch_unwind(AssertUnwindSafe(|| findings(&file)));
    findings.unwrap_or_else(|_| vec!["what it says of its columns cannot be true".to_owned()])
}

/// How many rows the footers of these files say that they have; `None` where one cannot be read.
#[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
pub fn parquet_rows<'p>(paths: impl Iterator<Item = &'p Path>) -> Option<u64> {
    let rows = |path: &Path| {
        let file = File::open(path).ok()?;
        let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
        let metadata = catch_unwind(AssertUnwindSafe(load)).ok()?.ok()?;
        u64::try_from(metadata.metadata().file_metadata().num_rows()).ok()
    };
    paths.map(rows).try_fold(0_u64, |sum, rows| sum.checked_add(rows?))
}

fn findings(file: &File) -> Vec<String> {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    let Ok(metadata) = ArrowReaderMetadata::load(file, options) else { return Vec::new() };
    let mut findings = Vec::new();
    for group in 0..metadata.metadata().num_row_groups() {
        let of_group = claims(&metadata, group).and_then(|claims| compared(file, &metadata, group, claims));
        match of_group {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(format!("what row group {group} says of its columns cannot be read: {error}")),
        }
    }
    findings
}

/// The wrong statistics of a row group. Its values can be read: that was checked before.
fn compared(file: &File, metadata: &ArrowReaderMetadata, group: usize, mut claims: Vec<Claims>) -> Result<Vec<String>> {
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file.try_clone()?, metadata.clone());
    for batch in builder.with_row_groups(vec![group]).build()? {
        let batch = batch?;
        for claims in &mut claims {
            claims.compare(batch.column(claims.column))?;
        }
    }
    Ok(claims.into_iter().flat_map(|claims| claims.findings).collect())
}

/// The statistics of each column of a row group, and of its pages.
fn claims(metadata: &ArrowReaderMetadata, group: usize) -> Result<Vec<Claims>> {
    let (schema, file) = (metadata.schema(), metadata.metadata());
    let row_group = file.row_group(group);
    let mut claims = Vec::new();
    for (column, field) in schema.fields().iter().enumerate().filter(|(_, field)| !field.data_type().is_nested()) {
        let converter = StatisticsConverter::try_new(field.name(), schema, metadata.parquet_schema())?;
        let converter = converter.with_missing_null_counts_as_zero(false);
        let name = format!("column \"{}\" of row group {group}", field.name());
        let said = Said {
            rows: vec![u64::try_from(row_group.num_rows()).unwrap_or_default()],
            least: converter.row_group_mins([row_group])?,
            greatest: converter.row_group_maxes([row_group])?,
            nulls: converter.row_group_null_counts([row_group])?,
        };
        claims.push(Claims::new(column, name.clone(), &said)?);
        let (Some(pages), Some(offsets)) = (file.column_index(), file.offset_index()) else { continue };
        let Some(rows) = converter.data_page_row_counts(offsets, file.row_groups(), [&group])? else { continue };
        let said = Said {
            rows: rows.values().to_vec(),
            least: converter.data_page_mins(pages, offsets, [&group])?,
            greatest: converter.data_page_maxes(pages, offsets, [&group])?,
            nulls: converter.data_page_null_counts(pages, offsets, [&group])?,
        };
        claims.push(Claims::new(column, format!("a page of {name}"), &said)?);
    }
    Ok(claims)
}

/// The statistics of consecutive ranges of rows.
struct Said {
    rows: Vec<u64>,
    least: ArrayRef,
    greatest: ArrayRef,
    nulls: UInt64Array,
}

/// The same with what is found not to be so.
struct Claims {
    column: usize,
    /// The word for a range in messages.
    what: String,
    ranges: VecDeque<Range>,
    /// Brings values to bytes that are in the order of the values.
    converter: RowConverter,
    data_type: DataType,
    findings: Vec<String>,
}

impl Claims {
    fn new(column: usize, what: String, said: &Said) -> Result<Claims> {
        let (least, greatest) = (comparable(&said.least)?, comparable(&said.greatest)?);
        let data_type = least.data_type().clone();
        let converter = RowConverter::new(vec![SortField::new(data_type.clone())])?;
        let bounds = [&least, &greatest].map(|array| converter.convert_columns(&[Arc::clone(array)]));
        let [lows, highs] = bounds;
        let (lows, highs) = (lows?, highs?);
        let is_there = |array: &ArrayRef, at: usize| at < array.len() && array.is_valid(at);
        let range = |(at, rows): (usize, &u64)| Range {
            rows: *rows,
            least: is_there(&least, at).then(|| lows.row(at).owned()),
            greatest: is_there(&greatest, at).then(|| highs.row(at).owned()),
            nulls: (at < said.nulls.len() && said.nulls.is_valid(at)).then(|| said.nulls.value(at)),
            seen: Seen::default(),
        };
        let ranges = said.rows.iter().enumerate().map(range).collect();
        Ok(Claims { column, what, ranges, converter, data_type, findings: Vec::new() })
    }

    /// Takes in the next rows of the column.
    fn compare(&mut self, rows: &ArrayRef) -> Result<()> {
        let nulls = rows.logical_nulls();
        let values = match comparable(rows)? {
            values if *values.data_type() == self.data_type => values,
            values => cast(&values, &self.data_type)?,
        };
        let bytes = self.converter.convert_columns(&[Arc::clone(&values)])?;
        for at in 0..values.len() {
            self.pass_ended()?;
            let Some(range) = self.ranges.front_mut() else {
                self.findings.push(format!("{}: there are more rows than it says", self.what));
                return Ok(());
            };
            range.seen.rows += 1;
            range.seen.nulls += u64::from(nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)));
            if values.is_valid(at) {
                range.seen.take(bytes.row(at));
            }
        }
        self.pass_ended()
    }

    /// Looks at the ranges whose rows have all come.
    fn pass_ended(&mut self) -> Result<()> {
        while let Some(range) = self.ranges.pop_front_if(|range| range.seen.rows >= range.rows) {
            let finding = self.finding(&range)?;
            self.findings.extend(finding.map(|finding| format!("{}: {finding}", self.what)));
        }
        Ok(())
    }

    fn finding(&self, range: &Range) -> Result<Option<String>> {
        let Range { least, greatest, nulls, seen, .. } = range;
        if let Some(nulls) = nulls.filter(|nulls| *nulls != seen.nulls) {
            return Ok(Some(format!("it has {} NULLs, and not {nulls} as it says", seen.nulls)));
        }
        if let (Some(said), Some(seen)) = (least, &seen.least)
            && seen < said
        {
            return Ok(Some(format!(
                "it has {}, and says that nothing is below {}",
                self.shown(seen)?,
                self.shown(said)?
            )));
        }
        if let (Some(said), Some(seen)) = (greatest, &seen.greatest)
            && seen > said
        {
            return Ok(Some(format!(
                "it has {}, and says that nothing is above {}",
                self.shown(seen)?,
                self.shown(said)?
            )));
        }
        Ok(None)
    }

    fn shown(&self, row: &OwnedRow) -> Result<ScalarValue> {
        let columns = self.converter.convert_rows([row.row()])?;
        ScalarValue::try_from_array(&columns[0], 0)
    }
}

struct Range {
    rows: u64,
    least: Option<OwnedRow>,
    greatest: Option<OwnedRow>,
    nulls: Option<u64>,
    seen: Seen,
}

/// The least and greatest value and the NULLs seen in a range.
#[derive(Default)]
struct Seen {
    rows: u64,
    nulls: u64,
    least: Option<OwnedRow>,
    greatest: Option<OwnedRow>,
}

impl Seen {
    fn take(&mut self, value: Row<'_>) {
        if self.least.as_ref().is_none_or(|least| value < least.row()) {
            self.least = Some(value.owned());
        }
        if self.greatest.as_ref().is_none_or(|greatest| value > greatest.row()) {
            self.greatest = Some(value.owned());
        }
    }
}

/// Values in a form whose order is that of what is said of them.
fn comparable(values: &ArrayRef) -> Result<ArrayRef> {
    Ok(match values.data_type() {
        DataType::Dictionary(_, value) => cast(values, value)?,
        of if of.is_floating() => {
            let doubles = cast(values, &DataType::Float64)?;
            // Zero is one number, and nothing is said of what is no number.
            let number = |double: f64| (!double.is_nan()).then_some(double + 0.0);
            let numbers: Float64Array = doubles.as_primitive::<Float64Type>().unary_opt(number);
            Arc::new(numbers)
        }
        _ => Arc::clone(values),
    })
}
