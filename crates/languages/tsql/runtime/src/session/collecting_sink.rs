//! A sink that collects results for consumers that do not stream them: cursors of the protocol, and descriptions of
//! results.

use crate::columns::Column;
use mainstay_session::push::{self, Done, Environment, Sink, Stop};
use mainstay_tsql_types::Message;
use mainstay_types::{Value, ValueRef};

/// A result.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// Keeps results; messages go on to the client.
pub(crate) struct Collector<'a> {
    sink: Option<&'a mut dyn Sink>,
    pub(crate) results: Vec<Collected>,
    /// The ends of statements that are not results.
    pub(crate) others: Vec<Done>,
    /// The first error that was reported.
    pub(crate) error: Option<Message>,
}

impl<'a> Collector<'a> {
    /// A collector whose messages go to a client; without a client they are discarded.
    pub(crate) fn new(sink: Option<&'a mut dyn Sink>) -> Collector<'a> {
        Collector { sink, results: Vec::new(), others: Vec::new(), error: None }
    }
}

impl Sink for Collector<'_> {
    fn columns(&mut self, columns: &[push::Column]) -> Result<(), Stop> {
        self.results.push(Collected { columns: columns.iter().map(Column::from).collect(), rows: Vec::new() });
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        if let Some(result) = self.results.last_mut() {
            result.rows.push(values.iter().map(|value| value.to_value()).collect());
        }
        Ok(())
    }

    fn done(&mut self, done: Done) {
        if done.command != mainstay_session::push::Command::Select {
            self.others.push(done);
        }
    }

    fn message(&mut self, message: &push::Message) {
        if message.is_error() && self.error.is_none() {
            self.error = Some(message.clone().into());
        }
        if let Some(sink) = &mut self.sink {
            sink.message(message);
        }
    }

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: u16, _: &push::Column, _: ValueRef<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn environment(&mut self, change: &Environment) {
        if let Some(sink) = &mut self.sink {
            sink.environment(change);
        }
    }

    fn flush(&mut self) {}
}
