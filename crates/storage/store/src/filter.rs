//! The filter of a filtered unique index: `CREATE UNIQUE INDEX ... WHERE status = 'A' AND code IS NOT NULL`.
//!
//! The index has entries for all rows, so that it yields candidates as any other does. The keys of rows that do not
//! satisfy the filter end with the row number, as in an index that is not unique, and so are never equal:
//!
//! ```text
//!   the filter holds          key of the columns, then 0       two of them are a violation
//!   it does not               key of the columns, then row     one for each row
//! ```
//!
//! Values are compared as the keys of an index are: by the collation of the column, without trailing blanks.
//!
//! Limit: conditions of one column with constants, all of which must hold, as SQL Server has them.

use crate::definition::TableDefinition;
use crate::key::{KeyColumn, KeyEncoder, Uniqueness};
use crate::row::Row;
use mainstay_columnar::Comparison;
use mainstay_types::{Result, SqlType, Value, ValueRef, convert};

/// A condition of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterPart {
    /// The number of the table's column.
    pub column: usize,
    /// The condition on its value.
    pub test: FilterTest,
}

/// The condition on a column.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterTest {
    /// IS NULL.
    Null,
    /// IS NOT NULL.
    NotNull,
    /// It stands so to one of these values, which are of the column's type: several only with `Equal` (IN). NULL does not.
    Compare(Comparison, Vec<Value>),
}

/// A filter that is ready to be asked.
pub(crate) struct Filter {
    parts: Vec<Part>,
}

struct Part {
    column: usize,
    encoder: KeyEncoder,
    test: Test,
}

enum Test {
    Null,
    NotNull,
    Compare(Comparison, Vec<Vec<u8>>),
}

impl Filter {
    /// The filter of an index of this table. Its columns are there; a value that its column cannot hold equals nothing.
    pub(crate) fn new(table: &TableDefinition, parts: &[FilterPart]) -> Filter {
        let part = |part: &FilterPart| {
            let sql_type = table.columns.get(part.column).map_or(SqlType::TEXT, |column| column.sql_type);
            let encoder = KeyEncoder::new([KeyColumn::new(sql_type, true)], Uniqueness::Unique);
            let key = |value: &Value| {
                let mut bytes = Vec::new();
                let written = encoder.start(&mut bytes).push(value.as_ref());
                written.ok().map(|()| bytes)
            };
            let test = match &part.test {
                FilterTest::Null => Test::Null,
                FilterTest::NotNull => Test::NotNull,
                FilterTest::Compare(comparison, values) => {
                    Test::Compare(*comparison, values.iter().filter_map(key).collect())
                }
            };
            Part { column: part.column, encoder, test }
        };
        Filter { parts: parts.iter().map(part).collect() }
    }

    /// The columns that it asks for.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|part| part.column)
    }

    /// Returns true if it holds for a row.
    ///
    /// Errors: a value that is too long to be compared.
    pub(crate) fn holds<R: Row + ?Sized>(&self, row: &R) -> Result<bool> {
        let mut bytes = Vec::new();
        for part in &self.parts {
            let value = row.value(part.column);
            let holds = match &part.test {
                Test::Null => value.is_null(),
                Test::NotNull => !value.is_null(),
                Test::Compare(..) if value.is_null() => false,
                Test::Compare(comparison, values) => {
                    part.encoder.start(&mut bytes).push(value)?;
                    values.iter().any(|other| comparison.holds(bytes.as_slice().cmp(other.as_slice())))
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A value of the catalog's text in a column's type.
///
/// Errors: those of the conversion.
pub(crate) fn value_of(text: &str, sql_type: SqlType) -> Result<Value> {
    convert::convert(ValueRef::Text(text), sql_type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::ColumnDefinition;
    use mainstay_types::Collation;

    fn holds(test: FilterTest, sql_type: SqlType, value: ValueRef<'_>) -> bool {
        let column = ColumnDefinition { name: "c".to_owned(), sql_type, nullable: true, declared: None };
        let table = TableDefinition::new("t", vec![column]);
        let filter = Filter::new(&table, &[FilterPart { column: 0, test }]);
        filter.holds([value].as_slice()).unwrap()
    }

    #[test]
    fn values_are_compared_as_keys_are() {
        let text = SqlType::VarChar { length: Some(9), collation: Collation::CaseInsensitive };
        let equal = |values: &[&str]| {
            let values = values.iter().map(|value| Value::Text((*value).to_owned())).collect();
            FilterTest::Compare(Comparison::Equal, values)
        };
        assert!(holds(equal(&["a"]), text, ValueRef::Text("A  ")));
        assert!(holds(equal(&["b", "a"]), text, ValueRef::Text("A")));
        assert!(!holds(equal(&["b"]), text, ValueRef::Text("A")));
        assert!(!holds(equal(&["b"]), text, ValueRef::Null));
        let above = || FilterTest::Compare(Comparison::Greater, vec![Value::Integer(-5)]);
        assert!(holds(above(), SqlType::Integer, ValueRef::Integer(3)));
        assert!(!holds(above(), SqlType::Integer, ValueRef::Integer(-5)));
        assert!(holds(FilterTest::Null, SqlType::Integer, ValueRef::Null));
        assert!(!holds(FilterTest::NotNull, SqlType::Integer, ValueRef::Null));
        assert_eq!(value_of("-5", SqlType::Integer).unwrap(), Value::Integer(-5));
    }
}
