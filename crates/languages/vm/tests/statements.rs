//! Statements, one construct after the other.

mod common;

use common::build::*;
use common::*;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::*;

fn int(number: i32) -> Expression {
    Expression::int(number)
}

/// A routine with two counters.
fn counters() -> (Routine, SlotId, SlotId) {
    let mut routine = Routine::new("main");
    let i = routine.slot_with("@i", Type::I32, Value::Integer(0));
    let s = routine.slot_with("@s", Type::I32, Value::Integer(0));
    (routine, i, s)
}

#[test]
fn while_with_break_and_continue() {
    let (mut r, i, s) = counters();
    let (slot_i, slot_s) = (Expression::slot(&r, i), Expression::slot(&r, s));
    let body = lines(
        2,
        vec![
            assign(i, add(slot_i.clone(), int(1))),
            StatementKind::If {
                condition: equal(slot_i.clone(), int(3)),
                then: lines(4, vec![StatementKind::Continue]),
                otherwise: vec![],
            },
            StatementKind::If {
                condition: less(int(8), slot_i.clone()),
                then: lines(6, vec![StatementKind::Break]),
                otherwise: vec![],
            },
            assign(s, add(slot_s.clone(), slot_i.clone())),
        ],
    );
    r.body = lines(1, vec![StatementKind::While { condition: less(slot_i, int(100)), body }, ret(slot_s)]);
    assert_eq!(run(&mut TestHost::default(), r).unwrap(), Value::Integer(1 + 2 + 4 + 5 + 6 + 7 + 8));
}

#[test]
fn a_condition_that_is_null_is_not_true() {
    let mut r = Routine::new("main");
    let n = r.slot("@n", Type::I32);
    let condition = less(Expression::slot(&r, n), int(1));
    let not = Expression::not(condition.clone());
    r.body = lines(
        1,
        vec![
            StatementKind::If { condition, then: lines(1, vec![ret(int(1))]), otherwise: vec![] },
            StatementKind::If {
                condition: not,
                then: lines(2, vec![ret(int(2))]),
                otherwise: lines(3, vec![ret(int(3))]),
            },
        ],
    );
    assert_eq!(run(&mut TestHost::default(), r).unwrap(), Value::Integer(3));
}

#[test]
fn goto_goes_forwards_backwards_and_out_of_loops() {
    let (mut r, i, _) = counters();
    let slot = Expression::slot(&r, i);
    let (again, out) = (r.label("again"), r.label("out"));
    r.body = lines(
        1,
        vec![
            StatementKind::Label(again),
            assign(i, add(slot.clone(), int(1))),
            StatementKind::If {
                condition: less(slot.clone(), int(5)),
                then: lines(4, vec![StatementKind::Goto(again)]),
                otherwise: vec![],
            },
            StatementKind::Loop(lines(
                6,
                vec![
                    assign(i, add(slot.clone(), int(10))),
                    StatementKind::If {
                        condition: less(int(40), slot.clone()),
                        then: lines(8, vec![StatementKind::Goto(out)]),
                        otherwise: vec![],
                    },
                ],
            )),
            assign(i, int(-1)),
            StatementKind::Label(out),
            ret(slot),
        ],
    );
    assert_eq!(run(&mut TestHost::default(), r).unwrap(), Value::Integer(45));
}

#[test]
fn gosub_returns_behind_itself_and_switch_chooses() {
    let (mut r, i, s) = counters();
    let (slot_i, slot_s) = (Expression::slot(&r, i), Expression::slot(&r, s));
    let (sub, zero, one) = (r.label("sub"), r.label("zero"), r.label("one"));
    r.body = lines(
        1,
        vec![
            StatementKind::Gosub(sub),
            StatementKind::Gosub(sub),
            StatementKind::Switch { index: int(7), labels: vec![zero, one] },
            StatementKind::Switch { index: int(1), labels: vec![zero, one] },
            StatementKind::Label(zero),
            ret(int(-1)),
            StatementKind::Label(one),
            ret(slot_s.clone()),
            StatementKind::Label(sub),
            assign(i, add(slot_i.clone(), int(1))),
            assign(s, add(slot_s, slot_i)),
            StatementKind::GosubReturn,
        ],
    );
    let mut host = TestHost::default();
    assert_eq!(run(&mut host, r.clone()).unwrap(), Value::Integer(3));
    r.body.insert(0, Statement::new(99, StatementKind::GosubReturn));
    let error = run(&mut host, r).unwrap_err();
    assert_eq!((error.fault, error.line), (Some(Fault::ReturnWithoutGosub), 99));
}

#[test]
fn hosts_read_inputs_set_outputs_branch_and_return() {
    let (mut r, i, _) = counters();
    let text = r.slot("@t", Type::TEXT);
    let there = r.label("there");
    let branch = StatementKind::Host {
        statement: BRANCH,
        text: "branch".into(),
        inputs: vec![int(0)],
        outputs: vec![],
        branches: vec![there],
    };
    r.body = lines(
        1,
        vec![
            host(COPY, vec![int(41)], vec![i]),
            host(COPY, vec![Expression::text("copied")], vec![text]),
            host(NOTE, vec![Expression::slot(&r, i), Expression::slot(&r, text), Expression::null(Type::Date)], vec![]),
            branch,
            note_text("not reached"),
            StatementKind::Label(there),
            host(LEAVE, vec![], vec![]),
            note_text("not reached either"),
        ],
    );
    let mut host = TestHost::default();
    assert_eq!(run(&mut host, r).unwrap(), Value::Integer(0));
    assert_eq!(host.notes, ["41 'copied' NULL"]);
}

#[test]
fn an_output_of_the_wrong_kind_is_an_error() {
    let (mut r, i, _) = counters();
    r.body = lines(1, vec![host(COPY, vec![Expression::text("no number")], vec![i])]);
    let error = run(&mut TestHost::default(), r).unwrap_err();
    assert_eq!(error.fault, Some(Fault::TypeMismatch { to: Type::I32 }));
    let (mut r, _, _) = counters();
    let small = r.slot("@small", Type::Integer(Width::U8));
    r.body = lines(1, vec![host(COPY, vec![int(256)], vec![small])]);
    let error = run(&mut TestHost::default(), r).unwrap_err();
    assert_eq!(error.fault, Some(Fault::Overflow { to: Type::Integer(Width::U8) }));
}

#[test]
fn slots_begin_anew_with_each_run() {
    let mut r = Routine::new("main");
    let t = r.slot_with("@t", Type::TEXT, Value::Text("first".into()));
    let n = r.slot("@n", Type::I32);
    let any = r.slot_with("@any", Type::Any, Value::Float(0.5));
    r.body = lines(
        1,
        vec![
            host(NOTE, [t, n, any].iter().map(|slot| Expression::slot(&r, *slot)).collect(), vec![]),
            assign(t, Expression::text("second")),
            assign(n, int(5)),
            assign(any, int(7).convert(Type::Any)),
            host(NOTE, [t, n, any].iter().map(|slot| Expression::slot(&r, *slot)).collect(), vec![]),
        ],
    );
    let (mut host, mut machine) = (TestHost::default(), Machine::new(Limits::default()));
    let program = Program::compile(r).unwrap();
    for _ in 0..2 {
        machine.run(&mut host, &program, &[]).unwrap();
    }
    assert_eq!(host.notes, ["'first' NULL 0.5", "'second' 5 7", "'first' NULL 0.5", "'second' 5 7"]);
}

#[test]
fn arguments_defaults_and_results_of_a_run() {
    let mut r = Routine::new("main");
    let a = r.parameter("@a", Type::I32, Direction::In, None);
    let b = r.parameter("@b", Type::Decimal { precision: 5, scale: 2 }, Direction::In, Some(Value::Null));
    let c = r.parameter("@c", Type::TEXT, Direction::Out, None);
    r.body = lines(
        1,
        vec![
            note(Expression::slot(&r, b)),
            assign(c, Expression::slot(&r, a).convert(Type::TEXT)),
            ret(Expression::slot(&r, a)),
        ],
    );
    let program = Program::compile(r).unwrap();
    let (mut host, mut machine) = (TestHost::default(), Machine::new(Limits::default()));
    let arguments = [RunArgument::Value(ValueRef::Integer(-12)), RunArgument::Value(ValueRef::Integer(3))];
    machine.run(&mut host, &program, &arguments).unwrap();
    assert_eq!(machine.result(), ValueRef::Integer(-12));
    assert_eq!(machine.parameter(2), ValueRef::Text("-12"));
    machine.run(&mut host, &program, &arguments[..1]).unwrap();
    assert_eq!(host.notes, ["3.00", "NULL"]);
    let error = machine.run(&mut host, &program, &[]).unwrap_err();
    assert!(matches!(error.fault, Some(Fault::MissingArgument { .. })));
    let many = [RunArgument::Default; 4];
    let error = machine.run(&mut host, &program, &many).unwrap_err();
    assert!(matches!(error.fault, Some(Fault::TooManyArguments { .. })));
    let wide = [RunArgument::Value(ValueRef::Integer(1 << 40))];
    let error = machine.run(&mut host, &program, &wide).unwrap_err();
    assert!(matches!(error.fault, Some(Fault::Overflow { .. })));
}

#[test]
fn many_registers_and_constants_have_a_place() {
    let mut r = Routine::new("main");
    let slots: Vec<SlotId> = (0..3000).map(|n| r.slot(&format!("@{n}"), Type::I64)).collect();
    let big = |n: i64| Expression::constant(Type::I64, Value::Integer((1 << 40) + n));
    let mut body: Vec<StatementKind> = slots.iter().map(|slot| assign(*slot, big(i64::from(slot.0)))).collect();
    r.result = Some(Type::I64);
    let sum = |a, b| Expression::arithmetic(Type::I64, ArithmeticOp::Subtract, a, b);
    body.push(ret(sum(Expression::slot(&r, slots[2999]), Expression::slot(&r, slots[0]))));
    r.body = lines(1, body);
    assert_eq!(run(&mut TestHost::default(), r).unwrap(), Value::Integer(2999));
}
