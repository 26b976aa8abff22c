//! Physical plans as trees of operators: a plan of the batch executor in terms of [`Node`].
//!
//! ```text
//!   AggregateExec(Final)                     HashAggregate
//!     RepartitionExec                           TableScan orders
//!       AggregateExec(Partial)      -->
//!         TableScan: orders
//! ```
//!
//! Operators that move rows between threads, check for cancellation or hide statistics from the optimizer are omitted,
//! since they do not describe how a statement is answered. A fused leaf stands for two operators: the scan and the
//! kernel above.

use crate::execute::concatenate::Concatenate;
use crate::lateral::is_lateral;
use crate::leaves::fused::{Fused, Kernel};
use crate::leaves::order::By;
use crate::leaves::scan::{Source, TableScan};
use crate::parse::marks::unmarked;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use datafusion::common::JoinType;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, JoinOnRef, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, displayable};
use mainstay_columnar::{Access, Ordering};
use mainstay_row_executor::{Join, Node, Operator};
use mainstay_types::Result;
use std::fmt;
use std::sync::Arc;

/// Operators with one input that pass its rows on as they are.
const PASSES: [&str; 14] = [
    "CoalesceBatchesExec",
    "CoalescePartitionsExec",
    "Compact",
    "Concatenate",
    "CooperativeExec",
    "DecodeTexts",
    "EncodeTexts",
    "Held",
    "OutputRequirementExec",
    "PackGroups",
    "RepartitionExec",
    "Rows",
    "SortPreservingMergeExec",
    "Watch",
];

/// The operators of a planned query: of the row executor where that runs it.
///
/// Errors: those of making the plan of the batch executor.
pub fn operators(planner: &Planner, planned: &Planned) -> Result<Node> {
    let node = match planned.short() {
        Some(short) => mainstay_row_executor::node_of(&short.plan, &[]),
        None => node_of(&planner.built(planned)?.plan),
    };
    let columns = planned.schema().fields().iter().map(|field| unmarked(field.name()).into_owned()).collect();
    Ok(Node { columns, ..node })
}

/// An operator and what is below it.
fn node_of(plan: &Arc<dyn ExecutionPlan>) -> Node {
    let node = known(plan).unwrap_or_else(|| other(plan));
    let estimate = || StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new()).ok();
    let rows = || estimate()?.num_rows.get_value().map(|rows| *rows as f64);
    let columns = match node.columns.is_empty() {
        true => plan.schema().fields().iter().map(|field| unmarked(field.name()).into_owned()).collect(),
        false => node.columns,
    };
    Node { rows: node.rows.or_else(rows), columns, ..node }
}

fn inputs(plan: &Arc<dyn ExecutionPlan>) -> Vec<Node> {
    plan.children().into_iter().map(node_of).collect()
}

fn known(plan: &Arc<dyn ExecutionPlan>) -> Option<Node> {
    if let Some(scan) = plan.downcast_ref::<TableScan>() {
        return Some(Node { limit: scan.scan.limit, ..leaf(&scan.scan.source) });
    }
    if let Some(fused) = plan.downcast_ref::<Fused>() {
        return Some(fused_node(fused));
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let condition = Some(text(filter.predicate()));
        return Some(Node { condition, ..Node::new(Operator::Filter, inputs(plan)) });
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return Some(projected(projection, plan));
    }
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        let operator = if sort.fetch().is_some() { Operator::TopSort } else { Operator::Sort };
        let key = |key: &PhysicalSortExpr| (text(&key.expr), key.options.descending);
        let order = sort.expr().iter().map(key).collect();
        return Some(Node { order, limit: sort.fetch(), ..Node::new(operator, inputs(plan)) });
    }
    if let Some(limit) = plan.downcast_ref::<GlobalLimitExec>() {
        return Some(top(limit.fetch().map(|fetch| fetch.saturating_add(limit.skip())), plan));
    }
    if let Some(limit) = plan.downcast_ref::<LocalLimitExec>() {
        return Some(top(Some(limit.fetch()), plan));
    }
    if let Some(all) = plan.downcast_ref::<Concatenate>() {
        return all.fetch().map(|fetch| top(Some(fetch), plan));
    }
    if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        return Some(aggregated(aggregate, plan));
    }
    joined(plan).or_else(|| plain(plan))
}

/// A limit. Two of them, one for each thread and one for all, are one to the reader.
fn top(limit: Option<usize>, plan: &Arc<dyn ExecutionPlan>) -> Node {
    let mut inputs = inputs(plan);
    match inputs.pop() {
        Some(input) if input.operator == Operator::Top => Node { limit, ..input },
        input => Node { limit, ..Node::new(Operator::Top, input.into_iter().collect()) },
    }
}

/// A projection; one of plain columns is none to the reader.
fn projected(projection: &ProjectionExec, plan: &Arc<dyn ExecutionPlan>) -> Node {
    let calculated = projection.expr().iter().filter(|expr| !expr.expr.is::<Column>());
    let defined: Vec<String> =
        calculated.map(|expr| format!("{} = {}", unmarked(&expr.alias), text(&expr.expr))).collect();
    let mut inputs = inputs(plan);
    match (defined.is_empty(), inputs.pop()) {
        (true, Some(input)) => Node { columns: Vec::new(), ..input },
        (_, input) => Node { defined, ..Node::new(Operator::Compute, input.into_iter().collect()) },
    }
}

fn aggregated(aggregate: &AggregateExec, plan: &Arc<dyn ExecutionPlan>) -> Node {
    let mut inputs = inputs(plan);
    let keys: Vec<String> = aggregate.group_expr().expr().iter().map(|(_, name)| unmarked(name).into_owned()).collect();
    let is_second =
        !matches!(aggregate.mode(), AggregateMode::Partial | AggregateMode::Single | AggregateMode::SinglePartitioned);
    let is_aggregate = |node: &Node| matches!(node.operator, Operator::HashAggregate | Operator::StreamAggregate);
    // The first half, on each thread, is below the second.
    if is_second
        && inputs.first().is_some_and(is_aggregate)
        && let Some(first) = inputs.pop()
    {
        return Node { columns: Vec::new(), rows: None, ..first };
    }
    let defined = aggregate.aggr_expr().iter().map(|call| unmarked(call.name()).into_owned()).collect();
    let operator = if keys.is_empty() { Operator::StreamAggregate } else { Operator::HashAggregate };
    Node { keys, defined, ..Node::new(operator, inputs) }
}

fn joined(plan: &Arc<dyn ExecutionPlan>) -> Option<Node> {
    let keys = |on: JoinOnRef<'_>| -> Vec<String> {
        on.iter().map(|(left, right)| format!("{} = {}", text(left), text(right))).collect()
    };
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let condition = join.filter().map(|filter| text(filter.expression()));
        let operator = Operator::HashJoin(kind(*join.join_type()));
        return Some(Node { keys: keys(join.on()), condition, ..Node::new(operator, inputs(plan)) });
    }
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        let condition = join.filter().as_ref().map(|filter| text(filter.expression()));
        let operator = Operator::MergeJoin(kind(join.join_type()));
        return Some(Node { keys: keys(join.on()), condition, ..Node::new(operator, inputs(plan)) });
    }
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        let condition = join.filter().map(|filter| text(filter.expression()));
        let operator = Operator::NestedLoops(kind(*join.join_type()));
        return Some(Node { condition, ..Node::new(operator, inputs(plan)) });
    }
    if is_lateral(plan) {
        // The inner plan is made when the keys are known.
        let inner = Node::new(Operator::Rowset("correlated subquery".to_owned()), Vec::new());
        let inputs = inputs(plan).into_iter().chain([inner]).collect();
        return Some(Node::new(Operator::NestedLoops(Join::LeftOuter), inputs));
    }
    plan.is::<CrossJoinExec>().then(|| Node::new(Operator::NestedLoops(Join::Inner), inputs(plan)))
}

/// Operators that are known by their kind alone.
fn plain(plan: &Arc<dyn ExecutionPlan>) -> Option<Node> {
    let operator = if plan.is::<UnionExec>() || plan.is::<InterleaveExec>() {
        Operator::Concatenation
    } else if plan.is::<WindowAggExec>() || plan.is::<BoundedWindowAggExec>() {
        Operator::Window
    } else if plan.is::<PlaceholderRowExec>() || plan.is::<EmptyExec>() {
        Operator::Constants
    } else {
        return None;
    };
    Some(Node::new(operator, inputs(plan)))
}

fn other(plan: &Arc<dyn ExecutionPlan>) -> Node {
    let mut inputs = inputs(plan);
    let name = plan.name();
    if PASSES.contains(&name)
        && inputs.len() == 1
        && let Some(input) = inputs.pop()
    {
        return input;
    }
    let operator = match name {
        "Recursion" | "RecursiveQueryExec" => Operator::Recursion,
        "SharedRows" => Operator::Spool,
        "ScalarSubqueryExec" => Operator::Sequence,
        "WorkRows" | "WorkTableExec" => Operator::Rowset("work table".to_owned()),
        "Rowset" | "RowsText" => Operator::Rowset(unmarked(&shown(plan)).into_owned()),
        "DataSourceExec" => Operator::TableScan,
        name => Operator::Other(name.to_owned()),
    };
    if operator == Operator::Sequence && !inputs.is_empty() {
        // The input that uses the subqueries is the first here, and the last to run.
        inputs.rotate_left(1);
    }
    let condition = (operator == Operator::TableScan).then(|| unmarked(&shown(plan)).into_owned());
    Node { condition, ..Node::new(operator, inputs) }
}

/// An operator as it describes itself.
fn shown(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).one_line().to_string().trim().to_owned()
}

/// How a table is read.
fn leaf(source: &Source) -> Node {
    let names: Vec<&String> = source.table.schema().fields().iter().map(|field| field.name()).collect();
    let condition = source.predicate.as_ref().map(|predicate| predicate.display(&names).to_string());
    let operator = if source.access.is_some() { Operator::IndexSeek } else { Operator::TableScan };
    let seek = source.access.as_ref().map(Access::to_string);
    Node { seek, condition, ..Node::new(operator, Vec::new()).of_table(source.table.name()) }
}

/// A table that is read in the order of an index.
fn index_scan(source: &Source, ordering: &Ordering) -> Node {
    let (index, backward) = (Some(ordering.name.clone()), ordering.descending);
    Node { operator: Operator::IndexScan, index, backward, ..leaf(source) }
}

/// A scan and the kernel above it.
fn fused_node(fused: &Fused) -> Node {
    let (source, kernel) = fused.parts();
    let schema = source.table.schema();
    let name = |column: usize| schema.field(column).name().clone();
    match kernel {
        Kernel::Aggregate(kernel) => {
            let keys: Vec<String> = kernel.group_by.iter().map(|group| name(group.column)).collect();
            let operator = if keys.is_empty() { Operator::StreamAggregate } else { Operator::HashAggregate };
            let scan = kernel.ends.first().map_or_else(|| leaf(source), |end| index_scan(source, end));
            Node { keys, ..Node::new(operator, vec![scan]) }
        }
        Kernel::Ends(kernel) => {
            let defined = kernel.ends.iter().map(|end| end.text.clone()).collect();
            let scan = kernel.ends.first().map_or_else(|| leaf(source), |end| index_scan(source, &end.ordering));
            Node { defined, ..Node::new(Operator::StreamAggregate, vec![scan]) }
        }
        Kernel::Top(kernel) => {
            let order = kernel.keys.iter().map(|key| (name(key.column), key.descending)).collect();
            Node { order, limit: Some(kernel.limit), ..Node::new(Operator::TopSort, vec![leaf(source)]) }
        }
        Kernel::Order(kernel) => {
            let scan = match &kernel.by {
                By::Index(ordering) => index_scan(source, ordering),
                By::Rows => leaf(source),
            };
            match kernel.limit {
                Some(limit) => Node { limit: Some(limit), ..Node::new(Operator::Top, vec![scan]) },
                None => scan,
            }
        }
    }
}

/// An expression as SQL, with the names of columns alone.
struct Sql<'e>(&'e dyn PhysicalExpr);

impl fmt::Display for Sql<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_sql(f)
    }
}

fn text(expr: &Arc<dyn PhysicalExpr>) -> String {
    unmarked(&Sql(expr.as_ref()).to_string()).into_owned()
}

fn kind(join: JoinType) -> Join {
    match join {
        JoinType::Inner => Join::Inner,
        JoinType::Left => Join::LeftOuter,
        JoinType::Right => Join::RightOuter,
        JoinType::Full => Join::FullOuter,
        JoinType::LeftSemi => Join::LeftSemi,
        JoinType::RightSemi => Join::RightSemi,
        JoinType::LeftAnti => Join::LeftAnti,
        JoinType::RightAnti => Join::RightAnti,
        // A mark says of each row whether there is a partner.
        JoinType::LeftMark => Join::LeftSemi,
        JoinType::RightMark => Join::RightSemi,
    }
}
