//! The report: tables, files, and findings with their places.

use crate::Dialect;
use crate::inventory::{Dictionary, Table};
use mainstay_types::compatibility::{Construct, Occurrence, Support};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Places of a finding that are kept; the count goes on.
const MOST_PLACES: usize = 1_000;

/// A construct or a cause, with all places where it was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The dialect.
    pub dialect: Dialect,
    /// The row of the dialect's table.
    pub construct: &'static Construct,
    /// A name or message that distinguishes uses of one construct; may be empty.
    pub subject: String,
    /// The number of the error that the dialect gives; `None` where there is none.
    pub code: Option<i32>,
    /// How often it was found.
    pub count: u64,
    /// The places, in the order of files and lines: at most the first thousand.
    pub places: Vec<Place>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
}

/// A script, program or project that was read.
#[derive(Clone, Debug)]
pub struct File {
    /// The file.
    pub path: PathBuf,
    /// The dialect that it was read in.
    pub dialect: Dialect,
    /// Statements; lines of a program.
    pub statements: u64,
    /// Statements without a finding.
    pub supported: u64,
    /// How it was read, where that is not certain: the dialect or the code page that was chosen, objects of a package.
    pub note: String,
}

/// A class with counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Different findings.
    pub kinds: u64,
    /// All of their uses; for the class "supported" statements without a finding.
    pub uses: u64,
}

/// The answer to whether the application can move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was found that needs a person.
    #[default]
    Ready,
    /// Everything works; some of it is to be looked at.
    Review,
    /// Something is not supported.
    Changes,
}

/// The number of statements that no occurrence is about.
pub(crate) fn supported(statements: u64, occurrences: &[Occurrence]) -> u64 {
    let found: HashSet<u64> = occurrences.iter().filter_map(|occurrence| occurrence.statement).collect();
    statements.saturating_sub(found.len() as u64)
}

/// The report of an assessment.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The paths that were asked for.
    pub paths: Vec<PathBuf>,
    /// The tables, by their paths.
    pub tables: Vec<Table>,
    /// Data dictionaries and database containers.
    pub dictionaries: Vec<Dictionary>,
    /// Scripts, programs and projects.
    pub files: Vec<File>,
    /// Findings: the gravest class first, and within it the most frequent.
    pub findings: Vec<Finding>,
    /// Files that are named by their number only, by extension.
    pub others: BTreeMap<String, u64>,
    /// Files and folders that could not be read, with the reason.
    pub unread: Vec<(PathBuf, String)>,
    pub(crate) pending: BTreeMap<(Dialect, &'static str, String), Finding>,
}

impl Report {
    /// Adds an occurrence in a file.
    pub(crate) fn add(&mut self, dialect: Dialect, path: &Path, occurrence: Occurrence) {
        self.add_many(dialect, path, occurrence, 1);
    }

    /// Adds an occurrence that stands for several.
    pub(crate) fn add_many(&mut self, dialect: Dialect, path: &Path, occurrence: Occurrence, count: u64) {
        let Occurrence { construct, subject, code, line, statement: _ } = occurrence;
        let subject = subject.into_owned();
        let key = (dialect, construct.id, subject.clone());
        let finding = self.pending.entry(key).or_insert_with(|| Finding {
            dialect,
            construct,
            subject,
            code,
            count: 0,
            places: Vec::new(),
        });
        finding.count += count;
        let place = Place { path: path.to_owned(), line };
        if finding.places.len() < MOST_PLACES && finding.places.last() != Some(&place) {
            finding.places.push(place);
        }
    }

    /// Sorts the findings.
    pub(crate) fn finish(&mut self) {
        self.findings = std::mem::take(&mut self.pending).into_values().collect();
        self.findings.sort_by(|one, other| {
            let key = |it: &Finding| (std::cmp::Reverse(it.construct.support), std::cmp::Reverse(it.count));
            key(one).cmp(&key(other))
        });
        self.files.sort_by(|one, other| one.path.cmp(&other.path));
        self.unread.sort();
    }

    /// A class with its counts.
    pub fn class(&self, support: Support) -> Class {
        if support == Support::Supported {
            return Class { kinds: 0, uses: self.files.iter().map(|file| file.supported).sum() };
        }
        let found = self.findings.iter().filter(|finding| finding.construct.support == support);
        found.fold(Class::default(), |all, finding| Class { kinds: all.kinds + 1, uses: all.uses + finding.count })
    }

    /// The findings of a class, those of one construct together; the most frequent constructs first.
    pub(crate) fn groups(&self, support: Support) -> Vec<Vec<&Finding>> {
        let mut groups: Vec<Vec<&Finding>> = Vec::new();
        for finding in self.findings.iter().filter(|finding| finding.construct.support == support) {
            let is_same = |group: &&mut Vec<&Finding>| {
                let first = group.first().map(|first| (first.dialect, first.construct.id));
                first == Some((finding.dialect, finding.construct.id))
            };
            match groups.iter_mut().find(is_same) {
                Some(group) => group.push(finding),
                None => groups.push(vec![finding]),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.iter().map(|finding| finding.count).sum::<u64>()));
        groups
    }

    /// The answer of the report.
    pub fn verdict(&self) -> Verdict {
        let has = |support| self.class(support).kinds > 0;
        match () {
            () if has(Support::NotSupported) => Verdict::Changes,
            () if has(Support::ReviewSemantics) || has(Support::ReviewPerformance) => Verdict::Review,
            () if !self.unread.is_empty() => Verdict::Review,
            () => Verdict::Ready,
        }
    }

    /// The answer as a sentence.
    pub fn verdict_text(&self) -> String {
        let kinds = |support| self.class(support).kinds;
        let review = kinds(Support::ReviewSemantics) + kinds(Support::ReviewPerformance);
        let unread = match self.unread.len() {
            0 => String::new(),
            number => format!(" Could not be read: {}.", crate::text::count(number as u64, "file")),
        };
        let refused = kinds(Support::NotSupported);
        let answer = match self.verdict() {
            Verdict::Changes => format!("changes are needed (not supported: {refused}, to review: {review})."),
            Verdict::Review => format!("can move after a review (to review: {review})."),
            Verdict::Ready if self.tables.is_empty() && self.files.is_empty() => {
                "nothing to assess: no tables, scripts or programs were found.".to_owned()
            }
            Verdict::Ready => "can move as it is: nothing was found that needs a change or a review.".to_owned(),
        };
        answer + &unread
    }
}
