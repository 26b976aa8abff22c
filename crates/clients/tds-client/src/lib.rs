//! A client of servers that speak TDS (Mainstay, SQL Server), without input or output.
//!
//! ```text
//!   transport (socket, TLS)                this crate                           mainstay-tds
//!        |  take_output()  <-------------  Connection: login, one request  --->  packets, requests
//!        |  receive(bytes)  ------------>  packets of the answer           <---  TokenStream
//!        |  next()  <--------------------  Next: Receive, BeginTls, Event
//! ```
//!
//! A transport sends what [`Connection::take_output`] returns, hands over the received bytes, and asks [`Connection::next_step`]
//! for the next step until that is an event. Blocking sockets, event loops and tests share one implementation, and nothing
//! here knows time, sockets or TLS.
//!
//! Rows arrive as [`Event::Row`] while the answer goes on, so memory is that of one row. A request is cancelled by
//! [`Connection::cancel`]: the answer then ends early with [`Event::Ready`], and the connection stays usable. (MS-TDS
//! 2.2.1.7, 3.2.5.)
//!
//! Limits: one request at a time; no federated or integrated authentication; no MARS; no routing to another server.

mod address;
mod connection;
mod request;

pub use address::{Address, DEFAULT_PORT, Encrypt, SCHEME, Trust};
pub use connection::{Connection, Event, Next};
pub use mainstay_tds::client::{DataType, Length, Message, variant_value};
pub use mainstay_tds::{Column, Command, Framer, Login, PacketKind, PacketWriter, Password};
