//! Allocations of warm prepared statements: none for a row.
//!
//! A run may allocate a few small objects (its transaction, the key of its first search); their number does not depend
//! on the number of rows.

use mainstay_engine::{Database, Prepared, Session};
use mainstay_types::ValueRef;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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

/// Allocations of a run, after some to warm up: the least of several, since now and then a list grows.
fn allocations(mut run: impl FnMut()) -> u64 {
    let counted = (0..40).map(|_| {
        let before = COUNT.with(Cell::get);
        run();
        COUNT.with(Cell::get) - before
    });
    counted.skip(20).min().unwrap_or(u64::MAX)
}

fn read(session: &mut Session, prepared: &mut Prepared, parameters: &[ValueRef<'_>]) -> usize {
    let mut rows = prepared.query(session, parameters).unwrap();
    let mut count = 0;
    while let Some(row) = rows.next().unwrap() {
        assert!(!row.get(0).is_null());
        count += 1;
    }
    count
}

#[test]
fn rows_allocate_nothing() {
    let mut session = Database::in_memory().unwrap().session();
    session.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(20), kind INTEGER)").unwrap();
    session.execute("CREATE TABLE kind (id INTEGER PRIMARY KEY, name VARCHAR(20))").unwrap();
    session.execute("BEGIN").unwrap();
    let mut insert = session.prepare("INSERT INTO t VALUES ($1, $2, $3)").unwrap();
    for id in 0..2_000 {
        insert
            .execute(&mut session, &[ValueRef::Integer(id), ValueRef::Text("a name"), ValueRef::Integer(id % 7)])
            .unwrap();
    }
    session
        .execute("INSERT INTO kind VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (4, 'e'), (5, 'f'), (6, 'g')")
        .unwrap();
    session.execute("COMMIT").unwrap();

    let statements = [
        "SELECT id, name FROM t WHERE id >= $1 AND id < $2",
        "SELECT t.id, kind.name FROM t JOIN kind ON t.kind = kind.id WHERE t.id >= $1 AND t.id < $2",
        "SELECT COUNT(*), SUM(id), MIN(name) FROM t WHERE id >= $1 AND id < $2",
        "SELECT id, name FROM t WHERE id >= $1 AND id < $2 ORDER BY id DESC",
    ];
    for text in statements {
        let mut prepared = session.prepare(text).unwrap();
        let mut count = |rows: i64| {
            allocations(|| {
                let bounds = [ValueRef::Integer(100), ValueRef::Integer(100 + rows)];
                assert!(read(&mut session, &mut prepared, &bounds) > 0);
            })
        };
        let (few, many) = (count(1), count(1_000));
        assert!(few <= 12 && many <= few, "{text}: {few} allocations for one row, {many} for a thousand");
    }
    let mut point = session.prepare("SELECT name FROM t WHERE id = $1").unwrap();
    let count = allocations(|| assert_eq!(read(&mut session, &mut point, &[ValueRef::Integer(5)]), 1));
    assert!(count <= 4, "{count} allocations for a row by its key");
    let mut update = session.prepare("UPDATE t SET kind = $1 WHERE id = $2").unwrap();
    session.execute("BEGIN").unwrap();
    let count = allocations(|| {
        assert_eq!(update.execute(&mut session, &[ValueRef::Integer(3), ValueRef::Integer(5)]).unwrap(), 1);
    });
    assert!(count <= 6, "{count} allocations to change a row by its key");
    session.execute("COMMIT").unwrap();
}
