//! A connection after its login: one request after another, until the client leaves or the server stops.
//!
//! A request is decoded, given to the session, and its answer written as it comes. While the session works, `running` is
//! set and the watcher looks for an attention. When it has ended, an attention that came meanwhile is acknowledged by a
//! message behind the answer; one that comes later is a request of its own, with the same acknowledgement: so each
//! attention has exactly one, whenever it is sent.

use crate::link::{Incoming, LinkError};
use crate::log::Level;
use crate::login::{LoggedIn, log_in};
use crate::metrics::{OneMore, RequestKind};
use crate::registry::Handle;
use crate::requests::{self, Request};
use crate::server::Shared;
use crate::sink::AnswerSink;
use mainstay_tds::{Backend, BulkReader, Environment, Reset, Session, Sink, WireError};
use mainstay_tsql_types::Message;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Instant;

/// Text of a slow request that is written to the log, in bytes.
const LOGGED_TEXT: usize = 500;

/// Serves a connection from its first byte to its last.
pub(crate) fn serve<B: Backend>(shared: &Shared<B>, handle: &Arc<Handle>) {
    let ended = match log_in(shared, handle) {
        Ok(Some(logged_in)) => {
            let _one_more = OneMore::of(&shared.metrics.sessions);
            Serving { shared, handle, logged_in }.run().map(|()| "closed")
        }
        Ok(None) => Ok("refused"),
        Err(error) => Err(error),
    };
    let reason: &dyn Display = match &ended {
        Ok(reason) => reason,
        Err(LinkError::Closed) => &"closed",
        Err(LinkError::TimedOut) => &"timed out",
        Err(LinkError::Wire(error)) => {
            shared.metrics.protocol_errors_total.fetch_add(1, Relaxed);
            error
        }
    };
    let level = if matches!(ended, Err(LinkError::Wire(_))) { Level::Warning } else { Level::Info };
    shared.log.event(level, "disconnect", &[("connection", &handle.id), ("reason", reason)]);
}

struct Serving<'a, B: Backend> {
    shared: &'a Shared<B>,
    handle: &'a Handle,
    logged_in: LoggedIn<B::Session>,
}

impl<B: Backend> Serving<'_, B> {
    fn run(mut self) -> Result<(), LinkError> {
        while !self.shared.registry.stopping.load(SeqCst) {
            let idle = self.shared.config.idle_timeout().map(|timeout| Instant::now() + timeout);
            let goes_on = match self.handle.link.next(idle)? {
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
                    let reader = BulkReader::new(version, self.shared.config.max_request_bytes);
                    let mut load = requests::Load::new(self.handle, reader, packet);
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
        let link = &self.handle.link;
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
        let message = Message::numbered(8003, &[&mainstay_tds::MOST_PARAMETERS]);
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
        let (shared, handle) = (self.shared, self.handle);
        let LoggedIn { session, answer, number } = &mut self.logged_in;
        let mut sink = AnswerSink::new(answer, &handle.link, handle, &shared.metrics);
        let began = Instant::now();
        let one_more = OneMore::of(&shared.metrics.requests_running);
        handle.cancelled.store(false, SeqCst);
        handle.running.store(true, SeqCst);
        // Told to stop just before: there was nothing to stop then.
        if shared.registry.stopping.load(SeqCst) || handle.killed.load(SeqCst) {
            handle.cancelled.store(true, SeqCst);
        }
        // The session may be in any state then: it ends with the connection, which rolls back what is open.
        if catch_unwind(AssertUnwindSafe(|| run(session, &mut sink))).is_err() {
            shared.log.event(Level::Error, "panic", &[("connection", &handle.id)]);
            sink.message(&panicked_message());
            (sink.error, sink.fatal) = (true, true);
        }
        let attention = {
            let mut input = handle.link.input();
            handle.running.store(false, SeqCst);
            input.take_attention()
        };
        let (error, fatal, lost, rows) = (sink.error, sink.fatal, sink.lost, sink.rows);
        let took = began.elapsed();
        drop(one_more);
        shared.metrics.rows_total.fetch_add(rows, Relaxed);
        shared.metrics.request(kind, took);
        let slow_ms = u128::from(shared.config.slow_statement_ms);
        if slow_ms > 0 && took.as_millis() >= slow_ms {
            shared.metrics.slow_total.fetch_add(1, Relaxed);
            let fields: [(&str, &dyn Display); 5] = [
                ("session", &number.number),
                ("ms", &took.as_millis()),
                ("rows", &rows),
                ("kind", &kind.name()),
                ("text", &text()),
            ];
            shared.log.event(Level::Warning, "slow_request", &fields);
        }
        if lost {
            return Err(LinkError::Closed);
        }
        let killed = handle.killed.load(SeqCst);
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

/// What the client hears whose session another one has killed.
fn killed_message() -> Message {
    let text = "Cannot continue the execution because the session is in the kill state.";
    Message::error(596, text.to_owned()).severity(21)
}
