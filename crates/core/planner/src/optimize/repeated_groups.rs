//! Groups that a plan contains more than once: computed once, and read in each place.
//!
//! A common table expression is planned in the place of each of its names, and so is a view. A report that compares the groups
//! with their greatest ("the supplier with the most revenue") computes all of them twice:
//!
//! ```text
//!   Join                                      Join
//!     Scan supplier                             Scan supplier
//!     Aggregate revenue by supplier   --->      SharedRows 0 (Aggregate revenue by supplier)
//!   Aggregate max(revenue)                    Aggregate max(revenue)
//!     Aggregate revenue by supplier             SharedRows 0 (Aggregate revenue by supplier)
//! ```
//!
//! The search runs over the optimized plan. There two groupings are equal only if the optimizer has pushed the same
//! conditions and columns into both, so sharing them never reads more than one of them alone. Only groupings are shared: they
//! give no row before they have read all of their input, and usually give fewer rows than they read.
//!
//! The operator is [`SharedRowsExec`](crate::execute::shared_rows::SharedRowsExec).
//!
//! **Limits.** Not shared are parts with volatile functions or with references to an outer row, and parts of recursive queries.
//! Parts whose expressions the optimizer has named after common subexpressions differ in these names, and are computed in each
//! place.

use crate::execute::shared_rows::SharedRows;
use crate::lateral::is_constant;
use crate::leaves::relation::is_same_source;
use crate::tree::nodes::PlanTree;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::logical_expr::{LogicalPlan, TableSource};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The plan with a [`SharedRows`] around each grouping that it contains more than once; `None` if there is no such grouping.
pub(crate) fn shared(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let repeated = repeated(plan)?;
    if repeated.is_empty() {
        return Ok(None);
    }
    let plan = plan.clone().map_down_with_subqueries(|node| {
        if matches!(node, LogicalPlan::RecursiveQuery(_)) {
            return Ok(Transformed::new(node, false, TreeNodeRecursion::Jump));
        }
        match repeated.iter().position(|known| is_same(known, &node)) {
            Some(number) => Ok(Transformed::new(SharedRows::over(number, node), true, TreeNodeRecursion::Jump)),
            None => Ok(Transformed::no(node)),
        }
    });
    plan.data().map(Some)
}

/// The groupings that a plan contains more than once, those of its subqueries included.
fn repeated(plan: &LogicalPlan) -> Result<Vec<LogicalPlan>> {
    let mut groupings: Vec<LogicalPlan> = Vec::new();
    plan.each_with_subqueries(|node| {
        Ok(match node {
            LogicalPlan::RecursiveQuery(_) => TreeNodeRecursion::Jump,
            LogicalPlan::Aggregate(_) => {
                groupings.push(node.clone());
                TreeNodeRecursion::Continue
            }
            _ => TreeNodeRecursion::Continue,
        })
    })?;
    let mut places: HashMap<&LogicalPlan, usize> = HashMap::new();
    let mut repeated: Vec<LogicalPlan> = Vec::new();
    for (place, grouping) in groupings.iter().enumerate() {
        match places.entry(grouping) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(first) => {
                let is_new = !repeated.iter().any(|known| is_same(known, grouping));
                if is_new && is_same(&groupings[*first.get()], grouping) && is_constant(grouping) {
                    repeated.push(grouping.clone());
                }
            }
        }
    }
    Ok(repeated)
}

/// Returns true if two plans give the same rows. Plans are compared with the names of their tables; one name may be
/// two tables, of a session and of a view.
fn is_same(one: &LogicalPlan, other: &LogicalPlan) -> bool {
    if one != other {
        return false;
    }
    let (one, other) = (sources(one), sources(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| is_same_source(one, other))
}

fn sources(plan: &LogicalPlan) -> Vec<Arc<dyn TableSource>> {
    let mut sources = Vec::new();
    // The closure does not fail.
    let _ = plan.each_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            sources.push(Arc::clone(&scan.source));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    sources
}
