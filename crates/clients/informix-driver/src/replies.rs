//! Replies of the server: each belongs to the oldest group that is not answered.

use crate::group::{Answer, Group};
use crate::link::Phase;
use crate::placeholders::Verb;
use crate::session::{OFFERED, Session};
use mainstay_sqli::{Features, Mask, Reply, WireError};

/// SQLCODE of BEGIN WORK inside a transaction.
const ALREADY_BEGUN: i16 = -535;

impl Session {
    /// A message other than a row.
    pub(crate) fn reply(&mut self, reply: Reply) -> Result<(), WireError> {
        match reply {
            Reply::EndOfGroup => return self.end_of_group(),
            Reply::Exit => {
                self.link.done_at = self.link.answered;
                self.link.phase = Phase::Closed;
            }
            Reply::Failed(failure) => {
                self.link.answer.failure.get_or_insert(failure);
            }
            Reply::Protocols(mask) => self.link.context.features = Features::of(&mask.and(&Mask::new(&OFFERED))),
            Reply::Described(description) => self.link.answer.description = Some(description),
            Reply::Row { bytes, .. } => return self.cursors.row(&bytes, &mut self.link),
            Reply::RowNumber(number) => self.link.answer.row_number = Some(number),
            Reply::Lob(piece) => self.link.answer.lob.extend_from_slice(&piece),
            Reply::Done { rows, serial, warnings, .. } => {
                self.link.answer.warnings = warnings;
                if self.link.is_executing() {
                    self.outcome.count(rows, serial);
                }
            }
            Reply::InsertDone { serial8, bigserial } => {
                let generated = [bigserial, serial8].into_iter().find(|number| *number != 0);
                if self.link.is_executing() && generated.is_some() {
                    self.outcome.serial = generated;
                }
            }
            Reply::Cost { .. }
            | Reply::Transaction { .. }
            | Reply::Parameters(_)
            | Reply::Databases(_)
            | Reply::KeysDescribed(_)
            | Reply::RoutineParameters(_)
            | Reply::RoutineTypes(_)
            | Reply::KeyRow { .. } => {}
            Reply::RoutineNumber { database, number } => self.link.answer.routine = Some((database, number)),
            Reply::RoutineValues(values) => self.link.answer.values = values,
            Reply::SmartLob(bytes) => self.link.answer.lob = bytes,
            Reply::SmartLobWritten(bytes) => self.link.answer.written = bytes,
        }
        Ok(())
    }

    fn end_of_group(&mut self) -> Result<(), WireError> {
        let answer = std::mem::take(&mut self.link.answer);
        let group = self.link.groups.pop_front().ok_or(WireError::Malformed("an answer to nothing"))?;
        self.link.answered += 1;
        match group {
            Group::Protocols | Group::Ignored => {}
            Group::Plain => self.link.note(answer.failure),
            Group::Database => {
                self.transaction.database_warnings = answer.warnings;
                self.link.note(answer.failure);
            }
            Group::Begin => self.begun(answer),
            Group::End => self.ended(answer),
            Group::Abandoned => {
                // After an error the transaction is still open, and the operation that runs may be in it.
                self.transaction.is_open |= answer.failure.is_some();
                self.link.note(answer.failure);
            }
            Group::Prepare => self.described(answer)?,
            Group::Command => self.commanded(answer),
            Group::Execute => self.executed(answer),
            Group::Open(number) => self.opened(number, answer),
            Group::OpenInsert(number) => self.insert_opened(number, answer),
            Group::Put => self.link.note(answer.failure),
            Group::Fetch(number) => self.cursors.fetched(number, answer, &mut self.smart_lobs, &mut self.link),
            Group::Scroll(number, _) => {
                self.link.note(answer.failure);
                self.cursors.fetch_lobs(number, &mut self.smart_lobs, &mut self.link);
            }
            Group::Lob(number, place) => {
                self.link.note(answer.failure);
                if let Some(value) = self.cursors.lob(number, place) {
                    *value = answer.lob;
                }
            }
            Group::Routine(routine) => self.smart_lobs.routine_found(routine, answer, &mut self.link),
            Group::Call(purpose) => self.smart_lobs.called(purpose, answer, &mut self.link),
            Group::Piece(purpose) => {
                let piece = self.smart_lobs.accessed(purpose, answer, &mut self.link);
                let Some(piece) = piece else { return Ok(()) };
                if let Some(value) = self.cursors.lob(piece.cursor, piece.place) {
                    value.extend_from_slice(&piece.bytes);
                }
            }
        }
        Ok(())
    }

    fn begun(&mut self, answer: Answer) {
        match answer.failure {
            Some(failure) if failure.code != ALREADY_BEGUN => {
                self.link.note(Some(failure));
                self.execution = None;
            }
            _ => {
                self.transaction.is_open = true;
                // A PREPARE or an OPEN was sent along with it, or the statement waits.
                let is_on_its_way =
                    self.link.groups.iter().any(|group| matches!(group, Group::Prepare | Group::Open(_)));
                if self.execution.is_some() && !is_on_its_way {
                    self.launch();
                }
            }
        }
    }

    fn ended(&mut self, answer: Answer) {
        if answer.failure.is_some() {
            return self.link.note(answer.failure);
        }
        if std::mem::take(&mut self.transaction.has_definitions) {
            self.clear_statements();
        }
        self.forget_transaction();
    }

    /// No transaction is open any more: the server has closed its cursors.
    pub(crate) fn forget_transaction(&mut self) {
        self.transaction.is_open = false;
        self.cursors.end_transaction();
    }

    fn described(&mut self, answer: Answer) -> Result<(), WireError> {
        if answer.failure.is_some() {
            self.execution = None;
            self.link.note(answer.failure);
            return Ok(());
        }
        let description = answer.description.ok_or(WireError::Malformed("a statement without a description"))?;
        if self.execution.is_none() || self.link.fault.is_some() {
            // BEGIN has failed meanwhile.
            self.link.release(description.id);
            return Ok(());
        }
        if let Some(execution) = &mut self.execution {
            execution.set_prepared(&description);
        }
        self.launch();
        Ok(())
    }

    fn commanded(&mut self, answer: Answer) {
        let verb = self.execution.take().map(|execution| execution.execute.verb);
        if verb == Some(Verb::Definition) {
            self.transaction.has_definitions = self.transaction.is_open;
            self.clear_statements();
        }
        self.link.note(answer.failure);
    }

    fn executed(&mut self, answer: Answer) {
        let Some(execution) = &mut self.execution else { return self.link.note(answer.failure) };
        let prepared = execution.prepared.clone();
        if let Some(failure) = answer.failure {
            if let Some(prepared) = prepared {
                self.link.release(prepared.id);
            }
            if !self.try_again(failure.code) {
                self.execution = None;
                self.link.note(Some(failure));
            }
            return;
        }
        let Some(prepared) = prepared else { return };
        if execution.next_row < execution.execute.rows.len() {
            execution.execute_rows(&prepared, &mut self.link);
            return;
        }
        let is_definition = execution.execute.verb == Verb::Definition;
        self.execution = None;
        self.put_back(prepared);
        if is_definition {
            self.clear_statements();
        }
    }

    fn opened(&mut self, number: u32, answer: Answer) {
        if let Some(failure) = answer.failure {
            if let Some(cursor) = self.cursors.remove(number) {
                self.link.release(cursor.statement.id);
            }
            if !self.try_again(failure.code) {
                self.execution = None;
                self.link.note(Some(failure));
            }
            return;
        }
        self.execution = None;
        if self.link.fault.is_some() {
            // BEGIN, which was sent before, has failed.
            return self.close_cursor(number);
        }
        self.outcome.has_rows = true;
        if self.cursors.get(number).is_some_and(|cursor| !cursor.is_scrolling) {
            self.cursors.fetched(number, answer, &mut self.smart_lobs, &mut self.link);
        }
    }

    fn insert_opened(&mut self, number: u32, answer: Answer) {
        let is_failed = answer.failure.is_some() || self.link.fault.is_some();
        if let Some(failure) = answer.failure {
            if let Some(cursor) = self.cursors.remove(number) {
                self.link.release(cursor.statement.id);
            }
            if self.try_again(failure.code) {
                return;
            }
            self.link.note(Some(failure));
        } else if is_failed {
            self.close_cursor(number);
        }
        self.execution = None;
    }
}
