//! The state of one connection.
//!
//! ```text
//!   PreLogin --answer--> (BeginTls) --> Login --LOGINACK--> Ready --request--> Answering --end--> Ready
//!                                                                        \--cancel--> until DONE with ATTENTION
//! ```
//!
//! The attention of a client may cross the end of the answer. The server acknowledges it in any case, by a DONE with the
//! bit ATTENTION, in the same message or in one of its own; the answer ends for the client when that has arrived
//! (MS-TDS 3.2.5.7).

use crate::address::Encrypt;
use crate::request::execute_with;
use mainstay_tds::client::{DataType, Message, Token, TokenStream, put_calls};
use mainstay_tds::{
    Batch, Column, Command, DEFAULT_PACKET, Encryption, Framer, Headers, Login, PacketKind, PacketWriter, PreLogin,
    Version, WireError,
};
use mainstay_types::{Code, Error, Result, Value};

/// Tokens (rows with long values) of up to so many bytes are read, unless the transport sets another limit.
const LONGEST_TOKEN_BYTES: usize = 1 << 30;
/// Bits of a DONE's status (MS-TDS 2.2.7.6).
const DONE_ERROR: u16 = 0x0002;
const DONE_COUNT: u16 = 0x0010;
const DONE_ATTENTION: u16 = 0x0020;
/// Numbers of ENVCHANGE (MS-TDS 2.2.7.9).
const CHANGED_DATABASE: u8 = 1;
const CHANGED_PACKET_SIZE: u8 = 4;
const BEGAN_TRANSACTION: u8 = 8;
const COMMITTED: u8 = 9;
const ROLLED_BACK: u8 = 10;

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The login has succeeded. [`Event::Ready`] follows.
    LoggedIn,
    /// A result begins.
    Columns(Vec<Column>),
    /// A row of it.
    Row(Vec<Value>),
    /// A message, or an error.
    Message(Message),
    /// The status that a procedure returned.
    ReturnStatus(i32),
    /// The value of an output parameter: name, type, value.
    ReturnValue(String, DataType, Value),
    /// The session uses another database.
    Database(String),
    /// The end of a statement.
    Done {
        /// The kind of the statement.
        command: Command,
        /// The rows that it gave or changed.
        count: Option<u64>,
        /// True if it failed.
        failed: bool,
    },
    /// The end of the answer; the next request may be sent.
    Ready,
}

/// The next step of a transport.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Send the output, then receive bytes.
    Receive,
    /// Begin TLS, its handshake in packets of PRELOGIN, and ask again.
    BeginTls,
    /// Part of an answer.
    Event(Event),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// PRELOGIN is sent.
    PreLogin,
    /// The login is sent, or is sent when TLS has begun.
    Login,
    /// No request runs.
    Ready,
    /// A request runs.
    Answering,
}

/// A connection to a server.
#[derive(Debug)]
pub struct Connection {
    state: State,
    login: Login,
    encrypt: Encrypt,
    requires_encryption: bool,
    framer: Framer,
    tokens: TokenStream,
    out: PacketWriter,
    /// Payloads of PRELOGIN's answer.
    pre_login: Vec<u8>,
    /// The last packet of the message has been fed.
    is_message_complete: bool,
    awaits_attention: bool,
    is_logged_in: bool,
    transaction: u64,
}

impl Connection {
    /// A connection that begins with PRELOGIN. With `requires_encryption` a server that does not encrypt is refused.
    pub fn new(login: Login, encrypt: Encrypt, requires_encryption: bool) -> Connection {
        let mut connection = Connection {
            state: State::PreLogin,
            tokens: TokenStream::new(login.version, LONGEST_TOKEN_BYTES),
            login,
            encrypt,
            requires_encryption,
            framer: Framer::new(),
            out: PacketWriter::new(PacketKind::PreLogin),
            pre_login: Vec::new(),
            is_message_complete: false,
            awaits_attention: false,
            is_logged_in: false,
            transaction: 0,
        };
        let encryption = match encrypt {
            Encrypt::Off => Encryption::NotSupported,
            Encrypt::On => Encryption::On,
            Encrypt::Strict => Encryption::Required,
        };
        let mut bytes = Vec::new();
        let pre_login =
            PreLogin { version: (1, 0, 0), encryption, instance: String::new(), mars: false, federated: None };
        pre_login.encode(&mut bytes);
        connection.send(PacketKind::PreLogin, &bytes);
        connection
    }

    /// Sets the bytes that a row may take, 1 GB at first.
    pub fn limit_row(&mut self, bytes: usize) {
        self.tokens.set_limit(bytes);
    }

    /// Bytes for the server, taken.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.out.take()
    }

    /// Takes bytes of the server.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.framer.feed(bytes);
    }

    /// True if no request runs.
    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    /// True in a transaction of the server.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction != 0
    }

    /// Sends a batch.
    ///
    /// Errors: `TransactionState` while a request runs.
    pub fn send_batch(&mut self, text: &str) -> Result<()> {
        self.begin_request()?;
        let headers = Headers { transaction: self.transaction };
        let mut bytes = Vec::new();
        Batch { headers, text: text.to_owned() }.encode(self.login.version, &mut bytes);
        self.send(PacketKind::Batch, &bytes);
        Ok(())
    }

    /// Sends a batch with values, which it names `@p1`, `@p2` and so on.
    ///
    /// Errors: `TransactionState` while a request runs; `InvalidValue` for a value that its type cannot hold.
    pub fn send_batch_with(&mut self, text: &str, values: &[Value]) -> Result<()> {
        self.begin_request()?;
        let headers = Headers { transaction: self.transaction };
        self.out.set_kind(PacketKind::Rpc);
        let mark = self.out.mark();
        if let Err(reason) = put_calls(&[execute_with(text, values)], headers, self.login.version, &mut self.out) {
            self.out.rewind(mark);
            self.state = State::Ready;
            return Err(Error::new(Code::InvalidValue, reason));
        }
        self.out.end_message();
        Ok(())
    }

    /// Asks the server to end the running request. Without one it does nothing.
    pub fn cancel(&mut self) {
        if self.state == State::Answering && !self.awaits_attention {
            self.awaits_attention = true;
            self.send(PacketKind::Attention, &[]);
        }
    }

    fn begin_request(&mut self) -> Result<()> {
        if self.state != State::Ready {
            return Err(Error::new(Code::TransactionState, "another request of this connection is running"));
        }
        self.state = State::Answering;
        self.is_message_complete = false;
        Ok(())
    }

    fn send(&mut self, kind: PacketKind, payload: &[u8]) {
        self.out.set_kind(kind);
        self.out.put(payload);
        self.out.end_message();
    }

    /// The next step.
    ///
    /// Errors: `ConnectionLost` for bytes that are not of the protocol, and `OutOfMemory` for a row beyond the limit, after
    /// which the connection cannot be used; `NotPermitted` for a login that was refused, `Unsupported` for encryption that the server does not have.
    pub fn next_step(&mut self) -> Result<Next> {
        loop {
            if self.state == State::PreLogin {
                if let Some(next) = self.read_pre_login()? {
                    return Ok(next);
                }
                continue;
            }
            if let Some(token) = self.tokens.next_token().map_err(broken)? {
                match self.event_of(token) {
                    Some(event) => return Ok(Next::Event(event)),
                    None => continue,
                }
            }
            if self.is_message_complete {
                if self.awaits_attention {
                    self.is_message_complete = false;
                    continue;
                }
                if !matches!(self.state, State::Ready) {
                    return self.end_answer();
                }
            }
            let Some(packet) = self.framer.next_packet().map_err(broken)? else { return Ok(Next::Receive) };
            if packet.kind != PacketKind::Answer {
                return Err(broken(WireError::Malformed("a packet that is not part of an answer")));
            }
            self.is_message_complete = packet.status.is_end();
            self.tokens.feed(packet.payload, packet.status.is_end());
        }
    }

    fn end_answer(&mut self) -> Result<Next> {
        if self.state == State::Login && !self.is_logged_in {
            return Err(Error::new(Code::NotPermitted, "the server refused the login"));
        }
        self.state = State::Ready;
        Ok(Next::Event(Event::Ready))
    }

    /// Reads a packet of PRELOGIN's answer; `None` if the caller is to look again.
    fn read_pre_login(&mut self) -> Result<Option<Next>> {
        let Some(packet) = self.framer.next_packet().map_err(broken)? else { return Ok(Some(Next::Receive)) };
        self.pre_login.extend_from_slice(packet.payload);
        let (kind, is_end) = (packet.kind, packet.status.is_end());
        if kind != PacketKind::Answer || self.pre_login.len() > mainstay_tds::LONGEST_PRELOGIN {
            return Err(broken(WireError::Malformed("something else than the answer to PRELOGIN")));
        }
        if !is_end {
            return Ok(None);
        }
        let answered = PreLogin::decode(&self.pre_login).map_err(broken)?.encryption;
        let begins_tls = self.encrypt == Encrypt::On && answered != Encryption::NotSupported;
        let refusal = match (self.encrypt, answered) {
            (Encrypt::Off, Encryption::Required | Encryption::On) => Some("the server requires encryption"),
            (Encrypt::On, Encryption::NotSupported) if self.requires_encryption => {
                Some("the server does not encrypt, and everybody on the way could read the password")
            }
            _ => None,
        };
        if let Some(message) = refusal {
            let hint =
                if self.encrypt == Encrypt::Off { "leave out encrypt=off" } else { "encrypt=off connects anyway" };
            return Err(Error::new(Code::Unsupported, message).hint(hint));
        }
        self.state = State::Login;
        let mut bytes = Vec::new();
        self.login.encode(&mut bytes);
        self.send(PacketKind::Login, &bytes);
        Ok(begins_tls.then_some(Next::BeginTls))
    }

    /// The event of a token; `None` for one that is the connection's own business.
    fn event_of(&mut self, token: Token) -> Option<Event> {
        Some(match token {
            Token::LoginAck { .. } => {
                self.is_logged_in = true;
                Event::LoggedIn
            }
            Token::Columns(columns) if columns.is_empty() => return None,
            Token::Columns(columns) => Event::Columns(columns),
            Token::Row(row) => Event::Row(row),
            Token::Message(message) => Event::Message(message),
            Token::ReturnStatus(status) => Event::ReturnStatus(status),
            Token::ReturnValue(_, name, data_type, value) => Event::ReturnValue(name, data_type, value),
            Token::Done(_, status, command, count) => {
                if status & DONE_ATTENTION != 0 {
                    self.awaits_attention = false;
                    return None;
                }
                let count = (status & DONE_COUNT != 0).then_some(count);
                Event::Done { command: Command(command), count, failed: status & DONE_ERROR != 0 }
            }
            Token::Change(kind, new, _) => return self.change(kind, &new),
            Token::FeatureAck(_) | Token::Order(_) | Token::Sources => return None,
        })
    }

    fn change(&mut self, kind: u8, new: &[u8]) -> Option<Event> {
        let text = || {
            let units: Vec<u16> = new.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        };
        match kind {
            CHANGED_DATABASE => return Some(Event::Database(text())),
            CHANGED_PACKET_SIZE => self.out.set_packet_size(text().parse().unwrap_or(DEFAULT_PACKET)),
            BEGAN_TRANSACTION => {
                self.transaction = new.try_into().map(u64::from_le_bytes).unwrap_or_default();
            }
            COMMITTED | ROLLED_BACK => self.transaction = 0,
            _ => {}
        }
        None
    }
}

/// The version that a login asks for.
impl Encrypt {
    /// The version of the protocol that goes with it.
    pub fn version(self) -> Version {
        if self == Encrypt::Strict { Version::V8_0 } else { Version::V7_4 }
    }
}

fn broken(error: WireError) -> Error {
    if let WireError::TooLong(_, limit_bytes) = error {
        let message = format!("the server sent a row of more than {limit_bytes} bytes; the connection was given up");
        return Error::new(Code::OutOfMemory, message);
    }
    Error::new(Code::ConnectionLost, format!("the server does not keep to the protocol: {error}"))
}
