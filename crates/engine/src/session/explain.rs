//! EXPLAIN of a change: the plan of the rows that it changes.

use super::{Session, table, texts};
use crate::native::key_of;
use mainstay_base::{Code, Error, Result};
use mainstay_query::{Answer, InsertSource, Name, POSITION, Planned, RECORD_NUMBER, Statement};

impl Session {
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
        let (head, plan) = match Statement::parse(text)? {
            Statement::Update(update) => {
                let position = self.position_column(&update.table)?;
                let planned = planner.plan_update(text, &update, (position, &[]), &catalog)?;
                (format!("Update: {}", update.table), plan(planned))
            }
            Statement::Delete(delete) => {
                let position = self.position_column(&delete.table)?;
                let planned = planner.plan_delete(text, &delete, (position, &[]), &catalog)?;
                (format!("Delete: {}", delete.table), plan(planned))
            }
            Statement::Merge(merge) => {
                let position = self.position_column(&merge.table)?;
                let planned = planner.plan_merge(text, &merge, (position, &[]), &catalog)?;
                (format!("Merge: {}", merge.table), plan(planned))
            }
            Statement::Insert(insert) => {
                self.position_column(&insert.table)?;
                let plan = match &insert.source {
                    InsertSource::Defaults => "one row of defaults".to_owned(),
                    InsertSource::Values(rows) => format!("{} rows of values", rows.len()),
                    InsertSource::Query(query) => plan(planner.plan_insert(text, query, &catalog)?),
                };
                (format!("Insert: {}", insert.table), plan)
            }
            _ => return Err(Error::new(Code::Unsupported, "EXPLAIN of anything but a query or a change of rows")),
        };
        let lines = std::iter::once(head).chain(plan.lines().map(|line| format!("  {line}")));
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
