//! Reads a group file by every path and compares them: for fuzzing and for tests.

use super::group::{StoredGroup, stored_of};
use super::manifest::{FileFacts, FileForm};
use crate::column::Column;
use crate::column::encoded::StoredColumn;
use crate::journal::checksum::crc32c;
use crate::memory::DecodedMemory;
use arrow_schema::{DataType, IntervalUnit};
use mainstay_types::{Collation, SqlType};
use mainstay_vfs::Mapping;
use std::sync::Arc;

/// Reads the bytes of a column file: its values one by one, as decoded columns, and as vectors. Bytes that are no such
/// file are refused.
///
/// # Panics
/// When two of these give different values.
pub fn read_columns_in_every_way(content: &[u8]) {
    let (length, checksum) = (content.len() as u64, crc32c(content));
    let facts = FileFacts { number: 1, length, checksum, form: FileForm::Columns };
    if let Ok(stored) = stored_of(Mapping::copy_of(content), &facts) {
        compare(&stored);
    }
}

/// Compares the ways of reading the columns of a group.
pub(super) fn compare(stored: &StoredGroup) {
    for (_, column) in &stored.columns {
        let Ok(array) = column.array() else { continue };
        let types = types_of(array.data_type()).into_iter().filter(|sql_type| column.check(*sql_type).is_ok());
        for sql_type in types {
            let of = |stored: &StoredColumn, limit| {
                let memory = Arc::new(DecodedMemory::new(limit));
                Column::of_stored(sql_type, stored, &memory).ok()
            };
            let ways = (of(&StoredColumn::Plain(Arc::clone(&array)), 0), of(column, 0), of(column, usize::MAX));
            let (Some(plain), Some(computed), Some(decoded)) = ways else {
                panic!("a column of {sql_type} that was checked is refused");
            };
            assert_eq!(&computed.array(stored.rows), &array);
            assert_eq!(&decoded.array(stored.rows), &array);
            let same = |row: usize, other: &Column| {
                let (one, other_value) = (plain.value(row), other.value(row));
                assert_eq!(format!("{one:?}"), format!("{other_value:?}"), "row {row} of a column of {sql_type}");
                assert_eq!((plain.text(row), plain.binary(row)), (other.text(row), other.binary(row)));
            };
            (0..=stored.rows).for_each(|row| [&computed, &decoded].into_iter().for_each(|other| same(row, other)));
        }
    }
}

/// Types whose columns have this physical type.
fn types_of(data_type: &DataType) -> Vec<SqlType> {
    let text = |length| SqlType::VarChar { length, collation: Collation::Binary };
    match data_type {
        DataType::Boolean => vec![SqlType::Boolean],
        DataType::Int8 => vec![SqlType::TinyInt],
        DataType::Int16 => vec![SqlType::SmallInt],
        DataType::Int32 => vec![SqlType::Integer],
        DataType::Int64 => vec![SqlType::BigInt],
        DataType::Date32 => vec![SqlType::Date],
        DataType::Time64(_) => vec![SqlType::Time { digits: 6 }],
        DataType::Timestamp(..) => vec![SqlType::Timestamp { digits: 6 }],
        DataType::Interval(IntervalUnit::YearMonth) => vec![SqlType::IntervalYearMonth],
        DataType::Interval(_) => vec![SqlType::IntervalDayTime],
        DataType::Float32 => vec![SqlType::Real],
        DataType::Float64 => vec![SqlType::Double],
        DataType::Decimal64(18, -2) => vec![SqlType::Timestamp { digits: 7 }],
        DataType::Decimal128(38, -12) => vec![SqlType::TimestampWithOffset { digits: 7 }],
        DataType::Decimal128(19, 4) => vec![SqlType::Money, SqlType::Decimal { precision: 19, scale: 4 }],
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale) => {
            let scale = u8::try_from(*scale).ok();
            scale.map(|scale| SqlType::Decimal { precision: *precision, scale }).into_iter().collect()
        }
        DataType::FixedSizeBinary(_) => vec![SqlType::Uuid],
        DataType::Utf8View => vec![text(None), text(Some(20))],
        DataType::BinaryView => vec![SqlType::VarBinary { length: None }, SqlType::VarBinary { length: Some(20) }],
        _ => Vec::new(),
    }
}
