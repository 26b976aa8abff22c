//! What a commit waits for, as it is chosen for a database: by the caller, else by the folder's settings file. The
//! simulated file system says what was done; what survives a crash is tested in the store.

mod support;

use mainstay_base::Code;
use mainstay_engine::{Database, Durability, Options};
use mainstay_vfs::{Create, FileSystem, Simulated};
use std::path::Path;
use std::sync::Arc;
use support::change;

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

fn open(system: &Simulated, durability: Option<Durability>) -> mainstay_base::Result<Database> {
    let memory_limit_bytes = Some(64 << 20);
    let options = Options { durability, threads: Some(1), memory_limit_bytes, ..Options::default() };
    Database::open_on(Arc::new(system.clone()), Path::new(FOLDER), options)
}

/// What the setting is called in a new session, and how many syncs and writes a commit takes.
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

#[test]
fn a_durability_that_there_is_not_is_refused_with_its_place() {
    let error = open(&folder("durability = \"often\""), None).err().unwrap();
    assert_eq!(error.code(), Code::InvalidSetting);
    let text = error.to_string();
    assert!(text.contains("full, os or none, not \"often\"") && text.contains("mainstay.toml"), "{text}");
}
