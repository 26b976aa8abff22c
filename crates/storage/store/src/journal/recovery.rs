//! Reading all journals that follow a checkpoint, in their order.
//!
//! A checkpoint begins a new journal, and the manifest names it as the first one to read only after it is on the disk.
//! A crash in between leaves two; the old manifest then leads through both of them:
//!
//! ```text
//!   manifest: journal 7       journal-7  closed       journal-8  being written
//!                             sequences 100..=180     first_sequence 181
//! ```
//!
//! The file after another one is created when the other is closed, so a journal with a follower must end with its
//! mark and the follower must go on with the next sequence. Anything else is damage, not the trace of a crash.

use super::frame::JournalHeader;
use super::reader::{Frame, JournalEnd, JournalReader, Tail};
use super::writer::JournalWriter;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};

/// Where the journals end: what [`JournalWriter::resume`] needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The last journal.
    pub path: PathBuf,
    /// The header of the journal.
    pub header: JournalHeader,
    /// Where it ends.
    pub end: JournalEnd,
}

impl Recovered {
    /// Goes on writing behind the last frame.
    ///
    /// # Errors
    /// Those of [`JournalWriter::resume`].
    pub fn resume(&self, fs: &dyn FileSystem) -> Result<JournalWriter> {
        JournalWriter::resume(fs, &self.path, self.header, self.end)
    }
}

/// The path of the journal with this number.
pub fn journal_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("journal-{number:016x}.log"))
}

/// The number of the journal of this name, if it is one.
pub fn journal_number(path: &Path) -> Option<u64> {
    let digits = path.file_name()?.to_str()?.strip_prefix("journal-")?.strip_suffix(".log")?;
    let is_ours = digits.len() == 16 && digits.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
    u64::from_str_radix(digits, 16).ok().filter(|_| is_ours)
}

/// Visits every frame of the journal with this number and of those that follow it.
///
/// # Errors
/// `Damaged` when a journal is missing, bad before its durable end, or not closed although another one follows.
/// An error of `visit` ends the replay and is returned with the place of the frame.
pub fn replay(
    fs: &dyn FileSystem,
    folder: &Path,
    first: u64,
    visit: &mut dyn FnMut(Frame<'_>) -> Result<()>,
) -> Result<Recovered> {
    let mut number = first;
    let mut expected_sequence = None;
    loop {
        let path = journal_path(folder, number);
        let (header, end) = replay_one(fs, &path, number, expected_sequence, visit)?;
        let Some(next) = follower(fs, folder, number)? else {
            return Ok(Recovered { path, header, end });
        };
        if end.tail != Tail::Closed {
            let message = "the journal is not closed, although another one follows it";
            return Err(damaged(&path, &format!("byte {}", end.offset), message));
        }
        (number, expected_sequence) = (next, Some(end.next_sequence));
    }
}

/// The number of the journal behind this one, if there is one.
fn follower(fs: &dyn FileSystem, folder: &Path, number: u64) -> Result<Option<u64>> {
    let Some(next) = number.checked_add(1) else { return Ok(None) };
    match fs.stamp(&journal_path(folder, next)) {
        Ok(_) => Ok(Some(next)),
        Err(error) if error.code() == Code::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn replay_one(
    fs: &dyn FileSystem,
    path: &Path,
    number: u64,
    expected_sequence: Option<u64>,
    visit: &mut dyn FnMut(Frame<'_>) -> Result<()>,
) -> Result<(JournalHeader, JournalEnd)> {
    let file = fs.open(path).map_err(|error| match error.code() {
        Code::NotFound => damaged(path, "byte 0", "the journal that the checkpoint names is missing"),
        _ => error,
    })?;
    let mut reader = JournalReader::open(file)?;
    let header = reader.header();
    if header.number != number {
        return Err(damaged(path, "byte 16", &format!("the file holds journal {}", header.number)));
    }
    if expected_sequence.is_some_and(|expected| expected != header.first_sequence) {
        return Err(damaged(path, "byte 24", "the journal does not begin where the one before it ended"));
    }
    while let Some(frame) = reader.next_frame()? {
        let offset = frame.offset;
        visit(frame).map_err(|error| error.at(format_args!("byte {offset}")).at(path.display()))?;
    }
    let end = reader.end().ok_or_else(|| Error::new(Code::Internal, "a journal was not read to its end"))?;
    Ok((header, end))
}

fn damaged(path: &Path, place: &str, message: &str) -> Error {
    Error::new(Code::Damaged, message)
        .at(place)
        .at(path.display())
        .hint("restore the database from a backup, or see what `mainstay check` says")
}
