//! Options for opening an area, and the small choices of its calls.

use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::lock::{LockScheme, LockWait};
use std::time::Duration;

/// So long a program waits that opens a table which another has open alone, or that wants it alone: as long as it takes
/// another to close it that is about to.
pub const OPEN_TIMEOUT: Duration = Duration::from_millis(100);

/// The access of other users to the table, and of this area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Others may write; this area does not.
    ReadOnly,
    /// Others may write, and so may this area, under locks.
    Shared,
    /// Nobody else has the table open.
    Exclusive,
}

/// Options for opening a table.
#[derive(Clone, Debug)]
pub struct AreaOptions {
    /// The access of other users and of this area.
    pub mode: Mode,
    /// The locks of those that share it; by default those that belong to the kind of file.
    pub scheme: Option<LockScheme>,
    /// The time to wait for a lock.
    pub wait: LockWait,
    /// The time to wait for other users to close the table, if that is less.
    pub open_timeout: Option<Duration>,
    /// The code page of its text, whatever the file says.
    pub code_page: Option<CodePage>,
    /// True if the index that has the table's name (`customers.cdx`) is opened with it.
    pub open_structural: bool,
    /// True if deleted records are passed over (SET DELETED ON).
    pub hide_deleted: bool,
    /// True if `=` compares whole texts (SET EXACT ON).
    pub exact: bool,
    /// True if the first change of a record locks it until it is written, if the program has not locked it, and a
    /// record that is appended is locked as long. Without that, a change of a record that is not locked is refused, and
    /// one that is appended stays locked until it is unlocked.
    pub implicit_locks: bool,
    /// True if each step of a change is on the disk before the next one.
    pub durable: bool,
    /// About how many bytes of records are kept in memory.
    pub kept_bytes: usize,
}

impl Default for AreaOptions {
    /// Read only, deleted records shown, SET EXACT OFF, the structural index opened, up to 64 MB of records kept.
    fn default() -> AreaOptions {
        AreaOptions {
            mode: Mode::ReadOnly,
            scheme: None,
            wait: LockWait::default(),
            open_timeout: None,
            code_page: None,
            open_structural: true,
            hide_deleted: false,
            exact: false,
            implicit_locks: false,
            durable: false,
            kept_bytes: 64 << 20,
        }
    }
}

/// The records that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Everything that is there (`ADS_IGNOREFILTERS`).
    All,
    /// The records in the order's scope (`ADS_RESPECTSCOPES`).
    Scoped,
    /// The records that scope, filter, AOF and the hiding of deleted records leave (`ADS_RESPECTFILTERS`).
    Visible,
}

/// An end of an order: the top is the one that [`crate::Area::go_top`] goes to, also in a descending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where the order begins.
    Top,
    /// Where it ends.
    Bottom,
}

/// Options for seeking a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeekHow {
    /// Where there is no such key, go to the next one instead of EOF.
    pub soft: bool,
    /// The last record with the key instead of the first.
    pub last: bool,
    /// The first record behind all that have the key (`ADS_SEEKGT`); nothing is "found" then, unless there is one.
    pub after: bool,
}
