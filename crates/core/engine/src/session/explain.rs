//! EXPLAIN: the executor of a statement in its present form, and the plan of the batch executor.
//!
//! ```text
//!   executor: row (orders by orders_pk, lines by lines_order)     nested loops over these indexes
//!   executor: direct                                              one scan, whose few rows are read without a stream
//!   executor: batch                                               the plan below
//! ```
//!
//! The row executor passes a statement that would read more than a few thousand rows to the batch executor, so the plan
//! of the latter is shown in any case. The rows of an INSERT use neither, except those of a query. For a prepared
//! statement see [`Prepared::executor`](crate::Prepared::executor).

use super::Session;
use super::show::{table, texts};
use crate::native::key_of;
use crate::prepared::Direct;
use crate::words::{self, Words};
use mainstay_planner::{
    Answer, InsertSource, Name, Node, Operator, POSITION, Planned, RECORD_NUMBER, Statement, operators,
};
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

    /// The operators that run a query or a change, which is not run. Parameters have no place in its text.
    ///
    /// Errors: those of planning it, and `Unsupported` for other statements.
    pub fn operators(&self, statement: &str) -> Result<Node> {
        let database = self.database.clone();
        let planner = &database.shared.planner;
        if matches!(Words::of(statement)?, Words::Query(_)) && !words::may_change(statement) {
            let planned = planner.plan(statement, &self.catalog(&database.shared), self.visibility)?;
            return operators(planner, &planned);
        }
        operators_of_change(self, statement)
    }

    /// The hidden column by which the rows of a table that is to be changed are found again.
    ///
    /// Errors: `UnknownTable`, and `ReadOnly` for what cannot be changed.
    fn position_column(&self, name: &Name) -> Result<&'static str> {
        if self.dbf_table(name)?.is_some() {
            return Ok(RECORD_NUMBER);
        }
        if crate::definitions::packed_view(self, &key_of(name))?.is_some() {
            return Ok(POSITION);
        }
        let form = self.form(&key_of(name)).map(|_| POSITION);
        form.map_err(|error| self.of_a_file(std::slice::from_ref(name), error))
    }
}

/// See [`Session::operators`].
fn operators_of_change(session: &Session, text: &str) -> Result<Node> {
    let database = session.database.clone();
    let planner = &database.shared.planner;
    let catalog = session.catalog(&database.shared);
    let over = |operator: Operator, table: &Name, input: Node| {
        let columns = Vec::new();
        Node::new(operator, vec![Node { columns, ..input }]).of_table(table.to_string())
    };
    Ok(match Statement::parse(text)? {
        Statement::Update(update) => {
            let position = session.position_column(&update.table)?;
            let planned = planner.plan_update(text, &update, (position, &[]), &catalog)?;
            over(Operator::Update, &update.table, operators(planner, &planned)?)
        }
        Statement::Delete(delete) => {
            let position = session.position_column(&delete.table)?;
            let planned = planner.plan_delete(text, &delete, (position, &[]), &catalog)?;
            over(Operator::Delete, &delete.table, operators(planner, &planned)?)
        }
        Statement::Merge(merge) => {
            let position = session.position_column(&merge.table)?;
            let planned = planner.plan_merge(text, &merge, (position, &[]), &catalog)?;
            over(Operator::Merge, &merge.table, operators(planner, &planned)?)
        }
        Statement::Insert(insert) => {
            session.position_column(&insert.table)?;
            let rows = match &insert.source {
                InsertSource::Query(query) => {
                    operators(planner, &planner.plan_insert(text, query, &catalog, session.visibility)?)?
                }
                InsertSource::Defaults | InsertSource::Values(_) => Node::new(Operator::Constants, Vec::new()),
            };
            over(Operator::Insert, &insert.table, rows)
        }
        Statement::LockRows(locking) => {
            let (shown, _) = planner.plan_locking(text, &locking, &catalog)?;
            operators(planner, &shown)?
        }
        _ => return Err(Error::new(Code::Unsupported, "the plan of anything but a query or a change of rows")),
    })
}
