//! A connection after its login: one request after another, until the client disconnects or the server stops.
//!
//! A request is decoded, passed to the session, and its answer written as it comes. While the session works, the
//! connection is marked as running and the watcher looks for an attention. An attention that arrives during the request
//! is acknowledged by a message behind the answer; a later one is a separate request with the same acknowledgement: so
//! each attention has exactly one, whenever it is sent.

use super::Serving;
use super::link::{Incoming, LinkError};
use super::login::{LoggedIn, log_in};
use super::requests::{self, Request};
use super::sink::AnswerSink;
use crate::host::Ending;
use crate::host::log::Level;
use crate::host::metrics::{OneMore, RequestKind};
use mainstay_session::push::{Backend, Message, Session, Sink};
use mainstay_tds::{BulkReader, Environment, Reset, WireError};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Text of a slow request that is written to the log, in bytes.
const LOGGED_TEXT: usize = 500;

/// Serves a connection from its first byte to its last.
pub(super) fn serve<B: Backend>(serving: Serving<'_, B>) -> Ending {
    let ended = log_in(serving).and_then(|logged_in| {
        let Some(logged_in) = logged_in else { return Ok(Ending::Refused) };
        let _one_more = OneMore::of(&serving.connection.metrics().sessions);
        Requests { serving, logged_in }.run().map(|()| Ending::Closed)
    });
    ended.unwrap_or_else(|error| match error {
        LinkError::Closed => Ending::Lost("closed".to_owned()),
        LinkError::TimedOut => Ending::Lost("timed out".to_owned()),
        LinkError::Wire(error) => Ending::ProtocolError(error.to_string()),
    })
}

/// The requests of a client that has logged in.
struct Requests<'a, B: Backend> {
    serving: Serving<'a, B>,
    logged_in: LoggedIn<B::Session>,
}

impl<B: Backend> Requests<'_, B> {
    fn run(mut self) -> Result<(), LinkError> {
        while !self.serving.host.is_stopping() {
            let idle = self.serving.host.config().idle_timeout().map(|timeout| Instant::now() + timeout);
            let goes_on = match self.serving.link.next(idle)? {
                Incoming::Attention => {
                    self.logged_in.answer.finish_attention();
                    self.send()?;
                    true
                }
                Incoming::Message(message) if message.ignored => {
                    self.logged_in.answer.finish(true);
                    self.send()?;
                    true
                }
                Incoming::Message(message) => {
                    self.reset(message.reset);
                    match Request::decode(&message, self.logged_in.answer.version()) {
                        Ok(request) => self.answer(&request)?,
                        Err(WireError::TooManyParameters) => {
                            self.too_many_parameters()?;
                            true
                        }
                        Err(error) => return self.refuse(error),
                    }
                }
                Incoming::Bulk(packet) => {
                    self.reset(packet.reset);
                    let version = self.logged_in.answer.version();
                    let reader = BulkReader::new(version, self.serving.host.config().max_request_bytes);
                    let mut load = requests::Load::new(self.serving.connection, self.serving.link, reader, packet);
                    self.bulk(&mut load)?
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), LinkError> {
        let link = self.serving.link;
        self.logged_in.answer.packets().take_complete(|bytes| link.send(bytes))
    }

    /// Makes the session as new, if the request asks for that.
    fn reset(&mut self, reset: Option<Reset>) {
        let Some(Reset { keep_transaction }) = reset else { return };
        let LoggedIn { session, answer, .. } = &mut self.logged_in;
        let before = session.database();
        session.reset(keep_transaction);
        let after = session.database();
        answer.reset_done();
        if !keep_transaction {
            answer.end_transaction();
        }
        if before != after {
            answer.environment(&Environment::Database { new: after, old: before });
        }
    }

    /// Refuses a call, which was read to its end.
    fn too_many_parameters(&mut self) -> Result<(), LinkError> {
        let text = format!(
            "The incoming request has too many parameters. The server supports a maximum of {} parameters. Reduce the number \
             of parameters and resend the request.",
            mainstay_tds::MOST_PARAMETERS
        );
        let message = Message::error(8003, text);
        self.logged_in.answer.message(&message);
        self.logged_in.answer.finish(true);
        self.send()
    }

    /// Says that a request cannot be read, and ends the connection.
    fn refuse(&mut self, error: WireError) -> Result<(), LinkError> {
        let text = format!("The incoming tabular data stream (TDS) protocol stream is incorrect: {error}.");
        self.logged_in.answer.message(&Message::error(4002, text));
        self.logged_in.answer.finish(true);
        self.send()?;
        Err(error.into())
    }

    fn answer(&mut self, request: &Request) -> Result<bool, LinkError> {
        self.carry_out(request.kind(), &|| request.text(LOGGED_TEXT), |session, sink| request.run(session, sink))
    }

    fn bulk(&mut self, load: &mut requests::Load<'_>) -> Result<bool, LinkError> {
        self.carry_out(RequestKind::Bulk, &|| "bulk load".into(), |session, sink| load.run(session, sink))
    }

    /// Runs a request and ends its answer. False if the connection is to end.
    fn carry_out(
        &mut self,
        kind: RequestKind,
        text: &dyn Fn() -> String,
        run: impl FnOnce(&mut B::Session, &mut AnswerSink<'_>),
    ) -> Result<bool, LinkError> {
        let Serving { host, connection, link, .. } = self.serving;
        let metrics = connection.metrics();
        let LoggedIn { session, answer, number } = &mut self.logged_in;
        let mut sink = AnswerSink::new(answer, link, connection);
        let began = Instant::now();
        host.begin_request(connection);
        // The session may be in any state then: it ends with the connection, which rolls back what is open.
        if catch_unwind(AssertUnwindSafe(|| run(session, &mut sink))).is_err() {
            let fields: [(&str, &dyn Display); 2] = [("door", &metrics.door), ("connection", &connection.id())];
            host.log().event(Level::Error, "panic", &fields);
            sink.message(&panicked_message());
            (sink.error, sink.fatal) = (true, true);
        }
        let attention = {
            // Under the lock of the input, so that the watcher does not take an attention for the next request's.
            let mut input = link.input();
            connection.end_request();
            input.take_attention()
        };
        let (error, fatal, lost, rows) = (sink.error, sink.fatal, sink.lost, sink.rows);
        let took = began.elapsed();
        metrics.rows_total.fetch_add(rows, Relaxed);
        host.count_request(connection, kind, took, || {
            let session = ("session", number.number.to_string());
            vec![session, ("rows", rows.to_string()), ("text", text())]
        });
        if lost {
            return Err(LinkError::Closed);
        }
        let killed = connection.is_killed();
        if killed {
            answer.message(&killed_message());
        }
        answer.finish(error || attention || killed);
        if attention {
            // A message of its own, as SQL Server does: tedious and mssql-jdbc wait for a second one.
            answer.finish_attention();
        }
        self.send()?;
        Ok(!fatal && !killed)
    }
}

/// The message of a request whose session has panicked.
fn panicked_message() -> Message {
    let text = "The request ended by an internal error, which the log of the server has. The connection is closed and its \
                transaction rolled back.";
    Message::error(50000, text.to_owned()).severity(21)
}

/// The message for a client whose session another one has killed.
fn killed_message() -> Message {
    let text = "Cannot continue the execution because the session is in the kill state.";
    Message::error(596, text.to_owned()).severity(21)
}
