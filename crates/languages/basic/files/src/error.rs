//! Errors of record files: a cause, the number that the dialect gives it, and the words that say what it was about.
//!
//! Numbers are those of the manual's list of messages. The language adds the statement and its own text of the number.

use mainstay_types::{Code, Error};
use std::fmt;

/// Linux's number for a full disk: ENOSPC.
const NO_SPACE: i32 = 28;

/// The result of an operation on a record file.
pub type Result<T> = std::result::Result<T, FileError>;

/// The cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileErrorKind {
    /// 0: another session holds the record or the file, and the wait is over. Taken by `BSY=`.
    Busy,
    /// 1: the record is longer than the file allows.
    RecordTooLong,
    /// 2: there is no further record in this direction. Taken by `END=`.
    EndOfFile,
    /// 2: the file has as many records as it may have. Taken by `END=`.
    FileFull,
    /// 3: the operating system reported an error.
    InputOutput,
    /// 7: a record index beyond the number of records that the file may have.
    OutsideOfFile,
    /// 10: a name that cannot be a file's, or that leads out of the folder.
    InvalidName,
    /// 11: no record has this key or index. Taken by `DOM=`.
    RecordMissing,
    /// 11: a record has this key already. Taken by `DOM=`.
    DuplicateKey,
    /// 12: no file has this name.
    FileMissing,
    /// 12: a file has this name already.
    FileExists,
    /// 13: the operation does not fit the way in which the file was opened, or the kind of the file.
    AccessMode,
    /// 14: the operation does not fit the state of the file, as UNLOCK of a file that is not locked.
    FileState,
    /// 15: the system outside of the language refused a command: a statement of SQL, a transaction.
    OperatingSystem,
    /// 16: the disk is full.
    DiskFull,
    /// 17: the file is of a kind that cannot do this.
    FileType,
    /// 31: the record or file needs more memory than the session may have.
    OutOfMemory,
    /// 32: an option that is not known, or does not go with another one.
    InvalidOption,
    /// 41: an integer out of its range.
    InvalidInteger,
    /// 46: a key or string that is too long.
    InvalidLength,
    /// 80: a key definition that is not valid, or a key number or name that the file does not have.
    KeyDefinition,
    /// 82: PURGE of a file that is not locked.
    NotLocked,
    /// 84: a kind of file without an embedded dictionary.
    NoDictionary,
    /// 99: a feature that is not supported.
    Unsupported,
    /// 106: the header of a file is damaged.
    DamagedHeader,
    /// 118: the contents of a file are damaged.
    Damaged,
    /// 120: a rule of this program was broken.
    Internal,
    /// 127: the user or the program asked to stop.
    Interrupted,
}

impl FileErrorKind {
    /// The number in ERR.
    pub fn number(self) -> u16 {
        use FileErrorKind::*;
        match self {
            Busy => 0,
            RecordTooLong => 1,
            EndOfFile | FileFull => 2,
            InputOutput => 3,
            OutsideOfFile => 7,
            InvalidName => 10,
            RecordMissing | DuplicateKey => 11,
            FileMissing | FileExists => 12,
            AccessMode => 13,
            FileState => 14,
            OperatingSystem => 15,
            DiskFull => 16,
            FileType => 17,
            OutOfMemory => 31,
            InvalidOption => 32,
            InvalidInteger => 41,
            InvalidLength => 46,
            KeyDefinition => 80,
            NotLocked => 82,
            NoDictionary => 84,
            Unsupported => 99,
            DamagedHeader => 106,
            Damaged => 118,
            Internal => 120,
            Interrupted => 127,
        }
    }
}

/// An error of a record file.
#[derive(Clone, Debug)]
pub struct FileError {
    kind: FileErrorKind,
    message: Box<str>,
}

impl FileError {
    /// An error of this cause. The message is a sentence without its full stop, in lower case unless it starts with a name.
    pub fn new(kind: FileErrorKind, message: impl Into<String>) -> FileError {
        FileError { kind, message: message.into().into_boxed_str() }
    }

    /// The cause.
    pub fn kind(&self) -> FileErrorKind {
        self.kind
    }

    /// The number in ERR.
    pub fn number(&self) -> u16 {
        self.kind.number()
    }

    /// The reason, with file and place where they are known.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Puts the name of the file before the message.
    pub fn at(self, file: impl fmt::Display) -> FileError {
        FileError { message: format!("{file}: {}", self.message).into_boxed_str(), ..self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", self.number(), self.message)
    }
}

impl std::error::Error for FileError {}

/// Errors of storage and of the file system. Messages keep place and hint.
impl From<Error> for FileError {
    fn from(error: Error) -> FileError {
        let kind = match error.code() {
            Code::Busy
            | Code::Deadlock
            | Code::LockTimeout
            | Code::Conflict
            | Code::DefinitionChanged
            | Code::InUse => FileErrorKind::Busy,
            Code::NotFound | Code::UnknownTable => FileErrorKind::FileMissing,
            Code::Duplicate => FileErrorKind::FileExists,
            Code::UniqueViolation => FileErrorKind::DuplicateKey,
            Code::ReadOnly | Code::NotPermitted => FileErrorKind::AccessMode,
            Code::NotThisFormat | Code::Encrypted => FileErrorKind::FileType,
            Code::OutOfMemory | Code::TooComplex => FileErrorKind::OutOfMemory,
            Code::Damaged | Code::IndexDamaged => FileErrorKind::Damaged,
            Code::Cancelled | Code::Timeout => FileErrorKind::Interrupted,
            Code::Unsupported => FileErrorKind::Unsupported,
            Code::Io if error.system_number() == Some(NO_SPACE) => FileErrorKind::DiskFull,
            Code::Io | Code::ConnectionLost => FileErrorKind::InputOutput,
            _ => FileErrorKind::Internal,
        };
        FileError::new(kind, error.to_string())
    }
}

/// The end of the file.
pub fn end_of_file() -> FileError {
    FileError::new(FileErrorKind::EndOfFile, "there is no further record")
}

/// A record that does not exist.
pub fn record_missing(what: impl fmt::Display) -> FileError {
    FileError::new(FileErrorKind::RecordMissing, format!("there is no record with {what}"))
}
