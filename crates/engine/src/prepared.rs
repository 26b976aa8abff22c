//! Statements that are prepared once and run many times.
//!
//! ```text
//!   one row of a native table by its key?   --yes-->  the row executor: index, values, store      about 0.3 us
//!        | no
//!        v
//!   parameters become literals  -->  the planner, which lifts them again and finds its plan       about 100 us
//! ```
//!
//! Which way a statement goes is decided when it is prepared, by its form and by the table's indexes, and again when the
//! catalog has changed. Both give the same answer: what the row executor cannot be certain of (a value that its column
//! cannot hold exactly, a text with trailing blanks) goes through the planner, run by run.

mod cells;
mod point;
mod rows;

pub(crate) use cells::fits;
pub use rows::{Row, Rows};

use crate::session::Session;
use crate::words::Words;
use cells::Fast;
use mainstay_base::{Result, ValueRef};
use mainstay_query::{PointStatement, with_parameters};
use std::sync::Arc;

/// A prepared statement. It belongs to no session and keeps nothing of one.
pub struct Prepared {
    text: Arc<str>,
    statement: Option<PointStatement>,
    /// How the row executor runs it, in one state of the catalog.
    fast: Option<Fast>,
    version: Option<u64>,
}

impl Prepared {
    pub(crate) fn new(session: &Session, text: &str) -> Result<Prepared> {
        // Statements of ours are no SQL that the parser knows.
        let statement = match Words::of(text)? {
            Words::Query(text) | Words::Other(text) => PointStatement::parse(text)?,
            _ => None,
        };
        let mut prepared = Prepared { text: Arc::from(text), statement, fast: None, version: None };
        prepared.refresh(session)?;
        Ok(prepared)
    }

    /// Runs it with these parameters, in the session's transaction or in one of its own: how many rows it changed.
    ///
    /// Errors: as [`Session::execute`].
    pub fn execute(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<u64> {
        self.refresh(session)?;
        if let Some(fast) = &mut self.fast
            && let Some(changed) = point::change(session, &self.text, fast, parameters)?
        {
            return Ok(changed);
        }
        let bound = with_parameters(&self.text, parameters)?;
        let mut answer = session.execute(&bound)?;
        while answer.next_batch()?.is_some() {}
        Ok(answer.changed().unwrap_or_default())
    }

    /// Runs it with these parameters and gives its rows.
    ///
    /// Errors: as [`Session::execute`].
    pub fn query(&mut self, session: &mut Session, parameters: &[ValueRef<'_>]) -> Result<Rows<'_>> {
        self.refresh(session)?;
        if let Some(fast) = &mut self.fast
            && point::can_read(fast, parameters)
        {
            return point::read(session, &self.text, fast, parameters);
        }
        let bound = with_parameters(&self.text, parameters)?;
        Ok(Rows::of(session.execute(&bound)?))
    }

    /// Decides again how it is run when the catalog has changed.
    fn refresh(&mut self, session: &Session) -> Result<()> {
        let version = session.catalog_version();
        if self.version != Some(version) {
            self.fast = match &self.statement {
                Some(statement) => Fast::of(session, statement)?,
                None => None,
            };
            self.version = Some(version);
        }
        Ok(())
    }
}
