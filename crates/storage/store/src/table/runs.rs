//! The runs that a checkpoint writes for a table's indexes: new rows as a sorted run, and merged runs.
//!
//! The entries of a live index are of no use to a checkpoint: they lead to the newest versions, those of open
//! transactions among them. So a run is made from the rows. The manifest before lists the rows of each group at that
//! time; the new rows are those that exist now and did not then:
//!
//! ```text
//!   before     group 4: 100 rows, deleted 7       runs  A
//!   now        group 4: 100 rows, deleted 7 8     group 5: 60 rows, deleted 0 1 2
//!   new rows   57 of group 5                      runs  B (57 entries), A
//! ```
//!
//! Deleted rows stay in their run (see [`crate::index::base`]). Large numbers of rows are sorted and written in parts, so that
//! the memory for it is bounded.
//!
//! **Merging.** The parts of one checkpoint are merged, at most [`MOST_MERGED`] at once and fewer under a small limit: where there
//! are more, neighbours are merged first. The newest runs are merged with the next one as long as together they have a quarter of its entries, so
//! that there are few runs and every entry is written a few times at most; all runs are merged when more than half of
//! the entries are dead.

use super::NativeTable;
use super::indexes::TableIndex;
use crate::files::{GroupImage, RunImage, TableImage, sql_type_text};
use crate::group::Group;
use crate::index::base::Walk;
use crate::index::run::{Run, RunWriter};
use crate::row::Stored;
use mainstay_types::Result;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The memory of an entry that is sorted, in bytes.
const ENTRY_BYTES: usize = size_of::<(u128, u32, u32, u64)>();
/// Bytes of entries that are merged between two releases of the pages that were read.
const RELEASE_BYTES: usize = 1 << 20;
/// Memory of a run that is being merged, in bytes: the pages around its place.
const MERGED_BYTES: usize = 64 << 10;
/// Runs that are merged at once, at least and at most: every entry is compared with one of each.
const LEAST_MERGED: usize = 8;
const MOST_MERGED: usize = 64;
/// The newest runs are merged with the next one that has at most so many times their entries.
const RATIO: u64 = 4;
/// Runs of an index at most.
const MOST_RUNS: usize = 6;
/// The version of the bytes of keys ([`crate::key`]): another one when any of them changes, the order of a collation included.
const KEY_VERSION: u32 = 1;

/// A description of the keys of an index, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexKey(pub(crate) String);

impl IndexKey {
    /// The text of an index; the columns of its table have these numbers in the catalog.
    pub(crate) fn of(index: &TableIndex, ids: &[u64]) -> IndexKey {
        let encoder = index.encoder();
        let mut text = format!("v{KEY_VERSION} {:?}", encoder.uniqueness());
        for (number, column) in index.columns.iter().zip(encoder.columns()) {
            let id = ids.get(*number).copied().unwrap_or(0);
            let sign = if column.descending { '-' } else { '+' };
            let mut flags = String::new();
            let all = [(column.nullable, 'n'), (column.trailing_blanks_count, 'b'), (column.is_typed, 't')];
            flags.extend(all.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| *flag));
            let _ = write!(text, "; {id}{sign}{flags} {}", sql_type_text(column.sql_type));
        }
        for part in &index.definition.filter {
            let id = ids.get(part.column).copied().unwrap_or(0);
            let _ = write!(text, "; where {id} {:?}", part.test);
        }
        if index.definition.nulls_distinct {
            text.push_str("; nulls distinct");
        }
        IndexKey(text)
    }
}

/// The live rows of an image, to be asked for by position.
pub(crate) struct Live<'i> {
    /// In the order of their numbers.
    groups: &'i [GroupImage],
}

impl<'i> Live<'i> {
    pub(crate) fn of(image: &'i TableImage) -> Live<'i> {
        Live { groups: &image.groups }
    }

    /// True for the position of a live row.
    pub(crate) fn has(&self, position: u64) -> bool {
        let (group, offset) = (crate::group::group_of(position), crate::group::offset_of(position) as u32);
        self.group(group).is_some_and(|group| offset < group.rows && group.deleted.binary_search(&offset).is_err())
    }

    /// The group with this number. Numbers mostly count on from the first.
    fn group(&self, number: u64) -> Option<&'i GroupImage> {
        let guess = number.checked_sub(self.groups.first()?.group)?;
        let guessed = usize::try_from(guess).ok().and_then(|at| self.groups.get(at));
        match guessed.filter(|group| group.group == number) {
            None => {
                let at = self.groups.binary_search_by_key(&number, |group| group.group).ok()?;
                self.groups.get(at)
            }
            found => found,
        }
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.rows) - group.deleted.len() as u64).sum()
    }
}

/// Where runs are written and read.
pub(crate) trait RunFiles {
    /// A new file.
    fn create(&mut self, width: Option<usize>) -> Result<(u64, RunWriter)>;
    /// A run that was written.
    fn open(&self, image: &RunImage) -> Result<Run>;
}

/// Entries that are collected to be sorted.
struct Part {
    /// Bytes that entries and keys may take.
    most: usize,
    keys: Vec<u8>,
    /// The first bytes of a key as a number, where it starts and ends, and its position.
    entries: Vec<(u128, u32, u32, u64)>,
}

impl Part {
    /// With room for so many entries, within these bytes.
    fn new(entries: usize, most: usize) -> Part {
        let entries = Vec::with_capacity(entries.min(most / ENTRY_BYTES));
        Part { most, keys: Vec::new(), entries }
    }

    fn push(&mut self, key: &[u8], position: u64) {
        let mut head = [0; 16];
        let length = key.len().min(16);
        head[..length].copy_from_slice(&key[..length]);
        let start = self.keys.len() as u32;
        // Keys that are whole in their heads need no other place.
        if key.len() > 16 {
            self.keys.extend_from_slice(key);
        }
        let end = if key.len() > 16 { self.keys.len() as u32 } else { start + key.len() as u32 };
        self.entries.push((u128::from_be_bytes(head), start, end, position));
    }

    fn is_full(&self) -> bool {
        self.entries.len() * ENTRY_BYTES + self.keys.len() >= self.most
    }

    /// Writes the entries in the order of their keys, of equal ones the last.
    fn write(&mut self, files: &mut dyn RunFiles, width: Option<usize>) -> Result<Option<RunImage>> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        let keys = &self.keys;
        let long = |start: u32, end: u32| if end - start > 16 { &keys[start as usize..end as usize] } else { &[][..] };
        self.entries.sort_unstable_by(|one, other| {
            let rest = || long(one.1, one.2).cmp(long(other.1, other.2));
            one.0
                .cmp(&other.0)
                .then_with(rest)
                .then_with(|| (one.2 - one.1).cmp(&(other.2 - other.1)))
                .then_with(|| other.3.cmp(&one.3))
        });
        let (number, mut writer) = files.create(width)?;
        let (mut key, mut before) = (Vec::new(), Vec::new());
        for (at, (head, start, end, position)) in self.entries.iter().enumerate() {
            key.clear();
            match end - start {
                17.. => key.extend_from_slice(long(*start, *end)),
                length => key.extend_from_slice(&head.to_be_bytes()[..length as usize]),
            }
            if at == 0 || key != before {
                writer.push(&key, *position)?;
                std::mem::swap(&mut key, &mut before);
            }
        }
        self.entries.clear();
        self.keys.clear();
        writer.finish().map(|facts| Some(facts.image(number)))
    }
}

impl NativeTable {
    /// The runs of an index after a checkpoint whose rows are `now`, the newest first. `before` is what the checkpoint before
    /// had, and its runs of this index; without it all rows are new. `groups` are those of `now`.
    ///
    /// Errors: those of the file system, and why rows or runs could not be read.
    pub(crate) fn keep_index(
        &self,
        index: &TableIndex,
        (now, before): (&TableImage, Option<(&TableImage, &[RunImage])>),
        groups: &HashMap<u64, Arc<Group>>,
        files: &mut dyn RunFiles,
    ) -> Result<Vec<RunImage>> {
        let width = index.encoder().width();
        let was = before.map(|(image, _)| Live::of(image));
        let is_known = |image: &&GroupImage| was.as_ref().is_some_and(|was| was.group(image.group).is_some());
        let new_rows = now.groups.iter().filter(|image| !is_known(image)).map(|image| image.rows as usize).sum();
        let mut runs: Vec<RunImage> = Vec::new();
        let (mut part, mut key) = (Part::new(new_rows, self.shared.memory.sort_bytes()), Vec::new());
        for image in &now.groups {
            let known = was.as_ref().and_then(|was| was.group(image.group));
            if known.is_some_and(|known| known.rows == image.rows && is_part(&image.deleted, &known.deleted)) {
                continue;
            }
            let Some(group) = groups.get(&image.group) else { continue };
            // Values that are decoded for this alone must not stay in memory.
            let transient = group.transient();
            let group = transient.as_ref().unwrap_or(group);
            group.load()?;
            let mut deleted = image.deleted.iter().peekable();
            for offset in 0..image.rows {
                if deleted.next_if_eq(&&offset).is_some() {
                    continue;
                }
                let position = group.position(offset as usize);
                if was.as_ref().is_some_and(|was| was.has(position)) {
                    continue;
                }
                let stored = Stored { group, offset: offset as usize };
                index.key(&stored, group.row_id(offset as usize), &mut key)?;
                part.push(&key, position);
                if part.is_full() {
                    runs.splice(0..0, part.write(files, width)?);
                }
            }
        }
        runs.splice(0..0, part.write(files, width)?);
        drop(part);
        let parts = runs.len();
        runs.extend(before.iter().flat_map(|(_, runs)| runs.iter()));
        let most = (self.shared.memory.sort_bytes() / MERGED_BYTES).clamp(LEAST_MERGED, MOST_MERGED);
        merge((runs, parts), &Live::of(now), width, (files, most))
    }
}

/// True when every row deleted in `was` is deleted in `now`, so that no row was added. Both ascend.
fn is_part(now: &[u32], was: &[u32]) -> bool {
    was.len() <= now.len() && was.iter().all(|offset| now.binary_search(offset).is_ok())
}

/// Merges the newest runs as far as it is worth it; the first of them, which are the parts of one checkpoint, in any case.
/// No more than `most` are merged at once.
fn merge(
    (mut runs, parts): (Vec<RunImage>, usize),
    live: &Live<'_>,
    width: Option<usize>,
    (files, most): (&mut dyn RunFiles, usize),
) -> Result<Vec<RunImage>> {
    let all: u64 = runs.iter().map(|run| run.entries).sum();
    let mut count = parts.max(1).min(runs.len());
    let mut entries = runs[..count].iter().map(|run| run.entries).sum::<u64>();
    while let Some(next) = runs.get(count) {
        let is_worth_it = entries.saturating_mul(RATIO) >= next.entries || runs.len() - count >= MOST_RUNS;
        if !is_worth_it && all <= live.count().saturating_mul(2) {
            break;
        }
        entries += next.entries;
        count += 1;
    }
    if count < 2 {
        return Ok(runs);
    }
    let mut merging: Vec<RunImage> = runs.drain(..count).collect();
    while merging.len() > most {
        let neighbours = merging.chunks(most).map(|chunk| merge_all(chunk, live, width, files));
        merging = neighbours.filter_map(Result::transpose).collect::<Result<_>>()?;
    }
    runs.splice(0..0, merge_all(&merging, live, width, files)?);
    Ok(runs)
}

/// Merges these runs, the newest first, into one; `None` when nothing of them is live.
fn merge_all(
    runs: &[RunImage],
    live: &Live<'_>,
    width: Option<usize>,
    files: &mut dyn RunFiles,
) -> Result<Option<RunImage>> {
    if let [run] = runs {
        return Ok(Some(*run));
    }
    let opened: Result<Vec<Arc<Run>>> = runs.iter().map(|run| files.open(run).map(Arc::new)).collect();
    let mut walk = Walk::of(&opened?)?;
    let (number, mut writer) = files.create(width)?;
    let (mut is_empty, mut passed_bytes) = (true, 0);
    loop {
        if passed_bytes >= RELEASE_BYTES {
            walk.release_passed();
            passed_bytes = 0;
        }
        let Some((key, position)) = walk.peek() else { break };
        passed_bytes += key.len() + size_of_val(&position);
        if live.has(position) {
            writer.push(key, position)?;
            is_empty = false;
        }
        walk.advance()?;
    }
    let merged = writer.finish()?.image(number);
    Ok(Some(merged).filter(|_| !is_empty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::StoreFolder;
    use mainstay_vfs::{FileSystem, Simulated};
    use std::path::Path;

    struct Files {
        folder: StoreFolder,
        created: u64,
    }

    impl RunFiles for Files {
        fn create(&mut self, width: Option<usize>) -> Result<(u64, RunWriter)> {
            self.created += 1;
            let path = self.folder.run_path(self.created);
            Ok((self.created, RunWriter::create(self.folder.fs(), &path, self.created, width)?))
        }

        fn open(&self, image: &RunImage) -> Result<Run> {
            self.folder.map_run_once(&image.file)
        }
    }

    /// A run of these keys, each with its position.
    fn run(files: &mut dyn RunFiles, entries: &[(u64, u64)]) -> RunImage {
        let (number, mut writer) = files.create(Some(8)).unwrap();
        entries.iter().for_each(|(key, position)| writer.push(&key.to_be_bytes(), *position).unwrap());
        writer.finish().unwrap().image(number)
    }

    fn entries(run: Run) -> Vec<(u64, u64)> {
        let mut walk = Walk::of(&[Arc::new(run)]).unwrap();
        let mut found = Vec::new();
        while let Some((key, position)) = walk.peek() {
            found.push((u64::from_be_bytes(key.try_into().unwrap()), position));
            walk.advance().unwrap();
        }
        found
    }

    /// Ten parts, merged three at once: 10, then 4, then 2, then 1. Each key is in two neighbouring parts, and the newer one
    /// hides the other, also where both are merged in different rounds.
    #[test]
    fn many_parts_are_merged_a_few_at_once() {
        let fs = Simulated::new();
        fs.create_folder(Path::new("db")).unwrap();
        let mut files = Files { folder: StoreFolder::new(Arc::new(fs), "db"), created: 0 };
        // Part p, the newest first, has the keys p and p + 1; its positions are 100 * (9 - p) and one more.
        let position = |part: u64, entry: u64| 100 * (9 - part) + entry;
        let parts: Vec<RunImage> = (0..10u64)
            .map(|part| run(&mut files, &[(part, position(part, 0)), (part + 1, position(part, 1))]))
            .collect();
        // All live but the second entry of the oldest part, which no newer one hides.
        let group = GroupImage { group: 0, rows: 1000, deleted: vec![position(9, 1) as u32], ..GroupImage::default() };
        let image = TableImage { groups: vec![group], ..TableImage::default() };
        let merged = merge((parts, 10), &Live::of(&image), Some(8), (&mut files, 3)).unwrap();
        assert_eq!(merged.len(), 1);
        let found = entries(files.open(&merged[0]).unwrap());
        let expected: Vec<(u64, u64)> =
            std::iter::once((0, position(0, 0))).chain((1..10).map(|key| (key, position(key - 1, 1)))).collect();
        assert_eq!(found, expected);
        // Ten parts, four of three or one, two, and one; the parts that are alone are not written again.
        assert_eq!(files.created, 10 + 3 + 1 + 1);
    }
}
