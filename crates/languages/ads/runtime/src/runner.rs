//! Scripts: the machine's host. It runs the statements of SQL, stores the cursors, and knows the error that is being
//! handled.

use crate::cursor::Cursor;
use crate::failure::{ABORTED, Failed, aborted, of_core};
use crate::scope::Values;
use crate::session::{Inner, Result};
use mainstay_ads_syntax::compile::{Action, ActionKind, compile};
use mainstay_ads_syntax::tree::{CursorSource, Span, Statement, StatementKind};
use mainstay_ads_syntax::{SqlError, evaluate, parse};
use mainstay_ads_types::native;
use mainstay_area_session::Outcome;
use mainstay_types::{Timestamp, Value};
use mainstay_vm::{Fault, FaultAnswer, Flow, Host, Machine, Program, Raised, Resolved, StatementCall};
use std::sync::Arc;

/// The class of errors that are the engine's.
const ENGINE: &str = "ADS_SCRIPT_EXCEPTION";

/// Details of a script's error beside its number and text.
pub(crate) struct Detail {
    class: String,
    span: Option<Span>,
}

/// An error as scripts see it: `__errcode`, `__errclass`, `__errtext`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caught {
    pub(crate) number: i32,
    pub(crate) class: String,
    pub(crate) text: String,
}

/// The host of one run.
pub(crate) struct Runner<'s> {
    pub(crate) inner: &'s mut Inner,
    /// The rows of the last statement that returned any, and the number of rows changed.
    pub(crate) outcome: Outcome,
}

/// The error of the dialect as one of the machine.
#[allow(clippy::boxed_local, reason = "errors come in boxes")]
pub(crate) fn raised(failed: Failed) -> Box<Raised> {
    let SqlError { number, message, span } = *failed;
    let detail = Detail { class: ENGINE.to_owned(), span };
    let mut raised = Raised::new(number, 16, 1, message);
    raised.uncatchable = number == ABORTED;
    raised.detail = Some(Box::new(detail));
    raised
}

/// The error of a script that was not handled.
pub(crate) fn failed(raised: &Raised) -> Failed {
    let detail = raised.detail.as_ref().and_then(|detail| detail.downcast_ref::<Detail>());
    match detail {
        Some(detail) if detail.class != ENGINE => {
            SqlError::new(native::RAISED, format!("{} ({}): {}", detail.class, raised.number, raised.text))
        }
        Some(Detail { span: Some(span), .. }) => SqlError::at(raised.number, *span, &*raised.text),
        _ => SqlError::new(raised.number, &*raised.text),
    }
}

/// A script, ready for the machine.
pub(crate) fn program(name: &str, text: &str, statements: &[Statement]) -> Result<Arc<Program>> {
    let script = compile(name, text, statements, &[], None)?;
    linked(script)
}

/// The same for what is compiled.
pub(crate) fn linked(script: mainstay_ads_syntax::compile::Script) -> Result<Arc<Program>> {
    let actions: Arc<Vec<Action>> = Arc::new(script.actions);
    Program::compile_with(script.routine, actions).map_err(|error| {
        SqlError::new(native::SCRIPT, format!("{}, line {}: {}", error.routine, error.line, error.message))
    })
}

impl Runner<'_> {
    /// Runs the program of a procedure: the places of its errors are in its own text.
    pub(crate) fn run_module(
        &mut self,
        machine: &mut Machine,
        program: &Arc<Program>,
        arguments: &[mainstay_vm::RunArgument<'_>],
    ) -> std::result::Result<(), Box<Raised>> {
        let mut ran = machine.run(self, program, arguments);
        let detail = ran.as_mut().err().and_then(|raised| raised.detail.as_mut());
        if let Some(detail) = detail.and_then(|detail| detail.downcast_mut::<Detail>()) {
            detail.span = None;
        }
        ran
    }

    /// Takes over what a statement has given.
    pub(crate) fn took(&mut self, outcome: Outcome) {
        if outcome.columns.is_empty() {
            self.outcome.affected = outcome.affected;
        } else {
            self.outcome = outcome;
        }
    }

    fn evaluated(&mut self, value: &mainstay_ads_syntax::tree::Expr, values: &Values) -> Result<Value> {
        let names = self.inner.names(values);
        evaluate(value, &names)
    }

    /// Runs a statement of a script. EXECUTE runs on the machine that runs the script.
    fn statement(
        &mut self,
        kind: &StatementKind,
        values: &Values,
        machine: &mut Machine,
    ) -> std::result::Result<(), Box<Raised>> {
        match kind {
            StatementKind::ExecuteImmediate(text) => {
                let text = match self.evaluated(text, values).map_err(raised)? {
                    Value::Text(text) => text,
                    _ => return Err(raised(SqlError::new(native::OPERAND, "EXECUTE IMMEDIATE takes a text"))),
                };
                let parsed = parse(&text).map_err(raised)?;
                let program = program("immediate", &text, &parsed.statements).map_err(raised)?;
                self.run_module(machine, &program, &[])
            }
            StatementKind::ExecuteProcedure(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.evaluated(argument, values));
                let arguments = arguments.collect::<Result<Vec<Value>>>().map_err(raised)?;
                self.procedure(name, &arguments, machine)
            }
            kind => {
                let outcome = self.inner.statement(kind, values).map_err(raised)?;
                self.took(outcome);
                Ok(())
            }
        }
    }

    fn open(
        &mut self,
        name: &str,
        source: &CursorSource,
        values: &Values,
        machine: &mut Machine,
    ) -> std::result::Result<(), Box<Raised>> {
        if self.inner.state.cursor(name).is_some() {
            return Err(raised(SqlError::new(native::CURSOR_OPEN, format!("Cursor is already open: {name}"))));
        }
        let before = std::mem::take(&mut self.outcome);
        let kind = match source {
            CursorSource::Query(query) => StatementKind::Query(query.clone()),
            CursorSource::Procedure(name, arguments) => {
                StatementKind::ExecuteProcedure(name.clone(), arguments.clone())
            }
        };
        let ran = self.statement(&kind, values, machine);
        let rows = std::mem::replace(&mut self.outcome, before);
        ran?;
        self.inner.state.frame().cursors.insert(name.to_owned(), Cursor::new(rows));
        Ok(())
    }

    fn action(&mut self, action: &Action, call: &mut StatementCall<'_>) -> std::result::Result<(), Box<Raised>> {
        let mut values = Values::new();
        for (place, (name, sql_type)) in action.names.iter().enumerate() {
            values.insert(name.clone(), (call.input(place).to_value(), *sql_type));
        }
        match &action.kind {
            ActionKind::Statement(kind) => self.statement(kind, &values, call.machine()),
            ActionKind::Value(value) => {
                let value = self.evaluated(value, &values).map_err(raised)?;
                Ok(call.set_result(value.as_ref())?)
            }
            ActionKind::Open(name, source) => self.open(name, source, &values, call.machine()),
            ActionKind::Fetch(name) => {
                let found = self.inner.state.open_cursor(name).map_err(raised)?.fetch();
                Ok(call.set_result(mainstay_types::ValueRef::Boolean(found))?)
            }
            ActionKind::Close(name) => {
                self.inner.state.open_cursor(name).map_err(raised)?;
                self.inner.state.frame().cursors.remove(name);
                Ok(())
            }
            ActionKind::Raise(class, number, text) => {
                let number = self.evaluated(number, &values).map_err(raised)?;
                let text = self.evaluated(text, &values).map_err(raised)?;
                let number = number.as_ref().as_f64().unwrap_or(0.0) as i32;
                let text = if let Value::Text(text) = text { text } else { text.to_string() };
                let mut raised = Raised::new(number, 16, 1, text);
                raised.detail = Some(Box::new(Detail { class: class.clone(), span: None }));
                Err(raised)
            }
            ActionKind::IsClass(class) => {
                let caught = call.error().map_or_else(Caught::default, caught);
                let found = caught.class.eq_ignore_ascii_case(class);
                Ok(call.set_result(mainstay_types::ValueRef::Boolean(found))?)
            }
        }
    }
}

fn caught(error: &Raised) -> Caught {
    let detail = error.detail.as_ref().and_then(|detail| detail.downcast_ref::<Detail>());
    Caught {
        number: error.number,
        class: detail.map_or_else(|| ENGINE.to_owned(), |detail| detail.class.clone()),
        text: error.text.clone(),
    }
}

impl Host for Runner<'_> {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> std::result::Result<Flow, Box<Raised>> {
        let program = call.program().cloned();
        let actions = program.as_ref().and_then(|program| program.data::<Vec<Action>>());
        let number = usize::try_from(call.statement().0).unwrap_or(usize::MAX);
        let Some(action) = actions.and_then(|actions| actions.get(number)) else {
            return Err(Raised::new(native::SCRIPT, 16, 1, "a statement that there is not"));
        };
        match self.action(action, call) {
            Ok(()) => Ok(Flow::NEXT),
            Err(mut error) => {
                // Faults of the machine are told in the dialect's words by it.
                if let Some(detail) = error.detail.as_mut().and_then(|detail| detail.downcast_mut::<Detail>()) {
                    detail.span = detail.span.or(Some(action.span).filter(|span| span.end > 0));
                }
                Err(error)
            }
        }
    }

    fn resolve(&mut self, name: &str) -> std::result::Result<Resolved, Box<Raised>> {
        Err(raised(SqlError::new(native::SCRIPT, format!("Stored procedure not found: {name}"))))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        let (number, text) = match &fault {
            Fault::Overflow { .. } => (native::RANGE, "Value out of range".to_owned()),
            Fault::DivideByZero => (native::DIVISION, "Division by zero".to_owned()),
            Fault::TypeMismatch { .. } | Fault::TooLong { .. } => {
                (native::ASSIGNMENT, "Value cannot be assigned".to_owned())
            }
            Fault::Deadline => return FaultAnswer::Raise(raised(aborted())),
            other => (native::SCRIPT, other.to_string()),
        };
        let mut raised = raised(SqlError::new(number, text));
        raised.uncatchable = !fault.is_catchable();
        FaultAnswer::Raise(raised)
    }

    fn caught(&mut self, error: &Raised) {
        self.inner.state.error = caught(error);
    }

    fn entered(&mut self, _: &Arc<Program>, _: usize) {
        let tables = std::mem::take(&mut self.inner.state.entering);
        self.inner.state.frames.push(crate::session::Frame { tables, ..crate::session::Frame::default() });
    }

    fn left(&mut self, _: &Arc<Program>, _: usize) {
        self.inner.state.frames.pop();
    }

    fn now(&mut self) -> Timestamp {
        self.inner.state.now
    }
}

/// The one value of a query.
pub(crate) fn single(core: &mut mainstay_engine::Session, text: &str) -> Result<Value> {
    let answer = core.execute(text).map_err(|error| of_core(&error))?;
    let outcome = crate::answer::outcome(answer)?;
    let mut rows = outcome.rows.into_iter();
    let first = rows.next().and_then(|row| row.into_iter().next()).unwrap_or(Value::Null);
    match rows.next() {
        Some(_) => Err(SqlError::new(native::MANY_ROWS, "Scalar subquery returned more than one row")),
        None => Ok(first),
    }
}
