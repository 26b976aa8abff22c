//! Errors of bytes of a peer, and of values that are to become bytes.

use std::fmt;

/// Why bytes are not what they should be. The connection they came on cannot be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// They end too early. A reader of a stream waits for more; in a whole message it is as wrong as the others.
    Incomplete,
    /// They contradict the protocol: the reason, as the end of "the client sent ...".
    Malformed(&'static str),
    /// They are right, and ask for what is not there: a type of this number, a request of this kind.
    Unsupported(String),
    /// A call has more parameters than [`crate::MOST_PARAMETERS`].
    TooManyParameters,
    /// They are longer than they may be: what, and its limit in bytes.
    TooLong(&'static str, usize),
}

/// The result of reading bytes of a peer.
pub type Wire<T> = Result<T, WireError>;

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Incomplete => f.write_str("a message ends too early"),
            WireError::Malformed(what) => write!(f, "a message holds {what}"),
            WireError::Unsupported(what) => write!(f, "a message asks for {what}, which is not supported"),
            WireError::TooManyParameters => f.write_str("a call has more parameters than a procedure can have"),
            WireError::TooLong(what, limit) => write!(f, "{what} is longer than {limit} bytes"),
        }
    }
}

impl std::error::Error for WireError {}

/// A value that its column cannot hold: a fault of the session, not of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// The name of the column or parameter.
    pub column: String,
    /// The reason: `type int cannot hold a text`.
    pub reason: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column '{}': {}", self.column, self.reason)
    }
}

impl std::error::Error for ValueError {}
