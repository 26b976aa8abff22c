//! The durability of commits, set by the caller, else by the folder's settings file; and a table whose column gets
//! another type is after every crash in the old state or in the new one. The simulated file system records the syncs;
//! the tests of the store cover other crashes.

mod support;

use mainstay_engine::Session;
use mainstay_engine::{Database, Durability, Options};
use mainstay_types::Code;
use mainstay_vfs::{Create, FileSystem, Simulated, explore};
use std::path::Path;
use std::sync::Arc;
use support::{change, lines};

const FOLDER: &str = "/shop";

/// A folder with this settings file.
fn folder(settings: &str) -> Simulated {
    let system = Simulated::new();
    system.create_folder(Path::new(FOLDER)).unwrap();
    let file = system.create(&Path::new(FOLDER).join("mainstay.toml"), Create::New).unwrap();
    file.write_at(settings.as_bytes(), 0).unwrap();
    drop(file);
    system
}

fn open(system: &Simulated, durability: Option<Durability>) -> mainstay_types::Result<Database> {
    let memory_limit_bytes = Some(64 << 20);
    let options = Options { durability, threads: Some(1), memory_limit_bytes, ..Options::default() };
    Database::open_on(Arc::new(system.clone()), Path::new(FOLDER), options)
}

/// The value of the setting in a new session, and the syncs and writes of a commit.
fn seen(settings: &str, option: Option<Durability>) -> (String, usize, usize) {
    let system = folder(settings);
    let mut session = open(&system, option).unwrap().session();
    change(&mut session, "CREATE TABLE t (a INT)");
    let before = system.trace().len();
    change(&mut session, "INSERT INTO t VALUES (1)");
    let trace = system.trace();
    let count = |what: &str| trace[before..].iter().filter(|operation| operation.starts_with(what)).count();
    let setting = session.settings().into_iter().find(|setting| setting.name == "durability").unwrap();
    (setting.value, count("sync"), count("write"))
}

#[test]
fn a_commit_waits_for_what_was_chosen() {
    let full = ("full".to_owned(), 1, 1);
    let os = ("os".to_owned(), 0, 1);
    assert_eq!(seen("", None), full);
    assert_eq!(seen("durability = \"OS\"", None), os);
    assert_eq!(seen("durability = \"full\"", Some(Durability::Os)), os);
    assert_eq!(seen("durability = \"os\"", Some(Durability::Full)), full);
    assert_eq!(seen("durability = \"none\"", None), ("none".to_owned(), 0, 0));
}

/// A row that another one has changed is free before the sync of that commit, and seen after it.
#[test]
fn who_is_overtaken_by_a_commit_that_waits_for_the_disk_waits_for_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { durability: Some(Durability::Full), ..Options::default() };
    let database = Database::open_with(folder.path(), options).unwrap();
    let mut session = database.session();
    change(&mut session, "CREATE TABLE counters (name INT PRIMARY KEY, next INT)");
    change(&mut session, "INSERT INTO counters VALUES (1, 0)");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut session = database.session();
            scope.spawn(move || {
                for _ in 0..50 {
                    change(&mut session, "UPDATE counters SET next = next + 1");
                }
            });
        }
    });
    assert_eq!(lines(&mut session, "SELECT next FROM counters"), ["200"]);
}

#[test]
fn a_durability_that_there_is_not_is_refused_with_its_place() {
    let error = open(&folder("durability = \"often\""), None).err().unwrap();
    assert_eq!(error.code(), Code::InvalidSetting);
    let text = error.to_string();
    assert!(text.contains("full, os or none, not \"often\"") && text.contains("mainstay.toml"), "{text}");
}

/// Runs statements in a new database until the machine stops: how many of them were acknowledged.
fn acknowledged(system: &Simulated, statements: &[&str]) -> usize {
    let mut done = 0;
    let mut work = || -> mainstay_types::Result<()> {
        system.create_folder(Path::new(FOLDER))?;
        system.sync_folder(Path::new(""))?;
        let mut session = open(system, Some(Durability::Full))?.session();
        for statement in statements {
            session.execute(statement)?;
            done += 1;
        }
        Ok(())
    };
    // The crash ends it, wherever it comes.
    drop(work());
    done
}

fn retype(system: &Simulated) -> usize {
    let statements = [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT '7', CHECK (a <> '9'))",
        "INSERT INTO t VALUES (1, '10'), (2, NULL), (3, '5')",
        "ALTER TABLE t ALTER COLUMN a TYPE INTEGER USING CAST(a AS INTEGER) + id, ALTER COLUMN id TYPE BIGINT",
        "INSERT INTO t (id) VALUES (10000000000)",
    ];
    acknowledged(system, &statements)
}

const RENAMES: [&str; 9] = [
    "CREATE SEQUENCE s",
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER DEFAULT nextval('s'))",
    "INSERT INTO t (id) VALUES (1)",
    "CREATE VIEW v AS SELECT t.id, a FROM t",
    "ALTER TABLE t RENAME TO u",
    "ALTER TABLE u RENAME COLUMN a TO b",
    "ALTER SEQUENCE s RESTART WITH 100",
    "ALTER SEQUENCE s RENAME TO r",
    "ALTER VIEW v RENAME TO w",
];

/// Returns true if everything is as it is after so many of the statements.
fn is_after(session: &mut Session, done: usize) -> bool {
    let mut rows = |query: &str| {
        let is_there = session.execute(query).and_then(|answer| answer.collect()).is_ok();
        is_there.then(|| lines(session, query))
    };
    let (table, column) = (if done >= 5 { "u" } else { "t" }, if done >= 6 { "b" } else { "a" });
    let row = rows(&format!("SELECT {column} FROM {table}"));
    let view = rows(if done >= 9 { "SELECT id, a FROM w" } else { "SELECT id, a FROM v" });
    let next = rows(if done >= 8 { "SELECT nextval('r')" } else { "SELECT nextval('s')" });
    let next: Option<i64> = next.and_then(|rows| rows.first()?.parse().ok());
    let expected = |lines: &[&str]| Some(lines.iter().map(|line| (*line).to_owned()).collect::<Vec<String>>());
    row == if done >= 3 {
        expected(&["1"])
    } else if done == 2 {
        expected(&[])
    } else {
        None
    } && view == if done >= 4 { expected(&["1|1"]) } else { None }
        && next.is_some_and(|next| (next >= 100) == (done >= 7) && next > i64::from(done >= 3))
}

#[test]
fn what_is_renamed_and_the_views_of_it_are_whole_after_every_crash() {
    let check = |system: &Simulated, done: &usize| -> Result<(), String> {
        if *done == 0 {
            return Ok(());
        }
        // The acknowledged state, or the one after the statement that ran.
        let mut fits = false;
        for state in *done..=(*done + 1).min(RENAMES.len()) {
            let mut session = open(system, None).map_err(|error| error.to_string())?.session();
            fits |= is_after(&mut session, state);
        }
        if fits { Ok(()) } else { Err(format!("not as after {done} statements")) }
    };
    let states =
        explore(0..2, |system| acknowledged(system, &RENAMES), check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 50, "{states} states");
}

#[test]
fn a_column_that_gets_another_type_is_whole_after_every_crash() {
    let shown =
        |session: &mut Session| lines(session, "SELECT id, a, arrow_typeof(a), arrow_typeof(id) FROM t ORDER BY id");
    let texts = ["1|10|Utf8View|Int32", "2|NULL|Utf8View|Int32", "3|5|Utf8View|Int32"];
    let numbers = ["1|11|Int32|Int64", "2|NULL|Int32|Int64", "3|8|Int32|Int64"];
    let check = |system: &Simulated, done: &usize| -> Result<(), String> {
        if *done == 0 {
            return Ok(());
        }
        let mut session = open(system, None).map_err(|error| error.to_string())?.session();
        let found = shown(&mut session);
        let states: [Vec<&str>; 4] = [
            Vec::new(),
            texts.to_vec(),
            numbers.to_vec(),
            [numbers.as_slice(), &["10000000000|7|Int32|Int64"]].concat(),
        ];
        // The acknowledged state, or the one after the statement that ran.
        if !(*done - 1..=*done).filter_map(|state| states.get(state)).any(|state| *state == found) {
            return Err(format!("{found:?} after {done} statements"));
        }
        Ok(())
    };
    let states = explore(0..4, retype, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 50, "{states} states");
    let system = Simulated::new();
    assert_eq!(retype(&system), 4);
    let mut session = open(&system, None).unwrap().session();
    assert_eq!(session.execute("INSERT INTO t VALUES (1, 1)").err().unwrap().code(), Code::UniqueViolation);
    assert_eq!(shown(&mut session).len(), 4);
}

const TRUNCATED: [&str; 9] = [
    "CREATE TABLE t (id INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a INTEGER)",
    "INSERT INTO t (a) VALUES (0), (0), (0)",
    "BEGIN",
    "TRUNCATE t RESTART IDENTITY",
    "INSERT INTO t (a) VALUES (1)",
    "COMMIT",
    "INSERT INTO t (a) VALUES (1)",
    "TRUNCATE t RESTART IDENTITY",
    "INSERT INTO t (a) VALUES (2)",
];

/// After a crash rows and the next number fit together: no row has that number.
#[test]
fn numbers_begin_again_with_the_rows_gone_after_every_crash() {
    let check = |system: &Simulated, done: &usize| -> Result<(), String> {
        if *done == 0 {
            return Ok(());
        }
        let mut session = open(system, None).map_err(|error| error.to_string())?.session();
        let before = lines(&mut session, "SELECT id, a FROM t ORDER BY id");
        for _ in 0..40 {
            if let Err(error) = session.execute("INSERT INTO t (a) VALUES (9)") {
                return Err(format!("{error} after {done} statements, with {before:?}"));
            }
        }
        let expected: &[&[&str]] = match *done {
            1 => &[&[], &["1|0", "2|0", "3|0"]],
            2..5 => &[&["1|0", "2|0", "3|0"]],
            5 => &[&["1|0", "2|0", "3|0"], &["1|1"]],
            6 => &[&["1|1"], &["1|1", "2|1"]],
            7 => &[&["1|1", "2|1"], &[]],
            8 => &[&[], &["1|2"]],
            _ => &[&["1|2"]],
        };
        if expected.iter().any(|rows| before == *rows) { Ok(()) } else { Err(format!("{before:?} after {done}")) }
    };
    let states =
        explore(0..4, |system| acknowledged(system, &TRUNCATED), check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 50, "{states} states");
}

/// The same where a checkpoint has come while the transaction was open.
#[test]
fn a_checkpoint_knows_nothing_of_numbers_that_begin_again_in_an_open_transaction() {
    let system = folder("");
    let database = open(&system, Some(Durability::Full)).unwrap();
    let mut session = database.session();
    for statement in &TRUNCATED[..5] {
        change(&mut session, statement);
    }
    database.checkpoint().unwrap();
    let cut_off = open(&system.after_kill(), None).unwrap();
    assert_eq!(lines(&mut cut_off.session(), "SELECT id FROM t"), ["1", "2", "3"]);
    change(&mut cut_off.session(), "INSERT INTO t (a) VALUES (9)");
    change(&mut session, "COMMIT");
    let after = open(&system.after_kill(), None).unwrap();
    change(&mut after.session(), "INSERT INTO t (a) VALUES (9)");
    assert_eq!(lines(&mut after.session(), "SELECT id FROM t"), ["1", "2"]);
}
