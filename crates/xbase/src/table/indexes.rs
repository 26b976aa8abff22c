//! The index files of a table, and what they can answer.
//!
//! The structural CDX has the table's name. Other files (NTX, IDX, further CDX) do not say which table they
//! belong to, so every index file of the folder is looked at: it is the table's if its key expressions
//! compile against the table's fields and its keys agree with its records.

use super::sibling;
use super::state::State;
use super::tag::TableTag;
use crate::dbf::{Dbf, FieldKind};
use crate::index::{Bag, TagHeader};
use crate::{Finding, Severity};
use mainstay_base::{Code, Error, Result};
use mainstay_table::{Access, KeyRange, Ordering, RowSet, Snapshot};
use mainstay_vfs::FileSystem;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A tag as a person wants to see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDescription {
    /// The tag's name.
    pub name: String,
    /// The index file.
    pub file: PathBuf,
    /// The key expression as the file has it.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// Only the first record of each key is listed.
    pub unique: bool,
    /// From the greatest key to the least.
    pub descending: bool,
    /// Why statements do not use it, if they do not.
    pub unusable: Option<String>,
}

/// The index files of a table.
#[derive(Debug)]
pub(crate) struct Indexes {
    fs: Arc<dyn FileSystem>,
    paths: Vec<IndexPath>,
    current: Mutex<Option<Arc<IndexSet>>>,
    notices: Mutex<Vec<String>>,
}

#[derive(Debug)]
struct IndexPath {
    path: PathBuf,
    /// The CDX with the table's own name: it belongs to the table whatever its tags say.
    structural: bool,
}

/// The index files as they are now, and the state of the table that their keys were compared with.
#[derive(Debug)]
pub(crate) struct IndexSet {
    bags: Vec<OpenBag>,
}

#[derive(Debug)]
struct OpenBag {
    path: PathBuf,
    structural: bool,
    bag: Arc<Bag>,
    tags: Vec<SetTag>,
}

#[derive(Debug)]
struct SetTag {
    header: Arc<TagHeader>,
    /// What was understood, or why not.
    tag: Result<TableTag>,
    /// Whether the keys agree with the records.
    verified: OnceLock<Result<(), String>>,
    source: Mutex<Option<mainstay_vfs::Stamp>>,
}

impl Indexes {
    /// The index files that may belong to the table at `path`, of which `others` are those of its folder.
    pub(crate) fn new(fs: Arc<dyn FileSystem>, path: &Path, dbf: &Dbf, others: &[PathBuf]) -> Indexes {
        let structural = sibling(fs.as_ref(), path, &["cdx"]);
        let mut paths: Vec<IndexPath> = Vec::new();
        if let Some(path) = &structural {
            paths.push(IndexPath { path: path.clone(), structural: true });
        }
        for other in others.iter().filter(|other| Some(*other) != structural.as_ref()) {
            // The structural CDX of another table is never this table's.
            let is_structural = other.extension().is_some_and(|e| e.eq_ignore_ascii_case("cdx"))
                && sibling(fs.as_ref(), other, &["dbf"]).is_some();
            if !is_structural && belongs(fs.as_ref(), other, dbf) {
                paths.push(IndexPath { path: other.clone(), structural: false });
            }
        }
        Indexes { fs, paths, current: Mutex::default(), notices: Mutex::default() }
    }

    /// The files that may belong to the table.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(|index| index.path.as_path())
    }

    /// The index files as they are now; `None` when there are none.
    pub(crate) fn current(&self, state: &State) -> Option<Arc<IndexSet>> {
        if self.paths.is_empty() {
            return None;
        }
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = current.as_ref().filter(|set| self.is_current(set)) {
            return Some(Arc::clone(set));
        }
        let set = Arc::new(self.open(&state.files.dbf));
        *current = Some(Arc::clone(&set));
        Some(set)
    }

    fn is_current(&self, set: &IndexSet) -> bool {
        set.bags.iter().all(|bag| self.fs.stamp(&bag.path).is_ok_and(|stamp| stamp == bag.bag.stamp()))
    }

    fn open(&self, dbf: &Dbf) -> IndexSet {
        let mut bags = Vec::new();
        for IndexPath { path, structural } in &self.paths {
            match self.fs.open(path).and_then(Bag::open) {
                Ok(bag) => bags.push(OpenBag::new(path.clone(), *structural, Arc::new(bag), dbf)),
                Err(error) => self.notice(path, "", &format!("the index is not used: {}", error.message())),
            }
        }
        IndexSet { bags }
    }

    fn notice(&self, path: &Path, place: &str, message: &str) {
        let finding = Finding {
            severity: Severity::Warning,
            path: path.to_owned(),
            place: place.to_owned(),
            message: message.to_owned(),
        };
        let text = finding.to_string();
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&text) {
            notices.push(text);
        }
    }

    /// What the user should know about the indexes.
    pub(crate) fn notices(&self) -> Vec<Finding> {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices
            .iter()
            .map(|text| Finding {
                severity: Severity::Warning,
                path: PathBuf::new(),
                place: String::new(),
                message: text.trim_start_matches("warning: ").to_owned(),
            })
            .collect()
    }

    /// The tags of all the table's index files.
    pub(crate) fn describe(&self, state: &State) -> Vec<IndexDescription> {
        let Some(set) = self.current(state) else { return Vec::new() };
        let tags = set.bags.iter().flat_map(|bag| bag.tags.iter().map(move |tag| (bag, tag)));
        tags.filter_map(|(bag, tag)| {
            let unusable = match &tag.tag {
                Err(error) => Some(error.to_string()),
                Ok(table_tag) => table_tag.unusable().or_else(|| tag.verified(state, table_tag).err()),
            };
            // A file that only looked as if it belonged to the table.
            let stranger = !bag.structural && unusable.as_ref().is_some_and(|reason| reason.contains("disagree"));
            (!stranger).then(|| IndexDescription {
                name: tag.header.name.clone(),
                file: bag.path.clone(),
                key: tag.header.key_text().into_owned(),
                condition: tag.header.for_text().map(|text| text.into_owned()),
                unique: tag.header.unique,
                descending: tag.header.descending,
                unusable,
            })
        })
        .collect()
    }

    /// The order of a column, if a tag has it.
    pub(crate) fn order(&self, state: &State, column: usize, descending: bool) -> Option<Ordering> {
        let set = self.current(state)?;
        let dbf = &state.files.dbf;
        let (index, tag) = set.usable(state, true).find(|(_, tag)| tag.ordered_field(dbf) == Some(column))?;
        let direction = if descending { " descending" } else { "" };
        let text = format!("{}{direction}", set.title(index, tag));
        Some(Ordering { index, descending, column, text })
    }

    /// The rows that an access gives.
    pub(crate) fn rows(&self, state: &State, access: &Access) -> Result<Option<RowSet>> {
        let Some(set) = self.current(state) else { return Ok(None) };
        match set.rows(state, access) {
            // A damaged index is no reason to fail: the table itself has the answer.
            Err(error) if error.code() == Code::IndexDamaged || error.code() == Code::Io => {
                self.notice(state.files.dbf.path(), "", &format!("an index is not used: {error}"));
                Ok(None)
            }
            other => other,
        }
    }

    /// Visits the rows in the order of an index.
    pub(crate) fn walk(
        &self,
        state: &State,
        ordering: &Ordering,
        visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>,
    ) -> Result<bool> {
        let Some(set) = self.current(state) else { return Ok(false) };
        let Some(tag) = set.trusted(state, ordering.index) else { return Ok(false) };
        if tag.ordered_field(&state.files.dbf) != Some(ordering.column) {
            return Ok(false);
        }
        let walked = match has_blank_numbers(state, tag, ordering) {
            Ok(false) => walk_tag(tag, ordering, state.slots(), visit),
            other => other.map(|_| false),
        };
        match walked {
            Err(error) if error.code() == Code::IndexDamaged => {
                self.notice(state.files.dbf.path(), "", &format!("an index is not used: {error}"));
                Ok(false)
            }
            other => other,
        }
    }
}

/// Whether an index file may belong to a table: the expressions of its first tag compile.
fn belongs(fs: &dyn FileSystem, path: &Path, dbf: &Dbf) -> bool {
    let Ok(bag) = fs.open(path).and_then(Bag::open) else { return false };
    !bag.tags().is_empty() && TableTag::new(&bag, 0, dbf).is_ok()
}

impl OpenBag {
    fn new(path: PathBuf, structural: bool, bag: Arc<Bag>, dbf: &Dbf) -> OpenBag {
        let tags = (0..bag.tags().len()).map(|number| SetTag {
            header: Arc::clone(&bag.tags()[number]),
            tag: TableTag::new(&bag, number, dbf),
            verified: OnceLock::new(),
            source: Mutex::default(),
        });
        OpenBag { tags: tags.collect(), path, structural, bag }
    }
}

impl SetTag {
    /// Whether the keys agree with the records of this state; compared once.
    fn verified(&self, state: &State, tag: &TableTag) -> Result<(), String> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if *source == Some(state.stamps.dbf)
            && let Some(verified) = self.verified.get()
        {
            return verified.clone();
        }
        let slots = u32::try_from(state.slots()).unwrap_or(u32::MAX);
        let result = tag.verify(state, slots);
        if self.verified.set(result.clone()).is_ok() {
            *source = Some(state.stamps.dbf);
        }
        result
    }
}

impl IndexSet {
    fn tags(&self) -> impl Iterator<Item = (usize, &SetTag)> {
        self.bags.iter().flat_map(|bag| &bag.tags).enumerate()
    }

    /// The tags that statements can use, with their numbers.
    pub(crate) fn usable<'a>(
        &'a self,
        state: &'a State,
        visible_only: bool,
    ) -> impl Iterator<Item = (usize, &'a TableTag)> {
        self.tags().filter_map(move |(index, set_tag)| {
            let tag = set_tag.tag.as_ref().ok()?;
            let lists_enough = tag.condition.is_none() || visible_only;
            (lists_enough && tag.unusable().is_none() && set_tag.verified(state, tag).is_ok()).then_some((index, tag))
        })
    }

    /// The tag of this number, if its keys agree with the records.
    fn trusted<'a>(&'a self, state: &State, index: usize) -> Option<&'a TableTag> {
        let (_, set_tag) = self.tags().nth(index)?;
        let tag = set_tag.tag.as_ref().ok()?;
        set_tag.verified(state, tag).is_ok().then_some(tag)
    }

    /// The name of a tag with its file, for EXPLAIN.
    pub(crate) fn title(&self, index: usize, tag: &TableTag) -> String {
        let mut first = 0;
        let bag = self.bags.iter().find(|bag| {
            first += bag.tags.len();
            index < first
        });
        let file = bag.and_then(|bag| bag.path.file_name()).map(|name| name.to_string_lossy().into_owned());
        format!("{} of {}", tag.header().name, file.unwrap_or_default())
    }

    fn rows(&self, state: &State, access: &Access) -> Result<Option<RowSet>> {
        match access {
            Access::Keys(range) => {
                let Some(tag) = self.trusted(state, range.index) else { return Ok(None) };
                range_rows(tag, range, state.slots()).map(Some)
            }
            Access::And(parts) => self.combined(state, parts, and),
            Access::Or(parts) => self.combined(state, parts, or),
        }
    }

    fn combined(
        &self,
        state: &State,
        parts: &[Access],
        combine: fn(RowSet, RowSet, usize) -> RowSet,
    ) -> Result<Option<RowSet>> {
        let mut all: Option<RowSet> = None;
        for part in parts {
            let Some(rows) = self.rows(state, part)? else { return Ok(None) };
            all = Some(match all {
                Some(known) => combine(known, rows, state.slots()),
                None => rows,
            });
        }
        Ok(all)
    }
}

/// A list of rows becomes a bitmap when more than one row in this many is in it.
const BITMAP_FROM: usize = 64;

fn range_rows(tag: &TableTag, range: &KeyRange, slots: usize) -> Result<RowSet> {
    let mut rows = Vec::new();
    let mut beyond = None;
    let (lower, upper) = (as_slice(&range.lower), as_slice(&range.upper));
    tag.tag.range(lower, upper, |recno, _| {
        match (recno as usize).checked_sub(1).filter(|row| *row < slots) {
            Some(row) => rows.push(row as u32),
            // A record that was appended after the statement began.
            None if recno > 0 => {}
            None => beyond = Some(recno),
        }
        ControlFlow::Continue(())
    })?;
    if beyond.is_some() {
        return Err(Error::new(Code::IndexDamaged, "a key of record 0"));
    }
    if rows.len() > slots / BITMAP_FROM {
        return Ok(RowSet::Bitmap(bitmap(&rows, slots)));
    }
    rows.sort_unstable();
    rows.dedup();
    Ok(RowSet::List(rows))
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

fn bitmap(rows: &[u32], slots: usize) -> arrow_buffer::BooleanBuffer {
    let mut bits = vec![0u64; slots.div_ceil(64)];
    for row in rows {
        bits[*row as usize / 64] |= 1 << (row % 64);
    }
    arrow_buffer::BooleanBuffer::new(arrow_buffer::Buffer::from_vec(bits), 0, slots)
}

fn and(a: RowSet, b: RowSet, _: usize) -> RowSet {
    match (a, b) {
        (RowSet::List(a), RowSet::List(b)) => {
            RowSet::List(a.into_iter().filter(|row| b.binary_search(row).is_ok()).collect())
        }
        (RowSet::List(rows), RowSet::Bitmap(bits)) | (RowSet::Bitmap(bits), RowSet::List(rows)) => {
            RowSet::List(rows.into_iter().filter(|row| bits.value(*row as usize)).collect())
        }
        (RowSet::Bitmap(a), RowSet::Bitmap(b)) => RowSet::Bitmap(&a & &b),
    }
}

fn or(a: RowSet, b: RowSet, slots: usize) -> RowSet {
    let as_bitmap = |set: RowSet| match set {
        RowSet::List(rows) => bitmap(&rows, slots),
        RowSet::Bitmap(bits) => bits,
    };
    match (a, b) {
        (RowSet::List(mut a), RowSet::List(b)) if a.len() + b.len() <= slots / BITMAP_FROM => {
            a.extend(b);
            a.sort_unstable();
            a.dedup();
            RowSet::List(a)
        }
        (a, b) => RowSet::Bitmap(&as_bitmap(a) | &as_bitmap(b)),
    }
}

/// Whether the column that a tag orders has blank numbers: SQL puts NULL first, the tag has them among
/// the zeros.
fn has_blank_numbers(state: &State, tag: &TableTag, ordering: &Ordering) -> Result<bool> {
    let field = &state.files.dbf.fields()[ordering.column];
    if field.null_bit.is_some() && !tag.tag.key_type().is_nullable() {
        return Ok(true);
    }
    if field.kind != FieldKind::Numeric {
        return Ok(false);
    }
    let zero = crate::index::KeyValue::Decimal(mainstay_base::Decimal::new(0, 0));
    let Some(crate::index::EncodedKey::Exact(zero)) = tag.tag.key_type().encode(&zero) else { return Ok(true) };
    let mut zeros = Vec::new();
    tag.tag.range(Bound::Included(&zero), Bound::Included(&zero), |recno, _| {
        zeros.push(recno);
        if zeros.len() > MAX_ZEROS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut record = Vec::new();
    for recno in &zeros {
        // Records that were appended after the statement began have keys already.
        let Some(row) = recno.checked_sub(1).filter(|row| (*row as usize) < state.slots()) else { continue };
        state.record(row, &mut record)?;
        let is_number = record[field.offset..field.offset + field.length].iter().any(u8::is_ascii_digit);
        if !is_number {
            return Ok(true);
        }
    }
    Ok(zeros.len() > MAX_ZEROS)
}

/// With more zeros than this, sorting is as cheap as telling blanks from zeros.
const MAX_ZEROS: usize = 1_000;

fn walk_tag(
    tag: &TableTag,
    ordering: &Ordering,
    slots: usize,
    visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>,
) -> Result<bool> {
    let is_text = tag.key.result_type().kind == crate::expr::Kind::Character;
    let (mut failed, mut other_order) = (None, false);
    let step = |recno: u32, key: &[u8]| {
        // Bytes order as Unicode does only where they are ASCII, and below a blank not as cut texts do.
        if is_text && !key.iter().all(|byte| (0x20..0x7F).contains(byte)) {
            other_order = true;
            return ControlFlow::Break(());
        }
        let Some(row) = (recno as usize).checked_sub(1).filter(|row| *row < slots) else {
            return ControlFlow::Continue(());
        };
        visit(row as u32).unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    };
    match ordering.descending {
        false => tag.tag.range(Bound::Unbounded, Bound::Unbounded, step)?,
        true => tag.tag.range_back(Bound::Unbounded, Bound::Unbounded, step)?,
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(!other_order),
    }
}
