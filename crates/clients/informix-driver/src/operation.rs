//! The operations of a session. Each appends messages; the session is done when they are answered.

use crate::cursors::Scrolling;
use crate::execution::{Execute, Execution};
use crate::group::{Group, Outcome};
use crate::link::Phase;
use crate::placeholders::Verb;
use crate::session::Session;
use crate::statements::Prepared;
use mainstay_sqli::{Request, WireError};
use mainstay_types::Value;

impl Session {
    /// Executes a statement, once for each row of parameters. Rows of a query are fetched by the cursor of this number, which
    /// is closed first.
    pub fn start_execute(&mut self, cursor: u32, execute: Execute) {
        if !self.link.begin() {
            return;
        }
        self.close_cursor(cursor);
        self.outcome = Outcome::default();
        let is_plain = execute.parameters == 0 && execute.rows.len() == 1;
        match execute.verb {
            Verb::Begin if is_plain => return self.start_begin(),
            Verb::Commit if is_plain => return self.start_commit(),
            Verb::Rollback if is_plain => return self.start_rollback(),
            _ => {}
        }
        let (is_query, is_for_update) = (execute.verb == Verb::Query, execute.is_for_update);
        self.transaction.executes(&execute, self.settings.autocommit);
        let prepared = self.statements.take(&execute.text);
        let is_prepared = prepared.is_some();
        let is_direct = execute.parameters == 0 && execute.verb != Verb::Query;
        let needs_begin = execute.verb != Verb::Setting && self.transaction.needs_begin(self.settings.autocommit);
        let execution = Execution { cursor, execute, prepared, next_row: 0, is_second_try: false };
        let execution = self.execution.insert(execution);
        if needs_begin {
            self.link.send(&[Request::Begin], Group::Begin);
        }
        match (is_direct, is_prepared) {
            // A PREPARE changes nothing: it need not wait for BEGIN.
            (false, false) => execution.prepare(&mut self.link),
            // Nor does a query: its cursor is closed again if BEGIN fails.
            (false, true) if is_query && !is_for_update => return self.launch(),
            _ if needs_begin => {}
            _ => return self.launch(),
        }
        self.link.wait_for_all();
    }

    /// Sends what runs the statement, once it is prepared and the transaction has begun.
    pub(crate) fn launch(&mut self) {
        let Some(execution) = &mut self.execution else { return };
        let Some(prepared) = execution.prepared.clone() else { return execution.command(&mut self.link) };
        if let Some(reason) = execution.unfit(&prepared) {
            self.execution = None;
            self.link.refuse(reason);
            self.put_back(prepared);
        } else if execution.execute.takes_rows {
            self.cursors.open_insert(execution.cursor, prepared, &mut self.link);
        } else if prepared.has_rows() {
            self.cursors.open(execution, prepared, self.settings.fetch_bytes, &mut self.link);
        } else {
            execution.execute_rows(&prepared, &mut self.link);
        }
    }

    /// Fetches the next rows of a cursor. It is done at once where rows have come or none are left.
    pub fn start_fetch(&mut self, number: u32) {
        if self.link.begin() {
            self.cursors.fetch(number, &mut self.link);
        }
    }

    /// Fetches rows of a scroll cursor into its block. Rows that do not exist are left out.
    pub fn start_scroll(&mut self, number: u32, target: Scrolling) {
        if self.link.begin() {
            self.cursors.scroll(number, target, &mut self.link);
        }
    }

    /// Opens an insert cursor of this number.
    ///
    /// ```text
    ///   PREPARE, DESCRIBE   the columns of the INSERT
    ///   CURNAME, OPEN, RETTYPE (direction 0) with the types of the columns
    ///   PUT row, PUT row, ...  EOT   ->  DONE for each row
    ///   CLOSE
    /// ```
    ///
    /// Rows are collected until the shell sends them as one group. A row that the server refuses ends its group: the rows
    /// before it are inserted.
    pub fn start_insert_cursor(&mut self, cursor: u32, mut execute: Execute) {
        if execute.parameters == 0 {
            if self.link.begin() {
                self.link.refuse("an insert cursor needs an INSERT with parameters");
            }
            return;
        }
        execute.takes_rows = true;
        self.start_execute(cursor, execute);
    }

    /// Collects a row for an insert cursor, and returns how many bytes are collected.
    ///
    /// Errors: `Value` for a value that its column cannot hold; the row is not collected then.
    pub fn collect_row(&mut self, cursor: u32, values: &[Value]) -> Result<usize, WireError> {
        self.cursors.collect_row(cursor, values, &self.link.context)
    }

    /// Sends the rows that were collected; the outcome counts those that were inserted.
    pub fn start_put(&mut self, cursor: u32) {
        if !self.link.begin() {
            return;
        }
        self.outcome = Outcome::default();
        if self.cursors.put(cursor, &mut self.link) {
            self.transaction.has_only_read = false;
        }
    }

    /// Closes a cursor. Nobody needs to wait for it: the messages go along with the next ones.
    pub fn close_cursor(&mut self, number: u32) {
        let Some(cursor) = self.cursors.remove(number) else { return };
        if self.link.phase != Phase::Open {
            return;
        }
        if !cursor.is_closed {
            self.link.send(&[Request::Statement(cursor.statement.id), Request::Close], Group::Ignored);
        }
        self.put_back(cursor.statement);
    }

    /// Keeps an idle statement, or releases it.
    pub(crate) fn put_back(&mut self, prepared: Prepared) {
        if let Some(old) = self.statements.put(prepared, self.settings.statements) {
            self.link.release(old);
        }
    }

    /// Releases all idle statements.
    pub fn clear_statements(&mut self) {
        for id in self.statements.clear() {
            self.link.release(id);
        }
    }

    /// Prepares a cached statement again whose tables have changed; false if that is not the reason.
    pub(crate) fn try_again(&mut self, code: i16) -> bool {
        let Some(execution) = &mut self.execution else { return false };
        if self.outcome.executions > 0 || !execution.begin_again(code) {
            return false;
        }
        execution.prepare(&mut self.link);
        self.link.wait_for_all();
        true
    }

    /// BEGIN WORK.
    pub fn start_begin(&mut self) {
        self.link.start(&[Request::Begin], Group::Begin);
    }

    /// COMMIT WORK; done at once if no transaction is open.
    pub fn start_commit(&mut self) {
        self.start_end(Request::Commit);
    }

    /// ROLLBACK WORK; done at once if no transaction is open.
    pub fn start_rollback(&mut self) {
        self.start_end(Request::Rollback);
    }

    /// ROLLBACK WORK of a connection that goes back to its pool. Where the transaction has only read, without locks that others
    /// could wait for, it is done at once: ROLLBACK is part of the output, and its answer comes with those of the next
    /// operation.
    pub fn start_abandon(&mut self) {
        if !self.transaction.can_be_abandoned() {
            return self.start_rollback();
        }
        if self.link.begin() {
            self.link.send(&[Request::Rollback], Group::Abandoned);
            self.forget_transaction();
        }
    }

    fn start_end(&mut self, request: Request) {
        if self.transaction.is_open {
            self.link.start(&[request], Group::End);
        } else {
            self.link.begin();
        }
    }

    /// Sets a savepoint in the transaction, which is begun if it is not open.
    pub fn start_savepoint(&mut self, name: &str) {
        if !self.link.begin() {
            return;
        }
        if self.transaction.needs_begin(self.settings.autocommit) {
            self.link.send(&[Request::Begin], Group::Begin);
        }
        self.link.send(&[Request::Savepoint { name: name.to_owned(), is_unique: false }], Group::Plain);
        self.link.wait_for_all();
    }

    /// Releases a savepoint.
    pub fn start_release_savepoint(&mut self, name: &str) {
        self.link.start(&[Request::ReleaseSavepoint(name.to_owned())], Group::Plain);
    }

    /// Rolls back to a savepoint.
    pub fn start_rollback_to(&mut self, name: &str) {
        self.link.start(&[Request::RollbackTo(name.to_owned())], Group::Plain);
    }

    /// Asks the server whether it is there.
    pub fn start_ping(&mut self) {
        self.link.start(&[Request::Version], Group::Plain);
    }

    /// Says goodbye; the server closes the connection.
    pub fn start_exit(&mut self) {
        if self.link.begin() {
            self.link.put(&Request::Exit);
            // No group: EXIT is answered by itself.
            self.link.done_at = u64::MAX;
        }
    }
}
