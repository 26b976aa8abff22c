//! Filters that a hash join gives the scans of its probe side when its build side has been read.
//!
//! DataFusion pushes an expression into a scan when it plans the join, and the join replaces it by the keys of its build side
//! when it has these:
//!
//! ```text
//!   HashJoin part = l_partkey
//!     Scan part where brand = 'Brand#23'     204 keys of 200,000
//!     Scan lineitem  [filter: l_partkey is one of these keys]      the other columns of 6,000 of 6,000,000 rows are read
//! ```
//!
//! The expression is state of a run, and plans are kept for other runs. So each run gets a copy of the plan in which joins and
//! scans have new expressions ([`fresh`]), in place of [`reset_plan_states`], after which joins have none.
//!
//! A join that several threads probe waits until all partitions of its build side are known. It gets no filter where one
//! partition is read after the other ([`Concatenate`]), which would wait forever, nor where its build side is a whole table:
//! most rows then have a partner.
//!
//! [`reset_plan_states`]: datafusion::physical_plan::execution_plan::reset_plan_states

use crate::execute::concatenate::Concatenate;
use crate::leaves::fused::Fused;
use crate::leaves::join_filters::NewFilters;
use crate::leaves::scan::TableScan;
use crate::tree::nodes::Tree;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{DynamicFilterPhysicalExpr, lit};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

/// The plan without the state of earlier runs.
///
/// Errors: those of the operators.
pub(crate) fn fresh(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let mut filters = NewFilters::new();
    find(&plan, false, &mut filters);
    let renewed = |node: Arc<dyn ExecutionPlan>| {
        let filter = filter_of(&node).and_then(|(number, _)| filters.get(&number));
        let node = node.reset_state()?;
        let changed = match (node.downcast_ref::<HashJoinExec>(), node.downcast_ref::<TableScan>()) {
            (Some(join), _) => filter.map(|filter| with_filter(join, filter)).transpose()?,
            (_, Some(scan)) => scan.with_new_filters(&filters)?.map(|scan| Arc::new(scan) as Arc<dyn ExecutionPlan>),
            _ => None,
        };
        Ok(Transformed::yes(changed.unwrap_or(node)))
    };
    plan.map_up(renewed).data()
}

fn with_filter(join: &HashJoinExec, filter: &Arc<DynamicFilterPhysicalExpr>) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(Arc::new(join.builder().build()?.with_dynamic_filter_expr(Arc::clone(filter))?))
}

/// Collects new filters for the joins of a plan that can fill them. With `is_serial` the partitions of the plan are read one
/// after the other.
fn find(plan: &Arc<dyn ExecutionPlan>, is_serial: bool, filters: &mut NewFilters) {
    let merges =
        plan.is::<CoalescePartitionsExec>() || plan.is::<RepartitionExec>() || plan.is::<SortPreservingMergeExec>();
    let is_serial_below = plan.is::<Concatenate>() || (is_serial && !merges);
    if let Some((number, keys)) = filter_of(plan)
        && let [build, _] = plan.children().as_slice()
        && (!is_serial || plan.output_partitioning().partition_count() == 1)
        && is_reduced(build)
    {
        filters.insert(number, Arc::new(DynamicFilterPhysicalExpr::new(keys, lit(true))));
    }
    plan.children().into_iter().for_each(|child| find(child, is_serial_below, filters));
}

/// The number of a join's filter, and the keys that it is about.
fn filter_of(plan: &Arc<dyn ExecutionPlan>) -> Option<(u64, Vec<Arc<dyn PhysicalExpr>>)> {
    let produced = plan.downcast_ref::<HashJoinExec>()?.dynamic_expressions_produced();
    let filter = produced.first()?;
    Some((filter.expression_id()?, filter.children().into_iter().cloned().collect()))
}

/// Returns true if a condition or a limit leaves a part of the rows.
fn is_reduced(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let reads_some = match (plan.downcast_ref::<TableScan>(), plan.downcast_ref::<Fused>()) {
        (Some(scan), _) => scan.scan.source.is_conditional() || scan.scan.limit.is_some(),
        (_, Some(fused)) => fused.parts().0.is_conditional(),
        _ => plan.is::<FilterExec>() || plan.is::<GlobalLimitExec>() || plan.is::<LocalLimitExec>(),
    };
    // Other leaves do not tell their conditions.
    let is_unknown = plan.children().is_empty() && !plan.is::<TableScan>() && !plan.is::<Fused>();
    reads_some || is_unknown || plan.children().into_iter().any(is_reduced)
}
