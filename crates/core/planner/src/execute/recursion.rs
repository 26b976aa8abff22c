//! A limit of iterations of a recursive common table expression, which a dialect sets.
//!
//! ```text
//!   WITH n AS (SELECT 1 ... UNION ALL SELECT * FROM "DIALECT:recursion"('100', (SELECT i + 1 FROM n ...)))
//!       RecursiveQuery(first part, Recursion { 100 }(recursive part))
//! ```
//!
//! The leaves below this operator that read the previous iteration share its rows ([`crate::execute::work_table`]); for
//! that alone it is added above parts without a limit that have several such leaves.
//!
//! The core's operator repeats the recursive part until it gives no rows, and has no limit. The operator of this module
//! above that part counts the iterations: rows beyond the limit are the dialect's error. The task
//! distinguishes two runs of one plan.

use crate::carried_error::to_datafusion;
use arrow_schema::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchemaRef, Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use mainstay_types::Error;
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The recursive part of a common table expression.
#[derive(Clone, Debug)]
pub(crate) struct Recursion {
    input: LogicalPlan,
    limit: u32,
    /// The error of a part that gives rows beyond its limit.
    exceeded: Option<Error>,
}

/// The number of turns of a part that may run any number of times.
const ANY_NUMBER: u32 = u32::MAX;

impl Recursion {
    /// A recursive part that fails with this error when it gives rows beyond a number of iterations.
    pub(crate) fn limited(input: LogicalPlan, limit: u32, exceeded: Error) -> LogicalPlan {
        let node = Recursion { input, limit, exceeded: Some(exceeded) };
        LogicalPlan::Extension(Extension { node: Arc::new(node) })
    }

    /// A recursive part whose leaves share the rows of a turn.
    pub(crate) fn unlimited(input: Arc<LogicalPlan>) -> Arc<LogicalPlan> {
        let node = Recursion { input: Arc::unwrap_or_clone(input), limit: ANY_NUMBER, exceeded: None };
        Arc::new(LogicalPlan::Extension(Extension { node: Arc::new(node) }))
    }
}

impl PartialEq for Recursion {
    fn eq(&self, other: &Recursion) -> bool {
        self.limit == other.limit && self.input == other.input
    }
}

impl Eq for Recursion {}

impl Hash for Recursion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.input.hash(state);
        self.limit.hash(state);
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
            Some(input) => Ok(Recursion { input, limit: self.limit, exceeded: self.exceeded.clone() }),
            None => internal_err!("a recursion without its input"),
        }
    }
}

/// The operator of [`Recursion`].
pub(crate) struct RecursionExec {
    input: Arc<dyn ExecutionPlan>,
    limit: u32,
    exceeded: Option<Error>,
    turns: Arc<Turns>,
}

impl RecursionExec {
    /// The same over another input, with the same count.
    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let (exceeded, turns) = (self.exceeded.clone(), Arc::clone(&self.turns));
        Arc::new(RecursionExec { input, limit: self.limit, exceeded, turns })
    }
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
        let (input, exceeded) = (Arc::clone(input), node.exceeded.clone());
        Ok(Arc::new(RecursionExec { input, limit: node.limit, exceeded, turns: Arc::default() }))
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
        Ok(self.over(input))
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
        Some(self.over(input))
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
        let Some(exceeded) = self.exceeded.clone() else { return Ok(input) };
        let schema: SchemaRef = input.schema();
        // An iteration that finds no more rows is within the limit.
        let checked = input.map(move |batch| match batch {
            Ok(batch) if batch.num_rows() > 0 => Err(to_datafusion(exceeded.clone())),
            other => other,
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, checked)))
    }
}
