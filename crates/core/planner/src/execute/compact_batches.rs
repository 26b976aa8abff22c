//! Batches without shared buffers, for operators that keep them.
//!
//! A scan gives a table's columns in slices of a few thousand rows, each a part of vectors of 65,536. An operator that
//! keeps a slice keeps the vectors, and DataFusion counts them with each of their slices: a dozen slices exhaust a
//! limit of 32 MB. So below a sort and on the build side of a join, a slice of a much larger vector is copied.

use crate::carried_error::to_datafusion;
use crate::execute::run::Run;
use crate::execute::spilling::holds_rows;
use crate::tree::nodes::Tree;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use std::fmt;
use std::sync::Arc;

/// How much larger than its rows what a column holds may be.
const MOST_TIMES: usize = 2;

/// Bytes that are not worth a copy.
const FEW_BYTES: usize = 4_096;

/// Puts such nodes below the operators that keep rows.
#[derive(Debug)]
pub(crate) struct CompactKept;

impl PhysicalOptimizerRule for CompactKept {
    fn name(&self) -> &str {
        "compact_kept"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            // Rows that were merged hold all that they were merged from.
            let held = match node.is::<SortMergeJoinExec>() {
                true => 2,
                false => usize::from(holds_rows(&node)),
            };
            if held == 0 {
                return Ok(Transformed::no(node));
            }
            let compact = |(number, child): (usize, &Arc<dyn ExecutionPlan>)| -> Arc<dyn ExecutionPlan> {
                let input = Arc::clone(child);
                if number < held { Arc::new(Compact { input }) } else { input }
            };
            let children = node.children().into_iter().enumerate().map(compact).collect();
            replace_children_if_necessary(node, children).map(Transformed::yes)
        })
        .data()
    }
}

/// Passes batches on, without what they hold beside their rows.
#[derive(Debug)]
struct Compact {
    input: Arc<dyn ExecutionPlan>,
}

impl DisplayAs for Compact {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compact")
    }
}

impl ExecutionPlan for Compact {
    fn name(&self) -> &'static str {
        "Compact"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Compact { input: children.remove(0) }))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = Run::of(&context)?;
        let batches = self.input.execute(partition, context)?.map(move |batch| {
            run.check().map_err(to_datafusion)?;
            compacted(batch?)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }
}

fn compacted(batch: RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(compacted_column).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

fn compacted_column(column: &ArrayRef) -> Result<ArrayRef> {
    let beyond = match column.data_type() {
        DataType::Utf8View => column.as_string_view().total_buffer_bytes_used(),
        DataType::BinaryView => column.as_binary_view().total_buffer_bytes_used(),
        _ => 0,
    };
    let own = column.to_data().get_slice_memory_size()? + beyond;
    if column.get_buffer_memory_size() <= MOST_TIMES * own + FEW_BYTES {
        return Ok(Arc::clone(column));
    }
    // Of texts that are all short `gc` keeps the views as they are, and of others `take` keeps the texts.
    let copy = match beyond {
        0 => take(column, &UInt32Array::from_iter_values(0..column.len() as u32), None)?,
        _ => Arc::clone(column),
    };
    Ok(match copy.data_type() {
        DataType::Utf8View => Arc::new(copy.as_string_view().gc()),
        DataType::BinaryView => Arc::new(copy.as_binary_view().gc()),
        _ => copy,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringViewArray};

    #[test]
    fn pieces_of_large_vectors_are_copied() {
        let texts: StringViewArray = (0..60_000).map(|n| Some(format!("a text that is no short one {n}"))).collect();
        let (texts, numbers): (ArrayRef, ArrayRef) =
            (Arc::new(texts), Arc::new(Int64Array::from_iter_values(0..60_000)));
        let short: ArrayRef = Arc::new((0..60_000).map(|n| Some(n.to_string())).collect::<StringViewArray>());
        for whole in [texts, short, numbers] {
            let piece = whole.slice(1_000, 2_000);
            let own = compacted_column(&piece).unwrap();
            assert_eq!(&own, &piece);
            assert!(own.get_buffer_memory_size() * 20 < piece.get_buffer_memory_size(), "{}", whole.data_type());
            assert!(Arc::ptr_eq(&compacted_column(&own).unwrap(), &own));
            assert!(Arc::ptr_eq(&compacted_column(&whole).unwrap(), &whole));
        }
    }
}
