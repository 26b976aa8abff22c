//! Queries: their plans and their views.

use super::Session;
use crate::prepared::note_reads;
use crate::words;
use mainstay_columnar::Table;
use mainstay_planner::{Answer, Newest, Planned, RunOptions, Short, View};
use mainstay_row_executor::Outcome;
use mainstay_store::Shown;
use mainstay_types::{Code, Result};
use std::any::Any;
use std::sync::Arc;

impl Session {
    /// The plan of a statement that has come before, if it is a query.
    pub(super) fn known_query(&self, statement: &str) -> Option<Arc<Planned>> {
        let shared = &self.database.shared;
        // The version of what a session can name: see `SessionCatalog`.
        let version = mainstay_planner::Catalog::version(&shared.catalog) + self.catalog_version();
        shared.planner.ready(words::without_end(statement), version, (self.visibility, self.reading))
    }

    pub(super) fn query(&mut self, query: &str) -> Result<Answer> {
        let planned = self.planned(query)?;
        self.run_query(&planned, query)
    }

    /// The plan of a query. The statement ends while it is planned, too.
    fn planned(&self, query: &str) -> Result<Arc<Planned>> {
        let shared = &self.database.shared;
        let _ends = self.transaction.interrupt_in_force();
        shared.planner.plan(query, &self.catalog(shared), self.visibility)
    }

    pub(super) fn run_query(&mut self, planned: &Planned, query: &str) -> Result<Answer> {
        match self.run(planned, query) {
            // A file has gone or has another structure than when the statement was planned: look again, once.
            Err(error) if matches!(error.code(), Code::Busy | Code::NotFound) => {
                self.database.shared.catalog.refresh()?;
                let planned = self.planned(query)?;
                self.run(&planned, query)
            }
            other => other,
        }
    }

    fn run(&mut self, planned: &Planned, text: &str) -> Result<Answer> {
        if let Some(short) = planned.short()
            && let Some(answer) = self.run_short(short, text)?
        {
            return Ok(answer);
        }
        let shared = &self.database.shared;
        // Functions may read tables that the plan has not.
        let reads_native = planned.tables().iter().any(is_native) || self.transaction.has_outlook();
        let view: Arc<dyn View> = match reads_native {
            true => Arc::new(self.transaction.view(&shared.catalog.native, planned.tables(), text)?),
            false => Newest::shared(),
        };
        let (cancel, progress) = (self.cancel.clone(), Arc::clone(&self.progress));
        shared.planner.run(planned, RunOptions { cancel, progress, view })
    }
}

impl Session {
    /// The answer of the row executor; `None` when it leaves the statement to the batch executor.
    fn run_short(&mut self, short: &Short, text: &str) -> Result<Option<Answer>> {
        let Session { transaction, workspace, progress, database, .. } = self;
        let (scratch, buffer) = workspace.parts();
        let outcome = match short.plan.all_tables().is_empty() {
            true => short.plan.run(mainstay_store::View::at(0, 0), &[], scratch, buffer)?,
            false => {
                // Only a transaction that goes on tells others what it is doing.
                let text = if transaction.is_open() { Arc::from(text) } else { Arc::default() };
                transaction.read(&database.shared.catalog.native, &text, |transaction, view| {
                    let outcome = short.plan.run(view, &[], scratch, buffer)?;
                    if outcome == Outcome::Done {
                        note_reads(transaction, short)?;
                    }
                    Ok(outcome)
                })?
            }
        };
        if outcome != Outcome::Done {
            return Ok(None);
        }
        progress.read(buffer.len());
        super::count_run(progress.reads(), &short.plan, scratch);
        Ok(Some(Answer::of(Arc::clone(&short.schema), vec![short.batch(buffer)?])))
    }
}

fn is_native(table: &Arc<dyn Table>) -> bool {
    let any: &dyn Any = table.as_ref();
    any.is::<Shown>()
}
