//! [`RecordFile`]: the operations of an open channel.
//!
//! **Positions.** A channel has a current key (`KNO=`), a current record, and a place from which it goes on:
//!
//! ```text
//!   after OPEN                     no current record; goes on with the first one
//!   after READ, FIND of a record   it is the current record; goes on behind it, in whatever order is asked for next
//!   after READ KEY= in vain        no current record; goes on with the next higher key
//!   after FIND in vain             as before
//!   after EXTRACT                  the current record; "next" is that record again until the lock is gone
//!   after WRITE                    the record that was written is the current one; goes on behind it
//!   after REMOVE                   no current record; goes on with the one behind it
//! ```
//!
//! Asking for another key without naming a place goes on behind the current record in that key's order, and with the first
//! record when there is no current one or when it is not in that key's order.
//!
//! **Bytes.** Records are the bytes that were written, separators included. Slices that are returned are good until the
//! next call.

use crate::error::{FileError, FileErrorKind, Result};
use crate::information::FileInformation;
use crate::key::KeyDefinition;
use crate::options::{FileDefinition, Order, Place, ReadOptions, ScanRange, WriteOptions};
use std::time::Duration;

/// The functions that return a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFunction<'a> {
    /// KEF: of the first record.
    First,
    /// KEL: of the last record.
    Last,
    /// KEC: of the current record; after a search in vain, the key that was sought. Error 2 when there is neither.
    Current,
    /// KEY: of the next record.
    Next,
    /// KEN: of the record after the next one.
    AfterNext,
    /// KEN with `KEY=`: the next key that is greater than this one.
    After(&'a [u8]),
    /// KEP: of the record before the current one.
    Previous,
    /// KEP with `KEY=`: of the record before this key.
    Before(&'a [u8]),
    /// KEY with `IND=`.
    AtIndex(i64),
    /// KEY with `RNO=`, from 1.
    AtNumber(i64),
}

/// The record that RNO and IND are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordReference<'a> {
    /// The next one.
    Next,
    /// `KEY=`.
    Key(&'a [u8]),
    /// `IND=`.
    Index(i64),
    /// `RNO=`, from 1.
    Number(i64),
}

/// A range that SELECT reads, and how far it has come. Other operations of the channel do not move it.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The order.
    pub order: Order,
    /// The options of its reads: `ignores_locks` and `wait`.
    pub options: ReadOptions,
    /// The place behind which it goes on: a key as its order has it, and the identifier of a record; 0 for a place before
    /// all records with the key.
    pub place: (Vec<u8>, u64),
    /// The end as the order has it, if there is one.
    pub end: Option<Vec<u8>>,
    /// True if keys compare with the end by as many bytes as it has.
    pub end_is_prefix: bool,
}

/// A record that SELECT has read.
#[derive(Clone, Copy, Debug)]
pub struct Scanned<'a> {
    /// Its bytes.
    pub data: &'a [u8],
    /// Its key in the scan's order; the primary key in physical order.
    pub key: &'a [u8],
}

/// Bytes of memory that an open channel takes, without its records.
pub const CHANNEL_BYTES: usize = 2048;

/// An open file.
pub trait RecordFile: Send {
    /// How the file was defined.
    fn definition(&self) -> &FileDefinition;

    /// The name that it was opened with.
    fn name(&self) -> &str;

    /// The number of the current key.
    fn current_key(&self) -> usize;

    /// Reads a record: READ, FIND, EXTRACT.
    ///
    /// Errors: 0 for a record of which another session has the lock, 2 at the end, 11 for a key or index that no record has,
    /// 17 for a key where there are none, 80 for a key number that the file does not have.
    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]>;

    /// Writes a record: WRITE, INSERT, UPDATE. A lock of the channel is given back, unless it is to stay.
    ///
    /// Errors: 0, 1 for a record that is too long, 2 for a file that is full, 11 for a key that is there already (or, with
    /// `Existing`, is not), 13 for a file that may not be written, 46 for a key that is too long, 80 for a key that is
    /// missing, or given where the record has it.
    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()>;

    /// Removes a record: by its primary key, by its index, or the current one.
    ///
    /// Errors: as [`RecordFile::write`]; 11 for a record that is not there, 17 for a kind of file without keys.
    fn remove(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()>;

    /// Gives back the lock of an extracted record: EXTRACT RELEASE.
    fn release(&mut self) -> Result<()>;

    /// A key function, by the current key or another one, which does not become the current one.
    ///
    /// Errors: 2 where there is no such record, 11, 17, 80.
    fn key(&mut self, function: KeyFunction<'_>, key_number: Option<usize>) -> Result<Vec<u8>>;

    /// RNO: the number of a record in the order of a key, from 1.
    ///
    /// Errors: as [`RecordFile::key`].
    fn record_number(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<u64>;

    /// IND: the index of a record.
    ///
    /// Errors: as [`RecordFile::key`].
    fn record_index(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<i64>;

    /// Begins a SELECT.
    ///
    /// Errors: 17 for BEGIN and END where there are no keys, 80.
    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan>;

    /// The next record of a SELECT, which becomes the current one; `None` behind the last one.
    ///
    /// Errors: 0.
    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>>;

    /// Takes the file for this session alone: LOCK.
    ///
    /// Errors: 0 when another session has it open.
    fn lock(&mut self, wait: Duration) -> Result<()>;

    /// Shares the file again: UNLOCK.
    ///
    /// Errors: 14 for a file that is not locked.
    fn unlock(&mut self) -> Result<()>;

    /// Removes all records: PURGE.
    ///
    /// Errors: 82 for a file that is not locked.
    fn purge(&mut self) -> Result<()>;

    /// Makes everything that was written as durable as the volume promises: FLUSH, CLOSE.
    fn flush(&mut self) -> Result<()>;

    /// The data of FIN, FIB and FID.
    fn information(&mut self) -> Result<FileInformation>;

    /// Bytes of memory that the channel holds: records in memory, and records that were fetched ahead.
    fn memory_bytes(&self) -> u64 {
        0
    }

    /// Adds a key (ADD INDEX) and fills it from the records: its number.
    ///
    /// Errors: 11 when the key is to be unique and two records have the same, 80, 99 where the kind of file has fixed keys.
    fn add_key(&mut self, key: KeyDefinition) -> Result<usize> {
        let _ = key;
        Err(fixed_keys())
    }

    /// Removes a key other than the primary one (DROP INDEX). Numbers of other keys stay.
    ///
    /// Errors: as [`RecordFile::add_key`].
    fn drop_key(&mut self, number: usize) -> Result<()> {
        let _ = number;
        Err(fixed_keys())
    }
}

fn fixed_keys() -> FileError {
    FileError::new(FileErrorKind::Unsupported, "keys of this kind of file cannot be changed")
}
