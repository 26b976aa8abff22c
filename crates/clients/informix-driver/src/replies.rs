//! Replies of the server: each belongs to the oldest group that is not answered.

use crate::group::{Answer, Group};
use crate::placeholders::Verb;
use crate::session::{Fault, OFFERED, Phase, Session};
use mainstay_sqli::{Failure, Features, Mask, Reply, Request, SimpleLob, WireError};

/// A value of a row that has to be fetched.
enum Wanted {
    /// The descriptor of a TEXT or BYTE value.
    Simple([u8; SimpleLob::BYTES]),
    /// The locator of a BLOB or CLOB value.
    Smart(Vec<u8>),
}

/// SQLCODE of BEGIN WORK inside a transaction.
const ALREADY_BEGUN: i16 = -535;

impl Session {
    /// A row.
    pub(crate) fn row(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let stray = WireError::Malformed("a row that nobody has asked for");
        let (number, scrolled) = match self.groups.front() {
            Some(Group::Open(number) | Group::Fetch(number)) => (*number, None),
            Some(Group::Scroll(number, row)) => (*number, Some(self.answer.row_number.unwrap_or(*row))),
            Some(Group::Ignored) => return Ok(()),
            _ => return Err(stray),
        };
        self.answer.rows += 1;
        // Rows of a cursor that was closed meanwhile are on their way.
        let Some(cursor) = self.cursors.get_mut(&number) else { return Ok(()) };
        if scrolled.is_none() && cursor.outstanding.front() != Some(&(self.answered + 1)) {
            return Ok(());
        }
        if let Some(place) = scrolled {
            self.answer.row_number = place.checked_add(1);
            cursor.last_number = Some(place);
            if cursor.block.is_empty() {
                cursor.first_row = place;
            }
            // A reply may hold the rows behind the one that was asked for: the next replies repeat them.
            if usize::try_from(place.saturating_sub(cursor.first_row)) != Ok(cursor.block.len()) {
                return Ok(());
            }
        }
        cursor.push(bytes)
    }

    /// Any other message.
    pub(crate) fn reply(&mut self, reply: Reply) -> Result<(), WireError> {
        match reply {
            Reply::EndOfGroup => return self.end_of_group(),
            Reply::Exit => {
                self.done_at = self.answered;
                self.phase = Phase::Closed;
            }
            Reply::Failed(failure) => {
                self.answer.failure.get_or_insert(failure);
            }
            Reply::Protocols(mask) => self.context.features = Features::of(&mask.and(&Mask::new(&OFFERED))),
            Reply::Described(description) => self.answer.description = Some(description),
            Reply::Row { bytes, .. } => return self.row(&bytes),
            Reply::RowNumber(number) => self.answer.row_number = Some(number),
            Reply::Lob(piece) => self.answer.lob.extend_from_slice(&piece),
            Reply::Done { rows, serial, warnings, .. } => self.done(rows, serial, warnings),
            Reply::InsertDone { serial8, bigserial } => {
                let is_execution = matches!(self.groups.front(), Some(Group::Execute | Group::Command | Group::Put));
                let generated = [bigserial, serial8].into_iter().find(|number| *number != 0);
                if is_execution && generated.is_some() {
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
            Reply::RoutineNumber { database, number } => self.answer.routine = Some((database, number)),
            Reply::RoutineValues(values) => self.answer.values = values,
            Reply::SmartLob(bytes) => self.answer.lob = bytes,
            Reply::SmartLobWritten(bytes) => self.answer.written = bytes,
        }
        Ok(())
    }

    fn done(&mut self, rows: u64, serial: i32, warnings: u16) {
        self.answer.warnings = warnings;
        if matches!(self.groups.front(), Some(Group::Execute | Group::Command | Group::Put)) {
            self.outcome.executions += 1;
            self.outcome.changed += rows;
            if serial != 0 {
                self.outcome.serial = Some(serial.into());
            }
        }
    }

    fn end_of_group(&mut self) -> Result<(), WireError> {
        let answer = std::mem::take(&mut self.answer);
        let group = self.groups.pop_front().ok_or(WireError::Malformed("an answer to nothing"))?;
        self.answered += 1;
        match group {
            Group::Protocols | Group::Ignored => {}
            Group::Plain => self.note(answer.failure),
            Group::Database => {
                self.database_warnings = answer.warnings;
                self.note(answer.failure);
            }
            Group::Begin => self.begun(answer),
            Group::End => self.ended(answer),
            Group::Abandoned => self.abandoned(answer),
            Group::Prepare => self.described(answer)?,
            Group::Command => self.commanded(answer),
            Group::Execute => self.executed(answer),
            Group::Open(number) => self.opened(number, answer),
            Group::OpenInsert(number) => self.insert_opened(number, answer),
            Group::Put => self.note(answer.failure),
            Group::Fetch(number) => self.fetched(number, answer),
            Group::Scroll(number, _) => {
                self.note(answer.failure);
                self.fetch_lobs(number);
            }
            Group::Lob(number, place) => self.lob(number, place, answer),
            Group::Routine(routine) => self.routine_found(routine, answer),
            Group::Call(purpose) => self.called(purpose, answer),
            Group::Piece(purpose) => self.piece(purpose, answer),
        }
        Ok(())
    }

    fn note(&mut self, failure: Option<Failure>) {
        if let Some(failure) = failure {
            self.fault.get_or_insert(Fault::Server(failure));
        }
    }

    fn begun(&mut self, answer: Answer) {
        match answer.failure {
            Some(failure) if failure.code != ALREADY_BEGUN => {
                self.note(Some(failure));
                self.execution = None;
            }
            _ => {
                self.is_in_transaction = true;
                // A PREPARE or an OPEN was sent along with it, or the statement waits.
                let is_on_its_way = self.groups.iter().any(|group| matches!(group, Group::Prepare | Group::Open(_)));
                if self.execution.is_some() && !is_on_its_way {
                    self.launch();
                }
            }
        }
    }

    fn ended(&mut self, answer: Answer) {
        if answer.failure.is_some() {
            return self.note(answer.failure);
        }
        if std::mem::take(&mut self.has_definitions) {
            self.clear_statements();
        }
        self.forget_transaction();
    }

    /// No transaction is open any more: the server has closed its cursors.
    pub(crate) fn forget_transaction(&mut self) {
        self.is_in_transaction = false;
        for cursor in self.cursors.values_mut().filter(|cursor| !cursor.is_held) {
            cursor.is_ended = true;
            cursor.is_closed = true;
        }
    }

    /// The answer to a ROLLBACK that was not waited for. After an error the transaction is still open, and the operation
    /// that runs may be in it.
    fn abandoned(&mut self, answer: Answer) {
        self.is_in_transaction |= answer.failure.is_some();
        self.note(answer.failure);
    }

    fn described(&mut self, answer: Answer) -> Result<(), WireError> {
        if answer.failure.is_some() {
            self.execution = None;
            self.note(answer.failure);
            return Ok(());
        }
        let description = answer.description.ok_or(WireError::Malformed("a statement without a description"))?;
        if self.execution.is_none() || self.fault.is_some() {
            // BEGIN has failed meanwhile.
            self.release(description.id);
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
            self.has_definitions = self.is_in_transaction;
            self.clear_statements();
        }
        self.note(answer.failure);
    }

    fn executed(&mut self, answer: Answer) {
        let Some(execution) = &self.execution else { return self.note(answer.failure) };
        let prepared = execution.prepared.clone();
        if let Some(failure) = answer.failure {
            if let Some(prepared) = prepared {
                self.release(prepared.id);
            }
            if !self.try_again(failure.code) {
                self.execution = None;
                self.note(Some(failure));
            }
            return;
        }
        let Some(prepared) = prepared else { return };
        if execution.next_row < execution.execute.rows.len() {
            self.execute_rows(&prepared);
            self.done_at = self.sent;
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
            if let Some(cursor) = self.cursors.remove(&number) {
                self.release(cursor.statement.id);
            }
            if !self.try_again(failure.code) {
                self.execution = None;
                self.note(Some(failure));
            }
            return;
        }
        self.execution = None;
        if self.fault.is_some() {
            // BEGIN, which was sent before, has failed.
            return self.close_cursor(number);
        }
        self.outcome.has_rows = true;
        if self.cursors.get(&number).is_some_and(|cursor| !cursor.is_scrolling) {
            self.fetched(number, answer);
        }
    }

    fn insert_opened(&mut self, number: u32, answer: Answer) {
        let is_failed = answer.failure.is_some() || self.fault.is_some();
        if let Some(failure) = answer.failure {
            if let Some(cursor) = self.cursors.remove(&number) {
                self.release(cursor.statement.id);
            }
            if self.try_again(failure.code) {
                return;
            }
            self.note(Some(failure));
        } else if is_failed {
            self.close_cursor(number);
        }
        self.execution = None;
    }

    fn fetched(&mut self, number: u32, answer: Answer) {
        let answered = self.answered;
        let Some(cursor) = self.cursors.get_mut(&number) else { return };
        // A group of an earlier cursor of this number.
        if cursor.outstanding.front().is_none_or(|known| *known != answered) {
            return;
        }
        cursor.outstanding.pop_front();
        if answer.failure.is_some() {
            // A cursor that has ended is closed at some servers, where a fetch ahead fails.
            let has_ended = std::mem::replace(&mut cursor.is_ended, true);
            match self.fetching == Some(number) && cursor.block.is_empty() {
                _ if has_ended => {}
                true => self.note(answer.failure),
                false => cursor.failure = answer.failure,
            }
            return;
        }
        // A fetch without rows is the only end that all servers agree on.
        cursor.is_ended |= answer.rows == 0;
        self.fetch_lobs(number);
    }

    /// Asks for the TEXT, BYTE, BLOB and CLOB values of the rows that have just come.
    fn fetch_lobs(&mut self, number: u32) {
        let Some(cursor) = self.cursors.get(&number) else { return };
        let Some(first) = cursor.block.lobs.len().checked_div(cursor.layout.lobs.len()) else { return };
        let mut wanted = Vec::new();
        for row in first..cursor.block.len() {
            let Some(mut bytes) = cursor.block.row(row) else { continue };
            for (place, column) in cursor.layout.columns.iter().enumerate() {
                let cell = crate::read_cell(column.kind, &mut bytes);
                match cell {
                    Ok(crate::Cell::Lob(descriptor, _)) => wanted.push(Some(Wanted::Simple(*descriptor))),
                    Ok(crate::Cell::Locator(locator, _)) => wanted.push(Some(Wanted::Smart(locator.to_vec()))),
                    _ if cursor.layout.lobs.contains(&place) => wanted.push(None),
                    _ => {}
                }
            }
        }
        if wanted.is_empty() {
            return;
        }
        let (id, before, keeps_locators) = (cursor.statement.id, cursor.block.lobs.len(), cursor.keeps_locators);
        if let Some(cursor) = self.cursors.get_mut(&number) {
            cursor.block.lobs.resize(before + wanted.len(), Vec::new());
        }
        for (place, wanted) in wanted.into_iter().enumerate() {
            match wanted {
                Some(Wanted::Simple(descriptor)) if SimpleLob::decode(&descriptor).size > 0 => {
                    self.put(&Request::Statement(id));
                    Request::encode_fetch_lob(&descriptor, &mut self.output);
                    self.end_group(Group::Lob(number, before + place));
                }
                Some(Wanted::Smart(locator)) if !keeps_locators => self.read_whole(number, before + place, &locator),
                _ => {}
            }
        }
        self.done_at = self.sent;
    }

    fn lob(&mut self, number: u32, place: usize, answer: Answer) {
        self.note(answer.failure);
        let cursor = self.cursors.get_mut(&number);
        if let Some(lob) = cursor.and_then(|cursor| cursor.block.lobs.get_mut(place)) {
            *lob = answer.lob;
        }
    }
}
