//! The check of a table: its own files, its indexes, and their agreement; and the state of each tag, which the check
//! finds on the way.

use super::claim::is_claimed_by_another;
use super::compared::Source;
use super::indexes::Indexes;
use super::named::is_named_for;
use super::tag::TableTag;
use super::{Files, production_mdx};
use crate::collation::KeyOrder;
use crate::dbf::{self, OpenOptions};
use crate::index::{Bag, KeyType, TagHeader};
use crate::{Finding, Severity};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keys that disagree are named one by one up to this many a tag.
const NAMED_KEYS: usize = 20;

/// The cause of findings about keys that are not in a tag.
const MISSING_KEY: &str = "the index has no key of its value for this record";

/// A tag as a check finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedTag {
    /// The index file.
    pub file: PathBuf,
    /// The tag's name.
    pub name: String,
    /// The key expression as the file has it.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// The number of its keys, if they can be counted.
    pub keys: Option<u64>,
    /// Its state.
    pub state: TagState,
    /// The reason of the state; empty for a tag that is used.
    pub reason: String,
}

/// The state of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagState {
    /// Statements use it.
    Usable,
    /// It is sound, and statements do not use it: it lists only some records, or its expression is not understood.
    NotUsed,
    /// Its keys are in an order that is not known: a collation, or a national order that is not recognised.
    UnknownOrder,
    /// Its keys are not those of the records: a program changed the table without it.
    Stale,
    /// Its pages contradict each other, or cannot be read.
    Damaged,
}

/// Checks a table, its memo and its indexes. `index_files` are the index files of its folder.
pub fn check(fs: &Arc<dyn FileSystem>, path: &Path, options: OpenOptions, index_files: &[PathBuf]) -> Vec<Finding> {
    check_with_tags(fs, path, options, index_files).0
}

/// The same, with the tags of the table's index files.
pub fn check_with_tags(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    options: OpenOptions,
    index_files: &[PathBuf],
) -> (Vec<Finding>, Vec<CheckedTag>) {
    let (mut findings, mut tags) = (Vec::new(), Vec::new());
    if let Err(error) = check_files(fs, path, options, index_files, &mut findings, &mut tags) {
        findings.push(failure(path, &error));
    }
    (findings, tags)
}

/// Returns true if the header of a table announces a structural index that is missing.
///
/// Errors: those of opening the table.
pub fn lacks_index(fs: &Arc<dyn FileSystem>, path: &Path, options: OpenOptions) -> Result<bool> {
    Ok(Files::open(fs.as_ref(), path, options)?.missing_index.is_some())
}

/// The index files that are a table's, beside its structural CDX: those of its folder that are named for it, or most of whose
/// keys are those of its records, and that are no other table's.
pub fn other_index_files(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    options: OpenOptions,
    index_files: &[PathBuf],
) -> Result<Vec<PathBuf>> {
    let files = Files::open(fs.as_ref(), path, options)?;
    let indexes = Indexes::new(Arc::clone(fs), path, &files.dbf, index_files);
    let structural = indexes.structural();
    let mut found = Vec::new();
    for index in indexes.paths().filter(|index| Some(*index) != structural.as_deref()) {
        let is_ours = is_named_for(index, path) || mostly_agrees(fs, &files, index).unwrap_or(false);
        if is_ours && !is_claimed_by_another(fs, path, index) {
            found.push(index.to_owned());
        }
    }
    Ok(found)
}

/// Returns true if most keys of an index file are those of the records.
fn mostly_agrees(fs: &Arc<dyn FileSystem>, files: &Files, path: &Path) -> Result<bool> {
    let bag = Bag::open(fs.open(path)?)?;
    let records = files.dbf.record_count(files.dbf.file().stamp()?.len);
    let (mut agreeing, mut belonging) = (0, 0);
    for number in 0..bag.tags().len() {
        let Ok(tag) = TableTag::new(&bag, number, &files.dbf) else { continue };
        let (with_key, all) = check_keys(files, path, &tag, records, &mut Vec::new())?;
        agreeing += with_key;
        belonging += all;
    }
    Ok(belonging > 0 && agreeing * 2 >= belonging)
}

/// The index files among these that cannot be read at all, so that no table has them for its own: cut, emptied, overwritten.
/// An invalid IDX is another program's file, and a warning.
pub fn check_index_files(fs: &dyn FileSystem, index_files: &[PathBuf]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in index_files {
        match fs.open(path).and_then(Bag::open) {
            Ok(bag) if bag.tags().is_empty() => {
                findings.extend(bag.broken_tags().iter().map(|(_, error)| failure(path, error)));
            }
            Ok(_) => {}
            // It is gone by now.
            Err(error) if error.code() == Code::NotFound => {}
            Err(error) => {
                let is_idx = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("idx"));
                let is_others = error.code() == Code::Unsupported || error.code() == Code::NotThisFormat && is_idx;
                let severity = if is_others { Severity::Warning } else { Severity::Error };
                findings.push(Finding { severity, ..failure(path, &error) });
            }
        }
    }
    findings
}

fn failure(path: &Path, error: &Error) -> Finding {
    let place = error.place().unwrap_or_default().trim_start_matches(&*path.to_string_lossy());
    let place = place.trim_start_matches([',', ' ']);
    Finding::new(Severity::Error, path, place, error.message())
}

fn check_files(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    options: OpenOptions,
    index_files: &[PathBuf],
    findings: &mut Vec<Finding>,
    tags: &mut Vec<CheckedTag>,
) -> Result<()> {
    let files = Files::open(fs.as_ref(), path, options)?;
    findings.extend(files.found().cloned());
    dbf::check_values(&files.dbf, &files.decoding(), findings)?;
    if let Some(mdx) = production_mdx(fs.as_ref(), path) {
        let message = "the index of dBASE IV is not read, and not kept up: the table is not written to";
        findings.push(Finding::new(Severity::Warning, &mdx, "", message));
    }
    let indexes = Indexes::new(Arc::clone(fs), path, &files.dbf, index_files);
    let structural = indexes.structural();
    for index in indexes.paths() {
        let mut of_index = Vec::new();
        let is_structural = structural.as_deref() == Some(index);
        let mut of_tags = Vec::new();
        if let Err(error) = check_index(fs, &files, index, is_structural, &mut of_index, &mut of_tags) {
            of_index.push(failure(index, &error));
        }
        let has_something = !of_index.is_empty() || !of_tags.is_empty();
        if is_structural || has_something && !is_claimed_by_another(fs, path, index) {
            findings.append(&mut of_index);
            tags.append(&mut of_tags);
        }
    }
    Ok(())
}

fn check_index(
    fs: &Arc<dyn FileSystem>,
    files: &Files,
    path: &Path,
    structural: bool,
    findings: &mut Vec<Finding>,
    checked: &mut Vec<CheckedTag>,
) -> Result<()> {
    let bag = Bag::open(fs.open(path)?)?;
    let records = files.dbf.record_count(files.dbf.file().stamp()?.len);
    let count = u32::try_from(records).ok();
    let tags: Vec<Result<TableTag>> =
        (0..bag.tags().len()).map(|number| TableTag::new(&bag, number, &files.dbf)).collect();
    let key_types: Vec<Option<KeyType>> =
        tags.iter().map(|tag| tag.as_ref().ok().map(|tag| tag.tag.key_type())).collect();
    let (mut of_bag, mut agreeing, mut belonging) = (Vec::new(), 0, 0);
    bag.check(count, &key_types, &mut of_bag);
    let of_pages = of_bag.len();
    let mut states = broken_tags(&bag, path);
    for (number, tag) in tags.iter().enumerate() {
        let name = &bag.tags()[number].name;
        let before = of_bag.len();
        match tag {
            Ok(tag) => {
                let (with_key, all) = check_keys(files, path, tag, records, &mut of_bag)?;
                agreeing += with_key;
                belonging += all;
            }
            Err(error) => {
                let message = format!("the tag cannot be compared with the table: {}", error.message());
                let place = format!("tag {name}");
                let finding = Finding::new(Severity::Warning, path, place, message);
                of_bag.push(finding.of_cause("a tag cannot be compared with the table"));
            }
        }
        let (pages, keys) = (of_bag.get(..of_pages).unwrap_or_default(), of_bag.get(before..).unwrap_or_default());
        states.push(checked_tag(&bag.tags()[number], tag.as_ref(), path, pages, keys));
    }
    // In a file of another table hardly any key is that of a record here: it is not reported.
    if structural || agreeing * 2 >= belonging {
        findings.append(&mut of_bag);
        checked.append(&mut states);
    }
    Ok(())
}

/// The tags of an index file whose headers cannot be read.
fn broken_tags(bag: &Bag, path: &Path) -> Vec<CheckedTag> {
    let broken = bag.broken_tags().iter().map(|(name, error)| CheckedTag {
        file: path.to_owned(),
        name: name.clone(),
        key: String::new(),
        condition: None,
        keys: None,
        state: TagState::Damaged,
        reason: error.message().to_owned(),
    });
    broken.collect()
}

/// The state of a tag. `of_pages` are the findings in the pages of its file, `of_keys` those about its keys and records.
fn checked_tag(
    header: &TagHeader,
    tag: std::result::Result<&TableTag, &Error>,
    path: &Path,
    of_pages: &[Finding],
    of_keys: &[Finding],
) -> CheckedTag {
    let place = format!("tag {}", header.name);
    let is_of_tag = |finding: &&Finding| {
        let rest = finding.place.strip_prefix(place.as_str());
        finding.severity == Severity::Error && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
    };
    let damage = of_pages.iter().find(is_of_tag);
    let stale = of_keys.iter().rev().find(|finding| finding.severity == Severity::Error);
    let (state, reason) = match (damage, stale, tag) {
        (Some(finding), ..) => (TagState::Damaged, finding.message.clone()),
        (_, Some(finding), _) => (TagState::Stale, finding.message.clone()),
        (_, _, Err(error)) => (TagState::NotUsed, error.message().to_owned()),
        (_, _, Ok(tag)) => match tag.unusable() {
            Some(reason) if header.collation.is_some() || tag.tag.key_type().order() == KeyOrder::Unknown => {
                (TagState::UnknownOrder, reason)
            }
            Some(reason) => (TagState::NotUsed, reason),
            None => (TagState::Usable, String::new()),
        },
    };
    CheckedTag {
        file: path.to_owned(),
        name: header.name.clone(),
        key: header.key_text().into_owned(),
        condition: header.for_text().map(std::borrow::Cow::into_owned),
        keys: tag.ok().and_then(|tag| tag.tag.key_count().ok()),
        state,
        reason,
    }
}

/// Compares every key with its record; gives how many agree, and of how many keys or records.
fn check_keys(
    files: &Files,
    path: &Path,
    tag: &TableTag,
    records: u64,
    findings: &mut Vec<Finding>,
) -> Result<(u64, u64)> {
    if tag.header().collation.is_some() || tag.tag.key_type().order() == KeyOrder::Unknown {
        return Ok((0, 0));
    }
    let rows = u32::try_from(records).unwrap_or(u32::MAX);
    let read = |rows: Range<u32>, buffer: &mut Vec<u8>| {
        files.dbf.read_records(rows.start.into()..rows.end.into(), buffer).map(drop)
    };
    let mut source = Source { rows, record_bytes: files.dbf.header().record_bytes(), read };
    let is_chosen = tag.header().custom || tag.header().partial;
    let compared = tag.compare_all_by_best(&mut source, !is_chosen && tag.keys().leaves_out_records())?;
    let keys = tag.tag.key_count()?;
    if is_chosen {
        let agreeing = compared.found.iter().filter(|found| **found).count() as u64;
        return Ok((agreeing, keys));
    }
    let (mut missing, mut listed, mut with_key) = (0usize, 0, 0);
    for (place, (recno, has_key)) in (1..=rows).zip(&compared.found).enumerate() {
        let is_listed = compared.listed.get(place).copied().unwrap_or(true);
        listed += u64::from(is_listed);
        with_key += u64::from(is_listed && *has_key);
        if is_listed && !has_key && !tag.header().unique {
            missing += 1;
            if missing <= NAMED_KEYS {
                let place = format!("tag {}, record {recno}", tag.header().name);
                findings.push(Finding::new(Severity::Error, path, place, MISSING_KEY));
            }
        }
    }
    // A UNIQUE tag lacks records whose key another one has.
    let belonging = if tag.header().unique { keys } else { keys.max(listed) };
    let place = format!("tag {}", tag.header().name);
    let summary = match () {
        () if missing > NAMED_KEYS => {
            let summary = format!("{missing} records have no key of their value; reindex the table");
            let finding = Finding::new(Severity::Error, path, place, summary).of_cause(MISSING_KEY);
            findings.push(Finding { count: (missing - NAMED_KEYS) as u64, ..finding });
            return Ok((with_key, belonging));
        }
        () if !tag.header().unique && keys != listed => {
            format!("the index has {keys} keys, and {listed} records belong into it; reindex the table")
        }
        () => return Ok((with_key, belonging)),
    };
    let finding = Finding::new(Severity::Error, path, place, summary);
    findings.push(finding.of_cause("the keys of a tag are not those of the records"));
    Ok((with_key, belonging))
}
