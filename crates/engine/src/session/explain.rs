//! EXPLAIN of a change: the plan of the rows that it changes.

use super::{Session, table, texts};
use crate::native::key_of;
use mainstay_base::{Code, Error, Result};
use mainstay_query::{Answer, InsertSource, Name, Planned, Statement};

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
                self.is_changeable(&update.table)?;
                (format!("Update: {}", update.table), plan(planner.plan_update(text, &update, &[], &catalog)?))
            }
            Statement::Delete(delete) => {
                self.is_changeable(&delete.table)?;
                (format!("Delete: {}", delete.table), plan(planner.plan_delete(text, &delete, &[], &catalog)?))
            }
            Statement::Merge(merge) => {
                self.is_changeable(&merge.table)?;
                (format!("Merge: {}", merge.table), plan(planner.plan_merge(text, &merge, &[], &catalog)?))
            }
            Statement::Insert(insert) => {
                self.is_changeable(&insert.table)?;
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

    /// Sees that a table is one that can be changed.
    ///
    /// Errors: `UnknownTable`, and `ReadOnly` for a file or a view.
    fn is_changeable(&self, name: &Name) -> Result<()> {
        let form = self.form(&key_of(name)).map(|_| ());
        form.map_err(|error| self.of_a_file(std::slice::from_ref(name), error))
    }
}
