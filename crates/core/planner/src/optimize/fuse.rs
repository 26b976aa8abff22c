//! Fusion: replaces general operators by kernels, by the shape of a plan.
//!
//! ```text
//!   Aggregate(Scan)            ->  TableAggregate     plain columns, COUNT SUM MIN MAX AVG; MIN MAX of index keys
//!   Sort(Scan)                 ->  TableOrder         the keys of an index, or the row ids
//!   Sort(Scan) with a limit    ->  TableTop           plain columns
//!   Projection(any of these)   ->  the same leaf      plain columns only
//!   Filter(Scan)               ->  Filter(Scan)       that reads the rows of an index: `keyed`
//! ```
//!
//! An aggregate of a large table stays as it is if a sample of the group columns indicates more groups than the kernel holds.
//!
//! The rule runs before the plan is divided among threads: then an aggregate is one node, or a final one
//! right above a partial one.

use crate::leaves::aggregate::AggregateKernel;
use crate::leaves::fused::{Fused, Kernel};
use crate::leaves::index_ends::{End, EndsKernel};
use crate::leaves::order::{By, MAX_TOP, OrderKernel};
use crate::leaves::relation::{PARALLEL_FROM_ROWS, sampled_values};
use crate::leaves::scan::{Scan, TableScan};
use crate::leaves::top_rows::TopKernel;
use crate::optimize::keyed;
use crate::tree::nodes::Tree;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use mainstay_columnar::vector::aggregate::GROUP_LIMIT;
use mainstay_columnar::vector::{Aggregate, Aggregator, Function, GroupColumn, SortKey, Top};
use mainstay_columnar::{OrderKey, Ordering, Term, TermOrder};
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
    if let Some(filter) = node.downcast_ref::<FilterExec>() {
        return keyed::with_access(node, filter);
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
    if let Some(projection) = sort.input().downcast_ref::<ProjectionExec>() {
        return sorted_below(sort, projection);
    }
    let scan = plain_scan(sort.input())?;
    let (columns, limit) = (scan.columns.clone(), sort.fetch());
    let leaf = |kernel| {
        let leaf: Arc<dyn ExecutionPlan> = Arc::new(Fused::new(scan.source.clone(), kernel, Arc::clone(node)));
        Some(leaf)
    };
    if scan.source.visible_only()
        && let [OrderKey { column, descending: false, .. }] = order_keys(scan, sort).unwrap_or_default().as_slice()
        && scan.source.table.row_id_column() == Some(*column)
    {
        return leaf(Kernel::Order(OrderKernel { by: By::Rows, columns, limit }));
    }
    // A walk over an index ends early only when most rows it meets are wanted.
    if (scan.source.predicate.is_none() || limit.is_none())
        && let Some(ordering) = index_order(scan, sort)
    {
        return leaf(Kernel::Order(OrderKernel { by: By::Index(ordering), columns, limit }));
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

/// The projection of a scan in the order of an index, which orders by what the projection computes.
fn sorted_below(sort: &SortExec, projection: &ProjectionExec) -> Option<Arc<dyn ExecutionPlan>> {
    let scan = plain_scan(projection.input()).filter(|scan| scan.source.table.has_computed_keys())?;
    let source = keyed::Source::of(sort.input())?;
    let below = |item: &PhysicalSortExpr| {
        let expr = Arc::clone(source.computed(&item.expr)?);
        Some(PhysicalSortExpr { expr, options: item.options })
    };
    let order = LexOrdering::new(sort.expr().iter().map(below).collect::<Option<Vec<_>>>()?)?;
    let sort = SortExec::new(order, Arc::clone(projection.input())).with_fetch(sort.fetch());
    index_order(scan, &sort)?;
    let general: Arc<dyn ExecutionPlan> = Arc::new(sort.clone());
    let leaf = fused_sort(&general, &sort)?;
    Some(Arc::new(ProjectionExec::try_new(projection.expr().to_vec(), leaf).ok()?))
}

/// The index that has the rows in the order of a sort.
fn index_order(scan: &Scan, sort: &SortExec) -> Option<Ordering> {
    let table = &scan.source.table;
    if scan.source.visible_only()
        && let Some(ordering) = order_keys(scan, sort).and_then(|keys| table.order_by(&keys))
    {
        return Some(ordering);
    }
    if !table.has_computed_keys() {
        return None;
    }
    let key = |item: &PhysicalSortExpr| {
        let PhysicalSortExpr { expr, options } = item;
        let nulls_are_least = options.nulls_first != options.descending || !expr.nullable(&scan.schema).ok()?;
        let term = keyed::term(expr, keyed::Source::of(sort.input())?)?;
        nulls_are_least.then_some(TermOrder { term, descending: options.descending })
    };
    let keys: Vec<TermOrder> = sort.expr().iter().map(key).collect::<Option<_>>()?;
    table.order_of(&keys, scan.source.visible_only())
}

fn order_keys(scan: &Scan, sort: &SortExec) -> Option<Vec<OrderKey>> {
    sort.expr().iter().map(|item| order_key(scan, item)).collect()
}

/// The sort order of rows that indexes may give: a column, or the sort key of one, with NULL at the end where
/// indexes have it.
fn order_key(scan: &Scan, item: &PhysicalSortExpr) -> Option<OrderKey> {
    let descending = item.options.descending;
    let (column, collation) = match item.expr.downcast_ref::<ScalarFunctionExpr>() {
        None => (column_index(&item.expr)?, None),
        Some(call) => {
            let [text] = call.args() else { return None };
            (column_index(text)?, Some(crate::analyze::collate::collation_of_key(call.name())?))
        }
    };
    let column = scan.columns[column];
    let nullable = scan.source.table.schema().field(column).is_nullable();
    (!nullable || item.options.nulls_first != descending).then_some(OrderKey { column, descending, collation })
}

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
    let source = keyed::Source::of(partial.input()).filter(|source| source.scan().limit.is_none())?;
    let scan = source.scan();
    let is_plain = partial.group_expr().is_single()
        && aggregate.limit_options().is_none()
        && partial.limit_options().is_none()
        && partial.filter_expr().iter().all(Option::is_none);
    is_plain.then_some(())?;
    let schema = node.schema();
    if let Some(ends) = computed_ends(partial, source, &schema) {
        return Some(Arc::new(Fused::new(scan.source.clone(), Kernel::Ends(ends), Arc::clone(node))));
    }
    let scan = plain_scan(partial.input())?;
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
    if has_many_groups(scan, &group_by) {
        return None;
    }
    let ends = index_ends(scan, &group_by, &aggregates);
    let outputs = (0..schema.fields().len()).collect();
    let kernel = Kernel::Aggregate(AggregateKernel { group_by, aggregates, ends, outputs });
    Some(Arc::new(Fused::new(scan.source.clone(), kernel, Arc::clone(node))))
}

/// Returns true if the groups of a large table are more than the kernel holds, by a sample: the general operators, on several
/// threads, would otherwise begin after the kernel has given up.
fn has_many_groups(scan: &Scan, group_by: &[GroupColumn]) -> bool {
    let table = scan.source.table.as_ref();
    if group_by.is_empty() || scan.source.access.is_some() || table.estimated_rows() < PARALLEL_FROM_ROWS {
        return false;
    }
    let mut values = group_by.iter().map(|group| sampled_values(table, group.column));
    let groups = values.try_fold(1_usize, |groups, values| Some(groups.saturating_mul(values?)));
    groups.is_some_and(|groups| groups > 2 * GROUP_LIMIT)
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

/// The indexes at whose ends all aggregates of computed values stand, if they do.
fn computed_ends(aggregate: &AggregateExec, source: keyed::Source<'_>, schema: &SchemaRef) -> Option<EndsKernel> {
    let scan = source.scan();
    let is_whole = aggregate.group_expr().expr().is_empty() && scan.source.predicate.is_none();
    let mut values = aggregate.aggr_expr().iter().flat_map(|expr| expr.expressions());
    // Those of plain columns are known by themselves.
    let is_computed = |value: Arc<dyn PhysicalExpr>| source.projection.is_some() || column_index(&value).is_none();
    if !is_whole || !scan.source.table.has_computed_keys() || !values.any(is_computed) {
        return None;
    }
    let end = |(place, expr): (usize, &Arc<AggregateFunctionExpr>)| {
        let descending = match expr.fun().name() {
            "min" => false,
            "max" => true,
            _ => return None,
        };
        let [value]: [Arc<dyn PhysicalExpr>; 1] = expr.expressions().try_into().ok()?;
        let term = keyed::term(&value, source)?;
        let value = source.computed(&value).map_or(value.clone(), Arc::clone);
        let ordering = scan.source.table.order_of(&[TermOrder { term, descending }], scan.source.visible_only())?;
        let (data_type, text) = (schema.field(place).data_type().clone(), expr.name().to_owned());
        Some(End { ordering, value, data_type, text })
    };
    let ends: Vec<End> = aggregate.aggr_expr().iter().enumerate().map(end).collect::<Option<_>>()?;
    let outputs = (0..ends.len()).collect();
    Some(EndsKernel { ends, columns: scan.columns.clone(), schema: Arc::clone(&scan.schema), outputs })
}

/// The indexes at whose ends all the aggregates stand, if they do.
fn index_ends(scan: &Scan, group_by: &[GroupColumn], aggregates: &[Aggregate]) -> Vec<Ordering> {
    if !group_by.is_empty() || scan.source.predicate.is_some() {
        return Vec::new();
    }
    let end = |aggregate: &Aggregate| {
        let descending = match aggregate.function {
            Function::Min => false,
            Function::Max => true,
            _ => return None,
        };
        let (table, column) = (&scan.source.table, aggregate.column);
        match scan.source.visible_only() {
            true => table.order(column, descending),
            false => table.order_of(&[TermOrder { term: Term::Column(column), descending }], false),
        }
    };
    aggregates.iter().map(end).collect::<Option<_>>().unwrap_or_default()
}
