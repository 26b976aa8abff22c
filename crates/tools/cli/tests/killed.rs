//! Files that a killed process leaves, and their removal.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program whose temporary files are in this folder.
fn program(temporary: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.args(arguments).env("TMPDIR", temporary).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[test]
fn rows_that_were_spilled_are_removed_by_the_next_process() {
    let temporary = tempfile::tempdir().unwrap();
    let grouped = "SELECT sum(n) FROM (SELECT g % 3000000 AS k, count(*) AS n FROM generate_series(1, 6000000) q(g) \
                   GROUP BY g % 3000000) q";
    let limits = ["--threads", "1", "--memory-limit", "24MB", "-c", grouped];
    let mut spilling = program(temporary.path(), &limits).spawn().unwrap();
    let has_spilled = (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        files(temporary.path()).iter().any(|folder| !files(folder).is_empty())
    });
    assert!(has_spilled && spilling.try_wait().unwrap().is_none(), "it spills");
    // A process that lives keeps its files.
    let other = || program(temporary.path(), &["-c", "SELECT 1"]).status().unwrap();
    assert!(other().success());
    assert_eq!(files(temporary.path()).len(), 1);
    spilling.kill().unwrap();
    spilling.wait().unwrap();
    assert_eq!(files(temporary.path()).len(), 1, "nothing else clears it away");
    assert!(other().success());
    assert_eq!(files(temporary.path()), Vec::<PathBuf>::new());
}
