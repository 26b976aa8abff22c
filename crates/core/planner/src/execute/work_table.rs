//! A recursive part that reads the previous iteration in several places: `SELECT ... FROM n UNION ALL SELECT ... FROM
//! n`.
//!
//! The core's leaf for these rows removes them when it runs, and the core refuses a part with two such leaves. Here the
//! first leaf that runs in an iteration takes the rows, and the others get them from it:
//!
//! ```text
//!   logical    WorkRows { n }               in the place of each scan, if there are several
//!   physical   WorkRowsExec                 all of one name, below one `Recursion`, share a [`Turn`]
//! ```
//!
//! `Recursion` gives its leaves the core's table and a separate turn when a run begins: a plan has no state of a run.

use crate::execute::recursion::Recursion;
use crate::tree::nodes::{PlanTree, Tree};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::CteWorkTable;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{DFSchemaRef, DataFusionError, Result, internal_err};
use datafusion::datasource::source_as_provider;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::work_table::WorkTableExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::future::{BoxFuture, FutureExt, Shared};
use futures::stream::{StreamExt, TryStreamExt};
use mainstay_types::{Code, Error};
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of the turn before, of the common table expression of this name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WorkRows {
    name: String,
    schema: DFSchemaRef,
}

/// Returns true if a node reads the rows of the turn before of the common table expression of this name.
fn is_scan_of(node: &LogicalPlan, name: &str) -> bool {
    let LogicalPlan::TableScan(scan) = node else { return false };
    let provider = source_as_provider(&scan.source);
    provider.is_ok_and(|provider| provider.downcast_ref::<CteWorkTable>().is_some_and(|table| table.name() == name))
}

/// Refuses a plan that reads the rows of a turn where no turn runs: of a query that names itself in a subquery only, the planner
/// makes none that is recursive.
pub(crate) fn check_owners(plan: &LogicalPlan) -> Result<()> {
    let (mut read, mut owners) = (Vec::new(), Vec::new());
    plan.each_with_subqueries(|node| {
        match node {
            LogicalPlan::RecursiveQuery(query) => owners.push(query.name.clone()),
            LogicalPlan::TableScan(scan) => {
                let provider = source_as_provider(&scan.source);
                if let Some(table) = provider.as_ref().ok().and_then(|it| it.downcast_ref::<CteWorkTable>()) {
                    read.push(table.name().to_owned());
                }
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    match read.into_iter().find(|name| !owners.contains(name)) {
        Some(name) => Err(in_subquery(&name)),
        None => Ok(()),
    }
}

fn in_subquery(name: &str) -> DataFusionError {
    let error = Error::new(Code::Unsupported, format!("the recursive query {name} refers to itself in a subquery"));
    crate::carried_error::to_datafusion(error.about(name).hint("name it in FROM, beside the other tables"))
}

/// Refuses a recursive part that reads these rows in a subquery: that may run when there are none. PostgreSQL refuses it, too
/// (42P19), and so does SQL Server (465).
pub(crate) fn check(part: &LogicalPlan, name: &str) -> Result<()> {
    let reads = |plan: &LogicalPlan| {
        let mut reads = false;
        plan.each_with_subqueries(|node| {
            reads |= is_scan_of(node, name);
            Ok(if reads { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })?;
        Ok::<bool, DataFusionError>(reads)
    };
    let mut is_read = false;
    part.each_with_subqueries(|node| {
        if let LogicalPlan::Subquery(subquery) = node {
            is_read |= reads(&subquery.subquery)?;
        }
        node.each_expression(|expr| {
            expr.each(|expr| {
                let subquery = match expr {
                    Expr::ScalarSubquery(subquery) => Some(subquery),
                    Expr::Exists(test) => Some(&test.subquery),
                    Expr::InSubquery(test) => Some(&test.subquery),
                    Expr::SetComparison(test) => Some(&test.subquery),
                    _ => None,
                };
                if let Some(subquery) = subquery {
                    is_read |= reads(&subquery.subquery)?;
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    if is_read { Err(in_subquery(name)) } else { Ok(()) }
}

/// A recursive part whose scans share the rows, if it has several.
pub(crate) fn shared(part: &Arc<LogicalPlan>, name: &str) -> Result<Arc<LogicalPlan>> {
    let mut scans = 0;
    part.each_with_subqueries(|node| {
        scans += usize::from(is_scan_of(node, name));
        Ok(TreeNodeRecursion::Continue)
    })?;
    if scans < 2 {
        return Ok(Arc::clone(part));
    }
    let changed = part.as_ref().clone().map_up_with_subqueries(|node| match node {
        LogicalPlan::TableScan(scan) if is_scan_of(&LogicalPlan::TableScan(scan.clone()), name) => {
            let node = WorkRows { name: name.to_owned(), schema: scan.projected_schema };
            Ok(Transformed::yes(LogicalPlan::Extension(Extension { node: Arc::new(node) })))
        }
        node => Ok(Transformed::no(node)),
    });
    let part = changed.data().map(Arc::new)?;
    let has_owner = crate::tree::search::any_node(&part, crate::execute::recursion::is_part);
    Ok(if has_owner { part } else { Recursion::unlimited(part) })
}

impl PartialOrd for WorkRows {
    fn partial_cmp(&self, other: &WorkRows) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for WorkRows {
    fn name(&self) -> &'static str {
        "WorkRows"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        Vec::new()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkRows: {}", self.name)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, _: Vec<LogicalPlan>) -> Result<WorkRows> {
        Ok(self.clone())
    }
}

/// The rows of the turn that runs, shared by the leaves of one name once one of them has taken them.
type Turn = Arc<Mutex<Option<Shared<BoxFuture<'static, Rows>>>>>;

/// An error of taking them is that of each leaf.
type Rows = std::result::Result<Arc<Vec<RecordBatch>>, Arc<DataFusionError>>;

/// The operator of [`WorkRows`].
pub(crate) struct WorkRowsExec {
    name: String,
    rows: Arc<dyn ExecutionPlan>,
    turn: Turn,
}

impl WorkRowsExec {
    pub(crate) fn planned(node: &WorkRows) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = WorkTableExec::new(node.name.clone(), Arc::clone(node.schema.inner()), None)?;
        Ok(Arc::new(WorkRowsExec { name: node.name.clone(), rows: Arc::new(rows), turn: Turn::default() }))
    }

    fn next(&self, partition: usize, context: Arc<TaskContext>) -> Result<Shared<BoxFuture<'static, Rows>>> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Rows that are there are those of a new turn: the one before has ended.
        let taken = match (self.rows.execute(partition, context), turn.clone()) {
            (Ok(rows), _) => {
                rows.try_collect::<Vec<_>>().map(|rows| rows.map(Arc::new).map_err(Arc::new)).boxed().shared()
            }
            (Err(_), Some(taken)) => taken,
            (Err(error), None) => return Err(error),
        };
        *turn = Some(taken.clone());
        Ok(taken)
    }
}

/// A plan whose leaves of these rows read this table of the core's; `None` if it has none of them.
pub(crate) fn assigned(
    plan: &Arc<dyn ExecutionPlan>,
    table: &Arc<dyn Any + Send + Sync>,
) -> Option<Arc<dyn ExecutionPlan>> {
    let turn = Turn::default();
    let mut is_any = false;
    let changed = Arc::clone(plan).map_up(|node| {
        let Some(leaf) = node.downcast_ref::<WorkRowsExec>() else { return Ok(Transformed::no(node)) };
        // The table of another name, around this one or within.
        let Some(rows) = leaf.rows.with_new_state(Arc::clone(table)) else { return Ok(Transformed::no(node)) };
        is_any = true;
        let leaf = WorkRowsExec { name: leaf.name.clone(), rows, turn: Arc::clone(&turn) };
        Ok(Transformed::yes(Arc::new(leaf) as Arc<dyn ExecutionPlan>))
    });
    changed.data().ok().filter(|_| is_any)
}

impl fmt::Debug for WorkRowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkRows({})", self.name)
    }
}

impl DisplayAs for WorkRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkRows: {}", self.name)
    }
}

impl ExecutionPlan for WorkRowsExec {
    fn name(&self) -> &'static str {
        "WorkRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.rows.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("rows of a turn with an input") }
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        // Turn by turn the leaves go on sharing.
        Ok(self)
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let taken = self.next(partition, context)?;
        let rows = futures::stream::once(taken).flat_map(|rows| {
            let batches = match rows {
                Ok(batches) => batches.iter().cloned().map(Ok).collect(),
                Err(error) => vec![Err(DataFusionError::Shared(error))],
            };
            futures::stream::iter(batches)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.rows.schema(), rows)))
    }
}
