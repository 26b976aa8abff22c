//! The same table as text, Markdown, CSV, JSON and HTML.
//!
//! [`grid`] builds the table for readers; text, Markdown and HTML only format it. CSV and JSON have every figure in a
//! separate column or key, unrounded.

mod chart;
mod csv;
mod html;
mod json;
mod text;

pub use csv::csv;
pub use html::html;
pub use json::json;
pub use text::{markdown, text};

use crate::calibration::Calibration;
use crate::report::{Line, Report};
use crate::statistics::Statistics;
use crate::suite::{Judgement, Measured, Reference, Unit};

/// A table of strings; the first and the last column are words, the others figures.
pub struct Grid {
    /// The column heads.
    pub head: Vec<String>,
    /// The rows.
    pub body: Vec<Vec<String>>,
}

/// The table that people read.
pub fn grid(report: &Report) -> Grid {
    let symbol = report.unit.symbol;
    let mut head = vec![format!("row ({symbol})")];
    if report.has_first {
        head.push("first: min median max".into());
    }
    head.extend([
        if report.has_first { "again: min median max" } else { "min median max" }.into(),
        "published".into(),
        format!("{} here", report.replaces),
        "others here".into(),
    ]);
    head.extend(report.peers.iter().map(|peer| format!("{peer} now")));
    if has_ratios(report) {
        head.push(if report.has_first { "ratio: first again" } else { "ratio" }.into());
    }
    head.extend(["target".into(), "verdict".into()]);
    Grid { head, body: report.lines.iter().map(|line| cells(report, line)).collect() }
}

/// Returns true if verdicts are ratios to a peer.
fn has_ratios(report: &Report) -> bool {
    report.lines.iter().any(|line| line.row.ratio.is_some())
}

fn cells(report: &Report, line: &Line) -> Vec<String> {
    let (row, unit) = (&line.row, line.unit);
    // The time of a wrong answer is no figure.
    let ours = line.ours.as_ref().filter(|ours| ours.judgement == Judgement::Right);
    let others: Vec<String> = row.elsewhere.iter().map(|(name, value)| format!("{name} {}", known(*value))).collect();
    let mut cells = vec![titled(report, line)];
    if report.has_first {
        cells.push(spread(ours.and_then(|ours| ours.first), unit));
    }
    cells.extend([
        spread(ours.and_then(|ours| ours.again), unit),
        reference(row.published.as_ref()),
        reference(row.replaced.as_ref()),
        or_dash(others.join(", ")),
    ]);
    cells.extend(line.peers.iter().map(|peer| peer_median(peer.as_ref(), unit)));
    if has_ratios(report) {
        let [first, again] = line.ratios().map(|ratio| ratio.map_or("-".into(), figure));
        cells.push(if report.has_first { format!("{first} {again}") } else { again });
    }
    cells.extend([targets(report, line), line.verdict()]);
    cells
}

/// The targets of a row: figures, or multiples of a peer's.
fn targets(report: &Report, line: &Line) -> String {
    let row = &line.row;
    let ratio = row.ratio.unwrap_or_default();
    let shown = |figure: Option<f64>, ratio: Option<f64>| match ratio {
        Some(ratio) => format!("{}x", known(ratio)),
        None => target(line, figure),
    };
    let [first, again] = line.targets();
    let (first, again) = (shown(first, ratio.first), shown(again, ratio.again));
    match (first.as_str(), again.as_str()) {
        ("-", "-") => "-".into(),
        _ if !report.has_first => again,
        _ => format!("{first} / {again}"),
    }
}

/// The title, with the unit when it is another than the table's.
fn titled(report: &Report, line: &Line) -> String {
    let title = &line.row.title;
    if line.unit.symbol == report.unit.symbol { title.clone() } else { format!("{title} ({})", line.unit.symbol) }
}

fn spread(times: Option<Statistics>, unit: Unit) -> String {
    times.map_or("-".into(), |times| unit.spread(times).map(figure).join(" "))
}

fn peer_median(peer: Option<&Measured>, unit: Unit) -> String {
    match peer {
        None => "-".into(),
        Some(Measured { judgement: Judgement::Wrong(_), .. }) => "WRONG".into(),
        Some(Measured { judgement: Judgement::Failed(_), .. }) => "failed".into(),
        Some(Measured { again, .. }) => again.map_or("-".into(), |times| figure(unit.of(times.median))),
    }
}

fn reference(reference: Option<&Reference>) -> String {
    match reference {
        None => "-".into(),
        Some(Reference { value, remark: "" }) => known(*value),
        Some(Reference { value, .. }) => format!("{}*", known(*value)),
    }
}

/// A target as it was set; one that follows the machine's speed as a figure that was measured.
fn target(line: &Line, value: Option<f64>) -> String {
    value.map_or("-".into(), if line.pace.is_some() { figure } else { known })
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".into() } else { text }
}

/// A figure that was measured, with three digits that count, two when it is small.
pub fn figure(value: f64) -> String {
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.9995 => 2,
        value if value >= 0.09995 => 3,
        value if value >= 0.001 => 4,
        _ => 5,
    };
    format!("{value:.decimals$}")
}

/// A figure as its source gives it.
fn known(value: f64) -> String {
    if value >= 1_000.0 && value.fract() == 0.0 { thousands(value as usize) } else { format!("{value}") }
}

/// A count with commas.
pub fn thousands(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The lines under a table: the machine, the notes, sizes and memory.
pub fn remarks(run: &crate::report::Run, report: &Report) -> Vec<String> {
    let mut remarks = vec![format!("Machine: {}", run.machine.line())];
    if !run.machine.is_optimised() {
        remarks.push("This is not a release build: its times say little".into());
    }
    let targets = if report.has_first { "; a target is for first / again" } else { "" };
    remarks.push(format!("Figures are medians where nothing else is said{targets}"));
    remarks.extend(paces(report));
    remarks.extend(report.lines.iter().flat_map(|line| starred(report, line)));
    remarks.extend(report.notes.iter().cloned());
    remarks.extend(report.facts.iter().map(|(label, value)| format!("{label}: {value}")));
    if let (Some(resident), Some(peak)) = (run.memory.resident_bytes, run.memory.peak_bytes) {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (resident, peak) = (mib(resident), mib(peak));
        let whose = if report.peers.iter().any(|peer| peer == "SQLite") { ", SQLite's table included" } else { "" };
        remarks.push(format!("Memory{whose}: {resident:.0} MiB resident after the run, {peak:.0} MiB at most"));
    }
    remarks
}

/// The tasks that targets follow, with the least and the greatest factor of a row.
fn paces(report: &Report) -> Vec<String> {
    let mut tasks: Vec<(Calibration, f64, f64)> = Vec::new();
    for pace in report.lines.iter().filter_map(|line| line.pace) {
        let factor = pace.factor();
        match tasks.iter_mut().find(|(task, ..)| *task == pace.task) {
            Some((_, least, greatest)) => (*least, *greatest) = (least.min(factor), greatest.max(factor)),
            None => tasks.push((pace.task, factor, factor)),
        }
    }
    let remark = |(task, least, greatest): (Calibration, f64, f64)| {
        format!(
            "Targets that follow the task \"{}\": it takes {} to {} times as long here as on the machine that they are set for",
            task.name(),
            self::figure(least),
            self::figure(greatest)
        )
    };
    tasks.into_iter().map(remark).collect()
}

/// The meaning of the stars of a row.
fn starred(report: &Report, line: &Line) -> Vec<String> {
    let here = format!("{} here", report.replaces);
    let sources = [("published", &line.row.published), (here.as_str(), &line.row.replaced)];
    let remark = |(label, reference): (&str, &Option<Reference>)| {
        let remark = reference.as_ref().map(|reference| reference.remark).filter(|remark| !remark.is_empty())?;
        Some(format!("* {}, {label}: {remark}", line.row.title))
    };
    sources.into_iter().filter_map(remark).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::machine::{Machine, Memory};
    use crate::report::{Fault, Run};
    use crate::suite::{Row, Settings};
    use std::time::Duration;

    /// Compares with a file of `tests/golden`; with `REWRITE_GOLDEN` set, writes it instead.
    #[allow(clippy::disallowed_methods)]
    pub(crate) fn assert_golden(name: &str, text: &str) {
        let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("REWRITE_GOLDEN").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{name}");
    }

    /// A run with one row in order, one wrong, one skipped; the same every time.
    pub(crate) fn sample() -> Run {
        let times = |us: &[u64]| Statistics::of(&us.iter().map(|&us| Duration::from_micros(us)).collect::<Vec<_>>());
        let right = |first, again| Measured { first, again, judgement: Judgement::Right };
        let row = Row {
            key: "count",
            title: "SELECT COUNT(*)".into(),
            text: "SELECT COUNT(*) FROM bench".into(),
            unit: None,
            published: Some(Reference { value: 42.0, remark: "" }),
            replaced: Some(Reference { value: 2_278.0, remark: "0: wrong" }),
            elsewhere: vec![("Polars", 0.034), ("SQLite", 0.017)],
            floor: None,
            target_first: Some(1.0),
            target_again: Some(0.005),
            calibration: None,
            ratio: None,
            skipped: None,
        };
        let ok = Line {
            row: row.clone(),
            unit: Unit::MILLISECONDS,
            ours: Some(right(times(&[900, 950, 1_234]), times(&[2, 3, 4]))),
            pace: None,
            peers: vec![Some(right(None, times(&[17, 18, 19])))],
            faults: vec![],
        };
        let reason = "a|b <& \"3 rows\" instead of 4".to_owned();
        let wrong = Line {
            row: Row { key: "wrong", title: "WHERE TAG<'B'".into(), ..Row::default() },
            unit: Unit::MILLISECONDS,
            ours: Some(Measured { first: None, again: None, judgement: Judgement::Wrong(reason.clone()) }),
            pace: None,
            peers: vec![Some(Measured::failed("no answer"))],
            faults: vec![Fault::Wrong(reason.clone())],
        };
        let skipped = Line {
            row: Row { key: "gone", title: "no index".into(), skipped: Some("none".into()), ..Row::default() },
            unit: Unit::MILLISECONDS,
            ours: None,
            pace: None,
            peers: vec![None],
            faults: vec![],
        };
        Run {
            machine: Machine {
                cpu: "A CPU".into(),
                cores: 2,
                memory_bytes: Some(8 << 30),
                system: "An OS, kernel 1".into(),
                rustc: "rustc 1.0",
                profile: "release, opt-level 3".into(),
                date: "2026-01-02".into(),
            },
            settings: Settings { rows: 100_000, repeats: 7, peers: true },
            reports: vec![Report {
                suite: "sample",
                title: "sample: a table".into(),
                unit: Unit::MILLISECONDS,
                replaces: "OpenADS",
                has_first: true,
                peers: vec!["SQLite".into()],
                lines: vec![ok, wrong, skipped],
                notes: vec![format!("WHERE TAG<'B': Mainstay is wrong: {reason}")],
                facts: vec![("bench.dbf".into(), "2,100,131 bytes".into())],
            }],
            memory: Memory { resident_bytes: Some(20 << 20), peak_bytes: Some(30 << 20) },
        }
    }

    /// A run whose suite has rates, one row in milliseconds, and nothing that is seen for the first time.
    pub(crate) fn rates() -> Run {
        let mut run = sample();
        let report = &mut run.reports[0];
        (report.unit, report.has_first) = (Unit::million_rows(0), false);
        report.lines.truncate(2);
        for line in &mut report.lines {
            line.faults.clear();
        }
        report.lines[0].unit = Unit::million_rows(30);
        let join = &mut report.lines[1];
        join.ours = report_times(&[40, 50, 60]);
        join.unit = Unit::milliseconds_of_each(10);
        (join.row.title, join.row.target_again) = ("join".into(), Some(1.8));
        run
    }

    fn report_times(us: &[u64]) -> Option<Measured> {
        let times = Statistics::of(&us.iter().map(|&us| Duration::from_micros(us)).collect::<Vec<_>>());
        Some(Measured { first: None, again: times, judgement: Judgement::Right })
    }

    #[test]
    fn a_rate_has_its_lowest_figure_first_and_a_row_says_its_own_unit() {
        let run = rates();
        let grid = grid(&run.reports[0]);
        assert_eq!(grid.head[..2], ["row (M rows/s)", "min median max"]);
        assert_eq!(grid.body[0][..2], ["SELECT COUNT(*)", "7.50 10.0 15.0"], "30 rows in 4, 3 and 2 microseconds");
        assert_eq!(grid.body[0][5..7], ["1.67", "0.005"]);
        assert_eq!(grid.body[1][..2], ["join (ms)", "0.0040 0.0050 0.0060"]);
        assert!(!remarks(&run, &run.reports[0]).iter().any(|remark| remark.contains("first / again")));
    }

    #[test]
    fn ratios_have_a_column_where_they_are_judged() {
        let mut run = sample();
        let report = &mut run.reports[0];
        report.lines.truncate(1);
        report.lines[0].peers = vec![report_times(&[6])];
        report.lines[0].row.ratio = Some(crate::suite::Ratio { first: None, again: Some(0.9) });
        let grid = grid(report);
        assert_eq!(grid.head[grid.head.len() - 3], "ratio: first again");
        assert_eq!(grid.body[0][grid.head.len() - 3..], ["- 0.500", "1 / 0.9x", "ok"]);
    }

    #[test]
    fn figures_have_the_digits_that_count() {
        let shown = [1234.5, 100.04, 12.345, 1.2345, 0.12345, 0.012345, 0.0031415, 0.00031415].map(figure);
        assert_eq!(shown, ["1234", "100", "12.3", "1.23", "0.123", "0.0123", "0.0031", "0.00031"]);
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([2_278.0, 0.005, 42.0].map(known), ["2,278", "0.005", "42"]);
    }
}
