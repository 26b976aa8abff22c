//! The filter of a unique index, from its statement into the catalog.
//!
//! The constant that a column is compared with becomes a value of the column's type, and is stored as text that
//! converts to it. A constant that the type cannot represent exactly is refused, because its meaning would change.

use super::columns::column_of;
use mainstay_columnar::Comparison;
use mainstay_planner::{FilterPart, FilterTest};
use mainstay_store::files::catalog::{FilterDefinition, FilterKind, TableDefinition};
use mainstay_types::{Code, Error, Result, SqlType, Value, convert};

/// The filter as the catalog keeps it.
///
/// Errors: `UnknownColumn`; those of conversions, `InvalidValue` for a constant that the column cannot hold exactly.
pub(super) fn filter(table: &TableDefinition, parts: &[FilterPart]) -> Result<Vec<FilterDefinition>> {
    parts.iter().map(|part| definition(table, part)).collect()
}

fn definition(table: &TableDefinition, part: &FilterPart) -> Result<FilterDefinition> {
    let column = column_of(table, &part.column)?;
    let sql_type = table.columns.iter().find(|known| known.id == column).map_or(SqlType::TEXT, |it| it.sql_type);
    let (test, values) = match &part.test {
        FilterTest::Null => (FilterKind::Null, Vec::new()),
        FilterTest::NotNull => (FilterKind::NotNull, Vec::new()),
        FilterTest::Compare(comparison, values) => {
            let values = values.iter().map(|value| kept(value, sql_type)).collect::<Result<_>>()?;
            (kind(*comparison), values)
        }
    };
    Ok(FilterDefinition { column, test, values })
}

fn kept(value: &Value, sql_type: SqlType) -> Result<String> {
    let converted = convert(value.as_ref(), sql_type)?;
    let is_same = match (value.as_ref().as_decimal(), converted.as_ref().as_decimal()) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    match (is_same, convert(converted.as_ref(), SqlType::TEXT)?) {
        (true, Value::Text(text)) => Ok(text),
        _ => Err(Error::new(Code::InvalidValue, format!("a column of type {sql_type} does not hold {value}"))),
    }
}

/// A constant that was kept, for a column that has another type from now on.
///
/// Errors: as [`filter`].
pub(super) fn refitted(value: &str, sql_type: SqlType) -> Result<String> {
    kept(&Value::Text(value.to_owned()), sql_type)
}

/// Returns true if the rows that a condition is about are among those of a filter, as far as that is to be seen: each
/// part of the filter is one of the condition, or follows from one.
pub(super) fn implies(condition: &[FilterDefinition], filter: &[FilterDefinition]) -> bool {
    let follows = |part: &FilterDefinition, from: &FilterDefinition| {
        part.column == from.column
            && match (part.test, from.test) {
                (FilterKind::NotNull, kind) => kind != FilterKind::Null,
                (FilterKind::Equal, FilterKind::Equal) => from.values.iter().all(|value| part.values.contains(value)),
                _ => part == from,
            }
    };
    filter.iter().all(|part| condition.iter().any(|from| follows(part, from)))
}

fn kind(comparison: Comparison) -> FilterKind {
    match comparison {
        Comparison::Equal => FilterKind::Equal,
        Comparison::NotEqual => FilterKind::NotEqual,
        Comparison::Less => FilterKind::Less,
        Comparison::LessOrEqual => FilterKind::LessOrEqual,
        Comparison::Greater => FilterKind::Greater,
        Comparison::GreaterOrEqual => FilterKind::GreaterOrEqual,
    }
}
