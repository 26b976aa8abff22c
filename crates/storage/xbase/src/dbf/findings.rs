//! Findings from decoding values: the first few in full, the rest counted.

use crate::{Finding, Severity};
use std::path::Path;

/// The number of findings kept in full. A column of a million broken numbers is one problem, not a million.
const KEPT: usize = 16;

/// The first findings, and how many there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first of them, in the order of the records.
    pub first: Vec<Finding>,
    /// All of them.
    pub total: u64,
}

impl Findings {
    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Adds one; the text is made only if it is kept.
    pub fn push(&mut self, make: impl FnOnce() -> Finding) {
        if self.first.len() < KEPT {
            self.first.push(make());
        }
        self.total += 1;
    }

    /// Adds those of a later run of records.
    pub fn append(&mut self, other: Findings) {
        let room = KEPT.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
        self.total += other.total;
    }

    /// Moves them into a list, with a last entry that counts those not kept.
    pub fn list_into(self, path: &Path, place: &str, list: &mut Vec<Finding>) {
        let more = self.total - self.first.len() as u64;
        let severity = self.first.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Warning);
        list.extend(self.first);
        if more > 0 {
            let message = format!("and {more} more like these");
            list.push(Finding { severity, path: path.to_owned(), place: place.to_owned(), message });
        }
    }
}
