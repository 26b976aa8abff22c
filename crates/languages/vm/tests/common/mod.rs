//! A host for tests: it records its calls, and returns prepared answers.
#![allow(dead_code, reason = "each test uses what it needs")]

use mainstay_types::{Timestamp, Value, ValueRef};
use mainstay_vm::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Records its argument.
pub const NOTE: StatementId = StatementId(1);
/// Raises error 50000 with the text of its input.
pub const RAISE: StatementId = StatementId(2);
/// Sets its output to its input.
pub const COPY: StatementId = StatementId(3);
/// Runs the routine that its input names on the same machine.
pub const NESTED: StatementId = StatementId(4);
/// Branches by its input.
pub const BRANCH: StatementId = StatementId(5);
/// Returns from the routine.
pub const LEAVE: StatementId = StatementId(6);
/// Notes number, text and line of the error that is handled.
pub const NOTE_ERROR: StatementId = StatementId(7);
/// The routine `host_routine`: notes its arguments, sets the second, returns 7.
pub const ROUTINE: StatementId = StatementId(8);
/// Raises an error that no handler may see.
pub const KILL: StatementId = StatementId(9);

/// The host of the tests.
#[derive(Default)]
pub struct TestHost {
    pub notes: Vec<String>,
    pub routines: HashMap<String, Arc<Program>>,
    pub stamp: u64,
    pub resolved: usize,
    pub statements: usize,
    /// Faults give NULL instead of errors.
    pub faults_are_null: bool,
    /// Unhandled errors are noted, and the next statement runs.
    pub goes_on: bool,
    /// Or the routine ends.
    pub ends_routine: bool,
    /// The status that an error leaves to a procedure, by the error's number.
    pub statuses: HashMap<i32, i64>,
}

impl TestHost {
    /// Compiles a routine and gives it a name.
    pub fn add(&mut self, routine: Routine) -> Arc<Program> {
        let name = routine.name.to_string();
        let program = Program::compile(routine).unwrap();
        self.routines.insert(name, program.clone());
        program
    }
}

impl Host for TestHost {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        self.statements += 1;
        match call.statement() {
            NOTE => {
                let inputs: Vec<String> = (0..call.inputs()).map(|i| call.input(i).to_string()).collect();
                self.notes.push(inputs.join(" "));
            }
            RAISE => {
                let text = call.input(0).to_string();
                return Err(Raised::new(50000, 16, 1, text));
            }
            COPY => {
                let value = call.input(0).to_value();
                call.set(0, value.as_ref())?;
            }
            NESTED => {
                let Value::Text(name) = call.input(0).to_value() else { return Ok(Flow::NEXT) };
                let program = self.routines[&name].clone();
                call.machine().run(self, &program, &[])?;
                let result = call.machine().result().to_value();
                if call.outputs() > 0 {
                    call.set(0, result.as_ref())?;
                }
            }
            BRANCH => {
                let ValueRef::Integer(branch) = call.input(0) else { return Ok(Flow::NEXT) };
                return Ok(Flow::branch(branch as u16));
            }
            LEAVE => return Ok(Flow::RETURN),
            NOTE_ERROR => {
                let note = call.error().map(|e| format!("{} {} line {}", e.number, e.text, e.line));
                self.notes.push(note.unwrap_or_else(|| "no error".to_owned()));
            }
            ROUTINE => {
                let shown = |i: usize| format!("{}={}", call.input_name(i).unwrap_or("?"), call.input(i));
                let note = (0..call.inputs()).map(shown).collect::<Vec<_>>().join(" ");
                self.notes.push(note);
                if call.output_type(1).is_some() {
                    call.set(1, ValueRef::Integer(11))?;
                }
                call.set_result(ValueRef::Integer(7))?;
            }
            KILL => {
                let mut raised = Raised::new(1, 20, 1, "killed");
                raised.uncatchable = true;
                return Err(raised);
            }
            other => return Err(Raised::new(2, 16, 1, format!("statement {other:?}"))),
        }
        Ok(Flow::NEXT)
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        self.resolved += 1;
        match self.routines.get(name) {
            Some(program) => Ok(Resolved::Program(program.clone())),
            None if name == "host_routine" => Ok(Resolved::Statement(ROUTINE)),
            None => Err(Raised::new(2812, 16, 62, format!("no routine {name}"))),
        }
    }

    fn stamp(&self) -> u64 {
        self.stamp
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        if self.faults_are_null && fault.is_catchable() {
            return FaultAnswer::Null;
        }
        let number = match fault {
            Fault::Overflow { .. } => 8115,
            Fault::DivideByZero => 8134,
            Fault::NestingLimit => 217,
            _ => 0,
        };
        let mut raised = Raised::of(fault);
        raised.number = number;
        FaultAnswer::Raise(raised)
    }

    fn status_after(&self, error: &Raised) -> Option<i64> {
        self.statuses.get(&error.number).copied()
    }

    fn unhandled(&mut self, error: &Raised) -> Unhandled {
        if self.goes_on || self.ends_routine {
            self.notes.push(format!("unhandled {} line {}", error.text, error.line));
            return if self.goes_on { Unhandled::NextStatement } else { Unhandled::EndRoutine };
        }
        Unhandled::Propagate
    }

    fn entered(&mut self, program: &Arc<Program>, level: usize) {
        self.notes.push(format!("enter {} {level}", program.routine().name));
    }

    fn left(&mut self, program: &Arc<Program>, level: usize) {
        self.notes.push(format!("leave {} {level}", program.routine().name));
    }

    fn session(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(&mut self.notes)
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }
}

/// Short names for building forms.
pub mod build {
    use super::*;

    pub fn assign(target: SlotId, value: Expression) -> StatementKind {
        StatementKind::Assign { target, value }
    }

    pub fn add(left: Expression, right: Expression) -> Expression {
        Expression::arithmetic(Type::I32, ArithmeticOp::Add, left, right)
    }

    pub fn arithmetic(op: ArithmeticOp, left: Expression, right: Expression) -> Expression {
        Expression::arithmetic(Type::I32, op, left, right)
    }

    pub fn less(left: Expression, right: Expression) -> Expression {
        Expression::compare(CompareOp::Less, left, right)
    }

    pub fn equal(left: Expression, right: Expression) -> Expression {
        Expression::compare(CompareOp::Equal, left, right)
    }

    /// Statements with lines from 1 on at this level of nesting; those inside get their parent's line times ten and on.
    pub fn lines(first: u32, kinds: Vec<StatementKind>) -> Vec<Statement> {
        kinds.into_iter().enumerate().map(|(index, kind)| Statement::new(first + index as u32, kind)).collect()
    }

    pub fn host(statement: StatementId, inputs: Vec<Expression>, outputs: Vec<SlotId>) -> StatementKind {
        StatementKind::Host { statement, text: "host".into(), inputs, outputs, branches: Vec::new() }
    }

    pub fn note(value: Expression) -> StatementKind {
        host(NOTE, vec![value], Vec::new())
    }

    pub fn note_text(text: &str) -> StatementKind {
        note(Expression::text(text))
    }

    pub fn raise(text: &str) -> StatementKind {
        host(RAISE, vec![Expression::text(text)], Vec::new())
    }

    pub fn call(name: &str, arguments: Vec<Argument>) -> Call {
        Call { callee: Callee::Named(name.into()), arguments }
    }

    pub fn exec(name: &str) -> StatementKind {
        StatementKind::Call { call: call(name, Vec::new()), result: None }
    }

    pub fn value(value: Expression) -> Argument {
        Argument { name: None, value: ArgumentValue::Value(value) }
    }

    pub fn back(slot: SlotId) -> Argument {
        Argument { name: None, value: ArgumentValue::InOut(slot) }
    }

    pub fn ret(value: Expression) -> StatementKind {
        StatementKind::Return(Some(value))
    }
}

/// Compiles and runs a routine without arguments; gives what it returned.
pub fn run(host: &mut TestHost, routine: Routine) -> Result<Value, Box<Raised>> {
    let program = Program::compile(routine).unwrap();
    let mut machine = Machine::new(Limits::default());
    machine.run(host, &program, &[])?;
    Ok(machine.result().to_value())
}

/// The value of an expression of a routine's slots.
pub fn evaluate(host: &mut TestHost, mut routine: Routine, expression: Expression) -> Result<Value, Box<Raised>> {
    routine.result = Some(expression.ty);
    routine.default_result = Value::Null;
    routine.body.push(Statement::new(1, build::ret(expression)));
    run(host, routine)
}

/// A small generator of numbers, the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
