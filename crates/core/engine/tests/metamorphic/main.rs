//! Metamorphic tests: random statements, each run in several ways that must give the same rows.
//!
//! ```text
//!   seed --> tables (data)  --> databases that have them (engines): native tables with all executors and rules, without
//!        |                      kernels, with statements prepared, without single optimizer rules, DBF, Parquet, SQLite
//!        --> statements     --> oracles: by all databases; partitioned by a condition; as a derived table, CTE, view and
//!            (generator,        temporary table; with and without its limit; in other words (rewrite)
//!             expressions)             |
//!                                      --> a difference, an internal error, a panic: made smaller (minimise), reported
//! ```
//!
//! A statement is a tree (`tree`), so that an oracle can change it anywhere and the minimiser can cut it. The meaning
//! of a statement does not depend on the order of its input rows: see `generator`. No expression fails: see
//! `expressions`.
//!
//! The report contains the seed and the statements that create the tables. For a long run:
//!
//! ```text
//!   MAINSTAY_VERBOSE=1 MAINSTAY_SEEDS=2000 MAINSTAY_FIRST_SEED=100000 cargo test --release --workspace --test metamorphic -- --nocapture
//! ```
//!
//! `MAINSTAY_SECONDS=600` ends the run after that time; `MAINSTAY_VERBOSE=1` shows each fault when it is found, and at the
//! end how many statements ran and which were refused.

#![allow(clippy::disallowed_methods)]

#[path = "../common/mod.rs"]
mod common;
mod data;
mod engines;
mod expressions;
mod generator;
mod minimise;
mod oracles;
mod rewrite;
mod tree;
mod visit;

use common::Random;
use data::Table;
use engines::Engines;
use generator::{Generator, Scope, is_of_rows};
use oracles::{Case, Oracle, Report, Verdict, check};
use rewrite::REWRITES;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tree::{Expr, Query};

/// Seeds of a usual run.
const SEEDS: u64 = 2;
const STATEMENTS_OF_A_SEED: usize = 12;
/// The same of a long run, where opening the databases is not to take most of the time.
const STATEMENTS_OF_A_LONG_SEED: usize = 40;
/// Reports that end a run.
const MOST_REPORTS: usize = 25;

/// Seeds that once found something.
const SEEDS_THAT_FOUND_SOMETHING: [u64; 0] = [];

/// The outcome of a run.
#[derive(Default)]
struct Summary {
    statements: usize,
    checks: usize,
    skipped: usize,
    /// Reasons of refusals, with their number and an example.
    refused: BTreeMap<String, (usize, String)>,
    reports: Vec<String>,
}

impl Summary {
    fn text(&self) -> String {
        let mut text = format!("{} statements, {} checks, {} skipped", self.statements, self.checks, self.skipped);
        for (reason, (count, example)) in &self.refused {
            text += &format!("\nrefused {count}: {reason}\n    {example}");
        }
        text
    }
}

/// Shows a line of a long run, which the test runner does not hold back.
fn show(line: &str) {
    use std::io::Write;
    // Without a terminal there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn is_verbose() -> bool {
    std::env::var_os("MAINSTAY_VERBOSE").is_some()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The stack of a program's main thread and more: planning is recursion, and builds for tests have large frames.
const STACK_BYTES: usize = 64 << 20;

#[test]
fn statements_give_the_same_rows_in_other_ways() {
    let summary = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(all_seeds).unwrap().join().unwrap();
    if is_verbose() {
        show(&summary.text());
    }
    assert!(summary.reports.is_empty(), "{} faults\n\n{}", summary.reports.len(), summary.reports.join("\n\n"));
    let refused: usize = summary.refused.values().map(|(count, _)| count).sum();
    assert!(refused * 10 < summary.checks, "{refused} of {} checks were refused", summary.checks);
}

fn all_seeds() -> Summary {
    let first = number("MAINSTAY_FIRST_SEED").unwrap_or(0);
    let until = number("MAINSTAY_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut summary = Summary::default();
    // Panics are reported with their statements.
    std::panic::set_hook(Box::new(|_| {}));
    let seeds = common::seeds(SEEDS).map(|seed| seed + first).chain(SEEDS_THAT_FOUND_SOMETHING);
    for seed in seeds {
        run(seed, &mut summary);
        if summary.reports.len() >= MOST_REPORTS || until.is_some_and(|until| Instant::now() > until) {
            break;
        }
    }
    let _ = std::panic::take_hook();
    summary
}

fn run(seed: u64, summary: &mut Summary) {
    let mut random = Random(seed);
    let tables = Table::random_tables(&mut random);
    let mut engines = Engines::new(&tables, &mut random);
    let is_long = number("MAINSTAY_SEEDS").is_some();
    for _ in 0..if is_long { STATEMENTS_OF_A_LONG_SEED } else { STATEMENTS_OF_A_SEED } {
        summary.statements += 1;
        for case in cases(&mut random, &tables) {
            summary.checks += 1;
            match check(&mut engines, &case) {
                Verdict::Agrees => {}
                Verdict::Skipped => summary.skipped += 1,
                Verdict::Refused(reason) => {
                    let example = engines::text(&case.query);
                    let kind: String = reason.chars().filter(|c| !c.is_ascii_digit()).take(70).collect();
                    summary.refused.entry(kind).or_insert((0, example)).0 += 1;
                    // The other oracles would be refused, too.
                    break;
                }
                Verdict::Differs(report) => {
                    let report = smallest(&mut engines, &case, report);
                    let text = shown(seed, &tables, &case, &report);
                    // A long run shows what it finds at once.
                    if is_verbose() {
                        show(&text);
                    }
                    summary.reports.push(text);
                    break;
                }
            }
        }
    }
}

/// A statement, and what is to be checked of it.
fn cases(random: &mut Random, tables: &[Table]) -> Vec<Case> {
    let mut generator = Generator::new(random, tables);
    let query = generator.statement();
    let mut cases = Vec::new();
    let mut add = |oracle: Oracle, predicate: Option<&Expr>| {
        cases.push(Case { oracle, query: query.clone(), predicate: predicate.cloned() });
    };
    add(Oracle::Engines(None), None);
    add(Oracle::Limit, None);
    if let Some(select) = query.select() {
        let own = generator::visible(&select.from, tables, &query.with);
        let scope = Scope { own, outer: Vec::new() };
        let predicate = match is_of_rows(select) {
            true => generator.condition(&scope, 2),
            false => generator.condition_of_group(&scope, &select.groups),
        };
        add(Oracle::Partition, Some(&predicate));
        let of_rows = generator.condition(&scope, 2);
        add(Oracle::Counted, Some(&of_rows));
        add(Oracle::PartitionedAggregates, Some(&of_rows));
    }
    // A condition around the statement does not see its common table expressions.
    generator.forget_shared();
    let columns = query.names().into_iter().zip(query.kinds()).collect();
    let derived = generator::Visible { alias: "d".to_owned(), columns, has_key: false };
    let predicate = generator.condition(&Scope { own: vec![derived], outer: Vec::new() }, 1);
    add(Oracle::Shape, Some(&predicate));
    for rewrite in REWRITES {
        add(Oracle::Rewrite(rewrite), None);
    }
    cases
}

/// The report of the smallest statement that fails in the same way.
fn smallest(engines: &mut Engines, case: &Case, report: Report) -> Report {
    let oracle = match &case.oracle {
        Oracle::Engines(_) => Oracle::Engines(report.engine.clone()),
        other => other.clone(),
    };
    let mut smallest = report.clone();
    let mut check_again = |query: &Query, predicate: &Option<Expr>| {
        let case = Case { oracle: oracle.clone(), query: query.clone(), predicate: predicate.clone() };
        match check(engines, &case) {
            Verdict::Differs(found) if found.class == report.class => {
                smallest = found;
                true
            }
            _ => false,
        }
    };
    let query = minimise::minimised(&case.query, &mut |query| check_again(query, &case.predicate));
    if let Some(predicate) = &case.predicate {
        minimise::minimised_expr(predicate, &mut |predicate| check_again(&query, &Some(predicate.clone())));
    }
    smallest
}

fn shown(seed: u64, tables: &[Table], case: &Case, report: &Report) -> String {
    let tables: Vec<String> = tables
        .iter()
        .filter(|table| report.text.contains(&format!("{} ", table.name)))
        .flat_map(Table::native)
        .map(|statement| format!("{statement};"))
        .collect();
    format!("--- seed {seed}, {:?}: {}\n{}", case.oracle, report.text, tables.join("\n"))
}
