//! The operations of a session. Each appends messages; the session is done when they are answered.

use crate::cursor::Cursor;
use crate::execution::{Execute, Execution};
use crate::group::{Group, Outcome};
use crate::placeholders::Verb;
use crate::session::{Fault, Phase, Session, is_ansi};
use crate::statements::Prepared;
use mainstay_sqli::{Features, Fetch, Request, ScrollHow, tag};

/// Bytes of parameters in a group of executions; the next group follows when it is answered.
const GROUP_BYTES: usize = 256 << 10;
/// Executions in a group.
const GROUP_EXECUTIONS: usize = 2000;
/// The largest fetch buffer where its size has two bytes.
const NARROW_FETCH: u32 = 32_767;
/// SQLCODE: the tables of a prepared statement were changed since.
const STALE_STATEMENT: i16 = -710;

/// True for SET LOCK MODE, which does not change the locks that reading leaves.
fn is_lock_mode(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    ["SET", "LOCK", "MODE"].iter().all(|word| words.next().is_some_and(|found| found.eq_ignore_ascii_case(word)))
}

/// The name of a cursor that the caller gives none.
fn cursor_name(number: u64) -> String {
    format!("_ifxc{number:013}")
}

/// The size of a fetch buffer, as far as the server can read it.
fn fetch_bytes(wanted: u32, features: Features) -> u32 {
    let bytes = wanted.max(1);
    if features.wide_fetch { bytes } else { bytes.min(NARROW_FETCH) }
}

/// The target of a scroll cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrolling {
    /// So many rows from this one, counted from 1.
    Rows(u32, u32),
    /// The last row.
    Last,
}

impl Session {
    /// Begins an operation.
    pub(crate) fn begin(&mut self) -> bool {
        self.fault = None;
        self.fetching = None;
        if self.phase != Phase::Open {
            self.fault = Some(Fault::Connection("the connection is closed".to_owned()));
            return false;
        }
        self.done_at = self.answered;
        true
    }

    /// Waits for everything that was sent.
    pub(crate) fn wait_for_all(&mut self) {
        self.done_at = self.sent;
    }

    /// Executes a statement, once for each row of parameters. Rows of a query are fetched by the cursor of this number, which
    /// is closed first.
    pub fn start_execute(&mut self, cursor: u32, execute: Execute) {
        if !self.begin() {
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
        self.has_only_read = is_query && !is_for_update && (self.has_only_read || !self.is_in_transaction);
        self.may_lock_rows |= execute.verb == Verb::Setting && !is_lock_mode(&execute.text);
        if is_ansi(self.database_warnings) && !self.settings.autocommit {
            self.is_in_transaction |= execute.verb != Verb::Setting;
        }
        let prepared = self.statements.take(&execute.text);
        let is_direct = execute.parameters == 0 && execute.verb != Verb::Query;
        let needs_begin = execute.verb != Verb::Setting && self.needs_begin();
        self.execution = Some(Execution { cursor, execute, prepared, next_row: 0, is_second_try: false });
        if needs_begin {
            self.send(&[Request::Begin], Group::Begin);
        }
        let is_prepared = self.execution.as_ref().is_some_and(|execution| execution.prepared.is_some());
        match (is_direct, is_prepared) {
            // A PREPARE changes nothing: it need not wait for BEGIN.
            (false, false) => self.prepare(),
            // Nor does a query: its cursor is closed again if BEGIN fails.
            (false, true) if is_query && !is_for_update => return self.launch(),
            _ if needs_begin => {}
            // Rows that are fetched ahead are not waited for.
            _ => return self.launch(),
        }
        self.wait_for_all();
    }

    fn needs_begin(&self) -> bool {
        !self.settings.autocommit
            && !self.is_in_transaction
            && self.has_transactions()
            && !is_ansi(self.database_warnings)
    }

    pub(crate) fn prepare(&mut self) {
        let Some(execution) = &self.execution else { return };
        let (parameters, text) = (execution.execute.parameters, execution.execute.text.clone());
        let requests = [Request::Prepare { parameters, text }, Request::Describe, Request::WantDone];
        self.send(&requests, Group::Prepare);
    }

    /// Sends what runs the statement, once it is prepared and the transaction has begun.
    pub(crate) fn launch(&mut self) {
        let Some(execution) = &self.execution else { return };
        let Some(prepared) = execution.prepared.clone() else { return self.command() };
        if execution.execute.takes_rows {
            return self.open_insert(prepared);
        }
        if prepared.has_rows() {
            return self.open(prepared);
        }
        self.execute_rows(&prepared);
        self.wait_for_all();
    }

    fn command(&mut self) {
        let Some(execution) = &self.execution else { return };
        let text = execution.execute.text.clone();
        self.send(&[Request::Command { text }, Request::Describe, Request::Execute, Request::Release], Group::Command);
        self.wait_for_all();
    }

    /// One group of executions.
    pub(crate) fn execute_rows(&mut self, prepared: &Prepared) {
        let Some(mut execution) = self.execution.take() else { return };
        self.put(&Request::Statement(prepared.id));
        let (start, mut count) = (self.output.len(), 0);
        while let Some(row) = execution.execute.rows.get(execution.next_row) {
            if count > 0 && (count >= GROUP_EXECUTIONS || self.output.len() - start + row.bytes.len() > GROUP_BYTES) {
                break;
            }
            self.output.extend_from_slice(&row.bytes);
            self.output.extend_from_slice(&tag::EXECUTE.to_be_bytes());
            execution.next_row += 1;
            count += 1;
        }
        self.execution = Some(execution);
        self.end_group(Group::Execute);
    }

    /// Appends a message.
    pub(crate) fn put(&mut self, request: &Request) {
        if let Err(error) = request.encode(&mut self.output, &self.context) {
            self.fault.get_or_insert(Fault::Usage(error.to_string()));
        }
    }

    fn open(&mut self, prepared: Prepared) {
        let Some(execution) = self.execution.take() else { return };
        if execution.execute.rows.len() != 1 {
            self.fault.get_or_insert(Fault::Usage("a query cannot be executed for many rows of parameters".to_owned()));
            return self.put_back(prepared);
        }
        let number = execution.cursor;
        let Execute { rows, is_scrolling, is_held, is_for_update, keeps_locators, name, .. } = &execution.execute;
        let mut cursor = Cursor::new(prepared, fetch_bytes(self.settings.fetch_bytes, self.context.features));
        cursor.is_scrolling = *is_scrolling;
        (cursor.is_held, cursor.keeps_locators) = (*is_held, *keeps_locators);
        cursor.reads_ahead = !is_scrolling && !is_for_update && cursor.layout.lobs.is_empty();
        let id = cursor.statement.id;
        self.put(&Request::Statement(id));
        let name = name.clone().unwrap_or_else(|| self.new_cursor_name());
        self.put(&Request::CursorName(name));
        if let Some(row) = rows.first().filter(|row| !row.is_empty()) {
            self.output.extend_from_slice(&row.bytes);
        }
        if *is_scrolling {
            self.put(&Request::Scroll);
        }
        if *is_held {
            self.put(&Request::Hold);
        }
        self.put(&Request::Open);
        if cursor.layout.has_locators {
            self.put(&Request::Statement(id));
            self.put(&Request::ReturnTypes { is_output: true, types: cursor.layout.return_types() });
        }
        let first = (!is_scrolling).then_some(cursor.buffer_bytes);
        if let Some(buffer_bytes) = first {
            self.put(&Request::Statement(id));
            self.put(&Request::Fetch(Fetch { scroll: None, buffer_bytes }));
            cursor.outstanding.push_back(self.sent + 1);
        }
        self.end_group(Group::Open(number));
        self.wait_for_all();
        let reads_ahead = cursor.reads_ahead;
        self.cursors.insert(number, cursor);
        self.execution = Some(execution);
        if reads_ahead {
            self.fetch_more(number);
        }
    }

    pub(crate) fn new_cursor_name(&mut self) -> String {
        self.next_name += 1;
        cursor_name(self.next_name)
    }

    /// Asks for the next rows of a cursor.
    fn fetch_more(&mut self, number: u32) {
        let next = self.sent + 1;
        let Some(cursor) = self.cursors.get_mut(&number) else { return };
        cursor.outstanding.push_back(next);
        let fetch = Request::Fetch(Fetch { scroll: None, buffer_bytes: cursor.buffer_bytes });
        let id = cursor.statement.id;
        self.send(&[Request::Statement(id), fetch], Group::Fetch(number));
    }

    /// Fetches the next rows of a cursor. It is done at once where rows have come or none are left.
    pub fn start_fetch(&mut self, number: u32) {
        if !self.begin() {
            return;
        }
        let Some(cursor) = self.cursors.get_mut(&number) else { return };
        if !cursor.block.is_empty() {
            return;
        }
        if let Some(failure) = cursor.failure.take() {
            self.fault = Some(Fault::Server(failure));
            return;
        }
        if cursor.is_ended {
            return;
        }
        self.fetching = Some(number);
        let wanted = if cursor.reads_ahead { 2 } else { 1 };
        for _ in cursor.outstanding.len()..wanted {
            self.fetch_more(number);
        }
        let first = self.cursors.get(&number).and_then(|cursor| cursor.outstanding.front().copied());
        self.done_at = first.unwrap_or(self.answered);
    }

    /// Fetches rows of a scroll cursor into its block. Rows that do not exist are left out.
    pub fn start_scroll(&mut self, number: u32, target: Scrolling) {
        if !self.begin() {
            return;
        }
        let Some(cursor) = self.cursors.get_mut(&number) else { return };
        cursor.block = Default::default();
        cursor.last_number = None;
        if cursor.is_ended && cursor.is_closed {
            self.fault = Some(Fault::Usage("the cursor was closed at the end of the transaction".to_owned()));
            return;
        }
        let (id, buffer_bytes) = (cursor.statement.id, cursor.buffer_bytes);
        let (how, first, count) = match target {
            Scrolling::Rows(first, count) => (ScrollHow::Absolute, first, count),
            Scrolling::Last => (ScrollHow::Last, 0, 1),
        };
        cursor.first_row = first;
        for row in first..first.saturating_add(count) {
            let scroll = Some((how, i32::try_from(row).unwrap_or(i32::MAX)));
            let fetch = Request::Fetch(Fetch { scroll, buffer_bytes });
            self.send(&[Request::Statement(id), fetch], Group::Scroll(number, row));
        }
        self.wait_for_all();
    }

    /// Closes a cursor. Nobody needs to wait for it: the messages go along with the next ones.
    pub fn close_cursor(&mut self, number: u32) {
        let Some(cursor) = self.cursors.remove(&number) else { return };
        if self.phase != Phase::Open {
            return;
        }
        if !cursor.is_closed {
            self.send(&[Request::Statement(cursor.statement.id), Request::Close], Group::Ignored);
        }
        self.put_back(cursor.statement);
    }

    /// Keeps an idle statement, or releases it.
    pub(crate) fn put_back(&mut self, prepared: Prepared) {
        if let Some(old) = self.statements.put(prepared, self.settings.statements) {
            self.release(old);
        }
    }

    pub(crate) fn release(&mut self, id: u16) {
        if self.phase == Phase::Open {
            self.send(&[Request::Statement(id), Request::Release], Group::Ignored);
        }
    }

    /// Releases all idle statements.
    pub fn clear_statements(&mut self) {
        for id in self.statements.clear() {
            self.release(id);
        }
    }

    /// Prepares a cached statement again whose tables have changed; false if that is not the reason.
    pub(crate) fn try_again(&mut self, code: i16) -> bool {
        let Some(execution) = &mut self.execution else { return false };
        let is_stale = code == STALE_STATEMENT && execution.next_row <= execution.execute.rows.len();
        let is_cached = execution.prepared.as_ref().is_some_and(|prepared| prepared.is_cached);
        if !is_stale || !is_cached || execution.is_second_try || self.outcome.executions > 0 {
            return false;
        }
        execution.is_second_try = true;
        execution.prepared = None;
        execution.next_row = 0;
        self.prepare();
        self.wait_for_all();
        true
    }

    /// BEGIN WORK.
    pub fn start_begin(&mut self) {
        self.start_plain(&[Request::Begin], Group::Begin);
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
        if !self.has_only_read || self.may_lock_rows || !self.is_in_transaction {
            return self.start_rollback();
        }
        if self.begin() {
            self.send(&[Request::Rollback], Group::Abandoned);
            self.forget_transaction();
        }
    }

    fn start_end(&mut self, request: Request) {
        if self.is_in_transaction {
            self.start_plain(&[request], Group::End);
        } else {
            self.begin();
        }
    }

    /// Sets a savepoint in the transaction, which is begun if it is not open.
    pub fn start_savepoint(&mut self, name: &str) {
        if !self.begin() {
            return;
        }
        if self.needs_begin() {
            self.send(&[Request::Begin], Group::Begin);
        }
        self.send(&[Request::Savepoint { name: name.to_owned(), is_unique: false }], Group::Plain);
        self.wait_for_all();
    }

    /// Releases a savepoint.
    pub fn start_release_savepoint(&mut self, name: &str) {
        self.start_plain(&[Request::ReleaseSavepoint(name.to_owned())], Group::Plain);
    }

    /// Rolls back to a savepoint.
    pub fn start_rollback_to(&mut self, name: &str) {
        self.start_plain(&[Request::RollbackTo(name.to_owned())], Group::Plain);
    }

    /// Asks the server whether it is there.
    pub fn start_ping(&mut self) {
        self.start_plain(&[Request::Version], Group::Plain);
    }

    /// Says goodbye; the server closes the connection.
    pub fn start_exit(&mut self) {
        if self.begin() {
            self.put(&Request::Exit);
            // No group: EXIT is answered by itself.
            self.done_at = u64::MAX;
        }
    }

    fn start_plain(&mut self, requests: &[Request], group: Group) {
        if self.begin() {
            self.send(requests, group);
            self.wait_for_all();
        }
    }
}
