//! From a group column down to the scan that it comes from.

use super::nodes::Encode;
use crate::leaves::scan::TableScan;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{JoinSide, JoinType, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use std::sync::Arc;

/// A table whose texts are numbered has so many times fewer rows than the largest one: otherwise numbering them costs as
/// much as it saves.
pub(super) const SMALLER: usize = 8;

/// A plan in which a column has numbers instead of texts, and the number of the dictionary.
type Encoded = (Arc<dyn ExecutionPlan>, u64);

/// The rows of the largest table below a join, about; `None` when there is no join, or something that is not known here.
pub(super) fn most_rows(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return most_rows(projection.input());
    }
    let join = plan.downcast_ref::<HashJoinExec>()?;
    [join.left(), join.right()].into_iter().filter_map(rows_below).max()
}

fn rows_below(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    match plan.downcast_ref::<TableScan>() {
        Some(leaf) => Some(leaf.scan.source.table.estimated_rows()),
        None => plan.children().into_iter().filter_map(rows_below).max(),
    }
}

/// The plan with numbers in a column, if that is a text of a scan of at most so many rows that nothing looks at on its way.
pub(super) fn encoded(plan: &Arc<dyn ExecutionPlan>, column: usize, rows: usize) -> Result<Option<Encoded>> {
    if plan.schema().field(column).data_type() != &DataType::Utf8View {
        return Ok(None);
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return below_join(plan, join, column, rows);
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return below_projection(projection, column, rows);
    }
    let scan = match plan.downcast_ref::<Encode>() {
        Some(other) => other.scan(),
        None => plan,
    };
    let Some(leaf) = scan.downcast_ref::<TableScan>() else { return Ok(None) };
    if leaf.scan.source.table.estimated_rows() > rows {
        return Ok(None);
    }
    let encode = Encode::new(Arc::clone(plan), column);
    let dictionary = encode.dictionary();
    Ok(Some((Arc::new(encode), dictionary)))
}

fn below_projection(projection: &ProjectionExec, column: usize, rows: usize) -> Result<Option<Encoded>> {
    let Some(below) = projection.expr()[column].expr.downcast_ref::<Column>().map(Column::index) else {
        return Ok(None);
    };
    let looks = |(at, expr): (usize, &Arc<dyn PhysicalExpr>)| at != column && looks_at(expr, below);
    if projection.expr().iter().map(|item| &item.expr).enumerate().any(looks) {
        return Ok(None);
    }
    let Some((input, dictionary)) = encoded(projection.input(), below, rows)? else { return Ok(None) };
    let plan = ProjectionExec::try_new(projection.expr().to_vec(), input)?;
    Ok(Some((Arc::new(plan), dictionary)))
}

fn below_join(
    plan: &Arc<dyn ExecutionPlan>,
    join: &HashJoinExec,
    column: usize,
    rows: usize,
) -> Result<Option<Encoded>> {
    if *join.join_type() != JoinType::Inner {
        return Ok(None);
    }
    let joined = match &join.projection {
        Some(projection) => projection[column],
        None => column,
    };
    // A column that comes out twice would be read as a text by the other one.
    if join.projection.as_ref().is_some_and(|all| all.iter().filter(|other| **other == joined).count() > 1) {
        return Ok(None);
    }
    let left_columns = join.left().schema().fields().len();
    let (side, below) =
        if joined < left_columns { (JoinSide::Left, joined) } else { (JoinSide::Right, joined - left_columns) };
    let is_key = join.on().iter().any(|(left, right)| {
        let key = if side == JoinSide::Left { left } else { right };
        looks_at(key, below)
    });
    let is_filtered = join
        .filter()
        .is_some_and(|filter| filter.column_indices().iter().any(|used| used.side == side && used.index == below));
    if is_key || is_filtered {
        return Ok(None);
    }
    let children = match side {
        JoinSide::Left => {
            encoded(join.left(), below, rows)?.map(|(left, it)| (vec![left, Arc::clone(join.right())], it))
        }
        _ => encoded(join.right(), below, rows)?.map(|(right, it)| (vec![Arc::clone(join.left()), right], it)),
    };
    let Some((children, dictionary)) = children else { return Ok(None) };
    Ok(Some((replace_children_if_necessary(Arc::clone(plan), children)?, dictionary)))
}

fn looks_at(expr: &Arc<dyn PhysicalExpr>, column: usize) -> bool {
    collect_columns(expr).iter().any(|used| used.index() == column)
}
