//! Tables that statements name by a path: every statement finds the same file, also those that define and drop tables.

use mainstay_ads_runtime::{Engine, Session};
use mainstay_area_session::{Sql, SqlSession};
use mainstay_engine::{Database, Options};
use mainstay_types::Value;
use mainstay_vfs::{Disk, FileSystem};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a folder that begin with a table's name.
fn files(folder: &Path, table: &str) -> Vec<String> {
    let entries = Disk.list(folder).expect("a folder").into_iter();
    let names = entries.map(|entry| entry.path.file_name().expect("a name").to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(table)).collect();
    names.sort();
    names
}

/// A folder with a folder in it; both have tables `people` with an NTX and a memo, and `orders`.
struct Folders {
    _whole: tempfile::TempDir,
    root: PathBuf,
    sub: PathBuf,
}

impl Folders {
    fn new() -> Folders {
        let whole = tempfile::tempdir().expect("a folder");
        let root = whole.path().join("root");
        let sub = root.join("sub");
        let copies = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
        for folder in [&root, &sub] {
            Disk.create_folder(folder).expect("a folder");
            let bytes = Disk.read(&copies.join("people.dbf")).expect("a table");
            Disk.replace(&folder.join("people.dbf"), &bytes).expect("a copy");
            let mut session =
                Database::open_with(folder, mainstay_ads_runtime::options()).expect("a database").session();
            session.execute("CREATE INDEX people_id ON people USING ntx (id)").expect("an index");
            session.execute("CREATE TABLE \"notes.dbf\" (id INTEGER, text TEXT)").expect("a table");
            session.execute("CREATE UNIQUE INDEX id ON notes USING cdx (id)").expect("an index");
        }
        Folders { _whole: whole, root, sub }
    }

    fn sessions(&self) -> Vec<Box<dyn SqlSession>> {
        let open = |options| Database::open_with(&self.root, options).expect("a database");
        let here = Session::new(Arc::new(open(mainstay_ads_runtime::options())), &self.root, "ann");
        let engine = Engine::serving(open(Options::default()), &self.root).expect("an engine");
        vec![Box::new(here), engine.open(&self.root, "ann").expect("a session")]
    }
}

fn done(session: &mut dyn SqlSession, text: &str) {
    session.execute(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
}

fn number(session: &mut dyn SqlSession, text: &str) -> i64 {
    let rows = session.execute(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}")).rows;
    match rows.first().and_then(|row| row.first()) {
        Some(Value::Integer(number)) => *number,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_table_of_a_folder_below_is_dropped_there_with_its_indexes_and_memo() {
    for place in 0..2 {
        let folders = Folders::new();
        let session = &mut *folders.sessions().swap_remove(place);
        for text in ["DROP TABLE [sub/people]", "DROP TABLE [sub/notes.dbf]"] {
            done(session, text);
            assert!(session.execute(text, &[]).is_err(), "{text} twice");
        }
        assert!(files(&folders.sub, "people").is_empty() && files(&folders.sub, "notes").is_empty());
        assert_eq!(files(&folders.root, "people"), ["people.dbf", "people_id.ntx"]);
        assert_eq!(files(&folders.root, "notes"), ["notes.cdx", "notes.dbf", "notes.fpt"]);
        assert_eq!(number(session, "SELECT COUNT(*) FROM people"), 5);
    }
}

#[test]
fn a_table_of_a_folder_below_is_made_changed_and_emptied_there() {
    for place in 0..2 {
        let folders = Folders::new();
        let session = &mut *folders.sessions().swap_remove(place);
        done(session, "CREATE TABLE [Sub/Fresh] (id INTEGER PRIMARY KEY, name CHAR(10))");
        assert!(session.execute("CREATE TABLE [sub/fresh] (id INTEGER)", &[]).is_err(), "there is one");
        done(session, "INSERT INTO [SUB\\Fresh] VALUES (1, 'one')");
        done(session, "CREATE INDEX name ON [sub/fresh] (name)");
        done(session, "ALTER TABLE [sub/fresh] ADD COLUMN more INTEGER");
        done(session, "DROP INDEX [sub/fresh].name");
        done(session, "SELECT * INTO [sub/copy] FROM [sub/fresh]");
        let merged = "WHEN NOT MATCHED THEN INSERT (id) VALUES (people.id)";
        done(session, &format!("MERGE INTO [sub/copy] USING people ON (copy.id = people.id) {merged}"));
        assert_eq!(number(session, "SELECT COUNT(*) FROM [sub/copy]"), 5);
        done(session, "INSERT INTO people (id) VALUES (77)");
        done(session, "DELETE FROM [sub/people] WHERE id = 1");
        done(session, "EXECUTE PROCEDURE sp_PackTable('sub/people')");
        assert_eq!(number(session, "SELECT COUNT(*) FROM [sub/people] WHERE id >= 0"), 4);
        done(session, "EXECUTE PROCEDURE sp_Reindex('sub/people')");
        done(session, "EXECUTE PROCEDURE sp_ZapTable('sub/people')");
        assert_eq!(number(session, "SELECT COUNT(*) FROM [sub/people]"), 0);
        assert_eq!(number(session, "SELECT COUNT(*) FROM people"), 6);
        assert_eq!(files(&folders.sub, "fresh"), ["fresh.cdx", "fresh.dbf"]);
        assert_eq!(files(&folders.sub, "copy"), ["copy.dbf"]);
        assert!(files(&folders.root, "fresh").is_empty() && files(&folders.root, "copy").is_empty());
    }
}

#[test]
fn the_indexes_of_a_table_of_a_folder_below_are_kept_with_its_changes() {
    let folders = Folders::new();
    let session = &mut *folders.sessions().swap_remove(0);
    done(session, "INSERT INTO [sub/people] (id) VALUES (4711)");
    let mut there = Database::open_with(&folders.sub, mainstay_ads_runtime::options()).expect("a database").session();
    let found = there.execute("SELECT id FROM people WHERE id = 4711").and_then(|mut rows| rows.next_batch());
    assert_eq!(found.expect("rows").map(|batch| batch.num_rows()), Some(1));
    let findings = mainstay_engine::check(&folders.sub, &mainstay_ads_runtime::options()).expect("findings");
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_trigger_on_a_table_of_a_folder_below_is_that_tables() {
    let folders = Folders::new();
    let session = &mut *folders.sessions().swap_remove(0);
    done(session, "CREATE TABLE seen (id INTEGER)");
    done(session, "CREATE TRIGGER t ON [sub/people] AFTER INSERT BEGIN INSERT INTO seen SELECT id FROM __new; END");
    done(session, "INSERT INTO [sub/people] (id) VALUES (71)");
    assert_eq!(number(session, "SELECT COUNT(*) FROM seen WHERE id = 71"), 1);
}

#[test]
fn a_function_may_call_itself() {
    let folders = Folders::new();
    let session = &mut *folders.sessions().swap_remove(0);
    let text = "CREATE FUNCTION Fact(n Integer) RETURNS Integer BEGIN \
                IF n < 2 THEN RETURN 1; END IF; RETURN n * Fact(n - 1); END";
    done(session, text);
    assert_eq!(number(session, "SELECT Fact(5) FROM system.iota"), 120);
}

#[test]
fn a_served_session_defines_nothing_outside_its_folder() {
    let folders = Folders::new();
    let session = &mut *folders.sessions().swap_remove(1);
    let outside = folders.root.parent().expect("a folder");
    for path in ["../fresh", "sub/../../fresh", &outside.join("fresh").display().to_string(), ".hidden/fresh"] {
        for text in [
            format!("CREATE TABLE [{path}] (id INTEGER)"),
            format!("SELECT * INTO [{path}] FROM people"),
            format!("DROP TABLE [{path}]"),
            format!("EXECUTE PROCEDURE sp_ZapTable('{path}')"),
        ] {
            let error = session.execute(&text, &[]).expect_err(&text);
            assert!(error.message().contains("not found"), "{text}: {error}");
        }
    }
    assert!(files(outside, "fresh").is_empty() && files(&folders.root, "fresh").is_empty());
}
