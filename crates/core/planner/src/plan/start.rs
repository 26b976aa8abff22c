//! Start and restart of a plan of the batch executor.
//!
//! A table whose rows other programs may roll back while it is read ([`Table::may_take_back`]) reports when that
//! happens: the statement has read a state that is no longer valid, and starts again with another one. That is possible
//! as long as none of its rows was given. If some were, the answer ends with an error about the table's lost end.
//!
//! In the same way a statement that exceeds the memory limit starts again, once, with a plan that needs less: see
//! [`spilling`].
//!
//! [`spilling`]: crate::execute::spilling

use crate::error::from_datafusion;
use crate::execute::deep_stack::deep_if;
use crate::execute::join_filters::fresh;
use crate::execute::memory::Share;
use crate::execute::run::{Restart, Run, RunOptions};
use crate::optimize::Optimizers;
use crate::plan::planned::{Built, Planned};
use datafusion::execution::context::SessionConfig;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;
use mainstay_columnar::Table;
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// How often a statement begins again. Each time another program has taken back rows that were counted a moment before.
const MOST: usize = 100;

/// The common part of every run's task context.
pub(crate) struct TaskTemplate {
    pub(crate) config: SessionConfig,
    pub(crate) runtime_env: Arc<RuntimeEnv>,
}

impl TaskTemplate {
    /// Starts a plan that reads these tables.
    pub(crate) fn start(
        &self,
        (plan, how): (&Arc<dyn ExecutionPlan>, How),
        tables: &[Arc<dyn Table>],
        options: RunOptions,
        runtime: &tokio::runtime::Handle,
    ) -> Result<(SendableRecordBatchStream, Arc<Run>)> {
        deep_if(how.deep, || self.start_here((plan, how), tables, options, runtime))
    }

    fn start_here(
        &self,
        (plan, how): (&Arc<dyn ExecutionPlan>, How),
        tables: &[Arc<dyn Table>],
        options: RunOptions,
        runtime: &tokio::runtime::Handle,
    ) -> Result<(SendableRecordBatchStream, Arc<Run>)> {
        let _workers = runtime.enter();
        let share = Share::of(&self.runtime_env.memory_pool);
        let run = Arc::new(Run::new(options, (how.threads, how.readers), Arc::clone(&share)));
        for table in tables {
            run.snapshot(table)?;
        }
        let config = self.config.clone().with_extension(Arc::clone(&run));
        // Functions are looked up in a task context only by plans that travel between processes.
        let none = HashMap::new;
        let environment = match how.stateful {
            true => Arc::new(RuntimeEnv { memory_pool: share, ..self.runtime_env.as_ref().clone() }),
            false => Arc::clone(&self.runtime_env),
        };
        let context = TaskContext::new(
            None,
            String::new(),
            config,
            none(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            environment,
        );
        let start = || {
            let plan = match how.stateful {
                true => fresh(Arc::clone(plan))?,
                false => Arc::clone(plan),
            };
            execute_stream(plan, Arc::new(context))
        };
        let stream = start().map_err(|error| from_datafusion(error, None, None))?;
        // Leaves of ours look for the wish to stop themselves; other operators may be busy for long.
        Ok((if how.stateful || how.deep { on_a_worker(stream) } else { stream }, run))
    }
}

/// How a plan is run: see [`Built`].
#[derive(Clone, Copy)]
pub(crate) struct How {
    stateful: bool,
    /// True if its operators call each other so deep that they run on threads with deep stacks alone.
    deep: bool,
    threads: usize,
    readers: usize,
}

/// From how many operators within each other a plan counts as deep.
const DEEP: usize = 64;

impl How {
    pub(crate) fn of(built: &Built, threads: usize) -> How {
        let Built { stateful, large, levels, .. } = *built;
        How { stateful, deep: levels > DEEP, threads: if large { threads } else { 1 }, readers: threads }
    }
}

/// The parts that a statement starts again with after it ran out of memory.
pub(crate) struct Again {
    task: Arc<TaskTemplate>,
    plan: Arc<dyn ExecutionPlan>,
    how: How,
    tables: Vec<Arc<dyn Table>>,
    options: RunOptions,
    runtime: tokio::runtime::Handle,
    left: usize,
    /// Rows of it were given.
    was_given: bool,
    /// The logical plan for operators that spill, until they are built.
    spilling: Option<(Arc<Optimizers>, LogicalPlan)>,
    /// The out-of-memory error of the plan before that one.
    missing: Option<Error>,
}

impl Again {
    /// For a statement that reads a table whose rows may be taken back, or that may need more memory than there is.
    pub(crate) fn of(
        (task, optimizers): (&Arc<TaskTemplate>, &Arc<Optimizers>),
        planned: &Planned,
        (built, how): (&Built, How),
        options: &RunOptions,
        runtime: &tokio::runtime::Handle,
    ) -> Option<Box<dyn Restart>> {
        let spilling = built.logical.clone().map(|logical| (Arc::clone(optimizers), logical));
        let may_begin_again = spilling.is_some() || planned.tables.iter().any(|table| table.may_take_back());
        may_begin_again.then(|| {
            let again: Box<dyn Restart> = Box::new(Again {
                task: Arc::clone(task),
                plan: Arc::clone(&built.plan),
                how,
                tables: planned.tables.clone(),
                options: options.clone(),
                runtime: runtime.clone(),
                left: MOST,
                was_given: false,
                spilling,
                missing: None,
            });
            again
        })
    }
}

impl Restart for Again {
    fn note_given(&mut self, are_rows: bool) {
        self.was_given |= are_rows;
    }

    fn prepare(&mut self, error: Error) -> Result<()> {
        match error.code() {
            Code::DefinitionChanged if self.was_given => Err(error.with_code(Code::Damaged)),
            Code::DefinitionChanged if self.left > 0 => {
                self.left -= 1;
                Ok(())
            }
            Code::OutOfMemory if !self.was_given => {
                let Some((optimizers, logical)) = self.spilling.take() else {
                    return Err(self.missing.take().unwrap_or(error));
                };
                let spilling = || {
                    crate::functions::result_sizes::planning(|| optimizers.spilling(&logical))
                        .map_err(|error| from_datafusion(error, None, None))
                };
                match deep_if(self.how.deep, spilling) {
                    Ok(plan) => self.plan = plan,
                    Err(_) => return Err(error),
                }
                self.missing = Some(error);
                self.how = How { stateful: true, threads: 1, readers: 1, ..self.how };
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn start(&self) -> Result<(SendableRecordBatchStream, Arc<Run>)> {
        self.task.start((&self.plan, self.how), &self.tables, self.options.clone(), &self.runtime)
    }
}

/// The stream, driven by a worker thread: so the caller can stop waiting for it at any time, and its work
/// ends when the caller drops it.
fn on_a_worker(mut stream: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let mut builder = RecordBatchReceiverStream::builder(stream.schema(), 2);
    let sender = builder.tx();
    builder.spawn(async move {
        while let Some(batch) = stream.next().await {
            if sender.send(batch).await.is_err() {
                break;
            }
        }
        Ok(())
    });
    builder.build()
}
