//! What a writer knows of the state of its file: for who reads the file by other means.

use super::bag::{BagWriter, HEAD_LEN};
use mainstay_vfs::Stamp;

/// In which state of the file a writer last read or wrote it. Two states with the same number of reloads differ by the
/// writer's own changes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagState {
    /// The file's first bytes, its update counter among them.
    pub head: [u8; HEAD_LEN],
    /// The file's stamp.
    pub stamp: Stamp,
    /// How often the file was read again because others wrote.
    pub reloads: u64,
}

impl BagWriter {
    /// The state in which the file was last read or written.
    pub fn state(&self) -> BagState {
        BagState { head: self.head, stamp: self.stamp, reloads: self.reloads }
    }
}
