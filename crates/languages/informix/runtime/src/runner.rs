//! The host of the machine: it runs what routines and triggers ask for beside their own flow of control.

use crate::failure::{INTERRUPTED, NO_CURRENT_ROW, NO_CURSOR, of_syntax, plain};
use crate::routine_names::missing;
use crate::session::InformixSession;
use crate::statement::Prepared;
use mainstay_informix_syntax::compile::{Action, ActionKind};
use mainstay_informix_syntax::tree::Statement as Tree;
use mainstay_informix_syntax::{SqlError, Type, assign, overflow};
use mainstay_session::{Failure, Ran, Rows};
use mainstay_types::{SqlType, Timestamp, Value, ValueRef};
use mainstay_vm::{
    Fault, FaultAnswer, Flow, Host, Produced, Program, Raised, Resolved, Scratch, Slot, StatementCall, Width,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The most bytes of rows that the routines of one run return, within the limit of the database's statements.
const MOST_BYTES: usize = 64 << 20;

/// The values that a routine has returned.
#[derive(Debug, Default)]
pub(crate) struct Returned {
    pub rows: Vec<Vec<Value>>,
    /// It has ended without a value.
    pub is_nothing: bool,
}

/// The state of a routine that runs.
#[derive(Default)]
struct Frame {
    cursors: HashMap<usize, Box<dyn Rows>>,
    /// Cursors for WHERE CURRENT OF that it has opened, by their numbers.
    named: HashMap<usize, String>,
    returned: Returned,
    bytes: usize,
    /// Texts of PREPARE, statements of DECLARE, and open cursors, by name.
    prepared: HashMap<String, String>,
    declared: HashMap<String, String>,
    dynamic: HashMap<String, Box<dyn Rows>>,
}

/// The host of one run.
pub(crate) struct Runner<'s> {
    pub session: &'s mut InformixSession,
    frames: Vec<Frame>,
    /// The values that the routine that ended last has returned.
    pub returned: Returned,
    /// Bytes of the rows that the routines that run now have returned.
    bytes: usize,
    most_bytes: usize,
}

/// An error as one of the machine: its text is what SET of ON EXCEPTION gives.
pub(crate) fn raised_of(failure: Failure) -> Box<Raised> {
    let mut raised = Raised::new(failure.number, 16, failure.detail, failure.subject.clone());
    raised.uncatchable = failure.number == INTERRUPTED;
    raised.detail = Some(Box::new(failure));
    raised
}

/// The error of a routine that no handler has taken.
pub(crate) fn failure_of(raised: &Raised) -> Failure {
    let detail = raised.detail.as_ref();
    if let Some(failure) = detail.and_then(|detail| detail.downcast_ref::<Failure>()) {
        return Failure { position: 0, ..failure.clone() };
    }
    if let Some(error) = detail.and_then(|detail| detail.downcast_ref::<SqlError>()) {
        return Failure { position: 0, ..of_syntax(error, "") };
    }
    let (number, subject, message) = (raised.number, raised.text.clone(), raised.text.clone());
    Failure { number, detail: raised.state, subject, message, ..Failure::default() }
}

/// A fault of the machine in the language's words.
fn failure_of_fault(fault: &Fault) -> Failure {
    let of = |error: Box<SqlError>| of_syntax(&error, "");
    match fault {
        Fault::Overflow { to } => of(overflow(match to {
            mainstay_vm::Type::Integer(Width::I8 | Width::U8 | Width::I16) => SqlType::SmallInt,
            mainstay_vm::Type::Integer(Width::I32) => SqlType::Integer,
            mainstay_vm::Type::Integer(Width::I64) => SqlType::BigInt,
            mainstay_vm::Type::Real | mainstay_vm::Type::Float => SqlType::Double,
            _ => SqlType::Decimal { precision: 32, scale: 0 },
        })),
        Fault::DivideByZero => plain(-1202, "An attempt was made to divide by zero."),
        Fault::Cancelled | Fault::Deadline => plain(INTERRUPTED, "Statement interrupted by user."),
        Fault::MissingArgument { routine, .. }
        | Fault::RepeatedArgument { routine, .. }
        | Fault::UnknownArgument { routine, .. }
        | Fault::TooManyArguments { routine } => missing(routine),
        Fault::MemoryLimit => plain(-208, "Memory allocation failed during query processing."),
        Fault::NestingLimit => plain(SqlError::TOO_COMPLEX, "Routines call each other too deeply."),
        Fault::TypeMismatch { .. } | Fault::TooLong { .. } => {
            plain(-1260, "It is not possible to convert between the specified types.")
        }
        other => plain(-768, other.to_string()),
    }
}

fn size_of(row: &[Value]) -> usize {
    let size = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    row.iter().map(|value| 32 + size(value)).sum()
}

impl InformixSession {
    /// The number of the row that WHERE CURRENT OF means; `None` for statements without it.
    pub(crate) fn current_row(&self, tree: &Tree) -> Result<Option<i64>, Failure> {
        let cursor = match tree {
            Tree::Update(update) => &update.cursor,
            Tree::Delete(delete) => &delete.cursor,
            _ => return Ok(None),
        };
        let Some(cursor) = cursor else { return Ok(None) };
        let name = &cursor.name.text;
        let message = "There is no current row for UPDATE/DELETE cursor.";
        let of_routine = self.open_cursors.iter().rev().find(|(open, _)| open.eq_ignore_ascii_case(name));
        if let Some((_, current)) = of_routine {
            return current.get().map(Some).ok_or_else(|| plain(NO_CURRENT_ROW, message));
        }
        let statement = self.cursors.get(&name.to_lowercase()).and_then(|id| self.statements.get(id));
        let Some(current) = statement.and_then(|statement| statement.current.as_ref()) else {
            let message = format!("Cursor ({name}) not found.");
            return Err(Failure { number: NO_CURSOR, subject: name.clone(), message, ..Failure::default() });
        };
        current.get().map(Some).ok_or_else(|| plain(NO_CURRENT_ROW, message))
    }
}

impl<'s> Runner<'s> {
    pub(crate) fn new(session: &'s mut InformixSession) -> Runner<'s> {
        let most_bytes = MOST_BYTES.min(session.shared.database.statement_bytes());
        Runner { session, frames: Vec::new(), returned: Returned::default(), bytes: 0, most_bytes }
    }

    fn frame(&mut self) -> Result<&mut Frame, Failure> {
        self.frames.last_mut().ok_or_else(|| plain(-768, "no routine runs"))
    }

    /// Runs a statement of SQL of a routine. It is prepared once in a session.
    fn statement(
        &mut self,
        (program, number): (&Arc<Program>, usize),
        tree: &Tree,
        action: &Action,
        values: &[Value],
        updates: bool,
    ) -> Result<(Ran, Option<Prepared>), Failure> {
        let key = (program.id(), number);
        let mut prepared = match self.session.routine_statements.remove(&key) {
            Some(prepared) => prepared,
            None => Prepared::of_routine(tree, &action.inputs, updates, &self.session.names()),
        };
        let ran = self.session.run_statement(&mut prepared, values);
        if updates {
            return ran.map(|ran| (ran, Some(prepared)));
        }
        self.session.routine_statements.insert(key, prepared);
        ran.map(|ran| (ran, None))
    }

    /// The only row of a query; `None` without one.
    fn single(ran: Ran) -> Result<Option<Vec<Value>>, Failure> {
        let Ran::Rows(mut rows) = ran else { return Ok(None) };
        let first = rows.next()?;
        match first.is_some() && rows.next()?.is_some() {
            true => Err(plain(-284, "A subquery has returned not exactly one row.")),
            false => Ok(first),
        }
    }

    /// Gives the outputs the values of a row, or NULL.
    fn put(&mut self, action: &Action, row: Option<Vec<Value>>, call: &mut StatementCall<'_>) -> Result<(), Failure> {
        self.session.sql_code = if row.is_some() { 0 } else { 100 };
        let Some(row) = row else {
            for place in 0..action.outputs.len() {
                call.set(place, ValueRef::Null).map_err(|fault| failure_of_fault(&fault))?;
            }
            return Ok(());
        };
        if row.len() != action.outputs.len() {
            return Err(plain(-686, "The number of values and variables differ."));
        }
        for (place, (value, known)) in row.iter().zip(&action.outputs).enumerate() {
            let value = assign(value.as_ref(), *known).map_err(|error| of_syntax(&error, ""))?;
            call.set(place, value.as_ref()).map_err(|fault| failure_of_fault(&fault))?;
        }
        Ok(())
    }

    fn give(&mut self, row: Vec<Value>) -> Result<(), Failure> {
        let bytes = size_of(&row);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.most_bytes {
            return Err(plain(-208, format!("routines may return {} bytes of rows", self.most_bytes)));
        }
        let frame = self.frame()?;
        frame.bytes += bytes;
        frame.returned.rows.push(row);
        Ok(())
    }

    fn action(
        &mut self,
        place: (&Arc<Program>, usize),
        action: &Action,
        values: Vec<Value>,
        call: &mut StatementCall<'_>,
    ) -> Result<Flow, Failure> {
        let faulty = |fault: Fault| failure_of_fault(&fault);
        match &action.kind {
            ActionKind::Value(tree) => {
                let (ran, _) = self.statement(place, tree, action, &values, false)?;
                let value = Self::single(ran)?.and_then(|row| row.into_iter().next()).unwrap_or(Value::Null);
                call.set_result(value.as_ref()).map_err(faulty)?;
            }
            ActionKind::Select(tree) => {
                let (ran, _) = self.statement(place, tree, action, &values, false)?;
                let row = Self::single(ran)?;
                self.put(action, row, call)?;
            }
            ActionKind::Sql(tree) => match tree.as_ref() {
                Tree::Execute(invocation) => drop(self.session.rows_of_call(invocation, &values)?),
                tree => {
                    self.statement(place, tree, action, &values, false)?;
                    self.session.sql_code = 0;
                }
            },
            ActionKind::Open(..) | ActionKind::OpenCall(..) | ActionKind::Fetch(_) | ActionKind::CloseCursor(_) => {
                return self.cursor(place, action, &values, call);
            }
            ActionKind::Call(key, names) => {
                let (mut rows, outputs) = self.run_with_outputs(call.machine(), key, names, &values)?;
                if rows.len() > 1 {
                    let name = key.split('/').next().unwrap_or(key).to_owned();
                    let message = format!("Function ({name}) has returned more than one row.");
                    return Err(Failure { number: -686, subject: name, message, ..Failure::default() });
                }
                let row = match (rows.pop(), outputs.is_empty()) {
                    (row, true) => row,
                    // Without variables for it, the row that is returned is dropped; without a row its variables are NULL.
                    (row, false) => {
                        let returned = action.outputs.len().saturating_sub(outputs.len());
                        let mut values =
                            if returned == 0 { Vec::new() } else { row.unwrap_or(vec![Value::Null; returned]) };
                        values.extend(outputs);
                        Some(values)
                    }
                };
                self.put(action, row, call)?;
            }
            ActionKind::Give => self.give(values)?,
            ActionKind::NoReturn => self.frame()?.returned.is_nothing = true,
            ActionKind::Raise => return Err(user_error(&values)),
            ActionKind::IsError(codes) => {
                let found = call.error().is_some_and(|error| codes.contains(&error.number));
                call.set_result(ValueRef::Boolean(found)).map_err(faulty)?;
            }
            ActionKind::ErrorInfo => {
                let (number, isam, text) =
                    call.error().map_or((0, 0, String::new()), |error| (error.number, error.state, error.text.clone()));
                let info = [Value::Integer(number.into()), Value::Integer(isam.into()), Value::Text(text)];
                let row = info.into_iter().take(action.outputs.len()).collect();
                self.put(action, Some(row), call)?;
                self.session.sql_code = number;
            }
            ActionKind::DeclareGlobal(..) | ActionKind::Global(_) | ActionKind::SetGlobal(_) => {
                self.global(action, values, call)?;
            }
            ActionKind::SqlCode => {
                call.set_result(ValueRef::Integer(self.session.sql_code.into())).map_err(faulty)?;
            }
            ActionKind::System => {
                return Err(plain(-668, "System command can not be executed or it exited with bad status."));
            }
            other => return self.dynamic(other, action, &values, call),
        }
        Ok(Flow::NEXT)
    }

    /// The cursor of a FOREACH.
    fn cursor(
        &mut self,
        place: (&Arc<Program>, usize),
        action: &Action,
        values: &[Value],
        call: &mut StatementCall<'_>,
    ) -> Result<Flow, Failure> {
        let closed = || plain(-400, "Fetch attempted on unopen cursor.");
        match &action.kind {
            ActionKind::Open(cursor, name, tree) => {
                let (ran, prepared) = self.statement(place, tree, action, values, name.is_some())?;
                let Ran::Rows(rows) = ran else { return Err(closed()) };
                let current = prepared.and_then(|prepared| prepared.current);
                if let (Some(name), Some(current)) = (name, current) {
                    self.session.open_cursors.push((name.clone(), current));
                    self.frame()?.named.insert(*cursor, name.clone());
                }
                self.frame()?.cursors.insert(*cursor, rows);
            }
            ActionKind::OpenCall(cursor, key, names) => {
                let rows = self.run_routine(call.machine(), key, names, values)?;
                self.frame()?.cursors.insert(*cursor, Box::new(crate::rows::KeptRows::new(rows)));
            }
            ActionKind::Fetch(cursor) => {
                let rows = self.frame()?.cursors.get_mut(cursor);
                let row = rows.ok_or_else(closed)?.next()?;
                let Some(row) = row else { return Ok(Flow::branch(0)) };
                self.put(action, Some(row), call)?;
            }
            ActionKind::CloseCursor(cursor) => {
                let frame = self.frame()?;
                frame.cursors.remove(cursor);
                if let Some(name) = frame.named.remove(cursor) {
                    let place = self.session.open_cursors.iter().rposition(|(open, _)| *open == name);
                    if let Some(place) = place {
                        self.session.open_cursors.remove(place);
                    }
                }
            }
            _ => {}
        }
        Ok(Flow::NEXT)
    }

    /// Global variables.
    fn global(&mut self, action: &Action, values: Vec<Value>, call: &mut StatementCall<'_>) -> Result<(), Failure> {
        match &action.kind {
            ActionKind::DeclareGlobal(name, known) => {
                let value = values.into_iter().next().unwrap_or(Value::Null);
                self.session.globals.entry(name.clone()).or_insert((*known, value));
            }
            ActionKind::Global(name) => {
                let value = self.session.globals.get(name).map_or(Value::Null, |(_, value)| value.clone());
                call.set_result(value.as_ref()).map_err(|fault| failure_of_fault(&fault))?;
            }
            ActionKind::SetGlobal(name) => {
                let value = values.into_iter().next().unwrap_or(Value::Null);
                let known = action.inputs.first().copied().unwrap_or(Type::Integer);
                self.session.globals.insert(name.clone(), (known, value));
            }
            _ => {}
        }
        Ok(())
    }

    /// Dynamic SQL.
    fn dynamic(
        &mut self,
        kind: &ActionKind,
        action: &Action,
        values: &[Value],
        call: &mut StatementCall<'_>,
    ) -> Result<Flow, Failure> {
        let text = || match values.first() {
            Some(Value::Text(text)) => text.trim_end().to_owned(),
            _ => String::new(),
        };
        let no_cursor = |name: &str| {
            let message = format!("Cursor ({name}) not found.");
            Failure { number: -507, subject: name.to_owned(), message, ..Failure::default() }
        };
        match kind {
            ActionKind::Immediate => {
                let mut prepared = Prepared::new(&text(), self.session.delimited_names, &self.session.names())?;
                if prepared.gives_rows() {
                    return Err(plain(-26083, "A statement that gives rows is not executed immediately."));
                }
                self.session.run_statement(&mut prepared, &[])?;
                self.session.sql_code = 0;
            }
            ActionKind::Prepare(name) => {
                let text = text();
                Prepared::new(&text, self.session.delimited_names, &self.session.names())?;
                self.frame()?.prepared.insert(name.clone(), text);
            }
            ActionKind::Declare(cursor, statement) => {
                let frame = self.frame()?;
                let text = frame.prepared.get(statement).cloned();
                let message = format!("Statement ({statement}) is not prepared.");
                let text = text.ok_or_else(|| plain(-404, message))?;
                frame.declared.insert(cursor.clone(), text);
            }
            ActionKind::OpenDynamic(name) => {
                let text = self.frame()?.declared.get(name).cloned().ok_or_else(|| no_cursor(name))?;
                let mut prepared = Prepared::new(&text, self.session.delimited_names, &self.session.names())?;
                let Ran::Rows(rows) = self.session.run_statement(&mut prepared, values)? else {
                    return Err(no_cursor(name));
                };
                self.frame()?.dynamic.insert(name.clone(), rows);
                self.session.sql_code = 0;
            }
            ActionKind::FetchDynamic(name) => {
                let row = self.frame()?.dynamic.get_mut(name).ok_or_else(|| no_cursor(name))?.next()?;
                match row {
                    Some(row) => self.put(action, Some(row), call)?,
                    // The variables stay as they are.
                    None => self.session.sql_code = 100,
                }
            }
            ActionKind::CloseDynamic(name) => {
                self.frame()?.dynamic.remove(name).ok_or_else(|| no_cursor(name))?;
            }
            ActionKind::Free(name) => {
                let frame = self.frame()?;
                frame.prepared.remove(name);
                frame.declared.remove(name);
                frame.dynamic.remove(name);
            }
            _ => return Err(plain(SqlError::UNSUPPORTED, "a statement that is not known")),
        }
        Ok(Flow::NEXT)
    }
}

/// RAISE EXCEPTION.
fn user_error(values: &[Value]) -> Failure {
    let number = |place: usize| match values.get(place) {
        Some(Value::Integer(number)) => i32::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let text = match values.get(2) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    };
    Failure { number: number(0), detail: number(1), position: 0, subject: text.clone(), message: text }
}

impl Host for Runner<'_> {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        let number = usize::try_from(call.statement().0).unwrap_or(usize::MAX);
        let Some(program) = call.program().cloned() else { return Ok(Flow::NEXT) };
        let Some(action) = program.data::<Vec<Action>>().and_then(|actions| actions.get(number)) else {
            return Err(raised_of(plain(-768, "a statement that is not there")));
        };
        let values: Vec<Value> = (0..call.inputs()).map(|place| call.input(place).to_value()).collect();
        self.action((&program, number), action, values, call).map_err(|failure| {
            self.session.sql_code = failure.number;
            raised_of(failure)
        })
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        let ready = self.session.ready(name).map_err(raised_of)?;
        Ok(Resolved::Program(Arc::clone(&ready.program)))
    }

    fn stamp(&self) -> u64 {
        self.session.modules.version
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        let mut raised = raised_of(failure_of_fault(&fault));
        raised.uncatchable |= !fault.is_catchable();
        FaultAnswer::Raise(raised)
    }

    fn convert(&mut self, value: ValueRef<'_>, to: &Slot, scratch: &mut Scratch) -> Result<Produced, Box<Raised>> {
        let declared = to.declared.trim_matches('"').split_once('=');
        let Some(known) = declared.and_then(|(_, declared)| Type::of_declared(declared)) else {
            return scratch.coerce(value, to.ty).map_err(|fault| raised_of(failure_of_fault(&fault)));
        };
        let value = assign(value, known).map_err(|error| raised_of(of_syntax(&error, "")))?;
        Ok(scratch.produce(value.as_ref()))
    }

    fn entered(&mut self, _: &Arc<Program>, _: usize) {
        self.frames.push(Frame::default());
    }

    fn left(&mut self, _: &Arc<Program>, _: usize) {
        let Some(frame) = self.frames.pop() else { return };
        let open = self.session.open_cursors.len().saturating_sub(frame.named.len());
        self.session.open_cursors.truncate(open);
        self.bytes = self.bytes.saturating_sub(frame.bytes);
        self.returned = frame.returned;
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }
}
