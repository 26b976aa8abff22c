//! The door for SQL Server's clients: TDS over sockets.
//!
//! ```text
//!   login       PRELOGIN, TLS, LOGIN7; users and passwords
//!   connection  one request after another: requests; their answers: sink
//!   translation types, columns and calls of the protocol, and those of sessions
//!   link        the socket: messages in, packets out, TLS between them; attentions while a request runs
//! ```
//!
//! It contains no semantics of statements: they go to a [`Backend`].

mod connection;
mod link;
mod login;
mod numbers;
mod requests;
mod sink;
mod translation;

use crate::host::connection::Connection;
use crate::host::metrics::RequestKind;
use crate::host::{Door, Ending, Host};
use link::Link;
use mainstay_session::push::Backend;
use mainstay_tds::{LONGEST_LOGIN, LONGEST_PRELOGIN};
use numbers::SessionNumbers;
use std::net::TcpStream;
use std::sync::Arc;

/// The door for SQL Server's clients.
pub struct TdsDoor<B> {
    backend: Arc<B>,
    numbers: SessionNumbers,
}

impl<B: Backend> TdsDoor<B> {
    /// Its name.
    pub const NAME: &'static str = "tds";

    /// A door to the sessions of a backend.
    pub fn new(backend: Arc<B>) -> TdsDoor<B> {
        TdsDoor { backend, numbers: SessionNumbers::default() }
    }
}

/// A connection of the door that is being served.
struct Serving<'a, B> {
    door: &'a TdsDoor<B>,
    host: &'a Host,
    connection: &'a Arc<Connection>,
    link: &'a Link,
}

impl<B> Clone for Serving<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Serving<'_, B> {}

impl<B: Backend> Door for TdsDoor<B> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn request_kinds(&self) -> &'static [RequestKind] {
        &[RequestKind::Batch, RequestKind::Call, RequestKind::Transaction, RequestKind::Bulk]
    }

    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
        let limit_bytes = LONGEST_PRELOGIN.max(LONGEST_LOGIN);
        let Ok(link) = Link::new(socket, limit_bytes, Arc::clone(connection.metrics())) else {
            return Ending::Lost("closed".to_owned());
        };
        let link = Arc::new(link);
        connection.watch_with(Arc::clone(&link) as Arc<_>);
        connection::serve(Serving { door: self, host, connection, link: &link })
    }
}
