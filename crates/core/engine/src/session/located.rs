//! Errors with their places in the statement: errors of answer rows, and errors in a query within the statement.

use super::{Session, moved};
use crate::native::SessionCatalog;
use mainstay_planner::{Catalog, Planned, Relation, columns_and_texts, located, start_of_query};
use mainstay_types::{Error, Result};
use std::sync::Arc;

impl Session {
    /// The error of an answer's rows with its place in the statement that it answers, where the statement alone tells it: of
    /// a CAST, a division by 0, a text that is compared with a number.
    pub fn located(&self, error: Error, statement: &str) -> Error {
        let catalog = self.catalog(&self.database.shared);
        located(error, statement, |name| match catalog.relation(name) {
            Ok(Some(Relation::Table(table))) => columns_and_texts(table.schema()),
            Ok(Some(Relation::Foreign(table))) => columns_and_texts(&table.schema()),
            _ => Vec::new(),
        })
    }

    /// The plan of the query that a statement ends with. The query is given as it is kept, and an error has its place in the
    /// statement.
    pub(super) fn planned_within(&self, text: &str, query: &str, catalog: &SessionCatalog<'_>) -> Result<Arc<Planned>> {
        let planner = &self.database.shared.planner;
        planner.plan(query, catalog, self.visibility).map_err(|error| {
            let again = start_of_query(text).and_then(|at| {
                let error = planner.plan(&text[at..], catalog, self.visibility).err()?;
                Some(moved(error, at))
            });
            // The error may be in text behind the query.
            match again.filter(|again| again.message() == error.message()) {
                Some(again) => again,
                None => without_span(&error),
            }
        })
    }
}

fn without_span(error: &Error) -> Error {
    let told = Error::new(error.code(), error.message());
    let told = error.subject().into_iter().fold(told, |told, subject| told.about(subject));
    let told = error.cause().into_iter().fold(told, Error::because);
    error.hint_text().into_iter().fold(told, |told, hint| told.hint(hint))
}
