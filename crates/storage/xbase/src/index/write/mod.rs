//! Writing of index files: creation, maintenance at every change of a record, new tags, reindexing.
//!
//! ```text
//!   BagWriter   insert, delete, replace, flush       bag       one open file, its tags, its headers
//!    |             create, add_tag, drop_tag         create
//!    |             reindex                           reindex   a new file that takes the old one's place
//!    |
//!   Ranked      CDX, ADI, IDX: keys in leaves        ranked
//!   Mixed       NTX: keys everywhere                 mixed
//!   build_tree  from sorted keys, any format         bulk, sort
//!    |
//!   PageStore   undo, free pages, order of writing   store
//!   Unpacked    a node taken apart                   node, pack, short, image
//! ```
//!
//! **Responsibilities.** The caller computes keys (with the table's compiled expressions and [`super::KeyType`]),
//! decides which tags a record belongs to, takes the index's lock, and decides when to write. A change of one record:
//!
//! ```text
//!   take the index file's lock as its other users do
//!   writer.begin()                     what others wrote since is noticed, and read again
//!   writer.replace(tag, old, new, record), insert, delete        in memory
//!   writer.flush()                     pages, then headers with a new update counter
//!   release the lock
//! ```
//!
//! A program with exclusive use of the table omits `begin` and flushes at any time.
//!
//! **Records of a unique tag.** In an ADI every record: a second one with its key is refused. Elsewhere the first
//! record that came with a key. When that one goes, its key goes with it, and no other record takes its place until it
//! is written again or the table reindexed, as in Harbour, Clipper and FoxPro. So a maintained unique tag may list less
//! than a new one, never a key twice.
//!
//! **Failures.** An operation that fails changes nothing. A flush that fails leaves the file
//! between two states, and the writer refuses everything after it: the file must be reindexed.
//!
//! Text keys are written in the order of bytes or of one of Harbour's national code pages ([`crate::collation`]). Limits:
//! tags in a collation of Visual FoxPro are not written, because their keys are weights that only it knows. A power failure during a flush can damage an index; no format has a journal. Between two
//! flushes all changed pages are in memory.

mod bag;
mod bulk;
mod create;
mod cut;
mod dispute;
mod image;
mod mixed;
mod node;
mod pack;
mod ranked;
mod reclaim;
mod refusal;
mod reindex;
mod short;
mod sort;
mod spare;
mod spec;
mod state;
mod store;

pub use bag::{BagWriter, Replaced};
pub(crate) use refusal::{unknown_order, without_definition};
pub use reindex::{Progress, Rebuild, reindex};
pub use sort::KeySorter;
pub use spec::{BagSpec, TagSpec};
pub use state::{BagState, KnownStamp};

use super::header::BagKind;
use mainstay_types::{Code, Error};

/// The error for bytes that are not a key of a tag.
#[cold]
fn wrong_key(key: &[u8], record: u32, key_len: usize) -> Error {
    let len = key.len();
    let message = format!("a key of {len} bytes for record {record} is none of a tag whose keys have {key_len} bytes");
    Error::new(Code::Internal, message)
}

/// The error for a caller's progress function that asked to stop.
fn stopped() -> Error {
    Error::new(Code::Cancelled, "building the index was stopped")
}
