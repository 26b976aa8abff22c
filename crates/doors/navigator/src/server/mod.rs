//! The server's side: a client's steps, applied to work areas.
//!
//! ```text
//!   Service    the folder that is served; connected users, their locks, and change counts of tables
//!     Session  one client: its open tables, its transaction; requests in, answers out       session, steps, pages, cursors, live
//! ```
//!
//! No sockets here: the listener reads a request from one, calls the session, and writes the answer. A session that is
//! dropped rolls its transaction back and releases its locks, so that a lost client leaves nothing behind.

mod cursors;
mod folder;
mod hidden;
mod live;
mod pages;
mod service;
mod session;
mod steps;
mod transaction;

pub use service::{Connected, Service};
pub use session::Session;
