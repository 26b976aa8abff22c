//! The navigator: tables of a server as work areas.
//!
//! A program that works with tables record by record asks for little at a time and very often. Sent one by one, these
//! questions make a screen of 25 rows cost hundreds of round trips. Here a client gets with every move the rows around
//! the place that it leads to, with their numbers and keys, and what is known of how many there are; it answers from them
//! what the program asks next, and asks the server again when the program leaves them or they may have changed.
//!
//! ```text
//!   RemoteArea   a work area over a table of a server           client: remote, run, ...
//!   Client       a connection: requests out, answers in         client: connection, transport
//!      |
//!   wire         frames, messages, values                       docs/formats/navigator.md
//!      |
//!   Session      a client's tables and transaction              server: session, steps, pages
//!   Service      the folder, connected users, locks             server: service, folder
//! ```
//!
//! The server supplies SQL and data dictionaries to the service (`sql`, `dictionary`). The rows of a query are a
//! table, too, on both sides (`rows`).
//!
//! The server's side has no sockets: `mainstay-server` listens, authenticates clients, and passes requests on.

pub mod client;
pub mod dictionary;
pub mod live;
pub mod rows;
pub mod server;
pub mod sql;
pub mod wire;
