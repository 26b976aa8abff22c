//! Errors: handlers, places, traces, and the state after an error.

mod common;

use common::build::*;
use common::*;
use mainstay_types::Value;
use mainstay_vm::*;

fn int(number: i32) -> Expression {
    Expression::int(number)
}

/// `1 / @zero`, which is not constant.
fn fails(r: &mut Routine) -> Expression {
    let zero = r.slot_with("@zero", Type::I32, Value::Integer(0));
    arithmetic(ArithmeticOp::Divide, int(1), Expression::slot(r, zero))
}

fn attempt(line: u32, body: Vec<StatementKind>, catch: Vec<StatementKind>) -> StatementKind {
    StatementKind::Try { body: lines(line, body), catch: lines(line + 100, catch) }
}

fn note_error() -> StatementKind {
    host(NOTE_ERROR, vec![], vec![])
}

fn notes(r: Routine) -> Vec<String> {
    let mut host = TestHost::default();
    run(&mut host, r).unwrap();
    host.notes
}

#[test]
fn an_error_has_its_routine_line_and_number() {
    let mut r = Routine::new("dbo.totals");
    let i = r.slot("@i", Type::I32);
    let failing = fails(&mut r);
    r.body = lines(7, vec![note_text("before"), assign(i, failing), note_text("after")]);
    let mut host = TestHost::default();
    let error = run(&mut host, r).unwrap_err();
    assert_eq!((error.number, error.line, error.routine.as_deref()), (8134, 8, Some("dbo.totals")));
    assert_eq!(error.to_string(), "dbo.totals, line 8: division by zero");
    assert_eq!(host.notes, ["'before'"]);
}

#[test]
fn catch_sees_the_error_and_try_without_error_skips_it() {
    let mut r = Routine::new("main");
    let i = r.slot("@i", Type::I32);
    let failing = fails(&mut r);
    r.body = lines(
        1,
        vec![
            attempt(10, vec![note_text("fine")], vec![note_text("never")]),
            attempt(20, vec![assign(i, failing), note_text("never")], vec![note_error()]),
            note_error(),
            attempt(30, vec![raise("mine")], vec![note_error()]),
        ],
    );
    assert_eq!(notes(r), ["'fine'", "8134 division by zero line 20", "no error", "50000 'mine' line 30"]);
}

#[test]
fn nested_handlers_and_an_error_in_a_catch() {
    let mut r = Routine::new("main");
    r.body = lines(
        1,
        vec![attempt(
            10,
            vec![
                attempt(20, vec![raise("inner")], vec![note_error(), raise("from the catch"), note_text("never")]),
                note_text("never"),
            ],
            vec![note_error(), attempt(40, vec![raise("second")], vec![note_error()]), note_error()],
        )],
    );
    let expected = [
        "50000 'inner' line 20",
        "50000 'from the catch' line 121",
        "50000 'second' line 40",
        "50000 'from the catch' line 121",
    ];
    assert_eq!(notes(r), expected);
}

#[test]
fn rethrow_keeps_number_line_and_routine() {
    let mut r = Routine::new("main");
    r.body = lines(
        1,
        vec![attempt(
            10,
            vec![attempt(20, vec![raise("first")], vec![note_text("caught"), StatementKind::Rethrow])],
            vec![note_error()],
        )],
    );
    assert_eq!(notes(r), ["'caught'", "50000 'first' line 20"]);
}

#[test]
fn break_continue_and_goto_leave_try_and_catch() {
    let mut r = Routine::new("main");
    let i = r.slot_with("@i", Type::I32, Value::Integer(0));
    let slot = Expression::slot(&r, i);
    let out = r.label("out");
    let when = |n: i32, then: StatementKind| StatementKind::If {
        condition: equal(slot.clone(), int(n)),
        then: lines(50, vec![then]),
        otherwise: vec![],
    };
    let body = vec![
        assign(i, add(slot.clone(), int(1))),
        attempt(
            20,
            vec![
                when(1, StatementKind::Continue),
                when(2, raise("two")),
                when(3, raise("three")),
                when(4, StatementKind::Break),
            ],
            vec![note_error(), when(2, StatementKind::Continue), when(3, StatementKind::Goto(out))],
        ),
        note(slot.clone()),
    ];
    let endless = StatementKind::While { condition: Expression::boolean(true), body: lines(2, body) };
    r.body = lines(
        1,
        vec![
            endless.clone(),
            note_text("never"),
            StatementKind::Label(out),
            // Outside the CATCH there is no error any more.
            note_error(),
            when(3, assign(i, int(3))),
            endless,
            note(slot.clone()),
        ],
    );
    assert_eq!(notes(r), ["50000 'two' line 50", "50000 'three' line 50", "no error", "4"]);
}

#[test]
fn an_error_passes_through_routines_up_to_a_handler() {
    let mut host = TestHost::default();
    let mut inner = Routine::new("inner");
    inner.scoped = true;
    inner.body = lines(5, vec![raise("deep")]);
    host.add(inner);
    let mut middle = Routine::new("middle");
    middle.body = lines(3, vec![exec("inner"), note_text("never")]);
    host.add(middle);
    let mut outer = Routine::new("outer");
    outer.body = lines(1, vec![attempt(10, vec![exec("middle")], vec![note_error()]), note_text("goes on")]);
    run(&mut host, outer).unwrap();
    assert_eq!(host.notes, ["enter inner 3", "leave inner 3", "50000 'deep' line 5", "'goes on'"]);
    let mut outer = Routine::new("outer");
    outer.body = lines(1, vec![exec("middle")]);
    let error = run(&mut host, outer).unwrap_err();
    let trace: Vec<String> = error.trace.iter().map(|place| format!("{} {}", place.routine, place.line)).collect();
    assert_eq!(trace, ["inner 5", "middle 3", "outer 1"]);
    // A rethrown error keeps its trace, which goes on from the handler.
    let mut catching = Routine::new("middle");
    catching.body = lines(3, vec![attempt(10, vec![exec("inner")], vec![StatementKind::Rethrow])]);
    host.add(catching);
    let mut outer = Routine::new("outer");
    outer.body = lines(1, vec![exec("middle")]);
    let error = run(&mut host, outer).unwrap_err();
    let trace: Vec<String> = error.trace.iter().map(|place| format!("{} {}", place.routine, place.line)).collect();
    assert_eq!(trace, ["inner 5", "middle 110", "outer 1"]);
}

#[test]
fn a_routine_called_from_a_catch_sees_the_error_and_its_own_handlers_are_its_own() {
    let mut host = TestHost::default();
    let mut report = Routine::new("report");
    report.body = lines(1, vec![note_error(), attempt(5, vec![raise("in report")], vec![note_error()]), note_error()]);
    host.add(report);
    let mut r = Routine::new("main");
    r.body = lines(1, vec![attempt(10, vec![raise("outer")], vec![exec("report"), note_error()])]);
    run(&mut host, r).unwrap();
    let outer = "50000 'outer' line 10";
    assert_eq!(host.notes, [outer, "50000 'in report' line 5", outer, outer]);
}

#[test]
fn without_a_handler_the_host_may_go_on_with_the_next_statement() {
    let mut r = Routine::new("main");
    let i = r.slot("@i", Type::I32);
    let failing = fails(&mut r);
    let condition = equal(failing.clone(), int(1));
    r.body = lines(
        1,
        vec![
            assign(i, failing),
            note_text("next"),
            StatementKind::If {
                condition: condition.clone(),
                then: lines(4, vec![note_text("then")]),
                otherwise: lines(5, vec![note_text("else")]),
            },
            StatementKind::While { condition, body: lines(7, vec![note_text("body")]) },
            raise("own"),
            ret(int(3)),
        ],
    );
    let mut host = TestHost { goes_on: true, ..TestHost::default() };
    assert_eq!(run(&mut host, r).unwrap(), Value::Integer(3));
    let expected = [
        "unhandled division by zero line 1",
        "'next'",
        "unhandled division by zero line 3",
        "unhandled division by zero line 4",
        "unhandled 'own' line 5",
    ];
    assert_eq!(host.notes, expected);
}

/// The status that errors leave: the least, unless RETURN gives another value; an error that a callee handles does not
/// count for its caller.13||Arithmetic errors that gave NULL since the record was last read.
#[test]
fn errors_that_do_not_end_a_routine_say_what_it_returns() {
    let statuses = [(50000, -6), (8134, -4)];
    let returned = |body: Vec<StatementKind>| {
        let mut host = TestHost { goes_on: true, statuses: statuses.into(), ..TestHost::default() };
        let mut callee = Routine::new("callee");
        callee.body = lines(1, vec![raise("its own")]);
        host.add(callee);
        let mut r = Routine::new("main");
        let i = r.slot("@i", Type::I32);
        let failing = fails(&mut r);
        r.body = lines(1, [vec![assign(i, failing)], body].concat());
        run(&mut host, r).unwrap()
    };
    assert_eq!(returned(vec![]), Value::Integer(-4));
    assert_eq!(returned(vec![StatementKind::Return(None)]), Value::Integer(-4));
    assert_eq!(returned(vec![ret(int(7))]), Value::Integer(7));
    assert_eq!(returned(vec![raise("worse")]), Value::Integer(-6));
    assert_eq!(returned(vec![attempt(20, vec![raise("caught")], vec![])]), Value::Integer(-6));
    assert_eq!(returned(vec![exec("callee")]), Value::Integer(-4));
}

#[test]
fn an_error_in_a_group_ends_the_group() {
    let mut r = Routine::new("main");
    let i = r.slot_with("@i", Type::I32, Value::Integer(0));
    let failing = fails(&mut r);
    let slot = Expression::slot(&r, i);
    let inner = StatementKind::If {
        condition: less(slot.clone(), int(5)),
        then: lines(50, vec![assign(i, failing)]),
        otherwise: vec![],
    };
    r.body = lines(
        1,
        vec![StatementKind::Group(lines(40, vec![assign(i, int(1)), inner, note_text("never")])), note(slot.clone())],
    );
    let mut host = TestHost { goes_on: true, ..TestHost::default() };
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["unhandled division by zero line 1", "1"]);
    // The whole group is tried again.
    let mut r = Routine::new("program");
    let zero = r.slot_with("Z", Type::I32, Value::Integer(0));
    let quotient = arithmetic(ArithmeticOp::Divide, int(10), Expression::slot(&r, zero));
    let handler = r.label("handler");
    r.body = lines(
        10,
        vec![
            StatementKind::SetHandler(Some(handler)),
            StatementKind::Group(lines(11, vec![note_text("tried"), note(quotient)])),
            StatementKind::Return(None),
            StatementKind::Label(handler),
            assign(zero, int(5)),
            StatementKind::Resume(Resume::Retry),
        ],
    );
    assert_eq!(notes(r), ["'tried'", "'tried'", "2"]);
}

#[test]
fn without_a_handler_the_host_may_end_the_routine_alone() {
    let mut host = TestHost { ends_routine: true, ..TestHost::default() };
    let mut inner = Routine::new("inner");
    inner.scoped = true;
    inner.body = lines(1, vec![raise("gone"), note_text("never")]);
    host.add(inner);
    let mut r = Routine::new("main");
    r.body = lines(1, vec![exec("inner"), note_text("goes on"), ret(int(4))]);
    assert_eq!(run(&mut host, r).unwrap(), Value::Integer(4));
    assert_eq!(host.notes, ["enter inner 2", "unhandled 'gone' line 1", "leave inner 2", "'goes on'"]);
    let mut r = Routine::new("main");
    r.body = lines(1, vec![raise("outermost"), ret(int(4))]);
    assert_eq!(run(&mut host, r).unwrap(), Value::Integer(0));
}

#[test]
fn a_fault_of_the_host_gets_the_words_of_the_language() {
    let mut r = Routine::new("main");
    let small = r.slot("@small", Type::Integer(Width::U8));
    r.body = lines(1, vec![host(COPY, vec![int(300)], vec![small])]);
    let error = run(&mut TestHost::default(), r).unwrap_err();
    assert_eq!((error.number, error.fault), (8115, Some(Fault::Overflow { to: Type::Integer(Width::U8) })));
}

#[test]
fn an_error_in_a_function_ends_the_statement_that_called_it() {
    let mut host = TestHost { goes_on: true, ..TestHost::default() };
    let mut function = Routine::new("f");
    function.body = lines(1, vec![raise("in f"), note_text("never"), ret(int(1))]);
    host.add(function);
    let mut r = Routine::new("main");
    let i = r.slot_with("@i", Type::I32, Value::Integer(9));
    let value = Expression::new(Type::I32, ExpressionKind::Call(Box::new(call("f", vec![]))));
    r.body = lines(1, vec![assign(i, add(value, int(1))), note(Expression::slot(&r, i))]);
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["unhandled 'in f' line 1", "9"]);
}

#[test]
fn faults_may_be_null_instead() {
    let mut host = TestHost { faults_are_null: true, ..TestHost::default() };
    let mut r = Routine::new("main");
    let i = r.slot_with("@i", Type::I32, Value::Integer(5));
    let failing = fails(&mut r);
    let big = Expression::constant(Type::I64, Value::Integer(1 << 50));
    let j = r.slot_with("@j", Type::I64, Value::Null);
    r.body = lines(
        1,
        vec![
            assign(i, failing),
            note(Expression::slot(&r, i)),
            assign(j, big),
            assign(i, Expression::slot(&r, j).convert(Type::I32)),
            note(Expression::slot(&r, i)),
        ],
    );
    run(&mut host, r).unwrap();
    assert_eq!(host.notes, ["NULL", "NULL"]);
}

#[test]
fn what_must_not_be_caught_is_not() {
    let mut r = Routine::new("main");
    r.body = lines(1, vec![attempt(10, vec![host(KILL, vec![], vec![])], vec![note_text("never")])]);
    let mut host = TestHost { goes_on: true, ..TestHost::default() };
    assert_eq!(run(&mut host, r).unwrap_err().text, "killed");
    assert!(host.notes.is_empty());
}

#[test]
fn an_error_of_a_run_inside_a_statement_is_the_statements() {
    let mut host = TestHost::default();
    let mut trigger = Routine::new("trigger");
    trigger.body = lines(4, vec![raise("from the trigger"), note_text("never")]);
    host.add(trigger);
    let mut outer = Routine::new("outer");
    let nested = common::build::host(NESTED, vec![Expression::text("trigger")], vec![]);
    outer.body = lines(1, vec![attempt(10, vec![nested], vec![note_error()]), note_text("goes on")]);
    // The handler is outside the inner run: the trigger does not go on with its next statement.
    host.goes_on = true;
    run(&mut host, outer).unwrap();
    assert_eq!(host.notes, ["50000 'from the trigger' line 4", "'goes on'"]);
}

#[test]
fn a_fault_of_a_run_inside_a_statement_keeps_its_place() {
    let mut host = TestHost::default();
    let mut inner = Routine::new("inner");
    let array = inner.array("A", Type::I32, Value::Integer(0));
    let element = ExpressionKind::Element { array, indexes: vec![int(1)] };
    inner.body = lines(7, vec![note(Expression::new(Type::I32, element))]);
    host.add(inner);
    let mut outer = Routine::new("outer");
    outer.body = lines(1, vec![common::build::host(NESTED, vec![Expression::text("inner")], vec![])]);
    let error = run(&mut host, outer).unwrap_err();
    // The host of these tests has no number for this one.
    assert_eq!((error.number, error.line, error.routine.as_deref()), (0, 7, Some("inner")));
    let trace: Vec<String> = error.trace.iter().map(|place| format!("{} {}", place.routine, place.line)).collect();
    assert_eq!(trace, ["inner 7", "outer 1"]);
}

#[test]
fn seterr_goes_to_its_label_and_resume_retries_or_goes_on() {
    let mut r = Routine::new("program");
    let i = r.slot_with("N", Type::I32, Value::Integer(0));
    let zero = r.slot_with("Z", Type::I32, Value::Integer(0));
    let quotient = arithmetic(ArithmeticOp::Divide, int(10), Expression::slot(&r, zero));
    let (handler, other) = (r.label("handler"), r.label("other"));
    r.body = lines(
        10,
        vec![
            StatementKind::SetHandler(Some(handler)),
            assign(i, quotient),
            note(Expression::slot(&r, i)),
            StatementKind::SetHandler(Some(other)),
            raise("second"),
            note_text("after second"),
            StatementKind::Return(None),
            StatementKind::Label(handler),
            note_error(),
            assign(zero, int(5)),
            StatementKind::Resume(Resume::Retry),
            StatementKind::Label(other),
            note_error(),
            StatementKind::Resume(Resume::Next),
        ],
    );
    assert_eq!(notes(r), ["8134 division by zero line 11", "2", "50000 'second' line 14", "'after second'"]);
}

#[test]
fn an_error_in_a_seterr_handler_is_not_caught_by_it() {
    let mut r = Routine::new("program");
    let handler = r.label("handler");
    r.body = lines(
        10,
        vec![StatementKind::SetHandler(Some(handler)), raise("first"), StatementKind::Label(handler), raise("second")],
    );
    assert_eq!(run(&mut TestHost::default(), r).unwrap_err().text, "'second'");
    let mut r = Routine::new("program");
    r.body = lines(1, vec![StatementKind::Resume(Resume::Next)]);
    assert_eq!(run(&mut TestHost::default(), r).unwrap_err().fault, Some(Fault::ResumeWithoutError));
}
