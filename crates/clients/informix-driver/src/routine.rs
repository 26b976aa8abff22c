//! Routines of the fast path that work on smart large objects, and the purposes of their calls.

/// A routine of the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routine {
    /// Opens a BLOB or CLOB by its locator.
    Open,
    /// Creates one.
    Create,
    /// Moves the position.
    Seek,
    /// Reports the size.
    Status,
    /// Cuts a value.
    Truncate,
    /// Closes a descriptor.
    Close,
}

impl Routine {
    /// Its signature at the server.
    pub fn signature(self) -> &'static str {
        match self {
            Routine::Open => "function informix.ifx_lo_open(blob ,integer)",
            Routine::Create => "function informix.ifx_lo_create( ifx_lo_spec,integer,blob)",
            Routine::Seek => "function informix.ifx_lo_seek(integer,int8,integer,int8)",
            Routine::Status => "function informix.ifx_lo_stat(int, ifx_lo_stat)",
            Routine::Truncate => "function informix.ifx_lo_truncate(integer,int8)",
            Routine::Close => "function informix.ifx_lo_close(integer)",
        }
    }
}

/// The purpose of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An operation of the shell.
    Shell,
    /// The value of a row: its cursor, its place among the values of the block, and its descriptor once it is open.
    Row(u32, usize, u16),
    /// Closing a descriptor whose value has been read.
    Closing,
}
