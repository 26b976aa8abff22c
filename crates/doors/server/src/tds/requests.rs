//! Requests of clients, passed to the session: batches, calls, transactions, bulk loads.

use super::link::{BulkPacket, Incoming, Link};
use super::sink::AnswerSink;
use super::translation;
use crate::host::connection::Connection;
use crate::host::metrics::RequestKind;
use mainstay_session::push::{BulkRows, Call, Message, ParameterValue, Session, Sink, TransactionRequest};
use mainstay_tds::{Batch, BulkEvent, BulkReader, PacketKind, Version, WholeMessage, Wire, WireError};
use mainstay_types::Value;

/// A request that is there as a whole.
#[derive(Debug)]
pub(crate) enum Request {
    Batch(Batch),
    Calls(Vec<Call>),
    Transaction(TransactionRequest),
}

impl Request {
    pub fn decode(message: &WholeMessage, version: Version) -> Wire<Request> {
        match message.kind {
            PacketKind::Batch => Batch::decode(&message.bytes, version).map(Request::Batch),
            PacketKind::Rpc => {
                let (_, calls) = mainstay_tds::Call::decode(&message.bytes, version)?;
                Ok(Request::Calls(calls.into_iter().map(translation::call).collect()))
            }
            PacketKind::TransactionManager => {
                let (_, request) = mainstay_tds::TransactionRequest::decode(&message.bytes, version)?;
                Ok(Request::Transaction(translation::transaction(request)))
            }
            other => Err(WireError::Unsupported(format!("{other:?} after a login"))),
        }
    }

    pub fn kind(&self) -> RequestKind {
        match self {
            Request::Batch(_) => RequestKind::Batch,
            Request::Calls(_) => RequestKind::Call,
            Request::Transaction(_) => RequestKind::Transaction,
        }
    }

    /// The start of its text, for the log.
    pub fn text(&self, limit: usize) -> String {
        let text = match self {
            Request::Batch(batch) => batch.text.clone(),
            Request::Calls(calls) => calls.iter().map(call_text).collect::<Vec<_>>().join("; "),
            Request::Transaction(request) => format!("{request:?}"),
        };
        let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.get(..end).unwrap_or_default().to_owned()
    }

    /// Has the session carry it out.
    pub fn run(&self, session: &mut impl Session, sink: &mut AnswerSink<'_>) {
        match self {
            Request::Batch(batch) => session.batch(&batch.text, sink),
            Request::Transaction(request) => session.transaction(request, sink),
            Request::Calls(calls) => {
                for (i, call) in calls.iter().enumerate() {
                    (sink.error, sink.status_said) = (false, false);
                    // Pools of connections that do not know the bit in the packet's status.
                    if call.procedure.eq_ignore_ascii_case("sp_reset_connection") {
                        session.reset(false);
                        sink.answer.end_transaction();
                    } else {
                        session.call(call, sink);
                    }
                    if !sink.status_said && !sink.error {
                        sink.return_status(0);
                    }
                    sink.answer.end_of_call(sink.error, i + 1 == calls.len());
                    if sink.lost || sink.fatal || sink.connection.is_cancelled() {
                        return;
                    }
                }
            }
        }
    }
}

/// A call as the log shows it: its name, and the text that it runs if it runs one.
fn call_text(call: &Call) -> String {
    let texts = call.parameters.iter().filter(|_| call.procedure.starts_with("sp_"));
    let first = texts.filter_map(|parameter| match &parameter.value {
        ParameterValue::Single(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    let longest = first.max_by_key(|text| text.len()).unwrap_or_default();
    format!("{} {longest}", call.procedure).trim_end().to_owned()
}

/// A bulk load, whose packets are read while the session takes its rows.
pub(crate) struct Load<'a> {
    connection: &'a Connection,
    link: &'a Link,
    reader: BulkReader,
    ended: bool,
    failed: bool,
}

impl<'a> Load<'a> {
    pub fn new(connection: &'a Connection, link: &'a Link, reader: BulkReader, first: BulkPacket) -> Load<'a> {
        let mut load = Load { connection, link, reader, ended: false, failed: false };
        load.take(&first);
        load
    }

    fn take(&mut self, packet: &BulkPacket) {
        self.reader.feed(&packet.payload);
        self.ended = packet.is_end;
        self.failed |= packet.is_ignored;
    }

    /// Waits for the next packet.
    fn more(&mut self) -> Result<(), Message> {
        let lost = || Message::error(4804, "The bulk load ended before its last row.".to_owned());
        match self.link.next(None) {
            Ok(Incoming::Bulk(packet)) => {
                self.take(&packet);
                if self.failed { Err(taken_back()) } else { Ok(()) }
            }
            Ok(Incoming::Attention) => {
                // The client takes the load back, and sends no more of it.
                (self.failed, self.ended) = (true, true);
                self.link.input().put_attention_back();
                self.connection.set_cancelled();
                Err(taken_back())
            }
            _ => {
                (self.failed, self.ended) = (true, true);
                self.connection.shut_down();
                Err(lost())
            }
        }
    }

    fn malformed(&mut self, error: &WireError) -> Message {
        self.failed = true;
        Message::error(4804, format!("The rows of the bulk load cannot be read: {error}."))
    }

    /// Has the session take the rows, and passes over what it leaves.
    pub fn run(&mut self, session: &mut impl Session, sink: &mut AnswerSink<'_>) {
        let columns = loop {
            match self.reader.next_event(self.ended) {
                Ok(BulkEvent::Columns(columns)) => break columns.iter().map(translation::described).collect(),
                // FreeTDS ends a load without rows by an empty message.
                Ok(BulkEvent::End) => break Vec::new(),
                Ok(_) => match self.more() {
                    Err(message) if message.number != 0 => return sink.message(&message),
                    Err(_) => return,
                    Ok(()) => {}
                },
                Err(error) => {
                    let message = self.malformed(&error);
                    sink.message(&message);
                    return self.pass_over();
                }
            }
        };
        session.bulk_insert(&columns, self, sink);
        self.pass_over();
    }

    fn pass_over(&mut self) {
        while !self.ended {
            if self.more().is_err() && self.ended {
                return;
            }
        }
    }
}

/// The client has ended the load itself: it has no number, since the client has an error of its own to tell.
fn taken_back() -> Message {
    Message::error(0, "The client has cancelled the bulk load.")
}

impl BulkRows for Load<'_> {
    fn next_row(&mut self) -> Result<Option<&[Value]>, Message> {
        loop {
            if self.failed {
                return Err(taken_back());
            }
            match self.reader.next_row(self.ended) {
                Ok(mainstay_tds::NextRow::Row) => return Ok(Some(self.reader.row())),
                Ok(mainstay_tds::NextRow::End) => return Ok(None),
                Ok(mainstay_tds::NextRow::NeedsMore) => self.more()?,
                Err(error) => return Err(self.malformed(&error)),
            }
        }
    }
}
