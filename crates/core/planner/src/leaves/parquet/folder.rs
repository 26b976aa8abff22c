//! The common columns of the files of a folder, and the columns that the names of its sub-folders define.
//!
//! ```text
//!   sales/year=2026/month=01/a.parquet       columns year and month, integers; also dates and texts
//!   sales/city=New%20York/a.parquet      the text "New York"
//!   sales/year=__HIVE_DEFAULT_PARTITION__/b.parquet   year is NULL
//!   a.parquet: n INTEGER, b.parquet: n BIGINT       n BIGINT: the type that holds the values of both
//! ```

use datafusion::arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use datafusion::common::{DataFusionError, Result};
use mainstay_types::{Code, Date, Error};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most digits of a DECIMAL.
const MOST_DIGITS: u8 = 38;

/// The value of a column that is NULL, as Hive and Spark name its folder.
pub(super) const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A column that the names of sub-folders say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SaidColumn {
    pub(super) name: String,
    pub(super) data_type: DataType,
    /// True if a folder says that it is NULL there.
    pub(super) has_null: bool,
}

impl SaidColumn {
    fn new(name: String, values: &[String]) -> SaidColumn {
        SaidColumn { name, data_type: type_of(values), has_null: values.iter().any(|value| value == NULL) }
    }
}

/// The columns that the names of sub-folders say, in the order of the folders.
///
/// Errors: `Unsupported` where the files do not all have the same ones.
pub(super) fn columns_of_names(folder: &Path, files: &[PathBuf]) -> mainstay_types::Result<Vec<SaidColumn>> {
    let mut columns: Option<Vec<(String, Vec<String>)>> = None;
    for file in files {
        let said = said_by(folder, file);
        let columns = columns.get_or_insert_with(|| said.iter().map(|(name, _)| (name.clone(), Vec::new())).collect());
        let is_same = columns.len() == said.len() && columns.iter().zip(&said).all(|((a, _), (b, _))| a == b);
        if !is_same {
            let error =
                Error::new(Code::Unsupported, "the names of the folders say other columns than those of others");
            return Err(error.at(file.display()));
        }
        for ((_, values), (_, value)) in columns.iter_mut().zip(said) {
            values.push(value);
        }
    }
    Ok(columns.unwrap_or_default().into_iter().map(|(name, values)| SaidColumn::new(name, &values)).collect())
}

/// The columns and values that the sub-folders of a file give.
pub(super) fn said_by(folder: &Path, file: &Path) -> Vec<(String, String)> {
    let below = file.strip_prefix(folder).ok().and_then(Path::parent);
    let parts =
        below.into_iter().flat_map(Path::components).map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.filter_map(|part| part.split_once('=').map(|(name, value)| (decoded(name), decoded(value)))).collect()
}

/// A name or value as it was before it became part of a folder's name: Hive and Spark write `%` and two hexadecimal digits
/// for a blank, a slash, a colon and other bytes. What is no such sequence, or would not be UTF-8, stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let byte = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn type_of(values: &[String]) -> DataType {
    let is_number = |value: &String| !value.starts_with('+') && value.parse::<i64>().is_ok();
    let known = || values.iter().filter(|value| *value != NULL);
    if known().next().is_none() {
        return DataType::Utf8View;
    }
    if known().all(|value| is_number(value) && value.parse::<i32>().is_ok()) {
        return DataType::Int32;
    }
    if known().all(is_number) {
        return DataType::Int64;
    }
    match known().all(|value| value.len() == "2026-01-31".len() && value.parse::<Date>().is_ok()) {
        true => DataType::Date32,
        false => DataType::Utf8View,
    }
}

/// The columns of all files, each of a type that holds the values of all.
///
/// Errors: `TypeMismatch` where there is none.
pub(super) fn merged<'f>(files: impl Iterator<Item = (&'f Path, Arc<Schema>)>) -> Result<Schema> {
    let mut merged: Vec<Field> = Vec::new();
    for (path, schema) in files {
        for field in schema.fields() {
            let Some(known) = merged.iter_mut().find(|known| known.name() == field.name()) else {
                merged.push(field.as_ref().clone().with_nullable(true));
                continue;
            };
            let wider = wider(known.data_type(), field.data_type()).ok_or_else(|| {
                let name = field.name();
                let what = format!(
                    "column \"{name}\" is {} here, and {} in other files",
                    field.data_type(),
                    known.data_type()
                );
                let error = Error::new(Code::TypeMismatch, what).at(path.display());
                DataFusionError::External(Box::new(error))
            })?;
            known.set_data_type(wider);
            known.set_nullable(true);
        }
    }
    Ok(Schema::new(merged))
}

/// The type that holds the values of both.
fn wider(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::*;
    if a == b {
        return Some(a.clone());
    }
    if let (Some((whole_a, scale_a)), Some((whole_b, scale_b))) = (digits(a), digits(b)) {
        let (whole, scale) = (whole_a.max(whole_b), scale_a.max(scale_b));
        if a.is_integer() && b.is_integer() && whole < 20 {
            // One without a sign goes one further than one of as many bytes that has one.
            let whole = whole_a.max(whole_b) + u8::from(a.is_unsigned_integer() || b.is_unsigned_integer());
            return Some(match whole {
                ..6 => Int16,
                6..11 => Int32,
                _ => Int64,
            });
        }
        return (whole + scale <= MOST_DIGITS).then(|| Decimal128(whole + scale, scale as i8));
    }
    // A double has 15 digits for certain; a number of more would be rounded.
    let fits_double =
        |of: &DataType| of.is_floating() || of.is_integer() && digits(of).is_some_and(|(whole, _)| whole < 15);
    Some(match (a, b) {
        (Null, other) | (other, Null) => other.clone(),
        (Date32 | Date64, Date32 | Date64) => Date32,
        (a, b) if fits_double(a) && fits_double(b) => Float64,
        (a, b) if a.is_string() && b.is_string() => Utf8View,
        (a, b) if a.is_binary() && b.is_binary() => BinaryView,
        (Dictionary(_, a), b) | (b, Dictionary(_, a)) => wider(a, b)?,
        // Nanoseconds reach to the year 2262 only, and would be cut off in another unit.
        (Timestamp(unit, _), Timestamp(other, _)) if [unit, other].contains(&&TimeUnit::Nanosecond) => return None,
        (Timestamp(_, a), Timestamp(_, b)) if a == b => Timestamp(TimeUnit::Microsecond, a.clone()),
        (Time32(_) | Time64(_), Time32(_) | Time64(_)) => Time64(TimeUnit::Nanosecond),
        _ => return None,
    })
}

/// The most digits of an exact number before and behind its point.
fn digits(data_type: &DataType) -> Option<(u8, u8)> {
    use DataType::*;
    Some(match data_type {
        Int8 | UInt8 => (3, 0),
        Int16 | UInt16 => (5, 0),
        Int32 | UInt32 => (10, 0),
        Int64 => (19, 0),
        UInt64 => (20, 0),
        Decimal32(precision, scale) | Decimal64(precision, scale) | Decimal128(precision, scale) => {
            let scale = u8::try_from(*scale).ok()?;
            (precision.checked_sub(scale)?, scale)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;

    #[test]
    fn the_wider_type_holds_both() {
        let signed = [(Int8, Int16, Int16), (Int32, Int64, Int64), (Int16, UInt16, Int32), (UInt32, Int32, Int64)];
        let others = [
            (Int64, UInt64, Decimal128(20, 0)),
            (Int32, Decimal128(9, 2), Decimal128(12, 2)),
            (Float32, Int32, Float64),
            (
                Timestamp(TimeUnit::Second, None),
                Timestamp(TimeUnit::Millisecond, None),
                Timestamp(TimeUnit::Microsecond, None),
            ),
            (Utf8, Utf8View, Utf8View),
            (Null, Date32, Date32),
            (Date64, Date32, Date32),
        ];
        for (a, b, both) in signed.into_iter().chain(others) {
            assert_eq!((wider(&a, &b), wider(&b, &a)), (Some(both.clone()), Some(both)), "{a} and {b}");
        }
        let nanoseconds = Timestamp(TimeUnit::Nanosecond, None);
        let none = [(Int32, Utf8), (Date32, Int32), (Int64, Float64), (nanoseconds, Timestamp(TimeUnit::Second, None))];
        for (a, b) in none {
            assert_eq!((wider(&a, &b), wider(&b, &a)), (None, None), "{a} and {b}");
        }
    }

    #[test]
    fn values_of_folders_are_decoded() {
        for (written, value) in [
            ("a%20b", "a b"),
            ("c%2Fd", "c/d"),
            ("12%3a30", "12:30"),
            ("M%C3%BCnchen", "M\u{fc}nchen"),
            ("100%", "100%"),
            ("5%zz", "5%zz"),
            ("%FF", "%FF"),
            (NULL, NULL),
        ] {
            assert_eq!(decoded(written), value);
        }
    }

    #[test]
    fn folders_say_columns() {
        let columns = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(|file| Path::new("/sales").join(file)).collect();
            columns_of_names(Path::new("/sales"), &files).map_err(|error| error.code())
        };
        assert_eq!(columns(&["a.parquet", "b.parquet"]), Ok(vec![]));
        let column = |name: &str, data_type, has_null| SaidColumn { name: name.to_owned(), data_type, has_null };
        let said =
            |a: (&str, DataType), b: (&str, DataType)| Ok(vec![column(a.0, a.1, false), column(b.0, b.1, false)]);
        assert_eq!(
            columns(&["year=2026/day=2026-01-31/a.parquet", "year=2027/day=2027-01-01/b.parquet"]),
            said(("year", Int32), ("day", Date32))
        );
        assert_eq!(columns(&["n=5000000000/city=a/x.parquet"]), said(("n", Int64), ("city", Utf8View)));
        assert_eq!(columns(&["year=1/a.parquet", "b.parquet"]), Err(Code::Unsupported));
        let null = format!("n={NULL}/a.parquet");
        assert_eq!(columns(&["n=7/a.parquet", &null]), Ok(vec![column("n", Int32, true)]));
        assert_eq!(columns(&[&null]), Ok(vec![column("n", Utf8View, true)]));
    }
}
