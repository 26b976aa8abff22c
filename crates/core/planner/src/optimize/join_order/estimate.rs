//! Estimates for join orders: rows of an input, the share of rows for which a condition holds, and how many different values
//! a column has.
//!
//! The rows of a table and the bounds of its columns are known; shares of conditions are constants by the kind of the
//! condition. That is enough to tell a filtered table from a whole one, which is what orders differ by.

use super::Tables;
use super::equalities::column_of;
use datafusion::common::Column;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, FetchType, LogicalPlan, Operator};

/// The share of rows for equality with one value.
const EQUAL_SHARE: f64 = 0.1;
/// The share of rows for a comparison.
const RANGE_SHARE: f64 = 0.33;
/// The share of rows for a pattern.
const LIKE_SHARE: f64 = 0.1;
/// The share of rows for any other condition.
const OTHER_SHARE: f64 = 0.5;
/// Groups by row.
const GROUP_SHARE: f64 = 0.2;
/// Rows of an input about which nothing is known.
const UNKNOWN_ROWS: f64 = 1_000.0;

/// The rows of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    /// Without its conditions.
    pub(super) base: f64,
    /// With them.
    pub(super) rows: f64,
}

impl Size {
    fn of(rows: f64) -> Size {
        Size { base: rows, rows }
    }
}

/// The estimated rows of a plan.
pub(super) fn size(plan: &LogicalPlan, tables: &Tables) -> Size {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let all = (tables.rows)(&scan.source) as f64;
            Size { base: all, rows: all * scan.filters.iter().map(share).product::<f64>() }
        }
        LogicalPlan::Filter(filter) => {
            let below = size(&filter.input, tables);
            Size { rows: below.rows * share(&filter.predicate), ..below }
        }
        LogicalPlan::Aggregate(groups) if groups.group_expr.is_empty() => Size::of(1.0),
        LogicalPlan::Aggregate(groups) => Size::of(size(&groups.input, tables).rows * GROUP_SHARE),
        LogicalPlan::Limit(limit) => {
            let below = size(&limit.input, tables);
            match limit.get_fetch_type() {
                Ok(FetchType::Literal(Some(most))) => Size::of(below.rows.min(most as f64)),
                _ => below,
            }
        }
        LogicalPlan::Union(union) => Size::of(union.inputs.iter().map(|input| size(input, tables).rows).sum()),
        LogicalPlan::EmptyRelation(_) => Size::of(1.0),
        LogicalPlan::Values(values) => Size::of(values.values.len() as f64),
        // Joins below, and nodes that keep the rows of their input.
        other => {
            let inputs = other.inputs().into_iter().map(|input| size(input, tables));
            let most = |a: Size, b: Size| Size { base: a.base.max(b.base), rows: a.rows.max(b.rows) };
            inputs.reduce(most).unwrap_or(Size::of(UNKNOWN_ROWS))
        }
    }
}

/// The estimated share of rows for which a condition holds.
pub(super) fn share(condition: &Expr) -> f64 {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And => share(left) * share(right),
            Operator::Or => (share(left) + share(right)).min(1.0),
            Operator::Eq => EQUAL_SHARE,
            Operator::NotEq => 1.0 - EQUAL_SHARE,
            Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => RANGE_SHARE,
            _ => OTHER_SHARE,
        },
        Expr::Not(inner) => 1.0 - share(inner),
        Expr::Between(between) => negated(RANGE_SHARE * RANGE_SHARE, between.negated),
        Expr::InList(list) => negated((EQUAL_SHARE * list.list.len() as f64).min(OTHER_SHARE), list.negated),
        Expr::Like(like) => negated(LIKE_SHARE, like.negated),
        Expr::IsNull(_) => EQUAL_SHARE,
        Expr::IsNotNull(_) => 1.0 - EQUAL_SHARE,
        _ => OTHER_SHARE,
    }
}

fn negated(share: f64, is_negated: bool) -> f64 {
    if is_negated { 1.0 - share } else { share }
}

/// The share of the rows of an input that an OR of conditions leaves: each of its branches has a condition for which
/// `is_about_it` holds. 1 if that is not so.
pub(super) fn share_of_branches(condition: &Expr, is_about_it: &dyn Fn(&Expr) -> bool) -> f64 {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            (share_of_branches(left, is_about_it) + share_of_branches(right, is_about_it)).min(1.0)
        }
        other => split_conjunction(other).into_iter().filter(|part| is_about_it(part)).map(share).product(),
    }
}

/// The share of the rows of an input for which a condition about that input only holds: that of one value of a column
/// whose values are known, or else as [`share`].
pub(super) fn share_of_input(condition: &Expr, input: &LogicalPlan, tables: &Tables) -> f64 {
    let column = match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if right.column_refs().is_empty() => {
            column_of(left)
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if left.column_refs().is_empty() => {
            column_of(right)
        }
        _ => None,
    };
    let values = column.and_then(|column| distinct(input, column, tables));
    values.map_or_else(|| share(condition), |values| 1.0 / values.max(1.0))
}

/// The estimated number of distinct values of a column of a plan, if there is an estimate: not more than the rows of its table,
/// and otherwise too low or too high.
pub(super) fn distinct(plan: &LogicalPlan, column: &Column, tables: &Tables) -> Option<f64> {
    let index = plan.schema().maybe_index_of_column(column)?;
    distinct_at(plan, index, tables)
}

fn distinct_at(plan: &LogicalPlan, index: usize, tables: &Tables) -> Option<f64> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let index = scan.projection.as_ref().map_or(Some(index), |columns| columns.get(index).copied())?;
            let values = (tables.distinct)(&scan.source, index)?;
            Some(values.min((tables.rows)(&scan.source)) as f64)
        }
        LogicalPlan::SubqueryAlias(alias) => distinct_at(&alias.input, index, tables),
        LogicalPlan::Filter(filter) => distinct_at(&filter.input, index, tables),
        LogicalPlan::Sort(sort) => distinct_at(&sort.input, index, tables),
        LogicalPlan::Projection(projection) => {
            distinct(&projection.input, column_of(projection.expr.get(index)?)?, tables)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::logical_expr::{col, lit};

    #[test]
    fn conditions_have_shares_by_their_kind() {
        let equal = col("a").eq(lit(1));
        assert_eq!(share(&equal), EQUAL_SHARE);
        assert_eq!(share(&equal.clone().or(col("a").eq(lit(2)))), 2.0 * EQUAL_SHARE);
        assert_eq!(share(&col("a").gt(lit(1)).and(col("b").lt(lit(1)))), RANGE_SHARE * RANGE_SHARE);
        assert_eq!(share(&col("a").not_like(lit("x%"))), 1.0 - LIKE_SHARE);
    }

    #[test]
    fn an_or_counts_for_an_input_that_each_branch_is_about() {
        let branch = |a: i32, b: i32| col("a").eq(lit(a)).and(col("b").eq(lit(b)));
        let is_a = |expr: &Expr| *expr == col("a").eq(lit(1)) || *expr == col("a").eq(lit(2));
        assert_eq!(share_of_branches(&branch(1, 5).or(branch(2, 6)), &is_a), 2.0 * EQUAL_SHARE);
        assert_eq!(share_of_branches(&branch(1, 5).or(branch(3, 6)), &is_a), 1.0);
    }
}
