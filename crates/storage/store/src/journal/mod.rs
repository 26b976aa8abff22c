//! The journal: every committed transaction as one frame of an append-only file.
//!
//! ```text
//!   RedoBuffer      what a transaction did, as bytes           redo/     (payload of a frame)
//!   frame           length, checksum, sequence, durable_up_to  frame.rs  (codec without I/O)
//!   JournalWriter   order, group commit, poisoning             writer.rs
//!   Company         whether a sync waits for more commits      company.rs
//!   JournalReader   frames, and where they end                 reader.rs
//!   replay          all journals since the checkpoint          recovery.rs
//! ```
//!
//! What is on the disk is described byte by byte in `docs/formats/journal.md`.
//!
//! **Promises.** A commit that was acknowledged as `Full` is found after any crash. A frame is found whole or not at
//! all. Damage to what had been promised is an error that names the place, never a shorter journal.

pub mod checksum;
mod company;
mod frame;
mod reader;
mod recovery;
pub mod redo;
#[cfg(test)]
mod tests;
mod writer;

pub use frame::{FILE_HEADER, FRAME_HEADER, FrameHeader, JournalHeader, MAX_PAYLOAD, encode_frame, random_salt};
pub use reader::{Frame, JournalEnd, JournalReader, Tail};
pub use recovery::{Recovered, journal_number, journal_path, replay};
pub use writer::{Durability, JournalWriter, Ticket};
