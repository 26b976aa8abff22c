//! Definitions of files, and the options of OPEN, READ, WRITE and SELECT.

use crate::information::Counters;
use crate::key::KeyDefinitions;
use std::sync::Arc;
use std::time::Duration;

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `*MEMORY*`: a queue of records of one channel, by index or by key.
    MemoryQueue,
    /// `*MEMORY*;KEYDEF=`: records of one channel with keys.
    MemoryKeyed,
    /// KEYED and DIRECT: records with keys.
    Keyed,
    /// SORT: keys without data.
    Sort,
    /// INDEXED: records by number.
    Indexed,
    /// SERIAL: lines of text.
    Serial,
    /// A file opened with `ISZ=`: blocks of so many bytes.
    Binary,
    /// A program as text. Its lines are read as those of a serial file; it is not written through a channel.
    Program,
    /// A folder: one name a record.
    Directory,
}

impl FileKind {
    /// True if records have keys.
    pub fn has_keys(self) -> bool {
        matches!(self, FileKind::MemoryQueue | FileKind::MemoryKeyed | FileKind::Keyed | FileKind::Sort)
    }
}

/// How long records may be, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// Records of any length up to this one (VLR): returned as they were written.
    Variable(u32),
    /// Records of this length (FLR): shorter ones are filled with $00$.
    Fixed(u32),
}

impl RecordFormat {
    /// The default of DIRECT and KEYED: variable, 256 bytes.
    pub const DEFAULT: RecordFormat = RecordFormat::Variable(256);

    /// The format of a record size as KEYED and DIRECT take it: negative for variable length, positive for fixed length.
    /// Zero is a file without data, which is what SORT makes.
    pub fn of_size(size: i64) -> Option<RecordFormat> {
        let length = u32::try_from(size.unsigned_abs()).ok()?;
        Some(if size > 0 { RecordFormat::Fixed(length) } else { RecordFormat::Variable(length) })
    }

    /// The greatest length.
    pub fn limit(self) -> u32 {
        match self {
            RecordFormat::Variable(limit) | RecordFormat::Fixed(limit) => limit,
        }
    }
}

/// The default separator of fields, $8A$.
pub const SEPARATOR: u8 = 0x8A;

/// A file to create.
#[derive(Clone, Debug, PartialEq)]
pub struct FileDefinition {
    /// The kind.
    pub kind: FileKind,
    /// The keys. Without keys for SERIAL and INDEXED.
    pub keys: KeyDefinitions,
    /// The greatest number of records; `None` for no limit.
    pub max_records: Option<u64>,
    /// The length of records.
    pub format: RecordFormat,
    /// The separator of fields (`SEP=`).
    pub separator: u8,
    /// OPT="U": a record that is written with fewer fields than the one it replaces keeps the rest of that one's fields.
    pub keeps_further_fields: bool,
    /// OPT="N": $00$ at the end of keys do not count.
    pub strips_null_keys: bool,
    /// OPT="X": records may be longer than the record size.
    pub is_extended: bool,
    /// The description of the fields, as text: the embedded dictionary, or an IOLIST. See docs/basic-files.md.
    pub layout: Option<String>,
}

impl FileDefinition {
    /// A file of this kind with these keys and default options.
    pub fn new(kind: FileKind, keys: KeyDefinitions, format: RecordFormat) -> FileDefinition {
        FileDefinition {
            kind,
            keys,
            max_records: None,
            format,
            separator: SEPARATOR,
            keeps_further_fields: false,
            strips_null_keys: false,
            is_extended: false,
            layout: None,
        }
    }

    /// DIRECT: a keyed file with an external key of this length.
    pub fn direct(key_length: u32, max_records: Option<u64>, format: RecordFormat) -> FileDefinition {
        let keys = KeyDefinitions::external(key_length);
        FileDefinition { max_records, ..FileDefinition::new(FileKind::Keyed, keys, format) }
    }

    /// SORT: keys of this length, without data.
    pub fn sort(key_length: u32, max_records: Option<u64>) -> FileDefinition {
        let keys = KeyDefinitions::external(key_length);
        FileDefinition { max_records, ..FileDefinition::new(FileKind::Sort, keys, RecordFormat::Variable(0)) }
    }

    /// INDEXED: records of this length by number.
    pub fn indexed(max_records: Option<u64>, record_size: u32) -> FileDefinition {
        let format = RecordFormat::Fixed(record_size);
        FileDefinition { max_records, ..FileDefinition::new(FileKind::Indexed, KeyDefinitions::default(), format) }
    }

    /// SERIAL: lines of text. The record size is for documentation only.
    pub fn serial(record_size: u32) -> FileDefinition {
        let format = RecordFormat::Variable(record_size);
        FileDefinition::new(FileKind::Serial, KeyDefinitions::default(), format)
    }
}

/// A session, for locks: channels of one session do not keep each other out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub u64);

/// The ways to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// OPEN: shared, for reading and writing.
    Shared,
    /// OPEN INPUT and OPEN LOAD: shared, for reading only.
    Input,
    /// OPEN LOCK: for this session alone.
    Lock,
    /// OPEN PURGE: for this session alone, and emptied.
    Purge,
}

/// The options of OPEN.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// How the file is opened.
    pub mode: OpenMode,
    /// The session that opens it.
    pub session: SessionId,
    /// How long to wait for a file that another session has locked (`TIM=`).
    pub wait: Duration,
    /// `ISZ=`: the file as blocks of so many bytes.
    pub block_size: Option<u32>,
    /// `BSZ=`: the record size of `*MEMORY*`.
    pub record_size: Option<u32>,
    /// `SEP=`: another separator than the file's own.
    pub separator: Option<u8>,
    /// `OPT=`.
    pub options: String,
    /// Creates a serial file that does not exist (OPEN CREATE).
    pub create: bool,
    /// Serial files may be written without a lock (parameter 'LU').
    pub writes_unlocked: bool,
    /// Other channels of the session are kept from records that this one has extracted, and it from theirs (parameter 'SB').
    pub blocks_itself: bool,
    /// The counters of the session.
    pub counters: Arc<Counters>,
}

impl OpenOptions {
    /// OPEN without options, for a session.
    pub fn new(session: SessionId, mode: OpenMode) -> OpenOptions {
        OpenOptions {
            mode,
            session,
            wait: Duration::ZERO,
            block_size: None,
            record_size: None,
            separator: None,
            options: String::new(),
            create: false,
            writes_unlocked: false,
            blocks_itself: false,
            counters: Arc::default(),
        }
    }
}

/// The order in which records follow each other (`KNO=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By this key, from 0. It becomes the channel's current key.
    Key(usize),
    /// `KNO=*`: by place in the file, without keys. The current key stays.
    Physical,
}

/// The record that a READ, FIND or EXTRACT is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// The next one.
    Next,
    /// `KEY=`: the first one with this key. Segments that are given one by one are joined by
    /// [`KeyDefinitions::join`](crate::key::KeyDefinitions::join) before.
    Key(&'a [u8]),
    /// `IND=`: the one with this index, from 0.
    Index(i64),
    /// `RNO=`: the one with this number in the current order, from 1.
    Number(i64),
    /// `DIR=`: so many records from the current one on; 0 is the current one, 1 the next one.
    Relative(i64),
}

/// The three verbs that read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// READ: a key that is not there leaves the position at the next higher one.
    Read,
    /// FIND: a record that is not there leaves the position as it is.
    Find,
    /// EXTRACT: locks the record until the channel's next operation.
    Extract,
}

/// The options of READ, FIND and EXTRACT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// The verb.
    pub mode: ReadMode,
    /// Another order than the current one.
    pub order: Option<Order>,
    /// How long to wait for a record that another session has extracted (`TIM=`, `RTY=`, parameter 'WT').
    pub wait: Duration,
    /// READ and FIND take records that others have extracted (parameter 'XI').
    pub ignores_locks: bool,
}

impl ReadOptions {
    /// Without options.
    pub const fn new(mode: ReadMode) -> ReadOptions {
        ReadOptions { mode, order: None, wait: Duration::ZERO, ignores_locks: false }
    }

    /// READ in another order.
    pub const fn in_order(order: Order) -> ReadOptions {
        ReadOptions { order: Some(order), ..ReadOptions::new(ReadMode::Read) }
    }
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions::new(ReadMode::Read)
    }
}

/// The verbs that write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// WRITE without `DOM=`: adds a record, or replaces the one with its key.
    #[default]
    Replace,
    /// INSERT, and WRITE with `DOM=`: adds a record. Error 11 when one has its key.
    New,
    /// UPDATE: replaces a record. Error 11 when none has its key.
    Existing,
}

/// The options of WRITE, INSERT and UPDATE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions<'a> {
    /// The verb.
    pub mode: WriteMode,
    /// `KEY=`.
    pub key: Option<&'a [u8]>,
    /// `IND=`.
    pub index: Option<i64>,
    /// WRITE LOCK: the lock of an extracted record stays.
    pub keeps_lock: bool,
    /// How long to wait for a record that another session has extracted.
    pub wait: Duration,
}

impl<'a> WriteOptions<'a> {
    /// WRITE with `KEY=`.
    pub fn key(key: &'a [u8]) -> WriteOptions<'a> {
        WriteOptions { key: Some(key), ..WriteOptions::default() }
    }

    /// WRITE with `IND=`.
    pub fn index(index: i64) -> WriteOptions<'a> {
        WriteOptions { index: Some(index), ..WriteOptions::default() }
    }

    /// The same with another verb.
    pub fn with_mode(self, mode: WriteMode) -> WriteOptions<'a> {
        WriteOptions { mode, ..self }
    }
}

/// How the key of a record compares with END of a SELECT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndMatch {
    /// By as many bytes as END has: END "B" takes "BOB", too.
    #[default]
    Prefix,
    /// As a whole: END "B" does not take "BOB".
    Whole,
}

/// The range of a SELECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanRange<'a> {
    /// The order; `None` for the current one.
    pub order: Option<Order>,
    /// BEGIN: included.
    pub begin: Option<&'a [u8]>,
    /// END: included. Below BEGIN in a descending order.
    pub end: Option<&'a [u8]>,
    /// How END compares.
    pub end_match: EndMatch,
    /// Records that others have extracted are an error 0 unless this is set (parameter 'XI').
    pub ignores_locks: bool,
    /// How long to wait for a record that another session has extracted.
    pub wait: Duration,
}

impl Default for ScanRange<'_> {
    fn default() -> Self {
        ScanRange {
            order: None,
            begin: None,
            end: None,
            end_match: EndMatch::default(),
            ignores_locks: false,
            wait: Duration::ZERO,
        }
    }
}
