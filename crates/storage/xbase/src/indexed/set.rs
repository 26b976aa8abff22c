//! The index files of a table as a set: the effects of a record's change on all their keys.
//!
//! ```text
//!   follow     for each tag: key before, key after -> lock the index file -> in memory: take out, put in
//!              (the record is written)
//!   settle     pages to the files, locks given back
//!   take back  after an error: as if nothing had been
//! ```
//! **Nothing is written before everything is accepted.** A second candidate key, an expression without a result for
//! this record, a damaged page: all of these are detected while the keys are changed in memory, before a byte of the
//! record is written. Only the writing itself can fail later.
//!
//! **With exclusive use**, changed pages stay in memory until the table is flushed; a change that fails is undone key
//! by key, because the changes before it are in memory too.

use super::bag::{Live, OpenBag, Sharing, not_kept_up};
use super::duplicate::taken;
use super::trust::Missing;
use crate::collation::KeyOrder;
use crate::dbf::Dbf;
use crate::expr::Scratch;
use crate::keys::{Conventions, TagKeys};
use crate::lock::LockWait;
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// With exclusive use, pages of changed keys are written after so many changes, to bound their memory.
const UNWRITTEN_CHANGES: u64 = 1 << 19;

/// The index files of a table.
#[derive(Debug)]
pub(super) struct IndexSet {
    pub(super) bags: Vec<OpenBag>,
    pub(super) dbf: Dbf,
    pub(super) sharing: Sharing,
    durable: bool,
    scratch: Scratch,
    log: KeyLog,
    /// Changes in memory, with exclusive use.
    unwritten: u64,
    /// The keys of the record at hand.
    old_key: Vec<u8>,
    new_key: Vec<u8>,
    steps: Vec<Step>,
    /// Keys that are not there are no reason to wonder: what a crash has left is being undone.
    pub(super) is_lenient: bool,
    /// The record at hand has another key in a UNIQUE tag.
    pub(super) changes_unique: bool,
    /// Candidate keys may be those of two records for a while.
    pub(super) lets_keys_repeat: bool,
}

/// A key of a tag: the numbers of its file and of the tag in it, and the bytes of the key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TagKey {
    bag: usize,
    tag: usize,
    key: Vec<u8>,
}

/// The effect of a record's change on one tag.
#[derive(Clone, Copy, Debug)]
struct Step {
    tag: usize,
    removes: bool,
    adds: bool,
}

/// A log of changes to keys, for undoing them.
#[derive(Debug, Default)]
struct KeyLog {
    entries: Vec<Done>,
    keys: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Done {
    bag: usize,
    tag: usize,
    record: u32,
    /// Where the key is in the log's bytes, and its length.
    key: (usize, usize),
    /// It was put in; else it was taken out.
    added: bool,
}

impl IndexSet {
    pub(super) fn new(dbf: Dbf, sharing: Sharing, durable: bool) -> IndexSet {
        IndexSet {
            bags: Vec::new(),
            dbf,
            sharing,
            durable,
            scratch: Scratch::new(),
            log: KeyLog::default(),
            unwritten: 0,
            old_key: Vec::new(),
            new_key: Vec::new(),
            steps: Vec::new(),
            is_lenient: false,
            changes_unique: false,
            lets_keys_repeat: false,
        }
    }

    /// Returns true if a tag lists the first record with each key only.
    pub(super) fn has_unique(&self) -> bool {
        self.bags.iter().any(|bag| bag.live().is_ok_and(|live| live.writer.tags().any(|tag| tag.unique)))
    }

    /// Tells whether a tag takes each key once.
    pub(super) fn has_candidate(&self) -> bool {
        self.bags.iter().any(|bag| bag.live().is_ok_and(|live| live.writer.tags().any(|tag| tag.candidate)))
    }

    /// The candidate keys of a record of these bytes, without those that it has with the bytes of `but`, too.
    pub(super) fn candidate_keys(&mut self, record: u64, bytes: &[u8], but: Option<&[u8]>) -> Vec<TagKey> {
        let (mut found, record) = (Vec::new(), u32::try_from(record).unwrap_or(u32::MAX));
        let IndexSet { bags, scratch, .. } = self;
        for (number, bag) in bags.iter().enumerate() {
            let Ok(live) = bag.live() else { continue };
            for (tag, (header, keys)) in live.writer.tags().zip(&live.keys).enumerate() {
                let Some(keys) = keys.as_ref().ok().filter(|_| header.candidate && !header.custom) else { continue };
                let mut key_of = |bytes: &[u8]| match keys.lists(scratch, bytes, record) {
                    Ok(true) => keys.key_of(scratch, bytes, record).ok(),
                    _ => None,
                };
                let Some(key) = key_of(bytes) else { continue };
                if but.and_then(&mut key_of).as_ref() != Some(&key) {
                    found.push(TagKey { bag: number, tag, key });
                }
            }
        }
        found
    }

    /// The fields that candidate keys are made of.
    pub(super) fn candidate_fields(&self) -> BTreeSet<usize> {
        let live = self.bags.iter().filter_map(|bag| bag.live().ok());
        let tags = live.flat_map(|live| live.writer.tags().zip(&live.keys));
        let candidates = tags.filter(|(header, _)| header.candidate).filter_map(|(_, keys)| keys.as_ref().ok());
        candidates.flat_map(|keys| keys.key.fields().iter().copied()).collect()
    }

    pub(super) fn set_wait(&mut self, wait: LockWait) {
        self.sharing.wait = wait;
    }

    /// Changes the keys of a record in memory: its bytes before, none for a new one, and after, none for one that
    /// goes. After an error [`IndexSet::take_back`] has to be called.
    pub(super) fn follow(&mut self, record: u64, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<()> {
        self.changes_unique = false;
        if self.bags.is_empty() || old == new {
            return Ok(());
        }
        let record = narrow(record)?;
        let mut was_left_out = false;
        for bag in 0..self.bags.len() {
            was_left_out |= self.follow_in(bag, record, old, new)?;
        }
        if was_left_out { self.list_everywhere(record, new) } else { Ok(()) }
    }

    /// Lists a record that was left out of one tag in all others that have not got it, and takes it out where the keys of
    /// earlier values are: a program that is killed between a record and its keys leaves all tags so.
    #[cold]
    fn list_everywhere(&mut self, record: u32, new: Option<&[u8]>) -> Result<()> {
        self.lock_all()?;
        for bag in 0..self.bags.len() {
            self.plan(bag, record, None, new)?;
            let IndexSet { bags, steps, new_key, log, dbf, .. } = self;
            let live = bags[bag].live_mut()?;
            let mut at = 0;
            for tag in 0..live.keys.len() {
                let length = key_length(&live.keys, tag);
                let key = match steps.iter().any(|step| step.tag == tag) {
                    true => new_key.get(at..at + length),
                    false => None,
                };
                at += key.map_or(0, <[u8]>::len);
                if !live.lists_all(tag) {
                    continue;
                }
                let (wrong, is_listed) = live.wrong_listings(tag, key, record, dbf)?;
                for wrong in wrong {
                    live.take_out(tag, &wrong, record)?;
                    log.note(bag, tag, record, &wrong, false);
                }
                if let Some(key) = key.filter(|_| !is_listed)
                    && live.writer.insert(tag, key, record)?
                {
                    log.note(bag, tag, record, key, true);
                }
            }
        }
        Ok(())
    }

    /// Locks all index files, and calls `work` with every key that a record of these bytes has: the file, the tag in it,
    /// the key, and what is to be told of each key that was put in (`true`) or taken out.
    fn with_each_key(
        &mut self,
        record: u32,
        bytes: Option<&[u8]>,
        mut work: impl FnMut(&mut Live, usize, &[u8], &mut dyn FnMut(bool)) -> Result<()>,
    ) -> Result<()> {
        self.lock_all()?;
        for bag in 0..self.bags.len() {
            self.plan(bag, record, None, bytes)?;
            let IndexSet { bags, steps, new_key, log, .. } = self;
            let live = bags[bag].live_mut()?;
            let mut at = 0;
            for step in steps.iter() {
                let length = key_length(&live.keys, step.tag);
                let key = new_key.get(at..at + length).unwrap_or_default();
                at += length;
                work(live, step.tag, key, &mut |added| log.note(bag, step.tag, record, key, added))?;
            }
        }
        Ok(())
    }

    /// Returns true if a record may be listed some time after it was appended: nothing can refuse its keys by then that
    /// does not refuse them now.
    pub(super) fn may_list_later(&self) -> bool {
        !self.sharing.alone
            && !self.bags.is_empty()
            && self.bags.iter().all(|bag| bag.live().is_ok_and(|live| !live.writer.tags().any(|tag| tag.candidate)))
    }

    /// Fails if the keys of a new record could not be made.
    pub(super) fn would_list(&mut self, record: u64, new: &[u8]) -> Result<()> {
        let record = narrow(record)?;
        (0..self.bags.len()).try_for_each(|bag| self.plan(bag, record, None, Some(new)).map(drop))
    }

    /// Locks all index files, in the order of their names: two programs that need several never wait for each other.
    /// Gives whether the tags of one have changed.
    fn lock_all(&mut self) -> Result<bool> {
        if let [bag] = &mut self.bags[..] {
            return bag.live_mut()?.lock(&self.dbf, self.sharing.wait);
        }
        let mut changed = false;
        let mut order: Vec<usize> = (0..self.bags.len()).collect();
        order.sort_by(|left, right| self.bags[*left].path.cmp(&self.bags[*right].path));
        for bag in order {
            changed |= self.bags[bag].live_mut()?.lock(&self.dbf, self.sharing.wait)?;
        }
        Ok(changed)
    }

    /// Changes the keys of one file; whether the record was not listed where it should have been.
    fn follow_in(&mut self, bag: usize, record: u32, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool> {
        self.settle_bag(bag)?;
        if self.plan(bag, record, old, new)? && !self.sharing.alone && !self.bags[bag].live()?.is_locked() {
            // Another program may have added or dropped tags.
            if self.lock_all()? {
                self.settle_bag(bag)?;
                self.plan(bag, record, old, new)?;
            }
        }
        let live = self.bags[bag].live_mut()?;
        let (mut old_at, mut new_at) = (0, 0);
        let mut was_left_out = false;
        for step in &self.steps {
            let length = key_length(&live.keys, step.tag);
            let mut adds = step.adds;
            self.changes_unique |= live.writer.tags().nth(step.tag).is_some_and(|header| header.unique);
            if step.removes {
                let key = self.old_key.get(old_at..old_at + length).unwrap_or_default();
                old_at += length;
                live.look_at_text(step.tag, key, &self.dbf)?;
                if live.writer.delete(step.tag, key, record)? {
                    self.log.note(bag, step.tag, record, key, false);
                } else if !self.is_lenient {
                    if let Missing::ByMistake(earlier) = live.missed(step.tag, key, record, &self.dbf)? {
                        was_left_out = true;
                        for earlier in earlier {
                            live.take_out(step.tag, &earlier, record)?;
                            self.log.note(bag, step.tag, record, &earlier, false);
                        }
                    }
                    adds &= !live.writer.tags().nth(step.tag).is_some_and(|header| header.change_only);
                }
            }
            if step.adds {
                let key = self.new_key.get(new_at..new_at + length).unwrap_or_default();
                new_at += length;
                live.look_at_text(step.tag, key, &self.dbf)?;
                let writer = &mut live.writer;
                let is_added = match self.lets_keys_repeat {
                    _ if !adds => Ok(false),
                    false => writer.insert(step.tag, key, record),
                    true => writer.insert_repeated(step.tag, key, record),
                };
                let is_added = is_added.map_err(|error| match error.code() {
                    Code::UniqueViolation => taken(error, live, step.tag, (&mut self.scratch, new, record), &self.dbf),
                    _ => error,
                })?;
                if is_added {
                    self.log.note(bag, step.tag, record, key, true);
                }
            }
        }
        Ok(was_left_out)
    }

    /// Fails if another record has one of the candidate keys of this one. After an error [`IndexSet::end`] takes back what
    /// was tried.
    pub(super) fn must_be_alone_with_keys(&mut self, record: u32, bytes: &[u8]) -> Result<()> {
        self.with_each_key(record, Some(bytes), |live, tag, key, note| {
            // Where the record's own key is out, one that is there is another's.
            let is_candidate = live.writer.tags().nth(tag).is_some_and(|header| header.candidate);
            if is_candidate && live.writer.delete(tag, key, record)? {
                note(false);
                live.writer.insert(tag, key, record)?;
                note(true);
            }
            Ok(())
        })
    }

    /// Makes sure that it is known in which order the tags of a file are, and which letters their programs know.
    fn settle_bag(&mut self, bag: usize) -> Result<()> {
        if !self.bags[bag].live()?.is_settled() {
            // A reader of the tags while another program writes to them would see pages of different times.
            self.lock_all()?;
            self.bags[bag].live_mut()?.settle(&self.dbf)?;
        }
        Ok(())
    }

    /// The same of all files, before they are made anew in a table that is open for exclusive use.
    pub(super) fn settle_bags(&mut self) -> Result<()> {
        for bag in &mut self.bags {
            if let Ok(live) = bag.live_mut() {
                live.settle(&self.dbf)?;
            }
        }
        Ok(())
    }

    /// The order and the letters of a tag, if it is there and understood.
    pub(super) fn conventions(&self, path: &Path, tag: &str) -> Option<Conventions> {
        let live = self.bags.iter().find(|bag| bag.path == path)?.live().ok()?;
        let number = live.writer.find(tag)?;
        Some(live.keys.get(number)?.as_ref().ok()?.conventions())
    }

    /// The order and the letters of the table's tags that are in a national order, as far as they were looked at: those of a
    /// new tag beside them.
    pub(super) fn national(&self) -> Option<Conventions> {
        let keys = self.bags.iter().filter_map(|bag| bag.live().ok()).flat_map(|live| live.keys.iter().flatten());
        let mut known = keys.map(TagKeys::conventions);
        known.find(|conventions| matches!(conventions.order, KeyOrder::National(_)))
    }

    /// Finds out what is to be done in which tags of a file; whether anything is.
    fn plan(&mut self, bag: usize, record: u32, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool> {
        self.steps.clear();
        self.old_key.clear();
        self.new_key.clear();
        let live = self.bags[bag].live()?;
        let mut keys = Keys { scratch: &mut self.scratch, old: &mut self.old_key, new: &mut self.new_key };
        for (tag, (header, known)) in live.writer.tags().zip(&live.keys).enumerate() {
            // Keys chosen by a program are left alone; but a deleted record takes its keys along.
            if header.custom && new.is_some() || header.change_only && old.is_none() {
                continue;
            }
            let known = known.as_ref().map_err(|error| not_kept_up(header, error))?;
            let planned = keys.plan(known, record, old, new);
            let (removes, adds) = planned.map_err(|error| error.at(format_args!("tag {}", header.name)))?;
            if removes || adds {
                self.steps.push(Step { tag, removes, adds });
            }
        }
        Ok(!self.steps.is_empty())
    }

    /// Adds or takes out the key of one record in one tag: for tags whose keys the program chooses.
    pub(super) fn change_by_hand(&mut self, bag: usize, tag: usize, record: (u32, &[u8]), adds: bool) -> Result<bool> {
        self.lock_all()?;
        let Some(open) = self.bags.get_mut(bag) else { return Err(no_such_bag(bag)) };
        let live = open.live_mut()?;
        live.settle(&self.dbf)?;
        let Some(keys) = live.keys.get(tag) else { return Err(no_such_tag(tag)) };
        let keys = keys.as_ref().map_err(Error::clone)?;
        let (number, bytes) = record;
        let key = keys.key_of(&mut self.scratch, bytes, number)?;
        let writer = &mut live.writer;
        let changed = if adds { writer.insert(tag, &key, number)? } else { writer.delete(tag, &key, number)? };
        if changed {
            self.log.note(bag, tag, number, &key, adds);
        }
        Ok(changed)
    }

    /// Ends a change: its keys go to the files and the locks are given back if it succeeded; else it is taken back.
    pub(super) fn end<T>(&mut self, changed: Result<T>) -> Result<T> {
        match changed {
            Ok(value) => self.settle().map(|()| value),
            Err(error) => {
                // The first error is the one to report; an index that could not be brought back says so itself.
                let _ = self.take_back();
                Err(error)
            }
        }
    }

    fn settle(&mut self) -> Result<()> {
        if self.sharing.alone {
            self.unwritten += self.log.entries.len() as u64;
            self.log.clear();
            return Ok(());
        }
        self.log.clear();
        let durable = self.durable;
        let mut first = Ok(());
        for open in &mut self.bags {
            let Ok(live) = open.live_mut() else { continue };
            if live.is_locked() {
                let written = live.write(durable).map_err(|error| unwritten(error, live.writer.path()));
                let unlocked = live.unlock();
                first = first.and(written).and(unlocked);
            }
        }
        first
    }

    /// Returns true if so much is only in memory that the table should be flushed.
    pub(super) fn is_full(&self) -> bool {
        self.unwritten > UNWRITTEN_CHANGES
    }

    /// Writes what is only in memory.
    pub(super) fn write(&mut self) -> Result<()> {
        self.unwritten = 0;
        let durable = self.durable;
        let mut first = Ok(());
        for open in &mut self.bags {
            if let Ok(live) = open.live_mut() {
                first = first.and(live.write(durable));
            }
        }
        first
    }

    fn take_back(&mut self) -> Result<()> {
        let mut first = Ok(());
        if self.sharing.alone {
            while let Some(done) = self.log.entries.pop() {
                let key = self.log.keys.get(done.key.0..done.key.0 + done.key.1).unwrap_or_default();
                let Some(live) = self.bags.get_mut(done.bag).and_then(|bag| bag.live_mut().ok()) else { continue };
                let undone = match done.added {
                    true => live.writer.delete(done.tag, key, done.record),
                    false => live.writer.insert(done.tag, key, done.record),
                };
                first = first.and(undone.map(drop));
            }
        }
        self.log.clear();
        for open in self.bags.iter_mut().filter(|_| !self.sharing.alone) {
            let Ok(live) = open.live_mut() else { continue };
            if live.is_locked() {
                let discarded = if live.writer.is_changed() { live.writer.discard() } else { Ok(()) };
                first = first.and(discarded).and(live.unlock());
            }
        }
        first
    }
}

/// The keys of one record that go, and those that come, one after the other.
struct Keys<'s> {
    scratch: &'s mut Scratch,
    old: &'s mut Vec<u8>,
    new: &'s mut Vec<u8>,
}

impl Keys<'_> {
    /// Plans a tag's change: true if it loses a key, and true if it gets one.
    fn plan(&mut self, keys: &TagKeys, record: u32, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<(bool, bool)> {
        let (old_at, new_at) = (self.old.len(), self.new.len());
        let mut removes = false;
        if let Some(old) = old
            && keys.lists(self.scratch, old, record)?
        {
            keys.write_key(self.scratch, old, record, self.old)?;
            removes = true;
        }
        let mut adds = false;
        if let Some(new) = new
            && keys.lists(self.scratch, new, record)?
        {
            keys.write_key(self.scratch, new, record, self.new)?;
            adds = true;
        }
        if removes && adds && self.old.get(old_at..) == self.new.get(new_at..) {
            self.old.truncate(old_at);
            self.new.truncate(new_at);
            return Ok((false, false));
        }
        Ok((removes, adds))
    }
}

fn narrow(record: u64) -> Result<u32> {
    u32::try_from(record).map_err(|_| Error::new(Code::Unsupported, "indexes hold record numbers of 32 bits"))
}

fn key_length(keys: &[Result<TagKeys>], tag: usize) -> usize {
    keys.get(tag).and_then(|keys| keys.as_ref().ok()).map_or(0, |keys| keys.key_type.key_len())
}

impl KeyLog {
    fn note(&mut self, bag: usize, tag: usize, record: u32, key: &[u8], added: bool) {
        let at = self.keys.len();
        self.keys.extend_from_slice(key);
        self.entries.push(Done { bag, tag, record, key: (at, key.len()), added });
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.keys.clear();
    }
}

#[cold]
fn unwritten(error: Error, path: &Path) -> Error {
    let message = format!("the record was written and its keys were not: {}", error.message());
    Error::new(error.code(), message).at(path.display()).hint("reindex the table")
}

#[cold]
pub(super) fn no_such_bag(bag: usize) -> Error {
    Error::new(Code::NotFound, format!("the table has no index file number {}", bag + 1))
}

#[cold]
pub(super) fn no_such_tag(tag: usize) -> Error {
    Error::new(Code::NotFound, format!("the index file has no tag number {}", tag + 1))
}
