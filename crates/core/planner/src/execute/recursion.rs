//! MAXRECURSION: the limit of iterations of a recursive common table expression.
//!
//! ```text
//!   WITH n AS (SELECT 1 ... UNION ALL SELECT * FROM "mssql:table:recursion"('100', (SELECT i + 1 FROM n ...)))
//!       RecursiveQuery(first part, Recursion { 100 }(recursive part))
//! ```
//!
//! The leaves below this operator that read the previous iteration share its rows ([`crate::execute::work_table`]); for
//! that alone it is added above parts without a limit that have several such leaves.
//!
//! The core's operator repeats the recursive part until it gives no rows, and has no limit. The operator of this module
//! above that part counts the iterations: rows beyond the limit are error 530. The task distinguishes two runs of one
//! plan.

use crate::mssql::failed;
use arrow_schema::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchemaRef, Result, internal_err, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties};
use datafusion::sql::sqlparser::ast::{self, FunctionArg, FunctionArgExpr, TableFactor};
use futures::StreamExt;
use mainstay_tsql_types::Message;
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The recursive part of a common table expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recursion {
    input: LogicalPlan,
    limit: u32,
}

impl Recursion {
    /// The arguments are the limit and the query.
    pub(crate) fn plan(args: &[FunctionArg], context: &mut dyn RelationPlannerContext) -> Result<LogicalPlan> {
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(limit)), FunctionArg::Unnamed(FunctionArgExpr::Expr(query))] =
            args
        else {
            return plan_err!("recursion takes a limit and a query");
        };
        let limit = match limit {
            ast::Expr::Value(value) => value.value.clone().into_string().and_then(|text| text.parse().ok()),
            _ => None,
        };
        let (Some(limit), ast::Expr::Subquery(query)) = (limit, query) else {
            return plan_err!("recursion takes a limit and a query");
        };
        let subquery = TableFactor::Derived { lateral: false, subquery: query.clone(), alias: None, sample: None };
        let node = Recursion { input: context.plan(subquery)?, limit };
        Ok(LogicalPlan::Extension(Extension { node: Arc::new(node) }))
    }
}

/// The number of turns of a part that may run any number of times.
const ANY_NUMBER: u32 = u32::MAX;

impl Recursion {
    /// A recursive part whose leaves share the rows of a turn.
    pub(crate) fn unlimited(input: Arc<LogicalPlan>) -> Arc<LogicalPlan> {
        let node = Recursion { input: Arc::unwrap_or_clone(input), limit: ANY_NUMBER };
        Arc::new(LogicalPlan::Extension(Extension { node: Arc::new(node) }))
    }
}

fn limit_of(node: &LogicalPlan) -> Option<u32> {
    match node {
        LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref::<Recursion>().map(|node| node.limit),
        _ => None,
    }
}

/// Reports whether a node is a recursive part.
pub(crate) fn is_part(node: &LogicalPlan) -> bool {
    limit_of(node).is_some()
}

/// Reports whether a node is a recursive part with a limit.
pub(crate) fn is_limited(node: &LogicalPlan) -> bool {
    limit_of(node).is_some_and(|limit| limit != ANY_NUMBER)
}

impl PartialOrd for Recursion {
    fn partial_cmp(&self, other: &Recursion) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for Recursion {
    fn name(&self) -> &str {
        "Recursion"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recursion: at most {}", self.limit)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Recursion> {
        match inputs.pop() {
            Some(input) => Ok(Recursion { input, limit: self.limit }),
            None => internal_err!("a recursion without its input"),
        }
    }
}

/// The operator of [`Recursion`].
pub(crate) struct RecursionExec {
    input: Arc<dyn ExecutionPlan>,
    limit: u32,
    turns: Arc<Turns>,
}

/// How often the part has run, of one task.
#[derive(Default)]
struct Turns(Mutex<(Weak<TaskContext>, u32)>);

impl Turns {
    fn next(&self, task: &Arc<TaskContext>) -> u32 {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, count) = &mut *turns;
        if known.upgrade().is_none_or(|known| !Arc::ptr_eq(&known, task)) {
            (*known, *count) = (Arc::downgrade(task), 0);
        }
        *count += 1;
        *count
    }
}

impl RecursionExec {
    pub(crate) fn planned(node: &Recursion, inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = inputs.first() else { return internal_err!("a recursion without its input") };
        Ok(Arc::new(RecursionExec { input: Arc::clone(input), limit: node.limit, turns: Arc::default() }))
    }
}

impl fmt::Debug for RecursionExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recursion({})", self.limit)
    }
}

impl DisplayAs for RecursionExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recursion: at most {}", self.limit)
    }
}

impl ExecutionPlan for RecursionExec {
    fn name(&self) -> &'static str {
        "Recursion"
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

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = children.pop() else { return internal_err!("a recursion without its input") };
        Ok(Arc::new(RecursionExec { input, limit: self.limit, turns: Arc::clone(&self.turns) }))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        // The count goes on from turn to turn.
        Ok(self)
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        // Turns are counted, and what runs in parts runs several times in one.
        vec![Distribution::SinglePartition]
    }

    fn with_new_state(&self, table: Arc<dyn Any + Send + Sync>) -> Option<Arc<dyn ExecutionPlan>> {
        let input = crate::execute::work_table::assigned(&self.input, &table)?;
        Some(Arc::new(RecursionExec { input, limit: self.limit, turns: Arc::clone(&self.turns) }))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let is_over = partition == 0 && self.turns.next(&context) > self.limit;
        let input = self.input.execute(partition, context)?;
        if !is_over {
            return Ok(input);
        }
        let (schema, limit): (SchemaRef, u32) = (input.schema(), self.limit);
        // The turn that finds nothing more is none too many.
        let checked = input.map(move |batch| match batch {
            Ok(batch) if batch.num_rows() > 0 => Err(failed(Message::error(
                530,
                format!(
                    "The statement terminated. The maximum recursion {limit} has been exhausted before statement completion."
                ),
            ))),
            other => other,
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, checked)))
    }
}
