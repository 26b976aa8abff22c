//! Errors of the protocol: input after which a connection cannot go on.

use std::fmt;

/// Input that breaks the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// A message whose content contradicts itself.
    Malformed(&'static str),
    /// A message that this crate does not know. Its length is unknown, too, so that nothing behind it can be read.
    UnknownTag(u16),
    /// A message that is longer than its limit, in bytes.
    TooLong(usize),
    /// A value that its column or parameter cannot hold.
    Value(&'static str),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Malformed(what) => write!(f, "malformed message: {what}"),
            WireError::UnknownTag(tag) => write!(f, "unknown message {tag}"),
            WireError::TooLong(limit) => write!(f, "a message is longer than {limit} bytes"),
            WireError::Value(what) => write!(f, "the value cannot be sent: {what}"),
        }
    }
}

impl std::error::Error for WireError {}
