//! Conversions between T-SQL's date and time types: those with equal vectors, and those that need the core's casts.

use super::types;
use datafusion::logical_expr::{Expr, cast};
use mainstay_columnar::values::data_type_of;
use mainstay_planner::tools::{as_offset, as_ticks};
use mainstay_tsql_types::DataType;

/// Reports whether a value of one type has the same vector as one of another type with more digits.
pub(super) fn is_shorter_moment(from: DataType, to: DataType) -> bool {
    use DataType::*;
    match (from, to) {
        (Time(from), Time(to)) | (DateTimeOffset(from), DateTimeOffset(to)) => from <= to,
        // Up to six digits all are microseconds.
        (DateTime2(from), DateTime2(to)) => from <= to && to < 7,
        _ => false,
    }
}

/// A moment as one of a type that has its digits and more.
pub(super) fn finer_moment(expr: &Expr, from: DataType, to: DataType) -> Option<Expr> {
    use DataType::*;
    match (from, to) {
        (Date, DateTime2(0..=6)) => Some(cast(expr.clone(), data_type_of(types::sql_type(to)))),
        (Date | DateTime2(_), DateTime2(7)) => as_ticks(expr.clone()).ok(),
        (Date | DateTime2(_), DateTimeOffset(7)) => as_offset(expr.clone()).ok(),
        _ => None,
    }
}
