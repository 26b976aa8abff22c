//! The messages of the WebSocket: operations with a code and a length, in both directions.
//!
//! A binary message is a sequence of operations `code u8, length u32, payload`; numbers are little-endian, texts are a length
//! u32 and UTF-8. A receiver skips operations that it does not know by their length, so that a newer server can serve a page
//! that is still open. docs/console.md lists every operation; `assets/wire.js` is the other end.

mod decode;
mod encode;

pub use decode::{Message, decode};
pub use encode::{Ended, ended, frame, hello, list_rows};

/// The version of the protocol: the first number of both first messages.
pub const VERSION: u16 = 1;
/// The most bytes of a message from a page.
pub const LONGEST_MESSAGE: usize = 2 << 20;
