//! Decision whether the reader of a Parquet file applies conditions before it decodes the other columns.
//!
//! Late materialisation decodes the columns of the conditions first, and of the others only the rows that are left:
//!
//! ```text
//!   late      decode b, compare, select rows    decode a, c of these rows           few rows, many columns
//!   at once   decode a, b, c                    compare, select rows                many rows, few columns
//! ```
//!
//! Pages are read and decompressed either way, and skipping single rows within a page costs about as much as decoding them. So
//! it pays only if few rows are left or wide columns are spared. Measured over `lineitem` (600,000 rows, two cores, rows of a
//! condition spread over all pages, milliseconds):
//!
//! | rows left | other columns | late | at once |
//! |--:|--:|--:|--:|
//! | 98 % | 6 | 37.4 | 35.6 |
//! | 63 % | 1 | 17.2 | 11.8 |
//! | 3.8 % | 3 | 15.1 | 11.0 |
//! | 3.6 % | 4 | 24.9 | 23.8 |
//! | 1.2 % | 3 | 14.3 | 14.3 |
//!
//! The part of the rows is estimated from the bounds of whole numbers and dates in the footers, and by rules of thumb
//! otherwise. Row groups and pages whose bounds exclude all rows are skipped in both cases. A scan without conditions of its own
//! is late: a join may give it the keys of its other side when that has been read, which are often few.

use super::files::Files;
use crate::lateral::expr_may_fail;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};

/// The part of the rows up to which one number that is not decoded outweighs the selection of rows.
const PART_OF_A_COLUMN: f64 = 1.0 / 250.0;
/// The number of columns of numbers that a column of texts or bytes costs as much as.
const WIDE: f64 = 3.0;
/// The part of the rows that an equality with an unknown number of values is taken to leave.
const UNKNOWN_EQUALITY: f64 = 0.05;
/// The same for other conditions.
const UNKNOWN: f64 = 1.0 / 3.0;

/// The least and the greatest value of a column of whole numbers or dates, by its name.
type Bounds<'b> = &'b dyn Fn(&str) -> Option<(i64, i64)>;

/// Returns true if these conditions are applied before the other columns are decoded, for a scan of these columns.
pub(super) fn is_late(files: &Files, projection: Option<&Vec<usize>>, filters: &[&Expr]) -> bool {
    // A condition may keep rows from another that would fail for them (`b <> 0 AND 10 / b > 1`): only late ones are applied one
    // after the other.
    if filters.is_empty() || filters.iter().any(|filter| expr_may_fail(filter, None)) {
        return true;
    }
    let schema = files.schema();
    let bounds = |name: &str| files.bounds(schema.index_of(name).ok()?);
    let part = part_of_all(&bounds, filters.iter().flat_map(|filter| split_conjunction(filter)));
    part <= PART_OF_A_COLUMN * spared(&schema, projection, filters)
}

/// The estimated part of the rows for which all of these conditions hold. A lower and an upper bound of one column leave what
/// lies between them; other conditions count as independent.
fn part_of_all<'e>(bounds: Bounds<'_>, conditions: impl Iterator<Item = &'e Expr>) -> f64 {
    let mut part = 1.0;
    let mut ranges: Vec<(&Expr, f64, f64)> = Vec::new();
    for condition in conditions {
        let Some((column, lower, upper)) = bound_of(bounds, condition) else {
            part *= part_of(bounds, condition);
            continue;
        };
        match ranges.iter_mut().find(|(known, ..)| *known == column) {
            Some((_, least, greatest)) => (*least, *greatest) = (least.min(lower), greatest.min(upper)),
            None => ranges.push((column, lower, upper)),
        }
    }
    ranges.into_iter().fold(part, |part, (_, lower, upper)| part * (lower + upper - 1.0).clamp(0.0, 1.0))
}

/// The column of a comparison with known bounds, and the parts of its rows that are above the lower and below the upper
/// bound.
fn bound_of<'e>(bounds: Bounds<'_>, condition: &'e Expr) -> Option<(&'e Expr, f64, f64)> {
    let part = |column, op, value: &Expr| {
        range_of(bounds, column)?;
        Some(compared(bounds, (column, op, value.as_literal()?)))
    };
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (column, op, value) = match right.as_literal() {
                Some(_) => (left, *op, right),
                None => (right, op.swap()?, left),
            };
            match op {
                Operator::Gt | Operator::GtEq => Some((column, part(column, op, value)?, 1.0)),
                Operator::Lt | Operator::LtEq => Some((column, 1.0, part(column, op, value)?)),
                _ => None,
            }
        }
        Expr::Between(Between { expr, negated: false, low, high }) => {
            Some((expr, part(expr, Operator::GtEq, low)?, part(expr, Operator::LtEq, high)?))
        }
        _ => None,
    }
}

/// The cost of the columns that no condition names, in columns of numbers.
fn spared(schema: &SchemaRef, projection: Option<&Vec<usize>>, filters: &[&Expr]) -> f64 {
    let is_named = |name: &str| filters.iter().any(|filter| filter.column_refs().iter().any(|it| it.name == name));
    let is_read = |index: usize| projection.is_none_or(|columns| columns.contains(&index));
    let read = schema.fields().iter().enumerate().filter(|(index, field)| is_read(*index) && !is_named(field.name()));
    read.map(|(_, field)| if is_narrow(field.data_type()) { 1.0 } else { WIDE }).sum()
}

fn is_narrow(data_type: &DataType) -> bool {
    data_type.primitive_width().is_some() || *data_type == DataType::Boolean
}

/// The estimated part of the rows for which a condition holds.
fn part_of(bounds: Bounds<'_>, filter: &Expr) -> f64 {
    let part = match filter {
        Expr::BinaryExpr(BinaryExpr { op: Operator::And, .. }) => {
            part_of_all(bounds, split_conjunction(filter).into_iter())
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            part_of(bounds, left) + part_of(bounds, right)
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (left.as_literal(), right.as_literal()) {
            (_, Some(value)) => compared(bounds, (left, *op, value)),
            (Some(value), _) => compared(bounds, (right, op.swap().unwrap_or(*op), value)),
            _ => UNKNOWN,
        },
        Expr::InList(InList { expr, list, negated: false }) => {
            let one = range_of(bounds, expr).map_or(UNKNOWN_EQUALITY, |(_, width)| 1.0 / width);
            one * list.len() as f64
        }
        _ => UNKNOWN,
    };
    part.clamp(0.0, 1.0)
}

/// The estimated part of the rows whose value of a column compares so with a constant.
fn compared(bounds: Bounds<'_>, (column, op, value): (&Expr, Operator, &ScalarValue)) -> f64 {
    let place = range_of(bounds, column).and_then(|(least, width)| {
        let value = super::files::whole(value)?;
        Some((value as f64 - least as f64, width))
    });
    match (op, place) {
        (Operator::Eq, Some((_, width))) => 1.0 / width,
        (Operator::Eq, None) => UNKNOWN_EQUALITY,
        (Operator::Lt | Operator::LtEq, Some((place, width))) => (place / width).clamp(0.0, 1.0),
        (Operator::Gt | Operator::GtEq, Some((place, width))) => (1.0 - place / width).clamp(0.0, 1.0),
        (Operator::NotEq, _) => 1.0,
        _ => UNKNOWN,
    }
}

/// The least value of a column of whole numbers or dates, and how many there are from it to the greatest.
fn range_of(bounds: Bounds<'_>, column: &Expr) -> Option<(i64, f64)> {
    let Expr::Column(column) = column else { return None };
    let (least, greatest) = bounds(&column.name)?;
    Some((least, greatest as f64 - least as f64 + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::logical_expr::{col, lit};
    use std::sync::Arc;

    fn part(condition: &Expr) -> f64 {
        // The days of three years, and a text.
        let bounds = |name: &str| (name == "day").then_some((1_000, 1_999));
        part_of_all(&bounds, split_conjunction(condition).into_iter())
    }

    #[test]
    fn the_part_of_a_range_is_what_lies_between_its_bounds() {
        let month = col("day").gt_eq(lit(1_500)).and(col("day").lt(lit(1_530)));
        for condition in [
            month,
            col("day").between(lit(1_500), lit(1_530)),
            lit(1_530).gt(col("day")).and(lit(1_500).lt_eq(col("day"))),
        ] {
            assert!((part(&condition) - 0.03).abs() < 1e-9, "{condition}: {}", part(&condition));
        }
        assert!((part(&col("day").lt(lit(1_900))) - 0.9).abs() < 1e-9);
        assert!((part(&col("day").eq(lit(1_234))) - 0.001).abs() < 1e-9);
        assert_eq!(part(&col("day").gt(lit(5_000))), 0.0);
        assert_eq!(part(&col("day").not_eq(lit(1_234))), 1.0);
    }

    #[test]
    fn alternatives_add_up_and_unknown_conditions_have_rules_of_thumb() {
        let either = col("day").eq(lit(1_001)).or(col("day").eq(lit(1_002)));
        assert!((part(&either) - 0.002).abs() < 1e-9);
        let listed = col("day").in_list(vec![lit(1_001), lit(1_002), lit(1_003)], false);
        assert!((part(&listed) - 0.003).abs() < 1e-9);
        assert_eq!(part(&col("name").eq(lit("x"))), UNKNOWN_EQUALITY);
        assert_eq!(part(&col("name").like(lit("x%"))), UNKNOWN);
        assert!((part(&col("name").lt(lit("x")).and(col("name").gt(lit("a")))) - UNKNOWN * UNKNOWN).abs() < 1e-9);
    }

    #[test]
    fn texts_spare_more_than_numbers_and_columns_of_conditions_spare_nothing() {
        let field = |name: &str, data_type| Field::new(name, data_type, true);
        let schema: SchemaRef = Arc::new(Schema::new(vec![
            field("day", DataType::Date32),
            field("name", DataType::Utf8View),
            field("amount", DataType::Decimal128(15, 2)),
        ]));
        let condition = col("day").gt(lit(5));
        assert_eq!(spared(&schema, None, &[&condition]), WIDE + 1.0);
        assert_eq!(spared(&schema, Some(&vec![0, 2]), &[&condition]), 1.0);
        assert_eq!(spared(&schema, Some(&vec![0]), &[&condition]), 0.0);
    }
}
