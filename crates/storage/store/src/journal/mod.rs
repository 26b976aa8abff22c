//! The journal: every committed transaction as one frame of an append-only file.
//!
//! ```text
//!   RedoBuffer      what a transaction did, as bytes           redo/     (payload of a frame)
//!   frame           length, checksum, sequence, durable_up_to  frame.rs  (codec without I/O)
//!   JournalWriter   order, group commit, poisoning             writer.rs
//!   Company         whether a sync waits for more commits      company.rs
//!   JournalReader   frames, and where they end                 reader.rs
//!   Operations      the changes of a frame, one at a time      operations.rs
//!   replay          all journals since the checkpoint          recovery.rs
//! ```
//!
//! `docs/formats/journal.md` describes the format on disk byte by byte.
//!
//! **Guarantees.** A commit that was acknowledged as `Full` survives any crash. A frame is recovered whole or not at
//! all. Damage to acknowledged commits is an error with the place of the frame, never a shorter journal.

pub mod checksum;
mod company;
mod frame;
mod operations;
pub(crate) mod payload;
mod reader;
mod recovery;
pub mod redo;
#[cfg(test)]
mod tests;
mod window;
mod writer;

pub use frame::{FILE_HEADER, FRAME_HEADER, FrameHeader, JournalHeader, MAX_PAYLOAD, encode_frame, random_salt};
pub use operations::{FramePayload, Operations};
pub use payload::Payload;
pub use reader::{Frame, JournalEnd, JournalReader, Tail};
pub use recovery::{Recovered, journal_number, journal_path, replay};
pub use writer::{Durability, JournalWriter, Ticket};
