//! Results of a run, and the verdict on each row.
//!
//! A row is in order if every answer was right, both medians are at or under their targets, which follow the speed of this
//! machine ([`crate::calibration`]), and no peer that answered right in this run had a smaller median; where the row has a [`Ratio`](crate::suite::Ratio), the ratio to that peer is within its
//! limits instead. Anything else is a [`Fault`]. A wrong or missing answer is always a failure
//! of the run; the other faults are failures with `--check`.

use crate::calibration::{Pace, beside};
use crate::machine::{Machine, Memory};
use crate::statistics::Statistics;
use crate::suite::{Bench, Judgement, Measured, Row, Settings, Suite, Unit};

/// Why a row is not in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// An answer was not the truth.
    Wrong(String),
    /// There was no answer.
    Failed(String),
    /// The first run took longer than its target.
    MissedFirst,
    /// The repeats took longer than their target.
    MissedAgain,
    /// A peer was faster in the same run.
    SlowerThan(String),
    /// The first runs took more than the permitted multiple of a peer's.
    RatioFirst(String),
    /// The repeats took more than the permitted multiple of a peer's.
    RatioAgain(String),
}

impl Fault {
    /// Returns true if the run has failed even without `--check`.
    pub fn is_failure(&self) -> bool {
        matches!(self, Fault::Wrong(_) | Fault::Failed(_))
    }

    /// The word for the table.
    pub fn label(&self) -> String {
        match self {
            Fault::Wrong(_) => "WRONG".into(),
            Fault::Failed(_) => "FAILED".into(),
            Fault::MissedFirst => "misses first".into(),
            Fault::MissedAgain => "misses again".into(),
            Fault::SlowerThan(peer) => format!("slower than {peer}"),
            Fault::RatioFirst(peer) => format!("first too slow beside {peer}"),
            Fault::RatioAgain(peer) => format!("again too slow beside {peer}"),
        }
    }
}

/// One row with what was measured.
#[derive(Clone, Debug)]
pub struct Line {
    /// The row's definition.
    pub row: Row,
    /// The unit of its figures.
    pub unit: Unit,
    /// Mainstay; nothing when the row was skipped.
    pub ours: Option<Measured>,
    /// The speed of this machine beside the row, if its targets follow it.
    pub pace: Option<Pace>,
    /// The peers, in the order of [`Report::peers`].
    pub peers: Vec<Option<Measured>>,
    /// The faults that were found.
    pub faults: Vec<Fault>,
}

impl Line {
    fn new(row: Row, unit: Unit, taken: Taken, names: &[String]) -> Line {
        let unit = row.unit.unwrap_or(unit);
        let Taken { ours, pace, peers } = taken;
        let mut line = Line { row, unit, ours, pace, peers, faults: Vec::new() };
        line.faults = line.find_faults(names);
        line
    }

    /// The targets of first runs and of repeats on this machine.
    pub fn targets(&self) -> [Option<f64>; 2] {
        let factor = self.pace.map_or(1.0, |pace| pace.factor());
        let here = |target: f64| if self.unit.rate { target / factor } else { target * factor };
        [self.row.target_first.map(here), self.row.target_again.map(here)]
    }

    fn find_faults(&self, names: &[String]) -> Vec<Fault> {
        let Some(ours) = &self.ours else { return Vec::new() };
        match &ours.judgement {
            Judgement::Wrong(reason) => return vec![Fault::Wrong(reason.clone())],
            Judgement::Failed(reason) => return vec![Fault::Failed(reason.clone())],
            Judgement::Right => {}
        }
        let misses = |times: Option<Statistics>, target: Option<f64>| {
            times.zip(target).is_some_and(|(times, target)| self.unit.misses(self.unit.of(times.median), target))
        };
        let mut faults = Vec::new();
        let [target_first, target_again] = self.targets();
        if misses(ours.first, target_first) {
            faults.push(Fault::MissedFirst);
        }
        if misses(ours.again, target_again) {
            faults.push(Fault::MissedAgain);
        }
        let name = |peer: usize| names.get(peer).cloned().unwrap_or_default();
        match (self.row.ratio, self.best_peer()) {
            (_, None) => {}
            (Some(limits), Some((peer, _))) => {
                let [first, again] = self.ratios();
                let exceeds = |ratio: Option<f64>, limit| ratio.zip(limit).is_some_and(|(ratio, limit)| ratio > limit);
                faults.extend(exceeds(first, limits.first).then(|| Fault::RatioFirst(name(peer))));
                faults.extend(exceeds(again, limits.again).then(|| Fault::RatioAgain(name(peer))));
            }
            (None, Some((peer, best))) => {
                let is_slower = ours.again.is_some_and(|again| again.median > best.median);
                faults.extend(is_slower.then(|| Fault::SlowerThan(name(peer))));
            }
        }
        faults
    }

    /// Mainstay's median by that of the peer that answered right and repeats fastest: of first runs, and of repeats.
    pub fn ratios(&self) -> [Option<f64>; 2] {
        let ours = self.ours.as_ref().filter(|ours| ours.judgement == Judgement::Right);
        let peer = self.best_peer().and_then(|(peer, _)| self.peers[peer].as_ref());
        let (Some(ours), Some(peer)) = (ours, peer) else { return [None, None] };
        let ratio = |ours: Option<Statistics>, peer: Option<Statistics>| {
            let seconds = |times: Statistics| times.median.as_secs_f64().max(1e-9);
            ours.zip(peer).map(|(ours, peer)| seconds(ours) / seconds(peer))
        };
        [ratio(ours.first, peer.first), ratio(ours.again, peer.again)]
    }

    /// The fastest peer of those that answered right: its place and its times.
    pub fn best_peer(&self) -> Option<(usize, Statistics)> {
        let right = self.peers.iter().enumerate().filter_map(|(place, measured)| {
            let measured = measured.as_ref().filter(|measured| measured.judgement == Judgement::Right)?;
            Some((place, measured.again?))
        });
        right.min_by_key(|(_, times)| times.median)
    }

    /// The verdict in a few words.
    pub fn verdict(&self) -> String {
        if self.row.skipped.is_some() {
            return "skipped".into();
        }
        if self.faults.is_empty() {
            return "ok".into();
        }
        self.faults.iter().map(Fault::label).collect::<Vec<_>>().join(", ")
    }
}

/// A suite that has been run.
#[derive(Clone, Debug)]
pub struct Report {
    /// [`About::name`](crate::suite::About::name).
    pub suite: &'static str,
    /// [`Suite::title`].
    pub title: String,
    /// [`About::unit`](crate::suite::About::unit).
    pub unit: Unit,
    /// [`About::replaces`](crate::suite::About::replaces).
    pub replaces: &'static str,
    /// [`About::has_first`](crate::suite::About::has_first).
    pub has_first: bool,
    /// Names of the peers that took part.
    pub peers: Vec<String>,
    /// The rows.
    pub lines: Vec<Line>,
    /// The notes under the table.
    pub notes: Vec<String>,
    /// File sizes and the like.
    pub facts: Vec<(String, String)>,
}

/// Everything one call of the command found out.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it ran.
    pub machine: Machine,
    /// The settings of the run; the rows are those of the first suite.
    pub settings: Settings,
    /// The suites.
    pub reports: Vec<Report>,
    /// This process's memory when all was done.
    pub memory: Memory,
}

impl Report {
    /// Runs these rows of a suite; `progress` is told the title of each before it starts.
    pub fn measure(
        suite: &dyn Suite,
        settings: &Settings,
        selected: &[usize],
        progress: &mut dyn FnMut(&str),
    ) -> mainstay_types::Result<Report> {
        let rows = suite.rows(settings);
        let runnable: Vec<usize> = selected.iter().copied().filter(|&row| rows[row].skipped.is_none()).collect();
        progress("making the data");
        let mut bench = suite.start(settings, &runnable)?;
        let peers: Vec<String> = bench.peers.iter().map(|peer| peer.name().to_owned()).collect();
        let mut lines = Vec::new();
        for &place in selected {
            let row = rows[place].clone();
            progress(&row.title);
            let taken = measure_row(&mut bench, place, &row, settings);
            lines.push(Line::new(row, suite.about().unit, taken, &peers));
        }
        let mut report = Report {
            suite: suite.about().name,
            title: suite.title(settings),
            unit: suite.about().unit,
            replaces: suite.about().replaces,
            has_first: suite.about().has_first,
            peers,
            lines,
            notes: Vec::new(),
            facts: bench.facts.clone(),
        };
        report.notes = report.all_notes(&bench);
        report.facts.extend(bench.subject.facts());
        report.facts.extend(bench.peers.iter().flat_map(|peer| peer.facts()));
        Ok(report)
    }

    fn all_notes(&self, bench: &Bench) -> Vec<String> {
        let mut notes = vec![bench.subject.description()];
        notes.extend(bench.peers.iter().map(|peer| peer.description()));
        notes.extend(bench.absent.iter().map(|(name, reason)| format!("{name} did not take part: {reason}")));
        for line in &self.lines {
            let title = &line.row.title;
            if let Some(reason) = &line.row.skipped {
                notes.push(format!("{title}: skipped, because {reason}"));
            }
            let ours = std::iter::once(("Mainstay", line.ours.as_ref()));
            let others = self.peers.iter().map(String::as_str).zip(line.peers.iter().map(Option::as_ref));
            for (name, measured) in ours.chain(others) {
                match measured.map(|measured| &measured.judgement) {
                    Some(Judgement::Wrong(reason)) => notes.push(format!("{title}: {name} is wrong: {reason}")),
                    Some(Judgement::Failed(reason)) => notes.push(format!("{title}: {name} failed: {reason}")),
                    Some(Judgement::Right) | None => {}
                }
            }
        }
        notes
    }
}

/// The measurements of a row.
#[derive(Default)]
struct Taken {
    ours: Option<Measured>,
    pace: Option<Pace>,
    peers: Vec<Option<Measured>>,
}

fn measure_row(bench: &mut Bench, place: usize, row: &Row, settings: &Settings) -> Taken {
    if row.skipped.is_some() {
        return Taken { peers: vec![None; bench.peers.len()], ..Taken::default() };
    }
    let (ours, pace) = beside(row.calibration, || bench.subject.measure(place, settings.repeats));
    let ours = ours.unwrap_or_else(|| Measured::failed("Mainstay does not take part in its own benchmark"));
    let peers = bench.peers.iter_mut().map(|peer| peer.measure(place, settings.repeats)).collect();
    Taken { ours: Some(ours), pace, peers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn took(us: u64, judgement: Judgement) -> Measured {
        let times = Statistics::of(&[Duration::from_micros(us)]);
        Measured { first: times, again: times, judgement }
    }

    fn taken(ours: Measured, peers: Vec<Option<Measured>>) -> Taken {
        Taken { ours: Some(ours), pace: None, peers }
    }

    fn line(ours: Measured, peers: Vec<Option<Measured>>) -> Line {
        let row = Row { target_first: Some(3.0), target_again: Some(0.15), ..Row::default() };
        Line::new(row, Unit::MILLISECONDS, taken(ours, peers), &["SQLite".into(), "Polars".into()])
    }

    #[test]
    fn a_target_is_met_when_it_is_reached_exactly() {
        assert_eq!(line(took(150, Judgement::Right), vec![]).faults, []);
        assert_eq!(line(took(151, Judgement::Right), vec![]).faults, [Fault::MissedAgain]);
        assert_eq!(line(took(3_001, Judgement::Right), vec![]).faults, [Fault::MissedFirst, Fault::MissedAgain]);
    }

    #[test]
    fn targets_follow_the_speed_of_the_machine() {
        use crate::calibration::Calibration;
        let pace = Some(Pace { task: Calibration::Loop, here: Calibration::Loop.reference() * 2 });
        let row = Row { target_first: Some(3.0), target_again: Some(0.15), ..Row::default() };
        let judged = |us: u64| {
            let taken = Taken { pace, ..taken(took(us, Judgement::Right), vec![]) };
            Line::new(row.clone(), Unit::MILLISECONDS, taken, &[])
        };
        assert_eq!(judged(300).targets(), [Some(6.0), Some(0.3)]);
        assert_eq!(judged(300).faults, []);
        assert_eq!(judged(301).faults, [Fault::MissedAgain]);
        let row = Row { unit: Some(Unit::million_rows(1_000)), target_again: Some(2.0), ..Row::default() };
        let taken = Taken { pace, ..taken(took(1_000, Judgement::Right), vec![]) };
        let line = Line::new(row, Unit::MILLISECONDS, taken, &[]);
        assert_eq!((line.targets(), line.faults), ([None, Some(1.0)], vec![]), "half of the rate is enough");
    }

    #[test]
    fn a_rate_is_better_when_it_is_higher() {
        let rate = |us: u64, target: f64| {
            let row = Row { unit: Some(Unit::million_rows(1_000)), target_again: Some(target), ..Row::default() };
            let ours = Measured { first: None, ..took(us, Judgement::Right) };
            let peer = Some(took(1_000, Judgement::Right));
            Line::new(row, Unit::MILLISECONDS, taken(ours, vec![peer]), &["SQLite".into()]).faults
        };
        assert_eq!(rate(500, 2.0), [], "a thousand rows in half a millisecond are two million a second");
        assert_eq!(rate(501, 2.0), [Fault::MissedAgain]);
        assert_eq!(rate(1_001, 0.5), [Fault::SlowerThan("SQLite".into())]);
    }

    #[test]
    fn a_peer_counts_only_when_its_answer_is_right() {
        let wrong = Some(took(1, Judgement::Wrong("3 rows instead of 4".into())));
        let faults = line(took(100, Judgement::Right), vec![wrong.clone(), Some(took(100, Judgement::Right))]).faults;
        assert_eq!(faults, []);
        let slower = line(took(100, Judgement::Right), vec![wrong, Some(took(99, Judgement::Right))]);
        assert_eq!(slower.faults, [Fault::SlowerThan("Polars".into())]);
        assert_eq!(slower.verdict(), "slower than Polars");
    }

    #[test]
    fn a_ratio_is_judged_in_place_of_the_faster_peer() {
        use crate::suite::Ratio;
        let judged = |us: u64, ratio: Ratio| {
            let row = Row { ratio: Some(ratio), ..Row::default() };
            let (ours, peer) = (took(us, Judgement::Right), Some(took(100, Judgement::Right)));
            Line::new(row, Unit::MILLISECONDS, taken(ours, vec![peer]), &["DuckDB".into()])
        };
        let limits = Ratio { first: Some(3.0), again: Some(2.0) };
        assert_eq!(judged(200, limits).faults, [], "exactly twice");
        assert_eq!(judged(250, limits).faults, [Fault::RatioAgain("DuckDB".into())]);
        assert_eq!(judged(400, limits).verdict(), "first too slow beside DuckDB, again too slow beside DuckDB");
        assert_eq!(judged(900, Ratio::default()).faults, []);
        assert_eq!(judged(250, limits).ratios(), [Some(2.5), Some(2.5)]);
    }

    #[test]
    fn a_fast_wrong_answer_is_a_failure() {
        let line = line(took(1, Judgement::Wrong("0 rows instead of 1".into())), vec![]);
        assert_eq!(line.verdict(), "WRONG");
        assert!(line.faults.iter().all(Fault::is_failure));
    }
}
