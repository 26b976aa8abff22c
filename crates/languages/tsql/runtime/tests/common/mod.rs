//! Helpers of the tests of sessions: a client that records all messages to it.

use mainstay_session::push::{self, Command, Done, Environment, Message, Sink, Stop};
use mainstay_tsql_runtime::Column;
use mainstay_tsql_types::convert::convert;
use mainstay_tsql_types::{Context, DataType, Length};
use mainstay_types::{Value, ValueRef};
use std::fmt::Write;

/// A client that writes down everything, much as `sqlcmd` shows it.
#[derive(Default)]
pub struct Transcript {
    pub text: String,
    /// The errors among the messages, in their order.
    pub errors: Vec<Message>,
    /// The ends of statements, in their order.
    pub ends: Vec<Done>,
    /// The changes of the session's surroundings, in their order.
    pub changes: Vec<Environment>,
    pub columns: Vec<Column>,
    /// The types of the output parameters, in the order of their values.
    pub returned: Vec<DataType>,
}

impl Transcript {
    fn cell(&self, place: usize, value: ValueRef<'_>) -> String {
        let Some(column) = self.columns.get(place) else { return value.to_string() };
        if value.is_null() {
            return "NULL".to_owned();
        }
        let to = DataType::NVarChar(Length::Max);
        let within = (column.data_type == DataType::SqlVariant).then(|| mainstay_tsql_types::variant::decode(value));
        let (from, value) = within.as_ref().map_or((column.data_type, value), |(from, value)| (*from, value.as_ref()));
        let style = match from {
            DataType::Binary(_) | DataType::VarBinary(_) | DataType::Image | DataType::RowVersion => Some(1),
            other => other.is_moment().then_some(121),
        };
        match convert(&Context::default(), value, from, to, style) {
            Ok(Value::Text(text)) => text,
            Ok(other) => other.to_string(),
            Err(_) => value.to_string(),
        }
    }
}

impl Sink for Transcript {
    fn columns(&mut self, columns: &[push::Column]) -> Result<(), Stop> {
        self.columns = columns.iter().map(Column::from).collect();
        let heads: Vec<String> =
            self.columns.iter().map(|c| format!("{} {}", c.name, c.data_type).trim().to_owned()).collect();
        writeln!(self.text, "[{}]", heads.join(" | ")).map_err(|_| Stop::Lost)
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        let cells: Vec<String> = values.iter().enumerate().map(|(place, value)| self.cell(place, *value)).collect();
        writeln!(self.text, "{}", cells.join(" | ")).map_err(|_| Stop::Lost)
    }

    fn done(&mut self, done: Done) {
        self.ends.push(done);
        if let Some(count) = done.count {
            let what = if done.command == Command::Select { "rows" } else { "rows affected" };
            let _ = writeln!(self.text, "({count} {what})");
        }
    }

    fn message(&mut self, message: &Message) {
        if message.is_error() {
            self.errors.push(message.clone());
        }
        let _ = match message.number {
            0 => writeln!(self.text, "{}", message.text),
            _ => writeln!(self.text, "{message}"),
        };
    }

    fn return_status(&mut self, status: i32) {
        let _ = writeln!(self.text, "status {status}");
    }

    fn return_value(&mut self, _: u16, column: &push::Column, value: ValueRef<'_>) -> Result<(), Stop> {
        self.returned.push(Column::from(column).data_type);
        let within = mainstay_tsql_types::variant::of(value);
        let value = within.as_ref().map_or(value, |(_, value)| value.as_ref());
        writeln!(self.text, "{} = {value}", column.name).map_err(|_| Stop::Lost)
    }

    fn flush(&mut self) {}

    fn environment(&mut self, change: &Environment) {
        self.changes.push(change.clone());
    }
}
