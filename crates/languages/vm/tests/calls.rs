//! Calls: arguments, results, late binding, nesting, and runs inside runs.

mod common;

use common::build::*;
use common::*;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::*;

fn int(number: i32) -> Expression {
    Expression::int(number)
}

/// `swap @a in-out, @b out = @a`: gives @b what @a was, doubles @a, returns 5.
fn doubler() -> Routine {
    let mut r = Routine::new("doubler");
    let a = r.parameter("@a", Type::I32, Direction::InOut, None);
    let b = r.parameter("@b", Type::TEXT, Direction::Out, None);
    let c = r.parameter("@c", Type::TEXT, Direction::In, Some(Value::Text("default".into())));
    let slot = Expression::slot(&r, a);
    r.body = lines(
        1,
        vec![
            note(Expression::slot(&r, c)),
            assign(b, slot.clone().convert(Type::TEXT)),
            assign(a, arithmetic(ArithmeticOp::Multiply, slot, int(2))),
            ret(int(5)),
        ],
    );
    r
}

fn caller(arguments: impl FnOnce(SlotId, SlotId) -> Vec<Argument>) -> Routine {
    let mut r = Routine::new("main");
    let x = r.slot_with("@x", Type::I32, Value::Integer(21));
    let t = r.slot("@t", Type::TEXT);
    let status = r.slot("@status", Type::I32);
    let call = call("doubler", arguments(x, t));
    let shown = [x, t, status].map(|slot| Expression::slot(&r, slot));
    r.body = lines(1, vec![StatementKind::Call { call, result: Some(status) }, host(NOTE, shown.to_vec(), vec![])]);
    r
}

fn named(name: &str, value: ArgumentValue) -> Argument {
    Argument { name: Some(name.to_owned()), value }
}

#[test]
fn arguments_go_by_position_and_by_name_and_come_back() {
    let mut host = TestHost::default();
    host.add(doubler());
    run(&mut host, caller(|x, t| vec![back(x), back(t)])).unwrap();
    let by_name = caller(|x, t| {
        vec![
            named("@C", ArgumentValue::Value(Expression::text("given"))),
            named("@b", ArgumentValue::InOut(t)),
            named("@a", ArgumentValue::InOut(x)),
        ]
    });
    run(&mut host, by_name).unwrap();
    let not_back = caller(|_, _| vec![value(int(1)), named("@c", ArgumentValue::Default)]);
    run(&mut host, not_back).unwrap();
    let expected = ["'default'", "42 '21' 5", "'given'", "42 '21' 5", "'default'", "21 NULL 5"];
    assert_eq!(host.notes, expected);
}

#[test]
fn wrong_arguments_are_faults_of_the_caller() {
    let mut host = TestHost::default();
    host.add(doubler());
    let mut fault = |arguments: Vec<Argument>| run(&mut host, caller(|_, _| arguments)).unwrap_err();
    let error = fault(vec![]);
    assert!(matches!(&error.fault, Some(Fault::MissingArgument { parameter, .. }) if parameter == "@a"));
    assert_eq!(error.routine.as_deref(), Some("main"));
    let error = fault(vec![value(int(1)), value(Expression::text("")), value(Expression::text("")), value(int(4))]);
    assert!(matches!(error.fault, Some(Fault::TooManyArguments { .. })));
    let error = fault(vec![value(int(1)), named("@nobody", ArgumentValue::Default)]);
    assert!(matches!(&error.fault, Some(Fault::UnknownArgument { parameter, .. }) if parameter == "@nobody"));
    let error = fault(vec![value(int(1)), named("@a", ArgumentValue::Value(int(2)))]);
    assert!(matches!(&error.fault, Some(Fault::RepeatedArgument { parameter, .. }) if parameter == "@a"));
    let error = fault(vec![value(int(1)), value(Expression::text("")), back(SlotId(1))]);
    assert!(matches!(&error.fault, Some(Fault::NotAnOutput { parameter, .. }) if parameter == "@c"));
}

#[test]
fn arguments_of_other_types_are_converted_by_the_host() {
    let mut host = TestHost::default();
    let mut callee = Routine::new("callee");
    let d = callee.parameter("@d", Type::Decimal { precision: 6, scale: 2 }, Direction::InOut, None);
    callee.body = lines(1, vec![note(Expression::slot(&callee, d))]);
    host.add(callee);
    let mut r = Routine::new("main");
    let f = r.slot_with("@f", Type::Float, Value::Float(2.345));
    r.body = lines(
        1,
        vec![
            StatementKind::Call { call: call("callee", vec![back(f)]), result: None },
            note(Expression::slot(&r, f)),
            StatementKind::Call { call: call("callee", vec![value(int(123_456))]), result: None },
        ],
    );
    let error = run(&mut host, r).unwrap_err();
    assert_eq!(host.notes, ["2.35", "2.35"]);
    assert!(matches!(error.fault, Some(Fault::Overflow { .. })));
    // It is the routine's error, before its first line; where it was called is in the trace.
    assert_eq!((error.routine.as_deref(), error.line), (Some("callee"), 0));
    assert_eq!(error.trace.first().map(|place| place.line), Some(3));
}

#[test]
fn names_are_looked_up_once_until_the_stamp_changes() {
    let mut host = TestHost::default();
    let mut callee = Routine::new("callee");
    callee.body = lines(1, vec![note_text("old")]);
    host.add(callee);
    let mut r = Routine::new("main");
    let name = r.slot_with("@name", Type::TEXT, Value::Text("callee".into()));
    let dynamic = Call { callee: Callee::Dynamic(Box::new(Expression::slot(&r, name))), arguments: vec![] };
    r.body = lines(1, vec![exec("callee"), StatementKind::Call { call: dynamic, result: None }]);
    let program = Program::compile(r).unwrap();
    let mut machine = Machine::new(Limits::default());
    for _ in 0..3 {
        machine.run(&mut host, &program, &[]).unwrap();
    }
    assert_eq!(host.resolved, 2);
    let mut callee = Routine::new("callee");
    callee.body = lines(1, vec![note_text("new")]);
    host.add(callee);
    host.stamp += 1;
    machine.run(&mut host, &program, &[]).unwrap();
    assert_eq!(host.resolved, 4);
    assert_eq!(host.notes[4..], ["'old'", "'old'", "'new'", "'new'"]);
}

#[test]
fn an_unknown_name_is_an_error_of_the_call() {
    let mut r = Routine::new("main");
    r.body = lines(1, vec![exec("nobody")]);
    let error = run(&mut TestHost::default(), r).unwrap_err();
    assert_eq!((error.number, error.line), (2812, 1));
}

#[test]
fn the_host_may_be_the_routine() {
    let mut host = TestHost::default();
    let mut r = Routine::new("main");
    let (x, status) = (r.slot("@x", Type::I32), r.slot("@status", Type::I32));
    let arguments = vec![
        named("@stmt", ArgumentValue::Value(Expression::text("SELECT 1"))),
        named("@out", ArgumentValue::InOut(x)),
    ];
    r.body = lines(
        1,
        vec![
            StatementKind::Call { call: call("host_routine", arguments), result: Some(status) },
            host_note(&r, &[x, status]),
        ],
    );
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["@stmt='SELECT 1' @out=NULL", "11 7"]);
}

fn host_note(r: &Routine, slots: &[SlotId]) -> StatementKind {
    host(NOTE, slots.iter().map(|slot| Expression::slot(r, *slot)).collect(), vec![])
}

/// Fibonacci's numbers, by calls in expressions.
fn fibonacci() -> Routine {
    let mut r = Routine::new("fib");
    let n = r.parameter("@n", Type::I32, Direction::In, None);
    let slot = Expression::slot(&r, n);
    let of = |less: i32| {
        let argument = value(arithmetic(ArithmeticOp::Subtract, slot.clone(), int(less)));
        Expression::new(Type::I32, ExpressionKind::Call(Box::new(call("fib", vec![argument]))))
    };
    r.body = lines(
        1,
        vec![
            StatementKind::If {
                condition: less(slot.clone(), int(2)),
                then: lines(2, vec![ret(slot.clone())]),
                otherwise: vec![],
            },
            ret(add(of(1), of(2))),
        ],
    );
    r
}

#[test]
fn functions_call_themselves_within_expressions() {
    let mut host = TestHost::default();
    let program = host.add(fibonacci());
    let mut machine = Machine::new(Limits::default());
    machine.run(&mut host, &program, &[RunArgument::Value(ValueRef::Integer(15))]).unwrap();
    assert_eq!(machine.result(), ValueRef::Integer(610));
    assert_eq!(host.resolved, 2);
}

#[test]
fn nesting_has_a_limit_that_can_be_caught() {
    let mut host = TestHost::default();
    let mut r = Routine::new("deeper");
    let depth = r.parameter("@depth", Type::I32, Direction::In, None);
    let next = vec![value(add(Expression::slot(&r, depth), int(1)))];
    r.body = lines(
        1,
        vec![StatementKind::Try {
            body: lines(2, vec![StatementKind::Call { call: call("deeper", next), result: None }]),
            catch: lines(3, vec![note(Expression::slot(&r, depth)), StatementKind::Rethrow]),
        }],
    );
    let program = host.add(r);
    let mut machine = Machine::new(Limits::default());
    let error = machine.run(&mut host, &program, &[RunArgument::Value(ValueRef::Integer(1))]).unwrap_err();
    assert_eq!((error.number, error.fault), (217, Some(Fault::NestingLimit)));
    let expected: Vec<String> = (1..=32).rev().map(|n| n.to_string()).collect();
    assert_eq!(host.notes, expected);
    // The machine is as good as new.
    assert_eq!(machine.level(), 0);
}

#[test]
fn runs_inside_runs_have_registers_of_their_own() {
    let mut host = TestHost::default();
    let mut inner = Routine::new("inner");
    let t = inner.slot_with("@t", Type::TEXT, Value::Text("inner".into()));
    inner.body = lines(1, vec![note(Expression::slot(&inner, t)), ret(int(77))]);
    host.add(inner);
    let mut r = Routine::new("main");
    let t = r.slot_with("@t", Type::TEXT, Value::Text("outer".into()));
    let i = r.slot_with("@i", Type::I32, Value::Integer(1));
    let nested = host_nested("inner", i);
    r.body = lines(1, vec![nested, host_note(&r, &[t, i])]);
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["'inner'", "'outer' 77"]);
}

fn host_nested(name: &str, to: SlotId) -> StatementKind {
    host(NESTED, vec![Expression::text(name)], vec![to])
}

#[test]
fn runs_inside_runs_count_as_nesting() {
    let mut host = TestHost::default();
    let mut r = Routine::new("again");
    let i = r.slot("@i", Type::I32);
    r.body = lines(1, vec![host_nested("again", i)]);
    let program = host.add(r);
    let error = Machine::new(Limits::default()).run(&mut host, &program, &[]).unwrap_err();
    assert_eq!(error.fault, Some(Fault::NestingLimit));
    assert_eq!(host.statements, 32);
}

/// A host that finds the meaning of its statements with the program.
struct Finding(Vec<String>);

impl Host for Finding {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        let number = call.statement().0 as usize;
        let meaning = call.program().and_then(|program| program.data::<Vec<&str>>()?.get(number).copied());
        self.0.push(meaning.unwrap_or("nothing").to_owned());
        assert!(number != 2, "a host that panics");
        Ok(Flow::NEXT)
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        Err(Raised::new(1, 16, 1, name))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn now(&mut self) -> mainstay_types::Timestamp {
        mainstay_types::Timestamp(0)
    }
}

#[test]
fn hosts_keep_what_they_need_with_the_program() {
    let mut r = Routine::new("main");
    r.body = lines(1, vec![host(StatementId(1), vec![], vec![]), host(StatementId(0), vec![], vec![])]);
    let program = Program::compile_with(r.clone(), std::sync::Arc::new(vec!["first", "second"])).unwrap();
    let mut host = Finding(Vec::new());
    Machine::new(Limits::default()).run(&mut host, &program, &[]).unwrap();
    assert_eq!(host.0, ["second", "first"]);
    assert_ne!(Program::compile(r).unwrap().id(), program.id());
}

#[test]
fn a_machine_whose_host_panicked_is_reset() {
    let mut r = Routine::new("main");
    r.body = lines(1, vec![host(StatementId(2), vec![], vec![])]);
    let program = Program::compile(r).unwrap();
    let mut machine = Machine::new(Limits::default());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = machine.run(&mut Finding(Vec::new()), &program, &[]);
    }));
    assert!(panicked.is_err() && machine.level() == 1);
    machine.reset();
    assert_eq!(machine.level(), 0);
    let mut r = Routine::new("fine");
    r.body = lines(1, vec![ret(int(4))]);
    machine.run(&mut Finding(Vec::new()), &Program::compile(r).unwrap(), &[]).unwrap();
    assert_eq!(machine.result(), ValueRef::Integer(4));
}
