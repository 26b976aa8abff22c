//! `mainstay bench`: the published tables, reproduced on the user's own machine.
//!
//! A published figure is a claim. The benchmark generates the data, runs the query on Mainstay and on every other
//! installed system, checks every answer against a truth calculated without any engine, and only then prints the times
//! beside the claim. The engine contains no code for being measured.
//!
//! ```text
//!   options ──> suite (xbase, cloud, ...) ─> report (verdicts) ──> output (text, Markdown, CSV, JSON, HTML)
//!                  │ data, truth, systems      │ statistics
//!                  └ scratch (files)           └ machine (where it ran)
//! ```
//!
//! A new table is a new module that implements [`suite::Suite`] and is named in [`suites`].
//!
//! Limits: times are of one machine on one day, and a shared machine adds noise that minimum and maximum show; verdicts
//! use medians, and are ratios within the run: to a peer, or to a fixed task ([`calibration`]).

pub mod ace;
mod allocations;
pub mod answer;
mod basic;
pub mod calibration;
pub mod cloud;
mod dbf;
mod informix;
pub mod machine;
pub mod options;
pub mod output;
mod python_process;
mod remote;
pub mod report;
mod scale;
pub mod scratch;
pub mod statistics;
pub mod suite;
pub mod tpcc;
mod tpch;
pub mod tsql;
pub mod wire;
pub mod xbase;

pub use allocations::Counting;

use options::{Options, Target};
use report::{Fault, Report, Run};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use suite::Suite;

/// Everything is in order.
pub const IN_ORDER: u8 = 0;
/// A row is not as it should be.
pub const NOT_IN_ORDER: u8 = 1;
/// There was no way to run.
pub const CANNOT_RUN: u8 = 2;

/// The suites that exist, in the order of their tables.
pub fn suites() -> Vec<Box<dyn Suite>> {
    vec![
        Box::new(xbase::Xbase::MAINSTAY),
        Box::new(xbase::adt::Adt),
        Box::new(ace::Ace),
        Box::new(remote::Remote),
        Box::new(cloud::Cloud::MAINSTAY),
        Box::new(tsql::Tsql),
        Box::new(tsql::disk::Disk),
        Box::new(wire::Wire),
        Box::new(tpcc::Tpcc),
        Box::new(basic::Basic),
        Box::new(informix::Informix),
        Box::new(tpch::Tpch::PARQUET),
        Box::new(tpch::Tpch::NATIVE),
        Box::new(tpch::Tpch::DBF),
        Box::new(tpch::Tpch::LIMIT),
        Box::new(scale::Scale),
    ]
}

/// Runs `mainstay bench` with the arguments after `bench`.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if arguments.first().is_some_and(|first| first == tpch::worker::COMMAND) {
        return match tpch::worker::run(&arguments[1..]) {
            Ok(()) => ExitCode::from(IN_ORDER),
            Err(message) => {
                eprintln!("mainstay bench: {message}");
                ExitCode::from(CANNOT_RUN)
            }
        };
    }
    let mut output = std::io::stdout().lock();
    ExitCode::from(run_suites(arguments, &suites(), &mut output))
}

/// Runs these suites; gives the exit code.
pub fn run_suites(arguments: Vec<OsString>, suites: &[Box<dyn Suite>], output: &mut dyn Write) -> u8 {
    match try_run(arguments, suites, output) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("mainstay bench: {message}");
            CANNOT_RUN
        }
    }
}

fn try_run(arguments: Vec<OsString>, suites: &[Box<dyn Suite>], output: &mut dyn Write) -> Result<u8, String> {
    // A group of suites has a name, too, and it may be that of one of them.
    let mut names: Vec<&str> = suites.iter().map(|suite| suite.about().name).collect();
    names.extend(suites.iter().filter_map(|suite| suite.about().part_of));
    names.sort_unstable();
    names.dedup();
    let options = Options::parse(arguments, &names)?;
    if options.help {
        return print(output, options::HELP).map(|()| IN_ORDER);
    }
    let chosen = chosen(&options, suites);
    if chosen.is_empty() {
        return Err(format!("no row is called {}; --list prints them", options.only.join(" or ")));
    }
    if options.list {
        return print(output, &list(&options, &chosen)).map(|()| IN_ORDER);
    }
    let mut reports = Vec::new();
    for (suite, rows) in &chosen {
        let report = Report::measure(*suite, &options.settings(*suite), rows, &mut progress);
        reports.push(report.map_err(|error| error.to_string())?);
    }
    progress("");
    let memory = machine::Memory::now();
    let settings = options.settings(chosen[0].0);
    let run = Run { machine: machine::Machine::here(), settings, reports, memory };
    write_all(&options, &run, output)?;
    Ok(exit_code(&run, options.check))
}

/// The suites that were asked for, with the places of the rows that were.
fn chosen<'a>(options: &Options, suites: &'a [Box<dyn Suite>]) -> Vec<(&'a dyn Suite, Vec<usize>)> {
    let asked = |suite: &dyn Suite| {
        let is_it = |name: &String| name == suite.about().name || Some(name.as_str()) == suite.about().part_of;
        let is_default = options.suites.is_empty() && (!suite.about().only_when_named || options.list);
        is_default || options.suites.iter().any(is_it)
    };
    let with_rows = |suite: &'a dyn Suite| {
        let rows = suite.rows(&options.settings(suite));
        let wanted = rows.iter().enumerate().filter(|(_, row)| options.wants(row.key, &row.title));
        (suite, wanted.map(|(place, _)| place).collect::<Vec<_>>())
    };
    let asked_suites = suites.iter().map(AsRef::as_ref).filter(|suite| asked(*suite));
    asked_suites.map(with_rows).filter(|(_, rows)| !rows.is_empty()).collect()
}

fn list(options: &Options, chosen: &[(&dyn Suite, Vec<usize>)]) -> String {
    let mut out = String::new();
    for (suite, places) in chosen {
        let settings = options.settings(*suite);
        out += &format!("{}\n", suite.title(&settings));
        let rows = suite.rows(&settings);
        for row in places.iter().map(|&place| &rows[place]) {
            out += &format!("  {:<14} {:<46} {}\n", row.key, row.title, row.text);
        }
    }
    out
}

/// The exit code of the run: `NOT_IN_ORDER` if a row has a fault that counts.
fn exit_code(run: &Run, check: bool) -> u8 {
    let mut faults = run.reports.iter().flat_map(|report| &report.lines).flat_map(|line| &line.faults);
    if faults.any(|fault| check || Fault::is_failure(fault)) { NOT_IN_ORDER } else { IN_ORDER }
}

fn write_all(options: &Options, run: &Run, output: &mut dyn Write) -> Result<(), String> {
    type Form = fn(&Run) -> String;
    let forms: [(&Option<Target>, Form); 4] = [
        (&options.json, output::json),
        (&options.csv, output::csv),
        (&options.markdown, output::markdown),
        (&options.html, output::html),
    ];
    let mut printed = false;
    for (target, form) in forms {
        match target {
            None => {}
            Some(Target::Standard) => {
                print(output, &form(run))?;
                printed = true;
            }
            Some(Target::File(path)) => scratch::write_report(path, &form(run)).map_err(|error| error.to_string())?,
        }
    }
    if printed { Ok(()) } else { print(output, &output::text(run)) }
}

fn print(output: &mut dyn Write, text: &str) -> Result<(), String> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Says on a terminal what is being done; the next word overwrites it.
fn progress(doing: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{doing}");
    }
}
