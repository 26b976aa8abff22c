//! Limits: programs that would not end, or would take too much memory, are stopped.

mod common;

use common::build::*;
use common::*;
use mainstay_types::Value;
use mainstay_vm::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Loops that never end, one for each way to go back.
fn endless() -> Vec<Routine> {
    let named = |kinds: fn(&mut Routine) -> Vec<StatementKind>| {
        let mut r = Routine::new("endless");
        r.slot("@i", Type::I32);
        let body = kinds(&mut r);
        r.body = lines(1, body);
        r
    };
    vec![
        named(|_| vec![StatementKind::Loop(vec![])]),
        named(|_| vec![StatementKind::While { condition: Expression::boolean(true), body: vec![] }]),
        named(|r| {
            let null = Expression::is_null(Expression::slot(r, SlotId(0)));
            vec![StatementKind::While { condition: null, body: vec![] }]
        }),
        named(|r| {
            let label = r.label("again");
            vec![StatementKind::Label(label), StatementKind::Goto(label)]
        }),
        named(|r| {
            let label = r.label("again");
            let zero = Expression::int(0);
            vec![StatementKind::Label(label), StatementKind::Switch { index: zero, labels: vec![label] }]
        }),
        named(|r| {
            let (first, second) = (r.label("first"), r.label("second"));
            vec![
                StatementKind::Label(first),
                StatementKind::Gosub(second),
                StatementKind::Goto(first),
                StatementKind::Label(second),
                StatementKind::GosubReturn,
            ]
        }),
        // An error that a handler goes on from.
        named(|_| {
            let attempt = StatementKind::Try { body: lines(2, vec![raise("again")]), catch: vec![] };
            vec![StatementKind::Loop(lines(1, vec![attempt]))]
        }),
        named(|r| {
            let handler = r.label("handler");
            vec![
                StatementKind::SetHandler(Some(handler)),
                raise("again"),
                StatementKind::Label(handler),
                StatementKind::Resume(Resume::Retry),
            ]
        }),
    ]
}

#[test]
fn turns_are_limited_whatever_the_loop() {
    for routine in endless() {
        let shown = routine.to_string();
        let program = Program::compile(routine).unwrap();
        let mut machine = Machine::new(Limits { turns: 100_000, ..Limits::default() });
        for _ in 0..2 {
            let error = machine.run(&mut TestHost::default(), &program, &[]).unwrap_err();
            assert_eq!(error.fault, Some(Fault::TurnLimit), "{shown}");
        }
    }
}

#[test]
fn a_cancelled_loop_ends_soon_whatever_the_loop() {
    for routine in endless() {
        let shown = routine.to_string();
        let program = Program::compile(routine).unwrap();
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
        let runner = std::thread::spawn(move || {
            let error = Machine::new(limits).run(&mut TestHost::default(), &program, &[]).unwrap_err();
            (error.fault, Instant::now())
        });
        std::thread::sleep(Duration::from_millis(5));
        let asked = Instant::now();
        cancel.store(true, Ordering::Relaxed);
        let (fault, ended) = runner.join().unwrap();
        assert_eq!(fault, Some(Fault::Cancelled), "{shown}");
        // A millisecond is what it takes; a busy machine may be late itself.
        assert!(ended.saturating_duration_since(asked) < Duration::from_millis(200), "{shown}");
    }
}

#[test]
fn a_deadline_ends_a_loop_and_no_handler_sees_it() {
    let mut r = Routine::new("endless");
    r.body = lines(
        1,
        vec![StatementKind::Try {
            body: lines(2, vec![StatementKind::Loop(vec![])]),
            catch: lines(3, vec![note_text("never")]),
        }],
    );
    let program = Program::compile(r).unwrap();
    let deadline = Instant::now() + Duration::from_millis(10);
    let mut host = TestHost { goes_on: true, ..TestHost::default() };
    let mut machine = Machine::new(Limits { deadline: Some(deadline), ..Limits::default() });
    let error = machine.run(&mut host, &program, &[]).unwrap_err();
    assert_eq!((error.fault, error.uncatchable), (Some(Fault::Deadline), true));
    assert!(Instant::now() >= deadline && host.notes.is_empty());
    // The machine goes on with other limits.
    machine.set_limits(Limits::default());
    let mut r = Routine::new("fine");
    r.body = lines(1, vec![ret(Expression::int(1))]);
    machine.run(&mut host, &Program::compile(r).unwrap(), &[]).unwrap();
}

/// `@t` is doubled again and again.
fn doubling(ty: Type) -> Routine {
    let mut r = Routine::new("doubling");
    let t = r.slot_with("@t", ty, Value::Text("12345678".into()));
    let parts = vec![Expression::slot(&r, t), Expression::slot(&r, t)];
    let unit = TextUnit::Characters;
    let double = Expression::new(ty, ExpressionKind::Concat { parts, null_as_empty: false, unit });
    r.body = lines(1, vec![StatementKind::Loop(lines(2, vec![assign(t, double)]))]);
    r
}

#[test]
fn text_has_a_limit_that_can_be_caught() {
    let mut host = TestHost::default();
    let mut r = doubling(Type::TEXT);
    let body = std::mem::take(&mut r.body);
    r.body = lines(1, vec![StatementKind::Try { body, catch: lines(9, vec![host_error()]) }]);
    let program = Program::compile(r).unwrap();
    let mut machine = Machine::new(Limits { text_bytes: 1 << 20, ..Limits::default() });
    machine.run(&mut host, &program, &[]).unwrap();
    assert_eq!(host.notes, ["0 texts need more memory than they may have line 2"]);
}

fn host_error() -> StatementKind {
    host(NOTE_ERROR, vec![], vec![])
}

#[test]
fn long_texts_and_large_arrays_are_no_way_around_a_cancellation() {
    let mut texts = Routine::new("texts");
    let s = texts.slot_with("@s", Type::TEXT, Value::Text("x".repeat(1 << 20)));
    let t = texts.slot_with("@t", Type::TEXT, Value::Text(String::new()));
    let (s_, t_) = (Expression::slot(&texts, s), Expression::slot(&texts, t));
    texts.body = lines(1, vec![StatementKind::Loop(lines(2, vec![assign(t, s_), assign(s, t_)]))]);
    let mut arrays = Routine::new("arrays");
    let array = arrays.array("A", Type::I32, Value::Integer(0));
    let bounds = vec![(Expression::int(1), Expression::int(1 << 18))];
    arrays.body = lines(1, vec![StatementKind::Loop(lines(2, vec![StatementKind::Dimension { array, bounds }]))]);
    for routine in [texts, arrays] {
        let program = Program::compile(routine).unwrap();
        let deadline = Instant::now() + Duration::from_millis(20);
        let limits = Limits { deadline: Some(deadline), ..Limits::default() };
        let error = Machine::new(limits).run(&mut TestHost::default(), &program, &[]).unwrap_err();
        assert_eq!(error.fault, Some(Fault::Deadline));
        // Some milliseconds at most; a thousand turns would take seconds.
        assert!(deadline.elapsed() < Duration::from_millis(150), "{:?}", deadline.elapsed());
    }
}

#[test]
fn text_with_a_limit_of_its_own_needs_no_more() {
    let program = Program::compile(doubling(Type::Text { limit: Some(1000) })).unwrap();
    let mut machine = Machine::new(Limits { text_bytes: 100_000, turns: 10_000, ..Limits::default() });
    let error = machine.run(&mut TestHost::default(), &program, &[]).unwrap_err();
    assert_eq!(error.fault, Some(Fault::TurnLimit));
}

#[test]
fn gosubs_have_a_limit() {
    let mut r = Routine::new("deep");
    let sub = r.label("sub");
    r.body = lines(1, vec![StatementKind::Label(sub), StatementKind::Gosub(sub)]);
    let error = run(&mut TestHost::default(), r).unwrap_err();
    assert_eq!((error.fault, error.line), (Some(Fault::GosubLimit), 2));
}
