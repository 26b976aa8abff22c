//! Arrays: bounds, elements, and what is outside of them.

mod common;

use common::build::*;
use common::*;
use mainstay_types::{Decimal, Value};
use mainstay_vm::*;

fn int(number: i32) -> Expression {
    Expression::int(number)
}

fn element(r: &Routine, array: ArrayId, indexes: Vec<Expression>) -> Expression {
    let ty = r.arrays[usize::from(array.0)].element;
    Expression::new(ty, ExpressionKind::Element { array, indexes })
}

fn dimension(array: ArrayId, bounds: &[(i32, i32)]) -> StatementKind {
    let bounds = bounds.iter().map(|(least, most)| (int(*least), int(*most))).collect();
    StatementKind::Dimension { array, bounds }
}

fn put(array: ArrayId, indexes: Vec<Expression>, value: Expression) -> StatementKind {
    StatementKind::AssignElement { array, indexes, value }
}

#[test]
fn elements_of_two_subscripts_are_all_different() {
    let mut r = Routine::new("main");
    let a = r.array("A", Type::I32, Value::Integer(-1));
    let (i, j) = (r.slot("I", Type::I32), r.slot("J", Type::I32));
    let (i_, j_) = (Expression::slot(&r, i), Expression::slot(&r, j));
    let ten = arithmetic(ArithmeticOp::Multiply, i_.clone(), int(10));
    let inner =
        lines(4, vec![put(a, vec![i_.clone(), j_.clone()], add(ten, j_.clone())), assign(j, add(j_.clone(), int(1)))]);
    let outer = lines(
        3,
        vec![
            assign(j, int(-1)),
            StatementKind::While { condition: less(j_, int(2)), body: inner },
            assign(i, add(i_.clone(), int(1))),
        ],
    );
    let shown = |r: &Routine, i, j| note(element(r, a, vec![int(i), int(j)]));
    r.body = lines(
        1,
        vec![
            dimension(a, &[(1, 3), (-1, 2)]),
            assign(i, int(1)),
            StatementKind::While { condition: less(i_, int(4)), body: outer },
            shown(&r, 1, -1),
            shown(&r, 3, 1),
            shown(&r, 2, 2),
        ],
    );
    let mut host = TestHost::default();
    run(&mut host, r.clone()).unwrap();
    // The last column was not reached.
    assert_eq!(host.notes, ["9", "31", "-1"]);
    let text = r.to_string();
    assert!(text.contains("  array A i32 = -1\n     1  dimension A[1 to 3, -1 to 2]\n"), "{text}");
    assert!(text.contains("A[I, J] := ((I * 10) + J)\n"), "{text}");
}

#[test]
fn elements_of_text_and_decimals_begin_as_they_should_and_are_kept() {
    let mut r = Routine::new("main");
    let t = r.array("T$", Type::TEXT, Value::Text("none".into()));
    let money = Type::Decimal { precision: 18, scale: 2 };
    let d = r.array("D", money, Value::Decimal(Decimal::new(0, 2)));
    let at = |r: &Routine, array, i| element(r, array, vec![int(i)]);
    let parts = vec![at(&r, t, 1), Expression::text(" more")];
    let unit = TextUnit::Bytes;
    let longer = Expression::new(Type::TEXT, ExpressionKind::Concat { parts, null_as_empty: false, unit });
    let sum = Expression::arithmetic(
        money,
        ArithmeticOp::Add,
        at(&r, d, 2),
        Expression::constant(money, Value::Decimal(Decimal::new(150, 2))),
    );
    let notes = |r: &Routine| host(NOTE, vec![at(r, t, 1), at(r, t, 2), at(r, d, 2)], vec![]);
    r.body = lines(
        1,
        vec![
            dimension(t, &[(0, 2)]),
            dimension(d, &[(0, 9)]),
            put(t, vec![int(1)], Expression::text("some")),
            put(t, vec![int(1)], longer),
            put(t, vec![int(2)], Expression::null(Type::TEXT)),
            put(d, vec![int(2)], sum.clone()),
            put(d, vec![int(2)], sum),
            notes(&r),
            // Other bounds are another array.
            dimension(t, &[(0, 5)]),
            notes(&r),
        ],
    );
    let mut host = TestHost::default();
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["'some more' NULL 3.00", "'none' 'none' 3.00"]);
}

#[test]
fn what_is_outside_is_a_fault_with_the_name_of_the_array() {
    let outside = |bounds: Option<&[(i32, i32)]>, indexes: Vec<Expression>, stores: bool| {
        let mut r = Routine::new("main");
        let a = r.array("A", Type::I32, Value::Integer(0));
        let dimensioned = bounds.map(|bounds| dimension(a, bounds));
        let used = if stores { put(a, indexes, int(1)) } else { note(element(&r, a, indexes)) };
        r.body = lines(1, dimensioned.into_iter().chain([used]).collect());
        run(&mut TestHost::default(), r).map_err(|error| error.fault)
    };
    let fault = Err(Some(Fault::Subscript { array: "A".into() }));
    for stores in [false, true] {
        assert_eq!(outside(None, vec![int(1)], stores), fault);
        for index in [0, 4, i32::MIN, i32::MAX] {
            assert_eq!(outside(Some(&[(1, 3)]), vec![int(index)], stores), fault);
        }
        assert_eq!(outside(Some(&[(1, 3)]), vec![Expression::null(Type::I32)], stores), fault);
        assert_eq!(outside(Some(&[(1, 3)]), vec![int(1), int(1)], stores), fault);
        assert_eq!(outside(Some(&[(1, 3)]), vec![], stores), fault);
        assert!(outside(Some(&[(i32::MAX - 1, i32::MAX)]), vec![int(i32::MAX)], stores).is_ok());
    }
    assert_eq!(outside(Some(&[(3, 1)]), vec![int(1)], true), fault);
    let huge = outside(Some(&[(i32::MIN, i32::MAX), (i32::MIN, i32::MAX)]), vec![int(0), int(0)], true);
    assert_eq!(huge, fault);
    let large = outside(Some(&[(i32::MIN, i32::MAX)]), vec![int(0)], true);
    assert_eq!(large, Err(Some(Fault::MemoryLimit)));
}

#[test]
fn arrays_count_as_memory_and_a_machine_uses_theirs_again() {
    let mut r = Routine::new("main");
    let t = r.array("T$", Type::TEXT, Value::Text("a text of some length, thirty-two".into()));
    r.body = lines(1, vec![dimension(t, &[(1, 1000)]), note(element(&r, t, vec![int(1000)]))]);
    let program = Program::compile(r).unwrap();
    let mut host = TestHost::default();
    let mut machine = Machine::new(Limits { text_bytes: 100_000, ..Limits::default() });
    for _ in 0..20 {
        machine.run(&mut host, &program, &[]).unwrap();
    }
    assert_eq!(host.notes.len(), 20);
    let mut machine = Machine::new(Limits { text_bytes: 50_000, ..Limits::default() });
    let error = machine.run(&mut host, &program, &[]).unwrap_err();
    assert_eq!(error.fault, Some(Fault::MemoryLimit));
}

#[test]
fn every_call_has_arrays_of_its_own() {
    let mut host = TestHost::default();
    let mut r = Routine::new("again");
    let depth = r.parameter("@depth", Type::I32, Direction::In, None);
    let a = r.array("A", Type::I32, Value::Integer(0));
    let depth = Expression::slot(&r, depth);
    let next = call("again", vec![value(add(depth.clone(), int(1)))]);
    r.body = lines(
        1,
        vec![
            dimension(a, &[(0, 3)]),
            put(a, vec![int(1)], depth.clone()),
            StatementKind::If {
                condition: less(depth, int(3)),
                then: lines(4, vec![StatementKind::Call { call: next, result: None }]),
                otherwise: vec![],
            },
            note(element(&r, a, vec![int(1)])),
        ],
    );
    let program = host.add(r);
    let arguments = [RunArgument::Value(mainstay_types::ValueRef::Integer(1))];
    Machine::new(Limits::default()).run(&mut host, &program, &arguments).unwrap();
    assert_eq!(host.notes, ["3", "2", "1"]);
}

#[test]
fn arrays_that_make_no_sense_are_refused() {
    let refusal = |build: fn(&mut Routine) -> Vec<StatementKind>| {
        let mut r = Routine::new("bad");
        r.array("A", Type::I32, Value::Integer(0));
        r.body = lines(7, build(&mut r));
        verify(&r).expect_err("refused").message
    };
    assert_eq!(refusal(|_| vec![dimension(ArrayId(1), &[(0, 1)])]), "there is no array 1");
    assert_eq!(refusal(|_| vec![dimension(ArrayId(0), &[])]), "an array has 1 to 8 subscripts");
    assert_eq!(refusal(|_| vec![put(ArrayId(0), vec![Expression::text("1")], int(1))]), "text is no subscript");
    let text = "text does not go into i32 without a conversion";
    assert_eq!(refusal(|_| vec![put(ArrayId(0), vec![int(1)], Expression::text("1"))]), text);
    let lied = |_: &mut Routine| {
        let kind = ExpressionKind::Element { array: ArrayId(0), indexes: vec![Expression::int(1)] };
        vec![note(Expression::new(Type::TEXT, kind))]
    };
    assert_eq!(refusal(lied), "text where i32 is needed");
    let mut r = Routine::new("bad");
    r.array("A", Type::Any, Value::Null);
    assert_eq!(verify(&r).expect_err("refused").message, "array A cannot have NULL of any");
}
