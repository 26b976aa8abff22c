//! DuckDB in a Python process, if its package is installed. It has no check of its files.

use super::{Engine, Ran, Task, data, failed};
use crate::answer::from_json;
use crate::python_process::Process;
use crate::scratch::{Scratch, folder_bytes};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const SCRIPT: &str = include_str!("peer.py");
/// How long it may take for one load.
const PATIENCE: Duration = Duration::from_secs(600);

/// The process and the folder of its database.
pub(super) struct DuckDb {
    process: Process,
    description: String,
    folder: PathBuf,
}

impl DuckDb {
    /// Starts the process, or says why it cannot.
    pub(super) fn start(scratch: &Scratch) -> Result<DuckDb, String> {
        let folder = scratch.folder("duckdb").map_err(|error| error.to_string())?;
        let files = data::folder(scratch).map_err(|error| error.to_string())?;
        let mut command = Command::new("python3");
        command.args(["-u", "-c", SCRIPT]).arg(&folder).arg(files.join(data::CSV)).arg(files.join(data::PARQUET));
        let mut process = Process::start(&mut command, PATIENCE)?;
        let hello = process.next_line()?;
        match (hello["ready"].as_str(), hello["absent"].as_str()) {
            (Some(ready), _) => Ok(DuckDb { process, description: ready.to_owned(), folder }),
            (None, absent) => Err(absent.unwrap_or("it said nothing about itself").to_owned()),
        }
    }

    fn ask(&mut self, task: Task) -> Ran {
        let reply = self.process.ask(&json!({ "task": task.key() })).map_err(failed)?;
        if let Some(error) = reply["error"].as_str() {
            return Err(failed(error));
        }
        let time = reply["ns"].as_u64().ok_or_else(|| failed("its time could not be read"))?;
        let rows = from_json(&reply["rows"]).ok_or_else(|| failed("its answer could not be read"))?;
        Ok((Duration::from_nanos(time), rows))
    }
}

impl Engine for DuckDb {
    fn name(&self) -> &'static str {
        "DuckDB"
    }

    fn description(&self) -> String {
        self.description.clone()
    }

    fn run(&mut self, task: Task) -> Option<Ran> {
        (task != Task::Check).then(|| self.ask(task))
    }

    fn bytes(&self) -> Option<u64> {
        folder_bytes(&self.folder).ok()
    }
}
