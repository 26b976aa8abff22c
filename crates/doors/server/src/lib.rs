//! The server's doors: sockets, TLS, users, limits, metrics and the log, around the codecs of `tds`,
//! `navigator` and `sqli`.
//!
//! ```text
//!   Server::start      server      listeners, threads, stopping
//!     login            PRELOGIN, TLS, LOGIN7; who may log in: password, config
//!     connection       one request after another: requests; answers: sink
//!     link             a socket: messages in, packets out, TLS between (tls)
//!     watch            attentions while a request runs; registry: who is connected
//!   NavigatorDoor      navigator   the same for remote ACE clients
//!   SqliDoor           sqli        the same for Informix clients; both are a listener over a socket
//!     http, metrics    what a monitor reads; log: what a person reads
//!     process          open files and memory for many connections
//! ```
//!
//! It holds no semantics of statements: what answers is a [`Backend`](mainstay_tds::Backend). A connection has a thread of
//! its own, because a session is a blocking thing and the thread that decodes a request can run it and write its answer
//! without handing anything over.

mod config;
mod connection;
mod http;
mod link;
mod listener;
mod log;
mod login;
mod metrics;
mod navigator;
mod process;
mod registry;
mod requests;
mod server;
mod sink;
mod socket;
mod sqli;
mod tls;
mod watch;

pub use config::{Config, Encryption, KEYS, Key, User, reference_page};
pub use mainstay_password_hash as password;
pub use metrics::metrics_page;
pub use navigator::NavigatorDoor;
pub use process::{log_event, log_warning};
pub use server::{Server, Stopped};
pub use sqli::SqliDoor;
