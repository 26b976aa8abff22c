//! Spilling plans, for statements that have exceeded the memory limit: slower, with temporary files.
//!
//! A hash join keeps one of its sides in memory, and so does a top-n operator its first rows. A sort can spill, and so
//! can a merge join of sorted sides. Such plans are built on demand ([`Again`](crate::plan::start::Again)): most
//! statements fit, and the memory of a statement is not known before it runs.
//!
//! ```text
//!   HashJoin a.k = b.k              SortMergeJoin a.k = b.k
//!     a                     -->       Sort k
//!     b                                 a
//!                                     Sort k
//!                                       b
//! ```
//!
//! They use one thread: several would share the memory, and each would need a part of it to merge its sorted runs.

use crate::tree::nodes::Tree;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use std::sync::Arc;

/// So many first rows are held, and more are sorted with all others.
const HELD_ROWS: usize = 1_000;

/// Returns true if an operator holds the rows of its first input.
pub(crate) fn holds_rows(node: &Arc<dyn ExecutionPlan>) -> bool {
    match node.downcast_ref::<SortExec>() {
        Some(sort) => sort.fetch().is_none_or(|rows| rows > HELD_ROWS),
        None => node.is::<HashJoinExec>() || node.is::<CrossJoinExec>() || node.is::<NestedLoopJoinExec>(),
    }
}

/// Joins rows that are sorted where they can be sorted by their keys. It comes before the rule that sorts them.
#[derive(Debug)]
pub(crate) struct SortedJoins;

impl PhysicalOptimizerRule for SortedJoins {
    fn name(&self) -> &str {
        "sorted_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| match node.downcast_ref::<HashJoinExec>() {
            Some(join) if can_be_sorted(join)? => {
                let sorted = SortMergeJoinExec::try_new(
                    Arc::clone(join.left()),
                    Arc::clone(join.right()),
                    join.on().to_vec(),
                    join.filter().cloned(),
                    *join.join_type(),
                    vec![SortOptions::default(); join.on().len()],
                    join.null_equality(),
                )?;
                Ok(Transformed::yes(Arc::new(sorted)))
            }
            _ => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// Not `NOT IN`, for which an unknown key counts; and not by doubles, of which zero has two that are equal and are not sorted
/// as such.
fn can_be_sorted(join: &HashJoinExec) -> Result<bool> {
    let is_sortable = |key: &PhysicalExprRef, side: &Arc<dyn ExecutionPlan>| -> Result<bool> {
        Ok(matches!(
            key.data_type(&side.schema())?,
            DataType::Boolean
                | DataType::Int8
                | DataType::Int16
                | DataType::Int32
                | DataType::Int64
                | DataType::UInt8
                | DataType::UInt16
                | DataType::UInt32
                | DataType::UInt64
                | DataType::Decimal32(..)
                | DataType::Decimal64(..)
                | DataType::Decimal128(..)
                | DataType::Date32
                | DataType::Time64(_)
                | DataType::Timestamp(..)
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
        ))
    };
    for (left, right) in join.on() {
        if !is_sortable(left, join.left())? || !is_sortable(right, join.right())? {
            return Ok(false);
        }
    }
    Ok(!join.null_aware && !join.contains_projection())
}

/// Sorts all rows where many are the first ones. It comes behind the rules that bring limits into sorts.
#[derive(Debug)]
pub(crate) struct SortedTops;

impl PhysicalOptimizerRule for SortedTops {
    fn name(&self) -> &str {
        "sorted_tops"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| match node.downcast_ref::<SortExec>() {
            Some(sort) if !sort.preserve_partitioning() && sort.fetch().is_some_and(|rows| rows > HELD_ROWS) => {
                let sorted = Arc::new(sort.with_fetch(None));
                Ok(Transformed::yes(Arc::new(GlobalLimitExec::new(sorted, 0, sort.fetch()))))
            }
            _ => Ok(Transformed::no(node)),
        })
        .data()
    }
}
