//! Findings: errors of a file, worded so that a person can find the place.

use std::fmt;
use std::path::{Path, PathBuf};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Unusual, but every value is read as it was written (a wrong count that is explained by an
    /// append in progress, a byte that the code page does not map).
    Warning,
    /// Some values or rows cannot be read, or an index cannot be trusted.
    Error,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The file.
    pub path: PathBuf,
    /// Where in it: `record 17, field AMT`, `page at byte 4096`. Empty when it is about the whole file.
    pub place: String,
    /// The error, as a sentence without its full stop.
    pub message: String,
    /// The cause without the data of the place, for counts by cause; `None` where the message has no data of its own.
    pub cause: Option<&'static str>,
    /// The number of places that it stands for: more than one where the others of a cause are counted together.
    pub count: u64,
}

impl Finding {
    /// A finding about one place, whose message is its cause.
    pub fn new(severity: Severity, path: &Path, place: impl Into<String>, message: impl Into<String>) -> Finding {
        let (path, place, message) = (path.to_owned(), place.into(), message.into());
        Finding { severity, path, place, message, cause: None, count: 1 }
    }

    /// The same with a cause.
    pub fn of_cause(self, cause: &'static str) -> Finding {
        Finding { cause: Some(cause), ..self }
    }

    /// The cause in words: the same for all findings that differ in their data only.
    pub fn cause(&self) -> &str {
        self.cause.unwrap_or(&self.message)
    }

    /// The finding without its severity, for places that have a word of their own in front: a notice, a note.
    pub fn text(&self) -> String {
        let place = if self.place.is_empty() { String::new() } else { format!(", {}", self.place) };
        format!("{}{place}: {}", self.path.display(), self.message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.text())
    }
}

/// Findings that are counted by severity and cause, behind others that are listed one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rest(Vec<(Severity, &'static str, u64)>);

impl Rest {
    /// Counts findings of a cause.
    pub(crate) fn count(&mut self, severity: Severity, cause: &'static str, number: u64) {
        match self.0.iter_mut().find(|known| (known.0, known.1) == (severity, cause)) {
            Some(known) => known.2 += number,
            None => self.0.push((severity, cause, number)),
        }
    }

    /// Counts those of a later run.
    pub(crate) fn append(&mut self, other: Rest) {
        other.0.into_iter().for_each(|(severity, cause, number)| self.count(severity, cause, number));
    }

    /// A finding for each cause, in the order in which they came first. `listed` are the findings before them.
    pub(crate) fn list(self, path: &Path, place: &str, listed: &[Finding]) -> Vec<Finding> {
        let cause = self.0.first().map(|(_, cause, _)| *cause);
        let is_one = self.0.len() == 1 && listed.iter().all(|finding| finding.cause == cause);
        let counted = self.0.into_iter().map(|(severity, cause, count)| {
            let message = match is_one {
                true => format!("and {count} more like these"),
                false => format!("and {count} more: {cause}"),
            };
            Finding { count, ..Finding::new(severity, path, place, message).of_cause(cause) }
        });
        counted.collect()
    }
}
