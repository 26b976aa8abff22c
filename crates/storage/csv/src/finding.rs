//! Findings about a file, with the place of each.
//!
//! A file of a million ragged rows has one problem, not a million: of each kind of finding the first
//! hundred are stored, the others are counted and reported in one more finding.

use std::fmt;
use std::path::PathBuf;

/// The number of findings of one kind that are stored.
const KEPT_PER_KIND: usize = 100;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Unusual, but every value is read as it was written.
    Warning,
    /// Something in the file is not part of the table, or is likely not what its writer meant.
    Error,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, as a text editor counts them (line ends inside quotes count).
    pub line: u64,
    /// The column in that line in bytes, from 1.
    pub column: u64,
    /// The message, as a sentence without its full stop.
    pub message: String,
    /// The cause in the plural, without the data of the place: `rows with too few fields`.
    pub cause: &'static str,
    /// The number of places that it stands for: more than one where those that are not stored are counted.
    pub count: u64,
}

impl Finding {
    /// Where in the file it is.
    pub fn place(&self) -> String {
        format!("line {}, column {}", self.line, self.column)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}, {}: {}", self.path.display(), self.place(), self.message)
    }
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    TooManyFields,
    TooFewFields,
    UnterminatedQuote,
    TextAfterQuote,
    NulByte,
    MixedLineEnds,
    NotUtf8,
    NotOfType,
    Ambiguous,
}

impl Kind {
    pub(crate) const ALL: [Kind; 9] = [
        Kind::TooManyFields,
        Kind::TooFewFields,
        Kind::UnterminatedQuote,
        Kind::TextAfterQuote,
        Kind::NulByte,
        Kind::MixedLineEnds,
        Kind::NotUtf8,
        Kind::NotOfType,
        Kind::Ambiguous,
    ];

    pub(crate) fn severity(self) -> Severity {
        match self {
            Kind::TooManyFields | Kind::UnterminatedQuote | Kind::TextAfterQuote | Kind::NotOfType => Severity::Error,
            Kind::TooFewFields | Kind::NulByte | Kind::MixedLineEnds | Kind::NotUtf8 | Kind::Ambiguous => {
                Severity::Warning
            }
        }
    }

    /// The kind as a plural, for counts: `7 rows with too many fields`.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Kind::TooManyFields => "rows with too many fields",
            Kind::TooFewFields => "rows with too few fields",
            Kind::UnterminatedQuote => "quotes that are not closed",
            Kind::TextAfterQuote => "fields with text after their closing quote",
            Kind::NulByte => "NUL bytes",
            Kind::MixedLineEnds => "line ends of another kind",
            Kind::NotUtf8 => "bytes that are not UTF-8",
            Kind::NotOfType => "values that are not of their column's type, and are NULL",
            Kind::Ambiguous => "columns with ambiguous points, and are text",
        }
    }
}

/// The findings of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfKind {
    pub(crate) count: u64,
    /// The first of them: line, column, message.
    pub(crate) kept: Vec<(u64, u64, String)>,
}

/// The findings of one file, by kind.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    kinds: Vec<OfKind>,
}

impl Findings {
    pub(crate) fn new() -> Findings {
        Findings { kinds: vec![OfKind::default(); Kind::ALL.len()] }
    }

    /// Counts one, and keeps it if there are not too many yet.
    pub(crate) fn add(&mut self, kind: Kind, line: u64, column: u64, message: impl FnOnce() -> String) {
        let of_kind = &mut self.kinds[kind as usize];
        of_kind.count += 1;
        if of_kind.kept.len() < KEPT_PER_KIND {
            of_kind.kept.push((line, column, message()));
        }
    }

    /// Returns true if the next one of this kind would still be kept.
    pub(crate) fn has_room(&self, kind: Kind) -> bool {
        self.of(kind).kept.len() < KEPT_PER_KIND
    }

    /// Counts further findings without their places.
    pub(crate) fn count_more(&mut self, kind: Kind, count: u64) {
        self.kinds[kind as usize].count += count;
    }

    pub(crate) fn of(&self, kind: Kind) -> &OfKind {
        &self.kinds[kind as usize]
    }

    /// All of them, in the order of their places.
    pub(crate) fn list(&self, path: &std::path::Path) -> Vec<Finding> {
        let mut list = Vec::new();
        for kind in Kind::ALL {
            let of_kind = self.of(kind);
            let finding = |&(line, column, ref message): &(u64, u64, String)| Finding {
                severity: kind.severity(),
                path: path.to_owned(),
                line,
                column,
                message: message.clone(),
                cause: kind.plural(),
                count: 1,
            };
            list.extend(of_kind.kept.iter().map(finding));
            let more = of_kind.count - of_kind.kept.len() as u64;
            if let (1.., Some(&(line, column, _))) = (more, of_kind.kept.last()) {
                let counted = finding(&(line, column, format!("after this, {more} more {}", kind.plural())));
                list.push(Finding { count: more, ..counted });
            }
        }
        list.sort_by_key(|finding| (finding.line, finding.column));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_of_a_kind_are_counted_and_do_not_hide_another_kind() {
        let mut findings = Findings::new();
        for line in 0..500 {
            findings.add(Kind::TooFewFields, line, 1, || "short".into());
        }
        findings.add(Kind::NulByte, 3, 2, || "zero".into());
        let list = findings.list(std::path::Path::new("a.csv"));
        assert_eq!(list.len(), 102);
        assert_eq!(
            list[101].to_string(),
            "warning: a.csv, line 99, column 1: after this, 400 more rows with too few fields"
        );
        assert!(list.iter().any(|finding| finding.message == "zero"));
        let short = list.iter().filter(|finding| finding.cause == "rows with too few fields");
        assert_eq!(short.map(|finding| finding.count).sum::<u64>(), 500);
    }
}
