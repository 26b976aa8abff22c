//! The data of FIN, FIB and FID about a file, and the counters behind TCB.
//!
//! [`FileInformation`] has the facts; the layouts of bytes are made of them in `descriptor`.

use crate::options::FileDefinition;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The counters of a session: TCB(50) to TCB(72).
///
/// A block read is one request of a channel for data that is not in its buffer: up to 64 records of a table, or 8 KiB of a
/// file. A block write is one record (with its keys) or one buffer of text that is handed to storage.
#[derive(Debug, Default)]
pub struct Counters {
    block_reads: AtomicU64,
    block_writes: AtomicU64,
    opens: AtomicU64,
    reads: AtomicU64,
    writes: AtomicU64,
}

macro_rules! counter {
    ($field:ident, $get:ident, $count:ident, $doc:literal) => {
        #[doc = $doc]
        pub fn $get(&self) -> u64 {
            self.$field.load(Ordering::Relaxed)
        }

        #[doc = concat!("Counts one more: ", $doc)]
        #[inline]
        pub fn $count(&self) {
            // One thread at a time works for a session; another one may read the counter.
            self.$field.store(self.$field.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    };
}

impl Counters {
    counter!(block_reads, block_reads, count_block_read, "TCB(50): reads of blocks.");
    counter!(block_writes, block_writes, count_block_write, "TCB(51): writes of blocks.");
    counter!(opens, opens, count_open, "TCB(70): OPEN directives.");
    counter!(reads, reads, count_read, "TCB(71): READ, FIND and EXTRACT directives, and records of SELECT.");
    counter!(writes, writes, count_write, "TCB(72): WRITE, INSERT, UPDATE and REMOVE directives.");
}

/// Facts about an open file.
#[derive(Clone, Debug)]
pub struct FileInformation {
    /// The name that it was opened with.
    pub name: String,
    /// The full path, where it has one.
    pub path: String,
    /// Its definition.
    pub definition: FileDefinition,
    /// How many records there are.
    pub records: u64,
    /// The length in bytes of what is stored, where it is known.
    pub bytes: u64,
    /// The time of the last change, where it is known.
    pub modified: Option<SystemTime>,
    /// The current key.
    pub current_key: usize,
    /// The index of the current record.
    pub current_index: Option<i64>,
    /// True if the channel has the lock of a record.
    pub has_extracted: bool,
    /// True if this session has the file alone.
    pub is_locked: bool,
    /// True if it may be read only.
    pub is_read_only: bool,
    /// True if it was emptied when it was opened.
    pub was_purged: bool,
}
