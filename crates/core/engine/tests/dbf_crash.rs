//! A crash at every write of statements that change DBF tables, alone and together with native tables: each statement,
//! and each transaction over both kinds, is complete or has no effect.

mod support;

use mainstay_engine::{Database, Options, Session};
use mainstay_vfs::{FileSystem, Simulated};
use mainstay_xbase::Severity;
use std::path::Path;
use std::sync::Arc;
use support::{change, lines};

const FOLDER: &str = "/shop";

fn open(system: &Simulated) -> mainstay_types::Result<Database> {
    let options = Options { threads: Some(1), memory_limit_bytes: Some(64 << 20), ..Options::default() };
    Database::open_on(Arc::new(system.clone()), Path::new(FOLDER), options)
}

/// A folder with a DBF of three records and two tags, and a native table of one row.
fn shop() -> Simulated {
    let system = Simulated::new();
    system.create_folder(Path::new(FOLDER)).unwrap();
    let database = open(&system).unwrap();
    let mut session = database.session();
    change(&mut session, "CREATE TABLE stock (id INTEGER, name CHAR(10), note TEXT) WITH (FORMAT = dbf)");
    change(&mut session, "CREATE INDEX id ON stock (id)");
    change(&mut session, "CREATE INDEX name ON stock (upper(name))");
    change(&mut session, "INSERT INTO stock VALUES (1, 'bolt', 'of iron'), (2, 'nut', NULL), (3, 'pin', 'of brass')");
    change(&mut session, "CREATE TABLE journal (what TEXT)");
    change(&mut session, "INSERT INTO journal VALUES ('opened')");
    drop(session);
    drop(database);
    system.after_kill()
}

/// The contents of the database: records and rows.
fn state(session: &mut Session) -> Vec<String> {
    let mut found = lines(session, "SELECT id, name, note FROM stock ORDER BY id, name");
    found.extend(lines(session, "SELECT what FROM journal ORDER BY what"));
    found
}

/// Runs statements until one fails: how many were acknowledged.
fn run(system: &Simulated, statements: &[&str]) -> usize {
    let Ok(database) = open(system) else { return 0 };
    let mut session = database.session();
    let runs = |sql: &&&str| session.execute(sql).and_then(|answer| answer.collect()).is_ok();
    statements.iter().take_while(runs).count()
}

/// The contents after a crash. The files must be sound, and stay sound when another statement runs.
fn found(system: &Simulated) -> Vec<String> {
    let database = open(system).unwrap();
    let mut session = database.session();
    let found = state(&mut session);
    change(&mut session, "INSERT INTO stock VALUES (99, 'after', 'the crash')");
    change(&mut session, "UPDATE stock SET note = 'changed after the crash' WHERE id <= 2");
    drop(session);
    drop(database);
    let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
    let folder = Path::new(FOLDER);
    let findings = mainstay_xbase::table::check(
        &fs,
        &folder.join("stock.dbf"),
        mainstay_xbase::dbf::OpenOptions::default(),
        &[folder.join("stock.cdx")],
    );
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    found
}

/// Crashes at every operation of the statements, and looks at what is found with each seed (and after a mere kill).
/// `ends` are the numbers of statements after which the state may be seen.
fn explore(statements: &[&str], ends: &[usize], seeds: std::ops::Range<u64>) {
    let base = shop();
    let whole = base.after_kill();
    let mut states = Vec::new();
    {
        let database = open(&whole).unwrap();
        let mut session = database.session();
        states.push((0, state(&mut session)));
        for (number, sql) in statements.iter().enumerate() {
            change(&mut session, sql);
            if ends.contains(&(number + 1)) {
                states.push((number + 1, state(&mut session)));
            }
        }
    }
    let counted = base.after_kill();
    assert_eq!(run(&counted, statements), statements.len());
    let operations = counted.operations();
    assert!(operations > 30, "{operations}");
    for crash in 0..=operations {
        let system = base.after_kill();
        system.crash_at(crash);
        let done = run(&system, statements);
        let last = states.iter().rposition(|(end, _)| *end <= done).unwrap();
        let expected: Vec<&Vec<String>> = states[last..].iter().take(2).map(|(_, state)| state).collect();
        let after_crashes = seeds.clone().map(|seed| (Some(seed), system.after_crash(seed)));
        for (seed, after) in std::iter::once((None, system.after_kill())).chain(after_crashes) {
            let found = found(&after);
            assert!(
                expected.contains(&&found),
                "crash at {crash} of {operations}, seed {seed:?}, {done} statements done: {found:#?}\n{:#?}",
                &system.trace()[system.trace().len().saturating_sub(8)..],
            );
        }
    }
}

#[test]
fn a_statement_that_is_cut_off_happened_or_did_not() {
    let statements = [
        "UPDATE stock SET name = upper(name), note = 'changed'",
        "INSERT INTO stock VALUES (4, 'nail', 'of steel'), (5, 'screw', NULL), (6, 'rod', 'long')",
        "DELETE FROM stock WHERE id IN (2, 5)",
        "MERGE INTO stock AS t USING (VALUES (1, 'x'), (7, 'y')) AS s (id, name) ON t.id = s.id \
            WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)",
    ];
    explore(&statements, &[1, 2, 3, 4], 0..0);
}

#[test]
fn a_transaction_over_native_and_dbf_tables_happened_or_did_not() {
    let statements = [
        "BEGIN",
        "UPDATE stock SET name = 'x' WHERE id < 3",
        "INSERT INTO journal VALUES ('first')",
        "INSERT INTO stock VALUES (4, 'nail', 'of steel')",
        "COMMIT",
        "BEGIN",
        "INSERT INTO journal VALUES ('second')",
        "DELETE FROM stock WHERE id = 1",
        "COMMIT",
    ];
    explore(&statements, &[5, 9], 0..0);
}

#[test]
fn a_lost_power_supply_parts_neither_a_statement_nor_a_transaction() {
    let statements = [
        "SET durability = full",
        "UPDATE stock SET name = upper(name), note = 'changed' WHERE id > 1",
        "BEGIN",
        "INSERT INTO stock VALUES (4, 'nail', NULL)",
        "INSERT INTO journal VALUES ('first')",
        "COMMIT",
    ];
    explore(&statements, &[2, 6], 0..3);
}
