//! The output of a session as packets, as it comes.
//!
//! Packets are sent in groups, not one by one: a procedure that loops writes thousands of small tokens. The end of the
//! answer sends the last group.

use super::link::Link;
use super::translation;
use crate::host::connection::Connection;
use mainstay_session::push::{Column, ColumnSource, Done, Environment, Message, Sink, Stop};
use mainstay_tds::Answer;
use mainstay_types::ValueRef;
use std::sync::atomic::Ordering::Relaxed;

/// Complete packets are sent when they have so many bytes.
const SEND_BYTES: usize = 64 * 1024;

/// Takes a session's answer.
pub(crate) struct AnswerSink<'a> {
    pub answer: &'a mut Answer,
    pub link: &'a Link,
    pub connection: &'a Connection,
    /// True if an error was said since the last end of a statement.
    pub error: bool,
    /// True if an error ends the connection.
    pub fatal: bool,
    /// True if the client is gone.
    pub lost: bool,
    /// True if a call has said what it returns.
    pub status_said: bool,
    /// Rows since the beginning.
    pub rows: u64,
}

impl<'a> AnswerSink<'a> {
    pub fn new(answer: &'a mut Answer, link: &'a Link, connection: &'a Connection) -> AnswerSink<'a> {
        AnswerSink { answer, link, connection, error: false, fatal: false, lost: false, status_said: false, rows: 0 }
    }

    /// Sends what is complete, if it is enough.
    fn send_some(&mut self) -> Result<(), Stop> {
        if self.lost {
            return Err(Stop::Lost);
        }
        if self.answer.packets().complete_bytes() >= SEND_BYTES {
            let link = self.link;
            if self.answer.packets().take_complete(|bytes| link.send(bytes)).is_err() {
                self.lost = true;
                self.answer.packets().take();
                return Err(Stop::Lost);
            }
        }
        if self.connection.is_cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }
}

fn no_value(error: mainstay_tds::ValueError) -> Stop {
    Stop::Value(Message::error(50_000, format!("An answer cannot be sent: {error}.")))
}

impl Sink for AnswerSink<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), Stop> {
        let columns: Vec<_> = columns.iter().map(translation::column).collect::<Result<_, _>>().map_err(Stop::Value)?;
        self.answer.columns(&columns);
        self.send_some()
    }

    fn sources(&mut self, tables: &[Vec<String>], columns: &[ColumnSource]) {
        self.answer.sources(tables, &translation::sources(columns));
    }

    fn order(&mut self, columns: &[u16]) {
        self.answer.order(columns);
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        self.answer.row(values).map_err(no_value)?;
        self.rows += 1;
        self.send_some()
    }

    fn done(&mut self, done: Done) {
        self.error = done.error;
        self.answer.done(translation::done(done));
        let _ = self.send_some();
    }

    fn message(&mut self, message: &Message) {
        if message.is_error() {
            self.error = true;
            self.fatal |= message.severity >= 20;
            self.connection.metrics().errors_total.fetch_add(1, Relaxed);
        }
        self.answer.message(message);
        let _ = self.send_some();
    }

    fn return_status(&mut self, status: i32) {
        self.status_said = true;
        self.answer.return_status(status);
    }

    fn return_value(&mut self, ordinal: u16, column: &Column, value: ValueRef<'_>) -> Result<(), Stop> {
        if !self.status_said {
            self.return_status(0);
        }
        let column = translation::column(column).map_err(Stop::Value)?;
        self.answer.return_value(ordinal, &column, value).map_err(no_value)
    }

    fn environment(&mut self, change: &Environment) {
        self.answer.environment(&translation::environment(change));
        let said = match change {
            Environment::Database { new, .. } => Some((5701, format!("Changed database context to '{new}'."), 2)),
            Environment::Language { new, .. } => Some((5703, format!("Changed language setting to {new}."), 1)),
            _ => None,
        };
        if let Some((number, text, state)) = said {
            self.answer.message(&Message::error(number, text).severity(0).state(state));
        }
    }

    fn flush(&mut self) {
        self.answer.packets().flush_packet();
        let link = self.link;
        if !self.lost && self.answer.packets().take_complete(|bytes| link.send(bytes)).is_err() {
            self.lost = true;
        }
    }
}
