//! A client of Informix servers, without input or output.
//!
//! ```text
//!   shell (a socket, an event loop)        this crate                          mainstay-sqli
//!        |  output()  <------------------  Session: one operation at a time  -> Request
//!        |  receive(bytes)  ------------>  groups and their replies          <- Reply
//!        |  rows  <----------------------  RowBlock, Layout: bytes of rows
//! ```
//!
//! A shell begins an operation (connect, execute, fetch, commit), sends what [`Session::take_output`] returns, and hands over
//! what the server answers until [`Session::is_done`]. So blocking sockets, event loops and tests share one implementation, and
//! nothing here knows time, sockets or Python.
//!
//! The protocol answers each group of messages once and in order. The session keeps a queue of the groups that are not answered
//! yet, and so it may send several: the next rows are on their way while the caller reads the last ones, cursors are closed in
//! passing, and a batch of rows is one round trip.
//!
//! Rows stay in the bytes of the wire until they are wanted as values ([`Cell`]) or as Arrow arrays ([`arrow`]).

pub mod arrow;
mod binder;
mod cell;
mod cursor;
mod cursors;
mod execution;
mod group;
mod insert_rows;
mod layout;
mod link;
mod operation;
mod placeholders;
mod replies;
mod routine;
mod rows;
mod session;
mod smart_lobs;
mod statements;
mod transaction;
mod tuple;

pub use binder::{Binder, BoundRow};
pub use cell::{Cell, read_cell};
pub use cursors::Scrolling;
pub use execution::Execute;
pub use group::Outcome;
pub use layout::{Column, Kind, Layout};
pub use link::Fault;
pub use placeholders::{Placeholder, Statement, Verb};
pub use rows::RowBlock;
pub use session::{Session, Settings};
pub use smart_lobs::{LobAnswer, Lobs, lob_size};

/// Codesets of texts on the wire.
pub use mainstay_sqli::Codeset;
