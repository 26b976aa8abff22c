//! T-SQL: batches and calls over a session of `tsql-runtime`.
//!
//! A batch gives its results through a sink, one after the other, so they are complete in memory, within the memory limit.
//! Parameters go the way that drivers of SQL Server use: `sp_executesql` with typed values. NULL is written into the text,
//! because it has no type that converts to all others.

use crate::dialects::core::{named, wrong_count};
use crate::dialects::{Argument, Arguments, Dialect};
use crate::failure::{Class, Fault};
use crate::marks::{Lexis, Mark, first_word, marks, replaced};
use crate::results::{BATCH_ROWS, Output, RowBatches, batch_of, bytes_of};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use mainstay_columnar::values::data_type_of;
use mainstay_session::Cancel;
use mainstay_session::push::{
    self, Begin, Call, Command, Done, Environment, Isolation, Message, Parameter, ParameterValue, Session as _, Sink,
    Stop, TransactionRequest,
};
use mainstay_tsql_runtime::{Column, Session};
use mainstay_tsql_types::{DataType, Length, variant};
use mainstay_types::{Collation as Order, SqlType, Value, ValueRef};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const LEXIS: Lexis = Lexis { brackets: true, brace_comments: false, slash_comments: false };

/// The longest NVARCHAR and VARBINARY with a length.
const LONGEST_TEXT: usize = 4000;
const LONGEST_BYTES: usize = 8000;

/// A session of T-SQL.
pub(crate) struct Tsql {
    session: Session,
    /// A cancelled batch reports no error, as clients of SQL Server expect; the package raises one.
    stop: Arc<StopBatch>,
    is_in_transaction: bool,
    /// Bytes that the results of a batch may take.
    most_bytes: usize,
}

/// Ends the running batch, and remembers it.
struct StopBatch {
    cancel: Arc<dyn Cancel>,
    was_asked: AtomicBool,
}

impl Cancel for StopBatch {
    fn cancel(&self) {
        self.was_asked.store(true, Ordering::Release);
        self.cancel.cancel();
    }
}

/// The error of a batch that was cancelled.
fn cancelled() -> Fault {
    let message = "the batch was cancelled";
    Fault { sqlstate: Some("57014"), code: Some("cancelled"), ..Fault::new(Class::Operational, message) }
}

/// The error of a result that does not fit the memory limit.
pub(crate) fn too_large() -> Fault {
    let message =
        "the result does not fit the memory limit (raise the argument memory_limit of connect, or ask for fewer rows)";
    Fault { sqlstate: Some("53200"), code: Some("out_of_memory"), ..Fault::new(Class::Operational, message) }
}

/// A result that comes in.
struct Incoming {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
    batches: VecDeque<RecordBatch>,
}

/// Takes what a batch answers.
struct Collector {
    outputs: Vec<Output>,
    current: Option<Incoming>,
    messages: Vec<String>,
    error: Option<Message>,
    fault: Option<Fault>,
    bytes: usize,
    most_bytes: usize,
    is_in_transaction: bool,
}

impl Collector {
    fn pack(&mut self) -> Result<(), Fault> {
        let Some(current) = &mut self.current else { return Ok(()) };
        if current.rows.is_empty() {
            return Ok(());
        }
        let batch = batch_of(&current.schema, &std::mem::take(&mut current.rows))?;
        self.bytes += bytes_of(&batch);
        current.batches.push_back(batch);
        if self.bytes > self.most_bytes { Err(too_large()) } else { Ok(()) }
    }

    /// Ends the result that comes in, if there is one.
    fn end_rows(&mut self) -> bool {
        if let Err(fault) = self.pack() {
            self.fault.get_or_insert(fault);
        }
        let Some(current) = self.current.take() else { return false };
        let rows = Some(RowBatches::Ready(current.schema, current.batches));
        let messages = std::mem::take(&mut self.messages);
        self.outputs.push(Output { rows, messages, ..Output::default() });
        true
    }

    fn finish(mut self) -> Result<Vec<Output>, Fault> {
        self.end_rows();
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if let Some(error) = &self.error {
            return Err(Fault::of_tsql(error));
        }
        if !self.messages.is_empty() {
            match self.outputs.last_mut() {
                Some(last) => last.messages.append(&mut self.messages),
                None => self.outputs.push(Output { messages: self.messages, ..Output::default() }),
            }
        }
        Ok(self.outputs)
    }
}

/// A column of a result as one of Arrow. Variants are shown as text, since each value has a type of its own.
fn field(column: &Column) -> Field {
    let sql_type = match column.data_type {
        DataType::SqlVariant => SqlType::TEXT,
        other => other.to_column(Order::Binary),
    };
    let field = Field::new(&column.name, data_type_of(sql_type), column.nullable);
    field.with_metadata([(super::informix::DECLARED.to_owned(), column.data_type.to_string())].into())
}

impl Sink for Collector {
    fn columns(&mut self, columns: &[push::Column]) -> Result<(), Stop> {
        self.end_rows();
        let columns: Vec<Column> = columns.iter().map(Column::from).collect();
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        self.current = Some(Incoming { schema, columns, rows: Vec::new(), batches: VecDeque::new() });
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        let Some(current) = &mut self.current else { return Ok(()) };
        let cell = |(value, column): (&ValueRef<'_>, &Column)| match column.data_type {
            DataType::SqlVariant if !value.is_null() => Value::Text(variant::decode(*value).1.to_string()),
            _ => value.to_value(),
        };
        current.rows.push(values.iter().zip(&current.columns).map(cell).collect());
        if current.rows.len() < BATCH_ROWS {
            return Ok(());
        }
        self.pack().map_err(|fault| {
            self.fault.get_or_insert(fault);
            Stop::Cancelled
        })
    }

    fn done(&mut self, done: Done) {
        if self.end_rows() {
            return;
        }
        if done.count.is_some() && done.command != Command::Select {
            let messages = std::mem::take(&mut self.messages);
            self.outputs.push(Output { changed: done.count, messages, ..Output::default() });
        }
    }

    fn message(&mut self, message: &Message) {
        match message.is_error() {
            true if self.error.is_none() => self.error = Some(message.clone()),
            true => {}
            false => self.messages.push(message.text.clone()),
        }
    }

    fn return_status(&mut self, status: i32) {
        self.end_rows();
        self.outputs.push(Output { status: Some(status), ..Output::default() });
    }

    fn return_value(&mut self, ordinal: u16, _: &push::Column, value: ValueRef<'_>) -> Result<(), Stop> {
        let outputs = vec![(usize::from(ordinal), value.to_value())];
        self.outputs.push(Output { outputs, ..Output::default() });
        Ok(())
    }

    fn environment(&mut self, change: &Environment) {
        match change {
            Environment::TransactionBegun(_) => self.is_in_transaction = true,
            Environment::TransactionCommitted(_) | Environment::TransactionRolledBack(_) => {
                self.is_in_transaction = false;
            }
            _ => {}
        }
    }

    fn flush(&mut self) {}
}

impl Tsql {
    pub fn new(session: Session, most_bytes: usize) -> Tsql {
        let stop = Arc::new(StopBatch { cancel: session.cancel_handle(), was_asked: AtomicBool::new(false) });
        Tsql { session, stop, is_in_transaction: false, most_bytes }
    }

    fn with_sink(&mut self, work: impl FnOnce(&mut Session, &mut dyn Sink)) -> Result<Vec<Output>, Fault> {
        let mut collector = Collector {
            outputs: Vec::new(),
            current: None,
            messages: Vec::new(),
            error: None,
            fault: None,
            bytes: 0,
            most_bytes: self.most_bytes,
            is_in_transaction: self.is_in_transaction,
        };
        self.stop.was_asked.store(false, Ordering::Release);
        work(&mut self.session, &mut collector);
        self.is_in_transaction = collector.is_in_transaction;
        let outputs = collector.finish()?;
        if self.stop.was_asked.load(Ordering::Acquire) { Err(cancelled()) } else { Ok(outputs) }
    }

    fn request(&mut self, request: &TransactionRequest) -> Result<(), Fault> {
        self.with_sink(|session, sink| session.transaction(request, sink)).map(drop)
    }

    fn last_id(&mut self) -> Option<i64> {
        let outputs = self.with_sink(|session, sink| session.batch("SELECT CAST(@@IDENTITY AS bigint)", sink)).ok()?;
        let RowBatches::Ready(_, mut batches) = outputs.into_iter().next()?.rows? else { return None };
        let batch = batches.pop_front()?;
        match mainstay_columnar::values::value_at(batch.column(0), 0).ok()? {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }
}

/// The type that a value is given to the session in.
fn type_of(value: &Value) -> DataType {
    match value {
        Value::Boolean(_) => DataType::Bit,
        Value::Integer(number) if i32::try_from(*number).is_ok() => DataType::Int,
        Value::Integer(_) => DataType::BigInt,
        Value::Decimal(decimal) => {
            let digits = decimal.unscaled.unsigned_abs().checked_ilog10().unwrap_or(0) as u8 + 1;
            DataType::Decimal { precision: digits.max(decimal.scale).clamp(1, 38), scale: decimal.scale }
        }
        Value::Float(_) => DataType::Float,
        Value::Text(text) => match text.encode_utf16().count() {
            units @ 0..=LONGEST_TEXT => DataType::NVarChar(Length::Limited(units.max(1) as u16)),
            _ => DataType::NVarChar(Length::Max),
        },
        Value::Binary(bytes) if bytes.len() <= LONGEST_BYTES => {
            DataType::VarBinary(Length::Limited(bytes.len().max(1) as u16))
        }
        Value::Binary(_) => DataType::VarBinary(Length::Max),
        Value::Date(_) => DataType::Date,
        Value::Time(_) => DataType::Time(7),
        Value::Timestamp(_) => DataType::DateTime2(7),
        Value::TimestampWithOffset { .. } => DataType::DateTimeOffset(7),
        Value::Uuid(_) => DataType::UniqueIdentifier,
        Value::Null | Value::Interval(_) => DataType::NVarChar(Length::Limited(100)),
    }
}

/// The type of an output parameter: it holds longer values than the one that it is given.
fn output_type_of(value: &Value) -> DataType {
    match type_of(value) {
        DataType::Int => DataType::BigInt,
        DataType::Decimal { scale, .. } => DataType::Decimal { precision: 38, scale },
        DataType::NVarChar(_) => DataType::NVarChar(Length::Max),
        DataType::VarBinary(_) => DataType::VarBinary(Length::Max),
        other => other,
    }
}

fn parameter(name: &str, argument: &Argument) -> Parameter {
    let value = match &argument.value {
        Value::Interval(interval) => Value::Text(interval.to_string()),
        other => other.clone(),
    };
    let data_type = if argument.is_output { output_type_of(&value) } else { type_of(&value) };
    Parameter {
        name: name.to_owned(),
        output: argument.is_output,
        default: false,
        declared: data_type.declared(),
        value: ParameterValue::Single(value),
    }
}

fn call_of(procedure: &str, parameters: Vec<Parameter>) -> Call {
    Call { procedure: procedure.to_owned(), parameters }
}

/// The call of `sp_executesql` that runs a statement with these values.
fn executed(text: &str, values: Vec<(String, Value)>) -> Call {
    let argument = |value: Value| Argument { value, is_output: false };
    let declared: Vec<String> = values.iter().map(|(name, value)| format!("{name} {}", type_of(value))).collect();
    let text_parameter = |text: String| Parameter {
        declared: DataType::NVarChar(Length::Max).declared(),
        ..parameter("", &argument(Value::Text(text)))
    };
    let mut parameters = vec![text_parameter(text.to_owned()), text_parameter(declared.join(", "))];
    parameters.extend(values.into_iter().map(|(name, value)| parameter(&name, &argument(value))));
    call_of("sp_executesql", parameters)
}

/// The statement with marks of T-SQL, and the values that it names. NULL is written for marks whose value it is; a name
/// has a value all the same, because the text may use it as `@name`, too.
fn bound(text: &str, arguments: &Arguments) -> Result<(String, Vec<(String, Value)>), Fault> {
    let mut given: Vec<(String, Value)> = Vec::new();
    match arguments {
        Arguments::List(values) => {
            let found = marks(text, LEXIS, false);
            if found.len() != values.len() {
                return Err(wrong_count(found.len(), values.len()));
            }
            let mut write = |place: usize, _: &Mark| match &values[place].value {
                Value::Null => "NULL".to_owned(),
                value => {
                    given.push((format!("@P{}", place + 1), value.clone()));
                    format!("@P{}", place + 1)
                }
            };
            let text = replaced(text, &found, &mut write);
            Ok((text, given))
        }
        Arguments::Named(values) => {
            let found = marks(text, LEXIS, true);
            let mut written = Vec::with_capacity(found.len());
            for name in found.iter().map(|mark| mark.name.as_deref().unwrap_or_default()) {
                written.push(match named(values, name)? {
                    Value::Null => "NULL".to_owned(),
                    _ => format!("@{name}"),
                });
            }
            let text = replaced(text, &found, |place, _| written[place].clone());
            Ok((text, values.iter().map(|(name, argument)| (format!("@{name}"), argument.value.clone())).collect()))
        }
    }
}

impl Dialect for Tsql {
    fn run(&mut self, text: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let outputs = match arguments.is_empty() {
            true => self.with_sink(|session, sink| session.batch(text, sink))?,
            false => {
                let (text, values) = bound(text, arguments)?;
                let call = executed(&text, values);
                let outputs = self.with_sink(|session, sink| session.call(&call, sink))?;
                outputs.into_iter().filter(|output| output.status.is_none()).collect()
            }
        };
        if first_word(text) != "insert" {
            return Ok(outputs);
        }
        let last_id = self.last_id();
        let with_id = |output: Output| match output.changed {
            Some(1..) => Output { last_id, ..output },
            _ => output,
        };
        Ok(outputs.into_iter().map(with_id).collect())
    }

    fn run_many(&mut self, text: &str, rows: &[Arguments]) -> Result<Option<u64>, Fault> {
        let mut total = None;
        for (done, arguments) in rows.iter().enumerate() {
            let outputs = bound(text, arguments).and_then(|(text, values)| {
                let call = executed(&text, values);
                self.with_sink(|session, sink| session.call(&call, sink))
            });
            let outputs = outputs.map_err(|fault| Fault { executed: Some(done as u64), ..fault })?;
            for changed in outputs.iter().filter_map(|output| output.changed) {
                *total.get_or_insert(0) += changed;
            }
        }
        Ok(total)
    }

    fn call(&mut self, procedure: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let parameters = match arguments {
            Arguments::List(values) => values.iter().map(|value| parameter("", value)).collect(),
            Arguments::Named(values) => {
                values.iter().map(|(name, value)| parameter(&format!("@{name}"), value)).collect()
            }
        };
        let call = call_of(procedure, parameters);
        self.with_sink(|session, sink| session.call(&call, sink))
    }

    fn needs_transaction(&self, text: &str) -> bool {
        match first_word(text).as_str() {
            "select" | "with" => [" into ", "insert", "update", "delete", "merge"]
                .iter()
                .any(|word| text.to_lowercase().split_whitespace().any(|part| part == word.trim())),
            // SET and BEGIN TRANSACTION may be about the transaction itself.
            "set" | "use" | "print" | "begin" | "commit" | "rollback" | "backup" | "restore" | "checkpoint" | "" => {
                false
            }
            _ => true,
        }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        let begin = Begin { isolation: Isolation::Current, name: String::new() };
        self.request(&TransactionRequest::Begin(begin))
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.request(&TransactionRequest::Commit { then: None })
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.request(&TransactionRequest::Rollback { name: String::new(), then: None })
    }

    fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        Arc::clone(&self.stop) as Arc<dyn Cancel>
    }
}
