//! Runs the public sqllogictest corpora of other databases, as far as their syntax is ours, and counts what comes of each
//! record.
//!
//! ```text
//!   sqllogic_corpus sqlite FOLDER [MOST_RECORDS]     SQLite's, of github.com/gregrahn/sqllogictest: `test`
//!   sqllogic_corpus duckdb FOLDER                    DuckDB's, of github.com/duckdb/duckdb: `test/sql`
//! ```
//!
//! Every script has a fresh database and a process of its own, so that one that crashes or hangs ends no other. Printed are
//! the records of each folder by their outcome, and then the records that are not as expected, one a line, with file and
//! line. `MOST_RECORDS` of each script are run.
//!
//! | outcome | meaning |
//! |---|---|
//! | pass | as expected |
//! | syntax | a syntax error (42601): another dialect |
//! | refused | refused with another code: not supported, unknown function, type, table |
//! | order | the rows in another order, without a sort: most queries of DuckDB put NULL last |
//! | wrong | other rows |
//! | follows | other rows, after a statement of the script that should have worked was refused |
//! | plan | the text of a plan (EXPLAIN) |
//! | accepted | an error was expected, and none came |
//! | error | an error of a value (22xxx, 23xxx) that was not expected |
//! | internal | an internal error (XX000) or a panic |
//! | timeout | more than 20 seconds |

#![allow(clippy::disallowed_methods)]

mod script;
mod values;

use mainstay_engine::{Database, Options, Session};
use mainstay_types::{Code, Error};
use script::{Expected, Record, Script};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use values::{Compared, cells, compare};

const STATEMENT_TIMEOUT: Duration = Duration::from_secs(20);
/// The time of a script; what is left then is not run.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(120);
const OUTCOMES: [&str; 12] = [
    "pass", "syntax", "refused", "order", "wrong", "follows", "plan", "accepted", "error", "internal", "timeout",
    "skipped",
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let most = args.get(3).and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    match args.get(1).map(String::as_str) {
        Some("--one") => one(Path::new(&args[2]), most, args.get(4).is_some_and(|corpus| corpus == "sqlite")),
        Some(corpus @ ("sqlite" | "duckdb")) if args.len() > 2 => all(corpus, Path::new(&args[2]), most),
        _ => eprintln!("usage: sqllogic_corpus sqlite|duckdb FOLDER [MOST_RECORDS]"),
    }
}

/// The scripts of a folder and those below it.
fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => scripts(&path, found),
            false if path.extension().is_some_and(|extension| extension == "test") => found.push(path),
            false => {}
        }
    }
}

/// Runs every script in a process of its own, two at a time, and prints the table.
fn all(corpus: &str, folder: &Path, most: usize) {
    let mut paths = Vec::new();
    scripts(folder, &mut paths);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    let program = std::env::current_exe().expect("the program's own path");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let lines = in_process(&program, corpus, path, most);
                    results.lock().expect("no thread panics").push((path.clone(), lines));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort();
    report(folder, &results);
}

/// The lines that the process of a script prints: outcome, line, text.
fn in_process(program: &Path, corpus: &str, path: &Path, most: usize) -> Vec<String> {
    let output = Command::new(program)
        .args(["--one".as_ref(), path.as_os_str(), most.to_string().as_ref(), corpus.as_ref()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) => {
            let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
            if !output.status.success() {
                lines.push(format!("internal\t0\tthe process ended with {}", output.status));
            }
            lines
        }
        Err(error) => vec![format!("internal\t0\t{error}")],
    }
}

fn report(folder: &Path, results: &[(PathBuf, Vec<String>)]) {
    let mut counts: BTreeMap<String, HashMap<String, usize>> = BTreeMap::new();
    let mut details = Vec::new();
    for (path, lines) in results {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        let group =
            relative.parent().and_then(|parent| parent.iter().next()).map_or(".".into(), |name| name.to_string_lossy());
        for line in lines {
            let outcome = line.split('\t').next().unwrap_or_default();
            for group in [group.as_ref(), "(all)"] {
                *counts.entry(group.to_owned()).or_default().entry(outcome.to_owned()).or_default() += 1;
            }
            if outcome != "pass" && outcome != "skipped" {
                details.push(format!("{}\t{line}", relative.display()));
            }
        }
    }
    println!("folder\trecords\t{}", OUTCOMES.join("\t"));
    for (group, outcomes) in &counts {
        let of = |outcome: &&str| outcomes.get(*outcome).copied().unwrap_or(0);
        let records: usize = OUTCOMES[..11].iter().map(of).sum();
        let numbers: Vec<String> = OUTCOMES.iter().map(|outcome| of(outcome).to_string()).collect();
        println!("{group}\t{records}\t{}", numbers.join("\t"));
    }
    println!();
    for detail in details {
        println!("{detail}");
    }
}

/// Runs one script and prints a line for each record.
fn one(path: &Path, most: usize, is_sqlite: bool) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let Script { records, needs, left_out } = script::parse(&text);
    let folder = tempfile::tempdir().expect("a folder for the database");
    let options = Options { statement_timeout: Some(STATEMENT_TIMEOUT), ..Options::default() };
    let database = Database::open_with(folder.path(), options).expect("an empty folder opens");
    let mut sessions: HashMap<String, Session> = HashMap::new();
    let until = Instant::now() + SCRIPT_TIMEOUT;
    let mut out = std::io::stdout().lock();
    let mut print = |outcome: &str, line: usize, text: &str| {
        let text: String = text.replace(['\n', '\t'], " ").chars().take(900).collect();
        // The process that reads this may be gone.
        let _ = writeln!(out, "{outcome}\t{line}\t{text}");
    };
    if let Some(needs) = &needs {
        print("skipped", 0, needs);
    }
    for _ in 0..left_out {
        print("skipped", 0, "for others");
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut is_set_up_refused = false;
    for record in records.iter().take(most) {
        if Instant::now() > until {
            print("skipped", record.line, "the script takes too long");
            continue;
        }
        let session = sessions.entry(record.connection.clone()).or_insert_with(|| database.session());
        let outcome = catch_unwind(AssertUnwindSafe(|| judged(session, record, is_sqlite)));
        let (mut outcome, text) = outcome.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            ("internal", format!("panic: {text}"))
        });
        match record.expected {
            Expected::Rows { .. } if outcome == "wrong" && is_set_up_refused => outcome = "follows",
            Expected::Done { maybe: false } => is_set_up_refused |= outcome != "pass",
            _ => {}
        }
        print(outcome, record.line, &format!("{text} <- {}", record.sql));
    }
}

/// Runs a record: its outcome, and what came.
fn judged(session: &mut Session, record: &Record, is_sqlite: bool) -> (&'static str, String) {
    let answer = session.execute(&record.sql).and_then(|answer| answer.collect());
    let is_plan = record.sql.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("explain"));
    match (&record.expected, answer) {
        (Expected::Failure, Err(error)) if error.code() != Code::Internal => ("pass", String::new()),
        (Expected::Failure, Ok(_)) => ("accepted", String::new()),
        (Expected::Done { maybe: true }, Err(error)) if error.code() != Code::Internal => ("pass", String::new()),
        (_, Err(error)) => (outcome_of(&error), format!("{} {error}", error.code().sqlstate())),
        (Expected::Done { .. }, Ok(_)) => ("pass", String::new()),
        (Expected::Rows { .. }, Ok(_)) if is_plan => ("plan", String::new()),
        (Expected::Rows { types, sort, lines }, Ok(batches)) => {
            let rows = cells(&batches, types, is_sqlite);
            let outcome = match compare(&rows, lines, *sort) {
                Compared::Same => return ("pass", String::new()),
                Compared::OtherOrder => "order",
                Compared::Other => "wrong",
            };
            let came: Vec<String> = rows.iter().take(20).map(|row| row.join("|")).collect();
            let wanted: Vec<String> = lines.iter().take(20).map(|line| line.replace('\t', "|")).collect();
            (outcome, format!("came {{{}}} wanted {{{}}}", came.join(" ; "), wanted.join(" ; ")))
        }
    }
}

fn outcome_of(error: &Error) -> &'static str {
    match error.code() {
        Code::Syntax => "syntax",
        Code::Internal => "internal",
        Code::Timeout => "timeout",
        code if ["22", "23"].iter().any(|class| code.sqlstate().starts_with(class)) => "error",
        _ => "refused",
    }
}
