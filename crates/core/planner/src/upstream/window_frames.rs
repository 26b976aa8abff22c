//! Windows ordered by values without distances: UUIDs, bytes, times of day, intervals.
//!
//! The default frame is `RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`. It needs no distance, but DataFusion
//! requires that the key of a RANGE has one. GROUPS counts peers instead, with the same meaning between these bounds.

use crate::tree::nodes::Tree;
use crate::tree::rewrite::concerned;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, WindowFrame, WindowFrameBound, WindowFrameUnits};

/// The plan with such frames as GROUPS.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    concerned(plan, is_range_of_peers, |expr, schema| {
        expr.map_up(|expr| {
            Ok(match expr {
                Expr::WindowFunction(function) => by_peers(function, schema),
                expr => Transformed::no(expr),
            })
        })
    })
}

/// A function over a window, by peers if its first key is of a type that has no distances.
pub(crate) fn by_peers(mut function: Box<WindowFunction>, schema: &DFSchema) -> Transformed<Expr> {
    let first = function.params.order_by.first().and_then(|key| key.expr.get_type(schema).ok());
    let frame = &function.params.window_frame;
    if !is_of_peers(frame) || first.is_none_or(|first| has_distances(&first)) {
        return Transformed::no(Expr::WindowFunction(function));
    }
    let (start, end) = (frame.start_bound.clone(), frame.end_bound.clone());
    function.params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Groups, start, end);
    Transformed::yes(Expr::WindowFunction(function))
}

fn is_range_of_peers(expr: &Expr) -> bool {
    matches!(expr, Expr::WindowFunction(function) if is_of_peers(&function.params.window_frame))
}

/// Returns true if a RANGE reaches from the first row or the row's peers to these or the last row.
fn is_of_peers(frame: &WindowFrame) -> bool {
    let needs_none = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(distance) | WindowFrameBound::Following(distance) => distance.is_null(),
        WindowFrameBound::CurrentRow => true,
    };
    frame.units == WindowFrameUnits::Range && needs_none(&frame.start_bound) && needs_none(&frame.end_bound)
}

/// Returns true if DataFusion takes keys of this type for a RANGE.
fn has_distances(of: &DataType) -> bool {
    !(of.is_binary()
        || matches!(
            of,
            DataType::FixedSizeBinary(_) | DataType::Time64(_) | DataType::Time32(_) | DataType::Interval(_)
        ))
}
