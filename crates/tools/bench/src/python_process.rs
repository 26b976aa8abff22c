//! A script in a Python process that answers requests, each a line of JSON.
//!
//! A process that ends, answers too late or writes anything else is killed for good: each later request gives the same
//! error, and the benchmark goes on without it.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A script in a Python process: one line of JSON for each request and each answer.
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    patience: Duration,
    ended: Option<String>,
}

impl Process {
    /// Starts a script; each of its answers may take so long.
    ///
    /// Errors: an interpreter that does not start.
    pub(crate) fn start(command: &mut Command, patience: Duration) -> Result<Process, String> {
        let program = std::path::PathBuf::from(command.get_program());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("Python has no standard input or output".into());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, input, lines, patience, ended: None })
    }

    /// Sends a request and reads its answer.
    ///
    /// Errors: a process that has ended, answers too late or with something else; it stays ended.
    pub(crate) fn ask(&mut self, request: &Value) -> Result<Value, String> {
        if let Some(reason) = &self.ended {
            return Err(reason.clone());
        }
        match writeln!(self.input, "{request}") {
            Ok(()) => self.next_line(),
            Err(_) => Err(self.end("its process has ended")),
        }
    }

    /// The next line of the script.
    ///
    /// Errors: as [`Process::ask`].
    pub(crate) fn next_line(&mut self) -> Result<Value, String> {
        match self.lines.recv_timeout(self.patience) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| self.end("it wrote something that is not JSON")),
            Err(RecvTimeoutError::Timeout) => Err(self.end(&format!("no answer within {} s", self.patience.as_secs()))),
            Err(RecvTimeoutError::Disconnected) => Err(self.end("its process has ended")),
        }
    }

    /// Stops the process for good and remembers why.
    fn end(&mut self, reason: &str) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.ended = Some(reason.to_owned());
        reason.to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
