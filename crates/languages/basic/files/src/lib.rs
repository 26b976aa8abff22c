//! Record files of Business BASIC, without the language: what OPEN, READ, WRITE, EXTRACT, REMOVE, SELECT and the key
//! functions work on.
//!
//! ```text
//!   volume        a folder of files: create, open, erase, rename, list
//!   file          RecordFile, the operations of an open channel
//!   options       definitions of files, options of OPEN, READ and WRITE
//!   key           key definitions (KEYED, KEYDEF=), and the keys that they make of a record
//!   information   what FIN, FIB and FID report; counters behind TCB
//!   error         causes of errors, and the number of each
//! ```
//!
//! Storage is behind a trait: rules of positions, locks and keys are written once, in one place, for files in
//! memory and for files that are native tables.
//!
//! Sources of the rules are the manual's pages of the directives (KEYED, DIRECT, INDEXED, SORT, SERIAL, READ, FIND,
//! EXTRACT, WRITE, INSERT, UPDATE, REMOVE, SELECT) and functions (KEY, KEF, KEL, KEC, KEN, KEP, RNO, IND, FIN, FIB). Where
//! the manual is silent, the page docs/basic-files.md says which rule was chosen.

pub mod error;
pub mod file;
pub mod information;
pub mod key;
pub mod options;
pub mod volume;

pub use error::{FileError, FileErrorKind, Result};
pub use file::{KeyFunction, RecordFile, RecordReference, Scan, Scanned};
pub use information::{Counters, FileInformation};
pub use key::{KeyDefinition, KeyDefinitions, KeySegment, SegmentField};
pub use options::{
    EndMatch, FileDefinition, FileKind, OpenMode, OpenOptions, Order, Place, ReadMode, ReadOptions, RecordFormat,
    ScanRange, SessionId, WriteMode, WriteOptions,
};
pub use volume::{DirectoryEntry, Volume};
