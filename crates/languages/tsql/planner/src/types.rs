//! Mapping between SQL Server's types and the core's columns.

use datafusion::arrow::datatypes::{DataType as ArrowType, Field, TimeUnit};
use mainstay_columnar::values::{OFFSET, TICKS, data_type_of};
use mainstay_planner::dialect::DECLARED;
use mainstay_planner::tools::{CHAR_COLUMN, COLLATED_COLUMN};
use mainstay_tsql_types::operation::data_type as parse;
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::{Collation, SqlType};
use std::collections::HashMap;

/// The longest text that is stored in its row there; a longer column of a file is MAX.
const MOST_CHARACTERS: u32 = 4000;

/// The type of a column that holds values of this type.
pub fn sql_type(data_type: DataType) -> SqlType {
    data_type.to_column(mainstay_tsql_types::collation::COMPARISON)
}

/// A field that holds values of this type.
pub fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type_of(sql_type(data_type)), true).with_metadata(metadata(data_type))
}

/// The metadata of a field that holds values of this type.
pub(super) fn metadata(data_type: DataType) -> HashMap<String, String> {
    let mut metadata = HashMap::from([(DECLARED.to_owned(), data_type.to_string())]);
    if let Some(collation) = sql_type(data_type).collation() {
        metadata.insert(COLLATED_COLUMN.to_owned(), collation.name().to_owned());
    }
    metadata
}

/// The same for text that compares by this collation.
pub(super) fn metadata_collated(data_type: DataType, collation: Collation) -> HashMap<String, String> {
    let mut metadata = metadata(data_type);
    // A binary collation is named, too: a field without a collation keeps that of the field that it is made of.
    if let Some(name) = metadata.get_mut(COLLATED_COLUMN) {
        *name = collation.name().to_owned();
    }
    metadata
}

/// The type of what a field holds, by what was declared or by its own type; `None` for NULL and for what SQL Server has no
/// type for.
pub fn declared_type(field: &Field) -> Option<DataType> {
    let declared = field.metadata().get(DECLARED).and_then(|text| parse(text));
    declared.or_else(|| by_arrow_type(field))
}

fn by_arrow_type(field: &Field) -> Option<DataType> {
    Some(match field.data_type() {
        ArrowType::Boolean => DataType::Bit,
        ArrowType::UInt8 => DataType::TinyInt,
        ArrowType::Int8 | ArrowType::Int16 => DataType::SmallInt,
        ArrowType::Int32 | ArrowType::UInt16 => DataType::Int,
        ArrowType::Int64 | ArrowType::UInt32 => DataType::BigInt,
        ArrowType::UInt64 => DataType::Decimal { precision: 20, scale: 0 },
        &TICKS => DataType::DateTime2(7),
        &OFFSET => DataType::DateTimeOffset(7),
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale) => {
            DataType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        ArrowType::Float32 => DataType::Real,
        ArrowType::Float64 => DataType::Float,
        ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View => DataType::NVarChar(text_length(field)),
        ArrowType::Dictionary(_, values) => {
            let plain = Field::new("", values.as_ref().clone(), true).with_metadata(field.metadata().clone());
            return by_arrow_type(&plain);
        }
        ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView => DataType::VarBinary(Length::Max),
        ArrowType::FixedSizeBinary(16) => DataType::UniqueIdentifier,
        ArrowType::Date32 => DataType::Date,
        ArrowType::Time64(_) | ArrowType::Time32(_) => DataType::Time(7),
        ArrowType::Timestamp(_, Some(_)) => DataType::DateTimeOffset(6),
        ArrowType::Timestamp(TimeUnit::Second, None) => DataType::DateTime2(0),
        ArrowType::Timestamp(TimeUnit::Millisecond, None) => DataType::DateTime2(3),
        ArrowType::Timestamp(TimeUnit::Microsecond, None) => DataType::DateTime2(6),
        ArrowType::Timestamp(TimeUnit::Nanosecond, None) => DataType::DateTime2(7),
        _ => return None,
    })
}

fn text_length(field: &Field) -> Length {
    let length = field.metadata().get(CHAR_COLUMN).and_then(|length| length.parse::<u32>().ok());
    match length {
        Some(length) if (1..=MOST_CHARACTERS).contains(&length) => Length::Limited(length as u16),
        _ => Length::Max,
    }
}

/// Returns true if a DECIMAL has all digits of an exact number before and behind its point. A comparison with a column that
/// is brought to it can be answered by the column's indexes.
pub(crate) fn has_room(from: DataType, to: DataType) -> bool {
    let digits = |data_type| match data_type {
        DataType::TinyInt => Some((3, 0)),
        DataType::SmallInt => Some((5, 0)),
        DataType::Int => Some((10, 0)),
        DataType::BigInt => Some((19, 0)),
        DataType::Decimal { precision, scale } => Some((precision.saturating_sub(scale), scale)),
        _ => None,
    };
    match (digits(from), to, digits(to)) {
        (Some(from), DataType::Decimal { .. }, Some(to)) => from.0 <= to.0 && from.1 <= to.1,
        _ => false,
    }
}
