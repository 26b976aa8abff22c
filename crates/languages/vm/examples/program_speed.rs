//! Speed of the machine: nanoseconds for simple operations, loops, calls and texts.
//!
//! `cargo run --release -p mainstay-vm --example program_speed`

use mainstay_types::{Timestamp, Value, ValueRef};
use mainstay_vm::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// The statement that reads a record into its outputs.
const RECORD: StatementId = StatementId(2);

/// A host with nothing but routines and one record.
struct Plain(Vec<Arc<Program>>);

impl Host for Plain {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        if call.statement() == RECORD {
            for field in 0..call.outputs() {
                call.set(field, ValueRef::Text("a field"))?;
            }
        }
        Ok(Flow::NEXT)
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        let found = self.0.iter().find(|program| &*program.routine().name == name);
        found.map(|program| Resolved::Program(program.clone())).ok_or_else(|| Raised::new(1, 16, 1, name))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }
}

fn statement(kind: StatementKind) -> Statement {
    Statement::new(1, kind)
}

fn assign(target: SlotId, value: Expression) -> Statement {
    statement(StatementKind::Assign { target, value })
}

/// `WHILE @i < @n` with the statements that `body` makes of `@i` and another slot.
fn counting(ty: Type, first: Value, body: impl FnOnce(&Routine, SlotId, SlotId) -> Vec<Statement>) -> Arc<Program> {
    let mut routine = Routine::new("loop");
    let n = routine.parameter("@n", Type::I32, Direction::In, None);
    let i = routine.slot_with("@i", Type::I32, Value::Integer(0));
    let s = routine.slot_with("@s", ty, first);
    let mut statements = body(&routine, i, s);
    let next = Expression::arithmetic(Type::I32, ArithmeticOp::Add, Expression::slot(&routine, i), Expression::int(1));
    statements.push(assign(i, next));
    let condition = Expression::compare(CompareOp::Less, Expression::slot(&routine, i), Expression::slot(&routine, n));
    routine.body = vec![statement(StatementKind::While { condition, body: statements })];
    Program::compile(routine).unwrap_or_else(|error| panic!("{error}"))
}

/// The best of several runs, in nanoseconds for each of `count`.
fn measure(name: &str, count: usize, mut run: impl FnMut()) {
    run();
    let mut best = f64::MAX;
    for _ in 0..15 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    println!("{name:<60} {:>9.2} ns", best / count as f64);
}

fn run_loop(name: &str, program: &Arc<Program>) {
    let (mut machine, mut host) = (Machine::new(Limits::default()), Plain(Vec::new()));
    let turns = 100_000;
    measure(name, turns, || {
        let arguments = [RunArgument::Value(ValueRef::Integer(turns as i64))];
        machine.run(&mut host, program, &arguments).unwrap_or_else(|error| panic!("{error}"));
    });
}

fn main() {
    let slot = Expression::slot;
    let i32_op = |op, a, b| Expression::arithmetic(Type::I32, op, a, b);
    let empty = counting(Type::I32, Value::Integer(0), |_, _, _| Vec::new());
    run_loop("a turn of WHILE with one SET", &empty);
    let sum = counting(Type::I32, Value::Integer(0), |r, i, s| {
        // Sums of 100,000 numbers would not fit.
        let small = i32_op(ArithmeticOp::Remainder, slot(r, i), Expression::int(7));
        let _ = small;
        vec![assign(s, Expression::arithmetic(Type::I32, ArithmeticOp::Subtract, slot(r, i), slot(r, s)))]
    });
    run_loop("a turn of WHILE with two SETs", &sum);
    let (mut machine, mut host) = (Machine::new(Limits::default()), Plain(Vec::new()));
    let sums = counting(Type::I32, Value::Integer(0), |r, i, s| {
        vec![assign(s, i32_op(ArithmeticOp::Add, slot(r, s), slot(r, i)))]
    });
    for turns in [10, 100, 1000] {
        measure(&format!("WHILE of {turns} turns with two SETs, the call included"), 1000, || {
            for _ in 0..1000 {
                let arguments = [RunArgument::Value(ValueRef::Integer(turns))];
                machine.run(&mut host, &sums, &arguments).unwrap_or_else(|error| panic!("{error}"));
            }
        });
    }
    let six = counting(Type::I32, Value::Integer(0), |r, i, s| {
        let x2 = i32_op(ArithmeticOp::Multiply, slot(r, i), Expression::int(2));
        let half = i32_op(ArithmeticOp::Divide, slot(r, i), Expression::int(2));
        let rest = i32_op(ArithmeticOp::Remainder, slot(r, i), Expression::int(7));
        vec![assign(s, i32_op(ArithmeticOp::Subtract, i32_op(ArithmeticOp::Add, x2, half), rest))]
    });
    run_loop("a turn with SET @s = @i*2 + @i/2 - @i%7", &six);
    let branches = counting(Type::I32, Value::Integer(0), |r, i, s| {
        let arm = |n: i32| (Expression::compare(CompareOp::Less, slot(r, i), Expression::int(n)), Expression::int(n));
        let case =
            ExpressionKind::Case { arms: (1..5).map(arm).collect(), otherwise: Some(Box::new(Expression::int(9))) };
        vec![assign(s, Expression::new(Type::I32, case))]
    });
    run_loop("a turn with a CASE of four arms", &branches);
    let money = Type::Decimal { precision: 19, scale: 4 };
    let one = mainstay_types::Decimal::new(12345, 4);
    let decimals = counting(money, Value::Decimal(mainstay_types::Decimal::new(0, 4)), |r, _, s| {
        let cent = Expression::constant(money, Value::Decimal(one));
        vec![assign(s, Expression::arithmetic(money, ArithmeticOp::Add, slot(r, s), cent))]
    });
    run_loop("a turn with a DECIMAL addition", &decimals);
    let product = counting(money, Value::Decimal(one), |r, _, s| {
        let other = Expression::constant(money, Value::Decimal(mainstay_types::Decimal::new(10000, 4)));
        vec![assign(s, Expression::arithmetic(money, ArithmeticOp::Multiply, slot(r, s), other))]
    });
    run_loop("a turn with a DECIMAL multiplication and rounding", &product);
    let floats = counting(Type::Float, Value::Float(0.0), |r, _, s| {
        let tenth = Expression::constant(Type::Float, Value::Float(0.1));
        vec![assign(s, Expression::arithmetic(Type::Float, ArithmeticOp::Add, slot(r, s), tenth))]
    });
    run_loop("a turn with a FLOAT addition", &floats);
    let texts = counting(Type::TEXT, Value::Text(String::new()), |r, i, s| {
        let number = slot(r, i).convert(Type::TEXT);
        let parts = vec![Expression::text("order "), number, Expression::text(" of ten")];
        let concat = ExpressionKind::Concat { parts, null_as_empty: false, unit: TextUnit::Characters };
        vec![assign(s, Expression::new(Type::TEXT, concat))]
    });
    run_loop("a turn with a concatenation of three texts", &texts);
    let upper = NativeFunction {
        name: "upper",
        call: |context, arguments| {
            let [ValueRef::Text(text)] = arguments else { return Ok(Produced::Null) };
            let out = context.text();
            out.push_str(text);
            out.make_ascii_uppercase();
            Ok(Produced::Text)
        },
    };
    let natives = counting(Type::TEXT, Value::Text("some text".into()), |r, _, s| {
        vec![assign(s, Expression::native(Type::TEXT, upper, vec![slot(r, s)]))]
    });
    run_loop("a turn with a native function of a text", &natives);
    let hosts = counting(Type::I32, Value::Integer(0), |r, i, s| {
        let (inputs, outputs) = (vec![slot(r, i)], vec![s]);
        let kind =
            StatementKind::Host { statement: StatementId(1), text: "".into(), inputs, outputs, branches: Vec::new() };
        vec![statement(kind)]
    });
    run_loop("a turn with a statement of the host", &hosts);
    record();
    calls();
}

/// `READ` of a record of 26 fields into as many texts.
fn record() {
    let mut routine = Routine::new("read");
    let outputs = (0..26).map(|n| routine.slot(&format!("F{n}$"), Type::TEXT)).collect();
    let i = routine.slot_with("@i", Type::I32, Value::Integer(0));
    let next = Expression::arithmetic(Type::I32, ArithmeticOp::Add, Expression::slot(&routine, i), Expression::int(1));
    let condition = Expression::compare(CompareOp::Less, Expression::slot(&routine, i), Expression::int(10_000));
    let (inputs, branches) = (Vec::new(), Vec::new());
    let read = StatementKind::Host { statement: RECORD, text: "READ".into(), inputs, outputs, branches };
    routine.body = vec![statement(StatementKind::While { condition, body: vec![statement(read), assign(i, next)] })];
    let program = Program::compile(routine).unwrap_or_else(|error| panic!("{error}"));
    let (mut machine, mut host) = (Machine::new(Limits::default()), Plain(Vec::new()));
    measure("a turn with a record of 26 texts from the host", 10_000, || {
        machine.run(&mut host, &program, &[]).unwrap_or_else(|error| panic!("{error}"));
    });
}

fn calls() {
    let mut callee = Routine::new("callee");
    let a = callee.parameter("@a", Type::I32, Direction::In, None);
    let plus = Expression::arithmetic(Type::I32, ArithmeticOp::Add, Expression::slot(&callee, a), Expression::int(1));
    callee.body = vec![statement(StatementKind::Return(Some(plus)))];
    let callee = Program::compile(callee).unwrap_or_else(|error| panic!("{error}"));
    let caller = counting(Type::I32, Value::Integer(0), |r, i, s| {
        let argument = Argument { name: None, value: ArgumentValue::Value(Expression::slot(r, i)) };
        let call = Call { callee: Callee::Named("callee".into()), arguments: vec![argument] };
        vec![statement(StatementKind::Call { call, result: Some(s) })]
    });
    let (mut machine, mut host) = (Machine::new(Limits::default()), Plain(vec![callee.clone()]));
    measure("a turn with a call of a routine", 100_000, || {
        let arguments = [RunArgument::Value(ValueRef::Integer(100_000))];
        machine.run(&mut host, &caller, &arguments).unwrap_or_else(|error| panic!("{error}"));
    });
    measure("a run of a routine that adds 1", 1000, || {
        for _ in 0..1000 {
            let arguments = [RunArgument::Value(ValueRef::Integer(1))];
            machine.run(&mut host, &callee, &arguments).unwrap_or_else(|error| panic!("{error}"));
            black_box(machine.result());
        }
    });
}
