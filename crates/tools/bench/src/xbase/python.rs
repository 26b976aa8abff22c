//! DuckDB and Polars, each in a separate Python process, if their packages are installed.
//!
//! The script (`peers.py`) loads the table once, then answers one JSON line per row on its standard output: the times
//! inside Python and the last answer, for the check. A peer that does not start, does not answer in time or ends is
//! named in the notes and left out; it never stops the run.

use super::data::Data;
use super::questions::Question;
use crate::answer::from_json;
use crate::python_process::Process;
use crate::statistics::{AT_MOST, ENOUGH, Statistics};
use crate::suite::{Judgement, Measured, System};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

/// The script that the processes run.
pub const SCRIPT: &str = include_str!("peers.py");
/// How long a peer may take to load the table, or for all runs of one row.
const PATIENCE: Duration = Duration::from_secs(60);

/// A peer in a Python process.
pub struct Python {
    name: &'static str,
    description: String,
    process: Process,
    questions: Rc<Vec<Question>>,
    data: Rc<Data>,
}

impl Python {
    /// Starts the peer of this name ("DuckDB", "Polars") on a CSV with the table, or says why it cannot.
    pub fn start(
        name: &'static str,
        script: &Path,
        csv: &Path,
        questions: Rc<Vec<Question>>,
        data: Rc<Data>,
    ) -> Result<Python, String> {
        let mut process = Process::start(Command::new("python3").arg("-u").arg(script).arg(name).arg(csv), PATIENCE)?;
        let hello = process.next_line()?;
        match (hello["ready"].as_str(), hello["absent"].as_str()) {
            (Some(ready), _) => Ok(Python { name, description: ready.to_owned(), process, questions, data }),
            (None, absent) => Err(absent.unwrap_or("it said nothing about itself").to_owned()),
        }
    }

    fn measured(&mut self, row: usize, repeats: usize) -> Result<Measured, String> {
        let question = &self.questions[row];
        let request = json!({
            "row": question.row.key,
            "sql": question.row.text,
            "repeats": repeats,
            "at_most": repeats * AT_MOST,
            "enough_ns": ENOUGH.as_nanos() as u64,
        });
        let reply = self.process.ask(&request)?;
        if let Some(error) = reply["error"].as_str() {
            return Err(error.to_owned());
        }
        let times = reply["times"].as_array().map(Vec::as_slice).unwrap_or_default();
        let times: Vec<Duration> = times.iter().filter_map(Value::as_u64).map(Duration::from_nanos).collect();
        let rows = from_json(&reply["rows"]).ok_or("its answer could not be read")?;
        let judgement = (question.check)(&self.data, &rows).map_or_else(Judgement::Wrong, |()| Judgement::Right);
        Ok(Measured { first: None, again: Statistics::of(&times), judgement })
    }
}

impl System for Python {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        Some(self.measured(row, repeats).unwrap_or_else(Measured::failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python_runs() -> bool {
        Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success())
    }

    fn start(script: &str) -> Process {
        Process::start(Command::new("python3").arg("-u").arg("-c").arg(script), PATIENCE)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_peer_that_dies_or_babbles_is_an_error_and_stays_one() {
        if !python_runs() {
            return;
        }
        let mut dies = start("import sys; print('{}'); sys.stdin.readline(); sys.exit(3)");
        assert_eq!(dies.next_line(), Ok(json!({})));
        assert!(dies.ask(&json!({})).unwrap_err().contains("ended"));
        assert!(dies.ask(&json!({})).unwrap_err().contains("ended"));
        assert!(start("print('hello')").next_line().unwrap_err().contains("not JSON"));
    }

    #[test]
    fn the_script_is_python_and_knows_no_peer_of_another_name() {
        if !python_runs() {
            return;
        }
        let mut process =
            Process::start(Command::new("python3").args(["-u", "-c", SCRIPT, "Nobody", "none.csv"]), PATIENCE)
                .unwrap_or_else(|error| panic!("{error}"));
        assert!(process.next_line().unwrap()["absent"].is_string());
    }
}
