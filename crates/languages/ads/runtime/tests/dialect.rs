//! Statements and scripts of the dialect with their results: `dialect/NAME.sql` and `dialect/NAME.out`.
//!
//! Statements are separated by lines of `--;`. The expected output was derived from the help pages of Advantage
//! Database Server. `MAINSTAY_REWRITE=1` writes the actual output, to be checked before it is committed.

#![allow(clippy::disallowed_methods, reason = "the scripts are files of the repository")]

use mainstay_ads_runtime::Session;
use mainstay_area_session::{Outcome, SqlSession};
use mainstay_engine::Database;
use mainstay_types::Value;
use mainstay_vfs::{Disk, FileSystem};
use std::path::PathBuf;
use std::sync::Arc;

const SEPARATOR: &str = "\n--;\n";

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => format!("'{text}'"),
        Value::Binary(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        other => other.to_string(),
    }
}

fn rows(outcome: &Outcome) -> String {
    if outcome.columns.is_empty() {
        return format!("{} changed\n", outcome.affected);
    }
    let heads: Vec<String> =
        outcome.columns.iter().map(|column| format!("{} {}", column.name, column.sql_type)).collect();
    let mut text = format!("{}\n", heads.join(" | "));
    for row in &outcome.rows {
        text.push_str(&row.iter().map(shown).collect::<Vec<_>>().join(" | "));
        text.push('\n');
    }
    text
}

/// A folder with tables.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let tables = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    for entry in Disk.list(&tables).expect("the tables") {
        let name = entry.path.file_name().expect("a file").to_owned();
        Disk.replace(&folder.path().join(name), &Disk.read(&entry.path).expect("a table")).expect("a copy");
    }
    folder
}

fn run(script: &str, table_type: Option<u32>) -> String {
    let folder = folder();
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(database, folder.path(), "ann");
    if let Some(table_type) = table_type {
        session.set_table_type(table_type);
    }
    // The scripts are about rows that are there; `deleted.c` has deleted ones.
    session.set_show_deleted(false);
    let mut seen = String::new();
    for statement in script.trim_end().split(SEPARATOR) {
        seen.push_str(&match session.execute(statement, &[]) {
            // The step is run as a connection runs it.
            Ok(Outcome { step: Some(step), .. }) => match session.transaction(&step) {
                Ok(()) => format!("{step:?}\n"),
                Err(error) => format!("{}\n", error.message()),
            },
            Ok(outcome) => rows(&outcome),
            Err(error) => format!("{}\n", error.message()),
        });
        seen.push_str("--;\n");
    }
    seen.replace(&folder.path().display().to_string(), "FOLDER")
}

#[test]
fn statements_give_what_is_documented() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/dialect");
    let rewrites = std::env::var_os("MAINSTAY_REWRITE").is_some();
    let mut failures = Vec::new();
    let entries = std::fs::read_dir(&folder).expect("the scripts").filter_map(|entry| entry.ok());
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        // ADS_ADT: new tables of this script are ADT tables.
        let table_type = path.file_stem().is_some_and(|stem| stem == "adt").then_some(3);
        let seen = run(&std::fs::read_to_string(&path).expect("a script"), table_type);
        let expected = path.with_extension("out");
        if rewrites {
            std::fs::write(&expected, &seen).expect("to write what is seen");
            continue;
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if wanted != seen {
            failures.push(format!("{}\n--- wanted\n{wanted}\n--- seen\n{seen}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tables_of_other_folders_are_named_by_their_paths() {
    let (here, there) = (folder(), folder());
    let database = Arc::new(Database::open_with(here.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(Arc::clone(&database), here.path(), "");
    let path = there.path().join("people").display().to_string();
    let updated = session.execute(&format!("UPDATE \"{path}\" SET pay = 77 WHERE id = 1"), &[]).expect("it is there");
    assert_eq!(updated.affected, 1);
    let query = format!("SELECT a.pay, b.pay FROM \"{path}.dbf\" a INNER JOIN people b ON a.id = b.id WHERE a.id = 1");
    let both = session.execute(&query, &[]).expect("both are there");
    assert_eq!(rows(&both).lines().nth(1), Some("77.00 | 1200.50"));
    assert!(session.execute(&format!("SELECT * FROM \"{path}x\""), &[]).is_err());
}

#[test]
fn temporary_tables_are_of_one_session() {
    let folder = folder();
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut one = Session::new(Arc::clone(&database), folder.path(), "");
    let mut other = Session::new(Arc::clone(&database), folder.path(), "");
    one.execute("SELECT id INTO #x FROM people", &[]).expect("it is new");
    other.execute("SELECT id INTO #x FROM orders", &[]).expect("it is new there");
    let count = |session: &mut Session| {
        rows(&session.execute("SELECT MAX(id) FROM #x", &[]).expect("it is there")).lines().nth(1).map(str::to_owned)
    };
    assert_eq!((count(&mut one).as_deref(), count(&mut other).as_deref()), (Some("5"), Some("104")));
    drop(one);
    assert_eq!(count(&mut other).as_deref(), Some("104"));
    assert_eq!(database.tables().expect("the folder").len(), 4);
}

/// A series of numbers that is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn damaged_statements_are_errors_or_run() {
    let mut statements: Vec<String> = Vec::new();
    for name in ["queries", "scripts", "definitions", "modules"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/dialect/{name}.sql"));
        let script = std::fs::read_to_string(path).expect("a script");
        statements.extend(script.split(SEPARATOR).map(str::to_owned));
    }
    // A loop whose condition is damaged may not end.
    statements.retain(|statement| !statement.contains("WHILE"));
    let words: Vec<String> = statements.iter().flat_map(|text| text.split(' ')).map(str::to_owned).collect();
    let folder = folder();
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(database, folder.path(), "");
    let mut random = Random(5);
    for _ in 0..1_500 {
        let text = &statements[random.below(statements.len())];
        let mut pieces: Vec<&str> = text.split(' ').collect();
        for _ in 0..=random.below(2) {
            let place = random.below(pieces.len());
            match random.below(3) {
                0 => pieces[place] = &words[random.below(words.len())],
                1 => pieces.insert(place, &words[random.below(words.len())]),
                _ => drop(pieces.remove(place)),
            }
        }
        let damaged = pieces.join(" ");
        if let Err(error) = session.execute(&damaged, &[]) {
            assert_ne!(error.code(), mainstay_types::Code::Internal, "{damaged}: {error}");
        }
    }
}

#[test]
fn sessions_of_several_threads_lose_nothing() {
    let folder = folder();
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (database, path) = (Arc::clone(&database), folder.path());
            scope.spawn(move || {
                let mut session = Session::new(database, path, "");
                for number in 0..40 {
                    let id = 1_000 + thread * 100 + number;
                    let insert = format!("INSERT INTO orders (id, person) VALUES ({id}, {thread})");
                    session.execute(&insert, &[]).expect("it is inserted");
                    let update = format!("UPDATE orders SET amount = {number} WHERE id = {id}");
                    assert_eq!(session.execute(&update, &[]).expect("it is changed").affected, 1);
                }
            });
        }
    });
    let mut session = Session::new(database, folder.path(), "");
    let query = "SELECT COUNT(*), SUM(amount) FROM orders WHERE id >= 1000";
    let seen = session.execute(query, &[]).expect("they are there");
    assert_eq!(rows(&seen).lines().nth(1), Some("120 | 2340.00"));
}

#[test]
fn conditions_of_the_dialect_find_their_indexes() {
    let folder = folder();
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(Arc::clone(&database), folder.path(), "");
    for column in ["id", "name", "born"] {
        session.execute(&format!("CREATE INDEX {column} ON people ({column})"), &[]).expect("it is new");
    }
    let mut core = database.session();
    let conditions = [
        ("\"ads:equal\"(\"id\", 3)", "index=ID"),
        ("\"ads:equal\"(\"name\", 'Ann  ')", "index=NAME"),
        ("\"ads:greater\"(\"born\", '1990-01-01')", "index=BORN"),
        ("\"ads:greater\"(\"id\", 3) AND \"ads:less_or_equal\"(\"id\", 4)", "index=ID"),
    ];
    for (condition, index) in conditions {
        let explained =
            core.execute(&format!("EXPLAIN SELECT id FROM people WHERE {condition}")).expect("it is planned");
        let plan = format!("{:?}", explained.collect().expect("the plan"));
        assert!(plan.contains(index), "{condition}: {plan}");
    }
}

#[test]
fn programs_that_share_a_folder_may_all_have_transactions() {
    let folder = folder();
    // As in two processes: nothing is shared but the files.
    let open = || {
        Session::new(
            Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database")),
            folder.path(),
            "",
        )
    };
    let (mut one, mut other) = (open(), open());
    for (session, id) in [(&mut one, 1), (&mut other, 2)] {
        session.transaction(&mainstay_area_session::TransactionStep::Begin).expect("it begins");
        let update = format!("UPDATE people SET pay = 5 WHERE id = {id}");
        assert_eq!(session.execute(&update, &[]).expect("it is changed").affected, 1);
    }
    one.transaction(&mainstay_area_session::TransactionStep::RollBack).expect("it is undone");
    other.transaction(&mainstay_area_session::TransactionStep::Commit).expect("it stays");
    let seen = one.execute("SELECT id FROM people WHERE pay = 5", &[]).expect("they are there");
    assert_eq!(rows(&seen).lines().nth(1), Some("2"));
    assert!(!Disk.is_folder(&folder.path().join(".mainstay")), "nothing is left that one process has for itself");
}
