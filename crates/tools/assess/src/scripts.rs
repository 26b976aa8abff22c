//! Scripts of SQL: their dialect, and the constructs in them.
//!
//! A script says in no place which dialect it is in. Where it is not given, each parser reads the script, and the one that
//! leaves the fewest statements unread is taken; T-SQL where several do. A line GO is T-SQL's, and a file below
//! `procedures/advantage` is Advantage SQL.

use crate::report::{File, Report, supported};
use crate::{Dialect, collect};
use mainstay_ads_syntax::compatibility as ads;
use mainstay_informix_syntax::compatibility as informix;
use mainstay_tsql_syntax::compatibility as tsql;
use mainstay_tsql_syntax::{Options, batches, parse, script_text, sqlcmd};
use mainstay_types::compatibility::Assessed;
use mainstay_vfs::FileSystem;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The dialects of scripts, in the order in which they win.
const DIALECTS: [Dialect; 3] = [Dialect::Tsql, Dialect::Ads, Dialect::Informix];

/// The objects that all scripts define, in each dialect.
#[derive(Default)]
struct Names {
    tsql: tsql::Names,
    ads: ads::Names,
    informix: informix::Names,
}

impl Names {
    fn add(&mut self, text: &str, dialect: Dialect) {
        match dialect {
            Dialect::Ads => self.ads.add(text),
            Dialect::Informix => self.informix.add(text),
            _ => {
                for batch in batches(text) {
                    self.tsql.add(&parse(batch.text, Options::default()).statements);
                }
            }
        }
    }

    fn assess(&self, text: &str, dialect: Dialect) -> Assessed {
        match dialect {
            Dialect::Ads => ads::assess(text, &self.ads),
            Dialect::Informix => informix::assess(text, &self.informix),
            _ => {
                let mut all = Assessed::default();
                for batch in batches(text) {
                    let found = tsql::assess(batch.text, batch.first_line, &self.tsql);
                    // Statements count through the script.
                    let before = all.statements;
                    all.statements += found.statements;
                    all.occurrences.extend(found.occurrences.into_iter().map(|mut occurrence| {
                        occurrence.statement = occurrence.statement.map(|statement| statement + before);
                        occurrence
                    }));
                }
                all
            }
        }
    }
}

/// Assesses scripts. Every script is read twice: for the names that it defines, and for its constructs.
pub(crate) fn assess(fs: &dyn FileSystem, paths: &BTreeSet<PathBuf>, dialect: Option<Dialect>, report: &mut Report) {
    let mut names = Names::default();
    let mut chosen: Vec<(&PathBuf, Dialect, String)> = Vec::new();
    for path in paths {
        match read(fs, path) {
            Ok((text, note)) => {
                let (dialect, reason) = match dialect {
                    Some(dialect) => (dialect, String::new()),
                    None => dialect_of(path, &text),
                };
                names.add(&text, dialect);
                let notes: Vec<String> = [reason, note].into_iter().filter(|note| !note.is_empty()).collect();
                chosen.push((path, dialect, notes.join("; ")));
            }
            Err(reason) => report.unread.push((path.clone(), reason)),
        }
    }
    for (path, dialect, note) in chosen {
        // Texts are read again, so that the memory is that of one script.
        let Ok((text, _)) = read(fs, path) else { continue };
        let Assessed { statements, occurrences } = names.assess(&text, dialect);
        let supported = supported(statements, &occurrences);
        report.files.push(File { path: path.clone(), dialect, statements, supported, note });
        for occurrence in occurrences {
            report.add(dialect, path, occurrence);
        }
    }
}

/// The text of a script without the commands of sqlcmd, and how it was read where that is not certain.
fn read(fs: &dyn FileSystem, path: &Path) -> Result<(String, String), String> {
    let bytes = collect::content(fs, path)?;
    if bytes.contains(&0) && !bytes.starts_with(&[0xFF, 0xFE]) && !bytes.starts_with(&[0xFE, 0xFF]) {
        return Err("not a text: it has NUL bytes and no byte order mark".to_owned());
    }
    let read = script_text(&bytes, None);
    let note = if read.is_assumed { "taken for text in Windows-1252" } else { "" };
    Ok((sqlcmd::without_commands(&read.text), note.to_owned()))
}

/// The dialect whose parser leaves the fewest statements unread, and the reason.
fn dialect_of(path: &Path, text: &str) -> (Dialect, String) {
    if path.parent().is_some_and(|folder| folder.ends_with("procedures/advantage")) {
        return (Dialect::Ads, String::new());
    }
    if collect::extension(path) == "spl" {
        return (Dialect::Informix, String::new());
    }
    if batches(text).len() > 1 {
        return (Dialect::Tsql, String::new());
    }
    let names = Names::default();
    let unread = |dialect| {
        let found = names.assess(text, dialect).occurrences;
        found.iter().filter(|found| ["syntax", "unknown-type"].contains(&found.construct.id)).count()
    };
    let counts = DIALECTS.map(|dialect| (unread(dialect), dialect));
    let (least, dialect) = counts.iter().copied().min_by_key(|(count, _)| *count).unwrap_or((0, Dialect::Tsql));
    let others: Vec<String> = counts
        .iter()
        .filter(|(count, other)| *other != dialect && *count != least)
        .map(|(count, other)| format!("{} {count}", other.name()))
        .collect();
    let reason = match dialect {
        Dialect::Tsql => String::new(),
        _ => format!("taken for {}: {least} errors ({})", dialect.name(), others.join(", ")),
    };
    (dialect, reason)
}
