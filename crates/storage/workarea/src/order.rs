//! One order of an area: a tag, the place among its keys, and its scope.

use crate::index_file::IndexFile;
use crate::options::{Counting, Side};
use crate::value::ValueKind;
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::dbf::Dbf;
use mainstay_xbase::expr::Scratch;
use mainstay_xbase::index::{BagKind, Place, Tag, TagHeader};
use mainstay_xbase::keys::TagKeys;
use std::ops::Bound;
use std::path::PathBuf;

/// The name of an order for calls: of one area, and never used again by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderId(pub u32);

/// The properties of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderInfo {
    /// The name for calls.
    pub id: OrderId,
    /// The name of the tag, in upper case.
    pub name: String,
    /// The index file.
    pub file: PathBuf,
    /// The kind of index file.
    pub kind: BagKind,
    /// The key expression as the file has it.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// Of records with equal keys, only the first is listed.
    pub unique: bool,
    /// A key of the table: a second record with the same one is refused.
    pub candidate: bool,
    /// From the greatest key to the least, as the area sees it now.
    pub descending: bool,
    /// The program decides which records are listed.
    pub custom: bool,
    /// The type of the keys.
    pub key_kind: ValueKind,
    /// Bytes of a key.
    pub key_length: usize,
    /// The collating sequence, if it is not that of bytes.
    pub collation: Option<String>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) id: OrderId,
    /// The number of the index file.
    pub(crate) file: u32,
    /// The state of the file that the tag is of.
    version: u64,
    /// The tag, as it was at the last look.
    pub(crate) tag: Tag,
    pub(crate) keys: TagKeys,
    pub(crate) place: Place,
    /// The record that the place is at.
    pub(crate) at: Option<u32>,
    /// The record that the place was at when the move began, and its key: see [`Order::remember`].
    stood: Option<(u32, Vec<u8>)>,
    /// The order is seen from its other end.
    pub(crate) turned: bool,
    /// Its keys were changed by the area's own writer when this was the state of the file that is read.
    pub(crate) stale: Option<u64>,
    top: Option<Vec<u8>>,
    bottom: Option<Vec<u8>>,
}

impl Order {
    pub(crate) fn new(id: OrderId, file: &IndexFile, number: usize, dbf: &Dbf) -> Result<Order> {
        let Some(header) = file.bag.tags().get(number) else {
            return Err(Error::new(Code::Internal, format!("there is no tag number {number}")));
        };
        let keys = TagKeys::new(header, dbf)?;
        let tag = file.bag.tag(number, keys.key_type)?;
        let keys = keys.recognised(&tag, dbf);
        let tag = file.bag.tag(number, keys.key_type)?;
        let (version, place) = (file.version, Place::new(false));
        let (at, stood, turned, top, bottom) = (None, None, false, None, None);
        Ok(Order { id, file: file.number, version, tag, keys, place, at, stood, turned, stale: None, top, bottom })
    }

    /// The tag as it was at the last look.
    pub(crate) fn tag(&self) -> &Tag {
        &self.tag
    }

    /// The tag's definition.
    pub(crate) fn header(&self) -> &TagHeader {
        self.tag.header()
    }

    /// Returns true if the order goes from the greatest key to the least.
    pub(crate) fn is_descending(&self) -> bool {
        self.header().descending != self.turned
    }

    /// The type of the keys.
    pub(crate) fn key_kind(&self) -> ValueKind {
        ValueKind::of(self.keys.key.result_type().kind)
    }

    /// The properties of the order.
    pub(crate) fn info(&self, path: PathBuf) -> OrderInfo {
        let header = self.header();
        OrderInfo {
            id: self.id,
            name: header.name.clone(),
            file: path,
            kind: header.kind,
            key: self.keys.key_text(header),
            condition: self.keys.condition_text(header),
            unique: header.unique,
            candidate: header.candidate,
            descending: self.is_descending(),
            custom: header.custom,
            key_kind: self.key_kind(),
            key_length: header.key_length,
            collation: header.collation.clone(),
        }
    }

    /// Takes the tag as it is now, if the file was read anew; the place is found again.
    pub(crate) fn renew(&mut self, file: &IndexFile, dbf: &Dbf) -> Result<()> {
        if self.version == file.version {
            return Ok(());
        }
        // Of what was read before, the key is still there.
        let key = self.place.key(&self.tag).ok().flatten().map(<[u8]>::to_vec);
        let header = self.header();
        let Some(number) = file.bag.find(&header.name) else {
            let message = format!("tag {} is no longer in the index", header.name);
            return Err(Error::new(Code::NotFound, message).at(file.path.display()));
        };
        let now = &file.bag.tags()[number];
        if now.key_bytes == header.key_bytes && now.for_bytes == header.for_bytes {
            self.tag = file.bag.tag(number, self.keys.key_type)?;
        } else {
            let keys = TagKeys::new(now, dbf)?;
            let tag = file.bag.tag(number, keys.key_type)?;
            self.keys = keys.recognised(&tag, dbf);
            self.tag = file.bag.tag(number, self.keys.key_type)?;
        }
        self.version = file.version;
        self.place.reset();
        match (key, self.at.take()) {
            (Some(key), Some(record)) if self.place.find(&self.tag, &key, record)? => self.at = Some(record),
            _ => {}
        }
        Ok(())
    }

    /// Begins a move in shared use: [`Order::find_again`] can find the current place again.
    ///
    /// A walk must go on from its last place. The record may be newer or older than the index: a walk from its new key
    /// would skip all keys in between, and one from its old key would see them again, without end.
    pub(crate) fn remember(&mut self) {
        let Order { at, stood, place, tag, .. } = self;
        match (*at, place.key(tag)) {
            (Some(record), Ok(Some(key))) => {
                let (known, bytes) = stood.get_or_insert_default();
                *known = record;
                bytes.clear();
                bytes.extend_from_slice(key);
            }
            _ => *stood = None,
        }
    }

    /// Forgets the remembered place: the area itself has changed keys.
    pub(crate) fn forget(&mut self) {
        self.stood = None;
    }

    /// Puts the place at a record that it was at when the move began. Says whether the order lists it there; if not, the
    /// place is at the next key. `None` for another record.
    fn find_again(&mut self, recno: u32) -> Result<Option<bool>> {
        let Some((_, key)) = self.stood.as_ref().filter(|(record, _)| *record == recno) else { return Ok(None) };
        let found = self.place.find(&self.tag, key, recno)?;
        self.at = found.then_some(recno);
        Ok(Some(found))
    }

    /// A record was written, and had these bytes before (none: it is new). Says whether that changed keys.
    pub(crate) fn note_change(
        &mut self,
        version: u64,
        recno: u32,
        before: Option<&[u8]>,
        after: &[u8],
        scratch: &mut Scratch,
    ) -> bool {
        if self.stale == Some(version) || self.header().custom {
            return self.stale == Some(version);
        }
        let key_before = before.map(|before| self.listed_key(recno, before, scratch));
        let key_after = self.listed_key(recno, after, scratch);
        let is_changed = match (key_before, key_after) {
            (Some(Some(before)), Some(after)) => before != after,
            (None, Some(None)) => false,
            _ => true,
        };
        if is_changed {
            self.stale = Some(version);
        }
        is_changed
    }

    /// The key of a record, if the order lists it; `None` if that cannot be told.
    fn listed_key(&self, recno: u32, record: &[u8], scratch: &mut Scratch) -> Option<Option<Vec<u8>>> {
        match self.keys.lists(scratch, record, recno) {
            Ok(true) => self.keys.key_of(scratch, record, recno).ok().map(Some),
            Ok(false) => Some(None),
            Err(_) => None,
        }
    }

    /// Puts the place at a record, which has these bytes. Where the order does not list it, the place is where it
    /// would be (at the next key), and the answer is no.
    pub(crate) fn find(&mut self, recno: u32, record: &[u8], scratch: &mut Scratch) -> Result<bool> {
        if self.at == Some(recno) {
            return Ok(true);
        }
        if let Some(found) = self.find_again(recno)? {
            return Ok(found);
        }
        self.at = None;
        let key = self.keys.key_of(scratch, record, recno)?;
        let mut found = self.place.find(&self.tag, &key, recno)?;
        if !found && self.header().custom {
            // The program may have listed the record under another key.
            let mut at = self.place.first(&self.tag)?;
            while at.is_some_and(|at| at != recno) {
                at = self.place.next(&self.tag)?;
            }
            found = at.is_some() || self.place.find(&self.tag, &key, recno)?;
        }
        self.at = found.then_some(recno);
        Ok(found)
    }

    /// Puts the order's other end first, or back.
    pub(crate) fn turn(&mut self, turned: bool) {
        if self.turned != turned {
            self.turned = turned;
            self.place = Place::new(turned);
            std::mem::swap(&mut self.top, &mut self.bottom);
            self.at = None;
        }
    }

    /// Returns true if the tag has this name, in whatever case.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.header().name.eq_ignore_ascii_case(name)
    }

    /// Another is made in its place: it has neither the scope nor the direction that was set for this one.
    pub(crate) fn forget_settings(&mut self) {
        self.turn(false);
        (self.top, self.bottom, self.at) = (None, None, None);
    }

    /// An end of the scope: the beginning of a key.
    pub(crate) fn scope(&self, side: Side) -> Option<&[u8]> {
        match side {
            Side::Top => self.top.as_deref(),
            Side::Bottom => self.bottom.as_deref(),
        }
    }

    pub(crate) fn set_scope(&mut self, side: Side, key: Option<Vec<u8>>) {
        match side {
            Side::Top => self.top = key,
            Side::Bottom => self.bottom = key,
        }
    }

    /// Returns true if there is a scope.
    pub(crate) fn has_scope(&self) -> bool {
        self.top.is_some() || self.bottom.is_some()
    }

    /// Returns true if a key is not before the top of the scope.
    pub(crate) fn is_below_top(&self, key: &[u8]) -> bool {
        self.top.as_ref().is_none_or(|top| {
            let order = self.tag.compare(key, top);
            if self.is_descending() { order.is_le() } else { order.is_ge() }
        })
    }

    /// Returns true if a key is not behind the bottom of the scope.
    pub(crate) fn is_above_bottom(&self, key: &[u8]) -> bool {
        self.bottom.as_ref().is_none_or(|bottom| {
            let order = self.tag.compare(key, bottom);
            if self.is_descending() { order.is_ge() } else { order.is_le() }
        })
    }

    /// Returns true if the key at the place begins with these bytes.
    pub(crate) fn begins_with(&mut self, key: &[u8]) -> Result<bool> {
        let at_place = self.place.key(&self.tag)?;
        Ok(at_place.is_some_and(|found| self.tag.begins_with(found, key)))
    }

    /// Returns true if the place is at a key before the top of the scope: what comes after it is the scope's first
    /// record.
    fn is_before_scope(&mut self) -> Result<bool> {
        if self.top.is_none() {
            return Ok(false);
        }
        let Some(key) = self.place.key(&self.tag)?.map(<[u8]>::to_vec) else { return Ok(false) };
        Ok(!self.is_below_top(&key))
    }

    /// Returns true if the place is at a key within the scope.
    pub(crate) fn is_in_scope(&mut self) -> Result<bool> {
        if !self.has_scope() {
            return Ok(true);
        }
        let Some(key) = self.place.key(&self.tag)?.map(<[u8]>::to_vec) else { return Ok(false) };
        Ok(self.is_below_top(&key) && self.is_above_bottom(&key))
    }

    /// The first record of the scope.
    pub(crate) fn first(&mut self) -> Result<Option<u32>> {
        let tag = &self.tag;
        let record = match &self.top {
            Some(top) => self.place.seek(tag, top, true, false)?.record,
            None => self.place.first(tag)?,
        };
        self.arrive(record)
    }

    /// The last record of the scope.
    pub(crate) fn last(&mut self) -> Result<Option<u32>> {
        let tag = &self.tag;
        let record = match &self.bottom {
            Some(bottom) => self.place.seek(tag, bottom, true, true)?.record,
            None => self.place.last(tag)?,
        };
        self.arrive(record)
    }

    /// The next record of the scope, or the one before.
    pub(crate) fn step(&mut self, forward: bool) -> Result<Option<u32>> {
        if forward && self.is_before_scope()? {
            return self.first();
        }
        let tag = &self.tag;
        let record = if forward { self.place.next(tag)? } else { self.place.prev(tag)? };
        self.arrive(record)
    }

    /// The same where it takes no more than a look at what is in memory and known to hold: see [`Place::step_in_leaf`].
    #[inline]
    pub(crate) fn step_nearby(&mut self, file: &IndexFile, from: u32, forward: bool, last: u32) -> Option<u32> {
        let is_simple = self.at == Some(from) && !self.has_scope() && self.stale.is_none();
        if !is_simple || self.version != file.version || file.is_doubtful() {
            return None;
        }
        let record = self.place.step_in_leaf(&self.tag, forward, last)?;
        self.at = Some(record);
        Some(record)
    }

    /// The same from where [`Order::find`] found nothing.
    pub(crate) fn step_from_gap(&mut self, forward: bool) -> Result<Option<u32>> {
        // In Clipper's own order, what is not listed is at neither side of anything.
        if matches!(self.header().kind, BagKind::Ntx | BagKind::CompoundNtx) {
            return Ok(None);
        }
        if !forward {
            // A custom of the family: from behind the last key, back is before the first.
            let is_out = self.place.record(&self.tag)?.is_none() || self.is_before_scope()?;
            return if is_out { Ok(None) } else { self.step(false) };
        }
        if self.is_before_scope()? {
            return self.first();
        }
        let record = self.place.record(&self.tag)?;
        self.arrive(record)
    }

    /// The place has been moved to this record: it counts if it is within the scope.
    pub(crate) fn arrive(&mut self, record: Option<u32>) -> Result<Option<u32>> {
        let record = match record {
            Some(record) if self.is_in_scope()? => Some(record),
            _ => None,
        };
        self.at = record;
        Ok(record)
    }
}

fn included(key: &Option<Vec<u8>>) -> Bound<&[u8]> {
    key.as_deref().map_or(Bound::Unbounded, Bound::Included)
}

impl Order {
    /// The scope as bounds in the order of the keys' bytes.
    pub(crate) fn scope_bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let (low, high) = if self.is_descending() { (&self.bottom, &self.top) } else { (&self.top, &self.bottom) };
        (included(low), included(high))
    }

    /// The number of keys before the scope.
    pub(crate) fn keys_before_scope(&self) -> Result<u64> {
        match (&self.top, self.is_descending()) {
            (None, _) => Ok(0),
            (Some(top), false) => self.tag().count_range(Bound::Unbounded, Bound::Excluded(top)),
            (Some(top), true) => self.tag().count_range(Bound::Excluded(top), Bound::Unbounded),
        }
    }

    /// The record whose key is this one of the order or of its scope, from 1.
    pub(crate) fn nth(&mut self, number: u64, what: Counting) -> Result<Option<u32>> {
        let before = if what == Counting::All { 0 } else { self.keys_before_scope()? };
        let number = if number == 0 { 0 } else { number.saturating_add(before) };
        let record = self.place.go_to_position(&self.tag, number)?;
        if what == Counting::All {
            self.at = record;
            return Ok(record);
        }
        self.arrive(record)
    }
}
