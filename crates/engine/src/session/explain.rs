//! EXPLAIN of a change: the plan of the rows that it changes.

use super::{Session, table, texts};
use mainstay_base::{Code, Error, Result};
use mainstay_query::{Answer, InsertSource, Planned, Statement};

impl Session {
    /// The plan of the query of an INSERT, an UPDATE or a DELETE.
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
                (format!("Update: {}", update.table), plan(planner.plan_update(text, &update, &catalog)?))
            }
            Statement::Delete(delete) => {
                (format!("Delete: {}", delete.table), plan(planner.plan_delete(text, &delete, &catalog)?))
            }
            Statement::Insert(insert) => {
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
}
