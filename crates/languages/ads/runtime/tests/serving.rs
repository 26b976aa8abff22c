//! Sessions for the clients of a server: the database that others use, and no file outside the folder.

use mainstay_ads_runtime::Engine;
use mainstay_area_session::Sql;
use mainstay_engine::{Database, Options};
use mainstay_types::Value;
use mainstay_vfs::{Disk, FileSystem};
use std::path::{Path, PathBuf};

fn copy_tables(folder: &Path) {
    Disk.create_folder(folder).expect("a folder");
    let tables = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    for entry in Disk.list(&tables).expect("the tables") {
        let name = entry.path.file_name().expect("a file").to_owned();
        Disk.replace(&folder.join(name), &Disk.read(&entry.path).expect("a table")).expect("a copy");
    }
}

#[test]
fn a_served_session_sees_the_database_of_others_and_no_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (served, outside) = (folder.path().join("served"), folder.path().join("outside"));
    [&served, &served.join("below"), &outside].into_iter().for_each(|folder| copy_tables(folder));
    let table = Disk.list(&outside).expect("tables").into_iter().map(|entry| entry.path);
    let table = table.filter(|path| path.extension().is_some_and(|extension| extension == "dbf")).min().expect("one");
    let name = table.file_name().expect("a name").to_string_lossy().into_owned();
    let database = Database::open_with(&served, Options::default()).expect("a database");
    database.session().execute("CREATE TABLE native_one (id INTEGER)").expect("a table");
    database.session().execute("INSERT INTO native_one VALUES (7)").expect("a row");

    let engine = Engine::serving(database, &served).expect("an engine");
    let mut session = engine.open(&served, "ada").expect("a session");
    let mut count = |text: &str| session.execute(text, &[]).map(|outcome| outcome.rows);
    assert_eq!(count("SELECT id FROM native_one").expect("rows"), [[Value::Integer(7)]]);
    assert!(count(&format!("SELECT COUNT(*) FROM \"{name}\"")).is_ok());
    assert!(count(&format!("SELECT COUNT(*) FROM \"below/{name}\"")).is_ok());
    for path in [format!("../outside/{name}"), table.display().to_string(), format!("below/../../outside/{name}")] {
        let error = count(&format!("SELECT COUNT(*) FROM \"{path}\"")).expect_err(&path);
        assert!(error.message().contains("not found"), "{error}");
        assert!(count(&format!("DELETE FROM \"{path}\"")).is_err(), "{path}");
        assert!(
            count(&format!("SELECT 1 AS x INTO \"{path}.new\" FROM system.iota")).is_err() || {
                Disk.list(&outside)
                    .expect("tables")
                    .iter()
                    .all(|entry| !entry.path.display().to_string().contains(".new"))
            }
        );
    }
}
