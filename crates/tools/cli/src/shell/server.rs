//! Batches of the shell on a server, and their answers.
//!
//! Results go where all results go. Messages of PRINT, errors in the form of `sqlcmd` and counts go to standard error. The
//! line of an error is counted from the beginning of the script.

use super::{Shell, elapsed, labelled};
use crate::errors::Failure;
use crate::interrupt;
use crate::output::table;
use crate::progress::Bar;
use crate::remote::{AT_LOGIN, Remote, Rows};
use mainstay_tds_client::{Column, Command, Event, Message};
use mainstay_types::{Code, Error};
use std::time::Instant;

impl Shell {
    /// Runs a batch on the server, before which so many lines of the script stand.
    pub(crate) fn run_remote(&mut self, text: &str, lines_before: usize) -> Result<(), Failure> {
        let Some(mut remote) = self.remote.take() else {
            return Err(Error::new(Code::ConnectionLost, "there is no connection to a server").into());
        };
        let done = self.run_on(&mut remote, text, lines_before);
        if done.is_err() {
            remote.abandon();
        }
        self.remote = Some(remote);
        done
    }

    /// Runs a statement on the server that has the folder's native tables, which were needed here and are not at hand.
    pub(crate) fn run_at_owner(&mut self, text: &str, refused: Error) -> Result<(), Failure> {
        if self.remote.is_none() {
            let address = self.owner.clone().ok_or(Failure::Error(refused))?;
            let remote = Remote::connect(&address)?;
            self.tell(&format!(
                "a server has the native tables of this folder open: statements about them go to {}, as T-SQL",
                remote.place()
            ))?;
            self.remote = Some(remote);
        }
        self.is_all_remote = false;
        self.run_remote(text, 0)
    }

    /// The server to which a refused statement can go instead.
    pub(crate) fn has_owner(&self, error: &Error) -> bool {
        let lock = self.database.path().join(".mainstay").join("lock");
        let is_store = error.place().is_some_and(|place| *place == lock.display().to_string());
        error.code() == Code::Busy && is_store && self.owner.is_some()
    }

    fn run_on(&mut self, remote: &mut Remote, text: &str, lines_before: usize) -> Result<(), Failure> {
        let started = Instant::now();
        if remote.revive()? {
            self.tell("connected again: temporary tables, settings and the transaction of the session are gone")?;
        }
        let stop = remote.stop();
        let stops = Box::new(move || stop.store(true, std::sync::atomic::Ordering::Relaxed));
        // Without values a batch is not a call: temporary tables that it makes outlive it.
        let takes_any = crate::parameters::are_named(text, self.parameters.len());
        let parameters = if takes_any { self.parameters.clone() } else { Vec::new() };
        remote.send(text, &parameters)?;
        let _cancels = interrupt::stops(stops, self.conduct.interactive);
        let mut failed = false;
        loop {
            match remote.next_event()? {
                Event::Ready => break,
                Event::Columns(columns) => self.show_rows(remote, &columns)?,
                Event::Message(message) => failed |= self.tell_message(&message, lines_before)?,
                Event::Database(name) => remote.database = name,
                Event::Done { command, count: Some(count), failed: false } => self.tell_count(command, count)?,
                _ => {}
            }
        }
        if remote.was_cancelled() {
            return Err(
                Error::new(Code::Cancelled, "the batch was stopped; a transaction that was open still is").into()
            );
        }
        if self.conduct.timer {
            self.tell(&format!("time: {}", elapsed(started.elapsed())))?;
        }
        if failed { Err(self.fail_reported()) } else { Ok(()) }
    }

    fn show_rows(&mut self, remote: &mut Remote, columns: &[Column]) -> Result<(), Failure> {
        let mut rows = Rows::new(columns);
        let schema = rows.schema();
        let bar = Bar::start(self.session.progress(), false);
        let notices = self.write(self.format(), &schema, &bar, || remote.next_batch(&mut rows))?;
        notices.iter().try_for_each(|notice| self.tell(&labelled(notice)))
    }

    /// Writes a message; true if it is an error.
    fn tell_message(&mut self, message: &Message, lines_before: usize) -> Result<bool, Failure> {
        let Message { number, severity, state, line, text, procedure } = message;
        if !message.is_error() {
            if !AT_LOGIN.contains(number) {
                self.tell(&printable_lines(text))?;
            }
            return Ok(false);
        }
        // Lines of a procedure are its own.
        let (place, line) = match procedure {
            Some(procedure) => (format!(", Procedure {procedure}"), u64::from(*line)),
            None => (String::new(), u64::from(*line) + lines_before as u64),
        };
        self.tell(&format!("Msg {number}, Level {severity}, State {state}{place}, Line {line}"))?;
        self.tell(&printable_lines(text))?;
        Ok(true)
    }

    fn tell_count(&mut self, command: Command, count: u64) -> Result<(), Failure> {
        let is_change = ![Command::SELECT, Command::NONE, Command::EXECUTE].contains(&command);
        match is_change && self.on_screen() {
            true => self.tell(&format!("{} changed", table::count(count, "row"))),
            false => Ok(()),
        }
    }
}

/// The lines of a message, with other control characters written out. Servers end lines with CR LF.
fn printable_lines(text: &str) -> String {
    let line = |line: &str| {
        let columns = line.strip_suffix('\r').unwrap_or(line).split('\t');
        columns.map(|column| table::printable(column.to_owned())).collect::<Vec<_>>().join("\t")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_messages_are_lines_of_the_terminal() {
        assert_eq!(printable_lines("\r\n Times:\r\n   CPU\t= 0 ms."), "\n Times:\n   CPU\t= 0 ms.");
        assert_eq!(printable_lines("a\u{1b}[2J\rb\nc"), "a\\u{1b}[2J\\rb\nc");
    }
}
