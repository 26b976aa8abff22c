//! Scripts of T-SQL with a client's view of their results: `scripts/NAME.sql` and `scripts/NAME.out`.
//!
//! The expected output was derived from SQL Server's documentation. `MAINSTAY_REWRITE=1` writes the actual output, to
//! be checked before it is committed. Lines that begin with `--core` are statements of the core's SQL, which are run
//! first, in a separate folder; its files must be intact when the script is done. `--file NAME text` is a line of a
//! file of that folder.

#![allow(clippy::disallowed_methods, reason = "the scripts are files of the repository")]

mod common;

use common::Transcript;
use mainstay_engine::{Database, Options};
use mainstay_tsql_runtime::Instance;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn run(script: &str) -> String {
    let first: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("--core ")).collect();
    let files = script.lines().filter_map(|line| line.strip_prefix("--file ").and_then(|rest| rest.split_once(' ')));
    let files: Vec<(&str, &str)> = files.collect();
    if first.is_empty() && files.is_empty() {
        return run_on(Database::in_memory().expect("a database in memory"), script);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, line) in files {
        let path = folder.path().join(name);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, format!("{before}{line}\n")).expect(name);
    }
    let database = Database::open(folder.path()).expect("a database");
    let mut core = database.session();
    for statement in first {
        core.execute(statement).and_then(|answer| answer.collect()).expect(statement);
    }
    drop(core);
    let seen = run_on(database, script);
    let findings = mainstay_engine::check(folder.path(), &Options::default()).expect("to check the folder");
    assert!(findings.is_empty(), "{findings:#?}");
    seen
}

fn run_on(database: Database, script: &str) -> String {
    let instance = Instance::new(database, "test");
    let mut sessions = BTreeMap::new();
    let mut transcript = Transcript::default();
    for batch in mainstay_tsql_syntax::batches(script) {
        // A batch that begins with `--@b` is another session's.
        let name = batch.text.trim_start().strip_prefix("--@").and_then(|rest| rest.split_whitespace().next());
        let session = sessions.entry(name.unwrap_or("a").to_owned()).or_insert_with(|| instance.session());
        for _ in 0..batch.count {
            session.batch(batch.text, &mut transcript);
        }
        transcript.text.push_str("--\n");
    }
    without_times(&transcript.text)
}

/// The text without the times since when locks are held, which are others in every run.
fn without_times(text: &str) -> String {
    let mut parts = text.split(", since ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_time = |(time, _): &(&str, &str)| time.len() == 19 && time.starts_with("20");
        match part.split_once(" UTC").filter(is_time) {
            Some((_, rest)) => all.extend([", since (time) UTC", rest]),
            None => all.extend([", since ", part]),
        }
    }
    all
}

#[test]
fn scripts_give_what_is_documented() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let rewrites = std::env::var_os("MAINSTAY_REWRITE").is_some();
    let only = std::env::var("MAINSTAY_SCRIPT").ok();
    let mut failures = Vec::new();
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the scripts")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .filter(|path| only.as_ref().is_none_or(|only| path.file_stem().is_some_and(|stem| stem == only.as_str())))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        let seen = run(&std::fs::read_to_string(&path).expect("a script"));
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
