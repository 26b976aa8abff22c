//! The client's side: a connection to a server, and its tables as work areas.

mod area;
mod by_hand;
mod connection;
mod moves;
mod remote;
mod run;
mod tls;
mod transport;

pub use connection::{Address, Client, PORT, Traffic};
pub use remote::{KEPT_FOR, OpenHow, RemoteArea};
pub use transport::{InProcess, Tcp, Transport};
