//! Values of SQL_VARIANT between the wire and sessions, which exchange them in the form of [`typed_value`].

use crate::data_type::{DataType, Length};
use mainstay_session::typed_value;
use mainstay_types::{Value, ValueRef};

/// A value of a type for a session. NULL has no type.
pub fn encode(data_type: DataType, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        _ => Value::Binary(typed_value::encode(&data_type.to_string(), value)),
    }
}

/// The value of a session, and its type; `None` for a plain value.
pub fn of(value: ValueRef<'_>) -> Option<(DataType, Value)> {
    let ValueRef::Binary(bytes) = value else { return None };
    let (declared, value) = typed_value::decode(bytes)?;
    Some((DataType::by_text(declared)?, value))
}

/// The value of a session, and its type; of a plain value the type that the value itself shows.
pub fn decode(value: ValueRef<'_>) -> (DataType, Value) {
    of(value).unwrap_or_else(|| (plain_type(value).unwrap_or(DataType::Int), value.to_value()))
}

/// The type of a value without its type.
pub(crate) fn plain_type(value: ValueRef<'_>) -> Option<DataType> {
    Some(match value {
        ValueRef::Boolean(_) => DataType::Bit,
        ValueRef::Integer(value) if i32::try_from(value).is_ok() => DataType::Int,
        ValueRef::Integer(_) => DataType::BigInt,
        ValueRef::Decimal(decimal) => DataType::Decimal { precision: 38, scale: decimal.scale.min(38) },
        ValueRef::Float(_) => DataType::Float,
        ValueRef::Text(_) => DataType::NVarChar(Length::Limited(4000)),
        ValueRef::Binary(_) => DataType::VarBinary(Length::Limited(8000)),
        ValueRef::Date(_) => DataType::Date,
        ValueRef::Time(_) => DataType::Time(7),
        ValueRef::Timestamp(_) => DataType::DateTime2(7),
        ValueRef::TimestampWithOffset { .. } => DataType::DateTimeOffset(7),
        ValueRef::Uuid(_) => DataType::UniqueIdentifier,
        ValueRef::Null | ValueRef::Interval(_) => return None,
    })
}
