//! Record files of Business BASIC, without the language: what OPEN, READ, WRITE, EXTRACT, REMOVE, SELECT and the key
//! functions work on.
//!
//! ```text
//!   volume        a folder of files: create, open, erase, rename, list; read_only: the same for users who may only read
//!   field_list    the layout of a file as a list of variables
//!   file          RecordFile, the operations of an open channel
//!   options       definitions of files, options of OPEN, READ and WRITE
//!   key           key definitions (KEYED, KEYDEF=), and the keys that they make of a record
//!   storage       KeyedStorage: what keyed files need of the place where records are
//!   keyed         KeyedFile: the rules of positions, keys and locks, over any storage
//!   sequence      SequenceFile: the rules of files whose records have numbers; indexed: INDEXED files
//!   memory        records in memory, *MEMORY*
//!   tree          order-statistic tree
//!   information   what FIN, FIB and FID report; counters behind TCB; descriptor: the layouts
//!   error         causes of errors, and the number of each
//! ```
//!
//! Storage is behind [`KeyedStorage`]: rules of positions, locks and keys are written once, in [`KeyedFile`], for files in
//! memory and for files that are native tables.
//!
//! Sources of the rules are the manual's pages of the directives (KEYED, DIRECT, INDEXED, SORT, SERIAL, READ, FIND,
//! EXTRACT, WRITE, INSERT, UPDATE, REMOVE, SELECT) and functions (KEY, KEF, KEL, KEC, KEN, KEP, RNO, IND, FIN, FIB). Where
//! the manual is silent, the page docs/basic-files.md says which rule was chosen.

mod definition_text;
mod descriptor;
pub mod error;
pub mod field_list;
mod file;
mod folder;
mod indexed;
pub mod information;
pub mod key;
mod keyed;
pub mod memory;
pub mod options;
mod read_only;
pub mod sequence;
pub mod storage;
pub mod transfer;
mod tree;
pub mod volume;

pub use error::{FileError, FileErrorKind, Result};
pub use file::{CHANNEL_BYTES, KeyFunction, RecordFile, RecordReference, Scan, Scanned};
pub use folder::FolderVolume;
pub use indexed::IndexedRecords;
pub use information::{Counters, FileInformation};
pub use key::{KeyDefinition, KeyDefinitions, KeySegment, SegmentField};
pub use keyed::{ChannelOptions, KeyedFile};
pub use memory::{MemoryQueue, MemoryStorage};
pub use options::{
    EndMatch, FileDefinition, FileKind, OpenMode, OpenOptions, Order, Place, ReadMode, ReadOptions, RecordFormat,
    ScanRange, SessionId, WriteMode, WriteOptions,
};
pub use read_only::ReadOnlyVolume;
pub use sequence::{RecordSequence, SequenceFile};
pub use storage::KeyedStorage;
pub use tree::CountedTree;
pub use volume::{DirectoryEntry, TransactionVerb, Volume};
