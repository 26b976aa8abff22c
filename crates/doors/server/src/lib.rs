//! The server and its doors: sockets, TLS, users, limits, metrics and the log, around the codecs of `tds`, `navigator`
//! and `sqli`, and the pages of `console`.
//!
//! ```text
//!   Server      host       all that doors share: listening, users, limits, stopping, metrics, log
//!   TdsDoor     tds        SQL Server's clients
//!   NavigatorDoor          remote ACE clients
//!   SqliDoor    sqli       Informix clients
//!   ConsoleDoor console    browsers
//! ```
//!
//! It contains no semantics of statements: they go to the sessions of a backend, which each door is given. A connection
//! has its own thread, because a session blocks, and the thread that decodes a request can run it and write its answer
//! without a hand-over. `tests/echo.rs` shows a further door.

mod config;
mod console;
mod host;
mod navigator;
mod sqli;
mod tds;
mod users;

pub use config::{Config, Encryption, KEYS, Key, User, reference_page};
pub use console::ConsoleDoor;
pub use host::connection::{Connection, Watcher};
pub use host::metrics::{DoorMetrics, RequestKind, metrics_page};
pub use host::process::{log_event, log_warning};
pub use host::socket::Socket;
pub use host::{Door, Ending, Host, Server, Stopped};
pub use mainstay_password_hash as password;
pub use navigator::NavigatorDoor;
pub use sqli::SqliDoor;
pub use tds::TdsDoor;
pub use users::{Reloaded, Users};
