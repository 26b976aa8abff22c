//! Uncorrelated subqueries in expressions.
//!
//! ```text
//!   SET total = (SELECT price FROM items WHERE id = $1)      value: one row, NULL where there is none
//!   IF EXISTS (SELECT ... )                                  the planner counts the rows: count(*) > 0
//! ```
//!
//! Such a query has one value for a whole run. It runs when the first expression needs it, so it does not run if a CASE
//! does not reach it. A query that gives two rows, or that the row executor cannot finish, leaves the whole statement
//! to the batch executor, which reports the error.

use crate::buffer::Buffer;
use crate::expression::Current;
use crate::plan::Plan;
use crate::run::{Outcome, Scratch};
use mainstay_store::{NativeTable, View};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::cell::RefCell;
use std::sync::Arc;

/// A query for one value. Two are the same when they are one.
#[derive(Clone, Debug)]
pub struct Subquery(Arc<Plan>);

impl PartialEq for Subquery {
    fn eq(&self, other: &Subquery) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Subquery {
    /// The query of a plan with one column; `None` for another number of columns.
    pub fn of(mut plan: Plan) -> Option<Subquery> {
        if plan.block.output.len() != 1 {
            return None;
        }
        // A second row is a mistake already.
        plan.fetch_at_most(2);
        Some(Subquery(Arc::new(plan)))
    }

    /// The tables that it reads, those of its own subqueries among them.
    pub(crate) fn tables(&self) -> &[Arc<NativeTable>] {
        self.0.all_tables()
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.0
    }

    /// Its value for the run.
    ///
    /// Errors: `InvalidValue` where the statement is one for the batch executor.
    pub(crate) fn value<'r>(&self, current: &Current<'r>) -> Result<ValueRef<'r>> {
        let Some(answers) = current.answers else { return Err(left_over()) };
        let key = Arc::as_ptr(&self.0) as usize;
        if let Some((_, value)) = answers.known.borrow().iter().find(|(known, _)| *known == key) {
            return Ok(current.keep(value));
        }
        let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
        let outcome = self.0.run_exact(answers.view, current.parameters, &mut scratch, &mut buffer)?;
        if outcome != Outcome::Done || buffer.len() > 1 {
            return Err(left_over());
        }
        let value = buffer.value(0, 0).to_value();
        let kept = current.keep(&value);
        answers.known.borrow_mut().push((key, value));
        Ok(kept)
    }
}

#[cold]
fn left_over() -> Error {
    Error::new(Code::InvalidValue, "a subquery is left to the batch executor")
}

/// The values of a run's subqueries, as far as they are known.
pub(crate) struct Answers {
    view: View,
    /// By the addresses of their plans.
    known: RefCell<Vec<(usize, Value)>>,
}

impl Answers {
    /// The answers of a run that sees tables in this view: none are known yet.
    pub(crate) fn new(view: View) -> Answers {
        Answers { view, known: RefCell::default() }
    }
}
