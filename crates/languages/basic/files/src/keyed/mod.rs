//! [`KeyedFile`]: the rules of files with keys, over any [`KeyedStorage`].
//!
//! ```text
//!   mod         the channel's state; reading
//!   write       WRITE, INSERT, UPDATE, REMOVE; keys of a record
//!   functions   KEY, KEF, KEL, KEC, KEN, KEP, RNO, IND
//!   scan        SELECT
//!   channel     the trait RecordFile
//! ```
//!
//! The rules of positions are in the module [`crate::file`].

mod channel;
mod functions;
mod record;
mod scan;
mod write;

use crate::error::{FileError, FileErrorKind, Result, end_of_file, record_missing};
use crate::information::Counters;
use crate::key::KeySource;
use crate::options::{FileDefinition, Order, Place, ReadMode, ReadOptions};
use crate::storage::KeyedStorage;
use std::sync::Arc;
use std::time::Duration;

/// A channel on a file with keys.
pub struct KeyedFile<S> {
    storage: S,
    definition: FileDefinition,
    name: String,
    is_read_only: bool,
    was_purged: bool,
    counters: Arc<Counters>,
    current_key: usize,
    spot: Spot,
    /// The record of which the channel has the lock.
    extracted: Option<u64>,
    /// Buffers that are used again.
    scratch: Vec<u8>,
    record: Vec<u8>,
    keys: Vec<Option<Vec<u8>>>,
}

/// The place from which a channel goes on.
#[derive(Clone, Debug, Default)]
struct Spot {
    /// The number of the key in whose order it is.
    order: usize,
    /// The compared key.
    key: Vec<u8>,
    /// The identifier of the record; 0 for a place before all records with the key.
    id: u64,
    /// The current record, if there is one.
    current: Option<u64>,
    /// True if the current record is the next one, too: it is extracted.
    stays: bool,
    /// True if the key was sought in vain.
    is_sought: bool,
    /// The identifier behind which physical order goes on.
    physical: u64,
}

/// The options with which a channel is opened.
pub struct ChannelOptions {
    /// The name of the file.
    pub name: String,
    /// True if it may be read only.
    pub is_read_only: bool,
    /// True if it was emptied when it was opened.
    pub was_purged: bool,
    /// The counters of the session.
    pub counters: Arc<Counters>,
}

impl<S: KeyedStorage> KeyedFile<S> {
    /// Opens a channel on storage with the keys of this definition.
    pub fn new(storage: S, definition: FileDefinition, options: ChannelOptions) -> KeyedFile<S> {
        KeyedFile {
            storage,
            definition,
            name: options.name,
            is_read_only: options.is_read_only,
            was_purged: options.was_purged,
            counters: options.counters,
            current_key: 0,
            spot: Spot::default(),
            extracted: None,
            scratch: Vec::new(),
            record: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// The storage behind it.
    pub fn storage(&mut self) -> &mut S {
        &mut self.storage
    }

    /// Finds a record for READ, FIND and EXTRACT; it is loaded then.
    fn find_place(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<()> {
        if options.mode != ReadMode::Find {
            return self.find_and_settle(place, options);
        }
        let before = (self.spot.clone(), self.current_key);
        self.find_and_settle(place, options).inspect_err(|_| {
            (self.spot, self.current_key) = before;
            self.spot.stays = self.extracted.is_some();
        })
    }

    fn find_and_settle(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<()> {
        let order = self.switch(options.order)?;
        let found = match (place, order) {
            (Place::Next, order) => self.find_relative(1, order),
            (Place::Relative(distance), order) => self.find_relative(distance, order),
            (Place::Key(_), Order::Physical) => {
                Err(FileError::new(FileErrorKind::InvalidOption, "KEY= does not go with KNO=*"))
            }
            (Place::Key(key), Order::Key(number)) => self.find_key(number, key),
            (Place::Index(index), _) => self.find_index(index),
            (Place::Number(number), _) => self.find_number(number),
        };
        // The lock of the record before ends with this operation, unless the record is extracted once more.
        let id = if found.is_ok() { self.storage.loaded().id } else { 0 };
        let is_kept = options.mode == ReadMode::Extract && self.extracted == Some(id);
        if !is_kept {
            self.release_lock();
        }
        found?;
        if options.mode == ReadMode::Extract {
            if !is_kept {
                self.lock_loaded(id, options.wait)?;
            }
        } else if !options.ignores_locks {
            self.check_record(id, options.wait)?;
        }
        self.settle();
        self.spot.stays = self.extracted.is_some();
        Ok(())
    }

    /// Makes the order of `KNO=` the current one.
    fn switch(&mut self, order: Option<Order>) -> Result<Order> {
        match order {
            None => Ok(Order::Key(self.current_key)),
            Some(Order::Physical) => Ok(Order::Physical),
            Some(Order::Key(number)) => {
                self.definition.keys.key(number)?;
                self.current_key = number;
                Ok(Order::Key(number))
            }
        }
    }

    /// Takes the lock of the loaded record, and loads it again: it may have changed while another session had it.
    fn lock_loaded(&mut self, id: u64, wait: Duration) -> Result<()> {
        self.storage.lock_record(id, wait)?;
        if self.storage.by_id(id)? {
            self.extracted = Some(id);
            return Ok(());
        }
        self.storage.unlock_record(id);
        Err(removed())
    }

    /// Waits for the session that has the lock of a record.
    #[inline]
    fn check_record(&mut self, id: u64, wait: Duration) -> Result<()> {
        if self.storage.check_record(id, wait)? && !self.storage.by_id(id)? {
            return Err(removed());
        }
        Ok(())
    }

    /// Gives back the lock of the extracted record.
    #[inline]
    fn release_lock(&mut self) {
        if let Some(id) = self.extracted.take() {
            self.storage.unlock_record(id);
            self.spot.stays = false;
        }
    }

    /// Makes the loaded record the current one; the channel goes on behind it.
    #[inline]
    fn settle(&mut self) {
        let loaded = self.storage.loaded();
        let spot = &mut self.spot;
        (spot.current, spot.physical, spot.stays, spot.is_sought) = (Some(loaded.id), loaded.id, false, false);
        (spot.order, spot.id) = (loaded.key_number, loaded.id);
        spot.key.clear();
        spot.key.extend_from_slice(loaded.key);
    }

    /// Brings the place into another order: whether the current record is in it. Without a current record it is the
    /// beginning of that order.
    fn enter_order(&mut self, number: usize) -> Result<bool> {
        if self.spot.order == number {
            return Ok(self.spot.current.is_some());
        }
        let is_in_order = match self.spot.current {
            Some(id) => self.storage.by_id(id)? && self.key_of_loaded(number)?,
            None => false,
        };
        let spot = &mut self.spot;
        (spot.order, spot.is_sought) = (number, false);
        spot.key.clear();
        if is_in_order {
            spot.key.extend_from_slice(&self.scratch);
            spot.id = spot.current.unwrap_or(0);
        } else {
            spot.id = 0;
        }
        Ok(is_in_order)
    }

    /// Makes the key of the loaded record in `scratch`; `false` when it is not in the key's order.
    fn key_of_loaded(&mut self, number: usize) -> Result<bool> {
        let keys = &self.definition.keys;
        let loaded = self.storage.loaded();
        self.scratch.clear();
        let mut external = Vec::new();
        if keys.external_length().is_some() {
            keys.key(0)?.shown(loaded.primary, &mut external);
        }
        let source = KeySource { record: loaded.data, external: &external, separator: self.definition.separator };
        let mut made = std::mem::take(&mut self.scratch);
        let is_in_order = keys.key(number)?.make(&source, &mut made);
        self.definition.strip_key(number, &mut made);
        self.scratch = made;
        Ok(is_in_order)
    }

    /// The record so many records behind the current one: 0 is the current one.
    fn find_relative(&mut self, distance: i64, order: Order) -> Result<()> {
        let number = match order {
            Order::Physical => return self.find_physical(distance),
            Order::Key(number) => number,
        };
        let stays = self.spot.stays;
        self.enter_order(number)?;
        let current = self.spot.current;
        // Behind the record before it is the record itself.
        let is_next = distance > 0 && stays || distance == 0 && current.is_some();
        let id = if is_next { self.spot.id.saturating_sub(1) } else { self.spot.id };
        let found = match distance {
            0 | 1 => self.storage.after(number, &self.spot.key, id)?,
            _ => self.step(number, distance, id)?,
        };
        if found { Ok(()) } else { Err(end_of_file()) }
    }

    fn step(&mut self, number: usize, distance: i64, id: u64) -> Result<bool> {
        let mut place = (self.spot.key.clone(), id);
        for _ in 0..distance.unsigned_abs() {
            let found = match distance > 0 {
                true => self.storage.after(number, &place.0, place.1)?,
                false => self.storage.before(number, Some((&place.0, place.1)))?,
            };
            if !found {
                return Ok(false);
            }
            let loaded = self.storage.loaded();
            place.0.clear();
            place.0.extend_from_slice(loaded.key);
            place.1 = loaded.id;
        }
        Ok(true)
    }

    fn find_physical(&mut self, distance: i64) -> Result<()> {
        if distance < 0 {
            return Err(FileError::new(FileErrorKind::InvalidOption, "a negative DIR= does not go with KNO=*"));
        }
        let has_current = self.spot.current == Some(self.spot.physical);
        let is_next = has_current && (distance > 0 && self.spot.stays || distance == 0);
        let mut id = if is_next { self.spot.physical.saturating_sub(1) } else { self.spot.physical };
        for _ in 0..distance.max(1) {
            if !self.storage.after_id(id)? {
                return Err(end_of_file());
            }
            id = self.storage.loaded().id;
        }
        Ok(())
    }

    fn find_key(&mut self, number: usize, key: &[u8]) -> Result<()> {
        let mut compared = std::mem::take(&mut self.scratch);
        compared.clear();
        self.definition.keys.key(number)?.compared(key, &mut compared);
        self.definition.strip_key(number, &mut compared);
        let is_there = self.storage.exactly(number, &compared);
        if let Ok(false) = is_there {
            let spot = &mut self.spot;
            (spot.order, spot.id, spot.current, spot.stays, spot.is_sought) = (number, 0, None, false, true);
            spot.key.clear();
            spot.key.extend_from_slice(&compared);
        }
        self.scratch = compared;
        if is_there? { Ok(()) } else { Err(record_missing(format_args!("the key {}", shown(key)))) }
    }

    fn find_index(&mut self, index: i64) -> Result<()> {
        let wanted = u64::try_from(index)
            .map_err(|_| FileError::new(FileErrorKind::InvalidInteger, format!("{index} is not a record index")))?;
        let found = match self.storage.indexes_by_rank() {
            true => self.storage.nth(self.current_key, wanted)?,
            false => self.storage.by_id(wanted)?,
        };
        if found { Ok(()) } else { Err(record_missing(format_args!("the index {index}"))) }
    }

    fn find_number(&mut self, number: i64) -> Result<()> {
        let wanted = u64::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let wanted = wanted
            .ok_or_else(|| FileError::new(FileErrorKind::InvalidInteger, format!("{number} is not a record number")))?;
        if self.storage.nth(self.current_key, wanted)? { Ok(()) } else { Err(end_of_file()) }
    }
}

fn removed() -> FileError {
    FileError::new(FileErrorKind::RecordMissing, "another session has removed the record")
}

/// A key in a message: text as it is, other bytes in hexadecimal.
fn shown(key: &[u8]) -> String {
    let text = mainstay_code_page::decode(key);
    match text.chars().any(char::is_control) {
        false => format!("\"{text}\""),
        true => format!("${}$", key.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}
