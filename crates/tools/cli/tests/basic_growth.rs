//! Business BASIC programs that grow until the limit of their session, as a process: `mainstay run --program-memory`.
//!
//! Each program takes memory in another way, and traps the error itself. The process goes on after it, and its peak is
//! near the limit. `crates/languages/basic/runtime/tests/memory.rs` covers the ways in which a session can hold memory
//! one by one.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The limit of a session.
const LIMIT: &str = "128MB";
/// The peak of the process: the limit twice, for what grows by doubling, and a process without a program.
const MOST_BYTES: u64 = 450 << 20;

/// Runs a program: its output, and the peak of its process.
fn run(folder: &Path, program: &str) -> (String, u64) {
    std::fs::write(folder.join("grow.bas"), program).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).args(["run", "--program-memory", LIMIT, "--durability", "none", "grow.bas"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)), peak)
}

#[test]
fn programs_that_grow_get_an_error_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let grow = [
        ("1,000 arrays", "FOR I=1 TO 1000; EXECUTE \"DIM A\"+STR(I)+\"[1:1000000]\"; NEXT I"),
        ("1,000 arrays of strings", "FOR I=1 TO 1000; EXECUTE \"DIM A\"+STR(I)+\"$[1:1000000]\"; NEXT I"),
        ("1,000 strings", "FOR I=1 TO 1000; EXECUTE \"A\"+STR(I)+\"$=DIM(10000000)\"; NEXT I"),
        ("a string that doubles", "A$=DIM(1000); FOR I=1 TO 100; A$=A$+A$; NEXT I"),
        ("records in memory", "OPEN (1)\"*memory*\"; FOR I=1 TO 1E9; WRITE (1,KEY=STR(I))DIM(1000); NEXT I"),
        ("keywords", "FOR I=1 TO 1E9; A$[\"K\"+STR(I)]=DIM(1000); NEXT I"),
    ];
    let mut wrong = Vec::new();
    for (name, statements) in grow {
        let program = format!(
            "0010 SETERR 0100\n0020 {statements}\n0030 PRINT \"no error\"\n0040 END\n0100 PRINT \"ERR\",ERR; CLEAR\n"
        );
        let (shown, peak) = run(folder.path(), &program);
        println!("{name}: {} MB, {}", peak >> 20, shown.trim());
        if shown != "ERR 31\n" || peak > MOST_BYTES {
            wrong.push(format!("{name}: {} MB, {shown}", peak >> 20));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
