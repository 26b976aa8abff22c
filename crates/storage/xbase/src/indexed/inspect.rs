//! Check of the files of transactions beside a folder's tables, for `mainstay check`.
//!
//! A journal that is not understood, or that leads out of its folder, prevents all writes to the folder's tables: the
//! changes to undo are unknown. The check reads and reports such files, and changes none. The journal of a running
//! transaction is checked like any other: it is written entry by entry, so it is complete up to its last one.

use super::journal::{Entry, FOLDER, parse};
use super::reach::{self, tables_of, target_of};
use super::rebuild::{stale_indexes, stale_list};
use crate::{Finding, Severity};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::collections::BTreeSet;
use std::path::Path;

/// Checks the journals, links and lists beside the tables of a folder.
pub fn check_journals<'t>(fs: &dyn FileSystem, folder: &Path, tables: impl Iterator<Item = &'t Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let journals = folder.join(FOLDER);
    if fs.is_link(&journals) {
        findings.push(finding(&journals, &reach::refusal("the folder of journals is a symbolic link")));
    } else if fs.is_folder(&journals) {
        match fs.list(&journals) {
            Ok(entries) => entries.iter().for_each(|entry| check_file(fs, &entry.path, &mut findings)),
            Err(error) => findings.push(finding(&journals, &error)),
        }
    }
    for table in tables {
        findings.extend(stale_indexes(fs, table).err().map(|error| finding(&stale_list(table), &error)));
    }
    findings
}

fn check_file(fs: &dyn FileSystem, path: &Path, findings: &mut Vec<Finding>) {
    let checked = match path.extension().and_then(|extension| extension.to_str()) {
        Some("undo") => check_journal(fs, path, findings),
        Some("link") => target_of(fs, path).map(drop),
        _ => Ok(()),
    };
    match checked {
        // It was ended meanwhile.
        Err(error) if error.code() == Code::NotFound => {}
        Err(error) => findings.push(finding(path, &error)),
        Ok(()) => {}
    }
}

fn check_journal(fs: &dyn FileSystem, path: &Path, findings: &mut Vec<Finding>) -> Result<()> {
    let (entries, _) = parse(&fs.read(path)?, tables_of(path))?;
    let mut known = BTreeSet::new();
    for (number, entry) in entries.iter().enumerate() {
        let mistake = match entry {
            Entry::Table { number, .. } => {
                known.insert(*number);
                continue;
            }
            Entry::Change { table, .. } | Entry::Undone { table } if !known.contains(table) => {
                format!("it is about table {table}, which no entry before it names")
            }
            Entry::Change { record: 0, .. } => "it is about record 0, and records count from 1".to_owned(),
            Entry::Change { .. } | Entry::Undone { .. } | Entry::InDoubt => continue,
        };
        let error = Error::new(Code::Damaged, format!("an entry of the journal makes no sense: {mistake}"));
        findings.push(finding(path, &error.at(format_args!("entry {}", number + 1))));
    }
    reach::check(fs, path, &entries)
}

fn finding(path: &Path, error: &Error) -> Finding {
    let place = error.place().unwrap_or_default();
    let file = path.display().to_string();
    let place = place.strip_prefix(&file).map_or(place, |rest| rest.trim_start_matches(", "));
    let message = match error.hint_text() {
        Some(hint) => format!("{} ({hint})", error.message()),
        None => error.message().to_owned(),
    };
    Finding::new(Severity::Error, path, place, message)
}
