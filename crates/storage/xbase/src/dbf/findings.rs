//! Findings from decoding values: the first few in full, the rest counted by cause.

use crate::finding::{Finding, Rest, Severity};
use std::path::{Path, PathBuf};

/// The number of findings kept in full. A column of a million broken numbers is one problem, not a million.
const KEPT: usize = 16;

/// The first findings, and how many there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first of them, in the order of the records.
    pub first: Vec<Finding>,
    /// All of them.
    pub total: u64,
    rest: Rest,
}

impl Findings {
    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Adds one by its cause, which contains no data. Path, place and message are made only if they are kept.
    pub fn push(
        &mut self,
        severity: Severity,
        cause: &'static str,
        describe: impl FnOnce() -> (PathBuf, String, String),
    ) {
        self.total += 1;
        if self.first.len() < KEPT {
            let (path, place, message) = describe();
            self.first.push(Finding { severity, path, place, message, cause: Some(cause), count: 1 });
        } else {
            self.rest.count(severity, cause, 1);
        }
    }

    /// Adds those of a later run of records.
    pub fn append(&mut self, other: Findings) {
        self.total += other.total;
        let mut first = other.first.into_iter();
        let room = KEPT.saturating_sub(self.first.len());
        self.first.extend(first.by_ref().take(room));
        for finding in first {
            self.rest.count(finding.severity, finding.cause.unwrap_or_default(), finding.count);
        }
        self.rest.append(other.rest);
    }

    /// Moves them into a list. Behind the first, an entry for each cause counts the others.
    pub fn list_into(self, path: &Path, place: &str, list: &mut Vec<Finding>) {
        let rest = self.rest.list(path, place, &self.first);
        list.extend(self.first.into_iter().chain(rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The causes and counts of a list, in its order.
    fn listed(findings: Findings) -> Vec<(String, u64)> {
        let mut list = Vec::new();
        findings.list_into(Path::new("a.dbf"), "field A", &mut list);
        list.into_iter().map(|finding| (finding.message, finding.count)).collect()
    }

    fn pushed(causes: &[(&'static str, usize)]) -> Findings {
        let mut findings = Findings::default();
        for (cause, number) in causes {
            for _ in 0..*number {
                findings.push(Severity::Error, cause, || (PathBuf::from("a.dbf"), String::new(), "in full".to_owned()));
            }
        }
        findings
    }

    #[test]
    fn findings_behind_the_first_are_counted_by_cause() {
        let last = |findings| listed(findings).split_off(KEPT);
        assert_eq!(listed(pushed(&[("a", KEPT)])).len(), KEPT);
        assert_eq!(last(pushed(&[("a", KEPT + 3)])), [("and 3 more like these".to_owned(), 3)]);
        let mixed = [("and 3 more: a".to_owned(), 3), ("and 2 more: b".to_owned(), 2)];
        assert_eq!(last(pushed(&[("a", KEPT + 1), ("b", 2), ("a", 2)])), mixed);
        // The first of a later run of records are counted, if there is no room for them.
        let mut appended = pushed(&[("a", KEPT)]);
        appended.append(pushed(&[("a", 3), ("b", 2)]));
        assert_eq!((appended.total, last(appended)), (KEPT as u64 + 5, mixed.to_vec()));
    }
}
