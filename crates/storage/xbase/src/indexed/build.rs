//! Creation, removal and rebuilding of tags over the records of a table.
//!
//! ```text
//!   create_index   expressions compiled -> keys of the records, sorted -> a new file, or a tag in one that is open
//!   reindex        the same for all tags of all open files, into new files that take the old ones' places
//! ```
//! A build that is stopped or fails leaves everything as it was. Creating, changing and reindexing the structural CDX
//! needs exclusive use: other programs that have the table open would not maintain a tag that they do not know. A
//! program that opened the table for shared use may create a tag there while no other has it open; until the tag is
//! built, the table cannot be opened. (Harbour creates it in any case.) Other index files may also be created during
//! shared use: other programs do not maintain them unless they open them.

use super::bag::OpenBag;
use super::over_records::OverRecords;
use super::set::{no_such_bag, no_such_tag};
use super::{IndexedTable, TagId, structural_path};
use crate::collation::KeyOrder;
use crate::dbf::{Dbf, Header};
use crate::expr::{ExprValue, Kind, Scratch};
use crate::index::write::{BagSpec, BagWriter, KeySorter, TagSpec, reindex, unknown_order, without_definition};
use crate::index::{BagKind, KeyFamily, TagHeader};
use crate::keys::{Conventions, Expressions, Rules, TagKeys, advantage_texts, named_texts};
use crate::lock::{IndexLock, LockPlan};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::{Create, LockMode};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of keys that are sorted in memory at a time.
const SORT_BYTES: usize = 256 << 20;

/// About how many bytes of records are read at a time.
const RUN_BYTES: u64 = 1 << 20;

/// A tag that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    /// The name: 1 to 10 ASCII characters, in an ADI up to 128. The only tag of an IDX or NTX is named like its file, and may
    /// have a longer name, of which the file keeps ten.
    pub name: String,
    /// The key expression, in the code page of the table. Of an ADI: fields by their names or numbers, with semicolons
    /// between.
    pub key: Vec<u8>,
    /// The FOR condition.
    pub condition: Option<Vec<u8>>,
    /// Of records with equal keys, only the first is listed.
    pub unique: bool,
    /// A second record with an equal key is refused (Visual FoxPro).
    pub candidate: bool,
    /// From the greatest key to the least.
    pub descending: bool,
    /// The tag is empty at first, and keys are added by the program.
    pub custom: bool,
    /// Keys are stored in upper case (Harbour).
    pub ignore_case: bool,
}

impl IndexSpec {
    /// A tag without condition and flags.
    pub fn new(name: &str, key: impl Into<Vec<u8>>) -> IndexSpec {
        IndexSpec {
            name: name.to_owned(),
            key: key.into(),
            condition: None,
            unique: false,
            candidate: false,
            descending: false,
            custom: false,
            ignore_case: false,
        }
    }

    /// The specification of a tag that exists.
    pub fn of(header: &TagHeader) -> IndexSpec {
        IndexSpec {
            name: header.name.clone(),
            key: header.key_bytes.clone(),
            condition: header.for_bytes.clone(),
            unique: header.unique,
            candidate: header.candidate,
            descending: header.descending,
            custom: header.custom,
            ignore_case: header.ignore_case,
        }
    }
}

impl IndexSpec {
    /// The same with the names of the table's fields where the file has their numbers (ADI).
    pub fn of_table(header: &TagHeader, dbf: &Dbf) -> IndexSpec {
        let spec = IndexSpec::of(header);
        if header.kind != BagKind::Adi {
            return spec;
        }
        let (key, condition) = named_texts(header, dbf);
        IndexSpec { key, condition, ..spec }
    }
}

pub use crate::writer::Telling;

/// Options for building a tag.
#[derive(Default)]
pub struct Building<'b> {
    /// Told from time to time.
    pub progress: Option<Telling<'b>>,
    /// The records to list, in the order in which they are met; all of them without it.
    pub records: Option<&'b mut dyn Iterator<Item = u64>>,
    /// The WHILE condition: the first record for which it is not true is the end.
    pub while_condition: Option<&'b [u8]>,
}

impl std::fmt::Debug for Building<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Building({} records)", if self.records.is_some() { "some" } else { "all" })
    }
}

impl Building<'_> {
    /// The tag with a mark if it is going to lack records.
    fn mark(&self, tag: TagSpec) -> TagSpec {
        TagSpec { partial: self.records.is_some() || self.while_condition.is_some(), ..tag }
    }

    fn tell(&mut self, done: u64, total: u64) -> Result<()> {
        interrupt::check()?;
        let Some(progress) = &mut self.progress else { return Ok(()) };
        if progress(done, total).is_break() {
            return Err(Error::new(Code::Cancelled, "building the index was stopped"));
        }
        Ok(())
    }
}

/// The layout of a new file of this kind for a table: a CDX with Harbour's mark, except in Visual FoxPro's tables.
pub(super) fn layout_for(kind: BagKind, dbf: &Dbf, spec: &IndexSpec) -> BagSpec {
    let is_foxpro = dbf.header().family() == crate::dbf::Family::VisualFoxPro;
    match kind {
        BagKind::Cdx if spec.candidate || is_foxpro && !spec.custom && !spec.ignore_case => BagSpec::cdx(),
        BagKind::Cdx => BagSpec::harbour_cdx(),
        BagKind::CompactIdx => BagSpec::compact_idx(),
        BagKind::PlainIdx => BagSpec::plain_idx(),
        BagKind::Ntx => BagSpec::ntx(),
        BagKind::CompoundNtx => BagSpec::compound_ntx(),
        BagKind::Adi => advantage_layout(dbf, spec),
    }
}

/// An ADI with the shortest pages in which the keys of its first tag have room.
fn advantage_layout(dbf: &Dbf, spec: &IndexSpec) -> BagSpec {
    let layouts = [512, 1024, 2048, 4096, 8192].map(|page_len| BagSpec { page_len, ..BagSpec::adi() });
    let has_room = |layout: &BagSpec| tag_spec(spec, layout, dbf).is_ok_and(|tag| tag.header(layout).is_ok());
    layouts.into_iter().find(has_room).unwrap_or(BagSpec::adi())
}

/// The tag that a file of this layout will hold: the type and length of its keys follow from the expression.
pub(super) fn tag_spec(spec: &IndexSpec, bag: &BagSpec, dbf: &Dbf) -> Result<TagSpec> {
    let rules = Rules::of(bag.kind, bag.by_harbour, dbf);
    if bag.kind == BagKind::Adi {
        return advantage_spec(spec, rules, dbf);
    }
    let compiled = Expressions::compile(&spec.key, spec.condition.as_deref(), rules, dbf)?;
    let result = compiled.key.result_type();
    let is_ntx = matches!(bag.kind, BagKind::Ntx | BagKind::CompoundNtx);
    let mut decimals = 0;
    let length = match compiled.family {
        KeyFamily::Character => result.length.unwrap_or(result.max_length),
        KeyFamily::Number | KeyFamily::Currency if is_ntx => {
            let (Some(length), Some(places)) = (result.length, result.decimals) else {
                let message = "the width of this number depends on the records; use STR() with a width";
                return Err(Error::new(Code::Unsupported, message));
            };
            decimals = u8::try_from(places).unwrap_or(0);
            length
        }
        KeyFamily::Number if !bag.by_harbour && is_integer_field(&compiled, dbf) => 4,
        KeyFamily::Timestamp if is_ntx => 17,
        KeyFamily::Logical => 1,
        _ => 8,
    };
    if compiled.family == KeyFamily::Character && !(1..=240).contains(&length) {
        let message = format!("a key has 1 to 240 bytes, and this expression gives {length}");
        return Err(Error::new(Code::InvalidValue, message));
    }
    let nullable = compiled.nullable && !is_ntx;
    Ok(TagSpec {
        condition: spec.condition.clone(),
        decimals,
        nullable,
        descending: spec.descending,
        unique: spec.unique,
        candidate: spec.candidate,
        custom: spec.custom,
        ignore_case: spec.ignore_case,
        ..TagSpec::new(&spec.name, spec.key.clone(), compiled.family, length + usize::from(nullable))
    })
}

/// The same of a tag of an Advantage table. A unique tag refuses a second record with an equal key.
fn advantage_spec(spec: &IndexSpec, rules: Rules, dbf: &Dbf) -> Result<TagSpec> {
    let (key, condition) = advantage_texts(&spec.key, spec.condition.as_deref(), dbf);
    let compiled = Expressions::compile(&key, condition.as_deref(), rules, dbf)?;
    compiled.check_condition()?;
    let Some((length, form)) = compiled.advantage_keys() else {
        return Err(Error::new(Code::Internal, "an Advantage key without parts"));
    };
    let (descending, custom, ignore_case) = (spec.descending, spec.custom, spec.ignore_case);
    let candidate = spec.unique || spec.candidate;
    let tag = TagSpec { form: Some(form), ..TagSpec::new(&spec.name, key, compiled.family, length) };
    Ok(TagSpec { condition, descending, candidate, custom, ignore_case, ..tag })
}

/// The same of a tag that is new, and so must mean something.
pub(super) fn new_tag_spec(spec: &IndexSpec, bag: &BagSpec, dbf: &Dbf) -> Result<TagSpec> {
    if bag.kind != BagKind::Adi {
        let rules = Rules::of(bag.kind, bag.by_harbour, dbf);
        Expressions::compile(&spec.key, spec.condition.as_deref(), rules, dbf)?.check_condition()?;
    }
    tag_spec(spec, bag, dbf)
}

fn is_integer_field(compiled: &Expressions, dbf: &Dbf) -> bool {
    let is_integer = |field: &usize| dbf.fields().get(*field).is_some_and(|field| field.letter == b'I');
    let parts = compiled.key.parts();
    parts.len() == 1
        && matches!(&parts[0].source, crate::expr::KeySource::Field(field) if is_integer(field))
        && compiled.key.result_type().kind == Kind::Numeric
}

impl IndexedTable {
    /// Makes a tag over the records. `path` is the index file: a CDX or compound NTX gets the tag added (one of the
    /// same name is replaced); a file of one tag is made anew. The file is open afterwards. Without a path it is the
    /// structural CDX.
    ///
    /// Fails with the expression's error, with `Code::UniqueViolation` if records have the same candidate key, with
    /// `Code::Busy` if the structural CDX is to be changed while others have the table open, and with `Code::Cancelled`.
    pub fn create_index(
        &mut self,
        path: Option<&Path>,
        kind: BagKind,
        spec: &IndexSpec,
        mut building: Building<'_>,
    ) -> Result<TagId> {
        self.must_have_no_transaction("making an index")?;
        self.flush()?;
        let path = path.map_or_else(|| self.structural(), Path::to_owned);
        if path != self.structural() || self.indexes.sharing.alone {
            let made = self.make_index(&path, kind, spec, &mut building);
            return made.map_err(|error| self.name_duplicate(error, kind, spec));
        }
        if !self.writer.claim_alone()? {
            let message = "others have the table open, and would not keep up a tag that they do not know";
            let error = Error::new(Code::Busy, message).at(self.path().display());
            return Err(error.hint("open the table for exclusive use"));
        }
        let made = self.lock_as_with_cdx().and_then(|()| self.make_index(&path, kind, spec, &mut building));
        let shared = self.writer.share_again();
        let made = made.map_err(|error| self.name_duplicate(error, kind, spec));
        made.and_then(|made| shared.map(|()| made))
    }

    /// The same, with permission to change the file.
    fn make_index(
        &mut self,
        path: &Path,
        kind: BagKind,
        spec: &IndexSpec,
        building: &mut Building<'_>,
    ) -> Result<TagId> {
        let is_structural = path == self.structural();
        let open = self.indexes.bags.iter().position(|bag| bag.path == path);
        let exists = open.is_some() || self.fs.stamp(path).is_ok();
        let is_compound = matches!(kind, BagKind::Cdx | BagKind::Adi | BagKind::CompoundNtx);
        if exists && is_compound {
            let bag = self.open_bag(path)?;
            return self.add_tag(bag, spec, building);
        }
        let layout = layout_for(kind, &self.indexes.dbf, spec);
        let tag = building.mark(new_tag_spec(spec, &layout, &self.indexes.dbf)?).named_for(&layout, path);
        let count = self.writer.count()?;
        let keys = self.collect(path, (&tag.header(&layout)?, None), count, building)?;
        if let Some(open) = open {
            self.indexes.bags.remove(open);
        }
        self.put_bag(path, &layout, vec![(tag, keys)])?;
        let bag = self.open_made(path, is_structural)?;
        Ok(TagId { bag, tag: 0 })
    }

    /// Locks the table from now on as one that has a CDX, as programs that open it afterwards do.
    fn lock_as_with_cdx(&mut self) -> Result<()> {
        let header = Header { has_structural_index: true, ..self.writer.dbf().header().clone() };
        let plan = LockPlan::new(self.options.scheme, &header, true);
        if plan == self.writer.lock_plan() {
            return Ok(());
        }
        self.writer.lock_by(plan)?;
        self.indexes.sharing.lock = IndexLock::of(plan);
        for bag in &mut self.indexes.bags {
            if let Ok(live) = bag.live_mut() {
                live.lock_by(self.indexes.sharing.lock);
            }
        }
        Ok(())
    }

    /// Makes a file of these tags over all records, in the place of the one that is there. The tags have these conventions,
    /// in their order, or those of the tags that are there.
    pub(super) fn make_bag(
        &mut self,
        path: &Path,
        layout: &BagSpec,
        tags: Vec<TagSpec>,
        conventions: &[Conventions],
    ) -> Result<()> {
        let count = self.writer.count()?;
        let mut made = Vec::with_capacity(tags.len());
        for (number, tag) in tags.into_iter().enumerate() {
            let known = conventions.get(number).copied().or_else(|| self.indexes.conventions(path, &tag.name));
            let tag = tag.named_for(layout, path);
            let keys = self.collect(path, (&tag.header(layout)?, known), count, &mut Building::default())?;
            made.push((tag, keys));
        }
        self.put_bag(path, layout, made)
    }

    fn put_bag(&self, path: &Path, layout: &BagSpec, tags: Vec<(TagSpec, KeySorter)>) -> Result<()> {
        let new = beside(path, ".new");
        let file = self.fs.create(&new, Create::Truncate)?;
        let made = BagWriter::create(file, layout, tags).and_then(|mut writer| writer.sync());
        if let Err(error) = made.and_then(|()| self.fs.rename(&new, path)) {
            // The first error is reported; a failure to remove the remains would not help the caller.
            let _ = self.fs.remove(&new);
            return Err(error);
        }
        self.fs.sync_folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Fails as making this tag would: if it is not understood, or a record has no key, or one that another has.
    pub(super) fn tag_can_be_made(
        &mut self,
        path: &Path,
        (spec, conventions): (&IndexSpec, Conventions),
        layout: &BagSpec,
    ) -> Result<()> {
        let count = self.writer.count()?;
        let header = tag_spec(spec, layout, &self.indexes.dbf)?.named_for(layout, path).header(layout)?;
        let keys = self.collect(path, (&header, Some(conventions)), count, &mut Building::default())?;
        // A key whose place is not certain is an error, too.
        if header.candidate || !conventions.order.is_bytes() { keys.finish(|_, _| Ok(())) } else { Ok(()) }
    }

    pub(super) fn open_made(&mut self, path: &Path, is_structural: bool) -> Result<usize> {
        if !is_structural {
            return self.open_bag(path);
        }
        self.writer.mark_structural_index(true)?;
        let bag = OpenBag::structural(&*self.fs, path, &self.indexes.dbf, self.indexes.sharing)?;
        self.indexes.bags.insert(0, bag);
        Ok(0)
    }

    /// The path of the structural CDX: the one that is there, or the usual one.
    fn structural(&self) -> PathBuf {
        let open = self.indexes.bags.iter().find(|bag| bag.is_structural);
        open.map_or_else(|| structural_path(self.writer.path()), |bag| bag.path.clone())
    }

    pub(super) fn must_be_alone(&self, what: &str) -> Result<()> {
        if self.indexes.sharing.alone {
            return Ok(());
        }
        let message = format!("the table must be open for exclusive use to let {what}");
        Err(Error::new(Code::Busy, message).at(self.path().display()))
    }

    fn add_tag(&mut self, bag: usize, spec: &IndexSpec, building: &mut Building<'_>) -> Result<TagId> {
        let layout = self.indexes.bags[bag].live()?.writer.spec();
        let path = self.indexes.bags[bag].path.clone();
        let tag = building.mark(new_tag_spec(spec, &layout, &self.indexes.dbf)?);
        let count = self.writer.count()?;
        let keys = self.collect(&path, (&tag.header(&layout)?, None), count, building)?;
        let total = keys.len();
        let (wait, dbf) = (self.indexes.sharing.wait, &self.indexes.dbf);
        let live = self.indexes.bags[bag].live_mut()?;
        live.lock(dbf, wait)?;
        let mut tell = |done: u64| match building.tell(total + done, 2 * total) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let replaced = live.writer.find(&spec.name).map_or(Ok(()), |old| live.writer.drop_tag(old));
        let added = replaced.and_then(|()| live.writer.add_tag(&tag, keys, &mut tell));
        let written = match added {
            Ok(_) => live.write(false),
            Err(error) => live.writer.discard().and(Err(error)),
        };
        let unlocked = live.unlock();
        written.and(unlocked)?;
        live.learn(dbf)?;
        let tag = live.writer.find(&spec.name).ok_or_else(|| no_such_tag(0))?;
        Ok(TagId { bag, tag })
    }

    /// Takes a tag away; with the last tag of a file, the file. Nobody else may have the file open.
    pub fn drop_tag(&mut self, id: TagId) -> Result<()> {
        self.must_have_no_transaction("dropping a tag")?;
        self.flush()?;
        let alone = self.indexes.sharing.alone;
        let Some(open) = self.indexes.bags.get_mut(id.bag) else { return Err(no_such_bag(id.bag)) };
        let (path, is_structural) = (open.path.clone(), open.is_structural);
        let live = open.live_mut()?;
        if id.tag >= live.writer.tags().len() {
            return Err(no_such_tag(id.tag));
        }
        if !alone && (is_structural || !live.claim(LockMode::Exclusive)?) {
            let message = "a tag can be dropped when nobody else has the index open";
            return Err(Error::new(Code::Busy, message).at(path.display()).hint("open the table for exclusive use"));
        }
        if live.writer.tags().len() > 1 {
            let dropped = live.writer.drop_tag(id.tag).and_then(|()| live.write(false));
            let shared = if alone { Ok(true) } else { live.claim(LockMode::Shared) };
            dropped.and(shared)?;
            return live.learn(&self.indexes.dbf);
        }
        self.indexes.bags.remove(id.bag);
        self.fs.remove(&path)?;
        if is_structural { self.writer.mark_structural_index(false) } else { Ok(()) }
    }

    /// Makes all open index files anew from the records; entries of custom tags stay. The table must be open for
    /// exclusive use. `progress` is told how far it is; a build that is stopped leaves the file at hand as it was.
    pub fn reindex(&mut self, progress: Telling<'_>) -> Result<()> {
        self.must_be_alone("its indexes be made anew")?;
        self.must_have_no_transaction("making indexes anew")?;
        self.writer.flush()?;
        self.indexes.settle_bags()?;
        // The old trees in memory need not be written, but custom entries are read from the file.
        self.indexes.write().or_else(|error| if error.code() == Code::IndexDamaged { Ok(()) } else { Err(error) })?;
        self.rebuild_all(true, progress)
    }

    /// Makes all index files anew; with their custom entries, or without because records have other numbers.
    pub(super) fn rebuild_all(&mut self, keeps_custom: bool, progress: Telling<'_>) -> Result<()> {
        let paths: Vec<(PathBuf, bool)> =
            self.indexes.bags.iter().map(|bag| (bag.path.clone(), bag.is_structural)).collect();
        let files = paths.len() as u64;
        for (number, (path, is_structural)) in paths.iter().enumerate() {
            let count = self.writer.count()?;
            let mut records = OverRecords {
                count,
                table: self,
                path,
                keeps_custom,
                progress: &mut *progress,
                at: (number as u64, files),
            };
            reindex(&Arc::clone(&records.table.fs), path, SORT_BYTES, &mut records)?;
            let (dbf, sharing) = (&self.indexes.dbf, self.indexes.sharing);
            let bag = match is_structural {
                true => OpenBag::structural(&*self.fs, path, dbf, sharing)?,
                false => OpenBag::open(&*self.fs, path, dbf, sharing)?,
            };
            self.indexes.bags[number] = bag;
        }
        Ok(())
    }

    /// The keys of the records, for a tag with this header and the conventions that it had, if it is not new.
    pub(super) fn collect(
        &self,
        path: &Path,
        (header, conventions): (&TagHeader, Option<Conventions>),
        count: u64,
        building: &mut Building<'_>,
    ) -> Result<KeySorter> {
        let mut tag = TagKeys::new(header, &self.indexes.dbf).map_err(|error| match conventions {
            Some(_) if error.code() == Code::Syntax => without_definition(path, header, &error),
            _ => error,
        })?;
        if let Some(known) = conventions.or_else(|| self.indexes.national()).filter(|known| *known != tag.conventions())
        {
            tag = tag.with_conventions(known, header, &self.indexes.dbf)?;
        }
        if tag.key_type.order() == KeyOrder::Unknown {
            return Err(unknown_order(&header.name));
        }
        let keys = KeySorter::new(header).in_order(tag.key_type.order());
        let mut keys = keys.with_limit(SORT_BYTES, Arc::clone(&self.fs), &beside(path, ".runs"));
        if header.custom {
            return Ok(keys);
        }
        let while_condition = match building.while_condition {
            Some(text) => {
                let rules = Rules::of(header.kind, header.by_harbour, &self.indexes.dbf);
                let compiled = Expressions::compile(&header.key_bytes, Some(text), rules, &self.indexes.dbf)?;
                compiled.check_condition()?;
                Some(compiled)
            }
            None => None,
        };
        let goes_on = while_condition.as_ref().and_then(|compiled| compiled.condition.as_ref());
        let mut taking = Taking { tag: &tag, scratch: Scratch::new(), key: Vec::new() };
        if let Some(records) = building.records.take() {
            let mut bytes = Vec::new();
            for (done, record) in records.enumerate() {
                if done % 1024 == 0 {
                    building.tell(done as u64, 2 * count)?;
                }
                if record == 0 || record > count {
                    let message = format!("there is no record {record}; the table has {count}");
                    return Err(Error::new(Code::InvalidValue, message).at(self.path().display()));
                }
                self.indexes.dbf.read_record(record - 1, &mut bytes)?;
                if !taking.goes_on(goes_on, &bytes, record)? {
                    break;
                }
                taking.take(&bytes, record, &mut keys)?;
            }
            return Ok(keys);
        }
        keys.reserve(usize::try_from(count).unwrap_or(0));
        self.each_run(count, |first, run, length| {
            building.tell(first, 2 * count)?;
            for (bytes, record) in run.chunks_exact(length).zip(first + 1..) {
                if !taking.goes_on(goes_on, bytes, record)? {
                    return Ok(ControlFlow::Break(()));
                }
                taking.take(bytes, record, &mut keys)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(keys)
    }

    /// Reads all records in runs: `visit` gets the number of records before the run, its bytes, and those of a record.
    fn each_run(&self, count: u64, mut visit: impl FnMut(u64, &[u8], usize) -> Result<ControlFlow<()>>) -> Result<()> {
        let length = self.indexes.dbf.header().record_bytes();
        let per_run = (RUN_BYTES / length.max(1) as u64).max(1);
        let (mut buffer, mut first) = (Vec::new(), 0);
        while first < count {
            let end = count.min(first + per_run);
            self.indexes.dbf.read_records(first..end, &mut buffer)?;
            if visit(first, &buffer, length)?.is_break() {
                break;
            }
            first = end;
        }
        Ok(())
    }
}

/// Takes the keys of records, one after the other.
struct Taking<'t> {
    tag: &'t TagKeys,
    scratch: Scratch,
    key: Vec<u8>,
}

impl Taking<'_> {
    fn goes_on(&mut self, condition: Option<&crate::expr::Compiled>, bytes: &[u8], record: u64) -> Result<bool> {
        let Some(condition) = condition else { return Ok(true) };
        Ok(condition.evaluate(&mut self.scratch, bytes, number(record)?)? == ExprValue::Logical(true))
    }

    fn take(&mut self, bytes: &[u8], record: u64, keys: &mut KeySorter) -> Result<()> {
        let record = number(record)?;
        if self.tag.lists(&mut self.scratch, bytes, record)? {
            self.key.clear();
            self.tag.write_key(&mut self.scratch, bytes, record, &mut self.key)?;
            keys.push(&self.key, record)?;
        }
        Ok(())
    }
}

fn number(record: u64) -> Result<u32> {
    u32::try_from(record).map_err(|_| Error::new(Code::Unsupported, "indexes hold record numbers of 32 bits"))
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
