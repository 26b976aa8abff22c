//! A statement to be executed, and the state of the execution that runs.

use crate::binder::BoundRow;
use crate::group::Group;
use crate::insert_rows;
use crate::link::Link;
use crate::placeholders::Verb;
use crate::statements::Prepared;
use mainstay_sqli::{Request, tag};
use std::sync::Arc;

/// Bytes of parameters in a group of executions; the next group follows when it is answered.
const GROUP_BYTES: usize = 256 << 10;
/// Executions in a group.
const GROUP_EXECUTIONS: usize = 2000;
/// SQLCODE: the tables of a prepared statement were changed since.
const STALE_STATEMENT: i16 = -710;

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

    /// The reason for which the statement cannot be run in the way that was asked for.
    pub fn unfit(&self, prepared: &Prepared) -> Option<&'static str> {
        if self.execute.takes_rows {
            return insert_rows::unfit(prepared, self.execute.parameters);
        }
        let is_many = prepared.has_rows() && self.execute.rows.len() != 1;
        is_many.then_some("a query cannot be executed for many rows of parameters")
    }

    /// Prepares its statement.
    pub fn prepare(&self, link: &mut Link) {
        let (parameters, text) = (self.execute.parameters, self.execute.text.clone());
        link.send(&[Request::Prepare { parameters, text }, Request::Describe, Request::WantDone], Group::Prepare);
    }

    /// Runs its statement without a PREPARE.
    pub fn command(&self, link: &mut Link) {
        let text = self.execute.text.clone();
        link.send(&[Request::Command { text }, Request::Describe, Request::Execute, Request::Release], Group::Command);
        link.wait_for_all();
    }

    /// One group of executions.
    pub fn execute_rows(&mut self, prepared: &Prepared, link: &mut Link) {
        link.put(&Request::Statement(prepared.id));
        let (start, mut count) = (link.output.len(), 0);
        while let Some(row) = self.execute.rows.get(self.next_row) {
            if count > 0 && (count >= GROUP_EXECUTIONS || link.output.len() - start + row.bytes.len() > GROUP_BYTES) {
                break;
            }
            link.output.extend_from_slice(&row.bytes);
            link.output.extend_from_slice(&tag::EXECUTE.to_be_bytes());
            self.next_row += 1;
            count += 1;
        }
        link.end_group(Group::Execute);
        link.wait_for_all();
    }

    /// Begins again if its statement was kept and its tables have changed since; false if that is not the reason.
    pub fn begin_again(&mut self, code: i16) -> bool {
        let is_stale = code == STALE_STATEMENT && self.next_row <= self.execute.rows.len();
        let is_cached = self.prepared.as_ref().is_some_and(|prepared| prepared.is_cached);
        if !is_stale || !is_cached || self.is_second_try {
            return false;
        }
        self.is_second_try = true;
        self.prepared = None;
        self.next_row = 0;
        true
    }
}
