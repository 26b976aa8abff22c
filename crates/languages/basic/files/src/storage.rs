//! [`KeyedStorage`]: what [`crate::KeyedFile`] needs of the place where records are.
//!
//! A record has an identifier (from 1, never given again, ascending with the time of insertion), its bytes, its external
//! key if the file has one, and one compared key for each key number, unless it is not in that key's order. Entries of a
//! key are in the order of (key, identifier).
//!
//! Searches load a record; [`KeyedStorage::loaded`] gives it until the next call.

use crate::error::{FileError, FileErrorKind, Result};
use crate::key::KeyDefinition;
use std::time::Duration;

/// The record that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<'s> {
    /// The identifier.
    pub id: u64,
    /// The number of the key by which it was searched; 0 when it was searched by identifier.
    pub key_number: usize,
    /// The compared key of this number.
    pub key: &'s [u8],
    /// The compared primary key.
    pub primary: &'s [u8],
    /// The bytes.
    pub data: &'s [u8],
}

/// A record to store.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'r> {
    /// The bytes.
    pub data: &'r [u8],
    /// The compared key of each key number. Empty for files without keys.
    pub keys: &'r [Option<Vec<u8>>],
}

/// A place for records with keys.
pub trait KeyedStorage: Send {
    /// Loads the first entry of a key's order behind this one, which need not exist. With identifier 0, the first entry that
    /// is not less than the key. `false` when there is none.
    fn after(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<bool>;

    /// Loads the first entry with exactly this key: whether there is one. Unlike [`KeyedStorage::after`] it need not know what
    /// comes next.
    fn exactly(&mut self, key_number: usize, key: &[u8]) -> Result<bool> {
        Ok(self.after(key_number, key, 0)? && self.loaded().key == key)
    }

    /// Loads the last entry before this one, or the last one of all.
    fn before(&mut self, key_number: usize, place: Option<(&[u8], u64)>) -> Result<bool>;

    /// Loads the entry of this number, from 0.
    fn nth(&mut self, key_number: usize, number: u64) -> Result<bool>;

    /// How many entries of a key's order are before this one.
    fn rank(&mut self, key_number: usize, key: &[u8], id: u64) -> Result<u64>;

    /// Loads a record.
    fn by_id(&mut self, id: u64) -> Result<bool>;

    /// Loads the record with the lowest identifier above this one.
    fn after_id(&mut self, id: u64) -> Result<bool>;

    /// The greatest identifier in use; 0 for an empty file.
    fn last_id(&mut self) -> Result<u64>;

    /// The loaded record. Only after a search that returned `true`.
    fn loaded(&self) -> Loaded<'_>;

    /// How many records there are.
    fn count(&mut self) -> Result<u64>;

    /// Adds a record; with this identifier, or with the next one: its identifier.
    ///
    /// Errors: 11 when a unique key is there already.
    fn insert(&mut self, record: &Stored<'_>, id: Option<u64>) -> Result<u64>;

    /// Replaces a record. Its identifier stays.
    ///
    /// Errors: 11 when a unique key is there already, or the record is not.
    fn replace(&mut self, id: u64, record: &Stored<'_>) -> Result<()>;

    /// Removes a record.
    ///
    /// Errors: 11 when it is not there.
    fn delete(&mut self, id: u64) -> Result<()>;

    /// Removes all records.
    fn clear(&mut self) -> Result<()>;

    /// True if `IND=` is the number of a record in its order, from 0, and not its identifier.
    fn indexes_by_rank(&self) -> bool {
        false
    }

    /// Takes the lock of a record for the channel, or waits for it.
    ///
    /// Errors: 0.
    fn lock_record(&mut self, id: u64, wait: Duration) -> Result<()> {
        let _ = (id, wait);
        Ok(())
    }

    /// Returns when no other session has the lock of a record: whether there was a wait, so that the record may be another.
    ///
    /// Errors: 0.
    #[inline]
    fn check_record(&mut self, id: u64, wait: Duration) -> Result<bool> {
        let _ = (id, wait);
        Ok(false)
    }

    /// Gives back the lock of a record.
    fn unlock_record(&mut self, id: u64) {
        let _ = id;
    }

    /// Takes the file for the session alone.
    ///
    /// Errors: 0.
    fn lock_file(&mut self, wait: Duration) -> Result<()> {
        let _ = wait;
        Ok(())
    }

    /// Shares the file again.
    fn unlock_file(&mut self) -> Result<()> {
        Ok(())
    }

    /// True if the session has the file alone.
    fn is_locked(&self) -> bool;

    /// Makes durable what was written.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Bytes of what is stored, where that is known.
    fn bytes(&mut self) -> u64;

    /// Bytes of memory that it holds.
    fn memory_bytes(&self) -> u64 {
        0
    }

    /// The full path, where there is one.
    fn path(&self) -> String {
        String::new()
    }

    /// Adds a key and fills it; `make` gives the compared key of a record.
    ///
    /// Errors: 11 for two records with the same key where it is to be unique, 99.
    fn add_key(
        &mut self,
        number: usize,
        key: &KeyDefinition,
        make: &mut dyn FnMut(Loaded<'_>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        let _ = (number, key, make);
        Err(FileError::new(FileErrorKind::Unsupported, "keys of this file cannot be changed"))
    }

    /// Removes a key.
    ///
    /// Errors: 99.
    fn drop_key(&mut self, number: usize) -> Result<()> {
        let _ = number;
        Err(FileError::new(FileErrorKind::Unsupported, "keys of this file cannot be changed"))
    }
}
