//! The fuzz targets in ordinary tests: first the corpus and the regressions in `fuzz/`, then seeded mutations of them
//! for about two seconds each.
//!
//! `MAINSTAY_FUZZ_SECONDS` makes the run longer, with another seed each time; `MAINSTAY_FUZZ_SEED` sets the seed. A
//! failure prints the seed and the input that failed.

use mainstay_fuzzing::mutate::{Random, mutated};
use mainstay_fuzzing::{TARGETS, Target};
use mainstay_vfs::{Disk, FileSystem};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long mutations are tried unless told otherwise.
const SECONDS: u64 = 2;

/// The seed unless told otherwise: a test run that nobody watches tries the same inputs each time.
const SEED: u64 = 20_261_121;

/// One input takes milliseconds; this is for slow builds on busy machines.
const LONGEST: Duration = Duration::from_secs(20);

/// All inputs of a folder below `fuzz`, with their names.
fn inputs(folder: &str, target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../fuzz")).join(folder).join(target);
    let entries = Disk.list(&root).unwrap_or_default();
    entries.into_iter().map(|entry| (entry.path.clone(), Disk.read(&entry.path).unwrap())).collect()
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// Runs one input; a panic names it.
fn guarded(target: &Target, name: &str, input: &[u8]) {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let shown = if input.len() <= 300 { format!(": {}", input.escape_ascii()) } else { String::new() };
    assert!(outcome.is_ok(), "{}, {name}: panics (the message is above){shown}", target.name);
    assert!(begun.elapsed() < LONGEST, "{}, {name}: takes {:?}{shown}", target.name, begun.elapsed());
}

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = inputs("corpus", name);
    assert!(!corpus.is_empty(), "fuzz/corpus/{name} is empty");
    let kept: Vec<_> = corpus.into_iter().chain(inputs("regressions", name)).collect();
    for (path, input) in &kept {
        guarded(target, &path.display().to_string(), input);
    }
    let seconds = number("MAINSTAY_FUZZ_SECONDS");
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = number("MAINSTAY_FUZZ_SEED").unwrap_or(if seconds.is_some() { clock } else { SEED });
    mutate(target, seed, Duration::from_secs(seconds.unwrap_or(SECONDS)), kept.into_iter().map(|kept| kept.1));
}

/// Tries mutations for some time, and at least some of them however slow they are.
fn mutate(target: &Target, seed: u64, time: Duration, inputs: impl Iterator<Item = Vec<u8>>) {
    let inputs: Vec<Vec<u8>> = inputs.collect();
    let (begun, mut random, mut count) = (Instant::now(), Random::new(seed), 0);
    while count < 20 || begun.elapsed() < time {
        count += 1;
        let input = mutated(&mut random, &inputs);
        guarded(target, &format!("MAINSTAY_FUZZ_SEED={seed}, input {count}"), &input);
    }
}

#[test]
fn dbf() {
    run("dbf");
}

#[test]
fn memo() {
    run("memo");
}

#[test]
fn index() {
    run("index");
}

#[test]
fn expression() {
    run("expression");
}

#[test]
fn csv() {
    run("csv");
}

#[test]
fn table() {
    run("table");
}

#[test]
fn tds() {
    run("tds");
}

#[test]
fn basic() {
    run("basic");
}

#[test]
fn tsql() {
    run("tsql");
}

#[test]
fn checkpoint() {
    run("checkpoint");
}

#[test]
fn journal() {
    run("journal");
}

#[test]
fn every_target_has_a_test_here() {
    let tested =
        ["dbf", "memo", "index", "expression", "csv", "table", "tds", "tsql", "basic", "checkpoint", "journal"];
    assert_eq!(TARGETS.map(|target| target.name), tested);
}

#[test]
fn a_panic_names_the_input() {
    let target = Target { name: "t", run: |input| assert!(!input.contains(&7)) };
    guarded(&target, "sound", &[1, 2]);
    let message = catch_unwind(|| guarded(&target, "bad", &[7])).unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("t, bad: panics") && message.contains("\\x07"), "{message}");
}
