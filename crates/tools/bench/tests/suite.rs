//! The whole command on the xbase suite with fake engines: one that is honest, one that lies, one that fails and one
//! that is slow. The report about them is under test.

#![allow(clippy::disallowed_methods)]

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use mainstay_bench::suite::Suite;
use mainstay_bench::xbase::Xbase;
use mainstay_bench::xbase::subject::{Ask, Engine};
use mainstay_bench::{CANNOT_RUN, IN_ORDER, NOT_IN_ORDER, run_suites};
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

/// An engine that can only count, by the header of the DBF.
#[derive(Clone, Copy)]
struct Counter {
    surplus: i64,
    pause: Duration,
    fails: bool,
    opened: Option<&'static Mutex<Vec<PathBuf>>>,
}

const HONEST: Counter = Counter { surplus: 0, pause: Duration::ZERO, fails: false, opened: None };

impl Engine for Counter {
    fn description(&self) -> String {
        "an engine that counts".into()
    }

    fn with_session(&self, folder: &Path, body: &mut dyn FnMut(&mut Ask<'_>) -> Result<()>) -> Result<()> {
        if let Some(opened) = self.opened {
            opened.lock().unwrap().push(folder.to_owned());
        }
        body(&mut |sql| {
            assert_eq!(sql, "SELECT COUNT(*) FROM bench");
            std::thread::sleep(self.pause);
            if self.fails {
                return Err(Error::new(Code::Internal, "out of order"));
            }
            let header = std::fs::read(folder.join("bench.dbf"))?;
            let count = i64::from(u32::from_le_bytes([header[4], header[5], header[6], header[7]]));
            let column: ArrayRef = Arc::new(Int64Array::from(vec![count + self.surplus]));
            Ok(vec![RecordBatch::try_from_iter([("count(*)", column)]).unwrap()])
        })
    }
}

fn bench(engine: fn() -> Box<dyn Engine>, options: &str) -> (u8, String) {
    let line = format!("xbase --only SELECT --repeats 5 {options}");
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(Xbase::with_engine(engine))];
    let mut output = Vec::new();
    let code = run_suites(line.split_whitespace().map(OsString::from).collect(), &suites, &mut output);
    (code, String::from_utf8(output).unwrap())
}

#[test]
fn an_honest_engine_is_in_order() {
    let (code, table) = bench(|| Box::new(HONEST), "--rows 1000 --no-peers --check");
    assert_eq!(code, IN_ORDER, "{table}");
    assert!(table.contains("1,000-row DBF") && table.lines().any(|line| line.ends_with("  ok")), "{table}");
}

#[test]
fn a_wrong_answer_fails_with_and_without_check() {
    let liar: fn() -> Box<dyn Engine> = || Box::new(Counter { surplus: 1, ..HONEST });
    for options in ["--rows 1000 --no-peers", "--no-peers --check"] {
        let (code, table) = bench(liar, options);
        assert_eq!(code, NOT_IN_ORDER, "{table}");
        assert!(table.lines().any(|line| line.ends_with("  WRONG")), "{table}");
    }
    let (_, table) = bench(liar, "--rows 1000 --no-peers");
    assert!(table.contains("Mainstay is wrong: (1001) instead of (1000)"), "{table}");
}

#[test]
fn no_answer_is_a_failure_and_not_the_end() {
    let (code, table) = bench(|| Box::new(Counter { fails: true, ..HONEST }), "--rows 1000 --no-peers");
    assert_eq!(code, NOT_IN_ORDER);
    assert!(table.contains("FAILED") && table.contains("Mainstay failed: out of order"), "{table}");
}

#[test]
fn a_missed_target_fails_only_when_it_is_checked() {
    // The target of 1 ms follows the speed of the machine, which a build without optimisation shows many times slower.
    let slow: fn() -> Box<dyn Engine> = || Box::new(Counter { pause: Duration::from_millis(100), ..HONEST });
    let (code, table) = bench(slow, "--no-peers --check");
    assert_eq!(code, NOT_IN_ORDER);
    assert!(table.contains("misses first, misses again"), "{table}");
    assert_eq!(bench(slow, "--no-peers").0, IN_ORDER);
}

#[test]
fn a_faster_peer_in_the_same_run_is_named() {
    let slow: fn() -> Box<dyn Engine> = || Box::new(Counter { pause: Duration::from_millis(50), ..HONEST });
    let (code, json) = bench(slow, "--rows 1000 --check --json -");
    assert_eq!(code, NOT_IN_ORDER);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = &json["suites"][0]["rows"][0];
    assert!(row["verdict"].as_str().unwrap().starts_with("slower than "), "{row}");
    assert_eq!(row["peers"]["SQLite"]["answer"], "right");
    assert!(row["mainstay"]["again"]["median"].as_f64().unwrap() >= 50.0);
}

#[test]
fn every_first_run_has_a_folder_that_nobody_has_read() {
    static OPENED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    bench(|| Box::new(Counter { opened: Some(&OPENED), ..HONEST }), "--rows 1000 --no-peers");
    let mut opens = HashMap::new();
    OPENED.lock().unwrap().iter().for_each(|folder| *opens.entry(folder.clone()).or_insert(0) += 1);
    assert_eq!(opens.len(), 6, "5 first runs and the session of the repeats");
    assert!(opens.values().all(|&times| times == 1));
    assert!(opens.keys().all(|folder| !folder.exists()), "the folders are removed");
}

#[test]
fn files_are_written_and_mistakes_are_not_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let options = format!("--rows 1000 --no-peers --csv {} --markdown {} --html {}", path("c"), path("m"), path("h"));
    let (code, table) = bench(|| Box::new(HONEST), &options);
    assert_eq!(code, IN_ORDER);
    assert!(table.starts_with("xbase:"), "the table is printed all the same: {table}");
    for (name, start) in [("c", "suite,row,"), ("m", "## xbase"), ("h", "<!doctype html>")] {
        assert!(std::fs::read_to_string(folder.path().join(name)).unwrap().starts_with(start));
    }
    assert_eq!(bench(|| Box::new(HONEST), "--fast").0, CANNOT_RUN);
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(Xbase::MAINSTAY)];
    assert_eq!(run_suites(vec!["--only".into(), "no such row".into()], &suites, &mut Vec::new()), CANNOT_RUN);
    let mut list = Vec::new();
    assert_eq!(run_suites(vec!["--list".into()], &suites, &mut list), IN_ORDER);
    assert_eq!(String::from_utf8(list).unwrap().lines().count(), 14);
}
