//! Answers: tokens, written straight into packets. (MS-TDS 2.2.7.)
//!
//! An [`Answer`] writes single tokens in the form of the client's version; the caller determines their order. The end
//! of a statement is written with the next token, because only then is it known if more follows:
//!
//! ```text
//!   COLMETADATA ROW ROW NBCROW DONE(more)   INFO   COLMETADATA ROW DONE(final)
//! ```

use crate::column::Column;
use crate::data_type::{DataType, Length};
use crate::done::{Command, Done, DoneKind, Environment};
use crate::error::ValueError;
use crate::packet_writer::{PacketWriter, first_units};
use crate::source::{self, ColumnSource};
use crate::value_read::Place;
use crate::value_write::CellWriter;
use crate::version::Version;
use crate::{Collation, Feature, PacketKind};
use mainstay_session::push::Message;
use mainstay_types::ValueRef;
use std::borrow::Cow;

/// Bits of a DONE's status.
const MORE: u16 = 0x0001;
const ERROR: u16 = 0x0002;
const IN_TRANSACTION: u16 = 0x0004;
const COUNT: u16 = 0x0010;
const ATTENTION: u16 = 0x0020;
/// An error of severity 20 or above, behind which the results so far are not to be used.
const SERVER_ERROR: u16 = 0x0100;

/// The least severity of an error that is fatal to what ran (MS-TDS 2.2.7.6, DONE_SRVERROR).
const SEVERE: u8 = 20;

/// Messages are cut to so many UTF-16 units, so that their token is not longer than its length can say.
const LONGEST_MESSAGE: u16 = 30_000;

/// Writes answers.
#[derive(Debug)]
pub struct Answer {
    out: PacketWriter,
    version: Version,
    server: String,
    cells: Vec<CellWriter>,
    scratch: Vec<u8>,
    /// The end that is written when it is known what follows.
    pending: Option<Done>,
    /// True if a transaction is open, which every DONE says.
    in_transaction: bool,
    /// Its number.
    transaction: u64,
    /// True if the client takes VARCHAR in UTF-8.
    utf8: bool,
    /// True if an error was sent since the last end that ends the request ([`SEVERE`]).
    is_severe: bool,
}

impl Answer {
    /// For a client of a version. `server` is the server's name in messages.
    pub fn new(version: Version, server: &str) -> Answer {
        Answer {
            out: PacketWriter::new(PacketKind::Answer),
            version,
            server: server.to_owned(),
            cells: Vec::new(),
            scratch: Vec::new(),
            pending: None,
            in_transaction: false,
            transaction: 0,
            utf8: false,
            is_severe: false,
        }
    }

    /// The packets.
    pub fn packets(&mut self) -> &mut PacketWriter {
        &mut self.out
    }

    /// The version that is written.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Says that the client takes VARCHAR in UTF-8 ([`Feature::UTF8`] was granted); it gets NVARCHAR otherwise.
    pub fn set_utf8(&mut self, takes: bool) {
        self.utf8 = takes;
    }

    /// The end of a transaction by a reset of the connection: it is rolled back, and the client is notified if it knows
    /// of one.
    pub fn end_transaction(&mut self) {
        if self.in_transaction {
            self.environment(&Environment::TransactionRolledBack(self.transaction));
        }
    }

    /// Says from here on whether a transaction is open.
    pub fn set_in_transaction(&mut self, open: bool) {
        self.in_transaction = open;
    }

    /// LOGINACK. `program` begins with "Microsoft", or clients take the server for something else.
    pub fn login_ack(&mut self, program: &str, program_version: (u8, u8, u16)) {
        let (major, minor, build) = program_version;
        let program = first_units(program, 255);
        let [high, low] = build.to_be_bytes();
        self.out.put_u8(0xAD);
        self.out.put_u16((1 + 4 + 1 + utf16_bytes(program) + 4) as u16);
        // The interface: T-SQL.
        self.out.put_u8(1);
        self.out.put(&self.version.acknowledged());
        self.out.put_short_text(program);
        self.out.put(&[major, minor, high, low]);
    }

    /// FEATUREEXTACK with what is granted, for clients that sent features.
    pub fn feature_ack(&mut self, granted: &[Feature]) {
        self.out.put_u8(0xAE);
        for feature in granted {
            self.out.put_u8(feature.id);
            self.out.put_u32(feature.data.len() as u32);
            self.out.put(&feature.data);
        }
        self.out.put_u8(0xFF);
    }

    /// The collation of the session, at its beginning.
    pub fn collation(&mut self, collation: Collation) {
        let bytes = collation.0;
        self.change_of_bytes(7, &bytes, &[]);
    }

    /// The size of packets that is used from the next message on.
    pub fn packet_size(&mut self, new: usize, old: usize) {
        self.change_of_text(4, &new.to_string(), &old.to_string());
        self.out.set_packet_size(new);
    }

    /// Writes that the session was reset.
    pub fn reset_done(&mut self) {
        self.write_pending(true);
        self.change_of_bytes(18, &[], &[]);
    }

    /// A change of the session's surroundings, without its message.
    pub fn environment(&mut self, change: &Environment) {
        self.write_pending(true);
        match change {
            Environment::Database { new, old } => self.change_of_text(1, new, old),
            Environment::Language { new, old } => self.change_of_text(2, new, old),
            Environment::TransactionBegun(id) => self.change_of_bytes(8, &id.to_le_bytes(), &[]),
            Environment::TransactionCommitted(id) => self.change_of_bytes(9, &[], &id.to_le_bytes()),
            Environment::TransactionRolledBack(id) => self.change_of_bytes(10, &[], &id.to_le_bytes()),
        }
        match change {
            Environment::TransactionBegun(id) => (self.in_transaction, self.transaction) = (true, *id),
            Environment::TransactionCommitted(_) | Environment::TransactionRolledBack(_) => self.in_transaction = false,
            _ => {}
        }
    }

    fn change_of_text(&mut self, kind: u8, new: &str, old: &str) {
        let (new, old) = (first_units(new, 255), first_units(old, 255));
        self.out.put_u8(0xE3);
        self.out.put_u16((1 + 1 + utf16_bytes(new) + 1 + utf16_bytes(old)) as u16);
        self.out.put_u8(kind);
        self.out.put_short_text(new);
        self.out.put_short_text(old);
    }

    fn change_of_bytes(&mut self, kind: u8, new: &[u8], old: &[u8]) {
        self.out.put_u8(0xE3);
        self.out.put_u16((3 + new.len() + old.len()) as u16);
        self.out.put(&[kind, new.len() as u8]);
        self.out.put(new);
        self.out.put_u8(old.len() as u8);
        self.out.put(old);
    }

    /// INFO for what informs, ERROR for errors. Severity 10 goes as 0, as SQL Server sends it for compatibility: some
    /// drivers take anything above for an error, and the rest of the batch for lost.
    pub fn message(&mut self, message: &Message) {
        self.write_pending(true);
        self.is_severe |= message.severity >= SEVERE;
        let text = first_units(&message.text, usize::from(LONGEST_MESSAGE));
        let server = first_units(&self.server, 255);
        let procedure = first_units(message.procedure.as_deref().unwrap_or_default(), 255);
        let line_bytes = if self.version >= Version::V7_2 { 4 } else { 2 };
        let names = 1 + utf16_bytes(server) + 1 + utf16_bytes(procedure);
        let length = 4 + 1 + 1 + 2 + utf16_bytes(text) + names + line_bytes;
        self.out.put_u8(if message.is_error() { 0xAA } else { 0xAB });
        self.out.put_u16(length as u16);
        self.out.put(&message.number.to_le_bytes());
        let severity = if message.severity == 10 { 0 } else { message.severity };
        self.out.put(&[message.state, severity]);
        self.out.put_long_text(text, LONGEST_MESSAGE);
        self.out.put_short_text(server);
        self.out.put_short_text(procedure);
        match line_bytes {
            4 => self.out.put_u32(message.line),
            _ => self.out.put_u16(message.line.min(u32::from(u16::MAX)) as u16),
        }
    }

    /// COLMETADATA: a result begins.
    pub fn columns(&mut self, columns: &[Column]) {
        self.write_pending(true);
        self.cells.clear();
        self.out.put_u8(0x81);
        if columns.is_empty() {
            return self.out.put_u16(0xFFFF);
        }
        self.out.put_u16(columns.len().min(usize::from(u16::MAX - 1)) as u16);
        for column in columns {
            let cell = CellWriter::new(&self.sendable(column), self.version, Place::Row);
            column.write(&cell.info, self.version, &mut self.out);
            self.cells.push(cell);
        }
    }

    /// TABNAME and COLINFO: the sources of the columns. Right after [`Answer::columns`].
    pub fn sources(&mut self, tables: &[Vec<String>], columns: &[ColumnSource]) {
        source::write(tables, columns, &mut self.out);
    }

    /// The column as the client can take it: without UTF-8 if it does not know that.
    fn sendable<'c>(&self, column: &'c Column) -> Cow<'c, Column> {
        if self.utf8 || !column.collation.is_utf8() {
            return Cow::Borrowed(column);
        }
        let data_type = match column.data_type {
            DataType::Char(length, _) if length <= 4000 => DataType::NChar(length),
            DataType::VarChar(Length::Limited(length), _) if length <= 4000 => {
                DataType::NVarChar(Length::Limited(length))
            }
            DataType::Char(..) | DataType::VarChar(..) => DataType::NVarChar(Length::Max),
            DataType::Text(_) => DataType::NText,
            _ => return Cow::Borrowed(column),
        };
        Cow::Owned(Column { data_type, ..column.clone() })
    }

    /// ORDER: by which columns the rows are ordered, counted from 1.
    pub fn order(&mut self, columns: &[u16]) {
        self.out.put_u8(0xA9);
        let columns = columns.get(..columns.len().min(1000)).unwrap_or_default();
        self.out.put_u16(2 * columns.len() as u16);
        columns.iter().for_each(|column| self.out.put_u16(*column));
    }

    /// ROW or NBCROW. A row with a value that its column cannot hold is not written at all.
    pub fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), ValueError> {
        if values.len() != self.cells.len() {
            let reason = format!("a row of {} values for {} columns", values.len(), self.cells.len());
            return Err(ValueError { column: String::new(), reason });
        }
        let mark = self.out.mark();
        let nulls = values.iter().filter(|value| value.is_null()).count();
        let written = if self.version >= Version::V7_3B && 2 * nulls > values.len().div_ceil(8) {
            self.row_with_bitmap(values)
        } else {
            self.out.put_u8(0xD1);
            let mut cells = self.cells.iter().zip(values);
            cells.try_for_each(|(cell, value)| cell.write(*value, &mut self.scratch, &mut self.out))
        };
        if written.is_err() {
            self.out.rewind(mark);
        }
        written
    }

    fn row_with_bitmap(&mut self, values: &[ValueRef<'_>]) -> Result<(), ValueError> {
        self.out.put_u8(0xD2);
        for eight in values.chunks(8) {
            let bits = eight.iter().enumerate().map(|(i, value)| u8::from(value.is_null()) << i);
            self.out.put_u8(bits.sum());
        }
        for (cell, value) in self.cells.iter().zip(values).filter(|(_, value)| !value.is_null()) {
            cell.write(*value, &mut self.scratch, &mut self.out)?;
        }
        Ok(())
    }

    /// RETURNSTATUS.
    pub fn return_status(&mut self, status: i32) {
        self.write_pending(true);
        self.out.put_u8(0x79);
        self.out.put(&status.to_le_bytes());
    }

    /// RETURNVALUE: an output parameter.
    pub fn return_value(&mut self, ordinal: u16, column: &Column, value: ValueRef<'_>) -> Result<(), ValueError> {
        self.write_pending(true);
        let mark = self.out.mark();
        let cell = CellWriter::new(&self.sendable(column), self.version, Place::Parameter);
        self.out.put_u8(0xAC);
        self.out.put_u16(ordinal);
        self.out.put_short_text(&column.name);
        self.out.put_u8(1);
        if self.version >= Version::V7_2 {
            self.out.put_u32(0);
        } else {
            self.out.put_u16(0);
        }
        self.out.put_u16(1);
        cell.info.write(&mut self.out);
        let written = cell.write(value, &mut self.scratch, &mut self.out);
        if written.is_err() {
            self.out.rewind(mark);
        }
        written
    }

    /// The end of a statement: written when the next thing is.
    pub fn done(&mut self, done: Done) {
        self.write_pending(true);
        self.pending = Some(done);
    }

    /// The end of a call: DONEPROC, which says that more follows if there is another call in the request.
    pub fn end_of_call(&mut self, error: bool, last: bool) {
        self.write_pending(true);
        self.pending = Some(Done { kind: DoneKind::Procedure, command: Command::EXECUTE, count: None, error });
        if !last {
            self.write_pending(true);
        }
    }

    /// The end of the answer. Without a statement's end before it, one of nothing is written; `error` marks it.
    pub fn finish(&mut self, error: bool) {
        if self.pending.is_none() {
            self.pending = Some(Done { kind: DoneKind::Statement, command: Command::NONE, count: None, error });
        }
        // The final one of a batch is a DONE, whatever was before it.
        if self.pending.is_some_and(|done| done.kind == DoneKind::InProcedure) {
            self.write_pending(true);
            self.pending = Some(Done { kind: DoneKind::Statement, command: Command::NONE, count: None, error });
        }
        self.write_pending(false);
        self.out.end_message();
    }

    /// The end of an answer that the client wanted no more of.
    pub fn finish_attention(&mut self) {
        self.write_pending(true);
        self.write_done(0xFD, ATTENTION, Command::NONE, 0);
        self.out.end_message();
    }

    /// Writes the end that waits, if one does.
    fn write_pending(&mut self, more: bool) {
        let Some(done) = self.pending.take() else { return };
        let token = match done.kind {
            DoneKind::Statement => 0xFD,
            DoneKind::Procedure => 0xFE,
            DoneKind::InProcedure => 0xFF,
        };
        let status = if more { MORE } else { 0 }
            | if done.error { ERROR } else { 0 }
            | if done.error && std::mem::take(&mut self.is_severe) { SERVER_ERROR } else { 0 }
            | if done.count.is_some() { COUNT } else { 0 }
            | if self.in_transaction { IN_TRANSACTION } else { 0 };
        self.write_done(token, status, done.command, done.count.unwrap_or(0));
    }

    fn write_done(&mut self, token: u8, status: u16, command: Command, count: u64) {
        self.out.put_u8(token);
        self.out.put_u16(status);
        self.out.put_u16(command.0);
        match self.version >= Version::V7_2 {
            true => self.out.put(&count.to_le_bytes()),
            false => self.out.put_u32(u32::try_from(count).unwrap_or(u32::MAX)),
        }
    }
}

fn utf16_bytes(text: &str) -> usize {
    2 * text.encode_utf16().count()
}
