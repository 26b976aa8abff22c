//! A backend without a database that answers a handful of statements, for tests of the door.
//!
//! It recognizes the start of a text, or a mark anywhere in it:
//!
//! | text | answer |
//! |---|---|
//! | `SELECT 1 ...` | one row of an INT |
//! | `... types ...` | a row of every type, one of NULLs |
//! | `... rows N` | N rows of an INT and an NVARCHAR; none for `SET FMTONLY ON SELECT ...` |
//! | `... two results` | two results |
//! | `... fail` | error 50001, severity 16, state 3, line 7 of procedure `scripted` |
//! | `... fatal` | error 50002, severity 20 |
//! | `... sleep S` | waits S seconds, or until it is cancelled |
//! | `... panic` | panics |
//! | `KILL N` | ends the session of this number |
//! | `@@SPID` | the session's number |
//! | `BEGIN TRAN`, `COMMIT TRAN`, `ROLLBACK` | a transaction begins and ends |
//! | `INSERT BULK` | takes the rows that follow; `... loaded` tells how many |
//! | anything else | is done |
//!
//! A call of `sp_executesql` and its like gives back its parameters as a row, and its output parameters doubled (numbers)
//! or in capitals (texts). Cursors (`sp_cursoropen` ...) have the rows 1, 2 and 3.
#![allow(dead_code, reason = "each test uses some of it")]

use mainstay_session::push::{
    Backend, BulkRows, Call, Client, Column, Command, Done, DoneKind, Environment, Login, Message, ParameterValue,
    Session, Sink, Stop, TransactionRequest,
};
use mainstay_session::{Cancel, Kill};
use mainstay_tds::{CodePage, DataType, Length};
use mainstay_types::{Value, ValueRef};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The backend's records for the tests.
#[derive(Default)]
pub struct Scripted {
    pub sessions: Arc<AtomicUsize>,
    pub rolled_back: Arc<AtomicUsize>,
    pub resets: Arc<AtomicUsize>,
    pub logins: Mutex<Vec<(String, String)>>,
    connections: Arc<Mutex<HashMap<u16, Arc<dyn Kill>>>>,
}

impl Backend for Scripted {
    type Session = ScriptedSession;

    fn log_in(&self, login: &Login, client: &Client) -> Result<ScriptedSession, Message> {
        if login.database == "nowhere" {
            let text = "Cannot open database \"nowhere\" requested by the login. The login failed.";
            return Err(Message::error(4060, text).severity(11));
        }
        self.logins.lock().unwrap().push((login.user.clone(), login.application.clone()));
        self.sessions.fetch_add(1, SeqCst);
        Ok(ScriptedSession {
            id: client.session_id,
            database: if login.database.is_empty() { "shop".into() } else { login.database.clone() },
            cancelled: Arc::default(),
            transaction: None,
            next_transaction: 1,
            loaded: 0,
            prepared: Vec::new(),
            cursors: Vec::new(),
            sessions: Arc::clone(&self.sessions),
            rolled_back: Arc::clone(&self.rolled_back),
            resets: Arc::clone(&self.resets),
            connections: Arc::clone(&self.connections),
        })
    }
}

pub struct ScriptedSession {
    id: u16,
    database: String,
    cancelled: Arc<AtomicBool>,
    transaction: Option<u64>,
    next_transaction: u64,
    loaded: usize,
    prepared: Vec<String>,
    /// Of each cursor the first of the rows that were fetched last, from 1, and their number; 0 is before the first row, 4 behind
    /// the last.
    cursors: Vec<(i64, i64)>,
    sessions: Arc<AtomicUsize>,
    rolled_back: Arc<AtomicUsize>,
    resets: Arc<AtomicUsize>,
    connections: Arc<Mutex<HashMap<u16, Arc<dyn Kill>>>>,
}

impl Drop for ScriptedSession {
    fn drop(&mut self) {
        if self.transaction.is_some() {
            self.rolled_back.fetch_add(1, SeqCst);
        }
        self.sessions.fetch_sub(1, SeqCst);
    }
}

struct Flag(Arc<AtomicBool>);

impl Cancel for Flag {
    fn cancel(&self) {
        self.0.store(true, SeqCst);
    }
}

/// A column of every type.
pub fn every_type() -> Vec<(Column, Value)> {
    use DataType::*;
    let text = |text: &str| Value::Text(text.into());
    let at = "2024-02-29 13:14:15.1234567".parse().unwrap();
    let ms = "2024-02-29 13:14:15.123".parse().unwrap();
    let values = vec![
        (Bit, Value::Boolean(true)),
        (TinyInt, Value::Integer(200)),
        (SmallInt, Value::Integer(-32_000)),
        (Int, Value::Integer(-2_000_000_000)),
        (BigInt, Value::Integer(9_000_000_000_000_000_000)),
        (Decimal { precision: 20, scale: 4 }, Value::Decimal("-1234567890.1234".parse().unwrap())),
        (SmallMoney, Value::Decimal("12.3400".parse().unwrap())),
        (Money, Value::Decimal("-922337203685477.5808".parse().unwrap())),
        (Real, Value::Float(1.5)),
        (Float, Value::Float(0.1)),
        (Date, Value::Date("2024-02-29".parse().unwrap())),
        (Time(7), Value::Time("13:14:15.1234567".parse().unwrap())),
        (SmallDateTime, Value::Timestamp("2024-02-29 13:14".parse().unwrap())),
        (DateTime, Value::Timestamp(ms)),
        (DateTime2(7), Value::Timestamp(at)),
        (DateTimeOffset(7), Value::TimestampWithOffset { utc: at, offset_minutes: 90 }),
        (DataType::char(5), text("ab   ")),
        (DataType::varchar(Length::Limited(20)), text("Malmö €")),
        (DataType::varchar(Length::Max), text(&"é".repeat(9000))),
        (NChar(3), text("日本 ")),
        (NVarChar(Length::Limited(20)), text("日本 😀")),
        (NVarChar(Length::Max), text(&"日".repeat(9000))),
        (Text(CodePage::DEFAULT), text("long text é")),
        (NText, text("long ntext 日")),
        (Binary(4), Value::Binary(vec![0, 1, 254, 255])),
        (VarBinary(Length::Limited(10)), Value::Binary(vec![1, 2, 3])),
        (VarBinary(Length::Max), Value::Binary(vec![7; 10_000])),
        (Image, Value::Binary(vec![9; 100])),
        (RowVersion, Value::Binary(vec![0, 0, 0, 0, 0, 0, 7, 209])),
        (UniqueIdentifier, Value::Uuid(*b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")),
        (Xml, text("<a>é</a>")),
        (SqlVariant, text("variant")),
    ];
    let named = values.into_iter().map(|(data_type, value)| {
        let name = data_type.to_string().split('(').next().unwrap_or_default().to_owned();
        (column(format!("c_{name}"), data_type), value)
    });
    named.collect()
}

/// A column of a type.
fn column(name: impl Into<String>, data_type: DataType) -> Column {
    Column::new(name, data_type.declared(), data_type.sql_type())
}

fn not_null(name: &str, data_type: DataType) -> Column {
    Column { is_nullable: false, ..column(name, data_type) }
}

fn done(kind: DoneKind, command: Command, count: Option<u64>) -> Done {
    Done { kind, command, count, error: false }
}

/// The number behind a mark in a text.
fn number_after(text: &str, mark: &str) -> Option<f64> {
    let rest = text.get(text.find(mark)? + mark.len()..)?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok()
}

impl ScriptedSession {
    fn run(&mut self, text: &str, kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        let upper = text.trim().to_uppercase();
        let int = |name: &str| not_null(name, DataType::Int);
        let mut one = |column: Column, value: ValueRef<'_>| {
            sink.columns(&[column])?;
            sink.row(&[value])?;
            sink.done(done(kind, Command::Select, Some(1)));
            Ok(())
        };
        if upper.contains("@@SPID") {
            one(int(""), ValueRef::Integer(self.id.into()))
        } else if upper.contains("@@TRANCOUNT") && upper.starts_with("SELECT") {
            one(int(""), ValueRef::Integer(self.transaction.is_some().into()))
        } else if upper.contains("@@MAX_PRECISION") {
            one(column("", DataType::TinyInt), ValueRef::Integer(38))
        } else if upper.contains("SYSTEM_TYPE_NAME") {
            self.table_columns(kind, sink)
        } else if upper.contains("FMTONLY") && upper.contains("SELECT") {
            self.rows(0, kind, sink)
        } else if upper.contains("LOADED") {
            one(int("loaded"), ValueRef::Integer(self.loaded as i64))
        } else if upper.contains("TYPES") {
            Self::every_type(kind, sink)
        } else if let Some(count) = number_after(&upper, "ROWS ") {
            self.rows(count as u64, kind, sink)
        } else if upper.contains("TWO RESULTS") {
            for value in [1, 2] {
                sink.columns(&[int("n")])?;
                sink.row(&[ValueRef::Integer(value)])?;
                sink.done(done(kind, Command::Select, Some(1)));
            }
            Ok(())
        } else if upper.contains("FAIL") {
            let mut message = Message::error(50_001, "It failed as it was told to.").state(3);
            (message.procedure, message.line) = (Some("scripted".into()), 7);
            sink.message(&message);
            sink.done(Done { error: true, ..done(kind, Command::None, None) });
            Ok(())
        } else if upper.contains("FATAL") {
            sink.message(&Message::error(50_002, "It cannot go on.").severity(20));
            sink.done(Done { error: true, ..done(kind, Command::None, None) });
            Ok(())
        } else if let Some(seconds) = number_after(&upper, "SLEEP ") {
            self.sleep(Duration::from_secs_f64(seconds), kind, sink)
        } else if upper.contains("PANIC") {
            panic!("told to")
        } else {
            self.other(&upper, kind, sink)
        }
    }

    fn other(&mut self, upper: &str, kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        if upper.starts_with("PRINT") {
            sink.message(&Message::error(0, "printed").severity(0));
            sink.done(done(kind, Command::None, None));
        } else if let Some(database) = upper.strip_prefix("USE ") {
            let new = database.trim_matches(|c| "[]; ".contains(c)).to_lowercase();
            let old = std::mem::replace(&mut self.database, new.clone());
            sink.environment(&Environment::Database { new, old });
            sink.done(done(kind, Command::None, None));
        } else if let Some(number) = number_after(upper, "KILL ") {
            let connection = self.connections.lock().unwrap().get(&(number as u16)).cloned();
            connection.iter().for_each(|connection| connection.kill());
            sink.done(done(kind, Command::None, None));
        } else if upper.starts_with("BEGIN TRAN") {
            self.begin(sink);
            sink.done(done(kind, Command::BeginTransaction, None));
        } else if upper.contains("COMMIT") || upper.contains("ROLLBACK") {
            self.end(upper.contains("COMMIT"), sink);
            sink.done(done(kind, Command::Commit, None));
        } else if upper.starts_with("SELECT") {
            sink.columns(&[not_null("", DataType::Int)])?;
            sink.row(&[ValueRef::Integer(number_after(upper, "SELECT ").unwrap_or(1.0) as i64)])?;
            sink.done(done(kind, Command::Select, Some(1)));
        } else if upper.starts_with("INSERT") && !upper.starts_with("INSERT BULK") {
            sink.done(done(kind, Command::Insert, Some(1)));
        } else {
            sink.done(done(kind, Command::None, None));
        }
        Ok(())
    }

    fn every_type(kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        let (columns, values): (Vec<Column>, Vec<Value>) = every_type().into_iter().unzip();
        sink.columns(&columns)?;
        sink.row(&values.iter().map(Value::as_ref).collect::<Vec<_>>())?;
        sink.row(&vec![ValueRef::Null; values.len()])?;
        sink.done(done(kind, Command::Select, Some(2)));
        Ok(())
    }

    fn rows(&mut self, count: u64, kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        let columns = [column("n", DataType::Int), column("t", DataType::NVarChar(Length::Limited(100)))];
        sink.columns(&columns)?;
        for n in 0..count {
            let text = format!("row {n}");
            sink.row(&[ValueRef::Integer(n as i64), ValueRef::Text(&text)])?;
        }
        sink.done(done(kind, Command::Select, Some(count)));
        Ok(())
    }

    /// The columns of the table of bulk loads, as pymssql asks for them.
    fn table_columns(&mut self, kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        let text = DataType::NVarChar(Length::Limited(128));
        let columns = [
            column("column_id", DataType::Int),
            column("system_type_name", text),
            column("is_identity", DataType::Bit),
        ];
        sink.columns(&columns)?;
        for (number, name) in [(1, "int"), (2, "nvarchar")] {
            sink.row(&[ValueRef::Integer(number), ValueRef::Text(name), ValueRef::Boolean(false)])?;
        }
        sink.done(done(kind, Command::Select, Some(2)));
        Ok(())
    }

    fn sleep(&mut self, limit: Duration, kind: DoneKind, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if self.cancelled.load(SeqCst) {
                return Err(Stop::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        sink.done(done(kind, Command::None, None));
        Ok(())
    }

    fn begin(&mut self, sink: &mut dyn Sink) {
        if self.transaction.is_none() {
            self.transaction = Some(self.next_transaction);
            sink.environment(&Environment::TransactionBegun(self.next_transaction));
            self.next_transaction += 1;
        }
    }

    fn end(&mut self, commit: bool, sink: &mut dyn Sink) {
        if let Some(id) = self.transaction.take() {
            let change =
                if commit { Environment::TransactionCommitted(id) } else { Environment::TransactionRolledBack(id) };
            sink.environment(&change);
        }
    }

    /// Gives parameters back: as a row, and the output ones changed.
    fn echo(&mut self, call: &Call, skip: usize, sink: &mut dyn Sink) -> Result<(), Stop> {
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for (i, parameter) in call.parameters.iter().enumerate().skip(skip) {
            let name = if parameter.name.is_empty() { format!("p{i}") } else { parameter.name.clone() };
            let given = column(name, DataType::of(&parameter.declared).unwrap());
            let value = match &parameter.value {
                ParameterValue::Single(value) => value.clone(),
                ParameterValue::Table(table) => {
                    columns.push(column("rows", DataType::Int));
                    values.push(Value::Integer(table.rows.len() as i64));
                    continue;
                }
            };
            columns.push(given);
            values.push(value);
        }
        if !columns.is_empty() {
            sink.columns(&columns)?;
            sink.row(&values.iter().map(Value::as_ref).collect::<Vec<_>>())?;
            sink.done(done(DoneKind::InProcedure, Command::Select, Some(1)));
        }
        sink.return_status(42);
        for (i, parameter) in call.parameters.iter().enumerate().skip(skip).filter(|(_, parameter)| parameter.output) {
            let ParameterValue::Single(value) = &parameter.value else { continue };
            let data_type = DataType::of(&parameter.declared).unwrap();
            let doubled = match value {
                Value::Integer(number) => Value::Integer(number * 2),
                Value::Text(text) => Value::Text(text.to_uppercase()),
                Value::Null if matches!(data_type, DataType::Int | DataType::BigInt) => Value::Integer(7),
                Value::Null if data_type.to_string().contains("char") => Value::Text("out".into()),
                other => other.clone(),
            };
            sink.return_value(i as u16, &column(parameter.name.clone(), data_type), doubled.as_ref())?;
        }
        Ok(())
    }

    fn text_of(call: &Call, index: usize) -> String {
        match call.parameters.get(index).map(|parameter| &parameter.value) {
            Some(ParameterValue::Single(Value::Text(text))) => text.clone(),
            _ => String::new(),
        }
    }

    fn prepare(&mut self, call: &Call, text: String, sink: &mut dyn Sink) -> Result<(), Stop> {
        self.prepared.push(text);
        let name = call.parameters.first().map(|parameter| parameter.name.clone()).unwrap_or_default();
        let handle = self.prepared.len() as i64;
        sink.return_value(0, &column(name, DataType::Int), ValueRef::Integer(handle))
    }

    /// Runs the text of a statement with parameters: echoes them if it has none of the marks.
    fn statement(&mut self, text: &str, call: &Call, skip: usize, sink: &mut dyn Sink) -> Result<(), Stop> {
        let upper = text.to_uppercase();
        let marked = ["TYPES", "ROWS ", "FAIL", "SLEEP ", "TWO RESULTS", "@@", "LOADED", "INSERT", "COMMIT"];
        if call.parameters.len() <= skip || marked.iter().any(|mark| upper.contains(mark)) {
            return self.run(text, DoneKind::InProcedure, sink);
        }
        self.echo(call, skip, sink)
    }

    fn call_of(&mut self, call: &Call, sink: &mut dyn Sink) -> Result<(), Stop> {
        match call.procedure.to_lowercase().as_str() {
            "sp_executesql" => self.statement(&Self::text_of(call, 0), call, 2, sink),
            "sp_prepare" => self.prepare(call, Self::text_of(call, 2), sink),
            "sp_prepexec" => {
                let text = Self::text_of(call, 2);
                self.statement(&text, call, 3, sink)?;
                self.prepare(call, text, sink)
            }
            "sp_prepexecrpc" => {
                self.echo(call, 2, sink)?;
                self.prepare(call, Self::text_of(call, 1), sink)
            }
            "sp_execute" => {
                let handle = match call.parameters.first().map(|parameter| &parameter.value) {
                    Some(ParameterValue::Single(Value::Integer(handle))) => *handle as usize,
                    _ => 0,
                };
                match self.prepared.get(handle.wrapping_sub(1)).cloned() {
                    Some(text) => self.statement(&text, call, 1, sink),
                    None => {
                        sink.message(&Message::error(
                            8179,
                            format!("Could not find prepared statement with handle {handle}."),
                        ));
                        Ok(())
                    }
                }
            }
            "sp_unprepare" => Ok(()),
            "sp_cursoropen" => self.open_cursor(call, None, [0, 2, 3, 4], sink),
            "sp_cursorexecute" => self.open_cursor(call, None, [1, 2, 3, 4], sink),
            "sp_cursorprepexec" => self.open_cursor(call, Some(0), [1, 4, 5, 6], sink),
            "sp_cursorfetch" => self.fetch_cursor(call, sink),
            name if name.starts_with("sp_cursor") => Ok(()),
            name if name.contains("fail") => self.run("fail", DoneKind::InProcedure, sink),
            _ => self.echo(call, 0, sink),
        }
    }

    fn number(call: &Call, place: usize, other: i64) -> i64 {
        match call.parameters.get(place).map(|parameter| &parameter.value) {
            Some(ParameterValue::Single(Value::Integer(number))) => *number,
            _ => other,
        }
    }

    fn output(call: &Call, sink: &mut dyn Sink, place: u16, value: i64) -> Result<(), Stop> {
        match call.parameters.get(usize::from(place)) {
            Some(parameter) if parameter.output => {
                let column = column(parameter.name.clone(), DataType::Int);
                sink.return_value(place, &column, ValueRef::Integer(value))
            }
            _ => Ok(()),
        }
    }

    fn cursor_columns() -> [Column; 2] {
        [column("n", DataType::Int), not_null("ROWSTAT", DataType::Int)]
    }

    /// A static, read-only cursor over the rows 1, 2 and 3, whatever its text says. The places are those of the outputs: the
    /// handle, scroll options, concurrency options and the number of rows.
    fn open_cursor(
        &mut self,
        call: &Call,
        prepared: Option<u16>,
        [handle, scroll, concurrency, rows]: [u16; 4],
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.cursors.push((0, 0));
        sink.columns(&Self::cursor_columns())?;
        sink.done(done(DoneKind::InProcedure, Command::Select, Some(0)));
        prepared.map_or(Ok(()), |place| Self::output(call, sink, place, 1))?;
        Self::output(call, sink, handle, self.cursors.len() as i64)?;
        Self::output(call, sink, scroll, 8)?;
        Self::output(call, sink, concurrency, 1)?;
        Self::output(call, sink, rows, 3)
    }

    /// sp_cursorfetch: cursor, kind, row, count.
    fn fetch_cursor(&mut self, call: &Call, sink: &mut dyn Sink) -> Result<(), Stop> {
        let handle = Self::number(call, 0, 0) as usize;
        let Some(at) = self.cursors.get_mut(handle.wrapping_sub(1)) else {
            let text = "sp_cursorfetch: The cursor identifier value provided is not valid.";
            sink.message(&Message::error(16_909, text));
            return Ok(());
        };
        let (row, count) = (Self::number(call, 2, 1), Self::number(call, 3, 20).max(0));
        let (first, size) = *at;
        let from_end = |row: i64| if 4 + row < 1 && -row <= count { 1 } else { (4 + row).max(0) };
        let (wanted, count) = match Self::number(call, 1, 2) {
            1 => (1, count),
            2 if first == 0 => (1, count),
            2 => (first + size, count),
            4 | 0x200 if first <= 1 => (0, count),
            // Fewer rows before than asked for: the first ones, as many as asked for if the call wants that.
            0x200 if first - count < 1 => (1, first - 1),
            4 | 0x200 => ((first - count).max(1), count),
            8 => ((4 - count).max(1), count),
            0x10 if row < 0 => (from_end(row), count),
            0x10 => (row, count),
            0x20 if first > 3 => (from_end(row), count),
            0x20 => ((first + row).max(0), count),
            0x100 => {
                let position = if first > 3 { -1 } else { first };
                Self::output(call, sink, 2, position)?;
                return Self::output(call, sink, 3, 3);
            }
            _ => (first, size),
        };
        let stands = wanted.clamp(0, 4);
        let size = count.min(if stands == 0 { 0 } else { 4 - stands });
        *at = (stands, size);
        let fetched: Vec<i64> = (stands..stands + size).collect();
        sink.columns(&Self::cursor_columns())?;
        for row in &fetched {
            sink.row(&[ValueRef::Integer(*row), ValueRef::Integer(1)])?;
        }
        sink.done(done(DoneKind::InProcedure, Command::Select, Some(fetched.len() as u64)));
        Ok(())
    }

    fn begin_request(&mut self) {
        self.cancelled.store(false, SeqCst);
    }
}

/// Tells what went wrong with a value; the client's own wishes need no words.
fn say(stopped: Result<(), Stop>, sink: &mut dyn Sink) {
    if let Err(Stop::Value(message)) = stopped {
        sink.message(&message);
    }
}

impl Session for ScriptedSession {
    fn database(&self) -> String {
        self.database.clone()
    }

    fn batch(&mut self, text: &str, sink: &mut dyn Sink) {
        self.begin_request();
        let stopped = self.run(text, DoneKind::Statement, sink);
        say(stopped, sink);
    }

    fn call(&mut self, call: &Call, sink: &mut dyn Sink) {
        self.begin_request();
        let stopped = self.call_of(call, sink);
        say(stopped, sink);
    }

    fn transaction(&mut self, request: &TransactionRequest, sink: &mut dyn Sink) {
        self.begin_request();
        match request {
            TransactionRequest::Begin(_) => self.begin(sink),
            TransactionRequest::Save { .. } => {}
            TransactionRequest::Commit { then, .. } | TransactionRequest::Rollback { then, .. } => {
                self.end(matches!(request, TransactionRequest::Commit { .. }), sink);
                if then.is_some() {
                    self.begin(sink);
                }
            }
        }
    }

    fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows, sink: &mut dyn Sink) {
        self.begin_request();
        let mut count = 0;
        loop {
            match rows.next_row() {
                Ok(Some(row)) if row.len() == columns.len() => count += 1,
                Ok(Some(_)) => return sink.message(&Message::error(4804, "A row of another length.")),
                Ok(None) => break,
                Err(message) if message.number == 0 => {
                    return sink.done(Done { error: true, ..done(DoneKind::Statement, Command::None, None) });
                }
                Err(message) => return sink.message(&message),
            }
        }
        self.loaded += count;
        sink.done(done(DoneKind::Statement, Command::BulkInsert, Some(count as u64)));
    }

    fn reset(&mut self, keep_transaction: bool) {
        self.resets.fetch_add(1, SeqCst);
        if !keep_transaction {
            self.transaction = None;
        }
        self.prepared.clear();
    }

    fn cancel_handle(&self) -> Arc<dyn Cancel> {
        Arc::new(Flag(Arc::clone(&self.cancelled)))
    }

    fn ends_by(&mut self, connection: Arc<dyn Kill>) {
        self.connections.lock().unwrap().insert(self.id, connection);
    }
}
