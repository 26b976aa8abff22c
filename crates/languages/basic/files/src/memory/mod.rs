//! Records in memory: the storage of `*MEMORY*`.
//!
//! ```text
//!   orders     one tree of entries for each key: (first 8 bytes of the key, identifier, slot)
//!   slots      records with their keys; slots of removed records are used again
//!   places     identifier -> slot, for physical order and searches by identifier
//! ```
//!
//! Comparing the first bytes of two keys as a number decides most comparisons without a look at the record.

mod queue;

pub use queue::MemoryQueue;

use crate::error::{FileError, FileErrorKind, Result, record_missing};
use crate::key::{KeyDefinition, KeyDefinitions};
use crate::storage::{KeyedStorage, Loaded, Stored};
use crate::tree::CountedTree;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Records in memory. See the module.
#[derive(Debug)]
pub struct MemoryStorage {
    /// Which keys are unique.
    unique: Vec<bool>,
    orders: Vec<CountedTree<Entry>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    places: BTreeMap<u64, u32>,
    next_id: u64,
    bytes: u64,
    /// The slot that was loaded, and the key by which it was searched.
    loaded: (u32, usize),
    /// The key and number of the entry that was found last: the next one is looked for behind it first.
    found: (usize, usize),
    /// The most bytes of records and keys together.
    limit: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    head: u64,
    id: u64,
    slot: u32,
}

#[derive(Debug, Default)]
struct Slot {
    id: u64,
    data: Vec<u8>,
    keys: Vec<Option<Vec<u8>>>,
}

impl Slot {
    fn key(&self, number: usize) -> &[u8] {
        self.keys.get(number).and_then(|key| key.as_deref()).unwrap_or_default()
    }

    fn bytes(&self) -> u64 {
        let keys: usize = self.keys.iter().flatten().map(Vec::len).sum();
        (self.data.len() + keys) as u64
    }
}

/// The first bytes of a key as a number; zeros behind shorter keys.
fn head(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

impl MemoryStorage {
    /// Bytes that records and keys of a file take at most.
    pub const LIMIT: u64 = 1 << 31;

    /// No records, with these keys.
    pub fn new(keys: &KeyDefinitions) -> MemoryStorage {
        let count = keys.keys().len();
        MemoryStorage {
            unique: (0..count).map(|number| keys.is_unique(number)).collect(),
            orders: (0..count).map(|_| CountedTree::default()).collect(),
            slots: Vec::new(),
            free: Vec::new(),
            places: BTreeMap::new(),
            next_id: 1,
            bytes: 0,
            loaded: (0, 0),
            found: (0, 0),
            limit: MemoryStorage::LIMIT,
        }
    }

    fn order(&self, key_number: usize) -> Result<&CountedTree<Entry>> {
        self.orders.get(key_number).ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the file has no key with the number {key_number}"))
        })
    }

    fn compare(&self, key_number: usize, entry: &Entry, key: (&[u8], u64), head: u64) -> Ordering {
        let by_key = || self.slots[entry.slot as usize].key(key_number).cmp(key.0);
        entry.head.cmp(&head).then_with(by_key).then_with(|| entry.id.cmp(&key.1))
    }

    /// How many entries are less than (key, identifier).
    fn position(&self, key_number: usize, key: &[u8], id: u64) -> Result<usize> {
        let head = head(key);
        let order = self.order(key_number)?;
        Ok(order.partition_point(|entry| self.compare(key_number, entry, (key, id), head) == Ordering::Less))
    }

    /// The same for the least entry that is greater.
    fn position_behind(&self, key_number: usize, key: &[u8], id: u64) -> Result<usize> {
        let head = head(key);
        let order = self.order(key_number)?;
        // The next record is read far more often than any other.
        let (last_order, last) = self.found;
        if last_order == key_number
            && let Some(entry) = order.get(last)
            && entry.id == id
            && self.compare(key_number, entry, (key, id), head) == Ordering::Equal
        {
            return Ok(last + 1);
        }
        Ok(order.partition_point(|entry| self.compare(key_number, entry, (key, id), head) != Ordering::Greater))
    }

    fn load_number(&mut self, key_number: usize, number: usize) -> Result<bool> {
        let Some(entry) = self.order(key_number)?.get(number) else { return Ok(false) };
        self.loaded = (entry.slot, key_number);
        self.found = (key_number, number);
        Ok(true)
    }

    /// True if another record has one of the unique keys.
    fn check_unique(&self, record: &Stored<'_>, own: Option<u64>) -> Result<()> {
        for (number, key) in record.keys.iter().enumerate() {
            let (Some(key), true) = (key, self.unique.get(number) == Some(&true)) else { continue };
            let place = self.position(number, key, 0)?;
            let entry = self.order(number)?.get(place);
            let is_same = |entry: &&Entry| self.slots[entry.slot as usize].key(number) == key && Some(entry.id) != own;
            if entry.as_ref().is_some_and(is_same) {
                let message = format!("a record with the same key {number} is there already");
                return Err(FileError::new(FileErrorKind::DuplicateKey, message));
            }
        }
        Ok(())
    }

    fn enter(&mut self, slot: u32, number: usize) -> Result<()> {
        let record = &self.slots[slot as usize];
        if record.keys.get(number).is_some_and(Option::is_some) {
            let (key, id) = (record.key(number), record.id);
            let (entry, place) = (Entry { head: head(key), id, slot }, self.position(number, key, id)?);
            self.orders[number].insert(place, entry);
        }
        Ok(())
    }

    fn leave(&mut self, slot: u32, number: usize) -> Result<()> {
        let record = &self.slots[slot as usize];
        if record.keys.get(number).is_some_and(Option::is_some) {
            let place = self.position(number, record.key(number), record.id)?;
            self.orders[number].remove(place);
        }
        Ok(())
    }

    fn admit(&self, more: u64, less: u64) -> Result<()> {
        if (self.bytes + more).saturating_sub(less) > self.limit {
            let message = format!("records in memory take at most {} bytes", self.limit);
            return Err(FileError::new(FileErrorKind::OutOfMemory, message));
        }
        Ok(())
    }

    fn slot_of(&self, id: u64) -> Result<u32> {
        self.places.get(&id).copied().ok_or_else(|| record_missing(format_args!("the identifier {id}")))
    }
}

fn size(record: &Stored<'_>) -> u64 {
    let keys: usize = record.keys.iter().flatten().map(Vec::len).sum();
    (record.data.len() + keys) as u64
}

impl KeyedStorage for MemoryStorage {
    fn after(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<bool> {
        let place = self.position_behind(key_number, key, id)?;
        self.load_number(key_number, place)
    }

    fn before(&mut self, key_number: usize, place: Option<(&[u8], u64)>) -> Result<bool> {
        let place = match place {
            Some((key, id)) => self.position(key_number, key, id)?,
            None => self.order(key_number)?.len(),
        };
        if place == 0 { Ok(false) } else { self.load_number(key_number, place - 1) }
    }

    fn nth(&mut self, key_number: usize, number: u64) -> Result<bool> {
        self.load_number(key_number, usize::try_from(number).unwrap_or(usize::MAX))
    }

    fn rank(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<u64> {
        Ok(self.position(key_number, key, id)? as u64)
    }

    fn by_id(&mut self, id: u64) -> Result<bool> {
        let Some(slot) = self.places.get(&id) else { return Ok(false) };
        self.loaded = (*slot, 0);
        Ok(true)
    }

    fn after_id(&mut self, id: u64) -> Result<bool> {
        let mut behind = self.places.range((Bound::Excluded(id), Bound::Unbounded));
        let Some((_, slot)) = behind.next() else { return Ok(false) };
        self.loaded = (*slot, 0);
        Ok(true)
    }

    fn last_id(&mut self) -> Result<u64> {
        Ok(self.places.last_key_value().map_or(0, |(id, _)| *id))
    }

    fn loaded(&self) -> Loaded<'_> {
        let slot = &self.slots[self.loaded.0 as usize];
        let key_number = self.loaded.1;
        Loaded { id: slot.id, key_number, key: slot.key(key_number), primary: slot.key(0), data: &slot.data }
    }

    fn count(&mut self) -> Result<u64> {
        Ok(self.places.len() as u64)
    }

    fn insert(&mut self, record: &Stored<'_>, id: Option<u64>) -> Result<u64> {
        self.check_unique(record, None)?;
        self.admit(size(record), 0)?;
        let id = id.unwrap_or(self.next_id);
        if self.places.contains_key(&id) {
            return Err(FileError::new(FileErrorKind::DuplicateKey, format!("the record {id} is there already")));
        }
        self.next_id = self.next_id.max(id + 1);
        let slot = Slot { id, data: record.data.to_vec(), keys: record.keys.to_vec() };
        let number = match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                (self.slots.len() - 1) as u32
            }
        };
        self.bytes += size(record);
        self.places.insert(id, number);
        (0..self.orders.len()).try_for_each(|order| self.enter(number, order))?;
        Ok(id)
    }

    fn replace(&mut self, id: u64, record: &Stored<'_>) -> Result<()> {
        self.check_unique(record, Some(id))?;
        let slot = self.slot_of(id)?;
        let old = self.slots[slot as usize].bytes();
        self.admit(size(record), old)?;
        self.bytes = self.bytes - old + size(record);
        for number in 0..self.orders.len() {
            let new = record.keys.get(number).cloned().flatten();
            if self.slots[slot as usize].keys.get(number) != Some(&new) {
                self.leave(slot, number)?;
                if let Some(key) = self.slots[slot as usize].keys.get_mut(number) {
                    *key = new;
                }
                self.enter(slot, number)?;
            }
        }
        let data = &mut self.slots[slot as usize].data;
        data.clear();
        data.extend_from_slice(record.data);
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<()> {
        let slot = self.slot_of(id)?;
        (0..self.orders.len()).try_for_each(|order| self.leave(slot, order))?;
        self.places.remove(&id);
        self.bytes -= self.slots[slot as usize].bytes();
        self.slots[slot as usize] = Slot::default();
        self.free.push(slot);
        Ok(())
    }

    fn clear(&mut self) -> Result<()> {
        self.orders.iter_mut().for_each(CountedTree::clear);
        self.slots.clear();
        self.free.clear();
        self.places.clear();
        self.bytes = 0;
        Ok(())
    }

    fn indexes_by_rank(&self) -> bool {
        true
    }

    fn is_locked(&self) -> bool {
        // No other channel can reach it.
        true
    }

    fn bytes(&mut self) -> u64 {
        self.bytes
    }

    fn memory_bytes(&self) -> u64 {
        // A slot, its place, the lists of keys, and for each key a string and an entry of its order.
        let slot = std::mem::size_of::<Slot>() + 96 + self.orders.len() * (std::mem::size_of::<Entry>() + 56);
        self.bytes + (self.slots.capacity() * slot) as u64
    }

    fn add_key(
        &mut self,
        number: usize,
        key: &KeyDefinition,
        make: &mut dyn FnMut(Loaded<'_>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        while self.orders.len() <= number {
            self.orders.push(CountedTree::default());
            self.unique.push(false);
        }
        self.orders[number].clear();
        self.unique[number] = key.is_unique();
        let slots: Vec<u32> = self.places.values().copied().collect();
        for slot in slots {
            self.loaded = (slot, 0);
            let made = make(self.loaded());
            let keys = &mut self.slots[slot as usize].keys;
            keys.resize(keys.len().max(number + 1), None);
            keys[number].clone_from(&made);
            let mut only = vec![None; number + 1];
            only[number] = made;
            let outcome = self.check_unique(&Stored { data: &[], keys: &only }, None);
            if outcome.is_err() {
                return self.drop_key(number).and(outcome);
            }
            self.enter(slot, number)?;
        }
        Ok(())
    }

    fn drop_key(&mut self, number: usize) -> Result<()> {
        if let Some(order) = self.orders.get_mut(number) {
            order.clear();
            self.unique[number] = false;
        }
        for slot in &mut self.slots {
            if let Some(key) = slot.keys.get_mut(number) {
                *key = None;
            }
        }
        Ok(())
    }
}
