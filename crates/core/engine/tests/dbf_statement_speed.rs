//! Times of statements that change a DBF table. Run it with
//! `cargo test --release --workspace --test dbf_statement_speed -- --ignored --nocapture`.

#![allow(clippy::print_stdout)]

mod support;

use mainstay_engine::Session;
use mainstay_types::ValueRef;
use std::fmt::Write;
use std::time::Instant;
use support::{change, check, session, value};

const ROWS: i64 = 10_000;

/// The median and the quickest of some runs, each as many steps, in microseconds a step.
fn report(what: &str, steps: usize, mut run: impl FnMut(usize) -> Instant) {
    let mut times: Vec<f64> = (0..5).map(|number| run(number).elapsed().as_secs_f64() * 1e6 / steps as f64).collect();
    times.sort_by(f64::total_cmp);
    println!("{what:<70} {:>10.2} us (best {:.2})", times[2], times[0]);
}

/// An empty table with three tags.
fn stock(session: &mut Session, number: usize) -> String {
    let name = format!("stock{number}");
    change(session, &format!("DROP TABLE IF EXISTS {name}"));
    change(
        session,
        &format!("CREATE TABLE {name} (id INTEGER, tag CHAR(4), amt DECIMAL(8, 2), note TEXT) WITH (FORMAT = dbf)"),
    );
    change(session, &format!("CREATE INDEX id ON {name} (id)"));
    change(session, &format!("CREATE INDEX tag ON {name} (upper(tag))"));
    change(session, &format!("CREATE INDEX amt ON {name} (amt)"));
    name
}

fn values(name: &str) -> String {
    let mut text = format!("INSERT INTO {name} (id, tag, amt) VALUES ");
    for id in 0..ROWS {
        let comma = if id == 0 { "" } else { ", " };
        let (tag, amount) = (char::from(b'A' + (id % 26) as u8), id.wrapping_mul(7_919) % 100_000);
        write!(text, "{comma}({id}, '{tag}{tag}', {}.{:02})", amount / 100, amount % 100).unwrap();
    }
    text
}

#[test]
#[ignore = "measures, and needs a release build"]
fn statements() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    report("INSERT of 10,000 rows of values by one statement, a row", ROWS as usize, |number| {
        let name = stock(&mut session, number);
        let text = values(&name);
        let begun = Instant::now();
        assert_eq!(change(&mut session, &text), ROWS as u64);
        begun
    });
    report("INSERT of 10,000 rows of a query, a row", ROWS as usize, |number| {
        let name = stock(&mut session, 10 + number);
        let begun = Instant::now();
        assert_eq!(change(&mut session, &format!("INSERT INTO {name} SELECT * FROM stock0")), ROWS as u64);
        begun
    });
    report("INSERT of one row, prepared", 100, |number| {
        let mut insert =
            session.prepare(&format!("INSERT INTO stock{number} (id, tag, amt) VALUES (?, ?, ?)")).unwrap();
        let begun = Instant::now();
        for id in 0..100 {
            let row = [ValueRef::Integer(ROWS + id), ValueRef::Text("ZZ"), ValueRef::Integer(1)];
            insert.execute(&mut session, &row).unwrap();
        }
        begun
    });
    for (what, sql) in [
        ("UPDATE of one row by key, prepared", "UPDATE stock SET amt = amt + 1 WHERE id = ?"),
        ("UPDATE of one row by key, prepared, a memo", "UPDATE stock SET note = 'a note' WHERE id = ?"),
        ("DELETE of one row by key, prepared", "DELETE FROM stock WHERE id = ?"),
    ] {
        report(what, 100, |number| {
            let mut prepared = session.prepare(&sql.replace("stock", &format!("stock{number}"))).unwrap();
            let begun = Instant::now();
            for id in 0..100 {
                assert_eq!(prepared.execute(&mut session, &[ValueRef::Integer(id * 97)]).unwrap(), 1);
            }
            begun
        });
    }
    report("UPDATE of all 10,000 rows by one statement, a row", ROWS as usize, |number| {
        let begun = Instant::now();
        assert_eq!(change(&mut session, &format!("UPDATE stock{} SET amt = amt + 1", 10 + number)), ROWS as u64);
        begun
    });
    report("100 UPDATEs by key in one transaction, a row", 100, |number| {
        let mut update = session.prepare(&format!("UPDATE stock{number} SET amt = 5 WHERE id = ?")).unwrap();
        let begun = Instant::now();
        change(&mut session, "BEGIN");
        for id in 0..100 {
            assert_eq!(update.execute(&mut session, &[ValueRef::Integer(id * 97 + 1)]).unwrap(), 1);
        }
        change(&mut session, "COMMIT");
        begun
    });
    report("DELETE of 5,000 of 10,000 rows by one statement, a row", 5_000, |number| {
        let begun = Instant::now();
        assert_eq!(change(&mut session, &format!("DELETE FROM stock{} WHERE id >= 5000", 10 + number)), 5_000);
        begun
    });
    assert_eq!(value(&mut session, "SELECT count(*) FROM stock10"), "5000");
    drop(session);
    check(folder.path());
}
