//! The index files of a table, and the conditions that they answer.
//!
//! The structural CDX has the table's name. Other files (NTX, IDX, further CDX) do not name their table, so every index
//! file of the folder is examined: it is the table's if its key expressions compile against the table's fields and its
//! keys agree with its records.
//!
//! Plans outlive the index files: a plan names a tag by a number that belongs to its definition (file, name,
//! key, condition), and a number whose definition is no longer there is answered by "not usable now".

mod describe;

use super::claim::{Proof, other_tables};
use super::named::{NamedFor, is_named_for, named_for};
use super::own::OwnWrites;
use super::row_set::{and, or, range_rows};
use super::seen_with::SeenWith;
use super::state::State;
use super::tag::{COMPARED_WHOLE, Disagreement, TableTag};
use super::walk::{orders, walk_tag};
use super::{sibling, structural_index};
use crate::adt::RecordLayout;
use crate::dbf::{Dbf, OpenOptions};
use crate::index::{Bag, KeyType, TagHeader};
use crate::keys::TagKeys;
use crate::{Finding, Severity};
use mainstay_columnar::{Access, Ordering, RowSet, Snapshot, TermOrder};
use mainstay_types::{Code, Result};
use mainstay_vfs::{FileSystem, Stamp};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

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
    /// A second record with a key that is there is refused: Visual FoxPro's candidate tags, unique ones of ADT tables.
    pub refuses_equal_keys: bool,
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
    current: Mutex<Option<Current>>,
    /// Every definition of a tag that was ever seen; its place is the tag's number.
    definitions: Mutex<Vec<Definition>>,
    seen: SeenWith,
    pub(super) own: OwnWrites,
}

#[derive(Debug)]
struct IndexPath {
    path: PathBuf,
    /// The CDX with the table's own name: it belongs to the table whatever its tags say.
    structural: bool,
    named: NamedFor,
}

/// The definition that a range of keys depends on.
#[derive(Debug, PartialEq)]
struct Definition {
    path: PathBuf,
    name: String,
    key: Vec<u8>,
    condition: Option<Vec<u8>>,
    key_type: Option<KeyType>,
}

/// The index files as they were a moment ago.
#[derive(Debug)]
struct Current {
    set: Arc<IndexSet>,
    /// When they were looked at.
    at: Instant,
    /// The number of the state that the table was in.
    state: u64,
}

/// For so long, what is known of the index files of an unchanged table is believed without looking at them. Their keys are
/// those of its records as long as these are as they were, so a look gains only what a program does that writes its keys long
/// after its records; it costs as much as the rest of a look-up.
const BELIEVED: Duration = Duration::from_millis(10);

/// By so much a table is to be younger than its index for all keys to be compared when they are first seen. Programs write a
/// record and its keys within less, and so are the files of a folder copied, of which the CDX is the first.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// The index files as they are now.
#[derive(Debug)]
pub(crate) struct IndexSet {
    bags: Vec<Arc<OpenBag>>,
    /// Files that could not be opened, with their stamps.
    failed: Vec<(PathBuf, Option<Stamp>)>,
    notices: Mutex<Vec<Finding>>,
}

#[derive(Debug)]
struct OpenBag {
    path: PathBuf,
    structural: bool,
    named: NamedFor,
    /// True if a later write is certain to give the file another stamp.
    settled: bool,
    bag: Arc<Bag>,
    tags: Vec<SetTag>,
}

/// A tag of an index file, with what is known about its keys.
#[derive(Debug)]
pub(crate) struct SetTag {
    /// The number by which plans name it.
    pub(crate) number: usize,
    header: Arc<TagHeader>,
    /// The tag, or the reason why it is not understood.
    tag: Result<TableTag>,
    verified: Mutex<Option<Verified>>,
    /// The index file, and what was written to it here.
    file: (PathBuf, Stamp),
    /// All keys are compared of a file whose name does not say that it is this table's.
    named: NamedFor,
    /// The table, when the file was first seen as it is.
    seen_with: Stamp,
    own: OwnWrites,
}

/// True if the keys agree with the records of one state.
#[derive(Debug)]
struct Verified {
    state: u64,
    table: Stamp,
    /// All keys were compared.
    thorough: bool,
    /// If they do: the row slots that the tag lists later.
    result: Result<Arc<[u32]>, Disagreement>,
}

impl Indexes {
    /// The index files that may belong to the table at `path`, of which `others` are those of its folder.
    pub(crate) fn new(fs: Arc<dyn FileSystem>, path: &Path, dbf: &Dbf, others: &[PathBuf]) -> Indexes {
        // Other index files than the ADI of its name are of an ADT when a program says so.
        let others = if dbf.header().layout == RecordLayout::Adt { &[] } else { others };
        let structural = structural_index(fs.as_ref(), path);
        let mut paths: Vec<IndexPath> = Vec::new();
        if let Some(path) = &structural {
            paths.push(IndexPath { path: path.clone(), structural: true, named: NamedFor::This });
        }
        let beside = || other_tables(fs.as_ref(), path).unwrap_or_default();
        let mut tables = None;
        for other in others.iter().filter(|other| Some(*other) != structural.as_ref()) {
            if !is_of_another(fs.as_ref(), other, path) && belongs(fs.as_ref(), other, dbf) {
                let named = named_for(other, path, tables.get_or_insert_with(beside));
                paths.push(IndexPath { path: other.clone(), structural: false, named });
            }
        }
        let seen = SeenWith::of(fs.as_ref(), path, paths.iter().map(|index| index.path.as_path()));
        let own = OwnWrites::default();
        Indexes { fs, paths, current: Mutex::default(), definitions: Mutex::default(), seen, own }
    }

    /// The files that may belong to the table.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(|index| index.path.as_path())
    }

    /// The file that is the table's by its name.
    pub(super) fn structural(&self) -> Option<PathBuf> {
        self.paths.iter().find(|index| index.structural).map(|index| index.path.clone())
    }

    /// The current index files; `None` without index files.
    pub(crate) fn current(&self, state: &State) -> Option<Arc<IndexSet>> {
        if self.paths.is_empty() {
            return None;
        }
        let mut current = lock(&self.current);
        let before = current.as_ref().map(|current| &current.set);
        let at = Instant::now();
        let set = match before.filter(|set| self.is_current(set)) {
            Some(set) => Arc::clone(set),
            None => Arc::new(self.open(state, before.map(Arc::as_ref))),
        };
        *current = Some(Current { set: Arc::clone(&set), at, state: state.number() });
        Some(set)
    }

    /// The index files as they were, if that is to be believed.
    fn recent(&self, state: &State) -> Option<Arc<IndexSet>> {
        let current = lock(&self.current);
        let known = current.as_ref().filter(|known| known.state == state.number() && known.at.elapsed() < BELIEVED)?;
        let is_settled = known.set.failed.is_empty() && known.set.bags.iter().all(|bag| bag.settled);
        is_settled.then(|| Arc::clone(&known.set))
    }

    fn is_current(&self, set: &IndexSet) -> bool {
        set.bags.iter().all(|bag| self.is_same(bag))
            && set.failed.iter().all(|(path, stamp)| self.fs.stamp(path).ok() == *stamp)
    }

    fn is_same(&self, bag: &OpenBag) -> bool {
        bag.settled && bag.bag.is_current_by_name(self.fs.as_ref())
    }

    /// Opens the index files, of which those that are as they were are kept with what is known about them.
    fn open(&self, state: &State, before: Option<&IndexSet>) -> IndexSet {
        let mut set = IndexSet { bags: Vec::new(), failed: Vec::new(), notices: Mutex::default() };
        for IndexPath { path, structural, named } in &self.paths {
            let known = before.and_then(|before| before.bags.iter().find(|bag| bag.path == *path));
            if let Some(known) = known.filter(|bag| self.is_same(bag)) {
                set.bags.push(Arc::clone(known));
                continue;
            }
            let (stamp, now) = (self.fs.stamp(path).ok(), SystemTime::now());
            match self.fs.open(path).and_then(Bag::open) {
                Ok(bag) => {
                    let same_stamp = known.filter(|known| known.bag.stamp() == bag.stamp());
                    let understood = self.understood(path, (*structural, *named), bag, now, state);
                    if let Some(known) = same_stamp {
                        understood.remember(known);
                    }
                    set.bags.push(Arc::new(understood));
                }
                Err(error) => {
                    set.failed.push((path.clone(), stamp));
                    set.notice(warning(path, "", format!("the index is not used: {}", error.message())));
                }
            }
        }
        set
    }

    fn understood(
        &self,
        path: &Path,
        (structural, named): (bool, NamedFor),
        bag: Bag,
        now: SystemTime,
        state: &State,
    ) -> OpenBag {
        let settled = bag.stamp().is_settled(now);
        let (dbf, seen_with) = (&state.files.dbf, self.seen.table_of(path, bag.stamp(), state.stamps.dbf));
        let tag = |number: usize| {
            let header = Arc::clone(&bag.tags()[number]);
            let tag = TableTag::new(&bag, number, dbf);
            let number = self.number_of(Definition {
                path: path.to_owned(),
                name: header.name.clone(),
                key: header.key_bytes.clone(),
                condition: header.for_bytes.clone(),
                key_type: tag.as_ref().ok().map(|tag| tag.tag.key_type()),
            });
            let file = (path.to_owned(), bag.stamp());
            SetTag { number, header, tag, verified: Mutex::default(), file, named, seen_with, own: self.own.clone() }
        };
        let tags = (0..bag.tags().len()).map(tag).collect();
        OpenBag { path: path.to_owned(), structural, named, settled, tags, bag: Arc::new(bag) }
    }

    fn number_of(&self, definition: Definition) -> usize {
        let mut definitions = lock(&self.definitions);
        definitions.iter().position(|known| *known == definition).unwrap_or_else(|| {
            definitions.push(definition);
            definitions.len() - 1
        })
    }

    /// Problems of the indexes that the user should know about, as far as statements have found them.
    pub(crate) fn notices(&self, state: &State) -> Vec<Finding> {
        let set = lock(&self.current).as_ref().map(|current| Arc::clone(&current.set));
        let Some(set) = set else { return Vec::new() };
        let mut notices = lock(&set.notices).clone();
        for bag in &set.bags {
            for tag in &bag.tags {
                // A tag that no statement can use, whatever its keys are, is not reported.
                let can_be_used = tag.tag.as_ref().is_ok_and(|known| known.unusable().is_none());
                let reason = tag.known_disagreement(state).filter(|reason| can_be_used && !bag.is_strangers(reason));
                if let Some(reason) = reason {
                    let place = format!("tag {}", tag.header.name);
                    notices.push(warning(&bag.path, &place, format!("the index is not used: {}", reason.message)));
                }
            }
        }
        notices
    }

    /// The files beside the structural CDX that may be the table's own, each with what speaks for it.
    pub(super) fn proven_files(&self, state: &State, table: &Path) -> Vec<(PathBuf, Proof)> {
        let Some(set) = self.current(state) else { return Vec::new() };
        let beside = set.bags.iter().filter(|bag| !bag.structural);
        beside.filter_map(|bag| Some((bag.path.clone(), bag.proof(state, table)?))).collect()
    }

    /// The tags whose keys are known to agree with this state's records, by their numbers.
    pub(super) fn believed(&self, state: &State) -> Vec<usize> {
        let Some(set) = self.current(state) else { return Vec::new() };
        set.tags().filter(|tag| tag.is_believed(state)).map(|tag| tag.number).collect()
    }

    /// The order of some values, if a tag has it.
    pub(crate) fn order(&self, state: &State, keys: &[TermOrder], visible_only: bool) -> Option<Ordering> {
        let set = self.current(state)?;
        let descending = keys.first()?.descending;
        let column = keys.first()?.term.columns().first().copied()?;
        let lists_all = |tag: &TableTag| tag.lists_all_of(&state.files, &[], visible_only);
        let orders = |tag: &TableTag| lists_all(tag) && orders(tag, &state.files, keys);
        let (tag, of_table) = set.usable().find(|(tag, of_table)| orders(of_table) && tag.lists_all(state))?;
        let direction = if descending { " descending" } else { "" };
        let text = format!("{}{direction}", set.title(tag.number, of_table));
        let (parts, with_hidden) = (keys.len(), !visible_only);
        let name = of_table.header().name.clone();
        Some(Ordering { index: tag.number, descending, column, parts, with_hidden, name, text })
    }

    /// The rows that an access gives; `None` also when a range has more than `most` keys.
    pub(crate) fn rows(&self, state: &State, access: &Access, most: usize) -> Result<Option<RowSet>> {
        if let Some(set) = self.recent(state) {
            let reads = set.reads();
            let rows = set.rows(state, access, most);
            // The pages just read may be of a file that has changed since.
            if rows.is_ok() && set.reads() == reads {
                return rows;
            }
        }
        let Some(set) = self.current(state) else { return Ok(None) };
        match set.rows(state, access, most) {
            // A damaged index is no reason to fail: the table itself has the answer.
            Err(error) if error.code() == Code::IndexDamaged || error.code() == Code::Io => {
                set.notice(warning(state.files.dbf.path(), "", format!("an index is not used: {error}")));
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
        let Some((tag, unlisted)) = set.trusted(state, ordering.index) else { return Ok(false) };
        let lists_all = tag.lists_all_of(&state.files, &[], !ordering.with_hidden);
        if !unlisted.is_empty() || !lists_all {
            return Ok(false);
        }
        match walk_tag(tag, ordering, state, visit) {
            Err(error) if error.code() == Code::IndexDamaged => {
                set.notice(warning(state.files.dbf.path(), "", format!("an index is not used: {error}")));
                Ok(false)
            }
            other => other,
        }
    }
}

/// Returns true if an index file has the name of another table and belongs to that: its structural CDX always does,
/// another index when its key is made of that table's fields.
fn is_of_another(fs: &dyn FileSystem, index: &Path, table: &Path) -> bool {
    let Some(other) = sibling(fs, index, &["dbf"]).filter(|other| other != table) else { return false };
    let is_cdx = index.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cdx"));
    is_cdx
        || fs
            .open(&other)
            .and_then(|file| Dbf::open(file, OpenOptions::default()))
            .is_ok_and(|dbf| belongs(fs, index, &dbf))
}

/// Returns true if an index file may belong to a table: the expressions of its first tag compile.
fn belongs(fs: &dyn FileSystem, path: &Path, dbf: &Dbf) -> bool {
    match fs.open(path).and_then(Bag::open) {
        Ok(bag) => !bag.tags().is_empty() && TableTag::new(&bag, 0, dbf).is_ok(),
        // A file that was cut may still say what its keys are.
        Err(_) => fs.open(path).and_then(Bag::definition).is_ok_and(|header| TagKeys::new(&header, dbf).is_ok()),
    }
}

impl OpenBag {
    /// Returns true if a file whose keys are not those of the records only looked as if it belonged to the table:
    /// this is not reported.
    fn is_strangers(&self, reason: &Disagreement) -> bool {
        !self.structural && (!reason.mostly_agrees || self.named == NamedFor::Another)
    }

    /// The evidence that the file belongs to this table.
    fn proof(&self, state: &State, table: &Path) -> Option<Proof> {
        let proof = |tag: &SetTag| match &tag.tag {
            Err(_) => None,
            Ok(known) if known.tag.key_count().unwrap_or(0) == 0 => {
                is_named_for(&self.path, table).then_some(Proof::Agrees)
            }
            Ok(known) => match tag.verified(state, known) {
                Ok(_) => Some(Proof::Agrees),
                Err(reason) => reason.mostly_agrees.then_some(Proof::MostlyAgrees),
            },
        };
        self.tags.iter().filter_map(proof).max()
    }

    /// Takes over which state of the table the same tags were compared with, though not the result: a file
    /// that was opened again because it is young, and is as it was, did not change when the table did.
    fn remember(&self, before: &OpenBag) {
        for tag in &self.tags {
            let Some(known) = before.tags.iter().find(|known| known.number == tag.number) else { continue };
            let compared = lock(&known.verified).as_ref().map(|verified| Verified {
                state: NO_STATE,
                table: verified.table,
                thorough: verified.thorough,
                result: verified.result.clone(),
            });
            *lock(&tag.verified) = compared;
        }
    }
}

/// The number of no state of a table.
const NO_STATE: u64 = u64::MAX;

impl SetTag {
    /// Returns true if the keys agree with the records of this state.
    pub(crate) fn agrees(&self, state: &State) -> bool {
        self.tag.as_ref().is_ok_and(|tag| self.verified(state, tag).is_ok())
    }

    /// The same, and no record is to be listed later.
    fn lists_all(&self, state: &State) -> bool {
        self.tag.as_ref().is_ok_and(|tag| self.verified(state, tag).is_ok_and(|unlisted| unlisted.is_empty()))
    }

    /// The same with the reason; compared once for each state. Gives the row slots that it lists later.
    fn verified(&self, state: &State, tag: &TableTag) -> Result<Arc<[u32]>, Disagreement> {
        let mut verified = lock(&self.verified);
        if let Some(known) = verified.as_ref().filter(|known| known.state == state.number()) {
            return known.result.clone();
        }
        if self.is_own(state)
            && let Ok(unlisted) = tag.unlisted(state)
        {
            let (state, table, unlisted) = (state.number(), state.stamps.dbf, Arc::<[u32]>::from(unlisted));
            *verified = Some(Verified { state, table, thorough: false, result: Ok(Arc::clone(&unlisted)) });
            return Ok(unlisted);
        }
        // Once the table changed and this file did not, a program may be writing that does not have it open.
        let changed_alone = match verified.as_ref() {
            Some(before) => before.thorough || before.table != state.stamps.dbf,
            None => self.seen_with != state.stamps.dbf,
        };
        let mut thorough = changed_alone || state.slots() <= COMPARED_WHOLE;
        let mut result = tag.verify(state, thorough);
        // A sample that agrees is not enough where the files themselves speak against each other.
        if !thorough && result.is_ok() && (self.named != NamedFor::This || self.is_left_behind(state)) {
            thorough = true;
            result = tag.verify(state, thorough);
        }
        let result = result.map(Arc::from);
        // Keys of records that were taken back are gone with them: the index is as good as it was.
        if state.has_lost_records() {
            return result;
        }
        let (state, table) = (state.number(), state.stamps.dbf);
        *verified = Some(Verified { state, table, thorough, result: result.clone() });
        result
    }

    /// Returns true if the table was written well after the index file: by a program that changed no key, or that did
    /// not have the index open. Of files that were written or copied together either may be the later one.
    fn is_left_behind(&self, state: &State) -> bool {
        let (table, (_, index)) = (state.stamps.dbf, &self.file);
        let margin = LEFT_BEHIND.max(table.tick).max(index.tick);
        table.modified.duration_since(index.modified).is_ok_and(|later| later > margin)
    }

    /// Returns true if the state differs by changes that were made here from one that it agreed with.
    fn is_own(&self, state: &State) -> bool {
        let (path, stamp) = &self.file;
        self.own.covers(state.stamps.dbf, (path, *stamp), self.number)
    }

    /// Returns true if the keys are known to agree with the records of files with these stamps, without a comparison.
    fn is_believed(&self, state: &State) -> bool {
        let verified = lock(&self.verified);
        let known = verified.as_ref().filter(|known| known.table == state.stamps.dbf);
        known.map_or_else(|| self.is_own(state), |known| known.result.is_ok())
    }

    fn known_disagreement(&self, state: &State) -> Option<Disagreement> {
        let verified = lock(&self.verified);
        verified.as_ref().filter(|known| known.state == state.number())?.result.clone().err()
    }
}

fn warning(path: &Path, place: &str, message: String) -> Finding {
    Finding::new(Severity::Warning, path, place, message)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl IndexSet {
    /// The number of reads from the files.
    fn reads(&self) -> u64 {
        self.bags.iter().map(|bag| bag.bag.pages.reads()).sum()
    }

    fn tags(&self) -> impl Iterator<Item = &SetTag> {
        self.bags.iter().flat_map(|bag| &bag.tags)
    }

    fn notice(&self, finding: Finding) {
        let mut notices = lock(&self.notices);
        if !notices.contains(&finding) {
            notices.push(finding);
        }
    }

    /// The tags that statements can use by their definition; their keys are still to be compared, and those of a tag with a
    /// condition may lack records.
    pub(crate) fn usable(&self) -> impl Iterator<Item = (&SetTag, &TableTag)> {
        self.tags().filter_map(move |set_tag| {
            let tag = set_tag.tag.as_ref().ok()?;
            tag.unusable().is_none().then_some((set_tag, tag))
        })
    }

    /// The tag of this number, if it is still there and its keys agree with the records; and the rows that it lists later.
    fn trusted(&self, state: &State, number: usize) -> Option<(&TableTag, Arc<[u32]>)> {
        let set_tag = self.tags().find(|tag| tag.number == number)?;
        let tag = set_tag.tag.as_ref().ok().filter(|tag| tag.unusable().is_none())?;
        Some((tag, set_tag.verified(state, tag).ok()?))
    }

    /// The name of a tag with its file, for EXPLAIN.
    pub(crate) fn title(&self, number: usize, tag: &TableTag) -> String {
        let bag = self.bags.iter().find(|bag| bag.tags.iter().any(|tag| tag.number == number));
        let file = bag.and_then(|bag| bag.path.file_name()).map(|name| name.to_string_lossy().into_owned());
        format!("{} of {}", tag.header().name, file.unwrap_or_default())
    }

    fn rows(&self, state: &State, access: &Access, most: usize) -> Result<Option<RowSet>> {
        match access {
            Access::Keys(range) => {
                let Some((tag, unlisted)) = self.trusted(state, range.index) else { return Ok(None) };
                range_rows(tag, range, state.slots(), most, |rows| tag.add_unlisted(state, range, &unlisted, rows))
            }
            Access::And(parts) => self.combined(state, parts, most, and),
            Access::Or(parts) => self.combined(state, parts, most, or),
        }
    }

    fn combined(
        &self,
        state: &State,
        parts: &[Access],
        most: usize,
        combine: fn(RowSet, RowSet, usize) -> RowSet,
    ) -> Result<Option<RowSet>> {
        let mut all: Option<RowSet> = None;
        for part in parts {
            let Some(rows) = self.rows(state, part, most)? else { return Ok(None) };
            all = Some(match all {
                Some(known) => combine(known, rows, state.slots()),
                None => rows,
            });
        }
        Ok(all)
    }
}
