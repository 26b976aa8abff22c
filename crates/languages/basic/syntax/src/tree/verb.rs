//! Directives with channels and files: verbs and their operands.

use super::{Binary, Expr, IoOption, Item};

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable, element or sub-string.
    pub target: Expr,
    /// How the value is combined with the old one; `None` for `=`.
    pub op: Option<Binary>,
    /// The value.
    pub value: Expr,
}

/// An I/O directive with a channel, options and a list.
#[derive(Clone, Debug)]
pub struct Io {
    /// The verb.
    pub verb: Verb,
    /// The channel in parentheses: a number, or a file's name.
    pub channel: Option<Expr>,
    /// Options.
    pub options: Vec<IoOption>,
    /// The list.
    pub items: Vec<Item>,
    /// The list ends with a comma (PRINT).
    pub open_end: bool,
}

/// Verbs with the common form of I/O directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// READ
    Read,
    /// READ RECORD
    ReadRecord,
    /// FIND
    Find,
    /// FIND RECORD
    FindRecord,
    /// EXTRACT
    Extract,
    /// EXTRACT RECORD
    ExtractRecord,
    /// EXTRACT RELEASE
    ExtractRelease,
    /// WRITE
    Write,
    /// WRITE LOCK: the lock of an extracted record stays.
    WriteLock,
    /// WRITE RECORD
    WriteRecord,
    /// INSERT
    Insert,
    /// INSERT RECORD
    InsertRecord,
    /// UPDATE
    Update,
    /// UPDATE RECORD
    UpdateRecord,
    /// REMOVE
    Remove,
    /// PRINT
    Print,
    /// INPUT
    Input,
    /// INPUT EDIT
    InputEdit,
    /// OBTAIN
    Obtain,
    /// CLOSE
    Close,
    /// LOCK
    Lock,
    /// UNLOCK
    Unlock,
    /// PURGE
    Purge,
    /// FLUSH
    Flush,
    /// KEYED LOAD.
    KeyedLoad,
}

/// The form of an OPEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// OPEN
    Shared,
    /// OPEN INPUT
    Input,
    /// OPEN LOCK
    Lock,
    /// OPEN PURGE
    Purge,
    /// OPEN LOAD
    Load,
    /// OPEN CREATE
    Create,
}

/// A directive that makes or changes a file by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileVerb {
    /// SERIAL
    Serial,
    /// INDEXED
    Indexed,
    /// DIRECT
    Direct,
    /// KEYED
    Keyed,
    /// SORT
    Sort,
    /// ERASE
    Erase,
    /// RENAME
    Rename,
    /// REFILE
    Refile,
    /// DIRECTORY
    Directory,
    /// PROGRAM
    Program,
    /// CREATE TABLE
    Table,
}
