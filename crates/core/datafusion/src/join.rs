//! Joins.
//!
//! ```text
//!   a = b, and what else      hash join, or merge join where the settings prefer it
//!   what else alone           nested loops
//!   nothing                   every row with every row
//! ```
//!
//! The operators compare columns. An operand that is not a column is computed as one, below the join, and removed above
//! it.

use crate::physical_planner::Planning;
use datafusion_common::arrow::compute::SortOptions;
use datafusion_common::arrow::datatypes::{FieldRef, Schema};
use datafusion_common::{DFSchema, JoinSide, JoinType, Result, TableReference};
use datafusion_expr::logical_plan::builder::wrap_projection_for_join_if_necessary;
use datafusion_expr::{Expr, Join, LogicalPlan, Projection};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::joins::utils::{ColumnIndex, JoinFilter, JoinOn};
use datafusion_physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode, SortMergeJoinExec,
};
use datafusion_physical_plan::projection::{ProjectionExec, ProjectionExpr};
use std::collections::HashMap;
use std::sync::Arc;

/// One input of a join.
struct Side {
    plan: Arc<dyn ExecutionPlan>,
    /// Its columns with what was added for the comparison.
    columns: Arc<DFSchema>,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// The number of its columns before that.
    width: usize,
}

impl Side {
    fn is_widened(&self) -> bool {
        self.columns.fields().len() > self.width
    }
}

impl Planning<'_> {
    /// The operator of a join of these inputs.
    pub(crate) fn join(
        &self,
        node: &Join,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (left_keys, right_keys): (Vec<Expr>, Vec<Expr>) = node.on.iter().cloned().unzip();
        // An expression on one side only has a column beside it on the other.
        let left = self.side(&left_keys, &node.left, left)?;
        let right = self.side(&right_keys, &node.right, right)?;
        let filter = node.filter.as_ref().map(|filter| self.join_filter(filter, &left, &right)).transpose()?;
        let kept = (left.is_widened() || right.is_widened()).then(|| kept(node.join_type, &left, &right));
        let joined = self.joined(node, left, right, filter)?;
        match kept {
            Some(kept) => without_keys(joined, &kept, node.schema.as_arrow()),
            None => Ok(joined),
        }
    }

    /// An input whose keys are columns.
    fn side(&self, keys: &[Expr], logical: &Arc<LogicalPlan>, plan: Arc<dyn ExecutionPlan>) -> Result<Side> {
        let width = logical.schema().fields().len();
        if keys.iter().all(|key| matches!(key, Expr::Column(_))) {
            let columns = Arc::clone(logical.schema());
            let keys = keys.iter().map(|key| self.expression(key, &columns)).collect::<Result<_>>()?;
            return Ok(Side { plan, columns, keys, width });
        }
        let (widened, keys, _) = wrap_projection_for_join_if_necessary(keys, logical.as_ref().clone())?;
        let plan = match &widened {
            LogicalPlan::Projection(Projection { expr, input, schema, .. }) => {
                self.projection(expr, input.schema(), plan, schema)?
            }
            _ => plan,
        };
        let columns = Arc::clone(widened.schema());
        let keys = keys.into_iter().map(|key| self.expression(&Expr::Column(key), &columns)).collect::<Result<_>>()?;
        Ok(Side { plan, columns, keys, width })
    }

    /// A condition over the columns of both sides that it names: those of the left first, in their order.
    fn join_filter(&self, filter: &Expr, left: &Side, right: &Side) -> Result<JoinFilter> {
        let named = filter.column_refs();
        let (mut qualified, mut fields, mut indices) = (Vec::new(), Vec::new(), Vec::new());
        for (side, of) in [(JoinSide::Left, left), (JoinSide::Right, right)] {
            let mut places: Vec<usize> =
                named.iter().filter_map(|column| of.columns.index_of_column(column).ok()).collect();
            places.sort_unstable();
            for index in places {
                let (table, field): (Option<&TableReference>, &FieldRef) = of.columns.qualified_field(index);
                qualified.push((table.cloned(), Arc::clone(field)));
                fields.push(of.plan.schema().field(index).clone());
                indices.push(ColumnIndex { index, side });
            }
        }
        let both = [left, right].into_iter().flat_map(|of| of.columns.metadata().clone());
        let metadata: HashMap<String, String> = both.collect();
        let columns = DFSchema::new_with_metadata(qualified, metadata.clone())?;
        let filter = self.expression(filter, &columns)?;
        Ok(JoinFilter::new(filter, indices, Arc::new(Schema::new_with_metadata(fields, metadata))))
    }

    fn joined(
        &self,
        node: &Join,
        left: Side,
        right: Side,
        filter: Option<JoinFilter>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let on: JoinOn = left.keys.into_iter().zip(right.keys).collect();
        let (left, right, join_type) = (left.plan, right.plan, node.join_type);
        if on.is_empty() {
            return Ok(match filter.is_none() && join_type == JoinType::Inner {
                true => Arc::new(CrossJoinExec::new(left, right)),
                false => Arc::new(NestedLoopJoinExec::try_new(left, right, filter, &join_type, None)?),
            });
        }
        let config = self.session.config();
        // NOT IN has to see all rows of the subquery for its NULLs.
        let is_shared = config.target_partitions() > 1 && config.repartition_joins() && !node.null_aware;
        if is_shared && !config.options().optimizer.prefer_hash_join {
            let order = vec![SortOptions::default(); on.len()];
            let join = SortMergeJoinExec::try_new(left, right, on, filter, join_type, order, node.null_equality)?;
            return Ok(Arc::new(join));
        }
        let mode = if is_shared { PartitionMode::Auto } else { PartitionMode::CollectLeft };
        let (equality, aware) = (node.null_equality, node.null_aware);
        let join = HashJoinExec::try_new(left, right, on, filter, &join_type, None, mode, equality, aware)?;
        Ok(Arc::new(join))
    }
}

/// Which columns of a join are those of its inputs before their keys were added, or its own.
fn kept(join_type: JoinType, left: &Side, right: &Side) -> Vec<usize> {
    use JoinType::*;
    let all_left = left.columns.fields().len();
    let of_right = |after: usize| after..after + right.width;
    match join_type {
        Inner | Left | Right | Full => (0..left.width).chain(of_right(all_left)).collect(),
        LeftSemi | LeftAnti => (0..left.width).collect(),
        RightSemi | RightAnti => of_right(0).collect(),
        LeftMark => (0..left.width).chain([all_left]).collect(),
        RightMark => of_right(0).chain([right.columns.fields().len()]).collect(),
    }
}

fn without_keys(joined: Arc<dyn ExecutionPlan>, kept: &[usize], output: &Schema) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = joined.schema();
    let column = |index: &usize| {
        let alias = schema.field(*index).name().clone();
        ProjectionExpr { expr: Arc::new(Column::new(&alias, *index)), alias }
    };
    let columns: Vec<ProjectionExpr> = kept.iter().map(column).collect();
    Ok(Arc::new(ProjectionExec::try_new_with_schema_metadata(columns, joined, output)?))
}
