//! Decides by the shape of a plan where a kernel takes the place of general operators.
//!
//! ```text
//!   Aggregate(Scan)            ->  TableAggregate     plain columns, COUNT SUM MIN MAX AVG
//!   Sort(Scan)                 ->  TableOrder         what an index orders, or the row ids
//!   Sort(Scan) with a limit    ->  TableTop           plain columns
//!   Projection(any of these)   ->  the same leaf      plain columns only
//! ```
//!
//! The rule runs before the plan is divided among threads: then an aggregate is one node, or a final one
//! right above a partial one.

use crate::aggregate::AggregateKernel;
use crate::fused::{Fused, Kernel};
use crate::nodes::Tree;
use crate::order::{By, OrderKernel};
use crate::relation::Visibility;
use crate::scan::{Scan, TableScan};
use crate::top::TopKernel;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use mainstay_table::OrderKey;
use mainstay_table::vector::{Aggregate, Aggregator, Function, GroupColumn, SortKey, Top};
use std::sync::Arc;

/// The rule.
#[derive(Debug)]
pub(crate) struct Fuse;

impl PhysicalOptimizerRule for Fuse {
    fn name(&self) -> &str {
        "fuse"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            Ok(match fused(&node) {
                Some(leaf) => Transformed::yes(leaf),
                None => Transformed::no(node),
            })
        })
        .data()
    }
}

/// The leaf that a node and the scan below it are, if a kernel does the work of both.
pub(crate) fn fused(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        return fused_aggregate(node, aggregate);
    }
    if let Some(sort) = node.downcast_ref::<SortExec>() {
        return fused_sort(node, sort);
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        return fused_projection(node, projection);
    }
    None
}

fn fused_projection(node: &Arc<dyn ExecutionPlan>, projection: &ProjectionExec) -> Option<Arc<dyn ExecutionPlan>> {
    let outputs: Option<Vec<usize>> = projection.expr().iter().map(|item| column_index(&item.expr)).collect();
    let outputs = outputs?;
    if let Some(leaf) = projection.input().downcast_ref::<Fused>() {
        return Some(Arc::new(leaf.with_projection(&outputs, Arc::clone(node))));
    }
    let leaf = projection.input().downcast_ref::<TableScan>()?;
    let columns = outputs.iter().map(|output| leaf.scan.columns[*output]).collect();
    Some(Arc::new(leaf.clone().with_output(columns, node.schema())))
}

fn column_index(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    Some(expr.downcast_ref::<Column>()?.index())
}

fn fused_sort(node: &Arc<dyn ExecutionPlan>, sort: &SortExec) -> Option<Arc<dyn ExecutionPlan>> {
    let scan = plain_scan(sort.input())?;
    let (columns, limit) = (scan.columns.clone(), sort.fetch());
    let leaf = |kernel| {
        let leaf: Arc<dyn ExecutionPlan> = Arc::new(Fused::new(scan.source.clone(), kernel, Arc::clone(node)));
        Some(leaf)
    };
    if scan.source.visibility == Visibility::Live
        && let Some(order) = sort.expr().iter().map(|item| order_key(scan, item)).collect::<Option<Vec<_>>>()
    {
        let by_rows = matches!(order.as_slice(), [OrderKey { column, descending: false, .. }]
            if scan.source.table.row_id_column() == Some(*column));
        if by_rows {
            return leaf(Kernel::Order(OrderKernel { by: By::Rows, columns, limit }));
        }
        // A walk over an index ends early only when most rows it meets are wanted.
        if (scan.source.predicate.is_none() || limit.is_none())
            && let Some(ordering) = scan.source.table.order_by(&order)
        {
            return leaf(Kernel::Order(OrderKernel { by: By::Index(ordering), columns, limit }));
        }
    }
    let key = |item: &PhysicalSortExpr| {
        let column = scan.columns[column_index(&item.expr)?];
        Some(SortKey { column, descending: item.options.descending, nulls_first: item.options.nulls_first })
    };
    let keys: Vec<SortKey> = sort.expr().iter().map(key).collect::<Option<_>>()?;
    let limit = limit.filter(|limit| *limit <= MAX_TOP)?;
    keys.iter().all(|key| Top::supports(physical_kind(scan, key.column))).then_some(())?;
    leaf(Kernel::Top(TopKernel { keys, columns, limit }))
}

/// What rows are ordered by, where indexes may order them so: a column, or the sort key of one, with NULL at the end where
/// indexes have it.
fn order_key(scan: &Scan, item: &PhysicalSortExpr) -> Option<OrderKey> {
    let descending = item.options.descending;
    let (column, collation) = match item.expr.downcast_ref::<ScalarFunctionExpr>() {
        None => (column_index(&item.expr)?, None),
        Some(call) => {
            let [text] = call.args() else { return None };
            (column_index(text)?, Some(crate::collate::collation_of_key(call.name())?))
        }
    };
    let column = scan.columns[column];
    let nullable = scan.source.table.schema().field(column).is_nullable();
    (!nullable || item.options.nulls_first != descending).then_some(OrderKey { column, descending, collation })
}

/// The largest LIMIT for which a heap of rows is the right tool.
pub(crate) const MAX_TOP: usize = 10_000;

/// The scan, if it gives all the rows of its condition.
fn plain_scan(plan: &Arc<dyn ExecutionPlan>) -> Option<&Scan> {
    plan.downcast_ref::<TableScan>().map(|leaf| leaf.scan.as_ref()).filter(|scan| scan.limit.is_none())
}

fn physical_kind(scan: &Scan, column: usize) -> &DataType {
    scan.source.table.schema().field(column).data_type()
}

fn fused_aggregate(node: &Arc<dyn ExecutionPlan>, aggregate: &AggregateExec) -> Option<Arc<dyn ExecutionPlan>> {
    let partial = match aggregate.mode() {
        AggregateMode::Single | AggregateMode::SinglePartitioned => aggregate,
        AggregateMode::Final | AggregateMode::FinalPartitioned => aggregate
            .input()
            .downcast_ref::<AggregateExec>()
            .filter(|partial| *partial.mode() == AggregateMode::Partial)?,
        _ => return None,
    };
    let scan = plain_scan(partial.input())?;
    let is_plain = partial.group_expr().is_single()
        && aggregate.limit_options().is_none()
        && partial.limit_options().is_none()
        && partial.filter_expr().iter().all(Option::is_none);
    is_plain.then_some(())?;
    let schema = node.schema();
    let group_by = group_columns(partial, scan, &schema)?;
    let offset = group_by.len();
    let aggregates: Vec<Aggregate> = partial
        .aggr_expr()
        .iter()
        .enumerate()
        .map(|(i, expr)| table_aggregate(expr, scan, schema.field(offset + i).data_type()))
        .collect::<Option<_>>()?;
    let supported = Aggregator::supports(&group_by, &aggregates, &|column| physical_kind(scan, column).clone());
    supported.then_some(())?;
    let ends = index_ends(scan, &group_by, &aggregates);
    let outputs = (0..schema.fields().len()).collect();
    let kernel = Kernel::Aggregate(AggregateKernel { group_by, aggregates, ends, outputs });
    Some(Arc::new(Fused::new(scan.source.clone(), kernel, Arc::clone(node))))
}

fn group_columns(aggregate: &AggregateExec, scan: &Scan, schema: &SchemaRef) -> Option<Vec<GroupColumn>> {
    let columns = aggregate.group_expr().expr().iter().enumerate();
    columns
        .map(|(i, (expr, _))| {
            let column = scan.columns[column_index(expr)?];
            Some(GroupColumn { column, output: schema.field(i).data_type().clone() })
        })
        .collect()
}

/// The kernel's aggregate for one of DataFusion's: a function of a plain column, or a count of rows.
fn table_aggregate(expr: &AggregateFunctionExpr, scan: &Scan, output: &DataType) -> Option<Aggregate> {
    if expr.is_distinct() || !expr.order_bys().is_empty() || expr.ignore_nulls() {
        return None;
    }
    let function = match expr.fun().name() {
        "count" => Function::CountColumn,
        "sum" => Function::Sum,
        "min" => Function::Min,
        "max" => Function::Max,
        "avg" => Function::Avg,
        _ => return None,
    };
    let arguments = expr.expressions();
    let [argument] = arguments.as_slice() else { return None };
    if let Some(literal) = argument.downcast_ref::<Literal>() {
        let counts_rows = function == Function::CountColumn && !literal.value().is_null();
        return counts_rows.then(|| Aggregate { function: Function::Count, column: 0, output: output.clone() });
    }
    let column = scan.columns[argument_column(argument, function, scan)?];
    Some(Aggregate { function, column, output: output.clone() })
}

/// The column that an aggregate reads. SUM and AVG of a short integer are planned over a cast to a longer
/// type, which the kernels do by themselves.
fn argument_column(argument: &Arc<dyn PhysicalExpr>, function: Function, scan: &Scan) -> Option<usize> {
    if let Some(index) = column_index(argument) {
        return Some(index);
    }
    let cast = argument.downcast_ref::<CastExpr>()?;
    let index = column_index(cast.expr())?;
    let from = physical_kind(scan, scan.columns[index]);
    let widens = matches!(
        (function, from, cast.cast_type()),
        (Function::Sum, DataType::Int32, DataType::Int64)
            | (Function::Avg, DataType::Int32 | DataType::Int64, DataType::Float64)
    );
    widens.then_some(index)
}

/// The indexes at whose ends all the aggregates stand, if they do.
fn index_ends(scan: &Scan, group_by: &[GroupColumn], aggregates: &[Aggregate]) -> Vec<mainstay_table::Ordering> {
    if !group_by.is_empty() || scan.source.predicate.is_some() || scan.source.visibility == Visibility::All {
        return Vec::new();
    }
    let end = |aggregate: &Aggregate| {
        let descending = match aggregate.function {
            Function::Min => false,
            Function::Max => true,
            _ => return None,
        };
        scan.source.table.order(aggregate.column, descending)
    };
    aggregates.iter().map(end).collect::<Option<_>>().unwrap_or_default()
}
