//! The printed form, and forms that the verifier must refuse.

mod common;

use common::build::*;
use mainstay_types::{Collation, Decimal, Value};
use mainstay_vm::*;

fn int(number: i32) -> Expression {
    Expression::int(number)
}

fn money(unscaled: i128) -> Expression {
    Expression::constant(Type::Decimal { precision: 10, scale: 2 }, Value::Decimal(Decimal::new(unscaled, 2)))
}

fn length() -> NativeFunction {
    NativeFunction { name: "len", call: |_, _| Ok(Produced::Null) }
}

/// A routine with one of everything.
fn everything() -> Routine {
    let mut r = Routine::new("dbo.everything");
    let id = r.parameter("@id", Type::I32, Direction::In, None);
    let total = r.parameter("@total", Type::Decimal { precision: 10, scale: 2 }, Direction::InOut, Some(Value::Null));
    let name = r.slot("@name", Type::Text { limit: Some(30) });
    r.slots[2].declared = "varchar(30)".to_owned();
    let flag = r.slot_with("@flag", Type::Boolean, Value::Boolean(false));
    let (again, out) = (r.label("again"), r.label("out"));
    let [id_, total_, name_, flag_] = [id, total, name, flag].map(|slot| Expression::slot(&r, slot));
    let decimal = Type::Decimal { precision: 10, scale: 2 };
    let divided =
        Expression::arithmetic_rounding(decimal, ArithmeticOp::Divide, Rounding::Truncate, total_.clone(), money(300));
    let same_name = Expression::compare_text(
        CompareOp::Equal,
        Collation::CaseAccentInsensitive,
        true,
        name_.clone(),
        Expression::text("O'Hara"),
    );
    let case = Expression::new(
        Type::I32,
        ExpressionKind::Case {
            arms: vec![(Expression::is_null(total_.clone()), int(1))],
            otherwise: Some(Box::new(Expression::native(Type::I32, length(), vec![name_.clone()]))),
        },
    );
    let limited = Type::Text { limit: Some(30) };
    let parts = vec![name_.clone(), id_.clone().convert(Type::TEXT)];
    let unit = TextUnit::Characters;
    let concat = Expression::new(limited, ExpressionKind::Concat { parts, null_as_empty: false, unit });
    let list = vec![name_.clone(), Expression::text("none").fit(limited, unit, true, false)];
    let coalesce = Expression::new(limited, ExpressionKind::Coalesce(list));
    let subquery = Expression::new(
        Type::I32,
        ExpressionKind::HostCall {
            statement: StatementId(9),
            text: "SELECT COUNT(*) FROM t".into(),
            arguments: vec![],
        },
    );
    let call = Call {
        callee: Callee::Named("dbo.other".into()),
        arguments: vec![
            value(id_.clone()),
            Argument { name: Some("@t".into()), value: ArgumentValue::InOut(total) },
            Argument { name: Some("@d".into()), value: ArgumentValue::Default },
        ],
    };
    let insert = StatementKind::Host {
        statement: StatementId(3),
        text: "INSERT t VALUES (@id)".into(),
        inputs: vec![id_.clone()],
        outputs: vec![total],
        branches: vec![out],
    };
    r.body = lines(
        1,
        vec![
            StatementKind::Label(again),
            assign(total, divided),
            assign(name, concat),
            assign(name, coalesce),
            StatementKind::If {
                condition: Expression::and(same_name, Expression::not(flag_)),
                then: lines(6, vec![StatementKind::Goto(again)]),
                otherwise: lines(8, vec![StatementKind::Evaluate(case)]),
            },
            StatementKind::While {
                condition: less(subquery, id_.clone()),
                body: lines(10, vec![StatementKind::Break, StatementKind::Continue]),
            },
            StatementKind::Try {
                body: lines(13, vec![insert, StatementKind::Call { call, result: Some(id) }]),
                catch: lines(16, vec![StatementKind::Rethrow]),
            },
            StatementKind::Switch { index: id_, labels: vec![again, out] },
            StatementKind::Label(out),
            ret(int(-1)),
        ],
    );
    r
}

const EVERYTHING: &str = "\
routine dbo.everything(@id i32 in, @total decimal(10,2) in-out = NULL) -> i32
  slot @name text(30) \"varchar(30)\"
  slot @flag boolean = false
     1  again:
     2  @total := (@total / 3.00):decimal(10,2) truncated
     3  @name := concat(@name, convert(@id to text))
     4  @name := coalesce(@name, fit('none' to text(30) padded))
     5  if ((@name = 'O''Hara' by ci_ai padded) and not @flag)
     6    goto again
     5  else
     8    evaluate case when (@total is null) then 1 else len(@name) end
     6  while (host \"SELECT COUNT(*) FROM t\"() < @id)
    10    break
    11    continue
     7  try
    13    host \"INSERT t VALUES (@id)\" with (@id) sets @total branches to out
    14    @id := call dbo.other(@id, @t = in-out @total, @d = default)
     7  catch
    16    rethrow
     8  switch @id goto again, out
     9  out:
    10  return -1
";

#[test]
fn the_form_prints_itself() {
    let routine = everything();
    assert_eq!(routine.to_string(), EVERYTHING);
    let program = Program::compile(routine).unwrap();
    assert_eq!(program.routine().to_string(), EVERYTHING);
}

#[test]
fn a_loop_is_three_instructions_a_turn() {
    let mut r = Routine::new("sum");
    let i = r.slot_with("@i", Type::I32, Value::Integer(0));
    let s = r.slot_with("@s", Type::I32, Value::Integer(0));
    let (i_, s_) = (Expression::slot(&r, i), Expression::slot(&r, s));
    let body = lines(2, vec![assign(s, add(s_, i_.clone())), assign(i, add(i_.clone(), int(2 - 1)))]);
    r.body = lines(1, vec![StatementKind::While { condition: less(i_, int(1000)), body }]);
    let expected = "    \
    0  line 1     Jump { target: 3 }
    1  line 2     AddI32 { to: 1, a: 1, b: 0 }
    2  line 3     AddI32Constant { to: 0, a: 0, value: 1 }
    3  line 1     LoopCompareConstant { mask: 1, a: 0, value: 1000, target: 1 }
    4  line 1     Return
";
    assert_eq!(Program::compile(r).unwrap().listing(), expected);
}

#[test]
fn widening_costs_nothing() {
    let mut r = Routine::new("widen");
    let small = r.slot_with("@small", Type::Integer(Width::I16), Value::Integer(3));
    let big = r.slot_with("@big", Type::I64, Value::Integer(0));
    let (small, big_) = (Expression::slot(&r, small), Expression::slot(&r, big));
    let sum = Expression::arithmetic(Type::I64, ArithmeticOp::Add, big_, small.convert(Type::I64)).convert(Type::I64);
    r.body = lines(1, vec![assign(big, sum)]);
    let expected = "    \
    0  line 1     Integer { op: Add, width: I64, to: 1, a: 1, b: 0 }
    1  line 1     Return
";
    assert_eq!(Program::compile(r).unwrap().listing(), expected);
}

/// The verifier's error for a body, with two integers and a text as slots and two labels.
fn refusal(build: impl FnOnce(&mut Routine) -> Vec<StatementKind>) -> String {
    let mut r = Routine::new("bad");
    r.slot("@i", Type::I32);
    r.slot("@small", Type::Integer(Width::U8));
    r.slot("@t", Type::TEXT);
    r.label("one");
    r.label("two");
    r.body = lines(7, build(&mut r));
    let error = Program::compile(r.clone()).expect_err("refused");
    assert_eq!(verify(&r).as_ref(), Err(&error));
    format!("{}: {}", error.line, error.message)
}

const ONE: LabelId = LabelId(0);
const I: SlotId = SlotId(0);
const SMALL: SlotId = SlotId(1);
const T: SlotId = SlotId(2);

#[test]
fn names_that_are_not_there_are_refused() {
    assert_eq!(refusal(|_| vec![assign(SlotId(9), int(1))]), "7: there is no slot 9");
    assert_eq!(refusal(|_| vec![StatementKind::Goto(ONE)]), "7: label one is nowhere");
    assert_eq!(refusal(|_| vec![StatementKind::Label(LabelId(5))]), "7: there is no label 5");
    assert_eq!(refusal(|_| vec![StatementKind::Goto(LabelId(5))]), "7: label ? is nowhere");
    let twice = vec![StatementKind::Label(ONE), StatementKind::Label(ONE)];
    assert_eq!(refusal(|_| twice), "8: label one is there twice");
    let unknown = Expression::new(Type::I32, ExpressionKind::Slot(SlotId(77)));
    assert_eq!(refusal(|_| vec![note(unknown)]), "7: there is no slot 77");
    assert_eq!(refusal(|_| vec![host(NOTE, vec![], vec![SlotId(50)])]), "7: there is no slot 50");
    assert_eq!(
        refusal(|_| vec![StatementKind::Call { call: call("x", vec![back(SlotId(4))]), result: None }]),
        "7: there is no slot 4"
    );
}

use common::NOTE;

#[test]
fn types_that_do_not_fit_are_refused() {
    let text = || Expression::text("x");
    assert_eq!(refusal(|_| vec![assign(I, text())]), "7: text does not go into i32 without a conversion");
    assert_eq!(refusal(|_| vec![assign(SMALL, int(1))]), "7: i32 does not go into u8 without a conversion");
    assert_eq!(refusal(|_| vec![assign(I, add(int(1), text()))]), "7: an operation on i32 and text that gives i32");
    assert_eq!(refusal(|_| vec![note(less(int(1), text()))]), "7: i32 is compared with text");
    assert_eq!(refusal(|_| vec![note(Expression::not(int(1)))]), "7: i32 where boolean is needed");
    let wrong_constant = Expression::constant(Type::Integer(Width::U8), Value::Integer(256));
    assert_eq!(refusal(|_| vec![note(wrong_constant)]), "7: 256 is no u8");
    let other_scale =
        Expression::constant(Type::Decimal { precision: 5, scale: 2 }, Value::Decimal(Decimal::new(1, 1)));
    assert_eq!(refusal(|_| vec![note(other_scale)]), "7: 0.1 is no decimal(5,2)");
    let no_type = Expression::null(Type::Decimal { precision: 40, scale: 2 });
    assert_eq!(refusal(|_| vec![note(no_type)]), "7: there is no type decimal(40,2)");
    let lied = Expression::new(Type::TEXT, ExpressionKind::Slot(I));
    assert_eq!(refusal(|_| vec![note(lied)]), "7: text where i32 is needed");
    assert_eq!(refusal(|_| vec![note(text().convert(Type::I32))]), "7: there is no conversion from text to i32");
    assert_eq!(refusal(|_| vec![ret(text())]), "7: text does not go into i32 without a conversion");
    let none = Expression::new(Type::I32, ExpressionKind::Coalesce(vec![]));
    assert_eq!(refusal(|_| vec![note(none)]), "7: a list of expressions is empty");
    let condition = StatementKind::If { condition: int(1), then: vec![], otherwise: vec![] };
    assert_eq!(refusal(|_| vec![condition]), "7: i32 where boolean is needed");
    let switch = StatementKind::Switch { index: text(), labels: vec![] };
    assert_eq!(refusal(|_| vec![switch]), "7: a switch goes by a whole number, not by text");
    let fit = int(1).fit(Type::TEXT, TextUnit::Bytes, false, false);
    assert_eq!(refusal(|_| vec![note(fit)]), "7: i32 is fitted to text");
    let handle = Expression::null(Type::Any);
    assert_eq!(refusal(|_| vec![note(equal(handle.clone(), handle))]), "7: any is compared with any");
    let dynamic = Call { callee: Callee::Dynamic(Box::new(int(1))), arguments: vec![] };
    assert_eq!(
        refusal(|_| vec![StatementKind::Call { call: dynamic, result: None }]),
        "7: a routine is called by i32, which is no text"
    );
    assert_eq!(
        refusal(|_| vec![assign(T, Expression::null(Type::BYTES))]),
        "7: bytes does not go into text without a conversion"
    );
}

#[test]
fn control_flow_that_means_nothing_is_refused() {
    let attempt = |body, catch| StatementKind::Try { body: lines(20, body), catch: lines(30, catch) };
    assert_eq!(refusal(|_| vec![StatementKind::Break]), "7: BREAK or CONTINUE outside a loop");
    assert_eq!(refusal(|_| vec![StatementKind::Rethrow]), "7: RETHROW outside a CATCH");
    let into_try = "a branch to one leads into a TRY or CATCH, or calls out of one";
    let label = || vec![StatementKind::Label(ONE)];
    assert_eq!(refusal(|_| vec![StatementKind::Goto(ONE), attempt(label(), vec![])]), format!("7: {into_try}"));
    assert_eq!(refusal(|_| vec![StatementKind::Goto(ONE), attempt(vec![], label())]), format!("7: {into_try}"));
    let across = attempt(vec![StatementKind::Goto(ONE)], label());
    assert_eq!(refusal(|_| vec![across]), format!("20: {into_try}"));
    let out_of = attempt(vec![], vec![StatementKind::Gosub(ONE)]);
    assert_eq!(refusal(|_| vec![out_of, StatementKind::Label(ONE)]), format!("30: {into_try}"));
    let both = vec![attempt(vec![], vec![]), StatementKind::SetHandler(None)];
    assert_eq!(refusal(|_| both), "0: TRY and ON ERROR do not go together in one routine");
    let branch =
        StatementKind::Host { statement: NOTE, text: "".into(), inputs: vec![], outputs: vec![], branches: vec![ONE] };
    assert_eq!(refusal(|_| vec![branch, attempt(label(), vec![])]), format!("7: {into_try}"));
}

#[test]
fn deep_nesting_is_refused_instead_of_running_out_of_stack() {
    let deep = (0..400).fold(int(1), |inner, _| Expression::new(Type::I32, ExpressionKind::Negate(Box::new(inner))));
    assert_eq!(refusal(|_| vec![note(deep)]), "7: an expression is nested deeper than 300");
    let deep = (0..300)
        .fold(Statement::new(1, StatementKind::Break), |inner, _| Statement::new(1, StatementKind::Loop(vec![inner])));
    assert_eq!(refusal(|_| vec![deep.kind]), "1: statements are nested deeper than 200");
    // The greatest allowed depth compiles.
    let mut r = Routine::new("deep");
    let deep = (0..299).fold(int(1), |inner, _| Expression::new(Type::I32, ExpressionKind::BitNot(Box::new(inner))));
    let inside = Statement::new(1, ret(deep));
    let body = (0..150).fold(inside, |inner, _| Statement::new(1, StatementKind::Block(vec![inner])));
    r.body = vec![body];
    assert_eq!(common::run(&mut common::TestHost::default(), r).unwrap(), Value::Integer(-2));
}

#[test]
fn heads_that_contradict_themselves_are_refused() {
    let refused = |change: fn(&mut Routine)| {
        let mut r = Routine::new("bad");
        r.parameter("@a", Type::I32, Direction::In, None);
        change(&mut r);
        verify(&r).expect_err("refused").message
    };
    assert_eq!(refused(|r| r.slots[0].initial = Value::Boolean(true)), "slot @a cannot begin as true");
    assert_eq!(
        refused(|r| r.parameters[0].default = Some(Value::Integer(1 << 40))),
        "1099511627776 cannot be the default of @a"
    );
    assert_eq!(refused(|r| r.parameters[0].slot = SlotId(3)), "there is no slot 3");
    assert_eq!(refused(|r| r.parameters.push(r.parameters[0].clone())), "parameter 2 has the slot of another");
    assert_eq!(refused(|r| r.result = Some(Type::TEXT)), "0 cannot be a result of type text");
    assert_eq!(refused(|r| r.slots = vec![r.slots[0].clone(); 70_000]), "it has too many slots or labels");
}
