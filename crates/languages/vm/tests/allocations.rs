//! Allocations of calls after the first one: none for scalars, texts, calls, native functions and statements of a host.

mod common;

use common::build::*;
use mainstay_types::{Timestamp, Value, ValueRef};
use mainstay_vm::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// Counts what this thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the contract is that of the system's allocator, which gets the same call.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: as for `alloc`.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    // SAFETY: as for `alloc`.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the pointer came from `alloc` above, with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A host that allocates nothing itself.
struct Quiet(Vec<Arc<Program>>);

impl Host for Quiet {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        if let ValueRef::Integer(number) = call.input(0) {
            call.set(0, ValueRef::Integer(number + 1))?;
            call.set_text(1, |text| text.push_str("written by the host, and not so short"))?;
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

/// A routine that does some of everything that scalar procedures do.
fn busy() -> Routine {
    let mut r = Routine::new("busy");
    let n = r.parameter("@n", Type::I32, Direction::In, None);
    let out = r.parameter("@out", Type::TEXT, Direction::Out, None);
    let i = r.slot_with("@i", Type::I32, Value::Integer(0));
    let t = r.slot("@t", Type::Text { limit: Some(100) });
    let w = r.slot("@w", Type::TEXT);
    let any = r.slot("@any", Type::Any);
    let slot = |slot| Expression::slot(&r, slot);
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
    let limited = Type::Text { limit: Some(100) };
    let concat =
        |parts| Expression::new(limited, ExpressionKind::Concat { parts, null_as_empty: true, unit: TextUnit::Utf16 });
    let grown = concat(vec![slot(t), Expression::text(", turn number "), slot(i).convert(Type::TEXT)]);
    let call = call("callee", vec![value(slot(i)), value(slot(t)), back(w)]);
    let body = lines(
        2,
        vec![
            assign(i, add(slot(i), Expression::int(1))),
            assign(t, grown),
            assign(t, Expression::native(limited, upper, vec![slot(t)])),
            assign(t, slot(t).fit(Type::Text { limit: Some(60) }, TextUnit::Characters, true, false)),
            StatementKind::Call { call, result: Some(i) },
            host(StatementId(1), vec![slot(i)], vec![i, w]),
            // Text in an Any would be memory of its own in each run.
            assign(any, slot(i).convert(Type::Any)),
            assign(i, slot(any).convert(Type::I32)),
        ],
    );
    r.body = lines(
        1,
        vec![StatementKind::While { condition: less(slot(i), slot(n)), body }, assign(out, slot(w)), ret(slot(i))],
    );
    r
}

fn callee() -> Routine {
    let mut r = Routine::new("callee");
    let i = r.parameter("@i", Type::I32, Direction::In, None);
    let t = r.parameter("@t", Type::TEXT, Direction::In, None);
    let back = r.parameter("@back", Type::TEXT, Direction::InOut, None);
    let same = equal(Expression::slot(&r, t), Expression::slot(&r, back));
    let then = lines(2, vec![assign(back, Expression::text("the same text twice, which is long enough"))]);
    let otherwise = lines(3, vec![assign(back, Expression::slot(&r, t))]);
    r.body = lines(
        1,
        vec![
            StatementKind::If { condition: same, then, otherwise },
            ret(add(Expression::slot(&r, i), Expression::int(1))),
        ],
    );
    r
}

#[test]
fn a_warm_call_allocates_nothing() {
    let mut host = Quiet(vec![Program::compile(callee()).unwrap()]);
    let program = Program::compile(busy()).unwrap();
    let mut machine = Machine::new(Limits::default());
    let mut counts = Vec::new();
    for _ in 0..60 {
        let before = COUNT.with(Cell::get);
        machine.run(&mut host, &program, &[RunArgument::Value(ValueRef::Integer(50))]).unwrap();
        assert_eq!(machine.result(), ValueRef::Integer(51));
        assert!(matches!(machine.parameter(1), ValueRef::Text(text) if text.starts_with("written")));
        counts.push(COUNT.with(Cell::get) - before);
    }
    assert!(counts[0] > 0, "the counter counts");
    // Buffers change places until each has met its largest text.
    assert_eq!(counts[30..], [0; 30], "{counts:?}");
}
