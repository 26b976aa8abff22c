//! The order of rows without columns: `SELECT COUNT(*) FROM (SELECT id FROM t ORDER BY random() LIMIT 2) q`.
//!
//! Only the number of rows matters, so the optimizer removes all columns; an order of such rows has no effect, and
//! DataFusion's top-n operator does not support rows without columns. So only the limit is kept.

use crate::tree::nodes::PlanTree;
use crate::tree::search::any_node;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::logical_expr::{Limit, LogicalPlan, lit};
use std::borrow::Cow;

/// The optimized plan without orders of rows that have no columns.
pub(crate) fn unordered(plan: &LogicalPlan) -> Result<Cow<'_, LogicalPlan>> {
    if !any_node(plan, is_columnless) {
        return Ok(Cow::Borrowed(plan));
    }
    let changed = plan.clone().map_up_with_subqueries(|node| match node {
        LogicalPlan::Sort(sort) if sort.input.schema().fields().is_empty() => Ok(Transformed::yes(match sort.fetch {
            Some(rows) => {
                let fetch = Some(Box::new(lit(i64::try_from(rows).unwrap_or(i64::MAX))));
                LogicalPlan::Limit(Limit { skip: None, fetch, input: sort.input })
            }
            None => sort.input.as_ref().clone(),
        })),
        node => Ok(Transformed::no(node)),
    });
    changed.data().map(Cow::Owned)
}

fn is_columnless(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::Sort(sort) if sort.input.schema().fields().is_empty())
}
