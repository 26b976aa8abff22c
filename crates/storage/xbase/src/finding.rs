//! Findings: errors of a file, worded so that a person can find the place.

use std::fmt;
use std::path::PathBuf;

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
}

impl Finding {
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
