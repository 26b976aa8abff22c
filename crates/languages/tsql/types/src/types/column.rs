//! The mapping between SQL Server's types and column types: the column for a type's values, and the T-SQL type of any
//! table's column.
//!
//! A column's type has less information: no code pages, no unsigned TINYINT and no 1/300 s. So the declared type is
//! stored beside the column, and [`DataType::of_column`] is for tables that were not declared in T-SQL.

use super::{DataType, Length};
use mainstay_types::{Collation, SqlType};

impl DataType {
    /// The column that keeps values of this type. Those of SQL_VARIANT are bytes that say their types, too.
    pub fn to_column(self, collation: Collation) -> SqlType {
        use DataType::*;
        let length = |length: Length| match length {
            Length::Limited(length) => Some(u32::from(length)),
            Length::Max => None,
        };
        match self {
            Bit => SqlType::Boolean,
            // Columns have signs.
            TinyInt | SmallInt => SqlType::SmallInt,
            Int => SqlType::Integer,
            BigInt => SqlType::BigInt,
            Decimal { precision, scale } => SqlType::Decimal { precision, scale },
            SmallMoney | Money => SqlType::Money,
            Real => SqlType::Real,
            Float => SqlType::Double,
            Date => SqlType::Date,
            Time(digits) => SqlType::Time { digits },
            SmallDateTime => SqlType::Timestamp { digits: 0 },
            DateTime => SqlType::Timestamp { digits: 3 },
            DateTime2(digits) => SqlType::Timestamp { digits },
            DateTimeOffset(digits) => SqlType::TimestampWithOffset { digits },
            // The column counts characters, the type bytes: blanks fill what is left of its length.
            Char(limit, page) if page.most_bytes() > 1 => SqlType::VarChar { length: Some(limit.into()), collation },
            Char(length, _) | NChar(length) => SqlType::Char { length: length.into(), collation },
            VarChar(limit, _) | NVarChar(limit) => SqlType::VarChar { length: length(limit), collation },
            Text(_) | NText | Xml => SqlType::VarChar { length: None, collation },
            Binary(length) => SqlType::Binary { length: length.into() },
            RowVersion => SqlType::Binary { length: 8 },
            VarBinary(limit) => SqlType::VarBinary { length: length(limit) },
            Image => SqlType::VarBinary { length: None },
            UniqueIdentifier => SqlType::Uuid,
            SqlVariant => SqlType::VarBinary { length: None },
        }
    }

    /// The type that a column has for T-SQL: the narrowest that holds all its values. Texts are NVARCHAR, because nothing
    /// says that they are of a code page; lengths of time are shown as text.
    pub fn of_column(column: SqlType) -> DataType {
        use DataType::*;
        let limited = |length: Option<u32>, most: u32| match length {
            Some(length) if length <= most => Length::Limited(length.max(1) as u16),
            _ => Length::Max,
        };
        match column {
            SqlType::Boolean => Bit,
            SqlType::TinyInt | SqlType::SmallInt => SmallInt,
            SqlType::Integer => Int,
            SqlType::BigInt => BigInt,
            SqlType::Decimal { precision, scale } => Decimal { precision, scale },
            SqlType::Money => Money,
            SqlType::Real => Real,
            SqlType::Double => Float,
            SqlType::Char { length, .. } if length <= 4000 => NChar(length.max(1) as u16),
            SqlType::Char { .. } => NVarChar(Length::Max),
            SqlType::VarChar { length, .. } => NVarChar(limited(length, 4000)),
            SqlType::Binary { length } if length <= 8000 => Binary(length.max(1) as u16),
            SqlType::Binary { .. } => VarBinary(Length::Max),
            SqlType::VarBinary { length } => VarBinary(limited(length, 8000)),
            SqlType::Date => Date,
            SqlType::Time { digits } => Time(digits),
            SqlType::Timestamp { digits } => DateTime2(digits),
            SqlType::TimestampWithOffset { digits } => DateTimeOffset(digits),
            SqlType::IntervalYearMonth | SqlType::IntervalDayTime => NVarChar(Length::Limited(40)),
            SqlType::Uuid => UniqueIdentifier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;

    #[test]
    fn a_column_keeps_every_type() {
        let types = [
            Bit,
            SmallInt,
            Int,
            BigInt,
            Decimal { precision: 10, scale: 2 },
            Money,
            Real,
            Float,
            Date,
            Time(3),
            DateTime2(7),
            DateTimeOffset(0),
            NChar(5),
            NVarChar(Length::Limited(10)),
            NVarChar(Length::Max),
            Binary(4),
            VarBinary(Length::Max),
            UniqueIdentifier,
        ];
        for data_type in types {
            let column = data_type.to_column(Collation::Binary);
            assert_eq!(DataType::of_column(column), data_type);
        }
        assert_eq!(TinyInt.to_column(Collation::Binary), SqlType::SmallInt);
        assert_eq!(SqlVariant.to_column(Collation::Binary), SqlType::VarBinary { length: None });
        let long = SqlType::VarChar { length: Some(5000), collation: Collation::Binary };
        assert_eq!(DataType::of_column(long), NVarChar(Length::Max));
    }
}
