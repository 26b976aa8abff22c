//! A session, as a protocol listener drives it.

use crate::columns::Column;
use crate::session::{Session, report};
use crate::statements::flow::Origin;
use crate::statements::runner::Runner;
use mainstay_session::push::{self, BulkRows, Call, Command, Done, DoneKind, Sink, TransactionRequest};
use mainstay_session::{Cancel, Kill};
use std::sync::Arc;

impl mainstay_session::push::Session for Session {
    fn database(&self) -> String {
        self.inner.state.database.clone()
    }

    fn batch(&mut self, text: &str, sink: &mut dyn Sink) {
        Session::batch(self, text, sink);
    }

    fn call(&mut self, call: &Call, sink: &mut dyn Sink) {
        Session::call(self, call, sink);
    }

    fn transaction(&mut self, request: &TransactionRequest, sink: &mut dyn Sink) {
        self.begin("", true);
        let outcome = self.inner.transaction_request(request);
        self.end();
        self.inner.announce(sink);
        let error = match outcome {
            Ok(()) => false,
            Err(raised) => {
                report(&raised, &mut self.inner.state, sink);
                true
            }
        };
        let command = match request {
            TransactionRequest::Begin(_) => Command::BeginTransaction,
            TransactionRequest::Commit { .. } => Command::Commit,
            _ => Command::Rollback,
        };
        sink.done(Done { kind: DoneKind::Statement, command, count: None, error });
    }

    fn bulk_insert(&mut self, columns: &[push::Column], rows: &mut dyn BulkRows, sink: &mut dyn Sink) {
        let columns: Vec<Column> = columns.iter().map(Column::from).collect();
        self.begin("INSERT BULK", false);
        let mut runner = Runner::new(&mut self.inner, sink, DoneKind::InProcedure);
        let outcome = runner.bulk_insert(&columns, rows, &mut self.machine);
        runner.finish();
        self.end();
        let (command, count) = match &outcome {
            Ok(count) => (Command::BulkInsert, Some(*count)),
            Err(_) => (Command::None, None),
        };
        if let Err(raised) = &outcome {
            // A client that cancels the load has an error of its own, which another one would hide.
            if raised.number != 0 {
                report(raised, &mut self.inner.state, sink);
            }
            if Origin::of(raised) == Some(Origin::Trigger) {
                self.inner.after_failure(raised, sink);
            }
        }
        sink.done(Done { kind: DoneKind::Statement, command, count, error: outcome.is_err() });
    }

    fn reset(&mut self, keep_transaction: bool) {
        self.inner.reset(keep_transaction);
    }

    fn cancel_handle(&self) -> Arc<dyn Cancel> {
        Arc::clone(&self.cancel) as Arc<dyn Cancel>
    }

    fn ends_by(&mut self, connection: Arc<dyn Kill>) {
        if let Some(seat) = &self.inner.seat {
            seat.end_by(connection);
        }
    }
}
