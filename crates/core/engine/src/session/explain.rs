//! EXPLAIN: which executor answers a statement that is given as it is, and the plan of the batch executor.
//!
//! ```text
//!   executor: row (orders by orders_pk, lines by lines_order)     nested loops over these indexes
//!   executor: direct                                              one scan, whose few rows are read without a stream
//!   executor: batch                                               the plan below
//! ```
//!
//! The row executor leaves a statement to the batch executor when it would look at more than a few thousand rows, so its plan
//! is shown either way. The rows of an INSERT are made by neither, unless they are those of a query. A prepared statement has
//! its own say: [`Prepared::executor`](crate::Prepared::executor).

use super::Session;
use super::show::{table, texts};
use crate::native::key_of;
use crate::prepared::Direct;
use crate::words::{self, Words};
use mainstay_planner::{Answer, InsertSource, Name, POSITION, Planned, RECORD_NUMBER, Statement};
use mainstay_types::{Code, Error, Result};
use std::time::Instant;

const BATCH: &str = "executor: batch";

/// Which executor answers a query.
fn executor_of(planned: &Planned) -> String {
    match planned.short() {
        Some(short) => row(&short.plan.describe()),
        None if planned.is_look_up() => "executor: direct".to_owned(),
        None => BATCH.to_owned(),
    }
}

fn row(how: &str) -> String {
    if how.is_empty() { "executor: row".to_owned() } else { format!("executor: row ({how})") }
}

impl Session {
    /// EXPLAIN of any statement; with ANALYZE a query is run.
    pub(super) fn explain(&mut self, statement: &str, analyze: bool) -> Result<Answer> {
        if !matches!(Words::of(statement)?, Words::Query(_)) || words::may_change(statement) {
            return self.explain_change(statement, analyze);
        }
        let database = self.database.clone();
        let shared = &database.shared;
        let planned = shared.planner.plan(statement, &self.catalog(shared), self.visibility)?;
        let mut lines = vec![executor_of(&planned)];
        lines.extend(shared.planner.explain(&planned)?.lines().map(str::to_owned));
        if analyze {
            let started = Instant::now();
            let mut answer = self.query(statement)?;
            let mut rows = 0;
            while let Some(batch) = answer.next_batch()? {
                rows += batch.num_rows();
            }
            let ms = started.elapsed().as_secs_f64() * 1_000.0;
            lines.push(format!("{rows} rows in {ms:.3} ms, {} row slots read", self.progress.rows()));
        }
        table(vec![("plan", texts(lines))])
    }

    /// The plan of the query of an INSERT, an UPDATE, a DELETE or a MERGE.
    ///
    /// Errors: `Unsupported` for other statements, and for ANALYZE, which would change the rows.
    pub(super) fn explain_change(&mut self, text: &str, analyze: bool) -> Result<Answer> {
        if analyze {
            let error = Error::new(Code::Unsupported, "EXPLAIN ANALYZE of a change");
            return Err(error.hint("it would change the rows; EXPLAIN alone shows the plan"));
        }
        let database = self.database.clone();
        let planner = &database.shared.planner;
        let catalog = self.catalog(&database.shared);
        let plan = |planned: Planned| planner.explain(&planned);
        let statement = Statement::parse(text)?;
        let direct = Direct::of(self, text, &statement)?;
        let mut executor = direct.as_ref().map_or_else(|| BATCH.to_owned(), |direct| row(&direct.describe()));
        let (head, plan) = match statement {
            Statement::Update(update) => {
                let position = self.position_column(&update.table)?;
                let planned = planner.plan_update(text, &update, (position, &[]), &catalog)?;
                (format!("Update: {}", update.table), plan(planned)?)
            }
            Statement::Delete(delete) => {
                let position = self.position_column(&delete.table)?;
                let planned = planner.plan_delete(text, &delete, (position, &[]), &catalog)?;
                (format!("Delete: {}", delete.table), plan(planned)?)
            }
            Statement::Merge(merge) => {
                let position = self.position_column(&merge.table)?;
                let planned = planner.plan_merge(text, &merge, (position, &[]), &catalog)?;
                (format!("Merge: {}", merge.table), plan(planned)?)
            }
            Statement::Insert(insert) => {
                self.position_column(&insert.table)?;
                if !matches!(insert.source, InsertSource::Query(_)) {
                    executor = "executor: none".to_owned();
                }
                let plan = match &insert.source {
                    InsertSource::Defaults => "one row of defaults".to_owned(),
                    InsertSource::Values(rows) => format!("{} rows of values", rows.len()),
                    InsertSource::Query(query) => plan(planner.plan_insert(text, query, &catalog, self.visibility)?)?,
                };
                (format!("Insert: {}", insert.table), plan)
            }
            _ => return Err(Error::new(Code::Unsupported, "EXPLAIN of anything but a query or a change of rows")),
        };
        let lines = [executor, head].into_iter().chain(plan.lines().map(|line| format!("  {line}")));
        table(vec![("plan", texts(lines.collect()))])
    }

    /// The hidden column by which the rows of a table that is to be changed are found again.
    ///
    /// Errors: `UnknownTable`, and `ReadOnly` for what cannot be changed.
    fn position_column(&self, name: &Name) -> Result<&'static str> {
        if self.dbf_table(name)?.is_some() {
            return Ok(RECORD_NUMBER);
        }
        let form = self.form(&key_of(name)).map(|_| POSITION);
        form.map_err(|error| self.of_a_file(std::slice::from_ref(name), error))
    }
}
