//! Storage of values of SQL Server's types in the machine.

use mainstay_tsql_types::{DataType, Length};
use mainstay_vm::{Type, Width};

/// The type of a slot that holds values of this type.
pub fn storage_type(data_type: DataType) -> Type {
    use DataType::*;
    match data_type {
        Bit => Type::Boolean,
        TinyInt => Type::Integer(Width::U8),
        SmallInt => Type::Integer(Width::I16),
        Int => Type::Integer(Width::I32),
        BigInt => Type::Integer(Width::I64),
        Decimal { precision, scale } => Type::Decimal { precision, scale },
        SmallMoney => Type::Decimal { precision: 10, scale: 4 },
        Money => Type::Decimal { precision: 19, scale: 4 },
        Real => Type::Real,
        Float => Type::Float,
        Date => Type::Date,
        Time(_) => Type::Time,
        SmallDateTime | DateTime | DateTime2(_) => Type::Timestamp,
        DateTimeOffset(_) => Type::TimestampWithOffset,
        // A limit in bytes is also an upper limit in characters.
        Char(length, _) | NChar(length) => Type::Text { limit: Some(length.into()) },
        VarChar(length, _) | NVarChar(length) => Type::Text { limit: limit(length) },
        Text(_) | NText | Xml => Type::TEXT,
        Binary(length) => Type::Bytes { limit: Some(length.into()) },
        VarBinary(length) => Type::Bytes { limit: limit(length) },
        RowVersion => Type::Bytes { limit: Some(8) },
        Image => Type::BYTES,
        UniqueIdentifier => Type::Uuid,
        SqlVariant => Type::Any,
    }
}

fn limit(length: Length) -> Option<u32> {
    match length {
        Length::Limited(length) => Some(length.into()),
        Length::Max => None,
    }
}
