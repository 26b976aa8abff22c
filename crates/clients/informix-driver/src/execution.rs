//! A statement to be executed, and the state of the execution that runs.

use crate::binder::BoundRow;
use crate::placeholders::Verb;
use crate::statements::Prepared;
use std::sync::Arc;

/// A statement to be executed.
#[derive(Debug)]
pub struct Execute {
    /// Its text, with `?` as the only placeholder.
    pub text: String,
    /// Its kind.
    pub verb: Verb,
    /// The parameters of each execution; one empty row for a statement without parameters.
    pub rows: Vec<BoundRow>,
    /// The number of parameters of a row.
    pub parameters: u16,
    /// Rows are fetched in any order.
    pub is_scrolling: bool,
    /// The cursor stays open when the transaction ends.
    pub is_held: bool,
    /// The cursor has a current row for WHERE CURRENT OF: rows come one at a time.
    pub is_for_update: bool,
    /// BLOB and CLOB values of its rows stay at the server, as locators.
    pub keeps_locators: bool,
    /// It is an INSERT whose cursor takes rows.
    pub takes_rows: bool,
    /// The name of the cursor; by default one is made.
    pub name: Option<String>,
}

/// The execution that is running.
#[derive(Debug)]
pub(crate) struct Execution {
    pub cursor: u32,
    pub execute: Execute,
    pub prepared: Option<Prepared>,
    /// The first row of parameters that was not sent.
    pub next_row: usize,
    /// It was prepared again after its tables had changed.
    pub is_second_try: bool,
}

impl Execution {
    /// Keeps the statement that runs the execution, once the server has described it.
    pub fn set_prepared(&mut self, description: &mainstay_sqli::Description) {
        let text: Arc<str> = self.execute.text.as_str().into();
        self.prepared = Some(Prepared::new(text, description));
    }
}
