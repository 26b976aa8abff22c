//! A system that answers each query in processes of its own, and the figures of all queries together.
//!
//! Three processes run a query for the first time; the last of them repeats it. The subject and the peer are
//! started by different commands and are the same otherwise.

use super::judge::judge;
use super::queries::QUERIES;
use super::{MEAN, MEMORY};
use crate::answer::{Rows, from_json};
use crate::python_process::Process;
use crate::statistics::{AT_MOST, ENOUGH, Statistics};
use crate::suite::{Judgement, Measured, System};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

/// The time for all runs of a query in one process.
const PATIENCE: Duration = Duration::from_secs(600);
/// Processes that run a query for the first time.
const FIRST_RUNS: usize = 3;

/// The figures of a query.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// The median of the first runs.
    pub first: Duration,
    /// The median of the repeats.
    pub again: Duration,
    /// The most memory of a process.
    pub peak_bytes: u64,
}

/// The queries that a system answered right, by their places.
pub type Answered = BTreeMap<usize, Figures>;

/// The data of a run, shared by the systems.
pub struct Shared {
    /// The statements.
    pub texts: Vec<String>,
    /// The answer to each query that is measured.
    pub truth: BTreeMap<usize, Rows>,
    /// The answered queries of the subject and, if there is one, of the peer.
    pub answered: Vec<RefCell<Answered>>,
}

/// A system of a run.
pub struct Runner {
    /// Its name.
    pub name: &'static str,
    /// Name, version and form of the tables.
    pub description: String,
    /// Makes the command that starts a process.
    pub command: Box<dyn Fn() -> Command>,
    /// The data of the run.
    pub shared: Rc<Shared>,
    /// The place of its figures in the shared data.
    pub place: usize,
}

impl System for Runner {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let measured = match row {
            MEAN => self.mean(),
            MEMORY => self.memory(),
            _ => self.query(row, repeats),
        };
        Some(measured.unwrap_or_else(Measured::failed))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let answered = self.shared.answered[self.place].borrow();
        let memory =
            |(row, figures): (&usize, &Figures)| format!("{} {}", QUERIES[*row].key, figures.peak_bytes / 1_000_000);
        let memory: Vec<String> = answered.iter().map(memory).collect();
        let count = format!("{} of {}", answered.len(), self.shared.truth.len());
        vec![
            (format!("{}, queries answered right", self.name), count),
            (format!("{}, most memory of each query in MB", self.name), memory.join(", ")),
        ]
    }
}

impl Runner {
    fn query(&self, row: usize, repeats: usize) -> Result<Measured, String> {
        let truth = self.shared.truth.get(&row).ok_or("the query was not prepared")?;
        let (mut firsts, mut times, mut peak_bytes) = (Vec::new(), Vec::new(), 0);
        for run in 1..=FIRST_RUNS {
            let is_last = run == FIRST_RUNS;
            let reply = self.ask(row, if is_last { repeats } else { 0 })?;
            firsts.extend(reply["first"].as_u64().map(Duration::from_nanos));
            times.extend(
                reply["times"].as_array().into_iter().flatten().filter_map(Value::as_u64).map(Duration::from_nanos),
            );
            peak_bytes = peak_bytes.max(reply["peak"].as_u64().unwrap_or(0));
            let rows = from_json(&reply["rows"]).ok_or("its answer could not be read")?;
            if let Err(reason) = judge(&rows, truth, QUERIES[row].order) {
                return Ok(Measured { first: None, again: None, judgement: Judgement::Wrong(reason) });
            }
        }
        let measured =
            Measured { first: Statistics::of(&firsts), again: Statistics::of(&times), judgement: Judgement::Right };
        if let (Some(first), Some(again)) = (measured.first, measured.again) {
            let figures = Figures { first: first.median, again: again.median, peak_bytes };
            self.shared.answered[self.place].borrow_mut().insert(row, figures);
        }
        Ok(measured)
    }

    fn ask(&self, row: usize, repeats: usize) -> Result<Value, String> {
        let mut process = Process::start(&mut (self.command)(), PATIENCE)?;
        let reply = process.ask(&json!({
            "sql": self.shared.texts[row],
            "repeats": repeats,
            "at_most": repeats * AT_MOST,
            "enough_ns": if repeats == 0 { 0 } else { ENOUGH.as_nanos() as u64 },
        }))?;
        match reply["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(reply),
        }
    }

    /// The geometric means over the queries that every system has answered right.
    fn mean(&self) -> Result<Measured, String> {
        let own = self.shared.answered[self.place].borrow();
        let by_all = |row: &usize| self.shared.answered.iter().all(|answered| answered.borrow().contains_key(row));
        let figures: Vec<Figures> = own.iter().filter(|(row, _)| by_all(row)).map(|(_, figures)| *figures).collect();
        if figures.is_empty() {
            return Err("no query was answered by every system".into());
        }
        let mean = |time: fn(&Figures) -> Duration| Statistics::of(&[geometric_mean(figures.iter().map(time))]);
        let (first, again) = (mean(|figures| figures.first), mean(|figures| figures.again));
        Ok(Measured { first, again, judgement: Judgement::Right })
    }

    /// The most memory of a query: a byte in place of a nanosecond.
    fn memory(&self) -> Result<Measured, String> {
        let answered = self.shared.answered[self.place].borrow();
        let most = answered.values().map(|figures| figures.peak_bytes).max().filter(|bytes| *bytes > 0);
        let most = most.ok_or("the system does not report its memory")?;
        Ok(Measured { first: None, again: Statistics::of(&[Duration::from_nanos(most)]), judgement: Judgement::Right })
    }
}

fn geometric_mean(times: impl Iterator<Item = Duration>) -> Duration {
    let logarithms: Vec<f64> = times.map(|time| time.as_secs_f64().max(1e-9).ln()).collect();
    Duration::from_secs_f64((logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(answered: [&[(usize, u64)]; 2]) -> Runner {
        let figures = |&(row, ms): &(usize, u64)| {
            let time = Duration::from_millis(ms);
            (row, Figures { first: time * 2, again: time, peak_bytes: ms * 1_000_000 })
        };
        let answered = answered.map(|rows| RefCell::new(rows.iter().map(figures).collect())).into_iter().collect();
        let shared = Rc::new(Shared { texts: Vec::new(), truth: BTreeMap::new(), answered });
        let command = Box::new(|| Command::new("no such program"));
        Runner { name: "System", description: String::new(), command, shared, place: 0 }
    }

    #[test]
    fn a_mean_is_over_the_queries_that_both_answered() {
        let mut runner = runner([&[(0, 2), (1, 8), (2, 500)], &[(0, 1), (1, 1)]]);
        let mean = runner.measure(MEAN, 5).unwrap();
        let is_near = |time: Option<Statistics>, ms: f64| (time.unwrap().median.as_secs_f64() * 1e3 - ms).abs() < 1e-3;
        assert!(is_near(mean.again, 4.0) && is_near(mean.first, 8.0), "{mean:?}");
        assert_eq!(runner.measure(MEMORY, 5).unwrap().again.unwrap().median, Duration::from_nanos(500_000_000));
    }

    #[test]
    fn a_system_that_does_not_start_has_failed() {
        let mut runner = runner([&[], &[]]);
        let failed = |measured: Option<Measured>| matches!(measured.unwrap().judgement, Judgement::Failed(_));
        assert!(failed(runner.measure(MEAN, 5)) && failed(runner.measure(MEMORY, 5)) && failed(runner.measure(0, 5)));
    }
}
